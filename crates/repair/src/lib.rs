//! The fewest fences or flushes that repair a program.
//!
//! Engines answer tasks and hand over counterexamples; every search for fences is here.
//!
//! * [`repair`]: a program that is unsafe only because memory is weak, and the fewest fences that
//!   make it safe.
//! * [`relax()`]: a safe program, and the fewest of its fences that must stay.
//!
//! Both are the loop of `search` over a `family` of programs: cheapest `hitting_set` of what the
//! counterexamples so far demand, check, and learn a `clause` from the next counterexample.
//! [`places()`] says where fences may stand and [`kinds()`] which, `enact` runs a schedule under other
//! fences and `redraw` does the same with an execution graph, and `descend` is for engines that cannot
//! refute, and the paper's search on remote programs; `extract` is the plainer loop of the paper on integer programs, `first_repair` finds one to start from, and `symmetry` lets copies of a process share what was
//! learned of one.
//!
//! **Limits.** No place is inside an atomic section, and instruction barriers (`isync`, `isb`) and
//! dependencies are not offered. What an answer is worth is stated by [`Proof`] and by `minimal`: a
//! placement with a bounded proof may miss bugs beyond the bound, and `minimal: false` means that fewer may
//! do.

#![warn(unreachable_pub)]

mod clause;
mod descend;
mod enact;
mod extract;
mod family;
mod first_repair;
mod hitting_set;
mod kinds;
pub mod law;
mod places;
mod redraw;
mod relax;
mod search;
mod set;
mod symmetry;

use std::collections::BTreeMap;

use wattle_engine::{
    Bound, Certificate, Counterexample, Coverage, Engine, Halt, Hints, Reason, Run, Statistics, Task, Verdict,
};
use wattle_judge::confirm::confirm;
use wattle_memory::Machine;
use wattle_program::passes::{Insertion, Spot, forget_dead};
use wattle_program::{Fence, Name, ProcessId, Program};

use crate::family::{Added, Family};
use crate::search::{Ended, Found, Judged, Literals, Search, is_exhausted};
use crate::set::Set;

pub use family::Existing;
pub use hitting_set::Objective;
pub use kinds::{kind, kinds};
pub use places::{describe, in_all_copies, merge_copies, places};
pub use relax::{Relaxed, Relaxing, existing, relax, relax_among};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Fences at every control point, not only after stores (flushes after remote statements).
    pub anywhere: bool,
    pub objective: Objective,
    pub method: Method,
    pub all: All,
    /// What one costs, by [`kind`]; 1 where nothing is said.
    pub costs: BTreeMap<Name, u64>,
    /// The fences to choose from; `None`: all [`kinds`] of the program's vocabulary.
    pub kinds: Option<Vec<Fence>>,
    /// How many statements of the text a place takes, where that is not one: a fence before the head of a
    /// loop has to be said on every way to it.
    pub statements: BTreeMap<(ProcessId, Spot), u64>,
}

impl Options {
    fn statements(&self, insertion: &Insertion) -> u64 {
        self.statements.get(&(insertion.place.process, insertion.place.spot)).copied().unwrap_or(1)
    }

    /// Of what costs the same, a fence that is said once is better than one that is said often.
    fn strength(&self, insertion: &Insertion) -> u64 {
        kinds::strength_of(&insertion.op) * self.statements(insertion)
    }

    fn cost(&self, insertions: &[Insertion]) -> u64 {
        insertions.iter().map(|one| kinds::cost(&self.costs, &one.op)).sum()
    }
}

/// How places are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The cheapest that meet what all counterexamples demand.
    #[default]
    Fewest,
    /// What forbids one counterexample after another (`extract`). For one solution; how many others there are
    /// is not asked.
    Extract,
    /// From all places down, taking away what can go (`descend`). For one solution.
    Descend,
}

/// Which solutions are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum All {
    /// One of the cheapest.
    #[default]
    One,
    /// All of the cheapest.
    Minimum,
    /// All from which nothing can be taken away.
    Subset,
}

#[derive(Clone, Debug)]
pub struct Repair {
    pub result: Repairability,
    /// `places`, `checks` (engine calls), `clauses`, `replays`, `states` (of all calls).
    pub statistics: Statistics,
    /// What the answers leave for a check of the repaired text.
    pub hints: Hints,
    /// Why the engine left a placement undecided, the first that it did.
    pub undecided: Option<Reason>,
}

