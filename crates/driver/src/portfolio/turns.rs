//! Who has a turn, in which order and for how long: from what each engine expects of the task.
//!
//! Engines that expect the same have their turn in the order of the list. Where numbers grow for ever, explicit
//! search finds most violations soon and otherwise never ends, and some engine may find a proof soon or not at all: if
//! another engine was made for such tasks, these get a small share first (a *glance*), and a full turn after that engine.

use wattle_engine::{Engine, Estimate, Run, Task, Work};

/// The share of a glance, enough for some hundred thousand states.
const GLANCE: Work = Work::milliseconds(1000);

#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub engine: &'a dyn Engine,
    estimate: Estimate,
    length: Length,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    /// As much as each of those that are left.
    Equal,
    Glance,
    /// Two thirds of what is left: the other engines are unlikely to decide.
    Most,
}

/// What the answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Verdict,
    /// The search for fences runs schedules again with other fences, which wait on a machine
    /// (`repair/src/enact.rs`): where the model has one, engines that list executions do not come first.
    Repair,
}

impl<'a> Turn<'a> {
    fn new((estimate, engine): (Estimate, &'a dyn Engine), length: Length) -> Turn<'a> {
        Turn { engine, estimate, length }
    }

    /// Why it has its turn now, in words for people.
    pub fn reason(&self, first: bool) -> &'static str {
        match (self.estimate, self.length) {
            (Estimate::LoopFree, _) => "a test without loops, each execution of which is looked at once",
            (Estimate::Finite, _) => "the states are likely to be finite",
            (Estimate::Endless, Length::Glance) => {
                "a glance, because numbers grow and the search may not end"
            }
            (_, Length::Glance) => "a glance, because numbers grow and a proof is found soon or hardly ever",
            (Estimate::MadeFor, _) => "what others cannot prove is what it was made for",
            _ if first => "the first that accepts the task",
            _ => "the next that accepts the task",
        }
    }

    /// What this turn may spend, when so many turns are left.
    pub(crate) fn share(&self, run: &Run, left: usize) -> Run {
        match self.length {
            Length::Glance => run.turn(1, left as u32).at_most(GLANCE),
            Length::Most => run.turn(2, 3),
            Length::Equal => run.turn(1, left as u32),
        }
    }

    pub(crate) fn is_glance(&self) -> bool {
        self.length == Length::Glance
    }
}

pub(super) fn turns<'a>(willing: &[&'a dyn Engine], task: &Task<'_>, purpose: Purpose) -> Vec<Turn<'a>> {
    let estimate = |engine: &dyn Engine| match engine.estimate(task) {
        Estimate::LoopFree if purpose == Purpose::Repair && task.memory.machine.is_some() => Estimate::Open,
        estimate => estimate,
    };
    let mut ordered: Vec<(Estimate, &dyn Engine)> =
        willing.iter().map(|engine| (estimate(*engine), *engine)).collect();
    let expects = |wanted: Estimate| ordered.iter().any(|(estimate, _)| *estimate == wanted);
    let others = expects(Estimate::MadeFor) || expects(Estimate::Soon);
    let glances: &[Estimate] = match (expects(Estimate::Endless) && others, expects(Estimate::MadeFor)) {
        (true, true) => &[Estimate::Endless, Estimate::Soon],
        (true, false) => &[Estimate::Endless],
        (false, true) => &[Estimate::Soon],
        (false, false) => &[],
    };
    let (early, late): (Vec<_>, Vec<_>) =
        ordered.drain(..).partition(|(estimate, _)| *estimate != Estimate::Open);
    let mut early = early;
    early.sort_by_key(|(estimate, _)| *estimate);
    let length = |estimate: Estimate| match estimate {
        _ if glances.contains(&estimate) => Length::Glance,
        Estimate::MadeFor => Length::Most,
        _ => Length::Equal,
    };
    // An engine that had a glance has a full turn after those that were made for the task.
    let again = early.iter().filter(|(estimate, _)| glances.contains(estimate));
    let again: Vec<Turn<'_>> = again.map(|turn| Turn::new(*turn, Length::Equal)).collect();
    let first = early.iter().map(|turn| Turn::new(*turn, length(turn.0)));
    let last = late.iter().map(|turn| Turn::new(*turn, Length::Equal));
    first.chain(again).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{Settings, choose};
    use crate::{Goal, Input, load, models, prepare};
    use wattle_engine::Property;

    /// Who has a turn; a star: only a glance.
    fn order(language: &str, text: &str, model: &str, purpose: Purpose) -> Vec<String> {
        let loaded = load(&Input::text("a", language, text)).unwrap();
        let memory = models::resolve(model, false).unwrap();
        let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
        let engines = choose(None, &Settings::default()).unwrap();
        let engines: Vec<&dyn Engine> = engines.iter().map(|engine| &**engine).collect();
        let turns = turns(&engines, &prepared.task(Property::Stated), purpose);
        let name =
            |turn: &Turn<'_>| format!("{}{}", turn.engine.name(), if turn.is_glance() { "*" } else { "" });
        turns.iter().map(name).collect()
    }

    #[test]
    fn the_order_follows_from_what_engines_expect() {
        let finite = "shared x = 0; thread p { while (true) { x = 1; } } always x <= 1;";
        assert_eq!(
            order("wtl", finite, "tso", Purpose::Verdict),
            ["explore", "extrapolate", "refine", "backward", "bmc", "enumerate"]
        );
        let growing = "shared x = 0; thread p { local n; while (true) { n = x; x = n + 1; } } always x >= 0;";
        let expected =
            ["explore*", "backward*", "extrapolate", "refine", "explore", "backward", "bmc", "enumerate"];
        assert_eq!(order("wtl", growing, "tso", Purpose::Verdict), expected);
        let ranged = "shared x: 0..3 = 0; thread p { local n: 0..3; while (true) { n = x; x = n + 1; } } always x >= 0;";
        assert_eq!(order("wtl", ranged, "tso", Purpose::Verdict)[0], "explore");
    }

    #[test]
    fn loop_free_tests_are_listed_unless_a_machine_judges_fences() {
        let test = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
        assert_eq!(order("litmus", test, "tso", Purpose::Verdict)[0], "enumerate");
        assert_eq!(order("litmus", test, "tso", Purpose::Repair)[0], "explore");
    }
}
