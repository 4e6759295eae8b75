//! The meaning of a model on one execution, by walking its text.
//!
//! Names live in a list, newest first; a function keeps the list of the place where it was defined.
//! This gives shadowing and static scope. What the lowering refuses (types, unknown names)
//! is an `Err` here, and never happens to a model that was read.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use wattle_program::Name;
use wattle_source::Span;

use super::base;
use super::value::{
    Relation, Set, closure, domain, identity, inverse, product, range, sequence, shortest_cycle,
};
use crate::Execution;
use crate::cat::base::{Base, find};
use crate::cat::syntax::{
    Binding, Expr, ExprKind, Function, Instruction, InstructionKind, Pattern, Procedure, Tree,
};
use crate::cat::{Role, Test, Type};

/// What a model says about an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// One for each axiom, in order.
    pub judgements: Vec<Judgement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub name: Name,
    pub role: Role,
    /// Did the test succeed?
    pub holds: bool,
    /// Where a test failed: the events of a shortest cycle, an event related to itself, or a pair (or
    /// event) that should not be there. Empty for negated tests.
    pub witness: Vec<u32>,
    pub span: Span,
}

impl Evaluation {
    /// Does the model allow the execution?
    pub fn is_consistent(&self) -> bool {
        self.broken().is_none()
    }

    /// The first axiom that forbids the execution.
    pub fn broken(&self) -> Option<&Judgement> {
        self.judgements.iter().find(|judgement| judgement.role == Role::Require && !judgement.holds)
    }

    /// The flags that it raises.
    pub fn flags(&self) -> impl Iterator<Item = &Name> {
        self.judgements.iter().filter(|one| one.role == Role::Flag && one.holds).map(|one| &one.name)
    }

    /// Why the program has no meaning, if this execution is allowed.
    pub fn undefined(&self) -> impl Iterator<Item = &Judgement> {
        self.judgements.iter().filter(|one| one.role == Role::UndefinedUnless && !one.holds)
    }
}

pub fn evaluate(tree: &Tree, execution: &Execution) -> Result<Evaluation, String> {
    let mut run = Run { execution, variants: &tree.variants, given: BTreeMap::new(), judgements: Vec::new() };
    let mut scope = Scope(None);
    run.instructions(&tree.prelude, &mut scope)?;
    run.instructions(&tree.instructions, &mut scope)?;
    Ok(Evaluation { judgements: run.judgements })
}

#[derive(Clone)]
enum Value {
    Set(Rc<Set>),
    Relation(Rc<Relation>),
    /// `0`: either.
    Empty,
    /// `~0`: either.
    Universe,
    Function(Rc<(Arc<Function>, Scope)>),
    /// Of `let rec`: all functions of the group, and which one it is.
    Recursive(Rc<(Vec<Binding>, Scope)>, usize),
    Procedure(Rc<(Arc<Procedure>, Scope)>),
    Domain,
    Range,
    Tuple(Vec<Value>),
    Unsupported,
}

impl From<Set> for Value {
    fn from(set: Set) -> Value {
        Value::Set(Rc::new(set))
    }
}

impl From<Relation> for Value {
    fn from(relation: Relation) -> Value {
        Value::Relation(Rc::new(relation))
    }
}

#[derive(Clone)]
struct Scope(Option<Rc<(Name, Value, Scope)>>);

impl Scope {
    fn bind(&mut self, name: &Name, value: Value) {
        *self = Scope(Some(Rc::new((name.clone(), value, self.clone()))));
    }

    fn get(&self, name: &str) -> Option<Value> {
        let mut here = self;
        while let Some(entry) = &here.0 {
            if &*entry.0 == name {
                return Some(entry.1.clone());
            }
            here = &entry.2;
        }
        None
    }
}

/// A name that nothing binds is what `try` catches.
enum Failure {
    Unbound(Name),
    Other(String),
}

impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        match failure {
            Failure::Unbound(name) => format!("`{name}` is not defined"),
            Failure::Other(what) => what,
        }
    }
}

type Result<T, E = Failure> = std::result::Result<T, E>;

fn fail<T>(what: &str) -> Result<T> {
    Err(Failure::Other(what.to_owned()))
}

