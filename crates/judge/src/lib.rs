//! The judges, which trust no engine.
//!
//! Before anybody sees an answer, [`confirm`] replays an *unsafe* verdict on the reference machine and holds it
//! against the axioms; [`certify`] re-checks the certificate of a *safe* one when asked; [`tidy`] makes a
//! counterexample readable, each change replayed. No engine is imported here. A judge that disagrees returns a
//! [`Contradiction`](wattle_engine::Contradiction); one that meets a limit says that it does not know.

pub mod certify;
pub mod confirm;
mod tidy;

pub use tidy::tidy;
