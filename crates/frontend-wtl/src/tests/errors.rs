//! What users see when something is wrong: code, place and words.

use wattle_source::{Diagnostic, Sources};

use crate::FRONTEND;

fn errors(text: &str) -> Vec<Diagnostic> {
    match FRONTEND.read("test.wtl", text) {
        Ok(_) => vec![],
        Err(errors) => errors,
    }
}

/// `code line:column message | help`
fn shown(text: &str) -> Vec<String> {
    let (sources, _) = Sources::single("test.wtl", text);
    (errors(text).iter())
        .map(|error| {
            let place = sources.start(error.span());
            let help = error.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
            format!("{} {}:{} {}{help}", error.code, place.line, place.column, error.message)
        })
        .collect()
}

fn one(text: &str) -> String {
    let found = shown(text);
    assert_eq!(found.len(), 1, "{found:#?}\n{text}");
    found[0].clone()
}

/// An error in a body with shared `x`, `a[2]`, `t: bool` and locals `r`, `b: bool`.
fn in_body(statement: &str) -> String {
    let text = format!("shared x, a[2], t: bool;\nthread p[2] {{ local r, b: bool;\n{statement}\n}}");
    one(&text)
}

#[test]
fn all_errors_of_a_text_in_one_run() {
    let text = "shared flag[2], turn = 0\n\
                thread p {\n  flg[0] = 1;\n  turn = = 2;\n  if (turn == ) { turn = 1; }\n  trun = 1;\n  \
                await flag[0];\n  fence foo;\n}\n\
                forbid p@sc;\nalways q@x;\n";
    assert_eq!(
        shown(text),
        [
            "wtl-syntax 1:25 expected `;`, found `thread`",
            "wtl-unknown-name 3:3 there is no variable `flg` | did you mean `flag`?",
            "wtl-syntax 4:10 expected an expression, found `=`",
            "wtl-syntax 5:15 expected an expression, found `)`",
            "wtl-unknown-name 6:3 there is no variable `trun` | did you mean `turn`?",
            "wtl-syntax 8:9 expected `rr`, `rw`, `wr`, `ww`, `acquire`, `release`, `lwsync` or `;`, found `foo`",
            "wtl-unknown-name 10:10 there is no label in p `sc`",
            "wtl-unknown-name 11:8 there is no thread or process `q`",
        ]
    );
}

#[test]
fn unknown_names_come_with_suggestions() {
    assert_eq!(in_body("flag = 1;"), "wtl-unknown-name 3:1 there is no variable `flag`");
    let near = one("shared flag; thread p { flga = 1; }");
    assert_eq!(near, "wtl-unknown-name 1:25 there is no variable `flga` | did you mean `flag`?");
    assert_eq!(in_body("goto l;"), "wtl-unknown-name 3:6 there is no label `l`");
    let label = one("thread p { again: skip; goto agian; }");
    assert_eq!(label, "wtl-unknown-name 1:30 there is no label `agian` | did you mean `again`?");
    let local = one("thread p[2] { local reg; } finally reg == 0;");
    assert_eq!(local, "wtl-unknown-name 1:36 `reg` belongs to p | write `p[…].reg`");
    let ty = one("shared x: itn; thread p { }");
    assert_eq!(ty, "wtl-unknown-name 1:11 there is no type `itn` | did you mean `int`?");
    let early = in_body("q = 1; local q;");
    assert_eq!(early, "wtl-unknown-name 3:1 there is no variable `q`");
    assert_eq!(in_body("local q = q + 1;"), "wtl-unknown-name 3:11 there is no variable `q`");
}

#[test]
fn types_do_not_mix() {
    let int = "`c ? 1 : 0` makes an integer of a condition";
    assert_eq!(in_body("r = x == 1;"), format!("wtl-type 3:5 expected int, found bool | {int}"));
    assert_eq!(
        in_body("b = r;"),
        "wtl-type 3:5 expected bool, found int | `e != 0` makes a condition of an integer"
    );
    assert_eq!(
        in_body("b = x;"),
        "wtl-type 3:5 expected bool, found int | `e != 0` makes a condition of an integer"
    );
    assert_eq!(in_body("r = 1 + t;"), format!("wtl-type 3:9 expected an integer, found bool | {int}"));
    assert_eq!(
        in_body("if (t == 1) skip;"),
        "wtl-type 3:10 expected bool, like the left side, found int | `e != 0` makes a condition of an integer"
    );
    assert_eq!(
        in_body("if (0 < x < 2) skip;"),
        format!("wtl-type 3:5 expected an integer, found bool | {int}")
    );
    assert_eq!(in_body("a[b] = 1;"), format!("wtl-type 3:3 expected an integer, found bool | {int}"));
    assert_eq!(in_body("r = cas(x, 0, 1);"), format!("wtl-type 3:5 expected int, found bool | {int}"));
    let colours = one("enum C { red } shared c = red; thread p { if (c) skip; }");
    assert_eq!(colours, "wtl-type 1:47 expected a condition, found C");
    let widths = one("shared x: u8, y: u16; thread p { x = x + y; }");
    assert_eq!(widths, "wtl-type 1:42 expected u8, like the left side, found u16");
}

