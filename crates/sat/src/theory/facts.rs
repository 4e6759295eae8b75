//! Saturation: the pairs of defined relations, derived as their premises come and undone as they go.
//!
//! This is Datalog evaluated semi-naively on a trail. Each derived pair is a *fact* with its reason: a
//! literal, or the one or two earlier facts that it follows from. Facts are taken in order; a fact is
//! joined with the earlier ones only, so every two premises meet exactly once, when the later one is
//! taken. Definitions are monotone, so backtracking has nothing to recompute: it pops what came last.
//! A fact that follows in several ways keeps the first, whose premises are all older; they are on the
//! trail as long as it is.
//!
//! A relation is a table of rows, made when first written to: the number of the fact of each pair. So
//! a test for a pair is two loads, and nothing is hashed.

use std::sync::Arc;

use crate::{Definition, Description, Lit, Pair, RelationId};

/// Why a pair holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The constant *true* for fixed pairs.
    Literal(Lit),
    One(u32),
    Two(u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub relation: u32,
    pub pair: Pair,
    pub reason: Reason,
}

/// What a fact of one relation says of another.
#[derive(Clone, Debug)]
enum Rule {
    /// The same pair.
    Copy,
    Within(Arc<Vec<Pair>>),
    /// The same pair if it is in this relation too, which is the other side of an intersection.
    MeetRight(u32),
    MeetLeft(u32),
    /// A pair of this relation may follow.
    ThenAny(u32),
    /// A pair of this relation may precede.
    AfterAny(u32),
    Inverse,
    First,
    Second,
    /// It is reads-from, and this coherence; or the other way round.
    FromReadBy(u32),
    FromReadOver(u32),
}

#[derive(Debug, Default)]
struct Table {
    /// One more than the number of the pair's fact.
    rows: Vec<Option<Box<[u32]>>>,
    /// By first and by second event, where a rule needs it.
    leaving: Option<Vec<Vec<u32>>>,
    entering: Option<Vec<Vec<u32>>>,
    rules: Vec<(u32, Rule)>,
}

#[derive(Debug)]
pub(super) struct Facts {
    events: usize,
    trail: Vec<Fact>,
    /// The first fact whose consequences are not drawn yet.
    next: usize,
    tables: Vec<Table>,
}

impl Facts {
    /// Of the relations that are needed.
    pub(super) fn new(description: &Description, needed: &[bool]) -> Facts {
        let events = description.events as usize;
        let mut tables: Vec<Table> = Vec::new();
        tables.resize_with(description.relations.len(), Table::default);
        for (table, needed) in tables.iter_mut().zip(needed) {
            if *needed {
                table.rows.resize_with(events, || None);
            }
        }
        let mut facts = Facts { events, trail: Vec::new(), next: 0, tables };
        for (relation, definition) in description.relations.iter().enumerate() {
            if needed[relation] {
                facts.define(relation as u32, definition);
            }
        }
        facts
    }

    fn define(&mut self, own: u32, definition: &Definition) {
        let mut rule = |of: RelationId, rule: Rule| self.tables[of.0 as usize].rules.push((own, rule));
        match definition {
            Definition::Given { .. } => {}
            Definition::Union(parts) => parts.iter().for_each(|part| rule(*part, Rule::Copy)),
            Definition::Intersection(left, right) => {
                rule(*left, Rule::MeetRight(right.0));
                rule(*right, Rule::MeetLeft(left.0));
            }
            Definition::Within(part, among) => rule(*part, Rule::Within(Arc::clone(among))),
            Definition::Sequence(left, right) => {
                rule(*left, Rule::ThenAny(right.0));
                rule(*right, Rule::AfterAny(left.0));
                self.index_leaving(right.0);
                self.index_entering(left.0);
            }
            Definition::Inverse(part) => rule(*part, Rule::Inverse),
            Definition::Closure(part) => {
                rule(*part, Rule::Copy);
                rule(*part, Rule::AfterAny(own));
                rule(RelationId(own), Rule::ThenAny(part.0));
                self.index_leaving(part.0);
                self.index_entering(own);
            }
            Definition::Domain(part) => rule(*part, Rule::First),
            Definition::Range(part) => rule(*part, Rule::Second),
            Definition::FromRead { reads_from, coherence } => {
                rule(*reads_from, Rule::FromReadBy(coherence.0));
                rule(*coherence, Rule::FromReadOver(reads_from.0));
                self.index_leaving(reads_from.0);
                self.index_leaving(coherence.0);
            }
        }
    }

    fn index_leaving(&mut self, relation: u32) {
        let events = self.events;
        self.tables[relation as usize].leaving.get_or_insert_with(|| vec![Vec::new(); events]);
    }

    fn index_entering(&mut self, relation: u32) {
        let events = self.events;
        self.tables[relation as usize].entering.get_or_insert_with(|| vec![Vec::new(); events]);
    }

    pub(super) fn len(&self) -> usize {
        self.trail.len()
    }

    pub(super) fn get(&self, fact: u32) -> Fact {
        self.trail[fact as usize]
    }

