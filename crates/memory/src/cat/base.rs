//! What a model may name without defining it.
//!
//! * Sets by what an event is, and relations that every execution has: the two tables below.
//! * Sets by tag. Front ends mark accesses and fences with tags, and the set of the events with a tag
//!   has the tag's name: `MFENCE`, `SYNC`, `DMB.SY`, `Fence.rw.rw`, `A`, `Acq`, `REL`, `X` …
//! * Sets by what a fence keeps in order, whatever its name: `F.RR`, `F.RW`, `F.WR`, `F.WW`. Models
//!   that know only orders (sc, tso, pso, rmo) speak of these and so of every vocabulary.
//!
//! The prelude (`prelude.cat`) defines what follows from these: `po-loc`, `rfe`, `fr`, `coi` …

use super::core::Type;

/// Sets of events.
pub(crate) const SETS: &[(&str, &str)] = &[
    ("_", "all events"),
    ("emptyset", "none"),
    ("R", "reads, updates among them"),
    ("W", "writes, updates and initial writes among them"),
    ("M", "reads and writes"),
    ("F", "fences"),
    ("IW", "initial writes"),
    ("FW", "the last write of each location"),
    ("RMW", "updates: one event that reads and writes (C11)"),
    ("Locked", "events of a locked step: read-modify-write, cas whether it failed or not"),
    ("F.RR", "fences that keep a read before a later read"),
    ("F.RW", "fences that keep a read before a later write"),
    ("F.WR", "fences that keep a write before a later read"),
    ("F.WW", "fences that keep a write before a later write"),
];

/// Relations between events.
pub const RELATIONS: &[(&str, &str)] = &[
    ("id", "each event and itself"),
    ("po", "program order; not within one instruction, unless in an atomic section; not for initial writes"),
    ("loc", "accesses of one location"),
    ("int", "events of one thread (initial writes are in no thread)"),
    ("ext", "events of two threads, or of a thread and an initial write"),
    ("section", "events of one atomic section with several accesses, each with itself too"),
    ("rf", "a write and a read that takes its value"),
    ("co", "the order of writes to each location, initial writes first"),
    ("addr", "a read (on RISC-V also a store-conditional) and an access whose address depends on it"),
    ("data", "a read (on RISC-V also a store-conditional) and a write whose value depends on it"),
    ("ctrl", "a read (on RISC-V also a store-conditional) and what comes after a branch that depends on it"),
    ("pick", "a read and an event that depends on it through the condition of a selection"),
    ("pick-addr", "the part of pick that goes through an address"),
    ("pick-data", "the part of pick that goes through a value, or a comparison before a write"),
    ("rmw", "the read and the write of one atomic step, or of a pair of exclusives"),
    ("amo", "the part of rmw that is one instruction"),
    ("lxsx", "the part of rmw that is a pair of exclusives"),
];

/// Second names for what stands above.
pub const ALIASES: &[(&str, &str)] = &[
    // Parts of one access of several bytes; accesses have one part here.
    ("si", "id"),
    ("sm", "id"),
    ("I", "IW"),
];

/// Tags that front ends use and models name: sets that may be empty, and are not slips.
pub const TAGS: &[&str] = &[
    // Exclusives, and locked accesses of x86.
    "X",
    // Accesses of one instruction that reads and writes, and those without a result.
    "AMO",
    "NoRet",
    // x86
    "MFENCE",
    "LFENCE",
    "SFENCE",
    // Power
    "SYNC",
    "LWSYNC",
    "EIEIO",
    "ISYNC",
    // ARM, 32 and 64 bits
    "DMB",
    "DSB",
    "ISB",
    "DMB.SY",
    "DMB.LD",
    "DMB.ST",
    "DMB.ISH",
    "DMB.ISHLD",
    "DMB.ISHST",
    "DMB.OSH",
    "DMB.OSHLD",
    "DMB.OSHST",
    "DMB.NSH",
    "DMB.NSHLD",
    "DMB.NSHST",
    "DSB.SY",
    "DSB.LD",
    "DSB.ST",
    "DSB.ISH",
    "DSB.ISHLD",
    "DSB.ISHST",
    "DSB.OSH",
    "DSB.OSHLD",
    "DSB.OSHST",
    "DSB.NSH",
    "DSB.NSHLD",
    "DSB.NSHST",
    "A",
    "Q",
    "L",
    // RISC-V
    "Fence.r.r",
    "Fence.r.w",
    "Fence.r.rw",
    "Fence.w.r",
    "Fence.w.w",
    "Fence.w.rw",
    "Fence.rw.r",
    "Fence.rw.w",
    "Fence.rw.rw",
    "Fence.tso",
    "Fence.i",
    "Acq",
    "Rel",
    "AcqRel",
    "Sc",
    // C11
    "NA",
    "RLX",
    "CON",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    // wattle's own programs
    "fence",
    "acq",
    "rel",
    "rlx",
    "acquire",
    "release",
];

