//! Finding Z3.
//!
//! Wattle does not link Z3: a linked library is found by rules that differ between machines, and an
//! old one is taken without a word. It is opened when the first engine asks for it, by path, and only
//! a version that wattle was tested with is accepted. Every candidate that is refused is remembered
//! with the reason, because "no solver" helps nobody.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::api::Api;
use crate::elf;

/// Older ones give no usable interpolants, and their behaviour is not what the tests have seen.
const OLDEST: (u32, u32) = (5, 3);

/// Options of the process, set before the first context because they have no effect later.
///
/// The three of Spacer keep the Horn clauses of a straight line apart: with any of them on, clauses are
/// melted into one and interpolants become strongest postconditions.
const OPTIONS: [(&CStr, &CStr); 5] = [
    // Or else a Ctrl-C while a question is being answered ends that question, and nobody else hears of it.
    (c"ctrl_c", c"false"),
    // Models are read for single values, not to be looked at: making them small takes a third of the time.
    (c"model.compact", c"false"),
    (c"fp.xform.inline_eager", c"false"),
    (c"fp.xform.inline_linear", c"false"),
    (c"fp.xform.slice", c"false"),
];

/// Z3, opened. Cheap to clone.
#[derive(Clone)]
pub struct Library(Arc<Opened>);

struct Opened {
    path: PathBuf,
    version: String,
    api: Api,
    /// Never closed: Z3 keeps threads of its own, which must not lose the code they run.
    _code: ManuallyDrop<libloading::Library>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("path", &self.0.path)
            .field("version", &self.0.version)
            .finish_non_exhaustive()
    }
}

/// No candidate will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// What was tried, and why it was refused.
    pub refused: Vec<(PathBuf, String)>,
}

impl NotFound {
    /// What is missing and what to do about it.
    pub fn advice(&self) -> String {
        let (major, minor) = OLDEST;
        format!("no Z3 {major}.{minor} or later: run `cargo xtask setup`, or name one with --smt-library")
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.advice())?;
        for (path, reason) in &self.refused {
            write!(f, "; {}: {reason}", path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for NotFound {}

impl Library {
    /// The first candidate that is new enough. A path without a folder is looked up by the system.
    pub fn find(candidates: &[PathBuf]) -> Result<Library, NotFound> {
        Library::find_with_refusals(candidates).0
    }

    /// The same, and what was refused before something was found.
    pub fn find_with_refusals(candidates: &[PathBuf]) -> (Result<Library, NotFound>, Vec<(PathBuf, String)>) {
        let mut refused = Vec::new();
        for path in candidates {
            match open(path) {
                Ok(opened) => return (Ok(Library(Arc::new(opened))), refused),
                Err(reason) => refused.push((path.clone(), reason)),
            }
        }
        (Err(NotFound { refused: refused.clone() }), refused)
    }

    /// Where to look for an executable: `third_party/z3/lib` in each folder above it (a checkout),
    /// `../lib/wattle` (an installation), and last what the system calls Z3. Files that are not there
    /// are left out.
    pub fn beside(executable: &Path) -> Vec<PathBuf> {
        let names: &[&str] = if cfg!(windows) {
            &["libz3.dll"]
        } else if cfg!(target_os = "macos") {
            &["libz3.dylib"]
        } else {
            &["libz3.so", "libz3.so.5.3"]
        };
        let folders = executable.ancestors().skip(1);
        let checkouts = folders.clone().map(|folder| folder.join("third_party/z3/lib"));
        let installed = folders.skip(1).take(1).map(|folder| folder.join("lib/wattle"));
        let mut found: Vec<PathBuf> = (checkouts.chain(installed))
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .filter(|path| path.is_file())
            .collect();
        found.extend(names.iter().map(PathBuf::from));
        found
    }

    pub fn version(&self) -> &str {
        &self.0.version
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    pub(crate) fn api(&self) -> &Api {
        &self.0.api
    }

    /// Set an option of the process.
    pub(crate) fn set(&self, name: &CStr, value: &str) {
        if let Ok(value) = CString::new(value) {
            // SAFETY: two texts that end in zero; Z3 locks its options.
            unsafe { (self.0.api.global_param_set)(name.as_ptr(), value.as_ptr()) }
        }
    }
}

fn open(path: &Path) -> Result<Opened, String> {
    if path.components().count() > 1 {
        elf::whole(path)?;
    }
    // SAFETY: opening a library runs its initialisers. The file is whole, and the user or the system
    // chose it.
    let code = unsafe { libloading::Library::new(path) }.map_err(|error| reason(path, &error.to_string()))?;
    type Version = unsafe extern "C" fn() -> *const std::ffi::c_char;
    // SAFETY: this function has had this type since it exists.
    let version = unsafe {
        let version = code
            .get::<Version>(b"Z3_get_full_version\0")
            .map_err(|_| "not Z3: it has no function Z3_get_full_version".to_owned())?;
        CStr::from_ptr(version()).to_string_lossy().into_owned()
    };
    match numbers(&version) {
        Some(found) if found >= OLDEST => {}
        _ => {
            let (major, minor) = OLDEST;
            return Err(format!("version {version} is older than {major}.{minor}"));
        }
    }
    // SAFETY: it is Z3 of a version with these types, and it is never closed.
    let api = unsafe { Api::of(&code) }.map_err(|name| format!("it has no function {name}"))?;
    let opened = Opened { path: path.to_owned(), version, api, _code: ManuallyDrop::new(code) };
    prepare(&opened.api);
    Ok(opened)
}

/// What the system says, without the path that is said anyway.
fn reason(path: &Path, words: &str) -> String {
    words.strip_prefix(&format!("{}: ", path.display())).unwrap_or(words).to_owned()
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    version.split_whitespace().find_map(|word| {
        let mut parts = word.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

/// Set [`OPTIONS`], once a library.
fn prepare(api: &Api) {
    static PREPARED: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());
    let mut prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
    if prepared.insert(api.global_param_set as usize) {
        for (name, value) in OPTIONS {
            // SAFETY: two texts that end in zero.
            unsafe { (api.global_param_set)(name.as_ptr(), value.as_ptr()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(numbers("5.3.2.0"), Some((5, 3)));
        assert_eq!(numbers("Z3 4.8.12.0 0000"), Some((4, 8)));
        assert_eq!(numbers("none"), None);
    }
}
