//! Backward reachability modulo weak memory.
#![warn(unreachable_pub)]
mod cube;
mod embed;
mod extract;
mod init;
mod knowledge;
mod literal;
mod options;
mod pre;
mod search;
mod start;
mod system;
pub use options::{Backward, Order};
#[cfg(test)]
mod tests;
