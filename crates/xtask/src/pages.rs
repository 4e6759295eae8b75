//! Files that CONTRIBUTING.md names exist, so that the page cannot rot.

use std::fs;
use std::path::Path;

/// The section with the table of what to touch, and what follows it there.
const HEADING: &str = "## To add X, touch Y";

pub fn check(root: &Path, problems: &mut Vec<String>) {
    let page = fs::read_to_string(root.join("CONTRIBUTING.md")).unwrap_or_default();
    let paths = paths(&page);
    if paths.is_empty() {
        problems.push(format!("CONTRIBUTING.md: no path under `{HEADING}`"));
    }
    for path in paths.iter().filter(|path| !root.join(path).exists()) {
        problems.push(format!("CONTRIBUTING.md: `{path}` does not exist"));
    }
}

/// What the section names between backticks that is a path: it has a `/` or the ending of a file. Words with a
/// space are commands and comments; with `…`, patterns.
fn paths(page: &str) -> Vec<&str> {
    let section = page.split_once(HEADING).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let quoted = section.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let is_path = |word: &&str| {
        let file = [".rs", ".md", ".tsv", ".cat", ".toml"].iter().any(|ending| word.ends_with(ending));
        (word.contains('/') || file) && !word.contains([' ', '…'])
    };
    quoted.filter(is_path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_words() {
        let page = "# A\n`no/path`\n## To add X, touch Y\n\n| a | `Engine` in `crates/a.rs`, `folder/` |\n\
                    | b | `crates/engine-…`, `cargo run a/b`, `schema.rs` |\n\n`docs/x.md`\n\n## Habits\n`other/path`\n";
        assert_eq!(paths(page), ["crates/a.rs", "folder/", "schema.rs", "docs/x.md"]);
    }
}
