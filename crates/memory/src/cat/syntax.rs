//! The syntax tree of a model, as written.
//!
//! Nothing is resolved here but includes: the tree of an included file stands where it is included,
//! because herd evaluates a file again each time it is included. Both readers of the tree, the
//! lowering and the naive evaluator, walk this one type and share nothing else.

use std::sync::Arc;

use wattle_program::Name;
use wattle_source::Span;

use super::core::{Role, Test};

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// `x`, `(x, y)` or `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `None` is `_`.
    One(Option<Ident>),
    Tuple(Vec<Option<Ident>>),
}

/// `x = e`, `f(x, y) = e`, `(x, y) = e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    pub pattern: Pattern,
    pub body: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    Name(Name),
    /// `0` or `{}`: nothing, of either type.
    Empty,
    /// `_`
    Universe,
    Union(Vec<Expr>),
    Intersection(Vec<Expr>),
    Sequence(Vec<Expr>),
    /// The first without all others.
    Difference(Vec<Expr>),
    Product(Box<Expr>, Box<Expr>),
    Complement(Box<Expr>),
    /// `r*`
    Star(Box<Expr>),
    /// `r+`
    Plus(Box<Expr>),
    /// `r?`
    Maybe(Box<Expr>),
    /// `r^-1`
    Inverse(Box<Expr>),
    /// `[S]`
    Identity(Box<Expr>),
    Apply(Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Function(Arc<Function>),
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
        body: Box<Expr>,
    },
    Try(Box<Expr>, Box<Expr>),
    /// By the variants that are set.
    If(Condition, Box<Expr>, Box<Expr>),
    /// What only a set of sets, a tag or a comparison at run time could give a meaning to.
    Unsupported(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub pattern: Pattern,
    pub body: Expr,
}

/// Which variants are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    Variant(String),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    pub fn holds(&self, variants: &[String]) -> bool {
        match self {
            Condition::Variant(name) => variants.contains(name),
            Condition::Not(inner) => !inner.holds(variants),
            Condition::And(one, other) => one.holds(variants) && other.holds(variants),
            Condition::Or(one, other) => one.holds(variants) || other.holds(variants),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub kind: InstructionKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionKind {
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
    },
    /// `acyclic e as name` and its kin.
    Test {
        role: Role,
        test: Test,
        negated: bool,
        body: Expr,
        name: Name,
    },
    Include {
        file: String,
        /// What the file holds; filled in after parsing.
        body: Vec<Instruction>,
    },
    Procedure {
        name: Ident,
        procedure: Arc<Procedure>,
    },
    Call {
        name: Ident,
        argument: Expr,
    },
    If {
        condition: Condition,
        then: Vec<Instruction>,
        otherwise: Vec<Instruction>,
    },
    /// `with co from …`: co is the execution's.
    WithCo,
    /// `show`, `unshow`: for pictures only.
    Ignored,
    Unsupported(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    pub pattern: Pattern,
    pub body: Vec<Instruction>,
}

/// A whole model: the prelude, then its own instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub prelude: Vec<Instruction>,
    pub instructions: Vec<Instruction>,
    /// The variants that are set, for `if "variant"` inside expressions.
    pub variants: Vec<String>,
}
