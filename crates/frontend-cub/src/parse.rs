//! Declarations. After an error the parser goes on at the next word that begins one.

mod formula;

use wattle_source::{Code, Diagnostic, FileId, Span, did_you_mean};

use crate::ast::{Assigned, Assignment, Block, File, Ident, Predicate, SymbolDef, Transition, TypeDef};
use crate::codes;
use crate::lexer::{Kind, Token, lex};

/// A tree, and what could not be read.
pub(crate) fn parse(text: &str, file: FileId) -> (File, Vec<Diagnostic>) {
    let (tokens, problems) = lex(text, file);
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, operators: 0, problems };
    let tree = parser.file();
    (tree, parser.problems)
}

/// The words that begin a declaration.
const DECLARATIONS: [&str; 11] = [
    "number_procs",
    "type",
    "var",
    "array",
    "const",
    "weak",
    "predicate",
    "init",
    "invariant",
    "unsafe",
    "transition",
];

type Read<T> = Result<T, Box<Diagnostic>>;

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
    operators: usize,
    problems: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> File {
        let mut file = File::default();
        while self.peek().kind != Kind::End {
            self.operators = 0;
            let before = self.at;
            if let Err(problem) = self.declaration(&mut file) {
                self.problems.push(*problem);
                self.recover(before);
            }
        }
        file
    }

    /// Go on at the next declaration, but not at the one that failed.
    fn recover(&mut self, before: usize) {
        self.at = self.at.max(before + 1).min(self.tokens.len() - 1);
        while self.peek().kind != Kind::End && !DECLARATIONS.iter().any(|word| self.peek().is(word)) {
            self.next();
        }
    }

    fn declaration(&mut self, file: &mut File) -> Read<()> {
        let token = self.peek();
        let word = if token.kind == Kind::Keyword { token.text.as_str() } else { "" };
        match word {
            "number_procs" => {
                self.next();
                let span = self.peek().span;
                let copies = self.integer()?;
                match u32::try_from(copies) {
                    Ok(copies @ 1..=1000) => file.copies = Some((copies, token.span.to(span))),
                    _ => return self.error(codes::NUMBER, span, "a number of processes is 1 to 1000"),
                }
            }
            "type" => file.types.push(self.type_def()?),
            "var" | "array" | "const" | "weak" => file.symbols.push(self.symbol()?),
            "predicate" => file.predicates.push(self.predicate()?),
            "init" => file.inits.push(self.block()?),
            "invariant" => file.invariants.push(self.block()?),
            "unsafe" => file.unsafes.push(self.block()?),
            "transition" => file.transitions.push(self.transition()?),
            _ => {
                let message = format!(
                    "expected a declaration such as `array` or `transition`, found {}",
                    token.describe()
                );
                let mut problem =
                    Diagnostic::error(codes::SYNTAX, token.span, message).expecting("expected a declaration");
                if let Some(help) = did_you_mean(&token.text, DECLARATIONS) {
                    problem = problem.help(help);
                }
                return Err(Box::new(problem));
            }
        }
        Ok(())
    }

    fn type_def(&mut self) -> Read<TypeDef> {
        self.expect("type")?;
        let name = self.small("the name of a type, with a small first letter")?;
        if !self.accept("=") {
            return Ok(TypeDef { name, constructors: None });
        }
        self.accept("|");
        let mut constructors = vec![self.capital("a constructor, with a capital first letter")?];
        while self.accept("|") {
            constructors.push(self.capital("a constructor, with a capital first letter")?);
        }
        Ok(TypeDef { name, constructors: Some(constructors) })
    }

    fn symbol(&mut self) -> Read<SymbolDef> {
        let weak = self.accept("weak");
        let token = self.next();
        let constant = token.is("const");
        let array = match token.text.as_str() {
            "array" => true,
            "var" => false,
            "const" if !weak => false,
            _ => {
                self.at -= 1;
                return self.unexpected(if weak { "`var` or `array`" } else { "`var`, `array` or `const`" });
            }
        };
        let name = self.capital("a name with a capital first letter")?;
        let mut arity = 0;
        if (array || constant) && self.accept("[") {
            loop {
                let index = self.small("`proc`")?;
                if &*index.name != "proc" {
                    return self.error(
                        codes::UNSUPPORTED,
                        index.span,
                        "arrays are indexed by processes: `[proc]` or `[proc,proc]`",
                    );
                }
                arity += 1;
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]")?;
            if arity > 2 {
                return self.error(codes::UNSUPPORTED, name.span, "arrays have one index or two");
            }
        } else if array {
            return self.unexpected("`[proc]`");
        }
        self.expect(":")?;
        let of = self.small("a type")?;
        Ok(SymbolDef { name, arity, of, weak, constant })
    }

    fn predicate(&mut self) -> Read<Predicate> {
        self.expect("predicate")?;
        let name = self.small("the name of a predicate, with a small first letter")?;
        let mut parameters = Vec::new();
        self.expect("(")?;
        while !self.accept(")") {
            parameters.push(self.small("the name of a parameter, or `)`")?);
            self.accept(",");
        }
        Ok(Predicate { name, parameters, body: self.braces()? })
    }

    /// `init (p q) { … }` and the like; a name may stand after the word.
    fn block(&mut self) -> Read<Block> {
        let start = self.next().span;
        let bracketed = self.accept("[");
        if matches!(self.peek().kind, Kind::Small | Kind::Capital) {
            self.next();
        }
        if bracketed {
            self.expect("]")?;
        }
        let mut parameters = Vec::new();
        if self.accept("(") {
            parameters = self.names_until(")")?;
        }
        let body = self.braces()?;
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Block { parameters, body, span: start.to(end) })
    }

    /// Process names up to a bracket, with or without commas.
    fn names_until(&mut self, end: &str) -> Read<Vec<Ident>> {
        let mut names = Vec::new();
        while !self.accept(end) {
            names.push(self.small(&format!("the name of a process, or `{end}`"))?);
            self.accept(",");
        }
        Ok(names)
    }

    fn transition(&mut self) -> Read<Transition> {
        self.expect("transition")?;
        let token = self.next();
        if !matches!(token.kind, Kind::Small | Kind::Capital) {
            self.at -= 1;
            return self.unexpected("the name of the transition");
        }
        let name = Ident { name: token.text.as_str().into(), span: token.span };
        self.expect("(")?;
        let mut parameters = Vec::new();
        let mut acts = false;
        while !self.accept(")") {
            if self.peek().is("[") && !acts {
                self.next();
                parameters.insert(0, self.small("the acting process")?);
                self.expect("]")?;
                acts = true;
            } else {
                parameters.push(self.small("the name of a process, or `)`")?);
            }
            self.accept(",");
        }
        let guard = if self.accept("requires") { Some(self.braces()?) } else { None };
        self.expect("{")?;
        let mut lets = Vec::new();
        let mut assignments = Vec::new();
        while !self.accept("}") {
            if self.accept("let") {
                let name = self.small("a name")?;
                self.expect("=")?;
                lets.push((name, self.term()?));
                self.expect("in")?;
                continue;
            }
            assignments.push(self.assignment()?);
            if !self.accept(";") && !self.peek().is("}") {
                return self.unexpected("`;` or `}`");
            }
        }
        Ok(Transition { name, acts, parameters, guard, lets, assignments })
    }

    fn assignment(&mut self) -> Read<Assignment> {
        let mut writer = None;
        if self.peek().kind == Kind::Small && self.tokens.get(self.at + 1).is_some_and(|next| next.is("@")) {
            writer = Some(self.small("a process")?);
            self.expect("@")?;
        }
        let target = self.capital("an assignment such as `X := 1`, or `}`")?;
        let mut indices = Vec::new();
        if self.accept("[") {
            loop {
                let token = self.peek();
                if token.kind != Kind::Small && token.kind != Kind::Process {
                    return self.unexpected("a process");
                }
                self.next();
                indices.push(Ident { name: token.text.as_str().into(), span: token.span });
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        self.expect(":=")?;
        let value = if self.accept(".") || self.accept("?") {
            Assigned::Any
        } else if self.accept("case") {
            let mut branches = Vec::new();
            while self.accept("|") {
                let condition = if self.accept("_") { None } else { Some(self.formula()?) };
                self.expect(":")?;
                branches.push((condition, self.term()?));
            }
            if branches.is_empty() {
                return self.unexpected("`|` and a condition");
            }
            Assigned::Case(branches)
        } else {
            Assigned::Value(self.term()?)
        };
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Assignment { span: target.span.to(end), writer, target, indices, value })
    }

    // The smallest parts.

    fn peek(&self) -> &'a Token {
        &self.tokens[self.at]
    }

    fn next(&mut self) -> &'a Token {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek().is(text);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        if self.accept(text) { Ok(()) } else { self.unexpected(&format!("`{text}`")) }
    }

    fn unexpected<T>(&self, expected: &str) -> Read<T> {
        let found = self.peek();
        let message = format!("expected {expected}, found {}", found.describe());
        Err(Box::new(
            Diagnostic::error(codes::SYNTAX, found.span, message).expecting(format!("expected {expected}")),
        ))
    }

    fn error<T>(&self, code: Code, span: Span, message: impl Into<String>) -> Read<T> {
        Err(Box::new(Diagnostic::error(code, span, message)))
    }

    fn small(&mut self, what: &str) -> Read<Ident> {
        self.ident(Kind::Small, what)
    }

    fn capital(&mut self, what: &str) -> Read<Ident> {
        self.ident(Kind::Capital, what)
    }

    fn ident(&mut self, kind: Kind, what: &str) -> Read<Ident> {
        let token = self.peek();
        if token.kind != kind {
            return self.unexpected(what);
        }
        self.next();
        Ok(Ident { name: token.text.as_str().into(), span: token.span })
    }

    fn integer(&mut self) -> Read<i64> {
        let token = self.peek();
        if token.kind != Kind::Integer {
            return self.unexpected("a number");
        }
        self.next();
        match token.text.parse() {
            Ok(value) => Ok(value),
            Err(_) => self.error(codes::NUMBER, token.span, "this number does not fit into 64 bits"),
        }
    }
}
