//! Formulas of a program as alternatives of literals.
//!
//! A formula becomes a disjunction of [`Clause`]s. Processes that it names are parameters, which are pairwise distinct: a variable that a
//! quantifier binds, or a choice makes, is one of those there are or another one, and each is tried. So
//! equalities between parameters are decided here, and what is left for the search are equalities with processes that have a number
//! in the text (`#1`), which may be anybody.

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term as Formula, Unary, Value as Constant};

use crate::literal::{
    BOUND, Cell, Literal, NONE, Operand, Outcome, Process, Term, Value, compared as sum_compared,
};
use crate::sum::{Relation, Sum};
use crate::system::{self, Fixed, System, Universal};

/// The first name of a process that has a number in the text, until parameters are counted.
const NUMBERED: Process = 100;
/// Processes that one fact is about: it is instantiated for every choice of so many.
const BINDERS: u8 = 4;
/// More alternatives than this are refused.
const MOST: usize = 512;

/// Literals and universal facts that hold together.
#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub(super) literals: Vec<Literal>,
    pub(super) universal: Vec<Universal>,
    /// Parameters that it needs.
    pub(super) parameters: u8,
}

impl Clause {
    fn of(literals: Vec<Literal>) -> Clause {
        Clause { literals, ..Clause::default() }
    }

    fn is_true(&self) -> bool {
        self.literals.is_empty() && self.universal.is_empty() && self.parameters == 0
    }

    fn and(&self, other: &Clause) -> Clause {
        Clause {
            literals: [&self.literals[..], &other.literals[..]].concat(),
            universal: [&self.universal[..], &other.universal[..]].concat(),
            parameters: self.parameters.max(other.parameters),
        }
    }
}

/// What a formula stands in: who is who, and what it means to look at memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Parameters so far.
    pub(super) parameters: u8,
    /// Variables that a universal quantifier binds, so far.
    pub(super) universal: u8,
    pub(super) me: Option<Process>,
    pub(super) locals: Vec<Option<Binding>>,
    pub(super) bound: Vec<(u32, Process)>,
    /// The node of reads.
    pub(super) node: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Process(Process),
    /// Any value of its sort.
    Any,
}

pub(super) struct Formulas<'a> {
    pub(super) system: &'a System,
    /// Numbers of processes that the text names, by their preliminary names.
    pub(super) numbered: Vec<u8>,
}

type Found<T> = Result<T, Unsupported>;

fn unsupported<T>(what: &str) -> Found<T> {
    Err(Unsupported::new(what))
}

