//! `compare`: the same file under several models.
//!
//! A litmus test asks which final states there are, so its outcomes are compared; of other programs
//! the verdicts are.

use wattle_engine::Property;
use wattle_memory::MemoryModel;
use wattle_report::OutcomesReport;

use crate::check::{Check, Checked, check};
use crate::engines::{is_known, lists};
use crate::outcomes::{Outcomes, of_loaded};
use crate::{Input, Loaded, Watch, load};

#[derive(Clone, Debug)]
pub struct Compare {
    pub models: Vec<MemoryModel>,
    /// All but the model.
    pub check: Check,
}

/// One report a model, in the order in which the models were named.
#[derive(Clone, Debug)]
pub enum Compared {
    Verdicts(Vec<Checked>),
    Outcomes(Vec<OutcomesReport>),
}

pub fn compare(request: &Compare, input: &Input, watch: &Watch) -> Result<Compared, String> {
    is_known(request.check.engine.as_deref(), &request.check.settings)?;
    // Deadlock is a matter of verdicts whatever the text is.
    let litmus = |loaded: &Loaded| {
        loaded.parsed.program.condition.is_some() && request.check.property == Property::Stated
    };
    let Some(loaded) = load(input).ok().filter(litmus) else {
        let verdicts = (request.models.iter())
            .map(|model| check(&Check { model: model.clone(), ..request.check.clone() }, input, watch));
        return verdicts.collect::<Result<_, _>>().map(Compared::Verdicts);
    };
    lists(request.check.engine.as_deref())?;
    let one = |model: &MemoryModel| {
        let run = watch.run(request.check.budget);
        let of_model = outcomes_request(&request.check, Some(model));
        let mut report = of_loaded(&of_model, &input.title(), &loaded, &run);
        report.seconds = run.elapsed().as_secs_f64();
        report
    };
    Ok(Compared::Outcomes(request.models.iter().map(one).collect()))
}

/// The same wishes for a list of outcomes.
pub(crate) fn outcomes_request(check: &Check, model: Option<&MemoryModel>) -> Outcomes {
    Outcomes {
        model: model.cloned(),
        engine: check.engine.clone(),
        settings: check.settings.clone(),
        budget: check.budget,
        atomic_copy: check.atomic_copy,
    }
}
