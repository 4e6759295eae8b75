//! Chains: which statements may have to be delivered for others to be.

use std::collections::BTreeSet;

use super::statement::Found;

/// The statements of `some` and those that write what one of them reads or writes, and so on (the paper's
/// relation ∘, closed).
pub(super) fn chain(found: &[Found], some: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    let mut open: Vec<usize> = some.into_iter().collect();
    while let Some(last) = open.pop() {
        if !all.insert(last) {
            continue;
        }
        let mut touched = found[last].writes();
        touched.extend(found[last].reads());
        let before = |one: &Found| one.writes().iter().any(|location| touched.contains(location));
        open.extend((0..found.len()).filter(|one| !all.contains(one) && before(&found[*one])));
    }
    all
}
