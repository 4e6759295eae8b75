//! Structures mean what programs mean.
//!
//! Reads and choices get all values (or random ones, where there are too many). Whatever the structure
//! then says that a thread does is run by `wattle_program::step`, event by event, dependencies by the
//! recorder of `wattle_memory`; and every way through the program that ends within the bound is one
//! that the structure knows.

use std::collections::{BTreeSet, VecDeque};

use wattle_engine::{Property, Task};
use wattle_generate::{Profile, Rng};
use wattle_logic::{Fault, Value};
use wattle_memory::events::{Recorder, Surroundings};
use wattle_memory::operational::{State, View};
use wattle_memory::{Event, Execution};
use wattle_program::step::{Choices, Memory, Remote, Stop, ThreadState, step};
use wattle_program::symbolic::formula::speaks_of_memory;
use wattle_program::symbolic::{Arena, Expr, Node};
use wattle_program::{Cfg, EdgeId, Fence, Mode, Op, Program, PropertyKind, Shape, Tags, ThreadId};

use crate::encode::property::{Asked, ask, standing};
use crate::unroll::structure::{Dependency, EventId, Failure, Input, Step, Structure};
use crate::unroll::{Options, Wanted, everywhere, unroll};

const UNWIND: u32 = 1;

/// Reads return one of these.
const VALUES: [i64; 2] = [0, 1];

/// Choices are made among this many values at most.
const FEW: i64 = 3;

type Taken = Vec<(EdgeId, Vec<i64>)>;

/// What a thread did, and what it read.
type Way = (Taken, Vec<i64>);

/// What a thread did, and where it stands.
struct Replayed {
    way: Way,
    ended: bool,
    stands: bool,
    state: ThreadState,
}

#[derive(Clone, Copy)]
struct World<'w> {
    program: &'w Program,
    shape: &'w Shape,
    structure: &'w Structure<'w>,
    thread: ThreadId,
}

fn sort_of(program: &Program, shape: &Shape, location: u32) -> wattle_logic::Sort {
    program.variables[shape.locations[location as usize].variable as usize].sort
}

/// Can a location hold this?
fn holds(program: &Program, shape: &Shape, location: u32, code: i64) -> bool {
    let variable = &program.variables[shape.locations[location as usize].variable as usize];
    let exists = match variable.sort {
        wattle_logic::Sort::Address => (code as usize) < shape.locations.len(),
        wattle_logic::Sort::Enum(number) => {
            (code as usize) < program.enumerations[number as usize].constructors.len()
        }
        _ => true,
    };
    exists && variable.range.is_none_or(|range| range.contains(code))
}

/// Memory as the structure tells it.
struct Told<'w> {
    world: &'w World<'w>,
    reads: VecDeque<(u32, i64)>,
    conditional: VecDeque<bool>,
    reserved: Option<u32>,
}

impl Told<'_> {
    fn read(&mut self, location: u32) -> Result<Value, Stop> {
        let (at, code) = self.reads.pop_front().ok_or(Stop::NotEnabled)?;
        assert_eq!(at, location, "the read goes elsewhere");
        Ok(sort_of(self.world.program, self.world.shape, location).decode(code).unwrap())
    }
}

impl Memory for Told<'_> {
    fn load(&mut self, location: u32, _: Mode, _: &Tags) -> Result<Value, Stop> {
        self.read(location)
    }
    fn store(&mut self, _: u32, _: Value, _: Mode, _: &Tags) -> Result<(), Stop> {
        Ok(())
    }
    fn fence(&mut self, _: &Fence, _: Option<u32>) -> Result<(), Stop> {
        Ok(())
    }
    fn remote(&mut self, _: Remote) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
    fn flush(&mut self, _: ThreadId) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
    fn load_exclusive(&mut self, location: u32, _: &Tags) -> Result<Value, Stop> {
        self.reserved = Some(location);
        self.read(location)
    }
    fn store_conditional(&mut self, location: u32, _: &Value, _: &Tags) -> Result<bool, Stop> {
        let happens = self.conditional.pop_front().unwrap_or(false);
        let reserved = self.reserved.take();
        assert!(!happens || reserved == Some(location), "a store without a reservation");
        Ok(happens)
    }
}

