//! What properties mean: which states count, what stops a thread, what is stuck.

use wattle_engine::Property;
use wattle_logic::{Binary, Term};
use wattle_program::{Fence, Mode, Op, Program, PropertyKind, Tags};
use wattle_source::Span;

use super::{Case, Expected};
use crate::build::{Build, assert, assume, int, load, store};

/// One thread stops for ever; the other still violates its assertion.
fn assume_stops_a_thread() -> Program {
    let mut b = Build::new("an assumption stops its thread only");
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        t.store(x, int(1));
        t.op(assume(Term::bool(false)));
    });
    b.thread("q", |t| {
        let r = t.load(x);
        let zero = t.value(r).equals(int(0));
        t.op(assert(zero));
    });
    b.done()
}

/// Nothing after a false assumption happens.
fn assume_stops_what_follows() -> Program {
    let mut b = Build::new("nothing follows a false assumption");
    b.thread("p", |t| {
        t.op(assume(Term::bool(false)));
        t.op(assert(Term::bool(false)));
    });
    b.done()
}

/// `assert` does not stop: what follows runs.
fn assert_goes_on() -> Program {
    let mut b = Build::new("what follows an assertion runs");
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        t.op(assert(Term::bool(true)));
        t.store(x, int(1));
    });
    b.never(b.content(x).equals(int(1)));
    b.done()
}

/// A store outside the range is not enabled: the thread waits, and its assertion is never reached.
fn range_blocks() -> Program {
    let mut b = Build::new("a store outside the range waits");
    let x = b.variable("x", 0);
    b.range(x, 0, 1);
    b.thread("p", |t| {
        t.store(x, int(2));
        t.op(assert(Term::bool(false)));
    });
    b.done()
}

/// The range opens: what does not fit now is never stored later either, other values are.
fn range_lets_pass() -> Program {
    let mut b = Build::new("a store inside the range passes");
    let x = b.variable("x", 0);
    b.range(x, 0, 1);
    b.thread("p", |t| {
        t.store(x, int(1));
        t.op(assert(Term::bool(false)));
    });
    b.done()
}

fn division(divisor: i64) -> Program {
    let mut b = Build::new(&format!("a division by {divisor}"));
    let x = b.variable("x", divisor);
    b.thread("p", |t| {
        let r = t.load(x);
        let quotient = Term::binary(Binary::Divide, int(1), t.value(r));
        t.op(Op::Assign { local: r, value: quotient });
    });
    b.done()
}

fn index(at: i64) -> Program {
    let mut b = Build::new(&format!("element {at} of two"));
    let (x, array) = (b.variable("x", at), b.array("array", 2));
    b.thread("p", |t| {
        let r = t.load(x);
        let address = Term::address(array, vec![t.value(r)]);
        t.op(Op::Store { address, value: int(1), tags: Tags::new() });
    });
    b.done()
}

/// `finally` speaks of drained buffers only: x is 1 there, however long it waited.
fn finally_is_drained() -> Program {
    let mut b = Build::new("at the end buffers are drained");
    let x = b.variable("x", 0);
    b.thread("p", |t| t.store(x, int(1)));
    b.never(b.content(x).equals(int(0)));
    b.done()
}

/// `always` reads main memory: a store that waits is not there yet.
fn always_is_memory() -> Program {
    let mut b = Build::new("an invariant speaks of memory");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        t.store(x, int(1));
        t.store(y, int(1));
    });
    // y implies x.
    let claim = b.content(y).equals(int(0)).or(b.content(x).equals(int(1)));
    b.property(PropertyKind::Always, claim);
    b.done()
}

/// A thread past its store while memory does not hold it: only with buffers.
fn always_sees_the_delay() -> Program {
    let mut b = Build::new("a thread may be past a store that memory does not hold");
    let x = b.variable("x", 0);
    let p = b.thread("p", |t| {
        t.store(x, int(1));
        t.label("past");
    });
    let claim = b.at(p, "past").negated().or(b.content(x).equals(int(1)));
    b.property(PropertyKind::Always, claim);
    b.done()
}

/// Dekker's entry: two flags, two critical sections.
fn mutual_exclusion(fenced: bool) -> Program {
    let mut b = Build::new(if fenced { "two flags with fences" } else { "two flags" });
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    let [p, q] = [(x, y), (y, x)].map(|(mine, other)| {
        b.thread("p", |t| {
            t.store(mine, int(1));
            if fenced {
                t.fence();
            }
            let r = t.local();
            let free = t.value(r).equals(int(0));
            t.step(Mode::Plain, vec![load(r, other), assume(free)]);
            t.label("cs");
            t.store(mine, int(0));
        })
    });
    b.property(PropertyKind::Forbid, b.at(p, "cs").and(b.at(q, "cs")));
    b.done()
}

