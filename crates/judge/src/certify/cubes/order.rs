//! The order of events around a step, by the rules of tso, on an explicit graph.
//!
//! Each thing that a cube says to come before an instant is an event of that kind with an edge to it. A step adds its own event (and one for its
//! fence, where it only writes), edges to those later events that program order, coherence and from-read put after it, and edges
//! from and to instants as its stores satisfy them or not. The closure must have no cycle, and says what comes before each instant then.

use std::collections::BTreeSet;

use wattle_engine::certificate::cubes::{Cell, Instant};

/// What the event of a step is.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub(super) by: u32,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) fence: bool,
    /// Cells that it reads, if their value matters.
    pub(super) read: BTreeSet<Cell>,
    /// Cells that it writes for certain.
    pub(super) written: BTreeSet<Cell>,
    pub(super) arrays: BTreeSet<u32>,
    /// Instants that it comes before, and those that come before it.
    pub(super) before: Vec<usize>,
    pub(super) after: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Instant,
    Any(u32),
    Drain(u32),
    Write(Cell),
    WriteAll(u32),
    /// The step itself, and its fence.
    New,
}

/// The instants after the step is put before them, its own as the last; `None`: there is a cycle.
pub(super) fn extended(instants: &[Instant], event: &Event) -> Option<Vec<Instant>> {
    let mut kinds = vec![Kind::Instant; instants.len()];
    let mut edges: Vec<(usize, usize)> = vec![];
    for (number, instant) in instants.iter().enumerate() {
        edges.extend(
            instant.after.iter().map(|other| *other as usize).filter(|o| *o != number).map(|o| (o, number)),
        );
        let doors = (instant.events.iter().map(|process| Kind::Any(*process)))
            .chain(instant.drains.iter().map(|process| Kind::Drain(*process)))
            .chain(instant.cells.iter().map(|cell| Kind::Write(cell.clone())))
            .chain(instant.arrays.iter().map(|array| Kind::WriteAll(*array)));
        for door in doors {
            edges.push((kinds.len(), number));
            kinds.push(door);
        }
    }
    let step = kinds.len();
    kinds.push(Kind::New);
    let locked = event.reads && event.writes;
    let alone = event.fence && event.writes && !event.reads;
    let drains = locked || (event.fence && !alone);
    for (later, kind) in kinds.iter().enumerate() {
        let ordered = match kind {
            Kind::Any(process) => *process == event.by && (event.reads || drains),
            Kind::Drain(process) => *process == event.by,
            Kind::Write(cell) => {
                event.read.contains(cell)
                    || event.written.contains(cell)
                    || event.arrays.contains(&cell.variable)
            }
            Kind::WriteAll(array) => {
                let touches = |cells: &BTreeSet<Cell>| cells.iter().any(|cell| cell.variable == *array);
                touches(&event.read) || touches(&event.written) || event.arrays.contains(array)
            }
            Kind::Instant | Kind::New => false,
        };
        if ordered {
            edges.push((step, later));
        }
    }
    edges.extend(event.before.iter().map(|instant| (step, *instant)));
    edges.extend(event.after.iter().map(|instant| (*instant, step)));
    let fence = kinds.len();
    if alone {
        let own = |kind: &Kind| matches!(kind, Kind::Any(p) | Kind::Drain(p) if *p == event.by);
        edges.extend(kinds.iter().enumerate().filter(|(_, kind)| own(kind)).map(|(later, _)| (fence, later)));
        edges.push((fence, step));
        kinds.push(Kind::New);
    }
    let reaches = closure(kinds.len(), &edges);
    if (0..kinds.len()).any(|i| reaches[i][i]) {
        return None;
    }
    let mut result = vec![];
    for target in (0..instants.len()).chain([step]) {
        let mut instant = Instant::default();
        for (number, kind) in kinds.iter().enumerate().filter(|(n, _)| *n == target || reaches[*n][target]) {
            match kind {
                Kind::Instant => instant.after.push(number as u32),
                Kind::Any(process) => instant.events.push(*process),
                Kind::Drain(process) => instant.drains.push(*process),
                Kind::Write(cell) => instant.cells.push(cell.clone()),
                Kind::WriteAll(array) => instant.arrays.push(*array),
                Kind::New if number == step => {
                    instant.after.push(instants.len() as u32);
                    instant.events.push(event.by);
                    instant.drains.extend((drains || event.writes).then_some(event.by));
                    instant.cells.extend(event.written.iter().cloned());
                    instant.arrays.extend(&event.arrays);
                }
                Kind::New => {
                    instant.events.push(event.by);
                    instant.drains.push(event.by);
                }
            }
        }
        result.push(instant);
    }
    Some(result)
}

fn closure(size: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reaches = vec![vec![false; size]; size];
    edges.iter().for_each(|(a, b)| reaches[*a][*b] = true);
    for via in 0..size {
        let through = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            row.iter_mut().zip(&through).for_each(|(to, also)| *to |= also);
        }
    }
    reaches
}

/// Is everything that `small` says of what comes before it (in terms of `place`) also said of `large`?
pub(super) fn is_less(small: &Instant, place: &[usize], large: &Instant) -> bool {
    let placed = |process: &u32| place[*process as usize] as u32;
    small.events.iter().all(|process| large.events.contains(&placed(process)))
        && small.drains.iter().all(|process| large.drains.contains(&placed(process)))
        && small.arrays.iter().all(|array| large.arrays.contains(array))
        && small.cells.iter().all(|cell| {
            let indices = cell.indices.iter().map(placed).collect();
            large.arrays.contains(&cell.variable)
                || large.cells.contains(&Cell { variable: cell.variable, indices })
        })
}
