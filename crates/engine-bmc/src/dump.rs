//! `--dump ssa`, `events` and `constraints`: an unrolling as text, in the manner of the paper's Figs. 3 and 4.
//!
//! Every occurrence of a shared variable has an index of its own (`x_0` is its initial value), and so
//! has every value that a local is given. An equation with a guard in brackets before it holds where
//! the guard does. What occurs more than once in expressions is given a name, `t_0`, `t_1` …; free
//! choices are called `c_0`, `c_1` ….

mod constraints;

use std::collections::HashMap;
use std::fmt::Write;

use wattle_engine::{Task, Unsupported};
use wattle_logic::{Binary, Unary};
use wattle_program::symbolic::{Expr, Node};
use wattle_program::{Program, Shape, ThreadId};

use crate::Bmc;
use crate::unroll::structure::{Access, Structure};
use crate::unroll::unroll;

/// Which view of an unrolling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dump {
    /// Guarded single assignments.
    Ssa,
    /// The symbolic events of each thread.
    Events,
    /// Who may read from whom, and what has no cycle under the model.
    Constraints,
}

/// The unrolling of a task's program as text.
pub fn dump(engine: &Bmc, task: &Task<'_>, view: Dump) -> Result<String, Unsupported> {
    let program = task.program;
    let shape = Shape::new(program).map_err(|error| Unsupported::new(error.to_string()))?;
    let structure = unroll(program, &shape, &engine.unrolling(task, &[engine.unwind.unwrap_or(1)]))?;
    let mut writer = Writer::new(program, &shape, &structure);
    match view {
        Dump::Ssa => writer.equations(),
        Dump::Events => writer.events(),
        Dump::Constraints => writer.constraints(engine, task)?,
    }
    Ok(writer.text)
}

struct Writer<'w, 'a> {
    program: &'w Program,
    shape: &'w Shape,
    structure: &'w Structure<'a>,
    /// What each event reads and writes.
    read: Vec<String>,
    written: Vec<String>,
    /// How often expressions occur in others and in what is printed.
    uses: Vec<u32>,
    names: HashMap<Expr, String>,
    fresh: u32,
    text: String,
}

impl<'w, 'a> Writer<'w, 'a> {
    fn new(program: &'w Program, shape: &'w Shape, structure: &'w Structure<'a>) -> Writer<'w, 'a> {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut symbol = |name: &str| {
            let count = counts.entry(name.to_owned()).or_default();
            *count += 1;
            format!("{name}_{}", *count - 1)
        };
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for event in &structure.events {
            let location = structure.arena.value(event.address).and_then(|at| u32::try_from(at).ok());
            let name = location.map_or("mem".into(), |location| shape.location_name(program, location));
            read.push(if event.access.reads() { symbol(&name) } else { String::new() });
            written.push(if event.access.writes() { symbol(&name) } else { String::new() });
        }
        let mut writer = Writer {
            program,
            shape,
            structure,
            read,
            written,
            uses: vec![0; structure.arena.len()],
            names: HashMap::new(),
            fresh: 0,
            text: String::new(),
        };
        writer.count();
        writer
    }

    /// Count uses in everything that is printed.
    fn count(&mut self) {
        let structure = self.structure;
        let mut open: Vec<Expr> = Vec::new();
        for event in &structure.events {
            open.extend([event.guard, event.address].into_iter().chain(event.written));
        }
        open.extend(structure.steps.iter().map(|step| step.taken));
        open.extend(structure.definitions.iter().map(|definition| definition.value));
        open.extend(structure.requirements.iter().copied());
        open.extend(structure.assertions.iter().chain(&structure.faults).map(|failure| failure.when));
        while let Some(expr) = open.pop() {
            let uses = &mut self.uses[expr.0 as usize];
            *uses += 1;
            if *uses == 1 {
                open.extend(operands(structure.arena.node(expr)));
            }
        }
    }

