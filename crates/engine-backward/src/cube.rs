//! Cubes: the sets of states that the search works on.
//!
//! A cube says that there are distinct processes that satisfy some literals, and keeps what is needed of the events that
//! happened after the states it describes. The paper keeps those events as literals (`Rd`, `Wr`, `fence`, `ghb`, …) and
//! asks a solver for their coherence. Here the graph is reduced at once to what can still matter:
//!
//! **Which events matter.** Events are added backwards, so every edge of ghb that is added later leads from a new event to
//! an old one (program order, coherence, from-read), with one exception: an *unsatisfied read* that does not take its value
//! from a new write comes before that write. Every cycle that closes later therefore leaves the old events by an unsatisfied
//! read `r`, and comes back to an old event that is ghb-before `r` or `r` itself. Of the old events other than unsatisfied
//! reads it is enough to know through which *doors* a path from a new event can come to `r`:
//!
//! * a read or fence of process p leads to all later events of p: there is a door if any event of p is before `r`;
//! * a write of p leads to all later writes, fences and locked events of p: a door if any of those is before `r`;
//! * an access to a cell leads to all later writes of that cell (coherence, from-read): a door if one is before `r`.
//!
//! Nothing else about old events can order anything, and a read whose value nobody asks about is satisfied by whatever it
//! finds. So a cube has a [`Node`] for each group of unsatisfied reads that happen at one instant (the quotient by
//! ghb-equal), the order between nodes as a bit matrix that is closed, and the doors of each node. No event is kept for ever,
//! there is no limit of events, and the relation is the same whatever names events had: the first write of a
//! cell and the first read, write or fence of a process are the doors' own definition.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::knowledge::Knowledge;
use crate::literal::{BOUND, Cell, Literal, Process, Renaming};
use crate::system::{System, Universal};

/// Processes and nodes are bits of a word.
pub(crate) const MOST: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Cube {
    /// One for each process: its number, if that is fixed.
    pub(crate) pins: Vec<Option<u8>>,
    /// As [`Knowledge::literals`] gives them.
    pub(crate) literals: Vec<Literal>,
    pub(crate) nodes: Vec<Node>,
    /// What held of all processes that are not in the cube.
    pub(crate) universals: Vec<Universal>,
}

/// Unsatisfied reads at one instant; the literals say which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Node {
    /// The nodes that are ghb-before it or itself.
    pub(crate) after: u32,
    /// Processes with an event before it or in it.
    pub(crate) events: u32,
    /// Those whose event is a write, a fence or locked.
    pub(crate) drains: u32,
    /// Cells that were written before it or in it.
    pub(crate) cells: Vec<Cell>,
    /// Arrays all of whose cells were.
    pub(crate) arrays: Vec<u16>,
}

impl Node {
    /// Does an access to the cell come before this node?
    pub(crate) fn is_after(&self, cell: Cell) -> bool {
        self.cells.binary_search(&cell).is_ok() || self.arrays.contains(&cell.variable)
    }

    /// What is before `other` is before this too.
    pub(crate) fn join(&mut self, other: &Node) {
        self.events |= other.events;
        self.drains |= other.drains;
        union(&mut self.cells, &other.cells);
        union(&mut self.arrays, &other.arrays);
    }

    /// Are the doors of this node among those of the other?
    fn fewer_doors(&self, other: &Node) -> bool {
        self.arrays.iter().all(|array| other.arrays.contains(array))
            && self.cells.iter().all(|cell| other.is_after(*cell))
            && self.events & !other.events == 0
            && self.drains & !other.drains == 0
    }
}

fn union<T: Ord + Copy>(into: &mut Vec<T>, from: &[T]) {
    into.extend_from_slice(from);
    into.sort_unstable();
    into.dedup();
}

fn renamed_bits(bits: u32, mut rename: impl FnMut(u8) -> u8) -> u32 {
    (0..MOST as u8).filter(|i| bits >> i & 1 == 1).fold(0, |result, i| result | 1 << rename(i))
}

