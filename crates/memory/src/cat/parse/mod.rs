//! From text to the syntax tree: one file, by recursive descent. Expressions are in `expression`.
//!
//! A file stops at its first syntax error: what follows a slip in a language without statement
//! separators is guesswork. Everything that herd reads and wattle gives no meaning to (`match`,
//! `forall`, tags, sets of sets) is parsed and becomes a node that only complains when it is reached,
//! so that library files with such helpers read as long as nothing calls them.

mod expression;

use std::sync::Arc;

use wattle_program::Name;
use wattle_source::{Code, Diagnostic, FileId, Sources, Span};

use super::core::{Role, Test};
use super::lex::{Kind, Token, lex};
use super::syntax::{Expr, ExprKind, Ident, Instruction, InstructionKind, Pattern, Procedure};
use crate::cat::codes;

/// Parentheses, `let … in` and procedures nest at most so deep.
const DEEPEST: u32 = 100;

/// Words that name nothing.
const RESERVED: [&str; 36] = [
    "let",
    "rec",
    "and",
    "when",
    "acyclic",
    "irreflexive",
    "show",
    "unshow",
    "empty",
    "subset",
    "as",
    "fun",
    "in",
    "undefined_unless",
    "flag",
    "assert",
    "include",
    "begin",
    "end",
    "procedure",
    "call",
    "enum",
    "debug",
    "match",
    "with",
    "forall",
    "from",
    "do",
    "try",
    "if",
    "then",
    "else",
    "yield",
    "instructions",
    "default",
    "compat",
];

/// What old and new files say after their title about how herd shall run them.
const OPTIONS: [&str; 6] = ["withco", "withoutco", "withinit", "withoutinit", "withsc", "withoutsc"];

pub(crate) struct File {
    /// What the file calls itself.
    pub title: Option<String>,
    pub instructions: Vec<Instruction>,
}

pub(crate) fn parse(sources: &Sources, file: FileId) -> Result<File, Diagnostic> {
    let text = sources.text(file);
    let mut parser = Parser { text, tokens: lex(text, file)?, at: 0, depth: 0, tests: 0 };
    let title = parser.title()?;
    let instructions = parser.instructions(&[])?;
    Ok(File { title, instructions })
}

