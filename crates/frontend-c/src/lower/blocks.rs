//! Blocks of memory: `memcpy`, `memmove` and `memset` as one access for each scalar of the block.
//!
//! Locations are scalars as they were declared, so a block has a meaning here where both sides consist of scalars of the same
//! sizes at the same distances, none of which is cut in two by its end. Everything else is refused by name.

use lang_c::ast::*;
use lang_c::span::{Node, Span};

use super::place::{At, Lvalue};
use super::value::{Value, moved};
use super::{Body, plain};
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

const MOST: u64 = 4096;

impl<'a> Body<'_, 'a> {
    pub(super) fn memcpy(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Low<Value> {
        let [to, from, size] = arguments else {
            return refuse("a call of memcpy without its arguments", span);
        };
        let (to, from) = (self.pointed(to)?, self.pointed(from)?);
        let bytes = self.length(size, span)?;
        // Memory without a type is used as what is copied into it, or out of it.
        let (targets, sources) = match (&to.of.kind, &from.of.kind) {
            (Kind::Void, Kind::Void) => return refuse("copying between pointers to void", span),
            (Kind::Void, _) => {
                let sources = self.leading(&from, bytes, span)?;
                (self.shaped_like(&sources, &to, span)?, sources)
            }
            (_, Kind::Void) => {
                let targets = self.leading(&to, bytes, span)?;
                let sources = self.shaped_like(&targets, &from, span)?;
                (targets, sources)
            }
            _ => (self.leading(&to, bytes, span)?, self.leading(&from, bytes, span)?),
        };
        let shape = |parts: &[(u64, Lvalue)]| -> Vec<(u64, Option<u64>)> {
            parts.iter().map(|(at, part)| (*at, self.unit.types.size(&part.of))).collect()
        };
        if shape(&targets) != shape(&sources) {
            return refuse("copying between objects whose parts differ", span);
        }
        // All is read before anything is written: the blocks of memmove may overlap.
        let mut values = Vec::with_capacity(sources.len());
        for ((_, source), (_, target)) in sources.iter().zip(&targets) {
            values.push(self.load_with(source, plain(), span)?.convert(&target.of, span)?);
        }
        for ((_, target), value) in targets.iter().zip(values) {
            self.store_with(target, value, plain(), span)?;
        }
        self.start(&to, span)
    }

    pub(super) fn memset(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Low<Value> {
        let [object, value, size] = arguments else {
            return refuse("a call of memset without its arguments", span);
        };
        let place = self.pointed(object)?;
        let Some(byte) = self.rvalue(value)?.known() else {
            return refuse("memset with a value that is not constant", span);
        };
        let bytes = self.length(size, span)?;
        if place.of.kind == Kind::Void {
            return refuse("memset through a pointer to void", span);
        }
        for (_, part) in self.leading(&place, bytes, span)? {
            let size = self.unit.types.size(&part.of).unwrap_or(1);
            if byte != 0 && !part.of.is_integer() {
                return refuse("memset of pointers with a value that is not 0", span);
            }
            let repeated = (0..size.min(8)).fold(0_i64, |value, _| value << 8 | (byte & 0xff));
            let number = Value::constant(repeated, Type::integer(8, true)).convert(&part.of, span)?;
            self.store_with(&part, number, plain(), span)?;
        }
        self.start(&place, span)
    }

    /// The object that a pointer argument names, casts aside.
    fn pointed(&mut self, argument: &'a Node<Expression>) -> Low<Lvalue> {
        match &argument.node {
            Expression::Cast(cast) => self.pointed(&cast.node.expression),
            Expression::StringLiteral(_) => self.place(argument),
            // A whole array, not its first element.
            Expression::Identifier(_) | Expression::Member(_) => {
                if let Ok(of) = self.static_type(argument)
                    && matches!(of.kind, Kind::Array(..))
                {
                    return self.place(argument);
                }
                self.target(argument)
            }
            _ => self.target(argument),
        }
    }

    fn length(&mut self, size: &'a Node<Expression>, span: Span) -> Low<u64> {
        match self.rvalue(size)?.known() {
            Some(bytes) if bytes >= 0 => Ok(bytes as u64),
            _ => refuse("copying or setting as much memory as a variable says", span),
        }
    }

    /// The scalars in so many bytes from the start of a place, with their distances.
    fn leading(&mut self, place: &Lvalue, bytes: u64, span: Span) -> Low<Vec<(u64, Lvalue)>> {
        let Some(size) = self.unit.types.size(&place.of).filter(|size| *size > 0) else {
            return refuse("memory of an incomplete type", span);
        };
        let mut parts = self.scalars(place, span)?;
        // What follows the object that a pointer names are more of its kind.
        if bytes > size {
            if bytes / size > MOST {
                return refuse("copying a very large array", span);
            }
            let first = self.number(place, span)?;
            for index in 1..bytes.div_ceil(size) {
                let at = At::Number(moved(first.clone(), index * size));
                let next = self.scalars(&Lvalue { of: place.of.clone(), at }, span)?;
                parts.extend(next.into_iter().map(|(at, part)| (index * size + at, part)));
            }
        }
        parts.retain(|(at, _)| *at < bytes);
        let end = |(at, part): &(u64, Lvalue)| at + self.unit.types.size(&part.of).unwrap_or(0);
        match parts.iter().all(|part| end(part) <= bytes) {
            true => Ok(parts),
            false => refuse("copying or setting a part of a number", span),
        }
    }

    /// The same scalars at another place.
    fn shaped_like(
        &mut self,
        parts: &[(u64, Lvalue)],
        place: &Lvalue,
        span: Span,
    ) -> Low<Vec<(u64, Lvalue)>> {
        let first = self.number(place, span)?;
        let there = |(at, part): &(u64, Lvalue)| {
            let lvalue = Lvalue { of: part.of.unqualified(), at: At::Number(moved(first.clone(), *at)) };
            (*at, lvalue)
        };
        Ok(parts.iter().map(there).collect())
    }

    /// What these functions return.
    fn start(&mut self, place: &Lvalue, span: Span) -> Low<Value> {
        Ok(Value { term: self.number(place, span)?, of: Type::VOID.pointer() })
    }
}