#[test]
fn places() {
    assert_eq!(in_body("a = 1;"), "wtl-index 3:1 `a` is an array: say which element");
    assert_eq!(in_body("x[0] = 1;"), "wtl-index 3:1 `x` is not an array");
    assert_eq!(in_body("r[0] = 1;"), "wtl-index 3:1 `r` is not an array");
    assert_eq!(in_body("p = 1;"), "wtl-not-a-variable 3:1 `p` is a thread, not a variable");
    assert_eq!(
        in_body("cas(r, 0, 1);"),
        "wtl-not-shared 3:5 `r` is a local: only shared variables are updated atomically"
    );
    assert_eq!(in_body("acquire x = a[0];"), "wtl-not-local 3:9 `x` is shared: `acquire` reads into a local");
    assert_eq!(in_body("fence(r);"), "wtl-not-shared 3:7 `r` is a local: a fence waits for shared memory");
    assert_eq!(in_body("local x;"), "wtl-duplicate 3:7 the name `x` is declared twice");
    assert_eq!(in_body("local q[2];"), "wtl-size 3:9 a local cannot be an array | declare it `shared`");
    assert_eq!(
        one("shared x; const x = 1; thread p { }"),
        "wtl-duplicate 1:8 the name `x` is declared twice"
    );
    assert_eq!(in_body("l: skip; l: skip;"), "wtl-duplicate 3:10 the name `l` is declared twice");
    assert!(in_body("end: skip;").starts_with("wtl-label 3:1 "));
}

#[test]
fn declarations() {
    assert_eq!(one("shared x: 3..1; thread p { }"), "wtl-range 1:11 the range 3..1 is empty");
    assert_eq!(one("shared x: 1..3 = 4; thread p { }"), "wtl-range 1:18 the initial value 4 is outside 1..3");
    assert_eq!(one("shared x: u8 = 256; thread p { }"), "wtl-range 1:16 the initial value 256 is outside u8");
    assert!(one("shared x: 1..3; thread p { }").starts_with("wtl-range 1:8 0 is outside"));
    assert_eq!(one("shared a[3] = {1, 2}; thread p { }"), "wtl-initial 1:15 2 values for 3 elements");
    assert_eq!(
        one("shared a = {1}; thread p { }"),
        "wtl-initial 1:12 a list of values for a variable that is no array"
    );
    assert!(one("shared a[70000]; thread p { }").starts_with("wtl-size 1:10 an array of 70000 elements"));
    assert!(one("shared a[40000], b[40000]; thread p { }").starts_with("wtl-size 1:18 more than 65536"));
    assert!(one("shared a[0]; thread p { }").starts_with("wtl-size 1:10"));
    assert!(one("thread p[65] { }").starts_with("wtl-copies 1:10 65 copies"));
    assert!(one("thread p[0] { }").starts_with("wtl-copies 1:10 0 copies"));
    assert!(
        one("shared x; const N = x; thread p { }")
            .starts_with("wtl-unknown-name 1:21 there is no constant `x`")
    );
    assert_eq!(one("const N = 1 / 0; thread p { }"), "wtl-constant 1:11 this has no value: division by zero");
    assert_eq!(
        one("thread p[2] { local x: 0..1 = me + 1; }"),
        "wtl-range 1:31 the initial value 2 is outside 0..1"
    );
    assert!(one("shared x = 99999999999999999999; thread p { }").starts_with("wtl-number 1:12"));
    assert!(one("shared x = 9223372036854775808; thread p { }").starts_with("wtl-number 1:12"));
    assert!(errors("shared x = -9223372036854775808; thread p { }").is_empty());
    assert_eq!(one(""), "wtl-no-threads 1:1 there is no thread in this text | write `thread p { … }`");
    assert!(one("shared x; // wattle: tso safe\n").starts_with("wtl-no-threads 1:1"));
}