/// Counterexamples here are runs of `forget_dead(task.program)` without any inserted fence.
#[derive(Clone, Debug)]
pub enum Repairability {
    AlreadySafe {
        proof: Proof,
    },
    /// A run under sequential consistency: the algorithm is wrong, and no fence can help.
    BrokenUnderSc {
        counterexample: Box<Counterexample>,
    },
    /// Still violated with fences at all places.
    Unrepairable {
        counterexample: Box<Counterexample>,
    },
    Repaired(Repaired),
    Unknown(Unknown),
}

/// Why a program is believed to be safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    Safe { certificate: Certificate, coverage: Option<Coverage> },
    Bounded(Bound),
}

#[derive(Clone, Debug)]
pub struct Repaired {
    /// Each solution has a fence for each copy; the first is the chosen one.
    pub solutions: Vec<Vec<Insertion>>,
    /// Are these all the solutions that were asked for?
    pub complete: bool,
    /// The fences of the chosen solution, copies counted separately.
    pub count: usize,
    /// Each cheaper set has a replayed counterexample, and the final check is *safe*.
    pub minimal: bool,
    /// Of the weakest of `solutions`.
    pub proof: Proof,
    /// The best where all copies get the same fences; `None` if the budget did not suffice.
    pub source: Option<SourceRepair>,
}

/// A repair that a text edit can express: the same fences in all copies.
#[derive(Clone, Debug)]
pub struct SourceRepair {
    /// With `copy: None`.
    pub insertions: Vec<Insertion>,
    /// Statements of the text.
    pub count: usize,
    pub minimal: bool,
    pub proof: Proof,
}

/// What is known when the search had to end.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub reason: Reason,
    /// No repair costs less.
    pub at_least: u64,
    /// The cheapest that was proved.
    pub best: Option<Repaired>,
}

/// The fewest fences that make `task` safe.
///
/// Call it on the front end's program: places are found there, and [`forget_dead`] runs after each
/// insertion. (A program that has been through it already does no harm.) All engine calls share
/// `run`. `Err` if the engine does not accept the task (`Reason::Unsupported`), or if it contradicts
/// itself or the replay of its counterexample.
pub fn repair(task: &Task<'_>, engine: &dyn Engine, options: &Options, run: &Run) -> Result<Repair, Halt> {
    repair_knowing(task, engine, options, &mut Lessons::default(), run)
}

/// What counterexamples have shown about the placements of one task: it holds for an engine that looks further, too.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    clauses: Vec<clause::Clause>,
    /// Does each clause say what every repair has?
    inexact: bool,
}

/// The same with what a search for the same task, with the same options but an engine that looked less far, has learnt;
/// and what this one learns beside.
pub fn repair_knowing(
    task: &Task<'_>,
    engine: &dyn Engine,
    options: &Options,
    lessons: &mut Lessons,
    run: &Run,
) -> Result<Repair, Halt> {
    engine.accepts(task).map_err(Reason::Unsupported)?;
    let kinds = options.kinds.clone().unwrap_or_else(|| kinds(task.program.vocabulary, task.memory));
    let places = places(task.program, task.memory, options.anywhere, &kinds);
    let family = Added { base: task.program, places: &places };
    let mut search = Search::new(&family, *task, engine, run);
    search.recall(std::mem::take(lessons));
    let result = repairability(&mut search, &family, options)?;
    *lessons = search.lessons();
    let (statistics, hints, undecided) = (search.statistics(), search.hints(), search.undecided());
    Ok(Repair { result, statistics, hints, undecided })
}

fn repairability(
    search: &mut Search<'_>,
    family: &Added<'_>,
    options: &Options,
) -> Result<Repairability, Halt> {
    if !search.clauses.is_empty() {
        // Unsafe without fences, not broken under sc, and where to begin is known too.
        let copies = copies(family, options);
        let ended = search.fewest(&copies, options.all)?;
        return concluded(search, family, options, None, ended);
    }
    let nothing = search.nothing();
    match search.judge(&nothing)? {
        Judged::Safe(proof) => return Ok(Repairability::AlreadySafe { proof }),
        Judged::Unknown(reason) if is_exhausted(&reason) => {
            return Ok(Repairability::Unknown(Unknown { reason, at_least: 0, best: None }));
        }
        Judged::Unknown(_) | Judged::Unsafe => {}
    }
    // Weak memory only adds behaviour, so what is broken under SC stays broken with all fences.
    if let Some(counterexample) = broken_under_sc(search, family.base)? {
        return Ok(Repairability::BrokenUnderSc { counterexample: Box::new(counterexample) });
    }
    let copies = copies(family, options);
    let (known, ended) = match options.method {
        Method::Extract => (None, search.extract(&copies)?),
        Method::Descend => (None, search.descend(&copies)?),
        Method::Fewest => {
            let (_, text) = of_text(family, options);
            (search.first_repair(&copies, &text)?, search.fewest(&copies, options.all)?)
        }
    };
    concluded(search, family, options, known, ended)
}

