//! Programs with remote operations: the running example of Baumann and others, the corpus, and random programs.

use std::cell::RefCell;

use wattle_engine::{Engine, Property, Run, Task, Verdict, Work};
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::{Dump, Extrapolate, Method};
use wattle_judge::certify::abstraction::abstraction;
use wattle_memory::{Machine, find};
use wattle_testing::agree::Effort;
use wattle_testing::laws::{self, Law};
use wattle_testing::proofs::{Ledger, Trial, remote};
use wattle_testing::{Limits, Tally, compare, with_sections};

use crate::{Proved, answer, certified, corpus, libraries, library, parse, proof, proved, source, verdict};

/// Section 4.2: the four predicates of the proof under sequential consistency, one for the set of each remote
/// statement, and two flags. (The text lists six of the eight: it leaves out the get.)
#[test]
fn predicates_of_the_running_example() {
    let text = source("figures/rma_example.wtl");
    let given = "predicates { p2.r != 3; p2.R != 3; p1.Y != 3; p2.X != 3; }";
    let program = parse(&format!("{text}\n{given}"));
    let memory = find("rma").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
    let shown = engine.dump(&task, &Run::default(), Dump::Predicates).unwrap();
    let expected = "8 predicates\nrule 1: 2\n  mem(&Put1Active) == 0\n  mem(&Get2Active) == 0\nrule 2: 4\n  \
                    p2[0].r != 3\n  mem(&R) != 3\n  mem(&Y) != 3\n  mem(&X) != 3\nrule 3: 2\n  \
                    each(mem(&Y2Set)) != 3\n  each(mem(&X1Set)) != 3\n";
    assert_eq!(shown, expected);
}

/// With a flush after every remote statement there is nothing but what sequential consistency has; and the
/// placements that the files name are proved for any number of pending operations.
#[test]
fn proofs_of_the_corpus_pass() {
    for path in [
        "figures/rma_example_flushed.wtl",
        "peterson/peterson_rma_flushed.wtl",
        "dekker/dekker_rma_flushed.wtl",
        "abp/abp_rma_flushed.wtl",
        "pgsql/pgsql_rma_flushed.wtl",
        "bluetooth/bluetooth_rma_flushed.wtl",
    ] {
        let program = corpus(path);
        let proved = proof(&program, "rma");
        assert!(certified(&program, "rma", &proved).is_ok(), "{path}");
    }
}

/// Section 4.3: the boolean program of the reduced program, without a question to the solver. Every entry that is used is asked
/// about by the checker of certificates.
#[test]
fn boolean_programs_are_extrapolated_without_calls() {
    for path in [
        "figures/rma_example_flushed.wtl",
        "dekker/dekker_rma_flushed.wtl",
        "abp/abp_rma_unbounded_flushed.wtl",
        "pgsql/pgsql_rma_flushed.wtl",
        "bluetooth/bluetooth_rma_flushed.wtl",
    ] {
        let program = corpus(path);
        let memory = find("rma").unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let engine = Extrapolate { smt: libraries(), method: Method::Ebp, ..Extrapolate::default() };
        let answer = engine.check(&task, &Run::default()).unwrap();
        assert_eq!(answer.statistics.counted("calls"), Some(0), "{path}");
        assert!(answer.statistics.counted("sc cubes asked") > Some(0), "{path}");
        assert!(certified(&program, "rma", &proved(answer)).is_ok(), "{path}");
    }
}

/// What cannot be proved so is not proved wrongly, and methods for buffers are refused.
#[test]
fn extrapolated_programs_are_sound() {
    let memory = find("rma").unwrap();
    for path in ["figures/rma_example.wtl", "dekker/dekker_rma.wtl", "abp/abp_rma_unbounded.wtl"] {
        let program = corpus(path);
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let engine = Extrapolate { smt: libraries(), method: Method::Ebp, ..Extrapolate::default() };
        let answer = engine.check(&task, &Run::default()).unwrap();
        assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{path}: {:?}", answer.verdict);
        let engine = Extrapolate { method: Method::Ce, ..engine };
        assert!(engine.accepts(&task).is_err(), "{path}");
    }
    let program = corpus("peterson/peterson.wtl");
    let memory = find("tso").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let engine = Extrapolate { smt: libraries(), method: Method::Ebp, ..Extrapolate::default() };
    assert!(engine.accepts(&task).is_err());
}

