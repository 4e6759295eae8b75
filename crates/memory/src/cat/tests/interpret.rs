//! The core, run on executions with ordered sets: what lowering made must mean what the text means.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::Value;
use wattle_program::{Orders, Tags, ThreadId};

use super::super::base::{RELATIONS, SETS, TAGS};
use super::super::{Core, Node, NodeId, Test, Type};
use super::axioms;
use super::styles::STYLES;
use crate::axiomatic::{self, evaluate, well_formed};
use crate::{Event, EventKind, Execution};

/// A set is a relation within the identity, so that one type serves.
type Pairs = BTreeSet<(u32, u32)>;

struct Interpreter<'a> {
    core: &'a Core,
    execution: &'a Execution,
    variables: BTreeMap<(u32, u32), Pairs>,
}

impl Interpreter<'_> {
    fn all(&self) -> std::ops::Range<u32> {
        0..self.execution.events.len() as u32
    }

    fn node(&mut self, id: NodeId) -> Pairs {
        let all = self.all();
        match self.core.node(id).clone() {
            Node::Base(name, Type::Set) => {
                axiomatic::set(self.execution, &name).iter().map(|event| (event, event)).collect()
            }
            Node::Base(name, Type::Relation) => {
                axiomatic::relation(self.execution, &name).expect("a relation").iter().collect()
            }
            Node::Empty(_) => Pairs::new(),
            Node::All(Type::Set) => all.map(|event| (event, event)).collect(),
            Node::All(Type::Relation) => {
                all.clone().flat_map(|one| all.clone().map(move |two| (one, two))).collect()
            }
            Node::Union(one, other) => &self.node(one) | &self.node(other),
            Node::Intersection(one, other) => &self.node(one) & &self.node(other),
            Node::Difference(one, other) => &self.node(one) - &self.node(other),
            Node::Sequence(one, other) => compose(&self.node(one), &self.node(other)),
            Node::Inverse(inner) => self.node(inner).into_iter().map(|(one, two)| (two, one)).collect(),
            Node::Closure(inner) => close(self.node(inner)),
            Node::Identity(inner) => self.node(inner),
            Node::Product(one, other) => {
                let (one, other) = (self.node(one), self.node(other));
                one.iter().flat_map(|(from, _)| other.iter().map(move |(to, _)| (*from, *to))).collect()
            }
            Node::Domain(inner) => self.node(inner).into_iter().map(|(one, _)| (one, one)).collect(),
            Node::Range(inner) => self.node(inner).into_iter().map(|(_, two)| (two, two)).collect(),
            Node::Variable(group, number, _) => {
                self.variables.get(&(group, number)).cloned().unwrap_or_default()
            }
            Node::Fixpoint(group, number, _) => self.settled(group, number),
        }
    }

    fn settled(&mut self, group: u32, number: u32) -> Pairs {
        // The values outlast the group, whose variables nobody else sees.
        let bodies = self.core.groups[group as usize].bodies.clone();
        loop {
            let mut changed = false;
            for (at, body) in bodies.iter().enumerate() {
                let value = self.node(*body);
                let old = self.variables.insert((group, at as u32), value.clone()).unwrap_or_default();
                changed |= old != value;
            }
            if !changed {
                return self.variables[&(group, number)].clone();
            }
        }
    }

    fn holds(&mut self, test: Test, body: NodeId) -> bool {
        let value = self.node(body);
        match test {
            Test::Empty => value.is_empty(),
            Test::Irreflexive => value.iter().all(|(one, two)| one != two),
            Test::Acyclic => close(value).iter().all(|(one, two)| one != two),
        }
    }
}

fn compose(one: &Pairs, other: &Pairs) -> Pairs {
    let pairs = one.iter().flat_map(|(from, middle)| {
        other.iter().filter(move |(start, _)| start == middle).map(move |(_, to)| (*from, *to))
    });
    pairs.collect()
}

