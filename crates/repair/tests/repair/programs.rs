//! The programs of the tests, as the literature prints them.

use wattle_logic::{Binary, Term};
use wattle_program::{Point, Program, PropertyKind, Vocabulary};

use crate::build::{Builder, Thread, at, int, local, other};

fn scalar(variable: u32) -> Term {
    Term::address(variable, vec![])
}

fn element(variable: u32, index: Term) -> Term {
    Term::address(variable, vec![index])
}

fn mutual_exclusion(builder: Builder, process: u32, cs: Point) -> Program {
    builder.finish(PropertyKind::Forbid, at(process, 0, cs).and(at(process, 1, cs)))
}

/// Store buffering: x = 1; r = y || y = 1; r = x. Forbidden: both read 0.
pub fn store_buffering() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (x, y) = (builder.shared("x", None), builder.shared("y", None));
    for (name, mine, theirs) in [("p", x, y), ("q", y, x)] {
        builder.process(name, 1, 1, |thread| {
            thread.store(scalar(mine), int(1)).load(0, scalar(theirs));
        });
    }
    let read = |process| Term::local_of(process, int(0), 0, wattle_logic::Sort::Int).equals(int(0));
    builder.finish(PropertyKind::Finally, read(0).and(read(1)).negated())
}

/// Store buffering beside a thread whose buffer never stops growing.
pub fn store_buffering_beside_a_loop() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (x, y, z) = (builder.shared("x", None), builder.shared("y", None), builder.shared("z", None));
    let mut ends = vec![];
    for (name, mine, theirs) in [("p", x, y), ("q", y, x)] {
        ends.push(builder.process(name, 1, 1, |thread| {
            thread.store(scalar(mine), int(1));
            thread.wait(&[(0, scalar(theirs))], local(0).equals(int(0)));
            thread.label("cs")
        }));
    }
    builder.process("r", 1, 0, |thread| {
        let head = thread.here();
        // Two values in turn: a store that changes nothing would be skipped.
        thread.unnamed_store(scalar(z), int(1));
        thread.unnamed_store(scalar(z), int(0));
        thread.jump(head);
    });
    builder.finish(PropertyKind::Forbid, at(0, 0, ends[0]).and(at(1, 0, ends[1])))
}

/// Message passing: x = 1; y = 1 || r0 = y; r1 = x. Forbidden: r0 is 1 and r1 is 0.
pub fn message_passing() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (x, y) = (builder.shared("x", None), builder.shared("y", None));
    builder.process("p", 1, 0, |thread| {
        thread.store(scalar(x), int(1)).store(scalar(y), int(1));
    });
    builder.process("q", 1, 2, |thread| {
        thread.load(0, scalar(y)).load(1, scalar(x));
        let stale = local(0).equals(int(1)).and(local(1).equals(int(0)));
        thread.assert(stale.negated());
    });
    builder.finish(PropertyKind::Always, Term::bool(true))
}

/// The end of a loop around the critical section.
fn leave(thread: &mut Thread<'_>, head: Point, address: Term) -> Point {
    let cs = thread.label("cs");
    thread.store(address, int(0));
    thread.jump(head);
    cs
}

pub fn dekker_simple(fenced: bool) -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let flag = builder.shared("F", Some(2));
    let cs = builder.process("p", 2, 1, |thread| {
        let head = thread.here();
        thread.store(element(flag, Term::me()), int(1));
        if fenced {
            thread.fence();
        }
        thread.wait(&[(0, element(flag, other()))], local(0).equals(int(0)));
        let cs = thread.label("cs");
        thread.store(element(flag, Term::me()), int(0));
        if fenced {
            thread.fence();
        }
        thread.jump(head);
        cs
    });
    mutual_exclusion(builder, 0, cs)
}

