#![allow(clippy::unwrap_used, clippy::print_stderr)]
use wattle_engine::{Budget, Engine, Property, Run, Task};
use wattle_engine_extrapolate::Extrapolate;
#[test]
fn x() {
    let files = std::env::var("F").unwrap();
    let ignore = std::env::var("I").is_ok();
    let model = std::env::var("M").unwrap_or("sc".into());
    for file in files.split_whitespace() {
        let text = std::fs::read_to_string(file).unwrap();
        let (sources, id) = wattle_source::Sources::single("test.wtl", &text);
        let parsed =
            (wattle_frontend::wtl::FRONTEND.parse)(&sources, id, &wattle_source::NoLoader).unwrap().program;
        let program = wattle_program::passes::forget_dead(&parsed);
        let memory = wattle_memory::find(&model).unwrap();
        let task = Task { program: &program, memory, property: Property::Stated };
        let smt = wattle_smt::Library::beside(&std::env::current_exe().unwrap());
        let engine = Extrapolate { smt, ignore_given: ignore, ..Default::default() };
        if let Err(e) = engine.accepts(&task) {
            eprintln!("{file}: refused {e}");
            continue;
        }
        let run = Run::new(Budget { time: Some(std::time::Duration::from_secs(60)), ..Default::default() });
        let started = std::time::Instant::now();
        let answer = engine.check(&task, &run);
        let v = match &answer.verdict {
            wattle_engine::Verdict::Safe { .. } => "safe".to_string(),
            wattle_engine::Verdict::Unsafe { .. } => "unsafe".into(),
            wattle_engine::Verdict::SafeUpTo { bound } => format!("bounded {bound}"),
            wattle_engine::Verdict::Unknown { reason } => format!("unknown {reason}"),
        };
        eprintln!("{file}: {v} {:.2?} {:?}", started.elapsed(), answer.statistics.0);
    }
}
