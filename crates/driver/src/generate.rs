//! `generate`: litmus tests from cycles of relaxation edges, one or a family.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use wattle_generate::cycle::{Architecture, Cycle, Edge, Family, Names, named_test, test};
pub use wattle_report::Generated;
use wattle_source::did_you_mean;

#[derive(Clone, Debug)]
pub struct Generate {
    pub architecture: Architecture,
    pub what: What,
    /// At most so many.
    pub count: Option<usize>,
    /// Write files here, and a list of them.
    pub out: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub enum What {
    /// The test of one cycle, under a name of the user's or its own.
    One { cycle: String, name: Option<String> },
    /// All cycles of a family, or some of them at random.
    Family { family: Family, seed: Option<u64> },
}

/// The name of the list that `out` gets beside the tests.
pub(crate) const LIST: &str = "@all";

/// Hand out tests, from small to large, until `take` says no. The answer is how many there were.
pub fn generate(request: &Generate, take: &mut dyn FnMut(Generated) -> bool) -> Result<usize, String> {
    let mut folder = request.out.as_deref().map(Folder::open).transpose()?;
    let mut names = UniqueNames::default();
    let (mut made, mut problem) = (0, None);
    let limit = request.count.unwrap_or(usize::MAX);
    let mut visit = |cycle: &Cycle, name: Option<&str>| {
        if made == limit {
            return ControlFlow::Break(());
        }
        let name = names.pick(name.map_or_else(|| test(cycle).name, ToOwned::to_owned));
        let text = named_test(cycle, &name).text;
        let file = match folder.as_mut().map(|folder| folder.write(&name, &text)).transpose() {
            Ok(file) => file,
            Err(message) => {
                problem = Some(message);
                return ControlFlow::Break(());
            }
        };
        let number = made;
        made += 1;
        let open = take(Generated {
            number,
            name,
            architecture: cycle.architecture.name().to_owned(),
            cycle: Names(&cycle.edges, cycle.architecture).to_string(),
            edges: cycle.edges.len(),
            threads: cycle.threads,
            text,
            file,
        });
        if open { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let _ = match &request.what {
        What::One { cycle, name } => {
            let edges = edges(cycle, request.architecture, false)?;
            let cycle = Cycle::new(request.architecture, &edges).map_err(|broken| broken.to_string())?;
            visit(&cycle, name.as_deref())
        }
        What::Family { family, seed: None } => family.each(&mut |cycle| visit(&cycle, None)),
        What::Family { family, seed: Some(seed) } => {
            let sample = family.sample(*seed, request.count.unwrap_or(SAMPLE));
            sample.iter().try_for_each(|cycle| visit(cycle, None))
        }
    };
    match (problem, folder) {
        (Some(message), _) => return Err(message),
        (None, Some(folder)) => folder.finish()?,
        (None, None) => {}
    }
    if made == 0 && limit > 0 {
        return Err("no cycle of that size and number of threads can be made of these edges".into());
    }
    Ok(made)
}

/// The number of tests of a random sample, unless the user gives one.
const SAMPLE: usize = 100;

/// The edges that a text names; with `patterns`, `*` stands for either direction.
pub fn edges(text: &str, architecture: Architecture, patterns: bool) -> Result<Vec<Edge>, String> {
    let mut edges = Vec::new();
    for word in text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty()) {
        let found = match patterns {
            true => Edge::parse_pattern(word, architecture),
            false => Edge::parse(word, architecture).into_iter().collect(),
        };
        if found.is_empty() {
            return Err(unknown_edge(word, architecture));
        }
        edges.extend(found);
    }
    Ok(edges)
}

fn unknown_edge(word: &str, architecture: Architecture) -> String {
    let names: Vec<String> = architecture.edges().iter().map(|edge| edge.name(architecture)).collect();
    let unknown = format!("unknown edge `{word}` for {}", architecture.name());
    match did_you_mean(word, names.iter().map(String::as_str)) {
        Some(hint) => format!("{unknown}: {hint}"),
        None => format!("{unknown} (see `wattle generate --list-edges --arch {}`)", architecture.name()),
    }
}

/// Two cycles may have one name, because a name leaves out what is usual.
#[derive(Default)]
struct UniqueNames {
    used: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl UniqueNames {
    fn pick(&mut self, name: String) -> String {
        if self.used.insert(name.clone()) {
            return name;
        }
        let number = self.next.entry(name.clone()).or_insert(1);
        loop {
            *number += 1;
            let other = format!("{name}-{number}");
            if self.used.insert(other.clone()) {
                return other;
            }
        }
    }
}

/// A folder of tests and the list of them.
struct Folder {
    path: PathBuf,
    list: String,
}

impl Folder {
    fn open(path: &Path) -> Result<Folder, String> {
        fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Folder { path: path.to_path_buf(), list: String::new() })
    }

    fn write(&mut self, name: &str, text: &str) -> Result<PathBuf, String> {
        let file = format!("{}.litmus", name.replace('/', "_"));
        let path = self.path.join(&file);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        self.list.push_str(&file);
        self.list.push('\n');
        Ok(path)
    }

    fn finish(self) -> Result<(), String> {
        let path = self.path.join(LIST);
        fs::write(&path, self.list).map_err(|error| format!("{}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_in_edges_are_recognised() {
        let slip = |text| edges(text, Architecture::Ppc, false).unwrap_err();
        assert_eq!(slip("PodWR Fer"), "unknown edge `Fer` for ppc: did you mean `Fre`?");
        assert_eq!(slip("syncdww"), "unknown edge `syncdww` for ppc: did you mean `SyncdWW`?");
        assert!(slip("Quux").contains("--list-edges"));
        assert_eq!(edges("Pod**,Rfe", Architecture::Ppc, true).map(|edges| edges.len()), Ok(5));
    }

    #[test]
    fn names_are_unique() {
        let mut names = UniqueNames::default();
        let picked = ["SB", "SB-2", "SB", "SB"].map(|name| names.pick(name.to_owned()));
        assert_eq!(picked, ["SB", "SB-2", "SB-3", "SB-4"]);
    }
}
