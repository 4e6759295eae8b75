//! The order in which a buffer keeps remote halves, and which of them may happen.
//!
//! Without an order they are sorted, so that equal multisets are equal words. Where the order of issue counts
//! (`rma-in-order`), a code stands for all that is left of its operation, and its *lanes* are where that is still to
//! happen: bit 0 for memory of the target, bit 1 for memory of the issuer. A half waits for every earlier operation
//! with its target that has something left in its lane. The buffer is sorted by target, and for each target in the order of issue.
//! That is one order for each state: of two operations with one target and no lane in common, the one that is left at
//! the issuer was issued first, or it could not have been at the target already.

use crate::buffer::Slots;
use crate::compile::Compiled;
use crate::machine::PackedHalf;

const AT_TARGET: u8 = 1;
const AT_ISSUER: u8 = 2;

impl Compiled {
    /// An operation becomes pending.
    pub(crate) fn issue(&self, slots: &mut Slots, code: u64) {
        match self.kind.keeps_issue_order() {
            true => {
                let target = self.codec.half(code).target();
                let goes_before = |other: &u64| self.codec.half(*other).target() <= target;
                let at = slots.codes[..slots.len].partition_point(goes_before);
                slots.insert(at, code);
            }
            false => slots.insert_sorted(code),
        }
    }

    /// The half at this place has happened; what is left of its operation takes its place.
    pub(crate) fn happened(&self, slots: &mut Slots, at: usize, then: Option<u64>) {
        slots.remove(at);
        match (then, self.kind.keeps_issue_order()) {
            (Some(code), true) => slots.insert(at, code),
            (Some(code), false) => slots.insert_sorted(code),
            (None, _) => {}
        }
    }

    /// May the half at this place happen before those in front of it?
    #[inline]
    pub(crate) fn may_happen(&self, slots: &Slots, at: usize) -> bool {
        if !self.kind.keeps_issue_order() {
            return true;
        }
        let (target, first, _) = self.lanes(slots.codes[at]);
        slots.codes[..at].iter().all(|earlier| {
            let (other, _, all) = self.lanes(*earlier);
            other != target || all & first == 0
        })
    }

    /// The target, the lane of what happens next, and all lanes in which something is left.
    fn lanes(&self, code: u64) -> (u32, u8, u8) {
        let (target, first, second) = match self.codec.half(code) {
            PackedHalf::Read { target, from, to } => (target, from, Some(to)),
            PackedHalf::Write { target, to, .. } => (target, to, None),
            PackedHalf::Atomic { target, at, into, .. } => (target, at, into),
        };
        let lane = |location: u32| match self.shape.locations[location as usize].owner {
            Some(owner) if owner.0 == target => AT_TARGET,
            _ => AT_ISSUER,
        };
        let first = lane(first);
        (target, first, first | second.map_or(0, lane))
    }
}
