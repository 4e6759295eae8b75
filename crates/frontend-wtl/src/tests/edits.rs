//! A fence put into the text means what the same fence put into the program means.

use wattle_engine::{Budget, Property, Run, Task};
use wattle_judge::certify::explore_all;
use wattle_program::passes::{Insertion, Place, Spot, insert, observe_everything, takes_fence};
use wattle_program::{Fence, Op, Origin, Point, ProcessId, Program};
use wattle_source::{Sources, Span, TextEdit};

use super::behaviour::{DEKKER, PETERSON};
use super::program;
use super::remote::FIG2;

fn edited(text: &str, insertions: &[Insertion]) -> Result<String, String> {
    let (sources, file) = Sources::single("test.wtl", text);
    let edits = (super::super::FRONTEND.edit)(&sources, file, &program(text), insertions)?;
    Ok(TextEdit::apply(text, &edits))
}

fn at(process: u32, spot: Spot, copy: Option<u32>, op: Op) -> Insertion {
    Insertion { place: Place { process: ProcessId(process), copy, spot }, op }
}

fn fence() -> Op {
    Op::Fence(Fence::full())
}

fn span_of(text: &str, piece: &str) -> Span {
    let start = text.find(piece).unwrap();
    Span::new(wattle_source::FileId(0), start, start + piece.len())
}

fn after(text: &str, statement: &str) -> String {
    let spot = Spot::After(Origin(span_of(text, statement)));
    edited(text, &[at(0, spot, None, fence())]).unwrap()
}

/// The point where the statement starts.
fn point_of(text: &str, statement: &str) -> Point {
    let span = span_of(text, statement);
    let points = program(text).processes[0].cfg.points.clone();
    Point(points.iter().position(|info| info.origin.0 == span).unwrap() as u32)
}

fn before(text: &str, statement: &str) -> String {
    edited(text, &[at(0, Spot::Before(point_of(text, statement)), None, fence())]).unwrap()
}

/// States without points: verdict, outcomes (locals and memory of final states).
fn behaviour(program: &Program, model: &str) -> (bool, Vec<Vec<wattle_logic::Value>>) {
    let mut program = program.clone();
    observe_everything(&mut program);
    let memory = wattle_memory::find(model).unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let run = Run::new(Budget { states: Some(1_000_000), ..Budget::default() });
    let closure = explore_all(&task, Some(2), false, &run).unwrap();
    // Hidden locals do not occur among what is observed, so both programs show the same columns.
    (closure.violation.is_none(), closure.outcomes.into_iter().collect())
}

/// Every place of the program on its own, by both ways.
fn round_trip(text: &str, models: &[&str], op: &Op) -> usize {
    let original = program(text);
    let mut places = Vec::new();
    for process in original.process_ids() {
        let cfg = &original.process(process).cfg;
        let mut spots: Vec<Spot> =
            cfg.edges.iter().filter(|edge| takes_fence(edge)).map(|edge| Spot::After(edge.origin)).collect();
        for (number, info) in cfg.points.iter().enumerate() {
            if !info.origin.0.is_nowhere() {
                spots.push(Spot::Before(Point(number as u32)));
            }
        }
        spots.sort();
        spots.dedup();
        let copies: &[Option<u32>] =
            if original.process(process).replicas.count() == Some(2) { &[None, Some(0)] } else { &[None] };
        for spot in spots {
            places.extend(copies.iter().map(|copy| Place { process, copy: *copy, spot }));
        }
    }
    for place in &places {
        let insertions = [Insertion { place: place.clone(), op: op.clone() }];
        let by_text = edited(text, &insertions).unwrap();
        let by_pass = insert(&original, &insertions);
        let again = program(&by_text);
        for model in models {
            assert_eq!(behaviour(&again, model), behaviour(&by_pass, model), "{place:?}\n{by_text}");
        }
    }
    places.len()
}

