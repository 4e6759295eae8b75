//! One thread: its points in weak topological order, loops round by round.
//!
//! States wait at the points that they are on their way to. When a point's turn comes, all ways into
//! it have arrived; they are joined, and each edge sends the result on. Edges back to the head of a
//! loop wait there for the next round. A loop is done when nothing waits at its head any more, and it
//! is *cut* when something does after the last round that the bound allows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use wattle_engine::{Unsupported, steps_are_events};
use wattle_logic::{Binary, Sort};
use wattle_program::symbolic::{Conventions, Expr, Terms};
use wattle_program::{Edge, EdgeId, Mode, Op, Point, Process, ProcessId, Program, Range, Shape, ThreadId};

use super::Options;
use super::guard;
use super::initial::Contents;
use super::section::Sections;
use super::state::{State, join};
use super::step::refuse;
use super::structure::{Cut, EventId, Standing, Structure, Threaded};
use super::term::Evaluation;
use super::wto::{Component, Element};
use crate::pulse::Pulse;

/// A program with more unrolled steps, or more events, than this is refused.
const MOST_STEPS: usize = 1 << 16;
const MOST_EVENTS: usize = 1 << 13;

/// Why a thread cannot be unrolled so.
pub(super) enum Halt {
    /// The loop with this head seemed to count, and does not come to an end.
    Endless(ProcessId, Point),
    Unsupported(Unsupported),
}

impl From<Unsupported> for Halt {
    fn from(what: Unsupported) -> Halt {
        Halt::Unsupported(what)
    }
}

/// What a control point costs, in steps of the pulse.
const STEPS_A_POINT: usize = 1000;

pub(super) struct Unroller<'b, 'a> {
    pub program: &'b Program,
    pub shape: &'a Shape,
    pub options: &'b Options,
    pub contents: &'b Contents,
    pub structure: &'b mut Structure<'a>,
    pub process: &'b Process,
    pub thread: ThreadId,
    pub copy: u32,
    /// The thread's first event.
    pub first: EventId,
    /// The ranges that the values of locals never leave.
    pub trusted: Vec<Option<Range>>,
    pub conventions: Conventions,
    pub leaving: Vec<Vec<EdgeId>>,
    pub waiting: Vec<Vec<State>>,
    pub open: Vec<Open<'b>>,
    /// The loops that only wait: their heads, and the points where a thread that comes back waits.
    pub awaits: &'b BTreeMap<Point, Point>,
    /// The loops that seemed to count and do not end.
    pub endless: &'b BTreeSet<(ProcessId, Point)>,
    pub pulse: &'b Pulse,
    /// Rounds beyond the bound so far.
    pub folded: u32,
    pub sections: Sections,
    pub threaded: Threaded,
}

/// A loop that is being unrolled.
pub(super) struct Open<'b> {
    members: &'b [Point],
    head: Point,
    /// Whoever comes here waits for ever.
    waits: Option<Point>,
    /// Is this a round beyond the bound?
    beyond: bool,
    /// Was there a way out of it in the rounds so far?
    left: bool,
}

impl<'b, 'a> Unroller<'b, 'a> {
    pub(crate) fn run(&mut self, elements: &'b [Element]) -> Result<(), Halt> {
        for element in elements {
            self.pulse.beat(STEPS_A_POINT + self.structure.events.len());
            self.pulse.go_on()?;
            match element {
                Element::Point(point) => self.arrive(*point)?,
                Element::Component(component) => self.unroll(component)?,
            }
        }
        Ok(())
    }

    fn unroll(&mut self, component: &'b Component) -> Result<(), Halt> {
        let process = self.shape.info(self.thread).process;
        let given = self.options.per_loop.get(&(process, component.head));
        let waits = self.awaits.get(&component.head).copied();
        // The second round of a loop that only waits shows that it does.
        let bound = given.copied().unwrap_or(self.options.unwind).max(u32::from(waits.is_some()));
        let counting = component.exits && !self.endless.contains(&(process, component.head));
        let options = self.options;
        let mut smaller: &[u32] = if given.is_some() { &[] } else { &options.smaller };
        let members = &component.members;
        self.open.push(Open { members, head: component.head, waits: None, beyond: false, left: false });
        let mut round = 0;
        loop {
            self.arrive(component.head)?;
            self.run(&component.body)?;
            if self.waiting[component.head.0 as usize].is_empty() {
                break;
            }
            // A loop that has a way out, which could not be taken in the rounds so far, is taken to count.
            let counts = counting && self.open.last().is_some_and(|open| !open.left);
            if !counts && round >= bound {
                let first = smaller.first().copied().unwrap_or(self.options.unwind);
                let bounds = if given.is_some() { 0..=u32::MAX } else { first..=self.options.unwind };
                self.cut(component.head, bounds);
                break;
            }
            if !counts {
                let due = smaller.partition_point(|bound| *bound <= round);
                smaller[..due].iter().for_each(|bound| self.stop(component.head, *bound));
                smaller = &smaller[due..];
            }
            if round >= bound {
                self.folded += 1;
                if self.folded > self.options.fold {
                    return Err(Halt::Endless(process, component.head));
                }
            }
            round += 1;
            if let Some(open) = self.open.last_mut() {
                open.waits = waits;
                open.beyond = round > bound;
            }
        }
        self.open.pop();
        Ok(())
    }

