//! Random statements: each writes edges from where the pen stands.

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Choice, Fence, Init, Mode, Op, Orders, Range, Tags};
use wattle_source::Span;

use crate::remote;
use crate::writer::{Class, Writer, class};
use crate::{Flavour, Profile};

/// The kinds of statement, and how often each is written.
const KINDS: [(Kind, [u32; 4]); 23] = [
    // in the order of `Flavour`:      sc tso pso rma
    (Kind::Pair, /*               */ [16, 45, 45, 8]),
    (Kind::Load, /*               */ [16, 20, 18, 12]),
    (Kind::Store, /*              */ [18, 24, 26, 12]),
    (Kind::Assign, /*             */ [5, 3, 3, 4]),
    (Kind::Havoc, /*              */ [3, 2, 2, 1]),
    (Kind::Branch, /*             */ [4, 3, 3, 3]),
    (Kind::LoadBranch, /*         */ [5, 5, 5, 3]),
    (Kind::Await, /*              */ [2, 2, 2, 1]),
    (Kind::Spin, /*               */ [1, 1, 1, 1]),
    (Kind::SpinOnTwo, /*          */ [1, 1, 1, 1]),
    (Kind::FullFence, /*          */ [1, 5, 3, 1]),
    (Kind::FenceAt, /*            */ [0, 2, 3, 0]),
    (Kind::WeakFence, /*          */ [0, 3, 6, 0]),
    (Kind::Cas, /*                */ [5, 3, 3, 2]),
    (Kind::Exchange, /*           */ [3, 2, 2, 1]),
    (Kind::FetchAdd, /*           */ [3, 2, 2, 1]),
    (Kind::LockedGroup, /*        */ [4, 2, 2, 1]),
    (Kind::BufferedGroup, /*      */ [2, 2, 3, 1]),
    (Kind::Section, /*            */ [3, 2, 2, 1]),
    (Kind::Assert, /*             */ [3, 3, 3, 3]),
    (Kind::Assume, /*             */ [1, 1, 1, 1]),
    (Kind::Skip, /*               */ [1, 1, 1, 1]),
    (Kind::Remote, /*             */ [0, 0, 0, 40]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A store and a load or store elsewhere, which buffers turn round.
    Pair,
    Load,
    Store,
    Assign,
    Havoc,
    Branch,
    LoadBranch,
    Await,
    Spin,
    SpinOnTwo,
    FullFence,
    FenceAt,
    WeakFence,
    Cas,
    Exchange,
    FetchAdd,
    LockedGroup,
    BufferedGroup,
    Section,
    Assert,
    Assume,
    Skip,
    Remote,
}

/// The whole code of a process.
pub(crate) fn body(writer: &mut Writer<'_>, statements: u32) {
    let mut left = statements;
    let depth = writer.profile.depth;
    block(writer, &mut left, depth);
    if writer.rng.chance(150) {
        let local = writer.locals.len() as u32;
        if local > 0 {
            let local = writer.rng.below(local);
            let condition = writer.test_of(local);
            writer.plain(Op::Assert { condition, span: Span::NOWHERE });
        }
    }
}

/// Statements until none are left.
fn block(writer: &mut Writer<'_>, left: &mut u32, depth: u32) {
    while *left > 0 {
        *left -= 1;
        let profile = writer.profile;
        if depth > 0 && writer.rng.chance(profile.loops) {
            a_loop(writer, left, depth - 1);
            continue;
        }
        if writer.rng.chance(profile.unsupported) {
            writer.plain(Op::Unsupported { what: "a riddle".into(), span: Span::NOWHERE });
            continue;
        }
        if writer.rng.chance(50) {
            let label = format!("l{}", writer.graph.at.0);
            writer.graph.label(label);
        }
        let kind = kind(writer, profile);
        statement(writer, kind, left, depth);
    }
}

fn kind(writer: &mut Writer<'_>, profile: &Profile) -> Kind {
    let column = match profile.flavour {
        Flavour::Sc => 0,
        Flavour::Tso => 1,
        Flavour::Pso => 2,
        Flavour::Rma => 3,
    };
    let weights = KINDS.map(|(_, weights)| weights[column]);
    KINDS[writer.rng.weighted(&weights)].0
}

/// One statement of a kind.
fn statement(writer: &mut Writer<'_>, kind: Kind, left: &mut u32, depth: u32) {
    match kind {
        Kind::Pair => {
            *left = left.saturating_sub(1);
            pair(writer);
        }
        Kind::Load => load(writer),
        Kind::Store => {
            let store = writer.store();
            writer.plain(store);
        }
        Kind::Assign => {
            let class = if writer.rng.chance(850) { Class::Integer } else { Class::Bool };
            let local = writer.target(class);
            let value = writer.value_for_local(local);
            writer.plain(Op::Assign { local, value });
        }
        Kind::Havoc => havoc(writer),
        Kind::Branch if depth == 0 => writer.plain(Op::Assume { condition: Term::bool(true) }),
        Kind::Branch => {
            let condition = writer.condition();
            let otherwise = match writer.rng.below(10) {
                0 => Term::bool(true), // either way
                1 => writer.condition(),
                _ => condition.negated(),
            };
            branch(writer, [(condition, vec![]), (otherwise, vec![])], left, depth);
        }
        Kind::LoadBranch => load_branch(writer, left, depth),
        Kind::Await => {
            let (into, load) = writer.load();
            let condition = writer.hope_for(into);
            writer.graph.step(Mode::Plain, vec![load, Op::Assume { condition }]);
        }
        Kind::Spin => spin(writer),
        Kind::SpinOnTwo => spin_on_two(writer),
        Kind::FullFence => writer.plain(Op::Fence(Fence::full())),
        Kind::FenceAt => {
            let (_, address) = writer.place();
            writer.plain(Op::Fence(Fence { location: Some(address), ..Fence::full() }));
        }
        Kind::WeakFence => weak_fence(writer),
        Kind::Cas => cas(writer),
        Kind::Exchange => exchange(writer),
        Kind::FetchAdd => fetch_add(writer),
        Kind::LockedGroup => {
            let ops = group(writer, true);
            writer.graph.step(Mode::Locked, ops);
        }
        Kind::BufferedGroup => {
            let ops = group(writer, false);
            writer.graph.step(Mode::Buffered, ops);
        }
        Kind::Section => section(writer),
        Kind::Assert => assertion(writer),
        Kind::Assume => {
            let condition = writer.condition().or(writer.condition());
            writer.plain(Op::Assume { condition });
        }
        Kind::Skip => {
            writer.graph.step(Mode::Plain, vec![]);
        }
        Kind::Remote => remote::statement(writer),
    }
}

fn load(writer: &mut Writer<'_>) {
    let (into, load) = writer.load();
    let mut ops = vec![load];
    if writer.rng.chance(100) {
        let condition = writer.test_of(into);
        ops.push(Op::Assert { condition, span: Span::NOWHERE });
    }
    writer.graph.step(Mode::Plain, ops);
}

fn weak_fence(writer: &mut Writer<'_>) {
    let orders = match writer.rng.below(10) {
        0..=5 => Orders::WW,
        6 => Orders::RR,
        7 => Orders::WW.union(Orders::RR),
        8 => Orders::WR,
        _ => Orders(writer.rng.below(16) as u8),
    };
    let fence = Fence { tag: "weak".into(), orders, cumulative: false, location: None };
    writer.plain(Op::Fence(fence));
}

fn exchange(writer: &mut Writer<'_>) {
    let (into, load) = writer.load();
    let Op::Load { address, .. } = &load else { return };
    let address = address.clone();
    let value = value_at(writer, &address, into);
    let store = Op::Store { address, value, tags: Tags::new() };
    writer.graph.step(Mode::Locked, vec![load, store]);
}

fn fetch_add(writer: &mut Writer<'_>) {
    let (_, address) = writer.place();
    if !is_integer_place(writer, &address) {
        return writer.plain(Op::Assume { condition: Term::bool(true) });
    }
    let (into, load) = writer.load_from(address.clone(), Class::Integer);
    let sum = Term::binary(Binary::Add, writer.local(into), Term::int(1));
    let value = match writer.rng.chance(300) && ranged(writer, &address) {
        true => sum,
        false => Term::binary(Binary::Remainder, sum, Term::int(3)),
    };
    let store = Op::Store { address, value, tags: Tags::new() };
    writer.graph.step(Mode::Locked, vec![load, store]);
}

fn assertion(writer: &mut Writer<'_>) {
    if writer.locals.is_empty() {
        let (_, load) = writer.load();
        writer.plain(load);
    }
    let local = writer.rng.below(writer.locals.len() as u32);
    let condition = if writer.rng.chance(500) { writer.condition() } else { writer.test_of(local) };
    writer.plain(Op::Assert { condition, span: Span::NOWHERE });
}

/// A branch on what is loaded, both ways of which begin with the load.
fn load_branch(writer: &mut Writer<'_>, left: &mut u32, depth: u32) {
    let (into, load) = writer.load();
    let condition = writer.test_of(into);
    let no = Op::Assume { condition: condition.negated() };
    let yes = Op::Assume { condition };
    let yes = (Term::bool(true), vec![load.clone(), yes]);
    branch(writer, [yes, (Term::bool(true), vec![load, no])], left, depth);
}

fn pair(writer: &mut Writer<'_>) {
    let store = writer.store();
    let elsewhere = |op: &Op| match (op, &store) {
        (Op::Load { address, .. } | Op::Store { address, .. }, Op::Store { address: first, .. }) => {
            variable_at(address) != variable_at(first)
        }
        _ => false,
    };
    let mut second = writer.load().1;
    for _ in 0..4 {
        if elsewhere(&second) {
            break;
        }
        second = if writer.rng.chance(650) { writer.load().1 } else { writer.store() };
    }
    writer.plain(store);
    writer.plain(second);
}

fn havoc(writer: &mut Writer<'_>) {
    let class = if writer.rng.chance(800) { Class::Integer } else { Class::Bool };
    let local = writer.target(class);
    let info = &writer.locals[local as usize];
    let small = info.range.is_some() || info.sort == Sort::Bool;
    let among = match small && writer.rng.chance(500) {
        true => Choice::Any,
        false if class == Class::Bool => Choice::Any,
        // Now and then empty, or beyond the range of the local.
        false => {
            let low = writer.rng.chance(900);
            let high = i64::from(writer.rng.between(0, 2));
            let low = if low { Term::int(0) } else { writer.leaf() };
            Choice::Between(low, Term::int(high))
        }
    };
    writer.plain(Op::Havoc { local, among });
}

/// Two ways that meet again, with statements on each.
fn branch(writer: &mut Writer<'_>, ways: [(Term, Vec<Op>); 2], left: &mut u32, depth: u32) {
    let start = writer.graph.at;
    let meet = writer.graph.point();
    for (guard, ops) in ways {
        writer.graph.at = start;
        let mut inner = if depth > 0 { writer.rng.below((*left).min(2) + 1) } else { 0 };
        *left -= inner;
        if inner == 0 {
            writer.graph.to(meet, Mode::Plain, guard, ops);
            continue;
        }
        let first = writer.graph.point();
        writer.graph.to(first, Mode::Plain, guard, ops);
        writer.graph.at = first;
        block(writer, &mut inner, depth - 1);
        writer.graph.to(meet, Mode::Plain, Term::bool(true), vec![]);
    }
    writer.graph.at = meet;
}

fn a_loop(writer: &mut Writer<'_>, left: &mut u32, depth: u32) {
    let mut inner = (1 + writer.rng.below(2)).min(*left + 1);
    *left -= inner.min(*left);
    writer.loops += 1;
    if writer.rng.chance(500) {
        counted_loop(writer, &mut inner, depth);
    } else {
        free_loop(writer, &mut inner, depth);
    }
    writer.loops -= 1;
}

/// `for (i = 0; i < 2; i++)`, or with a counter that never stops if the profile wants that.
fn counted_loop(writer: &mut Writer<'_>, inner: &mut u32, depth: u32) {
    let growing = writer.rng.chance(writer.profile.growing);
    let range = (!growing).then_some(Range { low: 0, high: 2 });
    let counter = writer.add_local("i", Sort::Int, range, Init::Values(vec![Term::int(0)]));
    writer.locals[counter as usize].hidden = true;
    let i = writer.local(counter);
    let head = writer.graph.at;
    let (first, exit) = (writer.graph.point(), writer.graph.point());
    let more = match growing {
        true => Term::bool(true),
        false => Term::binary(Binary::Less, i.clone(), Term::int(2)),
    };
    writer.graph.to(exit, Mode::Plain, more.negated(), vec![]);
    writer.graph.to(first, Mode::Plain, more, vec![]);
    writer.graph.at = first;
    block(writer, inner, depth);
    let next = Op::Assign { local: counter, value: Term::binary(Binary::Add, i, Term::int(1)) };
    writer.graph.to(head, Mode::Plain, Term::bool(true), vec![next]);
    writer.graph.at = exit;
}

/// A loop that may go on for ever; data are finite, buffers are not.
fn free_loop(writer: &mut Writer<'_>, inner: &mut u32, depth: u32) {
    let head = writer.graph.at;
    let exit = writer.graph.point();
    block(writer, inner, depth);
    if writer.rng.chance(writer.profile.fenced_loops) {
        writer.plain(Op::Fence(Fence::full()));
    }
    match writer.rng.below(3) {
        0 => {
            let condition = writer.condition();
            writer.graph.to(exit, Mode::Plain, condition.clone(), vec![]);
            writer.graph.to(head, Mode::Plain, condition.negated(), vec![]);
        }
        1 => {
            let (into, load) = writer.load();
            let condition = writer.test_of(into);
            let again = Op::Assume { condition: condition.negated() };
            let ops = vec![load.clone(), Op::Assume { condition }];
            writer.graph.to(exit, Mode::Plain, Term::bool(true), ops);
            writer.graph.to(head, Mode::Plain, Term::bool(true), vec![load, again]);
        }
        _ => {
            writer.graph.to(exit, Mode::Plain, Term::bool(true), vec![]);
            writer.graph.to(head, Mode::Plain, Term::bool(true), vec![]);
        }
    }
    writer.graph.at = exit;
}

/// Wait for one variable: by a loop with its test in the edge, or by a cas that must succeed.
fn spin(writer: &mut Writer<'_>) {
    // A head of its own: the point before may be the head of another loop.
    writer.graph.step(Mode::Plain, vec![]);
    let head = writer.graph.at;
    let exit = writer.graph.point();
    let (into, load) = writer.load();
    let condition = writer.hope_for(into);
    let (mode, mut yes) = (Mode::Plain, vec![load.clone(), Op::Assume { condition: condition.clone() }]);
    let no = vec![load.clone(), Op::Assume { condition: condition.negated() }];
    let mode = if writer.rng.chance(400) { Mode::Locked } else { mode };
    if mode == Mode::Locked
        && let Op::Load { address, .. } = load
    {
        let value = value_at(writer, &address, into);
        yes.push(Op::Store { address, value, tags: Tags::new() });
    }
    writer.graph.to(exit, mode, Term::bool(true), yes);
    writer.graph.retry(head, mode, Term::bool(true), no);
    writer.graph.at = exit;
}

/// Wait for two variables, read one after the other.
fn spin_on_two(writer: &mut Writer<'_>) {
    writer.graph.step(Mode::Plain, vec![]);
    let head = writer.graph.at;
    let (first, load) = writer.load();
    writer.plain(load);
    let (second, load) = writer.load();
    writer.plain(load);
    let (one, two) = (writer.hope_for(first), writer.hope_for(second));
    let test = if writer.rng.chance(500) { one.and(two) } else { one.or(two) };
    let exit = writer.graph.point();
    writer.graph.to(exit, Mode::Plain, test.clone(), vec![]);
    writer.graph.retry(head, Mode::Plain, test.negated(), vec![]);
    writer.graph.at = exit;
}

/// A compare-and-swap: an edge that succeeds and one that fails.
fn cas(writer: &mut Writer<'_>) {
    let (into, load) = writer.load();
    let Op::Load { address, .. } = &load else { return };
    let condition = writer.test_of(into);
    let value = value_at(writer, address, into);
    let store = Op::Store { address: address.clone(), value, tags: Tags::new() };
    let mut yes = vec![load.clone(), Op::Assume { condition: condition.clone() }, store];
    let mut no = vec![load.clone(), Op::Assume { condition: condition.negated() }];
    if writer.rng.chance(500) {
        let done = writer.target(Class::Bool);
        yes.push(Op::Assign { local: done, value: Term::bool(true) });
        no.push(Op::Assign { local: done, value: Term::bool(false) });
    }
    let exit = writer.graph.point();
    writer.graph.to(exit, Mode::Locked, Term::bool(true), yes);
    writer.graph.to(exit, Mode::Locked, Term::bool(true), no);
    writer.graph.at = exit;
}

/// Several accesses as one step.
fn group(writer: &mut Writer<'_>, locked: bool) -> Vec<Op> {
    let mut ops = Vec::new();
    for _ in 0..writer.rng.between(2, 3) {
        let op = match writer.rng.below(10) {
            0..=3 => writer.load().1,
            4..=7 => writer.store(),
            8 => {
                let local = writer.target(Class::Integer);
                let value = writer.value_for_local(local);
                Op::Assign { local, value }
            }
            // A fence waits for stores of its own step for ever, so it stands first or is locked.
            _ if locked || ops.is_empty() => Op::Fence(Fence::full()),
            _ => Op::Assert { condition: writer.condition(), span: Span::NOWHERE },
        };
        ops.push(op);
    }
    if writer.rng.chance(100) {
        let condition = writer.condition();
        let at = writer.rng.below(ops.len() as u32 + 1) as usize;
        ops.insert(at, Op::Assume { condition });
    }
    ops
}

/// Two or three steps with nothing in between, perhaps with a choice in the middle.
fn section(writer: &mut Writer<'_>) {
    let mode = if writer.rng.chance(500) { Mode::Locked } else { Mode::Buffered };
    let access = |writer: &mut Writer<'_>| match writer.rng.below(10) {
        0..=3 => writer.load().1,
        4..=7 => writer.store(),
        8 if mode == Mode::Buffered => Op::Fence(Fence::full()),
        _ => {
            let local = writer.target(Class::Integer);
            let value = writer.value_for_local(local);
            Op::Assign { local, value }
        }
    };
    let first = access(writer);
    writer.graph.inside = Some(mode);
    writer.graph.step(mode, vec![first]);
    if writer.rng.chance(300) {
        let condition = writer.condition();
        let (yes, no) = (access(writer), access(writer));
        let next = writer.graph.point();
        writer.graph.to(next, mode, condition.clone(), vec![yes]);
        writer.graph.to(next, mode, condition.negated(), vec![no]);
        writer.graph.at = next;
    }
    let last = access(writer);
    writer.graph.inside = None;
    writer.graph.step(mode, vec![last]);
}

/// A value to store where `into` was loaded from.
fn value_at(writer: &mut Writer<'_>, address: &Term, into: u32) -> Term {
    match variable_at(address) {
        Some(variable) => writer.value_for(variable),
        None => writer.value_of(class(writer.locals[into as usize].sort)),
    }
}

fn variable_at(address: &Term) -> Option<u32> {
    match address.kind() {
        wattle_logic::Kind::Address { variable, .. } => Some(*variable),
        _ => None,
    }
}

fn is_integer_place(writer: &Writer<'_>, address: &Term) -> bool {
    // What is not named is reached by a pointer, and pointers go to integers.
    let sort = |variable: u32| writer.world.variables[variable as usize].sort;
    variable_at(address).is_none_or(|variable| class(sort(variable)) == Class::Integer)
}

fn ranged(writer: &Writer<'_>, address: &Term) -> bool {
    let info = |variable: u32| &writer.world.variables[variable as usize];
    variable_at(address).is_some_and(|variable| {
        info(variable).range.is_some() || matches!(info(variable).sort, Sort::Bits { .. })
    })
}
