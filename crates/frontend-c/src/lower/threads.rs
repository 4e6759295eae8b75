//! Threads: those of POSIX and of `threads.h`.
//!
//! Each place that creates threads is a process of its own, with as many copies as the loops around it have rounds, or
//! as the bound says. A thread's number is the number of its first copy and which copy it is; joining goes through the
//! processes that it may belong to.

use std::collections::HashMap;

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::{Binary, Sort, Term};
use wattle_program::{Cfg, Dimension, Edge, Init, Op, PointInfo, Process, ProcessId, Replicas, Variable};

use super::call::argument;
use super::graph::Graph;
use super::place::{Cache, Lvalue};
use super::value::{Value, in_sort};
use super::{Body, Frame, Unit, plain};
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// What a thread does.
pub(super) enum Work<'a> {
    Call { function: usize, argument: Option<Argument>, result: Option<u32> },
    Statement { statement: &'a Node<Statement>, function: Option<usize> },
}

/// A thread that is to be translated.
pub(super) struct Waiting<'a> {
    process: ProcessId,
    work: Work<'a>,
    /// The functions in which it was created, of its creator's creators too.
    chain: Vec<usize>,
}

pub(super) enum Argument {
    Constant(Value),
    /// The variable that holds it, one element a copy.
    Variable(u32),
}

/// Threads that one place creates.
pub(super) struct Creation {
    pub process: ProcessId,
    pub first: i64,
    pub copies: u32,
    /// Where each copy leaves its result.
    pub result: Option<u32>,
}

/// Stands for all processes in a join until they are known.
const ALL: ProcessId = ProcessId(u32::MAX);

/// More threads than this from one place in a loop are a matter of the bound.
const MOST_ROUNDS: u32 = 64;

impl<'a> Unit<'a> {
    /// Translate `main`, then the threads that it creates, then those that they create.
    pub(super) fn threads(&mut self, main: usize) {
        let first = self.add_process("main", Replicas::Once);
        self.next_thread = 2;
        self.creations.push(Creation { process: first, first: 1, copies: 1, result: None });
        let work = Work::Call { function: main, argument: None, result: None };
        self.waiting.push_back(Waiting { process: first, work, chain: vec![] });
        while let Some(waiting) = self.waiting.pop_front() {
            self.body(waiting);
        }
        self.expand_joins();
        self.finish_pools();
        self.silence();
    }

    /// A thread that no statement that can be reached creates does nothing.
    fn silence(&mut self) {
        let mut created = vec![false; self.program.processes.len()];
        created[0] = true;
        let edges = self.program.processes.iter().flat_map(|process| &process.cfg.edges);
        for op in edges.flat_map(|edge| &edge.ops) {
            if let Op::Spawn { process, .. } = op {
                created[process.0 as usize] = true;
            }
        }
        for (process, created) in self.program.processes.iter_mut().zip(created) {
            if !created {
                let mut cfg = Cfg::default();
                cfg.add_point(PointInfo { end: true, ..PointInfo::default() });
                process.cfg = cfg;
            }
        }
    }

    fn add_process(&mut self, name: &str, replicas: Replicas) -> ProcessId {
        let same = self.program.processes.iter().filter(|process| {
            let own: &str = &process.name;
            own == name || own.strip_prefix(name).is_some_and(|rest| rest.starts_with('\''))
        });
        let count = same.count();
        let name = if count == 0 { name.to_owned() } else { format!("{name}'{}", count + 1) };
        self.program.processes.push(Process {
            name: name.into(),
            replicas,
            locals: vec![],
            cfg: Cfg::default(),
            span: wattle_source::Span::NOWHERE,
        });
        ProcessId(self.program.processes.len() as u32 - 1)
    }

