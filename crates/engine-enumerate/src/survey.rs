//! One task from end to end: paths of all threads, every combination of them, the search on each.

use wattle_engine::{Contradiction, Halt, Reason, Run, Spent, Task, Unsupported, Work};
use wattle_logic::Term;
use wattle_memory::operational::initial_states;
use wattle_program::{Shape, ThreadId};

use crate::evaluate::Evaluator;
use crate::path::{End, Path};
use crate::plan::{Plan, Plans};
use crate::search::{Ended, Ground, Search, Tally, Visitor};
use crate::skeleton::Skeleton;
use crate::state::Cells;
use crate::unfold::{Wanted, unfold};
use crate::witness::Witness;
use wattle_program::symbolic::Arena;

/// What to look at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub unwind: u32,
    pub wanted: Wanted,
    /// Only combinations in which every thread ends?
    pub ended: bool,
}

/// A visitor that is made when the formulas of a program are compiled.
pub(crate) trait Watcher: Visitor {
    /// Compile what is needed.
    fn prepare(&mut self, cells: &Cells<'_>, arena: &mut Arena<'_>) -> Result<(), Unsupported>;
    /// The next combination.
    fn combination(&mut self, _paths: &[&Path<'_>]) {}
}

#[derive(Debug, Default)]
pub(crate) struct Surveyed {
    pub tally: Tally,
    pub paths: u64,
    /// Some path was cut by the bound on loops.
    pub cut: bool,
    /// Some path has an expression that may have no value.
    pub may_fault: bool,
    /// Where the watcher stopped the search.
    pub witness: Option<Witness>,
}

pub(crate) fn survey<'t>(
    task: &Task<'_>,
    plans: &Plans,
    scope: Scope,
    formulas: impl Iterator<Item = &'t Term>,
    watcher: &mut dyn Watcher,
    run: &Run,
) -> Result<Surveyed, Halt> {
    let refuse = |what: String| Reason::Unsupported(Unsupported::new(what));
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| refuse(error.to_string()))?;
    let states = initial_states(program, &shape).map_err(refuse)?;
    let mut arena = Arena::new(&shape);
    let cells = Cells::new(program, &shape, formulas);
    watcher.prepare(&cells, &mut arena).map_err(Reason::Unsupported)?;
    let mut surveyed = Surveyed::default();
    let mut started = false;
    for state in states {
        run.poll(START, Spent::default())?;
        let Some((_, state)) = state.map_err(refuse)? else { continue };
        started = true;
        let mut threads: Vec<Vec<Path<'_>>> = Vec::with_capacity(state.threads.len());
        for (thread, start) in state.threads.iter().enumerate() {
            let thread = ThreadId(thread as u32);
            let mut paths =
                unfold(program, &shape, &mut arena, thread, &start.locals, scope.unwind, scope.wanted, run)?;
            surveyed.cut |= paths.iter().any(|path| path.end == End::Cut);
            surveyed.may_fault |= paths.iter().any(Path::may_fault);
            if scope.ended {
                paths.retain(|path| path.end == End::Ended);
            }
            surveyed.paths += paths.len() as u64;
            threads.push(paths);
        }
        let codes = state.memory.iter().map(|value| value.code());
        let initial: Option<Vec<i64>> = codes.collect();
        let initial = initial.ok_or_else(|| refuse("memory that holds sets".into()))?;
        let ground = Ground { arena: &arena, cells: &cells, initial: &initial, run };
        let mut engines = Engines::default();
        let mut chosen = vec![0; threads.len()];
        if threads.iter().any(Vec::is_empty) {
            if scope.wanted.stopped {
                let found = "a thread has no path at all";
                return Err(Contradiction::within("enumerate", found, "every thread can stop").into());
            }
            continue;
        }
        loop {
            let paths: Vec<&Path<'_>> =
                threads.iter().zip(&chosen).map(|(paths, number)| &paths[*number]).collect();
            watcher.combination(&paths);
            let fixed = paths.iter().all(|path| path.is_fixed(&arena));
            let plan = if fixed { &plans.fixed } else { &plans.open };
            let slot = engines.slot(fixed);
            let events: usize = paths.iter().map(|path| path.events.len()).sum();
            let witness = match shape.locations.len() + events {
                0..=64 => one::<1>(task, &shape, ground, plan, &mut slot.0, paths, watcher, &mut surveyed),
                65..=128 => one::<2>(task, &shape, ground, plan, &mut slot.1, paths, watcher, &mut surveyed),
                129..=256 => one::<4>(task, &shape, ground, plan, &mut slot.2, paths, watcher, &mut surveyed),
                _ => return Err(refuse("more than 256 events in an execution".into()).into()),
            }?;
            if witness.is_some() {
                surveyed.witness = witness;
                return Ok(surveyed);
            }
            if !advance(&mut chosen, &threads) {
                break;
            }
        }
    }
    match started {
        true => Ok(surveyed),
        false => Err(Reason::NoInitialState.into()),
    }
}

/// What an initial state costs.
const START: Work = Work::microseconds(2);

/// The next combination of paths.
fn advance(chosen: &mut [usize], threads: &[Vec<Path<'_>>]) -> bool {
    for (number, paths) in chosen.iter_mut().zip(threads).rev() {
        *number += 1;
        if *number < paths.len() {
            return true;
        }
        *number = 0;
    }
    false
}

/// An evaluator for each plan and width, made when it is needed.
#[derive(Default)]
struct Engines<'e> {
    fixed: Widths<'e>,
    open: Widths<'e>,
}

type Widths<'e> = (Option<Evaluator<'e, 1>>, Option<Evaluator<'e, 2>>, Option<Evaluator<'e, 4>>);

impl<'e> Engines<'e> {
    fn slot(&mut self, fixed: bool) -> &mut Widths<'e> {
        if fixed { &mut self.fixed } else { &mut self.open }
    }
}

#[allow(clippy::too_many_arguments)]
fn one<'e, const W: usize>(
    task: &Task<'_>,
    shape: &Shape,
    ground: Ground<'_>,
    plan: &'e Plan,
    evaluator: &mut Option<Evaluator<'e, W>>,
    paths: Vec<&Path<'_>>,
    watcher: &mut dyn Watcher,
    surveyed: &mut Surveyed,
) -> Result<Option<Witness>, Reason> {
    let evaluator = evaluator.get_or_insert_with(|| Evaluator::new(plan));
    let skeleton = Skeleton::<W>::new(ground.arena, paths, shape.locations.len());
    let mut search = Search::new(ground, plan, evaluator, skeleton, watcher, &mut surveyed.tally);
    match search.run() {
        Ok(()) => Ok(None),
        Err(Ended::Enough) => Ok(Some(search.witness(task.program, shape))),
        Err(Ended::Reason(reason)) => Err(reason),
    }
}
