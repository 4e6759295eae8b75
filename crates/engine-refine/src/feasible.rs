//! Is a trace of one abstraction feasible in another reduction?
//!
//! The same moves are taken there: the same edges of the program by the same threads, and commits of the same
//! locations, in the same order. Which case of an edge that is depends on how buffers are filled there, which is
//! known all the way (`abstraction::Walk`); the few ways that are left are decided by the solver.

use wattle_abstraction::checker::{AbstractTrace, Violated};
use wattle_abstraction::path::{Solution, obligation, solve};
use wattle_abstraction::system::Wrong;
use wattle_abstraction::{Stopped, System, Walk};
use wattle_memory::reduction::{Move, Moves, Reduced};
use wattle_program::{Mode, Op, Program};
use wattle_smt::Solver;

/// A program with its buffers written into it, as transitions.
pub(crate) struct Written {
    pub reduced: Reduced,
    pub system: System,
}

/// A move of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moved {
    thread: u32,
    what: Move,
}

/// A trace in terms of the program, whatever is written into it.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub moves: Vec<Moved>,
    threads: u32,
    violated: What,
}

/// What is violated in the end.
#[derive(Clone, Debug)]
enum What {
    Property(usize),
    /// A check of this move. The operations of an edge have other numbers in other reductions: an assertion is
    /// found by how many come before it.
    Check {
        moved: Moved,
        wrong: Kind,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Assertion(usize),
    Fault(wattle_logic::Fault),
    Unsupported,
}

/// What kind of thing goes wrong in an operation of an edge.
fn kind(program: &Program, system: &System, transition: usize, check: usize) -> Kind {
    let transition = &system.transitions[transition];
    match &transition.checks[check].wrong {
        Wrong::Assertion { op } => {
            let edge = program.processes[transition.thread as usize].cfg.edge(transition.edge);
            Kind::Assertion(edge.ops[..*op].iter().filter(|op| matches!(op, Op::Assert { .. })).count())
        }
        Wrong::Fault { fault, .. } => Kind::Fault(*fault),
        Wrong::Unsupported { .. } => Kind::Unsupported,
    }
}

impl Moving {
    pub(crate) fn of(program: &Program, system: &System, moves: &Moves, trace: &AbstractTrace) -> Moving {
        let moved = |number: &usize| {
            let transition = &system.transitions[*number];
            let what = moves[transition.thread as usize][transition.edge.0 as usize];
            Moved { thread: transition.thread, what }
        };
        let violated = match &trace.violated {
            Violated::Property(property) => What::Property(*property),
            Violated::Check { transition, check } => {
                What::Check { moved: moved(transition), wrong: kind(program, system, *transition, *check) }
            }
        };
        let threads = program.processes.len() as u32;
        Moving { moves: trace.steps.iter().map(moved).collect(), threads, violated }
    }

    /// The same with every store in memory at once: what the trace is under sequential consistency. There a thread
    /// has ended as soon as it is at its end; with buffers it takes one move more.
    pub(crate) fn at_once(&self) -> Vec<Goal> {
        let steps = self.moves.iter().filter(|moved| !matches!(moved.what, Move::Commit(_)));
        let steps = steps.flat_map(|moved| [Goal::Move(*moved), Goal::Drain(moved.thread)]);
        let ends = (0..self.threads).map(|thread| Goal::Move(Moved { thread, what: Move::End }));
        steps.chain(ends).collect()
    }

    pub(crate) fn as_it_is(&self) -> Vec<Goal> {
        self.moves.iter().map(|moved| Goal::Move(*moved)).collect()
    }

    /// The most stores that one thread makes: as many as a buffer can hold.
    pub(crate) fn stores(&self, program: &Program) -> u32 {
        let stores = |moved: &Moved| match moved.what {
            Move::Step(edge) => {
                let edge = program.processes[moved.thread as usize].cfg.edge(edge);
                let buffered = edge.ops.iter().filter(|op| matches!(op, Op::Store { .. })).count();
                if edge.mode == Mode::Locked { 0 } else { buffered as u32 }
            }
            Move::Commit(_) | Move::Deliver { .. } | Move::Overflow(_) | Move::End => 0,
        };
        // The edge that fails a check stores nothing that matters, but what it would store needs room.
        let tried = match &self.violated {
            What::Check { moved, .. } => Some(moved),
            What::Property(_) => None,
        };
        let most = (0..self.threads).map(|thread| {
            let own = self.moves.iter().chain(tried).filter(|moved| moved.thread == thread);
            own.map(stores).sum()
        });
        most.max().unwrap_or(0)
    }
}

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    Move(Moved),
    /// All stores of the thread reach memory.
    Drain(u32),
}

