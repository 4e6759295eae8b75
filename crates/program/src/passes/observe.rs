//! Observe everything that has a name.
//!
//! A program that says nothing about what it observes keeps `observed` empty, so that dead locals can
//! be forgotten and the state space stays small. Who lists outcomes without having been told of what
//! asks for all of it here.

use wattle_logic::Term;

use crate::{Dimension, Program};

/// Set `observed` to the locals of all threads (but for hidden ones), then the contents of all
/// memory. What belongs to a process with any number of copies is left out.
pub fn observe_everything(program: &mut Program) {
    let mut observed = Vec::new();
    for (number, process) in program.processes.iter().enumerate() {
        for copy in 0..process.replicas.count().unwrap_or(0) {
            for (local, info) in process.locals.iter().enumerate().filter(|(_, info)| !info.hidden) {
                let copy = Term::int(i64::from(copy));
                observed.push(Term::local_of(number as u32, copy, local as u32, info.sort));
            }
        }
    }
    for (number, variable) in program.variables.iter().enumerate() {
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Fixed(length) => *length,
            Dimension::Copies(process) => program.process(*process).replicas.count().unwrap_or(0),
        };
        let mut elements: Vec<Vec<Term>> = vec![vec![]];
        for length in variable.dimensions.iter().map(extent) {
            elements = (elements.iter())
                .flat_map(|indices| {
                    (0..length).map(move |index| {
                        let mut indices = indices.clone();
                        indices.push(Term::int(i64::from(index)));
                        indices
                    })
                })
                .collect();
        }
        let content = |indices| Term::content(Term::address(number as u32, indices), variable.sort);
        observed.extend(elements.into_iter().map(content));
    }
    program.observed = observed;
}
