//! One thread's body: its locals, labels and control-flow graph while they are built.
//!
//! A statement is lowered between two points that exist already: the one where it starts and the one
//! where it goes on. Jumps are edges that do nothing; [`tidy`](super::tidy) takes them out again.

use std::collections::BTreeMap;

use wattle_logic::{Sort, Term};
use wattle_program::{Cfg, Edge, Init, Local, Mode, Name, Op, Origin, Point, PointInfo, ProcessId, Role};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Ident, Initial, Stmt, StmtKind, Thread, Var};
use super::super::problems::{Problems, shorten};
use super::initial::{cell, check};
use super::symbols::{Symbols, duplicate};
use super::{tidy, typed};
use crate::codes;

pub(crate) struct Body<'a> {
    pub symbols: &'a Symbols,
    pub problems: &'a mut Problems,
    pub text: &'a str,
    pub process: ProcessId,
    pub locals: Vec<Local>,
    pub cfg: Cfg,
    /// Locals that the text has declared so far; `None`: declared wrongly.
    pub names: BTreeMap<Name, (Option<u32>, Span)>,
    pub labels: BTreeMap<Name, Label>,
    pub loops: Vec<Loop>,
    /// The atomic section that is being lowered, by the span of its statement.
    pub section: Option<Span>,
    /// The statement that is being lowered.
    pub origin: Origin,
    /// Hidden locals by what they hold, to be used again by the next statement.
    temporaries: BTreeMap<(String, Sort), Vec<u32>>,
    used: BTreeMap<(String, Sort), usize>,
}

#[derive(Debug)]
pub(crate) struct Label {
    pub point: Point,
    pub span: Span,
    pub section: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub head: Point,
    pub exit: Point,
    pub section: Option<Span>,
}

