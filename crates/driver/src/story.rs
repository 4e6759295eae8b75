//! The story of a counterexample, whichever form it has.

use wattle_engine::{Counterexample, Property, Task, Violation};
use wattle_judge::confirm::confirm;
use wattle_memory::{Machine, axiomatic};
use wattle_program::Instance;
use wattle_report::{Story, tell, tell_graph};

use crate::Prepared;

/// `None` if the counterexample does not hold for the program as it is told, which a confirmed one does.
pub(crate) fn story(
    prepared: &Prepared<'_>,
    property: Property,
    counterexample: &Counterexample,
) -> Option<Story> {
    let (sources, told) = (&prepared.loaded().sources, prepared.told());
    // Where the program leaves the number of copies open, the counterexample has one.
    let program = &*counterexample.instance.of(&told).ok()?;
    let counterexample = &Counterexample { instance: Instance::default(), ..counterexample.clone() };
    let task = Task { program, ..prepared.task(property) };
    if counterexample.schedule.is_some() {
        let machine = task.memory.machine.unwrap_or(Machine::Sc { atomic_copy: false });
        return tell(sources, program, machine, counterexample);
    }
    // Run along the paths once more: locals have the values that the text gives them.
    let replayed = confirm(&task, counterexample).ok()?;
    tell_graph(sources, program, counterexample, &culprits(&task, counterexample), replayed.states.last()?)
}

/// The events that take the meaning of a program away, if that is the violation.
fn culprits(task: &Task<'_>, counterexample: &Counterexample) -> Vec<u32> {
    let Violation::Undefined { axiom } = &counterexample.violated else { return vec![] };
    let (Some(axioms), Some(execution)) = (&task.memory.axioms, &counterexample.execution) else {
        return vec![];
    };
    let evaluation = axiomatic::evaluate(&axioms.tree, execution).ok();
    let judged = evaluation.as_ref().and_then(|all| all.undefined().find(|judged| judged.name == *axiom));
    judged.map(|judged| judged.witness.clone()).unwrap_or_default()
}