impl Cube {
    pub(crate) fn processes(&self) -> usize {
        self.pins.len()
    }

    pub(crate) fn knowledge(&self, system: &System) -> Option<Knowledge> {
        Knowledge::new(system, &self.pins, self.literals.iter())
    }

    /// Literals, also those inside universal facts.
    pub(crate) fn all_literals(&self) -> impl Iterator<Item = &Literal> {
        self.literals.iter().chain(self.universals.iter().flat_map(|u| u.body.iter().flatten()))
    }

    /// Without nodes that no read belongs to and processes that nothing names (unless all are to be kept); then with names that do not depend on how the
    /// cube came about. Gives the old name of each process.
    pub(crate) fn tidy(mut self, keep: bool) -> (Cube, Vec<Process>) {
        self.drop_satisfied();
        let order = self.order(keep);
        let mut place = [0; MOST];
        for (new, old) in order.iter().enumerate() {
            place[usize::from(*old)] = new as Process;
        }
        let cube = self.renamed(&order, &place);
        (cube, order)
    }

    fn drop_satisfied(&mut self) {
        let mut alive = 0u32;
        for term in self.all_literals().flat_map(Literal::terms).filter(|term| term.is_read()) {
            alive |= 1 << term.node;
        }
        if alive.count_ones() as usize == self.nodes.len() {
            return;
        }
        let place = |old: u8| (alive & ((1u32 << old) - 1)).count_ones() as u8;
        let mut index = 0;
        self.nodes.retain(|_| {
            index += 1;
            alive >> (index - 1) & 1 == 1
        });
        for node in &mut self.nodes {
            node.after = renamed_bits(node.after & alive, place);
        }
        let mut renaming = Renaming { process: &mut |process| process, node: &mut |node| place(node) };
        let universal = self.universals.iter_mut().flat_map(|u| u.body.iter_mut().flatten());
        for literal in self.literals.iter_mut().chain(universal) {
            *literal = renaming.literal(literal);
        }
    }

    /// The processes that are named, in an order that renaming does not change (unless too many look the same).
    fn order(&self, keep: bool) -> Vec<Process> {
        let mut named = 0u32;
        for process in self.all_literals().flat_map(Literal::processes).filter(|process| *process < BOUND) {
            named |= 1 << process;
        }
        for node in &self.nodes {
            named |= node.events | node.drains;
            for index in node.cells.iter().flat_map(Cell::indices) {
                named |= 1 << index;
            }
        }
        // A fact about all other processes must not come to speak of one that was there, and must speak of all that were.
        if keep {
            named = ((1u64 << self.pins.len()) - 1) as u32;
        }
        let mut looks: Vec<(u64, Process)> = (0..self.pins.len() as Process)
            .filter(|process| named >> process & 1 == 1)
            .map(|process| (0, process))
            .collect();
        for _ in 0..2 {
            let mut known = [0; MOST];
            looks.iter().for_each(|(look, process)| known[usize::from(*process)] = *look);
            for (look, process) in &mut looks {
                *look = self.look(*process, &known);
            }
        }
        looks.sort_unstable();
        self.least(&looks)
    }

    /// A hash of what is said about a process, in terms of what others look like.
    fn look(&self, process: Process, known: &[u64; MOST]) -> u64 {
        let blank = |literal: &Literal, seen: &mut u64| {
            let mut position = 0u64;
            let mut here = 0u64;
            let mut rename = |other: Process| {
                position += 1;
                if other == process {
                    here |= 1 << position;
                } else if other < BOUND {
                    *seen = seen.wrapping_mul(31).wrapping_add(known[usize::from(other)]);
                }
                if other < BOUND { 0 } else { other }
            };
            let blank = Renaming { process: &mut rename, node: &mut |_| 0 }.literal(literal);
            (blank, here)
        };
        let mut parts: Vec<u64> = vec![];
        for literal in self.all_literals() {
            if literal.processes().any(|other| other == process) {
                let mut seen = 0;
                let part = blank(literal, &mut seen);
                parts.push(hashed(&(part, seen)));
            }
        }
        for node in &self.nodes {
            let here = node.cells.iter().filter(|cell| cell.indices().any(|index| index == process));
            let mut cells: Vec<u16> = here.map(|cell| cell.variable).collect();
            cells.sort_unstable();
            parts.push(hashed(&(node.events >> process & 1, node.drains >> process & 1, cells)));
        }
        parts.sort_unstable();
        hashed(&(self.pins[usize::from(process)], parts))
    }

