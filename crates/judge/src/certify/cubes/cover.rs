//! Is every state of a situation in one of the proof's cubes?
//!
//! The solver is asked for a state that is in none of those found so far; a cube and a way of placing its processes and instants that fits that
//! state is looked for, and taken away. It ends with no state left (covered), or with a state that no cube contains.

use wattle_engine::certificate::cubes::{Cube, CubeProof, Instant};
use wattle_engine::{Reason, Run, Spent, Unsupported, Work};
use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Unary, Value};
use wattle_program::Program;
use wattle_smt::{Decide, Decision, Library, Limits, Models, Solver};

use super::formula::{Key, Meaning, Scope, Table};
use super::order::is_less;
use super::saying::{self, ReadAt, Saying};

/// A solver slows down with the formulas it has seen; after so many questions there is a new one.
const QUESTIONS_A_SOLVER: u64 = 400;
const QUESTION: Work = Work::microseconds(150);

/// A set of states with what happens after them.
pub(super) struct Situation {
    /// One for each process: its number, if that is fixed.
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) formulas: Vec<Term>,
    pub(super) instants: Vec<Instant>,
    pub(super) table: Table,
    /// What else holds if there is one more process, if there are two, and so on.
    pub(super) outside: Vec<Vec<Term>>,
}

/// With so many processes that nothing is known of.
pub(super) fn with_outside(numbers: &[Option<u32>], more: usize) -> Vec<Option<u32>> {
    [numbers, &vec![None; more]].concat()
}

pub(super) struct Cover<'c> {
    pub(super) program: &'c Program,
    pub(super) count: Option<u32>,
    proof: &'c CubeProof,
    run: &'c Run,
    solver: Solver,
    asked: u64,
}

/// How a cube is placed in a situation.
#[derive(Clone, Default)]
struct Placed {
    places: Vec<usize>,
    instants: Vec<usize>,
}

/// The values of a state: of variables by their numbers in the table.
struct State(Vec<i64>);

