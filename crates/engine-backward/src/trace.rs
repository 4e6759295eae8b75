//! From a node that contains an initial state to an execution of the program.
//!
//! The steps from that node to something bad are known, and who takes them; the processes that they name are the instance. What is
//! open is the initial contents (any that the node and `init` allow), what arbitrary assignments choose, and when stores reach
//! memory. The order of steps in the trace need not be that of the machine: the trace undoes writes in coherence order and lets reads overtake. So
//! steps of each process are taken in the order of the trace, and between processes and stores the order is searched for on
//! the reference machine, that of the trace first. Nothing here is believed: the schedule is replayed by others.

use std::collections::{BTreeMap, HashSet};

use wattle_engine::{Counterexample, Reason, Run, Schedule, Spent, Task, Violation, Work};
use wattle_logic::Sort;
use wattle_memory::operational::{self, Action, MoveResult, State};
use wattle_program::{EdgeId, Init, Instance, Op, ProcessId, Program, Replicas, Shape, ThreadId};

use crate::init::{Start, initial_state_with};
use crate::literal::{Cell, Literal, NONE, Operand, Process, Term};
use crate::search::{Came, Search};
use crate::system::{self, System};

/// What a move of the reference machine costs.
const MOVE: Work = Work::microseconds(5);
/// States of the machine that are looked at for one trace.
const MOST: usize = 40_000;

/// A step of the trace, with names of processes that stay the same.
#[derive(Clone, Debug)]
struct Step {
    transition: usize,
    arguments: Vec<Process>,
}

/// The trace of a search that has ended with *unsafe*.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    steps: Vec<Step>,
    /// How many processes there are.
    count: usize,
    node: usize,
    property: usize,
    /// Some step of it may say less than the transition does: it has a condition on all processes, or a broadcast.
    pub(crate) approximate: bool,
}

impl Trace {
    pub(crate) fn new(search: &Search<'_>, system: &System, node: usize, start: &Start) -> Trace {
        let mut names: Vec<Process> = (0..start.pins.len() as Process).collect();
        let mut count = names.len();
        let fixed = system.count.is_some();
        let mut steps = vec![];
        // Also a bad state that is an initial one may be none, where sums are not decided to the end.
        let mut approximate = system.sums;
        let mut at = node;
        loop {
            match &search.nodes[at].came {
                Came::Bad { bad } => {
                    let property = system.bad[*bad].property;
                    return Trace { steps, count, node, property, approximate };
                }
                // The search rejects candidates that it comes from, and ends in none.
                Came::Candidate => return Trace { steps, count, node, property: 0, approximate: true },
                Came::By { parent, transition, names: old, arguments, approximate: inexact } => {
                    let before = search.nodes[*parent].cube.processes();
                    let extended = arguments.iter().map(|p| usize::from(*p) + 1).fold(before, usize::max);
                    let mut placed: Vec<Option<Process>> = vec![None; extended];
                    for (old, name) in old.iter().zip(&names) {
                        placed[usize::from(*old)] = Some(*name);
                    }
                    for i in 0..extended {
                        if placed[i].is_none() {
                            let spare = (0..count as Process).find(|name| !placed.contains(&Some(*name)));
                            placed[i] = spare.filter(|_| fixed).or(Some(count as Process));
                            count = count.max(placed[i].map_or(0, usize::from) + 1);
                        }
                    }
                    let placed: Vec<Process> = placed.into_iter().flatten().collect();
                    let arguments = arguments.iter().map(|p| placed[usize::from(*p)]).collect();
                    steps.push(Step { transition: *transition, arguments });
                    names = placed[..before].to_vec();
                    approximate |= *inexact || system.transitions[*transition].speaks_of_all();
                    at = *parent;
                }
            }
        }
    }