impl Formulas<'_> {
    /// The alternatives of a formula, or of its negation.
    pub(super) fn clauses(&mut self, formula: &Formula, holds: bool, scope: &Scope) -> Found<Vec<Clause>> {
        let clauses = match formula.kind() {
            Kind::Value(Constant::Bool(value)) => truth(*value == holds),
            Kind::Unary(Unary::Not, inner) => self.clauses(inner, !holds, scope)?,
            Kind::Binary(Binary::And, a, b) => self.junction(a, holds, b, holds, holds, scope)?,
            Kind::Binary(Binary::Or, a, b) => self.junction(a, holds, b, holds, !holds, scope)?,
            Kind::Binary(Binary::Implies, a, b) => self.junction(a, !holds, b, holds, !holds, scope)?,
            Kind::If(condition, a, b) => {
                let yes =
                    conjunction(&self.clauses(condition, true, scope)?, &self.clauses(a, holds, scope)?)?;
                let no =
                    conjunction(&self.clauses(condition, false, scope)?, &self.clauses(b, holds, scope)?)?;
                [yes, no].concat()
            }
            Kind::Binary(operator @ (Binary::Equal | Binary::NotEqual), a, b) if a.sort() == Sort::Bool => {
                self.same_truth(a, b, (*operator == Binary::Equal) == holds, scope)?
            }
            Kind::Binary(operator, a, b) if operator.is_comparison() => {
                let operator = if holds { *operator } else { negation(*operator) };
                self.comparison(operator, a, b, scope)?
            }
            Kind::Quantified { quantifier, bound, body, .. } => {
                match (*quantifier == Quantifier::Forall) == holds {
                    true => self.for_all(*bound, body, holds, scope)?,
                    false => self.exists(*bound, body, holds, scope)?,
                }
            }
            _ => {
                let term = self.term(formula, scope)?;
                vec![Clause::of(vec![Literal::In(term, if holds { 2 } else { 1 })])]
            }
        };
        if clauses.iter().any(Clause::is_true) {
            return Ok(truth(true));
        }
        match clauses.len() > MOST {
            true => unsupported("a formula with more than 512 alternatives"),
            false => Ok(clauses),
        }
    }

    fn junction(
        &mut self,
        a: &Formula,
        a_holds: bool,
        b: &Formula,
        b_holds: bool,
        both: bool,
        scope: &Scope,
    ) -> Found<Vec<Clause>> {
        let a = self.clauses(a, a_holds, scope)?;
        let b = self.clauses(b, b_holds, scope)?;
        if both { conjunction(&a, &b) } else { Ok([a, b].concat()) }
    }

    fn same_truth(&mut self, a: &Formula, b: &Formula, same: bool, scope: &Scope) -> Found<Vec<Clause>> {
        for (one, other) in [(a, b), (b, a)] {
            if let Kind::Value(Constant::Bool(value)) = one.kind() {
                return self.clauses(other, *value == same, scope);
            }
        }
        if let (Ok(a), Ok(b)) = (self.term(a, scope), self.term(b, scope)) {
            return Ok(compared(
                if same { Binary::Equal } else { Binary::NotEqual },
                Value::Copy(a),
                Value::Copy(b),
            )
            .unwrap_or_default());
        }
        let first = conjunction(&self.clauses(a, true, scope)?, &self.clauses(b, same, scope)?)?;
        let second = conjunction(&self.clauses(a, false, scope)?, &self.clauses(b, !same, scope)?)?;
        Ok([first, second].concat())
    }

    fn comparison(
        &mut self,
        operator: Binary,
        a: &Formula,
        b: &Formula,
        scope: &Scope,
    ) -> Found<Vec<Clause>> {
        let mut result = vec![];
        let right = self.values(b, scope)?;
        for (a_when, a) in self.values(a, scope)? {
            for (b_when, b) in &right {
                let when = conjunction(&a_when, b_when)?;
                let Some(holds) = compared(operator, a, *b) else {
                    return unsupported("a comparison of values that have no order");
                };
                result.extend(conjunction(&when, &holds)?);
            }
        }
        Ok(result)
    }

    /// One of the parameters, or one more.
    fn exists(&mut self, bound: u32, body: &Formula, holds: bool, scope: &Scope) -> Found<Vec<Clause>> {
        if scope.universal > 0 {
            return unsupported("a process that depends on all others");
        }
        let mut result = vec![];
        for process in 0..=scope.parameters {
            let mut inner = scope.clone();
            inner.bound.push((bound, process));
            inner.parameters = inner.parameters.max(process + 1);
            let mut clauses = self.clauses(body, holds, &inner)?;
            clauses.iter_mut().for_each(|clause| clause.parameters = clause.parameters.max(inner.parameters));
            result.extend(clauses);
        }
        Ok(result)
    }

    /// All parameters, and all others.
    fn for_all(&mut self, bound: u32, body: &Formula, holds: bool, scope: &Scope) -> Found<Vec<Clause>> {
        let mut result = vec![Clause::default()];
        let named = (0..scope.parameters).chain((0..scope.universal).map(|i| BOUND + i));
        for process in named {
            let mut inner = scope.clone();
            inner.bound.push((bound, process));
            result = conjunction(&result, &self.clauses(body, holds, &inner)?)?;
        }
        let mut inner = scope.clone();
        inner.bound.push((bound, BOUND + scope.universal));
        inner.universal += 1;
        if inner.universal > BINDERS {
            return unsupported("a formula about all choices of five processes");
        }
        let others = self.clauses(body, holds, &inner)?;
        let universal = nested(others, inner.universal, (0..scope.parameters).collect())?;
        result.iter_mut().for_each(|clause| clause.universal.extend(universal.iter().cloned()));
        Ok(result)
    }

    /// What a formula may evaluate to, and when.
    pub(super) fn values(&mut self, formula: &Formula, scope: &Scope) -> Found<Vec<(Vec<Clause>, Value)>> {
        let always = |value: Value| Ok(vec![(vec![Clause::default()], value)]);
        match formula.kind() {
            Kind::Value(Constant::Bool(value)) => always(Value::Constructor(u32::from(*value))),
            Kind::Value(Constant::Symbol(value)) => always(Value::Constructor(*value)),
            Kind::Value(Constant::Int(value)) => always(Value::Sum(Sum::default(), *value)),
            Kind::Value(Constant::Process(_)) => always(Value::Process(self.process(formula, scope)?)),
            Kind::Symbol(Symbol::Local(local)) if self.binding(*local, scope) == Some(Binding::Any) => {
                always(Value::Any)
            }
            Kind::Symbol(_) if formula.sort() == Sort::Process => {
                always(Value::Process(self.process(formula, scope)?))
            }
            Kind::Content(_) | Kind::Seen { .. } => {
                let term = self.term(formula, scope)?;
                let integer = self.system.variable(term.cell).sort == system::Sort::Integer;
                always(if integer { Value::Sum(Sum::of(Some(term)), 0) } else { Value::Copy(term) })
            }
            Kind::If(condition, a, b) => {
                let mut result = vec![];
                for (holds, branch) in [(true, a), (false, b)] {
                    let when = self.clauses(condition, holds, scope)?;
                    for (clauses, value) in self.values(branch, scope)? {
                        let clauses = conjunction(&when, &clauses)?;
                        if !clauses.is_empty() {
                            result.push((clauses, value));
                        }
                    }
                }
                Ok(result)
            }
            Kind::Unary(Unary::Negate, a) => {
                let negated = |value: Value| match value {
                    Value::Sum(sum, c) => Some(Value::Sum(sum.times(-1)?, c.checked_neg()?)),
                    _ => None,
                };
                self.values(a, scope)?
                    .into_iter()
                    .map(|(when, value)| {
                        negated(value)
                            .map(|value| (when, value))
                            .ok_or_else(|| Unsupported::new("a negated integer"))
                    })
                    .collect()
            }
            Kind::Binary(operator @ (Binary::Add | Binary::Subtract | Binary::Multiply), a, b) => {
                let mut result = vec![];
                let right = self.values(b, scope)?;
                for (a_when, a) in self.values(a, scope)? {
                    for (b_when, b) in &right {
                        let Some(value) = calculated(*operator, a, *b) else {
                            return unsupported("a product of integers, or a sum of more than four");
                        };
                        result.push((conjunction(&a_when, b_when)?, value));
                    }
                }
                Ok(result)
            }
            _ if formula.sort() == Sort::Bool => Ok(vec![
                (self.clauses(formula, true, scope)?, Value::Constructor(1)),
                (self.clauses(formula, false, scope)?, Value::Constructor(0)),
            ]),
            _ => unsupported("an expression other than a sum, a constant or what memory holds"),
        }
    }

    fn binding(&self, local: u32, scope: &Scope) -> Option<Binding> {
        scope.locals.get(local as usize).copied().flatten()
    }

    fn process(&mut self, formula: &Formula, scope: &Scope) -> Found<Process> {
        match formula.kind() {
            Kind::Symbol(Symbol::Me) => scope.me.ok_or_else(|| Unsupported::new("`me` outside a process")),
            Kind::Symbol(Symbol::Local(local)) => match self.binding(*local, scope) {
                Some(Binding::Process(process)) => Ok(process),
                _ => unsupported("a local variable"),
            },
            Kind::Symbol(Symbol::Bound(bound)) => {
                let found = scope.bound.iter().rev().find(|(other, _)| other == bound);
                found.map(|(_, process)| *process).ok_or_else(|| Unsupported::new("an unbound variable"))
            }
            Kind::Value(Constant::Process(number)) => {
                let number =
                    u8::try_from(*number).map_err(|_| Unsupported::new("a process with a large number"))?;
                let place = self.numbered.iter().position(|other| *other == number);
                let place = place.unwrap_or_else(|| {
                    self.numbered.push(number);
                    self.numbered.len() - 1
                });
                Ok(NUMBERED + place as Process)
            }
            _ => unsupported("an index that is read from memory"),
        }
    }

    /// What memory holds, or what a process sees there.
    fn term(&mut self, formula: &Formula, scope: &Scope) -> Found<Term> {
        match formula.kind() {
            Kind::Content(address) => {
                let cell = self.cell(address, scope)?;
                if self.system.weak(cell) && scope.node != NONE {
                    return unsupported("what main memory holds, in the middle of an execution");
                }
                Ok(Term::of(cell))
            }
            Kind::Seen { copy, address, .. } => {
                let cell = self.cell(address, scope)?;
                let by = self.process(copy, scope)?;
                Ok(if self.system.weak(cell) { Term::read(scope.node, by, cell) } else { Term::of(cell) })
            }
            _ => unsupported("a formula other than comparisons of what memory holds"),
        }
    }

    pub(super) fn cell(&mut self, address: &Formula, scope: &Scope) -> Found<Cell> {
        let Kind::Address { variable, indices } = address.kind() else {
            return unsupported("an address that is calculated");
        };
        let mut index = [NONE; 2];
        for (place, term) in index.iter_mut().zip(indices) {
            *place = self.process(term, scope)?;
        }
        let variable =
            u16::try_from(*variable).map_err(|_| Unsupported::new("more than 65,535 variables"))?;
        Ok(Cell { variable, index })
    }

    /// Processes that have a number in the text become parameters after the proper ones.
    pub(super) fn numbered(&self, parameters: u8) -> (Vec<Fixed>, impl FnMut(Process) -> Process + use<>) {
        let fixed = self.numbered.iter().enumerate();
        let fixed =
            fixed.map(|(i, number)| Fixed { parameter: parameters + i as u8, number: *number }).collect();
        let rename = move |process: Process| match process {
            NUMBERED..BOUND => process - NUMBERED + parameters,
            _ => process,
        };
        (fixed, rename)
    }
}

