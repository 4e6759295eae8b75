//! What a model may name without defining it.
//!
//! * Sets by what an event is, and relations that every execution has: the two tables below.
//! * Sets by tag. Front ends mark accesses and fences with tags, and the set of the events with a tag
//!   has the tag's name: `MFENCE`, `SYNC`, `DMB.SY`, `Fence.rw.rw`, `A`, `Acq`, `REL`, `X` …
//! * Sets by what a fence keeps in order, whatever its name: `F.RR`, `F.RW`, `F.WR`, `F.WW`. Models
//!   that know only orders (sc, tso, pso, rmo) speak of these and so of every vocabulary.
//!
//! The prelude (`prelude.cat`) defines what follows from these: `po-loc`, `rfe`, `fr`, `coi` …

/// Sets of events.
pub const SETS: &[(&str, &str)] = &[
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
    ("po", "program order; not within one instruction; not for initial writes"),
    ("loc", "accesses of one location"),
    ("int", "events of one thread (initial writes are in no thread)"),
    ("ext", "events of two threads, or of a thread and an initial write"),
    ("rf", "a write and a read that takes its value"),
    ("co", "the order of writes to each location, initial writes first"),
    ("addr", "a read and an access whose address depends on its value"),
    ("data", "a read and a write whose value depends on it"),
    ("ctrl", "a read and what comes after a branch that depends on it"),
    ("pick", "a read and an event that depends on it through the condition of a selection"),
    ("rmw", "the read and the write of one atomic step, or of a pair of exclusives"),
    ("amo", "the part of rmw that is one instruction"),
    ("lxsx", "the part of rmw that is a pair of exclusives"),
    ("si", "events of one instruction's single access: each event and itself"),
    ("sm", "the same"),
];
