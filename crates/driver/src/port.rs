//! `compare --from … --to …`: final states that are new under the target model, and why.
//!
//! For each new state one execution that ends so is found under the target, by asking whether all end
//! otherwise. The source model's own text is then evaluated on that execution: the axiom that it
//! breaks there is the reason why the state was impossible before.

use wattle_engine::{
    Census, Contradiction, Engine, Outcome, Property, Reason, Run, Tally, Task, Unsupported, Verdict,
};
use wattle_logic::Term;
use wattle_memory::{Execution, MemoryModel, axiomatic};
use wattle_program::{Program, PropertyKind, Shape};
use wattle_report::{Fresh, Link, PortReport, PortVerdict, axiom_cycle, list, sc_cycle};
use wattle_source::{Diagnostic, Sources, Span};

use crate::compare::{Compare, outcomes_request};
use crate::engines::{is_known, lists};
use crate::outcomes::{Stopped, count};
use crate::portfolio::Listed;
use crate::{Goal, Input, Prepared, Watch, load, prepare};

/// The first of the request's models is the source, the second the target.
pub fn port(request: &Compare, input: &Input, watch: &Watch) -> Result<PortReport, String> {
    is_known(request.check.engine.as_deref(), &request.check.settings)?;
    lists(request.check.engine.as_deref())?;
    let [from, to] = request.models.as_slice() else {
        return Err("expected one model to come from and one to go to".into());
    };
    let run = watch.run(request.check.budget);
    let blank = |sources: Sources, diagnostics: Vec<Diagnostic>| PortReport {
        file: input.title(),
        test: String::new(),
        from: from.name.to_string(),
        to: to.name.to_string(),
        verdict: PortVerdict::Error,
        translated: Default::default(),
        seconds: 0.0,
        diagnostics,
        sources,
    };
    let mut report = match load(input) {
        Err(refused) => {
            let mut report = blank(refused.sources, refused.diagnostics);
            if let Some(what) = refused.internal {
                report.verdict = PortVerdict::Internal { what };
            }
            report
        }
        Ok(loaded) => {
            let mut report = blank(loaded.sources.clone(), loaded.parsed.warnings.clone());
            report.test = loaded.parsed.program.name.to_string();
            let prepared = [from, to].map(|memory| prepare(&loaded, memory, Goal::Listing));
            report.translated = (prepared.each_ref())
                .map(|prepared| prepared.as_ref().map(Prepared::translated).unwrap_or_default());
            report.verdict = match compared(request, [from, to], &prepared, &run) {
                Ok(verdict) => verdict,
                Err((_, Stopped::Internal(what))) => PortVerdict::Internal { what },
                Err((model, Stopped::Reason(reason))) => PortVerdict::Unknown { model, reason },
            };
            report
        }
    };
    report.seconds = run.elapsed().as_secs_f64();
    Ok(report)
}

/// The text under one of the two models, or why it has no translation.
type Side<'a> = Result<Prepared<'a>, Unsupported>;

