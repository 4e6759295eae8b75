//! Fewer processes, copies, variables, locals and points: what is left gets new numbers.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Sort, Symbol, Term};
use wattle_program::{Dimension, EdgeId, Init, Op, Point, Process, ProcessId, Program, Replicas};

use super::terms::map_terms;

pub(super) fn smaller_worlds(program: &Program) -> impl Iterator<Item = Program> {
    let processes = program.process_ids().filter_map(|process| without_process(program, process));
    let copies = program.process_ids().filter_map(|process| fewer_copies(program, process));
    let variables =
        (0..program.variables.len() as u32).filter_map(|number| without_variable(program, number));
    let locals = program.process_ids().flat_map(move |process| {
        let count = program.process(process).locals.len() as u32;
        (0..count).filter_map(move |local| without_local(program, process, local))
    });
    let points = program.process_ids().filter_map(|process| without_unreachable(program, process));
    processes.chain(copies).chain(points).chain(variables).chain(locals)
}

/// Does the term speak of the process?
fn names(term: &Term, wanted: u32) -> bool {
    let mut found = false;
    term.walk(&mut |node| {
        found |= match node.kind() {
            Kind::At { process, .. }
            | Kind::Ended { process, .. }
            | Kind::LocalOf { process, .. }
            | Kind::Quantified { process, .. }
            | Kind::Symbol(Symbol::Copies(process)) => *process == wanted,
            _ => false,
        };
    });
    found
}

fn without_process(program: &Program, gone: ProcessId) -> Option<Program> {
    if program.processes.len() == 1 {
        return None;
    }
    let needed = program.variables.iter().any(|variable| {
        variable.owner == Some(gone) || variable.dimensions.contains(&Dimension::Copies(gone))
    });
    if needed {
        return None;
    }
    let mut result = program.clone();
    result.processes.remove(gone.0 as usize);
    result.properties.retain(|property| !names(&property.formula, gone.0));
    result.observed.retain(|term| !names(term, gone.0));
    result.condition = result.condition.filter(|condition| !names(&condition.formula, gone.0));
    result.filter = result.filter.filter(|term| !names(term, gone.0));
    result.init = result.init.filter(|term| !names(term, gone.0));
    let shift = |process: u32| if process > gone.0 { process - 1 } else { process };
    for variable in &mut result.variables {
        variable.owner = variable.owner.map(|owner| ProcessId(shift(owner.0)));
        for dimension in &mut variable.dimensions {
            if let Dimension::Copies(process) = dimension {
                process.0 = shift(process.0);
            }
        }
    }
    for edge in result.processes.iter_mut().flat_map(|process| &mut process.cfg.edges) {
        edge.ops.retain(|op| !matches!(op, Op::Flush { process, .. } if *process == gone));
        for op in &mut edge.ops {
            if let Op::Flush { process, .. } | Op::Spawn { process, .. } | Op::Join { process, .. } = op {
                process.0 = shift(process.0);
            }
        }
    }
    Some(map_terms(&result, &mut |term| {
        term.map(&mut |node| match node.kind() {
            Kind::At { process, copy, point } => Term::at(shift(*process), copy.clone(), *point),
            Kind::Ended { process, copy } => Term::ended(shift(*process), copy.clone()),
            Kind::LocalOf { process, copy, local } => {
                Term::local_of(shift(*process), copy.clone(), *local, node.sort())
            }
            Kind::Quantified { quantifier, bound, process, body } => {
                Term::quantified(*quantifier, *bound, shift(*process), body.clone())
            }
            Kind::Symbol(Symbol::Copies(process)) => Term::copies(shift(*process)),
            _ => node,
        })
    }))
}

fn fewer_copies(program: &Program, process: ProcessId) -> Option<Program> {
    let mut result = program.clone();
    let info = &mut result.processes[process.0 as usize];
    info.replicas = match info.replicas {
        Replicas::Exactly(count) if count > 1 => Replicas::Exactly(count - 1),
        Replicas::Exactly(_) => Replicas::Once,
        _ => return None,
    };
    Some(result)
}

