//! Relations between events that may or may not happen.
//!
//! A relation of an unrolled program is not a list of pairs: a dependency may exist on one way only,
//! two accesses may or may not have one address, and an event that does not happen is in no pair at
//! all. Conditions here are *relative*: the condition of a pair says when it holds *given that both its
//! events happen*. Then program order, tags, kinds of events and products of sets have no conditions
//! at all, and almost everything that a model says about one thread is decided before the solver
//! starts. What leads through a third event needs that this one happens; `guards` knows where it does
//! anyway.
//!
//! Each relation has two bounds, bit matrices (`matrix`): the pairs that hold in every execution in which
//! both events happen, and the pairs that hold in some. Where the two agree, nothing is left to decide.
//! Literals are made only for what lies between, pair by pair and only when someone asks.

pub(crate) mod base;
pub(crate) mod bounds;
pub(crate) mod guards;
pub(crate) mod literal;
pub(crate) mod matrix;
pub(crate) mod term;

pub(crate) use bounds::Bounds;
pub(crate) use guards::Guards;
pub(crate) use literal::Relations;
pub(crate) use matrix::Matrix;
pub(crate) use term::{Term, TermId, Terms};
