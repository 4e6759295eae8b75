//! `check`: does the property hold under this model?

use wattle_engine::{
    Bound, Budget, Certificate, Counterexample, Coverage, Engine, Halt, Hints, Progress, Property, Reason,
    Run, Spent, Suspicion, Task, Verdict, Violation, Work, reached_cuts,
};
use wattle_judge::certify::certify;
use wattle_memory::{Machine, MemoryModel};
use wattle_program::{EdgeId, Op, Program, Replicas, Shape, ThreadId};
use wattle_report::{CheckReport, CheckVerdict, Head, Story, Trace};
use wattle_smt::Library;
use wattle_source::{Diagnostic, FileId, Span};

use crate::codes;
use crate::copies::said;
use crate::engines::{Settings, choose, has_room_for, without_solver};
use crate::few;
use crate::portfolio::{Internal, Solved, solve};
use crate::reach::Reach;
use crate::story::story;
use crate::{Goal, Input, Loaded, Prepared, Watch, emit, load, models, prepare};

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

impl Check {
    /// What the text states, by any engine, without a limit.
    pub fn new(model: MemoryModel) -> Check {
        Check {
            model,
            property: Property::Stated,
            engine: None,
            settings: Settings::default(),
            budget: Budget::default(),
            certify: false,
            atomic_copy: false,
            blame_weak_memory: false,
            litmus: false,
        }
    }
}

/// A report, and the counterexample in a form that `replay` takes.
#[derive(Clone, Debug)]
pub struct Checked {
    pub report: CheckReport,
    pub trace: Option<Trace>,
}

/// `Err`: the request itself makes no sense.
pub fn check(request: &Check, input: &Input, watch: &Watch) -> Result<Checked, String> {
    check_with(request, input, None, watch)
}

/// The same with what answers about much the same text left.
pub(crate) fn check_with(
    request: &Check,
    input: &Input,
    hints: Option<&Hints>,
    watch: &Watch,
) -> Result<Checked, String> {
    let run = watch.run(request.budget);
    let mut checked = once(request, input, hints, &run)?;
    // What the text was read with bounds the answer, and nothing else does: it is read with more.
    for instances in MORE_INSTANCES {
        if !checked.bounded_by_reading
            || input.sets(INSTANCES)
            || run.poll(Work::milliseconds(0), Spent::default()).is_err()
        {
            break;
        }
        let phase = format!("{instances} instances of what the text bounds");
        run.progress(&Progress { phase, states: 0, depth: u64::from(instances) });
        let larger = once(request, &input.with(INSTANCES, &instances.to_string()), hints, &run)?;
        match larger.checked.report.verdict {
            CheckVerdict::Unknown { ref reason } if !matches!(reason, Reason::Vacuous { .. }) => break,
            // A text that is too large to be read with so many.
            CheckVerdict::Error => break,
            // A smaller number of rounds with more instances is no better answer.
            CheckVerdict::Bounded { bound: Bound::Unwinding(_) } => break,
            _ => checked = larger,
        }
    }
    checked.checked.report.seconds = run.elapsed().as_secs_f64();
    Ok(checked.checked)
}

/// The setting of front ends that bound what a text may create.
const INSTANCES: &str = "instances";

/// How many instances are tried after the front end's own number.
const MORE_INSTANCES: [u32; 5] = [6, 12, 24, 48, 96];

/// An answer about a text that is read in one way.
struct Once {
    checked: Checked,
    /// The answer is bounded by how the text was read, and by nothing else.
    bounded_by_reading: bool,
}

fn once(request: &Check, input: &Input, hints: Option<&Hints>, run: &Run) -> Result<Once, String> {
    let mut settings = request.settings.clone();
    settings.bmc.proof |= request.certify;
    let mut engines = choose(request.engine.as_deref(), &settings)?;
    let head = Head::new(input.title(), &*request.model.name);
    let mut report = CheckReport::new(head, request.property);
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
            report.copies = said(&loaded.parsed.program, &loaded.instance);
            report.repairs = !(loaded.frontend.fences)(loaded.parsed.program.vocabulary).is_empty();
            if !settings.loop_lines.is_empty() {
                let settings = settings.placed(&loaded)?;
                engines = choose(request.engine.as_deref(), &settings)?;
            }
            has_room_for(&settings, &loaded, &request.model)?;
            let counterexample = answer(request, &loaded, &engines, hints, run, &mut report);
            let own = |file: &FileId| {
                (loaded.sources.name(*file).to_owned(), loaded.sources.text(*file).to_owned())
            };
            trace = counterexample.map(|counterexample| Trace {
                file: input.name.clone(),
                language: loaded.frontend.name.to_owned(),
                text: loaded.sources.text(loaded.file).to_owned(),
                linked: loaded.files[1..].iter().map(own).collect(),
                settings: if loaded.frontend.links { input.settings.clone() } else { vec![] },
                flags: if loaded.frontend.links { input.compiler.flags.clone() } else { vec![] },
                model: request.model.name.to_string(),
                atomic_copy: request.atomic_copy,
                property: request.property,
                counterexample: of_text(counterexample, &loaded),
            });
            report.sources = loaded.sources;
        }
    }
    let bounded_by_reading = match &report.verdict {
        CheckVerdict::Bounded { bound } => *bound == Bound::Covered,
        CheckVerdict::Unknown { reason: Reason::Vacuous { bound } } => *bound == Bound::Covered,
        _ => false,
    };
    Ok(Once { checked: Checked { report, trace }, bounded_by_reading })
}

