//! A model's core, rewritten for bounded model checking.
//!
//! The core of a model says `a ; (b | c)` where it was written so. Here parts that the program alone
//! decides (*static* ones: no `rf`, no `co` below them) are brought together, so that they can be
//! computed once, before solving, and what is left to the solver is small:
//!
//! * a set is the relation of its elements with themselves, `[S]` is S;
//! * `(s | d) ; t` is `s ; t | d ; t` where s and t are static and d is not; so for `&`;
//! * `s ; (t ; d)` is `(s ; t) ; d`;
//! * `a \ (a & b)` is `a \ b`: the prelude defines `rfe` as `rf \ rfi`;
//! * `(rf^-1 ; co) \ id` is a term of its own, `FromRead`;
//! * `(a ; b) & s` is `([domain(s)] ; a ; b ; [range(s)]) & s` for a static s that is more than a product
//!   of sets: atomicity asks for `fre ; coe` between the two halves of read-modify-writes only.
//!
//! Equal terms are one term, operands come before what uses them, but for variables of fixpoints,
//! which stand for their least solution everywhere.

use std::collections::HashMap;

use wattle_memory::cat::{Core, Node, NodeId, Type};
use wattle_program::Name;

/// The position of a term in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TermId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// By its name in `cat::base`, or the events with this tag.
    Set(Name),
    Relation(Name),
    Empty,
    All,
    /// Two or more, none of them a union, sorted.
    Union(Vec<TermId>),
    Intersection(TermId, TermId),
    Difference(TermId, TermId),
    Sequence(TermId, TermId),
    Inverse(TermId),
    Closure(TermId),
    /// Of two sets.
    Product(TermId, TermId),
    /// As a set.
    Domain(TermId),
    Range(TermId),
    /// Of the fixpoint group with this number.
    Variable(u32, u32),
    /// `(rf^-1 ; co) \ id`
    FromRead,
}

impl Term {
    pub(crate) fn operands(&self) -> Vec<TermId> {
        match self {
            Term::Set(_) | Term::Relation(_) | Term::Empty | Term::All => vec![],
            Term::Variable(..) | Term::FromRead => vec![],
            Term::Union(parts) => parts.clone(),
            Term::Intersection(a, b)
            | Term::Difference(a, b)
            | Term::Sequence(a, b)
            | Term::Product(a, b) => vec![*a, *b],
            Term::Inverse(a) | Term::Closure(a) | Term::Domain(a) | Term::Range(a) => vec![*a],
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Neither `rf` nor `co` nor a variable below it.
    fixed: bool,
    /// It relates events only to themselves.
    set: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    terms: Vec<Term>,
    facts: Vec<Facts>,
    known: HashMap<Term, TermId>,
    /// The bodies of each fixpoint group.
    pub groups: Vec<Vec<TermId>>,
}

impl Terms {
    /// The terms of a model, and the term of each of its nodes.
    pub(crate) fn new(core: &Core) -> (Terms, Vec<TermId>) {
        let mut terms = Terms::default();
        let mut of: Vec<TermId> = Vec::with_capacity(core.nodes.len());
        for node in &core.nodes {
            let id = |id: &NodeId| of[id.0 as usize];
            let term = match node {
                Node::Base(name, Type::Set) => terms.add(Term::Set(name.clone())),
                Node::Base(name, Type::Relation) => terms.add(Term::Relation(name.clone())),
                Node::Empty(_) => terms.empty(),
                Node::All(Type::Set) => terms.identity(),
                Node::All(Type::Relation) => terms.add(Term::All),
                Node::Union(a, b) => terms.union([id(a), id(b)]),
                Node::Intersection(a, b) => terms.intersection(id(a), id(b)),
                Node::Difference(a, b) => terms.difference(id(a), id(b)),
                Node::Sequence(a, b) => terms.sequence(id(a), id(b)),
                Node::Inverse(a) => terms.inverse(id(a)),
                Node::Closure(a) => terms.closure(id(a)),
                Node::Identity(a) => id(a),
                Node::Product(a, b) => terms.product(id(a), id(b)),
                Node::Domain(a) => terms.domain(id(a)),
                Node::Range(a) => terms.range(id(a)),
                Node::Variable(group, variable, _) | Node::Fixpoint(group, variable, _) => {
                    terms.add(Term::Variable(*group, *variable))
                }
            };
            of.push(term);
        }
        terms.groups = (core.groups.iter())
            .map(|group| group.bodies.iter().map(|body| of[body.0 as usize]).collect())
            .collect();
        (terms, of)
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.terms[id.0 as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Does the program alone decide it?
    pub(crate) fn is_fixed(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].fixed
    }

    pub(crate) fn is_set(&self, id: TermId) -> bool {
        self.facts[id.0 as usize].set
    }

    fn add(&mut self, term: Term) -> TermId {
        if let Some(id) = self.known.get(&term) {
            return *id;
        }
        let fixed = match &term {
            Term::Relation(name) => !matches!(&**name, "rf" | "co"),
            Term::Set(name) => &**name != "FW",
            Term::Variable(..) | Term::FromRead => false,
            other => other.operands().iter().all(|operand| self.is_fixed(*operand)),
        };
        let set = match &term {
            Term::Set(_) | Term::Empty | Term::Domain(_) | Term::Range(_) => true,
            Term::Relation(name) => &**name == "id",
            Term::Union(parts) => parts.iter().all(|part| self.is_set(*part)),
            Term::Intersection(a, b) => self.is_set(*a) || self.is_set(*b),
            Term::Difference(a, _) => self.is_set(*a),
            Term::Sequence(a, b) => self.is_set(*a) && self.is_set(*b),
            Term::Inverse(a) | Term::Closure(a) => self.is_set(*a),
            Term::All | Term::Product(..) | Term::Variable(..) | Term::FromRead => false,
        };
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term.clone());
        self.facts.push(Facts { fixed, set });
        self.known.insert(term, id);
        id
    }

    pub(crate) fn empty(&mut self) -> TermId {
        self.add(Term::Empty)
    }

    pub(crate) fn all(&mut self) -> TermId {
        self.add(Term::All)
    }

    pub(crate) fn identity(&mut self) -> TermId {
        self.add(Term::Relation("id".into()))
    }

    pub(crate) fn relation(&mut self, name: &str) -> TermId {
        self.add(Term::Relation(name.into()))
    }

    pub(crate) fn variable(&mut self, group: u32, number: u32) -> TermId {
        self.add(Term::Variable(group, number))
    }

    /// A base relation, if the model names it.
    pub(crate) fn known(&self, name: &str) -> Option<TermId> {
        self.known.get(&Term::Relation(name.into())).copied()
    }

    /// The terms that the bodies of a group are made of and that its variables are part of, in order.
    pub(crate) fn around(&self, bodies: &[TermId], variables: &[TermId]) -> Vec<TermId> {
        let mut reached = vec![false; self.terms.len()];
        let mut open = bodies.to_vec();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut reached[id.0 as usize], true) {
                open.extend(self.get(id).operands());
            }
        }
        let mut inside = vec![false; self.terms.len()];
        let mut result = Vec::new();
        for (number, term) in self.terms.iter().enumerate() {
            let id = TermId(number as u32);
            let around = term.operands().iter().any(|operand| inside[operand.0 as usize]);
            inside[number] = around || variables.contains(&id);
            if around && reached[number] {
                result.push(id);
            }
        }
        result
    }

