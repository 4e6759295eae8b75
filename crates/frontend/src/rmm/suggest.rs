//! "Did you mean": the known name that is nearest to a wrong one.

/// A help text, if a known name is near enough to be what was meant.
pub fn did_you_mean<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (wrong.chars().count() / 3).max(1);
    let (distance, name) =
        known.into_iter().map(|name| (distance(wrong, name), name)).min_by_key(|(distance, _)| *distance)?;
    (distance <= limit).then(|| format!("did you mean `{name}`?"))
}

/// How many letters must be put in, taken out, changed or swapped (capitals do not count).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let best = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if swapped { best.min(table[i - 2][j - 2] + 1) } else { best }
            };
        }
    }
    table[a.len()][b.len()]
}