/// What came of a search; `known`: a repair that was found on the way.
fn concluded(
    search: &mut Search<'_>,
    family: &Added<'_>,
    options: &Options,
    known: Option<Found>,
    ended: Ended,
) -> Result<Repairability, Halt> {
    match ended {
        Ended::Unrepairable(counterexample) => {
            let counterexample = Box::new(without_fences(search, &counterexample));
            Ok(Repairability::Unrepairable { counterexample })
        }
        Ended::Found(found) => {
            let source = source(search, family, options, &found)?;
            Ok(Repairability::Repaired(repaired(family, found, source, options)))
        }
        Ended::Unknown { reason, at_least, best } => {
            let best = best.or(known).map(|found| repaired(family, found, None, options));
            Ok(Repairability::Unknown(Unknown { reason, at_least, best }))
        }
    }
}

/// Whether the program is broken without weak memory may take one part in so many.
const SHARE_FOR_SC: u32 = 16;

fn broken_under_sc(search: &mut Search<'_>, program: &Program) -> Result<Option<Counterexample>, Halt> {
    let Some(memory) = wattle_memory::find("sc") else { return Ok(None) };
    if !clause::fences_only_forbid(search.task.memory) {
        return Ok(None); // who knows whether such a model is weaker
    }
    let memory = match search.task.memory.machine {
        Some(Machine::Sc { .. }) => search.task.memory, // with its own reading of remote copies
        _ => memory,
    };
    let program = forget_dead(program);
    let task = Task { program: &program, memory, property: search.task.property, hints: None };
    if search.engine.accepts(&task).is_err() {
        return Ok(None);
    }
    // That fences cannot help is worth little time: where sc is hard, the search itself may be easy.
    let part = search.run.turn(1, SHARE_FOR_SC);
    match search.ask_within(&task, &part)?.verdict {
        Verdict::Unsafe { counterexample } => {
            let shown = counterexample.schedule.is_some() || counterexample.execution.is_some();
            match confirm(&task, &counterexample) {
                Err(Halt::Contradiction(why)) if shown => Err(why.claimed_by(search.engine.name()).into()),
                Err(Halt::Unknown(_)) if shown => Ok(None),
                _ => Ok(Some(*counterexample)),
            }
        }
        _ => Ok(None),
    }
}

/// The run that survives all fences, as a run without any.
fn without_fences(search: &Search<'_>, counterexample: &Counterexample) -> Counterexample {
    let program = search.family.program(&search.nothing());
    let task = Task { program: &program, ..search.task };
    clause::survivor(search.family.base(), &task, counterexample).unwrap_or_else(|| counterexample.clone())
}

/// Places of single copies, one literal each.
fn copies(family: &Added<'_>, options: &Options) -> Literals {
    let size = family.size();
    let mut threads: Vec<(ProcessId, Option<u32>)> = Vec::new();
    for insertion in family.places {
        let thread = (insertion.place.process, insertion.place.copy);
        if !threads.contains(&thread) {
            threads.push(thread);
        }
    }
    let thread = |insertion: &Insertion| {
        let wanted = (insertion.place.process, insertion.place.copy);
        threads.iter().position(|thread| *thread == wanted).unwrap_or(0)
    };
    Literals {
        places: (0..size).map(|place| Set::of(size, [place])).collect(),
        weights: family.places.iter().map(|one| kinds::cost(&options.costs, &one.op)).collect(),
        strengths: family.places.iter().map(|one| options.strength(one)).collect(),
        threads: family.places.iter().map(thread).collect(),
        weaker: family.places.iter().map(|one| weaker(family.places, one)).collect(),
        objective: options.objective,
    }
}

/// Which insertions does one make needless?
fn weaker(insertions: &[Insertion], one: &Insertion) -> Set {
    let needless = |other: &Insertion| other.place == one.place && places::replaces(&one.op, &other.op);
    let numbers = (0..insertions.len()).filter(|number| needless(&insertions[*number]));
    Set::of(insertions.len(), numbers)
}

