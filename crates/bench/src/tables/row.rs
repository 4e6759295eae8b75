//! The rows of an `expected.tsv`.

use std::fmt;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub file: String,
    pub model: String,
    pub answer: Answer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub observation: String,
    pub verdict: String,
    pub states: u64,
    /// `None`: not counted.
    pub executions: Option<u64>,
}

/// As `docs/herd-differences.md` writes it.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answer { observation, verdict, states, .. } = self;
        let executions = self.executions.map_or_else(|| "?".into(), |number| number.to_string());
        write!(f, "{observation} {verdict}, {states} states, {executions} executions")
    }
}

const HEAD: &str = "file\tmodel\tobservation\tverdict\tstates\texecutions\tnote";

/// A line that is no row is an error: a test that does not run must fail.
pub fn rows(folder: &Path) -> Result<Vec<Row>, String> {
    let path = folder.join("expected.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return Err(format!("{}: the first line is not `{HEAD}`", path.display()));
    }
    let lines = lines.enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            one(line).ok_or_else(|| format!("{}:{}: not a row: {line}", path.display(), number + 2))
        })
        .collect()
}

fn one(line: &str) -> Option<Row> {
    let mut cells = line.split('\t');
    let mut cell = || cells.next().map(str::to_owned);
    Some(Row {
        file: cell()?,
        model: cell()?,
        answer: Answer {
            observation: cell()?,
            verdict: cell()?,
            states: cell()?.parse().ok()?,
            executions: Some(cell()?.parse().ok()?),
        },
    })
}
