//! The explicit-state engine agrees with the naive search, and a comparison that could not fail would
//! be worth nothing: engines that lie are found out.

use wattle_engine::{
    Answer, Budget, Certificate, Contradiction, Engine, Halt, OutcomeSet, Outcomes, Property, Run,
    Statistics, Task, Unsupported, Verdict,
};
use wattle_engine_explore::Explore;
use wattle_generate::Profile;
use wattle_judge::certify;
use wattle_memory::{MemoryModel, find};
use wattle_program::Program;
use wattle_testing::compare::Disagreement;
use wattle_testing::{Failure, Limits, Subject, Tally, compare, shrink, with_sections};

fn models(profile: &Profile) -> Vec<&'static MemoryModel> {
    let names: &[&str] =
        if profile.is_rma() { &["sc", "rma-in-order", "rma"] } else { &["sc", "tso", "pso"] };
    names.iter().filter_map(|name| find(name)).collect()
}

/// Compare on the programs of some seeds; the first disagreement, shrunk.
fn agree(
    subjects: &[Subject<'_>],
    limits: &Limits,
    seeds: std::ops::Range<u64>,
) -> Result<Tally, Box<Failure>> {
    let mut tally = Tally::default();
    for seed in seeds {
        let profile = Profile::varied(seed);
        let mut program = wattle_generate::program(seed, &profile);
        if seed % 4 == 3 {
            program = with_sections(&program, seed);
        }
        let models = models(&profile);
        let ask = |program: &Program| compare(program, &models, subjects, limits);
        match ask(&program) {
            Ok(comparison) => tally.add(&comparison),
            Err(first) => {
                let program = shrink(&program, &|smaller| ask(smaller).is_err());
                let disagreement: Disagreement = ask(&program).err().unwrap_or(first);
                return Err(Box::new(Failure { seed, disagreement, program }));
            }
        }
    }
    Ok(tally)
}

/// A step into a locked section stops the own buffer, so it does not go first.
#[test]
fn a_buffered_section_may_become_locked() {
    let text = "wir 1
program \"becomes locked\"
vocabulary generic
variable x : int init 0
process p0
  entry 0
  point 0
  point 1 inside buffered
  point 2 inside locked
  point 3
  point 4 end
  edge 0 -> 1 do store &x = 0 @1..2
  edge 1 -> 2 locked @2..3
  edge 2 -> 3 do fence fence rr rw wr ww cumulative at &x @3..4
  edge 3 -> 4 do assert false @0..0 @5..6
";
    let mut sources = wattle_source::Sources::default();
    let file = sources.add("locked.wir", text);
    let program = wattle_program::text::parse(&sources, file).unwrap();
    let task =
        Task { program: &program, memory: find("tso").unwrap(), property: Property::Stated, hints: None };
    let answer = Explore::default().check(&task, &Run::new(Budget::default())).unwrap();
    assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{:?}", answer.verdict);
}

#[test]
fn explore_agrees_with_the_naive_search() {
    let limits = Limits::default();
    let explore = |reduction, threads| Explore {
        reduction,
        threads,
        max_capacity: Some(limits.capacity),
        ..Explore::default()
    };
    let engines = [explore(true, 1), explore(false, 1)];
    let subjects = [("reduced", false), ("unreduced", true)];
    let subjects: Vec<Subject<'_>> = (engines.iter().zip(subjects))
        .map(|(engine, (name, exact))| Subject {
            name,
            engine,
            outcomes: Some(engine),
            exact,
            lists_unreached: true,
        })
        .collect();
    let tally = agree(&subjects, &limits, 1_000..1_600).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tally.share(tally.trivial) < 40.0, "{tally}");
    assert!(tally.share(tally.sensitive) > 5.0, "{tally}");
    assert!(tally.share(tally.too_large) < 8.0, "{tally}");
    assert!(tally.incomparable * 10 < tally.compared, "{tally}");
}

