//! C with atomics: each thread is a function, and its reads go to locals `r0`, `r1` …

use super::super::architecture::Annotation;
use super::super::edge::{Direction, Kind, Means};
use super::super::layout::{Cycle, location_name};
use super::Results;

/// Everything after the header.
pub(super) fn text(cycle: &Cycle) -> String {
    let locations: Vec<String> =
        (0..cycle.locations).map(|location| format!("[{}] = 0;", location_name(location))).collect();
    let mut text = format!("{{ {} }}\n\n", locations.join(" "));
    let mut results = vec![Results::default(); cycle.accesses.len()];
    for thread in 0..cycle.threads {
        text.push_str(&function(cycle, thread, &mut results));
    }
    text + &super::condition(cycle, &results) + "\n"
}

fn function(cycle: &Cycle, thread: usize, results: &mut [Results]) -> String {
    let mut used: Vec<usize> = cycle.thread(thread).map(|at| cycle.accesses[at].location).collect();
    used.sort_unstable();
    used.dedup();
    let parameter = |location: &usize| {
        // A location that is accessed without atomics anywhere is an ordinary variable.
        let plain = |access: &super::super::layout::Access| {
            access.location == *location && access.annotation == Annotation::NonAtomic
        };
        let sort = if cycle.accesses.iter().all(|one| one.location != *location || plain(one)) {
            "int"
        } else {
            "atomic_int"
        };
        format!("{sort}* {}", location_name(*location))
    };
    let parameters: Vec<String> = used.iter().map(parameter).collect();
    let mut text = format!("P{thread} ({}) {{\n", parameters.join(", "));
    let mut locals = 0;
    for at in cycle.thread(thread) {
        if let Some(Kind::Order { means: Means::Fence(fence), .. }) =
            at.checked_sub(1).map(|before| cycle.edges[before].kind)
        {
            text.push_str(&format!("  atomic_thread_fence({});\n", fence.text));
        }
        let access = &cycle.accesses[at];
        let (location, value) = (location_name(access.location), access.value);
        let order = match access.annotation {
            Annotation::NonAtomic => None,
            Annotation::Plain | Annotation::Half(..) => Some("relaxed"),
            Annotation::Acquire | Annotation::AcquirePc => Some("acquire"),
            Annotation::Release => Some("release"),
            Annotation::SeqCst => Some("seq_cst"),
        };
        let line = match (access.direction, order) {
            (Direction::Write, None) => format!("*{location} = {value};"),
            (Direction::Write, Some(order)) => {
                format!("atomic_store_explicit({location}, {value}, memory_order_{order});")
            }
            (Direction::Read, order) => {
                let register = format!("r{locals}");
                locals += 1;
                if cycle.is_observed(access) {
                    results[at].seen.push((register.clone(), access.value));
                }
                let read = match order {
                    None => format!("*{location}"),
                    Some(order) => format!("atomic_load_explicit({location}, memory_order_{order})"),
                };
                format!("int {register} = {read};")
            }
        };
        text.push_str(&format!("  {line}\n"));
    }
    text + "}\n\n"
}
