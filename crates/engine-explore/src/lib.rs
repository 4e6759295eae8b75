//! `explore`: explicit-state search over the operational machines, for finite data.
//!
//! States are packed into a few words ([`layout`]), successors are computed on the packed form
//! ([`worker`]), the visited set is exact ([`table`]), the search is breadth-first ([`search`]),
//! and steps that commute with everything are taken at once ([`reduce`]).
//!
//! **Buffers are unbounded in meaning.** The search allows each thread a number of pending
//! operations, the *capacity*. If nothing ever wanted more, the state space is closed and the answer
//! is *safe*; otherwise the capacity grows, slowly at first and then by half, until a limit makes the
//! answer *bounded*. Where the
//! program itself bounds what can be pending ([`reduce::pending_bound`]), that is the first try.
//!
//! **Models without a machine.** Where all accesses of a program are to one location, the models by axioms say of it what sc says
//! (`wattle_engine::one_location`), and a closed state space of sc is a proof.
//!
//! **Limits.** Data must be finite: integers that keep growing end in *unknown* when the budget is
//! used up. A buffer that keeps growing (an unfenced store in a loop) ends in *bounded*; it may then
//! miss violations that need more pending operations, never report a false one.
//! Sets of integers are exact up to 64 elements ([`sets`]); what a larger one leads to is never reported as a
//! violation.

#![warn(unreachable_pub)]

mod buffer;
mod choices;
mod compile;
mod expression;
mod halves;
mod layout;
mod machine;
mod ranges;
mod reduce;
mod search;
mod sets;
mod step;
mod table;
mod trace;
mod worker;

use wattle_engine::{
    Answer, Bound, Certificate, Contradiction, Counterexample, Coverage, Engine, Estimate, Figure, Halt,
    OutcomeSet, Outcomes, Property, Reason, Run, Spent, Statistics, Task, Unsupported, Verdict, Violation,
    Work, grows, one_location, piles_up, reached_cuts,
};
use wattle_memory::Machine;
use wattle_memory::operational::initial_states;
use wattle_program::{EdgeId, Program, Shape, joint_step};

use crate::compile::{Compiled, Target, compile};
use crate::layout::{Cell, Widths};
use crate::search::{Ended, Found, Options, Searched, search};
use crate::step::Problem;

/// The engine `explore`, with its options.
#[derive(Clone, Debug)]
pub struct Explore {
    /// Leave out interleavings that cannot matter. Off: shortest counterexamples.
    pub reduction: bool,
    /// Worker threads.
    pub threads: usize,
    /// Where the program itself does not bound what can be pending, buffers are searched up to this
    /// many pending operations a thread; `None`: up to more and more, as long as `patience` lasts.
    pub max_capacity: Option<usize>,
    /// How much work larger capacities may take, after the first few have not closed the space; `None`: all there is.
    /// Where a buffer grows for ever no capacity is enough, and other engines wait for their turn.
    pub patience: Option<Work>,
}

/// The capacities that are tried whatever they cost, where no other number is asked for.
const FIRST_CAPACITIES: usize = 4;
/// What larger ones may take in a first turn.
const PATIENCE: Work = Work::milliseconds(1000);

impl Default for Explore {
    fn default() -> Explore {
        Explore { reduction: true, threads: 1, max_capacity: None, patience: Some(PATIENCE) }
    }
}

/// The most workers: the hash has bits for no more.
const MAX_WORKERS: usize = 64;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        task.shape()?;
        if machine_of(task).is_none() {
            return Err(Unsupported::new(format!("{} has no operational machine", task.memory.name)));
        }
        task.has_meaning()
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        let loops = task.program.processes.iter().any(|process| !process.cfg.is_loop_free());
        // Without a flush any number of remote operations may be pending, unless the machine waits by itself.
        let remote = matches!(task.memory.machine, Some(Machine::Rma { .. }));
        let endless = loops && grows(task.program) || remote && piles_up(task.program);
        if endless { Estimate::Endless } else { Estimate::Finite }
    }

    fn lists(&self) -> Option<&dyn Outcomes> {
        Some(self)
    }

    fn beyond(&self, _: &Bound) -> Option<Box<dyn Engine>> {
        let patient = || -> Box<dyn Engine> { Box::new(Explore { patience: None, ..self.clone() }) };
        self.max_capacity.is_none().then(patient)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut statistics = Statistics::default();
        Answer::of(self.deepen(task, run, &mut statistics), statistics)
    }
}

