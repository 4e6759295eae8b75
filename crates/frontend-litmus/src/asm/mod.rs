//! Programs in assembly.
//!
//! An architecture is a table: for each mnemonic one function that reads the operands and says, in
//! operations of the program representation, what the instruction does. [`Body`] is what those
//! functions speak to. It keeps the books that all architectures share: points and labels, locals for
//! registers, and the form of addresses.
//!
//! **One instruction is one edge**, so that its accesses are one step. An instruction that reads and
//! writes memory *without* being atomic is two edges, or else another thread could not come between.
//!
//! **Terms stay as written**, because dependencies are their free locals. There is one exception, in
//! which nothing is lost: the address in a register that holds a location from the start and is never
//! written by its thread is that location. No read can flow into it.

pub(crate) mod aarch64;
pub(crate) mod arm;
pub(crate) mod ppc;
pub(crate) mod riscv;
mod table;
pub(crate) mod x86;

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Unary, Value};
use wattle_program::{Cfg, Edge, Fence, Init, Mode, Op, Orders, Origin, Point, PointInfo, Role, Tags};
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::lex::{Cursor, Read};
use super::names::{Given, Names, code_address, word};
use super::sizes::Sized;
use super::{codes, unsupported};

pub(crate) use table::{Table, find_cells, program};

/// What an instruction does.
pub(crate) type Lower = for<'b, 'n, 'a> fn(&'b mut Body<'n, 'a>) -> Read<()>;

pub(crate) struct Architecture {
    /// In the order of their names, which are in small letters.
    pub instructions: &'static [(&'static str, Lower)],
    /// Take a mnemonic (in small letters) apart: its name in the table, and what its ending says.
    pub split: for<'b> fn(&'b str) -> (&'b str, Suffix),
    /// The register that always holds 0.
    pub zero: Option<&'static str>,
    /// Registers hold 32 bits.
    pub narrow: bool,
    /// The bits of an access whose instruction says nothing else ([`Body::bits`]).
    pub word: u8,
    /// Bytes and halfwords are read as they are from any location that is accessed so.
    pub parts: bool,
}

/// What the ending of a mnemonic says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suffix {
    pub acquire: bool,
    pub release: bool,
    /// The instruction also compares its result with 0.
    pub compares: bool,
    /// Run only if the flags are so.
    pub condition: Option<Test>,
}

/// A question about two compared values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Test {
    pub operator: Binary,
    pub unsigned: bool,
}

impl Test {
    pub(crate) const fn signed(operator: Binary) -> Test {
        Test { operator, unsigned: false }
    }

    pub(crate) const fn unsigned(operator: Binary) -> Test {
        Test { operator, unsigned: true }
    }

    pub(crate) fn opposite(self) -> Test {
        let operator = match self.operator {
            Binary::Equal => Binary::NotEqual,
            Binary::NotEqual => Binary::Equal,
            Binary::Less => Binary::GreaterEqual,
            Binary::LessEqual => Binary::Greater,
            Binary::Greater => Binary::LessEqual,
            _ => Binary::Less,
        };
        Test { operator, ..self }
    }

    pub(crate) fn term(self, left: Term, right: Term) -> Term {
        // Unsigned order is signed order with the highest bits turned over.
        let turned = |term: Term| match self.unsigned {
            true => Term::binary(Binary::BitXor, term, Term::int(i64::MIN)),
            false => term,
        };
        Term::binary(self.operator, turned(left), turned(right))
    }
}

/// A register as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Register {
    Local(u32),
    Zero,
}

/// Two hidden locals that hold what was compared last; a branch depends on both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    pub left: &'static str,
    pub right: &'static str,
}