fn without_variable(program: &Program, gone: u32) -> Option<Program> {
    let mut used = false;
    map_terms(program, &mut |term| {
        term.walk(&mut |node| {
            used |= matches!(node.kind(), Kind::Address { variable, .. } if *variable == gone)
                // Addresses that are values count locations.
                || (node.sort() == Sort::Address && node.as_value().is_some());
        });
        term.clone()
    });
    if used {
        return None;
    }
    let mut result = program.clone();
    result.variables.remove(gone as usize);
    Some(map_terms(&result, &mut |term| {
        term.map(&mut |node| match node.kind() {
            Kind::Address { variable, indices } if *variable > gone => {
                Term::address(variable - 1, indices.clone())
            }
            _ => node,
        })
    }))
}

fn without_local(program: &Program, process: ProcessId, gone: u32) -> Option<Program> {
    let own = |term: &Term| term.locals().contains(&gone);
    let info = program.process(process);
    let used = info.cfg.edges.iter().any(|edge| {
        own(&edge.guard)
            || edge
                .ops
                .iter()
                .any(|op| op.sets() == Some(gone) || wattle_program::op_terms(op).into_iter().any(own))
    });
    let mut named = false;
    program.state_formulas().chain(&program.init).for_each(|term| {
        term.walk(&mut |node| {
            named |= matches!(node.kind(), Kind::LocalOf { process: other, local, .. }
                if *other == process.0 && *local == gone);
        });
    });
    if used || named {
        return None;
    }
    let shift = |local: u32| if local > gone { local - 1 } else { local };
    let mut result = map_terms(program, &mut |term| {
        term.map(&mut |node| match node.kind() {
            Kind::LocalOf { process: other, copy, local } if *other == process.0 => {
                Term::local_of(*other, copy.clone(), shift(*local), node.sort())
            }
            _ => node,
        })
    });
    let rename = |term: &Term| {
        term.map(&mut |node| match node.kind() {
            Kind::Symbol(Symbol::Local(local)) => Term::local(shift(*local), node.sort()),
            _ => node,
        })
    };
    let info = &mut result.processes[process.0 as usize];
    info.locals.remove(gone as usize);
    for edge in &mut info.cfg.edges {
        edge.guard = rename(&edge.guard);
        for op in &mut edge.ops {
            *op = op.map_terms(&mut |term| rename(term));
            if let Op::Load { into: local, .. }
            | Op::LoadExclusive { into: local, .. }
            | Op::StoreConditional { success: local, .. }
            | Op::Assign { local, .. }
            | Op::Havoc { local, .. }
            | Op::Forget { local } = op
            {
                *local = shift(*local);
            }
        }
    }
    Some(result)
}

/// Drop points that no edges lead to, unless a formula names them.
fn without_unreachable(program: &Program, process: ProcessId) -> Option<Program> {
    let info = program.process(process);
    let mut kept = reachable(info);
    program.state_formulas().for_each(|term| {
        term.walk(&mut |node| {
            if let Kind::At { process: other, point, .. } = node.kind()
                && *other == process.0
            {
                kept.insert(Point(*point));
            }
        });
    });
    if kept.len() == info.cfg.points.len() {
        return None;
    }
    let number = |point: Point| Point(kept.iter().take_while(|other| **other < point).count() as u32);
    let mut result = map_terms(program, &mut |term| {
        term.map(&mut |node| match node.kind() {
            Kind::At { process: other, copy, point } if *other == process.0 => {
                Term::at(*other, copy.clone(), number(Point(*point)).0)
            }
            _ => node,
        })
    });
    let cfg = &mut result.processes[process.0 as usize].cfg;
    cfg.edges.retain(|edge| kept.contains(&edge.from) && kept.contains(&edge.to));
    for edge in &mut cfg.edges {
        (edge.from, edge.to) = (number(edge.from), number(edge.to));
    }
    cfg.points = kept.iter().map(|point| info.cfg.point(*point).clone()).collect();
    cfg.entry = number(cfg.entry);
    Some(result)
}

fn reachable(process: &Process) -> BTreeSet<Point> {
    let mut found = BTreeSet::from([process.cfg.entry]);
    let mut open = vec![process.cfg.entry];
    while let Some(point) = open.pop() {
        let next = process.cfg.leaving(point).map(|edge: EdgeId| process.cfg.edge(edge).to);
        open.extend(next.filter(|to| found.insert(*to)));
    }
    found
}

/// Initial values are terms too.
pub(super) fn initial_terms(init: &mut Init) -> &mut [Term] {
    match init {
        Init::Values(values) => values,
        Init::Any => &mut [],
    }
}