struct Given(VecDeque<i64>);

impl Choices for Given {
    fn knows(&self) -> bool {
        true
    }
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        self.0.pop_front().filter(|code| low <= *code && *code <= high)
    }
}

/// The reads and cells below some expressions.
fn leaves(arena: &Arena<'_>, exprs: &[Expr]) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let (mut reads, mut cells) = (BTreeSet::new(), BTreeSet::new());
    let mut seen = vec![false; arena.len()];
    let mut open = exprs.to_vec();
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut seen[expr.0 as usize], true) {
            continue;
        }
        match arena.node(expr) {
            Node::Constant(_) => {}
            Node::Read(read) => {
                reads.insert(read);
            }
            Node::Cell(cell) => {
                cells.insert(cell);
            }
            Node::Unary(_, _, a)
            | Node::Wrap(_, a)
            | Node::Number(a)
            | Node::Pointer(a)
            | Node::Content(_, a) => open.push(a),
            Node::Binary(_, _, a, b) | Node::Element(a, b, _) => open.extend([a, b]),
            Node::If(a, b, c) => open.extend([a, b, c]),
        }
    }
    (reads, cells)
}

/// What the structure says of a thread, under these values.
struct Said<'w> {
    world: &'w World<'w>,
    /// Of all expressions.
    values: Vec<Result<i64, Fault>>,
    reads: &'w [i64],
    cells: &'w [i64],
}

/// What `step` and the recorder make of it.
struct Ran {
    state: ThreadState,
    execution: Execution,
    /// The assertions that do not hold: steps and operations.
    failed: BTreeSet<(u32, usize)>,
    way: Taken,
}

