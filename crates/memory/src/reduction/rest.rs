//! k-abstraction of store buffers: an exact part of k slots, and an abstract *rest* that holds any number of
//! stores (Abdulla, Atig, Chen, Leonardsson and Rezine, *Automatic Fence Insertion in Integer Programs via
//! Predicate Abstraction*, SAS 2012, section 4; the idea is that of Kuperstein, Vechev and Yahav, PLDI 2011).
//!
//! **Idea.** The reduction of `store_buffers.rs` has k slots, and a store that finds none free overflows. Here it
//! goes into the rest, which remembers of each location only whether there is something (`x_more`), the value
//! that was put into it last (`x_last`), and a set that contains all values in it (`x_values`). So there is no
//! overflow, and a proof of the program that comes out is a proof for buffers of any length. It runs under sc.
//!
//! **Rules.** A *line* is a thread's buffer under TSO, and that of one location in a thread under PSO.
//!
//! | | the slots are the oldest entries (Fig. 5) | the slots are the newest (section 9) |
//! |---|---|---|
//! | store | into the next slot, if one is free and the rest of the line is empty; else into the rest | into the next slot; if all are full, the oldest slot first moves into the rest of its location, and the others move up. Without slots, into the rest |
//! | load of x | `x_last` if `x_more`; else the newest slot of x; else memory | the newest slot of x; else `x_last` if `x_more`; else memory |
//! | commit | the oldest slot, if there is one; else from the rest | from the rest of the line while it is not empty; else the oldest slot |
//!
//! From the rest of x, if `x_more`: any element of `x_values` reaches memory and nothing else changes (UPDATE-AM); or
//! `x_last` reaches memory, and nothing is left (UPDATE-AS). Fences and locked steps wait until all counters and all
//! `more` are zero, and `fence(x)` until that is so for x.
//!
//! **What differs from the paper.**
//! * The set. The paper forgets the values, and UPDATE-AM writes an arbitrary one ([`Contents::Havoc`]). With the set
//!   ([`Contents::Set`], the default) only values that were stored come out, so `x = 1; x = 2` in a loop stays below
//!   3. Sets hold integers only; of other sorts (booleans, enumerations, addresses) any value comes out.
//! * `last` belongs to the rest, not to the whole buffer (the paper's R): for slots it can be read off.
//! * Slot i + 1 is filled when i are in use. (Fig. 7 prints b_{p,i} in WRITE-L; Fig. 5 has it right.)
//! * PSO, `fence(x)`, sections that are not locked, computed addresses and ranges, as in `store_buffers.rs`.
//! * What has left is forgotten: `last` and the scratch local are zero and the set is empty when they say nothing.
//! * A location has these locals only if its rest can ever hold something, and cases look at `more` only where it
//!   may be 1. Something comes into the rest of a line only when k slots of it are in use, and these
//!   k stores and the new one have all been made since the line was last drained. So where no path has more than k stores
//!   since the last drain, nothing is in the rest; and nothing of x is in it where no store to x has been made since
//!   then. `pending.rs` counts just these, up to k + 1. So a program with a fence after every k stores has no rest.
//!
//! **Why it over-approximates.** Let a state of the machine and an abstract one be *related* if memory, points and locals
//! are equal and each line splits into two parts. The slots in use are its oldest entries (or its newest) in order, and
//! of the other part, the rest, `x_more` says whether it has an entry for x, `x_last` is its newest one for x, and
//! `x_values` contains all of them. Initial states are related. Each move of the machine has a matching abstract
//! move with the same name, to related states again:
//! * Store. The case whose assumptions hold does what the split needs: the entry is the newest of the slots, or of the
//!   rest; or the oldest slot, which is newer than all of the rest, becomes the newest of it, and the store the newest slot.
//! * Load. The newest entry for x is in the newer part if that has one for x, else in the older part, else nowhere.
//! * Commit of the oldest entry, for x. If it is a slot, the slot commits. If it is in the rest (so the slots, if they
//!   are the older part, are empty): is it the only one for x there, then it is `x_last`, and UPDATE-AS commits it and
//!   leaves nothing; otherwise UPDATE-AM commits its value, which is in the set, and `more`, `last` and the set still fit.
//! * Fence, locked step, end: the line is empty exactly if no slot is in use and every `more` is zero.
//!
//! Other steps do not see buffers. So what the machine reaches, the abstraction reaches, violations, faults and final
//! states included.
//!
//! **What is lost** is the order in the rest, and under TSO that of different locations in it, and how often a value
//! comes: of `n = n + 1; x = n` in a loop, a reader may see 2 before 1. Lines that never hold more than k stores are
//! exact. An abstract path is one of the machine only if the machine can replay it (`Move::Commit` names the location).
//!
//! **Cost.** Three locals for each location, and a scratch local. A store has as many cases more as the line has locations that may
//! be in the rest (newest, full: that may be in the oldest slot), a load one more for each of its own, a commit two for each.
//!
//! **Barriers between stores** under PSO, in a thread that stores to several locations, order slots only (`order.rs`): what is in
//! a rest when a barrier comes is not waited for, and what enters a rest waits for nothing. The slots are the
//! oldest entries, so what a slot waits for is what the machine makes it wait for, and less is required than there.
//! Where the slots are the newest, an entry leaves them for the rest while others wait for it: refused.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wattle_logic::{Binary, Sort, Term, Value};
use wattle_program::{Choice, Op, Point, Process, Unsupported};

