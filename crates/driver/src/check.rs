//! `check`: does the property hold under this model?

use wattle_engine::{
    Budget, Certificate, Counterexample, Coverage, Engine, Halt, Property, Reason, Run, Statistics, Task,
    Verdict, Work,
};
use wattle_judge::certify::certify;
use wattle_memory::{Machine, MemoryModel};
use wattle_program::{Op, Program, passes};
use wattle_report::{CheckReport, CheckVerdict, Trace, Translated};
use wattle_smt::Library;
use wattle_source::{Diagnostic, Span};

use crate::adapt::adapt;
use crate::engines::{Settings, choose, has_room_for, prefer};
use crate::reach::Reach;
use crate::solve::{Internal, Solved, solve};
use crate::story::story;
use crate::{Input, Loaded, Watch, emit, load, models};

#[derive(Clone, Debug)]
pub struct Check {
    pub model: MemoryModel,
    pub property: Property,
    /// Only this engine.
    pub engine: Option<String>,
    pub settings: Settings,
    pub budget: Budget,
    /// Re-check proofs with other code.
    pub certify: bool,
    /// Under sc: is a remote copy one step?
    pub atomic_copy: bool,
    /// After a violation under a weak model, ask whether sc would be enough.
    pub blame_weak_memory: bool,
    /// Of a counterexample, make the litmus test of its cycle.
    pub litmus: bool,
}

/// A report, and the counterexample in a form that `replay` takes.
#[derive(Clone, Debug)]
pub struct Checked {
    pub report: CheckReport,
    pub trace: Option<Trace>,
}

/// `Err`: the request itself makes no sense.
pub fn check(request: &Check, input: &Input, watch: &Watch) -> Result<Checked, String> {
    let mut settings = request.settings.clone();
    settings.bmc.proof |= request.certify;
    let mut engines = choose(request.engine.as_deref(), &settings)?;
    let run = watch.run(request.budget);
    let mut report = CheckReport {
        file: input.name.clone(),
        model: request.model.name.to_string(),
        property: request.property,
        engine: None,
        verdict: CheckVerdict::Error,
        confirmed: false,
        certified: false,
        seconds: 0.0,
        statistics: Statistics::default(),
        diagnostics: vec![],
        sources: wattle_source::Sources::new(),
        notes: vec![],
        remarks: vec![],
        translated: Translated::default(),
        litmus: None,
    };
    let mut trace = None;
    match load(input) {
        Err(refused) => {
            report.sources = refused.sources;
            report.diagnostics = refused.diagnostics;
            if let Some(what) = refused.internal {
                report.verdict = CheckVerdict::Internal { what };
            }
        }
        Ok(loaded) => {
            report.diagnostics.clone_from(&loaded.parsed.warnings);
            if !settings.loop_lines.is_empty() {
                let settings = settings.placed(&loaded)?;
                engines = choose(request.engine.as_deref(), &settings)?;
            }
            has_room_for(&settings, &loaded, &request.model)?;
            prefer(&mut engines, &loaded.parsed.program);
            let counterexample = answer(request, &loaded, &engines, &run, &mut report);
            // A graph has no schedule to write down.
            let scheduled = counterexample.filter(|counterexample| counterexample.schedule.is_some());
            trace = scheduled.map(|counterexample| Trace {
                file: input.name.clone(),
                language: loaded.frontend.name.to_owned(),
                text: loaded.sources.text(loaded.file).to_owned(),
                model: request.model.name.to_string(),
                atomic_copy: request.atomic_copy,
                property: request.property,
                counterexample,
            });
            report.sources = loaded.sources;
        }
    }
    report.seconds = run.elapsed().as_secs_f64();
    Ok(Checked { report, trace })
}

