//! Predicate abstraction.
//!
//! A flat program becomes a [`System`] of transitions over cells; its [`Predicates`] pose
//! [`Questions`] about it; an [`Entail`] answers them; the three-valued [`checker`] visits the abstract states.

mod ample;
pub mod boolean;
pub mod checker;
mod cube;
mod elsewhere;
mod entail;
mod extent;
mod fold;
mod generalise;
pub mod interpolate;
mod lazy;
mod linear;
mod live;
mod orders;
pub mod path;
mod predicates;
mod prover;
mod question;
pub mod search;
mod sets;
pub mod slice;
pub mod system;
mod told;
mod unfold;
mod walk;

pub use cube::{Cube, MOST_PREDICATES, Set};
pub use elsewhere::Elsewhere;
pub use entail::{Entail, Entailed, Stopped, by_cubes};
pub use fold::Fold;
pub use generalise::generalise;
pub use lazy::{Known, Lazy};
pub use orders::{Orders, orders};
pub use predicates::{Predicates, atoms, choice};
pub use prover::{Prover, Shown};
pub use question::{Ask, Asked, Goal, Pair, Posed, Questions, Reach, Scope, Update};
pub use sets::speaks_of_elements;
pub use system::System;
pub use told::{Told, Transformers};
pub use walk::Walk;
