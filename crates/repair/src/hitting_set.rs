//! Exact minimum hitting sets.
//!
//! Given clauses (sets of elements), find the cheapest set of elements that has at least one
//! element in common with every clause. `repair` asks this question after each counterexample: an
//! element is a place for a fence, a clause is what one counterexample demands. The answer must be
//! exact, because "fewest" is the promise, and instances are small (tens of elements, tens of
//! clauses), so this is a plain branch and bound:
//!
//! * *Reductions.* A clause with one element forces it. A clause that contains another clause says
//!   nothing new. An element whose clauses are all clauses of another element that costs no more
//!   can be left out (only when one solution is wanted, and only within one thread if threads are
//!   weighed against each other).
//! * *Lower bound.* Pairwise disjoint clauses need one element each, so the cheapest elements of a
//!   greedily chosen family of disjoint clauses add up.
//! * *Branching.* On the elements of a smallest clause, most frequent first; each branch excludes
//!   the elements of the branches before it. A hitting set belongs to exactly one branch (that of
//!   its first element in the clause), so no set is seen twice.
//!
//! All orders are fixed, hence the result is a function of the problem.
//!
//! Minimum sets are also inclusion-minimal, because costs are positive; so at a leaf where every
//! clause is hit, the chosen elements are the whole set, and [`all_minimum`] finds every one.
//! [`all_minimal`] uses that in an inclusion-minimal set each element has a clause that no other
//! element hits, and that an element that has lost its last such clause never gets one back.

use crate::set::Set;

/// What is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The sum of all costs.
    #[default]
    Total,
    /// The sum of the thread that gets most, then the sum of all.
    PerThread,
}

#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// The cost of each element; 0 counts as 1.
    pub weights: Vec<u64>,
    /// How strong each is: among sets of one cost, the weakest is wanted.
    pub strengths: Vec<u64>,
    /// The thread of each element.
    pub threads: Vec<usize>,
    pub clauses: Vec<Set>,
    pub objective: Objective,
}

/// In the order of comparison. `worst` is 0 where only the total counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    pub worst: u64,
    pub total: u64,
    pub strength: u64,
}

/// A list of sets, and whether it is all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub sets: Vec<Set>,
    pub complete: bool,
}

impl Problem {
    fn size(&self) -> usize {
        self.weights.len()
    }

    fn weight(&self, element: usize) -> u64 {
        self.weights[element].max(1)
    }

    pub(crate) fn cost(&self, chosen: &Set) -> Cost {
        let mut threads = vec![0; self.threads.iter().max().map_or(0, |most| most + 1)];
        chosen.iter().for_each(|element| threads[self.threads[element]] += self.weight(element));
        self.combine(&threads, chosen.iter().map(|element| self.strengths[element]).sum())
    }

    fn combine(&self, threads: &[u64], strength: u64) -> Cost {
        let worst = match self.objective {
            Objective::Total => 0,
            Objective::PerThread => threads.iter().copied().max().unwrap_or(0),
        };
        Cost { worst, total: threads.iter().sum(), strength }
    }

    /// No hitting set that extends `chosen` and hits these clauses costs less than this.
    fn at_least(&self, chosen: &Set, clauses: &[Set]) -> Cost {
        let mut threads = vec![0; self.threads.iter().max().map_or(0, |most| most + 1)];
        chosen.iter().for_each(|element| threads[self.threads[element]] += self.weight(element));
        let mut strength: u64 = chosen.iter().map(|element| self.strengths[element]).sum();
        let mut anywhere = 0;
        let mut covered = Set::empty(self.size());
        for clause in clauses {
            if clause.intersects(&covered) {
                continue;
            }
            covered = covered.union(clause);
            let cheapest = clause.iter().map(|element| self.weight(element)).min().unwrap_or(0);
            strength += clause.iter().map(|element| self.strengths[element]).min().unwrap_or(0);
            let mut owners = clause.iter().map(|element| self.threads[element]);
            let owner = owners.next();
            match owner {
                Some(owner) if owners.all(|other| other == owner) => threads[owner] += cheapest,
                _ => anywhere += cheapest,
            }
        }
        let mut cost = self.combine(&threads, strength);
        cost.total += anywhere;
        cost
    }
}

/// The cheapest hitting set, or `None` if a clause is empty.
pub(crate) fn minimum(problem: &Problem) -> Option<Set> {
    let mut search = Search { problem, best: None, found: vec![], limit: usize::MAX, all: false };
    search.visit(Set::empty(problem.size()), problem.clauses.clone());
    search.found.pop()
}

/// All hitting sets of minimum cost, at most `limit` of them, sorted.
pub(crate) fn all_minimum(problem: &Problem, limit: usize) -> Listed {
    let Some(one) = minimum(problem) else { return Listed { sets: vec![], complete: true } };
    let best = Some(problem.cost(&one));
    let mut search = Search { problem, best, found: vec![], limit, all: true };
    search.visit(Set::empty(problem.size()), problem.clauses.clone());
    listed(search.found, limit)
}

