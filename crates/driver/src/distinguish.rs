//! `distinguish`: the smallest test on which two memory models differ.
//!
//! Tests come from the generator in order of size, each is run under both models, and the first whose
//! final states differ is the answer. A test asks for one cycle, so the answer also says why: an
//! execution that the one model allows, the axiom of the other that forbids it, and the cycle of
//! events that the axiom found. That part is by brute force and the naive evaluator, other code than
//! the search, so it is a second opinion too.
//!
//! Not finding a difference proves nothing beyond the tests that were tried, and says so. Tests that
//! one of the models cannot judge within the budget are counted, never passed over in silence.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use wattle_engine::{Census, Outcome, Property};
use wattle_generate::cycle::{Architecture, Cycle, Family, Names, test};
use wattle_memory::candidates::{self, Candidate, Limits};
use wattle_memory::operational::first_violation;
use wattle_memory::{EventKind, Execution, MemoryModel, axiomatic};
use wattle_program::{Program, Shape, Vocabulary};
use wattle_report::value_name;
pub use wattle_report::{Difference, Distinguished, Side, Why};

use crate::outcomes::{Outcomes, Stopped, count};
use crate::{Goal, Input, Prepared, Watch, load, prepare};

#[derive(Clone, Debug)]
pub struct Distinguish {
    pub models: [MemoryModel; 2],
    /// Where tests come from; of one size, the first family goes first.
    pub families: Vec<Family>,
    /// How many differences to find.
    pub count: usize,
    /// Engine and budget of each test; the model is not looked at.
    pub outcomes: Outcomes,
}

/// The architectures whose tests both models can judge, unless the user names one.
pub fn architectures(models: &[MemoryModel; 2]) -> Result<Vec<Architecture>, String> {
    let mut spoken: Vec<Vocabulary> = models.iter().filter_map(|model| model.vocabulary).collect();
    spoken.dedup();
    match &spoken[..] {
        // Nothing but orders and dependencies: the first is the easiest to read, the second has both.
        [] => Ok(vec![Architecture::X86, Architecture::Ppc]),
        [one] => match of_vocabulary(*one) {
            Some(architecture) => Ok(vec![architecture]),
            None => Err(format!("no tests can be made for {}", one.name())),
        },
        [one, other, ..] => Err(format!(
            "{} is about {} and {} about {}: no test is about both",
            models[0].name,
            one.name(),
            models[1].name,
            other.name()
        )),
    }
}

fn of_vocabulary(vocabulary: Vocabulary) -> Option<Architecture> {
    match vocabulary {
        Vocabulary::C11 => Some(Architecture::C),
        other => Architecture::find(other.name()),
    }
}

