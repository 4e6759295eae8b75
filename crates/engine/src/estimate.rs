//! What an engine expects of a task that it accepts. The portfolio orders engines and shares the budget by it,
//! so that no engine is known there by its name. A wrong estimate costs time and never a right answer.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Sort, Term};
use wattle_program::{Edge, Op, Program, Source, Update};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Estimate {
    /// A loop-free test: every execution is looked at once, and that ends.
    LoopFree,
    /// The states are likely to be finite, and all of them can be visited.
    Finite,
    /// Numbers grow: violations are found soon or never, and the search does not end.
    Endless,
    /// Numbers grow, and a proof that there is at all is usually found soon.
    Soon,
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
    let ranged = |address: &Term| match address.kind() {
        Kind::Address { variable, .. } => program.variables[*variable as usize].range.is_some(),
        _ => false,
    };
    program.processes.iter().any(|process| {
        process.cfg.edges.iter().flat_map(|edge| &edge.ops).any(|op| match op {
            Op::Assign { local, value } => {
                process.locals[*local as usize].range.is_none() && calculated(value)
            }
            Op::Store { address, value, .. } => !ranged(address) && calculated(value),
            Op::Together { stores } => {
                stores.iter().any(|store| !ranged(&store.address) && calculated(&store.value))
            }
            Op::Put { remote, source: Source::Value(value) } => !ranged(remote) && calculated(value),
            Op::RemoteAtomic { remote, update: Update::Add(by), .. } => {
                !ranged(remote) && *by != Term::int(0)
            }
            _ => false,
        })
    })
}

/// Does a loop start remote operations without a flush, so that any number of them may be pending?
pub fn piles_up(program: &Program) -> bool {
    let is_remote = |op: &Op| matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. });
    program.processes.iter().any(|process| {
        let edges = &process.cfg.edges;
        let waits = |edge: &&Edge| edge.ops.iter().any(|op| matches!(op, Op::Flush { .. }));
        let goes_on: Vec<&Edge> = edges.iter().filter(|edge| !waits(edge)).collect();
        let comes_back = |start: &Edge| {
            let (mut seen, mut open) = (BTreeSet::from([start.to]), vec![start.to]);
            while let Some(at) = open.pop() {
                let next = goes_on.iter().filter(|edge| edge.from == at).map(|edge| edge.to);
                open.extend(next.filter(|to| seen.insert(*to)));
            }
            seen.contains(&start.from)
        };
        goes_on.iter().any(|edge| edge.ops.iter().any(is_remote) && comes_back(edge))
    })
}

#[cfg(test)]
mod tests {
    use wattle_program::text::parse;
    use wattle_source::Sources;

    use super::*;

    /// A loop of two edges.
    fn program(first: &str, second: &str) -> Program {
        let text = format!(
            "wir 1\nprogram \"t\"\nvocabulary rma\nvariable x : int init 0 owner p\nvariable y : int init 0 owner q\nprocess p\n  \
             local r : int init 0\n  entry 0\n  point 0\n  point 1\n  edge 0 -> 1 do {first}\n  edge 1 -> 0 do {second}\nprocess q\n  \
             entry 0\n  point 0 end\n"
        );
        let (sources, file) = Sources::single("test.wir", &text);
        parse(&sources, file).unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
    }

    #[test]
    fn operations_pile_up_in_a_loop_without_a_flush() {
        assert!(piles_up(&program("put &y from &x", "store &x = 1")));
        assert!(!piles_up(&program("put &y from &x", "flush q[0]")));
        assert!(!piles_up(&program("store &x = 1", "load r from &x")));
    }

    #[test]
    fn numbers_grow_in_remote_operations_too() {
        assert!(!grows(&program("put &y from &x", "put &y = r")));
        assert!(grows(&program("load r from &x", "put &y = r + 1")));
        assert!(grows(&program("load r from &x", "remote &y add 1")));
        assert!(!grows(&program("load r from &x", "remote &y add 0 into &x")));
    }

    #[test]
    fn numbers_grow_in_joint_steps_too() {
        assert!(grows(&program("load r from &x", "together { &x = r + 1 }")));
        assert!(!grows(&program("load r from &x", "together { &x = r }")));
    }
}