impl Said<'_> {
    fn value(&self, expr: Expr) -> Result<i64, Fault> {
        self.values[expr.0 as usize]
    }

    fn is(&self, expr: Expr) -> bool {
        self.value(expr).unwrap_or_else(|fault| panic!("a guard faults: {fault}")) != 0
    }

    /// Do all requirements hold that speak of what the thread's expressions speak of?
    fn meets_requirements(&self, own: &[Expr]) -> bool {
        let structure = self.world.structure;
        let mine = leaves(&structure.arena, own);
        structure.requirements.iter().all(|requirement| {
            let (reads, cells) = leaves(&structure.arena, &[*requirement]);
            let concerns =
                reads.iter().any(|it| mine.0.contains(it)) || cells.iter().any(|it| mine.1.contains(it));
            !concerns || self.is(*requirement)
        })
    }

    fn happening(&self) -> Vec<EventId> {
        let events = self.world.own_events().into_iter();
        events.filter(|event| self.is(self.world.structure.events[*event as usize].guard)).collect()
    }

    /// Where the thread reads and what; `None` if a location cannot hold that.
    fn told(&self, happening: &[EventId]) -> Option<VecDeque<(u32, i64)>> {
        let World { program, shape, structure, .. } = *self.world;
        let address = |event: EventId| self.value(structure.events[event as usize].address).unwrap() as u32;
        let told: VecDeque<(u32, i64)> = (happening.iter())
            .filter(|event| structure.events[**event as usize].access.reads())
            .map(|event| (address(*event), self.reads[*event as usize]))
            .collect();
        told.iter().all(|(location, code)| holds(program, shape, *location, *code)).then_some(told)
    }

    fn is_own(&self, step: u32) -> bool {
        self.world.structure.steps[step as usize].thread == self.world.thread
    }

    /// The steps that the thread takes.
    fn taken(&self) -> Vec<u32> {
        let steps = &self.world.structure.steps;
        let own = (0..steps.len() as u32).filter(|step| self.is_own(*step));
        own.filter(|step| self.is(steps[*step as usize].taken)).collect()
    }

    fn failures<'f>(&self, failures: &'f [Failure]) -> Vec<&'f Failure> {
        failures.iter().filter(|failure| self.is_own(failure.step) && self.is(failure.when)).collect()
    }

    /// Whether each store-conditional on the way succeeds.
    fn conditional(&self, taken: &[u32], happening: &[EventId]) -> VecDeque<bool> {
        let structure = self.world.structure;
        let tries = |step: &&u32| {
            let edge = self.world.cfg().edge(structure.steps[**step as usize].edge);
            edge.ops.iter().any(|op| matches!(op, Op::StoreConditional { .. }))
        };
        let writes = |step: &u32| {
            happening.iter().any(|event| {
                let event = &structure.events[*event as usize];
                event.step == *step && event.access.writes()
            })
        };
        taken.iter().filter(tries).map(writes).collect()
    }

    /// What the `havoc`s of a step choose.
    fn chosen(&self, step: &Step) -> Vec<i64> {
        step.choices.iter().map(|input| self.cells[*input as usize]).collect()
    }

    fn run(&self, taken: &[u32], memory: &mut Told<'_>) -> Option<Ran> {
        let World { program, shape, structure, thread } = *self.world;
        let state = self.world.start()?;
        let mut ran =
            Ran { state, execution: Execution::default(), failed: BTreeSet::new(), way: Vec::new() };
        let mut recorder = Recorder::new(thread);
        (0..shape.locations.len() as u32)
            .for_each(|at| ran.execution.events.push(Event::initial(at, Value::Int(0))));
        for number in taken {
            let info = &structure.steps[*number as usize];
            let edge = self.world.cfg().edge(info.edge);
            assert_eq!(edge.from, ran.state.point, "the thread is elsewhere");
            let chosen = self.chosen(info);
            let mut choices = Given(chosen.clone().into());
            let stepped = step(program, shape, thread, &ran.state, edge, memory, &mut choices);
            let stepped = match stepped {
                Err(Stop::Fault { fault: Fault::Overflow, .. }) => return None,
                other => other.unwrap_or_else(|stop| panic!("edge {} is not taken: {stop:?}", info.edge.0)),
            };
            let world = Surroundings { program, shape };
            let (locals, accesses) = (&ran.state.locals, &stepped.accesses);
            recorder.record(world, (info.edge, edge), locals, accesses, &mut ran.execution);
            ran.failed.extend(stepped.failed.iter().map(|op| (*number, *op)));
            ran.state = stepped.state;
            ran.way.push((info.edge, chosen));
        }
        Some(ran)
    }

    /// The step that is said to have no result has none, for the reason that is said.
    fn check_fault(&self, failure: &Failure, state: &ThreadState, memory: &Told<'_>) {
        let World { program, shape, structure, thread } = *self.world;
        let info = &structure.steps[failure.step as usize];
        let edge = self.world.cfg().edge(info.edge);
        let (reads, conditional) = (memory.reads.clone(), VecDeque::new());
        let mut rest = Told { world: self.world, reads, conditional, reserved: None };
        // No choice is made after the fault.
        let mut choices = Given(self.chosen(info)[..failure.choices].to_vec().into());
        let stop = step(program, shape, thread, state, edge, &mut rest, &mut choices);
        assert!(choices.0.is_empty(), "a choice that is not made");
        let expected = Stop::Fault { fault: failure.fault.unwrap(), op: failure.op };
        assert_eq!(stop, Err(expected));
    }

    /// The thread is where the structure says. Has it ended, and does the structure say that it stands?
    fn check_end(&self, state: &ThreadState) -> (bool, bool) {
        let threaded = &self.world.structure.threads[self.world.thread.0 as usize];
        let ended = threaded.ended.is_some_and(|ended| self.is(ended));
        assert_eq!(ended, self.world.cfg().point(state.point).end, "ended");
        let stands: Vec<_> = threaded.stands.iter().filter(|stand| self.is(stand.when)).collect();
        assert!(stands.len() <= 1, "a thread stands in two places");
        for stand in &stands {
            assert_eq!(stand.point, state.point);
            for (local, expr) in state.locals.iter().zip(&stand.locals) {
                assert_eq!(local.code(), self.value(*expr).ok(), "a local in the end");
            }
        }
        for cut in &threaded.cuts {
            assert!(!self.is(cut.when) || cut.head == state.point, "cut elsewhere");
        }
        (ended, !stands.is_empty())
    }
}

