//! The heap: a pool of cells for each type that is allocated.
//!
//! Every place that allocates has cells of its own in the pool, as many as it may run times; beyond that the thread is
//! cut. A program that frees may get a freed cell again, any of them: each cell has a mark that `free` sets with
//! release order and that allocation takes away with acquire order, as C demands of them. What a cell holds then is
//! what it held before. Allocation never fails.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::{Binary, Sort, Term, Value as Literal};
use wattle_program::{Choice, Dimension, Init, Op, Place, ProcessId, Variable};

use super::atomics::{ACQUIRE, RELEASE, tags};
use super::place::{At, Lvalue};
use super::threads::is_null;
use super::value::{Value, in_sort};
use super::{Body, Unit};
use crate::declare::Declares;
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Record, Type};

/// The cells of one type.
pub(super) struct Pool {
    of: Type,
    object: usize,
    cells: u32,
    /// The variable of the marks of freed cells.
    marks: Option<u32>,
    /// Choices among all cells, which are not counted yet.
    choosers: Vec<(ProcessId, u32)>,
}

/// Before each cell lies its mark.
const HEADER: u32 = 16;

/// Does the text free anything?
pub(super) fn frees(unit: &TranslationUnit) -> bool {
    struct Frees(bool);
    impl<'a> lang_c::visit::Visit<'a> for Frees {
        fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Span) {
            self.0 |= matches!(&call.callee.node, Expression::Identifier(name) if name.node.name == "free");
            lang_c::visit::visit_call_expression(self, call, span);
        }
    }
    let mut frees = Frees(false);
    lang_c::visit::Visit::visit_translation_unit(&mut frees, unit);
    frees.0
}

impl Unit<'_> {
    fn pool(&mut self, of: &Type, span: Span) -> Low<usize> {
        if let Some(found) = self.pools.iter().position(|pool| pool.of == *of) {
            return Ok(found);
        }
        let size = self.types.size(of).unwrap_or(8);
        let stride = HEADER + (size as u32).next_multiple_of(16);
        let name = self.types.name(of).replace("struct ", "").replace([' ', '*'], "");
        let name = format!("{}_heap", name.trim_end_matches("[]"));
        let leading = [(Dimension::Fixed(1), stride)];
        let object = match self.object(&name, of, &leading, &|_, _| Init::Any) {
            Ok(object) => object,
            Err(what) => return refuse(what, span),
        };
        let mut first = u32::MAX;
        for (_, variable, _) in self.objects[object].leaves.clone() {
            first = first.min(variable);
            if let Some(place) = &mut self.program.variables[variable as usize].place {
                place.offset += HEADER;
            }
        }
        let marks = self.frees.then(|| {
            self.program.variables.push(Variable {
                name: format!("{name}[].freed").into(),
                sort: Sort::Bits { width: 8, signed: false },
                dimensions: vec![Dimension::Fixed(1)],
                range: None,
                init: Init::Values(vec![]),
                unbuffered: false,
                place: Some(Place { object: first, offset: HEADER - 8, strides: vec![stride] }),
                owner: None,
                span: wattle_source::Span::NOWHERE,
            });
            self.program.variables.len() as u32 - 1
        });
        self.pools.push(Pool { of: of.clone(), object, cells: 0, marks, choosers: vec![] });
        Ok(self.pools.len() - 1)
    }

    /// Now all cells are counted.
    pub(super) fn finish_pools(&mut self) {
        for pool in &self.pools {
            let leaves = self.objects[pool.object].leaves.iter().map(|(_, variable, _)| *variable);
            for variable in leaves.chain(pool.marks) {
                self.program.variables[variable as usize].dimensions[0] = Dimension::Fixed(pool.cells.max(1));
            }
            for (process, chooser) in &pool.choosers {
                let cfg = &mut self.program.processes[process.0 as usize].cfg;
                for op in cfg.edges.iter_mut().flat_map(|edge| &mut edge.ops) {
                    if let Op::Havoc { local, among } = op
                        && local == chooser
                    {
                        *among = Choice::Between(Term::int(0), Term::int(i64::from(pool.cells) - 1));
                    }
                }
            }
        }
    }
}

/// How many elements an allocation of any number has, for each instance that bounds the reading of a text.
const ELEMENTS_AN_INSTANCE: u64 = 4;

