//! What a cube says, of processes that have a place: its literals, and instances of its facts.

use wattle_engine::certificate::cubes::{Cube, Fact, Read};
use wattle_logic::{Kind, Symbol, Term};

use super::formula::Key;

/// A formula whose processes and reads have a place.
#[derive(Clone, Debug)]
pub(super) struct Saying<'c> {
    pub(super) formula: &'c Term,
    /// What `Bound(i)` is.
    pub(super) bound: Vec<(u32, usize)>,
    /// What `Local(i)` is.
    pub(super) reads: Vec<ReadAt>,
}

#[derive(Clone, Debug)]
pub(super) struct ReadAt {
    pub(super) instant: usize,
    pub(super) by: usize,
    pub(super) variable: u32,
    pub(super) indices: Vec<usize>,
}

impl ReadAt {
    pub(super) fn placed(read: &Read, places: &[usize], instants: &[usize]) -> ReadAt {
        let place = |process: &u32| places[*process as usize];
        ReadAt {
            instant: instants[read.instant as usize],
            by: place(&read.by),
            variable: read.cell.variable,
            indices: read.cell.indices.iter().map(place).collect(),
        }
    }

    pub(super) fn key(&self) -> Key {
        Key::Read(self.instant, self.by, self.variable, self.indices.clone())
    }
}

impl Saying<'_> {
    /// The cells whose contents it speaks of.
    pub(super) fn contents(&self) -> Vec<(u32, Vec<usize>)> {
        let mut cells = vec![];
        self.formula.walk(&mut |term| {
            if let Kind::Content(address) = term.kind()
                && let Kind::Address { variable, indices } = address.kind()
            {
                let place = |index: &Term| match index.kind() {
                    Kind::Symbol(Symbol::Bound(bound)) => self
                        .bound
                        .iter()
                        .find(|(other, _)| other == bound)
                        .map_or(usize::MAX, |(_, place)| *place),
                    _ => usize::MAX,
                };
                cells.push((*variable, indices.iter().map(place).collect()));
            }
        });
        cells
    }
}

fn saying<'c>(formula: &'c Term, reads: &[Read], places: &[usize], instants: &[usize]) -> Saying<'c> {
    Saying {
        formula,
        bound: places.iter().enumerate().map(|(i, place)| (i as u32, *place)).collect(),
        reads: reads.iter().map(|read| ReadAt::placed(read, places, instants)).collect(),
    }
}

/// The literals of a cube whose processes have these places, and its instants those.
pub(super) fn literals<'c>(cube: &'c Cube, places: &[usize], instants: &[usize]) -> Vec<Saying<'c>> {
    cube.literals.iter().map(|literal| saying(literal, &cube.reads, places, instants)).collect()
}

/// The instances of its facts for places below `known` and all of the `outside` places after them.
pub(super) fn facts<'c>(
    cube: &'c Cube,
    places: &[usize],
    instants: &[usize],
    known: usize,
    outside: usize,
) -> Vec<Saying<'c>> {
    let mut sayings = vec![];
    for fact in &cube.facts {
        for choice in choices(fact, places, known, outside) {
            let places = [places, &choice[..]].concat();
            sayings.push(saying(&fact.body, &fact.reads, &places, instants));
        }
    }
    sayings
}

/// Distinct places, none of those that are excepted, at least one that is none of the cube's, and every one that is outside.
fn choices(fact: &Fact, places: &[usize], known: usize, outside: usize) -> Vec<Vec<usize>> {
    let excepted = |place: usize| fact.except.iter().any(|process| places[*process as usize] == place);
    let mut choices: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..fact.bound {
        choices = (choices.iter())
            .flat_map(|head| {
                (0..known + outside)
                    .filter(|place| !head.contains(place) && !excepted(*place))
                    .map(|place| [&head[..], &[place]].concat())
            })
            .collect();
    }
    choices.retain(|choice| {
        choice.iter().any(|place| !places.contains(place))
            && (known..known + outside).all(|place| choice.contains(&place))
    });
    choices
}
