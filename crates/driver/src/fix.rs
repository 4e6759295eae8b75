//! `fix`: the fewest fences or flushes that make the property hold.
//!
//! The search itself is `repair`'s, on the program in the model's vocabulary and with the fences that
//! the text has words for. This file turns what it finds into a change of the text: the front end says
//! how the text takes the fences, the edited text is read and checked again from the start in the time
//! that is left, and only then is it shown or written. (That check has the search's hints, which say where a
//! proof may begin, and none of its proofs.)

use std::panic::{AssertUnwindSafe, catch_unwind};

use wattle_engine::{Bound, Budget, Engine, Halt, Hints, Property, Reason, Run, Task, Violation};
use wattle_memory::MemoryModel;
use wattle_program::passes::{Insertion, Spot, retarget_fence};
use wattle_program::{Fence, Op, Orders, Program, Unsupported, Vocabulary, joint_step};
pub use wattle_repair::Method;
use wattle_repair::{Existing, Lessons, Objective, Relaxed, Repairability};
use wattle_report::{FixReport, FixVerdict, Head, Placement, Proof, statement_text};
use wattle_source::{Diagnostic, FileId, Sources, Span};

use crate::edited::{NoEdit, edited, new_statements, repaired_text, show_or_write, statements};
use crate::engines::{Settings, choose, has_room_for, without_solver};
use crate::load::{Edited, panic_text};
use crate::portfolio::{NoEngine, Portfolio, Purpose};
use crate::reach::Reach;
use crate::{Goal, Input, Loaded, Watch, load, prepare};

/// How often loops go round where nothing else is said and the engine would go on for ever.
const UNWIND: u32 = 2;

#[derive(Clone, Debug)]
pub struct Fix {
    pub model: MemoryModel,
    pub property: Property,
    pub engine: Option<String>,
    pub settings: Settings,
    /// For the whole search.
    pub budget: Budget,
    pub atomic_copy: bool,
    pub all: All,
    /// Also at control points that no store comes before.
    pub anywhere: bool,
    /// Minimise what the thread that gets most has to bear, and only then the total.
    pub per_thread: bool,
    /// How places are chosen.
    pub method: Method,
    /// Of a safe program: find fences that can go.
    pub relax: bool,
    /// What a kind of fence (see [`fence_kinds`]) costs, such as `("mfence", 2)`; others cost 1.
    pub costs: Vec<(String, u64)>,
    /// Write the repaired text back to its file.
    pub write: bool,
}

impl Fix {
    /// One of the fewest sets, by any engine, without a limit; the text stays as it is.
    pub fn new(model: MemoryModel) -> Fix {
        Fix {
            model,
            property: Property::Stated,
            engine: None,
            settings: Settings::default(),
            budget: Budget::default(),
            atomic_copy: false,
            all: All::One,
            anywhere: false,
            per_thread: false,
            method: Method::Fewest,
            relax: false,
            costs: vec![],
            write: false,
        }
    }
}

/// Which solutions are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum All {
    #[default]
    One,
    /// All of minimum size.
    Minimum,
    /// All from which nothing can be taken away.
    Subset,
}

/// The names of everything that may be inserted, in any language.
pub fn fence_kinds() -> Vec<String> {
    let fences = Vocabulary::ALL.iter().flat_map(|(_, vocabulary)| vocabulary.fences());
    let mut names: Vec<String> =
        fences.map(|fence| wattle_repair::kind(&Op::Fence(fence)).to_string()).collect();
    names.push("flush".into());
    names.sort();
    names.dedup();
    names
}

