//! Decides whether a model forbids values out of thin air.
//!
//! A value is out of thin air if it depends on itself: a read takes it from a write whose value, address
//! or existence depends on that read. Some engines need to know that this never happens: if values have
//! causes, what all writes can write is found by following causes, and an unrolling without a cut is
//! complete. A model forbids it if `rf` together with the dependencies has no cycle.
//!
//! This is read off the core by lower bounds: for each node, which of the relations below it surely
//! contains. An axiom `acyclic` forbids thin air if
//!
//! * (A) it contains `rf`, `addr`, `data` and `ctrl ; [W]` (and `pick`, where selections exist), or
//! * (B) it contains `rfe` and all program order from reads to writes, and another axiom keeps `rfi` within
//!   program order. A cycle of causes is then made of pieces, each inside one thread from a read to a
//!   write that another thread reads; a piece is program order.
//!
//! Control dependencies into reads need not be there: `ctrl` goes on to everything later in program order,
//! so a piece that has one leads by `ctrl` to its last write too.
//!
//! Four models of the catalogue preserve less, and are known by their text. A piece from a read r to a
//! write w goes from read to read by `addr`, or by `addr` or `data` and then `rfi`; up to its first control
//! dependency, after which `ctrl` leads to w. In `power` and `arm` the former steps are in `ii`, `ctrl` is
//! in `cc`, so the piece is in `ic & (R * W)`, which `no-thin-air` has with `rfe`. In `riscv` r9 and r12 are
//! the steps from read to read, and r10 and r11 the last one. In `aarch64` `picks` goes from read to read
//! (a read that takes a value of its own thread takes the last one, so `rfi` is in `lrs`), and `pob` ends
//! with `addr | data | ctrl | pick` into a write.

use wattle_memory::cat::analysis::coherence;
use wattle_memory::cat::{Axiom, Axioms, Core, Node, NodeId, Role, Test, Type};
use wattle_program::Vocabulary;
use wattle_program::symbolic::Conventions;

use crate::encode::encoding::Options;
use crate::unroll::structure::Structure;

const RFI: u32 = 1;
const RFE: u32 = 1 << 1;
const ADDRESS: u32 = 1 << 2;
const DATA: u32 = 1 << 3;
/// From reads to writes.
const CONTROL: u32 = 1 << 4;
const PICK: u32 = 1 << 5;
/// Program order from reads to writes.
const READ_WRITE: u32 = 1 << 6;
/// From reads to reads.
const READ_READ: u32 = 1 << 7;
const PO_LOC: u32 = 1 << 8;
const RMW: u32 = 1 << 9;
const EVERYTHING: u32 = (1 << 10) - 1;
const RF: u32 = RFI | RFE;
/// What goes from reads to writes, and from reads to anything.
const INTO_WRITES: u32 = DATA | CONTROL | READ_WRITE | RMW;
const FROM_READS: u32 = INTO_WRITES | ADDRESS | PICK | READ_READ;

/// The models of the catalogue for which the argument above is made by hand.
const BY_HAND: [&str; 4] = ["power", "arm", "riscv", "aarch64"];

/// The models of the catalogue that speak of atomic sections. What they say of executions without sections they say of all: a cycle
/// between sections is one of the order in which they are nodes, and `uniproc` (in `sc` `inside`) forbids one inside a section.
const WITH_SECTIONS: [&str; 3] = ["sc", "tso", "pso"];

/// What an encoding may take for granted of a model.
pub(crate) fn granted(axioms: &Axioms, structure: &Structure<'_>, vocabulary: Vocabulary) -> Options {
    let core = &axioms.core;
    let plain = core.without("section");
    let known = !structure.has_sections() || WITH_SECTIONS.iter().any(|name| is_catalogued(core, name));
    let core = if known { &plain } else { core };
    Options { coherence: coherence(core), thin_air_free: has_thin_air_axiom(core, vocabulary) }
}

/// For programs of this vocabulary.
pub(crate) fn has_thin_air_axiom(core: &Core, vocabulary: Vocabulary) -> bool {
    let parts = contained(core, vocabulary);
    let plain = |axiom: &&Axiom| axiom.role == Role::Require && !axiom.negated && axiom.test == Test::Acyclic;
    let bodies: Vec<u32> =
        core.axioms.iter().filter(plain).map(|axiom| parts[axiom.body.0 as usize]).collect();
    let any = |wanted: u32| bodies.iter().any(|body| body & wanted == wanted);
    let picks = if Conventions::of(vocabulary).selects { PICK } else { 0 };
    let coherent = any(PO_LOC | RFI);
    any(RF | ADDRESS | DATA | CONTROL | picks)
        || (coherent && any(RFE | READ_WRITE | DATA))
        || BY_HAND.iter().any(|name| is_catalogued(core, name))
}

fn is_catalogued(core: &Core, name: &str) -> bool {
    let axioms = wattle_memory::find(name).and_then(|model| model.axioms.as_ref());
    let same = |one: &Axiom, other: &Axiom| {
        (one.role, one.test, one.negated, one.body) == (other.role, other.test, other.negated, other.body)
    };
    axioms.is_some_and(|known| {
        let known = &known.core;
        known.nodes == core.nodes
            && known.groups == core.groups
            && known.axioms.len() == core.axioms.len()
            && known.axioms.iter().zip(&core.axioms).all(|(one, other)| same(one, other))
    })
}

