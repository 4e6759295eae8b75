//! Expressions and formulas: C's operators and precedence, by binding strength.

use wattle_logic::{Binary, Quantifier, Unary};
use wattle_source::{Diagnostic, Span};

use super::super::ast::{Expr, ExprKind, Order, Place, Target, Update, UpdateKind};
use super::super::lex::{Kind, is_reserved, too_large};
use super::{Parsed, Parser, TALLEST};
use crate::codes;

/// How strongly an operator binds; `?:` binds with 0.
fn strength(sign: &str) -> Option<(u8, Binary)> {
    use Binary::*;
    Some(match sign {
        "||" => (1, Or),
        "&&" => (2, And),
        "|" => (3, BitOr),
        "^" => (4, BitXor),
        "&" => (5, BitAnd),
        "==" => (6, Equal),
        "!=" => (6, NotEqual),
        "<" => (7, Less),
        "<=" => (7, LessEqual),
        ">" => (7, Greater),
        ">=" => (7, GreaterEqual),
        "<<" => (8, ShiftLeft),
        ">>" => (8, ShiftRight),
        "+" => (9, Add),
        "-" => (9, Subtract),
        "*" => (10, Multiply),
        "/" => (10, Divide),
        "%" => (10, Remainder),
        _ => return None,
    })
}

