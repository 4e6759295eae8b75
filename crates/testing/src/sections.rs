//! Atomic sections of several steps, which random programs do not have by themselves.

use wattle_generate::Rng;
use wattle_logic::Kind;
use wattle_program::{Mode, Program};

/// The program with some points marked as inside a section, where nothing else moves: not the first one, not
/// an end, and none that a property names. Edges into a locked section are locked.
pub fn with_sections(program: &Program, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut named: Vec<(u32, u32)> = Vec::new();
    for property in &program.properties {
        property.formula.walk(&mut |term| {
            if let Kind::At { process, point, .. } = term.kind() {
                named.push((*process, *point));
            }
        });
    }
    let mut marked = program.clone();
    for (number, process) in (0..).zip(&mut marked.processes) {
        let entry = process.cfg.entry;
        for (point, info) in (0..).zip(&mut process.cfg.points) {
            let fits = point != entry.0 && !info.end && !named.contains(&(number, point));
            if fits && info.inside.is_none() && rng.chance(300) {
                info.inside = Some(if rng.chance(500) { Mode::Locked } else { Mode::Buffered });
            }
        }
        let (points, edges) = (&process.cfg.points, &mut process.cfg.edges);
        for edge in edges.iter_mut().filter(|edge| points[edge.to.0 as usize].inside == Some(Mode::Locked)) {
            edge.mode = Mode::Locked;
        }
    }
    marked
}
