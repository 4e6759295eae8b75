//! The literal of a pair: does this term relate these two events, given that both happen?
//!
//! Bounds answer most questions with a constant. For the others a literal is made from those of the
//! operands, and remembered. This works for static terms and for dynamic ones (the literals of `rf` and
//! `co` are exact), and is wanted where a term is used negatively: `r \ s` shrinks when `s`
//! grows, so the solver's theory, which only ever adds pairs, cannot be left to find `s`.
//!
//! **Closures.** `t = r+` is made as `t(a,c) <=> r(a,c) or some b: r(a,b) and t(b,c)`. Where the pairs that
//! may be in `r` have no cycle, this is a definition from the end backwards. Where they have one, the
//! equivalences are not a definition (a cycle of pairs of `t` may support itself), *unless some axiom
//! forbids cycles of `r`*: then every execution that satisfies all clauses has an acyclic `r`, along
//! which the support of a pair is well founded, so `t` is `r+` there, by induction from the last events
//! backwards. Otherwise, and for fixpoints, the answer is that this is not supported.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use wattle_engine::Unsupported;
use wattle_program::symbolic::Table;
use wattle_sat::{Lit, Pair};

use super::base::{self, Base};
use super::{Bounds, Guards, Matrix, Term, TermId, Terms};
use crate::encode::circuit::Circuit;
use crate::encode::encoding::Encoding;
use crate::pulse::Pulse;

/// What finding a literal costs, in steps of the pulse.
const STEPS_A_LITERAL: usize = 100;

/// The terms of a model over one structure.
pub(crate) struct Relations<'a, 'e, 's> {
    pub encoding: &'a Encoding<'e, 's>,
    pub terms: Terms,
    pub guards: Guards,
    bounds: Vec<Option<Bounds>>,
    bases: BTreeMap<TermId, Base>,
    literals: Table<(TermId, u32, u32), Lit>,
    /// Terms that have no cycle in any execution that the model allows.
    acyclic: BTreeSet<TermId>,
}

impl<'a, 'e, 's> Relations<'a, 'e, 's> {
    pub(crate) fn new(
        encoding: &'a Encoding<'e, 's>,
        terms: Terms,
        acyclic: BTreeSet<TermId>,
        pulse: Rc<Pulse>,
    ) -> Self {
        let guards = Guards::new(encoding, pulse);
        let (bounds, bases, literals) = (Vec::new(), BTreeMap::new(), Table::default());
        Relations { encoding, terms, guards, bounds, bases, literals, acyclic }
    }

    fn size(&self) -> usize {
        self.encoding.structure.events.len()
    }

    /// Computes the bounds of a term and of all that it is made of.
    pub(crate) fn settle(&mut self, id: TermId, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
        self.bounds.resize(self.terms.len(), None);
        if self.bounds[id.0 as usize].is_some() {
            return Ok(());
        }
        if let Term::Variable(group, _) = *self.terms.get(id) {
            return self.settle_group(group, circuit);
        }
        for operand in self.terms.get(id).operands() {
            self.settle(operand, circuit)?;
        }
        if *self.terms.get(id) == Term::FromRead {
            let (reads_from, coherence) = (self.terms.relation("rf"), self.terms.relation("co"));
            self.settle(reads_from, circuit)?;
            self.settle(coherence, circuit)?;
        }
        let bounds = self.compute(id, circuit)?;
        self.bounds[id.0 as usize] = Some(bounds);
        Ok(())
    }

