//! All assignments of a few variables.

use std::collections::BTreeSet;

use super::check::check;
use super::describe::{Random, random_description};
use super::ensure;
use crate::{Clauses, Lit, Satisfiability, Solver, scratch};

/// What a trial saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assigned {
    pub assignments: usize,
    /// Did the description or the clauses rule out any?
    pub constrained: bool,
}

/// All assignments of a few variables, by the solver and one by one; with `prove`, the solver's proofs
/// are checked. `Err` says what is wrong.
pub fn assignments(seed: u64, prove: bool) -> Result<Assigned, String> {
    let mut random = Random::new(seed);
    let variables = 1 + random.below(7);
    let description = random_description(&mut random, variables);
    let mut solver = if prove { Solver::with_proof() } else { Solver::new() };
    let literals: Vec<Lit> = (0..variables).map(|_| solver.fresh()).collect();
    let clauses: Vec<Vec<Lit>> = (0..random.below(4))
        .map(|_| {
            let signed = |random: &mut Random| {
                let literal = literals[random.below(variables)];
                if random.below(2) == 0 { literal } else { !literal }
            };
            (0..2 + random.below(2)).map(|_| signed(&mut random)).collect()
        })
        .collect();
    clauses.iter().for_each(|clause| solver.clause(clause));
    let assumption = literals[random.below(variables)];
    let assumption = if random.below(2) == 0 { assumption } else { !assumption };
    solver.connect(description.clone());
    let wrong = |what: &str| format!("seed {seed}: {what}: {description:#?} {clauses:?}");

    let mut expected = Vec::new();
    for bits in 0..1u32 << variables {
        let holds = |literal: Lit| {
            literal == Lit::TRUE
                || (literal.variable() > 1
                    && (bits >> (literal.variable() - 2) & 1 == 1) == literal.is_positive())
        };
        let satisfied = clauses.iter().all(|clause| clause.iter().any(|literal| holds(*literal)));
        if satisfied && scratch::conflict(&description, holds).is_none() {
            expected.push(bits);
        }
    }
    let place = assumption.variable() - 2;
    let assumed = expected.iter().any(|bits| (bits >> place & 1 == 1) == assumption.is_positive());
    let outcome = if assumed { Satisfiability::Sat } else { Satisfiability::Unsat };
    ensure(solver.solve(&[assumption]) == outcome, || wrong("under an assumption"))?;

    let mut inputs: BTreeSet<Vec<Lit>> = BTreeSet::new();
    let given = |inputs: &mut BTreeSet<Vec<Lit>>, clause: &[Lit]| {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        inputs.insert(clause);
    };
    clauses.iter().for_each(|clause| given(&mut inputs, clause));
    let proved = |solver: &Solver, inputs: &BTreeSet<Vec<Lit>>| {
        let proof = solver.proof().ok_or("no proof")?;
        check(&proof, inputs, &description).map_err(|what| wrong(&what))
    };
    if prove && !assumed {
        let conclusion = proved(&solver, &inputs)?;
        ensure(conclusion.is_empty() || conclusion == [!assumption], || wrong("another conclusion"))?;
    }

    let mut found = Vec::new();
    while solver.solve(&[]) == Satisfiability::Sat {
        let values: Vec<bool> = literals.iter().map(|literal| solver.value(*literal)).collect();
        found.push(values.iter().rev().fold(0, |bits, value| 2 * bits + u32::from(*value)));
        let blocking: Vec<Lit> = literals
            .iter()
            .zip(&values)
            .map(|(literal, value)| if *value { !*literal } else { *literal })
            .collect();
        solver.clause(&blocking);
        given(&mut inputs, &blocking);
    }
    if prove {
        ensure(proved(&solver, &inputs)?.is_empty(), || wrong("another conclusion"))?;
    }
    found.sort_unstable();
    ensure(found == expected, || wrong(&format!("{found:?}, not {expected:?}")))?;
    Ok(Assigned { assignments: found.len(), constrained: found.len() < 1 << variables })
}