/// Gets of a loop pile up without a flush, so that no number of pending operations is enough for explicit search.
#[test]
fn any_number_may_be_pending() {
    let text = source("dekker/dekker_rma.wtl");
    let flushed = text.replace("f = get(flag, p[other]);", "f = get(flag, p[other]); flush(p[other]);");
    let program = parse(&flushed);
    let proved = proof(&program, "rma");
    assert!(certified(&program, "rma", &proved).is_ok());
    for path in ["figures/rma_example.wtl", "dekker/dekker_rma.wtl", "peterson/peterson_rma.wtl"] {
        assert!(matches!(verdict(&corpus(path), "rma"), Verdict::Unsafe { .. }), "{path}");
    }
}

/// A value that is read twice from a rest may be written twice there, but not by the machine: one instance apart decides.
#[test]
fn an_instance_that_is_kept_apart() {
    let text = "process q { shared x = 0; } process p { shared r = 0; local i: 0..2 = 0;
                while (i < 2) { put(x, q, 1); i = i + 1; } flush(q); put(x, q, 2); flush(q); r = get(x, q); flush(q);
                assert r == 2; }";
    let program = parse(text);
    let proved = proof(&program, "rma");
    assert!(certified(&program, "rma", &proved).is_ok());
}

/// Where numbers grow, orders between what counts are offered: no interpolant finds `next <= mine` and `mine < number` of both copies at once.
#[test]
fn tickets_without_bound_are_ordered() {
    for path in ["ticket/ticket_rma_unbounded_flushed.wtl", "bakery/bakery_rma_unbounded_flushed.wtl"] {
        let program = corpus(path);
        let memory = find("rma").unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
        let answer = engine.check(&task, &Run::default()).unwrap();
        assert!(answer.statistics.counted("orders") > Some(0), "{path}");
        assert!(answer.statistics.counted("renamed") > Some(1_000), "{path}");
        assert_eq!(answer.statistics.counted("not renamed"), Some(0), "{path}");
        assert!(certified(&program, "rma", &proved(answer)).is_ok(), "{path}");
    }
}

/// Under sc a copy is two steps, and its thread waits.
#[test]
fn remote_programs_are_proved_under_sc() {
    for path in [
        "ticket/ticket_rma_unbounded.wtl",
        "bakery/bakery_rma_unbounded.wtl",
        "abp/abp_rma_unbounded.wtl",
        "dekker/dekker_rma.wtl",
        "figures/rma_example.wtl",
    ] {
        let program = corpus(path);
        let proved = proof(&program, "sc");
        assert!(certified(&program, "sc", &proved).is_ok(), "{path}");
    }
    let program = parse(
        "process q { shared y = 0; local a; y = 1; a = y; assert a != 0; }
         process p { shared x = 0; put(y, q, x); }",
    );
    assert!(matches!(verdict(&program, "sc"), Verdict::Unsafe { .. }), "the put may write after the store");
}

/// Two copies in opposite directions exchange their values if both read first. As single steps they cannot.
#[test]
fn copies_of_one_step_are_proved_too() {
    let program = parse(
        "process p { shared x = 5; put(y, q, x); } process q { shared y = 7; put(x, p, y); } finally p.x == q.y;",
    );
    assert!(matches!(verdict(&program, "sc"), Verdict::Unsafe { .. }));
    let mut memory = find("sc").unwrap().clone();
    memory.machine = Some(Machine::Sc { atomic_copy: true });
    let task = Task { program: &program, memory: &memory, property: Property::Stated, hints: None };
    let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
    let answer = engine.check(&task, &Run::default()).unwrap();
    let Proved { proof, coverage } = proved(answer);
    let passed = abstraction(&task, &proof, Some(&coverage), &library(), &Run::default());
    assert!(passed.is_ok(), "{passed:?}");
    let broken = parse(
        "process p { shared x = 5; put(y, q, x); } process q { shared y = 7; local a; y = 1; a = y; assert a == 1; }",
    );
    let answer = engine.check(&Task { program: &broken, ..task }, &Run::default()).unwrap();
    assert!(matches!(answer.verdict, Verdict::Unsafe { .. }), "{:?}", answer.verdict);
}

