//! Single candidates instead of a search: cube extrapolation of Dan, Meshman, Vechev and Yahav (2013),
//! Fig. 6b.
//!
//! The cubes of a proof under sequential consistency, carried over to the buffers, are taken for
//! predicates of their own, and cubes of those have size one. So there is nothing to combine: each literal
//! and each given cube is put to the solver once. A failure that the solver returned rules out all
//! candidates that it satisfies, so most are not even put to it.

use super::Search;
use crate::cube::Cube;
use crate::entail::Stopped;
use crate::prover::{Prover, Shown};
use crate::question::Goal;

#[derive(Clone, Debug, Default)]
pub struct Candidates {
    pub cubes: Vec<Cube>,
}

impl Search for Candidates {
    fn search(&mut self, prover: &mut Prover<'_>, goal: &Goal) -> Result<Vec<Cube>, Stopped> {
        let literal = |predicate: usize, value: bool| Cube::default().with(predicate, value);
        let literals = goal.cone.iter().flat_map(|predicate| [true, false].map(|v| literal(predicate, v)));
        let whole = [Cube::default()].into_iter().chain(literals).chain(self.cubes.iter().copied());
        let mut found: Vec<Cube> = Vec::new();
        let mut failures: Vec<Cube> = Vec::new();
        for cube in whole {
            let outside = !cube.known().without(&goal.cone).is_empty();
            let settled = failures.iter().any(|failure| failure.implies(&cube))
                || found.iter().any(|known| cube.implies(known));
            if outside || settled {
                continue;
            }
            match prover.show_whole(goal, &cube)? {
                Shown::Implied(cube) if prover.is_possible(goal, &cube)? => found.push(cube),
                Shown::Implied(_) => {}
                Shown::Not(failure) => failures.push(failure),
            }
        }
        Ok(found)
    }
}
