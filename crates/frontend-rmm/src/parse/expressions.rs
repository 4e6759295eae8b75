//! Expressions and conditions.

use wattle_logic::Binary;
use wattle_source::Diagnostic;

use super::super::ast::{Condition, Expression};
use super::super::lexer::Kind;
use super::{Bad, LONGEST, Parser, Read};
use crate::codes;

impl Parser<'_> {
    pub(super) fn whole_expression(&mut self) -> Read<Expression> {
        self.length = 0;
        self.expression()
    }

    pub(super) fn whole_condition(&mut self) -> Read<Condition> {
        self.length = 0;
        self.condition()
    }

    fn lengthen(&mut self) -> Read<()> {
        self.length += 1;
        if self.length > LONGEST {
            let here = self.peek().blame;
            return self.error(
                codes::NESTING,
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
                let problem = Diagnostic::error(codes::SYNTAX, token.blame, text)
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
