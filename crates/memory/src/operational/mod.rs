//! The reference machines: SC, TSO, PSO and RMA as a successor function on plain structs.
//!
//! Meanings are those of `docs/semantics.md`:
//! * A plain store under TSO and PSO enters its thread's buffer, and a [`Action::Commit`] brings it
//!   to memory later: under TSO in order, under PSO in order for each location. A load takes the
//!   newest store to its location from its own thread's buffer, or else memory.
//! * Stores that happen together (`Op::Together`) enter the buffer under TSO as one entry and reach memory as one. Those to
//!   variables outside the buffers reach it at once. PSO does not say what such a group means, and is refused.
//! * What a step sees of memory in its terms it sees at one instant, each copy looking into its own buffer first.
//! * A locked edge needs empty buffers and acts on memory directly.
//! * A fence that orders WR needs empty buffers (`fence(x)`: no store to x in them). Under PSO a
//!   fence that orders WW only, and a release store, put a barrier into the buffer that later stores
//!   do not pass. Other fences do nothing here.
//! * A remote operation has two halves, each pending on its own ([`Half`]). A flush waits for both
//!   halves of all operations of its thread with that target. Under SC the thread does not go on
//!   before its halves are done. Which halves may happen now, and how states keep them: `halves`.
//! * While a thread stands inside an atomic section nothing else moves, except that stores of an
//!   `atomic(buffered)` section may leave the buffers of that very thread.
//!
//! Buffers are unbounded here; a search that wants a bound counts for itself ([`State::pending`]).

mod halves;
mod initial;
mod machine;
mod property;
mod state;
mod stuck;

pub use initial::{InitialStates, Start, initial_state, initial_states, initial_states_with};
pub use machine::{Action, MoveResult, Successor, apply, successors};
pub use property::{View, Violation, first_violation, is_final, violations};
pub use state::{Half, State, Stored};
pub use stuck::{TooManyWays, is_stuck};
