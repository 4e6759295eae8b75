//! A section as one edge, and the same section with a label in it, whose steps are edges of their own: the same
//! assertions fail. (Inside the second nothing else moves either; where a condition in it fails, the thread stays
//! inside and stops everything, so that only assertions can be compared.)

use wattle_engine::{Budget, Engine, Property, Run, Task, Verdict, Violation};
use wattle_engine_bmc::Bmc;
use wattle_engine_explore::Explore;
use wattle_generate::Rng;
use wattle_judge::certify::explore_all;
use wattle_judge::confirm::confirm;
use wattle_memory::find;
use wattle_program::{Program, Role, passes};

/// Two threads with a section each; `%` stands where a label may.
fn text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    // Axioms know sections of one access and of a read-modify-write.
    let rich = rng.chance(700);
    let mut out = String::from("shared x: 0..2, y: 0..2, a[2]: 0..2;\n");
    for thread in ["p", "q"] {
        let before = if rng.chance(500) { statement(&mut rng, true, 0) } else { String::new() };
        let mode = if rich && rng.chance(300) { "(buffered) " } else { "" };
        let section = match rich {
            true => block(&mut rng),
            false => single(&mut rng),
        };
        let after = statement(&mut rng, true, 0);
        out += &format!(
            "thread {thread} {{ local r: 0..2, s: 0..3; {before} atomic {mode}{{ % {section} }} {after} }}\n"
        );
    }
    out
}

fn block(rng: &mut Rng) -> String {
    (0..2 + rng.below(4)).map(|_| statement(rng, true, 1)).collect::<Vec<_>>().join(" ")
}

/// One access to memory, the rest on locals.
fn single(rng: &mut Rng) -> String {
    let rest: Vec<String> = (0..1 + rng.below(4)).map(|_| statement(rng, false, 1)).collect();
    format!("r = {}; {}", place(rng), rest.join(" "))
}

fn statement(rng: &mut Rng, memory: bool, depth: u32) -> String {
    let kinds = if memory { 0 } else { 3 };
    match kinds + rng.below(8 - kinds + u32::from(depth > 0)) {
        0 => format!("{} = {};", place(rng), value(rng)),
        1 | 2 => format!("{} = {};", ["r", "s"][rng.below(2) as usize], place(rng)),
        3 | 4 => format!("assert {};", condition(rng)),
        5 | 6 => format!("assume {};", condition(rng)),
        7 => format!("s = {};", value(rng)),
        _ => {
            let (then, otherwise) = (statement(rng, memory, 0), statement(rng, memory, 0));
            format!("if ({}) {{ {then} }} else {{ {otherwise} }}", condition(rng))
        }
    }
}

fn place(rng: &mut Rng) -> &'static str {
    ["x", "y", "a[0]", "a[1]", "x"][rng.below(5) as usize]
}

fn value(rng: &mut Rng) -> &'static str {
    ["0", "1", "2", "r + 1", "s"][rng.below(5) as usize]
}

fn condition(rng: &mut Rng) -> String {
    format!("{} {} {}", ["r", "s"][rng.below(2) as usize], ["==", "!="][rng.below(2) as usize], rng.below(3))
}

fn program(text: &str) -> Program {
    match wattle_frontend_wtl::FRONTEND.read("random.wtl", text) {
        Ok(parsed) => parsed.program,
        Err(errors) => panic!("{text}\n{errors:?}"),
    }
}

#[test]
fn a_section_that_stops_fails_the_same_assertions() {
    let (mut unsafe_ones, mut safe_ones, mut by_witness, mut by_axioms) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let text = text(seed);
        let one = passes::forget_dead(&program(&text.replace('%', "")));
        let several = program(&text.replacen('%', "here: skip;", 1).replacen('%', "there: skip;", 1));
        for model in ["sc", "tso", "pso"] {
            let run = || Run::new(Budget { states: Some(20_000), ..Budget::default() });
            let task = |program| Task {
                program,
                memory: find(model).unwrap(),
                property: Property::Stated,
                hints: None,
            };
            let expected = explore_all(&task(&several), None, true, &run()).unwrap().violation.is_some();
            let naive = explore_all(&task(&one), None, true, &run()).unwrap().violation;
            assert_eq!(naive.is_some(), expected, "seed {seed}, {model}, the plain search\n{text}");
            if let Some(Violation::Assertion { thread, edge, .. }) = naive.map(|found| found.violated) {
                let cfg = &one.processes[thread.0 as usize].cfg;
                by_witness += u32::from(cfg.edge(edge).role == Role::Asserts);
            }
            match expected {
                true => unsafe_ones += 1,
                false => safe_ones += 1,
            }
            let bmc = Bmc::default();
            let explore = Explore::default();
            for engine in [&explore as &dyn Engine, &bmc] {
                let found = match engine.accepts(&task(&one)) {
                    Ok(()) => engine.check(&task(&one), &run()).unwrap().verdict,
                    Err(_) => continue,
                };
                let found = match found {
                    Verdict::Safe { .. } => false,
                    Verdict::Unsafe { counterexample } => {
                        if let Err(why) = confirm(&task(&one), &counterexample) {
                            panic!("seed {seed}, {model}, {}: {why}\n{text}", engine.name());
                        }
                        true
                    }
                    other if engine.name() == "explore" => panic!("seed {seed}, {model}: {other:?}\n{text}"),
                    _ => continue,
                };
                by_axioms += u32::from(engine.name() == "bmc");
                assert_eq!(found, expected, "seed {seed}, {model}, {}\n{text}", engine.name());
            }
        }
    }
    let counts = (unsafe_ones, safe_ones, by_witness, by_axioms);
    assert!(unsafe_ones > 1000 && safe_ones > 300 && by_witness > 200 && by_axioms > 200, "{counts:?}");
}
