//! Differences of integers, decided without Z3.
//!
//! Most questions of predicate abstraction compare a few cells with each other or with constants. Z3 takes 50 to
//! 200 µs for such a question, nearly all of it for being general; the procedure here takes one or two.
//!
//! **Idea.** A set of constraints `x - y <= c` can hold at once exactly if the graph that has, for each of them, an
//! edge of weight c from y to x has no cycle of negative weight (Bellman). A *potential* shows that there is none:
//! a number for each variable that satisfies all constraints, which is a model at the same time. A new edge
//! is added by lowering the potential where it must be; if that comes back to where the edge begins, the path is a
//! negative cycle, and its edges contradict each other (Cotton and Maler, *Fast and Flexible Difference
//! Constraint Propagation for DPLL(T)*, SAT 2006). A constant is a difference to a variable that stands for zero.
//!
//! **Alternatives.** `x != y`, disjunctions and implications leave a choice. None is made while the present model
//! satisfies one of the alternatives; else each is tried. A contradiction names the assumptions and the
//! choices that it comes from, so that one which has nothing to do with the last choice ends the earlier one
//! too, and the assumptions that are left in the end are a core.
//!
//! **Few values.** A comparison of anything else is understood if its variables always have few values: it is the list of the
//! values that satisfy it. `(x + y) % 2 == 0` with x and y among 0 and 1 is `x = 0 and y = 0, or x = 1 and y = 1`.
//!
//! **Not understood** are otherwise sums of several variables, multiples, quotients and choices between integers, numbers of
//! more than forty bits, long formulas, and questions that need many choices. All these go to Z3. What both understand
//! they decide alike (`tests/smt/difference.rs` compares them). Judges of certificates do without this procedure
//! ([`crate::Solver::with_differences`]): their answers are Z3's.

use std::collections::HashMap;
use std::sync::Arc;

use wattle_logic::Term;

use crate::translate::{Operator, Shape, Theory, shape};

/// Formulas with more nodes are Z3's.
const LARGEST: u32 = 400;

/// Constants beyond are Z3's: sums of them must not leave 64 bits.
const GREATEST: i64 = 1 << 40;

/// No more alternatives than this are tried for one question.
const MOST_TRIED: u32 = 256;

/// No potential is lowered more often than this for one question.
const MOST_LOWERED: u32 = 100_000;

/// A comparison that so many combinations of values may satisfy is listed.
const MOST_LISTED: i64 = 32;

/// The variable that stands for zero.
const ZERO: u32 = 0;

/// A formula without negations.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Formula {
    Constant(bool),
    /// `of - to <= most`.
    Difference {
        of: u32,
        to: u32,
        most: i64,
    },
    Truth {
        of: u32,
        value: bool,
    },
    All(Arc<[Formula]>),
    Any(Arc<[Formula]>),
}

impl Formula {
    fn all(parts: Vec<Formula>) -> Formula {
        Formula::together(parts, true, Formula::All)
    }

    fn any(parts: Vec<Formula>) -> Formula {
        Formula::together(parts, false, Formula::Any)
    }

    /// `neutral`: the constant that can be left out; the other one decides.
    fn together(mut parts: Vec<Formula>, neutral: bool, make: impl Fn(Arc<[Formula]>) -> Formula) -> Formula {
        if parts.contains(&Formula::Constant(!neutral)) {
            return Formula::Constant(!neutral);
        }
        parts.retain(|part| *part != Formula::Constant(neutral));
        match parts.len() {
            0 => Formula::Constant(neutral),
            1 => parts.swap_remove(0),
            _ => make(parts.into()),
        }
    }
}

/// Assumptions of a question, by their position, and choices, by their depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Reasons([u64; 8]);

/// The positions from here on are choices.
const CHOICES: usize = 448;

impl Reasons {
    fn one(position: usize) -> Reasons {
        let mut all = [0; 8];
        all[position / 64] |= 1 << (position % 64);
        Reasons(all)
    }

    fn and(mut self, other: &Reasons) -> Reasons {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
        self
    }

    fn has(&self, position: usize) -> bool {
        self.0[position / 64] & (1 << (position % 64)) != 0
    }

    fn without(mut self, position: usize) -> Reasons {
        self.0[position / 64] &= !(1 << (position % 64));
        self
    }
}

/// Why something cannot be added.
enum Trouble {
    /// These cannot hold at once.
    Conflict(Reasons),
    /// It takes too long to find out.
    Tired,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    weight: i64,
    reasons: Reasons,
}

