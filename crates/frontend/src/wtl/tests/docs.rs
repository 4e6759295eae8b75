//! The programs of `docs/wtl.md`: each parses, and each has the verdicts that it claims.

use super::{program, verdicts};

#[test]
fn examples_are_what_the_page_says() {
    let page = include_str!("../../../../../docs/wtl.md");
    let mut examples = 0;
    let mut claims = 0;
    for block in page.split("```wtl\n").skip(1) {
        let text = block.split("```").next().unwrap();
        let parsed = program(text);
        examples += 1;
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("// wattle:")) {
            for claim in line.split(',') {
                let words: Vec<&str> = claim.split_whitespace().collect();
                let [model, verdict] = words[..] else { panic!("{claim}") };
                assert_eq!(verdicts(&parsed, &[model]), [verdict == "safe"], "{claim} in\n{text}");
                claims += 1;
            }
        }
    }
    assert!(examples >= 10 && claims >= 15, "{examples} examples, {claims} claims");
}

#[test]
fn the_page_lists_every_code() {
    let page = include_str!("../../../../../docs/wtl.md");
    for (code, _) in super::super::CODES {
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}
