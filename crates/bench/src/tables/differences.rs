//! Our own two lists: what is refused, and where answers differ for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Kind, Line, Ours, Row};

const UNSUPPORTED: &str = "corpus/litmus/unsupported.tsv";
const DIFFERENCES: &str = "docs/herd-differences.md";

#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// `folder/file`, or `folder/*` for all of it, and the construct.
    unsupported: BTreeMap<String, String>,
    /// `folder/file` and model; herd's answer and ours.
    differences: BTreeMap<(String, String), (String, String)>,
}

impl Lists {
    pub fn read(root: &Path) -> Result<Lists, String> {
        let text = |name: &str| std::fs::read_to_string(root.join(name)).unwrap_or_default();
        Lists::parse(&text(UNSUPPORTED), &text(DIFFERENCES))
    }

    fn parse(unsupported: &str, differences: &str) -> Result<Lists, String> {
        let mut lists = Lists::default();
        let lines = unsupported.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        for line in lines {
            let (file, construct) = (line.split_once('\t'))
                .ok_or_else(|| format!("{UNSUPPORTED}: expected `file TAB construct`: {line}"))?;
            if lists.unsupported.insert(file.into(), construct.trim().into()).is_some() {
                return Err(format!("{UNSUPPORTED}: {file} stands there twice"));
            }
        }
        // Rows of the table whose first cell is a test: `| folder/file.litmus | model | … |`.
        for line in differences.lines() {
            let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
            let test = cells[0].trim_matches('`');
            if !line.trim_start().starts_with('|') || !test.ends_with(".litmus") {
                continue;
            }
            let [_, model, herd, ours, issue, source] = cells.as_slice() else {
                return Err(format!("{DIFFERENCES}: expected six cells: {line}"));
            };
            if issue.is_empty() || source.is_empty() {
                return Err(format!("{DIFFERENCES}: a row without a reason or a source: {line}"));
            }
            let key = (test.to_owned(), (*model).to_owned());
            lists.differences.insert(key, ((*herd).to_owned(), (*ours).to_owned()));
        }
        Ok(lists)
    }

    /// The construct for which a folder is left out as a whole.
    pub fn whole_folder(&self, folder: &str) -> Option<&str> {
        self.unsupported.get(&format!("{folder}/*")).map(String::as_str)
    }

    /// What is to be said about a row, and how it counts.
    pub fn judge(&self, name: &str, row: &Row, ours: &Ours) -> (Option<Line>, Kind) {
        let model = &row.model;
        let listed = self.unsupported.get(name);
        let explained = self.differences.get(&(name.to_owned(), model.clone()));
        let line = |open: bool, text: String| Some(Line { text: format!("{name} {model}: {text}"), open });
        match ours {
            Ours::Refused(why) => match listed {
                Some(construct) => (line(false, format!("unsupported: {construct}")), Kind::Unsupported),
                None => (line(true, format!("refused and not in {UNSUPPORTED}: {why}")), Kind::Unsupported),
            },
            Ours::Failed(why) => (line(true, format!("herd {}; ours: {why}", row.answer)), Kind::Disagreed),
            Ours::Answered(answer) if *answer == row.answer => match (listed, explained) {
                (None, None) => (None, Kind::Agreed),
                (Some(_), _) => {
                    (line(true, format!("is supported now: take it out of {UNSUPPORTED}")), Kind::Agreed)
                }
                (_, Some(_)) => {
                    (line(true, format!("agrees now: take it out of {DIFFERENCES}")), Kind::Agreed)
                }
            },
            Ours::Answered(answer) => {
                let both = (row.answer.to_string(), answer.to_string());
                let text = format!("herd {}; ours {}", both.0, both.1);
                (line(explained != Some(&both), text), Kind::Disagreed)
            }
        }
    }

    /// Entries of the lists that speak of no row of the tables.
    pub fn without_rows(&self, folders: &[String]) -> Vec<String> {
        let tests = (folders.iter()).flat_map(|folder| {
            let rows = super::rows(&super::data().join(folder)).unwrap_or_default();
            rows.into_iter().map(move |row| (format!("{folder}/{}", row.file), row.model))
        });
        let rows: BTreeSet<(String, String)> = tests.collect();
        let names: BTreeSet<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
        let mut result = Vec::new();
        for name in self.unsupported.keys() {
            let folder = name.strip_suffix("/*");
            if !names.contains(name.as_str())
                && !folder.is_some_and(|folder| folders.iter().any(|known| known == folder))
            {
                result.push(format!("{UNSUPPORTED}: no table has {name}"));
            }
        }
        for key in self.differences.keys().filter(|key| !rows.contains(*key)) {
            result.push(format!("{DIFFERENCES}: no table has {} under {}", key.0, key.1));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Answer;

    fn answer(states: u64) -> Answer {
        Answer { observation: "Never".into(), verdict: "No".into(), states, executions: Some(3) }
    }

    #[test]
    fn both_lists_must_be_exact() {
        let page = "# Differences\n\n| test | model | herd | ours | issue | source |\n|---|---|---|---|---|---|\n\
                    | `x/b.litmus` | tso | Never No, 2 states, 3 executions | Never No, 4 states, 3 executions | XCHG | manual |\n";
        let lists =
            Lists::parse("# file\tconstruct\nx/a.litmus\tCMPXCHG8B\nlkmm/*\tthe kernel's macros\n", page)
                .unwrap();
        let row = |file: &str| Row { file: file.into(), model: "tso".into(), answer: answer(2) };
        let judge = |file: &str, ours: Ours| {
            let (line, kind) = lists.judge(&format!("x/{file}"), &row(file), &ours);
            (line.is_some_and(|line| line.open), kind)
        };
        let refused = || Ours::Refused("no".into());
        assert_eq!(judge("a.litmus", refused()), (false, Kind::Unsupported));
        assert_eq!(judge("c.litmus", refused()), (true, Kind::Unsupported), "refused but not listed");
        assert_eq!(judge("a.litmus", Ours::Answered(answer(2))), (true, Kind::Agreed), "listed but runs");
        assert_eq!(judge("b.litmus", Ours::Answered(answer(4))), (false, Kind::Disagreed));
        assert_eq!(
            judge("b.litmus", Ours::Answered(answer(5))),
            (true, Kind::Disagreed),
            "another difference"
        );
        assert_eq!(judge("b.litmus", Ours::Answered(answer(2))), (true, Kind::Agreed), "explained but gone");
        assert_eq!(judge("c.litmus", Ours::Answered(answer(3))), (true, Kind::Disagreed), "not explained");
        assert_eq!(lists.whole_folder("lkmm"), Some("the kernel's macros"));
    }
}