/// Dekker with its own store in the loop: anywhere, a fence at the head of the loop does.
pub fn dekker_full() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (flag, turn) = (builder.shared("F", Some(2)), builder.shared("TURN", None));
    let cs = builder.process("p", 2, 2, |thread| {
        let head = thread.here();
        thread.store(element(flag, Term::me()), int(1));
        let test = thread.here();
        thread.load(0, element(flag, other()));
        let busy = local(0).equals(int(1));
        let decide = thread.here();
        // The way into the critical section is written last.
        thread.jump_if(busy.clone().negated(), decide);
        thread.load(1, scalar(turn));
        thread.jump_if(local(1).equals(Term::me()), test);
        thread.store(element(flag, Term::me()), int(0));
        thread.wait(&[(1, scalar(turn))], local(1).equals(Term::me()));
        thread.store(element(flag, Term::me()), int(1));
        thread.jump(test);
        thread.redirect(decide);
        let cs = thread.label("cs");
        thread.store(scalar(turn), other());
        thread.store(element(flag, Term::me()), int(0));
        thread.jump(head);
        cs
    });
    mutual_exclusion(builder, 0, cs)
}

pub fn peterson() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (flag, turn) = (builder.shared("F", Some(2)), builder.shared("TURN", None));
    let cs = builder.process("p", 2, 2, |thread| {
        let head = thread.here();
        thread.store(element(flag, Term::me()), int(1));
        thread.store(scalar(turn), other());
        let mine = local(0).equals(int(0)).or(local(1).equals(Term::me()));
        thread.wait(&[(0, element(flag, other())), (1, scalar(turn))], mine);
        leave(thread, head, element(flag, Term::me()))
    });
    mutual_exclusion(builder, 0, cs)
}

pub fn kessels() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (active, turn) = (builder.shared("A", Some(2)), builder.shared("C", Some(2)));
    let cs = builder.process("p", 2, 3, |thread| {
        let head = thread.here();
        let shifted = |read: Term| {
            let sum = Term::binary(Binary::Add, read, Term::me());
            Term::binary(Binary::Remainder, sum, int(2))
        };
        thread.store(element(active, Term::me()), int(1));
        thread.load(0, element(turn, other()));
        thread.store(element(turn, Term::me()), shifted(local(0)));
        let differs = local(1).equals(shifted(local(2))).negated();
        let loads =
            [(0, element(active, other())), (1, element(turn, Term::me())), (2, element(turn, other()))];
        thread.wait(&loads, local(0).equals(int(0)).or(differs));
        leave(thread, head, element(active, Term::me()))
    });
    mutual_exclusion(builder, 0, cs)
}

/// Peterson without `TURN`: both may enter, whatever memory does.
pub fn broken_under_sc() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let flag = builder.shared("F", Some(2));
    let cs = builder.process("p", 2, 1, |thread| {
        let head = thread.here();
        thread.wait(&[(0, element(flag, other()))], local(0).equals(int(0)));
        thread.store(element(flag, Term::me()), int(1));
        leave(thread, head, element(flag, Term::me()))
    });
    mutual_exclusion(builder, 0, cs)
}

/// The label stands directly after a store that has no place in the text: p is at `seen` while its
/// store is pending, and no fence can come between.
pub fn unrepairable() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let x = builder.shared("x", None);
    let seen = builder.process("p", 1, 0, |thread| {
        thread.unnamed_store(scalar(x), int(1));
        thread.label("seen")
    });
    let bad = at(0, 0, seen).and(Term::content(scalar(x), wattle_logic::Sort::Int).equals(int(0)));
    builder.finish(PropertyKind::Forbid, bad)
}

/// Baumann et al. (2018), Fig. 2.
pub fn remote_figure_2(flushes: bool) -> Program {
    let mut builder = Builder::new(Vocabulary::Rma);
    let y = builder.owned("Y", 0, 1);
    let (r, x) = (builder.owned("R", 1, 0), builder.owned("X", 1, 2));
    builder.process("p1", 1, 0, |_| ());
    builder.process("p2", 1, 1, |thread| {
        thread.put(scalar(y), scalar(x));
        if flushes {
            thread.flush(0);
        }
        thread.store(scalar(x), int(3)).get(scalar(r), scalar(y));
        if flushes {
            thread.flush(0);
        }
        thread.load(0, scalar(r));
    });
    let result = Term::local_of(1, int(0), 0, wattle_logic::Sort::Int);
    builder.finish(PropertyKind::Finally, result.equals(int(3)).negated())
}

