//! The reduction of store buffers to locals against the machines: both are followed side by side, and in
//! every state they can do the same, to the same effect.
//!
//! A reduced state *means* a state of the machine: slots up to their counter are the buffer, and the new
//! end point is the old one. (Barriers without effect are left out, see `barriers`.) Both start alike; in each
//! reduced state the steps and commits that are possible are those that the machine has in the state meant,
//! faults and failed assertions included, apart from stores into full buffers, which overflow. So the states
//! reached are the same too. Properties and the check for deadlocks must give the same answer, and the program
//! must come back from its printed form.

use std::collections::BTreeSet;

use wattle_memory::Machine;
use wattle_memory::operational::{
    Action, InitialStates, MoveResult, State, Stored, Violation, initial_states, is_stuck, successors,
    violations,
};
use wattle_memory::reduction::{self, Buffers, Capacity, Move, Pso, Reduced, Reduction};
use wattle_program::passes::instantiate;
use wattle_program::{EdgeId, Point, Program, PropertyKind, Shape, ThreadId, Unsupported, text, validate};
use wattle_source::Sources;

use crate::barriers::Waiting;
use crate::compare::Disagreement;
use crate::laws::Obeyed;

/// What came of following both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    Refused(Unsupported),
    TooLarge,
    All { states: usize, overflow: bool },
}

/// How much to follow, and with which capacities: the seed decides.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub states: usize,
}

/// Both store-buffer machines, as a law.
pub fn reduction_is_exact(effort: Effort, program: &Program, seed: u64) -> Result<Obeyed, Disagreement> {
    let mut all = Obeyed::default();
    let capacity = (seed % 4).max(1) as u32;
    for (model, machine) in [("tso", Machine::Tso), ("pso", Machine::Pso)] {
        let followed = follow(program, machine, capacity, effort.states);
        let subject = format!("its reduction, buffers of {capacity}");
        match followed.map_err(|what| Disagreement { model: model.into(), subject, what })? {
            Followed::All { states, overflow } => {
                all.compared = true;
                all.telling |= states > 10 || overflow;
            }
            Followed::Refused(_) | Followed::TooLarge => {}
        }
    }
    Ok(all)
}

/// Has some barrier of the program an effect under PSO, because stores to several locations stand around it?
pub fn has_barriers(program: &Program) -> bool {
    let reduced = Pso.reduce(program, &Capacity::all(1));
    reduced.is_ok_and(|reduced| match &reduced.buffers {
        Buffers::Pso(all) => all.iter().flatten().any(|buffer| buffer.order.is_some()),
        Buffers::Tso(_) | Buffers::Rma(_) => false,
    })
}

/// Follow a program and its reduction through at most so many states. `Err`: how they differ.
pub fn follow(program: &Program, machine: Machine, capacity: u32, states: usize) -> Result<Followed, String> {
    let reduction = reduction::of(machine).ok_or("a machine without a reduction")?;
    let reduced = match reduction.reduce(program, &Capacity::all(capacity)) {
        Ok(reduced) => reduced,
        Err(refused) => return Ok(Followed::Refused(refused)),
    };
    validate(&reduced.program).map_err(|invalid| invalid.to_string())?;
    survives_printing(&reduced.program)?;
    let source = instantiate(program).map_err(|error| error.to_string())?;
    let shape = |program: &Program| Shape::new(program).map_err(|error| error.to_string());
    let (before, after) = (shape(&source)?, shape(&reduced.program)?);
    Pair { source, before, reduced, after, machine, capacity }.follow(states)
}

/// What is printed parses to the same program.
pub fn survives_printing(program: &Program) -> Result<(), String> {
    let (sources, file) = Sources::single("printed.wir", &text::print(program));
    match text::parse(&sources, file) {
        Ok(back) if back == *program => Ok(()),
        Ok(_) => Err("reads back as another program".into()),
        Err(errors) => Err(format!("does not read back: {}", errors[0].message)),
    }
}

pub(crate) const SC: Machine = Machine::Sc { atomic_copy: false };

/// The point of the source that a point of a reduced process stands for.
pub(crate) fn old_point(
    source: &Program,
    reduced: &Reduced,
    process: usize,
    point: Point,
) -> Result<Point, String> {
    if (point.0 as usize) < source.processes[process].cfg.points.len() {
        return Ok(point);
    }
    let edges = reduced.program.processes[process].cfg.edges.iter().zip(&reduced.moves[process]);
    let mut ends = edges.filter(|(_, one)| **one == Move::End);
    let end = ends.find(|(edge, _)| edge.to == point).ok_or("a point that means nothing")?;
    Ok(end.0.from)
}

