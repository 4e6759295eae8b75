//! A structure as literals: what every formulation of the memory model starts from.
//!
//! Literals of the two communication relations are *absolute*: they hold only if both events happen
//! and have the same address, and (for reads-from) the same value. This is the part of Algorithms 1
//! and 2 of Alglave, Kroening and Tautschnig (2013) that does not speak of clocks:
//!
//! * every read that happens takes its value from some write that happens, of its address and value;
//! * of two writes that happen and have the same address, one comes first, and initial writes come
//!   before all others. That coherence has no cycle is left to the formulation.
//!
//! *What differs.* Addresses may be expressions: whether two events meet is a literal then, shared by
//! all that asks for it. Pairs that program order or the values themselves exclude (`candidates`,
//! `facts`) are not there. A read with one candidate needs no choice: it takes its value from that
//! write where it happens, and if the write comes earlier in its thread the value is not even copied.
//! Order inside a thread is fixed where the model implies it.
//!
//! *One write a read.* Two writes for one read are impossible where uniproc holds (the paper's Lemma
//! 3: one of the two comes first, the read comes before the other one, which it takes its value from).
//! For models without that axiom they are excluded here.

use wattle_engine::Unsupported;
use wattle_memory::cat::analysis::Coherence;
use wattle_sat::{Lit, Pair};

use crate::encode::candidates::candidates;
use crate::encode::circuit::{Circuit, Word};
use crate::encode::facts::{Fact, Facts};
use crate::encode::values::Source;
use crate::unroll::structure::{EventId, Structure};

pub(crate) use crate::encode::facts::Options;

/// Where clauses come from, for the figures of a run (Alglave et al. 2013, Fig. 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Constraint {
    /// Values and control flow.
    Ssa,
    ReadFrom,
    Coherence,
    FromRead,
    ProgramOrder,
    Fence,
    Property,
}

impl Constraint {
    pub(crate) const ALL: [Constraint; 7] = [
        Constraint::Ssa,
        Constraint::ReadFrom,
        Constraint::Coherence,
        Constraint::FromRead,
        Constraint::ProgramOrder,
        Constraint::Fence,
        Constraint::Property,
    ];

    /// As statistics call the clauses of it.
    pub(crate) fn figure(self) -> &'static str {
        match self {
            Constraint::Ssa => "constraints of ssa",
            Constraint::ReadFrom => "constraints of read-from",
            Constraint::Coherence => "constraints of coherence",
            Constraint::FromRead => "constraints of from-read",
            Constraint::ProgramOrder => "constraints of program order",
            Constraint::Fence => "constraints of fences",
            Constraint::Property => "constraints of the property",
        }
    }
}

pub(crate) struct Encoding<'a, 's> {
    pub structure: &'a Structure<'s>,
    /// For each event: it happens.
    pub happens: Vec<Lit>,
    /// For each event: the locations that it may access (sorted); empty for fences.
    pub locations: Vec<Vec<u32>>,
    /// (write, read): the read takes its value from the write. Pairs that cannot be are not listed.
    pub reads_from: Vec<(Lit, Pair)>,
    /// (write, write): both happen, have the same address, and the first comes first. Initial writes
    /// come first.
    pub coherence: Vec<(Lit, Pair)>,
    /// Reads whose candidates have a fixed order.
    pub ladders: Vec<Ladder>,
}

/// A read that surely happens, and whose candidates surely happen in a coherence order that is known
/// beforehand, as the stores of a variable that one thread writes do. What is decided then is how far
/// along that order the read is: *at least to here* is a literal for each candidate. A conflict that
/// says "not so far" is one literal instead of one for each write beyond.
#[derive(Clone, Debug)]
pub(crate) struct Ladder {
    pub read: EventId,
    /// All but the first candidate, in order: the read takes its value from this write or a later one.
    pub rungs: Vec<(Lit, EventId)>,
    pub first: EventId,
}

/// How large the problem is, as Fig. 7 of the paper counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Memory addresses, those that nobody accesses among them.
    pub addresses: u64,
    /// Reads and writes, initial ones among them.
    pub accesses: u64,
    /// The most of them that may be of one address.
    pub same_address: u64,
}