    fn is(&self, id: TermId, name: &str) -> bool {
        matches!(self.get(id), Term::Relation(other) if &**other == name)
    }

    fn is_empty(&self, id: TermId) -> bool {
        *self.get(id) == Term::Empty
    }

    fn parts(&self, id: TermId) -> Vec<TermId> {
        match self.get(id) {
            Term::Union(parts) => parts.clone(),
            Term::Empty => vec![],
            _ => vec![id],
        }
    }

    pub(crate) fn union(&mut self, of: impl IntoIterator<Item = TermId>) -> TermId {
        let mut parts: Vec<TermId> = of.into_iter().flat_map(|id| self.parts(id)).collect();
        parts.sort_unstable();
        parts.dedup();
        match parts[..] {
            [] => self.empty(),
            [one] => one,
            _ if parts.iter().any(|part| *self.get(*part) == Term::All) => self.add(Term::All),
            _ => self.add(Term::Union(parts)),
        }
    }

    /// The static part of a union, and the rest; one of the two is empty if it is not mixed.
    fn split(&mut self, id: TermId) -> [TermId; 2] {
        let (fixed, rest): (Vec<TermId>, Vec<TermId>) =
            self.parts(id).into_iter().partition(|part| self.is_fixed(*part));
        [self.union(fixed), self.union(rest)]
    }

    /// `by` on the parts of both, where one of them is mixed.
    fn distribute(
        &mut self,
        a: TermId,
        b: TermId,
        by: fn(&mut Terms, TermId, TermId) -> TermId,
    ) -> Option<TermId> {
        let (left, right) = (self.split(a), self.split(b));
        let mixed = |parts: [TermId; 2], terms: &Terms| parts.iter().all(|part| !terms.is_empty(*part));
        if !mixed(left, self) && !mixed(right, self) {
            return None;
        }
        let mut all = Vec::new();
        for a in left {
            for b in right {
                all.push(by(self, a, b));
            }
        }
        Some(self.union(all))
    }

