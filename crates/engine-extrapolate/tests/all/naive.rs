//! The scheme that does not work: a boolean program of the program as it stands, run with buffers.
//!
//! Dan, Meshman, Vechev and Yahav (2013, section 2.2) show what is wrong with it, by their Fig. 3. Each
//! predicate gets a buffer in each thread: a store to `x` puts the new values of the predicates that speak
//! of `x` there, and when `x` is flushed, so are they. Both threads buffer *`x == y` is false*, each rightly
//! as far as it sees, and in the end memory holds `x == 1`, `y == 1` and not `x == y`: the assertion that
//! fails on the machine is "verified". The engine must find the violation.

use std::collections::{BTreeMap, BTreeSet};

use wattle_abstraction::boolean::BooleanProgram;
use wattle_abstraction::search::Cubes;
use wattle_abstraction::{
    Cube, Entailed, Lazy, Pair, Predicates, Prover, Questions, Reach, Scope, Set, System, by_cubes,
};
use wattle_engine::Verdict;
use wattle_program::{Op, Point, Program, passes};
use wattle_smt::{Limits, Solver};

use crate::{corpus, library, parse, verdict};

/// Fig. 3, with an assertion that is one step, as the paper has it.
const FIGURE_3: &str = "
    shared x = 0, y = 0;
    thread t0 { atomic(buffered) { x = y + 1; } fence(x); }
    thread t1 { atomic(buffered) { y = x + 1; } fence(y); atomic(buffered) { assert x != y; } }
    predicates { x == y; x == 1; y == 1; x == 0; y == 0; }";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    points: Vec<Point>,
    global: Cube,
    /// By thread: a location with a pending store, and the predicates that are pending with it.
    pending: Vec<BTreeMap<u32, Cube>>,
}

impl State {
    /// What a thread sees.
    fn view(&self, thread: usize) -> Cube {
        let literals = self.pending[thread].values().flat_map(Cube::literals);
        literals.fold(self.global, |view, (predicate, value)| view.with(predicate, value))
    }
}

/// The program and its transformers.
struct Naive {
    program: Program,
    system: System,
    questions: Questions,
    cubes: Vec<Vec<Cube>>,
    initial: Cube,
}

impl Naive {
    fn new(program: &Program) -> Naive {
        let program = passes::instantiate(program).unwrap();
        let system = System::new(&program).unwrap();
        let predicates = Predicates::new(&system, &program.predicates).unwrap();
        let questions = Questions::new(&system, &predicates, Scope::all(Reach::Whole));
        let mut solver = Solver::new(&library(), Limits::default()).unwrap();
        let prover = Prover::new(&mut solver, &predicates).unwrap();
        let mut boolean = BooleanProgram::new(Box::new(Cubes { limit: 3 }), Lazy::new(prover));
        let mut of = |goal: usize| boolean.cubes_of(goal, &questions.goals[goal]).unwrap().to_vec();
        let cubes: Vec<Vec<Cube>> = (0..questions.goals.len()).map(&mut of).collect();
        let start = |(holds, fails): &(usize, Option<usize>)| {
            let is = |goal: usize| cubes[goal].contains(&Cube::default());
            assert_ne!(is(*holds), is(fails.unwrap()));
            is(*holds)
        };
        let initial = questions.initial.iter().map(start).enumerate().collect();
        Naive { program, system, questions, cubes, initial }
    }

    fn follows(&self, goal: usize, view: &Cube) -> bool {
        by_cubes(&self.cubes[goal], view, &Set::default()) == Entailed::Yes
    }

    /// Does every execution with buffers satisfy the assertion?
    fn verifies(&self) -> bool {
        let threads = self.system.entries.len();
        let start = State {
            points: self.system.entries.clone(),
            global: self.initial,
            pending: vec![BTreeMap::new(); threads],
        };
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            let mut next = Vec::new();
            for thread in 0..threads {
                for (location, literals) in &state.pending[thread] {
                    let mut flushed = state.clone();
                    flushed.pending[thread].remove(location);
                    literals.literals().for_each(|(n, value)| flushed.global.set(n, Some(value)));
                    next.push(flushed);
                }
                for number in &self.system.leaving[thread][state.points[thread].0 as usize] {
                    match self.step(*number, &state) {
                        Ok(state) => next.extend(state),
                        Err(()) => return false,
                    }
                }
            }
            open.extend(next.into_iter().filter(|state| seen.insert(state.clone())));
        }
        true
    }

    /// `Err`: the assertion fails. `None`: a fence waits.
    fn step(&self, number: usize, state: &State) -> Result<Option<State>, ()> {
        let (transition, asked) = (&self.system.transitions[number], &self.questions.of[number]);
        let thread = transition.thread as usize;
        let view = state.view(thread);
        if !asked.checks.iter().all(|check| self.follows(*check, &view)) {
            return Err(());
        }
        let edge = self.program.processes[thread].cfg.edge(transition.edge);
        let fences = edge.ops.iter().any(|op| matches!(op, Op::Fence(_)));
        // Each thread stores to one location only, so `fence(x)` waits for all it has.
        if fences && !state.pending[thread].is_empty() {
            return Ok(None);
        }
        let mut next = state.clone();
        next.points[thread] = transition.to;
        for (cell, _) in transition.updates.iter().filter(|(cell, _)| *cell < 2) {
            let mut literals = Cube::default();
            for update in &asked.sets {
                let Pair { holds, fails, .. } = update.goals.unwrap();
                // An unknown value would be one more way to fail, and does not occur.
                let (holds, fails) = (self.follows(holds, &view), self.follows(fails.unwrap(), &view));
                assert_ne!(holds, fails);
                literals.set(update.predicate, Some(holds));
            }
            assert!(next.pending[thread].insert(*cell, literals).is_none());
        }
        Ok(Some(next))
    }
}

#[test]
fn the_naive_scheme_verifies_what_fails() {
    let program = parse(FIGURE_3);
    assert!(Naive::new(&program).verifies());
    for program in [program, corpus("figures/unsoundness.wtl")] {
        assert!(matches!(verdict(&program, "sc"), Verdict::Safe { .. }));
        for model in ["tso", "pso"] {
            assert!(matches!(verdict(&program, model), Verdict::Unsafe { .. }), "{model}");
        }
    }
}

/// It is not blind: what fails without buffers fails in it too.
#[test]
fn the_naive_scheme_finds_what_fails_under_sc() {
    let program = FIGURE_3.replace("assert x != y", "assert x == y");
    assert!(!Naive::new(&parse(&program)).verifies());
}

/// Fig. 8: a thread reads its own newest store.
#[test]
fn coherence_is_verified() {
    for model in ["sc", "tso", "pso"] {
        let verdict = verdict(&corpus("figures/coherence.wtl"), model);
        assert!(matches!(verdict, Verdict::Safe { .. }), "{model}");
    }
}
