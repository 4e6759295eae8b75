//! The cubes that the search begins with: what must not be reached.
//!
//! All reads of `unsafe` happen at one instant, each by the process that it names: one node of ghb-equal events, in
//! which every process that reads has an event.

use crate::cube::{Cube, Node};
use crate::knowledge::Knowledge;
use crate::literal::{Literal, Renaming};
use crate::pre::placements;
use crate::system::{Bad, System};

/// With the number of the part of `bad`.
pub(crate) fn bad_cubes(system: &System) -> Vec<(usize, Cube)> {
    let bad = system.bad.iter().enumerate();
    bad.flat_map(|(i, bad)| cubes(system, bad).into_iter().map(move |cube| (i, cube))).collect()
}

fn cubes(system: &System, bad: &Bad) -> Vec<Cube> {
    let mut result = vec![];
    for (pins, arguments) in placements(&[], bad.parameters, &bad.fixed) {
        // New names are given in order, so that there is one way for proper parameters.
        if system.count.is_some_and(|count| pins.len() > usize::from(count)) {
            continue;
        }
        let mut process = |parameter| arguments[usize::from(parameter)];
        let mut renaming = Renaming { process: &mut process, node: &mut |_| 0 };
        let literals: Vec<Literal> = bad.literals.iter().map(|literal| renaming.literal(literal)).collect();
        let Some(known) = Knowledge::new(system, &pins, literals.iter()) else { continue };
        let (literals, _) = known.literals(system, &|_| true);
        let reads = literals.iter().flat_map(Literal::terms).filter(|term| term.is_read());
        let events = reads.fold(0u32, |events, term| events | 1 << term.by);
        let node = Node { after: 1, events, ..Node::default() };
        let nodes = if events == 0 { vec![] } else { vec![node] };
        let cube = Cube { pins, literals, nodes, universals: vec![] };
        result.push(cube.tidy(false).0);
    }
    result
}
