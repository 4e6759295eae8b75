//! The method of Baumann, Dan, Meshman, Hoefler and Vechev (VMCAI 2018, section 2.3) as a loop.
//!
//! Prove the program `P` with remote operations done at once, with predicates `V`. Reduce it to `P̄`, in which sets and
//! flags stand for what is pending (`wattle_memory::reduction::rma`). Extrapolate `V` to these ([`extrapolated`], the
//! paper's `EP(V)`), and prove `P̄` with that.
//!
//! What differs from the paper:
//!
//! * A trace that `P̄` has is replayed on the machine. If the machine has it, the program is unsafe. If not, instances
//!   of one statement were confused in its set: more of them are kept apart (slots), with all predicates
//!   so far. A trace that `P̄` does not have yields more predicates, each with its copies for sets.
//! * Predicates over sets are two each, `all(X, p)` and `all(X, not p)`, instead of one with three values. These are
//!   the values *true* and *false* of the paper; where neither is known, its value is `*`.
//! * Transformers are found where a state needs them, by asking the solver about `P` under other names ([`Renamed`]) and, of what
//!   cannot be said so, about `P̄`. The paper compares two ways: never to ask about `P̄` ([`Extrapolated`], `--method ebp`), and to
//!   ask about nothing else (`--method pe`).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use wattle_abstraction::{Orders, Predicates, Prover, System, orders};
use wattle_engine::{Answer, Halt, Hints, Progress, Reason, Statistics, Task, Verdict};
use wattle_logic::{Kind, Term};
use wattle_memory::reduction::{Reduced, Reduction};
use wattle_program::{ProcessId, ThreadId, passes};
use wattle_proving::{
    Approach, Conclusion, FromSc, GaveUp, Learnt, Lifting, Proving, Start, Subject, UnderSc, begin, control,
    copies, flags, instances, violates_bound, why_stopped,
};

use crate::ebp::Extrapolated;
use crate::names::{Names, with_spares};
use crate::options::{Extrapolate, Method, PAPERS_CUBE_SIZE};
use crate::renamed::{Asked, Renamed};

/// Where no number is given, so many instances of a statement are kept apart at most.
const MOST_APART: u32 = 3;

/// So many earlier values of a variable may be in a question beside the present one.
const SPARES: u32 = 2;

/// The engine at work on a program with remote operations.
pub(crate) struct Remote<'a> {
    pub engine: &'a Extrapolate,
    pub subject: &'a Subject<'a>,
    pub reduction: &'static dyn Reduction,
}

/// How long something is tried.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    /// Rounds of each loop. `None`: as many as it takes.
    rounds: Option<u64>,
    /// Abstract states of a round.
    states: Option<u64>,
}

/// What refinement finds it finds soon, unless numbers grow.
const SOME_ROUNDS: Effort = Effort { rounds: Some(6), states: None };

/// With all orders, little is left to be found.
const ORDERS: Effort = Effort { rounds: Some(10), states: Some(60_000) };

