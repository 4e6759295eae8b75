//! From all places down: the two-phase search of Baumann et al. (2018) (section 5.1).
//!
//! For engines that prove but do not refute: an abstraction that fails says *unknown*, and there is
//! no counterexample to learn from. Start with fences at all places. First (breadth, depth 1) take
//! each away alone: those that cannot go alone are needed, since with fewer fences proofs only get
//! harder. Then (depth first) take away the others one after another, and keep the cheapest
//! placement that was proved. Branches that cannot become cheaper than that are cut, and so are
//! placements that miss a clause of a counterexample, if there was one after all.
//!
//! The result is the fewest *proved*: a placement that was not proved may still be a repair. So it is called minimal
//! only if counterexamples on the way leave nothing cheaper, and never where it is a last resort. Worst case exponential in the fences that can go alone;
//! the budget of the run ends it, with the best so far.

use wattle_engine::{Halt, Reason};

use crate::Proof;
use crate::hitting_set::Cost;
use crate::search::{Ended, Judged, Literals, Search, is_exhausted};
use crate::set::Set;

#[derive(Clone, Debug, Default)]
pub(crate) struct Descended {
    pub best: Option<(Set, Proof)>,
    /// Why the search ended early.
    pub stopped: Option<Reason>,
}

pub(crate) fn descend(search: &mut Search<'_>, literals: &Literals) -> Result<Descended, Halt> {
    let mut descent = Descent { search, literals, result: Descended::default() };
    let all = Set::full(literals.size());
    if !descent.proves(&all)? {
        return Ok(descent.result);
    }
    let mut removable = Vec::new();
    for literal in 0..literals.size() {
        if descent.proves(&without(&all, literal))? {
            removable.push(literal);
        }
    }
    descent.visit(&all, &removable)?;
    Ok(descent.result)
}

impl Search<'_> {
    /// By choice, not as a last resort; for literals of single places.
    pub(crate) fn descend(&mut self, literals: &Literals) -> Result<Ended, Halt> {
        let Descended { best, stopped } = descend(self, literals)?;
        if self.hopeless().is_some() {
            return Ok(self.unrepairable());
        }
        let reason = Reason::Undecided("with fences at all places the program is not proved".into());
        Ok(match (best, stopped) {
            (Some((chosen, proof)), None) => Ended::Found(self.extracted(literals, chosen, proof)),
            (best, stopped) => {
                let best = best.map(|(chosen, proof)| self.extracted(literals, chosen, proof));
                Ended::Unknown { reason: stopped.unwrap_or(reason), at_least: 0, best }
            }
        })
    }
}

struct Descent<'a, 'b> {
    search: &'a mut Search<'b>,
    literals: &'a Literals,
    result: Descended,
}

impl Descent<'_, '_> {
    fn cost(&self, chosen: &Set) -> Cost {
        self.literals.problem(&[]).cost(chosen)
    }

    fn proves(&mut self, chosen: &Set) -> Result<bool, Halt> {
        let places = self.literals.expand(chosen, self.search.family.size());
        let refuted = self.search.clauses.iter().any(|clause| !clause.places.intersects(&places));
        if refuted || self.result.stopped.is_some() {
            return Ok(false);
        }
        match self.search.judge(&places)? {
            Judged::Safe(proof) => {
                let best = self.result.best.as_ref().map(|(best, _)| self.cost(best));
                if best.is_none_or(|best| self.cost(chosen) < best) {
                    self.result.best = Some((chosen.clone(), proof));
                }
                Ok(true)
            }
            Judged::Unknown(reason) if is_exhausted(&reason) => {
                self.result.stopped = Some(reason);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// `chosen` is proved; take away what `removable` still offers.
    fn visit(&mut self, chosen: &Set, removable: &[usize]) -> Result<(), Halt> {
        for (number, literal) in removable.iter().enumerate() {
            let cheapest =
                removable[number..].iter().fold(chosen.clone(), |set, other| without(&set, *other));
            let best = self.result.best.as_ref().map(|(best, _)| self.cost(best));
            if best.is_some_and(|best| self.cost(&cheapest) >= best) {
                return Ok(());
            }
            let fewer = without(chosen, *literal);
            if self.proves(&fewer)? {
                self.visit(&fewer, &removable[number + 1..])?;
            }
        }
        Ok(())
    }
}

fn without(set: &Set, element: usize) -> Set {
    let mut fewer = set.clone();
    fewer.remove(element);
    fewer
}
