//! Small programs, statement by statement.

use wattle_logic::{Binary, Sort, Term};
use wattle_program::{
    Cfg, Dimension, Edge, Fence, Init, Local, Mode, Op, Origin, Point, PointInfo, Process, ProcessId,
    Program, Property, PropertyKind, Replicas, Role, Source, Tags, Variable, Vocabulary, validate,
};
use wattle_source::{FileId, Span};

pub struct Builder {
    program: Program,
    statements: usize,
}

pub struct Thread<'a> {
    cfg: Cfg,
    at: Point,
    statements: &'a mut usize,
}

pub fn local(number: u32) -> Term {
    Term::local(number, Sort::Int)
}

pub fn int(value: i64) -> Term {
    Term::int(value)
}

/// The other of two copies.
pub fn other() -> Term {
    Term::binary(Binary::Subtract, int(1), Term::me())
}

pub fn at(process: u32, copy: i64, point: Point) -> Term {
    Term::at(process, int(copy), point.0)
}

impl Builder {
    pub fn new(vocabulary: Vocabulary) -> Builder {
        let program = Program::empty("test", vocabulary);
        Builder { program, statements: 0 }
    }

    /// An array of that length, all 0; or a scalar.
    pub fn shared(&mut self, name: &str, length: Option<u32>) -> u32 {
        self.variable(name, length.map(Dimension::Fixed), None, 0)
    }

    pub fn owned(&mut self, name: &str, owner: u32, init: i64) -> u32 {
        self.variable(name, None, Some(ProcessId(owner)), init)
    }

    /// One cell in the memory of each copy of a process.
    pub fn owned_by_copies(&mut self, name: &str, owner: u32, init: i64) -> u32 {
        self.variable(name, Some(Dimension::Copies(ProcessId(owner))), Some(ProcessId(owner)), init)
    }

    fn variable(
        &mut self,
        name: &str,
        dimension: Option<Dimension>,
        owner: Option<ProcessId>,
        init: i64,
    ) -> u32 {
        self.program.variables.push(Variable {
            name: name.into(),
            sort: Sort::Int,
            dimensions: dimension.into_iter().collect(),
            range: None,
            init: Init::Values(vec![int(init)]),
            unbuffered: false,
            place: None,
            owner,
            span: Span::NOWHERE,
        });
        self.program.variables.len() as u32 - 1
    }

    /// A process with that many copies and integer locals; returns what `body` returns.
    pub fn process<R>(
        &mut self,
        name: &str,
        copies: u32,
        locals: usize,
        body: impl FnOnce(&mut Thread<'_>) -> R,
    ) -> R {
        let mut cfg = Cfg::default();
        let at = cfg.add_point(PointInfo::default());
        let mut thread = Thread { cfg, at, statements: &mut self.statements };
        let result = body(&mut thread);
        let last = thread.at;
        let mut cfg = thread.cfg;
        if cfg.leaving(last).next().is_none() {
            cfg.points[last.0 as usize].end = true;
        }
        let local = |number: usize| Local {
            name: format!("r{number}").into(),
            sort: Sort::Int,
            range: None,
            init: Init::Values(vec![int(0)]),
            hidden: false,
        };
        self.program.processes.push(Process {
            name: name.into(),
            replicas: if copies == 1 { Replicas::Once } else { Replicas::Exactly(copies) },
            locals: (0..locals).map(local).collect(),
            cfg,
            span: Span::NOWHERE,
        });
        result
    }

    pub fn finish(mut self, kind: PropertyKind, formula: Term) -> Program {
        self.program.properties.push(Property { kind, formula, span: Span::NOWHERE });
        validate(&self.program).unwrap();
        self.program
    }
}

impl Thread<'_> {
    fn origin(&mut self) -> Origin {
        *self.statements += 1;
        let origin = Origin(Span::new(FileId(0), *self.statements * 10, *self.statements * 10 + 5));
        let info = &mut self.cfg.points[self.at.0 as usize];
        if info.origin.0.is_nowhere() {
            info.origin = origin;
        }
        origin
    }

