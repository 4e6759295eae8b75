//! Damaged texts: many small changes to good models, by a fixed seed. Nothing panics, and every error
//! stands within a text and has a code that is explained.

use wattle_source::{NoLoader, Sources};

use super::super::{CODES, read};
use super::styles::STYLES;

/// A small linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = vec![String::new()];
    let word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    for c in text.chars() {
        match pieces.last_mut() {
            Some(last) if word(c) && last.chars().all(word) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

const PIECES: [&str; 24] = [
    "*", "(", ")", "[", "]", "{", "}", "0", "_", "~", "^", "-1", "\\", "&", "|", ";", "\"", "'", "let",
    "rec", "W", "po", "ß", "\0",
];

fn damage(text: &str, random: &mut Random) -> String {
    let mut parts: Vec<String> = match random.below(3) {
        0 => text.chars().map(String::from).collect(),
        _ => pieces(text),
    };
    for _ in 0..=random.below(3) {
        let (one, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(5) {
            0 if parts.len() > 1 => drop(parts.remove(one)),
            1 => parts.insert(one, parts[other].clone()),
            2 => parts.swap(one, other),
            3 => parts.truncate(one.max(1)),
            _ => parts[one] = PIECES[random.below(PIECES.len())].into(),
        }
    }
    parts.concat()
}

/// How many of `rounds` damaged models are still read.
pub(crate) fn damaged_texts(rounds: usize, seed: u64) -> usize {
    let mut random = Random(seed);
    let mut good = 0;
    let texts: Vec<&str> = (crate::CATALOGUE.iter().filter_map(|model| crate::text(&model.name)))
        .chain(STYLES.iter().map(|(_, text)| *text))
        .collect();
    for round in 0..rounds {
        let text = damage(texts[round % texts.len()], &mut random);
        let (mut sources, file) = Sources::single("test.cat", &text);
        match read(&mut sources, file, &NoLoader, &[]) {
            Ok(_) => good += 1,
            Err(errors) => {
                assert!(!errors.is_empty() && errors.len() <= 20, "{text}");
                for error in &errors {
                    assert!(CODES.contains(&error.code), "{error:?}\n{text}");
                    for label in &error.labels {
                        let (start, end) = (label.span.start as usize, label.span.end as usize);
                        let text = sources.text(label.span.file);
                        assert!(start <= end && text.get(start..end).is_some(), "{label:?} in\n{text}");
                    }
                }
            }
        }
    }
    good
}

#[test]
fn damaged_models_never_panic() {
    let good = damaged_texts(20_000, 20240229);
    assert!((1_000..15_000).contains(&good), "{good} still read: the damage is too large or too small");
}

#[test]
#[ignore = "a longer run: cargo test -p wattle-memory --release -- --ignored"]
fn many_damaged_models_never_panic() {
    damaged_texts(200_000, 7);
}
