//! The three claims about one property, or one cube and one edge, as questions about situations.

use std::collections::BTreeSet;

use wattle_engine::Reason;
use wattle_engine::certificate::cubes::{Cube, Instant};
use wattle_logic::{Binary, Kind, Quantifier, Sort, Term};
use wattle_program::{Choice, Edge, Init, Op, Program};

use super::cover::{Cover, Situation, with_outside};
use super::formula::{Key, Meaning, Scope, Table, existential, unsupported};
use super::saying::{self, ReadAt};
use super::undone::Undone;

pub(super) struct Checker<'c> {
    pub(super) program: &'c Program,
    pub(super) buffers: bool,
    pub(super) numbered: Vec<u32>,
    /// What `init` says of variables that no step stores to: it holds always.
    pub(super) constants: Vec<Term>,
    pub(super) cover: Cover<'c>,
    pub(super) steps: u64,
}

impl Checker<'_> {
    pub(super) fn weak(&self, variable: u32) -> bool {
        self.buffers && !self.program.variables[variable as usize].unbuffered
    }

    pub(super) fn is_covered(&mut self, mut situation: Situation) -> Result<bool, Reason> {
        let table = &mut situation.table;
        let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
            Ok(table.variable(match variable {
                u32::MAX => Key::Process(indices[0]),
                _ => Key::Cell(variable, indices),
            }))
        };
        let outside = situation.outside.iter_mut().enumerate();
        let outside = outside.map(|(i, formulas)| (with_outside(&situation.numbers, i + 1), formulas));
        let here = (situation.numbers.clone(), &mut situation.formulas);
        for (numbers, formulas) in [here].into_iter().chain(outside) {
            let (locals, bound, numbers) = (vec![], vec![], &numbers[..]);
            let places = numbers.len();
            let mut scope =
                Scope { places, numbers, me: None, locals, bound, witnesses: &[], look: &mut look };
            for constant in &self.constants {
                formulas.push(scope.formula(constant, true)?);
            }
        }
        self.cover.is_covered(&mut situation)
    }

    /// Every way of giving `more` further names to processes, old or new, and of saying who has the numbers of the text.
    fn placements(&self, numbers: &[Option<u32>], more: usize) -> Vec<(Vec<Option<u32>>, Vec<usize>)> {
        let mut found = vec![(numbers.to_vec(), vec![])];
        for _ in 0..more {
            found = (found.into_iter())
                .flat_map(|(numbers, chosen)| {
                    (0..=numbers.len()).map(move |place| {
                        let mut numbers = numbers.clone();
                        numbers.resize(numbers.len().max(place + 1), None);
                        (numbers, [&chosen[..], &[place]].concat())
                    })
                })
                .collect();
        }
        for number in &self.numbered {
            found = (found.into_iter())
                .flat_map(|(numbers, chosen)| {
                    let known = numbers.contains(&Some(*number));
                    let free: Vec<usize> = match known {
                        true => vec![usize::MAX],
                        false => (0..=numbers.len())
                            .filter(|i| numbers.get(*i).is_none_or(|n| n.is_none()))
                            .collect(),
                    };
                    free.into_iter().map(move |place| {
                        let mut numbers = numbers.clone();
                        if place != usize::MAX {
                            numbers.resize(numbers.len().max(place + 1), None);
                            numbers[place] = Some(*number);
                        }
                        (numbers, chosen.clone())
                    })
                })
                .collect();
        }
        if let Some(count) = self.cover.count {
            found.retain(|(numbers, _)| numbers.len() <= count as usize);
        }
        found
    }

    /// Is every bad state in a cube?
    pub(super) fn bad(&mut self, formula: &Term, holds: bool) -> Result<bool, Reason> {
        let mut bound = vec![];
        let mut body = formula.clone();
        loop {
            let inner = match body.kind() {
                Kind::Quantified { quantifier, bound: name, body, .. }
                    if (*quantifier == Quantifier::Exists) == holds =>
                {
                    bound.push(*name);
                    body.clone()
                }
                _ => break,
            };
            body = inner;
        }
        for (numbers, chosen) in self.placements(&[], bound.len()) {
            let mut table = Table::default();
            let mut events = BTreeSet::new();
            let weak = |variable: u32| self.weak(variable);
            let mut look = |variable: u32, indices: Vec<usize>, by: Option<usize>| {
                Ok(table.variable(match by {
                    _ if variable == u32::MAX => Key::Process(indices[0]),
                    Some(by) if weak(variable) => {
                        events.insert(by as u32);
                        Key::Read(0, by, variable, indices)
                    }
                    None if weak(variable) => return unsupported("what main memory holds"),
                    _ => Key::Cell(variable, indices),
                }))
            };
            let bound = bound.iter().copied().zip(chosen).collect();
            let mut scope = Scope {
                places: numbers.len(),
                numbers: &numbers,
                me: None,
                locals: vec![],
                bound,
                witnesses: &[],
                look: &mut look,
            };
            let formulas = vec![scope.formula(&body, holds)?];
            let events: Vec<u32> = events.into_iter().collect();
            let instant = Instant { after: vec![0], events, ..Instant::default() };
            let instants = if instant.events.is_empty() { vec![] } else { vec![instant] };
            if !self.is_covered(Situation { numbers, formulas, instants, table, outside: vec![] })? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does a cube contain an initial state? Initially everybody sees memory.
    pub(super) fn starts_in(&mut self, cube: &Cube) -> Result<bool, Reason> {
        for (mut numbers, _) in self.placements(&cube.numbers, 0) {
            // Facts speak of all others, who are there where the text fixes their number.
            let least = self.cover.count.filter(|_| !cube.facts.is_empty()).map_or(0, |count| count as usize);
            numbers.resize(numbers.len().max(least), None);
            let mut table = Table::default();
            let mut formulas = vec![];
            let cubes: Vec<usize> = (0..cube.numbers.len()).collect();
            let instants = vec![0; cube.instants.len()];
            let mut sayings = saying::literals(cube, &cubes, &instants);
            sayings.extend(saying::facts(cube, &cubes, &instants, numbers.len(), 0));
            let reads: Vec<Vec<Option<Meaning>>> = (sayings.iter())
                .map(|saying| {
                    let cell = |read: &ReadAt| Key::Cell(read.variable, read.indices.clone());
                    let meaning = |read| Some(Meaning::Term(table.variable(cell(read))));
                    saying.reads.iter().map(meaning).collect()
                })
                .collect();
            let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
                Ok(table.variable(match variable {
                    u32::MAX => Key::Process(indices[0]),
                    _ => Key::Cell(variable, indices),
                }))
            };
            let places = numbers.len();
            let (locals, bound) = (vec![], vec![]);
            let mut scope =
                Scope { places, numbers: &numbers, me: None, locals, bound, witnesses: &[], look: &mut look };
            for (saying, locals) in sayings.iter().zip(reads) {
                (scope.locals, scope.bound) = (locals, saying.bound.clone());
                formulas.push(scope.formula(saying.formula, true)?);
            }
            scope.bound.clear();
            scope.locals.clear();
            if let Some(init) = &self.program.init {
                formulas.push(scope.formula(init, true)?);
            }
            let mut situation = Situation { numbers, formulas, instants: vec![], table, outside: vec![] };
            let cells: Vec<(u32, Vec<usize>)> = (situation.table.keys.keys())
                .filter_map(|key| match key {
                    Key::Cell(variable, indices) => Some((*variable, indices.clone())),
                    _ => None,
                })
                .collect();
            for (variable, indices) in cells {
                let Init::Values(values) = &self.program.variables[variable as usize].init else { continue };
                let [first] = &values[..] else { return unsupported("an initial value for each element") };
                let me = indices.first().copied();
                let cell = situation.table.variable(Key::Cell(variable, indices));
                let table = &mut situation.table;
                let mut look = |_: u32, indices: Vec<usize>, _: Option<usize>| {
                    Ok(table.variable(Key::Process(indices[0])))
                };
                let numbers = &situation.numbers;
                let mut scope = Scope {
                    places,
                    numbers,
                    me,
                    locals: vec![],
                    bound: vec![],
                    witnesses: &[],
                    look: &mut look,
                };
                let value = scope.integer(first)?;
                situation.formulas.push(Term::binary(Binary::Equal, cell, value));
            }
            if self.cover.is_possible(&mut situation)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is the state before every step into the cube in a cube?
    pub(super) fn closed(&mut self, cube: &Cube, edge: &Edge) -> Result<bool, Reason> {
        let process = &self.program.processes[0];
        let chosen: Vec<u32> = (edge.ops.iter())
            .filter_map(|op| match op {
                Op::Havoc { local, among: Choice::Any }
                    if process.locals[*local as usize].sort == Sort::Process =>
                {
                    Some(*local)
                }
                _ => None,
            })
            .collect();
        let mut names = vec![];
        existential(&edge.guard, true, &mut names);
        for op in &edge.ops {
            if let Op::Assume { condition } = op {
                existential(condition, true, &mut names);
            }
        }
        if (1..names.len()).any(|i| names[..i].contains(&names[i])) {
            return unsupported("two processes of one name that only have to exist");
        }
        for there in 0..1u32 << names.len() {
            let is_there = |i: &usize| there >> i & 1 == 1;
            let found = (0..names.len()).filter(is_there).count();
            let fixed = 1 + chosen.len();
            for (numbers, places) in self.placements(&cube.numbers, fixed + found) {
                let mut locals = vec![None; process.locals.len()];
                for (local, place) in chosen.iter().zip(&places[1..]) {
                    locals[*local as usize] = Some(Meaning::Place(*place));
                }
                let mut found = places[fixed..].iter().copied();
                let who = |i: usize| if is_there(&i) { found.next() } else { None };
                let witnesses = names.iter().copied().zip((0..names.len()).map(who)).collect();
                let undone = Undone { checker: self, cube, edge, numbers, me: places[0], locals, witnesses };
                if !undone.leads_from_inside()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
