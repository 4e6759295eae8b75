//! The program representation: what every front end produces and every engine consumes.
//!
//! A [`Program`] is plain data. Its processes are control-flow graphs whose [`Edge`]s are atomic
//! steps, each a list of [`Op`]s. [`Shape`] numbers the threads and memory locations of a program
//! whose processes have fixed numbers of copies. [`step`] says what one edge does to one thread;
//! what memory does is the business of the `memory` crate.

mod action;
mod cfg;
mod cut;
mod fences;
mod instance;
mod joint;
pub mod passes;
mod program;
mod promise;
mod section;
mod shape;
pub mod step;
pub mod symbolic;
pub mod text;
mod unsupported;
mod validate;

pub use action::{Broadcast, Choice, Fence, Mode, Name, Op, Orders, Source, Tags, Update};
pub use cfg::{Cfg, Edge, EdgeId, Origin, Point, PointInfo, Role};
pub use cut::{Cut, cuts};
pub use instance::Instance;
pub use joint::joint_step;
pub use program::{
    Condition, Dimension, Enumeration, Init, Local, Place, Process, ProcessId, Program, Property,
    PropertyKind, Question, Range, Replicas, Variable, Vocabulary,
};
pub use promise::{Promise, weakest};
pub use section::{accesses, has_sections, is_inside, is_section};
pub use shape::{Location, NotFixed, Shape, Thread, ThreadId};
pub use unsupported::Unsupported;
pub use validate::{Invalid, op_terms, validate};
