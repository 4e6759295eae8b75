//! TSO: one line of slots, each with the number of its location (the paper's Fig. 12).

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Op, Point, Process, Program, Range, Unsupported};

use super::address::name;
use super::case::Case;
use super::pending::{Bounds, Reached};
use super::rest::{Keeps, Remainders};
use super::thread::{Lines, Source, add_counter, add_local, equals};
use super::{Buffers, Capacity, Discipline, PerThread, Reduced, Reduction, Room, Slot, store_buffers};

/// Total store order.
#[derive(Clone, Copy, Debug)]
pub struct Tso;

impl Reduction for Tso {
    fn discipline(&self) -> Discipline {
        Discipline::Tso
    }

    fn capacity(&self, program: &Program, room: &Room) -> Result<Capacity, Unsupported> {
        match room.of.keys().next() {
            Some(name) => {
                let what = format!("under tso a buffer belongs to a thread, not to `{name}`");
                Err(Unsupported::new(what))
            }
            None => room.capacity(program),
        }
    }

    fn reduce(&self, program: &Program, capacity: &Capacity) -> Result<Reduced, Unsupported> {
        let capacity = &Capacity { rest: capacity.rest, ..Capacity::all(capacity.each) };
        let thread = |source: &Source<'_>, process: &mut Process, written: &[u32], bounds: &Bounds| {
            let lines = OneLine::new(source, process, written, capacity, bounds)?;
            let translated = source.translate(process, &lines)?;
            Ok((lines.buffer, translated))
        };
        store_buffers::reduce(self.discipline(), program, capacity, Buffers::Tso, thread)
    }
}

struct OneLine<'a> {
    source: &'a Source<'a>,
    bounds: &'a Bounds,
    buffer: Option<PerThread>,
    /// Do slots check ranges by themselves? Otherwise stores do.
    checked: bool,
    rests: Remainders,
}

impl<'a> OneLine<'a> {
    /// Adds the locals to the process.
    fn new(
        source: &'a Source<'a>,
        process: &mut Process,
        written: &[u32],
        capacity: &Capacity,
        bounds: &'a Bounds,
    ) -> Result<OneLine<'a>, Unsupported> {
        let cells: BTreeSet<(Sort, Option<Range>)> =
            written.iter().map(|location| source.cell(*location)).collect();
        let sorts: BTreeSet<Sort> = cells.iter().map(|(sort, _)| *sort).collect();
        // A value of another sort is shifted too, as the zero that need not be in range.
        let checked = cells.len() <= 1;
        if !checked && cells.iter().any(|(sort, range)| range.is_some() && !sort.is_integer()) {
            let what = "a range of values that are no integers, among others, under tso";
            return Err(Unsupported::new(what));
        }
        let range = cells.first().and_then(|(_, range)| *range).filter(|_| checked);
        let (last, most) = (written.last().copied().unwrap_or(0), capacity.each);
        let mut slot = |number: u32| {
            let name = |sort: Sort| match sorts.len() {
                1 => format!("rhs_{number}"),
                _ => format!("rhs_{number}_{sort}"),
            };
            let locations = Range { low: 0, high: i64::from(last) };
            let lhs = add_local(process, &format!("lhs_{number}"), Sort::Int, Some(locations));
            let rhs = sorts.iter().map(|sort| (*sort, add_local(process, &name(*sort), *sort, range)));
            Slot { lhs, rhs: rhs.collect::<BTreeMap<_, _>>() }
        };
        let buffer = (!written.is_empty()).then(|| PerThread {
            slots: (1..=most).map(&mut slot).collect(),
            count: 0,
            written: written.to_vec(),
            rests: BTreeMap::new(),
        });
        let mut buffer =
            buffer.map(|buffer| PerThread { count: add_counter(process, "cnt", most), ..buffer });
        let beyond = |_, reached: Reached| reached.own > 0 && reached.all > most;
        let rests = Remainders::new(source, process, capacity.rest, bounds, &beyond)?;
        if let Some(buffer) = &mut buffer {
            buffer.rests = rests.all();
        }
        Ok(OneLine { source, bounds, buffer, checked, rests })
    }

    fn most(&self, at: Point) -> usize {
        let slots = self.buffer.as_ref().map_or(0, |buffer| buffer.slots.len());
        slots.min(self.bounds.total[at.0 as usize] as usize)
    }

    fn by_count(&self, at: Point, case: &Case, buffer: &PerThread) -> Vec<(usize, Case)> {
        let most = match case.known(buffer.count) {
            Some(_) => buffer.slots.len(),
            None => self.most(at),
        };
        if buffer.slots.is_empty() {
            return vec![(0, case.clone())];
        }
        (0..=most)
            .filter_map(|count| Some((count, case.clone().where_is(buffer.count, count as i64)?)))
            .collect()
    }

    /// The local that holds a value for this location in a slot.
    fn rhs(&self, slot: &Slot, location: u32) -> (u32, Sort) {
        let sort = self.source.cell(location).0;
        (slot.rhs.get(&sort).copied().unwrap_or(slot.lhs), sort)
    }
}

