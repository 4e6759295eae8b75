//! The sets on one trace, written as plain cells.
//!
//! Along a trace it is known when each set is emptied and what is inserted, so a set is a list of values: every
//! insertion gets a cell of its own (a *record*), which holds the inserted value from then on, and *is an element
//! of the set* means *equals one of its records*. What is left is a straight line over integers and truth
//! values, which can be solved, interpolated and sliced as any other. A predicate over a record is then offered
//! for each element of its set: of `x_rest` there is one with two records `r1 <= 2` and `r2 <= 2`, and
//! `each(x_rest) <= 2` says both. (One that names two records of one set is dropped: elements of a set have
//! no order.)
//!
//! A value that is inserted on a condition (`if (active) X = X + {v}`) is an element if the condition held then. Where the
//! trace itself decides that, as it does of flags that are set to constants, it is decided here. Otherwise the
//! condition gets a cell too, a truth value; what is said of it is of no use for sets, and is dropped.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use wattle_logic::{Binary, Kind, Sort, Term, Value};

use crate::checker::{AbstractTrace, Violated};
use crate::fold::Fold;
use crate::path::Solution;
use crate::system::{Cell, Check, System, Transition, replace_leaves};

/// A trace without sets.
pub(crate) struct Unfolded {
    pub system: System,
    pub trace: AbstractTrace,
    /// What must hold while the violation is tried.
    pub given: Term,
    /// By cell of the system with sets: the cell that stands for it.
    cells: Vec<Option<usize>>,
    /// The set that a record belongs to.
    records: BTreeMap<Term, Term>,
    /// Cells that hold whether something was inserted.
    conditions: BTreeSet<Term>,
}

/// An element of a set, and the condition on which it is one.
type Member = (Term, Term);

/// `None`: there are no sets.
pub(crate) fn unfold(system: &System, trace: &AbstractTrace, given: &Term) -> Option<Unfolded> {
    if !system.has_sets() {
        return None;
    }
    let mut line = Line::new(system);
    for step in &trace.steps {
        line.take(&system.transitions[*step]);
    }
    let given = line.without_sets(given);
    let violated = match &trace.violated {
        Violated::Check { transition, check } => {
            let number = line.steps.len();
            line.take(&system.transitions[*transition]);
            Violated::Check { transition: number, check: *check }
        }
        property @ Violated::Property(_) => property.clone(),
    };
    let trace =
        AbstractTrace { steps: (0..trace.steps.len()).collect(), states: trace.states.clone(), violated };
    Some(Unfolded { trace, given, ..line.end() })
}

impl Unfolded {
    /// The solution of the trace as one of the trace with sets.
    pub fn solution(&self, found: Solution) -> Solution {
        let of = |cell: &Option<usize>| cell.and_then(|cell| found.initial.get(cell).copied().flatten());
        Solution { initial: self.cells.iter().map(of).collect(), choices: found.choices }
    }

    /// Predicates over the cells of the trace as predicates over sets.
    pub fn predicates(&self, found: Vec<Term>) -> Vec<Term> {
        let mut all: Vec<Term> = Vec::new();
        for predicate in found.iter().filter_map(|predicate| self.of_elements(predicate)) {
            if !all.contains(&predicate) {
                all.push(predicate);
            }
        }
        all
    }

    fn of_elements(&self, predicate: &Term) -> Option<Term> {
        let mut named: BTreeMap<&Term, Term> = BTreeMap::new();
        let mut twice = false;
        predicate.walk(&mut |term| {
            twice |= self.conditions.contains(term);
            if let Some(set) = self.records.get(term) {
                twice |= named.insert(set, term.clone()).is_some_and(|before| before != *term);
            }
        });
        let element = |term: Term| match self.records.get(&term) {
            Some(set) => Term::element(set.clone()),
            None => term,
        };
        (!twice).then(|| predicate.map(&mut |term| element(term)))
    }
}

/// The trace so far.
struct Line<'s> {
    from: &'s System,
    cells: Vec<Option<usize>>,
    /// Of the trace: those of the system that are no sets, then records.
    own: Vec<Cell>,
    records: BTreeMap<Term, Term>,
    conditions: BTreeSet<Term>,
    /// What is in each set now, by its leaf.
    contents: HashMap<Term, Vec<Member>>,
    /// The cells that hold a constant now, by their leaves.
    constants: HashMap<Term, Term>,
    steps: Vec<Transition>,
}