#[test]
fn control_flow() {
    assert_eq!(in_body("break;"), "wtl-loop 3:1 `break` outside a loop");
    let crossing = "crosses the border of an atomic section";
    assert!(
        in_body("while (true) atomic { break; }").starts_with(&format!("wtl-atomic 3:23 `break` {crossing}"))
    );
    assert!(
        in_body("atomic { goto l; } l: skip;").starts_with(&format!("wtl-atomic 3:15 `goto` {crossing}"))
    );
    assert!(
        in_body("atomic { l: skip; } goto l;").starts_with(&format!("wtl-atomic 3:26 `goto` {crossing}"))
    );
    assert!(
        in_body("atomic { cas(x, 0, 1, acquire); }").starts_with("wtl-atomic 3:10 the section is locked")
    );
    let orders = "expected `relaxed`, `acquire`, `release` or `acq_rel`, found";
    assert!(in_body("cas(x, 0, 1, seq_cst);").starts_with(&format!("wtl-syntax 3:14 {orders} `seq_cst`")));
    assert!(in_body("fetch_add(x, 1, 2);").starts_with(&format!("wtl-syntax 3:17 {orders} `2`")));
    assert!(in_body("atomic { atomic { skip; } }").starts_with("wtl-atomic 3:10 an atomic section inside"));
    assert!(
        in_body("atomic(buffered) { fetch_add(x, 1); }").starts_with("wtl-atomic 3:20 a read-modify-write")
    );
    assert_eq!(in_body(";"), "wtl-syntax 3:1 there is no empty statement | write `skip;`");
    assert_eq!(
        in_body("x == 1;"),
        "wtl-syntax 3:3 expected `=` (a comparison is not a statement), found `==`"
    );
    assert_eq!(in_body("if (x = 1) skip;"), "wtl-syntax 3:7 expected `)` (`==` compares), found `=`");
    assert_eq!(in_body("shared q;"), "wtl-syntax 3:1 expected a statement, found `shared`");
    assert_eq!(
        in_body("local while;"),
        "wtl-syntax 3:7 `while` is a word of the language and cannot be a name"
    );
}

/// One message for each habit, at its place.
#[test]
fn habits_of_c() {
    let body = |text: &str| in_body(text).replace("wtl-syntax ", "");
    assert_eq!(body("x++;"), "3:2 there is no `++` | write `x = x + 1`");
    assert_eq!(body("x -= 2;"), "3:3 there is no `-=` | write `x = x - …`");
    let help = "write `i = 0; while (i < n) { …; i = i + 1; }`";
    assert_eq!(body("for (x = 0; x < 3; x = x + 1) { skip; }"), format!("3:1 there is no `for` | {help}"));
    assert_eq!(body("local int i = 0;"), "3:7 the type comes after the name | write `i: int`");
    assert_eq!(body("int i = 0;"), "3:1 a declaration begins with `local` | write `local i: int`");
    assert_eq!(body("assert x = 1;"), "3:10 expected `;` (`==` compares), found `=`");
    assert_eq!(body("await x = 1;"), "3:9 expected `;` (`==` compares), found `=`");
    assert!(body("lock(x);").starts_with("3:5 there is no call of `lock` | as statements: `cas"));
    let item = |text: &str| one(&format!("{text}\nthread p {{ skip; }}")).replace("wtl-syntax ", "");
    assert_eq!(item("shared bool x;"), "1:8 the type comes after the name | write `x: bool`");
    assert_eq!(item("int x;"), "1:1 a declaration begins with `shared` | write `shared x: int`");
    assert_eq!(item("shared x; finally x = 1;"), "1:21 expected `;` (`==` compares), found `=`");
}

#[test]
fn formulas() {
    let f =
        |formula: &str| one(&format!("shared x; thread p[2] {{ local r; l: skip; }}\nfinally {formula};"));
    assert!(f("me == 0").starts_with("wtl-formula 2:9 `me` has no meaning"));
    assert!(f("p@l").starts_with("wtl-copy 2:9 `p` has several copies: say which"));
    assert!(f("p[2]@l").starts_with("wtl-copy 2:11 there is no copy 2"));
    assert!(f("cas(x, 0, 1)").starts_with("wtl-formula 2:9 a formula only looks"));
    assert!(f("p == 1").starts_with("wtl-formula 2:9 `p` is a thread"));
    assert!(in_body("assert p[0]@end;").starts_with("wtl-formula 3:8 this speaks of whole states"));
    let init = one("shared x; thread p { local r; } init p.r == 1;");
    assert!(init.starts_with("wtl-formula 1:40 `init` speaks of memory only"), "{init}");
}

