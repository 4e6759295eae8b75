//! Remote memory access: which halves may wait, and what a flush waits for.

use wattle_program::{Op, ProcessId, Program, Source, Update};

use super::{Case, Expected};
use crate::build::{Body, Build, int, place};

fn flush(t: &mut Body, process: u32) {
    t.op(Op::Flush { process: ProcessId(process), copy: int(0) });
}

/// Baumann et al. (2018), Fig. 2: put(Y, X); X = 3; R = get(Y); r = R, reading 3.
fn figure_2(flushed: bool) -> Program {
    let mut b = Build::new(if flushed { "put, change, get with a flush" } else { "put, change, get" });
    let y = b.owned("Y", 1, 0);
    let (r, x) = (b.owned("R", 0, 1), b.owned("X", 2, 1));
    b.thread("p1", |_| {});
    let p2 = b.thread("p2", |t| {
        t.op(Op::Put { remote: place(y), source: Source::Location(place(x)) });
        if flushed {
            flush(t, 0);
        }
        t.store(x, int(3));
        t.op(Op::Get { into: place(r), remote: place(y) });
        flush(t, 0);
        t.load(r);
    });
    b.never(b.local(p2, 0).equals(int(3)));
    b.done()
}

/// A get delivers late: reading its target at once may miss the value.
fn get_then_read(flushed: bool) -> Program {
    let mut b = Build::new(if flushed { "get, flush, read" } else { "get, read" });
    let (y, r) = (b.owned("Y", 1, 0), b.owned("R", 0, 1));
    b.thread("p1", |_| {});
    let p2 = b.thread("p2", |t| {
        t.op(Op::Get { into: place(r), remote: place(y) });
        if flushed {
            flush(t, 0);
        }
        t.load(r);
    });
    b.never(b.local(p2, 0).equals(int(0)));
    b.done()
}

/// A flush of one process does not wait for operations on another.
fn wrong_flush() -> Program {
    let mut b = Build::new("a flush of another process");
    let (y, _, r) = (b.owned("Y", 1, 0), b.owned("Z", 1, 1), b.owned("R", 0, 2));
    b.thread("p0", |_| {});
    b.thread("p1", |_| {});
    let p = b.thread("p2", |t| {
        t.op(Op::Get { into: place(r), remote: place(y) });
        flush(t, 1);
        t.load(r);
    });
    b.never(b.local(p, 0).equals(int(0)));
    b.done()
}

/// Two remote additions are both counted, in whatever order they happen.
fn additions() -> Program {
    let mut b = Build::new("two remote additions");
    let y = b.owned("Y", 0, 0);
    b.thread("p0", |_| {});
    for _ in 0..2 {
        b.thread("p", |t| {
            t.op(Op::RemoteAtomic { into: None, remote: place(y), update: Update::Add(int(1)) });
        });
    }
    b.never(b.content(y).equals(int(2)).negated());
    b.done()
}

/// Of two puts from one thread to one place, either may be the last.
fn two_puts(flushed: bool) -> Program {
    let mut b = Build::new(if flushed { "two puts with a flush" } else { "two puts" });
    let y = b.owned("Y", 0, 0);
    b.thread("p0", |_| {});
    b.thread("p", |t| {
        t.op(Op::Put { remote: place(y), source: Source::Value(int(1)) });
        if flushed {
            flush(t, 0);
        }
        t.op(Op::Put { remote: place(y), source: Source::Value(int(2)) });
    });
    b.never(b.content(y).equals(int(1)));
    b.done()
}

/// The end is after the last half.
fn end_is_done() -> Program {
    let mut b = Build::new("at the end remote operations are done");
    let y = b.owned("Y", 0, 0);
    b.thread("p0", |_| {});
    b.thread("p", |t| t.op(Op::Put { remote: place(y), source: Source::Value(int(1)) }));
    b.never(b.content(y).equals(int(0)));
    b.done()
}

pub(super) fn cases() -> Vec<Case> {
    let case = |program: Program, sc: bool, rma: bool, because: &'static str| {
        let answer = |safe: bool| if safe { Expected::Safe } else { Expected::Unsafe };
        let expected = vec![("sc", answer(sc)), ("rma", answer(rma))];
        Case { expected, ..Case::stated(program, [true; 3], because) }
    };
    let mut cases = vec![
        case(figure_2(false), true, false, "the put reads X after it was changed"),
        case(figure_2(true), true, true, "the put is done before X changes"),
        case(get_then_read(false), true, false, "the get has not delivered yet"),
        case(get_then_read(true), true, true, "the flush waits for the delivery"),
        case(wrong_flush(), true, false, "the flush waits for somebody else"),
        case(additions(), true, true, "each addition is one step at its target"),
        case(two_puts(false), true, false, "puts have no order among them"),
        case(two_puts(true), true, true, "the first is done before the second starts"),
        case(end_is_done(), true, true, "the end is after the last half"),
    ];
    let refused = Expected::Unsupported("remote operations");
    let mut case = case(end_is_done(), true, true, "store buffers know no remote operations");
    case.expected = vec![("tso", refused.clone()), ("pso", refused)];
    cases.push(case);
    cases
}
