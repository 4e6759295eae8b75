//! A proof by predicate abstraction, in two layers.
//!
//! The first layer is a list of Hoare triples, each of which a solver can check by itself: *these literals
//! block this edge*, *after this edge this predicate is true* ([`triples`]). The second is a set of abstract
//! states: it contains the initial one, none of its states violates anything, and by the triples alone,
//! without a solver, no edge leads out of it ([`closure`]). Together they are an inductive invariant, so a
//! certificate that passes is a proof, whatever produced it. What it says beside that, which edges are
//! never taken and whether an execution may end, follows from the same states ([`coverage`]).
//!
//! What the checker shares with the engine is the program as transitions (`wattle_abstraction::System`) and
//! the type of cubes. Weakest preconditions, properties at points, the three-valued reading of cubes, and
//! the conditions under which a thread's local step may go first ([`first`]) are written again here.
//!
//! The proof is about the program with its buffers written into it. That reduction is trusted here (and
//! tested elsewhere).

mod closure;
mod coverage;
mod first;
mod sets;
mod triples;

use std::collections::HashMap;

use wattle_abstraction::system::Transition;
use wattle_abstraction::{Cube, MOST_PREDICATES, System};
use wattle_engine::certificate::abstraction::{AbstractProof, Claim, Literals, Step};
use wattle_engine::{Coverage, Halt, Property, Reason, Run, Task, Unsupported};
use wattle_logic::{Kind, Sort, Term};
use wattle_memory::Machine;
use wattle_memory::reduction::{self, Moves, plain_moves};
use wattle_program::{EdgeId, ProcessId, Program, Shape, ThreadId, passes};
use wattle_smt::Library;

use super::wrong;

/// Is this a proof that the task's property holds, and that what it says of coverage is so? If it is: how many
/// triples and how many states it has.
pub fn abstraction(
    task: &Task<'_>,
    proof: &AbstractProof,
    coverage: Option<&Coverage>,
    library: &Library,
    run: &Run,
) -> Result<(u64, u64), Halt> {
    let checked = Checked::new(task, proof)?;
    let mut triples = triples::Triples::new(&checked, library, run)?;
    if !triples.is_possible(std::slice::from_ref(&checked.system.init))? {
        return Err(super::nothing_to_start_from());
    }
    triples.check()?;
    let first = first::first(&checked, &mut triples)?;
    let closure = closure::Closure::new(&checked, first);
    closure.check(run)?;
    coverage.map_or(Ok(()), |coverage| closure.coverage(coverage, run))?;
    Ok((proof.triples.len() as u64, proof.states.len() as u64))
}

/// The program with locals that start as those of the search do: zero where nobody reads how they start
/// (`passes::forget_dead`). An abstract state may say how such a local starts, so the proof is about these.
fn starting_as_searched(program: &Program) -> Program {
    let mut written = program.clone();
    let searched = passes::forget_dead(program);
    for (process, other) in written.processes.iter_mut().zip(searched.processes) {
        for (local, other) in process.locals.iter_mut().zip(other.locals) {
            local.init = other.init;
        }
    }
    written
}

/// A certificate that is well formed, and the program that it is about.
struct Checked<'a> {
    proof: &'a AbstractProof,
    /// Of the triples.
    cubes: Vec<Cube>,
    /// Of the states.
    states: Vec<Cube>,
    system: System,
    cells: HashMap<Term, u32>,
    steps: HashMap<Step, usize>,
    /// By edge of the program as it was given: the transitions that stand for it.
    of_edge: HashMap<(ProcessId, EdgeId), Vec<usize>>,
}

