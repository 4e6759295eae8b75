//! Interpolants by Spacer, the Horn-clause engine of Z3 (Komuravelli, Gurfinkel and Chaki, *SMT-based
//! model checking for recursive programs*, 2014).
//!
//! The trace becomes a chain of linear Horn clauses with one unknown predicate a place:
//!
//! ```text
//! init(x)                        => I_0(x)
//! I_i(x) /\ guard_i(x, input)    => I_(i+1)(update_i(x, input))
//! I_n(x) /\ bad(x)               => false
//! ```
//!
//! The clauses have a solution exactly if the trace is infeasible, and every solution is a sequence of
//! interpolants. Spacer finds one by backward reachability with generalisation, so it tends to find
//! short facts (`x < y`) rather than everything that is known at a place; the options that keep it from
//! melting the clauses together are set when the library is opened. It is spoken to by text in a context
//! of its own, because the text form keeps state.
//!
//! Sound because the result is checked anew, implication by implication, by a solver that knows nothing
//! of it ([`Trace::check`]). Cost: tens of milliseconds a trace. Limits: a chain of `x = x + 1` gives
//! another constant at each place, so that abstraction must generalise by itself; with division by
//! constants it may give up.

use std::ffi::CString;

use wattle_logic::Term;

use crate::context::{Context, stop_of, text};
use crate::print::{Names, cell_name, sort_name};
use crate::sexp::parse;
use crate::symbols::Symbols;
use crate::{Interpolate, Interpolation, Solver, Step, Stop, Trace, Unsupported, read};

impl Interpolate for Solver {
    fn interpolants(&mut self, trace: &Trace) -> Interpolation {
        let symbols = Symbols::of(trace);
        let clauses = match trace.validate().and_then(|()| clauses(trace, &symbols)) {
            Ok(clauses) => clauses,
            Err(what) => return Interpolation::Unsupported(what),
        };
        match solve(self, trace, &symbols, &clauses) {
            Ok(Some(interpolants)) => Interpolation::Interpolants(interpolants),
            Ok(None) => Interpolation::Feasible,
            Err(_) if self.is_stopped() => Interpolation::Stopped(Stop::Asked),
            Err(why) => Interpolation::Stopped(why),
        }
    }
}

/// `None`: feasible.
fn solve(
    solver: &Solver,
    trace: &Trace,
    symbols: &Symbols,
    clauses: &str,
) -> Result<Option<Vec<Term>>, Stop> {
    let context = Context::new(solver.library())?;
    match tell(solver, &context, clauses)?.trim() {
        "sat" => {}
        "unsat" => return Ok(None),
        // It has no more to say, not even when it ran out of memory.
        "unknown" => return Err(Stop::GaveUp("Spacer does not know".to_owned())),
        words => return Err(stop_of(words)),
    }
    let model = tell(solver, &context, "(get-model)")?;
    let unreadable = |what: String| Stop::GaveUp(format!("an interpolant that cannot be read: {what}"));
    let model = parse(&model).map_err(unreadable)?;
    let interpolants: Result<Vec<Term>, String> = (0..=trace.steps.len())
        .map(|place| read::definition(&model, &format!("I{place}"), &trace.cells, symbols))
        .collect();
    let interpolants = interpolants.map_err(unreadable)?;
    let mut other = solver.another()?;
    match trace.check(&interpolants, &mut other) {
        Ok(()) => Ok(Some(interpolants)),
        Err(place) => Err(Stop::GaveUp(format!("interpolants that do not stand up to a check: {place}"))),
    }
}

/// What Z3 answers to some commands.
fn tell(solver: &Solver, context: &Context, commands: &str) -> Result<String, Stop> {
    if solver.is_stopped() {
        return Err(Stop::Asked);
    }
    let commands = CString::new(commands).map_err(|_| Stop::GaveUp("a text with a zero".to_owned()))?;
    // SAFETY: a live context; the answer is copied at once.
    let answer = solver.watched(context, || unsafe {
        text((context.api().eval_smtlib2_string)(context.raw(), commands.as_ptr()))
    });
    if context.failed() { Err(context.failure()) } else { Ok(answer) }
}

fn clauses(trace: &Trace, symbols: &Symbols) -> Result<String, Unsupported> {
    let mut clauses = format!("(set-logic HORN)\n{}", symbols.declarations()?);
    let mut sorts = Vec::new();
    for cell in &trace.cells {
        sorts.push(sort_name(cell.sort())?);
    }
    for place in 0..=trace.steps.len() {
        clauses.push_str(&format!("(declare-fun I{place} ({}) Bool)\n", sorts.join(" ")));
    }
    let mut names = Names::of(&trace.cells);
    let mut premise = String::new();
    names.print(&trace.init, &mut premise)?;
    clauses.push_str(&clause(trace, &names, &premise, &predicate(trace, 0, None)?)?);
    for (place, step) in trace.steps.iter().enumerate() {
        let mut names = Names::of(&trace.cells);
        let mut premise = format!("{} ", predicate(trace, place, None)?);
        names.print(&step.guard, &mut premise)?;
        let conclusion = predicate(trace, place + 1, Some((step, &mut names)))?;
        clauses.push_str(&clause(trace, &names, &premise, &conclusion)?);
    }
    let mut names = Names::of(&trace.cells);
    let mut premise = format!("{} ", predicate(trace, trace.steps.len(), None)?);
    names.print(&trace.bad, &mut premise)?;
    clauses.push_str(&clause(trace, &names, &premise, "false")?);
    clauses.push_str("(check-sat)\n");
    Ok(clauses)
}

/// The unknown predicate of a place, of the cells or of their values after a step.
fn predicate(trace: &Trace, place: usize, after: Option<(&Step, &mut Names)>) -> Result<String, Unsupported> {
    if trace.cells.is_empty() {
        return Ok(format!("I{place}"));
    }
    let mut values: Vec<String> = (0..trace.cells.len()).map(cell_name).collect();
    if let Some((step, names)) = after {
        for (cell, value) in &step.updates {
            let mut text = String::new();
            names.print(value, &mut text)?;
            values[*cell] = text;
        }
    }
    Ok(format!("(I{place} {})", values.join(" ")))
}

fn clause(trace: &Trace, names: &Names, premise: &str, conclusion: &str) -> Result<String, Unsupported> {
    let cells = trace.cells.iter().enumerate().map(|(place, cell)| (cell_name(place), cell.sort()));
    let mut variables = String::new();
    for (name, sort) in cells.chain(names.inputs.iter().cloned()) {
        variables.push_str(&format!("({name} {})", sort_name(sort)?));
    }
    let body = format!("(=> (and {premise}) {conclusion})");
    Ok(match variables.is_empty() {
        true => format!("(assert {body})\n"),
        false => format!("(assert (forall ({variables}) {body}))\n"),
    })
}
