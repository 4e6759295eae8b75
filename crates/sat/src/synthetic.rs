//! Made-up executions, to measure acyclicity alone.
//!
//! Threads of reads and writes at random locations run under sequential consistency. Program order is
//! fixed; which write a read takes its value from, and the order of writes to a location, is for the
//! solver. To be neither trivial nor hopeless, each read may take its value from a few writes only, of
//! which one is that of some interleaving; in `twisted` ones a few reads lose that one. Each instance
//! can be given to the order theory, or be written out with binary clocks as in the paper (Alglave,
//! Kroening and Tautschnig 2013): a number for each event, and a comparison for each edge.

use std::collections::BTreeSet;

use crate::{Clauses, Definition, Description, Graph, Lit, Pair, RelationId, Satisfiability, Solver};

/// How to say that there is no cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formulation {
    /// The order theory.
    Order,
    /// Binary clocks, as clauses.
    Clocks,
}

/// What instances look like: four threads at random locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub events: u32,
    pub locations: u32,
    /// How many other writes each read may take its value from, at most.
    pub others: u32,
    /// Some reads may not take the value that they had when the instance was made: there may be no
    /// execution.
    pub twisted: bool,
}

impl Shape {
    /// Many locations, few choices.
    pub fn sparse(events: u32, twisted: bool) -> Shape {
        Shape { events, locations: (events / 20).max(2), others: 3, twisted }
    }

    /// Few locations, many choices: several seconds from a few hundred events on.
    pub fn crowded(events: u32, twisted: bool) -> Shape {
        Shape { events, locations: (events / 100).max(2), others: 8, twisted }
    }
}

/// Pairs, and when they hold.
type Literals = Vec<(Lit, Pair)>;

/// An execution to be found.
#[derive(Clone, Debug)]
pub struct Instance {
    events: u32,
    program_order: Vec<Pair>,
    /// For each read: the writes that it may take its value from.
    reads: Vec<(u32, Vec<u32>)>,
    /// The writes of each location.
    writes: Vec<Vec<u32>>,
}

impl Instance {
    /// The same for the same seed.
    pub fn new(shape: Shape, seed: u64) -> Instance {
        let Shape { events, locations, others, twisted } = shape;
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let threads = 4;
        let each = events / threads;
        // An interleaving: which thread goes next, and what it does.
        let mut done = vec![0; threads as usize];
        let mut last: Vec<Option<u32>> = vec![None; locations as usize];
        let mut writes: Vec<Vec<u32>> = vec![Vec::new(); locations as usize];
        let mut read: Vec<(u32, u32, u32)> = Vec::new();
        while done.iter().any(|count| *count < each) {
            let thread = random.below(threads);
            if done[thread as usize] == each {
                continue;
            }
            let event = thread * each + done[thread as usize];
            done[thread as usize] += 1;
            let location = random.below(locations);
            match last[location as usize] {
                Some(write) if random.below(2) == 0 => read.push((event, location, write)),
                _ => {
                    last[location as usize] = Some(event);
                    writes[location as usize].push(event);
                }
            }
        }
        let mut reads = Vec::new();
        for (event, location, write) in read {
            let among = &writes[location as usize];
            let mut candidates: Vec<u32> =
                (0..others).map(|_| among[random.below(among.len() as u32) as usize]).collect();
            if !twisted || random.below(events / 4) != 0 {
                candidates.push(write);
            }
            candidates.sort_unstable();
            candidates.dedup();
            reads.push((event, candidates));
        }
        writes.iter_mut().for_each(|writes| writes.sort_unstable());
        let program_order =
            (0..each * threads - 1).filter(|event| (event + 1) % each != 0).map(|event| (event, event + 1));
        Instance { events: each * threads, program_order: program_order.collect(), reads, writes }
    }

    /// Is there such an execution?
    pub fn solve(
        &self,
        formulation: Formulation,
        stop: impl FnMut() -> bool + 'static,
    ) -> (Satisfiability, Solver) {
        let mut solver = Solver::new();
        solver.stop_when(stop);
        self.encode(formulation, &mut solver);
        (solver.solve(&[]), solver)
    }

    fn encode(&self, formulation: Formulation, solver: &mut Solver) {
        let (reads_from, coherence) = self.communication(solver);
        match formulation {
            Formulation::Order => solver.connect(self.description(reads_from, coherence)),
            Formulation::Clocks => self.clocks(&reads_from, &coherence, solver),
        }
    }

