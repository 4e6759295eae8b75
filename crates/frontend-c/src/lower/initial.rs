//! Initial values and constant expressions, and the types of expressions that are not evaluated.

use std::collections::BTreeSet;

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::Term;
use wattle_program::{Choice, Dimension, Init, Op};

use super::lists::text_elements;
use super::place::{At, Lvalue};
use super::value::{Arithmetic, Value, common, in_sort, promoted, size_type};
use super::{Body, Home, Owned, Unit};
use crate::codes;
use crate::declare::{Declares, Meaning};
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Leaf, Type};

/// The value of a constant expression.
pub(super) fn constant(unit: &mut Unit<'_>, expression: &Node<Expression>) -> Low<i64> {
    let value = evaluate(unit, expression)?;
    match value.known() {
        Some(value) => Ok(value),
        None => refuse("an expression that is not constant", expression.span),
    }
}

/// A constant: a number, or the number of an address.
fn evaluate(unit: &mut Unit<'_>, expression: &Node<Expression>) -> Low<Value> {
    let span = expression.span;
    match &expression.node {
        Expression::Constant(literal) => unit.literal(&literal.node, span),
        Expression::Identifier(name) => match unit.scopes.find(&name.node.name).cloned() {
            Some(Meaning::Constant(value)) => Ok(Value::int(value)),
            Some(Meaning::Function(number)) => Ok(super::expression::function_pointer(unit, number)),
            Some(Meaning::Global(number)) => {
                let of = unit.globals[number].of.clone();
                if matches!(of.kind, Kind::Array(..)) {
                    return address(unit, expression);
                }
                match unit.global_constant(number) {
                    Some(value) => Ok(Value::constant(value, of)),
                    None => refuse("an expression that is not constant", span),
                }
            }
            Some(_) => refuse("an expression that is not constant", span),
            None => unit.undeclared(&name.node.name, span),
        },
        Expression::Cast(cast) => {
            let to = unit.named(&cast.node.type_name)?;
            evaluate(unit, &cast.node.expression)?.convert(&to, span)
        }
        Expression::SizeOfTy(size) => {
            let of = unit.named(&size.node.0)?;
            unit.size_of(&of, span)
        }
        Expression::SizeOfVal(size) => {
            let of = type_of(unit, &size.node.0)?;
            unit.size_of(&of, span)
        }
        Expression::AlignOf(align) => {
            let of = unit.named(&align.node.0)?;
            Ok(Value::constant(unit.types.align(&of) as i64, size_type(unit.types.model)))
        }
        Expression::OffsetOf(offset) => unit.offset_of(&offset.node, span),
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            UnaryOperator::Address => address(unit, &unary.node.operand),
            UnaryOperator::Plus => {
                let value = evaluate(unit, &unary.node.operand)?;
                let of = promoted(&value.of);
                value.convert(&of, span)
            }
            UnaryOperator::Negate => {
                let value = evaluate(unit, &unary.node.operand)?;
                match value.known() {
                    Some(value) => Ok(Value::int(i64::from(value == 0))),
                    None => refuse("an expression that is not constant", span),
                }
            }
            UnaryOperator::Minus | UnaryOperator::Complement => {
                let value = evaluate(unit, &unary.node.operand)?;
                let operator = match unary.node.operator.node {
                    UnaryOperator::Minus => wattle_logic::Unary::Negate,
                    _ => wattle_logic::Unary::Complement,
                };
                Arithmetic { types: &unit.types, span }.unary(operator, value)
            }
            _ => refuse("an expression that is not constant", span),
        },
        Expression::BinaryOperator(binary) => {
            let left = evaluate(unit, &binary.node.lhs)?;
            let operator = &binary.node.operator.node;
            match (operator, left.known()) {
                (BinaryOperator::LogicalAnd, Some(0)) => return Ok(Value::int(0)),
                (BinaryOperator::LogicalOr, Some(value)) if value != 0 => return Ok(Value::int(1)),
                _ => {}
            }
            let right = evaluate(unit, &binary.node.rhs)?;
            if matches!(operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
                return Ok(Value::of_truth(right.truth()));
            }
            Arithmetic { types: &unit.types, span }.binary(operator, left, right)
        }
        Expression::Conditional(conditional) => {
            let condition = evaluate(unit, &conditional.node.condition)?;
            let value = match condition.known() {
                Some(0) => evaluate(unit, &conditional.node.else_expression)?,
                Some(_) => evaluate(unit, &conditional.node.then_expression)?,
                None => return refuse("an expression that is not constant", span),
            };
            let of = type_of(unit, expression)?;
            if of.is_scalar() { value.convert(&of, span) } else { Ok(value) }
        }
        Expression::StringLiteral(text) => {
            let object = unit.text_object(super::letters::bytes(&text.node, span)?, span)?;
            let base = first_address(unit, object);
            Ok(Value { term: base, of: Type::integer(1, true).pointer() })
        }
        _ => refuse("an expression that is not constant", span),
    }
}

