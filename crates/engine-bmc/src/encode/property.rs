//! What is asked of an unrolling: for each property, when it is violated.
//!
//! Assertions stand in the steps. The other properties are formulas over whole states, compiled over
//! the places where threads stand: a thread is *at* a point if it stands there; its locals are those of
//! the place where it stands; memory holds what was written last. `forbid` and `always` speak of every
//! state on the way. A state on the way is the end of an execution whose threads stop early, so a
//! thread must be able to stop wherever such a formula can tell the difference ([`standing`]); the
//! others may as well go on, which takes nothing away from what the named ones do.

use std::collections::BTreeSet;

use wattle_engine::{Property as PropertyAsked, Reason, Task, Unsupported, Violation, no_violation};
use wattle_logic::{Binary, Fault, Kind, Term, Unary};
use wattle_program::symbolic::formula::{self, Compiled, WholeState};
use wattle_program::symbolic::{Arena, Expr};
use wattle_program::{Point, ProcessId, Program, Property, PropertyKind, Shape, ThreadId};

use super::stuck::{self, Content};
use crate::unroll::guard;
use crate::unroll::section::Membership;
use crate::unroll::structure::{Input, Partial, Standing, Structure, Threaded};

/// What is asked, as conditions on an execution.
#[derive(Debug)]
pub(crate) struct Asked {
    pub violations: Vec<(Violation, Expr)>,
    /// Why an answer cannot be given, and when.
    pub failures: Vec<(Reason, Expr)>,
    /// All threads have ended, as the filter allows.
    pub ends: Expr,
}

pub(crate) fn ask(
    task: &Task<'_>,
    shape: &Shape,
    structure: &mut Structure<'_>,
) -> Result<Asked, Unsupported> {
    match task.property {
        PropertyAsked::Stated => ask_stated(task.program, shape, structure),
        PropertyAsked::NoDeadlock => ask_deadlock(task.program, shape, structure),
    }
}

/// Can all threads that have not ended wait for ever? Who has a fault is not stuck.
fn ask_deadlock(
    program: &Program,
    shape: &Shape,
    structure: &mut Structure<'_>,
) -> Result<Asked, Unsupported> {
    let (_, failures) = faults(program, shape, structure);
    let mut finals = Finals { first: structure.inputs.len() as u32, wanted: BTreeSet::new() };
    let whole = no_half_steps(structure);
    let arena = &mut structure.arena;
    let mut ends = whole;
    for thread in &structure.threads {
        let ended = thread.ended.unwrap_or_else(|| arena.constant(0));
        ends = guard::and(arena, ends, ended);
    }
    let stuck = stuck::deadlock(arena, program, shape, &structure.threads, &mut finals)?;
    let sections = sections_end(arena, &structure.partial, None);
    let stuck = guard::and(arena, stuck, sections);
    let stuck = guard::and(arena, stuck, whole);
    finals.declare(shape, structure);
    Ok(Asked { violations: vec![(Violation::Deadlock, stuck)], failures, ends })
}

fn ask_stated(program: &Program, shape: &Shape, structure: &mut Structure<'_>) -> Result<Asked, Unsupported> {
    let (faults, mut failures) = faults(program, shape, structure);
    let mut violations = Vec::new();
    for failure in &structure.assertions {
        let step = &structure.steps[failure.step as usize];
        let (thread, edge) = (step.thread, step.edge);
        let ended = sections_end(&mut structure.arena, &structure.partial, Some((thread, &step.section)));
        let when = guard::and(&mut structure.arena, failure.when, ended);
        violations.push((Violation::Assertion { thread, edge, op: failure.op.unwrap_or(0) }, when));
    }
    let mut finals = Finals { first: structure.inputs.len() as u32, wanted: BTreeSet::new() };
    let arena = &mut structure.arena;
    let mut state = State { threads: &structure.threads, finals: &mut finals };
    let mut ends = arena.constant(1);
    for thread in &structure.threads {
        let ended = thread.ended.unwrap_or_else(|| arena.constant(0));
        ends = guard::and(arena, ends, ended);
    }
    if let Some(filter) = &program.filter {
        let filter = compile(arena, &mut state, filter)?;
        judge(arena, &mut failures, ends, &filter);
        ends = guard::and(arena, ends, filter.value);
    }
    for (number, property) in program.properties.iter().enumerate() {
        let formula = compile(arena, &mut state, &property.formula)?;
        let asked = match property.kind {
            PropertyKind::Finally => ends,
            // Whoever may stop anywhere must do so for its locals to be known.
            _ => stands_somewhere(arena, shape, &structure.threads, &surveyed(program, property).wholly),
        };
        judge(arena, &mut failures, asked, &formula);
        let bad = match property.kind {
            PropertyKind::Forbid => formula.value,
            PropertyKind::Always | PropertyKind::Finally => guard::not(arena, formula.value),
        };
        let when = guard::and(arena, asked, bad);
        violations.push((Violation::Property { property: number }, when));
    }
    let sections = sections_end(arena, &structure.partial, None);
    for (violation, when) in &mut violations {
        if !matches!(violation, Violation::Assertion { .. }) {
            *when = guard::and(arena, *when, sections);
        }
    }
    ends = guard::and(arena, ends, sections);
    let whole = no_half_steps(structure);
    let arena = &mut structure.arena;
    for (_, when) in &mut violations {
        *when = guard::and(arena, *when, whole);
    }
    violations.extend(faults);
    ends = guard::and(arena, ends, whole);
    finals.declare(shape, structure);
    Ok(Asked { violations, failures, ends })
}

