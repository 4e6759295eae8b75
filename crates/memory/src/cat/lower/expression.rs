//! The value of an expression.

use std::rc::Rc;

use wattle_source::{Diagnostic, Span};

use super::super::core::{NodeId, Type};
use super::super::syntax::{Expr, ExprKind};
use super::{Closure, Failure, Lower, Lowered, Scope, Value, error, operator, unsupported};
use crate::cat::codes;

/// The three operators that sets and relations share; each treats `0` and `~0` in its own way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boolean {
    Union,
    Intersection,
    Difference,
}

impl Lower<'_> {
    pub(super) fn expression(&mut self, expr: &Expr, scope: &Scope) -> Lowered<Value> {
        self.enter(expr.span)?;
        let value = self.evaluate(expr, scope);
        self.depth -= 1;
        match value {
            Ok(Value::Poison) => Err(Failure::Silent),
            other => other,
        }
    }

    fn evaluate(&mut self, expr: &Expr, scope: &Scope) -> Lowered<Value> {
        let span = expr.span;
        let of = |lower: &mut Self, inner: &Expr, of| {
            let value = lower.expression(inner, scope)?;
            lower.typed(value, of, inner.span, operator(expr))
        };
        Ok(match &expr.kind {
            ExprKind::Name(name) => self.lookup(name, span, scope)?,
            ExprKind::Empty => Value::Empty,
            ExprKind::Universe => Value::Node(self.builder.all(Type::Set)),
            ExprKind::Union(parts) => self.boolean(Boolean::Union, parts, scope)?,
            ExprKind::Intersection(parts) => self.boolean(Boolean::Intersection, parts, scope)?,
            ExprKind::Difference(parts) => self.boolean(Boolean::Difference, parts, scope)?,
            ExprKind::Sequence(parts) => {
                let mut nodes = Vec::with_capacity(parts.len());
                for part in parts {
                    nodes.push(of(self, part, Type::Relation)?);
                }
                // To the right, as written by herd: equal tails are shared.
                let last = nodes.pop().unwrap_or(NodeId(0));
                Value::Node(nodes.into_iter().rfold(last, |rest, one| self.builder.sequence(one, rest)))
            }
            ExprKind::Product(one, other) => {
                let one = of(self, one, Type::Set)?;
                let other = of(self, other, Type::Set)?;
                Value::Node(self.builder.product(one, other))
            }
            ExprKind::Complement(inner) => match self.expression(inner, scope)? {
                Value::Empty => Value::Universe,
                Value::Universe => Value::Empty,
                Value::Node(node) => {
                    let all = self.builder.all(self.builder.type_of(node));
                    Value::Node(self.builder.difference(all, node))
                }
                other => Value::Node(self.typed(other, Type::Relation, inner.span, "`~`")?),
            },
            ExprKind::Star(inner) => {
                let inner = of(self, inner, Type::Relation)?;
                let closure = self.builder.closure(inner);
                Value::Node(self.builder.maybe(closure))
            }
            ExprKind::Plus(inner) => {
                let inner = of(self, inner, Type::Relation)?;
                Value::Node(self.builder.closure(inner))
            }
            ExprKind::Maybe(inner) => {
                let inner = of(self, inner, Type::Relation)?;
                Value::Node(self.builder.maybe(inner))
            }
            ExprKind::Inverse(inner) => {
                let inner = of(self, inner, Type::Relation)?;
                Value::Node(self.builder.inverse(inner))
            }
            ExprKind::Identity(inner) => {
                let inner = of(self, inner, Type::Set)?;
                Value::Node(self.builder.identity(inner))
            }
            ExprKind::Apply(function, argument) => self.apply(function, argument, span, scope)?,
            ExprKind::Tuple(parts) => {
                let values = parts.iter().map(|part| self.expression(part, scope));
                Value::Tuple(values.collect::<Lowered<_>>()?)
            }
            ExprKind::Function(function) => Value::Function(Rc::new(Closure {
                function: function.clone(),
                scope: scope.clone(),
                group: Rc::default(),
            })),
            ExprKind::Let { recursive, bindings, body } => {
                let values = match recursive {
                    true => self.recursive(bindings, scope)?,
                    false => self.simultaneous(bindings, scope)?,
                };
                let mut inside = scope.clone();
                for (name, value) in values {
                    inside.bind(&name, value);
                }
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
            ExprKind::Unsupported(what) => return unsupported(span, what),
        })
    }

    /// One of these operators; its operands are all sets or all relations.
    fn boolean(&mut self, operator: Boolean, parts: &[Expr], scope: &Scope) -> Lowered<Value> {
        let mut result: Option<(Value, Span)> = None;
        for part in parts {
            let right = self.expression(part, scope)?;
            let right = match right {
                Value::Node(_) | Value::Empty | Value::Universe => right,
                other => Value::Node(self.typed(other, Type::Relation, part.span, operator.sign())?),
            };
            result = Some(match result {
                None => (right, part.span),
                Some((left, before)) => {
                    let value = self.two(operator, (left, before), (right, part.span))?;
                    (value, before.to(part.span))
                }
            });
        }
        Ok(result.map_or(Value::Empty, |(value, _)| value))
    }

    fn two(&mut self, operator: Boolean, left: (Value, Span), right: (Value, Span)) -> Lowered<Value> {
        let type_of = |lower: &Self, value: &Value| match value {
            Value::Node(node) => Some(lower.builder.type_of(*node)),
            _ => None,
        };
        let of = match (type_of(self, &left.0), type_of(self, &right.0)) {
            (None, None) => return Ok(operator.untyped(&left.0, &right.0)),
            (Some(one), Some(other)) if one != other => {
                let (set, relation) = if one == Type::Set { (left.1, right.1) } else { (right.1, left.1) };
                let sign = operator.sign();
                let message = format!("{sign} takes two sets or two relations, not one of each");
                return Err(Failure::Error(
                    Diagnostic::error(codes::TYPE, set, message)
                        .expecting("this is a set")
                        .label(relation, "this is a relation")
                        .help("`[S]` is the identity on a set S, `S * T` all pairs from S to T"),
                ));
            }
            (Some(of), _) | (None, Some(of)) => of,
        };
        let one = self.typed(left.0, of, left.1, operator.sign())?;
        let other = self.typed(right.0, of, right.1, operator.sign())?;
        Ok(Value::Node(match operator {
            Boolean::Union => self.builder.union(one, other),
            Boolean::Intersection => self.builder.intersection(one, other),
            Boolean::Difference => self.builder.difference(one, other),
        }))
    }

    fn apply(&mut self, function: &Expr, argument: &Expr, span: Span, scope: &Scope) -> Lowered<Value> {
        let callee = self.expression(function, scope)?;
        if let Value::Unsupported(why) = callee {
            return super::unsupported_name(function.span, why);
        }
        let value = self.expression(argument, scope)?;
        match callee {
            Value::Domain => {
                let relation = self.typed(value, Type::Relation, argument.span, "`domain`")?;
                Ok(Value::Node(self.builder.domain(relation)))
            }
            Value::Range => {
                let relation = self.typed(value, Type::Relation, argument.span, "`range`")?;
                Ok(Value::Node(self.builder.range(relation)))
            }
            Value::Function(closure) => {
                let mut inside = closure.scope.clone();
                for (name, function) in closure.group.iter() {
                    let (scope, group) = (closure.scope.clone(), closure.group.clone());
                    let again = Closure { function: function.clone(), scope, group };
                    inside.bind(name, Value::Function(Rc::new(again)));
                }
                self.bind(&closure.function.pattern, value, &mut inside, argument.span)?;
                let within = |problem: Diagnostic| match problem.labels.len() {
                    1 => problem.label(span, "called here"),
                    _ => problem,
                };
                self.expression(&closure.function.body, &inside).map_err(|failure| match failure {
                    Failure::Unbound(problem) => Failure::Unbound(within(problem)),
                    Failure::Error(problem) => Failure::Error(within(problem)),
                    Failure::Silent => Failure::Silent,
                })
            }
            other => {
                let found = self.describe(&other);
                let message = format!("this is {found}, not a function");
                let problem = Diagnostic::error(codes::TYPE, function.span, message);
                Err(Failure::Error(match other {
                    Value::Node(_) => problem
                        .label(argument.span, "and this stands where its argument would be")
                        .help("`r ; s` is first r, then s"),
                    _ => problem,
                }))
            }
        }
    }

    /// A set or relation, or an error.
    pub(super) fn plain(&mut self, value: Value, span: Span) -> Lowered<Value> {
        match value {
            Value::Node(_) | Value::Empty | Value::Universe => Ok(value),
            Value::Unsupported(why) => super::unsupported_name(span, why),
            Value::Poison => Err(Failure::Silent),
            other => {
                let found = self.describe(&other);
                error(codes::TYPE, span, format!("a set or relation is wanted here, and this is {found}"))
            }
        }
    }
}

impl Boolean {
    fn sign(self) -> &'static str {
        match self {
            Boolean::Union => "`|`",
            Boolean::Intersection => "`&`",
            Boolean::Difference => "`\\`",
        }
    }

    /// Of `0` and `~0`.
    fn untyped(self, left: &Value, right: &Value) -> Value {
        let (left, right) = (matches!(left, Value::Universe), matches!(right, Value::Universe));
        let full = match self {
            Boolean::Union => left || right,
            Boolean::Intersection => left && right,
            Boolean::Difference => left && !right,
        };
        if full { Value::Universe } else { Value::Empty }
    }
}