    fn body(&mut self, waiting: Waiting<'a>) {
        let Waiting { process, work, chain } = waiting;
        let replicas = self.program.process(process).replicas;
        let name = self.program.process(process).name.clone();
        let copies = replicas.count().unwrap_or(1);
        let (span, start) = match &work {
            Work::Call { function, .. } => {
                let definition = self.functions[*function].definition;
                let span = definition
                    .map_or(wattle_source::Span::NOWHERE, |node| self.places.span(node.node.declarator.span));
                (span, span)
            }
            Work::Statement { statement, .. } => {
                (self.places.span(statement.span), self.places.span(statement.span))
            }
        };
        let mut body = Body {
            process,
            copies,
            graph: Graph::new(start),
            locals: vec![],
            owned: vec![],
            registers: vec![],
            frames: vec![],
            cache: Cache::default(),
            thread_locals: HashMap::new(),
            hint: None,
            nested: 0,
            chain,
            unit: self,
        };
        body.run(work);
        let made = body.finish(&name, replicas, span);
        self.program.processes[process.0 as usize] = made;
    }

    /// Joins know the processes only when all are there.
    fn expand_joins(&mut self) {
        for process in &mut self.program.processes {
            let old = std::mem::take(&mut process.cfg.edges);
            for edge in old {
                let waits = edge.ops.iter().find_map(|op| match op {
                    Op::Join { process: ALL, copy } => Some(copy.clone()),
                    _ => None,
                });
                let Some(thread) = waits else {
                    process.cfg.edges.push(edge);
                    continue;
                };
                let into = edge.ops.iter().find_map(Op::sets);
                let mut otherwise = Vec::new();
                for creation in self.creations.iter().skip(1) {
                    let number = |value: i64| Term::value(wattle_logic::Value::Int(value), Sort::WORD);
                    let last = creation.first + i64::from(creation.copies) - 1;
                    let guard = match creation.copies {
                        1 => thread.clone().equals(number(creation.first)),
                        _ => Term::binary(Binary::GreaterEqual, thread.clone(), number(creation.first))
                            .and(Term::binary(Binary::LessEqual, thread.clone(), number(last))),
                    };
                    let copy = match creation.copies {
                        1 => Term::int(0),
                        _ => Term::binary(Binary::Subtract, thread.clone(), number(creation.first)),
                    };
                    otherwise.push(guard.negated());
                    let ops = vec![Op::Join { process: creation.process, copy: copy.clone() }];
                    match (into, creation.result) {
                        (Some(into), Some(result)) => {
                            let middle = process.cfg.add_point(PointInfo {
                                origin: edge.origin,
                                ..process.cfg.point(edge.from).clone()
                            });
                            process.cfg.edges.push(Edge { guard, ops, to: middle, ..edge.clone() });
                            let indices = if creation.copies == 1 { vec![] } else { vec![copy] };
                            let address = Term::address(result, indices);
                            let ops = vec![Op::Load { into, address, tags: plain() }];
                            process.cfg.edges.push(Edge {
                                from: middle,
                                guard: Term::bool(true),
                                ops,
                                ..edge.clone()
                            });
                        }
                        _ => process.cfg.edges.push(Edge { guard, ops, ..edge.clone() }),
                    }
                }
                let nothing = Op::Unsupported {
                    what: "joining a thread that was not created".into(),
                    span: edge.origin.0,
                };
                let guard = Term::conjunction(otherwise);
                process.cfg.edges.push(Edge { guard, ops: vec![nothing], ..edge });
            }
        }
    }

    /// A hidden variable with one element for each copy of a process.
    fn per_copy(&mut self, name: String, process: ProcessId, copies: u32) -> u32 {
        let dimensions = if copies == 1 { vec![] } else { vec![Dimension::Copies(process)] };
        self.program.variables.push(Variable {
            name: name.into(),
            sort: Sort::WORD,
            dimensions,
            range: None,
            init: Init::Values(vec![]),
            unbuffered: false,
            place: None,
            owner: None,
            span: wattle_source::Span::NOWHERE,
        });
        self.program.variables.len() as u32 - 1
    }
}

