//! Breadth-first search over packed states, by one worker or several.
//!
//! States are divided among shards by their hash, one shard a worker. A round has two halves:
//! every worker expands a piece of its own shard's frontier and sorts the successors by the shard
//! they belong to; then every worker inserts what belongs to its own shard. Nothing is shared within
//! a half, so there are no locks, and with a fixed number of workers every run gives the same
//! answer. No shard starts on a level before all have finished the last, so the search is
//! breadth-first. The two halves also hide memory latency: a successor's slot in the hash index is
//! prefetched when it is generated and needed only when its batch is inserted.

use wattle_engine::{OutcomeSet, Progress, Property, Reason, Run, Spent, Violation, Work};
use wattle_logic::{Fault, Sort};
use wattle_memory::operational;
use wattle_program::{Program, PropertyKind, ThreadId};

use crate::compile::Compiled;
use crate::expression::Expression;
use crate::step::Problem;
use crate::table::{Inserted, Table, hash};
use crate::worker::{Move, Sink, Worker};

/// What a finished search knows.
#[derive(Debug)]
pub(crate) struct Searched {
    pub states: u64,
    pub moves: u64,
    pub depth: u64,
    pub bytes: u64,
    pub cut: bool,
    pub most_pending: usize,
    /// By thread, then edge.
    pub taken: Vec<Vec<bool>>,
    pub found: Option<Found>,
    /// What only seems to be violated, because of a set of which only its size is known.
    pub suspected: Option<Violation>,
    /// Was anything asked of such a set?
    pub doubted: bool,
    pub outcomes: OutcomeSet,
    /// Was there a final state that the filter allows?
    pub ends: bool,
}

/// A violation and how to get there: the stored states on the way, and the moves that follow the
/// last of them, which may lead out of the stored states.
#[derive(Debug)]
pub(crate) struct Found {
    pub violated: Violation,
    /// Empty if the violation lies on the way from `root` to the first stored state.
    pub states: Vec<Vec<u64>>,
    pub root: Vec<u64>,
    pub last: Vec<Move>,
}

/// Why a search ended without an answer.
#[derive(Debug)]
pub(crate) enum Ended {
    Problem(Problem),
    /// With the figures so far, if the search had begun.
    Budget(Reason, Option<Box<Searched>>),
    /// The slice of states is used up.
    Slice,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub property: Property,
    pub workers: usize,
    /// Come back after this many states.
    pub slice: Option<u64>,
    /// Collect the outcomes of final states, and do not stop at violations.
    pub outcomes: bool,
}

/// A piece of work: states that a worker expands before it inserts.
const PIECE: usize = 512;
const PARALLEL_PIECE: usize = 1 << 14;
/// Fewer states than this are not worth waking the other workers: a counter that makes one new state
/// a level would spend all its time on starting threads.
const ALONE: usize = 512;

/// Successors that may wait to be inserted before a worker stops expanding.
const MOST_WAITING: usize = 1 << 16;

/// What a round costs, and what a move costs, insertion included.
const ROUND: Work = Work::nanoseconds(500);
const MOVE: Work = Work::nanoseconds(250);

/// How far ahead of an insertion its slot is prefetched.
const AHEAD: usize = 12;

/// The parent of an initial state.
const ROOT: u64 = u64::MAX;

pub(crate) fn search(
    program: &Program,
    machine: &Compiled,
    initial: &[Vec<u64>],
    options: Options,
    run: &Run,
) -> Result<Searched, Ended> {
    let mut shards: Vec<Shard<'_>> =
        (0..options.workers).map(|number| Shard::new(program, machine, options, number)).collect();
    insert_initial(&mut shards, machine, initial, run)?;
    let mut depth = 0;
    let mut moves = 0;
    loop {
        let ends: Vec<usize> = shards.iter().map(|shard| shard.table.len()).collect();
        if shards.iter().zip(&ends).all(|(shard, end)| shard.next == *end) {
            break;
        }
        while shards.iter().zip(&ends).any(|(shard, end)| shard.next < *end) {
            round(&mut shards, &ends);
            if let Some(problem) = shards.iter_mut().find_map(|shard| shard.problem.take()) {
                return Err(Ended::Problem(problem));
            }
            if !options.outcomes && shards.iter().any(|shard| shard.found.is_some()) {
                return Ok(finish(shards, depth));
            }
            let spent = spent(&shards);
            let states = spent.states;
            let before = std::mem::replace(&mut moves, shards.iter().map(|shard| shard.worker.moves).sum());
            if let Err(reason) = run.poll(ROUND + MOVE * (moves - before), spent) {
                return Err(Ended::Budget(reason, Some(Box::new(finish(shards, depth)))));
            }
            if options.slice.is_some_and(|slice| states > slice) {
                return Err(Ended::Slice);
            }
            run.progress(&Progress { phase: format!("capacity {}", machine.capacity), states, depth });
        }
        depth += 1;
    }
    Ok(finish(shards, depth))
}

