//! The second layer: by the triples alone, the states are closed and none is bad.
//!
//! A triple applies to a state that contains its cube. After a step, a predicate that speaks of no cell that
//! the step sets keeps its value, or gets the one that a triple gives it; any other has the value that a
//! triple gives it, or none. The result must lie inside a state of the set. If it does not, and some cube
//! agrees with the state as far as the state goes, then the state is split on a predicate that the cube
//! names, and both parts are looked at; a part that contains a contradiction is empty. (A half is first looked up
//! among the contradictions that name what it was split on; among all of them only before it is found to be
//! wrong, since they are many.) Where there is nothing
//! to split on, several states of the set may still cover the result together (the engine may have split
//! in another order). If they do not, the state is split further, on what a state of the set or a triple of the step
//! names: another order may have decided a predicate that this one did not need. Every part that the engine looked
//! at is found this way.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wattle_abstraction::Cube;
use wattle_engine::{Halt, Reason, Run, Spent, Work};
use wattle_logic::Kind;
use wattle_program::{Point, PropertyKind};

use super::first::First;
use super::{Checked, Claim, places, wrong};

/// One state is split into at most so many parts. More would take too long, and prove nothing either way.
const MOST_PARTS: usize = 4_096;

/// Where splitting as it comes does not help, other ways to split are looked for up to this depth.
const MOST_DEPTH: usize = 4;

/// Why a state does not pass.
pub(super) enum Failure {
    Wrong(String),
    TooManyParts,
}

pub(super) fn undecided() -> Halt {
    Reason::TooLarge(format!("a state falls into more than {MOST_PARTS} parts")).into()
}

fn fails<T>(what: String) -> Result<T, Failure> {
    Err(Failure::Wrong(what))
}

/// What cubes say of a state.
pub(super) enum Truth {
    Yes,
    /// In a part of the state: split it on this predicate.
    Partly(usize),
    Unknown,
}

pub(super) fn truth(cubes: &[Cube], state: &Cube) -> Truth {
    if cubes.iter().any(|cube| state.implies(cube)) {
        return Truth::Yes;
    }
    let open = cubes.iter().find(|cube| state.meets(cube));
    let open = open.and_then(|cube| cube.known().without(&state.known()).iter().next());
    open.map_or(Truth::Unknown, Truth::Partly)
}

/// The cubes after which a predicate is false, and true.
type Sets = BTreeMap<usize, [Vec<Cube>; 2]>;

/// The triples of one transition.
#[derive(Clone, Default)]
pub(super) struct Entry {
    pub blocked: Vec<Cube>,
    checks: Vec<Vec<Cube>>,
    sets: Sets,
    /// The predicates that speak of a cell that it sets.
    changed: BTreeSet<usize>,
}

pub(super) struct Closure<'c> {
    pub checked: &'c Checked<'c>,
    first: First,
    initial: Cube,
    pub entries: Vec<Entry>,
    holds: BTreeMap<(usize, Vec<bool>), Vec<Cube>>,
    pub contradictions: Vec<Cube>,
    /// By predicate: those that name it.
    contradictions_of: Vec<Vec<Cube>>,
    states: HashMap<&'c [Point], Vec<Cube>>,
}

/// What looking at an abstract state costs.
pub(super) const STATE: Work = Work::microseconds(100);

