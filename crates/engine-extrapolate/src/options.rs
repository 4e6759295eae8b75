//! What can be chosen.

use std::path::PathBuf;

use wattle_memory::reduction::Room;

use crate::rules::Rules;

/// The engine, with its options.
#[derive(Clone, Debug, Default)]
pub struct Extrapolate {
    /// Where the SMT library may be.
    pub smt: Vec<PathBuf>,
    pub method: Method,
    pub search: SearchBy,
    /// The maximal size of cubes; `None`: as large as needed.
    pub cube_size: Option<usize>,
    /// Pending stores a variable (PSO) or a thread (TSO); `None`: as many as it takes.
    pub buffer: Option<Room>,
    pub rules: Rules,
    /// Find all predicates, also where the text gives some.
    pub ignore_given: bool,
    /// Take the given predicates (or those of the text) and no more.
    pub no_refinement: bool,
}

/// Which cubes may imply something under the weak model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// Cubes over extrapolated predicates, as they turn out to be needed.
    #[default]
    Auto,
    /// Cubes over the predicates of the proof under sequential consistency.
    Trad,
    /// Predicate extrapolation: cubes over extrapolated predicates, found by asking about the program with buffers or with pending
    /// operations.
    Pe,
    /// Cube extrapolation: the cubes of the proof under sequential consistency, extrapolated.
    Ce,
    /// Cube extrapolation, with what is said of buffers dropped from the cubes.
    CeDrop,
    /// Boolean program extrapolation: the transformers of the proof under sequential consistency, said of pending remote
    /// operations.
    Ebp,
}

impl Method {
    pub const ALL: [(&'static str, Method); 6] = [
        ("auto", Method::Auto),
        ("trad", Method::Trad),
        ("pe", Method::Pe),
        ("ce", Method::Ce),
        ("ce-drop", Method::CeDrop),
        ("ebp", Method::Ebp),
    ];
}

/// How cubes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SearchBy {
    /// Prime implicants from models and cores; without a limit of size, only where a state asks.
    #[default]
    Implicants,
    /// All cubes by growing size, as in the paper.
    Cubes,
}

impl SearchBy {
    pub const ALL: [(&'static str, SearchBy); 2] =
        [("implicants", SearchBy::Implicants), ("cubes", SearchBy::Cubes)];
}

/// The paper's tables have cubes of at most this size.
pub(crate) const PAPERS_CUBE_SIZE: usize = 4;
