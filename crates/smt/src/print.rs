//! Terms as SMT-LIB text, for Spacer, which is only spoken to that way.

use std::collections::HashMap;

use wattle_logic::{Sort, Term};

use crate::translate::{Operator, Shape, Theory, refuse, shape, theory};
use crate::{Unsupported, symbols};

/// No question about a straight line is longer. A term with shared parts may be, since text shares nothing.
const LONGEST: usize = 1 << 24;

/// Names for variables: what is not named yet gets a name and is an input.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: HashMap<Term, String>,
    /// Of this clause, in the order of their first use.
    pub inputs: Vec<(String, Sort)>,
}

impl Names {
    /// The cells are named first.
    pub fn of(cells: &[Term]) -> Names {
        let known = cells.iter().enumerate().map(|(place, cell)| (cell.clone(), cell_name(place))).collect();
        Names { known, inputs: Vec::new() }
    }

    pub fn print(&mut self, term: &Term, text: &mut String) -> Result<(), Unsupported> {
        if text.len() > LONGEST {
            return refuse("a trace of many megabytes");
        }
        let mut list = |operator: &str, parts: &[&Term]| -> Result<(), Unsupported> {
            text.push('(');
            text.push_str(operator);
            for part in parts {
                text.push(' ');
                self.print(part, text)?;
            }
            text.push(')');
            Ok(())
        };
        match shape(term)? {
            Shape::Bool(value) => text.push_str(if value { "true" } else { "false" }),
            Shape::Int(value) => text.push_str(&number(value)),
            Shape::Symbol(of, symbol) => text.push_str(&symbols::name(of, symbol)),
            Shape::Variable(_) => text.push_str(&self.variable(term)),
            Shape::Not(a) => list("not", &[a])?,
            Shape::Negate(a) => list("-", &[a])?,
            Shape::Complement(a) => list("- (- 1)", &[a])?,
            Shape::If(a, b, c) => list("ite", &[a, b, c])?,
            Shape::Binary(operator, a, b) => list(
                match operator {
                    Operator::And => "and",
                    Operator::Or => "or",
                    Operator::Implies => "=>",
                    Operator::Equal => "=",
                    Operator::NotEqual => "distinct",
                    Operator::Less => "<",
                    Operator::LessEqual => "<=",
                    Operator::Greater => ">",
                    Operator::GreaterEqual => ">=",
                    Operator::Add => "+",
                    Operator::Subtract => "-",
                    Operator::Multiply => "*",
                },
                &[a, b],
            )?,
            Shape::Divide(a, by) => {
                let mut operand = String::new();
                self.print(a, &mut operand)?;
                text.push_str(&quotient(&operand, by));
            }
            Shape::Remainder(a, by) => {
                let mut operand = String::new();
                self.print(a, &mut operand)?;
                let quotient = quotient(&operand, by);
                text.push_str(&format!("(- {operand} (* {} {quotient}))", number(by)));
            }
        }
        Ok(())
    }

    fn variable(&mut self, leaf: &Term) -> String {
        if let Some(known) = self.known.get(leaf) {
            return known.clone();
        }
        let name = format!("i{}", self.inputs.len());
        self.inputs.push((name.clone(), leaf.sort()));
        self.known.insert(leaf.clone(), name.clone());
        name
    }
}

pub(crate) fn cell_name(place: usize) -> String {
    format!("c{place}")
}

pub(crate) fn sort_name(sort: Sort) -> Result<String, Unsupported> {
    Ok(match theory(sort)? {
        Theory::Bool => "Bool".to_owned(),
        Theory::Int => "Int".to_owned(),
        Theory::Enum(number) => symbols::sort(number),
    })
}

/// SMT-LIB has no negative literals.
fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

/// Towards zero; see `translate`.
fn quotient(operand: &str, by: i64) -> String {
    let size = by.unsigned_abs();
    let quotient = format!("(ite (<= 0 {operand}) (div {operand} {size}) (- (div (- {operand}) {size})))");
    if by < 0 { format!("(- {quotient})") } else { quotient }
}
