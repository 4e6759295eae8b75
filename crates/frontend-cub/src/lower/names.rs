//! What names stand for: types, constructors, variables, predicates.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Sort, Term, Value};
use wattle_program::{Dimension, Enumeration, Init, Name, ProcessId, Variable};
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::{Lowered, PROC};
use crate::ast::{Expr, ExprKind, File, Formula, FormulaKind, Ident, Predicate, SymbolDef};
use crate::codes;

/// The type of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool,
    Int,
    Proc,
    /// The number of the enumeration, and its name.
    Enum(u32, Name),
    /// Values that can only be compared. In the program they are integers.
    Abstract(Name),
}

impl Type {
    pub(super) fn sort(&self) -> Sort {
        match self {
            Type::Bool => Sort::Bool,
            Type::Int | Type::Abstract(_) => Sort::Int,
            Type::Proc => Sort::Process,
            Type::Enum(number, _) => Sort::Enum(*number),
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Proc => "proc",
            Type::Enum(_, name) | Type::Abstract(name) => name,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub number: u32,
    pub of: Type,
    pub arity: usize,
    pub weak: bool,
    /// Declared `const`.
    pub constant: bool,
    /// No transition assigns to it, whatever it is declared as.
    pub fixed: bool,
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Names<'a> {
    pub enumerations: Vec<Enumeration>,
    types: BTreeMap<Name, Type>,
    pub constructors: BTreeMap<Name, (Type, u32)>,
    /// With their names, in the order of the text.
    pub symbols: Vec<(Name, Symbol)>,
    pub predicates: BTreeMap<Name, &'a Predicate>,
}

impl<'a> Names<'a> {
    pub(super) fn of(tree: &'a File, problems: &mut Vec<Diagnostic>) -> Names<'a> {
        let mut names = Names {
            enumerations: vec![],
            types: BTreeMap::from([
                ("bool".into(), Type::Bool),
                ("int".into(), Type::Int),
                ("proc".into(), Type::Proc),
            ]),
            constructors: BTreeMap::new(),
            symbols: vec![],
            predicates: BTreeMap::new(),
        };
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let mut once = |ident: &'a Ident, problems: &mut Vec<Diagnostic>| {
            let first = *seen.entry(&ident.name).or_insert(ident.span);
            if first != ident.span {
                problems.push(twice(ident, first));
            }
            first == ident.span
        };
        for def in &tree.types {
            if ["bool", "int", "proc", "real"].contains(&&*def.name.name) {
                let message = format!("`{}` is a type already", def.name.name);
                problems.push(Diagnostic::error(codes::DUPLICATE, def.name.span, message));
                continue;
            }
            if !once(&def.name, problems) {
                continue;
            }
            let of = match &def.constructors {
                None => Type::Abstract(def.name.name.clone()),
                Some(constructors) => {
                    let of = Type::Enum(names.enumerations.len() as u32, def.name.name.clone());
                    for (number, constructor) in constructors.iter().enumerate() {
                        if once(constructor, problems) {
                            names.constructors.insert(constructor.name.clone(), (of.clone(), number as u32));
                        }
                    }
                    let constructors =
                        constructors.iter().map(|constructor| constructor.name.clone()).collect();
                    names.enumerations.push(Enumeration { name: def.name.name.clone(), constructors });
                    of
                }
            };
            names.types.insert(def.name.name.clone(), of);
        }
        let assignments = tree.transitions.iter().flat_map(|transition| &transition.assignments);
        let assigned: BTreeSet<&Name> = assignments.map(|assignment| &assignment.target.name).collect();
        for def in &tree.symbols {
            if !once(&def.name, problems) {
                continue;
            }
            match names.type_named(&def.of) {
                Ok(of) => {
                    let number = names.symbols.len() as u32;
                    let SymbolDef { arity, weak, constant, .. } = *def;
                    let fixed = !weak && !assigned.contains(&def.name.name);
                    let span = def.name.span;
                    let symbol = Symbol { number, of, arity, weak, constant, fixed, span };
                    names.symbols.push((def.name.name.clone(), symbol));
                }
                Err(problem) => problems.push(*problem),
            }
        }
        for predicate in &tree.predicates {
            if once(&predicate.name, problems) {
                names.predicates.insert(predicate.name.name.clone(), predicate);
            }
        }
        names
    }

    fn type_named(&self, ident: &Ident) -> Lowered<Type> {
        if &*ident.name == "real" {
            let message = "real numbers are not supported";
            return Err(Box::new(Diagnostic::error(codes::REAL, ident.span, message)));
        }
        let known = self.types.keys().map(|name| &**name);
        self.types.get(&ident.name).cloned().ok_or_else(|| unknown("type", ident, known))
    }

    pub(super) fn symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|(other, _)| &**other == name).map(|(_, symbol)| symbol)
    }

