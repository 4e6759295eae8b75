//! From a program to a parameterised system.
//!
//! What is understood is what [`System`] can say: one process with any number of copies (or a fixed number), one control point, and steps that
//! read the state at one instant and store together. Everything else is refused by name. Several control points and
//! store buffers for each location would be variables and rules more, and no other shape.

mod formula;

use wattle_engine::Unsupported;
use wattle_logic::{Binary, Sort, Term as Formula};
use wattle_program::{
    Broadcast, Choice, Dimension, Edge, Init, Mode, Op, Orders, Process as Copies, ProcessId, Program,
    PropertyKind, Replicas,
};

use crate::literal::{BOUND, HERE, Literal, NONE, Process, Renaming, Term, Value};
use crate::system::{self, Bad, Case, Guard, Initial, System, Transition, Universal, Update, Variable};
use formula::{Binding, Clause, Formulas, Scope, conjunction};

type Found<T> = Result<T, Unsupported>;

fn unsupported<T>(what: &str) -> Found<T> {
    Err(Unsupported::new(what))
}

/// `buffers`: weak variables are written through store buffers.
pub(crate) fn extract(program: &Program, buffers: bool) -> Found<System> {
    let [process] = &program.processes[..] else {
        return unsupported("several kinds of processes");
    };
    if process.cfg.points.len() != 1 {
        return unsupported("a process with several control points");
    }
    let count = match process.replicas {
        Replicas::Any => None,
        Replicas::Once => Some(1),
        Replicas::Exactly(count) if count < 32 => Some(count as u8),
        Replicas::Exactly(_) => return unsupported("more than 31 processes"),
    };
    let mut system = System { count, ..System::default() };
    for variable in &program.variables {
        system.variables.push(variable_of(program, variable, buffers)?);
    }
    system.init = initial(program, &system)?;
    for (number, property) in program.properties.iter().enumerate() {
        let holds = match property.kind {
            PropertyKind::Forbid => true,
            PropertyKind::Always => false,
            PropertyKind::Finally => return unsupported("a property of final states"),
        };
        let bad = bad(&system, &property.formula, holds, number)?;
        system.bad.extend(bad);
    }
    for (number, edge) in process.cfg.edges.iter().enumerate() {
        let transitions = transitions(&system, process, edge, number as u32)?;
        system.transitions.extend(transitions);
    }
    system.constant = constant(&system);
    system.sums = says_sums(&system);
    Ok(system)
}

fn variable_of(program: &Program, variable: &wattle_program::Variable, buffers: bool) -> Found<Variable> {
    let sort = match variable.sort {
        Sort::Bool => system::Sort::Finite(2),
        Sort::Int => system::Sort::Integer,
        Sort::Process => system::Sort::Process,
        Sort::Enum(number) => match program.enumerations[number as usize].constructors.len() {
            count @ 0..64 => system::Sort::Finite(count as u32),
            _ => return unsupported("an enumeration of more than 63 constructors"),
        },
        _ => return unsupported("a variable that is no integer, enumeration or process"),
    };
    if variable.owner.is_some() || (variable.range.is_some() && sort != system::Sort::Integer) {
        return unsupported("a variable with an owner, or a range of something else than integers");
    }
    let range = variable.range.map(|range| (range.low, range.high));
    let over_processes = |dimension: &Dimension| *dimension == Dimension::Copies(ProcessId(0));
    if !variable.dimensions.iter().all(over_processes) || variable.dimensions.len() > 2 {
        return unsupported("an array that is not over processes");
    }
    Ok(Variable { sort, range, weak: buffers && !variable.unbuffered })
}

/// The initial states, as alternatives.
fn initial(program: &Program, system: &System) -> Found<Vec<Initial>> {
    let mut formulas = Formulas { system, numbered: vec![] };
    let mut clauses = vec![Clause::default()];
    for (number, variable) in program.variables.iter().enumerate() {
        let number = number as u32;
        let said = match (&variable.init, variable.range) {
            (Init::Any, None) => continue,
            (Init::Any, Some(range)) => initially(&mut formulas, number, variable, &|content| {
                let low = Formula::binary(Binary::LessEqual, Formula::int(range.low), content.clone());
                Formula::binary(
                    Binary::And,
                    low,
                    Formula::binary(Binary::LessEqual, content, Formula::int(range.high)),
                )
            })?,
            (Init::Values(values), _) => {
                let [value] = &values[..] else {
                    return unsupported("an array with an initial value for each element");
                };
                let is = |content| Formula::binary(Binary::Equal, content, value.clone());
                initially(&mut formulas, number, variable, &is)?
            }
        };
        clauses = conjunction(&clauses, &said)?;
    }
    if let Some(formula) = &program.init {
        let scope = Scope { node: NONE, ..Scope::default() };
        clauses = conjunction(&clauses, &formulas.clauses(formula, true, &scope)?)?;
    }
    // Processes that have a number in the text are the only parameters.
    let (fixed, mut rename) = formulas.numbered(0);
    let mut renaming = Renaming { process: &mut rename, node: &mut |node| node };
    let mut result = vec![];
    for clause in clauses {
        if clause.parameters > 0 {
            return unsupported("an initial state that some process has to satisfy");
        }
        result.push(Initial { fixed: fixed.clone(), guard: renamed(&clause, &mut renaming) });
    }
    Ok(result)
}

