//! How compilers map C11 to each architecture: one table an architecture, as data.
//!
//! The tables are the ones that compilers agree on, because code of different compilers must work together. Where
//! there are several, the choice is said beside the table. The program that hardware models judge is the compiled
//! one, so a mapping is no change of the program: it is what the program means there.
//!
//! What all of them have in common: non-atomic and relaxed accesses are plain ones; `consume` is compiled as acquire,
//! as every compiler does; a comparison that fails is the same instruction with the order for failure, and
//! writes nothing. A read-modify-write stays one step with two events, whether the architecture
//! has an instruction for it or a loop of exclusive accesses: the rounds of the loop that fail have no effect.
//!
//! They are sound for RC11, but for one thing: RC11 forbids that relaxed loads and later stores change places (LB),
//! compilers and hardware other than x86 do not. A test compares outcomes.

use crate::{Fence, Orders, Tags, Vocabulary};

/// A memory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

impl Order {
    /// The order that a tag of C11 stands for.
    pub(super) fn named(tag: &str) -> Option<Order> {
        Some(match tag {
            "RLX" | "NA" => Order::Relaxed,
            "ACQ" | "CON" => Order::Acquire,
            "REL" => Order::Release,
            "ACQ_REL" => Order::AcquireRelease,
            "SC" => Order::SequentiallyConsistent,
            _ => return None,
        })
    }

    /// The order of an access; one without any mark is non-atomic.
    pub(super) fn of(tags: &Tags) -> Order {
        tags.iter().find_map(|tag| Order::named(tag)).unwrap_or(Order::Relaxed)
    }
}

/// What stands around an access, and the marks on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) before: &'static [&'static str],
    pub(super) read: &'static [&'static str],
    pub(super) write: &'static [&'static str],
    pub(super) after: &'static [&'static str],
    /// Is there a branch that depends on the value, before what comes after?
    pub(super) branch: bool,
}

const PLAIN: Row = Row { before: &[], read: &[], write: &[], after: &[], branch: false };

const fn marked(read: &'static [&'static str], write: &'static [&'static str]) -> Row {
    Row { read, write, ..PLAIN }
}

const fn fenced(before: &'static [&'static str], after: &'static [&'static str]) -> Row {
    Row { before, after, ..PLAIN }
}

#[derive(Debug)]
pub(super) struct Mapping {
    /// Relaxed, acquire, sequentially consistent.
    loads: [Row; 3],
    /// Relaxed, release, sequentially consistent.
    stores: [Row; 3],
    /// By [`Order`].
    updates: [Row; 5],
    /// Acquire, release, acquire and release, sequentially consistent.
    fences: [&'static [&'static str]; 4],
}

/// Power, with a leading sync: the table of Sarkar, Memarian, Owens, Batty, Sewell, Maranget, Alglave and Williams
/// (2012), "Synchronising C/C++ and POWER", which GCC and LLVM follow. An acquire is a branch on the value with an
/// `isync` (`ld; cmp; bc; isync`), not `lwsync`. A read-modify-write is a loop of `lwarx` and `stwcx.`; the branch that
/// closes it is resolved only when the store has succeeded, and so after the load, which makes it one on the value.
const POWER: Mapping = {
    const LOOP: &[&str] = &["X"];
    const fn update(before: &'static [&'static str], acquires: bool) -> Row {
        let after: &[&str] = if acquires { &["ISYNC"] } else { &[] };
        Row { before, read: LOOP, write: LOOP, after, branch: acquires }
    }
    const ACQUIRE: Row = Row { branch: true, ..fenced(&[], &["ISYNC"]) };
    Mapping {
        loads: [PLAIN, ACQUIRE, Row { before: &["SYNC"], ..ACQUIRE }],
        stores: [PLAIN, fenced(&["LWSYNC"], &[]), fenced(&["SYNC"], &[])],
        updates: [
            update(&[], false),
            update(&[], true),
            update(&["LWSYNC"], false),
            update(&["LWSYNC"], true),
            update(&["SYNC"], true),
        ],
        fences: [&["LWSYNC"], &["LWSYNC"], &["LWSYNC"], &["SYNC"]],
    }
};