impl<'a> Body<'_, 'a> {
    fn run(&mut self, work: Work<'a>) {
        match work {
            Work::Call { function, argument, result } => self.thread_function(function, argument, result),
            Work::Statement { statement, function } => {
                let file = function.map_or(0, |function| self.unit.functions[function].file);
                self.unit.scopes.turn_to(file);
                let returns = self.graph.point();
                self.frames.push(Frame {
                    function,
                    labels: HashMap::new(),
                    breaks: vec![],
                    continues: vec![],
                    switches: vec![],
                    returns,
                    result: None,
                    rounds: Some(1),
                });
                self.statement(statement);
                self.leave();
            }
        }
    }

    fn thread_function(&mut self, function: usize, argument: Option<Argument>, result: Option<u32>) {
        let Some(definition) = self.unit.functions[function].definition else { return };
        let Kind::Function(signature) = self.unit.functions[function].of.kind.clone() else { return };
        self.enter(function, &signature.result);
        self.unit.scopes.turn_to(self.unit.functions[function].file);
        self.unit.scopes.enter();
        let span = definition.span;
        let done = self.thread_parameters(definition, argument, span);
        match done {
            Ok(()) => self.statement(&definition.node.statement),
            Err(refusal) => self.unsupported(&refusal),
        }
        self.unit.scopes.leave();
        let value = self.leave();
        if let (Some(result), Some(owned)) = (result, value) {
            let place = self.variable_place(owned);
            if place.of.is_scalar()
                && let Ok(value) = self.load(&place, span)
            {
                let address = self.own_element(result);
                self.graph.access(Op::Store {
                    address,
                    value: in_sort(value.term, Sort::WORD),
                    tags: plain(),
                });
            }
        }
        self.graph.flush();
    }

    fn own_element(&self, variable: u32) -> Term {
        let indices = if self.copies == 1 { vec![] } else { vec![Term::me()] };
        Term::address(variable, indices)
    }

    fn thread_parameters(
        &mut self,
        definition: &'a Node<FunctionDefinition>,
        argument: Option<Argument>,
        span: Span,
    ) -> Low<()> {
        use crate::declare::{Declares, Meaning};
        let mut argument = argument;
        let mut open = Vec::new();
        for parameter in super::parameters(definition) {
            let (name, of) = self.unit.parameter(parameter)?;
            let Some(name) = name else { continue };
            let owned = self.own(&name, of, true, parameter.span)?;
            self.unit.scopes.declare(&name, Meaning::Local(owned));
            let place = self.variable_place(owned);
            match argument.take() {
                Some(Argument::Constant(value)) => {
                    let value = value.convert(&place.of, span)?;
                    self.store_with(&place, value, plain(), span)?;
                }
                Some(Argument::Variable(variable)) => {
                    let into = self.temporary(Sort::WORD);
                    let address = self.own_element(variable);
                    self.graph.access(Op::Load { into, address, tags: plain() });
                    let value =
                        Value::new(self.local_term(into), &Type::VOID.pointer()).convert(&place.of, span)?;
                    self.store_with(&place, value, plain(), span)?;
                }
                None => open.push((name, place, owned)),
            }
        }
        let places: Vec<(String, Lvalue)> =
            open.iter().map(|(name, place, _)| (name.clone(), place.clone())).collect();
        // Arguments of main: any number of them, with any contents.
        let given = if self.process.0 == 0 && self.arguments(definition, &places, span)? { 2 } else { 0 };
        for (number, (_, place, owned)) in open.into_iter().enumerate().skip(given) {
            self.initialize(owned, None, span)?;
            // There is no negative number of them.
            if self.process.0 == 0 && number == 0 && place.of.is_integer() {
                let count = self.load_with(&place, plain(), span)?.term;
                let zero = Term::value(wattle_logic::Value::Int(0), count.sort());
                self.graph.op(Op::Assume { condition: Term::binary(Binary::GreaterEqual, count, zero) });
            }
        }
        Ok(())
    }

    /// How many times the place that is being translated may run in one thread: surely, or at most so often by the
    /// bound.
    pub(super) fn times(&mut self) -> (u32, bool) {
        let bound = self.unit.settings.bound.max(1);
        match self.frame().rounds {
            Some(rounds) if rounds <= MOST_ROUNDS => (rounds.max(1), true),
            _ => (bound, false),
        }
    }

    /// Which of the times it is: a number below `times` for each thread, and the step to the next one. Beyond the last one
    /// the thread is cut.
    pub(super) fn count_times(&mut self, times: u32, sure: bool, what: &str, span: Span) -> Term {
        if times == 1 && sure {
            return Term::int(0);
        }
        let counter =
            self.register(format!("n{}", self.locals.len()), Sort::Bits { width: 16, signed: true }, true);
        let term = self.local_term(counter);
        let limit = Term::value(wattle_logic::Value::Int(i64::from(times)), term.sort());
        self.write_back();
        let (more, on) = self.graph.branch(Term::binary(Binary::GreaterEqual, term.clone(), limit));
        self.graph.continue_at(more);
        self.cut(what, span);
        self.graph.continue_at(on);
        let now = self.kept(term.clone());
        let one = Term::value(wattle_logic::Value::Int(1), term.sort());
        self.graph.op(Op::Assign { local: counter, value: Term::binary(Binary::Add, term, one) });
        now
    }

    /// Start a thread. Its number.
    fn create(&mut self, name: &str, work: Work<'a>, argument: Option<Value>, span: Span) -> Low<Value> {
        self.spend(span)?;
        let frames = self.frames.iter().filter_map(|frame| frame.function);
        let chain: Vec<usize> = self.chain.iter().copied().chain(frames).collect();
        // A thread that creates its like, maybe by way of others, does so as deeply as functions call themselves.
        let own = match work {
            Work::Call { function, .. } => Some(function),
            Work::Statement { function, .. } => function,
        };
        let bound = self.unit.settings.bound;
        if chain.iter().filter(|function| Some(**function) == own).count() > bound as usize {
            self.cut(&format!("threads of `{name}` that create each other deeper than {bound}"), span);
            return Ok(Value::int(0));
        }
        let (times, sure) = self.times();
        let copies = self.copies * times;
        let which =
            self.count_times(times, sure, &format!("threads of `{name}` beyond the first {times}"), span);
        let replicas = if copies == 1 { Replicas::Once } else { Replicas::Exactly(copies) };
        let process = self.unit.add_process(name, replicas);
        let first = self.unit.next_thread;
        self.unit.next_thread += i64::from(copies);
        let copy = match (self.copies, times) {
            (_, 1) if self.copies == 1 => Term::int(0),
            (1, _) => which,
            _ => {
                let base = Term::binary(Binary::Multiply, Term::me(), Term::int(i64::from(times)));
                Term::binary(Binary::Add, base, which)
            }
        };
        let copy = self.kept(copy);
        let result = self.unit.results.then(|| self.unit.per_copy(format!("{name}.result"), process, copies));
        let work = match work {
            Work::Call { function, .. } => {
                let argument = match argument {
                    Some(value) if value.term.locals().is_empty() && !mentions_me(&value.term) => {
                        Some(Argument::Constant(value))
                    }
                    Some(value) => {
                        let variable = self.unit.per_copy(format!("{name}.argument"), process, copies);
                        let indices = if copies == 1 { vec![] } else { vec![copy.clone()] };
                        let address = Term::address(variable, indices);
                        let value = in_sort(value.term, Sort::WORD);
                        self.write_back();
                        self.graph.access(Op::Store { address, value, tags: plain() });
                        Some(Argument::Variable(variable))
                    }
                    None => None,
                };
                Work::Call { function, argument, result }
            }
            other => other,
        };
        self.unit.creations.push(Creation { process, first, copies, result });
        self.unit.waiting.push_back(Waiting { process, work, chain });
        self.write_back();
        self.graph.flush();
        self.graph.op(Op::Spawn { process, copy: copy.clone() });
        self.graph.flush();
        let of = Type::integer(8, false);
        let first = Value::constant(first, of.clone()).term;
        let number = match copies {
            1 => first,
            _ => Term::binary(Binary::Add, first, copy),
        };
        Ok(Value { term: number, of })
    }

    /// `__CPROVER_ASYNC_1: statement`
    pub(super) fn asynchronous(&mut self, statement: &'a Node<Statement>) -> Low<()> {
        // The name of the function that is called, if it is a call.
        let name = match &statement.node {
            Statement::Expression(Some(expression)) => match &expression.node {
                Expression::Call(call) => match &call.node.callee.node {
                    Expression::Identifier(name) => name.node.name.clone(),
                    _ => "async".into(),
                },
                _ => "async".into(),
            },
            _ => "async".into(),
        };
        let function = self.frames.last().and_then(|frame| frame.function);
        self.create(&name, Work::Statement { statement, function }, None, statement.span).map(|_| ())
    }

    /// A call of a library for threads, or `None` if the name is not one of them.
    pub(super) fn thread_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Option<Value>> {
        let argument = |number: usize| argument(arguments, number, name, span);
        let value = match name {
            "pthread_create" | "thrd_create" => {
                let (function, given) = if name == "pthread_create" { (2, 3) } else { (1, 2) };
                let function = argument(function)?;
                let start = self.rvalue(function)?;
                let given = self.rvalue(argument(given)?)?;
                let given = given.convert(&Type::VOID.pointer(), span)?;
                let number = self.start_thread(start, given, function.span)?;
                if !is_null(argument(0)?) {
                    let place = self.target(argument(0)?)?;
                    let number = number.convert(&place.of, span)?;
                    self.store(&place, number, span)?;
                }
                Value::int(0)
            }
            "pthread_join" | "thrd_join" => {
                let thread = self.rvalue(argument(0)?)?;
                let thread = self.kept(in_sort(thread.term, Sort::WORD));
                let into = arguments.get(1).filter(|into| !is_null(into));
                self.join(thread, into, span)?;
                Value::int(0)
            }
            "pthread_exit" | "thrd_exit" => {
                let result = self.frames.first().and_then(|frame| frame.result);
                if let (Some(owned), Some(value)) = (result, arguments.first()) {
                    let place = self.variable_place(owned);
                    let value_of = self.rvalue(value)?;
                    if place.of.is_scalar() {
                        let value_of = self.converted(value_of, &place.of, span)?;
                        self.store(&place, value_of, span)?;
                    }
                }
                match self.frames.first().map(|frame| frame.returns) {
                    Some(end) => self.jump(end),
                    None => self.graph.stop(),
                }
                Value::void()
            }
            "pthread_self" | "thrd_current" => self.own_number(),
            "pthread_equal" | "thrd_equal" => {
                let first = self.rvalue(argument(0)?)?;
                let first = self.kept(first.term);
                let second = self.rvalue(argument(1)?)?;
                Value::of_truth(first.equals(second.term))
            }
            "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "pthread_cond_init"
            | "pthread_cond_destroy"
            | "cnd_signal"
            | "cnd_broadcast"
            | "cnd_init"
            | "cnd_destroy"
            | "pthread_mutex_destroy"
            | "mtx_destroy"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_attr_setdetachstate"
            | "pthread_detach"
            | "thrd_detach"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_rwlock_destroy"
            | "thrd_yield"
            | "pthread_yield"
            | "thrd_sleep"
            | "sem_destroy"
            | "pthread_setconcurrency"
            | "pthread_spin_destroy"
            | "pthread_attr_setscope"
            | "pthread_attr_setstacksize" => Value::int(0),
            _ => return self.lock_call(name, arguments, span),
        };
        Ok(Some(value))
    }

    /// Start a thread that runs what a pointer points to: if that is not known, one of the functions that have such a type. Its number.
    fn start_thread(&mut self, function: Value, given: Value, span: Span) -> Low<Value> {
        if let Some(value) = function.known() {
            return match super::expression::function_number(self.unit, value) {
                Some(number) => self.run_in_thread(number, given, span),
                None => refuse("a thread whose function is not known", span),
            };
        }
        let fits = |number: &usize| match &self.unit.functions[*number].of.kind {
            Kind::Function(signature) => {
                let wanted = function.of.target().map(|target| &target.kind);
                let same = matches!(wanted, Some(Kind::Function(wanted)) if wanted.result.kind == signature.result.kind);
                same && signature.parameters.len() == 1 && self.unit.functions[*number].definition.is_some()
            }
            _ => false,
        };
        let candidates: Vec<usize> = (0..self.unit.functions.len()).filter(fits).collect();
        let pointer = self.kept(function.term);
        let given = Value { term: self.kept(given.term), ..given };
        let of = Type::integer(8, false);
        let result = self.temporary(of.sort());
        let end = self.graph.point();
        for number in candidates {
            let here = super::expression::function_pointer(self.unit, number).term;
            let (yes, no) = self.branch(Term::binary(Binary::Equal, pointer.clone(), here));
            self.graph.continue_at(yes);
            let thread = self.run_in_thread(number, given.clone(), span)?;
            self.graph.op(Op::Assign { local: result, value: in_sort(thread.term, of.sort()) });
            self.jump(end);
            self.graph.continue_at(no);
        }
        let place = self.unit.places.span(span);
        self.graph.halt(Op::Unsupported { what: "a thread whose function is not known".into(), span: place });
        self.graph.continue_at(end);
        Ok(Value { term: self.local_term(result), of })
    }

    fn run_in_thread(&mut self, function: usize, given: Value, span: Span) -> Low<Value> {
        let name = self.unit.functions[function].name.clone();
        if self.unit.functions[function].definition.is_none() {
            return refuse(format!("a thread that runs `{name}`, which has no definition"), span);
        }
        let work = Work::Call { function, argument: None, result: None };
        self.create(&name, work, Some(given), span)
    }

    fn own_number(&mut self) -> Value {
        let of = Type::integer(8, false);
        let creation = self.unit.creations.iter().find(|creation| creation.process == self.process);
        let first = creation.map_or(1, |creation| creation.first);
        let first = Value::constant(first, of.clone());
        match self.copies {
            1 => first,
            _ => Value { term: Term::binary(Binary::Add, first.term, Term::me()), of },
        }
    }

    fn join(&mut self, thread: Term, into: Option<&'a Node<Expression>>, span: Span) -> Low<()> {
        self.write_back();
        self.graph.flush();
        let local = into.map(|_| self.temporary(Sort::WORD));
        // The local is set by the edge, so that what follows may use it.
        if let Some(local) = local {
            self.graph.op(Op::Havoc { local, among: wattle_program::Choice::Any });
        }
        self.graph.op(Op::Join { process: ALL, copy: thread });
        self.graph.flush();
        if let (Some(into), Some(local)) = (into, local) {
            let place = self.target(into)?;
            let value = Value::new(self.local_term(local), &Type::VOID.pointer());
            let value = self.converted(value, &place.of, span)?;
            self.store(&place, value, span)?;
        }
        Ok(())
    }

    pub(super) fn constant_for(&self, place: &Lvalue, value: i64) -> Value {
        let of = if place.of.is_scalar() { place.of.unqualified() } else { Type::INT };
        Value::constant(value, of)
    }
}

