//! What a test speaks of: locations, threads and their registers.
//!
//! The initial state and the program fill these tables, the condition asks them. They are small, so
//! a search from the front beats any map. Terms that occur over and over (a register, an address)
//! are built once and shared.

use wattle_logic::{Binary, Sort, Term, Value};
use wattle_program::{Cfg, Dimension, Init, Local, Process, Replicas, Variable};
use wattle_source::{Diagnostic, Span, did_you_mean};

use super::codes;
use super::lex::Read;
use super::sizes::{Compared, Sized};

/// A type as the text writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Type<'a> {
    /// The last word of it: `int`, `uint64_t`, `atomic_int` … Nothing if the text gives none.
    pub word: &'a str,
    pub pointer: bool,
    pub atomic: bool,
}

impl Type<'_> {
    /// How wide an element of an array of this type is. Addresses need whole words.
    pub(crate) fn sort(self) -> Sort {
        let bits = |width, signed| Sort::Bits { width, signed };
        match self.word {
            _ if self.pointer => Sort::WORD,
            "char" | "int8_t" => bits(8, true),
            "uint8_t" => bits(8, false),
            "short" | "int16_t" => bits(16, true),
            "uint16_t" => bits(16, false),
            "uint32_t" | "unsigned" => bits(32, false),
            "long" | "int64_t" | "intptr_t" => Sort::WORD,
            "uint64_t" | "uintptr_t" => Sort::WORD,
            _ => bits(32, true),
        }
    }
}

/// What the initial state says of a register.
#[derive(Clone, Debug)]
pub(crate) struct Start<'a> {
    /// The thread; `None` for a symbolic register, which belongs to the threads that use it.
    pub thread: Option<u32>,
    pub name: &'a str,
    pub kind: Type<'a>,
    pub value: Option<Given<'a>>,
    pub span: Span,
}

/// A value that the text gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given<'a> {
    Number(i64),
    /// The address of a variable, or of one of its elements.
    Address(u32, i64),
    /// The place of a label in the code of a thread.
    Code(u32, &'a str),
}

/// The registers of a language: the name that a register goes by, for every name that it has.
pub(crate) type Canonical = for<'b> fn(&'b str) -> Option<&'b str>;

#[derive(Debug)]
pub(crate) struct Names<'a> {
    pub problems: Vec<Diagnostic>,
    pub canonical: Canonical,
    pub variables: Vec<Variable>,
    variable_names: Vec<&'a str>,
    /// The type that the text gives each variable.
    pub types: Vec<Type<'a>>,
    addresses: Vec<Term>,
    pub starts: Vec<Start<'a>>,
    pub threads: Vec<Thread<'a>>,
    /// The registers that each thread names in full (AArch64), as sets of bits.
    pub whole: Vec<u32>,
    pub zero: Term,
    pub truth: Term,
    /// Do registers and words of 32 bits wrap round? See [`Names::see`].
    pub wide: bool,
    /// Some number of the test, or an instruction of it, may leave 31 bits.
    pub leaves: bool,
    /// What the condition compares locations with.
    pub compared: Vec<Compared>,
    /// The types that `locations` prints variables with.
    pub printed: Vec<(u32, Type<'a>, Span)>,
}

#[derive(Debug)]
pub(crate) struct Thread<'a> {
    /// The number in the text: `P3` is 3.
    pub number: u32,
    pub locals: Vec<Local>,
    names: Vec<&'a str>,
    terms: Vec<Term>,
    /// What each local holds at the start, if that is an address.
    pub start: Vec<Option<Given<'a>>>,
    pub types: Vec<Type<'a>>,
    /// How large each access is.
    pub sizes: Vec<Sized>,
    pub cfg: Cfg,
    pub span: Span,
}

