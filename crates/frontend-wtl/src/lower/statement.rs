//! Statements: control flow, and which accesses each makes.

use wattle_logic::Term;
use wattle_program::{Choice, Fence, Mode, Name, Op, Origin, Point, Tags};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{self, Expr, ExprKind, Ident, Initial, Place, Stmt, StmtKind, Var};
use super::body::{Body, Loop};
use super::emit::{Action, Finish, Way, accesses};
use super::expression::{Reads, Resolved};
use super::initial::sort_of;
use super::typed;
use crate::codes;

impl Body<'_> {
    /// Statements one after the other, from `at` to `next`.
    pub(crate) fn sequence(&mut self, statements: &[Stmt], at: Point, next: Point) {
        let mut from = at;
        for (number, statement) in statements.iter().enumerate() {
            let to = match statements.get(number + 1) {
                None => next,
                Some(following) => self.enter(following),
            };
            self.statement(statement, from, to);
            from = to;
        }
        if statements.is_empty() {
            self.glue(at, next);
        }
    }

    /// The point where a statement will start.
    fn enter(&mut self, statement: &Stmt) -> Point {
        match &statement.kind {
            StmtKind::Label(label, _) => match self.labels.get(&label.name) {
                Some(label) => label.point,
                None => self.fresh(),
            },
            _ => self.fresh(),
        }
    }

    pub(crate) fn statement(&mut self, statement: &Stmt, at: Point, next: Point) {
        let span = statement.span;
        self.origin = Origin(span);
        self.release_temporaries();
        match &statement.kind {
            StmtKind::Label(label, inner) => {
                let point = self.labels.get(&label.name).map_or(at, |label| label.point);
                self.glue(at, point);
                return self.statement(inner, point, next);
            }
            StmtKind::Block(body) => return self.sequence(body, at, next),
            StmtKind::Goto(label) => return self.goto(label, at),
            StmtKind::Break | StmtKind::Continue => return self.leave_loop(statement, at),
            StmtKind::Local(vars) => return self.local(vars, span, at, next),
            _ => self.starts(at, span),
        }
        match &statement.kind {
            StmtKind::Assign { place, value, tag } => {
                self.assign(place, value, *tag, at, next);
            }
            StmtKind::Acquire { into, place } => {
                self.acquire(into, place, at, next);
            }
            StmtKind::If { condition, then, otherwise } => {
                let yes = self.enter(then);
                let no = otherwise.as_ref().map(|otherwise| self.enter(otherwise));
                self.branch(condition, at, yes, no.unwrap_or(next));
                self.statement(then, yes, next);
                if let (Some(otherwise), Some(no)) = (otherwise, no) {
                    self.statement(otherwise, no, next);
                }
            }
            StmtKind::While { condition, body } => {
                let inside = self.enter(body);
                self.branch(condition, at, inside, next);
                self.loops.push(Loop { head: at, exit: next, section: self.section });
                self.statement(body, inside, at);
                self.loops.pop();
            }
            StmtKind::Either(blocks) => {
                let starts: Vec<Point> = blocks.iter().map(|block| self.enter(block)).collect();
                for start in &starts {
                    self.edge(at, *start, Term::bool(true), vec![], Mode::Plain);
                }
                for (block, start) in blocks.iter().zip(starts) {
                    self.statement(block, start, next);
                }
            }
            StmtKind::Skip => {
                self.edge(at, next, Term::bool(true), vec![], Mode::Plain);
            }
            StmtKind::Await(condition) => self.await_that(condition, at, next),
            StmtKind::Assume(condition) => {
                if let Some((actions, condition)) = self.condition(condition) {
                    self.emit(at, actions, vec![Finish::when(condition, next)]);
                }
            }
            StmtKind::Assert(condition) => {
                if let Some((actions, condition)) = self.condition(condition) {
                    let assert = Op::Assert { condition, span };
                    self.emit(at, actions, vec![Finish::then(vec![assert], next)]);
                }
            }
            StmtKind::Fence(fence) => self.fence(fence, at, next),
            StmtKind::Atomic { buffered, body } => self.atomic(*buffered, body, span, at, next),
            StmtKind::Call(call) => self.call(call, at, next),
            StmtKind::Remote(remote) => {
                self.remote(remote, span, at, next);
            }
            StmtKind::Flush(target) => {
                self.flush(target.as_ref(), span, at, next);
            }
            _ => {}
        }
    }

    fn condition(&mut self, expr: &Expr) -> Option<(Vec<Action>, Term)> {
        let mut actions = Vec::new();
        let condition = typed::condition(&mut Reads { body: self, actions: &mut actions }, expr)?;
        Some((actions, condition))
    }

    /// Two ways on. A condition that is a constant leaves one only.
    fn branch(&mut self, condition: &Expr, at: Point, yes: Point, no: Point) {
        let Some((actions, condition)) = self.condition(condition) else { return };
        let constant = condition.simplify();
        let mut finishes = Vec::new();
        if constant.is_true() {
            finishes.push(Finish::then(vec![], yes));
        } else if constant.is_false() {
            finishes.push(Finish::then(vec![], no));
        } else {
            finishes.push(Finish::when(condition.clone(), yes));
            finishes.push(Finish::when(condition.negated(), no));
        }
        self.emit(at, actions, finishes);
    }

    /// One load (or none) waits where it is. Several are read again and again, in order, until they
    /// agree. Inside a section nothing else moves, so that reading again would not help.
    fn await_that(&mut self, condition: &Expr, at: Point, next: Point) {
        let Some((actions, condition)) = self.condition(condition) else { return };
        let mut finishes = vec![Finish::when(condition.clone(), next)];
        if accesses(&actions) > 1 && self.section.is_none() {
            finishes.push(Finish::retry(condition.negated(), at));
        }
        self.emit(at, actions, finishes);
    }

    fn goto(&mut self, label: &Ident, at: Point) {
        let Some(target) = self.labels.get(&label.name) else {
            let labels = self.labels.keys().map(|name| &**name);
            self.problems.unknown(label.span, &label.name, "label", labels);
            return;
        };
        let (point, section) = (target.point, target.section);
        if section != self.section {
            return self.crosses(label.span, "`goto`");
        }
        self.edge(at, point, Term::bool(true), vec![], Mode::Plain);
    }

    fn leave_loop(&mut self, statement: &Stmt, at: Point) {
        let is_break = matches!(statement.kind, StmtKind::Break);
        let word = if is_break { "`break`" } else { "`continue`" };
        match self.loops.last().copied() {
            None => {
                let message = format!("{word} outside a loop");
                self.problems.error(codes::LOOP, statement.span, message);
            }
            Some(inner) if inner.section != self.section => self.crosses(statement.span, word),
            Some(inner) => {
                let to = if is_break { inner.exit } else { inner.head };
                self.edge(at, to, Term::bool(true), vec![], Mode::Plain);
            }
        }
    }

    fn crosses(&mut self, span: Span, word: &str) {
        let message = format!("{word} crosses the border of an atomic section");
        let diagnostic = Diagnostic::error(codes::ATOMIC, span, message);
        self.problems
            .push(diagnostic.help("a section is one step: it is entered at its top and left at its end"));
    }

    /// A declaration that is not at the top of the body: its values are assigned when it is reached.
    pub(crate) fn local(&mut self, vars: &[Var], span: Span, at: Point, next: Point) {
        let mut from = at;
        for (number, var) in vars.iter().enumerate() {
            let to = if number + 1 == vars.len() { next } else { self.fresh() };
            if matches!(var.initial, Some(Initial::Value(_) | Initial::Any)) {
                self.starts(at, span);
            }
            self.late_local(var, from, to);
            from = to;
        }
    }

    fn late_local(&mut self, var: &Var, at: Point, next: Point) -> Option<()> {
        self.release_temporaries();
        let ty = match &var.ty {
            Some(ty) => match sort_of(ty, self.symbols, self.problems) {
                Some(ty) => Some(ty),
                None => {
                    self.declare_local(var, None, None);
                    return None;
                }
            },
            None => None,
        };
        match &var.initial {
            None => {
                let made = super::initial::cell(
                    var.ty.as_ref(),
                    None,
                    None,
                    None,
                    var.name.span,
                    self.symbols,
                    self.problems,
                );
                self.declare_local(var, made.map(|cell| (cell.sort, cell.range)), None);
                self.glue(at, next);
            }
            Some(Initial::List(_, span)) => {
                self.problems.error(codes::INITIAL, *span, "a list of values for a local");
                self.declare_local(var, None, None);
            }
            Some(Initial::Any) => {
                let ty = ty.unwrap_or((wattle_logic::Sort::Int, None));
                let local = self.declare_local(var, Some(ty), None)?;
                let ops = vec![Op::Havoc { local, among: Choice::Any }];
                self.emit(at, vec![], vec![Finish::then(ops, next)]);
            }
            Some(Initial::Value(value)) => {
                // The value is read before the name means anything.
                let sort = self.infer(value, ty.map(|(sort, _)| sort));
                let ty = sort.map(|sort| ty.unwrap_or((sort, None)));
                let local = self.declare_local(var, ty, None)?;
                // Until then a range that excludes 0 must not be violated by the initial value.
                if let Some((_, Some(range))) = ty
                    && !range.contains(0)
                {
                    self.locals[local as usize].init =
                        wattle_program::Init::Values(vec![Term::int(range.low)]);
                }
                self.assign_local(local, value, at, next)?;
            }
        }
        Some(())
    }

    fn assign(
        &mut self,
        place: &Place,
        value: &Expr,
        tag: Option<&'static str>,
        at: Point,
        next: Point,
    ) -> Option<()> {
        let mut actions = Vec::new();
        let resolved = Reads { body: self, actions: &mut actions }.resolve(place);
        match resolved {
            Some(Resolved::Local(local)) => {
                if tag.is_some() {
                    let message =
                        format!("`{}` is a local: only shared variables are released", place.name.name);
                    self.problems.error(codes::NOT_SHARED, place.span, message);
                }
                self.assign_local(local, value, at, next)
            }
            Some(Resolved::Shared { address, sort, .. }) => {
                let value = match &value.kind {
                    ExprKind::Star => {
                        // Named after the place, whose range it shares.
                        let local = self.temporary(place.span, sort);
                        self.locals[local as usize].range = self.range_of(&address);
                        actions.push(Action::Local(Op::Havoc { local, among: Choice::Any }));
                        self.local_term(local)
                    }
                    _ => self.typed_value(value, Some(sort), &mut actions)?,
                };
                let tags: Tags = tag.into_iter().map(Name::from).collect();
                let ops = vec![Op::Store { address, value, tags }];
                self.emit_apart(at, actions, Finish::then(ops, next));
                Some(())
            }
            None => {
                // Errors on the right side are worth reporting too.
                self.typed_value(value, None, &mut actions);
                None
            }
        }
    }

    fn range_of(&self, address: &Term) -> Option<wattle_program::Range> {
        match address.kind() {
            wattle_logic::Kind::Address { variable, .. } => self.symbols.variables[*variable as usize].range,
            _ => None,
        }
    }

    /// `r = e`. What `r` gets straight from memory or from a choice needs no hidden local.
    fn assign_local(&mut self, local: u32, value: &Expr, at: Point, next: Point) -> Option<()> {
        let sort = self.locals[local as usize].sort;
        let mut actions = Vec::new();
        let mut ops = Vec::new();
        let mut reads = Reads { body: self, actions: &mut actions };
        match &value.kind {
            ExprKind::Place(place) if reads.is_shared(place) => {
                if let Resolved::Shared { address, sort: found, .. } = reads.resolve(place)? {
                    typed::fits(&mut reads, value, found, sort)?;
                    reads.load(local, address, None);
                }
            }
            ExprKind::Star => ops.push(Op::Havoc { local, among: Choice::Any }),
            ExprKind::Nondet(low, high) => {
                typed::fits(&mut reads, value, wattle_logic::Sort::Int, sort)?;
                reads.choose(low, high, local)?;
            }
            ExprKind::Update(update, place, arguments) if update.kind == ast::UpdateKind::Cas => {
                typed::fits(&mut reads, value, wattle_logic::Sort::Bool, sort)?;
                reads.update(*update, place, arguments, value.span, Some(local))?;
            }
            _ => {
                let value = typed::of_sort(&mut reads, value, sort)?;
                ops.push(Op::Assign { local, value });
            }
        }
        self.emit(at, actions, vec![Finish::then(ops, next)]);
        Some(())
    }

    fn acquire(&mut self, into: &Ident, place: &Place, at: Point, next: Point) -> Option<()> {
        let mut actions = Vec::new();
        let mut reads = Reads { body: self, actions: &mut actions };
        let target = Place { name: into.clone(), index: None, span: into.span };
        let Resolved::Local(local) = reads.resolve(&target)? else {
            let message = format!("`{}` is shared: `acquire` reads into a local", into.name);
            reads.body.problems.error(codes::NOT_LOCAL, into.span, message);
            return None;
        };
        let Resolved::Shared { address, sort, .. } = reads.resolve(place)? else {
            let message = format!("`{}` is a local: `acquire` reads a shared variable", place.name.name);
            reads.body.problems.error(codes::NOT_SHARED, place.span, message);
            return None;
        };
        let wanted = reads.body.locals[local as usize].sort;
        let whole = Expr { kind: ExprKind::Place(place.clone()), span: place.span, height: 1 };
        typed::fits(&mut reads, &whole, sort, wanted)?;
        reads.load(local, address, Some("acq"));
        self.emit(at, actions, vec![Finish::then(vec![], next)]);
        Some(())
    }

    fn fence(&mut self, fence: &ast::Fence, at: Point, next: Point) {
        let mut actions = Vec::new();
        let fence = match fence {
            ast::Fence::Full => Fence::full(),
            ast::Fence::Lwsync => Fence::lwsync(),
            ast::Fence::Orders(orders) => Fence::of_orders(*orders),
            ast::Fence::Of(place) => {
                let mut reads = Reads { body: self, actions: &mut actions };
                match reads.resolve(place) {
                    Some(Resolved::Shared { address, .. }) => {
                        Fence { location: Some(address), ..Fence::full() }
                    }
                    Some(Resolved::Local(_)) => {
                        let message =
                            format!("`{}` is a local: a fence waits for shared memory", place.name.name);
                        self.problems.error(codes::NOT_SHARED, place.span, message);
                        return;
                    }
                    None => return,
                }
            }
        };
        self.emit_apart(at, actions, Finish::then(vec![Op::Fence(fence)], next));
    }

    /// A read-modify-write for its effect: nobody keeps the result.
    fn call(&mut self, call: &Expr, at: Point, next: Point) {
        let mut actions = Vec::new();
        let Some(_) = self.typed_value(call, None, &mut actions) else { return };
        if let Some(Action::Access(ways)) = actions.last_mut() {
            for Way { ops, known, .. } in ways {
                if known.take().is_some() {
                    ops.pop();
                }
            }
        }
        self.emit(at, actions, vec![Finish::then(vec![], next)]);
    }
}

impl Reads<'_, '_, '_> {
    /// Does the place name shared memory (or nothing)?
    pub(crate) fn is_shared(&self, place: &Place) -> bool {
        use super::symbols::Meaning;
        let name = &place.name.name;
        if self.body.names.contains_key(name) {
            return false;
        }
        self.body.symbols.process(self.body.process).owned.contains_key(name)
            || matches!(self.body.symbols.find(name), Some(Meaning::Variable(_)))
    }
}
