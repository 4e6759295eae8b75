//! Random structures with events that may not happen, against the naive evaluator on what does happen.

use std::collections::BTreeSet;

use wattle_engine::Run;
use wattle_engine::certificate::refutation::{Inference, Refutation};
use wattle_generate::Rng;
use wattle_judge::certify;
use wattle_memory::cat::{Axioms, Role, read};
use wattle_memory::{MemoryModel, axiomatic};
use wattle_sat::{Satisfiability, Solver};
use wattle_source::{NoLoader, Sources};

use super::Order;
use crate::encode::circuit::Circuit;
use crate::encode::formulation::Formulation;
use crate::solve::refutation::{Ledger, problem, refuted};
use crate::testing::random::{choose, encode, random};
use crate::testing::shape;

#[derive(Default)]
struct Tally {
    consistent: u32,
    inconsistent: u32,
    raised: u32,
    refused: u32,
    /// Of proofs.
    steps: u64,
}

fn compare(
    axioms: &Axioms,
    memory: &MemoryModel,
    seeds: std::ops::Range<u64>,
    tries: u32,
    updates: bool,
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let shape = shape();
        let all = random(&mut rng, &shape, &axioms.core, updates);
        // Every other answer must come with a proof.
        let proved = seed % 2 == 1;
        let mut solver = if proved { Solver::with_proof() } else { Solver::new() };
        let mut ledger = Ledger::new(&mut solver, true);
        let mut circuit = Circuit::new(&mut ledger);
        let (encoding, cells) = encode(&mut rng, &all, &mut circuit);
        let constrained = match Order.constrain(&encoding, &mut circuit, memory) {
            Ok(constrained) => constrained,
            Err(_) => {
                tally.refused += 1;
                continue;
            }
        };
        let mut refutation = problem(ledger.close().unwrap(), &constrained.description);
        solver.connect(constrained.description);
        for number in 0..tries {
            let (mut assumed, execution) = choose(&mut rng, &all, &encoding, &cells);
            let judged = axiomatic::evaluate(&axioms.tree, &execution).unwrap();
            let context =
                || format!("{} seed {seed} try {number}: {:?}\n{execution:#?}", memory.name, judged.broken());
            let outcome = solver.solve(&assumed);
            let expected = if judged.is_consistent() { Satisfiability::Sat } else { Satisfiability::Unsat };
            assert_eq!(outcome, expected, "{}", context());
            if proved && outcome == Satisfiability::Unsat {
                let proof = solver.proof().unwrap();
                refutation.refuted.push(refuted(&number.to_string(), &assumed, &[], Some(&proof)));
            }
            match judged.is_consistent() {
                true => tally.consistent += 1,
                false => tally.inconsistent += 1,
            }
            for mark in &constrained.marks {
                let marked = judged
                    .judgements
                    .iter()
                    .any(|one| one.name == mark.axiom && one.holds == (mark.role == Role::Flag));
                assumed.push(mark.raised);
                let both = marked && judged.is_consistent();
                let expected = if both { Satisfiability::Sat } else { Satisfiability::Unsat };
                assert_eq!(solver.solve(&assumed), expected, "{} {}", mark.axiom, context());
                assumed.pop();
                tally.raised += u32::from(both);
            }
        }
        if !refutation.refuted.is_empty() {
            let checked = certify::refutation::refutation(&refutation, &Run::default());
            assert!(checked.is_ok(), "{} seed {seed}: {checked:?}", memory.name);
            tally.steps += checked.unwrap();
            distrust(&mut rng, &refutation);
        }
    }
    tally
}

