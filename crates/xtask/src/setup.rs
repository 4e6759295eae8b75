//! Z3 for the engines that use it: a library that is loaded when they run, so that nobody needs it to
//! build wattle.
//!
//! It comes from the wheel that Z3's authors publish for Python, which has it for every platform and
//! needs nothing but pip. The version is pinned: answers do not depend on it, interpolants do. The
//! library goes into the ignored `third_party/z3/lib`, under its final name only when it is whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACKAGE: &str = "z3-solver==5.3.2.0";

pub fn setup(root: &Path) -> Result<(), String> {
    let folder = root.join("third_party/z3/lib");
    let name = if cfg!(windows) {
        "libz3.dll"
    } else if cfg!(target_os = "macos") {
        "libz3.dylib"
    } else {
        "libz3.so"
    };
    let library = folder.join(name);
    if library.is_file() {
        return Ok(());
    }
    let unpacked = root.join("third_party/z3/unpacked");
    let fetched = fetch(&unpacked, name, &library);
    let _ = fs::remove_dir_all(&unpacked);
    fetched?;
    println!("setup: {PACKAGE} is in {}", folder.display());
    Ok(())
}

fn fetch(unpacked: &Path, name: &str, library: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(unpacked);
    let mut pip = Command::new(if cfg!(windows) { "python" } else { "python3" });
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary=:all:", "--retries=1", "--target"]).arg(unpacked).arg(PACKAGE);
    crate::run(&mut pip)?;
    let found = find(unpacked, name).ok_or_else(|| format!("{PACKAGE} contains no {name}"))?;
    if let Some(folder) = library.parent() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    // A copy that breaks off must not look like a library.
    let part = library.with_extension("part");
    fs::copy(found, &part)
        .and_then(|_| fs::rename(&part, library))
        .map_err(|error| format!("{}: {error}", library.display()))
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries.into_iter().find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => path.file_name().is_some_and(|found| found == name).then_some(path),
    })
}