#[test]
fn text_and_pass_agree_on_every_place() {
    assert_eq!(round_trip(PETERSON, &["tso"], &fence()), 18);
    let once = DEKKER.replace("while (true) {", "{");
    assert!(round_trip(&once, &["tso"], &fence()) > 20);
    let shapes = "shared x, y, a[2]; thread p { local r, i;
        while (i < 2) { i = i + 1; if (i == 1) continue; x = i; }
        if (x == 1) y = 1; else a[0] = 2; atomic(buffered) { x = 2; y = 3; }
        either { x = 5; } or { l: y = 6; goto m; } m: r = y; while (r > 6) r = r - 1; }
        thread q { local s = y; local t = x; y = 9; a[1] = a[0]; await x != 1 || y != 9; }";
    assert!(round_trip(shapes, &["pso"], &fence()) > 20);
    let flush = Op::Flush { process: ProcessId(0), copy: wattle_logic::Term::int(0) };
    assert!(round_trip(FIG2, &["rma"], &flush) >= 5);
}

#[test]
fn a_fence_gets_a_line_of_its_own() {
    let text = "shared x;\nthread p {\n  x = 1;   // note\n  cs: x = 2;\n  x = 3; x = 4;\n}\n";
    assert_eq!(after(text, "x = 1;"), text.replace("// note", "// note\n  fence;"));
    assert_eq!(after(text, "x = 2;"), text.replace("x = 2;", "x = 2;\n  fence;"));
    assert_eq!(after(text, "x = 3;"), text.replace("x = 3;", "x = 3; fence;"));
    assert_eq!(before(text, "x = 1;"), text.replace("x = 1;", "fence;\n  x = 1;"));
    assert_eq!(before(text, "x = 2;"), text.replace("x = 2;", "fence; x = 2;"));
    assert_eq!(after("shared x; thread p { x = 1; }", "x = 1;"), "shared x; thread p { x = 1; fence; }");
    let windows = "shared x;\r\nthread p {\r\n  x = 1;\r\n}\r\n";
    assert_eq!(after(windows, "x = 1;"), windows.replace("x = 1;", "x = 1;\r\n  fence;"));
}

#[test]
fn a_body_of_its_own_gets_braces() {
    let text = "shared x; thread p { if (me == 0) x = 1; else l: x = 2; }";
    let expected = "shared x; thread p { if (me == 0) { x = 1; fence; } else l: x = 2; }";
    assert_eq!(after(text, "x = 1;"), expected);
    let expected = "shared x; thread p { if (me == 0) x = 1; else { l: x = 2; fence; } }";
    assert_eq!(after(text, "x = 2;"), expected);
    let expected = "shared x; thread p { if (me == 0) x = 1; else { l: fence; x = 2; } }";
    assert_eq!(before(text, "x = 2;"), expected);
}

#[test]
fn a_fence_before_a_loop_is_passed_on_every_round() {
    let text = "shared x;\nthread p {\n  while (x < 3) {\n    if (x == 1) continue;\n    x = 2;\n  }\n}\n";
    let statement = &text[text.find("while").unwrap()..text.rfind("\n}").unwrap()];
    let expected = "shared x;\nthread p {\n  fence;\n  while (x < 3) {\n    if (x == 1) { fence; continue; }\n    \
                    x = 2;\n    fence;\n  }\n}\n";
    assert_eq!(before(text, statement), expected);
}

