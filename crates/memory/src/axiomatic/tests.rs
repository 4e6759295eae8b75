//! Executions of well-known shapes under the models of the catalogue, and what is no execution.
//!
//! Which model forbids which shape is from the papers: Alglave, Maranget and Tautschnig 2014 (Power),
//! Owens et al. 2009 (TSO), the SPARC manuals (PSO, RMO), Pulte et al. 2018 (ARMv8).

use wattle_logic::Value;
use wattle_program::{Orders, Tags, ThreadId};

use super::{evaluate, explain_cycle, well_formed};
use crate::{Event, EventKind, Execution, find};

/// Threads of accesses to `x` (0), `y` (1): `W x 1`, `R x 0`, `F mfence`. A read of 0 reads the initial
/// write, any other value the write of that value; writes are in coherence by their values.
fn execution(threads: &[&[&str]]) -> Execution {
    let mut execution = Execution::default();
    let event = |kind, thread, instruction| Event {
        kind,
        thread,
        edge: None,
        step: None,
        tags: Tags::new(),
        instruction,
        locked: false,
        orders: Orders::NONE,
        section: None,
    };
    for location in 0..2 {
        let kind = EventKind::Write { location, value: Value::Int(0) };
        execution.events.push(event(kind, None, 0));
    }
    for (thread, accesses) in threads.iter().enumerate() {
        for (number, access) in accesses.iter().enumerate() {
            let words: Vec<&str> = access.split(' ').collect();
            let location = || u32::from(words[1] == "y");
            let value = || Value::Int(words[2].parse().unwrap());
            let kind = match words[0] {
                "W" => EventKind::Write { location: location(), value: value() },
                "R" => EventKind::Read { location: location(), value: value() },
                _ => EventKind::Fence,
            };
            let mut new = event(kind, Some(ThreadId(thread as u32)), number as u32);
            if words[0] == "F" {
                new.tags = Tags::from([words[1].into()]);
                new.orders = if words[1] == "LWSYNC" {
                    Orders::RR.union(Orders::RW).union(Orders::WW)
                } else {
                    Orders::ALL
                };
            }
            execution.events.push(new);
        }
    }
    let events = || execution.events.iter().enumerate().map(|(number, event)| (number as u32, event));
    for location in 0..2 {
        let mut writes: Vec<(&Value, u32)> = events()
            .filter(|(_, event)| event.location() == Some(location))
            .filter_map(|(number, event)| Some((event.written()?, number)))
            .collect();
        writes.sort();
        execution.coherence.push(writes.into_iter().map(|(_, number)| number).collect());
    }
    let pairs = events().filter_map(|(to, read)| {
        let gives = |(_, write): &(u32, &Event)| {
            write.location() == read.location() && write.written().is_some() && write.written() == read.read()
        };
        let (from, _) = events().find(gives)?;
        Some((from, to))
    });
    execution.reads_from = pairs.collect();
    assert_eq!(well_formed(&execution), Ok(()));
    execution
}

/// The models of `names` that allow the execution.
fn allowing<'n>(execution: &Execution, names: &[&'n str]) -> Vec<&'n str> {
    let allows = |name: &&str| {
        let axioms = find(name).unwrap().axioms.as_ref().unwrap();
        evaluate(&axioms.tree, execution).unwrap().is_consistent()
    };
    names.iter().copied().filter(allows).collect()
}

const PLAIN: [&str; 8] = ["sc", "tso", "pso", "rmo", "alpha", "aarch64", "riscv", "power"];

#[test]
fn shapes_are_allowed_by_whom_the_papers_say() {
    let sb = execution(&[&["W x 1", "R y 0"], &["W y 1", "R x 0"]]);
    assert_eq!(allowing(&sb, &PLAIN), PLAIN[1..]);
    let mp = execution(&[&["W x 1", "W y 1"], &["R y 1", "R x 0"]]);
    assert_eq!(allowing(&mp, &PLAIN), PLAIN[2..]);
    let s = execution(&[&["W x 2", "W y 1"], &["R y 1", "W x 1"]]);
    assert_eq!(allowing(&s, &PLAIN), PLAIN[2..]);
    let two = execution(&[&["W x 2", "W y 1"], &["W y 2", "W x 1"]]);
    assert_eq!(allowing(&two, &PLAIN), PLAIN[2..]);
    let lb = execution(&[&["R x 1", "W y 1"], &["R y 1", "W x 1"]]);
    assert_eq!(allowing(&lb, &PLAIN), PLAIN[3..]);
    let iriw = execution(&[&["W x 1"], &["R x 1", "R y 0"], &["W y 1"], &["R y 1", "R x 0"]]);
    assert_eq!(allowing(&iriw, &PLAIN), PLAIN[3..]);
    let corr = execution(&[&["W x 1"], &["R x 1", "R x 0"]]);
    assert_eq!(allowing(&corr, &PLAIN), [""; 0]);
    let coww = execution(&[&["W x 2", "W x 1"]]);
    assert_eq!(allowing(&coww, &PLAIN), [""; 0]);
}

