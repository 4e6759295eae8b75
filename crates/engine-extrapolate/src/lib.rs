//! Proofs under sequential consistency, extrapolated to store buffers.
//!
//! Predicate abstraction as Dan, Meshman, Vechev and Yahav (2013) carry it over to TSO and PSO. First the
//! program is proved under sequential consistency. Then its buffers are written into it
//! (`wattle_memory::reduction`), and the predicates of that proof are carried over to buffered values by
//! rules ([`Rules`]); with them, the reduced program is proved.
//!
//! What differs from the paper:
//!
//! * Predicates need not be given. Guards and properties are taken first, and a trace that turns out not to
//!   be real yields more ([`prove`]), under both memories. So a failed extrapolation is no end.
//! * Cubes are found where a state asks for them (`abstraction::lazy`), of any size. The paper's own
//!   searches, with a limit of size, are there to be compared with.
//! * A violation is solved for inputs and replayed on the machine. Overflow of a buffer is looked at last
//!   and leads to a larger one.

mod certificate;
mod dump;
mod lean;
mod learnt;
mod options;
mod prove;
mod relevance;
mod replay;
mod rules;
mod symmetry;
mod widen;

use std::borrow::Cow;
use std::collections::HashMap;

use wattle_abstraction::{Cube, System, Vocabulary, atoms};
use wattle_engine::{
    Answer, Contradiction, Coverage, Engine, Estimate, Halt, Progress, Property, Reason, Run, Spent,
    Statistics, Task, Unsupported, Verdict, Work, grows,
};
use wattle_logic::{Kind, Term};
use wattle_memory::Machine;
use wattle_memory::reduction::{Capacity, Discipline, Reduced, Refused, reduce};
use wattle_program::text::print_term;
use wattle_program::{Program, passes};
use wattle_smt::{Decide, Library, Limits, Solver};

pub use dump::Dump;
pub use options::{Extrapolate, Method, PAPERS_CUBE_SIZE, SearchBy};
pub use prove::Figures;
pub use rules::{MOST_VERSIONS, Rules, by_rule, extrapolate, extrapolate_cubes};
pub use wattle_memory::reduction::Room;

use certificate::certificate;
use learnt::Learnt;
use prove::{Approach, Outcome, Proving, is_overflow};

/// What a question to the solver costs, on average.
const QUESTION: Work = Work::microseconds(100);

/// Where no number is given, buffers grow up to this.
const MOST_PENDING: u32 = 4;

impl Engine for Extrapolate {
    fn name(&self) -> &'static str {
        "extrapolate"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let discipline = discipline(task)?;
        task.shape()?;
        let flat = flat(task.program)?;
        System::new(&flat).map_err(refused)?;
        if let Some(discipline) = discipline {
            reduced(task.program, discipline, &self.room(1))?;
        }
        self.library().map(|_| ())
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        let loops = task.program.processes.iter().any(|process| !process.cfg.is_loop_free());
        if loops && grows(task.program) { Estimate::MadeFor } else { Estimate::Open }
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut statistics = Statistics::default();
        let program = self.remembering(task.program);
        Answer::of(self.verdict(&Task { program: &program, ..*task }, run, &mut statistics), statistics)
    }
}

/// `None`: sequential consistency.
fn discipline(task: &Task<'_>) -> Result<Option<Discipline>, Unsupported> {
    if task.property != Property::Stated {
        return Err(Unsupported::new("deadlock"));
    }
    task.has_meaning()?;
    match task.memory.machine {
        Some(Machine::Sc { .. }) => Ok(None),
        Some(Machine::Tso) => Ok(Some(Discipline::Tso)),
        Some(Machine::Pso) => Ok(Some(Discipline::Pso)),
        _ => Err(Unsupported::new("a memory model that is none of sc, tso and pso")),
    }
}

fn flat(program: &Program) -> Result<Program, Unsupported> {
    passes::instantiate(program).map_err(|error| Unsupported::new(error.to_string()))
}

fn reduced(
    program: &Program,
    discipline: Discipline,
    room: &Room,
) -> Result<(Reduced, Capacity), Unsupported> {
    let refused = |why: Refused| Unsupported { what: why.what, span: why.span };
    let capacity = room.capacity(program, discipline).map_err(refused)?;
    Ok((reduce(program, discipline, &capacity).map_err(refused)?, capacity))
}

