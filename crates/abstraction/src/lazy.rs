//! Implicants found on the way.
//!
//! A search for all cubes that imply a goal looks at every combination of literals, and most of them never
//! occur. This judge looks only at the states that the checker meets. It asks the solver whether the state,
//! as far as the goal's cone goes, implies the goal. If so, the solver's core, made minimal, is a prime
//! implicant, which answers all later states that contain it; if not, the solver's model is a full
//! valuation of the cone in which the goal fails, and it answers all later states that contain *it*. Where
//! a state does not imply the goal but a part of it might, a model of the goal inside the state is tried:
//! if that valuation implies the goal, its prime implicant says which predicate to split on.
//!
//! So the boolean program is the one with *all* cubes, of whatever size (as far as it is looked at), for
//! some calls a prime implicant instead of 2^i (n over i) calls for each size i. What was found is the
//! certificate's list of triples. The only thing given up is some splitting (one model is tried, not
//! all), which can only make a state less precise.

use std::collections::HashSet;

use crate::cube::Cube;
use crate::judge::{Judge, Judgement, Stopped, by_cubes};
use crate::prover::{Prover, Shown};
use crate::question::Goal;

#[derive(Debug)]
pub struct Lazy<'a> {
    pub prover: Prover<'a>,
    /// By goal: prime implicants.
    pub implicants: Vec<Vec<Cube>>,
    /// By goal: valuations of its cone in which it fails, those used last in front.
    failures: Vec<Vec<Cube>>,
    /// Nothing was found to split on.
    settled: HashSet<(usize, Cube)>,
}

impl<'a> Lazy<'a> {
    pub fn new(prover: Prover<'a>) -> Lazy<'a> {
        Lazy { prover, implicants: vec![], failures: vec![], settled: HashSet::new() }
    }

    fn fails(&mut self, number: usize, state: &Cube) -> bool {
        let failures = &mut self.failures[number];
        let found = failures.iter().position(|failure| failure.implies(state));
        if let Some(found) = found.filter(|found| *found > 0) {
            failures.swap(found, found / 2);
        }
        found.is_some()
    }
}

impl Judge for Lazy<'_> {
    fn judge(&mut self, number: usize, goal: &Goal, state: &Cube) -> Result<Judgement, Stopped> {
        if self.implicants.len() <= number {
            self.implicants.resize(number + 1, vec![]);
            self.failures.resize(number + 1, vec![]);
        }
        let state = state.within(&goal.cone);
        let known = by_cubes(&self.implicants[number], &state);
        if known == Judgement::Yes {
            return Ok(known);
        }
        if !self.fails(number, &state) {
            match self.prover.show(goal, &state)? {
                Shown::Implied(cube) => {
                    self.implicants[number].push(cube);
                    return Ok(Judgement::Yes);
                }
                Shown::Not(failure) => self.failures[number].push(failure),
            }
        }
        if known != Judgement::No || goal.target.is_false() || self.settled.contains(&(number, state)) {
            return Ok(known);
        }
        if let Some(example) = self.prover.example(goal, &state)?
            && example != state
            && !self.fails(number, &example)
        {
            match self.prover.show(goal, &example)? {
                Shown::Implied(cube) => {
                    self.implicants[number].push(cube);
                    return Ok(by_cubes(&[cube], &state));
                }
                Shown::Not(failure) => self.failures[number].push(failure),
            }
        }
        self.settled.insert((number, state));
        Ok(Judgement::No)
    }
}
