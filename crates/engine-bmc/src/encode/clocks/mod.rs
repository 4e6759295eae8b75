//! `clocks`: the paper's formulation (Alglave, Kroening and Tautschnig 2013, section 5).
//!
//! *The idea.* Every event has a clock, a number of log2(#events) bits, and `x` before `y` is the
//! comparison `clock_x < clock_y`. A relation has no cycle if and only if there are clocks that grow
//! along it (Lemma 1), so an axiom `acyclic r` is the conjunction, over all pairs that may be in `r`,
//! of "if the pair is there, the clocks grow". Three axioms are three sets of clocks: uniproc, thin air
//! and the consensus (global happens-before). Sequential consistency needs the last only.
//!
//! | paper | here |
//! |---|---|
//! | Algorithm 1, read-from | `rf(w, r)` ⇒ `w` before `r`, where the architecture does not relax it |
//! | Algorithm 2, write serialisation | `co(w, w')` ⇒ `w` before `w'`; totality is in `encoding` |
//! | Algorithm 3, from-read | `rf(w', r)`, `co(w', w)` ⇒ `r` before `w`; or only for the next write, fr0 |
//! | Algorithm 4, preserved program order | [`chains`]: pairs that follow from others are left out |
//! | Algorithm 5, fences | [`fences`]: a fence is an event with clocks of its own |
//!
//! *What differs.* The text of a model in `models/` is the authority, and a test compares the answers.
//! So here are, beyond the paper: locked steps (ordered with all of program order), release and acquire
//! marks, `rmw` as an order and its atomicity, fences that keep any subset of the four kinds of pairs in
//! order. The literal `co(w, w')` is of its own and implies a comparison, in two sets of clocks at once;
//! the paper reads it off one comparison. Internal communication goes through Algorithms 1 to 3 like
//! external one: our models have all of `co` and `fr` in the consensus, and addresses may be
//! expressions. Initial writes have no clock: nothing comes before them, so they are on no cycle.
//!
//! *A fence of several kinds.* An order from reads before to writes after, and from writes before to
//! writes after, but not from writes before to reads after (lwsync) needs two clocks in the paper, one
//! for each kind of access before. This works for any subset of {RR, RW, WR, WW}: the way from an access
//! to the clock of its kind, and on to an access that this kind is ordered with, exists exactly where
//! the subset has the pair. Kinds with the same order share a clock.
//!
//! *Why it is sound.* Each clause says that clocks grow along one pair of the relation of one axiom,
//! where the pair is there; pairs through a fence are two comparisons through its clock, which both need
//! the fence to happen. Conversely, each pair of the relation is there, or follows by transitivity from
//! others that are there whenever it is.
//!
//! *What it costs.* Quadratic in the accesses of one address for `rf` and `co`, cubic for `fr` and for
//! cumulativity; each new comparison is a chain of log2(#events) gates, and the solver learns about
//! clock bits where `order` learns about events. That is why `order` is the default.

mod architecture;
mod chains;
mod clock;
mod fences;
#[cfg(test)]
mod tests;

use wattle_engine::Unsupported;
use wattle_memory::{MemoryModel, find};
use wattle_sat::Lit;

use crate::encode::candidates::Guards;
use crate::encode::circuit::Circuit;
use crate::encode::encoding::{Constraint, Encoding};
use crate::encode::formulation::{Constrained, Formulation};
use crate::unroll::structure::{Dependency, EventId};

use architecture::Architecture;
use clock::Clocked;

/// The options of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// From-read to the next write only (the fragment fr0 of section 5.3).
    pub next_write_only: bool,
    /// Fences of Power order what other threads have read before and read after.
    pub cumulative: bool,
}

impl Clocks {
    /// As the paper's tool has them.
    pub(crate) const PAPER: Clocks = Clocks { next_write_only: false, cumulative: true };
}

impl Formulation for Clocks {
    /// By name; a model that someone else wrote under such a name is another model.
    fn accepts(&self, memory: &MemoryModel) -> Result<(), Unsupported> {
        let ours = find(&memory.name).is_some_and(|known| known == memory);
        match Architecture::named(&memory.name) {
            Some(_) if ours => Ok(()),
            _ => Err(Unsupported::new(format!("clocks for the model {}", memory.name))),
        }
    }

