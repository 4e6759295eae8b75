//! PSO: a line of slots for each location (the paper's Fig. 5).

use wattle_logic::Term;
use wattle_program::{Op, Point, Process, Program, Unsupported};

use super::address::name;
use super::case::Case;
use super::pending::{Bounds, Reached};
use super::rest::{Keeps, Remainders};
use super::thread::{Lines, Source, add_counter, add_local, at, equals};
use super::{Buffers, Capacity, Discipline, PerLocation, Reduced, Reduction, Room, order, store_buffers};

/// Partial store order.
#[derive(Clone, Copy, Debug)]
pub struct Pso;

impl Reduction for Pso {
    fn discipline(&self) -> Discipline {
        Discipline::Pso
    }

    fn capacity(&self, program: &Program, room: &Room) -> Result<Capacity, Unsupported> {
        room.capacity(program)
    }

    fn reduce(&self, program: &Program, capacity: &Capacity) -> Result<Reduced, Unsupported> {
        let thread = |source: &Source<'_>, process: &mut Process, written: &[u32], bounds: &Bounds| {
            let lines = ByLocation::new(source, process, written, capacity, bounds)?;
            let translated = source.translate(process, &lines)?;
            Ok((lines.buffers, translated))
        };
        store_buffers::reduce(self.discipline(), program, capacity, Buffers::Pso, thread)
    }
}

struct ByLocation<'a> {
    source: &'a Source<'a>,
    bounds: &'a Bounds,
    buffers: Vec<PerLocation>,
    rests: Remainders,
}

impl<'a> ByLocation<'a> {
    /// Adds the locals to the process.
    fn new(
        source: &'a Source<'a>,
        process: &mut Process,
        written: &[u32],
        capacity: &Capacity,
        bounds: &'a Bounds,
    ) -> Result<ByLocation<'a>, Unsupported> {
        let mut buffer = |location: u32| {
            let (sort, range) = source.cell(location);
            let of = source.shape.location_name(source.program, location);
            let most = capacity.at(location);
            let slots =
                (1..=most).map(|slot| add_local(process, &format!("{of}_{slot}"), sort, range)).collect();
            PerLocation {
                location,
                slots,
                count: add_counter(process, &format!("{of}_cnt"), most),
                order: None,
                rest: None,
            }
        };
        let mut buffers: Vec<PerLocation> = written.iter().map(|location| buffer(*location)).collect();
        let beyond = |location: u32, reached: Reached| reached.own > capacity.at(location);
        let rests = Remainders::new(source, process, capacity.rest, bounds, &beyond)?;
        for buffer in &mut buffers {
            buffer.rest = rests.of(buffer.location);
        }
        if buffers.len() > 1
            && let Some(barrier) = order::first_barrier(source.cfg())
        {
            if !rests.is_empty() && rests.keeps() == Keeps::Newest {
                let what = "a barrier between stores beside an abstract rest that keeps the newest";
                return Err(Unsupported { what: what.into(), span: at(barrier) });
            }
            let name = |location: &u32| source.shape.location_name(source.program, *location).to_string();
            order::add(process, &mut buffers, &written.iter().map(name).collect::<Vec<_>>());
        }
        Ok(ByLocation { source, bounds, buffers, rests })
    }

    fn buffer(&self, location: u32) -> Option<&PerLocation> {
        self.buffers.iter().find(|buffer| buffer.location == location)
    }

    /// The most slots that can be in use at a point.
    fn most(&self, at: Point, buffer: &PerLocation) -> usize {
        let pending = self.bounds.each[at.0 as usize].get(&buffer.location).copied().unwrap_or(0);
        buffer.slots.len().min(pending as usize)
    }

    /// A case for each number of entries that is possible when the step begins, and one that its earlier
    /// operations have led to.
    fn by_count(&self, at: Point, case: &Case, buffer: &PerLocation) -> Vec<(usize, Case)> {
        let most = match case.known(buffer.count) {
            Some(_) => buffer.slots.len(),
            None => self.most(at, buffer),
        };
        if buffer.slots.is_empty() {
            return vec![(0, case.clone())];
        }
        (0..=most)
            .filter_map(|count| Some((count, case.clone().where_is(buffer.count, count as i64)?)))
            .collect()
    }

    fn locations(&self) -> Vec<u32> {
        self.buffers.iter().map(|buffer| buffer.location).collect()
    }

    /// A store finds all slots in use: it goes into the rest, or makes room by moving the oldest there.
    fn beyond_slots(&self, case: Case, buffer: &PerLocation, value: &Term) -> Case {
        let (location, slots) = (buffer.location, &buffer.slots);
        let entered = match (self.rests.keeps(), slots.last()) {
            (Keeps::Newest, Some(newest)) => {
                let case = self.rests.enter(case, location, &self.value(buffer, 0));
                case.map(|mut case| {
                    for slot in 1..slots.len() {
                        case = case.assigning(slots[slot - 1], &self.value(buffer, slot));
                    }
                    case.assigning(*newest, value)
                })
            }
            _ => self.rests.enter(case, location, value),
        };
        entered.unwrap_or_else(|| Case::default().overflowing(None))
    }

    fn value(&self, buffer: &PerLocation, slot: usize) -> Term {
        Term::local(buffer.slots[slot], self.source.cell(buffer.location).0)
    }
}

