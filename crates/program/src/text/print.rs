//! A program as text.

use std::collections::BTreeMap;
use std::fmt::Write;

use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_source::Span;

use super::{instance, needs_quotes};
use crate::{
    Broadcast, Choice, Dimension, Edge, Fence, Init, Mode, Name, Op, Orders, PointInfo, Process, ProcessId,
    Program, PropertyKind, Range, Replicas, Role, Source, Tags, Update, Variable,
};

/// See the module `text`.
pub fn print(program: &Program) -> String {
    let printer = Printer { program, process: None };
    let mut out = String::from("wir 1\n");
    // Writing to a string cannot fail.
    let _ = printer.program(&mut out);
    out
}

/// A formula over whole states on one line, in the same form.
pub fn print_term(program: &Program, term: &Term) -> String {
    Printer { program, process: None }.term(term)
}

/// How tightly an operator binds, and how it is written.
pub(super) fn operator(operator: Binary) -> (u8, &'static str) {
    match operator {
        Binary::Implies => (1, "=>"),
        Binary::Or => (2, "||"),
        Binary::And => (3, "&&"),
        Binary::Equal => (4, "=="),
        Binary::NotEqual => (4, "!="),
        Binary::Less => (4, "<"),
        Binary::LessEqual => (4, "<="),
        Binary::Greater => (4, ">"),
        Binary::GreaterEqual => (4, ">="),
        Binary::Member => (4, "in"),
        Binary::BitOr => (5, "|"),
        Binary::BitXor => (6, "^"),
        Binary::BitAnd => (7, "&"),
        Binary::ShiftLeft => (8, "<<"),
        Binary::ShiftRight => (8, ">>"),
        Binary::Add => (9, "+"),
        Binary::Subtract => (9, "-"),
        Binary::Offset => (9, "++"),
        Binary::Insert => (9, "with"),
        Binary::Multiply => (10, "*"),
        Binary::Divide => (10, "/"),
        Binary::Remainder => (10, "%"),
    }
}

pub(super) const OPERATORS: [Binary; 22] = [
    Binary::Implies,
    Binary::Or,
    Binary::And,
    Binary::Equal,
    Binary::NotEqual,
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::Member,
    Binary::BitOr,
    Binary::BitXor,
    Binary::BitAnd,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::Add,
    Binary::Subtract,
    Binary::Offset,
    Binary::Insert,
    Binary::Multiply,
    Binary::Divide,
    Binary::Remainder,
];

/// Binds more tightly than any binary operator.
pub(super) const TIGHT: u8 = 11;

struct Printer<'a> {
    program: &'a Program,
    /// Whose locals terms speak of.
    process: Option<&'a Process>,
}

