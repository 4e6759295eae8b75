//! Damaged texts, to try parsers on.
//!
//! Half of the damage is to single characters, half to whole words: the first finds what a lexer
//! forgot, the second gets past it and finds what a parser forgot.

use crate::Rng;

const NOISE: [&str; 16] =
    ["(", ")", "{", "}", "[", "]", ";", ",", "\"", "(*", "*)", "\0", "ß", "0x", "9223372036854775808", "-"];

/// The text with one to four small changes.
pub fn mutant(text: &str, rng: &mut Rng) -> String {
    let mut parts: Vec<&str> = match rng.chance(500) {
        true => text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect(),
        false => words(text),
    };
    for _ in 0..rng.between(1, 4) {
        let length = parts.len() as u32;
        if length == 0 {
            break;
        }
        let (one, other) = (rng.below(length) as usize, rng.below(length) as usize);
        match rng.below(6) {
            0 => drop(parts.remove(one)),
            1 => parts.insert(one, parts[other]),
            2 => parts.swap(one, other),
            3 => parts[one] = parts[other],
            4 => parts.truncate(one),
            _ => parts[one] = *rng.pick(&NOISE),
        }
    }
    parts.concat()
}

/// Runs of letters and digits, and single characters between them.
fn words(text: &str) -> Vec<&str> {
    let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match belongs(first) {
            true => rest.find(|c| !belongs(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        words.push(word);
        rest = after;
    }
    words
}
