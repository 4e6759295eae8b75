//! The core of a model for executions that lack something.
//!
//! Most programs have no atomic section with several accesses, so the relation `section` is empty in all their executions, and
//! what a model says of it is nothing. Engines that recognise the shapes of axioms want to see those without it.

use super::build::Builder;
use super::core::{Axiom, Core, Group, Node, NodeId, Type};

impl Core {
    /// Does some axiom speak of this set or relation?
    pub fn names(&self, base: &str) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Base(name, _) if &**name == base))
    }

    /// The core for executions in which a base relation is empty.
    pub fn without(&self, relation: &str) -> Core {
        let mut builder = Builder::default();
        let mut of: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let id = |id: &NodeId| of[id.0 as usize];
            let new = match node {
                Node::Base(name, Type::Relation) if &**name == relation => builder.empty(Type::Relation),
                Node::Base(name, sort) => builder.base(name, *sort),
                Node::Empty(sort) => builder.empty(*sort),
                Node::All(sort) => builder.all(*sort),
                Node::Union(one, other) => builder.union(id(one), id(other)),
                Node::Intersection(one, other) => builder.intersection(id(one), id(other)),
                Node::Difference(one, other) => builder.difference(id(one), id(other)),
                Node::Sequence(one, other) => builder.sequence(id(one), id(other)),
                Node::Inverse(inner) => builder.inverse(id(inner)),
                Node::Closure(inner) => builder.closure(id(inner)),
                Node::Identity(inner) => builder.identity(id(inner)),
                Node::Product(one, other) => builder.product(id(one), id(other)),
                Node::Domain(inner) => builder.domain(id(inner)),
                Node::Range(inner) => builder.range(id(inner)),
                Node::Variable(group, variable, sort) => builder.variable(*group, *variable, *sort),
                Node::Fixpoint(group, variable, sort) => builder.fixpoint(*group, *variable, *sort),
            };
            of.push(new);
        }
        let moved = |id: NodeId| of[id.0 as usize];
        let bodies = |group: &Group| group.bodies.iter().map(|body| moved(*body)).collect();
        builder.groups =
            self.groups.iter().map(|group| Group { bodies: bodies(group), ..group.clone() }).collect();
        builder.axioms =
            self.axioms.iter().map(|axiom| Axiom { body: moved(axiom.body), ..axiom.clone() }).collect();
        builder.finish()
    }
}