/// A `let rec` that does not settle after this many rounds does not settle.
const MOST_ROUNDS: usize = 10_000;

struct Run<'a> {
    execution: &'a Execution,
    variants: &'a [String],
    /// What the execution gives, by name; computed when first asked for.
    given: BTreeMap<Name, Value>,
    judgements: Vec<Judgement>,
}

impl Run<'_> {
    fn instructions(&mut self, instructions: &[Instruction], scope: &mut Scope) -> Result<()> {
        for instruction in instructions {
            match &instruction.kind {
                InstructionKind::Let { recursive, bindings } => {
                    *scope = self.bindings(*recursive, bindings, scope)?;
                }
                InstructionKind::Test { role, test, negated, body, name } => {
                    let value = self.expression(body, scope)?;
                    let (holds, witness) = self.test(*test, value)?;
                    let witness = if *negated { Vec::new() } else { witness };
                    let (name, role, span) = (name.clone(), *role, instruction.span);
                    self.judgements.push(Judgement { name, role, holds: holds != *negated, witness, span });
                }
                InstructionKind::Include { body, .. } => self.instructions(body, scope)?,
                InstructionKind::If { condition, then, otherwise } => {
                    let taken = if condition.holds(self.variants) { then } else { otherwise };
                    self.instructions(taken, scope)?;
                }
                InstructionKind::Procedure { name, procedure } => {
                    let closure = Rc::new((procedure.clone(), scope.clone()));
                    scope.bind(&name.name, Value::Procedure(closure));
                }
                InstructionKind::Call { name, argument } => {
                    let Some(Value::Procedure(closure)) = scope.get(&name.name) else {
                        return fail("a call of what is no procedure");
                    };
                    let argument = self.expression(argument, scope)?;
                    let mut inside = closure.1.clone();
                    bind(&closure.0.pattern, argument, &mut inside)?;
                    self.instructions(&closure.0.body, &mut inside)?;
                }
                InstructionKind::WithCo => {
                    let co = base::relation(self.execution, "co").unwrap_or_default();
                    scope.bind(&"co".into(), co.into());
                }
                InstructionKind::Ignored => {}
                InstructionKind::Unsupported(what) => return fail(what),
            }
        }
        Ok(())
    }

    fn test(&self, test: Test, value: Value) -> Result<(bool, Vec<u32>)> {
        if let (Test::Empty, Value::Set(set)) = (test, &value) {
            return Ok((set.is_empty(), set.iter().take(1).collect()));
        }
        let relation = self.relation(value)?;
        let witness = match test {
            Test::Acyclic => shortest_cycle(&relation),
            Test::Irreflexive => relation.iter().find(|(from, to)| from == to).map(|(event, _)| vec![event]),
            Test::Empty => relation.iter().next().map(|(from, to)| vec![from, to]),
        };
        Ok((witness.is_none(), witness.unwrap_or_default()))
    }

    /// The scope with the names bound.
    fn bindings(&mut self, recursive: bool, bindings: &[Binding], scope: &Scope) -> Result<Scope> {
        let mut bound = scope.clone();
        if !recursive {
            for binding in bindings {
                // Each sees the names from before, not those of its neighbours.
                let value = self.expression(&binding.body, scope)?;
                bind(&binding.pattern, value, &mut bound)?;
            }
            return Ok(bound);
        }
        if bindings.iter().all(|binding| matches!(binding.body.kind, ExprKind::Function(_))) {
            let group = Rc::new((bindings.to_vec(), scope.clone()));
            for (number, binding) in bindings.iter().enumerate() {
                bind(&binding.pattern, Value::Recursive(group.clone(), number), &mut bound)?;
            }
            return Ok(bound);
        }
        let mut values = vec![Value::Empty; bindings.len()];
        for _ in 0..MOST_ROUNDS {
            let mut changed = false;
            for (number, binding) in bindings.iter().enumerate() {
                // One after the other: each sees what this round has computed so far.
                let mut inside = scope.clone();
                for (binding, value) in bindings.iter().zip(&values) {
                    bind(&binding.pattern, value.clone(), &mut inside)?;
                }
                let value = self.expression(&binding.body, &inside)?;
                changed |= !self.equal(&value, &values[number])?;
                values[number] = value;
            }
            if !changed {
                for (binding, value) in bindings.iter().zip(values) {
                    bind(&binding.pattern, value, &mut bound)?;
                }
                return Ok(bound);
            }
        }
        fail("a `let rec` that does not settle")
    }

    fn equal(&self, one: &Value, other: &Value) -> Result<bool> {
        match (one, other) {
            (Value::Set(_), _) | (_, Value::Set(_)) => Ok(self.set(one.clone())? == self.set(other.clone())?),
            _ => Ok(self.relation(one.clone())? == self.relation(other.clone())?),
        }
    }

    fn expression(&mut self, expr: &Expr, scope: &Scope) -> Result<Value> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => match scope.get(name) {
                Some(value) => value,
                None => match self.given.get(name) {
                    Some(value) => value.clone(),
                    None => {
                        let value = self.base(name)?;
                        self.given.insert(name.clone(), value.clone());
                        value
                    }
                },
            },
            ExprKind::Empty => Value::Empty,
            ExprKind::Universe => self.all().into(),
            ExprKind::Union(parts) => {
                self.fold(parts, scope, |one, other| one | other, |one, other| one | other)?
            }
            ExprKind::Intersection(parts) => {
                self.fold(parts, scope, |one, other| one & other, |one, other| one & other)?
            }
            ExprKind::Difference(parts) => {
                self.fold(parts, scope, |one, other| one - other, |one, other| one - other)?
            }
            ExprKind::Sequence(parts) => {
                let mut result: Option<Rc<Relation>> = None;
                for part in parts {
                    let part = self.relation_of(part, scope)?;
                    result = Some(match result {
                        Some(before) => Rc::new(sequence(&before, &part)),
                        None => part,
                    });
                }
                result.map_or_else(|| identity(&self.all()).into(), Value::Relation)
            }
            ExprKind::Product(one, other) => {
                product(&*self.set_of(one, scope)?, &*self.set_of(other, scope)?).into()
            }
            ExprKind::Complement(inner) => match self.expression(inner, scope)? {
                Value::Empty => Value::Universe,
                Value::Universe => Value::Empty,
                Value::Set(set) => (&self.all() - &*set).into(),
                other => (&product(&self.all(), &self.all()) - &*self.relation(other)?).into(),
            },
            ExprKind::Star(inner) => {
                (&closure(&*self.relation_of(inner, scope)?) | &identity(&self.all())).into()
            }
            ExprKind::Plus(inner) => closure(&*self.relation_of(inner, scope)?).into(),
            ExprKind::Maybe(inner) => (&*self.relation_of(inner, scope)? | &identity(&self.all())).into(),
            ExprKind::Inverse(inner) => inverse(&*self.relation_of(inner, scope)?).into(),
            ExprKind::Identity(inner) => identity(&*self.set_of(inner, scope)?).into(),
            ExprKind::Apply(function, argument) => {
                let function = self.expression(function, scope)?;
                let argument = self.expression(argument, scope)?;
                self.apply(function, argument)?
            }
            ExprKind::Tuple(parts) => {
                let values = parts.iter().map(|part| self.expression(part, scope));
                Value::Tuple(values.collect::<Result<_>>()?)
            }
            ExprKind::Function(function) => Value::Function(Rc::new((function.clone(), scope.clone()))),
            ExprKind::Let { recursive, bindings, body } => {
                let inside = self.bindings(*recursive, bindings, scope)?;
                self.expression(body, &inside)?
            }
            ExprKind::Try(first, second) => match self.expression(first, scope) {
                Err(Failure::Unbound(_)) => self.expression(second, scope)?,
                other => other?,
            },
            ExprKind::If(condition, then, otherwise) => {
                let taken = if condition.holds(self.variants) { then } else { otherwise };
                self.expression(taken, scope)?
            }
            ExprKind::Unsupported(what) => return fail(what),
        })
    }

    fn apply(&mut self, function: Value, argument: Value) -> Result<Value> {
        match function {
            Value::Domain => Ok(domain(&*self.relation(argument)?).into()),
            Value::Range => Ok(range(&*self.relation(argument)?).into()),
            Value::Function(closure) => {
                let mut inside = closure.1.clone();
                bind(&closure.0.pattern, argument, &mut inside)?;
                self.expression(&closure.0.body, &inside)
            }
            Value::Recursive(group, number) => {
                let (bindings, scope) = &*group;
                let mut inside = scope.clone();
                for (other, binding) in bindings.iter().enumerate() {
                    bind(&binding.pattern, Value::Recursive(group.clone(), other), &mut inside)?;
                }
                let function = self.expression(&bindings[number].body, &inside)?;
                self.apply(function, argument)
            }
            _ => fail("an application of what is no function"),
        }
    }

    /// Union, intersection or difference, of sets or of relations.
    fn fold(
        &mut self,
        parts: &[Expr],
        scope: &Scope,
        sets: fn(&Set, &Set) -> Set,
        relations: fn(&Relation, &Relation) -> Relation,
    ) -> Result<Value> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.expression(part, scope)?);
        }
        let mut result: Option<Value> = None;
        for value in values {
            result = Some(match (result, value) {
                (None, value) => value,
                (Some(left), right) => match (&left, &right) {
                    (Value::Set(_), _) | (_, Value::Set(_)) => {
                        sets(&*self.set(left)?, &*self.set(right)?).into()
                    }
                    (Value::Relation(_), _) | (_, Value::Relation(_)) => {
                        relations(&*self.relation(left)?, &*self.relation(right)?).into()
                    }
                    // `0` and `~0` as the two subsets of one event.
                    _ => {
                        let full = |value| Set::from_iter(matches!(value, Value::Universe).then_some(0));
                        match sets(&full(left), &full(right)).is_empty() {
                            true => Value::Empty,
                            false => Value::Universe,
                        }
                    }
                },
            });
        }
        Ok(result.unwrap_or(Value::Empty))
    }

    fn base(&self, name: &Name) -> Result<Value> {
        match find(name) {
            Some(Base::Value(name, Type::Set)) => Ok(base::set(self.execution, name).into()),
            Some(Base::Value(name, Type::Relation)) => match base::relation(self.execution, name) {
                Some(relation) => Ok(relation.into()),
                None => fail("a relation without a meaning"),
            },
            Some(Base::Universe) => Ok(self.all().into()),
            Some(Base::Nothing) => Ok(Set::default().into()),
            Some(Base::Domain) => Ok(Value::Domain),
            Some(Base::Range) => Ok(Value::Range),
            Some(Base::Unsupported(_)) => Ok(Value::Unsupported),
            None => Err(Failure::Unbound(name.clone())),
        }
    }

    fn all(&self) -> Set {
        base::set(self.execution, "_")
    }

    fn set(&self, value: Value) -> Result<Rc<Set>> {
        match value {
            Value::Set(set) => Ok(set),
            Value::Empty => Ok(Rc::default()),
            Value::Universe => Ok(Rc::new(self.all())),
            _ => fail("not a set"),
        }
    }

    fn relation(&self, value: Value) -> Result<Rc<Relation>> {
        match value {
            Value::Relation(relation) => Ok(relation),
            Value::Empty => Ok(Rc::default()),
            Value::Universe => Ok(Rc::new(product(&self.all(), &self.all()))),
            _ => fail("not a relation"),
        }
    }

    fn set_of(&mut self, expr: &Expr, scope: &Scope) -> Result<Rc<Set>> {
        let value = self.expression(expr, scope)?;
        self.set(value)
    }

    fn relation_of(&mut self, expr: &Expr, scope: &Scope) -> Result<Rc<Relation>> {
        let value = self.expression(expr, scope)?;
        self.relation(value)
    }
}

fn bind(pattern: &Pattern, value: Value, scope: &mut Scope) -> Result<()> {
    match (pattern, value) {
        (Pattern::One(name), value) => {
            if let Some(name) = name {
                scope.bind(&name.name, value);
            }
        }
        (Pattern::Tuple(names), Value::Tuple(values)) if names.len() == values.len() => {
            for (name, value) in names.iter().zip(values) {
                if let Some(name) = name {
                    scope.bind(&name.name, value);
                }
            }
        }
        _ => return fail("a pattern that does not fit"),
    }
    Ok(())
}
