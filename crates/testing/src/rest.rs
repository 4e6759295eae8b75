//! k-abstraction of store buffers against the machines: whatever the machine does, the reduced program with an
//! abstract rest does too.
//!
//! Two walks, and both follow the argument of `memory/reduction/rest.rs`. The first goes through states of the machine,
//! each with an abstract state that is *related* to it: slots and rest describe the buffers. Each move of the machine
//! must have an abstract one with the same name, to a state that is related again. The second goes through all abstract
//! states, each with one state of the machine that it describes: there, steps must be possible on both sides
//! or on none, to related states, and commits are those that the paper's rules give. So the abstraction has all that it
//! must have, and apart from commits nothing else.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::Value;
use wattle_memory::Machine;
use wattle_memory::operational::{
    Action, InitialStates, MoveResult, State, Stored, Successor, Violation, initial_states, successors,
    violations,
};
use wattle_memory::reduction::{self, Buffers, Capacity, Contents, Keeps, Move, Reduced, Remainder, Rest};
use wattle_program::passes::instantiate;
use wattle_program::step::domain;
use wattle_program::{Program, PropertyKind, Shape, ThreadId, Unsupported, validate};

use crate::compare::Disagreement;
use crate::laws::Obeyed;
use crate::reduction::{SC, old_point, survives_printing};

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Simulated {
    Refused(Unsupported),
    TooLarge,
    /// A choice among too many values.
    NotRun,
    All {
        states: usize,
        /// Was anything ever in a rest?
        rest: bool,
    },
}

/// Both store-buffer machines, as a law: the seed decides how many slots there are, and what is kept beside them.
pub fn rest_loses_nothing(states: usize, program: &Program, seed: u64) -> Result<Obeyed, Disagreement> {
    let mut all = Obeyed::default();
    let contents = if seed.is_multiple_of(3) { Contents::Havoc } else { Contents::Set };
    let keeps = if seed.is_multiple_of(2) { Keeps::Oldest } else { Keeps::Newest };
    let rest = Rest { contents, keeps };
    let capacity = Capacity { rest: Some(rest), ..Capacity::all((seed / 6 % 4) as u32) };
    for (model, machine) in [("tso", Machine::Tso), ("pso", Machine::Pso)] {
        let subject = format!("its reduction, {} slots and {rest:?}", capacity.each);
        let simulated = simulates(program, machine, &capacity, states);
        match simulated.map_err(|what| Disagreement { model: model.into(), subject, what })? {
            Simulated::All { rest, .. } => {
                all.compared = true;
                all.telling |= rest;
            }
            Simulated::Refused(_) | Simulated::TooLarge | Simulated::NotRun => {}
        }
    }
    Ok(all)
}

/// Follow both through at most so many states each. `Err`: how they differ.
pub fn simulates(
    program: &Program,
    machine: Machine,
    capacity: &Capacity,
    states: usize,
) -> Result<Simulated, String> {
    let (reduction, rest) = match (reduction::of(machine), capacity.rest) {
        (Some(reduction), Some(rest)) => (reduction, rest),
        _ => return Err("a machine without store buffers, or no rest".into()),
    };
    let reduced = match reduction.reduce(program, capacity) {
        Ok(reduced) => reduced,
        Err(refused) => return Ok(Simulated::Refused(refused)),
    };
    if reduced.bound.is_some() {
        return Err("a bound beside a rest".into());
    }
    validate(&reduced.program).map_err(|invalid| invalid.to_string())?;
    survives_printing(&reduced.program)?;
    let source = instantiate(program).map_err(|error| error.to_string())?;
    let shape = |program: &Program| Shape::new(program).map_err(|error| error.to_string());
    let (before, after) = (shape(&source)?, shape(&reduced.program)?);
    let pair = Pair { source, before, reduced, after, machine, rest };
    match pair.machine_is_followed(states).and_then(|rest| Ok((rest, pair.rules_are_kept(states)?))) {
        Ok((first, second)) => {
            Ok(Simulated::All { states: first.0.max(second.0), rest: first.1 || second.1 })
        }
        Err(Stopped::Differs(what)) => Err(what),
        Err(Stopped::TooLarge) => Ok(Simulated::TooLarge),
        Err(Stopped::NotRun) => Ok(Simulated::NotRun),
    }
}

