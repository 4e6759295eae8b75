//! Remote operations: `put`, `get`, `remote_add`, `remote_swap`, `remote_cas`, `flush`.
//!
//! A remote operation names a variable *of another process*, so its first argument is looked up
//! there. What travels later must be a location; what is known now may be any expression over
//! locals. An expression that mixes both (`put(Y, p, X + 1)`) could mean either time of reading X,
//! so it is refused.

use wattle_logic::{Sort, Term};
use wattle_program::{Op, Point, ProcessId, Replicas, Source, Update};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Place, Remote, RemoteKind, Target};
use super::body::Body;
use super::emit::{Action, Finish, accesses};
use super::expression::{Reads, Resolved};
use super::symbols::Meaning;
use super::typed;
use crate::codes;

impl Body<'_> {
    pub(crate) fn remote(&mut self, remote: &Remote, span: Span, at: Point, next: Point) -> Option<()> {
        self.outside_sections(span)?;
        let mut actions = Vec::new();
        let into = match &remote.into {
            Some(place) => Some(self.own_place(place, &mut actions)?),
            None if remote.kind == RemoteKind::Get => {
                let diagnostic =
                    Diagnostic::error(codes::REMOTE, span, "the result of this `get` goes nowhere");
                self.problems
                    .push(diagnostic.help("write `X = get(…)` with a shared variable of this process"));
                return None;
            }
            None => None,
        };
        let (variable, address) = self.remote_place(&remote.place, &remote.target, &mut actions)?;
        let sort = self.symbols.variables[variable as usize].sort;
        if let (Some((_, into_sort)), Some(place)) = (&into, &remote.into) {
            let expr = Expr { kind: ExprKind::Place(place.clone()), span: place.span, height: 1 };
            typed::fits(&mut Reads { body: self, actions: &mut actions }, &expr, *into_sort, sort)?;
        }
        let into = into.map(|(address, _)| address);
        let mut values = Vec::new();
        let mut source = None;
        if let (RemoteKind::Put, [value]) = (remote.kind, remote.arguments.as_slice()) {
            source = Some(self.source(value, sort, &mut actions)?);
        } else {
            if remote.kind == RemoteKind::Add && !sort.is_integer() {
                let found = self.symbols.sort_name(sort);
                let message = format!("expected an integer variable, found {found}");
                self.problems.error(codes::TYPE, remote.place.span, message);
                return None;
            }
            for argument in &remote.arguments {
                values.push(self.typed_value(argument, Some(sort), &mut actions)?);
            }
        }
        let mut values = values.into_iter();
        let mut value = || values.next().unwrap_or_else(|| Term::value(sort.zero(), sort));
        let op = match (remote.kind, source, into) {
            (RemoteKind::Put, Some(source), _) => Op::Put { remote: address, source },
            (RemoteKind::Get, _, Some(into)) => Op::Get { into, remote: address },
            (RemoteKind::Add, _, into) => {
                Op::RemoteAtomic { into, remote: address, update: Update::Add(value()) }
            }
            (RemoteKind::Swap, _, into) => {
                Op::RemoteAtomic { into, remote: address, update: Update::Replace(value()) }
            }
            (RemoteKind::Cas, _, into) => {
                let update = Update::CompareAndSwap { expected: value(), new: value() };
                Op::RemoteAtomic { into, remote: address, update }
            }
            _ => return None,
        };
        self.emit_apart(at, actions, Finish::then(vec![op], next));
        Some(())
    }

    pub(crate) fn flush(
        &mut self,
        target: Option<&Target>,
        span: Span,
        at: Point,
        next: Point,
    ) -> Option<()> {
        self.outside_sections(span)?;
        let mut actions = Vec::new();
        let ops = match target {
            Some(target) => {
                let (process, copy) = self.target(target, &mut actions)?;
                vec![Op::Flush { process, copy }]
            }
            None => self.flush_all(span)?,
        };
        self.emit_apart(at, actions, Finish::then(ops, next));
        Some(())
    }

    /// `flush(*)`: one step that waits for every thread whose memory an operation may have as its target.
    fn flush_all(&mut self, span: Span) -> Option<Vec<Op>> {
        let symbols = self.symbols;
        let ids = || (0..symbols.processes.len() as u32).map(ProcessId);
        let owns = |process: &ProcessId| !symbols.process(*process).owned.is_empty();
        // Where nobody owns memory nothing can be pending; it still is a remote statement.
        let nobody_owns = !ids().any(|process| owns(&process));
        let mut ops = Vec::new();
        for process in ids().filter(|process| nobody_owns || owns(process)) {
            let symbol = symbols.process(process);
            let Some(copies) = symbol.replicas.count() else {
                let message = format!("`{}` has any number of copies, so `flush(*)` has no end", symbol.name);
                let diagnostic = Diagnostic::error(codes::COPY, span, message);
                self.problems.push(
                    diagnostic
                        .expecting(format!("expected `flush({}[…])`", symbol.name))
                        .help(format!("or say how many copies of `{}` there are", symbol.name)),
                );
                return None;
            };
            ops.extend((0..copies).map(|copy| Op::Flush { process, copy: Term::int(i64::from(copy)) }));
        }
        Some(ops)
    }

    fn outside_sections(&mut self, span: Span) -> Option<()> {
        let Some(outer) = self.section else { return Some(()) };
        let message = "a remote operation takes several steps, so it cannot stand in an atomic section";
        self.problems.push(Diagnostic::error(codes::ATOMIC, span, message).label(outer, "the section"));
        None
    }

    /// A shared variable that this process owns: where results are delivered.
    fn own_place(&mut self, place: &Place, actions: &mut Vec<Action>) -> Option<(Term, Sort)> {
        let message = match (Reads { body: self, actions }).resolve(place)? {
            Resolved::Shared { address, sort, variable }
                if self.symbols.variables[variable as usize].owner == Some(self.process) =>
            {
                return Some((address, sort));
            }
            Resolved::Shared { .. } => format!("`{}` does not belong to this process", place.name.name),
            Resolved::Local(_) => {
                format!("`{}` is a local: the result is delivered to memory later", place.name.name)
            }
        };
        self.problems.push(
            Diagnostic::error(codes::REMOTE, place.span, message)
                .expecting("expected a shared variable of this process"),
        );
        None
    }

    fn remote_place(
        &mut self,
        place: &Place,
        target: &Target,
        actions: &mut Vec<Action>,
    ) -> Option<(u32, Term)> {
        let process = self.symbols.process_named(&target.process, self.problems)?;
        let symbol = self.symbols.process(process);
        let variable = match symbol.owned.get(&place.name.name) {
            Some((Meaning::Variable(variable), _)) => *variable,
            Some(_) => return None,
            None => {
                let what = format!("variable of {}", symbol.name);
                let names = symbol.owned.keys().map(|name| &**name);
                self.problems.unknown(place.name.span, &place.name.name, &what, names);
                return None;
            }
        };
        // As written: the index of the variable, then the copy.
        let mut reads = Reads { body: self, actions };
        let per_copy = reads.body.symbols.is_per_copy(variable);
        let address = reads.address(variable, per_copy.then(|| Term::int(0)), place)?;
        let (_, copy) = self.target(target, actions)?;
        let wattle_logic::Kind::Address { indices, .. } = address.kind() else { return None };
        let mut indices = indices.clone();
        if per_copy {
            indices[0] = copy;
        }
        Some((variable, Term::address(variable, indices)))
    }

    /// The copy of a process that a statement names.
    fn target(&mut self, target: &Target, actions: &mut Vec<Action>) -> Option<(ProcessId, Term)> {
        let process = self.symbols.process_named(&target.process, self.problems)?;
        let symbol = self.symbols.process(process);
        let copy = match (&target.copy, symbol.replicas) {
            (None, Replicas::Once) => Term::int(0),
            (None, _) => {
                let message = format!("`{}` has several copies: say which", symbol.name);
                let diagnostic = Diagnostic::error(codes::COPY, target.span, message);
                self.problems.push(diagnostic.expecting(format!("expected `{}[…]`", symbol.name)));
                return None;
            }
            (Some(copy), Replicas::Once) => {
                let message = format!("`{}` has no copies to choose from", symbol.name);
                self.problems.error(codes::COPY, copy.span, message);
                return None;
            }
            (Some(copy), _) => typed::integer(&mut Reads { body: self, actions }, copy)?,
        };
        Some((process, copy))
    }

    fn source(&mut self, value: &Expr, sort: Sort, actions: &mut Vec<Action>) -> Option<Source> {
        if let ExprKind::Place(place) = &value.kind
            && (Reads { body: self, actions }).is_shared(place)
        {
            let mut reads = Reads { body: self, actions };
            let Resolved::Shared { address, sort: found, .. } = reads.resolve(place)? else { return None };
            typed::fits(&mut reads, value, found, sort)?;
            return Some(Source::Location(address));
        }
        let before = accesses(actions);
        let term = self.typed_value(value, Some(sort), actions)?;
        if accesses(actions) > before {
            let message = "a `put` sends a shared variable as it is, or an expression over locals";
            self.problems.push(
                Diagnostic::error(codes::REMOTE, value.span, message)
                    .help("read the variable into a local first"),
            );
            return None;
        }
        Some(Source::Value(term))
    }
}