impl Remote<'_> {
    /// Where numbers grow, refinement has some rounds, then all orders between what counts are tried, and then refinement has
    /// as many rounds as it takes.
    pub(crate) fn verdict(&self, hints: &mut Hints, statistics: &mut Statistics) -> Result<Answer, Halt> {
        let orders = self.orders();
        if !orders.plain.is_empty() {
            if !self.are_hinted(&orders.plain)
                && let Some(answer) = decided(self.by_refinement(SOME_ROUNDS, hints, statistics))?
            {
                return Ok(answer);
            }
            statistics.count("orders", (orders.plain.len() + orders.shifted.len()) as u64);
            if let Some(answer) = decided(self.by_orders(orders, hints, statistics))? {
                return Ok(answer);
            }
        }
        self.by_refinement(Effort::default(), hints, statistics)
    }

    /// What may be tried beside refinement.
    fn orders(&self) -> Orders {
        let Remote { engine, subject, .. } = self;
        let some = matches!(engine.method, Method::Auto | Method::Pe);
        let lazy = some && matches!(engine.approach(), Approach::Lazy);
        match lazy && !engine.no_refinement && !subject.given {
            true => orders(&subject.sc),
            false => Orders::default(),
        }
    }

    /// Did they suffice for a task like this? (There may not have been room for all.)
    fn are_hinted(&self, orders: &[Term]) -> bool {
        let hints = self.subject.hints().more;
        let Some(hinted) = Predicates::new(&self.subject.sc, &hints) else { return false };
        orders.iter().filter(|order| hinted.literal_of(order).is_some()).count() * 2 >= orders.len()
    }

    /// Begin with the proof under sequential consistency.
    fn by_refinement(
        &self,
        effort: Effort,
        hints: &mut Hints,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let Remote { engine, subject, .. } = *self;
        let (approach, refines) = (engine.approach(), !engine.no_refinement);
        let how = UnderSc { approach: &approach, refines, patience: effort.rounds, most: effort.states };
        let conclusion = subject.prove_under_sc(how, statistics)?;
        if let Conclusion::GaveUp { why: why @ GaveUp::Patience(_), .. } = &conclusion {
            return Err(Reason::Undecided(why.to_string()).into());
        }
        hints.learn(subject.left_under_sc(&conclusion));
        let conclusion = self.whole(conclusion)?;
        let sc = subject.left_by(conclusion, statistics);
        self.extrapolated(&sc, effort, hints, statistics)
    }

    /// Begin with orders and the comparisons of the text. Locals that are dead stay: what they say of a variable, they say of the values
    /// that it had when something was started.
    fn by_orders(
        &self,
        Orders { plain, shifted }: Orders,
        hints: &mut Hints,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let Remote { engine, subject, .. } = *self;
        let start = [&plain[..], &begin(&subject.program, &subject.sc, false), &shifted].concat();
        let program = passes::remember(subject.task.program, &|process| ordered(subject, &start, process));
        let task = Task { program: &program, ..*subject.task };
        let remembering = Subject::new(subject.engine, &task, subject.run, &engine.smt, false)?;
        let Effort { rounds: patience, states: most } = ORDERS;
        let how = UnderSc { approach: &Approach::Lazy, refines: true, patience, most };
        let Conclusion::Proof(proof) = remembering.prove_under_sc_from(how, start.clone())? else {
            return Err(Reason::Undecided("orders do not suffice under sc".into()).into());
        };
        // Where there is no room for all, rather without an order than without what else the proof has.
        let orders = [plain, shifted].concat();
        let orders = Predicates::new(&remembering.sc, &orders).unwrap_or_default();
        let is_order = |term: &&Term| orders.literal_of(term).is_some();
        let (found, others): (Vec<&Term>, Vec<&Term>) = proof.predicates.terms().iter().partition(is_order);
        let all = others.into_iter().chain(found);
        let predicates = Predicates::new(&remembering.sc, all).unwrap_or_default();
        let sc = FromSc { predicates, cubes: vec![], given: true };
        Remote { subject: &remembering, ..*self }.extrapolated(&sc, ORDERS, hints, statistics)
    }

    /// Where a boolean program is extrapolated, the predicates must suffice for one that is built as a whole, with cubes of a
    /// limited size. They are found as they are needed first, which is cheaper.
    fn whole(&self, conclusion: Conclusion) -> Result<Conclusion, Halt> {
        let Extrapolate { method: Method::Ebp, no_refinement: false, cube_size, .. } = self.engine else {
            return Ok(conclusion);
        };
        let Conclusion::Proof(proof) = &conclusion else { return Ok(conclusion) };
        let approach = Approach::Implicants(cube_size.unwrap_or(PAPERS_CUBE_SIZE));
        let how = UnderSc { approach: &approach, refines: true, patience: None, most: None };
        self.subject.prove_under_sc_from(how, proof.predicates.terms().to_vec())
    }

    /// Carry predicates over, with more and more instances of a statement kept apart.
    fn extrapolated(
        &self,
        sc: &FromSc,
        effort: Effort,
        hints: &mut Hints,
        statistics: &mut Statistics,
    ) -> Result<Answer, Halt> {
        let Remote { engine, subject, reduction } = *self;
        let mut learnt = None;
        let numbers = engine.buffer.as_ref().map_or(0..=MOST_APART, |room| room.each..=room.each);
        let mut last = None;
        // What is asked of the program with copies done at once, for all numbers of instances.
        let with_spares = with_spares(&subject.program, SPARES);
        let spared = System::new(&with_spares).map_err(Reason::Unsupported)?;
        let mut solver = spared.solver(&subject.solver).map_err(Reason::Solver)?;
        let stopped = |stopped| why_stopped(subject.run, stopped);
        let prover = Prover::new(&mut solver, &Predicates::default()).map_err(stopped)?;
        let under_sc = Rc::new(RefCell::new(Asked::new(&spared, prover)));
        for apart in numbers {
            let phase = format!("proof with {apart} instances of a statement apart");
            subject.run.progress(&Progress { phase: phase.clone(), states: 0, depth: 0 });
            let room = engine.room(apart);
            let reduced =
                reduction.reduce_within(subject.task.program, &room).map_err(Reason::Unsupported)?;
            let system = System::new(&reduced.program).map_err(Reason::Unsupported)?;
            statistics.count("apart", u64::from(apart));
            let conclusion = self.prove(
                (&reduced, &system),
                (sc, &under_sc),
                effort,
                learnt.as_ref(),
                &phase,
                statistics,
            )?;
            let helps = effort.states.is_none() || !matches!(conclusion, Conclusion::GaveUp { .. });
            if let Some(lifting) = Lifting::new(&reduced).filter(|_| helps) {
                hints.learn(subject.left_with_buffers(&lifting, &conclusion));
            }
            let Conclusion::Violated { trace, solution, predicates, further, figures } = conclusion else {
                return subject.answer(conclusion, &system, Some(&reduced), statistics);
            };
            if !violates_bound(&trace, reduced.bound)
                && let Some(found) = subject.counterexample(&system, Some(&reduced), &trace, &solution)?
            {
                return Ok((Verdict::Unsafe { counterexample: found }, None).into());
            }
            let why = match violates_bound(&trace, reduced.bound) {
                true => format!("a remote atomic may be pending more than {} times", apart.max(1)),
                false => too_coarse(apart),
            };
            let why = GaveUp::Stuck(why);
            learnt = Some(Learnt {
                program: reduced.program.clone(),
                predicates: predicates.clone(),
                further: further.clone(),
                figures: figures.clone(),
            });
            let stuck = Conclusion::GaveUp { why, trace, predicates, further, figures };
            last = Some((stuck, system, reduced));
        }
        match last {
            Some((stuck, system, reduced)) => subject.answer(stuck, &system, Some(&reduced), statistics),
            None => Err(Reason::Undecided("no number of instances is left to try".into()).into()),
        }
    }

    fn prove(
        &self,
        (reduced, system): (&Reduced, &System),
        (sc, under_sc): (&FromSc, &Rc<RefCell<Asked<'_>>>),
        effort: Effort,
        learnt: Option<&Learnt>,
        phase: &str,
        statistics: &mut Statistics,
    ) -> Result<Conclusion, Halt> {
        let engine = self.engine;
        let limit = engine.cube_size.unwrap_or(PAPERS_CUBE_SIZE);
        let ebp = (engine.method == Method::Ebp)
            .then(|| Extrapolated::new(self.subject, system, reduced, limit).map(Rc::new))
            .flatten();
        let variables = self.subject.program.variables.len() as u32;
        let renames = engine.method == Method::Auto && matches!(engine.approach(), Approach::Lazy);
        let lifting = Lifting::new(reduced).filter(|_| renames);
        let names = lifting
            .map(|lifting| Names::new(&lifting, under_sc.borrow().system, system, (variables, SPARES)));
        let renamed = names.map(|names| Rc::new(Renamed::new(names, system, under_sc.clone())));
        let approach = match (&ebp, &renamed) {
            (Some(ebp), _) => Approach::Told(ebp.clone()),
            (None, Some(renamed)) => Approach::Elsewhere(renamed.clone()),
            (None, None) => engine.approach(),
        };
        let mut start = learnt.map_or_else(Start::default, |learnt| learnt.start(&reduced.program));
        let carried = match effort.states {
            Some(_) => with_room(system, sc.predicates.terms(), reduced),
            None => extrapolated(sc.predicates.terms(), reduced),
        };
        start.predicates = [carried, start.predicates].concat();
        let refines = !self.engine.no_refinement;
        let given = sc.given && learnt.is_none();
        let proving = Proving {
            subject: self.subject,
            system,
            approach: &approach,
            phase,
            bound: reduced.bound,
            prefers_bound: false,
            refines,
            forgets: refines && !given,
            given,
            lean: false,
            patience: effort.rounds,
            most: effort.states,
            instances: &|predicate| instances(predicate, reduced),
            irrelevant: &|_| vec![],
        };
        let conclusion = proving.prove(start)?;
        if let Some(ebp) = &ebp {
            ebp.record(conclusion.predicates(), statistics);
        }
        if let Some(renamed) = &renamed {
            renamed.record(statistics);
        }
        Ok(conclusion)
    }
}

