//! `docs/wtl.md` knows every error of the language. Its programs are run by the tests of the command line.

#[test]
fn the_page_lists_every_code() {
    let page = include_str!("../../../../docs/wtl.md");
    for code in crate::FRONTEND.codes {
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}
