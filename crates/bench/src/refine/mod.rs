//! `refine`: the eight programs of Abdulla, Atig, Chen, Leonardsson and Rezine (SAS 2012), their Table 1 by one command.
//!
//! Each program is without fences and without given predicates, and the fewest fences are looked for and proved enough: by
//! engine `refine` alone, and by the engines that wattle chooses itself; under tso, as in the paper, and under pso. The
//! paper's figures stand in brackets. Seconds are processor time of one process a row, from its start.

mod one;
mod paper;

use std::fs;

use wattle_memory::reduction::{Contents, Keeps};

use crate::child::Done;
use crate::tables::root;
use one::{Job, TEMPLATES};
use paper::{ALGORITHMS, Algorithm};

const MODELS: [&str; 2] = ["tso", "pso"];
const WAYS: [(&str, bool); 2] = [("alone", true), ("automatic", false)];

/// Arguments: nothing for all of it, or some of `tso pso alone automatic` and names of programs; `--quick`,
/// `--limit SECONDS`; `--keep newest` and `--rest havoc` for the paper's buffers.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    if let [first, rest @ ..] = arguments
        && first == "--one"
    {
        return one::one(rest);
    }
    let (mut limit, mut contents, mut keeps) = (600, Contents::Set, Keeps::Oldest);
    let mut asked: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => limit = 20,
            "--limit" => {
                limit = rest.next().and_then(|text| text.parse().ok()).ok_or("--limit needs a number")?;
            }
            "--keep" => {
                keeps = match rest.next().map(String::as_str) {
                    Some("oldest") => Keeps::Oldest,
                    Some("newest") => Keeps::Newest,
                    _ => return Err("--keep needs oldest or newest".into()),
                }
            }
            "--rest" => {
                contents = match rest.next().map(String::as_str) {
                    Some("set") => Contents::Set,
                    Some("havoc") => Contents::Havoc,
                    _ => return Err("--rest needs set or havoc".into()),
                }
            }
            name => asked.push(name.to_lowercase()),
        }
    }
    let names: Vec<String> = ALGORITHMS.iter().map(|one| one.name.to_lowercase()).collect();
    let ways: Vec<&str> = WAYS.iter().map(|(name, _)| *name).collect();
    let known = |name: &&String| {
        names.contains(name) || MODELS.contains(&name.as_str()) || ways.contains(&name.as_str())
    };
    if let Some(unknown) = asked.iter().find(|name| !known(name)) {
        let all = [&MODELS[..], &ways].concat().join(", ");
        return Err(format!("`{unknown}` is none of {all} and no program: {}", names.join(", ")));
    }
    // What is not narrowed down is wanted whole.
    let wanted = |one: &str, among: &[&str]| {
        let some = asked.iter().any(|name| among.contains(&name.as_str()));
        !some || asked.iter().any(|name| name == one)
    };
    let programs: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut good = true;
    for model in MODELS.into_iter().filter(|model| wanted(model, &MODELS)) {
        println!("\nTable 1 under {model}; the paper's figures (tso) in brackets");
        println!(
            "| program | lines | engine | fences a process | in all | fewest | predicates | CPU s | verdict |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        let mut totals: Vec<Total> = WAYS.iter().map(|_| Total::default()).collect();
        for algorithm in ALGORITHMS.iter().filter(|one| wanted(&one.name.to_lowercase(), &programs)) {
            let lines = lines(algorithm)?;
            for ((way, alone), total) in WAYS.into_iter().zip(&mut totals) {
                if !wanted(way, &ways) {
                    continue;
                }
                let text = path(algorithm);
                let job = Job { text, model: model.into(), alone, contents, keeps, seconds: limit };
                let done = job.run()?;
                good &= total.add(algorithm, model, &done);
                show(algorithm, model, lines, &done, alone);
            }
        }
        for ((way, _), total) in WAYS.into_iter().zip(&totals) {
            total.show(way);
        }
    }
    Ok(good)
}

fn path(algorithm: &Algorithm) -> String {
    root().join("corpus").join(format!("{}.wtl", algorithm.text)).display().to_string()
}

/// Lines of the text that are neither empty nor a comment.
fn lines(algorithm: &Algorithm) -> Result<usize, String> {
    let path = path(algorithm);
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count())
}

/// All rows of one model and one way to choose engines.
#[derive(Default)]
struct Total {
    rows: usize,
    /// Repaired, proved safe, and with the fewest fences.
    right: usize,
    fences: u64,
    seconds: f64,
    theirs: f64,
}

impl Total {
    /// `false`: an answer that is wrong.
    fn add(&mut self, algorithm: &Algorithm, model: &str, done: &Done) -> bool {
        self.rows += 1;
        self.theirs += algorithm.seconds;
        self.seconds += done.number("cpu").unwrap_or(0.0);
        let fences = done.number("fences").map(|fences| fences as u64);
        self.fences += fences.unwrap_or(0);
        let (minimal, expected) = (done.get("minimal") == Some("true"), algorithm.total(model));
        let proved = done.verdict().ends_with("safe");
        self.right += usize::from(proved && minimal && fences == Some(expected));
        let word = done.verdict();
        let undecided = word == "T/O" || word.starts_with("unknown");
        // Fewer than are needed is wrong whoever says it; more is wrong if they are said to be the fewest.
        undecided || fences.is_some_and(|fences| fences >= expected && (fences == expected || !minimal))
    }

    fn show(&self, way: &str) {
        let Total { rows, right, fences, seconds, theirs } = self;
        if *rows > 0 {
            println!(
                "{way}: {right} of {rows} programs repaired with the fewest fences and proved safe, {fences} fences, \
                 {seconds:.1} s of processor time together (paper: {theirs:.1} s under tso)"
            );
        }
    }
}

fn show(algorithm: &Algorithm, model: &str, lines: usize, done: &Done, alone: bool) {
    let text = |name: &str| done.get(name).unwrap_or("–").to_owned();
    // The paper is about tso.
    let theirs = |figure: String| if model == "tso" { format!(" ({figure})") } else { String::new() };
    let engine = match alone {
        true => "refine".to_owned(),
        false => format!("automatic: {}", text("engine")),
    };
    let minimal = match done.get("minimal") {
        Some("true") => "yes",
        Some(_) => "no",
        None => "–",
    };
    let seconds = done.number("cpu").map_or("–".into(), |cpu| format!("{cpu:.2}"));
    println!(
        "| {} | {lines} ({}) | {engine} | {}{} | {} | {minimal} | {}{} | {seconds}{} | {} |",
        algorithm.name,
        algorithm.instructions,
        text("per process"),
        theirs(algorithm.fences.to_string()),
        text("fences"),
        text(TEMPLATES),
        theirs(algorithm.predicates.to_string()),
        theirs(algorithm.seconds.to_string()),
        done.verdict(),
    );
}
