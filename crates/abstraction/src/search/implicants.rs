//! Prime implicants from models and cores.
//!
//! A valuation in which the goal fails (a model from the solver) must contradict every cube that implies
//! the goal: such a cube has a literal that is false there. So cubes grow only by literals that are false
//! in a failure they do not contradict yet, and the solver is asked only when a cube contradicts all
//! failures known: it then either shows the cube to be an implicant, which is made minimal by cores, or
//! gives one more failure. Calls are as many as there are failures and implicants, not as there are cubes.
//!
//! Every prime implicant p within the limit is found. While a cube c is part of p and some failure is not
//! contradicted by c, p has a literal among those that c may grow by; c takes the first of them in order,
//! and literals before it, which p does not have, are not used below. When c contradicts all failures it
//! implies the goal (or the solver gives another), so c is p, for p has no smaller part that does.

use super::Search;
use crate::cube::{Cube, Set};
use crate::entail::Stopped;
use crate::prover::{Prover, Shown};
use crate::question::Goal;

#[derive(Clone, Copy, Debug)]
pub struct Implicants {
    /// The maximal size.
    pub limit: usize,
}

impl Search for Implicants {
    fn search(&mut self, prover: &mut Prover<'_>, goal: &Goal) -> Result<Vec<Cube>, Stopped> {
        let mut growing = Growing { limit: self.limit, goal, failures: vec![], implicants: vec![] };
        growing.grow(prover, Cube::default(), Cube::default())?;
        let mut possible = Vec::new();
        for cube in growing.implicants {
            if cube.len() <= self.limit && prover.is_possible(goal, &cube)? {
                possible.push(cube);
            }
        }
        Ok(possible)
    }
}

struct Growing<'g> {
    limit: usize,
    goal: &'g Goal,
    failures: Vec<Cube>,
    implicants: Vec<Cube>,
}

impl Growing<'_> {
    /// All implicants that contain `cube` and no literal of `barred`.
    fn grow(&mut self, prover: &mut Prover<'_>, cube: Cube, barred: Cube) -> Result<(), Stopped> {
        if self.implicants.iter().any(|known| cube.implies(known)) {
            return Ok(());
        }
        let failure = match self.failures.iter().find(|failure| failure.meets(&cube)) {
            Some(failure) => *failure,
            None => match prover.show(self.goal, &cube)? {
                Shown::Implied(prime) => {
                    self.implicants.push(prime);
                    return Ok(());
                }
                Shown::Not(failure) => {
                    self.failures.push(failure);
                    failure
                }
            },
        };
        if cube.len() == self.limit {
            return Ok(());
        }
        let mut barred = barred;
        let free: Set = self.goal.cone.without(&cube.known());
        for predicate in free.iter() {
            let Some(value) = failure.value(predicate) else { continue };
            if is_barred(&barred, predicate, !value) {
                continue;
            }
            self.grow(prover, cube.with(predicate, !value), barred)?;
            bar(&mut barred, predicate, !value);
        }
        Ok(())
    }
}

/// Both literals of a predicate may be barred, so `yes` and `no` are sets by themselves here.
fn is_barred(barred: &Cube, predicate: usize, value: bool) -> bool {
    if value { barred.yes.contains(predicate) } else { barred.no.contains(predicate) }
}

fn bar(barred: &mut Cube, predicate: usize, value: bool) {
    if value {
        barred.yes.insert(predicate);
    } else {
        barred.no.insert(predicate);
    }
}
