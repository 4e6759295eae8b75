//! The engine as a whole, on random programs.

#![allow(clippy::unwrap_used)]

mod agreement;
mod figures;
