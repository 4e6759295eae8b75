//! Programs: variables, processes, properties.

use wattle_logic::{Sort, Term, Value};
use wattle_source::Span;

use crate::{Cfg, Name, Point, op_terms};

/// The number of a process in its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: Name,
    pub vocabulary: Vocabulary,
    pub enumerations: Vec<Enumeration>,
    pub variables: Vec<Variable>,
    pub processes: Vec<Process>,
    /// A constraint on initial contents of memory, beside the `init` of each variable.
    pub init: Option<Term>,
    pub properties: Vec<Property>,
    /// What a final state shows, for outcome sets.
    pub observed: Vec<Term>,
    /// What a litmus test asks of its final states. `check` judges the `finally` property that the
    /// front end derives from it; lists of outcomes say how often it holds.
    pub condition: Option<Condition>,
    /// Executions whose final state violates this do not count.
    pub filter: Option<Term>,
    /// Predicates that the text gives to abstraction engines.
    pub predicates: Vec<Term>,
}

/// The language that a program's tags and fences belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vocabulary {
    #[default]
    Generic,
    C11,
    X86,
    Ppc,
    Arm,
    Aarch64,
    Riscv,
    Rma,
}

impl Vocabulary {
    pub const ALL: [(&'static str, Vocabulary); 8] = [
        ("generic", Vocabulary::Generic),
        ("c11", Vocabulary::C11),
        ("x86", Vocabulary::X86),
        ("ppc", Vocabulary::Ppc),
        ("arm", Vocabulary::Arm),
        ("aarch64", Vocabulary::Aarch64),
        ("riscv", Vocabulary::Riscv),
        ("rma", Vocabulary::Rma),
    ];

    pub fn name(self) -> &'static str {
        Vocabulary::ALL.iter().find(|(_, other)| *other == self).map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: Name,
    pub constructors: Vec<Name>,
}

/// A shared variable: a scalar (no dimensions) or an array. Every element is a location of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: Name,
    pub sort: Sort,
    pub dimensions: Vec<Dimension>,
    /// Values outside are never stored: a step that would do so is not enabled.
    pub range: Option<Range>,
    pub init: Init,
    /// Lies outside the store buffers: a store reaches it at once and every thread sees the same. (State that a
    /// parameterised system keeps beside its memory, such as where each copy stands.)
    pub unbuffered: bool,
    /// Where the elements lie, if the variable is a part of a larger object (a field of a C struct); otherwise it is an
    /// object of its own, with elements side by side.
    pub place: Option<Place>,
    /// The process in whose memory the variable lives (RMA). If that process has copies, the first
    /// dimension is `Copies` of it, and each copy owns its own part.
    pub owner: Option<ProcessId>,
    pub span: Span,
}

/// How the elements of a variable lie in an object that it shares with other variables, as [`Kind::Number`] counts:
/// a program that computes with addresses (`p + 1`, `&q->next`) finds its way from one to the other.
///
/// [`Kind::Number`]: wattle_logic::Kind::Number
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The variable that the object is named after: the first of those that lie in it.
    pub object: u32,
    /// Of the first element, in bytes from the beginning of the object.
    pub offset: u32,
    /// How many bytes apart the elements are, one number a dimension.
    pub strides: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    Fixed(u32),
    /// One element for each copy of a process.
    Copies(ProcessId),
}

/// From the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    pub low: i64,
    pub high: i64,
}