use super::address::name;
use super::case::Case;
use super::pending::{Bounds, Reached};
use super::thread::{Source, add_counter, add_local, equals};

/// What is kept of stores that find no free slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rest {
    pub contents: Contents,
    pub keeps: Keeps,
}

/// What is known of the values in a rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contents {
    /// Nothing, as in the paper: any value of the variable's range may come out.
    Havoc,
    /// A set that contains them.
    #[default]
    Set,
}

/// Which entries of a buffer are in slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keeps {
    /// As the paper's rules are printed.
    #[default]
    Oldest,
    /// As it was used for the paper's figures.
    Newest,
}

/// The abstract part of one location's buffer in a thread: locals by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// Holds 1 if something is in it, else 0.
    pub more: u32,
    /// Holds the value that entered last.
    pub last: u32,
    /// Holds a set that contains all values in it. `None`: nothing is known of them.
    pub values: Option<u32>,
}

/// The rest of one location, and what is needed to work with it.
struct Part {
    remainder: Remainder,
    sort: Sort,
    /// Holds a value on its way to memory, and zero otherwise.
    pick: u32,
    among: Choice,
    address: Term,
}

impl Part {
    fn last(&self) -> Term {
        Term::local(self.remainder.last, self.sort)
    }
}

/// The rests of one thread.
pub(super) struct Remainders {
    keeps: Keeps,
    parts: BTreeMap<u32, Part>,
    /// By point: the locations of which something may be in the rest.
    at: Vec<BTreeSet<u32>>,
}

impl Remainders {
    /// Adds the locals to the process, for the locations whose rest can be used. `beyond`: may there be something in
    /// the rest of a location where so much can be pending?
    pub(super) fn new(
        source: &Source<'_>,
        process: &mut Process,
        rest: Option<Rest>,
        bounds: &Bounds,
        beyond: &dyn Fn(u32, Reached) -> bool,
    ) -> Result<Remainders, Unsupported> {
        let Some(rest) = rest else {
            let at = vec![BTreeSet::new(); bounds.total.len()];
            return Ok(Remainders { keeps: Keeps::default(), parts: BTreeMap::new(), at });
        };
        let (mut parts, mut picks) = (BTreeMap::new(), BTreeMap::new());
        for (location, peak) in &bounds.peaks {
            if beyond(*location, *peak) {
                let cell = source.cell(*location);
                let pick = *picks.entry(cell).or_insert_with(|| add_local(process, "pick", cell.0, cell.1));
                parts.insert(*location, part(source, process, rest.contents, *location, pick)?);
            }
        }
        let may = |point: usize| {
            let all = bounds.total[point];
            let pending = bounds.each[point].iter();
            let beyond = pending.filter(|(location, own)| beyond(**location, Reached { own: **own, all }));
            beyond.map(|(location, _)| *location).filter(|location| parts.contains_key(location)).collect()
        };
        let at = (0..bounds.total.len()).map(may).collect();
        Ok(Remainders { keeps: rest.keeps, parts, at })
    }