impl OneLine<'_> {
    /// A store enters a slot.
    fn fill(&self, case: Case, slot: &Slot, location: u32, value: &Term) -> Case {
        self.in_range(case.setting(slot.lhs, i64::from(location)), slot, location, value)
    }

    /// A value for a location, in a slot; only if it is in range.
    fn in_range(&self, case: Case, slot: &Slot, location: u32, value: &Term) -> Case {
        let (rhs, sort) = self.rhs(slot, location);
        let case = case.assigning(rhs, value);
        match self.source.cell(location).1.filter(|_| !self.checked) {
            None => case,
            Some(range) => {
                let bound =
                    |operator, bound| Term::binary(operator, Term::local(rhs, sort), Term::int(bound));
                let low = bound(Binary::GreaterEqual, range.low);
                case.assuming(low.and(bound(Binary::LessEqual, range.high)))
            }
        }
    }

    /// Each of these slots gets the contents of the next one.
    fn move_up(&self, mut case: Case, slots: &[Slot]) -> Case {
        for pair in slots.windows(2) {
            case = case.moving(pair[1].lhs, pair[0].lhs);
            for (sort, rhs) in &pair[0].rhs {
                let next = pair[1].rhs.get(sort).copied().unwrap_or(*rhs);
                case = case.assigning(*rhs, &Term::local(next, *sort));
            }
        }
        case
    }

    /// A store finds all slots in use: it goes into the rest, or makes room by moving the oldest there. (In the
    /// oldest slot there is no location without a rest: where all slots are in use and one more store comes, it would
    /// have one.)
    fn beyond_slots(&self, case: Case, buffer: &PerThread, location: u32, value: &Term) -> Vec<Case> {
        let (Keeps::Newest, Some(newest)) = (self.rests.keeps(), buffer.slots.last()) else {
            let entered = self.rests.enter(case, location, value);
            return vec![entered.unwrap_or_else(|| Case::default().overflowing(None))];
        };
        let oldest = &buffer.slots[0];
        let spill = |moved: &u32| {
            let case = case.clone().where_is(oldest.lhs, i64::from(*moved))?;
            let (rhs, sort) = self.rhs(oldest, *moved);
            let case = self.rests.enter(case, *moved, &Term::local(rhs, sort))?;
            Some(self.fill(self.move_up(case, &buffer.slots), newest, location, value))
        };
        buffer.written.iter().filter_map(spill).collect()
    }
}

