//! Goals put to the solver.

use wattle_logic::Term;
use wattle_smt::{Decide, Decision, Lit, Models, Solver, Stop};

use crate::cube::{Cube, Set};
use crate::entail::Stopped;
use crate::predicates::Predicates;
use crate::question::Goal;

/// Whether a cube implies a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// This part of it does, and no part of that part.
    Implied(Cube),
    /// Here is a state of the cube in which the goal fails: the values of the predicates in its cone.
    Not(Cube),
}

/// One long-lived solver; predicates and goals are activated by literals.
#[derive(Debug)]
pub struct Prover<'a> {
    pub solver: &'a mut Solver,
    predicates: Predicates,
    literals: Vec<(Lit, Lit)>,
}

impl<'a> Prover<'a> {
    pub fn new(solver: &'a mut Solver, predicates: &Predicates) -> Result<Prover<'a>, Stopped> {
        let mut prover = Prover { solver, predicates: Predicates::default(), literals: vec![] };
        prover.extend(predicates)?;
        Ok(prover)
    }

    pub fn predicates(&self) -> &Predicates {
        &self.predicates
    }

    /// From now on with these predicates, of which those so far are the first.
    pub fn extend(&mut self, predicates: &Predicates) -> Result<(), Stopped> {
        debug_assert!(predicates.terms().starts_with(self.predicates.terms()));
        for predicate in self.literals.len()..predicates.len() {
            let yes = literal(self.solver, &predicates.literal(predicate, true))?;
            self.literals.push((yes, literal(self.solver, &predicates.literal(predicate, false))?));
        }
        self.predicates = predicates.clone();
        Ok(())
    }

    fn literals(&self, cube: &Cube) -> impl Iterator<Item = Lit> + '_ {
        cube.literals().map(|(predicate, value)| {
            let (yes, no) = self.literals[predicate];
            if value { yes } else { no }
        })
    }

    /// Is there a state of the cube in which all of this holds?
    fn exists(&mut self, terms: &[&Term], cube: &Cube) -> Result<bool, Stopped> {
        let mut assumed = Vec::with_capacity(cube.len() + terms.len());
        for term in terms {
            if term.is_false() {
                return Ok(false);
            }
            if !term.is_true() {
                assumed.push(literal(self.solver, term)?);
            }
        }
        assumed.extend(self.literals(cube));
        match self.solver.check(&assumed) {
            Decision::Sat => Ok(true),
            Decision::Unsat => Ok(false),
            Decision::Stopped(stop) => Err(stopped(&stop)),
        }
    }

    /// The values of these predicates in the state of the cube that was just found.
    fn found(&mut self, cube: &Cube, predicates: &Set) -> Cube {
        // A model is asked only for what the cube leaves open: making one is dear.
        let mut found = cube.within(predicates);
        for predicate in predicates.without(&cube.known()).iter() {
            found.set(predicate, self.solver.holds(&self.predicates.terms()[predicate]));
        }
        found
    }

    /// The part of a cube that the solver needed for its last refutation.
    fn core(&self, cube: &Cube) -> Cube {
        let core = self.solver.core();
        let used = cube.literals().filter(|(predicate, value)| {
            let (yes, no) = self.literals[*predicate];
            core.contains(if *value { &yes } else { &no })
        });
        used.collect()
    }

    /// Does the cube imply the goal? If not, the cube itself is returned: a model costs more than the answer.
    pub fn show_here(&mut self, goal: &Goal, cube: &Cube) -> Result<Shown, Stopped> {
        match self.implied_part(goal, cube)? {
            Some(part) => Ok(Shown::Implied(part)),
            None => Ok(Shown::Not(*cube)),
        }
    }

    /// Does the cube imply the goal?
    pub fn show(&mut self, goal: &Goal, cube: &Cube) -> Result<Shown, Stopped> {
        match self.implied_part(goal, cube)? {
            Some(part) => Ok(Shown::Implied(part)),
            None => Ok(Shown::Not(self.found(cube, &goal.cone))),
        }
    }

    /// The smallest part of the cube that the cores lead to that implies the goal.
    fn implied_part(&mut self, goal: &Goal, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let against = goal.target.negated();
        if goal.target.is_true() {
            return Ok(Some(Cube::default()));
        }
        if self.exists(&[&goal.given, &against], cube)? {
            return Ok(None);
        }
        let mut core = self.core(cube);
        for (predicate, _) in core.literals() {
            let mut smaller = core;
            smaller.set(predicate, None);
            if !smaller.implies(&core) && !self.exists(&[&goal.given, &against], &smaller)? {
                core = self.core(&smaller);
            }
        }
        Ok(Some(core))
    }

    /// Does the cube imply the goal? Not made smaller.
    pub(crate) fn show_whole(&mut self, goal: &Goal, cube: &Cube) -> Result<Shown, Stopped> {
        Ok(match self.implies(goal, cube)? {
            true => Shown::Implied(*cube),
            false => Shown::Not(self.found(cube, &goal.cone)),
        })
    }

    /// Does the cube imply the goal? One call.
    pub fn implies(&mut self, goal: &Goal, cube: &Cube) -> Result<bool, Stopped> {
        let against = goal.target.negated();
        Ok(goal.target.is_true() || !self.exists(&[&goal.given, &against], cube)?)
    }

    /// Is there a state of the cube that the goal is about?
    pub fn is_possible(&mut self, goal: &Goal, cube: &Cube) -> Result<bool, Stopped> {
        self.exists(&[&goal.given], cube)
    }

    /// The cube with values for these predicates, from a state in which the goal holds.
    pub fn example(&mut self, goal: &Goal, cube: &Cube, wanted: &Set) -> Result<Option<Cube>, Stopped> {
        let exists = self.exists(&[&goal.given, &goal.target], cube)?;
        Ok(exists.then(|| self.found(cube, &cube.known().union(wanted))))
    }
}

fn literal(solver: &mut Solver, term: &Term) -> Result<Lit, Stopped> {
    solver.literal(term).map_err(|unsupported| Stopped::Solver(unsupported.to_string()))
}

pub(crate) fn stopped(stop: &Stop) -> Stopped {
    match stop {
        Stop::Asked => Stopped::Asked,
        other => Stopped::Solver(format!("{other}")),
    }
}
