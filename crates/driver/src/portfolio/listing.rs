//! All final states of a program, by whichever engine can list them.
//!
//! Engines that look at every execution say how many end in each state; others only list states. Which come first
//! depends on what is asked: of litmus tests, and where a model has no machine, numbers of executions are
//! wanted. A listing is never pieced together: the next engine is asked only if one does not handle the program at all.

use std::collections::BTreeSet;

use wattle_engine::{Census, Engine, Halt, Outcome, Reason, Run, Tally, Task};
use wattle_logic::Fault;
use wattle_program::Program;

pub(crate) struct Listed {
    pub engine: &'static str,
    pub census: Census,
    /// Are its numbers numbers of executions?
    pub executions: bool,
}

/// `holds`: does the program's condition hold in a final state?
pub(crate) fn listed(
    task: &Task<'_>,
    engines: &[Box<dyn Engine>],
    run: &Run,
    holds: impl Fn(&Program, &Outcome) -> Result<bool, Fault>,
) -> Result<Listed, Halt> {
    let litmus = task.program.is_litmus();
    let counting = litmus || task.memory.machine.is_none();
    let mut order: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
    order.retain(|engine| engine.lists().is_some());
    // Counting is what is wanted, or it is the last resort.
    order.sort_by_key(|engine| engine.counts().is_some() != counting);
    let mut refusal: Option<Halt> = None;
    for engine in order {
        let name = engine.name();
        let census = match (engine.counts(), engine.lists()) {
            (Some(counts), _) => counts.executions(task, run).map(|census| (census, true)),
            (None, Some(lists)) => lists.outcomes(task, run).and_then(|states| {
                let census = by_states(task.program, states, &holds);
                census
                    .map(|census| (census, false))
                    .map_err(|fault| Reason::NoValue(fault.to_string()).into())
            }),
            (None, None) => continue,
        };
        match census {
            Ok((census, executions)) => return Ok(Listed { engine: name, census, executions }),
            Err(halt @ Halt::Unknown(Reason::Unsupported(_))) => {
                refusal.get_or_insert(halt);
            }
            Err(halt) => return Err(halt),
        }
    }
    Err(refusal.unwrap_or_else(|| Reason::Undecided("no engine lists final states".into()).into()))
}

fn by_states(
    program: &Program,
    states: BTreeSet<Outcome>,
    holds: &impl Fn(&Program, &Outcome) -> Result<bool, Fault>,
) -> Result<Census, Fault> {
    let outcomes = (states.into_iter())
        .map(|outcome| {
            let holds = program.condition.is_none() || holds(program, &outcome)?;
            Ok((outcome, Tally { executions: 1, holds }))
        })
        .collect::<Result<_, Fault>>()?;
    Ok(Census { outcomes, ..Census::default() })
}