impl World<'_> {
    fn cfg(&self) -> &Cfg {
        &self.program.process(self.shape.info(self.thread).process).cfg
    }

    fn start(&self) -> Option<ThreadState> {
        let locals = self.shape.initial_locals(self.program, self.thread).unwrap();
        let locals: Option<Vec<Value>> = locals.into_iter().collect();
        let process = self.program.process(self.shape.info(self.thread).process);
        Some(ThreadState { point: process.cfg.entry, locals: locals? })
    }

    fn own_events(&self) -> Vec<EventId> {
        let events = self.structure.events.iter().enumerate();
        events
            .filter(|(_, event)| event.thread == Some(self.thread))
            .map(|(number, _)| number as u32)
            .collect()
    }

    /// Everything that the thread's part of the structure speaks of.
    fn exprs(&self) -> Vec<Expr> {
        let structure = self.structure;
        let threaded = &structure.threads[self.thread.0 as usize];
        let mut exprs: Vec<Expr> = threaded.ended.into_iter().chain(threaded.cut).collect();
        exprs.extend(threaded.stands.iter().map(|stand| stand.when));
        let own = |step: u32| structure.steps[step as usize].thread == self.thread;
        exprs.extend(structure.steps.iter().filter(|step| step.thread == self.thread).map(|step| step.taken));
        let failures = structure.assertions.iter().chain(&structure.faults);
        exprs.extend(failures.filter(|failure| own(failure.step)).map(|failure| failure.when));
        for event in self.own_events() {
            let event = &structure.events[event as usize];
            exprs.extend([event.guard, event.address].into_iter().chain(event.written));
        }
        let cells: Vec<Expr> = structure
            .steps
            .iter()
            .filter(|step| step.thread == self.thread)
            .flat_map(|step| &step.choices)
            .filter_map(|input| {
                (0..structure.arena.len() as u32)
                    .map(Expr)
                    .find(|expr| structure.arena.node(*expr) == Node::Cell(*input))
            })
            .collect();
        exprs.extend(cells);
        exprs
    }

    /// Run what the structure says under these values; `None` if they do not make an execution.
    fn replay(&self, reads: &[i64], cells: &[i64], own: &[Expr]) -> Option<Replayed> {
        let said =
            Said { world: self, values: self.structure.arena.evaluate_all(reads, cells), reads, cells };
        if own.iter().any(|expr| said.value(*expr) == Err(Fault::Overflow)) || !said.meets_requirements(own) {
            return None;
        }
        let happening = said.happening();
        let told = said.told(&happening)?;
        let read_values = told.iter().map(|(_, code)| *code).collect();
        let taken = said.taken();
        let faults = said.failures(&self.structure.faults);
        assert!(faults.len() <= 2, "one fault at most, but for the two sides of a branch");
        let conditional = said.conditional(&taken, &happening);
        let mut memory = Told { world: self, reads: told, conditional, reserved: None };
        let ran = said.run(&taken, &mut memory)?;
        faults.iter().for_each(|failure| said.check_fault(failure, &ran.state, &memory));
        if !faults.is_empty() {
            return None;
        }
        self.compare(&happening, &said.values, reads, &ran.execution, &taken);
        let asserted = said.failures(&self.structure.assertions);
        let asserted: BTreeSet<(u32, usize)> =
            asserted.iter().map(|failure| (failure.step, failure.op.unwrap())).collect();
        assert_eq!(asserted, ran.failed, "assertions");
        let (ended, stands) = said.check_end(&ran.state);
        Some(Replayed { way: (ran.way, read_values), ended, stands, state: ran.state })
    }

    /// The events and dependencies of the structure against those of the recorder.
    fn compare(
        &self,
        happening: &[EventId],
        values: &[Result<i64, Fault>],
        reads: &[i64],
        execution: &Execution,
        taken: &[u32],
    ) {
        let structure = self.structure;
        let first = self.shape.locations.len();
        assert_eq!(happening.len() + first, execution.events.len(), "numbers of events");
        for (number, event) in happening.iter().enumerate() {
            let info = &structure.events[*event as usize];
            let real = &execution.events[first + number];
            let place = real.location().map(i64::from);
            if place.is_some() {
                assert_eq!(values[info.address.0 as usize].ok(), place, "address");
            }
            assert_eq!(
                info.access.reads().then(|| reads[*event as usize]),
                real.read().and_then(Value::code)
            );
            let written = info.written.and_then(|written| values[written.0 as usize].ok());
            assert_eq!(written, real.written().and_then(Value::code), "what is written");
            assert_eq!((&info.tags, info.locked, info.orders), (&real.tags, real.locked, real.orders));
            assert_eq!(taken[real.instruction as usize], info.step, "the step of an event");
            for (earlier, other) in happening[..number].iter().enumerate() {
                let before = execution.events[first + earlier].instruction < real.instruction;
                assert_eq!(structure.before[*event as usize].contains(other), before, "program order");
            }
        }
        let place =
            |event: EventId| happening.iter().position(|other| *other == event).map(|at| (first + at) as u32);
        let pairs = |list: &[Dependency]| -> Vec<(u32, u32)> {
            let holding = list.iter().filter(|pair| values[pair.when.0 as usize] == Ok(1));
            let mut pairs: Vec<_> =
                holding.filter_map(|pair| Some((place(pair.from)?, place(pair.to)?))).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(pairs(&structure.address), execution.address, "address");
        assert_eq!(pairs(&structure.data), execution.data, "data");
        assert_eq!(pairs(&structure.control), execution.control, "control");
        assert_eq!(pairs(&structure.pick), execution.pick, "pick");
        assert_eq!(pairs(&structure.pick_address), execution.pick_address, "pick address");
        assert_eq!(pairs(&structure.pick_data), execution.pick_data, "pick data");
        let mut together: Vec<(u32, u32)> = (structure.read_modify_write.iter())
            .filter(|pair| values[pair.when.0 as usize] == Ok(1))
            .filter_map(|pair| Some((place(pair.read)?, place(pair.write)?)))
            .collect();
        together.sort_unstable();
        let mut real = execution.read_modify_write.clone();
        real.sort_unstable();
        assert_eq!(together, real, "read-modify-write");
    }

    /// Every way to an end that comes to each point at most `UNWIND + 1` times.
    fn ways(&self) -> Option<BTreeSet<Way>> {
        let cfg = &self.program.process(self.shape.info(self.thread).process).cfg;
        let visits = vec![0; cfg.points.len()];
        let mut open: Vec<(ThreadState, Way, Vec<u32>)> = vec![(self.start()?, Way::default(), visits)];
        let mut ways = BTreeSet::new();
        while let Some((state, way, mut visits)) = open.pop() {
            if cfg.point(state.point).end {
                ways.insert(way);
                continue;
            }
            visits[state.point.0 as usize] += 1;
            if visits[state.point.0 as usize] > UNWIND + 1 {
                continue;
            }
            if open.len() + ways.len() > 3000 {
                return None;
            }
            for id in cfg.leaving(state.point) {
                let edge = cfg.edge(id);
                let mut scripts = vec![(vec![], vec![])];
                while let Some((reads, chosen)) = scripts.pop() {
                    let mut trial = Trial { world: self, reads: reads.clone().into(), short: false };
                    let mut choices = Few { given: chosen.clone().into(), short: None };
                    let stepped =
                        step(self.program, self.shape, self.thread, &state, edge, &mut trial, &mut choices);
                    if trial.short {
                        scripts.extend(VALUES.map(|value| ([&reads[..], &[value]].concat(), chosen.clone())));
                    } else if let Some((low, high)) = choices.short {
                        let few = low..=high.min(low + FEW - 1);
                        scripts.extend(few.map(|value| (reads.clone(), [&chosen[..], &[value]].concat())));
                    } else if let Ok(stepped) = stepped {
                        let mut way = way.clone();
                        way.0.push((id, chosen));
                        way.1.extend(&reads);
                        open.push((stepped.state, way, visits.clone()));
                    }
                }
            }
        }
        Some(ways)
    }
}

