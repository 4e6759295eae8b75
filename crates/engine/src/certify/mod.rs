//! Checkers of certificates, one file a form. They import no engine.

mod state_space;

pub use state_space::{Certified, Closure, explore_all, is_contradiction, state_space};
