//! Tests of the commands against data from outside.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod cycles;
mod fences;
mod translations;
