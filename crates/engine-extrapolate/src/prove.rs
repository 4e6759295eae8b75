//! The refinement loop on one program: abstract, check, replay, refine.
//!
//! A violation in the abstract is solved for inputs. If there are none, the trace was possible only because
//! the predicates say too little, and more come from the trace itself. The loop ends with a proof, a
//! violation that has inputs, or when the budget is spent; it gives up when a trace yields nothing new.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use wattle_abstraction::boolean::BooleanProgram;
use wattle_abstraction::checker::{Checked, LOOK_AFTER, Reached, Trace, Violated, check};
use wattle_abstraction::path::{Solution, obligation, solve};
use wattle_abstraction::search::{Candidates, Cubes, Implicants, Search};
use wattle_abstraction::{
    Ask, Cube, Goal, Judge, Judgement, Known, Lazy, Prover, Questions, Reach, Scope, Set, Stopped, System,
    Vocabulary, interpolate, slice,
};
use wattle_engine::{Contradiction, Halt, Progress, Reason, Run, Spent, Work};
use wattle_logic::Term;
use wattle_smt::Solver;

use crate::widen::Widening;

/// What an abstract state costs, questions to the solver aside.
pub(crate) const STATE: Work = Work::microseconds(4);

/// What the questions about a transition and a predicate cost to write down.
const TRANSITION: Work = Work::microseconds(1);

/// Which cubes are looked for.
#[derive(Clone, Debug)]
pub(crate) enum Approach {
    /// All, where a state asks for them.
    Lazy,
    Cubes(usize),
    Implicants(usize),
    /// These, besides single literals.
    Candidates(Vec<Vec<(Term, bool)>>),
}

/// How a refinement loop ended.
pub(crate) enum Outcome {
    Proof(Box<Proof>),
    Violated {
        trace: Trace,
        solution: Solution,
        vocabulary: Vocabulary,
        /// The questions that had to reach further.
        further: HashMap<Ask, Reach>,
        figures: Box<Figures>,
    },
    /// The loop does not know how to go on.
    GaveUp {
        why: String,
        vocabulary: Vocabulary,
    },
}

/// Why nothing is violated.
pub(crate) struct Proof {
    pub vocabulary: Vocabulary,
    pub questions: Questions,
    pub reached: Reached,
    /// By goal: the cubes that imply it.
    pub cubes: Vec<Vec<Cube>>,
    pub figures: Figures,
}

/// What one loop cost: the columns of the paper's tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub predicates: usize,
    pub input_cubes: usize,
    pub rounds: u64,
    pub refined: usize,
    pub calls: u64,
    pub cubes: usize,
    pub cube_size: usize,
    pub states: u64,
    /// Of cubes, before a check.
    pub seconds_building: f64,
    /// All the rest, refinement included.
    pub seconds_checking: f64,
}

impl Figures {
    pub(crate) fn take(
        &mut self,
        vocabulary: &Vocabulary,
        questions: &Questions,
        reached: &Reached,
        cubes: &[Vec<Cube>],
    ) {
        let used = of_the_program(questions, cubes);
        self.predicates = vocabulary.len();
        self.states = reached.visited;
        self.cubes = used.iter().filter(|cube| cube.len() > 1).count();
        self.cube_size = used.iter().map(|cube| cube.len()).max().unwrap_or(0);
    }
}

/// What one check shows.
pub(crate) struct Attempt {
    pub checked: Checked,
    /// By goal: the cubes that imply it.
    pub cubes: Vec<Vec<Cube>>,
}

pub(crate) struct Proving<'a> {
    pub system: &'a System,
    pub run: &'a Run,
    pub approach: &'a Approach,
    pub phase: &'a str,
    /// The property that says that no buffer overflows.
    pub overflow: Option<usize>,
    pub refine: bool,
    /// Are the predicates those that somebody gave? These may speak of dead locals, as links between live ones; only
    /// where they do not suffice are the dead forgotten, and refinement finds what takes their place.
    pub given: bool,
    /// Is an overflow as good as a violation, should a round of refinement be needed?
    pub in_passing: bool,
    /// Is the proof to do with as few predicates as it can?
    pub lean: bool,
    /// What comes with a predicate that refinement finds.
    pub images: &'a dyn Fn(&Term) -> Vec<Term>,
    /// Where a predicate holds, which others do not matter.
    pub irrelevant: &'a dyn Fn(&Vocabulary) -> Vec<(usize, Set)>,
}

