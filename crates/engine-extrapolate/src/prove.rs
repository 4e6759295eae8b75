//! The refinement loop on one program: abstract, check, replay, refine.
//!
//! A violation in the abstract is solved for inputs. If there are none, the trace was possible only because
//! the predicates say too little, and more come from the trace itself. The loop ends with a proof, a
//! violation that has inputs, or when the budget is spent; it gives up when a trace yields nothing new.

use std::collections::BTreeSet;

use wattle_abstraction::boolean::BooleanProgram;
use wattle_abstraction::checker::{Checked, Reached, Trace, Violated, check, follows};
use wattle_abstraction::path::{Solution, obligation, solve};
use wattle_abstraction::search::{Candidates, Cubes, Implicants, Search};
use wattle_abstraction::{
    Cube, Goal, Judge, Judgement, Known, Lazy, Prover, Questions, Reach, Scope, Set, Stopped, System,
    Vocabulary, interpolate, slice,
};
use wattle_engine::{Progress, Reason, Run, Spent};
use wattle_logic::Term;
use wattle_smt::{Counters, Solver};

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
    pub seconds_building: f64,
    pub seconds_checking: f64,
}

pub(crate) struct Proving<'a> {
    pub system: &'a System,
    pub run: &'a Run,
    pub approach: &'a Approach,
    pub phase: &'a str,
    /// The property that says that no buffer overflows.
    pub overflow: Option<usize>,
    pub refine: bool,
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
    ) -> Result<Outcome, Reason> {
        let too_many = || Reason::GaveUp("more than 256 predicates".into());
        let mut vocabulary = Vocabulary::new(self.system, predicates).ok_or_else(too_many)?;
        let mut figures = Figures::default();
        // Guards tell more than the paper's transformers do; its own methods go without.
        let lazy = matches!(self.approach, Approach::Lazy);
        let mut scope = Scope { tells: lazy, reach: if lazy { Reach::Inside } else { Reach::Whole } };
        let mut known = Known::new();
        loop {
            figures.rounds += 1;
            // What an earlier round asked would only be in the way.
            let solver = &mut fresh()?;
            let mut questions = Questions::new(self.system, &vocabulary, scope);
            if lazy {
                questions.irrelevant = (self.irrelevant)(&vocabulary);
            }
            // Given predicates must do without what refinement would put in the place of the dead.
            questions.forgets = lazy && self.refine;
            let before = solver.counters();
            let (checked, cubes) =
                self.attempt(solver, &vocabulary, &mut questions, &mut known, &mut figures)?;
            figures.predicates = vocabulary.len();
            figures.calls += calls(&before, &solver.counters());
            let trace = match checked {
                Checked::Holds(reached) => {
                    figures.states = reached.visited;
                    let used = of_the_program(&questions, &cubes);
                    figures.cubes = used.iter().filter(|cube| cube.len() > 1).count();
                    figures.cube_size = used.iter().map(|cube| cube.len()).max().unwrap_or(0);
                    let proof = Proof { vocabulary, questions, reached, cubes, figures };
                    return Ok(Outcome::Proof(Box::new(proof)));
                }
                Checked::Violated(trace) => trace,
            };
            let nothing = || Reason::GaveUp("a violation of nothing".into());
            let (given, target) =
                obligation(self.system, &vocabulary, &mut questions, &trace).ok_or_else(nothing)?;
            let solution = solve(self.system, solver, &trace, &given, &target);
            if let Some(solution) = solution.map_err(|stopped| self.reason(stopped))? {
                return Ok(Outcome::Violated { trace, solution, vocabulary });
            }
            let failed = |stopped| self.reason(stopped);
            // Do the predicates say enough, and were only not asked?
            if let Some(reach) = self.wider(solver, &vocabulary, scope, &trace).map_err(failed)? {
                scope.reach = reach;
                continue;
            }
            if !self.refine {
                let why = "the predicates do not suffice".to_string();
                return Ok(Outcome::GaveUp { why, vocabulary });
            }
            let before = vocabulary.len();
            let more = self.refinement(solver, &vocabulary, &trace, &given, &target).map_err(failed)?;
            for predicate in &more {
                vocabulary.add(self.system, predicate).ok_or_else(too_many)?;
            }
            for image in more.iter().flat_map(self.images) {
                vocabulary.add(self.system, &image).ok_or_else(too_many)?;
            }
            figures.refined += vocabulary.len() - before;
            if vocabulary.len() == before {
                let why = "refinement found no new predicate".to_string();
                return Ok(Outcome::GaveUp { why, vocabulary });
            }
        }
    }

    /// The next reach with which the trace leads nowhere, if there is one.
    fn wider(
        &self,
        solver: &mut Solver,
        vocabulary: &Vocabulary,
        scope: Scope,
        trace: &Trace,
    ) -> Result<Option<Reach>, Stopped> {
        let mut reach = scope.reach;
        while let Some(wider) = reach.wider() {
            reach = wider;
            let mut questions = Questions::new(self.system, vocabulary, Scope { reach, ..scope });
            questions.irrelevant = (self.irrelevant)(vocabulary);
            questions.forgets = self.refine;
            let mut judge = Lazy::new(Prover::new(solver, vocabulary)?);
            let mut go_on = |states: u64, _: u64| self.run.poll(self.spent(states)).is_ok();
            if !follows(self.system, vocabulary, &mut questions, &mut judge, trace, &mut go_on)? {
                return Ok(Some(reach));
            }
        }
        Ok(None)
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
            Stopped::Asked => match self.run.poll(self.spent(0)) {
                Err(reason) => reason,
                Ok(()) => Reason::GaveUp("stopped".into()),
            },
            Stopped::Solver(why) => Reason::GaveUp(why),
        }
    }

    fn spent(&self, states: u64) -> Spent {
        Spent { memory: self.run.resident().unwrap_or(0), states }
    }

    fn attempt(
        &self,
        solver: &mut Solver,
        vocabulary: &Vocabulary,
        questions: &mut Questions,
        known: &mut Known,
        figures: &mut Figures,
    ) -> Result<(Checked, Vec<Vec<Cube>>), Reason> {
        let failed = |stopped| self.reason(stopped);
        let started = std::time::Instant::now();
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
        figures.seconds_building = started.elapsed().as_secs_f64();
        let started = std::time::Instant::now();
        let size = vocabulary.len();
        let mut go_on = |states: u64, _bytes: u64| {
            let phase = format!("{} with {size} predicates", self.phase);
            self.run.progress(&Progress { phase, states, depth: figures.rounds });
            self.run.poll(self.spent(states)).is_ok()
        };
        let checked = check(self.system, vocabulary, questions, &mut judge, self.overflow, &mut go_on);
        let checked = checked.map_err(failed)?;
        figures.seconds_checking = started.elapsed().as_secs_f64();
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
        Ok((checked, cubes))
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

fn calls(before: &Counters, after: &Counters) -> u64 {
    after.checks - before.checks
}

/// Is this the property that was put off?
pub(crate) fn is_overflow(trace: &Trace, overflow: Option<usize>) -> bool {
    matches!(&trace.violated, Violated::Property(property) if Some(*property) == overflow)
}
