//! The classic two- and four-thread shapes, bare and fenced.

use wattle_program::{Orders, Program};

use super::Case;
use crate::build::{Build, fence, int};

/// What stands between the two accesses of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    Full,
    Stores,
    Loads,
}

fn between(body: &mut crate::build::Body, what: Between) {
    match what {
        Between::Nothing => {}
        Between::Full => body.fence(),
        Between::Stores => body.op(fence(Orders::WW)),
        Between::Loads => body.op(fence(Orders::RR)),
    }
}

fn name(shape: &str, parts: &[Between]) -> String {
    if parts.iter().all(|part| *part == Between::Nothing) {
        return shape.to_owned();
    }
    format!("{shape} with {parts:?}")
}

/// Store buffering: x=1; r=y | y=1; s=x, both reading 0.
fn sb(first: Between, second: Between) -> Program {
    let mut b = Build::new(&name("SB", &[first, second]));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    let threads = [(x, y, first), (y, x, second)].map(|(mine, other, what)| {
        b.thread("p", |t| {
            t.store(mine, int(1));
            between(t, what);
            t.load(other);
        })
    });
    let reads = threads.map(|thread| b.local(thread, 0));
    reads.iter().for_each(|read| b.observe(read.clone()));
    let [r, s] = reads;
    b.never(r.equals(int(0)).and(s.equals(int(0))));
    b.done()
}

/// Message passing: x=1; y=1 | r=y; s=x, reading 1 and 0.
fn mp(writer: Between, reader: Between) -> Program {
    let mut b = Build::new(&name("MP", &[writer, reader]));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(1));
        between(t, writer);
        t.store(y, int(1));
    });
    let q = b.thread("q", |t| {
        t.load(y);
        between(t, reader);
        t.load(x);
    });
    let (r, s) = (b.local(q, 0), b.local(q, 1));
    b.observe(r.clone());
    b.observe(s.clone());
    b.never(r.equals(int(1)).and(s.equals(int(0))));
    b.done()
}

/// Message passing whose second store is a release.
fn mp_release() -> Program {
    let mut b = Build::new("MP with a release store");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(1));
        t.store_release(y, int(1));
    });
    let q = b.thread("q", |t| {
        t.load(y);
        t.load(x);
    });
    let (r, s) = (b.local(q, 0), b.local(q, 1));
    b.never(r.equals(int(1)).and(s.equals(int(0))));
    b.done()
}

/// Load buffering: r=x; y=1 | s=y; x=1, both reading 1.
fn lb() -> Program {
    let mut b = Build::new("LB");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    let threads = [(x, y), (y, x)].map(|(from, to)| {
        b.thread("p", |t| {
            t.load(from);
            t.store(to, int(1));
        })
    });
    let [r, s] = threads.map(|thread| b.local(thread, 0));
    b.observe(r.clone());
    b.observe(s.clone());
    b.never(r.equals(int(1)).and(s.equals(int(1))));
    b.done()
}

/// R: x=1; y=1 | y=2; r=x, with y=2 at the end and r=0.
fn r(first: Between, second: Between) -> Program {
    let mut b = Build::new(&name("R", &[first, second]));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(1));
        between(t, first);
        t.store(y, int(1));
    });
    let q = b.thread("q", |t| {
        t.store(y, int(2));
        between(t, second);
        t.load(x);
    });
    b.never(b.content(y).equals(int(2)).and(b.local(q, 0).equals(int(0))));
    b.done()
}

/// S: x=2; y=1 | r=y; x=1, with r=1 and x=2 at the end.
fn s(first: Between) -> Program {
    let mut b = Build::new(&name("S", &[first]));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(2));
        between(t, first);
        t.store(y, int(1));
    });
    let q = b.thread("q", |t| {
        t.load(y);
        t.store(x, int(1));
    });
    b.never(b.local(q, 0).equals(int(1)).and(b.content(x).equals(int(2))));
    b.done()
}

/// 2+2W: x=1; y=2 | y=1; x=2, with both first stores last.
fn two_plus_two(first: Between, second: Between) -> Program {
    let mut b = Build::new(&name("2+2W", &[first, second]));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    for (one, two, what) in [(x, y, first), (y, x, second)] {
        b.thread("p", |t| {
            t.store(one, int(1));
            between(t, what);
            t.store(two, int(2));
        });
    }
    b.never(b.content(x).equals(int(1)).and(b.content(y).equals(int(1))));
    b.done()
}

/// CoRR: x=1 | r=x; s=x, reading 1 and then 0.
fn corr() -> Program {
    let mut b = Build::new("CoRR");
    let x = b.variable("x", 0);
    b.thread("p", |t| t.store(x, int(1)));
    let q = b.thread("q", |t| {
        t.load(x);
        t.load(x);
    });
    b.never(b.local(q, 0).equals(int(1)).and(b.local(q, 1).equals(int(0))));
    b.done()
}

