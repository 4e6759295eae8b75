//! `--dump predicates` and `boolean`: what the engine begins with, as text.
//!
//! Both are what there is before any refinement, with buffers of one size: the predicates of the text, what the
//! rules make of them, and the boolean program over these.

use std::fmt::Write;

use wattle_abstraction::boolean::{BooleanProgram, text};
use wattle_abstraction::search::{Cubes, Implicants, Search};
use wattle_abstraction::{Lazy, Predicates, Prover, Questions, Reach, Scope, Stopped, System};
use wattle_engine::{Reason, Run, Task};
use wattle_logic::Term;
use wattle_memory::reduction::Discipline;
use wattle_program::Program;
use wattle_program::text::print_term;
use wattle_proving::{begin, reduction, remembering, sequential, solver};

use crate::options::{Extrapolate, Method, PAPERS_CUBE_SIZE, SearchBy};
use crate::rules::by_rule;

/// What to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// The predicates, by the rule that adds them.
    Predicates,
    /// The boolean program over them.
    Boolean,
}

/// Predicates with the rule that adds them; none for those of the text.
type Ruled = Vec<(Option<u8>, Term)>;

impl Extrapolate {
    /// `run` limits the search for cubes.
    pub fn dump(&self, task: &Task<'_>, run: &Run, view: Dump) -> Result<String, Reason> {
        let given = self.is_given(task.program);
        let program = remembering(task.program, given);
        let task = &Task { program: &program, ..*task };
        let unsupported = Reason::Unsupported;
        let reduction = reduction(task).map_err(unsupported)?;
        let program = sequential(task.program, reduction).map_err(unsupported)?;
        let system = System::new(&program).map_err(unsupported)?;
        let start = begin(&program, &system, given);
        let Some(reduction) = reduction else {
            let predicates = start.into_iter().map(|term| (None, term)).collect();
            return self.shown(&program, &system, predicates, run, view);
        };
        let reduced = reduction.reduce_within(task.program, &self.room(1)).map_err(unsupported)?;
        let system = System::new(&reduced.program).map_err(unsupported)?;
        let first = if reduced.discipline == Discipline::Tso { 7 } else { 0 };
        let predicates = match self.method {
            Method::Trad => start.into_iter().map(|term| (Some(first + 2), term)).collect(),
            _ => by_rule(&start, &reduced, &self.rules)
                .into_iter()
                .map(|(rule, term)| (Some(first + rule), term))
                .collect(),
        };
        self.shown(&reduced.program, &system, predicates, run, view)
    }

    fn shown(
        &self,
        program: &Program,
        system: &System,
        ruled: Ruled,
        run: &Run,
        view: Dump,
    ) -> Result<String, Reason> {
        let too_many = || Reason::TooLarge("more than 256 predicates".into());
        // Equal and opposite ones are counted once.
        let mut predicates = Predicates::default();
        let mut new: Ruled = Vec::new();
        for (rule, predicate) in ruled {
            if predicates.add(system, &predicate).ok_or_else(too_many)? {
                new.push((rule, predicate));
            }
        }
        match view {
            Dump::Predicates => Ok(listed(program, &new)),
            Dump::Boolean => self.boolean(program, system, &predicates, run),
        }
    }

    fn boolean(
        &self,
        program: &Program,
        system: &System,
        predicates: &Predicates,
        run: &Run,
    ) -> Result<String, Reason> {
        let limit = self.cube_size.unwrap_or(PAPERS_CUBE_SIZE);
        let search: Box<dyn Search> = match self.search {
            SearchBy::Implicants => Box::new(Implicants { limit }),
            SearchBy::Cubes => Box::new(Cubes { limit }),
        };
        let stopped = |stopped| match stopped {
            Stopped::Asked => Reason::Timeout,
            Stopped::Solver(why) => Reason::Solver(why),
        };
        let mut solver = system.solver(&solver(&self.smt, run)?).map_err(Reason::Solver)?;
        let questions = Questions::new(system, predicates, Scope::all(Reach::Whole));
        let lazy = Lazy::new(Prover::new(&mut solver, predicates).map_err(stopped)?);
        let mut built = BooleanProgram::new(search, lazy);
        built.build(&questions).map_err(stopped)?;
        let mut shown = String::new();
        for (number, predicate) in predicates.terms().iter().enumerate() {
            let _ = writeln!(shown, "b{number}: {}", print_term(program, predicate));
        }
        let cubes = |goal: usize| {
            let mut cubes = built.cubes.get(goal).cloned().flatten().unwrap_or_default();
            cubes.sort();
            cubes
        };
        shown += &text(system, &questions, &|number| format!("b{number}"), &cubes);
        Ok(shown)
    }
}

fn listed(program: &Program, predicates: &Ruled) -> String {
    let many = if predicates.len() == 1 { "" } else { "s" };
    let mut shown = format!("{} predicate{many}\n", predicates.len());
    let mut rules: Vec<Option<u8>> = predicates.iter().map(|(rule, _)| *rule).collect();
    rules.sort();
    rules.dedup();
    for rule in rules {
        let own: Vec<&Term> = predicates.iter().filter(|one| one.0 == rule).map(|one| &one.1).collect();
        let _ = match rule {
            Some(number) => writeln!(shown, "rule {number}: {}", own.len()),
            None => writeln!(shown, "of the text: {}", own.len()),
        };
        for predicate in own {
            let _ = writeln!(shown, "  {}", print_term(program, predicate));
        }
    }
    shown
}
