//! The text after a repair: edited, read again, checked again, and with nothing in it that is not needed.
//!
//! The search for fences chooses places of the control-flow graph. Most are one statement of the text; the head
//! of a loop is not, because a fence there stands on every way to the head. So places are weighed by the
//! statements that they take ([`statements`]), and where one took several, those that turn out to be needless
//! are taken out again ([`needless`]).

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use wattle_engine::{Contradiction, Engine, Halt, Hints, Run, Task};
use wattle_program::ProcessId;
use wattle_program::passes::{Insertion, Spot};
use wattle_repair::{Existing, Options, Proof, Relaxed, existing, in_all_copies, relax_among};
use wattle_report::{Changed, CheckVerdict, FixReport};
use wattle_source::{FileId, Span, TextEdit};

use crate::check::{Check, check_with};
use crate::fix::{Fences, Fix};
use crate::load::Edited;
use crate::{Goal, Input, Loaded, Watch, load, prepare};

/// How many statements each place takes, where that is not one. Only loops have such places.
pub(crate) fn statements(
    loaded: &Loaded,
    places: &[Insertion],
    fences: &Fences,
) -> BTreeMap<(ProcessId, Spot), u64> {
    let written = &loaded.parsed.program;
    let mut result = BTreeMap::new();
    if written.processes.iter().all(|process| process.cfg.is_loop_free()) {
        return result;
    }
    let mut known = Vec::new();
    for one in places {
        let key = (one.place.process, one.place.spot);
        if known.contains(&key) {
            continue;
        }
        known.push(key);
        let said = fences.as_written(&in_all_copies(one));
        let edited = loaded.edit(&[said]).map(|edits| loaded.edited(&edits));
        let new = edited.ok().and_then(|edited| new_statements(loaded, &edited));
        if let Some(new @ 2..) = new {
            result.insert(key, new as u64);
        }
    }
    result
}

/// How many fences and flushes an edited text has that the text did not have.
pub(crate) fn new_statements(loaded: &Loaded, edited: &Edited) -> Option<usize> {
    let again = load(&loaded.again(edited)).ok()?;
    existing(&again.parsed.program).len().checked_sub(existing(&loaded.parsed.program).len())
}

/// The text with these insertions, and no needless ones where a place takes several statements.
pub(crate) fn repaired_text(
    request: &Fix,
    loaded: &Loaded,
    insertions: &[Insertion],
    (engine, proof, hints): (&dyn Engine, &Proof, &Hints),
    run: &Run,
    watch: &Watch,
) -> Result<Edited, NoEdit> {
    let edits = loaded.edit(insertions).map_err(NoEdit::Undecided)?;
    let text = edited(request, loaded, &edits, hints, run, watch)?;
    if new_statements(loaded, &text).is_none_or(|new| new <= insertions.len()) {
        return Ok(text);
    }
    let Ok(again) = load(&loaded.again(&text)) else { return Ok(text) };
    let judge = (engine, proof, hints);
    let Some(removals) = needless(request, &again, &inserted(&edits), judge, run)? else {
        return Ok(text);
    };
    let mut request = request.clone();
    for (line, _) in &mut request.settings.loop_lines {
        *line = line_after(loaded, &edits, *line);
    }
    match edited(&request, &again, &removals, hints, run, watch) {
        Err(NoEdit::Undecided(_)) => Ok(text),
        result => result,
    }
}

/// How to take out those new fences of an edited text that can go together; the rest is as well proved.
fn needless(
    request: &Fix,
    edited: &Loaded,
    inserted: &[(FileId, Range<usize>)],
    (engine, proof, hints): (&dyn Engine, &Proof, &Hints),
    run: &Run,
) -> Result<Option<Vec<TextEdit>>, NoEdit> {
    let Ok(prepared) = prepare(edited, &request.model, Goal::Repair) else { return Ok(None) };
    let task = Task { hints: Some(hints), ..prepared.task(request.property) };
    let is_new = |fence: &Existing| {
        let place = fence.origin.0;
        inserted.iter().any(|(file, range)| *file == place.file && range.contains(&(place.start as usize)))
    };
    let new: Vec<Existing> = existing(task.program).into_iter().filter(is_new).collect();
    let relaxing = match relax_among(&task, &new, engine, &Options::default(), run) {
        Ok(relaxing) => relaxing,
        Err(Halt::Unknown(_)) => return Ok(None),
        Err(Halt::Contradiction(contradiction)) => return Err(NoEdit::Contradiction(contradiction)),
    };
    let Relaxed::Fewest { remove, proof: of, .. } = relaxing.result else { return Ok(None) };
    let as_good = matches!((proof, &of), (Proof::Bounded(_), _) | (_, Proof::Safe { .. }));
    let spans: Vec<Span> = remove.iter().map(|fence| fence.origin.0).collect();
    Ok(match as_good && !spans.is_empty() {
        true => (edited.frontend.remove)(&edited.sources, edited.file, &spans).ok(),
        false => None,
    })
}

