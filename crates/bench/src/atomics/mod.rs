//! Tests with exclusives and atomics, for RISC-V and AArch64.
//!
//! Engines share front end and models, so that all of them are wrong together where one of these is.
//! Therefore two comparisons:
//!
//! * `agree --atomics COUNT [SEED]`: generated tests, on which `enumerate`, `bmc` and the naive evaluator
//!   must agree, and each with what the manual's rules say of the cycle (`rules`).
//! * `corpus/litmus/atomics.tsv`: 200 cycles with the answer and the rules that decide it. Both were derived
//!   from the manuals by `rules`, which shares nothing with the models; the rows on top are corner
//!   cases, argued by hand. `agree --atomics-table` prints rows for cycles on standard input.

mod arm;
mod riscv;
mod rules;

use std::ops::ControlFlow;

use wattle_driver::{Input, load};
use wattle_engine::{Engine, Property, Run, Task, Verdict};
use wattle_engine_bmc::{Bmc, Formulated};
use wattle_engine_enumerate::Enumerate;
use wattle_generate::cycle::{Architecture, Cycle, Edge, Family, Names, test};
use wattle_judge::confirm;
use wattle_memory::candidates::{Limits, for_each};
use wattle_memory::operational::View;
use wattle_memory::{MemoryModel, axiomatic, find};
use wattle_program::{Program, Shape, passes};

use rules::{Argument, argue};

const ARCHITECTURES: [Architecture; 2] = [Architecture::Riscv, Architecture::Aarch64];

/// More candidates than this are not tried by the naive evaluator.
const MOST: u64 = 2_000_000;

/// All fences, and same-location edges beside those that the family has.
fn family(architecture: Architecture) -> Family {
    let mut family = Family::atomics(architecture);
    let fence = |edge: &&Edge| edge.is_order() && !edge.is_from_result();
    let more: Vec<Edge> = architecture.edges().iter().filter(fence).copied().collect();
    family.edges.extend(more.into_iter().filter(|edge| edge.changes_location()));
    family
}

pub(crate) fn run(count: usize, seed: u64) -> Result<bool, String> {
    let mut failed = 0;
    for architecture in ARCHITECTURES {
        let cycles = family(architecture).sample(seed, count);
        let mut allowed = 0;
        let mut wrong = Vec::new();
        for cycle in &cycles {
            match judge(cycle) {
                Ok(answer) => allowed += usize::from(answer),
                Err(why) => wrong.push(format!("{}: {why}", Names(&cycle.edges, architecture))),
            }
        }
        wrong.iter().for_each(|line| println!("{line}"));
        let name = architecture.name();
        println!("{name}: {} tests, {allowed} allowed, {} failed", cycles.len(), wrong.len());
        failed += wrong.len() + count.saturating_sub(cycles.len());
    }
    Ok(failed == 0)
}

/// Rows of the table for the cycles on standard input (an architecture and edges on each line); without
/// any, rows for random cycles, as many allowed as forbidden.
pub(crate) fn rows(count: usize, seed: u64) -> Result<bool, String> {
    let text = std::io::read_to_string(std::io::stdin()).map_err(|error| error.to_string())?;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (cycle, _) = line.split_once('#').unwrap_or((line, ""));
        let (architecture, edges) = cycle.trim().split_once(' ').ok_or("an architecture and edges")?;
        println!("{}", row(&parse(architecture, edges)?));
    }
    for architecture in ARCHITECTURES.into_iter().filter(|_| text.trim().is_empty()) {
        let cycles = family(architecture).sample(seed, 40 * count);
        for allowed in [true, false] {
            let alike = cycles.iter().filter(|cycle| argue(cycle).allowed == allowed);
            alike.take(count / 2).for_each(|cycle| println!("{}", row(cycle)));
        }
    }
    Ok(true)
}

fn row(cycle: &Cycle) -> String {
    let Argument { allowed, rules } = argue(cycle);
    let answer = if allowed { "allowed" } else { "forbidden" };
    let edges = Names(&cycle.edges, cycle.architecture);
    format!("{}\t{edges}\t{answer}\t{rules}", cycle.architecture.name())
}

fn parse(architecture: &str, edges: &str) -> Result<Cycle, String> {
    let architecture = Architecture::find(architecture).ok_or_else(|| format!("{architecture}: unknown"))?;
    let edge = |name| Edge::parse(name, architecture).ok_or_else(|| format!("{name}: no edge"));
    let edges: Vec<Edge> = edges.split_whitespace().map(edge).collect::<Result<_, _>>()?;
    Cycle::new(architecture, &edges).map_err(|broken| format!("{broken}: {}", Names(&edges, architecture)))
}

