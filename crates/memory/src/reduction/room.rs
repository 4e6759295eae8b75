//! The capacities of buffers: by location, and by the names of the text, since locations have numbers only
//! once the program has a shape.

use std::collections::BTreeMap;

use wattle_program::{Program, Shape, Unsupported};

use super::Rest;

/// The paper's k: how many stores a buffer holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    pub each: u32,
    /// Another number for the buffers of some locations (PSO only: under TSO a buffer belongs to no
    /// location).
    pub of: BTreeMap<u32, u32>,
    /// What becomes of a store that finds no room. `None`: it overflows.
    pub rest: Option<Rest>,
}

impl Capacity {
    pub fn all(each: u32) -> Capacity {
        Capacity { each, of: BTreeMap::new(), rest: None }
    }

    /// The capacity of a buffer for this location.
    pub fn at(&self, location: u32) -> u32 {
        self.of.get(&location).copied().unwrap_or(self.each)
    }
}

/// A number for all buffers, and others for those of some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub each: u32,
    /// By the name of a variable, all its elements included, or of one element: `flag`, `flag[1]`.
    pub of: BTreeMap<String, u32>,
    /// See [`Capacity::rest`].
    pub rest: Option<Rest>,
}

impl Room {
    pub fn all(each: u32) -> Room {
        Room { each, of: BTreeMap::new(), rest: None }
    }

    /// By location.
    pub(super) fn capacity(&self, program: &Program) -> Result<Capacity, Unsupported> {
        let shape = Shape::new(program).map_err(|error| Unsupported::new(error.to_string()))?;
        let mut capacity = Capacity { rest: self.rest, ..Capacity::all(self.each) };
        // Elements after the variables that they belong to, so that the number of an element overrides the
        // one of its variable.
        let (elements, variables): (Vec<_>, Vec<_>) =
            self.of.iter().partition(|(name, _)| name.contains('['));
        for (name, room) in variables.into_iter().chain(elements) {
            let mut meant: Vec<u32> = Vec::new();
            for (variable, declared) in (0..).zip(&program.variables) {
                let is_meant = |location: &u32| {
                    *declared.name == **name || shape.location_name(program, *location) == *name
                };
                meant.extend(shape.locations_of(variable).filter(is_meant));
            }
            if meant.is_empty() {
                let what = format!("there is no shared variable `{name}` to give room to");
                return Err(Unsupported::new(what));
            }
            capacity.of.extend(meant.into_iter().map(|location| (location, *room)));
        }
        Ok(capacity)
    }
}