/// What the declaration of a variable says.
fn initially(
    formulas: &mut Formulas<'_>,
    number: u32,
    variable: &wattle_program::Variable,
    said: &dyn Fn(Formula) -> Formula,
) -> Found<Vec<Clause>> {
    // What is said may speak of the first index.
    let index = |i: u32| Formula::bound_process(i);
    let indices: Vec<Formula> = (0..variable.dimensions.len() as u32).map(index).collect();
    let said = said(Formula::content(Formula::address(number, indices), variable.sort));
    let mut clauses = vec![Clause::default()];
    // Distinct indices, and equal ones.
    let arity = variable.dimensions.len() as u8;
    let choices: &[&[Process]] = match arity {
        0 => &[&[]],
        1 => &[&[BOUND]],
        _ => &[&[BOUND, BOUND + 1], &[BOUND, BOUND]],
    };
    for choice in choices {
        let bound = choice.iter().enumerate().map(|(i, process)| (i as u32, *process)).collect();
        let scope =
            Scope { node: NONE, me: choice.first().copied(), bound, universal: 1, ..Scope::default() };
        let body = formulas.clauses(&said, true, &scope)?;
        if choice.is_empty() {
            clauses = conjunction(&clauses, &body)?;
            continue;
        }
        let mut used: Vec<Process> = choice.to_vec();
        used.dedup();
        let body = body.into_iter().map(|clause| clause.literals).collect();
        let universal = Universal { bound: used.len() as u8, except: vec![], body };
        clauses.iter_mut().for_each(|clause| clause.universal.push(universal.clone()));
    }
    Ok(clauses)
}

fn renamed(clause: &Clause, renaming: &mut Renaming<'_>) -> Guard {
    Guard {
        literals: clause.literals.iter().map(|literal| renaming.literal(literal)).collect(),
        universal: clause.universal.iter().map(|universal| universal.renamed(renaming)).collect(),
    }
}

fn bad(system: &System, formula: &Formula, holds: bool, property: usize) -> Found<Vec<Bad>> {
    let mut formulas = Formulas { system, numbered: vec![] };
    let scope = Scope { node: 0, ..Scope::default() };
    let mut result = vec![];
    let clauses = formulas.clauses(formula, holds, &scope)?;
    for clause in clauses {
        if !clause.universal.is_empty() {
            return unsupported("a property that speaks of all processes at once");
        }
        let (fixed, mut rename) = formulas.numbered(clause.parameters);
        let mut renaming = Renaming { process: &mut rename, node: &mut |node| node };
        let literals = renamed(&clause, &mut renaming).literals;
        result.push(Bad { parameters: clause.parameters, fixed, literals, property });
    }
    Ok(result)
}

/// The ways of taking an edge: one for each alternative of its guard, and of who its parameters are.
fn transitions(system: &System, process: &Copies, edge: &Edge, number: u32) -> Found<Vec<Transition>> {
    let locals = vec![None; process.locals.len()];
    let scope = Scope { parameters: 1, me: Some(0), locals, node: HERE, ..Scope::default() };
    let start = Transition { edge: number, ..Transition::default() };
    let mut formulas = Formulas { system, numbered: vec![] };
    let ways = formulas.clauses(&edge.guard, true, &scope)?;
    let mut result = vec![];
    operations(&mut formulas, process, edge, 0, scope, &ways, start, &mut result)?;
    Ok(result)
}