/// `Err`: the request itself makes no sense.
pub fn fix(request: &Fix, input: &Input, watch: &Watch) -> Result<FixReport, String> {
    let mut request = request.clone();
    // The search asks many questions, and the text is checked again with the same bound.
    let grows = request.settings.bmc.unwind.is_none() && request.model.machine.is_none() && !request.relax;
    request.settings.bmc.unwind.get_or_insert(UNWIND);
    let request = &request;
    let mut engines = choose(request.engine.as_deref(), &request.settings)?;
    let run = watch.run(request.budget);
    let head = Head::new(input.title(), &*request.model.name);
    let mut report = FixReport::new(head, request.property);
    match load(input) {
        Err(refused) => {
            report.sources = refused.sources;
            report.diagnostics = refused.diagnostics;
            if let Some(what) = refused.internal {
                report.verdict = FixVerdict::Internal { what };
            }
        }
        Ok(loaded) => {
            report.diagnostics.clone_from(&loaded.parsed.warnings);
            if !request.settings.loop_lines.is_empty() {
                let settings = request.settings.placed(&loaded)?;
                engines = choose(request.engine.as_deref(), &settings)?;
            }
            has_room_for(&request.settings, &loaded, &request.model)?;
            repair(request, grows, input, &loaded, &engines, &run, watch, &mut report);
            report.sources = loaded.sources;
        }
    }
    report.seconds = run.elapsed().as_secs_f64();
    Ok(report)
}

#[allow(clippy::too_many_arguments)]
fn repair(
    request: &Fix,
    grows: bool,
    input: &Input,
    loaded: &Loaded,
    engines: &[Box<dyn Engine>],
    run: &Run,
    watch: &Watch,
    report: &mut FixReport,
) {
    let unsupported = |what| FixVerdict::Unknown { reason: Reason::Unsupported(what) };
    let prepared = match prepare(loaded, &request.model, Goal::Repair) {
        Ok(prepared) => prepared,
        Err(what) => {
            report.verdict = unsupported(what);
            return;
        }
    };
    report.notes.extend(prepared.notes());
    report.translated = prepared.translated();
    // A fence of a joint step is a condition of it, and no statement that could be put in.
    if let Some(joint) = joint_step(prepared.written()) {
        report.verdict =
            unsupported(Unsupported { what: format!("repairs of a system with {}", joint.what), ..joint });
        return;
    }
    let task = prepared.task(request.property);
    let spoken = (loaded.frontend.fences)(loaded.parsed.program.vocabulary);
    let fences = Fences::new(spoken, task.program, &request.model);
    if fences.0.is_empty() && !wattle_repair::kinds(task.program.vocabulary, &request.model).is_empty() {
        let what = "a language without a word for a fence of this model";
        report.verdict = unsupported(Unsupported::new(what));
        return;
    }
    for (kind, _) in &request.costs {
        if !request.relax && !fences.has(kind, task.program.vocabulary) {
            report
                .notes
                .push(format!("the cost of {kind} has no effect: there is no such fence to choose here"));
        }
    }
    let asked = Asked { task: &task, loaded, fences: &fences };
    let portfolio = match portfolio(engines, &task, request) {
        Ok(portfolio) => portfolio,
        Err(verdict) => {
            report.verdict = verdict;
            return;
        }
    };
    // A fifth of the budget is kept for the check of the edited text.
    let share = run.share(4, 5);
    let mut lessons = Lessons::default();
    let mut found = search(asked, request, &portfolio, &mut lessons, &share, report);
    report.engine = Some(portfolio.name().to_owned());
    let mut request = request.clone();
    if grows {
        deepen(asked, &mut request, &mut found, &mut lessons, &share, report);
    }
    // The edited text is checked by the engine that proved the repaired program.
    request.engine.clone_from(&report.engine);
    let text = Text { request: &request, input, loaded, program: task.program, run, watch };
    let verdict = text.verdict(found, &fences, &portfolio, report);
    report.verdict = verdict.unwrap_or_else(|what| FixVerdict::Internal { what });
    report.head.notes.extend(advice(&request, &report.verdict));
    let weaker = match &report.verdict {
        FixVerdict::Unknown { .. } => true,
        FixVerdict::Repaired { proof, minimal, .. } => *proof != Proof::Safe || !minimal,
        FixVerdict::AlreadySafe { proof } => *proof != Proof::Safe,
        _ => false,
    };
    if weaker {
        report.notes.extend(without_solver(engines, &task, &request.settings));
    }
}

/// What fences are searched for, and among which.
#[derive(Clone, Copy)]
struct Asked<'a> {
    task: &'a Task<'a>,
    loaded: &'a Loaded,
    fences: &'a Fences,
}