/// `0`, `NULL`, `(void *)0`
pub(super) fn is_null(expression: &Node<Expression>) -> bool {
    match &expression.node {
        Expression::Constant(constant) => {
            matches!(&constant.node, Constant::Integer(integer) if integer.number.chars().all(|digit| digit == '0'))
        }
        Expression::Cast(cast) => is_null(&cast.node.expression),
        _ => false,
    }
}

fn mentions_me(term: &Term) -> bool {
    let mut found = false;
    term.walk(&mut |node| {
        found |= matches!(node.kind(), wattle_logic::Kind::Symbol(wattle_logic::Symbol::Me));
    });
    found
}

/// Does the text ask for the result of a thread?
pub(super) fn wants_results(unit: &TranslationUnit) -> bool {
    struct Wants(bool);
    impl<'a> lang_c::visit::Visit<'a> for Wants {
        fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Span) {
            let joins = matches!(&call.callee.node, Expression::Identifier(name)
                if matches!(name.node.name.as_str(), "pthread_join" | "thrd_join"));
            self.0 |= joins && call.arguments.get(1).is_some_and(|into| !is_null(into));
            lang_c::visit::visit_call_expression(self, call, span);
        }
    }
    let mut wants = Wants(false);
    lang_c::visit::Visit::visit_translation_unit(&mut wants, unit);
    wants.0
}
