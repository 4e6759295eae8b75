//! `doctor`: what this wattle consists of, and which Z3 it would load.

use std::path::PathBuf;

use wattle_memory::CATALOGUE;
use wattle_report::{Health, Smt};
use wattle_smt::Library;

use crate::engines::ENGINES;
use crate::frontends::FRONTENDS;

/// `smt`: where Z3 may be.
pub fn doctor(smt: &[PathBuf]) -> Health {
    let (found, refused) = Library::find_with_refusals(smt);
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
        smt: Smt {
            found: match found {
                Ok(library) => Ok((library.version().to_owned(), library.path().to_owned())),
                Err(missing) => Err(missing.advice()),
            },
            refused,
        },
    }
}