    /// Rounds from nothing until nothing changes.
    fn settle_group(&mut self, group: u32, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
        let bodies = self.terms.groups[group as usize].clone();
        let variables: Vec<TermId> =
            (0..bodies.len() as u32).map(|number| self.terms.variable(group, number)).collect();
        let inner = self.terms.around(&bodies, &variables);
        self.bounds.resize(self.terms.len(), None);
        for id in &inner {
            for operand in self.terms.get(*id).operands() {
                if inner.binary_search(&operand).is_err() && !variables.contains(&operand) {
                    self.settle(operand, circuit)?;
                }
            }
        }
        for body in &bodies {
            if inner.binary_search(body).is_err() && !variables.contains(body) {
                self.settle(*body, circuit)?;
            }
        }
        for variable in &variables {
            self.bounds[variable.0 as usize] = Some(Bounds::exactly(Matrix::empty(self.size())));
        }
        loop {
            for id in &inner {
                let bounds = self.compute(*id, circuit)?;
                self.bounds[id.0 as usize] = Some(bounds);
            }
            let mut changed = false;
            for (variable, body) in variables.iter().zip(&bodies) {
                let new = self.bounds(*body).clone();
                let old = self.bounds(*variable);
                changed |= old.may != new.may || old.must != new.must;
                self.bounds[variable.0 as usize] = Some(new);
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn compute(&mut self, id: TermId, circuit: &mut Circuit<'_>) -> Result<Bounds, Unsupported> {
        let size = self.size();
        let guards = &self.guards;
        guards.pulse.beat(size * size / 8);
        guards.pulse.go_on()?;
        let of = |id: &TermId| self.bounds(*id);
        Ok(match self.terms.get(id) {
            Term::Set(name) if &**name == "FW" => {
                let writes = base::set(self.encoding, "W");
                let mut last = writes.clone();
                for (literal, (from, _)) in &self.encoding.coherence {
                    if *literal != Lit::FALSE {
                        last.remove((*from, *from));
                    }
                }
                Bounds::new(last, writes)
            }
            Term::Set(name) => Bounds::exactly(base::set(self.encoding, name)),
            Term::Relation(name) => {
                let base = base::relation(self.encoding, circuit, name)?;
                let bounds = Bounds::new(base.must.clone(), base.may());
                self.bases.insert(id, base);
                bounds
            }
            Term::Empty => Bounds::exactly(Matrix::empty(size)),
            Term::All => Bounds::exactly(Matrix::full(size)),
            Term::Union(parts) => Bounds::union(size, &parts.iter().map(of).collect::<Vec<_>>()),
            Term::Intersection(a, b) => of(a).intersection(of(b)),
            Term::Difference(a, b) => of(a).difference(of(b)),
            Term::Sequence(a, b) => of(a).sequence(of(b), guards),
            Term::Inverse(a) => of(a).inverse(),
            Term::Closure(a) => of(a).closure(guards),
            Term::Product(a, b) => of(a).product(of(b)),
            Term::Domain(a) => of(a).domain(guards),
            Term::Range(a) => of(a).range(guards),
            Term::FromRead => {
                let (reads_from, coherence) = (self.terms.known("rf"), self.terms.known("co"));
                let all = match (reads_from, coherence) {
                    (Some(reads_from), Some(coherence)) => {
                        of(&reads_from).inverse().sequence(of(&coherence), guards)
                    }
                    _ => Bounds::exactly(Matrix::empty(size)),
                };
                all.difference(&Bounds::exactly(Matrix::identity(size)))
            }
            // Settled with its group.
            Term::Variable(..) => Bounds::exactly(Matrix::empty(size)),
        })
    }

    /// Of a term that has been settled.
    pub(crate) fn bounds(&self, id: TermId) -> &Bounds {
        match self.bounds.get(id.0 as usize) {
            Some(Some(bounds)) => bounds,
            _ => unreachable!("{:?} has not been settled", self.terms.get(id)),
        }
    }

    /// Does it hold only where both its events happen, whatever they are?
    pub(crate) fn is_absolute(&self, id: TermId) -> bool {
        let of = |id: &TermId| self.is_absolute(*id);
        let set = |id: &TermId| self.terms.is_set(*id);
        match self.terms.get(id) {
            Term::Relation(name) => matches!(&**name, "rf" | "co"),
            Term::FromRead | Term::Empty => true,
            Term::Union(parts) => parts.iter().all(of),
            Term::Intersection(a, b) => of(a) || of(b),
            Term::Sequence(a, b) => (of(a) && of(b)) || (set(a) && of(b)) || (of(a) && set(b)),
            Term::Product(a, b) => of(a) && of(b),
            Term::Difference(a, _)
            | Term::Inverse(a)
            | Term::Closure(a)
            | Term::Domain(a)
            | Term::Range(a) => of(a),
            Term::Set(_) | Term::All | Term::Variable(..) => false,
        }
    }

    /// Can its literals be made, so that they say exactly when a pair holds?
    pub(crate) fn is_exact(&self, id: TermId) -> bool {
        if self.bounds(id).is_decided() {
            return true;
        }
        match self.terms.get(id) {
            Term::Variable(..) => false,
            Term::Closure(a) => {
                self.is_exact(*a) && (self.acyclic.contains(a) || self.bounds(*a).may.is_acyclic())
            }
            other => other.operands().iter().all(|operand| self.is_exact(*operand)),
        }
    }

    /// Are its literals at most a few gates over those of its leaves?
    pub(crate) fn is_direct(&self, id: TermId) -> bool {
        if self.bounds(id).is_decided() {
            return true;
        }
        let set = |id: &TermId| self.terms.is_set(*id);
        match self.terms.get(id) {
            Term::Variable(..) | Term::FromRead => false,
            Term::Difference(a, b) => self.is_direct(*a) && self.is_exact(*b),
            _ if self.terms.is_fixed(id) => self.is_exact(id),
            Term::Closure(_) | Term::Domain(_) | Term::Range(_) => false,
            Term::Sequence(a, b) => (set(a) || set(b)) && self.is_direct(*a) && self.is_direct(*b),
            other => other.operands().iter().all(|operand| self.is_direct(*operand)),
        }
    }

    /// The condition of a pair, given that both events happen.
    pub(crate) fn literal(
        &mut self,
        id: TermId,
        pair: Pair,
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        let bounds = self.bounds(id);
        if !bounds.may.contains(pair) {
            return Ok(Lit::FALSE);
        }
        if bounds.must.contains(pair) {
            return Ok(Lit::TRUE);
        }
        let (from, to) = pair;
        if let Some(literal) = self.literals.get(&(id, from, to)) {
            return Ok(*literal);
        }
        self.guards.pulse.beat(STEPS_A_LITERAL);
        self.guards.pulse.go_on()?;
        let literal = match self.terms.get(id).clone() {
            Term::Set(_) => {
                let later = self.encoding.coherence.iter().filter(|(_, (write, _))| *write == from);
                let later: Vec<Lit> = later.map(|(literal, _)| !*literal).collect();
                circuit.all(&later)
            }
            Term::Relation(_) => match self.bases.get(&id).and_then(|base| base.when.get(&pair)) {
                Some(literal) => *literal,
                None => self.encoding.same_address(circuit, from.min(to), from.max(to)),
            },
            Term::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.literal(part, pair, circuit)?);
                }
                circuit.any(&all)
            }
            Term::Intersection(a, b) => {
                let a = self.literal(a, pair, circuit)?;
                let b = self.literal(b, pair, circuit)?;
                circuit.and(a, b)
            }
            Term::Difference(a, b) => {
                let a = self.literal(a, pair, circuit)?;
                let b = self.literal(b, pair, circuit)?;
                circuit.and(a, !b)
            }
            Term::Sequence(a, b) => self.through(a, b, pair, circuit)?,
            Term::Inverse(a) => self.literal(a, (to, from), circuit)?,
            Term::Closure(a) => return self.closure(id, a, pair, circuit),
            Term::Product(a, b) => {
                let a = self.literal(a, (from, from), circuit)?;
                let b = self.literal(b, (to, to), circuit)?;
                circuit.and(a, b)
            }
            Term::Domain(a) => {
                let others: Vec<u32> = self.bounds(a).may.successors(from).collect();
                let pairs: Vec<_> = others.into_iter().map(|other| (other, (from, other))).collect();
                self.some(a, from, &pairs, circuit)?
            }
            Term::Range(a) => {
                let pairs = (0..self.size() as u32).map(|other| (other, (other, to)));
                let pairs: Vec<_> = pairs.filter(|(_, pair)| self.bounds(a).may.contains(*pair)).collect();
                self.some(a, to, &pairs, circuit)?
            }
            Term::FromRead => {
                let (reads_from, coherence) = (self.terms.relation("rf"), self.terms.relation("co"));
                let reads = self.terms.inverse(reads_from);
                self.settle(reads, circuit)?;
                self.through(reads, coherence, pair, circuit)?
            }
            Term::Empty | Term::All | Term::Variable(..) => {
                return Err(Unsupported::new("a recursive definition whose exact value is needed"));
            }
        };
        self.literals.insert((id, from, to), literal);
        Ok(literal)
    }

