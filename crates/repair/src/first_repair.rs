//! A first repair, with more fences than needed and then fewer, before the search for the cheapest one.
//!
//! If the program has few fences, the execution that a solver finds violates the property in several threads at
//! once. A fence in one thread does not remove it, so its clause names places in all of these threads, and
//! such clauses have many hitting sets: for n workers who hand a token round, the exact search alone needed
//! about 2ⁿ counterexamples. (A schedule of a machine gives smaller clauses, because threads that the violation
//! does not need do not move.) If only one fence is missing, an execution goes wrong in one place, and its
//! clause is small. So the search begins with two phases:
//!
//! 1. *Add.* Put a fence into every thread that a clause names, not only into one of them, and ask the
//!    engine; repeat until the program is safe, which takes few questions.
//! 2. *Delete.* Take away each fence alone. Either the rest is still a repair, and the fence is left out;
//!    or there is a counterexample, whose clause contains this fence and no other one of the repair. This
//!    is how a minimal unsatisfiable subset is found by deletion, with places for constraints.
//!
//! The workers then take 2n questions, one for each fence that they need.
//!
//! Copies of one process get the same fences at first ([`Search::first_repair`] with the places of the text): there are fewer of
//! these, so both phases ask less. Then fences of single copies are taken away where that works.
//!
//! Nothing is claimed here beyond what `search` claims of any placement that it has judged: each clause has its
//! counterexample, and the repair its proof. If the repair is not the cheapest, the exact search finds a cheaper
//! one; if the budget ends before that, this repair is what can be shown.

use wattle_engine::Halt;

use crate::Proof;
use crate::search::{Found, Judged, Literals, Search, is_exhausted};
use crate::set::Set;

impl Search<'_> {
    /// A repair from which no fence can be taken away, if the engine decides every question on the way: `copies` are literals of single
    /// places, `text` those for all copies.
    pub(crate) fn first_repair(&mut self, copies: &Literals, text: &Literals) -> Result<Option<Found>, Halt> {
        if self.task.memory.machine.is_some() {
            return Ok(None);
        }
        let Some((chosen, proof)) = self.added(text)? else { return Ok(None) };
        let (chosen, proof) = self.tightened(text, chosen, proof)?;
        // The places of the family are the literals of single copies.
        let (chosen, proof) = self.tightened(copies, text.expand(&chosen, copies.size()), proof)?;
        Ok(Some(Found { solutions: vec![chosen], complete: false, minimal: false, proof }))
    }

    /// More and more, until it is a repair.
    fn added(&mut self, literals: &Literals) -> Result<Option<(Set, Proof)>, Halt> {
        let mut chosen = Set::empty(literals.size());
        loop {
            let clauses = literals.problem(&self.clauses).clauses;
            let wider = hit_in_each_thread(literals, clauses.iter(), &chosen);
            if wider == chosen {
                return Ok(None); // nothing helps
            }
            chosen = wider;
            match self.judge(&literals.expand(&chosen, self.family.size()))? {
                Judged::Safe(proof) => return Ok(Some((chosen, proof))),
                Judged::Unsafe => {}
                Judged::Unknown(_) => return Ok(None),
            }
        }
    }

    /// Without the literals that a repair can spare.
    fn tightened(
        &mut self,
        literals: &Literals,
        mut chosen: Set,
        mut proof: Proof,
    ) -> Result<(Set, Proof), Halt> {
        for literal in chosen.clone().iter() {
            // If it is alone in some clause already, the answer is known.
            let clauses = literals.problem(&self.clauses).clauses;
            if clauses.iter().any(|clause| clause.is_met_only_at(&chosen, literal)) {
                continue;
            }
            let mut fewer = chosen.clone();
            fewer.remove(literal);
            match self.judge(&literals.expand(&fewer, self.family.size()))? {
                Judged::Safe(safe) => (chosen, proof) = (fewer, safe),
                Judged::Unknown(reason) if is_exhausted(&reason) => break,
                Judged::Unsafe | Judged::Unknown(_) => {}
            }
        }
        Ok((chosen, proof))
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
