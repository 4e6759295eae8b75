//! What an engine expects of a task that it accepts. The portfolio orders engines and shares the budget by it,
//! so that no engine is known there by its name. A wrong estimate costs time and never a right answer.

use wattle_logic::{Binary, Kind, Sort, Term};
use wattle_program::{Op, Program};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Estimate {
    /// A loop-free test: every execution is looked at once, and that ends.
    LoopFree,
    /// The states are likely to be finite, and all of them can be visited.
    Finite,
    /// Numbers grow: violations are found soon or never, and the search does not end.
    Endless,
    /// What others cannot prove (numbers that grow, any number of processes) is what this engine is for.
    MadeFor,
    /// It may know.
    #[default]
    Open,
}

/// Does some integer without a range become a sum or a product, so that it may grow for ever in a loop?
pub fn grows(program: &Program) -> bool {
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
