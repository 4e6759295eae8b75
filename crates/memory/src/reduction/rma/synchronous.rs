//! The program in which remote operations are done at once: the paper's reading of a program under sequential
//! consistency (section 2.2), where `R = get(Y, q)` is `R = Y`.
//!
//! It is where the predicates of a proof come from. A verdict rests on it only if copies are to be one step (`sequential`): under wattle's sc they
//! are two.

use wattle_logic::{Sort, Term};
use wattle_program::{Op, Process, Program, Source, Unsupported, Update};

use crate::reduction::thread::add_local;

/// The flat program with loads and stores for remote operations, and without flushes.
pub fn synchronous(program: &Program) -> Result<Program, Unsupported> {
    let mut program = super::split::flat(program)?.program;
    for process in &mut program.processes {
        if !process.cfg.edges.iter().flat_map(|edge| &edge.ops).any(is_remote) {
            continue;
        }
        let value = value_of(process);
        for edge in &mut process.cfg.edges {
            edge.ops = edge.ops.iter().flat_map(|op| at_once(op, value)).map(|done| done.op).collect();
        }
    }
    Ok(program)
}

fn is_remote(op: &Op) -> bool {
    matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. })
}

/// The local that holds what a remote operation has read.
pub(super) fn value_of(process: &mut Process) -> u32 {
    add_local(process, "value", Sort::Int, None)
}

/// An operation that is done at once, or a part of it.
pub(super) struct Done {
    pub op: Op,
    /// Of the store of a remote operation: where its value was read, if it is stored as it was read.
    pub before: Option<Option<Term>>,
}

pub(super) fn at_once(op: &Op, value: u32) -> Vec<Done> {
    let plain = |op: Op| Done { op, before: None };
    let load =
        |address: &Term| plain(Op::Load { into: value, address: address.clone(), tags: Default::default() });
    let store = |address: &Term, value: Term, from: Option<&Term>| Done {
        op: Op::Store { address: address.clone(), value, tags: Default::default() },
        before: Some(from.cloned()),
    };
    let held = || Term::local(value, Sort::Int);
    let forget = plain(Op::Forget { local: value });
    match op {
        Op::Put { remote, source: Source::Value(value) } => vec![store(remote, value.clone(), None)],
        Op::Put { remote, source: Source::Location(source) } => {
            vec![load(source), store(remote, held(), Some(source)), forget]
        }
        Op::Get { into, remote } => vec![load(remote), store(into, held(), Some(remote)), forget],
        Op::RemoteAtomic { into, remote, update } => {
            let new = match update {
                Update::Add(by) => Term::binary(wattle_logic::Binary::Add, held(), by.clone()),
                Update::Replace(new) => new.clone(),
                Update::CompareAndSwap { expected, new } => {
                    Term::if_then_else(held().equals(expected.clone()), new.clone(), held())
                }
            };
            let delivered = into.iter().map(|into| store(into, held(), Some(remote)));
            [load(remote), store(remote, new, None)].into_iter().chain(delivered).chain([forget]).collect()
        }
        Op::Flush { .. } => vec![],
        other => vec![plain(other.clone())],
    }
}
