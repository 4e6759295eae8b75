//! What a formulation is: a way to tell the solver which executions a memory model allows.

use wattle_engine::Unsupported;
use wattle_memory::MemoryModel;
use wattle_memory::cat::Role;
use wattle_program::Name;
use wattle_sat::{Description, Lit};

use crate::encode::circuit::Circuit;
use crate::encode::encoding::Encoding;

/// One file each: `order` (relations and cycles inside the solver's loop; any .cat model) and
/// `clocks` (the paper's Algorithms 1 to 5; sc, tso, pso, rmo, alpha, power-2012).
pub(crate) trait Formulation {
    fn accepts(&self, memory: &MemoryModel) -> Result<(), Unsupported>;

    /// Adds what the model says; the rest is left to the order theory.
    fn constrain(
        &self,
        encoding: &Encoding<'_, '_>,
        circuit: &mut Circuit<'_>,
        memory: &MemoryModel,
    ) -> Result<Constrained, Unsupported>;
}

/// What is left after a formulation has added its clauses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constrained {
    /// For the order theory.
    pub description: Description,
    /// For each axiom that does not forbid but marks, in the order of the text.
    pub marks: Vec<Mark>,
}

/// An axiom that marks executions (`flag`), or takes the program's meaning away (`undefined_unless`).
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub axiom: Name,
    pub role: Role,
    /// Where this holds, the execution has the mark. It need not hold where the execution has it: an
    /// execution with the mark exists exactly if the clauses have a solution in which this holds.
    pub raised: Lit,
}