/// A trace is about the text, which may leave open how many copies there are.
fn of_text(counterexample: Counterexample, loaded: &Loaded) -> Counterexample {
    let instance = match loaded.instance.0.is_empty() {
        true => counterexample.instance.clone(),
        false => loaded.instance.clone(),
    };
    Counterexample { instance, ..counterexample }
}

fn answer(
    request: &Check,
    loaded: &Loaded,
    engines: &[Box<dyn Engine>],
    hints: Option<&Hints>,
    run: &Run,
    report: &mut CheckReport,
) -> Option<Counterexample> {
    let prepared = match prepare(loaded, &request.model, Goal::Verdict) {
        Ok(prepared) => prepared,
        Err(unsupported) => {
            report.verdict = CheckVerdict::Unknown { reason: Reason::Unsupported(unsupported) };
            return None;
        }
    };
    report.notes.extend(prepared.notes());
    report.translated = prepared.translated();
    let Solved { engine, verdict, coverage, suspicion, statistics, remarks } =
        solve(&Task { hints, ..prepared.task(request.property) }, engines, request.settings.threads, run);
    report.engine = engine.map(ToOwned::to_owned);
    report.statistics = statistics;
    report.remarks = remarks;
    if let Ok(Verdict::Unknown { .. } | Verdict::SafeUpTo { .. }) = verdict {
        let task = prepared.task(request.property);
        report.notes.extend(without_solver(engines, &task, &request.settings));
    }
    report.verdict = match verdict {
        Err(internal) => CheckVerdict::Internal { what: internal.to_string() },
        Ok(Verdict::Unknown { reason }) => {
            report.diagnostics.extend(unsupported_place(prepared.searched(), &reason));
            report.remarks.extend(suspicion.iter().flat_map(|suspicion| suspected(&prepared, suspicion)));
            CheckVerdict::Unknown { reason }
        }
        Ok(Verdict::Safe { certificate }) => {
            proved(request, &prepared, certificate, coverage.as_ref(), run, report)
        }
        Ok(Verdict::SafeUpTo { bound }) => {
            bounded(request, &prepared, bound, &coverage.unwrap_or_default(), report)
        }
        Ok(Verdict::Unsafe { counterexample }) => {
            report.confirmed = true;
            match violated(request, &prepared, &counterexample, engines, run, report) {
                Ok(story) => {
                    report.verdict = CheckVerdict::Unsafe { story: Box::new(story) };
                    return Some(*counterexample);
                }
                Err(what) => CheckVerdict::Internal { what },
            }
        }
    };
    None
}

/// The report of a proof: warnings about what it did not reach and, with `--certify`, the result of the check.
fn proved(
    request: &Check,
    prepared: &Prepared<'_>,
    certificate: Certificate,
    coverage: Option<&Coverage>,
    run: &Run,
    report: &mut CheckReport,
) -> CheckVerdict {
    match coverage {
        Some(coverage) => {
            let reach = Reach::new(prepared.searched(), coverage);
            report.diagnostics.extend(reach.warnings(&prepared.loaded().sources, request.property));
        }
        None if matches!(certificate, Certificate::Cubes(_)) => {
            let (program, sources) = (prepared.searched(), &prepared.loaded().sources);
            let line = |process, edge| {
                let span = program.process(process).cfg.edge(edge).origin.0;
                (!span.is_nowhere()).then(|| sources.start(span).line)
            };
            match few::instances(program, &request.model, run, line) {
                Ok(notes) => report.notes.extend(notes),
                Err(contradiction) => return CheckVerdict::Internal { what: contradiction.to_string() },
            }
        }
        None => report
            .notes
            .push("the time was up before it was known what executions reach: it may be nothing".into()),
    }
    if matches!(certificate, Certificate::StateSpace { .. }) && request.model.machine.is_none() {
        let model = &request.model.name;
        report.notes.push(format!("all accesses are to one location, of which {model} says what sc says"));
    }
    match request.certify {
        true => {
            let task = prepared.as_written(request.property);
            certified(&task, certificate, coverage, &request.settings, run, report)
        }
        false => CheckVerdict::Safe { certificate },
    }
}

