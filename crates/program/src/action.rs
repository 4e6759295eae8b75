//! What an edge can do: the whole vocabulary of actions on one page.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use wattle_logic::Term;
use wattle_source::Span;

use crate::ProcessId;

/// A name of the source text.
pub type Name = Arc<str>;

/// Marks on an access or a fence, by name: `acq`, `rel`, `na`, `sync` … A .cat set is looked up so.
pub type Tags = BTreeSet<Name>;

/// One operation. Operations of an edge run in order, as one step; locals that one sets are seen by
/// the next. Every `address` is a term of sort address, a constant in the common case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    Load {
        into: u32,
        address: Term,
        tags: Tags,
    },
    Store {
        address: Term,
        value: Term,
        tags: Tags,
    },
    Assign {
        local: u32,
        value: Term,
    },
    /// Several stores as one: all terms are evaluated in the state before, and the stores become visible together.
    /// Under TSO those to buffered locations enter the buffer as one entry. Of two stores to one location the later counts.
    Together {
        stores: Vec<Broadcast>,
    },
    /// Any of the values that `among` allows.
    Havoc {
        local: u32,
        among: Choice,
    },
    /// Set a dead local to the zero of its sort, so that states differ only in what matters. No
    /// event, no dependency.
    Forget {
        local: u32,
    },
    /// The edge can be taken only if this holds, with the locals set so far.
    Assume {
        condition: Term,
    },
    /// Violated if false. Neither stops its thread nor creates dependencies. It counts where the edge is taken; a front end
    /// whose language counts assertions of steps that turn out not to be possible adds edges for them
    /// ([`Role::Asserts`](crate::Role)).
    Assert {
        condition: Term,
        span: Span,
    },
    Fence(Fence),
    /// Start a remote write. Its halves happen later: read the source, then write `remote`.
    Put {
        remote: Term,
        source: Source,
    },
    /// Start a remote read: read `remote` later, then write the local location `into`.
    Get {
        into: Term,
        remote: Term,
    },
    /// Start a remote read-modify-write: one step at the target, then one that delivers the old
    /// value to the local location `into`.
    RemoteAtomic {
        into: Option<Term>,
        remote: Term,
        update: Update,
    },
    /// Wait until all operations that this thread started on locations of that copy are done.
    Flush {
        process: ProcessId,
        copy: Term,
    },
    LoadExclusive {
        into: u32,
        address: Term,
        tags: Tags,
    },
    /// `success` becomes 1 if the store happened and 0 otherwise.
    StoreConditional {
        success: u32,
        address: Term,
        value: Term,
        tags: Tags,
    },
    Spawn {
        process: ProcessId,
        copy: Term,
    },
    Join {
        process: ProcessId,
        copy: Term,
    },
    /// Beyond here a front end's own bound does not reach: see [`cuts`](crate::cuts).
    Cut {
        what: Name,
        span: Span,
    },
    /// Something that wattle does not handle. Reaching it makes the verdict *unknown*.
    Unsupported {
        what: Name,
        span: Span,
    },
}

impl Op {
    /// The local that the operation sets whenever it runs.
    pub fn sets(&self) -> Option<u32> {
        match self {
            Op::Load { into: local, .. }
            | Op::LoadExclusive { into: local, .. }
            | Op::StoreConditional { success: local, .. }
            | Op::Assign { local, .. }
            | Op::Havoc { local, .. }
            | Op::Forget { local } => Some(*local),
            _ => None,
        }
    }

    /// The operation with every term that it evaluates rewritten.
    pub fn map_terms(&self, rewrite: &mut dyn FnMut(&Term) -> Term) -> Op {
        let mut result = self.clone();
        let mut set = |term: &mut Term| *term = rewrite(term);
        match &mut result {
            Op::Load { address, .. } | Op::LoadExclusive { address, .. } => set(address),
            Op::Store { address, value, .. } | Op::StoreConditional { address, value, .. } => {
                set(address);
                set(value);
            }
            Op::Assign { value, .. } => set(value),
            Op::Together { stores } => {
                for store in stores {
                    [&mut store.when, &mut store.address, &mut store.value].into_iter().for_each(&mut set);
                }
            }
            Op::Havoc { among: Choice::Between(low, high), .. } => {
                set(low);
                set(high);
            }
            Op::Havoc { among: Choice::Member(of), .. } => set(of),
            Op::Havoc { among: Choice::Any, .. } | Op::Forget { .. } => {}
            Op::Cut { .. } | Op::Unsupported { .. } => {}
            Op::Assume { condition } | Op::Assert { condition, .. } => set(condition),
            Op::Fence(fence) => fence.location.iter_mut().for_each(set),
            Op::Put { remote, source: Source::Location(source) | Source::Value(source) } => {
                set(remote);
                set(source);
            }
            Op::Get { into, remote } => {
                set(into);
                set(remote);
            }
            Op::RemoteAtomic { into, remote, update } => {
                into.iter_mut().for_each(&mut set);
                set(remote);
                match update {
                    Update::Add(value) | Update::Replace(value) => set(value),
                    Update::CompareAndSwap { expected, new } => {
                        set(expected);
                        set(new);
                    }
                }
            }
            Op::Flush { copy, .. } | Op::Spawn { copy, .. } | Op::Join { copy, .. } => set(copy),
        }
        result
    }
}

