//! `wattle engines`.

use std::io;

use wattle_driver::engines::{ENGINES, Settings, acceptances};
use wattle_driver::{gather, models};
use wattle_report::{Asked, EngineReport, Exit, text};

use super::Session;
use crate::args;
use crate::output::aside;

pub(crate) fn run(args: &args::Engines, session: &mut Session) -> Result<Exit, String> {
    let settings = Settings { smt: session.smt.clone(), ..Settings::default() };
    let output = &mut session.output;
    let width = ENGINES.iter().map(|engine| engine.name.len()).max().unwrap_or(0);
    if args.files.is_empty() {
        for engine in &ENGINES {
            output.report(&EngineReport { name: engine.name, summary: engine.summary, width, asked: None });
        }
        return Ok(Exit::Good);
    }
    let models = match &args.model {
        Some(name) => vec![models::resolve(name, false)?],
        None => models::models().to_vec(),
    };
    let mut exit = Exit::Good;
    let files = gather(&args.files, args.lang.as_deref(), &mut io::stdin().lock());
    let files = files.into_iter().map(|input| input.with_copies(args.copies.clone()));
    for input in args.c.inputs(files.collect()) {
        for model in &models {
            let acceptances = match acceptances(&input, model, &settings) {
                Ok(acceptances) => acceptances,
                Err(refused) => {
                    exit = Exit::BadInput;
                    let options = output.options;
                    aside(&text::diagnostics(&refused.sources, &refused.diagnostics, &options));
                    break;
                }
            };
            for one in acceptances {
                let asked = Asked { file: &input.name, model: &model.name, accepts: &one.accepts };
                let (name, summary) = (one.engine, one.summary);
                output.report(&EngineReport { name, summary, width, asked: Some(asked) });
            }
        }
    }
    Ok(exit)
}