/// `Err`: nobody can search.
fn portfolio<'e>(
    engines: &'e [Box<dyn Engine>],
    task: &Task<'_>,
    request: &Fix,
) -> Result<Portfolio<'e>, FixVerdict> {
    match Portfolio::new(engines, task, Purpose::Repair, request.settings.threads) {
        Ok(portfolio) => Ok(portfolio),
        Err(NoEngine::Refuse { why, .. }) => Err(FixVerdict::Unknown { reason: Reason::Unsupported(why) }),
        Err(NoEngine::Internal(internal)) => Err(FixVerdict::Internal { what: internal.to_string() }),
    }
}

/// While the answer holds for some rounds of each loop only and time remains, search again with more rounds. What
/// counterexamples have shown stays true, so such a search begins with the repair that the one before has found.
fn deepen(
    asked: Asked<'_>,
    request: &mut Fix,
    found: &mut Found,
    lessons: &mut Lessons,
    run: &Run,
    report: &mut FixReport,
) {
    while found.is_about_rounds() && has_time(run) {
        let mut larger = request.clone();
        larger.settings.bmc.unwind = request.settings.bmc.unwind.map(|rounds| rounds + (rounds / 2).max(1));
        larger.settings.enumerate.unwind = larger.settings.bmc.unwind.unwrap_or(UNWIND);
        let Ok(engines) = larger.settings.placed(asked.loaded) else { return };
        let Ok(engines) = choose(larger.engine.as_deref(), &engines) else { return };
        let Ok(portfolio) = portfolio(&engines, asked.task, &larger) else { return };
        let said = (report.notes.len(), report.diagnostics.len());
        let mut known = lessons.clone();
        let again = search(asked, &larger, &portfolio, &mut known, run, report);
        let (new_notes, new_diagnostics) =
            (report.notes.split_off(said.0), report.diagnostics.split_off(said.1));
        if let Found::Unknown { reason } = &again {
            let rounds = larger.settings.bmc.unwind.unwrap_or(UNWIND);
            report.notes.push(format!("not known with {rounds} rounds of each loop: {reason}"));
            return;
        }
        // What was said of fewer rounds no longer matters.
        report.notes.retain(|note| !note.starts_with(CHECKED_WITH));
        report.notes.extend(new_notes);
        report.diagnostics.extend(new_diagnostics);
        report.engine = Some(portfolio.name().to_owned());
        (*found, *lessons, *request) = (again, known, larger);
    }
}

/// A third of the time is left, so that a harder question may be answered.
fn has_time(run: &Run) -> bool {
    let total = run.budget().time.filter(|_| run.budget().work.is_none());
    total.is_some_and(|total| run.elapsed() * 3 < total * 2)
}

/// What would help where the answer falls short.
fn advice(request: &Fix, verdict: &FixVerdict) -> Option<String> {
    let rounds = request.settings.bmc.unwind.unwrap_or(UNWIND);
    let no_machine = request.model.machine.is_none();
    match verdict {
        FixVerdict::Unknown { reason: Reason::Vacuous { .. } } if no_machine => Some(format!(
            "to help: --unwind {}, so that loops come to what the property speaks about",
            rounds + 1
        )),
        FixVerdict::Unknown { reason: Reason::Timeout } => Some(match no_machine && rounds > 1 {
            true => format!(
                "to help: a longer --timeout, or --unwind {} for a repair that is checked less far",
                rounds - 1
            ),
            false => {
                "to help: a longer --timeout, or --method extract for a repair that need not be the fewest"
                    .into()
            }
        }),
        FixVerdict::Repaired { proof: Proof::Bounded, .. }
        | FixVerdict::AlreadySafe { proof: Proof::Bounded }
            if no_machine =>
        {
            Some(format!(
                "to help: --unwind {} and a longer --timeout check more rounds of each loop",
                rounds + 1
            ))
        }
        FixVerdict::Repaired { proof: Proof::Bounded, .. }
        | FixVerdict::AlreadySafe { proof: Proof::Bounded } => {
            Some("to help: a longer --timeout, for larger buffers and for engines that prove".into())
        }
        _ => None,
    }
}

/// The text that is to be changed, and the program that it means under the model.
struct Text<'a> {
    request: &'a Fix,
    input: &'a Input,
    loaded: &'a Loaded,
    program: &'a Program,
    run: &'a Run,
    watch: &'a Watch,
}

