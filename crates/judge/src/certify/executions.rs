//! Proofs by enumeration, checked by brute force: every candidate execution is made and judged by the
//! naive evaluator. Nothing is pruned and no engine takes part, so only small programs end in time.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use wattle_engine::{Bound, Census, Coverage, Halt, Reason, Run, Spent, Task, Unsupported, Violation, Work};
use wattle_memory::axiomatic::{self, Evaluation};
use wattle_memory::candidates::{self, Candidate, End, Incomplete, Limits};
use wattle_memory::operational::{View, is_final};
use wattle_memory::speaks_of_threads;
use wattle_program::{EdgeId, ProcessId, Program, PropertyKind, Shape, ThreadId, cuts};

use super::{coverage, wrong};

/// More candidates than this are not tried.
const MOST_CANDIDATES: u64 = 50_000_000;

/// Everything that brute force finds.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The executions that end.
    pub census: Census,
    /// All consistent executions, those in which a thread stops included.
    pub executions: u64,
    /// Those in which every thread ends.
    pub complete: u64,
    pub violations: Vec<Violation>,
    /// The edges that some consistent execution takes.
    pub taken: BTreeSet<(ProcessId, EdgeId)>,
    /// Does one end as the filter allows?
    pub ends: bool,
    /// Was some thread cut at the bound of its loops?
    pub cut: bool,
}

/// What looking at a candidate costs.
const CANDIDATE: Work = Work::microseconds(20);

/// Checks that no consistent execution violates the property or is cut, and that as many end as claimed.
/// Returns how many there are.
pub(super) fn executions(
    task: &Task<'_>,
    claimed: u64,
    coverage: Option<&Coverage>,
    run: &Run,
) -> Result<u64, Halt> {
    super::starts(task, run)?;
    let survey = survey(task, 2, run)?;
    if let Some(violated) = survey.violations.first() {
        return Err(wrong(format!("{violated:?}")));
    }
    if survey.cut {
        return Err(wrong("there are longer executions"));
    }
    if survey.complete != claimed {
        return Err(wrong(format!("{} executions end, not {claimed}", survey.complete)));
    }
    coverage::same(task.program, coverage, &survey.taken, survey.ends)?;
    Ok(survey.executions)
}

/// Look at every execution in which no thread comes back to a point more than `unwind` times.
pub fn survey(task: &Task<'_>, unwind: u32, run: &Run) -> Result<Survey, Reason> {
    let Some(axioms) = &task.memory.axioms else {
        let what = format!("{} has no axioms", task.memory.name);
        return Err(Reason::Unsupported(Unsupported::new(what)));
    };
    let program = task.program;
    let shape =
        Shape::new(program).map_err(|error| Reason::Unsupported(Unsupported::new(error.to_string())))?;
    if !speaks_of_threads(program) {
        let what = "what memory holds in the middle of an execution, under axioms";
        return Err(Reason::Unsupported(Unsupported::new(what)));
    }
    let prefixes = program.properties.iter().any(|property| property.kind != PropertyKind::Finally);
    let limits = Limits { unwind, prefixes, most: MOST_CANDIDATES };
    let mut survey = Survey::default();
    let mut stopped = None;
    let mut seen: u64 = 0;
    let cut = candidates::for_each(program, &shape, limits, &mut |candidate| {
        seen += 1;
        if seen.is_multiple_of(256)
            && let Err(reason) =
                run.poll(CANDIDATE * 256, Spent { memory: run.resident().unwrap_or(0), states: seen })
        {
            stopped = Some(reason);
            return ControlFlow::Break(());
        }
        match axiomatic::evaluate(&axioms.tree, candidate.execution) {
            // What the faulting step read before it faulted is no event, so nothing is known of it.
            Ok(evaluation) if evaluation.is_consistent() && candidate.faults() => {
                stopped = Some(Reason::Unsupported(Unsupported::new("a step that may fault, under axioms")));
                return ControlFlow::Break(());
            }
            Ok(evaluation) if evaluation.is_consistent() => {
                survey.executions += 1;
                survey.complete += u64::from(candidate.has_ended());
                survey.look(program, &shape, candidate, &evaluation);
            }
            Ok(_) => {}
            Err(what) => {
                stopped = Some(Reason::Unsupported(Unsupported::new(what)));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    match (stopped, cut) {
        (Some(reason), _) => Err(reason),
        (None, Err(Incomplete::TooMany)) => {
            Err(Reason::TooLarge(format!("more than {MOST_CANDIDATES} candidate executions")))
        }
        (None, Err(Incomplete::Unsupported(what))) => Err(Reason::Unsupported(Unsupported::new(what))),
        (None, Ok(cut)) => {
            survey.cut = cut;
            let beyond = cuts(program).any(|cut| survey.taken.contains(&cut.edge));
            survey.census.bound =
                cut.then_some(Bound::Unwinding(unwind)).or(beyond.then_some(Bound::Covered));
            Ok(survey)
        }
    }
}

impl Survey {
    fn look(&mut self, program: &Program, shape: &Shape, candidate: &Candidate<'_>, evaluation: &Evaluation) {
        let state = candidate.final_state();
        let view = View { program, shape, state: &state };
        for (thread, path) in shape.thread_ids().zip(candidate.paths) {
            let process = shape.info(thread).process;
            self.taken.extend(path.steps.iter().map(|(edge, _)| (process, *edge)));
            self.failures(thread, path);
        }
        if candidate.paths.iter().any(|path| path.end == End::Cut) {
            return;
        }
        let allowed = program.filter.as_ref().is_none_or(|filter| filter.evaluate_bool(&view) == Ok(true));
        let counts = is_final(program, shape, &state) && candidate.has_ended() && allowed;
        for (number, property) in program.properties.iter().enumerate() {
            let violated = match property.kind {
                PropertyKind::Forbid => property.formula.evaluate_bool(&view) == Ok(true),
                PropertyKind::Always => property.formula.evaluate_bool(&view) == Ok(false),
                PropertyKind::Finally => counts && property.formula.evaluate_bool(&view) == Ok(false),
            };
            if violated {
                self.violations.push(Violation::Property { property: number });
            }
        }
        if !counts {
            return;
        }
        self.ends = true;
        self.census.flags.extend(evaluation.flags().cloned());
        self.census.undefined |= evaluation.undefined().next().is_some();
        let outcome = program.observed.iter().map(|term| term.evaluate(&view)).collect();
        if let Ok(outcome) = outcome {
            let condition = program.condition.as_ref();
            let tally = self.census.outcomes.entry(outcome).or_default();
            tally.executions += 1;
            tally.holds = condition.is_some_and(|asked| asked.formula.evaluate_bool(&view) == Ok(true));
        }
    }

    fn failures(&mut self, thread: ThreadId, path: &candidates::ThreadPath) {
        for (position, op) in &path.failed {
            let edge = path.steps[*position].0;
            self.violations.push(Violation::Assertion { thread, edge, op: *op });
        }
    }
}
