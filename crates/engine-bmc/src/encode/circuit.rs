//! Gates over a solver.
//!
//! What a program computes becomes clauses gate by gate, each with a literal for its output
//! (Tseitin). Equal gates are one gate, constants are folded away, and a conjunction looks one level
//! down: `x & (x & y)` is `x & y`, `x & !(x & y)` is `x & !y`. Guards of events are conjunctions that
//! repeat each other, so this pays. Sums are made of two gates of three inputs, parity (eight clauses)
//! and majority (six), rather than of five gates of two.
//!
//! Every clause is counted under the [`Constraint`] that is being built when it is made. Words are in
//! `circuit/word.rs`, and how expressions become words is in `values.rs`.

mod word;

use std::rc::Rc;

use wattle_program::symbolic::Table;
use wattle_sat::{Clauses, Lit};

use crate::encode::encoding::Constraint;
use crate::encode::values::Values;
use crate::pulse::Pulse;

pub(crate) use word::{Bitwise, Word};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    All(Box<[Lit]>),
    Xor(Lit, Lit),
    If(Lit, Lit, Lit),
    Parity(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// What making a clause costs, in steps of the pulse.
const STEPS_A_CLAUSE: usize = 200;

/// Gates and words over a solver.
pub(crate) struct Circuit<'c> {
    pub clauses: &'c mut dyn Clauses,
    /// What the clauses that are made now belong to.
    pub kind: Constraint,
    counts: [u64; Constraint::ALL.len()],
    gates: Table<Gate, Lit>,
    /// The inputs of each conjunction of two, by the variable of its output.
    conjunctions: Table<u32, (Lit, Lit)>,
    /// The clause in the making.
    buffer: Vec<Lit>,
    pub values: Values,
    /// Told while clauses are made.
    pub pulse: Rc<Pulse>,
}

impl<'c> Circuit<'c> {
    pub(crate) fn new(clauses: &'c mut dyn Clauses) -> Circuit<'c> {
        Circuit {
            clauses,
            kind: Constraint::Ssa,
            counts: [0; Constraint::ALL.len()],
            gates: Table::default(),
            conjunctions: Table::default(),
            buffer: Vec::new(),
            values: Values::default(),
            pulse: Rc::default(),
        }
    }

    /// How many clauses belong to each constraint.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (Constraint, u64)> {
        Constraint::ALL.into_iter().zip(self.counts)
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        self.clauses.fresh()
    }

    /// At least one of these holds.
    pub(crate) fn clause(&mut self, literals: &[Lit]) {
        let mut kept = std::mem::take(&mut self.buffer);
        kept.clear();
        for literal in literals {
            match *literal {
                Lit::FALSE => continue,
                Lit::TRUE => {
                    self.buffer = kept;
                    return;
                }
                literal => kept.push(literal),
            }
        }
        // Most clauses are short, and have nothing twice.
        kept.sort_unstable_by_key(|literal| (literal.variable(), literal.is_positive()));
        kept.dedup();
        let always = kept.windows(2).any(|pair| pair[0] == !pair[1]);
        if kept.is_empty() {
            kept.push(Lit::FALSE);
        }
        if !always {
            self.counts[self.kind as usize] += 1;
            if self.pulse.beat(STEPS_A_CLAUSE)
                && let Err(over) = self.pulse.go_on()
            {
                self.values.refused.get_or_insert(over);
            }
            self.clauses.clause(&kept);
        }
        self.buffer = kept;
    }

    pub(crate) fn implies(&mut self, premise: Lit, conclusion: Lit) {
        self.clause(&[!premise, conclusion]);
    }

    pub(crate) fn and(&mut self, left: Lit, right: Lit) -> Lit {
        let (left, right) = (left.min(right), left.max(right));
        match (left, right) {
            (Lit::FALSE, _) | (_, Lit::FALSE) => return Lit::FALSE,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return other,
            _ if left == right => return left,
            _ if left == !right => return Lit::FALSE,
            _ => {}
        }
        for (inner, other) in [(left, right), (right, left)] {
            let Some(&(x, y)) = self.conjunctions.get(&inner.variable()) else { continue };
            if inner.is_positive() {
                if other == x || other == y {
                    return inner;
                }
                if other == !x || other == !y {
                    return Lit::FALSE;
                }
            } else {
                if other == !x || other == !y {
                    return other;
                }
                if other == x {
                    return self.and(other, !y);
                }
                if other == y {
                    return self.and(other, !x);
                }
            }
        }
        if let Some(known) = self.gates.get(&Gate::And(left, right)) {
            return *known;
        }
        let output = self.fresh();
        self.clause(&[!output, left]);
        self.clause(&[!output, right]);
        self.clause(&[output, !left, !right]);
        self.gates.insert(Gate::And(left, right), output);
        self.conjunctions.insert(output.variable(), (left, right));
        output
    }