/// Wait for the other's flag, then set one's own: nobody ever goes on.
fn crossed_waits(two_loads: bool, first_sets: bool) -> Program {
    let kind = if two_loads { "loops of two loads" } else { "single loads" };
    let also = if first_sets { ", one flag set first" } else { "" };
    let mut b = Build::new(&format!("waiting for each other by {kind}{also}"));
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    for (mine, other) in [(x, y), (y, x)] {
        b.thread("p", |t| {
            if first_sets && mine == x {
                t.store(mine, int(1));
            }
            if two_loads {
                let head = t.here();
                let (r, s) = (t.load(other), t.load(other));
                let open = t.value(r).equals(int(1)).and(t.value(s).equals(int(1)));
                let exit = t.graph.point();
                t.graph.to(exit, Mode::Plain, open.clone(), vec![]);
                t.graph.retry(head, Mode::Plain, open.negated(), vec![]);
                t.graph.at = exit;
            } else {
                let r = t.local();
                let open = t.value(r).equals(int(1));
                t.step(Mode::Plain, vec![load(r, other), assume(open)]);
            }
            t.store(mine, int(1));
        });
    }
    b.done()
}

/// A store in a loop without a fence: buffers fill without end.
fn stores_for_ever(fenced: bool) -> Program {
    let mut b = Build::new(if fenced { "stores for ever, fenced" } else { "stores for ever" });
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        // Two values in turn: a store that changes nothing needs no room.
        let head = t.here();
        t.store(x, int(1));
        t.store(x, int(0));
        if fenced {
            t.fence();
        }
        t.goto(head);
    });
    b.thread("q", |t| {
        let r = t.load(x);
        let small = Term::binary(Binary::LessEqual, t.value(r), int(1));
        t.op(assert(small));
    });
    b.done()
}

fn riddle(reached: bool) -> Program {
    let mut b = Build::new(if reached { "a riddle" } else { "a riddle that nobody reaches" });
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        let r = t.local();
        let one = t.value(r).equals(int(i64::from(!reached)));
        t.step(Mode::Plain, vec![load(r, x), assume(one)]);
        t.op(Op::Unsupported { what: "a riddle".into(), span: Span::NOWHERE });
    });
    b.done()
}

/// Two stores a step, for ever: with a small capacity nothing fits, which is not a deadlock.
fn pairs_for_ever() -> Program {
    let mut b = Build::new("two stores a step for ever");
    let (x, y) = (b.variable("x", 0), b.variable("y", 0));
    b.thread("p", |t| {
        let head = t.here();
        t.step(Mode::Plain, vec![store(x, int(1)), store(y, int(1))]);
        t.step(Mode::Plain, vec![store(x, int(0)), store(y, int(0))]);
        t.goto(head);
    });
    b.done()
}

/// The address of a fence is evaluated even where there is nothing to wait for.
fn fence_outside() -> Program {
    let mut b = Build::new("a fence for element 2 of two");
    let array = b.array("array", 2);
    b.thread("p", |t| {
        let location = Some(Term::address(array, vec![int(2)]));
        t.op(Op::Fence(Fence { location, ..Fence::full() }));
    });
    b.done()
}

/// A riddle that is reached only if two stores wait at once, beside buffers that never close.
fn late_riddle() -> Program {
    let mut b = Build::new("a riddle behind two waiting stores");
    let [a, c, d, e, f] = ["a", "c", "d", "e", "f"].map(|name| b.variable(name, 0));
    b.thread("endless", |t| {
        let head = t.here();
        t.store(f, int(1));
        t.store(f, int(0));
        t.goto(head);
    });
    b.thread("q", |t| {
        t.store(a, int(1));
        t.store(d, int(1));
        let (r, s) = (t.local(), t.local());
        let (early, seen) = (t.value(r).equals(int(0)), t.value(s).equals(int(1)));
        t.step(Mode::Plain, vec![load(r, c), assume(early)]);
        t.step(Mode::Plain, vec![load(s, e), assume(seen)]);
        t.op(Op::Unsupported { what: "a riddle".into(), span: Span::NOWHERE });
    });
    b.thread("t", |t| {
        t.step(Mode::Locked, vec![store(c, int(1))]);
        let r = t.local();
        let early = t.value(r).equals(int(0));
        t.step(Mode::Plain, vec![load(r, a), assume(early)]);
        t.step(Mode::Locked, vec![store(e, int(1))]);
    });
    b.done()
}

