//! Explicit-state search.

use wattle_engine::{
    Answer, Bound, Certificate, Engine, OutcomeSet, Outcomes, Reason, Run, Statistics, Task, Unsupported,
    Verdict, certify,
};
use wattle_program::Shape;

/// The engine `explore`, with its options.
#[derive(Clone, Debug)]
pub struct Explore {
    /// Leave out interleavings that cannot matter. Off: shortest counterexamples.
    pub reduction: bool,
    /// Worker threads.
    pub threads: usize,
    /// Buffers are never searched beyond this many pending operations a thread.
    pub max_capacity: usize,
}

impl Default for Explore {
    fn default() -> Explore {
        Explore { reduction: true, threads: 1, max_capacity: 8 }
    }
}

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        Shape::new(task.program).map_err(|error| Unsupported::new(error.to_string()))?;
        task.memory.refuses(task.program).map_or(Ok(()), |what| Err(Unsupported::new(what)))
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Answer {
        let mut statistics = Statistics::default();
        let mut capacity = 1;
        let verdict = loop {
            match certify::explore_all(task, Some(capacity), true, run) {
                Err(reason) => break Verdict::Unknown { reason },
                Ok(closure) => {
                    statistics.count("states", closure.states);
                    if let Some(counterexample) = closure.violation {
                        break Verdict::Unsafe { counterexample: Box::new(counterexample) };
                    }
                    if !closure.cut {
                        let (states, reduced) = (closure.states, false);
                        let certificate =
                            Certificate::StateSpace { states, capacity, reduced, unreached: vec![] };
                        break Verdict::Safe { certificate };
                    }
                    if capacity >= self.max_capacity {
                        break Verdict::SafeUpTo { bound: Bound::Capacity { capacity, unreached: vec![] } };
                    }
                    capacity += 1;
                }
            }
        };
        Answer { verdict, statistics }
    }
}

impl Outcomes for Explore {
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Reason> {
        certify::explore_all(task, None, false, run).map(|closure| closure.outcomes)
    }
}