impl<'a> Body<'_, 'a> {
    /// `malloc(size)` or `calloc(count, size)`.
    pub(super) fn allocate(
        &mut self,
        arguments: &'a [Node<Expression>],
        zeroed: bool,
        span: Span,
    ) -> Low<Value> {
        let (element, count) = match (arguments, zeroed) {
            ([size], false) => self.amount(size, span)?,
            ([count, size], true) => {
                let (element, inner) = self.amount(size, span)?;
                let count = self.rvalue(count)?;
                let count = match count.known() {
                    Some(count) if count >= 0 => count as u64,
                    Some(_) => return refuse("an allocation of a negative size", span),
                    None => self.at_most(count, span)?,
                };
                (element, inner * count)
            }
            _ => return refuse("an allocation without its size", span),
        };
        let of = match count {
            1 => element.clone(),
            _ => Type::plain(Kind::Array(std::sync::Arc::new(element.clone()), Some(count))),
        };
        let pool = self.unit.pool(&of, span)?;
        let (times, sure) = self.times();
        let first = self.unit.pools[pool].cells;
        self.unit.pools[pool].cells += self.copies * times;
        let index = self.temporary(Sort::WORD);
        let end = self.graph.point();
        if let Some(marks) = self.unit.pools[pool].marks {
            let (fresh, again) = self.fork();
            self.graph.continue_at(again);
            self.unit.pools[pool].choosers.push((self.process, index));
            self.graph.op(Op::Havoc { local: index, among: Choice::Any });
            let chosen = self.local_term(index);
            let mark = self.temporary(Sort::Bits { width: 8, signed: false });
            let address = Term::address(marks, vec![chosen]);
            let one = Term::value(Literal::Int(1), Sort::Bits { width: 8, signed: false });
            let zero = Term::value(Literal::Int(0), Sort::Bits { width: 8, signed: false });
            self.graph.locked(vec![
                Op::Load { into: mark, address: address.clone(), tags: tags(ACQUIRE) },
                Op::Assume { condition: self.local_term(mark).equals(one) },
                Op::Store { address, value: zero, tags: tags(ACQUIRE) },
            ]);
            self.jump(end);
            self.graph.continue_at(fresh);
        }
        let what = format!("heap cells beyond the first {times} of this place");
        let which = self.count_times(times, sure, &what, span);
        let mut number = in_sort(which, Sort::WORD);
        if self.copies > 1 {
            let own = Term::binary(Binary::Multiply, in_sort(Term::me(), Sort::WORD), word(i64::from(times)));
            number = Term::binary(Binary::Add, own, number);
        }
        let number = match number.as_value().and_then(Literal::as_int) {
            Some(value) => word(value + i64::from(first)),
            None => Term::binary(Binary::Add, number, word(i64::from(first))),
        };
        let direct = self.unit.pools[pool].marks.is_none();
        let number = if direct {
            self.continue_at(end);
            number
        } else {
            self.graph.op(Op::Assign { local: index, value: number });
            self.continue_at(end);
            self.local_term(index)
        };
        let number = self.kept(number);
        let object = self.unit.pools[pool].object;
        let cell = Lvalue {
            of: of.clone(),
            at: At::Object { object, path: String::new(), indices: vec![number.clone()] },
        };
        if zeroed {
            for (_, scalar) in self.scalars(&cell, span)? {
                let zero = Value::int(0).convert(&scalar.of, span)?;
                self.store_with(&scalar, zero, super::plain(), span)?;
            }
        }
        let (_, variable, _) = &self.unit.objects[object].leaves[0];
        let dimensions = self.unit.program.variables[*variable as usize].dimensions.len();
        let mut indices = vec![number];
        indices.resize(dimensions, Term::int(0));
        Ok(Value { term: Term::number(Term::address(*variable, indices)), of: element.pointer() })
    }

    fn fork(&mut self) -> (wattle_program::Point, wattle_program::Point) {
        self.write_back();
        self.graph.fork()
    }

    /// `free(p)`
    pub(super) fn release(&mut self, arguments: &'a [Node<Expression>], span: Span) -> Low<()> {
        let Some(pointer) = arguments.first() else {
            return refuse("a call of free without its argument", span);
        };
        if is_null(pointer) {
            return Ok(());
        }
        let pointer = self.rvalue(pointer)?;
        let pointer = self.kept(in_sort(pointer.term, Sort::WORD));
        let end = self.graph.point();
        let null = pointer.clone().equals(word(0));
        if !matches!(pointer.kind(), wattle_logic::Kind::Number(_)) {
            let (nothing, something) = self.branch(null);
            self.graph.continue_at(nothing);
            self.jump(end);
            self.graph.continue_at(something);
        }
        let address = Term::pointer(Term::binary(Binary::Subtract, pointer, word(8)));
        let one = Term::value(Literal::Int(1), Sort::Bits { width: 8, signed: false });
        self.write_back();
        self.graph.access(Op::Store { address, value: one, tags: tags(RELEASE) });
        self.continue_at(end);
        Ok(())
    }

    /// A number of elements that is not known before the program runs: there are this many, and more are not covered.
    pub(super) fn at_most(&mut self, count: Value, span: Span) -> Low<u64> {
        let most = u64::from(self.unit.settings.bound) * ELEMENTS_AN_INSTANCE;
        let limit =
            Value { term: Term::value(Literal::Int(most as i64), count.term.sort()), of: count.of.clone() };
        let more = self.arithmetic(span).binary(&BinaryOperator::Greater, count, limit)?;
        let (beyond, on) = self.branch(more.truth());
        self.graph.continue_at(beyond);
        self.cut(&format!("more than {most} elements of this allocation"), span);
        self.continue_at(on);
        Ok(most)
    }

    /// `sizeof(struct list) + count * sizeof(…)`, where the struct ends with an array of no length: it with as many elements.
    fn with_rest(
        &mut self,
        head: &'a Node<Expression>,
        rest: &'a Node<Expression>,
        span: Span,
    ) -> Low<Option<Type>> {
        let of = match &head.node {
            Expression::SizeOfTy(name) => self.unit.named(&name.node.0)?,
            Expression::SizeOfVal(value) => self.static_type(&value.node.0)?,
            _ => return Ok(None),
        };
        let Kind::Record(number) = of.kind else { return Ok(None) };
        let record = self.unit.types.records[number].clone();
        let mut fields = record.fields.clone().unwrap_or_default();
        let Some(last) = fields.last_mut().filter(|_| !record.is_union) else { return Ok(None) };
        let Kind::Array(element, None | Some(0)) = last.of.kind.clone() else { return Ok(None) };
        let (unit, count) = self.amount(rest, span)?;
        let size = |of: &Type| self.unit.types.size(of);
        // As many elements as fit in whole.
        let (Some(bytes), Some(width)) = (size(&unit), size(&element).filter(|width| *width > 0)) else {
            return Ok(None);
        };
        let length = bytes * count / width;
        last.of = Type::plain(Kind::Array(element, Some(length)));
        let name = record.name.clone();
        let known = self.unit.types.records.iter().position(|other| {
            other.name == name && other.fields.as_ref().is_some_and(|other| *other == fields)
        });
        let number = known.unwrap_or_else(|| {
            self.unit.types.records.push(Record { fields: Some(fields), ..record });
            self.unit.types.records.len() - 1
        });
        Ok(Some(Type::plain(Kind::Record(number))))
    }

    /// The type and number of elements that a size in bytes stands for.
    fn amount(&mut self, size: &'a Node<Expression>, span: Span) -> Low<(Type, u64)> {
        match &size.node {
            Expression::SizeOfTy(name) => return Ok((self.unit.named(&name.node.0)?, 1)),
            Expression::SizeOfVal(value) => return Ok((self.static_type(&value.node.0)?, 1)),
            Expression::Cast(cast) => return self.amount(&cast.node.expression, span),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Multiply => {
                let (left, right) = (&binary.node.lhs, &binary.node.rhs);
                let is_size = |part: &Node<Expression>| {
                    matches!(part.node, Expression::SizeOfTy(_) | Expression::SizeOfVal(_))
                };
                let (sized, times) = if is_size(left) { (left, right) } else { (right, left) };
                if is_size(sized) {
                    let (of, count) = self.amount(sized, span)?;
                    let times = self.rvalue(times)?;
                    return match times.known() {
                        Some(times) if times >= 0 => Ok((of, count * times as u64)),
                        Some(_) => refuse("an allocation of a negative size", span),
                        None => Ok((of, count * self.at_most(times, span)?)),
                    };
                }
            }
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Plus => {
                if let Some(found) = self.with_rest(&binary.node.lhs, &binary.node.rhs, span)? {
                    return Ok((found, 1));
                }
            }
            _ => {}
        }
        match self.rvalue(size)?.known() {
            Some(bytes) if bytes >= 0 => {
                let hint = self.hint.clone().filter(|of| of.kind != Kind::Void);
                let width = hint.as_ref().and_then(|of| self.unit.types.size(of)).filter(|width| *width > 0);
                match (hint, width) {
                    (Some(of), Some(width)) if (bytes as u64).is_multiple_of(width) => {
                        Ok((of, bytes as u64 / width))
                    }
                    _ => Ok((Type::integer(1, true), bytes as u64)),
                }
            }
            _ => refuse("an allocation whose size is not constant", span),
        }
    }
}

fn word(value: i64) -> Term {
    Term::value(Literal::Int(value), Sort::WORD)
}
