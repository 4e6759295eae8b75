//! Threads that are created: `spawn` and `join` become ordinary operations, so that no engine, machine or judge has
//! code for them.
//!
//! A thread that somebody spawns waits, before its first step, for a location of its own (*started*) to become 1;
//! `spawn` stores that 1. Its last step stores 1 to another location of its own (*ended*), and `join` waits for it.
//! One that nobody spawns starts at once. How much these accesses order is the [`Handshake`]: everything around them
//! on hardware, where creating a thread is a call of the system; release and acquire in C11, where creation and the
//! end of a thread synchronise, and nothing more (a sequentially consistent fence would forbid store buffering between
//! the creator and a thread that it created before).
//!
//! **Threads that are never started.** A final state is one in which every thread has ended, and what must hold
//! finally is to be judged when every *started* one has. Mostly there is nothing to do: where each way through a
//! creator passes the spawn, no final state has the thread unstarted. Otherwise a second way leads
//! from before the start to an end of its own. On it the thread reads, creators first, of each thread that may create
//! it, or its creators: that it has ended, or that it is not started; and at last that itself is not. Suppose
//! that a thread `t` ends so and is spawned nevertheless, by `s`. What `s` stored before its end is known to whoever
//! reads that it has ended, and so `t` did not read that; it read that `s` is not started. Then `s` was
//! spawned by one whom `t` looked at before, and the same holds of that one; so it goes on to one whom nobody creates,
//! of whom `t` can only have read that it had ended. So the way is possible only for
//! threads that are never started. Creators in a circle have no first one: refused. From every point of the way
//! the thread may still start, so that waiting there keeps nobody from running, and a thread that is not started is
//! not stuck as long as its creators may end.
//!
//! **Threads that are started at once.** Of a thread that is created before its creator has done anything, nothing is known but that it
//! may begin: there is nothing that the creation orders, and no state in which the creator has not come to it matters. So
//! such a `spawn` is left out, and the thread waits for nothing ([`started_at_once`]).
//!
//! Of a process that somebody spawns all copies wait, also those that no spawn names: they are never started. A copy is
//! started once: a second `spawn` of it changes nothing. Front ends give each creation a copy of its own.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Environment, Fault, Sort, Term, Value};

use super::Untranslatable;
use super::surround::{Around, surround};
use crate::{
    Cfg, Dimension, Edge, EdgeId, Fence, Init, Local, Mode, Op, Origin, Point, PointInfo, Process, ProcessId,
    Program, Range, Replicas, Role, Tags, Variable,
};

/// What creation, start, end and join order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Everything around them: locked steps, where a model has these.
    Locked,
    /// Everything around them, by this fence on both sides.
    Fences(Fence),
    /// What release and acquire of C11 do.
    Marks,
}

/// What a hidden location says of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    Started,
    Ended,
}

