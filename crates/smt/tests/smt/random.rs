//! Random questions: Z3 must answer as trying all values does.

use wattle_logic::{Sort, Term, Value};
use wattle_smt::{Decide, Decision, Lit, Models};

use crate::brute::{Brute, Dice, domain, evaluate, leaves};
use crate::solver;

/// What every implementation must do: models satisfy what was assumed, and cores are unsatisfiable.
fn conforms(solver: &mut (impl Decide + Models), terms: &[Term], chosen: &[usize]) -> Decision {
    let lits: Vec<Lit> = terms.iter().map(|term| solver.literal(term).unwrap()).collect();
    let assumed: Vec<Lit> = chosen.iter().map(|choice| lits[*choice]).collect();
    let outcome = solver.check(&assumed);
    match &outcome {
        Decision::Sat => {
            for choice in chosen {
                assert_eq!(solver.holds(&terms[*choice]), Some(true), "{:?}", terms[*choice]);
            }
        }
        Decision::Unsat => {
            let core = solver.core();
            assert!(core.iter().all(|lit| assumed.contains(lit)), "a core of assumptions");
            assert_eq!(solver.check(&core), Decision::Unsat, "the core is unsatisfiable");
        }
        Decision::Stopped(why) => panic!("{why}"),
    }
    outcome
}

#[test]
fn questions_are_answered_as_by_trying_all_values() {
    let leaves = leaves();
    let mut dice = Dice(0x5eed);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..12 {
        // One solver for many questions, as in use.
        let mut z3 = if round % 2 == 0 { solver() } else { solver().with_differences() };
        let used: Vec<Term> = leaves.iter().filter(|_| dice.below(2) == 0).cloned().collect();
        let mut terms: Vec<Term> = used.iter().map(domain).collect();
        let fixed = terms.len();
        terms.extend((0..10).map(|_| dice.boolean(&used, 3)));
        // The names of literals, for the other one.
        let names: Vec<Lit> = {
            let mut namer = solver();
            (0..100).map(|number| namer.literal(&Term::int(number).equals(Term::int(0))).unwrap()).collect()
        };
        let mut brute = Brute::new(used, names);
        for _ in 0..25 {
            let mut chosen: Vec<usize> = (0..fixed).collect();
            chosen.extend((fixed..terms.len()).filter(|_| dice.below(3) == 0));
            let expected = conforms(&mut brute, &terms, &chosen);
            let answered = conforms(&mut z3, &terms, &chosen);
            assert_eq!(
                expected,
                answered,
                "{:?}",
                chosen.iter().map(|choice| &terms[*choice]).collect::<Vec<_>>()
            );
            if answered == Decision::Sat { sat += 1 } else { unsat += 1 }
        }
    }
    assert!(sat > 50 && unsat > 50, "{sat} sat, {unsat} unsat");
}

#[test]
fn values_in_a_model_are_those_of_the_evaluator() {
    let leaves = leaves();
    let mut dice = Dice(77);
    let mut z3 = solver().with_differences();
    let within: Vec<Lit> = leaves.iter().map(|leaf| z3.literal(&domain(leaf)).unwrap()).collect();
    for _ in 0..150 {
        let (condition, number) = (dice.boolean(&leaves, 4), dice.integer(&leaves, 4));
        let lit = z3.literal(&condition).unwrap();
        let mut assumed = within.clone();
        assumed.push(lit);
        if z3.check(&assumed) != Decision::Sat {
            continue;
        }
        let values: Vec<Value> = (leaves.iter())
            .map(|leaf| match leaf.sort() {
                Sort::Bool => Value::Bool(z3.holds(leaf).unwrap()),
                sort => sort.decode(z3.integer(leaf).unwrap()).unwrap(),
            })
            .collect();
        assert_eq!(evaluate(&condition, &leaves, &values), Value::Bool(true));
        assert_eq!(z3.integer(&number), evaluate(&number, &leaves, &values).as_int(), "{number:?}");
        let other = dice.boolean(&leaves, 3);
        assert_eq!(z3.holds(&other), evaluate(&other, &leaves, &values).as_bool(), "{other:?}");
    }
}

#[test]
fn implications_are_those_of_all_values() {
    let leaves = &leaves()[..4];
    let all = Brute::all(leaves);
    let mut dice = Dice(4711);
    let mut z3 = solver();
    for leaf in leaves {
        z3.assert(&domain(leaf)).unwrap();
    }
    let (mut followed, mut asked) = (0, 0);
    for _ in 0..150 {
        let left = [dice.boolean(leaves, 2), dice.boolean(leaves, 2)];
        let right = dice.boolean(leaves, 2);
        let holds = |term: &Term, row: &[Value]| evaluate(term, leaves, row) == Value::Bool(true);
        let expected =
            (all.iter()).filter(|row| left.iter().all(|term| holds(term, row))).all(|row| holds(&right, row));
        assert_eq!(z3.implies(&left, &right), Ok(expected), "{left:?} => {right:?}");
        let checks = z3.counters().checks;
        assert_eq!(z3.implies(&left, &right), Ok(expected));
        assert_eq!(z3.counters().checks, checks, "asked once");
        (followed, asked) = (followed + u32::from(expected), asked + 1);
    }
    assert!(followed > 20 && followed < asked - 20, "{followed} of {asked}");
}
