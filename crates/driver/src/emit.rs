//! `--emit litmus`: the cycle of a counterexample as a test of its own.
//!
//! A violation that sequential consistency does not have goes through a cycle of program order and
//! communication. That cycle, with the dependencies and fences that stand on its way, is a litmus
//! test; it is the smallest one that shows the same behaviour, since a shortest cycle is taken. The
//! test is only given away after it was checked: the model allows its final state, and sc does not.

use wattle_engine::{Budget, Contradiction, Counterexample, Engine, Property, Run, Verdict, Work};
use wattle_engine_enumerate::Enumerate;
use wattle_generate::cycle::{
    Annotation, Architecture, Communication, Cycle, Direction, Edge, Fence, Kind, Means, Reach, Test, test,
};
use wattle_memory::axiomatic::{Step, explain_cycle};
use wattle_memory::{Event, EventKind, Execution, MemoryModel};
use wattle_program::{Orders, Vocabulary};

use crate::{Goal, Input, load, models, prepare};

/// The inner `Err` says why there is no such test.
pub(crate) fn litmus(
    memory: &MemoryModel,
    counterexample: &Counterexample,
) -> Result<Result<Test, String>, Contradiction> {
    match of_cycle(memory, counterexample) {
        Ok(test) => Ok(shows(&test, memory)?.map(|()| test)),
        Err(why) => Ok(Err(why)),
    }
}

fn of_cycle(memory: &MemoryModel, counterexample: &Counterexample) -> Result<Test, String> {
    let execution = counterexample.execution.as_ref().ok_or("the counterexample has no event graph")?;
    let steps = explain_cycle(execution)
        .ok_or("the violation does not need weak memory: sequential consistency allows it too")?;
    let architecture = architecture(memory);
    shortest_name(architecture, edges(execution, &steps, architecture)?)
}

/// The test of a cycle, which can be written down from any of its edges: the way with the shortest name is the
/// one that the literature has a name for, if it has one.
fn shortest_name(architecture: Architecture, mut edges: Vec<Edge>) -> Result<Test, String> {
    let mut best: Option<Test> = None;
    for _ in 0..edges.len() {
        edges.rotate_left(1);
        let cycle =
            Cycle::new(architecture, &edges).map_err(|broken| format!("its cycle is no test: {broken}"))?;
        let test = test(&cycle);
        if best.as_ref().is_none_or(|best| test.name.len() < best.name.len()) {
            best = Some(test);
        }
    }
    best.ok_or_else(|| "its cycle is empty".into())
}

fn architecture(memory: &MemoryModel) -> Architecture {
    match (memory.vocabulary, memory.machine) {
        (Some(Vocabulary::Ppc), _) => Architecture::Ppc,
        (Some(Vocabulary::Arm), _) => Architecture::Arm,
        (Some(Vocabulary::Aarch64), _) => Architecture::Aarch64,
        (Some(Vocabulary::Riscv), _) => Architecture::Riscv,
        (Some(Vocabulary::C11), _) => Architecture::C,
        (_, Some(_)) => Architecture::X86,
        // rmo, alpha and models that someone else wrote: dependencies matter, and x86 has none.
        (_, None) => Architecture::Ppc,
    }
}

fn edges(execution: &Execution, steps: &[Step], architecture: Architecture) -> Result<Vec<Edge>, String> {
    let event = |number: u32| &execution.events[number as usize];
    let mut edges = Vec::new();
    for (number, &(from, name, to)) in steps.iter().enumerate() {
        // A step that leads out of an initial write says nothing that a test could not say without it.
        if event(from).is_initial() || event(to).is_initial() {
            return Err("its cycle goes through an initial value".into());
        }
        let next = steps[(number + 1) % steps.len()].1;
        let previous = steps[(number + steps.len() - 1) % steps.len()].1;
        let ends = match name {
            "rf" => (Direction::Write, Direction::Read),
            "fr" => (Direction::Read, Direction::Write),
            "co" => (Direction::Write, Direction::Write),
            _ => (arrives(event(from), previous)?, leaves(event(to), next)?),
        };
        let communication = match name {
            "rf" => Some(Communication::Rf),
            "fr" => Some(Communication::Fr),
            "co" => Some(Communication::Co),
            _ => None,
        };
        let same_thread = event(from).thread == event(to).thread;
        let kind = match communication {
            Some(communication) if same_thread => Kind::Communication(communication, Reach::Internal),
            Some(communication) => Kind::Communication(communication, Reach::External),
            None => Kind::Order {
                means: means(execution, from, to, architecture),
                same: event(from).location() == event(to).location(),
            },
        };
        let mut edge = Edge::new(kind, ends);
        edge.annotations = (annotation(event(from), architecture), annotation(event(to), architecture));
        edges.push(edge);
    }
    Ok(edges)
}