    fn constrain(
        &self,
        encoding: &Encoding<'_, '_>,
        circuit: &mut Circuit<'_>,
        memory: &MemoryModel,
    ) -> Result<Constrained, Unsupported> {
        if encoding.structure.has_sections() {
            return Err(Unsupported::new("clocks for atomic sections with several accesses"));
        }
        self.accepts(memory)?;
        let Some(architecture) = Architecture::named(&memory.name) else {
            return Err(Unsupported::new(format!("clocks for the model {}", memory.name)));
        };
        let mut builder = Builder {
            encoding,
            circuit,
            architecture,
            options: *self,
            guards: Guards::new(encoding.structure),
            communication: Communication::new(encoding),
        };
        if architecture != Architecture::Sc {
            builder.uniproc();
        }
        if architecture.forbids_thin_air() {
            builder.thin_air();
        }
        builder.consensus();
        builder.atomic();
        builder.circuit.kind = Constraint::Ssa;
        builder.circuit.accepted()?;
        // Nothing is left to the order theory, and none of these models marks executions.
        Ok(Constrained::default())
    }
}

/// Communication, by event.
struct Communication {
    /// For each read, the writes that it may take its value from.
    sources: Vec<Vec<(Lit, EventId)>>,
    /// For each write, those that may come after it.
    later: Vec<Vec<(Lit, EventId)>>,
}

impl Communication {
    fn new(encoding: &Encoding<'_, '_>) -> Communication {
        let count = encoding.happens.len();
        let (mut sources, mut later) = (vec![vec![]; count], vec![vec![]; count]);
        for (literal, (write, read)) in &encoding.reads_from {
            sources[*read as usize].push((*literal, *write));
        }
        for (literal, (first, second)) in &encoding.coherence {
            later[*first as usize].push((*literal, *second));
        }
        Communication { sources, later }
    }

    /// The literal that one write comes before another.
    fn comes_first(&self, first: EventId, second: EventId) -> Lit {
        let found = self.later[first as usize].iter().find(|(_, other)| *other == second);
        found.map_or(Lit::FALSE, |(literal, _)| *literal)
    }
}

struct Builder<'b, 'e, 'a, 's, 'c> {
    encoding: &'e Encoding<'a, 's>,
    circuit: &'b mut Circuit<'c>,
    architecture: Architecture,
    options: Clocks,
    guards: Guards,
    communication: Communication,
}

