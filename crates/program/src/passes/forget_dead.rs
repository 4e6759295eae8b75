//! Set locals to zero where their value no longer matters.
//!
//! Two states that differ only in a dead local have the same future, so keeping the value only
//! multiplies states: a temporary of an expression, once used, would double the state space for
//! every value it may hold. The pass appends [`Op::Forget`] to each edge after which a local is
//! dead, and drops the initial value of locals that are dead at the start. Locals that a property,
//! an observed term or the filter mentions never die. Outcomes and verdicts stay the same; schedules
//! carry over edge by edge, because edges keep their numbers.

use std::collections::BTreeSet;

use wattle_logic::Term;

use super::{liveness, observed_locals};
use crate::{Init, Op, Process, Program};

pub fn forget_dead(program: &Program) -> Program {
    let mut result = program.clone();
    for process in program.process_ids() {
        let observed = observed_locals(program, process);
        forget_in(&mut result.processes[process.0 as usize], &observed);
    }
    result
}

fn forget_in(process: &mut Process, observed: &BTreeSet<u32>) {
    let live = liveness(process, observed, |_| true);
    let entry = process.cfg.entry.0 as usize;
    for (number, local) in process.locals.iter_mut().enumerate() {
        if !live[entry].contains(&(number as u32)) {
            local.init = Init::Values(vec![Term::value(local.sort.zero(), local.sort)]);
        }
    }
    for edge in &mut process.cfg.edges {
        let mut maybe_set: BTreeSet<u32> = live[edge.from.0 as usize].clone();
        maybe_set.extend(edge.ops.iter().filter_map(Op::sets));
        let after = &live[edge.to.0 as usize];
        edge.ops.extend(maybe_set.difference(after).map(|&local| Op::Forget { local }));
    }
}
