//! The fewest fences with which no buffer of k slots overflows and the property holds.
//!
//! Every set of places directly after stores, copies by themselves, is tried by growing size: the buffers are
//! written into the program (`reduce`), and the explicit-state engine visits what is left. So the answer is exact.

use wattle_engine::{Budget, Engine, Property, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_memory::MemoryModel;
use wattle_memory::reduction::{Capacity, Reduction};
use wattle_program::passes::{Insertion, insert};
use wattle_program::{Fence, Program, passes};

/// Where a full fence may stand.
pub(super) fn places(program: &Program, memory: &MemoryModel) -> Vec<Insertion> {
    let kinds = wattle_repair::kinds(program.vocabulary, memory);
    let strongest: Option<Fence> = kinds.into_iter().max_by_key(|fence| fence.orders.0.count_ones());
    wattle_repair::places(program, memory, false, strongest.as_slice())
}

/// By their numbers among the places.
pub(super) fn with_fences(program: &Program, memory: &MemoryModel, chosen: &[usize]) -> Program {
    let places = places(program, memory);
    let chosen: Vec<Insertion> = chosen.iter().filter_map(|number| places.get(*number).cloned()).collect();
    insert(program, &wattle_repair::merge_copies(program, &chosen))
}

/// The numbers of the places. `None`: not even with all of them.
pub(super) fn fewest(
    program: &Program,
    memory: &MemoryModel,
    reduction: &dyn Reduction,
    slots: u32,
) -> Result<Option<Vec<usize>>, String> {
    let all = places(program, memory).len();
    for size in 0..=all {
        for chosen in subsets(all, size) {
            if holds(&with_fences(program, memory, &chosen), reduction, slots)? {
                return Ok(Some(chosen));
            }
        }
    }
    Ok(None)
}

fn holds(program: &Program, reduction: &dyn Reduction, slots: u32) -> Result<bool, String> {
    let reduced = reduction.reduce(program, &Capacity::all(slots)).map_err(|why| why.what)?;
    let program = passes::forget_dead(&reduced.program);
    let memory = wattle_memory::find("sc").ok_or("no sc")?;
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { states: Some(2_000_000), ..Budget::default() });
    match Explore::default().check(&task, &run).expect("no contradiction").verdict {
        Verdict::Safe { .. } => Ok(true),
        Verdict::Unsafe { .. } => Ok(false),
        other => Err(format!("{slots} slots: {other:?}")),
    }
}

/// All sets of `size` numbers below `all`, in the order of words.
pub(super) fn subsets(all: usize, size: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![vec![]];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let next = set.last().map_or(0, |last| last + 1);
            let set = set.clone();
            (next..all).map(move |number| set.iter().copied().chain([number]).collect())
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets
}