impl<'c> Cover<'c> {
    pub(super) fn new(
        program: &'c Program,
        count: Option<u32>,
        proof: &'c CubeProof,
        library: &Library,
        run: &'c Run,
    ) -> Result<Cover<'c>, Reason> {
        let limits = Limits { memory: run.budget().memory };
        let mut solver = Solver::new(library, limits).map_err(|stop| Reason::Solver(stop.to_string()))?;
        let watched = run.clone();
        solver.stop_when(move || watched.poll(Work::NONE, Spent::default()).is_err());
        Ok(Cover { program, count, proof, run, solver, asked: 0 })
    }

    /// Is there such a state at all?
    pub(super) fn is_possible(&mut self, situation: &mut Situation) -> Result<bool, Reason> {
        let facts = situation.table.facts(self.program, &situation.numbers, self.count);
        self.ask(situation.formulas.iter().chain(&facts))
    }

    /// The state that no cube contains is not told: whoever is interested changes the proof, not the program.
    pub(super) fn is_covered(&mut self, situation: &mut Situation) -> Result<bool, Reason> {
        let mut taken: Vec<Term> = vec![];
        loop {
            let facts = situation.table.facts(self.program, &situation.numbers, self.count);
            if !self.ask(situation.formulas.iter().chain(&facts).chain(&taken))? {
                return Ok(true);
            }
            let value = |id: u32| self.solver.integer(&Term::local(id, Sort::Int)).unwrap_or(0);
            let state = State((0..situation.table.keys.len() as u32).map(value).collect());
            let Some(region) = self.region(situation, &state)? else { return Ok(false) };
            taken.push(Term::unary(Unary::Not, region));
        }
    }

    /// States with this one among them, all in one cube.
    fn region(&mut self, situation: &mut Situation, state: &State) -> Result<Option<Term>, Reason> {
        let proof = self.proof;
        for cube in &proof.cubes {
            let mut places = vec![];
            place_processes(cube, situation, state, &mut Placed::default(), &mut |placed| {
                places.push(placed.clone());
                cube.facts.is_empty()
            });
            for placed in places {
                let known = situation.numbers.len();
                let Placed { places, instants } = &placed;
                let mut sayings = saying::literals(cube, places, instants);
                let facts = saying::facts(cube, places, instants, known, 0);
                if !facts.iter().all(|fact| is_true(fact, situation, state)) {
                    continue;
                }
                sayings.extend(facts);
                let mut all = Term::bool(true);
                for saying in &sayings {
                    all = Term::binary(Binary::And, all, instance(saying, situation)?);
                }
                if self.holds_outside(cube, &placed, &all, situation)? {
                    return Ok(Some(all));
                }
            }
        }
        Ok(None)
    }

    /// How many more processes facts may speak of at once, beside these.
    pub(super) fn outside(&self, known: usize) -> std::ops::RangeInclusive<usize> {
        let bound = self.proof.cubes.iter().flat_map(|cube| &cube.facts).map(|fact| fact.bound as usize);
        let room = self.count.map_or(usize::MAX, |count| (count as usize).saturating_sub(known));
        1..=bound.max().unwrap_or(0).min(room)
    }

    /// Does what the cube says of processes that are not at hand follow for any such process, in these states?
    fn holds_outside(
        &mut self,
        cube: &Cube,
        placed: &Placed,
        states: &Term,
        situation: &mut Situation,
    ) -> Result<bool, Reason> {
        let known = situation.numbers.len();
        if cube.facts.is_empty() {
            return Ok(true);
        }
        for more in self.outside(known) {
            for fact in saying::facts(cube, &placed.places, &placed.instants, known, more) {
                let fails = Term::unary(Unary::Not, instance(&fact, situation)?);
                let numbers = with_outside(&situation.numbers, more);
                let facts = situation.table.facts(self.program, &numbers, self.count);
                let outside = situation.outside.get(more - 1).into_iter().flatten();
                let all = situation.formulas.iter().chain(outside).chain(&facts).chain([states, &fails]);
                if self.ask(all)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn ask<'t>(&mut self, all: impl Iterator<Item = &'t Term>) -> Result<bool, Reason> {
        self.asked += 1;
        self.run.poll(QUESTION, Spent::default())?;
        if self.asked.is_multiple_of(QUESTIONS_A_SOLVER) {
            self.solver = self.solver.another().map_err(|stop| Reason::Solver(stop.to_string()))?;
        }
        let mut assumed = vec![];
        for term in all {
            let literal = self.solver.literal(term);
            assumed.push(literal.map_err(|why| Reason::Unsupported(Unsupported::new(why.to_string())))?);
        }
        match self.solver.check(&assumed) {
            Decision::Sat => Ok(true),
            Decision::Unsat => Ok(false),
            Decision::Stopped(why) => {
                self.run.poll(Work::NONE, Spent::default())?;
                Err(Reason::Solver(why.to_string()))
            }
        }
    }
}

/// As a formula for the solver.
fn instance(saying: &Saying<'_>, situation: &mut Situation) -> Result<Term, Reason> {
    let Situation { numbers, table, .. } = situation;
    let reads = saying.reads.iter();
    let locals = reads.map(|read| Some(Meaning::Term(table.variable(read.key())))).collect();
    let mut look = |variable: u32, indices: Vec<usize>, _| match variable {
        u32::MAX => Ok(table.variable(Key::Process(indices[0]))),
        _ => Ok(table.variable(Key::Cell(variable, indices))),
    };
    let bound = saying.bound.clone();
    let mut scope = Scope { places: 0, numbers, me: None, locals, bound, witnesses: &[], look: &mut look };
    scope.formula(saying.formula, true)
}

/// Tells `found` of every place for all processes and instants of the cube so that the state satisfies its literals, until that is enough.
fn place_processes(
    cube: &Cube,
    situation: &Situation,
    state: &State,
    placed: &mut Placed,
    found: &mut dyn FnMut(&Placed) -> bool,
) -> bool {
    let next = placed.places.len();
    // Literals that speak of processes that have a place now, and of no reads.
    let judged = |literal: &&Term| ready(literal) == Some(next);
    if !cube.literals.iter().filter(judged).all(|literal| holds(literal, cube, placed, situation, state)) {
        return false;
    }
    if next == cube.numbers.len() {
        return place_instants(cube, situation, state, placed, found);
    }
    for place in 0..situation.numbers.len() {
        let number = cube.numbers[next];
        if placed.places.contains(&place) || (number.is_some() && number != situation.numbers[place]) {
            continue;
        }
        placed.places.push(place);
        if place_processes(cube, situation, state, placed, found) {
            return true;
        }
        placed.places.pop();
    }
    false
}

fn place_instants(
    cube: &Cube,
    situation: &Situation,
    state: &State,
    placed: &mut Placed,
    found: &mut dyn FnMut(&Placed) -> bool,
) -> bool {
    let next = placed.instants.len();
    if next == cube.instants.len() {
        let mut reads = cube.literals.iter().filter(|literal| ready(literal).is_none());
        return reads.all(|literal| holds(literal, cube, placed, situation, state)) && found(placed);
    }
    for place in 0..situation.instants.len() {
        let (small, large) = (&cube.instants[next], &situation.instants[place]);
        let ordered = (0..next).all(|other| {
            let earlier = |instant: &Instant, number: usize| instant.after.contains(&(number as u32));
            let other_place = placed.instants[other];
            (!earlier(small, other) || earlier(large, other_place))
                && (!earlier(&cube.instants[other], next) || earlier(&situation.instants[other_place], place))
        });
        if !ordered || !is_less(small, &placed.places, large) {
            continue;
        }
        placed.instants.push(place);
        if place_instants(cube, situation, state, placed, found) {
            return true;
        }
        placed.instants.pop();
    }
    false
}

/// Does the state satisfy a literal whose processes and instants have a place?
fn holds(literal: &Term, cube: &Cube, placed: &Placed, situation: &Situation, state: &State) -> bool {
    let bound = |process: u32| placed.places.get(process as usize).copied();
    let read =
        |read: u32| Some(ReadAt::placed(cube.reads.get(read as usize)?, &placed.places, &placed.instants));
    value(literal, &Names { bound: &bound, read: &read }, situation, state) == Some(1)
}

/// How many processes must have a place before a literal can be judged; `None`: it speaks of reads.
fn ready(literal: &Term) -> Option<usize> {
    let mut most = Some(0);
    literal.walk(&mut |term| match term.kind() {
        Kind::Symbol(Symbol::Local(_)) => most = None,
        Kind::Symbol(Symbol::Bound(bound)) => most = most.map(|most: usize| most.max(*bound as usize + 1)),
        _ => {}
    });
    most
}

fn is_true(saying: &Saying<'_>, situation: &Situation, state: &State) -> bool {
    let bound = |bound: u32| saying.bound.iter().find(|(other, _)| *other == bound).map(|(_, place)| *place);
    let read = |read: u32| saying.reads.get(read as usize).cloned();
    value(saying.formula, &Names { bound: &bound, read: &read }, situation, state) == Some(1)
}

/// What the names in a formula stand for.
struct Names<'n> {
    bound: &'n dyn Fn(u32) -> Option<usize>,
    read: &'n dyn Fn(u32) -> Option<ReadAt>,
}

