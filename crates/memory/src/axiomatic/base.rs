//! The sets and relations that an execution gives to a model, by name.

use wattle_program::Orders;

use super::value::{Relation, Set, identity};
use crate::{Event, EventKind, Execution};

/// The events of a set in [`crate::cat::base`], or with a tag.
pub fn set(execution: &Execution, name: &str) -> Set {
    let keeps =
        |event: &Event, orders| matches!(event.kind, EventKind::Fence) && event.orders.contains(orders);
    let last = |number: u32| execution.coherence.iter().any(|writes| writes.last() == Some(&number));
    let belongs = |number: u32, event: &Event| match name {
        "_" => true,
        "R" => event.read().is_some(),
        "W" => event.written().is_some(),
        "M" => event.location().is_some(),
        "F" => matches!(event.kind, EventKind::Fence),
        "IW" => event.is_initial(),
        "FW" => last(number),
        "RMW" => matches!(event.kind, EventKind::Update { .. }),
        "Locked" => event.locked,
        "F.RR" => keeps(event, Orders::RR),
        "F.RW" => keeps(event, Orders::RW),
        "F.WR" => keeps(event, Orders::WR),
        "F.WW" => keeps(event, Orders::WW),
        tag => event.tags.contains(tag),
    };
    numbered(execution).filter(|(number, event)| belongs(*number, event)).map(|(number, _)| number).collect()
}

/// A relation in [`crate::cat::base`].
pub fn relation(execution: &Execution, name: &str) -> Option<Relation> {
    let given = |pairs: &[(u32, u32)]| pairs.iter().copied().collect();
    let between = |related: &dyn Fn(&Event, &Event) -> bool| {
        let mut pairs = Relation::default();
        for (from, one) in numbered(execution) {
            for (to, other) in numbered(execution) {
                if related(one, other) {
                    pairs.insert(from, to);
                }
            }
        }
        pairs
    };
    let same_thread = |one: &Event, other: &Event| one.thread.is_some() && one.thread == other.thread;
    let one_instruction = |&(read, write): &(u32, u32)| {
        let (one, other) = (&execution.events[read as usize], &execution.events[write as usize]);
        same_thread(one, other) && one.instruction == other.instruction
    };
    let atomic: Relation = given(&execution.read_modify_write);
    Some(match name {
        "id" => identity(&set(execution, "_")),
        "po" => {
            let mut order =
                between(&|one, other| same_thread(one, other) && one.instruction < other.instruction);
            for (from, to) in one_step_of_a_section(execution) {
                order.insert(from, to);
            }
            order
        }
        "section" => between(&|one, other| {
            same_thread(one, other) && one.section.is_some() && one.section == other.section
        }),
        "loc" => between(&|one, other| one.location().is_some() && one.location() == other.location()),
        "int" => between(&same_thread),
        "ext" => between(&|one, other| one.thread != other.thread),
        "rf" => given(&execution.reads_from),
        "co" => (execution.coherence.iter())
            .flat_map(|writes| {
                let later = move |at: usize| writes[at + 1..].iter().map(move |&to| (writes[at], to));
                (0..writes.len()).flat_map(later)
            })
            .collect(),
        "addr" => given(&execution.address),
        "data" => given(&execution.data),
        "ctrl" => given(&execution.control),
        "pick" => given(&execution.pick),
        "pick-addr" => given(&execution.pick_address),
        "pick-data" => given(&execution.pick_data),
        "rmw" => atomic,
        "amo" => atomic.iter().filter(one_instruction).collect(),
        "lxsx" => atomic.iter().filter(|pair| !one_instruction(pair)).collect(),
        _ => return None,
    })
}

/// Events of one step in an atomic section, in the order of its operations.
fn one_step_of_a_section(execution: &Execution) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (from, one) in numbered(execution).filter(|(_, event)| event.section.is_some()) {
        let later = numbered(execution).skip(from as usize + 1);
        let same = later
            .filter(|(_, other)| (other.thread, other.instruction) == (one.thread, one.instruction))
            .filter(|(_, other)| other.section == one.section);
        pairs.extend(same.map(|(to, _)| (from, to)));
    }
    pairs
}

fn numbered(execution: &Execution) -> impl Iterator<Item = (u32, &Event)> {
    execution.events.iter().enumerate().map(|(number, event)| (number as u32, event))
}
