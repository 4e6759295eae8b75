//! "Did you mean": the known name nearest to what was typed.

/// The nearest of `known`, if it is near enough to be a slip.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let distance = |name: &str| strsim::damerau_levenshtein(&typed, name);
    let nearest = known.into_iter().min_by_key(|name| distance(name))?;
    let slip = typed.chars().count().max(nearest.chars().count()).div_ceil(3).max(1);
    (distance(nearest) <= slip).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let models = ["sc", "tso", "pso", "rma"];
        assert_eq!(did_you_mean("tos", models), Some("tso"));
        assert_eq!(did_you_mean("TSO", models), Some("tso"));
        assert_eq!(did_you_mean("aarch64", models), None);
    }
}
