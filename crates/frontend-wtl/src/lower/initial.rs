//! Types, constants and initial values: what is known before anything runs.

use wattle_logic::{Sort, Term, Value};
use wattle_program::{Init, ProcessId, Range};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Initial, Type};
use super::super::problems::Problems;
use super::symbols::{Meaning, Symbols};
use super::typed::{self, Leaves};
use crate::codes;

/// Leaves of expressions over constants, and over `me` where somebody evaluates them.
pub(crate) struct Known<'a> {
    pub symbols: &'a Symbols,
    pub problems: &'a mut Problems,
    /// Whose `me`, if any.
    pub owner: Option<ProcessId>,
}

impl Leaves for Known<'_> {
    fn symbols(&self) -> &Symbols {
        self.symbols
    }

    fn problems(&mut self) -> &mut Problems {
        self.problems
    }

    fn leaf(&mut self, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Me if self.owner.is_some() => return Some(Term::me()),
            ExprKind::Copies(process) => {
                return Some(Term::copies(self.symbols.process_named(process, self.problems)?.0));
            }
            ExprKind::Place(place) if place.index.is_none() => match self.symbols.find(&place.name.name) {
                Some(Meaning::Constant(value)) => return Some(value.clone()),
                Some(Meaning::Broken) => return None,
                None => {
                    let names = self.symbols.names();
                    self.problems.unknown(place.name.span, &place.name.name, "constant", names);
                    return None;
                }
                Some(_) => {}
            },
            _ => {}
        }
        self.problems.push(
            Diagnostic::error(codes::CONSTANT, expr.span, "this is not known before the program runs")
                .expecting("expected a constant"),
        );
        None
    }
}

/// The value of a constant expression.
pub(crate) fn constant(expr: &Expr, symbols: &Symbols, problems: &mut Problems) -> Option<Term> {
    let term = typed::term(&mut Known { symbols, problems, owner: None }, expr)?;
    match symbols.evaluate(&term, 0) {
        Some(Ok(value)) => Some(Term::value(value, term.sort())),
        Some(Err(fault)) => {
            problems.error(codes::CONSTANT, expr.span, format!("this has no value: {fault}"));
            None
        }
        None => {
            problems.error(codes::CONSTANT, expr.span, "the number of copies is not fixed");
            None
        }
    }
}

pub(crate) fn constant_integer(expr: &Expr, symbols: &Symbols, problems: &mut Problems) -> Option<i64> {
    let value = constant(expr, symbols, problems)?;
    match value.as_value() {
        Some(Value::Int(value)) => Some(*value),
        _ => {
            let found = symbols.sort_name(value.sort());
            problems.error(codes::TYPE, expr.span, format!("expected an integer, found {found}"));
            None
        }
    }
}

pub(crate) fn sort_of(
    ty: &Type,
    symbols: &Symbols,
    problems: &mut Problems,
) -> Option<(Sort, Option<Range>)> {
    Some(match ty {
        Type::Int => (Sort::Int, None),
        Type::Bool => (Sort::Bool, None),
        Type::Bits { width, signed } => (Sort::Bits { width: *width, signed: *signed }, None),
        Type::Range(low, high) => {
            let from = constant_integer(low, symbols, problems);
            let to = constant_integer(high, symbols, problems);
            let range = Range { low: from?, high: to? };
            if range.low > range.high {
                let message = format!("the range {}..{} is empty", range.low, range.high);
                problems.error(codes::RANGE, low.span.to(high.span), message);
                return None;
            }
            (Sort::Int, Some(range))
        }
        Type::Named(name) => match symbols.find(&name.name) {
            Some(Meaning::Enumeration(number)) => (Sort::Enum(*number), None),
            Some(Meaning::Broken) => return None,
            _ => {
                let enumerations = symbols.enumerations.iter().map(|info| &*info.name);
                let builtin = ["int", "bool", "u8", "i8", "u16", "i16", "u32", "i32"];
                problems.unknown(name.span, &name.name, "type", builtin.into_iter().chain(enumerations));
                return None;
            }
        },
    })
}