/// The address of a global, or of a part of it.
fn address(unit: &mut Unit<'_>, expression: &Node<Expression>) -> Low<Value> {
    if let Expression::Identifier(name) = &expression.node
        && let Some(Meaning::Function(number)) = unit.scopes.find(&name.node.name).cloned()
    {
        return Ok(super::expression::function_pointer(unit, number));
    }
    let (object, of, offset) = part(unit, expression)?;
    let of = match &of.kind {
        Kind::Array(element, _) => element.as_ref().clone(),
        _ => of,
    };
    Ok(Value { term: super::value::moved(first_address(unit, object), offset), of: of.pointer() })
}

/// The number of the address of an object that is no thread's own.
fn first_address(unit: &Unit<'_>, object: usize) -> Term {
    let (_, variable, _) = &unit.objects[object].leaves[0];
    let dimensions = unit.program.variables[*variable as usize].dimensions.len();
    Term::number(Term::address(*variable, vec![Term::int(0); dimensions]))
}

/// Object, type and offset of a path with constant indices.
fn part(unit: &mut Unit<'_>, expression: &Node<Expression>) -> Low<(usize, Type, u64)> {
    let span = expression.span;
    match &expression.node {
        Expression::Identifier(name) => match unit.scopes.find(&name.node.name).cloned() {
            Some(Meaning::Global(number)) => {
                let object = unit.global_object(number, span)?;
                Ok((object, unit.globals[number].of.clone(), 0))
            }
            Some(_) => refuse("an address that is not constant", span),
            None => unit.undeclared(&name.node.name, span),
        },
        Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
            let (object, of, offset) = part(unit, &member.node.expression)?;
            let Kind::Record(record) = of.kind else {
                return refuse("a field of something that is no struct", span);
            };
            match unit.types.field(record, &member.node.identifier.node.name) {
                Some((field, more, _)) => Ok((object, field.of.clone(), offset + more)),
                None => refuse("an unknown field", span),
            }
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            let (object, of, offset) = part(unit, &binary.node.lhs)?;
            let index = constant(unit, &binary.node.rhs)?;
            let Kind::Array(element, _) = of.kind else {
                return refuse("an address that is not constant", span);
            };
            let size = unit.types.size(&element).unwrap_or(0);
            Ok((object, element.as_ref().clone(), offset + size * index.max(0) as u64))
        }
        _ => refuse("an address that is not constant", span),
    }
}

pub(super) fn type_of(unit: &mut Unit<'_>, expression: &Node<Expression>) -> Low<Type> {
    type_in(unit, &[], expression)
}

