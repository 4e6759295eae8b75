//! More than enough fences, then fewer and fewer: a repair to start from.
//!
//! Where few fences stand, a solver shows an execution in which everything goes wrong at once. It bears a
//! fence in any one thread, so its clause names places in all of them, and such clauses have many
//! hitting sets: n workers who hand a token round took about 2ⁿ counterexamples. (A schedule of a machine
//! is better: those who are not needed stand still.) With one fence missing, one thing goes wrong, and
//! the clause is small. So before the exact search:
//!
//! 1. *Ample.* Hit each clause in every thread that it names, not only in one, and ask; until that
//!    is a repair, which takes few questions.
//! 2. *Tight.* Take away each fence of it alone. Either the rest is still a repair, and the fence is gone
//!    for good; or there is a counterexample, and its clause has this fence and no other one of the
//!    repair. This is how a minimal unsatisfiable subset is found by deletion, with places for
//!    constraints.
//!
//! The workers take 2n questions, one for each fence that they need.
//!
//! Nothing is claimed here but what `search` claims of any placement that it has judged: clauses have
//! their counterexamples, and the repair its proof. If the repair is not the cheapest, the exact search
//! finds that out. It serves those too who run out of time: there is a repair to show.

use wattle_engine::Halt;

use crate::search::{Found, Judged, Literals, Search, is_exhausted};
use crate::set::Set;

impl Search<'_> {
    /// A repair that can spare no fence, if one is found at once. For literals of single places.
    pub(crate) fn ample(&mut self, literals: &Literals) -> Result<Option<Found>, Halt> {
        if self.task.memory.machine.is_some() {
            return Ok(None);
        }
        let mut chosen = Set::empty(literals.size());
        loop {
            let wider =
                hit_in_each_thread(literals, self.clauses.iter().map(|clause| &clause.places), &chosen);
            if wider == chosen {
                return Ok(None); // nothing helps
            }
            chosen = wider;
            match self.judge(&chosen)? {
                Judged::Safe(proof) => {
                    let repair = Found { solutions: vec![chosen], complete: false, minimal: false, proof };
                    return self.tighten(repair).map(Some);
                }
                Judged::Unsafe => {}
                Judged::Unknown(_) => return Ok(None),
            }
        }
    }

    /// Without the fences that it can spare.
    fn tighten(&mut self, mut repair: Found) -> Result<Found, Halt> {
        let Some(mut places) = repair.solutions.pop() else { return Ok(repair) };
        for place in places.clone().iter() {
            // If it is alone in some clause already, the answer is known.
            if self.clauses.iter().any(|clause| clause.places.is_met_only_at(&places, place)) {
                continue;
            }
            let mut fewer = places.clone();
            fewer.remove(place);
            match self.judge(&fewer)? {
                Judged::Safe(proof) => (places, repair.proof) = (fewer, proof),
                Judged::Unknown(reason) if is_exhausted(&reason) => break,
                Judged::Unsafe | Judged::Unknown(_) => {}
            }
        }
        repair.solutions.push(places);
        Ok(repair)
    }
}

/// `chosen`, and what it takes to hit each clause in every thread that the clause names: there the cheapest,
/// of these the weakest.
fn hit_in_each_thread<'c>(literals: &Literals, clauses: impl Iterator<Item = &'c Set>, chosen: &Set) -> Set {
    let mut wider = chosen.clone();
    for clause in clauses {
        let mut threads: Vec<usize> = clause.iter().map(|literal| literals.threads[literal]).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            let here = || clause.iter().filter(|literal| literals.threads[*literal] == thread);
            if here().any(|literal| wider.contains(literal)) {
                continue;
            }
            let price = |literal: &usize| (literals.weights[*literal], literals.strengths[*literal]);
            if let Some(best) = here().min_by_key(price) {
                wider.insert(best);
            }
        }
    }
    wider
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_hit_in_every_thread_that_it_names() {
        // Two kinds at each of three places, the weaker first; the last place is in a thread with the second.
        let literals = Literals {
            places: (0..6).map(|place| Set::of(6, [place])).collect(),
            weights: vec![1, 1, 1, 1, 2, 1],
            strengths: vec![3, 4, 3, 4, 3, 4],
            threads: vec![0, 0, 1, 1, 1, 1],
            weaker: (0..6).map(|place| Set::of(6, [place])).collect(),
            objective: crate::Objective::Total,
        };
        let hit = |clauses: &[Set], chosen: Set| hit_in_each_thread(&literals, clauses.iter(), &chosen);
        let all = Set::full(6);
        assert_eq!(hit(std::slice::from_ref(&all), Set::empty(6)), Set::of(6, [0, 2]));
        assert_eq!(hit(std::slice::from_ref(&all), Set::of(6, [1])), Set::of(6, [1, 2]));
        assert_eq!(hit(&[Set::of(6, [4, 5])], Set::empty(6)), Set::of(6, [5]), "the cheaper, not the weaker");
        assert_eq!(hit(&[Set::empty(6)], Set::empty(6)), Set::empty(6));
    }
}
