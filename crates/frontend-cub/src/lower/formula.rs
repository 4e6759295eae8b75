//! Formulas and terms of one declaration.
//!
//! Who reads depends on the place: inside a transition the acting process, in `unsafe` the observer before `@`, in `init`
//! nobody in particular. Predicates are expanded where they are used, with the processes that they are given.

use std::cell::{Cell, RefCell};

use wattle_logic::{Binary, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_program::Name;
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::names::{Names, Type, twice, unknown};
use super::{Lowered, PROC};
use crate::ast::{Arithmetic, Comparison, Expr, ExprKind, Formula, FormulaKind, Ident, Join, Quantified};
use crate::codes;

/// What kind of declaration a formula belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// `init`: all processes see the same.
    Init,
    /// `unsafe` and `invariant`: the text says who sees it.
    State,
    /// A transition with an acting process, or without.
    Step { acts: bool },
}

/// Terms larger than this, with predicates expanded, are refused.
const LARGEST: u32 = 100_000;
const DEEPEST_CALL: usize = 30;

pub(super) struct Scope<'a> {
    names: &'a Names<'a>,
    place: Place,
    /// Processes and what `let` or a predicate has named, the latest last.
    known: RefCell<Vec<(Name, Term, Type)>>,
    /// What `forall_other` leaves out.
    pub others: Vec<Term>,
    next_bound: Cell<u32>,
    calls: Cell<usize>,
    /// Was a weak variable read?
    pub reads_weak: Cell<bool>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(names: &'a Names<'a>, place: Place) -> Scope<'a> {
        Scope {
            names,
            place,
            known: RefCell::default(),
            others: vec![],
            next_bound: Cell::new(0),
            calls: Cell::new(0),
            reads_weak: Cell::new(false),
        }
    }

    /// From here on the name stands for this process.
    pub(super) fn name(&self, ident: &Ident, term: Term, of: Type) {
        self.known.borrow_mut().push((ident.name.clone(), term, of));
    }

    /// A new bound variable with this name.
    pub(super) fn bind(&self, ident: &Ident) -> u32 {
        let number = self.next_bound.get();
        self.next_bound.set(number + 1);
        self.name(ident, Term::bound_process(number), Type::Proc);
        number
    }

    pub(super) fn bind_all(&mut self, idents: &[Ident]) -> Lowered<Vec<u32>> {
        distinct(idents)?;
        Ok(idents.iter().map(|ident| self.bind(ident)).collect())
    }

    /// Do something with the names as they are now, and forget those that it adds.
    pub(super) fn within<T>(&self, inner: impl FnOnce() -> T) -> T {
        let length = self.known.borrow().len();
        let result = inner();
        self.known.borrow_mut().truncate(length);
        result
    }

    pub(super) fn find(&self, name: &str) -> Option<(Term, Type)> {
        let known = self.known.borrow();
        let found = known.iter().rev().find(|(other, ..)| &**other == name);
        found.map(|(_, term, of)| (term.clone(), of.clone()))
    }

    pub(super) fn formula(&self, formula: &Formula) -> Lowered<Term> {
        let term = match &formula.kind {
            FormulaKind::Literal(value) => Term::bool(*value),
            FormulaKind::Fence(_) => {
                let message =
                    "`fence()` can only be a condition of a guard that is joined to the others with `&&`";
                return refuse(codes::FENCE, formula.span, message);
            }
            FormulaKind::Compare(comparison, left, right) => self.comparison(*comparison, left, right)?,
            FormulaKind::Term(term) => self.of_type(term, &Type::Bool)?,
            FormulaKind::Call(name, arguments) => self.call(name, arguments)?,
            FormulaKind::Not(inner) => Term::unary(Unary::Not, self.formula(inner)?),
            FormulaKind::Join(join, pair) => {
                let operator = match join {
                    Join::And => Binary::And,
                    Join::Or => Binary::Or,
                    Join::Implies => Binary::Implies,
                    Join::Iff => Binary::Equal,
                };
                let left = self.formula(&pair.0)?;
                Term::binary(operator, left, self.formula(&pair.1)?)
            }
            FormulaKind::If(parts) => {
                let condition = self.formula(&parts.0)?;
                let then = self.formula(&parts.1)?;
                Term::if_then_else(condition, then, self.formula(&parts.2)?)
            }
            FormulaKind::Quantified(quantified, body) => self.quantified(quantified, body)?,
        };
        if term.size() > LARGEST {
            return refuse(
                codes::NESTING,
                formula.span,
                "with its predicates expanded, this formula is too large",
            );
        }
        Ok(term)
    }

    fn quantified(&self, quantified: &Quantified, body: &Formula) -> Lowered<Term> {
        distinct(&quantified.bound)?;
        self.within(|| {
            let numbers: Vec<u32> = quantified.bound.iter().map(|ident| self.bind(ident)).collect();
            let bound: Vec<Term> = numbers.iter().map(|number| Term::bound_process(*number)).collect();
            // Those for which the body says nothing: equal to each other or, with `_other`, to a parameter.
            let mut pairs: Vec<(Term, Term)> = Vec::new();
            for (at, one) in bound.iter().enumerate() {
                pairs.extend(bound[at + 1..].iter().map(|other| (one.clone(), other.clone())));
                if quantified.other {
                    pairs.extend(self.others.iter().map(|other| (one.clone(), other.clone())));
                }
            }
            let body = self.formula(body)?;
            let (quantifier, body) = match quantified.universal {
                true => {
                    let same = pairs.into_iter().map(|(a, b)| a.equals(b));
                    (Quantifier::Forall, same.chain([body]).reduce(Term::or))
                }
                false => {
                    let differ = pairs.into_iter().map(|(a, b)| Term::binary(Binary::NotEqual, a, b));
                    (Quantifier::Exists, differ.chain([body]).reduce(Term::and))
                }
            };
            let body = body.unwrap_or_else(|| Term::bool(true));
            Ok(numbers
                .iter()
                .rev()
                .fold(body, |body, number| Term::quantified(quantifier, *number, PROC, body)))
        })
    }

    /// A predicate is written out; inside, only its parameters have names.
    fn call(&self, name: &Ident, arguments: &[Expr]) -> Lowered<Term> {
        let known = self.names.predicates.keys().map(|name| &**name);
        let predicate =
            *self.names.predicates.get(&name.name).ok_or_else(|| unknown("predicate", name, known))?;
        if predicate.parameters.len() != arguments.len() {
            let (wanted, given) = (predicate.parameters.len(), arguments.len());
            let message = format!("`{}` has {wanted} parameters, and {given} are given", name.name);
            return refuse(codes::INDICES, name.span, message);
        }
        if self.calls.get() >= DEEPEST_CALL {
            let message = format!("predicates use each other more than {DEEPEST_CALL} times over");
            return refuse(codes::NESTING, name.span, message);
        }
        let values: Vec<(Term, Type)> =
            arguments.iter().map(|argument| self.term(argument)).collect::<Lowered<_>>()?;
        self.calls.set(self.calls.get() + 1);
        let outside = std::mem::take(&mut *self.known.borrow_mut());
        for (parameter, (term, of)) in predicate.parameters.iter().zip(values) {
            self.name(parameter, term, of);
        }
        let result = self.formula(&predicate.body);
        *self.known.borrow_mut() = outside;
        self.calls.set(self.calls.get() - 1);
        result
    }

    fn comparison(&self, comparison: Comparison, left: &Expr, right: &Expr) -> Lowered<Term> {
        let (a, of) = self.term(left)?;
        let (b, other) = self.term(right)?;
        if of != other {
            return mismatch(right.span, &of, &other);
        }
        let operator = match comparison {
            Comparison::Equal => Binary::Equal,
            Comparison::NotEqual => Binary::NotEqual,
            Comparison::Less => Binary::Less,
            Comparison::LessEqual => Binary::LessEqual,
            Comparison::Greater => Binary::Greater,
            Comparison::GreaterEqual => Binary::GreaterEqual,
        };
        let ordered = matches!(of, Type::Int | Type::Proc);
        if !ordered && !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            let message = format!("values of type `{}` have no order", of.name());
            return refuse(codes::SORT, left.span.to(right.span), message);
        }
        Ok(Term::binary(operator, a, b))
    }

    /// A term that must have this type.
    pub(super) fn of_type(&self, expr: &Expr, wanted: &Type) -> Lowered<Term> {
        let (term, of) = self.term(expr)?;
        if of == *wanted { Ok(term) } else { mismatch(expr.span, wanted, &of) }
    }

    pub(super) fn term(&self, expr: &Expr) -> Lowered<(Term, Type)> {
        Ok(match &expr.kind {
            ExprKind::Integer(value) => (Term::int(*value), Type::Int),
            ExprKind::Bool(value) => (Term::bool(*value), Type::Bool),
            ExprKind::Real => return refuse(codes::REAL, expr.span, "real numbers are not supported"),
            ExprKind::Process(number) => (numbered(*number), Type::Proc),
            ExprKind::Small(ident) => self.process(ident)?,
            ExprKind::Capital { observer, name, indices } => {
                return self.access(observer.as_deref(), name, indices, expr.span);
            }
            ExprKind::Negate(inner) => {
                (Term::unary(Unary::Negate, self.of_type(inner, &Type::Int)?), Type::Int)
            }
            ExprKind::Arithmetic(operator, pair) => {
                let left = self.of_type(&pair.0, &Type::Int)?;
                let right = self.of_type(&pair.1, &Type::Int)?;
                let operator = match operator {
                    Arithmetic::Add => Binary::Add,
                    Arithmetic::Subtract => Binary::Subtract,
                    Arithmetic::Multiply => Binary::Multiply,
                };
                (Term::binary(operator, left, right), Type::Int)
            }
        })
    }

    fn process(&self, ident: &Ident) -> Lowered<(Term, Type)> {
        self.find(&ident.name).ok_or_else(|| {
            let message = format!("there is no process `{}` here", ident.name);
            let problem = Diagnostic::error(codes::UNKNOWN_PROCESS, ident.span, message);
            let known = self.known.borrow();
            let names = known.iter().map(|(name, ..)| &**name);
            Box::new(match did_you_mean(&ident.name, names) {
                Some(help) => problem.help(help),
                None => problem.help("processes are the parameters, and what a quantifier binds"),
            })
        })
    }

    fn access(
        &self,
        observer: Option<&Expr>,
        name: &Ident,
        indices: &[Expr],
        span: Span,
    ) -> Lowered<(Term, Type)> {
        if let (None, Some(value)) = (observer, self.names.constructor(&name.name)) {
            return match indices.is_empty() {
                true => Ok(value),
                false => refuse(codes::INDICES, span, format!("`{}` is a value and has no index", name.name)),
            };
        }
        let symbol = self.names.variable(name)?;
        let indices: Vec<Term> =
            indices.iter().map(|index| self.of_type(index, &Type::Proc)).collect::<Lowered<_>>()?;
        if indices.len() != symbol.arity {
            return wrong_indices(name, symbol.arity, indices.len(), span);
        }
        let (address, sort) = (Term::address(symbol.number, indices), symbol.of.sort());
        let observer = observer.map(|observer| self.of_type(observer, &Type::Proc)).transpose()?;
        let term = match (observer, self.place) {
            (Some(_), Place::Init) => {
                return refuse(
                    codes::OBSERVER,
                    span,
                    "in `init` all processes see the same: leave out the observer",
                );
            }
            (Some(copy), Place::Step { acts }) if !acts || copy != Term::me_process() => {
                let message = "in a transition the acting process reads: leave out the observer";
                return refuse(codes::OBSERVER, span, message);
            }
            _ if !symbol.weak => Term::content(address, sort),
            (Some(copy), Place::State) => Term::seen(PROC, copy, address, sort),
            (None, Place::Init) => Term::content(address, sort),
            (None, Place::State) => {
                let problem = Diagnostic::error(codes::OBSERVER, span, format!("who sees `{}`?", name.name));
                return Err(Box::new(
                    problem.help(format!("write `p@{}` for what process `p` sees", name.name)),
                ));
            }
            (_, Place::Step { acts: true }) => {
                self.reads_weak.set(true);
                Term::seen(PROC, Term::me_process(), address, sort)
            }
            (_, Place::Step { acts: false }) => return Err(no_actor(name.span, &name.name, "reads")),
        };
        Ok((term, symbol.of.clone()))
    }
}