/// An execution with half a step in it counts for nothing else.
fn no_half_steps(structure: &mut Structure<'_>) -> Expr {
    let arena = &mut structure.arena;
    let mut whole = arena.constant(1);
    for fault in structure.faults.iter().filter(|fault| fault.half) {
        let not = guard::not(arena, fault.when);
        whole = guard::and(arena, whole, not);
    }
    whole
}

/// Every atomic section that begins ends, but for one: a violation in the middle of it has happened all the same.
fn sections_end(arena: &mut Arena<'_>, partial: &[Partial], but: Option<(ThreadId, &Membership)>) -> Expr {
    let mut all = arena.constant(1);
    for partial in partial {
        let mut ends = guard::not(arena, partial.when);
        let own = but.filter(|(thread, _)| *thread == partial.thread);
        let own = own.and_then(|(_, of)| of.iter().find(|(section, _)| *section == partial.section));
        if let Some((_, when)) = own {
            ends = guard::or(arena, ends, *when);
        }
        all = guard::and(arena, all, ends);
    }
    all
}

/// The threads of these processes stand somewhere.
fn stands_somewhere(
    arena: &mut Arena<'_>,
    shape: &Shape,
    threads: &[Threaded],
    processes: &BTreeSet<ProcessId>,
) -> Expr {
    let mut all = arena.constant(1);
    for (thread, info) in threads.iter().zip(&shape.threads) {
        if processes.contains(&info.process) {
            let mut some = arena.constant(0);
            for stand in &thread.stands {
                some = guard::or(arena, some, stand.when);
            }
            all = guard::and(arena, all, some);
        }
    }
    all
}

fn compile(
    arena: &mut Arena<'_>,
    state: &mut State<'_, '_>,
    formula: &Term,
) -> Result<Compiled, Unsupported> {
    formula::compile(arena, state, formula)
}

/// A formula that has no value is neither true nor false.
fn judge(arena: &mut Arena<'_>, failures: &mut Vec<(Reason, Expr)>, asked: Expr, formula: &Compiled) {
    for (condition, fault) in &formula.needs {
        let not = guard::not(arena, *condition);
        let when = guard::and(arena, asked, not);
        fail(arena, failures, Reason::NoValue(format!("a property has no value: {fault}")), when);
    }
}

/// Steps without a result: those that violate, and why others are not judged. Constructs that are not handled are among
/// the latter.
#[allow(clippy::type_complexity)]
fn faults(
    program: &Program,
    shape: &Shape,
    structure: &mut Structure<'_>,
) -> (Vec<(Violation, Expr)>, Vec<(Reason, Expr)>) {
    let (mut violations, mut failures) = (Vec::new(), Vec::new());
    let arena = &mut structure.arena;
    for failure in &structure.faults {
        let step = &structure.steps[failure.step as usize];
        let (thread, edge, op) = (step.thread, step.edge, failure.op);
        let process = program.process(shape.info(thread).process);
        let fault = failure.fault.unwrap_or(Fault::Overflow);
        let stored = || {
            let what = format!("a fault ({fault}) of a step that also stores");
            let span = Some(process.cfg.edge(edge).origin.0);
            Reason::Unsupported(Unsupported { what, span })
        };
        let reason = no_violation(program, process.cfg.edge(edge), fault);
        match reason.or_else(|| failure.stored.then(stored)) {
            None => {
                let ended = sections_end(arena, &structure.partial, Some((thread, &step.section)));
                let when = guard::and(arena, failure.when, ended);
                violations.push((Violation::Fault { thread, edge, op, fault }, when));
            }
            Some(reason) => fail(arena, &mut failures, reason, failure.when),
        }
    }
    for (when, what, span) in &structure.unsupported {
        let what = Unsupported { what: what.to_string(), span: Some(*span) };
        fail(arena, &mut failures, Reason::Unsupported(what), *when);
    }
    (violations, failures)
}