/// ARM before version 8: `dmb ish` for everything, as GCC and LLVM have it (Sewell's table of mappings names `isb` after a
/// branch as the alternative for acquire). A sequentially consistent store has a barrier on both sides.
const ARM: Mapping = {
    const LOOP: Row = marked(&["X"], &["X"]);
    const DMB: &[&str] = &["DMB"];
    Mapping {
        loads: [PLAIN, fenced(&[], DMB), fenced(&[], DMB)],
        stores: [PLAIN, fenced(DMB, &[]), fenced(DMB, DMB)],
        updates: [
            LOOP,
            Row { after: DMB, ..LOOP },
            Row { before: DMB, ..LOOP },
            Row { before: DMB, after: DMB, ..LOOP },
            Row { before: DMB, after: DMB, ..LOOP },
        ],
        fences: [DMB, DMB, DMB, DMB],
    }
};

/// AArch64: load-acquire (`LDAR`, not the weaker `LDAPR`) and store-release (`STLR`), also for sequentially consistent
/// accesses; read-modify-writes are the single instructions of version 8.1 (`CASAL`, `LDADDAL`, `SWPAL` and their kin), as GCC
/// and LLVM compile with `-march=armv8.1-a`. Fences are `dmb ishld` for acquire and `dmb ish` for the others.
const AARCH64: Mapping = Mapping {
    loads: [PLAIN, marked(&["A"], &[]), marked(&["A"], &[])],
    stores: [PLAIN, marked(&[], &["L"]), marked(&[], &["L"])],
    updates: [
        PLAIN,
        marked(&["A"], &[]),
        marked(&[], &["L"]),
        marked(&["A"], &["L"]),
        marked(&["A"], &["L"]),
    ],
    fences: [&["DMB.LD"], &["DMB.SY"], &["DMB.SY"], &["DMB.SY"]],
};

/// RISC-V: table A.6 of the unprivileged manual ("Mappings from C/C++ primitives to RISC-V primitives"). Read-modify-writes
/// are AMOs, compare-and-swap too (`amocas`, extension Zacas), with the marks of that table's rows for AMOs.
const RISCV: Mapping = {
    const ACQUIRE: &[&str] = &["Fence.r.rw"];
    const RELEASE: &[&str] = &["Fence.rw.w"];
    const FULL: &[&str] = &["Fence.rw.rw"];
    const AMO: &[&str] = &["AMO", "X"];
    const BOTH: Row = marked(&["AMO", "X", "AcqRel"], &["AMO", "X", "AcqRel"]);
    Mapping {
        loads: [PLAIN, fenced(&[], ACQUIRE), fenced(FULL, ACQUIRE)],
        stores: [PLAIN, fenced(RELEASE, &[]), fenced(RELEASE, &[])],
        updates: [
            marked(AMO, AMO),
            marked(&["AMO", "X", "Acq"], AMO),
            marked(AMO, &["AMO", "X", "Rel"]),
            BOTH,
            BOTH,
        ],
        fences: [ACQUIRE, RELEASE, &["Fence.tso"], FULL],
    }
};

/// Models that speak of what a fence orders: x86's mapping, said as promises. Release and acquire are marks, which cost nothing
/// on x86; a sequentially consistent store has a full fence after it (`mov; mfence`, not `xchg`), and a
/// sequentially consistent read-modify-write is a locked step. (`rlx` marks one that is none.)
const GENERIC: Mapping = {
    const FULL: &[&str] = &["fence"];
    Mapping {
        loads: [PLAIN, marked(&["acq"], &[]), marked(&["acq"], &[])],
        stores: [PLAIN, marked(&[], &["rel"]), Row { after: FULL, ..marked(&[], &["rel"]) }],
        updates: [
            marked(&["rlx"], &["rlx"]),
            marked(&["rlx", "acq"], &["rlx"]),
            marked(&["rlx"], &["rlx", "rel"]),
            marked(&["rlx", "acq"], &["rlx", "rel"]),
            PLAIN,
        ],
        fences: [&["fence.rr.rw"], &["fence.rw.ww"], &["fence.rr.rw.ww"], FULL],
    }
};

