//! `bmc`: partial-order bounded model checking (Alglave, Kroening and Tautschnig 2013).

#![allow(dead_code)]

mod candidates;
mod circuit;
mod encoding;
mod facts;
mod formulation;
mod order;
mod refutation;
mod relations;
mod structure;
#[cfg(test)]
mod testing;
mod unroll;
mod values;
mod wto;
