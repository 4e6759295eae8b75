//! What the loop came to, in terms of the task.

use wattle_abstraction::System;
use wattle_abstraction::checker::AbstractTrace;
use wattle_abstraction::path::Solution;
use wattle_engine::{Answer, Counterexample, Halt, Reason, Statistics, Suspicion, Verdict};
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
                match self.counterexample(system, reduced, &trace, &solution)? {
                    Some(counterexample) => Ok((Verdict::Unsafe { counterexample }, None).into()),
                    None => Err(Reason::Undecided("a trace that the machine does not have".into()).into()),
                }
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

impl Subject<'_> {
    /// The execution of the machine that a trace with inputs is. `None`: the machine has no such execution, because the reduced
    /// program does more than it.
    pub fn counterexample(
        &self,
        system: &System,
        reduced: Option<&Reduced>,
        trace: &AbstractTrace,
        solution: &Solution,
    ) -> Result<Option<Box<Counterexample>>, Halt> {
        replay::counterexample(self, system, reduced, trace, solution)
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
