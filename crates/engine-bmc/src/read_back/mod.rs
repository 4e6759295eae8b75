//! Last phase: what the solver found, as an execution of the program.
//!
//! [`assignment`] gives expressions their values, [`decode`] makes the event graph.

pub(crate) mod assignment;
pub(crate) mod decode;
