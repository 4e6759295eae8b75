//! Engines that prove with predicates, on random programs.
//!
//! Beside agreement with other engines ([`crate::agree`]):
//!
//! * every proof passes its checker, on the program before any pass ([`Trial::agrees`]);
//! * hints of a task that differs in some fences may decide more or less, and never otherwise ([`Trial::keeps_to_hints`]);
//! * a search for fences with such an engine does not contradict one with explicit search ([`Trial::repairs`]).
//!
//! What came of each task is counted in a [`Ledger`]: an engine that says *unknown* to everything contradicts nobody.

mod hints;
mod ledger;
mod repairs;

use wattle_engine::{
    Answer, Budget, Certificate, Coverage, Engine, Halt, Property, Reason, Run, Task, Verdict,
};
use wattle_generate::{Flavour, Profile};
use wattle_judge::certify::certify;
use wattle_memory::reduction::{Contents, Keeps, Rest};
use wattle_memory::{MemoryModel, find};
use wattle_program::{Mode, Op, Program};
use wattle_smt::Library;

use crate::agree::{Effort, engines_agree_and};
use crate::compare::Disagreement;
use crate::laws::Obeyed;
use crate::with_sections;

pub use hints::fenced;
pub use ledger::{Entry, Ledger};

/// An engine that is tried on the program of a seed.
#[derive(Clone, Copy)]
pub struct Trial<'a> {
    pub subject: &'a dyn Engine,
    /// Who else is asked. The first one searches explicitly.
    pub others: &'a [&'a dyn Engine],
    pub models: &'a [&'a str],
    pub effort: Effort,
    pub library: &'a Library,
    pub ledger: &'a Ledger,
    pub seed: u64,
}

impl std::fmt::Debug for Trial<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trial").field("subject", &self.subject.name()).finish_non_exhaustive()
    }
}

/// The models of engines for store buffers.
pub const WITH_BUFFERS: [&str; 3] = ["sc", "tso", "pso"];

/// Finite programs, with sections in a share of them.
pub fn finite(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed % 3) as usize]);
    Profile { loops: 150, litmus: 0, unsupported: 0, ..small }
}

/// Programs with remote operations, many of them in loops without a flush: they pile up.
pub fn remote(seed: u64) -> Profile {
    let small = Profile::small(Flavour::Rma);
    let fenced_loops = [700, 100][(seed % 2) as usize];
    Profile {
        loops: 200,
        fenced_loops,
        litmus: 0,
        pointers: 0,
        machine_integers: false,
        unsupported: 0,
        ..small
    }
}

/// Programs of several threads, many with loops that store and have no fence: no capacity of a buffer suffices.
/// Many of them are litmus tests, because these are what fences repair.
pub fn with_loops_of_stores(seed: u64) -> Profile {
    let mut profile = Profile { loops: 350, fenced_loops: 150, ..finite(seed) };
    (profile.threads, profile.variables) = ((2, 3), (2, 3));
    profile.litmus = if Turn::of(seed) == Turn::Repairs { 900 } else { 400 };
    profile.litmus_loops = 400;
    (profile.machine_integers, profile.pointers) = (false, 0);
    profile
}

/// What is known of the rest of a buffer takes turns.
pub fn rest(seed: u64) -> Rest {
    let contents = [Contents::Set, Contents::Havoc][(seed % 2) as usize];
    let keeps = [Keeps::Oldest, Keeps::Newest][(seed / 2 % 2) as usize];
    Rest { contents, keeps }
}

/// What is asked of a program beside agreement. Flavours and options repeat every twelve seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Each program is asked about six times.
    Hints,
    Repairs,
    Sections,
    Nothing,
}

impl Turn {
    fn of(seed: u64) -> Turn {
        match seed / 12 % 16 {
            0 => Turn::Hints,
            1..=7 => Turn::Repairs,
            8..=11 => Turn::Sections,
            _ => Turn::Nothing,
        }
    }
}

