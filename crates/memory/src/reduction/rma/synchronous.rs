//! The program in which remote operations are done at once: the paper's reading of a program under sequential
//! consistency (section 2.2), where `R = get(Y, q)` is `R = Y`.
//!
//! It is where the predicates of a proof come from. No verdict rests on it: under wattle's sc a copy is two steps.

use wattle_logic::{Sort, Term};
use wattle_program::{Op, Program, Source, Unsupported, Update};

use crate::reduction::thread::add_local;

/// The flat program with loads and stores for remote operations, and without flushes.
pub fn synchronous(program: &Program) -> Result<Program, Unsupported> {
    let mut program = super::split::flat(program)?.program;
    for process in &mut program.processes {
        if !process.cfg.edges.iter().flat_map(|edge| &edge.ops).any(is_remote) {
            continue;
        }
        let value = add_local(process, "value", Sort::Int, None);
        for edge in &mut process.cfg.edges {
            edge.ops = edge.ops.iter().flat_map(|op| at_once(op, value)).collect();
        }
    }
    Ok(program)
}

fn is_remote(op: &Op) -> bool {
    matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. })
}

fn at_once(op: &Op, value: u32) -> Vec<Op> {
    let load = |address: &Term| Op::Load { into: value, address: address.clone(), tags: Default::default() };
    let store =
        |address: &Term, value: Term| Op::Store { address: address.clone(), value, tags: Default::default() };
    let held = || Term::local(value, Sort::Int);
    let forget = Op::Forget { local: value };
    match op {
        Op::Put { remote, source: Source::Value(value) } => vec![store(remote, value.clone())],
        Op::Put { remote, source: Source::Location(source) } => {
            vec![load(source), store(remote, held()), forget]
        }
        Op::Get { into, remote } => vec![load(remote), store(into, held()), forget],
        Op::RemoteAtomic { into, remote, update } => {
            let new = match update {
                Update::Add(by) => Term::binary(wattle_logic::Binary::Add, held(), by.clone()),
                Update::Replace(new) => new.clone(),
                Update::CompareAndSwap { expected, new } => {
                    Term::if_then_else(held().equals(expected.clone()), new.clone(), held())
                }
            };
            let delivered = into.iter().map(|into| store(into, held()));
            [load(remote), store(remote, new)].into_iter().chain(delivered).chain([forget]).collect()
        }
        Op::Flush { .. } => vec![],
        other => vec![other.clone()],
    }
}
