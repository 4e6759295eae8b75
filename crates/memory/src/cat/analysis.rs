//! What can be known of a model before any program: does it imply coherence, is an axiom monotone?
//!
//! **Coherence.** Most models have an axiom that forbids cycles of `po-loc`, `rf`, `co` and `fr`. The
//! search may then choose only coherent executions, which saves most of the work. Whether a model has
//! such an axiom is read off its core, by a lower bound: for each node, which of the relations below
//! it is sure to contain in every execution. A model for which this fails is searched in full, so the
//! bound need not be clever.
//!
//! **Monotone** nodes only grow when `rf`, `co` or `loc` grow. An axiom over such a node that fails on
//! part of an execution fails on the whole of it.

use super::core::{Axiom, Core, Node, NodeId, Role, Test, Type};

/// How much of coherence every execution of the model satisfies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coherence {
    Unknown,
    /// No event comes, in program order, after one of its location that it precedes in `rf`, `co`,
    /// `fr`, `co; rf` or `fr; rf`.
    Ordered,
    /// There is no cycle of `po-loc`, `rf`, `co` and `fr`.
    Acyclic,
}

const PO: u32 = 1;
const PO_LOC: u32 = 1 << 1;
const RFI: u32 = 1 << 2;
const RFE: u32 = 1 << 3;
const COI: u32 = 1 << 4;
const COE: u32 = 1 << 5;
const FRI: u32 = 1 << 6;
const FRE: u32 = 1 << 7;
const ID: u32 = 1 << 8;
const CO_RF: u32 = 1 << 9;
const FR_RF: u32 = 1 << 10;
const INVERSE_RF: u32 = 1 << 11;
const RF: u32 = RFI | RFE;
const CO: u32 = COI | COE;
/// Without pairs of an event and itself.
const FR: u32 = FRI | FRE;
const EVERYTHING: u32 = (1 << 12) - 1;
const COMMUNICATION: u32 = RF | CO | FR;
const INTERNAL: u32 = PO | PO_LOC | RFI | COI | FRI;
const EXTERNAL: u32 = RFE | COE | FRE;

pub fn coherence(core: &Core) -> Coherence {
    let parts = contained(core);
    let has = |id: NodeId, wanted: u32| parts[id.0 as usize] & wanted == wanted;
    let mut best = Coherence::Unknown;
    for axiom in core.axioms.iter().filter(|axiom| is_plain(axiom)) {
        match axiom.test {
            Test::Acyclic if has(axiom.body, PO_LOC | COMMUNICATION) => return Coherence::Acyclic,
            Test::Irreflexive if ordered(core, axiom.body, &has) => best = Coherence::Ordered,
            _ => {}
        }
    }
    best
}

/// Is it required as it stands?
fn is_plain(axiom: &Axiom) -> bool {
    axiom.role == Role::Require && !axiom.negated
}

fn ordered(core: &Core, body: NodeId, has: &dyn Fn(NodeId, u32) -> bool) -> bool {
    let later = COMMUNICATION | CO_RF | FR_RF;
    match core.node(body) {
        Node::Union(a, b) => ordered(core, *a, has) || ordered(core, *b, has),
        Node::Sequence(a, b) => (has(*a, PO_LOC) && has(*b, later)) || (has(*a, later) && has(*b, PO_LOC)),
        _ => false,
    }
}

