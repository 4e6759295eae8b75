//! Expressions. Operands are evaluated from left to right, each read of memory one step.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_program::Op;

use super::place::{At, Lvalue};
use super::value::{Arithmetic, Value, common, promoted, size_type, too_large};
use super::{Body, Home, Unit};
use crate::codes;
use crate::declare::{Declares, Meaning};
use crate::refusal::{Low, refuse, wrong};
use crate::types::{Kind, Type};

/// Numbers of functions lie far from those of objects.
const FIRST_FUNCTION: i64 = 0x7f00_0000;

impl<'a> Body<'_, 'a> {
    pub(super) fn arithmetic(&self, span: Span) -> Arithmetic<'_> {
        Arithmetic { types: &self.unit.types, span }
    }

    /// Two ways, by a condition. What a section holds in registers goes to memory first.
    pub(super) fn branch(&mut self, condition: Term) -> (wattle_program::Point, wattle_program::Point) {
        self.write_back();
        self.graph.branch(condition)
    }

    pub(super) fn jump(&mut self, to: wattle_program::Point) {
        self.write_back();
        self.graph.jump(to);
    }

    pub(super) fn continue_at(&mut self, point: wattle_program::Point) {
        self.write_back();
        self.graph.continue_at(point);
    }

    /// Evaluate for what it does.
    pub(super) fn effect(&mut self, expression: &'a Node<Expression>) -> Low<()> {
        match &expression.node {
            Expression::Comma(parts) => parts.iter().try_for_each(|part| self.effect(part)),
            Expression::Cast(cast) => self.effect(&cast.node.expression),
            // A value that nobody uses need not be read, but for volatile and atomic ones.
            Expression::Identifier(_) | Expression::Member(_) => {
                let place = self.place(expression)?;
                if place.of.is_scalar() && (place.of.volatile || place.of.atomic) {
                    self.load(&place, expression.span)?;
                }
                Ok(())
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Assign => {
                let target = self.place(&binary.node.lhs)?;
                if !target.of.is_scalar() {
                    let source = self.aggregate(&binary.node.rhs)?;
                    return self.copy(&target, &source, expression.span);
                }
                self.assign(target, &binary.node.rhs, expression.span).map(|_| ())
            }
            _ => {
                // A value that nobody uses may be none: division by zero is a fault all the same.
                if let Operand::Value(value) = self.operand(expression)?
                    && super::divides(&value.term)
                {
                    let local = self.temporary(value.term.sort());
                    self.graph.op(Op::Assign { local, value: value.term });
                }
                Ok(())
            }
        }
    }

    /// The value of a scalar expression; arrays and functions are pointers.
    pub(super) fn rvalue(&mut self, expression: &'a Node<Expression>) -> Low<Value> {
        let value = self.operand(expression)?;
        match value {
            Operand::Value(value) => Ok(value),
            Operand::Place(place) => self.value_of(place, expression.span),
        }
    }

    pub(super) fn value_of(&mut self, place: Lvalue, span: Span) -> Low<Value> {
        match &place.of.kind {
            Kind::Array(element, _) => {
                let of = element.as_ref().clone().pointer();
                Ok(Value { term: self.number(&place, span)?, of })
            }
            Kind::Function(_) => {
                Ok(Value { term: self.number(&place, span)?, of: place.of.clone().pointer() })
            }
            _ => self.load(&place, span),
        }
    }

    /// A struct: where it lies.
    pub(super) fn aggregate(&mut self, expression: &'a Node<Expression>) -> Low<Lvalue> {
        match self.operand(expression)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) => refuse("a number where a struct is expected", expression.span),
        }
    }

    /// A place that can be assigned to.
    pub(super) fn place(&mut self, expression: &'a Node<Expression>) -> Low<Lvalue> {
        match self.operand(expression)? {
            Operand::Place(place) => Ok(place),
            Operand::Value(_) => {
                wrong(codes::TYPE, "this is a value and no place that could be assigned to", expression.span)
            }
        }
    }

    pub(super) fn condition(&mut self, expression: &'a Node<Expression>) -> Low<Term> {
        if self.is_free_choice(expression) {
            return Ok(self.any(&Type::BOOL).truth());
        }
        Ok(self.rvalue(expression)?.truth())
    }

    fn operand(&mut self, expression: &'a Node<Expression>) -> Low<Operand> {
        let span = expression.span;
        Ok(Operand::Value(match &expression.node {
            Expression::Identifier(name) => return self.name(&name.node.name, span),
            Expression::Constant(constant) => self.unit.literal(&constant.node, span)?,
            Expression::StringLiteral(text) => {
                let bytes = super::letters::bytes(&text.node, span)?;
                return self.text(bytes, span);
            }
            Expression::Member(member) => {
                let base = match member.node.operator.node {
                    MemberOperator::Direct => self.aggregate(&member.node.expression)?,
                    MemberOperator::Indirect => self.target(&member.node.expression)?,
                };
                return Ok(Operand::Place(self.field(base, &member.node.identifier.node.name, span)?));
            }
            Expression::Call(call) => return self.call(call),
            Expression::CompoundLiteral(literal) => {
                let of = self.unit.named(&literal.node.type_name)?;
                return Ok(Operand::Place(self.compound(of, &literal.node.initializer_list, span)?));
            }
            Expression::SizeOfTy(size) => {
                let of = self.unit.named(&size.node.0)?;
                self.unit.size_of(&of, span)?
            }
            Expression::SizeOfVal(size) => {
                let of = self.static_type(&size.node.0)?;
                self.unit.size_of(&of, span)?
            }
            Expression::AlignOf(align) => {
                let of = self.unit.named(&align.node.0)?;
                Value::constant(self.unit.types.align(&of) as i64, size_type(self.unit.types.model))
            }
            Expression::UnaryOperator(unary) => return self.unary(&unary.node, span),
            Expression::Cast(cast) => {
                let to = self.unit.named(&cast.node.type_name)?;
                if to.kind == Kind::Void {
                    self.effect(&cast.node.expression)?;
                    return Ok(Operand::Value(Value::void()));
                }
                if !to.is_scalar() {
                    return self.operand(&cast.node.expression);
                }
                let value = self.rvalue(&cast.node.expression)?;
                self.keeps_size(&value, &to, span)?;
                self.converted(value, &to, span)?
            }
            Expression::BinaryOperator(binary) => return self.binary(&binary.node, span),
            Expression::Conditional(conditional) => return self.conditional(&conditional.node, span),
            Expression::Comma(parts) => {
                let Some((last, others)) = parts.split_last() else {
                    return refuse("an empty expression", span);
                };
                for part in others {
                    self.effect(part)?;
                }
                return self.operand(last);
            }
            Expression::OffsetOf(offset) => self.unit.offset_of(&offset.node, span)?,
            Expression::Statement(statement) => return self.statement_expression(statement),
            Expression::GenericSelection(selection) => return self.generic(&selection.node, span),
            Expression::VaArg(_) => return refuse("variable arguments", span),
        }))
    }

    /// Locations are scalars as they were declared. A pointer to a part of one, or to several as one, would lead nowhere.
    fn keeps_size(&self, value: &Value, to: &Type, span: Span) -> Low<()> {
        let size = |of: &Type| {
            let target = of.target().filter(|target| target.is_integer() || target.is_pointer());
            target.and_then(|target| self.unit.types.size(target))
        };
        match (size(&value.of), size(to)) {
            (Some(from), Some(to)) if from != to && value.known() != Some(0) => {
                refuse("a pointer to an object of another size", span)
            }
            _ => Ok(()),
        }
    }

    /// A conversion; a pointer that does not fit into the new type is not handled.
    pub(super) fn converted(&mut self, value: Value, to: &Type, span: Span) -> Low<Value> {
        let small = matches!(to.kind, Kind::Integer { bytes, .. } if bytes < 8);
        if small && value.of.is_pointer() && value.known().is_none() {
            let term = self.kept(value.term.clone());
            self.refuse_if(too_large(&term), "an address as an integer of fewer than 64 bits", span);
            return Value { term, ..value }.convert(to, span);
        }
        value.convert(to, span)
    }

    fn name(&mut self, name: &str, span: Span) -> Low<Operand> {
        let meaning = self.unit.scopes.find(name).cloned();
        Ok(match meaning {
            Some(Meaning::Local(number)) => match &self.owned[number].home {
                // A pointer that is known.
                Home::Reference(target) => {
                    let target = target.as_ref().clone();
                    let of = self.owned[number].of.clone();
                    Operand::Value(Value { term: self.number(&target, span)?, of })
                }
                _ => Operand::Place(self.variable_place(number)),
            },
            Some(Meaning::Constant(value)) => Operand::Value(Value::int(value)),
            Some(Meaning::Global(number)) => self.global(number, span)?,
            Some(Meaning::Function(number)) => Operand::Value(function_pointer(self.unit, number)),
            Some(Meaning::Refused(what)) => return refuse(what, span),
            Some(Meaning::Typedef(_)) => return wrong(codes::TYPE, format!("`{name}` is a type"), span),
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let function = self.frames.last().and_then(|frame| frame.function);
                let name = function.map_or("", |number| &self.unit.functions[number].name);
                let bytes = name.bytes().chain([0]).map(|byte| i64::from(byte as i8)).collect();
                return self.text(bytes, span);
            }
            None => return self.unit.undeclared(name, span),
        })
    }

    /// A text is an array that the program does not name.
    fn text(&mut self, bytes: Vec<i64>, span: Span) -> Low<Operand> {
        let of = super::letters::array_of(&bytes);
        let object = self.unit.text_object(bytes, span)?;
        Ok(Operand::Place(Lvalue { of, at: self.whole(object) }))
    }

    fn global(&mut self, number: usize, span: Span) -> Low<Operand> {
        if let Some(value) = self.unit.global_constant(number) {
            let of = self.unit.globals[number].of.clone();
            return Ok(Operand::Value(Value::constant(value, of)));
        }
        if self.unit.globals[number].storage.is_thread_local {
            return self.thread_local(number, span).map(Operand::Place);
        }
        let object = self.unit.global_object(number, span)?;
        Ok(Operand::Place(Lvalue { of: self.unit.globals[number].of.clone(), at: self.whole(object) }))
    }

    /// What a pointer expression points to.
    pub(super) fn target(&mut self, pointer: &'a Node<Expression>) -> Low<Lvalue> {
        if let Expression::UnaryOperator(unary) = &pointer.node
            && unary.node.operator.node == UnaryOperator::Address
        {
            return self.place(&unary.node.operand);
        }
        if let Expression::Identifier(name) = &pointer.node
            && let Some(Meaning::Local(number)) = self.unit.scopes.find(&name.node.name).cloned()
            && let Home::Reference(target) = &self.owned[number].home
        {
            return Ok(target.as_ref().clone());
        }
        match self.operand(pointer)? {
            // An array: its first element.
            Operand::Place(place) if matches!(place.of.kind, Kind::Array(..)) => {
                self.element(place, Value::int(0), pointer.span)
            }
            Operand::Place(place) => {
                let value = self.value_of(place, pointer.span)?;
                self.followed(value, pointer.span)
            }
            Operand::Value(value) => self.followed(value, pointer.span),
        }
    }

    fn unary(&mut self, unary: &'a UnaryOperatorExpression, span: Span) -> Low<Operand> {
        use UnaryOperator::*;
        let operand = &unary.operand;
        Ok(Operand::Value(match unary.operator.node {
            Address => {
                if let Expression::Identifier(name) = &operand.node
                    && let Some(Meaning::Function(number)) = self.unit.scopes.find(&name.node.name).cloned()
                {
                    return Ok(Operand::Value(function_pointer(self.unit, number)));
                }
                let place = self.place(operand)?;
                Value { term: self.number(&place, span)?, of: place.of.pointer() }
            }
            Indirection => return Ok(Operand::Place(self.target(operand)?)),
            Plus => {
                let value = self.rvalue(operand)?;
                let of = promoted(&value.of);
                value.convert(&of, span)?
            }
            Minus => {
                let value = self.rvalue(operand)?;
                self.arithmetic(span).unary(Unary::Negate, value)?
            }
            Complement => {
                let value = self.rvalue(operand)?;
                self.arithmetic(span).unary(Unary::Complement, value)?
            }
            Negate => {
                let condition = self.condition(operand)?;
                Value::of_truth(match condition.as_value() {
                    Some(value) => Term::bool(value.as_bool() != Some(true)),
                    None => condition.negated(),
                })
            }
            PreIncrement => self.update(operand, &BinaryOperator::Plus, None, false, span)?,
            PreDecrement => self.update(operand, &BinaryOperator::Minus, None, false, span)?,
            PostIncrement => self.update(operand, &BinaryOperator::Plus, None, true, span)?,
            PostDecrement => self.update(operand, &BinaryOperator::Minus, None, true, span)?,
        }))
    }

    /// `x += e` and the like. The value before or after.
    fn update(
        &mut self,
        target: &'a Node<Expression>,
        operator: &BinaryOperator,
        by: Option<&'a Node<Expression>>,
        before: bool,
        span: Span,
    ) -> Low<Value> {
        let place = self.place(target)?;
        let by = match by {
            Some(by) => self.rvalue(by)?,
            None => Value::int(1),
        };
        let of = place.of.clone();
        if of.atomic && !matches!(place.at, At::Registers { .. }) {
            let tags = super::atomics::tags(super::atomics::SEQ_CST);
            let (old, new) = self.read_modify_write(&place, tags, span, &mut |body, old| {
                body.arithmetic(span).binary(operator, old, by.clone())
            })?;
            return Ok(if before { old } else { new });
        }
        let old = self.load(&place, span)?;
        let old = if before { Value { term: self.kept(old.term), ..old } } else { old };
        let new = self.arithmetic(span).binary(operator, old.clone(), by)?;
        let new = self.converted(new, &of, span)?;
        let new = if before { new } else { Value { term: self.kept(new.term), ..new } };
        self.store(&place, new.clone(), span)?;
        Ok(if before { old } else { new })
    }

    fn assign(&mut self, target: Lvalue, value: &'a Node<Expression>, span: Span) -> Low<Value> {
        let value = self.value_for(value, &target.of, span)?;
        self.store(&target, value.clone(), span)?;
        Ok(value)
    }

    /// The value of an expression as one of this type. Of a free choice that becomes a truth value, only that is chosen.
    pub(super) fn value_for(
        &mut self,
        expression: &'a Node<Expression>,
        of: &Type,
        span: Span,
    ) -> Low<Value> {
        if of.kind == Kind::Bool && self.is_free_choice(expression) {
            return Ok(self.any(&Type::BOOL));
        }
        let value = self.rvalue(expression)?;
        self.converted(value, of, span)
    }

    fn binary(&mut self, binary: &'a BinaryOperatorExpression, span: Span) -> Low<Operand> {
        use BinaryOperator::*;
        let operator = &binary.operator.node;
        let (left, right) = (&binary.lhs, &binary.rhs);
        let update = match operator {
            AssignMultiply => Some(Multiply),
            AssignDivide => Some(Divide),
            AssignModulo => Some(Modulo),
            AssignPlus => Some(Plus),
            AssignMinus => Some(Minus),
            AssignShiftLeft => Some(ShiftLeft),
            AssignShiftRight => Some(ShiftRight),
            AssignBitwiseAnd => Some(BitwiseAnd),
            AssignBitwiseXor => Some(BitwiseXor),
            AssignBitwiseOr => Some(BitwiseOr),
            _ => None,
        };
        if let Some(operator) = update {
            return self.update(left, &operator, Some(right), false, span).map(Operand::Value);
        }
        Ok(Operand::Value(match operator {
            Index => return self.index(left, right, span).map(Operand::Place),
            LogicalAnd | LogicalOr => self.lazy(*operator == LogicalAnd, left, right)?,
            Assign => {
                let target = self.place(left)?;
                if !target.of.is_scalar() {
                    let source = self.aggregate(right)?;
                    self.copy(&target, &source, span)?;
                    return Ok(Operand::Place(target));
                }
                // What was assigned, as a value of the target's type.
                let value = self.assign(target, right, span)?;
                Value { term: self.kept(value.term), ..value }
            }
            _ => {
                let first = self.rvalue(left)?;
                // An operand that assigns to what was read before must not change it.
                let first = match has_effect(right) {
                    true => Value { term: self.kept(first.term), ..first },
                    false => first,
                };
                let second = self.rvalue(right)?;
                self.arithmetic(span).binary(operator, first, second)?
            }
        }))
    }

    fn index(&mut self, left: &'a Node<Expression>, right: &'a Node<Expression>, span: Span) -> Low<Lvalue> {
        match self.operand(left)? {
            Operand::Place(place) if matches!(place.of.kind, Kind::Array(..)) => {
                let index = self.rvalue(right)?;
                self.element(place, index, span)
            }
            Operand::Place(place) => {
                let pointer = self.value_of(place, left.span)?;
                self.pointer_index(pointer, right, span)
            }
            Operand::Value(pointer) => self.pointer_index(pointer, right, span),
        }
    }

    fn pointer_index(&mut self, pointer: Value, index: &'a Node<Expression>, span: Span) -> Low<Lvalue> {
        let index = self.rvalue(index)?;
        let (pointer, index) = if pointer.of.is_pointer() { (pointer, index) } else { (index, pointer) };
        let sum = self.arithmetic(span).binary(&BinaryOperator::Plus, pointer, index)?;
        self.followed(sum, span)
    }

    /// `a && b`, `a || b`: the second is evaluated only if the first does not decide, unless nobody can tell.
    fn lazy(&mut self, is_and: bool, left: &'a Node<Expression>, right: &'a Node<Expression>) -> Low<Value> {
        let first = self.condition(left)?;
        if let Some(value) = first.as_value().and_then(|value| value.as_bool()) {
            return match value == is_and {
                true => Ok(Value::of_truth(self.condition(right)?)),
                false => Ok(Value::int(i64::from(value))),
            };
        }
        if self.is_harmless(right) {
            let second = self.condition(right)?;
            let operation = if is_and { Binary::And } else { Binary::Or };
            return Ok(Value::of_truth(Term::binary(operation, first, second)));
        }
        let result = self.temporary(Sort::Bool);
        let (then, otherwise) = self.branch(first);
        let (goes_on, decided) = if is_and { (then, otherwise) } else { (otherwise, then) };
        self.graph.continue_at(decided);
        self.graph.op(Op::Assign { local: result, value: Term::bool(!is_and) });
        let end = self.graph.point();
        self.jump(end);
        self.continue_at(goes_on);
        let second = self.condition(right)?;
        self.graph.op(Op::Assign { local: result, value: second });
        self.continue_at(end);
        Ok(Value::of_truth(self.local_term(result)))
    }

    fn conditional(&mut self, conditional: &'a ConditionalExpression, span: Span) -> Low<Operand> {
        let condition = self.condition(&conditional.condition)?;
        let (then, otherwise) = (&conditional.then_expression, &conditional.else_expression);
        let of = self.static_type(then)?;
        let other = self.static_type(otherwise)?;
        if let Some(value) = condition.as_value().and_then(|value| value.as_bool()) {
            let chosen = if value { then } else { otherwise };
            if !of.is_integer() || !other.is_integer() {
                return self.operand(chosen);
            }
            let value = self.rvalue(chosen)?.convert(&common(&of, &other), span)?;
            return Ok(Operand::Value(value));
        }
        let of = match (&of.kind, &other.kind) {
            (Kind::Void, _) | (_, Kind::Void) => Type::VOID,
            (Kind::Array(element, _), _) => element.as_ref().clone().pointer(),
            (Kind::Pointer(target), Kind::Pointer(_)) if target.kind == Kind::Void => other.clone(),
            (Kind::Pointer(_), _) => of,
            (_, Kind::Pointer(_)) => other,
            (Kind::Record(_), _) => return refuse("a struct as the value of `?:`", span),
            _ => common(&of, &other),
        };
        if of.kind != Kind::Void && self.is_harmless(then) && self.is_harmless(otherwise) {
            let then = self.rvalue(then)?.convert(&of, span)?;
            let otherwise = self.rvalue(otherwise)?.convert(&of, span)?;
            let term = Term::if_then_else(condition, then.term, otherwise.term);
            return Ok(Operand::Value(Value { term, of }));
        }
        let result = (of.kind != Kind::Void).then(|| self.temporary(of.sort()));
        let (yes, no) = self.branch(condition);
        let end = self.graph.point();
        for (side, start) in [(then, yes), (otherwise, no)] {
            self.graph.continue_at(start);
            match result {
                Some(local) => {
                    let value = self.rvalue(side)?;
                    let value = self.converted(value, &of, span)?;
                    self.graph.op(Op::Assign { local, value: value.term });
                }
                None => self.effect(side)?,
            }
            self.jump(end);
        }
        self.graph.continue_at(end);
        Ok(Operand::Value(match result {
            Some(local) => Value { term: self.local_term(local), of },
            None => Value::void(),
        }))
    }

    fn generic(&mut self, selection: &'a GenericSelection, span: Span) -> Low<Operand> {
        let of = self.static_type(&selection.expression)?.unqualified();
        let mut default = None;
        for association in &selection.associations {
            match &association.node {
                GenericAssociation::Type(choice) => {
                    if self.unit.named(&choice.node.type_name)?.unqualified() == of {
                        return self.operand(&choice.node.expression);
                    }
                }
                GenericAssociation::Default(expression) => default = Some(expression),
            }
        }
        match default {
            Some(expression) => self.operand(expression),
            None => refuse("a `_Generic` without a fitting type", span),
        }
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn static_type(&mut self, expression: &Node<Expression>) -> Low<Type> {
        super::initial::type_in(self.unit, &self.owned, expression)
    }

    /// Can an expression be evaluated although its value is not needed? Reading memory may not, except inside an
    /// atomic section, where nobody sees it; what may fail never.
    fn is_harmless(&self, expression: &Node<Expression>) -> bool {
        match &expression.node {
            Expression::Constant(_) => true,
            Expression::Identifier(name) => match self.unit.scopes.find(&name.node.name) {
                Some(Meaning::Local(number)) => matches!(self.owned[*number].home, Home::Registers(_)),
                Some(Meaning::Constant(_) | Meaning::Function(_)) => true,
                Some(Meaning::Global(number)) => {
                    let global = &self.unit.globals[*number];
                    let constant = matches!(global.constant, Some(Some(_)));
                    constant || self.graph.sections > 0 && global.of.is_scalar()
                }
                _ => false,
            },
            Expression::UnaryOperator(unary) => {
                use UnaryOperator::*;
                matches!(unary.node.operator.node, Plus | Minus | Complement | Negate)
                    && self.is_harmless(&unary.node.operand)
            }
            Expression::BinaryOperator(binary) => {
                use BinaryOperator::*;
                let harmless = matches!(
                    binary.node.operator.node,
                    Multiply
                        | Plus
                        | Minus
                        | Less
                        | Greater
                        | LessOrEqual
                        | GreaterOrEqual
                        | Equals
                        | NotEquals
                        | BitwiseAnd
                        | BitwiseXor
                        | BitwiseOr
                        | LogicalAnd
                        | LogicalOr
                );
                harmless && self.is_harmless(&binary.node.lhs) && self.is_harmless(&binary.node.rhs)
            }
            Expression::Conditional(conditional) => {
                let parts = &conditional.node;
                [&parts.condition, &parts.then_expression, &parts.else_expression]
                    .into_iter()
                    .all(|part| self.is_harmless(part))
            }
            // A conversion to a small integer may stop at an address.
            Expression::Cast(cast) => {
                let pointer = |part: &Expression| matches!(part, Expression::Constant(_));
                pointer(&cast.node.expression.node)
            }
            _ => false,
        }
    }
}

