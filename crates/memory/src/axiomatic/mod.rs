//! Models judged naively: the second opinion on every execution.
//!
//! [`evaluate`] walks the syntax tree of a model over an [`crate::Execution`], with ordered sets of events and
//! of pairs for values and the textbook definition for every operator. It shares no code with the
//! lowering or with engines, so that a mistake in either shows as a contradiction. [`well_formed`]
//! checks what the axioms take for granted: that `rf` and `co` are what their names say.
//! [`explain_cycle`] tells why an execution is not sequentially consistent.

mod base;
mod cycle;
mod evaluate;
mod value;
mod well_formed;

pub use base::{relation, set};
pub use cycle::{Step, explain_cycle};
pub use evaluate::{Evaluation, Judgement, evaluate};
pub use value::{Relation, Set};
pub use well_formed::well_formed;

#[cfg(test)]
mod tests;