    pub(super) fn find(&self, relation: u32, (a, b): Pair) -> Option<u32> {
        let row = self.tables[relation as usize].rows.get(a as usize)?.as_ref()?;
        row[b as usize].checked_sub(1)
    }

    /// The pair holds, if that is news.
    pub(super) fn add(&mut self, relation: u32, pair: Pair, reason: Reason) {
        let events = self.events;
        let table = &mut self.tables[relation as usize];
        let row = table.rows[pair.0 as usize].get_or_insert_with(|| vec![0; events].into_boxed_slice());
        let cell = &mut row[pair.1 as usize];
        if *cell != 0 {
            return;
        }
        let fact = self.trail.len() as u32;
        *cell = fact + 1;
        if let Some(leaving) = &mut table.leaving {
            leaving[pair.0 as usize].push(fact);
        }
        if let Some(entering) = &mut table.entering {
            entering[pair.1 as usize].push(fact);
        }
        self.trail.push(Fact { relation, pair, reason });
    }

    /// Takes the next fact, derives what follows from it and earlier ones, and returns it.
    pub(super) fn step(&mut self) -> Option<(u32, Fact)> {
        let fact = *self.trail.get(self.next)?;
        let number = self.next as u32;
        for rule in 0..self.tables[fact.relation as usize].rules.len() {
            self.apply(number, fact, rule);
        }
        self.next += 1;
        Some((number, fact))
    }

    /// Takes the last one again next time.
    pub(super) fn step_back(&mut self) {
        self.next -= 1;
    }

    fn apply(&mut self, number: u32, fact: Fact, rule: usize) {
        let (own, rule) = &self.tables[fact.relation as usize].rules[rule];
        let (own, (a, b)) = (*own, fact.pair);
        match rule {
            Rule::Copy => self.add(own, fact.pair, Reason::One(number)),
            Rule::Within(among) => {
                if among.binary_search(&fact.pair).is_ok() {
                    self.add(own, fact.pair, Reason::One(number));
                }
            }
            Rule::MeetRight(right) => {
                let met = self.find(*right, fact.pair).filter(|met| *met <= number);
                if let Some(met) = met {
                    self.add(own, fact.pair, Reason::Two(number, met));
                }
            }
            Rule::MeetLeft(left) => {
                let met = self.find(*left, fact.pair).filter(|met| *met <= number);
                if let Some(met) = met {
                    self.add(own, fact.pair, Reason::Two(met, number));
                }
            }
            Rule::Inverse => self.add(own, (b, a), Reason::One(number)),
            Rule::First => self.add(own, (a, a), Reason::One(number)),
            Rule::Second => self.add(own, (b, b), Reason::One(number)),
            Rule::ThenAny(right) => {
                let right = *right;
                self.each(right, Side::Leaving, b, number, |facts, met, (_, c)| {
                    facts.add(own, (a, c), Reason::Two(number, met));
                });
            }
            Rule::AfterAny(left) => {
                let left = *left;
                self.each(left, Side::Entering, a, number, |facts, met, (z, _)| {
                    facts.add(own, (z, b), Reason::Two(met, number));
                });
            }
            Rule::FromReadBy(coherence) => {
                let coherence = *coherence;
                self.each(coherence, Side::Leaving, a, number, |facts, met, (_, later)| {
                    if later != b {
                        facts.add(own, (b, later), Reason::Two(number, met));
                    }
                });
            }
            Rule::FromReadOver(reads_from) => {
                let reads_from = *reads_from;
                self.each(reads_from, Side::Leaving, a, number, |facts, met, (_, read)| {
                    if read != b {
                        facts.add(own, (read, b), Reason::Two(met, number));
                    }
                });
            }
        }
    }

    /// The facts of a relation at an event that are no later than one.
    fn each(
        &mut self,
        relation: u32,
        side: Side,
        event: u32,
        last: u32,
        mut act: impl FnMut(&mut Facts, u32, Pair),
    ) {
        for position in 0.. {
            let table = &self.tables[relation as usize];
            let list = match side {
                Side::Leaving => &table.leaving,
                Side::Entering => &table.entering,
            };
            let list = list.as_ref().map_or(&[][..], |lists| &lists[event as usize]);
            match list.get(position) {
                Some(&met) if met <= last => act(self, met, self.trail[met as usize].pair),
                _ => return,
            }
        }
    }

    /// What backtracking needs to know.
    pub(super) fn mark(&self) -> (u32, u32) {
        (self.trail.len() as u32, self.next as u32)
    }

    pub(super) fn undo(&mut self, (length, next): (u32, u32)) {
        while self.trail.len() > length as usize {
            let Some(fact) = self.trail.pop() else { break };
            let (a, b) = fact.pair;
            let table = &mut self.tables[fact.relation as usize];
            if let Some(row) = &mut table.rows[a as usize] {
                row[b as usize] = 0;
            }
            if let Some(leaving) = &mut table.leaving {
                leaving[a as usize].pop();
            }
            if let Some(entering) = &mut table.entering {
                entering[b as usize].pop();
            }
        }
        self.next = next as usize;
    }
}

#[derive(Clone, Copy)]
enum Side {
    Leaving,
    Entering,
}
