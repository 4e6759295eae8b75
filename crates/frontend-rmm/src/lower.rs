//! Syntax tree to program.
//!
//! Each process becomes the automaton of Memorax's manual: an instruction is one edge, a condition
//! over registers is the guard of an edge, `either` lets several edges leave one point. The one
//! liberty: a `goto` without a label is no step of its own where the step before it can lead to the
//! label at once. It changes no set of labels that can be reached together.
//!
//! * `read: m = e` is a load into a hidden register and an assumption, in one step.
//! * `locked write` is a store and a fence, two steps of one origin. The store is tagged `fenced`,
//!   so that repair does not look for a fence there.
//! * `cas` is one locked step.
//! * For `locked { }` see `locked.rs`.
//! * `[e]` that names no variable blocks, as Memorax's expansion into `either` and `assume` does.

use std::collections::BTreeMap;

use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_program::{
    Cfg, Edge, Fence, Init, Local, Mode, Name, Op, Origin, Point, PointInfo, Process, Program, Role, Tags,
    Vocabulary,
};
use wattle_source::{Diagnostic, Severity, Span, did_you_mean};

use super::ast::{Condition, Expression, File, Place, PlaceKind, Statement, StatementKind};
use super::names::{Names, initial};
use super::properties::{forbidden, predicates};
use crate::codes;

/// The program of a tree without errors, and warnings; or all errors.
pub(crate) fn lower(file: &File, name: Name) -> (Program, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let names = Names::new(file, &mut problems);
    let mut processes = Vec::new();
    let mut labels = Vec::new();
    for number in 0..file.processes.len() {
        let (process, places) = lower_process(file, &names, number, &mut problems);
        processes.push(process);
        labels.push(places);
    }
    let property = forbidden(file, &names, &labels, &processes, &mut problems);
    let predicates = predicates(file, &names, &mut problems);
    let program = Program {
        name,
        vocabulary: Vocabulary::Generic,
        enumerations: vec![],
        variables: names.variables,
        processes,
        init: None,
        properties: property.into_iter().collect(),
        observed: vec![],
        condition: None,
        filter: None,
        predicates,
    };
    (program, problems)
}

pub(super) type Labels = BTreeMap<Name, Labelled>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Labelled {
    pub point: Point,
    span: Span,
    scope: u32,
}

/// Where an edge leads.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Point(Point),
    Label { name: Name, span: Span, scope: u32 },
}

/// One process on its way to a graph.
pub(super) struct Flow<'a> {
    pub names: &'a Names,
    pub process: usize,
    pub cfg: Cfg,
    /// The hidden register that `read: m = e` and `cas` load into.
    pub value: u32,
    labels: Labels,
    /// Edges to labels, which may come later in the text.
    open: Vec<(usize, Target)>,
    /// Which locked block we are in; 0: none.
    pub scope: u32,
    pub scopes: u32,
    pub mode: Mode,
    pub inside: Option<Mode>,
    pub problems: &'a mut Vec<Diagnostic>,
}

fn lower_process(
    file: &File,
    names: &Names,
    number: usize,
    problems: &mut Vec<Diagnostic>,
) -> (Process, Labels) {
    let source = &file.processes[number];
    let mut locals: Vec<Local> = Vec::new();
    for register in &source.registers {
        if names.registers[number].get(&register.name) == Some(&(locals.len() as u32)) {
            let (name, range) = (register.name.clone(), register.range);
            locals.push(Local { name, sort: Sort::Int, range, init: initial(register), hidden: false });
        }
    }
    let value = locals.len() as u32;
    let zero = Init::Values(vec![Term::int(0)]);
    locals.push(Local { name: "value".into(), sort: Sort::Int, range: None, init: zero, hidden: true });
    let mut flow = Flow {
        names,
        process: number,
        cfg: Cfg::default(),
        value,
        labels: Labels::new(),
        open: Vec::new(),
        scope: 0,
        scopes: 0,
        mode: Mode::Plain,
        inside: None,
        problems,
    };
    let entry = flow.cfg.add_point(PointInfo::default());
    let end = flow.cfg.add_point(PointInfo { end: true, ..PointInfo::default() });
    flow.list(&source.body, entry, &Target::Point(end));
    flow.resolve();
    let Flow { mut cfg, labels, .. } = flow;
    cfg.entry = entry;
    let uses_value = cfg
        .edges
        .iter()
        .flat_map(|edge| &edge.ops)
        .any(|op| matches!(op, Op::Load { into, .. } if *into == value));
    if !uses_value {
        locals.pop();
    }
    let (name, replicas) = (names.process_name(number), names.replicas(number));
    (Process { name, replicas, locals, cfg, span: source.span }, labels)
}

