//! Statements and memory locations.

use wattle_program::Name;
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::super::ast::{Expression, Place, PlaceKind, Statement, StatementKind};
use super::super::lexer::{Kind, RESERVED, Token};
use super::{Bad, MOST_COPIES, Parser, Read, cover};
use crate::codes;

impl<'a> Parser<'a> {
    /// Statements with `;` between them.
    pub(super) fn list(&mut self) -> Vec<Statement> {
        let mut list: Vec<Statement> = Vec::new();
        loop {
            match self.deeper(Self::statement) {
                Ok(statement) => list.push(statement),
                Err(Bad) => {
                    self.holes.statements = true;
                    self.recover();
                }
            }
            let Some(semicolon) = self.accept(";") else { return list };
            if let Some(last) = list.last_mut() {
                last.semicolon = Some(semicolon.span);
            }
            let next = self.peek();
            if next.is("}") || next.is("or") || self.at_section() {
                let problem = Diagnostic::error(
                    codes::SYNTAX,
                    next.blame,
                    format!("expected a statement, found {}", next.describe()),
                );
                let help = "`;` stands between statements; there is none after the last";
                self.problems.push(problem.expecting("expected a statement").help(help));
                return list;
            }
        }
    }

    /// Skip to the end of a bad statement.
    pub(super) fn recover(&mut self) {
        let mut open = 0;
        loop {
            let token = self.peek();
            match token.text {
                _ if self.at_section() => return,
                "{" => open += 1,
                "}" if open == 0 => return,
                "}" => open -= 1,
                ";" | "or" if open == 0 => return,
                _ => {}
            }
            self.next();
        }
    }

    fn statement(&mut self) -> Read<Statement> {
        let mut labels = Vec::new();
        while self.peek().kind == Kind::Name {
            let label = self.peek();
            if !self.ahead(1).is(":") {
                let message = format!("expected a statement, found {}", label.describe());
                let mut problem =
                    Diagnostic::error(codes::SYNTAX, label.blame, message).expecting("expected a statement");
                problem.help = did_you_mean(label.text, RESERVED);
                if problem.help.is_none() {
                    let text = "memory is written with `write: x := e` and read with `read: $r := x`";
                    problem.help = Some(text.into());
                }
                self.problems.push(problem);
                return Err(Bad);
            }
            self.next();
            self.next();
            labels.push((label.text.into(), label.blame));
        }
        let first = self.peek().span;
        let (kind, head) = self.statement_kind()?;
        let span = cover(first, self.previous());
        Ok(Statement { labels, kind, span, head: head.unwrap_or(span), semicolon: None })
    }

    /// The statement without labels, and its head where that is not all of it.
    fn statement_kind(&mut self) -> Read<(StatementKind, Option<Span>)> {
        let token = self.peek();
        if token.kind == Kind::Register {
            self.next();
            self.expect(":=")?;
            let value = self.whole_expression()?;
            return Ok((StatementKind::Assign { register: (token.text.into(), token.blame), value }, None));
        }
        if token.is("{") {
            self.next();
            let list = self.list();
            self.close(token)?;
            return Ok((StatementKind::Block(list), Some(token.span)));
        }
        if token.kind != Kind::Word {
            return self.unexpected("a statement");
        }
        self.next();
        match token.text {
            "if" | "while" | "either" | "locked" => self.structure(token),
            _ => Ok((self.simple(token)?, None)),
        }
    }

    /// What holds other statements, from behind its first word.
    fn structure(&mut self, word: Token<'a>) -> Read<(StatementKind, Option<Span>)> {
        Ok(match word.text {
            "if" => {
                let condition = self.whole_condition()?;
                let head = cover(word.span, self.previous());
                self.expect("then")?;
                let then = Box::new(self.deeper(Self::statement)?);
                let otherwise = match self.accept("else") {
                    Some(_) => Some(Box::new(self.deeper(Self::statement)?)),
                    None => None,
                };
                (StatementKind::If { condition, then, otherwise }, Some(head))
            }
            "while" => {
                let condition = self.whole_condition()?;
                let head = cover(word.span, self.previous());
                self.expect("do")?;
                let body = Box::new(self.deeper(Self::statement)?);
                (StatementKind::While { condition, body }, Some(head))
            }
            "either" => (StatementKind::Either(self.alternatives()?), Some(word.span)),
            _ => {
                if let Some(write) = self.accept("write") {
                    let (place, value) = self.written()?;
                    (StatementKind::LockedWrite { place, value, write: write.span }, None)
                } else if self.peek().is("{") {
                    (StatementKind::Locked(self.alternatives()?), None)
                } else {
                    return self.unexpected("`write` or `{`");
                }
            }
        })
    }

