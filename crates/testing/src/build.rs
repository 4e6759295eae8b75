//! Programs by hand, in a few lines.
//!
//! ```
//! use wattle_testing::build::{Build, int};
//! let mut build = Build::new("message passing");
//! let (x, y) = (build.variable("x", 0), build.variable("y", 0));
//! build.thread("writer", |t| {
//!     t.store(x, int(1));
//!     t.store(y, int(1));
//! });
//! let reader = build.thread("reader", |t| {
//!     t.load(y);
//!     t.load(x);
//! });
//! build.never(build.local(reader, 0).equals(int(1)).and(build.local(reader, 1).equals(int(0))));
//! let program = build.done();
//! assert!(wattle_program::validate(&program).is_ok());
//! ```

use wattle_generate::Graph;
use wattle_logic::{Sort, Term};
use wattle_program::{
    Dimension, Fence, Init, Local, Mode, Op, Orders, Point, Process, ProcessId, Program, Property,
    PropertyKind, Range, Replicas, Tags, Variable, Vocabulary,
};
use wattle_source::Span;

pub fn int(value: i64) -> Term {
    Term::int(value)
}

#[derive(Debug)]
pub struct Build {
    program: Program,
}

impl Build {
    pub fn new(name: &str) -> Build {
        Build { program: Program::empty(name, Vocabulary::Generic) }
    }

    /// A shared integer.
    pub fn variable(&mut self, name: &str, init: i64) -> u32 {
        self.program.variables.push(Variable {
            name: name.into(),
            sort: Sort::Int,
            dimensions: vec![],
            range: None,
            init: Init::Values(vec![int(init)]),
            unbuffered: false,
            place: None,
            owner: None,
            span: Span::NOWHERE,
        });
        self.program.variables.len() as u32 - 1
    }

    /// A shared array of integers, all zero.
    pub fn array(&mut self, name: &str, length: u32) -> u32 {
        let variable = self.variable(name, 0);
        self.program.variables[variable as usize].dimensions = vec![Dimension::Fixed(length)];
        variable
    }

    /// Values outside are never stored.
    pub fn range(&mut self, variable: u32, low: i64, high: i64) {
        self.program.variables[variable as usize].range = Some(Range { low, high });
    }

    /// A variable in the memory of a process that may be declared later.
    pub fn owned(&mut self, name: &str, init: i64, owner: u32) -> u32 {
        let variable = self.variable(name, init);
        self.program.variables[variable as usize].owner = Some(ProcessId(owner));
        self.program.vocabulary = Vocabulary::Rma;
        variable
    }

    pub fn thread(&mut self, name: &str, write: impl FnOnce(&mut Body)) -> ProcessId {
        self.process(name, Replicas::Once, write)
    }

    pub fn copies(&mut self, name: &str, count: u32, write: impl FnOnce(&mut Body)) -> ProcessId {
        self.process(name, Replicas::Exactly(count), write)
    }

    fn process(&mut self, name: &str, replicas: Replicas, write: impl FnOnce(&mut Body)) -> ProcessId {
        let number = self.program.processes.len() as u32;
        let mut body = Body { graph: Graph::new(number * 1000 + 1), locals: vec![] };
        write(&mut body);
        let (locals, cfg) = (body.locals, body.graph.finish());
        self.program.processes.push(Process {
            name: name.into(),
            replicas,
            locals,
            cfg,
            span: Span::NOWHERE,
        });
        ProcessId(number)
    }

    /// What a local of a process without copies holds.
    pub fn local(&self, process: ProcessId, local: u32) -> Term {
        self.local_of(process, 0, local)
    }

    pub fn local_of(&self, process: ProcessId, copy: u32, local: u32) -> Term {
        let sort = self.program.process(process).locals[local as usize].sort;
        Term::local_of(process.0, int(i64::from(copy)), local, sort)
    }

    pub fn content(&self, variable: u32) -> Term {
        Term::content(Term::address(variable, vec![]), Sort::Int)
    }