impl Trial<'_> {
    /// All of these laws, the dear ones on a share of the programs. Another share gets atomic sections.
    pub fn obeys(&self, program: &Program) -> Result<Obeyed, Disagreement> {
        let turn = Turn::of(self.seed);
        let marked = (turn == Turn::Sections).then(|| with_sections(program, self.seed));
        let program = marked.as_ref().unwrap_or(program);
        if fills_buffers(program) {
            self.ledger.count("programs that fill buffers without end", self.seed, program, None);
        }
        let mut all = self.agrees(program)?;
        match turn {
            Turn::Hints => all.add(self.keeps_to_hints(program)?),
            Turn::Repairs => all.add(self.repairs(program)?),
            Turn::Sections | Turn::Nothing => {}
        }
        Ok(all)
    }

    /// Does the engine contradict nobody, under any model?
    pub fn agrees(&self, program: &Program) -> Result<Obeyed, Disagreement> {
        let engines: Vec<&dyn Engine> = self.others.iter().copied().chain([self.subject]).collect();
        let also = |task: &Task<'_>, answers: &[Option<Answer>]| {
            let Some((answer, others)) = answers.split_last() else { return Ok(()) };
            let what = match answer {
                None => self.refused(task),
                Some(answer) => {
                    let mut what = self.looked_at(task, answer)?;
                    for (engine, answer) in self.others.iter().zip(others) {
                        what += &format!("; {}: {}", engine.name(), answer.as_ref().map_or("refused", word));
                    }
                    what
                }
            };
            self.count(what, task);
            Ok(())
        };
        engines_agree_and(&engines, self.models, self.effort, program, &also)
    }

    fn count(&self, what: impl Into<String>, task: &Task<'_>) {
        self.ledger.count(what, self.seed, task.program, Some(task.memory));
    }

    fn refused(&self, task: &Task<'_>) -> String {
        match self.subject.accepts(task) {
            // Whose sort it is does not matter.
            Err(why) => match why.what.split_once(" of sort ") {
                Some((_, sort)) => format!("refused: sort {}", sort.trim_end_matches(char::is_numeric)),
                None => format!("refused: {why}"),
            },
            Ok(()) => "refused by all others".into(),
        }
    }

    /// What became of a task, in words. `Err`: a proof that does not pass.
    fn looked_at(&self, task: &Task<'_>, answer: &Answer) -> Result<String, String> {
        Ok(match &answer.verdict {
            Verdict::Safe { certificate } => {
                match self.certified(task, certificate, answer.coverage.as_ref())? {
                    None => "safe, certified".into(),
                    Some(reason) => format!("safe, not certified: {reason}"),
                }
            }
            Verdict::SafeUpTo { .. } => "bounded".into(),
            Verdict::Unsafe { .. } => "unsafe, replayed".into(),
            Verdict::Unknown { reason } => format!("unknown: {}", kind(reason)),
        })
    }

    /// `Some`: why the checker came to no end. `Err`: it does not believe the proof.
    fn certified(
        &self,
        task: &Task<'_>,
        certificate: &Certificate,
        coverage: Option<&Coverage>,
    ) -> Result<Option<Reason>, String> {
        if !matches!(certificate, Certificate::Abstraction(_)) {
            return Err("a proof of another kind".into());
        }
        let run = self.run(100);
        match certify(task, certificate, coverage, || Ok(self.library.clone()), &run) {
            Ok(_) => Ok(None),
            Err(Halt::Unknown(reason)) => Ok(Some(reason)),
            Err(Halt::Contradiction(contradiction)) => {
                Err(format!("a proof does not pass its checker: {contradiction}"))
            }
        }
    }

    /// Several times the effort of one check.
    fn run(&self, times: u64) -> Run {
        Run::new(Budget { work: Some(self.effort.work * times), ..Budget::default() })
    }
}

/// The verdict in a word.
pub fn word(answer: &Answer) -> &'static str {
    match answer.verdict {
        Verdict::Safe { .. } => "safe",
        Verdict::SafeUpTo { .. } => "bounded",
        Verdict::Unsafe { .. } => "unsafe",
        Verdict::Unknown { .. } => "unknown",
    }
}

/// A reason without what it says of one program.
fn kind(reason: &Reason) -> String {
    match reason {
        Reason::Undecided(why) | Reason::TooLarge(why) | Reason::Solver(why) => {
            why.split([':', ',']).next().unwrap_or(why).to_owned()
        }
        reason => reason.to_string(),
    }
}

/// The buffers that tasks are about.
fn with_buffers() -> impl Iterator<Item = &'static MemoryModel> {
    ["tso", "pso"].into_iter().filter_map(find)
}

fn stated<'a>(program: &'a Program, memory: &'a MemoryModel) -> Task<'a> {
    Task { program, memory, property: Property::Stated, hints: None }
}

/// Can a thread make stores again and again, with no fence between? Then no capacity of its buffer suffices.
pub fn fills_buffers(program: &Program) -> bool {
    program.processes.iter().any(|process| {
        let cfg = &process.cfg;
        let drains = |edge: &wattle_program::Edge| {
            edge.mode == Mode::Locked || edge.ops.iter().any(|op| matches!(op, Op::Fence(_)))
        };
        let free: Vec<_> = cfg.edges.iter().filter(|edge| !drains(edge)).collect();
        let mut stores = free.iter().filter(|edge| edge.ops.iter().any(|op| matches!(op, Op::Store { .. })));
        stores.any(|store| {
            let (mut seen, mut open) = (vec![store.to], vec![store.to]);
            while let Some(point) = open.pop() {
                for edge in free.iter().filter(|edge| edge.from == point) {
                    if !seen.contains(&edge.to) {
                        seen.push(edge.to);
                        open.push(edge.to);
                    }
                }
            }
            seen.contains(&store.from)
        })
    })
}
