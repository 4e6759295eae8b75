//! The checker of proofs by backward reachability.
//!
//! Three claims, each for any number of processes: every bad state is in a cube; no initial state is; and whenever a step leads into a
//! cube, the state before is in a cube. What a step does is read off the program's own edges here, and what a set of states implies is
//! asked of the solver; no code of an engine takes part.
//!
//! A step is undone for every choice of who takes it: processes of the cube, or others. Where the text fixes a number (`#1`), whoever has it is
//! chosen too. A read of the cube by the process that steps returns what the step stores; one by another process returns it, and then
//! the step comes before its instant, or returns something older, and then the instant comes before the step. Each is tried ([`order`] has
//! the rules of tso). Universal guards are instantiated for the processes at hand, which allows more than there is.

mod cover;
mod formula;
mod order;

use std::collections::BTreeSet;

use wattle_engine::certificate::cubes::{Cell, Cube, CubeProof, Instant};
use wattle_engine::{Halt, Reason, Run, Task};
use wattle_logic::{Binary, Kind, Quantifier, Sort, Term, Unary, Value};
use wattle_memory::Machine;
use wattle_program::{
    Broadcast, Choice, Edge, Init, Instance, Op, Orders, ProcessId, Program, PropertyKind, Replicas, Shape,
};
use wattle_smt::Library;

use super::wrong;
use cover::{Cover, Situation};
use formula::{Key, Meaning, Scope, Table, constant, exact, unsupported};

/// How many cubes were checked, and pre-images of them.
pub(super) fn cubes(
    task: &Task<'_>,
    proof: &CubeProof,
    library: &Library,
    run: &Run,
) -> Result<(u64, u64), Halt> {
    let buffers = match task.memory.machine {
        Some(Machine::Sc { .. }) => false,
        Some(Machine::Tso) => true,
        _ => return Err(wrong("it is about sc or tso")),
    };
    let program = task.program;
    let [process] = &program.processes[..] else { return Err(wrong("it is about one process")) };
    let count = process.replicas.count();
    if proof.any != count.is_none() {
        return Err(wrong("it is not about the number of processes that there are"));
    }
    starts(program, run)?;
    well_formed(program, proof, buffers)?;
    let cover = Cover::new(program, count, proof, library, run)?;
    let constants = constants(program);
    let mut checker = Checker { program, buffers, numbered: numbered(program), constants, cover, steps: 0 };
    for property in &program.properties {
        let holds = match property.kind {
            PropertyKind::Forbid => true,
            PropertyKind::Always => false,
            PropertyKind::Finally => return Err(wrong("it says nothing of final states")),
        };
        if !checker.bad(&property.formula, holds)? {
            return Err(wrong("a bad state is in no cube"));
        }
    }
    for (number, cube) in proof.cubes.iter().enumerate() {
        if checker.starts_in(cube)? {
            return Err(wrong(format!("cube {number} contains an initial state")));
        }
        for edge in &process.cfg.edges {
            if !checker.closed(cube, edge)? {
                return Err(wrong(format!("a step leads into cube {number} from a state in no cube")));
            }
        }
    }
    Ok((proof.cubes.len() as u64, checker.steps))
}

/// Is there an initial state, with one or two copies?
fn starts(program: &Program, run: &Run) -> Result<(), Halt> {
    let mut unknown = None;
    for copies in 1..=2 {
        let any = program.process_ids().filter(|process| program.process(*process).replicas == Replicas::Any);
        let instance = Instance(any.map(|process| (process, copies)).collect());
        let Ok(program) = instance.of(program) else { continue };
        let Ok(shape) = Shape::new(&program) else { continue };
        run.poll(super::START, wattle_engine::Spent::default())?;
        match wattle_memory::operational::initial_states(&program, &shape) {
            Ok(mut states) => {
                if states.any(|state| matches!(state, Ok(Some(_)))) {
                    return Ok(());
                }
            }
            Err(why) => unknown = Some(why),
        }
    }
    match unknown {
        // Integers without a range can have any value.
        Some(_) if program.init.is_none() => Ok(()),
        Some(why) => unsupported(&why).map_err(Halt::from),
        None => Err(super::nothing_to_start_from()),
    }
}

