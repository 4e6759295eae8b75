//! `enumerate`: all consistent executions of a small program under any .cat model.
//!
//! A thread is unfolded into its paths ([`unfold`]); over each combination of paths the search
//! ([`search`]) gives every read a write and every location an order of its writes, and keeps what
//! the axioms allow. It is not generate-and-test: a choice that no completion can repair is not made.
//! The model is compiled once ([`plan`]) to a program on bit matrices, which is run stage by stage
//! and recomputes only what a choice changed ([`evaluate`]).
//!
//! herd (Alglave, Maranget and Tautschnig 2014) generates all candidates, solves their equations and
//! then interprets the model on each. What is counted is the same: each choice of writes for reads
//! and of orders for writes is one execution.
//!
//! **Limits.** Loops are unrolled up to a bound, which the answer states: it may miss what needs more
//! rounds. Executions whose values justify each other (values out of thin air) are not listed; where
//! the model allows such a graph, the answer is not *safe*. At most 256 events an execution, initial
//! writes included. Atomic sections over several locations are refused. Assertions and `forbid` are
//! judged on executions in which threads stop early, which presumes that the model allows an
//! execution's beginning if it allows the execution.

mod census;
mod evaluate;
mod path;
mod plan;
mod properties;
mod search;
mod skeleton;
mod state;
mod survey;
mod unfold;
mod witness;

use std::sync::{Arc, Mutex, PoisonError};

use wattle_engine::{
    Answer, Bound, Census, Certificate, Contradiction, Counterexample, Coverage, Engine, Estimate,
    Executions, Halt, OutcomeSet, Outcomes, Property, Reason, Run, Statistics, Task, Unsupported, Verdict,
    Violation, axioms, reached_cuts, steps_are_events,
};
use wattle_logic::Term;
use wattle_memory::cat::Axioms;
use wattle_program::{Program, PropertyKind, Shape, cuts};

use crate::census::Counter;
use crate::plan::Plans;
use crate::properties::PropertyWatcher;
use crate::survey::{Scope, Surveyed, survey};
use crate::unfold::Wanted;

/// The engine `enumerate`, with its options. Clones share the models that they have compiled.
#[derive(Clone, Debug)]
pub struct Enumerate {
    /// How often a thread may come back to a point.
    pub unwind: u32,
    compiled: Arc<Compiled>,
}

impl Default for Enumerate {
    fn default() -> Enumerate {
        Enumerate { unwind: 2, compiled: Arc::default() }
    }
}

/// The models compiled so far. A task has a few models and many programs.
#[derive(Debug, Default)]
struct Compiled(Mutex<Vec<(Arc<Axioms>, Arc<Plans>)>>);

impl Compiled {
    fn plans(&self, axioms: &Arc<Axioms>) -> Result<Arc<Plans>, Unsupported> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, plans)) = known.iter().find(|(other, _)| Arc::ptr_eq(other, axioms)) {
            return Ok(plans.clone());
        }
        let plans = Arc::new(Plans::new(&axioms.core.without("section"))?);
        // The number of compiled models is bounded, for callers that make ever new ones.
        if known.len() >= 64 {
            known.clear();
        }
        known.push((axioms.clone(), plans.clone()));
        Ok(plans)
    }
}

impl Engine for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let axioms = axioms(task)?;
        if task.property == Property::NoDeadlock {
            return Err(Unsupported::new("deadlock"));
        }
        steps_are_events(task.program, false)?;
        self.compiled.plans(axioms)?;
        Ok(())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        // Litmus tests are small by nature; of other programs the number of executions is not known beforehand.
        let litmus = task.program.condition.is_some();
        let loop_free = task.program.processes.iter().all(|process| process.cfg.is_loop_free());
        if litmus && loop_free { Estimate::LoopFree } else { Estimate::Open }
    }

    /// An execution that is cut after so many rounds is cut after fewer.
    fn improves(&self, bound: &Bound) -> bool {
        !matches!(bound, Bound::Unwinding(rounds) if *rounds >= self.unwind)
    }

    fn lists(&self) -> Option<&dyn Outcomes> {
        Some(self)
    }

    fn counts(&self) -> Option<&dyn Executions> {
        Some(self)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut statistics = Statistics::default();
        Answer::of(self.verdict(task, run, &mut statistics), statistics)
    }
}

impl Enumerate {
    fn plans(&self, task: &Task<'_>) -> Result<Arc<Plans>, Reason> {
        self.accepts(task).map_err(Reason::Unsupported)?;
        let axioms = task.memory.axioms.as_ref();
        let axioms = axioms.ok_or_else(|| Reason::Unsupported(Unsupported::new("a model without axioms")))?;
        self.compiled.plans(axioms).map_err(Reason::Unsupported)
    }

