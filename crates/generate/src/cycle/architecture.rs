//! What each architecture offers to a cycle: fences, annotations of accesses, dependencies.
//!
//! An architecture is described once, as data; parsing, enumeration, names and printers read it. The
//! names are those of diy, so that cycles can be exchanged with it.

use super::edge::{Communication, Direction, Edge, Kind, Means, Reach};
use super::edge::{Direction::Read, Direction::Write};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Architecture {
    X86,
    Ppc,
    Arm,
    Aarch64,
    Riscv,
    C,
}

/// A fence: its name in edges (`LwSync` in `LwSyncdWW`), in names of tests, and as an instruction.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence {
    pub edge: &'static str,
    pub short: &'static str,
    pub text: &'static str,
}

const fn fence(edge: &'static str, short: &'static str, text: &'static str) -> Fence {
    Fence { edge, short, text }
}

/// What an access carries beside its location and value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Annotation {
    /// The ordinary access of the architecture; in C, a relaxed atomic one.
    #[default]
    Plain,
    Acquire,
    /// AArch64's weaker acquire (`LDAPR`).
    AcquirePc,
    Release,
    SeqCst,
    NonAtomic,
    /// One half of a read-modify-write. The other half is not on the cycle, but its value is part of
    /// the condition too.
    Half(Rmw, Marks),
}

impl Annotation {
    /// What an access adds to the read-modify-write whose half it is.
    pub fn marks(self) -> Marks {
        match self {
            Annotation::Acquire => Marks { acquire: true, release: false },
            Annotation::Release => Marks { acquire: false, release: true },
            Annotation::Half(_, marks) => marks,
            _ => Marks::default(),
        }
    }

    pub fn is_half(self) -> bool {
        matches!(self, Annotation::Half(..))
    }
}

/// How an architecture reads and writes a location without anything coming between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rmw {
    /// A load and a store that succeeds only if nobody else wrote meanwhile.
    Exclusive,
    Swap,
    Add,
    CompareAndSwap,
}

impl Rmw {
    /// As an edge.
    pub fn name(self) -> &'static str {
        match self {
            Rmw::Exclusive => "LxSx",
            Rmw::Swap => "Amo.Swp",
            Rmw::Add => "Amo.LdAdd",
            Rmw::CompareAndSwap => "Amo.Cas",
        }
    }
}

/// Does a read-modify-write acquire with its read, release with its write?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Marks {
    pub acquire: bool,
    pub release: bool,
}

const fn half(rmw: Rmw, acquire: bool, release: bool) -> Annotation {
    Annotation::Half(rmw, Marks { acquire, release })
}

const X86_FENCES: [Fence; 3] = [
    fence("MFence", "mfence", "MFENCE"),
    fence("LFence", "lfence", "LFENCE"),
    fence("SFence", "sfence", "SFENCE"),
];

const PPC_FENCES: [Fence; 4] = [
    fence("Sync", "sync", "sync"),
    fence("LwSync", "lwsync", "lwsync"),
    fence("Eieio", "eieio", "eieio"),
    fence("ISync", "isync", "isync"),
];

const ARM_FENCES: [Fence; 5] = [
    fence("DMB", "dmb", "DMB"),
    fence("DSB", "dsb", "DSB"),
    fence("DMB.ST", "dmb.st", "DMB ST"),
    fence("DSB.ST", "dsb.st", "DSB ST"),
    fence("ISB", "isb", "ISB"),
];

const AARCH64_FENCES: [Fence; 7] = [
    fence("DMB.SY", "dmb.sy", "DMB SY"),
    fence("DMB.LD", "dmb.ld", "DMB LD"),
    fence("DMB.ST", "dmb.st", "DMB ST"),
    fence("DSB.SY", "dsb.sy", "DSB SY"),
    fence("DSB.LD", "dsb.ld", "DSB LD"),
    fence("DSB.ST", "dsb.st", "DSB ST"),
    fence("ISB", "isb", "ISB"),
];

const RISCV_FENCES: [Fence; 11] = [
    fence("Fence.rw.rw", "fence.rw.rw", "fence rw,rw"),
    fence("Fence.rw.r", "fence.rw.r", "fence rw,r"),
    fence("Fence.rw.w", "fence.rw.w", "fence rw,w"),
    fence("Fence.r.rw", "fence.r.rw", "fence r,rw"),
    fence("Fence.r.r", "fence.r.r", "fence r,r"),
    fence("Fence.r.w", "fence.r.w", "fence r,w"),
    fence("Fence.w.rw", "fence.w.rw", "fence w,rw"),
    fence("Fence.w.r", "fence.w.r", "fence w,r"),
    fence("Fence.w.w", "fence.w.w", "fence w,w"),
    fence("Fence.tso", "fence.tso", "fence.tso"),
    fence("FenceI", "fencei", "fence.i"),
];

