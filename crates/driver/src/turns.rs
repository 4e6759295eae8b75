//! Who has a turn, and for how long.
//!
//! Engines have their turn in the order of the list. Where numbers may grow for ever, explicit search finds
//! most violations in no time and otherwise never ends: there it only has a glance first, and its proper turn
//! after the engine that can prove such programs.

use wattle_engine::{Engine, Run, Work};
use wattle_logic::{Binary, Kind, Sort, Term};
use wattle_program::{Op, Program};

/// Enough for some hundred thousand states.
const GLANCE: Work = Work::milliseconds(1000);

#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub engine: &'a dyn Engine,
    time: Time,
}

#[derive(Clone, Copy)]
enum Time {
    /// As much as each of those that are left.
    Equal,
    Glance,
    /// Two thirds of what is left: nobody else is likely to know.
    Most,
}

impl Turn<'_> {
    /// What this turn may spend, when so many turns are left.
    pub(crate) fn share(&self, run: &Run, left: usize) -> Run {
        match self.time {
            Time::Glance => run.share(1, left as u32).at_most(GLANCE),
            Time::Most => run.share(2, 3),
            Time::Equal => run.share(1, left as u32),
        }
    }
}

pub(crate) fn turns<'a>(willing: &[&'a dyn Engine], program: &Program) -> Vec<Turn<'a>> {
    let mut turns: Vec<Turn<'a>> =
        willing.iter().map(|engine| Turn { engine: *engine, time: Time::Equal }).collect();
    if let [first, second, ..] = *willing
        && (first.name(), second.name()) == ("explore", "extrapolate")
        && grows(program)
    {
        turns.splice(
            0..2,
            [(first, Time::Glance), (second, Time::Most), (first, Time::Equal)]
                .map(|(engine, time)| Turn { engine, time }),
        );
    }
    turns
}

/// Does some integer without a range become a sum or a product?
fn grows(program: &Program) -> bool {
    let calculated = |value: &Term| {
        let mut found = false;
        value.walk(&mut |term| {
            found |=
                matches!(term.kind(), Kind::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, ..));
        });
        found && value.sort() == Sort::Int
    };
    program.processes.iter().any(|process| {
        process.cfg.edges.iter().flat_map(|edge| &edge.ops).any(|op| match op {
            Op::Assign { local, value } => {
                process.locals[*local as usize].range.is_none() && calculated(value)
            }
            Op::Store { address, value, .. } => {
                let ranged = match address.kind() {
                    Kind::Address { variable, .. } => program.variables[*variable as usize].range.is_some(),
                    _ => false,
                };
                !ranged && calculated(value)
            }
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, load};

    fn grows_in(text: &str) -> bool {
        grows(&load(&Input::text("a.wtl", "wtl", text)).unwrap().parsed.program)
    }

    #[test]
    fn what_has_a_range_does_not_grow() {
        assert!(grows_in("shared x = 0; thread p { local n; while (true) { n = x; x = n + 1; } }"));
        assert!(!grows_in("shared x: 0..3 = 0; thread p { local n: 0..3; n = x; x = n + 1; }"));
        assert!(!grows_in("shared x = 0; thread p { while (true) { x = 1; } }"));
    }
}
