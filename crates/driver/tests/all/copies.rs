//! Instances of a text that leaves open how many copies there are: what the report says, and that a trace is about one.

use wattle_driver::check::{Check, Checked, check};
use wattle_driver::replay::replay;
use wattle_driver::{Copies, Input, Watch};
use wattle_program::{Instance, ProcessId};
use wattle_report::{CheckVerdict, Trace};

use super::request;

/// Two processes are inside at once under tso, whatever a third does. The value that is chosen first stays open.
const SYSTEM: &str = "type loc = Idle | Want | Crit
array PC[proc] : loc
array Seen[proc] : int
weak array Flag[proc] : bool
init (p) { PC[p] = Idle && Flag[p] = False }
unsafe (p q) { PC[p] = Crit && PC[q] = Crit && Seen[p] = 7 && Seen[q] <> 7 }
transition ask ([p]) requires { PC[p] = Idle } { PC[p] := Want; Flag[p] := True }
transition enter ([p]) requires { PC[p] = Want && forall_other q. Flag[q] = False } { PC[p] := Crit }
transition leave ([p] q) requires { PC[p] = Crit } { PC[p] := Idle; Flag[p] := False; Seen[p] := Seen[q] }";

fn input(copies: u32) -> Input {
    Input::text("a.cub", "cub", SYSTEM).with_copies(vec![Copies { process: None, count: copies }])
}

fn checked(model: &str, copies: u32) -> Checked {
    let request = Check { certify: true, ..request(model) };
    check(&request, &input(copies), &Watch::default()).unwrap()
}

#[test]
fn a_verdict_says_what_it_is_about() {
    for copies in [2, 3] {
        let safe = checked("sc", copies).report;
        assert_eq!(safe.verdict.word(), "safe");
        assert!(safe.certified);
        assert_eq!(safe.copies, [("proc".to_owned(), copies)]);
    }
    assert_eq!(checked("tso", 1).report.verdict.word(), "safe", "one process alone is never two");
}

#[test]
fn a_trace_is_about_an_instance() {
    let Checked { report, trace } = checked("tso", 3);
    assert_eq!(report.verdict.word(), "unsafe");
    assert!(report.confirmed);
    let trace = trace.unwrap();
    let three = Instance([(ProcessId(0), 3)].into());
    assert_eq!(trace.counterexample.instance, three, "the text leaves it open, so the trace says it");
    let again = |trace: &Trace| replay(&Input::text("t.json", "json", &trace.write()));
    let told = again(&trace);
    assert_eq!(told.copies, [("proc".to_owned(), 3)]);
    let CheckVerdict::Unsafe { story } = &told.verdict else { panic!("{:?}", told.diagnostics) };
    assert_eq!(story.threads, ["proc[0]", "proc[1]", "proc[2]"]);
    assert!(story.start.iter().any(|(cell, _)| cell == "Seen[0]"), "{:?}", story.start);
    // Of another instance, or of none, it is no trace.
    for instance in
        [Instance([(ProcessId(0), 1)].into()), Instance([(ProcessId(7), 3)].into()), Instance::default()]
    {
        let mut other = trace.clone();
        other.counterexample.instance = instance;
        let refused = again(&other);
        assert_eq!(refused.verdict.word(), "error");
        assert_eq!(refused.diagnostics[0].code, "trace-rejected");
    }
}
