//! From a repair down to one that can spare no fence.
//!
//! Take away each fence of a known repair alone. Either the rest is still a repair, and the fence is gone
//! for good; or there is a counterexample, and its clause has this fence and no other one of the
//! repair. This is how a minimal unsatisfiable subset is found by deletion, with places for
//! constraints, and the clauses are what the exact search wants.
//!
//! **Why before that search.** Where few fences stand, an engine shows a run in which everything goes
//! wrong at once. It bears a fence in any one thread, so its clause names places in all of them, and such
//! clauses have many hitting sets: n workers who hand a token round took about 2ⁿ counterexamples. With
//! one fence missing, one thing goes wrong, the clause is small, and n workers take n of them for each
//! fence of the text. The repair to start from is that of the text, which the search has to find anyway,
//! and where copies share a fence there is little to choose.
//!
//! Nothing is claimed here but what `search` claims of any placement that it has judged: clauses have
//! their counterexamples, and the repair its proof. If the repair is not the cheapest, the exact search
//! finds that out. A fence that stands alone in a clause already is not asked about, so copies whose
//! roles are interchangeable (`symmetry`) cost no engine call.

use wattle_engine::Reason;

use crate::search::{Found, Judged, Search, is_exhausted};

impl Search<'_> {
    /// `repair`, a set of places that was judged safe, without the fences that it can spare.
    pub(crate) fn tighten(&mut self, mut repair: Found) -> Result<Found, Reason> {
        let Some(mut places) = repair.solutions.first().cloned() else { return Ok(repair) };
        for place in places.clone().iter() {
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
        Ok(Found { solutions: vec![places], complete: false, minimal: false, proof: repair.proof })
    }
}
