//! Take jumps out of a graph and number its points in the order of the text.
//!
//! A `goto`, `break` or `continue`, the end of an empty block and a declaration without a value are
//! edges that do nothing. A point whose only way on is such an edge, and which nobody can name, is
//! not worth a state: whoever goes there goes on at once.

use wattle_program::{Cfg, Mode, Point};

pub(crate) fn tidy(cfg: &mut Cfg) {
    let onward = onward(cfg);
    let resolve = |mut point: Point| {
        // A ring of jumps alone would not end; none is longer than the graph.
        for _ in 0..onward.len() {
            match onward[point.0 as usize] {
                Some(next) => point = next,
                None => break,
            }
        }
        point
    };
    cfg.entry = resolve(cfg.entry);
    let gone = |point: Point| onward[point.0 as usize].is_some();
    cfg.edges.retain(|edge| !gone(edge.from));
    for edge in &mut cfg.edges {
        edge.to = resolve(edge.to);
    }
    renumber(cfg);
}

/// Where each superfluous point leads.
fn onward(cfg: &Cfg) -> Vec<Option<Point>> {
    let mut leaving = vec![0_u32; cfg.points.len()];
    for edge in &cfg.edges {
        leaving[edge.from.0 as usize] += 1;
    }
    let mut onward = vec![None; cfg.points.len()];
    for edge in &cfg.edges {
        let info = cfg.point(edge.from);
        let nameless =
            info.labels.is_empty() && info.origin.0.is_nowhere() && info.inside.is_none() && !info.end;
        let jump = edge.guard.is_true() && edge.ops.is_empty() && edge.mode == Mode::Plain;
        if nameless && jump && leaving[edge.from.0 as usize] == 1 && edge.to != edge.from {
            onward[edge.from.0 as usize] = Some(edge.to);
        }
    }
    onward
}

fn renumber(cfg: &mut Cfg) {
    let mut numbers: Vec<Option<Point>> = vec![None; cfg.points.len()];
    let mut points = Vec::new();
    let mut keep = |point: Point, infos: &[wattle_program::PointInfo]| {
        *numbers[point.0 as usize].get_or_insert_with(|| {
            points.push(infos[point.0 as usize].clone());
            Point(points.len() as u32 - 1)
        })
    };
    cfg.entry = keep(cfg.entry, &cfg.points);
    for edge in &mut cfg.edges {
        edge.from = keep(edge.from, &cfg.points);
        edge.to = keep(edge.to, &cfg.points);
    }
    // Labels in a text with errors may stand nowhere; the end may be out of reach. Both have names.
    for number in 0..cfg.points.len() {
        if cfg.points[number].end || !cfg.points[number].labels.is_empty() {
            keep(Point(number as u32), &cfg.points);
        }
    }
    cfg.points = points;
}
