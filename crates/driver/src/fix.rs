//! `fix`: the fewest fences or flushes that make the property hold.
//!
//! The search itself is `repair`'s, on the program in the model's vocabulary and with the fences that
//! the text has words for. This file turns what it finds into a change of the text: the front end says
//! how the text takes the fences, the edited text is read and checked again from the start in the time
//! that is left, and only then is it shown or written.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use wattle_engine::{Budget, Engine, Property, Reason, Run, Statistics, Task};
use wattle_memory::MemoryModel;
use wattle_program::passes::{Insertion, Spot, retarget_fence};
use wattle_program::{Fence, Op, Orders, Program, Vocabulary};
use wattle_repair::{Existing, Objective, Outcome, Relaxed};
use wattle_report::{
    Changed, CheckVerdict, FixReport, FixVerdict, Placement, Proof, Translated, statement_text,
};
use wattle_source::{Sources, Span, TextEdit};

use crate::adapt::adapt;
use crate::check::{Check, check};
use crate::engines::{Settings, choose, prefer};
use crate::load::panic_text;
use crate::panel::Panel;
use crate::reach::Reach;
use crate::{Input, Loaded, Watch, load};

/// How often loops go round where nothing else is said and the engine would go on for ever.
const UNWIND: u32 = 2;

#[derive(Clone, Debug)]
pub struct Fix {
    pub model: MemoryModel,
    pub engine: Option<String>,
    pub settings: Settings,
    /// For the whole search.
    pub budget: Budget,
    pub atomic_copy: bool,
    pub all: All,
    /// Also at control points that no store comes before.
    pub anywhere: bool,
    /// Minimise what the thread that gets most has to bear, and only then the total.
    pub per_thread: bool,
    /// Of a safe program: find fences that can go.
    pub relax: bool,
    /// What a kind of fence (see [`fence_kinds`]) costs, such as `("mfence", 2)`; others cost 1.
    pub costs: Vec<(String, u64)>,
    /// Write the repaired text back to its file.
    pub write: bool,
}

impl Fix {
    /// One of the fewest sets, by any engine, without a limit; the text stays as it is.
    pub fn new(model: MemoryModel) -> Fix {
        Fix {
            model,
            engine: None,
            settings: Settings::default(),
            budget: Budget::default(),
            atomic_copy: false,
            all: All::One,
            anywhere: false,
            per_thread: false,
            relax: false,
            costs: vec![],
            write: false,
        }
    }
}

/// Which solutions are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum All {
    #[default]
    One,
    /// All of minimum size.
    Minimum,
    /// All from which nothing can be taken away.
    Subset,
}

/// The names of everything that may be inserted, in any language.
pub fn fence_kinds() -> Vec<String> {
    let fences = Vocabulary::ALL.iter().flat_map(|(_, vocabulary)| vocabulary.fences());
    let mut names: Vec<String> =
        fences.map(|fence| wattle_repair::kind(&Op::Fence(fence)).to_string()).collect();
    names.push("flush".into());
    names.sort();
    names.dedup();
    names
}

/// `Err`: the request itself makes no sense.
pub fn fix(request: &Fix, input: &Input, watch: &Watch) -> Result<FixReport, String> {
    let mut request = request.clone();
    // The search asks many questions, and the text is checked again with the same bound.
    request.settings.bmc.unwind.get_or_insert(UNWIND);
    let request = &request;
    let mut engines = choose(request.engine.as_deref(), &request.settings)?;
    let run = watch.run(request.budget);
    let mut report = FixReport {
        file: input.name.clone(),
        model: request.model.name.to_string(),
        engine: None,
        verdict: FixVerdict::Error,
        seconds: 0.0,
        statistics: Statistics::default(),
        diagnostics: vec![],
        sources: Sources::new(),
        notes: vec![],
        translated: Translated::default(),
        remarks: vec![],
    };
    match load(input) {
        Err(refused) => {
            report.sources = refused.sources;
            report.diagnostics = refused.diagnostics;
            if let Some(what) = refused.internal {
                report.verdict = FixVerdict::Internal { what };
            }
        }
        Ok(loaded) => {
            report.diagnostics.clone_from(&loaded.parsed.warnings);
            if !request.settings.loop_lines.is_empty() {
                let settings = request.settings.placed(&loaded)?;
                engines = choose(request.engine.as_deref(), &settings)?;
            }
            // A machine is the better judge of fences: it can wait.
            if request.model.machine.is_none() {
                prefer(&mut engines, &loaded.parsed.program);
            }
            repair(request, input, &loaded, &engines, &run, watch, &mut report);
            report.sources = loaded.sources;
        }
    }
    report.seconds = run.elapsed().as_secs_f64();
    Ok(report)
}

