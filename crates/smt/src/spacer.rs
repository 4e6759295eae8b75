//! Interpolants by Spacer, the Horn-clause engine of Z3 (Komuravelli, Gurfinkel and Chaki, *SMT-based
//! model checking for recursive programs*, 2014).
//!
//! The straight line becomes a chain of linear Horn clauses with one unknown predicate a place:
//!
//! ```text
//! init(x)                        => I_0(x)
//! I_i(x) /\ guard_i(x, input)    => I_(i+1)(update_i(x, input))
//! I_n(x) /\ bad(x)               => false
//! ```
//!
//! The clauses have a solution exactly if the line is infeasible, and every solution is a sequence of
//! interpolants. Spacer finds one by backward reachability with generalisation, so it tends to find
//! short facts (`x < y`) rather than everything that is known at a place; the options that keep it from
//! melting the clauses together are set when the library is opened. It is spoken to by text in a context
//! of its own, because the text form keeps state.
//!
//! Sound because the result is checked anew, implication by implication, by a solver that knows nothing
//! of it ([`StraightLine::check`]). Cost: tens of milliseconds a straight line. Limits: a chain of `x = x + 1` gives
//! another constant at each place, so that abstraction must generalise by itself; with division by
//! constants it may give up.

use std::ffi::CString;

use wattle_logic::Term;

use crate::context::{Context, stop_of, text};
use crate::print::{Names, cell_name, sort_name};
use crate::sexp::parse;
use crate::symbols::Symbols;
use crate::{Interpolate, Interpolation, Solver, Step, Stop, StraightLine, Unsupported, read};

impl Interpolate for Solver {
    fn interpolants(&mut self, line: &StraightLine) -> Interpolation {
        let symbols = Symbols::of(line);
        let clauses = match line.validate().and_then(|()| clauses(line, &symbols)) {
            Ok(clauses) => clauses,
            Err(what) => return Interpolation::Unsupported(what),
        };
        match solve(self, line, &symbols, &clauses) {
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
    line: &StraightLine,
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
    let interpolants: Result<Vec<Term>, String> = (0..=line.steps.len())
        .map(|place| read::definition(&model, &format!("I{place}"), &line.cells, symbols))
        .collect();
    let interpolants = interpolants.map_err(unreadable)?;
    let mut other = solver.another()?;
    match line.check(&interpolants, &mut other) {
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

fn clauses(line: &StraightLine, symbols: &Symbols) -> Result<String, Unsupported> {
    let mut clauses = format!("(set-logic HORN)\n{}", symbols.declarations()?);
    let mut sorts = Vec::new();
    for cell in &line.cells {
        sorts.push(sort_name(cell.sort())?);
    }
    for place in 0..=line.steps.len() {
        clauses.push_str(&format!("(declare-fun I{place} ({}) Bool)\n", sorts.join(" ")));
    }
    let mut names = Names::of(&line.cells);
    let mut premise = String::new();
    names.print(&line.init, &mut premise)?;
    clauses.push_str(&clause(line, &names, &premise, &predicate(line, 0, None)?)?);
    for (place, step) in line.steps.iter().enumerate() {
        let mut names = Names::of(&line.cells);
        let mut premise = format!("{} ", predicate(line, place, None)?);
        names.print(&step.guard, &mut premise)?;
        let conclusion = predicate(line, place + 1, Some((step, &mut names)))?;
        clauses.push_str(&clause(line, &names, &premise, &conclusion)?);
    }
    let mut names = Names::of(&line.cells);
    let mut premise = format!("{} ", predicate(line, line.steps.len(), None)?);
    names.print(&line.bad, &mut premise)?;
    clauses.push_str(&clause(line, &names, &premise, "false")?);
    clauses.push_str("(check-sat)\n");
    Ok(clauses)
}

/// The unknown predicate of a place, of the cells or of their values after a step.
fn predicate(
    line: &StraightLine,
    place: usize,
    after: Option<(&Step, &mut Names)>,
) -> Result<String, Unsupported> {
    if line.cells.is_empty() {
        return Ok(format!("I{place}"));
    }
    let mut values: Vec<String> = (0..line.cells.len()).map(cell_name).collect();
    if let Some((step, names)) = after {
        for (cell, value) in &step.updates {
            let mut text = String::new();
            names.print(value, &mut text)?;
            values[*cell] = text;
        }
    }
    Ok(format!("(I{place} {})", values.join(" ")))
}

fn clause(
    line: &StraightLine,
    names: &Names,
    premise: &str,
    conclusion: &str,
) -> Result<String, Unsupported> {
    let cells = line.cells.iter().enumerate().map(|(place, cell)| (cell_name(place), cell.sort()));
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
