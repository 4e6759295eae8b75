//! Declarations: names in their scopes, and the types that declarations spell.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lang_c::ast::*;
use lang_c::span::Node;

use crate::prefilter::Layout;
use crate::refusal::{Low, Refusal, refuse};
use crate::types::{DataModel, Field, Kind, Record, Signature, Type, Types};

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    Typedef(Type),
    /// An enumerator.
    Constant(i64),
    Global(usize),
    Function(usize),
    Local(usize),
    /// Its declaration was refused, for this reason.
    Refused(String),
}

/// What several files have in common.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// What a name with external linkage means in all of them.
    pub externals: HashMap<String, Meaning>,
    /// Structs and unions by their tags, for files where the tag is the same type.
    tags: HashMap<String, usize>,
    /// Names of types that are structs or unions without a tag.
    pub types: HashMap<String, Type>,
    /// For each file, the tags (`struct node`) and names (`typedef node`) that mean the same type as in the others.
    pub agreeing: Vec<HashSet<String>>,
}

/// The scopes of a caller, while a function that it calls sees the outermost one only.
#[derive(Debug)]
pub(crate) struct Aside {
    names: Vec<HashMap<String, Meaning>>,
    tags: Vec<HashMap<String, usize>>,
}

/// Names, the innermost scope last.
#[derive(Debug)]
pub(crate) struct Scopes {
    names: Vec<HashMap<String, Meaning>>,
    tags: Vec<HashMap<String, usize>>,
    /// The outermost scopes of the files that are not looked at now.
    files: Vec<(HashMap<String, Meaning>, HashMap<String, usize>)>,
    /// The file that is looked at.
    file: usize,
    /// What files have in common.
    pub shared: Shared,
}

impl Scopes {
    pub(crate) fn new(files: usize) -> Scopes {
        Scopes {
            names: vec![HashMap::new()],
            tags: vec![HashMap::new()],
            files: (0..files).map(|_| Default::default()).collect(),
            file: 0,
            shared: Shared::default(),
        }
    }

    pub(crate) fn file(&self) -> usize {
        self.file
    }

    /// See the outermost scope of another file. The file before.
    pub(crate) fn turn_to(&mut self, file: usize) -> usize {
        let before = self.file;
        if file != before {
            let (names, tags) = std::mem::take(&mut self.files[file]);
            let names = std::mem::replace(&mut self.names[0], names);
            let tags = std::mem::replace(&mut self.tags[0], tags);
            self.files[before] = (names, tags);
            self.file = file;
        }
        before
    }

    /// The tags of the outermost scope, by their full names.
    pub(crate) fn outermost_tags(&self) -> impl Iterator<Item = (&String, usize)> {
        self.tags[0].iter().map(|(name, record)| (name, *record))
    }

    /// The names of types of the outermost scope.
    pub(crate) fn outermost_types(&self) -> impl Iterator<Item = (&String, &Type)> {
        self.names[0].iter().filter_map(|(name, meaning)| match meaning {
            Meaning::Typedef(of) => Some((name, of)),
            _ => None,
        })
    }

    pub(crate) fn enter(&mut self) {
        self.names.push(HashMap::new());
        self.tags.push(HashMap::new());
    }

    pub(crate) fn leave(&mut self) {
        self.names.pop();
        self.tags.pop();
    }

    pub(crate) fn depth(&self) -> usize {
        self.names.len()
    }

    /// Only the outermost scope and `inner`: what a function that is called sees. The rest comes back with
    /// [`Scopes::restore`].
    pub(crate) fn set_aside(&mut self) -> Aside {
        Aside { names: self.names.split_off(1), tags: self.tags.split_off(1) }
    }

