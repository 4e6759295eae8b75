//! The theory alone, as literals come and go.

use std::cell::RefCell;
use std::rc::Rc;

use super::describe::{Random, random_description};
use super::ensure;
use crate::solver::Stop;
use crate::theory::Theory;
use crate::{Lit, scratch};

/// What a trial saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    pub propagated: usize,
    pub conflicts: usize,
}

/// Assignments and backtracking in random order; what the theory says is compared with what follows
/// from the literals that hold. `Err` says what is wrong.
pub fn script(seed: u64) -> Result<Followed, String> {
    let mut random = Random::new(seed);
    let variables = 2 + random.below(9);
    let description = random_description(&mut random, variables);
    let mut theory = Theory::new(description.clone(), Rc::new(RefCell::new(Stop::never())), None);
    let mut followed = Followed::default();
    if theory.at_first().iter().any(|closing| theory.clause(closing).is_empty()) {
        return Ok(followed);
    }
    let wrong = |what: String| format!("seed {seed}: {what}");
    // Literals with their levels, as the solver has them.
    let mut trail: Vec<(Lit, usize)> = Vec::new();
    let mut level = 0;
    let mut told: Vec<(Lit, usize)> = Vec::new();
    for _ in 0..40 {
        if random.below(4) == 0 && level > 0 {
            level = random.below(level);
            theory.backtrack(level);
            trail.retain(|(_, at)| *at <= level);
            told.retain(|(_, place)| *place < trail.len());
        } else {
            let open: Vec<i32> = (2..2 + variables as i32)
                .filter(|number| !trail.iter().any(|(literal, _)| literal.variable() == *number as u32))
                .collect();
            if open.is_empty() {
                continue;
            }
            if random.below(2) == 0 {
                theory.new_level();
                level += 1;
            }
            let number = open[random.below(open.len())];
            let literal = Lit::new(if random.below(3) == 0 { -number } else { number });
            theory.assign(&[literal.number()]);
            trail.push((literal, level));
        }
        if random.below(8) == 0 {
            // The solver may go on without asking.
            continue;
        }
        while let Some(literal) = theory.propagate() {
            followed.propagated += 1;
            let known = trail.iter().any(|(known, _)| known.variable() == literal.variable());
            ensure(!known, || wrong(format!("{literal:?} is propagated, and known")))?;
            theory.assign(&[literal.number()]);
            told.push((literal, trail.len()));
            trail.push((literal, level));
        }
        let holds = |literal: Lit| literal == Lit::TRUE || trail.iter().any(|(known, _)| *known == literal);
        let expected = scratch::conflict(&description, holds).is_some();
        ensure(theory.has_conflict() == expected, || wrong(format!("a conflict: {expected}")))?;
        for (literal, place) in &told {
            let reason = theory.reason(*literal);
            ensure(reason.contains(literal), || wrong(format!("{reason:?} is no reason of {literal:?}")))?;
            for other in reason.iter().filter(|other| *other != literal) {
                let before = trail[..*place].iter().any(|(known, _)| *known == !*other);
                ensure(before, || wrong(format!("the reason {reason:?} of {literal:?} is younger than it")))?;
            }
        }
        if expected {
            followed.conflicts += 1;
            let lemma = theory.lemma().ok_or_else(|| wrong("a conflict without a lemma".into()))?;
            let false_now = lemma.iter().all(|literal| holds(!*literal));
            ensure(false_now, || wrong(format!("the lemma {lemma:?} is not false")))?;
            let levels = lemma.iter().filter_map(|literal| {
                trail.iter().find(|(known, _)| *known == !*literal).map(|(_, level)| *level)
            });
            let Some(highest) = levels.max().filter(|highest| *highest > 0) else { break };
            level = random.below(highest);
            theory.backtrack(level);
            trail.retain(|(_, at)| *at <= level);
            told.retain(|(_, place)| *place < trail.len());
        }
    }
    Ok(followed)
}