/// For each node, what it contains in every execution.
fn contained(core: &Core) -> Vec<u32> {
    let mut parts: Vec<u32> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let of = |id: &NodeId| parts.get(id.0 as usize).copied().unwrap_or(0);
        parts.push(match node {
            Node::Base(name, Type::Relation) => match &**name {
                "po" => PO | PO_LOC,
                "loc" => PO_LOC | COMMUNICATION | CO_RF | FR_RF | INVERSE_RF,
                "int" => INTERNAL,
                "ext" => EXTERNAL,
                "rf" => RF,
                "co" => CO,
                "id" => ID,
                _ => 0,
            },
            Node::All(_) => EVERYTHING,
            Node::Base(..) | Node::Empty(_) | Node::Variable(..) => 0,
            Node::Union(a, b) => of(a) | of(b),
            Node::Intersection(a, b) => of(a) & of(b),
            Node::Difference(a, b) => match core.node(*b) {
                Node::Base(name, _) if &**name == "id" => of(a) & (PO | PO_LOC | COMMUNICATION),
                Node::Identity(_) => of(a) & (PO | PO_LOC | COMMUNICATION),
                Node::Base(name, _) if &**name == "int" => of(a) & EXTERNAL,
                Node::Base(name, _) if &**name == "ext" => of(a) & INTERNAL,
                _ => 0,
            },
            Node::Sequence(a, b) => {
                let (a, b) = (of(a), of(b));
                let mut all = 0;
                let both = |left: u32, right: u32| a & left == left && b & right == right;
                for (applies, part) in [
                    (a & ID != 0, b),
                    (b & ID != 0, a),
                    (both(INVERSE_RF, CO), FR),
                    (both(CO, RF), CO_RF),
                    (both(FR, RF), FR_RF),
                ] {
                    all |= if applies { part } else { 0 };
                }
                all
            }
            Node::Inverse(a) => {
                let a = of(a);
                (a & ID) | if a & RF == RF { INVERSE_RF } else { 0 }
            }
            Node::Closure(a) => {
                let a = of(a);
                a | if a & COMMUNICATION == COMMUNICATION { CO_RF | FR_RF } else { 0 }
            }
            Node::Identity(set) => match core.node(*set) {
                Node::All(_) => ID,
                Node::Base(name, _) if &**name == "_" => ID,
                _ => 0,
            },
            Node::Product(a, b) => {
                let all = |id: &NodeId| match core.node(*id) {
                    Node::All(_) => true,
                    Node::Base(name, _) => &**name == "_",
                    _ => false,
                };
                if all(a) && all(b) { EVERYTHING } else { 0 }
            }
            Node::Domain(_) | Node::Range(_) => 0,
            // The first round starts from nothing, and later ones only add.
            Node::Fixpoint(group, variable, _) => {
                let group = &core.groups[*group as usize];
                if group.monotone { of(&group.bodies[*variable as usize]) } else { 0 }
            }
        });
    }
    parts
}

/// When the value of a node is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Before anything is chosen.
    Static,
    /// When every read has its write.
    ReadsFrom,
    /// When writes are ordered.
    Coherence,
}

/// The stage of a base set or relation. `fixed`: are all addresses known before anything is chosen?
fn base_stage(name: &str, fixed: bool) -> Stage {
    match name {
        "rf" => Stage::ReadsFrom,
        "loc" if !fixed => Stage::ReadsFrom,
        "co" | "FW" => Stage::Coherence,
        _ => Stage::Static,
    }
}

/// For each node: its stage, and whether it only grows with what is chosen.
pub fn stages(core: &Core, fixed: bool) -> Vec<(Stage, bool)> {
    let mut groups = vec![(Stage::Static, true); core.groups.len()];
    // A group is as late as its latest body; two rounds for the groups inside it.
    loop {
        let nodes = stages_of_nodes(core, fixed, &groups);
        let mut next = groups.clone();
        for (number, group) in core.groups.iter().enumerate() {
            let bodies = group.bodies.iter().map(|body| nodes[body.0 as usize]);
            let stage = bodies.clone().map(|(stage, _)| stage).max().unwrap_or(Stage::Static);
            let grows = stage == Stage::Static || (group.monotone && bodies.clone().all(|(_, grows)| grows));
            next[number] = (stage.max(groups[number].0), grows && groups[number].1);
        }
        if next == groups {
            return nodes;
        }
        groups = next;
    }
}

fn stages_of_nodes(core: &Core, fixed: bool, groups: &[(Stage, bool)]) -> Vec<(Stage, bool)> {
    let mut result: Vec<(Stage, bool)> = Vec::with_capacity(core.nodes.len());
    for node in &core.nodes {
        let of = |id: &NodeId| result.get(id.0 as usize).copied().unwrap_or((Stage::Static, true));
        let both = |a: &NodeId, b: &NodeId| {
            let (a, b) = (of(a), of(b));
            (a.0.max(b.0), a.1 && b.1)
        };
        result.push(match node {
            Node::Base(name, _) => (base_stage(name, fixed), &**name != "FW"),
            Node::Empty(_) | Node::All(_) => (Stage::Static, true),
            Node::Union(a, b) | Node::Intersection(a, b) | Node::Sequence(a, b) | Node::Product(a, b) => {
                both(a, b)
            }
            Node::Difference(a, b) => {
                let (stage, grows) = both(a, b);
                (stage, grows && of(b).0 == Stage::Static)
            }
            Node::Inverse(a) | Node::Closure(a) | Node::Identity(a) | Node::Domain(a) | Node::Range(a) => {
                of(a)
            }
            Node::Variable(group, ..) | Node::Fixpoint(group, ..) => groups[*group as usize],
        });
    }
    result
}