/// The type of an expression, in a function with these locals.
pub(super) fn type_in(unit: &mut Unit<'_>, owned: &[Owned], expression: &Node<Expression>) -> Low<Type> {
    let span = expression.span;
    Ok(match &expression.node {
        Expression::Identifier(name) => match unit.scopes.find(&name.node.name).cloned() {
            Some(Meaning::Local(number)) => match owned.get(number) {
                Some(owned) => owned.of.clone(),
                None => return refuse("the type of a local", span),
            },
            Some(Meaning::Global(number)) => unit.globals[number].of.clone(),
            Some(Meaning::Function(number)) => unit.functions[number].of.clone(),
            Some(Meaning::Constant(_)) => Type::INT,
            Some(Meaning::Typedef(of)) => of,
            Some(Meaning::Refused(what)) => return refuse(what, span),
            None => return unit.undeclared(&name.node.name, span),
        },
        Expression::Constant(literal) => unit.literal(&literal.node, span)?.of,
        Expression::StringLiteral(text) => {
            super::letters::array_of(&super::letters::bytes(&text.node, span)?)
        }
        Expression::Member(member) => {
            let base = type_in(unit, owned, &member.node.expression)?;
            let base = match member.node.operator.node {
                MemberOperator::Direct => base,
                MemberOperator::Indirect => base.target().cloned().unwrap_or(Type::VOID),
            };
            let Kind::Record(record) = base.kind else {
                return refuse("a field of something that is no struct", span);
            };
            match unit.types.field(record, &member.node.identifier.node.name) {
                Some((field, _, _)) => field.of.clone(),
                None => return refuse("an unknown field", span),
            }
        }
        Expression::Call(call) => {
            if let Expression::Identifier(name) = &call.node.callee.node
                && let Some(of) =
                    super::call::known_result(unit, owned, &name.node.name, &call.node.arguments)
            {
                return of;
            }
            let callee = type_in(unit, owned, &call.node.callee)?;
            let function = match &callee.kind {
                Kind::Pointer(target) => target.kind.clone(),
                kind => kind.clone(),
            };
            match function {
                Kind::Function(signature) => signature.result.clone(),
                _ => Type::INT,
            }
        }
        Expression::CompoundLiteral(literal) => {
            let of = unit.named(&literal.node.type_name)?;
            match &of.kind {
                Kind::Array(element, None) => {
                    let length = unit.length(&of, &literal.node.initializer_list)?;
                    Type::plain(Kind::Array(element.clone(), Some(length)))
                }
                _ => of,
            }
        }
        Expression::Cast(cast) => unit.named(&cast.node.type_name)?,
        Expression::SizeOfTy(_)
        | Expression::SizeOfVal(_)
        | Expression::AlignOf(_)
        | Expression::OffsetOf(_) => size_type(unit.types.model),
        Expression::UnaryOperator(unary) => {
            let operand = type_in(unit, owned, &unary.node.operand)?;
            match unary.node.operator.node {
                UnaryOperator::Address => operand.pointer(),
                UnaryOperator::Indirection => match operand.target() {
                    Some(target) => target.clone(),
                    None => operand,
                },
                UnaryOperator::Negate => Type::INT,
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => promoted(&operand),
                _ => operand.unqualified(),
            }
        }
        Expression::BinaryOperator(binary) => {
            use BinaryOperator::*;
            let left = type_in(unit, owned, &binary.node.lhs)?;
            let operator = &binary.node.operator.node;
            match operator {
                Less | Greater | LessOrEqual | GreaterOrEqual | Equals | NotEquals | LogicalAnd
                | LogicalOr => Type::INT,
                Index => match left.target() {
                    Some(target) => target.clone(),
                    None => {
                        let right = type_in(unit, owned, &binary.node.rhs)?;
                        right.target().cloned().unwrap_or(Type::INT)
                    }
                },
                ShiftLeft | ShiftRight => promoted(&left),
                Multiply | Divide | Modulo | Plus | Minus | BitwiseAnd | BitwiseXor | BitwiseOr => {
                    let right = type_in(unit, owned, &binary.node.rhs)?;
                    let decayed = |of: Type| match &of.kind {
                        Kind::Array(element, _) => element.as_ref().clone().pointer(),
                        _ => of.unqualified(),
                    };
                    let (left, right) = (decayed(left), decayed(right));
                    match (left.is_pointer(), right.is_pointer()) {
                        (true, true) => Type::integer(unit.types.model.long(), true),
                        (true, false) => left,
                        (false, true) => right,
                        _ => common(&left, &right),
                    }
                }
                _ => left.unqualified(),
            }
        }
        Expression::Conditional(conditional) => {
            let then = type_in(unit, owned, &conditional.node.then_expression)?;
            let otherwise = type_in(unit, owned, &conditional.node.else_expression)?;
            match (then.is_pointer(), otherwise.is_pointer()) {
                (true, _) => then,
                (_, true) => otherwise,
                _ if then.is_integer() && otherwise.is_integer() => common(&then, &otherwise),
                _ => then,
            }
        }
        Expression::Comma(parts) => match parts.last() {
            Some(last) => type_in(unit, owned, last)?,
            None => Type::VOID,
        },
        // The type of its last expression, which may speak of names that are declared inside.
        Expression::Statement(statement) => match &statement.node {
            Statement::Compound(items) => match items.last().map(|item| &item.node) {
                Some(BlockItem::Statement(last)) => match &last.node {
                    Statement::Expression(Some(value)) => type_in(unit, owned, value).unwrap_or(Type::VOID),
                    _ => Type::VOID,
                },
                _ => Type::VOID,
            },
            _ => Type::VOID,
        },
        Expression::GenericSelection(_) | Expression::VaArg(_) => {
            return refuse("the type of this expression", span);
        }
    })
}

