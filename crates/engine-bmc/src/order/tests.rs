//! Random structures with events that may not happen, against the naive evaluator on what does happen.

use std::collections::BTreeSet;

use wattle_engine::certify::refutation::{Inference, Refutation};
use wattle_engine::{Run, certify};
use wattle_generate::Rng;
use wattle_logic::{Binary, Sort, Unary, Value};
use wattle_memory::cat::{Axioms, Core, Node, Role, Type, base, read};
use wattle_memory::{Event as Made, EventKind, Execution, MemoryModel, axiomatic};
use wattle_program::symbolic::Expr;
use wattle_program::{EdgeId, Name, Orders, Shape, Tags, ThreadId};
use wattle_sat::{Lit, Outcome, Pair, Solver};
use wattle_source::{NoLoader, Sources};

use super::Order;
use crate::circuit::{Circuit, Word};
use crate::encoding::Encoding;
use crate::formulation::Formulation;
use crate::refutation::{Ledger, problem, refuted};
use crate::structure::{Access, Dependency, Event, ReadModifyWrite, Step, Structure};
use crate::testing::{empty, shape};

/// The locations that are used: `x` and the first element of `a`.
const LOCATIONS: u32 = 3;
/// Free choices: guards and addresses.
const CELLS: u32 = 4;

/// What a random structure is made of beside the structure itself.
struct Random<'s> {
    structure: Structure<'s>,
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

