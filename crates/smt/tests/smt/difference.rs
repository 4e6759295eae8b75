//! The procedure for differences must answer as Z3 does, and answer nearly everything that is about differences.

use wattle_logic::{Binary, Sort, Symbol, Term, Value};
use wattle_smt::{Decide, Decision, Lit, Models, Solver};

use crate::brute::Dice;
use crate::solver;

fn comparison(dice: &mut Dice, variables: &[Term]) -> Term {
    use Binary::*;
    let operators = [Equal, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual];
    let operator = operators[dice.below(operators.len() as u64) as usize];
    let one = variables[dice.below(variables.len() as u64) as usize].clone();
    let constant = Term::int(dice.below(5) as i64 - 2);
    if dice.below(3) == 0 {
        return Term::binary(operator, one, constant);
    }
    let other = variables[dice.below(variables.len() as u64) as usize].clone();
    Term::binary(operator, one, Term::binary(Add, other, constant))
}

fn condition(dice: &mut Dice, variables: &[Term], truths: &[Term]) -> Term {
    let part = |dice: &mut Dice| match dice.below(6) {
        0 => truths[dice.below(truths.len() as u64) as usize].clone(),
        _ => comparison(dice, variables),
    };
    match dice.below(12) {
        0 => part(dice).or(part(dice)),
        1 => part(dice).and(part(dice)).negated(),
        2 => Term::binary(Binary::Implies, part(dice), part(dice).and(part(dice))),
        3 => part(dice).equals(part(dice)),
        4 => Term::if_then_else(part(dice), part(dice), part(dice)),
        _ => part(dice),
    }
}

/// The answer, and that it is right: a model satisfies what was assumed, a core is refuted by `other`.
fn answer(asked: &mut Solver, other: &mut Solver, terms: &[Term]) -> Decision {
    let lits: Vec<Lit> = terms.iter().map(|term| asked.literal(term).unwrap()).collect();
    let decision = asked.check(&lits);
    match &decision {
        Decision::Sat => {
            terms.iter().for_each(|term| assert_eq!(asked.holds(term), Some(true), "{term:?}"));
        }
        Decision::Unsat => {
            let core = asked.core();
            let core = lits.iter().zip(terms).filter(|(lit, _)| core.contains(lit));
            let core: Vec<Lit> = core.map(|(_, term)| other.literal(term).unwrap()).collect();
            assert_eq!(other.check(&core), Decision::Unsat, "a core of {terms:?}");
        }
        Decision::Stopped(why) => panic!("{why}"),
    }
    decision
}

#[test]
fn differences_are_decided_as_by_z3() {
    let mut dice = Dice(0xd1ff);
    let (mut sat, mut unsat, mut asked, mut short) = (0, 0, 0, 0);
    for round in 0..40 {
        let (mut plain, mut quick) = (solver(), solver().with_differences());
        let variables: Vec<Term> = (0..2 + round % 7).map(|number| Term::local(number, Sort::Int)).collect();
        let truths: Vec<Term> =
            (0..2).map(|number| Term::symbol(Symbol::Bound(number), Sort::Bool)).collect();
        // Something always holds, also something that is said late.
        for always in 0..round % 3 {
            let always = Term::binary(Binary::LessEqual, Term::int(i64::from(always)), variables[0].clone());
            plain.assert(&always).unwrap();
            quick.assert(&always).unwrap();
        }
        let all: Vec<Term> = (0..30).map(|_| condition(&mut dice, &variables, &truths)).collect();
        for question in 0..60 {
            if question == 30 && round % 4 == 0 {
                let late = condition(&mut dice, &variables, &truths);
                plain.assert(&late).unwrap();
                quick.assert(&late).unwrap();
            }
            let size = 1 + dice.below(12);
            let terms: Vec<Term> = (0..size).map(|_| all[dice.below(30) as usize].clone()).collect();
            let expected = answer(&mut plain, &mut quick, &terms);
            assert_eq!(answer(&mut quick, &mut plain, &terms), expected, "{terms:?}");
            *(if expected == Decision::Sat { &mut sat } else { &mut unsat }) += 1;
        }
        (asked, short) = (asked + quick.counters().checks, short + quick.counters().differences);
    }
    assert!(sat > 500 && unsat > 500, "{sat} sat, {unsat} unsat");
    assert_eq!(asked, short, "none of these needs Z3");
}

/// Sums, multiples, quotients, remainders and choices of integers.
fn calculated(dice: &mut Dice, variables: &[Term], depth: u32) -> Term {
    use Binary::*;
    if depth == 0 || dice.below(4) == 0 {
        return match dice.below(3) {
            0 => Term::int(dice.below(5) as i64 - 2),
            _ => variables[dice.below(variables.len() as u64) as usize].clone(),
        };
    }
    let left = calculated(dice, variables, depth - 1);
    let constant = Term::int([-3, -2, 2, 3][dice.below(4) as usize]);
    match dice.below(7) {
        0 => Term::binary(Divide, left, constant),
        1 | 2 => Term::binary(Remainder, left, constant),
        3 => Term::binary(Multiply, constant, left),
        4 => Term::binary(Subtract, left, calculated(dice, variables, depth - 1)),
        5 => Term::if_then_else(comparison(dice, variables), left, calculated(dice, variables, depth - 1)),
        _ => Term::binary(Add, left, calculated(dice, variables, depth - 1)),
    }
}

