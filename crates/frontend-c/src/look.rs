//! What can be seen of functions before they are translated: which names are assigned, and whose addresses go
//! where they could be kept.
//!
//! A local whose address stays within calls that only follow it needs no memory: its value is a register, and the
//! parameter that points to it is another name for it. The same look tells which globals never change, so that they are
//! constants. Everything goes by names; where two variables share one, both count as either.

use std::collections::{BTreeMap, HashSet};

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

/// Of one function.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub assigned: HashSet<String>,
    /// Its address is taken, and may be kept.
    addressed: HashSet<String>,
    /// Used as a value, not only followed.
    escapes: HashSet<String>,
    passed: Vec<Passed>,
    /// A `goto` leads to a label before it, so that what stands between may run again. (One that leads on makes no loop.)
    pub goes_back: bool,
    labels: HashSet<String>,
    parameters: Vec<Option<String>>,
    /// For each parameter: is it only followed?
    pub followed: Vec<bool>,
}

#[derive(Debug)]
struct Passed {
    name: String,
    is_address: bool,
    callee: String,
    position: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Look {
    pub functions: BTreeMap<String, Facts>,
    /// Assigned or addressed anywhere.
    changed: HashSet<String>,
    /// For each file, what is its own.
    private: Vec<HashSet<String>>,
}

impl Look {
    /// At all files of a program. A function goes by its [`Look::key`].
    pub(crate) fn at(units: &[TranslationUnit]) -> Look {
        let mut look = Look { private: units.iter().map(private).collect(), ..Look::default() };
        for (file, unit) in units.iter().enumerate() {
            for item in &unit.0 {
                if let ExternalDeclaration::FunctionDefinition(function) = &item.node {
                    let mut facts = Facts { parameters: parameters(&function.node), ..Facts::default() };
                    facts.visit_statement(&function.node.statement.node, &function.node.statement.span);
                    facts.followed = vec![true; facts.parameters.len()];
                    for passed in &mut facts.passed {
                        passed.callee = look.key(&passed.callee, file);
                    }
                    if let Some(name) = declared_name(&function.node.declarator) {
                        look.functions.insert(look.key(&name, file), facts);
                    }
                }
            }
        }
        look.settle();
        let mut outside = Facts::default();
        for item in units.iter().flat_map(|unit| &unit.0) {
            if let ExternalDeclaration::Declaration(declaration) = &item.node {
                // An address that another global begins with can be followed by everybody.
                outside.visit_declaration(&declaration.node, &declaration.span);
            }
        }
        for facts in look.functions.values().chain([&outside]) {
            let passed = facts.passed.iter().filter(|passed| passed.is_address).map(|passed| &passed.name);
            look.changed.extend(facts.assigned.iter().chain(&facts.addressed).chain(passed).cloned());
        }
        look
    }

    /// Is a name that of a function or variable of this file alone?
    pub(crate) fn is_private(&self, name: &str, file: usize) -> bool {
        self.private.get(file).is_some_and(|names| names.contains(name))
    }

    /// What tells a function from those of the same name in other files.
    pub(crate) fn key(&self, name: &str, file: usize) -> String {
        match self.private.len() > 1 && self.is_private(name, file) {
            true => format!("{name}@{file}"),
            false => name.to_owned(),
        }
    }

    /// A parameter is followed only if everybody that it is passed to follows it only.
    fn settle(&mut self) {
        loop {
            let mut losing = Vec::new();
            for (name, facts) in &self.functions {
                for (position, parameter) in facts.parameters.iter().enumerate() {
                    let Some(parameter) = parameter else { continue };
                    if !facts.followed[position] {
                        continue;
                    }
                    let kept = facts.assigned.contains(parameter)
                        || facts.addressed.contains(parameter)
                        || facts.escapes.contains(parameter)
                        || (facts.passed.iter()).any(|passed| {
                            &passed.name == parameter && (passed.is_address || !self.follows(passed))
                        });
                    if kept {
                        losing.push((name.clone(), position));
                    }
                }
            }
            if losing.is_empty() {
                return;
            }
            for (name, position) in losing {
                if let Some(facts) = self.functions.get_mut(&name) {
                    facts.followed[position] = false;
                }
            }
        }
    }

    fn follows(&self, passed: &Passed) -> bool {
        match self.functions.get(&passed.callee) {
            Some(facts) => facts.followed.get(passed.position).copied().unwrap_or(false),
            None => follows_pointers(&passed.callee, passed.position),
        }
    }

    /// May the address of this local of a function be kept somewhere?
    pub(crate) fn is_addressed(&self, function: &str, local: &str) -> bool {
        let Some(facts) = self.functions.get(function) else { return true };
        facts.addressed.contains(local)
            || (facts.passed.iter())
                .any(|passed| passed.is_address && passed.name == local && !self.follows(passed))
    }