/// The first values of a leaf, one an element, of those of an object by offset.
fn elements(leaf: &Leaf, values: &[(u64, Value)]) -> Vec<Term> {
    let sort = leaf.of.sort();
    let count: u32 = leaf.dimensions.iter().map(|(length, _)| *length).product();
    let element = |flat: u32| {
        let mut rest = flat;
        let mut offset = leaf.offset;
        for (length, stride) in leaf.dimensions.iter().rev() {
            offset += u64::from(rest % length) * u64::from(*stride);
            rest /= length;
        }
        let found = values.iter().rev().find(|(at, _)| *at == offset);
        found.map_or(Term::value(sort.zero(), sort), |(_, value)| in_sort(value.term.clone(), sort))
    };
    (0..count).map(element).collect()
}

/// What a lock begins with is zeros, unless it is of another kind than the usual.
fn zeros(unit: &mut Unit<'_>, items: &[Node<InitializerListItem>]) -> Low<()> {
    for item in items {
        let is_zero = match &item.node.initializer.node {
            Initializer::List(inner) => {
                zeros(unit, inner)?;
                true
            }
            Initializer::Expression(value) => {
                evaluate(unit, value).is_ok_and(|value| value.known() == Some(0))
            }
        };
        if !is_zero {
            return refuse("a lock that begins with other values than zeros", item.span);
        }
    }
    Ok(())
}

impl<'a> Unit<'a> {
    /// An array without a length has that of its initializer.
    pub(super) fn completed(&mut self, of: Type, initializer: Option<&Node<Initializer>>) -> Low<Type> {
        let (Kind::Array(element, None), Some(initializer)) = (&of.kind, initializer) else { return Ok(of) };
        let length = match &initializer.node {
            Initializer::List(items) => match &items[..] {
                // `char text[] = {"abc"}`
                [only] if self.is_text(&only.node.initializer) => {
                    return self.completed(of, Some(&only.node.initializer));
                }
                items => self.length(&of, items)?,
            },
            Initializer::Expression(expression) => match &expression.node {
                Expression::StringLiteral(text) => {
                    super::letters::bytes(&text.node, expression.span)?.len() as u64
                }
                _ => return Ok(of),
            },
        };
        Ok(Type::plain(Kind::Array(element.clone(), Some(length))))
    }

    /// The value of a global that never changes.
    pub(super) fn global_constant(&mut self, number: usize) -> Option<i64> {
        if let Some(known) = self.globals[number].constant {
            return known;
        }
        // Against definitions that need themselves.
        self.globals[number].constant = Some(None);
        let global = &self.globals[number];
        let fits = global.of.is_integer()
            && !global.of.volatile
            && !global.of.atomic
            && !global.storage.is_extern
            && !global.storage.is_thread_local
            && self.look.never_changes(&global.name);
        let value = match (fits, global.initializer.map(|initializer| &initializer.node)) {
            (true, None) => Some(0),
            (true, Some(Initializer::Expression(expression))) => {
                let of = global.of.clone();
                let span = expression.span;
                let value = self.outside(number, |unit| evaluate(unit, expression));
                let value = value.and_then(|value| value.convert(&of, span));
                value.ok().and_then(|value| value.known())
            }
            _ => None,
        };
        self.globals[number].constant = Some(value);
        value
    }

