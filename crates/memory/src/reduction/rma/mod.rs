//! Pending remote operations written into a program: the reduction of Baumann, Dan, Meshman, Hoefler and Vechev
//! (*Automatic Verification of RMA Programs via Abstraction Extrapolation*, VMCAI 2018, section 3, Table 2).
//!
//! **Idea.** A put or get that is pending may read its source at any time until it writes, and nobody sees when.
//! So what it is going to write is *any value that the source had since it was started*. A remote statement `s` gets
//! a flag (`Get1Active`: is one pending?) and a set (`X1Set`: the values of its source `X` since then). Starting it
//! sets the flag and puts the present value into the set; whoever writes `X` meanwhile adds the new value; and the
//! write takes an element of the set. What comes out runs under sc.
//!
//! | of the program | becomes |
//! |---|---|
//! | `put(Y, q, X)`, `Y = get(X, q)` | `Active = 1; X1Set = X1Set + {X}` |
//! | `X = a` | `X = a`; for each statement that reads `X`: `if (Active) X1Set = X1Set + {X}` |
//! | delivery of `s`, if active | `Y = element of X1Set`; for each statement that reads `Y`: `if (Active) Y2Set = Y2Set + {Y}`; then, nondeterministically, `Active = 0; X1Set = {}` |
//! | `flush(q)` | waits until no own statement with target `q` is active |
//!
//! **Where deliveries happen** (the paper's *remoteOps*): as self-loops, at the points where a step follows that can
//! tell whether they have happened. Before a step that loads or stores `X`: all statements that write `X`, and their
//! *chain*, the statements that write what those read or write, and so on (`chain.rs`). Before a flush: the
//! statements that it waits for, and their chain. At the end of a thread: all of its own. A property that names `X`
//! (`always`, `forbid`) sees every state, so statements that write such a variable are delivered at every point of
//! their thread.
//!
//! **What differs from the paper.**
//! * Table 2's flush does not feed the sets of other statements, so that a pending get would never see what a
//!   flush wrote. Here every write does, whoever makes it.
//! * Rules for `get`, `load`, remote atomics and atomic sections, which the table does not have.
//! * As printed a put may write several times, even inside its own flush, since its flag is cleared only
//!   nondeterministically; then a program with all flushes need not be proved. A statement that cannot be
//!   pending twice (`pending.rs`) has a *slot*: its flag is cleared by its delivery. With k slots ([`Capacity::each`])
//!   a statement that may be pending more often keeps k instances apart, each with a flag and a set of its own,
//!   and only further ones share the flag and the set of the table, the *rest*.
//! * A put of a value, rather than of a variable, has a slot that holds the value.
//! * A remote atomic must not happen twice. It has slots only, with a phase (1: to happen, 2: its result to be
//!   delivered), and overflows if they are not enough, like a store buffer.
//! * An inactive set is empty, so that `set = {X}` and `addToSet(set, X)` are one rule.
//! * A target that is computed (`put(next, p[q], 1)`) makes one statement for each location, and a flush of a
//!   computed target one step for each copy.
//!
//! **Why it over-approximates.** Let a state of the machine and a reduced one be *related* if memory, points and locals
//! are equal and each pending half is described: an instance of `s` that has not read has a slot (or the rest) that
//! is active, whose set contains the present value of the source; one that has read `v` likewise, with `v` in
//! the set; an atomic likewise by its slot. Steps keep this: starting adds the present value, every write of the source
//! adds the new one, the read of a half changes nothing, and its write takes that very element. A slot is the
//! only instance in it, so clearing the flag is right; the rest may hold others, so both are possible. With slots alone
//! the relation is also exact: an element is a value that the source had while the instance was pending, and the
//! machine can read at that moment, since a read has no other effect. (`proving/replay` does just that to find a schedule.)
//!
//! **Why it is enough to deliver late.** Take an execution of the machine and move each write of a half to later, as
//! long as the step that follows it does not load or store its location, is not a flush that waits for it, and is not
//! a half that reads or writes the same location. What follows a moved write is not changed by that, since
//! nothing of it looks at the location. So in the end each write stands directly before such a step of a thread, or
//! in a row of writes before it, where each is in the chain of a later one; or its thread has ended. A read of another half
//! that was after the write stays after it; and one that starts there (the value that a put finds when it starts)
//! only adds the old value to its set beside the new one, which is more than the machine has, not less.
//!
//! **Cost.** A flag and a set a statement and pair of locations, a self-loop (of the rest: two) at each point that asks for it.
//!
//! Refused: values that are no integers in sets, pointers that are computed with, `fence`-like waits of other models.

mod chain;
mod deliver;
mod pending;
mod sequential;
mod split;
mod statement;
mod steps;
mod synchronous;
mod thread;
mod write;

pub use sequential::UnderSc;
pub use statement::{Holds, Kind, Pending, Statement};
pub use synchronous::synchronous;

use wattle_logic::{Sort, Term};
use wattle_program::{Program, Property, PropertyKind, Shape, Unsupported};
use wattle_source::Span;

use super::{Buffers, Capacity, Contents, Discipline, Keeps, Reduced, Reduction, Rest, Room, store_buffers};
use split::Split;
use write::Writing;

/// Remote memory access.
#[derive(Clone, Copy, Debug)]
pub struct Rma;

impl Reduction for Rma {
    fn discipline(&self) -> Discipline {
        Discipline::Rma
    }

    /// The rest is always a set.
    fn capacity(&self, _: &Program, room: &Room) -> Result<Capacity, Unsupported> {
        if let Some(name) = room.of.keys().next() {
            let what = format!("under rma slots belong to statements, not to `{name}`");
            return Err(Unsupported::new(what));
        }
        Ok(Capacity { rest: Some(Rest::default()), ..Capacity::all(room.each) })
    }

    fn sequential(&self, program: &Program) -> Result<Program, Unsupported> {
        synchronous(program)
    }

    fn reduce(&self, program: &Program, capacity: &Capacity) -> Result<Reduced, Unsupported> {
        if let Some(Rest { contents, keeps }) = capacity.rest
            && (contents == Contents::Havoc || keeps == Keeps::Newest)
        {
            return Err(Unsupported::new("under rma a rest is a set beside the oldest instances"));
        }
        reduced(&split::flat(program)?, self.discipline(), capacity)
    }
}

/// A flat program with what is pending written into it.
fn reduced(split: &Split, discipline: Discipline, capacity: &Capacity) -> Result<Reduced, Unsupported> {
    let shape = Shape::new(&split.program).map_err(|why| Unsupported::new(why.to_string()))?;
    let found = statement::find(&split.program, &shape)?;
    let mut writing = Writing::new(split, &shape, found, capacity)?;
    let mut moves = Vec::new();
    let mut ends = Vec::new();
    for thread in shape.thread_ids() {
        let translated = writing.thread(thread)?;
        moves.push(translated.moves);
        ends.push(translated.ends);
    }
    let Writing { mut result, statements, overflow, .. } = writing;
    result.rewrite_formulas(&mut |formula| store_buffers::either_end(formula, &ends));
    let bound = overflow.map(|overflow| {
        let holds = Term::content(Term::address(overflow, vec![]), Sort::Int).equals(Term::int(0));
        let kind = PropertyKind::Always;
        result.properties.push(Property { kind, formula: holds, span: Span::NOWHERE });
        result.properties.len() - 1
    });
    let fenced = vec![false; result.processes.len()];
    let (buffers, capacity) = (Buffers::Rma(statements), capacity.clone());
    Ok(Reduced { discipline, capacity, program: result, moves, bound, buffers, fenced })
}

#[cfg(test)]
mod tests;
