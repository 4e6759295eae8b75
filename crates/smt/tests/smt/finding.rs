//! Which libraries are taken.

use std::path::{Path, PathBuf};

use wattle_smt::Library;

use crate::library;

/// A folder that is removed when the test is over.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("wattle-smt-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_version_is_told() {
    let library = library();
    assert!(library.version().starts_with("5."), "{}", library.version());
    assert!(
        library.path().ends_with(Path::new("third_party/z3/lib").join(library.path().file_name().unwrap()))
    );
}

#[test]
fn a_library_that_breaks_off_is_refused_and_the_next_is_taken() {
    let scratch = Scratch::new("cut");
    let good = library();
    let bytes = std::fs::read(good.path()).unwrap();
    let mut candidates = Vec::new();
    for (name, length) in
        [("empty.so", 0), ("header.so", 40), ("half.so", bytes.len() / 2), ("most.so", bytes.len() * 9 / 10)]
    {
        let path = scratch.0.join(name);
        std::fs::write(&path, &bytes[..length]).unwrap();
        candidates.push(path);
    }
    let text = scratch.0.join("text.so");
    std::fs::write(&text, "not a library").unwrap();
    candidates.push(text);
    candidates.push(scratch.0.join("missing.so"));
    let refused = Library::find(&candidates).unwrap_err();
    assert_eq!(refused.refused.len(), candidates.len());
    let reason = |place: usize| refused.refused[place].1.clone();
    assert!(reason(2).contains("cut off"), "{}", reason(2));
    assert!(reason(3).contains("cut off"), "{}", reason(3));
    let told = refused.to_string();
    assert!(told.contains("cargo xtask setup"), "{told}");
    assert!(candidates.iter().all(|path| told.contains(&path.display().to_string())), "{told}");
    candidates.push(good.path().to_owned());
    let (found, refused) = Library::find_with_refusals(&candidates);
    assert_eq!(found.unwrap().path(), good.path());
    assert_eq!(refused.len(), candidates.len() - 1);
}

#[test]
fn other_libraries_are_refused() {
    let other = if cfg!(target_os = "linux") { "libc.so.6" } else { "no such library" };
    let refused = Library::find(&[PathBuf::from(other)]).unwrap_err();
    if cfg!(target_os = "linux") {
        assert!(refused.refused[0].1.contains("not Z3"), "{refused}");
    }
    // Where there is one, it is an old Z3.
    assert!(Library::find(&[PathBuf::from("libz3.so.4")]).is_err());
    assert_eq!(Library::find(&[]).unwrap_err().refused, []);
}