    /// The memory of a global. Its initial value means what it means at its place, whatever scope asks for it first.
    pub(super) fn global_object(&mut self, number: usize, span: Span) -> Low<usize> {
        match self.globals[number].object {
            Some(object) => Ok(object),
            None => self.outside(number, |unit| unit.local_object(number, span)),
        }
    }

    /// Do something in the outermost scope of a global's file.
    fn outside<T>(&mut self, number: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let aside = self.scopes.set_aside();
        let file = self.scopes.turn_to(self.globals[number].file);
        let result = work(self);
        self.scopes.turn_to(file);
        self.scopes.restore(aside);
        result
    }

    /// The memory of a global whose initial value speaks of this scope.
    pub(super) fn local_object(&mut self, number: usize, span: Span) -> Low<usize> {
        if let Some(object) = self.globals[number].object {
            return Ok(object);
        }
        let (name, of) = (self.title(number), self.globals[number].of.clone());
        let is_extern = self.globals[number].storage.is_extern;
        let made =
            self.object(&name, &of, &[], &|_, _| if is_extern { Init::Any } else { Init::Values(vec![]) });
        let object = match made {
            Ok(object) => object,
            Err(what) => return refuse(what, span),
        };
        // Before its initial value, which may speak of its address.
        self.globals[number].object = Some(object);
        if is_extern {
            let at = self.globals[number].span;
            let message = format!("`{name}` has no definition; its initial value is taken to be any");
            self.problems.push(wattle_source::Diagnostic::warning(codes::EXTERNAL, at, message));
            return Ok(object);
        }
        let mut values = Vec::new();
        if let Some(initializer) = self.globals[number].initializer {
            self.initial(&of, initializer, 0, &mut values)?;
        }
        let leaves = self.types.leaves(&of).unwrap_or_default();
        for (leaf, (_, variable, _)) in leaves.iter().zip(self.objects[object].leaves.clone()) {
            let mut terms = elements(leaf, &values);
            if terms.windows(2).all(|pair| pair[0] == pair[1]) {
                terms.truncate(1);
            }
            self.program.variables[variable as usize].init = Init::Values(terms);
        }
        Ok(object)
    }

    /// The scalars of an initializer of constants, by offset.
    fn initial(
        &mut self,
        of: &Type,
        initializer: &Node<Initializer>,
        offset: u64,
        values: &mut Vec<(u64, Value)>,
    ) -> Low<()> {
        match &initializer.node {
            Initializer::Expression(expression) => {
                if of.is_scalar() {
                    if of.kind != Kind::Opaque {
                        let span = expression.span;
                        let value = evaluate(self, expression)?.convert(of, span)?;
                        values.push((offset, value));
                    }
                    return Ok(());
                }
                match &expression.node {
                    Expression::StringLiteral(text) => {
                        let bytes = text_elements(of, &text.node, expression.span)?;
                        for (at, byte) in (offset..).zip(bytes) {
                            values.push((at, Value::constant(byte, Type::integer(1, true))));
                        }
                        Ok(())
                    }
                    Expression::CompoundLiteral(literal) => {
                        for (part, at, item) in self.items(&[], of, &literal.node.initializer_list)? {
                            self.initial(&part, item, offset + at, values)?;
                        }
                        Ok(())
                    }
                    _ => refuse("this initial value of a struct", expression.span),
                }
            }
            Initializer::List(items) => {
                if of.kind == Kind::Opaque {
                    return zeros(self, items);
                }
                for (part, at, item) in self.items(&[], of, items)? {
                    self.initial(&part, item, offset + at, values)?;
                }
                Ok(())
            }
        }
    }

    fn is_text(&self, initializer: &Node<Initializer>) -> bool {
        matches!(&initializer.node, Initializer::Expression(value) if matches!(value.node, Expression::StringLiteral(_)))
    }
}