impl Printer<'_> {
    fn program(&self, out: &mut String) -> std::fmt::Result {
        let program = self.program;
        writeln!(out, "program {}", quoted(&program.name))?;
        writeln!(out, "vocabulary {}", program.vocabulary.name())?;
        for enumeration in &program.enumerations {
            let constructors: Vec<String> = enumeration.constructors.iter().map(|name| word(name)).collect();
            writeln!(out, "enum {} {{ {} }}", word(&enumeration.name), constructors.join(" "))?;
        }
        for variable in &program.variables {
            self.variable(out, variable)?;
        }
        for process in &program.processes {
            Printer { program, process: Some(process) }.process(out, process)?;
        }
        if let Some(init) = &program.init {
            writeln!(out, "init {}", self.term(init))?;
        }
        for property in &program.properties {
            let kind = match property.kind {
                PropertyKind::Forbid => "forbid",
                PropertyKind::Always => "always",
                PropertyKind::Finally => "finally",
            };
            writeln!(out, "{kind} {}{}", self.term(&property.formula), span(property.span))?;
        }
        for term in &program.observed {
            writeln!(out, "observe {}", self.term(term))?;
        }
        if let Some(condition) = &program.condition {
            let (word, formula) = (condition.question.name(), self.term(&condition.formula));
            writeln!(out, "condition {word} {formula}{}", span(condition.span))?;
        }
        if let Some(filter) = &program.filter {
            writeln!(out, "filter {}", self.term(filter))?;
        }
        for predicate in &program.predicates {
            writeln!(out, "predicate {}", self.term(predicate))?;
        }
        Ok(())
    }

    fn variable(&self, out: &mut String, variable: &Variable) -> std::fmt::Result {
        write!(out, "variable {}", word(&variable.name))?;
        for dimension in &variable.dimensions {
            match dimension {
                Dimension::Fixed(length) => write!(out, "[{length}]")?,
                Dimension::Copies(process) => write!(out, "[copies {}]", self.process_name(process.0))?,
            }
        }
        write!(out, " : {}{}", self.sort(variable.sort), range(variable.range))?;
        write!(out, " {}", self.init(&variable.init))?;
        if variable.unbuffered {
            write!(out, " unbuffered")?;
        }
        if let Some(place) = &variable.place {
            write!(out, " part {} at {}", place.object, place.offset)?;
            if !place.strides.is_empty() {
                let strides: Vec<String> = place.strides.iter().map(u32::to_string).collect();
                write!(out, " by {}", strides.join(" "))?;
            }
        }
        if let Some(owner) = variable.owner {
            write!(out, " owner {}", self.process_name(owner.0))?;
        }
        writeln!(out, "{}", span(variable.span))
    }

    fn process(&self, out: &mut String, process: &Process) -> std::fmt::Result {
        write!(out, "process {}", word(&process.name))?;
        match process.replicas {
            Replicas::Once => {}
            Replicas::Exactly(count) => write!(out, " copies {count}")?,
            Replicas::Any => write!(out, " copies any")?,
        }
        writeln!(out, "{}", span(process.span))?;
        for local in &process.locals {
            let hidden = if local.hidden { " hidden" } else { "" };
            let (sort, range, init) = (self.sort(local.sort), range(local.range), self.init(&local.init));
            writeln!(out, "  local {} : {sort}{range} {init}{hidden}", word(&local.name))?;
        }
        writeln!(out, "  entry {}", process.cfg.entry.0)?;
        for (number, info) in process.cfg.points.iter().enumerate() {
            writeln!(out, "  point {number}{}", point(info))?;
        }
        for edge in &process.cfg.edges {
            writeln!(out, "  {}", self.edge(edge))?;
        }
        Ok(())
    }

    fn edge(&self, edge: &Edge) -> String {
        let mut out = format!("edge {} -> {}", edge.from.0, edge.to.0);
        if edge.mode != Mode::Plain {
            out += &format!(" {}", mode(edge.mode));
        }
        match edge.role {
            Role::Step => {}
            Role::Retries => out += " retries",
            Role::Asserts => out += " asserts",
        }
        if edge.guard != Term::bool(true) {
            out += &format!(" when {}", self.term(&edge.guard));
        }
        let ops: Vec<String> = edge.ops.iter().map(|op| self.op(op)).collect();
        if !ops.is_empty() {
            out += &format!(" do {}", ops.join("; "));
        }
        out + &span(edge.origin.0)
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Any => "init any".into(),
            Init::Values(values) if values.is_empty() => "init none".into(),
            Init::Values(values) => {
                let values: Vec<String> = values.iter().map(|value| self.term(value)).collect();
                format!("init {}", values.join(", "))
            }
        }
    }

    fn op(&self, op: &Op) -> String {
        let t = |term: &Term| self.term(term);
        match op {
            Op::Load { into, address, tags } => {
                format!("load {} from {}{}", self.local_name(*into), t(address), tagged(tags))
            }
            Op::Store { address, value, tags } => {
                format!("store {} = {}{}", t(address), t(value), tagged(tags))
            }
            Op::Together { stores } => {
                let stores: Vec<String> = stores.iter().map(|store| self.broadcast(store)).collect();
                format!("together {{ {} }}", stores.join(", "))
            }
            Op::Assign { local, value } => format!("assign {} = {}", self.local_name(*local), t(value)),
            Op::Havoc { local, among } => {
                let among = match among {
                    Choice::Any => String::new(),
                    Choice::Between(low, high) => format!(" from {} to {}", t(low), t(high)),
                    Choice::Member(set) => format!(" in {}", t(set)),
                };
                format!("havoc {}{among}", self.local_name(*local))
            }
            Op::Forget { local } => format!("forget {}", self.local_name(*local)),
            Op::Assume { condition } => format!("assume {}", t(condition)),
            Op::Assert { condition, span } => format!("assert {} {}", t(condition), exact_span(*span)),
            Op::Fence(fence) => self.fence(fence),
            Op::Put { remote, source: Source::Location(source) } => {
                format!("put {} from {}", t(remote), t(source))
            }
            Op::Put { remote, source: Source::Value(value) } => format!("put {} = {}", t(remote), t(value)),
            Op::Get { into, remote } => format!("get {} from {}", t(into), t(remote)),
            Op::RemoteAtomic { into, remote, update } => {
                let update = match update {
                    Update::Add(value) => format!("add {}", t(value)),
                    Update::Replace(value) => format!("replace {}", t(value)),
                    Update::CompareAndSwap { expected, new } => format!("cas {} to {}", t(expected), t(new)),
                };
                let into = into.as_ref().map(|into| format!(" into {}", t(into))).unwrap_or_default();
                format!("remote {} {update}{into}", t(remote))
            }
            Op::Flush { process, copy } => format!("flush {}", self.copy(*process, copy)),
            Op::LoadExclusive { into, address, tags } => {
                format!("load_exclusive {} from {}{}", self.local_name(*into), t(address), tagged(tags))
            }
            Op::StoreConditional { success, address, value, tags } => {
                let success = self.local_name(*success);
                format!("store_conditional {success} to {} = {}{}", t(address), t(value), tagged(tags))
            }
            Op::Spawn { process, copy } => format!("spawn {}", self.copy(*process, copy)),
            Op::Join { process, copy } => format!("join {}", self.copy(*process, copy)),
            Op::Cut { what, span } => format!("cut {} {}", quoted(what), exact_span(*span)),
            Op::Unsupported { what, span } => format!("unsupported {} {}", quoted(what), exact_span(*span)),
        }
    }

    fn broadcast(&self, store: &Broadcast) -> String {
        let mut out = String::new();
        for (bound, process) in &store.each {
            out += &format!("each ?{bound} in {}: ", self.process_name(process.0));
        }
        out += &format!("{} = {}", self.term(&store.address), self.term(&store.value));
        if store.when != Term::bool(true) {
            out += &format!(" when {}", self.term(&store.when));
        }
        out
    }

    fn fence(&self, fence: &Fence) -> String {
        let tag = if &*fence.tag == "fence" { "fence".to_owned() } else { word(&fence.tag) };
        let mut out = format!("fence {tag}");
        if fence.orders.0 > Orders::ALL.0 {
            out += &format!(" bits {}", fence.orders.0);
        } else if fence.orders != Orders::NONE {
            out += &format!(" {}", fence.orders);
        }
        if fence.cumulative {
            out += " cumulative";
        }
        if let Some(location) = &fence.location {
            out += &format!(" at {}", self.term(location));
        }
        out
    }

    /// `p[1]`. Copy 0 of a process that is itself called `p[1]`, because it was a copy before there was one process
    /// for each thread, is `p[1]` too, where that can mean nothing else.
    fn copy(&self, process: ProcessId, copy: &Term) -> String {
        let processes = &self.program.processes;
        let named = |name: &str| processes.iter().filter(|other| &*other.name == name).count();
        if let Some(process) = processes.get(process.0 as usize)
            && let Some((base, _)) = instance(&process.name)
            && *copy == Term::int(0)
            && (named(base), named(&process.name)) == (0, 1)
        {
            return process.name.to_string();
        }
        format!("{}[{}]", self.process_name(process.0), self.term(copy))
    }

    // Terms.

    fn term(&self, term: &Term) -> String {
        let mut out = String::new();
        self.write(&mut out, term, 0);
        out
    }

    /// Write a term where an operator that binds like `around` stands around it.
    fn write(&self, out: &mut String, term: &Term, around: u8) {
        match term.kind() {
            Kind::Binary(binary, left, right) => {
                let (binds, text) = operator(*binary);
                let brackets = binds < around;
                if brackets {
                    out.push('(');
                }
                self.write(out, left, binds);
                *out += &format!(" {text} ");
                self.write(out, right, binds + 1);
                if brackets {
                    out.push(')');
                }
            }
            Kind::Unary(unary, operand) => {
                out.push(match unary {
                    Unary::Not => '!',
                    Unary::Negate => '-',
                    Unary::Complement => '~',
                });
                // `-(3)` is not the literal `-3`.
                let number = matches!(operand.as_value(), Some(Value::Int(_)));
                match number {
                    true => *out += &format!("({})", self.term(operand)),
                    false => self.write(out, operand, TIGHT),
                }
            }
            Kind::If(condition, then, otherwise) => {
                let (a, b, c) = (self.term(condition), self.term(then), self.term(otherwise));
                *out += &format!("(if {a} then {b} else {c})");
            }
            Kind::Value(value) => *out += &self.value(value, term.sort()),
            Kind::Symbol(symbol) => *out += &self.symbol(*symbol, term.sort()),
            Kind::Address { variable, indices } => {
                out.push('&');
                *out += &self.variable_name(*variable);
                for index in indices {
                    *out += &format!("[{}]", self.term(index));
                }
            }
            Kind::Number(address) => *out += &format!("number({})", self.term(address)),
            Kind::Pointer(number) => *out += &format!("pointer({})", self.term(number)),
            Kind::Content(address) => {
                let usual = content_sort(self.program, address);
                *out += &format!("mem({})", self.term(address));
                *out += &self.annotation(term.sort(), usual);
            }
            Kind::Seen { process, copy, address } => {
                let usual = content_sort(self.program, address);
                let (copy, address) = (self.copy(ProcessId(*process), copy), self.term(address));
                *out += &format!("seen({copy}, {address})");
                *out += &self.annotation(term.sort(), usual);
            }
            Kind::At { process, copy, point } => {
                *out += &self.copy(ProcessId(*process), copy);
                *out += &format!("@{}", self.point_name(*process, *point));
            }
            Kind::Ended { process, copy } => {
                *out += &format!("ended({})", self.copy(ProcessId(*process), copy))
            }
            Kind::LocalOf { process, copy, local } => {
                let owner = self.program.processes.get(*process as usize);
                let info = owner.and_then(|owner| owner.locals.get(*local as usize));
                let name = match owner {
                    Some(owner) => reference(owner.locals.iter().map(|local| &local.name), *local),
                    None => format!("#{local}"),
                };
                *out += &format!("{}.{name}", self.copy(ProcessId(*process), copy));
                *out += &self.annotation(term.sort(), info.map_or(Sort::Int, |info| info.sort));
            }
            Kind::Element(set) => *out += &format!("each({})", self.term(set)),
            Kind::Quantified { quantifier, bound, process, body } => {
                let word = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                };
                let (process, body) = (self.process_name(*process), self.term(body));
                *out += &format!("({word} ?{bound} in {process}: {body})");
            }
        }
    }

    fn value(&self, value: &Value, sort: Sort) -> String {
        if let (Value::Symbol(number), Sort::Enum(of)) = (value, sort)
            && let Some(name) = self.constructor(of, *number)
        {
            return name;
        }
        let (text, usual) = match value {
            Value::Bool(value) => (value.to_string(), Sort::Bool),
            Value::Int(value) => (value.to_string(), Sort::Int),
            Value::Symbol(number) => (format!("symbol({number})"), Sort::Int),
            Value::Address(number) => (format!("location({number})"), Sort::Address),
            Value::Process(number) => (format!("thread({number})"), Sort::Process),
            Value::Set(set) => {
                let elements: Vec<String> = set.iter().map(i64::to_string).collect();
                (format!("{{{}}}", elements.join(", ")), Sort::IntSet)
            }
        };
        text + &self.annotation(sort, usual)
    }

    /// `colour.red`, if that is clear.
    fn constructor(&self, of: u32, number: u32) -> Option<String> {
        let enumeration = self.program.enumerations.get(of as usize)?;
        let clear = |name: String| (!name.starts_with('#')).then_some(name);
        let names = self.program.enumerations.iter().map(|enumeration| &enumeration.name);
        let of = clear(reference(names, of))?;
        Some(format!("{of}.{}", clear(reference(enumeration.constructors.iter(), number))?))
    }

    fn symbol(&self, symbol: Symbol, sort: Sort) -> String {
        let (text, usual) = match symbol {
            Symbol::Local(local) => {
                let info = self.process.and_then(|process| process.locals.get(local as usize));
                let text = match info {
                    Some(_) => self.local_name(local),
                    None => format!("local({local})"),
                };
                (text, info.map_or(Sort::Int, |info| info.sort))
            }
            Symbol::Me => ("me".into(), Sort::Int),
            Symbol::Copies(process) => (format!("copies({})", self.process_name(process)), Sort::Int),
            Symbol::Bound(number) => (format!("?{number}"), Sort::Int),
        };
        text + &self.annotation(sort, usual)
    }

    fn annotation(&self, sort: Sort, usual: Sort) -> String {
        if sort == usual { String::new() } else { format!(":{}", self.sort(sort)) }
    }

    fn sort(&self, sort: Sort) -> String {
        match sort {
            Sort::Enum(number) => {
                let names = self.program.enumerations.iter().map(|enumeration| &enumeration.name);
                let name = reference(names, number);
                if name.starts_with('#') { format!("enum({number})") } else { name }
            }
            sort => sort.to_string(),
        }
    }

    fn local_name(&self, number: u32) -> String {
        match self.process {
            Some(process) => reference(process.locals.iter().map(|local| &local.name), number),
            None => format!("#{number}"),
        }
    }

    fn variable_name(&self, number: u32) -> String {
        reference(self.program.variables.iter().map(|variable| &variable.name), number)
    }

    fn process_name(&self, number: u32) -> String {
        reference(self.program.processes.iter().map(|process| &process.name), number)
    }

    fn point_name(&self, process: u32, point: u32) -> String {
        let number = format!("#{point}");
        let Some(process) = self.program.processes.get(process as usize) else { return number };
        let Some(info) = process.cfg.points.get(point as usize) else { return number };
        let labels = || process.cfg.points.iter().flat_map(|info| &info.labels);
        let unique = |name: &&Name| labels().filter(|other| other == name).count() == 1;
        info.labels.iter().find(unique).map_or(number, |name| word(name))
    }
}

