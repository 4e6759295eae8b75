//! Under construction.

pub mod hitting_set;
mod set;

pub use set::Set;
