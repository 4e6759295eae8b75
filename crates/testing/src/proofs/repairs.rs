//! The search for fences with an engine that proves, against the same search with explicit states.
//!
//! Both say how many fences are needed at least and how many suffice; neither may need more than suffice by the
//! other. So where both have the fewest, they have the same number.
//!
//! Few random properties are violated because memory is weak and for no other reason. So where a program has outcomes
//! with buffers that it does not have without, one of them is what it must not end in.

use wattle_engine::{Answer, Budget, Contradiction, Engine, Run, Task, Unsupported, Verdict};
use wattle_generate::Rng;
use wattle_judge::certify::explore_all;
use wattle_logic::Term;
use wattle_memory::{MemoryModel, find};
use wattle_program::passes::{forget_dead, insert};
use wattle_program::{Program, Property, PropertyKind};
use wattle_repair::{Options, Proof, Repairability, Repaired, merge_copies, repair};
use wattle_source::Span;

use super::{Trial, kind, stated, with_buffers};
use crate::agree::ask;
use crate::compare::Disagreement;
use crate::laws::Obeyed;

/// A search for fences asks an engine several times.
const CHECKS: u64 = 10;

impl Trial<'_> {
    /// Where a program is safe under sequential consistency and unsafe with buffers, or can be made so.
    pub fn repairs(&self, program: &Program) -> Result<Obeyed, Disagreement> {
        let (Some(exact), Some(sc)) = (self.others.first(), find("sc")) else { return Ok(Obeyed::default()) };
        let mut all = Obeyed::default();
        for memory in with_buffers() {
            let Ok(translation) = memory.translate(program) else { continue };
            let program = forbidding(&translation.program, sc, memory, self.seed);
            let task = stated(&program, memory);
            let disagreement = |what| Disagreement {
                model: memory.name.clone(),
                subject: format!("repair by {} and by {}", exact.name(), self.subject.name()),
                what,
            };
            let searched = forget_dead(task.program);
            let searched = Task { program: &searched, ..task };
            if self.subject.accepts(&searched).is_err() || exact.accepts(&searched).is_err() {
                continue;
            }
            let ask = |task: &Task<'_>| ask(*exact, self.effort, task).map_err(disagreement);
            let right = matches!(ask(&Task { memory: sc, ..searched })?.verdict, Verdict::Safe { .. });
            if !right || !matches!(ask(&searched)?.verdict, Verdict::Unsafe { .. }) {
                continue;
            }
            self.repaired(*exact, &task).map_err(disagreement)?;
            all.add(Obeyed { compared: true, telling: true });
        }
        Ok(all)
    }

    fn repaired(&self, exact: &dyn Engine, task: &Task<'_>) -> Result<(), String> {
        let search = |engine: &dyn Engine| {
            let found = repair(task, engine, &Options::default(), &self.run(CHECKS));
            found.map(|found| found.result).map_err(|halt| format!("{}: {halt}", engine.name()))
        };
        let by_search = search(exact)?;
        let by_proof = search(self.subject)?;
        let cold = search(&Cold(self.subject))?;
        for (one, other, whose) in [
            (&by_search, &by_proof, "by explicit search"),
            (&by_search, &cold, "by explicit search, without hints"),
            (&by_proof, &cold, "with hints, and without"),
        ] {
            for (one, other) in [(one, other), (other, one)] {
                let (least, most) = (needed(one), suffices(other));
                if most.is_some_and(|most| least > most) {
                    return Err(format!("fences: {} {whose}: {}", said(one), said(other)));
                }
            }
        }
        for (result, how) in [(&by_proof, "repair"), (&cold, "repair without hints")] {
            if let Some(repaired) = found(result)
                && let Proof::Safe { certificate, coverage } = &repaired.proof
            {
                let chosen = repaired.solutions.first().map_or(&[][..], |one| one);
                let program = insert(task.program, &merge_copies(task.program, chosen));
                self.certified(&Task { program: &program, ..*task }, certificate, coverage.as_ref())?;
            }
            let exactly = needed(&by_search) == suffices(&by_search).unwrap_or(usize::MAX);
            let what = if exactly { "exact" } else { "not exact" };
            self.count(format!("{how}: {}; {}: {what}", ended(result), exact.name()), task);
        }
        Ok(())
    }
}

