//! The method of Dan, Meshman, Vechev and Yahav (2013), their Fig. 2 (b) and section 4, as a loop.
//!
//! Prove the program `P` under sequential consistency, with predicates `V` and cubes `C`. Reduce it to `P_M`,
//! which has the buffers of the machine written into it. Extrapolate `V` and `C` to what `P_M` knows of its
//! buffers, and prove `P_M` with that. If a buffer overflows, do it again with larger ones, and with what was
//! learnt; a proof without overflow holds for buffers of any size (their theorem 1).

use wattle_abstraction::System;
use wattle_engine::{Answer, Halt, Hints, Progress, Reason, Statistics};
use wattle_logic::Term;
use wattle_memory::reduction::Reduced;
use wattle_proving::{
    Approach, Conclusion, FromSc, Learnt, Lifting, Literals, Proving, Start, Subject, UnderSc, irrelevant,
    violates_bound,
};

use crate::MOST_PENDING;
use crate::cubes;
use crate::options::{Extrapolate, Method};
use crate::remote::Remote;
use crate::rules::{extrapolate, extrapolate_cubes};

/// The engine at work on one task.
pub(crate) struct Extrapolation<'a> {
    pub engine: &'a Extrapolate,
    pub subject: &'a Subject<'a>,
}

impl Extrapolation<'_> {
    /// `hints` learns what other tasks may begin with, whatever comes of this one.
    pub fn verdict(&self, hints: &mut Hints, statistics: &mut Statistics) -> Result<Answer, Halt> {
        let (engine, subject) = (self.engine, self.subject);
        if let Some(reduction) = subject.reduction.filter(|it| it.discipline().is_remote()) {
            return Remote { engine, subject, reduction }.verdict(hints, statistics);
        }
        let refines = !engine.no_refinement;
        let how = UnderSc { approach: &engine.approach(), refines, patience: None, most: None };
        let conclusion = subject.prove_under_sc(how, statistics)?;
        hints.learn(subject.left_under_sc(&conclusion));
        let Some(reduction) = subject.reduction else {
            return subject.answer(conclusion, &subject.sc, None, statistics);
        };
        let sc = subject.left_by(conclusion, statistics);
        let mut learnt = None;
        let sizes = engine.buffer.as_ref().map_or(1..=MOST_PENDING, |room| room.each..=room.each);
        for each in sizes {
            subject.run.progress(&Progress { phase: format!("buffers of {each}"), states: 0, depth: 0 });
            let room = engine.room(each);
            let reduced =
                reduction.reduce_within(subject.task.program, &room).map_err(Reason::Unsupported)?;
            let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
            statistics.count("buffer", u64::from(each));
            let conclusion = self.prove_reduced(&reduced, &system, &sc, learnt.as_ref(), each)?;
            if let Some(lifting) = Lifting::new(&reduced) {
                hints.learn(subject.left_with_buffers(&lifting, &conclusion));
            }
            match conclusion {
                Conclusion::Violated { trace, predicates, further, figures, .. }
                    if violates_bound(&trace, reduced.bound) =>
                {
                    learnt = Some(Learnt { program: reduced.program, predicates, further, figures });
                }
                conclusion => return subject.answer(conclusion, &system, Some(&reduced), statistics),
            }
        }
        Err(Reason::TooLarge(engine.more_may_be_pending()).into())
    }

    fn prove_reduced(
        &self,
        reduced: &Reduced,
        system: &System,
        sc: &FromSc,
        learnt: Option<&Learnt>,
        each: u32,
    ) -> Result<Conclusion, Halt> {
        let mut start = learnt.map_or_else(Start::default, |learnt| learnt.start(&reduced.program));
        start.predicates = [self.extrapolated(reduced, sc.predicates.terms()), start.predicates].concat();
        let approach = self.approach(reduced, &sc.cubes);
        let (refines, given) = (!self.engine.no_refinement, sc.given && learnt.is_none());
        let proving = Proving {
            subject: self.subject,
            system,
            approach: &approach,
            phase: &format!("proof with buffers of {each}"),
            bound: reduced.bound,
            // One slot shows most violations, and after the last there is no other try.
            prefers_bound: self.engine.buffer.is_none() && (2..MOST_PENDING).contains(&each),
            refines,
            forgets: refines && !given,
            given,
            lean: false,
            patience: None,
            most: None,
            instances: &|_| vec![],
            irrelevant: &|all| irrelevant(reduced, &self.subject.shape, &sc.predicates, all),
        };
        proving.prove(start)
    }

    /// The paper's `V_M`.
    fn extrapolated(&self, reduced: &Reduced, predicates: &[Term]) -> Vec<Term> {
        match self.engine.method {
            Method::Trad => predicates.to_vec(),
            _ => extrapolate(predicates, reduced, &self.engine.rules),
        }
    }

    /// How cubes are found: cube extrapolation takes the paper's `C_M`.
    fn approach(&self, reduced: &Reduced, cubes: &[Literals]) -> Approach<'static> {
        let cubes = || extrapolate_cubes(cubes, reduced, &self.engine.rules);
        match self.engine.method {
            Method::Ce => Approach::Candidates(cubes()),
            Method::CeDrop => Approach::Candidates(cubes::without_buffers(&self.subject.program, cubes())),
            // Boolean programs are extrapolated to remote operations only: `accepts` says so.
            Method::Auto | Method::Trad | Method::Pe | Method::Ebp => self.engine.approach(),
        }
    }
}
