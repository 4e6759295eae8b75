//! Programs on which a plausible mistake gives a wrong answer.

use wattle_engine::{Engine, Property, Reason, Run, Task, Verdict};
use wattle_engine_extrapolate::{Extrapolate, Method};
use wattle_memory::find;

use crate::{certified, libraries, parse, proof, verdict};

/// The first step of the section is local, but others may move before it.
#[test]
fn an_atomic_section_does_not_go_first() {
    let program = parse(
        "shared x: 0..1 = 0;
         thread p {
           local a: 0..3, r: 0..1;
           a = 0;
           atomic {
             while (a < 2) { a = a + 1; }
             r = x;
           }
           assert r == 0;
         }
         thread q { x = 1; }",
    );
    for model in ["sc", "tso", "pso"] {
        assert!(matches!(verdict(&program, model), Verdict::Unsafe { .. }), "{model}");
    }
}

/// Programs in the printed form, for what no language has words for.
fn wir(body: &str) -> wattle_program::Program {
    let text = format!("wir 1\nprogram \"test\"\nvocabulary generic\n{body}");
    let (sources, file) = wattle_source::Sources::single("test.wir", &text);
    wattle_program::text::parse(&sources, file).unwrap()
}

/// What counts as final is a matter of the filter too.
#[test]
fn final_states_that_a_filter_takes_out_do_not_count() {
    let program = |filter: &str| {
        wir(&format!(
            "variable x : int range 0..1 init 0
process p
  local r : int range 0..1 init 0
  entry 0
  point 0
  point 1 end
  edge 0 -> 1 do load r from &x
process q
  entry 0
  point 0
  point 1 end
  edge 0 -> 1 do store &x = 1
finally p[0].r == 1
filter {filter}
"
        ))
    };
    for model in ["sc", "tso", "pso"] {
        let safe = program("p[0].r == 1");
        assert!(certified(&safe, model, &proof(&safe, model)).is_ok(), "{model}");
        assert!(matches!(verdict(&program("mem(&x) == 1"), model), Verdict::Unsafe { .. }), "{model}");
    }
}

