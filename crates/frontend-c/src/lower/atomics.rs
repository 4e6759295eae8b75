//! Atomic accesses, read-modify-writes and fences: `stdatomic.h`, the builtins of gcc, and fences in assembly.
//!
//! A read-modify-write is one locked step. A compare-exchange either exchanges, or only reads with its failure order;
//! a weak one may fail for no reason.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::Term;
use wattle_program::{Fence, Op, Orders, Tags};

use super::expression::Operand;
use super::place::{At, Lvalue};
use super::value::Value;
use super::{Body, Unit};
use crate::declare::Declares;
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// A position in [`ORDERS`], the number that the language gives the order.
pub(super) type Order = usize;

pub(super) const SEQ_CST: Order = 5;
pub(super) const RELAXED: Order = 0;
pub(super) const ACQUIRE: Order = 2;
pub(super) const RELEASE: Order = 3;
pub(super) const ACQ_REL: Order = 4;

/// The set of a memory order, and the pairs that a fence of it keeps in order.
const ORDERS: [(&str, Orders); 6] = [
    ("RLX", Orders::NONE),
    ("CON", Orders::READS),
    ("ACQ", Orders::READS),
    ("REL", Orders::WRITES),
    ("ACQ_REL", Orders::LIGHT),
    ("SC", Orders::ALL),
];

pub(super) fn tags(order: Order) -> Tags {
    ["A".into(), ORDERS[order].0.into()].into()
}

fn fence(order: Order) -> Option<Fence> {
    let (tag, orders) = ORDERS[order];
    (order != RELAXED).then(|| Fence { tag: tag.into(), orders, cumulative: true, location: None })
}

/// A fence of some architecture, in assembly: `Some(None)` if the instruction has no effect here.
pub(super) fn assembly_fence(line: &str) -> Option<Option<Fence>> {
    let line = line.to_ascii_lowercase();
    let words: Vec<&str> = line.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
    let fence = |tag: &str, orders, cumulative| {
        Some(Some(Fence { tag: tag.into(), orders, cumulative, location: None }))
    };
    match words[..] {
        ["mfence"] => fence("MFENCE", Orders::ALL, false),
        ["sfence"] => fence("SFENCE", Orders::WW, false),
        ["lfence"] => fence("LFENCE", Orders::READS, false),
        // A locked instruction that changes nothing (`lock addl $0,0(%%esp)`), which x86 programs use as a fence.
        ["lock", "addl" | "addq" | "orl" | "orq", "$0", ..] => fence("MFENCE", Orders::ALL, false),
        ["sync" | "hwsync" | "sync;"] => fence("SYNC", Orders::ALL, true),
        ["lwsync"] => fence("LWSYNC", Orders::LIGHT, true),
        ["eieio"] => fence("EIEIO", Orders::WW, false),
        ["isync"] => fence("ISYNC", Orders::NONE, false),
        ["isb"] | ["isb", "sy"] => fence("ISB", Orders::NONE, false),
        ["dmb" | "dsb", "ishst" | "st"] => fence("DMB.ST", Orders::WW, true),
        ["dmb" | "dsb", "ishld" | "ld"] => fence("DMB.LD", Orders::READS, false),
        ["dmb" | "dsb"] | ["dmb" | "dsb", _] => fence("DMB", Orders::ALL, true),
        ["fence"] | ["fence", "rw" | "iorw", "rw" | "iorw"] => fence("Fence.rw.rw", Orders::ALL, false),
        ["fence.tso"] => fence("Fence.tso", Orders::LIGHT, false),
        ["fence", before, after] => {
            let sides = |word: &str| (word.contains('r'), word.contains('w'));
            let ((rb, wb), (ra, wa)) = (sides(before), sides(after));
            let mut orders = Orders::NONE;
            for (holds, order) in [
                (rb && ra, Orders::RR),
                (rb && wa, Orders::RW),
                (wb && ra, Orders::WR),
                (wb && wa, Orders::WW),
            ] {
                if holds {
                    orders = orders.union(order);
                }
            }
            fence(&format!("Fence.{before}.{after}"), orders, false)
        }
        ["nop" | "pause" | "yield" | "wfe" | "sev" | "rep", ..] | ["rep;", "nop"] => Some(None),
        _ => None,
    }
}