impl Range {
    pub fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Init {
    /// One term for all elements, or one for each in row-major order. For locals, one term over `me`.
    Values(Vec<Term>),
    /// Any value of the range.
    Any,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub name: Name,
    pub replicas: Replicas,
    pub locals: Vec<Local>,
    pub cfg: Cfg,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replicas {
    Once,
    Exactly(u32),
    Any,
}

impl Replicas {
    /// How many copies there are, where that is fixed.
    pub fn count(self) -> Option<u32> {
        match self {
            Replicas::Once => Some(1),
            Replicas::Exactly(count) => Some(count),
            Replicas::Any => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    pub name: Name,
    pub sort: Sort,
    pub range: Option<Range>,
    pub init: Init,
    /// Made by a front end for a value in passing; reports do not show it.
    pub hidden: bool,
}

/// The last line of a litmus test. Its formula speaks only of what the program observes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    pub question: Question,
    pub formula: Term,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Does some execution end so?
    Exists,
    /// Does none?
    Never,
    /// Do all?
    Forall,
}

impl Question {
    pub const ALL: [Question; 3] = [Question::Exists, Question::Never, Question::Forall];

    pub fn name(self) -> &'static str {
        match self {
            Question::Exists => "exists",
            Question::Never => "never",
            Question::Forall => "forall",
        }
    }
}

/// What must hold. Assertions are operations; the others are formulas over whole states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub kind: PropertyKind,
    pub formula: Term,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PropertyKind {
    /// No reachable state satisfies the formula.
    Forbid,
    /// Every reachable state satisfies it.
    Always,
    /// Every state in which all threads have ended, buffers are drained and remote operations are
    /// done satisfies it.
    Finally,
}

impl Program {
    /// Nothing yet: for front ends and tests to fill.
    pub fn empty(name: impl Into<Name>, vocabulary: Vocabulary) -> Program {
        Program {
            name: name.into(),
            vocabulary,
            enumerations: vec![],
            variables: vec![],
            processes: vec![],
            init: None,
            properties: vec![],
            observed: vec![],
            condition: None,
            filter: None,
            predicates: vec![],
        }
    }

    pub fn process(&self, process: ProcessId) -> &Process {
        &self.processes[process.0 as usize]
    }

    pub fn process_ids(&self) -> impl Iterator<Item = ProcessId> + use<> {
        (0..self.processes.len() as u32).map(ProcessId)
    }

    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        self.process_ids().find(|process| &*self.process(*process).name == name)
    }

    /// The process whose copies are the values of sort process: the only one that there is, or the only one that
    /// may have several copies.
    pub fn named_process(&self) -> Option<ProcessId> {
        let several = |process: &ProcessId| self.process(*process).replicas != Replicas::Once;
        let mut named = self.process_ids().filter(|process| self.processes.len() == 1 || several(process));
        named.next().filter(|_| named.next().is_none())
    }

    /// How many copies the text names by their numbers, at least: a value of sort process is one of them.
    pub fn least_copies(&self) -> u32 {
        let mut least = 0;
        let mut look = |term: &Term| {
            term.walk(&mut |node| {
                if let Some(Value::Process(copy)) = node.as_value() {
                    least = least.max(copy + 1);
                }
            });
        };
        self.state_formulas().for_each(&mut look);
        let edges = self.processes.iter().flat_map(|process| &process.cfg.edges);
        edges.flat_map(|edge| &edge.ops).flat_map(op_terms).for_each(&mut look);
        least
    }

    /// The formulas that speak of whole states: properties, observed terms, condition, filter and
    /// `init`.
    pub fn state_formulas(&self) -> impl Iterator<Item = &Term> {
        let properties = self.properties.iter().map(|property| &property.formula);
        let condition = self.condition.as_ref().map(|condition| &condition.formula);
        properties.chain(&self.observed).chain(condition).chain(&self.filter).chain(&self.init)
    }

    /// Rewrite what speaks of whole states: those formulas, and the predicates.
    pub fn rewrite_formulas(&mut self, rewrite: &mut dyn FnMut(&Term) -> Term) {
        let properties = self.properties.iter_mut().map(|property| &mut property.formula);
        let condition = self.condition.as_mut().map(|condition| &mut condition.formula);
        let others = self.observed.iter_mut().chain(condition).chain(&mut self.filter).chain(&mut self.init);
        properties.chain(others).chain(&mut self.predicates).for_each(|term| *term = rewrite(term));
    }

    /// Is it a litmus test, which people know by numbers of threads and of executions?
    pub fn is_litmus(&self) -> bool {
        let architecture =
            !matches!(self.vocabulary, Vocabulary::Generic | Vocabulary::Rma | Vocabulary::C11);
        architecture || self.condition.is_some()
    }

    /// The name of a point for people: its label, or its number.
    pub fn point_name(&self, process: ProcessId, point: Point) -> String {
        match self.process(process).cfg.point(point).labels.first() {
            Some(label) => label.to_string(),
            None => format!("point {}", point.0),
        }
    }
}
