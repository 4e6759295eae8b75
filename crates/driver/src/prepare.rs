//! From a text that was read to the program that engines search: the list of passes, in order.
//!
//! Two programs come out of it. The program *as written* says what the text says, in the vocabulary of the
//! memory model. Judges get this one, so that a wrong pass cannot hide behind them; repairs are placed in it, and
//! stories are told on it, because passes for the search zero locals that the reader still wants to see. The
//! *searched* program is what engines get: the same edges with the same numbers, and fewer states.
//!
//! Passes that belong to one engine or to one judge (`instantiate`, `remember_given`, `insert`) are called there.

use std::borrow::Cow;

use wattle_engine::{Property, Task, Unsupported};
use wattle_memory::MemoryModel;
use wattle_program::passes::{
    Change, Untranslatable, forget_dead, narrow_choices, narrow_start, observe_everything, threads,
};
use wattle_program::{Program, Vocabulary};
use wattle_report::{Changed, Translated};

use crate::Loaded;

/// What a program is prepared for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Does a property hold?
    Verdict,
    /// Which final states are there?
    Listing,
    /// Which fences are missing or needless? `repair` forgets dead locals itself, after each insertion.
    Repair,
}

/// One step of the preparation. Its name is that of its file in `program/src/passes/`.
#[derive(Debug)]
pub struct Pass {
    pub name: &'static str,
    /// One line for the users of `--dump after:PASS`.
    pub reason: &'static str,
    /// Who needs it.
    goals: &'static [Goal],
    /// Does only the searched program go through it?
    search: bool,
    run: fn(&Program, &MemoryModel, &mut Vec<Change>) -> Made,
}

/// What a pass makes of a program; `None`: it stays as it is.
type Made = Result<Option<Program>, Untranslatable>;

/// In the order in which they run.
pub const PASSES: [Pass; 7] = [
    Pass {
        name: "load",
        reason: "The program as its front end read it and as it was validated, before any pass",
        goals: &[Goal::Verdict, Goal::Listing, Goal::Repair],
        search: false,
        run: |_, _, _| Ok(None),
    },
    Pass {
        name: "narrow-start",
        reason: "Fewer first values for integers that a parameterised system only compares: there are too many to try each",
        goals: &[Goal::Verdict, Goal::Listing, Goal::Repair],
        search: false,
        run: |program, _, _| Ok(narrow_start(program)),
    },
    Pass {
        name: "narrow-choices",
        reason: "Fewer values to choose from, where they are only held against constants: too many to try each matter alike",
        goals: &[Goal::Verdict, Goal::Repair],
        search: false,
        run: |program, _, _| Ok(narrow_choices(program)),
    },
    Pass {
        name: "observe",
        reason: "Observe everything that has a name, where the text does not say what is observed (for `outcomes`)",
        goals: &[Goal::Listing],
        search: false,
        run: |program, _, _| Ok(observe(program)),
    },
    Pass {
        name: "retarget",
        reason: "Translate to the vocabulary of the model: its axioms and its machine know no other fences",
        goals: &[Goal::Verdict, Goal::Listing, Goal::Repair],
        search: false,
        run: retarget,
    },
    Pass {
        name: "threads",
        reason: "Threads that are created wait for that, and joins for their end, as loads and stores: nobody else knows of creation",
        goals: &[Goal::Verdict, Goal::Listing, Goal::Repair],
        search: false,
        run: |program, memory, _| threads(program, memory.handshake(program).as_ref()),
    },
    Pass {
        name: "forget-dead",
        reason: "Set locals to zero that nobody reads again, so that states differ only in what matters",
        goals: &[Goal::Verdict],
        search: true,
        run: |program, _, _| Ok(Some(forget_dead(program))),
    },
];

fn observe(program: &Program) -> Option<Program> {
    let says = !program.observed.is_empty() || program.condition.is_some();
    (!says).then(|| {
        let mut program = program.clone();
        observe_everything(&mut program);
        program
    })
}

