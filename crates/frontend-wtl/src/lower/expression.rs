//! Expressions in threads: what they read, and in which order.
//!
//! Each mention of a shared variable is one load into a hidden local, left to right, **all** of
//! them: `&&` and `||` do not cut evaluation short, because papers' conditions are sets of reads and
//! an engine must see the same reads on every path. Read-modify-writes take their turn among the
//! loads.

use wattle_logic::{Binary, Sort, Term};
use wattle_program::passes::ORDERED;
use wattle_program::{Choice, Dimension, Mode, Name, Op, Tags};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Ident, Place, Update, UpdateKind};
use super::super::problems::Problems;
use super::body::Body;
use super::emit::{Action, Way};
use super::symbols::{Meaning, Symbols};
use super::typed::{self, Leaves};
use crate::codes;

/// An expression on its way: the accesses found so far.
pub(crate) struct Reads<'b, 'a, 'v> {
    pub body: &'b mut Body<'a>,
    pub actions: &'v mut Vec<Action>,
}

/// What a place is.
#[derive(Clone, Debug)]
pub(crate) enum Resolved {
    Local(u32),
    Shared { address: Term, sort: Sort, variable: u32 },
}

impl Leaves for Reads<'_, '_, '_> {
    fn symbols(&self) -> &Symbols {
        self.body.symbols
    }

    fn problems(&mut self) -> &mut Problems {
        self.body.problems
    }

    fn leaf(&mut self, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Me => Some(Term::me()),
            ExprKind::Copies(process) => {
                Some(Term::copies(self.body.symbols.process_named(process, self.body.problems)?.0))
            }
            ExprKind::Place(place) => self.read(place),
            ExprKind::Star => {
                let local = self.body.temporary(expr.span, Sort::Bool);
                self.actions.push(Action::Local(Op::Havoc { local, among: Choice::Any }));
                Some(self.body.local_term(local))
            }
            ExprKind::Nondet(low, high) => {
                let local = self.body.temporary(expr.span, Sort::Int);
                self.choose(low, high, local)?;
                Some(self.body.local_term(local))
            }
            ExprKind::Update(update, place, arguments) => {
                self.update(*update, place, arguments, expr.span, None)
            }
            _ => {
                let message = "this speaks of whole states and can stand in properties only";
                self.body.problems.push(
                    Diagnostic::error(codes::FORMULA, expr.span, message)
                        .help("a thread sees shared variables and its own locals"),
                );
                None
            }
        }
    }
}

