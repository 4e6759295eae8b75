//! Fences go into the text and come out of it.

use wattle_program::passes::{Insertion, Place, Spot};
use wattle_program::{Fence, Op, Point, ProcessId, Program, Vocabulary};
use wattle_source::{NoLoader, Sources, TextEdit};

use super::super::FRONTEND;

const SB: &str = "X86 SB
{ }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

fn edited(text: &str, process: u32, spot: impl Fn(&Program) -> Spot) -> Result<String, String> {
    let (sources, file) = Sources::single("test.litmus", text);
    let program = (FRONTEND.parse)(&sources, file, &NoLoader).unwrap().program;
    let place = Place { process: ProcessId(process), copy: None, spot: spot(&program) };
    let insertion = Insertion { place, op: Op::Fence(Fence::full()) };
    let edits = (FRONTEND.edit)(&sources, file, &program, &[insertion])?;
    Ok(TextEdit::apply(text, &edits))
}

#[test]
fn a_fence_gets_a_row_of_its_own() {
    let after = edited(SB, 0, |program| Spot::After(program.processes[0].cfg.edges[0].origin)).unwrap();
    assert!(after.contains("$1  ;\n MFENCE |  ;\n MOV EAX"), "{after}");
    let before = edited(SB, 1, |_| Spot::Before(Point(1))).unwrap();
    assert!(before.contains("$1  ;\n  | MFENCE ;\n MOV EAX"), "{before}");
    for text in [after, before] {
        let program = super::checked(&text).unwrap();
        assert_eq!(program.vocabulary, Vocabulary::X86);
        assert_eq!(program.processes.iter().map(|process| process.cfg.edges.len()).sum::<usize>(), 5);
    }
    assert!(edited(SB, 1, |_| Spot::Before(Point(2))).is_err(), "there is nothing after the end");
}

#[test]
fn a_fence_leaves_an_empty_cell() {
    let text = SB.replace(" MOV EAX,[y] |", " MFENCE | ;\n MOV EAX,[y] |");
    let (sources, file) = Sources::single("test.litmus", &text);
    let program = (FRONTEND.parse)(&sources, file, &NoLoader).unwrap().program;
    let fence = program.processes[0].cfg.edges[1].origin.0;
    let edits = (FRONTEND.remove)(&sources, file, &[fence]).unwrap();
    let program = super::checked(&TextEdit::apply(&text, &edits)).unwrap();
    assert_eq!(program.processes[0].cfg.edges.len(), 2);
}
