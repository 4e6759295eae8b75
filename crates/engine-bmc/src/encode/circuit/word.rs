//! Words: integers as lists of literals, in two's complement, of just the length that they need.
//!
//! Every word is signed, and the last literal stands for all that would follow. So words of different
//! lengths mix freely, 0 and 1 are words of one and two literals, and a machine integer without a sign
//! is a word whose last literal is *false*. Sums and products are exact, or modulo a power of two where
//! their caller says that this is enough.

use std::rc::Rc;

use wattle_sat::Lit;

use super::Circuit;

/// The last literal is the sign, and differs from the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Word(Rc<[Lit]>);

impl Word {
    /// Lowest bit first; the last literal goes on for ever.
    pub(crate) fn new(mut bits: Vec<Lit>) -> Word {
        while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
            bits.pop();
        }
        if bits.is_empty() {
            bits.push(Lit::FALSE);
        }
        Word(bits.into())
    }

    pub(crate) fn constant(value: i64) -> Word {
        Word::new((0..64).map(|bit| Lit::from(value >> bit & 1 == 1)).collect())
    }

    /// 1 if the literal holds, and 0 otherwise.
    pub(crate) fn truth(literal: Lit) -> Word {
        Word::new(vec![literal, Lit::FALSE])
    }

    pub(crate) fn bits(&self) -> &[Lit] {
        &self.0
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bit(&self, number: usize) -> Lit {
        self.0[number.min(self.0.len() - 1)]
    }

    pub(crate) fn sign(&self) -> Lit {
        self.0[self.0.len() - 1]
    }

    /// The value, if it is a constant.
    pub(crate) fn value(&self) -> Option<i64> {
        self.value_by(|literal| literal.constant())
    }

    /// The value under an assignment.
    pub(crate) fn value_by(&self, assignment: impl Fn(Lit) -> Option<bool>) -> Option<i64> {
        let mut value = if assignment(self.sign())? { -1i64 } else { 0 };
        for literal in self.0.iter().rev() {
            value = value << 1 | i64::from(assignment(*literal)?);
        }
        Some(value)
    }

    /// The lowest `width` bits: read as a signed number, or as one without a sign.
    pub(crate) fn low(&self, width: usize, signed: bool) -> Word {
        let mut bits: Vec<Lit> = (0..width).map(|number| self.bit(number)).collect();
        if !signed || width == 0 {
            bits.push(Lit::FALSE);
        }
        Word::new(bits)
    }

    fn shifted(&self, by: usize) -> Word {
        let mut bits = vec![Lit::FALSE; by];
        bits.extend_from_slice(&self.0);
        Word::new(bits)
    }

    pub(crate) fn complement(&self) -> Word {
        Word(self.0.iter().map(|literal| !*literal).collect())
    }

    fn constants(&self) -> usize {
        self.0.iter().filter(|literal| literal.constant().is_some()).count()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bitwise {
    And,
    Or,
    Xor,
}

impl Circuit<'_> {
    /// A word of that many free bits, a sign among them.
    #[cfg(test)]
    pub(crate) fn fresh_word(&mut self, width: usize) -> Word {
        Word::new((0..width.max(1)).map(|_| self.fresh()).collect())
    }

    /// `left + right`, exact if it needs at most `limit` bits, else modulo 2^limit.
    pub(crate) fn add(&mut self, left: &Word, right: &Word, limit: usize) -> Word {
        self.sum(left, right, Lit::FALSE, limit)
    }

    pub(crate) fn subtract(&mut self, left: &Word, right: &Word, limit: usize) -> Word {
        self.sum(left, &right.complement(), Lit::TRUE, limit)
    }

    pub(crate) fn negate(&mut self, operand: &Word, limit: usize) -> Word {
        self.subtract(&Word::constant(0), operand, limit)
    }

    fn sum(&mut self, left: &Word, right: &Word, mut carry: Lit, limit: usize) -> Word {
        let width = (left.len().max(right.len()) + 1).min(limit);
        let mut bits = Vec::with_capacity(width);
        for number in 0..width {
            let (a, b) = (left.bit(number), right.bit(number));
            bits.push(self.parity([a, b, carry]));
            if number + 1 < width {
                carry = self.majority([a, b, carry]);
            }
        }
        Word::new(bits)
    }

    /// `left * right`, by the digits of one of them; the sign counts negatively.
    pub(crate) fn multiply(&mut self, left: &Word, right: &Word, limit: usize) -> Word {
        let width = (left.len() + right.len()).min(limit);
        let by_left =
            (left.constants() == left.len(), right.len()) > (right.constants() == right.len(), left.len());
        let (number, digits) = if by_left { (right, left) } else { (left, right) };
        let mut total = Word::constant(0);
        for place in 0..digits.len().min(width) {
            let digit = digits.bit(place);
            let row: Vec<Lit> = number.bits().iter().map(|bit| self.and(digit, *bit)).collect();
            let row = Word::new(row).shifted(place);
            total = match place + 1 == digits.len() {
                true => self.subtract(&total, &row, width),
                false => self.add(&total, &row, width),
            };
        }
        total
    }

    /// Quotient and remainder towards zero, as in C: school division of the magnitudes. By zero,
    /// anything.
    pub(crate) fn divide(&mut self, left: &Word, right: &Word) -> (Word, Word) {
        let dividend = self.magnitude(left);
        let divisor = self.magnitude(right);
        let rest_width = right.len() - 1;
        let mut rest = Word::constant(0);
        let mut quotient = vec![Lit::FALSE; left.len()];
        for place in (0..left.len()).rev() {
            let mut bits = vec![dividend.bit(place)];
            bits.extend_from_slice(rest.bits());
            let brought_down = Word::new(bits);
            let less = self.less(&brought_down, &divisor);
            let difference = self.subtract(&brought_down, &divisor, usize::MAX);
            quotient[place] = !less;
            rest = self.choose(less, &brought_down, &difference).low(rest_width, false);
        }
        quotient.push(Lit::FALSE);
        let quotient = Word::new(quotient);
        let sign = self.xor(left.sign(), right.sign());
        let quotient = self.signed(sign, &quotient);
        let rest = self.signed(left.sign(), &rest);
        (quotient, rest)
    }

    fn magnitude(&mut self, operand: &Word) -> Word {
        self.signed(operand.sign(), operand)
    }

    /// With its sign changed where the literal holds.
    fn signed(&mut self, negative: Lit, operand: &Word) -> Word {
        if negative == Lit::FALSE {
            return operand.clone();
        }
        let negated = self.negate(operand, usize::MAX);
        self.choose(negative, &negated, operand)
    }

    /// `left << right` for 0 <= right < 64, modulo 2^limit.
    pub(crate) fn shift_left(&mut self, left: &Word, right: &Word, limit: usize) -> Word {
        let mut result = left.low(limit, true);
        for place in 0..6 {
            let shifted = result.shifted(1 << place).low(limit, true);
            result = self.choose(right.bit(place), &shifted, &result);
        }
        result
    }

    /// `left >> right` for 0 <= right, filled with the sign.
    pub(crate) fn shift_right(&mut self, left: &Word, right: &Word) -> Word {
        let mut result = left.clone();
        for place in 0..right.len() - 1 {
            let by = if place < 6 { 1 << place } else { 64 };
            let shifted = Word::new((by..by.max(result.len()) + 1).map(|bit| result.bit(bit)).collect());
            result = self.choose(right.bit(place), &shifted, &result);
        }
        result
    }

    pub(crate) fn bitwise(&mut self, operator: Bitwise, left: &Word, right: &Word) -> Word {
        let width = left.len().max(right.len());
        let mut bits = Vec::with_capacity(width);
        for number in 0..width {
            let (a, b) = (left.bit(number), right.bit(number));
            bits.push(match operator {
                Bitwise::And => self.and(a, b),
                Bitwise::Or => self.or(a, b),
                Bitwise::Xor => self.xor(a, b),
            });
        }
        Word::new(bits)
    }

    /// `condition ? then : otherwise`
    pub(crate) fn choose(&mut self, condition: Lit, then: &Word, otherwise: &Word) -> Word {
        if then == otherwise {
            return then.clone();
        }
        let width = then.len().max(otherwise.len());
        Word::new((0..width).map(|bit| self.select(condition, then.bit(bit), otherwise.bit(bit))).collect())
    }

    /// The word that belongs to the condition that holds; exactly one must.
    pub(crate) fn among(&mut self, choices: &[(Lit, Word)]) -> Word {
        if let [(_, only)] = choices {
            return only.clone();
        }
        let width = choices.iter().map(|(_, word)| word.len()).max().unwrap_or(1);
        let mut bits = Vec::with_capacity(width);
        for number in 0..width {
            let first = choices.first().map_or(Lit::FALSE, |(_, word)| word.bit(number));
            if choices.iter().all(|(_, word)| word.bit(number) == first) {
                bits.push(first);
                continue;
            }
            let parts: Vec<Lit> =
                choices.iter().map(|(condition, word)| self.and(*condition, word.bit(number))).collect();
            bits.push(self.any(&parts));
        }
        Word::new(bits)
    }

    pub(crate) fn equal(&mut self, left: &Word, right: &Word) -> Lit {
        let width = left.len().max(right.len());
        // No gates for words that cannot be equal.
        if (0..width).any(|number| left.bit(number) == !right.bit(number)) {
            return Lit::FALSE;
        }
        let same: Vec<Lit> =
            (0..width).map(|number| !self.xor(left.bit(number), right.bit(number))).collect();
        self.all(&same)
    }

    pub(crate) fn equals(&mut self, word: &Word, value: i64) -> Lit {
        self.equal(word, &Word::constant(value))
    }

    pub(crate) fn nonzero(&mut self, word: &Word) -> Lit {
        self.any(word.bits())
    }

    /// `left < right`
    pub(crate) fn less(&mut self, left: &Word, right: &Word) -> Lit {
        self.compare(left, right, Lit::FALSE)
    }

    /// `left <= right`
    pub(crate) fn at_most(&mut self, left: &Word, right: &Word) -> Lit {
        self.compare(left, right, Lit::TRUE)
    }

    /// From the lowest bit on: the higher bit decides, and the sign the other way round.
    fn compare(&mut self, left: &Word, right: &Word, mut result: Lit) -> Lit {
        let width = left.len().max(right.len());
        for number in 0..width - 1 {
            result = self.majority([!left.bit(number), right.bit(number), result]);
        }
        self.majority([left.bit(width - 1), !right.bit(width - 1), result])
    }

    /// Where all premises hold, the words are equal.
    pub(crate) fn equate(&mut self, premises: &[Lit], left: &Word, right: &Word) {
        let mut clause: Vec<Lit> = premises.iter().map(|premise| !*premise).collect();
        for number in 0..left.len().max(right.len()) {
            let (a, b) = (left.bit(number), right.bit(number));
            if a != b {
                clause.extend([!a, b]);
                self.clause(&clause);
                clause.truncate(premises.len());
                clause.extend([a, !b]);
                self.clause(&clause);
                clause.truncate(premises.len());
            }
        }
    }
}
