//! Asking for an execution in which a test fails: marks and negated axioms.
//!
//! That a relation has a pair, or a cycle, is a claim that the solver must back: some pair is chosen and
//! its literal says why it holds. A cycle is a set of events each of which leads to another one of the
//! set: that some such set is not empty says exactly that there is a cycle, with one clause an event.
//!
//! The pairs of `a \ b` need that `b` does *not* hold, and here growth is harmless: a free literal for each
//! pair claims that it is not in `b`, and the theory, which derives `b`, refutes the claim if it is false
//! (`empty b & claims`). So C11's data races, `conflict \ (hb | hb^-1)`, ask for no literal of `hb`.

use std::collections::BTreeMap;

use wattle_engine::Unsupported;
use wattle_memory::cat;
use wattle_sat::{Definition, Lit, Pair, Test};

use super::definitions::Definitions;
use crate::encode::circuit::Circuit;
use crate::encode::relations::{Term, TermId};

/// For each term, the pairs that were claimed not to be in it, with the literals that claim it.
type Claims = BTreeMap<TermId, BTreeMap<Pair, Lit>>;

impl Definitions<'_, '_, '_> {
    /// The test fails, where `under` holds.
    pub(crate) fn fail(
        &mut self,
        test: cat::Test,
        body: TermId,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        let mut claims = Claims::new();
        let (mut body, mut test) = (body, test);
        while let (Term::Closure(inner), cat::Test::Acyclic | cat::Test::Irreflexive) =
            (self.relations.terms.get(body), test)
        {
            (body, test) = (*inner, cat::Test::Acyclic);
        }
        self.relations.settle(body, circuit)?;
        let may = self.relations.bounds(body).may.clone();
        let mut present: Vec<(Pair, Lit)> = Vec::new();
        for pair in may.pairs() {
            if test == cat::Test::Irreflexive && pair.0 != pair.1 {
                continue;
            }
            let holds = self.present(body, pair, under, &mut claims, circuit)?;
            let both = self.relations.both(pair, circuit);
            present.push((pair, circuit.and(holds, both)));
        }
        let mut some = vec![!under];
        if test == cat::Test::Acyclic {
            let events = may.size() as u32;
            let chosen: Vec<Lit> = (0..events).map(|_| circuit.fresh()).collect();
            let mut next: Vec<Vec<Lit>> = chosen.iter().map(|on| vec![!*on]).collect();
            for ((from, to), holds) in present {
                next[from as usize].push(circuit.and(holds, chosen[to as usize]));
            }
            next.iter().for_each(|clause| circuit.clause(clause));
            some.extend(chosen);
        } else {
            some.extend(present.into_iter().map(|(_, holds)| holds));
        }
        circuit.clause(&some);
        for (id, claimed) in claims {
            let Some(relation) = self.define(id, circuit)? else { continue };
            let literal = claimed.into_iter().map(|(pair, claim)| (claim, pair)).collect();
            let claimed = self.add(Definition::Given { fixed: vec![], literal });
            let refuted = self.add(Definition::Intersection(relation, claimed));
            self.test(Test::Empty, refuted);
        }
        Ok(())
    }

    /// If this holds, so does the pair, given that both events happen.
    fn present(
        &mut self,
        id: TermId,
        pair: Pair,
        under: Lit,
        claims: &mut Claims,
        circuit: &mut Circuit<'_>,
    ) -> Result<Lit, Unsupported> {
        match self.relations.terms.get(id).clone() {
            Term::Union(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.present(part, pair, under, claims, circuit)?);
                }
                Ok(circuit.any(&all))
            }
            Term::Intersection(a, b) => {
                let a = self.present(a, pair, under, claims, circuit)?;
                let b = self.present(b, pair, under, claims, circuit)?;
                Ok(circuit.and(a, b))
            }
            Term::Difference(a, b) if !self.relations.is_direct(b) => {
                let a = self.present(a, pair, under, claims, circuit)?;
                let absent = match self.relations.bounds(b) {
                    bounds if !bounds.may.contains(pair) => Lit::TRUE,
                    bounds if bounds.must.contains(pair) => Lit::FALSE,
                    _ => match claims.entry(b).or_default().get(&pair) {
                        Some(claim) => *claim,
                        None => {
                            let claim = circuit.fresh();
                            // Nobody claims anything where nothing is asked.
                            circuit.clause(&[!claim, under]);
                            claims.entry(b).or_default().insert(pair, claim);
                            claim
                        }
                    },
                };
                Ok(circuit.and(a, absent))
            }
            Term::Difference(a, b) => {
                let a = self.present(a, pair, under, claims, circuit)?;
                let b = self.relations.literal(b, pair, circuit)?;
                Ok(circuit.and(a, !b))
            }
            _ => self.relations.literal(id, pair, circuit),
        }
    }
}
