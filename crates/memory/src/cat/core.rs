//! The typed core of a model: fifteen operators, fixpoint groups, named axioms.
//!
//! Everything that makes .cat pleasant to write is gone: includes, functions, shadowing, `try`, `if`,
//! `?`, `*`, `~`. Nodes are numbered so that operands come before what uses them (but for the
//! variables of a fixpoint group), and equal nodes are one node.

use wattle_program::Name;
use wattle_source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    Set,
    Relation,
}

/// The position of a node in [`Core::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A set or relation of the execution, by its name in [`super::base`], or the set of the events
    /// with this tag.
    Base(Name, Type),
    /// Nothing.
    Empty(Type),
    /// All events, or all pairs.
    All(Type),
    Union(NodeId, NodeId),
    Intersection(NodeId, NodeId),
    Difference(NodeId, NodeId),
    /// First the one, then the other.
    Sequence(NodeId, NodeId),
    Inverse(NodeId),
    /// One step or more.
    Closure(NodeId),
    /// `[S]`
    Identity(NodeId),
    /// `S * T`
    Product(NodeId, NodeId),
    Domain(NodeId),
    Range(NodeId),
    /// The variable number `.1` of a fixpoint group, inside the bodies of that group.
    Variable(u32, u32, Type),
    /// Its value when the group has settled.
    Fixpoint(u32, u32, Type),
}

impl Node {
    /// The nodes that it is made of.
    pub fn operands(&self) -> [Option<NodeId>; 2] {
        match *self {
            Node::Base(..) | Node::Empty(_) | Node::All(_) | Node::Variable(..) | Node::Fixpoint(..) => {
                [None, None]
            }
            Node::Union(one, other)
            | Node::Intersection(one, other)
            | Node::Difference(one, other)
            | Node::Sequence(one, other)
            | Node::Product(one, other) => [Some(one), Some(other)],
            Node::Inverse(inner)
            | Node::Closure(inner)
            | Node::Identity(inner)
            | Node::Domain(inner)
            | Node::Range(inner) => [Some(inner), None],
        }
    }

    /// With other numbers for nodes and groups.
    pub(super) fn renumbered(self, node: impl Fn(NodeId) -> NodeId, group: impl Fn(u32) -> u32) -> Node {
        match self {
            Node::Base(..) | Node::Empty(_) | Node::All(_) => self,
            Node::Union(one, other) => Node::Union(node(one), node(other)),
            Node::Intersection(one, other) => Node::Intersection(node(one), node(other)),
            Node::Difference(one, other) => Node::Difference(node(one), node(other)),
            Node::Sequence(one, other) => Node::Sequence(node(one), node(other)),
            Node::Product(one, other) => Node::Product(node(one), node(other)),
            Node::Inverse(inner) => Node::Inverse(node(inner)),
            Node::Closure(inner) => Node::Closure(node(inner)),
            Node::Identity(inner) => Node::Identity(node(inner)),
            Node::Domain(inner) => Node::Domain(node(inner)),
            Node::Range(inner) => Node::Range(node(inner)),
            Node::Variable(number, variable, of) => Node::Variable(group(number), variable, of),
            Node::Fixpoint(number, variable, of) => Node::Fixpoint(group(number), variable, of),
        }
    }
}

/// `let rec … and …`: all variables start empty; one round computes each body in turn, and each sees
/// the values just computed; rounds end when nothing changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub bodies: Vec<NodeId>,
    /// Is every body monotone in the variables? Then the result is the least fixpoint.
    pub monotone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    Acyclic,
    Irreflexive,
    Empty,
}

/// What follows where an axiom's test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// There is no such execution.
    Require,
    /// The execution is marked where the test *succeeds* (`flag`).
    Flag,
    /// The program has no meaning (`undefined_unless`).
    UndefinedUnless,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axiom {
    pub name: Name,
    pub role: Role,
    pub test: Test,
    /// `~acyclic r`
    pub negated: bool,
    pub body: NodeId,
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Core {
    pub nodes: Vec<Node>,
    pub groups: Vec<Group>,
    pub axioms: Vec<Axiom>,
}

impl Core {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
}
