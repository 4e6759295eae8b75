//! The cubes of a search that has ended with *safe*, as a certificate: in terms of the program.

use wattle_engine::certificate::CubeProof;
use wattle_engine::certificate::cubes::{Cell as ProofCell, Cube as ProofCube, Fact, Instant, Read};
use wattle_logic::{Binary, Sort, Term as Formula, Value};
use wattle_program::{Program, Replicas};

use crate::cube::Cube;
use crate::literal::{BOUND, Cell, Literal, Number, Operand, Process, Term};
use crate::sum::Relation;
use crate::system::Universal;

pub(crate) fn proof(program: &Program, cubes: &[&Cube]) -> CubeProof {
    let any = program.processes.iter().any(|process| process.replicas == Replicas::Any);
    CubeProof { any, cubes: cubes.iter().map(|cube| of_cube(program, cube)).collect() }
}

fn of_cube(program: &Program, cube: &Cube) -> ProofCube {
    let writing = Writing::new(program, cube, cube.literals.iter());
    ProofCube {
        numbers: cube.pins.iter().map(|pin| pin.map(u32::from)).collect(),
        literals: cube.literals.iter().map(|literal| writing.literal(literal)).collect(),
        reads: writing.reads(),
        instants: (cube.nodes.iter())
            .map(|node| Instant {
                after: bits(node.after),
                events: bits(node.events),
                drains: bits(node.drains),
                cells: node.cells.iter().copied().map(|cell| writing.cell(cell)).collect(),
                arrays: node.arrays.iter().copied().map(u32::from).collect(),
            })
            .collect(),
        facts: cube.universals.iter().map(|universal| fact(program, cube, universal)).collect(),
    }
}

fn fact(program: &Program, cube: &Cube, universal: &Universal) -> Fact {
    let writing = Writing::new(program, cube, universal.body.iter().flatten());
    let all = |conjunction: &Vec<Literal>| {
        let said = conjunction.iter().map(|literal| writing.literal(literal));
        said.reduce(|a, b| Formula::binary(Binary::And, a, b)).unwrap_or_else(|| Formula::bool(true))
    };
    let some = universal.body.iter().map(all).reduce(|a, b| Formula::binary(Binary::Or, a, b));
    Fact {
        bound: universal.bound.into(),
        except: universal.except.iter().copied().map(u32::from).collect(),
        reads: writing.reads(),
        body: some.unwrap_or_else(|| Formula::bool(false)),
    }
}

fn bits(mask: u32) -> Vec<u32> {
    (0..u32::BITS).filter(|i| mask >> i & 1 == 1).collect()
}

struct Writing<'a> {
    program: &'a Program,
    /// How many processes the cube has; bound variables follow them.
    processes: u32,
    reads: Vec<Term>,
}

impl<'a> Writing<'a> {
    fn new<'l>(
        program: &'a Program,
        cube: &Cube,
        literals: impl Iterator<Item = &'l Literal>,
    ) -> Writing<'a> {
        let mut reads: Vec<Term> = literals.flat_map(Literal::terms).filter(Term::is_read).collect();
        reads.sort_unstable();
        reads.dedup();
        Writing { program, processes: cube.processes() as u32, reads }
    }

    fn reads(&self) -> Vec<Read> {
        let read = |term: &Term| Read {
            instant: term.node.into(),
            by: self.number(term.by),
            cell: self.cell(term.cell),
        };
        self.reads.iter().map(read).collect()
    }

    fn cell(&self, cell: Cell) -> ProofCell {
        let indices = cell.indices().map(|index| self.number(index)).collect();
        ProofCell { variable: cell.variable.into(), indices }
    }

    fn number(&self, process: Process) -> u32 {
        match process.checked_sub(BOUND) {
            Some(bound) => self.processes + u32::from(bound),
            None => process.into(),
        }
    }

    fn sort(&self, term: Term) -> Sort {
        self.program.variables[usize::from(term.cell.variable)].sort
    }

    fn process(&self, process: Process) -> Formula {
        Formula::bound_process(self.number(process))
    }

    fn term(&self, term: Term) -> Formula {
        match self.reads.binary_search(&term) {
            Ok(number) => Formula::local(number as u32, self.sort(term)),
            Err(_) => {
                let indices = term.cell.indices().map(|index| self.process(index)).collect();
                Formula::content(Formula::address(term.cell.variable.into(), indices), self.sort(term))
            }
        }
    }

    fn operand(&self, operand: Operand) -> Formula {
        match operand {
            Operand::Process(process) => self.process(process),
            Operand::Term(term) => self.term(term),
        }
    }

    fn sum(&self, number: Number, c: i64) -> Formula {
        match number {
            None => Formula::int(c),
            Some(term) if c == 0 => self.term(term),
            Some(term) => Formula::binary(Binary::Add, self.term(term), Formula::int(c)),
        }
    }

    fn literal(&self, literal: &Literal) -> Formula {
        match *literal {
            Literal::In(term, mask) => {
                let sort = self.sort(term);
                let constructor = |number: u32| match sort {
                    Sort::Bool => Formula::bool(number == 1),
                    _ => Formula::value(Value::Symbol(number), sort),
                };
                let count = match sort {
                    Sort::Enum(number) => {
                        self.program.enumerations[number as usize].constructors.len() as u32
                    }
                    _ => 2,
                };
                let is = |number: u32| Formula::binary(Binary::Equal, self.term(term), constructor(number));
                let any = (0..count).filter(|number| mask >> number & 1 == 1).map(is);
                any.reduce(|a, b| Formula::binary(Binary::Or, a, b)).unwrap_or_else(|| Formula::bool(false))
            }
            Literal::Equal(a, b) => Formula::binary(Binary::Equal, self.operand(a), self.operand(b)),
            Literal::Differ(a, b) => Formula::binary(Binary::NotEqual, self.operand(a), self.operand(b)),
            Literal::Before(a, b) => Formula::binary(Binary::Less, self.operand(a), self.operand(b)),
            Literal::AtMost(x, y, c) => Formula::binary(Binary::LessEqual, self.sum(x, 0), self.sum(y, c)),
            Literal::Unequal(x, y, c) => Formula::binary(Binary::NotEqual, self.sum(x, 0), self.sum(y, c)),
            Literal::Sum(sum, relation, c) => {
                let part = |(factor, term)| match factor {
                    1 => self.term(term),
                    _ => Formula::binary(Binary::Multiply, Formula::int(factor), self.term(term)),
                };
                let parts = sum.parts().map(part);
                let sum = parts.reduce(|a, b| Formula::binary(Binary::Add, a, b));
                let operator = match relation {
                    Relation::AtMost => Binary::LessEqual,
                    Relation::Differs => Binary::NotEqual,
                };
                Formula::binary(operator, sum.unwrap_or_else(|| Formula::int(0)), Formula::int(c))
            }
        }
    }
}