/// A type and what initial values it is given, of a variable or local.
pub(crate) struct Cell {
    pub sort: Sort,
    pub range: Option<Range>,
    pub init: Init,
}

/// The type and initial contents of a variable with `length` elements (`None`: a scalar), or a copy
/// of it in each copy of `owner`.
pub(crate) fn cell(
    ty: Option<&Type>,
    initial: Option<&Initial>,
    length: Option<u32>,
    owner: Option<ProcessId>,
    name: Span,
    symbols: &Symbols,
    problems: &mut Problems,
) -> Option<Cell> {
    let declared = match ty {
        Some(ty) => Some(sort_of(ty, symbols, problems)?),
        None => None,
    };
    let expressions: &[Expr] = match initial {
        None => {
            let (sort, range) = declared.unwrap_or((Sort::Int, None));
            if range.is_some_and(|range| !range.contains(0)) {
                let diagnostic =
                    Diagnostic::error(codes::RANGE, name, "0 is outside the range of this variable");
                problems.push(diagnostic.help("give it an initial value, or `= *` for any"));
                return None;
            }
            let init = Init::Values(vec![Term::value(sort.zero(), sort)]);
            return Some(Cell { sort, range, init });
        }
        Some(Initial::Any) => {
            let (sort, range) = declared.unwrap_or((Sort::Int, None));
            return Some(Cell { sort, range, init: Init::Any });
        }
        Some(Initial::Value(value)) => std::slice::from_ref(value),
        Some(Initial::List(list, span)) => {
            let wrong = match length {
                None => Some("a list of values for a variable that is no array".to_owned()),
                Some(length) if length as usize != list.len() => {
                    Some(format!("{} values for {length} elements", list.len()))
                }
                _ => None,
            };
            if let Some(message) = wrong {
                problems.error(codes::INITIAL, *span, message);
                return None;
            }
            list
        }
    };
    let mut known = Known { symbols, problems, owner };
    let mut terms = Vec::new();
    let mut sort = declared.map(|(sort, _)| sort);
    let range = declared.and_then(|(_, range)| range);
    for expr in expressions {
        let term = typed::term(&mut known, expr)?;
        let sort = *sort.get_or_insert(term.sort());
        typed::fits(&mut known, expr, term.sort(), sort)?;
        terms.push((term, expr.span));
    }
    let sort = sort.unwrap_or(Sort::Int);
    let copies = owner.and_then(|owner| symbols.process(owner).replicas.count()).unwrap_or(1);
    for (term, span) in &terms {
        for me in 0..copies {
            check(term, *span, me, sort, range, symbols, problems)?;
        }
    }
    Some(Cell { sort, range, init: Init::Values(terms.into_iter().map(|(term, _)| term).collect()) })
}

/// Report an initial value that does not exist (a division by 0) or that is outside the range of its cell.
pub(crate) fn check(
    term: &Term,
    span: Span,
    me: u32,
    sort: Sort,
    range: Option<Range>,
    symbols: &Symbols,
    problems: &mut Problems,
) -> Option<()> {
    let Some(value) = symbols.evaluate(term, me) else { return Some(()) };
    let outside = match value {
        Err(fault) => {
            problems.error(codes::INITIAL, span, format!("this initial value does not exist: {fault}"));
            return None;
        }
        Ok(Value::Int(value)) => {
            (sort.wrap(value) != value || range.is_some_and(|range| !range.contains(value))).then_some(value)
        }
        Ok(_) => None,
    };
    match outside {
        None => Some(()),
        Some(value) => {
            let home = match range {
                Some(range) => format!("{}..{}", range.low, range.high),
                None => symbols.sort_name(sort),
            };
            problems.error(codes::RANGE, span, format!("the initial value {value} is outside {home}"));
            None
        }
    }
}
