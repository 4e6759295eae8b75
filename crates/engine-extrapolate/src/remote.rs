//! The method of Baumann, Dan, Meshman, Hoefler and Vechev (VMCAI 2018, section 2.3) as a loop.
//!
//! Prove the program `P` with remote operations done at once, with predicates `V`. Reduce it to `P̄`, in which sets and
//! flags stand for what is pending (`wattle_memory::reduction::rma`). Extrapolate `V` to these ([`extrapolated`], the
//! paper's `EP(V)`), and prove `P̄` with that.
//!
//! What differs from the paper:
//!
//! * A trace that `P̄` has is replayed on the machine. If the machine has it, the program is unsafe. If not, instances
//!   of one statement were confused in its set: more of them are kept apart (slots), with all predicates
//!   so far. A trace that `P̄` does not have yields more predicates, each with its copies for sets.
//! * Predicates over sets are two each, `all(X, p)` and `all(X, not p)`, instead of one with three values. These are
//!   the values *true* and *false* of the paper; where neither is known, its value is `*`.
//! * Transformers are found by asking the solver about `P̄` where a state needs them. The paper's own way, without such
//!   questions, is [`Extrapolated`] (`--method ebp`).

use std::collections::BTreeSet;
use std::rc::Rc;

use wattle_abstraction::System;
use wattle_engine::{Answer, Halt, Hints, Progress, Reason, Statistics, Verdict};
use wattle_logic::Term;
use wattle_memory::reduction::{Reduced, Reduction};
use wattle_proving::{
    Approach, Conclusion, FromSc, GaveUp, Learnt, Lifting, Proving, Start, Subject, control, copies, flags,
    instances, violates_bound,
};

use crate::ebp::Extrapolated;
use crate::options::{Extrapolate, Method, PAPERS_CUBE_SIZE};

/// Where no number is given, so many instances of a statement are kept apart at most.
const MOST_APART: u32 = 3;

/// The engine at work on a program with remote operations.
pub(crate) struct Remote<'a> {
    pub engine: &'a Extrapolate,
    pub subject: &'a Subject<'a>,
    pub reduction: &'static dyn Reduction,
}

impl Remote<'_> {
    pub(crate) fn verdict(
        &self,
        sc: &FromSc,
        hints: &mut Hints,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let Remote { engine, subject, reduction } = *self;
        let mut learnt = None;
        let numbers = engine.buffer.as_ref().map_or(0..=MOST_APART, |room| room.each..=room.each);
        let mut last = None;
        for apart in numbers {
            let phase = format!("proof with {apart} instances of a statement apart");
            subject.run.progress(&Progress { phase: phase.clone(), states: 0, depth: 0 });
            let room = engine.room(apart);
            let reduced =
                reduction.reduce_within(subject.task.program, &room).map_err(Reason::Unsupported)?;
            let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
            statistics.count("apart", u64::from(apart));
            let conclusion = self.prove(&reduced, &system, sc, learnt.as_ref(), &phase, statistics)?;
            if let Some(lifting) = Lifting::new(&reduced) {
                hints.learn(subject.left_with_buffers(&lifting, &conclusion));
            }
            let Conclusion::Violated { trace, solution, predicates, further, figures } = conclusion else {
                return subject.answer(conclusion, &system, Some(&reduced), statistics);
            };
            if !violates_bound(&trace, reduced.bound)
                && let Some(found) = subject.counterexample(&system, Some(&reduced), &trace, &solution)?
            {
                return Ok((Verdict::Unsafe { counterexample: found }, None).into());
            }
            let why = match violates_bound(&trace, reduced.bound) {
                true => format!("a remote atomic may be pending more than {} times", apart.max(1)),
                false => too_coarse(apart),
            };
            let why = GaveUp::Stuck(why);
            learnt = Some(Learnt {
                program: reduced.program.clone(),
                predicates: predicates.clone(),
                further: further.clone(),
                figures: figures.clone(),
            });
            let stuck = Conclusion::GaveUp { why, trace, predicates, further, figures };
            last = Some((stuck, system, reduced));
        }
        match last {
            Some((stuck, system, reduced)) => subject.answer(stuck, &system, Some(&reduced), statistics),
            None => Err(Reason::Undecided("no number of instances is left to try".into()).into()),
        }
    }

    fn prove(
        &self,
        reduced: &Reduced,
        system: &System,
        sc: &FromSc,
        learnt: Option<&Learnt>,
        phase: &str,
        statistics: &mut Statistics,
    ) -> Result<Conclusion, Halt> {
        let engine = self.engine;
        let limit = engine.cube_size.unwrap_or(PAPERS_CUBE_SIZE);
        let ebp = (engine.method == Method::Ebp)
            .then(|| Extrapolated::new(self.subject, system, reduced, limit).map(Rc::new))
            .flatten();
        let approach = match &ebp {
            Some(ebp) => Approach::Told(ebp.clone()),
            None => engine.approach(),
        };
        let mut start = learnt.map_or_else(Start::default, |learnt| learnt.start(&reduced.program));
        start.predicates = [extrapolated(sc.predicates.terms(), reduced), start.predicates].concat();
        let (refines, given) = (!self.engine.no_refinement, sc.given && learnt.is_none());
        let proving = Proving {
            subject: self.subject,
            system,
            approach: &approach,
            phase,
            bound: reduced.bound,
            prefers_bound: false,
            refines,
            forgets: refines && !given,
            given,
            lean: false,
            patience: None,
            instances: &|predicate| instances(predicate, reduced),
            irrelevant: &|_| vec![],
        };
        let conclusion = proving.prove(start)?;
        if let Some(ebp) = &ebp {
            ebp.record(conclusion.predicates(), statistics);
        }
        Ok(conclusion)
    }
}

/// The paper's `EP(V)`: the predicates of the proof, the same of all elements of each set (both ways), and the flags of
/// the statements that matter: those that write what a predicate speaks of.
pub(crate) fn extrapolated(predicates: &[Term], reduced: &Reduced) -> Vec<Term> {
    let of_sets = predicates.iter().flat_map(|predicate| copies(predicate, reduced));
    let flags = match Lifting::new(reduced) {
        None => control(reduced),
        Some(lifting) => {
            let mut named = BTreeSet::new();
            for predicate in predicates {
                predicate.walk(&mut |term| named.extend(lifting.location(term)));
            }
            flags(reduced, &|statement| statement.writes().iter().any(|location| named.contains(location)))
        }
    };
    predicates.iter().cloned().chain(of_sets).chain(flags).collect()
}

fn too_coarse(apart: u32) -> String {
    let kept = match apart {
        0 => "no instances of a remote statement are".to_string(),
        1 => "one instance of a remote statement is".to_string(),
        _ => format!("{apart} instances of a remote statement are"),
    };
    format!("a trace that the machine does not have is possible if {kept} kept apart")
}