impl Mapping {
    pub(super) fn to(vocabulary: Vocabulary) -> Option<&'static Mapping> {
        Some(match vocabulary {
            Vocabulary::Generic => &GENERIC,
            Vocabulary::Ppc => &POWER,
            Vocabulary::Arm => &ARM,
            Vocabulary::Aarch64 => &AARCH64,
            Vocabulary::Riscv => &RISCV,
            Vocabulary::C11 | Vocabulary::X86 | Vocabulary::Rma => return None,
        })
    }

    /// A load cannot release: what is asked of it beyond acquiring is dropped.
    pub(super) fn load(&self, order: Order) -> &Row {
        match order {
            Order::Relaxed | Order::Release => &self.loads[0],
            Order::Acquire | Order::AcquireRelease => &self.loads[1],
            Order::SequentiallyConsistent => &self.loads[2],
        }
    }

    pub(super) fn store(&self, order: Order) -> &Row {
        match order {
            Order::Relaxed | Order::Acquire => &self.stores[0],
            Order::Release | Order::AcquireRelease => &self.stores[1],
            Order::SequentiallyConsistent => &self.stores[2],
        }
    }

    pub(super) fn update(&self, order: Order) -> &Row {
        &self.updates[order as usize]
    }

    pub(super) fn fence(&self, order: Order) -> &'static [&'static str] {
        match order {
            Order::Relaxed => &[],
            order => self.fences[order as usize - 1],
        }
    }
}

/// Fences of a vocabulary by their tags.
pub(super) fn by_tags(tags: &[&str], vocabulary: Vocabulary) -> Vec<Fence> {
    let instruction_barrier =
        |tag: &str| Fence { tag: tag.into(), orders: Orders::NONE, cumulative: false, location: None };
    let own = vocabulary.fences();
    let one = |tag: &&str| {
        own.iter().find(|fence| &&*fence.tag == tag).cloned().unwrap_or_else(|| instruction_barrier(tag))
    };
    tags.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGETS: [Vocabulary; 5] =
        [Vocabulary::Generic, Vocabulary::Ppc, Vocabulary::Arm, Vocabulary::Aarch64, Vocabulary::Riscv];

    /// A misspelt tag would be a fence that orders nothing.
    #[test]
    fn every_fence_of_a_table_is_one_of_its_vocabulary() {
        let mut seen = 0;
        for target in TARGETS {
            let mapping = Mapping::to(target).unwrap();
            let rows = mapping.loads.iter().chain(&mapping.stores).chain(&mapping.updates);
            let around = rows.flat_map(|row| row.before.iter().chain(row.after));
            for tag in around.chain(mapping.fences.iter().copied().flatten()) {
                let fences = by_tags(&[tag], target);
                let known = fences[0].orders != Orders::NONE || *tag == "ISYNC";
                assert!(known, "{tag} in {target:?}");
                seen += 1;
            }
        }
        assert!(seen > 40);
    }

    /// Fences of C11 become fences that order at least the same pairs.
    #[test]
    fn a_fence_orders_what_it_orders_in_c11() {
        for target in TARGETS {
            let mapping = Mapping::to(target).unwrap();
            for fence in Vocabulary::C11.fences() {
                let order = Order::named(&fence.tag).unwrap();
                let became = by_tags(mapping.fence(order), target);
                let orders = became.iter().fold(Orders::NONE, |all, fence| all.union(fence.orders));
                assert!(orders.contains(fence.orders), "{} in {target:?}: {orders}", fence.tag);
            }
        }
    }
}
