//! TSO: one line of slots, each with the number of its location (the paper's Fig. 12).

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Op, Point, Process, Program, Range, Unsupported};

use super::address::name;
use super::case::Case;
use super::pending::Bounds;
use super::thread::{Lines, Source, add_counter, add_local};
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
        let capacity = &Capacity::all(capacity.each);
        let thread = |source: &Source<'_>, process: &mut Process, written: &[u32], bounds: &Bounds| {
            let lines = OneLine::new(source, process, written, capacity.each, bounds)?;
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
}

impl<'a> OneLine<'a> {
    /// Adds the locals to the process.
    fn new(
        source: &'a Source<'a>,
        process: &mut Process,
        written: &[u32],
        most: u32,
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
        let last = written.last().copied().unwrap_or(0);
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
        });
        let buffer = buffer.map(|buffer| PerThread { count: add_counter(process, "cnt", most), ..buffer });
        Ok(OneLine { source, bounds, buffer, checked })
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

impl Lines for OneLine<'_> {
    fn holds(&self, location: u32) -> bool {
        self.buffer.as_ref().is_some_and(|buffer| buffer.written.contains(&location))
    }

    fn load(&self, at: Point, case: Case, into: u32, location: u32, from_memory: &Op) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case.with(from_memory.clone())] };
        let mut result = Vec::new();
        for (count, case) in self.by_count(at, &case, buffer) {
            // From the newest to the oldest; `older` has looked at all so far in vain.
            let mut older = Some(case);
            for slot in buffer.slots[..count].iter().rev() {
                let Some(here) = older.take() else { break };
                let (rhs, sort) = self.rhs(slot, location);
                let found = here.clone().where_is(slot.lhs, i64::from(location));
                result.extend(found.map(|case| case.assigning(into, &Term::local(rhs, sort))));
                older = here.where_is_not(slot.lhs, i64::from(location));
            }
            result.extend(older.map(|case| case.with(from_memory.clone())));
        }
        result
    }

    fn store(&self, at: Point, case: Case, location: u32, value: &Term) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case] };
        let range = self.source.cell(location).1;
        let last = buffer.slots.last().filter(|_| self.source.may_fail(location, value));
        let in_range = |case: Case, slot: &Slot| {
            let (rhs, sort) = self.rhs(slot, location);
            let case = case.assigning(rhs, value);
            match range.filter(|_| !self.checked) {
                None => case,
                Some(range) => {
                    let bound =
                        |operator, bound| Term::binary(operator, Term::local(rhs, sort), Term::int(bound));
                    let low = bound(Binary::GreaterEqual, range.low);
                    case.assuming(low.and(bound(Binary::LessEqual, range.high)))
                }
            }
        };
        let enter = |(count, case): (usize, Case)| match buffer.slots.get(count) {
            Some(free) => in_range(case.setting(free.lhs, i64::from(location)), free)
                .setting(buffer.count, count as i64 + 1),
            None => {
                let case = last.iter().fold(case, |case, slot| in_range(case, slot));
                case.overflowing(self.source.overflow)
            }
        };
        self.by_count(at, &case, buffer).into_iter().map(enter).collect()
    }

    fn drained(&self, at: Point, case: Case, location: Option<u32>) -> Vec<Case> {
        let Some(buffer) = &self.buffer else { return vec![case] };
        let Some(location) = location else {
            return match case.known(buffer.count).is_some() || self.most(at) > 0 {
                true => case.where_is(buffer.count, 0).into_iter().collect(),
                false => vec![case],
            };
        };
        let none = |(count, case): (usize, Case)| {
            let mut slots = buffer.slots[..count].iter();
            slots.try_fold(case, |case, slot| case.where_is_not(slot.lhs, i64::from(location)))
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
                let Some(mut case) = case.and_then(|case| case.where_is(slots[0].lhs, number)) else {
                    continue;
                };
                let (rhs, sort) = self.rhs(&slots[0], location);
                let address = name(self.source.shape, location);
                let value = Term::local(rhs, sort);
                case = case.with(Op::Store { address, value, tags: Default::default() });
                for pair in slots.windows(2) {
                    case = case.assigning(pair[0].lhs, &Term::local(pair[1].lhs, Sort::Int));
                    for (sort, rhs) in &pair[0].rhs {
                        let next = pair[1].rhs.get(sort).copied().unwrap_or(*rhs);
                        case = case.assigning(*rhs, &Term::local(next, *sort));
                    }
                }
                let gone = &slots[count - 1];
                for local in [gone.lhs].into_iter().chain(gone.rhs.values().copied()) {
                    case = case.with(Op::Forget { local });
                }
                result.push((location, case.setting(buffer.count, count as i64 - 1).ops));
            }
        }
        result
    }

    fn is_empty(&self, at: Point) -> Term {
        match &self.buffer {
            Some(buffer) if self.most(at) > 0 => super::thread::equals(buffer.count, 0),
            _ => Term::bool(true),
        }
    }

    fn barrier(&self, case: Case) -> Case {
        case
    }
}
