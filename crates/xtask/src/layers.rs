//! The table of crates in ARCHITECTURE.md against the manifests.
//!
//! The table is the only place that says what a crate may use, so that what people read is what is checked:
//!
//! * every crate has a row, every row is a crate, and each row says what its crate owns;
//! * a row names rows above it, each of which its crate really depends on; a crate depends on nothing but
//!   those and what they may use. `–` is nothing, `all above` every row above;
//! * tests may look around: a `[dev-dependencies]` entry may be any crate above `driver`, and `testing`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    name: String,
    owns: String,
    uses: Uses,
}

#[derive(Debug, PartialEq, Eq)]
enum Uses {
    AllAbove,
    These(Vec<String>),
}

/// What a crate depends on, of ours.
#[derive(Debug, Default, PartialEq, Eq)]
struct Manifest {
    /// `[dependencies]`
    real: Vec<String>,
    /// `[dev-dependencies]`
    tests: Vec<String>,
}

pub fn check(root: &Path, crates: &[String], problems: &mut Vec<String>) {
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap_or_default();
    let manifest = |name: &String| {
        let path = root.join("crates").join(name).join("Cargo.toml");
        (name.clone(), Manifest::parse(&fs::read_to_string(path).unwrap_or_default()))
    };
    let manifests: Vec<(String, Manifest)> = crates.iter().map(manifest).collect();
    problems
        .extend(compare(&rows(&page), &manifests).into_iter().map(|what| format!("ARCHITECTURE.md: {what}")));
}

/// Everything that differs.
fn compare(rows: &[Row], manifests: &[(String, Manifest)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, manifest) in manifests {
        let Some(at) = rows.iter().position(|row| row.name == *name) else {
            wrong.push(format!("crate `{name}` has no row"));
            continue;
        };
        let allowed = allowed(rows, at);
        for used in manifest.real.iter().filter(|used| !allowed.contains(used.as_str())) {
            wrong.push(format!("crate `{name}` must not depend on `{used}`"));
        }
        let for_tests = |used: &str| {
            used == "testing"
                || rows.iter().take_while(|row| row.name != "driver").any(|row| row.name == used)
        };
        for used in manifest.tests.iter().filter(|used| !for_tests(used)) {
            wrong.push(format!("the tests of `{name}` must not depend on `{used}`"));
        }
        if let Uses::These(named) = &rows[at].uses {
            for unused in named.iter().filter(|named| !manifest.real.contains(named)) {
                wrong.push(format!("`{name}` may use `{unused}`, but does not depend on it"));
            }
        }
    }
    for (at, row) in rows.iter().enumerate() {
        if !manifests.iter().any(|(name, _)| *name == row.name) {
            wrong.push(format!("there is no crate `{}`", row.name));
        }
        if row.owns.is_empty() {
            wrong.push(format!("the row of `{}` does not say what it owns", row.name));
        }
        if rows[..at].iter().any(|above| above.name == row.name) {
            wrong.push(format!("`{}` has two rows", row.name));
        }
        if let Uses::These(named) = &row.uses {
            for below in named.iter().filter(|named| !rows[..at].iter().any(|above| above.name == **named)) {
                wrong.push(format!("the row of `{}` names `{below}`, which is no row above it", row.name));
            }
        }
    }
    wrong
}

/// Everything that the crate of a row may use, directly or not. Rows name rows above them, so this ends.
fn allowed(rows: &[Row], at: usize) -> BTreeSet<&str> {
    let above = &rows[..at];
    match &rows[at].uses {
        Uses::AllAbove => above.iter().map(|row| row.name.as_str()).collect(),
        Uses::These(named) => {
            let positions = named.iter().filter_map(|name| above.iter().position(|row| row.name == *name));
            positions
                .flat_map(|used| [BTreeSet::from([rows[used].name.as_str()]), allowed(rows, used)])
                .flatten()
                .collect()
        }
    }
}

