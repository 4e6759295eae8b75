//! `compare`: the same file under several models.

use wattle_memory::MemoryModel;

use crate::check::{Check, Checked, check};
use crate::{Input, Watch};

#[derive(Clone, Debug)]
pub struct Compare {
    pub models: Vec<MemoryModel>,
    /// All but the model.
    pub check: Check,
}

/// One report a model, in the order in which the models were named.
pub fn compare(request: &Compare, input: &Input, watch: &Watch) -> Result<Vec<Checked>, String> {
    (request.models.iter())
        .map(|model| check(&Check { model: model.clone(), ..request.check.clone() }, input, watch))
        .collect()
}
