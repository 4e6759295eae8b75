//! All sequences of choices that the `havoc`s of an edge can make, one after another, as an odometer counts.
//!
//! How many choices an edge makes, and among which values, may depend on earlier ones, so the digits are
//! found while the edge runs. A *doubt* is a digit too: a question about a set of which only its size is
//! known ([`sets`](crate::sets)) is answered both ways. Doubts come up inside terms, which only read; hence
//! the cells.

use std::cell::{Cell, RefCell};

#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The value chosen, and the highest one.
    digits: RefCell<Vec<(i64, i64)>>,
    /// How many choices the present run of the edge has made.
    next: Cell<usize>,
    /// Did the present run have a doubt?
    doubted: Cell<bool>,
    /// Did any run?
    ever: Cell<bool>,
}

impl Choices {
    /// Before the first run of an edge.
    pub(crate) fn reset(&self) {
        self.digits.borrow_mut().clear();
        self.restart();
    }

    fn restart(&self) {
        self.next.set(0);
        self.doubted.set(false);
    }

    pub(crate) fn values(&self) -> Vec<i64> {
        self.digits.borrow().iter().map(|digit| digit.0).collect()
    }

    /// `None`: there is nothing to choose.
    pub(crate) fn choose(&self, low: i64, high: i64) -> Option<i64> {
        if low > high {
            return None;
        }
        let mut digits = self.digits.borrow_mut();
        let next = self.next.replace(self.next.get() + 1);
        if next == digits.len() {
            digits.push((low, high));
        }
        Some(digits[next].0)
    }

    /// A question that is answered both ways.
    pub(crate) fn doubt(&self) -> bool {
        self.doubts();
        self.choose(0, 1) == Some(1)
    }

    /// What happens in the present run rests on a set of which only its size is known.
    pub(crate) fn doubts(&self) {
        self.doubted.set(true);
        self.ever.set(true);
    }

    pub(crate) fn has_doubted(&self) -> bool {
        self.doubted.get()
    }

    pub(crate) fn has_ever_doubted(&self) -> bool {
        self.ever.get()
    }

    /// To the next sequence; `false` after the last.
    pub(crate) fn advance(&self) -> bool {
        self.restart();
        let mut digits = self.digits.borrow_mut();
        while let Some((value, high)) = digits.last_mut() {
            if value < high {
                *value += 1;
                return true;
            }
            digits.pop();
        }
        false
    }
}
