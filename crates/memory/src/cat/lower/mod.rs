//! From the syntax tree to the core: names are resolved, functions inlined, types checked.
//!
//! Lowering is evaluation with nodes for values. A name means what the last `let` before it gave it
//! (scoping is static: a function sees the names as they were where it was defined), so shadowing such
//! as `let lwsync = lwsync \ (W * R)` needs no care, and every call of a function is one more copy of
//! its body, which hash-consing folds where arguments are equal.
//!
//! `0` is nothing of either type until it meets a typed operand. An instruction with an error binds its
//! names to *poison*, which is silent, so that one slip is one message.

mod expression;
mod recursion;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use wattle_program::Name;
use wattle_source::{Code, Diagnostic, Span, did_you_mean};

use super::base;
use super::build::Builder;
use super::core::{Axiom, Core, NodeId, Test, Type};
use super::syntax::{Expr, Function, Instruction, InstructionKind, Pattern, Procedure, Tree};
use crate::cat::codes;

/// No more errors than this are reported.
const MOST_ERRORS: usize = 20;
/// Expressions and calls inside each other, counted through calls.
const DEEPEST: u32 = 300;
/// Expressions evaluated in all.
const MOST_WORK: u32 = 200_000;
/// Definitions in all, because scopes are lists.
const MOST_DEFINITIONS: u32 = 5_000;

pub(crate) fn lower(tree: &Tree) -> Result<Core, Vec<Diagnostic>> {
    let mut lower = Lower {
        builder: Builder::default(),
        globals: BTreeMap::new(),
        defined: 0,
        variants: &tree.variants,
        depth: 0,
        work: 0,
        errors: Vec::new(),
    };
    let mut scope = Scope::default();
    lower.instructions(&tree.prelude, &mut scope, true);
    lower.instructions(&tree.instructions, &mut scope, true);
    if lower.errors.is_empty() { Ok(lower.builder.finish()) } else { Err(lower.errors) }
}

#[derive(Clone, Debug)]
enum Value {
    Node(NodeId),
    /// `0`
    Empty,
    /// `~0`
    Universe,
    Function(Rc<Closure>),
    Procedure(Rc<ProcedureClosure>),
    Domain,
    Range,
    Tuple(Vec<Value>),
    Unsupported(&'static str),
    /// Of an instruction that has been complained about.
    Poison,
}

#[derive(Debug)]
struct Closure {
    function: Arc<Function>,
    scope: Scope,
    /// The functions of its `let rec`, itself among them.
    group: Rc<Vec<(Name, Arc<Function>)>>,
}

#[derive(Debug)]
struct ProcedureClosure {
    procedure: Arc<Procedure>,
    scope: Scope,
}

/// Which names are visible: the first so many definitions of the file, and locals before them.
#[derive(Clone, Debug, Default)]
struct Scope {
    defined: u32,
    locals: Option<Rc<Local>>,
}

#[derive(Debug)]
struct Local {
    name: Name,
    value: Value,
    next: Option<Rc<Local>>,
}

impl Scope {
    fn bind(&mut self, name: &Name, value: Value) {
        let next = self.locals.take();
        self.locals = Some(Rc::new(Local { name: name.clone(), value, next }));
    }
}

enum Failure {
    /// What `try` catches.
    Unbound(Diagnostic),
    Error(Diagnostic),
    /// Of something that has been complained about.
    Silent,
}

type Lowered<T> = Result<T, Failure>;

struct Lower<'t> {
    builder: Builder,
    /// Each name's definitions, each with its number among all.
    globals: BTreeMap<Name, Vec<(u32, Value)>>,
    defined: u32,
    variants: &'t [String],
    depth: u32,
    work: u32,
    errors: Vec<Diagnostic>,
}

fn error<T>(code: Code, span: Span, message: impl Into<String>) -> Lowered<T> {
    Err(Failure::Error(Diagnostic::error(code, span, message)))
}

