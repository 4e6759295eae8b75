//! How many stores may be pending at each point of a thread? A data-flow analysis: a buffered store adds
//! one, a fence and a locked step leave none, and commits, which may happen at any time, only take away. So
//! what is counted is the stores since the last time when nothing can have been pending.

use std::collections::BTreeMap;

use wattle_program::{Cfg, Edge, Mode, Op, Orders, Shape};

use super::address::{Target, target};

/// The most that can be pending at each point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// By point, for each location that the thread stores to; never more than its limit.
    pub each: Vec<BTreeMap<u32, u32>>,
    /// By point, of all locations; never more than the limit for that.
    pub total: Vec<u32>,
    /// Nowhere, not even within a step, are two stores pending: there is a fence between every two.
    pub fenced: bool,
    /// By location: the most anywhere, also within a step.
    pub peaks: BTreeMap<u32, Reached>,
}

/// How many stores may be pending while one to a certain location is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reached {
    /// To that location.
    pub own: u32,
    /// To all.
    pub all: u32,
}

/// `limits`: the locations that have buffers, and up to where counting them makes sense.
pub(super) fn bounds(cfg: &Cfg, shape: &Shape, limits: &BTreeMap<u32, u32>, limit: u32) -> Bounds {
    let nothing: BTreeMap<u32, u32> = limits.keys().map(|location| (*location, 0)).collect();
    let mut bounds = Bounds {
        each: vec![nothing; cfg.points.len()],
        total: vec![0; cfg.points.len()],
        fenced: true,
        peaks: limits.keys().map(|location| (*location, Reached::default())).collect(),
    };
    loop {
        let before = bounds.clone();
        for edge in &cfg.edges {
            let from = edge.from.0 as usize;
            let total = bounds.total[from];
            let mut after = Pending { each: bounds.each[from].clone(), total, peak: total };
            after.pass(edge, shape, &mut bounds.peaks);
            let to = edge.to.0 as usize;
            for (location, most) in &mut bounds.each[to] {
                *most = (*most).max(after.each[location].min(limits[location]));
            }
            bounds.fenced &= after.peak <= 1;
            bounds.total[to] = bounds.total[to].max(after.total.min(limit));
        }
        if bounds == before {
            return bounds;
        }
    }
}

struct Pending {
    each: BTreeMap<u32, u32>,
    total: u32,
    peak: u32,
}

impl Pending {
    fn pass(&mut self, edge: &Edge, shape: &Shape, peaks: &mut BTreeMap<u32, Reached>) {
        if edge.mode == Mode::Locked {
            return self.drained();
        }
        for op in &edge.ops {
            match op {
                Op::Store { address, .. } => {
                    let locations = match target(shape, address) {
                        Target::Fixed(location) => vec![location],
                        Target::OneOf(some) => some.into_iter().map(|(location, _)| location).collect(),
                    };
                    for location in locations {
                        self.each.entry(location).and_modify(|most| *most = most.saturating_add(1));
                    }
                    self.total = self.total.saturating_add(1);
                    self.peak = self.peak.max(self.total);
                    for (location, own) in self.each.iter().filter(|(_, own)| **own > 0) {
                        peaks.entry(*location).and_modify(|peak| {
                            peak.own = peak.own.max(*own);
                            peak.all = peak.all.max(self.total);
                        });
                    }
                }
                Op::Fence(fence) => match &fence.location {
                    Some(address) => {
                        if let Target::Fixed(location) = target(shape, address) {
                            self.each.entry(location).and_modify(|most| *most = 0);
                        }
                    }
                    None if fence.orders.contains(Orders::WR) => self.drained(),
                    None => {}
                },
                _ => {}
            }
        }
    }

    fn drained(&mut self) {
        self.each.values_mut().for_each(|most| *most = 0);
        self.total = 0;
    }
}
