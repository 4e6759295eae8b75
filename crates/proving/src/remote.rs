//! From deliveries of a reduced program to the halves of remote operations on the machine.
//!
//! The reduced program says when a remote operation writes and which value, not when it read that value
//! (`wattle_memory::reduction::rma`). A read has no effect but to fix the value. So the trace is run with deliveries as
//! plain writes first, and memory is remembered after each step; then each read is put where the source had the value, as late
//! as possible. Instances in slots are known apart. Of those in a rest, the one that was started last is taken
//! that could have read the value: earlier ones could read more, and are left for others.
//!
//! Where no instance could have read the value, a flush still waits, or something is pending of a thread that has ended, the
//! machine cannot do this: the rest was too coarse.

use std::collections::BTreeMap;

use wattle_engine::Halt;
use wattle_logic::Value;
use wattle_memory::operational::{self, Action, Half, MoveResult, State};
use wattle_memory::reduction::Move;
use wattle_memory::reduction::rma::{Kind, Statement};
use wattle_program::step::{Access, AccessKind, Remote};
use wattle_program::{EdgeId, Op, ThreadId};

use crate::replay::refused;
use crate::subject::Subject;

/// A step of a trace: who does what, with which choices.
pub(crate) type Moved = (ThreadId, Move, Vec<i64>);

/// What the machine does. `None`: it cannot do this.
pub(crate) fn actions(
    subject: &Subject<'_>,
    statements: &[Statement],
    steps: &[Moved],
    start: State,
) -> Result<Option<Vec<Action>>, Halt> {
    let mut run = Run {
        subject,
        statements,
        now: vec![subject.is_free(&start)],
        memory: vec![start.memory.clone()],
        state: start,
        done: vec![],
        reads: BTreeMap::new(),
        slots: BTreeMap::new(),
        rests: BTreeMap::new(),
        used_rest: false,
    };
    for (number, step) in steps.iter().enumerate() {
        if !run.take(step, number + 1 == steps.len())? {
            return Ok(None);
        }
    }
    let mut all = run.reads.remove(&0).unwrap_or_default();
    for (number, action) in (1..).zip(run.done) {
        all.extend(action);
        all.extend(run.reads.remove(&number).unwrap_or_default());
    }
    Ok(Some(all))
}

/// A pending operation.
#[derive(Clone, Debug)]
struct Instance {
    /// The number of steps after which it is pending.
    begun: usize,
    half: Half,
}

struct Run<'a> {
    subject: &'a Subject<'a>,
    statements: &'a [Statement],
    state: State,
    /// After each number of steps: what memory holds, and may anything pending happen?
    memory: Vec<Vec<Value>>,
    now: Vec<bool>,
    done: Vec<Option<Action>>,
    /// After this number of steps, these reads.
    reads: BTreeMap<usize, Vec<Action>>,
    /// By statement and slot.
    slots: BTreeMap<(u32, u32), Instance>,
    /// By statement, in the order in which they were started.
    rests: BTreeMap<u32, Vec<Instance>>,
    used_rest: bool,
}

