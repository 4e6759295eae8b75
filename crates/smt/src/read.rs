//! Interpolants, read from Z3's text into terms over the cells of a straight line.
//!
//! Z3 prints a model as definitions `(define-fun I0 ((x Int) …) Bool body)`. The parameters are the
//! cells in order; a body is made of linear arithmetic, connectives and `let`. A word that is not
//! expected makes it unreadable, which is a reason to give up and nothing worse: what is read is
//! checked by the solver afterwards.
//!
//! SMT-LIB's `div` and `mod` never leave a negative rest; wattle's go towards zero. `x mod k` is
//! `r < 0 ? r + |k| : r` with `r = x % |k|`, and `x div k` is `(x - x mod k) / k`, where rounding does
//! not matter.

use wattle_logic::{Binary, Kind, Sort, Term, Unary};

use crate::linear::{Against, Linear};
use crate::sexp::Sexp;
use crate::symbols::Symbols;

#[derive(Clone, Debug)]
enum Meaning {
    Bool(Term),
    Int(Linear),
    /// Of an enumeration.
    Symbol(Term),
}

/// The definition of a predicate over the cells, in a model.
pub(crate) fn definition(
    model: &[Sexp],
    name: &str,
    cells: &[Term],
    symbols: &Symbols,
) -> Result<Term, String> {
    // `( (define-fun …) … )`, with or without the word `model`.
    let definitions = model.iter().filter_map(Sexp::list).flatten().filter_map(Sexp::list);
    for definition in definitions {
        let [keyword, defined, parameters, _, body] = definition else { continue };
        if keyword.word() != Some("define-fun") || defined.word() != Some(name) {
            continue;
        }
        let parameters = parameters.list().unwrap_or_default();
        if parameters.len() != cells.len() {
            return Err(format!("{name} has {} parameters", parameters.len()));
        }
        let mut known = Vec::new();
        for (parameter, cell) in parameters.iter().zip(cells) {
            let word =
                parameter.list().and_then(|pair| pair.first()?.word()).ok_or("a parameter without a name")?;
            let meaning = match cell.sort() {
                Sort::Bool => Meaning::Bool(cell.clone()),
                Sort::Enum(_) => Meaning::Symbol(cell.clone()),
                _ => Meaning::Int(Linear::of(cell.clone())),
            };
            known.push((word.to_owned(), meaning));
        }
        return Reader { known, symbols }.boolean(body);
    }
    Err(format!("no definition of {name}"))
}

struct Reader<'a> {
    /// Parameters, then what enclosing `let`s bind; the last of a name counts.
    known: Vec<(String, Meaning)>,
    symbols: &'a Symbols,
}