#[allow(clippy::too_many_arguments)]
fn operations(
    formulas: &mut Formulas<'_>,
    process: &Copies,
    edge: &Edge,
    at: usize,
    mut scope: Scope,
    ways: &[Clause],
    mut so_far: Transition,
    result: &mut Vec<Transition>,
) -> Found<()> {
    if ways.is_empty() {
        return Ok(());
    }
    let Some(op) = edge.ops.get(at) else {
        return finish(formulas, edge, &scope, ways, so_far, result);
    };
    match op {
        Op::Havoc { local, among: Choice::Any } => {
            let sort = process.locals[*local as usize].sort;
            if sort != Sort::Process {
                scope.locals[*local as usize] = Some(Binding::Any);
                so_far.choices.push(None);
                return operations(formulas, process, edge, at + 1, scope, ways, so_far, result);
            }
            for chosen in 0..=scope.parameters {
                let mut scope = scope.clone();
                scope.parameters = scope.parameters.max(chosen + 1);
                scope.locals[*local as usize] = Some(Binding::Process(chosen));
                let mut so_far = so_far.clone();
                so_far.choices.push(Some(chosen));
                operations(formulas, process, edge, at + 1, scope, ways, so_far, result)?;
            }
            Ok(())
        }
        Op::Assume { condition } => {
            let ways = conjunction(ways, &formulas.clauses(condition, true, &scope)?)?;
            operations(formulas, process, edge, at + 1, scope, &ways, so_far, result)
        }
        Op::Fence(fence) => {
            if fence.location.is_some() {
                return unsupported("a fence for one location");
            }
            so_far.fence |= fence.orders.contains(Orders::WR);
            operations(formulas, process, edge, at + 1, scope, ways, so_far, result)
        }
        // Nothing is kept in locals from step to step.
        Op::Forget { .. } => operations(formulas, process, edge, at + 1, scope, ways, so_far, result),
        Op::Together { stores } if !edge.ops[at + 1..].iter().any(|op| !matches!(op, Op::Forget { .. })) => {
            so_far.updates = updates(formulas, stores, &scope)?;
            operations(formulas, process, edge, at + 1, scope, ways, so_far, result)
        }
        _ => unsupported("a step other than one of a parameterised system"),
    }
}

fn finish(
    formulas: &mut Formulas<'_>,
    edge: &Edge,
    scope: &Scope,
    ways: &[Clause],
    so_far: Transition,
    result: &mut Vec<Transition>,
) -> Found<()> {
    let mut reads = false;
    let in_text = ways.iter().flat_map(|way| {
        way.literals.iter().chain(way.universal.iter().flat_map(|universal| universal.body.iter().flatten()))
    });
    let in_cases = so_far.updates.iter().flat_map(|update| &update.cases);
    reads |= in_text.flat_map(Literal::terms).any(|term| term.is_read());
    reads |= in_cases.flat_map(case_terms).any(|term| term.is_read());
    // A locked step reads and writes, and waits, even where nothing depends on what it reads and no condition for a store holds.
    let locked = edge.mode == Mode::Locked && formulas.system.variables.iter().any(|variable| variable.weak);
    reads |= locked;
    let so_far = Transition { fence: so_far.fence || locked, ..so_far };
    let within = within_ranges(formulas.system, &so_far.updates)?;
    for way in ways {
        let way = &Clause { literals: [&way.literals[..], &within[..]].concat(), ..way.clone() };
        let parameters = scope.parameters.max(way.parameters);
        let (fixed, mut rename) = formulas.numbered(parameters);
        let mut renaming = Renaming { process: &mut rename, node: &mut |node| node };
        let mut transition = Transition { parameters, fixed, reads, ..so_far.clone() };
        transition.guard = renamed(way, &mut renaming);
        for update in &mut transition.updates {
            update.cell = update.cell.rename(renaming.process);
            for case in &mut update.cases {
                case.condition.iter_mut().for_each(|literal| *literal = renaming.literal(literal));
                case.value.iter_mut().for_each(|value| *value = renaming.value(value));
            }
        }
        for process in transition.choices.iter_mut().flatten() {
            *process = renaming.process(*process);
        }
        result.push(transition);
    }
    Ok(())
}

fn case_terms(case: &Case) -> impl Iterator<Item = Term> + '_ {
    let value = case.value.into_iter().flat_map(|value| value.terms());
    case.condition.iter().flat_map(Literal::terms).chain(value)
}

/// Later stores first, because they win; of a store for each process, those of parameters before that of all others.
fn updates(formulas: &mut Formulas<'_>, stores: &[Broadcast], scope: &Scope) -> Found<Vec<Update>> {
    let mut result: Vec<Update> = vec![];
    for store in stores.iter().rev() {
        let before = result.len();
        for scope in each(&store.each, scope) {
            result.push(update(formulas, store, &scope)?);
        }
        let keeps = |update: &Update| update.cases.iter().any(|case| case.value.is_none());
        let (later, these) = result.split_at(before);
        let again = |update: &Update| these.iter().any(|this| this.cell.variable == update.cell.variable);
        if later.iter().any(|update| keeps(update) && again(update)) {
            return unsupported("an array that is assigned twice in one step, once under a condition");
        }
    }
    result.retain(|update| update.cases.iter().any(|case| case.value.is_some()));
    Ok(result)
}

