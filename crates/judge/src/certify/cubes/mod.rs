//! The checker of proofs by backward reachability.
//!
//! Three claims, each for any number of processes: every bad state is in a cube; no initial state is; and whenever a step leads into a
//! cube, the state before is in a cube. What a step does is read off the program's own edges here, and what a set of states implies is
//! asked of the solver; no code of an engine takes part.
//!
//! * `overtaking`: which programs such a proof says nothing about.
//! * `parts`: what the proof and the program name. `formula`: formulas about a few processes, for the solver. `saying`: what a cube says of them.
//! * `checker`: the claims, each as situations that some cube must cover. `cover`: whether one does.
//! * `undone`: a step into a cube, for every choice of who takes it (processes of the cube, or others; where the text fixes a number, `#1`, whoever
//!   has it is chosen too). `effect`: what it stores. `event`, `order`: where it is among the events that follow, by the rules of tso.
//!
//! Universal guards are instantiated for the processes at hand, which allows more than there is. A cube may also say something of all
//! processes outside it: then it covers a state if that follows for one, or two, that nothing is known of but what guards and facts say
//! of all.

mod checker;
mod cover;
mod effect;
mod event;
mod formula;
mod order;
mod overtaking;
mod parts;
mod saying;
mod undone;

use wattle_engine::certificate::CubeProof;
use wattle_engine::certificate::cubes::Cube;
use wattle_engine::{Halt, Run, Task};
use wattle_memory::Machine;
use wattle_program::{Instance, Program, PropertyKind, Replicas, Shape};
use wattle_smt::Library;

use super::wrong;
use checker::Checker;
use cover::Cover;
use formula::unsupported;
use parts::{constants, numbered, well_formed};

/// How many cubes were checked, and pre-images of them.
pub(super) fn cubes(
    task: &Task<'_>,
    proof: &CubeProof,
    library: &Library,
    run: &Run,
) -> Result<(u64, u64), Halt> {
    let buffers = match task.memory.machine {
        Some(Machine::Sc { .. }) => false,
        Some(Machine::Tso) => true,
        _ => return Err(wrong("it is about sc or tso")),
    };
    let program = task.program;
    let [process] = &program.processes[..] else { return Err(wrong("it is about one process")) };
    let count = process.replicas.count();
    if proof.any != count.is_none() {
        return Err(wrong("it is not about the number of processes that there are"));
    }
    if buffers && overtaking::may_overtake(program) {
        return unsupported(
            "stores that overtake others against what processes see of each other's private state",
        )
        .map_err(Halt::from);
    }
    let starts = starts(program, run)?;
    well_formed(program, proof, buffers)?;
    let cover = Cover::new(program, count, proof, library, run)?;
    let constants = constants(program);
    let mut checker = Checker { program, buffers, numbered: numbered(program), constants, cover, steps: 0 };
    // Where the machine cannot list initial states: is there one with as few processes as there may be?
    let anybody = Cube { numbers: vec![None; count.unwrap_or(1) as usize], ..Cube::default() };
    if !starts && !checker.starts_in(&anybody)? {
        return Err(super::nothing_to_start_from());
    }
    for property in &program.properties {
        let holds = match property.kind {
            PropertyKind::Forbid => true,
            PropertyKind::Always => false,
            PropertyKind::Finally => return Err(wrong("it says nothing of final states")),
        };
        if !checker.bad(&property.formula, holds)? {
            return Err(wrong("a bad state is in no cube"));
        }
    }
    for (number, cube) in proof.cubes.iter().enumerate() {
        if checker.starts_in(cube)? {
            return Err(wrong(format!("cube {number} contains an initial state")));
        }
        for edge in &process.cfg.edges {
            if !checker.closed(cube, edge)? {
                return Err(wrong(format!("a step leads into cube {number} from a state in no cube")));
            }
        }
    }
    Ok((proof.cubes.len() as u64, checker.steps))
}

/// Is there an initial state, with one or two copies? `false`: not known.
fn starts(program: &Program, run: &Run) -> Result<bool, Halt> {
    let mut known = true;
    for copies in 1..=2 {
        let any = program.process_ids().filter(|process| program.process(*process).replicas == Replicas::Any);
        let instance = Instance(any.map(|process| (process, copies)).collect());
        let Ok(program) = instance.of(program) else { continue };
        let Ok(shape) = Shape::new(&program) else { continue };
        run.poll(super::START, wattle_engine::Spent::default())?;
        match wattle_memory::operational::initial_states(&program, &shape) {
            Ok(mut states) => {
                if states.any(|state| matches!(state, Ok(Some(_)))) {
                    return Ok(true);
                }
            }
            Err(_) => known = false,
        }
    }
    match known {
        true => Err(super::nothing_to_start_from()),
        // Integers without a range can have any value.
        false => Ok(program.init.is_none()),
    }
}