impl<'a> Names<'a> {
    pub(crate) fn new(canonical: Canonical, wide: bool) -> Names<'a> {
        Names {
            problems: Vec::new(),
            canonical,
            variables: Vec::new(),
            variable_names: Vec::new(),
            types: Vec::new(),
            addresses: Vec::new(),
            starts: Vec::new(),
            threads: Vec::new(),
            whole: Vec::new(),
            zero: Term::int(0),
            truth: Term::bool(true),
            wide,
            leaves: false,
            compared: Vec::new(),
            printed: Vec::new(),
        }
    }

    /// Note a number of the test.
    ///
    /// Registers and locations are words of 64 bits here, and what is narrower in the architecture
    /// differs from that only if a number leaves 31 bits. Sums of the small numbers of tests do not,
    /// so nearly all tests need no terms that wrap numbers round. For the others (`leaves`) the test
    /// is read again with `wide` set.
    pub(crate) fn see(&mut self, number: i64) {
        self.leaves |= !(0..0x8000).contains(&number);
    }

    #[allow(clippy::boxed_local)] // errors travel in boxes
    pub(crate) fn problem(&mut self, problem: Box<Diagnostic>) {
        self.problems.push(*problem);
    }

    pub(crate) fn find_variable(&self, name: &str) -> Option<u32> {
        self.variable_names.iter().position(|other| *other == name).map(|number| number as u32)
    }

    /// The variable of this name. A location that nothing declares holds 0 at the start.
    pub(crate) fn variable(&mut self, name: &'a str, span: Span) -> u32 {
        if let Some(number) = self.find_variable(name) {
            return number;
        }
        let number = self.variables.len() as u32;
        self.variables.push(Variable {
            name: name.into(),
            sort: Sort::WORD,
            dimensions: vec![],
            range: None,
            init: Init::Values(vec![self.zero.clone()]),
            unbuffered: false,
            place: None,
            owner: None,
            span,
        });
        self.variable_names.push(name);
        self.types.push(Type::default());
        self.addresses.push(Term::address(number, vec![]));
        number
    }

    /// Make a variable an array. It must not have been used.
    pub(crate) fn make_array(&mut self, variable: u32, kind: Type<'a>, length: u32) {
        let info = &mut self.variables[variable as usize];
        info.sort = kind.sort();
        info.dimensions = vec![Dimension::Fixed(length)];
        self.addresses[variable as usize] = Term::address(variable, vec![self.zero.clone()]);
    }

    pub(crate) fn length(&self, variable: u32) -> Option<u32> {
        match self.variables[variable as usize].dimensions.first() {
            Some(Dimension::Fixed(length)) => Some(*length),
            _ => None,
        }
    }

    /// The address of a variable, or of an element of an array.
    pub(crate) fn address(&self, variable: u32, element: i64) -> Term {
        match element {
            0 => self.addresses[variable as usize].clone(),
            _ => Term::address(variable, vec![Term::int(element)]),
        }
    }

    /// A value as a term.
    pub(crate) fn given(&self, value: Given<'_>) -> Term {
        match value {
            Given::Number(number) => Term::int(number),
            Given::Address(variable, element) => Term::number(self.address(variable, element)),
            Given::Code(thread, label) => Term::int(code_address(thread, label)),
        }
    }

    pub(crate) fn add_thread(&mut self, number: u32, span: Span) -> usize {
        self.threads.push(Thread {
            number,
            locals: Vec::with_capacity(8),
            names: Vec::with_capacity(8),
            terms: Vec::with_capacity(8),
            start: Vec::with_capacity(8),
            types: Vec::with_capacity(8),
            sizes: Vec::new(),
            cfg: Cfg::default(),
            span,
        });
        self.threads.len() - 1
    }

    /// The thread that the text calls `number`.
    pub(crate) fn thread(&self, number: u32, span: Span) -> Read<usize> {
        let found = self.threads.iter().position(|thread| thread.number == number);
        found.ok_or_else(|| Box::new(no_thread(number, span)))
    }

    /// The local that stands for a register, made at its first use.
    pub(crate) fn register(&mut self, thread: usize, name: &'a str, span: Span) -> Read<u32> {
        let canonical = if name.starts_with('%') { Some(name) } else { (self.canonical)(name) };
        let Some(canonical) = canonical else {
            let message = format!("`{name}` is not a register");
            return Err(Box::new(Diagnostic::error(codes::REGISTER, span, message)));
        };
        Ok(self.local(thread, canonical))
    }

    /// The local of this name, with what the initial state says of it.
    pub(crate) fn local(&mut self, thread: usize, name: &'a str) -> u32 {
        if let Some(number) = self.threads[thread].find(name) {
            return number;
        }
        let number = self.threads[thread].number;
        let given = |start: &&Start<'_>| start.name == name && start.thread.is_none_or(|of| of == number);
        let start = self.starts.iter().rev().find(given);
        let (kind, value) = start.map_or((Type::default(), None), |start| (start.kind, start.value));
        let init = match value {
            None => self.zero.clone(),
            Some(value) => self.given(value),
        };
        self.threads[thread].add(name, kind, value, init, false)
    }

    /// A local that the text does not name.
    pub(crate) fn hidden(&mut self, thread: usize, name: &'static str) -> u32 {
        let zero = self.zero.clone();
        let thread = &mut self.threads[thread];
        thread.find(name).unwrap_or_else(|| thread.add(name, Type::default(), None, zero, true))
    }

    /// A local for a truth value that the text does not name.
    pub(crate) fn hidden_truth(&mut self, thread: usize, name: &'static str) -> u32 {
        let local = self.hidden(thread, name);
        let thread = &mut self.threads[thread];
        if thread.locals[local as usize].sort != Sort::Bool {
            thread.set_sort(local, Sort::Bool);
            thread.locals[local as usize].init = Init::Values(vec![Term::bool(false)]);
        }
        local
    }

    /// The initial state may speak of threads that there are only.
    pub(crate) fn check_starts(&mut self) {
        let unknown = |start: &&Start<'_>| start.thread.is_some_and(|number| !self.has_thread(number));
        let problems: Vec<Diagnostic> = (self.starts.iter().filter(unknown))
            .filter_map(|start| Some(no_thread(start.thread?, start.span)))
            .collect();
        self.problems.extend(problems);
    }

    fn has_thread(&self, number: u32) -> bool {
        self.threads.iter().any(|thread| thread.number == number)
    }

    pub(crate) fn unknown_location(&self, name: &str, span: Span) -> Box<Diagnostic> {
        let message = format!("`{name}` is not a location of this test");
        let problem = Diagnostic::error(codes::LOCATION, span, message);
        Box::new(match did_you_mean(name, self.variable_names.iter().copied()) {
            Some(help) => problem.help(help),
            None => problem,
        })
    }
}

