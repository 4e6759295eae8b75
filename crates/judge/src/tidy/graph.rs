//! Tidying of execution graphs: steps at the end of a thread that the violation does not need are dropped.
//!
//! Each thread stops as early as the rest is still a counterexample: first by large parts, then step
//! by step. Events that no thread reads from and no axiom needs disappear; what remains is minimal in
//! the sense that no thread can stop earlier.

use wattle_engine::{Counterexample, Run, Spent, Task, Violation, Work};
use wattle_memory::Execution;
use wattle_program::{Op, Shape, ThreadId};

use crate::confirm::confirm;

/// Of longer executions only large parts are dropped: each try evaluates the axioms naively.
const LONGEST: usize = 120;
/// Still longer ones stay as they are.
const TOO_LONG: usize = 600;

/// Is this still a counterexample, and is there time to look?
fn holds(task: &Task<'_>, counterexample: &Counterexample, run: &Run) -> bool {
    let events = counterexample.execution.as_ref().map_or(0, |graph| graph.events.len() as u64);
    run.poll(EVENT * events, Spent::default()).is_ok() && confirm(task, counterexample).is_ok()
}

/// What an event of an execution costs that is judged by the axioms.
const EVENT: Work = Work::microseconds(20);

pub(super) fn shorten(task: &Task<'_>, counterexample: &Counterexample, run: &Run) -> Counterexample {
    let mut best = counterexample.clone();
    let events = |graph: &Counterexample| graph.execution.as_ref().map_or(0, |graph| graph.events.len());
    if best.schedule.is_some() || events(&best) > TOO_LONG {
        return best;
    }
    if let Some(smaller) = causes(task, &best, run) {
        best = smaller;
    }
    let threads = (0..best.paths.len() as u32).map(ThreadId);
    let mut changed = true;
    while changed {
        changed = false;
        for thread in threads.clone() {
            let steps = best.paths[thread.0 as usize].len();
            let parts = [0, steps / 4, steps / 2, steps * 3 / 4];
            let shorter = parts
                .into_iter()
                .filter(|kept| *kept < steps)
                .find_map(|kept| stopped(&best, thread, kept).filter(|shorter| holds(task, shorter, run)));
            if let Some(shorter) = shorter {
                best = shorter;
                changed = true;
            }
        }
    }
    if events(&best) > LONGEST {
        return best;
    }
    changed = true;
    while changed {
        changed = false;
        for thread in threads.clone() {
            while let Some(kept) = best.paths[thread.0 as usize].len().checked_sub(1)
                && let Some(shorter) = stopped(&best, thread, kept)
                && holds(task, &shorter, run)
            {
                best = shorter;
                changed = true;
            }
        }
    }
    best
}

/// So many assertions are tried.
const MOST_TRIES: usize = 40;

/// Of the assertions that threads come to, one that fails after as few steps as possible: its own
/// thread's, and those that others take until they have written what was read.
fn causes(task: &Task<'_>, counterexample: &Counterexample, run: &Run) -> Option<Counterexample> {
    let Violation::Assertion { .. } = counterexample.violated else { return None };
    let execution = counterexample.execution.as_ref()?;
    let shape = Shape::new(task.program).ok()?;
    let mut tries: Vec<(usize, Vec<usize>, Violation)> = Vec::new();
    for (number, path) in counterexample.paths.iter().enumerate() {
        let thread = ThreadId(number as u32);
        let cfg = &task.program.process(shape.info(thread).process).cfg;
        for (position, (edge, _)) in path.iter().enumerate() {
            let ops = cfg.edge(*edge).ops.iter().enumerate();
            for (op, _) in ops.filter(|(_, op)| matches!(op, Op::Assert { .. })) {
                let kept = past(execution, counterexample.paths.len(), thread, position);
                let violated = Violation::Assertion { thread, edge: *edge, op };
                tries.push((kept.iter().sum(), kept, violated));
            }
        }
    }
    tries.sort_by_key(|(steps, ..)| *steps);
    tries.into_iter().take(MOST_TRIES).find_map(|(_, kept, violated)| {
        let mut smaller = Counterexample { violated, ..counterexample.clone() };
        // Threads that read from others are cut before those, so that no read loses its write.
        loop {
            let lengths = kept.iter().zip(&smaller.paths);
            let longer = lengths.enumerate().filter(|(_, (kept, path))| **kept < path.len());
            let threads: Vec<usize> = longer.map(|(thread, _)| thread).collect();
            if threads.is_empty() {
                break;
            }
            let next = threads.iter().find_map(|thread| {
                let last = smaller.paths[*thread].len() - 1;
                stopped(&smaller, ThreadId(*thread as u32), last)
            });
            smaller = next?;
        }
        holds(task, &smaller, run).then_some(smaller)
    })
}

/// How many steps each thread takes before this one, it included, and before what was read.
fn past(execution: &Execution, threads: usize, thread: ThreadId, position: usize) -> Vec<usize> {
    let mut kept = vec![0; threads];
    kept[thread.0 as usize] = position + 1;
    let mut changed = true;
    while changed {
        changed = false;
        for &(write, read) in &execution.reads_from {
            let (write, read) = (&execution.events[write as usize], &execution.events[read as usize]);
            if let (Some(writer), Some(reader)) = (write.thread, read.thread)
                && (read.instruction as usize) < kept[reader.0 as usize]
                && write.instruction as usize >= kept[writer.0 as usize]
            {
                kept[writer.0 as usize] = write.instruction as usize + 1;
                changed = true;
            }
        }
    }
    kept
}

/// The thread takes only so many steps. `None`: a read that stays takes its value from a dropped step.
fn stopped(counterexample: &Counterexample, thread: ThreadId, kept_steps: usize) -> Option<Counterexample> {
    let execution = counterexample.execution.as_ref()?;
    let mut shorter = counterexample.clone();
    shorter.paths[thread.0 as usize].truncate(kept_steps);
    let goes = |number: u32| {
        let event = &execution.events[number as usize];
        event.thread == Some(thread) && event.instruction as usize >= kept_steps
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
