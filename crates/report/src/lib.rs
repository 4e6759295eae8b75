//! What people and programs see of a result.
//!
//! The types here are plain data that `driver` fills in: a [`CheckReport`], [`FixReport`] or
//! [`OutcomesReport`] for each file and model, and in it the [`Story`] of a counterexample. [`text`] renders them for people and
//! [`json`] as one object a line; nothing else in wattle turns results into text. Adding an output
//! format is one more module beside those two and one variant where `cli` chooses.

mod about;
mod check;
mod compared;
mod cycle;
mod distinguish;
mod exit;
mod fix;
mod generated;
mod graph;
mod head;
pub mod json;
mod names;
mod outcomes;
mod port;
mod row;
mod shown;
mod story;
pub mod svcomp;
mod tell;
pub mod text;
mod trace;
mod translation;
mod vacuous;

pub use about::{Asked, EngineReport, Health, ModelReport, Smt};
pub use check::{CheckReport, CheckVerdict};
pub use compared::Compared;
pub use cycle::{Link, axiom_cycle, sc_cycle};
pub use distinguish::{Difference, DifferenceReport, Distinguished, Side, Why};
pub use exit::{Accept, Exit};
pub use fix::{FixReport, FixVerdict, Placement, Proof};
pub use generated::Generated;
pub use graph::tell_graph;
pub use head::Head;
pub use names::{location_list, value_name};
pub use outcomes::{FinalState, Listing, OutcomesReport, OutcomesVerdict, Shown, list};
pub use port::{Fresh, PortReport, PortVerdict};
pub use row::{Row, Status, Tally};
pub use shown::Report;
pub use story::{Actor, Effect, Finish, Move, Standing, Story, Via, Violated, ViolatedKind, Writer};
pub use tell::{statement_text, tell};
pub use trace::{Trace, TraceError};
pub use translation::{Changed, Rests, Translated};
pub use vacuous::{is_vacuous, vacuous};