fn fail(arena: &mut Arena<'_>, failures: &mut Vec<(Reason, Expr)>, reason: Reason, when: Expr) {
    match failures.iter_mut().find(|(other, _)| *other == reason) {
        Some((_, before)) => *before = guard::or(arena, *before, when),
        None => failures.push((reason, when)),
    }
}

/// The contents of memory in the end that formulas speak of.
struct Finals {
    /// The input that stands for the first location.
    first: u32,
    wanted: BTreeSet<u32>,
}

impl Finals {
    /// Inputs for what was asked for.
    fn declare(self, shape: &Shape, structure: &mut Structure<'_>) {
        if !self.wanted.is_empty() {
            let anything = Input { low: i64::MIN, high: i64::MAX };
            structure.inputs.resize(structure.inputs.len() + shape.locations.len(), anything);
            structure.finals.extend(self.wanted.iter().map(|location| (*location, self.first + location)));
        }
    }
}

impl Content for Finals {
    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr {
        match arena.value(location).and_then(|location| u32::try_from(location).ok()) {
            Some(location) => {
                self.wanted.insert(location);
            }
            None => self.wanted.extend(0..arena.shape().locations.len() as u32),
        }
        arena.content(self.first, location)
    }
}

/// Where the threads stand, and what memory holds in the end.
struct State<'s, 'f> {
    threads: &'s [Threaded],
    finals: &'f mut Finals,
}

impl State<'_, '_> {
    fn stands(&self, thread: ThreadId) -> &[Standing] {
        &self.threads[thread.0 as usize].stands
    }
}

impl WholeState for State<'_, '_> {
    fn at(&mut self, arena: &mut Arena<'_>, thread: ThreadId, point: Point) -> Expr {
        let mut stands = arena.constant(0);
        for stand in self.stands(thread).iter().filter(|stand| stand.point == point) {
            stands = guard::or(arena, stands, stand.when);
        }
        stands
    }

    fn ended(&mut self, arena: &mut Arena<'_>, thread: ThreadId) -> Expr {
        self.threads[thread.0 as usize].ended.unwrap_or_else(|| arena.constant(0))
    }

    /// Where the thread stands nowhere the value is arbitrary, and formulas do not look at it.
    fn local(&mut self, arena: &mut Arena<'_>, thread: ThreadId, local: u32) -> Option<Expr> {
        let mut stands = self.stands(thread).iter().rev();
        let mut value = match stands.next() {
            Some(last) => *last.locals.get(local as usize)?,
            None => arena.constant(0),
        };
        for stand in stands {
            let here = *stand.locals.get(local as usize)?;
            if here != value {
                value = arena.choice(stand.when, here, value);
            }
        }
        Some(value)
    }

    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr {
        self.finals.content(arena, location)
    }
}

/// The points where a thread must be able to stop for `forbid` and `always`.
///
/// A formula that asks for a thread at a point needs that point. One that denies it, or looks at locals
/// wherever the thread is, needs all points of the process; but in `p@a && p.r == 1` the local is looked
/// at only where `p` is at `a`.
pub(crate) fn standing(program: &Program) -> BTreeSet<(ProcessId, Point)> {
    program.properties.iter().flat_map(|property| surveyed(program, property).points).collect()
}

fn surveyed<'p>(program: &'p Program, property: &Property) -> Survey<'p> {
    let (points, wholly) = (BTreeSet::new(), BTreeSet::new());
    let mut survey = Survey { program, points, wholly, pinned: Vec::new() };
    match property.kind {
        PropertyKind::Forbid => survey.formula(&property.formula, Polarity::Asked),
        PropertyKind::Always => survey.formula(&property.formula, Polarity::Denied),
        PropertyKind::Finally => {}
    }
    survey
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Asked,
    Denied,
    Both,
}

