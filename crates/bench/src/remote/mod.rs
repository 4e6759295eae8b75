//! `remote`: the programs of Baumann, Dan, Meshman, Hoefler and Vechev (VMCAI 2018), their Table 3 by one command.
//!
//! Each program is without flushes and without given predicates. The fewest flushes are looked for by the engines that wattle chooses
//! itself. Then the same program with flushes (its `_flushed` twin, or itself if it needs none) is proved by boolean program
//! extrapolation (`ebp`), whose figures are the paper's columns, and by wattle's own way (`auto`), which asks the solver
//! about the reduced program where a state needs it: the paper's comparison of the two. The paper's figures stand in
//! brackets. Seconds are processor time of one process, from its start.

mod one;
mod paper;

use crate::child::Done;
use crate::tables::root;
use one::Job;
use paper::{ALGORITHMS, Algorithm};

/// Arguments: nothing for all of it, or names of programs; `--quick`, `--limit SECONDS`.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    if let [first, rest @ ..] = arguments
        && first == "--one"
    {
        return one::one(rest);
    }
    let mut limit = 120;
    let mut asked: Vec<String> = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => limit = 20,
            "--limit" => {
                limit = rest.next().and_then(|text| text.parse().ok()).ok_or("--limit needs a number")?;
            }
            name => asked.push(name.to_lowercase()),
        }
    }
    let names: Vec<String> = ALGORITHMS.iter().map(|one| one.name.to_lowercase()).collect();
    if let Some(unknown) = asked.iter().find(|name| !names.contains(name)) {
        return Err(format!("`{unknown}` is no program: {}", names.join(", ")));
    }
    println!("Table 3; the paper's figures in brackets");
    println!(
        "| program | V | build s | lines | V̄ | lines | check s | calls | ebp CPU s | auto CPU s | flushes | fewest | \
         search CPU s | engine | verdict | remark |"
    );
    println!("|{}", "---|".repeat(16));
    let mut total = Total::default();
    let wanted = |one: &&Algorithm| asked.is_empty() || asked.contains(&one.name.to_lowercase());
    for algorithm in ALGORITHMS.iter().filter(wanted) {
        let row = Row::measured(algorithm, limit)?;
        row.show(algorithm);
        total.add(algorithm, &row);
    }
    total.show();
    Ok(total.wrong == 0)
}

/// What was measured of a program.
struct Row {
    search: Done,
    ebp: Done,
    auto: Done,
}

impl Row {
    fn measured(algorithm: &Algorithm, seconds: u64) -> Result<Row, String> {
        let text = |suffix: &str| root().join("corpus").join(format!("{}{suffix}.wtl", algorithm.text));
        let flushed = Some(text("_flushed")).filter(|path| path.is_file()).unwrap_or_else(|| text(""));
        let job = |path: &std::path::Path, method: Option<&str>| Job {
            text: path.display().to_string(),
            method: method.map(str::to_owned),
            seconds,
        };
        Ok(Row {
            search: job(&text(""), None).run()?,
            ebp: job(&flushed, Some("ebp")).run()?,
            auto: job(&flushed, Some("auto")).run()?,
        })
    }

    fn show(&self, algorithm: &Algorithm) {
        let with = |ours: String, theirs: Option<String>| match theirs {
            Some(theirs) => format!("{ours} ({theirs})"),
            None => ours,
        };
        let paper = algorithm.paper.as_ref();
        let count = |name: &str| self.ebp.get(name).unwrap_or("–").to_owned();
        let seconds =
            |done: &Done, name: &str| done.number(name).map_or("–".into(), |it| format!("{it:.2}"));
        let proved = |done: &Done| match done.verdict() {
            "safe" => seconds(done, "cpu"),
            other => other.to_owned(),
        };
        let minimal = match self.search.get("minimal") {
            Some("true") => "yes",
            Some(_) => "no",
            None => "–",
        };
        let flushes = |name: &str| self.search.get(name).unwrap_or("–").to_owned();
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {minimal} | {} | {} | {} | {} |",
            algorithm.name,
            with(count("sc predicates"), paper.map(|it| it.predicates.to_string())),
            with(seconds(&self.ebp, "sc building"), paper.map(|it| it.building.to_string())),
            with(count("sc lines"), paper.map(|it| it.lines.to_string())),
            with(count("extrapolated predicates"), paper.map(|it| it.extrapolated.to_string())),
            with(count("lines"), paper.map(|it| it.extrapolated_lines.to_string())),
            with(seconds(&self.ebp, "checking"), paper.map(|it| it.checking.to_string())),
            count("calls"),
            proved(&self.ebp),
            proved(&self.auto),
            with(
                format!("{}/{}", flushes("flushes"), flushes("places")),
                paper.map(|it| format!("{}/{}", it.flushes.0, it.flushes.1)),
            ),
            seconds(&self.search, "cpu"),
            flushes("engine"),
            self.search.verdict(),
            algorithm.remark,
        );
    }
}

#[derive(Default)]
struct Total {
    rows: usize,
    /// Repaired, proved safe, and with the fewest flushes.
    right: usize,
    by_ebp: usize,
    by_auto: usize,
    wrong: usize,
    seconds: f64,
    theirs: f64,
    /// Sums of lines and of predicates, before and after extrapolation, where both are known.
    lines: (f64, f64),
    predicates: (f64, f64),
}

impl Total {
    fn add(&mut self, algorithm: &Algorithm, row: &Row) {
        let safe = |done: &Done| usize::from(done.verdict() == "safe");
        self.rows += 1;
        self.right += usize::from(safe(&row.search) == 1 && row.search.get("minimal") == Some("true"));
        self.by_ebp += safe(&row.ebp);
        self.by_auto += safe(&row.auto);
        let wrong = |done: &Done| done.verdict().starts_with("INTERNAL");
        self.wrong += [&row.search, &row.ebp, &row.auto].iter().filter(|done| wrong(done)).count();
        self.wrong += [&row.ebp, &row.auto].iter().filter(|done| done.verdict() == "unsafe").count();
        self.seconds += row.search.number("cpu").unwrap_or(0.0);
        self.theirs += algorithm.paper.map_or(0.0, |it| f64::from(it.building + it.checking));
        let both = |first: &str, second: &str| Some((row.ebp.number(first)?, row.ebp.number(second)?));
        if let Some((before, after)) = both("sc lines", "lines") {
            self.lines = (self.lines.0 + before, self.lines.1 + after);
        }
        if let Some((before, after)) = both("sc predicates", "extrapolated predicates") {
            self.predicates = (self.predicates.0 + before, self.predicates.1 + after);
        }
    }

    fn show(&self) {
        let Total { rows, right, by_ebp, by_auto, seconds, theirs, .. } = self;
        println!(
            "{right} of {rows} repaired with the fewest flushes and proved safe, in {seconds:.1} s of processor time \
             (paper: {theirs:.0} s to build and check one placement each); proofs: ebp {by_ebp}, auto {by_auto}"
        );
        let times = |(before, after): (f64, f64)| if before > 0.0 { after / before } else { 0.0 };
        println!(
            "extrapolated programs have {:.1} times the lines (paper: 5) and {:.1} times the predicates (paper: 2)",
            times(self.lines),
            times(self.predicates)
        );
    }
}
