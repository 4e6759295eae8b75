//! The method of Dan, Meshman, Vechev and Yahav (2013), their Fig. 2 (b) and section 4, as a loop.
//!
//! Prove the program `P` under sequential consistency, with predicates `V` and cubes `C`. Reduce it to `P_M`,
//! which has the buffers of the machine written into it. Extrapolate `V` and `C` to what `P_M` knows of its
//! buffers, and prove `P_M` with that. If a buffer overflows, do it again with larger ones, and with what was
//! learnt; a proof without overflow holds for buffers of any size (their theorem 1).

use wattle_abstraction::checker::AbstractTrace;
use wattle_abstraction::{Predicates, System};
use wattle_engine::{Answer, Halt, Progress, Reason, Run, Statistics, Suspicion, Task, Verdict};
use wattle_logic::Term;
use wattle_memory::reduction::{Moves, Reduced, Reduction, plain_moves};
use wattle_program::{Program, Shape, ThreadId};
use wattle_smt::Solver;

use crate::attempt::Approach;
use crate::certificate::certificate;
use crate::cubes::{self, Literals};
use crate::learnt::Learnt;
use crate::options::{Extrapolate, Method};
use crate::prove::{Conclusion, Proving, Start, violates_bound};
use crate::rules::{extrapolate, extrapolate_cubes};
use crate::{MOST_PENDING, flat, given, reduction, relevance, replay, starts, symmetry};

/// One task, and what is made of it once.
pub(crate) struct Extrapolation<'a> {
    engine: &'a Extrapolate,
    task: &'a Task<'a>,
    run: &'a Run,
    /// `None`: under sequential consistency there is nothing to extrapolate to.
    reduction: Option<&'static dyn Reduction>,
    shape: Shape,
    /// The program, flat, and its transitions.
    program: Program,
    sc: System,
    /// Others are made beside it.
    solver: Solver,
}

/// What the proof under sequential consistency leaves to extrapolate from.
struct FromSc {
    predicates: Predicates,
    cubes: Vec<Literals>,
    /// Are all predicates given ones?
    given: bool,
}

impl<'a> Extrapolation<'a> {
    pub fn new(engine: &'a Extrapolate, task: &'a Task<'a>, run: &'a Run) -> Result<Self, Reason> {
        let unsupported = Reason::Unsupported;
        let reduction = reduction(task).map_err(unsupported)?;
        let program = flat(task.program).map_err(unsupported)?;
        let sc = System::new(&program).map_err(unsupported)?;
        let mut solver = engine.solver(run)?;
        if engine.is_given(&program) {
            given(&program, &sc, &mut solver).map_err(unsupported)?;
        }
        if program.init.is_some() {
            starts(&sc, &mut sc.solver(&solver).map_err(Reason::Solver)?)?;
        }
        let shape = task.shape().map_err(unsupported)?;
        Ok(Extrapolation { engine, task, run, reduction, shape, program, sc, solver })
    }

    pub fn verdict(&self, statistics: &mut Statistics) -> Result<Answer, Halt> {
        let conclusion = self.prove_under_sc(statistics)?;
        let Some(reduction) = self.reduction else {
            return self.answer(conclusion, &self.sc, None, statistics);
        };
        let sc = self.left_by(conclusion, statistics);
        let mut learnt = None;
        let sizes = self.engine.buffer.as_ref().map_or(1..=MOST_PENDING, |room| room.each..=room.each);
        for each in sizes {
            self.run.progress(&Progress { phase: format!("buffers of {each}"), states: 0, depth: 0 });
            let room = self.engine.room(each);
            let reduced = reduction.reduce_within(self.task.program, &room).map_err(Reason::Unsupported)?;
            let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
            statistics.count("buffer", u64::from(each));
            match self.prove_reduced(&reduced, &system, &sc, learnt.as_ref(), each)? {
                Conclusion::Violated { trace, predicates, further, figures, .. }
                    if violates_bound(&trace, reduced.bound) =>
                {
                    learnt = Some(Learnt { program: reduced.program, predicates, further, figures });
                }
                conclusion => return self.answer(conclusion, &system, Some(&reduced), statistics),
            }
        }
        Err(Reason::TooLarge(self.engine.more_may_be_pending()).into())
    }

