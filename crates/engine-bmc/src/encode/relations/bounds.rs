//! For each term, the pairs that always hold and the pairs that may hold.
//!
//! Both are relative: given that both events happen. An upper bound drops what cannot matter (a program
//! without fences has nothing in `fence`, and all that is built on it is gone), a lower bound finds
//! what is decided already. A sequence always holds if both steps do *and* the event between them
//! happens whenever one of the ends does. Fixpoints are computed by rounds from nothing; both bounds of
//! a monotone body grow with the bounds of its variables, so what they settle at bounds the least
//! solution of every execution.

use std::rc::Rc;

use super::guards::Guards;
use super::matrix::Matrix;

#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub must: Rc<Matrix>,
    pub may: Rc<Matrix>,
    decided: bool,
}

impl Bounds {
    pub(crate) fn new(must: Matrix, may: Matrix) -> Bounds {
        if must == may {
            Bounds::exactly(may)
        } else {
            Bounds { must: must.into(), may: may.into(), decided: false }
        }
    }

    pub(crate) fn exactly(all: Matrix) -> Bounds {
        let all = Rc::new(all);
        Bounds { must: all.clone(), may: all, decided: true }
    }

    /// Does the relation not depend on anything?
    pub(crate) fn is_decided(&self) -> bool {
        self.decided
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.may.is_empty()
    }

    /// Both bounds by one operation that is monotone in all operands.
    fn both(operands: &[&Bounds], by: impl Fn(&[&Matrix]) -> Matrix) -> Bounds {
        let may: Vec<&Matrix> = operands.iter().map(|one| &*one.may).collect();
        if operands.iter().all(|one| one.decided) {
            return Bounds::exactly(by(&may));
        }
        let must: Vec<&Matrix> = operands.iter().map(|one| &*one.must).collect();
        Bounds::new(by(&must), by(&may))
    }

    pub(crate) fn union(size: usize, parts: &[&Bounds]) -> Bounds {
        Bounds::both(parts, |parts| parts.iter().fold(Matrix::empty(size), |sum, part| sum.union(part)))
    }

    pub(crate) fn intersection(&self, other: &Bounds) -> Bounds {
        Bounds::both(&[self, other], |of| of[0].intersection(of[1]))
    }

    pub(crate) fn difference(&self, other: &Bounds) -> Bounds {
        Bounds::new(self.must.difference(&other.may), self.may.difference(&other.must))
    }

    pub(crate) fn inverse(&self) -> Bounds {
        Bounds::both(&[self], |of| of[0].inverse())
    }

    pub(crate) fn product(&self, other: &Bounds) -> Bounds {
        Bounds::both(&[self, other], |of| Matrix::product(of[0], of[1]))
    }

    pub(crate) fn sequence(&self, other: &Bounds, guards: &Guards) -> Bounds {
        let may = self.may.then(&other.may, &guards.pulse);
        if self.decided && other.decided && self.ignores_middle(other, guards) {
            return Bounds::exactly(may);
        }
        Bounds::new(guards.then(&self.must, &other.must), may)
    }

    /// Is one of the two a set, or does everything happen? Then no third event is asked for.
    fn ignores_middle(&self, other: &Bounds, guards: &Guards) -> bool {
        guards.all_sure() || self.may.is_set() || other.may.is_set()
    }

    pub(crate) fn closure(&self, guards: &Guards) -> Bounds {
        let may = self.may.closure(&guards.pulse);
        if self.decided && guards.all_sure() {
            return Bounds::exactly(may);
        }
        let mut must = (*self.must).clone();
        loop {
            let next = must.union(&guards.then(&must, &must));
            if next == must {
                return Bounds::new(must, may);
            }
            must = next;
        }
    }

    pub(crate) fn domain(&self, guards: &Guards) -> Bounds {
        let must = self.must.intersection(guards.implies());
        Bounds::new(must.domain(), self.may.domain())
    }

    pub(crate) fn range(&self, guards: &Guards) -> Bounds {
        let must = self.must.intersection(guards.implied());
        Bounds::new(must.range(), self.may.range())
    }
}