impl Lines for ByLocation<'_> {
    fn holds(&self, location: u32) -> bool {
        self.buffer(location).is_some()
    }

    fn load(&self, at: Point, case: Case, into: u32, location: u32, from_memory: &Op) -> Vec<Case> {
        let Some(buffer) = self.buffer(location) else { return vec![case.with(from_memory.clone())] };
        let newest = |(count, case): (usize, Case)| match count.checked_sub(1) {
            Some(newest) => vec![case.assigning(into, &self.value(buffer, newest))],
            None => self.rests.load_after_slots(at, case, into, location, from_memory),
        };
        let (mut result, case) = self.rests.load_before_slots(at, case, into, location);
        let cases = case.into_iter().flat_map(|case| self.by_count(at, &case, buffer));
        result.extend(cases.flat_map(newest));
        result
    }

    fn store(&self, at: Point, case: Case, location: u32, value: &Term) -> Vec<Case> {
        let Some(buffer) = self.buffer(location) else { return vec![case] };
        let line = if buffer.slots.is_empty() { &[][..] } else { &[location] };
        let (mut result, case) = self.rests.store_before_slots(at, case, line, location, value);
        let last = buffer.slots.last().filter(|_| self.source.may_fail(location, value));
        let enter = |(count, case): (usize, Case)| match buffer.slots.get(count) {
            Some(free) => {
                let case = order::enter(case.assigning(*free, value), &self.buffers, buffer, count);
                case.setting(buffer.count, count as i64 + 1)
            }
            None if buffer.rest.is_some() => self.beyond_slots(case, buffer, value),
            None => {
                let case = last.iter().fold(case, |case, slot| case.assigning(**slot, value));
                case.overflowing(self.source.overflow)
            }
        };
        let cases = case.into_iter().flat_map(|case| self.by_count(at, &case, buffer));
        result.extend(cases.map(enter));
        result
    }

    fn drained(&self, at: Point, case: Case, location: Option<u32>) -> Vec<Case> {
        let waits = |buffer: &&PerLocation| {
            location.is_none_or(|location| location == buffer.location)
                && (case.known(buffer.count).is_some() || self.most(at, buffer) > 0)
        };
        let counters: Vec<u32> = self.buffers.iter().filter(waits).map(|buffer| buffer.count).collect();
        let line = location.map_or_else(|| self.locations(), |location| vec![location]);
        let case = counters.into_iter().try_fold(case, |case, count| case.where_is(count, 0));
        case.and_then(|case| self.rests.without(at, case, &line)).into_iter().collect()
    }

    fn commits(&self, at: Point) -> Vec<(u32, Vec<Op>)> {
        let mut result = Vec::new();
        for buffer in &self.buffers {
            let (line, most) = ([buffer.location], self.most(at, buffer));
            for count in 1..=most {
                let address = name(self.source.shape, buffer.location);
                let oldest = Op::Store { address, value: self.value(buffer, 0), tags: Default::default() };
                let case = Case::default().assuming(equals(buffer.count, count as u32));
                let older = match self.rests.keeps() {
                    Keeps::Oldest => Some(case),
                    Keeps::Newest => self.rests.without(at, case, &line),
                };
                let Some(case) = older else { continue };
                let mut case = order::may_commit(case, buffer).with(oldest);
                for slot in 1..count {
                    case = case.assigning(buffer.slots[slot - 1], &self.value(buffer, slot));
                }
                case = case.with(Op::Forget { local: buffer.slots[count - 1] });
                case = order::left(case, &self.buffers, buffer, count);
                result.push((buffer.location, case.setting(buffer.count, count as i64 - 1).ops));
            }
            let case = match self.rests.keeps() {
                Keeps::Oldest if most > 0 => Case::default().assuming(equals(buffer.count, 0)),
                Keeps::Oldest | Keeps::Newest => Case::default(),
            };
            let of_rest = self.rests.commits(at, case, buffer.location);
            result.extend(of_rest.into_iter().map(|case| (buffer.location, case.ops)));
        }
        result
    }

    fn is_empty(&self, at: Point) -> Term {
        let pending = self.buffers.iter().filter(|buffer| self.most(at, buffer) > 0);
        let counters = pending.map(|buffer| equals(buffer.count, 0));
        Term::conjunction(counters.chain(self.rests.are_empty(at, &self.locations())))
    }

    fn barrier(&self, case: Case) -> Case {
        order::barrier(case, &self.buffers)
    }
}