/// A move and its effect, in terms of the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Effect {
    thread: ThreadId,
    moved: Move,
    result: Led,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Led {
    /// Did an assertion fail?
    To(State, bool),
    Fault,
    Unsupported,
}

/// What is possible in one state.
#[derive(Default)]
struct Possible {
    effects: BTreeSet<Effect>,
    /// Steps that store into a full buffer.
    full: BTreeSet<(ThreadId, EdgeId)>,
    /// A thread that has drained can go on to its end: the machine knows no such move.
    ends: bool,
    /// Reduced states to go on from.
    next: Vec<State>,
}

struct Pair {
    source: Program,
    before: Shape,
    reduced: Reduced,
    after: Shape,
    machine: Machine,
    capacity: u32,
}

impl Pair {
    fn follow(&self, most: usize) -> Result<Followed, String> {
        let starts = initial_states(&self.reduced.program, &self.after).and_then(InitialStates::all);
        let old = initial_states(&self.source, &self.before).and_then(InitialStates::all);
        let (starts, old) = match (starts, old) {
            (Ok(starts), Ok(old)) => (starts, old),
            (Err(_), Err(_)) => return Ok(Followed::TooLarge),
            _ => return Err("one of them does not start".into()),
        };
        let meant = starts.iter().map(|(codes, state)| Ok((codes.clone(), self.meant(state)?)));
        if meant.collect::<Result<Vec<_>, String>>()? != old {
            return Err("they start differently".into());
        }
        let mut open: Vec<State> = starts.into_iter().map(|(_, state)| state).collect();
        let mut known: BTreeSet<State> = open.iter().cloned().collect();
        let mut overflow = false;
        while let Some(state) = open.pop() {
            let here = self.meant(&state)?;
            let (machine, reduced) = (self.of_machine(&here), self.of_reduced(&state, &here)?);
            if let Some(odd) = machine.effects.symmetric_difference(&reduced.effects).next() {
                let who = if machine.effects.contains(odd) { "the machine" } else { "the reduction" };
                return Err(format!("in {here:?} only {who} has {odd:?}"));
            }
            self.same_overflows(&machine, &reduced)?;
            self.same_judgement(&state, &here, &reduced)?;
            overflow |= !reduced.full.is_empty();
            for next in reduced.next {
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
            if known.len() > most {
                return Ok(Followed::TooLarge);
            }
        }
        Ok(Followed::All { states: known.len(), overflow })
    }

    /// The state of the machine that a reduced state stands for.
    fn meant(&self, state: &State) -> Result<State, String> {
        let mut result = state.clone();
        result.memory.truncate(self.before.locations.len());
        for thread in self.before.thread_ids() {
            let number = thread.0 as usize;
            let process = &self.source.processes[number];
            let at = &mut result.threads[number];
            let pending = self.reduced.contents(thread, &at.locals).ok_or("slots hold no buffer")?;
            let write = |(location, value)| Stored::Write { location, value };
            result.stores[number] = match self.reduced.waiting(thread, &at.locals) {
                None => pending.into_iter().map(write).collect(),
                Some((old, waits)) => {
                    let waiting = Waiting { writes: pending, waits, old };
                    waiting.stores().ok_or("slots wait as in no buffer")?
                }
            };
            at.locals.truncate(process.locals.len());
            at.point = old_point(&self.source, &self.reduced, number, at.point)?;
        }
        Ok(result)
    }

    fn of_machine(&self, here: &State) -> Possible {
        let mut possible = Possible::default();
        for successor in successors(&self.source, &self.before, self.machine, here) {
            let thread = successor.action.thread();
            let moved = match successor.action {
                Action::Step { edge, .. } => Move::Step(edge),
                Action::Commit { location, .. } => Move::Commit(location),
                Action::Remote { .. } => continue,
            };
            let result = match successor.result {
                MoveResult::Moved { mut state, failed, .. } => {
                    let stores = &mut state.stores[thread.0 as usize];
                    self.plainly(thread, stores);
                    if let (true, Move::Step(edge)) = (self.is_too_much(stores), moved) {
                        possible.full.insert((thread, edge));
                        continue;
                    }
                    Led::To(state, !failed.is_empty())
                }
                MoveResult::Fault { .. } => Led::Fault,
                MoveResult::Unsupported { .. } => Led::Unsupported,
            };
            possible.effects.insert(Effect { thread, moved, result });
        }
        possible
    }

    /// Without barriers that say nothing: all of them, where a thread stores to one location only.
    fn plainly(&self, thread: ThreadId, stores: &mut Vec<Stored>) {
        let ordered = match &self.reduced.buffers {
            Buffers::Pso(all) => all[thread.0 as usize].iter().any(|buffer| buffer.order.is_some()),
            Buffers::Tso(_) | Buffers::Rma(_) => false,
        };
        match Waiting::of(stores).stores() {
            Some(same) if ordered => *stores = same,
            _ => stores.retain(|stored| *stored != Stored::Barrier),
        }
    }

    fn is_too_much(&self, stores: &[Stored]) -> bool {
        let of = |location: u32| stores.iter().filter(|one| one.location() == Some(location)).count();
        let most = match self.reduced.buffers {
            Buffers::Tso(_) | Buffers::Rma(_) => stores.len(),
            Buffers::Pso(_) => stores.iter().filter_map(Stored::location).map(of).max().unwrap_or(0),
        };
        most > self.capacity as usize
    }

    fn of_reduced(&self, state: &State, here: &State) -> Result<Possible, String> {
        let mut possible = Possible::default();
        for successor in successors(&self.reduced.program, &self.after, SC, state) {
            let Action::Step { thread, edge, .. } = successor.action else {
                return Err("a reduced program has only steps".into());
            };
            let moved = self.reduced.moves[thread.0 as usize][edge.0 as usize];
            let result = match successor.result {
                MoveResult::Fault { .. } => Led::Fault,
                MoveResult::Unsupported { .. } => Led::Unsupported,
                MoveResult::Moved { state, failed, .. } => match moved {
                    Move::Overflow(edge) => {
                        let said = violations(&self.reduced.program, &self.after, &state);
                        if !said.iter().any(|one| Some(one.property) == self.reduced.bound) {
                            return Err("an overflow that no property forbids".into());
                        }
                        possible.full.insert((thread, edge));
                        continue;
                    }
                    _ => {
                        let there = self.meant(&state)?;
                        possible.next.push(state);
                        Led::To(there, !failed.is_empty())
                    }
                },
            };
            match moved {
                Move::End if result == Led::To(here.clone(), false) => possible.ends = true,
                Move::End => return Err("an end that changes something".into()),
                Move::Step(edge) | Move::Overflow(edge) => {
                    possible.effects.insert(Effect { thread, moved: Move::Step(edge), result });
                }
                Move::Commit(_) | Move::Deliver { .. } => {
                    possible.effects.insert(Effect { thread, moved, result });
                }
            }
        }
        Ok(possible)
    }

    /// A step of several operations may overflow where a later operation would not have let it happen.
    fn same_overflows(&self, machine: &Possible, reduced: &Possible) -> Result<(), String> {
        if let Some(missed) = machine.full.difference(&reduced.full).next() {
            return Err(format!("the overflow of {missed:?} is missed"));
        }
        let single = |(thread, edge): &(ThreadId, EdgeId)| {
            self.source.processes[thread.0 as usize].cfg.edge(*edge).ops.len() == 1
        };
        match reduced.full.difference(&machine.full).find(|one| single(one)) {
            Some(wrong) => Err(format!("{wrong:?} does not overflow")),
            None => Ok(()),
        }
    }

    /// Before a thread goes on to its end, `finally` is not yet judged, and nothing is stuck.
    fn same_judgement(&self, state: &State, here: &State, possible: &Possible) -> Result<(), String> {
        let counts = |one: &Violation| match self.source.properties.get(one.property) {
            Some(property) => !possible.ends || property.kind != PropertyKind::Finally,
            None => false,
        };
        let judged = |all: Vec<Violation>| all.into_iter().filter(counts).collect::<Vec<_>>();
        let expected = judged(violations(&self.source, &self.before, here));
        if judged(violations(&self.reduced.program, &self.after, state)) != expected {
            return Err(format!("in {here:?} properties differ"));
        }
        let stuck = || is_stuck(&self.source, &self.before, self.machine, here);
        if !possible.ends
            && possible.full.is_empty()
            && is_stuck(&self.reduced.program, &self.after, SC, state) != stuck()
        {
            return Err(format!("in {here:?} only one is stuck"));
        }
        Ok(())
    }
}
