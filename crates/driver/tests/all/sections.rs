//! Atomic sections with several accesses, by the machine and by axioms.

use wattle_driver::check::{Check, check};
use wattle_driver::{Input, Watch};

use super::request;

fn answer(text: &str, model: &str, engine: &str) -> String {
    let input = Input::text("t.wtl", "wtl", text);
    let request = Check { engine: Some(engine.into()), ..request(model) };
    let report = check(&request, &input, &Watch::default()).unwrap().report;
    let refused = format!("{:?}", report.verdict);
    match report.verdict.word() {
        "unknown" if refused.contains("atomic section") || refused.contains("atomic step") => {
            "refused".into()
        }
        word => word.into(),
    }
}

/// Both engines give this answer under the models that have a machine with store buffers or none.
fn all_answer(text: &str, expected: [&str; 3]) {
    for (model, expected) in ["sc", "tso", "pso"].into_iter().zip(expected) {
        for engine in ["explore", "bmc"] {
            assert_eq!(answer(text, model, engine), expected, "{model}, {engine}:\n{text}");
        }
    }
}

/// Nobody sees x and y differ, unless the reads are in two sections.
#[test]
fn a_section_is_one_node_of_the_order() {
    let readers = |read: &str| {
        format!(
            "shared x = 0, y = 0;\nthread p {{ atomic {{ x = 1; y = 1; }} atomic {{ x = 2; y = 2; }} }}\n\
             thread q {{ local a, b; {read} assert a == b; }}\n"
        )
    };
    all_answer(&readers("atomic { a = x; b = y; }"), ["safe"; 3]);
    all_answer(&readers("a = x; b = y;"), ["unsafe"; 3]);
    // y is written last, but outside of a section it may be read before x is.
    all_answer(
        "shared x = 0, y = 0;\nthread p { atomic { x = 1; y = 1; } }\n\
         thread q { local a, b; b = y; a = x; assert b == 0 || a == 1; }\n",
        ["safe"; 3],
    );
}

/// Sections drain the buffers of their own thread, and of nobody else's.
#[test]
fn a_section_is_locked() {
    let buffering = |section: &str| {
        format!(
            "shared x = 0, y = 0, z = 0;\nthread p {{ local r; x = 1; {section} r = y; }}\n\
             thread q {{ local s; y = 1; {section} s = x; }}\nfinally p.r == 1 || q.s == 1;\n"
        )
    };
    all_answer(&buffering("atomic { z = z + 1; }"), ["safe"; 3]);
    all_answer(&buffering(""), ["safe", "unsafe", "unsafe"]);
    let beside = "shared x = 0, y = 0, z = 0, u = 0;\nthread p { local r; x = 1; r = y; }\n\
                  thread q { local s; atomic { y = 1; u = 1; s = x; } }\nfinally p.r == 1 || q.s == 1;\n";
    all_answer(beside, ["safe", "unsafe", "unsafe"]);
}

/// What is written inside is read inside, and branches and loops inside are of the section too.
#[test]
fn order_inside_a_section() {
    all_answer(
        "shared x = 0, y = 0;\nthread p { local r; atomic { x = 1; r = x; y = r + 1; } assert r == 1; }\n\
         thread q { atomic { if (x == 0) { x = 5; y = 6; } else { y = y + 1; x = x + 1; } } }\n\
         finally y == x + 1;\n",
        ["safe"; 3],
    );
    all_answer(
        "shared x = 0, y = 0;\nthread p { local i = 0; atomic { while (i < 3) { x = x + 1; y = y + 1; i = i + 1; } } }\n\
         thread q { local a, b; atomic { a = x; b = y; } assert a == b; }\n",
        ["safe"; 3],
    );
}

/// A section that cannot be finished was never begun, as far as others can tell; an assertion in it counts.
#[test]
fn sections_that_do_not_end() {
    let stuck = |property: &str| {
        format!(
            "shared x = 0, y = 0;\nthread p {{ local r; atomic {{ r = y; x = 1; {property} assume r == 1; x = 2; }} }}\n\
             thread q {{ local s; s = x; assert s != 1; y = s; }}\n"
        )
    };
    all_answer(&stuck(""), ["safe"; 3]);
    all_answer(&stuck("assert r == 1;"), ["unsafe"; 3]);
}

/// A section in a loop that is left from inside it: what comes after is of the last round's section.
#[test]
fn a_loop_that_is_left_from_inside_a_section() {
    let lock = |guard: &str| {
        format!(
            "shared held = 0, x = 0, y = 0;\nthread p[2] {{ local r, n = 0;\n\
               while (n < 2) {{ atomic {{ r = held; {guard} {{ held = 1; n = 3; }} n = n + 1; }} }}\n\
               assume n == 4; x = x + 1; y = y + 1; assert x == y; }}\n"
        )
    };
    all_answer(&lock("if (r == 0)"), ["safe"; 3]);
    all_answer(&lock("if (r < 2)"), ["unsafe"; 3]);
}

/// Models that do not say what a section is refuse it, by name.
#[test]
fn other_models_refuse_sections() {
    let text = "shared x = 0, y = 0;\nthread p { atomic { x = 1; y = 1; } }\nthread q { assert x == y; }\n";
    for model in ["power", "aarch64", "riscv", "rc11", "alpha"] {
        assert_eq!(answer(text, model, "bmc"), "refused", "{model}");
    }
    assert_eq!(answer(text, "sc", "enumerate"), "refused");
}
