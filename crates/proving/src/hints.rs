//! What an earlier task left for this one, and what this one leaves.

use wattle_engine::Hints;
use wattle_logic::{Kind, Sort, Term};
use wattle_smt::Decide;

use crate::lift::Lifting;
use crate::prove::Conclusion;
use crate::subject::Subject;

impl Subject<'_> {
    /// The hints of the task that say something about its program. The others are dropped: hints promise
    /// nothing.
    pub fn hints(&self) -> Hints {
        let Some(hints) = self.task.hints else { return Hints::default() };
        let Ok(mut solver) = self.sc.solver(&self.solver) else { return Hints::default() };
        let mut sensible = |terms: &[Term]| -> Vec<Term> {
            let terms =
                terms.iter().filter(|term| self.speaks_of_cells(term) && solver.literal(term).is_ok());
            terms.cloned().collect()
        };
        Hints { lean: sensible(&hints.lean), more: sensible(&hints.more) }
    }

    /// Is this a formula over cells that the program has, with the sorts that they have?
    fn speaks_of_cells(&self, formula: &Term) -> bool {
        let (mut cells, mut else_where) = (false, false);
        formula.walk(&mut |term| match term.kind() {
            Kind::Content(_) | Kind::LocalOf { .. } => {
                let known = !self.sc.cells_of(term).is_empty();
                cells |= known;
                else_where |= !known;
            }
            Kind::Symbol(_) | Kind::At { .. } | Kind::Ended { .. } | Kind::Quantified { .. } => {
                else_where = true;
            }
            _ => {}
        });
        formula.sort() == Sort::Bool && cells && !else_where
    }

    /// What a proof under sequential consistency leaves for a task that differs in some fences.
    pub fn left_under_sc(&self, conclusion: &Conclusion) -> Hints {
        let terms = conclusion.predicates().terms();
        let mut left = Hints::default();
        match conclusion {
            Conclusion::Proof(proof) if proof.lean => {
                left.lean = terms.to_vec();
                left.add(proof.dropped.iter().cloned());
            }
            _ => left.add(terms.iter().cloned()),
        }
        left
    }

    /// What was learnt with buffers, said of the source: of what a slot holds, where it can hold values of one
    /// location only, that location's content.
    pub fn left_with_buffers(&self, lifting: &Lifting<'_>, conclusion: &Conclusion) -> Hints {
        let terms = conclusion.predicates().terms().iter();
        let mut left = Hints::default();
        left.add(terms.filter_map(|term| lifting.lowered(term)).filter(|term| self.speaks_of_cells(term)));
        left
    }
}
