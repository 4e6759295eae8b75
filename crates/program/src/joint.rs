//! Joint steps: what only parameterised systems have, and most parts of wattle do not handle.
//!
//! A transition of such a system sees memory in the middle of a formula ([`Kind::Seen`]), stores to several locations
//! that become visible together ([`Op::Together`]), keeps state outside the store buffers (`Variable::unbuffered`) and names
//! copies (sort process). Reference machine, exploration and backward search know what that means. Every other
//! engine, reduction and set of axioms asks [`joint_step`] first and refuses by the name that it gives.

use wattle_logic::{Kind, Sort, Term};
use wattle_source::Span;

use crate::{Op, Program, Unsupported, op_terms};

/// The first construct of a joint step in a program, if there is one.
pub fn joint_step(program: &Program) -> Option<Unsupported> {
    let found = |what: &str, span: Span| {
        Some(Unsupported { what: what.into(), span: (!span.is_nowhere()).then_some(span) })
    };
    for variable in &program.variables {
        if variable.unbuffered {
            return found("a variable outside the store buffers", variable.span);
        }
        if variable.sort == Sort::Process {
            return found("a variable that names a copy", variable.span);
        }
    }
    for process in &program.processes {
        if process.locals.iter().any(|local| local.sort == Sort::Process) {
            return found("a local that names a copy", process.span);
        }
        for edge in &process.cfg.edges {
            for op in &edge.ops {
                if matches!(op, Op::Together { .. }) {
                    return found("stores that become visible together", edge.origin.0);
                }
                if op_terms(op).into_iter().any(sees) {
                    return found("what a copy would load now, in the middle of a step", edge.origin.0);
                }
            }
        }
    }
    for property in &program.properties {
        if sees(&property.formula) {
            return found("what a copy would load now", property.span);
        }
    }
    let others = program.state_formulas().chain(&program.predicates);
    others.into_iter().any(sees).then(|| Unsupported::new("what a copy would load now"))
}

fn sees(term: &Term) -> bool {
    let mut sees = false;
    term.walk(&mut |node| {
        sees |= matches!(node.kind(), Kind::Seen { .. }) || node.sort() == Sort::Process;
    });
    sees
}