/// Constraints, and numbers that satisfy them.
#[derive(Debug, Default)]
struct Graph {
    edges: Vec<Edge>,
    /// By variable: the edges that begin there.
    leaving: Vec<Vec<u32>>,
    potential: Vec<i64>,
    /// What potentials were before, oldest first.
    lowered: Vec<(u32, i64)>,
    /// By variable: the edge that lowered it last.
    by: Vec<u32>,
    open: Vec<u32>,
}

impl Graph {
    fn variable(&mut self) -> u32 {
        self.leaving.push(vec![]);
        self.potential.push(0);
        self.by.push(0);
        self.potential.len() as u32 - 1
    }

    fn holds(&self, of: u32, to: u32, most: i64) -> bool {
        self.potential[of as usize] - self.potential[to as usize] <= most
    }

    /// `of - to <= most` from now on.
    fn add(&mut self, of: u32, to: u32, most: i64, reasons: Reasons) -> Result<(), Trouble> {
        if of == to {
            return if most >= 0 { Ok(()) } else { Err(Trouble::Conflict(reasons)) };
        }
        let new = self.edges.len() as u32;
        self.edges.push(Edge { from: to, to: of, weight: most, reasons });
        self.leaving[to as usize].push(new);
        if self.holds(of, to, most) {
            return Ok(());
        }
        self.lower(of, self.potential[to as usize] + most, new);
        self.open.clear();
        self.open.push(of);
        let mut next = 0;
        while next < self.open.len() {
            let at = self.open[next];
            next += 1;
            for number in 0..self.leaving[at as usize].len() {
                let edge = self.leaving[at as usize][number];
                let Edge { to: beyond, weight, .. } = self.edges[edge as usize];
                let value = self.potential[at as usize] + weight;
                if value >= self.potential[beyond as usize] {
                    continue;
                }
                if beyond == to {
                    return Err(Trouble::Conflict(self.cycle(new, at, edge)));
                }
                if self.lowered.len() > MOST_LOWERED as usize {
                    return Err(Trouble::Tired);
                }
                self.lower(beyond, value, edge);
                self.open.push(beyond);
            }
        }
        Ok(())
    }

    fn lower(&mut self, variable: u32, value: i64, by: u32) {
        self.lowered.push((variable, self.potential[variable as usize]));
        self.potential[variable as usize] = value;
        self.by[variable as usize] = by;
    }

    /// The reasons of the cycle that the first edge begins, and that the last closes from `at`.
    fn cycle(&self, first: u32, at: u32, last: u32) -> Reasons {
        let mut reasons = self.edges[last as usize].reasons;
        let mut at = at;
        loop {
            let by = self.by[at as usize];
            reasons = reasons.and(&self.edges[by as usize].reasons);
            if by == first {
                return reasons;
            }
            at = self.edges[by as usize].from;
        }
    }

    /// Forget the edges from this one on. Potentials satisfy the others all the more.
    fn forget(&mut self, from: usize) {
        while self.edges.len() > from {
            if let Some(edge) = self.edges.pop() {
                self.leaving[edge.from as usize].pop();
            }
        }
    }

    /// Take back what was lowered from here on: it did not end with a potential.
    fn take_back(&mut self, from: usize) {
        while self.lowered.len() > from {
            if let Some((variable, value)) = self.lowered.pop() {
                self.potential[variable as usize] = value;
            }
        }
    }
}

/// What was decided, by positions of assumptions.
pub(crate) enum Decided {
    Sat,
    /// These contradict each other.
    Unsat(Vec<usize>),
}

#[derive(Debug)]
pub(crate) struct Differences {
    /// Integers; the number 0 is [`ZERO`].
    variables: HashMap<Term, u32>,
    truths: HashMap<Term, u32>,
    /// By literal of the solver.
    formulas: Vec<Option<Formula>>,
    graph: Graph,
    /// By boolean variable.
    values: Vec<Option<(bool, Reasons)>>,
    /// The boolean variables that have values, oldest first.
    trail: Vec<u32>,
    /// Disjunctions that were asked for.
    pending: Vec<(Arc<[Formula]>, Reasons)>,
    /// What always holds, as far as the graph does not have it yet.
    waiting: Vec<Formula>,
    base: Mark,
    /// The least and the greatest value that a variable always has, where these are known.
    bounds: HashMap<u32, (Option<i64>, Option<i64>)>,
    /// What always holds is beyond this procedure, so that it may answer nothing.
    beyond: bool,
    /// What always holds is a contradiction.
    impossible: bool,
    tried: u32,
}

