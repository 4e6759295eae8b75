//! One unrolling, and the questions that are put to it.
//!
//! An unrolling carries a few bounds on loops (`deepen.rs` says which and why). They are asked about in
//! turn, the smallest first. A [`Stop`](crate::unroll::structure::Stop) of the bound that is asked about is
//! assumed; the stops of bounds that are done with are denied for good.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use wattle_engine::certificate::Refutation;
use wattle_engine::{
    Bound, Certificate, Contradiction, Counterexample, Coverage, Figure, Halt, Progress, Reason, Run, Spent,
    Statistics, Task, Unsupported, Violation, Work,
};
use wattle_memory::cat::Role;
use wattle_memory::operational;
use wattle_program::step::domain;
use wattle_program::{Point, ProcessId, Program, Shape};
use wattle_sat::{Clauses, Lit, Satisfiability, Solver};

use crate::Bmc;
use crate::encode::circuit::Circuit;
use crate::encode::encoding::{Constraint, Encoding, encode};
use crate::encode::formulation::Constrained;
use crate::encode::order;
use crate::encode::property::{Asked, ask};
use crate::pulse::Pulse;
use crate::read_back::assignment::{Model, Words};
use crate::read_back::decode::decode;
use crate::solve::coverage::{self, Covered};
use crate::solve::refutation::{Ledger, problem, refuted};
use crate::unroll::unroll_within;

/// What one bound shows.
pub(crate) enum Round {
    Violated(Box<Counterexample>),
    /// No execution is cut, so this is a proof, even where its coverage is not known.
    Complete(Certificate, Option<Coverage>),
    /// `may_grow`: a loop without a bound of its own is cut.
    Bounded {
        bound: Bound,
        coverage: Coverage,
        may_grow: bool,
    },
}

/// Why there is no answer for a bound.
pub(crate) enum Failed {
    /// A limit was met; there may be an answer for a smaller bound.
    Effort(Reason),
    /// The largest bound has no unrolling, or none that becomes clauses. A smaller one may have.
    Large(Reason),
    /// The same would come of every larger bound: an execution that cannot be judged, or a contradiction.
    Judged(Halt),
}

impl From<Reason> for Failed {
    fn from(reason: Reason) -> Failed {
        Failed::Effort(reason)
    }
}

/// Unrollings with more events than this are refused: relations are matrices with a bit for each pair.
const MOST_EVENTS: usize = 20_000;

/// Where there are more events than this, loops that count are cut like others by the first bounds.
const MANY_EVENTS: usize = 1_000;
const FIRST_BOUNDS: u32 = 4;

/// What is known from the bounds so far.
#[derive(Default)]
pub(crate) struct Known {
    /// The bounds that were completed.
    pub completed: Vec<(Bound, Coverage)>,
    pub covered: Covered,
}