/// A proof of a smaller problem is none, if the step that is gone was needed.
fn distrust(rng: &mut Rng, refutation: &Refutation) {
    let mut changed = refutation.clone();
    let number = rng.below(changed.refuted.len() as u32) as usize;
    let steps = &mut changed.refuted[number].steps;
    let lemmas: Vec<usize> =
        (0..steps.len()).filter(|step| matches!(steps[*step].by, Inference::Lemma { .. })).collect();
    let clauses: Vec<usize> = (0..steps.len()).filter(|step| steps[*step].by == Inference::Problem).collect();
    if let Some(lemma) = lemmas.first().copied().filter(|_| rng.chance(500)) {
        let step = &mut steps[lemma];
        step.clause.pop();
        if step.clause.is_empty() {
            return;
        }
    } else if !clauses.is_empty() {
        let clause = steps[*rng.pick(&clauses)].clause.clone();
        let sorted =
            |clause: &[i32]| clause.iter().copied().filter(|one| *one != -1).collect::<BTreeSet<i32>>();
        changed.clauses.retain(|other| sorted(other) != sorted(&clause));
        if clause == [1] {
            return;
        }
    } else {
        return;
    }
    assert!(certify::refutation::refutation(&changed, &Run::default()).is_err());
}

fn check(name: &str, seeds: u64, tries: u32) {
    let memory = wattle_memory::find(name).unwrap();
    let axioms = memory.axioms.as_ref().unwrap();
    let tally = compare(axioms, memory, 0..seeds, tries, name == "rc11");
    assert_eq!(tally.refused, 0);
    assert!(
        tally.consistent > 20 && tally.inconsistent > 20,
        "{name}: {} {}",
        tally.consistent,
        tally.inconsistent
    );
}

const SEEDS: u64 = 40;
const TRIES: u32 = 12;

#[test]
fn sc_tso_pso() {
    ["sc", "tso", "pso"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn rmo_alpha() {
    ["rmo", "alpha"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn power_and_arm() {
    ["power", "power-2012", "arm"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn aarch64_and_riscv() {
    ["aarch64", "riscv"].iter().for_each(|name| check(name, SEEDS, TRIES));
}

#[test]
fn rc11() {
    check("rc11", SEEDS, TRIES);
}

/// Of a model that someone wrote.
fn written(text: &str, seeds: u64, updates: bool) -> Tally {
    let (mut sources, file) = Sources::single("test.cat", text);
    let axioms = read(&mut sources, file, &NoLoader, &[]).unwrap();
    let memory = MemoryModel {
        name: "test".into(),
        machine: None,
        axioms: Some(axioms.clone().into()),
        summary: "".into(),
        vocabulary: None,
    };
    compare(&axioms, &memory, 0..seeds, TRIES, updates)
}

#[test]
fn other_texts() {
    for text in [
        "acyclic po | rf",
        "irreflexive po ; rf",
        "empty (rf ; rf^-1) \\ id",
        "acyclic po-loc | rf? ",
        "acyclic (po | rf)+ | co",
        "irreflexive (po ; rf+ ; co?) ; fr*",
        "empty po \\ (rf | co | fr | loc)",
        "empty [FW] ; po ; [W] & loc",
        "~empty rf & po",
        "~acyclic po | rf",
        "~irreflexive po ; rf",
        "flag acyclic po | rf | co as a flag ~acyclic po | rf | co | fr as b flag empty rf & ext as c",
        "flag ~empty (po & loc) \\ (rf | co | fr)+ as unrelated",
        "undefined_unless irreflexive po ; rf ; po? as d undefined_unless acyclic po | co as e",
        "let rec r = po & ext | rf ; [W] | r ; rf ; po | co empty r & po",
        "let rec r = rf | s ; po and s = co | r ; fr acyclic r irreflexive s ; s",
        "empty domain(rf & po) * range(co & ext) & po",
        "acyclic co | [domain(rf & int)] ; po",
        "acyclic (int \\ (po | po^-1 | id)) | rf",
        "empty ~(po | po^-1 | rf | rf^-1 | ext | id) & (R * W)",
        "acyclic po | rf let hb = (po | rf)+ empty (co \\ hb) & int",
    ] {
        for updates in [false, true] {
            let tally = written(text, 25, updates);
            assert!(tally.refused == 0, "{text}");
        }
    }
    let refused = written("let hb = (po | rf)+ empty (co \\ hb) & int", 30, false).refused;
    assert!(refused > 0, "a closure that may have cycles has no literals");
}