/// Which process reads or writes a weak variable?
pub(super) fn no_actor(span: Span, variable: &str, does: &str) -> Box<Diagnostic> {
    let message = format!("which process {does} `{variable}`?");
    let help = "write the acting process first and in square brackets: `transition t ([p])`";
    Box::new(Diagnostic::error(codes::ACTOR, span, message).help(help))
}

pub(super) fn wrong_indices<T>(name: &Ident, wanted: usize, given: usize, span: Span) -> Lowered<T> {
    let say = |count: usize| match count {
        0 => "no index".to_owned(),
        1 => "one index".to_owned(),
        count => format!("{count} indices"),
    };
    let message = format!(
        "`{}` has {}, and {} given",
        name.name,
        say(wanted),
        if given == 1 { "one is".into() } else { format!("{given} are") }
    );
    refuse(codes::INDICES, span, message)
}

/// `#n`, which the text counts from 1.
pub(super) fn numbered(number: u32) -> Term {
    Term::value(Value::Process(number - 1), Sort::Process)
}

/// That these processes are different from each other, one condition a pair.
pub(super) fn different(processes: Vec<Term>) -> Vec<Term> {
    let mut result = Vec::new();
    for (at, one) in processes.iter().enumerate() {
        for other in &processes[at + 1..] {
            result.push(Term::binary(Binary::NotEqual, one.clone(), other.clone()));
        }
    }
    result
}

pub(super) fn distinct(idents: &[Ident]) -> Lowered<()> {
    for (at, ident) in idents.iter().enumerate() {
        if let Some(first) = idents[..at].iter().find(|other| other.name == ident.name) {
            return Err(Box::new(twice(ident, first.span)));
        }
    }
    Ok(())
}

/// The bound variables that occur in a term.
pub(super) fn bound_in(term: &Term) -> Vec<u32> {
    let mut found = Vec::new();
    term.walk(&mut |node| {
        if let wattle_logic::Kind::Symbol(Symbol::Bound(number)) = node.kind()
            && !found.contains(number)
        {
            found.push(*number);
        }
    });
    found
}

fn mismatch<T>(span: Span, wanted: &Type, found: &Type) -> Lowered<T> {
    let message =
        format!("expected a term of type `{}`, found one of type `{}`", wanted.name(), found.name());
    Err(Box::new(
        Diagnostic::error(codes::SORT, span, message).expecting(format!("expected `{}`", wanted.name())),
    ))
}

pub(super) fn refuse<T>(code: wattle_source::Code, span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Box::new(Diagnostic::error(code, span, message)))
}
