//! What is said about bad tests.

use super::read;

const GOOD: &str = "PPC MP
{ 0:r2=x; 0:r4=y; 1:r2=x; 1:r4=y; }
 P0           | P1           ;
 li r1,1      | lwz r1,0(r4) ;
 stw r1,0(r2) | lwz r3,0(r2) ;
 stw r1,0(r4) |              ;
exists (1:r1=1 /\\ 1:r3=0)
";

/// Codes, the text under the first label, and help.
fn problems(text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let found = read(text).err().unwrap_or_default();
    let under = |span: wattle_source::Span| text[span.start as usize..span.end as usize].to_owned();
    found.into_iter().map(|problem| (problem.code.name(), under(problem.span()), problem.help)).collect()
}

fn one(old: &str, new: &str, code: &str, place: &str) {
    assert!(GOOD.contains(old), "{old}");
    let text = GOOD.replacen(old, new, 1);
    let found = problems(&text);
    assert_eq!(found.len(), 1, "{found:?}\n{text}");
    assert_eq!((found[0].0, found[0].1.as_str()), (code, place), "{text}");
}

#[test]
fn the_good_one_is_read() {
    assert_eq!(problems(GOOD), []);
}

#[test]
fn every_mistake_has_its_code_and_place() {
    one("PPC", "VAX", "litmus-unknown-architecture", "VAX");
    one("PPC", "MIPS", "litmus-unsupported", "MIPS");
    one("lwz r3", "lwq r3", "litmus-unknown-instruction", "lwq");
    one("lwz r3", "lwz r33", "litmus-unknown-register", "r33");
    one("stw r1,0(r2)", "stw r1,0(r2", "litmus-syntax", "|");
    one("stw r1,0(r2)", "stw r1 0(r2)", "litmus-syntax", "0");
    one("stw r1,0(r2)", "stw r1,0(r2) r3", "litmus-syntax", "r3");
    one("stw r1,0(r2)", "beq there", "litmus-unknown-label", "there");
    one("stw r1,0(r2)", "stw r1,4(r2)", "litmus-unsupported", "stw r1,4(r2)");
    one("stw r1,0(r2)", "stb r1,0(r2)", "litmus-unsupported", "stb r1,0(r2)");
    one("| lwz r3,0(r2) ;", ";", "litmus-row", "stw r1,0(r2) ;");
    one("| P1", "| P0", "litmus-duplicate", "P0");
    one("1:r1=1", "z=1", "litmus-unknown-location", "z");
    one("1:r1=1", "1:r1=z", "litmus-unknown-location", "z");
    one("1:r1=1", "1:EAX=1", "litmus-unknown-register", "EAX");
    one("1:r1=1", "7:r1=1", "litmus-unknown-thread", "7:");
    one("0:r2=x", "5:r2=x", "litmus-unknown-thread", "5:r2");
    one("1:r1=1", "1:r1 1", "litmus-syntax", "1");
    one("r3=0)", "r3=0", "litmus-syntax", "");
    one("r3=0)", "r3=0))", "litmus-syntax", ")");
}

#[test]
fn several_mistakes_are_found_at_once() {
    let text = GOOD.replace("li r1,1 ", "ly r1,1 ").replace("lwz r3", "lwz q3");
    let codes: Vec<&str> = problems(&text).into_iter().map(|(code, _, _)| code).collect();
    assert_eq!(codes, ["litmus-unknown-instruction", "litmus-unknown-register"]);
}

#[test]
fn near_names_are_proposed() {
    let help = |old: &str, new: &str| problems(&GOOD.replacen(old, new, 1))[0].2.clone().unwrap_or_default();
    assert_eq!(help("lwz r3", "lzw r3"), "did you mean `lwz`?");
    assert_eq!(help("PPC", "PCP"), "did you mean `PPC`?");
    assert_eq!(help("1:r1=1", "xx=1"), "did you mean `x`?");
}

/// Every beginning of a test that lacks a part of it is an error, and never the wrong test. The
/// condition itself may be missing; then nothing is asked.
#[test]
fn truncated_files_are_errors() {
    let program_ends = GOOD.find("exists").unwrap();
    for end in 0..GOOD.len() - 2 {
        let text = &GOOD[..end];
        let complete = text.trim_end().ends_with(';') && end <= program_ends && text.contains("P0  ");
        assert_eq!(read(text).is_ok(), complete, "{text}");
    }
}

#[test]
fn deep_formulas_are_refused_and_long_ones_are_not() {
    let deep = format!("exists {}1:r1=1{}", "(".repeat(5000), ")".repeat(5000));
    let found = problems(&GOOD.replace("exists (1:r1=1 /\\ 1:r3=0)", &deep));
    assert_eq!(found[0].0, "litmus-nesting");
    let long = format!("exists 1:r1=1{}", " \\/ 1:r3=2".repeat(20_000));
    assert_eq!(problems(&GOOD.replace("exists (1:r1=1 /\\ 1:r3=0)", &long)), []);
    let negated = format!("exists {}1:r1=1", "~".repeat(20_000));
    assert_eq!(problems(&GOOD.replace("exists (1:r1=1 /\\ 1:r3=0)", &negated)), []);
}
