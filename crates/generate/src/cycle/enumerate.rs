//! All cycles over a set of edges, each once, from small to large.
//!
//! Cycles are lists up to rotation, that is, necklaces over the alphabet of edges. The search is that
//! of Fredricksen, Kessler and Maiorana: a prefix is extended only by letters not below the one a
//! period earlier, so every necklace appears once, as its least rotation and in lexicographic order,
//! and nothing has to be remembered. Edges that do not meet, and neighbours that no critical cycle has,
//! cut a branch at once.
//!
//! **Critical** (after Shasha and Snir, and diy's default): no two edges of program order in a row, so
//! a thread has two accesses on a cycle; no two communications in a row that compose to one; at most
//! two writes to a location. Longer ones say nothing new under a model whose relations compose, but
//! `free` cycles find models where they do not.

use std::ops::ControlFlow;

use super::edge::{Edge, Kind, Reach};
use super::layout::{Cycle, LARGEST};
use super::{Annotation, Architecture, name};
use crate::Rng;

/// Which cycles.
#[derive(Clone, Debug)]
pub struct Family {
    pub architecture: Architecture,
    pub edges: Vec<Edge>,
    /// The fewest and the most edges.
    pub size: (usize, usize),
    /// The fewest and the most threads.
    pub threads: (usize, usize),
    /// Also cycles that are not critical.
    pub free: bool,
    /// Samples have marks and read-modify-writes at random places.
    pub atomics: bool,
}

impl Family {
    /// What is made when nobody says otherwise.
    pub fn usual(architecture: Architecture) -> Family {
        let edges = architecture.usual_edges();
        Family { architecture, edges, size: (2, 6), threads: (2, 4), free: false, atomics: false }
    }

    /// Tests with exclusives and atomics: see [`Family::sample`].
    pub fn atomics(architecture: Architecture) -> Family {
        let edges = architecture.atomic_edges();
        Family { edges, size: (3, 7), threads: (2, 3), atomics: true, ..Family::usual(architecture) }
    }

    /// Visit all cycles until told to stop.
    pub fn each(&self, visit: &mut dyn FnMut(Cycle) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut edges = self.edges.clone();
        let mut seen = Vec::new();
        edges.retain(|edge| {
            !seen.contains(edge) && {
                seen.push(*edge);
                true
            }
        });
        let follows = edges
            .iter()
            .map(|left| edges.iter().map(|right| self.may_follow(left, right)).collect())
            .collect();
        let mut search = Search { family: self, edges, follows, path: Vec::new(), visit };
        for size in self.size.0.max(2)..=self.size.1.min(LARGEST) {
            search.path = vec![0; size + 1];
            search.extend(1, 1, 0)?;
        }
        ControlFlow::Continue(())
    }

    /// `count` different cycles chosen at random, the same for the same seed; fewer if the family seems
    /// to have no more.
    pub fn sample(&self, seed: u64, count: usize) -> Vec<Cycle> {
        let mut rng = Rng::new(seed);
        let mut found: Vec<Cycle> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        let (low, high) = (self.size.0.max(2), self.size.1.min(LARGEST));
        let mut idle = 0;
        while found.len() < count && idle < IDLE && !self.edges.is_empty() {
            idle += 1;
            let size = rng.between(low as u32, high as u32) as usize;
            let mut path: Vec<Edge> = vec![*rng.pick(&self.edges)];
            while path.len() < size {
                let last = path[path.len() - 1];
                let next: Vec<&Edge> =
                    self.edges.iter().filter(|edge| self.may_follow(&last, edge)).collect();
                if next.is_empty() {
                    break;
                }
                path.push(**rng.pick(&next));
            }
            if path.len() < size || !self.may_follow(&path[size - 1], &path[0]) {
                continue;
            }
            if self.atomics {
                self.mark(&mut path, &mut rng);
            }
            let least = (0..size).map(|by| [&path[by..], &path[..by]].concat()).min().unwrap_or_default();
            if !seen.insert(least.clone()) {
                continue;
            }
            if let Some(cycle) = self.cycle(&least).filter(|cycle| !self.atomics || cycle.is_atomic()) {
                found.push(cycle);
                idle = 0;
            }
        }
        found
    }

