//! `wattle generate`.

use wattle_driver::generate::{Generate, What, edges, generate};
use wattle_generate::cycle::{Architecture, Family};
use wattle_report::Exit;
use wattle_report::text::Detail;

use super::Session;
use crate::args::{self, Format};

pub(crate) fn run(args: &args::Generate, session: &mut Session) -> Result<Exit, String> {
    let architecture = args.arch.0;
    if args.list_edges {
        return list_edges(architecture, session);
    }
    let what = match args.cycle.join(" ") {
        cycle if !cycle.trim().is_empty() => What::One { cycle, name: args.name.clone() },
        _ => {
            let mut family = family(&args.family, architecture)?;
            if args.atomics {
                family.atomics = true;
                if args.family.edges.is_none() {
                    family.edges = architecture.atomic_edges();
                }
            }
            What::Family { family, seed: args.seed }
        }
    };
    let request = Generate { architecture, what, count: args.count, out: args.out.clone() };
    let output = &mut session.output;
    let made = generate(&request, &mut |test| output.report(&test))?;
    if let (Some(folder), Format::Text, Detail::Normal) = (&args.out, output.format, output.options.detail) {
        output.text(&format!("{made} tests in {}\n", folder.display()));
    }
    Ok(Exit::Good)
}

/// The family of tests that options describe.
pub(super) fn family(args: &args::Family, architecture: Architecture) -> Result<Family, String> {
    let usual = Family::usual(architecture);
    let edges = match &args.edges {
        Some(text) => edges(text, architecture, true)?,
        None => usual.edges,
    };
    Ok(Family { edges, size: args.size, threads: args.threads, free: args.free, ..usual })
}

fn list_edges(architecture: Architecture, session: &mut Session) -> Result<Exit, String> {
    let usual = architecture.usual_edges();
    for edge in architecture.edges() {
        let star = if usual.contains(&edge) { " *" } else { "" };
        if !session.output.text(&format!("{}{star}\n", edge.name(architecture))) {
            break;
        }
    }
    Ok(Exit::Good)
}
