//! Terms: shared immutable trees with a cached hash and sort.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::{Sort, Value};

#[derive(Clone)]
pub struct Term(Arc<Node>);

struct Node {
    hash: u64,
    /// How many nodes the term has as a tree, or the most that fit.
    size: u32,
    sort: Sort,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Value(Value),
    Symbol(Symbol),
    Unary(Unary, Term),
    Binary(Binary, Term, Term),
    If(Term, Term, Term),
    /// The address of a shared variable, or of one element of it (one index a dimension).
    Address {
        variable: u32,
        indices: Vec<Term>,
    },
    /// The machine integer that stands for an address, where a program computes with addresses as
    /// numbers (assembly, C).
    Number(Term),
    /// The address that a machine integer stands for; a fault if there is none.
    Pointer(Term),
    /// What main memory holds at an address. In properties; inside a process only for variables that lie outside
    /// the store buffers.
    Content(Term),
    /// What copy `copy` of a process would load from an address now, if it did nothing else: the newest value in its own
    /// store buffer, or else what main memory holds. In properties, and inside a process: all that one step sees
    /// in this way it sees at one instant.
    Seen {
        process: u32,
        copy: Term,
        address: Term,
    },
    /// Copy `copy` of a process stands at a point. In properties only.
    At {
        process: u32,
        copy: Term,
        point: u32,
    },
    /// Copy `copy` of a process has ended. In properties only.
    Ended {
        process: u32,
        copy: Term,
    },
    /// A local of copy `copy` of a process. In properties only.
    LocalOf {
        process: u32,
        copy: Term,
        local: u32,
    },
    /// An element of a set of integers, whichever: a formula that names it is meant for every element. In
    /// predicates only.
    Element(Term),
    /// The bound variable (an integer, or of sort process) ranges over the copies of a process.
    Quantified {
        quantifier: Quantifier,
        bound: u32,
        process: u32,
        body: Term,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// A local of the thread that evaluates the term.
    Local(u32),
    /// The number of the evaluating thread among the copies of its process, from 0.
    Me,
    /// How many copies a process has.
    Copies(u32),
    /// A variable bound by a quantifier.
    Bound(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    Not,
    Negate,
    /// Complement of all bits.
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Towards zero, as in C; by zero is a fault.
    Divide,
    /// The sign of the left operand, as in C; by zero is a fault.
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Implies,
    /// An address and a number of elements: the address that many locations further on.
    Offset,
    /// A set and an integer: the set with that integer.
    Insert,
    /// An integer and a set.
    Member,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    Forall,
    Exists,
}

impl Binary {
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    pub fn is_logical(self) -> bool {
        matches!(self, Binary::And | Binary::Or | Binary::Implies)
    }
}

impl Kind {
    fn size(&self) -> u32 {
        let children = match self {
            Kind::Value(_) | Kind::Symbol(_) => 0,
            Kind::Unary(_, a) | Kind::Number(a) | Kind::Pointer(a) => a.size(),
            Kind::Content(a) | Kind::Element(a) => a.size(),
            Kind::Seen { copy, address, .. } => copy.size().saturating_add(address.size()),
            Kind::At { copy, .. } | Kind::Ended { copy, .. } | Kind::LocalOf { copy, .. } => copy.size(),
            Kind::Binary(_, a, b) => a.size().saturating_add(b.size()),
            Kind::If(a, b, c) => a.size().saturating_add(b.size()).saturating_add(c.size()),
            Kind::Address { indices, .. } => indices.iter().map(Term::size).fold(0, u32::saturating_add),
            Kind::Quantified { body, .. } => body.size(),
        };
        children.saturating_add(1)
    }
}

impl Term {
    /// The node as written, with the sort that the caller knows for leaves. For all other kinds
    /// use the named constructors, which derive the sort.
    fn with_sort(kind: Kind, sort: Sort) -> Term {
        let mut hasher = Mixer(0);
        kind.hash(&mut hasher);
        let size = kind.size();
        Term(Arc::new(Node { hash: hasher.finish(), size, sort, kind }))
    }

    /// How many nodes the term has when it is written out. Shared parts count as often as they occur, so a small
    /// value in memory may be too large to walk through.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub fn sort(&self) -> Sort {
        self.0.sort
    }

    pub fn value(value: Value, sort: Sort) -> Term {
        Term::with_sort(Kind::Value(value), sort)
    }

    pub fn int(value: i64) -> Term {
        Term::value(Value::Int(value), Sort::Int)
    }

    pub fn bool(value: bool) -> Term {
        Term::value(Value::Bool(value), Sort::Bool)
    }

    pub fn local(local: u32, sort: Sort) -> Term {
        Term::with_sort(Kind::Symbol(Symbol::Local(local)), sort)
    }

    pub fn symbol(symbol: Symbol, sort: Sort) -> Term {
        Term::with_sort(Kind::Symbol(symbol), sort)
    }

    pub fn me() -> Term {
        Term::symbol(Symbol::Me, Sort::Int)
    }

    pub fn copies(process: u32) -> Term {
        Term::symbol(Symbol::Copies(process), Sort::Int)
    }

    pub fn bound(bound: u32) -> Term {
        Term::symbol(Symbol::Bound(bound), Sort::Int)
    }

    /// The evaluating thread, and a variable that a quantifier binds, as values of sort process.
    pub fn me_process() -> Term {
        Term::symbol(Symbol::Me, Sort::Process)
    }

    pub fn bound_process(bound: u32) -> Term {
        Term::symbol(Symbol::Bound(bound), Sort::Process)
    }

    pub fn unary(operator: Unary, operand: Term) -> Term {
        let sort = operand.sort();
        Term::with_sort(Kind::Unary(operator, operand), sort)
    }

    pub fn binary(operator: Binary, left: Term, right: Term) -> Term {
        let sort = match operator {
            Binary::Member => Sort::Bool,
            _ if operator.is_comparison() || operator.is_logical() => Sort::Bool,
            // A literal has sort `Int` and adapts to a machine integer beside it.
            _ if left.sort() == Sort::Int => match right.sort() {
                bits @ Sort::Bits { .. } => bits,
                _ => Sort::Int,
            },
            _ => left.sort(),
        };
        Term::with_sort(Kind::Binary(operator, left, right), sort)
    }

    pub fn if_then_else(condition: Term, then: Term, otherwise: Term) -> Term {
        let sort = then.sort();
        Term::with_sort(Kind::If(condition, then, otherwise), sort)
    }

    pub fn address(variable: u32, indices: Vec<Term>) -> Term {
        Term::with_sort(Kind::Address { variable, indices }, Sort::Address)
    }

    pub fn number(address: Term) -> Term {
        Term::with_sort(Kind::Number(address), Sort::WORD)
    }

    pub fn pointer(number: Term) -> Term {
        Term::with_sort(Kind::Pointer(number), Sort::Address)
    }

    pub fn content(address: Term, sort: Sort) -> Term {
        Term::with_sort(Kind::Content(address), sort)
    }

    pub fn seen(process: u32, copy: Term, address: Term, sort: Sort) -> Term {
        Term::with_sort(Kind::Seen { process, copy, address }, sort)
    }

    pub fn at(process: u32, copy: Term, point: u32) -> Term {
        Term::with_sort(Kind::At { process, copy, point }, Sort::Bool)
    }

    pub fn ended(process: u32, copy: Term) -> Term {
        Term::with_sort(Kind::Ended { process, copy }, Sort::Bool)
    }

    pub fn local_of(process: u32, copy: Term, local: u32, sort: Sort) -> Term {
        Term::with_sort(Kind::LocalOf { process, copy, local }, sort)
    }

    pub fn element(set: Term) -> Term {
        Term::with_sort(Kind::Element(set), Sort::Int)
    }

    pub fn quantified(quantifier: Quantifier, bound: u32, process: u32, body: Term) -> Term {
        Term::with_sort(Kind::Quantified { quantifier, bound, process, body }, Sort::Bool)
    }

    // The combinations that passes and front ends write most often.

    pub fn negated(&self) -> Term {
        Term::unary(Unary::Not, self.clone())
    }

    /// Is one condition the negation of the other, as written?
    pub fn is_opposite(&self, other: &Term) -> bool {
        use Binary::*;
        let negates = |a: &Term, b: &Term| matches!(a.kind(), Kind::Unary(Unary::Not, inner) if inner == b);
        if negates(self, other) || negates(other, self) {
            return true;
        }
        match (self.kind(), other.kind()) {
            (Kind::Binary(a, left, right), Kind::Binary(b, other_left, other_right)) => {
                let pairs = [(Equal, NotEqual), (Less, GreaterEqual), (LessEqual, Greater)];
                left == other_left
                    && right == other_right
                    && pairs.iter().any(|(x, y)| (a, b) == (x, y) || (a, b) == (y, x))
            }
            _ => false,
        }
    }

    pub fn and(self, other: Term) -> Term {
        Term::binary(Binary::And, self, other)
    }

    pub fn or(self, other: Term) -> Term {
        Term::binary(Binary::Or, self, other)
    }

    pub fn equals(self, other: Term) -> Term {
        Term::binary(Binary::Equal, self, other)
    }

    /// `true` if there are none.
    pub fn conjunction(terms: impl IntoIterator<Item = Term>) -> Term {
        terms.into_iter().reduce(Term::and).unwrap_or_else(|| Term::bool(true))
    }

    /// The literal that this term is.
    pub fn as_value(&self) -> Option<&Value> {
        match self.kind() {
            Kind::Value(value) => Some(value),
            _ => None,
        }
    }

    pub fn is_true(&self) -> bool {
        self.as_value() == Some(&Value::Bool(true))
    }

    pub fn is_false(&self) -> bool {
        self.as_value() == Some(&Value::Bool(false))
    }
}

/// Hashes the node of a term: some numbers and the finished hashes of its parts. A multiplication a
/// number is enough for that, and terms are built by the million; nobody chooses terms to make them
/// collide, and tables of terms hash this hash once more.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn finish(&self) -> u64 {
        // Multiplication mixes best into the upper bits, and tables look at the lower ones.
        self.0 ^ (self.0 >> 32)
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.hash == other.0.hash && self.0.sort == other.0.sort && self.0.kind == other.0.kind)
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Term {
    fn cmp(&self, other: &Term) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        self.0.kind.cmp(&other.0.kind).then_with(|| self.0.sort.cmp(&other.0.sort))
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}
