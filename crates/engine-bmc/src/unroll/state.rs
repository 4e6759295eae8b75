//! What is known where a thread may be: the guard, the locals, what they depend on.

use std::rc::Rc;

use wattle_program::symbolic::operations::Carried;
use wattle_program::symbolic::{self, Arena, Expr, Sources};

use super::guard;
use super::section::{self, Membership};
use super::structure::{Event, EventId};

/// Reads, each with the condition under which it is depended on; sorted by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reads(Option<Rc<Vec<(EventId, Expr)>>>);

impl Reads {
    pub(crate) fn one(arena: &mut Arena<'_>, read: EventId) -> Reads {
        let always = arena.constant(1);
        Reads::new(vec![(read, always)])
    }

    fn new(list: Vec<(EventId, Expr)>) -> Reads {
        Reads((!list.is_empty()).then(|| Rc::new(list)))
    }

    pub(crate) fn list(&self) -> &[(EventId, Expr)] {
        self.0.as_ref().map_or(&[], |list| list)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Only where a condition holds.
    pub(crate) fn when(&self, arena: &mut Arena<'_>, condition: Expr) -> Reads {
        if self.is_empty() || arena.value(condition) == Some(1) {
            return self.clone();
        }
        let list = self.list().iter().map(|(read, when)| (*read, guard::and(arena, *when, condition)));
        Reads::new(
            list.collect::<Vec<_>>().into_iter().filter(|(_, when)| arena.value(*when) != Some(0)).collect(),
        )
    }

    /// Each read that one or the other has.
    fn zip(
        &self,
        other: &Reads,
        mut join: impl FnMut(EventId, Option<Expr>, Option<Expr>) -> Option<Expr>,
    ) -> Reads {
        let (mut a, mut b) = (self.list().iter().peekable(), other.list().iter().peekable());
        let mut list = Vec::new();
        loop {
            let (one, two) = (a.peek().copied(), b.peek().copied());
            let read = match (one, two) {
                (Some(one), Some(two)) => one.0.min(two.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => break,
            };
            let one = a.next_if(|one| one.0 == read).map(|one| one.1);
            let two = b.next_if(|two| two.0 == read).map(|two| two.1);
            list.extend(join(read, one, two).map(|when| (read, when)));
        }
        Reads::new(list)
    }
}

impl Sources for Reads {
    fn union(&self, arena: &mut Arena<'_>, other: &Reads) -> Reads {
        if other.is_empty() || self == other {
            return self.clone();
        }
        if self.is_empty() {
            return other.clone();
        }
        self.zip(other, |_, one, two| match (one, two) {
            (Some(one), Some(two)) => Some(guard::or(arena, one, two)),
            (one, two) => one.or(two),
        })
    }

    fn without(&self, other: &Reads) -> Reads {
        let removed = |read: EventId| other.list().iter().any(|(other, _)| *other == read);
        if !self.list().iter().any(|(read, _)| removed(*read)) {
            return self.clone();
        }
        Reads::new(self.list().iter().filter(|(read, _)| !removed(*read)).copied().collect())
    }
}

pub(crate) type Known = symbolic::Known<Reads>;

/// The last load-exclusive that still waits for its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reservation {
    /// There is one.
    pub holds: Expr,
    pub address: Expr,
    pub reads: Reads,
}

/// A set of events of one thread, by their number in it.
pub(crate) type Behind = Rc<Vec<u64>>;

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub reached: Expr,
    pub carried: Carried<Reads>,
    pub reservation: Option<Reservation>,
    /// The atomic section that the thread stands in.
    pub section: Membership,
    /// The events on some way to here.
    pub behind: Behind,
}

impl State {
    pub(crate) fn passed(&mut self, event: u32) {
        let behind = Rc::make_mut(&mut self.behind);
        let word = event as usize / 64;
        if behind.len() <= word {
            behind.resize(word + 1, 0);
        }
        behind[word] |= 1 << (event % 64);
    }
}

