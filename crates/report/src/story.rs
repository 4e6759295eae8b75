//! A counterexample as a story: what each thread did, what it read and from whom, when stores
//! reached memory, and how it ended. Text and JSON render the same story.

use wattle_source::{FileId, Position};

use crate::Link;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The names of all threads, in their order.
    pub threads: Vec<String>,
    /// The names of all files, in their order.
    pub files: Vec<String>,
    /// Initial contents that the program leaves open, as this execution has them.
    pub start: Vec<(String, String)>,
    pub moves: Vec<Move>,
    /// The moves of one thread follow those of another, and their order says nothing about time.
    pub timeless: bool,
    /// The cycle that sequential consistency forbids, if this execution has one.
    pub cycle: Vec<Link>,
    pub violated: Violated,
    pub finish: Finish,
    /// Does the property hold under sequential consistency? `None`: not known, or not asked.
    pub holds_under_sc: Option<bool>,
}

impl Story {
    /// A file, if it is not the first.
    pub(crate) fn file(&self, place: Position) -> Option<&str> {
        let other = place.file != FileId::default();
        self.files.get(place.file.0 as usize).map(String::as_str).filter(|_| other)
    }

    /// A line: its number, behind the name of its file if that is not the first.
    pub(crate) fn line(&self, place: Position) -> String {
        match self.file(place) {
            Some(file) => format!("{}:{}", file.rsplit('/').next().unwrap_or(file), place.line),
            None => place.line.to_string(),
        }
    }
}

/// One line of the story. Consecutive steps of one statement are one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its number in [`Story::threads`].
    pub thread: usize,
    pub actor: Actor,
    pub place: Option<Position>,
    /// The statement as the text has it, shortened to one line.
    pub statement: String,
    pub effects: Vec<Effect>,
}

/// Who moves on behalf of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    Thread,
    /// A store leaves its buffer.
    Buffer,
    /// Half of a remote operation happens.
    Network,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    Read {
        location: String,
        value: String,
        via: Via,
        writer: Writer,
        /// Other values that are on their way to this location: whose, and what.
        unseen: Vec<(String, String)>,
    },
    /// A store that enters the buffer of its thread.
    Buffered {
        location: String,
        value: String,
    },
    /// A store that acts on memory at once.
    Stored {
        location: String,
        value: String,
    },
    /// A write in an execution graph, where nobody says when it reaches memory.
    Wrote {
        location: String,
        value: String,
    },
    /// A buffered store or the second half of a remote operation reaches memory; `line` is where
    /// its statement stands.
    Reached {
        location: String,
        value: String,
        line: Option<Position>,
    },
    /// A local gets a value that no load shows.
    Local {
        name: String,
        value: String,
    },
    /// A choice of the program itself.
    Chosen {
        name: Option<String>,
        value: String,
    },
    /// A fence let the thread pass.
    Fence,
    /// A remote operation begins.
    Started {
        what: String,
    },
    /// A flush let the thread pass.
    Flushed {
        /// The name of a thread, or `*` for all.
        target: String,
    },
    /// The thread creates another.
    Created {
        thread: String,
    },
    /// The thread has waited for another to end.
    Joined {
        thread: String,
    },
    Failed {
        assertion: String,
    },
    Fault {
        what: String,
    },
}

/// Where a load found its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    Memory,
    OwnBuffer,
}

/// Who wrote the value that a load read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    Initial,
    Thread { thread: usize, line: Option<Position> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violated {
    pub kind: ViolatedKind,
    /// The property as the text has it.
    pub text: String,
    pub place: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolatedKind {
    Assert,
    Forbid,
    Always,
    Finally,
    /// What a litmus test asks for is there.
    Exists,
    Fault,
    Deadlock,
    /// The program has no meaning, because of these accesses.
    Undefined,
}

impl ViolatedKind {
    pub fn word(self) -> &'static str {
        match self {
            ViolatedKind::Assert => "assert",
            ViolatedKind::Forbid => "forbid",
            ViolatedKind::Always => "always",
            ViolatedKind::Finally => "finally",
            ViolatedKind::Exists => "exists",
            ViolatedKind::Fault => "fault",
            ViolatedKind::Deadlock => "deadlock",
            ViolatedKind::Undefined => "undefined",
        }
    }
}

/// The last state, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finish {
    pub standing: Vec<Standing>,
    pub memory: Vec<(String, String)>,
    /// The locals that the property speaks about.
    pub locals: Vec<(String, String)>,
    /// What has not reached memory: a thread's name and its stores, oldest first.
    pub buffers: Vec<(String, Vec<(String, String)>)>,
}

/// Where a thread is at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    pub thread: String,
    pub label: Option<String>,
    pub line: Option<Position>,
    pub ended: bool,
}
