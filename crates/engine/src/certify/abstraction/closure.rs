//! The second layer: by the triples alone, the states are closed and none is bad.
//!
//! A triple applies to a state that contains its cube. Where a cube agrees with the state as far as the state
//! goes, the state is split on a predicate that the cube names, and both parts are looked at; a part that
//! contains a contradiction is empty. After a step, a predicate that speaks of no cell that the step sets
//! keeps its value, or gets the one that a triple gives it; any other has the value that a triple gives it,
//! or none. The result must lie in the set: inside one state or, since how a state is split is a matter of
//! order, in several that cover it together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wattle_abstraction::Cube;
use wattle_logic::Kind;
use wattle_program::{Point, PropertyKind};

use super::first::First;
use super::{Checked, Claim, places, wrong};
use crate::{Reason, Run, Spent};

/// One state is split into at most so many parts to be covered by several.
const MOST_PARTS: usize = 4_096;

/// What cubes say of a state.
enum Truth {
    Yes,
    /// In a part of the state: split it on this predicate.
    Partly(usize),
    Unknown,
}

fn truth(cubes: &[Cube], state: &Cube) -> Truth {
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
struct Entry {
    blocked: Vec<Cube>,
    checks: Vec<Vec<Cube>>,
    sets: Sets,
    /// The predicates that speak of a cell that it sets.
    changed: BTreeSet<usize>,
}

pub(super) struct Closure<'c> {
    checked: &'c Checked<'c>,
    first: First,
    initial: Cube,
    entries: Vec<Entry>,
    holds: BTreeMap<(usize, Vec<bool>), Vec<Cube>>,
    contradictions: Vec<Cube>,
    /// By predicate: those that name it.
    contradictions_of: Vec<Vec<Cube>>,
    states: HashMap<&'c [Point], Vec<Cube>>,
}

impl<'c> Closure<'c> {
    pub fn new(checked: &'c Checked<'c>, first: First) -> Result<Closure<'c>, Reason> {
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
        for triple in &proof.triples {
            let cube = triple.cube;
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
        for (points, cube) in &proof.states {
            closure.states.entry(points.as_slice()).or_default().push(*cube);
        }
        Ok(closure)
    }

    pub fn check(&self, run: &Run) -> Result<(), Reason> {
        if !self.covers(&self.checked.system.entries, self.initial) {
            return Err(wrong("the initial state is not in the set"));
        }
        for (number, (points, cube)) in self.checked.proof.states.iter().enumerate() {
            if number % 64 == 0 {
                run.poll(Spent { memory: run.resident().unwrap_or(0), states: number as u64 })?;
            }
            self.state(points, *cube).map_err(|what| wrong(format!("state {number}: {what}")))?;
        }
        Ok(())
    }

    fn state(&self, points: &[Point], cube: Cube) -> Result<(), String> {
        if self.contradictions.iter().any(|other| cube.implies(other)) {
            return Ok(());
        }
        let system = &self.checked.system;
        let at = |thread: usize| points[thread].0 as usize;
        let inside: Vec<usize> =
            (0..points.len()).filter(|thread| system.inside[*thread][at(*thread)]).collect();
        let movers = if inside.is_empty() { (0..points.len()).collect() } else { inside.clone() };
        if let Some(steps) = movers.iter().find_map(|thread| self.first[*thread][at(*thread)].as_ref()) {
            return steps.iter().try_for_each(|step| self.step(points, cube, *step));
        }
        // What is inside an atomic section is not judged.
        if inside.is_empty() {
            (0..system.properties.len()).try_for_each(|property| self.property(points, cube, property))?;
        }
        let steps = movers.iter().flat_map(|thread| &system.leaving[*thread][at(*thread)]);
        steps.into_iter().try_for_each(|step| self.step(points, cube, *step))
    }

    fn property(&self, points: &[Point], cube: Cube, property: usize) -> Result<(), String> {
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
        let mut parts = vec![cube];
        while let Some(part) = parts.pop() {
            match truth(cubes, &part) {
                Truth::Yes => {}
                Truth::Partly(on) => parts.extend(self.halves(part, on)),
                Truth::Unknown => return Err(format!("property {property} may be violated")),
            }
        }
        Ok(())
    }

    /// Both values of a predicate, as far as they are possible.
    fn halves(&self, state: Cube, predicate: usize) -> impl Iterator<Item = Cube> + '_ {
        let halves = [false, true].map(|value| state.with(predicate, value));
        let is_empty = move |half: &Cube| self.contradictions_of[predicate].iter().any(|c| half.implies(c));
        halves.into_iter().filter(move |half| !is_empty(half))
    }

    /// Taking the transition fails no check and leads to states of the set.
    fn step(&self, points: &[Point], state: Cube, number: usize) -> Result<(), String> {
        let transition = &self.checked.system.transitions[number];
        let entry = &self.entries[number];
        let mut moved = points.to_vec();
        moved[transition.thread as usize] = transition.to;
        // A part, and whether it is to be split for what the step tells without setting it.
        let mut parts = vec![(state, false)];
        'parts: while let Some((part, finely)) = parts.pop() {
            for (check, cubes) in entry.checks.iter().enumerate() {
                match truth(cubes, &part) {
                    Truth::Yes => {}
                    Truth::Partly(on) => {
                        parts.extend(self.halves(part, on).map(|half| (half, finely)));
                        continue 'parts;
                    }
                    Truth::Unknown => return Err(format!("check {check} of step {number} may fail")),
                }
            }
            match truth(&entry.blocked, &part) {
                Truth::Yes => continue,
                Truth::Partly(on) => {
                    parts.extend(self.halves(part, on).map(|half| (half, finely)));
                    continue;
                }
                Truth::Unknown => {}
            }
            match self.after(entry, &part, finely) {
                Err(on) => parts.extend(self.halves(part, on).map(|half| (half, finely))),
                Ok(after) if self.covers(&moved, after) => {}
                Ok(_) if !finely => parts.push((part, true)),
                Ok(_) => return Err(format!("step {number} leads out of the set")),
            }
        }
        Ok(())
    }

    /// What is known after a step, or the predicate on which that depends.
    fn after(&self, entry: &Entry, part: &Cube, finely: bool) -> Result<Cube, usize> {
        let mut after = *part;
        for predicate in &entry.changed {
            after.set(*predicate, None);
        }
        // What is set decides first how to split.
        let (set, told): (Vec<_>, Vec<_>) =
            entry.sets.iter().partition(|(predicate, _)| entry.changed.contains(predicate));
        for (predicate, [no, yes]) in set {
            after.set(*predicate, value(no, yes, part)?);
        }
        for (predicate, [no, yes]) in told {
            if part.value(*predicate).is_none() {
                match value(no, yes, part) {
                    Ok(value) => after.set(*predicate, value),
                    Err(on) if finely => return Err(on),
                    Err(_) => {}
                }
            }
        }
        Ok(after)
    }

    /// Do states of the set cover this one?
    fn covers(&self, points: &[Point], state: Cube) -> bool {
        let here = self.states.get(points).map_or(&[][..], Vec::as_slice);
        let mut parts = vec![state];
        let mut count = 0;
        while let Some(part) = parts.pop() {
            count += 1;
            if here.iter().any(|other| part.implies(other)) {
                continue;
            }
            let open = |other: &Cube| other.known().without(&part.known());
            let near = here.iter().filter(|other| part.meets(other)).min_by_key(|other| open(other).len());
            let on = near.and_then(|near| open(near).iter().next());
            match on {
                Some(on) if count < MOST_PARTS => parts.extend(self.halves(part, on)),
                _ => return false,
            }
        }
        true
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