/// Memory that returns what a script says, and says when the script is too short.
struct Trial<'w> {
    world: &'w World<'w>,
    reads: VecDeque<i64>,
    short: bool,
}

impl Memory for Trial<'_> {
    fn load(&mut self, location: u32, _: Mode, _: &Tags) -> Result<Value, Stop> {
        let Some(code) = self.reads.pop_front() else {
            self.short = true;
            return Err(Stop::NotEnabled);
        };
        if !holds(self.world.program, self.world.shape, location, code) {
            return Err(Stop::NotEnabled);
        }
        Ok(sort_of(self.world.program, self.world.shape, location).decode(code).unwrap())
    }
    fn store(&mut self, _: u32, _: Value, _: Mode, _: &Tags) -> Result<(), Stop> {
        Ok(())
    }
    fn fence(&mut self, _: &Fence, _: Option<u32>) -> Result<(), Stop> {
        Ok(())
    }
    fn remote(&mut self, _: Remote) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
    fn flush(&mut self, _: ThreadId) -> Result<(), Stop> {
        Err(Stop::NotEnabled)
    }
}

struct Few {
    given: VecDeque<i64>,
    short: Option<(i64, i64)>,
}

impl Choices for Few {
    fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        let next = self.given.pop_front();
        if next.is_none() && low <= high {
            self.short = Some((low, high));
        }
        next
    }
}