impl Signal {
    const ALL: [(Signal, &'static str); 2] = [(Signal::Started, " started"), (Signal::Ended, " ended")];

    /// The signal that this variable is, and the process whose threads it speaks of.
    pub fn of(program: &Program, variable: u32) -> Option<(Signal, ProcessId)> {
        let name = &program.variables.get(variable as usize)?.name;
        Signal::ALL.into_iter().find_map(|(signal, ending)| {
            let process = program.process_named(name.strip_suffix(ending)?)?;
            Some((signal, process))
        })
    }
}

/// The program without `spawn` and `join`; `None` if it has none. Without a handshake they are refused.
pub fn threads(program: &Program, by: Option<&Handshake>) -> Result<Option<Program>, Untranslatable> {
    let begun = started_at_once(program);
    let program = begun.as_ref().unwrap_or(program);
    let plan = Plan::of(program)?;
    if plan.spawned.is_empty() && plan.joined.is_empty() {
        return Ok(begun);
    }
    let by = by.ok_or_else(|| Untranslatable("the creation of threads".into()))?;
    let mut result = program.clone();
    let signal = |signal: Signal, of: &BTreeSet<ProcessId>, result: &mut Program| {
        let mut variables = BTreeMap::new();
        for process in of {
            variables.insert(*process, result.variables.len() as u32);
            result.variables.push(variable(program.process(*process), *process, signal));
        }
        variables
    };
    let started = signal(Signal::Started, &plan.spawned, &mut result);
    let ended = signal(Signal::Ended, &plan.ends, &mut result);
    for (process, id) in result.processes.iter_mut().zip(program.process_ids()) {
        let read = process.locals.len() as u32;
        let mut work = Work { by, program, started: &started, ended: &ended, read, around: BTreeMap::new() };
        work.calls(process)?;
        let entry = work.ends(process, id);
        work.start(process, id, entry, &plan);
        let around = work.around;
        process.locals.push(Local {
            name: "signal".into(),
            sort: Sort::Int,
            range: Some(SIGNAL),
            init: Init::Values(vec![Term::int(0)]),
            hidden: true,
        });
        let sorts: Vec<Sort> = process.locals.iter().map(|local| local.sort).collect();
        surround(&mut process.cfg, &sorts, &around)?;
    }
    Ok(Some(result))
}

/// The program without those `spawn`s that a thread comes to first of all, one after another; `None` if there are none.
///
/// Before them it does nothing, takes no decision, stands at no label that a property could speak of, and is in no atomic section
/// (which would end before the new thread begins). The thread is started there and nowhere else, and is the only one of its process.
fn started_at_once(program: &Program) -> Option<Program> {
    let spawns = |process: ProcessId| {
        let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
        edges.flat_map(|edge| &edge.ops).filter(|op| spawned(op) == Some(process)).count()
    };
    let mut begun: BTreeSet<ProcessId> = BTreeSet::new();
    let mut left_out: BTreeMap<ProcessId, Vec<usize>> = BTreeMap::new();
    // Those who start at once may themselves start others at once.
    let mut open: Vec<ProcessId> = program.process_ids().filter(|id| spawns(*id) == 0).collect();
    while let Some(id) = open.pop() {
        if program.process(id).replicas != Replicas::Once {
            continue;
        }
        for number in first_spawns(&program.process(id).cfg) {
            let edge = &program.process(id).cfg.edges[number];
            let targets: Vec<ProcessId> = edge.ops.iter().filter_map(spawned).collect();
            let alone = |target: &ProcessId| {
                program.process(*target).replicas == Replicas::Once && spawns(*target) == 1 && *target != id
            };
            if !targets.iter().all(alone) {
                break;
            }
            left_out.entry(id).or_default().push(number);
            open.extend(targets.iter().filter(|target| begun.insert(**target)));
        }
    }
    if begun.is_empty() {
        return None;
    }
    let mut result = program.clone();
    for (id, numbers) in left_out {
        for number in numbers {
            result.processes[id.0 as usize].cfg.edges[number].ops.clear();
        }
    }
    Some(result)
}

fn spawned(op: &Op) -> Option<ProcessId> {
    match op {
        Op::Spawn { process, .. } => Some(*process),
        _ => None,
    }
}

/// The edges with nothing but `spawn`s on the way on which a thread begins, as long as there is one way.
fn first_spawns(cfg: &Cfg) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut at, mut seen) = (cfg.entry, BTreeSet::new());
    loop {
        let point = cfg.point(at);
        let mut leaving = cfg.edges.iter().enumerate().filter(|(_, edge)| edge.from == at);
        let (Some((number, edge)), None) = (leaving.next(), leaving.next()) else { return found };
        let plain = edge.guard.is_true() && edge.ops.iter().all(|op| spawned(op).is_some());
        let section = point.inside.or(cfg.point(edge.to).inside).is_some();
        if !plain || section || point.end || !point.labels.is_empty() || !seen.insert(at) {
            return found;
        }
        if !edge.ops.is_empty() {
            found.push(number);
        }
        at = edge.to;
    }
}

const SIGNAL: Range = Range { low: 0, high: 1 };