/// Places that a cube names are there, and sc has no instants.
fn well_formed(program: &Program, proof: &CubeProof, buffers: bool) -> Result<(), Halt> {
    for cube in &proof.cubes {
        let process = |process: &u32| (*process as usize) < cube.numbers.len();
        let instant = |instant: &u32| (*instant as usize) < cube.instants.len();
        let cell = |cell: &Cell| {
            let variable = program.variables.get(cell.variable as usize);
            cell.indices.iter().all(process)
                && variable.is_some_and(|variable| variable.dimensions.len() == cell.indices.len())
        };
        let fine =
            cube.reads.iter().all(|read| process(&read.by) && instant(&read.instant) && cell(&read.cell))
                && cube.instants.iter().all(|one| {
                    one.after.iter().all(instant)
                        && one.events.iter().chain(&one.drains).all(process)
                        && one.cells.iter().all(cell)
                })
                && (buffers || cube.instants.is_empty());
        if !fine {
            return Err(wrong("a cube names what is not there"));
        }
    }
    Ok(())
}

/// Numbers of processes that the text names.
fn numbered(program: &Program) -> Vec<u32> {
    let mut numbers = BTreeSet::new();
    let mut look = |term: &Term| {
        term.walk(&mut |term| {
            if let Kind::Value(Value::Process(number)) = term.kind() {
                numbers.insert(*number);
            }
        });
    };
    program.state_formulas().for_each(&mut look);
    for edge in program.processes.iter().flat_map(|process| &process.cfg.edges) {
        look(&edge.guard);
        edge.ops.iter().flat_map(wattle_program::op_terms).for_each(&mut look);
    }
    numbers.into_iter().collect()
}

/// The parts of `init` that speak only of variables that no step stores to.
fn constants(program: &Program) -> Vec<Term> {
    let mut stored = BTreeSet::new();
    for op in program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops) {
        for term in wattle_program::op_terms(op) {
            if let Kind::Address { variable, .. } = term.kind() {
                stored.insert(*variable);
            }
        }
    }
    let mut parts: Vec<Term> = program.init.iter().cloned().collect();
    let mut result = vec![];
    while let Some(part) = parts.pop() {
        if let Kind::Binary(Binary::And, a, b) = part.kind() {
            parts.extend([a.clone(), b.clone()]);
            continue;
        }
        let mut constant = true;
        part.walk(&mut |term| {
            if let Kind::Address { variable, .. } = term.kind() {
                constant &= !stored.contains(variable);
            }
        });
        result.extend(constant.then_some(part));
    }
    result
}

struct Checker<'c> {
    program: &'c Program,
    buffers: bool,
    numbered: Vec<u32>,
    /// What `init` says of variables that no step stores to: it holds always.
    constants: Vec<Term>,
    cover: Cover<'c>,
    steps: u64,
}

