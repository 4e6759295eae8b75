//! From the tree to the program.
//!
//! The system is one process `proc` with one control point; every transition is an edge that stays there
//! ([`transition`]). Names stand in [`names`], formulas are lowered by [`formula`], and [`start`] says what is known of the
//! first state. An `unsafe` is a property that forbids it. So is an `invariant`, which Cubicle would believe without proof:
//! it is proved like the others. One that speaks only of what never changes (constants, and variables that no transition
//! assigns to) cannot be proved, because nothing else says what they are: it belongs to the first state.

mod formula;
mod names;
mod start;
mod transition;

use wattle_logic::{Quantifier, Term};
use wattle_program::{Cfg, Name, PointInfo, Process, Program, Property, PropertyKind, Replicas, Vocabulary};
use wattle_source::{Diagnostic, FileId, Span};

use crate::ast::{Block, File, Formula, FormulaKind};
use crate::codes;
use formula::{Place, Scope};
use names::Names;

/// The number of the process that all transitions belong to.
const PROC: u32 = 0;

/// Why a declaration has no meaning.
type Lowered<T> = Result<T, Box<Diagnostic>>;

/// The program, and what is wrong with the tree.
pub(crate) fn lower(tree: &File, name: Name, file: FileId) -> (Program, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let names = Names::of(tree, &mut problems);
    let mut program = Program::empty(name, Vocabulary::Generic);
    program.enumerations = names.enumerations.clone();
    program.variables = names.declared();
    program.processes.push(process(tree, file));
    transition::transitions(tree, &names, &mut program, &mut problems);
    start::start(tree, &names, &mut program, &mut problems);
    for block in &tree.unsafes {
        let forbidden = forbidden(block, &names, &mut problems);
        program.properties.extend(forbidden);
    }
    for block in tree.invariants.iter().filter(|block| !names.is_constant(&block.body)) {
        let forbidden = forbidden(block, &names, &mut problems);
        program.properties.extend(forbidden);
    }
    let least = program.least_copies();
    if let Some((copies, span)) = tree.copies
        && least > copies
    {
        let message = format!("the text names `#{least}`, and there are {copies} processes");
        problems.push(Diagnostic::error(codes::NUMBER, span, message));
    }
    if tree.unsafes.is_empty() {
        let message = "nothing is `unsafe` here, so there is nothing to check";
        problems.push(Diagnostic::warning(codes::NOTHING, Span::new(file, 0, 0), message));
    }
    (program, problems)
}

fn process(tree: &File, file: FileId) -> Process {
    let span = tree.copies.map(|(_, span)| span).or(tree.transitions.first().map(|first| first.name.span));
    let mut cfg = Cfg::default();
    cfg.entry = cfg.add_point(PointInfo::default());
    Process {
        name: "proc".into(),
        replicas: tree.copies.map_or(Replicas::Any, |(copies, _)| Replicas::Exactly(copies)),
        locals: vec![],
        cfg,
        span: span.unwrap_or(Span::new(file, 0, 0)),
    }
}

/// What an `unsafe` or `invariant` says of a state, for different processes: that no state is like this.
fn cube(block: &Block, names: &Names<'_>, place: Place) -> Lowered<Term> {
    let mut scope = Scope::new(names, place);
    let bound = scope.bind_all(&block.parameters)?;
    no_quantifier(&block.body)?;
    let body = scope.formula(&block.body)?;
    let different = formula::different(bound.iter().map(|number| Term::bound_process(*number)).collect());
    let body = different.into_iter().chain([body]).reduce(Term::and).unwrap_or_else(|| Term::bool(true));
    let exists = |body, number: &u32| Term::quantified(Quantifier::Exists, *number, PROC, body);
    Ok(bound.iter().rev().fold(body, exists))
}

fn forbidden(block: &Block, names: &Names<'_>, problems: &mut Vec<Diagnostic>) -> Option<Property> {
    match cube(block, names, Place::State) {
        Ok(formula) => Some(Property { kind: PropertyKind::Forbid, formula, span: block.span }),
        Err(problem) => {
            problems.push(*problem);
            None
        }
    }
}

fn no_quantifier(formula: &Formula) -> Lowered<()> {
    match &formula.kind {
        FormulaKind::Quantified(..) => {
            let message = "`unsafe` and `invariant` have no quantifiers but their parameters";
            Err(Box::new(Diagnostic::error(codes::UNSUPPORTED, formula.span, message)))
        }
        FormulaKind::Not(inner) => no_quantifier(inner),
        FormulaKind::Join(_, pair) => no_quantifier(&pair.0).and_then(|()| no_quantifier(&pair.1)),
        FormulaKind::If(parts) => [&parts.0, &parts.1, &parts.2].into_iter().try_for_each(no_quantifier),
        _ => Ok(()),
    }
}
