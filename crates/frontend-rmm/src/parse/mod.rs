//! Tokens to syntax tree.
//!
//! Recursive descent. An error in a statement or declaration is noted, the tokens up to the next
//! place where one can begin are skipped, and reading goes on, so that one run finds all errors.

use wattle_program::{Name, Range};
use wattle_source::{Code, Diagnostic, FileId, Severity, Span, did_you_mean};

mod expressions;
mod statements;

use super::ast::{Condition, Declaration, File, Holes, Process, Row};
use super::lexer::{Kind, RESERVED, Token, lex};
use super::macros::expand;
use crate::codes;

/// Structures in structures, and brackets in brackets.
const DEEPEST: usize = 150;
/// Operators in one expression: terms are walked recursively.
const LONGEST: usize = 1000;
/// Copies of one process.
const MOST_COPIES: i64 = 1000;

/// The tree of a text, with errors and warnings. The tree is whole only if there is no error.
pub(crate) fn parse(text: &str, file: FileId) -> (File, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let tokens = lex(text, file, &mut problems);
    let tokens = expand(&tokens, &mut problems);
    // Tokens that are missing may be any part of the text.
    let broken = problems.iter().any(|problem| problem.severity == Severity::Error);
    let holes = Holes { declarations: broken, statements: broken };
    let mut parser = Parser { tokens, at: 0, depth: 0, length: 0, memory: false, problems, holes };
    let mut file = parser.file();
    file.holes = parser.holes;
    (file, parser.problems)
}

/// An error was noted; the caller skips to a place where reading can go on.
struct Bad;