/// What an expression is: a value, or a place.
pub(super) enum Operand {
    Value(Value),
    Place(Lvalue),
}

pub(super) fn function_pointer(unit: &Unit<'_>, number: usize) -> Value {
    let of = unit.functions[number].of.clone().pointer();
    Value::constant(FIRST_FUNCTION + 16 * number as i64, of)
}

/// The function that a number points to.
pub(super) fn function_number(unit: &Unit<'_>, value: i64) -> Option<usize> {
    let distance = value.checked_sub(FIRST_FUNCTION).filter(|distance| distance % 16 == 0)?;
    usize::try_from(distance / 16).ok().filter(|number| *number < unit.functions.len())
}

/// May evaluating it assign to a variable?
fn has_effect(expression: &Node<Expression>) -> bool {
    struct Effects(bool);
    impl<'a> lang_c::visit::Visit<'a> for Effects {
        fn visit_expression(&mut self, expression: &'a Expression, span: &'a Span) {
            use UnaryOperator::*;
            self.0 |= match expression {
                Expression::Call(_) | Expression::Statement(_) => true,
                Expression::UnaryOperator(unary) => {
                    matches!(
                        unary.node.operator.node,
                        PostIncrement | PostDecrement | PreIncrement | PreDecrement
                    )
                }
                Expression::BinaryOperator(binary) => {
                    use BinaryOperator::*;
                    matches!(
                        binary.node.operator.node,
                        Assign
                            | AssignMultiply
                            | AssignDivide
                            | AssignModulo
                            | AssignPlus
                            | AssignMinus
                            | AssignShiftLeft
                            | AssignShiftRight
                            | AssignBitwiseAnd
                            | AssignBitwiseXor
                            | AssignBitwiseOr
                    )
                }
                _ => false,
            };
            lang_c::visit::visit_expression(self, expression, span);
        }
    }
    let mut effects = Effects(false);
    lang_c::visit::Visit::visit_expression(&mut effects, &expression.node, &expression.span);
    effects.0
}