impl<'a, 's> Encoding<'a, 's> {
    pub(crate) fn happens(&self, event: EventId) -> Lit {
        self.happens[event as usize]
    }

    /// Two events have the same address, given that both happen.
    pub(crate) fn same_address(&self, circuit: &mut Circuit<'_>, one: EventId, other: EventId) -> Lit {
        let (left, right) = (&self.locations[one as usize], &self.locations[other as usize]);
        if !left.iter().any(|location| right.binary_search(location).is_ok()) {
            return Lit::FALSE;
        }
        let address = |event: EventId| self.structure.events[event as usize].address;
        if address(one) == address(other) {
            return Lit::TRUE;
        }
        let left = circuit.word(self.structure, address(one));
        let right = circuit.word(self.structure, address(other));
        circuit.equal(&left, &right)
    }

    /// It happens, and accesses this location.
    pub(crate) fn accesses(&self, circuit: &mut Circuit<'_>, event: EventId, location: u32) -> Lit {
        let possible = &self.locations[event as usize];
        if possible.binary_search(&location).is_err() {
            return Lit::FALSE;
        }
        let happens = self.happens(event);
        if possible.len() == 1 {
            return happens;
        }
        let word = circuit.word(self.structure, self.structure.events[event as usize].address);
        let here = circuit.equals(&word, i64::from(location));
        circuit.and(happens, here)
    }

    pub(crate) fn figures(&self) -> Figures {
        let mut counts = vec![0; self.structure.arena.shape().locations.len()];
        for location in self.locations.iter().flatten() {
            counts[*location as usize] += 1;
        }
        Figures {
            addresses: counts.len() as u64,
            accesses: self.locations.iter().filter(|locations| !locations.is_empty()).count() as u64,
            same_address: counts.into_iter().max().unwrap_or(0),
        }
    }
}

/// Everything but the memory model.
pub(crate) fn encode<'a, 's>(
    structure: &'a Structure<'s>,
    circuit: &mut Circuit<'_>,
    options: Options,
) -> Result<Encoding<'a, 's>, Unsupported> {
    let mut candidates = candidates(structure, options.coherence, &circuit.pulse)?;
    let facts = Facts::new(structure, &candidates, options);
    let locations: Vec<Vec<u32>> = (structure.events.iter())
        .map(|event| match event.access.reads() || event.access.writes() {
            true => facts.locations(structure, event.address),
            false => vec![],
        })
        .collect();
    let may_happen =
        |event: EventId| facts.of(structure.events[event as usize].guard).is_none_or(Fact::may_be_true);
    for (read, list) in candidates.iter_mut().enumerate() {
        let meets = |write: EventId| {
            let other = &locations[write as usize];
            locations[read].iter().any(|location| other.binary_search(location).is_ok())
        };
        list.retain(|write| may_happen(*write) && may_happen(read as EventId) && meets(*write));
    }
    circuit.values.facts = facts;
    circuit.kind = Constraint::Ssa;
    choices(structure, circuit)?;
    let mut encoding = Encoding {
        structure,
        happens: vec![],
        locations,
        reads_from: vec![],
        coherence: vec![],
        ladders: vec![],
    };
    for (number, list) in candidates.iter().enumerate() {
        if structure.events[number].access.reads() {
            let source = source(structure, circuit, number as EventId, list);
            circuit.values.set_read(number as EventId, source);
        }
    }
    for event in &structure.events {
        let happens = circuit.literal(structure, event.guard);
        encoding.happens.push(happens);
        if let (Some(written), true) = (event.written, happens != Lit::FALSE) {
            circuit.word(structure, written);
        }
    }
    // What cannot be expressed need not be encoded.
    circuit.accepted()?;
    circuit.kind = Constraint::ReadFrom;
    reads_from(&mut encoding, circuit, &candidates, options)?;
    circuit.kind = Constraint::Coherence;
    coherence(&mut encoding, circuit, options)?;
    circuit.kind = Constraint::Property;
    contents(&encoding, circuit)?;
    circuit.kind = Constraint::Ssa;
    for requirement in &structure.requirements {
        let literal = circuit.literal(structure, *requirement);
        circuit.clause(&[literal]);
    }
    circuit.accepted()?;
    Ok(encoding)
}