fn retarget(program: &Program, memory: &MemoryModel, changes: &mut Vec<Change>) -> Made {
    let translation = memory.translate(program)?;
    changes.extend(translation.changes);
    Ok(match translation.program {
        Cow::Owned(translated) => Some(translated),
        Cow::Borrowed(_) => None,
    })
}

/// A text under a model, ready to be asked about.
#[derive(Debug)]
pub struct Prepared<'a> {
    loaded: &'a Loaded,
    memory: &'a MemoryModel,
    written: Cow<'a, Program>,
    /// `None`: no pass was for the search alone.
    searched: Option<Program>,
    changes: Vec<Change>,
}

/// `Err` names what has no translation.
pub fn prepare<'a>(
    loaded: &'a Loaded,
    memory: &'a MemoryModel,
    goal: Goal,
) -> Result<Prepared<'a>, Unsupported> {
    through(&PASSES, loaded, memory, goal)
}

/// The program after the pass of this name, prepared for the first goal that the pass serves; `None`: there
/// is no such pass.
pub(crate) fn after(
    name: &str,
    loaded: &Loaded,
    memory: &MemoryModel,
) -> Option<Result<Program, Unsupported>> {
    let last = PASSES.iter().position(|pass| pass.name == name)?;
    let prepared = through(&PASSES[..=last], loaded, memory, *PASSES[last].goals.first()?);
    Some(prepared.map(|prepared| prepared.searched.unwrap_or(prepared.written.into_owned())))
}

fn through<'a>(
    passes: &[Pass],
    loaded: &'a Loaded,
    memory: &'a MemoryModel,
    goal: Goal,
) -> Result<Prepared<'a>, Unsupported> {
    let written = Cow::Borrowed(&loaded.parsed.program);
    let mut prepared = Prepared { loaded, memory, written, searched: None, changes: vec![] };
    for pass in passes.iter().filter(|pass| pass.goals.contains(&goal)) {
        let mut changes = std::mem::take(&mut prepared.changes);
        let made = (pass.run)(prepared.searched(), memory, &mut changes);
        prepared.changes = changes;
        match made.map_err(|what| untranslatable(loaded, memory, &what))? {
            Some(program) if pass.search => prepared.searched = Some(program),
            Some(program) => prepared.written = Cow::Owned(program),
            None => {}
        }
    }
    Ok(prepared)
}

fn untranslatable(loaded: &Loaded, memory: &MemoryModel, what: &Untranslatable) -> Unsupported {
    let (from, to) = (loaded.parsed.program.vocabulary.name(), &memory.name);
    Unsupported::new(format!("no translation from {from} to {to}: {}", what.0))
}

