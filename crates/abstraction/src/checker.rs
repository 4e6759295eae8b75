//! The three-valued checker.
//!
//! An abstract state is a point for each thread and a cube: predicates known true, known false, unknown. A
//! cube stands for all valuations it allows, so one state covers many, and a state inside another need not
//! be visited. Where a question depends on an unknown predicate, the state is split on that predicate
//! (*partial concretisation*): at the guard of an edge as in Dan, Meshman, Vechev and Yahav (2013), and
//! here at updates and assertions too, since a value that is merely unknown loses what it has to do with
//! the others. States are not merged after updates for the same reason; instead, predicates over locals
//! that are dead become unknown (`Op::Forget`), which joins the states that differ only there.
//!
//! Search is breadth first, so a violation comes with a shortest path of edges. A property may be *put off*
//! (the overflow of buffers, after which a reduced program says nothing): states that violate it are not
//! looked at any further, and it is reported only when nothing else is violated.

use std::collections::HashMap;
use std::sync::Arc;

use wattle_program::Point;

use crate::cube::{Cube, Set};
use crate::entail::{Entail, Entailed, Stopped};
use crate::live::Dead;
use crate::predicates::Predicates;
use crate::question::{Pair, Questions, Update};
use crate::system::System;

/// What checking a boolean program shows.
#[derive(Clone, Debug)]
pub enum Checked {
    /// No state violates anything: these are closed.
    Holds(Reached),
    Violated {
        trace: AbstractTrace,
        /// How what was put off is violated, if that was seen before.
        put_off: Option<AbstractTrace>,
    },
}

/// A path of edges to what looks like a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractTrace {
    /// Numbers of transitions.
    pub steps: Vec<usize>,
    /// The abstract states on the way, the first included.
    pub states: Vec<Cube>,
    pub violated: Violated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violated {
    /// A property, in the last state.
    Property(usize),
    /// This check of this transition, when it is tried after the steps.
    Check { transition: usize, check: usize },
}

/// A closed set of abstract states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    pub states: Vec<(Arc<[Point]>, Cube)>,
    /// How many were ever visited.
    pub visited: u64,
    /// The transitions that are taken in some state.
    pub taken: Vec<bool>,
    /// Can all threads end?
    pub ends: bool,
}

struct Node {
    points: Arc<[Point]>,
    cube: Cube,
    parent: Option<(usize, usize)>,
    covered: bool,
}

/// `go_on` is asked after so many states. (In a program of ten thousand transitions, each takes a millisecond.)
pub const LOOK_AFTER: usize = 32;