/// Where ways meet: one state for all of them. Those that parted last are joined first, so that guards
/// fold back branch by branch.
pub(crate) fn join(arena: &mut Arena<'_>, events: &[Event], mut ways: Vec<State>) -> Option<State> {
    if ways.len() <= 1 {
        return ways.pop();
    }
    let mut sorted: Vec<(Vec<Expr>, State)> =
        ways.into_iter().map(|way| (guard::chain(arena, way.reached), way)).collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut stack: Vec<(Vec<Expr>, State)> = Vec::new();
    for way in sorted {
        while let [.., (below, _), (top, _)] = &stack[..]
            && shared(below, top) > shared(top, &way.0)
        {
            fold(arena, events, &mut stack);
        }
        stack.push(way);
    }
    while stack.len() > 1 {
        fold(arena, events, &mut stack);
    }
    stack.pop().map(|(_, state)| state)
}

fn shared(a: &[Expr], b: &[Expr]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn fold(arena: &mut Arena<'_>, events: &[Event], stack: &mut Vec<(Vec<Expr>, State)>) {
    if let (Some((_, second)), Some((_, first))) = (stack.pop(), stack.pop()) {
        let joined = join_two(arena, events, &first, &second);
        stack.push((guard::chain(arena, joined.reached), joined));
    }
}

fn join_two(arena: &mut Arena<'_>, events: &[Event], a: &State, b: &State) -> State {
    let reached = guard::or(arena, a.reached, b.reached);
    let tell = guard::tell(arena, a.reached, b.reached);
    let ways = Ways { events, tell, a: a.reached, b: b.reached };
    let carried = ways.carried(arena, &a.carried, &b.carried);
    let reservation = ways.reservation(arena, a.reservation.as_ref(), b.reservation.as_ref());
    let section = section::join(arena, tell, &a.section, &b.section);
    State { reached, carried, reservation, section, behind: both(&a.behind, &b.behind) }
}

fn both(a: &Behind, b: &Behind) -> Behind {
    if a == b {
        return a.clone();
    }
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut sum = long.as_ref().clone();
    sum.iter_mut().zip(short.iter()).for_each(|(word, other)| *word |= other);
    Rc::new(sum)
}

/// Two ways that meet.
struct Ways<'e> {
    events: &'e [Event],
    /// The first of them was taken, given that one was.
    tell: Expr,
    a: Expr,
    b: Expr,
}

impl Ways<'_> {
    fn expr(&self, arena: &mut Arena<'_>, a: Expr, b: Expr) -> Expr {
        if a == b { a } else { arena.choice(self.tell, a, b) }
    }

    fn carried(&self, arena: &mut Arena<'_>, a: &Carried<Reads>, b: &Carried<Reads>) -> Carried<Reads> {
        let locals = a.locals.iter().zip(&b.locals).map(|(one, two)| Known {
            expr: self.expr(arena, one.expr, two.expr),
            data: self.reads(arena, &one.data, &two.data),
            pick: self.reads(arena, &one.pick, &two.pick),
        });
        Carried {
            locals: locals.collect(),
            control: self.reads(arena, &a.control, &b.control),
            control_pick: self.reads(arena, &a.control_pick, &b.control_pick),
        }
    }

    /// A read that happens on one way only tells by itself which way was taken.
    fn reads(&self, arena: &mut Arena<'_>, a: &Reads, b: &Reads) -> Reads {
        if a == b {
            return a.clone();
        }
        a.zip(b, |read, one, two| {
            let happens = self.events[read as usize].guard;
            let when = match (one, two) {
                (Some(one), None) if guard::begins(arena, happens, self.a) => one,
                (None, Some(two)) if guard::begins(arena, happens, self.b) => two,
                (one, two) => {
                    let never = arena.constant(0);
                    self.expr(arena, one.unwrap_or(never), two.unwrap_or(never))
                }
            };
            Some(when)
        })
    }

    fn reservation(
        &self,
        arena: &mut Arena<'_>,
        a: Option<&Reservation>,
        b: Option<&Reservation>,
    ) -> Option<Reservation> {
        let never = arena.constant(0);
        match (a, b) {
            (None, None) => None,
            (Some(one), Some(two)) if one == two => Some(one.clone()),
            _ => {
                let address = a.or(b).map_or(never, |known| known.address);
                let none = Reservation { holds: never, address, reads: Reads::default() };
                let (one, two) = (a.unwrap_or(&none), b.unwrap_or(&none));
                Some(Reservation {
                    holds: self.expr(arena, one.holds, two.holds),
                    address: self.expr(arena, one.address, two.address),
                    reads: self.reads(arena, &one.reads, &two.reads),
                })
            }
        }
    }
}
