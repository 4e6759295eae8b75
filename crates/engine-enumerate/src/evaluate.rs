//! Running a plan on bit matrices, again and again on candidates that differ little.
//!
//! Every slot keeps its value from one candidate to the next, with the time at which it last changed;
//! every instruction keeps the time at which it last ran. An instruction runs only if an operand
//! changed since, and a slot counts as changed only if its value did. So where two candidates differ
//! in the coherence of one location, most of a model is not touched; a preserved program order that
//! depends on `co` in rare shapes only is computed once a test. Because everything goes by times, the
//! search may stop in the middle of a plan, or run it on half an execution, without harm.

use wattle_memory::cat::{Role, Test};
use wattle_memory::relation::{Row, assign, close, image, invert, is_acyclic, is_empty, is_irreflexive};

use crate::plan::{Operator, Plan, Slot, Step};

/// A group that has not settled after so many rounds is taken never to settle.
const MOST_ROUNDS: usize = 4096;

#[derive(Debug)]
pub(crate) struct Evaluator<'p, const W: usize> {
    plan: &'p Plan,
    /// How many events there are.
    size: usize,
    /// Rows for each slot; a set is the first row of its slot.
    stride: usize,
    data: Vec<Row<W>>,
    changed: Vec<u64>,
    ran: Vec<u64>,
    settled: Vec<u64>,
    checked: Vec<u64>,
    holds: Vec<bool>,
    now: u64,
    scratch: Vec<Row<W>>,
    /// A group did not settle.
    pub diverged: bool,
}

