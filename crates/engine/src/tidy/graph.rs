//! The same for execution graphs: a thread need not go on after it has done its part.
//!
//! The last step of some thread is taken away as long as the rest is still a counterexample. What
//! nobody reads and no axiom needs disappears; what remains has fewest events in the sense that no
//! thread can stop earlier.

use wattle_memory::Execution;
use wattle_program::ThreadId;

use crate::confirm::confirm;
use crate::{Counterexample, Task};

/// Longer executions stay as they are: each try evaluates the axioms naively.
const LONGEST: usize = 120;

pub(super) fn shorten(task: &Task<'_>, counterexample: &Counterexample) -> Counterexample {
    let mut best = counterexample.clone();
    let small = |graph: &Counterexample| {
        graph.execution.as_ref().is_some_and(|execution| execution.events.len() <= LONGEST)
    };
    if best.schedule.is_some() || !small(&best) {
        return best;
    }
    let mut changed = true;
    while changed {
        changed = false;
        for thread in 0..best.paths.len() as u32 {
            while let Some(shorter) = without_last_step(&best, ThreadId(thread)) {
                if confirm(task, &shorter).is_err() {
                    break;
                }
                best = shorter;
                changed = true;
            }
        }
    }
    best
}

/// `None`: the thread has no step, or somebody reads what the last one writes.
fn without_last_step(counterexample: &Counterexample, thread: ThreadId) -> Option<Counterexample> {
    let execution = counterexample.execution.as_ref()?;
    let mut shorter = counterexample.clone();
    let path = &mut shorter.paths[thread.0 as usize];
    path.pop()?;
    let last = path.len() as u32;
    let goes = |number: u32| {
        let event = &execution.events[number as usize];
        event.thread == Some(thread) && event.instruction == last
    };
    if execution.reads_from.iter().any(|(write, read)| goes(*write) && !goes(*read)) {
        return None;
    }
    let mut numbers = Vec::with_capacity(execution.events.len());
    let mut kept = 0;
    for number in 0..execution.events.len() as u32 {
        numbers.push((!goes(number)).then_some(kept));
        kept += u32::from(!goes(number));
    }
    let keep = |pairs: &mut Vec<(u32, u32)>| {
        *pairs =
            pairs.iter().filter_map(|(a, b)| Some((numbers[*a as usize]?, numbers[*b as usize]?))).collect();
    };
    let rest = shorter.execution.as_mut()?;
    let mut number = 0;
    rest.events.retain(|_| {
        number += 1;
        !goes(number - 1)
    });
    let Execution {
        events: _,
        reads_from,
        coherence,
        address,
        data,
        control,
        pick,
        pick_address,
        pick_data,
        read_modify_write,
    } = rest;
    let relations = [reads_from, address, data, control, pick, pick_address, pick_data, read_modify_write];
    relations.into_iter().for_each(keep);
    for writes in coherence {
        *writes = writes.iter().filter_map(|write| numbers[*write as usize]).collect();
    }
    Some(shorter)
}