    /// Literals for reads-from and coherence: each read takes its value from one write.
    fn communication(&self, clauses: &mut dyn Clauses) -> (Literals, Literals) {
        let mut reads_from = Vec::new();
        for (read, candidates) in &self.reads {
            let literals: Vec<Lit> = candidates.iter().map(|_| clauses.fresh()).collect();
            for (position, literal) in literals.iter().enumerate() {
                for other in &literals[..position] {
                    clauses.clause(&[!*literal, !*other]);
                }
            }
            clauses.clause(&literals);
            reads_from
                .extend(literals.iter().zip(candidates).map(|(literal, write)| (*literal, (*write, *read))));
        }
        let mut coherence = Vec::new();
        for writes in &self.writes {
            for (position, second) in writes.iter().enumerate() {
                for first in &writes[..position] {
                    let literal = clauses.fresh();
                    coherence.push((literal, (*first, *second)));
                    coherence.push((!literal, (*second, *first)));
                }
            }
        }
        (reads_from, coherence)
    }

    /// The instance for the order theory, with all that the solver is given.
    pub(crate) fn written_down(&self, solver: &mut Solver) -> (BTreeSet<Vec<Lit>>, Description) {
        struct Both<'s>(&'s mut Solver, BTreeSet<Vec<Lit>>);
        impl Clauses for Both<'_> {
            fn fresh(&mut self) -> Lit {
                self.0.fresh()
            }
            fn clause(&mut self, literals: &[Lit]) {
                let mut sorted = literals.to_vec();
                sorted.sort_unstable();
                self.1.insert(sorted);
                self.0.clause(literals);
            }
        }
        let mut both = Both(solver, BTreeSet::new());
        let (reads_from, coherence) = self.communication(&mut both);
        let inputs = both.1;
        let description = self.description(reads_from, coherence);
        solver.connect(description.clone());
        (inputs, description)
    }

    fn description(&self, reads_from: Literals, coherence: Literals) -> Description {
        let given = |literal| Definition::Given { fixed: Vec::new(), literal };
        let from_read = Definition::FromRead { reads_from: RelationId(0), coherence: RelationId(1) };
        Description {
            events: self.events,
            relations: vec![given(reads_from), given(coherence), from_read],
            graphs: vec![Graph {
                fixed: self.program_order.clone(),
                literal: Vec::new(),
                relations: vec![RelationId(0), RelationId(1), RelationId(2)],
            }],
            tests: Vec::new(),
        }
    }

    fn clocks(&self, reads_from: &[(Lit, Pair)], coherence: &[(Lit, Pair)], solver: &mut Solver) {
        let width = u32::BITS - self.events.leading_zeros();
        let clocks: Vec<Vec<Lit>> =
            (0..self.events).map(|_| (0..width).map(|_| solver.fresh()).collect()).collect();
        let mut before = |when: &[Lit], (a, b): Pair| {
            // From the lowest bit up: so far the first is less.
            let mut less = Lit::FALSE;
            for (a, b) in clocks[a as usize].iter().zip(&clocks[b as usize]) {
                let next = solver.fresh();
                solver.clause(&[!next, !*a, *b]);
                solver.clause(&[!next, !*a, less]);
                solver.clause(&[!next, *b, less]);
                less = next;
            }
            let mut clause: Vec<Lit> = when.iter().map(|literal| !*literal).collect();
            clause.push(less);
            solver.clause(&clause);
        };
        self.program_order.iter().for_each(|pair| before(&[], *pair));
        for (literal, pair) in reads_from.iter().chain(coherence) {
            before(&[*literal], *pair);
        }
        for (reads, (write, read)) in reads_from {
            for (order, (first, second)) in coherence {
                if first == write {
                    before(&[*reads, *order], (*read, *second));
                }
            }
        }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) % u64::from(end.max(1))) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formulations_agree() {
        for seed in 0..10 {
            for twisted in [false, true] {
                let instance = Instance::new(Shape::sparse(40, twisted), seed);
                let (outcome, _) = instance.solve(Formulation::Order, || false);
                assert_eq!(outcome, instance.solve(Formulation::Clocks, || false).0, "{seed} {twisted}");
                assert!(twisted || outcome == Satisfiability::Sat);
            }
        }
    }
}
