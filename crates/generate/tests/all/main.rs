//! Tests of the crate against data of the repository.

#![allow(clippy::unwrap_used)]

mod shapes;