fn repair(
    request: &Fix,
    input: &Input,
    loaded: &Loaded,
    engines: &[Box<dyn Engine>],
    run: &Run,
    watch: &Watch,
    report: &mut FixReport,
) {
    let written = &loaded.parsed.program;
    let adapted = match adapt(written, &request.model) {
        Ok(adapted) => {
            report.notes.extend(adapted.notes(&loaded.sources));
            report.translated = adapted.translated(&loaded.sources);
            adapted.program
        }
        Err(unsupported) => {
            report.verdict = FixVerdict::Unknown { reason: Reason::Unsupported(unsupported) };
            return;
        }
    };
    let program: &Program = &adapted;
    let fences = Fences::new((loaded.frontend.fences)(written.vocabulary), program, &request.model);
    let task = Task { program, memory: &request.model, property: Property::Stated };
    let panel = match Panel::new(engines, &task) {
        Ok(panel) => panel,
        Err(unsupported) => {
            report.verdict = FixVerdict::Unknown { reason: Reason::Unsupported(unsupported) };
            return;
        }
    };
    // A fifth of the time is kept for the check of the edited text.
    let time = request.budget.time.map(|time| time * 4 / 5);
    let found =
        search(&task, request, &fences, &panel, &watch.run(Budget { time, ..request.budget }), report);
    report.engine = Some(panel.name().to_owned());
    // Who proved the program is asked about the text.
    let request = &Fix { engine: report.engine.clone(), ..request.clone() };
    let unrepairable = |why: &str| FixVerdict::Unrepairable { why: why.into() };
    report.verdict = match found {
        Found::AlreadySafe { proof } => FixVerdict::AlreadySafe { proof },
        Found::BrokenUnderSc => unrepairable("the property is violated under sc too, so fences cannot help"),
        Found::Unrepairable => unrepairable(
            "still violated with the strongest fence at every place (places inside atomic sections are not tried)",
        ),
        Found::NotSafe => {
            unrepairable("not relaxed, because it is unsafe as it stands; run fix without --relax first")
        }
        Found::Unknown { reason } => FixVerdict::Unknown { reason },
        Found::Internal { what } => FixVerdict::Internal { what },
        Found::Repaired { proof, count, source_count, minimal, sets, source } => {
            let source: Vec<Insertion> = source.iter().map(|one| fences.as_written(one)).collect();
            let edits = (loaded.frontend.edit)(&loaded.sources, loaded.file, written, &source);
            let edited = match edited(request, input, loaded, edits, run, watch) {
                Err(NoEdit::Contradiction(what)) => {
                    report.verdict = FixVerdict::Internal { what };
                    return;
                }
                edited => show_or_write(request, input, edited, report),
            };
            let describe = |set: &Vec<Insertion>| {
                set.iter().map(|one| placement(&loaded.sources, program, one)).collect()
            };
            let sets = sets.iter().map(describe).collect();
            FixVerdict::Repaired { proof, count, source_count, minimal, sets, edited }
        }
        Found::Relaxed { proof, keep, remove, minimal } => {
            let spans: Vec<Span> = remove.iter().map(|fence| fence.origin.0).collect();
            let edits = (loaded.frontend.remove)(&loaded.sources, loaded.file, &spans);
            let edited = match spans.is_empty() {
                true => None,
                false => match edited(request, input, loaded, edits, run, watch) {
                    Err(NoEdit::Contradiction(what)) => {
                        report.verdict = FixVerdict::Internal { what };
                        return;
                    }
                    edited => show_or_write(request, input, edited, report),
                },
            };
            let describe = |fence: &Existing| existing(&loaded.sources, program, fence);
            let (keep, remove) = (keep.iter().map(describe).collect(), remove.iter().map(describe).collect());
            FixVerdict::Relaxed { proof, keep, remove, minimal, edited }
        }
    };
}

/// The fences to choose from: as the model's vocabulary has them, and as the text says them.
struct Fences(Vec<(Fence, Fence)>);

