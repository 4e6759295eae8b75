//! RVWMO: the rules of preserved program order and the axioms, from chapter "RVWMO Memory Consistency Model"
//! of the RISC-V unprivileged specification. Rule numbers are those of the specification.

use super::rules::{Node, Test};

/// Rules 1 to 13, the first that applies; 3 before 2, which by the letter covers some of it.
pub(super) fn ordered(test: &Test, a: usize, b: usize) -> Option<&'static str> {
    let (first, second) = (&test.nodes[a], &test.nodes[b]);
    if first.step >= second.step {
        return None;
    }
    let same = first.location == second.location;
    let loads = first.reads.is_some() && second.reads.is_some();
    let stores_between = || test.middle(a, b).any(|m| test.nodes[m].writes.is_some() && at(test, m, first));
    if same && second.writes.is_some() {
        return Some("PPO 1");
    }
    let sent = first.is_amo() || (first.is_exclusive() && first.writes.is_some());
    if same && sent && first.writes.is_some() && first.writes == second.reads {
        return Some("PPO 3");
    }
    if same && loads && first.reads != second.reads && !stores_between() {
        return Some("PPO 2");
    }
    if test.between(first.thread, first.step, second.step).any(|fence| fenced(fence, first, second)) {
        return Some("PPO 4");
    }
    if first.acquire {
        return Some("PPO 5");
    }
    if second.release {
        return Some("PPO 6");
    }
    if strong(first) && strong(second) {
        return Some("PPO 7");
    }
    if first.is_exclusive() && first.rmw == second.rmw {
        return Some("PPO 8");
    }
    if test.address.contains(&(a, b)) {
        return Some("PPO 9");
    }
    if test.data.contains(&(a, b)) {
        return Some("PPO 10");
    }
    if second.writes.is_some() && test.controls(a, b) {
        return Some("PPO 11");
    }
    let depends = |m: usize| test.address.contains(&(a, m)) || test.data.contains(&(a, m));
    let forwarded = |m: usize| {
        let node = &test.nodes[m];
        node.writes.is_some() && node.writes == second.reads && node.location == second.location
    };
    if test.middle(a, b).any(|m| depends(m) && forwarded(m)) {
        return Some("PPO 12");
    }
    if second.writes.is_some() && test.middle(a, b).any(|m| test.address.contains(&(a, m))) {
        return Some("PPO 13");
    }
    None
}

fn at(test: &Test, node: usize, other: &Node) -> bool {
    test.nodes[node].location == other.location
}

/// An annotation on an atomic, load-reserved or store-conditional instruction is RCsc.
fn strong(node: &Node) -> bool {
    node.rmw.is_some() && (node.acquire || node.release)
}

/// `fence p,s` orders by its letters; an AMO is a load and a store.
fn fenced(fence: &str, first: &Node, second: &Node) -> bool {
    let letters = |node: &Node, set: &str| {
        (set.contains('r') && node.reads.is_some()) || (set.contains('w') && node.writes.is_some())
    };
    if fence == "Fence.tso" {
        return first.reads.is_some() || (first.writes.is_some() && second.writes.is_some());
    }
    match fence.strip_prefix("Fence.").and_then(|sets| sets.split_once('.')) {
        Some((before, after)) => letters(first, before) && letters(second, after),
        None => false,
    }
}

/// The load value axiom where it needs no global order: a load returns no store that an earlier store
/// of its own hart follows, and no later store of its own hart.
pub(super) fn one_location(test: &Test) -> Option<&'static str> {
    for load in &test.nodes {
        let Some(value) = load.reads else { continue };
        for store in &test.nodes {
            let own = store.thread == load.thread && store.location == load.location;
            let Some(written) = store.writes.filter(|_| own) else { continue };
            let stale = store.step < load.step && written > value;
            let future = store.step > load.step && written == value;
            if stale || future {
                return Some("load value axiom");
            }
        }
    }
    for one in &test.nodes {
        for other in &test.nodes {
            let later = one.thread == other.thread && one.location == other.location && one.step < other.step;
            if later && one.writes.zip(other.writes).is_some_and(|(one, other)| one > other) {
                return Some("PPO 1");
            }
        }
    }
    None
}
