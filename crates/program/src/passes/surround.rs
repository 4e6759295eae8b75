//! Fences around a step, as steps of their own: events of one step have no order among themselves, so a fence that
//! is to order an access must stand on an edge before or behind it. Old points and edges keep their numbers.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Sort, Term};

use super::Untranslatable;
use crate::promise::Promise;
use crate::{Cfg, Edge, EdgeId, Fence, Mode, Op, Origin, Point, PointInfo, Role};

/// Fences that an edge needs around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Around {
    pub(super) before: Vec<Fence>,
    pub(super) after: Vec<Fence>,
    /// What comes after depends on these locals.
    pub(super) on: Vec<u32>,
}

/// Put the fences where they belong, as steps of their own.
pub(super) fn surround(
    cfg: &mut Cfg,
    sorts: &[Sort],
    around: &BTreeMap<EdgeId, Around>,
) -> Result<(), Untranslatable> {
    // Points and edges that are new have nothing around them.
    for point in 0..cfg.points.len() as u32 {
        let leaving: Vec<EdgeId> = cfg.leaving(Point(point)).collect();
        let Some(origin) = (leaving.iter()).find(|id| around.contains_key(id)).map(|id| cfg.edge(*id).origin)
        else {
            continue;
        };
        let hidden = |cfg: &mut Cfg| cfg.add_point(PointInfo { origin, ..PointInfo::default() });
        let fences = |from: Point, to: Point, fences: &[Fence], guard: Term, role: Role| Edge {
            from,
            guard,
            ops: fences.iter().cloned().map(Op::Fence).collect(),
            to,
            mode: Mode::Plain,
            role,
            origin,
        };
        // The ways that one step may go (a comparison succeeds or fails) have their fence in common. Where steps of
        // different statements leave, each must have a condition: then the thread knows which it is to take before
        // it passes the fence of that one.
        let origins: BTreeSet<Origin> = leaving.iter().map(|id| cfg.edge(*id).origin).collect();
        let branch = leaving.iter().all(|id| !cfg.edge(*id).guard.is_true());
        for origin in &origins {
            let own = leaving.iter().filter(|id| cfg.edge(**id).origin == *origin);
            let own: Vec<EdgeId> = own.copied().collect();
            // Of different ones, that of success and failure, the strongest.
            let before = own.iter().filter_map(|id| around.get(id)).map(|around| &around.before);
            let strength = |before: &&Vec<Fence>| Promise::of_all(before).touches().0.count_ones();
            let Some(before) = before.max_by_key(strength).filter(|before| !before.is_empty()) else {
                continue;
            };
            let guard = match (&own[..], origins.len()) {
                (_, 1) => Term::bool(true),
                ([first, rest @ ..], _)
                    if branch && rest.iter().all(|id| cfg.edge(*id).guard == cfg.edge(*first).guard) =>
                {
                    cfg.edge(*first).guard.clone()
                }
                _ => {
                    let what = "a choice between a step that needs a fence and another";
                    return Err(Untranslatable(what.into()));
                }
            };
            let middle = hidden(cfg);
            own.iter().for_each(|id| cfg.edges[id.0 as usize].from = middle);
            cfg.edges
                .push(Edge { origin: *origin, ..fences(Point(point), middle, before, guard, Role::Step) });
        }
        for id in leaving {
            let Some(Around { after, on, .. }) = around.get(&id).filter(|around| !around.after.is_empty())
            else {
                continue;
            };
            let end = hidden(cfg);
            let edge = &mut cfg.edges[id.0 as usize];
            let target = std::mem::replace(&mut edge.to, end);
            let role = edge.hand_on();
            // Always true, but a branch that depends on what was loaded.
            let loaded = on.iter().map(|local| Term::local(*local, sorts[*local as usize]));
            let same = loaded.map(|loaded| loaded.clone().equals(loaded));
            let branch = same.reduce(Term::and).unwrap_or_else(|| Term::bool(true));
            cfg.edges.push(fences(end, target, after, branch, role));
        }
    }
    Ok(())
}