    /// Cuts the threads that would go round again.
    fn cut(&mut self, head: Point, bounds: RangeInclusive<u32>) {
        let ways = std::mem::take(&mut self.waiting[head.0 as usize]);
        if let Some(state) = join(&mut self.structure.arena, &self.structure.events, ways) {
            self.cut_when(head, state.reached, bounds);
        }
    }

    /// Cuts the threads that would go round again, if a smaller bound is asked about.
    fn stop(&mut self, head: Point, bound: u32) {
        let ways = std::mem::take(&mut self.waiting[head.0 as usize]);
        let Some(mut state) = join(&mut self.structure.arena, &self.structure.events, ways) else { return };
        let stop = self.structure.stop(bound);
        let arena = &mut self.structure.arena;
        let (when, on) = (guard::and(arena, state.reached, stop), guard::not(arena, stop));
        state.reached = guard::and(arena, state.reached, on);
        self.cut_when(head, when, bound..=bound);
        self.waiting[head.0 as usize].push(state);
    }

    fn cut_when(&mut self, head: Point, when: Expr, bounds: RangeInclusive<u32>) {
        self.threaded.cuts.push(Cut { head, when, bounds });
        let cut = self.threaded.cut.unwrap_or_else(|| self.structure.arena.constant(0));
        self.threaded.cut = Some(guard::or(&mut self.structure.arena, cut, when));
    }

    /// A thread is at a point.
    fn arrive(&mut self, point: Point) -> Result<(), Halt> {
        let mut ways = std::mem::take(&mut self.waiting[point.0 as usize]);
        if self.open.iter().any(|open| open.waits == Some(point)) {
            ways.clear();
        }
        let Some(mut state) = join(&mut self.structure.arena, &self.structure.events, ways) else {
            return Ok(());
        };
        let process = self.process;
        let info = process.cfg.point(point);
        if info.end && info.inside.is_some() {
            let what = "an atomic section that never ends".into();
            return Err(Unsupported { what, span: Some(info.origin.0) }.into());
        }
        let locals = || state.carried.locals.iter().map(|local| local.expr).collect();
        if info.end {
            let ended = self.threaded.ended.unwrap_or_else(|| self.structure.arena.constant(0));
            self.threaded.ended = Some(guard::or(&mut self.structure.arena, ended, state.reached));
            self.threaded.stands.push(Standing { point, when: state.reached, locals: locals() });
            return Ok(());
        }
        // Where a thread stands inside a section is nobody's business.
        let place = (self.shape.info(self.thread).process, point);
        if info.inside.is_none()
            && (self.options.standing.contains(&place) || self.options.waiting.contains(&place))
        {
            let stop = self.structure.flag();
            let arena = &mut self.structure.arena;
            let when = guard::and(arena, state.reached, stop);
            self.threaded.stands.push(Standing { point, when, locals: locals() });
            let on = guard::not(arena, stop);
            state.reached = guard::and(arena, state.reached, on);
        }
        self.leave(point, &state)
    }

    fn leave(&mut self, point: Point, state: &State) -> Result<(), Halt> {
        let mut leaving = Vec::new();
        for id in self.leaving[point.0 as usize].clone() {
            leaving.extend(self.guard(state, id)?.map(|guard| (id, guard)));
        }
        let rivals: Vec<EdgeId> = (leaving.iter())
            .filter(|(id, guard)| {
                leaving.iter().any(|(other, against)| other != id && !self.are_exclusive(*guard, *against))
            })
            .map(|(id, _)| *id)
            .collect();
        let sure = matches!(rivals[..], [a, b] if self.one_of_them(a, b));
        let mut base = state.reached;
        for (id, _) in leaving {
            let mut chosen = state.reached;
            let mut free = false;
            if rivals.contains(&id) {
                chosen = base;
                free = sure;
                if rivals.last() != Some(&id) {
                    let choice = self.structure.flag();
                    let arena = &mut self.structure.arena;
                    chosen = guard::and(arena, base, choice);
                    let others = guard::not(arena, choice);
                    base = guard::and(arena, base, others);
                    free = true;
                }
            }
            if self.structure.steps.len() >= MOST_STEPS || self.structure.events.len() >= MOST_EVENTS {
                let beyond = self.open.iter().find(|open| open.beyond);
                let process = self.shape.info(self.thread).process;
                let too_much = Unsupported::new("a program with too many unrolled steps").into();
                return Err(beyond.map_or(too_much, |open| Halt::Endless(process, open.head)));
            }
            let edge = self.process.cfg.edge(id);
            let within = self.within(state, edge);
            if within.may_fail {
                let goes_in = self.structure.flag();
                chosen = guard::and(&mut self.structure.arena, chosen, goes_in);
                free = true;
            }
            let start = (self.structure.steps.len(), self.structure.events.len());
            let mut next = self.edge(state, chosen, id, free)?;
            self.mark(within, next.as_mut(), start);
            if let Some(next) = next {
                if edge.ops.iter().any(|op| matches!(op, Op::Cut { .. })) {
                    let before = self.threaded.beyond.unwrap_or_else(|| self.structure.arena.constant(0));
                    self.threaded.beyond = Some(guard::or(&mut self.structure.arena, before, next.reached));
                }
                self.send(edge.to, next);
            }
        }
        Ok(())
    }