/// A bounded proof that reaches nothing of what the property speaks about is vacuous, and becomes *unknown*.
fn bounded(
    request: &Check,
    prepared: &Prepared<'_>,
    bound: Bound,
    coverage: &Coverage,
    report: &mut CheckReport,
) -> CheckVerdict {
    report.notes.extend(reached_cuts(prepared.searched(), Some(coverage)).iter().map(|cut| {
        let place = (!cut.span.is_nowhere()).then(|| prepared.loaded().sources.start(cut.span));
        let line = |place| prepared.loaded().sources.line_name(place);
        let place = place.map(|start| format!(" at {}:{}", line(start), start.column)).unwrap_or_default();
        format!("not covered: {}{place}", cut.what)
    }));
    let reach = Reach::new(prepared.searched(), coverage);
    if reach.vacuous(request.property).is_none() {
        return CheckVerdict::Bounded { bound };
    }
    report.diagnostics.extend(reach.bounded_warning(request.property));
    CheckVerdict::Unknown { reason: Reason::Vacuous { bound } }
}

/// A confirmed counterexample as people read it, with what else was asked about it.
fn violated(
    request: &Check,
    prepared: &Prepared<'_>,
    counterexample: &Counterexample,
    engines: &[Box<dyn Engine>],
    run: &Run,
    report: &mut CheckReport,
) -> Result<Story, String> {
    report.copies.extend(said(prepared.written(), &counterexample.instance));
    let mut story = story(prepared, request.property, counterexample)
        .ok_or("a confirmed counterexample cannot be told")?;
    // A program without a meaning is no better off under another model.
    if !matches!(counterexample.violated, Violation::Undefined { .. }) {
        story.holds_under_sc = holds_under_sc(request, prepared.searched(), engines, run)
            .map_err(|internal| internal.to_string())?;
    }
    let litmus = request.litmus.then(|| emit::litmus(&request.model, counterexample)).transpose();
    match litmus.map_err(|contradiction| contradiction.to_string())? {
        Some(Ok(test)) => report.litmus = Some(test.text),
        Some(Err(why)) => report.notes.push(format!("no litmus test: {why}")),
        None => {}
    }
    Ok(story)
}

/// Lets the judge re-check the proof.
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

/// The work that the question about sc may always take.
const REMARK: Work = Work::milliseconds(500);

/// Does the property hold under sc, so that weak memory is the cause of the violation? `None`: not known
/// within the work that is allowed for this.
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
    // The answer is a remark only, so it may cost no more than a few times what the verdict took.
    let run = run.at_most(REMARK.max(run.worked() * 3));
    let task = Task { program, memory: &memory, property: request.property, hints: None };
    Ok(match solve(&task, engines, request.settings.threads, &run).verdict? {
        Verdict::Safe { .. } => Some(true),
        Verdict::Unsafe { .. } => Some(false),
        Verdict::SafeUpTo { .. } | Verdict::Unknown { .. } => None,
    })
}

/// So many predicates are listed.
const LISTED: usize = 16;

/// The way of an abstract trace through the text, which an engine could neither refute nor replay, and what it knew.
fn suspected(prepared: &Prepared<'_>, suspicion: &Suspicion) -> Vec<String> {
    let program = prepared.searched();
    let Ok(shape) = Shape::new(program) else { return vec![] };
    let step = |(thread, edge): &(ThreadId, EdgeId)| {
        let process = program.process(shape.info(*thread).process);
        let span = process.cfg.edge(*edge).origin.0;
        let sources = &prepared.loaded().sources;
        let line = (!span.is_nowhere()).then(|| sources.line_name(sources.start(span)))?;
        Some(format!("{} line {line}", process.name))
    };
    let mut steps: Vec<String> = suspicion.steps.iter().filter_map(step).collect();
    steps.dedup();
    let mut remarks = vec![format!("neither refuted nor replayed: {}", steps.join(", "))];
    let predicates = &suspicion.predicates;
    if !predicates.is_empty() {
        let more = predicates.len().saturating_sub(LISTED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let listed = predicates[..predicates.len().min(LISTED)].join("; ");
        remarks.push(format!("predicates so far: {listed}{more}"));
    }
    remarks
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
    let problem =
        Diagnostic::warning(codes::UNSUPPORTED, span, "the search ends here").expecting("not supported");
    let open =
        program.processes.iter().find(|process| process.replicas == Replicas::Any && process.span == span);
    Some(match open {
        Some(process) => problem.help(format!("--copies {}=3 looks at three copies", process.name)),
        None => problem,
    })
}