/// Asks about some bounds (sorted) in turn, until one decides: the answer for that one, or for
/// the largest.
pub(crate) fn rounds(
    engine: &Bmc,
    task: &Task<'_>,
    bounds: &[u32],
    run: &Run,
    known: &mut Known,
    statistics: &mut Statistics,
) -> Result<Round, Failed> {
    let begin = |bound: u32| {
        let phase = format!("{bound} rounds of each loop");
        run.progress(&Progress { phase, states: 0, depth: u64::from(bound) });
    };
    bounds.first().copied().into_iter().for_each(begin);
    let shape = Shape::new(task.program).map_err(|error| unsupported(error.to_string()))?;
    let axioms = task.memory.axioms.as_ref().ok_or_else(|| unsupported("a model without axioms"))?;
    // What the budget does not allow is not to be called unsupported.
    let refused = |why: Unsupported| match poll(run) {
        Err(reason) => Failed::Effort(reason),
        Ok(()) => Failed::Large(Reason::Unsupported(why)),
    };
    let pulse = Rc::new(Pulse::new(run));
    let mut options = engine.unrolling(task, bounds);
    let mut structure = unroll_within(task.program, &shape, &options, &pulse).map_err(refused)?;
    // Loops that count to a large number would make the first bounds as dear as the last one.
    if structure.events.len() > MANY_EVENTS && options.unwind <= FIRST_BOUNDS {
        options.fold = 0;
        structure = unroll_within(task.program, &shape, &options, &pulse).map_err(refused)?;
    }
    let asked = ask(task, &shape, &mut structure).map_err(refused)?;
    statistics.count("events", structure.events.len() as u64);
    if structure.events.len() > MOST_EVENTS {
        let why = format!("more than {MOST_EVENTS} events after {} rounds of each loop", options.unwind);
        return Err(Failed::Large(Reason::TooLarge(why)));
    }
    poll(run)?;
    let mut solver = if engine.proof { Solver::with_proof() } else { Solver::new() };
    let stopped = stop_with(&mut solver, run);
    let mut ledger = Ledger::new(&mut solver, engine.proof);
    let mut circuit = Circuit::new(&mut ledger);
    circuit.pulse = pulse;
    let model = order::thin_air::granted(axioms, &structure, task.program.vocabulary);
    let encoding = encode(&structure, &mut circuit, model).map_err(refused)?;
    poll(run)?;
    let formulation = engine.formulation();
    let constrained = formulation.constrain(&encoding, &mut circuit, task.memory).map_err(refused)?;
    poll(run)?;
    let questions = Questions::new(&encoding, &mut circuit, &asked, &constrained);
    let words = Words::new(&structure, &mut circuit);
    let stops = structure.stops.iter().map(|stop| (stop.bound, circuit.literal(&structure, stop.when)));
    let stops: Vec<(u32, Lit)> = stops.collect();
    circuit.accepted().map_err(refused)?;
    figures(statistics, &encoding, &circuit);
    let proof = ledger.close().map(|clauses| problem(clauses, &constrained.description));
    solver.connect(constrained.description);
    let program = task.program;
    let chosen = vec![];
    let mut session = Session { program, shape: &shape, encoding, words, solver, chosen, stopped, proof };
    let mut answer = Err(Failed::Large(Reason::Undecided("no bound to ask about".into())));
    for (number, bound) in bounds.iter().enumerate() {
        if number > 0 {
            begin(*bound);
        }
        session.choose(*bound, &stops);
        answer =
            session.answer(&questions, *bound, &options.per_loop, model.thin_air_free, &mut known.covered);
        match &answer {
            Ok(Round::Bounded { bound: completed, coverage, may_grow }) => {
                statistics.count("rounds completed", u64::from(*bound));
                known.completed.push((*completed, coverage.clone()));
                if !may_grow {
                    break;
                }
            }
            _ => break,
        }
    }
    session.record(statistics);
    answer
}

/// Replay looks through the initial states for the one that a graph starts in.
const MOST_INITIAL: u64 = 1_000_000;

/// How many initial states there are with the memory that a graph says, a constraint on them aside.
fn initial_states(program: &Program, shape: &Shape) -> u64 {
    let size = |sort, range| match domain(program, sort, range) {
        Some((low, high)) => high.abs_diff(low).saturating_add(1),
        None => u64::MAX,
    };
    let mut count: u64 = 1;
    for thread in shape.thread_ids() {
        let locals = &program.process(shape.info(thread).process).locals;
        for (value, local) in shape.initial_locals(program, thread).unwrap_or_default().iter().zip(locals) {
            count = count.saturating_mul(value.as_ref().map_or(size(local.sort, local.range), |_| 1));
        }
    }
    count
}

fn unsupported(what: impl Into<String>) -> Reason {
    Reason::Unsupported(Unsupported::new(what))
}

fn poll(run: &Run) -> Result<(), Reason> {
    run.poll(Work::NONE, Spent { memory: run.resident().unwrap_or(0), states: 0 })
}

/// What the solver does between two looks at the budget.
const SEARCH: Work = Work::microseconds(20);

/// Why the solver was stopped, if it was.
type Stopped = Rc<RefCell<Option<Reason>>>;

fn stop_with(solver: &mut Solver, run: &Run) -> Stopped {
    let stopped = Stopped::default();
    let (run, told) = (run.clone(), stopped.clone());
    // What the process holds is asked of the system, which is not free.
    let (mut polls, mut memory) = (0u32, 0);
    solver.stop_when(move || {
        if polls.is_multiple_of(16) {
            memory = run.resident().unwrap_or(0);
        }
        polls = polls.wrapping_add(1);
        match run.poll(SEARCH, Spent { memory, states: 0 }) {
            Ok(()) => false,
            Err(reason) => {
                *told.borrow_mut() = Some(reason);
                true
            }
        }
    });
    stopped
}

/// What is asked, as literals.
struct Questions {
    violations: Vec<(Violation, Lit)>,
    violated: Lit,
    /// Steps without a result, what is not supported, formulas without a value.
    failures: Vec<(Reason, Lit)>,
    /// An execution with this mark takes the program's meaning away.
    undefined: Vec<(String, Lit)>,
    cut: Lit,
    /// A thread goes beyond what the program covers.
    beyond: Lit,
    ends: Lit,
}