    pub(crate) fn restore(&mut self, aside: Aside) {
        self.names.truncate(1);
        self.tags.truncate(1);
        self.names.extend(aside.names);
        self.tags.extend(aside.tags);
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Meaning> {
        self.names.iter().rev().find_map(|scope| scope.get(name))
    }

    pub(crate) fn global(&self, name: &str) -> Option<&Meaning> {
        self.names[0].get(name)
    }

    pub(crate) fn declare(&mut self, name: &str, meaning: Meaning) {
        if let Some(scope) = self.names.last_mut() {
            scope.insert(name.to_owned(), meaning);
        }
    }

    pub(crate) fn declare_global(&mut self, name: &str, meaning: Meaning) {
        self.names[0].insert(name.to_owned(), meaning);
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().flat_map(|scope| scope.keys()).map(String::as_str)
    }

    /// The type of this tag in an earlier file, if it is the same here.
    fn shared_tag(&self, full: &str) -> Option<usize> {
        let agrees = self.shared.agreeing.get(self.file).is_some_and(|names| names.contains(full));
        self.shared.tags.get(full).copied().filter(|_| agrees)
    }

    fn share_tag(&mut self, full: &str, record: usize) {
        if self.shared.agreeing.get(self.file).is_some_and(|names| names.contains(full)) {
            self.shared.tags.insert(full.to_owned(), record);
        }
    }

    fn tag(&self, name: &str) -> Option<usize> {
        self.tags.iter().rev().find_map(|scope| scope.get(name)).copied()
    }
}

/// What a declaration says beside the type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Storage {
    pub is_typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub is_thread_local: bool,
}

/// Types and names of a text, and how constant expressions are evaluated.
pub(crate) trait Declares {
    fn types(&mut self) -> &mut Types;
    fn scopes(&mut self) -> &mut Scopes;
    /// The value of a constant expression.
    fn constant(&mut self, expression: &Node<Expression>) -> Low<i64>;
    /// What attributes in a piece of text, or directly behind it, say of layouts, and where.
    fn layouts(&self, span: lang_c::span::Span) -> Vec<(usize, Layout)>;
    /// The type of an expression that is not evaluated (`typeof`, `sizeof`).
    fn type_of(&mut self, expression: &Node<Expression>) -> Low<Type>;

