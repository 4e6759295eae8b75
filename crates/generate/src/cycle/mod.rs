//! Litmus tests from critical cycles.
//!
//! A weak behaviour is a cycle that sequential consistency forbids: accesses in program order within
//! threads, joined by communication between them (Shasha and Snir 1988). So a cycle of relaxation
//! edges *is* a test: `PodWR Fre PodWR Fre` is store buffering, and a model allows the behaviour exactly
//! if it relaxes enough of the edges. This is the idea of diy (Alglave, Maranget, Sarkar, Sewell 2011),
//! whose names for edges are used here, so that cycles can be exchanged. What differs: cycles are
//! enumerated as necklaces, each once and from small to large, which makes "the smallest test such
//! that" a plain search; and a cycle whose final state would not tell it from another is refused
//! instead of getting observer threads.
//!
//! [`Edge`] is a step, [`Cycle`] a well-formed cycle with all its accesses laid out, [`Family`] a set of
//! cycles, [`Test`] the text of one.

mod architecture;
mod edge;
mod enumerate;
mod layout;
mod name;
mod print;

pub use architecture::{Annotation, Architecture, Fence, Marks, Rmw};
pub use edge::{Communication, Direction, Edge, Kind, Means, Names, Reach};
pub use enumerate::Family;
pub use layout::{Access, Broken, Cycle, location_name};

/// A test as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    pub text: String,
}

/// The test of a cycle, under the name that the literature would give it.
pub fn test(cycle: &Cycle) -> Test {
    named_test(cycle, &name::name(cycle))
}

/// The test of a cycle under a name of one's own.
pub fn named_test(cycle: &Cycle, name: &str) -> Test {
    Test { name: name.to_owned(), text: print::text(cycle, name) }
}