    /// One of these pairs of `end` and another event holds, given that `end` happens.
    fn some(
        &mut self,
        id: TermId,
        end: u32,
        pairs: &[(u32, Pair)],
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        let absolute = self.is_absolute(id);
        let mut all = Vec::new();
        for (other, pair) in pairs {
            let literal = self.literal(id, *pair, circuit)?;
            all.push(self.given(absolute, literal, end, *other, circuit));
        }
        Ok(circuit.any(&all))
    }

    /// `literal`, and the third event happens; given that `end` does.
    fn given(&self, absolute: bool, literal: Lit, end: u32, third: u32, circuit: &mut Circuit<'_>) -> Lit {
        if absolute || self.guards.needs(end, third) {
            return literal;
        }
        circuit.and(literal, self.encoding.happens(third))
    }

    fn through(
        &mut self,
        a: TermId,
        b: TermId,
        (from, to): Pair,
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        let (first, second) = (self.bounds(a).may.clone(), self.bounds(b).may.clone());
        let middles: Vec<u32> =
            first.successors(from).filter(|middle| second.contains((*middle, to))).collect();
        let absolute =
            (self.is_absolute(a) && !self.terms.is_set(a)) || (self.is_absolute(b) && !self.terms.is_set(b));
        let mut all = Vec::new();
        for middle in middles {
            let one = self.literal(a, (from, middle), circuit)?;
            let other = self.literal(b, (middle, to), circuit)?;
            let both = circuit.and(one, other);
            let absolute = absolute || self.guards.needs(from, middle);
            all.push(self.given(absolute, both, to, middle, circuit));
        }
        Ok(circuit.any(&all))
    }

