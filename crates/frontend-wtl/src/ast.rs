//! The text as a tree, every node with its span.
//!
//! Depth is bounded by the parser (statements nest at most [`super::parse::DEEPEST`] levels,
//! expressions are at most [`super::parse::TALLEST`] nodes high), so recursion over it is safe.

use wattle_logic::{Binary, Quantifier, Unary};
use wattle_program::{Name, Orders, PropertyKind};
use wattle_source::Span;

#[derive(Clone, Debug)]
pub(crate) struct Ident {
    pub name: Name,
    pub span: Span,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Shared(Vec<Var>),
    Const { name: Ident, value: Expr },
    Enum { name: Ident, constructors: Vec<Ident> },
    Thread(Thread),
    Init(Expr),
    Property { kind: PropertyKind, formula: Expr, span: Span },
    Observe(Vec<Expr>),
    Predicates(Vec<Expr>),
}

/// A `thread`, or a `process`, which owns memory.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub name: Ident,
    pub is_process: bool,
    pub copies: Option<Copies>,
    pub shared: Vec<Var>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Copies {
    Fixed(Expr),
    Any,
}

#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub name: Ident,
    pub size: Option<Expr>,
    pub ty: Option<Type>,
    pub initial: Option<Initial>,
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Int,
    Bool,
    Bits { width: u8, signed: bool },
    Range(Box<Expr>, Box<Expr>),
    Named(Ident),
}

#[derive(Clone, Debug)]
pub(crate) enum Initial {
    Value(Expr),
    List(Vec<Expr>, Span),
    Any,
}

/// The span of a statement includes its `;`.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Local(Vec<Var>),
    Label(Ident, Box<Stmt>),
    Assign {
        place: Place,
        value: Expr,
        tag: Option<&'static str>,
    },
    Acquire {
        into: Ident,
        place: Place,
    },
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        condition: Expr,
        body: Box<Stmt>,
    },
    Block(Vec<Stmt>),
    Either(Vec<Stmt>),
    Goto(Ident),
    Break,
    Continue,
    Skip,
    Await(Expr),
    Assume(Expr),
    Assert(Expr),
    Fence(Fence),
    Atomic {
        buffered: bool,
        body: Vec<Stmt>,
    },
    Call(Expr),
    Remote(Remote),
    /// Without a target: of every process.
    Flush(Option<Target>),
}

#[derive(Clone, Debug)]
pub(crate) enum Fence {
    Full,
    Of(Place),
    Orders(Orders),
    Lwsync,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub name: Ident,
    pub index: Option<Box<Expr>>,
    pub span: Span,
}

/// A process, or one copy of it.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub process: Ident,
    pub copy: Option<Box<Expr>>,
    pub span: Span,
}

/// A remote operation on `place` in the memory of `target`.
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub kind: RemoteKind,
    pub into: Option<Place>,
    pub place: Place,
    pub target: Target,
    pub arguments: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemoteKind {
    Put,
    Get,
    Add,
    Swap,
    Cas,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// How high the tree is.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Int(i64),
    Bool(bool),
    Me,
    /// Either boolean.
    Star,
    Place(Place),
    Copies(Ident),
    Nondet(Box<Expr>, Box<Expr>),
    Update(Update, Place, Vec<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `p.x`, `p[e].x`, `p[e].x[i]`
    Member(Target, Place),
    /// `p@label`
    At(Target, Ident),
    Quantified {
        quantifier: Quantifier,
        names: Vec<Ident>,
        process: Ident,
        body: Box<Expr>,
    },
}

/// A read-modify-write that stands in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Update {
    pub kind: UpdateKind,
    /// `None`: a locked step.
    pub order: Option<Order>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateKind {
    Cas,
    Exchange,
    FetchAdd,
}

/// The order of a read-modify-write that is not locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    pub acquire: bool,
    pub release: bool,
}

impl Order {
    pub(crate) const WORDS: [(&'static str, Order); 4] = [
        ("relaxed", Order { acquire: false, release: false }),
        ("acquire", Order { acquire: true, release: false }),
        ("release", Order { acquire: false, release: true }),
        ("acq_rel", Order { acquire: true, release: true }),
    ];
}

impl Stmt {
    /// The statements directly inside.
    pub(crate) fn children(&self) -> Vec<&Stmt> {
        match &self.kind {
            StmtKind::Label(_, inner) => vec![inner],
            StmtKind::If { then, otherwise, .. } => {
                std::iter::once(&**then).chain(otherwise.as_deref()).collect()
            }
            StmtKind::While { body, .. } => vec![body],
            StmtKind::Block(body) | StmtKind::Either(body) | StmtKind::Atomic { body, .. } => {
                body.iter().collect()
            }
            _ => vec![],
        }
    }
}
