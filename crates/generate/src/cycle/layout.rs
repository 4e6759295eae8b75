//! From a list of edges to accesses: threads, locations, values, and what the final state shows.
//!
//! Every edge joins two neighbouring accesses, so a cycle of n edges has n accesses, and each property
//! of an access follows by walking along the edges:
//!
//! * **Threads.** An external communication goes to a new thread (the last one to the first), `Leave`
//!   to a new one and `Back` from there to where it left.
//! * **Locations.** An edge of program order with `d` goes to a new location; all other edges stay. So
//!   each location has one unbroken stretch of the cycle.
//! * **Values.** Along a stretch, writes count up from 1 and a read has the value of the last write
//!   before it (0 if there is none): that is what `rf`, `fr` and `co` say. Where an access is half of a
//!   read-modify-write, the other half counts along: nothing comes between the two. If the whole cycle stays at
//!   one location, the stretch begins after an edge of program order, which the values then contradict.
//! * **The condition.** It names what each read of a written location gets, and the last value where a
//!   location has several writes. With three or more of them the order of the earlier ones must be
//!   forced by coherence in one thread; where it is not, other coherence orders would pass for this
//!   cycle, and it is refused.

use std::collections::BTreeSet;
use std::fmt;

use super::architecture::{Annotation, Architecture, Rmw};
use super::edge::{Direction, Edge, Kind, Means, Reach};

/// One read or write of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub direction: Direction,
    pub annotation: Annotation,
    pub thread: usize,
    pub location: usize,
    /// What it writes, or what it reads if the cycle happens.
    pub value: u32,
    /// The same of the other half of its read-modify-write, if that half is not on the cycle.
    pub other: Option<u32>,
}

impl Access {
    /// What it reads or writes, with the half that is not on the cycle, the read first.
    fn both(&self) -> Vec<(Direction, u32)> {
        match (self.direction, self.other) {
            (direction, None) => vec![(direction, self.value)],
            (Direction::Read, Some(written)) => {
                vec![(Direction::Read, self.value), (Direction::Write, written)]
            }
            (Direction::Write, Some(read)) => vec![(Direction::Read, read), (Direction::Write, self.value)],
        }
    }
}

/// A well-formed cycle. The last edge is external, so the first access opens the first thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    pub architecture: Architecture,
    pub edges: Vec<Edge>,
    /// `accesses[i]` is where `edges[i]` begins.
    pub accesses: Vec<Access>,
    pub threads: usize,
    pub locations: usize,
}

/// Why a list of edges is no cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    Empty,
    /// One edge ends where the next cannot begin.
    Gap {
        left: String,
        right: String,
    },
    /// Fewer than two threads.
    OneThread,
    /// A `Back` without `Leave`, or the other way round.
    Unpaired,
    /// Exactly one edge changes location, so the last access cannot be at the first's location.
    OneMove,
    /// Communication alone: every such cycle contradicts itself.
    NoOrder,
    /// The order of three or more writes would not be seen.
    Unseen {
        location: String,
        writes: u32,
    },
    TooLarge,
    /// A thread has more accesses than the architecture has registers for.
    Registers,
    /// A dependency starts at a write that has no result.
    NoResult {
        edge: String,
    },
    /// One access is half of two read-modify-writes, or has a mark that its half cannot have.
    Halves {
        edge: String,
    },
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Empty => write!(f, "a cycle needs edges"),
            Broken::Gap { left, right } => write!(
                f,
                "`{right}` cannot follow `{left}`: the second access of the one must be the first of the other"
            ),
            Broken::OneThread => {
                write!(f, "a cycle needs at least two edges that change threads (Rfe, Fre, Coe)")
            }
            Broken::Unpaired => write!(f, "every Leave needs its Back, in the same thread"),
            Broken::OneMove => {
                write!(f, "only one edge changes location, so the cycle cannot come back to where it began")
            }
            Broken::NoOrder => write!(f, "a cycle of communication alone contradicts itself"),
            Broken::Unseen { location, writes } => write!(
                f,
                "{writes} writes to {location}: no final state shows that they happen in the order of the cycle"
            ),
            Broken::Registers => write!(f, "a thread needs more registers than there are"),
            Broken::NoResult { edge } => write!(
                f,
                "`{edge}` starts at the result of a write, which only that of a read-modify-write has"
            ),
            Broken::Halves { edge } => write!(
                f,
                "`{edge}` joins the two halves of a read-modify-write: they can acquire and release, and no more"
            ),
            Broken::TooLarge => write!(f, "a cycle has at most {LARGEST} edges"),
        }
    }
}