fn variable(process: &Process, id: ProcessId, signal: Signal) -> Variable {
    let ending = Signal::ALL.iter().find(|(other, _)| *other == signal).map_or("", |(_, ending)| ending);
    Variable {
        name: format!("{}{ending}", process.name).into(),
        sort: Sort::Int,
        dimensions: match process.replicas {
            Replicas::Once => vec![],
            _ => vec![Dimension::Copies(id)],
        },
        range: Some(SIGNAL),
        init: Init::Values(vec![Term::int(0)]),
        unbuffered: false,
        place: None,
        owner: None,
        span: process.span,
    }
}

/// A copy of a process.
type Thread = (ProcessId, u32);

/// Who creates whom.
struct Plan {
    spawned: BTreeSet<ProcessId>,
    joined: BTreeSet<ProcessId>,
    /// The processes whose end somebody waits for.
    ends: BTreeSet<ProcessId>,
    /// For each thread that may stay unstarted, all who may create it or its creators, creators first.
    unstarted: BTreeMap<Thread, Vec<Thread>>,
}

impl Plan {
    fn of(program: &Program) -> Result<Plan, Untranslatable> {
        let mut creators: BTreeMap<Thread, BTreeSet<Thread>> = BTreeMap::new();
        let (mut spawned, mut joined) = (BTreeSet::new(), BTreeSet::new());
        for id in program.process_ids() {
            for op in program.process(id).cfg.edges.iter().flat_map(|edge| &edge.ops) {
                match op {
                    Op::Spawn { process, copy } => {
                        spawned.insert(*process);
                        let (own, others) = (copies(program, id)?, copies(program, *process)?);
                        for me in 0..own {
                            let named = number(copy, me).filter(|_| others > 1);
                            let targets = (0..others).filter(|copy| named.is_none_or(|named| named == *copy));
                            for target in targets {
                                creators.entry((*process, target)).or_default().insert((id, me));
                            }
                        }
                    }
                    Op::Join { process, .. } => {
                        copies(program, *process)?;
                        joined.insert(*process);
                    }
                    _ => {}
                }
            }
        }
        let surely = surely_started(program, &spawned, &creators);
        let mut unstarted = BTreeMap::new();
        for id in &spawned {
            for copy in 0..copies(program, *id)? {
                let thread = (*id, copy);
                if !surely.contains(&thread) {
                    let mut before = vec![];
                    visit(thread, &creators, &mut vec![], &mut before)?;
                    before.pop();
                    unstarted.insert(thread, before);
                }
            }
        }
        let looked_at = unstarted.values().flatten().map(|(process, _)| *process);
        let ends = joined.iter().copied().chain(looked_at).collect();
        Ok(Plan { spawned, joined, ends, unstarted })
    }
}

fn copies(program: &Program, process: ProcessId) -> Result<u32, Untranslatable> {
    let count = program.process(process).replicas.count();
    count.ok_or_else(|| Untranslatable("the creation of threads among any number of copies".into()))
}

/// The copy that a term names in the thread number `me`, if that is known before the thread runs.
fn number(copy: &Term, me: u32) -> Option<u32> {
    struct OnlyMe(u32);
    impl Environment for OnlyMe {
        fn locate(&self, _: u32, _: &[i64]) -> Result<u32, Fault> {
            Err(Fault::Meaningless)
        }
        fn me(&self) -> Result<i64, Fault> {
            Ok(i64::from(self.0))
        }
    }
    match copy.evaluate(&OnlyMe(me)) {
        Ok(Value::Int(copy)) => u32::try_from(copy).ok(),
        Ok(Value::Process(copy)) => Some(copy),
        _ => None,
    }
}

/// Depth first: the creators of a thread, and theirs, before itself.
fn visit(
    thread: Thread,
    creators: &BTreeMap<Thread, BTreeSet<Thread>>,
    open: &mut Vec<Thread>,
    done: &mut Vec<Thread>,
) -> Result<(), Untranslatable> {
    if open.contains(&thread) {
        return Err(Untranslatable(
            "threads that create each other in a circle, one of which may stay unstarted".into(),
        ));
    }
    if !done.contains(&thread) {
        open.push(thread);
        for creator in creators.get(&thread).into_iter().flatten() {
            visit(*creator, creators, open, done)?;
        }
        open.pop();
        done.push(thread);
    }
    Ok(())
}

