//! Formulas over whole states: properties, observed terms, predicates, constraints on the start.

use wattle_logic::{Binary, Quantifier, Term};
use wattle_program::{Process, ProcessId, Replicas};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Ident, Place, Target};
use super::super::problems::Problems;
use super::symbols::{Meaning, Symbols};
use super::typed::{self, Leaves};
use crate::codes;

/// Which states a formula speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Memory at the start only.
    Start,
    Anywhere,
}

pub(crate) struct Formula<'a> {
    symbols: &'a Symbols,
    processes: &'a [Process],
    problems: &'a mut Problems,
    scope: Scope,
    /// The names that quantifiers bind here, innermost last.
    bound: Vec<Ident>,
}

impl<'a> Formula<'a> {
    pub(crate) fn new(
        symbols: &'a Symbols,
        processes: &'a [Process],
        problems: &'a mut Problems,
        scope: Scope,
    ) -> Formula<'a> {
        Formula { symbols, processes, problems, scope, bound: Vec::new() }
    }

    pub(crate) fn condition(&mut self, expr: &Expr) -> Option<Term> {
        typed::condition(self, expr)
    }

    pub(crate) fn term(&mut self, expr: &Expr) -> Option<Term> {
        typed::term(self, expr)
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>, help: &str) -> Option<T> {
        let diagnostic = Diagnostic::error(codes::FORMULA, span, message);
        self.problems.push(if help.is_empty() { diagnostic } else { diagnostic.help(help) });
        None
    }

    fn name(&mut self, place: &Place) -> Option<Term> {
        let name = &place.name.name;
        if let Some(number) = self.bound.iter().rposition(|bound| bound.name == *name) {
            if place.index.is_some() {
                return self.error(place.span, format!("`{name}` is not an array"), "");
            }
            return Some(Term::bound(number as u32));
        }
        match self.symbols.find(name) {
            Some(Meaning::Constant(value)) if place.index.is_none() => Some(value.clone()),
            Some(Meaning::Variable(variable)) => self.content(*variable, None, place),
            Some(Meaning::Broken) => None,
            Some(Meaning::Process(_)) => {
                let help = format!("`{name}@label` or `{name}.local`");
                self.error(place.span, format!("`{name}` is a thread, not a value"), &help)
            }
            Some(_) => self.error(place.span, format!("`{name}` is not a variable"), ""),
            None => {
                self.unknown(&place.name);
                None
            }
        }
    }

    /// Report an unknown name. If some thread has a local or a variable of this name, the hint is to say whose it
    /// is; otherwise it is the most similar name.
    fn unknown(&mut self, name: &Ident) {
        let knows = |symbol: &ProcessId| {
            let number = symbol.0 as usize;
            self.symbols.processes[number].owned.contains_key(&name.name)
                || self.processes[number].locals.iter().any(|local| !local.hidden && local.name == name.name)
        };
        if let Some(process) = self.symbols.process_ids().find(knows) {
            let process = self.symbols.process(process);
            let index = if process.replicas == Replicas::Once { "" } else { "[…]" };
            let message = format!("`{}` belongs to {}", name.name, process.name);
            let help = format!("write `{}{index}.{}`", process.name, name.name);
            let diagnostic = Diagnostic::error(codes::UNKNOWN_NAME, name.span, message);
            self.problems.push(diagnostic.help(help));
            return;
        }
        let bound = self.bound.iter().map(|bound| &*bound.name);
        self.problems.unknown(name.span, &name.name, "variable", bound.chain(self.symbols.names()));
    }

    /// What memory holds at a variable, or at its element.
    fn content(&mut self, variable: u32, copy: Option<Term>, place: &Place) -> Option<Term> {
        let info = &self.symbols.variables[variable as usize];
        let (sort, is_array) = (info.sort, info.dimensions.len() > usize::from(copy.is_some()));
        let mut indices: Vec<Term> = copy.into_iter().collect();
        match (&place.index, is_array) {
            (None, false) => {}
            (Some(index), true) => indices.push(typed::integer(self, index)?),
            (None, true) => {
                let message = format!("`{}` is an array: say which element", place.name.name);
                self.problems.error(codes::INDEX, place.span, message);
                return None;
            }
            (Some(_), false) => {
                self.problems.error(
                    codes::INDEX,
                    place.span,
                    format!("`{}` is not an array", place.name.name),
                );
                return None;
            }
        }
        Some(Term::content(Term::address(variable, indices), sort))
    }

    fn target(&mut self, target: &Target) -> Option<(ProcessId, Term)> {
        let process = self.symbols.process_named(&target.process, self.problems)?;
        let symbol = self.symbols.process(process);
        let copy = match (&target.copy, symbol.replicas) {
            (None, Replicas::Once) => Term::int(0),
            (None, _) => {
                let message = format!("`{}` has several copies: say which", symbol.name);
                self.problems.push(
                    Diagnostic::error(codes::COPY, target.span, message)
                        .expecting(format!("expected `{}[…]`", symbol.name))
                        .help(format!("`exists i in {0}: {0}[i]…` means some copy", symbol.name)),
                );
                return None;
            }
            (Some(copy), Replicas::Once) => {
                let message = format!("`{}` has no copies to choose from", symbol.name);
                self.problems.error(codes::COPY, copy.span, message);
                return None;
            }
            (Some(copy), replicas) => {
                let term = typed::integer(self, copy)?;
                if let (Some(value), Some(count)) =
                    (term.as_value().and_then(|value| value.as_int()), replicas.count())
                    && !(0..i64::from(count)).contains(&value)
                {
                    let message = format!("there is no copy {value}: copies are 0 to {}", count - 1);
                    self.problems.error(codes::COPY, copy.span, message);
                    return None;
                }
                term
            }
        };
        Some((process, copy))
    }

    fn member(&mut self, target: &Target, place: &Place) -> Option<Term> {
        let (process, copy) = self.target(target)?;
        let symbol = self.symbols.process(process);
        match symbol.owned.get(&place.name.name) {
            Some((Meaning::Variable(variable), _)) => {
                let copy = self.symbols.is_per_copy(*variable).then_some(copy);
                return self.content(*variable, copy, place);
            }
            Some(_) => return None,
            None => {}
        }
        let locals = &self.processes[process.0 as usize].locals;
        let found = locals.iter().position(|local| !local.hidden && local.name == place.name.name);
        let Some(local) = found else {
            let what = format!("local or variable of {}", symbol.name);
            let locals = locals.iter().filter(|local| !local.hidden).map(|local| &*local.name);
            let owned = symbol.owned.keys().map(|name| &**name);
            self.problems.unknown(place.name.span, &place.name.name, &what, locals.chain(owned));
            return None;
        };
        if self.scope == Scope::Start {
            return self.error(place.span, "`init` speaks of memory only", "give the local an initial value");
        }
        if place.index.is_some() {
            return self.error(place.span, format!("`{}` is not an array", place.name.name), "");
        }
        Some(Term::local_of(process.0, copy, local as u32, locals[local].sort))
    }

    fn at(&mut self, target: &Target, label: &Ident) -> Option<Term> {
        let (process, copy) = self.target(target)?;
        if self.scope == Scope::Start {
            return self.error(target.span.to(label.span), "`init` speaks of memory only", "");
        }
        if &*label.name == "end" {
            return Some(Term::ended(process.0, copy));
        }
        let info = &self.processes[process.0 as usize];
        match info.cfg.labelled(&label.name) {
            // A section is one step: while a thread is inside, nothing is judged.
            Some(point) if info.cfg.point(point).inside.is_some() => {
                let message = format!("`{}` stands inside an atomic section", label.name);
                self.error(label.span, message, "nothing is judged inside a section; put the label outside")
            }
            // A statement of several steps has its label at each point on the way.
            Some(_) => {
                let points = info.cfg.points.iter().enumerate();
                let here = points.filter(|(_, point)| point.labels.contains(&label.name));
                here.map(|(point, _)| Term::at(process.0, copy.clone(), point as u32)).reduce(Term::or)
            }
            None => {
                let labels = info.cfg.points.iter().flat_map(|point| &point.labels).map(|label| &**label);
                let what = format!("label in {}", info.name);
                self.problems.unknown(label.span, &label.name, &what, labels.chain(["end"]));
                None
            }
        }
    }

    /// Several names mean distinct copies.
    fn quantified(
        &mut self,
        quantifier: Quantifier,
        names: &[Ident],
        process: &Ident,
        body: &Expr,
    ) -> Option<Term> {
        let process = self.symbols.process_named(process, self.problems)?;
        let first = self.bound.len();
        self.bound.extend(names.iter().cloned());
        let body = typed::condition(self, body);
        self.bound.truncate(first);
        let last = first + names.len();
        let mut distinct = Vec::new();
        for one in first..last {
            for other in one + 1..last {
                let (one, other) = (Term::bound(one as u32), Term::bound(other as u32));
                distinct.push(Term::binary(Binary::NotEqual, one, other));
            }
        }
        let mut formula = body?;
        if !distinct.is_empty() {
            let operator = match quantifier {
                Quantifier::Forall => Binary::Implies,
                Quantifier::Exists => Binary::And,
            };
            formula = Term::binary(operator, Term::conjunction(distinct), formula);
        }
        for bound in (first..last).rev() {
            formula = Term::quantified(quantifier, bound as u32, process.0, formula);
        }
        Some(formula)
    }
}

impl Leaves for Formula<'_> {
    fn symbols(&self) -> &Symbols {
        self.symbols
    }

    fn problems(&mut self) -> &mut Problems {
        self.problems
    }

    fn leaf(&mut self, expr: &Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Place(place) => self.name(place),
            ExprKind::Copies(process) => {
                Some(Term::copies(self.symbols.process_named(process, self.problems)?.0))
            }
            ExprKind::Member(target, place) => self.member(target, place),
            ExprKind::At(target, label) => self.at(target, label),
            ExprKind::Quantified { quantifier, names, process, body } => {
                self.quantified(*quantifier, names, process, body)
            }
            ExprKind::Me => self.error(
                expr.span,
                "`me` has no meaning in a formula",
                "bind a copy with `forall i in p: …` or `exists i in p: …`",
            ),
            _ => self.error(expr.span, "a formula only looks: it cannot choose or change anything", ""),
        }
    }
}
