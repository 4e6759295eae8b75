//! The engine as a whole: its proofs pass their checker, and the checker lets nothing else pass.

#![allow(clippy::unwrap_used)]

mod ample;
mod certificates;
mod concrete;
mod functions;
mod hints;
mod mutations;
mod naive;
mod paper;
mod remote;
mod soundness;

use std::fs;
use std::path::{Path, PathBuf};

use wattle_engine::certificate::abstraction::AbstractProof;
use wattle_engine::{Answer, Certificate, Coverage, Engine, Halt, Property, Run, Task, Verdict};
use wattle_engine_extrapolate::Extrapolate;
use wattle_judge::certify::abstraction::abstraction;
use wattle_memory::find;
use wattle_program::{Program, passes};
use wattle_smt::Library;

fn libraries() -> Vec<PathBuf> {
    Library::beside(&std::env::current_exe().unwrap())
}

/// A test that cannot run must fail, and say what to do.
fn library() -> Library {
    Library::find(&libraries()).unwrap_or_else(|why| panic!("{why}"))
}

fn parse(text: &str) -> Program {
    wattle_frontend_wtl::FRONTEND.read("test.wtl", text).unwrap().program
}

fn source(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    fs::read_to_string(root.join(path)).unwrap()
}

fn corpus(path: &str) -> Program {
    parse(&source(path))
}

/// What the engine says of a program, as the driver asks it.
fn verdict(program: &Program, model: &str) -> Verdict {
    answer(program, model).verdict
}

fn answer(program: &Program, model: &str) -> Answer {
    let program = passes::forget_dead(program);
    let task =
        Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    let engine = Extrapolate { smt: libraries(), ..Extrapolate::default() };
    engine.accepts(&task).unwrap();
    engine.check(&task, &Run::default()).unwrap()
}

/// A proof, and what it says of coverage.
#[derive(Clone)]
struct Proved {
    proof: AbstractProof,
    coverage: Coverage,
}

fn proof(program: &Program, model: &str) -> Proved {
    proved(answer(program, model))
}

fn proved(answer: Answer) -> Proved {
    match answer.verdict {
        Verdict::Safe { certificate: Certificate::Abstraction(proof) } => {
            Proved { proof: (*proof).clone(), coverage: answer.coverage.unwrap() }
        }
        other => panic!("no proof: {other:?}"),
    }
}

/// What the checker says, on the program before any pass.
fn certified(program: &Program, model: &str, proved: &Proved) -> Result<(u64, u64), Halt> {
    let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    abstraction(&task, &proved.proof, Some(&proved.coverage), &library(), &Run::default())
}