/// Any initial value of the range is tried.
fn any_start() -> Program {
    let mut b = Build::new("any initial value");
    let x = b.variable("x", 0);
    b.range(x, 3, 5);
    b.thread("p", |t| {
        let r = t.load(x);
        let not_four = t.value(r).equals(int(4)).negated();
        t.op(assert(not_four));
    });
    let mut program = b.done();
    program.variables[0].init = wattle_program::Init::Any;
    program
}

/// A havoc chooses every value once.
fn choice(high: i64) -> Program {
    let mut b = Build::new(&format!("a choice up to {high}"));
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        let r = t.local();
        t.op(Op::Havoc { local: r, among: wattle_program::Choice::Between(int(0), int(high)) });
        let value = t.value(r);
        t.step(Mode::Plain, vec![store(x, value)]);
    });
    b.never(b.content(x).equals(int(2)));
    b.done()
}

fn deadlock(program: Program, safe: bool, because: &'static str) -> Case {
    let mut case = Case::stated(program, [safe; 3], because);
    case.property = Property::NoDeadlock;
    case.name.push_str(" (deadlock)");
    case
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case::stated(assume_stops_a_thread(), [false; 3], "x reaches memory although its thread stops"),
        Case::stated(assume_stops_what_follows(), [true; 3], "the assertion is not reached"),
        Case::stated(assert_goes_on(), [false; 3], "the store happens"),
        Case::stated(range_blocks(), [true; 3], "the store is not enabled"),
        Case::stated(range_lets_pass(), [false; 3], "the store is enabled"),
        Case::stated(division(0), [false; 3], "a division by zero is a violation"),
        Case::stated(division(2), [true; 3], "nothing is wrong"),
        Case::stated(index(2), [false; 3], "an index out of bounds is a violation"),
        Case::stated(index(-1), [false; 3], "an index out of bounds is a violation"),
        Case::stated(index(1), [true; 3], "nothing is wrong"),
        Case::stated(fence_outside(), [false; 3], "an index out of bounds is a violation"),
        Case::stated(finally_is_drained(), [true; 3], "the end is after the last commit"),
        Case::stated(always_is_memory(), [true, true, false], "only PSO brings y to memory first"),
        Case::stated(always_sees_the_delay(), [true, false, false], "the store waits in the buffer"),
        Case::stated(mutual_exclusion(false), [true, false, false], "both flags wait while both are read"),
        Case::stated(mutual_exclusion(true), [true; 3], "each flag is in memory before the other is read"),
        Case::stated(any_start(), [false; 3], "one of the initial values is 4"),
        Case::stated(choice(1), [true; 3], "two is not among the choices"),
        Case::stated(choice(2), [false; 3], "two is among the choices"),
        deadlock(crossed_waits(false, false), false, "neither flag is ever set"),
        deadlock(crossed_waits(true, false), false, "both loops come back to where they were"),
        deadlock(crossed_waits(false, true), true, "one flag opens the way for both"),
        deadlock(crossed_waits(true, true), true, "one flag opens the way for both"),
        deadlock(assume_stops_what_follows(), false, "a thread that stops has not ended"),
        deadlock(stores_for_ever(true), true, "something can always move"),
        Case::stated(stores_for_ever(true), [true; 3], "a fence keeps the buffer small"),
        Case::stated(riddle(false), [true; 3], "what nobody reaches does no harm"),
    ];
    let expected = |answer: Expected| vec![("sc", answer.clone()), ("tso", answer.clone()), ("pso", answer)];
    let endless = vec![("sc", Expected::Safe), ("tso", Expected::Bounded), ("pso", Expected::Bounded)];
    let because = "no capacity closes the state space";
    let case = Case::stated(stores_for_ever(false), [true; 3], because);
    cases.push(Case { expected: endless.clone(), ..case });
    cases.push(Case { expected: endless, ..deadlock(pairs_for_ever(), true, because) });
    let riddle_beyond = Expected::Unsupported("riddle");
    let late = vec![("sc", Expected::Safe), ("tso", riddle_beyond.clone()), ("pso", riddle_beyond)];
    let because = "a bounded answer does not pass over what is not handled";
    cases.push(Case { expected: late, ..Case::stated(late_riddle(), [true; 3], because) });
    let case = Case::stated(riddle(true), [true; 3], "what is not handled is reached");
    cases.push(Case { expected: expected(Expected::Unsupported("riddle")), ..case });
    cases
}