    /// Does no function assign to a global of this name, or take its address?
    pub(crate) fn never_changes(&self, global: &str) -> bool {
        !self.changed.contains(global)
    }

    pub(crate) fn is_followed(&self, function: &str, position: usize) -> bool {
        let facts = self.functions.get(function);
        facts.and_then(|facts| facts.followed.get(position)).copied().unwrap_or(false)
    }
}

/// The functions of a file that are its own: declared `static` somewhere in it, or inline, which have a definition in each
/// file that calls them.
fn private(unit: &TranslationUnit) -> HashSet<String> {
    let mut names = HashSet::new();
    for item in &unit.0 {
        match &item.node {
            ExternalDeclaration::FunctionDefinition(function) => {
                let (is_static, is_extern, is_inline) = said(&function.node.specifiers);
                if is_static || is_inline && !is_extern {
                    names.extend(declared_name(&function.node.declarator));
                }
            }
            ExternalDeclaration::Declaration(declaration) if said(&declaration.node.specifiers).0 => {
                let declarators = declaration.node.declarators.iter();
                names.extend(declarators.filter_map(|one| declared_name(&one.node.declarator)));
            }
            _ => {}
        }
    }
    names
}

/// Is it `static`, `extern`, `inline`?
fn said(specifiers: &[Node<DeclarationSpecifier>]) -> (bool, bool, bool) {
    let (mut is_static, mut is_extern, mut is_inline) = (false, false, false);
    for specifier in specifiers {
        match &specifier.node {
            DeclarationSpecifier::StorageClass(class) => {
                is_static |= class.node == StorageClassSpecifier::Static;
                is_extern |= class.node == StorageClassSpecifier::Extern;
            }
            DeclarationSpecifier::Function(function) => {
                is_inline |= function.node == FunctionSpecifier::Inline
            }
            _ => {}
        }
    }
    (is_static, is_extern, is_inline)
}

pub(crate) fn declared_name(declarator: &Node<Declarator>) -> Option<String> {
    match &declarator.node.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(name.node.name.clone()),
        DeclaratorKind::Declarator(inner) => declared_name(inner),
    }
}

/// The declarator of the function itself: `int (*f(void))(int)` is nested.
pub(crate) fn function_declarator(declarator: &Node<Declarator>) -> Option<&Node<FunctionDeclarator>> {
    let inner = match &declarator.node.kind.node {
        DeclaratorKind::Declarator(inner) => function_declarator(inner),
        _ => None,
    };
    inner.or_else(|| {
        declarator.node.derived.iter().find_map(|part| match &part.node {
            DerivedDeclarator::Function(function) => Some(function),
            _ => None,
        })
    })
}

fn parameters(function: &FunctionDefinition) -> Vec<Option<String>> {
    let Some(declarator) = function_declarator(&function.declarator) else { return vec![] };
    (declarator.node.parameters.iter())
        .map(|parameter| parameter.node.declarator.as_ref().and_then(declared_name))
        .collect()
}

/// The variable that a path (`x`, `x.f`, `x.f[2]`) begins with.
fn root(expression: &Node<Expression>) -> Option<&str> {
    match &expression.node {
        Expression::Identifier(name) => Some(&name.node.name),
        Expression::Member(member) if member.node.operator.node == MemberOperator::Direct => {
            root(&member.node.expression)
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            root(&binary.node.lhs)
        }
        _ => None,
    }
}

/// The pointer that a path (`p->f`, `(*p).f[2]`) begins with.
fn followed_root(expression: &Node<Expression>) -> Option<&str> {
    let name = |expression: &'_ Node<Expression>| matches!(expression.node, Expression::Identifier(_));
    match &expression.node {
        Expression::Member(member) => match member.node.operator.node {
            MemberOperator::Indirect if name(&member.node.expression) => root(&member.node.expression),
            _ => followed_root(&member.node.expression),
        },
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
            root(&unary.node.operand)
        }
        Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
            followed_root(&binary.node.lhs)
        }
        _ => None,
    }
}

/// Calls of libraries that follow the pointers they get and keep none, where the program has no such function of its own.
fn follows_pointers(callee: &str, position: usize) -> bool {
    match callee {
        "pthread_create" => position == 0,
        "pthread_join" | "thrd_join" => position == 1,
        _ => {
            callee.starts_with("atomic_") || callee.starts_with("__atomic_") || callee.starts_with("__sync_")
        }
    }
}