impl Prepared<'_> {
    pub(crate) fn loaded(&self) -> &Loaded {
        self.loaded
    }

    /// The program that says what the text says, in the vocabulary of the model.
    pub fn written(&self) -> &Program {
        &self.written
    }

    /// The program that engines search.
    pub fn searched(&self) -> &Program {
        self.searched.as_ref().unwrap_or(&self.written)
    }

    /// The question for engines, and for replays of their counterexamples.
    pub fn task(&self, property: Property) -> Task<'_> {
        Task { program: self.searched(), memory: self.memory, property, hints: None }
    }

    /// The same question for judges of proofs, about the program before any pass for the search.
    pub(crate) fn as_written(&self, property: Property) -> Task<'_> {
        Task { program: &self.written, memory: self.memory, property, hints: None }
    }

    /// The program on which counterexamples are told: as written, so that locals keep their values, with the
    /// initial choices of the searched one, so that the same schedule runs on it.
    pub(crate) fn told(&self) -> Program {
        let mut told = self.written().clone();
        for (process, other) in told.processes.iter_mut().zip(&self.searched().processes) {
            for (local, other) in process.locals.iter_mut().zip(&other.locals) {
                local.init = other.init.clone();
            }
        }
        told
    }

    /// Does the translation say exactly what the text says?
    pub(crate) fn is_exact(&self) -> bool {
        self.changes.is_empty()
    }

    /// What the translation says in another way than the text.
    pub(crate) fn translated(&self) -> Translated {
        let sources = &self.loaded.sources;
        let one = |change: &Change| Changed {
            written: change.written.clone(),
            line: (!change.origin.0.is_nowhere()).then(|| sources.start(change.origin.0).line),
            became: change.became.clone(),
            stronger: change.stronger,
            weaker: change.weaker,
        };
        Translated { changes: self.changes.iter().map(one).collect() }
    }

    /// What the user must know about a translated program: the answer is about the translation. (That models of store buffers judge what
    /// compilers make of C11 is what such a question means.)
    pub(crate) fn notes(&self) -> Vec<String> {
        let (from, to) = (self.loaded.parsed.program.vocabulary, self.written.vocabulary);
        let told = from != to && (from, to) != (Vocabulary::C11, Vocabulary::Generic);
        let whole = told.then(|| format!("translated from {} to {}", from.name(), to.name()));
        whole.into_iter().chain(self.translated().changes.iter().map(ToString::to_string)).collect()
    }
}

#[cfg(test)]
mod tests {
    use wattle_program::text::print;

    use super::*;
    use crate::{Input, load, models};

    const TEXT: &str = "shared x = 0; thread p { local r = 5; r = x; x = r + 1; } finally x == 1;";

    fn loaded() -> Loaded {
        load(&Input::text("a.wtl", "wtl", TEXT)).unwrap()
    }

    #[test]
    fn only_engines_get_a_program_in_which_dead_locals_are_forgotten() {
        let (loaded, memory) = (loaded(), models::resolve("tso", false).unwrap());
        for (goal, forgets) in [(Goal::Verdict, true), (Goal::Listing, false), (Goal::Repair, false)] {
            let prepared = prepare(&loaded, &memory, goal).unwrap();
            assert!(!print(prepared.written()).contains("forget"), "{goal:?}");
            assert_eq!(print(prepared.searched()).contains("forget"), forgets, "{goal:?}");
        }
    }

    #[test]
    fn a_story_has_the_edges_of_the_text_and_the_initial_choices_of_the_search() {
        let (loaded, memory) = (loaded(), models::resolve("tso", false).unwrap());
        let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
        let (told, searched) = (prepared.told(), prepared.searched());
        assert_ne!(prepared.written().processes[0].locals, searched.processes[0].locals);
        assert_eq!(told.processes[0].locals, searched.processes[0].locals);
        assert_eq!(told.processes[0].cfg, prepared.written().processes[0].cfg);
    }

    #[test]
    fn only_a_listing_observes_everything() {
        let (loaded, memory) = (loaded(), models::resolve("tso", false).unwrap());
        let observed = |goal| prepare(&loaded, &memory, goal).unwrap().written().observed.len();
        assert_eq!([Goal::Verdict, Goal::Listing, Goal::Repair].map(observed), [0, 2, 0]);
    }

    #[test]
    fn each_pass_can_be_looked_at_and_the_last_gives_what_is_searched() {
        let (loaded, memory) = (loaded(), models::resolve("aarch64", false).unwrap());
        let after = |name| after(name, &loaded, &memory).map(Result::unwrap);
        assert_eq!(after("load").as_ref(), Some(&loaded.parsed.program));
        assert_eq!(after("retarget").unwrap().vocabulary, Vocabulary::Aarch64);
        let prepared = prepare(&loaded, &memory, Goal::Verdict).unwrap();
        assert_eq!(after("forget-dead").as_ref(), Some(prepared.searched()));
        assert_eq!(after("forget"), None);
    }

    #[test]
    fn what_only_the_search_needs_comes_last() {
        assert!(PASSES.is_sorted_by_key(|pass| pass.search));
    }
}