    pub(super) fn keeps(&self) -> Keeps {
        self.keeps
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn of(&self, location: u32) -> Option<Remainder> {
        self.parts.get(&location).map(|part| part.remainder.clone())
    }

    pub(super) fn all(&self) -> BTreeMap<u32, Remainder> {
        self.parts.iter().map(|(location, part)| (*location, part.remainder.clone())).collect()
    }

    /// Of these locations, those of which something may be in the rest. What a case does not know has not changed
    /// since the point where the step began.
    fn possible(&self, at: Point, case: &Case, line: &[u32]) -> Vec<(u32, u32)> {
        let possible = |location: &u32| {
            let more = self.parts.get(location)?.remainder.more;
            let may = case.known(more).is_some() || self.at[at.0 as usize].contains(location);
            may.then_some((*location, more))
        };
        line.iter().filter_map(possible).collect()
    }

    /// Nothing is in the rests of these locations.
    pub(super) fn without(&self, at: Point, case: Case, line: &[u32]) -> Option<Case> {
        let possible = self.possible(at, &case, line);
        possible.into_iter().try_fold(case, |case, (_, more)| case.where_is(more, 0))
    }

    /// The same, as conditions at a point.
    pub(super) fn are_empty(&self, at: Point, line: &[u32]) -> Vec<Term> {
        let possible = self.possible(at, &Case::default(), line);
        possible.into_iter().map(|(_, more)| equals(more, 0)).collect()
    }

    /// Cases by the first of these locations of which something is in the rest, and the one where there is none.
    fn by_presence(&self, at: Point, case: Case, line: &[u32]) -> (Vec<Case>, Option<Case>) {
        let (mut present, mut absent) = (Vec::new(), Some(case));
        for (_, more) in absent.as_ref().map(|case| self.possible(at, case, line)).unwrap_or_default() {
            let Some(case) = absent.take() else { break };
            present.extend(case.clone().where_is(more, 1));
            absent = case.where_is(more, 0);
        }
        (present, absent)
    }

    /// The cases in which a load finds its value in the rest, and the one in which it goes on to the slots.
    pub(super) fn load_before_slots(
        &self,
        at: Point,
        case: Case,
        into: u32,
        location: u32,
    ) -> (Vec<Case>, Option<Case>) {
        match self.keeps {
            Keeps::Oldest => self.load(at, case, into, location),
            Keeps::Newest => (vec![], Some(case)),
        }
    }

    /// A load has found nothing in the slots.
    pub(super) fn load_after_slots(
        &self,
        at: Point,
        case: Case,
        into: u32,
        location: u32,
        from_memory: &Op,
    ) -> Vec<Case> {
        let (mut found, otherwise) = match self.keeps {
            Keeps::Oldest => (vec![], Some(case)),
            Keeps::Newest => self.load(at, case, into, location),
        };
        found.extend(otherwise.map(|case| case.with(from_memory.clone())));
        found
    }

    fn load(&self, at: Point, case: Case, into: u32, location: u32) -> (Vec<Case>, Option<Case>) {
        let Some(part) = self.parts.get(&location) else { return (vec![], Some(case)) };
        let (found, otherwise) = self.by_presence(at, case, &[location]);
        (found.into_iter().map(|case| case.assigning(into, &part.last())).collect(), otherwise)
    }

    /// The cases in which a store passes by the slots, and the one in which it does not. `line`: the locations that
    /// share a buffer; none, if there are no slots to pass by.
    pub(super) fn store_before_slots(
        &self,
        at: Point,
        case: Case,
        line: &[u32],
        location: u32,
        value: &Term,
    ) -> (Vec<Case>, Option<Case>) {
        match self.keeps {
            Keeps::Newest => (vec![], Some(case)),
            Keeps::Oldest => {
                let (present, absent) = self.by_presence(at, case, line);
                (present.into_iter().filter_map(|case| self.enter(case, location, value)).collect(), absent)
            }
        }
    }

    /// A value becomes the newest of the rest of a location. `None`: its rest is never used.
    pub(super) fn enter(&self, case: Case, location: u32, value: &Term) -> Option<Case> {
        let part = self.parts.get(&location)?;
        let Remainder { more, last, values } = part.remainder;
        // The range and the width of the location are those of `last`; so the set gets what `last` has become.
        let mut case = case.assigning(last, value);
        if let Some(values) = values {
            let with = Term::binary(Binary::Insert, Term::local(values, Sort::IntSet), part.last());
            case = case.assigning(values, &with);
        }
        Some(if case.known(more) == Some(1) { case } else { case.setting(more, 1) })
    }

    /// The two ways in which something can reach memory from the rest of a location.
    pub(super) fn commits(&self, at: Point, case: Case, location: u32) -> Vec<Case> {
        let Some(part) = self.parts.get(&location) else { return vec![] };
        let (present, _) = self.by_presence(at, case, &[location]);
        let store = |value| Op::Store { address: part.address.clone(), value, tags: Default::default() };
        let Remainder { more, last, values } = part.remainder;
        let mut result = Vec::new();
        for case in present {
            let one = case.clone().with(Op::Havoc { local: part.pick, among: part.among.clone() });
            let one = one.with(store(Term::local(part.pick, part.sort)));
            result.push(one.with(Op::Forget { local: part.pick }));
            let mut only = case.with(store(part.last())).with(Op::Forget { local: last });
            if let Some(values) = values {
                only = only.assigning(values, &nothing());
            }
            result.push(only.setting(more, 0));
        }
        result
    }
}

fn nothing() -> Term {
    Term::value(Value::Set(Arc::default()), Sort::IntSet)
}

fn part(
    source: &Source<'_>,
    process: &mut Process,
    contents: Contents,
    location: u32,
    pick: u32,
) -> Result<Part, Unsupported> {
    let (sort, range) = source.cell(location);
    let of = source.shape.location_name(source.program, location);
    if matches!(sort, Sort::Process | Sort::IntSet) {
        let what = format!("an abstract rest of `{of}`, which holds values of sort {sort}");
        return Err(Unsupported::new(what));
    }
    let more = add_counter(process, &format!("{of}_more"), 1);
    let last = add_local(process, &format!("{of}_last"), sort, range);
    let values = (contents == Contents::Set && sort.is_integer())
        .then(|| add_local(process, &format!("{of}_values"), Sort::IntSet, None));
    let among = match (values, sort) {
        (Some(values), _) => Choice::Member(Term::local(values, Sort::IntSet)),
        (None, Sort::Address) => {
            let location = |number: usize| Term::value(Value::Address(number as u32), Sort::Address);
            Choice::Between(location(0), location(source.shape.locations.len().saturating_sub(1)))
        }
        (None, _) => Choice::Any,
    };
    let remainder = Remainder { more, last, values };
    Ok(Part { remainder, sort, pick, among, address: name(source.shape, location) })
}
