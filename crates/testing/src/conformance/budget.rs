//! Budgets, cancellation, and state spaces without end: an engine stops when told, says why, and
//! never takes a part for the whole.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wattle_engine::{Budget, Engine, Property, Reason, Run, Task, Verdict, Work};
use wattle_logic::{Binary, Term};
use wattle_memory::find;
use wattle_program::{Op, Program};

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

pub fn run(engine: &dyn Engine) -> Vec<String> {
    let mut wrong = Vec::new();
    for model in ["sc", "tso", "pso"] {
        let Some(memory) = find(model) else { continue };
        let mut ask = |program: &Program, run: &Run, fine: &dyn Fn(&Verdict) -> bool| {
            let task = Task { program, memory, property: Property::Stated };
            let answer = engine.check(&task, run).expect("no contradiction");
            if !fine(&answer.verdict) {
                wrong.push(format!("{} under {model} ends in {:?}", program.name, answer.verdict));
            }
        };
        let counter = counter();
        // A limit on work: unknown, with that reason, and no claim.
        ask(
            &counter,
            &Run::new(Budget { work: Some(Work::microseconds(50)), ..Budget::default() }),
            &|verdict| matches!(verdict, Verdict::Unknown { reason: Reason::Work }),
        );
        ask(&counter, &Run::new(Budget { states: Some(5000), ..Budget::default() }), &|verdict| {
            matches!(verdict, Verdict::Unknown { reason: Reason::States })
        });
        ask(&counter, &Run::new(Budget { memory: Some(3 << 20), ..Budget::default() }), &|verdict| {
            matches!(verdict, Verdict::Unknown { reason: Reason::Memory })
        });
        // Somebody pressed Ctrl-C.
        let cancelled = Run::default().cancelled_by(Arc::new(AtomicBool::new(true)));
        ask(&counter, &cancelled, &|verdict| {
            matches!(verdict, Verdict::Unknown { reason: Reason::Interrupted })
        });
        // Beyond 64 bits wattle gives up; it neither wraps nor blames the program.
        ask(&doubling(), &Run::default(), &|verdict| {
            matches!(verdict, Verdict::Unknown { reason: Reason::Overflow | Reason::Unsupported(_) })
        });
    }
    wrong
}
