//! From a program to its symbolic event structure: guarded single assignment.
//!
//! Bounded model checking (Clarke, Biere, Raimi and Zhu 2001; for concurrent programs on weak memory
//! Alglave, Kroening and Tautschnig 2013) asks a solver for an execution in which every loop is run a
//! bounded number of times. Each thread becomes a graph without cycles: a control point in one round
//! of each loop around it. It is run once, symbolically ([`thread`], [`step`]): where ways part, each
//! goes on under its own guard; where they meet, each local becomes a choice between its values
//! ([`state`]). Nothing is copied for the sake of paths, so the size is that of the unrolled text,
//! whereas paths are exponentially many.
//!
//! *What differs from the paper.* Loops need not be structured: they are unrolled along a weak
//! topological order, `goto`s into their middle included. Guards are folded where branches meet
//! ([`guard`]), not left to the solver. Addresses may be computed. `assume` and bounds stop their thread
//! and nothing else: the paper's constraint on the whole execution would lose what others do before.
//!
//! *Why it is sound.* Take an execution of the program in which no thread goes round a loop more often
//! than the bound. Its threads take edges; each is an unrolled step, whose guard holds under the values
//! read and the choices made; so it is an execution of the structure. Conversely, the guards of an
//! execution of the structure pick at most one step at each point that a thread is at, and each is
//! possible there. Threads whose next step cannot be refused take it: whatever a model allows, it also
//! allows with one more step at the end.

mod awaits;
pub(crate) mod guard;
mod initial;
pub(crate) mod section;
pub(crate) mod state;
mod step;
pub(crate) mod structure;
pub(crate) mod term;
#[cfg(test)]
mod tests;
mod thread;
pub(crate) mod waiting;
pub(crate) mod wto;

use std::collections::{BTreeMap, BTreeSet};

use wattle_engine::Unsupported;
use wattle_program::symbolic::Conventions;
use wattle_program::symbolic::operations::Carried;
use wattle_program::{Point, ProcessId, Program, Shape};

use crate::pulse::Pulse;
use awaits::awaits;
use initial::{Start, initial_constraint, initial_locals, initial_writes};
use section::Sections;
use state::State;
use structure::{Structure, Threaded};
use thread::{Halt, Unroller};
use wto::weak_topological_order;

#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// A thread comes back to the head of a loop at most this often,
    pub unwind: u32,
    /// or this often, for the loop with this head.
    pub per_loop: BTreeMap<(ProcessId, Point), u32>,
    /// Smaller bounds (sorted) that can be asked about too, each by a [`Stop`](crate::unroll::structure::Stop).
    pub smaller: Vec<u32>,
    /// Loops that count (that cannot be left before their last round) may together go on for this many
    /// rounds of a thread.
    pub fold: u32,
    pub wanted: Wanted,
    /// Are loops that only wait run once?
    pub awaits: bool,
    /// The points, beside its ends, where a thread may stop for no reason.
    pub standing: BTreeSet<(ProcessId, Point)>,
    /// Those where it may wait for ever ([`waiting`]). Nobody looks at its locals there.
    pub waiting: BTreeSet<(ProcessId, Point)>,
    /// Does the model say what an atomic section with several accesses is?
    pub sections: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            unwind: 2,
            per_loop: BTreeMap::new(),
            smaller: Vec::new(),
            fold: 2_000,
            wanted: Wanted::default(),
            awaits: true,
            standing: BTreeSet::new(),
            waiting: BTreeSet::new(),
            sections: false,
        }
    }
}

/// Which dependencies a memory model speaks of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub address: bool,
    pub data: bool,
    pub control: bool,
    pub pick: bool,
}

impl Wanted {
    #[cfg(test)]
    pub const ALL: Wanted = Wanted { address: true, data: true, control: true, pick: true };

    pub(crate) fn any(self) -> bool {
        self != Wanted::default()
    }

