//! An engine for any number of processes against a search of instances.
//!
//! *Safe* for any number: no instance with 1 to 4 copies has a violation, as far as the search gets. *Unsafe*: the counterexample replays on
//! the instance that it names, and the search finds a violation there too. A certificate is not looked at here.

use wattle_engine::{Budget, Engine, Property, Run, Task, Verdict, Work};
use wattle_memory::MemoryModel;
use wattle_program::{Instance, ProcessId, Program, Replicas};

/// What came of one system under one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Nobody contradicts it; `true` if all instances were searched to the end.
    Safe(bool),
    Unsafe {
        copies: u32,
    },
    /// The reason.
    Undecided(String),
}

#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub work: Work,
    /// Of the search of one instance.
    pub states: u64,
    pub most_copies: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { work: Work::milliseconds(500), states: 20_000, most_copies: 4 }
    }
}

/// `Err`: the two contradict each other, or one contradicts itself. Beside the answer, whether it took the engine more than two nodes.
pub fn any_number(
    engine: &dyn Engine,
    search: &dyn Engine,
    program: &Program,
    memory: &MemoryModel,
    effort: Effort,
) -> Result<(Decided, bool), String> {
    let task = Task { program, memory, property: Property::Stated, hints: None };
    if let Err(refusal) = engine.accepts(&task) {
        return Ok((Decided::Undecided(format!("refused: {refusal}")), true));
    }
    let run = Run::new(Budget { work: Some(effort.work), ..Budget::default() });
    let answer = engine.check(&task, &run).map_err(|contradiction| contradiction.to_string())?;
    let worth = answer.statistics.counted("nodes").is_none_or(|nodes| nodes > 2);
    let decided = match answer.verdict {
        Verdict::Safe { .. } => {
            let mut closed = true;
            for copies in 1..=effort.most_copies {
                match violated(search, program, memory, copies, effort)? {
                    Some(true) => {
                        return Err(format!("safe for any number, but violated with {copies} copies"));
                    }
                    Some(false) => {}
                    None => closed = false,
                }
                if program.processes[0].replicas != Replicas::Any {
                    break;
                }
            }
            Decided::Safe(closed)
        }
        Verdict::Unsafe { counterexample } => {
            let replayed = wattle_judge::confirm::confirm(&task, &counterexample);
            replayed.map_err(|why| format!("unsafe, but the replay says {why:?}"))?;
            let copies = counterexample.instance.0.get(&ProcessId(0)).copied().unwrap_or(0);
            if violated(search, program, memory, copies, effort)? == Some(false) {
                return Err(format!("unsafe with {copies} copies, but the search finds no violation"));
            }
            Decided::Unsafe { copies }
        }
        Verdict::SafeUpTo { bound } => Decided::Undecided(bound.to_string()),
        Verdict::Unknown { reason } => Decided::Undecided(reason.to_string()),
    };
    Ok((decided, worth))
}

/// Does the search find a violation with so many copies? `None`: it did not come to an end.
fn violated(
    search: &dyn Engine,
    program: &Program,
    memory: &MemoryModel,
    copies: u32,
    effort: Effort,
) -> Result<Option<bool>, String> {
    let any = program.processes[0].replicas == Replicas::Any;
    let instance = Instance(any.then_some((ProcessId(0), copies)).into_iter().collect());
    let program = instance.of(program).map_err(|error| error.to_string())?;
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { states: Some(effort.states), work: Some(effort.work), ..Budget::default() });
    if search.accepts(&task).is_err() {
        return Ok(None);
    }
    let answer = search.check(&task, &run).map_err(|contradiction| contradiction.to_string())?;
    Ok(match answer.verdict {
        Verdict::Safe { .. } => Some(false),
        Verdict::Unsafe { .. } => Some(true),
        _ => None,
    })
}