/// `Err`: the request makes no sense.
pub fn distinguish(request: &Distinguish, watch: &Watch) -> Result<Distinguished, String> {
    for model in &request.models {
        if model.axioms.is_none() && model.machine.is_none() {
            return Err(format!("{} has neither axioms nor a machine", model.name));
        }
    }
    let models = request.models.each_ref().map(|model| model.name.to_string());
    let mut found = Distinguished { models, ..Distinguished::default() };
    let largest = request.families.iter().map(|family| family.size.1).max().unwrap_or(0);
    let smallest = request.families.iter().map(|family| family.size.0).min().unwrap_or(0);
    'sizes: for size in smallest..=largest {
        for family in &request.families {
            if !(family.size.0..=family.size.1).contains(&size) {
                continue;
            }
            let family = Family { size: (size, size), ..family.clone() };
            let flow = family.each(&mut |cycle| {
                if watch.is_cancelled() {
                    found.interrupted = true;
                    return ControlFlow::Break(());
                }
                found.tests += 1;
                found.size = size;
                match one(request, &cycle, watch) {
                    Ok(Some(difference)) => found.differences.push(difference),
                    Ok(None) => {}
                    Err(Failed::Undecided(reason)) => {
                        found.undecided += 1;
                        found.reason.get_or_insert(reason);
                    }
                    Err(Failed::Internal(what)) => {
                        found.internal = Some(what);
                        return ControlFlow::Break(());
                    }
                }
                match found.differences.len() >= request.count {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            if flow.is_break() {
                break 'sizes;
            }
        }
    }
    Ok(found)
}

enum Failed {
    Undecided(String),
    Internal(String),
}

fn one(request: &Distinguish, cycle: &Cycle, watch: &Watch) -> Result<Option<Difference>, Failed> {
    let made = test(cycle);
    let input = Input::text(&made.name, "litmus", &made.text);
    let loaded = load(&input).map_err(|refused| {
        let what = refused.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
        let what = refused.internal.or(what).unwrap_or_default();
        Failed::Internal(format!("the generated test {} is not read: {what}", made.name))
    })?;
    let program = &loaded.parsed.program;
    // Where a model has no equal for a fence, a difference would be one of the translation.
    let prepared = request.models.each_ref().map(|model| prepare(&loaded, model, Goal::Listing));
    let [Ok(left), Ok(right)] = &prepared else { return Ok(None) };
    if !left.is_exact() || !right.is_exact() {
        return Ok(None);
    }
    let census = |prepared: &Prepared<'_>, model: &MemoryModel| {
        let task = prepared.task(Property::Stated);
        match count(&request.outcomes, &task, &watch.run(request.outcomes.budget)) {
            Ok(counted) => Ok(counted.census),
            Err(Stopped::Reason(reason)) => {
                Err(Failed::Undecided(format!("{} under {}: {reason}", made.name, model.name)))
            }
            Err(Stopped::Internal(what)) => Err(Failed::Internal(what)),
        }
    };
    let [left, right] = [census(left, &request.models[0])?, census(right, &request.models[1])?];
    if states(&left) == states(&right) && left.undefined == right.undefined {
        return Ok(None);
    }
    let side = |model: &MemoryModel, mine: &Census, other: &Census| Side {
        model: model.name.to_string(),
        allows: allows(mine),
        states: mine.outcomes.len(),
        executions: mine.executions(),
        only_here: states(mine).difference(&states(other)).count(),
    };
    let sides = [side(&request.models[0], &left, &right), side(&request.models[1], &right, &left)];
    let why = match (sides[0].allows, sides[1].allows) {
        (true, false) => why(program, &request.models[0], &request.models[1]),
        (false, true) => why(program, &request.models[1], &request.models[0]),
        _ => None,
    };
    Ok(Some(Difference {
        cycle: Names(&cycle.edges, cycle.architecture).to_string(),
        architecture: cycle.architecture.name().to_owned(),
        test: made.name,
        text: made.text,
        sides,
        why,
    }))
}

fn states(census: &Census) -> BTreeSet<&Outcome> {
    census.outcomes.keys().collect()
}

fn allows(census: &Census) -> bool {
    census.outcomes.values().any(|tally| tally.holds)
}

/// Generated tests are small; beyond this many candidates no explanation is searched for.
const CANDIDATES: u64 = 200_000;

/// An execution that one model allows, and the axiom of the other that does not.
fn why(program: &Program, allowing: &MemoryModel, forbidding: &MemoryModel) -> Option<Why> {
    let (yes, no) = (allowing.axioms.as_ref()?, forbidding.axioms.as_ref()?);
    let shape = Shape::new(program).ok()?;
    let mut found = None;
    let limits = Limits { unwind: 2, prefixes: false, most: CANDIDATES };
    let mut see = |candidate: &Candidate<'_>| {
        // The property of a test is violated exactly where its cycle happens.
        let here =
            candidate.has_ended() && first_violation(program, &shape, &candidate.final_state()).is_some();
        if !here {
            return ControlFlow::Continue(());
        }
        let execution = candidate.execution;
        let allowed = axiomatic::evaluate(&yes.tree, execution).is_ok_and(|one| one.is_consistent());
        let judged = axiomatic::evaluate(&no.tree, execution).ok();
        let broken = judged.as_ref().and_then(|judged| judged.broken());
        let (true, Some(broken)) = (allowed, broken) else { return ControlFlow::Continue(()) };
        let name = |event: &u32| event_name(program, &shape, execution, *event);
        let steps = axiomatic::explain_cycle(execution).unwrap_or_default();
        found = Some(Why {
            allowing: allowing.name.to_string(),
            forbidding: forbidding.name.to_string(),
            axiom: broken.name.to_string(),
            witness: broken.witness.iter().map(name).collect(),
            cycle: steps.iter().map(|(from, relation, _)| (name(from), *relation)).collect(),
        });
        ControlFlow::Break(())
    };
    candidates::for_each(program, &shape, limits, &mut see).ok()?;
    found
}

/// `P0 writes x = 1`.
fn event_name(program: &Program, shape: &Shape, execution: &Execution, number: u32) -> String {
    let Some(event) = execution.events.get(number as usize) else { return format!("event {number}") };
    let who = match event.thread {
        Some(thread) => program.process(shape.info(thread).process).name.to_string(),
        None => "the initial state".to_owned(),
    };
    let cell = |location: u32| shape.location_name(program, location);
    let value = |value| value_name(program, shape, wattle_logic::Sort::WORD, value);
    match &event.kind {
        EventKind::Read { location, value: read } => {
            format!("{who} reads {} = {}", cell(*location), value(read))
        }
        EventKind::Write { location, value: written } => {
            format!("{who} writes {} = {}", cell(*location), value(written))
        }
        EventKind::Update { location, read, written } => {
            format!("{who} updates {} from {} to {}", cell(*location), value(read), value(written))
        }
        EventKind::Fence => format!("{who} fences"),
    }
}
