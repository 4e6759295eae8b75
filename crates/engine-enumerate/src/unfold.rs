//! From a thread to its paths: symbolic execution of the control-flow graph.
//!
//! A guard that folds to a constant is decided at once; the others fork, as do `havoc`, the success
//! of a store-conditional and, where selections are dependencies of their own (AArch64), the
//! condition of an `if` inside a term. The common litmus test has one path a thread.
//!
//! A run of one edge ([`step`]) is a function of the choices made in it. [`Chooser`] replays the edge
//! until all combinations are done, so that nothing else here knows about forks.
//!
//! *Loops*: a path comes back to a point at most `unwind` times and is then cut.
//! *Assumptions* that cannot hold stop their thread. Where a property judges executions with stopped
//! threads, a path may stop before every step that might not be possible. It is not asked whether the
//! step really is impossible: the thread may as well have waited, so the same states are reached.

mod step;

use wattle_engine::{Reason, Spent, Unsupported, Work};
use wattle_logic::Value;
use wattle_program::symbolic::operations::{Carried, Surroundings};
use wattle_program::symbolic::{Arena, Conventions, Expr, Known, Reads};
use wattle_program::{Edge, EdgeId, Op, Point, Process, Program, Shape, Tags, ThreadId};

use crate::path::{Asserted, Constraint, End, Path, PathEvent};
use step::{Halt, Step};

/// Which paths are wanted beside those that end and those that are cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Those that stop before a step that may not be possible, or in a fault.
    pub stopped: bool,
    /// Those that stand at any point.
    pub standing: bool,
}

/// A thread with more paths than this is refused.
const MOST_PATHS: usize = 1 << 14;

/// A path so far.
#[derive(Clone, Debug)]
struct State<'a> {
    point: Point,
    carried: Carried<Reads>,
    reads: u32,
    /// How many store-conditionals something may depend on.
    conditionals: u32,
    events: Vec<PathEvent<'a>>,
    constraints: Vec<Constraint>,
    asserts: Vec<Asserted>,
    steps: Vec<(EdgeId, Vec<i64>)>,
    detours: Vec<(u32, Expr)>,
    visits: Vec<u32>,
    /// The last load-exclusive: its event and address.
    reservation: Option<(u32, Expr)>,
}

impl<'a> State<'a> {
    fn new(process: &Process, locals: Vec<Known<Reads>>) -> State<'a> {
        State {
            point: process.cfg.entry,
            carried: Carried::new(locals),
            reads: 0,
            conditionals: 0,
            events: Vec::new(),
            constraints: Vec::new(),
            asserts: Vec::new(),
            steps: Vec::new(),
            detours: Vec::new(),
            visits: vec![0; process.cfg.points.len()],
            reservation: None,
        }
    }

    fn stop(self, end: End) -> Path<'a> {
        Path {
            events: self.events,
            reads: self.reads,
            constraints: self.constraints,
            asserts: self.asserts,
            locals: self.carried.locals.iter().map(|local| local.expr).collect(),
            steps: self.steps,
            detours: self.detours,
            point: self.point,
            end,
        }
    }
}

/// All combinations of choices, one run after the other.
#[derive(Default)]
struct Chooser {
    taken: Vec<(u32, u32)>,
    at: usize,
}

