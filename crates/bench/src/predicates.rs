//! `agree --extrapolate COUNT [SEED]`: proofs by predicates against explicit search.
//!
//! Random finite programs under sc, tso and pso: neither engine may contradict the other, counterexamples
//! must replay, and every proof must pass its checker, on the program before any pass. Every other program
//! gets atomic sections of several steps: some of its points are marked as inside. What was not decided
//! is counted by its reason.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use wattle_engine::{Answer, Budget, Certificate, Engine, Reason, Run, Task, Verdict, certify};
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::Extrapolate;
use wattle_generate::{Flavour, Profile, Rng};
use wattle_logic::Kind;
use wattle_program::{Mode, Program};
use wattle_smt::Library;
use wattle_testing::agree::{Effort, engines_agree_and};
use wattle_testing::laws::{self, Law};

const TIME: Duration = Duration::from_secs(2);
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

pub fn run(count: u64, seed: u64) -> Result<bool, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let smt = Library::beside(&executable);
    let library = Library::find(&smt).map_err(|why| why.to_string())?;
    let (explore, extrapolate) = (Explore::default(), Extrapolate { smt, ..Extrapolate::default() });
    let effort = Effort { states: 50_000, polls: u64::MAX, time: Some(TIME) };
    let tally: RefCell<BTreeMap<String, u64>> = RefCell::default();
    let also = |task: &Task<'_>, answer: Option<&Answer>| {
        let what = match answer {
            None => match extrapolate.accepts(task) {
                Err(why) => format!("refused: {why}"),
                Ok(()) => "refused by explore".into(),
            },
            Some(answer) => look(task, answer, &library)?,
        };
        *tally.borrow_mut().entry(what).or_default() += 1;
        Ok(())
    };
    let law: Law<'_> = &|program, seed| {
        let program = match seed % 2 {
            0 => program.clone(),
            _ => with_sections(program, seed),
        };
        engines_agree_and(&explore, &extrapolate, &MODELS, effort, &program, &also)
    };
    let tested = laws::test(law, &profile, seed..seed + count);
    for (what, count) in tally.borrow().iter() {
        println!("{count:8} {what}");
    }
    match tested {
        Ok(record) => {
            let (compared, telling) = (record.compared, record.telling);
            println!("{count} programs from seed {seed}: {compared} compared, {telling} telling");
            println!("{compared} passed, 0 failed");
            Ok(true)
        }
        Err(failure) => {
            println!("{failure}");
            Ok(false)
        }
    }
}

fn profile(seed: u64) -> Profile {
    let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Sc];
    let small = Profile::small(flavours[(seed % 3) as usize]);
    Profile { loops: 150, litmus: 0, unsupported: 0, ..small }
}

/// What became of a task, in words. `Err`: a proof that does not pass.
fn look(task: &Task<'_>, answer: &Answer, library: &Library) -> Result<String, String> {
    Ok(match &answer.verdict {
        Verdict::Safe { certificate: Certificate::Abstraction { proof, .. } } => {
            let run = Run::new(Budget { time: Some(TIME * 5), ..Budget::default() });
            match certify::abstraction(task, proof, library, &run) {
                Ok(_) => "safe, certified".into(),
                Err(reason) if certify::is_contradiction(&reason) => {
                    return Err(format!("a proof does not pass its checker: {reason}"));
                }
                Err(reason) => format!("safe, not certified: {reason}"),
            }
        }
        Verdict::Safe { .. } => return Err("a proof of another kind".into()),
        Verdict::SafeUpTo { .. } => "bounded".into(),
        Verdict::Unsafe { .. } => "unsafe, replayed".into(),
        // The rest of the text is about one program.
        Verdict::Unknown { reason: Reason::GaveUp(why) } => {
            format!("unknown: {}", why.split([':', ',']).next().unwrap_or(why))
        }
        Verdict::Unknown { reason } => format!("unknown: {reason}"),
    })
}

/// With atomic sections over several steps: some points, not the first, not an end and none that a property
/// names, where nothing else moves.
fn with_sections(program: &Program, seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let mut named: Vec<(u32, u32)> = Vec::new();
    for property in &program.properties {
        property.formula.walk(&mut |term| {
            if let Kind::At { process, point, .. } = term.kind() {
                named.push((*process, *point));
            }
        });
    }
    let mut marked = program.clone();
    for (number, process) in (0..).zip(&mut marked.processes) {
        let entry = process.cfg.entry;
        for (point, info) in (0..).zip(&mut process.cfg.points) {
            let fits = point != entry.0 && !info.end && !named.contains(&(number, point));
            if fits && info.inside.is_none() && rng.chance(300) {
                info.inside = Some(if rng.chance(500) { Mode::Locked } else { Mode::Buffered });
            }
        }
    }
    marked
}