/// How much there is of everything that can be taken back.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    edges: usize,
    trail: usize,
    pending: usize,
}

impl Differences {
    pub(crate) fn new() -> Differences {
        let mut graph = Graph::default();
        graph.variable();
        Differences {
            variables: HashMap::new(),
            truths: HashMap::new(),
            formulas: vec![],
            graph,
            values: vec![],
            trail: vec![],
            pending: vec![],
            waiting: vec![],
            base: Mark::default(),
            bounds: HashMap::new(),
            beyond: false,
            impossible: false,
            tried: 0,
        }
    }

    /// The next literal of the solver: is its term understood?
    pub(crate) fn literal(&mut self, term: &Term) -> bool {
        let formula = self.formula(term);
        let understood = formula.is_some();
        self.formulas.push(formula);
        understood
    }

    /// This always holds.
    pub(crate) fn assert(&mut self, term: &Term) {
        match self.formula(term) {
            Some(formula) => {
                self.note(&formula);
                self.waiting.push(formula);
            }
            None => self.beyond = true,
        }
    }

    /// Bounds that follow from what always holds.
    fn note(&mut self, formula: &Formula) {
        match formula {
            Formula::All(parts) => parts.iter().for_each(|part| self.note(part)),
            Formula::Difference { of, to: ZERO, most } => {
                let high = &mut self.bounds.entry(*of).or_default().1;
                *high = Some(high.map_or(*most, |high| high.min(*most)));
            }
            Formula::Difference { of: ZERO, to, most } => {
                let low = &mut self.bounds.entry(*to).or_default().0;
                *low = Some(low.map_or(-*most, |low| low.max(-*most)));
            }
            _ => {}
        }
    }

    /// Can these literals hold at once? `None`: that is for others to say.
    pub(crate) fn decide(&mut self, literals: impl ExactSizeIterator<Item = usize>) -> Option<Decided> {
        if self.beyond || literals.len() > CHOICES {
            return None;
        }
        self.begin();
        if self.beyond {
            return None;
        }
        if self.impossible {
            return Some(Decided::Unsat(vec![]));
        }
        let asked = literals.len();
        let core = |reasons: Reasons| (0..asked).filter(|position| reasons.has(*position)).collect();
        for (position, literal) in literals.enumerate() {
            let formula = self.formulas.get(literal)?.clone()?;
            match self.require(&formula, Reasons::one(position)) {
                Ok(()) => {}
                Err(Trouble::Conflict(reasons)) => return Some(Decided::Unsat(core(reasons))),
                Err(Trouble::Tired) => return None,
            }
        }
        match self.choose(0) {
            Ok(()) => Some(Decided::Sat),
            Err(Trouble::Conflict(reasons)) => Some(Decided::Unsat(core(reasons))),
            Err(Trouble::Tired) => None,
        }
    }

    /// What a term is in the model that was found last; *true* is 1. What was never spoken of is 0.
    pub(crate) fn value(&self, term: &Term) -> Option<i64> {
        self.value_with(term, &|variable, theory| {
            Some(match theory {
                Theory::Bool => {
                    let truth = self.truths.get(variable).and_then(|truth| self.values[*truth as usize]);
                    i64::from(truth.is_some_and(|(value, _)| value))
                }
                _ => match self.variables.get(variable) {
                    Some(number) => {
                        self.graph.potential[*number as usize] - self.graph.potential[ZERO as usize]
                    }
                    None => 0,
                },
            })
        })
    }