/// The threads that have been started in every final state: those of processes that nobody creates, and those that one
/// of these creates whichever way it goes to its end.
fn surely_started(
    program: &Program,
    spawned: &BTreeSet<ProcessId>,
    creators: &BTreeMap<Thread, BTreeSet<Thread>>,
) -> BTreeSet<Thread> {
    let mut surely: BTreeSet<Thread> = (program.process_ids())
        .filter(|id| !spawned.contains(id))
        .flat_map(|id| (0..program.process(id).replicas.count().unwrap_or(0)).map(move |copy| (id, copy)))
        .collect();
    loop {
        let more: Vec<Thread> = (creators.iter())
            .filter(|(thread, by)| {
                let always = |by: &&Thread| surely.contains(by) && always_creates(program, **by, **thread);
                !surely.contains(thread) && by.iter().any(|by| always(&by))
            })
            .map(|(thread, _)| *thread)
            .collect();
        if more.is_empty() {
            return surely;
        }
        surely.extend(more);
    }
}

/// Does every way through `by` to an end pass a spawn of `thread`?
fn always_creates(program: &Program, (by, me): Thread, (process, copy): Thread) -> bool {
    let cfg = &program.process(by).cfg;
    let only = program.process(process).replicas.count() == Some(1);
    let creates = |edge: &Edge| {
        edge.ops.iter().any(|op| {
            matches!(op, Op::Spawn { process: target, copy: named }
                if *target == process && (only || number(named, me) == Some(copy)))
        })
    };
    let mut reached = BTreeSet::from([cfg.entry]);
    let mut open = vec![cfg.entry];
    while let Some(point) = open.pop() {
        if cfg.point(point).end {
            return false;
        }
        for edge in cfg.leaving(point).map(|id| cfg.edge(id)).filter(|edge| !creates(edge)) {
            if reached.insert(edge.to) {
                open.push(edge.to);
            }
        }
    }
    true
}

/// One process on its way.
struct Work<'a> {
    by: &'a Handshake,
    program: &'a Program,
    started: &'a BTreeMap<ProcessId, u32>,
    ended: &'a BTreeMap<ProcessId, u32>,
    /// The local that takes what a signal says.
    read: u32,
    around: BTreeMap<EdgeId, Around>,
}