/// Where the texts of the edits stand after them.
fn inserted(edits: &[TextEdit]) -> Vec<(FileId, Range<usize>)> {
    let mut order: Vec<&TextEdit> = edits.iter().collect();
    order.sort_by_key(|edit| edit.span);
    let (mut added, mut removed) = (0, 0);
    let mut file = FileId::default();
    let mut ranges = Vec::new();
    for edit in order {
        if edit.span.file != file {
            (file, added, removed) = (edit.span.file, 0, 0);
        }
        let start = edit.span.start as usize + added - removed;
        ranges.push((file, start..start + edit.text.len()));
        added += edit.text.len();
        removed += (edit.span.end - edit.span.start) as usize;
    }
    ranges
}

/// Why no edited text is shown.
pub(crate) enum NoEdit {
    /// The language cannot say it, or the time was up.
    Undecided(String),
    /// The edited text does not do what the search proved, or something else does not fit: wattle has a bug.
    Contradiction(Contradiction),
}

/// The text after the edits, read and checked again.
pub(crate) fn edited(
    request: &Fix,
    loaded: &Loaded,
    edits: &[TextEdit],
    hints: &Hints,
    run: &Run,
    watch: &Watch,
) -> Result<Edited, NoEdit> {
    let edited = loaded.edited(edits);
    let mut settings = request.settings.clone();
    for (line, _) in &mut settings.loop_lines {
        *line = line_after(loaded, edits, *line);
    }
    let again = Check {
        model: request.model.clone(),
        property: request.property,
        engine: request.engine.clone(),
        settings,
        // The search and this check share the budget.
        budget: run.left(),
        certify: false,
        atomic_copy: request.atomic_copy,
        blame_weak_memory: false,
        litmus: false,
    };
    // The proof is made again from the text; the search says only which predicates to begin with.
    let again_read = loaded.again(&edited);
    let checked = check_with(&again, &again_read, Some(hints), watch).map_err(NoEdit::Undecided)?;
    match checked.report.verdict {
        CheckVerdict::Safe { .. } | CheckVerdict::Bounded { .. } => Ok(edited),
        CheckVerdict::Unknown { reason } => {
            Err(NoEdit::Undecided(format!("the edited text, read again, is unknown ({reason})")))
        }
        other => {
            let words = match &other {
                CheckVerdict::Internal { what } => what.clone(),
                other => format!("the edited text, read again, is {}", other.word()),
            };
            let claim = "the program is safe with these fences";
            Err(NoEdit::Contradiction(Contradiction::new("repair", claim, "check", words)))
        }
    }
}

/// Which line a line of the first file is after the edits.
fn line_after(loaded: &Loaded, edits: &[TextEdit], line: u32) -> u32 {
    let text = loaded.sources.text(loaded.file);
    let breaks = |text: &str| text.matches('\n').count() as u32;
    let start: usize = text.split_inclusive('\n').take((line as usize).saturating_sub(1)).map(str::len).sum();
    let begins = start + text[start..].len() - text[start..].trim_start().len();
    let before = |edit: &&TextEdit| edit.span.file == loaded.file && edit.span.start as usize <= begins;
    let new: u32 = edits.iter().filter(before).map(|edit| breaks(&edit.text)).sum();
    let old: u32 = (edits.iter().filter(before))
        .map(|edit| breaks(&text[edit.span.start as usize..edit.span.end as usize]))
        .sum();
    line + new - old
}

/// Say why there is no edited text, or write it if that was asked for.
pub(crate) fn show_or_write(
    request: &Fix,
    input: &Input,
    loaded: &Loaded,
    edited: Result<Edited, NoEdit>,
    report: &mut FixReport,
) -> Result<Option<Edited>, Contradiction> {
    let edited = match edited {
        Ok(edited) => edited,
        Err(NoEdit::Undecided(why)) => {
            report.notes.push(format!("no change of the text is shown: {why}"));
            return Ok(None);
        }
        Err(NoEdit::Contradiction(contradiction)) => return Err(contradiction),
    };
    translate_again(request, loaded, &edited, report);
    let own = loaded.files.iter().zip(input.files());
    for (text, input) in own.filter_map(|(file, input)| Some((edited.get(file)?, input))) {
        if !request.write {
            break;
        }
        report.notes.push(match input.path().map(|path| (path, write(path, text))) {
            Some((path, Ok(()))) => format!("written to {}", path.display()),
            Some((_, Err(error))) => format!("NOT written: {error}"),
            None => "NOT written: the text does not come from a file".into(),
        });
    }
    Ok(Some(edited))
}

/// The verdict is about the new text, whose fences may not have an equal either.
fn translate_again(request: &Fix, loaded: &Loaded, edited: &Edited, report: &mut FixReport) {
    let Ok(again) = load(&loaded.again(edited)) else { return };
    let Ok(prepared) = prepare(&again, &request.model, Goal::Repair) else { return };
    let translated = prepared.translated();
    // The lines may be others now.
    let head = &mut report.head;
    let old = &head.translated.changes;
    let same =
        |one: &Changed, other: &Changed| (&one.written, &one.became) == (&other.written, &other.became);
    let new = translated.changes.iter().filter(|new| !old.iter().any(|old| same(old, new)));
    head.notes.extend(new.map(ToString::to_string));
    report.translated = translated;
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
