//! How much room buffers have, in the words of the text: locations have numbers only once there is a shape.

use std::collections::BTreeMap;

use wattle_program::{Program, Shape};

use super::{Capacity, Discipline, Refused};

/// A number for all buffers, and others for those of some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub each: u32,
    /// By the name of a variable, all its elements included, or of one element: `flag`, `flag[1]`.
    pub of: BTreeMap<String, u32>,
}

impl Room {
    pub fn all(each: u32) -> Room {
        Room { each, of: BTreeMap::new() }
    }

    pub fn capacity(&self, program: &Program, discipline: Discipline) -> Result<Capacity, Refused> {
        let refused = |what: String| Refused { what, span: None };
        if let (Discipline::Tso, Some(name)) = (discipline, self.of.keys().next()) {
            return Err(refused(format!("under tso a buffer belongs to a thread, not to `{name}`")));
        }
        let shape = Shape::new(program).map_err(|error| refused(error.to_string()))?;
        let mut capacity = Capacity::all(self.each);
        // Elements after the variables that they belong to, so that the closer word counts.
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
                return Err(refused(format!("there is no shared variable `{name}` to give room to")));
            }
            capacity.of.extend(meant.into_iter().map(|location| (location, *room)));
        }
        Ok(capacity)
    }
}
