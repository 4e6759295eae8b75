//! Reading `wattle:` comments.

const WORDS: [&str; 5] = ["safe", "unsafe", "bounded", "unknown", "error"];

/// How comments begin in the languages that wattle reads.
const STARTS: [&str; 4] = ["//", "/*", "#", "(*"];

/// One comment: models, the verdict under each, and further facts.
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
    /// The verdict about deadlock: `safe` or `unsafe`.
    Deadlock(String),
    /// The search goes up to this many pending operations a thread; if it closes, then with no
    /// fewer.
    Capacity(Option<usize>),
}

/// The lines of rows that wait for engines to come (`// later: …`).
pub fn later(text: &str) -> Vec<u32> {
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
            result.push(one(line_number, comment.trim()).map_err(|why| (line_number, why))?);
        }
    }
    Ok(result)
}

/// What follows `word` at the beginning of a comment.
fn comment<'a>(line: &'a str, start: &str, word: &str) -> Option<&'a str> {
    line.match_indices(start).find_map(|(at, _)| line[at + start.len()..].trim_start().strip_prefix(word))
}

fn one(line: u32, text: &str) -> Result<Expectation, String> {
    // The commas between models bind tighter than those between facts: models are one word.
    let (models, rest) = match text.split_once(char::is_whitespace) {
        Some((models, rest)) => (models, rest.trim()),
        None => return Err(format!("expected `MODEL VERDICT`, found `{text}`")),
    };
    let models: Vec<String> = models.split(',').map(str::trim).map(ToOwned::to_owned).collect();
    if models.iter().any(String::is_empty) {
        return Err("expected models separated by commas without blanks".into());
    }
    let mut facts = rest.split(',').map(str::trim);
    let verdict = facts.next().unwrap_or_default().to_owned();
    if !WORDS.contains(&verdict.as_str()) {
        return Err(format!("expected one of {}, found `{verdict}`", WORDS.join(", ")));
    }
    let keys = facts.map(key).collect::<Result<_, _>>()?;
    Ok(Expectation { line, models, verdict, keys })
}

fn key(text: &str) -> Result<Key, String> {
    let (name, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let value = value.trim();
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
        "capacity" if value == "?" => Key::Capacity(None),
        "capacity" => Key::Capacity(Some(number()? as usize)),
        "deadlock" if ["safe", "unsafe"].contains(&value) => Key::Deadlock(value.to_owned()),
        "deadlock" => return Err(format!("expected `safe` or `unsafe` after `deadlock`, found `{value}`")),
        _ => {
            let known = "fix, source, kinds, states, outcomes, executions, capacity, deadlock";
            return Err(format!("unknown key `{name}` (known: {known})"));
        }
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
        ] {
            assert!(expectations(text).is_err(), "{text}");
        }
    }
}
