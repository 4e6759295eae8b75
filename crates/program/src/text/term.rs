//! Reading parts of a line: names, sorts, spans, terms.

use std::collections::BTreeSet;
use std::sync::Arc;

use wattle_logic::{Binary, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_source::{Code, Diagnostic, FileId, Span};

use super::codes;
use super::lex::{Kind, Token};
use super::print::{OPERATORS, TIGHT, content_sort, operator};
use crate::{Name, Process, ProcessId, Program};

const DEEPEST: usize = 300;
const LONGEST: usize = 5000;

pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

/// A parser over the tokens of one line.
pub(crate) struct Line<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    /// Names, sorts and labels of everything, with nothing else in it yet.
    pub outline: &'a Program,
    /// Whose locals terms speak of.
    pub process: Option<&'a Process>,
    depth: usize,
    length: usize,
}

impl<'a> Line<'a> {
    pub(crate) fn new(tokens: &'a [Token], outline: &'a Program, process: Option<&'a Process>) -> Line<'a> {
        Line { tokens, at: 0, outline, process, depth: 0, length: 0 }
    }

    pub(crate) fn peek(&self) -> &'a Token {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> &'a Token {
        &self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    pub(crate) fn next(&mut self) -> &'a Token {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(crate) fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Read<()> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    pub(crate) fn unexpected<T>(&self, expected: &str) -> Read<T> {
        let found = self.peek();
        let message = format!("expected {expected}, found {}", found.describe());
        let problem = Diagnostic::error(codes::SYNTAX, found.span, message);
        Err(Box::new(problem.expecting(format!("expected {expected}"))))
    }

    pub(crate) fn error<T>(&self, code: Code, span: Span, message: impl Into<String>) -> Read<T> {
        Err(Box::new(Diagnostic::error(code, span, message)))
    }

    pub(crate) fn end(&self) -> Read<()> {
        if self.peek().kind == Kind::End { Ok(()) } else { self.unexpected("the end of the line") }
    }

    /// A name that is being given.
    pub(crate) fn name(&mut self) -> Read<Name> {
        let token = self.peek();
        match token.kind {
            Kind::Quoted => {}
            Kind::Word if !super::needs_quotes(&token.text) => {}
            _ => return self.unexpected("a name"),
        }
        self.next();
        Ok(token.text.as_str().into())
    }

    pub(crate) fn is_name(&self) -> bool {
        let token = self.peek();
        token.kind == Kind::Quoted || token.kind == Kind::Word && !super::needs_quotes(&token.text)
    }

    /// `#3`, or the number of the one thing with this name.
    fn reference<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n Name>) -> Read<u32> {
        if self.accept("#") {
            return self.number();
        }
        if !self.is_name() {
            return self.unexpected(&format!("the name of {what}"));
        }
        let token = self.next();
        let mut found =
            names.enumerate().filter(|(_, name)| ***name == *token.text).map(|(number, _)| number);
        match (found.next(), found.next()) {
            (Some(number), None) => Ok(number as u32),
            (None, _) => self.error(
                codes::UNKNOWN_NAME,
                token.span,
                format!("there is no {} `{}`", bare(what), token.text),
            ),
            (Some(_), Some(_)) => {
                let message = format!(
                    "more than one {} is called `{}`; write `#` and its number",
                    bare(what),
                    token.text
                );
                self.error(codes::UNKNOWN_NAME, token.span, message)
            }
        }
    }

    pub(crate) fn local(&mut self) -> Read<u32> {
        let locals = self.process.map_or(&[][..], |process| &process.locals[..]);
        self.reference("a local", locals.iter().map(|local| &local.name))
    }

    pub(crate) fn process_reference(&mut self) -> Read<ProcessId> {
        let processes = &self.outline.processes;
        Ok(ProcessId(self.reference("a process", processes.iter().map(|process| &process.name))?))
    }

    /// `p[copy]`
    pub(crate) fn copy(&mut self) -> Read<(ProcessId, Term)> {
        if let Some(process) = self.instance() {
            return Ok((process, Term::int(0)));
        }
        let process = self.process_reference()?;
        self.expect("[")?;
        let copy = self.term()?;
        self.expect("]")?;
        Ok((process, copy))
    }

