//! Checks that a claimed execution is well formed.
//!
//! Axioms take for granted that every read has one write, of its location and value, and that `co`
//! orders the writes of each location. A claimed execution is checked for it before a model is asked.

use std::collections::BTreeSet;

use crate::{EventKind, Execution};

/// `Err`: the first thing that is wrong, for people.
pub fn well_formed(execution: &Execution) -> Result<(), String> {
    events(execution)?;
    reads_from(execution)?;
    coherence(execution)?;
    dependencies(execution)
}

fn events(execution: &Execution) -> Result<(), String> {
    let mut last = std::collections::BTreeMap::new();
    let mut initial = BTreeSet::new();
    for (number, event) in execution.events.iter().enumerate() {
        match event.thread {
            None => {
                let EventKind::Write { location, .. } = event.kind else {
                    return Err(format!("event {number} belongs to no thread and is not a write"));
                };
                if !last.is_empty() {
                    return Err(format!("the initial write {number} does not come first"));
                }
                if !initial.insert(location) {
                    return Err(format!("location {location} has two initial writes"));
                }
            }
            Some(thread) => {
                let before = last.insert(thread, event.instruction).unwrap_or(0);
                if before > event.instruction {
                    return Err(format!("event {number} is not in the order of its thread"));
                }
            }
        }
    }
    let without = |location: &u32| !initial.contains(location);
    match execution.events.iter().filter_map(|event| event.location()).find(without) {
        Some(location) => Err(format!("location {location} has no initial write")),
        None => Ok(()),
    }
}

fn reads_from(execution: &Execution) -> Result<(), String> {
    let mut read = BTreeSet::new();
    for &(from, to) in &execution.reads_from {
        let (Some(source), Some(target)) =
            (execution.events.get(from as usize), execution.events.get(to as usize))
        else {
            return Err(format!("rf ({from}, {to}) names an event that does not exist"));
        };
        let (Some(written), Some(value)) = (source.written(), target.read()) else {
            return Err(format!("rf ({from}, {to}) is not from a write to a read"));
        };
        if from == to {
            return Err(format!("event {to} reads from itself"));
        }
        if source.location() != target.location() {
            return Err(format!("rf ({from}, {to}) relates two locations"));
        }
        if written != value {
            return Err(format!("event {to} reads {value:?} where event {from} wrote {written:?}"));
        }
        if !read.insert(to) {
            return Err(format!("event {to} reads from two writes"));
        }
    }
    let unread = |(number, _): &(usize, _)| !read.contains(&(*number as u32));
    let mut reads = execution.events.iter().enumerate().filter(|(_, event)| event.read().is_some());
    match reads.find(unread) {
        Some((number, _)) => Err(format!("event {number} reads from no write")),
        None => Ok(()),
    }
}

fn coherence(execution: &Execution) -> Result<(), String> {
    let mut ordered = BTreeSet::new();
    for writes in &execution.coherence {
        let mut location = None;
        for (position, &write) in writes.iter().enumerate() {
            let Some(event) = execution.events.get(write as usize) else {
                return Err(format!("co names event {write}, which does not exist"));
            };
            if event.written().is_none() {
                return Err(format!("co orders event {write}, which does not write"));
            }
            if *location.get_or_insert(event.location()) != event.location() {
                return Err(format!("co orders event {write} among writes to another location"));
            }
            if event.is_initial() != (position == 0) {
                return Err(format!("co does not put the initial write first (event {write})"));
            }
            if !ordered.insert(write) {
                return Err(format!("co orders event {write} twice"));
            }
        }
    }
    let missing = |(number, _): &(usize, _)| !ordered.contains(&(*number as u32));
    let mut writes = execution.events.iter().enumerate().filter(|(_, event)| event.written().is_some());
    match writes.find(missing) {
        Some((number, _)) => Err(format!("co does not order event {number}")),
        None => Ok(()),
    }
}

fn dependencies(execution: &Execution) -> Result<(), String> {
    let related = [
        ("addr", &execution.address),
        ("data", &execution.data),
        ("ctrl", &execution.control),
        ("pick", &execution.pick),
        ("pick-addr", &execution.pick_address),
        ("pick-data", &execution.pick_data),
        ("rmw", &execution.read_modify_write),
    ];
    for (name, pairs) in related {
        for &(from, to) in pairs {
            let (Some(source), Some(target)) =
                (execution.events.get(from as usize), execution.events.get(to as usize))
            else {
                return Err(format!("{name} ({from}, {to}) names an event that does not exist"));
            };
            // On RISC-V a dependency may also start at a store-conditional.
            let conditional = |event: u32| execution.read_modify_write.iter().any(|(_, to)| *to == event);
            if source.read().is_none() && (name == "rmw" || !conditional(from)) {
                return Err(format!("{name} ({from}, {to}) does not start at a read"));
            }
            if source.thread.is_none() || source.thread != target.thread || from > to {
                return Err(format!("{name} ({from}, {to}) does not follow one thread"));
            }
            if name == "rmw" && (target.written().is_none() || source.location() != target.location()) {
                return Err(format!("rmw ({from}, {to}) is not a read and a write of one location"));
            }
        }
    }
    Ok(())
}
