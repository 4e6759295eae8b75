//! "Did you mean": the known name nearest to what was typed.

/// The nearest of `known`, if it is near enough to be a slip.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = typed.chars().take(60).collect();
    let distances =
        known.into_iter().filter(|name| *name != typed).map(|name| (distance(&letters, name), name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    let slip = letters.len().max(name.chars().count()).div_ceil(3).max(1);
    (distance <= slip && distance < letters.len()).then_some(name)
}

/// How many letters to add, drop or change; case counts half.
fn distance(typed: &[char], name: &str) -> usize {
    let name: Vec<char> = name.chars().collect();
    let mut row: Vec<usize> = (0..=name.len()).map(|at| 2 * at).collect();
    for (at, letter) in typed.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = 2 * (at + 1);
        for (column, other) in name.iter().enumerate() {
            let change = match (letter == other, letter.eq_ignore_ascii_case(other)) {
                (true, _) => 0,
                (_, true) => 1,
                _ => 2,
            };
            let best = (diagonal + change).min(row[column] + 2).min(row[column + 1] + 2);
            diagonal = std::mem::replace(&mut row[column + 1], best);
        }
    }
    row[name.len()].div_ceil(2)
}
