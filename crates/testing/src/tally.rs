//! Is the fuzzing worth anything? Counts what random programs show, so that tests can insist on it.

use std::fmt;

use crate::compare::{Comparison, Times, is_budget};

#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub programs: u64,
    /// At most one outcome and no violation, under every memory model.
    pub trivial: u64,
    /// Verdict or outcomes differ between memory models.
    pub sensitive: u64,
    /// A violation under some memory model.
    pub violated: u64,
    /// The bound on pending operations cut something off.
    pub cut: u64,
    /// Too large for the naive search.
    pub too_large: u64,
    pub states: u64,
    pub compared: u64,
    pub incomparable: u64,
    pub times: Times,
}

impl Tally {
    pub fn add(&mut self, comparison: &Comparison) {
        self.programs += 1;
        self.compared += comparison.compared;
        self.incomparable += comparison.incomparable;
        let times = &comparison.times;
        self.times.naive += times.naive;
        self.times.check += times.check;
        self.times.outcomes += times.outcomes;
        self.times.judge += times.judge;
        let found: Vec<_> = comparison.naive.iter().filter_map(|naive| naive.as_ref().ok()).collect();
        let any = |test: &dyn Fn(&wattle_judge::certify::Closure) -> bool| {
            u64::from(found.iter().any(|closure| test(closure)))
        };
        let shows = |closure: &wattle_judge::certify::Closure| {
            closure.violation.is_some() || closure.outcomes.len() > 1
        };
        self.trivial += 1 - any(&shows);
        self.violated += any(&|closure| closure.violation.is_some());
        self.cut += any(&|closure| closure.cut);
        self.sensitive += u64::from(found.windows(2).any(|pair| {
            pair[0].outcomes != pair[1].outcomes || pair[0].violation.is_some() != pair[1].violation.is_some()
        }));
        let large = |naive: &Result<_, wattle_engine::Reason>| naive.as_ref().is_err_and(is_budget);
        self.too_large += u64::from(comparison.naive.iter().any(large));
        self.states += found.iter().map(|closure| closure.states).sum::<u64>();
    }

    pub fn merge(&mut self, other: &Tally) {
        self.programs += other.programs;
        self.trivial += other.trivial;
        self.sensitive += other.sensitive;
        self.violated += other.violated;
        self.cut += other.cut;
        self.too_large += other.too_large;
        self.states += other.states;
        self.compared += other.compared;
        self.incomparable += other.incomparable;
        self.times.naive += other.times.naive;
        self.times.check += other.times.check;
        self.times.outcomes += other.times.outcomes;
        self.times.judge += other.times.judge;
    }

    /// A share of the programs, in per cent.
    pub fn share(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.programs.max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |count| self.share(count);
        write!(
            f,
            "{} programs: {:.1}% trivial, {:.1}% violated, {:.1}% differ between models, {:.1}% cut by the \
             bound, {:.2}% too large; {} answers compared, {} incomparable; {:.0} states a program",
            self.programs,
            share(self.trivial),
            share(self.violated),
            share(self.sensitive),
            share(self.cut),
            share(self.too_large),
            self.compared,
            self.incomparable,
            self.states as f64 / self.programs.max(1) as f64,
        )
    }
}