impl Fences {
    /// `spoken` are the fences that the text can say; `program` is what became of it.
    fn new(spoken: Vec<Fence>, program: &Program, memory: &MemoryModel) -> Fences {
        let mean = |fence: &Fence, wanted: &Fence| match memory.vocabulary {
            Some(to) if *fence != *wanted => retarget_fence(fence, to)
                .is_some_and(|sequence| matches!(&sequence[..], [it] if it.tag == wanted.tag)),
            _ => fence == wanted,
        };
        // Of those that become the same, the strongest says best what is meant.
        let say = |wanted: Fence| {
            let saying = spoken.iter().filter(|fence| mean(fence, &wanted));
            let strongest = saying.max_by_key(|fence| fence.orders.0.count_ones())?;
            Some((wanted, strongest.clone()))
        };
        Fences(wattle_repair::kinds(program.vocabulary, memory).into_iter().filter_map(say).collect())
    }

    fn as_written(&self, insertion: &Insertion) -> Insertion {
        let mut written = insertion.clone();
        if let Op::Fence(fence) = &mut written.op
            && let Some((_, spoken)) = self.0.iter().find(|(known, _)| known == fence)
        {
            *fence = spoken.clone();
        }
        written
    }
}

/// What a search for fences found.
enum Found {
    AlreadySafe {
        proof: Proof,
    },
    BrokenUnderSc,
    Repaired {
        proof: Proof,
        count: usize,
        source_count: Option<usize>,
        minimal: bool,
        sets: Vec<Vec<Insertion>>,
        /// The set that the text shows: the same fences in all copies, unless asked otherwise.
        source: Vec<Insertion>,
    },
    Unrepairable,
    Relaxed {
        proof: Proof,
        keep: Vec<Existing>,
        remove: Vec<Existing>,
        minimal: bool,
    },
    NotSafe,
    Unknown {
        reason: Reason,
    },
    Internal {
        what: String,
    },
}

/// The search over all kinds of fences; where it ends because an engine does not handle the weaker kinds,
/// over full fences alone. A full fence does what a weaker one does, so fewest of them is fewest of all.
fn search(
    task: &Task<'_>,
    request: &Fix,
    fences: &Fences,
    engine: &dyn Engine,
    run: &Run,
    report: &mut FixReport,
) -> Found {
    let found = search_among(task, request, fences, engine, run, report);
    let strongest = fences.0.iter().filter(|(fence, _)| fence.orders == Orders::ALL);
    let strongest = Fences(strongest.cloned().collect());
    let (given_up, narrower) = match &found {
        Found::Unknown { reason: Reason::Unsupported(_) | Reason::GaveUp(_) } => {
            (true, !strongest.0.is_empty() && strongest.0.len() < fences.0.len())
        }
        _ => (false, false),
    };
    if !given_up || !narrower || !request.costs.is_empty() {
        return found;
    }
    report.notes.push("only full fences were tried: no engine could handle the weaker ones here".into());
    search_among(task, request, &strongest, engine, run, report)
}

/// Call `repair`, and put its outcome into the words of this file.
fn search_among(
    task: &Task<'_>,
    request: &Fix,
    fences: &Fences,
    engine: &dyn Engine,
    run: &Run,
    report: &mut FixReport,
) -> Found {
    let options = wattle_repair::Options {
        anywhere: request.anywhere,
        objective: if request.per_thread { Objective::PerThread } else { Objective::Total },
        all: match request.all {
            All::One => wattle_repair::All::One,
            All::Minimum => wattle_repair::All::Minimum,
            All::Subset => wattle_repair::All::Subset,
        },
        costs: request.costs.iter().map(|(kind, cost)| (kind.to_lowercase().into(), *cost)).collect(),
        kinds: Some(fences.0.iter().map(|(fence, _)| fence.clone()).collect()),
    };
    // A panic must not take the other files with it.
    let found = catch_unwind(AssertUnwindSafe(|| match request.relax {
        true => relaxed(task, engine, &options, run, &mut report.statistics),
        false => repaired(task, engine, &options, run, report),
    }));
    match found {
        Ok(Ok(found)) => found,
        Ok(Err(reason @ Reason::Unsupported(_))) => Found::Unknown { reason },
        // What else `repair` calls an error is an engine that contradicts itself.
        Ok(Err(reason)) => Found::Internal { what: reason.to_string() },
        Err(panic) => Found::Internal { what: format!("the search panicked: {}", panic_text(&*panic)) },
    }
}

