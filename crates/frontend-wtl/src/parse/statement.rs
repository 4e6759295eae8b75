//! Statements.

use wattle_program::Orders;
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, Fence, Remote, RemoteKind, Stmt, StmtKind, Target};
use super::super::lex::Kind;
use super::{Failed, Parsed, Parser};
use crate::codes;

impl Parser<'_, '_> {
    /// One statement, with recovery. `false` if there is none to come.
    pub(crate) fn statement_into(&mut self, body: &mut Vec<Stmt>) -> bool {
        if self.kind() == Kind::End || self.problems.is_full() {
            let _: Parsed<()> = self.expected("`}`");
            return false;
        }
        if matches!(self.kind(), Kind::Word("thread" | "process"))
            && !matches!(self.ahead(1), Kind::Sign(":" | "="))
        {
            // Surely a `}` was forgotten: leave the rest to the next item.
            let _: Parsed<()> = self.expected("`}` before the next thread");
            return false;
        }
        let start = self.at;
        match self.statement() {
            Ok(statement) => body.push(statement),
            Err(Failed) => {
                self.recover(start);
                if self.at == start {
                    self.advance();
                }
            }
        }
        true
    }

    /// `{ … }`, with its span.
    fn block(&mut self) -> Parsed<(Vec<Stmt>, Span)> {
        let start = self.span();
        self.expect("{")?;
        self.nested(|parser| {
            let mut body = Vec::new();
            while !parser.eat("}") {
                if !parser.statement_into(&mut body) {
                    return Err(Failed);
                }
            }
            Ok((body, parser.since(start)))
        })
    }

    fn block_statement(&mut self) -> Parsed<Stmt> {
        let (body, span) = self.block()?;
        Ok(Stmt { kind: StmtKind::Block(body), span })
    }

    fn boxed(&mut self) -> Parsed<Box<Stmt>> {
        self.nested(Self::statement).map(Box::new)
    }