/// Facts about all others, from the alternatives of their body.
fn nested(others: Vec<Clause>, bound: u8, except: Vec<Process>) -> Found<Vec<Universal>> {
    let body: Vec<Vec<Literal>> = others.iter().map(|clause| clause.literals.clone()).collect();
    let inner: Vec<Universal> = others.iter().flat_map(|clause| clause.universal.clone()).collect();
    let mut result = vec![];
    if !body.iter().any(Vec::is_empty) {
        result.push(Universal { bound, except, body });
    }
    match (others.len(), inner.is_empty()) {
        (_, true) => Ok(result),
        // The inner facts are about pairs already.
        (1, false) => {
            result.extend(inner);
            Ok(result)
        }
        _ => unsupported("alternatives between facts about all pairs of processes"),
    }
}

fn truth(holds: bool) -> Vec<Clause> {
    if holds { vec![Clause::default()] } else { vec![] }
}

pub(super) fn conjunction(a: &[Clause], b: &[Clause]) -> Found<Vec<Clause>> {
    if a.len() * b.len() > MOST {
        return unsupported("a formula with more than 512 alternatives");
    }
    Ok(a.iter().flat_map(|a| b.iter().map(|b| a.and(b))).collect())
}

fn negation(operator: Binary) -> Binary {
    match operator {
        Binary::Equal => Binary::NotEqual,
        Binary::NotEqual => Binary::Equal,
        Binary::Less => Binary::GreaterEqual,
        Binary::LessEqual => Binary::Greater,
        Binary::Greater => Binary::LessEqual,
        _ => Binary::Less,
    }
}