impl<'a> Body<'_, 'a> {
    /// Memory of this thread: one object a copy.
    pub(super) fn private_object(&mut self, name: &str, of: &Type, given: bool, span: Span) -> Low<usize> {
        let size = self.unit.types.size(of).unwrap_or(8).next_multiple_of(16) as u32;
        let leading = match self.copies {
            1 => vec![],
            _ => vec![(Dimension::Copies(self.process), size)],
        };
        let title = format!(
            "{name}{}",
            if self.process.0 == 0 { String::new() } else { format!("'{}", self.process.0) }
        );
        // Nobody looks at a name of a thread or at a lock before it has a value.
        let leaves = self.unit.types.leaves(of).unwrap_or_default();
        let given = given || leaves.iter().all(|leaf| matches!(leaf.of.kind, Kind::Thread | Kind::Opaque));
        let init = || if given { Init::Values(vec![]) } else { Init::Any };
        match self.unit.object(&title, of, &leading, &|_, _| init()) {
            Ok(object) => Ok(object),
            Err(what) => refuse(what, span),
        }
    }

    /// Give a new local its first value.
    pub(super) fn initialize(
        &mut self,
        owned: usize,
        initializer: Option<&'a Node<Initializer>>,
        span: Span,
    ) -> Low<()> {
        let place = self.variable_place(owned);
        match initializer {
            Some(initializer) => self.fill(&place, initializer, span),
            None => {
                // Any value; memory has one from the start.
                if let Home::Registers(set) = self.owned[owned].home {
                    for (_, local, _) in self.registers[set].clone() {
                        self.graph.op(Op::Havoc { local, among: Choice::Any });
                    }
                }
                Ok(())
            }
        }
    }

    fn fill(&mut self, place: &Lvalue, initializer: &'a Node<Initializer>, span: Span) -> Low<()> {
        match &initializer.node {
            Initializer::Expression(expression) => {
                if place.of.kind == Kind::Opaque {
                    return self.store_plain(place, Value::int(0), span);
                }
                if place.of.is_scalar() {
                    let value = self.value_for(expression, &place.of, span)?;
                    return self.store_plain(place, value, span);
                }
                if let Expression::StringLiteral(text) = &expression.node {
                    let Kind::Array(_, length) = &place.of.kind else {
                        return refuse("a text as the initial value of something else than characters", span);
                    };
                    let length = length.unwrap_or(0) as usize;
                    let mut bytes = text_elements(&place.of, &text.node, span)?;
                    bytes.resize(length, 0);
                    for (number, byte) in bytes.into_iter().enumerate() {
                        let element = self.element(place.clone(), Value::int(number as i64), span)?;
                        let value = Value::int(byte).convert(&element.of, span)?;
                        self.store_plain(&element, value, span)?;
                    }
                    return Ok(());
                }
                let source = self.aggregate(expression)?;
                self.copy(place, &source, span)
            }
            Initializer::List(items) => self.fill_list(place, items, span),
        }
    }

    fn fill_list(&mut self, place: &Lvalue, items: &'a [Node<InitializerListItem>], span: Span) -> Low<()> {
        if place.of.kind == Kind::Opaque {
            zeros(self.unit, items)?;
            return self.store_plain(place, Value::int(0), span);
        }
        let given = self.unit.items(&self.owned, &place.of, items)?;
        let scalars = self.scalars(place, span)?;
        // What the list does not name is zero.
        let named: BTreeSet<u64> =
            given.iter().filter(|(of, _, _)| of.is_scalar()).map(|(_, offset, _)| *offset).collect();
        if named.len() < scalars.len() {
            for (_, scalar) in scalars {
                let zero = Value::int(0).convert(&scalar.of, span)?;
                self.store_plain(&scalar, zero, span)?;
            }
        }
        for (of, offset, item) in given {
            let Some(part) = self.part_at(place.clone(), &of, offset, span)? else {
                return refuse("an initial value for this part", span);
            };
            self.fill(&part, item, span)?;
        }
        Ok(())
    }

    /// The part of a place at an offset that has this type.
    fn part_at(&mut self, place: Lvalue, of: &Type, offset: u64, span: Span) -> Low<Option<Lvalue>> {
        if offset == 0 && place.of.kind == of.kind {
            return Ok(Some(place));
        }
        match place.of.kind.clone() {
            Kind::Array(element, _) => {
                let size = self.unit.types.size(&element).unwrap_or(1).max(1);
                let element = self.element(place, Value::int((offset / size) as i64), span)?;
                self.part_at(element, of, offset % size, span)
            }
            Kind::Record(record) => {
                let fields = self.unit.types.records[record].fields.clone().unwrap_or_default();
                for field in fields {
                    let size = self.unit.types.size(&field.of).unwrap_or(0);
                    if (field.offset..field.offset + size).contains(&offset) {
                        let inner = self.member(&place, &field, span)?;
                        let found = self.part_at(inner, of, offset - field.offset, span)?;
                        if found.is_some() {
                            return Ok(found);
                        }
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The first value of an atomic object is no atomic access.
    fn store_plain(&mut self, place: &Lvalue, value: Value, span: Span) -> Low<()> {
        self.store_with(place, value, super::plain(), span)
    }

    pub(super) fn compound(
        &mut self,
        of: Type,
        items: &'a [Node<InitializerListItem>],
        span: Span,
    ) -> Low<Lvalue> {
        let of = match &of.kind {
            Kind::Array(element, None) => {
                let length = self.unit.length(&of, items)?;
                Type::plain(Kind::Array(element.clone(), Some(length)))
            }
            _ => of,
        };
        let owned = match self.unit.types.leaves(&of) {
            Ok(leaves) if leaves.iter().all(|leaf| leaf.dimensions.is_empty()) => {
                let set =
                    leaves.iter().map(|leaf| (leaf.offset, self.temporary(leaf.of.sort()), leaf.of.clone()));
                let set = set.collect();
                self.registers.push(set);
                Owned { of, home: Home::Registers(self.registers.len() - 1) }
            }
            Ok(_) => {
                let object = self.private_object("literal", &of, true, span)?;
                Owned { of, home: Home::Object(object) }
            }
            Err(what) => return refuse(what, span),
        };
        self.owned.push(owned);
        let place = self.variable_place(self.owned.len() - 1);
        self.fill_list(&place, items, span)?;
        Ok(place)
    }

    /// A variable that every thread has its own of.
    pub(super) fn thread_local(&mut self, number: usize, span: Span) -> Low<Lvalue> {
        if let Some(owned) = self.thread_locals.get(&number) {
            let owned = owned.clone();
            let at = match owned.home {
                Home::Registers(set) => At::Registers { set, offset: 0 },
                Home::Object(object) => self.whole(object),
                Home::Reference(target) => target.at,
            };
            return Ok(Lvalue { of: owned.of, at });
        }
        let global = &self.unit.globals[number];
        let (name, of, initializer) = (global.name.clone(), global.of.clone(), global.initializer);
        let addressed = self.unit.look.functions.values().any(|facts| facts.keeps_address(&name));
        let leaves = match self.unit.types.leaves(&of) {
            Ok(leaves) => leaves,
            Err(what) => return refuse(what, span),
        };
        let mut values = Vec::new();
        if let Some(initializer) = initializer {
            self.unit.outside(number, |unit| unit.initial(&of, initializer, 0, &mut values))?;
        }
        let home = if !addressed && leaves.iter().all(|leaf| leaf.dimensions.is_empty()) {
            let mut set = Vec::new();
            for leaf in leaves {
                let local = self.register(format!("{name}{}", leaf.path), leaf.of.sort(), false);
                self.locals[local as usize].init = Init::Values(elements(&leaf, &values));
                set.push((leaf.offset, local, leaf.of));
            }
            self.registers.push(set);
            Home::Registers(self.registers.len() - 1)
        } else {
            let object = self.private_object(&name, &of, true, span)?;
            for (leaf, (_, variable, _)) in leaves.iter().zip(self.unit.objects[object].leaves.clone()) {
                let own = elements(leaf, &values);
                // Each copy of the thread has them all.
                let terms = if own.windows(2).all(|pair| pair[0] == pair[1]) {
                    own[..1].to_vec()
                } else {
                    (0..self.copies).flat_map(|_| own.clone()).collect()
                };
                self.unit.program.variables[variable as usize].init = Init::Values(terms);
            }
            Home::Object(object)
        };
        self.thread_locals.insert(number, Owned { of, home });
        self.thread_local(number, span)
    }
}
