//! A data race takes the meaning of a C11 program away: a violation that names both accesses.

use wattle_driver::check::{Check, check};
use wattle_driver::{Input, Watch};
use wattle_report::CheckVerdict;

use super::request;

/// What an engine says of a program: the violation, or the word for its verdict.
fn violation(text: &str, engine: &str) -> String {
    let input = Input::text("race.c", "c", text);
    let request = Check { engine: Some(engine.into()), ..request("rc11") };
    match check(&request, &input, &Watch::default()).unwrap().report.verdict {
        CheckVerdict::Unsafe { story } => format!("{}: {}", story.violated.kind.word(), story.violated.text),
        verdict => verdict.word().to_owned(),
    }
}

fn program(writer: &str, reader: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\nint x;\natomic_int flag;\n\
         void *f(void *unused) {{\n  {writer}\n  return 0;\n}}\n\
         int main(void) {{\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  {reader}\n  assert(flag >= 0);\n  return 0;\n}}\n"
    )
}

#[test]
fn both_accesses_are_named() {
    let racing = program("x = 1;", "int r = x;");
    for engine in ["bmc", "enumerate"] {
        let found = violation(&racing, engine);
        assert!(found.starts_with("undefined: data race: "), "{engine}: {found}");
        assert!(found.contains("`x = 1` of f, line 7"), "{engine}: {found}");
        assert!(found.contains("`int r = x` of main, line 13"), "{engine}: {found}");
    }
}

#[test]
fn what_happens_in_order_does_not_race() {
    let message = |store: &str, load: &str| {
        program(
            &format!("x = 1; atomic_store_explicit(&flag, 1, {store});"),
            &format!("if (atomic_load_explicit(&flag, {load})) x = 2;"),
        )
    };
    for engine in ["bmc", "enumerate"] {
        let (release, acquire) = ("memory_order_release", "memory_order_acquire");
        assert_eq!(violation(&message(release, acquire), engine), "safe", "{engine}");
        for weak in [message("memory_order_relaxed", acquire), message(release, "memory_order_relaxed")] {
            assert!(violation(&weak, engine).starts_with("undefined: data race"), "{engine}");
        }
    }
}
