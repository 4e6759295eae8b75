//! The remote statements of a program, one for each pair of locations that it may copy between.

use wattle_logic::{Sort, Term};
use wattle_program::{EdgeId, Op, Program, Shape, Source, ThreadId, Unsupported, Update};

use crate::reduction::address::{self, Target};

/// A put, get or remote atomic of one thread, between fixed locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub thread: ThreadId,
    /// The edge of the source program, and the position of the operation among its remote ones.
    pub edge: EdgeId,
    pub op: usize,
    /// Whom a flush names that waits for it.
    pub target: ThreadId,
    pub kind: Kind,
    /// The location that it writes with what it copies, or with the result of an atomic.
    pub to: Option<u32>,
    /// Its pending instances, if there are few enough to be kept apart.
    pub slots: Vec<Pending>,
    /// All others.
    pub rest: Option<Pending>,
}

impl Statement {
    /// The locations that it changes.
    pub fn writes(&self) -> Vec<u32> {
        self.kind.changes().into_iter().chain(self.to).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The value of this location is copied.
    Copy { from: u32 },
    /// A value that was known when it was started.
    Value,
    /// This location is changed first.
    Atomic { at: u32 },
}

impl Kind {
    /// What it changes beside the location that it copies to.
    fn changes(&self) -> Option<u32> {
        match self {
            Kind::Atomic { at } => Some(*at),
            Kind::Copy { .. } | Kind::Value => None,
        }
    }
}

/// One pending instance, or any number of them: variables of the reduced program by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Holds 0 if nothing is pending, else 1; of an atomic whose result is to be delivered, 2.
    pub active: u32,
    pub holds: Holds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A set of all values that may be written.
    Values(u32),
    /// The value that is to be written.
    Value(u32),
    /// What an atomic was started with, where that is not constant, and the result.
    Update { operands: Vec<Option<u32>>, old: Option<u32> },
}

/// A statement before its variables are declared.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub thread: ThreadId,
    /// By edge and operation of the flat program.
    pub place: (usize, usize),
    pub target: ThreadId,
    pub kind: Kind,
    pub to: Option<u32>,
    /// When it is this statement that is started. Not true of one where an address is computed.
    pub condition: Term,
    pub operands: Vec<Term>,
}

impl Found {
    /// The location that it reads while it is pending.
    pub(super) fn reads(&self) -> Option<u32> {
        match self.kind {
            Kind::Copy { from } => Some(from),
            Kind::Value => None,
            Kind::Atomic { at } => Some(at),
        }
    }

    pub(super) fn writes(&self) -> Vec<u32> {
        self.kind.changes().into_iter().chain(self.to).collect()
    }

    /// Whether a value of this location is on its way in it.
    pub(super) fn copies(&self, location: u32) -> bool {
        matches!(self.kind, Kind::Copy { from } if from == location)
    }
}

/// All remote statements, thread by thread in the order of edges.
pub(super) fn find(program: &Program, shape: &Shape) -> Result<Vec<Found>, Unsupported> {
    let mut found = Vec::new();
    for thread in shape.thread_ids() {
        for (number, edge) in program.processes[thread.0 as usize].cfg.edges.iter().enumerate() {
            for (position, op) in edge.ops.iter().enumerate() {
                let place = (number, position);
                let refuse = |what: String| Unsupported { what, span: super::super::thread::at(edge) };
                let of = Of { program, shape, thread, place };
                found.extend(of.statements(op).map_err(refuse)?);
            }
        }
    }
    Ok(found)
}

struct Of<'a> {
    program: &'a Program,
    shape: &'a Shape,
    thread: ThreadId,
    place: (usize, usize),
}

impl Of<'_> {
    fn statements(&self, op: &Op) -> Result<Vec<Found>, String> {
        let mut found = Vec::new();
        match op {
            Op::Put { remote, source } => {
                for (to, here) in self.locations(remote)? {
                    match source {
                        Source::Value(value) => {
                            found.push(self.found(Kind::Value, to, Some(to), here, vec![value.clone()])?);
                        }
                        Source::Location(source) => {
                            for (from, there) in self.locations(source)? {
                                let both = here.clone().and(there);
                                found.push(self.found(Kind::Copy { from }, to, Some(to), both, vec![])?);
                            }
                        }
                    }
                }
            }
            Op::Get { into, remote } => {
                for (from, here) in self.locations(remote)? {
                    for (to, there) in self.locations(into)? {
                        let both = here.clone().and(there);
                        found.push(self.found(Kind::Copy { from }, from, Some(to), both, vec![])?);
                    }
                }
            }
            Op::RemoteAtomic { into, remote, update } => {
                let operands = match update {
                    Update::Add(value) | Update::Replace(value) => vec![value.clone()],
                    Update::CompareAndSwap { expected, new } => vec![expected.clone(), new.clone()],
                };
                let into = into.as_ref().map(|into| self.locations(into)).transpose()?;
                let into: Vec<(Option<u32>, Term)> = match into {
                    None => vec![(None, Term::bool(true))],
                    Some(all) => all.into_iter().map(|(to, there)| (Some(to), there)).collect(),
                };
                for (at, here) in self.locations(remote)? {
                    for (to, there) in &into {
                        let both = here.clone().and(there.clone());
                        found.push(self.found(Kind::Atomic { at }, at, *to, both, operands.clone())?);
                    }
                }
            }
            _ => {}
        }
        Ok(found)
    }

    /// `remote`: the location at the target.
    fn found(
        &self,
        kind: Kind,
        remote: u32,
        to: Option<u32>,
        condition: Term,
        operands: Vec<Term>,
    ) -> Result<Found, String> {
        let owner = self.shape.locations[remote as usize].owner;
        let target = owner.ok_or("a remote operation on memory that no process owns")?;
        let ends = [to, Some(remote), if let Kind::Copy { from } = kind { Some(from) } else { None }];
        for location in ends.into_iter().flatten() {
            let variable = self.shape.locations[location as usize].variable;
            let sort = self.program.variables[variable as usize].sort;
            if sort != Sort::Int {
                return Err(format!("a remote operation on values of sort {sort}"));
            }
        }
        let condition = condition.simplify();
        Ok(Found { thread: self.thread, place: self.place, target, kind, to, condition, operands })
    }

    fn locations(&self, address: &Term) -> Result<Vec<(u32, Term)>, String> {
        let mut fits = true;
        address.walk(&mut |part| fits &= part.sort() != Sort::Address || is_plain(part));
        if !fits {
            return Err("a pointer that is computed with".into());
        }
        Ok(match address::target(self.shape, address) {
            Target::Fixed(location) => vec![(location, Term::bool(true))],
            Target::OneOf(all) => all.into_iter().filter(|(_, here)| !here.is_false()).collect(),
        })
    }
}

/// An element of a variable, a choice among such, or an address that has no value.
pub(super) fn is_plain(address: &Term) -> bool {
    use wattle_logic::Kind;
    match address.kind() {
        Kind::Address { .. } | Kind::If(..) => true,
        Kind::Pointer(number) => *number == Term::int(0),
        _ => false,
    }
}
