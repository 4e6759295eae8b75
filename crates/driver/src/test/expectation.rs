//! Reading `wattle:` comments. docs/test.md says how they are written.

const WORDS: [&str; 5] = ["safe", "unsafe", "bounded", "unknown", "error"];

/// What more may be said of a row.
const KEYS: [&str; 9] =
    ["fix", "source", "kinds", "states", "outcomes", "executions", "capacity", "deadlock", "copies"];

/// How comments begin in the languages that wattle reads.
const STARTS: [&str; 4] = ["//", "/*", "#", "(*"];

/// One row: models, the verdict under each, and further facts. A comment has one or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    pub line: u32,
    pub models: Vec<String>,
    pub verdict: String,
    pub keys: Vec<Key>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Fewest fences, copies counted one by one.
    Fix(usize),
    /// Fewest fences in the text.
    Source(usize),
    /// Of which kinds they are (of a repair that is one of the fewest), in the order of the alphabet.
    Kinds(Vec<String>),
    /// How many states the plain search visits; `?`: not written down yet.
    States(Option<u64>),
    /// How many final states differ in what is observed.
    Outcomes(usize),
    /// How many executions end, under a model with axioms.
    Executions(u64),
    /// With so many copies of every process whose text leaves that open.
    Copies(u32),
    /// The verdict about deadlock: `safe` or `unsafe`.
    Deadlock(String),
    /// The search goes up to this many pending operations a thread; if it closes, then with no
    /// fewer.
    Capacity(Option<usize>),
}

/// The lines of rows that wait for engines to come (`// later: …`).
pub(crate) fn later(text: &str) -> Vec<u32> {
    let is_later = |line: &str| STARTS.iter().any(|start| comment(line, start, "later:").is_some());
    (text.lines().zip(1..)).filter(|(line, _)| is_later(line)).map(|(_, number)| number).collect()
}

/// All expectations of a text, or the line of one that makes no sense, and why.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, (u32, String)> {
    let mut result = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number as u32 + 1;
        if let Some(comment) = STARTS.iter().find_map(|start| comment(line, start, "wattle:")) {
            let comment = comment.trim();
            let comment = comment.strip_suffix("*/").or(comment.strip_suffix("*)")).unwrap_or(comment);
            result.extend(rows(line_number, comment.trim()).map_err(|why| (line_number, why))?);
        }
    }
    Ok(result)
}

/// What follows `word` at the beginning of a comment.
fn comment<'a>(line: &'a str, start: &str, word: &str) -> Option<&'a str> {
    line.match_indices(start).find_map(|(at, _)| line[at + start.len()..].trim_start().strip_prefix(word))
}

/// `MODEL[,MODEL] VERDICT[, KEY VALUE]*`, and after a comma more of the same. A part is about new
/// models unless it begins with a key.
fn rows(line: u32, text: &str) -> Result<Vec<Expectation>, String> {
    let mut rows: Vec<Expectation> = Vec::new();
    for part in parts(text)? {
        let (name, value) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        match rows.last_mut() {
            Some(row) if KEYS.contains(&name) => row.keys.push(key(name, value.trim())?),
            _ => rows.push(row(line, name, value.trim())?),
        }
    }
    Ok(rows)
}

/// What stands between commas. Between models there is a comma without a blank, which is none of
/// these.
fn parts(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(',') {
        // A list of models is one word, so a comma in a word that has nothing after it yet belongs to one.
        let joins = text[at + 1..].starts_with(|next: char| !next.is_whitespace());
        if joins && !text[start..at].trim_start().contains(char::is_whitespace) {
            continue;
        }
        parts.push(text[start..at].trim());
        start = at + 1;
    }
    parts.push(text[start..].trim());
    match parts.iter().any(|part| part.is_empty()) {
        true => Err("expected something between the commas".into()),
        false => Ok(parts),
    }
}