impl Flow<'_> {
    pub(crate) fn list(&mut self, list: &[Statement], from: Point, to: &Target) {
        let mut from = from;
        for (number, statement) in list.iter().enumerate() {
            let next = match list.get(number + 1) {
                Some(next) => self.start(next),
                None => to.clone(),
            };
            // A jump later in the list is where the statement before it leads.
            if number == 0 || jump(statement).is_none() {
                self.statement(statement, from, &next);
            }
            if let Target::Point(point) = next {
                from = point;
            }
        }
    }

    pub(crate) fn fresh(&mut self) -> Point {
        self.cfg.add_point(PointInfo { inside: self.inside, ..PointInfo::default() })
    }

    /// Where to go to do this statement.
    fn start(&mut self, statement: &Statement) -> Target {
        match jump(statement) {
            Some((name, span)) => Target::Label { name: name.clone(), span, scope: self.scope },
            None => Target::Point(self.fresh()),
        }
    }

    /// The single statement of a branch.
    fn branch(&mut self, statement: &Statement, to: &Target) -> Target {
        let start = self.start(statement);
        if let Target::Point(point) = start {
            self.statement(statement, point, to);
        }
        start
    }

    pub(crate) fn statement(&mut self, statement: &Statement, from: Point, to: &Target) {
        for (label, span) in &statement.labels {
            self.label(label, *span, from);
        }
        let origin = Origin(statement.head);
        let info = &mut self.cfg.points[from.0 as usize];
        if info.origin == Origin::default() && !matches!(statement.kind, StatementKind::Block(_)) {
            info.origin = origin;
        }
        match &statement.kind {
            StatementKind::Block(list) => self.list(list, from, to),
            StatementKind::Either(lists) => lists.iter().for_each(|list| self.list(list, from, to)),
            StatementKind::Locked(lists) if self.scope == 0 => self.locked(statement, lists, from, to),
            StatementKind::Locked(lists) => lists.iter().for_each(|list| self.list(list, from, to)),
            StatementKind::Goto(name, span) => {
                let label = Target::Label { name: name.clone(), span: *span, scope: self.scope };
                self.edge(from, Term::bool(true), vec![], &label, origin);
            }
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let then = self.branch(then, to);
                let otherwise = match otherwise {
                    Some(otherwise) => self.branch(otherwise, to),
                    None => to.clone(),
                };
                self.edge(from, condition.clone(), vec![], &then, origin);
                self.edge(from, condition.negated(), vec![], &otherwise, origin);
            }
            StatementKind::While { condition, body } => {
                let condition = self.condition(condition);
                let body = self.branch(body, &Target::Point(from));
                self.edge(from, condition.clone(), vec![], &body, origin);
                self.edge(from, condition.negated(), vec![], to, origin);
            }
            StatementKind::LockedWrite { place, value, .. } if self.scope == 0 => {
                let (guard, mut ops) = self.store(place, value);
                for op in &mut ops {
                    if let Op::Store { tags, .. } = op {
                        tags.insert("fenced".into());
                    }
                }
                let middle = self.fresh();
                self.edge(from, guard.unwrap_or(Term::bool(true)), ops, &Target::Point(middle), origin);
                self.edge(middle, Term::bool(true), vec![Op::Fence(Fence::full())], to, origin);
            }
            kind => {
                let (guard, ops) = self.instruction(statement);
                let mode = self.mode;
                if matches!(kind, StatementKind::Cas { .. }) {
                    self.mode = Mode::Locked;
                }
                self.edge(from, guard.unwrap_or(Term::bool(true)), ops, to, origin);
                self.mode = mode;
            }
        }
    }

    pub(crate) fn edge(&mut self, from: Point, guard: Term, ops: Vec<Op>, to: &Target, origin: Origin) {
        let number = self.cfg.edges.len();
        let to = match to {
            Target::Point(point) => *point,
            label => {
                self.open.push((number, label.clone()));
                Point(0)
            }
        };
        self.cfg.edges.push(Edge { from, guard, ops, to, mode: self.mode, role: Role::Step, origin });
    }

    fn label(&mut self, name: &Name, span: Span, point: Point) {
        if let Some(before) = self.labels.get(name) {
            let message = format!("label `{name}` stands twice in one process");
            let problem = Diagnostic::error(codes::DUPLICATE, span, message);
            self.problems.push(problem.label(before.span, "first here"));
            return;
        }
        self.labels.insert(name.clone(), Labelled { point, span, scope: self.scope });
        self.cfg.points[point.0 as usize].labels.push(name.clone());
    }

    /// Lead the edges to labels there.
    fn resolve(&mut self) {
        for (edge, target) in std::mem::take(&mut self.open) {
            let Target::Label { name, span, scope } = target else { continue };
            match self.labels.get(&name) {
                Some(label) if label.scope == scope => self.cfg.edges[edge].to = label.point,
                Some(label) => {
                    let text = "a jump into or out of a locked block";
                    let problem = Diagnostic::error(codes::LOCKED_GOTO, span, text);
                    self.problems.push(problem.label(label.span, "the label stands here"));
                }
                None => {
                    let message = format!("there is no label `{name}` in this process");
                    let mut problem = Diagnostic::error(codes::UNKNOWN_LABEL, span, message);
                    problem.help = did_you_mean(&name, self.labels.keys().map(|name| &**name));
                    if !self.problems.contains(&problem) {
                        self.problems.push(problem);
                    }
                }
            }
        }
    }

    /// What an instruction does, with the condition on registers under which it can.
    pub(crate) fn instruction(&mut self, statement: &Statement) -> (Option<Term>, Vec<Op>) {
        let value = Term::local(self.value, Sort::Int);
        match &statement.kind {
            StatementKind::Write { place, value } | StatementKind::LockedWrite { place, value, .. } => {
                self.store(place, value)
            }
            StatementKind::ReadInto { register, place } => {
                let (guard, address) = self.place(place);
                let into = self.register(&register.0, register.1);
                (guard, vec![Op::Load { into, address, tags: Tags::new() }])
            }
            StatementKind::ReadEqual { place, value: expected } => {
                let (guard, address) = self.place(place);
                let condition = value.equals(self.expression(expected));
                let load = Op::Load { into: self.value, address, tags: Tags::new() };
                (guard, vec![load, Op::Assume { condition }])
            }
            StatementKind::Cas { place, expected, new } => {
                let (guard, address) = self.place(place);
                let condition = value.equals(self.expression(expected));
                let load = Op::Load { into: self.value, address: address.clone(), tags: Tags::new() };
                let store = Op::Store { address, value: self.expression(new), tags: Tags::new() };
                (guard, vec![load, Op::Assume { condition }, store])
            }
            StatementKind::Fence => (None, vec![Op::Fence(Fence::full())]),
            StatementKind::Assign { register, value } => {
                let value = self.expression(value);
                let local = self.register(&register.0, register.1);
                (None, vec![Op::Assign { local, value }])
            }
            StatementKind::Assume(condition) => (Some(self.condition(condition)), vec![]),
            StatementKind::Unsupported(what) => {
                let text = format!("`{what}` belongs to machines that wattle does not have");
                let problem = Diagnostic::warning(codes::UNSUPPORTED, statement.span, text);
                let help = "a verdict that depends on it will be *unknown*";
                if !self.problems.iter().any(|other| other.span() == statement.span) {
                    self.problems.push(problem.help(help));
                }
                (None, vec![Op::Unsupported { what: what.clone(), span: statement.span }])
            }
            _ => (None, vec![]),
        }
    }

    fn store(&mut self, place: &Place, value: &Expression) -> (Option<Term>, Vec<Op>) {
        let (guard, address) = self.place(place);
        (guard, vec![Op::Store { address, value: self.expression(value), tags: Tags::new() }])
    }

    fn register(&mut self, name: &Name, span: Span) -> u32 {
        let known = &self.names.registers[self.process];
        if let Some(number) = known.get(name) {
            return *number;
        }
        let message = format!("this process declares no register `{name}`");
        let mut problem = Diagnostic::error(codes::UNKNOWN_REGISTER, span, message);
        problem.help = did_you_mean(name, known.keys().map(|name| &**name));
        self.problems.push(problem);
        self.value
    }

    /// The address of a place, and the condition under which it is one.
    fn place(&mut self, place: &Place) -> (Option<Term>, Term) {
        let nowhere = Term::address(0, vec![]);
        let found = match &place.kind {
            PlaceKind::Global(name) => {
                self.names.globals.get(name).map(|number| Term::address(*number, vec![]))
            }
            PlaceKind::Own(name) => self.names.own(self.process, None, name),
            PlaceKind::Other(name, number) => self.names.other(self.process, None, name, *number),
            PlaceKind::Pointer(pointer) => {
                let count = self.names.globals.len() as u32;
                match (&**pointer, count) {
                    (_, 0) => None,
                    (Expression::Number(number), count) => u32::try_from(*number)
                        .ok()
                        .filter(|number| *number < count)
                        .map(|number| Term::address(number, vec![])),
                    (pointer, count) => {
                        let pointer = self.expression(pointer);
                        let low = Term::binary(Binary::LessEqual, Term::int(0), pointer.clone());
                        let high = Term::binary(Binary::Less, pointer.clone(), Term::int(i64::from(count)));
                        let address = Term::binary(Binary::Offset, Term::address(0, vec![]), pointer);
                        return (Some(low.and(high)), address);
                    }
                }
            }
        };
        let Some(found) = found else {
            self.problems.push(self.unknown_place(place));
            return (None, nowhere);
        };
        (None, found)
    }

    fn unknown_place(&self, place: &Place) -> Diagnostic {
        let names = self.names;
        let globals = || names.globals.keys().map(|name| &**name);
        let (message, help) = match &place.kind {
            PlaceKind::Global(name) if names.of_processes().any(|other| *other == **name) => (
                format!("`{name}` belongs to a process, so it needs to be said whose"),
                Some(format!("write `{name}[my]`, or `{name}[0]` for that of the first other process")),
            ),
            PlaceKind::Global(name) => {
                (format!("there is no variable `{name}`"), did_you_mean(name, globals()))
            }
            PlaceKind::Own(name) | PlaceKind::Other(name, _) if names.globals.contains_key(name) => {
                (format!("`{name}` belongs to no process"), Some(format!("write `{name}`")))
            }
            PlaceKind::Own(name) => {
                (format!("this process declares no `{name}`"), did_you_mean(name, names.of_processes()))
            }
            PlaceKind::Other(name, number) if number + 1 >= names.threads() => {
                let message = format!("there is no other process with number {number}");
                let others = names.threads().saturating_sub(1);
                (message, Some(format!("`{name}[0]` is the first of the {others} other processes")))
            }
            PlaceKind::Other(name, number) => (
                format!("the other process with number {number} declares no `{name}`"),
                did_you_mean(name, names.of_processes()),
            ),
            PlaceKind::Pointer(_) => (
                "this pointer names no variable".into(),
                Some(format!(
                    "the {} variables declared before the first process count from 0",
                    globals().count()
                )),
            ),
        };
        let mut problem = Diagnostic::error(codes::UNKNOWN_NAME, place.span, message);
        problem.help = help;
        problem
    }

    fn expression(&mut self, expression: &Expression) -> Term {
        let mut problems = Vec::new();
        let names = self.names;
        let term = expression_term(expression, &mut |leaf| match leaf {
            Expression::Register(name, span) => match names.registers[self.process].get(name) {
                Some(number) => Term::local(*number, Sort::Int),
                None => {
                    problems.push((name.clone(), *span));
                    Term::int(0)
                }
            },
            _ => Term::int(0),
        });
        for (name, span) in problems {
            self.register(&name, span);
        }
        term
    }

    pub(crate) fn condition(&mut self, condition: &Condition) -> Term {
        condition_term(condition, &mut |expression| self.expression(expression))
    }
}