fn spent(shards: &[Shard<'_>]) -> Spent {
    Spent {
        memory: shards.iter().map(|shard| shard.table.bytes() + shard.table.growth()).sum::<u64>()
            + shards[0].machine.sets.bytes(),
        states: shards.iter().map(|shard| shard.table.len() as u64).sum(),
    }
}

fn insert_initial(
    shards: &mut [Shard<'_>],
    machine: &Compiled,
    initial: &[Vec<u64>],
    run: &Run,
) -> Result<(), Ended> {
    let workers = shards.len();
    let mut outboxes = Outboxes::new(machine.words, workers);
    let mut settled_before = 0;
    for (number, words) in initial.iter().enumerate() {
        let mut settled = Settled { outboxes: &mut outboxes, bad: Failures::default() };
        shards[0].worker.settle_all(words, &mut settled).map_err(Ended::Problem)?;
        shards[0].report(ROOT, words, settled.bad);
        let done = number as u64 + 1 + shards[0].worker.moves;
        if done - settled_before >= PIECE as u64 || number + 1 == initial.len() {
            for (shard, outbox) in shards.iter_mut().zip(&mut outboxes.of) {
                shard.insert(outbox);
                outbox.clear();
            }
            let work = MOVE * (done - settled_before);
            settled_before = done;
            run.poll(work, spent(shards)).map_err(|reason| Ended::Budget(reason, None))?;
        }
    }
    Ok(())
}

struct Settled<'a> {
    outboxes: &'a mut Outboxes,
    bad: Failures,
}

/// What goes wrong in the moves from one state.
#[derive(Default)]
struct Failures {
    /// The first that does, and how to get there.
    real: Option<(Vec<Move>, Violation)>,
    /// The first that may only seem to.
    doubtful: Option<Violation>,
}

impl Failures {
    fn note(&mut self, path: &[Move], violated: Violation, doubtful: bool) {
        match doubtful {
            true => _ = self.doubtful.get_or_insert(violated),
            false => _ = self.real.get_or_insert_with(|| (path.to_vec(), violated)),
        }
    }
}

impl Sink for Settled<'_> {
    fn state(&mut self, _: &[Move], words: &[u64]) {
        self.outboxes.add(words, hash(words), ROOT);
    }
    fn failed(&mut self, path: &[Move], op: usize, doubtful: bool) {
        self.bad.note(path, assertion(path, op), doubtful);
    }
    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault, doubtful: bool) {
        self.bad.note(path, faulting(path, op, fault), doubtful);
    }
}

/// One round: expand a piece each, then insert.
fn round(shards: &mut [Shard<'_>], ends: &[usize]) {
    if let [shard] = shards {
        let mut outboxes = std::mem::take(&mut shard.outboxes);
        shard.expand(ends[0], PIECE, &mut outboxes);
        for outbox in &mut outboxes.of {
            shard.insert(outbox);
            outbox.clear();
        }
        shard.outboxes = outboxes;
        return;
    }
    let expand = |shard: &mut Shard<'_>, end: usize| {
        let mut outboxes = std::mem::take(&mut shard.outboxes);
        outboxes.of.iter_mut().for_each(Vec::clear);
        shard.expand(end, PARALLEL_PIECE, &mut outboxes);
        shard.outboxes = outboxes;
    };
    let insert = |number: usize, shard: &mut Shard<'_>, boxes: &[Outboxes]| {
        boxes.iter().for_each(|outboxes| shard.insert(&outboxes.of[number]));
    };
    let alone = shards.iter().zip(ends).map(|(shard, end)| end - shard.next).sum::<usize>() < ALONE;
    if alone {
        shards.iter_mut().zip(ends).for_each(|(shard, end)| expand(shard, *end));
    } else {
        std::thread::scope(|scope| {
            for (shard, end) in shards.iter_mut().zip(ends) {
                scope.spawn(move || expand(shard, *end));
            }
        });
    }
    let boxes: Vec<Outboxes> = shards.iter_mut().map(|shard| std::mem::take(&mut shard.outboxes)).collect();
    if alone {
        shards.iter_mut().enumerate().for_each(|(number, shard)| insert(number, shard, &boxes));
    } else {
        std::thread::scope(|scope| {
            for (number, shard) in shards.iter_mut().enumerate() {
                let boxes = &boxes;
                scope.spawn(move || insert(number, shard, boxes));
            }
        });
    }
    for (shard, outboxes) in shards.iter_mut().zip(boxes) {
        shard.outboxes = outboxes;
    }
}

