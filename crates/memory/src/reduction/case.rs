//! One case of a step: what it assumes and does, and what is known of the buffers after that.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Sort, Term};
use wattle_program::Op;

#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    pub ops: Vec<Op>,
    /// The counters and location numbers (by local) that earlier operations of the same step have fixed.
    known: BTreeMap<u32, i64>,
    /// A buffer was full: nothing follows.
    pub full: bool,
}

impl Case {
    pub(super) fn known(&self, local: u32) -> Option<i64> {
        self.known.get(&local).copied()
    }

    pub(super) fn with(mut self, op: Op) -> Case {
        self.ops.push(op);
        self
    }

    pub(super) fn assuming(self, condition: Term) -> Case {
        if condition.is_true() { self } else { self.with(Op::Assume { condition }) }
    }

    /// The local, an integer, has this value; `None` if it is known to have another.
    pub(super) fn where_is(mut self, local: u32, value: i64) -> Option<Case> {
        match self.known(local) {
            Some(known) => (known == value).then_some(self),
            None => {
                self.known.insert(local, value);
                Some(self.assuming(Term::local(local, Sort::Int).equals(Term::int(value))))
            }
        }
    }

    /// The local has another value.
    pub(super) fn where_is_not(self, local: u32, value: i64) -> Option<Case> {
        match self.known(local) {
            Some(known) => (known != value).then_some(self),
            None => {
                let other = Term::binary(Binary::NotEqual, Term::local(local, Sort::Int), Term::int(value));
                Some(self.assuming(other))
            }
        }
    }

    pub(super) fn setting(mut self, local: u32, value: i64) -> Case {
        self.known.insert(local, value);
        self.with(Op::Assign { local, value: Term::int(value) })
    }

    pub(super) fn assigning(self, local: u32, value: &Term) -> Case {
        self.with(Op::Assign { local, value: value.clone() })
    }

    /// One local, a counter or the number of a location, gets the value of another.
    pub(super) fn moving(mut self, from: u32, to: u32) -> Case {
        match self.known(from) {
            Some(value) => self.known.insert(to, value),
            None => self.known.remove(&to),
        };
        self.assigning(to, &Term::local(from, Sort::Int))
    }

    /// The buffer is full. Whether the machine can take the step at all is decided by its other operations
    /// too, which are not looked at; so nothing is asserted.
    pub(super) fn overflowing(mut self, overflow: Option<u32>) -> Case {
        self.full = true;
        self.ops.retain(|op| !matches!(op, Op::Assert { .. }));
        let Some(overflow) = overflow else { return self };
        let address = Term::address(overflow, vec![]);
        self.with(Op::Store { address, value: Term::int(1), tags: Default::default() })
    }
}
