//! The fences that each vocabulary has, as far as programs that are written today use them: what a
//! front end can write and a repair can choose from. Instruction barriers (`isync`, `isb`) are absent,
//! because alone they order nothing, and so are names that mean the same as another (`dmb ish`,
//! `dsb`) or only concern devices.

use crate::{Fence, Orders, Vocabulary};

impl Orders {
    /// What an acquire fence orders.
    pub const READS: Orders = Orders(Orders::RR.0 | Orders::RW.0);
    /// What a release fence orders.
    pub const WRITES: Orders = Orders(Orders::RW.0 | Orders::WW.0);
    /// All but write-read pairs: Power's `lwsync`, RISC-V's `fence.tso`.
    pub const LIGHT: Orders = Orders(Orders::RR.0 | Orders::RW.0 | Orders::WW.0);
}

impl Fence {
    /// Power's lightweight fence.
    pub fn lwsync() -> Fence {
        Fence { tag: "LWSYNC".into(), orders: Orders::LIGHT, cumulative: true, location: None }
    }
}

impl Vocabulary {
    pub fn fences(self) -> Vec<Fence> {
        let fence =
            |tag: &str, orders, cumulative| Fence { tag: tag.into(), orders, cumulative, location: None };
        match self {
            Vocabulary::Generic | Vocabulary::Rma => {
                (1..=Orders::ALL.0).map(|orders| Fence::of_orders(Orders(orders))).collect()
            }
            Vocabulary::X86 => vec![
                fence("SFENCE", Orders::WW, false),
                fence("LFENCE", Orders::READS, false),
                fence("MFENCE", Orders::ALL, false),
            ],
            Vocabulary::Ppc => vec![Fence::lwsync(), fence("SYNC", Orders::ALL, true)],
            Vocabulary::Arm => vec![fence("DMB.ST", Orders::WW, true), fence("DMB", Orders::ALL, true)],
            Vocabulary::Aarch64 => vec![
                fence("DMB.ST", Orders::WW, false),
                fence("DMB.LD", Orders::READS, false),
                fence("DMB.SY", Orders::ALL, false),
            ],
            Vocabulary::Riscv => vec![
                fence("Fence.r.r", Orders::RR, false),
                fence("Fence.r.w", Orders::RW, false),
                fence("Fence.w.r", Orders::WR, false),
                fence("Fence.w.w", Orders::WW, false),
                fence("Fence.r.rw", Orders::READS, false),
                fence("Fence.w.rw", Orders::WR.union(Orders::WW), false),
                fence("Fence.rw.r", Orders::RR.union(Orders::WR), false),
                fence("Fence.rw.w", Orders::WRITES, false),
                fence("Fence.tso", Orders::LIGHT, false),
                fence("Fence.rw.rw", Orders::ALL, false),
            ],
            Vocabulary::C11 => vec![
                fence("ACQ", Orders::READS, true),
                fence("REL", Orders::WRITES, true),
                fence("ACQ_REL", Orders::LIGHT, true),
                fence("SC", Orders::ALL, true),
            ],
        }
    }
}