fn finish(shards: Vec<Shard<'_>>, depth: u64) -> Searched {
    let mut searched = Searched {
        states: 0,
        moves: 0,
        depth,
        bytes: 0,
        cut: false,
        most_pending: 0,
        taken: shards[0].worker.taken.clone(),
        found: None,
        suspected: shards.iter().find_map(|shard| shard.suspected.clone()),
        doubted: shards.iter().any(|shard| shard.unsure || shard.worker.step.choices.has_ever_doubted()),
        outcomes: OutcomeSet::new(),
        ends: false,
    };
    for shard in &shards {
        searched.states += shard.table.len() as u64;
        searched.moves += shard.worker.moves;
        searched.bytes += shard.table.bytes();
        searched.cut |= shard.worker.step.cut;
        searched.ends |= shard.ends;
        searched.most_pending = searched.most_pending.max(shard.worker.step.most_pending);
        for (all, own) in searched.taken.iter_mut().zip(&shard.worker.taken) {
            all.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
        }
        searched.outcomes.extend(shard.outcomes.iter().cloned());
    }
    if let Some(bad) = shards.iter().find_map(|shard| shard.found.as_ref()) {
        let mut states = Vec::new();
        let mut at = bad.from;
        while at != ROOT {
            let (shard, number) = split(at, shards.len());
            states.push(shards[shard].table.state(number).to_vec());
            at = shards[shard].table.parent(number);
        }
        states.reverse();
        let (violated, root, last) = (bad.violated.clone(), bad.root.clone(), bad.path.clone());
        searched.found = Some(Found { violated, states, root, last });
    }
    searched
}

/// Successors that wait to be inserted, by shard: words, hash, parent.
#[derive(Debug, Default)]
struct Outboxes {
    width: usize,
    of: Vec<Vec<u64>>,
}

impl Outboxes {
    fn new(width: usize, workers: usize) -> Outboxes {
        Outboxes { width, of: vec![Vec::new(); workers] }
    }

    #[inline]
    fn add(&mut self, words: &[u64], hash: u64, parent: u64) {
        let shard = if self.of.len() == 1 { 0 } else { (hash >> 58) as usize % self.of.len() };
        let outbox = &mut self.of[shard];
        outbox.extend_from_slice(words);
        outbox.push(hash);
        outbox.push(parent);
        debug_assert_eq!(words.len(), self.width);
    }
}

/// The number of a state among all shards.
fn join(shard: usize, number: usize, workers: usize) -> u64 {
    number as u64 * workers as u64 + shard as u64
}

fn split(id: u64, workers: usize) -> (usize, usize) {
    ((id % workers as u64) as usize, (id / workers as u64) as usize)
}

struct Bad {
    /// The stored state it was found from.
    from: u64,
    path: Vec<Move>,
    violated: Violation,
    /// For a violation before the first stored state: the initial state.
    root: Vec<u64>,
}

struct Shard<'a> {
    program: &'a Program,
    machine: &'a Compiled,
    options: Options,
    number: usize,
    table: Table,
    worker: Worker<'a>,
    outboxes: Outboxes,
    /// The first state that has not been expanded.
    next: usize,
    found: Option<Bad>,
    suspected: Option<Violation>,
    /// Was a question not asked because only the size of a set is known?
    unsure: bool,
    problem: Option<Problem>,
    outcomes: OutcomeSet,
    ends: bool,
}