impl Lower<'_> {
    /// At the `top`, names are the file's; in a procedure they are its own.
    fn instructions(&mut self, instructions: &[Instruction], scope: &mut Scope, top: bool) {
        for instruction in instructions {
            if self.errors.len() >= MOST_ERRORS {
                return;
            }
            let failure = match self.instruction(instruction, scope, top) {
                Ok(()) | Err(Failure::Silent) => continue,
                Err(Failure::Unbound(problem) | Failure::Error(problem)) => problem,
            };
            if !self.errors.iter().any(|other| other.span() == failure.span()) {
                self.errors.push(failure);
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, scope: &mut Scope, top: bool) -> Lowered<()> {
        match &instruction.kind {
            InstructionKind::Let { recursive, bindings } => {
                let values = match recursive {
                    true => self.recursive(bindings, scope),
                    false => self.simultaneous(bindings, scope),
                };
                let (values, result) = match values {
                    Ok(values) => (values, Ok(())),
                    Err(failure) => {
                        let names = bindings.iter().flat_map(|binding| names(&binding.pattern));
                        (names.map(|name| (name, Value::Poison)).collect(), Err(failure))
                    }
                };
                for (name, value) in values {
                    self.define(scope, top, &name, value);
                }
                if self.defined > MOST_DEFINITIONS {
                    let message = format!("more than {MOST_DEFINITIONS} definitions");
                    return error(codes::RECURSION, instruction.span, message);
                }
                result
            }
            InstructionKind::Test { role, test, negated, body, name } => {
                let value = self.expression(body, scope)?;
                let node = match (test, value) {
                    (Test::Empty, Value::Node(node)) => node,
                    (_, value) => self.typed(value, Type::Relation, body.span, "this test")?,
                };
                let span = instruction.span;
                let (role, test, negated, name) = (*role, *test, *negated, name.clone());
                self.builder.axioms.push(Axiom { name, role, test, negated, body: node, span });
                Ok(())
            }
            InstructionKind::Include { body, .. } => {
                self.instructions(body, scope, top);
                Ok(())
            }
            InstructionKind::If { condition, then, otherwise } => {
                let taken = if condition.holds(self.variants) { then } else { otherwise };
                self.instructions(taken, scope, top);
                Ok(())
            }
            InstructionKind::Procedure { name, procedure } => {
                let closure = ProcedureClosure { procedure: procedure.clone(), scope: scope.clone() };
                self.define(scope, top, &name.name, Value::Procedure(Rc::new(closure)));
                Ok(())
            }
            InstructionKind::Call { name, argument } => {
                let Value::Procedure(closure) = self.lookup(&name.name, name.span, scope)? else {
                    return error(codes::TYPE, name.span, format!("`{}` is not a procedure", name.name));
                };
                let argument = self.expression(argument, scope)?;
                let mut inside = closure.scope.clone();
                self.bind(&closure.procedure.pattern, argument, &mut inside, instruction.span)?;
                self.enter(instruction.span)?;
                self.instructions(&closure.procedure.body, &mut inside, false);
                self.depth -= 1;
                Ok(())
            }
            InstructionKind::WithCo => {
                let co = self.builder.base("co", Type::Relation);
                self.define(scope, top, &"co".into(), Value::Node(co));
                Ok(())
            }
            InstructionKind::Ignored => Ok(()),
            InstructionKind::Unsupported(what) => unsupported(instruction.span, what),
        }
    }

    fn define(&mut self, scope: &mut Scope, top: bool, name: &Name, value: Value) {
        self.defined += 1;
        if !top {
            return scope.bind(name, value);
        }
        self.globals.entry(name.clone()).or_default().push((self.defined, value));
        scope.defined = self.defined;
    }

    fn lookup(&mut self, name: &Name, span: Span, scope: &Scope) -> Lowered<Value> {
        let mut local = &scope.locals;
        while let Some(here) = local {
            if here.name == *name {
                return Ok(here.value.clone());
            }
            local = &here.next;
        }
        let definitions = self.globals.get(name).into_iter().flatten().rev();
        for (number, value) in definitions {
            if *number <= scope.defined {
                return Ok(value.clone());
            }
        }
        Ok(match base::find(name) {
            Some(base::Base::Value(name, of)) => Value::Node(self.builder.base(name, of)),
            Some(base::Base::Universe) => Value::Node(self.builder.all(Type::Set)),
            Some(base::Base::Nothing) => Value::Node(self.builder.empty(Type::Set)),
            Some(base::Base::Domain) => Value::Domain,
            Some(base::Base::Range) => Value::Range,
            Some(base::Base::Unsupported(why)) => Value::Unsupported(why),
            None => return Err(Failure::Unbound(self.unknown(name, span, scope))),
        })
    }

    fn unknown(&self, name: &Name, span: Span, scope: &Scope) -> Diagnostic {
        let mut known: Vec<&str> = base::names().collect();
        known.extend(self.globals.keys().map(|name| &**name));
        let mut local = &scope.locals;
        while let Some(here) = local {
            known.push(&here.name);
            local = &here.next;
        }
        let mut problem = Diagnostic::error(codes::UNKNOWN_NAME, span, format!("`{name}` is not defined"));
        problem.help = did_you_mean(name, known);
        problem
    }

    /// Take an argument apart.
    fn bind(&mut self, pattern: &Pattern, value: Value, scope: &mut Scope, span: Span) -> Lowered<()> {
        match (pattern, value) {
            (Pattern::One(name), value) => {
                if let Some(name) = name {
                    scope.bind(&name.name, value);
                }
                Ok(())
            }
            (Pattern::Tuple(names), Value::Tuple(values)) if names.len() == values.len() => {
                for (name, value) in names.iter().zip(values) {
                    if let Some(name) = name {
                        scope.bind(&name.name, value);
                    }
                }
                Ok(())
            }
            (Pattern::Tuple(_), Value::Poison) => Err(Failure::Silent),
            (Pattern::Tuple(names), value) => {
                let found = if let Value::Tuple(values) = &value { values.len() } else { 1 };
                error(codes::ARGUMENTS, span, format!("{} values are wanted here, not {found}", names.len()))
            }
        }
    }

    /// One expression or call further down.
    fn enter(&mut self, span: Span) -> Lowered<()> {
        self.depth += 1;
        self.work += 1;
        if self.depth > DEEPEST || self.work > MOST_WORK {
            self.depth -= 1;
            let message = "the definitions that this calls do not come to an end, or are too large";
            return error(codes::RECURSION, span, message);
        }
        Ok(())
    }

    /// As a node of this type.
    fn typed(&mut self, value: Value, of: Type, span: Span, what: &str) -> Lowered<NodeId> {
        match value {
            Value::Empty => Ok(self.builder.empty(of)),
            Value::Universe => Ok(self.builder.all(of)),
            Value::Node(node) if self.builder.type_of(node) == of => Ok(node),
            Value::Poison => Err(Failure::Silent),
            Value::Unsupported(why) => unsupported_name(span, why),
            other => {
                let wanted = match of {
                    Type::Set => "set",
                    Type::Relation => "relation",
                };
                let found = self.describe(&other);
                let problem = Diagnostic::error(
                    codes::TYPE,
                    span,
                    format!("{what} takes a {wanted}, and this is {found}"),
                );
                Err(Failure::Error(match (of, &other) {
                    (Type::Relation, Value::Node(_)) => {
                        problem.help("`[S]` is the identity on a set S, `S * T` all pairs from S to T")
                    }
                    (Type::Set, Value::Node(_)) => {
                        problem.help("`domain(r)` and `range(r)` are the sets at the ends of a relation r")
                    }
                    _ => problem,
                }))
            }
        }
    }

    fn describe(&self, value: &Value) -> &'static str {
        match value {
            Value::Node(node) => match self.builder.type_of(*node) {
                Type::Set => "a set",
                Type::Relation => "a relation",
            },
            Value::Empty | Value::Universe => "a set or relation",
            Value::Function(_) | Value::Domain | Value::Range => "a function",
            Value::Procedure(_) => "a procedure",
            Value::Tuple(_) => "several values",
            Value::Unsupported(_) | Value::Poison => "unknown",
        }
    }

    fn simultaneous(
        &mut self,
        bindings: &[super::syntax::Binding],
        scope: &Scope,
    ) -> Lowered<Vec<(Name, Value)>> {
        let mut values = Vec::new();
        for binding in bindings {
            let value = self.expression(&binding.body, scope)?;
            let mut bound = Scope::default();
            self.bind(&binding.pattern, value, &mut bound, binding.body.span)?;
            let mut local = bound.locals;
            while let Some(here) = local {
                values.push((here.name.clone(), here.value.clone()));
                local = here.next.clone();
            }
        }
        Ok(values)
    }
}

fn names(pattern: &Pattern) -> Vec<Name> {
    match pattern {
        Pattern::One(name) => name.iter().map(|name| name.name.clone()).collect(),
        Pattern::Tuple(names) => names.iter().flatten().map(|name| name.name.clone()).collect(),
    }
}

fn unsupported<T>(span: Span, what: &str) -> Lowered<T> {
    error(codes::UNSUPPORTED, span, format!("{what} is not supported"))
}

fn unsupported_name<T>(span: Span, why: &str) -> Lowered<T> {
    error(codes::UNSUPPORTED, span, format!("this is not supported: {why}"))
}

/// The text of a type error names the operator.
fn operator(expr: &Expr) -> &'static str {
    use super::syntax::ExprKind;
    match &expr.kind {
        ExprKind::Sequence(_) => "`;`",
        ExprKind::Product(..) => "`*` between two",
        ExprKind::Star(_) => "`*`",
        ExprKind::Plus(_) => "`+`",
        ExprKind::Maybe(_) => "`?`",
        ExprKind::Inverse(_) => "`^-1`",
        ExprKind::Identity(_) => "`[ ]`",
        _ => "this",
    }
}