    fn send(&mut self, to: Point, state: State) {
        for open in &mut self.open {
            open.left |= open.members.binary_search(&to).is_err();
        }
        self.waiting[to.0 as usize].push(state);
    }

    /// For the terms of a thread in this state.
    pub(crate) fn evaluation<'e>(&'e mut self, state: &'e State) -> Evaluation<'e, 'a> {
        Evaluation {
            arena: &mut self.structure.arena,
            copy: self.copy,
            locals: &state.carried.locals,
            selects: self.conventions.selects,
            needs: Vec::new(),
        }
    }

    /// The guard of an edge, unless it cannot hold here.
    fn guard(&mut self, state: &State, id: EdgeId) -> Result<Option<Expr>, Unsupported> {
        let term = &self.process.cfg.edge(id).guard;
        let mut evaluation = self.evaluation(state);
        let guard = evaluation.value(term)?.expr;
        let needs = evaluation.needs;
        let arena = &mut self.structure.arena;
        if needs.is_empty() {
            let holds = guard::and(arena, state.reached, guard);
            return Ok((arena.value(holds) != Some(0)).then_some(guard));
        }
        let mut whole = arena.constant(1);
        for condition in needs.iter().map(|(condition, _)| *condition).chain([guard]) {
            whole = arena.binary(Binary::And, Sort::Bool, whole, condition);
        }
        Ok(Some(whole))
    }

    /// Can two guards not hold together?
    fn are_exclusive(&self, a: Expr, b: Expr) -> bool {
        let arena = &self.structure.arena;
        let (a, b) = (guard::chain(arena, a), guard::chain(arena, b));
        a.iter().any(|a| b.iter().any(|b| guard::are_exclusive(arena, *a, *b)))
    }

    /// Do two edges do the same up to an assumption, which one of them makes and the other denies, and
    /// is nothing else refused? Then one of them can always be taken.
    fn one_of_them(&self, a: EdgeId, b: EdgeId) -> bool {
        let (a, b) = (self.process.cfg.edge(a), self.process.cfg.edge(b));
        let same = a.ops.iter().zip(&b.ops).take_while(|(a, b)| a == b).count();
        let (Some(Op::Assume { condition }), Some(Op::Assume { condition: denied })) =
            (a.ops.get(same), b.ops.get(same))
        else {
            return false;
        };
        a.guard.is_true()
            && b.guard.is_true()
            && condition.is_opposite(denied)
            && self.refuses_nothing(a, same)
            && self.refuses_nothing(b, same)
    }

    pub(super) fn refuses_nothing(&self, edge: &Edge, but: usize) -> bool {
        edge.ops.iter().enumerate().all(|(number, op)| match op {
            Op::Assume { .. } => number == but,
            Op::Havoc { .. } => false,
            Op::Store { .. } | Op::StoreConditional { .. } => {
                self.program.variables.iter().all(|variable| variable.range.is_none())
            }
            _ => true,
        }) && edge
            .ops
            .iter()
            .filter_map(Op::sets)
            .all(|local| self.process.locals[local as usize].range.is_none())
    }
}

/// Are the accesses of each edge such that its events say what the step does?
pub(super) fn accepts(program: &Program, sections: bool) -> Result<(), Unsupported> {
    steps_are_events(program, sections)?;
    let accesses = |op: &Op| {
        matches!(
            op,
            Op::Load { .. } | Op::LoadExclusive { .. } | Op::Store { .. } | Op::StoreConditional { .. }
        )
    };
    // No order is said to hold between a fence and the accesses of its own step.
    let fenced = |edge: &&Edge| {
        edge.mode == Mode::Locked
            && edge.ops.iter().any(|op| matches!(op, Op::Fence(_)))
            && edge.ops.iter().any(accesses)
    };
    match program.processes.iter().flat_map(|process| &process.cfg.edges).find(fenced) {
        Some(edge) => Err(refuse("an atomic step with accesses and a fence under axioms", edge)),
        None => Ok(()),
    }
}
