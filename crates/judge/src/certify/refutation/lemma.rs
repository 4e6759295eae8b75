//! Checks lemmas: facts with reasons, and what they violate.

use wattle_engine::certificate::refutation::{
    By, Definition, Edge, Fact, Graph, Literal, Pair, Refutation, Test, Violation,
};

/// The definitions of a problem, ready to be looked up.
pub(super) struct Theory<'r> {
    problem: &'r Refutation,
    relations: Vec<Listed>,
    graphs: Vec<Listed>,
}

/// Pairs, sorted, with their literals; the constant *true* for fixed ones.
#[derive(Default)]
struct Listed(Vec<(Pair, Literal)>);

impl Listed {
    fn new(fixed: &[Pair], literal: &[(Literal, Pair)]) -> Listed {
        let fixed = fixed.iter().map(|pair| (*pair, 1));
        let mut all: Vec<(Pair, Literal)> =
            fixed.chain(literal.iter().map(|(literal, pair)| (*pair, *literal))).collect();
        all.sort_unstable();
        Listed(all)
    }

    fn has(&self, pair: Pair, literal: Literal) -> bool {
        self.0.binary_search(&(pair, literal)).is_ok()
    }
}

impl<'r> Theory<'r> {
    pub(crate) fn new(problem: &'r Refutation) -> Theory<'r> {
        let relations = problem.relations.iter().map(|definition| match definition {
            Definition::Given { fixed, literal } => Listed::new(fixed, literal),
            Definition::Within(_, pairs) => Listed::new(pairs, &[]),
            _ => Listed::default(),
        });
        let graphs = problem.graphs.iter().map(|graph| Listed::new(&graph.fixed, &graph.literal));
        Theory { problem, relations: relations.collect(), graphs: graphs.collect() }
    }

    /// Can the negations of all literals of the clause not hold together?
    pub(crate) fn refutes(&self, clause: &[Literal], facts: &[Fact], violation: &Violation) -> bool {
        let holds = |(position, fact): (usize, &Fact)| {
            self.follows(clause, &facts[..position], fact).unwrap_or(false)
        };
        facts.iter().enumerate().all(holds) && self.violates(clause, facts, violation).unwrap_or(false)
    }

    /// `None`: something is not there.
    fn follows(&self, clause: &[Literal], earlier: &[Fact], fact: &Fact) -> Option<bool> {
        let number = fact.relation as usize;
        let definition = self.problem.relations.get(number)?;
        let (from, to) = fact.pair;
        let given = matches!(definition, Definition::Given { .. });
        let parents = match &fact.by {
            By::Fixed => return Some(given && self.relations[number].has(fact.pair, 1)),
            By::Literal(literal) => {
                return Some(
                    given && self.relations[number].has(fact.pair, *literal) && clause.contains(&-literal),
                );
            }
            By::Rule(parents) => parents,
        };
        let parents: Option<Vec<&Fact>> =
            parents.iter().map(|parent| earlier.get(*parent as usize)).collect();
        let parents = parents?;
        let is =
            |parent: &Fact, relation: u32, pair: Pair| parent.relation == relation && parent.pair == pair;
        Some(match (definition, &parents[..]) {
            (Definition::Union(parts), [parent]) => {
                parts.contains(&parent.relation) && parent.pair == fact.pair
            }
            (Definition::Intersection(a, b), [left, right]) => {
                is(left, *a, fact.pair) && is(right, *b, fact.pair)
            }
            (Definition::Within(inner, _), [parent]) => {
                is(parent, *inner, fact.pair) && self.relations[number].has(fact.pair, 1)
            }
            (Definition::Sequence(a, b), [left, right]) => {
                let middle = left.pair.1;
                is(left, *a, (from, middle)) && is(right, *b, (middle, to))
            }
            (Definition::Inverse(inner), [parent]) => is(parent, *inner, (to, from)),
            (Definition::Closure(inner), [parent]) => is(parent, *inner, fact.pair),
            (Definition::Closure(inner), [way, last]) => {
                let middle = way.pair.1;
                is(way, fact.relation, (from, middle)) && is(last, *inner, (middle, to))
            }
            (Definition::Domain(inner), [parent]) => {
                from == to && parent.relation == *inner && parent.pair.0 == from
            }
            (Definition::Range(inner), [parent]) => {
                from == to && parent.relation == *inner && parent.pair.1 == to
            }
            (Definition::FromRead { reads_from, coherence }, [read, written]) => {
                let write = read.pair.0;
                from != to && is(read, *reads_from, (write, from)) && is(written, *coherence, (write, to))
            }
            _ => false,
        })
    }

    fn violates(&self, clause: &[Literal], facts: &[Fact], violation: &Violation) -> Option<bool> {
        match violation {
            Violation::Test { test, fact } => {
                let (test, relation) = self.problem.tests.get(*test as usize)?;
                let fact = facts.get(*fact as usize)?;
                let forbidden = *test == Test::Empty || fact.pair.0 == fact.pair.1;
                Some(fact.relation == *relation && forbidden)
            }
            Violation::Cycle { graph, edges } => {
                let own = self.graphs.get(*graph as usize)?;
                let graph = self.problem.graphs.get(*graph as usize)?;
                let pairs: Option<Vec<Pair>> =
                    edges.iter().map(|edge| edge_of(clause, facts, edge, graph, own)).collect();
                let pairs = pairs?;
                let next = pairs.iter().cycle().skip(1);
                let joined = pairs.iter().zip(next).all(|(one, other)| one.1 == other.0);
                Some(!pairs.is_empty() && joined)
            }
        }
    }
}

/// The pair of an edge that is there.
fn edge_of(clause: &[Literal], facts: &[Fact], edge: &Edge, graph: &Graph, own: &Listed) -> Option<Pair> {
    match edge {
        Edge::Fixed(pair) => own.has(*pair, 1).then_some(*pair),
        Edge::Literal(literal, pair) => {
            (own.has(*pair, *literal) && clause.contains(&-literal)).then_some(*pair)
        }
        Edge::Fact(fact) => {
            let fact = facts.get(*fact as usize)?;
            graph.relations.contains(&fact.relation).then_some(fact.pair)
        }
    }
}