/// The rows under the head `| crate | owns | may use |`.
fn rows(page: &str) -> Vec<Row> {
    let table = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    table.take_while(|line| line.starts_with('|')).map(row).collect()
}

fn row(line: &str) -> Row {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    let mut cells = inner.split(" | ").map(str::trim);
    let name = cells.next().unwrap_or_default().trim_matches('`').to_owned();
    let owns = cells.next().unwrap_or_default().to_owned();
    let uses = match cells.next().unwrap_or_default() {
        "–" => Uses::These(Vec::new()),
        "all above" => Uses::AllAbove,
        named => Uses::These(named.split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect()),
    };
    Row { name, owns, uses }
}

impl Manifest {
    fn parse(text: &str) -> Manifest {
        let mut manifest = Manifest::default();
        let mut section = "";
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            } else if let Some(rest) = line.strip_prefix("wattle-") {
                let name = rest.split([' ', '.', '=']).next().unwrap_or(rest).to_owned();
                match section {
                    "[dependencies]" | "[build-dependencies]" => manifest.real.push(name),
                    "[dev-dependencies]" => manifest.tests.push(name),
                    _ => {}
                }
            }
        }
        manifest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Title\n\n| crate | owns | may use |\n|---|---|---|\n| `logic` | terms | – |\n\
                        | `program` | graphs: `a`, `b` | logic |\n| `engine` | the contract | program |\n\
                        | `driver` | commands | all above |\n| `testing` | a suite | engine |\n\nMore.\n";

    fn manifest(name: &str, real: &[&str], tests: &[&str]) -> (String, Manifest) {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        (name.into(), Manifest { real: owned(real), tests: owned(tests) })
    }

    fn manifests() -> Vec<(String, Manifest)> {
        vec![
            manifest("logic", &[], &["testing"]),
            manifest("program", &["logic"], &["engine"]),
            manifest("engine", &["program", "logic"], &[]),
            manifest("driver", &["engine"], &["testing"]),
            manifest("testing", &["engine", "logic"], &[]),
        ]
    }

    #[test]
    fn a_table_that_is_right() {
        assert_eq!(rows(PAGE).len(), 5);
        assert_eq!(compare(&rows(PAGE), &manifests()), Vec::<String>::new());
    }

    /// Each part of the table, changed, is noticed.
    #[test]
    fn every_column_counts() {
        let changed = |from: &str, to: &str| compare(&rows(&PAGE.replace(from, to)), &manifests());
        assert_eq!(
            changed("`logic`", "`logics`"),
            [
                "crate `logic` has no row",
                "crate `program` must not depend on `logic`",
                "crate `engine` must not depend on `logic`",
                "crate `testing` must not depend on `logic`",
                "there is no crate `logics`",
                "the row of `program` names `logic`, which is no row above it",
            ]
        );
        assert_eq!(changed("the contract", ""), ["the row of `engine` does not say what it owns"]);
        assert_eq!(changed("| program |", "| logic |"), ["crate `engine` must not depend on `program`"],);
        assert_eq!(
            changed("| a suite | engine |", "| a suite | engine, program |"),
            ["`testing` may use `program`, but does not depend on it"]
        );
        assert_eq!(
            changed("| `testing` |", "| `engine` |"),
            ["crate `testing` has no row", "`engine` has two rows"]
        );
    }

    #[test]
    fn tests_may_look_around_but_not_at_commands() {
        let mut manifests = manifests();
        manifests[1].1.tests.push("driver".into());
        assert_eq!(compare(&rows(PAGE), &manifests), ["the tests of `program` must not depend on `driver`"]);
    }

    #[test]
    fn real_dependencies_are_told_from_those_of_tests() {
        let text = "[dependencies]\nwattle-logic.workspace = true\nclap = \"4\"\n\
                    wattle-engine = { path = \"x\" }\n[dev-dependencies]\nwattle-testing.workspace = true\n";
        assert_eq!(manifest("", &["logic", "engine"], &["testing"]).1, Manifest::parse(text));
    }
}