    fn edge(&mut self, guard: Term, ops: Vec<Op>, to: Point, mode: Mode, origin: Origin) {
        self.cfg.edges.push(Edge { from: self.at, guard, ops, to, mode, role: Role::Step, origin });
    }

    pub fn step(&mut self, mode: Mode, ops: Vec<Op>) -> &mut Self {
        let origin = self.origin();
        let to = self.cfg.add_point(PointInfo::default());
        self.edge(Term::bool(true), ops, to, mode, origin);
        self.at = to;
        self
    }

    pub fn store(&mut self, address: Term, value: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Store { address, value, tags: Tags::new() }])
    }

    pub fn load(&mut self, into: u32, address: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Load { into, address, tags: Tags::new() }])
    }

    pub fn fence(&mut self) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Fence(Fence::full())])
    }

    pub fn put(&mut self, remote: Term, source: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Put { remote, source: Source::Location(source) }])
    }

    pub fn put_value(&mut self, remote: Term, value: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Put { remote, source: Source::Value(value) }])
    }

    pub fn get(&mut self, into: Term, remote: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Get { into, remote }])
    }

    pub fn flush(&mut self, process: u32) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Flush { process: ProcessId(process), copy: int(0) }])
    }

    /// Each copy of these processes, in one step.
    pub fn flush_all(&mut self, processes: &[(u32, i64)]) -> &mut Self {
        let copies = processes.iter().flat_map(|(process, copies)| (0..*copies).map(|copy| (*process, copy)));
        let flush = |(process, copy)| Op::Flush { process: ProcessId(process), copy: int(copy) };
        self.step(Mode::Plain, copies.map(flush).collect())
    }

    pub fn assert(&mut self, condition: Term) -> &mut Self {
        self.step(Mode::Plain, vec![Op::Assert { condition, span: Span::NOWHERE }])
    }

    pub fn here(&mut self) -> Point {
        self.at
    }

    /// A point with a label that properties name, and a step away from it.
    pub fn label(&mut self, name: &str) -> Point {
        let point = self.at;
        self.cfg.points[point.0 as usize].labels.push(name.into());
        self.step(Mode::Plain, vec![]);
        point
    }

    pub fn jump(&mut self, to: Point) {
        let origin = self.origin();
        self.edge(Term::bool(true), vec![], to, Mode::Plain, origin);
    }

    pub fn jump_if(&mut self, condition: Term, to: Point) {
        let origin = self.origin();
        self.edge(condition.clone(), vec![], to, Mode::Plain, origin);
        let next = self.cfg.add_point(PointInfo::default());
        self.edge(condition.negated(), vec![], next, Mode::Plain, origin);
        self.at = next;
    }

    /// Go on from a new point, to which the first edge that leaves `decide` now leads.
    pub fn redirect(&mut self, decide: Point) {
        self.at = self.cfg.add_point(PointInfo::default());
        let edge = self.cfg.leaving(decide).next().unwrap();
        self.cfg.edges[edge.0 as usize].to = self.at;
    }

    /// Go on if the condition does not hold; if it does, from where [`Thread::land`] is called.
    pub fn jump_over(&mut self, condition: Term) -> usize {
        let edge = self.cfg.edges.len();
        self.jump_if(condition, Point(0));
        edge
    }

    pub fn land(&mut self, edge: usize) {
        self.cfg.edges[edge].to = self.at;
    }

    /// A store that no place of the text stands for.
    pub fn unnamed_store(&mut self, address: Term, value: Term) -> &mut Self {
        let to = self.cfg.add_point(PointInfo::default());
        let ops = vec![Op::Store { address, value, tags: Tags::new() }];
        self.edge(Term::bool(true), ops, to, Mode::Plain, Origin::default());
        self.at = to;
        self
    }

    /// Load each, until the condition holds.
    pub fn wait(&mut self, loads: &[(u32, Term)], condition: Term) -> &mut Self {
        let head = self.at;
        for (into, address) in loads {
            self.load(*into, address.clone());
        }
        self.jump_if(condition.negated(), head);
        let back = self.cfg.edges.iter_mut().rev().find(|edge| edge.to == head);
        back.into_iter().for_each(|edge| edge.role = Role::Retries);
        self
    }
}