fn row(line: u32, models: &str, verdict: &str) -> Result<Expectation, String> {
    if verdict.is_empty() {
        let known = KEYS.join(", ");
        return Err(format!("expected `MODEL VERDICT` or a key ({known}), found `{models}`"));
    }
    if !WORDS.contains(&verdict) {
        return Err(match models.contains(',') {
            true => format!("expected one of {}, found `{verdict}`", WORDS.join(", ")),
            false => format!(
                "expected one of {} after a model, or one of the keys {}; found `{models} {verdict}`",
                WORDS.join(", "),
                KEYS.join(", ")
            ),
        });
    }
    let models: Vec<String> = models.split(',').map(ToOwned::to_owned).collect();
    if models.iter().any(String::is_empty) {
        return Err("expected models separated by commas without blanks".into());
    }
    Ok(Expectation { line, models, verdict: verdict.to_owned(), keys: vec![] })
}

fn key(name: &str, value: &str) -> Result<Key, String> {
    let number =
        || value.parse::<u64>().map_err(|_| format!("expected a number after `{name}`, found `{value}`"));
    Ok(match name {
        "fix" => Key::Fix(number()? as usize),
        "source" => Key::Source(number()? as usize),
        "kinds" if !value.is_empty() => {
            let mut kinds: Vec<String> = value.split_whitespace().map(ToOwned::to_owned).collect();
            kinds.sort();
            Key::Kinds(kinds)
        }
        "states" if value == "?" => Key::States(None),
        "states" => Key::States(Some(number()?)),
        "outcomes" => Key::Outcomes(number()? as usize),
        "executions" => Key::Executions(number()?),
        "copies" => Key::Copies(u32::try_from(number()?).map_err(|_| "too many copies".to_owned())?),
        "capacity" if value == "?" => Key::Capacity(None),
        "capacity" => Key::Capacity(Some(number()? as usize)),
        "deadlock" if ["safe", "unsafe"].contains(&value) => Key::Deadlock(value.to_owned()),
        "deadlock" => return Err(format!("expected `safe` or `unsafe` after `deadlock`, found `{value}`")),
        _ => return Err(format!("expected a value after `{name}`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_both_languages_are_read() {
        let text = "// wattle: sc,tso safe, states 12\nx = 1; // wattle: pso unsafe, fix 2, source 1\n\
                    /* wattle: tso bounded, capacity 3, deadlock unsafe */\n// wattle is a tree\n";
        let found = expectations(text).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].models, ["sc", "tso"]);
        assert_eq!(found[0].keys, [Key::States(Some(12))]);
        assert_eq!((found[1].line, found[1].verdict.as_str()), (2, "unsafe"));
        assert_eq!(found[1].keys, [Key::Fix(2), Key::Source(1)]);
        assert_eq!(found[2].keys, [Key::Capacity(Some(3)), Key::Deadlock("unsafe".into())]);
    }

    #[test]
    fn a_comment_may_speak_of_several_models_in_turn() {
        let text = "// wattle: sc safe, states 3, tso,pso unsafe, fix 2, deadlock safe, rma bounded";
        let found = expectations(text).unwrap();
        let rows: Vec<(String, &str, usize)> =
            (found.iter()).map(|row| (row.models.join("+"), row.verdict.as_str(), row.keys.len())).collect();
        let expected = [("sc", "safe", 1), ("tso+pso", "unsafe", 2), ("rma", "bounded", 0)];
        assert_eq!(rows, expected.map(|(models, verdict, keys)| (models.to_owned(), verdict, keys)));
        assert!(found.iter().all(|row| row.line == 1));
        // A comma without a blank is as good between facts.
        assert_eq!(expectations("// wattle: sc safe,states 3,tso unsafe").unwrap().len(), 2);
    }

    #[test]
    fn kinds_are_a_list_of_words() {
        let found = expectations("// wattle: power unsafe, fix 2, kinds sync lwsync").unwrap();
        assert_eq!(found[0].keys, [Key::Fix(2), Key::Kinds(vec!["lwsync".into(), "sync".into()])]);
        assert!(expectations("// wattle: power unsafe, kinds").is_err());
    }

    #[test]
    fn slips_are_errors_and_not_missing_rows() {
        for text in [
            "// wattle: tso",
            "// wattle: tso saef",
            "// wattle: tso safe, stats 3",
            "// wattle: tso, pso safe",
            "// wattle: tso safe, pso",
            "// wattle: tso safe,, pso safe",
            "// wattle: tso,,pso safe",
            "// wattle: tso safe, fix",
        ] {
            assert!(expectations(text).is_err(), "{text}");
        }
    }
}