    /// Give half of the accesses an annotation, and one to each whose result something depends on.
    fn mark(&self, path: &mut [Edge], rng: &mut Rng) {
        let size = path.len();
        for at in 0..size {
            let before = (at + size - 1) % size;
            let joined = [before, at].iter().any(|edge| matches!(path[*edge].kind, Kind::Update(_)));
            let needed = path[at].is_from_result() && !joined;
            let fits = |annotation: Annotation| match joined {
                true => !annotation.is_half() && annotation != Annotation::AcquirePc,
                false => !needed || annotation.is_half(),
            };
            let all = self.architecture.annotations().iter();
            let able: Vec<Annotation> = all
                .filter(|(_, one, directions)| directions.contains(&path[at].ends.0) && fits(*one))
                .map(|(_, one, _)| *one)
                .collect();
            if able.is_empty() || !(needed || rng.between(0, 1) == 1) {
                continue;
            }
            let chosen = Some(*rng.pick(&able));
            path[at].annotations.0 = chosen;
            path[before].annotations.1 = chosen;
        }
        for edge in path {
            let plain = |end: Option<Annotation>| end.unwrap_or_default() == Annotation::Plain;
            if plain(edge.annotations.0) && plain(edge.annotations.1) {
                edge.annotations = (None, None);
            }
        }
    }

    fn may_follow(&self, left: &Edge, right: &Edge) -> bool {
        if !left.meets(right) {
            return false;
        }
        if self.free {
            return true;
        }
        match (left.kind, right.kind) {
            (Kind::Order { .. }, Kind::Order { .. }) => false,
            (Kind::Communication(one, here), Kind::Communication(other, there)) => {
                let alike = (here == Reach::Internal) == (there == Reach::Internal);
                !(alike && one.composes_with(other))
            }
            _ => true,
        }
    }

    /// The cycle, if it belongs to the family, turned as people write it.
    fn cycle(&self, edges: &[Edge]) -> Option<Cycle> {
        let cycle = Cycle::new(self.architecture, edges).ok()?;
        // The writes that a read-modify-write adds make no cycle less critical.
        let updates = |location: usize| {
            let half = |at: &usize| cycle.accesses[*at].annotation.is_half() || cycle.update(*at).is_some();
            let there = (0..cycle.edges.len()).filter(|at| cycle.accesses[*at].location == location);
            there.filter(half).count() as u32
        };
        let small = |location| cycle.writes(location) <= 2 + updates(location);
        let fits = (self.threads.0..=self.threads.1).contains(&cycle.threads);
        let critical = self.free || (0..cycle.locations).all(small);
        (fits && critical).then(|| upright(cycle))
    }
}

/// Give up sampling after this many attempts without a new cycle.
const IDLE: usize = 20_000;

struct Search<'a> {
    family: &'a Family,
    edges: Vec<Edge>,
    /// `follows[left][right]`
    follows: Vec<Vec<bool>>,
    /// Numbers of edges; the first is a guard.
    path: Vec<usize>,
    visit: &'a mut dyn FnMut(Cycle) -> ControlFlow<()>,
}

impl Search<'_> {
    /// Choose the edge number `at`; `period` is the length of the prefix that repeats so far.
    fn extend(&mut self, at: usize, period: usize, threads: usize) -> ControlFlow<()> {
        let size = self.path.len() - 1;
        if at > size {
            let closes = size.is_multiple_of(period) && self.follows[self.path[size]][self.path[1]];
            if !closes {
                return ControlFlow::Continue(());
            }
            let edges: Vec<Edge> = self.path[1..].iter().map(|number| self.edges[*number]).collect();
            return match self.family.cycle(&edges) {
                Some(cycle) => (self.visit)(cycle),
                None => ControlFlow::Continue(()),
            };
        }
        let least = self.path[at - period];
        for number in least..self.edges.len() {
            if at > 1 && !self.follows[self.path[at - 1]][number] {
                continue;
            }
            let threads = threads + usize::from(self.edges[number].is_external());
            if threads > self.family.threads.1 {
                continue;
            }
            self.path[at] = number;
            self.extend(at + 1, if number == least { period } else { at }, threads)?;
        }
        ControlFlow::Continue(())
    }
}

