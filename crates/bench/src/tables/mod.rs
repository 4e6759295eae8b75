//! `tables`: herd's answers against ours, row by row.
//!
//! `../shared/data/litmus/FOLDER/expected.tsv` has the observation, the verdict and the numbers of
//! states and executions that herd7 gives for each test. Every row is run in this process and all
//! four must agree. Two lists of our own say where that is not so, and both must be exact:
//!
//! * `corpus/litmus/unsupported.tsv`: tests with a construct that wattle refuses, and the construct.
//!   A test that is refused and not listed fails, and so does one that is listed and runs.
//! * `docs/herd-differences.md`: rows on which the answers differ, with the reason. A difference that
//!   is not explained fails, and so does an explained one that is gone.

mod differences;
mod row;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Watch, in_order, models};
use wattle_engine::{Budget, Reason};
use wattle_report::{OutcomesReport, OutcomesVerdict};

pub use differences::Lists;
pub use row::{Answer, Row, rows};

/// What came of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ours {
    Answered(Answer),
    /// The text has a construct that wattle refuses.
    Refused(String),
    /// No answer, for a reason that is no construct of the text.
    Failed(String),
}

/// How rows of one folder ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub rows: usize,
    pub agreed: usize,
    /// Different answers, explained or not.
    pub disagreed: usize,
    pub unsupported: usize,
    /// Rows that must not stay as they are.
    pub open: usize,
}

/// How much of one folder is printed at once.
const MOST_LINES: usize = 40;

/// The top of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

pub fn data() -> PathBuf {
    root().join("../shared/data/litmus")
}

/// Arguments: folders (all), `--jobs N`, `--all` (print all rows, also explained ones). Prints what disagrees.
pub fn run(arguments: &[String]) -> Result<bool, String> {
    let mut folders = Vec::new();
    let (mut jobs, mut all) = (1, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--jobs" => {
                let number = rest.next().and_then(|text| text.parse().ok());
                jobs = number.ok_or("--jobs needs a number")?;
            }
            "--all" => all = true,
            folder => folders.push(folder.to_owned()),
        }
    }
    if !data().is_dir() {
        return Err(format!("no tables in {}", data().display()));
    }
    let whole = folders.is_empty();
    if whole {
        folders = known_folders()?;
    }
    let lists = Lists::read(&root())?;
    let mut good = true;
    let mut scores = Vec::new();
    for folder in folders {
        let (score, lines) = judge_folder(&folder, &lists, jobs)?;
        let shown: Vec<&Line> = lines.iter().filter(|line| line.open || all).collect();
        let most = if all { shown.len() } else { MOST_LINES };
        for line in shown.iter().take(most) {
            println!("{}", line.text);
        }
        if shown.len() > most {
            println!("{folder}: {} more (--all prints them)", shown.len() - most);
        }
        good &= score.open == 0;
        scores.push((folder, score));
    }
    if whole {
        for line in lists.without_rows(&known_folders()?) {
            println!("{line}");
            good = false;
        }
    }
    println!("\n{}", table(&scores));
    Ok(good)
}

pub fn table(scores: &[(String, Score)]) -> String {
    let mut out = String::from(
        "| folder | rows | agreed | disagreed | unsupported | open |\n|---|---|---|---|---|---|\n",
    );
    let mut total = Score::default();
    let mut line = |name: &str, score: &Score| {
        let Score { rows, agreed, disagreed, unsupported, open } = score;
        out.push_str(&format!("| {name} | {rows} | {agreed} | {disagreed} | {unsupported} | {open} |\n"));
    };
    for (folder, score) in scores {
        line(folder, score);
        total.rows += score.rows;
        total.agreed += score.agreed;
        total.disagreed += score.disagreed;
        total.unsupported += score.unsupported;
        total.open += score.open;
    }
    line("all", &total);
    out
}

pub fn known_folders() -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(data()).map_err(|error| error.to_string())?;
    let mut names: Vec<String> = (entries.filter_map(Result::ok))
        .filter(|entry| entry.path().join("expected.tsv").is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

/// One thing to say about a row.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    /// Must somebody do something about it?
    pub open: bool,
}

pub fn judge_folder(folder: &str, lists: &Lists, jobs: usize) -> Result<(Score, Vec<Line>), String> {
    let rows = rows(&data().join(folder))?;
    let mut score = Score { rows: rows.len(), ..Score::default() };
    let mut lines = Vec::new();
    if let Some(construct) = lists.whole_folder(folder) {
        score.unsupported = rows.len();
        lines.push(Line {
            text: format!("{folder}: all {} unsupported: {construct}", rows.len()),
            open: false,
        });
        return Ok((score, lines));
    }
    let mut silent: BTreeMap<String, Vec<String>> = BTreeMap::new();
    in_order(
        &rows,
        jobs,
        |row| answer(&data().join(folder).join(&row.file), &row.model),
        |row, ours| {
            let name = format!("{folder}/{}", row.file);
            let (line, kind) = lists.judge(&name, row, &ours);
            match kind {
                Kind::Agreed => score.agreed += 1,
                Kind::Disagreed => score.disagreed += 1,
                Kind::Unsupported => score.unsupported += 1,
            }
            score.open += usize::from(line.as_ref().is_some_and(|line| line.open));
            match (ours, line) {
                // One reason often stops many tests: one line for all of them.
                (Ours::Refused(why) | Ours::Failed(why), Some(Line { open: true, .. })) => {
                    silent.entry(why).or_default().push(row.file.clone());
                }
                (_, line) => lines.extend(line),
            }
            true
        },
    );
    for (why, names) in silent {
        let number = names.len();
        let text = format!("{folder}: {number} without an answer: {why}: {}", names.join(" "));
        lines.push(Line { text, open: true });
    }
    Ok((score, lines))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Agreed,
    Disagreed,
    Unsupported,
}

/// Our answer for one test.
pub fn answer(path: &Path, model: &str) -> Ours {
    let model = match models::resolve(model, false) {
        Ok(model) => model,
        Err(message) => return Ours::Failed(message),
    };
    let request = Outcomes {
        model: Some(model),
        engine: None,
        settings: Settings::default(),
        budget: Budget { time: Some(Duration::from_secs(60)), ..Budget::default() },
        atomic_copy: false,
    };
    match outcomes(&request, &Input::file(path), &Watch::default()) {
        Err(message) => Ours::Failed(message),
        Ok(report) => of_report(&report),
    }
}

fn of_report(report: &OutcomesReport) -> Ours {
    match &report.verdict {
        OutcomesVerdict::Listed(listing) => Ours::Answered(Answer {
            observation: listing.observation().to_owned(),
            verdict: report.verdict.word().to_owned(),
            states: listing.states.len() as u64,
            executions: listing.executions(),
        }),
        OutcomesVerdict::Unknown { reason: Reason::Unsupported(unsupported) } => {
            Ours::Refused(unsupported.to_string())
        }
        OutcomesVerdict::Unknown { reason } => Ours::Failed(reason.to_string()),
        OutcomesVerdict::Internal { what } => Ours::Failed(format!("INTERNAL ERROR: {what}")),
        OutcomesVerdict::Error => Ours::Refused(match report.diagnostics.first() {
            Some(diagnostic) => diagnostic.message.clone(),
            None => "refused without a word".into(),
        }),
    }
}
