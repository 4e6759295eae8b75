//! One round of the loop: the abstract states over some predicates, and whether one of them is bad.

use std::rc::Rc;
use std::time::Instant;

use wattle_abstraction::boolean::BooleanProgram;
use wattle_abstraction::checker::{Checked, LOOK_AFTER, check};
use wattle_abstraction::search::{Candidates, Cubes, Implicants, Search};
use wattle_abstraction::{
    Cube, Elsewhere, Entail, Entailed, Goal, Known, Lazy, Predicates, Prover, Questions, Set, Stopped, Told,
    Transformers,
};
use wattle_engine::{Progress, Reason, Work};
use wattle_logic::Term;
use wattle_smt::Solver;

use crate::figures::Figures;
use crate::prove::{Proving, STATE};

/// Which cubes are looked for.
#[derive(Clone, Debug)]
pub enum Approach<'t> {
    /// All, where a state asks for them.
    Lazy,
    /// The same; these are asked before the solver is.
    Elsewhere(Rc<dyn Elsewhere + 't>),
    Cubes(usize),
    Implicants(usize),
    /// These, besides single literals.
    Candidates(Vec<Vec<(Term, bool)>>),
    /// None: what these know.
    Told(Rc<dyn Transformers + 't>),
}

/// What one check shows.
pub(crate) struct Attempt {
    pub checked: Checked,
    /// By goal: the cubes that imply it.
    pub cubes: Vec<Vec<Cube>>,
}

impl Proving<'_> {
    /// One check. `None`: more states than `most`.
    pub(crate) fn attempt(
        &self,
        solver: &mut Solver,
        predicates: &Predicates,
        questions: &mut Questions,
        known: &mut Known,
        figures: &mut Figures,
        most: u64,
    ) -> Result<Option<Attempt>, Reason> {
        let failed = |stopped| self.reason(stopped);
        let started = Instant::now();
        let mut answers = match self.approach {
            Approach::Told(from) => {
                from.prepare(predicates).map_err(failed)?;
                Answers::Told(Told::new(&**from, predicates, questions))
            }
            _ => {
                let elsewhere = self.elsewhere();
                if let Some(elsewhere) = elsewhere {
                    elsewhere.prepare(predicates).map_err(failed)?;
                }
                let prover = Prover::new(solver, predicates).map_err(failed)?;
                let mut lazy = Lazy::new(prover).asking(elsewhere);
                lazy.remember(&questions.goals, known);
                match self.search(predicates, figures) {
                    None => Answers::Lazy(lazy),
                    Some(search) => {
                        let mut program = BooleanProgram::new(search, lazy);
                        program.build(questions).map_err(failed)?;
                        Answers::Built(program)
                    }
                }
            }
        };
        figures.seconds_building += started.elapsed().as_secs_f64();
        let size = predicates.len();
        let (mut too_many, mut halted) = (false, None);
        let mut go_on = |states: u64, _bytes: u64| {
            too_many = states > most;
            if too_many {
                return false;
            }
            let phase = format!("{} with {size} predicates", self.phase);
            self.subject.run.progress(&Progress { phase, states, depth: figures.rounds });
            halted = self.subject.run.poll(STATE * LOOK_AFTER as u64, self.spent(states)).err();
            halted.is_none()
        };
        let checked = check(self.system, predicates, questions, &mut answers, self.bound, &mut go_on);
        if too_many {
            return Ok(None);
        }
        if let Some(reason) = halted {
            return Err(reason);
        }
        let checked = checked.map_err(failed)?;
        if let Checked::Holds(reached) = &checked {
            self.subject.run.poll(Work::NONE, self.spent(reached.visited))?;
        }
        let cubes = match answers {
            Answers::Told(told) => told.cubes.into_iter().map(Option::unwrap_or_default).collect(),
            Answers::Lazy(lazy) => {
                lazy.tell(&questions.goals, known);
                lazy.implicants
            }
            Answers::Built(program) => {
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

    /// Who is asked before the solver is.
    pub(crate) fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        match self.approach {
            Approach::Elsewhere(elsewhere) => Some(&**elsewhere),
            _ => None,
        }
    }

    fn search(&self, predicates: &Predicates, figures: &mut Figures) -> Option<Box<dyn Search>> {
        match self.approach {
            Approach::Lazy | Approach::Elsewhere(_) | Approach::Told(_) => None,
            Approach::Cubes(limit) => Some(Box::new(Cubes { limit: *limit })),
            Approach::Implicants(limit) => Some(Box::new(Implicants { limit: *limit })),
            Approach::Candidates(cubes) => {
                let number = |(term, value): &(Term, bool)| {
                    let (predicate, same) = predicates.literal_of(term)?;
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

enum Answers<'a> {
    Lazy(Lazy<'a>),
    Built(BooleanProgram<'a>),
    Told(Told<'a>),
}

impl Entail for Answers<'_> {
    fn entails(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Entailed, Stopped> {
        match self {
            Answers::Lazy(lazy) => lazy.entails(number, goal, state, open),
            Answers::Built(program) => program.entails(number, goal, state, open),
            Answers::Told(told) => told.entails(number, goal, state, open),
        }
    }
}