impl<'a> Shard<'a> {
    fn new(program: &'a Program, machine: &'a Compiled, options: Options, number: usize) -> Shard<'a> {
        Shard {
            program,
            machine,
            options,
            number,
            table: Table::new(machine.words),
            worker: Worker::new(machine),
            outboxes: Outboxes::new(machine.words, options.workers),
            next: 0,
            found: None,
            suspected: None,
            unsure: false,
            problem: None,
            outcomes: OutcomeSet::new(),
            ends: false,
        }
    }

    /// Expand up to `count` states before `end`.
    fn expand(&mut self, end: usize, count: usize, outboxes: &mut Outboxes) {
        let last = (self.next + count).min(end);
        for number in self.next..last {
            // A state with very many successors must not carry the search far beyond its budget.
            if outboxes.of.iter().map(Vec::len).sum::<usize>() > MOST_WAITING * (self.machine.words + 2) {
                return;
            }
            self.next = number + 1;
            let words = self.table.state(number);
            let id = join(self.number, number, self.options.workers);
            let mut sink = Successors {
                outboxes,
                table: (self.options.workers == 1).then_some(&self.table),
                parent: id,
                stated: self.options.property == Property::Stated && !self.options.outcomes,
                bad: Failures::default(),
            };
            let moves = match self.worker.expand(words, &mut sink) {
                Ok(moves) => moves,
                Err(problem) => {
                    self.problem = Some(problem);
                    return;
                }
            };
            let bad = sink.bad;
            self.report(id, &[], bad);
            if self.options.property == Property::NoDeadlock {
                match self.is_stuck(number, moves) {
                    Ok(false) => {}
                    Ok(true) => {
                        let doubtful = self.machine.is_doubtful(self.table.state(number));
                        self.violates(id, Violation::Deadlock, doubtful);
                    }
                    Err(why) => {
                        self.problem = Some(Problem::Unsupported(why.to_string()));
                        return;
                    }
                }
            }
        }
    }

    fn report(&mut self, from: u64, root: &[u64], failures: Failures) {
        if let (Some((path, violated)), None) = (failures.real, &self.found) {
            self.found = Some(Bad { from, path, violated, root: root.to_vec() });
        }
        if self.suspected.is_none() {
            self.suspected = failures.doubtful;
        }
    }

    /// A stored state is bad.
    fn violates(&mut self, state: u64, violated: Violation, doubtful: bool) {
        let mut failures = Failures::default();
        failures.note(&[], violated, doubtful);
        self.report(state, &[], failures);
    }

    fn insert(&mut self, inbox: &[u64]) {
        let width = self.machine.words;
        for (number, entry) in inbox.chunks_exact(width + 2).enumerate() {
            // With several workers nobody has brought the slot into the cache yet.
            if self.options.workers > 1
                && let Some(hash) = inbox.get((number + AHEAD) * (width + 2) + width)
            {
                self.table.prefetch(*hash);
            }
            let words = &entry[..width];
            if self.suspected.is_some() && self.machine.is_doubtful(words) {
                continue; // could only be suspected too
            }
            match self.table.insert(words, entry[width], entry[width + 1]) {
                Inserted::Known => {}
                Inserted::Full => self.problem = Some(Problem::Unsupported("more than 2^36 states".into())),
                Inserted::New(number) => {
                    if let Err(problem) = self.judge(words, number) {
                        self.problem = Some(problem);
                    }
                }
            }
        }
    }

    /// Does a new state violate a property? Nothing is judged inside an atomic section.
    fn judge(&mut self, words: &[u64], number: usize) -> Result<(), Problem> {
        let machine = self.machine;
        let allowed = match &machine.filter {
            Some(filter) if machine.is_final(words) => self.holds(filter, words).unwrap_or(Some(true)),
            _ => Some(true),
        };
        let is_final = machine.is_final(words) && allowed != Some(false);
        self.ends |= is_final;
        if self.options.outcomes && is_final {
            self.observe(words)?;
        }
        let judged = self.options.property == Property::Stated && !self.options.outcomes;
        if machine.properties.is_empty() || !judged || machine.inside(words).is_some() {
            return Ok(());
        }
        for (property, (kind, formula)) in machine.properties.iter().enumerate() {
            if *kind == PropertyKind::Finally && !is_final {
                continue;
            }
            let holds = self.holds(formula, words).map_err(|fault| match fault {
                Fault::Overflow => Problem::TooLarge,
                fault => {
                    Problem::Unsupported(format!("a property has no value in a reachable state: {fault}"))
                }
            })?;
            if holds != Some(*kind != PropertyKind::Forbid) {
                let doubtful = holds.is_none()
                    || (*kind == PropertyKind::Finally && allowed.is_none())
                    || machine.is_doubtful(words);
                let id = join(self.number, number, self.options.workers);
                self.violates(id, Violation::Property { property }, doubtful);
                if !doubtful {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Does a formula hold? `None`: that rests on a set of which only its size is known.
    fn holds(&self, formula: &Expression, words: &[u64]) -> Result<Option<bool>, Fault> {
        let choices = &self.worker.step.choices;
        choices.reset();
        let first = formula.evaluate(words, &self.machine.context(choices))? != 0;
        while choices.advance() {
            if (formula.evaluate(words, &self.machine.context(choices))? != 0) != first {
                choices.reset();
                return Ok(None);
            }
        }
        Ok(Some(first))
    }

    /// Take down the outcome of a final state.
    fn observe(&mut self, words: &[u64]) -> Result<(), Problem> {
        let machine = self.machine;
        let choices = &self.worker.step.choices;
        choices.reset();
        let mut values = Vec::new();
        for (term, sort) in &machine.observed {
            let Ok(code) = term.evaluate(words, &machine.context(choices)) else { return Ok(()) };
            match machine.decode(*sort, code) {
                Some(value) => values.push(value),
                None if *sort == Sort::IntSet => {
                    return Err(Problem::LargeSet("a set of more than 64 values is observed"));
                }
                None => return Ok(()),
            }
        }
        choices.reset();
        self.outcomes.insert(values);
        Ok(())
    }

    /// Rare enough to ask the reference machine: it knows about awaits.
    fn is_stuck(&mut self, number: usize, moves: u64) -> Result<bool, operational::TooManyWays> {
        let machine = self.machine;
        let words = self.table.state(number);
        if self.worker.step.cut_now {
            return Ok(false); // room in a buffer is all it lacks
        }
        if moves == 0 {
            return Ok(!machine.is_final(words));
        }
        let awaits = |thread: &usize| {
            machine.threads[*thread].points[machine.fields.points[*thread].raw(words) as usize].awaits
        };
        if self.worker.delivered || !self.worker.movers.iter().all(awaits) {
            return Ok(false);
        }
        let Some(state) = machine.unpack(self.program, words) else {
            self.unsure = true;
            return Ok(false);
        };
        operational::is_stuck(self.program, &machine.shape, machine.kind, &state)
    }
}

struct Successors<'a> {
    outboxes: &'a mut Outboxes,
    /// With one worker, the table to prefetch from.
    table: Option<&'a Table>,
    parent: u64,
    stated: bool,
    bad: Failures,
}

impl Sink for Successors<'_> {
    #[inline]
    fn state(&mut self, _: &[Move], words: &[u64]) {
        let hash = hash(words);
        if let Some(table) = self.table {
            table.prefetch(hash);
        }
        self.outboxes.add(words, hash, self.parent);
    }

    fn failed(&mut self, path: &[Move], op: usize, doubtful: bool) {
        if self.stated {
            self.bad.note(path, assertion(path, op), doubtful);
        }
    }

    fn fault(&mut self, path: &[Move], op: Option<usize>, fault: Fault, doubtful: bool) {
        if self.stated {
            self.bad.note(path, faulting(path, op, fault), doubtful);
        }
    }
}

fn last_step(path: &[Move]) -> (ThreadId, wattle_program::EdgeId) {
    match path.last() {
        Some(Move::Step { thread, edge, .. }) => (*thread, *edge),
        _ => (ThreadId(0), wattle_program::EdgeId(0)),
    }
}

fn assertion(path: &[Move], op: usize) -> Violation {
    let (thread, edge) = last_step(path);
    Violation::Assertion { thread, edge, op }
}

fn faulting(path: &[Move], op: Option<usize>, fault: Fault) -> Violation {
    let (thread, edge) = last_step(path);
    Violation::Fault { thread, edge, op, fault }
}
