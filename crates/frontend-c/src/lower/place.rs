//! Places: what can be read and assigned.
//!
//! A place is a register, an object of the program with a path into it, or what a pointer points to. The second keeps
//! its name and its indices, so that no engine has to guess where an access goes.
//!
//! Inside an atomic section each location is read once and written once: what it holds in between nobody else sees.
//! That makes a section of straight-line code one step with few accesses.

use lang_c::span::Span;
use wattle_logic::{Binary, Kind as Node, Sort, Term, Value as Literal};
use wattle_program::{Op, Tags};

use super::value::{Value, fold, in_sort, moved};
use super::{Body, Home, plain};
use crate::refusal::{Low, refuse};
use crate::types::{Field, Kind, Type};

#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub of: Type,
    pub at: At,
}

#[derive(Clone, Debug)]
pub(super) enum At {
    Registers {
        set: usize,
        offset: u64,
    },
    Object {
        object: usize,
        path: String,
        indices: Vec<Term>,
    },
    /// The number of an address.
    Number(Term),
}

/// By variable (all of them scalars): the register that holds its content, and whether memory does not know it yet.
#[derive(Debug, Default)]
pub(super) struct Cache(Vec<(u32, u32, bool)>);

impl<'a> Body<'_, 'a> {
    pub(super) fn variable_place(&self, owned: usize) -> Lvalue {
        let owned = &self.owned[owned];
        let at = match &owned.home {
            Home::Registers(set) => At::Registers { set: *set, offset: 0 },
            Home::Object(object) => self.whole(*object),
            // A pointer that is known: only following it makes sense.
            Home::Reference(target) => target.at.clone(),
        };
        Lvalue { of: owned.of.clone(), at }
    }

    /// An object of this thread has one element a copy.
    pub(super) fn whole(&self, object: usize) -> At {
        let (_, variable, _) = &self.unit.objects[object].leaves[0];
        let variable = &self.unit.program.variables[*variable as usize];
        let own = matches!(variable.dimensions.first(), Some(wattle_program::Dimension::Copies(_)));
        let indices = if own { vec![Term::me()] } else { vec![] };
        At::Object { object, path: String::new(), indices }
    }

    pub(super) fn field(&self, base: Lvalue, name: &str, span: Span) -> Low<Lvalue> {
        let Kind::Record(record) = base.of.kind else {
            return refuse(format!("the field `{name}` of something that is no struct"), span);
        };
        let Some((field, offset, path)) = self.unit.types.field(record, name) else {
            return refuse(format!("the unknown field `{name}`"), span);
        };
        if field.is_bits {
            return refuse("bit-fields", span);
        }
        let of = Type { volatile: field.of.volatile || base.of.volatile, ..field.of.clone() };
        let at = match base.at {
            At::Registers { set, offset: at } => At::Registers { set, offset: at + offset },
            At::Object { object, path: at, indices } => At::Object { object, path: at + &path, indices },
            At::Number(number) => At::Number(moved(number, offset)),
        };
        Ok(Lvalue { of, at })
    }

    /// A direct part of a struct, whether it has a name or not.
    pub(super) fn member(&self, place: &Lvalue, field: &Field, span: Span) -> Low<Lvalue> {
        if let Some(name) = &field.name {
            return self.field(place.clone(), name, span);
        }
        let at = match &place.at {
            At::Registers { set, offset } => At::Registers { set: *set, offset: offset + field.offset },
            At::Object { .. } => place.at.clone(),
            At::Number(number) => At::Number(moved(number.clone(), field.offset)),
        };
        Ok(Lvalue { of: field.of.clone(), at })
    }

    /// An element of an array that is a place itself.
    pub(super) fn element(&mut self, base: Lvalue, index: Value, span: Span) -> Low<Lvalue> {
        let Kind::Array(element, _) = &base.of.kind else {
            return refuse("an index on something that is no array", span);
        };
        let of = Type { volatile: element.volatile || base.of.volatile, ..element.as_ref().clone() };
        let size = self.unit.types.size(&of);
        let at = match base.at {
            At::Registers { .. } => return refuse("an array in a struct that is a local", span),
            At::Object { object, path, mut indices } => {
                let index = self.kept(index.term);
                indices.push(index);
                At::Object { object, path: path + "[]", indices }
            }
            At::Number(number) => {
                let Some(size) = size else { return refuse("an array of an incomplete type", span) };
                let size = Term::value(Literal::Int(size as i64), Sort::WORD);
                let distance = fold(Binary::Multiply, in_sort(index.term, Sort::WORD), size);
                At::Number(fold(Binary::Add, number, distance))
            }
        };
        Ok(Lvalue { of, at })
    }

    /// What a pointer points to.
    pub(super) fn followed(&mut self, pointer: Value, span: Span) -> Low<Lvalue> {
        let Some(target) = pointer.of.target().cloned() else {
            return refuse("following something that is no pointer", span);
        };
        Ok(Lvalue { of: target, at: At::Number(pointer.term) })
    }

    /// The number of a place.
    pub(super) fn number(&mut self, place: &Lvalue, span: Span) -> Low<Term> {
        match &place.at {
            At::Registers { .. } => refuse("the address of a local that wattle keeps in a register", span),
            At::Number(number) => Ok(number.clone()),
            At::Object { object, path, indices } => {
                let object = &self.unit.objects[*object];
                let found = object.leaves.iter().find(|(leaf, _, _)| leaf.starts_with(path.as_str()));
                let Some((_, variable, _)) = found else {
                    return refuse("the address of an empty object", span);
                };
                let variable = *variable;
                let info = &self.unit.program.variables[variable as usize];
                let strides = info.place.as_ref().map(|place| place.strides.clone()).unwrap_or_default();
                let extents = info.dimensions.clone();
                // A pointer may point behind the last element: such an address is computed.
                let mut exact = Vec::new();
                let mut distance: Option<Term> = None;
                for (number, stride) in strides.iter().enumerate() {
                    let index = indices.get(number).cloned().unwrap_or_else(|| Term::int(0));
                    let inside = match (extents[number], index.as_value().and_then(Literal::as_int)) {
                        (wattle_program::Dimension::Copies(_), _) => true,
                        (wattle_program::Dimension::Fixed(length), Some(index)) => {
                            (0..i64::from(length)).contains(&index)
                        }
                        _ => false,
                    };
                    if inside {
                        exact.push(index);
                    } else {
                        exact.push(Term::int(0));
                        let stride = Term::value(Literal::Int(i64::from(*stride)), Sort::WORD);
                        let step = fold(Binary::Multiply, in_sort(index, Sort::WORD), stride);
                        distance = Some(match distance {
                            Some(sum) => fold(Binary::Add, sum, step),
                            None => step,
                        });
                    }
                }
                let base = Term::number(Term::address(variable, exact));
                Ok(match distance {
                    Some(distance) => Term::binary(Binary::Add, base, distance),
                    None => base,
                })
            }
        }
    }

    /// The address of a scalar place, as operations take it.
    pub(super) fn address(&mut self, place: &Lvalue, span: Span) -> Low<Term> {
        match &place.at {
            At::Registers { .. } => refuse("the address of a local that wattle keeps in a register", span),
            At::Number(number) => Ok(match number.kind() {
                Node::Number(address) => address.clone(),
                _ => Term::pointer(number.clone()),
            }),
            At::Object { object, path, indices } => {
                let leaves = &self.unit.objects[*object].leaves;
                match leaves.iter().find(|(leaf, _, _)| leaf == path) {
                    Some((_, variable, _)) => Ok(Term::address(*variable, indices.clone())),
                    None => refuse("a part of a union that is read as something else", span),
                }
            }
        }
    }

    fn register_at(&self, set: usize, offset: u64) -> Option<u32> {
        self.registers[set].iter().find(|(at, _, _)| *at == offset).map(|(_, local, _)| *local)
    }

    /// Read a scalar.
    pub(super) fn load(&mut self, place: &Lvalue, span: Span) -> Low<Value> {
        let tags = if place.of.atomic { super::atomics::tags(super::atomics::SEQ_CST) } else { plain() };
        self.load_with(place, tags, span)
    }

    pub(super) fn load_with(&mut self, place: &Lvalue, tags: Tags, span: Span) -> Low<Value> {
        if matches!(place.of.kind, Kind::Float(_)) {
            return refuse("floating-point arithmetic", span);
        }
        if !place.of.is_scalar() {
            return refuse("a struct as a value here", span);
        }
        if let At::Registers { set, offset } = place.at {
            return match self.register_at(set, offset) {
                Some(local) => Ok(Value::new(in_sort(self.local_term(local), place.of.sort()), &place.of)),
                None => refuse("a part of a union that is read as something else", span),
            };
        }
        let address = self.address(place, span)?;
        let sort = self.sort_at(place);
        let value =
            |body: &Self, local| Value::new(in_sort(body.local_term(local), place.of.sort()), &place.of);
        if self.graph.sections > 0 {
            if let Some(variable) = scalar(&address) {
                if let Some((_, local, _)) = self.cache.0.iter().find(|(known, _, _)| *known == variable) {
                    return Ok(value(self, *local));
                }
                let local = self.temporary(sort);
                self.graph.access(Op::Load { into: local, address, tags });
                // Values of the cache change when it is written to, so readers get a register of their own.
                self.cache.0.push((variable, local, false));
                return Ok(value(self, local));
            }
            self.write_back();
        }
        let local = self.temporary(sort);
        self.graph.access(Op::Load { into: local, address, tags });
        Ok(value(self, local))
    }

    /// What is held at a place: another sort than that of its type for all members of a union but the first.
    pub(super) fn sort_at(&self, place: &Lvalue) -> Sort {
        let leaf = match &place.at {
            At::Object { object, path, .. } => {
                self.unit.objects[*object].leaves.iter().find(|(leaf, _, _)| leaf == path)
            }
            _ => None,
        };
        leaf.map_or(place.of.sort(), |(_, _, of)| of.sort())
    }

    /// Assign to a scalar. The value has the place's type already.
    pub(super) fn store(&mut self, place: &Lvalue, value: Value, span: Span) -> Low<()> {
        let tags = if place.of.atomic { super::atomics::tags(super::atomics::SEQ_CST) } else { plain() };
        self.store_with(place, value, tags, span)
    }

    pub(super) fn store_with(&mut self, place: &Lvalue, value: Value, tags: Tags, span: Span) -> Low<()> {
        if let At::Registers { set, offset } = place.at {
            let Some(local) = self.register_at(set, offset) else {
                return refuse("a part of a union that is written as something else", span);
            };
            let sort = self.locals[local as usize].sort;
            self.graph.op(Op::Assign { local, value: in_sort(value.term, sort) });
            return Ok(());
        }
        let sort = self.sort_at(place);
        let value = Value { term: in_sort(value.term, sort), ..value };
        let address = self.address(place, span)?;
        if self.graph.sections > 0 {
            if let Some(variable) = scalar(&address) {
                // A new register each time: what was read before keeps its value.
                let local = self.temporary(sort);
                self.graph.op(Op::Assign { local, value: value.term });
                self.cache.0.retain(|(known, _, _)| *known != variable);
                self.cache.0.push((variable, local, true));
                return Ok(());
            }
            self.write_back();
        }
        self.graph.access(Op::Store { address, value: value.term, tags });
        Ok(())
    }

    /// Memory learns what a section has written; what it holds is not known any more.
    pub(super) fn write_back(&mut self) {
        for (variable, local, dirty) in std::mem::take(&mut self.cache.0) {
            if dirty {
                let value = self.local_term(local);
                self.graph.access(Op::Store {
                    address: Term::address(variable, vec![]),
                    value,
                    tags: plain(),
                });
            }
        }
    }

    /// Copy all scalars of a struct or array, one access each.
    pub(super) fn copy(&mut self, to: &Lvalue, from: &Lvalue, span: Span) -> Low<()> {
        for ((_, to), (_, from)) in self.scalars(to, span)?.into_iter().zip(self.scalars(from, span)?) {
            let value = self.load(&from, span)?.convert(&to.of, span)?;
            self.store(&to, value, span)?;
        }
        Ok(())
    }

    /// The scalars of a place with their distances from its start, elements of arrays one by one.
    pub(super) fn scalars(&mut self, place: &Lvalue, span: Span) -> Low<Vec<(u64, Lvalue)>> {
        const MOST: u64 = 4096;
        let mut all = Vec::new();
        match &place.of.kind {
            Kind::Array(element, length) => {
                let length = length.unwrap_or(0);
                if length > MOST {
                    return refuse("copying a very large array", span);
                }
                let size = self.unit.types.size(element).unwrap_or(0);
                for index in 0..length {
                    let element = self.element(place.clone(), Value::int(index as i64), span)?;
                    let parts = self.scalars(&element, span)?;
                    all.extend(parts.into_iter().map(|(at, part)| (index * size + at, part)));
                }
            }
            Kind::Record(number) => {
                let record = &self.unit.types.records[*number];
                let is_union = record.is_union;
                let fields = record.fields.clone().unwrap_or_default();
                for field in fields.iter().take(if is_union { 1 } else { usize::MAX }) {
                    let part = self.member(place, field, span)?;
                    let parts = self.scalars(&part, span)?;
                    all.extend(parts.into_iter().map(|(at, part)| (field.offset + at, part)));
                }
            }
            _ => all.push((0, place.clone())),
        }
        Ok(all)
    }
}

/// The variable of an address without indices.
fn scalar(address: &Term) -> Option<u32> {
    match address.kind() {
        Node::Address { variable, indices } if indices.is_empty() => Some(*variable),
        _ => None,
    }
}