/// What a call does to its object.
enum Does {
    Load,
    Store,
    Init,
    Exchange,
    Fetch(BinaryOperator),
    /// gcc's `nand` is left out.
    Compare {
        weak: bool,
    },
}

/// A call of `stdatomic.h` or of a builtin, taken apart.
struct Access<'a> {
    does: Does,
    object: &'a Node<Expression>,
    operands: Vec<&'a Node<Expression>>,
    orders: Vec<&'a Node<Expression>>,
    /// The value after, not before.
    after: bool,
    /// Values come and go through pointers (`__atomic_load(p, &r, o)`).
    indirect: bool,
    fixed: Option<Order>,
    /// A legacy compare-and-swap: expected and desired are values; the result is whether it succeeded, or the value
    /// before.
    legacy: Option<bool>,
}

/// Is this a name of this module?
pub(super) fn is_atomic(name: &str) -> bool {
    name.starts_with("atomic_") || name.starts_with("__atomic_") || name.starts_with("__sync_")
}

impl<'a> Body<'_, 'a> {
    /// An atomic call, or `None` if the name is not one of them.
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Option<Operand>> {
        if !is_atomic(name) {
            return Ok(None);
        }
        let value = |value: Value| Ok(Some(Operand::Value(value)));
        match name {
            "atomic_thread_fence" | "__atomic_thread_fence" => {
                let order = match arguments.first() {
                    Some(order) => self.order(order)?,
                    None => SEQ_CST,
                };
                if let Some(fence) = fence(order) {
                    self.write_back();
                    self.graph.fence(fence);
                }
                return value(Value::void());
            }
            "atomic_signal_fence" | "__atomic_signal_fence" | "atomic_fence" => return value(Value::void()),
            "__sync_synchronize" => {
                self.write_back();
                self.graph.fence(Fence {
                    tag: "SC".into(),
                    orders: Orders::ALL,
                    cumulative: true,
                    location: None,
                });
                return value(Value::void());
            }
            "atomic_flag_test_and_set" | "atomic_flag_test_and_set_explicit" | "__atomic_test_and_set" => {
                let Some(object) = arguments.first() else {
                    return refuse("a call without its object", span);
                };
                let order = arguments.get(1).map_or(Ok(SEQ_CST), |order| self.order(order))?;
                let place = self.target(object)?;
                let (old, _) =
                    self.read_modify_write(&place, tags(order), span, &mut |_, _| Ok(Value::int(1)))?;
                let result = Value::of_truth(old.truth()).convert(&Type::BOOL, span)?;
                return value(result);
            }
            "atomic_flag_clear" | "atomic_flag_clear_explicit" | "__atomic_clear" | "__sync_lock_release" => {
                let Some(object) = arguments.first() else {
                    return refuse("a call without its object", span);
                };
                let default = if name == "__sync_lock_release" { RELEASE } else { SEQ_CST };
                let order = arguments.get(1).map_or(Ok(default), |order| self.order(order))?;
                let place = self.target(object)?;
                let zero = Value::int(0).convert(&place.of, span)?;
                self.store_with(&place, zero, tags(order), span)?;
                return value(Value::void());
            }
            "atomic_is_lock_free" | "__atomic_is_lock_free" | "__atomic_always_lock_free" => {
                return value(Value::int(1));
            }
            _ => {}
        }
        match taken_apart(name, arguments) {
            Some(access) => self.access(access, span).map(|result| Some(Operand::Value(result))),
            None => Ok(None),
        }
    }

    fn order(&mut self, expression: &'a Node<Expression>) -> Low<Order> {
        match self.unit.constant(expression) {
            Ok(order) => Ok(usize::try_from(order & 0xff).ok().filter(|order| *order < 6).unwrap_or(SEQ_CST)),
            Err(_) => refuse("a memory order that is not constant", expression.span),
        }
    }

    fn access(&mut self, access: Access<'a>, span: Span) -> Low<Value> {
        let place = self.target(access.object)?;
        let of = place.of.unqualified();
        if !of.is_scalar() {
            return refuse("an atomic access to a struct", span);
        }
        let mut operands = Vec::new();
        let compare = matches!(access.does, Does::Compare { .. });
        for (number, operand) in access.operands.iter().enumerate() {
            let by_pointer = access.indirect || compare && number == 0 && access.legacy.is_none();
            if by_pointer {
                operands.push(Passed::Place(self.target(operand)?));
            } else {
                let value = self.rvalue(operand)?;
                let arithmetic_on_pointer = matches!(access.does, Does::Fetch(_)) && of.is_pointer();
                let value = if arithmetic_on_pointer { value } else { self.converted(value, &of, span)? };
                let term = self.kept(value.term);
                operands.push(Passed::Value(Value { term, ..value }));
            }
        }
        let mut orders = Vec::new();
        for order in &access.orders {
            orders.push(self.order(order)?);
        }
        let first = orders.first().copied().or(access.fixed).unwrap_or(SEQ_CST);
        match access.does {
            Does::Load => {
                let value = self.load_with(&place, tags(first), span)?;
                if let Some(into) = operands.into_iter().next() {
                    self.deliver(into, value.clone(), span)?;
                }
                Ok(value)
            }
            Does::Store | Does::Init => {
                let value = self.passed(operands.into_iter().next(), span)?;
                let value = value.convert(&of, span)?;
                let tags = if matches!(access.does, Does::Init) { super::plain() } else { tags(first) };
                self.store_with(&place, value, tags, span)?;
                Ok(Value::void())
            }
            Does::Exchange => {
                let mut operands = operands.into_iter();
                let value = self.passed(operands.next(), span)?.convert(&of, span)?;
                let (old, _) =
                    self.read_modify_write(&place, tags(first), span, &mut |_, _| Ok(value.clone()))?;
                if let Some(into) = operands.next() {
                    self.deliver(into, old.clone(), span)?;
                }
                Ok(old)
            }
            Does::Fetch(operator) => {
                let by = self.passed(operands.into_iter().next(), span)?;
                // The builtins count bytes, `atomic_fetch_add` elements; both are rare on pointers.
                if of.is_pointer() && !matches!(operator, BinaryOperator::Plus | BinaryOperator::Minus) {
                    return refuse("this operation on a pointer", span);
                }
                let (old, new) = self.read_modify_write(&place, tags(first), span, &mut |body, old| {
                    body.arithmetic(span).binary(&operator, old, by.clone())
                })?;
                Ok(if access.after { new } else { old })
            }
            Does::Compare { weak } => {
                let failure = orders.get(1).copied().unwrap_or(match first {
                    RELEASE => RELAXED,
                    4 => ACQUIRE,
                    other => other,
                });
                let mut operands = operands.into_iter();
                let (Some(expected), Some(desired)) = (operands.next(), operands.next()) else {
                    return refuse("a compare-exchange without its operands", span);
                };
                let desired = self.passed(Some(desired), span)?.convert(&of, span)?;
                let wanted = match &expected {
                    Passed::Value(value) => value.clone().convert(&of, span)?,
                    Passed::Place(at) => {
                        let value = self.load(at, span)?.convert(&of, span)?;
                        Value { term: self.kept(value.term), ..value }
                    }
                };
                let (success, old) =
                    self.compare_exchange(&place, wanted, desired, (first, failure), weak, span)?;
                if let Passed::Place(at) = expected {
                    // What was read is written to `expected` on failure only.
                    let (done, failed) = self.branch(success.truth());
                    self.graph.continue_at(failed);
                    let seen = old.convert(&at.of, span)?;
                    self.store_with(&at, seen, super::plain(), span)?;
                    self.continue_at(done);
                    return Ok(success);
                }
                Ok(if access.legacy == Some(true) { success } else { old })
            }
        }
    }

    fn passed(&mut self, passed: Option<Passed>, span: Span) -> Low<Value> {
        match passed {
            Some(Passed::Value(value)) => Ok(value),
            Some(Passed::Place(place)) => self.load(&place, span),
            None => refuse("an atomic call without its operand", span),
        }
    }

    fn deliver(&mut self, into: Passed, value: Value, span: Span) -> Low<()> {
        match into {
            Passed::Place(place) => {
                let value = value.convert(&place.of, span)?;
                self.store(&place, value, span)
            }
            Passed::Value(_) => Ok(()),
        }
    }

    /// One step that reads, computes and writes. The values before and after.
    pub(super) fn read_modify_write(
        &mut self,
        place: &Lvalue,
        tags: Tags,
        span: Span,
        update: &mut dyn FnMut(&mut Self, Value) -> Low<Value>,
    ) -> Low<(Value, Value)> {
        let of = place.of.unqualified();
        if matches!(place.at, At::Registers { .. }) || self.graph.sections > 0 {
            let old = self.load_with(place, tags.clone(), span)?;
            let old = Value { term: self.kept(old.term), ..old };
            let new = update(self, old.clone())?.convert(&of, span)?;
            let new = Value { term: self.kept(new.term), ..new };
            self.store_with(place, new.clone(), tags, span)?;
            return Ok((old, new));
        }
        let address = self.address(place, span)?;
        let (before, after) = (self.temporary(of.sort()), self.temporary(of.sort()));
        let old = Value::new(self.local_term(before), &of);
        let new = update(self, old.clone())?.convert(&of, span)?;
        self.graph.locked(vec![
            Op::Load { into: before, address: address.clone(), tags: tags.clone() },
            Op::Assign { local: after, value: new.term },
            Op::Store { address, value: self.local_term(after), tags },
        ]);
        Ok((old, Value::new(self.local_term(after), &of)))
    }

    /// Whether it succeeded, and what was read.
    pub(super) fn compare_exchange(
        &mut self,
        place: &Lvalue,
        wanted: Value,
        desired: Value,
        (success, failure): (Order, Order),
        weak: bool,
        span: Span,
    ) -> Low<(Value, Value)> {
        let of = place.of.unqualified();
        if matches!(place.at, At::Registers { .. }) || self.graph.sections > 0 {
            let old = self.load_with(place, tags(success), span)?;
            let old = Value { term: self.kept(old.term), ..old };
            let same = Value::of_truth(old.term.clone().equals(wanted.term));
            let same = Value { term: self.kept(same.term), ..same };
            let new = Term::if_then_else(same.truth(), desired.term, old.term.clone());
            self.store_with(place, Value { term: new, of }, tags(success), span)?;
            return Ok((same, old));
        }
        let address = self.address(place, span)?;
        let old = self.temporary(of.sort());
        let result = self.temporary(wattle_logic::Sort::Bool);
        let read = self.local_term(old);
        let same = read.clone().equals(wanted.term);
        let (yes, no) = self.graph.fork();
        let end = self.graph.point();
        self.graph.continue_at(yes);
        self.graph.locked(vec![
            Op::Load { into: old, address: address.clone(), tags: tags(success) },
            Op::Assume { condition: same.clone() },
            Op::Store { address: address.clone(), value: desired.term, tags: tags(success) },
            Op::Assign { local: result, value: Term::bool(true) },
        ]);
        self.graph.jump(end);
        self.graph.continue_at(no);
        let mut fails = vec![Op::Load { into: old, address, tags: tags(failure) }];
        if !weak {
            fails.push(Op::Assume { condition: same.negated() });
        }
        fails.push(Op::Assign { local: result, value: Term::bool(false) });
        self.graph.locked(fails);
        self.graph.jump(end);
        self.graph.continue_at(end);
        Ok((Value::of_truth(self.local_term(result)), Value::new(read, &of)))
    }
}