#[derive(Debug, Default)]
struct Tally {
    threads: u32,
    complete: u32,
    executions: u32,
    ended: u32,
    /// Try all combinations up to this many.
    most: u64,
}

/// Up to so many combinations of values are all tried.
const MOST: u64 = 512;

fn check(name: &str, program: &Program, options: &Options, rng: &mut Rng, tally: &mut Tally) {
    let Ok(shape) = Shape::new(program) else { return };
    let Ok(structure) = unroll(program, &shape, options) else { return };
    for thread in shape.thread_ids() {
        let world = World { program, shape: &shape, structure: &structure, thread };
        let own = world.exprs();
        let cells: Vec<u32> = leaves(&structure.arena, &own).1.into_iter().collect();
        let reads: Vec<EventId> = (world.own_events().into_iter())
            .filter(|event| structure.events[*event as usize].access.reads())
            .collect();
        let low = |cell: &u32| structure.inputs[*cell as usize].low;
        let size = |cell: &u32| (structure.inputs[*cell as usize].high - low(cell) + 1).clamp(0, FEW) as u64;
        let sizes: Vec<u64> =
            reads.iter().map(|_| VALUES.len() as u64).chain(cells.iter().map(size)).collect();
        let all =
            sizes.iter().try_fold(1_u64, |all, size| all.checked_mul(*size)).filter(|all| *all <= tally.most);
        let mut found = BTreeSet::new();
        for trial in 0..all.unwrap_or(tally.most / 8) {
            let mut rest = trial;
            let mut digits = sizes.iter().map(|size| match all {
                Some(_) => {
                    let digit = rest % size;
                    rest /= size;
                    digit
                }
                None => u64::from(rng.below(*size as u32)),
            });
            let mut values = vec![0; structure.events.len()];
            reads.iter().for_each(|read| values[*read as usize] = VALUES[digits.next().unwrap() as usize]);
            let mut inputs: Vec<i64> = structure.inputs.iter().map(|input| input.low).collect();
            // Where a smaller bound can be asked about, that one must have all its ways.
            let stops: Vec<usize> = (structure.stops.iter())
                .map(|stop| match structure.arena.node(stop.when) {
                    Node::Cell(cell) => cell as usize,
                    _ => panic!("no free condition"),
                })
                .collect();
            stops.iter().for_each(|stop| inputs[*stop] = 1);
            cells.iter().for_each(|cell| inputs[*cell as usize] = low(cell) + digits.next().unwrap() as i64);
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                world.replay(&values, &inputs, &own)
            }));
            let result = result.unwrap_or_else(|_| {
                panic!(
                    "{name}, thread {}, reads {values:?}, inputs {inputs:?}:\n{}",
                    thread.0,
                    wattle_program::text::print(program)
                )
            });
            if let Some(replayed) = result {
                tally.executions += 1;
                tally.ended += u32::from(replayed.ended);
                if replayed.ended && stops.iter().all(|stop| inputs[*stop] == 1) {
                    found.insert(replayed.way);
                }
            }
        }
        tally.threads += 1;
        let exclusive = |op: &Op| matches!(op, Op::LoadExclusive { .. } | Op::StoreConditional { .. });
        let process = program.process(shape.info(thread).process);
        if all.is_some() && !process.cfg.edges.iter().any(|edge| edge.ops.iter().any(exclusive)) {
            let Some(ways) = world.ways() else { continue };
            tally.complete += 1;
            for way in ways {
                assert!(
                    found.contains(&way),
                    "{name}, thread {}: {way:?} is lost:\n{}",
                    thread.0,
                    wattle_program::text::print(program)
                );
            }
        }
    }
}

