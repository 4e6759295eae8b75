//! The refinement loop on one program: abstract, check, replay, refine.
//!
//! A violation in the abstract is solved for inputs. If there are none, the trace was possible only because
//! the predicates say too little, and more come from the trace itself. The loop ends with a proof, a
//! violation that has inputs, or when the budget is spent; it gives up when a trace yields nothing new.

use std::collections::HashMap;
use std::fmt;
use std::time::Instant;

use wattle_abstraction::checker::{AbstractTrace, Checked, Reached, Violated};
use wattle_abstraction::path::{Solution, obligation, solve};
use wattle_abstraction::{
    Ask, Cube, Known, MOST_PREDICATES, Predicates, Questions, Reach, Scope, Set, Stopped, System, generalise,
    interpolate, slice,
};
use wattle_engine::{Contradiction, Halt, Reason, Spent, Work};
use wattle_logic::Term;
use wattle_smt::Solver;

use crate::attempt::{Approach, Attempt};
use crate::figures::Figures;
use crate::solver::why_stopped;
use crate::subject::Subject;
use crate::text::comparisons;

/// What an abstract state costs, questions to the solver aside.
pub(crate) const STATE: Work = Work::microseconds(4);

/// What the questions about a transition and a predicate cost to write down.
const TRANSITION: Work = Work::microseconds(1);

/// How a refinement loop ended.
#[derive(Debug)]
pub enum Conclusion {
    Proof(Box<Proof>),
    Violated {
        trace: AbstractTrace,
        solution: Solution,
        predicates: Predicates,
        /// The questions that had to reach further.
        further: HashMap<Ask, Reach>,
        figures: Box<Figures>,
    },
    GaveUp {
        why: GaveUp,
        /// What could be neither refuted nor solved.
        trace: AbstractTrace,
        predicates: Predicates,
        further: HashMap<Ask, Reach>,
        figures: Box<Figures>,
    },
}

/// Why there is neither a proof nor a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// So many rounds were all that it was to have.
    Patience(u64),
    /// The loop does not know how to go on.
    Stuck(String),
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GaveUp::Patience(rounds) => write!(f, "refinement has no end after {rounds} rounds"),
            GaveUp::Stuck(why) => f.write_str(why),
        }
    }
}

impl Conclusion {
    /// The predicates that the loop ended with.
    pub fn predicates(&self) -> &Predicates {
        match self {
            Conclusion::Proof(proof) => &proof.predicates,
            Conclusion::Violated { predicates, .. } | Conclusion::GaveUp { predicates, .. } => predicates,
        }
    }
}

/// Why nothing is violated.
#[derive(Debug)]
pub struct Proof {
    pub predicates: Predicates,
    pub questions: Questions,
    pub reached: Reached,
    /// By goal: the cubes that imply it.
    pub cubes: Vec<Vec<Cube>>,
    /// Was what it can do without left out?
    pub lean: bool,
    /// Predicates that were left out.
    pub dropped: Vec<Term>,
    pub figures: Figures,
}

/// How the loop is to work on one program.
pub struct Proving<'a> {
    pub subject: &'a Subject<'a>,
    /// That of the program itself, or of a reduced one.
    pub system: &'a System,
    pub approach: &'a Approach<'a>,
    pub phase: &'a str,
    /// The property that says that the reduction's bound is large enough. It is looked at last.
    pub bound: Option<usize>,
    /// If a trace is not real, but another that violates the bound was met before and is: does the loop end
    /// with that one? A larger bound must be tried then anyway, and refinement is better spent there.
    pub prefers_bound: bool,
    /// May the loop look for more predicates?
    pub refines: bool,
    /// Are dead locals forgotten from the first round on? Predicates that somebody gave may speak of them, as
    /// links between live ones; only where those do not suffice are the dead forgotten, and refinement finds
    /// what takes their place.
    pub forgets: bool,
    /// Are the predicates those that somebody gave? A proof with these and no others stays as it is.
    pub given: bool,
    /// Is the proof to do with as few predicates as it can?
    pub lean: bool,
    /// After so many rounds the loop gives up.
    pub patience: Option<u64>,
    /// With more abstract states than these in a round it ends without a conclusion. `None`: as many as it takes.
    pub most: Option<u64>,
    /// What comes with a predicate that refinement finds, beside its images under exchanges of copies.
    pub instances: &'a dyn Fn(&Term) -> Vec<Term>,
    /// Where a predicate holds, which others do not matter.
    pub irrelevant: &'a dyn Fn(&Predicates) -> Vec<(usize, Set)>,
}

impl fmt::Debug for Proving<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proving").field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// What the loop begins with.
#[derive(Debug, Default)]
pub struct Start {
    pub predicates: Vec<Term>,
    /// The questions that are known to need more than the others.
    pub further: HashMap<Ask, Reach>,
    /// The rounds and predicates of earlier loops, which count.
    pub figures: Figures,
}

impl From<Vec<Term>> for Start {
    fn from(predicates: Vec<Term>) -> Start {
        Start { predicates, ..Start::default() }
    }
}

