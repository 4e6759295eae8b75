//! Threads written in C, with C11's atomics.
//!
//! A body is translated while it is read: C is structured, so the points of a statement are known
//! when its text begins, and no tree is kept. One statement is one or more edges:
//!
//! * **Loads of one expression form one edge**, so they are not in program order: C leaves the order
//!   of operands open, and what is sequenced after none of them may not be ordered by it. The store,
//!   read-modify-write or branch that uses the values is an edge of its own after it. (herd7 puts a
//!   whole statement into one instruction, so that `atomic_store(y, atomic_load(x))` is not in program
//!   order there; C sequences arguments before the call.)
//! * A read-modify-write is one locked edge, which the C11 vocabulary makes one event. A
//!   compare-exchange reads what `expected` points to, then either exchanges, or reads only and writes
//!   what it read to `expected`. A weak one may fail for no reason.
//! * `&&`, `||` and `!` are as in C. Where the second operand reads memory, there is a branch, because
//!   it must not read if the first one decides; otherwise there is none.
//!
//! Parameters are pointers to the locations of their names, and so constants.
//!
//! *Limits*: no `for`, `goto`, arrays, pointers to locals (but for `&r` as `expected`), mutexes, and
//! nothing of the Linux kernel's interface: each has its diagnostic.

pub(crate) mod edit;
mod expression;
mod lex;
#[cfg(test)]
mod tests;
mod words;

use wattle_logic::{Kind, Sort, Term};
use wattle_program::{Cfg, Edge, Mode, Op, Origin, Point, PointInfo, Role, Tags, Vocabulary};
use wattle_source::{Diagnostic, Span};

use super::lex::{Cursor, Read};
use super::names::Names;
use super::sizes::AddressSize;
use super::{Language, codes};
use expression::Part;
use lex::Scanner;

pub(crate) const LANGUAGE: Language = Language {
    name: "C",
    vocabulary: Vocabulary::C11,
    canonical,
    wraps: false,
    addresses: AddressSize::Double,
    program: |cursor, names| {
        cursor.at = functions(*cursor, names)?;
        Ok(())
    },
};

/// Registers of C are locals, and every name is one.
fn canonical(name: &str) -> Option<&str> {
    Some(name)
}

/// Read all functions. The place after the last of them.
fn functions<'a>(cursor: Cursor<'a>, names: &mut Names<'a>) -> Read<usize> {
    let mut scanner = Scanner { cursor };
    let tags = expression::tags();
    loop {
        scanner.blank_between_functions();
        let before = scanner.cursor.at;
        let Some((number, span)) = header(&mut scanner) else {
            scanner.cursor.at = before;
            break;
        };
        if names.threads.iter().any(|thread| thread.number == number) {
            let message = format!("there are two threads P{number}");
            return Err(Box::new(Diagnostic::error(codes::DUPLICATE, span, message)));
        }
        if number as usize != names.threads.len() {
            let message = format!("P{} comes next, not P{number}", names.threads.len());
            return Err(Box::new(Diagnostic::error(codes::THREAD, span, message)));
        }
        let thread = names.add_thread(number, span);
        let mut cfg = Cfg::default();
        let current = cfg.add_point(PointInfo::default());
        let mut body = Body {
            scanner,
            names,
            thread,
            tags: &tags,
            parameters: Vec::new(),
            cfg,
            current,
            pending: Vec::new(),
            mode: Mode::Plain,
            temporaries: 0,
            depth: 0,
            statement: span.start as usize,
        };
        body.parameters()?;
        body.block()?;
        scanner = body.finish();
    }
    if names.threads.is_empty() {
        return Err(scanner.expected("a function `P0(…) { … }`"));
    }
    // Annotations for models with regions and scopes, which none of ours has.
    for section in ["regions", "scopes"] {
        scanner.blank_between_functions();
        let before = scanner.cursor.at;
        if scanner.eat_word(section) && scanner.eat(":") {
            scanner.cursor.skip_line();
        } else {
            scanner.cursor.at = before;
        }
    }
    Ok(scanner.cursor.at)
}

