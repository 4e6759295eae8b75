//! Deadlock, as a condition on an execution: every thread has ended or is stuck, and not all have ended.
//!
//! An execution has no last moment, but it has last writes. A thread is *stuck* where it stands if, with memory held still
//! at the last write of each location (in coherence order), no run of its own steps gets it anywhere: each load of
//! another round of its await reads the last write, and lets it go no further. That is what `docs/semantics.md` says of
//! machines, whose memory in a state where nothing is pending is the last writes.
//!
//! *Why the loads of that round need not be events.* They come last in their thread and read what is written last. So in
//! each relation that the models of the catalogue order by, something may come before them and nothing after them: no write
//! follows what they read, and no event follows them but others of the kind. They close no cycle, and the execution
//! is allowed with them as well as without. Of a model that someone else wrote this is not known, so that
//! the question is refused there.
//!
//! *How.* From each place where a thread may wait (`unroll/waiting.rs`) its edges are run symbolically, on memory that can
//! only be read. What leaves the await, changes memory or has no result, under whatever choice, is a way to
//! go on. An await is followed back to its head and no further, because its rounds are all alike.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Sort, Term};
use wattle_program::symbolic::operations::{self, Carried, Does, Domain, Made, Surroundings, Uses};
use wattle_program::symbolic::{Arena, Conventions, Expr, Terms};
use wattle_program::{Local, Name, Point, Program, Range, Role, Shape, Tags, ThreadId};
use wattle_source::Span;

use crate::unroll::guard;
use crate::unroll::state::{Known, Reads};
use crate::unroll::structure::{Standing, Threaded};
use crate::unroll::term::Evaluation;

/// So many runs of a thread's own steps are followed.
const MOST_RUNS: usize = 4096;

/// What memory holds in the end.
pub(super) trait Content {
    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr;
}

/// Every thread has ended or is stuck, and not all have ended.
pub(super) fn deadlock(
    arena: &mut Arena<'_>,
    program: &Program,
    shape: &Shape,
    threads: &[Threaded],
    memory: &mut dyn Content,
) -> Result<Expr, Unsupported> {
    let (mut all, mut ended) = (arena.constant(1), arena.constant(1));
    for (thread, threaded) in shape.thread_ids().zip(threads) {
        let cfg = &program.process(shape.info(thread).process).cfg;
        let end = threaded.ended.unwrap_or_else(|| arena.constant(0));
        let mut rests = end;
        for standing in threaded.stands.iter().filter(|standing| !cfg.point(standing.point).end) {
            let goes_on = goes_on(arena, program, shape, thread, standing, memory)?;
            let waits = guard::not(arena, goes_on);
            let stuck = guard::and(arena, standing.when, waits);
            rests = guard::or(arena, rests, stuck);
        }
        all = guard::and(arena, all, rests);
        ended = guard::and(arena, ended, end);
    }
    let left = guard::not(arena, ended);
    Ok(guard::and(arena, all, left))
}

/// Does some run of the thread's own steps get it anywhere?
fn goes_on(
    arena: &mut Arena<'_>,
    program: &Program,
    shape: &Shape,
    thread: ThreadId,
    standing: &Standing,
    memory: &mut dyn Content,
) -> Result<Expr, Unsupported> {
    let info = shape.info(thread);
    let process = program.process(info.process);
    let cfg = &process.cfg;
    let awaits = cfg.awaits();
    let head = awaits[standing.point.0 as usize].filter(|head| *head == standing.point);
    let stays = |to: Point| head.is_some() && to != standing.point && awaits[to.0 as usize] == head;
    let surroundings = Surroundings { program, process, conventions: Conventions::of(program.vocabulary) };
    let mut goes = arena.constant(0);
    let always = arena.constant(1);
    let mut open =
        vec![(standing.point, standing.locals.iter().map(|local| Known::free(*local)).collect(), always)];
    let mut runs = 0;
    while let Some((point, locals, path)) = open.pop() {
        for edge in cfg.leaving(point).map(|id| cfg.edge(id)).filter(|edge| edge.role != Role::Asserts) {
            let mut script = Script::default();
            loop {
                runs += 1;
                if runs > MOST_RUNS {
                    let what = "deadlock with an await of too many ways, under axioms".into();
                    return Err(Unsupported { what, span: Some(edge.origin.0) });
                }
                script.at = 0;
                let carried: Carried<Reads> = Carried::new(Clone::clone(&locals));
                let (program, copy) = (surroundings.program, info.copy);
                let (never, reads) = (arena.constant(0), vec![]);
                let (faults, changed, written) = (never, never, false);
                let mut still = Still {
                    arena,
                    program,
                    copy,
                    memory,
                    carried,
                    path,
                    faults,
                    changed,
                    written,
                    reads,
                    script,
                };
                let taken = match operations::run(surroundings, edge, &mut still) {
                    Ok(()) => Some(still.path),
                    Err(Halt::Impossible) => None,
                    Err(Halt::Unsupported(what)) => return Err(what),
                };
                let Still { faults, changed, carried, script: next, .. } = still;
                goes = guard::or(arena, goes, faults);
                if let Some(path) = taken {
                    let acts = guard::and(arena, path, changed);
                    goes = guard::or(arena, goes, acts);
                }
                match taken {
                    Some(path) if stays(edge.to) => open.push((edge.to, carried.locals, path)),
                    // The round begins again.
                    Some(_) if edge.role == Role::Retries && head == Some(edge.to) => {}
                    Some(path) => goes = guard::or(arena, goes, path),
                    None => {}
                }
                script = next;
                if !script.next() {
                    break;
                }
            }
        }
    }
    Ok(goes)
}