impl<'p, const W: usize> Evaluator<'p, W> {
    pub(crate) fn new(plan: &'p Plan) -> Evaluator<'p, W> {
        Evaluator {
            plan,
            size: 0,
            stride: 1,
            data: vec![],
            changed: vec![],
            ran: vec![],
            settled: vec![],
            checked: vec![],
            holds: vec![false; plan.checks.len()],
            now: 1,
            scratch: vec![],
            diverged: false,
        }
    }

    /// Start over with so many events. All slots are empty.
    pub(crate) fn reset(&mut self, size: usize) {
        fn refill<T: Clone>(values: &mut Vec<T>, size: usize, value: T) {
            values.clear();
            values.resize(size, value);
        }
        self.size = size;
        self.stride = size.max(1);
        self.now = 1;
        refill(&mut self.data, self.plan.slots * self.stride, Row::EMPTY);
        refill(&mut self.changed, self.plan.slots, 1);
        refill(&mut self.ran, self.plan.instructions.len(), 0);
        refill(&mut self.settled, self.plan.groups.len(), 0);
        refill(&mut self.checked, self.plan.checks.len(), 0);
        refill(&mut self.scratch, self.stride, Row::EMPTY);
    }

    /// A slot for the caller to fill. It counts as changed.
    pub(crate) fn fill(&mut self, slot: Slot) -> &mut [Row<W>] {
        self.now += 1;
        self.changed[slot as usize] = self.now;
        &mut self.data[slot as usize * self.stride..][..self.stride]
    }

    fn slot(&self, slot: Slot) -> &[Row<W>] {
        &self.data[slot as usize * self.stride..][..self.stride]
    }

    /// Run a list of steps. `false`: an axiom rejects what there is.
    pub(crate) fn run(&mut self, steps: &[Step]) -> bool {
        for step in steps {
            match *step {
                Step::Compute(number) => self.compute(number),
                Step::Settle(group) => self.settle(group),
                Step::Check(check) => {
                    if !self.check(check) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Does the test of an axiom hold (with its negation counted)? For marks, after all stages.
    pub(crate) fn mark(&self, check: usize) -> bool {
        self.holds[check]
    }

    fn check(&mut self, number: u32) -> bool {
        let check = &self.plan.checks[number as usize];
        if self.changed[check.slot as usize] > self.checked[number as usize] {
            let relation = self.slot(check.slot);
            let holds = match check.test {
                Test::Acyclic => is_acyclic(relation),
                Test::Irreflexive => is_irreflexive(relation),
                Test::Empty => is_empty(relation),
            };
            self.holds[number as usize] = holds != check.negated;
            self.checked[number as usize] = self.now;
        }
        self.holds[number as usize] || check.role != Role::Require
    }

    fn settle(&mut self, number: u32) {
        let group = &self.plan.groups[number as usize];
        let ran = self.settled[number as usize];
        if ran > 0 && group.inputs.iter().all(|slot| self.changed[*slot as usize] <= ran) {
            return;
        }
        for body in &group.bodies {
            self.fill(body.variable).fill(Row::EMPTY);
        }
        let mut settles = false;
        for _ in 0..MOST_ROUNDS {
            let mut grew = false;
            for body in &group.bodies {
                self.run(&body.steps);
                grew |= self.copy(body.variable, body.result);
            }
            if !grew {
                settles = true;
                break;
            }
        }
        self.diverged |= !settles;
        self.settled[number as usize] = self.now;
    }

    fn copy(&mut self, target: Slot, source: Slot) -> bool {
        let (target, source) = (target as usize * self.stride, source as usize * self.stride);
        let mut differs = false;
        for row in 0..self.stride {
            differs |= self.data[target + row] != self.data[source + row];
            self.data[target + row] = self.data[source + row];
        }
        if differs {
            self.now += 1;
            self.changed[target / self.stride] = self.now;
        }
        differs
    }

    fn compute(&mut self, number: u32) {
        let instruction = self.plan.instructions[number as usize];
        let ran = self.ran[number as usize];
        let (left, right) = (instruction.left as usize, instruction.right as usize);
        if ran > 0 && self.changed[left] <= ran && self.changed[right] <= ran {
            return;
        }
        self.ran[number as usize] = self.now;
        let target = instruction.target as usize;
        let size = self.size;
        // Operands have smaller numbers, but for constants, which have none.
        let (before, after) = self.data.split_at_mut(target * self.stride);
        let result = &mut after[..self.stride];
        let rows = |slot: usize| &before[slot * self.stride..][..self.stride];
        let scratch = &mut self.scratch[..];
        let differs = match instruction.operator {
            Operator::Empty => assign(result, |_| Row::EMPTY),
            Operator::AllSet => assign(&mut result[..1], |_| Row::first(size)),
            Operator::AllRelation => {
                let all = Row::first(size);
                assign(&mut result[..size], |_| all)
            }
            Operator::Union => {
                let (a, b) = (rows(left), rows(right));
                assign(result, |row| a[row] | b[row])
            }
            Operator::Intersection => {
                let (a, b) = (rows(left), rows(right));
                assign(result, |row| a[row] & b[row])
            }
            Operator::Difference => {
                let (a, b) = (rows(left), rows(right));
                assign(result, |row| a[row].without(b[row]))
            }
            Operator::Sequence => {
                let (a, b) = (rows(left), rows(right));
                assign(result, |row| image(a[row], b))
            }
            Operator::FromSet => {
                let (set, relation) = (rows(left)[0], rows(right));
                assign(result, |row| if set.contains(row) { relation[row] } else { Row::EMPTY })
            }
            Operator::IntoSet => {
                let (relation, set) = (rows(left), rows(right)[0]);
                assign(result, |row| relation[row] & set)
            }
            Operator::Inverse => {
                invert(rows(left), scratch);
                assign(result, |row| scratch[row])
            }
            Operator::Closure => {
                scratch.copy_from_slice(rows(left));
                close(scratch);
                assign(result, |row| scratch[row])
            }
            Operator::Identity => {
                let set = rows(left)[0];
                assign(result, |row| if set.contains(row) { Row::single(row) } else { Row::EMPTY })
            }
            Operator::Product => {
                let (from, to) = (rows(left)[0], rows(right)[0]);
                assign(result, |row| if from.contains(row) { to } else { Row::EMPTY })
            }
            Operator::Domain => {
                let mut set = Row::EMPTY;
                for (number, row) in rows(left).iter().enumerate() {
                    if !row.is_empty() {
                        set.insert(number);
                    }
                }
                assign(&mut result[..1], |_| set)
            }
            Operator::Range => {
                let set = rows(left).iter().fold(Row::EMPTY, |sum, row| sum | *row);
                assign(&mut result[..1], |_| set)
            }
            Operator::Settled => {
                let variable = rows(left);
                assign(result, |row| variable[row])
            }
        };
        if differs {
            self.changed[target] = self.now;
        }
    }
}
