//! Lists of initial values: which part of an object each item is for.
//!
//! Inner braces may be left out: then a part takes as many items as it has scalars (C11 6.7.9). A designator
//! goes on from the part that it names.

use lang_c::ast::*;
use lang_c::span::{Node, Span};

use super::initial::type_in;
use super::{Owned, Unit};
use crate::declare::Declares;
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// Type and offset of a part, and what it begins with.
pub(super) type Part<'i> = (Type, u64, &'i Node<Initializer>);

/// How far a list has been dealt out.
struct Dealt<'i> {
    items: &'i [Node<InitializerListItem>],
    next: usize,
    parts: Vec<Part<'i>>,
}

impl Unit<'_> {
    /// The parts of an object that a list names, in a function with these locals.
    pub(super) fn items<'i>(
        &mut self,
        owned: &[Owned],
        of: &Type,
        items: &'i [Node<InitializerListItem>],
    ) -> Low<Vec<Part<'i>>> {
        let mut dealt = Dealt { items, next: 0, parts: vec![] };
        self.deal(owned, of, &mut dealt)?;
        Ok(dealt.parts)
    }

    /// An array without a length has that of its list.
    pub(super) fn length(&mut self, of: &Type, items: &[Node<InitializerListItem>]) -> Low<u64> {
        self.deal(&[], of, &mut Dealt { items, next: 0, parts: vec![] })
    }

    /// Deal out a list with braces of its own. How many direct parts there are, up to the last that is named.
    fn deal(&mut self, owned: &[Owned], of: &Type, dealt: &mut Dealt<'_>) -> Low<u64> {
        if of.is_scalar() {
            dealt.parts.extend(dealt.items.first().map(|item| (of.clone(), 0, &*item.node.initializer)));
            return Ok(1);
        }
        // `char text[] = {"abc"}`
        if let [only] = dealt.items
            && only.node.designation.is_empty()
            && is_text_for(of, &only.node.initializer)
        {
            dealt.parts.push((of.clone(), 0, &*only.node.initializer));
            return Ok(1);
        }
        let (mut position, mut most) = (0, 0);
        // Does the last designator name a part of a part? What follows would go on inside.
        let mut is_inside = false;
        while let Some(item) = dealt.items.get(dealt.next) {
            let named = self.designated(of, &item.node.designation)?;
            if is_inside && named.is_none() {
                return refuse("an initial value that goes on after one for a part of a part", item.span);
            }
            is_inside = named.as_ref().is_some_and(|named| named.is_inside);
            let part = match &named {
                Some(named) => {
                    position = named.position;
                    Some((named.of.clone(), named.offset))
                }
                None => self.direct(of, position),
            };
            let Some((part, offset)) = part else {
                return refuse("more initial values than there is place for", item.span);
            };
            self.deal_one(owned, &part, offset, dealt)?;
            position += 1;
            most = most.max(position);
        }
        Ok(most)
    }

    /// Give the next item to a part, or, if it has no braces and is no whole struct or array, it and those behind it to the
    /// parts of the part.
    fn deal_one(&mut self, owned: &[Owned], part: &Type, offset: u64, dealt: &mut Dealt<'_>) -> Low<()> {
        let item = &dealt.items[dealt.next];
        if part.is_scalar() || self.is_whole(owned, part, &item.node.initializer) {
            dealt.parts.push((part.clone(), offset, &*item.node.initializer));
            dealt.next += 1;
            return Ok(());
        }
        let is_union = matches!(part.kind, Kind::Record(record) if self.types.records[record].is_union);
        let first = dealt.next;
        let mut position = 0;
        while let Some((inner, at)) = self.direct(part, position) {
            match dealt.items.get(dealt.next) {
                Some(item) if dealt.next == first || item.node.designation.is_empty() => {}
                _ => break,
            }
            self.deal_one(owned, &inner, offset + at, dealt)?;
            position += 1;
            if is_union {
                break;
            }
        }
        match dealt.next == first {
            true => refuse("an initial value for a part without content", item.span),
            false => Ok(()),
        }
    }

    /// A direct part, by its number.
    fn direct(&self, of: &Type, position: u64) -> Option<(Type, u64)> {
        match &of.kind {
            Kind::Array(element, length) => {
                let offset = self.types.size(element)?.checked_mul(position)?;
                length.is_none_or(|length| position < length).then(|| (element.as_ref().clone(), offset))
            }
            Kind::Record(record) => {
                let field = self.types.records[*record].fields.as_ref()?.get(position as usize)?;
                Some((field.of.clone(), field.offset))
            }
            _ => None,
        }
    }

    /// The part that designators name; `None` without any.
    fn designated(&mut self, of: &Type, designation: &[Node<Designator>]) -> Low<Option<Named>> {
        let Some(first) = designation.first() else { return Ok(None) };
        let mut named = Named { position: 0, of: of.clone(), offset: 0, is_inside: designation.len() > 1 };
        for (step, designator) in designation.iter().enumerate() {
            let (position, of, offset) = match (&designator.node, &named.of.kind) {
                (Designator::Index(index), Kind::Array(..)) => {
                    let position = self.constant(index)?.max(0) as u64;
                    match self.direct(&named.of, position) {
                        Some((of, offset)) => (position, of, offset),
                        None => return refuse("this designator", designator.span),
                    }
                }
                (Designator::Member(name), Kind::Record(record)) => {
                    let fields = self.types.records[*record].fields.as_deref().unwrap_or_default();
                    let own = fields.iter().position(|field| field.name.as_ref() == Some(&name.node.name));
                    // One of an unnamed part?
                    named.is_inside |= own.is_none();
                    match self.types.field(*record, &name.node.name) {
                        Some((field, offset, _)) => (own.unwrap_or(0) as u64, field.of.clone(), offset),
                        None => return refuse("this designator", designator.span),
                    }
                }
                _ => return refuse("this designator", first.span),
            };
            if step == 0 {
                named.position = position;
            }
            (named.of, named.offset) = (of, named.offset + offset);
        }
        Ok(Some(named))
    }

    /// Is an item one value for all of a struct or array?
    fn is_whole(&mut self, owned: &[Owned], part: &Type, initializer: &Node<Initializer>) -> bool {
        match &initializer.node {
            Initializer::List(_) => true,
            Initializer::Expression(expression) => {
                is_text_for(part, initializer)
                    || matches!(part.kind, Kind::Record(_))
                        && type_in(self, owned, expression).is_ok_and(|of| of.kind == part.kind)
            }
        }
    }
}

struct Named {
    /// Which direct part it is, or lies in.
    position: u64,
    of: Type,
    offset: u64,
    is_inside: bool,
}

/// A text for an array of characters.
fn is_text_for(of: &Type, initializer: &Node<Initializer>) -> bool {
    let characters =
        matches!(&of.kind, Kind::Array(element, _) if matches!(element.kind, Kind::Integer { bytes: 1, .. }));
    let text = |expression: &Expression| matches!(expression, Expression::StringLiteral(_));
    characters && matches!(&initializer.node, Initializer::Expression(value) if text(&value.node))
}

/// The elements of an array that a text gives.
pub(super) fn text_elements(of: &Type, parts: &[String], span: Span) -> Low<Vec<i64>> {
    let mut bytes = super::letters::bytes(parts, span)?;
    match &of.kind {
        Kind::Array(element, length) if matches!(element.kind, Kind::Integer { bytes: 1, .. }) => {
            bytes.truncate(length.map_or(usize::MAX, |length| length as usize));
            Ok(bytes)
        }
        _ => refuse("a text as the initial value of something else than characters", span),
    }
}
