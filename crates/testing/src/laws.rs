//! Laws that hold for every program, whatever it does. A law needs no expected answer, so it can be
//! asked of an engine on programs that nobody has looked at.
//!
//! * Weaker memory allows more: the outcomes under SC are among those under TSO, and these among those
//!   under PSO; safe under PSO implies safe under TSO implies safe under SC.
//! * A fence takes executions away and adds none.
//! * RMA with a flush after every remote operation is SC, where a copy is two steps, in order or not.
//! * Remote operations in the order of issue do no more than without order, and no less than under SC.
//! * A larger capacity never turns *safe* into *unsafe*.
//! * A machine and its axioms are twins: the same outcomes, and the same verdict.
//! * Forgetting dead locals changes nothing that can be seen.

use wattle_engine::{Budget, Engine, OutcomeSet, Outcomes, Property, Run, Task, Verdict};
use wattle_generate::{Profile, Rng};
use wattle_judge::certify::{explore_all, survey};
use wattle_logic::{Kind, Term};
use wattle_memory::{MemoryModel, find, has_twins};
use wattle_program::passes::{Insertion, Place, Spot, forget_dead, insert, takes_fence};
use wattle_program::{Fence, Op, Orders, ProcessId, Program, PropertyKind};

use crate::compare::Disagreement;
use crate::{Failure, shrink};

/// What is known about a task. `None` means that there is no definite answer, which no law forbids.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub safe: Option<bool>,
    /// Asked for stated properties only: outcomes do not depend on the question.
    pub outcomes: Option<OutcomeSet>,
}

impl Findings {
    fn telling(&self) -> bool {
        self.safe == Some(false) || self.outcomes.as_ref().is_some_and(|outcomes| outcomes.len() > 1)
    }
}

/// Who is asked.
pub trait Oracle {
    fn find(&self, task: &Task<'_>) -> Findings;
}

/// The naive search.
#[derive(Clone, Copy, Debug)]
pub struct Naive {
    pub states: u64,
}

impl Oracle for Naive {
    fn find(&self, task: &Task<'_>) -> Findings {
        let run = Run::new(Budget { states: Some(self.states), ..Budget::default() });
        match explore_all(task, None, false, &run) {
            Ok(closure) => {
                Findings { safe: Some(closure.violation.is_none()), outcomes: Some(closure.outcomes) }
            }
            Err(_) => Findings::default(),
        }
    }
}

/// Brute force over candidate executions, judged by the axioms.
#[derive(Clone, Copy, Debug)]
pub struct BruteForce {
    /// A limit on candidates.
    pub candidates: u64,
}

impl Oracle for BruteForce {
    fn find(&self, task: &Task<'_>) -> Findings {
        let run = Run::new(Budget { states: Some(self.candidates), ..Budget::default() });
        match survey(task, 1, &run) {
            Ok(survey) if !survey.cut => Findings {
                safe: Some(survey.violations.is_empty()),
                outcomes: Some(survey.census.outcomes.into_keys().collect()),
            },
            _ => Findings::default(),
        }
    }
}

/// An engine, with a limit on its work.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a, E> {
    pub engine: &'a E,
    pub states: u64,
}

impl<E: Engine + Outcomes> Oracle for Asked<'_, E> {
    fn find(&self, task: &Task<'_>) -> Findings {
        let run = || Run::new(Budget { states: Some(self.states), ..Budget::default() });
        let safe = match self.engine.check(task, &run()).expect("no contradiction").verdict {
            Verdict::Safe { .. } => Some(true),
            Verdict::Unsafe { .. } => Some(false),
            _ => None,
        };
        let stated = task.property == Property::Stated;
        Findings { safe, outcomes: stated.then(|| self.engine.outcomes(task, &run()).ok()).flatten() }
    }
}

/// What a law found on a program that obeys it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Obeyed {
    /// There were answers to compare.
    pub compared: bool,
    /// There was more than one outcome, or a violation.
    pub telling: bool,
}

pub type Law<'a> = &'a dyn Fn(&Program, u64) -> Result<Obeyed, Disagreement>;

/// How often a law was obeyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    pub programs: u64,
    pub compared: u64,
    pub telling: u64,
}

/// Ask a law of the programs of some seeds. The first failure is shrunk.
pub fn test(
    law: Law<'_>,
    profile: &dyn Fn(u64) -> Profile,
    seeds: std::ops::Range<u64>,
) -> Result<Record, Box<Failure>> {
    let mut record = Record::default();
    for seed in seeds {
        let program = wattle_generate::program(seed, &profile(seed));
        match law(&program, seed) {
            Ok(obeyed) => {
                record.programs += 1;
                record.compared += u64::from(obeyed.compared);
                record.telling += u64::from(obeyed.compared && obeyed.telling);
            }
            Err(first) => {
                let same = |other: Disagreement| other.model == first.model && other.subject == first.subject;
                let program = shrink(&program, &|smaller| law(smaller, seed).is_err_and(same));
                let disagreement = law(&program, seed).err().unwrap_or(first);
                return Err(Box::new(Failure { seed, disagreement, program }));
            }
        }
    }
    Ok(record)
}