#[test]
fn random_programs() {
    let mut rng = Rng::new(1);
    let mut tally = Tally { most: MOST, ..Tally::default() };
    for seed in 0..1500 {
        let profile = Profile { loops: 120, faults: 60, pointers: 80, ..Profile::varied(seed) };
        let program = Program { init: None, ..wattle_generate::program(seed, &profile) };
        let mut options =
            Options { unwind: UNWIND, fold: 30, wanted: Wanted::ALL, awaits: false, ..Options::default() };
        if seed % 3 == 0 {
            options.standing = everywhere(&program);
        }
        if seed % 4 == 0 {
            (options.unwind, options.smaller) = (UNWIND + 1, vec![UNWIND]);
        }
        check(&format!("seed {seed}"), &program, &options, &mut rng, &mut tally);
    }
    assert!(tally.complete > 200 && tally.ended > 5000, "{tally:?}");
}

/// Litmus tests have what random programs lack: exclusives, updates, selections.
#[test]
fn litmus_tests() {
    let mut rng = Rng::new(2);
    let mut tally = Tally { most: MOST, ..Tally::default() };
    for text in super::litmus() {
        let Ok(parsed) = wattle_frontend_litmus::FRONTEND.read("test.litmus", &text) else { continue };
        let mut options =
            Options { unwind: UNWIND, wanted: Wanted::ALL, awaits: false, ..Options::default() };
        check(&text, &parsed.program, &options, &mut rng, &mut tally);
        options.standing = everywhere(&parsed.program);
        check(&text, &parsed.program, &options, &mut rng, &mut tally);
    }
    assert!(tally.complete > 200 && tally.ended > 2000, "{tally:?}");
}

/// A violated property is violated where the threads stand; and if all stand where the structure says,
/// it is not violated without the structure saying so.
#[test]
fn properties() {
    let mut rng = Rng::new(3);
    let mut found = 0;
    for seed in 0..4000 {
        let profile = Profile { loops: 60, ..Profile::varied(seed) };
        let program = Program { init: None, ..wattle_generate::program(seed, &profile) };
        let Ok(shape) = Shape::new(&program) else { continue };
        let state_speaks = |property: &wattle_program::Property| {
            property.kind != PropertyKind::Finally && speaks_of_memory(&property.formula)
        };
        if program.properties.is_empty() || program.properties.iter().any(state_speaks) {
            continue;
        }
        let options = Options {
            unwind: UNWIND,
            fold: 30,
            wanted: Wanted::ALL,
            standing: standing(&program),
            ..Options::default()
        };
        let Ok(mut structure) = unroll(&program, &shape, &options) else { continue };
        let memory = wattle_memory::find("sc").unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let Ok(asked) = ask(&task, &shape, &mut structure) else { continue };
        let thread = ThreadId(0);
        let world = World { program: &program, shape: &shape, structure: &structure, thread };
        let worlds: Vec<World<'_>> = shape.thread_ids().map(|thread| World { thread, ..world }).collect();
        let own: Vec<Vec<Expr>> = worlds.iter().map(World::exprs).collect();
        for _ in 0..60 {
            let (values, inputs) = random_values(&structure, &mut rng);
            let replayed: Option<Vec<Replayed>> =
                worlds.iter().zip(&own).map(|(world, own)| world.replay(&values, &inputs, own)).collect();
            let Some(replayed) = replayed else { continue };
            let results = structure.arena.evaluate_all(&values, &inputs);
            found += check_properties(&world, &asked, &replayed, &inputs, &results, seed);
        }
    }
    assert!(found > 1000, "{found}");
}

/// What reads return, and what is chosen.
fn random_values(structure: &Structure<'_>, rng: &mut Rng) -> (Vec<i64>, Vec<i64>) {
    let values = structure.events.iter().map(|_| VALUES[rng.below(2) as usize]).collect();
    let mut choose = |input: &Input| {
        let high = input.high.min(input.low.saturating_add(FEW - 1));
        input.low + i64::from(rng.below((high - input.low + 1).max(1) as u32))
    };
    let mut inputs: Vec<i64> = structure.inputs.iter().map(&mut choose).collect();
    structure.finals.iter().for_each(|(_, input)| inputs[*input as usize] = i64::from(rng.below(2)));
    (values, inputs)
}