impl Explore {
    /// Grow the capacity until the state space closes. Where data grow too, one capacity may already
    /// have endlessly many states while the next holds a short counterexample; so capacities take
    /// turns, each round with more states.
    fn deepen(
        &self,
        task: &Task<'_>,
        run: &Run,
        statistics: &mut Statistics,
    ) -> Result<(Verdict, Option<Coverage>), Halt> {
        self.accepts(task).map_err(Reason::Unsupported)?;
        let machine = machine_of(task).ok_or_else(no_machine)?;
        let mut widths = Widths::default();
        let mut completed: Option<(Bound, Option<Coverage>)> = None;
        let mut open = capacities(task, machine, self.max_capacity);
        let mut slice = (open.len() > 1).then_some(FIRST_SLICE);
        let mut growing: Option<Run> = None;
        while !open.is_empty() {
            for capacity in open.clone() {
                let ask = Ask { task, machine, capacity, outcomes: false, slice };
                let allowed = growing.clone().unwrap_or_else(|| run.clone());
                let (compiled, initial, searched) = match self.attempt(&ask, &mut widths, &allowed) {
                    Ok(attempt) => attempt,
                    Err(Stopped::Slice) => continue,
                    Err(Stopped::Reason(reason, searched)) => {
                        if let Some(searched) = searched {
                            record(statistics, &searched, capacity);
                        }
                        // What was completed before still holds; but what is not handled is never
                        // passed over.
                        return match (reason, completed) {
                            // (But a capacity that nobody asked for may be too large for a packed state.)
                            (reason @ Reason::Unsupported(_), _) if growing.is_none() => Err(reason.into()),
                            (reason, None) => Err(reason.into()),
                            (_, Some((bound, coverage))) => Ok((Verdict::SafeUpTo { bound }, coverage)),
                        };
                    }
                };
                record(statistics, &searched, capacity);
                if task.memory.machine.is_none() && searched.found.is_some() {
                    // It is one under the model too, but its judge wants an execution graph.
                    let why = "a violation under sc, whose execution another engine has to show";
                    return Err(Reason::Undecided(why.into()).into());
                }
                if let Some(found) = &searched.found {
                    return shown(task.program, &compiled, &initial, found).map(|verdict| (verdict, None));
                }
                if let Some(reason) = undecided(task, &searched) {
                    return match completed {
                        None => Err(reason.into()),
                        Some((bound, coverage)) => Ok((Verdict::SafeUpTo { bound }, coverage)),
                    };
                }
                // After a doubt about a set, more may seem to be reached than is.
                let coverage = (!searched.doubted).then(|| coverage(task, &compiled, &searched));
                if !searched.cut && !reached_cuts(task.program, coverage.as_ref()).is_empty() {
                    return Ok((Verdict::SafeUpTo { bound: Bound::Covered }, coverage));
                }
                if !searched.cut {
                    let certificate = Certificate::StateSpace { capacity: searched.most_pending };
                    return Ok((Verdict::Safe { certificate }, coverage));
                }
                completed = Some((Bound::Capacity(capacity), coverage));
                open.retain(|other| *other > capacity);
                if open.is_empty() && self.max_capacity.is_none() {
                    // What is larger is searched alone: each has all that the smaller ones have.
                    open.push(capacity.saturating_add((capacity / 2).max(1)));
                    slice = None;
                    growing
                        .get_or_insert_with(|| self.patience.map_or(run.clone(), |work| run.at_most(work)));
                }
            }
            slice = slice.map(|slice| slice * 4);
        }
        match completed {
            Some((bound, coverage)) => Ok((Verdict::SafeUpTo { bound }, coverage)),
            None => Err(Reason::Unsupported(Unsupported::new("no capacity to try")).into()),
        }
    }

