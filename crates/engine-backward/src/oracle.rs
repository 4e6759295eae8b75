//! Candidates for invariants, from what small instances reach.
//!
//! Backward reachability knows nothing of which states executions reach, so that it may go back for ever through states that none does
//! (tickets that were drawn before they were issued), or through far too many. Conchon, Goel, Krstić, Mebsout and Zaïdi (*Invariants for Finite
//! Instances and Beyond*, 2013) let it guess: a part of a node that no reachable state of a small instance satisfies is taken for
//! unreachable altogether, and is shown to be so, or not, like everything else that is bad. The node is included in its candidate and needs
//! no further look.
//!
//! **Why sound.** A candidate is one more bad cube: a search that ends has a proof that covers it, and the proof is about the candidates as
//! well. If a candidate can be reached, as far as the search can tell, then nothing follows for what was asked: the candidate is given up,
//! and the search begins again without it.
//!
//! Under tso a cube speaks of reads that nothing has satisfied yet; a candidate has those of one instant. What such a read returns is known from
//! a state only where all stores that were made so far come before it: those of a process that drains its buffer before the instant (or reads itself), if
//! nobody else writes the cell, and those to a cell that is written at the instant or before it, because stores to a cell have an order. Then
//! it returns the newest of them, whether or not that has left its buffer. Other reads may have overtaken stores, and may return
//! anything older: nothing is guessed from them.

use std::cell;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use wattle_engine::{Reason, Run, Spent, Task, Work};
use wattle_logic::{Sort, Term as Formula, Value};
use wattle_memory::operational::{self, MoveResult, State};
use wattle_program::{Choice, Init, Instance, Op, Program, Range, Replicas, Shape};

use crate::cube::{Cube, MOST as MOST_PROCESSES, Node};
use crate::knowledge::Knowledge;
use crate::literal::{Cell, Literal, NONE, Number, Operand, Process, Renaming, Term};
use crate::sum::Relation;
use crate::system::{self, System};

/// Instances with so many copies are looked at.
const COPIES: std::ops::RangeInclusive<u32> = 2..=3;
/// States of one instance. That there are more does no harm but for wrong guesses.
const MOST: usize = 5_000;
/// Integers that are open at the start begin within the first of these that gives at most so many states. A guess is wrong at worst.
const WINDOWS: [(i64, i64); 3] = [(-1, 3), (0, 2), (0, 1)];
const LISTED: i64 = 1_024;
/// What a step may choose for any integer.
const CHOSEN: (i64, i64) = (0, 1);
/// Where that is too many, so many memories are tried, the first with nothing but zero.
const SAMPLES: i64 = 6;
/// What a state of the reference machine costs, with its moves.
const STATE: Work = Work::microseconds(60);
/// What looking at one state for a candidate costs.
const LOOK: Work = Work::nanoseconds(300);

/// What each process sees in the reachable states of small instances.
#[derive(Debug)]
pub(crate) struct Oracle {
    instances: Vec<Views>,
    /// By variable: is each cell written by the process only that is its first index?
    owned: Vec<bool>,
    /// What looking took since somebody asked for it.
    worked: cell::Cell<Work>,
}

/// The states of one instance.
#[derive(Debug)]
struct Views {
    copies: usize,
    /// The number of a location, by variable and then by indices, row by row.
    places: Vec<Vec<usize>>,
    locations: usize,
    /// For each state, what each thread sees at each location, and what memory holds.
    seen: Vec<Vec<i64>>,
}

/// What is kept of a cube: literals with the reads of one instant; who drains before it, and what is written.
#[derive(Clone, Debug)]
struct Part {
    literals: Vec<Literal>,
    drains: u32,
    cells: Vec<Cell>,
}

/// The threads that the processes of a cube are in a state.
type Threads = [u8; MOST_PROCESSES];

