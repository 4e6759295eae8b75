//! `models`: the memory models that wattle knows.

use wattle_memory::{CATALOGUE, Machine, MemoryModel, find};

use crate::similar::did_you_mean;

pub fn models() -> &'static [MemoryModel] {
    &CATALOGUE
}

/// The model called `name`; `atomic_copy` is how sc reads a remote copy.
pub fn resolve(name: &str, atomic_copy: bool) -> Result<MemoryModel, String> {
    let Some(model) = find(name) else {
        let names = || CATALOGUE.iter().map(|model| &*model.name);
        return Err(match did_you_mean(name, names()) {
            Some(near) => format!("unknown memory model `{name}`: did you mean `{near}`?"),
            None => {
                format!("unknown memory model `{name}` (known: {})", names().collect::<Vec<_>>().join(", "))
            }
        });
    };
    let mut model = model.clone();
    if let Some(Machine::Sc { atomic_copy: copy }) = &mut model.machine {
        *copy = atomic_copy;
    }
    Ok(model)
}
