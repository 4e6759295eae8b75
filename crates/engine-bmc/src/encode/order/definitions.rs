//! Terms as definitions for the order theory.
//!
//! A term that the program alone decides, and one that is a few gates over `rf` and `co`, is *given*: a
//! list of pairs with literals. Everything else is defined from its operands, and the theory derives its
//! pairs when the solver makes their causes true. Pairs of the theory are absolute, so a given pair is
//! fixed only if it has no condition and both its events always happen.
//!
//! * What has no pair that may hold is left out.
//! * Intersections and differences with something whose literals can be made, and steps through sets, are
//!   selections from the other operand's pairs.
//! * `r+ ; s` is the least `z` with `z = r ; s | r ; z`, which derives pairs into the range of `s` only,
//!   rather than all of `r+`.
//! * Variables of fixpoints are relations like others: recursion is the theory's own business.

use std::collections::BTreeMap;
use std::sync::Arc;

use wattle_engine::Unsupported;
use wattle_sat::{Definition, Description, Lit, Pair, RelationId, Test};

use crate::encode::circuit::Circuit;
use crate::encode::relations::{Matrix, Relations, Term, TermId};

pub(crate) struct Definitions<'a, 'e, 's> {
    pub relations: Relations<'a, 'e, 's>,
    pub description: Description,
    /// Does some graph contain all of `co`?
    pub coherent: bool,
    /// `None`: it has no pairs.
    known: BTreeMap<TermId, Option<RelationId>>,
}

/// The relation of a term; `None` if it has no pairs.
type Defined = Result<Option<RelationId>, Unsupported>;

