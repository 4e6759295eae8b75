//! The capacities of buffers: by location, and by the names of the text, since locations have numbers only
//! once the program has a shape.

use std::collections::BTreeMap;

use wattle_program::{Program, Shape, Unsupported};
use wattle_source::did_you_mean;

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

    /// Why a name means nothing in this program. Of one whose shape is open, elements are not known.
    pub fn unknown(&self, program: &Program) -> Option<String> {
        let shape = Shape::new(program).ok();
        let locations = shape.iter().flat_map(|shape| {
            (0..shape.locations.len() as u32).map(|location| shape.location_name(program, location))
        });
        let variables = program.variables.iter().map(|variable| variable.name.to_string());
        let known: Vec<String> = variables.chain(locations).collect();
        let open = |name: &str| shape.is_none() && name.contains('[');
        let name = self.of.keys().find(|name| !known.contains(name) && !open(name))?;
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        Some(format!("there is no shared variable `{name}` to give room to{hint}"))
    }

    /// By location.
    pub(super) fn capacity(&self, program: &Program) -> Result<Capacity, Unsupported> {
        let shape = Shape::new(program).map_err(|error| Unsupported::new(error.to_string()))?;
        if let Some(why) = self.unknown(program) {
            return Err(Unsupported::new(why));
        }
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
            capacity.of.extend(meant.into_iter().map(|location| (location, *room)));
        }
        Ok(capacity)
    }
}