impl Work<'_> {
    fn place(&self, signal: Signal, process: ProcessId, copy: Term) -> Option<Term> {
        let variables = if signal == Signal::Started { self.started } else { self.ended };
        let copy = match self.program.process(process).replicas {
            Replicas::Once => vec![],
            _ => vec![copy],
        };
        variables.get(&process).map(|variable| Term::address(*variable, copy))
    }

    fn tell(&self, address: Term) -> Op {
        // No repair puts a fence behind it.
        let mut tags = Tags::from(["fenced".into()]);
        if *self.by == Handshake::Marks {
            tags.insert("REL".into());
        }
        Op::Store { address, value: Term::int(1), tags }
    }

    /// Goes on when the signal has this value.
    fn wait(&self, address: Term, value: i64) -> [Op; 2] {
        let marks = *self.by == Handshake::Marks;
        let tags = marks.then(|| "ACQ".into()).into_iter().collect();
        let condition = Term::local(self.read, Sort::Int).equals(Term::int(value));
        [Op::Load { into: self.read, address, tags }, Op::Assume { condition }]
    }

    fn fences(&self) -> Vec<Fence> {
        match self.by {
            Handshake::Fences(fence) => vec![fence.clone()],
            _ => vec![],
        }
    }

    fn mode(&self) -> Mode {
        if *self.by == Handshake::Locked { Mode::Locked } else { Mode::Plain }
    }

    fn add(&mut self, cfg: &mut Cfg, edge: Edge, around: Around) {
        if around != Around::default() {
            self.around.insert(EdgeId(cfg.edges.len() as u32), around);
        }
        cfg.edges.push(edge);
    }

    /// A step of the handshake itself.
    fn step(&self, from: Point, to: Point, ops: impl Into<Vec<Op>>, origin: Origin) -> Edge {
        let (guard, mode) = (Term::bool(true), self.mode());
        Edge { from, guard, ops: ops.into(), to, mode, role: Role::Step, origin }
    }

    /// `spawn` and `join` themselves.
    fn calls(&mut self, process: &mut Process) -> Result<(), Untranslatable> {
        for (number, edge) in process.cfg.edges.iter_mut().enumerate() {
            let calls = |op: &&Op| matches!(op, Op::Spawn { .. } | Op::Join { .. });
            if !edge.ops.iter().any(|op| calls(&op)) {
                continue;
            }
            let inside = process.cfg.points[edge.from.0 as usize].inside.is_some();
            if edge.ops.iter().filter(|op| calls(op) || touches_memory(op)).count() > 1 || inside {
                return Err(Untranslatable(
                    "the creation or join of a thread in the middle of a step".into(),
                ));
            }
            let mut ops = Vec::new();
            for op in std::mem::take(&mut edge.ops) {
                let (signal, process, copy) = match &op {
                    Op::Spawn { process, copy } => (Signal::Started, *process, copy),
                    Op::Join { process, copy } => (Signal::Ended, *process, copy),
                    _ => {
                        ops.push(op);
                        continue;
                    }
                };
                match (signal, self.place(signal, process, copy.clone())) {
                    (_, None) => {}
                    (Signal::Started, Some(address)) => ops.push(self.tell(address)),
                    (Signal::Ended, Some(address)) => ops.extend(self.wait(address, 1)),
                }
            }
            edge.ops = ops;
            edge.mode = self.mode();
            let around = Around { before: self.fences(), after: self.fences(), on: vec![] };
            if around != Around::default() {
                self.around.insert(EdgeId(number as u32), around);
            }
        }
        Ok(())
    }

    /// The last step of a thread tells that it ends. Where the thread begins is the result.
    fn ends(&mut self, process: &mut Process, id: ProcessId) -> Point {
        let (cfg, span) = (&mut process.cfg, Origin(process.span));
        let mut entry = cfg.entry;
        let Some(address) = self.place(Signal::Ended, id, Term::me()) else { return entry };
        let ends: Vec<Point> =
            (0..cfg.points.len() as u32).map(Point).filter(|at| cfg.point(*at).end).collect();
        for end in ends {
            let last = cfg.add_point(PointInfo::default());
            cfg.edges.iter_mut().filter(|edge| edge.to == end).for_each(|edge| edge.to = last);
            if entry == end {
                entry = last;
            }
            let around = Around { before: self.fences(), ..Around::default() };
            let edge = self.step(last, end, [self.tell(address.clone())], span);
            self.add(cfg, edge, around);
        }
        cfg.entry = entry;
        entry
    }

    /// A thread that is created waits for that.
    fn start(&mut self, process: &mut Process, id: ProcessId, entry: Point, plan: &Plan) {
        let (cfg, origin) = (&mut process.cfg, Origin(process.span));
        let Some(mine) = self.place(Signal::Started, id, Term::me()) else { return };
        let after = Around { after: self.fences(), ..Around::default() };
        let asleep = cfg.add_point(PointInfo { origin, ..PointInfo::default() });
        cfg.entry = asleep;
        let mut points = vec![asleep];
        // Copies with the same creators go the same way.
        let mut ways: BTreeMap<&[Thread], Vec<u32>> = BTreeMap::new();
        for ((_, copy), creators) in plan.unstarted.iter().filter(|((process, _), _)| *process == id) {
            ways.entry(creators).or_default().push(*copy);
        }
        for (creators, copies) in ways {
            let all = self.program.process(id).replicas.count() == Some(copies.len() as u32);
            let mine_is = |copy: &u32| Term::me().equals(Term::int(i64::from(*copy)));
            let guard = copies.iter().map(mine_is).reduce(Term::or).filter(|_| !all);
            let mut guard = guard.unwrap_or_else(|| Term::bool(true));
            let mut at = asleep;
            for (creator, copy) in creators {
                let copy = Term::int(i64::from(*copy));
                let next = cfg.add_point(PointInfo { origin, ..PointInfo::default() });
                let signals = [(Signal::Ended, 1), (Signal::Started, 0)];
                for (signal, value) in signals {
                    let Some(address) = self.place(signal, *creator, copy.clone()) else { continue };
                    let edge = self.step(at, next, self.wait(address, value), origin);
                    self.add(cfg, Edge { guard: guard.clone(), ..edge }, after.clone());
                }
                points.push(next);
                (at, guard) = (next, Term::bool(true));
            }
            let end = cfg.add_point(PointInfo { end: true, origin, ..PointInfo::default() });
            let edge = self.step(at, end, self.wait(mine.clone(), 0), origin);
            self.add(cfg, Edge { guard, ..edge }, Around::default());
        }
        for point in points {
            let edge = self.step(point, entry, self.wait(mine.clone(), 1), origin);
            self.add(cfg, edge, after.clone());
        }
    }
}

