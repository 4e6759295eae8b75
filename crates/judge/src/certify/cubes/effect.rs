//! What a step says of the state before it, and what it stores.

use wattle_engine::Reason;
use wattle_logic::{Binary, Kind, Term};
use wattle_program::{Broadcast, ProcessId};

use super::cover::with_outside;
use super::formula::{Key, Scope, Table, constant, exact, unsupported};
use super::undone::Undone;

impl Undone<'_, '_> {
    /// When the step writes a cell, and what.
    pub(super) fn effect(
        &self,
        table: &mut Table,
        stores: &[Broadcast],
        variable: u32,
        indices: &[usize],
    ) -> Result<(Term, Term), Reason> {
        let mut effect = (Term::bool(false), Term::int(0));
        for store in stores {
            let Kind::Address { variable: other, indices: at } = store.address.kind() else {
                return unsupported("an address that is calculated");
            };
            if *other != variable {
                continue;
            }
            // Bound variables are what the cell says.
            let mut bound: Vec<(u32, usize)> = vec![];
            let mut same = true;
            for (term, place) in at.iter().zip(indices) {
                let each = match term.kind() {
                    Kind::Symbol(wattle_logic::Symbol::Bound(name)) => {
                        store.each.iter().find(|(n, _)| n == name)
                    }
                    _ => None,
                };
                match each {
                    Some((name, ProcessId(_))) => match bound.iter().find(|(n, _)| n == name) {
                        Some((_, known)) => same &= known == place,
                        None => bound.push((*name, *place)),
                    },
                    None => same &= self.said(table, |scope| scope.place(term))? == *place,
                }
            }
            if !same {
                continue;
            }
            if bound.len() != store.each.len() {
                return unsupported("a store for all processes to one cell");
            }
            let (when, value) = self.said(table, |scope| {
                scope.bound.extend(bound.iter().copied());
                Ok((exact(scope, &store.when)?, scope.integer(&store.value)?))
            })?;
            effect = match (constant(&when), constant(&effect.0)) {
                (Some(true), _) => (Term::bool(true), value),
                (Some(false), _) => effect,
                (None, Some(false)) => (when, value),
                (None, _) => {
                    let either = Term::binary(Binary::Or, when.clone(), effect.0);
                    (either, Term::if_then_else(when, value, effect.1))
                }
            };
        }
        Ok(effect)
    }

    /// Something that the edge says, of the state before it: the process that steps reads at a new instant.
    pub(super) fn said<T>(
        &self,
        table: &mut Table,
        say: impl FnOnce(&mut Scope<'_>) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        self.said_with(0, table, say)
    }

    /// The same with so many processes more than are at hand.
    pub(super) fn said_with<T>(
        &self,
        more: usize,
        table: &mut Table,
        say: impl FnOnce(&mut Scope<'_>) -> Result<T, Reason>,
    ) -> Result<T, Reason> {
        let new = self.cube.instants.len();
        let weak = |variable: u32| self.checker.weak(variable);
        let mut look = |variable: u32, indices: Vec<usize>, by: Option<usize>| {
            Ok(table.variable(match by {
                _ if variable == u32::MAX => Key::Process(indices[0]),
                Some(by) if weak(variable) => Key::Read(new, by, variable, indices),
                _ => Key::Cell(variable, indices),
            }))
        };
        let (me, locals) = (Some(self.me), self.locals.clone());
        let numbers = with_outside(&self.numbers, more);
        let places = numbers.len();
        let mut scope = Scope {
            places,
            numbers: &numbers,
            me,
            locals,
            bound: vec![],
            witnesses: &self.witnesses,
            look: &mut look,
        };
        say(&mut scope)
    }
}
