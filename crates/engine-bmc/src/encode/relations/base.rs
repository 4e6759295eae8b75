//! The sets and relations that a symbolic structure gives to a model, by name.
//!
//! What an event is (its kind, tags, thread, place in program order) has no condition. Conditions have
//! dependencies, pairs of exclusives, `loc` where addresses are not constant, and of course `rf` and
//! `co`, whose literals the solver decides. Those two are *absolute*: they hold only if both events
//! happen, so they serve as relative conditions as they are.

use std::collections::BTreeMap;

use wattle_engine::Unsupported;
use wattle_memory::cat::base;
use wattle_program::Orders;
use wattle_sat::{Lit, Pair};

use super::matrix::Matrix;
use crate::encode::circuit::Circuit;
use crate::encode::encoding::Encoding;
use crate::unroll::structure::{Access, Dependency, Event, EventId, Structure};

/// A relation with conditions: a pair that is not listed under `when` and not in `must` never holds.
pub(crate) struct Base {
    pub must: Matrix,
    pub when: BTreeMap<Pair, Lit>,
    /// Pairs of `loc` whose addresses may be equal; their literals are made when asked for.
    pub open: Option<Matrix>,
}

impl Base {
    fn of(must: Matrix) -> Base {
        Base { must, when: BTreeMap::new(), open: None }
    }

    pub(crate) fn may(&self) -> Matrix {
        let mut may = self.must.clone();
        self.when.keys().for_each(|pair| may.insert(*pair));
        match &self.open {
            Some(open) => may.union(open),
            None => may,
        }
    }

    fn from_literals(size: usize, literals: impl IntoIterator<Item = (Lit, Pair)>) -> Base {
        let mut base = Base::of(Matrix::empty(size));
        for (literal, pair) in literals {
            match literal {
                Lit::FALSE => {}
                Lit::TRUE => base.must.insert(pair),
                _ => {
                    base.when.insert(pair, literal);
                }
            }
        }
        base
    }
}

/// The events of a set in [`wattle_memory::cat::base`], or with a tag. Not `FW`.
pub(crate) fn set(encoding: &Encoding<'_, '_>, name: &str) -> Matrix {
    let keeps = |event: &Event, orders| event.access == Access::Fence && event.orders.contains(orders);
    let belongs = |event: &Event| match name {
        "_" => true,
        "R" => event.access.reads(),
        "W" => event.access.writes(),
        "M" => event.access != Access::Fence,
        "F" => event.access == Access::Fence,
        "IW" => event.thread.is_none(),
        "RMW" => event.access == Access::Update,
        "Locked" => event.locked,
        "F.RR" => keeps(event, Orders::RR),
        "F.RW" => keeps(event, Orders::RW),
        "F.WR" => keeps(event, Orders::WR),
        "F.WW" => keeps(event, Orders::WW),
        tag => event.tags.contains(tag),
    };
    let events = &encoding.structure.events;
    let numbered = events.iter().enumerate().filter(|(_, event)| belongs(event));
    Matrix::from_pairs(events.len(), numbered.map(|(number, _)| (number as u32, number as u32)))
}

