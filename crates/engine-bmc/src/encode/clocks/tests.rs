//! The same outcomes as the naive list of executions, for each of the six models.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wattle_engine::{Budget, Engine, Outcomes, Run, Task, Work};
use wattle_engine_enumerate::Enumerate;
use wattle_generate::{Flavour, Profile, Rng};
use wattle_memory::{axiomatic, find};
use wattle_program::Program;
use wattle_sat::{Satisfiability, Solver};

use super::*;
use crate::testing::outcomes::{Sure, outcomes, parse};
use crate::testing::random::{choose, encode, random};
use crate::testing::shape;

const MODELS: [&str; 6] = ["sc", "tso", "pso", "rmo", "alpha", "power-2012"];

fn corpus(folder: &str) -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let mut open = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("litmus" | "wtl") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// What all executions say; `None` if the list is refused.
fn expected(program: &Program, memory: &MemoryModel) -> Option<BTreeSet<Vec<i64>>> {
    let task = Task { program, memory, property: Default::default(), hints: None };
    let engine = Enumerate::default();
    engine.accepts(&task).ok()?;
    let budget = Budget { work: Some(Work::milliseconds(20_000)), ..Budget::default() };
    let set = engine.outcomes(&task, &Run::new(budget)).ok()?;
    Some(set.iter().map(|outcome| outcome.iter().map(|value| value.code().unwrap()).collect()).collect())
}

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    /// By model.
    same: [usize; 6],
    /// Outcomes, all together.
    outcomes: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Compared {
    fn compare(&mut self, name: &str, program: &Program, formulation: Clocks, sure: Sure) {
        for (number, model) in MODELS.iter().enumerate() {
            let memory = find(model).unwrap();
            let Ok(translation) = memory.translate(program) else { continue };
            let program = &translation.program;
            let Some(expected) = expected(program, memory) else { continue };
            match outcomes(program, memory, &formulation, sure) {
                Ok(found) if found == expected => {
                    self.same[number] += 1;
                    self.outcomes += found.len();
                }
                Ok(found) => self.wrong.push(format!("{name} {model}: {found:?} instead of {expected:?}")),
                Err(what) => self.refused.push(format!("{name} {model}: {what}")),
            }
        }
    }

    /// How many were compared for each model, and how many outcomes they have; panics where one differs.
    fn counts(self) -> ([usize; 6], usize, usize) {
        assert!(self.wrong.is_empty(), "{} wrong:\n{}", self.wrong.len(), self.wrong.join("\n"));
        (self.same, self.outcomes, self.refused.len())
    }
}

#[test]
fn litmus_tests() {
    let mut compared = Compared::default();
    for (name, text) in corpus("litmus") {
        if let Some(program) = parse(&name, &text) {
            compared.compare(&name, &program, Clocks::PAPER, Sure::default());
        }
    }
    assert_eq!(compared.counts(), ([369, 352, 352, 352, 352, 352], 14392, 0));
}

/// Random programs without a filter, with every combination of options in turn.
fn programs(seeds: std::ops::Range<u64>) -> Compared {
    let mut compared = Compared::default();
    for seed in seeds {
        let flavour = [Flavour::Tso, Flavour::Pso, Flavour::Sc, Flavour::Pso][seed as usize % 4];
        let profile = Profile { litmus: 400, unsupported: 0, ..Profile::small(flavour) };
        let program = Program { filter: None, ..wattle_generate::program(seed, &profile) };
        let formulation = Clocks { next_write_only: seed % 5 == 0, ..Clocks::PAPER };
        let sure = Sure { coherence: seed % 3 != 0, thin_air_free: seed % 7 != 0 };
        compared.compare(&format!("seed {seed}"), &program, formulation, sure);
    }
    compared
}

#[test]
fn random_programs() {
    assert_eq!(programs(0..200).counts(), ([131, 130, 130, 131, 131, 123], 3419, 0));
}

/// B-cumulativity of both fences forbids this one: what is read before lwsync comes before the read of
/// what is written after it.
const ISA2: &str = "PPC ISA2+sync+lwsync+addr
{
0:r2=x; 0:r4=y;
1:r2=y; 1:r4=z;
2:r2=z; 2:r5=x;
}
 P0           | P1           | P2            ;
 li r1,1      | lwz r1,0(r2) | lwz r1,0(r2)  ;
 stw r1,0(r2) | lwsync       | xor r3,r1,r1  ;
 sync         | li r3,1      | lwzx r4,r3,r5 ;
 li r3,1      | stw r3,0(r4) |               ;
 stw r3,0(r4) |              |               ;
exists (1:r1=1 /\\ 2:r1=1 /\\ 2:r4=0)
";

/// IRIW with fences between the reads is forbidden by A-cumulativity.
#[test]
fn cumulativity_can_be_switched_off() {
    let files = corpus("litmus/ppc");
    let (_, iriw) = files.iter().find(|(name, _)| name == "IRIW+syncs.litmus").unwrap();
    let memory = find("power-2012").unwrap();
    for (text, all) in [(iriw.as_str(), 16), (ISA2, 8)] {
        let program = parse("test.litmus", text).unwrap();
        let found = |cumulative| {
            let clocks = Clocks { cumulative, ..Clocks::PAPER };
            outcomes(&program, memory, &clocks, Sure::default()).unwrap()
        };
        assert_eq!(Some(found(true)), expected(&program, memory));
        assert_eq!((found(true).len(), found(false).len()), (all - 1, all));
    }
}

/// Random structures, execution by execution, against the naive evaluator of the text.
fn structures(model: &str, seeds: std::ops::Range<u64>, formulation: Clocks) -> (u32, u32) {
    let memory = find(model).unwrap();
    let axioms = memory.axioms.as_ref().unwrap();
    let (mut consistent, mut inconsistent) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let shape = shape();
        let all = random(&mut rng, &shape, &axioms.core, model == "sc");
        let mut solver = Solver::new();
        let mut circuit = Circuit::new(&mut solver);
        let (encoding, cells) = encode(&mut rng, &all, &mut circuit);
        formulation.constrain(&encoding, &mut circuit, memory).unwrap();
        for _ in 0..12 {
            let (assumed, execution) = choose(&mut rng, &all, &encoding, &cells);
            let judged = axiomatic::evaluate(&axioms.tree, &execution).unwrap();
            let expected = if judged.is_consistent() { Satisfiability::Sat } else { Satisfiability::Unsat };
            let outcome = solver.solve(&assumed);
            assert_eq!(outcome, expected, "{model} seed {seed}: {:?}\n{execution:#?}", judged.broken());
            match outcome {
                Satisfiability::Sat => consistent += 1,
                _ => inconsistent += 1,
            }
        }
    }
    (consistent, inconsistent)
}

#[test]
fn random_structures() {
    let next_write_only = Clocks { next_write_only: true, ..Clocks::PAPER };
    for model in MODELS {
        for (clocks, seeds) in [(Clocks::PAPER, 0..150), (next_write_only, 150..200)] {
            let (consistent, inconsistent) = structures(model, seeds, clocks);
            assert!(consistent > 20 && inconsistent > 20, "{model}: {consistent} {inconsistent}");
        }
    }
}
