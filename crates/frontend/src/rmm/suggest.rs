//! "Did you mean": the known name that is nearest to a wrong one.

/// A help text, if a known name is near enough to be what was meant.
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (wrong.chars().count() / 3).max(1);
    let (distance, name) =
        known.into_iter().map(|name| (distance(wrong, name), name)).min_by_key(|(distance, _)| *distance)?;
    (distance <= limit).then(|| format!("did you mean `{name}`?"))
}

/// How many letters must be put in, taken out or changed (capitals do not count).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let best = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = best;
        }
    }
    row[b.len()]
}