    /// An execution of an instance that takes these steps and ends in a violation; `None` if there is none.
    pub(crate) fn execution(
        &self,
        search: &Search<'_>,
        system: &System,
        task: &Task<'_>,
        run: &Run,
    ) -> Result<Option<Counterexample>, Reason> {
        // A term may have to name a process that takes no part.
        for extra in 0..2 {
            let count = match system.count {
                Some(count) => usize::from(count),
                None => self.count.max(1) + extra,
            };
            let Some(start) = self.start(search, system, task.program, count) else { continue };
            if let Some(found) = self.scheduled(system, task, &start, run)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Numbers for processes, and contents for every cell whose declaration leaves it open.
    fn start(
        &self,
        search: &Search<'_>,
        system: &System,
        program: &Program,
        count: usize,
    ) -> Option<Beginning> {
        let cube = &search.nodes[self.node].cube;
        let largest = cube.pins.iter().flatten().map(|pin| usize::from(*pin) + 1).max().unwrap_or(0);
        let count = count.max(largest);
        let mut also: Vec<Literal> = vec![];
        let mut start = initial_state_with(system, cube, count, &also)?;
        let count = start.pins.len();
        let numbers = numbered(&start);
        let mut who = vec![0; count];
        for (process, number) in numbers.iter().enumerate() {
            who[*number] = process as Process;
        }
        let mut initial = vec![];
        let instance = instance(program, count);
        let program = instance.of(program).ok()?;
        let shape = Shape::new(program.as_ref()).ok()?;
        for location in &shape.locations {
            let variable = &program.variables[location.variable as usize];
            if !matches!(variable.init, Init::Any) {
                continue;
            }
            let mut index = [NONE; 2];
            for (place, copy) in index.iter_mut().zip(&location.indices) {
                *place = who[*copy as usize];
            }
            let term = Term::of(Cell { variable: location.variable as u16, index });
            // One value after the other, until one fits.
            let mut chosen = None;
            for (literals, code) in candidates(system, &start, term, &numbers) {
                if variable.range.is_some_and(|range| !range.contains(code)) {
                    continue;
                }
                let before = also.len();
                also.extend(literals);
                if let Some(next) = initial_state_with(system, cube, count, &also) {
                    (start, chosen) = (next, Some(code));
                    break;
                }
                also.truncate(before);
            }
            initial.push(chosen?);
        }
        Some(Beginning { numbers, initial, instance })
    }

    fn scheduled(
        &self,
        system: &System,
        task: &Task<'_>,
        start: &Beginning,
        run: &Run,
    ) -> Result<Option<Counterexample>, Reason> {
        let Some(machine) = task.memory.machine else { return Ok(None) };
        let Ok(program) = start.instance.of(task.program) else { return Ok(None) };
        let Ok(shape) = Shape::new(&program) else { return Ok(None) };
        let Some(first) = operational::initial_state(&program, &shape, &start.initial) else {
            return Ok(None);
        };
        let replaying = Replaying { system, program: &program, shape: &shape, machine, start, trace: self };
        let mut actions = vec![];
        let mut seen = HashSet::new();
        if !replaying.reach(&first, &vec![false; self.steps.len()], &mut actions, &mut seen, run)? {
            return Ok(None);
        }
        let violated = Violation::Property { property: self.property };
        let schedule = Schedule { initial: start.initial.clone(), actions };
        let mut counterexample = Counterexample::scheduled(violated, schedule);
        counterexample.instance = start.instance.clone();
        Ok(Some(counterexample))
    }
}

/// How an execution begins.
struct Beginning {
    /// The number of the copy that each process is.
    numbers: Vec<usize>,
    initial: Vec<i64>,
    instance: Instance,
}

fn instance(program: &Program, count: usize) -> Instance {
    let any = program.process_ids().filter(|process| program.process(*process).replicas == Replicas::Any);
    Instance(any.map(|process| (process, count as u32)).collect::<BTreeMap<ProcessId, u32>>())
}

/// Those that have a number keep it; the others get what is left, in an order that the start allows.
fn numbered(start: &Start) -> Vec<usize> {
    let count = start.pins.len();
    let mut numbers: Vec<Option<usize>> = start.pins.iter().map(|pin| pin.map(usize::from)).collect();
    for number in 0..count {
        if numbers.contains(&Some(number)) {
            continue;
        }
        let free = |process: &usize| numbers[*process].is_none();
        let first = (0..count).filter(free).find(|process| {
            !(0..count).filter(free).any(|other| start.known.is_before(other as Process, *process as Process))
        });
        if let Some(process) = first.or_else(|| (0..count).find(free)) {
            numbers[process] = Some(number);
        }
    }
    numbers.into_iter().map(|number| number.unwrap_or(count)).collect()
}

/// Values for a term, each as literals and as the code of the value.
fn candidates(system: &System, start: &Start, term: Term, numbers: &[usize]) -> Vec<(Vec<Literal>, i64)> {
    match system.variable(term.cell).sort {
        system::Sort::Finite(count) => {
            (0..count).map(|c| (vec![Literal::In(term, 1 << c)], i64::from(c))).collect()
        }
        system::Sort::Process => (numbers.iter().enumerate())
            .map(|(process, number)| {
                let same = Literal::Equal(Operand::Process(process as Process), Operand::Term(term));
                (vec![same], *number as i64)
            })
            .collect(),
        system::Sort::Integer => {
            let (low, high) = start.known.range(term);
            let first = low.or(high).unwrap_or(0);
            let values = (0..64i64).flat_map(|i| [first.saturating_add(i), first.saturating_sub(i)]);
            let within =
                |value: &i64| low.is_none_or(|low| low <= *value) && high.is_none_or(|high| *value <= high);
            let values = values.chain([0]).filter(within);
            let exactly = |value: i64| {
                let both =
                    [Literal::AtMost(Some(term), None, value), Literal::AtMost(None, Some(term), -value)];
                (both.to_vec(), value)
            };
            values.map(exactly).collect()
        }
    }
}

struct Replaying<'a> {
    system: &'a System,
    program: &'a Program,
    shape: &'a Shape,
    machine: wattle_memory::Machine,
    start: &'a Beginning,
    trace: &'a Trace,
}

impl Replaying<'_> {
    /// Depth first, in the order of the trace where that is possible. `done`: steps that were taken.
    fn reach(
        &self,
        state: &State,
        done: &[bool],
        actions: &mut Vec<Action>,
        seen: &mut HashSet<(Vec<bool>, State)>,
        run: &Run,
    ) -> Result<bool, Reason> {
        if done.iter().all(|done| *done) {
            let violated = operational::violations(self.program, self.shape, state);
            if violated.iter().any(|found| found.property == self.trace.property && found.fault.is_none()) {
                return Ok(true);
            }
        }
        if seen.len() > MOST || !seen.insert((done.to_vec(), state.clone())) {
            return Ok(false);
        }
        for (step, action) in self.moves(state, done) {
            run.poll(MOVE, Spent::default())?;
            let moved = operational::apply(self.program, self.shape, self.machine, state, &action);
            let Some(MoveResult::Moved { state, .. }) = moved else { continue };
            let mut done = done.to_vec();
            if let Some(step) = step {
                done[step] = true;
            }
            actions.push(action);
            if self.reach(&state, &done, actions, seen, run)? {
                return Ok(true);
            }
            actions.pop();
        }
        Ok(false)
    }

