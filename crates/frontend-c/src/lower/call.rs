//! Calls: functions of the text are inlined, those of libraries that wattle knows are what they mean, and all others
//! are unsupported by their names.

use std::collections::HashMap;

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::{Binary, Term};
use wattle_program::Op;

use super::expression::{Operand, function_number};
use super::place::{At, Lvalue};
use super::value::Value;
use super::{Body, Frame, Home, Owned, Unit, parameters};
use crate::declare::{Declares, Meaning};
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// Deeper nesting of calls than this is refused.
const DEEPEST: usize = 120;

/// How many calls are translated.
const MOST_CALLS: u32 = 5_000;

/// What an argument gives to its parameter.
enum Given {
    Value(Value),
    /// The parameter is another name for this place.
    Reference(Lvalue),
    Struct(Lvalue),
}

/// The type of the result of a call that needs no declaration.
pub(super) fn known_result(
    unit: &mut Unit<'_>,
    owned: &[Owned],
    name: &str,
    arguments: &[Node<Expression>],
) -> Option<Low<Type>> {
    if let Some(of) = super::atomics::result(unit, owned, name, arguments) {
        return Some(of);
    }
    match name {
        "__builtin_expect" => {
            arguments.first().map(|argument| super::initial::type_in(unit, owned, argument))
        }
        "malloc" | "calloc" | "realloc" => Some(Ok(Type::VOID.pointer())),
        _ if unit.scopes.find(name).is_none() => Some(Ok(nondet(unit, name).unwrap_or(Type::INT))),
        _ => None,
    }
}

/// The type of a free choice by the name of the function that makes it.
fn nondet(unit: &Unit<'_>, name: &str) -> Option<Type> {
    let word = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"))?;
    let long = unit.types.model.long();
    Some(match word {
        "bool" | "_Bool" => Type::BOOL,
        "char" | "schar" => Type::integer(1, true),
        "uchar" | "unsigned_char" | "u8" => Type::integer(1, false),
        "short" => Type::integer(2, true),
        "ushort" | "u16" => Type::integer(2, false),
        "uint" | "unsigned" | "u32" | "unsigned_int" => Type::integer(4, false),
        "long" | "ptrdiff_t" | "loff_t" => Type::integer(long, true),
        "ulong" | "size_t" | "sizet" => Type::integer(long, false),
        "longlong" => Type::integer(8, true),
        "ulonglong" => Type::integer(8, false),
        "pointer" | "charp" => Type::VOID.pointer(),
        "float" | "double" => Type::plain(Kind::Float(8)),
        _ => Type::INT,
    })
}

