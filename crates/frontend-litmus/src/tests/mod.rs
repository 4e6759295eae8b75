//! Tests of the `.litmus` front end.

mod aarch64;
mod edits;
mod errors;
mod robust;
mod samples;
mod sizes;
mod structure;

use wattle_program::{Program, text, validate};
use wattle_source::{Diagnostic, Sources};

use wattle_frontend::Reading;

pub(super) fn read(text: &str) -> Reading {
    super::FRONTEND.read("test.litmus", text)
}

/// The program of a text that must be right; it is well formed and comes back from its printed form.
pub(super) fn checked(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let parsed = read(text)?;
    validate(&parsed.program).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    let printed = text::print(&parsed.program);
    let (sources, file) = Sources::single("test.wir", &printed);
    assert_eq!(text::parse(&sources, file).as_ref(), Ok(&parsed.program), "{printed}");
    Ok(parsed.program)
}

/// The edges of a test of one thread, as the printed form has them, without places.
pub(super) fn edges(text: &str) -> Vec<String> {
    let program = checked(text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let printed = text::print(&program);
    let edges = printed.lines().filter_map(|line| line.strip_prefix("  edge "));
    edges.map(|edge| edge.rsplit_once(" @").map_or(edge, |(edge, _)| edge).to_owned()).collect()
}

/// The code and the place of the first problem.
pub(super) fn problem(text: &str) -> (&'static str, u32, u32) {
    let problems = read(text).err().unwrap_or_else(|| panic!("this is right:\n{text}"));
    let (sources, _) = Sources::single("test.litmus", text);
    let place = sources.start(problems[0].span());
    (problems[0].code.name(), place.line, place.column)
}

/// A text with parts of it taken out, doubled, exchanged and cut off is read or refused.
pub(super) fn survives_damage(text: &str) {
    let mut state = 1u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit.max(1)
    };
    for _ in 0..3000 {
        let mut damaged = text.as_bytes().to_vec();
        for _ in 0..=below(4) {
            let (start, length) = (below(damaged.len()), below(12));
            let end = (start + length).min(damaged.len());
            let piece = damaged[start..end].to_vec();
            match below(4) {
                0 => drop(damaged.drain(start..end)),
                1 => damaged.splice(start..start, piece).for_each(drop),
                2 => damaged.truncate(start),
                _ => {
                    let other = below(text.len());
                    let piece = &text.as_bytes()[other..(other + length).min(text.len())];
                    damaged.splice(start..end, piece.iter().copied()).for_each(drop);
                }
            }
        }
        let damaged = String::from_utf8_lossy(&damaged);
        if let Ok(parsed) = read(&damaged) {
            validate(&parsed.program).unwrap_or_else(|invalid| panic!("{invalid}\n{damaged}"));
        }
    }
}
