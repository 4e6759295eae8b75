//! What is translated, and what is refused.

use wattle_logic::{Binary, Quantifier, Sort, Symbol, Term, Value};
use wattle_smt::{Decide, Decision, Models};

use crate::brute::evaluate;
use crate::solver;

#[test]
fn division_is_as_in_c_for_all_signs() {
    let x = Term::local(0, Sort::Int);
    let mut solver = solver();
    for by in [-5, -2, -1, 1, 2, 5, i64::MAX] {
        for value in (-11..=11).chain([i64::MAX, -i64::MAX]) {
            let fixed = solver.literal(&x.clone().equals(Term::int(value))).unwrap();
            assert_eq!(solver.check(&[fixed]), Decision::Sat);
            for operator in [Binary::Divide, Binary::Remainder] {
                let term = Term::binary(operator, x.clone(), Term::int(by));
                let expected = evaluate(&term, std::slice::from_ref(&x), &[Value::Int(value)]);
                assert_eq!(solver.integer(&term), expected.as_int(), "{operator:?} {value} {by}");
                // Also where the solver reasons, and not only computes.
                let as_computed =
                    solver.literal(&term.equals(Term::value(expected, Sort::Int)).negated()).unwrap();
                assert_eq!(solver.check(&[fixed, as_computed]), Decision::Unsat);
                assert_eq!(solver.check(&[fixed]), Decision::Sat);
            }
        }
    }
}

#[test]
fn numbers_beyond_64_bits_have_no_value_here() {
    let x = Term::local(0, Sort::Int);
    let beyond = Term::binary(Binary::Add, x.clone(), x.clone());
    let mut solver = solver();
    let large = solver.literal(&x.clone().equals(Term::int(i64::MAX))).unwrap();
    assert_eq!(solver.check(&[large]), Decision::Sat);
    assert_eq!(solver.integer(&x), Some(i64::MAX));
    assert_eq!(solver.integer(&beyond), None);
    let positive = Term::binary(Binary::Greater, beyond, Term::int(0));
    assert_eq!(solver.holds(&positive), Some(true), "integers of the solver do not wrap");
}

#[test]
fn there_is_no_model_without_sat() {
    let p = Term::local(0, Sort::Bool);
    let mut solver = solver();
    assert_eq!(solver.holds(&p), None);
    let both = [solver.literal(&p).unwrap(), solver.literal(&p.negated()).unwrap()];
    assert_eq!(solver.check(&both[..1]), Decision::Sat);
    assert_eq!(solver.holds(&p), Some(true));
    assert_eq!(solver.check(&both), Decision::Unsat);
    assert_eq!(solver.holds(&p), None);
    assert_eq!(solver.core(), both);
    assert_eq!(solver.check(&both[1..]), Decision::Sat);
    assert_eq!(solver.core(), []);
    assert_eq!(solver.integer(&p), None, "a boolean is no integer");
    assert_eq!(solver.holds(&Term::local(9, Sort::Int)), None, "an integer is no boolean");
}

#[test]
fn what_is_outside_is_refused_by_name() {
    let x = || Term::local(0, Sort::Int);
    let y = || Term::local(1, Sort::Int);
    let byte = || Term::local(2, Sort::Bits { width: 8, signed: false });
    let color = || Term::local(3, Sort::Enum(0));
    let element = Term::content(Term::address(0, vec![x()]), Sort::Int);
    let set = Term::local(4, Sort::IntSet);
    let refused = [
        (Term::binary(Binary::Multiply, x(), y()).equals(x()), "product"),
        (Term::binary(Binary::Divide, x(), y()).equals(x()), "division"),
        (Term::binary(Binary::Remainder, x(), Term::int(0)).equals(x()), "division"),
        (Term::binary(Binary::BitAnd, x(), y()).equals(x()), "BitAnd"),
        (Term::binary(Binary::ShiftLeft, x(), Term::int(1)).equals(x()), "ShiftLeft"),
        (byte().equals(Term::int(1)), "u8"),
        (Term::binary(Binary::Less, color(), color()), "Less"),
        (color().equals(Term::int(1)), "enum0"),
        (element.equals(x()), "address"),
        (Term::local_of(0, x(), 1, Sort::Bool), "not constant"),
        (Term::binary(Binary::Member, x(), set), "intset"),
        (Term::at(0, Term::int(0), 3), "stands"),
        (Term::ended(0, Term::int(0)), "stands"),
        (Term::quantified(Quantifier::Forall, 0, 0, Term::bool(true)), "quantifier"),
        (Term::address(0, vec![]).equals(Term::address(1, vec![])), "address"),
        (x(), "condition"),
        (x().and(y()), "And"),
        (Term::if_then_else(Term::bool(true), x(), Term::bool(true)).equals(x()), "choice"),
        (Term::symbol(Symbol::Me, Sort::Process).equals(Term::me()), "process"),
    ];
    let mut solver = solver();
    for (term, word) in refused {
        let why = solver.literal(&term).expect_err("refused").to_string();
        assert!(why.contains(word), "{why} should say {word}: {term:?}");
    }
    assert_eq!(solver.check(&[]), Decision::Sat, "a refusal leaves the solver in order");
}

#[test]
fn equal_leaves_are_one_variable_and_others_are_not() {
    let cell = |index| Term::content(Term::address(0, vec![Term::int(index)]), Sort::Int);
    let mut solver = solver();
    assert_eq!(solver.implies(&[cell(0).equals(Term::int(1))], &cell(0).equals(Term::int(1))), Ok(true));
    assert_eq!(solver.implies(&[cell(0).equals(Term::int(1))], &cell(1).equals(Term::int(1))), Ok(false));
}
