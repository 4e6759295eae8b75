//! One file a command: from arguments to a request, from reports to output.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod distinguish;
pub(crate) mod doctor;
pub(crate) mod engines;
pub(crate) mod explain;
pub(crate) mod fix;
pub(crate) mod generate;
pub(crate) mod man;
pub(crate) mod models;
pub(crate) mod outcomes;
pub(crate) mod replay;
pub(crate) mod schema;
pub(crate) mod test;

use std::io;
use std::path::PathBuf;

use wattle_driver::engines::Settings;
use wattle_driver::{Input, Watch, gather, in_order};
use wattle_engine::{Budget, Property, Work};
use wattle_engine_backward::{Backward, Order};
use wattle_engine_bmc::{Bmc, Formulated};
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::{Extrapolate, Method, Room, SearchBy};
use wattle_engine_refine::Refine;
use wattle_memory::reduction::{Contents, Keeps, Rest};
use wattle_report::{Accept, Exit};

use crate::args::{
    self, AbstractBuffers, CubesBy, Deny, Format, Formulation, Inputs, Predicates, Question, ScCopy, Search,
    SearchOrder, Show, Strict,
};
use crate::interrupt::on_interrupt;
use crate::output::Output;
use crate::progress::Meter;

/// What every command has at hand: where results go, and how the user interrupts.
#[derive(Debug)]
pub(crate) struct Session {
    pub output: Output,
    pub watch: Watch,
    pub quiet: bool,
    /// Where Z3 may be.
    pub smt: Vec<PathBuf>,
}

impl Session {
    pub(crate) fn new(show: &Show, smt: Vec<PathBuf>) -> Session {
        let watch = Watch { cancelled: on_interrupt(), listener: None };
        Session { output: Output::new(show), watch, quiet: show.quiet, smt }
    }

    /// A progress line for a command that searches, one file at a time.
    fn meter(&mut self, jobs: usize) -> Meter {
        let meter = Meter::new(!self.quiet && jobs <= 1 && self.output.format == Format::Text);
        self.watch.listener = meter.listener();
        meter
    }

    /// Work on all inputs, several at once if `jobs` says so, and do something about each result in the order of the inputs, with the
    /// progress line out of the way. `done` says whether to go on: not if nobody reads any more. `Err` ends the work too: the
    /// request makes no sense.
    pub(crate) fn each<R: Send>(
        &mut self,
        inputs: &[Input],
        jobs: usize,
        work: impl Fn(&Input, &Watch) -> Result<R, String> + Sync,
        mut done: impl FnMut(&mut Output, R) -> bool,
    ) -> Result<(), String> {
        let meter = self.meter(jobs);
        let (watch, output) = (self.watch.clone(), &mut self.output);
        let mut problem = None;
        in_order(
            inputs,
            jobs,
            |input| work(input, &watch),
            |_, result| match result {
                Ok(result) => meter.aside(|| done(output, result)),
                Err(message) => {
                    problem = Some(message);
                    false
                }
            },
        );
        meter.finish();
        problem.map_or(Ok(()), Err)
    }

    /// An interrupted run says so in its exit code, whatever else it found.
    pub(crate) fn exit(&self, exit: Exit) -> Exit {
        if self.watch.is_cancelled() { exit.worst(Exit::Interrupted) } else { exit }
    }
}

fn inputs(inputs: &Inputs) -> Vec<Input> {
    let reading = &inputs.reading;
    let found = gather(&inputs.files, reading.lang.as_deref(), &mut io::stdin().lock());
    reading.c.inputs(found.into_iter().map(|input| input.with_copies(reading.copies.clone())).collect())
}

fn budget(search: &Search) -> Budget {
    let time = (!search.timeout.is_zero()).then_some(search.timeout);
    Budget { time, memory: search.memory, states: search.max_states, work: None }
}

/// For results that must not depend on how fast or busy the machine is: the limit of time counts as work, and the clock is
/// only an outer limit.
fn budget_of_work(search: &Search) -> Budget {
    const PATIENCE: u32 = 20;
    let budget = budget(search);
    let work = budget.time.map(Work::during);
    Budget { work, time: budget.time.map(|time| time * PATIENCE), ..budget }
}