impl Reads<'_, '_, '_> {
    /// `nondet(low, high)` into a local.
    pub(crate) fn choose(&mut self, low: &Expr, high: &Expr, local: u32) -> Option<()> {
        let from = typed::integer(self, low);
        let to = typed::integer(self, high);
        let among = Choice::Between(from?, to?);
        self.actions.push(Action::Local(Op::Havoc { local, among }));
        Some(())
    }

    fn read(&mut self, place: &Place) -> Option<Term> {
        if let Some(Meaning::Constant(value)) = self.constant(place) {
            if place.index.is_some() {
                return self.not_an_array(place);
            }
            return Some(value);
        }
        match self.resolve(place)? {
            Resolved::Local(local) => Some(self.body.local_term(local)),
            Resolved::Shared { address, sort, .. } => {
                let into = self.body.temporary(place.span, sort);
                self.load(into, address, None);
                Some(self.body.local_term(into))
            }
        }
    }

    fn constant(&self, place: &Place) -> Option<Meaning> {
        let name = &place.name.name;
        let hidden = self.body.names.contains_key(name)
            || self.body.symbols.process(self.body.process).owned.contains_key(name);
        self.body.symbols.find(name).filter(|_| !hidden).cloned()
    }

    pub(crate) fn load(&mut self, into: u32, address: Term, tag: Option<&str>) {
        let tags: Tags = tag.into_iter().map(Into::into).collect();
        let ops = vec![Op::Load { into, address, tags }];
        self.actions.push(Action::Access(vec![Way { mode: Mode::Plain, ops, known: None }]));
    }

    /// A local or shared place; reads in its index join the actions.
    pub(crate) fn resolve(&mut self, place: &Place) -> Option<Resolved> {
        let name = &place.name.name;
        if let Some((local, _)) = self.body.names.get(name) {
            let local = (*local)?;
            return if place.index.is_some() {
                self.not_an_array(place)
            } else {
                Some(Resolved::Local(local))
            };
        }
        let owned = self.body.symbols.process(self.body.process).owned.get(name).map(|(meaning, _)| meaning);
        match owned.or_else(|| self.body.symbols.find(name)) {
            Some(Meaning::Variable(variable)) => {
                let variable = *variable;
                let copy = self.body.symbols.is_per_copy(variable).then(Term::me);
                let address = self.address(variable, copy, place)?;
                let sort = self.body.symbols.variables[variable as usize].sort;
                Some(Resolved::Shared { address, sort, variable })
            }
            Some(Meaning::Broken) => None,
            Some(other) => {
                let what = match other {
                    Meaning::Constant(_) => "a constant",
                    Meaning::Enumeration(_) => "an enumeration",
                    _ => "a thread",
                };
                let message = format!("`{name}` is {what}, not a variable");
                self.body.problems.error(codes::NOT_A_VARIABLE, place.name.span, message);
                None
            }
            None => {
                self.unknown(&place.name);
                None
            }
        }
    }

    /// The address of a variable, or of its element; `copy` is the copy of its owner.
    pub(crate) fn address(&mut self, variable: u32, copy: Option<Term>, place: &Place) -> Option<Term> {
        let info = &self.body.symbols.variables[variable as usize];
        let own = info.dimensions.get(usize::from(copy.is_some())).copied();
        let mut indices: Vec<Term> = copy.into_iter().collect();
        match (own, &place.index) {
            (None, None) => {}
            (None, Some(_)) => return self.not_an_array(place),
            (Some(_), None) => {
                let message = format!("`{}` is an array: say which element", place.name.name);
                let diagnostic = Diagnostic::error(codes::INDEX, place.span, message);
                self.body.problems.push(diagnostic.expecting(format!("expected `{}[…]`", place.name.name)));
                return None;
            }
            (Some(dimension), Some(index)) => {
                let term = typed::integer(self, index)?;
                warn_outside(self.body.problems, &term, dimension, index.span);
                indices.push(term);
            }
        }
        Some(Term::address(variable, indices))
    }

    fn not_an_array<T>(&mut self, place: &Place) -> Option<T> {
        let message = format!("`{}` is not an array", place.name.name);
        self.body.problems.error(codes::INDEX, place.span, message);
        None
    }

    pub(crate) fn unknown(&mut self, name: &Ident) {
        let locals = self.body.names.keys().map(|name| &**name);
        let owned = self.body.symbols.process(self.body.process).owned.keys().map(|name| &**name);
        let names = locals.chain(owned).chain(self.body.symbols.names());
        self.body.problems.unknown(name.span, &name.name, "variable", names);
    }

    /// A read-modify-write; `result` is the local for a `cas`'s success, if there is one already.
    pub(crate) fn update(
        &mut self,
        update: Update,
        place: &Place,
        arguments: &[Expr],
        span: Span,
        result: Option<u32>,
    ) -> Option<Term> {
        let kind = update.kind;
        if let (Some(_), Some(section)) = (update.order, self.body.section) {
            let message = "the section is locked as a whole: an order has no meaning inside";
            let diagnostic = Diagnostic::error(codes::ATOMIC, span, message);
            self.body.problems.push(diagnostic.label(section, "the section"));
            return None;
        }
        let resolved = self.resolve(place);
        if let Some(Resolved::Local(_)) = resolved {
            let message =
                format!("`{}` is a local: only shared variables are updated atomically", place.name.name);
            self.body.problems.error(codes::NOT_SHARED, place.span, message);
            return None;
        }
        let sort = match &resolved {
            Some(Resolved::Shared { sort, .. }) => Some(*sort),
            _ => None,
        };
        let values: Vec<Option<Term>> = (arguments.iter())
            .map(|argument| match sort {
                Some(sort) if kind == UpdateKind::FetchAdd && !sort.is_integer() => {
                    typed::fits(self, argument, sort, Sort::Int)?;
                    None
                }
                Some(sort) => typed::of_sort(self, argument, sort),
                None => typed::term(self, argument),
            })
            .collect();
        let values: Vec<Term> = values.into_iter().collect::<Option<_>>()?;
        let Resolved::Shared { address, sort, .. } = resolved? else { return None };
        let old = self.body.temporary(place.span, sort);
        let old_term = self.body.local_term(old);
        let tags = |mark: Option<&str>| -> Tags {
            let ordered = update.order.map(|_| ORDERED);
            ordered.into_iter().chain(mark).map(Name::from).collect()
        };
        let acquires = update.order.is_some_and(|order| order.acquire).then_some("acq");
        let releases = update.order.is_some_and(|order| order.release).then_some("rel");
        let load = Op::Load { into: old, address: address.clone(), tags: tags(acquires) };
        let store = |value: Term| Op::Store { address: address.clone(), value, tags: tags(releases) };
        let locked = |ops, known| Way { mode: Mode::Locked, ops, known };
        match (kind, values.as_slice()) {
            (UpdateKind::Cas, [expected, new]) => {
                let result = result.unwrap_or_else(|| self.body.temporary(span, Sort::Bool));
                let same = old_term.clone().equals(expected.clone());
                let differs = Term::binary(Binary::NotEqual, old_term, expected.clone());
                let is = |value| Op::Assign { local: result, value: Term::bool(value) };
                let success =
                    vec![load.clone(), Op::Assume { condition: same }, store(new.clone()), is(true)];
                let failure = vec![load, Op::Assume { condition: differs }, is(false)];
                self.actions.push(Action::Access(vec![
                    locked(success, Some((result, true))),
                    locked(failure, Some((result, false))),
                ]));
                Some(self.body.local_term(result))
            }
            (UpdateKind::Exchange, [new]) => {
                let ops = vec![load, store(new.clone())];
                self.actions.push(Action::Access(vec![locked(ops, None)]));
                Some(old_term)
            }
            (_, [amount]) => {
                let sum = Term::binary(Binary::Add, old_term.clone(), amount.clone());
                self.actions.push(Action::Access(vec![locked(vec![load, store(sum)], None)]));
                Some(old_term)
            }
            _ => None,
        }
    }
}