fn random<'s>(rng: &mut Rng, shape: &'s Shape, core: &Core, updates: bool) -> Random<'s> {
    let marks = tags(core);
    let mut all = Random { structure: empty(shape), needs: vec![], places: vec![] };
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
            orders: Orders::NONE,
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
    all.structure.steps.push(Step { thread, edge: EdgeId(0), taken, choices: vec![] });
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
        let all_orders = [Orders::RR, Orders::RW, Orders::WR, Orders::WW];
        let orders = match access {
            Access::Fence => *rng.pick(&all_orders),
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
            orders,
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
fn encode<'a, 's>(
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
    (Encoding { structure, happens, locations, reads_from, coherence }, cells)
}

/// One choice of everything: the literals that say so, and the execution that it is.
fn choose(
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
    let mut execution = Execution::default();
    for event in &happening {
        let (made, location) = (&structure.events[*event], place(*event));
        let value = Value::Int(0);
        let kind = match made.access {
            Access::Read => EventKind::Read { location, value },
            Access::Write => EventKind::Write { location, value },
            Access::Update => EventKind::Update { location, read: value.clone(), written: value },
            Access::Fence => EventKind::Fence,
        };
        execution.events.push(Made {
            kind,
            thread: made.thread,
            edge: None,
            step: None,
            tags: made.tags.clone(),
            instruction: made.step,
            locked: made.locked,
            orders: made.orders,
        });
    }
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

#[derive(Default)]
struct Tally {
    consistent: u32,
    inconsistent: u32,
    raised: u32,
    refused: u32,
    /// Of proofs.
    steps: u64,
}

fn compare(
    axioms: &Axioms,
    memory: &MemoryModel,
    seeds: std::ops::Range<u64>,
    tries: u32,
    updates: bool,
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let shape = shape();
        let all = random(&mut rng, &shape, &axioms.core, updates);
        // Every other answer must come with a proof.
        let proved = seed % 2 == 1;
        let mut solver = if proved { Solver::with_proof() } else { Solver::new() };
        let mut ledger = Ledger::new(&mut solver, true);
        let mut circuit = Circuit::new(&mut ledger);
        let (encoding, cells) = encode(&mut rng, &all, &mut circuit);
        let constrained = match Order.constrain(&encoding, &mut circuit, memory) {
            Ok(constrained) => constrained,
            Err(_) => {
                tally.refused += 1;
                continue;
            }
        };
        let mut refutation = problem(ledger.close().unwrap(), &constrained.description);
        solver.connect(constrained.description);
        for number in 0..tries {
            let (mut assumed, execution) = choose(&mut rng, &all, &encoding, &cells);
            let judged = axiomatic::evaluate(&axioms.tree, &execution).unwrap();
            let context =
                || format!("{} seed {seed} try {number}: {:?}\n{execution:#?}", memory.name, judged.broken());
            let outcome = solver.solve(&assumed);
            let expected = if judged.is_consistent() { Outcome::Sat } else { Outcome::Unsat };
            assert_eq!(outcome, expected, "{}", context());
            if proved && outcome == Outcome::Unsat {
                let proof = solver.proof().unwrap();
                refutation.refuted.push(refuted(&number.to_string(), &assumed, Some(&proof)));
            }
            match judged.is_consistent() {
                true => tally.consistent += 1,
                false => tally.inconsistent += 1,
            }
            for mark in &constrained.marks {
                let marked = judged
                    .judgements
                    .iter()
                    .any(|one| one.name == mark.axiom && one.holds == (mark.role == Role::Flag));
                assumed.push(mark.raised);
                let both = marked && judged.is_consistent();
                let expected = if both { Outcome::Sat } else { Outcome::Unsat };
                assert_eq!(solver.solve(&assumed), expected, "{} {}", mark.axiom, context());
                assumed.pop();
                tally.raised += u32::from(both);
            }
        }
        if !refutation.refuted.is_empty() {
            let checked = certify::refutation(&refutation, &Run::default());
            assert!(checked.is_ok(), "{} seed {seed}: {checked:?}", memory.name);
            tally.steps += checked.unwrap();
            distrust(&mut rng, &refutation);
        }
    }
    tally
}

/// A proof of a smaller problem is none, if the step that is gone was needed.
fn distrust(rng: &mut Rng, refutation: &Refutation) {
    let mut changed = refutation.clone();
    let number = rng.below(changed.refuted.len() as u32) as usize;
    let steps = &mut changed.refuted[number].steps;
    let lemmas: Vec<usize> =
        (0..steps.len()).filter(|step| matches!(steps[*step].by, Inference::Lemma { .. })).collect();
    let clauses: Vec<usize> = (0..steps.len()).filter(|step| steps[*step].by == Inference::Problem).collect();
    if let Some(lemma) = lemmas.first().copied().filter(|_| rng.chance(500)) {
        let step = &mut steps[lemma];
        step.clause.pop();
        if step.clause.is_empty() {
            return;
        }
    } else if !clauses.is_empty() {
        let clause = steps[*rng.pick(&clauses)].clause.clone();
        let sorted =
            |clause: &[i32]| clause.iter().copied().filter(|one| *one != -1).collect::<BTreeSet<i32>>();
        changed.clauses.retain(|other| sorted(other) != sorted(&clause));
        if clause == [1] {
            return;
        }
    } else {
        return;
    }
    assert!(certify::refutation(&changed, &Run::default()).is_err());
}

fn check(name: &str, seeds: u64, tries: u32) {
    let memory = wattle_memory::find(name).unwrap();
    let axioms = memory.axioms.as_ref().unwrap();
    let tally = compare(axioms, memory, 0..seeds, tries, name == "rc11");
    assert_eq!(tally.refused, 0);
    assert!(
        tally.consistent > 20 && tally.inconsistent > 20,
        "{name}: {} {}",
        tally.consistent,
        tally.inconsistent
    );
}

const SEEDS: u64 = 40;
const TRIES: u32 = 12;

#[test]
fn sc_tso_pso() {
    ["sc", "tso", "pso"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn rmo_alpha() {
    ["rmo", "alpha"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn power_and_arm() {
    ["power", "power-2012", "arm"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn aarch64_and_riscv() {
    ["aarch64", "riscv"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn rc11() {
    check("rc11", SEEDS, TRIES);
}

/// Of a model that someone wrote.
fn written(text: &str, seeds: u64, updates: bool) -> Tally {
    let (mut sources, file) = Sources::single("test.cat", text);
    let axioms = read(&mut sources, file, &NoLoader, &[]).unwrap();
    let memory = MemoryModel {
        name: "test".into(),
        machine: None,
        axioms: Some(axioms.clone().into()),
        summary: "".into(),
        vocabulary: None,
    };
    compare(&axioms, &memory, 0..seeds, TRIES, updates)
}

#[test]
fn other_texts() {
    for text in [
        "acyclic po | rf",
        "irreflexive po ; rf",
        "empty (rf ; rf^-1) \\ id",
        "acyclic po-loc | rf? ",
        "acyclic (po | rf)+ | co",
        "irreflexive (po ; rf+ ; co?) ; fr*",
        "empty po \\ (rf | co | fr | loc)",
        "empty [FW] ; po ; [W] & loc",
        "~empty rf & po",
        "~acyclic po | rf",
        "~irreflexive po ; rf",
        "flag acyclic po | rf | co as a flag ~acyclic po | rf | co | fr as b flag empty rf & ext as c",
        "flag ~empty (po & loc) \\ (rf | co | fr)+ as unrelated",
        "undefined_unless irreflexive po ; rf ; po? as d undefined_unless acyclic po | co as e",
        "let rec r = po & ext | rf ; [W] | r ; rf ; po | co empty r & po",
        "let rec r = rf | s ; po and s = co | r ; fr acyclic r irreflexive s ; s",
        "empty domain(rf & po) * range(co & ext) & po",
        "acyclic co | [domain(rf & int)] ; po",
        "acyclic (int \\ (po | po^-1 | id)) | rf",
        "empty ~(po | po^-1 | rf | rf^-1 | ext | id) & (R * W)",
        "acyclic po | rf let hb = (po | rf)+ empty (co \\ hb) & int",
    ] {
        for updates in [false, true] {
            let tally = written(text, 25, updates);
            assert!(tally.refused == 0, "{text}");
        }
    }
    let refused = written("let hb = (po | rf)+ empty (co \\ hb) & int", 30, false).refused;
    assert!(refused > 0, "a closure that may have cycles has no literals");
}
