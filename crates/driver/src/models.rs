//! `models`: the memory models that wattle knows, and those that users bring.

use std::path::Path;
use std::sync::Arc;

use wattle_memory::{CATALOGUE, Machine, MemoryModel, cat, find};
use wattle_report::text::{self, Options};
use wattle_source::{Diagnostic, Sources, did_you_mean};

use crate::Input;
use crate::load::Beside;

pub fn models() -> &'static [MemoryModel] {
    &CATALOGUE
}

/// What people call a model who think of the machine.
pub const ALIASES: [(&str, &str); 8] = [
    ("x86", "tso"),
    ("x86-64", "tso"),
    ("ppc", "power"),
    ("armv7", "arm"),
    ("armv8", "aarch64"),
    ("arm64", "aarch64"),
    ("risc-v", "riscv"),
    ("c11", "rc11"),
];

/// The name in the catalogue of what is also called `name`.
pub fn known_as(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, known)| known)
}

/// The model called `name`, or the one in the file `name` if that ends in `.cat`; `atomic_copy` is how
/// sc reads a remote copy.
pub fn resolve(name: &str, atomic_copy: bool) -> Result<MemoryModel, String> {
    if Path::new(name).extension().is_some_and(|extension| extension == "cat") {
        return from_file(name);
    }
    let Some(model) = find(known_as(name)) else {
        let names = || CATALOGUE.iter().map(|model| &*model.name).chain(ALIASES.map(|(alias, _)| alias));
        return Err(match did_you_mean(name, names()) {
            Some(hint) => format!("unknown memory model `{name}`: {hint}"),
            None => {
                let known = CATALOGUE.iter().map(|model| &*model.name).collect::<Vec<_>>().join(", ");
                format!("unknown memory model `{name}` (known: {known}; or a file with the extension .cat)")
            }
        });
    };
    let mut model = model.clone();
    if let Some(Machine::Sc { atomic_copy: copy }) = &mut model.machine {
        *copy = atomic_copy;
    }
    Ok(model)
}

/// A model of the user's own. It speaks of every program: whatever its text names and a program does
/// not have is empty.
fn from_file(name: &str) -> Result<MemoryModel, String> {
    let input = Input::file(name);
    let refuse = |sources: &Sources, diagnostics: &[Diagnostic]| {
        let diagnostics = text::diagnostics(sources, diagnostics, &Options::default());
        format!("the memory model {name} is refused\n{}", diagnostics.trim_end())
    };
    let text = input.read().map_err(|diagnostic| refuse(&Sources::single(name, "").0, &[diagnostic]))?;
    let (mut sources, file) = Sources::single(name, &text);
    let folder = Path::new(name).parent().map(Path::to_path_buf);
    let loader = Beside { folder, others: vec![], compiler: crate::Compiler::default() };
    let axioms = cat::read(&mut sources, file, &loader, &[]);
    let axioms = axioms.map_err(|diagnostics| refuse(&sources, &diagnostics))?;
    Ok(MemoryModel {
        name: name.into(),
        machine: None,
        summary: axioms.title.clone().unwrap_or_default().into(),
        axioms: Some(Arc::new(axioms)),
        vocabulary: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_model_is_read_with_what_it_includes() {
        let folder = std::env::temp_dir().join(format!("wattle-models-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        write("order.cat", "let order = po | rf | co | fr");
        let good = write("mine.cat", "X86 mine\ninclude \"order.cat\"\nacyclic order as mine");
        let model = resolve(&good, false).unwrap();
        assert_eq!(&*model.axioms.unwrap().core.axioms[0].name, "mine");
        let bad = write("bad.cat", "include \"order.cat\"\nacyclic ordr as mine");
        let message = resolve(&bad, false).unwrap_err();
        for part in ["cat-unknown-name", "bad.cat:2:9", "did you mean `order`?"] {
            assert!(message.contains(part), "{part} in\n{message}");
        }
        write("slip.cat", "let order = po\nlet more = po || rf");
        let message = resolve(&write("worse.cat", "include \"slip.cat\""), false).unwrap_err();
        for part in ["cat-syntax", "slip.cat:2:15", "worse.cat:1", "included here"] {
            assert!(message.contains(part), "{part} in\n{message}");
        }
        assert!(resolve("no-such-file.cat", false).unwrap_err().contains("no such file"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
