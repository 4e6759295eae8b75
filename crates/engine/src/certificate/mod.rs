//! Why *safe* may be believed, as plain data: every field is a claim that a checker in `judge` re-checks.
//!
//! What executions reach is claimed beside it, once for all forms: [`Coverage`](crate::Coverage).

pub mod abstraction;
pub mod cubes;
pub mod refutation;

use std::sync::Arc;

pub use abstraction::AbstractProof;
pub use cubes::CubeProof;
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
        /// In how many of them every thread ends. Others are looked at too, but how many depends on where an
        /// engine lets threads stop.
        executions: u64,
    },
    /// The abstract states that can be reached were visited and none is bad.
    Abstraction(Arc<AbstractProof>),
    /// Going back from everything bad leads to nothing new and to no initial state, for any number of processes.
    Cubes(Arc<CubeProof>),
    /// A solver found that no execution of the unrolled program is bad, and that none is cut.
    /// `None`: the engine was not asked to write down why.
    Refutation(Option<Arc<Refutation>>),
}