impl Unit<'_> {
    pub(super) fn size_of(&self, of: &Type, span: Span) -> Low<Value> {
        match self.types.size(of) {
            Some(size) => Ok(Value::constant(size as i64, size_type(self.types.model))),
            None => refuse("the size of an incomplete type", span),
        }
    }

    pub(super) fn offset_of(&mut self, offset: &OffsetOfExpression, span: Span) -> Low<Value> {
        let mut of = self.named(&offset.type_name)?;
        let mut sum = 0;
        let mut names = vec![&offset.designator.node.base];
        for member in &offset.designator.node.members {
            match &member.node {
                OffsetMember::Member(name) => names.push(name),
                _ => return refuse("this form of offsetof", span),
            }
        }
        for name in names {
            let Kind::Record(record) = of.kind else {
                return refuse("offsetof in something that is no struct", span);
            };
            let Some((field, offset, _)) = self.types.field(record, &name.node.name) else {
                return refuse(format!("the unknown field `{}`", name.node.name), span);
            };
            sum += offset;
            of = field.of.clone();
        }
        Ok(Value::constant(sum as i64, size_type(self.types.model)))
    }

    /// A number or a character.
    pub(super) fn literal(&self, constant: &Constant, span: Span) -> Low<Value> {
        match constant {
            Constant::Integer(integer) => {
                let radix = match integer.base {
                    IntegerBase::Decimal => 10,
                    IntegerBase::Octal => 8,
                    IntegerBase::Hexadecimal => 16,
                    IntegerBase::Binary => 2,
                };
                let Ok(value) = u64::from_str_radix(&integer.number, radix) else {
                    return wrong(codes::TYPE, "this number is too large", span);
                };
                Ok(Value::constant(value as i64, self.literal_type(integer, value, radix == 10)))
            }
            Constant::Character(text) => super::letters::character(text, span).map(Value::int),
            Constant::Float(_) => refuse("floating-point arithmetic", span),
        }
    }

    fn literal_type(&self, integer: &Integer, value: u64, decimal: bool) -> Type {
        let long = self.types.model.long();
        let smallest = match integer.suffix.size {
            IntegerSize::Int => 4,
            IntegerSize::Long => long,
            IntegerSize::LongLong => 8,
        };
        for bytes in [4, 8u8].into_iter().filter(|bytes| *bytes >= smallest) {
            let bits = u32::from(bytes) * 8;
            let fits = |bits: u32| bits >= 64 || value < 1 << bits;
            if !integer.suffix.unsigned && fits(bits - 1) && value <= i64::MAX as u64 {
                return Type::integer(bytes, true);
            }
            if (integer.suffix.unsigned || !decimal) && fits(bits) {
                return Type::integer(bytes, false);
            }
        }
        Type::integer(8, false)
    }
}
