//! What people write who come from C: where one of its forms stands in place of ours, the message says what ours is.
//!
//! Nothing here is accepted. The rules ask at the points where they would fail anyway, and what belongs to the foreign form is
//! passed over, so that one habit gives one message.

use wattle_source::{Diagnostic, Span};

use super::super::lex::Kind;
use super::{Failed, Parsed, Parser};
use crate::codes;

/// The types that have a word of their own.
const TYPES: [&str; 8] = ["int", "bool", "u8", "i8", "u16", "i16", "u32", "i32"];

impl Parser<'_, '_> {
    /// `int x`, where declarations say `x: int`: the type is passed over, and the name comes next.
    pub(crate) fn type_before_name(&mut self) {
        let (Kind::Word(ty), Kind::Word(name)) = (self.kind(), self.ahead(1)) else { return };
        if TYPES.contains(&ty) {
            self.foreign(self.span(), "the type comes after the name", format!("write `{name}: {ty}`"));
            self.advance();
        }
    }

    /// A declaration that begins with its type, where one begins with `word`.
    pub(crate) fn declared_as_in_c(&mut self, word: &str) -> Parsed<()> {
        let (Kind::Word(ty), Kind::Word(name)) = (self.kind(), self.ahead(1)) else { return Ok(()) };
        if !TYPES.contains(&ty) {
            return Ok(());
        }
        let problem = format!("a declaration begins with `{word}`");
        self.foreign(self.span(), &problem, format!("write `{word} {name}: {ty}`"));
        Err(Failed)
    }

    /// `for (…; …; …)`: what stands in the parentheses is passed over, and the body is read as a statement.
    pub(crate) fn no_for(&mut self) -> Parsed<()> {
        if !self.is_word("for") || self.ahead(1) != Kind::Sign("(") {
            return Ok(());
        }
        let help = "write `i = 0; while (i < n) { …; i = i + 1; }`";
        self.foreign(self.span(), "there is no `for`", help.into());
        self.advance();
        let mut open = 0;
        loop {
            match self.kind() {
                Kind::Sign("(") => open += 1,
                Kind::Sign(")") => open -= 1,
                Kind::Sign("{" | "}") | Kind::End => break,
                _ => {}
            }
            self.advance();
            if open == 0 {
                break;
            }
        }
        Err(Failed)
    }

    /// `x++`, `x += e` and calls, where `=` is to follow the place that began at `start`.
    pub(crate) fn no_assignment(&mut self, start: Span) -> Parsed<()> {
        let place = self.since(start);
        let place = &self.text[place.start as usize..place.end as usize];
        let (problem, help) = match (self.kind(), self.ahead(1)) {
            (Kind::Sign(sign @ ("+" | "-")), Kind::Sign(next)) if sign == next => {
                (format!("there is no `{sign}{sign}`"), format!("write `{place} = {place} {sign} 1`"))
            }
            (Kind::Sign(sign @ ("+" | "-" | "*" | "/" | "%" | "&" | "|" | "^")), Kind::Sign("=")) => {
                (format!("there is no `{sign}=`"), format!("write `{place} = {place} {sign} …`"))
            }
            (Kind::Sign("("), _) => {
                let calls = "as statements: `cas(x, 0, 1);`, `exchange(x, 1);`, `fetch_add(x, 1);`";
                (format!("there is no call of `{place}`"), calls.into())
            }
            _ => return Ok(()),
        };
        self.foreign(self.span(), &problem, help);
        Err(Failed)
    }

    fn foreign(&mut self, span: Span, problem: &str, help: String) {
        self.problems.push(Diagnostic::error(codes::SYNTAX, span, problem.to_owned()).help(help));
    }
}
