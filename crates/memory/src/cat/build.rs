//! Nodes of the core, each once.
//!
//! Equal nodes are one node, and what is plainly empty or plainly the same is not built: `r | 0`,
//! `[0]`, `r & r`, `(r^-1)^-1`. Models written for several architectures are full of such parts.

use std::collections::HashMap;

use super::core::{Axiom, Core, Group, Node, NodeId, Type};

#[derive(Debug, Default)]
pub(crate) struct Builder {
    nodes: Vec<Node>,
    types: Vec<Type>,
    known: HashMap<Node, NodeId>,
    pub groups: Vec<Group>,
    pub axioms: Vec<Axiom>,
}

impl Builder {
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn type_of(&self, id: NodeId) -> Type {
        self.types[id.0 as usize]
    }

    fn add(&mut self, node: Node, of: Type) -> NodeId {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.known.insert(node.clone(), id);
        self.nodes.push(node);
        self.types.push(of);
        id
    }

    pub(crate) fn base(&mut self, name: &str, of: Type) -> NodeId {
        self.add(Node::Base(name.into(), of), of)
    }

    pub(crate) fn empty(&mut self, of: Type) -> NodeId {
        self.add(Node::Empty(of), of)
    }

    pub(crate) fn all(&mut self, of: Type) -> NodeId {
        self.add(Node::All(of), of)
    }

    pub(crate) fn variable(&mut self, group: u32, number: u32, of: Type) -> NodeId {
        self.add(Node::Variable(group, number, of), of)
    }

    pub(crate) fn fixpoint(&mut self, group: u32, number: u32, of: Type) -> NodeId {
        self.add(Node::Fixpoint(group, number, of), of)
    }