    /// Search with one capacity, starting again with wider fields where values do not fit.
    fn attempt(&self, ask: &Ask<'_>, widths: &mut Widths, run: &Run) -> Result<Attempt, Stopped> {
        let program = ask.task.program;
        let refuse = |what: String| Stopped::Reason(Reason::Unsupported(Unsupported::new(what)), None);
        let shape = Shape::new(program).map_err(|error| refuse(error.to_string()))?;
        // A thread that waits for several loads still moves in a deadlock: reduction would not keep such states.
        let assertions = ask.task.property == Property::Stated;
        let reduction = self.reduction && assertions && joint_step(program).is_none();
        loop {
            let target =
                Target { machine: ask.machine, capacity: ask.capacity, widths, reduction, assertions };
            let compiled = compile(program, &shape, target).map_err(refuse)?;
            let packed = pack_initial(program, &shape, &compiled, run);
            if packed.as_ref().is_ok_and(Vec::is_empty) {
                return Err(Stopped::Reason(Reason::NoInitialState, None));
            }
            // Sets have their numbers from the order in which one worker meets them.
            let workers = if compiled.doubtful.is_some() { 1 } else { self.threads.clamp(1, MAX_WORKERS) };
            let (property, slice, outcomes) = (ask.task.property, ask.slice, ask.outcomes);
            let options = Options { property, workers, slice, outcomes };
            let result = packed.and_then(|packed| {
                search(program, &compiled, &packed, options, run).map(|searched| (packed, searched))
            });
            match result {
                Ok((packed, searched)) => return Ok((compiled, packed, searched)),
                Err(Ended::Slice) => return Err(Stopped::Slice),
                Err(Ended::Budget(reason, searched)) => return Err(Stopped::Reason(reason, searched)),
                Err(Ended::Problem(Problem::Overflow(overflow))) => {
                    if overflow.0 == Cell::Exact || !widths.grow(overflow.0) {
                        let why = Reason::TooLarge("a value does not fit a packed state".into());
                        return Err(Stopped::Reason(why, None));
                    }
                }
                Err(Ended::Problem(Problem::TooLarge)) => {
                    return Err(Stopped::Reason(Reason::Overflow, None));
                }
                Err(Ended::Problem(Problem::LargeSet(what))) => {
                    return Err(Stopped::Reason(Reason::TooLarge(what.into()), None));
                }
                Err(Ended::Problem(Problem::Unsupported(what))) => return Err(refuse(what)),
            }
        }
    }
}

/// All initial states as words.
fn pack_initial(
    program: &Program,
    shape: &Shape,
    compiled: &Compiled,
    run: &Run,
) -> Result<Vec<Vec<u64>>, Ended> {
    let refuse = |what: String| Ended::Problem(Problem::Unsupported(what));
    let mut packed: Vec<Vec<u64>> = Vec::new();
    for (number, start) in initial_states(program, shape).map_err(refuse)?.enumerate() {
        if number % 512 == 0 {
            let memory = (packed.len() * (compiled.words + 3) * 8) as u64;
            let spent = Spent { memory, states: packed.len() as u64 };
            run.poll(START * 512, spent).map_err(|reason| Ended::Budget(reason, None))?;
        }
        if let Some((_, state)) = start.map_err(refuse)? {
            packed.push(compiled.pack(&state).map_err(Ended::Problem)?);
        }
    }
    Ok(packed)
}

/// What making an initial state costs.
const START: Work = Work::nanoseconds(600);

/// States of the first round in which capacities take turns.
const FIRST_SLICE: u64 = 1 << 17;

/// One search to make.
struct Ask<'a> {
    task: &'a Task<'a>,
    machine: Machine,
    capacity: usize,
    outcomes: bool,
    slice: Option<u64>,
}

/// The machine, its initial states, and what was found.
type Attempt = (Compiled, Vec<Vec<u64>>, Searched);

/// Why a search has no result.
enum Stopped {
    Slice,
    Reason(Reason, Option<Box<Searched>>),
}