impl Part {
    fn names(&self) -> Vec<Process> {
        let mut named: Vec<Process> = self.literals.iter().flat_map(Literal::processes).collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// With these literals; who is not named any more does not drain, and what is not read is not written.
    fn with(&self, literals: Vec<Literal>) -> Part {
        let mut part = Part { literals, ..self.clone() };
        part.drains &= part.names().iter().fold(0, |bits, process| bits | 1 << process);
        let read = |cell: &Cell| {
            part.literals.iter().flat_map(Literal::terms).any(|term| term.is_read() && term.cell == *cell)
        };
        part.cells = self.cells.iter().filter(|cell| read(cell)).copied().collect();
        part
    }

    /// Does it return the newest store?
    fn is_newest(&self, owned: &[bool], term: Term) -> bool {
        let [owner, _] = term.cell.index;
        // A cell without an owner that nobody else writes is written by nobody.
        let by_owner = owned[usize::from(term.cell.variable)]
            && (owner == NONE || owner == term.by || self.drains >> owner & 1 == 1);
        by_owner || self.cells.contains(&term.cell)
    }
}

impl Oracle {
    /// `None`: initial states cannot be listed, or nothing is left of the budget for it.
    pub(crate) fn new(task: &Task<'_>, system: &System, run: &Run) -> Result<Oracle, Reason> {
        let mut instances = vec![];
        for copies in COPIES {
            let copies = system.count.map_or(copies, u32::from);
            if instances.iter().all(|views: &Views| views.copies != copies as usize) {
                instances.extend(views(task, copies, run)?);
            }
        }
        let variables = 0..system.variables.len() as u16;
        let by_owner = |variable: u16| {
            let updates = system.transitions.iter().flat_map(|transition| &transition.updates);
            updates.into_iter().all(|update| update.cell.variable != variable || update.cell.index[0] == 0)
        };
        Ok(Oracle {
            instances,
            owned: variables.map(by_owner).collect(),
            worked: cell::Cell::new(Work::NONE),
        })
    }

    /// What looking took since the last time.
    pub(crate) fn worked(&self) -> Work {
        self.worked.replace(Work::NONE)
    }

    /// A cube that includes the given one, and that no known state satisfies; none of those that were rejected.
    pub(crate) fn candidate(
        &self,
        system: &System,
        cube: &Cube,
        rejected: &HashSet<Cube>,
        run: &Run,
    ) -> Result<Option<Cube>, Reason> {
        let instants = (0..cube.nodes.len() as u8).map(Some);
        for instant in [None].into_iter().chain(instants) {
            let of_instant =
                |l: &&Literal| l.terms().all(|term| !term.is_read() || Some(term.node) == instant);
            let literals: Vec<Literal> = cube.literals.iter().filter(of_instant).copied().collect();
            let node = instant.map(|instant| &cube.nodes[usize::from(instant)]);
            let written = |cell: &Cell| node.is_some_and(|node| node.is_after(*cell));
            let read = literals.iter().flat_map(Literal::terms).map(|term| term.cell);
            let cells: BTreeSet<Cell> = read.filter(written).collect();
            let drains = node.map_or(0, |node| node.drains);
            let part = Part { literals: vec![], drains, cells: cells.into_iter().collect() }.with(literals);
            for backwards in [false, true] {
                let Some(least) = self.least(system, cube, part.clone(), backwards, run)? else { break };
                for node in [None, node] {
                    let found = candidate(system, cube, &least, node);
                    if let Some(found) = found.filter(|found| !rejected.contains(found)) {
                        return Ok(Some(found));
                    }
                }
            }
        }
        Ok(None)
    }