impl Proving<'_> {
    pub fn prove(
        &self,
        fresh: &dyn Fn() -> Result<Solver, Reason>,
        predicates: &[Term],
        further: HashMap<Ask, Reach>,
    ) -> Result<Outcome, Halt> {
        let too_many = || Reason::TooLarge("more than 256 predicates".into());
        let mut vocabulary = Vocabulary::new(self.system, predicates).ok_or_else(too_many)?;
        let mut figures = Figures::default();
        // Guards tell more than the paper's transformers do; its own methods go without.
        let lazy = matches!(self.approach, Approach::Lazy);
        let reach = if lazy { Reach::Inside } else { Reach::Whole };
        let mut scope = Scope { tells: lazy, reach, further, forgets: lazy && self.refine && !self.given };
        let mut known = Known::default();
        let started = Instant::now();
        loop {
            figures.rounds += 1;
            // What an earlier round asked would only be in the way.
            let solver = &mut fresh()?;
            let mut questions = self.questions(&vocabulary, &scope)?;
            let attempt =
                self.attempt(solver, &vocabulary, &mut questions, &mut known, &mut figures, u64::MAX)?;
            let stopped = || Reason::Undecided("the abstract search was stopped".into());
            let Attempt { checked, cubes } = attempt.ok_or_else(stopped)?;
            let (trace, put_off) = match checked {
                Checked::Holds(reached) => {
                    figures.take(&vocabulary, &questions, &reached, &cubes);
                    figures.calls += solver.counters().checks;
                    figures.seconds_checking = started.elapsed().as_secs_f64() - figures.seconds_building;
                    let mut proof = Proof { vocabulary, questions, reached, cubes, figures };
                    if self.lean && !(self.given && figures.refined == 0) {
                        self.make_lean(fresh, &mut proof, &scope, &known)?;
                    }
                    return Ok(Outcome::Proof(Box::new(proof)));
                }
                Checked::Violated { trace, put_off } => (trace, put_off),
            };
            // Where buffers are too small anyway, refinement is better spent on larger ones.
            let put_off = put_off.filter(|_| self.in_passing);
            for trace in [&trace].into_iter().chain(&put_off) {
                if let Some(solution) = self.solution(solver, &vocabulary, &mut questions, trace)? {
                    let (trace, further) = (trace.clone(), scope.further);
                    let figures = Box::new(figures);
                    return Ok(Outcome::Violated { trace, solution, vocabulary, further, figures });
                }
            }
            let (given, target) = self.obligation(&vocabulary, &mut questions, &trace)?;
            let failed = |stopped| self.reason(stopped);
            // Do the predicates say enough, and were only not asked?
            let widening = Widening { proving: self, vocabulary: &vocabulary, scope: &scope, trace: &trace };
            let further = widening.further(solver, &mut questions, &mut known).map_err(failed)?;
            if !further.is_empty() {
                figures.calls += solver.counters().checks;
                scope.further.extend(further);
                continue;
            }
            if !self.refine {
                let why = "the predicates do not suffice".to_string();
                return Ok(Outcome::GaveUp { why, vocabulary });
            }
            if lazy && !scope.forgets {
                figures.calls += solver.counters().checks;
                scope.forgets = true;
                continue;
            }
            let before = vocabulary.len();
            let more = self.refinement(solver, &vocabulary, &trace, &given, &target).map_err(failed)?;
            figures.calls += solver.counters().checks;
            for predicate in &more {
                vocabulary.add(self.system, predicate).ok_or_else(too_many)?;
            }
            for image in more.iter().flat_map(self.images) {
                // Where there is no room left, it must do without.
                vocabulary.add(self.system, &image);
            }
            figures.refined += vocabulary.len() - before;
            if vocabulary.len() == before {
                let why = "refinement found no new predicate".to_string();
                return Ok(Outcome::GaveUp { why, vocabulary });
            }
        }
    }

    fn obligation(
        &self,
        vocabulary: &Vocabulary,
        questions: &mut Questions,
        trace: &Trace,
    ) -> Result<(Term, Term), Halt> {
        let found = "an abstract trace violates something";
        let nothing =
            || Contradiction::within("extrapolate", found, "there is no such check or property").into();
        obligation(self.system, vocabulary, questions, trace).ok_or_else(nothing)
    }

    /// Is the trace real?
    fn solution(
        &self,
        solver: &mut Solver,
        vocabulary: &Vocabulary,
        questions: &mut Questions,
        trace: &Trace,
    ) -> Result<Option<Solution>, Halt> {
        let (given, target) = self.obligation(vocabulary, questions, trace)?;
        solve(self.system, solver, trace, &given, &target).map_err(|stopped| self.reason(stopped).into())
    }

    /// The new predicates that the trace yields: from interpolants or from weakest preconditions, whichever
    /// are fewer.
    fn refinement(
        &self,
        solver: &mut Solver,
        vocabulary: &Vocabulary,
        trace: &Trace,
        given: &Term,
        target: &Term,
    ) -> Result<Vec<Term>, Stopped> {
        let interpolated = interpolate::predicates(self.system, solver, trace, given, target)?;
        let sliced = slice::predicates(self.system, solver, trace, given, target)?;
        let new = |found: Option<Vec<Term>>| {
            let found = found.into_iter().flatten();
            found.filter(|predicate| vocabulary.is_new(self.system, predicate)).collect::<Vec<Term>>()
        };
        let (interpolated, sliced) = (new(interpolated), new(sliced));
        let use_sliced = interpolated.is_empty() || !sliced.is_empty() && sliced.len() < interpolated.len();
        Ok(if use_sliced { sliced } else { interpolated })
    }

    fn reason(&self, stopped: Stopped) -> Reason {
        match stopped {
            // Only memory comes back.
            Stopped::Asked => self.run.poll(Work::NONE, self.spent(0)).err().unwrap_or(Reason::Memory),
            Stopped::Solver(why) => Reason::Solver(why),
        }
    }

    pub(crate) fn spent(&self, states: u64) -> Spent {
        Spent { memory: self.run.resident().unwrap_or(0), states }
    }

    pub(crate) fn questions(&self, vocabulary: &Vocabulary, scope: &Scope) -> Result<Questions, Reason> {
        let mut look = || self.run.poll(TRANSITION * vocabulary.len() as u64, Spent::default());
        let mut questions = Questions::within(self.system, vocabulary, scope.clone(), &mut look)?;
        if matches!(self.approach, Approach::Lazy) {
            questions.irrelevant = (self.irrelevant)(vocabulary);
        }
        Ok(questions)
    }

    /// One check. `None`: more states than `most`.
    pub(crate) fn attempt(
        &self,
        solver: &mut Solver,
        vocabulary: &Vocabulary,
        questions: &mut Questions,
        known: &mut Known,
        figures: &mut Figures,
        most: u64,
    ) -> Result<Option<Attempt>, Reason> {
        let failed = |stopped| self.reason(stopped);
        let started = Instant::now();
        let mut lazy = Lazy::new(Prover::new(solver, vocabulary).map_err(failed)?);
        lazy.remember(&questions.goals, known);
        let mut judge = match self.search(vocabulary, figures) {
            None => Either::Lazy(lazy),
            Some(search) => {
                let mut program = BooleanProgram::new(search, lazy);
                program.build(questions).map_err(failed)?;
                Either::Built(program)
            }
        };
        figures.seconds_building += started.elapsed().as_secs_f64();
        let size = vocabulary.len();
        let (mut too_many, mut halted) = (false, None);
        let mut go_on = |states: u64, _bytes: u64| {
            too_many = states > most;
            if too_many {
                return false;
            }
            let phase = format!("{} with {size} predicates", self.phase);
            self.run.progress(&Progress { phase, states, depth: figures.rounds });
            halted = self.run.poll(STATE * LOOK_AFTER as u64, self.spent(states)).err();
            halted.is_none()
        };
        let checked = check(self.system, vocabulary, questions, &mut judge, self.overflow, &mut go_on);
        if too_many {
            return Ok(None);
        }
        if let Some(reason) = halted {
            return Err(reason);
        }
        let checked = checked.map_err(failed)?;
        if let Checked::Holds(reached) = &checked {
            self.run.poll(Work::NONE, self.spent(reached.visited))?;
        }
        let cubes = match judge {
            Either::Lazy(lazy) => {
                lazy.tell(&questions.goals, known);
                lazy.implicants
            }
            Either::Built(program) => {
                let mut cubes: Vec<Vec<Cube>> =
                    program.cubes.into_iter().map(Option::unwrap_or_default).collect();
                // What was found out beside it: contradictions.
                for (number, more) in program.aside.implicants.into_iter().enumerate() {
                    if cubes.len() <= number {
                        cubes.resize(number + 1, vec![]);
                    }
                    cubes[number].extend(more);
                }
                cubes
            }
        };
        Ok(Some(Attempt { checked, cubes }))
    }

    fn search(&self, vocabulary: &Vocabulary, figures: &mut Figures) -> Option<Box<dyn Search>> {
        match self.approach {
            Approach::Lazy => None,
            Approach::Cubes(limit) => Some(Box::new(Cubes { limit: *limit })),
            Approach::Implicants(limit) => Some(Box::new(Implicants { limit: *limit })),
            Approach::Candidates(cubes) => {
                let number = |(term, value): &(Term, bool)| {
                    let (predicate, same) = vocabulary.literal_of(term)?;
                    Some((predicate, *value == same))
                };
                let cubes: Vec<Cube> =
                    cubes.iter().filter_map(|cube| cube.iter().map(number).collect()).collect();
                figures.input_cubes = cubes.len();
                Some(Box::new(Candidates { cubes }))
            }
        }
    }
}

enum Either<'a> {
    Lazy(Lazy<'a>),
    Built(BooleanProgram<'a>),
}

impl Judge for Either<'_> {
    fn judge(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Judgement, Stopped> {
        match self {
            Either::Lazy(lazy) => lazy.judge(number, goal, state, open),
            Either::Built(program) => program.judge(number, goal, state, open),
        }
    }
}

/// The distinct cubes of the boolean program. Contradictions are beside it.
fn of_the_program<'c>(questions: &Questions, cubes: &'c [Vec<Cube>]) -> BTreeSet<&'c Cube> {
    let beside: BTreeSet<usize> = questions.contradictions.iter().copied().collect();
    let goals = cubes.iter().enumerate().filter(|(goal, _)| !beside.contains(goal));
    goals.flat_map(|(_, cubes)| cubes).collect()
}

/// Is this the property that was put off?
pub(crate) fn is_overflow(trace: &Trace, overflow: Option<usize>) -> bool {
    matches!(&trace.violated, Violated::Property(property) if Some(*property) == overflow)
}