/// Free choices are words within their bounds.
fn choices(structure: &Structure<'_>, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
    for (number, input) in structure.inputs.iter().enumerate() {
        let number = number as u32;
        if structure.finals.iter().any(|(_, other)| *other == number) {
            continue;
        }
        if input.low > input.high {
            return Err(Unsupported::new("a choice among no values"));
        }
        let word = circuit.word_within(&Fact::between(input.low, input.high));
        let inside = circuit.within(&word, input.low, input.high);
        circuit.clause(&[inside]);
        circuit.values.set_cell(number, word);
    }
    // Words first, clauses that tie them to writes later: properties may be made into words before.
    for (location, cell) in &structure.finals {
        let fact = circuit.values.facts.content(structure, *location);
        let word = circuit.word_within(&fact);
        circuit.values.set_cell(*cell, word);
    }
    Ok(())
}

/// What a read returns.
fn source(
    structure: &Structure<'_>,
    circuit: &mut Circuit<'_>,
    read: EventId,
    candidates: &[EventId],
) -> Source {
    if let [only] = candidates {
        let write = &structure.events[*only as usize];
        let earlier = structure.before[read as usize].binary_search(only).is_ok();
        // Earlier in its thread, or initial: so the value does not depend on this read.
        if let (true, Some(written)) = (earlier || write.thread.is_none(), write.written) {
            return Source::Same(written);
        }
    }
    let fact = circuit.values.facts.read(read).clone();
    Source::Word(circuit.word_within(&fact))
}

/// What looking at a pair of accesses costs, in steps of the pulse.
const STEPS_A_PAIR: usize = 30;

fn reads_from(
    encoding: &mut Encoding<'_, '_>,
    circuit: &mut Circuit<'_>,
    candidates: &[Vec<EventId>],
    options: Options,
) -> Result<(), Unsupported> {
    let structure = encoding.structure;
    for (number, list) in candidates.iter().enumerate() {
        let read = number as EventId;
        let happens = encoding.happens(read);
        if !structure.events[number].access.reads() || happens == Lit::FALSE {
            continue;
        }
        circuit.accepted()?;
        circuit.pulse.beat(list.len() * STEPS_A_PAIR);
        circuit.pulse.go_on()?;
        if let Some(ladder) = ladder(encoding, circuit, read, list, options) {
            encoding.ladders.push(ladder);
            continue;
        }
        let mut some = vec![!happens];
        for write in list {
            let same = encoding.same_address(circuit, *write, read);
            if encoding.happens(*write) == Lit::FALSE || same == Lit::FALSE {
                continue;
            }
            let literal = if list.len() == 1 { happens } else { circuit.fresh() };
            circuit.implies(literal, happens);
            circuit.implies(literal, encoding.happens(*write));
            circuit.implies(literal, same);
            equate(structure, circuit, literal, *write, read);
            some.push(literal);
            encoding.reads_from.push((literal, (*write, read)));
        }
        circuit.clause(&some);
        if options.coherence != Coherence::Acyclic {
            at_most_one(circuit, &some[1..]);
        }
    }
    Ok(())
}

/// Fewer candidates than this are told one by one.
const FEWEST_RUNGS: usize = 3;

fn ladder(
    encoding: &mut Encoding<'_, '_>,
    circuit: &mut Circuit<'_>,
    read: EventId,
    candidates: &[EventId],
    options: Options,
) -> Option<Ladder> {
    let structure = encoding.structure;
    let sure = |event: EventId| encoding.happens(event) == Lit::TRUE;
    let [first, rest @ ..] = candidates else { return None };
    if rest.len() < FEWEST_RUNGS || options.coherence == Coherence::Unknown || !sure(read) {
        return None;
    }
    let follows = |pair: &[EventId]| {
        structure.events[pair[0] as usize].thread.is_none()
            || structure.before[pair[1] as usize].binary_search(&pair[0]).is_ok()
    };
    let fixed = candidates.iter().all(|write| sure(*write)) && candidates.windows(2).all(follows);
    if !fixed || candidates.iter().any(|write| encoding.same_address(circuit, *write, read) != Lit::TRUE) {
        return None;
    }
    let rungs: Vec<(Lit, EventId)> = rest.iter().map(|write| (circuit.fresh(), *write)).collect();
    for pair in rungs.windows(2) {
        circuit.implies(pair[1].0, pair[0].0);
    }
    let so_far = [Lit::TRUE].into_iter().chain(rungs.iter().map(|(literal, _)| *literal));
    let further: Vec<Lit> = rungs.iter().map(|(literal, _)| *literal).chain([Lit::FALSE]).collect();
    for ((here, beyond), write) in so_far.zip(further).zip(candidates) {
        let literal = circuit.and(here, !beyond);
        equate(structure, circuit, literal, *write, read);
        encoding.reads_from.push((literal, (*write, read)));
    }
    Some(Ladder { read, rungs, first: *first })
}