impl Lines for OneLine<'_> {
    fn holds(&self, location: u32) -> bool {
        self.buffer.as_ref().is_some_and(|buffer| buffer.written.contains(&location))
    }

    fn load(&self, at: Point, case: Case, into: u32, location: u32, from_memory: &Op) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case.with(from_memory.clone())] };
        let (mut result, case) = self.rests.load_before_slots(at, case, into, location);
        for (count, case) in case.into_iter().flat_map(|case| self.by_count(at, &case, buffer)) {
            // From the newest to the oldest; `older` has looked at all so far in vain.
            let mut older = Some(case);
            for slot in buffer.slots[..count].iter().rev() {
                let Some(here) = older.take() else { break };
                let (rhs, sort) = self.rhs(slot, location);
                let found = here.clone().where_is(slot.lhs, i64::from(location));
                result.extend(found.map(|case| case.assigning(into, &Term::local(rhs, sort))));
                older = here.where_is_not(slot.lhs, i64::from(location));
            }
            let missed = |case| self.rests.load_after_slots(at, case, into, location, from_memory);
            result.extend(older.into_iter().flat_map(missed));
        }
        result
    }

    fn store(&self, at: Point, case: Case, location: u32, value: &Term) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case] };
        let line = if buffer.slots.is_empty() { &[][..] } else { &buffer.written };
        let (mut result, case) = self.rests.store_before_slots(at, case, line, location, value);
        let last = buffer.slots.last().filter(|_| self.source.may_fail(location, value));
        let enter = |(count, case): (usize, Case)| match buffer.slots.get(count) {
            Some(free) => {
                vec![self.fill(case, free, location, value).setting(buffer.count, count as i64 + 1)]
            }
            None if !self.rests.is_empty() => self.beyond_slots(case, buffer, location, value),
            None => {
                let case = last.iter().fold(case, |case, slot| self.in_range(case, slot, location, value));
                vec![case.overflowing(self.source.overflow)]
            }
        };
        let cases = case.into_iter().flat_map(|case| self.by_count(at, &case, buffer));
        result.extend(cases.flat_map(enter));
        result
    }

    fn drained(&self, at: Point, case: Case, location: Option<u32>) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case] };
        let Some(location) = location else {
            let case = match case.known(buffer.count).is_some() || self.most(at) > 0 {
                true => case.where_is(buffer.count, 0),
                false => Some(case),
            };
            let drained = case.and_then(|case| self.rests.without(at, case, &buffer.written));
            return drained.into_iter().collect();
        };
        let none = |(count, case): (usize, Case)| {
            let mut slots = buffer.slots[..count].iter();
            let case = slots.try_fold(case, |case, slot| case.where_is_not(slot.lhs, i64::from(location)));
            case.and_then(|case| self.rests.without(at, case, &[location]))
        };
        self.by_count(at, &case, buffer).into_iter().filter_map(none).collect()
    }

    fn commits(&self, at: Point) -> Vec<(u32, Vec<Op>)> {
        let Some(buffer) = &self.buffer else { return vec![] };
        let mut result = Vec::new();
        for count in 1..=self.most(at) {
            for &location in &buffer.written {
                let (slots, number) = (&buffer.slots[..count], i64::from(location));
                let case = Case::default().where_is(buffer.count, count as i64);
                let older = case.and_then(|case| match self.rests.keeps() {
                    Keeps::Oldest => Some(case),
                    Keeps::Newest => self.rests.without(at, case, &buffer.written),
                });
                let Some(mut case) = older.and_then(|case| case.where_is(slots[0].lhs, number)) else {
                    continue;
                };
                let (rhs, sort) = self.rhs(&slots[0], location);
                let address = name(self.source.shape, location);
                let value = Term::local(rhs, sort);
                case = case.with(Op::Store { address, value, tags: Default::default() });
                case = self.move_up(case, slots);
                let gone = &slots[count - 1];
                for local in [gone.lhs].into_iter().chain(gone.rhs.values().copied()) {
                    case = case.with(Op::Forget { local });
                }
                result.push((location, case.setting(buffer.count, count as i64 - 1).ops));
            }
        }
        for &location in &buffer.written {
            let case = match self.rests.keeps() {
                Keeps::Oldest if self.most(at) > 0 => Case::default().assuming(equals(buffer.count, 0)),
                Keeps::Oldest | Keeps::Newest => Case::default(),
            };
            let of_rest = self.rests.commits(at, case, location);
            result.extend(of_rest.into_iter().map(|case| (location, case.ops)));
        }
        result
    }

    fn is_empty(&self, at: Point) -> Term {
        let Some(buffer) = &self.buffer else { return Term::bool(true) };
        let counter = (self.most(at) > 0).then(|| equals(buffer.count, 0));
        Term::conjunction(counter.into_iter().chain(self.rests.are_empty(at, &buffer.written)))
    }

    fn barrier(&self, case: Case) -> Case {
        case
    }
}
