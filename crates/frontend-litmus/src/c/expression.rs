//! Expressions and calls.

use wattle_logic::{Binary, Sort, Term, Unary};
use wattle_program::{Fence, Mode, Name, Op, Tags};

use super::super::codes;
use super::super::lex::Read;
use super::words::{self, Call, ORDERS, Order};
use super::{Body, as_number, pointer};

/// What an expression is worth: a term, or a read that has not found its place yet (so that
/// `r = *x` reads into `r` at once).
pub(crate) enum Part {
    Term(Term),
    Load { address: Term, tags: Tags },
}

/// The tags of an access: by memory order, then those of a plain access. `A` is herd7's set of all
/// atomic accesses.
pub(crate) fn tags() -> Vec<Tags> {
    let atomic: Name = "A".into();
    let orders = ORDERS.iter().map(|(_, set, _)| [atomic.clone(), (*set).into()].into());
    orders.chain([["NA".into()].into()]).collect()
}

/// The position of the plain accesses' tags.
pub(crate) const PLAIN: usize = ORDERS.len();

/// C's binary operators: how tightly they bind, loosest first; their symbols; what they do.
const OPERATORS: [(u8, &str, Binary); 18] = [
    (0, "||", Binary::Or),
    (1, "&&", Binary::And),
    (2, "|", Binary::BitOr),
    (3, "^", Binary::BitXor),
    (4, "&", Binary::BitAnd),
    (5, "==", Binary::Equal),
    (5, "!=", Binary::NotEqual),
    (6, "<=", Binary::LessEqual),
    (6, ">=", Binary::GreaterEqual),
    (6, "<", Binary::Less),
    (6, ">", Binary::Greater),
    (7, "<<", Binary::ShiftLeft),
    (7, ">>", Binary::ShiftRight),
    (8, "+", Binary::Add),
    (8, "-", Binary::Subtract),
    (9, "*", Binary::Multiply),
    (9, "/", Binary::Divide),
    (9, "%", Binary::Remainder),
];