    /// What holds no other statement, from behind its first word.
    fn simple(&mut self, word: Token<'a>) -> Read<StatementKind> {
        Ok(match word.text {
            "nop" => StatementKind::Nop,
            "fence" => StatementKind::Fence,
            "write" => {
                let (place, value) = self.written()?;
                StatementKind::Write { place, value }
            }
            "read" => self.read()?,
            "cas" => {
                self.expect("(")?;
                let place = self.place()?;
                self.expect(",")?;
                let expected = self.whole_expression()?;
                self.expect(",")?;
                let new = self.whole_expression()?;
                self.expect(")")?;
                StatementKind::Cas { place, expected, new }
            }
            "assume" => {
                self.expect(":")?;
                StatementKind::Assume(self.whole_condition()?)
            }
            "goto" => {
                let label = self.peek();
                if label.kind != Kind::Name {
                    return self.unexpected("a label");
                }
                self.next();
                StatementKind::Goto(label.text.into(), label.blame)
            }
            "syncwr" | "syncrd" | "slocked" | "ssfence" | "llfence" => {
                self.skip_unsupported(word)?;
                StatementKind::Unsupported(word.text.into())
            }
            _ => {
                self.at -= 1;
                return self.unexpected("a statement");
            }
        })
    }

    /// The rest of a statement for machines that wattle does not have.
    fn skip_unsupported(&mut self, word: Token<'a>) -> Read<()> {
        match word.text {
            "syncwr" | "syncrd" => {
                self.expect(":")?;
                match self.peek().kind {
                    Kind::Register => drop(self.next()),
                    _ => drop(self.place()?),
                }
                if self.accept(":=").is_none() {
                    self.expect("=")?;
                }
                match self.peek().kind {
                    Kind::Name => drop(self.place()?),
                    _ => drop(self.whole_expression()?),
                }
            }
            "slocked" => {
                self.expect("write")?;
                self.written()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, open: Token<'a>) -> Read<()> {
        if self.accept("}").is_some() {
            return Ok(());
        }
        let found = self.peek();
        let message = format!("expected `;` or `}}`, found {}", found.describe());
        let problem = Diagnostic::error(codes::SYNTAX, found.blame, message).expecting("expected `;` or `}`");
        self.problems.push(problem.label(open.blame, "to match this"));
        Err(Bad)
    }

    /// `{ list or list }`
    fn alternatives(&mut self) -> Read<Vec<Vec<Statement>>> {
        let open = self.expect("{")?;
        let mut lists = vec![self.list()];
        while self.accept("or").is_some() {
            lists.push(self.list());
        }
        self.close(open)?;
        Ok(lists)
    }

    /// `: place := expression`
    fn written(&mut self) -> Read<(Place, Expression)> {
        self.expect(":")?;
        let place = self.place()?;
        self.expect(":=")?;
        Ok((place, self.whole_expression()?))
    }

    fn read(&mut self) -> Read<StatementKind> {
        self.expect(":")?;
        let register = self.peek();
        if register.kind == Kind::Register {
            self.next();
            self.expect(":=")?;
            let place = self.place()?;
            return Ok(StatementKind::ReadInto { register: (register.text.into(), register.blame), place });
        }
        let place = self.place()?;
        self.expect("=")?;
        Ok(StatementKind::ReadEqual { place, value: self.whole_expression()? })
    }

    pub(super) fn place(&mut self) -> Read<Place> {
        let first = self.peek();
        if first.is("[") {
            self.next();
            let pointer = self.whole_expression()?;
            let close = self.expect("]")?;
            return Ok(Place {
                kind: PlaceKind::Pointer(Box::new(pointer)),
                span: cover(first.blame, close.blame),
            });
        }
        if first.kind != Kind::Name {
            return self.unexpected("a memory location");
        }
        self.next();
        let name: Name = first.text.into();
        if self.accept("[").is_none() {
            return Ok(Place { kind: PlaceKind::Global(name), span: first.blame });
        }
        let kind = if self.accept("my").is_some() {
            PlaceKind::Own(name)
        } else {
            let here = self.peek().blame;
            let number = self.number("`my` or the number of another process")?;
            match u32::try_from(number) {
                Ok(number) if i64::from(number) < MOST_COPIES * MOST_COPIES => PlaceKind::Other(name, number),
                _ => return self.error(codes::NUMBER, here, "there are not that many processes"),
            }
        };
        let close = self.expect("]")?;
        Ok(Place { kind, span: cover(first.blame, close.blame) })
    }
}
