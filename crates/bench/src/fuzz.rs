//! Random programs against the naive search: verdicts, outcome sets, numbers of states.
//!
//! Seeds are dealt to the jobs one block at a time, so the result does not depend on which job is
//! faster. A failure is shrunk and printed at once; the run goes on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use wattle_engine_explore::Explore;
use wattle_generate::Profile;
use wattle_memory::{MemoryModel, find};
use wattle_testing::{Failure, Limits, Subject, Tally, compare, shrink};

/// Seeds that a job takes at a time.
const BLOCK: u64 = 200;
/// Failures after which a run is not worth going on with.
const ENOUGH: usize = 20;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    count: u64,
    seed: u64,
    jobs: u64,
}

impl Request {
    pub(crate) fn parse(arguments: &[String]) -> Result<Request, String> {
        let mut request = Request { count: 10_000, seed: 1, jobs: 2 };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            let value = value.parse().map_err(|_| format!("{name} needs a number, not {value}"))?;
            match name.as_str() {
                "--count" => request.count = value,
                "--seed" => request.seed = value,
                "--jobs" => request.jobs = value,
                _ => return Err(format!("unknown option {name}\n{}", crate::USAGE)),
            }
        }
        Ok(request)
    }
}

struct Shared {
    request: Request,
    next: AtomicU64,
    tally: Mutex<Tally>,
    failures: Mutex<Vec<u64>>,
    start: Instant,
}

/// `true` if nothing disagreed.
pub(crate) fn run(request: &Request) -> bool {
    let shared = Shared {
        request: *request,
        next: AtomicU64::new(0),
        tally: Mutex::default(),
        failures: Mutex::default(),
        start: Instant::now(),
    };
    std::thread::scope(|scope| {
        for _ in 0..request.jobs.max(1) {
            scope.spawn(|| job(&shared));
        }
    });
    let tally = *lock(&shared.tally);
    let failed = lock(&shared.failures).len() as u64;
    let seconds = |time: Duration| time.as_secs_f64();
    println!("{tally}");
    println!(
        "{:.1} s in all, {:.0} programs a second; of the jobs' time: naive {:.1} s, check {:.1} s, outcomes {:.1} \
         s, confirmation and judgement {:.1} s",
        seconds(shared.start.elapsed()),
        tally.programs as f64 / seconds(shared.start.elapsed()),
        seconds(tally.times.naive),
        seconds(tally.times.check),
        seconds(tally.times.outcomes),
        seconds(tally.times.judge),
    );
    println!("{} passed, {failed} failed", tally.programs);
    failed == 0
}

fn job(shared: &Shared) {
    loop {
        let first = shared.next.fetch_add(BLOCK, Ordering::Relaxed);
        let last = (first + BLOCK).min(shared.request.count);
        if first >= last || lock(&shared.failures).len() >= ENOUGH {
            return;
        }
        let mut tally = Tally::default();
        for number in first..last {
            one(shared, shared.request.seed.wrapping_add(number), &mut tally);
        }
        let mut total = lock(&shared.tally);
        total.merge(&tally);
        // A line for every 5 % or so.
        let every = (shared.request.count / 20).max(BLOCK);
        if total.programs / every != (total.programs - tally.programs) / every {
            let seconds = shared.start.elapsed().as_secs_f64();
            eprintln!("{seconds:6.0} s  {:.0} a second  {}", total.programs as f64 / seconds, *total);
        }
    }
}

fn one(shared: &Shared, seed: u64, tally: &mut Tally) {
    let profile = Profile::varied(seed);
    let program = wattle_generate::program(seed, &profile);
    let limits = Limits { deadlock: seed.is_multiple_of(4), states: 1000, ..Limits::default() };
    let max_capacity = Some(limits.capacity);
    let reduced = Explore { reduction: true, threads: 1, max_capacity, ..Explore::default() };
    // Two threads cost more than such programs do, so they have their turn less often.
    let threads = if seed % 64 == 7 { 2 } else { 1 };
    let unreduced = Explore { reduction: false, threads, max_capacity, ..Explore::default() };
    let subjects = [subject("reduced", &reduced, false), subject("unreduced", &unreduced, true)];
    let models = models(profile.is_rma());
    match compare(&program, &models, &subjects, &limits) {
        Ok(comparison) => tally.add(&comparison),
        Err(first) => {
            let same = |program: &wattle_program::Program| {
                compare(program, &models, &subjects, &limits).is_err_and(|other| other.model == first.model)
            };
            let program = shrink(&program, &same);
            let disagreement = compare(&program, &models, &subjects, &limits).err().unwrap_or(first);
            let mut failures = lock(&shared.failures);
            failures.push(seed);
            println!("{}\n", Failure { seed, disagreement, program });
        }
    }
}

fn subject<'a>(name: &'a str, engine: &'a Explore, exact: bool) -> Subject<'a> {
    Subject { name, engine, outcomes: Some(engine), exact, lists_unreached: true }
}

fn models(rma: bool) -> Vec<&'static MemoryModel> {
    let names: &[&str] = if rma { &["sc", "rma-in-order", "rma"] } else { &["sc", "tso", "pso"] };
    names.iter().filter_map(|name| find(name)).collect()
}

/// A job that panicked has already said why; the others' figures still count.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
