//! The loop of section 7: abstract, check, and analyse the counterexample.
//!
//! A trace that the abstraction allows is one of four things (the paper's Fig. 1):
//!
//! 1. feasible under sequential consistency: the program is wrong, and no fence mends it;
//! 2. infeasible there, but feasible under the model: the program is wrong under the model;
//! 3. infeasible there, but feasible with the abstract buffers: there must be more slots, as many as it takes to
//!    exclude the trace (some number does, because the trace has finitely many stores);
//! 4. infeasible with the abstract buffers: there must be more predicates. This is the inner loop
//!    (`wattle_proving::Proving`), which ends with a proof or with a trace of the first three kinds.
//!
//! Feasibility under the model is asked of the exact reduction with as many slots as the trace has stores
//! ([`feasible`]), and what is found there is replayed on the machine.

use wattle_abstraction::System;
use wattle_abstraction::checker::AbstractTrace;
use wattle_abstraction::path::Solution;
use wattle_engine::{Answer, Halt, Hints, Progress, Reason, Statistics};
use wattle_memory::reduction::{Capacity, Reduction, plain_moves};
use wattle_proving::{
    Approach, Conclusion, FromSc, GaveUp, Learnt, Lifting, Proving, Start, Subject, UnderSc, instances,
    irrelevant, why_stopped,
};

use crate::feasible::{Feasible, Goal, Moving, Written, feasible};
use crate::options::Refine;
use crate::parameterised::{parameterised, templates};
use crate::turns::{Turn, Turns};

/// The engine at work on one task.
pub(crate) struct Refinement<'a> {
    pub engine: &'a Refine,
    pub subject: &'a Subject<'a>,
}

/// What a counterexample of the abstraction is.
enum Case {
    /// 1 and 2: a run of the machine.
    Real(Box<Real>),
    /// 3: the fewest slots that exclude it.
    Slots(u32),
    /// It is not known which.
    Unclear,
}

fn too_coarse(slots: u32) -> String {
    let exact = match slots {
        0 => "no store of a buffer is".to_string(),
        1 => "one store of a buffer is".to_string(),
        _ => format!("{slots} stores of a buffer are"),
    };
    format!("a trace that the machine does not have is possible if {exact} kept in order")
}

/// A trace in the exact reduction, with inputs.
struct Real {
    written: Written,
    trace: AbstractTrace,
    solution: Solution,
}

/// A trace with more stores in one thread is not analysed.
const MOST_STORES: u32 = 24;

/// The greatest number of them in a round; predicates only ever come.
const TEMPLATES: &str = "parameterised predicates";