/// What becomes more precise from round to round.
pub(crate) struct Abstraction {
    pub predicates: Predicates,
    pub scope: Scope,
    /// Answers of earlier rounds.
    pub known: Known,
    /// By trace: the predicates that it has yielded.
    pub explained: Vec<Vec<Term>>,
}

/// So many traces are explained by slices alone. Interpolants are more general, but they cost up to a second for a
/// long trace, and most proofs need few traces: then both lead to the same predicates.
const EXPLAINED_BY_SLICES: usize = 2;

/// The same where the proof is made lean: what is too much is left out again.
const EXPLAINED_IF_LEAN: usize = 4;

/// What a slice may yield without interpolants being asked for.
const FEW: usize = 24;

fn too_many() -> Reason {
    Reason::TooLarge(format!("more than {MOST_PREDICATES} predicates"))
}

impl Proving<'_> {
    pub fn prove(&self, start: Start) -> Result<Conclusion, Halt> {
        let started = Instant::now();
        let mut figures = start.figures;
        let mut abstraction = self.abstraction(&start.predicates, start.further)?;
        loop {
            figures.rounds += 1;
            let solver = &mut self.fresh()?;
            let mut questions = self.questions(&abstraction.predicates, &abstraction.scope)?;
            let Abstraction { predicates, known, .. } = &mut abstraction;
            let most = self.most.unwrap_or(u64::MAX);
            let attempt = self.attempt(solver, predicates, &mut questions, known, &mut figures, most)?;
            let too_many = || Reason::TooLarge(format!("more than {most} abstract states"));
            let Attempt { checked, cubes } = attempt.ok_or_else(too_many)?;
            let (trace, put_off) = match checked {
                Checked::Violated { trace, put_off } => (trace, put_off),
                Checked::Holds(reached) => {
                    figures.calls += solver.counters().checks;
                    figures.seconds_checking = started.elapsed().as_secs_f64() - figures.seconds_building;
                    return self.proof(abstraction, questions, reached, cubes, figures);
                }
            };
            let put_off = put_off.filter(|_| self.prefers_bound);
            for trace in [&trace].into_iter().chain(&put_off) {
                let solution = self.solution(solver, trace)?;
                if let Some(solution) = solution {
                    let Abstraction { predicates, scope: Scope { further, .. }, .. } = abstraction;
                    let (trace, figures) = (trace.clone(), Box::new(figures));
                    return Ok(Conclusion::Violated { trace, solution, predicates, further, figures });
                }
            }
            let rounds = figures.rounds - start.figures.rounds;
            let impatient = self.patience.is_some_and(|patience| rounds >= patience);
            let refined = match impatient {
                true => Err(GaveUp::Patience(rounds)),
                false => self.refine(solver, &mut abstraction, &mut questions, &trace)?,
            };
            figures.calls += solver.counters().checks;
            match refined {
                Ok(more) => figures.refined += more,
                Err(why) => {
                    let Abstraction { predicates, scope: Scope { further, .. }, .. } = abstraction;
                    let figures = Box::new(figures);
                    return Ok(Conclusion::GaveUp { why, trace, predicates, further, figures });
                }
            }
        }
    }

    /// An empty solver for each round: what an earlier round asked would only be in the way.
    pub(crate) fn fresh(&self) -> Result<Solver, Reason> {
        self.system.solver(&self.subject.solver).map_err(Reason::Solver)
    }

    fn is_lazy(&self) -> bool {
        matches!(self.approach, Approach::Lazy | Approach::Elsewhere(_))
    }

    /// The coarsest one: what the first round works with.
    fn abstraction(&self, start: &[Term], further: HashMap<Ask, Reach>) -> Result<Abstraction, Reason> {
        let predicates = Predicates::new(self.system, start).ok_or_else(too_many)?;
        // Guards tell more than the paper's transformers do; its own methods go without.
        let lazy = self.is_lazy();
        let reach = if lazy { Reach::Inside } else { Reach::Whole };
        let tells = lazy || matches!(self.approach, Approach::Told(_));
        let scope = Scope { tells, reach, further, forgets: self.forgets };
        Ok(Abstraction { predicates, scope, known: Known::default(), explained: vec![] })
    }

    fn proof(
        &self,
        abstraction: Abstraction,
        questions: Questions,
        reached: Reached,
        cubes: Vec<Vec<Cube>>,
        mut figures: Figures,
    ) -> Result<Conclusion, Halt> {
        let Abstraction { predicates, scope, known, .. } = abstraction;
        figures.take(&predicates, &questions, &reached, &cubes);
        let mut proof =
            Proof { predicates, questions, reached, cubes, lean: self.lean, dropped: vec![], figures };
        if self.lean && !(self.given && figures.refined == 0) {
            self.make_lean(&mut proof, &scope, &known)?;
        }
        Ok(Conclusion::Proof(Box::new(proof)))
    }

    /// Make the abstraction more precise, because of a trace that is not real: how many predicates are new?
    /// First, the predicates may say enough and only not have been asked.
    fn refine(
        &self,
        solver: &mut Solver,
        abstraction: &mut Abstraction,
        questions: &mut Questions,
        trace: &AbstractTrace,
    ) -> Result<Result<usize, GaveUp>, Halt> {
        let failed = |stopped| self.reason(stopped);
        let further = self.further(solver, abstraction, questions, trace).map_err(failed)?;
        if !further.is_empty() {
            abstraction.scope.further.extend(further);
            return Ok(Ok(0));
        }
        if !self.refines {
            return Ok(Err(GaveUp::Stuck("the predicates do not suffice".into())));
        }
        if self.is_lazy() && !abstraction.scope.forgets {
            abstraction.scope.forgets = true;
            return Ok(Ok(0));
        }
        let most = if self.lean { EXPLAINED_IF_LEAN } else { EXPLAINED_BY_SLICES };
        let slices = abstraction.explained.len() < most;
        let predicates = &mut abstraction.predicates;
        let before = predicates.len();
        let (given, target) = self.obligation(trace)?;
        let more = self.explain(solver, predicates, trace, &given, &target, slices).map_err(failed)?;
        for predicate in &more {
            if predicates.add(self.system, predicate).is_none() {
                return Ok(Err(GaveUp::Stuck(format!("more than {MOST_PREDICATES} predicates"))));
            }
        }
        for image in more.iter().flat_map(|new| [self.subject.images(new), (self.instances)(new)].concat()) {
            // Where there is no room left, it must do without.
            predicates.add(self.system, &image);
        }
        abstraction.explained.push(more);
        for offered in generalise(self.system, &abstraction.explained, &|| comparisons(self.system)) {
            predicates.add(self.system, &offered);
        }
        let new = predicates.len() - before;
        let nothing = || GaveUp::Stuck("refinement found no new predicate".into());
        Ok(if new == 0 { Err(nothing()) } else { Ok(new) })
    }

    fn obligation(&self, trace: &AbstractTrace) -> Result<(Term, Term), Halt> {
        let found = "an abstract trace violates something";
        let nothing =
            || Contradiction::within(self.subject.engine, found, "there is no such check or property").into();
        obligation(self.system, trace).ok_or_else(nothing)
    }

    /// Is the trace real?
    fn solution(&self, solver: &mut Solver, trace: &AbstractTrace) -> Result<Option<Solution>, Halt> {
        let (given, target) = self.obligation(trace)?;
        solve(self.system, solver, trace, &given, &target).map_err(|stopped| self.reason(stopped).into())
    }

    /// The new predicates that the trace yields: from weakest preconditions or from interpolants, whichever
    /// are fewer. `slices`: from weakest preconditions, if these are few.
    fn explain(
        &self,
        solver: &mut Solver,
        predicates: &Predicates,
        trace: &AbstractTrace,
        given: &Term,
        target: &Term,
        slices: bool,
    ) -> Result<Vec<Term>, Stopped> {
        let new = |found: Option<Vec<Term>>| {
            let found = found.into_iter().flatten();
            found.filter(|predicate| predicates.is_new(self.system, predicate)).collect::<Vec<Term>>()
        };
        let sliced = new(slice::predicates(self.system, solver, trace, given, target)?);
        if slices && !sliced.is_empty() && sliced.len() <= FEW {
            return Ok(sliced);
        }
        let mut interpolated = new(interpolate::predicates(self.system, solver, trace, given, target)?);
        // An interpolant may be the sum of what it rests on, which says little about any of it. Such sums are taken
        // only where there is nothing else.
        let is_sum = |one: &Term| self.system.cells_of(one).len() > 2;
        if interpolated.iter().any(|one| !is_sum(one)) {
            interpolated.retain(|one| !is_sum(one));
        }
        let use_sliced = interpolated.is_empty() || !sliced.is_empty() && sliced.len() < interpolated.len();
        Ok(if use_sliced { sliced } else { interpolated })
    }

    pub(crate) fn reason(&self, stopped: Stopped) -> Reason {
        why_stopped(self.subject.run, stopped)
    }

    pub(crate) fn spent(&self, states: u64) -> Spent {
        Spent { memory: self.subject.run.resident().unwrap_or(0), states }
    }

    pub(crate) fn questions(&self, predicates: &Predicates, scope: &Scope) -> Result<Questions, Reason> {
        let mut look = || self.subject.run.poll(TRANSITION * predicates.len() as u64, Spent::default());
        let mut questions = Questions::within(self.system, predicates, scope.clone(), &mut look)?;
        if self.is_lazy() {
            questions.irrelevant = (self.irrelevant)(predicates);
        }
        Ok(questions)
    }
}

/// Does the trace show only that the reduction's bound is too small?
pub fn violates_bound(trace: &AbstractTrace, bound: Option<usize>) -> bool {
    matches!(&trace.violated, Violated::Property(property) if Some(*property) == bound)
}
