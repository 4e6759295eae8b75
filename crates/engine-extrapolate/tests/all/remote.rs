//! Programs with remote operations: the running example of Baumann and others, the corpus, and random programs.

use std::cell::RefCell;

use wattle_engine::{Engine, Property, Run, Task, Verdict, Work};
use wattle_engine_explore::Explore;
use wattle_engine_extrapolate::{Dump, Extrapolate, Method};
use wattle_memory::find;
use wattle_testing::agree::Effort;
use wattle_testing::laws::{self, Law};
use wattle_testing::proofs::{Ledger, Trial, remote};
use wattle_testing::{Limits, Tally, compare, with_sections};

use crate::{certified, corpus, libraries, library, parse, proof, proved, source, verdict};

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