/// Are the given predicates such that something can be made of them?
fn given(program: &Program, system: &System, solver: &mut Solver) -> Result<(), Unsupported> {
    for predicate in &program.predicates {
        let mut elsewhere = false;
        predicate.walk(&mut |term| {
            elsewhere |= matches!(term.kind(), Kind::Content { .. }) && system.cells_of(term).is_empty();
        });
        // Where threads stand is known anyway.
        if system.cells_of(predicate).is_empty() && !elsewhere {
            continue;
        }
        let why = match solver.literal(predicate) {
            _ if elsewhere => "it speaks of a location that is not there".to_string(),
            Err(why) => why.to_string(),
            Ok(_) => continue,
        };
        let predicate = print_term(program, predicate);
        let what = format!("the given predicate `{predicate}`: {why} (--ignore-predicates does without)");
        return Err(Unsupported::new(what));
    }
    Ok(())
}

/// Is there an initial state? Without one everything holds.
fn starts(system: &System, solver: &mut Solver) -> Result<(), Reason> {
    let unsupported = |why: wattle_smt::Unsupported| Reason::Unsupported(Unsupported::new(why.to_string()));
    let init = solver.literal(&system.init).map_err(unsupported)?;
    match solver.check(&[init]) {
        wattle_smt::Outcome::Unsat => Err(Reason::NoInitialState),
        _ => Ok(()),
    }
}

fn refused(why: wattle_abstraction::Refused) -> Unsupported {
    Unsupported { what: why.what, span: why.span }
}

impl Extrapolate {
    /// What was asked for, or so much for each.
    fn room(&self, each: u32) -> Room {
        self.buffer.clone().unwrap_or(Room::all(each))
    }

    fn library(&self) -> Result<Library, Unsupported> {
        Library::find(&self.smt).map_err(|error| Unsupported::new(error.to_string()))
    }

    /// The solver beside which others are made.
    fn solver(&self, run: &Run) -> Result<Solver, Reason> {
        let library = self.library().map_err(Reason::Unsupported)?;
        let limits = Limits { memory: run.budget().memory };
        let mut solver = Solver::new(&library, limits).map_err(|stop| Reason::Solver(stop.to_string()))?;
        let counted = run.clone();
        solver.counted_by(move || counted.poll(QUESTION, Spent::default()).is_err());
        let run = run.clone();
        let spent = |run: &Run| Spent { memory: run.resident().unwrap_or(0), states: 0 };
        solver.stop_when(move || run.poll(Work::NONE, spent(&run)).is_err());
        Ok(solver)
    }

    fn is_given(&self, program: &Program) -> bool {
        !program.predicates.is_empty() && !self.ignore_given
    }