/// Of all rotations that end where the thread changes, the one whose threads come as the literature
/// has them: writers first, a lone write before all others.
fn upright(cycle: Cycle) -> Cycle {
    let size = cycle.edges.len();
    let turns = (0..size).filter(|by| cycle.edges[(by + size - 1) % size].is_external());
    let best = turns
        .filter_map(|by| {
            let edges = [&cycle.edges[by..], &cycle.edges[..by]].concat();
            Cycle::new(cycle.architecture, &edges).ok()
        })
        .min_by_key(|turned| (name::order_of_threads(turned), turned.edges.clone()));
    best.unwrap_or(cycle)
}

#[cfg(test)]
mod tests {
    use super::super::edge::Names;
    use super::*;

    fn family(edges: &str, size: usize, threads: usize) -> Family {
        let architecture = Architecture::Ppc;
        let edges = edges.split_whitespace().flat_map(|one| Edge::parse_pattern(one, architecture)).collect();
        let size = (2, size);
        Family { edges, size, threads: (2, threads), ..Family::usual(architecture) }
    }

    fn names(family: &Family) -> Vec<String> {
        let mut names = Vec::new();
        let _ = family.each(&mut |cycle| {
            names.push(name::name(&cycle));
            ControlFlow::Continue(())
        });
        names
    }

    /// Alglave, Maranget, Tautschnig 2014, table of two-thread shapes: exactly six.
    #[test]
    fn two_threads_have_six_shapes() {
        let mut found = names(&family("Pod** Rfe Fre Coe", 4, 2));
        found.sort();
        assert_eq!(found, ["2+2W", "LB", "MP", "R", "S", "SB"]);
    }

    /// The three-thread shapes: the eleven on three threads with two accesses each, and those with one
    /// lone write.
    #[test]
    fn three_threads_have_the_shapes_of_the_literature() {
        let mut found = names(&family("Pod** Rfe Fre Coe", 6, 3));
        found.sort();
        let two = ["2+2W", "LB", "MP", "R", "S", "SB"];
        let lone = ["RWC", "WRC", "WWC", "WRR+2W", "WRW+2W", "WRW+WR"];
        let three = ["3.2W", "3.LB", "3.SB", "ISA2", "W+RWC", "Z6.0", "Z6.1", "Z6.2", "Z6.3", "Z6.4", "Z6.5"];
        let mut expected = [&two[..], &lone[..], &three[..]].concat();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_cycle_comes_twice() {
        let family = Family { size: (2, 8), ..Family::usual(Architecture::Ppc) };
        let mut seen = std::collections::BTreeSet::new();
        let mut sizes = Vec::new();
        let _ = family.each(&mut |cycle| {
            let size = cycle.edges.len();
            let least = (0..size).map(|by| [&cycle.edges[by..], &cycle.edges[..by]].concat()).min();
            assert!(seen.insert(least), "{}", Names(&cycle.edges, cycle.architecture));
            sizes.push(size);
            ControlFlow::Continue(())
        });
        assert!(sizes.is_sorted(), "small ones come first");
        assert!(sizes.len() > 4500, "{}", sizes.len());
    }

    /// Against plain enumeration of all lists, with rotations thrown away afterwards.
    #[test]
    fn necklaces_are_all_lists_up_to_rotation() {
        let family = family("PodWR PodWW PosRW SyncdRR Rfe Fre Coe Rfi", 5, 3);
        let mut expected = std::collections::BTreeSet::new();
        let edges = &family.edges;
        for size in 2..=5u32 {
            for number in 0..edges.len().pow(size) {
                let path: Vec<Edge> =
                    (0..size).map(|at| edges[number / edges.len().pow(at) % edges.len()]).collect();
                let meets =
                    (0..path.len()).all(|at| family.may_follow(&path[at], &path[(at + 1) % path.len()]));
                if meets && let Some(cycle) = family.cycle(&path) {
                    expected.insert(cycle.edges);
                }
            }
        }
        let mut found = std::collections::BTreeSet::new();
        let mut count = 0;
        let _ = family.each(&mut |cycle| {
            count += 1;
            found.insert(cycle.edges);
            ControlFlow::Continue(())
        });
        assert_eq!((found.len(), &found), (count, &expected));
        assert!(count > 10, "{count}");
    }

    #[test]
    fn samples_depend_on_the_seed_alone() {
        let family = Family { size: (4, 8), ..Family::usual(Architecture::Riscv) };
        let (one, two) = (family.sample(1, 50), family.sample(1, 50));
        assert_eq!(one, two);
        assert_eq!(one.len(), 50);
        assert_ne!(one, family.sample(2, 50));
    }
}
