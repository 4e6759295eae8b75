//! Which values an expression may have, found before anything is solved.
//!
//! A read returns what one of its candidate writes wrote. So the values of a read are among those of
//! the expressions that these writes store, and these in turn are computed from values of reads:
//! starting from nothing, each round lets values travel one write further. A [`Fact`] is a small set of
//! values, or an interval. Facts give the number of bits of every integer, constants, pairs of a write
//! and a read that never meet, and the locations of an address.
//!
//! *Why few rounds are enough.* Where the memory model forbids values out of thin air, what is read
//! and what it depends on form no cycle, so the chain of writes behind a value meets no write twice.
//! After as many rounds as there are links for such a chain, facts hold every value of every
//! execution, whether they have settled or not: a counter that goes up once in each of n unrolled
//! rounds is at most n, although the plain fixpoint is all integers. Only links that depend on a read
//! count; a write of a constant starts a chain.
//!
//! *Otherwise*, or if rounds become too many, facts are widened. Without such an axiom a read whose
//! value may depend on itself may return anything, so all reads on a cycle of "may depend on" are
//! given all 64-bit values from the start, or all of the range of their location; the others settle,
//! because they wait only for each other.
//!
//! Facts speak of values that are needed: of reads that happen, of operations that have a result. An
//! operand that an execution does not look at (the other side of a join, a read that does not happen)
//! may have any value, and the circuit may compute anything from it.

mod join;
mod node;

use std::collections::BTreeMap;
use std::rc::Rc;

use wattle_memory::cat::analysis::Coherence;
use wattle_program::symbolic::{Expr, Node};

use crate::unroll::structure::{EventId, Structure};

pub(crate) use join::operands;

/// A fact lists at most this many values.
const MOST: usize = 16;

/// How many evaluations of nodes and of pairs of a write and a read are worth the precision.
const MOST_WORK: u64 = 20_000_000;

/// The values that an expression may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// One of these (sorted). Of none: it is never needed.
    Among(Rc<[i64]>),
    /// From the first to the last.
    Between(i64, i64),
    /// An integer of 64 bits may not hold it.
    Unbounded,
}

impl Fact {
    pub(crate) const ANY: Fact = Fact::Between(i64::MIN, i64::MAX);

    pub(crate) fn nothing() -> Fact {
        Fact::Among(Rc::from([]))
    }

    pub(crate) fn one(value: i64) -> Fact {
        Fact::Among(Rc::from([value]))
    }

    pub(crate) fn truth(may_be_false: bool, may_be_true: bool) -> Fact {
        match (may_be_false, may_be_true) {
            (true, true) => Fact::Among(Rc::from([0, 1])),
            (true, false) => Fact::one(0),
            (false, true) => Fact::one(1),
            (false, false) => Fact::nothing(),
        }
    }

    pub(crate) fn among(mut values: Vec<i64>) -> Fact {
        values.sort_unstable();
        values.dedup();
        match (values.first(), values.last()) {
            (Some(first), Some(last)) if values.len() > MOST => Fact::Between(*first, *last),
            _ => Fact::Among(values.into()),
        }
    }