    /// With the locals that given predicates speak of, dead or not.
    fn remembering<'p>(&self, program: &'p Program) -> Cow<'p, Program> {
        match self.is_given(program) {
            true => Cow::Owned(passes::remember_given(program)),
            false => Cow::Borrowed(program),
        }
    }

    /// The predicates to begin with: those that the text gives, or else its comparisons.
    fn start(&self, program: &Program, system: &System) -> Vec<Term> {
        if self.is_given(program) { program.predicates.clone() } else { of_the_text(system) }
    }

    /// How cubes over some predicates are found.
    fn approach(&self) -> Approach {
        match (self.search, self.cube_size) {
            (SearchBy::Implicants, None) => Approach::Lazy,
            (SearchBy::Implicants, Some(limit)) => Approach::Implicants(limit),
            (SearchBy::Cubes, limit) => Approach::Cubes(limit.unwrap_or(PAPERS_CUBE_SIZE)),
        }
    }

    fn verdict(
        &self,
        task: &Task<'_>,
        run: &Run,
        statistics: &mut Statistics,
    ) -> Result<(Verdict, Option<Coverage>), Halt> {
        let unsupported = Reason::Unsupported;
        let discipline = discipline(task).map_err(unsupported)?;
        let program = flat(task.program).map_err(unsupported)?;
        let sc = System::new(&program).map_err(refused).map_err(unsupported)?;
        let system = &sc;
        let mut first = self.solver(run)?;
        if self.is_given(&program) {
            given(&program, system, &mut first).map_err(unsupported)?;
        }
        let fresh_of = |system: &System| system.solver(&first).map_err(Reason::Solver);
        if program.init.is_some() {
            starts(system, &mut fresh_of(system)?)?;
        }
        let shape = task.shape().map_err(unsupported)?;
        let images = |predicate: &Term| symmetry::images(task.program, &shape, predicate);
        let images: &dyn Fn(&Term) -> Vec<Term> = &images;
        let start = self.start(&program, system);
        let approach = self.approach();
        let phase = "proof under sc";
        let refine = !self.no_refinement;
        let proving = Proving {
            system,
            run,
            approach: &approach,
            phase,
            overflow: None,
            refine,
            given: self.is_given(&program),
            in_passing: false,
            // A proof under sc is not carried over.
            lean: refine && discipline.is_some(),
            images,
            irrelevant: &|_| vec![],
        };
        let outcome = proving.prove(&|| fresh_of(system), &start, HashMap::new())?;
        let of_text = Vocabulary::new(system, &start).map_or(0, |vocabulary| vocabulary.len());
        statistics.count("text predicates", of_text as u64);
        statistics.count("sc predicates", count(&outcome));
        let Some(discipline) = discipline else {
            return match outcome {
                Outcome::Proof(proof) => {
                    record(statistics, &proof.figures);
                    Ok(certificate(task, system, None, &proof))
                }
                Outcome::Violated { trace, solution, .. } => {
                    let counterexample = replay::counterexample(task, system, None, &trace, &solution)?;
                    Ok((Verdict::Unsafe { counterexample }, None))
                }
                Outcome::GaveUp { why, .. } => Err(Reason::Undecided(why).into()),
            };
        };
        let mut given = self.is_given(&program);
        let (predicates, cubes) = match outcome {
            Outcome::Proof(proof) => {
                given &= proof.figures.refined == 0;
                statistics.count("sc refined predicates", proof.figures.refined as u64);
                statistics.count("sc rounds", proof.figures.rounds);
                statistics.count("sc calls", proof.figures.calls);
                statistics.count("sc states", proof.figures.states);
                let cubes = large_cubes(&proof.vocabulary, &proof.cubes);
                (proof.vocabulary.predicates().to_vec(), cubes)
            }
            // Unsafe already, or not proved: what is known may still help.
            Outcome::Violated { vocabulary, .. } | Outcome::GaveUp { vocabulary, .. } => {
                (vocabulary.predicates().to_vec(), vec![])
            }
        };
        let mut each = self.room(1).each;
        let mut learnt: Option<Learnt> = None;
        loop {
            run.progress(&Progress { phase: format!("buffers of {each}"), states: 0, depth: 0 });
            let (reduced, capacity) =
                reduced(task.program, discipline, &self.room(each)).map_err(unsupported)?;
            let system = System::new(&reduced.program).map_err(refused).map_err(unsupported)?;
            let mut extrapolated = match self.method {
                Method::Trad => predicates.clone(),
                _ => extrapolate(&predicates, &reduced, &self.rules),
            };
            let mut further = HashMap::new();
            if let Some(learnt) = &learnt {
                extrapolated.extend(learnt.predicates(&reduced.program));
                further = learnt.further(&reduced.program);
            }
            let approach = match self.method {
                Method::Ce => Approach::Candidates(extrapolate_cubes(&cubes, &reduced, &self.rules)),
                Method::CeDrop => {
                    let cubes = extrapolate_cubes(&cubes, &reduced, &self.rules);
                    Approach::Candidates(without_buffers(&program, cubes))
                }
                _ => self.approach(),
            };
            let overflow = Some(reduced.program.properties.len() - 1);
            let vocabulary = Vocabulary::new(&sc, &predicates).unwrap_or_default();
            let irrelevant = |extrapolated: &Vocabulary| {
                relevance::irrelevant(&reduced, &shape, &vocabulary, extrapolated)
            };
            let phase = format!("proof with buffers of {each}");
            let proving = Proving {
                system: &system,
                run,
                approach: &approach,
                phase: &phase,
                overflow,
                refine,
                given: given && learnt.is_none(),
                // One slot shows most violations, and after the last there is no other try.
                in_passing: self.buffer.is_none() && (2..MOST_PENDING).contains(&each),
                lean: false,
                images,
                irrelevant: &irrelevant,
            };
            statistics.count("buffer", u64::from(each));
            match proving.prove(&|| fresh_of(&system), &extrapolated, further)? {
                Outcome::Proof(mut proof) => {
                    if let Some(learnt) = &learnt {
                        proof.figures.rounds += learnt.figures.rounds;
                        proof.figures.refined += learnt.figures.refined;
                    }
                    record(statistics, &proof.figures);
                    return Ok(certificate(task, &system, Some((&reduced, discipline, capacity)), &proof));
                }
                Outcome::Violated { trace, solution, .. } if !is_overflow(&trace, overflow) => {
                    let counterexample =
                        replay::counterexample(task, &system, Some(&reduced), &trace, &solution)?;
                    return Ok((Verdict::Unsafe { counterexample }, None));
                }
                // Nothing else is violated, but more may be pending.
                Outcome::Violated { .. } if self.buffer.is_some() || each == MOST_PENDING => {
                    let why = match (capacity.of.is_empty(), each) {
                        (true, 1) => {
                            "a buffer may hold more than one store; with one, nothing is violated".into()
                        }
                        (true, _) => format!(
                            "a buffer may hold more than {each} stores; with {each}, nothing is violated"
                        ),
                        (false, _) => {
                            "a buffer may hold more than it has room for; with that, nothing is violated"
                                .into()
                        }
                    };
                    return Err(Reason::TooLarge(why).into());
                }
                Outcome::Violated { vocabulary, further, mut figures, .. } => {
                    if let Some(learnt) = &learnt {
                        figures.rounds += learnt.figures.rounds;
                        figures.refined += learnt.figures.refined;
                    }
                    learnt = Some(Learnt { program: reduced.program, vocabulary, further, figures });
                    each += 1;
                }
                Outcome::GaveUp { why, .. } => return Err(Reason::Undecided(why).into()),
            }
        }
    }
}

