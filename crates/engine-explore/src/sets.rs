//! Sets of integers in packed states: every set that a search meets has a number.
//!
//! **Idea.** A cell that holds a set packs the number of that set in a table of the whole search, where equal
//! sets are one entry. So two states are equal exactly if their words are, a set costs as many bits as there
//! are different sets, and buffers, copies and comparisons need not know what a number stands for. Number 0 is
//! the empty set, which is also what a forgotten cell holds.
//!
//! **Limit.** Up to [`MOST`] elements a set is exact. A larger one becomes [`ANY`], which stands for every set
//! of more than [`MOST`] elements; it never stops a step. An element put into it changes nothing; it differs
//! from every exact set; and all else that is asked of it is a *doubt*, answered both ways
//! ([`choices`](crate::choices)). A choice from it is any value of the local that gets it.
//!
//! **Why sound.** Whatever a set beyond the limit would have answered is among the answers tried, so
//! every execution of the program is one of the search, and *safe* holds. The converse fails after a doubt: a
//! state that one leads to carries a mark ([`Compiled::is_doubtful`](crate::compile::Compiled)), and what is
//! bad in a marked state is a reason to answer *unknown*, not a violation. Deadlocks and
//! lists of outcomes need all answers to be right, so one doubt makes them *unknown*.
//!
//! **Cost.** Numbers are given in the order in which sets are met, and states are divided among workers by
//! what is in their words; so one worker searches a program with sets, and its results do not depend on
//! the run. The table grows with every set met and is part of the memory that is counted.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wattle_logic::{Binary, Kind, Sort, Term, Value};
use wattle_program::{Choice, Op, Program, op_terms};

/// The most elements of a set that is known exactly.
pub(crate) const MOST: usize = 64;

/// The set without elements.
const EMPTY: i64 = 0;

/// Every set of more than [`MOST`] elements.
pub(crate) const ANY: i64 = 1;

/// The sets of a search by their numbers.
#[derive(Debug)]
pub(crate) struct Sets(Mutex<Table>);

#[derive(Debug)]
struct Table {
    /// Ascending elements. [`ANY`] has an entry that nobody reads.
    sets: Vec<Arc<[i64]>>,
    numbers: HashMap<Arc<[i64]>, i64>,
    /// A set and an element: the set with that element.
    with: HashMap<(i64, i64), i64>,
    elements: usize,
}

impl Default for Sets {
    fn default() -> Sets {
        let empty: Arc<[i64]> = Arc::from([]);
        let numbers = HashMap::from([(empty.clone(), EMPTY)]);
        Sets(Mutex::new(Table {
            sets: vec![empty.clone(), empty],
            numbers,
            with: HashMap::new(),
            elements: 0,
        }))
    }
}

impl Sets {
    fn table(&self) -> MutexGuard<'_, Table> {
        // A poisoned table means that another worker panicked, which ends the search anyway.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a set.
    pub(crate) fn number(&self, set: &BTreeSet<i64>) -> i64 {
        self.table().number(set.iter().copied().collect())
    }

    /// The number of the set with one more element.
    pub(crate) fn insert(&self, set: i64, element: i64) -> i64 {
        if set == ANY {
            return ANY;
        }
        let mut table = self.table();
        if let Some(known) = table.with.get(&(set, element)) {
            return *known;
        }
        let old = table.sets[set as usize].clone();
        let new = match old.binary_search(&element) {
            Ok(_) => set,
            Err(at) => {
                let mut larger = old.to_vec();
                larger.insert(at, element);
                table.number(larger)
            }
        };
        table.with.insert((set, element), new);
        new
    }

    /// The elements in ascending order; `None` if they are not known.
    pub(crate) fn elements(&self, set: i64) -> Option<Arc<[i64]>> {
        if set == ANY {
            return None;
        }
        self.table().sets.get(usize::try_from(set).ok()?).cloned()
    }

    /// The set itself; `None` if it is not known.
    pub(crate) fn value(&self, set: i64) -> Option<Value> {
        Some(Value::Set(Arc::new(self.elements(set)?.iter().copied().collect())))
    }

    /// What the table takes, in bytes, about.
    pub(crate) fn bytes(&self) -> u64 {
        let table = self.table();
        ((table.sets.len() - 2) * 64 + table.elements * 8 + table.with.len() * 32) as u64
    }
}

impl Table {
    fn number(&mut self, elements: Vec<i64>) -> i64 {
        if elements.len() > MOST {
            return ANY;
        }
        if let Some(known) = self.numbers.get(elements.as_slice()) {
            return *known;
        }
        let new = self.sets.len() as i64;
        self.elements += elements.len();
        let elements: Arc<[i64]> = elements.into();
        self.sets.push(elements.clone());
        self.numbers.insert(elements, new);
        new
    }
}