impl<'s> Line<'s> {
    fn new(from: &'s System) -> Line<'s> {
        let (mut own, mut cells, mut contents) = (Vec::new(), Vec::new(), HashMap::new());
        for cell in &from.cells {
            if cell.leaf.sort() != Sort::IntSet {
                cells.push(Some(own.len()));
                own.push(cell.clone());
                continue;
            }
            cells.push(None);
            let initial = from.starts_as(&cell.leaf);
            if let Some(Value::Set(values)) = initial.as_ref().and_then(Term::as_value) {
                contents.insert(cell.leaf.clone(), fixed(values));
            }
        }
        let (records, conditions) = (BTreeMap::new(), BTreeSet::new());
        let plain = from.cells.iter().filter(|cell| cell.leaf.sort() != Sort::IntSet);
        let constants =
            plain.filter_map(|cell| Some((cell.leaf.clone(), from.starts_as(&cell.leaf)?))).collect();
        Line { from, cells, own, records, conditions, contents, constants, steps: vec![] }
    }

    /// A new cell.
    fn cell(&mut self, sort: Sort) -> Term {
        // No process has so many locals.
        let number = u32::MAX - (self.records.len() + self.conditions.len()) as u32;
        let leaf = Term::local_of(0, Term::int(0), number, sort);
        self.own.push(Cell { leaf: leaf.clone(), range: None, owner: None });
        leaf
    }

    /// Where a set has no known contents, anything may be an element: more traces are possible then, and what
    /// is said of this one may be wrong. It does not occur with sets that start fixed and are never forgotten.
    fn without_sets(&self, formula: &Term) -> Term {
        let equal = |element: &Term, all: &[Member]| {
            let equal = all.iter().map(|(one, holds)| holds.clone().and(element.clone().equals(one.clone())));
            equal.reduce(Term::or).unwrap_or_else(|| Term::bool(false))
        };
        let written = formula.map(&mut |term| match term.kind() {
            Kind::Binary(Binary::Member, element, set) => {
                self.contents.get(set).map_or(Term::bool(true), |all| equal(element, all))
            }
            _ => term,
        });
        written.fold()
    }

    fn take(&mut self, transition: &Transition) {
        let check = |check: &Check| Check { guard: self.without_sets(&check.guard), ..check.clone() };
        let checks = transition.checks.iter().map(check).collect();
        let guard = self.without_sets(&transition.guard);
        let mut updates = Vec::new();
        let mut after = self.contents.clone();
        let mut constants = self.constants.clone();
        for (number, value) in &transition.updates {
            let leaf = &self.from.cells[*number as usize].leaf;
            match self.cells[*number as usize] {
                Some(own) => {
                    updates.push((own as u32, self.without_sets(value)));
                    let value = self.known(value);
                    match value.as_value() {
                        Some(_) => drop(constants.insert(leaf.clone(), value)),
                        None => drop(constants.remove(leaf)),
                    }
                }
                None => {
                    after.remove(leaf);
                    if let Some(all) = self.inserted(leaf, value, &mut updates) {
                        after.insert(leaf.clone(), all);
                    }
                }
            }
        }
        self.contents = after;
        self.constants = constants;
        let (from, to) = (transition.from, transition.to);
        let choices = transition.choices.clone();
        let forgotten = vec![];
        let (thread, edge) = (transition.thread, transition.edge);
        let step = Transition { thread, edge, from, to, guard, updates, forgotten, choices, checks };
        self.steps.push(step);
    }

    /// A term with what is known of cells.
    fn known(&self, term: &Term) -> Term {
        replace_leaves(term, &|leaf| self.constants.get(&leaf).cloned().unwrap_or(leaf)).fold()
    }

    /// The elements of a set that a cell is set to; what is inserted is recorded.
    fn inserted(&mut self, cell: &Term, set: &Term, updates: &mut Vec<(u32, Term)>) -> Option<Vec<Member>> {
        match set.kind() {
            Kind::Value(Value::Set(values)) => Some(fixed(values)),
            Kind::Binary(Binary::Insert, rest, value) => {
                let mut all = self.inserted(cell, rest, updates)?;
                let record = self.cell(Sort::Int);
                self.records.insert(record.clone(), cell.clone());
                updates.push((self.own.len() as u32 - 1, value.clone()));
                all.push((record, Term::bool(true)));
                Some(all)
            }
            Kind::If(condition, then, _) if self.known(condition).is_true() => {
                self.inserted(cell, then, updates)
            }
            Kind::If(condition, _, otherwise) if self.known(condition).is_false() => {
                self.inserted(cell, otherwise, updates)
            }
            Kind::If(condition, then, otherwise) => {
                let then = self.inserted(cell, then, updates)?;
                let otherwise = self.inserted(cell, otherwise, updates)?;
                let (both, then): (Vec<Member>, Vec<Member>) =
                    then.into_iter().partition(|member| otherwise.contains(member));
                let otherwise = otherwise.into_iter().filter(|member| !both.contains(member)).collect();
                let mut all = both.clone();
                let sides: [(Vec<Member>, Term); 2] =
                    [(then, condition.clone()), (otherwise, condition.negated())];
                for (members, held) in sides.into_iter().filter(|(members, _)| !members.is_empty()) {
                    let flag = self.cell(Sort::Bool);
                    self.conditions.insert(flag.clone());
                    updates.push((self.own.len() as u32 - 1, self.without_sets(&held)));
                    let on = |(one, holds): Member| (one, holds.and(flag.clone()).fold());
                    all.extend(members.into_iter().map(on));
                }
                Some(all)
            }
            _ => self.contents.get(set).cloned(),
        }
    }

    fn end(self) -> Unfolded {
        let numbers = (0..).zip(&self.own).map(|(number, cell)| (cell.leaf.clone(), number)).collect();
        let initial = self.own.iter().map(|cell| self.from.starts_as(&cell.leaf)).collect();
        let system = System {
            cells: self.own,
            transitions: self.steps,
            numbers,
            initial,
            chosen: vec![],
            dead: OnceLock::new(),
            ..self.from.clone()
        };
        let nothing = AbstractTrace { steps: vec![], states: vec![], violated: Violated::Property(0) };
        let (trace, given) = (nothing, Term::bool(true));
        Unfolded {
            system,
            trace,
            given,
            cells: self.cells,
            records: self.records,
            conditions: self.conditions,
        }
    }
}

/// The elements of a set that is written down.
fn fixed(values: &BTreeSet<i64>) -> Vec<Member> {
    values.iter().map(|value| (Term::int(*value), Term::bool(true))).collect()
}