/// Two gets from different processes, a flush of both in one step, and a read of both results; then a flush of both for nothing.
pub fn remote_gets(flush: impl Fn(&mut Thread<'_>)) -> Program {
    let mut builder = Builder::new(Vocabulary::Rma);
    let (y, z) = (builder.owned("Y", 0, 1), builder.owned("Z", 1, 1));
    let (a, b) = (builder.owned("A", 2, 0), builder.owned("B", 2, 0));
    builder.process("p1", 1, 0, |_| ());
    builder.process("p2", 1, 0, |_| ());
    builder.process("p3", 1, 2, |thread| {
        thread.get(scalar(a), scalar(y)).get(scalar(b), scalar(z));
        flush(thread);
        thread.load(0, scalar(a)).load(1, scalar(b));
        flush(thread);
    });
    let result = |local| Term::local_of(2, int(0), local, wattle_logic::Sort::Int).equals(int(1));
    builder.finish(PropertyKind::Finally, result(0).and(result(1)))
}

/// Store buffering by remote memory: each copy of p puts 1 into its own cell at the other copy and
/// reads what the other put into its own memory.
pub fn remote_store_buffering() -> Program {
    let mut builder = Builder::new(Vocabulary::Rma);
    let cell = builder.owned_by_copies("cell", 0, 0);
    builder.process("p", 2, 1, |thread| {
        thread.put_value(element(cell, other()), int(1)).load(0, element(cell, Term::me()));
    });
    let read = |copy| Term::local_of(0, int(copy), 0, wattle_logic::Sort::Int).equals(int(0));
    builder.finish(PropertyKind::Finally, read(0).and(read(1)).negated())
}

/// Two processes, 1988: copy 0 skips the wait for lower copies, copy 1 that for higher ones.
pub fn szymanski() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let flag = builder.shared("F", Some(2));
    let cs = builder.process("p", 2, 1, |thread| {
        let head = thread.here();
        let mine = || element(flag, Term::me());
        let theirs = [(0, element(flag, other()))];
        let among = |values: &[i64]| {
            let equal = values.iter().map(|value| local(0).equals(int(*value)));
            equal.reduce(Term::or).unwrap()
        };
        thread.store(mine(), int(1));
        thread.wait(&theirs, among(&[0, 1, 2]));
        thread.store(mine(), int(3)).load(0, element(flag, other()));
        let skip = thread.jump_over(among(&[1]).negated());
        thread.store(mine(), int(2));
        thread.wait(&theirs, among(&[4]));
        thread.land(skip);
        thread.store(mine(), int(4));
        let skip = thread.jump_over(Term::me().equals(int(0)));
        thread.wait(&theirs, among(&[0, 1]));
        thread.land(skip);
        let cs = thread.label("cs");
        let skip = thread.jump_over(Term::me().equals(int(1)));
        thread.wait(&theirs, among(&[0, 1, 4]));
        thread.land(skip);
        thread.store(mine(), int(0));
        thread.jump(head);
        cs
    });
    mutual_exclusion(builder, 0, cs)
}

/// Message passing with a second way to violate it, in which p has *not* come to its end.
pub fn late_arrival() -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let (x, y) = (builder.shared("x", None), builder.shared("y", None));
    builder.process("p", 1, 0, |thread| {
        thread.store(scalar(x), int(1)).store(scalar(y), int(1));
    });
    let content = |variable| Term::content(scalar(variable), wattle_logic::Sort::Int);
    let bad = content(y).equals(int(1)).and(content(x).equals(int(0)));
    let odd = content(y).equals(int(2)).and(Term::ended(0, int(0)).negated());
    builder.finish(PropertyKind::Forbid, bad.or(odd))
}
