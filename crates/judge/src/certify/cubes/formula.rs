//! Formulas about a few named processes, for the solver.
//!
//! Every cell, every read and every process is an integer variable; booleans are 0 and 1, constructors their numbers. Who is who is
//! known by place, so that equality of two places is decided here. *For all* is instantiated for the places there are, which says less than
//! the formula and so allows more states. For *there is*, whoever asks says who it is, or that there is nobody, and asks for every choice.

use std::collections::BTreeMap;

use wattle_engine::{Reason, Unsupported};
use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_program::Program;

/// What has a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Process(usize),
    Cell(u32, Vec<usize>),
    /// What a step chooses for this local.
    Any(usize),
    /// Instant, who reads, what.
    Read(usize, usize, u32, Vec<usize>),
}

/// The variables of one question.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) keys: BTreeMap<Key, u32>,
}

impl Table {
    pub(super) fn variable(&mut self, key: Key) -> Term {
        let next = self.keys.len() as u32;
        Term::local(*self.keys.entry(key).or_insert(next), Sort::Int)
    }

    /// What is true of all variables: ranges of sorts, numbers of processes, and that processes differ.
    pub(super) fn facts(
        &mut self,
        program: &Program,
        numbers: &[Option<u32>],
        count: Option<u32>,
    ) -> Vec<Term> {
        let places: Vec<Term> = (0..numbers.len()).map(|i| self.variable(Key::Process(i))).collect();
        let mut facts = vec![];
        let between = |facts: &mut Vec<Term>, term: &Term, size: Option<i64>| {
            facts.push(Term::binary(Binary::LessEqual, Term::int(0), term.clone()));
            if let Some(size) = size {
                facts.push(Term::binary(Binary::Less, term.clone(), Term::int(size)));
            }
        };
        let count = count.map(i64::from);
        for (i, place) in places.iter().enumerate() {
            between(&mut facts, place, count);
            facts.extend(
                places[..i].iter().map(|other| Term::binary(Binary::NotEqual, other.clone(), place.clone())),
            );
            let number = numbers[i].map(|number| Term::int(i64::from(number)));
            facts.extend(number.map(|number| Term::binary(Binary::Equal, place.clone(), number)));
        }
        for (key, id) in &self.keys {
            let sort = match key {
                Key::Cell(variable, _) | Key::Read(.., variable, _) => {
                    program.variables[*variable as usize].sort
                }
                Key::Any(local) => program.processes[0].locals[*local].sort,
                Key::Process(_) => continue,
            };
            let term = Term::local(*id, Sort::Int);
            match sort {
                Sort::Bool => between(&mut facts, &term, Some(2)),
                Sort::Enum(number) => {
                    let size = program.enumerations[number as usize].constructors.len() as i64;
                    between(&mut facts, &term, Some(size));
                }
                Sort::Process => between(&mut facts, &term, count),
                _ => {}
            }
        }
        facts
    }
}

/// Who is who in a formula, and what it means to look at memory.
pub(super) struct Scope<'a> {
    pub(super) places: usize,
    pub(super) numbers: &'a [Option<u32>],
    pub(super) me: Option<usize>,
    pub(super) locals: Vec<Option<Meaning>>,
    pub(super) bound: Vec<(u32, usize)>,
    /// Who it is that there is, by the name that is bound; `None`: nobody.
    pub(super) witnesses: &'a [(u32, Option<usize>)],
    /// The cell, and who looks (`None`: main memory).
    pub(super) look: &'a mut dyn FnMut(u32, Vec<usize>, Option<usize>) -> Result<Term, Reason>,
}

#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Place(usize),
    Term(Term),
}

pub(super) fn unsupported<T>(what: &str) -> Result<T, Reason> {
    Err(Reason::Unsupported(Unsupported::new(format!("{what}, in the proof's checker"))))
}

