//! Loops that only wait.
//!
//! A thread that spins until it reads what it waits for may go round any number of times, and no
//! bound on loops is enough. But all rounds except the last leave nothing behind: they read, and what
//! they read is forgotten. Take them out of an execution and what remains is one in which the thread
//! reads the right values at once. So one round is enough, and a thread that would have to go back
//! *waits* there: it does nothing more, and is not cut.
//!
//! A loop is an await if
//!
//! * nothing that its rounds do is seen by others or judged: no store, no successful read-modify-write
//!   (one that leaves the loop is made once, and is no part of a round), no assertion, no exclusive
//!   access (which leaves a reservation);
//! * there is a point that every round goes through, its head if possible, where every local that the
//!   loop changes is dead: set in each round before it is read, and after the loop dead or set by the
//!   last round. So exit tests use what was read in the same round, or what does not change. Whoever
//!   comes to that point again waits;
//! * it is entered at its head, and no property looks at threads inside it, which would see locals of
//!   the round before.
//!
//! A failed compare-and-swap is a read. An exchange that writes back the old value is a store.
//! It is presumed that a model which allows an execution also allows it without some reads that nothing
//! depends on; every model of the catalogue does. Whoever does not presume it turns this off.

use std::collections::{BTreeMap, BTreeSet};

use wattle_program::passes::{liveness, observed_locals};
use wattle_program::{Edge, Op, Point, Process, ProcessId, Program};

use crate::unroll::wto::{Component, Element};

/// The loops of a process that only wait: their heads, and the points where a thread that comes back waits.
pub(crate) fn awaits(
    program: &Program,
    id: ProcessId,
    order: &[Element],
    standing: &BTreeSet<(ProcessId, Point)>,
) -> BTreeMap<Point, Point> {
    let process = program.process(id);
    let stands = |point: Point| standing.contains(&(id, point));
    let looks = |point: Point| process.cfg.point(point).end || stands(point);
    let live = liveness(process, &observed_locals(program, id), looks);
    let mut found = BTreeMap::new();
    let mut open: Vec<&Element> = order.iter().collect();
    while let Some(element) = open.pop() {
        let Element::Component(component) = element else { continue };
        open.extend(&component.body);
        if component.members.iter().any(|point| stands(*point)) {
            continue;
        }
        let Some(changed) = changes(process, component) else { continue };
        let body = component.body.iter().filter_map(|element| match element {
            Element::Point(point) => Some(*point),
            Element::Component(_) => None,
        });
        let mut places = [component.head].into_iter().chain(body);
        let place = places.find(|place| {
            live[place.0 as usize].is_disjoint(&changed) && is_on_every_round(process, component, *place)
        });
        found.extend(place.map(|place| (component.head, place)));
    }
    found
}

/// What the rounds of a loop change, if that is all that they do.
fn changes(process: &Process, component: &Component) -> Option<BTreeSet<u32>> {
    let inside = |point: Point| component.members.binary_search(&point).is_ok();
    let enters = |edge: &Edge| !inside(edge.from) && inside(edge.to) && edge.to != component.head;
    let entry = process.cfg.entry;
    if process.cfg.edges.iter().any(enters) || (inside(entry) && entry != component.head) {
        return None;
    }
    let rounds = process.cfg.edges.iter().filter(|edge| inside(edge.from) && inside(edge.to));
    let mut ops = rounds.flat_map(|edge| &edge.ops);
    ops.try_fold(BTreeSet::new(), |mut changed, op| {
        changed.extend(op.sets());
        is_silent(op).then_some(changed)
    })
}

/// Does every way from the head back to it lead through a point?
fn is_on_every_round(process: &Process, component: &Component, place: Point) -> bool {
    let inside = |point: Point| component.members.binary_search(&point).is_ok();
    let mut seen = BTreeSet::new();
    let mut open = vec![component.head];
    while let Some(point) = open.pop().filter(|_| place != component.head) {
        for edge in process.cfg.edges.iter().filter(|edge| edge.from == point && inside(edge.to)) {
            if edge.to == component.head {
                return false;
            }
            if edge.to != place && seen.insert(edge.to) {
                open.push(edge.to);
            }
        }
    }
    true
}

