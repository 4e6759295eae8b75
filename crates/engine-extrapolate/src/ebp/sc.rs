//! The boolean program `B = BP(P, V)` of the program under sequential consistency, as a table of valid implications.
//!
//! Built as a whole, before anything is extrapolated: all cubes up to a size that imply the goals of its transformers. The check of `B`
//! asks for the goals of properties, so it is run too, as in the paper's first step.

use std::collections::HashMap;
use std::time::Instant;

use wattle_abstraction::boolean::{BooleanProgram, text};
use wattle_abstraction::checker::check;
use wattle_abstraction::search::Implicants;
use wattle_abstraction::{Cube, Goal, Lazy, Predicates, Prover, Questions, Shown, Stopped};
use wattle_engine::{Spent, Work};
use wattle_logic::Term;
use wattle_proving::{Literals, Subject};

use crate::names::anonymous;

#[derive(Debug, Default)]
pub(super) struct ScProgram {
    pub predicates: Vec<Term>,
    /// By what is given and what is to hold, choices without their names: the cubes that imply it.
    cubes: HashMap<(Term, Term), Vec<Literals>>,
    /// Two literals that contradict each other, or one.
    pub contradictions: Vec<Literals>,
    pub lines: u64,
    pub calls: u64,
    pub seconds: f64,
}

fn key(given: &Term, target: &Term) -> (Term, Term) {
    let mut both = anonymous(&[target, given]);
    let given = both.pop().unwrap_or_else(|| Term::bool(true));
    (given, both.pop().unwrap_or_else(|| target.clone()))
}

impl ScProgram {
    pub(super) fn build(
        subject: &Subject<'_>,
        predicates: &Predicates,
        limit: usize,
    ) -> Result<ScProgram, Stopped> {
        let started = Instant::now();
        let system = &subject.sc;
        let mut solver = system.solver(&subject.solver).map_err(Stopped::Solver)?;
        let mut questions = Questions::new(system, predicates, super::scope());
        let lazy = Lazy::new(Prover::new(&mut solver, predicates)?);
        let mut built = BooleanProgram::new(Box::new(Implicants { limit }), lazy);
        built.build(&questions)?;
        for (holds, fails) in questions.initial.clone() {
            for goal in [Some(holds), fails].into_iter().flatten() {
                built.cubes_of(goal, &questions.goals[goal])?;
            }
        }
        let mut go_on = |states: u64, _: u64| {
            subject.run.poll(Work::microseconds(4), Spent { states, ..Spent::default() }).is_ok()
        };
        // Whether it holds has been found out before, with cubes of any size.
        check(system, predicates, &mut questions, &mut built, None, &mut go_on)?;
        let contradictions = contradictions(&mut built.aside.prover, predicates)?;
        let literals = |cube: &Cube| -> Literals {
            cube.literals().map(|(number, value)| (predicates.terms()[number].clone(), value)).collect()
        };
        let lists: Vec<Vec<Cube>> = built.cubes.into_iter().map(Option::unwrap_or_default).collect();
        let mut cubes: HashMap<(Term, Term), Vec<Literals>> = HashMap::new();
        for (goal, list) in questions.goals.iter().zip(&lists) {
            cubes.insert(key(&goal.given, &goal.target), list.iter().map(literals).collect());
        }
        let listed = |goal: usize| lists.get(goal).cloned().unwrap_or_default();
        let lines = text(system, &questions, &|number| format!("b{number}"), &listed).lines().count() as u64;
        Ok(ScProgram {
            predicates: predicates.terms().to_vec(),
            cubes,
            contradictions: contradictions.iter().map(literals).collect(),
            lines,
            calls: solver.counters().checks,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// The cubes that imply a goal, if it is one of the program's.
    pub(super) fn cubes(&self, given: &Term, target: &Term) -> Option<&[Literals]> {
        self.cubes.get(&key(given, target)).map(Vec::as_slice)
    }
}

/// Pairs of literals that contradict each other, and literals that are never true.
fn contradictions(prover: &mut Prover<'_>, predicates: &Predicates) -> Result<Vec<Cube>, Stopped> {
    let mut found: Vec<Cube> = Vec::new();
    let never = Goal { given: Term::bool(true), target: Term::bool(false), cone: Default::default() };
    let literals: Vec<(usize, bool)> =
        (0..predicates.len()).flat_map(|number| [(number, true), (number, false)]).collect();
    for (at, first) in literals.iter().enumerate() {
        for second in literals[at..].iter().filter(|second| second.0 != first.0 || *second == first) {
            let both: Cube = [*first, *second].into_iter().collect();
            if found.iter().any(|known| both.implies(known)) {
                continue;
            }
            if let Shown::Implied(part) = prover.show(&never, &both)? {
                found.push(part);
            }
        }
    }
    Ok(found)
}
