//! `fix`: the fewest fences or flushes that make the property hold.
//!
//! The search itself is `repair`'s. This file turns what it finds into a change of the text: the
//! front end says how the text takes the fences, the edited text is read and checked again from the
//! start, and only then is it shown or written.

use std::fs;
use std::path::Path;

use wattle_engine::{Bound, Budget, Engine, Property, Reason, Run, Statistics, Task};
use wattle_memory::MemoryModel;
use wattle_program::passes::{self, Insertion, Spot, kind_name};
use wattle_program::{Cfg, Op, Program};
use wattle_report::{CheckVerdict, FixReport, FixVerdict, Placement, Proof, statement_text};
use wattle_source::{Sources, TextEdit};

use crate::check::{Check, check};
use crate::engines::{Settings, choose};
use crate::{Input, Loaded, Watch, load};

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
    /// Let copies of a replicated thread have different fences in the text.
    pub per_thread: bool,
    /// Start without the fences that the text has.
    pub relax: bool,
    /// What a kind of fence costs, such as `("mfence", 2)`; others cost 1.
    pub costs: Vec<(String, u64)>,
    /// Write the repaired text back to its file.
    pub write: bool,
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

/// `Err`: the request itself makes no sense.
pub fn fix(request: &Fix, input: &Input, watch: &Watch) -> Result<FixReport, String> {
    let engines = choose(request.engine.as_deref(), &request.settings)?;
    let run = watch.run(request.budget);
    let mut report = FixReport {
        file: input.name.clone(),
        model: request.model.name.to_owned(),
        engine: None,
        verdict: FixVerdict::Error,
        seconds: 0.0,
        statistics: Statistics::default(),
        diagnostics: vec![],
        sources: Sources::new(),
        notes: vec![],
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
    let program = &loaded.parsed.program;
    let task = Task { program, memory: &request.model, property: Property::Stated };
    let Some(engine) = engines.iter().find(|engine| engine.accepts(&task).is_ok()) else {
        let refusals = engines.iter().filter_map(|engine| {
            let why = engine.accepts(&task).err()?;
            Some(format!("{why} (engine {})", engine.name()))
        });
        let what = refusals.collect::<Vec<_>>().join("; ");
        let reason = Reason::Unsupported(wattle_engine::Unsupported::new(what));
        report.verdict = FixVerdict::Unknown { reason };
        return;
    };
    report.engine = Some(engine.name().to_owned());
    report.verdict = match search(&task, request, &**engine, run, &mut report.statistics) {
        Found::AlreadySafe { proof } => FixVerdict::AlreadySafe { proof },
        Found::BrokenUnderSc => FixVerdict::Unrepairable {
            why: "the property is violated under sc too, so fences cannot help".into(),
        },
        Found::Unrepairable => FixVerdict::Unrepairable {
            why: "still violated with the strongest fence at every place".into(),
        },
        Found::Unknown { reason } => FixVerdict::Unknown { reason },
        Found::Repaired { proof, count, source_count, minimal, sets, source } => {
            let edited = match edit(request, input, loaded, &source, watch) {
                Ok(text) => Some(text),
                Err(why) => {
                    report.notes.push(format!("no change of the text is shown: {why}"));
                    None
                }
            };
            if let (true, Some(text), Some(path)) = (request.write, &edited, input.path()) {
                match write(path, text) {
                    Ok(()) => report.notes.push(format!("written to {}", path.display())),
                    Err(error) => report.notes.push(format!("NOT written: {error}")),
                }
            }
            let describe = |set: &Vec<Insertion>| {
                set.iter().map(|one| placement(&loaded.sources, program, one)).collect()
            };
            let sets = sets.iter().map(describe).collect();
            FixVerdict::Repaired { proof, count, source_count, minimal, sets, edited }
        }
    };
}

/// What a search for fences found.
#[allow(dead_code, reason = "all but `Unknown` come from the crate `repair`, which is wired in `search`")]
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
    Unknown {
        reason: Reason,
    },
}

/// The seam to `wattle_repair`: translate `request` into its options, call it, and its outcome into
/// [`Found`].
fn search(
    _task: &Task<'_>,
    _request: &Fix,
    _engine: &dyn Engine,
    _run: &Run,
    _statistics: &mut Statistics,
) -> Found {
    Found::Unknown { reason: Reason::GaveUp("the search for fences is not part of this build yet".into()) }
}

/// The text with the fences in it, after it was read and checked again.
fn edit(
    request: &Fix,
    input: &Input,
    loaded: &Loaded,
    insertions: &[Insertion],
    watch: &Watch,
) -> Result<String, String> {
    let text = loaded.sources.text(loaded.file);
    let edits = (loaded.frontend.edit)(&loaded.sources, loaded.file, &loaded.parsed.program, insertions)?;
    let edited = TextEdit::apply(text, &edits);
    let again = Check {
        model: request.model.clone(),
        property: Property::Stated,
        engine: request.engine.clone(),
        settings: request.settings.clone(),
        budget: request.budget,
        certify: false,
        atomic_copy: request.atomic_copy,
    };
    let checked = check(&again, &Input::text(&input.name, loaded.frontend.name, &edited), watch)?;
    match checked.report.verdict {
        CheckVerdict::Safe { .. } => Ok(edited),
        CheckVerdict::Bounded { bound: Bound::Capacity { .. } } => Ok(edited),
        other => Err(format!("the edited text, read again, is {}", other.word())),
    }
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
    let (span, after) = match place.spot {
        Spot::After(origin) => {
            (origin.0, after(program, &process.cfg, origin).unwrap_or_else(|| statement_text(sources, origin.0)))
        }
        Spot::Before(point) => {
            let info = process.cfg.point(point);
            (info.origin.0, format!("the point before `{}`", statement_text(sources, info.origin.0)))
        }
    };
    let target = match &insertion.op {
        Op::Flush { process, copy } => {
            let name = &program.process(*process).name;
            Some(match copy.as_value() {
                Some(copy) if program.process(*process).replicas.count() != Some(1) => {
                    format!("{name}[{copy}]")
                }
                _ => name.to_string(),
            })
        }
        _ => None,
    };
    Placement {
        thread: process.name.to_string(),
        copy: place.copy,
        line: (!span.is_nowhere()).then(|| sources.start(span).line),
        after,
        kind: kind_name(&insertion.op).to_string(),
        target,
    }
}

/// `store x`, `put Y`: the first thing of this origin that leaves something pending.
fn after(program: &Program, cfg: &Cfg, origin: wattle_program::Origin) -> Option<String> {
    let mut edges = cfg.edges.iter().filter(|edge| edge.origin == origin && passes::takes_fence(edge));
    let op = edges.find_map(|edge| {
        edge.ops.iter().find(|op| {
            matches!(op, Op::Store { .. } | Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. })
        })
    })?;
    let (word, address) = match op {
        Op::Store { address, .. } => ("store", address),
        Op::Put { remote, .. } => ("put", remote),
        Op::Get { remote, .. } => ("get", remote),
        Op::RemoteAtomic { remote, .. } => ("atomic", remote),
        _ => return None,
    };
    let wattle_logic::Kind::Address { variable, .. } = address.kind() else { return None };
    let name = &program.variables.get(*variable as usize)?.name;
    Some(format!("{word} {name}"))
}