impl Reader<'_> {
    fn boolean(&mut self, sexp: &Sexp) -> Result<Term, String> {
        match self.meaning(sexp)? {
            Meaning::Bool(term) => Ok(term),
            _ => Err("a value as a condition".to_owned()),
        }
    }

    fn integer(&mut self, sexp: &Sexp) -> Result<Linear, String> {
        match self.meaning(sexp)? {
            Meaning::Int(linear) => Ok(linear),
            _ => Err("something else as an integer".to_owned()),
        }
    }

    fn meaning(&mut self, sexp: &Sexp) -> Result<Meaning, String> {
        let parts = match sexp {
            Sexp::Word(word) => return self.word(word),
            Sexp::List(parts) => parts,
        };
        let Some((operator, arguments)) = parts.split_first() else { return Err("an empty list".to_owned()) };
        let operator = match operator {
            Sexp::Word(operator) => operator.as_str(),
            Sexp::List(tester) => return self.tester(tester, arguments),
        };
        match operator {
            "let" => self.binding(arguments),
            "+" | "-" | "*" | "div" | "mod" => self.arithmetic(operator, arguments).map(Meaning::Int),
            "ite" => self.choice(arguments),
            _ => self.condition(operator, arguments).map(Meaning::Bool),
        }
    }

    fn word(&self, word: &str) -> Result<Meaning, String> {
        if let Some((_, meaning)) = self.known.iter().rev().find(|(name, _)| name == word) {
            return Ok(meaning.clone());
        }
        match word {
            "true" => Ok(Meaning::Bool(Term::bool(true))),
            "false" => Ok(Meaning::Bool(Term::bool(false))),
            _ => match (word.parse(), self.symbols.read(word)) {
                (Ok(number), _) => Ok(Meaning::Int(Linear::constant(number))),
                (Err(_), Some(symbol)) => Ok(Meaning::Symbol(symbol)),
                (Err(_), None) => Err(format!("the word `{word}`")),
            },
        }
    }

    /// `((_ is e0_1) x)`: is a value this symbol?
    fn tester(&mut self, tester: &[Sexp], arguments: &[Sexp]) -> Result<Meaning, String> {
        let ([Sexp::Word(underscore), Sexp::Word(is), symbol], [value]) = (tester, arguments) else {
            return Err("an operator that is a list".to_owned());
        };
        match (underscore.as_str(), is.as_str(), self.meaning(symbol)?, self.meaning(value)?) {
            ("_", "is", Meaning::Symbol(symbol), Meaning::Symbol(value)) => {
                Ok(Meaning::Bool(value.equals(symbol)))
            }
            _ => Err("an operator that is a list".to_owned()),
        }
    }

    /// All at once: what is bound does not see the others.
    fn binding(&mut self, arguments: &[Sexp]) -> Result<Meaning, String> {
        let [bindings, body] = arguments else { return Err("a `let` without a body".to_owned()) };
        let mut bound = Vec::new();
        for binding in bindings.list().unwrap_or_default() {
            match binding.list() {
                Some([Sexp::Word(name), value]) => bound.push((name.clone(), self.meaning(value)?)),
                _ => return Err("a `let` that binds nothing".to_owned()),
            }
        }
        let before = self.known.len();
        self.known.extend(bound);
        let meaning = self.meaning(body);
        self.known.truncate(before);
        meaning
    }

    fn arithmetic(&mut self, operator: &str, arguments: &[Sexp]) -> Result<Linear, String> {
        let mut numbers = Vec::new();
        for argument in arguments {
            numbers.push(self.integer(argument)?);
        }
        let (first, rest) = numbers.split_first().ok_or("an operator without operands")?;
        match (operator, rest) {
            ("-", []) => first.clone().times(-1),
            ("+", rest) => rest.iter().try_fold(first.clone(), Linear::plus),
            ("-", rest) => rest.iter().try_fold(first.clone(), Linear::minus),
            ("*", rest) => rest.iter().try_fold(first.clone(), |product, factor| {
                match (product.as_constant(), factor.as_constant()) {
                    (_, Some(by)) => product.times(by),
                    (Some(by), None) => factor.clone().times(by),
                    (None, None) => Err("a product of variables".to_owned()),
                }
            }),
            (_, [by]) => match by.as_constant() {
                Some(by) if by != 0 && by != i64::MIN => {
                    let rest = rest_of(&first.term(), by);
                    match operator {
                        "mod" => Ok(Linear::of(rest)),
                        _ => {
                            let multiple = Term::binary(Binary::Subtract, first.term(), rest);
                            Ok(Linear::of(Term::binary(Binary::Divide, multiple, Term::int(by))))
                        }
                    }
                }
                _ => Err("division by a variable".to_owned()),
            },
            _ => Err(format!("`{operator}` of {} operands", arguments.len())),
        }
    }

    fn choice(&mut self, arguments: &[Sexp]) -> Result<Meaning, String> {
        let [condition, then, otherwise] = arguments else {
            return Err("an `ite` of other than three".to_owned());
        };
        let condition = self.boolean(condition)?;
        match (self.meaning(then)?, self.meaning(otherwise)?) {
            (Meaning::Bool(then), Meaning::Bool(otherwise)) => {
                Ok(Meaning::Bool(Term::if_then_else(condition, then, otherwise)))
            }
            (Meaning::Int(then), Meaning::Int(otherwise)) => {
                let choice = Term::if_then_else(condition, then.term(), otherwise.term());
                Ok(Meaning::Int(Linear::of(choice)))
            }
            (Meaning::Symbol(then), Meaning::Symbol(otherwise)) => {
                Ok(Meaning::Symbol(Term::if_then_else(condition, then, otherwise)))
            }
            _ => Err("a choice between sorts".to_owned()),
        }
    }

    fn condition(&mut self, operator: &str, arguments: &[Sexp]) -> Result<Term, String> {
        if let ("=", [Sexp::List(rest), Sexp::Word(zero)]) = (operator, arguments)
            && let ([Sexp::Word(of), number, by], "0") = (rest.as_slice(), zero.as_str())
            && of == "mod"
            && let Some(by) = self.integer(by)?.as_constant()
            && by > 0
        {
            // Whichever way division rounds.
            let rest = Term::binary(Binary::Remainder, self.integer(number)?.term(), Term::int(by));
            return Ok(rest.equals(Term::int(0)));
        }
        let mut meanings = Vec::new();
        for argument in arguments {
            meanings.push(self.meaning(argument)?);
        }
        match (operator, meanings.as_slice()) {
            ("and" | "or", parts) => {
                let mut conditions = Vec::new();
                for part in parts {
                    conditions.push(condition(part)?);
                }
                let join = if operator == "and" { Term::and } else { Term::or };
                Ok(conditions.into_iter().reduce(join).unwrap_or_else(|| Term::bool(operator == "and")))
            }
            ("not", [part]) => Ok(opposite(&condition(part)?)),
            ("=>", [one, other]) => Ok(Term::binary(Binary::Implies, condition(one)?, condition(other)?)),
            (
                "=" | "distinct",
                [Meaning::Bool(one), Meaning::Bool(other)] | [Meaning::Symbol(one), Meaning::Symbol(other)],
            ) => {
                let equal = if operator == "=" { Binary::Equal } else { Binary::NotEqual };
                Ok(Term::binary(equal, one.clone(), other.clone()))
            }
            (_, [Meaning::Int(one), Meaning::Int(other)]) => compare(operator, one, other),
            _ => Err(format!("`{operator}` of {} operands", arguments.len())),
        }
    }
}