impl<'a> Visit<'a> for Facts {
    fn visit_expression(&mut self, expression: &'a Expression, span: &'a Span) {
        match expression {
            Expression::Identifier(name) => {
                self.escapes.insert(name.node.name.clone());
            }
            Expression::UnaryOperator(unary) => self.unary(&unary.node),
            Expression::Member(member) => {
                let is_name = matches!(member.node.expression.node, Expression::Identifier(_));
                if !is_name {
                    self.visit_expression(&member.node.expression.node, span);
                }
            }
            Expression::BinaryOperator(binary) => self.binary(&binary.node),
            Expression::Call(call) => self.call(&call.node),
            // Nothing is evaluated.
            Expression::SizeOfVal(_) | Expression::SizeOfTy(_) | Expression::AlignOf(_) => {}
            _ => visit::visit_expression(self, expression, span),
        }
    }

    fn visit_statement(&mut self, statement: &'a Statement, span: &'a Span) {
        match statement {
            Statement::Labeled(labeled) => {
                if let Label::Identifier(label) = &labeled.node.label.node {
                    self.labels.insert(label.node.name.clone());
                }
            }
            Statement::Goto(label) => self.goes_back |= self.labels.contains(&label.node.name),
            _ => {}
        }
        visit::visit_statement(self, statement, span);
    }
}

impl Facts {
    fn unary(&mut self, unary: &UnaryOperatorExpression) {
        let operand = &unary.operand;
        match unary.operator.node {
            UnaryOperator::Address => match root(operand) {
                Some(name) => {
                    self.addressed.insert(name.to_owned());
                    self.indices(operand);
                }
                None => {
                    // `&p->f` is as good as `p`.
                    if let Some(pointer) = followed_root(operand) {
                        self.escapes.insert(pointer.to_owned());
                    }
                    self.visit_expression(&operand.node, &operand.span);
                }
            },
            UnaryOperator::Indirection => {
                if !matches!(operand.node, Expression::Identifier(_)) {
                    self.visit_expression(&operand.node, &operand.span);
                }
            }
            UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement => self.target(operand),
            _ => self.visit_expression(&operand.node, &operand.span),
        }
    }

    /// What is assigned to.
    fn target(&mut self, expression: &Node<Expression>) {
        match &expression.node {
            Expression::Identifier(name) => {
                self.assigned.insert(name.node.name.clone());
            }
            _ => {
                if let Some(name) = root(expression) {
                    self.assigned.insert(name.to_owned());
                }
                self.visit_expression(&expression.node, &expression.span);
            }
        }
    }

    /// The indices along a path.
    fn indices(&mut self, expression: &Node<Expression>) {
        match &expression.node {
            Expression::Member(member) => self.indices(&member.node.expression),
            Expression::BinaryOperator(binary) => {
                self.indices(&binary.node.lhs);
                self.visit_expression(&binary.node.rhs.node, &binary.node.rhs.span);
            }
            _ => {}
        }
    }

    fn binary(&mut self, binary: &BinaryOperatorExpression) {
        use BinaryOperator::*;
        match binary.operator.node {
            Assign | AssignMultiply | AssignDivide | AssignModulo | AssignPlus | AssignMinus
            | AssignShiftLeft | AssignShiftRight | AssignBitwiseAnd | AssignBitwiseXor | AssignBitwiseOr => {
                self.target(&binary.lhs)
            }
            _ => self.visit_expression(&binary.lhs.node, &binary.lhs.span),
        }
        self.visit_expression(&binary.rhs.node, &binary.rhs.span);
    }

    fn call(&mut self, call: &CallExpression) {
        let callee = match &call.callee.node {
            Expression::Identifier(name) => Some(name.node.name.as_str()),
            _ => {
                self.visit_expression(&call.callee.node, &call.callee.span);
                None
            }
        };
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(callee) = callee else {
                self.visit_expression(&argument.node, &argument.span);
                continue;
            };
            let known = follows_pointers(callee, position);
            let passed = |name: &str, is_address| Passed {
                name: name.to_owned(),
                is_address,
                callee: callee.to_owned(),
                position,
            };
            match &argument.node {
                Expression::Identifier(name) => self.passed.push(passed(&name.node.name, false)),
                Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                    match root(&unary.node.operand) {
                        Some(name) => {
                            // What a call follows, it may change.
                            if known {
                                self.assigned.insert(name.to_owned());
                            }
                            self.passed.push(passed(name, true));
                            self.indices(&unary.node.operand);
                        }
                        None => self.visit_expression(&argument.node, &argument.span),
                    }
                }
                _ => self.visit_expression(&argument.node, &argument.span),
            }
        }
    }
}

impl Facts {
    /// May a variable of this name get another value here?
    pub(crate) fn changes(&self, name: &str) -> bool {
        self.assigned.contains(name)
            || self.addressed.contains(name)
            || self.passed.iter().any(|passed| passed.is_address && passed.name == name)
    }
}

impl Facts {
    /// Is the address of a global of this name taken here?
    pub(crate) fn keeps_address(&self, name: &str) -> bool {
        self.addressed.contains(name)
            || self.passed.iter().any(|passed| passed.is_address && passed.name == name)
    }
}