/// Sets that herd has and that no event of ours can be in: locks, faults, branches, register accesses,
/// instruction fetches. A program that needs them is refused before any model is asked.
pub(crate) const NEVER: &[&str] = &[
    "B",
    "BCC",
    "Rreg",
    "Wreg",
    "SPEC",
    "EXEC",
    "FAULT",
    "TLBI",
    "DC.CVAU",
    "IC",
    "LK",
    "LKR",
    "LKW",
    "UL",
    "LF",
    "LS",
    "RL",
    "RU",
    "Instr",
    "PTE",
    "T",
    "EXC-ENTRY",
    "EXC-RET",
    "SVC",
];

/// Names of herd that wattle gives no meaning to, and why.
pub const UNSUPPORTED: &[(&str, &str)] = &[
    ("iico_data", "events of registers do not exist here"),
    ("iico_ctrl", "events of registers do not exist here"),
    ("iico_order", "events of registers do not exist here"),
    ("rf-reg", "events of registers do not exist here"),
    ("DATA", "events of registers do not exist here"),
    ("NExp", "implicit accesses do not exist here"),
    ("depend", "`addr`, `data` and `ctrl` say more"),
    ("partial_po", "instructions are totally ordered here"),
    ("pco", "`co` is the execution's"),
    ("aligned", "accesses of several sizes are not supported"),
    ("EX", "older files call exclusives so: they are in `X`"),
    ("lo", "locks are not supported"),
    ("classes-loc", "sets of sets are not supported"),
    ("classes", "sets of sets are not supported"),
    ("linearisations", "sets of relations are not supported"),
    ("generate_cos", "`co` is the execution's"),
    ("generate_orders", "only `co` is chosen, and it is the execution's"),
    ("partition", "sets of sets are not supported"),
    ("tag2events", "tags as values are not supported"),
    ("tag2scope", "tags as values are not supported"),
    ("tag2fenced", "tags as values are not supported"),
    ("tag2instrs", "tags as values are not supported"),
    ("fromto", "tags as values are not supported"),
    ("different-values", "values are not visible to models"),
    ("same-values", "values are not visible to models"),
    ("loc2events", "tags as values are not supported"),
    ("delift", "sets of sets are not supported"),
    ("lift", "sets of sets are not supported"),
    ("map", "sets of sets are not supported"),
    ("intervening", "instances of instructions are not supported"),
];

/// What a name stands for that no text defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Under this name (aliases resolved) and of this type.
    Value(&'static str, Type),
    /// All events.
    Universe,
    /// A set without elements.
    Nothing,
    Domain,
    Range,
    /// Why not.
    Unsupported(&'static str),
}

pub fn find(name: &str) -> Option<Base> {
    match name {
        "_" | "Exp" => return Some(Base::Universe),
        "emptyset" => return Some(Base::Nothing),
        "domain" => return Some(Base::Domain),
        "range" => return Some(Base::Range),
        _ => {}
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, meant)| meant);
    let of = |table: &'static [(&str, &str)]| table.iter().find(|(known, _)| *known == name);
    if let Some((known, _)) = of(SETS) {
        return Some(Base::Value(known, Type::Set));
    }
    if let Some((known, _)) = of(RELATIONS) {
        return Some(Base::Value(known, Type::Relation));
    }
    if let Some(known) = TAGS.iter().find(|known| **known == name) {
        return Some(Base::Value(known, Type::Set));
    }
    if NEVER.contains(&name) {
        return Some(Base::Nothing);
    }
    of(UNSUPPORTED).map(|(_, why)| Base::Unsupported(why))
}

/// Every name that means something, to find what a slip meant.
pub fn names() -> impl Iterator<Item = &'static str> {
    let tables = [SETS, RELATIONS, ALIASES].into_iter().flatten().map(|(name, _)| *name);
    tables.chain(TAGS.iter().copied()).chain(["domain", "range"])
}