    fn prove_under_sc(&self, statistics: &mut Statistics) -> Result<Conclusion, Halt> {
        let predicates = self.engine.start(&self.program, &self.sc);
        let of_text = Predicates::new(&self.sc, &predicates).map_or(0, |predicates| predicates.len());
        let approach = self.engine.approach();
        let proving = Proving {
            engine: "extrapolate",
            system: &self.sc,
            run: self.run,
            approach: &approach,
            phase: "proof under sc",
            fresh: &|| self.sc.solver(&self.solver).map_err(Reason::Solver),
            bound: None,
            prefers_bound: false,
            refines: !self.engine.no_refinement,
            given: self.engine.is_given(&self.program),
            lean: !self.engine.no_refinement && self.reduction.is_some(),
            images: &|predicate| symmetry::images(self.task.program, &self.shape, predicate),
            irrelevant: &|_| vec![],
        };
        let conclusion = proving.prove(Start { predicates, ..Start::default() })?;
        statistics.count("text predicates", of_text as u64);
        statistics.count("sc predicates", conclusion.predicates().len() as u64);
        Ok(conclusion)
    }

    /// Where the program is unsafe already, or was not proved, its predicates may still help.
    fn left_by(&self, conclusion: Conclusion, statistics: &mut Statistics) -> FromSc {
        let given = self.engine.is_given(&self.program);
        match conclusion {
            Conclusion::Proof(proof) => {
                statistics.count("sc refined predicates", proof.figures.refined as u64);
                statistics.count("sc rounds", proof.figures.rounds);
                statistics.count("sc calls", proof.figures.calls);
                statistics.count("sc states", proof.figures.states);
                let (cubes, given) = (cubes::of_proof(&proof), given && proof.figures.refined == 0);
                FromSc { predicates: proof.predicates, cubes, given }
            }
            Conclusion::Violated { predicates, .. } | Conclusion::GaveUp { predicates, .. } => {
                FromSc { predicates, cubes: vec![], given }
            }
        }
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
        let proving = Proving {
            engine: "extrapolate",
            system,
            run: self.run,
            approach: &approach,
            phase: &format!("proof with buffers of {each}"),
            fresh: &|| system.solver(&self.solver).map_err(Reason::Solver),
            bound: reduced.bound,
            // One slot shows most violations, and after the last there is no other try.
            prefers_bound: self.engine.buffer.is_none() && (2..MOST_PENDING).contains(&each),
            refines: !self.engine.no_refinement,
            given: sc.given && learnt.is_none(),
            lean: false,
            images: &|predicate| symmetry::images(self.task.program, &self.shape, predicate),
            irrelevant: &|all| relevance::irrelevant(reduced, &self.shape, &sc.predicates, all),
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
    fn approach(&self, reduced: &Reduced, cubes: &[Literals]) -> Approach {
        let cubes = || extrapolate_cubes(cubes, reduced, &self.engine.rules);
        match self.engine.method {
            Method::Ce => Approach::Candidates(cubes()),
            Method::CeDrop => Approach::Candidates(cubes::without_buffers(&self.program, cubes())),
            Method::Auto | Method::Trad | Method::Pe => self.engine.approach(),
        }
    }

    /// What the loop on a system came to, in terms of the task.
    fn answer(
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
                let counterexample = replay::counterexample(self.task, system, moves, &trace, &solution)?;
                Ok((Verdict::Unsafe { counterexample }, None).into())
            }
            Conclusion::GaveUp { why, trace, .. } => {
                let unknown = Verdict::Unknown { reason: Reason::Undecided(why) };
                let suspicion = Some(suspicion(system, moves, &trace));
                Ok(Answer { suspicion, ..(unknown, None).into() })
            }
        }
    }
}

/// The edges of the program on an abstract trace.
fn suspicion(system: &System, moves: &Moves, trace: &AbstractTrace) -> Suspicion {
    let step = |number: &usize| {
        let transition = &system.transitions[*number];
        let edge = moves[transition.thread as usize][transition.edge.0 as usize].edge()?;
        Some((ThreadId(transition.thread), edge))
    };
    Suspicion { steps: trace.steps.iter().filter_map(step).collect() }
}