    /// Those that these base relations of a model need.
    pub(crate) fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> Wanted {
        let mut wanted = Wanted::default();
        for name in names {
            match name {
                "addr" => wanted.address = true,
                "data" => wanted.data = true,
                "ctrl" => wanted.control = true,
                "pick" | "pick-addr" | "pick-data" => wanted.pick = true,
                _ => {}
            }
        }
        wanted
    }
}

/// All points of all processes: where threads may stop, for models that do not promise that an
/// execution can be continued.
pub(crate) fn everywhere(program: &Program) -> BTreeSet<(ProcessId, Point)> {
    let points = |process: ProcessId| {
        (0..program.process(process).cfg.points.len() as u32).map(move |point| (process, Point(point)))
    };
    program.process_ids().flat_map(points).collect()
}

pub(crate) fn unroll<'a>(
    program: &Program,
    shape: &'a Shape,
    options: &Options,
) -> Result<Structure<'a>, Unsupported> {
    unroll_within(program, shape, options, &Pulse::default())
}

/// The same within a budget.
pub(crate) fn unroll_within<'a>(
    program: &Program,
    shape: &'a Shape,
    options: &Options,
    pulse: &Pulse,
) -> Result<Structure<'a>, Unsupported> {
    thread::accepts(program, options.sections)?;
    let mut endless = BTreeSet::new();
    loop {
        match unroll_but(program, shape, options, &endless, pulse) {
            Ok(structure) => return Ok(structure),
            Err(Halt::Unsupported(what)) => return Err(what),
            Err(Halt::Endless(process, head)) => endless.insert((process, head)),
        };
    }
}

/// `endless`: loops that are not taken to count.
fn unroll_but<'a>(
    program: &Program,
    shape: &'a Shape,
    options: &Options,
    endless: &BTreeSet<(ProcessId, Point)>,
    pulse: &Pulse,
) -> Result<Structure<'a>, Halt> {
    let mut structure = Structure::new(shape);
    let contents = initial_writes(program, shape, &mut structure)?;
    let orders = program.process_ids().map(|id| {
        let order = weak_topological_order(&program.process(id).cfg);
        let waits = match options.awaits {
            true => awaits(program, id, &order, &options.standing),
            false => BTreeMap::new(),
        };
        (order, waits)
    });
    let orders: Vec<_> = orders.collect();
    let starts: Result<Vec<Start>, Unsupported> =
        shape.thread_ids().map(|thread| initial_locals(program, shape, thread, &mut structure)).collect();
    let starts = starts?;
    initial_constraint(program, shape, &starts, &mut structure)?;
    for (thread, (locals, trusted)) in shape.thread_ids().zip(starts) {
        let info = shape.info(thread);
        let process = program.process(info.process);
        let mut leaving = vec![Vec::new(); process.cfg.points.len()];
        for edge in process.cfg.edge_ids() {
            leaving[process.cfg.edge(edge).from.0 as usize].push(edge);
        }
        let mut waiting = vec![Vec::new(); process.cfg.points.len()];
        waiting[process.cfg.entry.0 as usize].push(State {
            reached: structure.arena.constant(1),
            carried: Carried::new(locals),
            reservation: None,
            section: vec![],
            behind: Default::default(),
        });
        let first = structure.events.len() as u32;
        let mut unroller = Unroller {
            program,
            shape,
            options,
            contents: &contents,
            structure: &mut structure,
            process,
            thread,
            copy: info.copy,
            first,
            trusted,
            conventions: Conventions::of(program.vocabulary),
            leaving,
            waiting,
            open: Vec::new(),
            awaits: &orders[info.process.0 as usize].1,
            endless,
            pulse,
            folded: 0,
            sections: Sections::default(),
            threaded: Threaded::default(),
        };
        unroller.run(&orders[info.process.0 as usize].0)?;
        unroller.sections_finish();
        let threaded = unroller.threaded;
        structure.threads.push(threaded);
    }
    Ok(structure)
}