    /// As little as is satisfied by no state: without whole processes first, then without integers, then literal by literal. What goes leaves what
    /// it said of the others (`x < y < z` without `y` is `x + 1 < z`). Two integers that are equal stay so, or are not compared at all: that one is
    /// at most the other would often be a guess about how many there are.
    fn least(
        &self,
        system: &System,
        cube: &Cube,
        mut part: Part,
        backwards: bool,
        run: &Run,
    ) -> Result<Option<Part>, Reason> {
        if self.is_seen(cube, &part, run)? {
            return Ok(None);
        }
        let mut processes: Vec<Process> = (0..cube.processes() as Process).collect();
        if backwards {
            processes.reverse();
        }
        for process in processes {
            if !part.names().contains(&process) {
                continue;
            }
            let about_others = |term: Term| term.processes().all(|p| p != process);
            let mut others = projected(system, cube, &part.literals, &about_others);
            others.retain(|literal| literal.processes().all(|p| p != process));
            let without = part.with(others);
            if !self.is_seen(cube, &without, run)? {
                part = without;
            }
        }
        let mut numbers: Vec<Term> = part.literals.iter().flat_map(Literal::terms).collect();
        numbers.retain(|term| system.variable(term.cell).sort == system::Sort::Integer);
        // Those of no process first: what a process has to do with one of them holds longer than what two of them have to do with each other.
        numbers.sort_unstable_by_key(|term| (term.cell.indices().count(), *term));
        numbers.dedup();
        for number in numbers {
            let without = part.with(projected(system, cube, &part.literals, &|term| term != number));
            if !self.is_seen(cube, &without, run)? {
                part = without;
            }
        }
        if backwards {
            part.literals.reverse();
        }
        let mut at = 0;
        while at < part.literals.len() {
            let opposite = match part.literals[at] {
                Literal::AtMost(x, y, 0) => Some(Literal::AtMost(y, x, 0)),
                _ => None,
            };
            let mut without = part.literals.clone();
            let literal = without.remove(at);
            without.retain(|other| Some(*other) != opposite || *other == literal);
            let without = part.with(without);
            if self.is_seen(cube, &without, run)? {
                at += 1;
            } else {
                part = without;
            }
        }
        for process in part.names() {
            let without = Part { drains: part.drains & !(1 << process), ..part.clone() };
            if without.drains != part.drains && !self.is_seen(cube, &without, run)? {
                part = without;
            }
        }
        for cell in part.cells.clone() {
            let mut without = part.clone();
            without.cells.retain(|other| *other != cell);
            if !self.is_seen(cube, &without, run)? {
                part = without;
            }
        }
        Ok(Some(part))
    }

