//! What the text becomes, seen in its printed form.

use wattle_program::text;

use super::{parsed, read};

/// The lines of the printed program that begin with one of these words, without spans.
fn lines(source: &str, words: &[&str]) -> Vec<String> {
    let printed = text::print(&parsed(source));
    let without_span = |line: &str| match line.rfind(" @") {
        Some(at) if line[at + 2..].chars().all(|letter| letter.is_ascii_digit() || letter == '.') => {
            line[..at].trim().to_owned()
        }
        _ => line.trim().to_owned(),
    };
    let wanted = |line: &&str| words.iter().any(|word| line.trim().split(' ').next() == Some(word));
    printed.lines().filter(wanted).map(without_span).collect()
}

fn edges(body: &str) -> Vec<String> {
    let text = format!(
        "forbidden L * data x = 0 y = 0 : [0:3] z = 1\n\
         process data f = 0 registers $r = 0 : [0:3] $s = * text L: {body}\n\
         process data f = 0 text nop"
    );
    let end = "process P1";
    let mut lines = lines(&text, &["edge", "process"]);
    let at = lines.iter().position(|line| line == end).unwrap();
    lines.truncate(at);
    lines.remove(0);
    lines
}

#[test]
fn instructions() {
    for (body, expected) in [
        ("nop", "edge 0 -> 1"),
        ("fence", "edge 0 -> 1 do fence fence rr rw wr ww cumulative"),
        ("write: y := $r + 1 - 2", "edge 0 -> 1 do store &y = $r + 1 - 2"),
        ("write: f[my] := -(1 - $r)", "edge 0 -> 1 do store &f[0] = -(1 - $r)"),
        ("write: f[0] := -1", "edge 0 -> 1 do store &f[1] = -1"),
        ("read: $r := x", "edge 0 -> 1 do load $r from &x"),
        ("read: x = $s", "edge 0 -> 1 do load value from &x; assume value == $s"),
        ("$r := $s", "edge 0 -> 1 do assign $r = $s"),
        ("cas(x, $r, 1)", "edge 0 -> 1 locked do load value from &x; assume value == $r; store &x = 1"),
        (
            "assume: $r = 0 || not $s < 1 && [$r >= 1 || $r <= 2] && true",
            "edge 0 -> 1 when $r == 0 || !($s < 1) && ($r >= 1 || $r <= 2) && true",
        ),
        ("write: [1] := 0", "edge 0 -> 1 do store &y = 0"),
        ("read: $r := [$s + 1]", "edge 0 -> 1 when 0 <= $s + 1 && $s + 1 < 3 do load $r from &x ++ ($s + 1)"),
        ("goto L", "edge 0 -> 0"),
    ] {
        assert_eq!(edges(body), [expected], "{body}");
    }
}

#[test]
fn a_locked_write_is_a_store_and_a_fence() {
    let expected =
        ["edge 0 -> 2 do store &x = 1 tagged fenced", "edge 2 -> 1 do fence fence rr rw wr ww cumulative"];
    assert_eq!(edges("locked write: x := 1"), expected);
    let program = parsed("forbidden * data x = 0 process text locked write: x := 1; write: x := 2");
    let edges = &program.processes[0].cfg.edges;
    assert_eq!(edges[0].origin, edges[1].origin);
    let places: Vec<bool> = edges.iter().map(wattle_program::passes::takes_fence).collect();
    assert_eq!(places, [false, false, true], "repair sees the plain write only");
}

#[test]
fn structures() {
    assert_eq!(
        edges("if $r = 0 then $r := 1; nop"),
        [
            "edge 3 -> 2 do assign $r = 1",
            "edge 0 -> 3 when $r == 0",
            "edge 0 -> 2 when !($r == 0)",
            "edge 2 -> 1"
        ],
    );
    assert_eq!(
        edges("if $r = 0 then if $r = 1 then goto L else nop"),
        [
            "edge 3 -> 1",
            "edge 2 -> 0 when $r == 1",
            "edge 2 -> 3 when !($r == 1)",
            "edge 0 -> 2 when $r == 0",
            "edge 0 -> 1 when !($r == 0)",
        ],
        "else belongs to the nearest if, and a jump is where the branch leads",
    );
    assert_eq!(
        edges("while $r = 0 do { read: $r := x; nop }"),
        [
            "edge 2 -> 3 do load $r from &x",
            "edge 3 -> 0",
            "edge 0 -> 2 when $r == 0",
            "edge 0 -> 1 when !($r == 0)",
        ],
    );
    assert_eq!(
        edges("either{ read: x = 0; goto L or nop or M: fence }; goto M"),
        [
            "edge 0 -> 0 do load value from &x; assume value == 0",
            "edge 0 -> 0",
            "edge 0 -> 0 do fence fence rr rw wr ww cumulative",
        ],
        "alternatives begin at one point, which carries the label of each",
    );
}