fn close(relation: Pairs) -> Pairs {
    let mut all = relation;
    loop {
        let more = &all | &compose(&all, &all);
        if more == all {
            return all;
        }
        all = more;
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

/// A well-formed execution of no program in particular: two locations, two or three threads, tags and
/// dependencies at random.
fn execution(random: &mut Random) -> Execution {
    let mut execution = Execution { coherence: vec![vec![], vec![]], ..Execution::default() };
    let value = Value::Int(0);
    let event = |kind, thread, instruction| Event {
        kind,
        thread,
        edge: None,
        step: None,
        tags: Tags::new(),
        instruction,
        locked: false,
        orders: Orders::NONE,
        section: None,
    };
    for location in 0..2 {
        execution.events.push(event(EventKind::Write { location, value: value.clone() }, None, 0));
    }
    for thread in 0..2 + random.below(2) as u32 {
        let mut instruction = 0;
        let mut read: Option<u32> = None;
        for _ in 0..1 + random.below(4) {
            let location = random.below(2) as u32;
            let v = || value.clone();
            let kind = match random.below(8) {
                0..3 => EventKind::Read { location, value: v() },
                3..6 => EventKind::Write { location, value: v() },
                6 => EventKind::Update { location, read: v(), written: v() },
                _ => EventKind::Fence,
            };
            instruction += u32::from(random.below(4) > 0);
            let mut new = event(kind, Some(ThreadId(thread)), instruction);
            new.tags = (0..random.below(3)).map(|_| TAGS[random.below(TAGS.len())].into()).collect();
            new.locked = random.below(5) == 0;
            new.orders = Orders(random.below(16) as u8);
            let number = execution.events.len() as u32;
            if let Some(read) = read {
                let pair = (read, number);
                match random.below(6) {
                    0 => execution.address.push(pair),
                    1 => execution.data.push(pair),
                    2 => execution.control.push(pair),
                    3 => execution.pick.push(pair),
                    _ => {}
                }
                let before = &execution.events[read as usize];
                if matches!(new.kind, EventKind::Write { .. }) && before.location() == new.location() {
                    execution.read_modify_write.push(pair);
                }
            }
            if new.read().is_some() {
                read = Some(number);
            }
            execution.events.push(new);
        }
    }
    for (number, event) in execution.events.iter().enumerate() {
        if let (Some(location), true) = (event.location(), event.written().is_some()) {
            let order = &mut execution.coherence[location as usize];
            let at = if event.is_initial() { 0 } else { 1 + random.below(order.len()) };
            order.insert(at, number as u32);
        }
    }
    for (number, event) in execution.events.iter().enumerate() {
        if let (Some(location), true) = (event.location(), event.read().is_some()) {
            let writes = &execution.coherence[location as usize];
            let others: Vec<u32> = writes.iter().copied().filter(|write| *write != number as u32).collect();
            execution.reads_from.push((others[random.below(others.len())], number as u32));
        }
    }
    execution
}

#[test]
fn the_core_means_what_the_text_means() {
    let mut random = Random(42);
    let texts =
        crate::CATALOGUE.iter().filter_map(|model| Some((model.name.to_string(), crate::text(&model.name)?)));
    let texts = texts.chain(STYLES.iter().map(|(name, text)| (format!("{name} style"), *text)));
    let mut both = [0, 0];
    for (name, text) in texts {
        let model = axioms(text);
        for _ in 0..60 {
            let execution = execution(&mut random);
            assert_eq!(well_formed(&execution), Ok(()));
            let naive = evaluate(&model.tree, &execution).expect("a value");
            assert_eq!(naive.judgements.len(), model.core.axioms.len(), "{name}");
            let mut interpreter =
                Interpreter { core: &model.core, execution: &execution, variables: BTreeMap::new() };
            for (judgement, axiom) in naive.judgements.iter().zip(&model.core.axioms) {
                let holds = interpreter.holds(axiom.test, axiom.body) != axiom.negated;
                assert_eq!(judgement.holds, holds, "{name}: {}\n{execution:?}", axiom.name);
                assert_eq!(
                    (&judgement.name, judgement.role, judgement.span),
                    (&axiom.name, axiom.role, axiom.span)
                );
                both[usize::from(holds)] += 1;
            }
        }
    }
    assert!(both[0] > 500 && both[1] > 500, "{both:?}: one answer is too rare to tell anything");
}

#[test]
fn every_listed_set_and_relation_has_a_meaning() {
    let execution = execution(&mut Random(1));
    for (name, _) in RELATIONS {
        assert!(axiomatic::relation(&execution, name).is_some(), "{name}");
    }
    for (name, _) in SETS.iter().filter(|(name, _)| ["_", "W", "IW", "FW"].contains(name)) {
        assert!(!axiomatic::set(&execution, name).is_empty(), "{name}");
    }
}
