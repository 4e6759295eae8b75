//! C's types: how large they are, where their parts lie, and what wattle's representation has for them.
//!
//! Layout is that of the usual compilers for the chosen data model. A scalar is a location; a struct or array is the
//! locations of its scalars, its *leaves*. Pointers are numbers of 64 bits whatever their size is in the data model,
//! because the numbers of addresses are wattle's own.

use std::sync::Arc;

use wattle_logic::Sort;

use crate::prefilter::{Alignment, Layout};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Type {
    pub kind: Kind,
    pub atomic: bool,
    pub volatile: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Void,
    Bool,
    Integer {
        bytes: u8,
        signed: bool,
    },
    Float(u8),
    Pointer(Arc<Type>),
    /// `None`: of unknown length.
    Array(Arc<Type>, Option<u64>),
    Record(usize),
    Function(Arc<Signature>),
    /// A mutex, a condition variable and the like of a library: one location, whatever the header says.
    Opaque,
    /// The name of a thread.
    Thread,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Signature {
    pub result: Type,
    pub parameters: Vec<Type>,
    pub variadic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub name: String,
    pub is_union: bool,
    /// `None` before the definition.
    pub fields: Option<Vec<Field>>,
    pub align: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// `None`: an anonymous struct or union whose fields count as those of the outer one.
    pub name: Option<String>,
    pub of: Type,
    pub offset: u64,
    pub is_bits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    pub(crate) fn long(self) -> u8 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }
}

/// A scalar inside a larger object.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// As it is written behind the object: `.slots[].next`.
    pub path: String,
    pub of: Type,
    pub offset: u64,
    /// Length and distance of elements, for each `[]` of the path.
    pub dimensions: Vec<(u32, u32)>,
}

impl Leaf {
    /// How many of them the object has.
    fn cells(&self) -> u64 {
        self.dimensions.iter().fold(1, |cells, (length, _)| cells.saturating_mul((*length).into()))
    }
}

/// An object with more scalars is refused: each is a location.
const MOST_CELLS: u64 = 1 << 16;

impl Type {
    pub(crate) const fn plain(kind: Kind) -> Type {
        Type { kind, atomic: false, volatile: false }
    }

    pub(crate) const INT: Type = Type::integer(4, true);
    pub(crate) const VOID: Type = Type::plain(Kind::Void);
    pub(crate) const BOOL: Type = Type::plain(Kind::Bool);

    pub(crate) const fn integer(bytes: u8, signed: bool) -> Type {
        Type::plain(Kind::Integer { bytes, signed })
    }

    pub(crate) fn pointer(self) -> Type {
        Type::plain(Kind::Pointer(Arc::new(self)))
    }