fn repaired(
    task: &Task<'_>,
    engine: &dyn Engine,
    options: &wattle_repair::Options,
    run: &Run,
    report: &mut FixReport,
) -> Result<Found, Reason> {
    let repair = wattle_repair::repair(task, engine, options, run)?;
    let notes = &mut report.notes;
    report.statistics = repair.statistics;
    match &repair.outcome {
        Outcome::AlreadySafe { proof } | Outcome::Repaired(wattle_repair::Repaired { proof, .. }) => {
            match proof {
                wattle_repair::Proof::Bounded(bound) => notes.push(format!("checked with {bound}")),
                // Old edges have the same numbers with and without fences.
                wattle_repair::Proof::Safe { certificate } => {
                    let (unreached, ends) = certificate.coverage();
                    report
                        .diagnostics
                        .extend(Reach::new(task.program, unreached, ends).vacuity(task.property));
                }
            }
        }
        _ => {}
    }
    let of_repair = |repaired: wattle_repair::Repaired, minimal: bool| {
        let chosen = repaired.solutions.first().cloned().unwrap_or_default();
        let source = match &repaired.source {
            Some(source) => source.insertions.clone(),
            None => wattle_repair::merge_copies(task.program, &chosen),
        };
        Found::Repaired {
            proof: proof(&repaired.proof),
            count: repaired.count,
            source_count: repaired.source.map(|source| source.count),
            minimal: minimal && repaired.minimal,
            sets: repaired.solutions,
            source,
        }
    };
    Ok(match repair.outcome {
        Outcome::AlreadySafe { proof: of } => Found::AlreadySafe { proof: proof(&of) },
        Outcome::BrokenUnderSc { .. } => Found::BrokenUnderSc,
        Outcome::Unrepairable { .. } => Found::Unrepairable,
        Outcome::Repaired(repaired) => {
            if !repaired.complete && options.all != wattle_repair::All::One {
                notes.push("there may be more sets: the search ended early".into());
            }
            of_repair(repaired, true)
        }
        Outcome::Unknown(unknown) => match unknown.best {
            None => Found::Unknown { reason: unknown.reason },
            Some(best) => {
                let (reason, least) = (unknown.reason, unknown.at_least);
                notes.push(format!("the search ended early ({reason}); no repair costs less than {least}"));
                of_repair(best, false)
            }
        },
    })
}

fn relaxed(
    task: &Task<'_>,
    engine: &dyn Engine,
    options: &wattle_repair::Options,
    run: &Run,
    statistics: &mut Statistics,
) -> Result<Found, Reason> {
    let relaxing = wattle_repair::relax(task, engine, options, run)?;
    *statistics = relaxing.statistics;
    Ok(match relaxing.outcome {
        Relaxed::NotSafe { .. } => Found::NotSafe,
        Relaxed::Unknown { reason } => Found::Unknown { reason },
        Relaxed::Fewest { keep, remove, minimal, proof: of } => {
            Found::Relaxed { proof: proof(&of), keep, remove, minimal }
        }
    })
}

fn proof(proof: &wattle_repair::Proof) -> Proof {
    match proof {
        wattle_repair::Proof::Safe { .. } => Proof::Safe,
        wattle_repair::Proof::Bounded(_) => Proof::Bounded,
    }
}

/// Why no edited text is shown.
enum NoEdit {
    /// The language cannot say it, or the time was up.
    Undecided(String),
    /// The edited text does not do what the search proved: wattle has a bug.
    Contradiction(String),
}

/// The text after the edits, read and checked again.
fn edited(
    request: &Fix,
    input: &Input,
    loaded: &Loaded,
    edits: Result<Vec<TextEdit>, String>,
    run: &Run,
    watch: &Watch,
) -> Result<(String, Translated), NoEdit> {
    let edits = edits.map_err(NoEdit::Undecided)?;
    // The search and this check share the time.
    let left = request.budget.time.map(|time| time.saturating_sub(run.elapsed()));
    let text = loaded.sources.text(loaded.file);
    let edited = TextEdit::apply(text, &edits);
    let mut settings = request.settings.clone();
    for (line, _) in &mut settings.loop_lines {
        *line = line_after(text, &edits, *line);
    }
    let again = Check {
        model: request.model.clone(),
        property: Property::Stated,
        engine: request.engine.clone(),
        settings,
        budget: Budget { time: left, ..request.budget },
        certify: false,
        atomic_copy: request.atomic_copy,
        blame_weak_memory: false,
        litmus: false,
    };
    let checked = check(&again, &Input::text(&input.name, loaded.frontend.name, &edited), watch)
        .map_err(NoEdit::Undecided)?;
    match checked.report.verdict {
        CheckVerdict::Safe { .. } | CheckVerdict::Bounded { .. } => Ok((edited, checked.report.translated)),
        CheckVerdict::Unknown { reason } => {
            Err(NoEdit::Undecided(format!("the edited text, read again, is unknown ({reason})")))
        }
        other => Err(NoEdit::Contradiction(format!("the edited text, read again, is {}", other.word()))),
    }
}