/// Is the condition of the test reachable? All engines, and the rules, must say the same.
fn judge(cycle: &Cycle) -> Result<bool, String> {
    let expected = argue(cycle);
    let text = test(cycle).text;
    let loaded = load(&Input::text("test", "litmus", &text)).map_err(|_| format!("not read:\n{text}"))?;
    let written = &loaded.parsed.program;
    let memory = find(cycle.architecture.name()).ok_or("no such model")?;
    let program = passes::forget_dead(written);
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let order = Bmc { unwind: Some(2), ..Bmc::default() };
    let clocks = Bmc { formulated: Formulated::Clocks, ..order.clone() };
    let enumerate = Enumerate::default();
    let engines: [(&str, &dyn Engine); 3] = [("enumerate", &enumerate), ("bmc", &order), ("clocks", &clocks)];
    let mut answers = vec![("naive", naive(written, memory)?)];
    for (name, engine) in engines {
        if name == "clocks" && engine.accepts(&task).is_err() {
            continue;
        }
        let reachable = match engine.check(&task, &Run::default()).expect("no contradiction").verdict {
            Verdict::Unsafe { counterexample } => {
                confirm::confirm(&task, &counterexample).map_err(|why| format!("{name}: {why}"))?;
                true
            }
            Verdict::Safe { .. } | Verdict::SafeUpTo { .. } => false,
            Verdict::Unknown { reason } => return Err(format!("{name}: {reason}")),
        };
        answers.push((name, reachable));
    }
    match answers.iter().all(|(_, reachable)| *reachable == expected.allowed) {
        true => Ok(expected.allowed),
        false => Err(format!("allowed {} by {}, {answers:?}\n{text}", expected.allowed, expected.rules)),
    }
}

fn naive(program: &Program, memory: &MemoryModel) -> Result<bool, String> {
    let shape = Shape::new(program).map_err(|error| error.to_string())?;
    let axioms = memory.axioms.as_ref().ok_or("no axioms")?;
    let condition = program.condition.as_ref().ok_or("no condition")?;
    let limits = Limits { unwind: 2, prefixes: false, most: MOST };
    let mut found = Ok(false);
    let listed = for_each(program, &shape, limits, &mut |candidate| {
        if !candidate.has_ended() {
            return ControlFlow::Continue(());
        }
        let state = candidate.final_state();
        let view = View { program, shape: &shape, state: &state };
        if condition.formula.evaluate_bool(&view) != Ok(true) {
            return ControlFlow::Continue(());
        }
        match axiomatic::evaluate(&axioms.tree, candidate.execution) {
            Err(why) => found = Err(format!("naive: {why:?}")),
            Ok(judged) if judged.is_consistent() => found = Ok(true),
            Ok(_) => return ControlFlow::Continue(()),
        }
        ControlFlow::Break(())
    });
    listed.map_err(|why| format!("naive: {why:?}"))?;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Vec<(usize, Vec<String>)> {
        let path = crate::tables::root().join("corpus/litmus/atomics.tsv");
        let text = std::fs::read_to_string(path).unwrap();
        let rows = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        rows.map(|(number, line)| (number + 1, line.split('\t').map(str::to_owned).collect())).collect()
    }

    /// Every row: the rules derive what it says, and the engines agree with it.
    #[test]
    fn the_table_holds() {
        let mut counts = std::collections::BTreeMap::new();
        let mut wrong = Vec::new();
        for (line, cells) in table() {
            let [architecture, edges, answer, rules, ..] = &cells[..] else { panic!("line {line}") };
            let cycle = parse(architecture, edges).unwrap();
            *counts.entry((architecture.clone(), answer.clone())).or_insert(0) += 1;
            let expected = row(&cycle);
            if expected != [architecture, edges, answer, rules].map(String::as_str).join("\t") {
                wrong.push(format!("line {line}: the rules say {expected}"));
            }
            match judge(&cycle) {
                Ok(allowed) if allowed == (answer == "allowed") => {}
                other => wrong.push(format!("line {line}: {other:?}")),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(counts.values().sum::<i32>(), 200, "{counts:?}");
        assert!(counts.len() == 4 && counts.values().all(|count| *count >= 40), "{counts:?}");
    }

    #[test]
    fn generated_tests_agree() {
        assert_eq!(run(120, 7), Ok(true));
    }
}