    /// The next step of each process, earliest in the trace first; then stores that reach memory.
    fn moves(&self, state: &State, done: &[bool]) -> Vec<(Option<usize>, Action)> {
        let mut moves = vec![];
        let mut waiting: Vec<Process> = vec![];
        for (number, step) in self.trace.steps.iter().enumerate().filter(|(number, _)| !done[*number]) {
            let actor = step.arguments[0];
            if waiting.contains(&actor) {
                continue;
            }
            waiting.push(actor);
            let transition = &self.system.transitions[step.transition];
            let edge = EdgeId(transition.edge);
            let thread = self.thread(actor);
            for choices in self.choices(step) {
                moves.push((Some(number), Action::Step { thread, edge, choices }));
            }
        }
        for thread in self.shape.thread_ids() {
            let oldest = state.stores[thread.0 as usize].first().and_then(|stored| stored.location());
            moves.extend(oldest.map(|location| (None, Action::Commit { thread, location })));
        }
        moves
    }

    fn thread(&self, process: Process) -> ThreadId {
        ThreadId(self.start.numbers[usize::from(process)] as u32)
    }

    /// The choices of a step: who its parameters are, and all that may be for arbitrary values.
    fn choices(&self, step: &Step) -> Vec<Vec<i64>> {
        let transition = &self.system.transitions[step.transition];
        let process = &self.program.processes[0];
        let ops = &process.cfg.edge(EdgeId(transition.edge)).ops;
        let sorts = ops.iter().filter_map(|op| match op {
            Op::Havoc { local, .. } => Some(process.locals[*local as usize].sort),
            _ => None,
        });
        let mut all = vec![vec![]];
        for (choice, sort) in transition.choices.iter().zip(sorts) {
            let codes: Vec<i64> = match choice {
                Some(parameter) => {
                    let chosen = step.arguments[usize::from(*parameter)];
                    vec![self.start.numbers[usize::from(chosen)] as i64]
                }
                None => self.any(sort),
            };
            all = all
                .iter()
                .flat_map(|head| codes.iter().map(move |code| [&head[..], &[*code]].concat()))
                .collect();
        }
        all
    }

    fn any(&self, sort: Sort) -> Vec<i64> {
        match sort {
            Sort::Bool => vec![0, 1],
            Sort::Enum(number) => {
                (0..self.program.enumerations[number as usize].constructors.len() as i64).collect()
            }
            Sort::Process => (0..self.shape.threads.len() as i64).collect(),
            _ => self.constants(),
        }
    }

    /// Integers that the text compares with, and their neighbours.
    fn constants(&self) -> Vec<i64> {
        let literals = |guard: &system::Guard| {
            guard
                .literals
                .iter()
                .copied()
                .chain(guard.universal.iter().flat_map(|u| u.body.concat()))
                .collect::<Vec<_>>()
        };
        let guards = self.system.transitions.iter().flat_map(|transition| literals(&transition.guard));
        let bad = self.system.bad.iter().flat_map(|bad| bad.literals.clone());
        let mut found = vec![0, 1, -1];
        for literal in guards.chain(bad) {
            if let Literal::AtMost(_, _, c) | Literal::Unequal(_, _, c) = literal {
                found.extend([c, -c, c.saturating_add(1), (-c).saturating_sub(1)]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
