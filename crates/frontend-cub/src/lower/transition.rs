//! Transitions as edges.
//!
//! The acting process is the copy that takes the edge; the other parameters are chosen among all copies and must be
//! different. Then the guard must hold, and all assignments happen together. What a transition reads of weak memory it
//! reads at one instant. If it also writes to weak memory it is locked, as a read-modify-write is.

use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_program::{
    Broadcast, Choice, Edge, Fence, Init, Local, Mode, Name, Op, Origin, Point, ProcessId, Program, Role,
};
use wattle_source::Diagnostic;

use super::formula::{Place, Scope, different, distinct, no_actor, numbered, refuse, wrong_indices};
use super::names::{Names, Symbol, Type};
use super::{Lowered, PROC};
use crate::ast::{Assigned, Assignment, Expr, ExprKind, File, Formula, FormulaKind, Ident, Join, Transition};
use crate::codes;

pub(super) fn transitions(
    tree: &File,
    names: &Names<'_>,
    program: &mut Program,
    problems: &mut Vec<Diagnostic>,
) {
    // Several transitions may have one name, as in Cubicle: nothing refers to a transition.
    for transition in &tree.transitions {
        match Writer::new(transition, names, program).edge(transition, problems) {
            Ok(edge) => program.processes[PROC as usize].cfg.edges.push(edge),
            Err(problem) => problems.push(*problem),
        }
    }
}

struct Writer<'a, 'p> {
    names: &'a Names<'a>,
    program: &'p mut Program,
    scope: Scope<'a>,
    acts: bool,
    ops: Vec<Op>,
    writes_weak: bool,
}

impl<'a, 'p> Writer<'a, 'p> {
    fn new(transition: &Transition, names: &'a Names<'a>, program: &'p mut Program) -> Writer<'a, 'p> {
        let scope = Scope::new(names, Place::Step { acts: transition.acts });
        Writer { names, program, scope, acts: transition.acts, ops: vec![], writes_weak: false }
    }

    fn edge(mut self, transition: &Transition, problems: &mut Vec<Diagnostic>) -> Lowered<Edge> {
        self.parameters(&transition.parameters)?;
        for (name, value) in &transition.lets {
            // A `let` may be used in assignments only, so it is read where they are.
            let (term, of) = self.scope.term(value)?;
            self.scope.name(name, term, of);
        }
        if let Some(guard) = &transition.guard {
            let mut fences = Vec::new();
            let rest = without_fences(guard, &mut fences);
            for process in fences.iter().flatten() {
                self.is_acting(process)?;
            }
            if !fences.is_empty() {
                self.ops.push(Op::Fence(Fence::full()));
            }
            if let Some(rest) = rest {
                let condition = self.scope.formula(&rest)?;
                self.ops.push(Op::Assume { condition });
            }
        }
        let mut stores = Vec::new();
        for (number, assignment) in transition.assignments.iter().enumerate() {
            let before = &transition.assignments[..number];
            if let Some(first) = before.iter().find(|first| self.may_meet(first, assignment)) {
                let message = format!("`{}` is assigned twice", assignment.target.name);
                let problem = Diagnostic::error(codes::ASSIGNED_TWICE, assignment.span, message);
                problems.push(problem.label(first.span, "first here"));
            }
            match self.assignment(assignment) {
                Ok(store) => stores.extend(store),
                Err(problem) => problems.push(*problem),
            }
        }
        if !stores.is_empty() {
            self.ops.push(Op::Together { stores });
        }
        let locked = self.writes_weak && self.scope.reads_weak.get();
        Ok(Edge {
            from: Point(0),
            guard: Term::bool(true),
            ops: self.ops,
            to: Point(0),
            mode: if locked { Mode::Locked } else { Mode::Plain },
            role: Role::Step,
            origin: Origin(transition.name.span),
        })
    }

    /// The first one is the copy itself; the others are chosen.
    fn parameters(&mut self, parameters: &[Ident]) -> Lowered<()> {
        distinct(parameters)?;
        let mut processes = Vec::new();
        for (number, parameter) in parameters.iter().enumerate() {
            let term = match number {
                0 => Term::me_process(),
                _ => {
                    let local = self.local(parameter.name.clone(), Sort::Process);
                    self.ops.push(Op::Havoc { local, among: Choice::Any });
                    Term::local(local, Sort::Process)
                }
            };
            self.scope.name(parameter, term.clone(), Type::Proc);
            processes.push(term);
        }
        self.scope.others = processes.clone();
        if let Some(condition) = different(processes).into_iter().reduce(Term::and) {
            self.ops.push(Op::Assume { condition });
        }
        Ok(())
    }