    /// A variable, whether it can be assigned to or not.
    pub(super) fn variable(&self, ident: &Ident) -> Lowered<&Symbol> {
        let known =
            self.symbols.iter().map(|(name, _)| &**name).chain(self.constructors.keys().map(|name| &**name));
        self.symbol(&ident.name).ok_or_else(|| match self.is_constructor(&ident.name) {
            true => {
                let message = format!("`{}` is a value and no variable", ident.name);
                Box::new(Diagnostic::error(codes::SORT, ident.span, message))
            }
            false => unknown("variable or constructor", ident, known),
        })
    }

    fn is_constructor(&self, name: &str) -> bool {
        name == "True" || name == "False" || self.constructors.contains_key(name)
    }

    /// A constructor as a term.
    pub(super) fn constructor(&self, name: &str) -> Option<(Term, Type)> {
        match name {
            "True" | "False" => Some((Term::bool(name == "True"), Type::Bool)),
            _ => {
                let (of, number) = self.constructors.get(name)?;
                Some((Term::value(Value::Symbol(*number), of.sort()), of.clone()))
            }
        }
    }

    /// The variables of the program, with nothing known of their first values.
    pub(super) fn declared(&self) -> Vec<Variable> {
        let variable = |(name, symbol): &(Name, Symbol)| Variable {
            name: name.clone(),
            sort: symbol.of.sort(),
            dimensions: vec![Dimension::Copies(ProcessId(PROC)); symbol.arity],
            range: None,
            init: Init::Any,
            unbuffered: !symbol.weak,
            place: None,
            owner: None,
            span: symbol.span,
        };
        self.symbols.iter().map(variable).collect()
    }

    /// Does a formula speak only of what never changes?
    pub(super) fn is_constant(&self, formula: &Formula) -> bool {
        match &formula.kind {
            FormulaKind::Literal(_) | FormulaKind::Fence(_) => true,
            FormulaKind::Compare(_, left, right) => self.is_fixed(left) && self.is_fixed(right),
            FormulaKind::Term(term) => self.is_fixed(term),
            FormulaKind::Call(name, arguments) => {
                let body = self.predicates.get(&name.name).map(|predicate| &predicate.body);
                // What calls itself is refused elsewhere.
                let inner = body.is_none_or(|body| !calls(body) && self.is_constant(body));
                inner && arguments.iter().all(|argument| self.is_fixed(argument))
            }
            FormulaKind::Not(inner) | FormulaKind::Quantified(_, inner) => self.is_constant(inner),
            FormulaKind::Join(_, pair) => self.is_constant(&pair.0) && self.is_constant(&pair.1),
            FormulaKind::If(parts) => {
                [&parts.0, &parts.1, &parts.2].into_iter().all(|part| self.is_constant(part))
            }
        }
    }

    fn is_fixed(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Capital { name, .. } => self.symbol(&name.name).is_none_or(|symbol| symbol.fixed),
            ExprKind::Negate(inner) => self.is_fixed(inner),
            ExprKind::Arithmetic(_, pair) => self.is_fixed(&pair.0) && self.is_fixed(&pair.1),
            _ => true,
        }
    }
}

/// Does a formula use a predicate?
fn calls(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Call(..) => true,
        FormulaKind::Not(inner) | FormulaKind::Quantified(_, inner) => calls(inner),
        FormulaKind::Join(_, pair) => calls(&pair.0) || calls(&pair.1),
        FormulaKind::If(parts) => calls(&parts.0) || calls(&parts.1) || calls(&parts.2),
        _ => false,
    }
}

pub(super) fn twice(ident: &Ident, first: Span) -> Diagnostic {
    let message = format!("`{}` is declared twice", ident.name);
    Diagnostic::error(codes::DUPLICATE, ident.span, message).label(first, "first here")
}

pub(super) fn unknown<'n>(
    what: &str,
    ident: &Ident,
    known: impl Iterator<Item = &'n str>,
) -> Box<Diagnostic> {
    let message = format!("there is no {what} `{}`", ident.name);
    let problem = Diagnostic::error(codes::UNKNOWN_NAME, ident.span, message);
    Box::new(match did_you_mean(&ident.name, known) {
        Some(help) => problem.help(help),
        None => problem,
    })
}