/// What a lying engine does to the truth.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// Everything is safe.
    Safe,
    /// Buffers do not exist.
    Sc,
    /// The last outcome is forgotten.
    Forgetful,
    /// One state too few.
    Miscounted,
}

#[derive(Debug)]
struct Liar(Lie);

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }
    fn accepts(&self, _: &Task<'_>) -> Result<(), Unsupported> {
        Ok(())
    }
    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let honest = Explore { reduction: false, threads: 1, max_capacity: Some(4), ..Explore::default() };
        let sc = find("sc").expect("sc is in the catalogue");
        let mut answer = match self.0 {
            Lie::Sc => honest.check(&Task { memory: sc, ..*task }, run)?,
            _ => honest.check(task, run)?,
        };
        if let (Lie::Safe, Verdict::Unsafe { .. }) = (self.0, &answer.verdict) {
            let certificate = Certificate::StateSpace { capacity: 4 };
            answer = Answer::new(Verdict::Safe { certificate }, Statistics::default());
        }
        if let (Lie::Miscounted, Verdict::Safe { .. }) = (self.0, &answer.verdict) {
            let states = answer.statistics.counted("states").unwrap_or_default();
            answer.statistics.count("states", states - 1);
        }
        Ok(answer)
    }
}

impl Outcomes for Liar {
    fn outcomes(&self, task: &Task<'_>, run: &Run) -> Result<OutcomeSet, Halt> {
        let mut found = certify::explore_all(task, None, false, run)?.outcomes;
        if let Lie::Forgetful = self.0 {
            found.pop_last();
        }
        Ok(found)
    }
}

#[test]
fn lies_are_found_out() {
    for lie in [Lie::Safe, Lie::Sc, Lie::Forgetful, Lie::Miscounted] {
        let liar = Liar(lie);
        let subject = Subject {
            name: "liar",
            engine: &liar,
            outcomes: Some(&liar),
            exact: true,
            lists_unreached: false,
        };
        let failure = agree(&[subject], &Limits::default(), 0..200).expect_err("nobody noticed");
        let edges: usize = failure.program.processes.iter().map(|process| process.cfg.edges.len()).sum();
        assert!(edges <= 6, "{lie:?} is not shrunk: {failure}");
        assert!(failure.to_string().contains("corpus/regressions"), "{failure}");
    }
}

/// Small programs never keep two workers busy, so large ones show that sharing the work changes
/// nothing: the same number of states, the same outcomes.
#[test]
fn two_workers_see_what_one_sees() {
    let mut profile = Profile::small(wattle_generate::Flavour::Pso);
    (profile.statements, profile.threads, profile.loops, profile.faults) = ((11, 14), (3, 3), 0, 0);
    let pso = find("pso").expect("pso is in the catalogue");
    let mut large = 0;
    for seed in 60_000..60_060 {
        let mut program = wattle_generate::program(seed, &profile);
        program.properties.clear();
        for edge in program.processes.iter_mut().flat_map(|process| &mut process.cfg.edges) {
            edge.ops.retain(|op| !matches!(op, wattle_program::Op::Assert { .. }));
        }
        let task = Task { program: &program, memory: pso, property: Property::Stated, hints: None };
        let ask = |threads: usize| {
            let engine = Explore { reduction: false, threads, max_capacity: Some(4), ..Explore::default() };
            let run = || Run::new(Budget { states: Some(150_000), ..Budget::default() });
            let answer = engine.check(&task, &run()).unwrap();
            let safe = matches!(answer.verdict, Verdict::Safe { .. });
            let states = answer.statistics.counted("states").filter(|_| safe);
            (states, engine.outcomes(&task, &run()).ok())
        };
        let alone = ask(1);
        if alone.0.is_some_and(|states| states > 15_000) {
            large += 1;
            assert_eq!(alone, ask(2), "seed {seed}");
        }
        if large == 6 {
            return;
        }
    }
    panic!("only {large} large programs");
}
