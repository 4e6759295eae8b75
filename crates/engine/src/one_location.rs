//! Programs that share one location: there, models are sequentially consistent.
//!
//! Spin locks, flags and counters that are looked at alone have all their shared data in one location, and loops whose
//! rounds change memory, so that no bound on rounds is enough for engines by axioms. But what makes memory weak is that
//! accesses to *different* locations are seen in different orders. Of one location every model of the catalogue
//! says the same as sc, and under sc all states can be visited.
//!
//! *Claim.* If all accesses of a program are to one location, then each execution that such a model allows is one of
//! sc: the same threads take the same steps, read the same values and stand at the same points, and memory holds
//! the same in the end.
//!
//! *Why.* All events but fences are accesses of that location, so program order between them is program order at the
//! location (`po-loc`). Each model demands that `po-loc | rf | co | fr` has no cycle: the hardware models and rmo and alpha as
//! their first axiom, rc11 by `coherence` (`po` is part of happens-before, and a cycle of program order and communication at
//! one location comes down to one step of program order against `eco`). So the accesses have a total order that contains all
//! four. In that order each read reads the last write before it: a later one would come before the read by `co` and
//! after it by `fr`. Each model also demands that no write of another comes between the read and the write of a read-modify-write
//! (`atomic`, `atomicity`). So nothing but reads can stand between the two halves in the total order. They read what the read of the
//! pair reads, and can be moved before it, in their order; the thread of the pair does nothing in between. Run the accesses in that
//! order, each step of a thread with its access, and steps without any whenever their thread comes to them: that is a
//! run of the machine of sc. Values out of thin air need `po | rf` to be cyclic, which is excluded as well.
//!
//! *What is asked for* so that this is about the program at hand: each step makes at most one access, or is a locked
//! read-modify-write (several accesses of one plain step are not in program order among themselves); every address is a fixed
//! one, and always the same; there are no exclusive accesses, whose stores may fail for no reason, no remote operations
//! and no threads that are created, whose hidden locations are others. Where a model gives a program no meaning after
//! a race, all accesses must be atomic ones, which do not race. Formulas over memory in the middle of an execution are refused,
//! as always under axioms.
//!
//! *What it is not.* A violation under sc is one under each such model too, but a schedule is no execution graph: only proofs
//! are taken over.

use wattle_memory::cat::Role;
use wattle_memory::{MemoryModel, find};
use wattle_program::{Edge, Mode, Op, Program, Tags};

use crate::{Task, axioms, steps_are_events};

/// The model of sc, if it says all that the model of the task says about the program.
pub fn as_under_sc(task: &Task<'_>) -> Option<&'static MemoryModel> {
    let known = task.memory.machine.is_none() && task.memory.is_of_the_catalogue();
    let applies = known
        && axioms(task).is_ok()
        && steps_are_events(task.program, false).is_ok()
        && (!knows_races(task.memory) || accesses(task.program).all(|(_, tags)| is_atomic(tags)))
        && is_single(task.program);
    if applies { find("sc") } else { None }
}

/// Does the model have programs without a meaning?
fn knows_races(memory: &MemoryModel) -> bool {
    let axioms = memory.axioms.as_ref().map(|axioms| &axioms.core.axioms);
    axioms.is_none_or(|axioms| axioms.iter().any(|axiom| axiom.role == Role::UndefinedUnless))
}

fn is_atomic(tags: &Tags) -> bool {
    let atomic = ["RLX", "ACQ", "REL", "ACQ_REL", "SC", "CON"];
    tags.iter().any(|tag| atomic.contains(&&**tag))
}

/// The addresses and marks of all plain loads and stores.
fn accesses(program: &Program) -> impl Iterator<Item = (&wattle_logic::Term, &Tags)> {
    let ops = program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
    ops.filter_map(|op| match op {
        Op::Load { address, tags, .. } | Op::Store { address, tags, .. } => Some((address, tags)),
        _ => None,
    })
}

/// Is every access one to the same location, and one of its step, or half of a read-modify-write?
fn is_single(program: &Program) -> bool {
    let mut addresses = accesses(program).map(|(address, _)| address);
    let Some(first) = addresses.next() else { return false };
    let fixed = first.locals().is_empty() && !speaks_of_the_copy(first);
    let same = addresses.all(|address| address == first);
    let steps = || program.processes.iter().flat_map(|process| &process.cfg.edges);
    fixed && same && steps().all(|edge| edge.ops.iter().all(is_plain) && is_one_event(edge))
}

/// Does a term mean something else in another copy?
fn speaks_of_the_copy(term: &wattle_logic::Term) -> bool {
    let mut speaks = false;
    term.walk(&mut |term| {
        speaks |= matches!(term.kind(), wattle_logic::Kind::Symbol(wattle_logic::Symbol::Me));
    });
    speaks
}

fn is_plain(op: &Op) -> bool {
    match op {
        Op::Fence(fence) => fence.location.is_none(),
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Assign { .. }
        | Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::Assume { .. }
        | Op::Assert { .. } => true,
        _ => false,
    }
}

fn is_one_event(edge: &Edge) -> bool {
    let is_load = |op: &&Op| matches!(op, Op::Load { .. });
    let is_store = |op: &&Op| matches!(op, Op::Store { .. });
    let (loads, stores) = (edge.ops.iter().filter(is_load).count(), edge.ops.iter().filter(is_store).count());
    match edge.mode {
        Mode::Locked => loads <= 1 && stores <= 1,
        Mode::Plain | Mode::Buffered => loads + stores <= 1,
    }
}
