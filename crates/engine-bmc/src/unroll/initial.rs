//! What a program starts with: initial writes, locals, and what is demanded of them.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Sort, Value};
use wattle_program::step::{domain, wide_domain};
use wattle_program::symbolic::formula::{self, WholeState};
use wattle_program::symbolic::{Arena, Expr};
use wattle_program::{Cfg, Orders, Point, Program, Range, Shape, Tags, ThreadId};

use super::state::Known;
use super::structure::{Access, Event, Structure};

/// What is known of a location whatever happens.
pub(super) struct Contents {
    /// The sort of each location, and the range that its content never leaves.
    locations: Vec<(Sort, Option<Range>)>,
    /// The same for all of them together.
    anywhere: (Option<Sort>, Option<Range>),
}

impl Contents {
    /// `location`: if it is known.
    pub(crate) fn at(&self, location: Option<i64>) -> (Option<Sort>, Option<Range>) {
        let known = location.and_then(|at| usize::try_from(at).ok()).and_then(|at| self.locations.get(at));
        known.map_or(self.anywhere, |(sort, range)| (Some(*sort), *range))
    }

    /// The least and the greatest that may be there.
    pub(crate) fn bounds(&self, location: Option<i64>) -> Option<(i64, i64)> {
        match self.at(location) {
            (_, Some(range)) => Some((range.low, range.high)),
            (Some(Sort::Bool), None) => Some((0, 1)),
            (Some(Sort::Bits { width, signed: false }), None) if width < 63 => Some((0, (1 << width) - 1)),
            (Some(Sort::Bits { width, signed: true }), None) if width < 64 => {
                Some((-(1 << (width - 1)), (1 << (width - 1)) - 1))
            }
            _ => None,
        }
    }
}

fn no_start(fault: wattle_logic::Fault) -> Unsupported {
    Unsupported::new(format!("no initial state: {fault}"))
}

pub(super) fn initial_writes(
    program: &Program,
    shape: &Shape,
    structure: &mut Structure<'_>,
) -> Result<Contents, Unsupported> {
    let mut locations = Vec::new();
    for (number, value) in shape.initial_memory(program).map_err(no_start)?.into_iter().enumerate() {
        let variable = &program.variables[shape.locations[number].variable as usize];
        let (written, inside) = initial(program, structure, value, variable.sort, variable.range)?;
        locations.push((variable.sort, variable.range.filter(|_| inside)));
        let guard = structure.arena.constant(1);
        let address = structure.arena.constant(number as i64);
        structure.events.push(Event {
            access: Access::Write,
            thread: None,
            step: 0,
            guard,
            address,
            written: Some(written),
            tags: Tags::new(),
            locked: false,
            section: vec![],
            orders: Orders::NONE,
            holds: None,
        });
        structure.before.push(Vec::new());
    }
    let sort = locations.first().map(|(sort, _)| *sort);
    let sort = sort.filter(|sort| locations.iter().all(|(other, _)| other == sort));
    let ranges: Option<Vec<Range>> = locations.iter().map(|(_, range)| *range).collect();
    let range = ranges.and_then(|ranges| {
        ranges.into_iter().reduce(|a, b| Range { low: a.low.min(b.low), high: a.high.max(b.high) })
    });
    Ok(Contents { locations, anywhere: (sort, range) })
}

/// The locals of a thread at the start, and the ranges that their values never leave.
pub(super) type Start = (Vec<Known>, Vec<Option<Range>>);

pub(super) fn initial_locals(
    program: &Program,
    shape: &Shape,
    thread: ThreadId,
    structure: &mut Structure<'_>,
) -> Result<Start, Unsupported> {
    let values = shape.initial_locals(program, thread).map_err(no_start)?;
    let (mut locals, mut trusted) = (Vec::new(), Vec::new());
    for (value, local) in values.into_iter().zip(&program.process(shape.info(thread).process).locals) {
        let (expr, inside) = initial(program, structure, value, local.sort, local.range)?;
        locals.push(Known::free(expr));
        trusted.push(local.range.filter(|_| inside));
    }
    Ok((locals, trusted))
}

/// What the program demands of initial states.
pub(super) fn initial_constraint(
    program: &Program,
    shape: &Shape,
    starts: &[Start],
    structure: &mut Structure<'_>,
) -> Result<(), Unsupported> {
    let Some(init) = &program.init else { return Ok(()) };
    let contents = structure.events.iter().filter_map(|event| event.written).collect();
    let mut state = InitialState { program, shape, starts, contents };
    let init = formula::compile(&mut structure.arena, &mut state, init)?;
    if !init.needs.is_empty() {
        return Err(Unsupported::new("a constraint on initial states that may have no value"));
    }
    structure.requirements.push(init.value);
    Ok(())
}

struct InitialState<'i> {
    program: &'i Program,
    shape: &'i Shape,
    starts: &'i [Start],
    contents: Vec<Expr>,
}

impl InitialState<'_> {
    fn cfg(&self, thread: ThreadId) -> &Cfg {
        &self.program.process(self.shape.info(thread).process).cfg
    }
}

impl WholeState for InitialState<'_> {
    fn at(&mut self, arena: &mut Arena<'_>, thread: ThreadId, point: Point) -> Expr {
        arena.constant(i64::from(self.cfg(thread).entry == point))
    }

    fn ended(&mut self, arena: &mut Arena<'_>, thread: ThreadId) -> Expr {
        let cfg = self.cfg(thread);
        arena.constant(i64::from(cfg.point(cfg.entry).end))
    }

    fn local(&mut self, _: &mut Arena<'_>, thread: ThreadId, local: u32) -> Option<Expr> {
        self.starts[thread.0 as usize].0.get(local as usize).map(|known| known.expr)
    }

    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr {
        let mut contents = self.contents.iter().enumerate().rev();
        let Some((_, last)) = contents.next() else { return arena.constant(0) };
        contents.fold(*last, |rest, (number, content)| {
            let number = arena.constant(number as i64);
            let here = arena.binary(Binary::Equal, Sort::Bool, location, number);
            arena.choice(here, *content, rest)
        })
    }
}

/// An initial value (`None`: any), and whether it is surely in range.
fn initial(
    program: &Program,
    structure: &mut Structure<'_>,
    value: Option<Value>,
    sort: Sort,
    range: Option<Range>,
) -> Result<(Expr, bool), Unsupported> {
    match value {
        Some(value) => {
            let code = value.code().ok_or_else(|| Unsupported::new("a set of integers"))?;
            Ok((structure.arena.constant(code), range.is_none_or(|range| range.contains(code))))
        }
        None => {
            let (low, high) = domain(program, sort, range)
                .or_else(|| wide_domain(sort, range))
                .ok_or_else(|| Unsupported::new("an initial value that is chosen among too many"))?;
            let input = structure.input(low, high);
            Ok((structure.arena.cell(input), true))
        }
    }
}
