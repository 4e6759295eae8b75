//! A second implementation of the solver's traits, which tries all values of a small domain; and random
//! terms for both.

use wattle_logic::{Binary, Environment, Fault, Kind, Sort, Symbol, Term, Unary, Value};
use wattle_smt::{Decide, Decision, Lit, Models, Unsupported};

/// Every integer variable is in this range.
pub const LOW: i64 = -4;
pub const HIGH: i64 = 4;
/// How many values the enumeration has.
pub const SYMBOLS: u32 = 3;

/// One variable of every kind of leaf.
pub fn leaves() -> Vec<Term> {
    vec![
        Term::local(0, Sort::Int),
        Term::content(Term::address(1, vec![Term::int(2)]), Sort::Int),
        Term::local_of(0, Term::int(1), 0, Sort::Int),
        Term::symbol(Symbol::Bound(7), Sort::Bool),
        Term::local(1, Sort::Bool),
        Term::local(2, Sort::Enum(0)),
    ]
}

/// What restricts a leaf to the domain.
pub fn domain(leaf: &Term) -> Term {
    let at_least = |low| Term::binary(Binary::LessEqual, Term::int(low), leaf.clone());
    match leaf.sort() {
        Sort::Int => at_least(LOW).and(Term::binary(Binary::LessEqual, leaf.clone(), Term::int(HIGH))),
        sort @ Sort::Enum(_) => (0..SYMBOLS)
            .map(|symbol| leaf.clone().equals(Term::value(Value::Symbol(symbol), sort)))
            .reduce(Term::or)
            .unwrap(),
        _ => Term::bool(true),
    }
}

struct Nothing;

impl Environment for Nothing {
    fn locate(&self, _: u32, _: &[i64]) -> Result<u32, Fault> {
        Err(Fault::Meaningless)
    }
}

/// What a term is worth when leaves have these values.
pub fn evaluate(term: &Term, leaves: &[Term], values: &[Value]) -> Value {
    fn replace(term: &Term, leaves: &[Term], values: &[Value]) -> Term {
        if let Some(place) = leaves.iter().position(|leaf| leaf == term) {
            return Term::value(values[place].clone(), term.sort());
        }
        let of = |term: &Term| replace(term, leaves, values);
        match term.kind() {
            Kind::Unary(operator, a) => Term::unary(*operator, of(a)),
            Kind::Binary(operator, a, b) => Term::binary(*operator, of(a), of(b)),
            Kind::If(a, b, c) => Term::if_then_else(of(a), of(b), of(c)),
            _ => term.clone(),
        }
    }
    replace(term, leaves, values).evaluate(&Nothing).unwrap()
}

pub struct Brute {
    leaves: Vec<Term>,
    terms: Vec<Term>,
    model: Option<Vec<Value>>,
    core: Vec<Lit>,
    lits: Vec<Lit>,
}

impl Brute {
    /// `lits` are some literals to hand out: nobody but a solver can make any.
    pub fn new(leaves: Vec<Term>, lits: Vec<Lit>) -> Brute {
        Brute { leaves, terms: Vec::new(), model: None, core: Vec::new(), lits }
    }

    /// All values of the leaves.
    pub fn all(leaves: &[Term]) -> Vec<Vec<Value>> {
        let mut all = vec![vec![]];
        for leaf in leaves {
            let values: Vec<Value> = match leaf.sort() {
                Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                Sort::Enum(_) => (0..SYMBOLS).map(Value::Symbol).collect(),
                _ => (LOW..=HIGH).map(Value::Int).collect(),
            };
            all = (all.iter())
                .flat_map(|row| {
                    values.iter().map(move |value| [&row[..], std::slice::from_ref(value)].concat())
                })
                .collect();
        }
        all
    }
}

impl Decide for Brute {
    fn literal(&mut self, term: &Term) -> Result<Lit, Unsupported> {
        if !self.terms.contains(term) {
            self.terms.push(term.clone());
        }
        let place = self.terms.iter().position(|other| other == term).unwrap();
        Ok(self.lits[place])
    }