impl Chooser {
    fn choose(&mut self, among: u32) -> u32 {
        if self.at == self.taken.len() {
            self.taken.push((0, among));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// Is there another combination?
    fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((chosen, among)) = self.taken.pop() {
            if chosen + 1 < among {
                self.taken.push((chosen + 1, among));
                return true;
            }
        }
        false
    }
}

/// What a step of a path costs, and how many are taken between two looks at the budget.
const STEP: Work = Work::nanoseconds(500);
const LOOK_AFTER: u64 = 1 << 10;

/// The paths of a thread that starts with these locals.
#[allow(clippy::too_many_arguments)]
pub(crate) fn unfold<'a>(
    program: &'a Program,
    shape: &Shape,
    arena: &mut Arena<'_>,
    thread: ThreadId,
    locals: &[Value],
    unwind: u32,
    wanted: Wanted,
    budget: &wattle_engine::Run,
) -> Result<Vec<Path<'a>>, Reason> {
    let info = shape.info(thread);
    let process = program.process(info.process);
    let known = locals.iter().map(|value| {
        let set = || Reason::Unsupported(Unsupported::new("a local that holds a set"));
        Ok(Known::free(arena.constant(value.code().ok_or_else(set)?)))
    });
    let start = State::new(process, known.collect::<Result<_, Reason>>()?);
    let conventions = Conventions::of(program.vocabulary);
    let mut unfolding = Unfolding {
        surroundings: Surroundings { program, process, conventions },
        copy: info.copy,
        arena,
        unwind,
        wanted,
        budget,
        steps: 0,
        paths: Vec::new(),
        open: vec![start],
    };
    while let Some(state) = unfolding.open.pop() {
        unfolding.follow(state)?;
    }
    Ok(unfolding.paths)
}

struct Unfolding<'a, 'b, 's> {
    surroundings: Surroundings<'a>,
    copy: u32,
    arena: &'b mut Arena<'s>,
    unwind: u32,
    wanted: Wanted,
    budget: &'b wattle_engine::Run,
    /// Since the last look at the budget.
    steps: u64,
    paths: Vec<Path<'a>>,
    /// Paths to be followed, the next one last.
    open: Vec<State<'a>>,
}

impl<'a> Unfolding<'a, '_, '_> {
    /// Follow a path until it stops or forks.
    fn follow(&mut self, mut state: State<'a>) -> Result<(), Reason> {
        let process = self.surroundings.process;
        loop {
            self.look(&state)?;
            if let Some(end) = self.stops(&mut state)? {
                self.paths.push(state.stop(end));
                return Ok(());
            }
            let mut leaving: Vec<EdgeId> = process.cfg.leaving(state.point).collect();
            // A branch both of whose sides go to the same place does nothing but depend: one side is
            // enough. (Which of the two was taken is found again when an execution is shown, see
            // `witness`.)
            let detour = matches!(leaving[..], [first, second] if is_detour(process, first, second));
            if detour {
                leaving.pop();
            }
            if self.wanted.standing || (self.wanted.stopped && !self.sure(&leaving)) {
                self.paths.push(state.clone().stop(End::Standing));
            }
            match leaving[..] {
                [only] if !self.forks(process.cfg.edge(only)) => {
                    if !self.take(&mut state, only, detour, &mut Chooser::default())? {
                        return Ok(());
                    }
                }
                _ => return self.fork(&state, &leaving, detour),
            }
        }
    }

    /// Look at the budget and at the number of paths.
    fn look(&mut self, state: &State<'_>) -> Result<(), Reason> {
        self.steps += 1 + state.events.len() as u64 / 8;
        if self.steps >= LOOK_AFTER {
            let spent = Spent { memory: self.budget.resident().unwrap_or(0), states: 0 };
            self.budget.poll(STEP * std::mem::take(&mut self.steps), spent)?;
        }
        match self.paths.len() + self.open.len() > MOST_PATHS {
            true => Err(self.too_much()),
            false => Ok(()),
        }
    }

    fn too_much(&self) -> Reason {
        let what = "a thread with too many paths".into();
        Reason::Unsupported(Unsupported { what, span: Some(self.surroundings.process.span) })
    }

    /// Does the path stop at the point that it has come to?
    fn stops(&self, state: &mut State<'_>) -> Result<Option<End>, Reason> {
        let point = self.surroundings.process.cfg.point(state.point);
        if point.end {
            return Ok(Some(End::Ended));
        }
        if point.inside.is_some() {
            let what = "an atomic section of several steps".into();
            return Err(Reason::Unsupported(Unsupported { what, span: Some(point.origin.0) }));
        }
        let visits = &mut state.visits[state.point.0 as usize];
        *visits += 1;
        Ok((*visits > self.unwind.saturating_add(1)).then_some(End::Cut))
    }