    /// What a term is if variables have these values.
    fn value_with(&self, term: &Term, variable: &dyn Fn(&Term, &Theory) -> Option<i64>) -> Option<i64> {
        let of = |term: &Term| self.value_with(term, variable);
        Some(match shape(term).ok()? {
            Shape::Bool(value) => i64::from(value),
            Shape::Int(value) => value,
            Shape::Symbol(_, value) => i64::from(value),
            Shape::Variable(theory) => variable(term, &theory)?,
            Shape::Not(a) => 1 - of(a)?,
            Shape::Negate(a) => of(a)?.checked_neg()?,
            Shape::Complement(a) => !of(a)?,
            Shape::If(condition, then, otherwise) => of(if of(condition)? == 1 { then } else { otherwise })?,
            Shape::Divide(a, by) => of(a)?.checked_div(by)?,
            Shape::Remainder(a, by) => of(a)?.checked_rem(by)?,
            Shape::Binary(operator, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match operator {
                    Operator::And => a & b,
                    Operator::Or => a | b,
                    Operator::Implies => (1 - a) | b,
                    Operator::Equal => i64::from(a == b),
                    Operator::NotEqual => i64::from(a != b),
                    Operator::Less => i64::from(a < b),
                    Operator::LessEqual => i64::from(a <= b),
                    Operator::Greater => i64::from(a > b),
                    Operator::GreaterEqual => i64::from(a >= b),
                    Operator::Add => a.checked_add(b)?,
                    Operator::Subtract => a.checked_sub(b)?,
                    Operator::Multiply => a.checked_mul(b)?,
                }
            }
        })
    }

    /// Nothing is assumed but what always holds.
    fn begin(&mut self) {
        self.take_back(self.base);
        self.graph.take_back(0);
        self.tried = 0;
        if self.waiting.is_empty() {
            return;
        }
        for formula in std::mem::take(&mut self.waiting) {
            match self.require(&formula, Reasons::default()) {
                Ok(()) => {}
                Err(Trouble::Conflict(_)) => self.impossible = true,
                Err(Trouble::Tired) => self.beyond = true,
            }
        }
        self.base = self.mark();
        // These potentials are where every question begins.
        self.graph.lowered.clear();
    }

    fn mark(&self) -> Mark {
        Mark { edges: self.graph.edges.len(), trail: self.trail.len(), pending: self.pending.len() }
    }

    fn take_back(&mut self, to: Mark) {
        self.graph.forget(to.edges);
        for truth in self.trail.drain(to.trail..) {
            self.values[truth as usize] = None;
        }
        self.pending.truncate(to.pending);
    }

    fn require(&mut self, formula: &Formula, reasons: Reasons) -> Result<(), Trouble> {
        match formula {
            Formula::Constant(true) => Ok(()),
            Formula::Constant(false) => Err(Trouble::Conflict(reasons)),
            Formula::Difference { of, to, most } => {
                let before = self.graph.lowered.len();
                let added = self.graph.add(*of, *to, *most, reasons);
                if added.is_err() {
                    self.graph.take_back(before);
                }
                added
            }
            Formula::Truth { of, value } => match self.values[*of as usize] {
                Some((known, _)) if known == *value => Ok(()),
                Some((_, other)) => Err(Trouble::Conflict(reasons.and(&other))),
                None => {
                    self.values[*of as usize] = Some((*value, reasons));
                    self.trail.push(*of);
                    Ok(())
                }
            },
            Formula::All(parts) => parts.iter().try_for_each(|part| self.require(part, reasons)),
            Formula::Any(parts) => {
                self.pending.push((parts.clone(), reasons));
                Ok(())
            }
        }
    }