    /// The thread stands at the label.
    pub fn at(&self, process: ProcessId, label: &str) -> Term {
        let point = self.program.process(process).cfg.labelled(label).unwrap_or_default();
        Term::at(process.0, int(0), point.0)
    }

    /// No final state is like this.
    pub fn never(&mut self, formula: Term) {
        self.property(PropertyKind::Finally, formula.negated());
    }

    pub fn property(&mut self, kind: PropertyKind, formula: Term) {
        self.program.properties.push(Property { kind, formula, span: Span::NOWHERE });
    }

    pub fn observe(&mut self, term: Term) {
        self.program.observed.push(term);
    }

    pub fn done(self) -> Program {
        self.program
    }
}

/// The code of one process.
#[derive(Debug)]
pub struct Body {
    pub graph: Graph,
    locals: Vec<Local>,
}

pub fn place(variable: u32) -> Term {
    Term::address(variable, vec![])
}

pub fn load(into: u32, variable: u32) -> Op {
    Op::Load { into, address: place(variable), tags: Tags::new() }
}

pub fn store(variable: u32, value: Term) -> Op {
    Op::Store { address: place(variable), value, tags: Tags::new() }
}

pub fn assume(condition: Term) -> Op {
    Op::Assume { condition }
}

pub fn assert(condition: Term) -> Op {
    Op::Assert { condition, span: Span::NOWHERE }
}

pub fn fence(orders: Orders) -> Op {
    Op::Fence(Fence { tag: "fence".into(), orders, cumulative: false, location: None })
}

impl Body {
    /// A new integer local, zero at the start.
    pub fn local(&mut self) -> u32 {
        let number = self.locals.len() as u32;
        let name = format!("r{number}").into();
        let init = Init::Values(vec![int(0)]);
        self.locals.push(Local { name, sort: Sort::Int, range: None, init, hidden: false });
        number
    }

    pub fn value(&self, local: u32) -> Term {
        Term::local(local, self.locals[local as usize].sort)
    }

    /// One plain step.
    pub fn op(&mut self, op: Op) {
        self.graph.step(Mode::Plain, vec![op]);
    }

    /// One step of several operations.
    pub fn step(&mut self, mode: Mode, ops: Vec<Op>) {
        self.graph.step(mode, ops);
    }

    /// A load into a new local.
    pub fn load(&mut self, variable: u32) -> u32 {
        let into = self.local();
        self.op(load(into, variable));
        into
    }

    pub fn store(&mut self, variable: u32, value: Term) {
        self.op(store(variable, value));
    }

    pub fn store_release(&mut self, variable: u32, value: Term) {
        self.op(Op::Store { address: place(variable), value, tags: Tags::from(["rel".into()]) });
    }

    pub fn fence(&mut self) {
        self.op(Op::Fence(Fence::full()));
    }

    /// Wait for one variable only.
    pub fn fence_at(&mut self, variable: u32) {
        self.op(Op::Fence(Fence { location: Some(place(variable)), ..Fence::full() }));
    }

    pub fn label(&mut self, name: &str) {
        self.graph.label(name);
    }

    pub fn here(&self) -> Point {
        self.graph.at
    }

    /// Go back to a point. The pen then stands at a fresh point that nothing leads to.
    pub fn goto(&mut self, point: Point) {
        self.graph.to(point, Mode::Plain, Term::bool(true), vec![]);
        self.graph.at = self.graph.point();
    }

    /// A compare-and-swap that goes on whether it succeeds or not.
    pub fn cas(&mut self, variable: u32, expected: i64, new: i64) -> u32 {
        let into = self.local();
        let same = self.value(into).equals(int(expected));
        let end = self.graph.point();
        let yes = vec![load(into, variable), assume(same.clone()), store(variable, int(new))];
        let no = vec![load(into, variable), assume(same.negated())];
        self.graph.to(end, Mode::Locked, Term::bool(true), yes);
        self.graph.to(end, Mode::Locked, Term::bool(true), no);
        self.graph.at = end;
        into
    }
}
