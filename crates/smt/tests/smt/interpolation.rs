//! Interpolants along straight lines of the kinds that abstraction meets.

use wattle_logic::{Binary, Sort, Symbol, Term, Value};
use wattle_smt::{Decide, Decision, Interpolate, Interpolation, Step, Stop, StraightLine};

use crate::brute::{Dice, domain};
use crate::solver;

fn cell(number: u32) -> Term {
    Term::content(Term::address(number, vec![]), Sort::Int)
}

fn add(term: Term, number: i64) -> Term {
    Term::binary(Binary::Add, term, Term::int(number))
}

fn is(term: Term, number: i64) -> Term {
    term.equals(Term::int(number))
}

fn less(one: Term, other: Term) -> Term {
    Term::binary(Binary::Less, one, other)
}

fn at_most(one: Term, other: Term) -> Term {
    Term::binary(Binary::LessEqual, one, other)
}

fn set(cell: usize, value: Term) -> Step {
    Step { guard: Term::bool(true), updates: vec![(cell, value)] }
}

fn assume(guard: Term) -> Step {
    Step { guard, updates: vec![] }
}

/// The interpolants, checked here once more.
fn interpolants(line: &StraightLine) -> Vec<Term> {
    match solver().interpolants(line) {
        Interpolation::Interpolants(found) => {
            line.check(&found, &mut solver()).unwrap();
            found
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn relations_are_found() {
    let (x, y) = (cell(0), cell(1));
    let line = StraightLine {
        cells: vec![x.clone(), y.clone()],
        init: less(x.clone(), y.clone()),
        steps: vec![set(1, add(y.clone(), 1)), set(0, add(x.clone(), 1)), set(1, add(y.clone(), 7))],
        bad: x.clone().equals(y.clone()),
    };
    let found = interpolants(&line);
    assert_eq!(found[3], less(x, y), "{found:?}");
}

#[test]
fn a_counter() {
    let x = cell(0);
    let line = StraightLine {
        cells: vec![x.clone()],
        init: is(x.clone(), 0),
        steps: (0..8)
            .map(|_| Step { guard: less(x.clone(), Term::int(8)), updates: vec![(0, add(x.clone(), 1))] })
            .collect(),
        bad: less(Term::int(8), x),
    };
    interpolants(&line);
}

#[test]
fn tickets() {
    // Two customers take tickets and are both served.
    let [next, serve, one, two] = [0, 1, 2, 3].map(cell);
    let line = StraightLine {
        cells: vec![next.clone(), serve.clone(), one.clone(), two.clone()],
        init: next.clone().equals(serve.clone()),
        steps: vec![
            Step { guard: Term::bool(true), updates: vec![(2, next.clone()), (0, add(next.clone(), 1))] },
            Step { guard: Term::bool(true), updates: vec![(3, next.clone()), (0, add(next, 1))] },
            assume(serve.clone().equals(one)),
        ],
        bad: serve.equals(two),
    };
    interpolants(&line);
}

#[test]
fn flags_and_a_turn() {
    let flag = |number| Term::local_of(0, Term::int(number), 0, Sort::Bool);
    let turn = cell(0);
    let line = StraightLine {
        cells: vec![flag(0), flag(1), turn.clone()],
        init: flag(0).negated().and(flag(1).negated()),
        steps: vec![
            set(0, Term::bool(true)),
            set(2, Term::int(1)),
            assume(flag(1).negated().or(is(turn.clone(), 0))),
            set(1, Term::bool(true)),
            set(2, Term::int(0)),
        ],
        bad: flag(0).negated().or(is(turn, 1)),
    };
    interpolants(&line);
}

#[test]
fn enumerations_come_back_as_symbols() {
    let state = Term::local(0, Sort::Enum(3));
    let other = Term::local(1, Sort::Enum(3));
    let symbol = |number| Term::value(Value::Symbol(number), Sort::Enum(3));
    let at = |number| state.clone().equals(symbol(number));
    let line = StraightLine {
        cells: vec![state.clone(), other.clone()],
        init: at(0).negated().and(at(1).negated()),
        steps: vec![
            set(1, state.clone()),
            Step { guard: at(2).negated(), updates: vec![(0, symbol(4))] },
            assume(other.clone().equals(symbol(3)).negated()),
        ],
        bad: other.clone().equals(symbol(1)).or(other.equals(symbol(2))).or(at(3)),
    };
    let found = interpolants(&line);
    for term in &found {
        term.walk(&mut |part| {
            assert!(part.as_value().is_none_or(|value| value.as_int().is_none()), "{found:?}")
        });
    }
}

#[test]
fn parity() {
    let x = cell(0);
    let even = |term: Term| is(Term::binary(Binary::Remainder, term, Term::int(2)), 0);
    let line = StraightLine {
        cells: vec![x.clone()],
        init: even(x.clone()),
        steps: vec![set(0, add(x.clone(), 1)), set(0, add(x.clone(), 1))],
        bad: even(x).negated(),
    };
    interpolants(&line);
}

#[test]
fn inputs_are_new_in_every_step() {
    let (x, y) = (cell(0), cell(1));
    let input = Term::symbol(Symbol::Bound(0), Sort::Int);
    let positive = less(Term::int(0), input.clone());
    let grow = |place| Step {
        guard: positive.clone(),
        updates: vec![(place, Term::binary(Binary::Add, cell(place as u32), input.clone()))],
    };
    let mut line = StraightLine {
        cells: vec![x.clone(), y.clone()],
        init: x.clone().equals(y.clone()),
        steps: vec![grow(0), grow(0)],
        bad: at_most(x.clone(), y.clone()),
    };
    interpolants(&line);
    // With one input for both steps, they could not end up at an odd distance.
    let distance = Term::binary(Binary::Subtract, x, y);
    line.bad = is(distance, 3);
    assert_eq!(solver().interpolants(&line), Interpolation::Feasible);
}

#[test]
fn straight_lines_without_steps_or_cells() {
    let none = StraightLine { cells: vec![], init: Term::bool(true), steps: vec![], bad: Term::bool(true) };
    assert_eq!(solver().interpolants(&none), Interpolation::Feasible);
    let never = StraightLine { bad: Term::bool(false), steps: vec![assume(Term::bool(true))], ..none };
    assert_eq!(interpolants(&never).len(), 2);
}

#[test]
fn what_is_wrong_with_a_straight_line_is_said() {
    let (x, y) = (cell(0), cell(1));
    let good = StraightLine {
        cells: vec![x.clone(), y.clone()],
        init: is(x.clone(), 0),
        steps: vec![],
        bad: is(x.clone(), 1),
    };
    let product = Term::binary(Binary::Multiply, x.clone(), y);
    let bad = [
        StraightLine { cells: vec![x.clone(), x.clone()], ..good.clone() },
        StraightLine { steps: vec![set(7, Term::int(0))], ..good.clone() },
        StraightLine { steps: vec![set(0, Term::bool(true))], ..good.clone() },
        StraightLine {
            steps: vec![Step {
                guard: Term::bool(true),
                updates: vec![(0, Term::int(0)), (0, Term::int(1))],
            }],
            ..good.clone()
        },
        StraightLine { bad: is(product, 1), ..good.clone() },
    ];
    for line in bad {
        assert!(matches!(solver().interpolants(&line), Interpolation::Unsupported(_)), "{line:?}");
    }
    let found = interpolants(&good);
    assert!(good.check(&[Term::bool(true)], &mut solver()).unwrap_err().contains("the end"));
    assert!(good.check(&[Term::bool(false)], &mut solver()).unwrap_err().contains("the beginning"));
    assert!(good.check(&[], &mut solver()).is_err());
    good.check(&found, &mut solver()).unwrap();
}

#[test]
fn who_is_told_to_stop_stops() {
    let x = cell(0);
    let line =
        StraightLine { cells: vec![x.clone()], init: is(x.clone(), 0), steps: vec![], bad: is(x.clone(), 1) };
    let mut solver = solver();
    solver.stop_when(|| true);
    let lit = solver.literal(&is(x, 0)).unwrap();
    while solver.check(&[lit]) != Decision::Stopped(Stop::Asked) {}
    assert_eq!(solver.interpolants(&line), Interpolation::Stopped(Stop::Asked));
}

#[test]
fn random_straight_lines_are_feasible_or_have_interpolants() {
    let cells = vec![cell(0), cell(1), Term::local(0, Sort::Bool), Term::local(1, Sort::Enum(0))];
    let mut dice = Dice(2013);
    let (mut infeasible, mut feasible, mut given_up) = (0, 0, 0);
    for _ in 0..60 {
        let steps: Vec<Step> = (0..1 + dice.below(4))
            .map(|_| Step {
                guard: dice.boolean(&cells, 1),
                updates: (0..cells.len())
                    .filter_map(|place| {
                        let value = match cells[place].sort() {
                            Sort::Bool => dice.boolean(&cells, 1),
                            Sort::Int => dice.integer(&cells, 1),
                            sort => Term::value(Value::Symbol(dice.below(3) as u32), sort),
                        };
                        (dice.below(3) == 0).then_some((place, value))
                    })
                    .collect(),
            })
            .collect();
        let init = Term::conjunction(cells.iter().map(domain)).and(dice.boolean(&cells, 2));
        let line = StraightLine { cells: cells.clone(), init, steps, bad: dice.boolean(&cells, 2) };
        // The same question, asked of the solver about the first state only.
        let path = (line.steps.iter().rev())
            .fold(line.bad.clone(), |after, step| step.guard.clone().and(line.before(step, &after)));
        let mut solver = solver();
        let lits = [solver.literal(&line.init).unwrap(), solver.literal(&path).unwrap()];
        let expected = solver.check(&lits);
        match solver.interpolants(&line) {
            Interpolation::Interpolants(found) => {
                assert_eq!(expected, Decision::Unsat, "{line:?}");
                line.check(&found, &mut crate::solver()).unwrap();
                infeasible += 1;
            }
            Interpolation::Feasible => {
                assert_eq!(expected, Decision::Sat, "{line:?}");
                feasible += 1;
            }
            Interpolation::Stopped(why) => {
                eprintln!("{why}");
                given_up += 1
            }
            Interpolation::Unsupported(what) => panic!("{what}"),
        }
    }
    eprintln!("{infeasible} infeasible, {feasible} feasible, {given_up} given up");
    assert!(infeasible >= 10 && feasible >= 10 && given_up <= 6, "{infeasible}, {feasible}, {given_up}");
}
