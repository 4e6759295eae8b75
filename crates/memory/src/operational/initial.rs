//! Initial states: what the text leaves open is chosen, and `init` says which choices count.
//!
//! Contents that are not fixed (memory first, then the locals of each thread) are numbered, and a choice is a list of
//! codes, one for each. States are made one after the other, so that a caller with a budget can stop in between.

use wattle_logic::{Sort, Value};
use wattle_program::step::{ThreadState, domain, wide_domain};
use wattle_program::{Program, Shape};

use super::View;
use super::state::State;

/// More choices than this are refused.
const MOST: u128 = 1_000_000;

/// One cell of memory, or one local.
enum Cell {
    Fixed(Value),
    /// The codes it may have, both ends included. Integers without a range have all there are; then states can be made
    /// and not listed.
    Open {
        sort: Sort,
        low: i64,
        high: i64,
    },
}

/// Runs through all choices. An item is `None` where `init` excludes the choice.
pub struct InitialStates<'a> {
    program: &'a Program,
    shape: &'a Shape,
    cells: Vec<Cell>,
    /// The next choice to be made.
    next: Option<Vec<i64>>,
}

/// The codes that were chosen, and the state that they make.
pub type Start = (Vec<i64>, State);

impl std::fmt::Debug for InitialStates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InitialStates").field("next", &self.next).finish_non_exhaustive()
    }
}

fn cells(program: &Program, shape: &Shape) -> Result<Vec<Cell>, String> {
    let mut cells = Vec::new();
    let mut add = |value: Option<Value>, sort, range| {
        cells.push(match value {
            Some(value) => Cell::Fixed(value),
            None => {
                let all = (sort == Sort::Int).then_some((i64::MIN, i64::MAX));
                let domain = domain(program, sort, range).or_else(|| wide_domain(sort, range)).or(all);
                let (low, high) = domain.ok_or("an initial value is chosen among more than 65,536")?;
                Cell::Open { sort, low, high }
            }
        });
        Ok::<(), String>(())
    };
    let memory = shape.initial_memory(program).map_err(|fault| fault.to_string())?;
    for (location, value) in memory.into_iter().enumerate() {
        let variable = &program.variables[shape.locations[location].variable as usize];
        add(value, variable.sort, variable.range)?;
    }
    for thread in shape.thread_ids() {
        let locals = shape.initial_locals(program, thread).map_err(|fault| fault.to_string())?;
        for (local, value) in program.process(shape.info(thread).process).locals.iter().zip(locals) {
            add(value, local.sort, local.range)?;
        }
    }
    Ok(cells)
}

/// All initial states of a program, each with the codes that were chosen.
pub fn initial_states<'a>(program: &'a Program, shape: &'a Shape) -> Result<InitialStates<'a>, String> {
    among(program, shape, cells(program, shape)?)
}

/// The initial states with this memory. However many values a location may start with, only its own is looked at.
pub fn initial_states_with<'a>(
    program: &'a Program,
    shape: &'a Shape,
    memory: &[Value],
) -> Result<InitialStates<'a>, String> {
    let mut cells = cells(program, shape)?;
    for (cell, value) in cells.iter_mut().zip(memory.iter().take(shape.locations.len())) {
        if let (Cell::Open { low, high, .. }, Some(code)) = (cell, value.code())
            && (*low..=*high).contains(&code)
        {
            (*low, *high) = (code, code);
        }
    }
    among(program, shape, cells)
}

fn among<'a>(program: &'a Program, shape: &'a Shape, cells: Vec<Cell>) -> Result<InitialStates<'a>, String> {
    if cells.iter().any(|cell| matches!(cell, Cell::Open { low: i64::MIN, high: i64::MAX, .. })) {
        return Err("an initial value is chosen among more than 65,536".into());
    }
    let sizes = cells.iter().map(|cell| match cell {
        Cell::Fixed(_) => 1,
        Cell::Open { low, high, .. } => (i128::from(*high) - i128::from(*low) + 1).max(0) as u128,
    });
    let size = sizes.fold(1u128, u128::saturating_mul);
    if size > MOST {
        return Err("there are more than a million initial states".into());
    }
    let first = cells.iter().filter_map(|cell| match cell {
        Cell::Fixed(_) => None,
        Cell::Open { low, .. } => Some(*low),
    });
    let next = (size > 0).then(|| first.collect());
    Ok(InitialStates { program, shape, cells, next })
}

/// The initial state that these choices make, if there is one.
pub fn initial_state(program: &Program, shape: &Shape, choices: &[i64]) -> Option<State> {
    let all = InitialStates { program, shape, cells: cells(program, shape).ok()?, next: None };
    let (chosen, state) = all.make(choices).ok()??;
    (chosen == choices).then_some(state)
}

impl InitialStates<'_> {
    /// Those that `init` allows, in a list.
    pub fn all(self) -> Result<Vec<Start>, String> {
        self.filter_map(Result::transpose).collect()
    }

    /// `None`: there is no such choice, or `init` excludes it.
    fn make(&self, choices: &[i64]) -> Result<Option<Start>, String> {
        let (program, shape) = (self.program, self.shape);
        let mut open = choices.iter().copied();
        let mut values = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let value = match cell {
                Cell::Fixed(value) => Some(value.clone()),
                Cell::Open { sort, low, high } => open
                    .next()
                    .filter(|code| (*low..=*high).contains(code))
                    .and_then(|code| sort.decode(code)),
            };
            let Some(value) = value else { return Ok(None) };
            values.push(value);
        }
        if open.next().is_some() {
            return Ok(None);
        }
        let mut values = values.into_iter();
        let memory = values.by_ref().take(shape.locations.len()).collect();
        let threads = (shape.threads.iter())
            .map(|info| {
                let process = program.process(info.process);
                let locals = values.by_ref().take(process.locals.len()).collect();
                ThreadState { point: process.cfg.entry, locals }
            })
            .collect();
        let empty = shape.threads.len();
        let state = State { threads, memory, stores: vec![vec![]; empty], halves: vec![vec![]; empty] };
        let allowed = match &program.init {
            None => true,
            Some(init) => {
                let view = View { program, shape, state: &state };
                init.evaluate_bool(&view).map_err(|fault| fault.to_string())?
            }
        };
        Ok(allowed.then(|| (choices.to_vec(), state)))
    }

    /// The choice after this one: the last cell changes fastest.
    fn after(&self, mut choices: Vec<i64>) -> Option<Vec<i64>> {
        let open = self.cells.iter().filter_map(|cell| match cell {
            Cell::Fixed(_) => None,
            Cell::Open { low, high, .. } => Some((*low, *high)),
        });
        let open: Vec<(i64, i64)> = open.collect();
        for (code, (low, high)) in choices.iter_mut().zip(open).rev() {
            if *code < high {
                *code += 1;
                return Some(choices);
            }
            *code = low;
        }
        None
    }
}

impl Iterator for InitialStates<'_> {
    type Item = Result<Option<Start>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let choices = self.next.take()?;
        let made = self.make(&choices);
        self.next = self.after(choices);
        Some(made)
    }
}
