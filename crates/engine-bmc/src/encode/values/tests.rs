//! Every operator against the evaluator.

use wattle_logic::{Binary, Sort, Unary};
use wattle_program::symbolic::Expr;

use super::*;
use crate::testing::{Formula, holds, shape};
use crate::unroll::structure::Structure;

const BINARY: [Binary; 19] = {
    use Binary::*;
    [
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        BitAnd,
        BitOr,
        BitXor,
        ShiftLeft,
        ShiftRight,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
        Implies,
    ]
};

const SORTS: [Sort; 7] = [
    Sort::Int,
    Sort::Bits { width: 3, signed: true },
    Sort::Bits { width: 3, signed: false },
    Sort::Bits { width: 5, signed: false },
    Sort::Bits { width: 32, signed: true },
    Sort::Bits { width: 64, signed: true },
    Sort::Bits { width: 64, signed: false },
];

/// Compares the words of expressions over two reads of `width` bits with their values.
fn compare(structure: &Structure<'_>, exprs: &[Expr], width: usize, values: &[[i64; 2]]) {
    let mut formula = Formula::default();
    let mut circuit = Circuit::new(&mut formula);
    let reads = [circuit.fresh_word(width), circuit.fresh_word(width)];
    for (event, word) in reads.iter().enumerate() {
        circuit.values.set_read(event as u32, Source::Word(word.clone()));
    }
    let results: Vec<Word> = exprs.iter().map(|expr| circuit.word(structure, *expr)).collect();
    assert_eq!(circuit.accepted(), Ok(()));
    for pair in values {
        let mut assignment = formula.nothing();
        for (word, value) in reads.iter().zip(pair) {
            for (number, literal) in word.bits().iter().enumerate() {
                assignment[literal.variable() as usize] = Some(value >> number & 1 == 1);
            }
        }
        assert!(formula.propagate(&mut assignment), "conflict at {pair:?}");
        for (expr, word) in exprs.iter().zip(&results) {
            // What has no value may be anything.
            let Ok(expected) = structure.arena.evaluate(*expr, pair, &[]) else { continue };
            let value = word.value_by(|literal| holds(&assignment, literal));
            assert_eq!(value, Some(expected), "{:?} at {pair:?}", structure.arena.node(*expr));
        }
    }
}

/// All operators on reads 0 and 1, of all sorts; `Int` only if it cannot overflow.
fn operations(structure: &mut Structure<'_>, int: bool) -> Vec<Expr> {
    let arena = &mut structure.arena;
    let (x, y) = (arena.read(0), arena.read(1));
    let mut exprs = vec![arena.choice(x, y, x), arena.unary(Unary::Not, Sort::Bool, x)];
    for sort in SORTS.into_iter().filter(|sort| int || *sort != Sort::Int) {
        for operator in BINARY {
            exprs.push(arena.binary(operator, sort, x, y));
        }
        exprs.extend([Unary::Negate, Unary::Complement].map(|operator| arena.unary(operator, sort, x)));
        exprs.push(arena.wrap(sort, y));
    }
    exprs
}

#[test]
fn all_pairs_of_four_bits() {
    let shape = shape();
    let mut structure = Structure::new(&shape);
    let mut exprs = operations(&mut structure, true);
    let arena = &mut structure.arena;
    let (x, y) = (arena.read(0), arena.read(1));
    let zero = arena.constant(0);
    exprs.push(arena.element(zero, x, 3));
    exprs.push(arena.element(y, x, 2));
    exprs.push(arena.binary(Binary::Offset, Sort::Address, x, y));
    let number = arena.number(x);
    exprs.push(number);
    let eight = arena.constant(8);
    let moved = arena.binary(Binary::Add, Sort::WORD, number, eight);
    exprs.push(arena.pointer(moved));
    let quotient = arena.binary(Binary::Divide, Sort::Int, x, y);
    let guarded = arena.choice(y, quotient, x);
    exprs.push(guarded);
    let values: Vec<[i64; 2]> = (-8..8).flat_map(|x| (-8..8).map(move |y| [x, y])).collect();
    compare(&structure, &exprs, 4, &values);
}

#[test]
fn constants_on_one_side() {
    let shape = shape();
    let mut structure = Structure::new(&shape);
    let mut exprs = vec![];
    let arena = &mut structure.arena;
    let x = arena.read(0);
    for value in [-9, -8, -3, -1, 0, 1, 2, 5, 8, 40, 1 << 40] {
        let constant = arena.constant(value);
        for sort in SORTS {
            for operator in BINARY {
                // A shift of or by this much leaves 64 bits.
                if operator == Binary::ShiftLeft && sort == Sort::Int && value >= 40 {
                    continue;
                }
                exprs.push(arena.binary(operator, sort, x, constant));
                exprs.push(arena.binary(operator, sort, constant, x));
            }
        }
    }
    let values: Vec<[i64; 2]> = (-8..8).map(|x| [x, 0]).collect();
    compare(&structure, &exprs, 4, &values);
}

#[test]
fn random_pairs_of_64_bits() {
    let shape = shape();
    let mut structure = Structure::new(&shape);
    let exprs = operations(&mut structure, false);
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = (state ^ state >> 29) as i64;
        // Of all lengths, and often extreme.
        match state >> 60 {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => -1,
            3..8 => value >> (state >> 32 & 63),
            _ => value,
        }
    };
    let values: Vec<[i64; 2]> = (0..12).map(|_| [random(), random()]).collect();
    compare(&structure, &exprs, 64, &values);
}

#[test]
fn integers_grow_until_they_are_refused() {
    let shape = shape();
    let mut structure = Structure::new(&shape);
    let mut expr = structure.arena.read(0);
    let mut formula = Formula::default();
    let mut circuit = Circuit::new(&mut formula);
    let word = circuit.fresh_word(33);
    circuit.values.set_read(0, Source::Word(word));
    for width in 34..=64 {
        expr = structure.arena.binary(Binary::Add, Sort::Int, expr, expr);
        assert_eq!(circuit.word(&structure, expr).len(), width);
        assert_eq!(circuit.accepted(), Ok(()));
    }
    expr = structure.arena.binary(Binary::Add, Sort::Int, expr, expr);
    circuit.word(&structure, expr);
    assert!(circuit.accepted().is_err());
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let shape = shape();
    let mut structure = Structure::new(&shape);
    let byte = Sort::Bits { width: 8, signed: false };
    let (x, one) = (structure.arena.read(0), structure.arena.constant(1));
    let mut expr = x;
    for _ in 0..100_000 {
        let sum = structure.arena.binary(Binary::BitXor, byte, expr, x);
        expr = structure.arena.choice(sum, one, expr);
    }
    let mut formula = Formula::default();
    let mut circuit = Circuit::new(&mut formula);
    let word = circuit.fresh_word(1);
    circuit.values.set_read(0, Source::Word(word));
    circuit.word(&structure, expr);
    assert_eq!(circuit.accepted(), Ok(()));
}
