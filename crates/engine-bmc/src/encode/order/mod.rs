//! `order`: any .cat model as relations for the theory of orders.
//!
//! The paper (Alglave, Kroening and Tautschnig 2013) turns the axioms of its models into clauses over
//! clocks. Here the axioms stay what they are. The solver decides which write each read takes its value
//! from (`rf`) and in which order writes reach memory (`co`); a theory inside its loop derives the rest of
//! the model from those, as a deductive database would, and answers with a conflict as soon as an axiom
//! is broken. There are no clocks, no literals for `fr`, and no clauses for transitivity.
//!
//! What is done before the solver starts, for each axiom of the model's typed core:
//!
//! * **Static parts** are computed here (`relations`): what the program alone decides becomes pairs with
//!   relative conditions, mostly none. A part with no pair that may hold is dropped, with all that depends
//!   on it.
//! * **Dynamic, monotone parts** become definitions (`definitions`): the theory derives their pairs with
//!   reasons. Recursion and closures are native.
//! * **Tests.** `acyclic` makes a graph (`graph`). `empty` and `irreflexive` make tests, or clauses where the
//!   literals of pairs can be made; `irreflexive a ; b` is `empty a & b^-1`, which joins nothing.
//! * **Differences.** The theory only adds pairs, so it cannot be left to derive the right side of `\`, whose
//!   pairs take pairs away. If the literals of that side can be made exactly (`relations::literal` says when
//!   and why), a pair gets the literal's negation; otherwise the model is refused, with the axiom's name.
//! * **Marks** (`flag`, `undefined_unless`) and negated axioms ask for an execution that has a pair or a
//!   cycle (`present`).
//!
//! *Soundness.* Definitions are exactly the operators' meanings over the events that happen: literals of
//! given pairs are absolute, so no derived pair has an event that does not. *Completeness* of the theory's
//! answer needs all of `rf` and `co` decided; the encoding makes `co` total and gives each read a write.
//! *Cost.* Matrices of n² bits for each part of the model; the theory pays for derived pairs only.

mod definitions;
mod graph;
mod later;
mod middle;
mod present;
#[cfg(test)]
mod tests;
pub(crate) mod thin_air;

use std::collections::BTreeSet;

use wattle_engine::Unsupported;
use wattle_memory::MemoryModel;
use wattle_memory::cat::{self, Axiom, Core, Role};
use wattle_sat::{Lit, Test};

use crate::encode::circuit::Circuit;
use crate::encode::encoding::{Constraint, Encoding};
use crate::encode::formulation::{Constrained, Formulation, Mark};
use crate::encode::relations::{Relations, Term, TermId, Terms};
use definitions::Definitions;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Order;

impl Formulation for Order {
    fn accepts(&self, memory: &MemoryModel) -> Result<(), Unsupported> {
        core(memory).map(|_| ())
    }

    fn constrain(
        &self,
        encoding: &Encoding<'_, '_>,
        circuit: &mut Circuit<'_>,
        memory: &MemoryModel,
    ) -> Result<Constrained, Unsupported> {
        let core = core(memory)?;
        let plain;
        let core = match encoding.structure.has_sections() {
            true => core,
            false => {
                plain = core.without("section");
                &plain
            }
        };
        let before = std::mem::replace(&mut circuit.kind, Constraint::ProgramOrder);
        let constrained = axioms(core, encoding, circuit);
        circuit.kind = before;
        circuit.accepted()?;
        constrained
    }
}

fn core(memory: &MemoryModel) -> Result<&Core, Unsupported> {
    let Some(axioms) = &memory.axioms else {
        return Err(Unsupported::new(format!("{} has no axioms", memory.name)));
    };
    if axioms.core.groups.iter().any(|group| !group.monotone) {
        return Err(Unsupported::new("a recursive definition that is not monotone"));
    }
    Ok(&axioms.core)
}