/// The program with another property: it does not end in an outcome that it has only with buffers. The program as it
/// is, if there is none.
fn forbidding(program: &Program, sc: &MemoryModel, memory: &MemoryModel, seed: u64) -> Program {
    const STATES: u64 = 2000;
    const CAPACITY: usize = 4;
    let mut asked = program.clone();
    asked.properties.clear();
    let outcomes = |memory| {
        let run = Run::new(Budget { states: Some(STATES), ..Budget::default() });
        let closure = explore_all(&stated(&asked, memory), Some(CAPACITY), false, &run).ok()?;
        closure.violation.is_none().then_some(closure.outcomes)
    };
    let new: Vec<_> = match (outcomes(sc), outcomes(memory)) {
        (Some(without), Some(with)) => with.difference(&without).cloned().collect(),
        _ => vec![],
    };
    if new.is_empty() {
        return program.clone();
    }
    let outcome = Rng::new(seed).pick(&new).clone();
    let same = asked
        .observed
        .iter()
        .zip(outcome)
        .map(|(term, value)| term.clone().equals(Term::value(value, term.sort())));
    let formula = Term::conjunction(same.collect::<Vec<_>>()).negated();
    asked.properties.push(Property { kind: PropertyKind::Finally, formula, span: Span::NOWHERE });
    asked
}

/// How many fences there are in every repair, at least.
fn needed(result: &Repairability) -> usize {
    match result {
        Repairability::AlreadySafe { .. } => 0,
        Repairability::BrokenUnderSc { .. } | Repairability::Unrepairable { .. } => usize::MAX,
        Repairability::Repaired(repaired) if repaired.minimal => repaired.count,
        Repairability::Repaired(_) => 0,
        Repairability::Unknown(unknown) => unknown.at_least as usize,
    }
}

/// How many fences were proved to suffice.
fn suffices(result: &Repairability) -> Option<usize> {
    let proved = |proof: &Proof| matches!(proof, Proof::Safe { .. });
    match result {
        Repairability::AlreadySafe { proof } => proved(proof).then_some(0),
        result => found(result).filter(|found| proved(&found.proof)).map(|found| found.count),
    }
}

fn found(result: &Repairability) -> Option<&Repaired> {
    match result {
        Repairability::Repaired(repaired) => Some(repaired),
        Repairability::Unknown(unknown) => unknown.best.as_ref(),
        _ => None,
    }
}

/// How a search ended.
fn ended(result: &Repairability) -> String {
    match result {
        Repairability::AlreadySafe { .. } => "nothing to do".into(),
        Repairability::BrokenUnderSc { .. } => "broken under sc".into(),
        Repairability::Unrepairable { .. } => "no fence helps".into(),
        Repairability::Repaired(repaired) if repaired.minimal => "minimal".into(),
        Repairability::Repaired(_) => "not minimal".into(),
        Repairability::Unknown(unknown) => format!("no end: {}", kind(&unknown.reason)),
    }
}

fn said(result: &Repairability) -> String {
    let number = |number: Option<usize>| match number {
        None => "any number".to_owned(),
        Some(usize::MAX) => "none".to_owned(),
        Some(number) => number.to_string(),
    };
    format!("{} ({}..{})", ended(result), number(Some(needed(result))), number(suffices(result)))
}

/// An engine that gets no hints.
struct Cold<'a>(&'a dyn Engine);

impl Engine for Cold<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        self.0.check(&Task { hints: None, ..*task }, run)
    }
}
