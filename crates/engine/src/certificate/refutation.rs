//! A proof that a problem of clauses and orders has no solution, as plain data.
//!
//! A bounded model checker turns a program into a *problem*: clauses over numbered variables, and
//! definitions of relations between events with what must have no cycle and no pair. *Safe* means that no
//! solution violates the property. Its proof is a list of clauses, each of which is one of the problem's,
//! or says that the relations refute some literals together (a *lemma*, with its reasons), or follows from
//! earlier clauses; the last one refutes what was assumed. No type of the solver occurs here, so that a
//! checker needs none.

use std::sync::Arc;

/// Two events, by number.
pub type Pair = (u32, u32);

/// A variable or, negative, its negation. Variable 1 is the constant *true*.
pub type Literal = i32;

/// A problem, and why it has no solution under what was assumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refutation {
    pub clauses: Vec<Vec<Literal>>,
    pub relations: Vec<Definition>,
    pub graphs: Vec<Graph>,
    pub tests: Vec<(Test, u32)>,
    pub refuted: Vec<Refuted>,
}

impl Refutation {
    /// The length of the proof.
    pub fn steps(&self) -> u64 {
        self.refuted.iter().map(|refuted| refuted.steps.len() as u64).sum()
    }
}

/// There is no solution in which all of `assumed` holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    /// What that means, in words for people.
    pub meaning: String,
    pub assumed: Vec<Literal>,
    /// The last one has only negations of what is assumed. None are needed if the constant *false* is.
    pub steps: Vec<Step>,
}

/// How the pairs of a relation come about; relations by position. The least solution is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    Given { fixed: Vec<Pair>, literal: Vec<(Literal, Pair)> },
    Union(Vec<u32>),
    Intersection(u32, u32),
    Within(u32, Arc<Vec<Pair>>),
    Sequence(u32, u32),
    Inverse(u32),
    Closure(u32),
    Domain(u32),
    Range(u32),
    FromRead { reads_from: u32, coherence: u32 },
}

/// Edges that together have no cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    pub fixed: Vec<Pair>,
    pub literal: Vec<(Literal, Pair)>,
    pub relations: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    Irreflexive,
    Empty,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub clause: Vec<Literal>,
    pub by: Inference,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inference {
    /// It is one of the problem's clauses.
    Problem,
    Lemma {
        facts: Vec<Fact>,
        violation: Violation,
    },
    /// From earlier steps.
    Propagation(Vec<u32>),
}

/// A pair of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub relation: u32,
    pub pair: Pair,
    pub by: By,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    Fixed,
    Literal(Literal),
    /// The definition, from earlier facts.
    Rule(Vec<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Edges of a graph, each beginning where the one before ends, the first where the last ends.
    Cycle { graph: u32, edges: Vec<Edge> },
    /// A fact that a test forbids.
    Test { test: u32, fact: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    Fixed(Pair),
    Literal(Literal, Pair),
    Fact(u32),
}
