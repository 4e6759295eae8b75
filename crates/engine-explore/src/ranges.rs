//! Which values a cell may hold: intervals, for all points of the program at once.
//!
//! A plain fixpoint over all operations. Bounds that still move after a few rounds are given up
//! (no bound on that side). The result only chooses field widths, so precision saves memory and
//! nothing else depends on it.

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Unary};
use wattle_program::step::domain;
use wattle_program::{Choice, Op, Program, Range, Shape, Source, Update};

/// `None`: no bound on that side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub low: Option<i64>,
    pub high: Option<i64>,
}

impl Interval {
    const TOP: Interval = Interval { low: None, high: None };

    fn exactly(value: i64) -> Interval {
        Interval { low: Some(value), high: Some(value) }
    }

    fn between(low: i64, high: i64) -> Interval {
        Interval { low: Some(low), high: Some(high) }
    }

    fn join(self, other: Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    fn meet(self, range: Option<Range>) -> Interval {
        match range {
            None => self,
            Some(range) => Interval {
                low: Some(self.low.map_or(range.low, |low| low.clamp(range.low, range.high))),
                high: Some(self.high.map_or(range.high, |high| high.clamp(range.low, range.high))),
            },
        }
    }
}

/// The intervals of all cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranges {
    /// By process, then local.
    pub locals: Vec<Vec<Interval>>,
    /// By variable.
    pub variables: Vec<Interval>,
}

/// Rounds after which a bound that still moves is given up. Enough for short chains of constants.
const PATIENCE: usize = 6;

impl Ranges {
    pub(crate) fn of(program: &Program, shape: &Shape) -> Ranges {
        let mut analysis =
            Analysis { program, shape, ranges: initial(program, shape), changed: true, round: 0 };
        while analysis.changed {
            analysis.changed = false;
            analysis.round += 1;
            for process in 0..program.processes.len() {
                for edge in &program.processes[process].cfg.edges {
                    for op in &edge.ops {
                        analysis.follow(process, op);
                    }
                }
            }
        }
        analysis.ranges
    }
}

fn initial(program: &Program, shape: &Shape) -> Ranges {
    // A cell whose value cannot be known starts with its whole domain.
    let of = |values: Vec<Option<i64>>, sort: Sort, range: Option<Range>| {
        let known: Option<Vec<i64>> = values.into_iter().collect();
        match known {
            Some(known) if !known.is_empty() => {
                let low = known.iter().min().copied();
                Interval { low, high: known.iter().max().copied() }
            }
            _ => {
                domain(program, sort, range).map_or(Interval::TOP, |(low, high)| Interval::between(low, high))
            }
        }
    };
    let code = |value: Option<wattle_logic::Value>| value.and_then(|value| value.code());
    let memory: Vec<Option<i64>> =
        shape.initial_memory(program).unwrap_or_default().into_iter().map(code).collect();
    let variables = (program.variables.iter().enumerate())
        .map(|(number, variable)| {
            let cells = shape.locations_of(number as u32);
            let values = cells.map(|cell| memory.get(cell as usize).copied().flatten()).collect();
            of(values, variable.sort, variable.range)
        })
        .collect();
    let locals = (program.process_ids())
        .map(|process| {
            let info = program.process(process);
            let starts: Vec<Vec<Option<i64>>> = (0..shape.copies_of(process))
                .map(|copy| {
                    let locals = shape.initial_locals(program, shape.thread(process, copy));
                    locals.unwrap_or_default().into_iter().map(code).collect()
                })
                .collect();
            (info.locals.iter().enumerate())
                .map(|(number, local)| {
                    let values = starts.iter().map(|start| start.get(number).copied().flatten()).collect();
                    of(values, local.sort, local.range)
                })
                .collect()
        })
        .collect();
    Ranges { locals, variables }
}

struct Analysis<'a> {
    program: &'a Program,
    shape: &'a Shape,
    ranges: Ranges,
    changed: bool,
    round: usize,
}

