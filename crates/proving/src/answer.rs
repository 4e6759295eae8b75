//! What the loop came to, in terms of the task.

use wattle_abstraction::System;
use wattle_abstraction::checker::AbstractTrace;
use wattle_engine::{Answer, Halt, Reason, Statistics, Suspicion, Verdict};
use wattle_memory::reduction::{Moves, Reduced, plain_moves};
use wattle_program::ThreadId;
use wattle_program::text::print_term;

use crate::certificate::certificate;
use crate::prove::Conclusion;
use crate::replay;
use crate::subject::Subject;

impl Subject<'_> {
    /// The conclusion of a loop on a system: that of the reduced program, or else of the program itself.
    pub fn answer(
        &self,
        conclusion: Conclusion,
        system: &System,
        reduced: Option<&Reduced>,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let moves = &reduced.map_or_else(|| plain_moves(&self.program), |reduced| reduced.moves.clone());
        match conclusion {
            Conclusion::Proof(proof) => {
                proof.figures.record(statistics);
                Ok(certificate(self.task, system, reduced, moves, &proof).into())
            }
            Conclusion::Violated { trace, solution, .. } => {
                let counterexample = replay::counterexample(self, system, moves, &trace, &solution)?;
                Ok((Verdict::Unsafe { counterexample }, None).into())
            }
            Conclusion::GaveUp { why, trace, predicates, .. } => {
                let program = reduced.map_or(&self.program, |reduced| &reduced.program);
                let predicates = predicates.terms().iter().map(|term| print_term(program, term));
                let unknown = Verdict::Unknown { reason: Reason::Undecided(why.to_string()) };
                let suspicion = Some(suspicion(system, moves, &trace, predicates.collect()));
                Ok(Answer { suspicion, ..(unknown, None).into() })
            }
        }
    }
}

/// The edges of the program on an abstract trace.
fn suspicion(system: &System, moves: &Moves, trace: &AbstractTrace, predicates: Vec<String>) -> Suspicion {
    let step = |number: &usize| {
        let transition = &system.transitions[*number];
        let edge = moves[transition.thread as usize][transition.edge.0 as usize].edge()?;
        Some((ThreadId(transition.thread), edge))
    };
    Suspicion { steps: trace.steps.iter().filter_map(step).collect(), predicates }
}