/// `[static] [void] P0`
fn header(scanner: &mut Scanner<'_>) -> Option<(u32, Span)> {
    while scanner.eat_word("static") || scanner.eat_word("void") {}
    scanner.blank();
    let start = scanner.cursor.at;
    let number = scanner.word()?.strip_prefix('P')?.parse().ok()?;
    let span = scanner.span(start);
    (scanner.next() == b'(').then_some((number, span))
}

/// Deeper nesting of statements and expressions helps nobody and would end the stack.
const DEEPEST: u32 = 200;

struct Body<'a, 'n> {
    scanner: Scanner<'a>,
    names: &'n mut Names<'a>,
    thread: usize,
    tags: &'n [Tags],
    /// Pointers to the locations of their names.
    parameters: Vec<(&'a str, u32)>,
    cfg: Cfg,
    /// Where the next edge begins.
    current: Point,
    /// What the next edge does: loads in no order, or one read-modify-write.
    pending: Vec<Op>,
    mode: Mode,
    /// How many temporaries this statement uses.
    temporaries: usize,
    depth: u32,
    /// Where the text of this statement begins.
    statement: usize,
}

impl<'a> Body<'a, '_> {
    fn parameters(&mut self) -> Read<()> {
        self.scanner.expect("(")?;
        while !self.scanner.eat(")") {
            let start = self.scanner.cursor.at;
            let mut pointer = false;
            let mut last = None;
            loop {
                if self.scanner.eat("*") {
                    pointer = true;
                } else if self.scanner.eat("(") {
                    // _Atomic(int)
                    while self.scanner.eat("*") || self.scanner.word().is_some() {}
                    self.scanner.expect(")")?;
                } else {
                    self.scanner.blank();
                    let at = self.scanner.cursor.at;
                    match self.scanner.word() {
                        Some(word) => last = Some((word, self.scanner.span(at))),
                        None => break,
                    }
                }
            }
            match last {
                Some(("void", _)) if !pointer => {}
                Some((name, span)) if pointer => {
                    let variable = self.names.variable(name, span);
                    self.parameters.push((name, variable));
                }
                Some(_) => return Err(self.scanner.unsupported(start, "a parameter that is no pointer")),
                None => return Err(self.scanner.expected("a parameter or `)`")),
            }
            if !self.scanner.eat(",") && self.scanner.next() != b')' {
                return Err(self.scanner.expected("`,` or `)`"));
            }
        }
        Ok(())
    }

    /// `{ … }`, from its brace on.
    fn block(&mut self) -> Read<()> {
        self.scanner.expect("{")?;
        while !self.scanner.eat("}") {
            self.statement()?;
        }
        Ok(())
    }