enum Stopped {
    Differs(String),
    TooLarge,
    NotRun,
}

fn differs<T>(what: impl Into<String>) -> Result<T, Stopped> {
    Err(Stopped::Differs(what.into()))
}

struct Pair {
    source: Program,
    before: Shape,
    reduced: Reduced,
    after: Shape,
    machine: Machine,
    rest: Rest,
}

/// What is pending in one line, as an abstract state says.
struct Line {
    slots: Vec<(u32, Value)>,
    /// By location with something in it.
    rest: BTreeMap<u32, Held>,
}

struct Held {
    last: Value,
    /// Nothing is known without it.
    values: Option<BTreeSet<i64>>,
}

/// A move of the reduced program, with its result.
struct Moved<'a> {
    thread: ThreadId,
    what: Move,
    result: &'a MoveResult,
}

impl Pair {
    fn starts(&self) -> Result<Vec<(State, State)>, Stopped> {
        let starts = initial_states(&self.reduced.program, &self.after).and_then(InitialStates::all);
        let old = initial_states(&self.source, &self.before).and_then(InitialStates::all);
        match (starts, old) {
            (Ok(starts), Ok(old)) if starts.len() == old.len() => {
                Ok(old.into_iter().zip(starts).map(|(old, new)| (old.1, new.1)).collect())
            }
            (Err(_), Err(_)) => Err(Stopped::TooLarge),
            _ => differs("they start differently"),
        }
    }

    fn machine_is_followed(&self, most: usize) -> Result<(usize, bool), Stopped> {
        let mut open = self.starts()?;
        let mut known: BTreeSet<(State, State)> = open.iter().cloned().collect();
        let mut rest = false;
        while let Some((machine, state)) = open.pop() {
            self.are_related(&machine, &state).map_err(Stopped::Differs)?;
            rest |= self.has_rest(&state)?;
            for next in self.matched(&machine, &state)? {
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
            if known.len() > most {
                return Err(Stopped::TooLarge);
            }
        }
        Ok((known.len(), rest))
    }

    /// Each move of the machine, matched; and moves of a thread to its new end, which the machine does not have.
    fn matched(&self, machine: &State, state: &State) -> Result<Vec<(State, State)>, Stopped> {
        let all = successors(&self.reduced.program, &self.after, SC, state);
        let moves = self.moves(&all)?;
        let ended = |one: &Moved<'_>| match (one.what, one.result) {
            (Move::End, MoveResult::Moved { state, .. }) => Some((machine.clone(), state.clone())),
            _ => None,
        };
        let mut next: Vec<(State, State)> = moves.iter().filter_map(ended).collect();
        self.same_judgement(machine, state, !next.is_empty())?;
        for successor in successors(&self.source, &self.before, self.machine, machine) {
            let thread = successor.action.thread();
            let what = match successor.action {
                Action::Step { edge, .. } => Move::Step(edge),
                Action::Commit { location, .. } => Move::Commit(location),
                Action::Remote { .. } => continue,
            };
            let same = |one: &&Moved<'_>| one.thread == thread && one.what == what;
            let same = moves.iter().filter(same).map(|one| one.result);
            match self.first_like(&successor.result, same) {
                Some(found) => next.extend(found),
                None => {
                    return differs(format!("in {machine:?} / {state:?} {what:?} of {thread:?} is missing"));
                }
            }
        }
        Ok(next)
    }