    fn verdict(
        &self,
        task: &Task<'_>,
        run: &Run,
        statistics: &mut Statistics,
    ) -> Result<(Verdict, Option<Coverage>), Halt> {
        let plans = self.plans(task)?;
        let program = task.program;
        let shape = Shape::new(program);
        let shape = shape.map_err(|error| Reason::Unsupported(Unsupported::new(error.to_string())))?;
        let everywhere = program.properties.iter().any(|property| property.kind != PropertyKind::Finally);
        let wanted = Wanted { stopped: true, standing: everywhere };
        let scope = Scope { unwind: self.unwind, wanted, ended: false };
        let mut properties = PropertyWatcher::new(program, &shape, &plans.fixed.checks);
        let formulas = program.properties.iter().map(|property| &property.formula).chain(&program.filter);
        let surveyed = survey(task, &plans, scope, formulas, &mut properties, run)?;
        record(statistics, &surveyed);
        if let (Some(violated), Some((execution, paths))) = (properties.violated.take(), surveyed.witness) {
            let counterexample = Box::new(Counterexample::graph(violated, paths, execution));
            return Ok((Verdict::Unsafe { counterexample }, None));
        }
        sound(&surveyed.tally)?;
        if let Some(reason) = properties.gives_up() {
            return Err(reason.into());
        }
        if surveyed.tally.thin_air {
            return Err(thin_air());
        }
        if properties.overflow {
            return Err(Reason::Overflow.into());
        }
        let coverage = Some(properties.coverage());
        if surveyed.cut {
            return Ok((Verdict::SafeUpTo { bound: Bound::Unwinding(self.unwind) }, coverage));
        }
        if !reached_cuts(program, coverage.as_ref()).is_empty() {
            return Ok((Verdict::SafeUpTo { bound: Bound::Covered }, coverage));
        }
        let certificate = Certificate::Executions { executions: properties.complete };
        Ok((Verdict::Safe { certificate }, coverage))
    }
}

impl Enumerate {
    /// What executions reach, if none faults. Asked only where an expression may have no value, or where the program may be
    /// cut: such executions do not end, so a list of final states would be silent about them.
    fn no_fault(&self, task: &Task<'_>, plans: &Plans, run: &Run) -> Result<Coverage, Halt> {
        let shape = Shape::new(task.program);
        let shape = shape.map_err(|error| Reason::Unsupported(Unsupported::new(error.to_string())))?;
        let program = Program { properties: vec![], ..task.program.clone() };
        let task = Task { program: &program, ..*task };
        let wanted = Wanted { stopped: true, standing: false };
        let scope = Scope { unwind: self.unwind, wanted, ended: false };
        let mut properties = PropertyWatcher::new(&program, &shape, &[]);
        survey(&task, plans, scope, program.filter.iter(), &mut properties, run)?;
        if let Some(Violation::Fault { thread, edge, fault, .. }) = properties.violated {
            let span = Some(program.process(shape.info(thread).process).cfg.edge(edge).origin.0);
            let what = format!("a fault ({fault}) in an execution that the axioms allow");
            return Err(Reason::Unsupported(Unsupported { what, span }).into());
        }
        properties.gives_up().map_or(Ok(properties.coverage()), |reason| Err(reason.into()))
    }
}

fn thin_air() -> Halt {
    Reason::Undecided("the model allows values out of thin air, which are not enumerated".into()).into()
}

/// Counts mean nothing if values overflowed or a definition of the model did not settle.
fn sound(tally: &search::Tally) -> Result<(), Reason> {
    if tally.overflow {
        return Err(Reason::Overflow);
    }
    if tally.diverged {
        return Err(Reason::Undecided("a recursive definition of the model does not settle".into()));
    }
    Ok(())
}

fn record(statistics: &mut Statistics, surveyed: &Surveyed) {
    statistics.count("paths", surveyed.paths);
    statistics.count("candidates", surveyed.tally.candidates);
    statistics.count("executions", surveyed.tally.executions);
}

impl Executions for Enumerate {
    fn executions(&self, task: &Task<'_>, run: &Run) -> Result<Census, Halt> {
        let plans = self.plans(task)?;
        let program = task.program;
        let scope = Scope { unwind: self.unwind, wanted: Wanted::default(), ended: true };
        let mut counter = Counter::new(program, &plans.fixed.checks);
        let condition = program.condition.iter().map(|condition| &condition.formula);
        let formulas = program.observed.iter().chain(condition).chain(&program.filter);
        let formulas: Vec<&Term> = formulas.collect();
        let surveyed = survey(task, &plans, scope, formulas.into_iter(), &mut counter, run)?;
        sound(&surveyed.tally)?;
        if let Some(fault) = counter.fault {
            return Err(Reason::NoValue(format!("a final state has no value: {fault}")).into());
        }
        if surveyed.tally.thin_air {
            return Err(thin_air());
        }
        let mut bound = surveyed.cut.then_some(Bound::Unwinding(self.unwind));
        if surveyed.may_fault || cuts(program).next().is_some() {
            let coverage = self.no_fault(task, &plans, run)?;
            let beyond = !reached_cuts(program, Some(&coverage)).is_empty();
            bound = bound.or(beyond.then_some(Bound::Covered));
        }
        Ok(Census {
            outcomes: counter.outcomes().collect(),
            flags: counter.flags().collect(),
            undefined: counter.undefined,
            bound,
        })
    }
}

impl Outcomes for Enumerate {
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Halt> {
        let census = self.executions(task, run)?;
        match census.bound {
            Some(bound) => Err(Reason::OnlyUpTo(bound).into()),
            None => Ok(census.outcomes.into_keys().collect()),
        }
    }
}
