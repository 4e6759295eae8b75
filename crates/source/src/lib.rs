//! Source text: where a piece of a program stands, and what is wrong with it.
//!
//! Everything that a user sees of their own text goes through three small types: a [`Span`] is a
//! range of bytes in one file, [`Sources`] holds the texts, and a [`Diagnostic`] is a message with a
//! stable code and labelled spans. Nothing here prints; `report` renders diagnostics.

mod code;
mod diagnostic;
mod loader;
mod similar;
mod sources;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use loader::{LoadError, Loader, NoLoader};
pub use similar::did_you_mean;
pub use sources::{FileId, Position, Sources, Span, TextEdit};
