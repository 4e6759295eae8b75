//! `models`: the memory models that wattle knows, and those that users bring.

use std::path::Path;
use std::sync::Arc;

use wattle_memory::{CATALOGUE, Machine, MemoryModel, cat, find};
use wattle_report::text;
use wattle_source::{Diagnostic, Sources};

use crate::Input;
use crate::load::Beside;
use crate::similar::did_you_mean;

pub fn models() -> &'static [MemoryModel] {
    &CATALOGUE
}

/// The model called `name`, or the one in the file of that name (`my.cat`, or any path); `atomic_copy` is how sc reads a remote copy.
pub fn resolve(name: &str, atomic_copy: bool) -> Result<MemoryModel, String> {
    if name.ends_with(".cat") || name.contains(['/', '\\']) {
        return from_file(name);
    }
    let Some(model) = find(name) else {
        let names = || CATALOGUE.iter().map(|model| &*model.name);
        return Err(match did_you_mean(name, names()) {
            Some(near) => format!("unknown memory model `{name}`: did you mean `{near}`?"),
            None => {
                format!("unknown memory model `{name}` (known: {})", names().collect::<Vec<_>>().join(", "))
            }
        });
    };
    let mut model = model.clone();
    if let Some(Machine::Sc { atomic_copy: copy }) = &mut model.machine {
        *copy = atomic_copy;
    }
    Ok(model)
}

/// What the file includes is looked for beside it. `Err` is text with excerpts, as for any bad input.
fn from_file(name: &str) -> Result<MemoryModel, String> {
    let refuse = |sources: &Sources, problems: &[Diagnostic]| {
        let excerpts = text::diagnostics(sources, problems, &text::Options::default());
        format!("cannot use the memory model `{name}`\n{}", excerpts.trim_end())
    };
    let input = Input::file(name);
    let content = input.read().map_err(|problem| refuse(&Sources::single(name, "").0, &[problem]))?;
    let (mut sources, file) = Sources::single(name, &content);
    let loader = Beside { folder: Path::new(name).parent().map(Path::to_path_buf) };
    let axioms =
        cat::read(&mut sources, file, &loader, &[]).map_err(|problems| refuse(&sources, &problems))?;
    Ok(MemoryModel {
        name: name.into(),
        machine: None,
        summary: axioms.title.clone().unwrap_or_else(|| "a model of yours".into()).into(),
        vocabulary: axioms.vocabulary(),
        axioms: Some(Arc::new(axioms)),
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
        assert_eq!(model.vocabulary, Some(wattle_program::Vocabulary::X86));
        let bad = write("bad.cat", "include \"order.cat\"\nacyclic ordr as mine");
        let message = resolve(&bad, false).unwrap_err();
        for part in ["cat-unknown-name", "bad.cat:2:9", "did you mean `order`?"] {
            assert!(message.contains(part), "{part} in\n{message}");
        }
        assert!(resolve("no-such-file.cat", false).unwrap_err().contains("no such file"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