    /// `p[1]`, where that is the name of a process and `p` is not.
    fn instance(&mut self) -> Option<ProcessId> {
        let [base, open, number, close] = [0, 1, 2, 3].map(|by| self.ahead(by));
        if base.kind != Kind::Word || !open.is("[") || number.kind != Kind::Number || !close.is("]") {
            return None;
        }
        let name = format!("{}[{}]", base.text, number.text);
        let called = |name: &str| {
            let processes = self.outline.processes.iter().enumerate();
            let found = processes.filter(|(_, process)| *process.name == *name);
            found.map(|(number, _)| ProcessId(number as u32)).collect::<Vec<_>>()
        };
        let ([], [process]) = (&called(&base.text)[..], &called(&name)[..]) else { return None };
        let process = *process;
        self.at += 4;
        Some(process)
    }

    pub(crate) fn number<T: std::str::FromStr>(&mut self) -> Read<T> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.unexpected("a number");
        }
        self.next();
        match token.text.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(codes::NUMBER, token.span, "this number is too large or none"),
        }
    }

    /// A number that may be negative.
    pub(crate) fn integer(&mut self) -> Read<i64> {
        let sign = self.peek();
        if !sign.is("-") {
            return self.number();
        }
        self.next();
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.unexpected("a number");
        }
        self.next();
        match format!("-{}", token.text).parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(codes::NUMBER, token.span, "this number is too large or none"),
        }
    }

    /// `@12..34` or `@2:12..34`, if there is one.
    pub(crate) fn span(&mut self) -> Read<Span> {
        if !self.accept("@") {
            return Ok(Span::NOWHERE);
        }
        let mut file = 0;
        let mut start: u32 = self.number()?;
        if self.accept(":") {
            file = start;
            start = self.number()?;
        }
        self.expect("..")?;
        let end: u32 = self.number()?;
        Ok(Span { file: FileId(file), start, end })
    }

    pub(crate) fn sort(&mut self) -> Read<Sort> {
        let token = self.peek();
        if token.kind == Kind::Word {
            let known = match token.text.as_str() {
                "bool" => Some(Sort::Bool),
                "int" => Some(Sort::Int),
                "address" => Some(Sort::Address),
                "process" => Some(Sort::Process),
                "intset" => Some(Sort::IntSet),
                text => text
                    .strip_prefix(['u', 'i'])
                    .and_then(|width| width.parse().ok())
                    .map(|width| Sort::Bits { width, signed: text.starts_with('i') }),
            };
            if let Some(sort) = known {
                self.next();
                return Ok(sort);
            }
        }
        if self.accept("enum") {
            self.expect("(")?;
            let number = self.number()?;
            self.expect(")")?;
            return Ok(Sort::Enum(number));
        }
        let names = self.outline.enumerations.iter().map(|enumeration| &enumeration.name);
        Ok(Sort::Enum(self.reference("a sort", names)?))
    }

    // Terms.

    pub(crate) fn term(&mut self) -> Read<Term> {
        self.deeper(|line| line.binary(0))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            return self.error(
                codes::NESTING,
                self.peek().span,
                format!("more than {DEEPEST} levels of nesting"),
            );
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Operators that bind at least this tightly.
    fn binary(&mut self, least: u8) -> Read<Term> {
        let mut left = self.deeper(Self::unary)?;
        while let Some(found) = self.operator() {
            let (binds, _) = operator(found);
            if binds < least {
                break;
            }
            self.length += 1;
            if self.length > LONGEST {
                let message = format!("more than {LONGEST} operators in one line");
                return self.error(codes::NESTING, self.peek().span, message);
            }
            self.next();
            let right = self.deeper(|line| line.binary(binds + 1))?;
            left = Term::binary(found, left, right);
        }
        Ok(left)
    }

    fn operator(&self) -> Option<Binary> {
        let token = self.peek();
        OPERATORS.into_iter().find(|found| token.is(operator(*found).1))
    }

    fn unary(&mut self) -> Read<Term> {
        let token = self.peek();
        let next = self.ahead(1);
        let literal = token.is("-") && next.kind == Kind::Number && next.span.start == token.span.end;
        let found = match token.text.as_str() {
            _ if token.kind != Kind::Symbol || literal => None,
            "!" => Some(Unary::Not),
            "-" => Some(Unary::Negate),
            "~" => Some(Unary::Complement),
            _ => None,
        };
        match found {
            Some(found) => {
                self.next();
                Ok(Term::unary(found, self.deeper(Self::unary)?))
            }
            None => self.primary(),
        }
    }

    fn primary(&mut self) -> Read<Term> {
        let token = self.peek();
        match token.kind {
            Kind::Number => self.literal(),
            Kind::Symbol => match token.text.as_str() {
                "-" => self.literal(),
                "(" => self.brackets(),
                "&" => self.address(),
                "{" => self.set(),
                "?" => {
                    self.next();
                    let symbol = Symbol::Bound(self.number()?);
                    let sort = self.annotation(Sort::Int)?;
                    Ok(Term::symbol(symbol, sort))
                }
                "#" => self.named(),
                _ => self.unexpected("a term"),
            },
            Kind::Quoted => self.named(),
            Kind::Word => match self.word()? {
                Some(term) => Ok(term),
                None => self.named(),
            },
            Kind::End => self.unexpected("a term"),
        }
    }

    fn literal(&mut self) -> Read<Term> {
        let value = Value::Int(self.integer()?);
        let sort = self.annotation(Sort::Int)?;
        Ok(Term::value(value, sort))
    }

    /// `:sort`, or the usual one.
    fn annotation(&mut self, usual: Sort) -> Read<Sort> {
        if self.accept(":") { self.sort() } else { Ok(usual) }
    }

    fn brackets(&mut self) -> Read<Term> {
        self.expect("(")?;
        let term = if self.accept("if") {
            let condition = self.term()?;
            self.expect("then")?;
            let then = self.term()?;
            self.expect("else")?;
            Term::if_then_else(condition, then, self.term()?)
        } else if self.peek().is("forall") || self.peek().is("exists") {
            let quantifier =
                if self.next().text == "forall" { Quantifier::Forall } else { Quantifier::Exists };
            self.expect("?")?;
            let bound = self.number()?;
            self.expect("in")?;
            let process = self.process_reference()?;
            self.expect(":")?;
            Term::quantified(quantifier, bound, process.0, self.term()?)
        } else {
            self.term()?
        };
        self.expect(")")?;
        Ok(term)
    }

    fn address(&mut self) -> Read<Term> {
        self.expect("&")?;
        let names = self.outline.variables.iter().map(|variable| &variable.name);
        let variable = self.reference("a variable", names)?;
        let mut indices = Vec::new();
        while self.accept("[") {
            indices.push(self.term()?);
            self.expect("]")?;
        }
        Ok(Term::address(variable, indices))
    }

    fn set(&mut self) -> Read<Term> {
        self.expect("{")?;
        let mut set = BTreeSet::new();
        if !self.accept("}") {
            loop {
                set.insert(self.integer()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("}")?;
        }
        let sort = self.annotation(Sort::IntSet)?;
        Ok(Term::value(Value::Set(Arc::new(set)), sort))
    }

    /// A term that begins with a reserved word.
    fn word(&mut self) -> Read<Option<Term>> {
        let token = self.peek();
        let known = [
            "true", "false", "me", "copies", "local", "mem", "number", "pointer", "ended", "symbol",
            "location", "thread", "each", "seen",
        ];
        if !known.contains(&token.text.as_str()) {
            return Ok(None);
        }
        self.next();
        if token.text == "true" || token.text == "false" {
            let sort = self.annotation(Sort::Bool)?;
            return Ok(Some(Term::value(Value::Bool(token.text == "true"), sort)));
        }
        if token.text == "me" {
            let sort = self.annotation(Sort::Int)?;
            return Ok(Some(Term::symbol(Symbol::Me, sort)));
        }
        self.expect("(")?;
        Ok(Some(match token.text.as_str() {
            "copies" => {
                let process = self.process_reference()?;
                let sort = self.closed(Sort::Int)?;
                Term::symbol(Symbol::Copies(process.0), sort)
            }
            "local" => {
                let local = self.number()?;
                let sort = self.closed(Sort::Int)?;
                Term::symbol(Symbol::Local(local), sort)
            }
            "mem" => {
                let address = self.term()?;
                let sort = self.closed(content_sort(self.outline, &address))?;
                Term::content(address, sort)
            }
            "seen" => {
                let (process, copy) = self.copy()?;
                self.expect(",")?;
                let address = self.term()?;
                let sort = self.closed(content_sort(self.outline, &address))?;
                Term::seen(process.0, copy, address, sort)
            }
            "number" => {
                let address = self.term()?;
                self.expect(")")?;
                Term::number(address)
            }
            "pointer" => {
                let number = self.term()?;
                self.expect(")")?;
                Term::pointer(number)
            }
            "each" => {
                let set = self.term()?;
                self.expect(")")?;
                Term::element(set)
            }
            "ended" => {
                let (process, copy) = self.copy()?;
                self.expect(")")?;
                Term::ended(process.0, copy)
            }
            "symbol" => {
                let value = Value::Symbol(self.number()?);
                let sort = self.closed(Sort::Int)?;
                Term::value(value, sort)
            }
            "location" => {
                let value = Value::Address(self.number()?);
                let sort = self.closed(Sort::Address)?;
                Term::value(value, sort)
            }
            _ => {
                let value = Value::Process(self.number()?);
                let sort = self.closed(Sort::Process)?;
                Term::value(value, sort)
            }
        }))
    }

    fn closed(&mut self, usual: Sort) -> Read<Sort> {
        self.expect(")")?;
        self.annotation(usual)
    }

    /// A term that begins with a name: `p[0]@cs`, `p[0].r`, `colour.red` or a local.
    fn named(&mut self) -> Read<Term> {
        let length = if self.peek().is("#") { 2 } else { 1 };
        if self.ahead(length).is("[") {
            return self.of_process();
        }
        if self.ahead(length).is(".") {
            let names = self.outline.enumerations.iter().map(|enumeration| &enumeration.name);
            let number = self.reference("an enumeration", names)?;
            self.expect(".")?;
            let constructors = self
                .outline
                .enumerations
                .get(number as usize)
                .map_or(&[][..], |found| &found.constructors[..]);
            let constructor = self.reference("a constructor", constructors.iter())?;
            return Ok(Term::value(Value::Symbol(constructor), Sort::Enum(number)));
        }
        let local = self.local()?;
        let locals = self.process.map_or(&[][..], |process| &process.locals[..]);
        let usual = locals.get(local as usize).map_or(Sort::Int, |local| local.sort);
        let sort = self.annotation(usual)?;
        Ok(Term::local(local, sort))
    }

    fn of_process(&mut self) -> Read<Term> {
        let (process, copy) = self.copy()?;
        let found = self.outline.processes.get(process.0 as usize);
        if self.accept("@") {
            if self.accept("#") {
                return Ok(Term::at(process.0, copy, self.number()?));
            }
            let token = self.peek();
            let label = self.name()?;
            return match found.and_then(|process| process.cfg.labelled(&label)) {
                Some(point) => Ok(Term::at(process.0, copy, point.0)),
                None => self.error(codes::UNKNOWN_NAME, token.span, format!("there is no label `{label}`")),
            };
        }
        self.expect(".")?;
        let locals = found.map_or(&[][..], |process| &process.locals[..]);
        let local = self.reference("a local", locals.iter().map(|local| &local.name))?;
        let usual = locals.get(local as usize).map_or(Sort::Int, |local| local.sort);
        let sort = self.annotation(usual)?;
        Ok(Term::local_of(process.0, copy, local, sort))
    }
}

/// A description of what was expected, without its article.
fn bare(what: &str) -> &str {
    what.split_once(' ').map_or(what, |(_, bare)| bare)
}

// Operators bind less tightly than what stands between them.
const _: () = assert!(TIGHT > 10);