/// Places of the text, one literal for all copies; with the insertion that each stands for.
fn of_text(family: &Added<'_>, options: &Options) -> (Vec<Insertion>, Literals) {
    let size = family.size();
    let mut insertions: Vec<Insertion> = Vec::new();
    for insertion in family.places.iter().map(in_all_copies) {
        if !insertions.contains(&insertion) {
            insertions.push(insertion);
        }
    }
    let places = |insertion: &Insertion| {
        Set::of(size, (0..size).filter(|place| in_all_copies(&family.places[*place]) == *insertion))
    };
    let literals = Literals {
        places: insertions.iter().map(places).collect(),
        weights: insertions
            .iter()
            .map(|one| kinds::cost(&options.costs, &one.op) * options.statements(one))
            .collect(),
        strengths: insertions.iter().map(|one| options.strength(one)).collect(),
        threads: insertions.iter().map(|one| one.place.process.0 as usize).collect(),
        weaker: insertions.iter().map(|one| weaker(&insertions, one)).collect(),
        objective: options.objective,
    };
    (insertions, literals)
}

/// The best repair of the text, given the best one for copies.
fn source(
    search: &mut Search<'_>,
    family: &Added<'_>,
    options: &Options,
    found: &Found,
) -> Result<Option<SourceRepair>, Halt> {
    let (insertions, literals) = of_text(family, options);
    if literals.size() == family.size() && options.statements.is_empty() {
        let insertions = found.solutions.first().map(|chosen| family.insertions(chosen)).unwrap_or_default();
        let (count, proof) = (said(&insertions, options), found.proof.clone());
        return Ok(Some(SourceRepair { insertions, count, minimal: found.minimal, proof }));
    }
    if options.method != Method::Fewest {
        return shared(search, &insertions, &literals, found, options);
    }
    let shared = match search.fewest(&literals, All::One)? {
        Ended::Found(shared) => shared,
        Ended::Unknown { best: Some(shared), .. } => shared,
        Ended::Unknown { best: None, .. } | Ended::Unrepairable(_) => return Ok(None),
    };
    let Some(chosen) = shared.solutions.first() else { return Ok(None) };
    let insertions: Vec<Insertion> = chosen.iter().map(|literal| insertions[literal].clone()).collect();
    let count = said(&insertions, options);
    Ok(Some(SourceRepair { insertions, count, minimal: shared.minimal, proof: shared.proof }))
}

/// A repair of single copies for all copies, if that is proved too.
fn shared(
    search: &mut Search<'_>,
    insertions: &[Insertion],
    literals: &Literals,
    found: &Found,
    options: &Options,
) -> Result<Option<SourceRepair>, Halt> {
    let Some(chosen) = found.solutions.first() else { return Ok(None) };
    let named = (0..literals.size()).filter(|literal| literals.places[*literal].intersects(chosen));
    let named = Set::of(literals.size(), named);
    let Judged::Safe(proof) = search.judge(&literals.expand(&named, search.family.size()))? else {
        return Ok(None);
    };
    let insertions: Vec<Insertion> = named.iter().map(|literal| insertions[literal].clone()).collect();
    let count = said(&insertions, options);
    Ok(Some(SourceRepair { insertions, count, minimal: false, proof }))
}

/// How many statements these are in the text.
fn said(insertions: &[Insertion], options: &Options) -> usize {
    insertions.iter().map(|one| options.statements(one)).sum::<u64>() as usize
}

fn repaired(
    family: &Added<'_>,
    mut found: Found,
    source: Option<SourceRepair>,
    options: &Options,
) -> Repaired {
    let mut solutions: Vec<Vec<Insertion>> =
        found.solutions.iter().map(|chosen| family.insertions(chosen)).collect();
    // What the text shows is the chosen one, if it is as good; then its proof is the one that counts.
    if let (All::One, Objective::Total, Some(source), [chosen]) =
        (options.all, options.objective, &source, &mut solutions[..])
        && (source.minimal || !found.minimal)
    {
        let shown = |one: &&Insertion| source.insertions.contains(&in_all_copies(one));
        let shown: Vec<Insertion> = family.places.iter().filter(shown).cloned().collect();
        if options.cost(&shown) == options.cost(chosen) {
            *chosen = shown;
            found.proof = source.proof.clone();
        }
    }
    let count = solutions.first().map_or(0, Vec::len);
    let Found { complete, minimal, proof, .. } = found;
    Repaired { solutions, complete, count, minimal, proof, source }
}
