//! One search for fences in a process of its own.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wattle_driver::engines::{Constructor, ENGINES, Registry, Settings};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, models};
use wattle_engine::{
    Answer, Budget, Contradiction, Engine, Estimate, Executions, Outcomes, Run, Task, Unsupported,
};
use wattle_memory::reduction::{Contents, Keeps};
use wattle_report::{FixVerdict, Placement, Proof};
use wattle_smt::Library;

use crate::bmc::{processor, resident};
use crate::child::{self, Done};

/// What to repair, and how.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub text: String,
    pub model: String,
    /// Engine refine and no other?
    pub alone: bool,
    pub contents: Contents,
    pub keeps: Keeps,
    pub seconds: u64,
}

impl Job {
    fn arguments(&self) -> Vec<String> {
        let havoc = self.contents == Contents::Havoc;
        let newest = self.keeps == Keeps::Newest;
        let flags = [self.alone, havoc, newest].map(|flag| flag.to_string());
        [&[self.text.clone(), self.model.clone()], &flags[..], &[self.seconds.to_string()]].concat()
    }

    fn parse(arguments: &[String]) -> Result<Job, String> {
        let [text, model, alone, havoc, newest, seconds] = arguments else {
            return Err("six arguments describe a job".into());
        };
        Ok(Job {
            text: text.clone(),
            model: model.clone(),
            alone: alone == "true",
            contents: if havoc == "true" { Contents::Havoc } else { Contents::Set },
            keeps: if newest == "true" { Keeps::Newest } else { Keeps::Oldest },
            seconds: seconds.parse().map_err(|_| format!("`{seconds}` is no number"))?,
        })
    }

    /// In a child.
    pub(super) fn run(&self) -> Result<Done, String> {
        child::measure("refine", &self.arguments(), self.seconds)
    }
}

/// The child's side: look for fences, and print figures.
pub(super) fn one(arguments: &[String]) -> Result<bool, String> {
    let job = Job::parse(arguments)?;
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut settings = Settings { smt: Library::beside(&executable), ..Settings::default() };
    settings.engines = noting();
    settings.refine.contents = job.contents;
    settings.refine.keeps = job.keeps;
    settings.refine.ignore_given = true;
    settings.extrapolate.ignore_given = true;
    let request = Fix {
        engine: job.alone.then(|| REFINE.into()),
        settings,
        budget: Budget { time: Some(Duration::from_secs(job.seconds)), ..Budget::default() },
        ..Fix::new(models::resolve(&job.model, false)?)
    };
    let before = processor();
    let report = fix(&request, &Input::file(Path::new(&job.text)), &Watch::default())?;
    let (cpu, working) = (processor(), processor() - before);
    let proved = |proof: Proof| if proof == Proof::Safe { "safe" } else { "bounded" };
    match &report.verdict {
        FixVerdict::AlreadySafe { proof } => {
            println!("verdict=already {}\nfences=0\nper process=0\nminimal=true", proved(*proof));
        }
        FixVerdict::Repaired { proof, count, minimal, sets, .. } => {
            let most = sets.first().map_or(0, |set| per_process(set));
            println!("verdict={}\nfences={count}\nper process={most}\nminimal={minimal}", proved(*proof));
        }
        FixVerdict::Unknown { reason } => match reason.to_string() {
            why if why.starts_with("time limit") => println!("verdict=T/O"),
            why => println!("verdict=unknown: {why}"),
        },
        FixVerdict::Internal { what } => println!("verdict=INTERNAL ERROR: {what}"),
        other => println!("verdict={}", other.word()),
    }
    println!("cpu={cpu}\nworking={working}\nmb={}", resident());
    println!("engine={}", report.engine.as_deref().unwrap_or("–"));
    match MOST.load(Ordering::Relaxed) {
        0 => {}
        most => println!("{TEMPLATES}={most}"),
    }
    child::print(&report.statistics);
    Ok(true)
}

/// The most fences in one copy of a process.
fn per_process(set: &[Placement]) -> usize {
    let in_it = |one: &Placement| {
        let same = |other: &&Placement| (&other.thread, other.copy) == (&one.thread, one.copy);
        set.iter().filter(same).count()
    };
    set.iter().map(in_it).max().unwrap_or(0)
}

const REFINE: &str = "refine";
pub(super) const TEMPLATES: &str = "parameterised predicates";

/// The greatest number of parameterised predicates so far.
static MOST: AtomicU64 = AtomicU64::new(0);

/// The engines of wattle; what refine says of its predicates is noted, because a search for fences asks it often
/// and reports its own figures.
fn noting() -> Registry {
    let noting = |engine: &Constructor| match engine.name {
        REFINE => Constructor {
            build: |settings| {
                let own = ENGINES.iter().find(|engine| engine.name == REFINE).expect("it is one of the list");
                Box::new(Noting((own.build)(settings)))
            },
            ..*engine
        },
        _ => *engine,
    };
    Registry(Vec::leak(ENGINES.iter().map(noting).collect()))
}

struct Noting(Box<dyn Engine>);

impl Engine for Noting {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        self.0.accepts(task)
    }

    fn estimate(&self, task: &Task<'_>) -> Estimate {
        self.0.estimate(task)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let answer = self.0.check(task, run)?;
        MOST.fetch_max(answer.statistics.counted(TEMPLATES).unwrap_or(0), Ordering::Relaxed);
        Ok(answer)
    }

    fn lists(&self) -> Option<&dyn Outcomes> {
        self.0.lists()
    }

    fn counts(&self) -> Option<&dyn Executions> {
        self.0.counts()
    }
}