    fn equations(&mut self) {
        let structure = self.structure;
        self.line("initially");
        for (number, event) in structure.events.iter().enumerate().filter(|(_, event)| event.thread.is_none())
        {
            self.equation(None, &self.written[number].clone(), event.written.unwrap_or(event.address));
        }
        let mut indices: HashMap<(ThreadId, u32), u32> = HashMap::new();
        let mut asserted = structure.assertions.iter().peekable();
        let mut events =
            structure.events.iter().enumerate().filter(|(_, event)| event.thread.is_some()).peekable();
        let mut definitions = structure.definitions.iter().peekable();
        let mut last = None;
        for (number, step) in structure.steps.iter().enumerate() {
            if last.replace(step.thread) != Some(step.thread) {
                let name = self.shape.thread_name(self.program, step.thread);
                self.line(&format!("{name}:"));
            }
            let process = self.program.process(self.shape.info(step.thread).process);
            while let Some(definition) = definitions.next_if(|definition| definition.step == number as u32) {
                let local = &process.locals[definition.local as usize];
                if local.hidden {
                    continue;
                }
                let index = indices.entry((step.thread, definition.local)).or_default();
                let name = format!("{}_{index}", local.name);
                *index += 1;
                self.equation(Some(step.taken), &name, definition.value);
                if is_composed(structure.arena.node(definition.value)) {
                    self.names.entry(definition.value).or_insert(name);
                }
            }
            while let Some((number, event)) = events.next_if(|(_, event)| event.step == number as u32) {
                let Some(written) = event.written else { continue };
                self.equation(Some(event.guard), &self.written[number].clone(), written);
            }
            while let Some(failure) = asserted.next_if(|failure| failure.step == number as u32) {
                let when = self.expression(failure.when);
                self.line(&format!("  violated if {when}"));
            }
        }
        if !structure.requirements.is_empty() {
            self.line("required");
            for requirement in &structure.requirements {
                let requirement = self.expression(*requirement);
                self.line(&format!("  {requirement}"));
            }
        }
        for (thread, threaded) in self.shape.thread_ids().zip(&structure.threads) {
            if let Some(cut) = threaded.cut {
                let name = self.shape.thread_name(self.program, thread);
                let cut = self.expression(cut);
                self.line(&format!("{name} is cut if {cut}"));
            }
        }
    }

