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

/// put(data, 1); put(flag, 1), and a reader that waits for the flag. `elsewhere`: the flag belongs to another process.
fn message(elsewhere: bool) -> Program {
    let mut b = Build::new(if elsewhere { "puts to two processes" } else { "two puts of a message" });
    let (data, flag) = (b.owned("data", 0, 0), b.owned("flag", 0, u32::from(elsewhere)));
    let reader = |b: &mut Build| {
        b.thread("reader", |t| {
            t.load(flag);
            t.load(data);
        })
    };
    let p = if elsewhere {
        b.thread("p0", |_| {});
        reader(&mut b)
    } else {
        let p = reader(&mut b);
        b.thread("p1", |_| {});
        p
    };
    b.thread("p", |t| {
        t.op(Op::Put { remote: place(data), source: Source::Value(int(1)) });
        t.op(Op::Put { remote: place(flag), source: Source::Value(int(1)) });
    });
    b.never(b.local(p, 0).equals(int(1)).and(b.local(p, 1).equals(int(0))));
    b.done()
}

/// R = get(Y); put(Z, R): the put reads R at its issuer, where the get delivers.
fn forward() -> Program {
    let mut b = Build::new("get, then put of what came");
    let (y, z, r) = (b.owned("Y", 1, 0), b.owned("Z", 1, 0), b.owned("R", 0, 1));
    b.thread("p0", |_| {});
    b.thread("p", |t| {
        t.op(Op::Get { into: place(r), remote: place(y) });
        t.op(Op::Put { remote: place(z), source: Source::Location(place(r)) });
    });
    b.never(b.content(z).equals(int(0)));
    b.done()
}

/// put(Y, X); put(Y, 2): the value is known at once, and waits for the first put to read.
fn late_read() -> Program {
    let mut b = Build::new("a put of a location, then one of a value");
    let (y, x) = (b.owned("Y", 0, 0), b.owned("X", 1, 1));
    b.thread("p0", |_| {});
    b.thread("p", |t| {
        t.op(Op::Put { remote: place(y), source: Source::Location(place(x)) });
        t.op(Op::Put { remote: place(y), source: Source::Value(int(2)) });
    });
    b.never(b.content(y).equals(int(2)).negated());
    b.done()
}

/// put(Y, X); R = get(Z) into the place that is put: the two halves at p are in order.
fn read_before_delivery() -> Program {
    let mut b = Build::new("a put of what a later get overwrites");
    let (y, z, x) = (b.owned("Y", 0, 0), b.owned("Z", 2, 0), b.owned("X", 1, 1));
    b.thread("p0", |_| {});
    b.thread("p", |t| {
        t.op(Op::Put { remote: place(y), source: Source::Location(place(x)) });
        t.op(Op::Get { into: place(x), remote: place(z) });
    });
    b.never(b.content(y).equals(int(2)));
    b.done()
}

pub(super) fn cases() -> Vec<Case> {
    // Safe under sc, under rma-in-order, under rma.
    let case = |program: Program, safe: [bool; 3], because: &'static str| {
        let answer = |safe: bool| if safe { Expected::Safe } else { Expected::Unsafe };
        let models = ["sc", "rma-in-order", "rma"].into_iter();
        let expected = models.zip(safe).map(|(model, safe)| (model, answer(safe))).collect();
        Case { expected, ..Case::stated(program, [true; 3], because) }
    };
    let (always, in_order, never) = ([true; 3], [true, true, false], [true, false, false]);
    let mut cases = vec![
        case(figure_2(false), never, "the put reads X after it was changed"),
        case(figure_2(true), always, "the put is done before X changes"),
        case(get_then_read(false), never, "the get has not delivered yet"),
        case(get_then_read(true), always, "the flush waits for the delivery"),
        case(wrong_flush(), never, "the flush waits for somebody else"),
        case(additions(), always, "each addition is one step at its target"),
        case(two_puts(false), in_order, "puts have an order only by the order of issue"),
        case(two_puts(true), always, "the first is done before the second starts"),
        case(end_is_done(), always, "the end is after the last half"),
        case(message(false), in_order, "both writes happen at one target"),
        case(message(true), never, "different targets are in no order"),
        case(forward(), in_order, "the delivery and the read happen at the issuer"),
        case(late_read(), in_order, "the write of the first put is in the way, even before its read"),
        case(read_before_delivery(), in_order, "the read and the delivery happen at the issuer"),
    ];
    let refused = Expected::Unsupported("remote operations");
    let mut case = case(end_is_done(), always, "store buffers know no remote operations");
    case.expected = vec![("tso", refused.clone()), ("pso", refused)];
    cases.push(case);
    cases
}