#[test]
fn remote() {
    let f = |statement: &str| {
        one(&format!(
            "shared g; process q[2] {{ shared X; }} process o {{ shared O; }}\nprocess p {{ shared Y; local r;\n{statement} }}"
        ))
    };
    assert!(f("put(X, q, 1);").starts_with("wtl-copy 3:8 `q` has several copies: say which"));
    assert!(f("put(X, q[0], Y + 1);").starts_with("wtl-remote 3:14 a `put` sends"));
    assert!(f("r = get(X, q[0]);").starts_with("wtl-remote 3:1 `r` is a local"));
    assert!(f("g = get(X, q[0]);").starts_with("wtl-remote 3:1 `g` does not belong"));
    assert!(f("get(X, q[0]);").starts_with("wtl-remote 3:1 the result of this `get` goes nowhere"));
    assert_eq!(f("put(Z, q[0], 1);"), "wtl-unknown-name 3:5 there is no variable of q `Z`");
    assert_eq!(f("X = 1;"), "wtl-unknown-name 3:1 there is no variable `X`");
    assert!(f("flush(o[0]);").starts_with("wtl-copy 3:9 `o` has no copies"));
    assert_eq!(
        f("flush();"),
        "wtl-syntax 3:7 expected the name of a process, or `*` for all of them, found `)`"
    );
    assert!(f("flush(* o);").starts_with("wtl-syntax 3:9 expected `)`"));
    assert!(f("flush(*[0]);").starts_with("wtl-syntax 3:8 expected `)`"));
    assert!(f("put(O, *, 1);").starts_with("wtl-syntax 3:8 expected the name of a process, found `*`"));
    let any = one("process q[*] { shared X; }\nprocess p { flush(*); }");
    assert!(any.starts_with("wtl-copy 2:13 `q` has any number of copies"), "{any}");
    assert!(f("atomic { flush(*); }").starts_with("wtl-atomic 3:10 a remote operation"));
    assert!(f("atomic { flush(o); }").starts_with("wtl-atomic 3:10 a remote operation"));
    assert!(f("r = get(O, o) + 1;").starts_with("wtl-syntax 3:15 expected `;`"));
}

#[test]
fn depth_is_limited_everywhere() {
    let limited = |text: &str| {
        let found = errors(text);
        assert!(found.iter().any(|error| error.code == "wtl-nesting"), "{:?}", found.first());
        assert!(found.len() <= 20);
    };
    let many = |count: usize, open: &str, middle: &str, close: &str| {
        format!("shared x; thread p {{ {}{middle}{} }}", open.repeat(count), close.repeat(count))
    };
    limited(&many(1, &format!("x = {}1", "(".repeat(10_000)), &")".repeat(10_000), ";"));
    limited(&many(10_000, "{", "skip;", "}"));
    limited(&many(10_000, "if (x) ", "skip;", ""));
    limited(&many(10_000, "if (x) skip; else ", "skip;", ""));
    limited(&many(10_000, "while (x) ", "skip;", ""));
    limited(&many(10_000, "l: ", "skip;", ""));
    limited(&many(10_000, "atomic {", "skip;", "}"));
    limited(&many(1, &format!("x = {}1;", "-".repeat(10_000)), "", ""));
    limited(&many(1, &format!("x = {}1;", "x + ".repeat(100_000)), "", ""));
    limited(&many(1, &format!("x = {}1;", "x ? x : ".repeat(10_000)), "", ""));
    limited(&many(1, &format!("x = {}1;", "1||1&&1|1^1&1==1<1<<1+1*(".repeat(1_000)), "", ""));
    limited(&format!("thread p {{ }} forbid {}true;", "forall i in p: ".repeat(10_000)));
    limited(&format!("thread p {{ }} forbid forall {} in p: true;", vec!["i"; 10_000].join(",")));
    limited(&many(1, &format!("x = x{}", "[x".repeat(10_000)), "", ";"));
    assert!(errors(&many(1, &format!("x = {}1;", "x + ".repeat(300)), "", "")).is_empty());
    assert!(errors(&many(150, "if (x == 1) skip; else ", "skip;", "")).is_empty());
}

#[test]
fn long_lines_and_odd_bytes() {
    let statements = "x = x + 1; ".repeat(100_000);
    assert!(errors(&format!("shared x; thread p {{ {statements} }}")).is_empty());
    let name = "n".repeat(1_000_000);
    let found = one(&format!("thread p {{ {name} = 1; }}"));
    assert!(found.len() < 200, "a long name is cut in messages");
    let section = &statements[..11 * 20_000];
    assert!(errors(&format!("shared x; thread p {{ atomic {{ {section} }} }}")).is_empty());
    let binary: String = (0..100_000).map(|i| if i % 3 == 0 { '\0' } else { '\u{fffd}' }).collect();
    assert_eq!(errors(&binary).len(), 1);
    let spread = "\0 ".repeat(100_000);
    assert_eq!(errors(&spread).len(), 20);
    assert!(one("thread p { } \u{feff}").starts_with("wtl-character 1:14"));
}