fn compare(operator: &str, one: &Linear, other: &Linear) -> Result<Term, String> {
    let less = |one: &Linear, other: &Linear| {
        one.clone().minus(other)?.plus(&Linear::constant(1))?.compared(Against::AtMost)
    };
    let at_most = |one: &Linear, other: &Linear| one.clone().minus(other)?.compared(Against::AtMost);
    match operator {
        "=" => one.clone().minus(other)?.compared(Against::Equal),
        "distinct" => Ok(opposite(&one.clone().minus(other)?.compared(Against::Equal)?)),
        "<" => less(one, other),
        ">" => less(other, one),
        "<=" => at_most(one, other),
        ">=" => at_most(other, one),
        _ => Err(format!("the operator `{operator}`")),
    }
}

fn condition(meaning: &Meaning) -> Result<Term, String> {
    match meaning {
        Meaning::Bool(term) => Ok(term.clone()),
        _ => Err("a value as a condition".to_owned()),
    }
}

/// The negation, without the word where a comparison says it.
pub(crate) fn opposite(term: &Term) -> Term {
    match term.kind() {
        Kind::Unary(Unary::Not, inner) => inner.clone(),
        Kind::Binary(Binary::Less, a, b) => Term::binary(Binary::LessEqual, b.clone(), a.clone()),
        Kind::Binary(Binary::LessEqual, a, b) => Term::binary(Binary::Less, b.clone(), a.clone()),
        Kind::Binary(Binary::Equal, a, b) => Term::binary(Binary::NotEqual, a.clone(), b.clone()),
        Kind::Binary(Binary::NotEqual, a, b) => Term::binary(Binary::Equal, a.clone(), b.clone()),
        _ if term.is_true() => Term::bool(false),
        _ if term.is_false() => Term::bool(true),
        _ => term.negated(),
    }
}