    /// The first result that means the same, with the states it leads to.
    fn first_like<'a>(
        &self,
        wanted: &MoveResult,
        mut found: impl Iterator<Item = &'a MoveResult>,
    ) -> Option<Option<(State, State)>> {
        found.find_map(|one| match (wanted, one) {
            (MoveResult::Moved { state, failed, .. }, MoveResult::Moved { state: new, failed: said, .. }) => {
                let same = failed.is_empty() == said.is_empty() && self.are_related(state, new).is_ok();
                same.then(|| Some((state.clone(), new.clone())))
            }
            (MoveResult::Fault { .. }, MoveResult::Fault { .. }) => Some(None),
            (MoveResult::Unsupported { .. }, MoveResult::Unsupported { .. }) => Some(None),
            _ => None,
        })
    }

    fn moves<'a>(&self, all: &'a [Successor]) -> Result<Vec<Moved<'a>>, Stopped> {
        let mut result = Vec::new();
        for successor in all {
            let Action::Step { thread, edge, .. } = successor.action else {
                return differs("a reduced program has only steps");
            };
            let what = self.reduced.moves[thread.0 as usize][edge.0 as usize];
            match (what, &successor.result) {
                (Move::Overflow(_), _) => return differs("an overflow beside a rest"),
                (Move::Commit(_), MoveResult::Unsupported { .. }) => return Err(Stopped::NotRun),
                (Move::Commit(_), MoveResult::Fault { .. }) => return differs("a commit that faults"),
                (_, result) => result,
            };
            result.push(Moved { thread, what, result: &successor.result });
        }
        Ok(result)
    }

    fn same_judgement(&self, machine: &State, state: &State, ends: bool) -> Result<(), Stopped> {
        let counts =
            |one: &Violation| !ends || self.source.properties[one.property].kind != PropertyKind::Finally;
        let judged = |all: Vec<Violation>| all.into_iter().filter(counts).collect::<Vec<_>>();
        let expected = judged(violations(&self.source, &self.before, machine));
        match judged(violations(&self.reduced.program, &self.after, state)) == expected {
            true => Ok(()),
            false => differs(format!("in {machine:?} properties differ")),
        }
    }

    // The relation.

    /// A thread's locals that are no buffers, and its point, are those of the machine's thread; and so on.
    fn are_related(&self, machine: &State, state: &State) -> Result<(), String> {
        let plain = self.without_buffers(state)?;
        if plain.memory != machine.memory || plain.threads != machine.threads {
            return Err(format!("{state:?} is not related to {machine:?}"));
        }
        for thread in self.before.thread_ids() {
            let lines = self.lines(thread, state)?;
            for (location, line) in lines {
                let pending = machine.stores[thread.0 as usize].iter().filter_map(|stored| match stored {
                    Stored::Write { location: own, value } => {
                        location.is_none_or(|location| location == *own).then(|| (*own, value.clone()))
                    }
                    Stored::Group(_) | Stored::Barrier => None,
                });
                self.describes(&line, &pending.collect::<Vec<_>>())
                    .map_err(|why| format!("{why}: {state:?}, {machine:?}"))?;
            }
        }
        Ok(())
    }

    fn describes(&self, line: &Line, pending: &[(u32, Value)]) -> Result<(), String> {
        let others = pending.len().checked_sub(line.slots.len()).ok_or("more slots than stores")?;
        let (slots, rest) = match self.rest.keeps {
            Keeps::Oldest => pending.split_at(line.slots.len()),
            Keeps::Newest => {
                let (rest, slots) = pending.split_at(others);
                (slots, rest)
            }
        };
        let named: BTreeSet<u32> = rest.iter().map(|(location, _)| *location).collect();
        if slots != line.slots || named != line.rest.keys().copied().collect() {
            return Err("other stores".into());
        }
        for (location, held) in &line.rest {
            let own = || rest.iter().filter(|(other, _)| other == location).map(|(_, value)| value);
            let known = |value: &Value| match (&held.values, value) {
                (Some(set), Value::Int(value)) => set.contains(value),
                _ => held.values.is_none(),
            };
            if own().next_back() != Some(&held.last) || !own().all(known) {
                return Err("another rest".into());
            }
        }
        Ok(())
    }

    /// Threads and memory of the machine.
    fn without_buffers(&self, state: &State) -> Result<State, String> {
        let mut result = state.clone();
        for (number, thread) in result.threads.iter_mut().enumerate() {
            thread.locals.truncate(self.source.processes[number].locals.len());
            thread.point = old_point(&self.source, &self.reduced, number, thread.point)?;
        }
        Ok(result)
    }

    /// The lines of a thread: one for all locations (`None`), or one for each.
    fn lines(&self, thread: ThreadId, state: &State) -> Result<Vec<(Option<u32>, Line)>, String> {
        let locals = &state.threads[thread.0 as usize].locals;
        let slots = self.reduced.contents(thread, locals).ok_or("slots hold no buffer")?;
        let mut result = Vec::new();
        match &self.reduced.buffers {
            Buffers::Tso(all) => {
                let mut rest = BTreeMap::new();
                for (location, remainder) in all[thread.0 as usize].iter().flat_map(|buffer| &buffer.rests) {
                    rest.extend(held(remainder, locals)?.map(|held| (*location, held)));
                }
                result.push((None, Line { slots, rest }));
            }
            Buffers::Pso(all) => {
                for buffer in &all[thread.0 as usize] {
                    let own = slots.iter().filter(|(location, _)| *location == buffer.location);
                    let slots = own.cloned().collect();
                    let held = buffer.rest.as_ref().map(|rest| held(rest, locals)).transpose()?.flatten();
                    let rest = held.map(|held| (buffer.location, held)).into_iter().collect();
                    result.push((Some(buffer.location), Line { slots, rest }));
                }
            }
            Buffers::Rma(_) => return Err("no store buffers".into()),
        }
        Ok(result)
    }

    fn has_rest(&self, state: &State) -> Result<bool, Stopped> {
        for thread in self.before.thread_ids() {
            let lines = self.lines(thread, state).map_err(Stopped::Differs)?;
            if lines.iter().any(|(_, line)| !line.rest.is_empty()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    // The rules.

    fn rules_are_kept(&self, most: usize) -> Result<(usize, bool), Stopped> {
        let ordered = match &self.reduced.buffers {
            Buffers::Pso(all) => all.iter().flatten().any(|buffer| buffer.order.is_some()),
            Buffers::Tso(_) | Buffers::Rma(_) => false,
        };
        if ordered {
            return Ok((0, false));
        }
        let mut open: Vec<State> = self.starts()?.into_iter().map(|(_, state)| state).collect();
        let mut known: BTreeSet<State> = open.iter().cloned().collect();
        let mut rest = false;
        while let Some(state) = open.pop() {
            rest |= self.has_rest(&state)?;
            let machine = self.one_of(&state).map_err(Stopped::Differs)?;
            self.are_related(&machine, &state).map_err(Stopped::Differs)?;
            self.matched(&machine, &state)?;
            let all = successors(&self.reduced.program, &self.after, SC, &state);
            let moves = self.moves(&all)?;
            self.steps_of_machine(&machine, &moves)?;
            for thread in self.before.thread_ids() {
                let of = |one: &&Moved<'_>| one.thread == thread && matches!(one.what, Move::Commit(_));
                let commits: Vec<&Moved<'_>> = moves.iter().filter(of).collect();
                self.commits_by_rule(thread, &state, &commits)?;
            }
            for next in moves.iter().filter_map(|one| match one.result {
                MoveResult::Moved { state, .. } => Some(state),
                _ => None,
            }) {
                if known.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
            if known.len() > most {
                return Err(Stopped::TooLarge);
            }
        }
        Ok((known.len(), rest))
    }

    /// One of the states that an abstract one describes: with all values of the sets, each once, and the last.
    fn one_of(&self, state: &State) -> Result<State, String> {
        let mut result = self.without_buffers(state)?;
        for thread in self.before.thread_ids() {
            let mut stores = Vec::new();
            for (_, line) in self.lines(thread, state)? {
                let mut rest: Vec<(u32, Value)> = Vec::new();
                for (location, held) in line.rest {
                    let others = held.values.into_iter().flatten().map(Value::Int);
                    rest.extend(others.chain([held.last]).map(|value| (location, value)));
                }
                match self.rest.keeps {
                    Keeps::Oldest => stores.extend(line.slots.into_iter().chain(rest)),
                    Keeps::Newest => stores.extend(rest.into_iter().chain(line.slots)),
                }
            }
            let write = |(location, value)| Stored::Write { location, value };
            result.stores[thread.0 as usize] = stores.into_iter().map(write).collect();
        }
        Ok(result)
    }

    /// Each step of the reduced program is one of the machine.
    fn steps_of_machine(&self, machine: &State, moves: &[Moved<'_>]) -> Result<(), Stopped> {
        let all = successors(&self.source, &self.before, self.machine, machine);
        for one in moves {
            let Move::Step(step) = one.what else { continue };
            let found = all.iter().any(|successor| match successor.action {
                Action::Step { thread, edge, .. } if thread == one.thread && edge == step => {
                    self.first_like(&successor.result, std::iter::once(one.result)).is_some()
                }
                _ => false,
            });
            if !found {
                return differs(format!("{step:?} of {:?} is not one of {machine:?}", one.thread));
            }
        }
        Ok(())
    }

    /// What reaches memory, and how much is left then, is what the paper's rules say.
    fn commits_by_rule(&self, thread: ThreadId, state: &State, found: &[&Moved<'_>]) -> Result<(), Stopped> {
        let sizes = |state: &State| -> Result<(usize, usize), String> {
            let lines = self.lines(thread, state)?;
            let slots = lines.iter().map(|(_, line)| line.slots.len()).sum();
            Ok((slots, lines.iter().map(|(_, line)| line.rest.len()).sum()))
        };
        let mut expected: BTreeSet<(u32, Value, bool, bool)> = BTreeSet::new();
        for (_, line) in self.lines(thread, state).map_err(Stopped::Differs)? {
            let slot = match self.rest.keeps {
                Keeps::Oldest => true,
                Keeps::Newest => line.rest.is_empty(),
            };
            if let (true, Some((location, value))) = (slot, line.slots.first()) {
                expected.insert((*location, value.clone(), true, false));
                continue;
            }
            for (location, held) in line.rest {
                expected.insert((location, held.last, false, true));
                let any = self.any(location, held.values);
                expected.extend(any.into_iter().map(|value| (location, value, false, false)));
            }
        }
        let before = sizes(state).map_err(Stopped::Differs)?;
        let mut actual = BTreeSet::new();
        for one in found {
            let (Move::Commit(location), MoveResult::Moved { state, .. }) = (one.what, one.result) else {
                continue;
            };
            let after = sizes(state).map_err(Stopped::Differs)?;
            let value = state.memory[location as usize].clone();
            actual.insert((location, value, after.0 < before.0, after.1 < before.1));
        }
        // While another thread is in a section nothing commits.
        if actual == expected || actual.is_empty() && !self.is_free(thread, state) {
            return Ok(());
        }
        differs(format!("in {state:?} commits of {thread:?} are {actual:?}, not {expected:?}"))
    }

    fn is_free(&self, thread: ThreadId, state: &State) -> bool {
        let others = self.before.thread_ids().filter(|other| *other != thread);
        let inside = |other: ThreadId| {
            let cfg = &self.reduced.program.processes[other.0 as usize].cfg;
            cfg.point(state.threads[other.0 as usize].point).inside.is_some()
        };
        others.into_iter().all(|other| !inside(other))
    }

    /// The values that may come out of a rest.
    fn any(&self, location: u32, values: Option<BTreeSet<i64>>) -> Vec<Value> {
        let variable = &self.source.variables[self.before.locations[location as usize].variable as usize];
        match values {
            Some(values) => values.into_iter().map(Value::Int).collect(),
            None if variable.sort == wattle_logic::Sort::Address => {
                (0..self.before.locations.len() as u32).map(Value::Address).collect()
            }
            None => {
                let codes = domain(&self.source, variable.sort, variable.range);
                let codes = codes.into_iter().flat_map(|(low, high)| low..=high);
                codes.filter_map(|code| variable.sort.decode(code)).collect()
            }
        }
    }
}

/// What is in a rest, if anything is. What says nothing is zero.
fn held(remainder: &Remainder, locals: &[Value]) -> Result<Option<Held>, String> {
    let values = match remainder.values.map(|values| &locals[values as usize]) {
        None => None,
        Some(Value::Set(set)) => Some((**set).clone()),
        Some(_) => return Err("no set".into()),
    };
    let last = locals[remainder.last as usize].clone();
    match locals[remainder.more as usize].as_int() {
        Some(1) => Ok(Some(Held { last, values })),
        Some(0) if values.is_none_or(|values| values.is_empty()) && last.code() == Some(0) => Ok(None),
        _ => Err("something is left of a rest".into()),
    }
}
