//! The examples of the pages, run through the commands that their readers have.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattle_driver::engines::ENGINES;

use super::{command, here};

fn root() -> PathBuf {
    here().join("../../../..")
}

/// Every page of the documentation and its text.
fn pages() -> BTreeMap<String, String> {
    let folder = fs::read_dir(root().join("docs")).expect("there are pages");
    let docs = folder.map(|entry| entry.expect("a page").path());
    let pages = docs.chain(["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name)));
    let markdown = pages.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    // The index has the name of the page at the root.
    let name =
        |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string().replace('/', "-");
    markdown.map(|path| (name(&path), fs::read_to_string(&path).expect("text"))).collect()
}

/// The blocks of a language, with page and number.
fn blocks(language: &str) -> Vec<(String, String)> {
    let start = format!("```{language}\n");
    let all = pages();
    let blocks = all.iter().flat_map(|(page, text)| {
        let parts = text.split(&start).skip(1).enumerate();
        parts.map(move |(number, part)| {
            let block = part.split("```").next().unwrap_or_default();
            (format!("{page}-{number}"), block.to_owned())
        })
    });
    blocks.collect()
}

/// The index leads to every page, the overview to the index, and every engine's page says what it cannot do.
#[test]
fn every_page_is_found() {
    let pages = pages();
    let index = &pages["docs-README.md"];
    for name in pages.keys().filter_map(|name| name.strip_prefix("docs-")).filter(|name| *name != "README.md")
    {
        assert!(index.contains(&format!("]({name})")), "docs/README.md does not lead to {name}");
    }
    assert!(pages["README.md"].contains("](docs/README.md)"), "README.md does not lead to the index");
    for engine in ENGINES {
        let page = pages.get(&format!("docs-{}.md", engine.name));
        let page = page.unwrap_or_else(|| panic!("engine {} has no page", engine.name));
        assert!(page.contains("\n## Limits\n"), "the page of {} has no limits", engine.name);
    }
}

/// A folder for the files of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("wattle-pages-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn printed(arguments: &[&str], folder: &Path) -> (String, Option<i32>) {
    let output = command(arguments).current_dir(folder).output().expect("wattle runs");
    (String::from_utf8(output.stdout).expect("text"), output.status.code())
}

#[test]
fn programs_are_what_their_comments_say() {
    let folder = Folder::new("programs");
    for (language, count) in [("wtl", 11), ("c", 2)] {
        let blocks = blocks(language);
        assert!(blocks.len() >= count, "{}", blocks.len());
        for (name, text) in &blocks {
            let file = folder.write(&format!("{name}.{language}"), text);
            let (printed, code) = printed(&["test", &file, "--no-timing"], &folder.0);
            assert!(code == Some(0) && !printed.starts_with('0'), "{name}:\n{printed}");
        }
    }
}

/// No read-modify-write reads what it writes itself, and none is lost between the two halves of another.
#[test]
fn models_are_right_about_read_modify_writes() {
    let folder = Folder::new("models");
    let alone =
        folder.write("XCHG.litmus", "X86 XCHG\n{ 0:EAX=1; }\n P0 ;\n XCHG [x],EAX ;\nexists (0:EAX=1)\n");
    let two = folder.write(
        "two.wtl",
        "shared x: 0..3; thread p[2] { local r: 0..3; r = fetch_add(x, 1); } finally x == 2;",
    );
    let marked = folder.write(
        "relaxed.wtl",
        "shared x: 0..3; thread p[2] { local r: 0..3; r = fetch_add(x, 1, relaxed); } finally x == 2;",
    );
    let mut models: Vec<String> =
        (blocks("cat").iter()).map(|(name, text)| folder.write(&format!("{name}.cat"), text)).collect();
    assert_eq!(models.len(), 4);
    let own = fs::read_dir(root().join("models")).expect("models");
    models.extend(own.map(|entry| {
        let path = entry.expect("a model").path();
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }));
    assert_eq!(models.len(), 4 + 11);
    for model in &models {
        // C11 has no XCHG.
        if model != "rc11" && !["power", "power-2012", "arm", "aarch64", "riscv"].contains(&&**model) {
            let (printed, _) = printed(&["outcomes", &alone, "--model", model, "-q"], &folder.0);
            assert_eq!(printed, "Observation XCHG Never 0 1\n", "{model}");
        }
        for file in [&two, &marked] {
            let (printed, code) = printed(&["check", file, "--model", model, "--no-timing"], &folder.0);
            assert_eq!(code, Some(0), "{model}:\n{printed}");
        }
    }
}

/// The words of a command, as a shell takes them: what stands in double quotes is one.
fn words(line: &str) -> Vec<&str> {
    let quoted = line.split('"').enumerate();
    let words = quoted.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}

/// A line `…` of a page stands for any lines.
fn is_shown(found: &[&str], shown: &[&str]) -> bool {
    match (found, shown) {
        (_, ["…", rest @ ..]) => (0..=found.len()).any(|left_out| is_shown(&found[left_out..], rest)),
        ([line, found @ ..], [other, shown @ ..]) => line == other && is_shown(found, shown),
        _ => found.is_empty() && shown.is_empty(),
    }
}

/// What a page shows after `$ wattle …` is what wattle prints. Files are those of the tests, or of the
/// repository.
#[test]
fn commands_print_what_the_pages_show() {
    let mut run = 0;
    for (name, block) in blocks("text") {
        for example in block.split("$ ").skip(1) {
            let (line, shown) = example.split_once('\n').unwrap_or((example, ""));
            let (line, most) = match line.split_once(" | head -") {
                Some((line, most)) => (line, most.trim().parse().expect("a number")),
                None => (line, usize::MAX),
            };
            let words = words(line);
            let ours =
                words.iter().any(|word| ["corpus/", "examples/"].iter().any(|it| word.starts_with(it)));
            let folder = if ours { root() } else { here().join("inputs") };
            let found = match words[..] {
                ["wattle", ref arguments @ ..] => printed(arguments, &folder).0,
                ["cat", file] => fs::read_to_string(folder.join(file)).expect("the file"),
                _ => panic!("{name}: {line}"),
            };
            let found: Vec<&str> = found.trim_end().lines().take(most).collect();
            let shown: Vec<&str> = shown.trim_end().lines().collect();
            assert!(is_shown(&found, &shown), "{name}: {line}\n{}", found.join("\n"));
            run += 1;
        }
    }
    assert!(run >= 7, "{run}");
}