    fn holds(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Difference { of, to, most } => self.graph.holds(*of, *to, *most),
            Formula::Truth { of, value } => {
                self.values[*of as usize].is_some_and(|(known, _)| known) == *value
            }
            Formula::All(parts) => parts.iter().all(|part| self.holds(part)),
            Formula::Any(parts) => parts.iter().any(|part| self.holds(part)),
        }
    }

    /// Let the model satisfy the disjunctions too.
    fn choose(&mut self, depth: usize) -> Result<(), Trouble> {
        // The newest first: an alternative that was chosen may bring more of them.
        let mut newest = self.pending.iter().rev();
        let open = newest.find(|(parts, _)| !parts.iter().any(|part| self.holds(part)));
        let Some((parts, mut conflict)) = open.cloned() else { return Ok(()) };
        let choice = CHOICES + depth;
        if choice >= 512 {
            return Err(Trouble::Tired);
        }
        let before = self.mark();
        for part in parts.iter() {
            self.tried += 1;
            if self.tried > MOST_TRIED {
                return Err(Trouble::Tired);
            }
            let chosen = self.require(part, Reasons::one(choice)).and_then(|()| self.choose(depth + 1));
            let Err(Trouble::Conflict(reasons)) = chosen else { return chosen };
            self.take_back(before);
            if !reasons.has(choice) {
                return Err(Trouble::Conflict(reasons));
            }
            conflict = conflict.and(&reasons.without(choice));
        }
        Err(Trouble::Conflict(conflict))
    }

    fn formula(&mut self, term: &Term) -> Option<Formula> {
        if term.size() > LARGEST { None } else { self.read(term, true) }
    }

    /// A term, or its negation.
    fn read(&mut self, term: &Term, positive: bool) -> Option<Formula> {
        match shape(term).ok()? {
            Shape::Bool(value) => Some(Formula::Constant(value == positive)),
            Shape::Variable(Theory::Bool) => {
                let new = self.values.len() as u32;
                let of = *self.truths.entry(term.clone()).or_insert(new);
                if of == new {
                    self.values.push(None);
                }
                Some(Formula::Truth { of, value: positive })
            }
            Shape::Not(inner) => self.read(inner, !positive),
            Shape::If(condition, then, otherwise) => {
                let first = [self.read(condition, false)?, self.read(then, positive)?];
                let second = [self.read(condition, true)?, self.read(otherwise, positive)?];
                Some(Formula::all(vec![Formula::any(first.into()), Formula::any(second.into())]))
            }
            Shape::Binary(operator, a, b) => self.binary(operator, a, b, positive),
            _ => None,
        }
    }

    fn binary(&mut self, operator: Operator, a: &Term, b: &Term, positive: bool) -> Option<Formula> {
        let join = if positive { Formula::all } else { Formula::any };
        let other = if positive { Formula::any } else { Formula::all };
        match operator {
            Operator::And => Some(join(vec![self.read(a, positive)?, self.read(b, positive)?])),
            Operator::Or => Some(other(vec![self.read(a, positive)?, self.read(b, positive)?])),
            Operator::Implies => Some(other(vec![self.read(a, !positive)?, self.read(b, positive)?])),
            Operator::Equal | Operator::NotEqual if shape_is_bool(a) => {
                let equal = positive == (operator == Operator::Equal);
                let first = [self.read(a, false)?, self.read(b, equal)?];
                let second = [self.read(a, true)?, self.read(b, !equal)?];
                Some(Formula::all(vec![Formula::any(first.into()), Formula::any(second.into())]))
            }
            _ => {
                let Some((of, to, constant)) = self.difference(a, b) else {
                    return self.by_values(operator, a, b, positive);
                };
                // of - to + constant is compared with 0.
                let at_most = |extra: i64| bounded(of, to, extra - constant);
                let at_least = |extra: i64| bounded(to, of, constant - extra);
                Some(match (operator, positive) {
                    (Operator::LessEqual, true) | (Operator::Greater, false) => at_most(0),
                    (Operator::Less, true) | (Operator::GreaterEqual, false) => at_most(-1),
                    (Operator::GreaterEqual, true) | (Operator::Less, false) => at_least(0),
                    (Operator::Greater, true) | (Operator::LessEqual, false) => at_least(1),
                    (Operator::Equal, true) | (Operator::NotEqual, false) => {
                        Formula::all(vec![at_most(0), at_least(0)])
                    }
                    (Operator::Equal, false) | (Operator::NotEqual, true) => {
                        Formula::any(vec![at_most(-1), at_least(1)])
                    }
                    _ => return None,
                })
            }
        }
    }

    /// A comparison as the list of the values that satisfy it (or do not), if these are few.
    fn by_values(&mut self, operator: Operator, a: &Term, b: &Term, positive: bool) -> Option<Formula> {
        let mut named: Vec<&Term> = Vec::new();
        for side in [a, b] {
            integers(side, &mut named)?;
        }
        let mut ranges = Vec::new();
        let mut combinations: i64 = 1;
        for term in &named {
            let number = self.variable(term);
            let (Some(low), Some(high)) = *self.bounds.get(&number)? else { return None };
            let many = high.checked_sub(low)?.checked_add(1).filter(|many| *many > 0)?;
            combinations = combinations.checked_mul(many).filter(|all| *all <= MOST_LISTED)?;
            ranges.push((number, low, many));
        }
        let mut found = Vec::new();
        for combination in 0..combinations {
            let mut rest = combination;
            let values: Vec<(u32, i64)> = (ranges.iter())
                .map(|(number, low, many)| {
                    let value = low + rest % many;
                    rest /= many;
                    (*number, value)
                })
                .collect();
            let with = |side: &Term| {
                self.value_with(side, &|term, _| {
                    let at = named.iter().position(|known| *known == term)?;
                    Some(values[at].1)
                })
            };
            let (left, right) = (with(a)?, with(b)?);
            let holds = match operator {
                Operator::Equal => left == right,
                Operator::NotEqual => left != right,
                Operator::Less => left < right,
                Operator::LessEqual => left <= right,
                Operator::Greater => left > right,
                Operator::GreaterEqual => left >= right,
                _ => return None,
            };
            if holds == positive {
                let is = |(number, value): &(u32, i64)| {
                    Formula::all(vec![bounded(*number, ZERO, *value), bounded(ZERO, *number, -*value)])
                };
                found.push(Formula::all(values.iter().map(is).collect()));
            }
        }
        Some(Formula::any(found))
    }

    /// `a - b` as the difference of two variables, and a constant.
    fn difference(&mut self, a: &Term, b: &Term) -> Option<(u32, u32, i64)> {
        let mut sum = Sum::default();
        sum.add(a, 1)?;
        sum.add(b, -1)?;
        sum.parts.retain(|(_, factor)| *factor != 0);
        if sum.constant.abs() > GREATEST {
            return None;
        }
        let (of, to) = match sum.parts[..] {
            [] => (None, None),
            [(one, 1)] => (Some(one), None),
            [(one, -1)] => (None, Some(one)),
            [(one, 1), (other, -1)] | [(other, -1), (one, 1)] => (Some(one), Some(other)),
            _ => return None,
        };
        let mut variable = |term: Option<&Term>| term.map_or(ZERO, |term| self.variable(term));
        let (of, to) = (variable(of), variable(to));
        Some((of, to, sum.constant))
    }

    fn variable(&mut self, term: &Term) -> u32 {
        if let Some(known) = self.variables.get(term) {
            return *known;
        }
        let new = self.graph.variable();
        self.variables.insert(term.clone(), new);
        if let Ok(Shape::Variable(Theory::Enum(_))) = shape(term) {
            self.waiting.push(bounded(ZERO, new, 0));
        }
        new
    }
}