fn compared(
    request: &Compare,
    [from, to]: [&MemoryModel; 2],
    [source, target]: &[Side<'_>; 2],
    run: &Run,
) -> Result<PortVerdict, (String, Stopped)> {
    let census = |memory: &MemoryModel, side| {
        census(request, memory, side, run).map_err(|stopped| (memory.name.to_string(), stopped))
    };
    let ((_, old), (target, new)) = (census(from, source)?, census(to, target)?);
    let (sources, program) = (&target.loaded().sources, target.written());
    let gone = old.outcomes.keys().filter(|outcome| !new.outcomes.contains_key(*outcome)).count();
    let fault = |error: String| (to.name.to_string(), Stopped::Internal(error));
    let shape = Shape::new(program).map_err(|error| fault(error.to_string()))?;
    let mut names = Vec::new();
    let mut fresh = Vec::new();
    for (outcome, tally) in new.outcomes.iter().filter(|(outcome, _)| !old.outcomes.contains_key(*outcome)) {
        let listing = list(sources, program, &shape, alone(outcome, *tally), false);
        names = listing.names;
        let values = listing.states.into_iter().next().map(|state| state.values).unwrap_or_default();
        let values = values.iter().map(ToString::to_string).collect();
        let (axiom, cycle) = witness(request, program, to, outcome, run)
            .map_err(|contradiction| fault(contradiction.to_string()))?
            .map(|(told, execution)| why_not(sources, &told, from, &execution))
            .unwrap_or_default();
        fresh.push(Fresh { values, holds: tally.holds, axiom, cycle });
    }
    Ok(PortVerdict::Compared { names, fresh, gone })
}

/// All final states under one model. `Err` also where only some are known: then none is known to be new.
fn census<'a, 'b>(
    request: &Compare,
    memory: &MemoryModel,
    side: &'b Side<'a>,
    run: &Run,
) -> Result<(&'b Prepared<'a>, Census), Stopped> {
    let prepared = side.as_ref().map_err(|what| Stopped::Reason(Reason::Unsupported(what.clone())))?;
    let wishes = outcomes_request(&request.check, Some(memory));
    let Listed { census, .. } = count(&wishes, &prepared.task(Property::Stated), run)?;
    match census.bound {
        Some(bound) => Err(Stopped::Reason(Reason::OnlyUpTo(bound))),
        None => Ok((prepared, census)),
    }
}

fn alone(outcome: &Outcome, tally: Tally) -> Census {
    Census { outcomes: [(outcome.clone(), tally)].into(), ..Census::default() }
}

/// An execution under `memory` that ends in `outcome`, and the program that asks for it.
fn witness(
    request: &Compare,
    program: &Program,
    memory: &MemoryModel,
    outcome: &Outcome,
    run: &Run,
) -> Result<Option<(Program, Execution)>, Contradiction> {
    let equal = |(term, value): (&Term, &wattle_logic::Value)| {
        term.clone().equals(Term::value(value.clone(), term.sort()))
    };
    let elsewhere = Term::conjunction(program.observed.iter().zip(outcome).map(equal)).negated();
    let property =
        wattle_program::Property { kind: PropertyKind::Finally, formula: elsewhere, span: Span::NOWHERE };
    let asking = Program { properties: vec![property], ..program.clone() };
    let task = Task { program: &asking, memory, property: Property::Stated, hints: None };
    // Not replayed: a wrong one could only make the reason wrong, and that is evaluated anew.
    let execution = match request.check.settings.enumerate.check(&task, run)?.verdict {
        Verdict::Unsafe { counterexample } => counterexample.execution,
        _ => None,
    };
    Ok(execution.map(|execution| (asking, execution)))
}

/// The axiom that forbids the execution, and its cycle. Where the old model speaks another vocabulary
/// than the new one, only the cycle that sc forbids can be told.
fn why_not(
    sources: &Sources,
    program: &Program,
    memory: &MemoryModel,
    execution: &Execution,
) -> (Option<String>, Vec<Link>) {
    let Ok(shape) = Shape::new(program) else { return (None, vec![]) };
    let speaks = memory.vocabulary.is_none_or(|vocabulary| vocabulary == program.vocabulary);
    let axioms = memory.axioms.as_ref().filter(|_| speaks);
    let evaluation = axioms.and_then(|axioms| axiomatic::evaluate(&axioms.tree, execution).ok());
    let broken = evaluation.as_ref().and_then(axiomatic::Evaluation::broken);
    // Two events that must not be so say less than the cycle that sc forbids.
    let of_axiom = broken.filter(|broken| broken.witness.len() > 1);
    let cycle = match of_axiom {
        Some(broken) => axiom_cycle(sources, program, &shape, execution, broken),
        None => sc_cycle(sources, program, &shape, execution),
    };
    (broken.map(|broken| broken.name.to_string()), cycle)
}
