//! A normal form of PSO buffers: equal for two buffers exactly if they behave alike.
//!
//! Some barriers have no effect (for example one between stores to one location, if no store to another location
//! comes after it), so buffers that behave alike may differ in barriers. What matters is which stores wait for
//! which, and which ones the next store would wait for. The normal form is the buffer built from that.

use std::collections::BTreeMap;

use wattle_logic::Value;
use wattle_memory::operational::Stored;

/// How many of the oldest stores of each location; none where it is not named.
pub(crate) type Counts = BTreeMap<u32, usize>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Location by location, oldest first.
    pub writes: Vec<(u32, Value)>,
    /// By write: what it waits for, of other locations.
    pub waits: Vec<Counts>,
    /// What the next store would wait for.
    pub old: Counts,
}

impl Waiting {
    pub(crate) fn of(stores: &[Stored]) -> Waiting {
        let (mut before, mut old) = (Counts::new(), Counts::new());
        let mut found = Vec::new();
        for stored in stores {
            match stored {
                Stored::Barrier => old = before.clone(),
                Stored::Write { location, value } => {
                    let mut waits = old.clone();
                    waits.remove(location);
                    found.push(((*location, value.clone()), waits));
                    *before.entry(*location).or_default() += 1;
                }
                // Not under PSO.
                Stored::Group(_) => {}
            }
        }
        found.sort_by_key(|((location, _), _)| *location);
        let (writes, waits) = found.into_iter().unzip();
        Waiting { writes, waits, old }
    }

    /// The buffer with the fewest barriers. `None`: no buffer is like this.
    pub(crate) fn stores(&self) -> Option<Vec<Stored>> {
        let next = self.writes.len();
        let location = |write: usize| self.writes.get(write).map(|(location, _)| *location);
        // Does `later` wait for `write`?
        let waits = |later: usize, write: usize| {
            let counts = self.waits.get(later).unwrap_or(&self.old);
            let position = (0..write).filter(|other| location(*other) == location(write)).count();
            location(write).is_some_and(|location| position < counts.get(&location).copied().unwrap_or(0))
        };
        // How many barriers stand before each write, and before the next store.
        let mut barriers = vec![0; next + 1];
        loop {
            let before = barriers.clone();
            for write in 0..next {
                for later in 0..=next {
                    if location(write) == location(later) {
                        if write < later {
                            barriers[later] = barriers[later].max(barriers[write]);
                        }
                    } else if waits(later, write) {
                        barriers[later] = barriers[later].max(barriers[write] + 1);
                    } else {
                        barriers[write] = barriers[write].max(barriers[later]);
                    }
                }
            }
            if barriers == before {
                break;
            }
            if barriers.iter().any(|count| *count > next + 1) {
                return None;
            }
        }
        let most = barriers.iter().max().copied().unwrap_or(0);
        let mut stores = Vec::new();
        for count in 0..=most {
            if count > 0 {
                stores.push(Stored::Barrier);
            }
            let here = (0..next).filter(|write| barriers[*write] == count);
            stores.extend(here.map(|write| {
                let (location, value) = self.writes[write].clone();
                Stored::Write { location, value }
            }));
        }
        Some(stores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` and `y` are stores, a bar is a barrier.
    fn buffer(text: &str) -> Vec<Stored> {
        let mut values = 0..;
        let mut write = |location| Stored::Write { location, value: Value::Int(values.next().unwrap_or(0)) };
        text.chars()
            .map(|one| if one == '|' { Stored::Barrier } else { write(one as u32 - 'w' as u32) })
            .collect()
    }

    #[test]
    fn what_says_something_stays() {
        for text in ["", "x", "xy", "x|", "x|x", "x|y", "x|xy", "xy|x|y|", "w|x|y", "xx|wy|"] {
            let stores = buffer(text);
            assert_eq!(Waiting::of(&stores).stores(), Some(stores), "{text}");
        }
        for (text, shorter) in [("x|x|x", "xx|x"), ("x|x|xy", "xx|xy"), ("x|x|", "xx|")] {
            assert_eq!(Waiting::of(&buffer(text)).stores(), Some(buffer(shorter)), "{text}");
        }
    }
}