fn answer(
    request: &Check,
    loaded: &Loaded,
    engines: &[Box<dyn Engine>],
    run: &Run,
    report: &mut CheckReport,
) -> Option<Counterexample> {
    let adapted = match adapt(&loaded.parsed.program, &request.model) {
        Ok(adapted) => {
            report.notes.extend(adapted.notes(&loaded.sources));
            report.translated = adapted.translated(&loaded.sources);
            adapted.program
        }
        Err(unsupported) => {
            report.verdict = CheckVerdict::Unknown { reason: Reason::Unsupported(unsupported) };
            return None;
        }
    };
    let original: &Program = &adapted;
    let program = passes::forget_dead(original);
    let task = Task { program: &program, memory: &request.model, property: request.property };
    let Solved { engine, verdict, coverage, statistics, remarks } = solve(&task, engines, run);
    report.engine = engine.map(ToOwned::to_owned);
    report.statistics = statistics;
    report.remarks = remarks;
    let mut found = None;
    report.verdict = match verdict {
        Err(internal) => CheckVerdict::Internal { what: internal.to_string() },
        Ok(Verdict::Unknown { reason }) => {
            report.diagnostics.extend(unsupported_place(&program, &reason));
            CheckVerdict::Unknown { reason }
        }
        Ok(Verdict::Safe { certificate }) => {
            match &coverage {
                Some(coverage) => {
                    let reach = Reach::new(&program, coverage);
                    report.diagnostics.extend(reach.warnings(&loaded.sources, request.property));
                }
                None => report.notes.push(
                    "the time was up before it was known what executions reach: it may be nothing".into(),
                ),
            }
            match request.certify {
                // The checker gets the program as it was read, before any pass.
                true => {
                    let task = Task { program: original, ..task };
                    certified(&task, certificate, coverage.as_ref(), &request.settings, run, report)
                }
                false => CheckVerdict::Safe { certificate },
            }
        }
        Ok(Verdict::SafeUpTo { bound }) => {
            let reach = Reach::new(&program, &coverage.unwrap_or_default());
            match reach.vacuous(request.property) {
                Some(_) => {
                    report.diagnostics.extend(reach.bounded_warning(request.property));
                    CheckVerdict::Unknown { reason: Reason::Vacuous { bound } }
                }
                None => CheckVerdict::Bounded { bound },
            }
        }
        Ok(Verdict::Unsafe { counterexample }) => {
            report.confirmed = true;
            let told = Task { program: &as_written(original, &program), ..task };
            match story(&loaded.sources, &told, &counterexample) {
                None => CheckVerdict::Internal { what: "a confirmed counterexample cannot be told".into() },
                Some(mut story) => {
                    match holds_under_sc(request, &program, engines, run) {
                        Ok(holds) => story.holds_under_sc = holds,
                        Err(internal) => {
                            report.verdict = CheckVerdict::Internal { what: internal.to_string() };
                            return None;
                        }
                    }
                    match request.litmus.then(|| emit::litmus(task.memory, &counterexample)) {
                        Some(Ok(Ok(test))) => report.litmus = Some(test.text),
                        Some(Ok(Err(why))) => report.notes.push(format!("no litmus test: {why}")),
                        Some(Err(contradiction)) => {
                            report.verdict = CheckVerdict::Internal { what: contradiction.to_string() };
                            return None;
                        }
                        None => {}
                    }
                    found = Some(*counterexample);
                    CheckVerdict::Unsafe { story: Box::new(story) }
                }
            }
        }
    };
    found
}

/// The program as the user wrote it, with the initial choices of the one that was searched: so that
/// the same schedule runs on it and locals keep their values for the story.
pub(crate) fn as_written(original: &Program, searched: &Program) -> Program {
    let mut told = original.clone();
    for (process, other) in told.processes.iter_mut().zip(&searched.processes) {
        for (local, other) in process.locals.iter_mut().zip(&other.locals) {
            local.init = other.init.clone();
        }
    }
    told
}

/// Let other code look at the proof again.
fn certified(
    task: &Task<'_>,
    certificate: Certificate,
    coverage: Option<&Coverage>,
    settings: &Settings,
    run: &Run,
    report: &mut CheckReport,
) -> CheckVerdict {
    let library = || Library::find(&settings.smt).map_err(|why| why.to_string());
    match certify(task, &certificate, coverage, library, run) {
        Ok(certified) => {
            report.certified = true;
            certified.counts.iter().for_each(|(what, count)| report.statistics.count(what, *count));
            report.notes.extend(certified.caveats);
            CheckVerdict::Safe { certificate }
        }
        Err(Halt::Contradiction(contradiction)) => {
            let by = report.engine.as_deref().unwrap_or("certificate");
            CheckVerdict::Internal { what: contradiction.claimed_by(by).to_string() }
        }
        Err(Halt::Unknown(reason)) => {
            report.notes.push(format!("the proof was not re-checked to the end: {reason}"));
            CheckVerdict::Safe { certificate }
        }
    }
}

/// What a remark may cost, if the verdict took little.
const REMARK: Work = Work::milliseconds(500);

/// Is weak memory to blame? `None`: not known within the time that is left.
fn holds_under_sc(
    request: &Check,
    program: &Program,
    engines: &[Box<dyn Engine>],
    run: &Run,
) -> Result<Option<bool>, Internal> {
    if !request.blame_weak_memory || matches!(request.model.machine, Some(Machine::Sc { .. })) {
        return Ok(None);
    }
    let Ok(memory) = models::resolve("sc", request.atomic_copy) else { return Ok(None) };
    // A remark is not worth more than a few times what the verdict took.
    let run = run.at_most(REMARK.max(run.worked() * 3));
    let task = Task { program, memory: &memory, property: request.property };
    Ok(match solve(&task, engines, &run).verdict? {
        Verdict::Safe { .. } => Some(true),
        Verdict::Unsafe { .. } => Some(false),
        Verdict::SafeUpTo { .. } | Verdict::Unknown { .. } => None,
    })
}

/// Point at the construct that stopped an engine.
fn unsupported_place(program: &Program, reason: &Reason) -> Option<Diagnostic> {
    let Reason::Unsupported(unsupported) = reason else { return None };
    let ops = || program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
    let named = ops().find_map(|op| match op {
        Op::Unsupported { what, span } if **what == *unsupported.what => Some(*span),
        _ => None,
    });
    let span: Span = unsupported.span.or(named)?;
    // The verdict says why.
    Some(Diagnostic::warning("unsupported", span, "the search ends here").expecting("not supported"))
}
