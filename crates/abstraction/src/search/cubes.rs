//! Cubes by growing size, as in Dan, Meshman, Vechev and Yahav (2013), Figs. 6a and 7.
//!
//! All cubes of one literal are put to the solver, then all of two that contain none found so far, and so
//! on up to the limit: up to 2^i (n over i) calls for size i. The paper's cubes never contradict
//! themselves (its lists for the alternating bit protocol have none that do), so a cube that is impossible
//! is dropped, and so is what contains it.

use super::Search;
use crate::cube::Cube;
use crate::entail::Stopped;
use crate::prover::Prover;
use crate::question::Goal;

#[derive(Clone, Copy, Debug)]
pub struct Cubes {
    /// The maximal size.
    pub limit: usize,
}

impl Search for Cubes {
    fn search(&mut self, prover: &mut Prover<'_>, goal: &Goal) -> Result<Vec<Cube>, Stopped> {
        let mut found: Vec<Cube> = Vec::new();
        if prover.implies(goal, &Cube::default())? {
            let possible = prover.is_possible(goal, &Cube::default())?;
            return Ok(if possible { vec![Cube::default()] } else { vec![] });
        }
        let predicates: Vec<usize> = goal.cone.iter().collect();
        // Cubes that imply nothing yet, with the position after their last predicate.
        let mut open = vec![(Cube::default(), 0)];
        let mut impossible: Vec<Cube> = Vec::new();
        for size in 1..=self.limit {
            let mut next = Vec::new();
            for (cube, from) in open {
                for (position, predicate) in predicates.iter().enumerate().skip(from) {
                    for value in [true, false] {
                        let larger = cube.with(*predicate, value);
                        if found.iter().chain(&impossible).any(|known| larger.implies(known)) {
                            continue;
                        }
                        if !prover.implies(goal, &larger)? {
                            if size < self.limit {
                                next.push((larger, position + 1));
                            }
                        } else if prover.is_possible(goal, &larger)? {
                            found.push(larger);
                        } else {
                            impossible.push(larger);
                        }
                    }
                }
            }
            open = next;
        }
        Ok(found)
    }
}
