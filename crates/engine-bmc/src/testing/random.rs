//! Random structures with events that may not happen, and the executions that they are.

use std::collections::BTreeSet;

use wattle_generate::Rng;
use wattle_logic::{Binary, Sort, Unary, Value};
use wattle_memory::cat::{Core, Node, Type, base};
use wattle_memory::{Event as Made, EventKind, Execution};
use wattle_program::symbolic::Expr;
use wattle_program::{EdgeId, Name, Orders, Shape, Tags, ThreadId};
use wattle_sat::{Lit, Pair};

use crate::encode::circuit::{Circuit, Word};
use crate::encode::encoding::Encoding;
use crate::unroll::structure::{Access, Dependency, Event, ReadModifyWrite, Step, Structure};

/// The locations that are used: `x` and the first element of `a`.
const LOCATIONS: u32 = 3;
/// Free choices: guards and addresses.
const CELLS: u32 = 4;

/// What a random structure is made of beside the structure itself.
pub(crate) struct Random<'s> {
    pub structure: Structure<'s>,
    /// For each event, the choices that it needs: a cell and its value.
    needs: Vec<Vec<(u32, bool)>>,
    /// For each event, the location if the cell is false, and if it is true.
    places: Vec<(u32, [u32; 2])>,
}

impl Random<'_> {
    fn happens(&self, event: usize, cells: &[bool]) -> bool {
        self.needs[event].iter().all(|(cell, value)| cells[*cell as usize] == *value)
    }

    fn location(&self, event: usize, cells: &[bool]) -> u32 {
        let (cell, places) = self.places[event];
        places[usize::from(cells[cell as usize])]
    }
}

fn tags(core: &Core) -> Vec<Name> {
    let named = core.nodes.iter().filter_map(|node| match node {
        Node::Base(name, Type::Set) if base::TAGS.contains(&&**name) => Some(name.clone()),
        _ => None,
    });
    named.collect::<BTreeSet<Name>>().into_iter().collect()
}

pub(crate) fn random<'s>(rng: &mut Rng, shape: &'s Shape, core: &Core, updates: bool) -> Random<'s> {
    let marks = tags(core);
    let mut all = Random { structure: Structure::new(shape), needs: vec![], places: vec![] };
    for location in 0..shape.locations.len() as u32 {
        let structure = &mut all.structure;
        let (guard, address) = (structure.arena.constant(1), structure.arena.constant(location.into()));
        structure.events.push(Event {
            access: Access::Write,
            thread: None,
            step: 0,
            guard,
            address,
            written: None,
            tags: Tags::new(),
            locked: false,
            section: vec![],
            orders: Orders::NONE,
            holds: None,
        });
        all.needs.push(vec![]);
        all.places.push((0, [location; 2]));
    }
    let symbolic = rng.chance(300);
    let conditional = rng.chance(800);
    for thread in 0..rng.between(2, 3) {
        let mut guard: Vec<(u32, bool)> = vec![];
        for _ in 0..rng.between(1, 5) {
            if conditional && rng.chance(400) {
                guard = match rng.below(4) {
                    0 => vec![],
                    1 if !guard.is_empty() => {
                        let mut other = guard.clone();
                        let last = other.len() - 1;
                        other[last].1 = !other[last].1;
                        other
                    }
                    _ => {
                        let cell = rng.below(CELLS);
                        let mut more: Vec<_> =
                            guard.iter().copied().filter(|(other, _)| *other != cell).collect();
                        more.push((cell, rng.chance(500)));
                        more
                    }
                };
            }
            step(rng, &mut all, ThreadId(thread), &guard, &marks, symbolic, updates);
        }
    }
    relate(rng, &mut all);
    all
}

