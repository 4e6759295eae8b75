//! What some part of wattle does not handle.
//!
//! A memory model without a meaning for an operation, a reduction, an abstraction or an engine that does not
//! know a construct: all of them say so in the same form, and it ends up as the reason of an *unknown*.

use std::fmt;

use wattle_source::Span;

/// Something that is not handled, in words for people, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub span: Option<Span>,
}

impl Unsupported {
    pub fn new(what: impl Into<String>) -> Unsupported {
        Unsupported { what: what.into(), span: None }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
