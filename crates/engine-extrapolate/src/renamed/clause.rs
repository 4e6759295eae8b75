//! A clause with the names of the program, and which literals of a state can be said with them.

use std::collections::{BTreeSet, HashMap};

use wattle_abstraction::{Cube, Fold, Predicates, Set, Stopped, System};
use wattle_logic::{Kind, Term};
use wattle_program::Range;

use super::answers::Asked;
use super::clauses::Sequent;
use crate::names::{Chosen, Names, Standing};

/// More combinations of values of flags are not looked at.
const MOST_CASES: usize = 32;

pub(super) struct Context<'a> {
    pub names: &'a Names,
    pub system: &'a System,
    pub predicates: &'a Predicates,
    pub cone: Set,
}

/// A clause of a goal: cases by the values of its flags, and the literals of the program that those of a state come to.
#[derive(Debug)]
pub(super) struct Clause {
    cases: Vec<Case>,
    /// By predicate: the literal of the program that it is where it is true.
    literals: HashMap<usize, (usize, bool)>,
    /// Those that cannot be said with these names though they may matter.
    unsaid: Set,
}

#[derive(Debug)]
struct Case {
    /// The number of the question, if it is one.
    question: usize,
    /// The literals of flags that exclude it.
    excluded: Vec<(usize, bool)>,
}

impl Clause {
    /// `None`: it has other names than the program.
    pub(super) fn new(
        context: &Context<'_>,
        sequent: Sequent,
        sc: &mut Asked<'_>,
    ) -> Result<Option<Clause>, Stopped> {
        let names = context.names;
        let Sequent { given, target, witnesses } = sequent;
        let Some(lowered) = names.lower(&target, &witnesses, &vec![], 1).into_iter().next() else {
            return Ok(None);
        };
        let (mut standing, mut flags, target) = (lowered.standing, lowered.flags, lowered.term);
        let mut known = Vec::new();
        for part in given {
            let Some(lowered) = names.lower(&part, &witnesses, &standing, 1).into_iter().next() else {
                return Ok(None);
            };
            standing = lowered.standing;
            flags.extend(lowered.flags);
            known.push(lowered.term);
        }
        if target.is_false() {
            // What is said of flags may be the contradiction.
            for predicate in context.cone.iter() {
                let term = &context.predicates.terms()[predicate];
                flags.extend(names.lower(term, &witnesses, &vec![], 1).into_iter().flat_map(|own| own.flags));
            }
        }
        flags.sort_by(|(one, _), (other, _)| one.cmp(other));
        flags.dedup_by(|(one, _), (other, _)| one == other);
        let mut literals = Literals { context, witnesses: &witnesses, sc, found: HashMap::new() };
        literals.say(&mut standing)?;
        let found = literals.found;
        let unsaid = unsaid(context, &standing, &witnesses, &found);
        let cases = cases(context, &flags, &known, &target, sc);
        Ok(cases.map(|cases| Clause { cases, literals: found, unsaid }))
    }

    /// The part of a state that implies the clause.
    pub(super) fn implied_by(&self, state: &Cube, sc: &mut Asked<'_>) -> Result<Option<Cube>, Stopped> {
        let mut said = Cube::default();
        let mut back: Vec<(usize, usize, bool)> = Vec::new();
        let mut contradiction = None;
        for (predicate, value) in state.literals() {
            let Some((number, positive)) = self.literals.get(&predicate) else { continue };
            let literal = *positive == value;
            match said.value(*number) {
                Some(known) if known != literal => {
                    let other = back.iter().find(|(other, ..)| other == number);
                    contradiction = other.map(|(_, first, held)| (*first, *held, predicate, value));
                }
                Some(_) => {}
                None => {
                    said.set(*number, Some(literal));
                    back.push((*number, predicate, value));
                }
            }
        }
        // All elements are so and all are not: there is none, but here is a witness.
        if let Some((first, held, second, value)) = contradiction {
            return Ok(Some(Cube::default().with(first, held).with(second, value)));
        }
        let mut used = Cube::default();
        for case in &self.cases {
            let excluded = (case.excluded.iter()).find(|(flag, value)| state.value(*flag) == Some(*value));
            if let Some((flag, value)) = excluded {
                used.set(*flag, Some(*value));
                continue;
            }
            let Some(part) = sc.implied_by(case.question, &said)? else { return Ok(None) };
            for (number, _) in part.literals() {
                if let Some((_, predicate, value)) = back.iter().find(|(other, ..)| *other == number) {
                    used.set(*predicate, Some(*value));
                }
            }
        }
        Ok(Some(used))
    }

    /// Does it not matter what was left unsaid of the state?
    pub(super) fn is_exact_for(&self, state: &Cube) -> bool {
        state.known().intersection(&self.unsaid).is_empty()
    }
}

/// The search for literals that can be said.
struct Literals<'c, 'a, 's, 'u> {
    context: &'c Context<'a>,
    witnesses: &'c Chosen,
    sc: &'s mut Asked<'u>,
    found: HashMap<usize, (usize, bool)>,
}