impl Refinement<'_> {
    /// `hints` learns what other tasks may begin with, whatever comes of this one.
    pub(crate) fn verdict(&self, hints: &mut Hints, statistics: &mut Statistics) -> Result<Answer, Halt> {
        let subject = self.subject;
        let how = UnderSc { approach: &Approach::Lazy, refines: true, patience: None, most: None };
        let conclusion = subject.prove_under_sc(how, statistics)?;
        hints.learn(subject.left_under_sc(&conclusion));
        let Some(reduction) = subject.reduction else {
            return subject.answer(conclusion, &subject.sc, None, statistics);
        };
        if let Conclusion::Violated { trace, .. } = &conclusion {
            let moving = Moving::of(&subject.program, &subject.sc, &plain_moves(&subject.program), trace);
            if let Some(real) = self.on_the_machine(reduction, &moving, &moving.at_once())? {
                return self.unsafe_by(real, conclusion, statistics);
            }
        }
        let sc = subject.left_by(conclusion, statistics);
        let mut turns = Turns::new(self.engine.slots);
        let (mut last, mut too_large) = (None, None);
        while let Some(turn) = turns.next() {
            let slots = turn.slots;
            statistics.count("slots", u64::from(slots));
            let written = self.written(reduction, &self.engine.abstract_buffers(slots))?;
            let conclusion = match self.prove(&written, &sc, &turn) {
                // So many slots need too many predicates; fewer may still do.
                Err(Halt::Unknown(reason @ Reason::TooLarge(_))) => {
                    too_large = Some(reason);
                    turns.drop_this();
                    continue;
                }
                proved => proved?,
            };
            let before = statistics.counted(TEMPLATES).unwrap_or(0);
            statistics
                .count(TEMPLATES, before.max(templates(conclusion.predicates(), &written.reduced, subject)));
            if let Some(lifting) = Lifting::new(&written.reduced) {
                hints.learn(subject.left_with_buffers(&lifting, &conclusion));
            }
            let stuck = match &conclusion {
                Conclusion::Proof(_) => {
                    return subject.answer(conclusion, &written.system, Some(&written.reduced), statistics);
                }
                Conclusion::Violated { trace, .. } => {
                    match self.analyse(reduction, &written, trace, slots)? {
                        Case::Real(real) => return self.unsafe_by(*real, conclusion, statistics),
                        Case::Slots(more) if turns.need(more, self.learnt(&written, &conclusion)) => continue,
                        Case::Slots(_) | Case::Unclear => self.gave_up(conclusion, too_coarse(slots)),
                    }
                }
                Conclusion::GaveUp { why: GaveUp::Patience(_), .. } => {
                    match self.learnt(&written, &conclusion) {
                        Some(learnt) => turns.put_off(learnt),
                        None => turns.drop_this(),
                    }
                    continue;
                }
                Conclusion::GaveUp { .. } => conclusion,
            };
            turns.drop_this();
            last = Some((stuck, written));
        }
        let nothing = Reason::Undecided("no number of slots is left to try".into());
        let (conclusion, written) = last.ok_or(too_large.unwrap_or(nothing))?;
        subject.answer(conclusion, &written.system, Some(&written.reduced), statistics)
    }

    fn written(&self, reduction: &dyn Reduction, capacity: &Capacity) -> Result<Written, Halt> {
        let reduced = reduction.reduce(self.subject.task.program, capacity).map_err(Reason::Unsupported)?;
        let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
        Ok(Written { reduced, system })
    }

    /// The inner loop.
    fn prove(&self, written: &Written, sc: &FromSc, turn: &Turn) -> Result<Conclusion, Halt> {
        let (subject, Written { reduced, system }) = (self.subject, written);
        let Turn { slots, learnt, patience } = turn;
        let phase = format!("{slots} exact slots");
        subject.run.progress(&Progress { phase: phase.clone(), states: 0, depth: 0 });
        let mut start = learnt.as_ref().map_or_else(Start::default, |learnt| learnt.start(&reduced.program));
        start.predicates = [parameterised(sc.predicates.terms(), reduced), start.predicates].concat();
        let given = sc.given && learnt.is_none();
        let proving = Proving {
            subject,
            system,
            approach: &Approach::Lazy,
            phase: &phase,
            bound: reduced.bound,
            prefers_bound: false,
            refines: true,
            forgets: !given,
            given,
            lean: false,
            patience: *patience,
            most: None,
            instances: &|predicate| instances(predicate, reduced),
            irrelevant: &|all| irrelevant(reduced, &subject.shape, &sc.predicates, all),
        };
        proving.prove(start)
    }

    /// Which of the four is it? (The fourth does not come here.)
    fn analyse(
        &self,
        reduction: &dyn Reduction,
        written: &Written,
        trace: &AbstractTrace,
        slots: u32,
    ) -> Result<Case, Halt> {
        let Written { reduced, system } = written;
        let moving = Moving::of(&reduced.program, system, &reduced.moves, trace);
        for goals in [moving.at_once(), moving.as_it_is()] {
            if let Some(real) = self.on_the_machine(reduction, &moving, &goals)? {
                return Ok(Case::Real(Box::new(real)));
            }
        }
        let most = moving.stores(&self.subject.program);
        for more in slots + 1..=most.min(MOST_STORES) {
            let finer = self.written(reduction, &self.engine.abstract_buffers(more))?;
            if let Feasible::No = self.feasible(&finer, &moving, &moving.as_it_is())? {
                return Ok(Case::Slots(more));
            }
        }
        Ok(Case::Unclear)
    }

    /// The moves on the machine: in the exact reduction, with room for all stores.
    fn on_the_machine(
        &self,
        reduction: &dyn Reduction,
        moving: &Moving,
        goals: &[Goal],
    ) -> Result<Option<Real>, Halt> {
        let stores = moving.stores(&self.subject.program);
        if stores > MOST_STORES {
            return Ok(None);
        }
        let written = self.written(reduction, &Capacity::all(stores.max(1)))?;
        match self.feasible(&written, moving, goals)? {
            Feasible::Yes(found) => {
                let (trace, solution) = *found;
                Ok(Some(Real { written, trace, solution }))
            }
            Feasible::No | Feasible::Unclear => Ok(None),
        }
    }

    fn feasible(&self, written: &Written, moving: &Moving, goals: &[Goal]) -> Result<Feasible, Halt> {
        let solver = &mut written.system.solver(&self.subject.solver).map_err(Reason::Solver)?;
        feasible(written, goals, moving, solver)
            .map_err(|stopped| why_stopped(self.subject.run, stopped).into())
    }

    fn unsafe_by(
        &self,
        real: Real,
        conclusion: Conclusion,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let Real { written, trace, solution } = real;
        let Conclusion::Violated { predicates, further, figures, .. } = conclusion else {
            return self.subject.answer(conclusion, &written.system, Some(&written.reduced), statistics);
        };
        let real = Conclusion::Violated { trace, solution, predicates, further, figures };
        self.subject.answer(real, &written.system, Some(&written.reduced), statistics)
    }

    /// What is carried over to more slots, or to the next turn with as many.
    fn learnt(&self, written: &Written, conclusion: &Conclusion) -> Option<Learnt> {
        match conclusion {
            Conclusion::Violated { predicates, further, figures, .. }
            | Conclusion::GaveUp { predicates, further, figures, .. } => Some(Learnt {
                program: written.reduced.program.clone(),
                predicates: predicates.clone(),
                further: further.clone(),
                figures: figures.clone(),
            }),
            Conclusion::Proof(_) => None,
        }
    }

    fn gave_up(&self, conclusion: Conclusion, why: String) -> Conclusion {
        match conclusion {
            Conclusion::Violated { trace, predicates, further, figures, .. } => {
                Conclusion::GaveUp { why: GaveUp::Stuck(why), trace, predicates, further, figures }
            }
            other => other,
        }
    }
}