/// As many as there are names of locations.
pub(super) const LARGEST: usize = 16;
const LOCATIONS: [&str; LARGEST] =
    ["x", "y", "z", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];

pub fn location_name(number: usize) -> &'static str {
    LOCATIONS.get(number).copied().unwrap_or("?")
}

impl Cycle {
    /// The cycle of these edges. It is rotated as little as possible, so that it ends where the thread
    /// changes.
    pub fn new(architecture: Architecture, edges: &[Edge]) -> Result<Cycle, Broken> {
        if edges.is_empty() {
            return Err(Broken::Empty);
        }
        if edges.len() > LARGEST {
            return Err(Broken::TooLarge);
        }
        for (number, edge) in edges.iter().enumerate() {
            let next = &edges[(number + 1) % edges.len()];
            if !edge.meets(next) {
                return Err(Broken::Gap { left: edge.name(architecture), right: next.name(architecture) });
            }
        }
        if edges.iter().filter(|edge| edge.is_external()).count() < 2 {
            return Err(Broken::OneThread);
        }
        let mut edges = edges.to_vec();
        let tail = edges.iter().rev().take_while(|edge| !edge.is_external()).count();
        edges.rotate_right(tail);
        let moves = edges.iter().filter(|edge| edge.changes_location()).count();
        if moves == 1 {
            return Err(Broken::OneMove);
        }
        if !edges.iter().any(Edge::is_order) {
            return Err(Broken::NoOrder);
        }
        let mut cycle =
            Cycle { architecture, accesses: Vec::new(), threads: 0, locations: moves.max(1), edges };
        cycle.place()?;
        cycle.number();
        cycle.is_seen()?;
        cycle.has_registers()?;
        Ok(cycle)
    }

    /// Threads, locations, directions and annotations.
    fn place(&mut self) -> Result<(), Broken> {
        let (mut thread, mut left) = (0, Vec::new());
        let mut location = 0;
        self.threads = 1;
        for (number, edge) in self.edges.iter().enumerate() {
            let before = &self.edges[(number + self.edges.len() - 1) % self.edges.len()];
            let annotation = edge.annotations.0.or(before.annotations.1).unwrap_or_default();
            let direction = edge.ends.0;
            self.accesses.push(Access { direction, annotation, thread, location, value: 0, other: None });
            let joined = matches!(before.kind, Kind::Update(_));
            if edge.is_from_result() && !joined && !annotation.is_half() {
                return Err(Broken::NoResult { edge: edge.name(self.architecture) });
            }
            let update = if joined { before } else { edge };
            let allowed = matches!(annotation, Annotation::Plain | Annotation::Acquire | Annotation::Release);
            if matches!(update.kind, Kind::Update(_)) && !allowed {
                return Err(Broken::Halves { edge: update.name(self.architecture) });
            }
            match edge.kind {
                Kind::Communication(_, Reach::External) if !left.is_empty() => {
                    return Err(Broken::Unpaired);
                }
                Kind::Communication(_, reach @ (Reach::External | Reach::Leave)) => {
                    if reach == Reach::Leave {
                        left.push(thread);
                    }
                    thread = self.threads;
                    self.threads += 1;
                }
                Kind::Communication(_, Reach::Back) => thread = left.pop().ok_or(Broken::Unpaired)?,
                Kind::Communication(_, Reach::Internal) | Kind::Update(_) => {}
                Kind::Order { same, .. } => location = (location + usize::from(!same)) % self.locations,
            }
        }
        // The last edge went back to the first thread.
        self.threads -= 1;
        Ok(())
    }

    /// Values, from the start of the first stretch once round.
    fn number(&mut self) {
        let length = self.edges.len();
        let starts =
            |edge: &Edge| if self.locations == 1 { edge.is_order() } else { edge.changes_location() };
        let start = self.edges.iter().position(starts).map_or(0, |at| at + 1);
        let mut last = vec![0; self.locations];
        for number in start..start + length {
            let access = &mut self.accesses[number % length];
            let value = &mut last[access.location];
            let before = *value;
            let half = access.annotation.is_half();
            *value += u32::from(access.direction == Direction::Write || half);
            (access.value, access.other) = match access.direction {
                Direction::Write => (*value, half.then_some(before)),
                Direction::Read => (before, half.then_some(*value)),
            };
        }
    }