fn step(
    rng: &mut Rng,
    all: &mut Random<'_>,
    thread: ThreadId,
    guard: &[(u32, bool)],
    marks: &[Name],
    symbolic: bool,
    updates: bool,
) {
    let number = all.structure.steps.len() as u32;
    let arena = &mut all.structure.arena;
    let mut taken = arena.constant(1);
    for (cell, value) in guard {
        let mut condition = arena.cell(*cell);
        if !value {
            condition = arena.unary(Unary::Not, Sort::Bool, condition);
        }
        taken = arena.binary(Binary::And, Sort::Bool, taken, condition);
    }
    all.structure.steps.push(Step { thread, edge: EdgeId(0), taken, choices: vec![], section: vec![] });
    let place = match symbolic && rng.chance(300) {
        true => (rng.below(CELLS), [rng.below(LOCATIONS), rng.below(LOCATIONS)]),
        false => (0, [rng.below(LOCATIONS); 2]),
    };
    let locked = rng.chance(200);
    let kinds: &[Access] = match rng.below(9) {
        0..=2 => &[Access::Read],
        3..=5 => &[Access::Write],
        6 | 7 => &[Access::Fence],
        _ if updates => &[Access::Update],
        _ => &[Access::Read, Access::Write],
    };
    for access in kinds {
        let arena = &mut all.structure.arena;
        let [no, yes] = place.1.map(|location| arena.constant(location.into()));
        let cell = arena.cell(place.0);
        let address = arena.choice(cell, yes, no);
        let mut tags = Tags::new();
        if !marks.is_empty() && (*access == Access::Fence || rng.chance(300)) {
            tags.insert(rng.pick(marks).clone());
        }
        let orders = match access {
            Access::Fence => Orders(rng.below(16) as u8),
            _ => Orders::NONE,
        };
        let thread = Some(thread);
        let event = Event {
            access: *access,
            thread,
            step: number,
            guard: taken,
            address,
            written: None,
            tags,
            locked,
            section: vec![],
            orders,
            holds: None,
        };
        all.structure.events.push(event);
        all.needs.push(guard.to_vec());
        all.places.push(place);
    }
    if let [Access::Read, Access::Write] = kinds {
        let write = all.structure.events.len() as u32 - 1;
        let when = all.structure.arena.constant(1);
        let pair = ReadModifyWrite { read: write - 1, write, when, exclusive: false };
        all.structure.read_modify_write.push(pair);
    }
}

/// Program order, dependencies, exclusives.
fn relate(rng: &mut Rng, all: &mut Random<'_>) {
    let structure = &mut all.structure;
    let count = structure.events.len();
    let exclusive = |one: &[(u32, bool)], other: &[(u32, bool)]| {
        one.iter().any(|(cell, value)| other.contains(&(*cell, !value)))
    };
    structure.before = vec![vec![]; count];
    for to in 0..count {
        for from in 0..to {
            let (one, other) = (&structure.events[from], &structure.events[to]);
            let ordered = one.thread.is_some() && one.thread == other.thread && one.step < other.step;
            if !ordered || exclusive(&all.needs[from], &all.needs[to]) {
                continue;
            }
            structure.before[to].push(from as u32);
            let (reads, writes) = (one.access.reads(), other.access.writes());
            let accesses = other.access != Access::Fence;
            let when = match rng.chance(200) {
                true => structure.arena.cell(rng.below(CELLS)),
                false => structure.arena.constant(1),
            };
            let dependency = Dependency { from: from as u32, to: to as u32, when };
            match rng.below(10) {
                0 if reads && accesses => structure.address.push(dependency),
                1 if reads && writes => structure.data.push(dependency),
                2 if reads => structure.control.push(dependency),
                3 if reads && accesses => {
                    structure.pick.push(dependency);
                    structure.pick_address.push(dependency);
                }
                4 if reads && writes => {
                    structure.pick.push(dependency);
                    structure.pick_data.push(dependency);
                }
                5 if reads && writes && all.places[from] == all.places[to] => {
                    let (read, write) = (from as u32, to as u32);
                    structure.read_modify_write.push(ReadModifyWrite { read, write, when, exclusive: true });
                }
                _ => {}
            }
        }
    }
}

/// Literals for everything that may be.
pub(crate) fn encode<'a, 's>(
    rng: &mut Rng,
    all: &'a Random<'s>,
    circuit: &mut Circuit<'_>,
) -> (Encoding<'a, 's>, Vec<Lit>) {
    let structure = &all.structure;
    let cells: Vec<Lit> = (0..CELLS).map(|_| circuit.fresh()).collect();
    for (cell, literal) in cells.iter().enumerate() {
        circuit.values.set_cell(cell as u32, Word::truth(*literal));
    }
    let happens: Vec<Lit> =
        structure.events.iter().map(|event| circuit.literal(structure, event.guard)).collect();
    let locations: Vec<Vec<u32>> = (structure.events.iter().zip(&all.places))
        .map(|(event, (_, places))| match event.access {
            Access::Fence => vec![],
            _ => places.iter().copied().collect::<BTreeSet<u32>>().into_iter().collect(),
        })
        .collect();
    let count = structure.events.len();
    let (mut reads_from, mut coherence) = (vec![], vec![]);
    let meet = |one: usize, other: usize| locations[one].iter().any(|place| locations[other].contains(place));
    let constants = rng.chance(500);
    for from in 0..count {
        for to in 0..count {
            let (one, other) = (&structure.events[from], &structure.events[to]);
            if from == to || !one.access.writes() || !meet(from, to) {
                continue;
            }
            let pair = (from as u32, to as u32);
            if other.access.reads() {
                reads_from.push((circuit.fresh(), pair));
            }
            if other.access.writes() && other.thread.is_some() {
                let alone = locations[from].len() == 1 && locations[to].len() == 1;
                let literal = match constants && one.thread.is_none() && alone {
                    true => happens[to],
                    false => circuit.fresh(),
                };
                coherence.push((literal, pair));
            }
        }
    }
    (Encoding { structure, happens, locations, reads_from, coherence, ladders: vec![] }, cells)
}