    pub(crate) fn intersection(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_empty(a) || *self.get(b) == Term::All {
            return a;
        }
        if self.is_empty(b) || *self.get(a) == Term::All {
            return b;
        }
        if let Some(distributed) = self.distribute(a, b, Terms::intersection) {
            return distributed;
        }
        let (a, b) = if self.is_fixed(a) && !self.is_fixed(b) { (b, a) } else { (a, b) };
        if !self.is_fixed(a)
            && self.is_fixed(b)
            && self.is_selective(b)
            && let Term::Sequence(first, second) = *self.get(a)
        {
            let (from, to) = (self.domain(b), self.range(b));
            let first = self.sequence(from, first);
            let second = self.sequence(second, to);
            let a = self.sequence(first, second);
            return self.add(Term::Intersection(a, b));
        }
        self.add(Term::Intersection(a, b))
    }

    /// Does it say more than what kinds of events it relates, or whether their threads differ?
    fn is_selective(&self, id: TermId) -> bool {
        match self.get(id) {
            Term::Relation(name) => !matches!(&**name, "int" | "ext" | "loc" | "id"),
            Term::All | Term::Product(..) => false,
            Term::Union(parts) => parts.iter().all(|part| self.is_selective(*part)),
            Term::Difference(a, _) => self.is_selective(*a),
            Term::Intersection(a, b) => self.is_selective(*a) || self.is_selective(*b),
            _ => true,
        }
    }

    pub(crate) fn difference(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is_empty(b) {
            return a;
        }
        if a == b || *self.get(b) == Term::All {
            return self.empty();
        }
        if let Term::Sequence(first, second) = *self.get(a)
            && self.is(b, "id")
            && let Term::Inverse(inner) = *self.get(first)
            && self.is(inner, "rf")
            && self.is(second, "co")
        {
            return self.add(Term::FromRead);
        }
        if let Term::Union(parts) = self.get(b) {
            return parts.clone().into_iter().fold(a, |rest, part| self.difference(rest, part));
        }
        if let Term::Intersection(one, other) = *self.get(b) {
            if one == a {
                return self.difference(a, other);
            }
            if other == a {
                return self.difference(a, one);
            }
        }
        if let Term::Union(parts) = self.get(a) {
            let parts = parts.clone();
            let without: Vec<TermId> = parts.into_iter().map(|part| self.difference(part, b)).collect();
            return self.union(without);
        }
        self.add(Term::Difference(a, b))
    }

    pub(crate) fn sequence(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is(b, "id") {
            return a;
        }
        if self.is_empty(b) || self.is(a, "id") {
            return b;
        }
        if self.is_set(a) && self.is_set(b) {
            return self.intersection(a, b);
        }
        if let Some(distributed) = self.distribute(a, b, Terms::sequence) {
            return distributed;
        }
        match (self.get(a).clone(), self.get(b).clone()) {
            (_, Term::Sequence(first, rest))
                if self.is_fixed(a) && !self.is_fixed(b) && self.is_fixed(first) =>
            {
                let together = self.sequence(a, first);
                self.sequence(together, rest)
            }
            (Term::Sequence(rest, last), _)
                if !self.is_fixed(a) && self.is_fixed(b) && self.is_fixed(last) =>
            {
                let together = self.sequence(last, b);
                self.sequence(rest, together)
            }
            _ => self.add(Term::Sequence(a, b)),
        }
    }

    pub(crate) fn inverse(&mut self, a: TermId) -> TermId {
        if self.is_set(a) {
            return a;
        }
        match self.get(a).clone() {
            Term::Inverse(inner) => inner,
            Term::All => a,
            Term::Product(from, to) => self.product(to, from),
            Term::Union(parts) => {
                let parts: Vec<TermId> = parts.into_iter().map(|part| self.inverse(part)).collect();
                self.union(parts)
            }
            _ => self.add(Term::Inverse(a)),
        }
    }

    pub(crate) fn closure(&mut self, a: TermId) -> TermId {
        match self.get(a) {
            Term::Closure(_) | Term::All => a,
            _ if self.is_set(a) => a,
            _ => self.add(Term::Closure(a)),
        }
    }

    pub(crate) fn product(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is_empty(b) {
            return self.empty();
        }
        if self.is(a, "id") && self.is(b, "id") {
            return self.add(Term::All);
        }
        self.add(Term::Product(a, b))
    }

    pub(crate) fn domain(&mut self, a: TermId) -> TermId {
        if self.is_set(a) { a } else { self.add(Term::Domain(a)) }
    }

    pub(crate) fn range(&mut self, a: TermId) -> TermId {
        if self.is_set(a) { a } else { self.add(Term::Range(a)) }
    }
}