    /// Does every thread get by with the registers of the architecture? One a load or store, one a
    /// location, two an address dependency, three more a read-modify-write, at most.
    fn has_registers(&self) -> Result<(), Broken> {
        for thread in 0..self.threads {
            let accesses: Vec<usize> = self.thread(thread).collect();
            let reads = accesses.iter().filter(|at| self.accesses[**at].direction == Direction::Read).count();
            let places: BTreeSet<usize> = accesses.iter().map(|at| self.accesses[*at].location).collect();
            let is_address = |at: &&usize| {
                let before = at.checked_sub(1).map(|before| self.edges[before].kind);
                matches!(before, Some(Kind::Order { means: Means::Address, .. }))
            };
            let addresses = accesses.iter().filter(is_address).count();
            let is_update =
                |at: &&usize| self.accesses[**at].annotation.is_half() || self.update(**at).is_some();
            let updates = accesses.iter().filter(is_update).count();
            let all = accesses.len() + places.len() + 2 * addresses + 3 * updates;
            let fits = match self.architecture {
                Architecture::X86 => reads + updates <= 6,
                Architecture::Arm => all <= 13,
                Architecture::Riscv => all <= 27,
                Architecture::Ppc | Architecture::Aarch64 => all <= 30,
                Architecture::C => true,
            };
            if !fits {
                return Err(Broken::Registers);
            }
        }
        Ok(())
    }

    /// How many writes a location gets.
    pub fn writes(&self, location: usize) -> u32 {
        let writes = |access: &Access| access.direction == Direction::Write || access.other.is_some();
        let there = |access: &&Access| access.location == location && writes(access);
        self.accesses.iter().filter(there).count() as u32
    }

    /// How the accesses `at` and `at + 1` are one read-modify-write, if they are.
    pub fn update(&self, at: usize) -> Option<Rmw> {
        match self.edges[at].kind {
            Kind::Update(rmw) => Some(rmw),
            _ => None,
        }
    }

    /// Has it any read-modify-write?
    pub fn is_atomic(&self) -> bool {
        (0..self.edges.len()).any(|at| self.accesses[at].annotation.is_half() || self.update(at).is_some())
    }