const BUFFERS: [&str; 3] = ["sc", "tso", "pso"];
const REMOTE: [&str; 3] = ["sc", "rma-in-order", "rma"];

fn models(names: &[&'static str]) -> Vec<&'static MemoryModel> {
    names.iter().filter_map(|name| find(name)).collect()
}

fn broken(memory: &MemoryModel, law: &str, what: String) -> Disagreement {
    Disagreement { model: memory.name.clone(), subject: law.to_owned(), what }
}

/// Everything that happens in `less` happens in `more`.
fn included(less: &Findings, more: &Findings) -> Result<Obeyed, String> {
    if more.safe == Some(true) && less.safe == Some(false) {
        return Err("unsafe, although safe with more executions".to_owned());
    }
    let mut compared = less.safe.is_some() && more.safe.is_some();
    if let (Some(few), Some(many)) = (&less.outcomes, &more.outcomes) {
        compared = true;
        if let Some(extra) = few.difference(many).next() {
            return Err(format!("the outcome {extra:?} is new"));
        }
    }
    Ok(Obeyed { compared, telling: more.telling() })
}

impl Obeyed {
    pub(crate) fn add(&mut self, other: Obeyed) {
        self.compared |= other.compared;
        self.telling |= other.telling;
    }
}

/// SC within TSO within PSO; SC within RMA in order within RMA.
pub fn weaker_allows_more(oracle: &dyn Oracle, program: &Program) -> Result<Obeyed, Disagreement> {
    let mut all = Obeyed::default();
    for property in [Property::Stated, Property::NoDeadlock] {
        let models = models(if is_remote(program) { &REMOTE } else { &BUFFERS });
        let find =
            |memory: &&'static MemoryModel| oracle.find(&Task { program, memory, property, hints: None });
        let findings: Vec<Findings> = models.iter().map(find).collect();
        for (memory, pair) in models.iter().zip(findings.windows(2)) {
            let obeyed = included(&pair[0], &pair[1]);
            all.add(obeyed.map_err(|what| {
                broken(memory, "weaker memory allows more", format!("{property:?}: {what}"))
            })?);
        }
    }
    Ok(all)
}

/// The same outcomes and verdicts by the machine and by the axioms.
pub fn twins_agree(
    machine: &dyn Oracle,
    axioms: &dyn Oracle,
    program: &Program,
) -> Result<Obeyed, Disagreement> {
    let mut all = Obeyed::default();
    if !has_twins(program) {
        return Ok(all);
    }
    for memory in models(&BUFFERS) {
        let task = Task { program, memory, property: Property::Stated, hints: None };
        let (one, other) = (machine.find(&task), axioms.find(&task));
        let broken = |what: String| broken(memory, "machine and axioms are twins", what);
        if let (Some(one), Some(other)) = (one.safe, other.safe)
            && one != other
        {
            return Err(broken(format!("safe: {one} by the machine, {other} by the axioms")));
        }
        if let (Some(mine), Some(theirs)) = (&one.outcomes, &other.outcomes) {
            all.add(Obeyed { compared: true, telling: one.telling() });
            if mine != theirs {
                let extra: Vec<_> = mine.symmetric_difference(theirs).collect();
                return Err(broken(format!("{extra:?} only by one of them")));
            }
        }
    }
    Ok(all)
}

/// A fence at a random place.
pub fn fence_restricts(oracle: &dyn Oracle, program: &Program, seed: u64) -> Result<Obeyed, Disagreement> {
    let Some(insertion) = random_fence(program, &mut Rng::new(seed)) else { return Ok(Obeyed::default()) };
    let fenced = insert(program, &[insertion]);
    let mut all = Obeyed::default();
    for memory in models(&BUFFERS) {
        let broken = |what: String| broken(memory, "a fence restricts", what);
        wattle_program::validate(&fenced).map_err(|error| broken(format!("not valid: {error}")))?;
        let find = |program: &Program| {
            oracle.find(&Task { program, memory, property: Property::Stated, hints: None })
        };
        all.add(included(&find(&fenced), &find(program)).map_err(broken)?);
    }
    Ok(all)
}

fn random_fence(program: &Program, rng: &mut Rng) -> Option<Insertion> {
    let process = ProcessId(rng.below(program.processes.len() as u32));
    let cfg = &program.process(process).cfg;
    let stores: Vec<Spot> =
        cfg.edges.iter().filter(|edge| takes_fence(edge)).map(|edge| Spot::After(edge.origin)).collect();
    let points = (0..cfg.points.len() as u32).map(wattle_program::Point);
    let points: Vec<Spot> = points.filter(|point| !cfg.point(*point).end).map(Spot::Before).collect();
    let spots = if rng.chance(600) && !stores.is_empty() { stores } else { points };
    if spots.is_empty() {
        return None;
    }
    let spot = *rng.pick(&spots);
    let copies = program.process(process).replicas.count().unwrap_or(1);
    let copy = rng.chance(400).then(|| rng.below(copies));
    let op = Op::Fence(match rng.below(4) {
        0 => Fence { orders: Orders::WW, ..Fence::full() },
        _ => Fence::full(),
    });
    Some(Insertion { place: Place { process, copy, spot }, op })
}

/// RMA with all flushes is SC, in order or not.
pub fn flushed_is_sc(oracle: &dyn Oracle, program: &Program) -> Result<Obeyed, Disagreement> {
    const LAW: &str = "all flushes make SC";
    let models = models(&REMOTE);
    let [sc, remote @ ..] = models.as_slice() else { return Ok(Obeyed::default()) };
    let flushed = insert(program, &all_flushes(program));
    let plain = Task { program, memory: sc, property: Property::Stated, hints: None };
    let under_sc = oracle.find(&plain);
    let mut all = Obeyed::default();
    for memory in remote {
        let task = Task { program: &flushed, memory, property: Property::Stated, hints: None };
        let under_rma = oracle.find(&task);
        let (Some(one), Some(other)) = (&under_sc.outcomes, &under_rma.outcomes) else { continue };
        if let Some(extra) = one.symmetric_difference(other).next() {
            return Err(broken(memory, LAW, format!("the outcome {extra:?} is on one side only")));
        }
        // Under SC a thread waits *behind* its operation, here before the flush: points may differ.
        let of_points = program.properties.iter().any(|property| property.kind == PropertyKind::Forbid);
        if let (false, Some(sc), Some(safe)) = (of_points, under_sc.safe, under_rma.safe)
            && sc != safe
        {
            return Err(broken(memory, LAW, format!("safe: {safe}, under SC: {sc}")));
        }
        all.add(Obeyed { compared: true, telling: under_sc.telling() });
    }
    Ok(all)
}

/// A flush after every remote operation, for its target.
pub fn all_flushes(program: &Program) -> Vec<Insertion> {
    let mut result = Vec::new();
    for process in program.process_ids() {
        for edge in &program.process(process).cfg.edges {
            for op in &edge.ops {
                let (Op::Put { remote, .. } | Op::Get { remote, .. } | Op::RemoteAtomic { remote, .. }) = op
                else {
                    continue;
                };
                if let Some((owner, copy)) = owner_of(program, remote) {
                    let place = Place { process, copy: None, spot: Spot::After(edge.origin) };
                    result.push(Insertion { place, op: Op::Flush { process: owner, copy } });
                }
            }
        }
    }
    result
}

/// The process that owns an address, and which copy of it.
fn owner_of(program: &Program, address: &Term) -> Option<(ProcessId, Term)> {
    let Kind::Address { variable, indices } = address.kind() else { return None };
    let info = &program.variables[*variable as usize];
    let copy = match info.dimensions.first() {
        Some(wattle_program::Dimension::Copies(_)) => indices.first()?.clone(),
        _ => Term::int(0),
    };
    Some((info.owner?, copy))
}

/// What is safe with some capacity is not unsafe with more.
pub fn capacity_is_monotone(
    engine: &dyn Fn(usize) -> Box<dyn Engine>,
    program: &Program,
    states: u64,
) -> Result<Obeyed, Disagreement> {
    let names: &[&str] = if is_remote(program) { &REMOTE } else { &BUFFERS };
    let mut all = Obeyed::default();
    for memory in models(names) {
        let task = Task { program, memory, property: Property::Stated, hints: None };
        let mut safe_with = None;
        for capacity in [1, 2, 3, 5] {
            let run = Run::new(Budget { states: Some(states), ..Budget::default() });
            match engine(capacity).check(&task, &run).expect("no contradiction").verdict {
                Verdict::Safe { .. } => {
                    all.compared |= safe_with.is_some();
                    safe_with = Some(capacity);
                }
                Verdict::Unsafe { .. } => {
                    all.compared = true;
                    all.telling = true;
                    if let Some(less) = safe_with {
                        let what = format!("unsafe with capacity {capacity}, safe with {less}");
                        return Err(broken(memory, "a larger capacity", what));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(all)
}

/// Forgetting dead locals changes neither verdicts nor outcomes.
pub fn forgetting_is_invisible(oracle: &dyn Oracle, program: &Program) -> Result<Obeyed, Disagreement> {
    let forgetful = forget_dead(program);
    let names: &[&str] = if is_remote(program) { &REMOTE } else { &BUFFERS };
    let mut all = Obeyed::default();
    for memory in models(names) {
        for property in [Property::Stated, Property::NoDeadlock] {
            let find = |program: &Program| oracle.find(&Task { program, memory, property, hints: None });
            let (one, other) = (find(program), find(&forgetful));
            for (less, more) in [(&one, &other), (&other, &one)] {
                let obeyed = included(less, more);
                all.add(obeyed.map_err(|what| {
                    broken(memory, "forgetting is invisible", format!("{property:?}: {what}"))
                })?);
            }
        }
    }
    Ok(all)
}

fn is_remote(program: &Program) -> bool {
    program.vocabulary == wattle_program::Vocabulary::Rma
}
