//! What holds for one copy of a thread holds for the others.
//!
//! A trace that is not real shows what is missing for the threads in the order in which it happened to run
//! them; the same trace with the copies exchanged would come next. So a predicate that refinement finds
//! comes with its images under exchanges of copies: their locals change places, and so do elements of
//! arrays that have as many elements as there are copies. Where that is not a symmetry of the program, the
//! image is a predicate like any other, and does no harm but for its cost.

use wattle_logic::{Kind, Term, Value};
use wattle_program::{Program, Shape};

/// The images of a predicate under all exchanges of two copies.
pub(crate) fn images(program: &Program, shape: &Shape, predicate: &Term) -> Vec<Term> {
    let mut images = Vec::new();
    for process in program.process_ids() {
        let copies = shape.copies_of(process);
        let first = shape.thread(process, 0).0;
        for one in 0..copies {
            for other in one + 1..copies {
                let exchange = Exchange { program, shape, first, copies, one, other };
                let image = exchange.term(predicate);
                if image != *predicate && !images.contains(&image) {
                    images.push(image);
                }
            }
        }
    }
    images
}

struct Exchange<'a> {
    program: &'a Program,
    shape: &'a Shape,
    first: u32,
    copies: u32,
    one: u32,
    other: u32,
}

impl Exchange<'_> {
    fn copy(&self, copy: u32) -> u32 {
        match copy {
            copy if copy == self.one => self.other,
            copy if copy == self.other => self.one,
            copy => copy,
        }
    }

    fn term(&self, predicate: &Term) -> Term {
        predicate.map(&mut |term| match term.kind() {
            Kind::LocalOf { process, copy, local }
                if (self.first..self.first + self.copies).contains(process) =>
            {
                let process = self.first + self.copy(process - self.first);
                Term::local_of(process, copy.clone(), *local, term.sort())
            }
            Kind::Address { variable, indices } if self.is_by_copy(*variable) => {
                let index = |index: &Term| match index.as_value() {
                    Some(Value::Int(value)) => {
                        let value = u32::try_from(*value).map_or(*value, |value| i64::from(self.copy(value)));
                        Term::int(value)
                    }
                    _ => index.clone(),
                };
                Term::address(*variable, indices.iter().map(index).collect())
            }
            _ => term,
        })
    }

    /// One element for each copy? (A reduced program has a variable more: it is of nobody.)
    fn is_by_copy(&self, variable: u32) -> bool {
        (variable as usize) < self.program.variables.len() && self.shape.extents(variable) == [self.copies]
    }
}