/// An index that is surely wrong is a fault when it is reached; the reader should know before.
fn warn_outside(problems: &mut Problems, index: &Term, dimension: Dimension, span: Span) {
    let (Dimension::Fixed(length), Some(value)) =
        (dimension, index.as_value().and_then(|value| value.as_int()))
    else {
        return;
    };
    if value < 0 || value >= i64::from(length) {
        let message = format!("the index {value} is outside 0..{}", i64::from(length) - 1);
        problems.warn(Diagnostic::warning(codes::OUTSIDE, span, message));
    }
}

impl Body<'_> {
    /// Is the expression's value known when the thread starts (or at least when all initial values
    /// are)? Unknown names count as known, so that they are reported in one place.
    pub(crate) fn is_closed(&self, expr: &Expr) -> bool {
        let all = |parts: &[&Expr]| parts.iter().all(|part| self.is_closed(part));
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Me | ExprKind::Copies(_) => true,
            ExprKind::Place(place) => match self.names.get(&place.name.name) {
                Some((Some(local), _)) => self.has_small_initial(*local),
                Some((None, _)) => true,
                None => {
                    let owned = self.symbols.process(self.process).owned.contains_key(&place.name.name);
                    !owned && !matches!(self.symbols.find(&place.name.name), Some(Meaning::Variable(_)))
                }
            },
            ExprKind::Unary(_, operand) => all(&[operand]),
            ExprKind::Binary(_, left, right) => all(&[left, right]),
            ExprKind::If(test, then, otherwise) => all(&[test, then, otherwise]),
            _ => false,
        }
    }
}
