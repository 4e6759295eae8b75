//! How far the engine goes: by its figures, and by what it can decide.

use wattle_engine::{Answer, Engine, Property, Run, Task, Verdict};
use wattle_engine_refine::Refine;
use wattle_memory::find;
use wattle_smt::Library;

fn answer(text: &str, model: &str) -> Answer {
    let smt = Library::beside(&std::env::current_exe().unwrap());
    let refine = Refine { smt, ..Refine::default() };
    let program = wattle_frontend_wtl::FRONTEND.read("test.wtl", text).unwrap().program;
    let memory = find(model).unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    refine.check(&task, &Run::default()).unwrap()
}

/// What fails with every store in memory at once is replayed on the machine before any buffer is abstracted. (With
/// buffers a thread takes one move more to its end, which `finally` asks for.)
#[test]
fn what_fails_under_sc_needs_no_slots() {
    for property in ["finally x == 1;", "always x != 2;", "forbid p@end && q@end;"] {
        let text = format!("shared x = 0; thread p {{ x = 1; }} thread q {{ x = 2; }} {property}");
        for model in ["tso", "pso"] {
            let answer = answer(&text, model);
            assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{property} {model}");
            assert_eq!(answer.statistics.counted("slots"), None, "{property} {model}");
        }
    }
}

/// `~a` is `-1 - a`.
#[test]
fn a_complement_is_linear() {
    let text = |least: i64| {
        format!(
            "shared x = 0; thread p {{ while (true) {{ x = 2; }} }}
             thread q {{ local r = 0; r = x; r = ~r; assert r >= {least}; }}"
        )
    };
    for model in ["sc", "tso", "pso"] {
        assert!(matches!(answer(&text(-3), model).verdict, Verdict::Safe { .. }), "{model}");
        assert!(matches!(answer(&text(-2), model).verdict, Verdict::Unsafe { .. }), "{model}");
    }
}