    /// Does a state satisfy the part? What is about more processes than there are copies is taken to be satisfied.
    fn is_seen(&self, cube: &Cube, part: &Part, run: &Run) -> Result<bool, Reason> {
        let named = part.names();
        let judged = |views: &&Views| named.len() <= views.copies;
        if part.literals.is_empty() || !self.instances.iter().any(|views| judged(&views)) {
            return Ok(true);
        }
        // Literals by the process after which they can be judged.
        let mut stages: Vec<Vec<&Literal>> = vec![vec![]; named.len() + 1];
        for literal in &part.literals {
            if literal.terms().any(|term| term.is_read() && !part.is_newest(&self.owned, term)) {
                continue;
            }
            let place = |process: Process| named.binary_search(&process).map_or(0, |at| at + 1);
            stages[literal.processes().map(place).max().unwrap_or(0)].push(literal);
        }
        for views in self.instances.iter().filter(judged) {
            let mut looked = 0;
            let seen = views.seen.iter().any(|state| {
                looked += 1;
                let mut threads = [u8::MAX; MOST_PROCESSES];
                views.fits(state, cube, &named, &stages, 0, &mut threads)
            });
            self.worked.set(self.worked.get() + LOOK * looked);
            run.poll(LOOK * looked, Spent::default())?;
            if seen {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Views {
    /// Is there a thread for each process that is named, from this one on?
    fn fits(
        &self,
        state: &[i64],
        cube: &Cube,
        named: &[Process],
        stages: &[Vec<&Literal>],
        next: usize,
        threads: &mut Threads,
    ) -> bool {
        if !stages[next].iter().all(|literal| self.holds(state, literal, threads)) {
            return false;
        }
        let Some(process) = named.get(next).map(|process| usize::from(*process)) else { return true };
        for thread in 0..self.copies as u8 {
            let taken = named[..next].iter().any(|other| threads[usize::from(*other)] == thread);
            if taken || cube.pins[process].is_some_and(|pin| pin != thread) {
                continue;
            }
            threads[process] = thread;
            if self.fits(state, cube, named, stages, next + 1, threads) {
                return true;
            }
        }
        false
    }

    fn value(&self, state: &[i64], term: Term, threads: &Threads) -> i64 {
        let thread = |process: Process| usize::from(threads[usize::from(process)]);
        let Cell { variable, index } = term.cell;
        let element = index.into_iter().filter(|i| *i != NONE).fold(0, |at, i| at * self.copies + thread(i));
        let location = self.places[usize::from(variable)][element];
        let seen = |thread: usize| state[thread * self.locations + location];
        let memory = seen(self.copies);
        if term.by == NONE {
            return memory;
        }
        // The newest store is in memory, or in the buffer of whoever sees something else.
        let buffered = (0..self.copies).map(seen).find(|value| *value != memory);
        buffered.unwrap_or(memory)
    }

    fn holds(&self, state: &[i64], literal: &Literal, threads: &Threads) -> bool {
        let operand = |operand: Operand| match operand {
            Operand::Process(process) => i64::from(threads[usize::from(process)]),
            Operand::Term(term) => self.value(state, term, threads),
        };
        let number = |number: Number| number.map_or(0, |term| self.value(state, term, threads));
        match *literal {
            Literal::In(term, mask) => mask >> self.value(state, term, threads) & 1 == 1,
            Literal::Equal(a, b) => operand(a) == operand(b),
            Literal::Differ(a, b) => operand(a) != operand(b),
            Literal::Before(a, b) => operand(a) < operand(b),
            Literal::AtMost(x, y, c) => number(x).saturating_sub(number(y)) <= c,
            Literal::Unequal(x, y, c) => number(x).saturating_sub(number(y)) != c,
            Literal::Sum(sum, relation, c) => {
                let value = sum.parts().fold(0i64, |value, (factor, term)| {
                    value.saturating_add(factor.saturating_mul(self.value(state, term, threads)))
                });
                match relation {
                    Relation::AtMost => value <= c,
                    Relation::Differs => value != c,
                }
            }
        }
    }
}

/// What the literals say of the terms that are kept.
fn projected(
    system: &System,
    cube: &Cube,
    literals: &[Literal],
    keep: &dyn Fn(Term) -> bool,
) -> Vec<Literal> {
    let known = Knowledge::new(system, &cube.pins, literals.iter());
    known.map_or_else(|| literals.to_vec(), |known| known.literals(system, keep).0)
}

/// The part as a cube, with everything that the cube says of what comes before the instant, if `node` is given.
fn candidate(system: &System, cube: &Cube, part: &Part, node: Option<&Node>) -> Option<Cube> {
    let named = part.names();
    let bits = named.iter().fold(0u32, |bits, process| bits | 1 << process);
    let mut renaming = Renaming { process: &mut |process| process, node: &mut |_| 0 };
    let literals: Vec<Literal> = part.literals.iter().map(|literal| renaming.literal(literal)).collect();
    let (literals, _) = Knowledge::new(system, &cube.pins, literals.iter())?.literals(system, &|_| true);
    let reads = literals.iter().flat_map(Literal::terms).filter(|term| term.is_read());
    let events = reads.fold(0u32, |events, term| events | 1 << term.by);
    let mut instant = Node { after: 1, events: events | part.drains, drains: part.drains, ..Node::default() };
    instant.cells.clone_from(&part.cells);
    if let Some(node) = node {
        instant.events |= node.events & bits;
        instant.drains |= node.drains & bits;
        let is_named = |cell: &&Cell| cell.indices().all(|index| named.contains(&index));
        instant.cells = node.cells.iter().filter(is_named).copied().collect();
        instant.arrays.clone_from(&node.arrays);
    }
    let nodes = if events == 0 { vec![] } else { vec![instant] };
    Some(Cube { pins: cube.pins.clone(), literals, nodes, universals: vec![] }.tidy(false).0)
}

/// Breadth first, on the reference machine.
fn views(task: &Task<'_>, copies: u32, run: &Run) -> Result<Option<Views>, Reason> {
    let Some(machine) = task.memory.machine else { return Ok(None) };
    let any = |program: &Program| {
        let any = program.process_ids().filter(|p| program.process(*p).replicas == Replicas::Any);
        Instance(any.map(|process| (process, copies)).collect())
    };
    let Ok(program) = any(task.program).of(task.program) else { return Ok(None) };
    let program = with_few_choices(&program);
    let Ok(shape) = Shape::new(&program) else { return Ok(None) };
    let Some(starts) = starts(&program, &shape) else { return Ok(None) };
    let mut known: HashSet<State> = HashSet::new();
    let mut queue: VecDeque<State> = VecDeque::new();
    for start in starts {
        run.poll(STATE, Spent::default())?;
        if known.insert(start.clone()) {
            queue.push_back(start);
        }
    }
    let copies = copies as usize;
    let (places, locations) = (places(&program, &shape, copies), shape.locations.len());
    let mut seen: HashMap<Vec<i64>, usize> = HashMap::new();
    while let Some(state) = queue.pop_front() {
        run.poll(STATE, Spent::default())?;
        let codes = shape.thread_ids().flat_map(|thread| {
            let state = &state;
            (0..locations as u32).map(move |l| state.seen(thread, l).and_then(|v| v.code()).unwrap_or(0))
        });
        let codes = codes.chain(state.memory.iter().map(|value| value.code().unwrap_or(0)));
        let number = seen.len();
        seen.entry(codes.collect()).or_insert(number);
        for successor in operational::successors(&program, &shape, machine, &state) {
            let MoveResult::Moved { state, .. } = successor.result else { continue };
            if known.len() < MOST && known.insert(state.clone()) {
                queue.push_back(state);
            }
        }
    }
    let mut seen: Vec<(usize, Vec<i64>)> = seen.into_iter().map(|(view, number)| (number, view)).collect();
    seen.sort_unstable();
    let seen = seen.into_iter().map(|(_, view)| view).collect();
    Ok(Some(Views { copies, places, locations, seen }))
}

/// Initial states, or some of them.
fn starts(program: &Program, shape: &Shape) -> Option<Vec<State>> {
    let is_open = |variable: u32| {
        let variable = &program.variables[variable as usize];
        variable.sort == Sort::Int && matches!(variable.init, Init::Any) && variable.range.is_none()
    };
    let open: Vec<bool> = shape.locations.iter().map(|location| is_open(location.variable)).collect();
    let count = open.iter().filter(|open| **open).count() as u32;
    let listed = |(low, high): &(i64, i64)| (high - low + 1).saturating_pow(count) <= LISTED;
    if let Some(window) = WINDOWS.iter().find(|window| count == 0 || listed(window)) {
        let program = within(program, *window);
        let states = operational::initial_states(&program, shape).ok()?;
        return Some(
            states.filter_map(|start| start.ok().flatten()).map(|(_, state)| state).take(MOST / 4).collect(),
        );
    }
    // Too many: zero everywhere, then one in some places.
    let mut random = 1u64;
    let mut samples = vec![];
    for number in 0..SAMPLES {
        let mut content = |open: &bool| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // No variable begins with the least integer: those that are not open are chosen by the machine.
            Value::Int(if *open { (random >> 33) as i64 % 2 * number.min(1) } else { i64::MIN })
        };
        let memory: Vec<Value> = open.iter().map(&mut content).collect();
        let program = within(program, (0, 1));
        let states = operational::initial_states_with(&program, shape, &memory).ok()?;
        samples.extend(states.filter_map(|start| start.ok().flatten()).map(|(_, state)| state).take(8));
    }
    Some(samples)
}

/// The program with any integer that a step chooses being one of a few.
fn with_few_choices(program: &Program) -> Program {
    let mut program = program.clone();
    for process in &mut program.processes {
        let locals = &process.locals;
        let ops = process.cfg.edges.iter_mut().flat_map(|edge| &mut edge.ops);
        for op in ops {
            if let Op::Havoc { local, among } = op
                && *among == Choice::Any
                && locals[*local as usize].sort == Sort::Int
                && locals[*local as usize].range.is_none()
            {
                *among = Choice::Between(Formula::int(CHOSEN.0), Formula::int(CHOSEN.1));
            }
        }
    }
    program
}

/// The program with integers that may begin with any value beginning within the window.
fn within(program: &Program, (low, high): (i64, i64)) -> Program {
    let mut program = program.clone();
    for variable in &mut program.variables {
        if variable.sort == Sort::Int && matches!(variable.init, Init::Any) && variable.range.is_none() {
            variable.range = Some(Range { low, high });
        }
    }
    program
}

fn places(program: &Program, shape: &Shape, copies: usize) -> Vec<Vec<usize>> {
    let mut places: Vec<Vec<usize>> = (program.variables.iter())
        .map(|variable| vec![0; copies.pow(variable.dimensions.len() as u32)])
        .collect();
    for (number, location) in shape.locations.iter().enumerate() {
        let element = location.indices.iter().fold(0, |at, index| at * copies + *index as usize);
        places[location.variable as usize][element] = number;
    }
    places
}