    /// May a run of this edge ask for choices?
    fn forks(&self, edge: &Edge) -> bool {
        let choice = |op: &Op| matches!(op, Op::Havoc { .. } | Op::StoreConditional { .. });
        self.surroundings.conventions.selects || self.wanted.stopped || edge.ops.iter().any(choice)
    }

    /// Every edge with every combination of choices is a path of its own.
    fn fork(&mut self, state: &State<'a>, leaving: &[EdgeId], detour: bool) -> Result<(), Reason> {
        let first = self.open.len();
        for edge in leaving {
            let mut chooser = Chooser::default();
            loop {
                let mut next = state.clone();
                if self.take(&mut next, *edge, detour, &mut chooser)? {
                    self.open.push(next);
                }
                if !chooser.next() {
                    break;
                }
                if self.open.len() > MOST_PATHS {
                    return Err(self.too_much());
                }
            }
        }
        // Last in, first out: what the text says first is done first.
        self.open[first..].reverse();
        Ok(())
    }

    /// Take an edge, if that is possible. If it has no result, the path stops in the fault.
    fn take(
        &mut self,
        state: &mut State<'a>,
        edge: EdgeId,
        detour: bool,
        chooser: &mut Chooser,
    ) -> Result<bool, Reason> {
        let step = Step {
            surroundings: self.surroundings,
            copy: self.copy,
            arena: self.arena,
            may_fault: self.wanted.stopped,
            chooser,
            state,
            edge,
            detour,
            choices: Vec::new(),
        };
        match step.run() {
            Ok(()) => return Ok(true),
            Err(Halt::Disabled) => {}
            Err(Halt::Faulted { op, why }) => {
                let last = state.steps.len() as u32 - 1;
                let stored =
                    state.events.iter().any(|event| event.instruction == last && event.access.writes());
                self.paths.push(state.clone().stop(End::Faulted { edge, op, why, stored }));
            }
            Err(Halt::Unsupported(what)) => return Err(Reason::Unsupported(what)),
        }
        Ok(false)
    }

    /// Can a thread always leave a point by one of these edges? Not where an assumption may be false, a
    /// value may leave its range, or there may be nothing to choose.
    fn sure(&self, leaving: &[EdgeId]) -> bool {
        let Surroundings { program, process, .. } = self.surroundings;
        let unconditional = |edge: &Edge| {
            edge.ops.iter().all(|op| match op {
                Op::Assume { .. } | Op::Havoc { .. } => false,
                Op::Store { .. } | Op::StoreConditional { .. } => {
                    program.variables.iter().all(|variable| variable.range.is_none())
                }
                _ => true,
            }) && process.locals.iter().all(|local| local.range.is_none())
        };
        let edges: Vec<&Edge> = leaving.iter().map(|edge| process.cfg.edge(*edge)).collect();
        if !edges.iter().all(|edge| unconditional(edge)) {
            return false;
        }
        edges.iter().any(|edge| edge.guard.is_true())
            || edges.iter().any(|a| edges.iter().any(|b| a.guard.is_opposite(&b.guard)))
    }
}

/// Do two edges without operations lead from a branch to one point?
pub(crate) fn is_detour(process: &Process, first: EdgeId, second: EdgeId) -> bool {
    let (first, second) = (process.cfg.edge(first), process.cfg.edge(second));
    first.ops.is_empty()
        && second.ops.is_empty()
        && first.to == second.to
        && first.mode == second.mode
        && first.guard.is_opposite(&second.guard)
}

/// The tags of an event, as one set.
pub(crate) fn tags_of(event: &PathEvent<'_>) -> Tags {
    let mut tags: Tags = event.tags.iter().flatten().flat_map(|tags| tags.iter().cloned()).collect();
    tags.extend(event.fence.cloned());
    tags
}
