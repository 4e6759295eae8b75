//! Keep what given predicates speak of: the opposite of [`super::forget_dead`], for their locals.
//!
//! A local that nobody will read may be all that links two values that matter: after `x = n`, while the store is
//! pending, `n` says what the buffer holds. A predicate of the text over such a local is of no use
//! once the local is forgotten. Leaving a dead local as it is changes nothing that can be observed.

use std::collections::BTreeSet;

use super::liveness::mentioned;
use super::{liveness, observed_locals};
use crate::{Op, ProcessId, Program};

pub fn remember_given(program: &Program) -> Program {
    let given = |id: ProcessId| -> BTreeSet<u32> {
        program.predicates.iter().flat_map(|predicate| mentioned(predicate, id)).collect()
    };
    remember(program, &given)
}

/// Keep these locals of each process.
pub fn remember(program: &Program, kept: &dyn Fn(ProcessId) -> BTreeSet<u32>) -> Program {
    let mut result = program.clone();
    for id in program.process_ids() {
        let kept = kept(id);
        let live = liveness(program.process(id), &observed_locals(program, id), |_| true);
        for edge in &mut result.processes[id.0 as usize].cfg.edges {
            let after = &live[edge.to.0 as usize];
            // Where the local is live afterwards, later edges rely on the zero.
            edge.ops.retain(
                |op| !matches!(op, Op::Forget { local } if kept.contains(local) && !after.contains(local)),
            );
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use wattle_source::Sources;

    use super::*;
    use crate::passes::forget_dead;
    use crate::text::{parse, print};

    fn program(ops: [&str; 3]) -> Program {
        let [first, second, third] = ops;
        let text = format!(
            "wir 1\nprogram \"t\"\nvariable x : int init 0\nprocess t\n  local r : int init 0\n  local s : int init 0\n  \
             entry 0\n  point 0\n  point 1\n  point 2\n  point 3 end\n  edge 0 -> 1 do {first}\n  edge 1 -> 2 do {second}\n  \
             edge 2 -> 3 do {third}\npredicate t[0].r == 1\n"
        );
        let (sources, file) = Sources::single("test.wir", &text);
        parse(&sources, file).unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
    }

    #[test]
    fn a_dead_local_that_is_given_stays() {
        let written = program(["load r from &x; load s from &x", "store &x = r + s", "store &x = 2"]);
        let text = print(&remember_given(&forget_dead(&written)));
        assert!(!text.contains("forget r") && text.contains("forget s"), "{text}");
    }

    #[test]
    fn what_somebody_reads_as_zero_is_still_forgotten() {
        let written = program(["load r from &x; forget r", "store &x = r", "store &x = 2"]);
        assert_eq!(remember_given(&written), written);
    }
}