impl Parser<'_, '_> {
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| {
            let condition = parser.operators(1)?;
            if !parser.eat("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let start = condition.span;
            parser.node(
                start,
                [condition.height, then.height, otherwise.height],
                ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
            )
        })
    }

    /// An end of a range: an expression without comparisons.
    pub(crate) fn bound(&mut self) -> Parsed<Expr> {
        self.operators(8)
    }

    fn operators(&mut self, weakest: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Kind::Sign(sign) = self.kind()
            && let Some((strength, operator)) = strength(sign)
            && strength >= weakest
        {
            self.advance();
            let right = self.nested(|parser| parser.operators(strength + 1))?;
            let (start, heights) = (left.span, [left.height, right.height]);
            left = self.node(start, heights, ExprKind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn node<const N: usize>(&mut self, start: Span, below: [u32; N], kind: ExprKind) -> Parsed<Expr> {
        let height = below.into_iter().max().unwrap_or(0) + 1;
        let span = self.since(start);
        if height > TALLEST {
            let message = format!("this expression has more than {TALLEST} operators inside each other");
            return self.fail(
                Diagnostic::error(codes::NESTING, start, message).help("split it, with locals for the parts"),
            );
        }
        Ok(Expr { kind, span, height })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match self.kind() {
            Kind::Sign("!") => Unary::Not,
            Kind::Sign("-") => Unary::Negate,
            Kind::Sign("~") => Unary::Complement,
            _ => return self.primary(),
        };
        self.advance();
        if let (Unary::Negate, Kind::Number(number)) = (operator, self.kind()) {
            self.advance();
            // 2^63 wraps to the smallest integer, which is its own negation.
            return self.node(start, [0], ExprKind::Int((number as i64).wrapping_neg()));
        }
        let operand = self.nested(Self::unary)?;
        self.node(start, [operand.height], ExprKind::Unary(operator, Box::new(operand)))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let word = match self.kind() {
            Kind::Number(number) => {
                self.advance();
                let value = i64::try_from(number).unwrap_or_else(|_| {
                    too_large(&number.to_string(), start, self.problems);
                    0
                });
                return self.node(start, [0], ExprKind::Int(value));
            }
            Kind::Sign("*") => {
                self.advance();
                return self.node(start, [0], ExprKind::Star);
            }
            Kind::Sign("(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(Expr { span: self.since(start), ..inner });
            }
            Kind::Word(word) => word,
            _ => return self.expected("an expression"),
        };
        let simple = match word {
            "true" => Some(ExprKind::Bool(true)),
            "false" => Some(ExprKind::Bool(false)),
            "me" => Some(ExprKind::Me),
            _ => None,
        };
        if let Some(kind) = simple {
            self.advance();
            return self.node(start, [0], kind);
        }
        match word {
            "copies" => {
                self.advance();
                self.expect("(")?;
                let process = self.name("the name of a thread or process")?;
                self.expect(")")?;
                self.node(start, [0], ExprKind::Copies(process))
            }
            "nondet" => {
                self.advance();
                self.expect("(")?;
                let low = self.expression()?;
                self.expect(",")?;
                let high = self.expression()?;
                self.expect(")")?;
                let heights = [low.height, high.height];
                self.node(start, heights, ExprKind::Nondet(Box::new(low), Box::new(high)))
            }
            "cas" => self.update(UpdateKind::Cas, 2),
            "exchange" => self.update(UpdateKind::Exchange, 1),
            "fetch_add" => self.update(UpdateKind::FetchAdd, 1),
            "forall" => self.quantified(Quantifier::Forall),
            "exists" => self.quantified(Quantifier::Exists),
            "get" | "put" | "remote_add" | "remote_swap" | "remote_cas" => {
                let message = format!("`{word}` is a statement and cannot stand inside an expression");
                self.fail(Diagnostic::error(codes::SYNTAX, start, message))
            }
            _ if is_reserved(word) => self.expected("an expression"),
            _ => self.place_or_member(),
        }
    }

    fn update(&mut self, kind: UpdateKind, arguments: usize) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        self.expect("(")?;
        let place = self.place()?;
        let mut given = Vec::new();
        for _ in 0..arguments {
            self.expect(",")?;
            given.push(self.expression()?);
        }
        let order = match self.eat(",") {
            true => Some(self.order()?),
            false => None,
        };
        self.expect(")")?;
        let below = given.iter().chain(place.index.as_deref()).map(|part| part.height).max();
        self.node(start, [below.unwrap_or(0)], ExprKind::Update(Update { kind, order }, place, given))
    }

    fn order(&mut self) -> Parsed<Order> {
        let Kind::Word(word) = self.kind() else {
            return self.expected("`relaxed`, `acquire`, `release` or `acq_rel`");
        };
        let Some((_, order)) = Order::WORDS.iter().find(|(known, _)| *known == word) else {
            return self.expected("`relaxed`, `acquire`, `release` or `acq_rel`");
        };
        self.advance();
        Ok(*order)
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let names = self.list(|parser| parser.name("a name for a copy"))?;
        if !self.eat_word("in") {
            return self.expected("`in`");
        }
        let process = self.name("the name of a thread or process")?;
        self.expect(":")?;
        let body = Box::new(self.expression()?);
        let height = body.height + 3 * names.len() as u32;
        self.node(start, [height], ExprKind::Quantified { quantifier, names, process, body })
    }

    pub(crate) fn place(&mut self) -> Parsed<Place> {
        let name = self.name("the name of a variable")?;
        let start = name.span;
        let index = self.index()?;
        Ok(Place { name, index, span: self.since(start) })
    }

    fn index(&mut self) -> Parsed<Option<Box<Expr>>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let index = self.expression()?;
        self.expect("]")?;
        Ok(Some(Box::new(index)))
    }

    fn place_or_member(&mut self) -> Parsed<Expr> {
        let place = self.place()?;
        let start = place.span;
        let height = place.index.as_ref().map_or(0, |index| index.height);
        if self.is(".") || self.is("@") {
            let member = self.is(".");
            self.advance();
            let target = Target { process: place.name, copy: place.index, span: place.span };
            if member {
                let place = self.place()?;
                let height = height.max(place.index.as_ref().map_or(0, |index| index.height));
                return self.node(start, [height], ExprKind::Member(target, place));
            }
            let label = self.word("a label")?;
            return self.node(start, [height], ExprKind::At(target, label));
        }
        self.node(start, [height], ExprKind::Place(place))
    }
}