impl Text<'_> {
    /// What was found, in words about the text. `Err`: the text, read again, contradicts the search.
    fn verdict(
        &self,
        found: Found,
        fences: &Fences,
        engine: &dyn Engine,
        report: &mut FixReport,
    ) -> Result<FixVerdict, String> {
        let unrepairable = |why: &str| Ok(FixVerdict::Unrepairable { why: why.into() });
        match found {
            Found::AlreadySafe { proof } => Ok(FixVerdict::AlreadySafe { proof }),
            Found::BrokenUnderSc => {
                unrepairable("the property is violated under sc too, so fences cannot help")
            }
            Found::Unrepairable { race: true } => unrepairable(
                "a data race is left with the strongest fence at every place: fences make no access atomic",
            ),
            Found::Unrepairable { race: false } => unrepairable(
                "still violated with the strongest fence at every place (places inside atomic sections are not tried)",
            ),
            Found::NotSafe => {
                unrepairable("not relaxed, because it is unsafe as it stands; run fix without --relax first")
            }
            Found::Unknown { reason } => Ok(FixVerdict::Unknown { reason }),
            Found::Internal { what } => Err(what),
            Found::Repaired { proof, count, source_count, minimal, sets, source, hints, undecided } => {
                let left = undecided.filter(|_| !minimal);
                report.notes.extend(left.map(|why| format!("a set was left undecided ({why})")));
                let source: Vec<Insertion> = source.iter().map(|one| fences.as_written(one)).collect();
                let (request, loaded) = (self.request, self.loaded);
                let judge = (engine, &proof, &hints);
                let edited = repaired_text(request, loaded, &source, judge, self.run, self.watch);
                let edited = self.shown(edited, report)?;
                let new = edited.as_ref().and_then(|text| new_statements(loaded, text));
                let describe = |set: &Vec<Insertion>| {
                    set.iter().map(|one| placement(&loaded.sources, self.program, one)).collect()
                };
                Ok(FixVerdict::Repaired {
                    proof: self::proof(&proof),
                    count,
                    source_count: new.or(source_count),
                    minimal,
                    sets: sets.iter().map(describe).collect(),
                    edited,
                })
            }
            Found::Relaxed { proof, keep, remove, minimal, hints } => {
                let edited = match remove.is_empty() {
                    true => None,
                    false => self.shown(self.without(&remove, &hints), report)?,
                };
                let describe = |fence: &Existing| existing(&self.loaded.sources, self.program, fence);
                let [keep, remove] = [keep, remove].map(|fences| fences.iter().map(describe).collect());
                Ok(FixVerdict::Relaxed { proof, keep, remove, minimal, edited })
            }
        }
    }

    /// The text without some of its fences, checked again.
    fn without(&self, remove: &[Existing], hints: &Hints) -> Result<Edited, NoEdit> {
        let Text { request, loaded, run, watch, .. } = self;
        let spans: Vec<Span> = remove.iter().map(|fence| fence.origin.0).collect();
        let edits = (loaded.frontend.remove)(&loaded.sources, loaded.file, &spans);
        edited(request, loaded, &edits.map_err(NoEdit::Undecided)?, hints, run, watch)
    }

    fn shown(
        &self,
        edited: Result<Edited, NoEdit>,
        report: &mut FixReport,
    ) -> Result<Option<Edited>, String> {
        show_or_write(self.request, self.input, self.loaded, edited, report).map_err(|why| why.to_string())
    }
}

/// The fences to choose from: as the model's vocabulary has them, and as the text says them.
pub(crate) struct Fences(Vec<(Fence, Fence)>);