    pub(crate) fn is_empty(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Empty(_))
    }

    fn is_all(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::All(_))
    }

    /// Of two of one type.
    pub(crate) fn union(&mut self, one: NodeId, other: NodeId) -> NodeId {
        if one == other || self.is_empty(other) || self.is_all(one) {
            return one;
        }
        if self.is_empty(one) || self.is_all(other) {
            return other;
        }
        self.add(Node::Union(one, other), self.type_of(one))
    }

    pub(crate) fn intersection(&mut self, one: NodeId, other: NodeId) -> NodeId {
        if one == other || self.is_empty(one) || self.is_all(other) {
            return one;
        }
        if self.is_empty(other) || self.is_all(one) {
            return other;
        }
        self.add(Node::Intersection(one, other), self.type_of(one))
    }

    pub(crate) fn difference(&mut self, one: NodeId, other: NodeId) -> NodeId {
        if self.is_empty(one) || self.is_empty(other) {
            return one;
        }
        if one == other || self.is_all(other) {
            return self.empty(self.type_of(one));
        }
        self.add(Node::Difference(one, other), self.type_of(one))
    }

    pub(crate) fn sequence(&mut self, one: NodeId, other: NodeId) -> NodeId {
        if self.is_empty(one) || self.is_identity(other) {
            return one;
        }
        if self.is_empty(other) || self.is_identity(one) {
            return other;
        }
        self.add(Node::Sequence(one, other), Type::Relation)
    }

    fn is_identity(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Base(name, Type::Relation) if &**name == "id")
    }

    pub(crate) fn inverse(&mut self, inner: NodeId) -> NodeId {
        match *self.node(inner) {
            Node::Inverse(original) => original,
            Node::Empty(_) | Node::All(_) | Node::Identity(_) => inner,
            Node::Product(one, other) => self.product(other, one),
            _ => self.add(Node::Inverse(inner), Type::Relation),
        }
    }

    pub(crate) fn closure(&mut self, inner: NodeId) -> NodeId {
        match self.node(inner) {
            Node::Empty(_) | Node::All(_) | Node::Closure(_) | Node::Identity(_) => inner,
            _ => self.add(Node::Closure(inner), Type::Relation),
        }
    }

    /// `r?`
    pub(crate) fn maybe(&mut self, inner: NodeId) -> NodeId {
        let id = self.base("id", Type::Relation);
        self.union(inner, id)
    }

    pub(crate) fn identity(&mut self, set: NodeId) -> NodeId {
        if self.is_empty(set) {
            return self.empty(Type::Relation);
        }
        if self.is_all(set) {
            return self.base("id", Type::Relation);
        }
        self.add(Node::Identity(set), Type::Relation)
    }

    pub(crate) fn product(&mut self, one: NodeId, other: NodeId) -> NodeId {
        if self.is_empty(one) || self.is_empty(other) {
            return self.empty(Type::Relation);
        }
        if self.is_all(one) && self.is_all(other) {
            return self.all(Type::Relation);
        }
        self.add(Node::Product(one, other), Type::Relation)
    }

    pub(crate) fn domain(&mut self, relation: NodeId) -> NodeId {
        match *self.node(relation) {
            Node::Empty(_) => self.empty(Type::Set),
            Node::Identity(set) => set,
            _ => self.add(Node::Domain(relation), Type::Set),
        }
    }

    pub(crate) fn range(&mut self, relation: NodeId) -> NodeId {
        match *self.node(relation) {
            Node::Empty(_) => self.empty(Type::Set),
            Node::Identity(set) => set,
            _ => self.add(Node::Range(relation), Type::Set),
        }
    }

    /// Is the value of `top` monotone in the variables of `group`? And does it speak of the variables
    /// of another group, one that is still open?
    pub(crate) fn inspect(&self, top: NodeId, group: u32) -> Inspection {
        // Operands come before what uses them, so one pass down finds what is reached, and one pass up
        // in what a variable occurs.
        let count = top.0 as usize + 1;
        let mut reached = vec![false; count];
        reached[top.0 as usize] = true;
        for at in (0..count).rev() {
            if reached[at] {
                for operand in self.nodes[at].operands().into_iter().flatten() {
                    reached[operand.0 as usize] = true;
                }
            }
        }
        let mut occurs = vec![false; count];
        let mut result = Inspection { monotone: true, foreign: false };
        for (at, node) in self.nodes[..count].iter().enumerate() {
            let below = |id: &NodeId| occurs[id.0 as usize];
            let here = match node {
                Node::Variable(of, ..) => *of == group,
                _ => node.operands().iter().flatten().any(below),
            };
            if reached[at] {
                match node {
                    Node::Variable(of, ..) => result.foreign |= *of != group,
                    Node::Difference(_, right) => result.monotone &= !occurs[right.0 as usize],
                    _ => {}
                }
            }
            occurs[at] = here;
        }
        result
    }

    /// Only what the axioms need, in the same order.
    pub(crate) fn finish(self) -> Core {
        let mut needed = vec![false; self.nodes.len()];
        let mut groups = vec![false; self.groups.len()];
        let mut pending: Vec<NodeId> = self.axioms.iter().map(|axiom| axiom.body).collect();
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut needed[id.0 as usize], true) {
                continue;
            }
            pending.extend(self.node(id).operands().into_iter().flatten());
            if let Node::Fixpoint(group, ..) = self.node(id)
                && !std::mem::replace(&mut groups[*group as usize], true)
            {
                pending.extend(&self.groups[*group as usize].bodies);
            }
        }
        let renumber = |kept: &[bool]| {
            let mut next = 0;
            let number = |keep: &bool| {
                next += u32::from(*keep);
                next.wrapping_sub(1)
            };
            kept.iter().map(number).collect::<Vec<u32>>()
        };
        let (node_numbers, group_numbers) = (renumber(&needed), renumber(&groups));
        let node = |id: NodeId| NodeId(node_numbers[id.0 as usize]);
        let group = |number: u32| group_numbers[number as usize];
        let kept = self.nodes.into_iter().zip(&needed).filter(|(_, needed)| **needed);
        let nodes = kept.map(|(old, _)| old.renumbered(node, group)).collect();
        let kept = self.groups.into_iter().zip(&groups).filter(|(_, needed)| **needed);
        let groups = kept
            .map(|(old, _)| Group { bodies: old.bodies.into_iter().map(node).collect(), ..old })
            .collect();
        let axioms = self.axioms.into_iter().map(|old| Axiom { body: node(old.body), ..old }).collect();
        Core { nodes, groups, axioms }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Inspection {
    pub monotone: bool,
    pub foreign: bool,
}
