//! Tokens to syntax tree.
//!
//! Recursive descent. An error in a statement or declaration is noted, the tokens up to the next
//! place where one can begin are skipped, and reading goes on, so that one run finds all errors.

use wattle_logic::Binary;
use wattle_program::{Name, Range};
use wattle_source::{Diagnostic, FileId, Severity, Span};

use super::ast::{
    Condition, Declaration, Expression, File, Holes, Place, PlaceKind, Process, Row, Statement, StatementKind,
};
use super::lexer::{Kind, RESERVED, Token, lex};
use super::macros::expand;
use super::suggest::did_you_mean;

/// Structures in structures, and brackets in brackets.
const DEEPEST: usize = 150;
/// Operators in one expression: terms are walked recursively.
const LONGEST: usize = 1000;
/// Copies of one process.
const MOST_COPIES: i64 = 1000;

/// The tree of a text, with errors and warnings. The tree is whole only if there is no error.
pub fn parse(text: &str, file: FileId) -> (File, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    if u32::try_from(text.len()).is_err() {
        problems.push(Diagnostic::error("rmm-too-large", Span::new(file, 0, 0), "the file has 4 GB or more"));
        return (File::default(), problems);
    }
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
    /// May expressions name memory?
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
            Diagnostic::error("rmm-syntax", found.blame, message).expecting(format!("expected {expected}"));
        if found.kind == Kind::Name {
            problem.help =
                did_you_mean(found.text, RESERVED.iter().copied().filter(|word| expected.contains(word)));
        }
        self.problems.push(problem);
        Err(Bad)
    }

    fn error<T>(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Read<T> {
        self.problems.push(Diagnostic::error(code, span, message));
        Err(Bad)
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            let here = self.peek().blame;
            return self.error("rmm-nesting", here, format!("more than {DEEPEST} levels of nesting"));
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
                    return self.error("rmm-domain", span, format!("no number is from {low} to {high}"));
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
            self.problems.push(Diagnostic::error("rmm-initial", name.blame, message));
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
            Err(_) => self.error("rmm-number", token.blame, "this number does not fit into 64 bits"),
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
                self.problems.push(Diagnostic::error("rmm-duplicate", token.blame, message));
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
            _ => self.error("rmm-copies", here, format!("a process has 1 to {MOST_COPIES} copies")),
        }
    }

    // Statements.

    /// Statements with `;` between them.
    fn list(&mut self) -> Vec<Statement> {
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
                    "rmm-syntax",
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
    fn recover(&mut self) {
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
                    Diagnostic::error("rmm-syntax", label.blame, message).expecting("expected a statement");
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
        Ok(match token.text {
            "nop" => (StatementKind::Nop, None),
            "fence" => (StatementKind::Fence, None),
            "write" => {
                let (place, value) = self.written()?;
                (StatementKind::Write { place, value }, None)
            }
            "read" => (self.read()?, None),
            "cas" => {
                self.expect("(")?;
                let place = self.place()?;
                self.expect(",")?;
                let expected = self.whole_expression()?;
                self.expect(",")?;
                let new = self.whole_expression()?;
                self.expect(")")?;
                (StatementKind::Cas { place, expected, new }, None)
            }
            "assume" => {
                self.expect(":")?;
                (StatementKind::Assume(self.whole_condition()?), None)
            }
            "goto" => {
                let label = self.peek();
                if label.kind != Kind::Name {
                    return self.unexpected("a label");
                }
                self.next();
                (StatementKind::Goto(label.text.into(), label.blame), None)
            }
            "if" => {
                let condition = self.whole_condition()?;
                let head = cover(token.span, self.previous());
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
                let head = cover(token.span, self.previous());
                self.expect("do")?;
                let body = Box::new(self.deeper(Self::statement)?);
                (StatementKind::While { condition, body }, Some(head))
            }
            "either" => (StatementKind::Either(self.alternatives()?), Some(token.span)),
            "locked" => {
                if let Some(write) = self.accept("write") {
                    let (place, value) = self.written()?;
                    (StatementKind::LockedWrite { place, value, write: write.span }, None)
                } else if self.peek().is("{") {
                    (StatementKind::Locked(self.alternatives()?), None)
                } else {
                    return self.unexpected("`write` or `{`");
                }
            }
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
                (StatementKind::Unsupported(token.text.into()), None)
            }
            "slocked" => {
                self.expect("write")?;
                self.written()?;
                (StatementKind::Unsupported(token.text.into()), None)
            }
            "ssfence" | "llfence" => (StatementKind::Unsupported(token.text.into()), None),
            _ => {
                self.at -= 1;
                return self.unexpected("a statement");
            }
        })
    }

    fn close(&mut self, open: Token<'a>) -> Read<()> {
        if self.accept("}").is_some() {
            return Ok(());
        }
        let found = self.peek();
        let message = format!("expected `;` or `}}`, found {}", found.describe());
        let problem = Diagnostic::error("rmm-syntax", found.blame, message).expecting("expected `;` or `}`");
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

    fn place(&mut self) -> Read<Place> {
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
                _ => return self.error("rmm-number", here, "there are not that many processes"),
            }
        };
        let close = self.expect("]")?;
        Ok(Place { kind, span: cover(first.blame, close.blame) })
    }

    // Expressions and conditions.

    fn whole_expression(&mut self) -> Read<Expression> {
        self.length = 0;
        self.expression()
    }

    fn whole_condition(&mut self) -> Read<Condition> {
        self.length = 0;
        self.condition()
    }

    fn lengthen(&mut self) -> Read<()> {
        self.length += 1;
        if self.length > LONGEST {
            let here = self.peek().blame;
            return self.error(
                "rmm-nesting",
                here,
                format!("more than {LONGEST} operators in one expression"),
            );
        }
        Ok(())
    }

    fn expression(&mut self) -> Read<Expression> {
        let mut left = self.deeper(Self::unit)?;
        loop {
            let add = self.accept("+").is_some();
            if !add && self.accept("-").is_none() {
                return Ok(left);
            }
            self.lengthen()?;
            let right = Box::new(self.deeper(Self::unit)?);
            left = if add {
                Expression::Add(Box::new(left), right)
            } else {
                Expression::Subtract(Box::new(left), right)
            };
        }
    }

    fn unit(&mut self) -> Read<Expression> {
        let token = self.peek();
        match token.kind {
            Kind::Number => Ok(Expression::Number(self.number("a number")?)),
            Kind::Register => {
                self.next();
                Ok(Expression::Register(token.text.into(), token.blame))
            }
            Kind::Name if self.memory => Ok(Expression::Memory(self.place()?)),
            Kind::Name => {
                let text = "a memory location in an expression";
                let problem = Diagnostic::error("rmm-syntax", token.blame, text)
                    .expecting("expected a register or number")
                    .help(format!("read it into a register first: `read: $r := {}`", token.text));
                self.problems.push(problem);
                Err(Bad)
            }
            _ if token.is("-") => {
                self.next();
                match self.deeper(Self::unit)? {
                    Expression::Number(number) => Ok(Expression::Number(-number)),
                    operand => Ok(Expression::Negate(Box::new(operand))),
                }
            }
            _ if token.is("(") => {
                self.next();
                let inner = self.deeper(Self::expression)?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => self.unexpected("an expression"),
        }
    }

    fn condition(&mut self) -> Read<Condition> {
        let mut left = self.conjunction()?;
        while self.accept("||").is_some() {
            self.lengthen()?;
            left = Condition::Or(Box::new(left), Box::new(self.conjunction()?));
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Read<Condition> {
        let mut left = self.deeper(Self::negation)?;
        while self.accept("&&").is_some() {
            self.lengthen()?;
            left = Condition::And(Box::new(left), Box::new(self.deeper(Self::negation)?));
        }
        Ok(left)
    }

    fn negation(&mut self) -> Read<Condition> {
        if self.accept("not").is_some() {
            return Ok(Condition::Not(Box::new(self.deeper(Self::negation)?)));
        }
        if self.accept("true").is_some() {
            return Ok(Condition::Constant(true));
        }
        if self.accept("false").is_some() {
            return Ok(Condition::Constant(false));
        }
        if self.accept("[").is_some() {
            let inner = self.deeper(Self::condition)?;
            self.expect("]")?;
            return Ok(inner);
        }
        let left = self.expression()?;
        let operator = match self.peek().text {
            "=" => Binary::Equal,
            "!=" => Binary::NotEqual,
            "<" => Binary::Less,
            "<=" => Binary::LessEqual,
            ">" => Binary::Greater,
            ">=" => Binary::GreaterEqual,
            _ => return self.unexpected("a comparison: `=`, `!=`, `<`, `<=`, `>` or `>=`"),
        };
        self.next();
        Ok(Condition::Compare(operator, left, self.expression()?))
    }
}

/// From one token to another. Where a macro puts tokens of two places into one statement and the
/// last stands before the first, the first alone.
fn cover(first: Span, last: Span) -> Span {
    if last.end >= first.start { first.to(last) } else { first }
}
