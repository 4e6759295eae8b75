//! Fences into the text and out of it.

use wattle_program::passes::{Insertion, Place, Spot};
use wattle_program::{Fence, Op, Orders, Origin, Point, ProcessId, Program, text};
use wattle_source::{Sources, Span, TextEdit};

use super::{Verdict, parsed, verdict};
use crate::FRONTEND;

fn place_of(source: &str, part: &str) -> Origin {
    let at = source.find(part).unwrap();
    Origin(Span::new(wattle_source::FileId(0), at, at + part.len()))
}

fn fence(process: u32, copy: Option<u32>, spot: Spot) -> Insertion {
    Insertion { place: Place { process: ProcessId(process), copy, spot }, op: Op::Fence(Fence::full()) }
}

fn edited(source: &str, insertions: &[Insertion]) -> Result<String, String> {
    let (sources, file) = Sources::single("t.rmm", source);
    let program = FRONTEND.read("t.rmm", source).unwrap().program;
    let edits = (FRONTEND.edit)(&sources, file, &program, insertions)?;
    let result = TextEdit::apply(source, &edits);
    parsed(&result);
    Ok(result)
}

fn removed(source: &str, parts: &[&str]) -> Result<String, String> {
    let (sources, file) = Sources::single("t.rmm", source);
    let spans: Vec<Span> = parts.iter().map(|part| place_of(source, part).0).collect();
    let result = TextEdit::apply(source, &(FRONTEND.remove)(&sources, file, &spans)?);
    parsed(&result);
    Ok(result)
}

const SB: &str = "forbidden E E data x = 0 : [0:1] y = 0 : [0:1]\n\
                  process text A: write: x := 1;\n  read: y = 0; E: nop\n\
                  process text A: write: y := 1;\n  read: x = 0; E: nop\n";

#[test]
fn a_write_becomes_a_locked_write() {
    let insertions = [
        fence(0, None, Spot::After(place_of(SB, "write: x := 1"))),
        fence(1, Some(0), Spot::After(place_of(SB, "write: y := 1"))),
    ];
    let result = edited(SB, &insertions).unwrap();
    assert_eq!(result, SB.replace("write:", "locked write:"));
    assert_eq!(verdict(&parsed(&result), "pso", 3), Verdict::Safe);
    assert_eq!(removed(&result, &["locked write: x := 1", "locked write: y := 1"]).unwrap(), SB);
}

/// The point that carries a label.
fn point(program: &Program, process: u32, label: &str) -> Point {
    program.process(ProcessId(process)).cfg.labelled(label).unwrap()
}

#[test]
fn elsewhere_a_fence_is_a_statement() {
    let source = "forbidden * data x = 0 process registers $r = 0 text \
                  A: nop; if $r = 0 then B: nop else C: { nop; nop }; D: while $r = 0 do E: read: $r := x; \
                  F: either { nop or fence }";
    let program = parsed(source);
    for (label, expected) in [
        ("A", source.replace("A: nop", "A: fence; nop")),
        ("B", source.replace("B: nop", "B: { fence; nop }")),
        ("C", source.replace("C: { nop;", "C: { fence; nop;")),
        (
            "D",
            source
                .replace("D: while", "D: fence; while")
                .replace("read: $r := x", "{ read: $r := x; fence }"),
        ),
        ("E", source.replace("read: $r := x", "{ fence; read: $r := x }")),
        ("F", source.replace("F: either", "F: fence; either")),
    ] {
        let spot = Spot::Before(point(&program, 0, label));
        assert_eq!(edited(source, &[fence(0, None, spot)]).unwrap(), expected, "{label}");
    }
}

#[test]
fn what_the_text_cannot_say() {
    let source = "macro m() write: x := 1 endmacro forbidden * * * data x = 0 \
                  process(2) text write: x := 2; m() process text m()";
    let two = Spot::After(place_of(source, "write: x := 2"));
    let one = Spot::After(place_of(source, "write: x := 1"));
    assert!(edited(source, &[fence(0, Some(0), two)]).unwrap_err().contains("for several processes"));
    let both = [fence(0, Some(0), two), fence(0, Some(1), two)];
    assert_eq!(edited(source, &both).unwrap(), source.replace("write: x := 2", "locked write: x := 2"));
    // The body of the macro is the text of both processes.
    assert!(edited(source, &[fence(0, None, one)]).is_err());
    let all = [fence(0, None, one), fence(1, None, one)];
    assert_eq!(edited(source, &all).unwrap(), source.replace("write: x := 1", "locked write: x := 1"));
    let mut weak = fence(0, None, two);
    weak.op = Op::Fence(Fence { orders: Orders::WW, ..Fence::full() });
    assert!(edited(source, &[weak]).is_err());
    let end = parsed(source).processes[0].cfg.points.iter().position(|info| info.end).unwrap();
    assert!(edited(source, &[fence(0, None, Spot::Before(Point(end as u32)))]).is_err());
    assert!(removed(source, &["write: x := 2"]).is_err());
}

#[test]
fn fences_are_taken_out() {
    let source = "forbidden L process text\nL: nop;\n  fence;\n  nop; fence; nop;\nM: fence;\n  either { fence or nop; fence };\n  if true then fence";
    let at = |number: usize| source.match_indices("fence").nth(number).unwrap().0;
    for (number, expected) in [
        (0, source.replace("  fence;\n  nop", "  nop")),
        (1, source.replace("nop; fence; nop", "nop; nop")),
        (2, source.replace("M: fence", "M: nop")),
        (3, source.replace("{ fence or", "{ nop or")),
        (4, source.replace("nop; fence }", "nop }")),
        (5, source.replace("then fence", "then nop")),
    ] {
        let (sources, file) = Sources::single("t.rmm", source);
        let span = Span::new(file, at(number), at(number) + 5);
        let edits = (FRONTEND.remove)(&sources, file, &[span]).unwrap();
        let result = TextEdit::apply(source, &edits);
        parsed(&result);
        let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(bare(&result), bare(&expected), "{number}");
        if number == 0 {
            assert_eq!(result, expected, "a line of its own goes with it");
        }
    }
}

#[test]
fn the_text_and_the_pass_agree() {
    // Fences put in by the pass and by the text give the same verdicts.
    let insertions = [
        fence(0, None, Spot::After(place_of(SB, "write: x := 1"))),
        fence(1, None, Spot::After(place_of(SB, "write: y := 1"))),
    ];
    for count in 0..=2 {
        let by_pass = wattle_program::passes::insert(&parsed(SB), &insertions[..count]);
        let by_text = parsed(&edited(SB, &insertions[..count]).unwrap());
        for model in ["sc", "tso", "pso"] {
            assert_eq!(verdict(&by_pass, model, 3), verdict(&by_text, model, 3), "{}", text::print(&by_pass));
        }
    }
}