const C_FENCES: [Fence; 4] = [
    fence("Fence.sc", "fence.sc", "memory_order_seq_cst"),
    fence("Fence.acqrel", "fence.acqrel", "memory_order_acq_rel"),
    fence("Fence.acq", "fence.acq", "memory_order_acquire"),
    fence("Fence.rel", "fence.rel", "memory_order_release"),
];

static FENCES: [(Architecture, &[Fence]); 6] = [
    (Architecture::X86, &X86_FENCES),
    (Architecture::Ppc, &PPC_FENCES),
    (Architecture::Arm, &ARM_FENCES),
    (Architecture::Aarch64, &AARCH64_FENCES),
    (Architecture::Riscv, &RISCV_FENCES),
    (Architecture::C, &C_FENCES),
];

/// The fences that, after a control dependency, keep later reads waiting: name in edges, and which.
static AFTER_CONTROL: [Fence; 3] =
    [fence("Isync", "isync", "isync"), fence("Isb", "isb", "ISB"), fence("FenceI", "fencei", "fence.i")];

impl Architecture {
    pub const ALL: [Architecture; 6] = [
        Architecture::X86,
        Architecture::Ppc,
        Architecture::Arm,
        Architecture::Aarch64,
        Architecture::Riscv,
        Architecture::C,
    ];

