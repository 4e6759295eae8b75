//! Translate a program from one vocabulary into another: what a compiler would do that keeps every
//! access, and takes for each fence one of the target that orders at least as much.
//!
//! * Fences go by what they order, and one that orders nothing becomes nothing. Where writes are not
//!   atomic (Power) or fences order through other accesses only (C11), pairs that stay in order are not
//!   enough to replace a fence, so every fence becomes the full one there, but for one that is called
//!   `lwsync` already. `isync` and `isb` order nothing by themselves and stand for each other.
//! * A locked step of a store-buffer machine is ordered with everything around it, so it gets a full
//!   fence of the target on both sides; the fences are steps of their own.
//! * Plain accesses stay plain, and release stores and acquire loads take the target's mark, where there is one.
//!   Other marks and pairs of exclusives have no translation
//!   here, and an atomic section over several accesses has none anywhere: these are refused.

use crate::{Cfg, Edge, EdgeId, Fence, Mode, Name, Op, Orders, Point, PointInfo, Program, Role, Vocabulary};

/// What has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslatable(pub String);

/// The program in another vocabulary.
pub fn retarget(program: &Program, to: Vocabulary) -> Result<Program, Untranslatable> {
    let mut result = program.clone();
    if program.vocabulary == to {
        return Ok(result);
    }
    let from = program.vocabulary;
    if matches!(from, Vocabulary::C11 | Vocabulary::Rma)
        || matches!(to, Vocabulary::Generic | Vocabulary::Rma)
    {
        return refuse("the target has nothing like it");
    }
    result.vocabulary = to;
    for process in &mut result.processes {
        if process.cfg.points.iter().any(|point| point.inside.is_some()) {
            return refuse("an atomic section of several steps");
        }
        for edge in &mut process.cfg.edges {
            edge.ops.retain(|op| !orders_nothing(op));
            for op in &mut edge.ops {
                translate(op, edge.mode, to)?;
            }
        }
        surround_locked(&mut process.cfg, to)?;
    }
    Ok(result)
}

fn refuse<T>(what: impl Into<String>) -> Result<T, Untranslatable> {
    Err(Untranslatable(what.into()))
}

/// What a fence becomes in another vocabulary, if there is anything like it.
pub fn retarget_fence(fence: &Fence, to: Vocabulary) -> Option<Fence> {
    let mut op = Op::Fence(fence.clone());
    if orders_nothing(&op) || translate(&mut op, Mode::Plain, to).is_err() {
        return None;
    }
    let Op::Fence(fence) = op else { return None };
    Some(fence)
}

/// A fence without any effect on accesses, alone or after a branch.
fn orders_nothing(op: &Op) -> bool {
    matches!(op, Op::Fence(fence) if fence.orders == Orders::NONE && !matches!(&*fence.tag, "ISYNC" | "ISB"))
}

fn translate(op: &mut Op, mode: Mode, to: Vocabulary) -> Result<(), Untranslatable> {
    match op {
        Op::Fence(fence) if fence.location.is_some() => refuse("a fence for one location"),
        Op::Fence(fence) => {
            fence.tag = match &*fence.tag {
                "ISYNC" | "ISB" => instruction_fence(&fence.tag, to)?,
                "LWSYNC" if to == Vocabulary::Ppc => return Ok(()),
                _ => data_fence(fence.orders, to),
            };
            Ok(())
        }
        Op::LoadExclusive { .. } | Op::StoreConditional { .. } => refuse("a pair of exclusives"),
        Op::Load { tags, .. } | Op::Store { tags, .. } => {
            if mode == Mode::Locked {
                tags.clear();
            }
            let (release, acquire) = (tags.remove("rel"), tags.remove("acq"));
            if let Some(tag) = tags.iter().next() {
                return refuse(format!("an access marked {tag}"));
            }
            let mark = match to {
                Vocabulary::C11 if release => Some("REL"),
                Vocabulary::C11 if acquire => Some("ACQ"),
                Vocabulary::C11 => Some("RLX"),
                Vocabulary::Aarch64 if release => Some("L"),
                Vocabulary::Aarch64 if acquire => Some("Q"),
                Vocabulary::Riscv if release => Some("Rel"),
                Vocabulary::Riscv if acquire => Some("Acq"),
                Vocabulary::Ppc | Vocabulary::Arm if release => return refuse("a release store"),
                Vocabulary::Ppc | Vocabulary::Arm if acquire => return refuse("an acquire load"),
                _ => None,
            };
            tags.extend(mark.map(Name::from));
            Ok(())
        }
        _ => Ok(()),
    }
}