/// One choice of everything: the literals that say so, and the execution that it is.
pub(crate) fn choose(
    rng: &mut Rng,
    all: &Random<'_>,
    encoding: &Encoding<'_, '_>,
    cells: &[Lit],
) -> (Vec<Lit>, Execution) {
    let values: Vec<bool> = cells.iter().map(|_| rng.chance(500)).collect();
    let structure = &all.structure;
    let mut assumed: Vec<Lit> =
        cells.iter().zip(&values).map(|(cell, value)| if *value { *cell } else { !*cell }).collect();
    let happening: Vec<usize> =
        (0..structure.events.len()).filter(|event| all.happens(*event, &values)).collect();
    let number = |event: u32| happening.iter().position(|other| *other == event as usize).map(|at| at as u32);
    let place = |event: usize| all.location(event, &values);
    let events = happening.iter().map(|event| made(&structure.events[*event], place(*event)));
    let mut execution = Execution { events: events.collect(), ..Execution::default() };
    let truth = |expr: Expr| match structure.arena.value(expr) {
        Some(value) => value != 0,
        None => {
            let cells: Vec<i64> = values.iter().map(|value| i64::from(*value)).collect();
            structure.arena.evaluate(expr, &[], &cells).unwrap() != 0
        }
    };
    let pairs = |dependencies: &[Dependency]| -> Vec<Pair> {
        let both = |one: &Dependency| Some((number(one.from)?, number(one.to)?)).filter(|_| truth(one.when));
        let mut pairs: Vec<Pair> = dependencies.iter().filter_map(both).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    execution.address = pairs(&structure.address);
    execution.data = pairs(&structure.data);
    execution.control = pairs(&structure.control);
    execution.pick = pairs(&structure.pick);
    execution.pick_address = pairs(&structure.pick_address);
    execution.pick_data = pairs(&structure.pick_data);
    let atomic = structure.read_modify_write.iter();
    let atomic: Vec<Dependency> =
        atomic.map(|pair| Dependency { from: pair.read, to: pair.write, when: pair.when }).collect();
    execution.read_modify_write = pairs(&atomic);
    let mut reads_from: BTreeSet<Pair> = BTreeSet::new();
    let writers = |location: u32| {
        let writes = |event: &&usize| structure.events[**event].access.writes() && place(**event) == location;
        happening.iter().filter(writes).copied().collect::<Vec<usize>>()
    };
    for read in happening.iter().filter(|event| structure.events[**event].access.reads()) {
        let writes: Vec<usize> = writers(place(*read)).into_iter().filter(|write| write != read).collect();
        reads_from.insert((*rng.pick(&writes) as u32, *read as u32));
    }
    let mut coherence: BTreeSet<Pair> = BTreeSet::new();
    for location in 0..structure.arena.shape().locations.len() as u32 {
        let mut writes = writers(location);
        // Initial writes come first; the others mostly as the threads have them, sometimes not.
        for at in (2..writes.len()).rev() {
            if rng.chance(600) {
                writes.swap(at, 1 + rng.below(at as u32) as usize);
            }
        }
        for (at, one) in writes.iter().enumerate() {
            coherence.extend(writes[at + 1..].iter().map(|other| (*one as u32, *other as u32)));
        }
        execution.coherence.push(writes.iter().filter_map(|write| number(*write as u32)).collect());
    }
    execution.reads_from =
        reads_from.iter().filter_map(|(write, read)| Some((number(*write)?, number(*read)?))).collect();
    for (chosen, literals) in [(&reads_from, &encoding.reads_from), (&coherence, &encoding.coherence)] {
        for (literal, pair) in literals.iter().filter(|(literal, _)| literal.constant().is_none()) {
            assumed.push(if chosen.contains(pair) { *literal } else { !*literal });
        }
    }
    (assumed, execution)
}

fn made(event: &Event, location: u32) -> Made {
    let value = Value::Int(0);
    let kind = match event.access {
        Access::Read => EventKind::Read { location, value },
        Access::Write => EventKind::Write { location, value },
        Access::Update => EventKind::Update { location, read: value.clone(), written: value },
        Access::Fence => EventKind::Fence,
    };
    Made {
        kind,
        thread: event.thread,
        edge: None,
        step: None,
        tags: event.tags.clone(),
        instruction: event.step,
        locked: event.locked,
        orders: event.orders,
        section: event.section.first().map(|(section, _)| *section),
    }
}
