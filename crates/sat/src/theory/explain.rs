//! Clauses from closings: the literals that an edge and the way back come from.

use super::clocks::Why;
use super::facts::Reason;
use super::{Closing, Theory};
use crate::Lit;

impl Theory {
    /// Not all of what the closing comes from holds. The clause is told to the solver next.
    pub(crate) fn clause(&self, closing: &Closing) -> Vec<Lit> {
        let mut literals = Vec::new();
        let mut facts = Vec::new();
        let mut collect = |why: Why| match why {
            Why::Literal(literal) => literals.push(!literal),
            Why::FromRead { reads_from, coherence, .. } => literals.extend([!reads_from, !coherence]),
            Why::Fact(fact) => facts.push(fact),
        };
        match closing {
            Closing::Edge { graph, edge } => {
                collect(edge.why);
                let clocks = &self.graphs[*graph as usize].clocks;
                clocks.explain(edge.to, edge.from, |edge| collect(edge.why));
            }
            Closing::Test { fact, .. } => facts.push(*fact),
            Closing::Fixed { .. } => {}
        }
        self.leaves(facts, &mut literals);
        literals.retain(|literal| *literal != Lit::FALSE);
        literals.sort_unstable();
        literals.dedup();
        #[cfg(test)]
        self.assert_valid(&literals);
        if let Some(recorder) = &self.recorder {
            recorder.borrow_mut().announce(&literals, self.justify(closing));
        }
        literals
    }

    /// The literals that a clause negates cannot hold together.
    #[cfg(test)]
    fn assert_valid(&self, clause: &[Lit]) {
        if self.description.events > 12 {
            return;
        }
        let holds = |literal: Lit| literal == Lit::TRUE || clause.contains(&!literal);
        assert!(
            crate::scratch::conflict(&self.description, holds).is_some(),
            "{clause:?} does not follow from {:#?}",
            self.description
        );
    }

    /// Adds the negations of the literals that facts come from.
    fn leaves(&self, mut open: Vec<u32>, literals: &mut Vec<Lit>) {
        let mut visited = self.visited.borrow_mut();
        let (stamp, visited) = &mut *visited;
        *stamp = stamp.wrapping_add(1);
        if visited.len() < self.facts.len() {
            visited.resize(self.facts.len(), stamp.wrapping_sub(1));
        }
        while let Some(fact) = open.pop() {
            if fact < self.fixed_facts || std::mem::replace(&mut visited[fact as usize], *stamp) == *stamp {
                continue;
            }
            match self.facts.get(fact).reason {
                Reason::Literal(literal) => literals.push(!literal),
                Reason::One(parent) => open.push(parent),
                Reason::Two(first, second) => open.extend([first, second]),
            }
        }
    }
}
