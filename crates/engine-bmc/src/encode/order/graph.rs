//! `acyclic r`: which edges the theory must see.
//!
//! The parts of a union are edges of one graph, and a closure has a cycle exactly if what it closes has
//! one. Static parts together are one relation S, of which the graph gets as little as keeps its paths:
//!
//! * **Fixed edges.** A pair that always holds when both its events happen may become an edge that is
//!   always there *even if its events do not happen*, provided that this adds no path: an event `e` is
//!   *transparent* if everything before it in S is in S before everything after it. Then a path of fixed
//!   edges through events that do not happen can be shortened, event by event, to one of S between events
//!   that do; edges of other kinds touch only events that happen. Program order is transparent, so are
//!   the preserved program orders of tso and pso, and so is what is ordered per location: for these an
//!   unrolled loop costs no literal at all. Of the fixed edges only the transitive reduction is kept.
//! * **Literal edges.** Other pairs of S hold where their condition holds and both events happen. A pair
//!   without a condition is left out if it leads through a third event that happens whenever one of the
//!   two does: that path has the same meaning, and is made of shorter pairs. What leads through few events
//!   (fences) gets nodes of its own instead (`middle`).

use wattle_engine::Unsupported;
use wattle_sat::{Definition, Graph, Lit, Pair};

use super::definitions::Definitions;
use crate::encode::circuit::Circuit;
use crate::encode::relations::{Matrix, Term, TermId};