/// The properties of a program against what the structure says of them, in the state that the threads
/// have come to. How many are violated as the structure says.
fn check_properties(
    world: &World<'_>,
    asked: &Asked,
    replayed: &[Replayed],
    inputs: &[i64],
    results: &[Result<i64, Fault>],
    seed: u64,
) -> u32 {
    let World { program, shape, structure, .. } = *world;
    let mut memory: Vec<Value> =
        (0..shape.locations.len() as u32).map(|location| sort_of(program, shape, location).zero()).collect();
    for (location, input) in &structure.finals {
        let sort = sort_of(program, shape, *location);
        memory[*location as usize] = sort.decode(inputs[*input as usize]).unwrap();
    }
    let threads: Vec<ThreadState> = replayed.iter().map(|one| one.state.clone()).collect();
    let idle = threads.len();
    let state = State { threads, memory, stores: vec![vec![]; idle], halves: vec![vec![]; idle] };
    let view = View { program, shape, state: &state };
    let allowed = program.filter.as_ref().is_none_or(|filter| filter.evaluate_bool(&view).unwrap_or(false));
    let ends = replayed.iter().all(|one| one.ended) && allowed;
    if results[asked.ends.0 as usize].is_ok() {
        assert_eq!(results[asked.ends.0 as usize], Ok(i64::from(ends)), "seed {seed}");
    }
    let mut found = 0;
    for (violation, when) in &asked.violations {
        let wattle_engine::Violation::Property { property } = violation else { continue };
        let property = &program.properties[*property];
        let Ok(value) = property.formula.evaluate_bool(&view) else { continue };
        let real = match property.kind {
            PropertyKind::Forbid => value,
            PropertyKind::Always => !value,
            PropertyKind::Finally => !value && ends,
        };
        let told = results[when.0 as usize] == Ok(1);
        found += u32::from(told);
        let text = || wattle_program::text::print(program);
        assert!(!told || real, "seed {seed}: no violation\n{}", text());
        let stand = replayed.iter().all(|one| one.stands);
        assert!(told || !real || !stand, "seed {seed}: a violation is missed\n{}", text());
    }
    found
}

/// Jumps out of, into and across loops.
#[test]
fn jumps() {
    let mut rng = Rng::new(4);
    let texts = [
        "local r = x; if (r == 0) { goto in; } head: y = 1; in: r = x; if (r == 1) { goto head; } y = 2;",
        "local r = 0; a: r = x; if (r == 0) { goto c; } b: y = r; if (x == 0) { goto a; } c: r = y;
         if (r == 0) { goto b; } x = r;",
        "local i = 0; while (i < 2) { local r = x; i = i + 1; if (r == 1) { continue; } if (y == 1) { break; } y = i; } x = i;",
        "local r = 0; while (x == 0) { while (y == 0) { if (r == 1) { goto out; } r = 1; } } out: x = r;",
        "local r = 0, s = 0; s1: if (r == 0) { r = x; goto s2; } goto s3; s2: s = y; if (s == 1) { goto s1; }
         goto s3; s3: x = s; if (x == 1) { goto s2; } y = r;",
    ];
    let mut tally = Tally { most: 1 << 14, ..Tally::default() };
    for text in texts {
        let program = super::parse(&format!("shared x = 0, y = 0; thread a {{ {text} }}"));
        for everywhere_too in [false, true] {
            let standing = if everywhere_too { everywhere(&program) } else { BTreeSet::new() };
            let options = Options {
                unwind: UNWIND,
                wanted: Wanted::ALL,
                awaits: false,
                standing,
                ..Options::default()
            };
            check(text, &program, &options, &mut rng, &mut tally);
            let more = Options { unwind: UNWIND + 2, smaller: vec![UNWIND, UNWIND + 1], ..options };
            check(text, &program, &more, &mut rng, &mut tally);
        }
    }
    assert!(tally.ended > 50 && tally.complete > 2, "{tally:?}");
}