impl Scope<'_> {
    /// A formula that is implied by the given one, or by its negation.
    pub(super) fn formula(&mut self, formula: &Term, holds: bool) -> Result<Term, Reason> {
        let said = |term: Term| if holds { term } else { Term::unary(Unary::Not, term) };
        Ok(match formula.kind() {
            Kind::Value(Value::Bool(value)) => Term::bool(*value == holds),
            Kind::Unary(Unary::Not, inner) => self.formula(inner, !holds)?,
            Kind::Binary(operator @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                let first = self.formula(a, (*operator == Binary::Implies) != holds)?;
                let second = self.formula(b, holds)?;
                let both = (*operator == Binary::And) == holds;
                Term::binary(if both { Binary::And } else { Binary::Or }, first, second)
            }
            Kind::If(c, a, b) => {
                let yes = [self.formula(c, true)?, self.formula(a, holds)?];
                let no = [self.formula(c, false)?, self.formula(b, holds)?];
                let [yes, no] = [yes, no].map(|[c, then]| Term::binary(Binary::And, c, then));
                Term::binary(Binary::Or, yes, no)
            }
            Kind::Binary(operator, a, b) if operator.is_comparison() => {
                if let (Ok(a), Ok(b)) = (self.place(a), self.place(b)) {
                    match operator {
                        Binary::Equal => return Ok(Term::bool((a == b) == holds)),
                        Binary::NotEqual => return Ok(Term::bool((a != b) == holds)),
                        _ => {}
                    }
                }
                said(Term::binary(*operator, self.integer(a)?, self.integer(b)?))
            }
            Kind::Quantified { quantifier, bound, body, .. } => {
                if (*quantifier == Quantifier::Forall) != holds {
                    let witness = self.witnesses.iter().find(|(other, _)| other == bound);
                    let Some((_, witness)) = witness else {
                        return unsupported("a process that only has to exist");
                    };
                    let Some(place) = *witness else { return Ok(Term::bool(false)) };
                    self.bound.push((*bound, place));
                    let instance = self.formula(body, holds)?;
                    self.bound.pop();
                    return Ok(instance);
                }
                let mut all = Term::bool(true);
                for place in 0..self.places {
                    self.bound.push((*bound, place));
                    let instance = self.formula(body, holds)?;
                    self.bound.pop();
                    all = Term::binary(Binary::And, all, instance);
                }
                all
            }
            _ => said(Term::binary(Binary::Equal, self.integer(formula)?, Term::int(1))),
        })
    }

    /// Any value, as an integer.
    pub(super) fn integer(&mut self, term: &Term) -> Result<Term, Reason> {
        if let Ok(place) = self.place(term) {
            return (self.look)(u32::MAX, vec![place], None);
        }
        Ok(match term.kind() {
            Kind::Value(Value::Int(value)) => Term::int(*value),
            Kind::Value(Value::Bool(value)) => Term::int(i64::from(*value)),
            Kind::Value(Value::Symbol(number) | Value::Process(number)) => Term::int(i64::from(*number)),
            Kind::Symbol(Symbol::Local(local)) => match self.locals.get(*local as usize) {
                Some(Some(Meaning::Term(term))) => term.clone(),
                _ => return unsupported("a local variable"),
            },
            Kind::Content(address) => {
                let (variable, indices) = self.cell(address)?;
                (self.look)(variable, indices, None)?
            }
            Kind::Seen { copy, address, .. } => {
                let (variable, indices) = self.cell(address)?;
                let by = self.place(copy)?;
                (self.look)(variable, indices, Some(by))?
            }
            Kind::Binary(operator @ (Binary::Add | Binary::Subtract | Binary::Multiply), a, b) => {
                Term::binary(*operator, self.integer(a)?, self.integer(b)?)
            }
            Kind::Unary(Unary::Negate, a) => Term::unary(Unary::Negate, self.integer(a)?),
            Kind::If(c, a, b) => Term::if_then_else(exact(self, c)?, self.integer(a)?, self.integer(b)?),
            _ if term.sort() == Sort::Bool => {
                Term::if_then_else(exact(self, term)?, Term::int(1), Term::int(0))
            }
            _ => return unsupported("an expression"),
        })
    }

    pub(super) fn cell(&mut self, address: &Term) -> Result<(u32, Vec<usize>), Reason> {
        let Kind::Address { variable, indices } = address.kind() else {
            return unsupported("an address that is calculated");
        };
        let indices: Result<Vec<usize>, Reason> = indices.iter().map(|index| self.place(index)).collect();
        Ok((*variable, indices?))
    }

    /// The place of a process that is named.
    pub(super) fn place(&self, term: &Term) -> Result<usize, Reason> {
        if term.sort() != Sort::Process {
            return unsupported("an index that is no process");
        }
        let found = match term.kind() {
            Kind::Symbol(Symbol::Me) => self.me,
            Kind::Symbol(Symbol::Local(local)) => match self.locals.get(*local as usize) {
                Some(Some(Meaning::Place(place))) => Some(*place),
                _ => None,
            },
            Kind::Symbol(Symbol::Bound(bound)) => {
                self.bound.iter().rev().find(|(other, _)| other == bound).map(|(_, place)| *place)
            }
            Kind::Value(Value::Process(number)) => self.numbers.iter().position(|n| *n == Some(*number)),
            _ => None,
        };
        found.map_or_else(|| unsupported("a process that is read from memory, as an index"), Ok)
    }
}

/// The names of processes that only have to exist for the formula to hold (or not to). One that has to exist for each of
/// several others is none of them, and is refused where the formula is said.
pub(super) fn existential(formula: &Term, holds: bool, names: &mut Vec<u32>) {
    match formula.kind() {
        Kind::Unary(Unary::Not, inner) => existential(inner, !holds, names),
        Kind::Binary(operator @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
            existential(a, (*operator == Binary::Implies) != holds, names);
            existential(b, holds, names);
        }
        Kind::If(c, a, b) => {
            existential(c, true, names);
            existential(c, false, names);
            existential(a, holds, names);
            existential(b, holds, names);
        }
        Kind::Quantified { quantifier, bound, body, .. } if (*quantifier == Quantifier::Exists) == holds => {
            names.push(*bound);
            existential(body, holds, names);
        }
        _ => {}
    }
}

/// Inside a value a formula must be neither weaker nor stronger: no quantifiers.
pub(super) fn exact(scope: &mut Scope<'_>, formula: &Term) -> Result<Term, Reason> {
    let mut quantified = false;
    formula.walk(&mut |term| quantified |= matches!(term.kind(), Kind::Quantified { .. }));
    if quantified {
        return unsupported("a value that depends on all processes");
    }
    scope.formula(formula, true)
}

/// Is the formula true, or false, whatever the state?
pub(super) fn constant(formula: &Term) -> Option<bool> {
    match formula.kind() {
        Kind::Value(Value::Bool(value)) => Some(*value),
        Kind::Unary(Unary::Not, a) => constant(a).map(|value| !value),
        Kind::Binary(Binary::And, a, b) => match (constant(a), constant(b)) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        Kind::Binary(Binary::Or, a, b) => match (constant(a), constant(b)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        _ => None,
    }
}
