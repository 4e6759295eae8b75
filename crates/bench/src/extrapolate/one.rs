//! One proof in a process of its own.

use std::path::Path;
use std::time::Duration;

use wattle_driver::{Input, load};
use wattle_engine::{Budget, Engine, Property, Run, Task, Verdict};
use wattle_engine_extrapolate::{Extrapolate, Method, Room, Rules, SearchBy};
use wattle_program::passes;
use wattle_smt::Library;

use super::fences::with_fences;
use crate::bmc::{processor, resident};
use crate::child::{self, Done};

/// What to prove, and how.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub text: String,
    pub model: String,
    pub method: String,
    /// `lazy`, `implicants` or `cubes`.
    pub search: String,
    pub cube_size: usize,
    /// 0: as many as it takes.
    pub slots: u32,
    pub fences: Vec<usize>,
    /// With the predicates of the text and no others, as in the paper; otherwise all are found.
    pub given: bool,
    pub seconds: u64,
}

impl Job {
    fn arguments(&self) -> Vec<String> {
        let fences: Vec<String> = self.fences.iter().map(usize::to_string).collect();
        vec![
            self.text.clone(),
            self.model.clone(),
            self.method.clone(),
            self.search.clone(),
            self.cube_size.to_string(),
            self.slots.to_string(),
            format!("-{}", fences.join(",")),
            self.given.to_string(),
            self.seconds.to_string(),
        ]
    }

    fn parse(arguments: &[String]) -> Result<Job, String> {
        let [text, model, method, search, cube_size, slots, fences, given, seconds] = arguments else {
            return Err("nine arguments describe a job".into());
        };
        let number = |text: &str| text.parse::<usize>().map_err(|_| format!("`{text}` is no number"));
        let fences = fences.trim_start_matches('-').split(',').filter(|text| !text.is_empty());
        Ok(Job {
            text: text.clone(),
            model: model.clone(),
            method: method.clone(),
            search: search.clone(),
            cube_size: number(cube_size)?,
            slots: number(slots)? as u32,
            fences: fences.map(number).collect::<Result<_, _>>()?,
            given: given == "true",
            seconds: number(seconds)? as u64,
        })
    }

    /// In a child.
    pub(super) fn run(&self) -> Result<Done, String> {
        child::measure("extrapolate", &self.arguments(), self.seconds)
    }
}

/// The child's side: prove, and print figures.
pub(super) fn one(arguments: &[String]) -> Result<bool, String> {
    let job = Job::parse(arguments)?;
    let memory = wattle_memory::find(&job.model).ok_or("no such memory model")?;
    let loaded =
        load(&Input::file(Path::new(&job.text))).map_err(|_| format!("{}: cannot be read", job.text))?;
    let program = with_fences(&loaded.parsed.program, memory, &job.fences);
    // The paper's locals are never forgotten.
    let program = if job.given { program } else { passes::forget_dead(&program) };
    // With a star: without the rule that buffers one variable of a predicate.
    let (name, one_buffered) = match job.method.strip_suffix('*') {
        Some(name) => (name, false),
        None => (job.method.as_str(), true),
    };
    let method = Method::ALL.iter().find(|(known, _)| *known == name).ok_or("no such method")?.1;
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let engine = Extrapolate {
        smt: Library::beside(&executable),
        method,
        search: if job.search == "cubes" { SearchBy::Cubes } else { SearchBy::Implicants },
        cube_size: (job.search != "lazy").then_some(job.cube_size),
        buffer: (job.slots > 0).then(|| Room::all(job.slots)),
        ignore_given: !job.given,
        no_refinement: job.given,
        rules: Rules { one_buffered, ..Rules::default() },
    };
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let time = Some(Duration::from_secs(job.seconds));
    let before = processor();
    let answer =
        engine.check(&task, &Run::new(Budget { time, ..Budget::default() })).expect("no contradiction");
    let verdict = match &answer.verdict {
        Verdict::Safe { .. } => "safe".to_owned(),
        Verdict::SafeUpTo { .. } => "bounded".to_owned(),
        Verdict::Unsafe { .. } => "unsafe".to_owned(),
        Verdict::Unknown { reason } => match reason.to_string() {
            why if why.starts_with("time limit") => "T/O".into(),
            why => why,
        },
    };
    println!("verdict={verdict}\ncpu={}\nworking={}\nmb={}", processor(), processor() - before, resident());
    child::print(&answer.statistics);
    Ok(true)
}
