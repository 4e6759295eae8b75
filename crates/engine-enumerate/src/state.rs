//! Final states: what formulas and outcomes speak of.
//!
//! A state is a list of *cells*: for each thread its point and whether it has ended, then the locals
//! that some formula mentions, then the contents of memory. Formulas are compiled to expressions over
//! cells once a program (`program::symbolic::formula`).

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Kind, Sort, Term, Unary};
use wattle_program::symbolic::formula::{self, WholeState};
use wattle_program::symbolic::{Arena, Expr};
use wattle_program::{Point, ProcessId, Program, Shape, ThreadId};

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
    pub(crate) fn new<'t>(
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

    pub(crate) fn count(&self) -> usize {
        self.contents as usize + self.shape.locations.len()
    }

    pub(crate) fn point(&self, thread: usize) -> usize {
        thread
    }

    pub(crate) fn ended(&self, thread: usize) -> usize {
        self.shape.threads.len() + thread
    }

    pub(crate) fn first_local(&self) -> usize {
        2 * self.shape.threads.len()
    }

    pub(crate) fn first_content(&self) -> usize {
        self.contents as usize
    }

    /// A formula over whole states. Its value may be missing (`Err` when evaluated).
    pub(crate) fn compile(&self, arena: &mut Arena<'_>, term: &Term) -> Result<Expr, Unsupported> {
        let compiled = formula::compile(arena, &mut &*self, term);
        compiled.map(|formula| formula.value)
    }

    /// Is this the last point of its thread?
    pub(crate) fn is_end(&self, thread: usize, point: Point) -> bool {
        self.program.process(self.shape.threads[thread].process).cfg.point(point).end
    }
}

impl WholeState for &Cells<'_> {
    fn at(&mut self, arena: &mut Arena<'_>, thread: ThreadId, point: Point) -> Expr {
        let cell = arena.cell(self.point(thread.0 as usize) as u32);
        let point = arena.constant(i64::from(point.0));
        arena.binary(Binary::Equal, Sort::Bool, cell, point)
    }

    fn ended(&mut self, arena: &mut Arena<'_>, thread: ThreadId) -> Expr {
        arena.cell(Cells::ended(self, thread.0 as usize) as u32)
    }

    fn local(&mut self, arena: &mut Arena<'_>, thread: ThreadId, local: u32) -> Option<Expr> {
        let found = self.locals.iter().position(|other| *other == (thread.0, local))?;
        Some(arena.cell((self.first_local() + found) as u32))
    }

    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr {
        arena.content(self.contents, location)
    }
}

/// `!formula`
pub(crate) fn negate(arena: &mut Arena<'_>, formula: Expr) -> Expr {
    arena.unary(Unary::Not, Sort::Bool, formula)
}