impl Literals<'_, '_, '_, '_> {
    /// Those first that speak of nothing new, so that they are never kept out by others.
    fn say(&mut self, standing: &mut Standing) -> Result<(), Stopped> {
        for new_places in [false, true] {
            for predicate in self.context.cone.iter() {
                if self.found.contains_key(&predicate) {
                    continue;
                }
                let Some(term) = instance(self.context, self.witnesses, standing, predicate) else {
                    continue;
                };
                let lowered = self.context.names.lower(&term, self.witnesses, standing, 1);
                let Some(lowered) = lowered.into_iter().find(|lowered| {
                    lowered.flags.is_empty() && (new_places || lowered.standing.len() == standing.len())
                }) else {
                    continue;
                };
                if let Some(literal) = self.sc.literal(&lowered.term)? {
                    self.found.insert(predicate, literal);
                    *standing = lowered.standing;
                }
            }
        }
        Ok(())
    }
}

/// A predicate, said of a witness if it is one about all elements. `None`: there is no witness.
fn instance(
    context: &Context<'_>,
    witnesses: &Chosen,
    standing: &Standing,
    predicate: usize,
) -> Option<Term> {
    let term = &context.predicates.terms()[predicate];
    if !context.predicates.of_sets().contains(predicate) {
        return Some(term.clone());
    }
    let mut known = true;
    let said = term.map(&mut |node| {
        let Kind::Element(set) = node.kind() else { return node };
        let mut own = witnesses.iter().filter(|(_, of)| of == set).map(|(value, _)| value);
        let stands = |value: &&Term| standing.iter().any(|(_, place, _)| place == *value);
        match own.clone().find(stands).or_else(|| own.next()) {
            Some(value) => value.clone(),
            None => {
                known = false;
                node
            }
        }
    });
    known.then_some(said)
}

/// The predicates that cannot be said, and that share a cell with the clause or with others that do.
fn unsaid(
    context: &Context<'_>,
    standing: &Standing,
    witnesses: &Chosen,
    found: &HashMap<usize, (usize, bool)>,
) -> Set {
    let Context { names, system, predicates, cone } = context;
    let speaks = |predicate: usize| -> BTreeSet<u32> {
        let term = &predicates.terms()[predicate];
        let cells = system.cells_of(term).into_iter();
        cells.filter(|cell| !names.is_flag(&system.cells[*cell as usize].leaf)).collect()
    };
    let mut cells: BTreeSet<u32> = BTreeSet::new();
    for (_, place, called) in standing {
        cells.extend(system.cells_of(place));
        cells.extend(system.cells_of(called));
    }
    let mut rest: Vec<usize> = (cone.iter())
        .filter(|predicate| !found.contains_key(predicate))
        .filter(|predicate| instance(context, witnesses, standing, *predicate).is_some())
        .collect();
    let mut unsaid = Set::default();
    loop {
        let (touching, others): (Vec<usize>, Vec<usize>) =
            rest.into_iter().partition(|predicate| !speaks(*predicate).is_disjoint(&cells));
        if touching.is_empty() {
            return unsaid;
        }
        for predicate in touching {
            unsaid.insert(predicate);
            cells.extend(speaks(predicate));
        }
        rest = others;
    }
}

/// The cases by the values of flags that are a question at all. `None`: too many.
fn cases(
    context: &Context<'_>,
    flags: &[(Term, Range)],
    given: &[Term],
    target: &Term,
    sc: &mut Asked<'_>,
) -> Option<Vec<Case>> {
    let mut combinations: Vec<Vec<i64>> = vec![vec![]];
    for (_, range) in flags {
        let values = range.low..=range.high;
        combinations = (combinations.iter())
            .flat_map(|start| values.clone().map(|value| [&start[..], &[value]].concat()))
            .collect();
        if combinations.len() > MOST_CASES {
            return None;
        }
    }
    let about: Vec<usize> = (context.cone.iter())
        .filter(|predicate| {
            let cells = context.system.cells_of(&context.predicates.terms()[*predicate]);
            let is_own = |cell: &u32| {
                let leaf = &context.system.cells[*cell as usize].leaf;
                flags.iter().any(|(flag, _)| flag == leaf)
            };
            cells.iter().all(is_own)
        })
        .collect();
    let mut cases = Vec::new();
    for values in combinations {
        let with_values = |formula: &Term, name: &dyn Fn(&Term) -> Option<Term>| {
            let value = |node: &Term| flags.iter().position(|(flag, _)| name(flag).as_ref() == Some(node));
            formula.map(&mut |node| value(&node).map_or(node, |number| Term::int(values[number]))).fold()
        };
        // With the names of the program, and with those of the reduced one.
        let said = |formula: &Term| with_values(formula, &|flag| context.names.mark(flag).cloned());
        let here = |formula: &Term| with_values(formula, &|flag| Some(flag.clone()));
        let given = Term::conjunction(given.iter().map(&said)).fold();
        let target = said(target);
        if given.is_false() || target.is_true() {
            continue;
        }
        let against = |predicate: &usize| {
            let holds = here(&context.predicates.terms()[*predicate]);
            Some((*predicate, !holds.as_value()?.as_bool()?))
        };
        let excluded = about.iter().filter_map(against).collect();
        cases.push(Case { question: sc.question(&given, &target), excluded });
    }
    Some(cases)
}
