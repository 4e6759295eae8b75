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
    Approach, Conclusion, FromSc, Learnt, Lifting, Proving, Start, Subject, UnderSc, irrelevant, why_stopped,
};

use crate::feasible::{Feasible, Goal, Moving, Written, feasible};
use crate::options::Refine;
use crate::parameterised::{instances, parameterised, templates};

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
    /// 4: and refinement finds no predicates that exclude it.
    Predicates,
    /// It is not known which.
    Unclear,
    /// None: the loop has ended.
    Done,
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

/// The exact slots to begin with. With none, a store that is alone in its buffer may reach memory twice.
const FIRST_SLOTS: u32 = 1;

/// Slots are added for a trace up to this number. Where each number excludes one trace more and no number all
/// of them, the order of stores matters, and the abstract rest has none.
const MOST_SLOTS: u32 = 6;

/// Where refinement by predicates does not come to an end, one slot more is tried, up to this number.
const MOST_TRIED: u32 = 3;

/// Refinement is taken not to come to an end after so many rounds.
const PATIENCE: u64 = 24;

/// A trace with more stores in one thread is not analysed.
const MOST_STORES: u32 = 24;

/// The greatest number of them in a round; predicates only ever come.
const TEMPLATES: &str = "parameterised predicates";

impl Refinement<'_> {
    /// `hints` learns what other tasks may begin with, whatever comes of this one.
    pub(crate) fn verdict(&self, hints: &mut Hints, statistics: &mut Statistics) -> Result<Answer, Halt> {
        let subject = self.subject;
        let how = UnderSc { approach: &Approach::Lazy, refines: true };
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
        let (mut slots, mut learnt) = (self.engine.slots.unwrap_or(FIRST_SLOTS), None);
        loop {
            statistics.count("slots", u64::from(slots));
            let written = self.written(reduction, &self.engine.abstract_buffers(slots))?;
            let conclusion = self.prove(&written, &sc, learnt.as_ref(), slots)?;
            let before = statistics.counted(TEMPLATES).unwrap_or(0);
            statistics
                .count(TEMPLATES, before.max(templates(conclusion.predicates(), &written.reduced, subject)));
            if let Some(lifting) = Lifting::new(&written.reduced) {
                hints.learn(subject.left_with_buffers(&lifting, &conclusion));
            }
            let case = match &conclusion {
                Conclusion::Violated { trace, .. } => self.analyse(reduction, &written, trace, slots)?,
                Conclusion::GaveUp { .. } if slots < MOST_TRIED => Case::Predicates,
                Conclusion::GaveUp { .. } | Conclusion::Proof(_) => Case::Done,
            };
            let conclusion = match (case, self.engine.slots) {
                (Case::Real(real), _) => return self.unsafe_by(*real, conclusion, statistics),
                (Case::Slots(more), None) if more <= MOST_SLOTS => {
                    slots = more;
                    learnt = self.learnt(written, conclusion);
                    continue;
                }
                (Case::Predicates, None) => {
                    (slots, learnt) = (slots + 1, None);
                    continue;
                }
                (Case::Slots(_) | Case::Unclear, _) => self.gave_up(conclusion, too_coarse(slots)),
                (Case::Predicates | Case::Done, _) => conclusion,
            };
            return subject.answer(conclusion, &written.system, Some(&written.reduced), statistics);
        }
    }

    fn written(&self, reduction: &dyn Reduction, capacity: &Capacity) -> Result<Written, Halt> {
        let reduced = reduction.reduce(self.subject.task.program, capacity).map_err(Reason::Unsupported)?;
        let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
        Ok(Written { reduced, system })
    }

    /// The inner loop.
    fn prove(
        &self,
        written: &Written,
        sc: &FromSc,
        learnt: Option<&Learnt>,
        slots: u32,
    ) -> Result<Conclusion, Halt> {
        let (subject, Written { reduced, system }) = (self.subject, written);
        let phase = format!("{slots} exact slots");
        subject.run.progress(&Progress { phase: phase.clone(), states: 0, depth: 0 });
        let mut start = learnt.map_or_else(Start::default, |learnt| learnt.start(&reduced.program));
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
            patience: (self.engine.slots.is_none() && slots < MOST_TRIED).then_some(PATIENCE),
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

    /// What is carried over to more slots.
    fn learnt(&self, written: Written, conclusion: Conclusion) -> Option<Learnt> {
        match conclusion {
            Conclusion::Violated { predicates, further, figures, .. } => {
                Some(Learnt { program: written.reduced.program, predicates, further, figures })
            }
            Conclusion::Proof(_) | Conclusion::GaveUp { .. } => None,
        }
    }

    fn gave_up(&self, conclusion: Conclusion, why: String) -> Conclusion {
        match conclusion {
            Conclusion::Violated { trace, predicates, .. } => Conclusion::GaveUp { why, trace, predicates },
            other => other,
        }
    }
}