#[test]
fn copies_and_kinds_are_spoken() {
    let text = "shared x, a[2]; thread p[3] { x = 1; }";
    let spot = Spot::After(Origin(span_of(text, "x = 1;")));
    let one = edited(text, &[at(0, spot, Some(2), fence()), at(0, spot, Some(0), fence())]).unwrap();
    assert_eq!(one, text.replace("x = 1;", "x = 1; if (me == 0 || me == 2) fence;"));
    let all: Vec<Insertion> = (0..3).map(|copy| at(0, spot, Some(copy), fence())).collect();
    assert_eq!(edited(text, &all).unwrap(), text.replace("x = 1;", "x = 1; fence;"));
    let location = wattle_logic::Term::address(1, vec![wattle_logic::Term::me()]);
    let local = Op::Fence(Fence { location: Some(location), ..Fence::full() });
    let ww = program("shared x; thread p { fence ww; }").processes[0].cfg.edges[0].ops[0].clone();
    let both = edited(text, &[at(0, spot, None, local), at(0, spot, None, ww)]).unwrap();
    assert_eq!(both, text.replace("x = 1;", "x = 1; fence(a[me]); fence ww;"));
}

#[test]
fn a_flush_names_its_copy_as_the_text_would() {
    let text = "process p[2] { shared X; local o = 1 - me; put(X, p[o], 1); put(X, p[1 - me], 2); put(X, p[X], 3); }";
    let original = program(text);
    let flush_after = |statement: &str| {
        let origin = Origin(span_of(text, statement));
        let edges = &original.processes[0].cfg.edges;
        let edge = edges.iter().find(|edge| edge.origin == origin && takes_fence(edge)).unwrap();
        let Op::Put { remote, .. } = &edge.ops[0] else { panic!() };
        let wattle_logic::Kind::Address { indices, .. } = remote.kind() else { panic!() };
        let op = Op::Flush { process: ProcessId(0), copy: indices[0].clone() };
        edited(text, &[at(0, Spot::After(origin), None, op)])
    };
    assert!(flush_after("put(X, p[o], 1);").unwrap().contains("1); flush(p[o]); put"));
    assert!(flush_after("put(X, p[1 - me], 2);").unwrap().contains("2); flush(p[1 - me]); put"));
    assert!(flush_after("put(X, p[X], 3);").is_err(), "the value that was read has no name");
}

#[test]
fn what_the_text_cannot_say_is_refused() {
    let text = "shared x; thread p { fetch_add(x, 1); x = 1; }";
    let refuse = |spot| edited(text, &[at(0, spot, None, fence())]).unwrap_err();
    let after_add = Spot::After(Origin(span_of(text, "fetch_add(x, 1);")));
    assert_eq!(refuse(after_add), "nothing is pending after line 1");
    let end = program(text).processes[0].cfg.points.iter().position(|info| info.end).unwrap();
    assert!(refuse(Spot::Before(Point(end as u32))).contains("not the start of a statement"));
}

#[test]
fn fences_are_taken_out_again() {
    let cases = [
        ("thread p {\n  skip;\n  fence;\n  skip;\n}\n", "thread p {\n  skip;\n  skip;\n}\n"),
        ("thread p { skip; fence; skip; }", "thread p { skip; skip; }"),
        ("thread p { skip;   fence;\n}", "thread p { skip;\n}"),
        ("thread p { if (me == 0) fence; }", "thread p { if (me == 0) skip; }"),
        ("thread p { cs: fence; }", "thread p { cs: skip; }"),
    ];
    for (text, expected) in cases {
        let (sources, file) = Sources::single("test.wtl", text);
        let edits = (super::super::FRONTEND.remove)(&sources, file, &[span_of(text, "fence;")]).unwrap();
        let result = TextEdit::apply(text, &edits);
        assert_eq!(result, expected);
        program(&result);
    }
    let text = "process p { shared X; put(X, p, 1); flush(*); skip; }";
    let (sources, file) = Sources::single("test.wtl", text);
    let edits = (super::super::FRONTEND.remove)(&sources, file, &[span_of(text, "flush(*);")]).unwrap();
    assert_eq!(TextEdit::apply(text, &edits), text.replace("flush(*); ", ""));
    let (sources, file) = Sources::single("test.wtl", "thread p { skip; }");
    let wrong = (super::super::FRONTEND.remove)(&sources, file, &[span_of("thread p { skip; }", "skip;")]);
    assert!(wrong.unwrap_err().contains("no fence"));
}