/// `x mod k`, which is never negative.
fn rest_of(term: &Term, by: i64) -> Term {
    let size = Term::int(by.saturating_abs());
    let rest = Term::binary(Binary::Remainder, term.clone(), size.clone());
    let negative = Term::binary(Binary::Less, rest.clone(), Term::int(0));
    Term::if_then_else(negative, Term::binary(Binary::Add, rest.clone(), size), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sexp::parse;
    use wattle_logic::{Environment, Fault, Value};

    struct Values([i64; 2]);

    impl Environment for Values {
        fn locate(&self, _: u32, _: &[i64]) -> Result<u32, Fault> {
            Err(Fault::Meaningless)
        }
        fn local(&self, local: u32) -> Result<Value, Fault> {
            Ok(Value::Int(self.0[local as usize]))
        }
    }

    fn read(body: &str) -> Result<Term, String> {
        let cells = [Term::local(0, Sort::Int), Term::local(1, Sort::Int)];
        let model = format!("((define-fun I0 ((x!0 Int) (x!1 Int)) Bool {body}))");
        definition(&parse(&model)?, "I0", &cells, &Symbols::default())
    }

    #[test]
    fn an_inequality_comes_out_the_same_however_it_is_written() {
        let (x, y) = (Term::local(0, Sort::Int), Term::local(1, Sort::Int));
        let at_most =
            |one: &Term, other: &Term| Ok(Term::binary(Binary::LessEqual, one.clone(), other.clone()));
        for body in [
            "(<= x!0 x!1)",
            "(not (>= (+ x!0 (* (- 1) x!1)) 1))",
            "(>= (* 2 x!1) (* 2 x!0))",
            "(let ((a!1 (- x!0 x!1))) (< a!1 1))",
        ] {
            assert_eq!(read(body), at_most(&x, &y), "{body}");
        }
        let less = Term::binary(Binary::Less, x.clone(), y.clone());
        assert_eq!(read("(<= (+ x!0 (* (- 1) x!1)) (- 1))"), Ok(less));
        assert_eq!(read("(>= x!0 3)"), at_most(&Term::int(3), &x));
        assert_eq!(read("(<= (* 2 x!0) 7)"), at_most(&x, &Term::int(3)), "of integers");
        assert_eq!(read("(= (* 2 x!0) 7)"), Ok(Term::bool(false)));
        assert_eq!(read("(= (- 5) (* (- 1) x!0))"), Ok(x.clone().equals(Term::int(5))));
        assert_eq!(
            read("(= (mod x!0 2) 0)"),
            Ok(Term::binary(Binary::Remainder, x, Term::int(2)).equals(Term::int(0)))
        );
    }

    #[test]
    fn division_leaves_no_negative_rest() {
        for (body, holds) in [
            ("(= (mod x!0 3) x!1)", (|x, y| x.rem_euclid(3) == y) as fn(i64, i64) -> bool),
            ("(= (mod x!0 (- 3)) x!1)", |x, y| x.rem_euclid(-3) == y),
            ("(= (div x!0 3) x!1)", |x, y| x.div_euclid(3) == y),
            ("(= (div x!0 (- 3)) x!1)", |x, y| x.div_euclid(-3) == y),
            ("(= (ite (> x!0 0) x!0 (- x!0)) x!1)", |x, y| x.abs() == y),
            ("(distinct (+ x!0 2) (- x!1 1 1))", |x, y| x + 2 != y - 2),
            ("(=> (and (< x!0 2) (not (= x!0 x!1))) (or (> x!1 1) false))", |x, y| {
                !(x < 2 && x != y) || y > 1
            }),
        ] {
            let term = read(body).unwrap();
            for x in -7..=7 {
                for y in -7..=7 {
                    assert_eq!(term.evaluate_bool(&Values([x, y])), Ok(holds(x, y)), "{body} of {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for body in [
            "(exists ((z Int)) (= z x!0))",
            "(= (* x!0 x!1) 0)",
            "(= (div 1 x!0) 0)",
            "(<= x!0 9223372036854775808)",
            "(<= (* x!0 9223372036854775807) (* x!0 (- 2)))",
            "x!0",
            "z",
            "()",
            "(and x!0 true)",
            "((_ is e0_1) x!0)",
            "(let ((a 1)) a)",
        ] {
            assert!(read(body).is_err(), "{body}: {:?}", read(body));
        }
        let none = definition(&[], "I0", &[], &Symbols::default());
        assert!(none.is_err());
    }
}
