//! Cube extrapolation with fewer literals.

use wattle_logic::{Kind, Term};
use wattle_program::Program;
use wattle_proving::Literals;

/// Without what is said of buffered values (section 6.3). The paper takes these literals out of the cubes
/// of the finished program, where nothing checks what is left; here they are taken out of the candidates,
/// and the solver is asked about what is left. `program`: as it was before the reduction.
pub(crate) fn without_buffers(program: &Program, cubes: Vec<Literals>) -> Vec<Literals> {
    let locals =
        |process: u32| program.processes.get(process as usize).map_or(0, |it| it.locals.len() as u32);
    let is_buffered = |predicate: &Term| {
        let mut found = false;
        predicate.walk(&mut |term| {
            if let Kind::LocalOf { process, local, .. } = term.kind() {
                found |= *local >= locals(*process);
            }
        });
        found
    };
    let mut kept: Vec<Literals> = Vec::new();
    for cube in cubes {
        let cube: Literals = cube.into_iter().filter(|(term, _)| !is_buffered(term)).collect();
        if cube.len() > 1 && !kept.contains(&cube) {
            kept.push(cube);
        }
    }
    kept
}