/// Where variables always have few values, every comparison is a list of values.
#[test]
fn few_values_are_decided_as_by_z3() {
    let mut dice = Dice(0xfe77);
    let (mut sat, mut unsat, mut asked, mut short) = (0, 0, 0, 0);
    for round in 0..30 {
        let (mut plain, mut quick) = (solver(), solver().with_differences());
        let variables: Vec<Term> = (0..3).map(|number| Term::local(number, Sort::Int)).collect();
        for (number, variable) in (0..).zip(&variables) {
            let low = [0, -1, 1][(round + number) % 3];
            let high = low + [1, 2, 0][(round / 3 + number) % 3];
            let lower = Term::binary(Binary::LessEqual, Term::int(low), variable.clone());
            let upper = Term::binary(Binary::LessEqual, variable.clone(), Term::int(high));
            let always = lower.and(upper);
            plain.assert(&always).unwrap();
            quick.assert(&always).unwrap();
        }
        let condition = |dice: &mut Dice| {
            let operators = [Binary::Equal, Binary::NotEqual, Binary::Less, Binary::GreaterEqual];
            let operator = operators[dice.below(4) as usize];
            let left = calculated(dice, &variables, 2);
            Term::binary(operator, left, calculated(dice, &variables, 2))
        };
        let all: Vec<Term> = (0..20).map(|_| condition(&mut dice)).collect();
        for _ in 0..30 {
            let size = 1 + dice.below(5);
            let terms: Vec<Term> = (0..size).map(|_| all[dice.below(20) as usize].clone()).collect();
            let expected = answer(&mut plain, &mut quick, &terms);
            assert_eq!(answer(&mut quick, &mut plain, &terms), expected, "{terms:?}");
            *(if expected == Decision::Sat { &mut sat } else { &mut unsat }) += 1;
        }
        (asked, short) = (asked + quick.counters().checks, short + quick.counters().differences);
    }
    assert!(sat > 150 && unsat > 150, "{sat} sat, {unsat} unsat");
    assert!(short * 10 > asked * 9, "{short} of {asked} needed no Z3");
}

#[test]
fn what_is_no_difference_goes_to_z3() {
    let (x, y) = (Term::local(0, Sort::Int), Term::local(1, Sort::Int));
    let mut quick = solver().with_differences();
    let sum = Term::binary(Binary::Add, x.clone(), y.clone());
    let large = Term::int(1 << 50);
    let conditions = [
        Term::binary(Binary::LessEqual, sum, Term::int(1)),
        Term::binary(Binary::Less, x.clone(), large),
        Term::binary(Binary::Multiply, Term::int(2), x.clone()).equals(Term::int(4)),
    ];
    let lits: Vec<Lit> = conditions.iter().map(|term| quick.literal(term).unwrap()).collect();
    assert_eq!(quick.check(&lits), Decision::Sat);
    assert_eq!((quick.integer(&x), quick.counters().differences), (Some(2), 0));
    // A question in both worlds: Z3 gets to know what it has not needed so far.
    let small = quick.literal(&y.clone().equals(Term::int(0))).unwrap();
    assert_eq!(quick.check(&[small]), Decision::Sat);
    assert_eq!(quick.counters().differences, 1);
    assert_eq!(quick.check(&[lits[0], lits[2], small]), Decision::Unsat);
    assert_eq!(quick.core(), [lits[0], lits[2], small]);
    assert_eq!(quick.counters().differences, 1);
}

#[test]
fn enumerations_begin_at_zero() {
    let colour = Term::local(0, Sort::Enum(0));
    let is = |symbol: u32| colour.clone().equals(Term::value(Value::Symbol(symbol), Sort::Enum(0)));
    let mut quick = solver().with_differences();
    let upper = is(0).or(is(1)).or(is(2));
    quick.assert(&upper).unwrap();
    let lits: Vec<Lit> = (0..3).map(|symbol| quick.literal(&is(symbol).negated()).unwrap()).collect();
    assert_eq!(quick.check(&lits[..2]), Decision::Sat);
    assert_eq!(quick.integer(&colour), Some(2));
    assert_eq!(quick.check(&lits), Decision::Unsat);
    assert_eq!((quick.core(), quick.counters().differences), (lits, 2));
    // Of a variable that nobody spoke of there is a value too.
    assert_eq!(quick.check(&[]), Decision::Sat);
    assert_eq!(quick.integer(&Term::local(9, Sort::Enum(0))), Some(0));
}
