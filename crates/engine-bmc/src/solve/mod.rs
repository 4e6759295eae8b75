//! Third phase: questions to the solver.
//!
//! [`deepen`] chooses the bounds on loops; [`query`] puts the questions about one unrolling; a *safe*
//! answer says what it covers ([`coverage`]) and why it holds ([`refutation`]).

pub(crate) mod coverage;
pub(crate) mod deepen;
pub(crate) mod query;
pub(crate) mod refutation;
