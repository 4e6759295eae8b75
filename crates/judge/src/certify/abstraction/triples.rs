//! The first layer: every triple is valid.
//!
//! For each one the solver is asked for a counterexample: a state that satisfies the cube (and the guard,
//! where the claim is about a step that is taken) and not what is claimed. What a step chooses is free, so
//! the claim holds whatever is chosen.

use wattle_abstraction::Cube;
use wattle_engine::certificate::abstraction::Triple;
use wattle_engine::{Halt, Reason, Run, Spent, Unsupported, Work};
use wattle_logic::{Kind, Term};
use wattle_smt::{Decide, Decision, Library, Limits, Lit, Solver};

use super::{Checked, Claim, places, sets, wrong};

/// A solver slows down with the formulas it has seen; after so many questions there is a new one. (With remainders, two
/// thousand questions to one take seven times as long as two hundred to each of ten.)
const QUESTIONS_A_SOLVER: u64 = 250;

/// What a question costs.
const QUESTION: Work = Work::microseconds(100);

pub(super) struct Triples<'c> {
    checked: &'c Checked<'c>,
    run: &'c Run,
    solver: Solver,
    asked: u64,
}

impl<'c> Triples<'c> {
    pub(crate) fn new(
        checked: &'c Checked<'c>,
        library: &'c Library,
        run: &'c Run,
    ) -> Result<Triples<'c>, Reason> {
        let limits = Limits { memory: run.budget().memory };
        let mut first = Solver::new(library, limits).map_err(|stop| Reason::Solver(stop.to_string()))?;
        let watched = run.clone();
        first.stop_when(move || watched.poll(Work::NONE, spent(&watched)).is_err());
        Ok(Triples { checked, run, solver: checked.system.solver(&first).map_err(Reason::Solver)?, asked: 0 })
    }

    pub(crate) fn check(&mut self) -> Result<(), Halt> {
        let triples = self.checked.proof.triples.iter().zip(&self.checked.cubes);
        for (number, (triple, cube)) in triples.enumerate() {
            let (given, target) = self.meaning(&triple.claim);
            if !self.is_valid(cube, self.guard(&triple.claim), &given, &target)? {
                return Err(wrong(format!("triple {number} does not hold: {}", describe(triple))));
            }
        }
        Ok(())
    }

    /// The condition on which the step is taken that is spoken of.
    fn guard(&self, claim: &Claim) -> Option<&'c Term> {
        match claim {
            Claim::Blocked { step } | Claim::Sets { step, .. } => {
                Some(&self.checked.system.transitions[self.checked.steps[step]].guard)
            }
            // A step that a check stops is never taken as a whole.
            Claim::Checks { step, check } => {
                Some(&self.checked.system.transitions[self.checked.steps[step]].checks[*check].guard)
            }
            Claim::Contradiction | Claim::Initially { .. } | Claim::Holds { .. } => None,
        }
    }

    /// What is claimed: the first implies the second.
    fn meaning(&self, claim: &Claim) -> (Term, Term) {
        let (proof, system) = (self.checked.proof, &self.checked.system);
        let truth = Term::bool(true);
        let literal = |predicate: usize, value: bool| {
            let predicate = &proof.predicates[predicate];
            if value { predicate.clone() } else { predicate.negated() }
        };
        let transition = |step| &system.transitions[self.checked.steps[step]];
        match claim {
            Claim::Contradiction => (truth, Term::bool(false)),
            Claim::Initially { predicate, value } => {
                (system.init.clone(), self.checked.initially(&literal(*predicate, *value)))
            }
            Claim::Blocked { step } => (truth, transition(step).guard.negated()),
            Claim::Sets { step, predicate, value } => {
                let transition = transition(step);
                let before = self.checked.before(transition, &literal(*predicate, *value));
                (transition.guard.clone(), before)
            }
            Claim::Checks { step, check } => {
                let check = &transition(step).checks[*check];
                (check.guard.clone(), check.holds.clone())
            }
            Claim::Holds { property, places: truths } => {
                let formula = &system.properties[*property].1;
                let named = places(formula);
                let filled = formula.map(&mut |term| match term.kind() {
                    Kind::At { .. } | Kind::Ended { .. } => {
                        let at = named.iter().position(|place| *place == term);
                        at.map_or(term, |at| Term::bool(truths[at]))
                    }
                    _ => term,
                });
                (truth, filled)
            }
        }
    }

    /// Do the cube and `given` imply `target`?
    fn is_valid(
        &mut self,
        cube: &Cube,
        guard: Option<&Term>,
        given: &Term,
        target: &Term,
    ) -> Result<bool, Reason> {
        let (predicates, truth) = (&self.checked.proof.predicates, Term::bool(true));
        let literals = cube
            .literals()
            .map(|(predicate, value)| sets::literal(&predicates[predicate], value, guard.unwrap_or(&truth)));
        let all: Vec<Term> = literals.chain([given.clone(), target.negated()]).collect();
        Ok(!self.is_possible(&all)?)
    }

    /// Can all this hold at once?
    pub(crate) fn is_possible(&mut self, all: &[Term]) -> Result<bool, Reason> {
        self.asked += 1;
        if self.asked.is_multiple_of(64) {
            self.run.poll(QUESTION * 64, spent(self.run))?;
        }
        if self.asked.is_multiple_of(QUESTIONS_A_SOLVER) {
            self.solver = self.checked.system.solver(&self.solver).map_err(Reason::Solver)?;
        }
        let mut assumed: Vec<Lit> = Vec::with_capacity(all.len());
        for term in all {
            let literal = self.solver.literal(term);
            assumed.push(literal.map_err(|why| Reason::Unsupported(Unsupported::new(why.to_string())))?);
        }
        match self.solver.check(&assumed) {
            Decision::Sat => Ok(true),
            Decision::Unsat => Ok(false),
            Decision::Stopped(why) => {
                self.run.poll(Work::NONE, spent(self.run))?;
                Err(Reason::Solver(why.to_string()))
            }
        }
    }
}

fn spent(run: &Run) -> Spent {
    Spent { memory: run.resident().unwrap_or(0), states: 0 }
}

fn describe(triple: &Triple) -> String {
    let literals = triple.cube.iter().map(|(predicate, value)| {
        let sign = if *value { "" } else { "!" };
        format!("{sign}{predicate}")
    });
    format!("{{{}}} {:?}", literals.collect::<Vec<_>>().join(" "), triple.claim)
}