/// For each node, what it contains in every execution.
fn contained(core: &Core, vocabulary: Vocabulary) -> Vec<u32> {
    // An event that reads and writes is in both kinds.
    let updates = Conventions::of(vocabulary).updates;
    let has = |set: &NodeId, kind: &str| match core.node(*set) {
        Node::All(_) => true,
        Node::Base(name, _) => &**name == kind || &**name == "M" || &**name == "_",
        _ => false,
    };
    let is = |node: &NodeId, name: &str| matches!(core.node(*node), Node::Base(other, _) if &**other == name);
    // The parts whose pairs begin in one set and end in another.
    let within = |from: &NodeId, to: &NodeId| {
        let reads = has(from, "R");
        let mut parts = 0;
        if reads && has(to, "W") {
            parts |= INTO_WRITES;
        }
        if reads && has(to, "R") {
            parts |= READ_READ;
        }
        if reads && has(to, "R") && has(to, "W") {
            parts |= FROM_READS;
        }
        parts
    };
    let mut parts: Vec<u32> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let of = |id: &NodeId| parts.get(id.0 as usize).copied().unwrap_or(0);
        let found = match node {
            Node::Base(name, Type::Relation) => match &**name {
                "po" => READ_WRITE | READ_READ | PO_LOC | ADDRESS | CONTROL | PICK,
                "loc" => RF | PO_LOC | RMW,
                "int" => EVERYTHING & !RFE,
                "ext" => RFE,
                "rf" => RF,
                "rmw" => RMW,
                "addr" => ADDRESS,
                "data" => DATA,
                "ctrl" => CONTROL,
                "pick" => PICK,
                _ => 0,
            },
            Node::All(_) => EVERYTHING,
            Node::Base(..) | Node::Empty(_) | Node::Variable(..) => 0,
            Node::Domain(_) | Node::Range(_) | Node::Inverse(_) | Node::Identity(_) => 0,
            Node::Union(a, b) => of(a) | of(b),
            Node::Intersection(a, b) => of(a) & of(b),
            Node::Difference(a, b) => match core.node(*b) {
                Node::Base(name, _) if &**name == "int" => of(a) & RFE,
                Node::Base(name, _) if &**name == "ext" => of(a) & !RFE,
                Node::Intersection(one, other) if is(other, "int") && one == a => of(a) & RFE,
                Node::Product(from, to) if !updates && is(from, "W") && is(to, "R") => of(a) & FROM_READS,
                _ => 0,
            },
            Node::Sequence(a, b) => match (core.node(*a), core.node(*b)) {
                (Node::Identity(set), _) if has(set, "R") && has(set, "W") => of(b) & (FROM_READS | RF),
                (Node::Identity(set), _) if has(set, "R") => of(b) & FROM_READS,
                (_, Node::Identity(set)) if has(set, "R") && has(set, "W") => of(a) & (FROM_READS | RF),
                (_, Node::Identity(set)) if has(set, "W") => of(a) & INTO_WRITES,
                (_, Node::Identity(set)) if has(set, "R") => of(a) & (RF | READ_READ),
                _ => 0,
            },
            Node::Closure(a) => of(a),
            Node::Product(from, to) => within(from, to),
            // The first round starts from nothing, and later ones only add.
            Node::Fixpoint(group, variable, _) => {
                let group = &core.groups[*group as usize];
                if group.monotone { of(&group.bodies[*variable as usize]) } else { 0 }
            }
        };
        // A value depends on a read before it, or on the read of the same step.
        let data = found & READ_WRITE != 0 && (found & RMW != 0 || updates);
        parts.push(if data { found | DATA } else { found });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_memory::cat::read;
    use wattle_source::{NoLoader, Sources};

    fn forbids(text: &str, vocabulary: Vocabulary) -> bool {
        let (mut sources, file) = Sources::single("test.cat", text);
        let axioms = read(&mut sources, file, &NoLoader, &[]).unwrap();
        has_thin_air_axiom(&axioms.core, vocabulary)
    }

    #[test]
    fn every_model_of_the_catalogue_forbids_thin_air() {
        for model in wattle_memory::CATALOGUE.iter() {
            let Some(axioms) = &model.axioms else { continue };
            let vocabulary = model.vocabulary.unwrap_or(Vocabulary::Generic);
            assert!(has_thin_air_axiom(&axioms.core.without("section"), vocabulary), "{}", model.name);
        }
    }

    #[test]
    fn what_is_not_sure_is_not_claimed() {
        let generic = Vocabulary::Generic;
        assert!(!forbids("acyclic po-loc | rf | co | fr", generic));
        assert!(!forbids("acyclic po-loc | rf | co | fr acyclic rfe | po & (R * R)", generic));
        assert!(!forbids("acyclic rf | addr | data", generic));
        assert!(!forbids("acyclic po & (R * W) | rmw | rfe", generic));
        assert!(!forbids("irreflexive rf | addr | data | ctrl", generic));
        assert!(!forbids("flag acyclic rf | addr | data | ctrl as f", generic));
        assert!(forbids("acyclic rf | addr | data | ctrl", generic));
        assert!(!forbids("acyclic rf | addr | data | ctrl", Vocabulary::Aarch64));
        assert!(forbids("acyclic rf | addr | data | ctrl | pick", Vocabulary::Aarch64));
        assert!(forbids("acyclic po-loc | rf acyclic rfe | po & (R * W) | rmw", generic));
        assert!(!forbids("acyclic po-loc | rf acyclic rfe | po & (R * W)", generic));
        assert!(forbids("acyclic po | rf", Vocabulary::C11));
    }
}