#[test]
fn locked_blocks() {
    assert_eq!(
        edges("locked { read: x = 0; read: y = 0 }"),
        [
            "edge 0 -> 1 buffered do load value from &x; assume value == 0; load value from &y; assume value == 0"
        ],
        "no write, no drain",
    );
    assert_eq!(
        edges("locked { read: $r := x; assume: $r = 1; write: y := 2 or assume: $s = 0; cas(x, 0, 1) }"),
        [
            "edge 0 -> 1 locked do load $r from &x; assume $r == 1; store &y = 2",
            "edge 0 -> 1 locked when $s == 0 do load value from &x; assume value == 0; store &x = 1",
        ],
    );
    assert_eq!(
        edges("locked { if $r = 0 then write: x := 1; either{ $r := 1 or locked write: y := 1 } }"),
        [
            "edge 0 -> 1 locked when $r == 0 do store &x = 1; assign $r = 1",
            "edge 0 -> 1 locked when $r == 0 do store &x = 1; store &y = 1",
            "edge 0 -> 1 locked when !($r == 0) do assign $r = 1",
            "edge 0 -> 1 locked when !($r == 0) do store &y = 1",
        ],
    );
}

#[test]
fn a_locked_block_with_a_loop_has_marked_points() {
    let text = "forbidden L data x = 0 process registers $r = 0 text \
                L: locked { while $r = 0 do read: $r := x; write: x := 1 }; nop";
    let expected = [
        "point 0 label L",
        "point 1 end",
        "point 2",
        "point 3 inside locked",
        "point 4 inside locked",
        "point 5 inside locked",
        "edge 0 -> 3 locked",
        "edge 5 -> 3 locked do load $r from &x",
        "edge 3 -> 5 locked when $r == 0",
        "edge 3 -> 4 locked when !($r == 0)",
        "edge 4 -> 2 locked do store &x = 1",
        "edge 2 -> 1",
    ];
    assert_eq!(lines(text, &["edge", "point"]), expected);
}

