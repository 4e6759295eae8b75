//! The order in which a buffer keeps remote halves, and which of them may happen.
//!
//! Without an order they are sorted, so that equal multisets are equal words. Where the order of issue counts
//! (`rma-in-order`), a code stands for all that is left of its operation, and its *lanes* are where that is still to
//! happen: bit 0 for memory of the target, bit 1 for memory of the issuer. A half waits for every earlier operation
//! with its target that has something left in its lane. What is left only gets less, so two codes that share no lane may change
//! places for good: between codes with both lanes, those of lane 0 go first, and the buffer is in one normal form.

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
                slots.push(code);
                self.arrange(slots);
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
        if self.kind.keeps_issue_order() {
            self.arrange(slots);
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

    /// Neighbours that belong the other way round change places until there are none.
    fn arrange(&self, slots: &mut Slots) {
        let belongs_after = |left: u64, right: u64| {
            let ((to, _, left), (target, _, right)) = (self.lanes(left), self.lanes(right));
            to > target || (to == target && left == AT_ISSUER && right == AT_TARGET)
        };
        for end in 1..slots.len {
            let mut at = end;
            while at > 0 && belongs_after(slots.codes[at - 1], slots.codes[at]) {
                slots.codes.swap(at - 1, at);
                at -= 1;
            }
        }
    }
}