type Parsed<T> = Result<T, Diagnostic>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u32,
    /// How many tests there were, to name those without a name.
    tests: u32,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Kind<'t> {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Kind<'t> {
        self.tokens.get(self.at + count).map_or(Kind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.tokens[self.at.min(self.tokens.len() - 1)].span
    }

    /// Where the token before this one ends.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at.min(self.tokens.len() - 1)];
        self.at += 1;
        token
    }

    fn is(&self, word: &str) -> bool {
        match self.peek() {
            Kind::Word(other) => other == word,
            Kind::Sign(other) => other == word,
            _ => false,
        }
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.is(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.accept(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(), message)
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Kind::End => "the end of the file".to_owned(),
            Kind::Text(_) => "a string".to_owned(),
            Kind::Tag => "a tag".to_owned(),
            Kind::Word(word) if is_reserved(word) => format!("the keyword `{word}`"),
            Kind::Word(word) => format!("`{}`", word.chars().take(40).collect::<String>()),
            Kind::Sign(sign) => format!("`{sign}`"),
        };
        self.error(codes::SYNTAX, format!("expected {expected}, found {found}"))
    }

    /// One level down; the caller comes back up with `depth -= 1` unless it failed.
    fn descend(&mut self) -> Parsed<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(self.error(codes::NESTING, format!("more than {DEEPEST} levels inside each other"))),
            false => Ok(()),
        }
    }

    fn title(&mut self) -> Parsed<Option<String>> {
        let mut words = Vec::new();
        while words.len() < 2 {
            match self.peek() {
                Kind::Word(word) if !is_reserved(word) && !OPTIONS.contains(&word) && word != "catdep" => {
                    words.push(word);
                }
                Kind::Text(text) => words.push(text),
                _ => break,
            }
            self.at += 1;
        }
        while OPTIONS.iter().any(|option| self.accept(option)) {}
        if self.is("catdep") {
            let message = "`catdep`: dependencies that the model computes from register events";
            return Err(self.error(codes::UNSUPPORTED, message));
        }
        Ok((!words.is_empty()).then(|| words.join(" ")))
    }

    /// Up to one of `ends`, which stays.
    fn instructions(&mut self, ends: &[&str]) -> Parsed<Vec<Instruction>> {
        let mut instructions = Vec::new();
        while !ends.iter().any(|end| self.is(end)) {
            if self.peek() == Kind::End && ends.is_empty() {
                break;
            }
            instructions.push(self.instruction()?);
        }
        Ok(instructions)
    }

    fn instruction(&mut self) -> Parsed<Instruction> {
        self.descend()?;
        let instruction = self.one_instruction()?;
        self.depth -= 1;
        Ok(instruction)
    }

    fn one_instruction(&mut self) -> Parsed<Instruction> {
        let start = self.span();
        let Kind::Word(word) = self.peek() else {
            return match self.is("~") {
                true => self.test(Role::Require, start),
                false => Err(self.unexpected("an instruction such as `let` or `acyclic`")),
            };
        };
        let kind = match word {
            "acyclic" | "irreflexive" | "empty" => return self.test(Role::Require, start),
            "flag" | "undefined_unless" | "assert" => {
                self.at += 1;
                let role = if word == "undefined_unless" { Role::UndefinedUnless } else { Role::Flag };
                let mut test = self.test(role, start)?;
                if let (InstructionKind::Test { negated, name, .. }, "assert") = (&mut test.kind, word) {
                    // A flag where it fails.
                    *negated = !*negated;
                    *name = format!("assert {name}").into();
                }
                return Ok(test);
            }
            "let" => {
                self.at += 1;
                let recursive = self.accept("rec");
                let bindings = self.bindings()?;
                if self.accept("when") {
                    self.test(Role::Require, start)?;
                    self.accept("in");
                    InstructionKind::Unsupported("`let rec … when`")
                } else {
                    self.accept("in");
                    InstructionKind::Let { recursive, bindings }
                }
            }
            "show" | "unshow" => {
                self.at += 1;
                self.shown()?;
                InstructionKind::Ignored
            }
            "debug" => {
                self.at += 1;
                self.expression()?;
                InstructionKind::Ignored
            }
            "include" => {
                self.at += 1;
                let Kind::Text(file) = self.peek() else {
                    return Err(self.unexpected("the name of a file in quotes"));
                };
                self.at += 1;
                InstructionKind::Include { file: file.to_owned(), body: Vec::new() }
            }
            "procedure" => self.procedure()?,
            "call" => {
                self.at += 1;
                let name = self.ident("a procedure")?;
                let argument = self.argument()?;
                if self.accept("as") {
                    self.ident("a name")?;
                }
                InstructionKind::Call { name, argument }
            }
            "if" => {
                self.at += 1;
                let condition = self.condition()?;
                let then = self.instructions(&["else", "end"])?;
                let otherwise = if self.accept("else") { self.instructions(&["end"])? } else { Vec::new() };
                self.expect("end")?;
                InstructionKind::If { condition, then, otherwise }
            }
            "with" => {
                self.at += 1;
                let name = self.ident("a name")?;
                self.expect("from")?;
                self.expression()?;
                match &*name.name {
                    "co" => InstructionKind::WithCo,
                    _ => InstructionKind::Unsupported("`with … from` for anything but `co`"),
                }
            }
            "forall" => {
                self.at += 1;
                self.ident("a name")?;
                self.expect("in")?;
                self.expression()?;
                self.expect("do")?;
                self.instructions(&["end"])?;
                self.expect("end")?;
                InstructionKind::Unsupported("`forall`")
            }
            "match" => {
                self.at += 1;
                self.expression()?;
                self.clauses(|parser| parser.instructions(&["||", "end"]).map(drop))?;
                InstructionKind::Unsupported("`match`")
            }
            "enum" | "instructions" | "default" => {
                return Err(
                    self.error(codes::UNSUPPORTED, format!("`{word}` (of .bell files) is not supported"))
                );
            }
            _ => return Err(self.unexpected("an instruction such as `let` or `acyclic`")),
        };
        Ok(Instruction { kind, span: self.since(start) })
    }

    fn test(&mut self, role: Role, start: Span) -> Parsed<Instruction> {
        let negated = self.accept("~");
        let test = match self.peek() {
            Kind::Word("acyclic") => Test::Acyclic,
            Kind::Word("irreflexive") => Test::Irreflexive,
            Kind::Word("empty") => Test::Empty,
            _ => return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.at += 1;
        self.tests += 1;
        let body = self.expression()?;
        let name = match self.accept("as") {
            true => self.ident("a name")?.name,
            false => self.name_of(&body),
        };
        let kind = InstructionKind::Test { role, test, negated, body, name };
        Ok(Instruction { kind, span: self.since(start) })
    }

    /// An axiom without a name is called by its text if that is short, else by its number.
    fn name_of(&self, body: &Expr) -> Name {
        let text = self.text.get(body.span.start as usize..body.span.end as usize).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        match text.chars().count() <= 40 && !text.contains("(*") {
            true => text.into(),
            false => format!("axiom-{}", self.tests).into(),
        }
    }

    /// `a, b` or `e as name`, several.
    fn shown(&mut self) -> Parsed<()> {
        loop {
            self.operators()?;
            if self.accept("as") {
                self.ident("a name")?;
            }
            if !self.accept(",") {
                return Ok(());
            }
        }
    }

    fn procedure(&mut self) -> Parsed<InstructionKind> {
        self.at += 1;
        if self.accept("rec") {
            return Err(self.error(codes::UNSUPPORTED, "recursive procedures are not supported"));
        }
        let name = self.ident("a name")?;
        let pattern = match self.accept("(") {
            true => self.formals()?,
            false => Pattern::One(self.formal()?),
        };
        self.expect("=")?;
        let body = self.instructions(&["end"])?;
        self.expect("end")?;
        Ok(InstructionKind::Procedure { name, procedure: Arc::new(Procedure { pattern, body }) })
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            Kind::Word(word) if !is_reserved(word) => Ok(Ident { name: word.into(), span: self.next().span }),
            _ => Err(self.unexpected(what)),
        }
    }

    /// A name, or `_`.
    fn formal(&mut self) -> Parsed<Option<Ident>> {
        if self.accept("_") { Ok(None) } else { self.ident("a name").map(Some) }
    }

    /// After `(`.
    fn formals(&mut self) -> Parsed<Pattern> {
        let mut formals = Vec::new();
        if !self.is(")") {
            formals.push(self.formal()?);
            while self.accept(",") {
                formals.push(self.formal()?);
            }
        }
        self.expect(")")?;
        Ok(pattern(formals))
    }

    /// `with [||] pattern -> … || pattern -> … end`
    fn clauses(&mut self, mut body: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect("with")?;
        self.accept("||");
        loop {
            loop {
                match self.peek() {
                    Kind::Sign("->") => break,
                    Kind::Tag | Kind::Sign("_" | "{" | "}" | "++" | "|") => self.at += 1,
                    Kind::Word(word) if !is_reserved(word) => self.at += 1,
                    _ => return Err(self.unexpected("a pattern and `->`")),
                }
            }
            self.expect("->")?;
            body(self)?;
            if !self.accept("||") {
                return self.expect("end");
            }
        }
    }
}

fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// One in parentheses is one.
fn pattern(mut formals: Vec<Option<Ident>>) -> Pattern {
    match (formals.pop(), formals.is_empty()) {
        (Some(only), true) => Pattern::One(only),
        (last, _) => {
            formals.extend(last);
            Pattern::Tuple(formals)
        }
    }
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}
