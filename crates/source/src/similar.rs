//! "Did you mean": the known name nearest to what was typed.

/// Longer texts are not compared: they are hardly misspelt names, and the comparison takes quadratic time.
const LONGEST: usize = 64;

/// The nearest of `known`, if it is near enough to be what was meant.
///
/// Letters are inserted, deleted, replaced or swapped with their neighbour; capitals do not count. One
/// slip for every three letters is near, three at most; a name that shares no letter is not. Of two that are equally near, the first in the alphabet wins, so that the answer does not depend
/// on the order of `known`.
fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let small = typed.to_lowercase();
    let length = small.chars().count();
    if length > LONGEST {
        return None;
    }
    let near = known.into_iter().filter_map(|name| {
        let other = name.chars().count();
        if name == typed || other > LONGEST {
            return None;
        }
        let distance = strsim::osa_distance(&small, &name.to_lowercase());
        let longer = length.max(other);
        (distance <= (longer / 3).clamp(1, 3) && distance < longer).then_some((distance, name))
    });
    near.min().map(|(_, name)| name)
}

/// The same as a sentence: "did you mean `flag`?".
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(typed, known).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let models = ["sc", "tso", "pso", "rma", "aarch64"];
        assert_eq!(nearest("tos", models), Some("tso"));
        assert_eq!(nearest("TSO", models), Some("tso"));
        assert_eq!(nearest("aarch", models), Some("aarch64"));
        assert_eq!(nearest("alpha", models), None);
        let names = ["flag", "turn", "x"];
        assert_eq!(nearest("flga", names), Some("flag"));
        assert_eq!(nearest("FLAG", names), Some("flag"));
        assert_eq!(nearest("turns", names), Some("turn"));
        assert_eq!(nearest("number", names), None);
        assert_eq!(nearest("xx", names), Some("x"));
        assert_eq!(nearest("y", names), None, "one letter is not a slip of another");
        assert_eq!(nearest("x", names), None, "what was typed is not what was meant");
        assert_eq!(nearest(&"x".repeat(1_000_000), names), None);
        assert_eq!(did_you_mean("turn!", names).as_deref(), Some("did you mean `turn`?"));
    }
}