/// The marks of an access, as far as the architecture's tests have them.
fn annotation(event: &Event, architecture: Architecture) -> Option<Annotation> {
    let has = |names: &[&str]| event.tags.iter().any(|tag| names.contains(&&**tag));
    let marked = [
        (&["SC"][..], Annotation::SeqCst),
        (&["A", "Acq", "ACQ", "ACQ_REL"], Annotation::Acquire),
        (&["Q"], Annotation::AcquirePc),
        (&["L", "Rel", "REL", "ACQ_REL"], Annotation::Release),
        (&["NA"], Annotation::NonAtomic),
    ];
    let direction = if event.read().is_some() { Direction::Read } else { Direction::Write };
    let fits = |annotation: Annotation| {
        let known = architecture.annotations().iter();
        known.into_iter().any(|(_, one, ends)| *one == annotation && ends.contains(&direction))
    };
    marked.into_iter().find(|(names, one)| has(names) && fits(*one)).map(|(_, annotation)| annotation)
}

/// In which role the step before comes to an event.
fn arrives(event: &Event, previous: &str) -> Result<Direction, String> {
    role(event, matches!(previous, "fr" | "co"), previous == "rf")
}

/// In which role the step after leaves an event.
fn leaves(event: &Event, next: &str) -> Result<Direction, String> {
    role(event, matches!(next, "rf" | "co"), next == "fr")
}

fn role(event: &Event, writes: bool, reads: bool) -> Result<Direction, String> {
    match event.kind {
        EventKind::Read { .. } => Ok(Direction::Read),
        EventKind::Write { .. } => Ok(Direction::Write),
        EventKind::Update { .. } if reads => Ok(Direction::Read),
        EventKind::Update { .. } if writes => Ok(Direction::Write),
        EventKind::Update { .. } => Ok(Direction::Write),
        EventKind::Fence => Err("its cycle goes through a fence".into()),
    }
}

/// What stands between two accesses of one thread: the strongest of what the model could see.
fn means(execution: &Execution, from: u32, to: u32, architecture: Architecture) -> Means {
    let fences = execution.events[from as usize + 1..to.max(from + 1) as usize]
        .iter()
        .filter(|event| event.kind == EventKind::Fence)
        .filter_map(|event| same_fence(event, architecture));
    if let Some(fence) = fences.min_by_key(|fence| architecture.fences().iter().position(|one| one == *fence))
    {
        return Means::Fence(fence);
    }
    let has = |pairs: &[(u32, u32)]| pairs.contains(&(from, to));
    let dependencies = !matches!(architecture, Architecture::X86 | Architecture::C);
    match () {
        () if !dependencies => Means::Po,
        () if has(&execution.data) => Means::Data,
        () if has(&execution.address) => Means::Address,
        () if has(&execution.control) => Means::Control,
        () => Means::Po,
    }
}

/// The architecture's fence that an event is: by its name, or its first if it orders everything.
fn same_fence(event: &Event, architecture: Architecture) -> Option<&'static Fence> {
    let plain = |name: &str| name.to_ascii_lowercase().replace([' ', ','], ".");
    let named = architecture.fences().iter().find(|fence| {
        event.tags.iter().any(|tag| [fence.edge, fence.text].iter().any(|name| plain(name) == plain(tag)))
    });
    named.or_else(|| architecture.fences().first().filter(|_| event.orders == Orders::ALL))
}

/// The test stands for the counterexample only if the model allows it and sc does not.
fn shows(test: &Test, memory: &MemoryModel) -> Result<Result<(), String>, Contradiction> {
    let Ok(loaded) = load(&Input::text(&test.name, "litmus", &test.text)) else {
        return Ok(Err("the test of its cycle cannot be read back".into()));
    };
    let sc = match models::resolve("sc", false) {
        Ok(sc) => sc,
        Err(why) => return Ok(Err(why)),
    };
    let run = Run::new(Budget { work: Some(Work::milliseconds(10_000)), ..Budget::default() });
    for (memory, allowed) in [(memory, true), (&sc, false)] {
        let prepared = match prepare(&loaded, memory, Goal::Verdict) {
            Ok(prepared) => prepared,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let answer = Enumerate::default().check(&prepared.task(Property::Stated), &run)?;
        let found = matches!(answer.verdict, Verdict::Unsafe { .. });
        if found != allowed {
            let which = if allowed { "forbids" } else { "allows" };
            return Ok(Err(format!("{} {which} the test of its cycle alone", memory.name)));
        }
    }
    Ok(Ok(()))
}
