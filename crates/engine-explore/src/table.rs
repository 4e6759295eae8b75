//! The visited set: exact, and small.
//!
//! States of equal width stand one after another in chunks, in the order in which they were found,
//! so the set is also the queue of a breadth-first search. A hash index of 64-bit slots points into
//! it: half of a slot is the number of the state, half is a part of its hash, so that a look-up that
//! ends at an empty slot or at another state rarely touches the states themselves. Beside each
//! state stands the number of the state it was found from.

/// States of one shard, numbered from 0.
#[derive(Debug)]
pub(crate) struct Table {
    width: usize,
    chunks: Vec<Vec<u64>>,
    parents: Vec<u64>,
    len: usize,
    /// 0: empty; otherwise the number plus one in the low half, a tag in the high half.
    index: Vec<u64>,
}

/// States in a chunk.
const CHUNK: usize = 1 << 14;

/// What [`Table::insert`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    New(usize),
    Known,
    /// No more room for numbers.
    Full,
}

impl Table {
    pub(crate) fn new(width: usize) -> Table {
        Table { width, chunks: Vec::new(), parents: Vec::new(), len: 0, index: vec![0; 1 << 10] }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn state(&self, number: usize) -> &[u64] {
        let start = (number % CHUNK) * self.width;
        &self.chunks[number / CHUNK][start..start + self.width]
    }

    pub(crate) fn parent(&self, number: usize) -> u64 {
        self.parents[number]
    }

    /// Bytes in use, and bytes needed at the next growth.
    pub(crate) fn bytes(&self) -> u64 {
        (self.chunks.len() * CHUNK * self.width * 8 + self.parents.capacity() * 8 + self.index.len() * 8)
            as u64
    }

    /// Bytes that the next growth of the index takes for a while on top.
    pub(crate) fn growth(&self) -> u64 {
        if self.len * 4 >= self.index.len() * 2 { self.index.len() as u64 * 16 } else { 0 }
    }

    /// Bring the slot for a hash into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            let at = self.slot(hash);
            // SAFETY: prefetching has no effect on memory; the address lies inside `index`.
            #[allow(unsafe_code)]
            unsafe {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T0>(self.index.as_ptr().add(at).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        (hash >> 20) as usize & (self.index.len() - 1)
    }

    pub(crate) fn insert(&mut self, words: &[u64], hash: u64, parent: u64) -> Inserted {
        if (self.len + 1) * 4 > self.index.len() * 3 {
            self.grow();
        }
        let tag = tag(hash);
        let mask = self.index.len() - 1;
        let mut at = self.slot(hash);
        loop {
            let slot = self.index[at];
            if slot == 0 {
                break;
            }
            if slot & TAG == tag && self.state((slot & !TAG) as usize - 1) == words {
                return Inserted::Known;
            }
            at = (at + 1) & mask;
        }
        let number = self.len;
        if number as u64 + 1 > !TAG {
            return Inserted::Full;
        }
        if number.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK * self.width));
        }
        self.chunks[number / CHUNK].extend_from_slice(words);
        self.parents.push(parent);
        self.len += 1;
        self.index[at] = tag | (number as u64 + 1);
        Inserted::New(number)
    }

    fn grow(&mut self) {
        let size = self.index.len() * 2;
        self.index = Vec::new();
        self.index = vec![0; size];
        let mask = size - 1;
        for number in 0..self.len {
            let hash = hash(self.state(number));
            let mut at = self.slot(hash);
            while self.index[at] != 0 {
                at = (at + 1) & mask;
            }
            self.index[at] = tag(hash) | (number as u64 + 1);
        }
    }
}

/// The tag is the high 28 bits of a slot; 36 bits are left for numbers.
const TAG: u64 = !0 << 36;

#[inline]
fn tag(hash: u64) -> u64 {
    // The lowest bits of the hash, which the position does not use.
    hash << 44 & TAG
}

/// A multiplicative hash that folds the high half of each product back in.
#[inline]
pub(crate) fn hash(words: &[u64]) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for word in words {
        let product =
            u128::from(state ^ word) * 0xa076_1d64_78bd_642f_e703_7ed1_a0b4_28db_u128 as u64 as u128;
        state = (product as u64) ^ ((product >> 64) as u64);
        state = state.rotate_left(23) ^ word.wrapping_mul(0x8ebc_6af0_9c88_c6e3);
    }
    let product = u128::from(state) * 0xe703_7ed1_a0b4_28db_u128;
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn behaves_like_a_set() {
        let mut table = Table::new(2);
        let mut model = HashSet::new();
        let mut seed = 1u64;
        for _ in 0..200_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let words = [seed >> 50, (seed >> 30) & 15];
            let new = matches!(table.insert(&words, hash(&words), 7), Inserted::New(_));
            assert_eq!(new, model.insert(words));
        }
        assert_eq!(table.len(), model.len());
        assert!((0..table.len()).all(|number| model.contains(table.state(number))));
    }

    #[test]
    fn hashes_of_near_states_differ() {
        let hashes: HashSet<u64> = (0..1 << 16).map(|word| hash(&[word, 0])).collect();
        assert_eq!(hashes.len(), 1 << 16);
        let slots: HashSet<u64> = (0..1 << 16).map(|word| hash(&[word << 40, 1]) >> 20 & 0xf_ffff).collect();
        assert!(slots.len() > 60_000, "{} distinct positions", slots.len());
    }
}