impl<'a> Body<'_, 'a> {
    pub(super) fn call(&mut self, call: &'a Node<CallExpression>) -> Low<Operand> {
        let (arguments, span) = (&call.node.arguments[..], call.span);
        if let Expression::Identifier(name) = &call.node.callee.node {
            let name = name.node.name.as_str();
            let meaning = self.unit.scopes.find(name).cloned();
            match meaning {
                Some(Meaning::Function(number)) => return self.direct(number, name, arguments, span),
                None => {
                    // One of another file.
                    let outside = self.unit.scopes.shared.externals.get(name);
                    if let Some(Meaning::Function(number)) = outside.filter(|_| self.unit.links()) {
                        return self.direct(*number, name, arguments, span);
                    }
                    return match self.library(name, arguments, span)? {
                        Some(result) => Ok(result),
                        None => self.unknown(name, None, arguments, span),
                    };
                }
                _ => {}
            }
        }
        let callee = match &call.node.callee.node {
            // `(*f)(…)` is `f(…)`.
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.rvalue(&unary.node.operand)?
            }
            _ => self.rvalue(&call.node.callee)?,
        };
        self.through_pointer(callee, arguments, span)
    }

    /// The function with this number.
    fn direct(
        &mut self,
        number: usize,
        name: &str,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Operand> {
        let defined = self.unit.functions[number].definition.is_some();
        // The name of the error counts, whatever its body does.
        if !defined || matches!(name, "reach_error" | "__VERIFIER_error") {
            if let Some(result) = self.library(name, arguments, span)? {
                return Ok(result);
            }
            if !defined {
                return self.unknown(name, Some(number), arguments, span);
            }
        }
        let atomic = name.starts_with("__VERIFIER_atomic_");
        if atomic {
            self.graph.open_section();
        }
        let result = self.inline(number, arguments, span);
        if atomic {
            self.write_back();
            self.graph.close_section();
        }
        result
    }

    fn unknown(
        &mut self,
        name: &str,
        number: Option<usize>,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Operand> {
        if self.unit.settings.assume_pure.iter().any(|pure| pure == name) {
            for argument in arguments {
                self.rvalue(argument)?;
            }
            let of = match number.map(|number| &self.unit.functions[number].of.kind) {
                Some(Kind::Function(signature)) => signature.result.clone(),
                _ => Type::INT,
            };
            if of.kind == Kind::Void {
                return Ok(Operand::Value(Value::void()));
            }
            return Ok(Operand::Value(self.any(&of)));
        }
        refuse(format!("the function `{name}`, which has no definition"), span)
    }

    pub(super) fn through_pointer(
        &mut self,
        callee: Value,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Operand> {
        if let Some(value) = callee.known() {
            return match function_number(self.unit, value) {
                Some(number) => {
                    let name = self.unit.functions[number].name.clone();
                    self.direct(number, &name, arguments, span)
                }
                None => refuse("a call through a pointer to no function", span),
            };
        }
        let count = arguments.len();
        let fits = |unit: &Unit<'_>, number: usize| match &unit.functions[number].of.kind {
            Kind::Function(signature) => {
                let target = callee.of.target().map(|target| &target.kind);
                let same = match target {
                    Some(Kind::Function(wanted)) => wanted.result.kind == signature.result.kind,
                    _ => true,
                };
                same && signature.parameters.len() == count && unit.functions[number].definition.is_some()
            }
            _ => false,
        };
        let candidates: Vec<usize> =
            (0..self.unit.functions.len()).filter(|number| fits(self.unit, *number)).collect();
        let term = self.kept(callee.term);
        let end = self.graph.point();
        let mut result: Option<(u32, Type)> = None;
        for number in candidates {
            let here = super::expression::function_pointer(self.unit, number).term;
            let (yes, no) = self.branch(Term::binary(Binary::Equal, term.clone(), here));
            self.graph.continue_at(yes);
            let name = self.unit.functions[number].name.clone();
            if let Operand::Value(value) = self.direct(number, &name, arguments, span)?
                && value.of.kind != Kind::Void
            {
                let local = match &result {
                    Some((local, _)) => *local,
                    None => {
                        let local = self.temporary(value.of.sort());
                        result = Some((local, value.of.clone()));
                        local
                    }
                };
                self.graph.op(Op::Assign { local, value: value.term });
            }
            self.jump(end);
            self.graph.continue_at(no);
        }
        let place = self.unit.places.span(span);
        self.graph.halt(Op::Unsupported {
            what: "a call through a pointer to no known function".into(),
            span: place,
        });
        self.graph.continue_at(end);
        Ok(Operand::Value(match result {
            Some((local, of)) => Value::new(self.local_term(local), &of),
            None => Value::void(),
        }))
    }

    /// The body of a function in the place of its call.
    pub(super) fn inline(
        &mut self,
        number: usize,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Operand> {
        let Some(definition) = self.unit.functions[number].definition else {
            return refuse("a function without a definition", span);
        };
        self.spend(span)?;
        let nested = self.frames.iter().filter(|frame| frame.function == Some(number)).count();
        if nested > self.unit.settings.bound as usize {
            let name = self.unit.functions[number].name.clone();
            self.cut(&format!("recursion of `{name}` deeper than {}", self.unit.settings.bound), span);
            return Ok(Operand::Value(Value::int(0)));
        }
        if self.frames.len() > DEEPEST {
            return refuse("calls nested too deeply", span);
        }
        let Kind::Function(signature) = self.unit.functions[number].of.kind.clone() else {
            return refuse("a call of something that is no function", span);
        };
        let key = self.unit.functions[number].key.clone();
        let mut given = Vec::new();
        for (position, argument) in arguments.iter().enumerate() {
            let of = signature.parameters.get(position).cloned();
            given.push(self.given(&key, position, argument, of)?);
        }
        self.enter(number, &signature.result);
        let aside = self.unit.scopes.set_aside();
        let file = self.unit.scopes.turn_to(self.unit.functions[number].file);
        self.unit.scopes.enter();
        let bound = self.bind(definition, given, span);
        if bound.is_ok() {
            self.statement(&definition.node.statement);
        }
        self.unit.scopes.turn_to(file);
        self.unit.scopes.restore(aside);
        let result = self.leave();
        bound?;
        Ok(match result {
            Some(owned) => {
                let place = self.variable_place(owned);
                match place.of.is_scalar() {
                    true => Operand::Value(self.load(&place, span)?),
                    false => Operand::Place(place),
                }
            }
            None => Operand::Value(Value::void()),
        })
    }

    /// Functions stand where they are called, so that those that call each other may take any room.
    pub(super) fn spend(&mut self, span: Span) -> Low<()> {
        self.unit.calls += 1;
        match self.unit.calls > MOST_CALLS {
            true => {
                refuse(format!("more than {MOST_CALLS} calls, each with its function in its place"), span)
            }
            false => Ok(()),
        }
    }

    /// Begin a function: a frame with a place for its result.
    pub(super) fn enter(&mut self, number: usize, result: &Type) {
        let returns = self.graph.point();
        let facts = self.unit.look.functions.get(&self.unit.functions[number].key);
        let goes_back = facts.is_some_and(|facts| facts.goes_back);
        let rounds = self.frames.last().map_or(Some(1), |frame| frame.rounds).filter(|_| !goes_back);
        let name = self.unit.functions[number].name.clone();
        let result = self.result_of(&name, result);
        self.frames.push(Frame {
            function: Some(number),
            labels: HashMap::new(),
            breaks: vec![],
            continues: vec![],
            switches: vec![],
            returns,
            result,
            rounds,
        });
    }

    fn result_of(&mut self, function: &str, of: &Type) -> Option<usize> {
        if of.kind == Kind::Void {
            return None;
        }
        let leaves = self.unit.types.leaves(of).ok()?;
        if leaves.iter().any(|leaf| !leaf.dimensions.is_empty()) {
            // Registers have no elements.
            let name = format!("{function}.result");
            let object = self.private_object(&name, of, false, Span::none()).ok()?;
            self.owned.push(Owned { of: of.unqualified(), home: Home::Object(object) });
            return Some(self.owned.len() - 1);
        }
        let set: Vec<(u64, u32, Type)> =
            leaves.into_iter().map(|leaf| (leaf.offset, self.temporary(leaf.of.sort()), leaf.of)).collect();
        self.registers.push(set);
        self.owned.push(Owned { of: of.unqualified(), home: Home::Registers(self.registers.len() - 1) });
        Some(self.owned.len() - 1)
    }

    /// End a function: everything that returned goes on here.
    pub(super) fn leave(&mut self) -> Option<usize> {
        let frame = self.frames.pop()?;
        self.continue_at(frame.returns);
        frame.result
    }

    fn given(
        &mut self,
        callee: &str,
        position: usize,
        argument: &'a Node<Expression>,
        of: Option<Type>,
    ) -> Low<Given> {
        let span = argument.span;
        if self.unit.look.is_followed(callee, position)
            && of.as_ref().is_some_and(Type::is_pointer)
            && let Some(place) = self.reference(argument)?
        {
            let target = of.as_ref().and_then(Type::target);
            if target.is_some_and(|target| target.kind == place.of.kind) {
                return Ok(Given::Reference(place));
            }
            let value = Value { term: self.number(&place, span)?, of: place.of.pointer() };
            return Ok(Given::Value(value));
        }
        if of.as_ref().is_some_and(|of| !of.is_scalar()) {
            let source = self.aggregate(argument)?;
            return Ok(Given::Struct(source));
        }
        let value = self.rvalue(argument)?;
        let value = match of {
            Some(of) => self.converted(value, &of, span)?,
            None => value,
        };
        Ok(Given::Value(Value { term: self.kept(value.term), ..value }))
    }

    /// The place that an argument points to, if it says so itself.
    fn reference(&mut self, argument: &'a Node<Expression>) -> Low<Option<Lvalue>> {
        let place = match &argument.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                if let Expression::Identifier(name) = &unary.node.operand.node
                    && matches!(self.unit.scopes.find(&name.node.name), Some(Meaning::Function(_)))
                {
                    return Ok(None);
                }
                self.place(&unary.node.operand)?
            }
            Expression::Identifier(name) => match self.unit.scopes.find(&name.node.name).cloned() {
                Some(Meaning::Local(number)) => match &self.owned[number].home {
                    Home::Reference(target) => target.as_ref().clone(),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        // What the place depends on must not change under it.
        let at = match place.at {
            At::Number(number) => At::Number(self.kept(number)),
            At::Object { object, path, indices } => {
                let indices = indices.into_iter().map(|index| self.kept(index)).collect();
                At::Object { object, path, indices }
            }
            registers => registers,
        };
        Ok(Some(Lvalue { at, ..place }))
    }

    /// Declare the parameters and give them their values.
    fn bind(&mut self, definition: &'a Node<FunctionDefinition>, given: Vec<Given>, span: Span) -> Low<()> {
        let mut given = given.into_iter();
        for parameter in parameters(definition) {
            let (name, of) = self.unit.parameter(parameter)?;
            if of.kind == Kind::Void {
                continue;
            }
            let argument = given.next();
            let Some(name) = name else { continue };
            let owned = match argument {
                Some(Given::Reference(place)) => {
                    self.owned.push(Owned { of, home: Home::Reference(Box::new(place)) });
                    self.owned.len() - 1
                }
                other => {
                    let owned = self.own(&name, of, true, parameter.span)?;
                    let place = self.variable_place(owned);
                    match other {
                        Some(Given::Value(value)) => {
                            let value = value.convert(&place.of, span)?;
                            self.store_with(&place, value, super::plain(), span)?;
                        }
                        Some(Given::Struct(source)) => self.copy(&place, &source, span)?,
                        _ => self.initialize(owned, None, span)?,
                    }
                    owned
                }
            };
            self.unit.scopes.declare(&name, Meaning::Local(owned));
        }
        Ok(())
    }

    /// Is this a call that returns any number?
    pub(super) fn is_free_choice(&self, expression: &Node<Expression>) -> bool {
        match &expression.node {
            Expression::Cast(cast) => self.is_free_choice(&cast.node.expression),
            Expression::Call(call) => match &call.node.callee.node {
                Expression::Identifier(name) => {
                    let name = name.node.name.as_str();
                    let defined =
                        self.unit.function_named(name).map(|number| &self.unit.functions[number].definition);
                    let of = nondet(self.unit, name);
                    of.is_some_and(|of| !matches!(of.kind, Kind::Float(_)))
                        && !matches!(defined, Some(Some(_)))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// A function of a library that wattle knows.
    fn library(&mut self, name: &str, arguments: &'a [Node<Expression>], span: Span) -> Low<Option<Operand>> {
        if let Some(result) = self.atomic_call(name, arguments, span)? {
            return Ok(Some(result));
        }
        if let Some(result) = self.thread_call(name, arguments, span)? {
            return Ok(Some(Operand::Value(result)));
        }
        let first = arguments.first();
        let value = match name {
            "reach_error"
            | "__VERIFIER_error"
            | "__assert_fail"
            | "__assert"
            | "__assert_rtn"
            | "__assert_perror_fail" => {
                self.write_back();
                self.assert(Term::bool(false), span);
                self.graph.stop();
                Value::void()
            }
            "__wattle_assert" | "__VERIFIER_assert" | "__CPROVER_assert" => {
                let condition = match first {
                    Some(condition) => self.condition(condition)?,
                    None => Term::bool(false),
                };
                self.assert(condition, span);
                Value::void()
            }
            "__VERIFIER_assume" | "__CPROVER_assume" | "__builtin_assume" => {
                if let Some(condition) = first {
                    let condition = self.condition(condition)?;
                    self.graph.op(Op::Assume { condition });
                    if self.graph.sections == 0 {
                        self.graph.flush();
                    }
                }
                Value::void()
            }
            "abort"
            | "exit"
            | "_Exit"
            | "_exit"
            | "quick_exit"
            | "__builtin_trap"
            | "__builtin_unreachable"
            | "__builtin_abort" => {
                // Other threads may be as slow as they like, so that what they do after it happens before it too.
                for argument in arguments {
                    self.effect(argument)?;
                }
                self.write_back();
                self.graph.stop();
                Value::void()
            }
            "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" => {
                self.graph.open_section();
                Value::void()
            }
            "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" => {
                self.write_back();
                self.graph.close_section();
                Value::void()
            }
            "__builtin_expect" => match first {
                Some(argument) => self.rvalue(argument)?,
                None => return refuse("a call without its argument", span),
            },
            "printf" | "fprintf" | "puts" | "putchar" | "fputs" | "fputc" | "putc" | "fflush" | "perror"
            | "vprintf" | "srand" | "usleep" | "sleep" | "sched_yield" | "setbuf" | "setvbuf" => {
                for argument in arguments {
                    if !matches!(argument.node, Expression::StringLiteral(_)) && !is_stream(argument) {
                        self.rvalue(argument)?;
                    }
                }
                Value::int(0)
            }
            "rand" | "random" => self.any(&Type::INT),
            "sscanf" if is_one_number(arguments) => {
                let name = format!("{}sscanf", crate::library::SPECIAL);
                match self.unit.scopes.shared.externals.get(&name) {
                    Some(Meaning::Function(number)) => {
                        return self.direct(*number, &name, arguments, span).map(Some);
                    }
                    _ => return Ok(None),
                }
            }
            "malloc" | "alloca" | "__builtin_alloca" => self.allocate(arguments, false, span)?,
            "calloc" => self.allocate(arguments, true, span)?,
            "free" => {
                self.release(arguments, span)?;
                Value::void()
            }
            "memset" | "__builtin_memset" => {
                return self.memset(arguments, span).map(|value| Some(Operand::Value(value)));
            }
            "memcpy" | "memmove" | "__builtin_memcpy" | "__builtin_memmove" => {
                return self.memcpy(arguments, span).map(|value| Some(Operand::Value(value)));
            }
            _ => match nondet(self.unit, name) {
                Some(of) if matches!(of.kind, Kind::Float(_)) => {
                    return refuse("floating-point arithmetic", span);
                }
                Some(of) => {
                    let declared = self
                        .unit
                        .function_named(name)
                        .map(|number| self.unit.functions[number].of.kind.clone());
                    let of = match declared {
                        Some(Kind::Function(signature)) if signature.result.is_scalar() => {
                            signature.result.clone()
                        }
                        _ => of,
                    };
                    self.any(&of)
                }
                None => return Ok(None),
            },
        };
        Ok(Some(Operand::Value(value)))
    }
}

/// Is it `sscanf(text, "%d", into)`?
fn is_one_number(arguments: &[Node<Expression>]) -> bool {
    let [_, format, _] = arguments else { return false };
    matches!(&format.node, Expression::StringLiteral(text) if text.node == ["\"%d\""])
}

fn is_stream(argument: &Node<Expression>) -> bool {
    matches!(&argument.node, Expression::Identifier(name) if matches!(name.node.name.as_str(), "stderr" | "stdout" | "stdin"))
}

/// An argument that a call of the library cannot be without.
pub(super) fn argument<'a>(
    arguments: &'a [Node<Expression>],
    number: usize,
    name: &str,
    span: Span,
) -> Low<&'a Node<Expression>> {
    match arguments.get(number) {
        Some(argument) => Ok(argument),
        None => refuse(format!("a call of `{name}` without its arguments"), span),
    }
}
