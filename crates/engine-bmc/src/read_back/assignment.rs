//! What the solver decided, as values.
//!
//! Only what is free is taken from the solver: what the reads return and what was chosen. Everything
//! else is computed from that by the expressions themselves, so that a mistake on the way to bits
//! shows when the execution is replayed.

use wattle_logic::Fault;
use wattle_program::symbolic::{Expr, Node};
use wattle_sat::{Lit, Solver};

use crate::encode::circuit::{Circuit, Word};
use crate::read_back::decode::Assignment;
use crate::unroll::structure::Structure;

/// The words of what is free.
#[derive(Debug)]
pub(crate) struct Words {
    reads: Vec<Word>,
    cells: Vec<Word>,
    /// For each step: the thread takes it.
    pub taken: Vec<Lit>,
}

impl Words {
    /// To be made before solving: a word may need gates.
    pub(crate) fn new(structure: &Structure<'_>, circuit: &mut Circuit<'_>) -> Words {
        let nothing = || Word::constant(0);
        let mut words = Words {
            reads: vec![nothing(); structure.events.len()],
            cells: vec![nothing(); structure.inputs.len()],
            taken: structure.steps.iter().map(|step| circuit.literal(structure, step.taken)).collect(),
        };
        for number in 0..structure.arena.len() as u32 {
            match structure.arena.node(Expr(number)) {
                // A step that is given up leaves the expressions of its reads behind.
                Node::Read(event) if event as usize >= words.reads.len() => {}
                Node::Read(event) => words.reads[event as usize] = circuit.word(structure, Expr(number)),
                Node::Cell(cell) => words.cells[cell as usize] = circuit.word(structure, Expr(number)),
                _ => {}
            }
        }
        words
    }
}

pub(crate) struct Model<'m> {
    solver: &'m Solver,
    reads: Vec<i64>,
    cells: Vec<i64>,
    values: Vec<Result<i64, Fault>>,
}

impl<'m> Model<'m> {
    pub(crate) fn new(structure: &Structure<'_>, words: &Words, solver: &'m Solver) -> Model<'m> {
        let value = |word: &Word| word.value_by(|literal| Some(solver.value(literal))).unwrap_or(0);
        let reads: Vec<i64> = words.reads.iter().map(value).collect();
        let cells: Vec<i64> = words.cells.iter().map(value).collect();
        let values = structure.arena.evaluate_all(&reads, &cells);
        Model { solver, reads, cells, values }
    }
}

impl Assignment for Model<'_> {
    fn holds(&self, literal: Lit) -> bool {
        self.solver.value(literal)
    }

    fn is_true(&self, condition: Expr) -> bool {
        self.code(condition) != 0
    }

    fn code(&self, value: Expr) -> i64 {
        // What has no value is guarded by a condition that does not hold.
        self.values[value.0 as usize].unwrap_or(0)
    }

    fn read(&self, event: u32) -> i64 {
        self.reads[event as usize]
    }

    fn chosen(&self, input: u32) -> i64 {
        self.cells[input as usize]
    }
}