#[test]
fn memory_and_registers() {
    let text = "forbidden * * * * data x = -1 : [-2:3], y = * : Z z = 0\n\
                process(2) data f = 0 : [0:1] g = * registers $r = * : [0:1] $s = 4 text read: $r := f[0]; \
                read: $r := f[1]; read: $r := f[2]; read: $r := f[my]\n\
                process data f = 1 : [0:1] h = 2 text write: f[my] := 1; read: f[1] = 1\n\
                process data f = 0 : [0:1] h = 3 : [0:9] text write: h[my] := 1; write: h[2] := 1";
    let expected = [
        "variable x : int range -2..3 init -1",
        "variable y : int init any",
        "variable z : int init 0",
        "variable f[4] : int range 0..1 init 0, 0, 1, 0",
        "variable g[copies P0] : int init any",
        "variable P2.h : int init 2",
        "variable P3.h : int range 0..9 init 3",
        "process P0 copies 2",
        "local $r : int range 0..1 init any",
        "local $s : int init 4",
        "edge 0 -> 2 do load $r from &f[1 - me]",
        "edge 2 -> 3 do load $r from &f[2]",
        "edge 3 -> 4 do load $r from &f[3]",
        "edge 4 -> 1 do load $r from &f[me]",
        "process P2",
        "local value : int init 0 hidden",
        "edge 0 -> 2 do store &f[2] = 1",
        "edge 2 -> 1 do load value from &f[1]; assume value == 1",
        "process P3",
        "edge 0 -> 2 do store &P3.h = 1",
        "edge 2 -> 1 do store &P2.h = 1",
    ];
    let found: Vec<String> = (lines(text, &["variable", "process", "local", "edge"]).iter())
        .map(|line| line.replace('"', ""))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_others_among_three_copies() {
    let text = "forbidden * * * * process data f = 0 text nop \
                process(3) data f = 0 registers $r = 0 text \
                read: $r := f[0]; read: $r := f[1]; read: $r := f[2]; write: f[my] := 1";
    let expected = [
        "edge 0 -> 1",
        "edge 0 -> 2 do load $r from &f[0]",
        "edge 2 -> 3 do load $r from &f[1 + (if me <= 0 then 1 else 0)]",
        "edge 3 -> 4 do load $r from &f[1 + (if me <= 1 then 2 else 1)]",
        "edge 4 -> 1 do store &f[1 + me] = 1",
    ];
    assert_eq!(lines(text, &["edge"]), expected);
}

#[test]
fn forbidden_places() {
    let text = "forbidden A B * ; * A C process(2) text A: nop; B: nop process text C: nop";
    let expected = ["forbid P0[0]@A && P0[1]@B || P0[1]@A && P2[0]@C"];
    assert_eq!(lines(text, &["forbid"]), expected);
    assert_eq!(lines("forbidden * process text nop", &["forbid"]), ["forbid true"]);
}

#[test]
fn predicates() {
    let text = "forbidden * * predicates x = 1 ; $r < f[0] ; f[my] = f[0] ; $s = 1 ; nowhere = 1 \
                data x = 0 process data f = 0 registers $r = 0 text nop process data f = 0 text nop";
    let expected = [
        "predicate mem(&x) == 1",
        "predicate P0[0].$r < mem(&f[1])",
        "predicate mem(&f[0]) == mem(&f[1])",
        "predicate mem(&f[1]) == mem(&f[0])",
    ];
    assert_eq!(lines(text, &["predicate"]), expected);
    let warnings = read(text).unwrap().warnings;
    assert_eq!(warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), ["rmm-predicate"; 2]);
}

#[test]
fn macros() {
    let with = "macro set(where, what) write: where := what + 1 endmacro \
                macro both(value) { set(x, value); set(f[my], (1 - value)) } endmacro \
                forbidden L data x = 0 process data f = 0 text L: both(2); set(x, $r - 1); goto L";
    let without = "forbidden L data x = 0 process data f = 0 text \
                   L: { write: x := 2 + 1; write: f[my] := (1 - 2) + 1 }; write: x := $r - 1 + 1; goto L";
    let (with, without) = (
        with.replace("data f = 0", "data f = 0 registers $r = 0"),
        without.replace("data f = 0", "data f = 0 registers $r = 0"),
    );
    assert_eq!(lines(&with, &["edge", "point", "local"]), lines(&without, &["edge", "point", "local"]));
    let program = parsed(&with);
    let edges = &program.processes[0].cfg.edges;
    assert_eq!(edges[0].origin, edges[2].origin, "one text, one origin");
}

#[test]
fn origins_and_labels() {
    let text = "forbidden L data x = 0 process text L: write: x := 1;\n  if true then\n A: nop;\n either { B: nop or fence }";
    let (sources, _) = wattle_source::Sources::single("t", text);
    let program = parsed(text);
    let cfg = &program.processes[0].cfg;
    let texts: Vec<(String, &str)> = (cfg.points.iter())
        .filter(|info| !info.origin.0.is_nowhere())
        .map(|info| (info.labels.join(","), sources.slice(info.origin.0)))
        .collect();
    let expected = [("L", "write: x := 1"), ("", "if true"), ("B", "either"), ("A", "nop")];
    let found: Vec<(&str, &str)> = texts.iter().map(|(labels, text)| (&**labels, *text)).collect();
    assert_eq!(found, expected);
    assert!(cfg.edges.iter().all(|edge| !edge.origin.0.is_nowhere()));
    assert_eq!(cfg.points.iter().filter(|info| info.end).count(), 1);
}

#[test]
fn other_machines_are_unsupported_loudly() {
    let text = "forbidden L data x = 0 process registers $r = 0 text \
                L: syncwr: x := 1; syncrd: $r := x; slocked write: x := 1; ssfence; llfence";
    let parsed = read(text).unwrap();
    assert_eq!(parsed.warnings.len(), 5);
    assert!(parsed.warnings.iter().all(|warning| warning.code == "rmm-unsupported"));
    assert!(lines(text, &["edge"])[0].contains("unsupported \"syncwr\""));
}