/// Who the processes are that a store is made for: parameters, then equal ones, then all others.
fn each(bound: &[(u32, ProcessId)], scope: &Scope) -> Vec<Scope> {
    let mut scopes = vec![scope.clone()];
    for (bound, _) in bound {
        let choices = |scope: &Scope| {
            let others = (0..=scope.universal).map(|i| BOUND + i);
            let scope = scope.clone();
            (0..scope.parameters).chain(others).map(move |process| {
                let mut scope = scope.clone();
                scope.bound.push((*bound, process));
                scope.universal += u8::from(process == BOUND + scope.universal);
                scope
            })
        };
        scopes = scopes.iter().flat_map(choices).collect();
    }
    scopes
}

fn update(formulas: &mut Formulas<'_>, store: &Broadcast, scope: &Scope) -> Found<Update> {
    let cell = formulas.cell(&store.address, scope)?;
    let mut cases = vec![];
    let mut add = |clauses: &[Clause], value| {
        for clause in clauses {
            if !clause.universal.is_empty() || clause.parameters > 0 {
                return unsupported("an assigned value that depends on all processes");
            }
            cases.push(Case { condition: clause.literals.clone(), value });
        }
        Ok(())
    };
    let when = formulas.clauses(&store.when, true, scope)?;
    for (clauses, value) in formulas.values(&store.value, scope)? {
        add(&conjunction(&when, &clauses)?, Some(value))?;
    }
    add(&formulas.clauses(&store.when, false, scope)?, None)?;
    Ok(Update { cell, cases })
}

/// A step whose value leaves the range of its variable is not possible: what has to hold of the values.
fn within_ranges(system: &System, updates: &[Update]) -> Found<Vec<Literal>> {
    let mut literals = vec![];
    for update in updates {
        let Some((low, high)) = system.variable(update.cell).range else { continue };
        let always = update.cases.len() == 1 && update.cases[0].condition.is_empty();
        for value in update.cases.iter().filter_map(|case| case.value) {
            let number = match value {
                Value::Sum(sum, c) => sum.number().map(|number| (number, c)),
                _ => None,
            };
            match number {
                Some((None, c)) if low <= c && c <= high => {}
                Some((Some(term), c)) if always => {
                    literals.push(Literal::AtMost(Some(term), None, high.saturating_sub(c)));
                    literals.push(Literal::AtMost(None, Some(term), c.saturating_sub(low)));
                }
                _ => return unsupported("a store that may leave the range of its variable"),
            }
        }
    }
    Ok(literals)
}

/// Does it calculate with more than differences?
fn says_sums(system: &System) -> bool {
    let of_guard = |guard: &Guard| {
        let universal = guard.universal.iter().flat_map(|universal| universal.body.iter().flatten());
        guard.literals.iter().chain(universal).any(is_sum)
    };
    let of_case = |case: &Case| {
        let wide = matches!(case.value, Some(Value::Sum(sum, _)) if sum.number().is_none());
        wide || case.condition.iter().any(is_sum)
    };
    let mut updates = system.transitions.iter().flat_map(|transition| &transition.updates);
    system.init.iter().any(|initial| of_guard(&initial.guard))
        || system.bad.iter().any(|bad| bad.literals.iter().any(is_sum))
        || system.transitions.iter().any(|transition| of_guard(&transition.guard))
        || updates.any(|update| update.cases.iter().any(of_case))
}

fn is_sum(literal: &Literal) -> bool {
    matches!(literal, Literal::Sum(..))
}

/// What all initial states say of cells that no transition writes.
fn constant(system: &System) -> Vec<Universal> {
    let [initial] = &system.init[..] else { return vec![] };
    let written = |term: Term| {
        let updates = system.transitions.iter().flat_map(|transition| &transition.updates);
        updates.into_iter().any(|update| update.cell.variable == term.cell.variable)
    };
    let speaks_of_constants = |universal: &&Universal| {
        let named = universal.body.iter().flatten().flat_map(Literal::processes);
        !universal.body.iter().flatten().flat_map(Literal::terms).any(written)
            && named.into_iter().all(|process| process >= BOUND)
    };
    let universal = initial.guard.universal.iter().filter(speaks_of_constants).cloned();
    // What is said without naming anybody is said once, for whoever there is.
    let alone = |literal: &&Literal| !literal.terms().any(written) && literal.processes().next().is_none();
    let literals = initial.guard.literals.iter().filter(alone);
    let facts = literals.map(|literal| Universal { bound: 1, except: vec![], body: vec![vec![*literal]] });
    universal.chain(facts).collect()
}
