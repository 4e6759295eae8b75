//! Fences from one counterexample after another, as in the paper on integer programs (section 7, case 2).
//!
//! Given a counterexample that the model allows, put fences behind all stores in it; take them out again one by
//! one (here: by halves) while it stays impossible; what remains is added to the program. Repeat until the
//! program is proved. Each round needs one question to the engine and some replays, and nothing is taken back,
//! so there are at most as many rounds as places.
//!
//! **Differs from the paper** in where fences are tried if those behind the stores of the trace do not
//! forbid it (at all places then), in weaker kinds of fences (the strongest are taken out first), and in what
//! *impossible* means: the schedule can no longer be run ([`enact`](crate::enact)), which is how clauses are
//! found too.
//!
//! **What it claims.** The result is proved like every other placement. It need not be the cheapest: a fence
//! that forbids one trace may be needless after what a later one demands. The questions on the way leave clauses
//! behind, though, and if no cheaper set hits all of them, each cheaper one has a replayed counterexample, and
//! the result is called minimal after all.

use wattle_engine::{Counterexample, Halt, Reason, Task};
use wattle_memory::operational::Action;

use crate::Proof;
use crate::clause::survivor;
use crate::hitting_set;
use crate::search::{Ended, Found, Judged, Literals, Search};
use crate::set::Set;

impl Search<'_> {
    /// For literals of single places.
    pub(crate) fn extract(&mut self, literals: &Literals) -> Result<Ended, Halt> {
        let mut chosen = self.nothing();
        loop {
            let why = match self.judge(&chosen)? {
                Judged::Safe(proof) => return Ok(Ended::Found(self.extracted(literals, chosen, proof))),
                Judged::Unsafe => Reason::Undecided("no fence removes a counterexample".into()),
                Judged::Unknown(reason) => return Ok(self.given_up(literals, reason)),
            };
            if self.hopeless().is_some() {
                return Ok(self.unrepairable());
            }
            match self.latest.clone().and_then(|found| self.forbidding(literals, &chosen, &found)) {
                Some(more) => chosen = chosen.union(&more),
                None => return Ok(self.given_up(literals, why)),
            }
        }
    }

    fn given_up(&self, literals: &Literals, reason: Reason) -> Ended {
        let problem = literals.problem(&self.clauses);
        let at_least = hitting_set::minimum(&problem).map_or(0, |least| problem.cost(&least).total);
        Ended::Unknown { reason, at_least, best: None }
    }

    /// What was found without a search for the fewest: they are, if what was learnt on the way leaves nothing cheaper.
    pub(crate) fn extracted(&self, literals: &Literals, chosen: Set, proof: Proof) -> Found {
        let problem = literals.problem(&self.clauses);
        let least = hitting_set::minimum(&problem).map(|least| problem.cost(&least));
        let cost = problem.cost(&chosen);
        let cheapest = least.is_some_and(|least| (cost.worst, cost.total) <= (least.worst, least.total));
        let minimal = cheapest && self.is_exact() && matches!(proof, Proof::Safe { .. });
        Found { solutions: vec![chosen], complete: true, proof, minimal }
    }

    /// Further places of which none can go without letting the counterexample happen again.
    fn forbidding(&mut self, literals: &Literals, chosen: &Set, found: &Counterexample) -> Option<Set> {
        let all = Set::full(self.family.size()).difference(chosen);
        let named = self.passed(found).difference(chosen);
        let mut more = [named, all].into_iter().find(|more| self.forbids(chosen, more, found))?;
        let mut order: Vec<usize> = more.iter().collect();
        order.sort_by_key(|place| std::cmp::Reverse(literals.strengths[*place]));
        let mut chunks = vec![order];
        while let Some(chunk) = chunks.pop() {
            let fewer = more.difference(&Set::of(self.family.size(), chunk.iter().copied()));
            if self.forbids(chosen, &fewer, found) {
                more = fewer;
            } else if chunk.len() > 1 {
                let (left, right) = chunk.split_at(chunk.len() / 2);
                chunks.extend([right.to_vec(), left.to_vec()]);
            }
        }
        (!more.is_empty()).then_some(more)
    }

    fn forbids(&mut self, chosen: &Set, more: &Set, found: &Counterexample) -> bool {
        let program = self.family.program(&chosen.union(more));
        let task = Task { program: &program, ..self.task };
        self.replays += 1;
        survivor(self.family.base(), &task, found).is_none()
    }

    /// The places beside the steps of a schedule; of a graph, none are known.
    fn passed(&self, found: &Counterexample) -> Set {
        let actions = found.schedule.iter().flat_map(|schedule| &schedule.actions);
        let steps = actions.filter_map(|action| match action {
            Action::Step { thread, edge, .. } => Some((*thread, *edge)),
            _ => None,
        });
        self.beside(steps)
    }
}
