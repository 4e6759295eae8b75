//! `test`: expected verdicts that stand as comments in the files themselves.
//!
//! ```text
//! // wattle: sc,tso safe, states 120
//! // wattle: pso unsafe, fix 2, source 1, capacity 3
//! // wattle: power unsafe, fix 2, kinds lwsync sync, rc11 safe
//! ```
//!
//! Every row is run and compared; a file without rows is a failure, because a test that does not
//! run must not look like one that passes.

mod expectation;
mod row;

pub use wattle_report::{Row, Status};
use wattle_source::Diagnostic;

use crate::check::Check;
use crate::engines::names_are_known;
use crate::{Input, Watch, load};

pub use expectation::{Expectation, Key, expectations};

#[derive(Clone, Debug)]
pub struct Test {
    /// Everything but model, property and capacity, which the rows name.
    pub check: Check,
    /// Accept files without expectations.
    pub allow_missing: bool,
}

/// All comparisons of one file. `Err`: options that mean nothing for it, which is no matter of what is expected.
pub fn test(request: &Test, input: &Input, watch: &Watch) -> Result<Vec<Row>, String> {
    // A file that does not parse is told of where it is checked.
    if request.check.settings.extrapolate.buffer.is_some()
        && let Ok(loaded) = load(input)
    {
        names_are_known(&request.check.settings, &loaded)?;
    }
    Ok(rows(request, input, watch))
}

fn rows(request: &Test, input: &Input, watch: &Watch) -> Vec<Row> {
    let failed = |line, what: &str, message: String| {
        let status = Status::Failed(message);
        vec![Row { file: input.name.clone(), line, model: None, what: what.into(), status }]
    };
    let text = match input.read() {
        Ok(text) => text,
        Err(Diagnostic { message, .. }) => return failed(1, "input", message),
    };
    let expectations = match expectations(&text) {
        Ok(expectations) => expectations,
        Err((line, message)) => return failed(line, "expectation", message),
    };
    let later: Vec<Row> = (expectation::later(&text).into_iter())
        .map(|line| Row {
            file: input.name.clone(),
            line,
            model: None,
            what: "later".into(),
            status: Status::Ignored("for engines to come".into()),
        })
        .collect();
    if expectations.is_empty() && later.is_empty() && !request.allow_missing {
        let message = "the file has no expectation, such as `// wattle: tso unsafe`";
        return failed(1, "expectation", message.into());
    }
    let run = expectations.iter().flat_map(|expectation| row::run(request, input, expectation, watch));
    run.chain(later).collect()
}