/// Does an operation change nothing outside its thread, and is it never judged?
fn is_silent(op: &Op) -> bool {
    match op {
        Op::Load { .. } | Op::Assign { .. } | Op::Havoc { .. } | Op::Forget { .. } | Op::Assume { .. } => {
            true
        }
        Op::Fence(fence) => fence.location.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use wattle_program::{Program, Shape};

    use crate::encode::property::standing;
    use crate::unroll::{Options, unroll};

    fn parse(text: &str) -> Program {
        let parsed = wattle_frontend_wtl::FRONTEND.read("test.wtl", text);
        parsed.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).program
    }

    /// Is the first thread never cut?
    fn is_await(text: &str) -> bool {
        let program = parse(&format!("shared x = 0, y = 0, z = 0; {text} thread other {{ x = 1; }}"));
        let shape = Shape::new(&program).unwrap();
        let options = Options { standing: standing(&program), ..Options::default() };
        let structure = unroll(&program, &shape, &options).unwrap();
        let without = unroll(&program, &shape, &Options { awaits: false, ..options }).unwrap();
        assert!(without.threads[0].cut.is_some(), "there is a loop to begin with");
        if structure.threads[0].cut.is_none() {
            assert!(structure.events.len() < without.events.len());
        }
        structure.threads[0].cut.is_none()
    }

    #[test]
    fn spinning_on_one_or_more_loads() {
        assert!(is_await("thread a { while (x == 0) { } y = 1; }"));
        assert!(is_await("thread a { while (x == 0 && y == 0) { fence; } z = 1; }"));
        assert!(is_await("thread a { local r = 0, s = 0; while (r == 0) { r = x; s = y + 1; } z = s; }"));
        assert!(is_await("thread a { local t = z; while (x != t) { } y = t; }"));
    }

    #[test]
    fn a_failed_cas_is_a_load() {
        assert!(is_await("thread a { while (!cas(x, 1, 2)) { } y = 1; }"));
        assert!(is_await("thread a { while (!cas(x, 1, 2)) { while (x == 0) { } } y = 1; }"));
    }

    #[test]
    fn a_round_that_stores_is_no_wait() {
        assert!(!is_await("thread a { while (x == 0) { y = 1; } }"));
        assert!(!is_await("thread a { local r = 1; while (r != 0) { r = exchange(x, 1); } }"));
    }

    #[test]
    fn a_round_that_asserts_is_no_wait() {
        assert!(!is_await("thread a { while (x == 0) { assert z == 0; } }"));
    }

    #[test]
    fn exit_tests_use_what_the_round_read() {
        assert!(!is_await("thread a { local i = 0; while (x == 0 && i != 7) { i = (i + y) % 9; } }"));
        assert!(!is_await("thread a { local r = 0, s = 0; while (s == 0) { s = r; r = x; } }"));
        assert!(!is_await("thread a { local r = 0; while (r == 0) { if (y == 0) { r = x; } } }"));
    }

    #[test]
    fn what_rounds_count_is_no_wait_if_it_is_used() {
        assert!(!is_await("thread a { local i = 0; while (x == 0) { i = (i + 1) % 3; } z = i; }"));
        assert!(!is_await("thread a { local i = 0; while (x == 0) { if (y == 0) { i = 1; } } z = i; }"));
        assert!(is_await(
            "thread a { local i = 0; while (x == 0) { if (y == 0) { i = 1; } } i = 2; z = i; }"
        ));
        // The second round tells all the others.
        assert!(is_await("thread a { local i = 0; while (x == 0) { i = 1; } z = i; }"));
    }

    #[test]
    fn observed_locals_are_used_in_the_end() {
        let set = "thread a { local r = 0; do_: r = x; if (r == 0) { goto do_; } }";
        assert!(is_await(&format!("{set} finally a.r == 1;")));
        let kept = "thread a { local r = 0; while (x == 0) { if (y == 0) { r = 1; } } }";
        assert!(is_await(kept));
        assert!(!is_await(&format!("{kept} finally a.r == 1;")));
    }

    #[test]
    fn properties_look_into_loops() {
        assert!(!is_await("thread a { while (x == 0) { wait: fence; } y = 1; } forbid a@wait;"));
        assert!(is_await("thread a { while (x == 0) { fence; } cs: y = 1; } forbid a@cs;"));
    }

    #[test]
    fn a_loop_entered_in_the_middle_is_no_wait() {
        assert!(!is_await(
            "thread a { local r = 0; if (y == 0) { goto in; } head: fence; in: r = x; if (r == 0) { goto head; } }"
        ));
    }
}