type Read<T> = Result<T, Bad>;

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    depth: usize,
    /// Operators so far in this expression.
    length: usize,
    /// Whether expressions may name memory, as only those of predicates may.
    memory: bool,
    problems: Vec<Diagnostic>,
    holes: Holes,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.ahead(0)
    }

    fn ahead(&self, by: usize) -> Token<'a> {
        self.tokens[(self.at + by).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn accept(&mut self, text: &str) -> Option<Token<'a>> {
        self.peek().is(text).then(|| self.next())
    }

    fn expect(&mut self, text: &str) -> Read<Token<'a>> {
        match self.accept(text) {
            Some(token) => Ok(token),
            None => self.unexpected(&format!("`{text}`")),
        }
    }

    fn unexpected<T>(&mut self, expected: &str) -> Read<T> {
        let found = self.peek();
        let message = format!("expected {expected}, found {}", found.describe());
        let mut problem =
            Diagnostic::error(codes::SYNTAX, found.blame, message).expecting(format!("expected {expected}"));
        if found.kind == Kind::Name {
            problem.help =
                did_you_mean(found.text, RESERVED.iter().copied().filter(|word| expected.contains(word)));
        }
        self.problems.push(problem);
        Err(Bad)
    }

    fn error<T>(&mut self, code: Code, span: Span, message: impl Into<String>) -> Read<T> {
        self.problems.push(Diagnostic::error(code, span, message));
        Err(Bad)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            let here = self.peek().blame;
            return self.error(codes::NESTING, here, format!("more than {DEEPEST} levels of nesting"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn skip_to(&mut self, stop: impl Fn(&Self) -> bool) {
        while self.peek().kind != Kind::End && !stop(self) {
            self.next();
        }
    }

    fn at_section(&self) -> bool {
        let token = self.peek();
        token.kind == Kind::End
            || token.kind == Kind::Word
                && matches!(
                    token.text,
                    "process" | "data" | "registers" | "text" | "predicates" | "forbidden"
                )
    }

    // The file.

    fn file(&mut self) -> File {
        let mut file = File::default();
        if self.accept("forbidden").is_some() {
            file.forbidden = self.forbidden();
        } else {
            let _: Read<()> = self.unexpected("`forbidden`");
            self.holes.declarations = true;
            self.skip_to(Self::at_section);
        }
        if self.accept("predicates").is_some() {
            file.predicates = self.predicates();
        }
        if self.accept("data").is_some() {
            file.data = self.declarations(Kind::Name);
        }
        loop {
            match self.peek() {
                token if token.is("process") => file.processes.extend(self.process()),
                token if token.kind == Kind::End => break,
                _ => {
                    let _: Read<()> = self.unexpected("`process`");
                    self.holes = Holes { declarations: true, statements: true };
                    self.next();
                    self.skip_to(|parser| parser.peek().is("process"));
                }
            }
        }
        if file.processes.is_empty() && self.problems.is_empty() {
            self.holes = Holes { declarations: true, statements: true };
            let _: Read<()> = self.unexpected("`process`");
        }
        file
    }

    fn forbidden(&mut self) -> Vec<Row> {
        let mut rows = Vec::new();
        loop {
            let mut places: Vec<(Option<Name>, Span)> = Vec::new();
            let first = self.peek().span;
            let mut last = first;
            loop {
                let token = self.peek();
                if token.kind == Kind::Name {
                    places.push((Some(token.text.into()), token.blame));
                } else if token.is("*") {
                    places.push((None, token.blame));
                } else {
                    break;
                }
                last = token.span;
                self.next();
            }
            if places.is_empty() {
                let _: Read<()> = self.unexpected("a label or `*`");
                self.skip_to(|parser| parser.at_section() || parser.peek().is(";"));
            } else {
                rows.push(Row { places, span: cover(first, last) });
            }
            if self.accept(";").is_none() {
                return rows;
            }
        }
    }

    fn predicates(&mut self) -> Vec<(Condition, Span)> {
        let mut predicates = Vec::new();
        self.memory = true;
        loop {
            let first = self.peek().span;
            match self.whole_condition() {
                Ok(condition) => predicates.push((condition, cover(first, self.previous()))),
                Err(Bad) => self.skip_to(|parser| parser.at_section() || parser.peek().is(";")),
            }
            if self.accept(";").is_none() {
                break;
            }
        }
        self.memory = false;
        predicates
    }

    /// The span of the token read last.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// A list of declarations; names of this kind begin one.
    fn declarations(&mut self, kind: Kind) -> Vec<Declaration> {
        let what = if kind == Kind::Name { "a variable" } else { "a register such as `$r`" };
        let mut list = Vec::new();
        loop {
            if let Ok(declaration) = self.declaration(kind, what) {
                list.push(declaration);
            } else {
                self.holes.declarations = true;
                self.skip_to(|parser| {
                    parser.at_section() || parser.peek().kind == kind && parser.ahead(1).is("=")
                });
            }
            self.accept(",");
            if self.at_section() {
                return list;
            }
        }
    }

    fn declaration(&mut self, kind: Kind, what: &str) -> Read<Declaration> {
        let name = self.peek();
        if name.kind != kind {
            return self.unexpected(what);
        }
        self.next();
        self.expect("=")?;
        let initial = if self.accept("*").is_some() { None } else { Some(self.integer("a number or `*`")?) };
        let mut range = None;
        if self.accept(":").is_some() {
            let here = self.peek();
            if self.accept("[").is_some() {
                let low = self.integer("a number")?;
                self.expect(":")?;
                let high = self.integer("a number")?;
                let close = self.expect("]")?;
                if high < low {
                    let span = cover(here.blame, close.blame);
                    return self.error(codes::DOMAIN, span, format!("no number is from {low} to {high}"));
                }
                range = Some(Range { low, high });
            } else if here.kind == Kind::Name && here.text == "Z" {
                self.next();
            } else {
                return self.unexpected("a domain: `[low:high]` or `Z`");
            }
        }
        if let (Some(initial), Some(range)) = (initial, range)
            && !range.contains(initial)
        {
            let message = format!("the initial value {initial} is not from {} to {}", range.low, range.high);
            self.problems.push(Diagnostic::error(codes::INITIAL, name.blame, message));
        }
        Ok(Declaration { name: name.text.into(), initial, range, span: cover(name.span, self.previous()) })
    }

    fn integer(&mut self, what: &str) -> Read<i64> {
        let negative = self.accept("-").is_some();
        let number = self.number(what)?;
        Ok(if negative { -number } else { number })
    }

    fn number(&mut self, what: &str) -> Read<i64> {
        let token = self.peek();
        if token.kind != Kind::Number {
            return self.unexpected(what);
        }
        self.next();
        match token.text.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.error(codes::NUMBER, token.blame, "this number does not fit into 64 bits"),
        }
    }

    fn process(&mut self) -> Option<Process> {
        let word = self.next();
        let mut process =
            Process { copies: 1, data: vec![], registers: vec![], body: vec![], span: word.span };
        if self.accept("(").is_some() {
            match self.copies() {
                Ok(copies) => process.copies = copies,
                Err(Bad) => {
                    self.holes.declarations = true;
                    self.skip_to(Self::at_section);
                }
            }
        }
        loop {
            let token = self.peek();
            let (list, kind) = match token.text {
                "data" if token.kind == Kind::Word => (&mut process.data, Kind::Name),
                "registers" if token.kind == Kind::Word => (&mut process.registers, Kind::Register),
                _ => break,
            };
            self.next();
            if !list.is_empty() {
                let message = format!("a second `{}` of one process", token.text);
                self.problems.push(Diagnostic::error(codes::DUPLICATE, token.blame, message));
            }
            list.extend(self.declarations(kind));
        }
        if self.expect("text").is_err() {
            self.holes = Holes { declarations: true, statements: true };
            self.skip_to(|parser| parser.peek().is("process") || parser.peek().is("text"));
            self.accept("text")?;
        }
        process.body = self.list();
        while !self.peek().is("process") && self.peek().kind != Kind::End {
            let found = self.peek();
            let expected = if found.is("}") || found.is("or") { "`process` or the end" } else { "`;`" };
            let _: Read<()> = self.unexpected(expected);
            self.holes.statements = true;
            self.recover();
            if self.peek().is("}") || self.peek().is("or") || self.at_section() {
                if self.peek().is("process") {
                    break;
                }
                self.next();
            }
            self.accept(";");
            if self.peek().kind != Kind::End && !self.at_section() {
                let more = self.list();
                process.body.extend(more);
            }
        }
        Some(process)
    }

    fn copies(&mut self) -> Read<u32> {
        let here = self.peek().blame;
        let number = self.number("a number of copies")?;
        self.expect(")")?;
        match u32::try_from(number) {
            Ok(copies) if (1..=MOST_COPIES).contains(&number) => Ok(copies),
            _ => self.error(codes::COPIES, here, format!("a process has 1 to {MOST_COPIES} copies")),
        }
    }
}

/// From one token to another. Where a macro puts tokens of two places into one statement and the
/// last stands before the first, the first alone.
fn cover(first: Span, last: Span) -> Span {
    if last.end >= first.start { first.to(last) } else { first }
}
