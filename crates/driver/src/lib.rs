//! The commands: one file and one request type each.
//!
//! Only this crate opens files. A command takes its request, the [`Input`]s and a [`Watch`] (how to
//! interrupt it, whom to tell about progress) and returns plain data that `report` renders. Nothing
//! here prints, exits or reads the environment.

pub mod check;
mod codes;
pub mod compare;
mod copies;
pub mod distinguish;
pub mod doctor;
pub mod dump;
mod edited;
pub mod emit;
pub mod engines;
pub mod explain;
mod few;
pub mod fix;
mod frontends;
pub mod generate;
mod input;
mod load;
pub mod models;
pub mod outcomes;
mod pool;
pub mod port;
mod portfolio;
mod prepare;
mod preprocess;
mod reach;
pub mod replay;
mod story;
pub mod test;
mod watch;

pub use copies::Copies;
pub use input::{Input, gather};
pub use load::{Loaded, Refused, load};
pub use pool::in_order;
pub use prepare::{Goal, PASSES, Prepared, prepare};
pub use preprocess::Compiler;
pub use watch::{Listener, Watch};
