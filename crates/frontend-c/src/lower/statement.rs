//! Statements.

use lang_c::ast::*;
use lang_c::span::Node;
use wattle_logic::{Binary, Term};
use wattle_program::{Op, Point};

use super::value::{Value, promoted};
use super::{Body, Home, Owned};
use crate::declare::{Declares, Meaning};
use crate::refusal::{Low, refuse};
use crate::types::{Kind, Type};

/// A `switch` whose cases are being collected.
pub(super) struct Switch<'a> {
    cases: Vec<(Option<(i64, i64)>, Point)>,
    body: std::marker::PhantomData<&'a ()>,
}

/// Deeper nesting, of inlined functions too, is what generators make.
const DEEPEST: u32 = 2000;

impl<'a> Body<'_, 'a> {
    /// A statement; where it cannot be translated, reaching it is unsupported.
    pub(super) fn statement(&mut self, statement: &'a Node<Statement>) {
        if self.graph.cfg.points.len() > super::MOST_POINTS {
            self.graph.stop();
            return;
        }
        let outer = self.graph.origin;
        if !matches!(statement.node, Statement::Compound(_)) {
            self.at(statement.span);
        }
        self.nested += 1;
        let result = match self.nested > DEEPEST {
            true => refuse("statements nested too deeply", statement.span),
            false => self.try_statement(statement),
        };
        self.nested -= 1;
        if let Err(refusal) = result {
            self.unsupported(&refusal);
        }
        self.graph.origin = outer;
    }

    /// What comes next belongs to this part of the text.
    pub(super) fn at(&mut self, span: lang_c::span::Span) {
        // Of an inlined function in a header nothing can be shown better than the call.
        let place = self.unit.places.statement(span);
        if !place.is_nowhere() {
            self.graph.origin = place;
        }
    }

    fn try_statement(&mut self, statement: &'a Node<Statement>) -> Low<()> {
        match &statement.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node)?,
            Statement::Compound(items) => self.block(items),
            Statement::Expression(None) => {}
            Statement::Expression(Some(expression)) => {
                self.effect(expression)?;
                if self.graph.sections == 0 {
                    self.graph.flush();
                }
            }
            Statement::If(branch) => {
                let condition = self.condition(&branch.node.condition)?;
                let (then, otherwise) = self.branch(condition);
                let end = self.graph.point();
                self.graph.continue_at(then);
                self.statement(&branch.node.then_statement);
                self.jump(end);
                self.graph.continue_at(otherwise);
                if let Some(statement) = &branch.node.else_statement {
                    self.statement(statement);
                }
                self.continue_at(end);
            }
            Statement::Switch(switch) => self.switch(&switch.node)?,
            Statement::While(looping) => {
                let head = self.graph.head();
                self.continue_at(head);
                let condition = self.condition(&looping.node.expression)?;
                let (body, end) = self.branch(condition);
                self.graph.continue_at(body);
                self.in_loop(None, head, end, |this| this.statement(&looping.node.statement));
                self.jump(head);
                self.graph.continue_at(end);
            }
            Statement::DoWhile(looping) => {
                let (head, test, end) = (self.graph.head(), self.graph.point(), self.graph.point());
                self.continue_at(head);
                let once = matches!(constant_truth(&looping.node.expression), Some(false));
                let rounds = once.then_some(1);
                self.in_loop(rounds, test, end, |this| this.statement(&looping.node.statement));
                self.continue_at(test);
                self.at(looping.node.expression.span);
                let condition = self.condition(&looping.node.expression)?;
                let (again, done) = self.branch(condition);
                self.graph.continue_at(again);
                self.jump(head);
                self.graph.continue_at(done);
                self.continue_at(end);
            }
            Statement::For(looping) => self.counted(&looping.node)?,
            Statement::Goto(label) => {
                let point = self.label(&label.node.name);
                self.jump(point);
            }
            Statement::Continue => match self.frame().continues.last().copied() {
                Some(point) => self.jump(point),
                None => return refuse("`continue` outside of a loop", statement.span),
            },
            Statement::Break => match self.frame().breaks.last().copied() {
                Some(point) => self.jump(point),
                None => return refuse("`break` outside of a loop", statement.span),
            },
            Statement::Return(value) => {
                let frame = self.frame();
                let (result, returns) = (frame.result, frame.returns);
                match (value, result) {
                    (Some(value), Some(result)) => {
                        let place = self.variable_place(result);
                        if place.of.is_scalar() {
                            let value_of = self.rvalue(value)?;
                            let value_of = self.converted(value_of, &place.of, value.span)?;
                            self.store(&place, value_of, value.span)?;
                        } else {
                            let source = self.aggregate(value)?;
                            self.copy(&place, &source, value.span)?;
                        }
                    }
                    (Some(value), None) => self.effect(value)?,
                    (None, _) => {}
                }
                self.jump(returns);
            }
            Statement::Asm(asm) => self.assembly(&asm.node, statement.span)?,
        }
        Ok(())
    }

    /// The statements of a loop: where `continue` and `break` lead, and how often it goes round.
    fn in_loop(&mut self, rounds: Option<u32>, next: Point, end: Point, body: impl FnOnce(&mut Self)) {
        let frame = self.frame();
        frame.continues.push(next);
        frame.breaks.push(end);
        let outer = frame.rounds;
        frame.rounds = match (outer, rounds) {
            (Some(outer), Some(rounds)) => Some(outer.saturating_mul(rounds)),
            _ => None,
        };
        body(self);
        let frame = self.frame();
        frame.rounds = outer;
        frame.continues.pop();
        frame.breaks.pop();
    }

    pub(super) fn block(&mut self, items: &'a [Node<BlockItem>]) {
        self.unit.scopes.enter();
        for item in items {
            match &item.node {
                BlockItem::Declaration(declaration) => {
                    let outer = self.graph.origin;
                    self.at(declaration.span);
                    if let Err(refusal) = self.declaration(declaration) {
                        self.unsupported(&refusal);
                        for declarator in &declaration.node.declarators {
                            let name = crate::look::declared_name(&declarator.node.declarator);
                            let meaning = Meaning::Refused(refusal.what.clone());
                            name.into_iter()
                                .for_each(|name| self.unit.scopes.declare(&name, meaning.clone()));
                        }
                    }
                    self.graph.origin = outer;
                }
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(statement) => self.statement(statement),
            }
        }
        self.unit.scopes.leave();
    }

    fn counted(&mut self, looping: &'a ForStatement) -> Low<()> {
        self.unit.scopes.enter();
        let result = self.counted_inside(looping);
        self.unit.scopes.leave();
        result
    }

    fn counted_inside(&mut self, looping: &'a ForStatement) -> Low<()> {
        match &looping.initializer.node {
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {}
            ForInitializer::Expression(expression) => self.effect(expression)?,
            ForInitializer::Declaration(declaration) => self.declaration(declaration)?,
        }
        let rounds = self.rounds(looping);
        let (head, next) = (self.graph.head(), self.graph.point());
        self.continue_at(head);
        let condition = match &looping.condition {
            Some(condition) => {
                self.at(condition.span);
                self.condition(condition)?
            }
            None => Term::bool(true),
        };
        let (body, end) = self.branch(condition);
        self.graph.continue_at(body);
        self.in_loop(rounds, next, end, |this| this.statement(&looping.statement));
        self.continue_at(next);
        if let Some(step) = &looping.step {
            self.at(step.span);
            self.effect(step)?;
        }
        self.jump(head);
        self.graph.continue_at(end);
        Ok(())
    }

    /// How many times `for (i = a; i < b; i++)` goes round, if the text tells.
    fn rounds(&mut self, looping: &'a ForStatement) -> Option<u32> {
        let (name, start) = match &looping.initializer.node {
            ForInitializer::Expression(expression) => match &expression.node {
                Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Assign => {
                    (variable(&binary.node.lhs)?, &binary.node.rhs)
                }
                _ => return None,
            },
            ForInitializer::Declaration(declaration) => {
                let [only] = &declaration.node.declarators[..] else { return None };
                let Some(Initializer::Expression(value)) =
                    only.node.initializer.as_ref().map(|init| &init.node)
                else {
                    return None;
                };
                (crate::look::declared_name(&only.node.declarator)?, value)
            }
            _ => return None,
        };
        let start = self.unit.constant(start).ok()?;
        let Expression::BinaryOperator(test) = &looping.condition.as_ref()?.node else { return None };
        if variable(&test.node.lhs)? != name {
            return None;
        }
        let end = self.unit.constant(&test.node.rhs).ok()?;
        let Expression::UnaryOperator(step) = &looping.step.as_ref()?.node else { return None };
        let up =
            matches!(step.node.operator.node, UnaryOperator::PostIncrement | UnaryOperator::PreIncrement);
        if !up || variable(&step.node.operand)? != name || assigns(&looping.statement, &name) {
            return None;
        }
        let rounds = match test.node.operator.node {
            BinaryOperator::Less | BinaryOperator::NotEquals => end - start,
            BinaryOperator::LessOrEqual => end - start + 1,
            _ => return None,
        };
        u32::try_from(rounds.max(0)).ok()
    }

    fn labeled(&mut self, labeled: &'a LabeledStatement) -> Low<()> {
        match &labeled.label.node {
            Label::Identifier(name) => {
                if name.node.name.starts_with("__CPROVER_ASYNC_") {
                    return self.asynchronous(&labeled.statement);
                }
                let point = self.label(&name.node.name);
                self.continue_at(point);
            }
            label => {
                let range = match label {
                    Label::Case(value) => {
                        let value = self.unit.constant(value)?;
                        Some((value, value))
                    }
                    Label::CaseRange(range) => {
                        Some((self.unit.constant(&range.node.low)?, self.unit.constant(&range.node.high)?))
                    }
                    _ => None,
                };
                let point = self.graph.point();
                match self.frame().switches.last_mut() {
                    Some(switch) => switch.cases.push((range, point)),
                    None => return refuse("a case outside of a switch", labeled.statement.span),
                }
                self.continue_at(point);
            }
        }
        self.statement(&labeled.statement);
        Ok(())
    }

    fn label(&mut self, name: &str) -> Point {
        if let Some(point) = self.frame().labels.get(name) {
            return *point;
        }
        let point = self.graph.point();
        self.frame().labels.insert(name.to_owned(), point);
        point
    }

    /// The body is translated first, so that its cases are known; the way to them comes after it.
    fn switch(&mut self, switch: &'a SwitchStatement) -> Low<()> {
        let value = self.rvalue(&switch.expression)?;
        let of = promoted(&value.of);
        let value = value.convert(&of, switch.expression.span)?;
        let value = Value { term: self.kept(value.term), of };
        let (start, end) = (self.graph.point(), self.graph.point());
        self.jump(start);
        let frame = self.frame();
        frame.switches.push(Switch { cases: vec![], body: std::marker::PhantomData });
        frame.breaks.push(end);
        self.statement(&switch.statement);
        self.jump(end);
        let frame = self.frame();
        frame.breaks.pop();
        let cases = frame.switches.pop().map(|switch| switch.cases).unwrap_or_default();
        self.graph.continue_at(start);
        let mut default = end;
        for (range, point) in cases {
            let Some((low, high)) = range else {
                default = point;
                continue;
            };
            let bound = |value_of: i64| Value::constant(value_of, value.of.clone()).term;
            let here = match low == high {
                true => Term::binary(Binary::Equal, value.term.clone(), bound(low)),
                false => Term::binary(Binary::GreaterEqual, value.term.clone(), bound(low))
                    .and(Term::binary(Binary::LessEqual, value.term.clone(), bound(high))),
            };
            let (yes, no) = self.branch(here);
            self.graph.continue_at(yes);
            self.jump(point);
            self.graph.continue_at(no);
        }
        self.jump(default);
        self.graph.continue_at(end);
        Ok(())
    }

    /// `({ …; value; })`
    pub(super) fn statement_expression(
        &mut self,
        statement: &'a Node<Statement>,
    ) -> Low<super::expression::Operand> {
        let Statement::Compound(items) = &statement.node else {
            return refuse("this form of a statement as an expression", statement.span);
        };
        self.unit.scopes.enter();
        let mut result = super::expression::Operand::Value(Value::void());
        let last = items.len().saturating_sub(1);
        for (number, item) in items.iter().enumerate() {
            match &item.node {
                BlockItem::Statement(inner) => match &inner.node {
                    Statement::Expression(Some(expression)) if number == last => {
                        let of = self.static_type(expression).unwrap_or(Type::VOID);
                        if of.kind == Kind::Void {
                            self.effect(expression)?;
                        } else if of.is_scalar() {
                            let value = self.rvalue(expression)?;
                            let term = self.kept(value.term);
                            result = super::expression::Operand::Value(Value { term, ..value });
                        } else {
                            result = super::expression::Operand::Place(self.aggregate(expression)?);
                        }
                    }
                    _ => self.statement(inner),
                },
                BlockItem::Declaration(declaration) => self.declaration(declaration)?,
                BlockItem::StaticAssert(_) => {}
            }
        }
        self.unit.scopes.leave();
        Ok(result)
    }

    /// A declaration inside of a function.
    pub(super) fn declaration(&mut self, declaration: &'a Node<Declaration>) -> Low<()> {
        let (base, storage) = self.unit.declared(&declaration.node.specifiers)?;
        for declarator in &declaration.node.declarators {
            if self.variable_array(&base, &declarator.node.declarator)? {
                continue;
            }
            let (name, of) = self.unit.derived(base.clone(), &declarator.node.declarator)?;
            let Some(name) = name else { continue };
            let initializer = declarator.node.initializer.as_ref();
            let is_object = !storage.is_typedef && !matches!(of.kind, Kind::Function(_));
            if !is_object || storage.is_static || storage.is_extern {
                if storage.is_static && is_object {
                    self.static_local(name, of, storage, initializer, declarator)?;
                } else {
                    self.unit.declare_one(name, of, storage, initializer, declarator.span)?;
                }
                continue;
            }
            let of = self.unit.completed(of, initializer)?;
            let owned = self.own(&name, of, initializer.is_some(), declarator.span)?;
            self.unit.scopes.declare(&name, Meaning::Local(owned));
            self.initialize(owned, initializer, declarator.span)?;
        }
        Ok(())
    }

    /// An array of one dimension whose length is known only when the program runs: it has as many elements as an allocation of such a
    /// size, and its type none, so that nobody takes them for its size. `false`: it is no such declaration.
    fn variable_array(&mut self, base: &Type, declarator: &'a Node<Declarator>) -> Low<bool> {
        let DeclaratorKind::Identifier(name) = &declarator.node.kind.node else { return Ok(false) };
        let Some((last, pointers)) = declarator.node.derived.split_last() else { return Ok(false) };
        let DerivedDeclarator::Array(array) = &last.node else { return Ok(false) };
        let ArraySize::VariableExpression(length) = &array.node.size else { return Ok(false) };
        if !pointers.iter().all(|part| matches!(part.node, DerivedDeclarator::Pointer(_)))
            || self.unit.constant(length).is_ok()
        {
            return Ok(false);
        }
        let element = pointers.iter().fold(base.clone(), |of, _| of.pointer());
        let span = declarator.span;
        let count = self.rvalue(length)?;
        let count = super::value::Value { term: self.kept(count.term), ..count };
        let most = self.at_most(count, span)?;
        let of = |length| Type::plain(Kind::Array(std::sync::Arc::new(element.clone()), length));
        let object = self.private_object(&name.node.name, &of(Some(most)), false, span)?;
        self.owned.push(super::Owned { of: of(None), home: Home::Object(object) });
        let owned = self.owned.len() - 1;
        self.unit.scopes.declare(&name.node.name, Meaning::Local(owned));
        Ok(true)
    }

    /// One object for all calls and threads.
    fn static_local(
        &mut self,
        name: String,
        of: Type,
        storage: crate::declare::Storage,
        initializer: Option<&'a Node<Initializer>>,
        declarator: &'a Node<InitDeclarator>,
    ) -> Low<()> {
        let span = self.unit.places.span(declarator.span);
        let known = self.unit.globals.iter().position(|global| global.span == span && global.name == name);
        match known {
            Some(number) => self.unit.scopes.declare(&name, Meaning::Global(number)),
            None => {
                self.unit.global(name.clone(), of, storage, initializer, declarator.span)?;
                // Names of other scopes may be equal: such a one is never taken for a constant, and has its value while what its
                // initializer speaks of is in sight.
                if let Some(Meaning::Global(number)) = self.unit.scopes.find(&name).cloned() {
                    self.unit.globals[number].constant = Some(None);
                    if !storage.is_thread_local {
                        self.unit.local_object(number, declarator.span)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A local variable: registers, or memory if its address may be kept or it is an array.
    /// What gets a value at once needs no choice of one.
    pub(super) fn own(&mut self, name: &str, of: Type, given: bool, span: lang_c::span::Span) -> Low<usize> {
        let function = self.frames.last().and_then(|frame| frame.function);
        let key = function.map(|function| &self.unit.functions[function].key);
        let addressed = key.is_none_or(|function| self.unit.look.is_addressed(function, name));
        let function = function.map(|function| self.unit.functions[function].name.clone());
        let leaves = match self.unit.types.leaves(&of) {
            Ok(leaves) => leaves,
            Err(what) => return refuse(what, span),
        };
        let in_registers = !addressed && leaves.iter().all(|leaf| leaf.dimensions.is_empty());
        let home = if in_registers {
            let mut set = Vec::new();
            for leaf in leaves {
                let local = self.register(format!("{name}{}", leaf.path), leaf.of.sort(), false);
                set.push((leaf.offset, local, leaf.of));
            }
            self.registers.push(set);
            Home::Registers(self.registers.len() - 1)
        } else {
            let title = match &function {
                Some(function) => format!("{function}.{name}"),
                None => name.to_owned(),
            };
            Home::Object(self.private_object(&title, &of, given, span)?)
        };
        self.owned.push(Owned { of, home });
        Ok(self.owned.len() - 1)
    }

    /// Inline assembly: fences, or nothing that wattle could follow.
    fn assembly(&mut self, asm: &AsmStatement, span: lang_c::span::Span) -> Low<()> {
        let (template, outputs) = match asm {
            AsmStatement::GnuBasic(template) => (template, 0),
            AsmStatement::GnuExtended(extended) => (&extended.template, extended.outputs.len()),
        };
        let text: String = template.node.iter().map(|part| part.trim_matches('"')).collect();
        let text = text.replace("lock;", "lock ");
        let lines =
            text.split(['\n', ';']).flat_map(|line| line.split("\\n")).flat_map(|line| line.split("\\t"));
        let lines: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
        // A barrier for the compiler that names operands does nothing to them; an instruction might.
        if outputs > 0 && !lines.is_empty() {
            return refuse(format!("assembly with results: `{}`", lines.join("; ")), span);
        }
        for line in lines {
            match super::atomics::assembly_fence(line) {
                Some(Some(fence)) => {
                    self.write_back();
                    self.graph.fence(fence);
                }
                Some(None) => {}
                None => return refuse(format!("the assembly `{line}`"), span),
            }
        }
        Ok(())
    }

    pub(super) fn assert(&mut self, condition: Term, span: lang_c::span::Span) {
        let span = self.unit.places.span(span);
        self.graph.op(Op::Assert { condition, span });
    }
}

fn variable(expression: &Node<Expression>) -> Option<String> {
    match &expression.node {
        Expression::Identifier(name) => Some(name.node.name.clone()),
        _ => None,
    }
}

fn constant_truth(expression: &Node<Expression>) -> Option<bool> {
    match &expression.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) => Some(!integer.number.trim_start_matches('0').is_empty()),
            _ => None,
        },
        _ => None,
    }
}

/// Does a statement assign to this variable?
fn assigns(statement: &Node<Statement>, name: &str) -> bool {
    let mut facts = crate::look::Facts::default();
    lang_c::visit::Visit::visit_statement(&mut facts, &statement.node, &statement.span);
    facts.changes(name)
}