/// The sort of what memory holds at an address, as far as the address tells.
pub(super) fn content_sort(program: &Program, address: &Term) -> Sort {
    match address.kind() {
        Kind::Address { variable, .. } => {
            program.variables.get(*variable as usize).map_or(Sort::Int, |variable| variable.sort)
        }
        _ => Sort::Int,
    }
}

/// The name of number `number`, or `#number` if others have it too.
fn reference<'a>(names: impl Iterator<Item = &'a Name>, number: u32) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let names: Vec<&Name> = names.collect();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    match names.get(number as usize) {
        Some(name) if counts.get(&***name) == Some(&1) => word(name),
        _ => format!("#{number}"),
    }
}

fn word(name: &str) -> String {
    if needs_quotes(name) { quoted(name) } else { name.to_owned() }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            letter if letter.is_control() => out += &format!("\\u{{{:x}}}", letter as u32),
            letter => out.push(letter),
        }
    }
    out + "\""
}

fn point(info: &PointInfo) -> String {
    let mut out = String::new();
    for label in &info.labels {
        out += &format!(" label {}", word(label));
    }
    if info.end {
        out += " end";
    }
    if let Some(inside) = info.inside {
        out += &format!(" inside {}", mode(inside));
    }
    out + &span(info.origin.0)
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Plain => "plain",
        Mode::Locked => "locked",
        Mode::Buffered => "buffered",
    }
}

fn tagged(tags: &Tags) -> String {
    if tags.is_empty() {
        return String::new();
    }
    let tags: Vec<String> = tags.iter().map(|tag| word(tag)).collect();
    format!(" tagged {}", tags.join(" "))
}

fn range(range: Option<Range>) -> String {
    range.map(|range| format!(" range {}..{}", range.low, range.high)).unwrap_or_default()
}

fn span(span: Span) -> String {
    if span.is_nowhere() { String::new() } else { format!(" {}", exact_span(span)) }
}

fn exact_span(span: Span) -> String {
    match span.file.0 {
        0 => format!("@{}..{}", span.start, span.end),
        file => format!("@{file}:{}..{}", span.start, span.end),
    }
}
