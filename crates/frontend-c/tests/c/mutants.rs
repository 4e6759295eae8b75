//! Damaged texts: whatever stands in a text, the front end gives a well-formed program or names what is wrong. (`cargo
//! xtask bench read FOLDER --mutants N` tries any number.)

use std::path::Path;

use wattle_frontend_c::FRONTEND;
use wattle_generate::{Rng, mutant};
use wattle_program::validate;
use wattle_source::Loader;

use super::Machine;

#[test]
fn damaged_texts_are_programs_or_errors() {
    let machine = Machine::new("mutants");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let mut texts = Vec::new();
    for folder in [corpus.clone(), corpus.join("language"), corpus.join("meaning")] {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
            let text = std::fs::read_to_string(&path).unwrap();
            // Those that include another file of the corpus are short, and the other is there too.
            if !text.contains(".c\"") {
                // Without names of folders, which are of another length on each machine and in each run: the damage
                // would be done elsewhere.
                let name = path.file_name().unwrap().display().to_string();
                let made = machine.preprocess(&name, &text).unwrap();
                let made = made.replace(&machine.folder.path.display().to_string(), "headers");
                let own = made.rfind("# 1 \"").map_or(0, |at| at.min(made.len() / 2));
                texts.push(made[own..].to_owned());
                texts.push(made);
            }
        }
    }
    texts.sort();
    assert!(texts.len() > 50, "{}", texts.len());
    let mut rng = Rng::new(2026);
    let (mut programs, mut errors) = (0, 0);
    for round in 0..1000 {
        let text = mutant(&texts[round % texts.len()], &mut rng);
        match FRONTEND.read("test.i", &text) {
            Ok(parsed) => {
                validate(&parsed.program).unwrap_or_else(|invalid| panic!("{round}: {invalid}\n{text}"));
                programs += 1;
            }
            Err(problems) => {
                assert!(!problems.is_empty(), "{round}: {text}");
                errors += 1;
            }
        }
    }
    // How many are still programs depends on the headers of the machine too; about a tenth are.
    assert!(programs > 40 && errors > 100, "{programs} programs, {errors} errors");
}