impl<'a> Body<'a, '_> {
    pub(crate) fn expression(&mut self) -> Read<Part> {
        self.binary(0)
    }

    fn operator(&mut self, loosest: u8) -> Option<(u8, Binary)> {
        if matches!(self.scanner.next(), b')' | b',' | b';' | b'=' if self.scanner.cursor.ahead(1) != b'=') {
            return None;
        }
        let found =
            OPERATORS.iter().find(|(tightness, symbol, _)| *tightness >= loosest && self.scanner.eat(symbol));
        found.map(|(tightness, _, operator)| (*tightness, *operator))
    }

    fn binary(&mut self, loosest: u8) -> Read<Part> {
        self.deeper()?;
        let mut left = self.unary()?;
        while let Some((tightness, operator)) = self.operator(loosest) {
            left = Part::Term(match operator {
                Binary::And | Binary::Or => self.lazy(left, operator, tightness)?,
                _ => {
                    let left = self.number_now(left)?;
                    let right = self.binary(tightness + 1)?;
                    let right = self.number_now(right)?;
                    Term::binary(operator, left, right)
                }
            });
        }
        self.depth -= 1;
        Ok(left)
    }

    /// `a && b`, `a || b`
    fn lazy(&mut self, left: Part, operator: Binary, tightness: u8) -> Read<Term> {
        let left = self.truth_now(left)?;
        self.flush();
        // The second operand begins at a point of its own. If it reads nothing, the point goes.
        let before = self.current;
        let edges = self.cfg.edges.len();
        let start = self.point();
        self.current = start;
        let right = self.binary(tightness + 1)?;
        let right = self.truth_now(right)?;
        if self.cfg.edges.len() == edges && self.pending.is_empty() {
            self.cfg.points.pop();
            self.current = before;
            return Ok(Term::binary(operator, left, right));
        }
        let result = self.temporary()?;
        self.pending.push(Op::Assign { local: result, value: as_number(right) });
        self.flush();
        let (goes_on, decided) = match operator {
            Binary::And => (left.clone(), left.negated()),
            _ => (left.negated(), left),
        };
        self.edge(before, goes_on, start);
        let known = Term::int(i64::from(operator == Binary::Or));
        let end = self.current;
        self.current = before;
        self.pending.push(Op::Assign { local: result, value: known });
        self.flush();
        // The edge just made is the other way: it is guarded, and leads to the end.
        if let Some(edge) = self.cfg.edges.last_mut() {
            edge.guard = decided;
            edge.to = end;
        }
        self.cfg.points.pop();
        self.current = end;
        let value = self.names.threads[self.thread].term(result);
        Ok(Term::binary(Binary::NotEqual, value, Term::int(0)))
    }

    pub(crate) fn unary(&mut self) -> Read<Part> {
        self.deeper()?;
        let part = self.operand()?;
        self.depth -= 1;
        Ok(part)
    }

    fn operand(&mut self) -> Read<Part> {
        self.scanner.blank();
        let start = self.scanner.cursor.at;
        if let Some(value) = self.scanner.number() {
            return Ok(Part::Term(Term::int(value)));
        }
        if self.scanner.eat("!") {
            let operand = self.unary()?;
            return Ok(Part::Term(self.truth_now(operand)?.negated()));
        }
        if self.scanner.eat("-") {
            let operand = self.unary()?;
            return Ok(Part::Term(Term::unary(Unary::Negate, self.number_now(operand)?)));
        }
        if self.scanner.eat("~") {
            let operand = self.unary()?;
            return Ok(Part::Term(Term::unary(Unary::Complement, self.number_now(operand)?)));
        }
        if self.scanner.eat("*") {
            let operand = self.unary()?;
            let address = self.address_now(operand)?;
            return Ok(Part::Load { address, tags: self.tags[PLAIN].clone() });
        }
        if self.scanner.eat("(") {
            let word = self.scanner.peek_word();
            if word.is_some_and(|word| words::begins_type(word) && !self.is_known(word)) {
                // A cast. All integers are words here.
                while self.scanner.eat("*") || self.scanner.word().is_some() {}
                self.scanner.expect(")")?;
                return self.unary();
            }
            let inner = self.expression()?;
            self.scanner.expect(")")?;
            return Ok(inner);
        }
        let Some(word) = self.scanner.word() else {
            return Err(self.scanner.expected("an expression"));
        };
        match self.scanner.next() {
            b'(' => return self.call(word, start),
            b'{' => return Err(self.scanner.unsupported(start, &format!("the primitive `{word}`"))),
            b'[' => return Err(self.scanner.unsupported(start, "an array")),
            _ => {}
        }
        if let Some((_, variable)) = self.parameters.iter().find(|(name, _)| *name == word) {
            return Ok(Part::Term(Term::number(self.names.address(*variable, 0))));
        }
        if self.is_known(word) || self.names.find_variable(word).is_none() {
            let local = self.names.local(self.thread, word);
            return Ok(Part::Term(self.names.threads[self.thread].term(local)));
        }
        let message = format!("P{} has no parameter `{word}`", self.names.threads[self.thread].number);
        Err(self.scanner.cursor.error(start, codes::LOCATION, message))
    }

    fn is_known(&self, name: &str) -> bool {
        self.is_parameter(name) || self.names.threads[self.thread].find(name).is_some()
    }

    /// A call, from its `(` on.
    fn call(&mut self, word: &'a str, start: usize) -> Read<Part> {
        let Some((call, explicit)) = words::call(word) else {
            return Err(if words::is_kernel(word) {
                self.scanner.unsupported(start, &format!("the kernel's `{word}`"))
            } else {
                let message = format!("`{}` is not a function that wattle knows", word);
                self.scanner.cursor.error(start, codes::INSTRUCTION, message)
            });
        };
        self.scanner.expect("(")?;
        if call == Call::Fence {
            let order = self.order()?;
            self.scanner.expect(")")?;
            let (_, set, orders) = ORDERS[order.0];
            self.flush();
            let fence = Fence { tag: set.into(), orders, cumulative: true, location: None };
            self.pending.push(Op::Fence(fence));
            self.flush();
            return Ok(Part::Term(Term::int(0)));
        }
        let object = self.expression()?;
        let address = self.address_now(object)?;
        if let Call::CompareExchange { weak } = call {
            return self.compare_exchange(address, explicit, weak);
        }
        let argument = match call {
            Call::Load => None,
            _ => {
                self.scanner.expect(",")?;
                let argument = self.expression()?;
                Some(self.number_now(argument)?)
            }
        };
        let order = if explicit { self.next_order()? } else { Order::SEQ_CST };
        self.scanner.expect(")")?;
        let tags = self.tags[if call == Call::Init { PLAIN } else { order.0 }].clone();
        let Some(argument) = argument else {
            return Ok(Part::Load { address, tags });
        };
        self.flush();
        if matches!(call, Call::Store | Call::Init) {
            self.pending.push(Op::Store { address, value: argument, tags });
            self.flush();
            return Ok(Part::Term(Term::int(0)));
        }
        let into = self.temporary()?;
        let old = self.names.threads[self.thread].term(into);
        let value = match call {
            Call::Fetch(operator) => Term::binary(operator, old.clone(), argument),
            _ => argument,
        };
        self.pending.push(Op::Load { into, address: address.clone(), tags: tags.clone() });
        self.pending.push(Op::Store { address, value, tags });
        self.mode = Mode::Locked;
        self.flush();
        Ok(Part::Term(old))
    }

    /// `(object, expected, desired[, success, failure])`, from the comma after `object` on.
    fn compare_exchange(&mut self, address: Term, explicit: bool, weak: bool) -> Read<Part> {
        self.scanner.expect(",")?;
        let expected = if self.scanner.eat("&") {
            let Some(word) = self.scanner.word() else {
                return Err(self.scanner.expected("the name of a local"));
            };
            Expected::Local(self.names.local(self.thread, word))
        } else {
            let part = self.expression()?;
            Expected::Shared(self.address_now(part)?)
        };
        self.scanner.expect(",")?;
        let desired = self.expression()?;
        let desired = self.number_now(desired)?;
        let (success, failure) = match explicit {
            true => (self.next_order()?, self.next_order()?),
            false => (Order::SEQ_CST, Order::SEQ_CST),
        };
        self.scanner.expect(")")?;
        let wanted = match &expected {
            Expected::Local(local) => *local,
            Expected::Shared(address) => {
                let into = self.temporary()?;
                let tags = self.tags[PLAIN].clone();
                self.pending.push(Op::Load { into, address: address.clone(), tags });
                into
            }
        };
        self.flush();
        let (old, result) = (self.temporary()?, self.temporary()?);
        let thread = &self.names.threads[self.thread];
        let (wanted, read) = (thread.term(wanted), thread.term(old));
        let same = read.clone().equals(wanted);
        let before = self.current;

        let tags = self.tags[success.0].clone();
        self.pending.extend([
            Op::Load { into: old, address: address.clone(), tags: tags.clone() },
            Op::Assume { condition: same.clone() },
            Op::Store { address: address.clone(), value: desired, tags },
            Op::Assign { local: result, value: Term::int(1) },
        ]);
        self.mode = Mode::Locked;
        self.flush();
        let end = self.current;

        self.current = before;
        let tags = self.tags[failure.0].clone();
        self.pending.push(Op::Load { into: old, address, tags });
        if !weak {
            self.pending.push(Op::Assume { condition: same.negated() });
        }
        self.pending.push(Op::Assign { local: result, value: Term::int(0) });
        self.mode = Mode::Locked;
        match expected {
            Expected::Local(local) => self.pending.push(Op::Assign { local, value: read }),
            Expected::Shared(address) => {
                self.flush();
                let tags = self.tags[PLAIN].clone();
                self.pending.push(Op::Store { address, value: read, tags });
            }
        }
        self.flush();
        if let Some(edge) = self.cfg.edges.last_mut() {
            edge.to = end;
        }
        self.cfg.points.pop();
        self.current = end;
        Ok(Part::Term(self.names.threads[self.thread].term(result)))
    }

    fn next_order(&mut self) -> Read<Order> {
        self.scanner.expect(",")?;
        self.order()
    }

    fn order(&mut self) -> Read<Order> {
        let order = self.scanner.peek_word().and_then(words::order);
        match order {
            Some(order) => {
                self.scanner.word();
                Ok(order)
            }
            None => Err(self.scanner.expected("a memory order")),
        }
    }

    /// A read gets its place among those that this edge does, in no order.
    pub(crate) fn term_now(&mut self, part: Part) -> Read<Term> {
        match part {
            Part::Term(term) => Ok(term),
            Part::Load { address, tags } => {
                let into = self.temporary()?;
                self.pending.push(Op::Load { into, address, tags });
                Ok(self.names.threads[self.thread].term(into))
            }
        }
    }

    pub(crate) fn number_now(&mut self, part: Part) -> Read<Term> {
        Ok(as_number(self.term_now(part)?))
    }

    pub(crate) fn address_now(&mut self, part: Part) -> Read<Term> {
        Ok(pointer(self.number_now(part)?))
    }

    pub(crate) fn truth_now(&mut self, part: Part) -> Read<Term> {
        let term = self.term_now(part)?;
        Ok(match term.sort() {
            Sort::Bool => term,
            _ => Term::binary(Binary::NotEqual, term, Term::int(0)),
        })
    }
}

/// Where a compare-exchange finds the value that it expects, and leaves the one that it found.
enum Expected {
    Local(u32),
    Shared(Term),
}