impl<'c> Closure<'c> {
    pub(crate) fn new(checked: &'c Checked<'c>, first: First) -> Closure<'c> {
        let (proof, system) = (checked.proof, &checked.system);
        let cells: Vec<Vec<u32>> = proof.predicates.iter().map(|term| checked.cells_of(term)).collect();
        let entry = |transition: &wattle_abstraction::system::Transition| {
            let is_set = |cell: &u32| transition.updates.iter().any(|(other, _)| other == cell);
            let changed = (0..cells.len()).filter(|predicate| cells[*predicate].iter().any(is_set));
            let checks = vec![vec![]; transition.checks.len()];
            Entry { changed: changed.collect(), checks, ..Entry::default() }
        };
        let mut closure = Closure {
            checked,
            first,
            initial: Cube::default(),
            entries: system.transitions.iter().map(entry).collect(),
            holds: BTreeMap::new(),
            contradictions: vec![],
            contradictions_of: vec![vec![]; proof.predicates.len()],
            states: HashMap::new(),
        };
        for (triple, cube) in proof.triples.iter().zip(&checked.cubes) {
            let cube = *cube;
            match &triple.claim {
                Claim::Contradiction => {
                    closure.contradictions.push(cube);
                    cube.known().iter().for_each(|number| closure.contradictions_of[number].push(cube));
                }
                Claim::Initially { predicate, value } => closure.initial.set(*predicate, Some(*value)),
                Claim::Blocked { step } => closure.entries[checked.steps[step]].blocked.push(cube),
                Claim::Sets { step, predicate, value } => {
                    let sets = &mut closure.entries[checked.steps[step]].sets;
                    sets.entry(*predicate).or_default()[usize::from(*value)].push(cube);
                }
                Claim::Checks { step, check } => {
                    closure.entries[checked.steps[step]].checks[*check].push(cube);
                }
                Claim::Holds { property, places } => {
                    closure.holds.entry((*property, places.clone())).or_default().push(cube);
                }
            }
        }
        for ((points, _), cube) in proof.states.iter().zip(&checked.states) {
            closure.states.entry(points.as_slice()).or_default().push(*cube);
        }
        closure
    }

    pub(crate) fn check(&self, run: &Run) -> Result<(), Halt> {
        match self.cover(&self.checked.system.entries, self.initial) {
            Ok(true) => {}
            Ok(false) => return Err(wrong("the initial state is not in the set")),
            Err(_) => return Err(undecided()),
        }
        let states = self.checked.proof.states.iter().zip(&self.checked.states);
        for (number, ((points, _), cube)) in states.enumerate() {
            if number % 64 == 0 {
                run.poll(STATE * 64, Spent { memory: run.resident().unwrap_or(0), states: number as u64 })?;
            }
            self.state(points, *cube).map_err(|failure| match failure {
                Failure::Wrong(what) => wrong(format!("state {number}: {what}")),
                Failure::TooManyParts => undecided(),
            })?;
        }
        Ok(())
    }

    fn state(&self, points: &[Point], cube: Cube) -> Result<(), Failure> {
        if self.is_empty(&cube) {
            return Ok(());
        }
        // What is inside an atomic section is not judged, and nor is what comes before a step that goes first.
        if self.inside(points).is_empty() && self.goes_first(points).is_none() {
            let properties = 0..self.checked.system.properties.len();
            properties.into_iter().try_for_each(|property| self.property(points, cube, property))?;
        }
        self.steps(points).try_for_each(|step| self.step(points, cube, step))
    }

    /// Does no state satisfy the cube, by a triple?
    pub(crate) fn is_empty(&self, cube: &Cube) -> bool {
        self.contradictions.iter().any(|other| cube.implies(other))
    }

    /// The threads that stand inside an atomic section.
    fn inside(&self, points: &[Point]) -> Vec<usize> {
        let inside = &self.checked.system.inside;
        (0..points.len()).filter(|thread| inside[*thread][points[*thread].0 as usize]).collect()
    }

    /// The threads that may move.
    fn movers(&self, points: &[Point]) -> Vec<usize> {
        let inside = self.inside(points);
        if inside.is_empty() { (0..points.len()).collect() } else { inside }
    }

    fn goes_first(&self, points: &[Point]) -> Option<&[usize]> {
        let mut movers = self.movers(points).into_iter();
        movers.find_map(|thread| self.first[thread][points[thread].0 as usize].as_deref())
    }

    /// The steps that the set must be closed under at these points.
    pub(crate) fn steps(&self, points: &[Point]) -> impl Iterator<Item = usize> {
        let leaving = |thread: usize| &self.checked.system.leaving[thread][points[thread].0 as usize];
        let steps: Vec<usize> = match self.goes_first(points) {
            Some(steps) => steps.to_vec(),
            None => self.movers(points).into_iter().flat_map(leaving).copied().collect(),
        };
        steps.into_iter()
    }

    fn property(&self, points: &[Point], cube: Cube, property: usize) -> Result<(), Failure> {
        let system = &self.checked.system;
        let (kind, formula) = &system.properties[property];
        let ended = |thread: usize| system.ends[thread][points[thread].0 as usize];
        if *kind == PropertyKind::Finally && !(0..points.len()).all(ended) {
            return Ok(());
        }
        let place = |place: &wattle_logic::Term| match place.kind() {
            Kind::At { process, point, .. } => points[*process as usize].0 == *point,
            Kind::Ended { process, .. } => ended(*process as usize),
            _ => false,
        };
        let places: Vec<bool> = places(formula).iter().map(place).collect();
        let cubes = self.holds.get(&(property, places)).map_or(&[][..], Vec::as_slice);
        let mut parts = Parts::new(cube);
        while let Some(part) = parts.next()? {
            match truth(cubes, &part) {
                Truth::Yes => {}
                Truth::Partly(on) => parts.add(self.halves(part, on)),
                Truth::Unknown if self.is_empty(&part) => {}
                Truth::Unknown => return fails(format!("property {property} may be violated")),
            }
        }
        Ok(())
    }

    /// Both values of a predicate, as far as they are possible.
    pub(crate) fn halves(&self, state: Cube, predicate: usize) -> impl Iterator<Item = Cube> + '_ {
        let halves = [false, true].map(|value| state.with(predicate, value));
        let is_empty = move |half: &Cube| self.contradictions_of[predicate].iter().any(|c| half.implies(c));
        halves.into_iter().filter(move |half| !is_empty(half))
    }

    /// Taking the transition fails no check and leads to states of the set.
    fn step(&self, points: &[Point], state: Cube, number: usize) -> Result<(), Failure> {
        let transition = &self.checked.system.transitions[number];
        let mut moved = points.to_vec();
        moved[transition.thread as usize] = transition.to;
        match self.split_as_it_comes(&moved, state, number) {
            Ok(()) => Ok(()),
            Err(failure) => {
                let mut parts = MOST_PARTS;
                for depth in 1..=MOST_DEPTH {
                    if self.some_split(&moved, state, &self.entries[number], depth, &mut parts)? {
                        return Ok(());
                    }
                }
                Err(failure)
            }
        }
    }

    /// Is there a way to split the state, so deep at most, after which all parts pass? The engine may have split on
    /// other predicates than the first that comes, and after a useless split a part may be empty without a triple
    /// that says so. `parts`: so many may still be looked at.
    fn some_split(
        &self,
        moved: &[Point],
        part: Cube,
        entry: &Entry,
        depth: usize,
        parts: &mut usize,
    ) -> Result<bool, Failure> {
        *parts = parts.checked_sub(1).ok_or(Failure::TooManyParts)?;
        let mut candidates = Vec::new();
        for cubes in &entry.checks {
            match truth(cubes, &part) {
                Truth::Yes => {}
                Truth::Partly(on) => candidates.push(on),
                Truth::Unknown => return Ok(self.is_empty(&part)),
            }
        }
        if candidates.is_empty() {
            let blocked = matches!(truth(&entry.blocked, &part), Truth::Yes);
            if blocked || entry.is_impossible(&part) || self.is_empty(&part) {
                return Ok(true);
            }
            let (after, _) = entry.after(&part);
            if self.states_at(moved).iter().any(|other| after.implies(other)) {
                return Ok(true);
            }
            if depth == 0 {
                return self.cover(moved, after);
            }
            candidates = entry.candidates(&part);
        }
        if depth == 0 {
            return Ok(false);
        }
        for on in candidates {
            let mut pass = true;
            for half in self.halves(part, on) {
                pass = pass && self.some_split(moved, half, entry, depth - 1, parts)?;
            }
            if pass {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same, each part split on the first predicate that would decide more.
    fn split_as_it_comes(&self, moved: &[Point], state: Cube, number: usize) -> Result<(), Failure> {
        let entry = &self.entries[number];
        let here = self.states_at(moved);
        let mut parts = Parts::new(state);
        'parts: while let Some(part) = parts.next()? {
            for (check, cubes) in entry.checks.iter().enumerate() {
                match truth(cubes, &part) {
                    Truth::Yes => {}
                    Truth::Partly(on) => {
                        parts.add(self.halves(part, on));
                        continue 'parts;
                    }
                    Truth::Unknown if self.is_empty(&part) => continue 'parts,
                    Truth::Unknown => return fails(format!("check {check} of step {number} may fail")),
                }
            }
            let blocked = match truth(&entry.blocked, &part) {
                Truth::Yes => continue,
                Truth::Partly(on) => Some(on),
                Truth::Unknown => None,
            };
            if entry.is_impossible(&part) {
                continue;
            }
            let (after, on) = entry.after(&part);
            if here.iter().any(|other| after.implies(other)) {
                continue;
            }
            match blocked.or(on) {
                Some(on) => parts.add(self.halves(part, on)),
                None if self.is_empty(&part) || self.cover(moved, after)? => {}
                None => match entry.open(&part, &after, here) {
                    Some(on) => parts.add(self.halves(part, on)),
                    None => return fails(format!("step {number} leads out of the set")),
                },
            }
        }
        Ok(())
    }

    fn states_at(&self, points: &[Point]) -> &[Cube] {
        self.states.get(points).map_or(&[][..], Vec::as_slice)
    }

    /// Do states of the set cover this one together?
    fn cover(&self, points: &[Point], state: Cube) -> Result<bool, Failure> {
        let here = self.states_at(points);
        let mut parts = Parts::new(state);
        while let Some(part) = parts.next()? {
            if here.iter().any(|other| part.implies(other)) {
                continue;
            }
            let open = |other: &Cube| other.known().without(&part.known());
            let near = here.iter().filter(|other| part.meets(other)).min_by_key(|other| open(other).len());
            match near.and_then(|near| open(near).iter().next()) {
                Some(on) => parts.add(self.halves(part, on)),
                None if self.is_empty(&part) => {}
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Entry {
    /// Is a predicate both true and false after the step? Then the step cannot be taken here.
    fn is_impossible(&self, part: &Cube) -> bool {
        let applies = |cubes: &[Cube]| cubes.iter().any(|cube| part.implies(cube));
        self.sets.values().any(|[no, yes]| applies(no) && applies(yes))
    }

    /// The predicates that would decide more: of each cube that agrees with the part, the first that the part leaves open.
    fn candidates(&self, part: &Cube) -> Vec<usize> {
        let updates = self.sets.values().flatten().flatten();
        let open = self.blocked.iter().chain(updates).filter(|cube| part.meets(cube));
        let mut found = Vec::new();
        for on in open.filter_map(|cube| cube.known().without(&part.known()).iter().next()) {
            if !found.contains(&on) {
                found.push(on);
            }
        }
        found
    }

    /// What was not split on yet: a predicate that the step keeps and a state of the set names, or one that a triple
    /// names.
    fn open(&self, part: &Cube, after: &Cube, here: &[Cube]) -> Option<usize> {
        let is_open = |predicate: &usize| part.value(*predicate).is_none();
        let near = here.iter().filter(|other| after.meets(other));
        let mut named = near.flat_map(|other| other.known().without(&after.known()).iter());
        let kept = named.find(|predicate| is_open(predicate) && !self.changed.contains(predicate));
        let cubes = self.sets.values().flatten().flatten().chain(&self.blocked);
        let cubes = cubes.filter(|cube| part.meets(cube));
        let mut of_triples = cubes.flat_map(|cube| cube.known().without(&part.known()).iter());
        kept.or_else(|| of_triples.next())
    }

    /// What is known after the step, as far as the state decides it; and a predicate that would decide more.
    fn after(&self, part: &Cube) -> (Cube, Option<usize>) {
        let mut after = *part;
        for predicate in &self.changed {
            after.set(*predicate, None);
        }
        let (mut set, mut told) = (None, None);
        for (predicate, [no, yes]) in &self.sets {
            let changed = self.changed.contains(predicate);
            if !changed && part.value(*predicate).is_some() {
                continue;
            }
            match value(no, yes, part) {
                Ok(value) => after.set(*predicate, value),
                Err(on) if changed => set = set.or(Some(on)),
                Err(on) => told = told.or(Some(on)),
            }
        }
        (after, set.or(told))
    }
}

/// The parts of a state that are still to be looked at.
pub(super) struct Parts {
    open: Vec<Cube>,
    count: usize,
}

impl Parts {
    pub(crate) fn new(state: Cube) -> Parts {
        Parts { open: vec![state], count: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Cube>, Failure> {
        self.count += 1;
        if self.count > MOST_PARTS {
            return Err(Failure::TooManyParts);
        }
        Ok(self.open.pop())
    }

    pub(crate) fn add(&mut self, parts: impl Iterator<Item = Cube>) {
        self.open.extend(parts);
    }
}

/// What a predicate is after a step, or on which other that depends.
fn value(no: &[Cube], yes: &[Cube], state: &Cube) -> Result<Option<bool>, usize> {
    match (truth(yes, state), truth(no, state)) {
        (Truth::Yes, _) => Ok(Some(true)),
        (_, Truth::Yes) => Ok(Some(false)),
        (Truth::Partly(on), _) | (_, Truth::Partly(on)) => Err(on),
        _ => Ok(None),
    }
}