/// Visit all abstract states. `go_on` is asked now and then with the number of states and their size in bytes.
pub fn check(
    system: &System,
    predicates: &Predicates,
    questions: &mut Questions,
    answers: &mut dyn Entail,
    put_off: Option<usize>,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Checked, Stopped> {
    let mut search = Search::new(system, predicates, questions, answers, put_off, go_on);
    search.start()?;
    let mut next = 0;
    let mut later = None;
    while next < search.nodes.len() {
        if next % LOOK_AFTER == 0 {
            search.poll()?;
        }
        if !search.nodes[next].covered
            && let Some(violated) = search.visit(next)?
        {
            let (steps, states) = search.path(next);
            let late = matches!(&violated, Violated::Property(property) if put_off == Some(*property));
            let trace = AbstractTrace { steps, states, violated };
            if !late {
                return Ok(Checked::Violated { trace, put_off: later });
            }
            later.get_or_insert(trace);
        }
        next += 1;
    }
    if let Some(trace) = later {
        return Ok(Checked::Violated { trace, put_off: None });
    }
    let visited = search.nodes.len() as u64;
    let last = |points: &Arc<[Point]>| {
        points.iter().enumerate().all(|(thread, point)| system.ends[thread][point.0 as usize])
    };
    let open = search.nodes.into_iter().filter(|node| !node.covered);
    let states: Vec<(Arc<[Point]>, Cube)> = open.map(|node| (node.points, node.cube)).collect();
    let ends = states.iter().any(|(points, _)| last(points));
    Ok(Checked::Holds(Reached { states, visited, taken: search.taken, ends }))
}

/// Does a trace still lead to a violation when these questions are asked? (*Yes* where it falls into too
/// many states to say.)
pub fn follows(
    system: &System,
    predicates: &Predicates,
    questions: &mut Questions,
    answers: &mut dyn Entail,
    trace: &AbstractTrace,
    go_on: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, Stopped> {
    let mut search = Search::new(system, predicates, questions, answers, None, go_on);
    search.start()?;
    let mut cubes: Vec<Cube> = search.nodes.iter().map(|node| node.cube).collect();
    let mut points = system.entries.clone();
    for step in &trace.steps {
        let mut after = Vec::new();
        search.look_at(&points);
        for cube in cubes {
            // A check that fails on the way is looked at when the checker finds it.
            search.post(*step, cube, &mut after)?;
        }
        after.sort();
        after.dedup();
        if after.len() > MOST_FOLLOWED {
            return Ok(true);
        }
        cubes = after;
        let transition = &system.transitions[*step];
        points[transition.thread as usize] = transition.to;
        cubes = cubes.iter().map(|cube| search.kept(&points, cube)).collect();
    }
    search.look_at(&points);
    for cube in cubes {
        let violated = match &trace.violated {
            Violated::Property(_) => search.violated(&points, cube)?.is_some(),
            Violated::Check { transition, .. } => search.post(*transition, cube, &mut vec![])?.is_some(),
        };
        if violated {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Search<'a> {
    system: &'a System,
    predicates: &'a Predicates,
    questions: &'a mut Questions,
    answers: &'a mut dyn Entail,
    /// The property that is put off.
    put_off: Option<usize>,
    nodes: Vec<Node>,
    /// The open nodes at these points.
    reached: HashMap<Arc<[Point]>, Vec<usize>>,
    taken: Vec<bool>,
    dead: Dead,
    /// The predicates that it makes sense to split on here.
    open: Set,
    go_on: &'a mut dyn FnMut(u64, u64) -> bool,
    asked: u64,
}

/// A state falls into no more parts than this while one edge is taken; what is unknown then stays so.
const MOST_PARTS: usize = 64;

/// A trace is followed through no more states than this at a time.
const MOST_FOLLOWED: usize = 64;

impl<'a> Search<'a> {
    fn new(
        system: &'a System,
        predicates: &'a Predicates,
        questions: &'a mut Questions,
        answers: &'a mut dyn Entail,
        put_off: Option<usize>,
        go_on: &'a mut dyn FnMut(u64, u64) -> bool,
    ) -> Search<'a> {
        Search {
            system,
            predicates,
            answers,
            put_off,
            nodes: vec![],
            reached: HashMap::new(),
            taken: vec![false; system.transitions.len()],
            dead: if questions.forgets() { Dead::new(system, predicates) } else { Dead::nothing() },
            open: Set::default(),
            questions,
            go_on,
            asked: 0,
        }
    }

    fn poll(&mut self) -> Result<(), Stopped> {
        let bytes = self.bytes();
        if (self.go_on)(self.nodes.len() as u64, bytes) { Ok(()) } else { Err(Stopped::Asked) }
    }

    fn bytes(&self) -> u64 {
        (self.nodes.len() * (size_of::<Node>() + size_of::<usize>())) as u64
    }

    /// What of a state is worth knowing.
    fn kept(&self, points: &[Point], cube: &Cube) -> Cube {
        cube.without(&self.dead.at(points).union(&self.irrelevant(cube)))
    }

    fn irrelevant(&self, cube: &Cube) -> Set {
        let holding = self.questions.irrelevant.iter().filter(|(holds, _)| cube.value(*holds) == Some(true));
        holding.fold(Set::default(), |all, (_, others)| all.union(others))
    }

    /// Predicates of dead locals, or of elements of sets, are not split on.
    fn look_at(&mut self, points: &[Point]) {
        let all: Set = (0..self.predicates.len()).collect();
        self.open = all.without(&self.dead.at(points)).without(&self.predicates.of_sets());
    }

    fn ask(&mut self, goal: usize, state: &Cube) -> Result<Entailed, Stopped> {
        // One state may fall into many parts, and what is known is answered without the solver.
        self.asked += 1;
        if self.asked.is_multiple_of(1 << 14) {
            self.poll()?;
        }
        self.answers.entails(goal, &self.questions.goals[goal], state, &self.open)
    }

    fn start(&mut self) -> Result<(), Stopped> {
        let mut cube = Cube::default();
        for predicate in 0..self.predicates.len() {
            let (holds, fails) = self.questions.initial[predicate];
            let (mut is_so, nothing) = (None, Cube::default());
            for (goal, value) in [Some((holds, true)), fails.map(|goal| (goal, false))].into_iter().flatten()
            {
                if is_so.is_none() && self.ask(goal, &nothing)? == Entailed::Yes {
                    is_so = Some(value);
                }
            }
            cube.set(predicate, is_so);
        }
        self.add(self.system.entries.clone().into(), cube, None);
        Ok(())
    }

    fn add(&mut self, points: Arc<[Point]>, cube: Cube, parent: Option<(usize, usize)>) {
        let here = self.reached.entry(points.clone()).or_default();
        if here.iter().any(|other| cube.implies(&self.nodes[*other].cube)) {
            return;
        }
        here.retain(|other| {
            let inside = self.nodes[*other].cube.implies(&cube);
            self.nodes[*other].covered |= inside;
            !inside
        });
        here.push(self.nodes.len());
        self.nodes.push(Node { points, cube, parent, covered: false });
    }

    fn path(&self, node: usize) -> (Vec<usize>, Vec<Cube>) {
        let mut steps = Vec::new();
        let mut states = vec![self.nodes[node].cube];
        let mut at = node;
        while let Some((parent, step)) = self.nodes[at].parent {
            steps.push(step);
            states.push(self.nodes[parent].cube);
            at = parent;
        }
        steps.reverse();
        states.reverse();
        (steps, states)
    }

    fn visit(&mut self, node: usize) -> Result<Option<Violated>, Stopped> {
        let (points, cube) = (self.nodes[node].points.clone(), self.nodes[node].cube);
        self.look_at(&points);
        let system = self.system;
        let standing = |thread: usize| system.inside[thread][points[thread].0 as usize];
        let inside = (0..points.len()).find(|thread| standing(*thread));
        let first = (0..points.len()).find_map(|thread| {
            let steps = system.first[thread][points[thread].0 as usize].as_deref()?;
            inside.is_none_or(|other| other == thread).then_some((thread, steps))
        });
        // Before anything else: what is wrong in such a state, or after it, says nothing.
        if inside.is_none()
            && let Some(property) = self.put_off
            && self.violates(&points, cube, property)?
        {
            return Ok(Some(Violated::Property(property)));
        }
        if let Some((thread, steps)) = first {
            return self.take(node, thread, steps);
        }
        if inside.is_none()
            && let Some(property) = self.violated(&points, cube)?
        {
            return Ok(Some(Violated::Property(property)));
        }
        for thread in 0..points.len() {
            if inside.is_some_and(|other| other != thread) {
                continue;
            }
            let leaving = &system.leaving[thread][points[thread].0 as usize];
            if let Some(violated) = self.take(node, thread, leaving)? {
                return Ok(Some(violated));
            }
        }
        Ok(None)
    }

    /// Take these transitions of a thread.
    fn take(
        &mut self,
        node: usize,
        thread: usize,
        transitions: &[usize],
    ) -> Result<Option<Violated>, Stopped> {
        let (points, cube) = (self.nodes[node].points.clone(), self.nodes[node].cube);
        for &transition in transitions {
            let mut after = Vec::new();
            if let Some(check) = self.post(transition, cube, &mut after)? {
                return Ok(Some(Violated::Check { transition, check }));
            }
            let mut moved = points.to_vec();
            moved[thread] = self.system.transitions[transition].to;
            let moved: Arc<[Point]> = moved.into();
            for cube in after {
                self.taken[transition] = true;
                let kept = self.kept(&moved, &cube);
                self.add(moved.clone(), kept, Some((node, transition)));
            }
        }
        Ok(None)
    }

    /// The first property that some part of the state violates, but for the one that is put off.
    fn violated(&mut self, points: &[Point], cube: Cube) -> Result<Option<usize>, Stopped> {
        for property in 0..self.system.properties.len() {
            if self.put_off != Some(property) && self.violates(points, cube, property)? {
                return Ok(Some(property));
            }
        }
        Ok(None)
    }

    fn violates(&mut self, points: &[Point], cube: Cube, property: usize) -> Result<bool, Stopped> {
        let goal = self.questions.property(self.system, self.predicates, property, points);
        let Some(goal) = goal else { return Ok(false) };
        let mut parts = vec![cube];
        while let Some(part) = parts.pop() {
            match self.ask(goal, &part)? {
                Entailed::Yes => {}
                Entailed::Depends(on) => parts.extend(self.halves(part, on)?),
                Entailed::No => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Both values of a predicate, as far as they are possible.
    fn halves(&mut self, state: Cube, predicate: usize) -> Result<Vec<Cube>, Stopped> {
        let mut halves = Vec::with_capacity(2);
        for value in [false, true] {
            let half = state.with(predicate, value);
            if self.ask(self.questions.contradictions[predicate], &half)? != Entailed::Yes {
                halves.push(half);
            }
        }
        Ok(halves)
    }

    /// The states after a transition, or the check that fails.
    fn post(
        &mut self,
        transition: usize,
        state: Cube,
        after: &mut Vec<Cube>,
    ) -> Result<Option<usize>, Stopped> {
        let asked = self.questions.of[transition].clone();
        let mut parts = vec![state];
        let mut split = 0;
        'parts: while let Some(part) = parts.pop() {
            for (check, goal) in asked.checks.iter().enumerate() {
                match self.ask(*goal, &part)? {
                    Entailed::Yes => {}
                    Entailed::No => return Ok(Some(check)),
                    Entailed::Depends(on) => {
                        parts.extend(self.halves(part, on)?);
                        continue 'parts;
                    }
                }
            }
            match self.ask(asked.blocked, &part)? {
                Entailed::Yes => continue,
                Entailed::Depends(on) if split < MOST_PARTS => {
                    split += 1;
                    parts.extend(self.halves(part, on)?);
                    continue;
                }
                Entailed::No | Entailed::Depends(_) => {}
            }
            let mut new = part;
            // What decides over others goes first: nobody asks, or splits, for the sake of the irrelevant.
            let decides =
                |update: &&Update| self.questions.irrelevant.iter().any(|(it, _)| *it == update.predicate);
            let (first, then): (Vec<Update>, Vec<Update>) = asked.sets.iter().partition(decides);
            let deciding = first.len();
            let mut irrelevant = Set::default();
            for (number, update) in first.iter().chain(&then).enumerate() {
                if number == deciding {
                    irrelevant = self.irrelevant(&new);
                }
                if irrelevant.contains(update.predicate) {
                    new.set(update.predicate, None);
                    continue;
                }
                match self.value(update, &part)? {
                    Ok(value) => new.set(update.predicate, value),
                    Err(_) if split >= MOST_PARTS => new.set(update.predicate, None),
                    Err(on) => {
                        split += 1;
                        parts.extend(self.halves(part, on)?);
                        continue 'parts;
                    }
                }
            }
            for update in &asked.tells {
                if part.value(update.predicate).is_none()
                    && let Ok(value) = self.value(update, &part)?
                {
                    new.set(update.predicate, value);
                }
            }
            after.push(new);
        }
        Ok(None)
    }

    /// What a predicate is after a transition, or what that depends on.
    fn value(&mut self, update: &Update, state: &Cube) -> Result<Result<Option<bool>, usize>, Stopped> {
        let Some(Pair { holds, fails, splits }) = update.goals else { return Ok(Ok(None)) };
        let holds = self.ask(holds, state)?;
        if holds == Entailed::Yes {
            return Ok(Ok(Some(true)));
        }
        let fails = fails.map_or(Ok(Entailed::No), |fails| self.ask(fails, state))?;
        Ok(match (holds, fails) {
            (_, Entailed::Yes) => Ok(Some(false)),
            (Entailed::Depends(on), _) | (_, Entailed::Depends(on)) if splits => Err(on),
            _ => Ok(None),
        })
    }
}