/// The integer variables of a term, each once. `None`: it has others too.
fn integers<'t>(term: &'t Term, found: &mut Vec<&'t Term>) -> Option<()> {
    match shape(term).ok()? {
        Shape::Bool(_) | Shape::Int(_) | Shape::Symbol(..) => {}
        Shape::Variable(Theory::Int) => {
            if !found.contains(&term) {
                found.push(term);
            }
        }
        Shape::Variable(_) => return None,
        Shape::Not(a)
        | Shape::Negate(a)
        | Shape::Complement(a)
        | Shape::Divide(a, _)
        | Shape::Remainder(a, _) => integers(a, found)?,
        Shape::If(condition, then, otherwise) => {
            integers(condition, found)?;
            integers(then, found)?;
            integers(otherwise, found)?;
        }
        Shape::Binary(_, a, b) => {
            integers(a, found)?;
            integers(b, found)?;
        }
    }
    Some(())
}

fn shape_is_bool(term: &Term) -> bool {
    term.sort() == wattle_logic::Sort::Bool
}

fn bounded(of: u32, to: u32, most: i64) -> Formula {
    if of == to { Formula::Constant(0 <= most) } else { Formula::Difference { of, to, most } }
}

/// A constant and multiples of variables.
#[derive(Default)]
struct Sum<'a> {
    parts: Vec<(&'a Term, i64)>,
    constant: i64,
}

impl<'a> Sum<'a> {
    fn add(&mut self, term: &'a Term, times: i64) -> Option<()> {
        match shape(term).ok()? {
            Shape::Int(value) => {
                self.constant = self.constant.checked_add(value.checked_mul(times)?)?;
            }
            Shape::Symbol(_, value) => {
                self.constant = self.constant.checked_add(i64::from(value).checked_mul(times)?)?;
            }
            Shape::Variable(_) => match self.parts.iter_mut().find(|(part, _)| *part == term) {
                Some((_, factor)) => *factor = factor.checked_add(times)?,
                None => self.parts.push((term, times)),
            },
            Shape::Negate(a) => self.add(a, times.checked_neg()?)?,
            // -1 - a.
            Shape::Complement(a) => {
                self.constant = self.constant.checked_sub(times)?;
                self.add(a, times.checked_neg()?)?;
            }
            Shape::Binary(Operator::Add, a, b) => {
                self.add(a, times)?;
                self.add(b, times)?;
            }
            Shape::Binary(Operator::Subtract, a, b) => {
                self.add(a, times)?;
                self.add(b, times.checked_neg()?)?;
            }
            _ => return None,
        }
        Some(())
    }
}