impl<'a, 'e, 's> Definitions<'a, 'e, 's> {
    pub(crate) fn new(relations: Relations<'a, 'e, 's>) -> Self {
        let events = relations.encoding.structure.events.len() as u32;
        let description = Description { events, ..Description::default() };
        Definitions { relations, description, coherent: false, known: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, definition: Definition) -> RelationId {
        self.description.relations.push(definition);
        RelationId(self.description.relations.len() as u32 - 1)
    }

    pub(crate) fn test(&mut self, test: Test, relation: RelationId) {
        self.description.tests.push((test, relation));
    }

    /// The relation of a term.
    pub(crate) fn define(&mut self, id: TermId, circuit: &mut Circuit<'_>) -> Defined {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        self.relations.settle(id, circuit)?;
        if self.relations.bounds(id).is_empty() {
            self.known.insert(id, None);
            return Ok(None);
        }
        if let Term::Variable(group, number) = *self.relations.terms.get(id)
            && !self.relations.is_direct(id)
        {
            let own = self.add(Definition::Union(vec![]));
            self.known.insert(id, Some(own));
            let body = self.relations.terms.groups[group as usize][number as usize];
            let body = self.define(body, circuit)?;
            self.description.relations[own.0 as usize] = Definition::Union(body.into_iter().collect());
            return Ok(Some(own));
        }
        let relation = match self.relations.is_direct(id) {
            true => {
                let all: Vec<Pair> = self.relations.bounds(id).may.pairs().collect();
                self.given(id, all, circuit)?
            }
            false => self.compound(id, circuit)?,
        };
        self.known.insert(id, relation);
        Ok(relation)
    }

    /// Some pairs of a term, with their literals.
    fn given(&mut self, id: TermId, pairs: Vec<Pair>, circuit: &mut Circuit<'_>) -> Defined {
        let (mut fixed, mut literal) = (Vec::new(), Vec::new());
        for pair in pairs {
            match self.relations.absolute(id, pair, circuit)? {
                Lit::TRUE => fixed.push(pair),
                Lit::FALSE => {}
                condition => literal.push((condition, pair)),
            }
        }
        let any = !fixed.is_empty() || !literal.is_empty();
        Ok(any.then(|| self.add(Definition::Given { fixed, literal })))
    }

    fn compound(&mut self, id: TermId, circuit: &mut Circuit<'_>) -> Defined {
        let exact = |of: &Self, id: TermId| of.relations.is_exact(id);
        Ok(match self.relations.terms.get(id).clone() {
            Term::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.define(part, circuit)?);
                }
                match all[..] {
                    [] => None,
                    [one] => Some(one),
                    _ => Some(self.add(Definition::Union(all))),
                }
            }
            Term::Intersection(a, b) if self.relations.is_direct(b) => {
                self.select(a, circuit, |relations, pair, circuit| relations.literal(b, pair, circuit))?
            }
            Term::Intersection(a, b) if self.relations.is_direct(a) => {
                self.select(b, circuit, |relations, pair, circuit| relations.literal(a, pair, circuit))?
            }
            Term::Intersection(a, b) => {
                let (a, b) = (self.define(a, circuit)?, self.define(b, circuit)?);
                a.zip(b).map(|(a, b)| self.add(Definition::Intersection(a, b)))
            }
            Term::Difference(a, b) if exact(self, b) => {
                self.select(a, circuit, |relations, pair, circuit| Ok(!relations.literal(b, pair, circuit)?))?
            }
            Term::Difference(..) => {
                return Err(Unsupported::new("`\\` with a recursive definition or a closure on its right"));
            }
            Term::Sequence(a, b) => self.sequence(a, b, circuit)?,
            Term::Inverse(a) => self.define(a, circuit)?.map(|a| self.add(Definition::Inverse(a))),
            Term::Closure(a) => self.define(a, circuit)?.map(|a| self.add(Definition::Closure(a))),
            Term::Domain(a) => self.define(a, circuit)?.map(|a| self.add(Definition::Domain(a))),
            Term::Range(a) => self.define(a, circuit)?.map(|a| self.add(Definition::Range(a))),
            Term::Product(a, b) => {
                let all = self.relations.terms.all();
                let step = self.relations.terms.sequence(all, b);
                let step = self.relations.terms.sequence(a, step);
                self.define(step, circuit)?
            }
            Term::FromRead => {
                let reads_from = self.relations.terms.relation("rf");
                let coherence = self.relations.terms.relation("co");
                let both = self.define(reads_from, circuit)?.zip(self.define(coherence, circuit)?);
                both.map(|(reads_from, coherence)| self.add(Definition::FromRead { reads_from, coherence }))
            }
            Term::Set(_) | Term::Relation(_) | Term::Empty | Term::All | Term::Variable(..) => None,
        })
    }

    /// The pairs of a term for which a condition holds, given that both events happen.
    fn select<'c>(
        &mut self,
        from: TermId,
        circuit: &mut Circuit<'c>,
        condition: impl Fn(&mut Relations<'a, 'e, 's>, Pair, &mut Circuit<'c>) -> Result<Lit, Unsupported>,
    ) -> Defined {
        self.relations.settle(from, circuit)?;
        let all: Vec<Pair> = self.relations.bounds(from).may.pairs().collect();
        let (mut fixed, mut literal) = (Vec::new(), Vec::new());
        for pair in &all {
            match condition(&mut self.relations, *pair, circuit)? {
                Lit::TRUE => fixed.push(*pair),
                Lit::FALSE => {}
                holds => literal.push((holds, *pair)),
            }
        }
        if fixed.is_empty() && literal.is_empty() {
            return Ok(None);
        }
        let Some(relation) = self.define(from, circuit)? else { return Ok(None) };
        if !literal.is_empty() {
            let selection = self.add(Definition::Given { fixed, literal });
            return Ok(Some(self.add(Definition::Intersection(relation, selection))));
        }
        if fixed.len() == all.len() {
            return Ok(Some(relation));
        }
        Ok(Some(self.add(Definition::Within(relation, Arc::new(fixed)))))
    }

    fn sequence(&mut self, a: TermId, b: TermId, circuit: &mut Circuit<'_>) -> Defined {
        let selects = |of: &Self, id: TermId| of.relations.terms.is_set(id) && of.relations.is_direct(id);
        if selects(self, a) {
            return self.select(b, circuit, |relations, (from, _), circuit| {
                relations.literal(a, (from, from), circuit)
            });
        }
        if selects(self, b) {
            return self
                .select(a, circuit, |relations, (_, to), circuit| relations.literal(b, (to, to), circuit));
        }
        let closed = |of: &Self, id: TermId| match of.relations.terms.get(id) {
            Term::Closure(step) if !of.relations.is_direct(id) => Some(*step),
            _ => None,
        };
        if let Some(step) = closed(self, a) {
            let (Some(step), Some(last)) = (self.define(step, circuit)?, self.define(b, circuit)?) else {
                return Ok(None);
            };
            let own = self.add(Definition::Union(vec![]));
            let first = self.add(Definition::Sequence(step, last));
            let further = self.add(Definition::Sequence(step, own));
            self.description.relations[own.0 as usize] = Definition::Union(vec![first, further]);
            return Ok(Some(own));
        }
        if let Some(step) = closed(self, b) {
            let (Some(start), Some(step)) = (self.define(a, circuit)?, self.define(step, circuit)?) else {
                return Ok(None);
            };
            let own = self.add(Definition::Union(vec![]));
            let first = self.add(Definition::Sequence(start, step));
            let further = self.add(Definition::Sequence(own, step));
            self.description.relations[own.0 as usize] = Definition::Union(vec![first, further]);
            return Ok(Some(own));
        }
        let Some(first) = self.operand(a, b, true, circuit)? else { return Ok(None) };
        let Some(second) = self.operand(b, a, false, circuit)? else { return Ok(None) };
        Ok(Some(self.add(Definition::Sequence(first, second))))
    }

    /// One side of a sequence. Of a static one, only the pairs that meet the other side.
    fn operand(&mut self, id: TermId, other: TermId, left: bool, circuit: &mut Circuit<'_>) -> Defined {
        let known = self.known.contains_key(&id);
        if known || !self.relations.terms.is_fixed(id) || !self.relations.is_direct(id) {
            return self.define(id, circuit);
        }
        let middle: Matrix = match left {
            true => self.relations.bounds(other).may.domain(),
            false => self.relations.bounds(other).may.range(),
        };
        let meets = |(from, to): &Pair| {
            let event = if left { *to } else { *from };
            middle.contains((event, event))
        };
        let pairs = self.relations.bounds(id).may.pairs().filter(meets).collect();
        self.given(id, pairs, circuit)
    }
}
