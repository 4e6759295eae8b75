//! Which events happen whenever another one does.
//!
//! A pair of a static relation is a fact about two events that both happen; what leads through a third
//! event needs that this one happens too. Mostly it does: an event in the middle of straight-line code
//! happens if a later one does, and all of a loop's earlier rounds have happened when a later round is
//! reached. Guards say so by their form. A conjunction implies what its parts imply, a disjunction what
//! all its parts imply; operands are numbered before what is made of them, so one pass suffices.

use std::collections::BTreeMap;
use std::rc::Rc;

use wattle_logic::Binary;
use wattle_program::symbolic::{Expr, Node};
use wattle_sat::Lit;

use super::matrix::Matrix;
use crate::encode::encoding::Encoding;
use crate::pulse::Pulse;

pub(crate) struct Guards {
    pub pulse: Rc<Pulse>,
    /// The pairs of events of which the first happens only if the second does.
    implies: Matrix,
    /// The other way round.
    implied: Matrix,
    sure: Vec<bool>,
}

impl Guards {
    pub(crate) fn new(encoding: &Encoding<'_, '_>, pulse: Rc<Pulse>) -> Guards {
        let events = &encoding.structure.events;
        let sure: Vec<bool> = encoding.happens.iter().map(|literal| *literal == Lit::TRUE).collect();
        // The literals of guards, numbered.
        let mut numbers: BTreeMap<Lit, u32> = BTreeMap::new();
        for literal in &encoding.happens {
            let next = numbers.len() as u32;
            numbers.entry(*literal).or_insert(next);
        }
        let number = |event: usize| numbers[&encoding.happens[event]];
        let mut own: BTreeMap<Expr, u32> = BTreeMap::new();
        for (event, guard) in events.iter().enumerate().map(|(event, made)| (event, made.guard)) {
            own.insert(guard, number(event));
        }
        let implied = implied(encoding, &own, numbers.len());
        let mut by_number: Vec<Vec<u32>> = vec![Vec::new(); numbers.len()];
        for event in 0..events.len() {
            by_number[number(event) as usize].push(event as u32);
        }
        let mut implies = Matrix::empty(events.len());
        for (event, made) in events.iter().enumerate() {
            let mut add = |number: u32| {
                by_number[number as usize].iter().for_each(|other| implies.insert((event as u32, *other)));
            };
            add(number(event));
            if let Some(row) = implied.get(&made.guard) {
                row.iter().for_each(|number| add(*number));
            }
            for (other, sure) in sure.iter().enumerate() {
                if *sure {
                    implies.insert((event as u32, other as u32));
                }
            }
        }
        let implied = implies.inverse();
        Guards { pulse, implies, implied, sure }
    }

    pub(crate) fn implies(&self) -> &Matrix {
        &self.implies
    }

    /// The pairs of events of which the second happens only if the first does.
    pub(crate) fn implied(&self) -> &Matrix {
        &self.implied
    }

    /// Does the first happen only if the second does?
    pub(crate) fn needs(&self, event: u32, other: u32) -> bool {
        self.implies.contains((event, other))
    }

    /// First the one, then the other, where the event between them happens if one of the ends does.
    pub(crate) fn then(&self, first: &Matrix, second: &Matrix) -> Matrix {
        if self.all_sure() {
            return first.then(second, &self.pulse);
        }
        let after_first = first.intersection(&self.implies).then(second, &self.pulse);
        after_first.union(&first.then(&second.intersection(&self.implied), &self.pulse))
    }

    /// Does it happen in every execution?
    pub(crate) fn is_sure(&self, event: u32) -> bool {
        self.sure[event as usize]
    }

    pub(crate) fn all_sure(&self) -> bool {
        self.sure.iter().all(|sure| *sure)
    }
}

/// For each guard, the numbers of the guards that it implies.
fn implied(encoding: &Encoding<'_, '_>, own: &BTreeMap<Expr, u32>, count: usize) -> BTreeMap<Expr, Vec<u32>> {
    let arena = &encoding.structure.arena;
    let mut reached: BTreeMap<Expr, Option<Vec<u64>>> = BTreeMap::new();
    let mut open: Vec<Expr> = own.keys().copied().collect();
    while let Some(expr) = open.pop() {
        if reached.contains_key(&expr) {
            continue;
        }
        reached.insert(expr, None);
        open.extend(parts(arena.node(expr)).into_iter().flatten());
    }
    let words = count.div_ceil(64);
    let order: Vec<Expr> = reached.keys().copied().collect();
    for expr in order {
        let of = |part: Expr| reached.get(&part).and_then(Option::as_ref);
        let mut row = match arena.node(expr) {
            // What is false implies everything.
            Node::Constant(0) => vec![u64::MAX; words],
            Node::Binary(Binary::And, _, left, right) => join(of(left), of(right), words, |a, b| a | b),
            Node::Binary(Binary::Or, _, left, right) => join(of(left), of(right), words, |a, b| a & b),
            Node::If(condition, then, otherwise) => {
                let both = join(of(condition), of(then), words, |a, b| a | b);
                join(Some(&both), of(otherwise), words, |a, b| a & b)
            }
            _ => vec![0; words],
        };
        if let Some(number) = own.get(&expr) {
            row[*number as usize / 64] |= 1 << (number % 64);
        }
        reached.insert(expr, Some(row));
    }
    let numbers = |row: &Vec<u64>| {
        (0..count as u32).filter(|number| row[*number as usize / 64] >> (number % 64) & 1 != 0).collect()
    };
    own.keys().filter_map(|guard| Some((*guard, numbers(reached.get(guard)?.as_ref()?)))).collect()
}

/// The operands that matter for what is implied.
fn parts(node: Node) -> [Option<Expr>; 3] {
    match node {
        Node::Binary(Binary::And | Binary::Or, _, left, right) => [Some(left), Some(right), None],
        Node::If(condition, then, otherwise) => [Some(condition), Some(then), Some(otherwise)],
        _ => [None; 3],
    }
}

fn join(
    left: Option<&Vec<u64>>,
    right: Option<&Vec<u64>>,
    words: usize,
    by: fn(u64, u64) -> u64,
) -> Vec<u64> {
    let word = |row: Option<&Vec<u64>>, at: usize| row.map_or(0, |row| row[at]);
    (0..words).map(|at| by(word(left, at), word(right, at))).collect()
}