impl Outcomes for Explore {
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Halt> {
        self.accepts(task).map_err(Reason::Unsupported)?;
        let machine = task.memory.machine.ok_or_else(no_machine)?;
        let mut widths = Widths::default();
        let first = capacities(task, machine, self.max_capacity);
        let larger =
            std::iter::successors(first.last().copied(), |last| Some(last.saturating_add((last / 2).max(1))));
        let larger = larger.skip(1).take_while(|_| self.max_capacity.is_none());
        for capacity in first.into_iter().chain(larger) {
            let ask = Ask { task, machine, capacity, outcomes: true, slice: None };
            let (compiled, _, searched) =
                self.attempt(&ask, &mut widths, run).map_err(|stopped| match stopped {
                    Stopped::Reason(reason, _) => reason,
                    Stopped::Slice => Reason::States,
                })?;
            if searched.doubted {
                return Err(Reason::TooLarge(GREW.into()).into());
            }
            if !searched.cut {
                let coverage = coverage(task, &compiled, &searched);
                return match reached_cuts(task.program, Some(&coverage)).is_empty() {
                    true => Ok(searched.outcomes),
                    false => Err(Reason::OnlyUpTo(Bound::Covered).into()),
                };
            }
        }
        let why = format!("more than {} operations may be pending", self.max_capacity.unwrap_or(usize::MAX));
        Err(Reason::TooLarge(why).into())
    }
}

/// Where the program itself bounds what can be pending, buffers up to this size are tried at once.
const OWN_BOUND: usize = 12;

/// The capacities to try, in order.
fn capacities(task: &Task<'_>, machine: Machine, most: Option<usize>) -> Vec<usize> {
    let most = most.unwrap_or(FIRST_CAPACITIES);
    match reduce::pending_bound(task.program, machine) {
        Some(bound) if bound <= most.max(OWN_BOUND) => vec![bound.max(1)],
        _ => (1..=most.max(1)).collect(),
    }
}

/// The moves to a bad state.
fn shown(
    program: &Program,
    compiled: &Compiled,
    initial: &[Vec<u64>],
    found: &Found,
) -> Result<Verdict, Halt> {
    match trace::schedule(program, compiled, initial, found) {
        Some(schedule) => {
            let counterexample = Counterexample::scheduled(found.violated.clone(), schedule);
            Ok(Verdict::Unsafe { counterexample: Box::new(counterexample) })
        }
        None => {
            let found = format!("a reachable state is bad: {:?}", found.violated);
            let but = "no moves lead there from an initial state";
            Err(Contradiction::within("explore", found, but).into())
        }
    }
}

fn record(statistics: &mut Statistics, searched: &Searched, capacity: usize) {
    statistics.count("states", searched.states);
    statistics.count("moves", searched.moves);
    statistics.count("depth", searched.depth);
    statistics.count("capacity", capacity as u64);
    statistics.count("most_pending", searched.most_pending as u64);
    statistics.set("memory", Figure::Bytes(searched.bytes));
}

/// The machine to search: that of the model, or of sc where the model has none and says the same of the program.
fn machine_of(task: &Task<'_>) -> Option<Machine> {
    task.memory.machine.or_else(|| one_location::as_under_sc(task)?.machine)
}

fn no_machine() -> Reason {
    Reason::Unsupported(Unsupported::new("the memory model has no machine"))
}

const GREW: &str = "a set grew beyond 64 values";

/// Why a search that found no violation decides nothing.
fn undecided(task: &Task<'_>, searched: &Searched) -> Option<Reason> {
    let what = match (&searched.suspected, task.property) {
        // More moves than there are may hide that nothing can move.
        (None, Property::NoDeadlock) if searched.doubted => {
            "whether a thread waits for ever rests on it".into()
        }
        (None, _) => return None,
        (Some(Violation::Assertion { .. }), _) => {
            "an assertion may fail because of what it may contain".into()
        }
        (Some(Violation::Property { property }), _) => {
            format!("property {} may be violated because of what it may contain", property + 1)
        }
        (Some(Violation::Fault { fault, .. }), _) => format!("{fault} may follow from what it may contain"),
        (Some(Violation::Undefined { axiom }), _) => format!("{axiom} may fail"),
        (Some(Violation::Deadlock), _) => "a deadlock may follow from what it may contain".into(),
    };
    Some(Reason::Undecided(format!("{GREW}, and {what}")))
}

/// The edges that some thread of their process took, and whether all ended.
fn coverage(task: &Task<'_>, compiled: &Compiled, searched: &Searched) -> Coverage {
    let taken = compiled.shape.thread_ids().flat_map(|thread| {
        let process = compiled.shape.info(thread).process;
        let edges = (0..).zip(&searched.taken[thread.0 as usize]).filter(|(_, taken)| **taken);
        edges.map(move |(edge, _)| (process, EdgeId(edge)))
    });
    Coverage::new(task.program, &taken.collect(), searched.ends)
}