    fn declared(&mut self, specifiers: &[Node<DeclarationSpecifier>]) -> Low<(Type, Storage)> {
        let mut storage = Storage::default();
        let mut words = Vec::new();
        let mut base = Base::default();
        for specifier in specifiers {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => storage.is_typedef = true,
                    StorageClassSpecifier::Extern => storage.is_extern = true,
                    StorageClassSpecifier::Static => storage.is_static = true,
                    StorageClassSpecifier::ThreadLocal => storage.is_thread_local = true,
                    StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
                },
                DeclarationSpecifier::TypeSpecifier(specifier) => words.push(specifier),
                DeclarationSpecifier::TypeQualifier(qualifier) => base.qualify(&qualifier.node),
                DeclarationSpecifier::Function(_)
                | DeclarationSpecifier::Alignment(_)
                | DeclarationSpecifier::Extension(_) => {}
            }
        }
        Ok((self.base(base, &words)?, storage))
    }

    fn qualified(&mut self, specifiers: &[Node<SpecifierQualifier>]) -> Low<Type> {
        let mut words = Vec::new();
        let mut base = Base::default();
        for specifier in specifiers {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(specifier) => words.push(specifier),
                SpecifierQualifier::TypeQualifier(qualifier) => base.qualify(&qualifier.node),
                SpecifierQualifier::Extension(_) => {}
            }
        }
        self.base(base, &words)
    }

    fn named(&mut self, name: &Node<TypeName>) -> Low<Type> {
        let base = self.qualified(&name.node.specifiers)?;
        match &name.node.declarator {
            Some(declarator) => Ok(self.derived(base, declarator)?.1),
            None => Ok(base),
        }
    }

    /// The type that specifiers spell.
    fn base(&mut self, base: Base, words: &[&Node<TypeSpecifier>]) -> Low<Type> {
        let mut count = Counts::default();
        let mut other = None;
        for word in words {
            match &word.node {
                TypeSpecifier::Void => other = Some(Type::VOID),
                TypeSpecifier::Bool => other = Some(Type::BOOL),
                TypeSpecifier::Float => other = Some(Type::plain(Kind::Float(4))),
                TypeSpecifier::Double => other = Some(Type::plain(Kind::Float(8))),
                // These stand for words that the parser does not know (`prefilter`).
                TypeSpecifier::TS18661Float(of) if *of == crate::prefilter::INT128 => {
                    return refuse("integers of 128 bits", word.span);
                }
                TypeSpecifier::TS18661Float(of) if *of == crate::prefilter::AUTO => {
                    return refuse("`__auto_type`", word.span);
                }
                TypeSpecifier::TS18661Float(_) => other = Some(Type::plain(Kind::Float(8))),
                TypeSpecifier::Complex => return refuse("complex numbers", word.span),
                TypeSpecifier::Char => count.char += 1,
                TypeSpecifier::Short => count.short += 1,
                TypeSpecifier::Int => count.int += 1,
                TypeSpecifier::Long => count.long += 1,
                TypeSpecifier::Signed => count.signed += 1,
                TypeSpecifier::Unsigned => count.unsigned += 1,
                TypeSpecifier::Atomic(name) => {
                    other = Some(Type { atomic: true, ..self.named(name)? });
                }
                TypeSpecifier::Struct(record) => other = Some(self.record(record)?),
                TypeSpecifier::Enum(names) => other = Some(self.enumeration(names)?),
                TypeSpecifier::TypedefName(name) => {
                    let found = self.scopes().find(&name.node.name).cloned();
                    other = Some(match found {
                        Some(Meaning::Typedef(of)) => of,
                        _ if name.node.name == "__builtin_va_list" => Type::plain(Kind::Opaque),
                        _ => return refuse(format!("the unknown type `{}`", name.node.name), name.span),
                    });
                }
                TypeSpecifier::TypeOf(of) => {
                    other = Some(match &of.node {
                        TypeOf::Expression(expression) => self.type_of(expression)?,
                        TypeOf::Type(name) => self.named(name)?,
                    });
                }
            }
        }
        let model = self.types().model;
        let of = match other {
            Some(of) => of,
            None => count.integer(model),
        };
        Ok(Type { atomic: of.atomic || base.atomic, volatile: of.volatile || base.volatile, ..of })
    }

    /// As gcc has it, an enumeration is without sign unless one of its numbers is negative.
    fn enumeration(&mut self, names: &Node<EnumType>) -> Low<Type> {
        let title = names.node.identifier.as_ref().map(|name| format!("enum {}", name.node.name));
        if names.node.enumerators.is_empty() {
            let known = title.and_then(|title| self.scopes().find(&title).cloned());
            return Ok(match known {
                Some(Meaning::Typedef(of)) => of,
                _ => Type::integer(4, false),
            });
        }
        let mut next = 0;
        let mut signed = false;
        for enumerator in &names.node.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant(expression)?;
            }
            if i32::try_from(next).is_err() {
                return refuse("an enumerator that is no int", enumerator.span);
            }
            signed |= next < 0;
            let name = &enumerator.node.identifier.node.name;
            self.scopes().declare(name, Meaning::Constant(next));
            next += 1;
        }
        let of = Type::integer(4, signed);
        if let Some(title) = title {
            self.scopes().declare(&title, Meaning::Typedef(of.clone()));
        }
        Ok(of)
    }

    fn record(&mut self, record: &Node<StructType>) -> Low<Type> {
        let is_union = record.node.kind.node == StructKind::Union;
        let word = if is_union { "union" } else { "struct" };
        let name = record.node.identifier.as_ref().map(|name| name.node.name.clone());
        let full = name.as_ref().map_or(format!("an unnamed {word}"), |name| format!("{word} {name}"));
        let here =
            name.as_ref().and_then(|name| self.scopes().tags.last().and_then(|tags| tags.get(name).copied()));
        let known = match &record.node.declarations {
            // A definition is one of this scope.
            Some(_) => here,
            None => name.as_ref().and_then(|name| self.scopes().tag(name)),
        };
        // A second definition is another type.
        let is_definition = record.node.declarations.is_some();
        let number =
            match known.filter(|number| !is_definition || self.types().records[*number].fields.is_none()) {
                Some(number) => number,
                None => {
                    let outside = self.scopes().depth() == 1 && name.is_some();
                    let same = self.scopes().shared_tag(&full).filter(|_| outside);
                    let number = same.unwrap_or_else(|| {
                        let types = self.types();
                        types.records.push(Record { name: full.clone(), is_union, fields: None, align: 1 });
                        types.records.len() - 1
                    });
                    if outside {
                        self.scopes().share_tag(&full, number);
                    }
                    if let (Some(name), Some(tags)) = (name, self.scopes().tags.last_mut()) {
                        tags.insert(name, number);
                    }
                    number
                }
            };
        if let Some(declarations) = &record.node.declarations {
            let (mut fields, mut layouts) = (Vec::new(), Vec::new());
            let said = self.layouts(record.span);
            let inside = |at: usize, span: lang_c::span::Span| (span.start..=span.end).contains(&at);
            let join = |all: &mut dyn Iterator<Item = &(usize, Layout)>| {
                all.fold(Layout::default(), |all, (_, layout)| all.and(*layout))
            };
            for declaration in declarations {
                if let StructDeclaration::Field(field) = &declaration.node {
                    self.fields(field, &mut fields)?;
                    let own = join(&mut said.iter().filter(|(at, _)| inside(*at, declaration.span)));
                    layouts.resize(fields.len(), own);
                }
            }
            let of_field = |at: usize| declarations.iter().any(|declaration| inside(at, declaration.span));
            let whole = join(&mut said.iter().filter(|(at, _)| !of_field(*at)));
            let types = self.types();
            // It would have no end.
            if fields.iter().any(|field| types.is_incomplete(&field.of)) {
                return refuse("a field of a type that is not complete", record.span);
            }
            types.records[number].align = types.lay_out(is_union, &mut fields, &layouts, whole);
            types.records[number].fields = Some(fields);
        }
        Ok(Type::plain(Kind::Record(number)))
    }

    fn fields(&mut self, field: &Node<StructField>, fields: &mut Vec<Field>) -> Low<()> {
        let base = self.qualified(&field.node.specifiers)?;
        if field.node.declarators.is_empty() {
            fields.push(Field { name: None, of: base.clone(), offset: 0, is_bits: false });
        }
        for declarator in &field.node.declarators {
            let is_bits = declarator.node.bit_width.is_some();
            let (name, of) = match &declarator.node.declarator {
                Some(declarator) => self.derived(base.clone(), declarator)?,
                None => (None, base.clone()),
            };
            fields.push(Field { name: name.or(Some(String::new())), of, offset: 0, is_bits });
        }
        Ok(())
    }

    /// The name and type that a declarator makes of a base type.
    fn derived(&mut self, base: Type, declarator: &Node<Declarator>) -> Low<(Option<String>, Type)> {
        let mut of = base;
        // Pointers stand before the name and bind first; arrays and functions are read from the last to the first.
        let (pointers, others): (Vec<_>, Vec<_>) = (declarator.node.derived.iter()).partition(|part| {
            matches!(part.node, DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_))
        });
        for pointer in pointers {
            of = of.pointer();
            if let DerivedDeclarator::Pointer(qualifiers) = &pointer.node {
                for qualifier in qualifiers {
                    if let PointerQualifier::TypeQualifier(qualifier) = &qualifier.node {
                        of.atomic |= qualifier.node == TypeQualifier::Atomic;
                        of.volatile |= qualifier.node == TypeQualifier::Volatile;
                    }
                }
            }
        }
        for part in others.into_iter().rev() {
            of = match &part.node {
                DerivedDeclarator::Array(array) => {
                    let length = match &array.node.size {
                        ArraySize::Unknown | ArraySize::VariableUnknown => None,
                        ArraySize::VariableExpression(length) | ArraySize::StaticExpression(length) => {
                            let length = self.constant(length).map_err(|refusal| Refusal {
                                what: "an array whose length is not constant".into(),
                                ..refusal
                            })?;
                            Some(u64::try_from(length).unwrap_or(0))
                        }
                    };
                    Type::plain(Kind::Array(Arc::new(of), length))
                }
                DerivedDeclarator::Function(function) => {
                    let mut parameters = Vec::new();
                    for parameter in &function.node.parameters {
                        let (_, of) = self.parameter(parameter)?;
                        parameters.push(of);
                    }
                    if parameters == [Type::VOID] {
                        parameters.clear();
                    }
                    let variadic = function.node.ellipsis == Ellipsis::Some;
                    Type::plain(Kind::Function(Arc::new(Signature { result: of, parameters, variadic })))
                }
                DerivedDeclarator::KRFunction(_) => Type::plain(Kind::Function(Arc::new(Signature {
                    result: of,
                    parameters: vec![],
                    variadic: true,
                }))),
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => of,
            };
        }
        match &declarator.node.kind.node {
            DeclaratorKind::Abstract => Ok((None, of)),
            DeclaratorKind::Identifier(name) => Ok((Some(name.node.name.clone()), of)),
            DeclaratorKind::Declarator(inner) => self.derived(of, inner),
        }
    }

    /// Arrays and functions as parameters are pointers.
    fn parameter(&mut self, parameter: &Node<ParameterDeclaration>) -> Low<(Option<String>, Type)> {
        let (base, _) = self.declared(&parameter.node.specifiers)?;
        let (name, of) = match &parameter.node.declarator {
            Some(declarator) => self.derived(base, declarator)?,
            None => (None, base),
        };
        let of = match &of.kind {
            Kind::Array(element, _) => element.as_ref().clone().pointer(),
            Kind::Function(_) => of.pointer(),
            _ => of,
        };
        Ok((name, of))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Base {
    atomic: bool,
    volatile: bool,
}

impl Base {
    fn qualify(&mut self, qualifier: &TypeQualifier) {
        self.atomic |= *qualifier == TypeQualifier::Atomic;
        self.volatile |= *qualifier == TypeQualifier::Volatile;
    }
}

#[derive(Default)]
struct Counts {
    char: u8,
    short: u8,
    int: u8,
    long: u8,
    signed: u8,
    unsigned: u8,
}

impl Counts {
    fn integer(&self, model: DataModel) -> Type {
        let bytes = match (self.char, self.short, self.long) {
            (1.., _, _) => 1,
            (_, 1.., _) => 2,
            (_, _, 1) => model.long(),
            (_, _, 2..) => 8,
            _ => 4,
        };
        Type::integer(bytes, self.unsigned == 0)
    }
}

/// Types of libraries that are one location each, whatever their headers say.
pub(crate) fn is_opaque(name: &str) -> bool {
    const NAMES: [&str; 15] = [
        "pthread_mutex_t",
        "pthread_cond_t",
        "pthread_rwlock_t",
        "pthread_spinlock_t",
        "pthread_barrier_t",
        "pthread_once_t",
        "pthread_barrierattr_t",
        "pthread_attr_t",
        "pthread_mutexattr_t",
        "pthread_condattr_t",
        "pthread_rwlockattr_t",
        "mtx_t",
        "cnd_t",
        "once_flag",
        "sem_t",
    ];
    NAMES.contains(&name)
}
