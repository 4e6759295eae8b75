//! The fewest predicates that a proof needs.
//!
//! Refinement collects what each spurious trace seemed to lack, and most of it turns out not to matter. Under
//! sequential consistency that does little harm, but every predicate over a shared variable is carried over
//! to each slot of each buffer, and states multiply. So a proof that is to be extrapolated is first made lean:
//! what its answers never rest on is dropped, then predicates by halves, quarters and so on, down to single
//! ones, if the check still succeeds. What was dropped is kept aside, for those who begin from this proof.
//!
//! Each size has one pass. To begin with halves again after each success takes twice as many trials, and was
//! not seen to drop more; nor did it help to remember what trials that failed had found out, since their many
//! failures take longer to look through than to ask again.

use std::collections::BTreeSet;

use wattle_abstraction::checker::Checked;
use wattle_abstraction::{Cube, Known, Predicates, Questions, Scope, Set};
use wattle_engine::Reason;

use crate::attempt::Attempt;
use crate::prove::{Proof, Proving};

/// Proofs that are tried with fewer predicates.
const MOST_TRIALS: usize = 128;

impl Proving<'_> {
    /// Leave out what the proof can do without.
    pub(crate) fn make_lean(&self, proof: &mut Proof, scope: &Scope, known: &Known) -> Result<(), Reason> {
        let mut known = known.clone();
        let all: Set = (0..proof.predicates.len()).collect();
        let relied_on = relied_on(&proof.questions, &proof.cubes);
        self.try_without(proof, scope, &mut known, &all.without(&relied_on))?;
        let (mut size, mut trials) = (proof.predicates.len() / 2, 0);
        while size > 0 {
            let mut from = 0;
            while from < proof.predicates.len() && trials < MOST_TRIALS {
                let part: Set = (from..proof.predicates.len().min(from + size)).collect();
                trials += 1;
                if !self.try_without(proof, scope, &mut known, &part)? {
                    from += size;
                }
            }
            size /= 2;
        }
        Ok(())
    }

    /// Is there a proof without these predicates? Then take it.
    fn try_without(
        &self,
        proof: &mut Proof,
        scope: &Scope,
        known: &mut Known,
        part: &Set,
    ) -> Result<bool, Reason> {
        if part.is_empty() {
            return Ok(false);
        }
        let mut numbers = vec![None; proof.predicates.len()];
        let kept: Vec<usize> = (0..numbers.len()).filter(|number| !part.contains(*number)).collect();
        kept.iter().enumerate().for_each(|(new, old)| numbers[*old] = Some(new));
        let kept = kept.iter().map(|old| &proof.predicates.terms()[*old]);
        let Some(predicates) = Predicates::new(self.system, kept) else { return Ok(false) };
        let mut questions = self.questions(&predicates, scope)?;
        let mut fewer = known.renumbered(&numbers);
        let (mut figures, solver) = (proof.figures, &mut self.fresh()?);
        let most = proof.figures.states * 2 + 64;
        let attempt = self.attempt(solver, &predicates, &mut questions, &mut fewer, &mut figures, most)?;
        proof.figures.calls += solver.counters().checks;
        let Some(Attempt { checked: Checked::Holds(reached), cubes }) = attempt else { return Ok(false) };
        figures.calls = proof.figures.calls;
        figures.take(&predicates, &questions, &reached, &cubes);
        let mut dropped = std::mem::take(&mut proof.dropped);
        dropped.extend(part.iter().map(|predicate| proof.predicates.terms()[predicate].clone()));
        *proof = Proof { predicates, questions, reached, cubes, lean: true, dropped, figures };
        *known = fewer;
        Ok(true)
    }
}

/// The predicates that the answers of a proof rest on: those that decide guards, assertions and properties,
/// and those that decide these. `cubes`: by goal, what was found to imply it.
fn relied_on(questions: &Questions, cubes: &[Vec<Cube>]) -> Set {
    let of = |goal: usize| cubes.get(goal).into_iter().flatten().map(Cube::known);
    let mut found = Set::default();
    let properties = questions.properties().into_iter().map(|(goal, _)| goal);
    let decisive = questions.of.iter().flat_map(|asked| asked.checks.iter().copied().chain([asked.blocked]));
    for goal in properties.chain(decisive).collect::<BTreeSet<usize>>() {
        of(goal).for_each(|known| found = found.union(&known));
    }
    loop {
        let before = found;
        for update in questions.of.iter().flat_map(|asked| asked.sets.iter().chain(&asked.tells)) {
            if let (true, Some(pair)) = (before.contains(update.predicate), update.goals) {
                of(pair.holds)
                    .chain(pair.fails.into_iter().flat_map(of))
                    .for_each(|known| found = found.union(&known));
            }
        }
        if found == before {
            return found;
        }
    }
}
