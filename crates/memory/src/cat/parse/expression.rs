//! Expressions. From loose to tight, as herd's grammar declares it:
//!
//! | operator | |
//! |---|---|
//! | `\|` | union |
//! | `++` | adds an element (parsed, not supported) |
//! | `;` | sequence |
//! | `\` | difference, to the left |
//! | `&` | intersection |
//! | `*` between operands, `* + ?` after and `~` before one | do not mix without parentheses |
//! | `^-1` | inverse |
//! | `f x`, `f(x, y)` | application, of names only |
//!
//! So `a & b ; c` is `(a & b) ; c` and `a | b & c ; d` is `a | ((b & c) ; d)`. A `*` is the product
//! where an operand follows it, else the closure. `let`, `fun`, `try`, `if` and `match` reach as far as
//! they can and stand inside an operator only in parentheses.

use std::sync::Arc;

use wattle_source::Diagnostic;

use super::super::lex::Kind;
use super::super::syntax::{Binding, Condition, Expr, ExprKind, Function, Pattern};
use super::{Parsed, Parser, expr, is_reserved, pattern};
use crate::cat::codes;

/// How many operators after one operand.
const LONGEST: usize = 16;

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        self.descend()?;
        let expression = self.one_expression()?;
        self.depth -= 1;
        Ok(expression)
    }

    fn one_expression(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let Kind::Word(word) = self.peek() else { return self.operators_or_tuple() };
        let kind = match word {
            "let" => {
                self.at += 1;
                let recursive = self.accept("rec");
                let bindings = self.bindings()?;
                self.expect("in")?;
                ExprKind::Let { recursive, bindings, body: Box::new(self.expression()?) }
            }
            "fun" => {
                self.at += 1;
                let pattern = match self.accept("(") {
                    true => self.formals()?,
                    false => Pattern::One(self.formal()?),
                };
                self.expect("->")?;
                ExprKind::Function(Arc::new(Function { pattern, body: self.expression()? }))
            }
            "try" => {
                self.at += 1;
                let first = self.expression()?;
                self.expect("with")?;
                ExprKind::Try(Box::new(first), Box::new(self.expression()?))
            }
            "if" => self.choice()?,
            "match" => {
                self.at += 1;
                self.expression()?;
                self.clauses(|parser| parser.expression().map(drop))?;
                ExprKind::Unsupported("`match`")
            }
            _ => return self.operators_or_tuple(),
        };
        Ok(expr(kind, self.since(start)))
    }

    fn operators_or_tuple(&mut self) -> Parsed<Expr> {
        self.chain(",", Self::operators, ExprKind::Tuple)
    }

    fn choice(&mut self) -> Parsed<ExprKind> {
        self.at += 1;
        let by_variant = (0..).map(|count| self.ahead(count)).find(|kind| *kind != Kind::Sign("("));
        let condition = match by_variant {
            Some(Kind::Text(_) | Kind::Word("not")) => Some(self.condition()?),
            _ => {
                self.expression()?;
                if !["=", "subset", "in"].iter().any(|word| self.accept(word)) {
                    return Err(self.unexpected("`=`, `subset` or `in`"));
                }
                self.expression()?;
                None
            }
        };
        self.expect("then")?;
        let then = Box::new(self.expression()?);
        self.expect("else")?;
        let otherwise = Box::new(self.expression()?);
        Ok(match condition {
            Some(condition) => ExprKind::If(condition, then, otherwise),
            None => ExprKind::Unsupported("`if` on values"),
        })
    }

    /// On variants.
    pub(crate) fn condition(&mut self) -> Parsed<Condition> {
        self.descend()?;
        let mut left = self.conjunction()?;
        let mut count = 0;
        while self.accept("||") {
            left = Condition::Or(Box::new(left), Box::new(self.conjunction()?));
            count += 1;
            self.not_too_many(count)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut left = self.literal()?;
        let mut count = 0;
        while self.accept("&&") {
            left = Condition::And(Box::new(left), Box::new(self.literal()?));
            count += 1;
            self.not_too_many(count)?;
        }
        Ok(left)
    }

    fn literal(&mut self) -> Parsed<Condition> {
        let negated = self.accept("not");
        let inner = if self.accept("(") {
            let inner = self.condition()?;
            self.expect(")")?;
            inner
        } else if let Kind::Text(name) = self.peek() {
            self.at += 1;
            Condition::Variant(name.to_owned())
        } else {
            return Err(self.unexpected("a variant in quotes"));
        };
        Ok(if negated { Condition::Not(Box::new(inner)) } else { inner })
    }

    pub(crate) fn bindings(&mut self) -> Parsed<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.accept("and") {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    fn binding(&mut self) -> Parsed<Binding> {
        if self.accept("(") {
            let pattern = self.formals()?;
            self.expect("=")?;
            return Ok(Binding { pattern, body: self.expression()? });
        }
        let start = self.span();
        let first = self.formal()?;
        let parameters = if self.accept("(") {
            Some(self.formals()?)
        } else if self.is("=") {
            None
        } else if self.is(",") {
            let mut formals = vec![first];
            while self.accept(",") {
                formals.push(self.formal()?);
            }
            self.expect("=")?;
            return Ok(Binding { pattern: pattern(formals), body: self.expression()? });
        } else {
            match self.formal() {
                Ok(formal) => Some(Pattern::One(formal)),
                Err(_) => return Err(self.unexpected("`=` or a parameter")),
            }
        };
        self.expect("=")?;
        let body = self.expression()?;
        let body = match parameters {
            None => body,
            Some(pattern) => {
                let kind = ExprKind::Function(Arc::new(Function { pattern, body }));
                expr(kind, self.since(start))
            }
        };
        Ok(Binding { pattern: Pattern::One(first), body })
    }

    /// An expression of operators, `|` outermost.
    pub(crate) fn operators(&mut self) -> Parsed<Expr> {
        self.chain("|", Self::additions, ExprKind::Union)
    }

    fn additions(&mut self) -> Parsed<Expr> {
        self.chain("++", Self::sequences, |_| ExprKind::Unsupported("`++`"))
    }

    fn sequences(&mut self) -> Parsed<Expr> {
        self.chain(";", Self::differences, ExprKind::Sequence)
    }

    fn differences(&mut self) -> Parsed<Expr> {
        self.chain("\\", Self::intersections, ExprKind::Difference)
    }

    fn intersections(&mut self) -> Parsed<Expr> {
        self.chain("&", Self::product, ExprKind::Intersection)
    }

    /// Operands of one operator, flat.
    fn chain(
        &mut self,
        sign: &str,
        operand: fn(&mut Self) -> Parsed<Expr>,
        build: fn(Vec<Expr>) -> ExprKind,
    ) -> Parsed<Expr> {
        let start = self.span();
        let first = operand(self)?;
        if !self.is(sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.accept(sign) {
            parts.push(operand(self)?);
        }
        Ok(expr(build(parts), self.since(start)))
    }

    fn product(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if self.accept("~") {
            let mut count = 1;
            while self.accept("~") {
                count += 1;
                self.not_too_many(count)?;
            }
            let mut inner = self.power()?;
            self.nothing_as_tight("~")?;
            for _ in 0..count {
                inner = expr(ExprKind::Complement(Box::new(inner)), self.since(start));
            }
            return Ok(inner);
        }
        let mut left = self.power()?;
        let mut count = 0;
        loop {
            let build = match self.peek() {
                Kind::Sign("+") => ExprKind::Plus,
                Kind::Sign("?") => ExprKind::Maybe,
                Kind::Sign("^") => ExprKind::Inverse,
                Kind::Sign("*") if self.starts_operand(1) => {
                    self.at += 1;
                    if self.is("~") {
                        return Err(self.ambiguous("*"));
                    }
                    let right = self.power()?;
                    self.nothing_as_tight("*")?;
                    return Ok(expr(ExprKind::Product(Box::new(left), Box::new(right)), self.since(start)));
                }
                Kind::Sign("*") => ExprKind::Star,
                _ => return Ok(left),
            };
            if self.next().kind == Kind::Sign("^") {
                self.expect("-1")?;
            }
            count += 1;
            self.not_too_many(count)?;
            left = expr(build(Box::new(left)), self.since(start));
        }
    }

    /// `* + ? ~` are of one strength, and herd refuses to guess which comes first.
    fn nothing_as_tight(&self, sign: &str) -> Parsed<()> {
        match self.peek() {
            Kind::Sign("*" | "+" | "?") => Err(self.ambiguous(sign)),
            _ => Ok(()),
        }
    }

    fn ambiguous(&self, sign: &str) -> Diagnostic {
        let other = match self.peek() {
            Kind::Sign(other) => other,
            _ => "*",
        };
        self.error(
            codes::AMBIGUOUS,
            format!("`{sign}` and `{other}` bind alike: parentheses must say which is first"),
        )
    }

    fn not_too_many(&self, count: usize) -> Parsed<()> {
        match count > LONGEST {
            true => Err(self.error(codes::NESTING, format!("more than {LONGEST} operators on one operand"))),
            false => Ok(()),
        }
    }

    /// Does an operand start `count` tokens from here?
    fn starts_operand(&self, count: usize) -> bool {
        match self.ahead(count) {
            Kind::Word("begin") | Kind::Tag | Kind::Sign("(" | "{" | "[" | "_" | "0") => true,
            Kind::Word(word) => !is_reserved(word),
            Kind::Sign("~") => {
                !matches!(self.ahead(count + 1), Kind::Word("acyclic" | "irreflexive" | "empty"))
            }
            _ => false,
        }
    }

    /// An operand with `^-1` behind it.
    fn power(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut base = match self.peek() {
            Kind::Word(word) if !is_reserved(word) => self.application()?,
            _ => self.simple()?,
        };
        let mut count = 0;
        while self.accept("^") {
            self.expect("-1")?;
            count += 1;
            self.not_too_many(count)?;
            base = expr(ExprKind::Inverse(Box::new(base)), self.since(start));
        }
        Ok(base)
    }

    fn application(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let name = self.ident("an operand")?;
        let mut function = expr(ExprKind::Name(name.name), name.span);
        let mut count = 0;
        while self.starts_operand(0) && !self.is("~") {
            let argument = self.argument()?;
            count += 1;
            self.not_too_many(count)?;
            function = expr(ExprKind::Apply(Box::new(function), Box::new(argument)), self.since(start));
        }
        Ok(function)
    }

    /// What a function or procedure is applied to.
    pub(crate) fn argument(&mut self) -> Parsed<Expr> {
        match self.peek() {
            Kind::Word(word) if !is_reserved(word) => Ok(expr(ExprKind::Name(word.into()), self.next().span)),
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Kind::Sign("0") => {
                self.at += 1;
                ExprKind::Empty
            }
            Kind::Sign("_") => {
                self.at += 1;
                ExprKind::Universe
            }
            Kind::Tag => {
                self.at += 1;
                ExprKind::Unsupported("a tag as a value")
            }
            Kind::Sign("{") => {
                self.at += 1;
                if self.accept("}") {
                    ExprKind::Empty
                } else {
                    self.expression()?;
                    self.expect("}")?;
                    ExprKind::Unsupported("a set given by its elements")
                }
            }
            Kind::Sign("[") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect("]")?;
                ExprKind::Identity(Box::new(inner))
            }
            Kind::Sign("(") => {
                self.at += 1;
                if self.accept(")") {
                    ExprKind::Tuple(Vec::new())
                } else {
                    let inner = self.expression()?;
                    self.expect(")")?;
                    inner.kind
                }
            }
            Kind::Word("begin") => {
                self.at += 1;
                let inner = self.expression()?;
                self.expect("end")?;
                inner.kind
            }
            _ => return Err(self.unexpected("a set or relation")),
        };
        Ok(expr(kind, self.since(start)))
    }
}