impl<'a> Body<'a> {
    pub(crate) fn new(
        symbols: &'a Symbols,
        problems: &'a mut Problems,
        text: &'a str,
        process: ProcessId,
    ) -> Body<'a> {
        Body {
            symbols,
            problems,
            text,
            process,
            locals: Vec::new(),
            cfg: Cfg::default(),
            names: BTreeMap::new(),
            labels: BTreeMap::new(),
            loops: Vec::new(),
            section: None,
            origin: Origin::default(),
            temporaries: BTreeMap::new(),
            used: BTreeMap::new(),
        }
    }

    pub(crate) fn lower(mut self, thread: &Thread) -> (Vec<Local>, Cfg) {
        let entry = self.fresh();
        let end = self.cfg.add_point(PointInfo { end: true, ..PointInfo::default() });
        self.cfg.entry = entry;
        for statement in &thread.body {
            self.collect_labels(statement, None, None);
        }
        let (done, vars_done) = self.initial_locals(&thread.body);
        let mut rest = &thread.body[done..];
        let mut from = entry;
        if let (Some((first, others)), true) = (rest.split_first(), vars_done > 0)
            && let StmtKind::Local(vars) = &first.kind
        {
            from = self.fresh();
            self.origin = Origin(first.span);
            self.local(&vars[vars_done..], first.span, entry, from);
            rest = others;
        }
        self.sequence(rest, from, end);
        tidy::tidy(&mut self.cfg);
        (self.locals, self.cfg)
    }

    pub(crate) fn fresh(&mut self) -> Point {
        self.cfg.add_point(PointInfo::default())
    }

    /// An edge that does nothing.
    pub(crate) fn glue(&mut self, from: Point, to: Point) {
        if from != to {
            self.edge(from, to, Term::bool(true), vec![], Mode::Plain);
        }
    }

    pub(crate) fn edge(
        &mut self,
        from: Point,
        to: Point,
        guard: Term,
        ops: Vec<Op>,
        mode: Mode,
    ) -> &mut Edge {
        let number = self.cfg.edges.len();
        self.cfg.edges.push(Edge { from, guard, ops, to, mode, role: Role::Step, origin: self.origin });
        &mut self.cfg.edges[number]
    }

    /// A statement starts here.
    pub(crate) fn starts(&mut self, point: Point, span: Span) {
        let origin = &mut self.cfg.points[point.0 as usize].origin;
        if origin.0.is_nowhere() {
            *origin = Origin(span);
        }
    }

    /// All labels first, because `goto` may look forward.
    fn collect_labels(&mut self, statement: &Stmt, section: Option<Span>, shared: Option<Point>) {
        let mut inner_section = section;
        let mut inner_shared = None;
        match &statement.kind {
            StmtKind::Label(label, inner) => {
                let point = shared.unwrap_or_else(|| self.fresh());
                if matches!(inner.kind, StmtKind::Label(..)) {
                    inner_shared = Some(point);
                }
                self.declare_label(label, point, section);
            }
            StmtKind::Atomic { .. } => inner_section = Some(statement.span),
            _ => {}
        }
        for child in statement.children() {
            self.collect_labels(child, inner_section, inner_shared);
        }
    }

    fn declare_label(&mut self, label: &Ident, point: Point, section: Option<Span>) {
        if &*label.name == "end" {
            let message = "a label cannot be called `end`: `p@end` means that p has ended";
            self.problems.error(codes::LABEL, label.span, message);
            return;
        }
        if let Some(earlier) = self.labels.get(&label.name) {
            duplicate(label, earlier.span, self.problems);
            return;
        }
        self.cfg.points[point.0 as usize].labels.push(label.name.clone());
        self.labels.insert(label.name.clone(), Label { point, span: label.span, section });
    }

    /// Declarations at the top of the body whose values are known when the thread starts become
    /// initial values and cost no step. How many statements that took care of, and how many
    /// declarations of the next one.
    fn initial_locals(&mut self, body: &[Stmt]) -> (usize, usize) {
        for (number, statement) in body.iter().enumerate() {
            let StmtKind::Local(vars) = &statement.kind else { return (number, 0) };
            for (done, var) in vars.iter().enumerate() {
                if !self.is_initial(var) {
                    return (number, done);
                }
                self.initial_local(var);
            }
        }
        (body.len(), 0)
    }

    /// Can the initial value be computed before the thread starts?
    fn is_initial(&self, var: &Var) -> bool {
        match &var.initial {
            Some(Initial::Value(value)) => self.is_closed(value),
            _ => true,
        }
    }

    fn initial_local(&mut self, var: &Var) {
        let mut init = None;
        let ty = match &var.ty {
            Some(ty) => super::initial::sort_of(ty, self.symbols, self.problems).map(Some),
            None => Some(None),
        };
        let made = match (&var.initial, ty) {
            (_, None) => None,
            (Some(Initial::Value(value)), Some(ty)) => {
                let mut actions = Vec::new();
                self.typed_value(value, ty.map(|(sort, _)| sort), &mut actions).and_then(|term| {
                    let term = self.with_initial_values(&term);
                    let (sort, range) = ty.unwrap_or((term.sort(), None));
                    let copies = self.symbols.process(self.process).replicas.count().unwrap_or(1);
                    for me in 0..copies {
                        check(&term, value.span, me, sort, range, self.symbols, self.problems)?;
                    }
                    init = Some(Init::Values(vec![term]));
                    Some((sort, range))
                })
            }
            (initial, Some(_)) => {
                let (ty, initial) = (var.ty.as_ref(), initial.as_ref());
                let made = cell(ty, initial, None, None, var.name.span, self.symbols, self.problems);
                made.map(|cell| {
                    init = Some(cell.init);
                    (cell.sort, cell.range)
                })
            }
        };
        self.declare_local(var, made, init);
    }

    /// A new local. `None` for its type: an error was reported.
    pub(crate) fn declare_local(
        &mut self,
        var: &Var,
        ty: Option<(Sort, Option<wattle_program::Range>)>,
        init: Option<Init>,
    ) -> Option<u32> {
        let earlier = self.names.get(&var.name.name).map(|(_, span)| *span);
        let owned = &self.symbols.process(self.process).owned;
        let earlier = earlier
            .or(owned.get(&var.name.name).map(|(_, span)| *span))
            .or(self.symbols.declared_at(&var.name.name));
        if let Some(earlier) = earlier {
            duplicate(&var.name, earlier, self.problems);
            return None;
        }
        if let Some(size) = &var.size {
            let diagnostic = Diagnostic::error(codes::SIZE, size.span, "a local cannot be an array");
            self.problems.push(diagnostic.help("declare it `shared`"));
        }
        let number = ty.filter(|_| var.size.is_none()).map(|(sort, range)| {
            let init = init.unwrap_or_else(|| Init::Values(vec![Term::value(sort.zero(), sort)]));
            self.locals.push(Local { name: var.name.name.clone(), sort, range, init, hidden: false });
            self.locals.len() as u32 - 1
        });
        self.names.insert(var.name.name.clone(), (number, var.name.span));
        number
    }

    /// A hidden local for what the text under `span` is worth.
    pub(crate) fn temporary(&mut self, span: Span, sort: Sort) -> u32 {
        let text = shorten(self.text.get(span.start as usize..span.end as usize).unwrap_or(""));
        let key = (text, sort);
        let used = self.used.entry(key.clone()).or_default();
        *used += 1;
        let of_this = self.temporaries.entry(key).or_default();
        if let Some(local) = of_this.get(*used - 1) {
            return *local;
        }
        let local = self.locals.len() as u32;
        of_this.push(local);
        let text = shorten(self.text.get(span.start as usize..span.end as usize).unwrap_or(""));
        let name = if *used == 1 { text } else { format!("{text}#{used}") };
        let init = Init::Values(vec![Term::value(sort.zero(), sort)]);
        self.locals.push(Local { name: name.into(), sort, range: None, init, hidden: true });
        local
    }

    /// The next expression may use all hidden locals again.
    pub(crate) fn release_temporaries(&mut self) {
        self.used.clear();
    }

    /// The sort of an expression, and its errors, without a trace in the program.
    pub(crate) fn infer(&mut self, expr: &super::super::ast::Expr, wanted: Option<Sort>) -> Option<Sort> {
        let before = self.locals.len();
        let term = self.typed_value(expr, wanted, &mut Vec::new());
        self.locals.truncate(before);
        self.temporaries.values_mut().for_each(|locals| locals.retain(|local| (*local as usize) < before));
        self.release_temporaries();
        term.map(|term| term.sort())
    }

    pub(crate) fn local_term(&self, local: u32) -> Term {
        Term::local(local, self.locals[local as usize].sort)
    }

    /// An expression of a wanted sort, or of any.
    pub(crate) fn typed_value(
        &mut self,
        expr: &super::super::ast::Expr,
        sort: Option<Sort>,
        actions: &mut Vec<super::emit::Action>,
    ) -> Option<Term> {
        let mut reads = super::expression::Reads { body: self, actions };
        match sort {
            Some(sort) => typed::of_sort(&mut reads, expr, sort),
            None => typed::term(&mut reads, expr),
        }
    }
}

/// Initial values that other initial values may repeat; larger ones are computed by a step.
const SMALL: usize = 32;

impl Body<'_> {
    pub(crate) fn has_small_initial(&self, local: u32) -> bool {
        let local = &self.locals[local as usize];
        match &local.init {
            // A literal of another sort would compute otherwise than the local does.
            Init::Values(values) => {
                values.iter().all(|value| value.sort() == local.sort && size(value) <= SMALL)
            }
            Init::Any => false,
        }
    }

    /// A term over locals with their initial values in their place.
    fn with_initial_values(&self, term: &Term) -> Term {
        term.substitute(&|symbol| match symbol {
            wattle_logic::Symbol::Local(local) => match &self.locals[local as usize].init {
                Init::Values(values) => values.first().cloned(),
                Init::Any => None,
            },
            _ => None,
        })
    }
}

fn size(term: &Term) -> usize {
    let mut size = 0;
    term.walk(&mut |_| size += 1);
    size
}
