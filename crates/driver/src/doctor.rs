//! `doctor`: what this wattle consists of.

use wattle_frontend::FRONTENDS;
use wattle_memory::CATALOGUE;

use crate::engines::ENGINES;

#[derive(Clone, Debug)]
pub struct Health {
    pub version: &'static str,
    /// Names and what they are.
    pub engines: Vec<(&'static str, &'static str)>,
    pub languages: Vec<(&'static str, String)>,
    pub models: Vec<(&'static str, &'static str)>,
}

pub fn doctor() -> Health {
    Health {
        version: env!("CARGO_PKG_VERSION"),
        engines: ENGINES.iter().map(|engine| (engine.name, engine.summary)).collect(),
        languages: (FRONTENDS.iter())
            .map(|frontend| {
                let extensions: Vec<String> =
                    frontend.extensions.iter().map(|extension| format!(".{extension}")).collect();
                (frontend.name, format!("{}: {}", extensions.join(" "), frontend.summary))
            })
            .collect(),
        models: CATALOGUE.iter().map(|model| (&*model.name, &*model.summary)).collect(),
    }
}
