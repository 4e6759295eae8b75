//! What comes after the program: `locations`, `filter` and the condition.
//!
//! Formulas become terms at once. `~` binds tightest, then `=>`, then `/\`, then `\/`; long chains
//! become balanced trees, so that no walk over a term goes deep.

use wattle_frontend::lex::starts_word;
use wattle_logic::{Binary, Sort, Term, Unary, Value};
use wattle_program::{Condition, Program, Property, PropertyKind, Question};
use wattle_source::Span;

use super::lex::{Cursor, Read};
use super::names::{self, Names};
use super::sizes::Compared;
use super::{codes, init, unsupported};

const DEEPEST: u32 = 100;
/// The most implications in a row, and the longest chain that is not balanced.
const LONGEST: usize = 16;

/// The words that a section behind the program starts with.
const SECTIONS: [&str; 7] = ["exists", "forall", "final", "locations", "filter", "observed", "with"];

/// Whether a section behind the program starts here.
pub(crate) fn starts(cursor: &mut Cursor<'_>) -> bool {
    cursor.blank();
    match cursor.peek() {
        0 | b'~' | b'(' | b'<' => true,
        byte if starts_word(byte) => {
            let mut ahead = *cursor;
            let word = ahead.word().unwrap_or("");
            ahead.blank();
            ahead.peek() != b':' && SECTIONS.iter().any(|section| word.eq_ignore_ascii_case(section))
        }
        _ => false,
    }
}

pub(crate) fn read<'a>(cursor: &mut Cursor<'a>, names: &mut Names<'a>, program: &mut Program) -> Read<()> {
    let mut tail = Tail { cursor: *cursor, names, seen: Vec::new(), observed: Vec::new(), depth: 0 };
    if tail.cursor.eat_word("locations") {
        tail.locations()?;
    }
    if tail.cursor.eat_word("filter") {
        program.filter = Some(tail.formula()?);
        tail.cursor.eat(b';');
    }
    let condition = tail.condition()?;
    let goal = match condition.question {
        Question::Forall => condition.formula.clone(),
        _ => condition.formula.negated(),
    };
    program.properties.push(Property { kind: PropertyKind::Finally, formula: goal, span: condition.span });
    program.condition = Some(condition);
    program.observed = tail.observed;
    *cursor = tail.cursor;
    Ok(())
}

struct Tail<'n, 'a> {
    cursor: Cursor<'a>,
    names: &'n mut Names<'a>,
    /// What is observed: a thread and a local, or `u32::MAX`, a variable and an element.
    seen: Vec<(u32, u32, i64)>,
    observed: Vec<Term>,
    depth: u32,
}

