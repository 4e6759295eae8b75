//! What is wrong with a text, all of it, with places and hints; and no text makes the reader fall.

use wattle_source::Sources;

use super::{parsed, read};

/// Code, text under the span and help of each error.
fn errors(text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let (sources, _) = Sources::single("t", text);
    let problems = read(text).err().unwrap_or_default();
    (problems.into_iter())
        .map(|problem| (problem.code.name(), sources.slice(problem.span()).to_owned(), problem.help))
        .collect()
}

fn process(body: &str) -> String {
    format!("forbidden L data turn = 0 process data flag = 0 registers $reg = 0 text L: {body}")
}

#[test]
fn one_error_each() {
    for (text, code, place) in [
        (process("nop;"), "rmm-syntax", ""),
        (process("{ nop; }"), "rmm-syntax", "}"),
        (process("write: turn = 1"), "rmm-syntax", "="),
        (process("write: 3 := 1"), "rmm-syntax", "3"),
        (process("read: turn := 1"), "rmm-syntax", ":="),
        (process("turn := 1"), "rmm-syntax", "turn"),
        (process("$reg := turn"), "rmm-syntax", "turn"),
        (process("$reg := (1"), "rmm-syntax", ""),
        (process("if $reg = 0 nop"), "rmm-syntax", "nop"),
        (process("if $reg then nop"), "rmm-syntax", "then"),
        (process("while [$reg = 0 do nop"), "rmm-syntax", "do"),
        (process("either { nop or nop"), "rmm-syntax", ""),
        (process("locked nop"), "rmm-syntax", "nop"),
        (process("goto 3"), "rmm-syntax", "3"),
        (process("nop nop"), "rmm-syntax", "nop"),
        (process("nop }"), "rmm-syntax", "}"),
        (process("$reg := 99999999999999999999"), "rmm-number", "99999999999999999999"),
        (process("nop %"), "rmm-lexical", "%"),
        (process("nop // why"), "rmm-lexical", "/"),
        (process("goto M"), "rmm-unknown-label", "M"),
        (process("L: nop"), "rmm-duplicate", "L"),
        (process("$r := 1"), "rmm-unknown-register", "$r"),
        (process("write: x := 1"), "rmm-unknown-name", "x"),
        (process("write: flag := 1"), "rmm-unknown-name", "flag"),
        (process("write: turn[my] := 1"), "rmm-unknown-name", "turn[my]"),
        (process("write: flag[0] := 1"), "rmm-unknown-name", "flag[0]"),
        (process("write: [1] := 1"), "rmm-unknown-name", "[1]"),
        (process("write: [-1] := 1"), "rmm-unknown-name", "[-1]"),
        (process("locked { goto L }"), "rmm-locked-goto", "L"),
        (process("locked { A: nop }; goto A"), "rmm-locked-goto", "A"),
        ("data x = 0 process text nop".into(), "rmm-syntax", "data"),
        ("forbidden process text nop".into(), "rmm-syntax", "process"),
        ("forbidden L".into(), "rmm-syntax", ""),
        ("forbidden L process L: nop".into(), "rmm-syntax", "L"),
        ("forbidden L L process text L: nop".into(), "rmm-forbidden", "L L"),
        ("forbidden M process text L: nop".into(), "rmm-unknown-label", "M"),
        ("forbidden L process(0) text L: nop".into(), "rmm-copies", "0"),
        ("forbidden L process(9999) text L: nop".into(), "rmm-copies", "9999"),
        ("forbidden L data x = 0 x = 1 process text L: nop".into(), "rmm-duplicate", "x = 1"),
        ("forbidden L data x = 7 : [0:1] process text L: nop".into(), "rmm-initial", "x"),
        ("forbidden L data x = 7 : [2:1] process text L: nop".into(), "rmm-domain", "[2:1]"),
        ("forbidden L data x = 7 : N process text L: nop".into(), "rmm-syntax", "N"),
        ("forbidden L data x : Z process text L: nop".into(), "rmm-syntax", ":"),
        ("forbidden L process registers r = 0 text L: nop".into(), "rmm-syntax", "r"),
        ("macro m() nop forbidden L process text L: nop".into(), "rmm-macro", "macro"),
        ("macro m() m() endmacro forbidden L process text L: { nop; m() }".into(), "rmm-macro", "m"),
        ("macro m(a) a endmacro forbidden L process text L: nop; m()".into(), "rmm-macro", "m"),
        ("macro m(a a) a endmacro forbidden L process text L: nop".into(), "rmm-macro", "a"),
    ] {
        let found = errors(&text);
        assert!(!found.is_empty(), "{text}");
        assert_eq!((found[0].0, &*found[0].1), (code, place), "{text}: {found:#?}");
        // A macro that cannot be expanded leaves a hole.
        assert!(found.len() == 1 || code == "rmm-macro" || place.is_empty(), "{text}: {found:#?}");
    }
}

