//! How far the engine goes, by its figures.

use wattle_engine::{Engine, Property, Run, Task, Verdict};
use wattle_engine_refine::Refine;
use wattle_memory::find;
use wattle_smt::Library;

/// What fails with every store in memory at once is replayed on the machine before any buffer is abstracted. (With
/// buffers a thread takes one move more to its end, which `finally` asks for.)
#[test]
fn what_fails_under_sc_needs_no_slots() {
    let smt = Library::beside(&std::env::current_exe().unwrap());
    let refine = Refine { smt, ..Refine::default() };
    let properties = ["finally x == 1;", "always x != 2;", "forbid p@end && q@end;"];
    for property in properties {
        let text = format!("shared x = 0; thread p {{ x = 1; }} thread q {{ x = 2; }} {property}");
        let program = wattle_frontend_wtl::FRONTEND.read("test.wtl", &text).unwrap().program;
        for model in ["tso", "pso"] {
            let memory = find(model).unwrap();
            let task = Task { program: &program, memory, property: Property::Stated, hints: None };
            let answer = refine.check(&task, &Run::default()).unwrap();
            assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{property} {model}");
            assert_eq!(answer.statistics.counted("slots"), None, "{property} {model}");
        }
    }
}
