//! Damaged tests: nothing panics, and every error stands within the text.

use wattle_generate::{Rng, mutant};
use wattle_program::validate;

use super::{read, samples};

#[test]
fn damaged_tests_never_panic() {
    let mut rng = Rng::new(3);
    let (mut good, mut bad) = (0, 0);
    for round in 0..20_000 {
        let text = mutant(samples::ALL[round % samples::ALL.len()], &mut rng);
        match read(&text) {
            Ok(parsed) => {
                good += 1;
                validate(&parsed.program).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
            }
            Err(problems) => {
                bad += 1;
                assert!(!problems.is_empty() && problems.len() <= 20, "{text}");
                for label in problems.iter().flat_map(|problem| &problem.labels) {
                    let (start, end) = (label.span.start as usize, label.span.end as usize);
                    assert!(start <= end && text.get(start..end).is_some(), "{label:?} in\n{text}");
                }
            }
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} good, {bad} bad");
}
