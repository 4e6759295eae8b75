//! Why *safe* may be believed, as plain data: every field is a claim that a checker in `judge` re-checks.
//!
//! What executions reach is claimed beside it, once for all forms: [`Coverage`](crate::Coverage).

pub mod abstraction;
pub mod refutation;

use std::sync::Arc;

pub use abstraction::AbstractProof;
pub use refutation::Refutation;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// All reachable states were visited and none is bad.
    StateSpace {
        /// No thread ever has more than this many stores or remote halves pending, not counting
        /// stores that change nothing (see the checker).
        capacity: usize,
    },
    /// All consistent executions were looked at and none is bad.
    Executions {
        /// How many there are, those with a stopped thread included.
        executions: u64,
    },
    /// The abstract states that can be reached were visited and none is bad.
    Abstraction(Arc<AbstractProof>),
    /// A solver found that no execution of the unrolled program is bad, and that none is cut.
    /// `None`: the engine was not asked to write down why.
    Refutation(Option<Arc<Refutation>>),
}
