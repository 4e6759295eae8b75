//! Random trials of the order theory: descriptions at random against their meaning.
//!
//! The meaning of a description is what `scratch` computes: facts derived from the literals that hold until
//! there are no more, then a cycle or a broken test looked for, with no memory of what was before. Each
//! trial is a function of its seed and compares the theory with that:
//!
//! * [`assignments`]: all assignments of a few variables, one by one and by the solver; with a proof, each
//!   lemma of which is checked by what its documentation says.
//! * [`script`]: the theory without the solver, as literals come and go in random order; what it
//!   propagates has its reasons in the past, and it has a conflict if and only if there is one.
//! * [`refutation`]: larger instances (`synthetic`), their proofs checked.
//!
//! The tests of this crate run thousands of them, the benchmark as many as it is asked for.

mod assignments;
mod check;
mod describe;
mod script;
#[cfg(test)]
mod tests;

pub use assignments::{Assigned, assignments};
pub use script::{Followed, script};

use crate::synthetic::{Instance, Shape};
use crate::{Satisfiability, Solver};

/// Was the instance refuted, by a proof that holds? `Err` if the proof does not.
pub fn refutation(seed: u64) -> Result<bool, String> {
    let instance = Instance::new(Shape::sparse(120, true), seed);
    let mut solver = Solver::with_proof();
    let (inputs, description) = instance.written_down(&mut solver);
    if solver.solve(&[]) != Satisfiability::Unsat {
        return Ok(false);
    }
    let proof = solver.proof().ok_or("no proof")?;
    let conclusion = check::check(&proof, &inputs, &description)?;
    ensure(conclusion.is_empty(), || format!("seed {seed}: the proof ends in {conclusion:?}"))?;
    Ok(true)
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