impl Questions {
    fn new(
        encoding: &Encoding<'_, '_>,
        circuit: &mut Circuit<'_>,
        asked: &Asked,
        constrained: &Constrained,
    ) -> Questions {
        let structure = encoding.structure;
        circuit.kind = Constraint::Property;
        let violations: Vec<(Violation, Lit)> = (asked.violations.iter())
            .map(|(violation, when)| (violation.clone(), circuit.literal(structure, *when)))
            .filter(|(_, when)| *when != Lit::FALSE)
            .collect();
        let failures: Vec<(Reason, Lit)> = (asked.failures.iter())
            .map(|(reason, when)| (reason.clone(), circuit.literal(structure, *when)))
            .filter(|(_, when)| *when != Lit::FALSE)
            .collect();
        let undefined = (constrained.marks.iter())
            .filter(|mark| mark.role == Role::UndefinedUnless && mark.raised != Lit::FALSE)
            .map(|mark| (mark.axiom.to_string(), mark.raised))
            .collect();
        let cuts: Vec<Lit> = (structure.threads.iter())
            .filter_map(|thread| thread.cut)
            .map(|cut| circuit.literal(structure, cut))
            .collect();
        let beyond: Vec<Lit> = (structure.threads.iter())
            .filter_map(|thread| thread.beyond)
            .map(|beyond| circuit.literal(structure, beyond))
            .collect();
        let all: Vec<Lit> = violations.iter().map(|(_, when)| *when).collect();
        Questions {
            violated: circuit.any(&all),
            violations,
            failures,
            undefined,
            cut: circuit.any(&cuts),
            beyond: circuit.any(&beyond),
            ends: circuit.literal(structure, asked.ends),
        }
    }
}

/// The dialogue with one solver that knows an unrolling: the bound that is asked about, and what was refuted.
pub(crate) struct Session<'i, 's> {
    pub program: &'i Program,
    pub shape: &'i Shape,
    pub encoding: Encoding<'i, 's>,
    pub words: Words,
    pub solver: Solver,
    /// Which bound is asked about: its stop, and the denial of those of smaller ones.
    chosen: Vec<Lit>,
    stopped: Stopped,
    /// What was refuted, if that is to be written down.
    proof: Option<Refutation>,
}

impl Session<'_, '_> {
    /// From now on, this bound is asked about. It is larger than those before.
    fn choose(&mut self, bound: u32, stops: &[(u32, Lit)]) {
        self.chosen.clear();
        for (_, stop) in stops.iter().filter(|(smaller, _)| *smaller < bound) {
            self.chosen.push(!*stop);
            self.solver.clause(&[!*stop]);
        }
        // Where this one cuts, it does not matter where larger ones would.
        self.chosen.extend(stops.iter().filter(|(other, _)| *other == bound).map(|(_, stop)| *stop));
        if let Some(refutation) = &mut self.proof {
            refutation.refuted.clear();
        }
    }

    /// Is there an execution in which this holds?
    pub(crate) fn exists(&mut self, wanted: Lit) -> Result<bool, Reason> {
        if wanted == Lit::FALSE {
            return Ok(false);
        }
        let assumed: Vec<Lit> = self.chosen.iter().copied().chain([wanted]).collect();
        match self.solver.solve(&assumed) {
            Satisfiability::Sat => Ok(true),
            Satisfiability::Unsat => Ok(false),
            Satisfiability::Stopped => {
                let reason = self.stopped.borrow().clone();
                Err(reason.unwrap_or_else(|| Reason::Solver("the solver gave up".into())))
            }
        }
    }

    /// Is there an execution in which this holds? If not, and if that is wanted, say why.
    fn asked(&mut self, meaning: &str, wanted: Lit) -> Result<bool, Reason> {
        let exists = self.exists(wanted)?;
        if let (false, Some(refutation)) = (exists, &mut self.proof) {
            let proof = if wanted == Lit::FALSE { None } else { self.solver.proof() };
            let known = proof.is_some() || wanted == Lit::FALSE;
            refutation.refuted.push(refuted(meaning, &[wanted], &self.chosen, proof.as_ref()));
            // A refutation without all its parts is no proof, so it is dropped.
            self.proof = self.proof.take().filter(|_| known);
        }
        Ok(exists)
    }

