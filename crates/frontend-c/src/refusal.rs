//! What wattle does not handle, by name and place. A statement that holds such a thing becomes one operation that is
//! *unsupported*: programs that never reach it are not harmed, and one that does gets the verdict *unknown* with this
//! name.

use lang_c::span::Span;

#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub what: String,
    /// In the filtered text.
    pub span: Span,
    /// The text is wrong: an error, wherever it stands.
    pub error: Option<wattle_source::Code>,
    /// A further place of an error, and what it says there.
    pub other: Option<(wattle_source::Span, String)>,
}

pub(crate) type Low<T> = Result<T, Refusal>;

pub(crate) fn refuse<T>(what: impl Into<String>, span: Span) -> Low<T> {
    Err(Refusal { what: what.into(), span, error: None, other: None })
}

pub(crate) fn wrong<T>(code: wattle_source::Code, what: impl Into<String>, span: Span) -> Low<T> {
    Err(Refusal { what: what.into(), span, error: Some(code), other: None })
}