/// CoWW: two stores to one location stay in order.
fn coww() -> Program {
    let mut b = Build::new("CoWW");
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        t.store(x, int(1));
        t.store(x, int(2));
    });
    b.never(b.content(x).equals(int(1)));
    b.done()
}

/// CoWR: a thread sees its own newest store, or something newer, never what was before.
fn cowr() -> Program {
    let mut b = Build::new("CoWR");
    let x = b.variable("x", 0);
    let p = b.thread("p", |t| {
        t.store(x, int(1));
        t.store(x, int(2));
        t.load(x);
    });
    b.never(b.local(p, 0).equals(int(2)).negated());
    b.done()
}

/// IRIW: two writers, and two readers that see the writes in opposite orders.
fn iriw() -> Program {
    let mut b = Build::new("IRIW");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| t.store(x, int(1)));
    b.thread("q", |t| t.store(y, int(1)));
    let readers = [(x, y), (y, x)].map(|(one, two)| {
        b.thread("reader", |t| {
            t.load(one);
            t.load(two);
        })
    });
    let split =
        readers.map(|reader| b.local(reader, 0).equals(int(1)).and(b.local(reader, 1).equals(int(0))));
    let [one, two] = split;
    b.never(one.and(two));
    b.done()
}

/// SB with an extra load of one's own store first: forwarding does not drain.
fn sb_forwarded() -> Program {
    let mut b = Build::new("SB after reading one's own store");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    let threads = [(x, y), (y, x)].map(|(mine, other)| {
        b.thread("p", |t| {
            t.store(mine, int(1));
            t.load(mine);
            t.load(other);
        })
    });
    let read = threads.map(|thread| b.local(thread, 0).equals(int(1)).and(b.local(thread, 1).equals(int(0))));
    let [one, two] = read;
    b.never(one.and(two));
    b.done()
}

pub(super) fn cases() -> Vec<Case> {
    use Between::{Full, Loads, Nothing, Stores};
    vec![
        Case::stated(sb(Nothing, Nothing), [true, false, false], "both stores wait while both loads run"),
        Case::stated(sb(Full, Nothing), [true, false, false], "one store still waits"),
        Case::stated(sb(Full, Full), [true, true, true], "each store is in memory before its thread loads"),
        Case::stated(sb(Stores, Stores), [true, false, false], "a fence between stores does not hold loads"),
        Case::stated(sb(Loads, Loads), [true, false, false], "a fence between loads does not drain"),
        Case::stated(
            sb_forwarded(),
            [true, false, false],
            "a load from the own buffer leaves the store there",
        ),
        Case::stated(mp(Nothing, Nothing), [true, true, false], "only PSO lets y pass x"),
        Case::stated(mp(Full, Nothing), [true, true, true], "x is in memory before y is stored"),
        Case::stated(mp(Stores, Nothing), [true, true, true], "the barrier keeps y behind x"),
        Case::stated(mp(Nothing, Full), [true, true, false], "the reader was never the trouble"),
        Case::stated(mp(Loads, Nothing), [true, true, false], "a fence between loads does not order stores"),
        Case::stated(mp_release(), [true, true, true], "a release store has a barrier before it"),
        Case::stated(lb(), [true, true, true], "no machine here delays loads"),
        Case::stated(r(Nothing, Nothing), [true, false, false], "y=2 waits while x is read"),
        Case::stated(r(Nothing, Full), [true, true, false], "under PSO y=1 still passes x=1"),
        Case::stated(r(Stores, Full), [true, true, true], "stores in order, and drained before the load"),
        Case::stated(s(Nothing), [true, true, false], "only PSO lets y=1 pass x=2"),
        Case::stated(s(Stores), [true, true, true], "the barrier keeps y=1 behind x=2"),
        Case::stated(two_plus_two(Nothing, Nothing), [true, true, false], "only PSO reorders stores"),
        Case::stated(
            two_plus_two(Stores, Nothing),
            [true, true, false],
            "the other thread still lets x=2 pass y=1",
        ),
        Case::stated(
            two_plus_two(Stores, Stores),
            [true, true, true],
            "both threads keep their stores in order",
        ),
        Case::stated(corr(), [true, true, true], "loads run in order on one memory"),
        Case::stated(coww(), [true, true, true], "stores to one location leave in order"),
        Case::stated(cowr(), [true, true, true], "the newest store of the own buffer is read"),
        Case::stated(iriw(), [true, true, true], "a store reaches all other threads at once"),
    ]
}

/// Shapes with the number of their outcomes (what the loads read) under sc, tso and pso.
pub(super) fn counted() -> Vec<(Program, [usize; 3])> {
    use Between::Nothing;
    vec![(sb(Nothing, Nothing), [3, 4, 4]), (mp(Nothing, Nothing), [3, 3, 4]), (lb(), [3, 3, 3])]
}