    pub(crate) fn between(low: i64, high: i64) -> Fact {
        let few = high.checked_sub(low).is_some_and(|size| size < MOST as i64);
        if few { Fact::Among((low..=high).collect()) } else { Fact::Between(low, high) }
    }

    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, Fact::Among(values) if values.is_empty())
    }

    pub(crate) fn value(&self) -> Option<i64> {
        match self {
            Fact::Among(values) => match **values {
                [value] => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The least and the greatest value.
    pub(crate) fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Fact::Among(values) => Some((*values.first()?, *values.last()?)),
            Fact::Between(low, high) => Some((*low, *high)),
            Fact::Unbounded => None,
        }
    }

    pub(crate) fn may_be(&self, value: i64) -> bool {
        match self {
            Fact::Among(values) => values.binary_search(&value).is_ok(),
            Fact::Between(low, high) => *low <= value && value <= *high,
            Fact::Unbounded => true,
        }
    }

    pub(crate) fn may_be_true(&self) -> bool {
        match self {
            Fact::Among(values) => values.iter().any(|value| *value != 0),
            _ => true,
        }
    }

    /// Is there a value that both may have?
    pub(crate) fn meets(&self, other: &Fact) -> bool {
        match (self, other) {
            (Fact::Among(values), _) => values.iter().any(|value| other.may_be(*value)),
            (_, Fact::Among(values)) => values.iter().any(|value| self.may_be(*value)),
            (Fact::Between(low, high), Fact::Between(from, to)) => low <= to && from <= high,
            _ => true,
        }
    }

    /// What may be one or the other.
    pub(crate) fn join(&self, other: &Fact) -> Fact {
        match (self, other) {
            (Fact::Unbounded, _) | (_, Fact::Unbounded) => Fact::Unbounded,
            (nothing, fact) | (fact, nothing) if nothing.is_nothing() => fact.clone(),
            (Fact::Among(values), Fact::Among(others)) => {
                Fact::among(values.iter().chain(others.iter()).copied().collect())
            }
            _ => match (self.bounds(), other.bounds()) {
                (Some((low, high)), Some((from, to))) => Fact::Between(low.min(from), high.max(to)),
                _ => Fact::Unbounded,
            },
        }
    }

    /// How many bits a word needs, and whether it needs a sign.
    pub(crate) fn width(&self) -> Option<(usize, bool)> {
        let (low, high) = match self {
            Fact::Unbounded => return None,
            fact => fact.bounds().unwrap_or((0, 0)),
        };
        let bits = |value: i64| 64 - (if value < 0 { !value } else { value }).leading_zeros() as usize;
        let width = bits(low).max(bits(high));
        Some(if low < 0 { (width + 1, true) } else { (width, false) })
    }
}

/// What is known of the memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How far it keeps accesses of one location in program order.
    pub coherence: Coherence,
    /// It has an axiom that forbids values out of thin air.
    pub thin_air_free: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    exprs: Vec<Fact>,
    /// The inputs that stand for contents in the end.
    contents: BTreeMap<u32, Fact>,
    /// For each event that reads, what it may return.
    reads: Vec<Fact>,
    /// How many rounds it took, and whether they were enough to settle.
    pub rounds: u32,
    pub settled: bool,
    /// Some read may return any integer, because the model lets its value depend on itself.
    pub out_of_thin_air: bool,
}

impl Facts {
    pub(crate) fn of(&self, expr: Expr) -> Option<&Fact> {
        self.exprs.get(expr.0 as usize)
    }

    pub(crate) fn read(&self, event: EventId) -> &Fact {
        &self.reads[event as usize]
    }

    /// Facts over the whole structure. `candidates` are the writes that each event may read from, as
    /// far as program order says.
    pub(crate) fn new(structure: &Structure<'_>, candidates: &[Vec<EventId>], options: Options) -> Facts {
        let mut facts = Facts {
            exprs: vec![Fact::nothing(); structure.arena.len()],
            contents: BTreeMap::new(),
            reads: vec![Fact::nothing(); structure.events.len()],
            rounds: 0,
            settled: false,
            out_of_thin_air: false,
        };
        let cone = cone(structure);
        let chain = longest_chain(structure, &cone);
        let mut widen = vec![false; structure.events.len()];
        if !options.thin_air_free {
            widen = join::circular(structure, candidates);
            for (event, wide) in widen.iter().enumerate() {
                if *wide {
                    // Not even such a value leaves the range of its location: writes that would do not happen.
                    let holds = structure.events[event].holds;
                    facts.reads[event] = holds.map_or(Fact::ANY, |(low, high)| Fact::between(low, high));
                    facts.out_of_thin_air |= holds.is_none();
                }
            }
        }
        let pairs: usize = candidates.iter().map(Vec::len).sum();
        let most = MOST_WORK / (cone.len() + pairs + 1) as u64;
        loop {
            for expr in &cone {
                facts.exprs[expr.0 as usize] = facts.evaluate(structure, *expr);
            }
            let mut changed = false;
            for event in 0..structure.events.len() {
                if widen[event] || !structure.events[event].access.reads() {
                    continue;
                }
                // Joined with what was known, so that facts only grow and rounds end.
                let next = facts.returned(structure, &candidates[event], event as EventId);
                let next = facts.reads[event].join(&next);
                if next != facts.reads[event] {
                    changed = true;
                    if u64::from(facts.rounds) > most {
                        widen[event] = true;
                        facts.reads[event] = Fact::ANY;
                    } else {
                        facts.reads[event] = next;
                    }
                }
            }
            facts.rounds += 1;
            facts.settled = !changed;
            if facts.settled || (options.thin_air_free && facts.rounds >= chain) {
                break;
            }
        }
        for expr in &cone {
            facts.exprs[expr.0 as usize] = facts.evaluate(structure, *expr);
        }
        // No event depends on what memory holds in the end.
        facts.contents = structure
            .finals
            .iter()
            .map(|(location, cell)| (*cell, facts.content(structure, *location)))
            .collect();
        for number in 0..structure.arena.len() as u32 {
            facts.exprs[number as usize] = facts.evaluate(structure, Expr(number));
        }
        facts
    }