impl Polarity {
    fn flipped(self) -> Polarity {
        match self {
            Polarity::Asked => Polarity::Denied,
            Polarity::Denied => Polarity::Asked,
            Polarity::Both => Polarity::Both,
        }
    }
}

struct Survey<'p> {
    program: &'p Program,
    points: BTreeSet<(ProcessId, Point)>,
    /// The processes all of whose points are needed.
    wholly: BTreeSet<ProcessId>,
    /// The threads (process and copy) that stand at a named point if the formula around holds.
    pinned: Vec<(u32, Term)>,
}

impl Survey<'_> {
    fn everywhere(&mut self, process: u32) {
        let points = self.program.process(ProcessId(process)).cfg.points.len() as u32;
        self.points.extend((0..points).map(|point| (ProcessId(process), Point(point))));
        self.wholly.insert(ProcessId(process));
    }

    fn formula(&mut self, formula: &Term, polarity: Polarity) {
        match (formula.kind(), polarity) {
            (Kind::At { process, point, .. }, Polarity::Asked) => {
                self.points.insert((ProcessId(*process), Point(*point)));
            }
            (Kind::Ended { .. }, Polarity::Asked) => {}
            (Kind::At { process, .. } | Kind::Ended { process, .. }, _) => self.everywhere(*process),
            (Kind::LocalOf { process, copy, .. }, _) => {
                if !self.pinned.contains(&(*process, copy.clone())) {
                    self.everywhere(*process);
                }
            }
            (Kind::Unary(Unary::Not, inner), _) => self.formula(inner, polarity.flipped()),
            (Kind::Binary(Binary::And, ..), Polarity::Asked)
            | (Kind::Binary(Binary::Or | Binary::Implies, ..), Polarity::Denied) => {
                let mut parts = Vec::new();
                conjuncts(formula, polarity, &mut parts);
                let before = self.pinned.len();
                parts.iter().for_each(|(part, polarity)| self.pinned.extend(pins(part, *polarity)));
                parts.iter().for_each(|(part, polarity)| self.formula(part, *polarity));
                self.pinned.truncate(before);
            }
            (Kind::Binary(Binary::And | Binary::Or, left, right), _) => {
                self.formula(left, polarity);
                self.formula(right, polarity);
            }
            (Kind::Binary(Binary::Implies, left, right), _) => {
                self.formula(left, polarity.flipped());
                self.formula(right, polarity);
            }
            (Kind::Quantified { body, bound, .. }, _) => {
                // The same name may stand for another copy inside.
                let before = self.pinned.clone();
                self.pinned.retain(|(_, copy)| *copy != Term::bound(*bound));
                self.formula(body, polarity);
                self.pinned = before;
            }
            _ => formula.children().into_iter().for_each(|child| self.formula(child, Polarity::Both)),
        }
    }
}

/// The parts that must all hold for a formula to be what is asked of it.
fn conjuncts<'t>(formula: &'t Term, polarity: Polarity, parts: &mut Vec<(&'t Term, Polarity)>) {
    match (formula.kind(), polarity) {
        (Kind::Binary(Binary::And, left, right), Polarity::Asked)
        | (Kind::Binary(Binary::Or, left, right), Polarity::Denied) => {
            conjuncts(left, polarity, parts);
            conjuncts(right, polarity, parts);
        }
        (Kind::Binary(Binary::Implies, left, right), Polarity::Denied) => {
            conjuncts(left, Polarity::Asked, parts);
            conjuncts(right, Polarity::Denied, parts);
        }
        (Kind::Unary(Unary::Not, inner), _) => conjuncts(inner, polarity.flipped(), parts),
        _ => parts.push((formula, polarity)),
    }
}

/// The thread that stands at one of the named points if this part is what is asked of it: a label is a
/// disjunction of points.
fn pins(part: &Term, polarity: Polarity) -> Option<(u32, Term)> {
    match (part.kind(), polarity) {
        (Kind::At { process, copy, .. } | Kind::Ended { process, copy }, Polarity::Asked) => {
            Some((*process, copy.clone()))
        }
        (Kind::Binary(Binary::Or, left, right), Polarity::Asked)
        | (Kind::Binary(Binary::And, left, right), Polarity::Denied) => {
            let thread = pins(left, polarity)?;
            (pins(right, polarity)? == thread).then_some(thread)
        }
        (Kind::Unary(Unary::Not, inner), _) => pins(inner, polarity.flipped()),
        _ => None,
    }
}