impl<'a> Checked<'a> {
    fn new(task: &Task<'_>, proof: &'a AbstractProof) -> Result<Checked<'a>, Halt> {
        let unsupported = |what: String| Reason::Unsupported(Unsupported::new(what));
        if task.property != Property::Stated {
            return Err(wrong("it is about the stated properties"));
        }
        let expected = match task.memory.machine {
            Some(machine @ Machine::Sc { .. }) => {
                reduction::of_program(machine, task.program).map(|reduction| reduction.discipline())
            }
            machine => match machine.and_then(reduction::of) {
                None => return Err(wrong(format!("{} has no store buffers", task.memory.name))),
                Some(reduction) => Some(reduction.discipline()),
            },
        };
        if expected != proof.reduction.as_ref().map(|(discipline, _)| *discipline) {
            return Err(wrong("it is about another memory model"));
        }
        let written = starting_as_searched(task.program);
        let (program, moves) = match &proof.reduction {
            None => {
                let flat = passes::instantiate(&written).map_err(|why| unsupported(why.to_string()))?;
                let moves = plain_moves(&flat);
                (flat, moves)
            }
            Some((discipline, capacity)) => {
                let reduced = reduction::named(*discipline).reduce(&written, capacity);
                let reduced = reduced.map_err(|why| unsupported(why.to_string()))?;
                (reduced.program, reduced.moves)
            }
        };
        let system = System::new(&program).map_err(|why| unsupported(why.what))?;
        let cells = (0..).zip(&system.cells).map(|(number, cell)| (cell.leaf.clone(), number)).collect();
        let step = |transition: &Transition| Step { thread: transition.thread, edge: transition.edge };
        let steps = system.transitions.iter().enumerate().map(|(n, transition)| (step(transition), n));
        let steps = steps.collect();
        let of_edge = of_edge(task.program, &system, &moves)?;
        let cubes = proof.triples.iter().map(|triple| cube(proof, &triple.cube)).collect::<Result<_, _>>()?;
        let states =
            proof.states.iter().map(|(_, literals)| cube(proof, literals)).collect::<Result<_, _>>()?;
        let checked = Checked { proof, cubes, states, cells, steps, of_edge, system };
        checked.is_well_formed()?;
        Ok(checked)
    }

    fn is_well_formed(&self) -> Result<(), Halt> {
        for (number, predicate) in self.proof.predicates.iter().enumerate() {
            if predicate.sort() != Sort::Bool || !self.speaks_of_cells(predicate) {
                return Err(wrong(format!("predicate {number} is none over the cells of the program")));
            }
        }
        let size = self.proof.predicates.len();
        for (number, triple) in self.proof.triples.iter().enumerate() {
            let known = match &triple.claim {
                Claim::Contradiction => true,
                // That not all elements of a set are so is never claimed.
                Claim::Initially { predicate, value: false }
                | Claim::Sets { predicate, value: false, .. }
                    if self.proof.predicates.get(*predicate).is_some_and(sets::is_over_elements) =>
                {
                    false
                }
                Claim::Initially { predicate, .. } => *predicate < size && triple.cube.is_empty(),
                Claim::Blocked { step } => self.steps.contains_key(step),
                Claim::Sets { step, predicate, .. } => self.steps.contains_key(step) && *predicate < size,
                Claim::Checks { step, check } => {
                    let checks = |at: &usize| self.system.transitions[*at].checks.len();
                    self.steps.get(step).is_some_and(|at| *check < checks(at))
                }
                Claim::Holds { property, places } => {
                    let formula = self.system.properties.get(*property).map(|(_, formula)| formula);
                    formula.is_some_and(|formula| self::places(formula).len() == places.len())
                }
            };
            if !known {
                return Err(wrong(format!("triple {number} speaks of what is not there")));
            }
        }
        for (number, (points, _)) in self.proof.states.iter().enumerate() {
            let there = points.len() == self.system.leaving.len()
                && points.iter().zip(&self.system.leaving).all(|(point, all)| (point.0 as usize) < all.len());
            if !there {
                return Err(wrong(format!("state {number} speaks of what is not there")));
            }
        }
        Ok(())
    }

    /// The transitions that stand for an edge of the program as it was given, if it has such an edge.
    fn steps_of(&self, edge: (ProcessId, EdgeId)) -> Option<&[usize]> {
        self.of_edge.get(&edge).map(Vec::as_slice)
    }

    /// Of nothing else, in particular of no value that a step chooses.
    fn speaks_of_cells(&self, formula: &Term) -> bool {
        let mut fits = true;
        formula.walk(&mut |term| {
            fits &= match term.kind() {
                Kind::Content(_) | Kind::LocalOf { .. } => self.cells.contains_key(term),
                Kind::Element(set) => set.sort() == Sort::IntSet && self.cells.contains_key(set),
                Kind::Value(_) | Kind::Unary(..) | Kind::Binary(..) | Kind::If(..) => true,
                // Of a cell: no other term has such a part.
                Kind::Address { .. } => true,
                _ => false,
            }
        });
        fits
    }

    /// The cells that a formula speaks of.
    fn cells_of(&self, formula: &Term) -> Vec<u32> {
        let mut found = Vec::new();
        formula.walk(&mut |term| found.extend(self.cells.get(term)));
        found
    }

    /// The weakest precondition, apart from the guard: a formula over the cells after the transition, as one
    /// over those before it.
    fn before(&self, transition: &Transition, formula: &Term) -> Term {
        sets::before(formula, &|cell| {
            let number = self.cells.get(cell)?;
            let mut updates = transition.updates.iter();
            updates.find_map(|(cell, value)| (cell == number).then(|| value.clone()))
        })
    }

    /// The same, of initial states.
    fn initially(&self, formula: &Term) -> Term {
        let is_set = |cell: &Term| cell.sort() == Sort::IntSet;
        sets::before(formula, &|cell| self.system.starts_as(cell).filter(|_| is_set(cell)))
    }
}

/// Literals in ascending order, of predicates that there are.
fn cube(proof: &AbstractProof, literals: &Literals) -> Result<Cube, Halt> {
    let known = |predicate: u32| (predicate as usize) < proof.predicates.len().min(MOST_PREDICATES);
    let ascending = literals.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !ascending || !literals.iter().all(|(predicate, _)| known(*predicate)) {
        return Err(wrong("literals of predicates that are not there, or not in order"));
    }
    let with = |cube: Cube, (predicate, value): &(u32, bool)| cube.with(*predicate as usize, *value);
    Ok(literals.iter().fold(Cube::default(), with))
}

/// See [`Checked::of_edge`].
fn of_edge(
    program: &Program,
    system: &System,
    moves: &Moves,
) -> Result<HashMap<(ProcessId, EdgeId), Vec<usize>>, Reason> {
    let shape = Shape::new(program).map_err(|why| Reason::Unsupported(Unsupported::new(why.to_string())))?;
    let edges = |process| program.process(process).cfg.edge_ids().map(move |edge| ((process, edge), vec![]));
    let mut found: HashMap<(ProcessId, EdgeId), Vec<usize>> = program.process_ids().flat_map(edges).collect();
    for (number, Transition { thread, edge, .. }) in system.transitions.iter().enumerate() {
        if let Some(edge) = moves[*thread as usize][edge.0 as usize].edge() {
            let process = shape.info(ThreadId(*thread)).process;
            found.entry((process, edge)).or_default().push(number);
        }
    }
    Ok(found)
}

/// The places that a property names, in order.
fn places(formula: &Term) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    formula.walk(&mut |term| {
        let place = matches!(term.kind(), Kind::At { .. } | Kind::Ended { .. });
        if place && !found.contains(term) {
            found.push(term.clone());
        }
    });
    found
}