/// No more ways than this are tried.
const MOST_WAYS: usize = 4096;

/// Whether the moves can be made.
pub(crate) enum Feasible {
    Yes(Box<(AbstractTrace, Solution)>),
    No,
    /// There are too many ways.
    Unclear,
}

/// Can these moves be made in a reduction, so that the same is violated in the end?
pub(crate) fn feasible(
    written: &Written,
    goals: &[Goal],
    moving: &Moving,
    solver: &mut Solver,
) -> Result<Feasible, Stopped> {
    let search = Search { written, moving };
    let mut open = vec![(Walk::new(&written.system), 0)];
    let mut tried = 0;
    while let Some((walk, done)) = open.pop() {
        tried += 1;
        if tried > MOST_WAYS {
            return Ok(Feasible::Unclear);
        }
        match goals.get(done) {
            None => {
                if let Some(found) = search.end(&walk, solver)? {
                    return Ok(Feasible::Yes(Box::new(found)));
                }
            }
            Some(Goal::Move(moved)) => {
                let ways = search.ways(&walk, *moved)?;
                // Where nothing can be pending, there is no step to an end that is drained, and none to take twice.
                if ways.is_empty() && moved.what == Move::End {
                    open.push((walk, done + 1));
                } else {
                    open.extend(ways.into_iter().map(|walk| (walk, done + 1)));
                }
            }
            Some(Goal::Drain(thread)) => {
                let commits = search.commits(&walk, *thread)?;
                if commits.is_empty() {
                    open.push((walk, done + 1));
                } else {
                    open.extend(commits.into_iter().map(|walk| (walk, done)));
                }
            }
        }
    }
    Ok(Feasible::No)
}

struct Search<'a> {
    written: &'a Written,
    moving: &'a Moving,
}

impl<'a> Search<'a> {
    fn what(&self, transition: usize) -> Move {
        let transition = &self.written.system.transitions[transition];
        self.written.reduced.moves[transition.thread as usize][transition.edge.0 as usize]
    }

    fn along(
        &self,
        walk: &Walk<'a>,
        thread: u32,
        fits: &dyn Fn(Move) -> bool,
    ) -> Result<Vec<Walk<'a>>, Stopped> {
        let mut found = Vec::new();
        for number in walk.leaving(thread) {
            if fits(self.what(*number)) {
                found.extend(walk.with(*number)?);
            }
        }
        Ok(found)
    }

    fn ways(&self, walk: &Walk<'a>, moved: Moved) -> Result<Vec<Walk<'a>>, Stopped> {
        self.along(walk, moved.thread, &|what| what == moved.what)
    }

    fn commits(&self, walk: &Walk<'a>, thread: u32) -> Result<Vec<Walk<'a>>, Stopped> {
        self.along(walk, thread, &|what| matches!(what, Move::Commit(_)))
    }

    /// Inputs with which the walk ends in the violation.
    fn end(
        &self,
        walk: &Walk<'a>,
        solver: &mut Solver,
    ) -> Result<Option<(AbstractTrace, Solution)>, Stopped> {
        let system = &self.written.system;
        let violations: Vec<Violated> = match &self.moving.violated {
            What::Property(property) => vec![Violated::Property(*property)],
            What::Check { moved, wrong } => {
                let tried =
                    walk.leaving(moved.thread).iter().filter(|number| self.what(**number) == moved.what);
                let program = &self.written.reduced.program;
                let checks = tried.flat_map(|transition| {
                    let all = 0..system.transitions[*transition].checks.len();
                    let same = all.filter(|check| kind(program, system, *transition, *check) == *wrong);
                    same.map(|check| Violated::Check { transition: *transition, check })
                });
                checks.collect()
            }
        };
        for violated in violations {
            let trace = AbstractTrace { steps: walk.steps().to_vec(), states: vec![], violated };
            let Some((given, target)) = obligation(system, &trace) else { continue };
            if let Some(solution) = solve(system, solver, &trace, &given, &target)? {
                return Ok(Some((trace, solution)));
            }
        }
        Ok(None)
    }
}
