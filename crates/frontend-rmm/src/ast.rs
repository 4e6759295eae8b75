//! What the text says, before anything is looked up.

use wattle_program::{Name, Range};
use wattle_source::Span;

#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub forbidden: Vec<Row>,
    pub predicates: Vec<(Condition, Span)>,
    pub data: Vec<Declaration>,
    pub processes: Vec<Process>,
    pub holes: Holes,
}

/// What could not be read. Names that are missing for this reason are not reported.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Holes {
    pub declarations: bool,
    pub statements: bool,
}

/// One combination of places that must not be reached: a label or `*` for each process.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub places: Vec<(Option<Name>, Span)>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    pub name: Name,
    /// `None`: `*`, any value of the range.
    pub initial: Option<i64>,
    /// `None`: all integers.
    pub range: Option<Range>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub copies: u32,
    pub data: Vec<Declaration>,
    pub registers: Vec<Declaration>,
    pub body: Vec<Statement>,
    /// The word `process`.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub labels: Vec<(Name, Span)>,
    pub kind: StatementKind,
    /// Without labels.
    pub span: Span,
    /// What stands for the statement in origins: all of an instruction, the head of a structure.
    pub head: Span,
    /// The `;` after it.
    pub semicolon: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind {
    Nop,
    Write {
        place: Place,
        value: Expression,
    },
    LockedWrite {
        place: Place,
        value: Expression,
        write: Span,
    },
    ReadInto {
        register: (Name, Span),
        place: Place,
    },
    ReadEqual {
        place: Place,
        value: Expression,
    },
    Cas {
        place: Place,
        expected: Expression,
        new: Expression,
    },
    Fence,
    Assign {
        register: (Name, Span),
        value: Expression,
    },
    Assume(Condition),
    If {
        condition: Condition,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Condition,
        body: Box<Statement>,
    },
    Goto(Name, Span),
    Either(Vec<Vec<Statement>>),
    Locked(Vec<Vec<Statement>>),
    Block(Vec<Statement>),
    /// An instruction of Memorax's other machines.
    Unsupported(Name),
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub kind: PlaceKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum PlaceKind {
    Global(Name),
    /// `x[my]`
    Own(Name),
    /// `x[n]`: of the process number `n` among the others.
    Other(Name, u32),
    /// `[e]`
    Pointer(Box<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Number(i64),
    Register(Name, Span),
    /// In predicates only.
    Memory(Place),
    Negate(Box<Expression>),
    Add(Box<Expression>, Box<Expression>),
    Subtract(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Constant(bool),
    Compare(wattle_logic::Binary, Expression, Expression),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// It is alone after `then`, `else` or `do`.
    pub alone: bool,
    /// The statement before it in its list.
    pub before: Option<&'a Statement>,
}

/// Visit every statement of the file.
pub(crate) fn visit<'a>(file: &'a File, see: &mut dyn FnMut(&'a Statement, Surroundings<'a>)) {
    for process in &file.processes {
        visit_list(&process.body, see);
    }
}

fn visit_list<'a>(list: &'a [Statement], see: &mut dyn FnMut(&'a Statement, Surroundings<'a>)) {
    for (number, statement) in list.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| &list[before]);
        visit_one(statement, Surroundings { alone: false, before }, see);
    }
}

fn visit_one<'a>(
    statement: &'a Statement,
    surroundings: Surroundings<'a>,
    see: &mut dyn FnMut(&'a Statement, Surroundings<'a>),
) {
    see(statement, surroundings);
    let alone = Surroundings { alone: true, before: None };
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            visit_one(then, alone, see);
            if let Some(otherwise) = otherwise {
                visit_one(otherwise, alone, see);
            }
        }
        StatementKind::While { body, .. } => visit_one(body, alone, see),
        StatementKind::Either(lists) | StatementKind::Locked(lists) => {
            lists.iter().for_each(|list| visit_list(list, see));
        }
        StatementKind::Block(list) => visit_list(list, see),
        _ => {}
    }
}