impl Analysis<'_> {
    /// What a cell may hold after it was also given `new`.
    fn grow(&mut self, old: Interval, new: Interval, range: Option<Range>, sort: Sort) -> Interval {
        let whole = if sort == Sort::Int { None } else { whole(self.program, self.shape, sort) };
        // A machine integer that may wrap can be anything.
        let new = match whole {
            Some(whole) if new.meet(Some(whole)) != new => Interval::between(whole.low, whole.high),
            _ => new,
        };
        let mut joined = old.join(new.meet(range));
        if joined != old {
            self.changed = true;
            if self.round > PATIENCE {
                // The bound that still moves is given up, as far as range and sort allow.
                let lowest = range.or(whole).map(|range| range.low);
                let highest = range.or(whole).map(|range| range.high);
                if joined.low != old.low {
                    joined.low = lowest.zip(joined.low).map(|(a, b)| a.min(b));
                }
                if joined.high != old.high {
                    joined.high = highest.zip(joined.high).map(|(a, b)| a.max(b));
                }
            }
        }
        joined
    }

    fn set_local(&mut self, process: usize, local: u32, value: Interval) {
        let info = &self.program.processes[process].locals[local as usize];
        let old = self.ranges.locals[process][local as usize];
        let new = self.grow(old, value, info.range, info.sort);
        self.ranges.locals[process][local as usize] = new;
    }

    fn set_variable(&mut self, variable: u32, value: Interval) {
        let info = &self.program.variables[variable as usize];
        let old = self.ranges.variables[variable as usize];
        let new = self.grow(old, value, info.range, info.sort);
        self.ranges.variables[variable as usize] = new;
    }

    /// The variables that an address term may point into.
    fn targets(&self, address: &Term) -> Vec<u32> {
        match address.kind() {
            Kind::Address { variable, .. } => vec![*variable],
            _ => (0..self.program.variables.len() as u32).collect(),
        }
    }

    fn content(&self, address: &Term) -> Interval {
        let intervals =
            self.targets(address).into_iter().map(|variable| self.ranges.variables[variable as usize]);
        intervals.reduce(Interval::join).unwrap_or(Interval::TOP)
    }

    fn write(&mut self, address: &Term, value: Interval) {
        for variable in self.targets(address) {
            self.set_variable(variable, value);
        }
    }

    fn follow(&mut self, process: usize, op: &Op) {
        match op {
            Op::Load { into, address, .. } | Op::LoadExclusive { into, address, .. } => {
                let value = self.content(address);
                self.set_local(process, *into, value);
            }
            Op::Store { address, value, .. } => {
                let value = self.value(process, value);
                self.write(address, value);
            }
            Op::Together { stores } => {
                for store in stores {
                    let value = self.value(process, &store.value);
                    self.write(&store.address, value);
                }
            }
            Op::Assign { local, value } => {
                let value = self.value(process, value);
                self.set_local(process, *local, value);
            }
            Op::Forget { local } => {
                // Whatever the declared range says, a dead local is zero.
                let old = self.ranges.locals[process][*local as usize];
                let new = old.join(Interval::exactly(0));
                self.changed |= new != old;
                self.ranges.locals[process][*local as usize] = new;
            }
            Op::Havoc { local, among } => {
                let value = match among {
                    Choice::Between(low, high) => self.value(process, low).join(self.value(process, high)),
                    Choice::Any | Choice::Member(_) => Interval::TOP,
                };
                self.set_local(process, *local, value);
            }
            Op::Put { remote, source: Source::Location(source) } => {
                let value = self.content(source);
                self.write(remote, value);
            }
            Op::Put { remote, source: Source::Value(value) } => {
                let value = self.value(process, value);
                self.write(remote, value);
            }
            Op::Get { into, remote } => {
                let value = self.content(remote);
                self.write(into, value);
            }
            Op::RemoteAtomic { into, remote, update } => {
                let old = self.content(remote);
                if let Some(into) = into {
                    self.write(into, old);
                }
                let new = match update {
                    Update::Add(value) => add(old, self.value(process, value)),
                    Update::Replace(value) => self.value(process, value),
                    Update::CompareAndSwap { new, .. } => self.value(process, new),
                };
                self.write(remote, new);
            }
            Op::StoreConditional { success, address, value, .. } => {
                self.set_local(process, *success, Interval::between(0, 1));
                let value = self.value(process, value);
                self.write(address, value);
            }
            Op::Assume { .. }
            | Op::Assert { .. }
            | Op::Fence(_)
            | Op::Flush { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Cut { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn value(&self, process: usize, term: &Term) -> Interval {
        let interval = match term.kind() {
            Kind::Value(value) => value.code().map_or(Interval::TOP, Interval::exactly),
            Kind::Symbol(Symbol::Local(local)) => self.ranges.locals[process][*local as usize],
            Kind::Symbol(Symbol::Me) => {
                let copies = self.shape.copies_of(wattle_program::ProcessId(process as u32));
                Interval::between(0, i64::from(copies) - 1)
            }
            Kind::Symbol(Symbol::Copies(other)) => {
                Interval::exactly(i64::from(self.shape.copies_of(wattle_program::ProcessId(*other))))
            }
            Kind::Unary(Unary::Negate, operand) => {
                let value = self.value(process, operand);
                Interval { low: negate(value.high), high: negate(value.low) }
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.value(process, left), self.value(process, right));
                binary(*operator, left, right)
            }
            Kind::Content(address) | Kind::Seen { address, .. } => self.content(address),
            Kind::If(_, then, otherwise) => self.value(process, then).join(self.value(process, otherwise)),
            _ => Interval::TOP,
        };
        match term.sort() {
            Sort::Int => interval,
            sort => match whole(self.program, self.shape, sort) {
                // A machine integer that may wrap can be anything.
                Some(whole) if interval.meet(Some(whole)) == interval => interval,
                Some(whole) => Interval::between(whole.low, whole.high),
                None => Interval::TOP,
            },
        }
    }
}

/// All codes of a sort.
fn whole(program: &Program, shape: &Shape, sort: Sort) -> Option<Range> {
    match sort {
        Sort::Address => Some(Range { low: 0, high: shape.locations.len() as i64 }),
        Sort::Process => Some(Range { low: 0, high: shape.threads.len() as i64 }),
        Sort::Bits { width, signed } if width < 64 => {
            let size = 1i64 << (width - u8::from(signed));
            Some(Range { low: if signed { -size } else { 0 }, high: size - 1 })
        }
        sort => domain(program, sort, None).map(|(low, high)| Range { low, high }),
    }
}

fn negate(bound: Option<i64>) -> Option<i64> {
    bound.and_then(i64::checked_neg)
}

fn add(a: Interval, b: Interval) -> Interval {
    let sum = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
    Interval { low: sum(a.low, b.low), high: sum(a.high, b.high) }
}

fn binary(operator: Binary, a: Interval, b: Interval) -> Interval {
    match operator {
        Binary::Add => add(a, b),
        Binary::Subtract => add(a, Interval { low: negate(b.high), high: negate(b.low) }),
        Binary::Multiply => match (a, b) {
            (Interval { low: Some(al), high: Some(ah) }, Interval { low: Some(bl), high: Some(bh) }) => {
                let corners = [(al, bl), (al, bh), (ah, bl), (ah, bh)];
                let products: Option<Vec<i64>> = corners.iter().map(|(a, b)| a.checked_mul(*b)).collect();
                products.map_or(Interval::TOP, |products| Interval {
                    low: products.iter().min().copied(),
                    high: products.iter().max().copied(),
                })
            }
            _ => Interval::TOP,
        },
        Binary::Remainder => match (b.low, b.high) {
            (Some(low), Some(high)) if low > 0 => {
                let negative = a.low.is_none_or(|low| low < 0);
                Interval::between(if negative { 1 - high } else { 0 }, high - 1)
            }
            _ => Interval::TOP,
        },
        Binary::Divide if a.low.is_some_and(|low| low >= 0) && b.low.is_some_and(|low| low > 0) => {
            Interval { low: Some(0), high: a.high }
        }
        Binary::BitAnd if a.low.is_some_and(|low| low >= 0) => Interval { low: Some(0), high: a.high },
        Binary::BitAnd if b.low.is_some_and(|low| low >= 0) => Interval { low: Some(0), high: b.high },
        _ if operator.is_comparison() || operator.is_logical() => Interval::between(0, 1),
        _ => Interval::TOP,
    }
}
