//! What is asked of an unrolling. (Assertions only, for now.)

use wattle_engine::{Reason, Unsupported, Violation};
use wattle_program::symbolic::Expr;
use wattle_program::{Program, Shape};

use crate::structure::Structure;

pub(crate) struct Asked {
    pub violations: Vec<(Violation, Expr)>,
    pub failures: Vec<(Reason, Expr)>,
    /// All threads have ended, as the filter allows.
    pub ends: Expr,
}

pub(crate) fn ask(
    program: &Program,
    _shape: &Shape,
    structure: &mut Structure<'_>,
) -> Result<Asked, Unsupported> {
    if !program.properties.is_empty() {
        return Err(Unsupported::new("properties that are no assertions"));
    }
    let violations = structure.assertions.iter().map(|failure| {
        let step = &structure.steps[failure.step as usize];
        let (thread, edge) = (step.thread, step.edge);
        (Violation::Assertion { thread, edge, op: failure.op.unwrap_or(0) }, failure.when)
    });
    let violations = violations.collect();
    let mut ends = structure.arena.constant(1);
    for thread in &structure.threads {
        let ended = match thread.ended {
            Some(ended) => ended,
            None => structure.arena.constant(0),
        };
        ends = structure.arena.binary(wattle_logic::Binary::And, wattle_logic::Sort::Bool, ends, ended);
    }
    Ok(Asked { violations, failures: vec![], ends })
}