    pub(crate) fn unqualified(&self) -> Type {
        Type::plain(self.kind.clone())
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer(_))
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self.kind, Kind::Integer { .. } | Kind::Bool)
    }

    pub(crate) fn is_scalar(&self) -> bool {
        matches!(
            self.kind,
            Kind::Bool
                | Kind::Integer { .. }
                | Kind::Pointer(_)
                | Kind::Opaque
                | Kind::Thread
                | Kind::Float(_)
        )
    }

    pub(crate) fn target(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Pointer(target) | Kind::Array(target, _) => Some(target),
            _ => None,
        }
    }

    /// The sort of a location or register of a scalar type.
    pub(crate) fn sort(&self) -> Sort {
        match self.kind {
            Kind::Bool => Sort::Bits { width: 1, signed: false },
            Kind::Integer { bytes, signed } => Sort::Bits { width: bytes * 8, signed },
            Kind::Opaque => Sort::Bits { width: 32, signed: true },
            _ => Sort::WORD,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Types {
    pub model: DataModel,
    pub records: Vec<Record>,
}

impl Types {
    pub(crate) fn size(&self, of: &Type) -> Option<u64> {
        Some(match &of.kind {
            Kind::Void | Kind::Bool | Kind::Function(_) => 1,
            Kind::Integer { bytes, .. } | Kind::Float(bytes) => u64::from(*bytes),
            Kind::Pointer(_) | Kind::Thread => u64::from(self.model.long()),
            Kind::Opaque => 40,
            Kind::Array(element, length) => self.size(element)?.checked_mul((*length)?)?,
            Kind::Record(number) => {
                let record = &self.records[*number];
                let mut end = 0;
                for field in record.fields.as_ref()? {
                    end = end.max(field.offset + self.size(&field.of).unwrap_or(0));
                }
                end.next_multiple_of(self.align(of))
            }
        })
    }

    pub(crate) fn align(&self, of: &Type) -> u64 {
        match &of.kind {
            Kind::Array(element, _) => self.align(element),
            Kind::Record(number) => self.records[*number].align,
            Kind::Opaque => 8,
            Kind::Integer { bytes: 8, .. } | Kind::Float(_) if self.model == DataModel::Ilp32 => 4,
            _ => self.size(of).unwrap_or(1).clamp(1, 16),
        }
    }

    /// A struct that is not defined yet, or an array of such.
    pub(crate) fn is_incomplete(&self, of: &Type) -> bool {
        match &of.kind {
            Kind::Array(element, _) => self.is_incomplete(element),
            Kind::Record(number) => self.records[*number].fields.is_none(),
            _ => false,
        }
    }

    /// Give the fields of a record their offsets, by what attributes say of each and of the record. The record's alignment.
    pub(crate) fn lay_out(
        &self,
        is_union: bool,
        fields: &mut [Field],
        layouts: &[Layout],
        whole: Layout,
    ) -> u64 {
        let least = |layout: Layout| match layout.aligned {
            Alignment::Usual => 1,
            Alignment::Long => u64::from(self.model.long()),
            Alignment::To(bytes) => bytes,
        };
        let (mut end, mut most) = (0u64, least(whole));
        for (number, field) in fields.iter_mut().enumerate() {
            let own = layouts.get(number).copied().unwrap_or_default();
            let usual = if whole.packed || own.packed { 1 } else { self.align(&field.of) };
            let align = usual.max(least(own));
            most = most.max(align);
            field.offset = if is_union { 0 } else { end.next_multiple_of(align) };
            end = field.offset + self.size(&field.of).unwrap_or(0);
        }
        most
    }

    /// The field of this name, its offset, and the names on the way to it (through anonymous parts).
    pub(crate) fn field(&self, record: usize, name: &str) -> Option<(&Field, u64, String)> {
        for field in self.records[record].fields.as_ref()? {
            match (&field.name, &field.of.kind) {
                (Some(own), _) if own == name => {
                    return Some((field, field.offset, self.step(record, field)));
                }
                (None, Kind::Record(inner)) => {
                    if let Some((found, offset, path)) = self.field(*inner, name) {
                        return Some((found, field.offset + offset, self.step(record, field) + &path));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// How a path goes on from a record to a field. All members of a union are one place.
    fn step(&self, record: usize, field: &Field) -> String {
        match &field.name {
            _ if self.records[record].is_union => String::new(),
            Some(name) => format!(".{name}"),
            None => String::new(),
        }
    }

    /// The scalars of a type, or what stands against it.
    pub(crate) fn leaves(&self, of: &Type) -> Result<Vec<Leaf>, String> {
        let mut leaves = Vec::new();
        self.collect(
            of,
            &mut Leaf { path: String::new(), of: of.clone(), offset: 0, dimensions: vec![] },
            &mut leaves,
        )?;
        if leaves.iter().map(Leaf::cells).sum::<u64>() > MOST_CELLS {
            return Err("a very large object".into());
        }
        Ok(leaves)
    }

    fn collect(&self, of: &Type, at: &mut Leaf, leaves: &mut Vec<Leaf>) -> Result<(), String> {
        const MOST: usize = 4096;
        match &of.kind {
            Kind::Void | Kind::Function(_) => Err("an object without a size".into()),
            Kind::Array(element, length) => {
                let length = length.ok_or("an array of unknown length")?;
                let length = u32::try_from(length).map_err(|_| "a very large array")?;
                let stride = self.size(element).ok_or("an array of an incomplete type")?;
                if at.cells().saturating_mul(length.into()) > MOST_CELLS {
                    return Err("a very large array".into());
                }
                let inner = Leaf { path: format!("{}[]", at.path), ..at.clone() };
                let mut inner = Leaf { dimensions: at.dimensions.clone(), ..inner };
                inner.dimensions.push((length, stride as u32));
                self.collect(&with_qualifiers(element, of), &mut inner, leaves)
            }
            Kind::Record(number) => {
                let record = &self.records[*number];
                let fields =
                    record.fields.as_ref().ok_or_else(|| format!("the incomplete type {}", record.name))?;
                if fields.iter().any(|field| field.is_bits) {
                    return Err("a struct with bit-fields".into());
                }
                if of.atomic {
                    return Err("an atomic struct".into());
                }
                if record.is_union {
                    return self.collect_union(fields, at, leaves);
                }
                for field in fields {
                    let mut inner = Leaf {
                        path: format!("{}{}", at.path, self.step(*number, field)),
                        offset: at.offset + field.offset,
                        ..at.clone()
                    };
                    self.collect(&with_qualifiers(&field.of, of), &mut inner, leaves)?;
                }
                Ok(())
            }
            _ => {
                if leaves.len() >= MOST {
                    return Err("a very large struct".into());
                }
                leaves.push(Leaf { of: of.clone(), ..at.clone() });
                Ok(())
            }
        }
    }

    /// A union is one location if all of its members are, and are equally large.
    fn collect_union(&self, fields: &[Field], at: &mut Leaf, leaves: &mut Vec<Leaf>) -> Result<(), String> {
        let mut all: Vec<Leaf> = Vec::new();
        for field in fields {
            let mut own = Vec::new();
            self.collect(
                &field.of,
                &mut Leaf { path: String::new(), dimensions: vec![], ..at.clone() },
                &mut own,
            )?;
            if own.len() != 1 || !own[0].dimensions.is_empty() || !own[0].path.is_empty() {
                return Err("a union of structs or arrays".into());
            }
            all.extend(own);
        }
        let Some(first) = all.first() else { return Ok(()) };
        let width = |leaf: &Leaf| self.size(&leaf.of);
        let number = |leaf: &Leaf| leaf.of.is_integer() || leaf.of.is_pointer();
        if all.len() > 1 && all.iter().any(|leaf| width(leaf) != width(first) || !number(leaf)) {
            return Err("a union of members of different sizes, or that are no integers or pointers".into());
        }
        leaves.push(Leaf { of: first.of.clone(), ..at.clone() });
        Ok(())
    }

    /// How a type is written, for messages.
    pub(crate) fn name(&self, of: &Type) -> String {
        match &of.kind {
            Kind::Void => "void".into(),
            Kind::Bool => "_Bool".into(),
            Kind::Integer { bytes, signed } => {
                let sign = if *signed { "" } else { "unsigned " };
                let word = match bytes {
                    1 => "char",
                    2 => "short",
                    4 => "int",
                    _ => "long",
                };
                format!("{sign}{word}")
            }
            Kind::Float(_) => "double".into(),
            Kind::Pointer(target) => format!("{} *", self.name(target)),
            Kind::Array(element, _) => format!("{}[]", self.name(element)),
            Kind::Record(number) => self.records[*number].name.clone(),
            Kind::Function(_) => "a function".into(),
            Kind::Opaque => "an object of the library".into(),
            Kind::Thread => "a thread".into(),
        }
    }
}

/// A part of a volatile or atomic whole is so too.
fn with_qualifiers(part: &Type, whole: &Type) -> Type {
    Type { volatile: part.volatile || whole.volatile, ..part.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_laid_out_as_compilers_do() {
        for (model, size) in [(DataModel::Lp64, 16), (DataModel::Ilp32, 12)] {
            let mut types = Types { model, records: vec![] };
            let field = |name: &str, of| Field { name: Some(name.into()), of, offset: 0, is_bits: false };
            let mut fields = vec![
                field("tag", Type::integer(1, true)),
                field("value", Type::INT),
                field("next", Type::VOID.pointer()),
            ];
            let align = types.lay_out(false, &mut fields, &[], Layout::default());
            types.records.push(Record {
                name: "struct node".into(),
                is_union: false,
                fields: Some(fields),
                align,
            });
            let node = Type::plain(Kind::Record(0));
            assert_eq!(types.size(&node), Some(size));
            let array = Type::plain(Kind::Array(Arc::new(node), Some(3)));
            let leaves = types.leaves(&array).unwrap();
            let paths: Vec<&str> = leaves.iter().map(|leaf| leaf.path.as_str()).collect();
            assert_eq!(paths, ["[].tag", "[].value", "[].next"]);
            assert_eq!(leaves[1].offset, 4);
            assert_eq!(leaves[2].offset, 8);
        }
    }
}