#[test]
fn dependencies_tell_models_with_atomic_writes_apart() {
    let mut mp = execution(&[&["W x 1", "F SYNC", "W y 1"], &["R y 1", "R x 0"]]);
    mp.address.push((5, 6));
    assert_eq!(allowing(&mp, &["rmo", "alpha", "power", "arm"]), ["alpha", "arm"], "SYNC is no fence of ARM");
    let mut iriw = execution(&[&["W x 1"], &["R x 1", "R y 0"], &["W y 1"], &["R y 1", "R x 0"]]);
    iriw.address.extend([(3, 4), (6, 7)]);
    let models = ["rmo", "aarch64", "riscv", "arm", "power"];
    assert_eq!(allowing(&iriw, &models), ["arm", "power"]);
    let sync =
        |fence| execution(&[&["W x 1"], &["R x 1", fence, "R y 0"], &["W y 1"], &["R y 1", fence, "R x 0"]]);
    assert_eq!(allowing(&sync("F SYNC"), &["power"]), [""; 0]);
    assert_eq!(allowing(&sync("F LWSYNC"), &["power"]), ["power"]);
    let sb = execution(&[&["W x 1", "F LWSYNC", "R y 0"], &["W y 1", "F LWSYNC", "R x 0"]]);
    assert_eq!(allowing(&sb, &["tso", "power", "power-2012"]), ["tso", "power", "power-2012"]);
}

#[test]
fn the_broken_axiom_and_its_cycle_are_named() {
    let sb = execution(&[&["W x 1", "R y 0"], &["W y 1", "R x 0"]]);
    let judged = evaluate(&find("sc").unwrap().axioms.as_ref().unwrap().tree, &sb).unwrap();
    let broken = judged.broken().unwrap();
    assert_eq!((&*broken.name, &*broken.witness), ("sc", &[2, 3, 4, 5][..]));
    let cycle = explain_cycle(&sb).unwrap();
    assert_eq!(cycle, [(2, "po", 3), (3, "fr", 4), (4, "po", 5), (5, "fr", 2)]);
    let corr = execution(&[&["W x 1"], &["R x 1", "R x 0"]]);
    assert_eq!(explain_cycle(&corr).unwrap(), [(2, "rf", 3), (3, "po", 4), (4, "fr", 2)]);
    let seen = execution(&[&["W x 1", "W y 1"], &["R y 1", "R x 1"]]);
    assert_eq!(explain_cycle(&seen), None);
    assert_eq!(allowing(&seen, &PLAIN), PLAIN);
}

#[test]
fn a_write_inside_an_atomic_step_is_explained() {
    let mut step = execution(&[&["R x 0", "W x 2"], &["W x 1"]]);
    step.events[3].instruction = step.events[2].instruction;
    step.read_modify_write.push((2, 3));
    let expected = [(2, "fr", 4), (4, "co", 3), (3, "rmw^-1", 2)];
    assert_eq!(explain_cycle(&step).unwrap(), expected);
    assert_eq!(allowing(&step, &PLAIN), [""; 0]);
}

#[test]
fn what_is_no_execution_is_refused() {
    let good = execution(&[&["W x 1", "R x 1"], &["W x 2", "R x 2"]]);
    type Change = fn(&mut Execution);
    let broken: [(&str, Change); 11] = [
        ("reads from no write", |e| e.reads_from.truncate(1)),
        ("reads from two writes", |e| e.reads_from.push((2, 3))),
        ("wrote", |e| e.reads_from[0].0 = 4),
        ("two locations", |e| e.reads_from[0].0 = 1),
        ("does not exist", |e| e.reads_from[0].0 = 99),
        ("does not order", |e| e.coherence[0].truncate(2)),
        ("initial write first", |e| e.coherence[0].swap(0, 1)),
        ("twice", |e| e.coherence[0].push(2)),
        ("one thread", |e| e.address.push((3, 5))),
        ("not in the order", |e| e.events[2].instruction = 7),
        ("no thread and is not a write", |e| e.events[3].thread = None),
    ];
    for (message, change) in broken {
        let mut bad = good.clone();
        change(&mut bad);
        let found = well_formed(&bad).unwrap_err();
        assert!(found.contains(message), "{found}: {message}");
    }
}

#[test]
fn recursion_goes_round_one_name_after_the_other() {
    use wattle_source::{NoLoader, Sources};
    let judge = |text: &str| {
        let (mut sources, file) = Sources::single("test.cat", text);
        let axioms = crate::cat::read(&mut sources, file, &NoLoader, &[]).unwrap();
        let seen = execution(&[&["W x 1", "W y 1"]]);
        evaluate(&axioms.tree, &seen).map(|judged| judged.is_consistent())
    };
    // In one round, b sees what a has just become; so the first name wins.
    assert_eq!(judge("let rec a = po \\ b and b = po \\ a empty b ~empty a"), Ok(true));
    assert_eq!(judge("let rec b = po \\ a and a = po \\ b empty a ~empty b"), Ok(true));
    // Never the same twice.
    assert!(judge("let rec a = po \\ a empty a").unwrap_err().contains("settle"));
}