    pub(crate) fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let kind = self.statement_kind()?;
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let word = match self.kind() {
            Kind::Word(word) => word,
            Kind::Sign("{") => return Ok(StmtKind::Block(self.block()?.0)),
            Kind::Sign(";") => {
                let span = self.span();
                let diagnostic = Diagnostic::error(codes::SYNTAX, span, "there is no empty statement");
                return self.fail(diagnostic.expecting("expected a statement").help("write `skip;`"));
            }
            _ => return self.expected("a statement"),
        };
        if self.ahead(1) == Kind::Sign(":") {
            let label = self.word("a label")?;
            self.advance();
            return Ok(StmtKind::Label(label, self.boxed()?));
        }
        // Statements that end without a `;` of their own return here.
        match word {
            "if" => {
                self.advance();
                let condition = self.parenthesised()?;
                let then = self.boxed()?;
                let otherwise = if self.eat_word("else") { Some(self.boxed()?) } else { None };
                return Ok(StmtKind::If { condition, then, otherwise });
            }
            "while" => {
                self.advance();
                let condition = self.parenthesised()?;
                return Ok(StmtKind::While { condition, body: self.boxed()? });
            }
            "either" => {
                self.advance();
                let mut blocks = vec![self.block_statement()?];
                if !self.is_word("or") {
                    return self.expected("`or`");
                }
                while self.eat_word("or") {
                    blocks.push(self.block_statement()?);
                }
                return Ok(StmtKind::Either(blocks));
            }
            "atomic" => {
                self.advance();
                let mut buffered = false;
                if self.eat("(") {
                    if !self.eat_word("buffered") {
                        return self.expected("`buffered`");
                    }
                    self.expect(")")?;
                    buffered = true;
                }
                return Ok(StmtKind::Atomic { buffered, body: self.block()?.0 });
            }
            _ => {}
        }
        let kind = self.simple(word)?;
        self.expect(";")?;
        Ok(kind)
    }

    fn simple(&mut self, word: &str) -> Parsed<StmtKind> {
        let plain = |parser: &mut Self, kind: StmtKind| {
            parser.advance();
            Ok(kind)
        };
        match word {
            "local" => {
                self.advance();
                Ok(StmtKind::Local(self.list(Self::var)?))
            }
            "break" => plain(self, StmtKind::Break),
            "continue" => plain(self, StmtKind::Continue),
            "skip" => plain(self, StmtKind::Skip),
            "goto" => {
                self.advance();
                Ok(StmtKind::Goto(self.word("a label")?))
            }
            "await" | "assume" | "assert" => {
                self.advance();
                let condition = self.compared(";")?;
                Ok(match word {
                    "await" => StmtKind::Await(condition),
                    "assume" => StmtKind::Assume(condition),
                    _ => StmtKind::Assert(condition),
                })
            }
            "acquire" => {
                self.advance();
                let into = self.name("the name of a local")?;
                self.expect("=")?;
                Ok(StmtKind::Acquire { into, place: self.place()? })
            }
            "release" => {
                self.advance();
                let place = self.place()?;
                self.expect("=")?;
                Ok(StmtKind::Assign { place, value: self.expression()?, tag: Some("rel") })
            }
            "fence" => self.fence(),
            "flush" => {
                self.advance();
                self.expect("(")?;
                let target = match self.eat("*") {
                    true => None,
                    false => Some(self.target("the name of a process, or `*` for all of them")?),
                };
                self.expect(")")?;
                Ok(StmtKind::Flush(target))
            }
            "cas" | "exchange" | "fetch_add" => Ok(StmtKind::Call(self.expression()?)),
            "put" | "get" | "remote_add" | "remote_swap" | "remote_cas" => self.remote(None),
            _ if super::is_reserved(word) => self.expected("a statement"),
            _ => {
                self.declared_as_in_c("local")?;
                self.no_for()?;
                let start = self.span();
                let place = self.place()?;
                self.no_assignment(start)?;
                match self.kind() {
                    Kind::Sign("=") => {}
                    Kind::Sign("==") => return self.expected("`=` (a comparison is not a statement)"),
                    _ => return self.expected("`=`"),
                }
                self.advance();
                if let Kind::Word("get" | "remote_add" | "remote_swap" | "remote_cas") = self.kind() {
                    return self.remote(Some(place));
                }
                Ok(StmtKind::Assign { place, value: self.expression()?, tag: None })
            }
        }
    }

    fn fence(&mut self) -> Parsed<StmtKind> {
        self.advance();
        if self.eat("(") {
            let place = self.place()?;
            self.expect(")")?;
            return Ok(StmtKind::Fence(Fence::Of(place)));
        }
        if self.eat_word("lwsync") {
            return Ok(StmtKind::Fence(Fence::Lwsync));
        }
        for (word, orders) in [("acquire", Orders::READS), ("release", Orders::WRITES)] {
            if self.eat_word(word) {
                return Ok(StmtKind::Fence(Fence::Orders(orders)));
            }
        }
        let mut orders = Orders::NONE;
        while let Kind::Word(word) = self.kind() {
            match Orders::NAMES.iter().find(|(name, _)| *name == word) {
                Some((_, order)) => orders = orders.union(*order),
                None => {
                    return self.expected("`rr`, `rw`, `wr`, `ww`, `acquire`, `release`, `lwsync` or `;`");
                }
            }
            self.advance();
        }
        Ok(StmtKind::Fence(if orders == Orders::NONE { Fence::Full } else { Fence::Orders(orders) }))
    }

    fn remote(&mut self, into: Option<super::super::ast::Place>) -> Parsed<StmtKind> {
        let Kind::Word(word) = self.kind() else { return self.expected("a remote operation") };
        let (kind, arguments) = match word {
            "put" => (RemoteKind::Put, 1),
            "get" => (RemoteKind::Get, 0),
            "remote_add" => (RemoteKind::Add, 1),
            "remote_swap" => (RemoteKind::Swap, 1),
            _ => (RemoteKind::Cas, 2),
        };
        self.advance();
        self.expect("(")?;
        let place = self.place()?;
        self.expect(",")?;
        let target = self.target("the name of a process")?;
        let mut given = Vec::new();
        for _ in 0..arguments {
            self.expect(",")?;
            given.push(self.expression()?);
        }
        self.expect(")")?;
        Ok(StmtKind::Remote(Remote { kind, into, place, target, arguments: given }))
    }

    fn target(&mut self, expected: &str) -> Parsed<Target> {
        let process = self.name(expected)?;
        let start = process.span;
        let copy = match self.eat("[") {
            true => {
                let copy = self.expression()?;
                self.expect("]")?;
                Some(Box::new(copy))
            }
            false => None,
        };
        Ok(Target { process, copy, span: self.since(start) })
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        self.condition(")")
    }

    /// An expression that decides something, and the sign after it.
    pub(crate) fn condition(&mut self, end: &'static str) -> Parsed<Expr> {
        let condition = self.compared(end)?;
        self.expect(end)?;
        Ok(condition)
    }

    /// The same, which does not take the sign: `=` in place of it was meant to compare.
    fn compared(&mut self, end: &str) -> Parsed<Expr> {
        let condition = self.expression()?;
        match self.is("=") {
            true => self.expected(&format!("`{end}` (`==` compares)")),
            false => Ok(condition),
        }
    }
}