impl Fences {
    /// `spoken` are the fences that the text can say; `program` is what became of it.
    fn new(spoken: Vec<Fence>, program: &Program, memory: &MemoryModel) -> Fences {
        let to = memory.vocabulary.unwrap_or(program.vocabulary);
        let mean = |fence: &Fence, wanted: &Fence| {
            fence == wanted
                || retarget_fence(fence, to)
                    .is_some_and(|sequence| matches!(&sequence[..], [it] if it.tag == wanted.tag))
        };
        // Of those that become the same, the strongest says best what is meant.
        let say = |wanted: Fence| {
            let saying = spoken.iter().filter(|fence| mean(fence, &wanted));
            let strongest = saying.max_by_key(|fence| fence.orders.0.count_ones())?;
            Some((wanted, strongest.clone()))
        };
        Fences(wattle_repair::kinds(program.vocabulary, memory).into_iter().filter_map(say).collect())
    }

    /// Can this kind be chosen?
    fn has(&self, kind: &str, vocabulary: Vocabulary) -> bool {
        let is_it = |op: &Op| wattle_repair::kind(op).eq_ignore_ascii_case(kind);
        let flushes = vocabulary == Vocabulary::Rma && kind.eq_ignore_ascii_case("flush");
        flushes || self.0.iter().any(|(fence, _)| is_it(&Op::Fence(fence.clone())))
    }

    pub(crate) fn as_written(&self, insertion: &Insertion) -> Insertion {
        let mut written = insertion.clone();
        if let Op::Fence(fence) = &mut written.op
            && let Some((_, spoken)) = self.0.iter().find(|(known, _)| known == fence)
        {
            *fence = spoken.clone();
        }
        written
    }
}

/// What a search for fences found.
enum Found {
    AlreadySafe {
        proof: Proof,
    },
    BrokenUnderSc,
    Repaired {
        proof: wattle_repair::Proof,
        count: usize,
        source_count: Option<usize>,
        minimal: bool,
        sets: Vec<Vec<Insertion>>,
        /// The set that the text shows: the same fences in all copies, unless asked otherwise.
        source: Vec<Insertion>,
        /// What the search leaves for the check of the edited text.
        hints: Hints,
        /// Why it is not known to be the fewest, where an engine left a set undecided.
        undecided: Option<Reason>,
    },
    /// The program may have no meaning even with all fences, or something else is violated.
    Unrepairable {
        race: bool,
    },
    Relaxed {
        proof: Proof,
        keep: Vec<Existing>,
        remove: Vec<Existing>,
        minimal: bool,
        hints: Hints,
    },
    NotSafe,
    Unknown {
        reason: Reason,
    },
    Internal {
        what: String,
    },
}

impl Found {
    /// Does it hold for some rounds of each loop only, or is nothing reached within so many?
    fn is_about_rounds(&self) -> bool {
        match self {
            Found::AlreadySafe { proof } => *proof == Proof::Bounded,
            Found::Repaired { proof, .. } => {
                matches!(proof, wattle_repair::Proof::Bounded(Bound::Unwinding(_)))
            }
            Found::Unknown { reason } => matches!(reason, Reason::Vacuous { .. }),
            _ => false,
        }
    }
}

/// How the note of a bound begins.
const CHECKED_WITH: &str = "checked with ";

/// The search over all kinds of fences; where it ends because an engine does not handle the weaker kinds,
/// over full fences alone. A full fence does what a weaker one does, so fewest of them is fewest of all.
fn search(
    asked: Asked<'_>,
    request: &Fix,
    engine: &dyn Engine,
    lessons: &mut Lessons,
    run: &Run,
    report: &mut FixReport,
) -> Found {
    let fences = asked.fences;
    let found = search_among(asked, request, engine, lessons, run, report);
    let strongest = fences.0.iter().filter(|(fence, _)| fence.orders == Orders::ALL);
    let strongest = Fences(strongest.cloned().collect());
    let given_up = match &found {
        Found::Unknown { reason } => !is_limit(reason),
        Found::Repaired { minimal, undecided: Some(Reason::Unsupported(_)), .. } => !minimal,
        _ => false,
    };
    let narrower = !strongest.0.is_empty() && strongest.0.len() < fences.0.len();
    if !given_up || !narrower || !request.costs.is_empty() {
        return found;
    }
    report.notes.push("only full fences were tried: no engine could handle the weaker ones here".into());
    // What was learnt is about other fences.
    *lessons = Lessons::default();
    search_among(Asked { fences: &strongest, ..asked }, request, engine, &mut Lessons::default(), run, report)
}

