//! The engines, their choice, and `engines`: who accepts a file, who refuses it and why.

use std::collections::BTreeSet;
use std::path::PathBuf;

use wattle_engine::{Engine, Property, Task};
use wattle_engine_backward::Backward;
use wattle_engine_bmc::{Bmc, loop_heads};
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::Extrapolate;
use wattle_engine_refine::Refine;
use wattle_memory::{Machine, MemoryModel, reduction};
use wattle_program::Shape;
use wattle_smt::Library;
use wattle_source::{Span, did_you_mean};

use crate::{Goal, Input, Loaded, Refused, load, prepare};

/// Each engine's own options, side by side. Engines are built from it; nothing else reads it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub engines: Registry,
    pub explore: Explore,
    pub bmc: Bmc,
    /// How often the loops that begin on these lines may go round (engine bmc).
    pub loop_lines: Vec<(u32, u32)>,
    pub enumerate: Enumerate,
    pub extrapolate: Extrapolate,
    pub refine: Refine,
    pub backward: Backward,
    /// How many engines may work at the same time; 0 is 1. (`explore` has workers of its own, where it is alone.)
    pub threads: usize,
    /// Where Z3 may be, for engines that use it.
    pub smt: Vec<PathBuf>,
}

impl Settings {
    /// With lines turned into places of a text. `Err`: no loop begins on some line.
    pub(crate) fn placed(&self, loaded: &Loaded) -> Result<Settings, String> {
        let mut settings = self.clone();
        let (sources, program) = (&loaded.sources, &loaded.parsed.program);
        let loops: BTreeSet<(u32, Span)> = (program.processes.iter())
            .flat_map(|process| {
                loop_heads(&process.cfg).into_iter().map(|head| process.cfg.point(head).origin.0)
            })
            .filter(|span| !span.is_nowhere())
            .map(|span| (sources.start(span).line, span))
            .collect();
        for (line, rounds) in &self.loop_lines {
            let here: Vec<Span> =
                loops.iter().filter(|(other, _)| other == line).map(|(_, span)| *span).collect();
            if here.is_empty() {
                let mut lines: Vec<String> = loops.iter().map(|(line, _)| line.to_string()).collect();
                lines.dedup();
                return Err(match lines.is_empty() {
                    true => format!("no loop begins on line {line}: the program has none"),
                    false => format!("no loop begins on line {line}, but on {}", lines.join(", ")),
                });
            }
            settings.bmc.loops.extend(here.into_iter().map(|span| (span, *rounds)));
        }
        Ok(settings)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    pub name: &'static str,
    pub summary: &'static str,
    /// May it answer such a question under such a model, whatever the program is?
    pub answers: fn(&MemoryModel, Property) -> bool,
    pub build: fn(&Settings) -> Box<dyn Engine>,
}

/// The engines to choose among: those of wattle, unless a test brings its own.
#[derive(Clone, Copy, Debug)]
pub struct Registry(pub &'static [Constructor]);

impl Default for Registry {
    fn default() -> Registry {
        Registry(&ENGINES)
    }
}

/// In the order in which they are tried.
pub static ENGINES: [Constructor; 6] = [
    Constructor {
        name: "explore",
        summary: "visits every reachable state of an operational machine; finite programs",
        answers: |model, _| model.machine.is_some(),
        build: |settings| Box::new(settings.explore.clone()),
    },
    Constructor {
        name: "extrapolate",
        summary: "proves by predicates, under sc first and then with store buffers or remote operations; unbounded integers",
        answers: |model, property| {
            let reduced = model.machine.is_some_and(|machine| reduction::of(machine).is_some());
            let machine = reduced || matches!(model.machine, Some(Machine::Sc { .. }));
            machine && property == Property::Stated
        },
        build: |settings| Box::new(Extrapolate { smt: settings.smt.clone(), ..settings.extrapolate.clone() }),
    },
    Constructor {
        name: "refine",
        summary: "proves by predicates with abstract store buffers; unbounded integers and buffers of any length",
        answers: |model, property| {
            let machine = matches!(model.machine, Some(Machine::Sc { .. } | Machine::Tso | Machine::Pso));
            machine && property == Property::Stated
        },
        build: |settings| Box::new(Refine { smt: settings.smt.clone(), ..settings.refine.clone() }),
    },
    Constructor {
        name: "backward",
        summary: "goes back from what must not be reached, over sets of states of any number of processes; parameterised systems (.cub)",
        answers: |model, property| {
            let machine = matches!(model.machine, Some(Machine::Sc { .. } | Machine::Tso));
            machine && property == Property::Stated
        },
        build: |settings| Box::new(settings.backward.clone()),
    },
    Constructor {
        name: "bmc",
        summary: "asks a solver for a violation under a model's axioms; loops are unrolled more and more",
        answers: |model, _| model.axioms.is_some(),
        build: |settings| Box::new(settings.bmc.clone()),
    },
    Constructor {
        name: "enumerate",
        summary: "lists every execution that a model's axioms allow; loops are unrolled",
        answers: |model, property| model.axioms.is_some() && property == Property::Stated,
        build: |settings| Box::new(settings.enumerate.clone()),
    },
];

/// The engines that would take the task, were Z3 there, and what to do about it: what a weaker answer is owed to.
pub(crate) fn without_solver(
    engines: &[Box<dyn Engine>],
    task: &Task<'_>,
    settings: &Settings,
) -> Option<String> {
    let missing = Library::find(&settings.smt).err()?;
    // An engine asks for its solver last, after everything else suits it.
    let lacks =
        |engine: &dyn Engine| matches!(engine.accepts(task), Err(why) if why.what == missing.to_string());
    let names: Vec<&str> =
        engines.iter().map(AsRef::as_ref).filter(|engine| lacks(*engine)).map(Engine::name).collect();
    let (last, others) = names.split_last()?;
    let names = match others {
        [] => format!("engine {last}"),
        _ => format!("engines {} and {last}", others.join(", ")),
    };
    Some(format!("{names} could not take part: {}", missing.advice()))
}

/// Is there an engine of the name that was asked for?
pub fn is_known(only: Option<&str>, settings: &Settings) -> Result<(), String> {
    let names = || settings.engines.0.iter().map(|engine| engine.name);
    match only {
        Some(name) if !names().any(|known| known == name) => Err(match did_you_mean(name, names()) {
            Some(hint) => format!("unknown engine `{name}`: {hint}"),
            None => format!("unknown engine `{name}` (known: {})", names().collect::<Vec<_>>().join(", ")),
        }),
        _ => Ok(()),
    }
}

/// The engines to try, in order: the one that was asked for, or all.
pub fn choose(only: Option<&str>, settings: &Settings) -> Result<Vec<Box<dyn Engine>>, String> {
    is_known(only, settings)?;
    let mut settings = settings.clone();
    // Which of several violations is found first depends on the number of workers of `explore`. Where engines work side by
    // side, the answer must not depend on it, and threads are for engines.
    if only.is_none() {
        settings.explore.threads = 1;
        settings.backward.threads = 1;
    }
    let wanted = settings.engines.0.iter().filter(|engine| only.is_none_or(|name| engine.name == name));
    Ok(wanted.map(|engine| (engine.build)(&settings)).collect())
}

/// The engines that can list all final states.
pub fn listing() -> Vec<&'static str> {
    let lists = |engine: &&Constructor| (engine.build)(&Settings::default()).lists().is_some();
    ENGINES.iter().filter(lists).map(|engine| engine.name).collect()
}

/// Can the engine that was asked for list all final states?
pub fn lists(only: Option<&str>) -> Result<(), String> {
    let Some(name) = only else { return Ok(()) };
    let listing = listing();
    match listing.contains(&name) {
        true => Ok(()),
        false => Err(format!("engine {name} does not list final states; {} do", listing.join(" and "))),
    }
}

/// Is there a variable for each name that has room in a buffer of its own?
pub fn has_room_for(settings: &Settings, loaded: &Loaded, memory: &MemoryModel) -> Result<(), String> {
    let Some(reduction) = memory.machine.and_then(reduction::of) else { return Ok(()) };
    let program = &loaded.parsed.program;
    names_are_known(settings, loaded)?;
    match &settings.extrapolate.buffer {
        Some(room) if Shape::new(program).is_ok() => {
            reduction.capacity(program, room).map(|_| ()).map_err(|why| format!("--buffer: {}", why.what))
        }
        _ => Ok(()),
    }
}

/// The same, whatever the model.
pub(crate) fn names_are_known(settings: &Settings, loaded: &Loaded) -> Result<(), String> {
    let room = settings.extrapolate.buffer.as_ref();
    match room.and_then(|room| room.unknown(&loaded.parsed.program)) {
        Some(why) => Err(format!("--buffer: {why}")),
        None => Ok(()),
    }
}

/// What one engine says to one task.
#[derive(Clone, Debug)]
pub struct Acceptance {
    pub engine: &'static str,
    pub summary: &'static str,
    /// `Err`: why not.
    pub accepts: Result<(), String>,
}

pub fn acceptances(
    input: &Input,
    memory: &MemoryModel,
    settings: &Settings,
) -> Result<Vec<Acceptance>, Refused> {
    let loaded = load(input)?;
    let prepared = prepare(&loaded, memory, Goal::Verdict).map_err(|why| why.to_string());
    let one = |constructor: &Constructor| {
        let accepts = prepared.as_ref().map_err(Clone::clone).and_then(|prepared| {
            let engine = (constructor.build)(settings);
            engine.accepts(&prepared.task(Property::Stated)).map_err(|why| why.to_string())
        });
        Acceptance { engine: constructor.name, summary: constructor.summary, accepts }
    };
    Ok(ENGINES.iter().map(one).collect())
}