impl Run<'_> {
    /// `false`: the machine cannot do this.
    fn take(&mut self, (thread, moved, choices): &Moved, last: bool) -> Result<bool, Halt> {
        let action = match *moved {
            Move::Step(edge) | Move::Overflow(edge) => {
                let action = Action::Step { thread: *thread, edge, choices: choices.clone() };
                // What goes wrong in the last step, the machine says when it is replayed.
                match self.apply(&action) {
                    Some(MoveResult::Moved { state, accesses, .. }) => {
                        self.state = state;
                        let begun = self.done.len() + 1;
                        self.start(*thread, edge, &accesses, begun);
                    }
                    Some(_) if last => {}
                    _ if self.used_rest => return Ok(false),
                    _ => return Err(refused(self.subject, "a step of it cannot be taken")),
                }
                Some(action)
            }
            Move::Deliver { statement, slot, acts } => {
                let value = choices.first().map(|value| Value::Int(*value));
                let Some(action) = self.deliver(statement, slot, acts, value)? else { return Ok(false) };
                Some(action)
            }
            // One delivery may have stood for several instances of a rest, of which the machine still has some.
            Move::End if !self.state.halves[thread.0 as usize].is_empty() => {
                let still = "something is pending of a thread that has ended";
                return if self.used_rest { Ok(false) } else { Err(refused(self.subject, still)) };
            }
            Move::Commit(_) | Move::End => None,
        };
        self.done.push(action);
        self.memory.push(self.state.memory.clone());
        self.now.push(self.subject.is_free(&self.state));
        Ok(true)
    }

    fn apply(&self, action: &Action) -> Option<MoveResult> {
        let Subject { task, shape, .. } = self.subject;
        operational::apply(task.program, shape, task.memory.machine?, &self.state, action)
    }

    /// What a step has started.
    fn start(&mut self, thread: ThreadId, edge: EdgeId, accesses: &[Access], begun: usize) {
        let shape = &self.subject.shape;
        let ops = &self.subject.task.program.process(shape.info(thread).process).cfg.edge(edge).ops;
        for access in accesses {
            let AccessKind::Remote(remote) = &access.kind else { continue };
            let remotes = |op: &&Op| matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. });
            let position = ops[..access.op].iter().filter(remotes).count();
            let is_it = |statement: &&Statement| {
                let place = (statement.thread, statement.edge, statement.op) == (thread, edge, position);
                place && half(statement, remote).is_some()
            };
            let Some((number, statement)) = (0..).zip(self.statements).find(|(_, one)| is_it(one)) else {
                continue;
            };
            let Some(half) = half(statement, remote) else { continue };
            let instance = Instance { begun, half };
            let slots = 0..statement.slots.len() as u32;
            match slots.map(|slot| (number, slot)).find(|slot| !self.slots.contains_key(slot)) {
                Some(slot) => drop(self.slots.insert(slot, instance)),
                None => {
                    self.used_rest = true;
                    self.rests.entry(number).or_default().push(instance);
                }
            }
        }
    }

    fn deliver(
        &mut self,
        statement: u32,
        slot: Option<u32>,
        acts: bool,
        value: Option<Value>,
    ) -> Result<Option<Action>, Halt> {
        let thread = self.statements[statement as usize].thread;
        let instance = match slot {
            Some(slot) => self.slots.remove(&(statement, slot)),
            None => self.out_of_rest(statement, value.as_ref()),
        };
        let Some(Instance { begun, half }) = instance else {
            let nothing = "nothing is pending of what it delivers";
            return if slot.is_some() { Err(refused(self.subject, nothing)) } else { Ok(None) };
        };
        if let (Half::Read { target, from, to }, Some(value)) = (&half, value) {
            let Some(read) = self.when(*from, begun, &value) else { return Ok(None) };
            self.reads.entry(read).or_default().push(Action::Remote { thread, half: half.clone() });
            let halves = &mut self.state.halves[thread.0 as usize];
            if let Some(index) = halves.iter().position(|other| *other == half) {
                halves.remove(index);
            }
            self.state.memory[*to as usize] = value.clone();
            let write = Half::Write { target: *target, to: *to, value };
            return Ok(Some(Action::Remote { thread, half: write }));
        }
        if let (true, Half::Atomic { target, at, into: Some(to), .. }, Some(slot)) = (acts, &half, slot) {
            let value = self.state.memory[*at as usize].clone();
            let half = Half::Write { target: *target, to: *to, value };
            self.slots.insert((statement, slot), Instance { begun, half });
        }
        let action = Action::Remote { thread, half };
        match self.apply(&action) {
            Some(MoveResult::Moved { state, .. }) => self.state = state,
            Some(_) => {}
            None if self.used_rest => return Ok(None),
            None => return Err(refused(self.subject, "a delivery of it is not possible")),
        }
        Ok(Some(action))
    }

    /// The instance in a rest that was started last and could write this value.
    fn out_of_rest(&mut self, statement: u32, value: Option<&Value>) -> Option<Instance> {
        let could = |instance: &Instance| match (&instance.half, value) {
            (Half::Read { from, .. }, Some(value)) => self.when(*from, instance.begun, value).is_some(),
            (Half::Write { value: held, .. }, Some(value)) => held == value,
            _ => true,
        };
        let found = self.rests.get(&statement)?.iter().rposition(could)?;
        Some(self.rests.get_mut(&statement)?.remove(found))
    }

    /// The last time since then when a location had this value, and reads were possible.
    fn when(&self, location: u32, begun: usize, value: &Value) -> Option<usize> {
        let had = |time: &usize| self.now[*time] && self.memory[*time][location as usize] == *value;
        (begun..self.memory.len()).rev().find(had)
    }
}

/// What is pending of a statement after this operation, if it is one of that statement.
fn half(statement: &Statement, remote: &Remote) -> Option<Half> {
    let target = statement.target;
    match (remote, &statement.kind) {
        (Remote::PutLocation { remote, source }, Kind::Copy { from })
            if source == from && Some(*remote) == statement.to =>
        {
            Some(Half::Read { target, from: *from, to: *remote })
        }
        (Remote::Get { into, remote }, Kind::Copy { from })
            if remote == from && Some(*into) == statement.to =>
        {
            Some(Half::Read { target, from: *from, to: *into })
        }
        (Remote::PutValue { remote, value }, Kind::Value) if Some(*remote) == statement.to => {
            Some(Half::Write { target, to: *remote, value: value.clone() })
        }
        (Remote::Atomic { into, remote, update }, Kind::Atomic { at })
            if remote == at && *into == statement.to =>
        {
            Some(Half::Atomic { target, at: *at, into: *into, update: update.clone() })
        }
        _ => None,
    }
}

impl Subject<'_> {
    /// May something pending happen here? Not while a thread stands inside an atomic section.
    fn is_free(&self, state: &State) -> bool {
        self.shape.thread_ids().all(|thread| {
            let cfg = &self.task.program.process(self.shape.info(thread).process).cfg;
            cfg.point(state.threads[thread.0 as usize].point).inside.is_none()
        })
    }
}
