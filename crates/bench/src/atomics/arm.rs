//! The Arm memory model: the clauses of section B2.3 of the Arm Architecture Reference Manual, under their
//! short names (dob, aob, bob). An effect is a read or a write.

use super::rules::{Node, Test};

/// Is the first effect locally ordered before the second, by a single clause?
pub(super) fn ordered(test: &Test, a: usize, b: usize) -> Option<&'static str> {
    let (first, second) = (&test.nodes[a], &test.nodes[b]);
    if first.rmw.is_some() && first.rmw == second.rmw && first.reads.is_some() && second.writes.is_some() {
        return Some("aob: rmw");
    }
    if first.step >= second.step {
        return None;
    }
    if first.location == second.location && second.writes.is_some() {
        return Some("lws");
    }
    if let Some(clause) = dependency_ordered(test, a, b) {
        return Some(clause);
    }
    let paired = |m: usize| {
        let node = &test.nodes[m];
        first.rmw.is_some() && node.rmw == first.rmw && node.writes.is_some()
    };
    let acquires = second.reads.is_some() && (second.acquire || second.acquire_pc);
    if first.reads.is_some() && acquires && (0..test.nodes.len()).any(|m| paired(m) && successor(test, m, b))
    {
        return Some("aob: rmw;lrs;[A|Q]");
    }
    barrier_ordered(test, a, b)
}

/// Is the second effect a read of what the first wrote last in its thread, as far as its thread knows?
fn successor(test: &Test, write: usize, read: usize) -> bool {
    let (first, second) = (&test.nodes[write], &test.nodes[read]);
    first.writes.is_some()
        && second.reads.is_some()
        && first.thread == second.thread
        && first.location == second.location
        && first.step < second.step
        && !test
            .middle(write, read)
            .any(|m| test.nodes[m].writes.is_some() && test.nodes[m].location == first.location)
}

fn dependency_ordered(test: &Test, a: usize, b: usize) -> Option<&'static str> {
    let (first, second) = (&test.nodes[a], &test.nodes[b]);
    if test.address.contains(&(a, b)) {
        return Some("dob: addr");
    }
    if test.data.contains(&(a, b)) {
        return Some("dob: data");
    }
    if second.writes.is_some() && test.controls(a, b) {
        return Some("dob: ctrl;[W]");
    }
    let addressed: Vec<usize> = test.middle(a, b).filter(|m| test.address.contains(&(a, *m))).collect();
    if second.writes.is_some() && !addressed.is_empty() {
        return Some("dob: addr;po;[W]");
    }
    // A branch or an address that depends, then an ISB, then a read.
    let isb = |after: usize| {
        test.fences.iter().any(|(thread, step, name)| {
            let between = after <= *step && *step <= second.step;
            *thread == first.thread && name.eq_ignore_ascii_case("isb") && between
        })
    };
    let mut branches = test.control.iter().filter(|(source, _)| *source == a);
    let synchronised =
        branches.any(|(_, step)| isb(*step)) || addressed.iter().any(|m| isb(test.nodes[*m].step + 1));
    if second.reads.is_some() && synchronised {
        return Some("dob: (ctrl | addr;po);[ISB];po;[R]");
    }
    let depends = |m: usize| test.address.contains(&(a, m)) || test.data.contains(&(a, m));
    let forwarded = test.middle(a, b).any(|m| depends(m) && successor(test, m, b));
    forwarded.then_some("dob: (addr | data);lrs")
}

fn barrier_ordered(test: &Test, a: usize, b: usize) -> Option<&'static str> {
    let (first, second) = (&test.nodes[a], &test.nodes[b]);
    let mut fences = test.between(first.thread, first.step, second.step);
    let fenced = fences.any(|fence| match fence {
        "DMB.SY" | "DSB.SY" => true,
        "DMB.LD" | "DSB.LD" => first.reads.is_some(),
        "DMB.ST" => first.writes.is_some() && second.writes.is_some(),
        "DSB.ST" => first.writes.is_some(),
        _ => false,
    });
    if fenced {
        return Some("bob: DMB, DSB");
    }
    if first.reads.is_some() && (first.acquire || first.acquire_pc) {
        return Some("bob: [A|Q];po");
    }
    if second.writes.is_some() && second.release {
        return Some("bob: po;[L]");
    }
    let released = first.writes.is_some() && first.release;
    if released && second.reads.is_some() && second.acquire {
        return Some("bob: [L];po;[A]");
    }
    // The write of an atomic that acquires and releases is before everything later.
    let acquired =
        || test.nodes.iter().any(|node| node.rmw == first.rmw && node.reads.is_some() && node.acquire);
    (first.is_amo() && released && acquired()).then_some("bob: range([A];amo;[L]);po")
}

/// The internal visibility requirement: program order at one location, what is read from what, what is
/// written before what.
pub(super) fn one_location(test: &Test) -> Option<&'static str> {
    for first in &test.nodes {
        for second in &test.nodes {
            let own = first.thread == second.thread && first.location == second.location;
            if !own || first.step >= second.step {
                continue;
            }
            // Where each stands in the order of writes: a read at the write that it takes.
            let place = |node: &Node| node.writes.or(node.reads);
            let back = place(first).zip(place(second)).is_some_and(|(one, other)| one > other);
            let future = first.reads.is_some() && first.reads == second.writes;
            if back || future {
                return Some("internal visibility requirement");
            }
        }
    }
    None
}
