//! The answer in the words of the competition on software verification (SV-COMP), for the property that an error function
//! is never called.

use crate::story::ViolatedKind;
use crate::{CheckReport, CheckVerdict};

/// `true`, `false(unreach-call)` or `unknown`. A bounded answer is no proof; a fault, such as following a null pointer, is a violation of
/// another property than the one that was asked for.
pub fn check(report: &CheckReport) -> &'static str {
    match &report.verdict {
        CheckVerdict::Safe { .. } => "true",
        CheckVerdict::Unsafe { story } if story.violated.kind == ViolatedKind::Assert => {
            "false(unreach-call)"
        }
        _ => "unknown",
    }
}