/// Where the literal holds, the read returns what the write wrote.
fn equate(structure: &Structure<'_>, circuit: &mut Circuit<'_>, literal: Lit, write: EventId, read: EventId) {
    let Some(written) = structure.events[write as usize].written else { return };
    let returned = match circuit.values.read(read) {
        Some(Source::Word(word)) => word.clone(),
        // The same expression.
        _ => return,
    };
    let written = circuit.word(structure, written);
    circuit.equate(&[literal], &returned, &written);
}

fn at_most_one(circuit: &mut Circuit<'_>, literals: &[Lit]) {
    let mut some = Lit::FALSE;
    for literal in literals {
        circuit.clause(&[!some, !*literal]);
        some = circuit.or(some, *literal);
    }
}

fn coherence(
    encoding: &mut Encoding<'_, '_>,
    circuit: &mut Circuit<'_>,
    options: Options,
) -> Result<(), Unsupported> {
    let structure = encoding.structure;
    let writes: Vec<EventId> = (0..structure.events.len() as EventId)
        .filter(|event| structure.events[*event as usize].access.writes())
        .filter(|event| encoding.happens(*event) != Lit::FALSE)
        .collect();
    for (position, &second) in writes.iter().enumerate() {
        circuit.accepted()?;
        circuit.pulse.beat(position * STEPS_A_PAIR);
        circuit.pulse.go_on()?;
        for &first in &writes[..position] {
            let same = encoding.same_address(circuit, first, second);
            let both = circuit.all(&[encoding.happens(first), encoding.happens(second), same]);
            if both == Lit::FALSE {
                continue;
            }
            let initial = structure.events[first as usize].thread.is_none();
            let before = structure.before[second as usize].binary_search(&first).is_ok();
            if initial || before && options.coherence != Coherence::Unknown {
                encoding.coherence.push((both, (first, second)));
                continue;
            }
            let one = circuit.fresh();
            let other = if both == Lit::TRUE { !one } else { circuit.fresh() };
            circuit.implies(one, both);
            circuit.implies(other, both);
            circuit.clause(&[!one, !other]);
            circuit.clause(&[!both, one, other]);
            encoding.coherence.push((one, (first, second)));
            encoding.coherence.push((other, (second, first)));
        }
    }
    Ok(())
}

/// What memory holds in the end: at each location that is asked for, the value of its last write.
fn contents(encoding: &Encoding<'_, '_>, circuit: &mut Circuit<'_>) -> Result<(), Unsupported> {
    let structure = encoding.structure;
    let mut later: Vec<Vec<Lit>> = vec![vec![]; structure.events.len()];
    for (literal, (first, _)) in &encoding.coherence {
        later[*first as usize].push(*literal);
    }
    for (location, cell) in &structure.finals {
        let content = circuit.values.cell(*cell).cloned().unwrap_or_else(|| Word::constant(0));
        let mut some = Vec::new();
        for event in 0..structure.events.len() as EventId {
            let Some(written) = structure.events[event as usize].written else { continue };
            let here = encoding.accesses(circuit, event, *location);
            circuit.pulse.beat(later[event as usize].len());
            circuit.pulse.go_on()?;
            if here == Lit::FALSE || later[event as usize].contains(&Lit::TRUE) {
                continue;
            }
            let last: Vec<Lit> =
                later[event as usize].iter().map(|literal| !*literal).chain([here]).collect();
            let last = circuit.all(&last);
            let written = circuit.word(structure, written);
            circuit.equate(&[last], &content, &written);
            some.push(last);
        }
        // Follows where coherence has no cycle; said so that the solver sees it.
        circuit.clause(&some);
    }
    Ok(())
}