/// A limit of the user's, which would be met again.
fn is_limit(reason: &Reason) -> bool {
    use Reason::{Interrupted, Memory, NoInitialState, States, Timeout, Vacuous, Work};
    matches!(reason, Timeout | Memory | States | Work | Interrupted | NoInitialState | Vacuous { .. })
}

/// Call `repair`, and put its outcome into the words of this file.
fn search_among(
    Asked { task, loaded, fences }: Asked<'_>,
    request: &Fix,
    engine: &dyn Engine,
    lessons: &mut Lessons,
    run: &Run,
    report: &mut FixReport,
) -> Found {
    let kinds: Vec<Fence> = fences.0.iter().map(|(fence, _)| fence.clone()).collect();
    let places = wattle_repair::places(task.program, task.memory, request.anywhere, &kinds);
    let options = wattle_repair::Options {
        anywhere: request.anywhere,
        objective: if request.per_thread { Objective::PerThread } else { Objective::Total },
        method: request.method,
        all: match request.all {
            All::One => wattle_repair::All::One,
            All::Minimum => wattle_repair::All::Minimum,
            All::Subset => wattle_repair::All::Subset,
        },
        costs: request.costs.iter().map(|(kind, cost)| (kind.to_lowercase().into(), *cost)).collect(),
        kinds: Some(kinds),
        statements: statements(loaded, &places, fences),
    };
    // A panic must not take the other files with it.
    let found = catch_unwind(AssertUnwindSafe(|| match request.relax {
        true => relaxed(task, engine, &options, run, report),
        false => repaired(task, engine, &options, lessons, run, report),
    }));
    match found {
        Ok(Ok(found)) => found,
        Ok(Err(Halt::Unknown(reason))) => Found::Unknown { reason },
        Ok(Err(Halt::Contradiction(contradiction))) => Found::Internal { what: contradiction.to_string() },
        Err(panic) => Found::Internal { what: format!("the search panicked: {}", panic_text(&*panic)) },
    }
}

fn repaired(
    task: &Task<'_>,
    engine: &dyn Engine,
    options: &wattle_repair::Options,
    lessons: &mut Lessons,
    run: &Run,
    report: &mut FixReport,
) -> Result<Found, Halt> {
    let repair = wattle_repair::repair_knowing(task, engine, options, lessons, run)?;
    let notes = &mut report.head.notes;
    report.statistics = repair.statistics;
    let hints = &repair.hints;
    match &repair.result {
        Repairability::AlreadySafe { proof }
        | Repairability::Repaired(wattle_repair::Repaired { proof, .. }) => match proof {
            wattle_repair::Proof::Bounded(bound) => notes.push(format!("{CHECKED_WITH}{bound}")),
            proved => report.head.diagnostics.extend(vacuity(task, proved)),
        },
        _ => {}
    }
    let of_repair = |repaired: wattle_repair::Repaired, minimal: bool| {
        let chosen = repaired.solutions.first().cloned().unwrap_or_default();
        let source = match &repaired.source {
            Some(source) => source.insertions.clone(),
            None => wattle_repair::merge_copies(task.program, &chosen),
        };
        Found::Repaired {
            proof: repaired.proof,
            count: repaired.count,
            source_count: repaired.source.map(|source| source.count),
            minimal: minimal && repaired.minimal,
            sets: repaired.solutions,
            source,
            hints: hints.clone(),
            undecided: repair.undecided.clone(),
        }
    };
    Ok(match repair.result {
        Repairability::AlreadySafe { proof: of } => Found::AlreadySafe { proof: proof(&of) },
        Repairability::BrokenUnderSc { .. } => Found::BrokenUnderSc,
        Repairability::Unrepairable { counterexample } => {
            Found::Unrepairable { race: matches!(counterexample.violated, Violation::Undefined { .. }) }
        }
        Repairability::Repaired(repaired) => {
            if !repaired.complete && options.all != wattle_repair::All::One {
                notes.push("there may be more sets: the search ended early".into());
            }
            of_repair(repaired, true)
        }
        Repairability::Unknown(unknown) => match unknown.best {
            None => Found::Unknown { reason: unknown.reason },
            Some(best) => {
                let (reason, least) = (unknown.reason, unknown.at_least);
                notes.push(format!("the search ended early ({reason}); no repair costs less than {least}"));
                of_repair(best, false)
            }
        },
    })
}

