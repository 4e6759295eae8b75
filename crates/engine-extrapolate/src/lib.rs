//! Proofs under sequential consistency, extrapolated to store buffers (Dan, Meshman, Vechev, Yahav 2013).

mod rules;

pub use rules::{MOST_VERSIONS, Rules, extrapolate, extrapolate_cubes};