    fn equation(&mut self, guard: Option<Expr>, name: &str, value: Expr) {
        let guard = guard.filter(|guard| self.structure.arena.value(*guard) != Some(1));
        let guard = guard.map(|guard| format!("[{}] ", self.expression(guard))).unwrap_or_default();
        let value = self.expression(value);
        self.line(&format!("  {guard}{name} = {value}"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A column for each thread, initial writes in the first.
    fn events(&mut self) {
        let structure = self.structure;
        let threads = self.shape.threads.len();
        let mut columns: Vec<Vec<String>> = vec![vec!["initially".into()]];
        columns
            .extend(self.shape.thread_ids().map(|thread| vec![self.shape.thread_name(self.program, thread)]));
        // Guards that are no constants are explained below.
        let mut guards: Vec<Expr> = Vec::new();
        for (number, event) in structure.events.iter().enumerate() {
            let column = event.thread.map_or(0, |thread| thread.0 as usize + 1);
            let access = match event.access {
                Access::Read => format!("R {}", self.read[number]),
                Access::Write => format!("W {}", self.written[number]),
                Access::Update => format!("U {} {}", self.read[number], self.written[number]),
                Access::Fence => "F".into(),
            };
            let mut cell = format!("({number}) {access}");
            for tag in &event.tags {
                let _ = write!(cell, " {tag}");
            }
            if structure.arena.value(event.guard) != Some(1) {
                let found = guards.iter().position(|guard| *guard == event.guard).unwrap_or(guards.len());
                if found == guards.len() {
                    guards.push(event.guard);
                }
                let _ = write!(cell, " [g_{found}]");
            }
            columns[column].push(cell);
        }
        let widths: Vec<usize> = columns
            .iter()
            .map(|column| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0))
            .collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let mut line = String::new();
            for column in 0..=threads {
                let cell = columns[column].get(row).map_or("", String::as_str);
                let _ = write!(line, "{cell:<width$}  ", width = widths[column]);
            }
            self.line(line.trim_end());
        }
        for (number, guard) in guards.iter().enumerate() {
            let guard = self.expression(*guard);
            self.line(&format!("g_{number} = {guard}"));
        }
    }

    /// The text of an expression; what it shares with others is written down first.
    fn expression(&mut self, expr: Expr) -> String {
        if let Some(name) = self.names.get(&expr) {
            return name.clone();
        }
        let node = self.structure.arena.node(expr);
        let text = self.node(node);
        if !is_composed(node) || self.uses[expr.0 as usize] <= 1 || text.len() <= 12 {
            return text;
        }
        let name = format!("t_{}", self.fresh);
        self.fresh += 1;
        self.line(&format!("  {name} = {text}"));
        self.names.insert(expr, name.clone());
        name
    }

    fn operand(&mut self, expr: Expr) -> String {
        let text = self.expression(expr);
        let infix = matches!(self.structure.arena.node(expr), Node::Binary(..) | Node::If(..));
        if infix && !self.names.contains_key(&expr) { format!("({text})") } else { text }
    }

    fn node(&mut self, node: Node) -> String {
        match node {
            Node::Constant(value) => value.to_string(),
            Node::Read(event) => self.read[event as usize].clone(),
            Node::Cell(input) => format!("c_{input}"),
            Node::Unary(Unary::Not, _, operand) => match self.structure.arena.node(operand) {
                Node::Binary(Binary::Equal, _, left, right) if !self.names.contains_key(&operand) => {
                    format!("{} != {}", self.operand(left), self.operand(right))
                }
                _ => format!("!{}", self.operand(operand)),
            },
            Node::Unary(Unary::Negate, _, operand) => format!("-{}", self.operand(operand)),
            Node::Unary(Unary::Complement, _, operand) => format!("~{}", self.operand(operand)),
            Node::Binary(operator, _, left, right) => {
                format!("{} {} {}", self.operand(left), sign(operator), self.operand(right))
            }
            Node::If(condition, then, otherwise) => {
                let condition = self.operand(condition);
                format!("{condition} ? {} : {}", self.operand(then), self.operand(otherwise))
            }
            Node::Wrap(sort, operand) => format!("{sort}({})", self.expression(operand)),
            Node::Element(base, index, length) => {
                format!("{} * {length} + {}", self.operand(base), self.operand(index))
            }
            Node::Number(location) => format!("number({})", self.expression(location)),
            Node::Pointer(number) => format!("pointer({})", self.expression(number)),
            Node::Content(_, location) => format!("content({})", self.expression(location)),
        }
    }
}

fn operands(node: Node) -> Vec<Expr> {
    match node {
        Node::Constant(_) | Node::Read(_) | Node::Cell(_) => vec![],
        Node::Unary(_, _, a)
        | Node::Wrap(_, a)
        | Node::Number(a)
        | Node::Pointer(a)
        | Node::Content(_, a) => vec![a],
        Node::Binary(_, _, a, b) | Node::Element(a, b, _) => vec![a, b],
        Node::If(a, b, c) => vec![a, b, c],
    }
}

fn is_composed(node: Node) -> bool {
    !matches!(node, Node::Constant(_) | Node::Read(_) | Node::Cell(_) | Node::Unary(Unary::Not, ..))
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add | Binary::Offset => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::BitAnd => "&",
        Binary::BitOr => "|",
        Binary::BitXor => "^",
        Binary::ShiftLeft => "<<",
        Binary::ShiftRight => ">>",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "&&",
        Binary::Or => "||",
        Binary::Implies => "=>",
        Binary::Insert => "with",
        Binary::Member => "in",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dumped(text: &str, view: Dump) -> String {
        let parsed = wattle_frontend_wtl::FRONTEND.read("test.wtl", text).unwrap();
        let memory = wattle_memory::find("sc").unwrap();
        let task =
            Task { program: &parsed.program, memory, property: wattle_engine::Property::Stated, hints: None };
        dump(&Bmc::default(), &task, view).unwrap()
    }

    const PROGRAM: &str = "shared x = 0, y = 0;
        thread a { local r1 = x, r2 = y; if (r1 == 1) { y = r1 + r2; } fence; x = 2; }
        thread b { x = 1; assert x == 1; }";

    #[test]
    fn equations_of_each_thread() {
        let expected = "\
initially
  x_0 = 0
  y_0 = 0
a:
  r1_0 = x_1
  r2_0 = y_1
  [x_1 == 1] y_2 = x_1 + y_1
  x_2 = 2
b:
  x_3 = 1
  violated if x_4 != 1
";
        assert_eq!(dumped(PROGRAM, Dump::Ssa), expected);
    }

    #[test]
    fn who_may_read_from_whom() {
        let text = "shared x = 0; thread a { x = 1; } thread b { assert x == 1; }";
        let expected = "\
x:
  rf-some  s(0,2) || s(1,2)
  rf-val   s(0,2) => x_2 == x_0
  rf-val   s(1,2) => x_2 == x_1
  ws       c(0,1)
  fr       s(0,2) => c(2,1)
";
        let dumped = dumped(text, Dump::Constraints);
        assert!(dumped.starts_with(expected), "{dumped}");
        assert!(dumped.contains("graph 0, no cycle among"), "{dumped}");
    }

    #[test]
    fn a_column_for_each_thread() {
        let expected = "\
initially  a                b
(0) W x_0  (2) R x_1        (7) W x_3
(1) W y_0  (3) R y_1        (8) R x_4
           (4) W y_2 [g_0]
           (5) F fence
           (6) W x_2
g_0 = x_1 == 1
";
        assert_eq!(dumped(PROGRAM, Dump::Events), expected);
    }
}