    fn closure(
        &mut self,
        id: TermId,
        step: TermId,
        (from, to): Pair,
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        let (one, more) = (self.bounds(step).may.clone(), self.bounds(id).clone());
        let ordered = one.topological();
        if ordered.is_none() && !self.acyclic.contains(&step) {
            return Err(Unsupported::new("a transitive closure whose exact value is needed"));
        }
        let is_open = |event: &u32, known: &Table<(TermId, u32, u32), Lit>| {
            (*event == from || more.may.contains((from, *event)))
                && more.may.contains((*event, to))
                && !more.must.contains((*event, to))
                && !known.contains_key(&(id, *event, to))
        };
        let recursive = ordered.is_none();
        let order = ordered.unwrap_or_else(|| (0..self.size() as u32).collect());
        let open: Vec<u32> = order.into_iter().rev().filter(|event| is_open(event, &self.literals)).collect();
        if recursive {
            for event in &open {
                let fresh = circuit.fresh();
                self.literals.insert((id, *event, to), fresh);
            }
        }
        let absolute = self.is_absolute(step);
        for event in open {
            let mut all = vec![self.literal(step, (event, to), circuit)?];
            let next: Vec<u32> =
                one.successors(event).filter(|next| more.may.contains((*next, to))).collect();
            for next in next {
                let first = self.literal(step, (event, next), circuit)?;
                let rest = match more.must.contains((next, to)) {
                    true => Lit::TRUE,
                    false => self.literals.get(&(id, next, to)).copied().unwrap_or(Lit::FALSE),
                };
                let both = circuit.and(first, rest);
                let absolute = absolute || self.guards.needs(event, next);
                all.push(self.given(absolute, both, to, next, circuit));
            }
            let value = circuit.any(&all);
            match self.literals.get(&(id, event, to)) {
                Some(fresh) if recursive => {
                    circuit.clause(&[!*fresh, value]);
                    circuit.clause(&[*fresh, !value]);
                }
                _ => {
                    self.literals.insert((id, event, to), value);
                }
            }
        }
        Ok(self.literals.get(&(id, from, to)).copied().unwrap_or(Lit::FALSE))
    }

    /// Both happen.
    pub(crate) fn both(&self, (one, other): Pair, circuit: &mut Circuit<'_>) -> Lit {
        let happens = |event: u32| self.encoding.happens(event);
        if self.guards.needs(one, other) {
            return happens(one);
        }
        if self.guards.needs(other, one) {
            return happens(other);
        }
        circuit.and(happens(one), happens(other))
    }

    /// The pair holds, and both its events happen.
    pub(crate) fn absolute(
        &mut self,
        id: TermId,
        pair: Pair,
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        let literal = self.literal(id, pair, circuit)?;
        if self.is_absolute(id) && !self.bounds(id).must.contains(pair) {
            return Ok(literal);
        }
        let both = self.both(pair, circuit);
        Ok(circuit.and(literal, both))
    }
}