/// A relation in [`wattle_memory::cat::base`].
pub(crate) fn relation(
    encoding: &Encoding<'_, '_>,
    circuit: &mut Circuit<'_>,
    name: &str,
) -> Result<Base, Unsupported> {
    let structure = encoding.structure;
    let events = &structure.events;
    let size = events.len();
    let mut depends = |dependencies: &[Dependency]| {
        let mut all: BTreeMap<Pair, Lit> = BTreeMap::new();
        for Dependency { from, to, when } in dependencies {
            let literal = circuit.literal(structure, *when);
            let known = all.get(&(*from, *to)).copied().unwrap_or(Lit::FALSE);
            all.insert((*from, *to), circuit.or(known, literal));
        }
        Base::from_literals(size, all.into_iter().map(|(pair, literal)| (literal, pair)))
    };
    let between = |related: &dyn Fn(&Event, &Event) -> bool| {
        let all = |from: usize| (0..size).map(move |to| (from, to));
        let chosen = (0..size).flat_map(all).filter(|(from, to)| related(&events[*from], &events[*to]));
        Base::of(Matrix::from_pairs(size, chosen.map(|(from, to)| (from as u32, to as u32))))
    };
    let atomic = |wanted: &dyn Fn(bool) -> bool| {
        let pairs = structure.read_modify_write.iter().filter(|pair| wanted(pair.exclusive));
        let as_dependency = pairs.map(|pair| Dependency { from: pair.read, to: pair.write, when: pair.when });
        as_dependency.collect::<Vec<Dependency>>()
    };
    Ok(match name {
        "id" => Base::of(Matrix::identity(size)),
        "po" => {
            let pairs = structure.before.iter().enumerate();
            let pairs = pairs.flat_map(|(to, before)| before.iter().map(move |from| (*from, to as u32)));
            Base::of(Matrix::from_pairs(size, pairs))
        }
        "section" => sections(structure, circuit),
        "loc" => location(encoding),
        "int" => between(&|one, other| one.thread.is_some() && one.thread == other.thread),
        "ext" => between(&|one, other| one.thread != other.thread),
        "rf" => Base::from_literals(size, encoding.reads_from.iter().copied()),
        "co" => Base::from_literals(size, encoding.coherence.iter().copied()),
        "addr" => depends(&structure.address),
        "data" => depends(&structure.data),
        "ctrl" => depends(&structure.control),
        "pick" => depends(&structure.pick),
        "pick-addr" => depends(&structure.pick_address),
        "pick-data" => depends(&structure.pick_data),
        "rmw" => depends(&atomic(&|_| true)),
        "amo" => depends(&atomic(&|exclusive| !exclusive)),
        "lxsx" => depends(&atomic(&|exclusive| exclusive)),
        _ => {
            debug_assert!(!base::RELATIONS.iter().any(|(known, _)| *known == name));
            return Err(Unsupported::new(format!("the model needs the relation `{name}`")));
        }
    })
}

/// Two events of one thread are of one section if the ways of both are.
fn sections(structure: &Structure<'_>, circuit: &mut Circuit<'_>) -> Base {
    let inside: Vec<(u32, &Event)> =
        (0..).zip(&structure.events).filter(|(_, event)| !event.section.is_empty()).collect();
    let mut literals = Vec::new();
    for (from, one) in &inside {
        for (to, other) in inside.iter().filter(|(_, other)| other.thread == one.thread) {
            let mut same = Lit::FALSE;
            for (section, when) in &one.section {
                let Some((_, also)) = other.section.iter().find(|(number, _)| number == section) else {
                    continue;
                };
                let both = [*when, *also].map(|when| circuit.literal(structure, when));
                let both = circuit.all(&both);
                same = circuit.or(same, both);
            }
            literals.push((same, (*from, *to)));
        }
    }
    Base::from_literals(structure.events.len(), literals)
}

fn location(encoding: &Encoding<'_, '_>) -> Base {
    let size = encoding.structure.events.len();
    let mut at: BTreeMap<u32, Vec<EventId>> = BTreeMap::new();
    for (event, locations) in encoding.locations.iter().enumerate() {
        locations.iter().for_each(|location| at.entry(*location).or_default().push(event as u32));
    }
    let mut base = Base::of(Matrix::empty(size));
    let mut open = Matrix::empty(size);
    let alone = |event: EventId| encoding.locations[event as usize].len() == 1;
    for events in at.values() {
        for from in events {
            for to in events {
                let equal = from == to || (alone(*from) && alone(*to));
                if equal { base.must.insert((*from, *to)) } else { open.insert((*from, *to)) }
            }
        }
    }
    base.open = Some(open);
    base
}
