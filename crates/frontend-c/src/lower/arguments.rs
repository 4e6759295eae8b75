//! The arguments of `main`: any number of texts with any letters.
//!
//! Where nobody looks at the texts, `argc` is any number that is not negative, and `argv` any pointer. Otherwise there is memory for
//! as many texts as the bound says, with four letters for each of the bound; more or longer ones are cut, and the answer says so.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use wattle_logic::{Binary, Term};
use wattle_program::Op;

use super::Body;
use super::place::Lvalue;
use super::value::Value;
use crate::refusal::Low;
use crate::types::{Kind, Type};

/// Letters of a text, for each of the bound.
const LETTERS: u64 = 4;

impl<'a> Body<'_, 'a> {
    /// Give the parameters of `main` their values, if somebody looks at the texts. `false`: nobody does.
    pub(super) fn arguments(
        &mut self,
        definition: &'a Node<FunctionDefinition>,
        parameters: &[(String, Lvalue)],
        span: Span,
    ) -> Low<bool> {
        let [(_, count), (name, texts), ..] = parameters else { return Ok(false) };
        let letters = |of: &Type| {
            let text = of.target().and_then(Type::target);
            text.is_some_and(|text| matches!(text.kind, Kind::Integer { bytes: 1, .. }))
        };
        if !letters(&texts.of) || !count.of.is_integer() || !mentions(definition, name) {
            return Ok(false);
        }
        let (count, texts) = (count.clone(), texts.clone());
        let most = u64::from(self.unit.settings.bound);
        let length = most * LETTERS;
        let text = Type::plain(Kind::Array(std::sync::Arc::new(Type::integer(1, true)), Some(length)));
        let all = Type::plain(Kind::Array(std::sync::Arc::new(text), Some(most)));
        let object = self.private_object("arg", &all, false, span)?;
        let all = Lvalue { of: all, at: self.whole(object) };
        let pointer = Type::integer(1, true).pointer();
        let list = Type::plain(Kind::Array(std::sync::Arc::new(pointer.clone()), Some(most + 1)));
        let object = self.private_object("argv", &list, true, span)?;
        let list = Lvalue { of: list, at: self.whole(object) };

        let given = self.any(&count.of);
        let given = self.kept(given.term);
        let compared = |operator, value: u64| {
            let value = Term::value(wattle_logic::Value::Int(value as i64), given.sort());
            Term::binary(operator, given.clone(), value)
        };
        self.graph.op(Op::Assume { condition: compared(Binary::GreaterEqual, 0) });
        let (more, on) = self.branch(compared(Binary::Greater, most));
        self.graph.continue_at(more);
        self.cut(&format!("more than {most} arguments of main"), span);
        self.graph.continue_at(on);
        let longer = self.any(&Type::BOOL);
        let (more, on) = self.branch(longer.truth());
        self.graph.continue_at(more);
        self.cut(&format!("arguments of main with {length} or more letters"), span);
        self.graph.continue_at(on);
        for number in 0..most {
            let text = self.element(all.clone(), Value::int(number as i64), span)?;
            let last = self.element(text.clone(), Value::int(length as i64 - 1), span)?;
            self.store(&last, Value::constant(0, last.of.clone()), span)?;
            let first = self.element(text, Value::int(0), span)?;
            let address = self.number(&first, span)?;
            let null = Term::value(wattle_logic::Value::Int(0), address.sort());
            let held = Term::if_then_else(compared(Binary::Greater, number), address, null);
            let held = self.kept(held);
            let entry = self.element(list.clone(), Value::int(number as i64), span)?;
            self.store(&entry, Value { term: held, of: pointer.clone() }, span)?;
        }
        self.store(&count, Value { term: given.clone(), of: count.of.clone() }, span)?;
        let first = self.element(list, Value::int(0), span)?;
        let address = Value { term: self.number(&first, span)?, of: pointer.pointer() };
        let address = address.convert(&texts.of, span)?;
        self.store(&texts, address, span)?;
        Ok(true)
    }
}

fn mentions(definition: &Node<FunctionDefinition>, name: &str) -> bool {
    struct Mentions<'n>(&'n str, bool);
    impl<'a> Visit<'a> for Mentions<'_> {
        fn visit_expression(&mut self, expression: &'a Expression, span: &'a Span) {
            self.1 |= matches!(expression, Expression::Identifier(name) if name.node.name == self.0);
            visit::visit_expression(self, expression, span);
        }
    }
    let mut mentions = Mentions(name, false);
    mentions.visit_statement(&definition.node.statement.node, &definition.node.statement.span);
    mentions.1
}
