//! What `engine::one_location` claims: of a program all of whose accesses are to one location, each model of the
//! catalogue without a machine has exactly the final states of sc.

use wattle_engine::{Budget, Engine, Outcomes, Property, Run, Task, one_location};
use wattle_engine_enumerate::Enumerate;
use wattle_engine_explore::Explore;
use wattle_generate::Rng;
use wattle_memory::{CATALOGUE, find};
use wattle_program::Program;
use wattle_program::passes::observe_everything;

fn text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut out = String::from("shared x;\n");
    for thread in ["p", "q", "r"].iter().take(2 + rng.below(2) as usize) {
        let body: Vec<String> = (0..1 + rng.below(3)).map(|_| statement(&mut rng)).collect();
        out += &format!("thread {thread} {{ local a = 7, b = 7; {} }}\n", body.join(" "));
    }
    out
}

fn statement(rng: &mut Rng) -> String {
    let local = ["a", "b"][rng.below(2) as usize];
    let order = ["", ", relaxed", ", acquire", ", release", ", acq_rel"][rng.below(5) as usize];
    let value = rng.below(3);
    match rng.below(9) {
        0 | 1 => format!("{local} = x;"),
        2 => format!("x = {value};"),
        3 => format!("release x = {value};"),
        4 => format!("acquire {local} = x;"),
        5 => format!("{local} = fetch_add(x, 1{order});"),
        6 => format!("if (cas(x, {value}, 2{order})) {{ {local} = 9; }}"),
        7 => format!("{local} = exchange(x, {value}{order});"),
        _ => format!("fence; x = {local};"),
    }
}

fn program(text: &str) -> Program {
    let parsed = wattle_frontend_wtl::FRONTEND.read("random.wtl", text);
    let mut program = parsed.unwrap_or_else(|problems| panic!("{text}\n{problems:?}")).program;
    observe_everything(&mut program);
    program
}

#[test]
fn one_location_is_as_under_sc() {
    let (mut compared, mut several) = (0, 0);
    for seed in 0..250 {
        let text = text(seed);
        let program = program(&text);
        let property = Property::Stated;
        let sc = Task { program: &program, memory: find("sc").unwrap(), property, hints: None };
        let expected = Explore::default().outcomes(&sc, &Run::new(Budget::default())).unwrap();
        for memory in CATALOGUE.iter().filter(|memory| memory.machine.is_none()) {
            let Ok(translated) = memory.translate(&program) else { continue };
            let task = Task { program: &translated.program, memory, property, hints: None };
            if one_location::as_under_sc(&task).is_none() {
                // A fence alone, or nothing at all.
                continue;
            }
            let found = Enumerate::default().lists().unwrap().outcomes(&task, &Run::new(Budget::default()));
            let found = found.unwrap_or_else(|why| panic!("{seed}, {}: {why:?}\n{text}", memory.name));
            assert_eq!(found, expected, "{seed}, {}\n{text}", memory.name);
            compared += 1;
            several += u32::from(found.len() > 3);
        }
    }
    assert!(compared > 1500 && several > 800, "{compared} {several}");
}

/// What the claim does not cover is not taken for it.
#[test]
fn others_are_not_taken_for_it() {
    let applies = |text: &str, model: &str| {
        let memory = find(model).unwrap();
        let program = memory.translate(&program(text)).unwrap().program.into_owned();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        one_location::as_under_sc(&task).is_some()
    };
    let lock =
        "shared l; thread p[2] { while (!cas(l, 0, 1)) { } cs: skip; l = 0; } forbid p[0]@cs && p[1]@cs;";
    assert!(applies(lock, "power") && applies(lock, "rc11") && applies(lock, "rmo"));
    // With a machine of its own nothing is needed.
    assert!(!applies(lock, "tso"));
    assert!(!applies("shared l, n; thread p[2] { l = 1; n = 1; }", "power"));
    assert!(!applies("shared l[2]; thread p[2] { l[me] = 1; }", "power"));
    assert!(!applies("shared l[2]; thread p[2] { local i = nondet(0, 1); l[i] = 1; }", "power"));
    assert!(!applies("shared l; thread p[2] { l = 1; } always l < 2;", "power"));
    let weak = "shared l, m; thread p { l = 1; local r = m; } thread q { m = 1; local r = l; } finally p.r + q.r > 0;";
    assert!(!applies(weak, "aarch64"));
}