/// The value of a literal or term in the state; `None` if it speaks of what the situation does not know.
fn value(term: &Term, names: &Names<'_>, situation: &Situation, state: &State) -> Option<i64> {
    let of = |term: &Term| value(term, names, situation, state);
    let known = |key: &Key| situation.table.keys.get(key).and_then(|id| state.0.get(*id as usize)).copied();
    Some(match term.kind() {
        Kind::Value(Value::Bool(value)) => i64::from(*value),
        Kind::Value(Value::Int(value)) => *value,
        Kind::Value(Value::Symbol(number) | Value::Process(number)) => i64::from(*number),
        Kind::Symbol(Symbol::Bound(bound)) => known(&Key::Process((names.bound)(*bound)?))?,
        Kind::Symbol(Symbol::Local(read)) => known(&(names.read)(*read)?.key())?,
        Kind::Content(address) => {
            let Kind::Address { variable, indices } = address.kind() else { return None };
            let index = |index: &Term| match index.kind() {
                Kind::Symbol(Symbol::Bound(bound)) => (names.bound)(*bound),
                _ => None,
            };
            known(&Key::Cell(*variable, indices.iter().map(index).collect::<Option<Vec<usize>>>()?))?
        }
        Kind::Unary(Unary::Not, a) => 1 - of(a)?,
        Kind::Binary(operator, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match operator {
                Binary::Add => a.checked_add(b)?,
                Binary::Subtract => a.checked_sub(b)?,
                Binary::Multiply => a.checked_mul(b)?,
                Binary::And => i64::from(a == 1 && b == 1),
                Binary::Or => i64::from(a == 1 || b == 1),
                Binary::Equal => i64::from(a == b),
                Binary::NotEqual => i64::from(a != b),
                Binary::Less => i64::from(a < b),
                Binary::LessEqual => i64::from(a <= b),
                Binary::Greater => i64::from(a > b),
                Binary::GreaterEqual => i64::from(a >= b),
                _ => return None,
            }
        }
        _ => return None,
    })
}
