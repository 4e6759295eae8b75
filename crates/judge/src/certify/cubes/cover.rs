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
            let fits =
                self.proof.cubes.iter().find_map(|cube| Some((cube, placed(cube, situation, &state)?)));
            let Some((cube, placed)) = fits else { return Ok(false) };
            let mut all = Term::bool(true);
            for literal in &cube.literals {
                all = Term::binary(Binary::And, all, instance(literal, cube, &placed, situation)?);
            }
            taken.push(Term::unary(Unary::Not, all));
        }
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

/// A literal of a cube, said of the situation.
fn instance(literal: &Term, cube: &Cube, placed: &Placed, situation: &mut Situation) -> Result<Term, Reason> {
    let Situation { numbers, table, .. } = situation;
    let locals =
        (cube.reads.iter()).map(|read| Some(Meaning::Term(table.variable(read_key(read, placed))))).collect();
    let mut look = |variable: u32, indices: Vec<usize>, _| match variable {
        u32::MAX => Ok(table.variable(Key::Process(indices[0]))),
        _ => Ok(table.variable(Key::Cell(variable, indices))),
    };
    let bound = placed.places.iter().enumerate().map(|(i, place)| (i as u32, *place)).collect();
    let mut scope = Scope { places: numbers.len(), numbers, me: None, locals, bound, look: &mut look };
    scope.formula(literal, true)
}

fn read_key(read: &wattle_engine::certificate::cubes::Read, placed: &Placed) -> Key {
    let place = |process: &u32| placed.places[*process as usize];
    let indices = read.cell.indices.iter().map(place).collect();
    Key::Read(placed.instants[read.instant as usize], place(&read.by), read.cell.variable, indices)
}

/// A place for every process and instant of the cube, so that the state satisfies it.
fn placed(cube: &Cube, situation: &Situation, state: &State) -> Option<Placed> {
    let mut found = Placed::default();
    place_processes(cube, situation, state, &mut found).then_some(found)
}

fn place_processes(cube: &Cube, situation: &Situation, state: &State, found: &mut Placed) -> bool {
    let next = found.places.len();
    // Literals that speak of processes that have a place now, and of no reads.
    let judged = |literal: &&Term| ready(literal) == Some(next);
    let holds = |literal: &Term| value(literal, cube, found, situation, state) == Some(1);
    if !cube.literals.iter().filter(judged).all(holds) {
        return false;
    }
    if next == cube.numbers.len() {
        return place_instants(cube, situation, state, found);
    }
    for place in 0..situation.numbers.len() {
        let number = cube.numbers[next];
        if found.places.contains(&place) || (number.is_some() && number != situation.numbers[place]) {
            continue;
        }
        found.places.push(place);
        if place_processes(cube, situation, state, found) {
            return true;
        }
        found.places.pop();
    }
    false
}

fn place_instants(cube: &Cube, situation: &Situation, state: &State, found: &mut Placed) -> bool {
    let next = found.instants.len();
    if next == cube.instants.len() {
        let reads = |literal: &&Term| ready(literal).is_none();
        return (cube.literals.iter().filter(reads))
            .all(|literal| value(literal, cube, found, situation, state) == Some(1));
    }
    for place in 0..situation.instants.len() {
        let (small, large) = (&cube.instants[next], &situation.instants[place]);
        let ordered = (0..next).all(|other| {
            let earlier = |instant: &Instant, number: usize| instant.after.contains(&(number as u32));
            let other_place = found.instants[other];
            (!earlier(small, other) || earlier(large, other_place))
                && (!earlier(&cube.instants[other], next) || earlier(&situation.instants[other_place], place))
        });
        if !ordered || !is_less(small, &found.places, large) {
            continue;
        }
        found.instants.push(place);
        if place_instants(cube, situation, state, found) {
            return true;
        }
        found.instants.pop();
    }
    false
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

/// The value of a literal or term in the state; `None` if it speaks of what the situation does not know.
fn value(term: &Term, cube: &Cube, placed: &Placed, situation: &Situation, state: &State) -> Option<i64> {
    let of = |term: &Term| value(term, cube, placed, situation, state);
    let known = |key: &Key| situation.table.keys.get(key).and_then(|id| state.0.get(*id as usize)).copied();
    Some(match term.kind() {
        Kind::Value(Value::Bool(value)) => i64::from(*value),
        Kind::Value(Value::Int(value)) => *value,
        Kind::Value(Value::Symbol(number) | Value::Process(number)) => i64::from(*number),
        Kind::Symbol(Symbol::Bound(bound)) => known(&Key::Process(*placed.places.get(*bound as usize)?))?,
        Kind::Symbol(Symbol::Local(read)) => known(&read_key(cube.reads.get(*read as usize)?, placed))?,
        Kind::Content(address) => {
            let Kind::Address { variable, indices } = address.kind() else { return None };
            let index = |index: &Term| match index.kind() {
                Kind::Symbol(Symbol::Bound(bound)) => placed.places.get(*bound as usize).copied(),
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
