//! Formulas over whole states as expressions.
//!
//! What a state is, the caller knows: cells of a final state in one engine, guards and choices of an
//! unrolling in another. The rest (quantifiers over copies, addresses, operators) is the same.

use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term, Unary};

use super::defined::Need;
use super::{Arena, Expr};
use crate::{Point, ProcessId, ThreadId, Unsupported};

/// A state, as formulas see it.
pub trait WholeState {
    /// The thread stands at the point.
    fn at(&mut self, arena: &mut Arena<'_>, thread: ThreadId, point: Point) -> Expr;
    fn ended(&mut self, arena: &mut Arena<'_>, thread: ThreadId) -> Expr;
    /// `None`: this state does not know.
    fn local(&mut self, arena: &mut Arena<'_>, thread: ThreadId, local: u32) -> Option<Expr>;
    /// What memory holds at the location with this number.
    fn content(&mut self, arena: &mut Arena<'_>, location: Expr) -> Expr;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    pub value: Expr,
    /// What must hold for the formula to have a value.
    pub needs: Vec<Need>,
}

pub fn compile(
    arena: &mut Arena<'_>,
    state: &mut dyn WholeState,
    formula: &Term,
) -> Result<Compiled, Unsupported> {
    let mut compiler = Compiler { arena, state, bound: Vec::new(), needs: Vec::new() };
    let value = compiler.term(formula)?;
    Ok(Compiled { value, needs: compiler.needs })
}

/// Does a formula speak of the contents of memory?
pub fn speaks_of_memory(formula: &Term) -> bool {
    let mut found = false;
    formula.walk(&mut |term| found |= matches!(term.kind(), Kind::Content(_)));
    found
}

struct Compiler<'c, 'a> {
    arena: &'c mut Arena<'a>,
    state: &'c mut dyn WholeState,
    bound: Vec<(u32, i64)>,
    needs: Vec<Need>,
}

fn refused<T>(why: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported::new(why))
}

fn meaningless() -> Unsupported {
    Unsupported::new("a formula without meaning for whole states")
}

impl Compiler<'_, '_> {
    fn term(&mut self, term: &Term) -> Result<Expr, Unsupported> {
        Ok(match term.kind() {
            Kind::Value(value) => match value.code() {
                Some(code) => self.arena.constant(code),
                None => return refused("a set of integers"),
            },
            Kind::Symbol(Symbol::Bound(name)) => {
                let found = self.bound.iter().rev().find(|(other, _)| other == name);
                let value = found.ok_or_else(meaningless)?.1;
                self.arena.constant(value)
            }
            Kind::Symbol(Symbol::Copies(process)) => {
                let copies = self.arena.shape().copies_of(ProcessId(*process));
                self.arena.constant(i64::from(copies))
            }
            Kind::Symbol(_) => return Err(meaningless()),
            Kind::Unary(operator, operand) => {
                let operand = self.term(operand)?;
                self.arena.unary(*operator, term.sort(), operand)
            }
            Kind::Binary(Binary::Insert | Binary::Member, ..) => return refused("a set of integers"),
            Kind::Binary(operator, left, right) => {
                let left = self.term(left)?;
                let right = self.term(right)?;
                let need = self.arena.needs_of_binary(*operator, left, right);
                self.needs.extend(need);
                self.arena.binary(*operator, term.sort(), left, right)
            }
            Kind::If(condition, then, otherwise) => {
                let condition = self.term(condition)?;
                let not = self.arena.unary(Unary::Not, Sort::Bool, condition);
                let then = self.branch(then, not)?;
                let otherwise = self.branch(otherwise, condition)?;
                self.arena.choice(condition, then, otherwise)
            }
            Kind::Address { variable, indices } => {
                let shape = self.arena.shape();
                let mut place = self.arena.constant(0);
                for (dimension, index) in indices.iter().enumerate() {
                    let index = self.term(index)?;
                    let length = *shape.extents(*variable).get(dimension).ok_or_else(meaningless)?;
                    let need = self.arena.needs_of_element(index, length);
                    self.needs.extend(need);
                    place = self.arena.element(place, index, length);
                }
                let first = self.arena.constant(i64::from(shape.locations_of(*variable).start));
                self.arena.binary(Binary::Add, Sort::WORD, first, place)
            }
            Kind::Number(address) => {
                let address = self.term(address)?;
                let need = self.arena.needs_of_number(address);
                self.needs.extend(need);
                self.arena.number(address)
            }
            Kind::Pointer(number) => {
                let number = self.term(number)?;
                let need = self.arena.needs_of_pointer(number);
                self.needs.extend(need);
                self.arena.pointer(number)
            }
            Kind::Content(address) => {
                let address = self.term(address)?;
                self.state.content(self.arena, address)
            }
            Kind::At { process, copy, point } => {
                let thread = self.thread(*process, copy)?;
                self.state.at(self.arena, thread, Point(*point))
            }
            Kind::Ended { process, copy } => {
                let thread = self.thread(*process, copy)?;
                self.state.ended(self.arena, thread)
            }
            Kind::LocalOf { process, copy, local } => {
                let thread = self.thread(*process, copy)?;
                self.state.local(self.arena, thread, *local).ok_or_else(meaningless)?
            }
            Kind::Seen { .. } => return refused("what a copy would load now"),
            Kind::Element(_) => return Err(meaningless()),
            Kind::Quantified { quantifier, bound: name, process, body } => {
                let all = *quantifier == Quantifier::Forall;
                let mut sum = self.arena.constant(i64::from(all));
                for copy in 0..self.arena.shape().copies_of(ProcessId(*process)) {
                    self.bound.push((*name, i64::from(copy)));
                    let one = self.term(body);
                    self.bound.pop();
                    let operator = if all { Binary::And } else { Binary::Or };
                    sum = self.arena.binary(operator, Sort::Bool, sum, one?);
                }
                sum
            }
        })
    }

    /// One side of a selection: what it needs is needed unless the other is selected.
    fn branch(&mut self, term: &Term, other: Expr) -> Result<Expr, Unsupported> {
        let before = self.needs.len();
        let value = self.term(term)?;
        for (condition, _) in &mut self.needs[before..] {
            *condition = self.arena.binary(Binary::Or, Sort::Bool, other, *condition);
        }
        Ok(value)
    }

    fn thread(&mut self, process: u32, copy: &Term) -> Result<ThreadId, Unsupported> {
        let copy = self.term(copy)?;
        let Some(copy) = self.arena.value(copy) else { return refused("a copy that is computed") };
        self.arena.shape().checked_thread(process, copy).map_err(|fault| Unsupported::new(fault.to_string()))
    }
}
