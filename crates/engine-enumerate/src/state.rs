//! Final states: what formulas and outcomes speak of.
//!
//! A state is a list of *cells*: for each thread its point and whether it has ended, then the locals
//! that some formula mentions, then the contents of memory. Formulas are compiled to expressions over
//! cells once a program.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term, Unary};
use wattle_program::{Point, ProcessId, Program, Shape};

use wattle_program::symbolic::{Arena, Expr};

#[derive(Debug)]
pub(crate) struct Cells<'b> {
    program: &'b Program,
    shape: &'b Shape,
    /// The locals that matter: thread and local. Their cells follow those of the threads.
    pub locals: Vec<(u32, u32)>,
    /// The first cell of contents; set when all formulas are known.
    contents: u32,
}

impl<'b> Cells<'b> {
    /// The cells that these formulas need.
    pub fn new<'t>(
        program: &'b Program,
        shape: &'b Shape,
        formulas: impl Iterator<Item = &'t Term>,
    ) -> Cells<'b> {
        let mut processes: Vec<(u32, u32)> = Vec::new();
        for formula in formulas {
            formula.walk(&mut |term| {
                if let Kind::LocalOf { process, local, .. } = term.kind()
                    && !processes.contains(&(*process, *local))
                {
                    processes.push((*process, *local));
                }
            });
        }
        let mut locals = Vec::new();
        for (process, local) in processes {
            for copy in 0..shape.copies_of(ProcessId(process)) {
                locals.push((shape.thread(ProcessId(process), copy).0, local));
            }
        }
        let contents = (2 * shape.threads.len() + locals.len()) as u32;
        Cells { program, shape, locals, contents }
    }

    pub fn count(&self) -> usize {
        self.contents as usize + self.shape.locations.len()
    }

    pub fn point(&self, thread: usize) -> usize {
        thread
    }

    pub fn ended(&self, thread: usize) -> usize {
        self.shape.threads.len() + thread
    }

    pub fn first_local(&self) -> usize {
        2 * self.shape.threads.len()
    }

    pub fn first_content(&self) -> usize {
        self.contents as usize
    }

    /// A formula over whole states. Its value may be missing (`Err` when evaluated).
    pub fn compile(&self, arena: &mut Arena<'_>, term: &Term) -> Result<Expr, Unsupported> {
        self.term(arena, term, &mut Vec::new())
    }

    fn term(
        &self,
        arena: &mut Arena<'_>,
        term: &Term,
        bound: &mut Vec<(u32, i64)>,
    ) -> Result<Expr, Unsupported> {
        let meaningless = || Unsupported::new("a formula without meaning for whole states");
        Ok(match term.kind() {
            Kind::Value(value) => {
                let code = value.code().ok_or_else(|| Unsupported::new("a set of integers"))?;
                arena.constant(code)
            }
            Kind::Symbol(Symbol::Bound(name)) => {
                let found = bound.iter().rev().find(|(other, _)| other == name).ok_or_else(meaningless)?;
                arena.constant(found.1)
            }
            Kind::Symbol(Symbol::Copies(process)) => {
                arena.constant(i64::from(self.shape.copies_of(ProcessId(*process))))
            }
            Kind::Symbol(_) => return Err(meaningless()),
            Kind::Unary(operator, operand) => {
                let operand = self.term(arena, operand, bound)?;
                arena.unary(*operator, term.sort(), operand)
            }
            Kind::Binary(Binary::Insert | Binary::Member, ..) => {
                return Err(Unsupported::new("a set of integers"));
            }
            Kind::Binary(operator, left, right) => {
                let left = self.term(arena, left, bound)?;
                let right = self.term(arena, right, bound)?;
                arena.binary(*operator, term.sort(), left, right)
            }
            Kind::If(condition, then, otherwise) => {
                let condition = self.term(arena, condition, bound)?;
                let then = self.term(arena, then, bound)?;
                let otherwise = self.term(arena, otherwise, bound)?;
                arena.choice(condition, then, otherwise)
            }
            Kind::Address { variable, indices } => {
                let mut place = arena.constant(0);
                for (dimension, index) in indices.iter().enumerate() {
                    let index = self.term(arena, index, bound)?;
                    let length = self.shape.extents(*variable).get(dimension).ok_or_else(meaningless)?;
                    place = arena.element(place, index, *length);
                }
                let first = arena.constant(i64::from(self.shape.locations_of(*variable).start));
                arena.binary(Binary::Add, Sort::WORD, first, place)
            }
            Kind::Number(address) => {
                let address = self.term(arena, address, bound)?;
                arena.number(address)
            }
            Kind::Pointer(number) => {
                let number = self.term(arena, number, bound)?;
                arena.pointer(number)
            }
            Kind::Content(address) => {
                let address = self.term(arena, address, bound)?;
                arena.content(self.contents, address)
            }
            Kind::At { process, copy, point } => {
                let thread = self.thread(arena, *process, copy, bound)?;
                let cell = arena.cell(self.point(thread) as u32);
                let point = arena.constant(i64::from(*point));
                arena.binary(Binary::Equal, Sort::Bool, cell, point)
            }
            Kind::Ended { process, copy } => {
                let thread = self.thread(arena, *process, copy, bound)?;
                arena.cell(self.ended(thread) as u32)
            }
            Kind::LocalOf { process, copy, local } => {
                let thread = self.thread(arena, *process, copy, bound)?;
                let found = self.locals.iter().position(|other| *other == (thread as u32, *local));
                arena.cell((self.first_local() + found.ok_or_else(meaningless)?) as u32)
            }
            Kind::Quantified { quantifier, bound: name, process, body } => {
                let all = *quantifier == Quantifier::Forall;
                let mut sum = arena.constant(i64::from(all));
                for copy in 0..self.shape.copies_of(ProcessId(*process)) {
                    bound.push((*name, i64::from(copy)));
                    let one = self.term(arena, body, bound);
                    bound.pop();
                    let operator = if all { Binary::And } else { Binary::Or };
                    sum = arena.binary(operator, Sort::Bool, sum, one?);
                }
                sum
            }
        })
    }

    fn thread(
        &self,
        arena: &mut Arena<'_>,
        process: u32,
        copy: &Term,
        bound: &mut Vec<(u32, i64)>,
    ) -> Result<usize, Unsupported> {
        let copy = self.term(arena, copy, bound)?;
        let copy = arena.value(copy).ok_or_else(|| Unsupported::new("a copy that is computed"))?;
        let thread = self.shape.checked_thread(process, copy);
        thread.map(|thread| thread.0 as usize).map_err(|fault| Unsupported::new(fault.to_string()))
    }

    /// Is this the last point of its thread?
    pub fn is_end(&self, thread: usize, point: Point) -> bool {
        self.program.process(self.shape.threads[thread].process).cfg.point(point).end
    }
}

/// Does a formula speak of the contents of memory?
pub(crate) fn speaks_of_memory(formula: &Term) -> bool {
    let mut found = false;
    formula.walk(&mut |term| found |= matches!(term.kind(), Kind::Content(_)));
    found
}

/// `!formula`
pub(crate) fn negate(arena: &mut Arena<'_>, formula: Expr) -> Expr {
    arena.unary(Unary::Not, Sort::Bool, formula)
}