/// All hitting sets of which no proper subset is one, at most `limit` of them, sorted by cost.
pub(crate) fn all_minimal(problem: &Problem, limit: usize) -> Listed {
    let clauses = without_supersets(problem.clauses.clone());
    let mut found = vec![];
    let none = Set::empty(problem.size());
    visit_minimal(&clauses, &none, &none, limit, &mut found);
    let mut listed = listed(found, limit);
    listed.sets.sort_by_key(|set| problem.cost(set));
    listed
}

fn listed(mut sets: Vec<Set>, limit: usize) -> Listed {
    let complete = sets.len() <= limit;
    sets.truncate(limit);
    sets.sort_by(|left, right| left.iter().cmp(right.iter()));
    Listed { sets, complete }
}

struct Search<'a> {
    problem: &'a Problem,
    best: Option<Cost>,
    found: Vec<Set>,
    limit: usize,
    /// Keep every set of cost `best`.
    all: bool,
}

impl Search<'_> {
    /// `clauses` are those not hit yet, without the elements that this branch excludes.
    fn visit(&mut self, mut chosen: Set, mut clauses: Vec<Set>) {
        loop {
            clauses = without_supersets(clauses);
            if clauses.first().is_some_and(Set::is_empty) {
                return;
            }
            let forced = clauses.iter().take_while(|clause| clause.len() == 1).flat_map(Set::iter).next();
            if let Some(forced) = forced {
                chosen.insert(forced);
                clauses.retain(|clause| !clause.contains(forced));
            } else if self.all || !self.drop_dominated(&mut clauses) {
                break;
            }
        }
        let bound = self.problem.at_least(&chosen, &clauses);
        let hopeless = |best: Cost| if self.all { bound > best } else { bound >= best };
        if self.best.is_some_and(hopeless) || (self.all && self.found.len() > self.limit) {
            return;
        }
        let Some(smallest) = clauses.first().cloned() else {
            if !self.all {
                self.best = Some(self.problem.cost(&chosen));
                self.found.clear();
            }
            self.found.push(chosen);
            return;
        };
        for element in most_frequent_first(self.problem, &smallest, &clauses) {
            let mut with = chosen.clone();
            with.insert(element);
            let rest = clauses.iter().filter(|clause| !clause.contains(element)).cloned().collect();
            self.visit(with, rest);
            clauses.iter_mut().for_each(|clause| clause.remove(element));
        }
    }

    /// Leave out elements that another one replaces at no higher cost. Did any go?
    fn drop_dominated(&self, clauses: &mut [Set]) -> bool {
        let problem = self.problem;
        let hits: Vec<Set> = (0..problem.size())
            .map(|element| {
                let hit = clauses.iter().enumerate().filter(|(_, clause)| clause.contains(element));
                Set::of(clauses.len(), hit.map(|(number, _)| number))
            })
            .collect();
        let price = |element: usize| (problem.weight(element), problem.strengths[element]);
        let dominated = |element: usize| {
            (0..problem.size()).any(|other| {
                let replaces = other != element
                    && hits[element].is_subset(&hits[other])
                    && price(other) <= price(element)
                    && (problem.objective == Objective::Total
                        || problem.threads[other] == problem.threads[element]);
                // Of two that replace each other, the lower stays.
                let equal = hits[element] == hits[other] && price(other) == price(element);
                replaces && (!equal || other < element)
            })
        };
        let gone: Vec<usize> =
            (0..problem.size()).filter(|element| !hits[*element].is_empty() && dominated(*element)).collect();
        for element in &gone {
            clauses.iter_mut().for_each(|clause| clause.remove(*element));
        }
        !gone.is_empty()
    }
}

/// Without clauses that contain another one; small ones first.
fn without_supersets(mut clauses: Vec<Set>) -> Vec<Set> {
    clauses.sort_by_key(Set::len);
    let mut kept: Vec<Set> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        if !kept.iter().any(|smaller| smaller.is_subset(&clause)) {
            kept.push(clause);
        }
    }
    kept
}

fn most_frequent_first(problem: &Problem, clause: &Set, clauses: &[Set]) -> Vec<usize> {
    let mut elements: Vec<usize> = clause.iter().collect();
    elements.sort_by_key(|element| {
        let frequency = clauses.iter().filter(|clause| clause.contains(*element)).count();
        (std::cmp::Reverse(frequency), problem.weight(*element), *element)
    });
    elements
}