    /// As users name it.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::X86 => "x86",
            Architecture::Ppc => "ppc",
            Architecture::Arm => "arm",
            Architecture::Aarch64 => "aarch64",
            Architecture::Riscv => "riscv",
            Architecture::C => "c",
        }
    }

    /// As the first word of a test names it.
    pub fn header(self) -> &'static str {
        match self {
            Architecture::X86 => "X86",
            Architecture::Ppc => "PPC",
            Architecture::Arm => "ARM",
            Architecture::Aarch64 => "AArch64",
            Architecture::Riscv => "RISCV",
            Architecture::C => "C",
        }
    }

    pub fn find(name: &str) -> Option<Architecture> {
        Architecture::ALL.into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
    }

    pub fn fences(self) -> &'static [Fence] {
        FENCES.iter().find(|(one, _)| *one == self).map_or(&[], |(_, fences)| fences)
    }

    /// Annotations by name, and the accesses that may carry them.
    pub fn annotations(self) -> &'static [(&'static str, Annotation, &'static [Direction])] {
        match self {
            Architecture::Ppc => &[("P", Annotation::Plain, &[Read, Write])],
            Architecture::X86 => {
                const {
                    &[
                        ("P", Annotation::Plain, &[Read, Write]),
                        ("Amo", half(Rmw::Swap, false, false), &[Read, Write]),
                    ]
                }
            }
            Architecture::Arm => {
                const {
                    &[
                        ("P", Annotation::Plain, &[Read, Write]),
                        ("X", half(Rmw::Exclusive, false, false), &[Read, Write]),
                    ]
                }
            }
            Architecture::Aarch64 => {
                const {
                    &[
                        ("P", Annotation::Plain, &[Read, Write]),
                        ("A", Annotation::Acquire, &[Read]),
                        ("Q", Annotation::AcquirePc, &[Read]),
                        ("L", Annotation::Release, &[Write]),
                        ("X", half(Rmw::Exclusive, false, false), &[Read, Write]),
                        ("XA", half(Rmw::Exclusive, true, false), &[Read, Write]),
                        ("XL", half(Rmw::Exclusive, false, true), &[Read, Write]),
                        ("XAL", half(Rmw::Exclusive, true, true), &[Read, Write]),
                        ("Amo", half(Rmw::Swap, false, false), &[Read, Write]),
                        ("AmoA", half(Rmw::Swap, true, false), &[Read, Write]),
                        ("AmoL", half(Rmw::Swap, false, true), &[Read, Write]),
                        ("AmoAL", half(Rmw::Swap, true, true), &[Read, Write]),
                    ]
                }
            }
            Architecture::Riscv => {
                const {
                    &[
                        ("P", Annotation::Plain, &[Read, Write]),
                        ("Aq", Annotation::Acquire, &[Read]),
                        ("Rl", Annotation::Release, &[Write]),
                        ("X", half(Rmw::Exclusive, false, false), &[Read, Write]),
                        ("XAq", half(Rmw::Exclusive, true, false), &[Read, Write]),
                        ("XRl", half(Rmw::Exclusive, false, true), &[Read, Write]),
                        ("XAqRl", half(Rmw::Exclusive, true, true), &[Read, Write]),
                        ("Amo", half(Rmw::Swap, false, false), &[Read, Write]),
                        ("AmoAq", half(Rmw::Swap, true, false), &[Read, Write]),
                        ("AmoRl", half(Rmw::Swap, false, true), &[Read, Write]),
                        ("AmoAqRl", half(Rmw::Swap, true, true), &[Read, Write]),
                    ]
                }
            }
            Architecture::C => &[
                ("Rlx", Annotation::Plain, &[Read, Write]),
                ("Acq", Annotation::Acquire, &[Read]),
                ("Rel", Annotation::Release, &[Write]),
                ("Sc", Annotation::SeqCst, &[Read, Write]),
                ("Na", Annotation::NonAtomic, &[Read, Write]),
            ],
        }
    }

    pub fn annotation_name(self, annotation: Annotation) -> &'static str {
        let found = self.annotations().iter().find(|(_, one, _)| *one == annotation);
        found.map_or("P", |(name, _, _)| name)
    }

    /// The read-modify-writes that tests of this architecture are made with.
    pub fn updates(self) -> &'static [Rmw] {
        match self {
            Architecture::X86 => &[Rmw::Swap],
            Architecture::Arm => &[Rmw::Exclusive],
            Architecture::Aarch64 => &[Rmw::Exclusive, Rmw::Swap, Rmw::Add, Rmw::CompareAndSwap],
            Architecture::Riscv => &[Rmw::Exclusive, Rmw::Swap, Rmw::Add],
            Architecture::Ppc | Architecture::C => &[],
        }
    }

    /// The fence of `DpCtrlIsync…` and its like.
    fn after_control(self) -> Option<&'static Fence> {
        match self {
            Architecture::Ppc => Some(&AFTER_CONTROL[0]),
            Architecture::Arm | Architecture::Aarch64 => Some(&AFTER_CONTROL[1]),
            Architecture::Riscv => Some(&AFTER_CONTROL[2]),
            Architecture::X86 | Architecture::C => None,
        }
    }

    fn has_dependencies(self) -> bool {
        !matches!(self, Architecture::X86 | Architecture::C)
    }

    /// Every edge without annotations, in a fixed order: communication, program order, fences,
    /// dependencies, read-modify-writes and what depends on their results.
    pub fn edges(self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for reach in [Reach::External, Reach::Internal, Reach::Leave, Reach::Back] {
            for what in [Communication::Rf, Communication::Fr, Communication::Co] {
                edges.push(Edge::new(Kind::Communication(what, reach), what.ends()));
            }
        }
        let mut order = |means: Means| {
            for same in [false, true] {
                for from in [Write, Read] {
                    for to in [Write, Read] {
                        if means.allows((from, to)) {
                            edges.push(Edge::new(Kind::Order { means, same }, (from, to)));
                        }
                    }
                }
            }
        };
        order(Means::Po);
        self.fences().iter().for_each(|fence| order(Means::Fence(fence)));
        if self.has_dependencies() {
            order(Means::Address);
            order(Means::Data);
            order(Means::Control);
            self.after_control().into_iter().for_each(|fence| order(Means::ControlFence(fence)));
        }
        for rmw in self.updates() {
            edges.push(Edge::new(Kind::Update(*rmw), (Read, Write)));
        }
        if self.has_dependencies() && !self.updates().is_empty() {
            let mut depends = |means: Means, to: &[Direction]| {
                for same in [false, true] {
                    let all = to.iter().map(|to| Edge::new(Kind::Order { means, same }, (Write, *to)));
                    edges.extend(all);
                }
            };
            depends(Means::Address, &[Write, Read]);
            depends(Means::Data, &[Write]);
            depends(Means::Control, &[Write, Read]);
            self.after_control().into_iter().for_each(|f| depends(Means::ControlFence(f), &[Write, Read]));
        }
        edges
    }

    /// The usual edges, read-modify-writes, and what depends on their results.
    pub fn atomic_edges(self) -> Vec<Edge> {
        let mut edges = self.usual_edges();
        let atomic = |edge: &Edge| match edge.kind {
            Kind::Update(_) => true,
            Kind::Order { same, .. } => edge.is_from_result() && !same,
            Kind::Communication(_, reach) => reach == Reach::Internal,
        };
        edges.extend(self.edges().into_iter().filter(atomic));
        edges
    }

    /// The edges that tests are made of when nobody says otherwise: external communication, program
    /// order to another location, the strongest fences, dependencies.
    pub fn usual_edges(self) -> Vec<Edge> {
        let fences = match self {
            Architecture::X86 => 1,
            Architecture::Ppc | Architecture::C => 2,
            Architecture::Arm | Architecture::Aarch64 | Architecture::Riscv => 1,
        };
        let usual = |edge: &Edge| match edge.kind {
            Kind::Communication(_, reach) => reach == Reach::External,
            Kind::Update(_) | Kind::Order { same: true, .. } => false,
            Kind::Order { .. } if edge.is_from_result() => false,
            Kind::Order { means: Means::Fence(fence), .. } => self.fences()[..fences].contains(fence),
            Kind::Order { .. } => true,
        };
        self.edges().into_iter().filter(usual).collect()
    }
}