/// Does the program use sets? A use that would take a number for a set, or a set for a number, is refused.
pub(crate) fn used(program: &Program) -> Result<bool, String> {
    let variables = program.variables.iter().any(|variable| variable.sort == Sort::IntSet);
    let edges = || {
        program.processes.iter().flat_map(|process| process.cfg.edges.iter().map(move |edge| (process, edge)))
    };
    let mut terms: Vec<&Term> = program.properties.iter().map(|property| &property.formula).collect();
    terms.extend(program.observed.iter().chain(&program.filter));
    for (_, edge) in edges() {
        terms.push(&edge.guard);
        terms.extend(edge.ops.iter().flat_map(op_terms));
    }
    let mut mentioned = false;
    terms.iter().for_each(|term| term.walk(&mut |node| mentioned |= is_set(node)));
    let locals = program.processes.iter().flat_map(|process| &process.locals);
    if !variables && !mentioned && !locals.into_iter().any(|local| local.sort == Sort::IntSet) {
        return Ok(false);
    }
    let mixed = || Err("a set where another value is needed, or the other way round".to_owned());
    let mut sound = true;
    terms.iter().for_each(|term| term.walk(&mut |node| sound &= keeps_apart(program, node)));
    if !sound {
        return mixed();
    }
    for (process, edge) in edges() {
        for op in &edge.ops {
            let local = |number: u32| process.locals[number as usize].sort == Sort::IntSet;
            let right = match op {
                Op::Load { into, address, .. } => cell(program, address) == Some(local(*into)),
                Op::Store { address, value, .. } => cell(program, address) == Some(is_set(value)),
                Op::Assign { local: to, value } => local(*to) == is_set(value),
                Op::Havoc { local: to, among: Choice::Member(set) } => {
                    is_set(set) && process.locals[*to as usize].sort.is_integer()
                }
                Op::Havoc { local: to, among: Choice::Between(..) } if local(*to) => false,
                Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } if variables => {
                    return Err("a remote operation beside sets in memory".into());
                }
                other => !op_terms(other).into_iter().any(is_set),
            };
            if !right {
                return mixed();
            }
        }
    }
    Ok(true)
}

/// May the value of a term rest on a set of which only its size is known?
pub(crate) fn may_doubt(term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |node| {
        found |= match node.kind() {
            Kind::Binary(Binary::Member, ..) => true,
            Kind::Binary(Binary::Equal | Binary::NotEqual, left, _) => is_set(left),
            _ => false,
        }
    });
    found
}

fn is_set(term: &Term) -> bool {
    term.sort() == Sort::IntSet
}

/// Does this address hold a set? `None` if that depends on the state.
fn cell(program: &Program, address: &Term) -> Option<bool> {
    let set = |number: u32| program.variables[number as usize].sort == Sort::IntSet;
    match address.kind() {
        Kind::Address { variable, .. } => Some(set(*variable)),
        _ if (0..program.variables.len() as u32).any(set) => None,
        _ => Some(false),
    }
}

/// Does this node take sets where it needs sets, and only there?
fn keeps_apart(program: &Program, node: &Term) -> bool {
    match node.kind() {
        Kind::Value(value) => matches!(value, Value::Set(_)) == is_set(node),
        Kind::Binary(Binary::Insert, set, element) => {
            is_set(set) && element.sort().is_integer() && is_set(node)
        }
        Kind::Binary(Binary::Member, element, set) => is_set(set) && element.sort().is_integer(),
        Kind::Binary(Binary::Equal | Binary::NotEqual, left, right) => is_set(left) == is_set(right),
        Kind::If(condition, then, otherwise) => {
            !is_set(condition) && is_set(then) == is_set(otherwise) && is_set(then) == is_set(node)
        }
        Kind::Content(address) => cell(program, address) == Some(is_set(node)),
        Kind::LocalOf { process, local, .. } => {
            let local = &program.processes[*process as usize].locals[*local as usize];
            (local.sort == Sort::IntSet) == is_set(node)
        }
        Kind::Symbol(_) => true,
        _ => !is_set(node) && !node.children().into_iter().any(is_set),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_one_number() {
        let sets = Sets::default();
        let one = sets.insert(EMPTY, 7);
        let both = sets.insert(one, -3);
        assert_eq!(sets.insert(sets.insert(EMPTY, -3), 7), both);
        assert_eq!(sets.insert(both, 7), both, "an element that is there already");
        assert_eq!(sets.number(&BTreeSet::from([7, -3])), both);
        assert_eq!(sets.number(&BTreeSet::new()), EMPTY);
        assert_eq!(sets.elements(both).as_deref(), Some([-3, 7].as_slice()));
    }

    #[test]
    fn only_the_65th_element_is_too_many() {
        let sets = Sets::default();
        let full = (0..64).fold(EMPTY, |set, element| sets.insert(set, element));
        assert_eq!(sets.elements(full).map(|elements| elements.len()), Some(64));
        assert_eq!(sets.insert(full, 63), full);
        assert_eq!(sets.insert(full, 64), ANY);
        assert_eq!(sets.insert(ANY, 0), ANY);
        assert_eq!(sets.value(ANY), None);
    }
}