    pub(crate) fn or(&mut self, left: Lit, right: Lit) -> Lit {
        !self.and(!left, !right)
    }

    /// All of them, as one gate.
    pub(crate) fn all(&mut self, literals: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = literals.iter().copied().filter(|literal| *literal != Lit::TRUE).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let opposite = |literal: &Lit| inputs.binary_search(&!*literal).is_ok();
        if inputs.contains(&Lit::FALSE) || inputs.iter().any(opposite) {
            return Lit::FALSE;
        }
        match inputs.as_slice() {
            [] => return Lit::TRUE,
            [one] => return *one,
            [one, other] => return self.and(*one, *other),
            _ => {}
        }
        let gate = Gate::All(inputs.clone().into());
        if let Some(known) = self.gates.get(&gate) {
            return *known;
        }
        let output = self.fresh();
        for input in &inputs {
            self.clause(&[!output, *input]);
        }
        let mut last: Vec<Lit> = inputs.iter().map(|input| !*input).collect();
        last.push(output);
        self.clause(&last);
        self.gates.insert(gate, output);
        output
    }

    /// Some of them, as one gate.
    pub(crate) fn any(&mut self, literals: &[Lit]) -> Lit {
        let negated: Vec<Lit> = literals.iter().map(|literal| !*literal).collect();
        !self.all(&negated)
    }

    pub(crate) fn xor(&mut self, left: Lit, right: Lit) -> Lit {
        match (left, right) {
            (Lit::FALSE, other) | (other, Lit::FALSE) => return other,
            (Lit::TRUE, other) | (other, Lit::TRUE) => return !other,
            _ if left == right => return Lit::FALSE,
            _ if left == !right => return Lit::TRUE,
            _ => {}
        }
        let flip = left.is_positive() != right.is_positive();
        let (left, right) = (positive(left), positive(right));
        let (left, right) = (left.min(right), left.max(right));
        let gate = Gate::Xor(left, right);
        let output = match self.gates.get(&gate) {
            Some(known) => *known,
            None => {
                let output = self.fresh();
                self.clause(&[!output, left, right]);
                self.clause(&[!output, !left, !right]);
                self.clause(&[output, !left, right]);
                self.clause(&[output, left, !right]);
                self.gates.insert(gate, output);
                output
            }
        };
        if flip { !output } else { output }
    }

