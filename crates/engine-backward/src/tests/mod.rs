//! Tests that need what other crates do not see.

mod example;
