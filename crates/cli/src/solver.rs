//! Where Z3 may be: what the user names, then what is near this executable, then what the system has.

use std::env;
use std::path::{Path, PathBuf};

use wattle_smt::Library;

/// In the order in which they are tried.
pub(crate) fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    let named = named.map(PathBuf::from).or_else(|| env::var_os("WATTLE_Z3").map(PathBuf::from));
    let executable = env::current_exe().unwrap_or_default();
    named.into_iter().chain(Library::beside(&executable)).collect()
}