    /// The values of the writes that a read may take its value from.
    fn returned(&self, structure: &Structure<'_>, candidates: &[EventId], read: EventId) -> Fact {
        let address = structure.events[read as usize].address;
        let mut fact = Fact::nothing();
        for write in candidates {
            let event = &structure.events[*write as usize];
            let meets = self.exprs[event.address.0 as usize].meets(&self.exprs[address.0 as usize]);
            if meets
                && self.exprs[event.guard.0 as usize].may_be_true()
                && let Some(written) = event.written
            {
                fact = fact.join(&self.exprs[written.0 as usize]);
            }
        }
        fact
    }

    /// What may be in memory at a location in the end.
    pub(crate) fn content(&self, structure: &Structure<'_>, location: u32) -> Fact {
        let mut fact = Fact::nothing();
        for event in &structure.events {
            let Some(written) = event.written else { continue };
            if self.exprs[event.address.0 as usize].may_be(i64::from(location)) {
                fact = fact.join(&self.exprs[written.0 as usize]);
            }
        }
        fact
    }

    /// The locations that an address may be.
    pub(crate) fn locations(&self, structure: &Structure<'_>, address: Expr) -> Vec<u32> {
        let count = structure.arena.shape().locations.len() as u32;
        let fact = &self.exprs[address.0 as usize];
        (0..count).filter(|location| fact.may_be(i64::from(*location))).collect()
    }
}

/// What addresses, guards and stored values are made of, operands first.
fn cone(structure: &Structure<'_>) -> Vec<Expr> {
    let mut seen = vec![false; structure.arena.len()];
    let mut open: Vec<Expr> = (structure.events.iter())
        .flat_map(|event| [Some(event.address), Some(event.guard), event.written])
        .flatten()
        .collect();
    while let Some(expr) = open.pop() {
        if !std::mem::replace(&mut seen[expr.0 as usize], true) {
            open.extend(operands(structure.arena.node(expr)));
        }
    }
    // Operands are made before what uses them.
    (0..seen.len() as u32).map(Expr).filter(|expr| seen[expr.0 as usize]).collect()
}

/// How many events may stand in a row, each with an address, a guard or a value that depends on the
/// one before; and one that depends on none.
fn longest_chain(structure: &Structure<'_>, cone: &[Expr]) -> u32 {
    let mut depends = vec![false; structure.arena.len()];
    for expr in cone {
        let node = structure.arena.node(*expr);
        depends[expr.0 as usize] =
            matches!(node, Node::Read(_)) || operands(node).any(|operand| depends[operand.0 as usize]);
    }
    let depends = |expr: Expr| depends[expr.0 as usize];
    let links = (structure.events.iter())
        .filter(|event| depends(event.address) || depends(event.guard) || event.written.is_some_and(depends))
        .count();
    links as u32 + 1
}

#[cfg(test)]
mod tests;