    /// The hidden local with this name and sort: transitions share them.
    fn local(&mut self, name: Name, sort: Sort) -> u32 {
        let locals = &mut self.program.processes[PROC as usize].locals;
        let found = locals.iter().position(|local| local.name == name && local.sort == sort);
        let number = found.unwrap_or_else(|| {
            locals.push(Local { name, sort, range: None, init: Init::Values(vec![]), hidden: true });
            locals.len() - 1
        });
        number as u32
    }

    /// Who is named as reading, writing or waiting must be the acting process.
    fn is_acting(&self, process: &Ident) -> Lowered<()> {
        match self.scope.find(&process.name) {
            Some((term, _)) if self.acts && term == Term::me_process() => Ok(()),
            _ => {
                let message = format!("`{}` is not the acting process", process.name);
                let help = "only the acting process reads and writes weak memory; write it in square brackets: `transition t ([p])`";
                Err(Box::new(Diagnostic::error(codes::ACTOR, process.span, message).help(help)))
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Lowered<Option<Broadcast>> {
        let target = &assignment.target;
        let symbol = self.names.variable(target)?.clone();
        assignment.writer.iter().try_for_each(|writer| self.is_acting(writer))?;
        if symbol.constant {
            let problem = Diagnostic::error(
                codes::CONSTANT,
                assignment.span,
                format!("`{}` is a constant", target.name),
            );
            return Err(Box::new(problem.label(symbol.span, "declared here")));
        }
        if let Some(whole) = self.whole_array(assignment, &symbol) {
            return self.assignment(&whole);
        }
        if assignment.indices.len() != symbol.arity {
            return wrong_indices(target, symbol.arity, assignment.indices.len(), assignment.span);
        }
        if symbol.weak {
            if !self.acts {
                return Err(no_actor(target.span, &target.name, "writes"));
            }
            self.writes_weak = true;
        }
        let any = match &assignment.value {
            Assigned::Any => {
                let local = self.local(format!("any {}", symbol.of.name()).into(), symbol.of.sort());
                Some((local, Term::local(local, symbol.of.sort())))
            }
            _ => None,
        };
        let scope = &self.scope;
        let broadcast = scope.within(|| {
            let mut each = Vec::new();
            let mut indices = Vec::new();
            for index in &assignment.indices {
                indices.push(match (scope.find(&index.name), index.name.strip_prefix('#')) {
                    (_, Some(number)) => match number.parse::<u32>() {
                        Ok(number) if number > 0 => numbered(number),
                        _ => {
                            return refuse(codes::NUMBER, index.span, "processes are numbered `#1`, `#2`, …");
                        }
                    },
                    (Some((term, Type::Proc)), _) => term,
                    (Some(_), _) => return refuse(codes::SORT, index.span, "an index is a process"),
                    (None, _) => {
                        let bound = scope.bind(index);
                        each.push((bound, ProcessId(PROC)));
                        Term::bound_process(bound)
                    }
                });
            }
            if any.is_some() && !each.is_empty() {
                let message = "an arbitrary value for every process at once is not supported";
                return refuse(codes::UNSUPPORTED, assignment.span, message);
            }
            let address = Term::address(symbol.number, indices.clone());
            let (when, value) = match (&assignment.value, any.clone()) {
                (Assigned::Value(value), _) => (Term::bool(true), scope.of_type(value, &symbol.of)?),
                (Assigned::Case(branches), _) => match cases(scope, branches, &symbol, &indices)? {
                    Some(cases) => cases,
                    None => return Ok(None),
                },
                (Assigned::Any, Some((_, value))) => (Term::bool(true), value),
                (Assigned::Any, None) => return Ok(None),
            };
            Ok(Some(Broadcast { each, when, address, value }))
        })?;
        if let Some((local, _)) = any {
            // Each of several arbitrary values is chosen on its own.
            let local = self.another(local, symbol.of.sort());
            self.ops.push(Op::Havoc { local, among: Choice::Any });
            let value = Term::local(local, symbol.of.sort());
            return Ok(broadcast.map(|store| Broadcast { value, ..store }));
        }
        Ok(broadcast)
    }

    /// `A := B` between arrays is `A[k] := B[k]` for every process `k`.
    fn whole_array(&self, assignment: &Assignment, symbol: &Symbol) -> Option<Assignment> {
        let Assigned::Value(value) = &assignment.value else { return None };
        let ExprKind::Capital { observer, name, indices } = &value.kind else { return None };
        let other = self.names.symbol(&name.name)?;
        let whole = symbol.arity > 0 && other.arity == symbol.arity;
        if !whole || !indices.is_empty() || !assignment.indices.is_empty() {
            return None;
        }
        // Names that no text can have.
        let ident = |number: usize| Ident { name: format!("{number} of all").into(), span: assignment.span };
        let every: Vec<Ident> = (0..symbol.arity).map(ident).collect();
        let cell = |ident: &Ident| Expr { kind: ExprKind::Small(ident.clone()), span: value.span };
        let indices = every.iter().map(cell).collect();
        let kind = ExprKind::Capital { observer: observer.clone(), name: name.clone(), indices };
        let value = Assigned::Value(Expr { kind, span: value.span });
        Some(Assignment { indices: every, value, ..assignment.clone() })
    }

    /// This local, or one like it if this transition has chosen its value already.
    fn another(&mut self, local: u32, sort: Sort) -> u32 {
        let taken = |local: u32, ops: &[Op]| ops.iter().any(|op| op.sets() == Some(local));
        let name = self.program.processes[PROC as usize].locals[local as usize].name.clone();
        let mut found = local;
        let mut number = 2;
        while taken(found, &self.ops) {
            found = self.local(format!("{name} {number}").into(), sort);
            number += 1;
        }
        found
    }

    /// Could two assignments be to one cell? Parameters are different processes.
    fn may_meet(&self, first: &Assignment, second: &Assignment) -> bool {
        let known = |index: &Ident| self.scope.find(&index.name).is_some() || index.name.starts_with('#');
        let numbered = |index: &Ident| index.name.starts_with('#');
        let differ =
            |(a, b): (&Ident, &Ident)| a.name != b.name && known(a) && known(b) && numbered(a) == numbered(b);
        first.target.name == second.target.name && !first.indices.iter().zip(&second.indices).any(differ)
    }
}

/// Where a `case` stores, and what; `None` if it never does. A branch that gives the cell back to itself stores nothing:
/// `A[k] := case | k = i : t | _ : A[k]` is `A[i] := t`.
fn cases(
    scope: &Scope<'_>,
    branches: &[(Option<Formula>, Expr)],
    symbol: &Symbol,
    indices: &[Term],
) -> Lowered<Option<(Term, Term)>> {
    let mut lowered: Vec<(Option<Term>, Option<Term>)> = Vec::new();
    for (condition, value) in branches {
        let condition = condition.as_ref().map(|condition| scope.formula(condition)).transpose()?;
        let read_before = scope.reads_weak.get();
        let value_term = scope.of_type(value, &symbol.of)?;
        let own = Term::address(symbol.number, indices.to_vec());
        let is_own = match value_term.kind() {
            wattle_logic::Kind::Content(address) | wattle_logic::Kind::Seen { address, .. } => {
                *address == own
            }
            _ => false,
        };
        if is_own {
            scope.reads_weak.set(read_before);
        }
        let last = condition.is_none();
        lowered.push((condition, (!is_own).then_some(value_term)));
        if last {
            break;
        }
    }
    // From the last branch to the first: what is stored, and when.
    let mut result: Option<(Term, Term)> = None;
    for (condition, value) in lowered.into_iter().rev() {
        let condition = condition.unwrap_or_else(|| Term::bool(true));
        let always = condition.is_true();
        result = match (value, result) {
            (Some(value), None) => Some((condition, value)),
            (Some(value), Some(_)) if always => Some((condition, value)),
            (Some(value), Some((when, other))) => {
                let value = Term::if_then_else(condition.clone(), value, other);
                let when = if when.is_true() { when } else { condition.or(when) };
                Some((when, value))
            }
            (None, None) => None,
            (None, Some(_)) if always => None,
            (None, Some((when, other))) => {
                let not = Term::unary(Unary::Not, condition);
                let when = if when.is_true() { not } else { Term::binary(Binary::And, not, when) };
                Some((when, other))
            }
        };
    }
    Ok(result)
}

/// A guard without the `fence()` in it; `None` if nothing else is left. Fences count where they are joined with `&&`,
/// also inside the body of a universal quantifier, which reaches as far as it can: `forall_other q. A[q] = B && fence()`.
fn without_fences(formula: &Formula, fences: &mut Vec<Option<Ident>>) -> Option<Formula> {
    match &formula.kind {
        FormulaKind::Fence(process) => {
            fences.push(process.clone());
            None
        }
        FormulaKind::Join(Join::And, pair) => {
            let left = without_fences(&pair.0, fences);
            let right = without_fences(&pair.1, fences);
            match (left, right) {
                (Some(left), Some(right)) => {
                    let kind = FormulaKind::Join(Join::And, Box::new((left, right)));
                    Some(Formula { kind, span: formula.span })
                }
                (left, right) => left.or(right),
            }
        }
        FormulaKind::Quantified(quantified, body) if quantified.universal => {
            let body = without_fences(body, fences)?;
            let kind = FormulaKind::Quantified(quantified.clone(), Box::new(body));
            Some(Formula { kind, span: formula.span })
        }
        _ => Some(formula.clone()),
    }
}