fn touches_memory(op: &Op) -> bool {
    !matches!(
        op,
        Op::Assign { .. } | Op::Havoc { .. } | Op::Forget { .. } | Op::Assume { .. } | Op::Assert { .. }
    )
}

#[cfg(test)]
mod tests {
    use wattle_source::Sources;

    use super::*;
    use crate::text::parse;

    /// How many signals are left of a program whose first process has these points and edges, and which may create `t` and `u`.
    fn signals(main: &str) -> usize {
        let text = format!(
            "wir 1\nprogram \"t\"\nvocabulary generic\nvariable x : int init 0\nprocess main\n  local r : int init 0\n{main}\
             process t\n  entry 0\n  point 0\n  point 1 end\n  edge 0 -> 1 do store &x = 1\n\
             process u\n  entry 0\n  point 0 end\n"
        );
        let (sources, file) = Sources::single("test.wir", &text);
        let program = parse(&sources, file).unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
        let made = threads(&program, Some(&Handshake::Marks)).unwrap_or_else(|error| panic!("{error:?}"));
        made.map_or(0, |made| made.variables.len() - 1)
    }

    /// Points 0, 1 … and an end, with an edge for each of these steps.
    fn line(steps: &[&str]) -> String {
        let mut text = String::from("  entry 0\n");
        (0..steps.len()).for_each(|at| text += &format!("  point {at}\n"));
        text += &format!("  point {} end\n", steps.len());
        let edge = |(at, step): (usize, &&str)| format!("  edge {at} -> {} {step}\n", at + 1);
        steps.iter().enumerate().map(edge).for_each(|edge| text += &edge);
        text
    }

    #[test]
    fn first_of_all_is_at_once() {
        assert_eq!(signals(&line(&["do spawn t[0]", "", "do spawn u[0]", "do store &x = 2"])), 0);
    }

    #[test]
    fn what_comes_before_a_thread_is_waited_for() {
        // A store, a decision, a value that is chosen.
        assert_eq!(signals(&line(&["do store &x = 2", "do spawn t[0]", "do spawn u[0]"])), 2);
        assert_eq!(signals(&line(&["do spawn t[0]", "do store &x = 2", "do spawn u[0]"])), 1);
        assert_eq!(signals(&line(&["do havoc r from 0 to 1", "do spawn t[0]", "do spawn u[0]"])), 2);
        let branch = line(&["do spawn t[0]", "do spawn u[0]"]) + "  edge 0 -> 2\n";
        assert!(signals(&branch) >= 2);
        // A label that a property may name, and a section that ends before anybody else moves.
        let steps = ["do spawn t[0]", "do store &x = 2", "do store &x = 3"];
        assert_eq!(signals(&line(&steps)), 0);
        assert_eq!(signals(&line(&steps).replace("point 0", "point 0 label begin")), 1);
        assert_eq!(signals(&line(&steps).replace("point 1", "point 1 inside locked")), 1);
        // A second creation elsewhere.
        assert_eq!(signals(&line(&["do spawn t[0]", "do store &x = 2", "do spawn t[0]"])), 1);
    }
}
