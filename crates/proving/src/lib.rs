//! What engines that prove with predicates share.
//!
//! A [`Subject`] is one task, and what is made of it once: the flat program, its transitions, a solver. The
//! loop of [`Proving`] takes a system and some predicates, and ends with a [`Conclusion`]: a proof, a trace
//! with inputs, or a trace with which it can do nothing. [`Subject::answer`] says that in terms of the task,
//! with a certificate or a replayed counterexample.
//!
//! An engine for store buffers begins with a proof under sequential consistency ([`UnderSc`]), and carries
//! what that leaves over to buffered values by a [`Lifting`]. What it lifts, and what it does if a buffer is
//! too small, is its own business: no engine is known here.

#![warn(unreachable_pub)]

mod answer;
mod attempt;
mod certificate;
mod check;
mod control;
mod enlarge;
mod figures;
mod hints;
mod lean;
mod learnt;
mod lift;
mod prove;
mod relevance;
mod remote;
mod replay;
mod sc;
mod solver;
mod subject;
mod symmetry;
mod text;

pub use attempt::Approach;
pub use check::{Asking, estimate};
pub use control::{control, flags};
pub use figures::Figures;
pub use learnt::Learnt;
pub use lift::{Lifting, Place, copies, instances};
pub use prove::{Conclusion, GaveUp, Proof, Proving, Start, violates_bound};
pub use relevance::irrelevant;
pub use sc::{FromSc, Literals, UnderSc};
pub use solver::{library, solver, why_stopped};
pub use subject::{Subject, flat, reduction, sequential};
pub use text::{begin, is_given, remembering};
