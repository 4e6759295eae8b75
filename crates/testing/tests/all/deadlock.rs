//! What is a deadlock? Three readings must agree on every state of random programs with awaits and loops
//! around them: the machine's (which the engine uses), the judge's, and a plain one that lets everybody run
//! and looks at the places in the text.

use std::collections::{BTreeSet, VecDeque};

use wattle_engine::{Budget, Engine, Property, Reason, Run, Task, Verdict};
use wattle_engine_bmc::Bmc;
use wattle_engine_explore::Explore;
use wattle_generate::Rng;
use wattle_judge::certify::explore_all;
use wattle_judge::confirm::{confirm, is_deadlock};
use wattle_memory::operational::{Action, MoveResult, State, initial_states, is_final, is_stuck, successors};
use wattle_memory::{Machine, find};
use wattle_program::{Cfg, Edge, Program, Role, Shape};

/// Threads that wait for each other, with a few stores so that somebody may be let go.
fn text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::from("shared x, y, z;\n");
    for thread in ["p", "q", "r"].iter().take(1 + rng.below(3) as usize) {
        out += &format!("thread {thread} {{ {} }}\n", block(&mut rng, 2));
    }
    out
}

fn block(rng: &mut Rng, depth: u32) -> String {
    (0..1 + rng.below(3)).map(|_| statement(rng, depth)).collect::<Vec<_>>().join(" ")
}

fn statement(rng: &mut Rng, depth: u32) -> String {
    match rng.below(if depth == 0 { 7 } else { 10 }) {
        0 | 1 => format!("{} = {};", variable(rng), rng.below(2)),
        2..=4 => format!("await {};", condition(rng, 2)),
        5 => format!("atomic {{ await {}; {} = {}; }}", test(rng), variable(rng), rng.below(2)),
        6 => "skip;".into(),
        7 => format!("while (true) {{ {} }}", block(rng, depth - 1)),
        8 => format!("while ({}) {{ {} }}", condition(rng, 1), block(rng, depth - 1)),
        _ => format!("either {{ {} }} or {{ {} }}", block(rng, depth - 1), block(rng, depth - 1)),
    }
}

fn condition(rng: &mut Rng, depth: u32) -> String {
    match rng.below(if depth == 0 { 4 } else { 8 }) {
        0..=2 => test(rng),
        3 if rng.chance(500) => "*".into(),
        3 => format!("cas({}, {}, {})", variable(rng), rng.below(2), rng.below(2)),
        4 | 5 => format!("({} && {})", condition(rng, depth - 1), condition(rng, depth - 1)),
        _ => format!("({} || {})", condition(rng, depth - 1), condition(rng, depth - 1)),
    }
}

fn test(rng: &mut Rng) -> String {
    format!("{} == {}", variable(rng), rng.below(2))
}

fn variable(rng: &mut Rng) -> &'static str {
    ["x", "y", "z"][rng.below(3) as usize]
}

fn program(text: &str) -> Program {
    match wattle_frontend_wtl::FRONTEND.read("random.wtl", text) {
        Ok(parsed) => parsed.program,
        Err(errors) => panic!("{text}\n{errors:?}"),
    }
}