impl<'a> Thread<'a> {
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|other| *other == name).map(|number| number as u32)
    }

    fn add(
        &mut self,
        name: &'a str,
        kind: Type<'a>,
        start: Option<Given<'a>>,
        init: Term,
        hidden: bool,
    ) -> u32 {
        let number = self.locals.len() as u32;
        let init = Init::Values(vec![init]);
        self.locals.push(Local { name: name.into(), sort: Sort::WORD, range: None, init, hidden });
        self.names.push(name);
        self.terms.push(Term::local(number, Sort::WORD));
        self.start.push(start);
        self.types.push(kind);
        number
    }

    /// Make a local one of another sort. No term may speak of it yet.
    pub(crate) fn set_sort(&mut self, local: u32, sort: Sort) {
        if self.locals[local as usize].sort != sort {
            self.locals[local as usize].sort = sort;
            self.terms[local as usize] = Term::local(local, sort);
        }
    }

    /// What a local holds.
    pub(crate) fn term(&self, local: u32) -> Term {
        self.terms[local as usize].clone()
    }

    pub(crate) fn into_process(self) -> Process {
        Process {
            name: format!("P{}", self.number).into(),
            replicas: Replicas::Once,
            locals: self.locals,
            cfg: self.cfg,
            span: self.span,
        }
    }
}

fn no_thread(number: u32, span: Span) -> Diagnostic {
    Diagnostic::error(codes::THREAD, span, format!("there is no thread P{number}"))
}

/// A term brought into 32 bits in wide tests. Addresses, whose numbers begin above, stay as they are.
pub(crate) fn word(term: Term, signed: bool) -> Term {
    if let Some(Value::Int(value)) = term.as_value() {
        return Term::int(if signed { i64::from(*value as i32) } else { i64::from(*value as u32) });
    }
    let low = i64::from(u32::MAX);
    let cut = match signed {
        true => {
            let up = Term::binary(Binary::ShiftLeft, term.clone(), Term::int(32));
            Term::binary(Binary::ShiftRight, up, Term::int(32))
        }
        false => Term::binary(Binary::BitAnd, term.clone(), Term::int(low)),
    };
    let is_address = Term::binary(Binary::Greater, term.clone(), Term::int(low));
    Term::if_then_else(is_address, term, cut)
}

/// A number for a place in the code: below all addresses of locations, and negative, so that no
/// value of a test is one by accident.
pub(crate) fn code_address(thread: u32, label: &str) -> i64 {
    let mix = |hash: i64, byte: u8| (hash ^ i64::from(byte)).wrapping_mul(0x0100_0000_01b3) & 0xffff_ffff;
    -(1 << 48) - (i64::from(thread) << 32) - label.bytes().fold(0x811c_9dc5, mix)
}
