//! The meaning of a description, computed from scratch: slow, short, and what the order theory is
//! compared with in tests. It also looks at an assignment of which the theory was not told all, should
//! that ever happen.

use std::collections::HashMap;

use crate::{Definition, Description, Lit, Pair, Test};

/// Why a pair holds.
#[derive(Clone, Debug)]
enum Reason {
    Fixed,
    Literal(Lit),
    /// Positions of earlier facts.
    Facts(Vec<usize>),
}

struct Facts {
    list: Vec<(usize, Pair, Reason)>,
    known: HashMap<(usize, Pair), usize>,
}

impl Facts {
    fn add(&mut self, relation: usize, pair: Pair, reason: Reason) -> bool {
        if self.known.contains_key(&(relation, pair)) {
            return false;
        }
        self.known.insert((relation, pair), self.list.len());
        self.list.push((relation, pair, reason));
        true
    }

    fn of(&self, relation: usize) -> Vec<(Pair, usize)> {
        let all = self.list.iter().enumerate();
        all.filter(|(_, fact)| fact.0 == relation).map(|(index, fact)| (fact.1, index)).collect()
    }

    fn leaves(&self, fact: usize, literals: &mut Vec<Lit>) {
        match &self.list[fact].2 {
            Reason::Fixed => {}
            Reason::Literal(literal) => literals.push(*literal),
            Reason::Facts(parents) => parents.iter().for_each(|parent| self.leaves(*parent, literals)),
        }
    }
}

/// True literals that cannot hold together, if there are any.
pub(crate) fn conflict(description: &Description, holds: impl Fn(Lit) -> bool) -> Option<Vec<Lit>> {
    let facts = saturate(description, &holds);
    let mut literals = Vec::new();
    for (test, relation) in &description.tests {
        for ((a, b), fact) in facts.of(relation.0 as usize) {
            if *test == Test::Empty || a == b {
                facts.leaves(fact, &mut literals);
                return Some(tidy(literals));
            }
        }
    }
    for graph in &description.graphs {
        let mut edges: Vec<(Pair, Vec<Lit>)> = graph.fixed.iter().map(|pair| (*pair, Vec::new())).collect();
        for (literal, pair) in &graph.literal {
            if holds(*literal) {
                edges.push((*pair, vec![*literal]));
            }
        }
        for relation in &graph.relations {
            for (pair, fact) in facts.of(relation.0 as usize) {
                let mut leaves = Vec::new();
                facts.leaves(fact, &mut leaves);
                edges.push((pair, leaves));
            }
        }
        if let Some(cycle) = shortest_cycle(description.events as usize, &edges) {
            for edge in cycle {
                literals.extend(&edges[edge].1);
            }
            return Some(tidy(literals));
        }
    }
    None
}

fn tidy(mut literals: Vec<Lit>) -> Vec<Lit> {
    literals.retain(|literal| literal.constant().is_none());
    literals.sort_unstable();
    literals.dedup();
    literals
}

fn saturate(description: &Description, holds: &impl Fn(Lit) -> bool) -> Facts {
    let mut facts = Facts { list: Vec::new(), known: HashMap::new() };
    for (relation, definition) in description.relations.iter().enumerate() {
        if let Definition::Given { fixed, literal } = definition {
            for pair in fixed {
                facts.add(relation, *pair, Reason::Fixed);
            }
            for (literal, pair) in literal {
                if holds(*literal) {
                    facts.add(relation, *pair, Reason::Literal(*literal));
                }
            }
        }
    }
    loop {
        let mut grew = false;
        for (relation, definition) in description.relations.iter().enumerate() {
            for (pair, parents) in consequences(definition, relation, &facts) {
                grew |= facts.add(relation, pair, Reason::Facts(parents));
            }
        }
        if !grew {
            return facts;
        }
    }
}

fn consequences(definition: &Definition, own: usize, facts: &Facts) -> Vec<(Pair, Vec<usize>)> {
    let of = |relation: &crate::RelationId| facts.of(relation.0 as usize);
    let join = |left: &[(Pair, usize)], right: &[(Pair, usize)]| {
        let mut joined = Vec::new();
        for ((a, b), first) in left {
            for ((c, d), second) in right {
                if b == c {
                    joined.push(((*a, *d), vec![*first, *second]));
                }
            }
        }
        joined
    };
    match definition {
        Definition::Given { .. } => Vec::new(),
        Definition::Union(parts) => {
            parts.iter().flat_map(of).map(|(pair, fact)| (pair, vec![fact])).collect()
        }
        Definition::Intersection(left, right) => of(left)
            .into_iter()
            .filter_map(|(pair, fact)| {
                facts.known.get(&(right.0 as usize, pair)).map(|other| (pair, vec![fact, *other]))
            })
            .collect(),
        Definition::Within(relation, among) => of(relation)
            .into_iter()
            .filter(|(pair, _)| among.contains(pair))
            .map(|(pair, fact)| (pair, vec![fact]))
            .collect(),
        Definition::Sequence(left, right) => join(&of(left), &of(right)),
        Definition::Inverse(relation) => {
            of(relation).into_iter().map(|((a, b), fact)| ((b, a), vec![fact])).collect()
        }
        Definition::Closure(relation) => {
            let steps = of(relation);
            let mut found = join(&facts.of(own), &steps);
            found.extend(steps.into_iter().map(|(pair, fact)| (pair, vec![fact])));
            found
        }
        Definition::Domain(relation) => {
            of(relation).into_iter().map(|((a, _), fact)| ((a, a), vec![fact])).collect()
        }
        Definition::Range(relation) => {
            of(relation).into_iter().map(|((_, b), fact)| ((b, b), vec![fact])).collect()
        }
        Definition::FromRead { reads_from, coherence } => {
            let inverse: Vec<_> =
                of(reads_from).into_iter().map(|((write, read), fact)| ((read, write), fact)).collect();
            let mut found = join(&inverse, &of(coherence));
            found.retain(|((a, b), _)| a != b);
            found
        }
    }
}

/// The positions of the edges of a cycle, as few as possible.
fn shortest_cycle(events: usize, edges: &[(Pair, Vec<Lit>)]) -> Option<Vec<usize>> {
    let mut leaving = vec![Vec::new(); events];
    for (position, ((from, _), _)) in edges.iter().enumerate() {
        leaving[*from as usize].push(position);
    }
    let mut best: Option<Vec<usize>> = None;
    for start in 0..events {
        let mut by = vec![usize::MAX; events];
        let mut queue = std::collections::VecDeque::from([start]);
        'search: while let Some(event) = queue.pop_front() {
            for position in &leaving[event] {
                let next = edges[*position].0.1 as usize;
                if by[next] != usize::MAX {
                    continue;
                }
                by[next] = *position;
                if next == start {
                    break 'search;
                }
                queue.push_back(next);
            }
        }
        if by[start] == usize::MAX {
            continue;
        }
        let mut cycle = vec![by[start]];
        let mut event = edges[by[start]].0.0 as usize;
        while event != start {
            cycle.push(by[event]);
            event = edges[by[event]].0.0 as usize;
        }
        cycle.reverse();
        if best.as_ref().is_none_or(|known| cycle.len() < known.len()) {
            best = Some(cycle);
        }
    }
    best
}