impl Checker<'_> {
    fn weak(&self, variable: u32) -> bool {
        self.buffers && !self.program.variables[variable as usize].unbuffered
    }

    fn is_covered(&mut self, mut situation: Situation) -> Result<bool, Reason> {
        let table = &mut situation.table;
        let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
            Ok(table.variable(match variable {
                u32::MAX => Key::Process(indices[0]),
                _ => Key::Cell(variable, indices),
            }))
        };
        let (numbers, places) = (&situation.numbers[..], situation.numbers.len());
        let mut scope = Scope { places, numbers, me: None, locals: vec![], bound: vec![], look: &mut look };
        for constant in &self.constants {
            situation.formulas.push(scope.formula(constant, true)?);
        }
        self.cover.is_covered(&mut situation)
    }

    /// Every way of giving `more` further names to processes, old or new, and of saying who has the numbers of the text.
    fn placements(&self, numbers: &[Option<u32>], more: usize) -> Vec<(Vec<Option<u32>>, Vec<usize>)> {
        let mut found = vec![(numbers.to_vec(), vec![])];
        for _ in 0..more {
            found = (found.into_iter())
                .flat_map(|(numbers, chosen)| {
                    (0..=numbers.len()).map(move |place| {
                        let mut numbers = numbers.clone();
                        numbers.resize(numbers.len().max(place + 1), None);
                        (numbers, [&chosen[..], &[place]].concat())
                    })
                })
                .collect();
        }
        for number in &self.numbered {
            found = (found.into_iter())
                .flat_map(|(numbers, chosen)| {
                    let known = numbers.contains(&Some(*number));
                    let free: Vec<usize> = match known {
                        true => vec![usize::MAX],
                        false => (0..=numbers.len())
                            .filter(|i| numbers.get(*i).is_none_or(|n| n.is_none()))
                            .collect(),
                    };
                    free.into_iter().map(move |place| {
                        let mut numbers = numbers.clone();
                        if place != usize::MAX {
                            numbers.resize(numbers.len().max(place + 1), None);
                            numbers[place] = Some(*number);
                        }
                        (numbers, chosen.clone())
                    })
                })
                .collect();
        }
        if let Some(count) = self.cover.count {
            found.retain(|(numbers, _)| numbers.len() <= count as usize);
        }
        found
    }

    /// Is every bad state in a cube?
    fn bad(&mut self, formula: &Term, holds: bool) -> Result<bool, Reason> {
        let mut bound = vec![];
        let mut body = formula.clone();
        loop {
            let inner = match body.kind() {
                Kind::Quantified { quantifier, bound: name, body, .. }
                    if (*quantifier == Quantifier::Exists) == holds =>
                {
                    bound.push(*name);
                    body.clone()
                }
                _ => break,
            };
            body = inner;
        }
        for (numbers, chosen) in self.placements(&[], bound.len()) {
            let mut table = Table::default();
            let mut events = BTreeSet::new();
            let weak = |variable: u32| self.weak(variable);
            let mut look = |variable: u32, indices: Vec<usize>, by: Option<usize>| {
                Ok(table.variable(match by {
                    _ if variable == u32::MAX => Key::Process(indices[0]),
                    Some(by) if weak(variable) => {
                        events.insert(by as u32);
                        Key::Read(0, by, variable, indices)
                    }
                    None if weak(variable) => return unsupported("what main memory holds"),
                    _ => Key::Cell(variable, indices),
                }))
            };
            let bound = bound.iter().copied().zip(chosen).collect();
            let mut scope = Scope {
                places: numbers.len(),
                numbers: &numbers,
                me: None,
                locals: vec![],
                bound,
                look: &mut look,
            };
            let formulas = vec![scope.formula(&body, holds)?];
            let events: Vec<u32> = events.into_iter().collect();
            let instant = Instant { after: vec![0], events, ..Instant::default() };
            let instants = if instant.events.is_empty() { vec![] } else { vec![instant] };
            if !self.is_covered(Situation { numbers, formulas, instants, table })? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does a cube contain an initial state? Initially everybody sees memory.
    fn starts_in(&mut self, cube: &Cube) -> Result<bool, Reason> {
        for (numbers, _) in self.placements(&cube.numbers, 0) {
            let mut table = Table::default();
            let mut formulas = vec![];
            let reads: Vec<Option<Meaning>> = (cube.reads.iter())
                .map(|read| {
                    let indices = read.cell.indices.iter().map(|i| *i as usize).collect();
                    Some(Meaning::Term(table.variable(Key::Cell(read.cell.variable, indices))))
                })
                .collect();
            let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
                Ok(table.variable(match variable {
                    u32::MAX => Key::Process(indices[0]),
                    _ => Key::Cell(variable, indices),
                }))
            };
            let bound: Vec<(u32, usize)> = (0..cube.numbers.len()).map(|i| (i as u32, i)).collect();
            let places = numbers.len();
            let mut scope =
                Scope { places, numbers: &numbers, me: None, locals: reads, bound, look: &mut look };
            for literal in &cube.literals {
                formulas.push(scope.formula(literal, true)?);
            }
            scope.bound.clear();
            scope.locals.clear();
            if let Some(init) = &self.program.init {
                formulas.push(scope.formula(init, true)?);
            }
            let mut situation = Situation { numbers, formulas, instants: vec![], table };
            let cells: Vec<(u32, Vec<usize>)> = (situation.table.keys.keys())
                .filter_map(|key| match key {
                    Key::Cell(variable, indices) => Some((*variable, indices.clone())),
                    _ => None,
                })
                .collect();
            for (variable, indices) in cells {
                let Init::Values(values) = &self.program.variables[variable as usize].init else { continue };
                let [first] = &values[..] else { return unsupported("an initial value for each element") };
                let me = indices.first().copied();
                let cell = situation.table.variable(Key::Cell(variable, indices));
                let table = &mut situation.table;
                let mut look = |_: u32, indices: Vec<usize>, _: Option<usize>| {
                    Ok(table.variable(Key::Process(indices[0])))
                };
                let numbers = &situation.numbers;
                let mut scope = Scope { places, numbers, me, locals: vec![], bound: vec![], look: &mut look };
                let value = scope.integer(first)?;
                situation.formulas.push(Term::binary(Binary::Equal, cell, value));
            }
            if self.cover.is_possible(&mut situation)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Is the state before every step into the cube in a cube?
    fn closed(&mut self, cube: &Cube, edge: &Edge) -> Result<bool, Reason> {
        let process = &self.program.processes[0];
        let chosen: Vec<u32> = (edge.ops.iter())
            .filter_map(|op| match op {
                Op::Havoc { local, among: Choice::Any }
                    if process.locals[*local as usize].sort == Sort::Process =>
                {
                    Some(*local)
                }
                _ => None,
            })
            .collect();
        for (numbers, places) in self.placements(&cube.numbers, 1 + chosen.len()) {
            let mut locals = vec![None; process.locals.len()];
            for (local, place) in chosen.iter().zip(&places[1..]) {
                locals[*local as usize] = Some(Meaning::Place(*place));
            }
            let undone = Undone { checker: self, cube, edge, numbers, me: places[0], locals };
            if !undone.leads_from_inside()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A step into a cube by given processes.
struct Undone<'c, 'p> {
    checker: &'c mut Checker<'p>,
    cube: &'c Cube,
    edge: &'c Edge,
    numbers: Vec<Option<u32>>,
    me: usize,
    locals: Vec<Option<Meaning>>,
}

impl Undone<'_, '_> {
    fn leads_from_inside(mut self) -> Result<bool, Reason> {
        let mut table = Table::default();
        let mut formulas = vec![self.said(&mut table, |scope| scope.formula(&self.edge.guard, true))?];
        let mut fence = false;
        let mut stores: &[Broadcast] = &[];
        for op in &self.edge.ops {
            match op {
                Op::Havoc { local, among: Choice::Any } => {
                    if self.locals[*local as usize].is_none() {
                        // Any value: a variable that nothing else speaks of.
                        let any = table.variable(Key::Any(*local as usize));
                        self.locals[*local as usize] = Some(Meaning::Term(any));
                    }
                }
                Op::Assume { condition } => {
                    formulas.push(self.said(&mut table, |scope| scope.formula(condition, true))?);
                }
                Op::Fence(it) if it.location.is_none() => fence |= it.orders.contains(Orders::WR),
                Op::Together { stores: all } => stores = all,
                Op::Forget { .. } => {}
                _ => return unsupported("a step"),
            }
            if formulas.last().and_then(constant) == Some(false) {
                return Ok(true);
            }
        }
        // What the step makes of every cell that the cube speaks of.
        let mut cells: BTreeSet<(u32, Vec<usize>)> = BTreeSet::new();
        for literal in &self.cube.literals {
            literal.walk(&mut |term| {
                if let Kind::Content(address) = term.kind()
                    && let Kind::Address { variable, indices } = address.kind()
                {
                    let place = |index: &Term| match index.kind() {
                        Kind::Symbol(wattle_logic::Symbol::Bound(bound)) => *bound as usize,
                        _ => usize::MAX,
                    };
                    cells.insert((*variable, indices.iter().map(place).collect()));
                }
            });
        }
        for read in &self.cube.reads {
            cells.insert((read.cell.variable, read.cell.indices.iter().map(|i| *i as usize).collect()));
        }
        let mut after = std::collections::BTreeMap::new();
        for (variable, indices) in cells {
            let effect = self.effect(&mut table, stores, variable, &indices)?;
            after.insert((variable, indices), effect);
        }
        let external: BTreeSet<usize> = (self.cube.reads.iter())
            .filter(|read| read.by as usize != self.me && is_written(&after, &read.cell))
            .map(|read| read.instant as usize)
            .collect();
        let external: Vec<usize> = external.into_iter().collect();
        let mut ways = vec![vec![]];
        for _ in &external {
            ways = ways
                .iter()
                .flat_map(|way: &Vec<u8>| (0..3).map(move |c| [&way[..], &[c]].concat()))
                .collect();
        }
        for way in ways {
            let fate = |instant: u32| {
                let at = external.iter().position(|other| *other == instant as usize);
                at.map(|at| way[at])
            };
            if !self.is_way_covered(&formulas, fence, stores, &after, &fate, &external, &table)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `fate` of an instant whose reads may be satisfied: 0 none of its cells is written, 1 the step comes first, 2 the instant does.
    #[allow(clippy::too_many_arguments)]
    fn is_way_covered(
        &mut self,
        formulas: &[Term],
        fence: bool,
        stores: &[Broadcast],
        after: &After,
        fate: &dyn Fn(u32) -> Option<u8>,
        external: &[usize],
        table: &Table,
    ) -> Result<bool, Reason> {
        let mut table = Table { keys: table.keys.clone() };
        let mut formulas = formulas.to_vec();
        let mut changed = false;
        let mut reads = vec![];
        let mut some = std::collections::BTreeMap::new();
        for read in &self.cube.reads {
            let place = |i: &u32| *i as usize;
            let indices: Vec<usize> = read.cell.indices.iter().map(place).collect();
            let before = table.variable(Key::Read(
                place(&read.instant),
                place(&read.by),
                read.cell.variable,
                indices.clone(),
            ));
            let (written, value) = &after[&(read.cell.variable, indices)];
            let taken = Term::if_then_else(written.clone(), value.clone(), before.clone());
            let is_written = constant(written) != Some(false);
            if place(&read.by) == self.me {
                changed |= is_written;
                reads.push(Some(Meaning::Term(if is_written { taken } else { before })));
                continue;
            }
            let fate = if is_written { fate(read.instant) } else { None };
            match fate {
                Some(0) => formulas.push(Term::unary(Unary::Not, written.clone())),
                Some(_) => {
                    let any = some.entry(read.instant).or_insert_with(|| Term::bool(false));
                    *any = Term::binary(Binary::Or, any.clone(), written.clone());
                }
                None => {}
            }
            changed |= fate == Some(1);
            reads.push(Some(Meaning::Term(if fate == Some(1) { taken } else { before })));
        }
        formulas.extend(some.into_values());
        if formulas.iter().any(|formula| constant(formula) == Some(false)) {
            return Ok(true);
        }
        let bound: Vec<(u32, usize)> = (0..self.cube.numbers.len()).map(|i| (i as u32, i)).collect();
        {
            let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
                if variable == u32::MAX {
                    return Ok(table.variable(Key::Process(indices[0])));
                }
                let before = table.variable(Key::Cell(variable, indices.clone()));
                let (written, value) = &after[&(variable, indices)];
                Ok(match constant(written) {
                    Some(false) => before,
                    _ => {
                        changed = true;
                        Term::if_then_else(written.clone(), value.clone(), before)
                    }
                })
            };
            let (places, numbers) = (self.numbers.len(), &self.numbers[..]);
            let mut scope = Scope { places, numbers, me: None, locals: reads, bound, look: &mut look };
            for literal in &self.cube.literals {
                formulas.push(scope.formula(literal, true)?);
            }
        }
        // A step that changes nothing of what the cube says leads into it from inside.
        if !changed || formulas.iter().any(|formula| constant(formula) == Some(false)) {
            return Ok(true);
        }
        let Some(instants) = self.instants(&mut table, fence, stores, fate, external, &formulas)? else {
            return Ok(true);
        };
        self.checker.steps += 1;
        let numbers = self.numbers.clone();
        self.checker.is_covered(Situation { numbers, formulas, instants, table })
    }

    /// The order with the step in it.
    fn instants(
        &mut self,
        table: &mut Table,
        fence: bool,
        stores: &[Broadcast],
        fate: &dyn Fn(u32) -> Option<u8>,
        external: &[usize],
        formulas: &[Term],
    ) -> Result<Option<Vec<Instant>>, Reason> {
        if !self.checker.buffers {
            return Ok(Some(vec![]));
        }
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
        if weak.is_empty() && !seen && !fence {
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
        let with =
            |wanted: u8| external.iter().copied().filter(|i| fate(*i as u32) == Some(wanted)).collect();
        let event = order::Event {
            by: self.me as u32,
            reads: seen,
            writes: !weak.is_empty(),
            fence,
            read,
            written,
            arrays,
            before: with(1),
            after: with(2),
        };
        Ok(order::extended(&self.cube.instants, &event))
    }

    /// When the step writes a cell, and what.
    fn effect(
        &mut self,
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
    fn said<T>(
        &self,
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
        let (places, me, locals) = (self.numbers.len(), Some(self.me), self.locals.clone());
        let mut scope = Scope { places, numbers: &self.numbers, me, locals, bound: vec![], look: &mut look };
        say(&mut scope)
    }
}

type After = std::collections::BTreeMap<(u32, Vec<usize>), (Term, Term)>;

fn is_written(after: &After, cell: &Cell) -> bool {
    let indices = cell.indices.iter().map(|i| *i as usize).collect();
    after.get(&(cell.variable, indices)).is_some_and(|(written, _)| constant(written) != Some(false))
}
