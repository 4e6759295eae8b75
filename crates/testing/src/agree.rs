//! Several engines on one program: none may contradict another.
//!
//! * Every counterexample replays.
//! * Nobody panics.
//! * Nobody says *safe* where the other has a counterexample.
//! * Nobody says *safe up to n rounds of each loop* where the other has a counterexample with that few.
//!
//! Programs are translated to the vocabulary that a model speaks; what has no translation, what an
//! engine refuses and what ends with its budget is not compared, and counted as such.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wattle_engine::{Answer, Bound, Budget, Counterexample, Engine, Property, Run, Task, Verdict, Work};
use wattle_judge::confirm;
use wattle_memory::operational::Action;
use wattle_memory::{MemoryModel, find};
use wattle_program::{Program, Shape, passes};

use crate::compare::Disagreement;
use crate::laws::Obeyed;

/// How much each engine may do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub states: u64,
    pub work: Work,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { states: 20_000, work: Work::milliseconds(300) }
    }
}

/// Ask both engines under each model.
pub fn engines_agree(
    one: &dyn Engine,
    other: &dyn Engine,
    models: &[&str],
    effort: Effort,
    program: &Program,
) -> Result<Obeyed, Disagreement> {
    engines_agree_and(&[one, other], models, effort, program, &|_, _| Ok(()))
}

/// Looks at what the engines answer, in their order. The task has the program before any pass. No answer: the
/// engine refuses the task, or all but one do.
pub type Also<'a> = &'a dyn Fn(&Task<'_>, &[Option<Answer>]) -> Result<(), String>;

/// Ask all engines under each model, compare each two, and look at what they answer.
pub fn engines_agree_and(
    engines: &[&dyn Engine],
    models: &[&str],
    effort: Effort,
    program: &Program,
    also: Also<'_>,
) -> Result<Obeyed, Disagreement> {
    let mut all = Obeyed::default();
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    for memory in models.iter().filter_map(|name| find(name)) {
        let Some(written) = translated(program, memory) else { continue };
        let program = passes::forget_dead(&written);
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let obeyed = answers(engines, effort, &task).and_then(|answers| {
            also(&Task { program: &written, ..task }, &answers)?;
            compare_all(engines, &task, &answers)
        });
        let obeyed = obeyed.map_err(|what| Disagreement {
            model: memory.name.clone(),
            subject: names.join(" and "),
            what,
        })?;
        all.add(obeyed);
    }
    Ok(all)
}

fn translated(program: &Program, memory: &MemoryModel) -> Option<Program> {
    memory.translate(program).ok().map(|translation| translation.program.into_owned())
}

/// One task. `Err` says how they contradict each other, or themselves.
pub fn agree(
    one: &dyn Engine,
    other: &dyn Engine,
    effort: Effort,
    task: &Task<'_>,
) -> Result<Obeyed, String> {
    let engines = [one, other];
    compare_all(&engines, task, &answers(&engines, effort, task)?)
}

/// What they say, their counterexamples replayed. `None` of those that refuse, and of all if no two are left.
fn answers(engines: &[&dyn Engine], effort: Effort, task: &Task<'_>) -> Result<Vec<Option<Answer>>, String> {
    let accepts: Vec<bool> = engines.iter().map(|engine| engine.accepts(task).is_ok()).collect();
    let some = accepts.iter().filter(|accepts| **accepts).count() > 1;
    let asked = engines.iter().zip(accepts);
    asked.map(|(engine, accepts)| (some && accepts).then(|| ask(*engine, effort, task)).transpose()).collect()
}

/// What an engine says of a task that it accepts. `Err`: it contradicts itself or the judge, or panics.
pub fn ask(engine: &dyn Engine, effort: Effort, task: &Task<'_>) -> Result<Answer, String> {
    let Effort { states, work } = effort;
    let budget = Budget { states: Some(states), work: Some(work), ..Budget::default() };
    // A panic is shrunk like any other failure.
    let answered = catch_unwind(AssertUnwindSafe(|| engine.check(task, &Run::new(budget))));
    let answer = answered.map_err(|_| format!("{} panics", engine.name()))?;
    let answer = answer.map_err(|contradiction| contradiction.to_string())?;
    if let Verdict::Unsafe { counterexample } = &answer.verdict {
        let replayed = confirm::confirm(task, counterexample);
        replayed.map_err(|why| format!("{}: its counterexample does not replay: {why}", engine.name()))?;
    }
    Ok(answer)
}

/// Each against each.
fn compare_all(
    engines: &[&dyn Engine],
    task: &Task<'_>,
    answers: &[Option<Answer>],
) -> Result<Obeyed, String> {
    let names = engines.iter().map(|engine| engine.name());
    let said: Vec<(&str, &Answer)> =
        names.zip(answers).filter_map(|(name, answer)| Some((name, answer.as_ref()?))).collect();
    let mut all = Obeyed::default();
    for (number, one) in said.iter().enumerate() {
        for other in &said[number + 1..] {
            all.add(compare(task, *one, *other)?);
        }
    }
    Ok(all)
}

fn compare(task: &Task<'_>, one: (&str, &Answer), other: (&str, &Answer)) -> Result<Obeyed, String> {
    for ((left, mine), (right, theirs)) in [(one, other), (other, one)] {
        let Verdict::Unsafe { counterexample } = &mine.verdict else { continue };
        match &theirs.verdict {
            Verdict::Safe { .. } => {
                return Err(format!("unsafe by {left}, safe by {right}"));
            }
            Verdict::SafeUpTo { bound: bound @ Bound::Unwinding(unwind) }
                if rounds(task.program, counterexample) <= *unwind =>
            {
                return Err(format!("unsafe by {left}, by {right}: {bound}"));
            }
            _ => {}
        }
    }
    let definite = |answer: &Answer| !matches!(answer.verdict, Verdict::Unknown { .. });
    let bad = |answer: &Answer| matches!(answer.verdict, Verdict::Unsafe { .. });
    let ((_, first), (_, second)) = (one, other);
    Ok(Obeyed { compared: definite(first) && definite(second), telling: bad(first) || bad(second) })
}

/// How often a thread comes back to a point in a counterexample.
fn rounds(program: &Program, counterexample: &Counterexample) -> u32 {
    let Ok(shape) = Shape::new(program) else { return u32::MAX };
    let mut visits: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut visit = |thread: u32, edge: wattle_program::EdgeId| {
        let process = program.process(shape.threads[thread as usize].process);
        *visits.entry((thread, process.cfg.edge(edge).from.0)).or_default() += 1;
    };
    for (thread, path) in counterexample.paths.iter().enumerate() {
        path.iter().for_each(|(edge, _)| visit(thread as u32, *edge));
    }
    for action in counterexample.schedule.iter().flat_map(|schedule| &schedule.actions) {
        if let Action::Step { thread, edge, .. } = action {
            visit(thread.0, *edge);
        }
    }
    visits.values().max().map_or(0, |most| most - 1)
}
