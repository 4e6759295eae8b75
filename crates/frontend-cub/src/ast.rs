//! The tree of a text, as it is written.

use wattle_program::Name;
use wattle_source::Span;

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Ident {
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub copies: Option<(u32, Span)>,
    pub types: Vec<TypeDef>,
    pub symbols: Vec<SymbolDef>,
    pub predicates: Vec<Predicate>,
    pub inits: Vec<Block>,
    pub invariants: Vec<Block>,
    pub unsafes: Vec<Block>,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub(crate) struct TypeDef {
    pub name: Ident,
    /// `None`: an abstract type.
    pub constructors: Option<Vec<Ident>>,
}

#[derive(Clone, Debug)]
pub(crate) struct SymbolDef {
    pub name: Ident,
    /// How many indices it has.
    pub arity: usize,
    pub of: Ident,
    pub weak: bool,
    pub constant: bool,
}

/// `predicate f(x, y) { … }`
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub name: Ident,
    pub parameters: Vec<Ident>,
    pub body: Formula,
}

/// `init`, `invariant` and `unsafe`.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub parameters: Vec<Ident>,
    pub body: Formula,
    /// From the keyword to the closing brace.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Transition {
    pub name: Ident,
    /// A parameter is in square brackets; it comes first in the list.
    pub acts: bool,
    pub parameters: Vec<Ident>,
    pub guard: Option<Formula>,
    pub lets: Vec<(Ident, Expr)>,
    pub assignments: Vec<Assignment>,
}

#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// Who writes, where the text says so: `p@X := …`.
    pub writer: Option<Ident>,
    pub target: Ident,
    pub indices: Vec<Ident>,
    pub value: Assigned,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Assigned {
    Value(Expr),
    /// `.` or `?`
    Any,
    /// Branches in order; the last may be `_`, without a condition.
    Case(Vec<(Option<Formula>, Expr)>),
}

#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub kind: FormulaKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum FormulaKind {
    Literal(bool),
    /// `fence()`, or with the acting process in its brackets.
    Fence(Option<Ident>),
    Compare(Comparison, Expr, Expr),
    /// A term of type bool on its own.
    Term(Expr),
    /// A predicate with its arguments.
    Call(Ident, Vec<Expr>),
    Not(Box<Formula>),
    Join(Join, Box<(Formula, Formula)>),
    If(Box<(Formula, Formula, Formula)>),
    Quantified(Quantified, Box<Formula>),
}

/// `forall k1 <> k2. …`, or with `other`: different from the parameters too.
#[derive(Clone, Debug)]
pub(crate) struct Quantified {
    pub universal: bool,
    pub other: bool,
    pub bound: Vec<Ident>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Join {
    And,
    Or,
    Implies,
    Iff,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Integer(i64),
    Bool(bool),
    Real,
    /// `#n`, counted from 1.
    Process(u32),
    /// A process, or what `let` has named.
    Small(Ident),
    /// A variable with its indices, or a constructor; perhaps with an observer.
    Capital {
        observer: Option<Box<Expr>>,
        name: Ident,
        indices: Vec<Expr>,
    },
    Negate(Box<Expr>),
    Arithmetic(Arithmetic, Box<(Expr, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}
