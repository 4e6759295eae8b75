//! Small programs and the structures that they become.

use wattle_program::{Program, Shape};

use super::parse;
use crate::unroll::structure::{Access, Structure};
use crate::unroll::{Options, Wanted, everywhere, unroll};

/// Each thread's events as `R x`, `W x`, with `?` where the guard is no constant.
fn events(program: &Program, shape: &Shape, structure: &Structure<'_>) -> Vec<String> {
    let mut threads = vec![Vec::new(); shape.threads.len()];
    for event in &structure.events {
        let Some(thread) = event.thread else { continue };
        let place = match structure.arena.value(event.address) {
            _ if event.access == Access::Fence => String::new(),
            Some(location) => shape.location_name(program, location as u32),
            None => "*".into(),
        };
        let access = match event.access {
            Access::Read => "R",
            Access::Write => "W",
            Access::Update => "U",
            Access::Fence => "F",
        };
        let sure = if structure.arena.value(event.guard) == Some(1) { "" } else { "?" };
        threads[thread.0 as usize].push(format!("{access}{place}{sure}"));
    }
    threads.iter().map(|events| events.join(" ")).collect()
}

fn check(text: &str, options: &Options, expected: &[&str]) {
    let program = parse(text);
    let shape = Shape::new(&program).unwrap();
    let structure = unroll(&program, &shape, options).unwrap();
    assert_eq!(events(&program, &shape, &structure), expected, "{text}");
}

#[test]
fn straight_lines_have_constant_guards() {
    let text = "shared x = 0, y = 0; thread a { x = 1; local r = y; } thread b { y = 1; local r = x; }";
    check(text, &Options::default(), &["Wx Ry", "Wy Rx"]);
}

#[test]
fn guards_fold_back_after_branches() {
    let text = "shared x = 0, y = 0, z = 0;
        thread a { local r = x; if (r == 1) { y = 1; if (r == 2) { y = 2; } } else { y = 3; } z = 1; }";
    check(text, &Options::default(), &["Rx Wy? Wy? Wz"]);
}

#[test]
fn loops_are_cut_at_the_bound() {
    let text = "shared x = 0, y = 0; thread a { local r = x; while (r == 0) { r = x; y = 1; } }";
    let program = parse(text);
    let shape = Shape::new(&program).unwrap();
    for unwind in 0..4 {
        let options = Options { unwind, ..Options::default() };
        let structure = unroll(&program, &shape, &options).unwrap();
        assert_eq!(structure.events.len() as u32, 3 + 2 * (unwind + 1), "{unwind}");
        assert!(structure.threads[0].cut.is_some());
    }
}

#[test]
fn loops_that_count_are_complete() {
    let text = "shared x = 0; thread a { local i = 0; while (i < 50) { local j = 0;
        while (j < 3) { x = j; j = j + 1; } i = i + 1; } }";
    let program = parse(text);
    let shape = Shape::new(&program).unwrap();
    let structure = unroll(&program, &shape, &Options::default()).unwrap();
    assert_eq!(structure.events.len(), 1 + 150);
    assert_eq!(structure.threads[0].cut, None);
    assert_eq!(structure.arena.value(structure.threads[0].ended.unwrap()), Some(1));
    let structure = unroll(&program, &shape, &Options { fold: 0, ..Options::default() }).unwrap();
    assert!(structure.threads[0].cut.is_some());
}

#[test]
fn threads_may_stand_anywhere_if_asked() {
    let text = "shared x = 0; thread a { x = 1; x = 2; }";
    let program = parse(text);
    let options = Options { standing: everywhere(&program), ..Options::default() };
    check(text, &options, &["Wx? Wx?"]);
    check(text, &Options::default(), &["Wx Wx"]);
}

#[test]
fn dependencies_follow_the_text() {
    let text = "shared x = 0, y = 0, a[2] = 0; thread t { local r = x; local s = a[r]; y = s * 0;
        if (r == 0) { y = 2; } y = 3; }";
    let program = parse(text);
    let shape = Shape::new(&program).unwrap();
    let options = Options { wanted: Wanted::ALL, ..Options::default() };
    let structure = unroll(&program, &shape, &options).unwrap();
    let pairs = |list: &[crate::unroll::structure::Dependency]| -> Vec<(u32, u32)> {
        list.iter().map(|dependency| (dependency.from, dependency.to)).collect()
    };
    assert_eq!(pairs(&structure.address), [(4, 5)]);
    assert_eq!(pairs(&structure.data), [(5, 6)]);
    assert_eq!(pairs(&structure.control), [(4, 7), (4, 8)]);
    let structure = unroll(&program, &shape, &Options::default()).unwrap();
    assert!(structure.control.is_empty());
}

/// Two thousand events are unrolled without overflowing the stack, in little time.
#[test]
fn long_programs() {
    let text = "shared i = 1, j = 1;
        thread a { local k = 0; while (k < 300) { i = i + j; k = k + 1; } }
        thread b { local k = 0; while (k < 300) { j = j + i; k = k + 1; } }
        thread c { local r = i; local s = j; assert r < 100 && s < 100; }";
    let program = parse(text);
    let shape = Shape::new(&program).unwrap();
    let structure = unroll(&program, &shape, &Options { wanted: Wanted::ALL, ..Options::default() }).unwrap();
    assert_eq!(structure.events.len(), 2 + 2 * 900 + 2);
    assert!(structure.inputs.is_empty());
    assert!(structure.events.iter().all(|event| structure.arena.value(event.guard) == Some(1)));
}