fn visit_minimal(clauses: &[Set], chosen: &Set, excluded: &Set, limit: usize, found: &mut Vec<Set>) {
    // Each chosen element needs a clause of its own.
    let own = |element: usize| {
        clauses.iter().any(|clause| {
            clause.contains(element) && clause.iter().all(|other| other == element || !chosen.contains(other))
        })
    };
    if found.len() > limit || !chosen.iter().all(own) {
        return;
    }
    let open = clauses.iter().filter(|clause| !clause.intersects(chosen));
    let Some(smallest) = open.map(|clause| clause.difference(excluded)).min_by_key(Set::len) else {
        found.push(chosen.clone());
        return;
    };
    let mut excluded = excluded.clone();
    for element in smallest.iter() {
        let mut with = chosen.clone();
        with.insert(element);
        visit_minimal(clauses, &with, &excluded, limit, found);
        excluded.insert(element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xorshift: the tests need no quality, only the same numbers every time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }

    fn random_problem(random: &mut Random) -> Problem {
        let size = 1 + random.below(9) as usize;
        let heaviest = [1, 1, 3][random.below(3) as usize];
        let clauses = (0..random.below(9))
            .map(|_| {
                let density = 2 + random.below(4);
                let mut clause: Vec<usize> = (0..size).filter(|_| random.below(density) == 0).collect();
                if clause.is_empty() && random.below(50) > 0 {
                    clause.push(random.below(size as u64) as usize);
                }
                Set::of(size, clause)
            })
            .collect();
        let strongest = [1, 4][random.below(2) as usize];
        Problem {
            weights: (0..size).map(|_| 1 + random.below(heaviest)).collect(),
            strengths: (0..size).map(|_| random.below(strongest)).collect(),
            threads: (0..size).map(|_| random.below(3) as usize).collect(),
            clauses,
            objective: [Objective::Total, Objective::PerThread][random.below(2) as usize],
        }
    }

    fn hitting_sets(problem: &Problem) -> Vec<Set> {
        let size = problem.weights.len();
        (0..1usize << size)
            .map(|bits| Set::of(size, (0..size).filter(|element| bits >> element & 1 == 1)))
            .filter(|set| problem.clauses.iter().all(|clause| clause.intersects(set)))
            .collect()
    }

    fn sorted(mut sets: Vec<Set>) -> Vec<Set> {
        sets.sort();
        sets
    }

    #[test]
    fn agrees_with_brute_force() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let (mut several, mut impossible, mut trivial) = (0, 0, 0);
        for round in 0..5000 {
            let problem = random_problem(&mut random);
            let all = hitting_sets(&problem);
            let best = all.iter().map(|set| problem.cost(set)).min();
            let one = minimum(&problem);
            assert_eq!(one.as_ref().map(|set| problem.cost(set)), best, "round {round}: {problem:?}");
            assert!(one.as_ref().is_none_or(|set| all.contains(set)), "round {round}");

            let cheapest: Vec<Set> =
                all.iter().filter(|set| Some(problem.cost(set)) == best).cloned().collect();
            several += usize::from(cheapest.len() > 1);
            impossible += usize::from(cheapest.is_empty());
            trivial += usize::from(best.is_some_and(|best| best.total == 0));
            let found = all_minimum(&problem, usize::MAX - 1);
            assert!(found.complete);
            assert_eq!(sorted(found.sets), sorted(cheapest), "round {round}: {problem:?}");

            let minimal: Vec<Set> = (all.iter())
                .filter(|set| !all.iter().any(|smaller| smaller != *set && smaller.is_subset(set)))
                .cloned()
                .collect();
            let found = all_minimal(&problem, usize::MAX - 1);
            assert_eq!(sorted(found.sets), sorted(minimal), "round {round}: {problem:?}");
        }
        assert!(several > 600 && impossible > 50 && trivial < 1000, "{several} {impossible} {trivial}");
    }

    #[test]
    fn a_short_list_says_that_it_is_short() {
        let clauses = vec![Set::of(4, [0, 1]), Set::of(4, [2, 3])];
        let problem = Problem {
            weights: vec![1; 4],
            strengths: vec![0; 4],
            threads: vec![0; 4],
            clauses,
            objective: Objective::Total,
        };
        assert_eq!(all_minimum(&problem, 4), all_minimum(&problem, 100));
        let short = all_minimum(&problem, 3);
        assert!(!short.complete);
        assert_eq!(short.sets.len(), 3);
        assert!(!all_minimal(&problem, 3).complete);
    }

    #[test]
    fn threads_are_weighed_against_each_other() {
        // 0 hits all, but 0 and 1 (forced) share a thread.
        let clauses = vec![Set::of(4, [1]), Set::of(4, [0, 2]), Set::of(4, [0, 3])];
        let mut problem = Problem {
            weights: vec![1; 4],
            strengths: vec![0; 4],
            threads: vec![0, 0, 1, 2],
            clauses,
            objective: Objective::Total,
        };
        assert_eq!(minimum(&problem), Some(Set::of(4, [0, 1])));
        problem.objective = Objective::PerThread;
        assert_eq!(minimum(&problem), Some(Set::of(4, [1, 2, 3])));
    }
}