enum Halt {
    Impossible,
    Unsupported(Unsupported),
}

/// A step on memory that nobody changes.
struct Still<'m, 'a> {
    arena: &'m mut Arena<'a>,
    program: &'m Program,
    copy: u32,
    memory: &'m mut dyn Content,
    carried: Carried<Reads>,
    /// The step is possible so far.
    path: Expr,
    /// It has no result.
    faults: Expr,
    /// It changes memory, if it is possible.
    changed: Expr,
    /// It has stored.
    written: bool,
    /// The addresses of what it reads.
    reads: Vec<Expr>,
    script: Script,
}

impl Still<'_, '_> {
    fn changes(&mut self, address: Expr, value: Expr) {
        let before = self.memory.content(self.arena, address);
        let same = self.arena.binary(Binary::Equal, Sort::Bool, before, value);
        let changed = guard::not(self.arena, same);
        self.changed = guard::or(self.arena, self.changed, changed);
    }
}

impl<'p, 'a> Domain<'p, 'a> for Still<'_, 'a> {
    type Sources = Reads;
    type Event = usize;
    type Halt = Halt;

    fn arena(&mut self) -> &mut Arena<'a> {
        self.arena
    }

    fn carried(&mut self) -> &mut Carried<Reads> {
        &mut self.carried
    }

    fn refuse(&self, what: &str, span: Option<Span>) -> Halt {
        Halt::Unsupported(Unsupported { what: what.into(), span })
    }

    /// Whoever comes here is not stuck: what becomes of it is asked elsewhere.
    fn unsupported(&mut self, _: &Name, _: Span) -> Halt {
        self.faults = guard::or(self.arena, self.faults, self.path);
        Halt::Impossible
    }

    fn defined(&mut self, term: &Term, _: Option<usize>) -> Result<Known, Halt> {
        let mut evaluation = Evaluation {
            arena: self.arena,
            copy: self.copy,
            locals: &self.carried.locals,
            selects: false,
            needs: Vec::new(),
        };
        let known = evaluation.value(term).map_err(Halt::Unsupported)?;
        for (condition, _) in evaluation.needs {
            let not = guard::not(self.arena, condition);
            let when = guard::and(self.arena, self.path, not);
            self.faults = guard::or(self.arena, self.faults, when);
            self.require(condition)?;
        }
        Ok(known)
    }

    fn require(&mut self, condition: Expr) -> Result<(), Halt> {
        self.path = guard::and(self.arena, self.path, condition);
        if self.arena.value(self.path) == Some(0) { Err(Halt::Impossible) } else { Ok(()) }
    }

    fn assert(&mut self, _: usize, _: Expr) {}

    fn orders_its_events(&self) -> bool {
        true
    }

    fn event(&mut self, made: Made<'p, usize, Reads>) -> Result<usize, Halt> {
        match made.does {
            Does::Write { value, .. } => {
                self.written = true;
                self.changes(made.address, value);
            }
            // It might see what its own step has written.
            Does::Read { .. } if self.written => {
                return Err(
                    self.refuse("deadlock with a section that reads after it writes, under axioms", None)
                );
            }
            Does::Read { .. } | Does::Fence(_) => {}
        }
        self.reads.push(made.address);
        Ok(self.reads.len() - 1)
    }

    fn update(&mut self, read: usize, _: &'p Tags, value: Expr, _: &Uses<Reads>) {
        self.changes(self.reads[read], value);
    }

    fn address(&self, event: usize) -> Expr {
        self.reads[event]
    }

    fn read(&mut self, event: usize, into: &Local) -> (Expr, Option<Range>) {
        let address = self.reads[event];
        let content = self.memory.content(self.arena, address);
        let alike = self.program.variables.iter().all(|variable| variable.sort == into.sort);
        (if alike { content } else { self.arena.wrap(into.sort, content) }, None)
    }

    fn source(&mut self, _: usize, _: Option<Expr>) -> Result<Reads, Halt> {
        Ok(Reads::default())
    }

    fn reserve(&mut self, _: usize, _: Expr) {}

    fn succeeds(&mut self, _: Expr) -> Result<Expr, Halt> {
        self.choose(0, 1)
    }

    fn release(&mut self) {}

    fn choose(&mut self, low: i64, high: i64) -> Result<Expr, Halt> {
        let chosen = self.script.choose(low, high).ok_or(Halt::Impossible)?;
        Ok(self.arena.constant(chosen))
    }
}

/// The choices of a step, all in turn: each is counted down from the highest.
#[derive(Default)]
struct Script {
    /// The lowest, and the present one.
    chosen: Vec<(i64, i64)>,
    at: usize,
}

impl Script {
    fn next(&mut self) -> bool {
        while let Some((low, value)) = self.chosen.pop() {
            if value > low {
                self.chosen.push((low, value - 1));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        if low > high {
            return None;
        }
        if self.at == self.chosen.len() {
            self.chosen.push((low, high));
        }
        self.at += 1;
        Some(self.chosen[self.at - 1].1)
    }
}
