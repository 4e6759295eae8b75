//! Tests that diy made, made again by us from their cycles.
//!
//! The header of such a file names its cycle. From the cycle alone our generator makes a test; where
//! the two are the same program (the same accesses and fences in each thread, as many things observed),
//! our test must have the observation, the states and the executions that the table has for the
//! file, under the table's model. So the generator, the front end, the models and the engine are
//! checked against herd's answers at once, on texts that herd never saw.

use std::collections::BTreeMap;
use std::fs;

use libtest_mimic::Trial;
use wattle_bench::tables::{Answer, Row, data, rows};
use wattle_driver::engines::Settings;
use wattle_driver::outcomes::{Outcomes, outcomes};
use wattle_driver::{Input, Watch, load, models};
use wattle_engine::Budget;
use wattle_generate::cycle::{Architecture, Cycle, Edge, named_test};
use wattle_program::{Op, Program};
use wattle_report::OutcomesVerdict;

use crate::{Checked, case};

/// Folder, architecture, and at least how many of its rows are covered: fewer would mean that tests
/// are passed over.
pub const FOLDERS: [(&str, Architecture, usize); 7] = [
    ("x86-diy", Architecture::X86, 1396),
    ("x86", Architecture::X86, 33),
    ("ppc-diy", Architecture::Ppc, 1463),
    ("ppc", Architecture::Ppc, 380),
    ("arm", Architecture::Arm, 30),
    ("aarch64", Architecture::Aarch64, 206),
    ("riscv", Architecture::Riscv, 673),
];

pub fn rows_of((name, architecture, least): (&str, Architecture, usize)) -> Result<Vec<Trial>, String> {
    let folder = data().join(name);
    let mut trials = Vec::new();
    let mut passed_over: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows(&folder)? {
        let path = folder.join(&row.file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        match again(&text, architecture) {
            Ok(made) => {
                let what = format!("cycles {name}/{} {}", row.file, row.model);
                trials.push(case(what, move || agrees(&row, &text, &made)));
            }
            Err(why) => *passed_over.entry(why).or_default() += 1,
        }
    }
    let made = trials.len();
    trials.push(case(format!("cycles {name}: enough rows are made again"), move || match made >= least {
        true => Ok(()),
        false => Err(format!("{made}, and {least} were once; passed over: {passed_over:?}").into()),
    }));
    Ok(trials)
}

fn agrees(row: &Row, text: &str, made: &str) -> Checked {
    let request = Outcomes {
        model: Some(models::resolve(&row.model, false)?),
        engine: None,
        settings: Settings::default(),
        budget: Budget { time: None, memory: None, states: None, work: None },
        atomic_copy: false,
    };
    let summary = |text: &str| summary(&request, &Input::text(&row.file, "litmus", text));
    let (expected, found) = (expected(&row.answer), summary(made)?);
    // Where we differ from herd about the file as well, that is a row for docs/herd-differences.md, which
    // is the business of the tables and says nothing about the generator.
    match found == expected || found == summary(text)? {
        true => Ok(()),
        false => Err(format!("expected {expected}, found {found}\n{made}").into()),
    }
}

/// Observation, states and executions.
fn summary(request: &Outcomes, input: &Input) -> Result<String, String> {
    let report = outcomes(request, input, &Watch::default())?;
    Ok(match &report.verdict {
        OutcomesVerdict::Listed(listing) => {
            let executions = listing.executions().unwrap_or(0);
            format!("{} {} {executions}", listing.observation(), listing.states.len())
        }
        other => format!("{other:?}"),
    })
}

fn expected(answer: &Answer) -> String {
    format!("{} {} {}", answer.observation, answer.states, answer.executions.unwrap_or(0))
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
