//! Engines that are worse than `explore`, each in one way.

use std::sync::Mutex;

use wattle_engine::{Answer, Bound, Contradiction, Engine, Hints, Reason, Run, Task, Unsupported, Verdict};
use wattle_engine_explore::Explore;
use wattle_logic::{Sort, Term};
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

/// Does not know where there is no fence at all, and is right everywhere else.
#[derive(Default)]
pub struct Hesitates(Explore);

/// Leaves a new predicate with each answer, and notes how many each task brought.
#[derive(Default)]
pub struct LeavesHints {
    engine: Explore,
    pub brought: Mutex<Vec<usize>>,
}

impl Engine for Hesitates {
    fn name(&self) -> &'static str {
        "hesitates"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut answer = self.0.check(task, run)?;
        let edges = task.program.processes.iter().flat_map(|process| &process.cfg.edges);
        if !edges.flat_map(|edge| &edge.ops).any(|op| matches!(op, Op::Fence(_))) {
            answer.verdict = Verdict::Unknown { reason: Reason::Undecided("no proof found".into()) };
        }
        Ok(answer)
    }
}

impl Engine for LeavesHints {
    fn name(&self) -> &'static str {
        "leaves-hints"
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.engine.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let answer = self.engine.check(task, run)?;
        let mut brought = self.brought.lock().unwrap();
        let new = Term::local_of(0, Term::int(0), 0, Sort::Int).equals(Term::int(brought.len() as i64));
        brought.push(task.hints.map_or(0, |hints| hints.more.len()));
        Ok(Answer { hints: Hints { lean: vec![], more: vec![new] }, ..answer })
    }
}

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