    fn answer(
        &mut self,
        questions: &Questions,
        unwind: u32,
        bounds: &BTreeMap<(ProcessId, Point), u32>,
        thin_air_free: bool,
        covered: &mut Covered,
    ) -> Result<Round, Failed> {
        if self.asked("no execution violates the property", questions.violated)? {
            return self.counterexample(questions).map(Round::Violated).map_err(Failed::Judged);
        }
        for (reason, when) in &questions.failures {
            if self.asked("no execution fails", *when)? {
                return Err(Failed::Judged(reason.clone().into()));
            }
        }
        for (axiom, raised) in &questions.undefined {
            if self.asked("every execution has a meaning", *raised)? {
                let violated = Violation::Undefined { axiom: axiom.as_str().into() };
                return self.shown(violated).map(Round::Violated).map_err(Failed::Judged);
            }
        }
        let cut = self.asked("no execution is cut", questions.cut)?;
        let beyond =
            !cut && self.asked("no execution goes beyond what the program covers", questions.beyond)?;
        // Of a program that cannot start, anything is proved.
        let exists = self.exists(Lit::TRUE);
        let coverage = match exists {
            Ok(true) => coverage::cover(self, questions.ends, covered),
            Ok(false) if !self.starts() => return Err(Failed::Judged(Reason::NoInitialState.into())),
            Ok(false) => Ok(coverage::nothing(self.program)),
            Err(reason) if self.program.init.is_some() => return Err(Failed::Effort(reason)),
            Err(reason) => Err(reason),
        };
        if thin_air_free && !cut && !beyond {
            let chosen = self.chosen.iter().map(|literal| vec![literal.number()]);
            let proof = self.proof.take().map(|mut proof| {
                // The bound is part of the problem, not something that is assumed of an execution.
                proof.clauses.extend(chosen);
                Arc::new(proof)
            });
            return Ok(Round::Complete(Certificate::Refutation(proof), coverage.ok()));
        }
        let coverage = coverage?;
        if beyond {
            return Ok(Round::Bounded { bound: Bound::Covered, coverage, may_grow: false });
        }
        // A loop with a smaller bound of its own limits what is claimed of all loops.
        let may_grow = cut && self.cuts_others(unwind, bounds);
        let least = match bounds.values().copied().min() {
            Some(least) if may_grow => least.min(unwind),
            Some(least) => least,
            None => unwind,
        };
        Ok(Round::Bounded { bound: Bound::Unwinding(least), coverage, may_grow })
    }

    /// Is there an initial state? Asked where there is no execution at all, which may be due to the axioms.
    fn starts(&self) -> bool {
        let states = || operational::initial_states(self.program, self.shape);
        self.program.init.is_none()
            || states().is_ok_and(|mut states| states.any(|start| matches!(start, Ok(Some(_)))))
    }

    /// Is a thread cut at a loop that has no bound of its own?
    fn cuts_others(&self, unwind: u32, bounds: &BTreeMap<(ProcessId, Point), u32>) -> bool {
        let arena = &self.encoding.structure.arena;
        self.shape.thread_ids().zip(&self.encoding.structure.threads).any(|(thread, threaded)| {
            let process = self.shape.info(thread).process;
            let others = threaded.cuts.iter().filter(|cut| !bounds.contains_key(&(process, cut.head)));
            others.into_iter().any(|cut| cut.bounds.contains(&unwind) && arena.value(cut.when) != Some(0))
        })
    }

    fn counterexample(&self, questions: &Questions) -> Result<Box<Counterexample>, Halt> {
        let violated = questions.violations.iter().find(|(_, when)| self.solver.value(*when));
        let Some((violated, _)) = violated else {
            let found = "an execution violates the property";
            return Err(
                Contradiction::within("bmc", found, "it violates nothing that the property says").into()
            );
        };
        self.shown(violated.clone())
    }

    /// The execution that the solver found.
    fn shown(&self, violated: Violation) -> Result<Box<Counterexample>, Halt> {
        let model = Model::new(self.encoding.structure, &self.words, &self.solver);
        let (execution, paths) = decode(self.program, self.shape, &self.encoding, &model);
        if initial_states(self.program, self.shape) > MOST_INITIAL {
            let why = "a violation was found, but there are too many initial states to replay it from one";
            return Err(Reason::TooLarge(why.into()).into());
        }
        Ok(Box::new(Counterexample::graph(violated, paths, execution)))
    }

    fn record(&self, statistics: &mut Statistics) {
        let solver = self.solver.statistics();
        statistics.count("variables", solver.variables);
        statistics.count("clauses", solver.clauses);
        statistics.count("conflicts", solver.conflicts);
        statistics.count("decisions", solver.decisions);
        statistics.count("propagations", solver.propagations);
        statistics.count("theory lemmas", solver.theory_lemmas);
        statistics.count("theory propagations", solver.theory_propagations);
        statistics.count("derived pairs", solver.derived_pairs);
    }
}

/// The rows of the paper's Fig. 7.
fn figures(statistics: &mut Statistics, encoding: &Encoding<'_, '_>, circuit: &Circuit<'_>) {
    let figures = encoding.figures();
    statistics.count("addresses", figures.addresses);
    statistics.count("shared accesses", figures.accesses);
    statistics.count("accesses to one address", figures.same_address);
    let mut all = 0;
    for (constraint, count) in circuit.counts() {
        statistics.set(constraint.figure(), Figure::Count(count));
        all += count;
    }
    statistics.count("constraints", all);
}
