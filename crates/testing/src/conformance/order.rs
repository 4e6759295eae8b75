//! What keeps accesses in order, and what only looks as if it did: locked steps, `fence(x)`,
//! sections of both kinds.

use wattle_program::{Mode, Program};

use super::Case;
use crate::build::{Body, Build, int, load, store};

/// SB with something in the middle of each thread.
fn sb(name: &str, middle: impl Fn(&mut Body, [u32; 3])) -> Program {
    let mut b = Build::new(name);
    let (x, y, z) = (b.variable("x", 0), b.variable("y", 0), b.variable("z", 0));
    let threads = [(x, y), (y, x)].map(|(mine, other)| {
        b.thread("p", |t| {
            let read = t.local();
            t.store(mine, int(1));
            middle(t, [mine, other, z]);
            t.op(load(read, other));
        })
    });
    let [r, s] = threads.map(|thread| b.local(thread, 0));
    b.never(r.equals(int(0)).and(s.equals(int(0))));
    b.done()
}

/// MP whose writer has something between its stores.
fn mp(name: &str, middle: impl Fn(&mut Body, u32)) -> Program {
    let mut b = Build::new(name);
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(1));
        middle(t, x);
        t.store(y, int(1));
    });
    let q = b.thread("q", |t| {
        t.load(y);
        t.load(x);
    });
    b.never(b.local(q, 0).equals(int(1)).and(b.local(q, 1).equals(int(0))));
    b.done()
}

fn exchange(t: &mut Body, [_, _, z]: [u32; 3]) {
    let into = t.local();
    t.step(Mode::Locked, vec![load(into, z), store(z, int(1))]);
}

/// Both threads add one; both additions count.
fn fetch_add(mode: Mode) -> Program {
    let mut b = Build::new(&format!("two additions, {mode:?}"));
    let x = b.variable("x", 0);
    b.copies("p", 2, |t| {
        let read = t.local();
        let sum = wattle_logic::Term::binary(wattle_logic::Binary::Add, t.value(read), int(1));
        t.step(mode, vec![load(read, x), store(x, sum)]);
    });
    b.never(b.content(x).equals(int(2)).negated());
    b.done()
}

/// A section over two locations keeps them equal for whoever looks in a section too.
fn section(mode: Mode) -> Program {
    let mut b = Build::new(&format!("a section of two stores, {mode:?}"));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.graph.inside = Some(mode);
        t.step(mode, vec![store(x, int(1))]);
        t.graph.inside = None;
        t.step(mode, vec![store(y, int(1))]);
    });
    let q = b.thread("q", |t| {
        let (r, s) = (t.local(), t.local());
        t.graph.inside = Some(mode);
        t.step(mode, vec![load(r, x)]);
        t.graph.inside = None;
        t.step(mode, vec![load(s, y)]);
    });
    b.never(b.local(q, 0).equals(b.local(q, 1)).negated());
    b.done()
}

/// One step that stores twice against one step that loads twice.
fn group(mode: Mode) -> Program {
    let mut b = Build::new(&format!("two stores in one step, {mode:?}"));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| t.step(mode, vec![store(x, int(1)), store(y, int(1))]));
    let q = b.thread("q", |t| {
        let (r, s) = (t.local(), t.local());
        t.step(mode, vec![load(r, x), load(s, y)]);
    });
    b.never(b.local(q, 0).equals(b.local(q, 1)).negated());
    b.done()
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::stated(sb("SB with an exchange between", exchange), [true; 3], "a locked step drains"),
        Case::stated(
            sb("SB with a cas that succeeds between", |t, [mine, ..]| {
                t.cas(mine, 1, 1);
            }),
            [true; 3],
            "a locked step drains",
        ),
        Case::stated(
            sb("SB with a cas that fails between", |t, [_, _, z]| {
                t.cas(z, 7, 8);
            }),
            [true; 3],
            "a cas drains, failed or not",
        ),
        Case::stated(
            sb("SB with a plain load of z between", |t, [_, _, z]| {
                t.load(z);
            }),
            [true, false, false],
            "a load drains nothing",
        ),
        Case::stated(
            sb("SB with fence(own) between", |t, [mine, ..]| t.fence_at(mine)),
            [true; 3],
            "the only store of the thread is the one waited for",
        ),
        Case::stated(
            sb("SB with fence(other) between", |t, [_, other, _]| t.fence_at(other)),
            [true, false, false],
            "nothing is pending for the other variable",
        ),
        Case::stated(
            sb("SB with an empty buffered step between", |t, [_, _, z]| {
                let into = t.local();
                t.step(Mode::Buffered, vec![load(into, z)]);
            }),
            [true, false, false],
            "a buffered step does not drain",
        ),
        Case::stated(
            mp("MP with fence(x)", |t, x| t.fence_at(x)),
            [true; 3],
            "x is in memory before y is stored",
        ),
        Case::stated(
            mp("MP with a failed cas", |t, x| {
                t.cas(x, 7, 8);
            }),
            [true; 3],
            "a cas drains, failed or not",
        ),
        Case::stated(fetch_add(Mode::Locked), [true; 3], "nothing comes between a locked load and its store"),
        Case::stated(
            fetch_add(Mode::Buffered),
            [true, false, false],
            "the first sum may still wait when the second is made",
        ),
        Case::stated(section(Mode::Locked), [true; 3], "nothing moves while a thread is inside"),
        Case::stated(
            section(Mode::Buffered),
            [true, false, false],
            "the stores leave the buffer one by one after the section",
        ),
        Case::stated(group(Mode::Locked), [true; 3], "both stores reach memory in one step"),
        Case::stated(group(Mode::Buffered), [true, false, false], "the stores leave the buffer one by one"),
    ]
}
