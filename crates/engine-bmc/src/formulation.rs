//! Two ways to say which executions a memory model allows.

use wattle_engine::Unsupported;
use wattle_memory::MemoryModel;
use wattle_sat::Description;

use crate::circuit::Circuit;
use crate::encoding::Encoding;

/// One file each: `order` (relations and cycles inside the solver's loop; any .cat model) and
/// `clocks` (the paper's Algorithms 1 to 5; sc, tso, pso, rmo, alpha, power-2012).
pub(crate) trait Formulation {
    fn name(&self) -> &'static str;

    fn accepts(&self, memory: &MemoryModel) -> Result<(), Unsupported>;

    /// Adds what the model says; the rest is left to the order theory.
    fn constrain(
        &self,
        encoding: &Encoding<'_, '_>,
        circuit: &mut Circuit<'_>,
        memory: &MemoryModel,
    ) -> Result<Description, Unsupported>;
}
