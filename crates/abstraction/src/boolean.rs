//! Boolean programs: for every goal, the cubes that imply it.

use std::fmt::Write;

use crate::cube::{Cube, Set};
use crate::entail::{Entail, Entailed, Stopped, by_cubes};
use crate::lazy::Lazy;
use crate::question::{Asked, Goal, Questions};
use crate::search::Search;
use crate::system::System;

/// A boolean program that is built by a [`Search`], goal by goal, when it is first asked or as a whole.
///
/// Whether literals contradict each other is not part of a boolean program (its cubes are possible ones),
/// but splitting needs it; that is found out on the way.
pub struct BooleanProgram<'a> {
    pub search: Box<dyn Search>,
    pub aside: Lazy<'a>,
    /// By goal.
    pub cubes: Vec<Option<Vec<Cube>>>,
}

impl std::fmt::Debug for BooleanProgram<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BooleanProgram").field("cubes", &self.cubes).finish_non_exhaustive()
    }
}

impl<'a> BooleanProgram<'a> {
    pub fn new(search: Box<dyn Search>, aside: Lazy<'a>) -> BooleanProgram<'a> {
        BooleanProgram { search, aside, cubes: vec![] }
    }

    pub fn cubes_of(&mut self, number: usize, goal: &Goal) -> Result<&[Cube], Stopped> {
        if self.cubes.len() <= number {
            self.cubes.resize(number + 1, None);
        }
        let known = &mut self.cubes[number];
        if known.is_none() {
            *known = Some(self.search.search(&mut self.aside.prover, goal)?);
        }
        Ok(known.as_deref().unwrap_or(&[]))
    }

    /// Every transformer.
    pub fn build(&mut self, questions: &Questions) -> Result<(), Stopped> {
        for goal in questions.of.iter().flat_map(goals) {
            self.cubes_of(goal, &questions.goals[goal])?;
        }
        Ok(())
    }
}

impl Entail for BooleanProgram<'_> {
    fn entails(&mut self, number: usize, goal: &Goal, state: &Cube, open: &Set) -> Result<Entailed, Stopped> {
        if goal.target.is_false() {
            return self.aside.entails(number, goal, state, open);
        }
        let cubes = self.cubes_of(number, goal)?;
        Ok(by_cubes(cubes, state, open))
    }
}

/// The goals of a transition, in the order of the text below.
pub fn goals(asked: &Asked) -> Vec<usize> {
    let updates = asked.sets.iter().chain(&asked.tells).filter_map(|update| update.goals);
    let updates = updates.flat_map(|pair| [Some(pair.holds), pair.fails]).flatten();
    [asked.blocked].into_iter().chain(asked.checks.iter().copied()).chain(updates).collect()
}

/// The text of a boolean program. `name` says what a predicate is called; `cubes` what implies a goal.
pub fn text(
    system: &System,
    questions: &Questions,
    name: &dyn Fn(usize) -> String,
    cubes: &dyn Fn(usize) -> Vec<Cube>,
) -> String {
    let mut text = String::new();
    let formula = |goal: usize| {
        let cube = |cube: &Cube| {
            let literals: Vec<String> = (cube.literals())
                .map(|(predicate, value)| format!("{}{}", if value { "" } else { "!" }, name(predicate)))
                .collect();
            if literals.is_empty() { "true".into() } else { literals.join(" && ") }
        };
        let all: Vec<String> = cubes(goal).iter().map(cube).collect();
        if all.is_empty() { "false".into() } else { all.join(" || ") }
    };
    for (transition, asked) in system.transitions.iter().zip(&questions.of) {
        let (thread, from, to) = (transition.thread, transition.from.0, transition.to.0);
        let _ = writeln!(text, "thread {thread}: {from} -> {to}");
        let _ = writeln!(text, "  assume !({})", formula(asked.blocked));
        for check in &asked.checks {
            let _ = writeln!(text, "  assert {}", formula(*check));
        }
        for update in asked.sets.iter().chain(&asked.tells) {
            let value = match update.goals {
                Some(pair) => {
                    let fails = pair.fails.map_or("false".into(), &formula);
                    format!("choose({}, {fails})", formula(pair.holds))
                }
                None => "*".into(),
            };
            let _ = writeln!(text, "  {} = {value}", name(update.predicate));
        }
    }
    text
}
