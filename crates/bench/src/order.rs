//! `order`: acyclicity alone, by the order theory and by binary clocks.
//!
//! Made-up executions (`wattle_sat::synthetic`) of growing size, each solved in both ways by the same
//! solver: what is left of bounded model checking when there are no values. `--random` runs the random
//! trials of the theory (`wattle_sat::trials`), as many as one likes.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use wattle_sat::synthetic::{Formulation, Instance, Shape};
use wattle_sat::{Satisfiability, trials};

use crate::bmc::processor;

/// How many instances of one size; each is drawn from its own seed.
const INSTANCES: u64 = 3;

/// Arguments: `--cap SECONDS` for one instance, `--quick` for small ones; or `--random COUNT [SEED]`.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let number = |at: usize, usual: u64| {
        arguments.get(at).map_or(Ok(usual), |text| text.parse().map_err(|_| format!("{text}: not a number")))
    };
    match arguments.first().map(String::as_str) {
        Some("--random") => random(number(1, 100_000)?, number(2, 1_000_000)?),
        Some("--quick") => table(&SIZES[..2], Duration::from_secs(CAP)),
        Some("--cap") => table(&SIZES, Duration::from_secs(number(1, CAP)?)),
        None => table(&SIZES, Duration::from_secs(CAP)),
        Some(other) => Err(format!("{other}: --cap SECONDS, --quick or --random COUNT [SEED]")),
    }
}

const SIZES: [u32; 7] = [25, 50, 100, 200, 400, 800, 1600];
const CAP: u64 = 10;

/// What became of the instances of one size, solved in one way.
#[derive(Default)]
struct Solved {
    outcomes: Vec<Satisfiability>,
    seconds: f64,
}

impl Solved {
    fn stopped(&self) -> usize {
        self.outcomes.iter().filter(|outcome| **outcome == Satisfiability::Stopped).count()
    }

    /// CPU seconds; `>` and how many if some were stopped.
    fn text(&self) -> String {
        match self.stopped() {
            0 => format!("{:.2}", self.seconds),
            stopped => format!("> {:.2} ({stopped} stopped)", self.seconds),
        }
    }
}

fn solve(shape: Shape, formulation: Formulation, cap: Duration) -> Solved {
    let mut solved = Solved::default();
    for seed in 0..INSTANCES {
        let instance = Instance::new(shape, seed);
        let (start, before) = (Instant::now(), processor());
        let (outcome, _) = instance.solve(formulation, move || start.elapsed() >= cap);
        solved.seconds += processor() - before;
        solved.outcomes.push(outcome);
    }
    solved
}

/// The shape of instances with that many events.
type Draw = fn(u32) -> Shape;

/// `false` if the two ways contradict each other.
fn table(sizes: &[u32], cap: Duration) -> Result<bool, String> {
    println!("Executions to be found: {INSTANCES} of each size, CPU seconds for all, stopped after {cap:?}");
    println!(
        "| shape | events | with an execution | order | clocks | clocks / order |\n|---|---|---|---|---|---|"
    );
    let shapes: [(&str, Draw); 4] = [
        ("sparse", |events| Shape::sparse(events, false)),
        ("sparse, twisted", |events| Shape::sparse(events, true)),
        ("crowded", |events| Shape::crowded(events, false)),
        ("crowded, twisted", |events| Shape::crowded(events, true)),
    ];
    let mut good = true;
    for (name, shape) in shapes {
        let mut hopeless = [false; 2];
        for events in sizes {
            let mut solved = Vec::new();
            for (formulation, hopeless) in
                [Formulation::Order, Formulation::Clocks].into_iter().zip(&mut hopeless)
            {
                // Where no instance was solved, no larger one will be.
                let one = if *hopeless { None } else { Some(solve(shape(*events), formulation, cap)) };
                *hopeless |= one.as_ref().is_some_and(|one| one.stopped() as u64 == INSTANCES);
                solved.push(one);
            }
            let [order, clocks] = &solved[..] else { continue };
            if order.is_none() && clocks.is_none() {
                break;
            }
            good &= agree(order.as_ref(), clocks.as_ref());
            println!("{}", line(name, *events, order.as_ref(), clocks.as_ref()));
        }
    }
    Ok(good)
}

fn agree(order: Option<&Solved>, clocks: Option<&Solved>) -> bool {
    let (Some(order), Some(clocks)) = (order, clocks) else { return true };
    let same = |(one, other): (&Satisfiability, &Satisfiability)| {
        one == other || *one == Satisfiability::Stopped || *other == Satisfiability::Stopped
    };
    order.outcomes.iter().zip(&clocks.outcomes).all(same)
}

fn line(name: &str, events: u32, order: Option<&Solved>, clocks: Option<&Solved>) -> String {
    let outcomes = order.or(clocks).map(|one| &one.outcomes[..]).unwrap_or_default();
    let found = outcomes.iter().filter(|outcome| **outcome == Satisfiability::Sat).count();
    let mut line = format!("| {name} | {events} | {found} ");
    for one in [order, clocks] {
        let _ = write!(line, "| {} ", one.map_or("–".into(), Solved::text));
    }
    let ratio = match (order, clocks) {
        (Some(order), Some(clocks)) if order.stopped() == 0 => {
            let least = if clocks.stopped() > 0 { "> " } else { "" };
            format!("{least}{:.1}", clocks.seconds / order.seconds)
        }
        _ => "–".into(),
    };
    let _ = write!(line, "| {ratio} |");
    line
}

/// One larger refutation for so many small trials.
const REFUTED: u64 = 500;

fn random(count: u64, seed: u64) -> Result<bool, String> {
    let (mut constrained, mut propagated, mut conflicts, mut refuted) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        // Every fourth with a proof, which is checked.
        constrained += usize::from(trials::assignments(seed, seed % 4 == 0)?.constrained);
        let followed = trials::script(seed)?;
        propagated += followed.propagated;
        conflicts += followed.conflicts;
        if seed % REFUTED == 0 {
            refuted += usize::from(trials::refutation(seed)?);
        }
    }
    println!(
        "{count} descriptions ({constrained} rule something out) and scripts ({propagated} propagations, \
         {conflicts} conflicts), {refuted} larger refutations: all as they should be"
    );
    Ok(true)
}