impl Builder<'_, '_, '_, '_, '_> {
    fn is_initial(&self, event: EventId) -> bool {
        self.encoding.structure.events[event as usize].thread.is_none()
    }

    fn is_external(&self, one: EventId, other: EventId) -> bool {
        let thread = |event: EventId| self.encoding.structure.events[event as usize].thread;
        thread(one) != thread(other)
    }

    /// `acyclic po-loc | rmw | rf | co | fr`
    fn uniproc(&mut self) {
        let mut clocked = Clocked::new(self.encoding, 0);
        self.circuit.kind = Constraint::ProgramOrder;
        self.chains(&mut clocked, &|builder, first, second| {
            builder.encoding.same_address(builder.circuit, first, second)
        });
        self.read_modify_write(&mut clocked);
        self.reads_from(&mut clocked, &|_, _, _| true);
        self.coherence(&mut clocked);
        self.overwrites(&mut clocked);
    }

    /// `acyclic rf | addr | data | ctrl`
    fn thin_air(&mut self) {
        let mut clocked = Clocked::new(self.encoding, 0);
        let structure = self.encoding.structure;
        self.circuit.kind = Constraint::ProgramOrder;
        for list in [&structure.address, &structure.data, &structure.control] {
            self.dependencies(&mut clocked, list.iter());
        }
        self.reads_from(&mut clocked, &|_, _, _| true);
    }

    /// What the architecture does not relax has no cycle.
    fn consensus(&mut self) {
        let structure = self.encoding.structure;
        let mut clocked = Clocked::new(self.encoding, self.fence_clocks());
        self.circuit.kind = Constraint::ProgramOrder;
        self.chains(&mut clocked, &|builder, first, second| builder.not_relaxed(first, second));
        if self.architecture.follows_dependencies() {
            let writes = |event: EventId| structure.events[event as usize].access.writes();
            self.dependencies(&mut clocked, structure.address.iter().chain(&structure.data));
            self.dependencies(&mut clocked, structure.control.iter().filter(|pair| writes(pair.to)));
        }
        if self.architecture != Architecture::Power {
            self.read_modify_write(&mut clocked);
        }
        self.circuit.kind = Constraint::Fence;
        self.fences(&mut clocked);
        let architecture = self.architecture;
        self.reads_from(&mut clocked, &|builder, write, read| match architecture {
            Architecture::Sc => true,
            Architecture::Power => false,
            _ => builder.is_external(write, read),
        });
        self.coherence(&mut clocked);
        self.overwrites(&mut clocked);
    }

    /// `empty rmw & (fre ; coe)`: no write of another thread between the two halves.
    fn atomic(&mut self) {
        self.circuit.kind = Constraint::FromRead;
        let structure = self.encoding.structure;
        for pair in &structure.read_modify_write {
            let when = self.circuit.literal(structure, pair.when);
            for (source, origin) in self.communication.sources[pair.read as usize].clone() {
                for (first, between) in self.communication.later[origin as usize].clone() {
                    if self.is_external(pair.read, between) {
                        let second = self.communication.comes_first(between, pair.write);
                        self.circuit.clause(&[!when, !source, !first, !second]);
                    }
                }
            }
        }
    }

    /// Algorithm 1.
    fn reads_from(&mut self, clocked: &mut Clocked, wanted: &dyn Fn(&Self, EventId, EventId) -> bool) {
        self.circuit.kind = Constraint::ReadFrom;
        for (literal, (write, read)) in &self.encoding.reads_from {
            if wanted(self, *write, *read) && !self.is_initial(*write) {
                clocked.require(self.circuit, &[*literal], *write, *read);
            }
        }
    }

    /// Algorithm 2.
    fn coherence(&mut self, clocked: &mut Clocked) {
        self.circuit.kind = Constraint::Coherence;
        for (literal, (first, second)) in &self.encoding.coherence {
            if !self.is_initial(*first) {
                clocked.require(self.circuit, &[*literal], *first, *second);
            }
        }
    }

    /// Algorithm 3: from-read.
    fn overwrites(&mut self, clocked: &mut Clocked) {
        self.circuit.kind = Constraint::FromRead;
        for (read, sources) in self.communication.sources.iter().enumerate() {
            let read = read as EventId;
            for (source, origin) in sources {
                for (first, write) in &self.communication.later[*origin as usize] {
                    // An update does not come before itself.
                    if *write == read {
                        continue;
                    }
                    let mut premises = vec![*source, *first];
                    if self.options.next_write_only {
                        for (other, between) in &self.communication.later[*origin as usize] {
                            let second = self.communication.comes_first(*between, *write);
                            premises.push(!self.circuit.and(*other, second));
                        }
                    }
                    clocked.require(self.circuit, &premises, read, *write);
                }
            }
        }
    }

    fn read_modify_write(&mut self, clocked: &mut Clocked) {
        let structure = self.encoding.structure;
        for pair in &structure.read_modify_write {
            let when = self.circuit.literal(structure, pair.when);
            self.pair(clocked, when, pair.read, pair.write);
        }
    }

    fn dependencies<'d>(&mut self, clocked: &mut Clocked, list: impl Iterator<Item = &'d Dependency>) {
        for dependency in list {
            // A dependency of an update on itself is no order.
            if dependency.from != dependency.to {
                let when = self.circuit.literal(self.encoding.structure, dependency.when);
                self.pair(clocked, when, dependency.from, dependency.to);
            }
        }
    }

    /// Where both happen and the condition holds, the first comes first.
    fn pair(&mut self, clocked: &mut Clocked, when: Lit, first: EventId, second: EventId) {
        let premises = [when, self.encoding.happens(first), self.encoding.happens(second)];
        clocked.require(self.circuit, &premises, first, second);
    }
}