/// The warning that a proof deserves if it is about nothing. Old edges have the same numbers with and without
/// fences. (The portfolio rejects bounded proofs that are vacuous.)
fn vacuity(task: &Task<'_>, proof: &wattle_repair::Proof) -> Option<Diagnostic> {
    let wattle_repair::Proof::Safe { coverage: Some(coverage), .. } = proof else { return None };
    Reach::new(task.program, coverage).vacuity(task.property)
}

fn relaxed(
    task: &Task<'_>,
    engine: &dyn Engine,
    options: &wattle_repair::Options,
    run: &Run,
    report: &mut FixReport,
) -> Result<Found, Halt> {
    let relaxing = wattle_repair::relax(task, engine, options, run)?;
    report.statistics = relaxing.statistics;
    if let Relaxed::Fewest { proof, .. } = &relaxing.result {
        report.diagnostics.extend(vacuity(task, proof));
    }
    Ok(match relaxing.result {
        Relaxed::NotSafe { .. } => Found::NotSafe,
        Relaxed::Unknown { reason } => Found::Unknown { reason },
        Relaxed::Fewest { keep, remove, minimal, proof: of } => {
            Found::Relaxed { proof: proof(&of), keep, remove, minimal, hints: relaxing.hints }
        }
    })
}

fn proof(proof: &wattle_repair::Proof) -> Proof {
    match proof {
        wattle_repair::Proof::Safe { .. } => Proof::Safe,
        wattle_repair::Proof::Bounded(_) => Proof::Bounded,
    }
}

fn placement(sources: &Sources, program: &Program, insertion: &Insertion) -> Placement {
    let place = &insertion.place;
    let process = program.process(place.process);
    let span = match place.spot {
        Spot::After(origin) => origin.0,
        Spot::Before(point) => process.cfg.point(point).origin.0,
    };
    let after = match (place.spot, wattle_repair::describe(program, place)) {
        (Spot::Before(_), _) => format!("the point before `{}`", statement_text(sources, span)),
        (Spot::After(_), text) if text.is_empty() => statement_text(sources, span),
        (Spot::After(_), text) => text,
    };
    Placement {
        thread: process.name.to_string(),
        copy: place.copy,
        line: (!span.is_nowhere()).then(|| sources.start(span).line),
        file: file_of(sources, span),
        after,
        kind: wattle_repair::kind(&insertion.op).to_string(),
        target: target(program, &insertion.op),
    }
}

/// The file of a place, if it is not the first.
fn file_of(sources: &Sources, span: Span) -> Option<String> {
    (span.file != FileId::default()).then(|| sources.name(span.file).to_owned())
}

/// A fence that the text has.
fn existing(sources: &Sources, program: &Program, fence: &Existing) -> Placement {
    let span = fence.origin.0;
    Placement {
        thread: program.process(fence.process).name.to_string(),
        copy: None,
        line: (!span.is_nowhere()).then(|| sources.start(span).line),
        file: file_of(sources, span),
        after: statement_text(sources, span),
        kind: wattle_repair::kind(&fence.op).to_string(),
        target: match flushes_several(program, fence) {
            true => Some("*".into()),
            false => target(program, &fence.op),
        },
    }
}

/// Is it a `flush(*)`, one step with a flush of each thread?
fn flushes_several(program: &Program, fence: &Existing) -> bool {
    let edges = &program.process(fence.process).cfg.edges;
    edges.iter().filter(|edge| edge.origin == fence.origin).any(|edge| {
        let flushes = edge.ops.iter().filter(|op| matches!(op, Op::Flush { .. }));
        flushes.count() > 1
    })
}

/// Whom a flush waits for.
fn target(program: &Program, op: &Op) -> Option<String> {
    let Op::Flush { process, copy } = op else { return None };
    let process = program.process(*process);
    Some(match copy.as_value() {
        _ if process.replicas.count() == Some(1) => process.name.to_string(),
        Some(copy) => format!("{}[{copy}]", process.name),
        None => format!("{}[…]", process.name),
    })
}