/// The paper's `EP(V)`: the predicates of the proof, the same of all elements of each set (both ways), and the flags of
/// the statements that matter: those that write what a predicate speaks of.
pub(crate) fn extrapolated(predicates: &[Term], reduced: &Reduced) -> Vec<Term> {
    let of_sets = predicates.iter().flat_map(|predicate| copies(predicate, reduced));
    let flags = match Lifting::new(reduced) {
        None => control(reduced),
        Some(lifting) => {
            let mut named = BTreeSet::new();
            for predicate in predicates {
                predicate.walk(&mut |term| named.extend(lifting.location(term)));
            }
            flags(reduced, &|statement| statement.writes().iter().any(|location| named.contains(location)))
        }
    };
    predicates.iter().cloned().chain(of_sets).chain(flags).collect()
}

/// As many of these as there is room for, each with its copies, and the flags.
fn with_room(system: &System, predicates: &[Term], reduced: &Reduced) -> Vec<Term> {
    let mut all = Predicates::default();
    for flag in flags(reduced, &|_| true) {
        all.add(system, &flag);
    }
    for predicate in predicates {
        let mut more = all.clone();
        let own = [vec![predicate.clone()], copies(predicate, reduced)].concat();
        if own.iter().all(|one| more.add(system, one).is_some()) {
            all = more;
        }
    }
    all.terms().to_vec()
}

/// The locals of a process that predicates speak of.
fn ordered(subject: &Subject<'_>, predicates: &[Term], process: ProcessId) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for predicate in predicates {
        predicate.walk(&mut |term| {
            if let Kind::LocalOf { process: thread, local, .. } = term.kind()
                && subject.shape.info(ThreadId(*thread)).process == process
            {
                found.insert(*local);
            }
        });
    }
    found
}

/// An answer that others need not look for.
fn decided(tried: Result<Answer, Halt>) -> Result<Option<Answer>, Halt> {
    match tried {
        Ok(answer) if matches!(answer.verdict, Verdict::Unknown { .. }) => Ok(None),
        Ok(answer) => Ok(Some(answer)),
        Err(Halt::Unknown(Reason::Undecided(_) | Reason::TooLarge(_))) => Ok(None),
        Err(halt) => Err(halt),
    }
}

fn too_coarse(apart: u32) -> String {
    let kept = match apart {
        0 => "no instances of a remote statement are".to_string(),
        1 => "one instance of a remote statement is".to_string(),
        _ => format!("{apart} instances of a remote statement are"),
    };
    format!("a trace that the machine does not have is possible if {kept} kept apart")
}