impl Definitions<'_, '_, '_> {
    /// No cycle, where `under` holds.
    pub(crate) fn acyclic(
        &mut self,
        body: TermId,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<(), Unsupported> {
        if under != Lit::TRUE {
            if let Some(relation) = self.provided(body, under, circuit)? {
                let graph = Graph { relations: vec![relation], ..Graph::default() };
                self.description.graphs.push(graph);
            }
            return Ok(());
        }
        let (mut fixed, mut through, mut graph) = (Vec::new(), Vec::new(), Graph::default());
        for member in self.members(body) {
            self.relations.settle(member, circuit)?;
            let terms = &self.relations.terms;
            let [reads_from, coherence] = ["rf", "co"].map(|name| terms.known(name) == Some(member));
            let decided = self.relations.bounds(member).is_decided() && !reads_from && !coherence;
            self.coherent |= coherence;
            if decided {
                fixed.push(member);
            } else if terms.is_fixed(member) && self.relations.is_exact(member) {
                match self.halves(member, circuit)? {
                    Some(halves) => through.push(halves),
                    None => fixed.push(member),
                }
            } else {
                graph.relations.extend(self.define(member, circuit)?);
            }
        }
        self.rungs(body, &mut graph);
        let fixed = self.relations.terms.union(fixed);
        let fixed = self.static_edges(fixed, &mut graph, circuit)?;
        for halves in through {
            self.through(halves, &fixed, &mut graph, circuit)?;
        }
        let nodes = self.description.events as usize;
        if !Matrix::from_pairs(nodes, graph.fixed.iter().copied()).is_acyclic() {
            circuit.clause(&[]);
            return Ok(());
        }
        self.detach_later_rounds(&mut graph, circuit);
        self.description.graphs.push(graph);
        Ok(())
    }

    /// Where reads-from, coherence and from-read are edges, so is how far along the writes a read is: a
    /// write that it has got to leads to it by coherence and reads-from, and it leads to the others by
    /// from-read.
    fn rungs(&mut self, body: TermId, graph: &mut Graph) {
        let members = self.members(body);
        let terms = &self.relations.terms;
        let has = |wanted: Option<TermId>| wanted.is_some_and(|wanted| members.contains(&wanted));
        if !has(terms.known("co")) || !members.iter().any(|id| *terms.get(*id) == Term::FromRead) {
            return;
        }
        let Some(reads_from) = terms.known("rf") else { return };
        // A member that has a pair whenever rf has it.
        let carries = |pair: Pair| {
            members.iter().any(|member| match terms.get(*member) {
                _ if *member == reads_from => true,
                Term::Intersection(of, part) | Term::Intersection(part, of) if *of == reads_from => {
                    terms.is_fixed(*part) && self.relations.bounds(*part).must.contains(pair)
                }
                Term::Difference(of, part) if *of == reads_from => {
                    terms.is_fixed(*part) && !self.relations.bounds(*part).may.contains(pair)
                }
                _ => false,
            })
        };
        for ladder in &self.relations.encoding.ladders {
            let writes = ladder.rungs.iter().map(|(_, write)| *write).chain([ladder.first]);
            if writes.into_iter().all(|write| carries((write, ladder.read))) {
                for (literal, write) in &ladder.rungs {
                    graph.literal.push((*literal, (*write, ladder.read)));
                    graph.literal.push((!*literal, (ladder.read, *write)));
                }
            }
        }
    }

    /// The encoding makes `co` total where it is wanted, and leaves to us that it is an order.
    pub(crate) fn coherence_is_an_order(&mut self, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
        let coherence = self.relations.terms.relation("co");
        match self.coherent {
            true => Ok(()),
            false => self.acyclic(coherence, Lit::TRUE, circuit),
        }
    }

    /// Leaves out graphs that are part of another one, and those in which nothing can change: without
    /// fences, the axioms of propagation ask for no more than that `co` is an order.
    pub(crate) fn drop_implied_graphs(&mut self) {
        let part_of = |one: &Graph, other: &Graph| {
            one.relations.iter().all(|relation| other.relations.contains(relation))
                && one.fixed.iter().all(|pair| other.fixed.contains(pair))
                && one.literal.iter().all(|edge| other.literal.contains(edge))
        };
        let small = |graph: &Graph| graph.fixed.len() + graph.literal.len() <= 16;
        let mut kept: Vec<Graph> = Vec::new();
        for graph in std::mem::take(&mut self.description.graphs) {
            let idle = graph.relations.is_empty() && graph.literal.is_empty();
            if idle || (small(&graph) && kept.iter().any(|other| part_of(&graph, other))) {
                continue;
            }
            kept.retain(|other| !small(other) || !part_of(other, &graph));
            kept.push(graph);
        }
        self.description.graphs = kept;
    }

    /// The relation of a term, where a literal holds.
    pub(crate) fn provided(
        &mut self,
        body: TermId,
        under: Lit,
        circuit: &mut Circuit<'_>,
    ) -> Result<Option<wattle_sat::RelationId>, Unsupported> {
        let Some(relation) = self.define(body, circuit)? else { return Ok(None) };
        if under == Lit::TRUE {
            return Ok(Some(relation));
        }
        let literal = self.relations.bounds(body).may.pairs().map(|pair| (under, pair)).collect();
        let where_wanted = self.add(Definition::Given { fixed: vec![], literal });
        Ok(Some(self.add(Definition::Intersection(relation, where_wanted))))
    }

    /// The parts whose cycles together are those of the body.
    fn members(&self, body: TermId) -> Vec<TermId> {
        let mut open = vec![body];
        let mut members = Vec::new();
        while let Some(id) = open.pop() {
            match self.relations.terms.get(id) {
                Term::Union(parts) => open.extend(parts),
                Term::Closure(inner) => open.push(*inner),
                Term::Empty => {}
                _ => members.push(id),
            }
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The pairs that always hold, which are now paths of the graph.
    fn static_edges(
        &mut self,
        id: TermId,
        graph: &mut Graph,
        circuit: &mut Circuit<'_>,
    ) -> Result<Matrix, Unsupported> {
        self.relations.settle(id, circuit)?;
        let (must, may) = {
            let bounds = self.relations.bounds(id);
            (bounds.must.clone(), bounds.may.clone())
        };
        for event in may.diagonal() {
            let holds = self.relations.absolute(id, (event, event), circuit)?;
            circuit.clause(&[!holds]);
        }
        let itself = Matrix::identity(must.size());
        let must = must.difference(&itself);
        let mut through = self.see_through(&must);
        self.relations.guards.pulse.go_on()?;
        let mut fixed = between(&must, &through);
        let mut closed = fixed.closure(&self.relations.guards.pulse);
        if closed.diagonal().next().is_some() {
            // A cycle of events that may all be missing says nothing.
            let sure = |event: u32| self.relations.guards.is_sure(event);
            through = (0..must.size() as u32).map(sure).collect();
            fixed = between(&must, &through);
            closed = fixed.closure(&self.relations.guards.pulse);
            if closed.diagonal().next().is_some() {
                circuit.clause(&[]);
                return Ok(must);
            }
        }
        let reduced = fixed.difference(&fixed.then(&closed, &self.relations.guards.pulse));
        graph.fixed.extend(reduced.pairs());
        // Shorter pairs make longer ones superfluous only where there is no way back.
        let longer = match must.is_acyclic() {
            true => self.relations.guards.then(&must, &must),
            false => Matrix::empty(must.size()),
        };
        let mut rest: Vec<Pair> = must.difference(&fixed).difference(&longer).pairs().collect();
        rest.extend(may.difference(&must).difference(&itself).pairs());
        for pair in rest {
            match self.relations.absolute(id, pair, circuit)? {
                Lit::FALSE => {}
                Lit::TRUE => graph.fixed.push(pair),
                literal => graph.literal.push((literal, pair)),
            }
        }
        Ok(must)
    }

    /// For each event: does it always happen, or does everything before it come before everything after
    /// it anyway?
    fn see_through(&self, must: &Matrix) -> Vec<bool> {
        let before = must.inverse();
        let pulse = &self.relations.guards.pulse;
        let words = must.size() / 64 + 1;
        let transparent = |event: u32| {
            let mut earlier = before.successors(event);
            earlier.all(|first| !pulse.beat(words) && must.row_within(event, must, first))
        };
        (0..must.size() as u32)
            .map(|event| self.relations.guards.is_sure(event) || transparent(event))
            .collect()
    }
}

/// The pairs of which both events are wanted.
fn between(relation: &Matrix, wanted: &[bool]) -> Matrix {
    let has = |event: u32| wanted[event as usize];
    Matrix::from_pairs(relation.size(), relation.pairs().filter(|(from, to)| has(*from) && has(*to)))
}