    fn check(&mut self, assumptions: &[Lit]) -> Decision {
        let term = |lit: &Lit| &self.terms[self.lits.iter().position(|other| other == lit).unwrap()];
        let terms: Vec<&Term> = assumptions.iter().map(term).collect();
        let holds = |term: &Term, row: &[Value]| evaluate(term, &self.leaves, row) == Value::Bool(true);
        let found =
            Brute::all(&self.leaves).into_iter().find(|row| terms.iter().all(|term| holds(term, row)));
        self.model = found;
        self.core = if self.model.is_none() { assumptions.to_vec() } else { Vec::new() };
        if self.model.is_some() { Decision::Sat } else { Decision::Unsat }
    }

    fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }
}

impl Models for Brute {
    fn holds(&mut self, term: &Term) -> Option<bool> {
        evaluate(term, &self.leaves, self.model.as_ref()?).as_bool()
    }

    fn integer(&mut self, term: &Term) -> Option<i64> {
        evaluate(term, &self.leaves, self.model.as_ref()?).as_int()
    }
}

/// Numbers from a seed (xorshift).
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize].clone()
    }

    fn leaf(&mut self, leaves: &[Term], sort: Sort) -> Option<Term> {
        let fitting: Vec<Term> = leaves.iter().filter(|leaf| leaf.sort() == sort).cloned().collect();
        (!fitting.is_empty()).then(|| self.pick(&fitting))
    }

    pub fn integer(&mut self, leaves: &[Term], depth: u32) -> Term {
        let constant = |dice: &mut Dice| Term::int(dice.below(11) as i64 - 5);
        if depth == 0 || self.below(4) == 0 {
            let leaf = self.leaf(leaves, Sort::Int);
            return if self.below(3) == 0 { constant(self) } else { leaf.unwrap_or_else(|| constant(self)) };
        }
        let a = self.integer(leaves, depth - 1);
        match self.below(7) {
            0 => Term::unary(self.pick(&[Unary::Negate, Unary::Complement]), a),
            1 => Term::binary(Binary::Multiply, a, constant(self)),
            2 => Term::binary(Binary::Multiply, constant(self), a),
            kind @ (3 | 4) => {
                let by = self.pick(&[-7, -3, -2, -1, 1, 2, 3, 5]);
                let operator = if kind == 3 { Binary::Divide } else { Binary::Remainder };
                Term::binary(operator, a, Term::int(by))
            }
            5 => Term::if_then_else(self.boolean(leaves, depth - 1), a, self.integer(leaves, depth - 1)),
            _ => {
                let operator = self.pick(&[Binary::Add, Binary::Subtract]);
                Term::binary(operator, a, self.integer(leaves, depth - 1))
            }
        }
    }

    pub fn boolean(&mut self, leaves: &[Term], depth: u32) -> Term {
        use Binary::*;
        if depth == 0 {
            return match self.below(3) {
                0 => self.leaf(leaves, Sort::Bool).unwrap_or_else(|| Term::bool(true)),
                1 => match leaves.iter().find(|leaf| matches!(leaf.sort(), Sort::Enum(_))) {
                    Some(leaf) => {
                        let symbol = Value::Symbol(self.below(u64::from(SYMBOLS)) as u32);
                        leaf.clone().equals(Term::value(symbol, leaf.sort()))
                    }
                    None => Term::bool(false),
                },
                _ => self.boolean(leaves, 1),
            };
        }
        if self.below(3) > 0 {
            let operator = self.pick(&[Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
            return Term::binary(operator, self.integer(leaves, depth - 1), self.integer(leaves, depth - 1));
        }
        let a = self.boolean(leaves, depth - 1);
        match self.below(4) {
            0 => a.negated(),
            1 => Term::if_then_else(a, self.boolean(leaves, depth - 1), self.boolean(leaves, depth - 1)),
            _ => {
                let operator = self.pick(&[And, Or, Implies, Equal, NotEqual]);
                Term::binary(operator, a, self.boolean(leaves, depth - 1))
            }
        }
    }
}
