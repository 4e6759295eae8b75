//! How a disagreement is told.

use std::fmt;

use wattle_program::Program;
use wattle_program::text::print;

use crate::compare::Disagreement;

#[derive(Clone, Debug)]
pub struct Failure {
    pub seed: u64,
    pub disagreement: Disagreement,
    /// The smallest program found that shows the same.
    pub program: Program,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { model, subject, what } = &self.disagreement;
        writeln!(f, "seed {}, model {model}, {subject}: {what}", self.seed)?;
        f.write_str(&print(&self.program))?;
        write!(f, "(once fixed, keep it as corpus/regressions/seed{}-{model}.wir)", self.seed)
    }
}
