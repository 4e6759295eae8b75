//! What a proof costs, in figures.

use std::collections::BTreeSet;

use wattle_abstraction::checker::Reached;
use wattle_abstraction::{Cube, Predicates, Questions};
use wattle_engine::{Figure, Statistics};

/// What one loop cost: the columns of the paper's tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub predicates: usize,
    pub input_cubes: usize,
    pub rounds: u64,
    pub refined: usize,
    pub calls: u64,
    pub cubes: usize,
    pub cube_size: usize,
    pub states: u64,
    /// Of cubes, before a check.
    pub seconds_building: f64,
    /// All the rest, refinement included.
    pub seconds_checking: f64,
}

impl Figures {
    pub(crate) fn take(
        &mut self,
        predicates: &Predicates,
        questions: &Questions,
        reached: &Reached,
        cubes: &[Vec<Cube>],
    ) {
        let used = of_the_program(questions, cubes);
        self.predicates = predicates.len();
        self.states = reached.visited;
        self.cubes = used.iter().filter(|cube| cube.len() > 1).count();
        self.cube_size = used.iter().map(|cube| cube.len()).max().unwrap_or(0);
    }

    pub(crate) fn record(&self, statistics: &mut Statistics) {
        statistics.count("predicates", self.predicates as u64);
        statistics.count("input cubes", self.input_cubes as u64);
        statistics.count("rounds", self.rounds);
        statistics.count("refined predicates", self.refined as u64);
        statistics.count("calls", self.calls);
        statistics.count("cubes", self.cubes as u64);
        statistics.count("cube size", self.cube_size as u64);
        statistics.count("states", self.states);
        statistics.set("building", Figure::Seconds(self.seconds_building));
        statistics.set("checking", Figure::Seconds(self.seconds_checking));
    }
}

/// The distinct cubes of the boolean program. Contradictions are beside it.
fn of_the_program<'c>(questions: &Questions, cubes: &'c [Vec<Cube>]) -> BTreeSet<&'c Cube> {
    let beside: BTreeSet<usize> = questions.contradictions.iter().copied().collect();
    let goals = cubes.iter().enumerate().filter(|(goal, _)| !beside.contains(goal));
    goals.flat_map(|(_, cubes)| cubes).collect()
}
