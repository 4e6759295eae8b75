//! Proofs about nothing: a verdict *safe* that comes with one of these warnings is worth little, so that no
//! level of detail hides it.

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
