//! Tests that diy made, made again by us from their cycles.
//!
//! The header of such a file names its cycle. From the cycle alone our generator makes a test; where
//! the two are the same program (the same accesses and fences in each thread, as many things observed),
//! our test must have the observation, the states and the executions that the table has for the
//! file, under the table's model. So the generator, the front end, the models and the engine are
//! checked against herd's answers at once, on texts that herd never saw.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Watch, load, models};
use wattle_engine::Budget;
use wattle_generate::cycle::{Architecture, Cycle, Edge, named_test};
use wattle_program::{Op, Program};
use wattle_report::OutcomesVerdict;

/// Folder, architecture, and at least how many of its rows are covered: fewer would mean that tests
/// are passed over.
const FOLDERS: [(&str, Architecture, usize); 7] = [
    ("x86-diy", Architecture::X86, 1396),
    ("x86", Architecture::X86, 33),
    ("ppc-diy", Architecture::Ppc, 1463),
    ("ppc", Architecture::Ppc, 380),
    ("arm", Architecture::Arm, 30),
    ("aarch64", Architecture::Aarch64, 206),
    ("riscv", Architecture::Riscv, 673),
];

fn data() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.join("shared/data/litmus");
    here.is_dir().then_some(here)
}

#[derive(Debug, Default)]
struct Covered {
    rows: usize,
    compared: usize,
    wrong: Vec<String>,
    /// Rows in which our answer differs from the table's, but equally for the file itself.
    as_the_file: usize,
    /// Rows that are not compared, by reason.
    passed_over: BTreeMap<&'static str, usize>,
}

#[test]
fn cycles_of_the_tables_made_again() {
    let Some(data) = data() else {
        println!("ignored: ../shared/data/litmus is absent");
        return;
    };
    let mut wrong = Vec::new();
    for (folder, architecture, least) in FOLDERS {
        let covered = run(&data.join(folder), architecture);
        let Covered { rows, compared, as_the_file, passed_over, .. } = &covered;
        println!(
            "{folder}: {compared} of {rows} rows made again, {as_the_file} of them unlike the table, as \
             their files are; passed over: {passed_over:?}"
        );
        assert_eq!(compared + passed_over.values().sum::<usize>(), *rows);
        assert!(*compared >= least, "{folder}: {compared} rows are compared, {least} were once");
        wrong.extend(covered.wrong);
    }
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

fn run(folder: &Path, architecture: Architecture) -> Covered {
    let mut covered = Covered::default();
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, model, observation, _, states, executions, ..] = cells[..] else { panic!("{line}") };
        covered.rows += 1;
        let mut pass = |why| *covered.passed_over.entry(why).or_default() += 1;
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let made = match again(&text, architecture) {
            Ok(made) => made,
            Err(why) => {
                pass(why);
                continue;
            }
        };
        let request = Outcomes {
            model: Some(models::resolve(model, false).unwrap()),
            engine: None,
            settings: Settings::default(),
            budget: Budget { time: None, memory: None, states: None, work: None },
            atomic_copy: false,
        };
        let input = Input::text(file, "litmus", &made);
        covered.compared += 1;
        let found = summary(&request, &input);
        let expected = format!("{observation} {states} {executions}");
        if found != expected && summary(&request, &Input::text(file, "litmus", &text)) == found {
            // We differ from herd about the file as well: a row for docs/herd-differences.md, which is
            // the business of the tables and says nothing about the generator.
            covered.as_the_file += 1;
        } else if found != expected {
            covered.wrong.push(format!("{file} {model}: expected {expected}, found {found}\n{made}"));
        }
    }
    covered
}

/// Observation, states and executions.
fn summary(request: &Outcomes, input: &Input) -> String {
    let report = outcomes(request, input, &Watch::default()).unwrap();
    match &report.verdict {
        OutcomesVerdict::Listed(listing) => {
            let executions = listing.executions().unwrap_or(0);
            format!("{} {} {executions}", listing.observation(), listing.states.len())
        }
        other => format!("{other:?}"),
    }
}

/// Our test of the cycle that a file claims to be, if the file is that test.
fn again(text: &str, architecture: Architecture) -> Result<String, &'static str> {
    let header = |key| text.lines().find_map(|line| line.strip_prefix(key));
    let quoted = || text.lines().nth(1)?.trim().strip_prefix('"')?.strip_suffix('"');
    let cycle = header("Orig=").or_else(quoted).ok_or("no cycle in the header")?;
    let edges: Option<Vec<Edge>> =
        cycle.split_whitespace().map(|name| Edge::parse(name, architecture)).collect();
    let edges = edges.ok_or("an edge that we do not make")?;
    let cycle = Cycle::new(architecture, &edges).map_err(|_| "a cycle that we refuse")?;
    let made = named_test(&cycle, "again").text;
    let condition = text.rsplit_once("exists").map_or("", |(_, condition)| condition);
    if condition.is_empty()
        || condition.contains("\\/")
        || condition.contains("not")
        || text.contains("~exists")
    {
        return Err("a condition of another form");
    }
    let parse = |text: &str| load(&Input::text("again", "litmus", text)).map(|loaded| loaded.parsed.program);
    let theirs = parse(text).map_err(|_| "a file that we do not read")?;
    let ours = parse(&made).expect("what we make we read");
    match skeleton(&theirs) == skeleton(&ours) && theirs.observed.len() == ours.observed.len() {
        true => Ok(made),
        false => Err("the file is not the test of its cycle"),
    }
}

/// The accesses and fences of each thread.
fn skeleton(program: &Program) -> Vec<Vec<String>> {
    let one = |op: &Op| match op {
        Op::Load { tags, .. } => Some(format!("R{tags:?}")),
        Op::Store { tags, .. } => Some(format!("W{tags:?}")),
        Op::Fence(fence) => Some(fence.tag.to_string()),
        Op::Assign { .. } => None,
        other => Some(format!("{other:?}")),
    };
    let threads = program.processes.iter();
    threads
        .map(|process| {
            let edges = process.cfg.edges.iter();
            // A branch that skips something is not the branch of a dependency.
            let ends = edges.clone().filter(|edge| process.cfg.leaving(edge.to).next().is_none()).count();
            let ops = edges.flat_map(|edge| edge.ops.iter().filter_map(one));
            ops.chain([format!("{ends} ends")]).collect()
        })
        .collect()
}
