//! All sequences of choices that the `havoc`s of an edge can make, one after another, as an odometer counts.
//!
//! How many choices an edge makes, and among which values, may depend on earlier ones, so the digits are
//! found while the edge runs.

#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The value chosen, and the highest one.
    digits: Vec<(i64, i64)>,
    /// How many choices the present run of the edge has made.
    next: usize,
}

impl Choices {
    /// Before the first run of an edge.
    pub(crate) fn reset(&mut self) {
        self.digits.clear();
        self.next = 0;
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = i64> {
        self.digits.iter().map(|digit| digit.0)
    }

    /// `None`: there is nothing to choose.
    pub(crate) fn choose(&mut self, low: i64, high: i64) -> Option<i64> {
        if low > high {
            return None;
        }
        if self.next == self.digits.len() {
            self.digits.push((low, high));
        }
        self.next += 1;
        Some(self.digits[self.next - 1].0)
    }

    /// To the next sequence; `false` after the last.
    pub(crate) fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((value, high)) = self.digits.last_mut() {
            if value < high {
                *value += 1;
                return true;
            }
            self.digits.pop();
        }
        false
    }
}
