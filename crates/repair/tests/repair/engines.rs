//! Engines that are worse than `explore`, each in one way.

use wattle_engine::{Answer, Bound, Contradiction, Engine, Reason, Run, Task, Unsupported, Verdict};
use wattle_engine_explore::Explore;
use wattle_program::{Op, Orders};

/// Proves, but never refutes.
#[derive(Default)]
pub struct OnlyProves(Explore);

/// Refutes without saying how.
#[derive(Default)]
pub struct NoSchedules(Explore);

/// Refutes by runs that are cut short.
#[derive(Default)]
pub struct Lies(Explore);

/// Cannot close what has a write barrier in it.
#[derive(Default)]
pub struct NoBarriers(Explore);

impl Engine for NoBarriers {
    fn name(&self) -> &'static str {
        "no-barriers"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.0.check(task, run)?;
        let edges = task.program.processes.iter().flat_map(|process| &process.cfg.edges);
        let barrier = |op: &Op| matches!(op, Op::Fence(fence) if fence.orders == Orders::WW);
        let barriers = edges.flat_map(|edge| &edge.ops).any(barrier);
        if let (true, Verdict::Safe { .. }) = (barriers, &answer.verdict) {
            answer.verdict = Verdict::SafeUpTo { bound: Bound::Capacity(1) };
        }
        Ok(answer)
    }
}

impl Engine for OnlyProves {
    fn name(&self) -> &'static str {
        "only-proves"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.0.check(task, run)?;
        if matches!(answer.verdict, Verdict::Unsafe { .. }) {
            answer.verdict = Verdict::Unknown { reason: Reason::Undecided("no proof found".into()) };
        }
        Ok(answer)
    }
}

impl Engine for NoSchedules {
    fn name(&self) -> &'static str {
        "no-schedules"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.0.check(task, run)?;
        if let Verdict::Unsafe { counterexample } = &mut answer.verdict {
            counterexample.schedule = None;
        }
        Ok(answer)
    }
}

impl Engine for Lies {
    fn name(&self) -> &'static str {
        "lies"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.0.check(task, run)?;
        if let Verdict::Unsafe { counterexample } = &mut answer.verdict
            && let Some(schedule) = &mut counterexample.schedule
        {
            schedule.actions.pop();
        }
        Ok(answer)
    }
}
