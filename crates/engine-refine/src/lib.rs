//! Abstract store buffers, refined by counterexamples.
//!
//! The method of Abdulla, Atig, Chen, Leonardsson and Rezine (*Automatic Fence Insertion in Integer Programs via
//! Predicate Abstraction*, SAS 2012). Two things are infinite, buffers and integers, and each has an
//! abstraction: k-abstraction keeps k entries of a buffer and only an over-approximation of the others
//! (`wattle_memory::reduction`, `Rest`), and predicates stand for integers (`wattle_abstraction`). What the two
//! reach together is finite. If nothing bad is reached, the program is safe for buffers of any length; if
//! something is, the trace says which of the two must become more precise. The file `method.rs` is this loop.
//!
//! What differs from the paper:
//!
//! * The loop answers one question; the fences are looked for in `repair`, with this engine or any other. A trace
//!   that is feasible under the model (the paper's cases 1 and 2) ends it.
//! * Predicates are looked for under sequential consistency first, where traces are short, and then carried over to
//!   buffered values (section 8: a relation that is found for a value holds for its copies). A proof under sequential
//!   consistency is no part of the proof that comes out.
//! * The rest of a buffer knows the set of its values; `--rest havoc` gives the paper's own.
//! * Control components (how buffers are filled) are predicates like others, so that a state may leave open how
//!   a buffer is filled where nobody asks.

#![warn(unreachable_pub)]

mod feasible;
mod method;
mod options;
mod parameterised;
mod turns;

use wattle_abstraction::System;
use wattle_engine::{Answer, Contradiction, Engine, Estimate, Run, Task, Unsupported};
use wattle_proving::{Asking, estimate, flat, library, reduction};

pub use options::Refine;

use method::Refinement;

impl Engine for Refine {
    fn name(&self) -> &'static str {
        "refine"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let reduction = reduction(task)?;
        if reduction.is_some_and(|reduction| reduction.discipline().is_remote()) {
            return Err(Unsupported::new("remote memory access, which has no store buffers"));
        }
        task.shape()?;
        System::new(&flat(task.program)?)?;
        if let Some(reduction) = reduction {
            System::new(&reduction.reduce(task.program, &self.abstract_buffers(0))?.program)?;
        }
        library(&self.smt).map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        estimate(task)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let asking = Asking { engine: self.name(), smt: &self.smt, ignore_given: self.ignore_given };
        asking.check(task, run, |subject, hints, statistics| {
            Refinement { engine: self, subject }.verdict(hints, statistics)
        })
    }
}
