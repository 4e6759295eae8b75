//! Formulas and terms.
//!
//! From the loosest: `=>` and `<=>`, `||`, `&&`, `not`, comparisons. The body of a quantifier reaches as far as it can,
//! the last part of an `if` only to the next of these operators. A bracket may open a formula or a term; which one shows only later, so a term
//! is tried first where a comparison or an operator follows it.

use wattle_source::Diagnostic;

use super::{Parser, Read};
use crate::ast::{Arithmetic, Comparison, Expr, ExprKind, Formula, FormulaKind, Join, Quantified};
use crate::codes;
use crate::lexer::{Kind, Token};

const DEEPEST: usize = 150;
const MOST_OPERATORS: usize = 2000;

impl Parser<'_> {
    /// `{ formula }`
    pub(super) fn braces(&mut self) -> Read<Formula> {
        self.expect("{")?;
        let formula = self.formula()?;
        if !self.accept("}") {
            return self.unexpected("`}`, or `&&` and another condition");
        }
        Ok(formula)
    }

    pub(super) fn formula(&mut self) -> Read<Formula> {
        self.deeper(|parser| parser.joined(0))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= DEEPEST {
            let message = format!("more than {DEEPEST} levels of nesting");
            return self.error(codes::NESTING, self.peek().span, message);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn count_operator(&mut self) -> Read<()> {
        self.operators += 1;
        if self.operators > MOST_OPERATORS {
            let message = format!("more than {MOST_OPERATORS} operators in one declaration");
            return self.error(codes::NESTING, self.peek().span, message);
        }
        Ok(())
    }

    /// Operators that bind at least this tightly: 0 for `=>` and `<=>`, 1 for `||`, 2 for `&&`. The first group to
    /// the right, the others to the left.
    fn joined(&mut self, least: u8) -> Read<Formula> {
        if least > 2 {
            return self.deeper(Self::negated);
        }
        let mut left = self.joined(least + 1)?;
        loop {
            let join = match (least, self.peek()) {
                (0, token) if token.is("=>") => Join::Implies,
                (0, token) if token.is("<=>") => Join::Iff,
                (1, token) if token.is("||") => Join::Or,
                (2, token) if token.is("&&") => Join::And,
                _ => return Ok(left),
            };
            self.next();
            self.count_operator()?;
            let right = match least {
                0 => self.deeper(|parser| parser.joined(0))?,
                _ => self.joined(least + 1)?,
            };
            let span = left.span.to(right.span);
            left = Formula { kind: FormulaKind::Join(join, Box::new((left, right))), span };
        }
    }

    fn negated(&mut self) -> Read<Formula> {
        let token = self.peek();
        if self.accept("not") {
            let inner = self.deeper(Self::negated)?;
            let span = token.span.to(inner.span);
            return Ok(Formula { kind: FormulaKind::Not(Box::new(inner)), span });
        }
        if token.is("!") {
            let problem = Diagnostic::error(codes::SYNTAX, token.span, "expected a condition, found `!`");
            return Err(Box::new(problem.help("negation is written `not`")));
        }
        self.atom()
    }

    fn atom(&mut self) -> Read<Formula> {
        let token = self.peek();
        match token.text.as_str() {
            _ if token.kind == Kind::Symbol && token.text == "(" => return self.bracket(),
            _ if token.kind != Kind::Keyword => {}
            "true" | "false" => {
                self.next();
                return Ok(Formula { kind: FormulaKind::Literal(token.text == "true"), span: token.span });
            }
            "fence" => {
                self.next();
                self.expect("(")?;
                let process = match self.peek().kind {
                    Kind::Small => Some(self.small("a process")?),
                    _ => None,
                };
                let end = self.peek().span;
                self.expect(")")?;
                return Ok(Formula { kind: FormulaKind::Fence(process), span: token.span.to(end) });
            }
            "if" => return self.conditional(),
            "forall" | "exists" | "forall_other" | "exists_other" => return self.quantified(),
            _ => return self.unexpected("a condition"),
        }
        let calls =
            token.kind == Kind::Small && self.tokens.get(self.at + 1).is_some_and(|next| next.is("("));
        if calls { self.call() } else { self.comparison() }
    }

    /// A formula in brackets, or a comparison whose left side begins with one.
    fn bracket(&mut self) -> Read<Formula> {
        let (start, before) = (self.at, self.problems.len());
        let token = self.next();
        let inside = self.formula();
        if let Ok(inside) = inside {
            if self.peek().is(")") && !self.tokens.get(self.at + 1).is_some_and(goes_on) {
                let end = self.next().span;
                return Ok(Formula { span: token.span.to(end), ..inside });
            }
            if !self.peek().is(")") {
                return self.unexpected("`)`");
            }
        } else if let Err(problem) = inside {
            // What is wrong inside is wrong as a term too, unless this is one.
            let reached = self.at;
            self.at = start;
            let comparison = self.comparison();
            return if self.at >= reached { comparison } else { Err(problem) };
        }
        self.at = start;
        self.problems.truncate(before);
        self.comparison()
    }

    fn conditional(&mut self) -> Read<Formula> {
        let start = self.next().span;
        let condition = self.formula()?;
        self.expect("then")?;
        let then = self.formula()?;
        self.expect("else")?;
        // As in Cubicle: `if a then b else c && d` is `(if …) && d`.
        let otherwise = self.deeper(Self::negated)?;
        let span = start.to(otherwise.span);
        Ok(Formula { kind: FormulaKind::If(Box::new((condition, then, otherwise))), span })
    }

    fn quantified(&mut self) -> Read<Formula> {
        let word = self.next();
        let (universal, other) = (word.text.starts_with("forall"), word.text.ends_with("_other"));
        let mut bound = vec![self.small("the name of a process")?];
        while !other && (self.accept("<>") || self.accept(",") || self.peek().kind == Kind::Small) {
            bound.push(self.small("the name of a process")?);
        }
        self.expect(".")?;
        let body = self.formula()?;
        let span = word.span.to(body.span);
        Ok(Formula {
            kind: FormulaKind::Quantified(Quantified { universal, other, bound }, Box::new(body)),
            span,
        })
    }

    fn call(&mut self) -> Read<Formula> {
        let name = self.small("a predicate")?;
        self.expect("(")?;
        let mut arguments = Vec::new();
        let mut end = self.peek().span;
        while !self.accept(")") {
            arguments.push(self.term()?);
            if !self.accept(",") && !self.peek().is(")") {
                return self.unexpected("`,` or `)`");
            }
            end = self.peek().span;
        }
        let span = name.span.to(end);
        Ok(Formula { kind: FormulaKind::Call(name, arguments), span })
    }

    fn comparison(&mut self) -> Read<Formula> {
        let left = self.term()?;
        let comparison = match self.peek() {
            token if token.is("=") => Comparison::Equal,
            token if token.is("<>") => Comparison::NotEqual,
            token if token.is("<") => Comparison::Less,
            token if token.is("<=") => Comparison::LessEqual,
            token if token.is(">") => Comparison::Greater,
            token if token.is(">=") => Comparison::GreaterEqual,
            token if token.is(":=") => {
                let problem =
                    Diagnostic::error(codes::SYNTAX, token.span, "expected a comparison, found `:=`");
                return Err(Box::new(problem.help("conditions compare with `=`")));
            }
            _ => return Ok(Formula { span: left.span, kind: FormulaKind::Term(left) }),
        };
        self.next();
        let right = self.term()?;
        let span = left.span.to(right.span);
        Ok(Formula { kind: FormulaKind::Compare(comparison, left, right), span })
    }

    // Terms.

    pub(super) fn term(&mut self) -> Read<Expr> {
        self.deeper(|parser| {
            let mut left = parser.product()?;
            loop {
                let operator = match parser.peek() {
                    token if token.is("+") => Arithmetic::Add,
                    token if token.is("-") => Arithmetic::Subtract,
                    _ => return Ok(left),
                };
                parser.next();
                parser.count_operator()?;
                let right = parser.product()?;
                let span = left.span.to(right.span);
                left = Expr { kind: ExprKind::Arithmetic(operator, Box::new((left, right))), span };
            }
        })
    }

    fn product(&mut self) -> Read<Expr> {
        let mut left = self.factor()?;
        while self.accept("*") {
            self.count_operator()?;
            let right = self.factor()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Arithmetic(Arithmetic::Multiply, Box::new((left, right))), span };
        }
        Ok(left)
    }

    fn factor(&mut self) -> Read<Expr> {
        let token = self.peek();
        let one = |kind: ExprKind| Expr { kind, span: token.span };
        match token.kind {
            Kind::Integer => Ok(one(ExprKind::Integer(self.integer()?))),
            Kind::Real => {
                self.next();
                Ok(one(ExprKind::Real))
            }
            Kind::Process => {
                self.next();
                match token.text[1..].parse::<u32>() {
                    Ok(number) if number > 0 => self.observed(one(ExprKind::Process(number))),
                    _ => self.error(codes::NUMBER, token.span, "processes are numbered `#1`, `#2`, …"),
                }
            }
            Kind::Small => {
                let name = self.small("a term")?;
                self.observed(one(ExprKind::Small(name)))
            }
            Kind::Capital => self.access(None),
            Kind::Keyword if token.text == "true" || token.text == "false" => {
                self.next();
                Ok(one(ExprKind::Bool(token.text == "true")))
            }
            Kind::Symbol if token.text == "-" => {
                self.next();
                let inner = self.deeper(Self::factor)?;
                let span = token.span.to(inner.span);
                Ok(Expr { kind: ExprKind::Negate(Box::new(inner)), span })
            }
            Kind::Symbol if token.text == "(" => {
                self.next();
                let inner = self.term()?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => self.unexpected("a term"),
        }
    }

    /// A process, or what it sees.
    fn observed(&mut self, process: Expr) -> Read<Expr> {
        if self.accept("@") { self.access(Some(Box::new(process))) } else { Ok(process) }
    }

    fn access(&mut self, observer: Option<Box<Expr>>) -> Read<Expr> {
        let name = self.capital("a variable")?;
        let start = observer.as_ref().map_or(name.span, |observer| observer.span);
        let mut span = start.to(name.span);
        let mut indices = Vec::new();
        if self.accept("[") {
            loop {
                indices.push(self.term()?);
                if !self.accept(",") {
                    break;
                }
            }
            span = span.to(self.peek().span);
            self.expect("]")?;
        }
        Ok(Expr { kind: ExprKind::Capital { observer, name, indices }, span })
    }
}

/// Does a term go on after its closing bracket?
fn goes_on(token: &Token) -> bool {
    ["=", "<>", "<", "<=", ">", ">=", "+", "-", "*"].iter().any(|symbol| token.is(symbol))
}