fn calculated(operator: Binary, a: Value, b: Value) -> Option<Value> {
    let (Value::Sum(x, a), Value::Sum(y, b)) = (a, b) else { return None };
    match (operator, x.number(), y.number()) {
        (Binary::Add, ..) => Some(Value::Sum(x.plus(&y)?, a.checked_add(b)?)),
        (Binary::Subtract, ..) => Some(Value::Sum(x.minus(&y)?, a.checked_sub(b)?)),
        (Binary::Multiply, _, Some(None)) => Some(Value::Sum(x.times(b)?, a.checked_mul(b)?)),
        (Binary::Multiply, Some(None), _) => Some(Value::Sum(y.times(a)?, a.checked_mul(b)?)),
        _ => None,
    }
}

/// The alternatives of a comparison; `None` if it has no meaning here.
fn compared(operator: Binary, a: Value, b: Value) -> Option<Vec<Clause>> {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let one = |outcome: Outcome| match outcome {
        Outcome::True => truth(true),
        Outcome::False => truth(false),
        Outcome::Literal(literal) => vec![Clause::of(vec![literal])],
    };
    match (operator, a, b) {
        (Greater, a, b) => compared(Less, b, a),
        (GreaterEqual, a, b) => compared(LessEqual, b, a),
        (_, Value::Any, _) | (_, _, Value::Any) => None,
        (_, Value::Sum(x, a), Value::Sum(y, b)) => {
            let c = b.checked_sub(a)?;
            // What is too wide to be said must not be taken for true here.
            x.minus(&y)?;
            let at_most = |x, y, c| sum_compared(x, y, Relation::AtMost, c);
            Some(match operator {
                Equal => match (at_most(x, y, c), at_most(y, x, c.checked_neg()?)) {
                    (Outcome::Literal(first), Outcome::Literal(second)) => {
                        vec![Clause::of(vec![first, second])]
                    }
                    (first, second) => truth(first == Outcome::True && second == Outcome::True),
                },
                NotEqual => one(sum_compared(x, y, Relation::Differs, c)),
                Less => one(at_most(x, y, c.checked_sub(1)?)),
                _ => one(at_most(x, y, c)),
            })
        }
        (Equal | NotEqual, Value::Constructor(a), Value::Constructor(b)) => {
            Some(truth((a == b) == (operator == Equal)))
        }
        (Equal | NotEqual, Value::Constructor(c), Value::Copy(term))
        | (Equal | NotEqual, Value::Copy(term), Value::Constructor(c)) => {
            let mask = if operator == Equal { 1 << c } else { !(1 << c) };
            Some(vec![Clause::of(vec![Literal::In(term, mask)])])
        }
        _ => {
            let (a, b) = (operand(a)?, operand(b)?);
            let literal = match operator {
                Equal => Literal::Equal(a, b).sorted(),
                NotEqual => Literal::Differ(a, b).sorted(),
                Less => Literal::Before(a, b),
                _ => {
                    let mut either = one(simplified(Literal::Before(a, b)));
                    either.extend(one(simplified(Literal::Equal(a, b).sorted())));
                    return Some(either);
                }
            };
            Some(one(simplified(literal)))
        }
    }
}

/// Parameters are distinct; one with a number in the text may be any of them.
fn simplified(literal: Literal) -> Outcome {
    let numbered = |operand: Operand| matches!(operand, Operand::Process(NUMBERED..BOUND));
    match literal {
        Literal::Equal(a, b) | Literal::Differ(a, b) if a != b && (numbered(a) || numbered(b)) => {
            Outcome::Literal(literal)
        }
        _ => literal.substitute(&|_| None),
    }
}

fn operand(value: Value) -> Option<Operand> {
    match value {
        Value::Process(process) => Some(Operand::Process(process)),
        Value::Copy(term) => Some(Operand::Term(term)),
        _ => None,
    }
}