fn settings(search: &Search, session: &Session) -> Settings {
    let default = Explore::default();
    let mut enumerate = Enumerate::default();
    if let Some(unwind) = search.unwind {
        enumerate.unwind = u32::try_from(unwind).unwrap_or(u32::MAX);
    }
    Settings {
        extrapolate: Extrapolate { buffer: room(search), ..Extrapolate::default() },
        refine: Refine { slots: slots(search), ..Refine::default() },
        backward: backward(search),
        smt: session.smt.clone(),
        bmc: Bmc {
            unwind: search.unwind.map(|unwind| u32::try_from(unwind).unwrap_or(u32::MAX)),
            formulated: match search.formulation {
                Formulation::Order => Formulated::Order,
                Formulation::Clocks => Formulated::Clocks,
            },
            ..Bmc::default()
        },
        threads: search.threads,
        loop_lines: search.unwind_loop.clone(),
        enumerate,
        explore: Explore {
            reduction: !search.no_reduction,
            threads: search.threads.max(1),
            max_capacity: search.capacity,
            ..default
        },
        ..Settings::default()
    }
}

fn backward(search: &Search) -> Backward {
    let default = Backward::default();
    Backward {
        max_processes: search.max_processes.unwrap_or(default.max_processes),
        max_nodes: search.nodes.unwrap_or(default.max_nodes),
        threads: search.threads.max(1),
        order: match search.search_order {
            SearchOrder::Best => Order::Best,
            SearchOrder::Bfs => Order::Breadth,
            SearchOrder::Dfs => Order::Depth,
        },
    }
}

/// With what engines that prove with predicates may use.
fn settings_with(
    search: &Search,
    predicates: &Predicates,
    buffers: &AbstractBuffers,
    session: &Session,
) -> Settings {
    let extrapolate = Extrapolate {
        method: match predicates.method {
            args::Method::Auto => Method::Auto,
            args::Method::Trad => Method::Trad,
            args::Method::Pe => Method::Pe,
            args::Method::Ce => Method::Ce,
            args::Method::CeDrop => Method::CeDrop,
            args::Method::Ebp => Method::Ebp,
        },
        search: match predicates.cubes_by {
            CubesBy::Implicants => SearchBy::Implicants,
            CubesBy::Cubes => SearchBy::Cubes,
        },
        cube_size: predicates.cube_size,
        rules: predicates.rules,
        ignore_given: predicates.ignore_predicates,
        no_refinement: predicates.no_refinement,
        buffer: room(search),
        ..Extrapolate::default()
    };
    let refine = Refine {
        slots: slots(search),
        contents: buffers.rest.map(contents).unwrap_or_default(),
        keeps: keeps(buffers.keep),
        ignore_given: predicates.ignore_predicates,
        ..Refine::default()
    };
    Settings { extrapolate, refine, ..settings(search, session) }
}

/// The capacities of buffers, if options give any.
fn room(search: &Search) -> Option<Room> {
    let mut room = search.buffer.first().map(|_| Room::all(1))?;
    for (name, number) in &search.buffer {
        match name {
            Some(name) => _ = room.of.insert(name.clone(), *number),
            None => room.each = *number,
        }
    }
    Some(room)
}

/// The exact slots of each buffer, if an option says. What it says of single variables is not for this.
fn slots(search: &Search) -> Option<u32> {
    search.buffer.iter().filter(|(name, _)| name.is_none()).map(|(_, number)| *number).next_back()
}

/// What is kept of stores that find no room, if anything is.
fn rest(options: &AbstractBuffers) -> Option<Rest> {
    Some(Rest { contents: contents(options.rest?), keeps: keeps(options.keep) })
}

fn contents(option: args::Contents) -> Contents {
    match option {
        args::Contents::Set => Contents::Set,
        args::Contents::Havoc => Contents::Havoc,
    }
}

fn keeps(option: args::Keep) -> Keeps {
    match option {
        args::Keep::Oldest => Keeps::Oldest,
        args::Keep::Newest => Keeps::Newest,
    }
}

/// Which proofs count as success.
fn accept(bounded: bool, strict: &Strict) -> Accept {
    Accept { bounded, deny_vacuous: strict.deny.contains(&Deny::Vacuous) }
}

fn atomic_copy(search: &Search) -> bool {
    search.sc_copy == ScCopy::Atomic
}

fn property(question: Question) -> Property {
    match question {
        Question::Stated => Property::Stated,
        Question::Deadlock => Property::NoDeadlock,
    }
}
