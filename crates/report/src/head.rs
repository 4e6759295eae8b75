//! What all reports about one file under one model have: about what, by whom, how long, and what is said beside the verdict.

use wattle_source::{Diagnostic, Sources};

use crate::Translated;

#[derive(Clone, Debug, Default)]
pub struct Head {
    pub file: String,
    pub model: String,
    /// The engine that answered, if one did.
    pub engine: Option<String>,
    pub seconds: f64,
    /// What is wrong with the input, and what the user should know about a proof.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that diagnostics point into.
    pub sources: Sources,
    /// Always shown of a verdict; of a list with `-v`, and in JSON.
    pub notes: Vec<String>,
    /// What is not as it was written.
    pub translated: Translated,
}

impl Head {
    pub fn new(file: impl Into<String>, model: impl Into<String>) -> Head {
        Head { file: file.into(), model: model.into(), ..Head::default() }
    }
}

/// A report is about what its head says.
macro_rules! has_head {
    ($report:ty) => {
        impl std::ops::Deref for $report {
            type Target = $crate::Head;

            fn deref(&self) -> &$crate::Head {
                &self.head
            }
        }

        impl std::ops::DerefMut for $report {
            fn deref_mut(&mut self) -> &mut $crate::Head {
                &mut self.head
            }
        }
    };
}

pub(crate) use has_head;
