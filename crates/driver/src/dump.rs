//! `--dump`: what wattle made of the text.

use wattle_engine::{Property, Run, Task};
use wattle_engine_bmc as bmc;
use wattle_engine_extrapolate::{self as extrapolate, Extrapolate};
use wattle_memory::MemoryModel;
use wattle_memory::reduction::{self, Room};
use wattle_program::{Program, passes};

use crate::adapt::adapt;
use crate::engines::Settings;
use crate::{Input, Refused, load};

pub use bmc::Dump as Unrolling;
pub use extrapolate::Dump as Abstraction;

pub fn of_input(input: &Input) -> Result<String, Refused> {
    load(input).map(|loaded| program(&loaded.parsed.program))
}

/// The printed form, which `--lang wir` reads again.
pub fn program(program: &Program) -> String {
    wattle_program::text::print(program)
}

/// The unrolling that engine bmc makes of it under a model. The inner result is why there is none.
pub fn unrolled(
    input: &Input,
    memory: &MemoryModel,
    settings: &Settings,
    view: Unrolling,
) -> Result<Result<String, String>, Refused> {
    let loaded = load(input)?;
    let settings = match settings.placed(&loaded) {
        Ok(settings) => settings,
        Err(why) => return Ok(Err(why)),
    };
    Ok(adapt(&loaded.parsed.program, memory).map_err(|why| why.to_string()).and_then(|program| {
        let program = passes::forget_dead(&program.program);
        let task = Task { program: &program, memory, property: Property::Stated };
        bmc::dump(&settings.bmc, &task, view).map_err(|why| why.to_string())
    }))
}

/// What engine extrapolate begins with under a model. The inner result is why there is nothing.
pub fn abstracted(
    input: &Input,
    memory: &MemoryModel,
    settings: &Settings,
    run: &Run,
    view: Abstraction,
) -> Result<Result<String, String>, Refused> {
    let loaded = load(input)?;
    let engine = Extrapolate { smt: settings.smt.clone(), ..settings.extrapolate.clone() };
    Ok(adapt(&loaded.parsed.program, memory).map_err(|why| why.to_string()).and_then(|program| {
        let program = passes::forget_dead(&program.program);
        let task = Task { program: &program, memory, property: Property::Stated };
        engine.dump(&task, run, view).map_err(|why| why.to_string())
    }))
}

/// The program with the store buffers of a model written into it, to be run under sc (`--emit reduced`).
pub fn reduced(input: &Input, memory: &MemoryModel, room: &Room) -> Result<Result<String, String>, Refused> {
    let loaded = load(input)?;
    let Some(reduction) = memory.machine.and_then(reduction::of) else {
        return Ok(Err(format!("{} has no store buffers", memory.name)));
    };
    Ok(adapt(&loaded.parsed.program, memory).map_err(|why| why.to_string()).and_then(|adapted| {
        let reduced = reduction.reduce_within(&adapted.program, room).map_err(|why| why.to_string())?;
        Ok(program(&reduced.program))
    }))
}