enum Passed {
    Value(Value),
    Place(Lvalue),
}

fn fetched(word: &str) -> Option<BinaryOperator> {
    Some(match word {
        "add" => BinaryOperator::Plus,
        "sub" => BinaryOperator::Minus,
        "or" => BinaryOperator::BitwiseOr,
        "xor" => BinaryOperator::BitwiseXor,
        "and" => BinaryOperator::BitwiseAnd,
        _ => return None,
    })
}

fn taken_apart<'a>(name: &str, arguments: &'a [Node<Expression>]) -> Option<Access<'a>> {
    let (object, rest) = arguments.split_first()?;
    let made = |does: Does, operands: usize, orders: bool| {
        let count = operands.min(rest.len());
        Some(Access {
            does,
            object,
            operands: rest[..count].iter().collect(),
            orders: if orders { rest[count..].iter().collect() } else { vec![] },
            after: false,
            indirect: false,
            fixed: None,
            legacy: None,
        })
    };
    if let Some(stem) = name.strip_prefix("atomic_") {
        let (stem, explicit) = match stem.strip_suffix("_explicit") {
            Some(stem) => (stem, true),
            None => (stem, false),
        };
        return match stem {
            "load" => made(Does::Load, 0, explicit),
            "store" => made(Does::Store, 1, explicit),
            "init" => made(Does::Init, 1, false),
            "exchange" => made(Does::Exchange, 1, explicit),
            "compare_exchange_strong" => made(Does::Compare { weak: false }, 2, explicit),
            "compare_exchange_weak" => made(Does::Compare { weak: true }, 2, explicit),
            _ => made(Does::Fetch(fetched(stem.strip_prefix("fetch_")?)?), 1, explicit),
        };
    }
    if let Some(stem) = name.strip_prefix("__atomic_") {
        let indirect = |access: Option<Access<'a>>| access.map(|access| Access { indirect: true, ..access });
        return match stem {
            "load_n" => made(Does::Load, 0, true),
            "store_n" => made(Does::Store, 1, true),
            "exchange_n" => made(Does::Exchange, 1, true),
            "load" => indirect(made(Does::Load, 1, true)),
            "store" => indirect(made(Does::Store, 1, true)),
            "exchange" => indirect(made(Does::Exchange, 2, true)),
            // (object, expected, desired, weak, success, failure)
            "compare_exchange_n" | "compare_exchange" => {
                let weak = match rest.get(2).map(|weak| &weak.node) {
                    Some(Expression::Constant(constant)) => {
                        !matches!(&constant.node, Constant::Integer(integer) if &*integer.number == "0")
                    }
                    _ => true,
                };
                let mut access = made(Does::Compare { weak }, 2, true)?;
                access.orders = rest.get(3..).unwrap_or_default().iter().collect();
                access.indirect = stem == "compare_exchange";
                Some(access)
            }
            _ => {
                if let Some(word) = stem.strip_prefix("fetch_") {
                    return made(Does::Fetch(fetched(word)?), 1, true);
                }
                let access = made(Does::Fetch(fetched(stem.strip_suffix("_fetch")?)?), 1, true)?;
                Some(Access { after: true, ..access })
            }
        };
    }
    let stem = name.strip_prefix("__sync_")?;
    match stem {
        "bool_compare_and_swap" => made(Does::Compare { weak: false }, 2, false)
            .map(|access| Access { legacy: Some(true), ..access }),
        "val_compare_and_swap" => made(Does::Compare { weak: false }, 2, false)
            .map(|access| Access { legacy: Some(false), ..access }),
        "lock_test_and_set" => {
            made(Does::Exchange, 1, false).map(|access| Access { fixed: Some(ACQUIRE), ..access })
        }
        _ => {
            if let Some(word) = stem.strip_prefix("fetch_and_") {
                return made(Does::Fetch(fetched(word)?), 1, false);
            }
            let access = made(Does::Fetch(fetched(stem.strip_suffix("_and_fetch")?)?), 1, false)?;
            Some(Access { after: true, ..access })
        }
    }
}

/// The type of the result of an atomic call.
pub(super) fn result(
    unit: &mut Unit<'_>,
    owned: &[super::Owned],
    name: &str,
    arguments: &[Node<Expression>],
) -> Option<Low<Type>> {
    if !is_atomic(name) {
        return None;
    }
    if name.contains("fence")
        || name == "__sync_synchronize"
        || name.contains("clear")
        || name == "__sync_lock_release"
    {
        return Some(Ok(Type::VOID));
    }
    if name.contains("flag") || name.contains("test_and_set") && name.starts_with("__atomic") {
        return Some(Ok(Type::BOOL));
    }
    let access = taken_apart(name, arguments)?;
    match access.does {
        Does::Store | Does::Init => return Some(Ok(Type::VOID)),
        Does::Compare { .. } if access.legacy != Some(false) => return Some(Ok(Type::BOOL)),
        _ => {}
    }
    Some(super::initial::type_in(unit, owned, access.object).map(|of| match &of.kind {
        Kind::Pointer(target) | Kind::Array(target, _) => target.unqualified(),
        _ => of.unqualified(),
    }))
}