#[test]
fn did_you_mean() {
    for (text, help) in [
        (process("write: tunr := 1"), "did you mean `turn`?"),
        (process("$rge := 1"), "did you mean `$reg`?"),
        (process("write: falg[my] := 1"), "did you mean `flag`?"),
        (process("fense"), "did you mean `fence`?"),
        (process("goto LL"), "did you mean `L`?"),
        (process("write: flag := 1"), "write `flag[my]`"),
        (process("$reg := turn"), "`read: $r := turn`"),
    ] {
        let found = errors(&text);
        let helps: Vec<&str> = found.iter().filter_map(|(_, _, help)| help.as_deref()).collect();
        assert!(helps.iter().any(|text| text.contains(help)), "{text}: {found:#?}");
    }
}

#[test]
fn all_errors_are_found_in_one_run() {
    let text = "forbidden L M data x = : [0:1] y = 3 : [0:1]\n\
                process registers $r = 0 text L: write: := 1; $q := 1; { read x = 1; nop }; goto L\n\
                process text M: if $r = 0 then nop; either { nop } or { nop }; goto N";
    let codes: Vec<&str> = errors(text).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes, ["rmm-syntax", "rmm-initial", "rmm-syntax", "rmm-syntax", "rmm-syntax"]);
    // Where declarations are whole, registers and variables are looked up in spite of other errors.
    let text = process("write: turn 1; $q := 1; goto N; write: x := 1");
    let codes: Vec<&str> = errors(&text).into_iter().map(|(code, ..)| code).collect();
    assert_eq!(codes, ["rmm-syntax", "rmm-unknown-register", "rmm-unknown-name"]);
}

#[test]
fn nesting_has_a_limit() {
    let deep = 100_000;
    for body in [
        "{ ".repeat(deep),
        "if true then ".repeat(deep),
        "while true do ".repeat(deep),
        "locked { ".repeat(deep),
        "A: ".repeat(deep),
        format!("$reg := {}1", "(".repeat(deep)),
        format!("$reg := {}1", "-".repeat(deep)),
        format!("$reg := 1{}", " + 1".repeat(deep)),
        format!("assume: {}true", "[".repeat(deep)),
        format!("assume: {}true", "not ".repeat(deep)),
        format!("assume: true{}", " || true && true".repeat(deep)),
    ] {
        let found = errors(&process(&body));
        assert!(!found.is_empty());
        if !body.starts_with("A:") {
            assert_eq!(found[0].0, "rmm-nesting", "{}", &body[..20]);
        }
    }
    // Macros that double: few tokens, endless expansion.
    let mut text = String::from("macro m0() endmacro ");
    for number in 1..45 {
        text += &format!("macro m{number}() m{0}() m{0}() endmacro ", number - 1);
    }
    let found = errors(&format!("{text} forbidden L process text L: m44() nop"));
    assert_eq!(found[0].0, "rmm-macro");
    // Long is fine.
    parsed(&process(&format!("nop{}", "; nop".repeat(20_000))));
}

#[test]
fn a_comment_that_does_not_end_is_a_warning() {
    let parsed = read("forbidden L process text L: nop /* and so on").unwrap();
    assert_eq!(parsed.warnings[0].code, "rmm-comment");
}

#[test]
fn damaged_texts_never_panic() {
    let text = "macro m(a,b) write: a := b + 1; nop endmacro\n\
                forbidden CS * ; * CS predicates x = 1 ; $r < f[0]\n\
                data x = 0 : [0:3], y = * : Z\n\
                process(2) data f = 0 : [0:1] registers $r = * : [0:1] $s = 1 text\n\
                L: m(x, $r); either{ read: f[0] = 0; goto L or locked { read: $r := [$s]; A: while $r < 1 do \
                $r := $r + 1; write: y := -$r } or cas(x, 0, 1) };\n\
                CS: if $r = 0 && [not $s != 1 || true] then { locked write: f[my] := 0; fence } else goto CS /* end */";
    parsed(text);
    let mut seed = 0x5eed_0019_u64;
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % limit as u64) as usize
    };
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ";",
        ":=",
        "or",
        "process",
        "data",
        "text",
        "macro",
        "endmacro",
        "m(",
        "/*",
        "$",
        "é",
        "goto",
        "locked",
        "if",
        "9",
        "-",
        "*",
        "registers",
        "forbidden",
    ];
    let mut right = 0;
    for _ in 0..5000 {
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', ':', '(']).collect();
        for _ in 0..=below(3) {
            let at = below(words.len());
            match below(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, pieces[below(pieces.len())]),
                2 => {
                    let other = below(words.len());
                    words.swap(at, other);
                }
                _ => words[at] = pieces[below(pieces.len())],
            }
        }
        let damaged = words.concat();
        if let Ok(parsed) = read(&damaged) {
            wattle_program::validate(&parsed.program)
                .unwrap_or_else(|invalid| panic!("{invalid}\n{damaged}"));
            right += 1;
        }
    }
    assert!((100..2500).contains(&right), "{right} of 5000 were right");
}
