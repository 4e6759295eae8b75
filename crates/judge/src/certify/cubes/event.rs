//! The event of a step: what it reads and writes for certain, and so the order with the step in it.

use std::collections::BTreeSet;

use wattle_engine::Reason;
use wattle_engine::certificate::cubes::{Cell, Instant};
use wattle_logic::{Kind, Term};
use wattle_program::Broadcast;

use super::formula::{Key, Table, constant};
use super::order;
use super::undone::{Fate, Step, Stored, Undone};

impl Undone<'_, '_> {
    /// The order with the step in it. `made`: cells whose store is under a condition that holds.
    pub(super) fn instants(
        &self,
        table: &mut Table,
        step: &Step<'_>,
        fate: &dyn Fn(usize) -> Option<Fate>,
        formulas: &[Term],
        made: &BTreeSet<Stored>,
    ) -> Result<Option<Vec<Instant>>, Reason> {
        if !self.checker.buffers {
            return Ok(Some(vec![]));
        }
        let Step { fence, stores, external, .. } = step;
        let new = self.cube.instants.len();
        let of_address = |store: &Broadcast| match store.address.kind() {
            Kind::Address { variable, .. } => *variable,
            _ => u32::MAX,
        };
        let weak: Vec<u32> = stores.iter().map(of_address).filter(|v| self.checker.weak(*v)).collect();
        let mut seen = false;
        for op in &self.edge.ops {
            for term in wattle_program::op_terms(op) {
                term.walk(&mut |term| {
                    if let Kind::Seen { address, .. } = term.kind()
                        && let Kind::Address { variable, .. } = address.kind()
                    {
                        seen |= self.checker.weak(*variable);
                    }
                });
            }
        }
        if weak.is_empty() && !seen && !*fence {
            return Ok(Some(self.cube.instants.clone()));
        }
        let mut written = BTreeSet::new();
        let mut arrays = BTreeSet::new();
        let places = self.numbers.len();
        for variable in &weak {
            let arity = self.checker.program.variables[*variable as usize].dimensions.len();
            let mut all = vec![vec![]];
            for _ in 0..arity {
                // One more than there are: a process that the situation does not know.
                all = all
                    .iter()
                    .flat_map(|head: &Vec<usize>| (0..=places).map(move |p| [&head[..], &[p]].concat()))
                    .collect();
            }
            let mut every = arity > 0;
            for indices in all {
                let (condition, _) = self.effect(table, stores, *variable, &indices)?;
                let certain = constant(&condition) == Some(true);
                every &= certain;
                let certain = certain || made.contains(&(*variable, indices.clone()));
                if certain && indices.iter().all(|place| *place < places) {
                    let indices = indices.iter().map(|place| *place as u32).collect();
                    written.insert(Cell { variable: *variable, indices });
                }
            }
            arrays.extend(every.then_some(*variable));
        }
        let mut read = BTreeSet::new();
        let ids = |term: &Term| {
            let mut ids = BTreeSet::new();
            term.walk(&mut |term| {
                if let Kind::Symbol(wattle_logic::Symbol::Local(id)) = term.kind() {
                    ids.insert(*id);
                }
            });
            ids
        };
        let used: BTreeSet<u32> = formulas.iter().flat_map(ids).collect();
        for (key, id) in &table.keys {
            if let Key::Read(instant, _, variable, indices) = key
                && *instant == new
                && used.contains(id)
            {
                read.insert(Cell {
                    variable: *variable,
                    indices: indices.iter().map(|i| *i as u32).collect(),
                });
            }
        }
        let with = |wanted: Fate| external.iter().copied().filter(|i| fate(*i) == Some(wanted)).collect();
        let event = order::Event {
            by: self.me as u32,
            reads: seen,
            writes: !weak.is_empty(),
            fence: *fence,
            read,
            written,
            arrays,
            before: with(Fate::Satisfied),
            after: with(Fate::Older),
        };
        Ok(order::extended(&self.cube.instants, &event))
    }
}
