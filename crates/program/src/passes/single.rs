//! One access a step, in the order of the text.
//!
//! C does not say in which order the accesses of one expression happen, and a front end may put them on one edge:
//! under axioms their events are then in no order. A machine would do them at one instant, and fences for one of them would
//! be fences for all. A compiler decides for some order; here it is the one of the text. Locked steps stay as they are.

use crate::{Cfg, Edge, EdgeId, Mode, Op, PointInfo, Role};
use wattle_logic::Term;

/// Old points and edges keep their numbers; an edge that is cut keeps its first part.
pub(super) fn single_accesses(cfg: &mut Cfg) {
    for number in 0..cfg.edges.len() {
        let edge = cfg.edge(EdgeId(number as u32));
        let mut parts: Vec<Vec<Op>> = vec![vec![]];
        let mut full = false;
        for op in &edge.ops {
            let accesses = matches!(op, Op::Load { .. } | Op::Store { .. });
            if accesses && full {
                parts.push(vec![]);
            }
            full |= accesses;
            if let Some(part) = parts.last_mut() {
                part.push(op.clone());
            }
        }
        if parts.len() == 1 || edge.mode != Mode::Plain {
            continue;
        }
        let (to, origin) = (edge.to, edge.origin);
        let role = cfg.edges[number].hand_on();
        let last = parts.len() - 1;
        let mut from = cfg.edges[number].from;
        for (part, ops) in parts.into_iter().enumerate() {
            let next = match part == last {
                true => to,
                false => cfg.add_point(PointInfo { origin, ..PointInfo::default() }),
            };
            match part {
                0 => {
                    cfg.edges[number].ops = ops;
                    cfg.edges[number].to = next;
                }
                _ => {
                    let role = if part == last { role } else { Role::Step };
                    let guard = Term::bool(true);
                    cfg.edges.push(Edge { from, guard, ops, to: next, mode: Mode::Plain, role, origin });
                }
            }
            from = next;
        }
    }
}