/// A value that the target cannot hold is an error under both readings, not a step that is never taken.
#[test]
fn a_value_out_of_range_is_no_proof() {
    let program =
        parse("process p { shared x = 5; put(y, q, x); } process q { shared y: 0..3 = 0; } always q.y == 0;");
    for atomic_copy in [false, true] {
        let mut memory = find("sc").unwrap().clone();
        memory.machine = Some(Machine::Sc { atomic_copy });
        let task = Task { program: &program, memory: &memory, property: Property::Stated, hints: None };
        let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
        let answer = engine.check(&task, &Run::default()).unwrap();
        assert!(matches!(answer.verdict, Verdict::Unknown { .. }), "{:?}", answer.verdict);
    }
}

/// An earlier value of `v0` once had the name of the flag of the put, and so the flag decided what it is. (Found by random programs.)
#[test]
fn flags_and_earlier_values_have_different_names() {
    let text = "wir 1\n\
                program \"seed5001817\"\n\
                vocabulary rma\n\
                variable v0 : int init 0 owner p0\n\
                variable v1 : int init 0 owner p1\n\
                process p0\n\
                  local r0 : int init 0\n\
                  local r1 : bool init false\n\
                  entry 0\n\
                  point 0\n\
                  point 1\n\
                  point 2 end\n\
                  edge 0 -> 1 do put &v1 from &v0 @2..3\n\
                  edge 1 -> 2 do load r0 from &v0; assume r0 == 0; store &v0 = 2; assign r1 = true @3..4\n\
                process p1\n\
                  local r0 : int init 0\n\
                  entry 0\n\
                  point 0\n\
                  point 1 end\n\
                  edge 0 -> 1 do load r0 from &v1 @1006..1007\n\
                finally !(p0[0].r1 != false && p1[0].r0 == 1 && p0[0].r1 == true)\n";
    let (sources, file) = wattle_source::Sources::single("test.wir", text);
    let program = wattle_program::text::parse(&sources, file).unwrap();
    let found = answer(&program, "rma");
    if matches!(found.verdict, Verdict::Safe { .. }) {
        assert!(certified(&program, "rma", &proved(found)).is_ok());
    }
    // What it was wrong about: with the other initial value the property does not hold.
    let broken =
        text.replace("variable v0 : int init 0", "variable v0 : int init 1").replace("r0 == 0", "r0 == 1");
    let (sources, file) = wattle_source::Sources::single("test.wir", &broken);
    let program = wattle_program::text::parse(&sources, file).unwrap();
    assert!(matches!(verdict(&program, "rma"), Verdict::Unsafe { .. }));
}

#[test]
fn nobody_is_contradicted_on_random_programs() {
    let (smt, library) = (libraries(), &library());
    let (ledger, tally) = (&Ledger::default(), RefCell::new(Tally::default()));
    let extrapolate = Extrapolate { smt, ..Extrapolate::default() };
    let models: Vec<_> = ["sc", "rma"].into_iter().filter_map(find).collect();
    let limits = Limits { deadlock: false, ..Limits::default() };
    let law: Law<'_> = &|program, seed| {
        tally.borrow_mut().add(&compare(program, &models, &[], &limits)?);
        let effort = Effort { states: 5_000, work: Work::milliseconds(100) };
        let others = &[&Explore::default() as &dyn wattle_engine::Engine];
        let method = if seed / 4 % 2 == 0 { Method::Auto } else { Method::Ebp };
        let subject = &Extrapolate { method, ..extrapolate.clone() };
        let trial = Trial { subject, others, models: &["rma"], effort, library, ledger, seed };
        match seed % 4 {
            0 => trial.agrees(&with_sections(program, seed)),
            _ => trial.agrees(program),
        }
    };
    let all = laws::test(law, &remote, 0..250).unwrap_or_else(|failure| panic!("{failure}"));
    let tally = tally.into_inner();
    let said = format!("{tally}\n{ledger}{all:?}");
    assert!(tally.share(tally.trivial) < 45.0, "{said}");
    assert!(ledger.counted("safe, certified") >= 80 && ledger.counted("unsafe") >= 80, "{said}");
    assert_eq!(ledger.counted("safe, not certified"), 0, "{said}");
    // Nearly all by boolean program extrapolation, for want of a predicate.
    assert!(ledger.counted("unknown") <= 45, "{said}");
}