fn instruction_fence(tag: &str, to: Vocabulary) -> Result<Name, Untranslatable> {
    match to {
        Vocabulary::Ppc => Ok("ISYNC".into()),
        Vocabulary::Arm | Vocabulary::Aarch64 => Ok("ISB".into()),
        _ => refuse(format!("the fence {tag}")),
    }
}

/// The weakest fence that orders at least this.
fn data_fence(orders: Orders, to: Vocabulary) -> Name {
    let within = |most: Orders| most.contains(orders);
    let reads = Orders::RR.union(Orders::RW);
    match to {
        Vocabulary::X86 if within(Orders::WW) => "SFENCE".into(),
        Vocabulary::X86 if within(reads) => "LFENCE".into(),
        Vocabulary::X86 => "MFENCE".into(),
        Vocabulary::Ppc => "SYNC".into(),
        Vocabulary::Arm if within(Orders::WW) => "DMB.ST".into(),
        Vocabulary::Arm => "DMB".into(),
        Vocabulary::Aarch64 if within(Orders::WW) => "DMB.ST".into(),
        Vocabulary::Aarch64 if within(reads) => "DMB.LD".into(),
        Vocabulary::Aarch64 => "DMB.SY".into(),
        Vocabulary::Riscv => riscv_fence(orders),
        Vocabulary::C11 => "SC".into(),
        Vocabulary::Generic | Vocabulary::Rma => "fence".into(),
    }
}

/// `fence p,s` orders all of p before all of s; fence.tso all but write-read pairs.
fn riscv_fence(orders: Orders) -> Name {
    let any = |pairs: [Orders; 2]| pairs.into_iter().any(|pair| orders.contains(pair));
    let letters = |r: bool, w: bool| match (r, w) {
        (true, true) => "rw",
        (false, true) => "w",
        _ => "r",
    };
    let before = letters(any([Orders::RR, Orders::RW]), any([Orders::WR, Orders::WW]));
    let after = letters(any([Orders::RR, Orders::WR]), any([Orders::RW, Orders::WW]));
    match (before, after) {
        ("rw", "rw") if !orders.contains(Orders::WR) => "Fence.tso".into(),
        _ => format!("Fence.{before}.{after}").into(),
    }
}

/// Full fences before and after every locked step.
fn surround_locked(cfg: &mut Cfg, to: Vocabulary) -> Result<(), Untranslatable> {
    let locked = |edge: &Edge| edge.mode == Mode::Locked;
    for point in 0..cfg.points.len() as u32 {
        let leaving: Vec<EdgeId> = cfg.leaving(Point(point)).collect();
        if !leaving.iter().any(|edge| locked(cfg.edge(*edge))) {
            continue;
        }
        if !leaving.iter().all(|edge| locked(cfg.edge(*edge))) {
            return refuse("a choice between a locked step and another");
        }
        let origin = cfg.edge(leaving[0]).origin;
        let hidden = |cfg: &mut Cfg| cfg.add_point(PointInfo { origin, ..PointInfo::default() });
        let fence = |from: Point, to_point: Point, role: Role| Edge {
            from,
            guard: wattle_logic::Term::bool(true),
            ops: vec![Op::Fence(Fence { tag: data_fence(Orders::ALL, to), ..Fence::full() })],
            to: to_point,
            mode: Mode::Plain,
            role,
            origin,
        };
        let before = hidden(cfg);
        for id in leaving {
            let after = hidden(cfg);
            let edge = &mut cfg.edges[id.0 as usize];
            edge.from = before;
            let target = std::mem::replace(&mut edge.to, after);
            let role = edge.hand_on();
            cfg.edges.push(fence(after, target, role));
        }
        cfg.edges.push(fence(Point(point), before, Role::Step));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_becomes_the_weakest_that_orders_as_much() {
        let of = |orders, to| data_fence(orders, to).to_string();
        assert_eq!(of(Orders::ALL, Vocabulary::Ppc), "SYNC");
        assert_eq!(of(Orders(11), Vocabulary::Ppc), "SYNC");
        assert_eq!(retarget_fence(&Fence::lwsync(), Vocabulary::Ppc), Some(Fence::lwsync()));
        assert_eq!(of(Orders(11), Vocabulary::Riscv), "Fence.tso");
        assert_eq!(of(Orders::RW, Vocabulary::Riscv), "Fence.r.w");
        assert_eq!(of(Orders::WW, Vocabulary::Aarch64), "DMB.ST");
        assert_eq!(of(Orders(11), Vocabulary::Aarch64), "DMB.SY");
    }
}
