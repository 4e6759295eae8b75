//! Budgets, cancellation, and state spaces without end: an engine stops when told, says why, and
//! never takes a part for the whole.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wattle_engine::{Budget, Engine, Property, Reason, Run, Task, Verdict, Work};
use wattle_logic::{Binary, Term};
use wattle_memory::find;
use wattle_program::{Op, Program};

use super::score::{Said, certified};
use super::{ENOUGH, Score};
use crate::build::{Build, assert, int};

/// Counts for ever.
fn counter() -> Program {
    let mut b = Build::new("a counter without end");
    let x = b.variable("x", 0);
    b.thread("p", |t| {
        let r = t.local();
        let head = t.here();
        let next = Term::binary(Binary::Add, t.value(r), int(1));
        t.op(Op::Assign { local: r, value: next });
        let value = t.value(r);
        t.store(x, value);
        t.fence();
        let positive = Term::binary(Binary::Greater, t.value(r), int(0));
        t.op(assert(positive));
        t.goto(head);
    });
    b.done()
}

/// A multiplication in a loop: soon beyond 64 bits.
fn doubling() -> Program {
    let mut b = Build::new("doubling without end");
    b.thread("p", |t| {
        let r = t.local();
        t.op(Op::Assign { local: r, value: int(1) });
        let head = t.here();
        let twice = Term::binary(Binary::Multiply, t.value(r), int(2));
        t.op(Op::Assign { local: r, value: twice });
        t.goto(head);
    });
    b.done()
}

/// A question, what the run allows, and the reasons for which an engine may stop.
struct Limited<'a> {
    program: &'a Program,
    budget: Budget,
    /// Somebody pressed Ctrl-C.
    cancelled: bool,
    reason: fn(&Reason) -> bool,
}

pub(super) fn run(engine: &dyn Engine, smt: &[PathBuf], score: &mut Score) {
    let (counter, doubling) = (counter(), doubling());
    for question in questions(&counter, &doubling) {
        for model in ["sc", "tso", "pso"] {
            let Some(memory) = find(model) else { continue };
            let task = Task { program: question.program, memory, property: Property::Stated, hints: None };
            let said = ask(engine, &task, &question, smt);
            score.count(said, || format!("{} under {model} within a budget", question.program.name));
        }
    }
}

fn questions<'a>(counter: &'a Program, doubling: &'a Program) -> [Limited<'a>; 5] {
    // An engine that does not count what is limited stops by its work, and has not said what was asked for.
    let enough = Budget { work: Some(ENOUGH), ..Budget::default() };
    let plain = || Limited { program: counter, budget: enough, cancelled: false, reason: |_| false };
    [
        Limited {
            budget: Budget { work: Some(Work::microseconds(50)), ..enough },
            reason: |reason| *reason == Reason::Work,
            ..plain()
        },
        Limited {
            budget: Budget { states: Some(5000), ..enough },
            reason: |reason| *reason == Reason::States,
            ..plain()
        },
        Limited { cancelled: true, reason: |reason| *reason == Reason::Interrupted, ..plain() },
        // Beyond 64 bits wattle gives up; it neither wraps nor blames the program.
        Limited {
            program: doubling,
            reason: |reason| matches!(reason, Reason::Overflow | Reason::Unsupported(_)),
            ..plain()
        },
        // Last, because some limits of memory are of the process and stay for what follows.
        Limited {
            budget: Budget { memory: Some(3 << 20), ..enough },
            reason: |reason| *reason == Reason::Memory,
            ..plain()
        },
    ]
}

/// Both programs are safe, so a proof is as good as stopping for the right reason.
fn ask(engine: &dyn Engine, task: &Task<'_>, question: &Limited<'_>, smt: &[PathBuf]) -> Said {
    if let Err(refused) = engine.accepts(task) {
        return Said::Refused(Some(refused.to_string()));
    }
    let cancelled = Arc::new(AtomicBool::new(question.cancelled));
    let run = Run::new(question.budget).cancelled_by(cancelled);
    let answer = match engine.check(task, &run) {
        Ok(answer) => answer,
        Err(contradiction) => return Said::Wrong(contradiction.to_string()),
    };
    match &answer.verdict {
        Verdict::Unknown { reason } if (question.reason)(reason) => Said::Right,
        Verdict::Unknown { reason } => Said::Open(format!("unknown: {reason}")),
        Verdict::SafeUpTo { bound } => Said::Open(format!("only {bound}")),
        Verdict::Safe { .. } => certified(task, &answer, smt),
        Verdict::Unsafe { .. } => Said::Wrong("unsafe".into()),
    }
}