    /// `condition ? then : otherwise`
    pub(crate) fn select(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if !condition.is_positive() {
            return self.select(!condition, otherwise, then);
        }
        if condition == Lit::TRUE || then == otherwise {
            return then;
        }
        match (then, otherwise) {
            (Lit::TRUE, _) => return self.or(condition, otherwise),
            (Lit::FALSE, _) => return self.and(!condition, otherwise),
            (_, Lit::TRUE) => return self.or(!condition, then),
            (_, Lit::FALSE) => return self.and(condition, then),
            _ => {}
        }
        if then == condition {
            return self.or(condition, otherwise);
        }
        if then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == condition {
            return self.and(condition, then);
        }
        if otherwise == !condition {
            return self.or(!condition, then);
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        if !then.is_positive() {
            return !self.select(condition, !then, !otherwise);
        }
        let gate = Gate::If(condition, then, otherwise);
        if let Some(known) = self.gates.get(&gate) {
            return *known;
        }
        let output = self.fresh();
        self.clause(&[!condition, !then, output]);
        self.clause(&[!condition, then, !output]);
        self.clause(&[condition, !otherwise, output]);
        self.clause(&[condition, otherwise, !output]);
        // These two follow, but not by propagation.
        self.clause(&[!then, !otherwise, output]);
        self.clause(&[then, otherwise, !output]);
        self.gates.insert(gate, output);
        output
    }

    /// Is the number of those that hold odd?
    pub(crate) fn parity(&mut self, inputs: [Lit; 3]) -> Lit {
        let mut sorted = inputs.map(positive);
        sorted.sort_unstable();
        let flip = inputs.iter().filter(|input| !input.is_positive()).count() % 2 == 1;
        let [a, b, c] = sorted;
        // Sorted, so equal ones are neighbours, and a constant comes first.
        let output = if a == Lit::TRUE {
            !self.xor(b, c)
        } else if a == b {
            c
        } else if b == c {
            a
        } else {
            let gate = Gate::Parity(a, b, c);
            match self.gates.get(&gate) {
                Some(known) => *known,
                None => {
                    let output = self.fresh();
                    for signs in 0..8u32 {
                        let literal =
                            |input: Lit, bit: u32| if signs >> bit & 1 == 1 { !input } else { input };
                        // The inputs named by `signs` hold, the others do not.
                        let odd = signs.count_ones() % 2 == 1;
                        let result = if odd { output } else { !output };
                        self.clause(&[literal(a, 0), literal(b, 1), literal(c, 2), result]);
                    }
                    self.gates.insert(gate, output);
                    output
                }
            }
        };
        if flip { !output } else { output }
    }

    /// Do two of them hold, or all three?
    pub(crate) fn majority(&mut self, inputs: [Lit; 3]) -> Lit {
        let mut sorted = inputs;
        sorted.sort_unstable_by_key(|input| (input.variable(), input.is_positive()));
        let [a, b, c] = sorted;
        match a {
            Lit::TRUE => return self.or(b, c),
            Lit::FALSE => return self.and(b, c),
            _ if a == b => return a,
            _ if a == !b => return c,
            _ if b == c => return b,
            _ if b == !c => return a,
            _ => {}
        }
        if !a.is_positive() {
            return !self.majority([!a, !b, !c]);
        }
        let gate = Gate::Majority(a, b, c);
        if let Some(known) = self.gates.get(&gate) {
            return *known;
        }
        let output = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, output]);
            self.clause(&[x, y, !output]);
        }
        self.gates.insert(gate, output);
        output
    }
}

fn positive(literal: Lit) -> Lit {
    if literal.is_positive() { literal } else { !literal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Formula, holds};

    /// Every gate of three inputs, each a constant, a variable or its negation, on all values.
    #[test]
    fn gates() {
        let mut formula = Formula::default();
        let mut circuit = Circuit::new(&mut formula);
        let [a, b, c] = [circuit.fresh(), circuit.fresh(), circuit.fresh()];
        let inputs = [Lit::TRUE, Lit::FALSE, a, !a, b, !b, c, !c];
        let mut made = Vec::new();
        for x in inputs {
            for y in inputs {
                for z in inputs {
                    let (and, xor) = (circuit.and(x, y), circuit.xor(x, y));
                    let outputs = [
                        circuit.and(and, z),
                        circuit.and(!and, z),
                        circuit.or(xor, z),
                        circuit.select(x, y, z),
                        circuit.parity([x, y, z]),
                        circuit.majority([x, y, z]),
                        circuit.all(&[x, y, z]),
                        circuit.any(&[x, y, z]),
                    ];
                    made.push(([x, y, z], outputs));
                }
            }
        }
        // Three variables have 256 functions, and opposite ones share a variable.
        assert!(circuit.fresh().variable() < 200);
        for values in 0..8 {
            let mut assignment = formula.nothing();
            for (number, input) in [a, b, c].into_iter().enumerate() {
                assignment[input.variable() as usize] = Some(values >> number & 1 == 1);
            }
            assert!(formula.propagate(&mut assignment));
            for (inputs, outputs) in &made {
                let [x, y, z] = inputs.map(|input| holds(&assignment, input).unwrap());
                let expected = [
                    x && y && z,
                    !(x && y) && z,
                    (x != y) || z,
                    if x { y } else { z },
                    x ^ y ^ z,
                    u8::from(x) + u8::from(y) + u8::from(z) > 1,
                    x && y && z,
                    x || y || z,
                ];
                assert_eq!(outputs.map(|output| holds(&assignment, output).unwrap()), expected, "{inputs:?}");
            }
        }
    }
}