    /// Of the orders of processes that look the same, the one that gives the least cube.
    fn least(&self, looks: &[(u64, Process)]) -> Vec<Process> {
        let order: Vec<Process> = looks.iter().map(|(_, process)| *process).collect();
        let groups: Vec<&[(u64, Process)]> = looks.chunk_by(|a, b| a.0 == b.0).collect();
        let count: usize = groups.iter().map(|group| (1..=group.len().min(8)).product::<usize>()).product();
        if count == 1 || count > 24 {
            return order;
        }
        let mut orders = vec![vec![]];
        for group in groups {
            let members: Vec<Process> = group.iter().map(|(_, process)| *process).collect();
            let permuted = permutations(&members);
            orders = (orders.iter())
                .flat_map(|head| permuted.iter().map(move |tail| [head.clone(), tail.clone()].concat()))
                .collect();
        }
        let least = orders.into_iter().map(|order| {
            let mut place = [0; MOST];
            for (new, old) in order.iter().enumerate() {
                place[usize::from(*old)] = new as Process;
            }
            (self.renamed(&order, &place), order)
        });
        least.min().map_or(order, |(_, order)| order)
    }

    fn renamed(&self, order: &[Process], place: &[Process; MOST]) -> Cube {
        let rename = |process: Process| if process < BOUND { place[usize::from(process)] } else { process };
        let pins: Vec<Option<u8>> = order.iter().map(|old| self.pins[usize::from(*old)]).collect();
        let mut nodes = self.nodes.clone();
        for node in &mut nodes {
            node.events = renamed_bits(node.events, rename);
            node.drains = renamed_bits(node.drains, rename);
            node.cells.iter_mut().for_each(|cell| *cell = cell.rename(&mut { rename }));
            node.cells.sort_unstable();
        }
        // Nodes by what they read, then by their doors.
        let mut reads: Vec<Vec<Literal>> = vec![vec![]; nodes.len()];
        for literal in self.all_literals() {
            for node in literal.terms().filter(|term| term.is_read()).map(|term| term.node) {
                let alone = &mut |other: u8| u8::from(other != node);
                let mut renaming = Renaming { process: &mut { rename }, node: alone };
                reads[usize::from(node)].push(renaming.literal(literal));
            }
        }
        let mut by: Vec<u8> = (0..nodes.len() as u8).collect();
        reads.iter_mut().for_each(|reads| reads.sort_unstable());
        let doors = |i: usize| {
            let node: &Node = &nodes[i];
            (node.after.count_ones(), node.events, node.drains, &node.cells, &node.arrays)
        };
        by.sort_by(|a, b| {
            let (a, b) = (usize::from(*a), usize::from(*b));
            reads[a].cmp(&reads[b]).then_with(|| doors(a).cmp(&doors(b)))
        });
        let mut node_place = [0; MOST];
        for (new, old) in by.iter().enumerate() {
            node_place[usize::from(*old)] = new as u8;
        }
        let node = |old: u8| node_place[usize::from(old)];
        let mut sorted: Vec<Node> = by.iter().map(|old| nodes[usize::from(*old)].clone()).collect();
        sorted.iter_mut().for_each(|n| n.after = renamed_bits(n.after, node));
        let mut renaming = Renaming { process: &mut { rename }, node: &mut { node } };
        let mut literals: Vec<Literal> =
            self.literals.iter().map(|literal| renaming.literal(literal)).collect();
        literals.sort_unstable();
        let mut universals: Vec<Universal> =
            self.universals.iter().map(|universal| universal.renamed(&mut renaming)).collect();
        universals.sort_unstable();
        universals.dedup();
        Cube { pins, literals, nodes: sorted, universals }
    }