/// The code of one thread while it is built.
pub(crate) struct Body<'n, 'a> {
    pub names: &'n mut Names<'a>,
    pub thread: usize,
    pub cursor: Cursor<'a>,
    pub suffix: Suffix,
    /// The mnemonic as written.
    pub mnemonic: &'a str,
    /// How the edge that is being built meets store buffers.
    pub mode: Mode,
    /// Another instruction starts inside this one (`lock`).
    architecture: &'static Architecture,
    origin: Origin,
    first_operand: bool,
    ops: Vec<Op>,
    points: Vec<PointInfo>,
    edges: Vec<Edge>,
    labels: Vec<(&'a str, u32)>,
    jumps: Vec<(usize, &'a str, Span)>,
    pointers: Vec<(u32, Term)>,
    /// How many bits the accesses of this instruction have.
    pub bits: u8,
    sizes: Vec<Sized>,
    /// Jumps to where a register says.
    computed: Vec<(Point, Term, Origin)>,
}

impl<'n, 'a> Body<'n, 'a> {
    pub(crate) fn new(
        names: &'n mut Names<'a>,
        thread: usize,
        architecture: &'static Architecture,
        cursor: Cursor<'a>,
    ) -> Body<'n, 'a> {
        Body {
            names,
            thread,
            cursor,
            suffix: Suffix::default(),
            mnemonic: "",
            mode: Mode::Plain,
            architecture,
            origin: Origin::default(),
            first_operand: true,
            ops: Vec::new(),
            points: Vec::with_capacity(12),
            edges: Vec::with_capacity(12),
            labels: Vec::new(),
            jumps: Vec::new(),
            pointers: Vec::new(),
            bits: architecture.word,
            sizes: Vec::new(),
            computed: Vec::new(),
        }
    }

    /// One cell of the table: labels, and then an instruction or nothing.
    pub(crate) fn cell(&mut self, cursor: Cursor<'a>) {
        self.cursor = cursor;
        if let Err(problem) = self.labels_and_instruction() {
            self.ops.clear();
            self.sizes.retain(|access| access.edge < self.edges.len());
            self.mode = Mode::Plain;
            self.names.problem(problem);
        }
    }

    fn labels_and_instruction(&mut self) -> Read<()> {
        loop {
            if self.cursor.done() {
                return Ok(());
            }
            let start = self.cursor.at;
            let Some(word) = self.cursor.mnemonic() else {
                return Err(self.cursor.expected("an instruction"));
            };
            let word_end = self.cursor.at;
            if self.cursor.eat(b':') {
                if self.labels.iter().any(|(label, _)| *label == word) {
                    return Err(self.cursor.error(
                        start,
                        codes::DUPLICATE,
                        format!("the label `{word}` stands here twice"),
                    ));
                }
                let point = self.points.len() as u32;
                self.labels.push((word, point));
                continue;
            }
            self.cursor.at = word_end;
            let mut end = self.cursor.within(self.cursor.end, self.cursor.end);
            while end.at > start && end.text.as_bytes()[end.at - 1].is_ascii_whitespace() {
                end.at -= 1;
            }
            self.origin = Origin(end.span(start));
            self.instruction(word, start)?;
            if !self.cursor.done() {
                return Err(self.cursor.expected("the end of the instruction"));
            }
            self.step();
            return Ok(());
        }
    }

    /// Find the mnemonic in the table and run its function.
    pub(crate) fn instruction(&mut self, word: &'a str, start: usize) -> Read<()> {
        let mut small = [0; 24];
        let lower = match small.get_mut(..word.len()) {
            Some(small) => {
                small.copy_from_slice(word.as_bytes());
                small.make_ascii_lowercase();
                std::str::from_utf8(small).unwrap_or("")
            }
            None => "",
        };
        let table = self.architecture.instructions;
        let find = |name: &str| table.binary_search_by(|(other, _)| (*other).cmp(name)).ok();
        let (found, suffix) = match find(lower) {
            Some(found) => (Some(found), Suffix::default()),
            None => {
                let (base, suffix) = (self.architecture.split)(lower);
                (find(base), suffix)
            }
        };
        let Some(found) = found else {
            let message = format!("`{word}` is not an instruction that wattle knows");
            let problem = self.cursor.error(start, codes::INSTRUCTION, message);
            let help = did_you_mean(lower, table.iter().map(|(name, _)| *name));
            return Err(match help {
                Some(help) => Box::new(problem.help(help)),
                None => problem,
            });
        };
        self.suffix = suffix;
        self.mnemonic = word;
        self.first_operand = true;
        self.bits = self.architecture.word;
        (table[found].1)(self)
    }

    // Operands, from left to right.

    /// Go past the comma before an operand.
    pub(crate) fn operand(&mut self) -> Read<()> {
        if std::mem::take(&mut self.first_operand) { Ok(()) } else { self.cursor.expect(b',') }
    }

    /// Does another operand follow?
    pub(crate) fn more(&mut self) -> bool {
        self.cursor.blank();
        if self.first_operand { self.cursor.at < self.cursor.end } else { self.cursor.peek() == b',' }
    }

    pub(crate) fn register(&mut self) -> Read<Register> {
        self.operand()?;
        self.bare_register()
    }

    /// A register that is not an operand of its own.
    pub(crate) fn bare_register(&mut self) -> Read<Register> {
        self.cursor.blank();
        let start = self.cursor.at;
        let Some(name) = self.cursor.word() else { return Err(self.cursor.expected("a register")) };
        if self.architecture.zero.is_some() && (self.names.canonical)(name) == self.architecture.zero {
            return Ok(Register::Zero);
        }
        let span = self.cursor.span(start);
        Ok(Register::Local(self.names.register(self.thread, name, span)?))
    }

    /// Does a register come next?
    pub(crate) fn at_register(&self) -> bool {
        let mut ahead = self.cursor;
        ahead.word().is_some_and(|name| {
            name.starts_with('%') || ahead.peek() == b'%' || (self.names.canonical)(name).is_some()
        })
    }

    /// A number, with `$` or `#` before it or not.
    pub(crate) fn immediate(&mut self) -> Read<i64> {
        self.operand()?;
        self.bare_immediate()
    }

    pub(crate) fn bare_immediate(&mut self) -> Read<i64> {
        let _ = self.cursor.eat(b'$') || self.cursor.eat(b'#');
        let number = self.cursor.number().ok_or_else(|| self.cursor.expected("a number"))?;
        self.names.see(number);
        Ok(number)
    }

    /// `4(r1)` or `(r1)`.
    pub(crate) fn offset_and_base(&mut self) -> Read<(i64, Register)> {
        self.operand()?;
        self.cursor.blank();
        let offset = if self.cursor.peek() == b'(' { 0 } else { self.bare_immediate()? };
        self.cursor.expect(b'(')?;
        let base = self.bare_register()?;
        self.cursor.expect(b')')?;
        Ok((offset, base))
    }

    pub(crate) fn label(&mut self) -> Read<(&'a str, Span)> {
        self.operand()?;
        self.cursor.blank();
        let start = self.cursor.at;
        match self.cursor.mnemonic() {
            Some(label) => Ok((label, self.cursor.span(start))),
            None => Err(self.cursor.expected("a label")),
        }
    }

    // Terms.

    pub(crate) fn value(&self, register: Register) -> Term {
        match register {
            Register::Local(local) => self.names.threads[self.thread].term(local),
            Register::Zero => self.names.zero.clone(),
        }
    }

    pub(crate) fn int(&self, value: i64) -> Term {
        if value == 0 { self.names.zero.clone() } else { Term::int(value) }
    }

    /// The address that a register holds, and `offset` bytes further on.
    pub(crate) fn at(&mut self, base: Register, offset: i64) -> Term {
        match base {
            Register::Local(local) if offset == 0 => {
                if let Some((_, term)) = self.pointers.iter().find(|(other, _)| *other == local) {
                    return term.clone();
                }
                let term = Term::pointer(self.value(base));
                self.pointers.push((local, term.clone()));
                term
            }
            _ if offset == 0 => Term::pointer(self.value(base)),
            _ => Term::pointer(Term::binary(Binary::Add, self.value(base), Term::int(offset))),
        }
    }

    /// The address that two registers hold together.
    pub(crate) fn at_sum(&self, base: Register, index: Term) -> Term {
        Term::pointer(Term::binary(Binary::Add, self.value(base), index))
    }

    /// The address so many bytes after another.
    pub(crate) fn further(&self, address: &Term, bytes: i64) -> Term {
        match address.kind() {
            Kind::Pointer(number) => {
                Term::pointer(Term::binary(Binary::Add, number.clone(), Term::int(bytes)))
            }
            _ => address.clone(),
        }
    }

    /// A hidden local.
    pub(crate) fn hidden(&mut self, name: &'static str) -> Register {
        Register::Local(self.names.hidden(self.thread, name))
    }

    // Operations of the edge that is being built.

    pub(crate) fn set(&mut self, register: Register, value: Term) {
        if let Register::Local(local) = register {
            let copy = matches!(value.kind(), Kind::Symbol(_));
            let value = if self.wraps() && !copy { word(value, true) } else { value };
            self.ops.push(Op::Assign { local, value });
        }
    }

    fn wraps(&self) -> bool {
        self.names.wide && self.architecture.narrow
    }

    /// An operation whose result may leave 31 bits even if its operands do not.
    pub(crate) fn operate(&mut self, operator: Binary, left: Term, right: Term) -> Term {
        use Binary::{Multiply, ShiftLeft, Subtract};
        self.names.leaves |= matches!(operator, Multiply | ShiftLeft | Subtract);
        Term::binary(operator, left, right)
    }

    pub(crate) fn operate_on(&mut self, operator: Unary, operand: Term) -> Term {
        self.names.leaves = true;
        Term::unary(operator, operand)
    }

    /// A register brought into 32 bits, where that changes anything.
    pub(crate) fn extend(&mut self, register: Register, signed: bool) {
        if let Register::Local(local) = register
            && self.names.wide
        {
            let value = word(self.value(register), signed);
            self.ops.push(Op::Assign { local, value });
        }
    }

    /// A load whose value may be thrown away.
    pub(crate) fn load(&mut self, register: Register, address: Term, tags: Tags) {
        let into = self.written(register);
        self.sized();
        self.ops.push(Op::Load { into, address, tags });
        if self.wraps() {
            self.extend(register, true);
        }
    }

    /// Note the size of the access that comes next.
    fn sized(&mut self) {
        debug_assert!(self.bits > 0, "{} does not say how many bits it accesses", self.mnemonic);
        self.sizes.push(Sized { edge: self.edges.len(), op: self.ops.len(), bits: self.bits });
    }

    pub(crate) fn store(&mut self, address: Term, value: Term, tags: Tags) {
        self.sized();
        self.ops.push(Op::Store { address, value, tags });
    }

    pub(crate) fn load_exclusive(&mut self, register: Register, address: Term, tags: Tags) {
        let into = self.written(register);
        self.sized();
        self.ops.push(Op::LoadExclusive { into, address, tags });
    }

    pub(crate) fn store_conditional(&mut self, success: Register, address: Term, value: Term, tags: Tags) {
        let success = self.written(success);
        self.sized();
        self.ops.push(Op::StoreConditional { success, address, value, tags });
    }

    pub(crate) fn assume(&mut self, condition: Term) {
        self.ops.push(Op::Assume { condition });
    }

    pub(crate) fn fence(&mut self, tag: &str, orders: Orders, cumulative: bool) {
        self.ops.push(Op::Fence(Fence { tag: tag.into(), orders, cumulative, location: None }));
    }

    fn written(&mut self, register: Register) -> u32 {
        match register {
            Register::Local(local) => local,
            Register::Zero => self.names.hidden(self.thread, "$nothing"),
        }
    }

    /// Read a location and write it in one step that nothing divides. The old value goes to `into`
    /// after the write.
    pub(crate) fn atomic(
        &mut self,
        into: Option<Register>,
        address: &Term,
        (read, write): (Tags, Tags),
        new: impl FnOnce(&mut Self, Term) -> Term,
    ) {
        let old = self.hidden("$old");
        self.load(old, address.clone(), read);
        let old = self.value(old);
        let new = new(self, old.clone());
        self.store(address.clone(), new, write);
        if let Some(into) = into {
            self.set(into, old);
        }
        self.mode = Mode::Locked;
    }

    /// Remember what is compared.
    pub(crate) fn compare(&mut self, flags: Flags, left: Term, right: Term) {
        let (to_left, to_right) = (self.hidden(flags.left), self.hidden(flags.right));
        self.set(to_left, left);
        self.set(to_right, right);
    }

    /// What the last comparison says.
    pub(crate) fn flag(&mut self, flags: Flags, test: Test) -> Term {
        let (left, right) = (self.hidden(flags.left), self.hidden(flags.right));
        test.term(self.value(left), self.value(right))
    }

    // Edges.

    /// End the step, if it does anything, and go on to the next point.
    pub(crate) fn step(&mut self) {
        if self.ops.is_empty() {
            return;
        }
        let from = self.here();
        let ops = std::mem::take(&mut self.ops);
        self.edge(from, self.names.truth.clone(), ops, Point(from.0 + 1));
    }

    /// Where the next edge starts.
    fn here(&mut self) -> Point {
        self.points.push(PointInfo { origin: self.origin, ..PointInfo::default() });
        Point(self.points.len() as u32 - 1)
    }

    fn edge(&mut self, from: Point, guard: Term, ops: Vec<Op>, to: Point) {
        let mode = std::mem::take(&mut self.mode);
        self.edges.push(Edge { from, guard, ops, to, mode, role: Role::Step, origin: self.origin });
    }

    /// Go to a label.
    pub(crate) fn jump(&mut self, (label, span): (&'a str, Span)) {
        self.step();
        let from = self.here();
        self.jumps.push((self.edges.len(), label, span));
        self.edge(from, self.names.truth.clone(), vec![], from);
    }

    /// Go to the label whose place the register holds.
    pub(crate) fn jump_to(&mut self, target: Register) {
        self.step();
        let from = self.here();
        self.computed.push((from, self.value(target), self.origin));
    }

    /// Go to a label if a test of two values says so.
    pub(crate) fn branch(&mut self, test: Test, (left, right): (Term, Term), label: (&'a str, Span)) {
        let holds = test.term(left.clone(), right.clone());
        self.branch_if(holds, test.opposite().term(left, right), label);
    }

    /// Go to a label if something holds, and on if it fails.
    pub(crate) fn branch_if(&mut self, holds: Term, fails: Term, (label, span): (&'a str, Span)) {
        self.step();
        let from = self.here();
        let next = Point(from.0 + 1);
        self.jumps.push((self.edges.len(), label, span));
        self.edge(from, holds, vec![], from);
        self.edge(from, fails, vec![], next);
    }

    pub(crate) fn branch_on(&mut self, flags: Flags, test: Test, label: (&'a str, Span)) {
        let (left, right) = (self.hidden(flags.left), self.hidden(flags.right));
        let values = (self.value(left), self.value(right));
        self.branch(test, values, label);
    }

    /// Two ways from here to the next point. Each says its own operations and mode.
    pub(crate) fn either(&mut self, one: impl FnOnce(&mut Self), other: impl FnOnce(&mut Self)) {
        let (mut one, mut other) = (Some(one), Some(other));
        self.ways(2, |body, way| match way {
            0 => one.take().into_iter().for_each(|one| one(body)),
            _ => other.take().into_iter().for_each(|other| other(body)),
        });
    }

    /// So many ways from here to the next point.
    pub(crate) fn ways(&mut self, count: u32, mut operations: impl FnMut(&mut Self, u32)) {
        self.step();
        let from = self.here();
        let to = Point(from.0 + 1);
        for way in 0..count {
            operations(self, way);
            let ops = std::mem::take(&mut self.ops);
            self.edge(from, self.names.truth.clone(), ops, to);
        }
    }

    /// The instruction exists, but not with these operands.
    pub(crate) fn malformed(&self, why: &str) -> Box<Diagnostic> {
        let message = format!("`{}` cannot be written so: {why}", self.mnemonic);
        Box::new(Diagnostic::error(codes::SYNTAX, self.origin.0, message))
    }

    pub(crate) fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        unsupported(self.origin.0, what)
    }

    /// The end of the thread: give labels their points, and addresses their final form.
    pub(crate) fn finish(mut self) {
        self.points.push(PointInfo { end: true, ..PointInfo::default() });
        for (label, point) in &self.labels {
            self.points[*point as usize].labels.push((*label).into());
        }
        for (edge, label, span) in &self.jumps {
            match self.labels.iter().find(|(other, _)| other == label) {
                Some((_, point)) => self.edges[*edge].to = Point(*point),
                None => {
                    let message = format!("there is no label `{label}` in this thread");
                    let problem = Diagnostic::error(codes::LABEL, *span, message);
                    let help = did_you_mean(label, self.labels.iter().map(|(label, _)| *label));
                    self.names.problems.push(match help {
                        Some(help) => problem.help(help),
                        None => problem,
                    });
                }
            }
        }
        let number = self.names.threads[self.thread].number;
        for (from, target, origin) in std::mem::take(&mut self.computed) {
            self.origin = origin;
            let what = "a jump to a register that does not hold a label of its thread";
            if !self.holds_label(number) {
                self.names.problems.push(*unsupported(origin.0, what));
                continue;
            }
            let mut nowhere = self.names.truth.clone();
            for (label, point) in self.labels.clone() {
                let here = target.clone().equals(Term::int(code_address(number, label)));
                nowhere = Term::binary(Binary::And, nowhere, here.negated());
                self.edge(from, here, vec![], Point(point));
            }
            let refused = Op::Unsupported { what: what.into(), span: origin.0 };
            self.edge(from, nowhere, vec![refused], from);
        }
        self.fix_addresses();
        if !self.architecture.parts {
            self.check_parts();
        }
        self.names.threads[self.thread].sizes = std::mem::take(&mut self.sizes);
        self.names.threads[self.thread].cfg = Cfg { entry: Point(0), points: self.points, edges: self.edges };
    }

    /// Does the initial state put a label of this thread into one of its registers, or into memory?
    fn holds_label(&self, number: u32) -> bool {
        let known = |label: &str| self.labels.iter().any(|(other, _)| *other == label);
        let starts = self.names.threads[self.thread].start.iter();
        let in_register = starts.flatten().any(|start| match start {
            Given::Code(thread, label) => *thread == number && known(label),
            _ => false,
        });
        let is_label = |value: &Term| match value.as_value() {
            Some(Value::Int(value)) => {
                self.labels.iter().any(|(label, _)| code_address(number, label) == *value)
            }
            _ => false,
        };
        let in_memory = self.names.variables.iter().any(|variable| match &variable.init {
            Init::Values(values) => values.iter().any(is_label),
            _ => false,
        });
        in_register || in_memory
    }

    /// An access of a byte or two must be one of a whole location.
    fn check_parts(&mut self) {
        for Sized { edge, op, bits } in self.sizes.iter().filter(|access| access.bits < 32) {
            let edge = &self.edges[*edge];
            let (Op::Load { address, .. } | Op::Store { address, .. }) = &edge.ops[*op] else { continue };
            let whole = match address.kind() {
                Kind::Address { variable, .. } => {
                    let info = &self.names.variables[*variable as usize];
                    let declared = self.names.types[*variable as usize].sort();
                    let sort = if info.dimensions.is_empty() { declared } else { info.sort };
                    bytes(sort) * 8 == i64::from(*bits)
                }
                _ => false,
            };
            // Nothing extends the sign of a byte, so numbers must be small.
            if !whole || self.names.wide {
                let what =
                    format!("mixed sizes: an access of {bits} bits to a location that may have others");
                self.names.problems.push(*unsupported(edge.origin.0, &what));
            }
        }
    }

    fn fix_addresses(&mut self) {
        let thread = &self.names.threads[self.thread];
        let mut fixed = thread.start.clone();
        for local in self.edges.iter().flat_map(|edge| &edge.ops).filter_map(Op::sets) {
            fixed[local as usize] = None;
        }
        for edge in &mut self.edges {
            for op in &mut edge.ops {
                let (Op::Load { address, .. }
                | Op::Store { address, .. }
                | Op::LoadExclusive { address, .. }
                | Op::StoreConditional { address, .. }) = op
                else {
                    continue;
                };
                match constant(self.names, &fixed, address) {
                    None => {}
                    Some(Ok(constant)) => *address = constant,
                    Some(Err(what)) => self.names.problems.push(*unsupported(edge.origin.0, &what)),
                }
            }
        }
    }
}

/// The location that an address always is, or why there is none.
fn constant(names: &Names<'_>, fixed: &[Option<Given<'_>>], address: &Term) -> Option<Result<Term, String>> {
    let Kind::Pointer(number) = address.kind() else { return None };
    let local = |term: &Term| match term.kind() {
        Kind::Symbol(Symbol::Local(local)) => fixed.get(*local as usize).copied().flatten(),
        _ => None,
    };
    let (base, offset) = match number.kind() {
        Kind::Binary(Binary::Add, base, offset) => match offset.as_value() {
            Some(Value::Int(offset)) => (local(base)?, *offset),
            _ => return None,
        },
        _ => (local(number)?, 0),
    };
    let Given::Address(variable, element) = base else { return None };
    if offset == 0 {
        return Some(Ok(names.address(variable, element)));
    }
    let name = &names.variables[variable as usize].name;
    let size = bytes(names.variables[variable as usize].sort);
    let length = i64::from(names.length(variable).unwrap_or(1));
    let moved = element + offset.div_euclid(size);
    if offset.rem_euclid(size) != 0 {
        return Some(Err(format!("mixed sizes: an access to a part of `{name}`")));
    }
    if !(0..length).contains(&moved) {
        return Some(Err(format!("mixed sizes: an access beyond `{name}`")));
    }
    Some(Ok(names.address(variable, moved)))
}

/// How far apart the elements of an array are.
pub(crate) fn bytes(sort: Sort) -> i64 {
    match sort {
        Sort::Bits { width, .. } => i64::from(width) / 8,
        _ => 8,
    }
}

/// A set of one tag, or of none.
pub(crate) fn tagged(tag: &str) -> Tags {
    if tag.is_empty() { Tags::new() } else { Tags::from([tag.into()]) }
}