/// The engine splits a state on `x == 2` first and the checker on `x == 0`: in its part, `x == 2` is still open after
/// the load, and no triple says that both cannot be.
#[test]
fn the_checker_may_split_in_another_order() {
    let program = wir("variable x : int init 0
process p
  local r : int init 0
  entry 0
  point 0
  point 1
  point 2 end
  edge 0 -> 1 do load r from &x
  edge 1 -> 2 do store &x = r
process q
  local r : int init 0
  entry 0
  point 0
  point 1
  point 2 end
  edge 0 -> 1 do store &x = 2
  edge 1 -> 2 do load r from &x
finally !(q[0].r != 0 && q[0].r != 2 && mem(&x) == 2)
filter !(mem(&x) == 0)
");
    for model in ["sc", "tso", "pso"] {
        assert!(certified(&program, model, &proof(&program, model)).is_ok(), "{model}");
    }
}

/// The solver has no end of symbols, an enumeration has.
#[test]
fn what_is_chosen_is_in_the_enumeration() {
    let program = |holds: &str| {
        wir(&format!(
            "enum letter {{ a b c }}
variable x : letter init any
process p
  local r : letter init letter.a
  local s : letter init letter.a
  entry 0
  point 0
  point 1
  point 2 end
  edge 0 -> 1 do load r from &x; havoc s
  edge 1 -> 2 do assert {holds} @0..0
"
        ))
    };
    for model in ["sc", "tso", "pso"] {
        for holds in ["r == letter.c", "s == letter.c"] {
            assert!(matches!(verdict(&program(holds), model), Verdict::Unsafe { .. }), "{model} {holds}");
        }
        for holds in ["r", "s"].map(|r| format!("{r} == letter.a || {r} == letter.b || {r} == letter.c")) {
            let safe = program(&holds);
            assert!(certified(&safe, model, &proof(&safe, model)).is_ok(), "{model} {holds}");
        }
    }
}

/// A step that faults chooses nothing after that.
#[test]
fn a_fault_comes_before_later_choices() {
    let program = wir("variable a[2] : int range 0..1 init 0
process p
  local i : int range 0..3 init 0
  local r : int range 0..1 init 0
  entry 0
  point 0
  point 1 end
  edge 0 -> 1 do havoc i; load r from &a[i]; havoc r
");
    for model in ["sc", "tso", "pso"] {
        assert!(matches!(verdict(&program, model), Verdict::Unsafe { .. }), "{model}");
    }
}

/// A step that overflows a buffer has stopped in the middle, outside its section: nothing that can be seen
/// there is a violation, and nothing that others do then.
#[test]
fn behind_an_overflow_nothing_is_a_violation() {
    let in_a_step = "variable x : int range 0..2 init 0
process p
  local r : int range 0..1 init 0
  entry 0
  point 0
  point 1 end
  edge 0 -> 1 buffered do assign r = 1; store &x = 1; store &x = 2; assign r = 0
always p[0].r == 0
";
    let in_a_section = "variable x : int range 0..2 init 0
process p
  local r : int range 0..1 init 0
  entry 0
  point 0
  point 1 inside buffered
  point 2 inside buffered
  point 3 end
  edge 0 -> 1 buffered do store &x = 1; assign r = 1
  edge 1 -> 2 buffered do store &x = 2
  edge 2 -> 3 buffered do assign r = 0
always p[0].r == 0
";
    let not_enabled = "variable x : int range 0..2 init 0
process p
  local r : int range 0..1 init 0
  entry 0
  point 0
  point 1
  point 2 end
  edge 0 -> 1 do store &x = 1
  edge 1 -> 2 buffered do assert r == 1 @0..0; store &x = 2; assume r == 1
";
    for text in [in_a_step, in_a_section, not_enabled] {
        let program = wir(text);
        for model in ["tso", "pso"] {
            assert!(certified(&program, model, &proof(&program, model)).is_ok(), "{model} {text}");
        }
    }
}

/// Refinement may find predicates over what only the reduced program has.
#[test]
fn overflow_has_no_copies() {
    let program = parse("shared x; thread p[2] { x = 1; fence; assert x == 1; }");
    let engine = Extrapolate { smt: libraries(), method: Method::Trad, ..Extrapolate::default() };
    for model in ["tso", "pso"] {
        let task =
            Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        assert!(
            matches!(engine.check(&task, &Run::default()).unwrap().verdict, Verdict::Safe { .. }),
            "{model}"
        );
    }
}

/// What can be made of a program, and of given predicates, is said before anything is tried.
#[test]
fn refusals_say_what_is_wrong() {
    let refusal = |text: &str| {
        let program = parse(text);
        let task =
            Task { program: &program, memory: find("pso").unwrap(), property: Property::Stated, hints: None };
        let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
        let refused = engine.accepts(&task).err().map(Reason::Unsupported);
        match refused.map_or_else(
            || engine.check(&task, &Run::default()).unwrap().verdict,
            |reason| Verdict::Unknown { reason },
        ) {
            Verdict::Unknown { reason } => reason.to_string(),
            other => panic!("{other:?}"),
        }
    };
    for (text, expected) in [
        (
            "shared a[300]; thread p { local r; r = a[r]; }",
            "a computed index of a, which has more than 256 elements",
        ),
        ("shared a[9000]; thread p { a[1] = 1; }", "more than 4096 locations and locals"),
        ("shared x; thread p[*] { x = 1; }", "`p` has any number of copies"),
        (
            "shared x; thread p { x = 1; } predicates { x * x == 1; }",
            "the given predicate `mem(&x) * mem(&x) == 1`",
        ),
        ("shared x[2]; thread p { x[0] = 1; } predicates { x[5] == 1; }", "a location that is not there"),
        (
            "shared x; thread p { local n = 4611686018427387904; x = n + n; fence; assert x <= 0; }",
            "left 64 bits",
        ),
    ] {
        let said = refusal(text);
        assert!(said.contains(expected), "{said} for {text}");
    }
}