    fn deeper(&mut self) -> Read<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let here = self.scanner.cursor.here();
            let message = format!("statements and expressions are nested more than {DEEPEST} deep here");
            return Err(Box::new(Diagnostic::error(codes::NESTING, here, message)));
        }
        Ok(())
    }

    fn statement(&mut self) -> Read<()> {
        self.deeper()?;
        self.scanner.blank();
        let start = self.scanner.cursor.at;
        self.statement = start;
        self.temporaries = 0;
        let at = self.current;
        let block = self.scanner.next() == b'{';
        match self.scanner.peek_word() {
            _ if block => self.block()?,
            _ if self.scanner.eat(";") => {}
            Some("if") => self.conditional()?,
            Some("while") => self.repetition()?,
            Some("do") => self.repetition_first()?,
            Some(word @ ("for" | "goto" | "switch" | "return" | "break" | "continue")) => {
                self.scanner.word();
                return Err(self.scanner.unsupported(start, &format!("`{word}`")));
            }
            Some(word) if self.is_declaration(word) => self.declaration()?,
            Some(word) if !self.is_parameter(word) && self.assigns(word) => {
                let local = self.names.local(self.thread, word);
                self.assign(local)?;
                self.scanner.expect(";")?;
            }
            _ if self.scanner.eat("*") => {
                let target = self.unary()?;
                self.scanner.expect("=")?;
                let address = self.address_now(target)?;
                let value = self.expression()?;
                let value = self.number_now(value)?;
                self.flush();
                let tags = self.tags[expression::PLAIN].clone();
                self.pending.push(Op::Store { address, value, tags });
                self.flush();
                self.scanner.expect(";")?;
            }
            _ => {
                let value = self.expression()?;
                // A value that nobody uses is still read.
                self.term_now(value)?;
                self.flush();
                self.scanner.expect(";")?;
            }
        }
        let begins = &mut self.cfg.points[at.0 as usize].origin;
        if !block && begins.0.is_nowhere() {
            *begins = Origin(self.scanner.span(start));
        }
        self.depth -= 1;
        Ok(())
    }

    fn is_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|(parameter, _)| *parameter == name)
    }

    /// Does `word =` come next? Goes past it.
    fn assigns(&mut self, word: &str) -> bool {
        let before = self.scanner.cursor.at;
        self.scanner.cursor.at += word.len();
        let here = self.scanner.eat("=");
        if !here {
            self.scanner.cursor.at = before;
        }
        here
    }

    fn is_declaration(&mut self, word: &str) -> bool {
        if words::begins_type(word) {
            return true;
        }
        let before = self.scanner.cursor.at;
        self.scanner.cursor.at += word.len();
        let here = self.scanner.peek_word().is_some();
        self.scanner.cursor.at = before;
        here
    }

    /// `int r = e, *p;`
    fn declaration(&mut self) -> Read<()> {
        self.kind();
        loop {
            while self.scanner.eat("*") {}
            self.scanner.blank();
            let start = self.scanner.cursor.at;
            let Some(name) = self.scanner.word() else {
                return Err(self.scanner.expected("a name"));
            };
            if self.is_parameter(name) {
                return Err(self.scanner.unsupported(start, "a variable with the name of a parameter"));
            }
            if self.scanner.next() == b'[' {
                return Err(self.scanner.unsupported(start, "an array in a thread"));
            }
            let local = self.names.local(self.thread, name);
            if self.scanner.eat("=") {
                self.assign(local)?;
            }
            if !self.scanner.eat(",") {
                return self.scanner.expect(";");
            }
        }
    }

    /// Go past the words of a type: the last word before a `*`, or but one before anything else.
    fn kind(&mut self) {
        self.scanner.word();
        loop {
            if self.scanner.eat("(") {
                while self.scanner.eat("*") || self.scanner.word().is_some() {}
                self.scanner.eat(")");
                continue;
            }
            let Some(word) = self.scanner.peek_word() else { return };
            let before = self.scanner.cursor.at;
            self.scanner.cursor.at += word.len();
            if !matches!(self.scanner.next(), b'*') && self.scanner.peek_word().is_none() {
                self.scanner.cursor.at = before;
                return;
            }
        }
    }

    /// Read an expression into a local.
    fn assign(&mut self, local: u32) -> Read<()> {
        match self.expression()? {
            // Loads of the same expression use the local's old value, but they are done by now.
            Part::Load { address, tags } => self.pending.push(Op::Load { into: local, address, tags }),
            Part::Term(term) => {
                let value = self.number_now(Part::Term(term))?;
                self.pending.push(Op::Assign { local, value });
            }
        }
        self.flush();
        Ok(())
    }

    fn conditional(&mut self) -> Read<()> {
        self.scanner.word();
        let (holds, fails) = self.condition()?;
        let before = self.current;
        let then = self.point();
        self.edge(before, holds, then);
        self.current = then;
        self.statement()?;
        let after_then = self.current;
        if self.scanner.eat_word("else") {
            let otherwise = self.point();
            self.edge(before, fails, otherwise);
            self.current = otherwise;
            self.statement()?;
            let truth = self.names.truth.clone();
            self.edge(after_then, truth, self.current);
        } else if after_then == then {
            // Nothing to do either way, but the branch is there.
            self.edge(before, fails, then);
        } else {
            self.edge(before, fails, after_then);
        }
        Ok(())
    }

    fn repetition(&mut self) -> Read<()> {
        self.scanner.word();
        // A point of its own, so that the loop does not go through what led here.
        let head = self.point();
        let truth = self.names.truth.clone();
        self.edge(self.current, truth.clone(), head);
        self.current = head;
        let (holds, fails) = self.condition()?;
        let decided = self.current;
        let inside = self.point();
        self.edge(decided, holds, inside);
        self.current = inside;
        self.statement()?;
        self.edge(self.current, truth, head);
        self.current = self.point();
        self.edge(decided, fails, self.current);
        Ok(())
    }

    fn repetition_first(&mut self) -> Read<()> {
        self.scanner.word();
        let head = self.point();
        let truth = self.names.truth.clone();
        self.edge(self.current, truth, head);
        self.current = head;
        self.statement()?;
        if !self.scanner.eat_word("while") {
            return Err(self.scanner.expected("`while`"));
        }
        self.temporaries = 0;
        let (holds, fails) = self.condition()?;
        self.scanner.expect(";")?;
        let decided = self.current;
        self.edge(decided, holds, head);
        self.current = self.point();
        self.edge(decided, fails, self.current);
        Ok(())
    }

    /// `(e)`: that it is not zero, and that it is.
    fn condition(&mut self) -> Read<(Term, Term)> {
        self.scanner.expect("(")?;
        let value = self.expression()?;
        self.scanner.expect(")")?;
        let holds = self.truth_now(value)?;
        self.flush();
        let fails = holds.negated();
        Ok((holds, fails))
    }

    fn origin(&self) -> Origin {
        Origin(self.scanner.span(self.statement))
    }

    /// Where a statement begins is known when one does.
    fn point(&mut self) -> Point {
        self.cfg.add_point(PointInfo::default())
    }

    /// A step that does nothing.
    fn edge(&mut self, from: Point, guard: Term, to: Point) {
        let origin = self.origin();
        self.cfg.edges.push(Edge {
            from,
            guard,
            ops: vec![],
            to,
            mode: Mode::Plain,
            role: Role::Step,
            origin,
        });
    }

    /// Everything read so far comes before what follows.
    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let from = self.current;
        let to = self.point();
        let ops = std::mem::take(&mut self.pending);
        let mode = std::mem::take(&mut self.mode);
        let guard = self.names.truth.clone();
        self.cfg.edges.push(Edge { from, guard, ops, to, mode, role: Role::Step, origin: self.origin() });
        self.current = to;
    }

    /// A local for a value in passing.
    fn temporary(&mut self) -> Read<u32> {
        const NAMES: [&str; 8] = ["$0", "$1", "$2", "$3", "$4", "$5", "$6", "$7"];
        let Some(name) = NAMES.get(self.temporaries) else {
            return Err(self.scanner.unsupported(self.statement, "so many reads in one statement"));
        };
        self.temporaries += 1;
        Ok(self.names.hidden(self.thread, name))
    }

    fn finish(self) -> Scanner<'a> {
        let mut cfg = self.cfg;
        cfg.points[self.current.0 as usize].end = true;
        self.names.threads[self.thread].cfg = cfg;
        self.scanner
    }
}

/// The address that a number stands for.
fn pointer(number: Term) -> Term {
    match number.kind() {
        Kind::Number(address) => address.clone(),
        _ => Term::pointer(number),
    }
}

/// A truth value as C has it.
fn as_number(term: Term) -> Term {
    match term.sort() {
        Sort::Bool => Term::if_then_else(term, Term::int(1), Term::int(0)),
        _ => term,
    }
}