fn axioms(
    core: &Core,
    encoding: &Encoding<'_, '_>,
    circuit: &mut Circuit<'_>,
) -> Result<Constrained, Unsupported> {
    let (terms, of) = Terms::new(core);
    let body = |axiom: &Axiom| of[axiom.body.0 as usize];
    let acyclic = required_acyclic(core, &terms, &of);
    let mut definitions = Definitions::new(Relations::new(encoding, terms, acyclic, circuit.pulse.clone()));
    let mut marks = Vec::new();
    for axiom in &core.axioms {
        let named = |error: Unsupported| Unsupported {
            what: format!("the axiom `{}`: {}", axiom.name, error.what),
            span: error.span,
        };
        let body = body(axiom);
        let raised = match axiom.role {
            Role::Require => Lit::TRUE,
            Role::Flag | Role::UndefinedUnless => circuit.fresh(),
        };
        // Does the test hold where `raised` does?
        let holds = (axiom.role == Role::UndefinedUnless) == axiom.negated;
        match holds {
            true => definitions.hold(axiom.test, body, raised, circuit),
            false => definitions.fail(axiom.test, body, raised, circuit),
        }
        .map_err(named)?;
        if axiom.role != Role::Require {
            marks.push(Mark { axiom: axiom.name.clone(), role: axiom.role, raised });
        }
    }
    definitions.coherence_is_an_order(circuit)?;
    definitions.drop_implied_graphs();
    Ok(Constrained { description: definitions.description, marks })
}

impl Definitions<'_, '_, '_> {
    /// The test holds, where `under` does.
    fn hold(
        &mut self,
        test: cat::Test,
        body: TermId,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        match test {
            cat::Test::Acyclic => self.acyclic(body, under, circuit),
            cat::Test::Irreflexive => self.irreflexive(body, under, circuit),
            cat::Test::Empty => self.empty(body, under, circuit),
        }
    }

    fn irreflexive(
        &mut self,
        body: TermId,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        self.relations.settle(body, circuit)?;
        if self.relations.bounds(body).may.diagonal().next().is_none() {
            return Ok(());
        }
        if self.relations.is_direct(body) {
            return self.never(body, true, under, circuit);
        }
        match self.relations.terms.get(body).clone() {
            Term::Union(parts) => {
                parts.into_iter().try_for_each(|part| self.irreflexive(part, under, circuit))
            }
            Term::Closure(step) => self.acyclic(step, under, circuit),
            Term::Sequence(a, b) => {
                let back = self.relations.terms.inverse(b);
                let both = self.relations.terms.intersection(a, back);
                self.empty(both, under, circuit)
            }
            _ => {
                if let Some(relation) = self.provided(body, under, circuit)? {
                    self.test(Test::Irreflexive, relation);
                }
                Ok(())
            }
        }
    }

    fn empty(&mut self, body: TermId, under: Lit, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
        self.relations.settle(body, circuit)?;
        if self.relations.bounds(body).is_empty() {
            return Ok(());
        }
        if self.relations.is_direct(body) {
            return self.never(body, false, under, circuit);
        }
        if let Term::Union(parts) = self.relations.terms.get(body).clone() {
            return parts.into_iter().try_for_each(|part| self.empty(part, under, circuit));
        }
        if let Some(relation) = self.provided(body, under, circuit)? {
            self.test(Test::Empty, relation);
        }
        Ok(())
    }

    /// No pair (or no pair of an event with itself), by clauses.
    fn never(
        &mut self,
        body: TermId,
        itself: bool,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        let may = self.relations.bounds(body).may.clone();
        for pair in may.pairs().filter(|(from, to)| !itself || from == to) {
            let holds = self.relations.absolute(body, pair, circuit)?;
            circuit.clause(&[!under, !holds]);
        }
        Ok(())
    }
}

/// The terms that have no cycle in any execution that the model allows: those that an axiom against
/// cycles surely contains.
fn required_acyclic(core: &Core, terms: &Terms, of: &[TermId]) -> BTreeSet<TermId> {
    let mut acyclic = BTreeSet::new();
    let plain = |axiom: &&Axiom| axiom.role == Role::Require && !axiom.negated;
    for axiom in core.axioms.iter().filter(plain) {
        let body = of[axiom.body.0 as usize];
        match axiom.test {
            cat::Test::Acyclic => contained(terms, body, &mut |part| {
                acyclic.insert(part);
            }),
            // Only closures: what is closed has no cycle if no event comes back to itself.
            cat::Test::Irreflexive => contained(terms, body, &mut |part| {
                if let Term::Closure(step) = terms.get(part) {
                    acyclic.insert(*step);
                }
            }),
            cat::Test::Empty => {}
        }
    }
    acyclic
}

/// Terms that a term contains in every execution, itself among them.
fn contained(terms: &Terms, id: TermId, see: &mut dyn FnMut(TermId)) {
    see(id);
    match terms.get(id) {
        Term::Union(parts) => parts.iter().for_each(|part| contained(terms, *part, see)),
        Term::Closure(inner) => contained(terms, *inner, see),
        _ => {}
    }
}
