//! The programs of `corpus/c/language` are about C alone: compiled, they end without a failed assertion. So what
//! their rows expect does not come from wattle.

use std::path::Path;

use super::{Folder, run};

#[test]
fn compiled_programs_of_the_corpus_fail_no_assertion() {
    let folder = Folder::new("language");
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c/language");
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("assert(") && text.contains("safe\n"), "{}", path.display());
        run(&path, &folder);
        count += 1;
    }
    assert!(count >= 9, "{count}");
}
