//! What every engine that works by axioms refuses.
//!
//! Axioms judge finished executions of a fixed number of threads: they know no memory in between, and an event is one access. So a step must be such that its events say what it does.

use std::sync::Arc;

use wattle_logic::{Fault, Kind, Term};
use wattle_memory::cat::Axioms;
use wattle_program::step::ANOTHER_SIZE;
use wattle_program::symbolic::formula::speaks_of_memory;
use wattle_program::{Edge, Mode, Op, Program, PropertyKind, Vocabulary, joint_step, op_terms};

use crate::{Property, Reason, Task, Unsupported};

/// The axioms of a task's model, if they can judge what the task asks.
pub fn axioms<'t>(task: &Task<'t>) -> Result<&'t Arc<Axioms>, Unsupported> {
    let program = task.program;
    task.shape()?;
    let Some(axioms) = &task.memory.axioms else {
        return Err(Unsupported::new(format!("{} has no axioms", task.memory.name)));
    };
    task.has_meaning()?;
    if let Some(joint) = joint_step(program) {
        return Err(Unsupported { what: format!("{}, under axioms", joint.what), ..joint });
    }
    // Whether threads are stuck is not said by the properties of the text.
    let stated = program.properties.iter().filter(|_| task.property == Property::Stated);
    for property in stated {
        if property.kind != PropertyKind::Finally && speaks_of_memory(&property.formula) {
            let what = "a property of all states that speaks of memory, under axioms".into();
            return Err(Unsupported { what, span: Some(property.span) });
        }
    }
    Ok(axioms)
}

/// Why a step without a result, in an execution that the axioms allow, is no violation. `None`: it is one.
///
/// Overflow is not the program's: its integers are unbounded, and wattle's are not. Assembly may compute an address
/// inside of a location, which is an access of another size than wattle knows.
pub fn no_violation(program: &Program, edge: &Edge, fault: Fault) -> Option<Reason> {
    let computed = |term: &Term| {
        let mut found = false;
        term.walk(&mut |term| found |= matches!(term.kind(), Kind::Pointer(_)));
        found
    };
    let what = "an address that is no whole location, in an execution that the axioms allow (out of bounds, or mixed \
                sizes)";
    match fault {
        Fault::Overflow => Some(Reason::Overflow),
        Fault::Inside => Some(inside(edge)),
        Fault::OutOfBounds if is_assembly(program) && edge.ops.iter().flat_map(op_terms).any(computed) => {
            Some(Reason::Unsupported(Unsupported { what: what.into(), span: Some(edge.origin.0) }))
        }
        _ => None,
    }
}

/// Why an access through a pointer into the middle of a location is no violation: wattle does not know what is there.
pub fn inside(edge: &Edge) -> Reason {
    Reason::Unsupported(Unsupported { what: ANOTHER_SIZE.into(), span: Some(edge.origin.0) })
}

/// Of a text in assembly, nobody says how large its objects are.
fn is_assembly(program: &Program) -> bool {
    program.is_litmus() && program.variables.iter().all(|variable| variable.place.is_none())
}

/// Are the accesses of each step such that its events say what it does? `sections`: the model, and whoever asks, know of
/// events that are one node of the order.
pub fn steps_are_events(program: &Program, sections: bool) -> Result<(), Unsupported> {
    for process in &program.processes {
        if process.cfg.point(process.cfg.entry).inside.is_some() {
            // No step enters it, so nobody would know that it has begun.
            let what = "a thread that begins inside an atomic section, under axioms".into();
            return Err(Unsupported { what, span: Some(process.span) });
        }
        for point in &process.cfg.points {
            let refused = match point.inside {
                None => continue,
                Some(Mode::Locked) if sections => continue,
                Some(Mode::Locked) => "an atomic section of several steps under axioms",
                Some(_) => "an atomic section whose stores are buffered, under axioms",
            };
            return Err(Unsupported { what: refused.into(), span: Some(point.origin.0) });
        }
        process.cfg.edges.iter().try_for_each(|edge| step_is_events(program, edge, sections))?;
    }
    Ok(())
}

fn step_is_events(program: &Program, edge: &Edge, sections: bool) -> Result<(), Unsupported> {
    let refuse = |what: &str| Err(Unsupported { what: what.into(), span: Some(edge.origin.0) });
    let mut addresses: Vec<&Term> = Vec::new();
    let (mut loads, mut stores) = (0, 0);
    let mut late = false;
    for op in &edge.ops {
        match op {
            Op::Load { address, .. } | Op::LoadExclusive { address, .. } => {
                late |= stores > 0;
                loads += 1;
                addresses.push(address);
            }
            Op::Store { address, .. } | Op::StoreConditional { address, .. } => {
                stores += 1;
                addresses.push(address);
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
                return refuse("remote operations under axioms");
            }
            _ => {}
        }
    }
    let alone = addresses.len() <= 1;
    let pair = loads <= 1 && stores <= 1 && addresses.windows(2).all(|pair| pair[0] == pair[1]);
    // A read after the write of the same step would have no choice, and no event says so.
    let pair = pair && !(late && loads + stores > 1);
    let fits = match edge.mode {
        Mode::Locked => pair || sections,
        Mode::Buffered => alone,
        Mode::Plain => alone || program.vocabulary != Vocabulary::Generic,
    };
    if fits { Ok(()) } else { refuse("an atomic step on several locations under axioms") }
}