fn count(outcome: &Outcome) -> u64 {
    let vocabulary = match outcome {
        Outcome::Proof(proof) => &proof.vocabulary,
        Outcome::Violated { vocabulary, .. } | Outcome::GaveUp { vocabulary, .. } => vocabulary,
    };
    vocabulary.len() as u64
}

fn record(statistics: &mut Statistics, figures: &Figures) {
    statistics.count("predicates", figures.predicates as u64);
    statistics.count("input cubes", figures.input_cubes as u64);
    statistics.count("rounds", figures.rounds);
    statistics.count("refined predicates", figures.refined as u64);
    statistics.count("calls", figures.calls);
    statistics.count("cubes", figures.cubes as u64);
    statistics.count("cube size", figures.cube_size as u64);
    statistics.count("states", figures.states);
    statistics.set("building", wattle_engine::Figure::Seconds(figures.seconds_building));
    statistics.set("checking", wattle_engine::Figure::Seconds(figures.seconds_checking));
}

/// The comparisons in guards, assertions and properties.
fn of_the_text(system: &System) -> Vec<Term> {
    let checks = system.transitions.iter().flat_map(|transition| {
        let checks = transition.checks.iter().map(|check| &check.holds);
        [&transition.guard].into_iter().chain(checks)
    });
    let properties = system.properties.iter().map(|(_, formula)| formula);
    checks.chain(properties).flat_map(atoms).collect()
}

fn large_cubes(vocabulary: &Vocabulary, cubes: &[Vec<Cube>]) -> Vec<Vec<(Term, bool)>> {
    let mut all: Vec<Cube> = cubes.iter().flatten().filter(|cube| cube.len() > 1).copied().collect();
    all.sort();
    all.dedup();
    let terms = |cube: &Cube| {
        let literal = |(predicate, value): (usize, bool)| (vocabulary.predicates()[predicate].clone(), value);
        cube.literals().map(literal).collect()
    };
    all.iter().map(terms).collect()
}

/// Without what is said of buffered values (section 6.3). The paper takes these literals out of the cubes
/// of the finished program, where nothing checks what is left; here they are taken out of the candidates,
/// and the solver is asked about what is left.
fn without_buffers(program: &Program, cubes: Vec<Vec<(Term, bool)>>) -> Vec<Vec<(Term, bool)>> {
    use wattle_logic::Kind;
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
    let mut kept: Vec<Vec<(Term, bool)>> = Vec::new();
    for cube in cubes {
        let cube: Vec<(Term, bool)> = cube.into_iter().filter(|(term, _)| !is_buffered(term)).collect();
        if cube.len() > 1 && !kept.contains(&cube) {
            kept.push(cube);
        }
    }
    kept
}
