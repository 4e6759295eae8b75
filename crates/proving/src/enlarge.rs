//! Which questions must reach further.
//!
//! A trace may be spurious although the predicates say enough: the questions along it were answered by too few
//! of them, or a state was not split. Letting every question reach as far as it can is dear, since then hardly
//! two states get the same answer. So the reach of all questions along the trace is enlarged first. If the
//! trace then leads nowhere, a minimal set of questions is found for which that is enough, and only these
//! reach further from then on.

use std::collections::BTreeSet;

use wattle_abstraction::checker::{AbstractTrace, Violated, follows};
use wattle_abstraction::{Ask, Lazy, Posed, Prover, Questions, Reach, Stopped};
use wattle_smt::Solver;

use crate::prove::{Abstraction, Proving, STATE};

impl Proving<'_> {
    /// The fewest questions that must reach further for the trace to lead nowhere. None: that does not help.
    pub(crate) fn further(
        &self,
        solver: &mut Solver,
        abstraction: &mut Abstraction,
        questions: &mut Questions,
        trace: &AbstractTrace,
    ) -> Result<Vec<(Ask, Reach)>, Stopped> {
        let (system, run) = (self.system, self.subject.run);
        let Abstraction { predicates, scope, known, .. } = abstraction;
        let mut taken: BTreeSet<usize> = trace.steps.iter().copied().collect();
        if let Violated::Check { transition, .. } = &trace.violated {
            taken.insert(*transition);
        }
        for reach in [Reach::Parts, Reach::Touching, Reach::Whole] {
            let mut asks: Vec<(Ask, Posed)> = Vec::new();
            for ask in questions.about(predicates, &taken) {
                if scope.reach(&ask) < reach {
                    let far = questions.pose(system, predicates, &ask, reach, &taken);
                    asks.push((ask, far));
                }
            }
            if asks.is_empty() {
                continue;
            }
            let mut lazy = Lazy::new(Prover::new(solver, predicates)?).asking(self.elsewhere());
            lazy.remember(&questions.goals, known);
            let mut leads_nowhere = |chosen: &[usize]| {
                let near: Vec<Posed> =
                    chosen.iter().map(|number| questions.put(&asks[*number].0, &asks[*number].1)).collect();
                // These are no states of the search.
                let mut go_on = |_: u64, _: u64| run.poll(STATE, self.spent(0)).is_ok();
                let follows = follows(system, predicates, questions, &mut lazy, trace, &mut go_on);
                for (number, near) in chosen.iter().zip(&near) {
                    questions.put(&asks[*number].0, near);
                }
                follows.map(|follows| !follows)
            };
            let all: Vec<usize> = (0..asks.len()).collect();
            let chosen = if leads_nowhere(&all)? { fewest(&[], all, &mut leads_nowhere)? } else { vec![] };
            lazy.tell(&questions.goals, known);
            if !chosen.is_empty() {
                return Ok(chosen.into_iter().map(|number| (asks[number].0.clone(), reach)).collect());
            }
        }
        Ok(vec![])
    }
}

/// The fewest of these (no one can be left out) with which a test is passed that is passed with all of
/// them. Junker's QuickXplain: few tests where few are needed.
fn fewest(
    with: &[usize],
    among: Vec<usize>,
    test: &mut dyn FnMut(&[usize]) -> Result<bool, Stopped>,
) -> Result<Vec<usize>, Stopped> {
    if test(with)? {
        return Ok(vec![]);
    }
    if among.len() <= 1 {
        return Ok(among);
    }
    let (left, right) = among.split_at(among.len() / 2);
    let of_right = fewest(&[with, left].concat(), right.to_vec(), test)?;
    let mut of_left = fewest(&[with, &of_right].concat(), left.to_vec(), test)?;
    of_left.extend(of_right);
    Ok(of_left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_one_can_be_left_out() {
        let mut tests = 0;
        let mut test = |chosen: &[usize]| {
            tests += 1;
            Ok([17, 40, 41].iter().all(|needed| chosen.contains(needed)))
        };
        let mut found = fewest(&[], (0..100).collect(), &mut test).unwrap();
        found.sort_unstable();
        assert_eq!(found, [17, 40, 41]);
        assert!(tests < 60, "{tests}");
    }
}
