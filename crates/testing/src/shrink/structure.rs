//! Fewer properties, edges and operations, and plainer ones.

use wattle_logic::Term;
use wattle_program::{Edge, Init, Mode, Op, Point, Program, Role};

pub(super) fn simpler_graphs(program: &Program) -> impl Iterator<Item = Program> {
    declarations(program)
        .chain(without_edges(program))
        .chain(plainer_edges(program))
        .chain(plainer_points(program))
}

fn changed(program: &Program, change: impl FnOnce(&mut Program)) -> Program {
    let mut result = program.clone();
    change(&mut result);
    result
}

/// Properties, observed terms, filter, ranges, initial values.
fn declarations(program: &Program) -> impl Iterator<Item = Program> {
    let mut result = Vec::new();
    for number in 0..program.properties.len() {
        result.push(changed(program, |one| drop(one.properties.remove(number))));
    }
    result.push(changed(program, |one| one.condition = None));
    result.push(changed(program, |one| one.observed.clear()));
    for number in 0..program.observed.len() {
        result.push(changed(program, |one| drop(one.observed.remove(number))));
    }
    result.push(changed(program, |one| one.filter = None));
    result.push(changed(program, |one| one.init = None));
    for (number, variable) in program.variables.iter().enumerate() {
        let zero = Init::Values(vec![Term::value(variable.sort.zero(), variable.sort)]);
        result.push(changed(program, |one| one.variables[number].range = None));
        result.push(changed(program, |one| one.variables[number].init = zero));
    }
    for (process, info) in program.processes.iter().enumerate() {
        for (number, local) in info.locals.iter().enumerate() {
            let zero = Init::Values(vec![Term::value(local.sort.zero(), local.sort)]);
            result.push(changed(program, |one| one.processes[process].locals[number].range = None));
            result.push(changed(program, |one| one.processes[process].locals[number].init = zero));
        }
    }
    result.into_iter()
}

/// All (process, edge) pairs.
fn edges(program: &Program) -> impl Iterator<Item = (usize, usize)> {
    (program.processes.iter().enumerate())
        .flat_map(|(process, info)| (0..info.cfg.edges.len()).map(move |edge| (process, edge)))
}

fn without_edges(program: &Program) -> impl Iterator<Item = Program> {
    let bypassed = edges(program).filter_map(|(process, edge)| bypass(program, process, edge));
    let removed = edges(program)
        .map(|(process, edge)| changed(program, |one| drop(one.processes[process].cfg.edges.remove(edge))));
    bypassed.chain(removed)
}

/// Let the edge vanish together with the point before it, if it is the only one to leave it.
fn bypass(program: &Program, process: usize, number: usize) -> Option<Program> {
    let cfg = &program.processes[process].cfg;
    let Edge { from, to, .. } = cfg.edges[number];
    if from == to || cfg.leaving(from).count() != 1 {
        return None;
    }
    Some(changed(program, |one| {
        let cfg = &mut one.processes[process].cfg;
        cfg.edges.remove(number);
        for edge in cfg.edges.iter_mut().filter(|edge| edge.to == from) {
            edge.to = to;
        }
        if cfg.entry == from {
            cfg.entry = to;
        }
    }))
}

fn plainer_edges(program: &Program) -> impl Iterator<Item = Program> {
    edges(program).flat_map(move |(process, number)| {
        let edge = &program.processes[process].cfg.edges[number];
        let change = |change: &dyn Fn(&mut Edge)| {
            changed(program, |one| change(&mut one.processes[process].cfg.edges[number]))
        };
        let mut result = Vec::new();
        for op in 0..edge.ops.len() {
            result.push(change(&|edge| drop(edge.ops.remove(op))));
        }
        result.push(change(&|edge| edge.guard = Term::bool(true)));
        result.push(change(&|edge| edge.mode = Mode::Plain));
        result.push(change(&|edge| edge.role = Role::Step));
        result.push(change(&|edge| {
            for op in &mut edge.ops {
                if let Op::Load { tags, .. } | Op::Store { tags, .. } = op {
                    tags.clear();
                }
            }
        }));
        result.into_iter()
    })
}

fn plainer_points(program: &Program) -> impl Iterator<Item = Program> {
    let points = (program.processes.iter().enumerate()).flat_map(|(process, info)| {
        (0..info.cfg.points.len()).map(move |point| (process, Point(point as u32)))
    });
    points.flat_map(move |(process, point)| {
        let info = |one: &Program| one.processes[process].cfg.point(point).clone();
        let set = |new: wattle_program::PointInfo| {
            changed(program, |one| one.processes[process].cfg.points[point.0 as usize] = new)
        };
        let old = info(program);
        let plain = wattle_program::PointInfo { labels: vec![], inside: None, ..old.clone() };
        [
            set(plain),
            set(wattle_program::PointInfo { labels: vec![], ..old.clone() }),
            set(wattle_program::PointInfo { inside: None, ..old }),
        ]
        .into_iter()
    })
}