/// Everybody runs, as long as they like: does anything ever happen but that awaits begin again?
fn nothing_happens(program: &Program, shape: &Shape, machine: Machine, start: &State) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([start.clone()]), vec![start.clone()]);
    while let Some(state) = open.pop() {
        for successor in successors(program, shape, machine, &state) {
            let Action::Step { thread, edge, .. } = successor.action else { return false };
            let MoveResult::Moved { state: next, .. } = successor.result else { return false };
            let cfg = &program.process(shape.info(thread).process).cfg;
            let waits = in_the_middle(cfg, cfg.edge(edge));
            if !waits || next.memory != start.memory || next.stores != start.stores {
                return false;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    !is_final(program, shape, start)
}

/// An edge of an await that reads several times, and not its last. All edges of a statement have its place,
/// and nothing but the statement itself leads to its points, except to the first.
fn in_the_middle(cfg: &Cfg, edge: &Edge) -> bool {
    let own = |other: &&Edge| other.origin == edge.origin;
    let Some(back) = cfg.edges.iter().filter(own).find(|other| other.role == Role::Retries) else {
        return false;
    };
    let mut onward = cfg.edges.iter().filter(|other| other.from == edge.to).peekable();
    edge.role == Role::Retries
        || edge.to != back.to && onward.peek().is_some() && onward.all(|other| own(&other))
}

#[test]
fn three_readings_agree_on_every_state() {
    let (mut states, mut stuck, mut spinning) = (0_u64, 0_u64, 0_u64);
    for seed in 0..1500 {
        let text = text(seed);
        let program = program(&text);
        let shape = Shape::new(&program).unwrap();
        for machine in [Machine::Sc { atomic_copy: false }, Machine::Tso, Machine::Pso] {
            let mut open: VecDeque<State> = initial_states(&program, &shape)
                .unwrap()
                .all()
                .unwrap()
                .into_iter()
                .map(|(_, state)| state)
                .collect();
            let mut seen: BTreeSet<State> = open.iter().cloned().collect();
            while let Some(state) = open.pop_front() {
                states += 1;
                let plain = nothing_happens(&program, &shape, machine, &state);
                let found = is_stuck(&program, &shape, machine, &state).unwrap();
                let judged = is_deadlock(&program, &shape, machine, &state).unwrap();
                assert_eq!((found, judged), (plain, plain), "seed {seed}, {machine:?}: {state:?}\n{text}");
                let next = successors(&program, &shape, machine, &state);
                stuck += u64::from(plain);
                spinning += u64::from(plain && !next.is_empty());
                for successor in next {
                    if let MoveResult::Moved { state, .. } = successor.result
                        && seen.len() < 150
                        && state.stores.iter().all(|stores| stores.len() < 3)
                        && seen.insert(state.clone())
                    {
                        open.push_back(state);
                    }
                }
            }
        }
    }
    assert!(states > 50_000 && stuck > 3000 && spinning > 1000, "{states} {stuck} {spinning}");
}

/// The engine finds a deadlock where the plain search finds one, and the judge believes it.
#[test]
fn the_engine_finds_them() {
    let (mut safe, mut deadlocks) = (0, 0);
    for seed in 5000..5600 {
        let text = text(seed);
        let program = wattle_program::passes::forget_dead(&program(&text));
        for model in ["sc", "tso", "pso"] {
            let task = Task {
                program: &program,
                memory: find(model).unwrap(),
                property: Property::NoDeadlock,
                hints: None,
            };
            let run = Run::new(Budget { states: Some(3000), ..Budget::default() });
            let verdict =
                Explore { max_capacity: Some(3), ..Explore::default() }.check(&task, &run).unwrap().verdict;
            let Ok(naive) = explore_all(
                &task,
                Some(3),
                true,
                &Run::new(Budget { states: Some(3000), ..Budget::default() }),
            ) else {
                continue;
            };
            match verdict {
                Verdict::Unsafe { counterexample } => {
                    deadlocks += 1;
                    assert!(naive.violation.is_some(), "seed {seed}, {model}\n{text}");
                    if let Err(why) = confirm(&task, &counterexample) {
                        panic!("seed {seed}, {model}: {why}\n{text}");
                    }
                }
                Verdict::Safe { .. } | Verdict::SafeUpTo { .. } => {
                    safe += 1;
                    assert!(naive.violation.is_none(), "seed {seed}, {model}\n{text}");
                }
                Verdict::Unknown { .. } => {}
            }
        }
    }
    assert!(safe > 200 && deadlocks > 200, "{safe} {deadlocks}");
}

/// Executions by axioms and states of machines have the same deadlocks: the models are twins.
#[test]
fn axioms_and_machines_have_the_same_deadlocks() {
    let (mut safe, mut deadlocks, mut refused) = (0, 0, 0);
    for seed in 9000..9400 {
        let text = text(seed);
        let program = wattle_program::passes::forget_dead(&program(&text));
        for model in ["sc", "tso", "pso"] {
            let property = Property::NoDeadlock;
            let task = Task { program: &program, memory: find(model).unwrap(), property, hints: None };
            let bmc = Bmc { unwind: Some(2), ..Bmc::default() };
            if bmc.accepts(&task).is_err() {
                continue;
            }
            let verdict = bmc.check(&task, &Run::new(Budget::default())).unwrap().verdict;
            let few = || Run::new(Budget { states: Some(3000), ..Budget::default() });
            match verdict {
                Verdict::Unsafe { counterexample } => {
                    deadlocks += 1;
                    // It is replayed as a schedule of the machine, too.
                    let replayed = confirm(&task, &counterexample);
                    let replayed =
                        replayed.unwrap_or_else(|why| panic!("seed {seed}, {model}: {why}\n{text}"));
                    assert!(replayed.schedule.is_some(), "seed {seed}, {model}\n{text}");
                }
                Verdict::Safe { .. } => {
                    safe += 1;
                    if let Ok(naive) = explore_all(&task, Some(3), true, &few()) {
                        assert!(naive.violation.is_none(), "seed {seed}, {model}\n{text}");
                    }
                }
                Verdict::SafeUpTo { .. } => {}
                // A section that reads after it writes.
                Verdict::Unknown { reason: Reason::Unsupported(_) } => refused += 1,
                Verdict::Unknown { reason } => panic!("seed {seed}, {model}: {reason}\n{text}"),
            }
        }
    }
    assert!(safe > 100 && deadlocks > 200 && refused < 20, "{safe} {deadlocks} {refused}");
}
