//! `bmc`: partial-order bounded model checking (Alglave, Kroening and Tautschnig 2013).

#![allow(dead_code)]

mod circuit;
mod encoding;
mod formulation;
mod structure;
mod unroll;
mod wto;