/// A store, or one for every copy of a process (or pair of copies), where a condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Broadcast {
    /// For every copy of these processes; in the terms below the bound variable with this number is the copy.
    pub each: Vec<(u32, ProcessId)>,
    pub when: Term,
    pub address: Term,
    pub value: Term,
}

impl Broadcast {
    /// One assignment of copies to the bound variables for each store.
    pub fn instances(&self, copies: impl Fn(ProcessId) -> u32) -> Vec<Vec<(u32, i64)>> {
        let mut all = vec![vec![]];
        for (bound, process) in &self.each {
            let copies = i64::from(copies(*process));
            let longer = |start: &Vec<(u32, i64)>| {
                let start = start.clone();
                (0..copies).map(move |copy| start.iter().copied().chain([(*bound, copy)]).collect())
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }
}

/// The source of a put: a location that is read later, or a value that is known now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    Location(Term),
    Value(Term),
}

/// What a remote atomic does to its target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    Add(Term),
    Replace(Term),
    CompareAndSwap { expected: Term, new: Term },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Every value of the local's range (or sort, which explicit engines refuse where it is infinite).
    Any,
    /// From the first to the second, both included.
    Between(Term, Term),
    /// The elements of a set.
    Member(Term),
}

/// A fence: which pairs of accesses before and after it stay in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fence {
    /// What the fence is called in its vocabulary: `fence`, `mfence`, `lwsync` …
    pub tag: Name,
    pub orders: Orders,
    pub cumulative: bool,
    /// Wait for this location only (`fence(x)`).
    pub location: Option<Term>,
}

impl Fence {
    /// Orders everything.
    pub fn full() -> Fence {
        Fence { tag: "fence".into(), orders: Orders::ALL, cumulative: true, location: None }
    }

    /// Orders these pairs: `fence`, or a fence named after them.
    pub fn of_orders(orders: Orders) -> Fence {
        if orders == Orders::ALL {
            return Fence::full();
        }
        let named = Orders::NAMES.iter().filter(|(_, order)| orders.contains(*order));
        let names: Vec<&str> = named.map(|(name, _)| *name).collect();
        Fence { tag: format!("fence.{}", names.join(".")).into(), orders, cumulative: false, location: None }
    }
}

/// A subset of {RR, RW, WR, WW}.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Orders(pub u8);

impl Orders {
    pub const NONE: Orders = Orders(0);
    pub const RR: Orders = Orders(1);
    pub const RW: Orders = Orders(2);
    pub const WR: Orders = Orders(4);
    pub const WW: Orders = Orders(8);
    pub const ALL: Orders = Orders(15);
    pub const NAMES: [(&'static str, Orders); 4] =
        [("rr", Orders::RR), ("rw", Orders::RW), ("wr", Orders::WR), ("ww", Orders::WW)];

    pub fn contains(self, other: Orders) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn union(self, other: Orders) -> Orders {
        Orders(self.0 | other.0)
    }

    pub fn without(self, other: Orders) -> Orders {
        Orders(self.0 & !other.0)
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Orders::NAMES.iter().filter(|(_, order)| self.contains(*order)).map(|(name, _)| *name).collect();
        f.write_str(&names.join(" "))
    }
}

/// How an edge meets the store buffers of its thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Loads look into the buffers, stores enter them.
    #[default]
    Plain,
    /// Runs only when its thread's buffers are empty, and on memory directly (read-modify-write,
    /// `cas`, `atomic { }`).
    Locked,
    /// Several plain accesses as one step (`atomic(buffered) { }`).
    Buffered,
}