impl<'a> Tail<'_, 'a> {
    fn locations(&mut self) -> Read<()> {
        self.cursor.expect(b'[')?;
        loop {
            while self.cursor.eat(b';') {}
            if self.cursor.eat(b']') {
                self.cursor.eat(b';');
                return Ok(());
            }
            if self.cursor.at >= self.cursor.end {
                return Err(self.cursor.expected("`]`, the end of `locations`"));
            }
            let named = self.fault().map_or_else(|| self.place().map(drop), Err);
            if let Err(problem) = named {
                let lost = problem.code == codes::SYNTAX;
                self.names.problem(problem);
                if lost {
                    while !matches!(self.cursor.peek(), b';' | b']') && self.cursor.at < self.cursor.end {
                        self.cursor.at += 1;
                    }
                }
            }
            self.printed();
            self.cursor.blank();
            if !matches!(self.cursor.peek(), b';' | b']') {
                return Err(self.cursor.expected("`;` or `]`"));
            }
        }
    }

    /// The type that a location is printed with.
    fn printed(&mut self) {
        let start = self.cursor.at;
        let mut kind = names::Type::default();
        loop {
            if self.cursor.eat(b'*') {
                kind.pointer = true;
            } else if let Some(word) = self.cursor.word() {
                kind.word = word;
            } else {
                break;
            }
        }
        if let (true, Some((u32::MAX, variable, _))) = (kind != names::Type::default(), self.seen.last()) {
            let span = self.cursor.span(start);
            self.names.printed.push((*variable, kind, span));
        }
    }

    fn condition(&mut self) -> Read<Condition> {
        self.cursor.blank();
        let start = self.cursor.at;
        let question = if self.cursor.eat(b'~') {
            if !self.cursor.eat_word("exists") {
                return Err(self.cursor.expected("`exists`"));
            }
            Question::Never
        } else if self.cursor.eat_word("exists") || self.cursor.eat_word("final") {
            Question::Exists
        } else if self.cursor.eat_word("forall") {
            Question::Forall
        } else if self.cursor.eat_word("observed") {
            let formula = self.observations()?;
            return Ok(Condition { question: Question::Exists, formula, span: self.cursor.span(start) });
        } else if self.cursor.peek() == b'(' {
            Question::Exists
        } else if self.cursor.at >= self.cursor.end || matches!(self.cursor.peek(), b'<') {
            // Nothing is asked: every execution will do.
            let formula = self.names.truth.clone();
            return Ok(Condition { question: Question::Forall, formula, span: self.cursor.span(start) });
        } else {
            return Err(self.cursor.expected("`exists`, `~exists` or `forall`"));
        };
        let formula = self.formula()?;
        let span = self.cursor.span(start);
        self.cursor.eat(b';');
        self.cursor.blank();
        let ended = self.cursor.at >= self.cursor.end || self.cursor.peek() == b'<' || {
            let mut ahead = self.cursor;
            ahead.eat_word("with")
        };
        // Tables and scripts may follow on lines of their own; a formula that goes on may not.
        let broken = matches!(self.cursor.peek(), b'/' | b'\\' | b'=' | b')' | b'|' | b'&');
        if !ended && broken {
            return Err(self.cursor.expected("the end of the condition"));
        }
        Ok(Condition { question, formula, span })
    }

    /// The old form of logs: `observed a=1; b=2; and a=2; b=1;`.
    fn observations(&mut self) -> Read<Term> {
        let mut states = Vec::new();
        loop {
            let mut atoms = vec![self.atom()?];
            while self.cursor.eat(b';') {
                let mut ahead = self.cursor;
                if ahead.done() || ahead.eat_word("and") || ahead.peek() == b'<' {
                    break;
                }
                atoms.push(self.atom()?);
            }
            states.push(balanced(Binary::And, &atoms));
            if !self.cursor.eat_word("and") {
                return Ok(balanced(Binary::Or, &states));
            }
        }
    }

    fn formula(&mut self) -> Read<Term> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("the formula nests more than {DEEPEST} levels deep");
            return Err(self.cursor.error(self.cursor.at, codes::NESTING, message));
        }
        let formula =
            self.chain(Binary::Or, "\\/", |tail| tail.chain(Binary::And, "/\\", Tail::implication))?;
        self.depth -= 1;
        Ok(formula)
    }

    fn chain(&mut self, operator: Binary, sign: &str, part: impl Fn(&mut Self) -> Read<Term>) -> Read<Term> {
        let first = part(self)?;
        if !self.cursor.eat_text(sign) {
            return Ok(first);
        }
        let mut parts = vec![first, part(self)?];
        while self.cursor.eat_text(sign) {
            parts.push(part(self)?);
        }
        Ok(balanced(operator, &parts))
    }

    /// To the right: `a => b => c` is `a => (b => c)`.
    fn implication(&mut self) -> Read<Term> {
        let mut parts = vec![self.negation()?];
        while self.cursor.eat_text("=>") {
            parts.push(self.negation()?);
            if parts.len() > LONGEST {
                let message = format!("more than {LONGEST} implications in a row");
                return Err(self.cursor.error(self.cursor.at, codes::NESTING, message));
            }
        }
        let last = parts.pop().unwrap_or_else(|| self.names.truth.clone());
        Ok(parts.into_iter().rev().fold(last, |after, before| Term::binary(Binary::Implies, before, after)))
    }

    fn negation(&mut self) -> Read<Term> {
        let mut negative = false;
        while self.cursor.eat(b'~') || self.cursor.eat_word("not") {
            negative = !negative;
        }
        let formula = if self.cursor.eat(b'(') {
            let formula = self.formula()?;
            self.cursor.expect(b')')?;
            formula
        } else {
            self.atom()?
        };
        Ok(if negative { Term::unary(Unary::Not, formula) } else { formula })
    }

    fn fault(&mut self) -> Option<Box<wattle_source::Diagnostic>> {
        self.cursor.blank();
        let start = self.cursor.at;
        let mut ahead = self.cursor;
        let fault = (ahead.eat_word("fault") || ahead.eat_word("Fault")) && ahead.peek() == b'(';
        fault.then(|| unsupported(ahead.span(start), "a condition on faults"))
    }

    fn atom(&mut self) -> Read<Term> {
        if self.cursor.eat_word("true") {
            return Ok(self.names.truth.clone());
        }
        if self.cursor.eat_word("false") {
            return Ok(Term::bool(false));
        }
        if let Some(problem) = self.fault() {
            return Err(problem);
        }
        self.cursor.blank();
        let span_start = self.cursor.at;
        let left = self.place()?;
        let operator = if self.cursor.eat_text("==") || self.cursor.eat_text("=") {
            Binary::Equal
        } else if self.cursor.eat_text("<>") || self.cursor.eat_text("!=") {
            Binary::NotEqual
        } else {
            return Err(self.cursor.expected("`=` or `<>`"));
        };
        if self.cursor.eat(b'{') {
            return self.elements(&left, operator);
        }
        let [left] = left.as_slice() else {
            return Err(self.cursor.expected("`{`: the left side is a whole array"));
        };
        let right = self.value()?;
        self.compares(left, &right, span_start);
        // A register of 64 bits that the test calls an `int` is compared as one.
        let number = right.as_value().and_then(Value::as_int);
        let beyond = number.is_some_and(|number| !(0..=i64::from(i32::MAX)).contains(&number));
        if let (Some(number), Sort::Bits { width: 32, .. }) = (number, left.sort()) {
            return Ok(Term::binary(operator, left.clone(), Term::int(left.sort().wrap(number))));
        }
        // A number that no word of 32 bits has is compared as it stands.
        let word = number.is_some_and(|number| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number));
        if word && (self.names.wide || beyond) && self.is_word(left) {
            let (left, right) = (names::word(left.clone(), true), names::word(right, true));
            return Ok(Term::binary(operator, left, right));
        }
        Ok(Term::binary(operator, left.clone(), right))
    }

    /// Note what a location is compared with.
    fn compares(&mut self, left: &Term, right: &Term, start: usize) {
        let at = self.observed.iter().position(|other| other == left);
        if let (Some((u32::MAX, variable, _)), Some(number)) =
            (at.map(|at| self.seen[at]), right.as_value().and_then(Value::as_int))
        {
            let span = self.cursor.span(start);
            self.names.compared.push(Compared { variable, number, span });
        }
    }

    /// Whether this has 32 bits, because the text gives it no type of 64.
    fn is_word(&self, place: &Term) -> bool {
        let at = self.observed.iter().position(|other| other == place);
        let kind = at.map(|at| match self.seen[at] {
            (u32::MAX, variable, _) => self.names.types[variable as usize],
            (thread, local, _) => self.names.threads[thread as usize].types[local as usize],
        });
        kind.is_none_or(|kind| kind.sort() != Sort::WORD)
    }

    /// `x={1,2}`: one value for each element, 0 for those that are not listed.
    fn elements(&mut self, left: &[Term], operator: Binary) -> Read<Term> {
        let start = self.cursor.at;
        let mut values = Vec::new();
        while !self.cursor.eat(b'}') {
            values.push(self.value()?);
            if !self.cursor.eat(b',') {
                self.cursor.expect(b'}')?;
                break;
            }
        }
        if values.len() > left.len() {
            return Err(self.cursor.error(start, codes::SYNTAX, "more values than the array has elements"));
        }
        values.resize(left.len(), self.names.zero.clone());
        let equal: Vec<Term> =
            left.iter().zip(values).map(|(left, right)| left.clone().equals(right)).collect();
        let equal = balanced(Binary::And, &equal);
        Ok(if operator == Binary::Equal { equal } else { equal.negated() })
    }

    /// What the right side of `=` stands for. A bare name is the address of a location.
    fn value(&mut self) -> Read<Term> {
        self.cursor.blank();
        let start = self.cursor.at;
        let mut ahead = self.cursor;
        if ahead.thread().is_some() {
            return self.single();
        }
        if let Some(number) = self.cursor.number() {
            self.names.see(number);
            return Ok(if number == 0 { self.names.zero.clone() } else { Term::int(number) });
        }
        if matches!(self.cursor.peek(), b'[' | b'*') {
            return self.single();
        }
        if let Some(name) = {
            let mut ahead = self.cursor;
            ahead.eat(b'&');
            ahead.word()
        } && self.names.find_variable(name).is_none()
        {
            return Err(self.names.unknown_location(name, self.cursor.here()));
        }
        let value = init::value(&mut self.cursor, self.names)?;
        if self.cursor.at == start {
            return Err(self.cursor.expected("a value"));
        }
        Ok(self.names.given(value))
    }

    fn single(&mut self) -> Read<Term> {
        let mut place = self.place()?;
        match place.len() {
            1 => Ok(place.remove(0)),
            _ => Err(self.cursor.expected("an element of the array")),
        }
    }

    /// A register or a location: its content, or the contents of a whole array.
    fn place(&mut self) -> Read<Vec<Term>> {
        self.cursor.blank();
        let start = self.cursor.at;
        if let Some(number) = self.cursor.thread() {
            let thread = self.names.thread(number, self.cursor.span(start));
            self.cursor.blank();
            let register_at = self.cursor.at;
            let Some(name) = self.cursor.word() else { return Err(self.cursor.expected("a register")) };
            let thread = thread?;
            let local = self.names.register(thread, name, self.cursor.span(register_at))?;
            return Ok(vec![self.observe((thread as u32, local, 0))]);
        }
        let bracket = self.cursor.eat(b'[');
        let _ = !bracket && self.cursor.eat(b'*');
        self.cursor.blank();
        let name_at = self.cursor.at;
        let Some(name) = self.cursor.word() else {
            return Err(self.cursor.expected("a location or a register, such as `x` or `0:r1`"));
        };
        let span: Span = self.cursor.span(name_at);
        let Some(variable) = self.names.find_variable(name) else {
            return Err(self.names.unknown_location(name, span));
        };
        let mut element = None;
        if self.cursor.eat(b'[') {
            element = self.cursor.number();
            let length = i64::from(self.names.length(variable).unwrap_or(0));
            if !element.is_some_and(|element| (0..length).contains(&element)) {
                return Err(self.cursor.error(name_at, codes::LOCATION, "an index outside its array"));
            }
            self.cursor.expect(b']')?;
        }
        if bracket {
            self.cursor.expect(b']')?;
        }
        let elements = match (element, self.names.length(variable)) {
            (Some(element), _) => element..element + 1,
            (None, Some(length)) => 0..i64::from(length),
            (None, None) => 0..1,
        };
        Ok(elements.map(|element| self.observe((u32::MAX, variable, element))).collect())
    }

    fn observe(&mut self, what: (u32, u32, i64)) -> Term {
        if let Some(at) = self.seen.iter().position(|other| *other == what) {
            return self.observed[at].clone();
        }
        let term = match what {
            (u32::MAX, variable, element) => {
                let sort = self.names.variables[variable as usize].sort;
                Term::content(self.names.address(variable, element), sort)
            }
            (thread, local, _) => {
                let sort = self.names.threads[thread as usize].locals[local as usize].sort;
                Term::local_of(thread, self.names.zero.clone(), local, sort)
            }
        };
        self.seen.push(what);
        self.observed.push(term.clone());
        term
    }
}

/// All parts joined by an operator that does not care about the order.
fn balanced(operator: Binary, parts: &[Term]) -> Term {
    match parts {
        [] => Term::bool(operator == Binary::And),
        [one] => one.clone(),
        // As people write it.
        [first, rest @ ..] if parts.len() <= LONGEST => {
            rest.iter().fold(first.clone(), |left, right| Term::binary(operator, left, right.clone()))
        }
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            Term::binary(operator, balanced(operator, left), balanced(operator, right))
        }
    }
}
