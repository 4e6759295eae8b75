//! Vacuous proofs: nothing that the property speaks about is reached. A verdict *safe* with such a warning says
//! little, so that the warning is shown at every level of detail.

use wattle_source::Diagnostic;

/// Does the warning say that nothing the property speaks about was looked at?
pub fn is_vacuous(diagnostic: &Diagnostic) -> bool {
    note(diagnostic).is_some()
}

/// What the headline of a verdict says about that.
pub fn vacuous(diagnostics: &[Diagnostic]) -> Option<&'static str> {
    diagnostics.iter().find_map(note)
}

fn note(diagnostic: &Diagnostic) -> Option<&'static str> {
    match diagnostic.code.name() {
        "vacuous" => Some("VACUOUS: nothing that the property speaks about is reached"),
        "nothing-stated" => Some("no property is stated"),
        _ => None,
    }
}
