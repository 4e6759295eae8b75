//! Second phase: the structure as clauses.
//!
//! What reads may return ([`candidates`], [`facts`]) bounds the words that values become ([`values`],
//! [`circuit`]); communication between events becomes literals ([`encoding`]); a [`formulation`] adds
//! which executions the memory model allows ([`order`], [`clocks`], both over [`relations`]); and
//! [`property`] says which of them violate what is asked.

pub(crate) mod candidates;
pub(crate) mod circuit;
pub(crate) mod clocks;
pub(crate) mod encoding;
pub(crate) mod facts;
pub(crate) mod formulation;
pub(crate) mod order;
pub(crate) mod property;
pub(crate) mod relations;
mod stuck;
pub(crate) mod values;
