//! What fences promise, and the weakest sequence of one vocabulary's fences that promises as much.
//!
//! A fence promises that pairs of accesses around it, a subset of {RR, RW, WR, WW}, stay in order. Most
//! keep that promise towards every observer. A release fence of C11 keeps it only *partly*: towards a
//! thread that reads what was written after the fence, and acquires. Two such fences do not forbid 2+2W,
//! where nobody reads. Translations between vocabularies follow from these tables alone.
//!
//! Cumulativity needs no column of its own. Where writes reach all threads at once it is there for
//! free; on Power and ARM every fence that orders reads has it; and of C11's fences only `acquire` lacks
//! it, which never has to stand for a cumulative one, because those order writes too.

use crate::{Fence, Orders, Vocabulary};

/// What a fence, or a sequence of them, promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Pairs that stay in order for every observer.
    pub keeps: Orders,
    /// Pairs that stay in order for observers that synchronise.
    pub partly: Orders,
}

impl Promise {
    const NOTHING: Promise = Promise { keeps: Orders::NONE, partly: Orders::NONE };

    pub fn of(fence: &Fence) -> Promise {
        match &*fence.tag {
            "REL" => Promise { keeps: Orders::NONE, partly: Orders::WRITES },
            "ACQ_REL" => Promise { keeps: Orders::READS, partly: Orders::WW },
            _ => Promise { keeps: fence.orders, partly: Orders::NONE },
        }
    }

    pub(crate) fn of_all(fences: &[Fence]) -> Promise {
        fences.iter().map(Promise::of).fold(Promise::NOTHING, Promise::and)
    }

    fn and(self, other: Promise) -> Promise {
        Promise { keeps: self.keeps.union(other.keeps), partly: self.partly.union(other.partly) }
    }

    pub(crate) fn touches(self) -> Orders {
        self.keeps.union(self.partly)
    }

    /// Does it order pairs that the other does not speak of?
    pub fn exceeds(self, other: Promise) -> bool {
        !other.touches().contains(self.touches())
    }

    /// Does it break what the other promises?
    pub(crate) fn falls_short_of(self, other: Promise) -> bool {
        !self.keeps.contains(other.keeps) || !self.touches().contains(other.touches())
    }
}

impl Vocabulary {
    /// The fences that a translation may use: those of [`Vocabulary::fences`], and Power's `eieio`,
    /// which repairs leave alone because programs use it for devices.
    pub(crate) fn fences_for_translation(self) -> Vec<Fence> {
        let eieio = Fence { tag: "EIEIO".into(), orders: Orders::WW, cumulative: false, location: None };
        let eieio = (self == Vocabulary::Ppc).then_some(eieio);
        eieio.into_iter().chain(self.fences()).collect()
    }
}

/// The weakest sequence of these fences that promises as much; of equally weak ones the shortest.
///
/// A full fence is the last resort. Before it comes a sequence that keeps some pairs partly only: for a
/// store barrier, C11's release fence is much nearer than its sequentially consistent one, which forbids
/// even store buffering.
pub fn weakest(promise: Promise, fences: &[Fence]) -> Vec<Fence> {
    let (full, light): (Vec<&Fence>, Vec<&Fence>) =
        fences.iter().partition(|fence| fence.orders == Orders::ALL);
    let last_resort = || full.iter().take(1).copied().cloned().collect();
    match promise.touches() {
        Orders::NONE => return vec![],
        Orders::ALL => return last_resort(),
        _ => {}
    }
    let sequences = sequences(&light);
    let keeps = |given: &Promise| given.keeps.contains(promise.keeps);
    let weakest_with = |enough: &dyn Fn(&Promise) -> bool| {
        let enough = |(_, given): &&(Vec<Fence>, Promise)| {
            given.touches().contains(promise.touches()) && enough(given)
        };
        let size =
            |(sequence, given): &&(Vec<Fence>, Promise)| (given.touches().0.count_ones(), sequence.len());
        sequences.iter().filter(enough).min_by_key(size).map(|(sequence, _)| sequence.clone())
    };
    weakest_with(&keeps).or_else(|| weakest_with(&|_| true)).unwrap_or_else(last_resort)
}

/// All sequences of at most four different fences, one for each kind of pair, and what they promise.
fn sequences(fences: &[&Fence]) -> Vec<(Vec<Fence>, Promise)> {
    let mut result: Vec<(Vec<Fence>, Promise)> = vec![(vec![], Promise::NOTHING)];
    for fence in fences {
        for number in 0..result.len() {
            let (sequence, promise) = &result[number];
            // One that adds nothing only makes the sequence longer.
            let more = promise.and(Promise::of(fence));
            if sequence.len() < Orders::NAMES.len() && more != *promise {
                let longer = sequence.iter().chain([*fence]).cloned().collect();
                result.push((longer, more));
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn becomes(orders: Orders, to: Vocabulary) -> String {
        let promise = Promise { keeps: orders, partly: Orders::NONE };
        let fences = weakest(promise, &to.fences_for_translation());
        let given = Promise::of_all(&fences);
        let tags: Vec<&str> = fences.iter().map(|fence| &*fence.tag).collect();
        let stronger = if given.exceeds(promise) { ">" } else { "" };
        let weaker = if given.falls_short_of(promise) { "<" } else { "" };
        format!("{}{stronger}{weaker}", tags.join(" "))
    }

    /// As the manuals have the fences: Power ISA book II 4.6.3 and table of memory barriers, Arm ARM
    /// B2.3, RISC-V 17.1, and for C11 the axioms of RC11.
    #[test]
    fn a_promise_is_given_by_the_weakest_sequence() {
        use Orders as O;
        use Vocabulary::{Aarch64, Arm, C11, Ppc, Riscv};
        let rows = [
            (O::WW, ["EIEIO", "DMB.ST", "DMB.ST", "Fence.w.w", "REL><"]),
            (O::RR, ["LWSYNC>", "DMB>", "DMB.LD>", "Fence.r.r", "ACQ>"]),
            (O::RW, ["LWSYNC>", "DMB>", "DMB.LD>", "Fence.r.w", "ACQ>"]),
            (O::WR, ["SYNC>", "DMB>", "DMB.SY>", "Fence.w.r", "SC>"]),
            (O::READS, ["LWSYNC>", "DMB>", "DMB.LD", "Fence.r.rw", "ACQ"]),
            (O::WRITES, ["LWSYNC>", "DMB>", "DMB.ST DMB.LD>", "Fence.rw.w", "REL<"]),
            (O::LIGHT, ["LWSYNC", "DMB>", "DMB.ST DMB.LD", "Fence.tso", "ACQ_REL<"]),
            (O::RR.union(O::WW), ["LWSYNC>", "DMB>", "DMB.ST DMB.LD>", "Fence.r.r Fence.w.w", "ACQ_REL><"]),
            (O::ALL, ["SYNC", "DMB", "DMB.SY", "Fence.rw.rw", "SC"]),
        ];
        for (orders, expected) in rows {
            let found = [Ppc, Arm, Aarch64, Riscv, C11].map(|to| becomes(orders, to));
            assert_eq!(found, expected, "{orders}");
        }
    }

    #[test]
    fn riscv_has_an_equal_for_every_set_of_pairs() {
        for orders in 1..=Orders::ALL.0 {
            let text = becomes(Orders(orders), Vocabulary::Riscv);
            assert!(!text.contains(['<', '>']), "{}: {text}", Orders(orders));
        }
    }
}
