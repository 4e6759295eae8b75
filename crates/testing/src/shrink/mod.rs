//! Make a failing program small.
//!
//! Greedy: try every simplification in turn, largest first, keep each that is still a valid program
//! and still fails, and start over until none is left. The simplifications need not keep the meaning;
//! only the failing predicate says what matters. Programs are tiny, so plain restarts are fast
//! enough, and the result is minimal in the sense that no single simplification can be made.

mod renumber;
mod structure;
mod terms;

use wattle_program::{Program, validate};

/// The smallest program found for which `fails` still holds.
pub fn shrink(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    // Every step makes the program smaller, so this ends; the limit guards against a step that does not.
    for _ in 0..2000 {
        let better = candidates(&smallest)
            .find(|candidate| *candidate != smallest && validate(candidate).is_ok() && fails(candidate));
        match better {
            Some(better) => smallest = better,
            None => break,
        }
    }
    smallest
}

/// Simpler programs, the most drastic first.
fn candidates(program: &Program) -> impl Iterator<Item = Program> {
    renumber::smaller_worlds(program)
        .chain(structure::simpler_graphs(program))
        .chain(terms::simpler_terms(program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_generate::{Flavour, Profile};
    use wattle_program::{Mode, Op};

    #[test]
    fn what_does_not_matter_goes() {
        // "Fails" if a locked edge stores something: one process, one edge, one operation suffice.
        let fails = |program: &Program| {
            program.processes.iter().flat_map(|process| &process.cfg.edges).any(|edge| {
                edge.mode == Mode::Locked && edge.ops.iter().any(|op| matches!(op, Op::Store { .. }))
            })
        };
        let profile = Profile::small(Flavour::Sc);
        let mut tried = 0;
        for seed in 0..60 {
            let program = wattle_generate::program(seed, &profile);
            if !fails(&program) {
                continue;
            }
            tried += 1;
            let small = shrink(&program, &fails);
            assert_eq!(small.processes.len(), 1, "seed {seed}: {small:#?}");
            assert_eq!(small.processes[0].cfg.edges.len(), 1, "seed {seed}: {small:#?}");
            assert_eq!(small.processes[0].cfg.edges[0].ops.len(), 1, "seed {seed}: {small:#?}");
            assert!(small.variables.len() == 1 && small.properties.is_empty() && small.observed.is_empty());
        }
        assert!(tried > 10, "{tried}");
    }
}