    /// A filter: if this cube includes another, the bits are among those of the other.
    pub(crate) fn features(&self) -> u128 {
        let mut features = 0;
        for term in self.literals.iter().flat_map(Literal::terms) {
            features |= 1 << ((term.cell.variable as u32 * 2 + u32::from(term.is_read())) % 61);
        }
        for literal in &self.literals {
            match literal {
                Literal::Before(..) => features |= 1 << 61,
                // Whoever knows more knows the same constructor.
                Literal::In(term, mask) if mask.is_power_of_two() => {
                    let kind = term.cell.variable as u32 * 2 + u32::from(term.is_read());
                    features |= 1 << (64 + (kind * 7 + mask.trailing_zeros()) % 64);
                }
                _ => {}
            }
        }
        if !self.universals.is_empty() {
            features |= 1 << 62;
        }
        features
    }
}

impl Universal {
    pub(crate) fn renamed(&self, renaming: &mut Renaming<'_>) -> Universal {
        let mut except: Vec<Process> = self.except.iter().map(|process| renaming.process(*process)).collect();
        except.sort_unstable();
        let mut body: Vec<Vec<Literal>> = (self.body.iter())
            .map(|conjunction| {
                let mut renamed: Vec<Literal> =
                    conjunction.iter().map(|literal| renaming.literal(literal)).collect();
                renamed.sort_unstable();
                renamed
            })
            .collect();
        body.sort_unstable();
        Universal { bound: self.bound, except, body }
    }

    /// The body for given processes.
    pub(crate) fn instance(&self, bound: &[Process]) -> Vec<Vec<Literal>> {
        let mut process = |process: Process| match process.checked_sub(BOUND) {
            Some(i) => bound[usize::from(i)],
            None => process,
        };
        let mut renaming = Renaming { process: &mut process, node: &mut |node| node };
        let body = self.body.iter();
        body.map(|conjunction| conjunction.iter().map(|literal| renaming.literal(literal)).collect())
            .collect()
    }

    /// All choices for the bound variables among the first `count` processes, distinct and none of `except`, with at least one
    /// that is `wanted`.
    pub(crate) fn choices(&self, count: usize, wanted: &dyn Fn(Process) -> bool) -> Vec<Vec<Process>> {
        let mut choices: Vec<Vec<Process>> = vec![vec![]];
        for _ in 0..self.bound {
            choices = (choices.iter())
                .flat_map(|head| {
                    (0..count as Process)
                        .filter(|process| !head.contains(process) && !self.except.contains(process))
                        .map(|process| [&head[..], &[process]].concat())
                })
                .collect();
        }
        choices.retain(|choice| choice.iter().any(|process| wanted(*process)));
        choices
    }
}

fn hashed(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn permutations(members: &[Process]) -> Vec<Vec<Process>> {
    if members.is_empty() {
        return vec![vec![]];
    }
    let mut result = vec![];
    for (i, first) in members.iter().enumerate() {
        let rest = [&members[..i], &members[i + 1..]].concat();
        result.extend(permutations(&rest).into_iter().map(|tail| [&[*first], &tail[..]].concat()));
    }
    result
}

/// For [`embed`](crate::embed): a node of the smaller cube with its processes renamed.
pub(crate) fn doors_fit(small: &Node, place: &[Process], large: &Node) -> bool {
    let rename = |process: Process| place[usize::from(process)];
    let renamed = Node {
        after: 0,
        events: renamed_bits(small.events, rename),
        drains: renamed_bits(small.drains, rename),
        cells: small.cells.iter().map(|cell| cell.rename(&mut { rename })).collect(),
        arrays: small.arrays.clone(),
    };
    renamed.fewer_doors(large)
}