    /// The accesses of a thread, in program order.
    pub fn thread(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.accesses.len()).filter(move |at| self.accesses[*at].thread == thread)
    }

    /// Does coherence force the order of all writes but the last, which the final value shows?
    fn is_seen(&self) -> Result<(), Broken> {
        for location in 0..self.locations {
            let writes = self.writes(location);
            for value in 1..writes.saturating_sub(1) {
                if !self.forced(location, value) {
                    return Err(Broken::Unseen { location: location_name(location).into(), writes });
                }
            }
        }
        Ok(())
    }

    /// Is the write of `value` before that of the next one in every coherent execution with the reads
    /// of the cycle? In one thread a write or read of `value` comes before a write of the next, or a
    /// write of `value` before a read of the next.
    fn forced(&self, location: usize, value: u32) -> bool {
        (0..self.threads).any(|thread| {
            let there: Vec<(Direction, u32)> = self
                .thread(thread)
                .map(|at| &self.accesses[at])
                .filter(|access| access.location == location)
                .flat_map(Access::both)
                .collect();
            there.iter().enumerate().any(|(at, first)| {
                first.1 == value
                    && there[at + 1..].iter().any(|second| {
                        let reads = [first, second].iter().all(|one| one.0 == Direction::Read);
                        second.1 == value + 1 && !reads
                    })
            })
        })
    }

    /// Is what this access reads part of the condition? Where nothing writes there is nothing to say.
    pub fn is_observed(&self, access: &Access) -> bool {
        access.direction == Direction::Read && self.writes(access.location) > 0
    }

    /// The locations whose last value is part of the condition.
    pub fn final_locations(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.locations).filter(|location| self.writes(*location) > 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(text: &str) -> Result<Cycle, Broken> {
        let edges: Vec<Edge> = (text.split_whitespace())
            .map(|name| Edge::parse(name, Architecture::Ppc).expect("an edge"))
            .collect();
        Cycle::new(Architecture::Ppc, &edges)
    }

    /// Thread, direction, location and value of each access.
    fn accesses(text: &str) -> String {
        let cycle = cycle(text).expect("a cycle");
        let one = |access: &Access| {
            let letter = access.direction.letter();
            format!("{}{letter}{}{}", access.thread, location_name(access.location), access.value)
        };
        cycle.accesses.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_classic_shapes_are_what_they_are() {
        assert_eq!(accesses("PodWR Fre PodWR Fre"), "0Wx1 0Ry0 1Wy1 1Rx0");
        assert_eq!(accesses("PodWW Rfe PodRR Fre"), "0Wx1 0Wy1 1Ry1 1Rx0");
        assert_eq!(accesses("PodWW Coe PodWW Coe"), "0Wx2 0Wy1 1Wy2 1Wx1");
        assert_eq!(accesses("Rfe PodRR Fre Rfe PodRR Fre"), "0Wx1 1Rx1 1Ry0 2Wy1 3Ry1 3Rx0");
        assert_eq!(accesses("Rfe LwSyncdRW Rfe DpCtrldW Coe"), "0Wx2 1Rx2 1Wy1 2Ry1 2Wx1");
        assert_eq!(accesses("Fre PodWR Fre PodWR"), "0Wx1 0Ry0 1Wy1 1Rx0", "rotated to end in Fre");
    }

    #[test]
    fn one_location_is_cut_at_program_order() {
        assert_eq!(accesses("Rfe PosRR Fre"), "0Wx1 1Rx1 1Rx0");
        assert_eq!(accesses("Rfe PosRW Coe"), "0Wx2 1Rx2 1Wx1");
        assert_eq!(accesses("PosWR Fre Coe"), "0Wx2 0Rx0 1Wx1");
    }

    #[test]
    fn detours_come_back() {
        assert_eq!(accesses("PodWW CoLeave RfBack PodRR Fre Rfe PodRR Fre"), {
            "0Wx1 0Wy1 1Wy2 0Ry2 0Rz0 2Wz1 3Rz1 3Rx0"
        });
        assert_eq!(cycle("PodWW CoLeave PodWR Fre"), Err(Broken::OneThread));
        assert_eq!(cycle("CoLeave PodWR Fre PodWR Fre PodWW"), Err(Broken::Unpaired));
    }

    fn atomic(text: &str) -> Result<Cycle, Broken> {
        let riscv = Architecture::Riscv;
        let edges: Vec<Edge> =
            text.split_whitespace().map(|name| Edge::parse(name, riscv).expect("an edge")).collect();
        Cycle::new(riscv, &edges)
    }

    /// A half that is off the cycle counts as an access at its place: a read before the write, a write after
    /// the read, and nothing between.
    #[test]
    fn the_other_half_counts_along() {
        let values = |text: &str| {
            let cycle = atomic(text).expect("a cycle");
            cycle.accesses.iter().map(|access| (access.value, access.other)).collect::<Vec<_>>()
        };
        assert_eq!(values("PodWRAmoP Fre PodWR Fre"), [(1, Some(0)), (0, None), (1, None), (0, None)]);
        // y: 0, 1 by the read-modify-write whose read is on the cycle, 2 by the other thread.
        assert_eq!(values("PodWRPX FreXP PodWR Fre"), [(1, None), (0, Some(1)), (2, None), (0, None)]);
        assert_eq!(values("PodWW Rfe LxSx PodWR Fre")[2..4], [(1, None), (2, None)]);
    }

    #[test]
    fn halves_are_what_they_are() {
        assert!(matches!(atomic("DpDatadWW Rfe PodRR Fre"), Err(Broken::NoResult { .. })));
        assert!(atomic("DpDatadWWXP Rfe PodRR Fre").is_ok());
        assert!(matches!(atomic("PodWW RfePX LxSxXP PodWR Fre"), Err(Broken::Halves { .. })));
    }

    #[test]
    fn what_is_no_cycle_is_refused() {
        assert!(matches!(cycle("PodWR Rfe"), Err(Broken::Gap { .. })));
        assert_eq!(cycle("PodWR Fre Coe"), Err(Broken::OneMove));
        assert_eq!(cycle("Rfe Fre"), Err(Broken::NoOrder));
        assert_eq!(cycle("PodWR Fri PodWW Coi"), Err(Broken::OneThread));
        assert_eq!(cycle(""), Err(Broken::Empty));
        assert!(matches!(cycle("Coe Coe PodWW Coe PodWW"), Err(Broken::Unseen { writes: 3, .. })));
        assert!(
            cycle("Coe PodWW Coi Coe PodWW").is_ok(),
            "y is written twice by one thread, then by another"
        );
    }
}