/// Which line a line of the old text is after the edits.
fn line_after(text: &str, edits: &[TextEdit], line: u32) -> u32 {
    let breaks = |text: &str| text.matches('\n').count() as u32;
    let start: usize = text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum();
    let begins = start + text[start..].len() - text[start..].trim_start().len();
    let before = |edit: &&TextEdit| edit.span.start as usize <= begins;
    let new: u32 = edits.iter().filter(before).map(|edit| breaks(&edit.text)).sum();
    let old: u32 = (edits.iter().filter(before))
        .map(|edit| breaks(&text[edit.span.start as usize..edit.span.end as usize]))
        .sum();
    line + new - old
}

/// Say why there is no edited text, or write it if that was asked for.
fn show_or_write(
    request: &Fix,
    input: &Input,
    edited: Result<(String, Translated), NoEdit>,
    report: &mut FixReport,
) -> Option<String> {
    let notes = &mut report.notes;
    let text = match edited {
        Ok((text, translated)) => {
            // The lines may be others now.
            let old = &report.translated.changes;
            let same = |one: &Changed, other: &Changed| {
                (&one.written, &one.became) == (&other.written, &other.became)
            };
            let new = translated.changes.iter().filter(|new| !old.iter().any(|old| same(old, new)));
            notes.extend(new.map(ToString::to_string));
            report.translated = translated;
            text
        }
        Err(NoEdit::Undecided(why) | NoEdit::Contradiction(why)) => {
            notes.push(format!("no change of the text is shown: {why}"));
            return None;
        }
    };
    if let (true, Some(path)) = (request.write, input.path()) {
        notes.push(match write(path, &text) {
            Ok(()) => format!("written to {}", path.display()),
            Err(error) => format!("NOT written: {error}"),
        });
    }
    Some(text)
}

/// Write beside the file and rename, so that an interruption leaves the old text.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".wattle-new");
    fs::write(&beside, text)?;
    if let Ok(metadata) = fs::metadata(path) {
        fs::set_permissions(&beside, metadata.permissions())?;
    }
    fs::rename(&beside, path)
}

fn placement(sources: &Sources, program: &Program, insertion: &Insertion) -> Placement {
    let place = &insertion.place;
    let process = program.process(place.process);
    let span = match place.spot {
        Spot::After(origin) => origin.0,
        Spot::Before(point) => process.cfg.point(point).origin.0,
    };
    let after = match (place.spot, wattle_repair::describe(program, place)) {
        (Spot::Before(_), _) => format!("the point before `{}`", statement_text(sources, span)),
        (Spot::After(_), text) if text.is_empty() => statement_text(sources, span),
        (Spot::After(_), text) => text,
    };
    Placement {
        thread: process.name.to_string(),
        copy: place.copy,
        line: (!span.is_nowhere()).then(|| sources.start(span).line),
        after,
        kind: wattle_repair::kind(&insertion.op).to_string(),
        target: target(program, &insertion.op),
    }
}

/// A fence that the text has.
fn existing(sources: &Sources, program: &Program, fence: &Existing) -> Placement {
    let span = fence.origin.0;
    Placement {
        thread: program.process(fence.process).name.to_string(),
        copy: None,
        line: (!span.is_nowhere()).then(|| sources.start(span).line),
        after: statement_text(sources, span),
        kind: wattle_repair::kind(&fence.op).to_string(),
        target: target(program, &fence.op),
    }
}

/// Whom a flush waits for.
fn target(program: &Program, op: &Op) -> Option<String> {
    let Op::Flush { process, copy } = op else { return None };
    let process = program.process(*process);
    Some(match copy.as_value() {
        _ if process.replicas.count() == Some(1) => process.name.to_string(),
        Some(copy) => format!("{}[{copy}]", process.name),
        None => format!("{}[…]", process.name),
    })
}