/// The label of a `goto` that is no step of its own.
fn jump(statement: &Statement) -> Option<(&Name, Span)> {
    match &statement.kind {
        StatementKind::Goto(name, span) if statement.labels.is_empty() => Some((name, *span)),
        _ => None,
    }
}

pub(super) fn expression_term(expression: &Expression, leaf: &mut dyn FnMut(&Expression) -> Term) -> Term {
    match expression {
        Expression::Number(number) => Term::int(*number),
        Expression::Register(..) | Expression::Memory(_) => leaf(expression),
        Expression::Negate(operand) => Term::unary(Unary::Negate, expression_term(operand, leaf)),
        Expression::Add(left, right) | Expression::Subtract(left, right) => {
            let operator = match expression {
                Expression::Add(..) => Binary::Add,
                _ => Binary::Subtract,
            };
            let left = expression_term(left, leaf);
            Term::binary(operator, left, expression_term(right, leaf))
        }
    }
}

pub(super) fn condition_term(condition: &Condition, term: &mut dyn FnMut(&Expression) -> Term) -> Term {
    match condition {
        Condition::Constant(value) => Term::bool(*value),
        Condition::Compare(operator, left, right) => {
            let left = term(left);
            Term::binary(*operator, left, term(right))
        }
        Condition::Not(operand) => condition_term(operand, term).negated(),
        Condition::And(left, right) => {
            let left = condition_term(left, term);
            left.and(condition_term(right, term))
        }
        Condition::Or(left, right) => {
            let left = condition_term(left, term);
            left.or(condition_term(right, term))
        }
    }
}

/// Whether any of these is an error rather than a warning.
pub(crate) fn has_errors(problems: &[Diagnostic]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}
