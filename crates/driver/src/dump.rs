//! `--dump`: what wattle made of the text.

use wattle_engine::{Property, Run};
use wattle_engine_bmc as bmc;
use wattle_engine_extrapolate::{self as extrapolate, Extrapolate};
use wattle_memory::MemoryModel;
use wattle_memory::reduction::{self, Room};
use wattle_program::text::print;

use crate::engines::Settings;
use crate::prepare::after;
use crate::{Goal, Input, Refused, load, prepare};

pub use bmc::Dump as Unrolling;
pub use extrapolate::Dump as Abstraction;

/// Why there is nothing to show.
#[derive(Debug)]
pub enum Nothing {
    /// The text is not a program.
    Refused(Refused),
    /// It is one, but not for this model or for the engine whose view was asked for.
    Because(String),
}

impl From<Refused> for Nothing {
    fn from(refused: Refused) -> Nothing {
        Nothing::Refused(refused)
    }
}

fn because(why: impl ToString) -> Nothing {
    Nothing::Because(why.to_string())
}

/// The program after a pass of [`crate::PASSES`], in the printed form, which `--lang wir` reads again.
pub fn after_pass(input: &Input, memory: &MemoryModel, pass: &str) -> Result<String, Nothing> {
    let loaded = load(input)?;
    let program =
        after(pass, &loaded, memory).ok_or_else(|| because(format!("no pass is called `{pass}`")))?;
    program.map(|program| print(&program)).map_err(because)
}

/// The unrolling that engine bmc makes of it under a model.
pub fn unrolled(
    input: &Input,
    memory: &MemoryModel,
    settings: &Settings,
    view: Unrolling,
) -> Result<String, Nothing> {
    let loaded = load(input)?;
    let settings = settings.placed(&loaded).map_err(because)?;
    let prepared = prepare(&loaded, memory, Goal::Verdict).map_err(because)?;
    bmc::dump(&settings.bmc, &prepared.task(Property::Stated), view).map_err(because)
}

/// What engine extrapolate begins with under a model.
pub fn abstracted(
    input: &Input,
    memory: &MemoryModel,
    settings: &Settings,
    run: &Run,
    view: Abstraction,
) -> Result<String, Nothing> {
    let loaded = load(input)?;
    let engine = Extrapolate { smt: settings.smt.clone(), ..settings.extrapolate.clone() };
    let prepared = prepare(&loaded, memory, Goal::Verdict).map_err(because)?;
    engine.dump(&prepared.task(Property::Stated), run, view).map_err(because)
}

/// The program with the store buffers of a model written into it, to be run under sc (`--emit reduced`).
pub fn reduced(input: &Input, memory: &MemoryModel, room: &Room) -> Result<String, Nothing> {
    let loaded = load(input)?;
    let without = || because(format!("{} has no store buffers", memory.name));
    let reduction = memory.machine.and_then(reduction::of).ok_or_else(without)?;
    let prepared = prepare(&loaded, memory, Goal::Verdict).map_err(because)?;
    let reduced = reduction.reduce_within(prepared.written(), room).map_err(because)?;
    Ok(print(&reduced.program))
}
