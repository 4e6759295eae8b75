//! Fences go into the text and come out of it.

use wattle_program::passes::{Insertion, Place, Spot, takes_fence};
use wattle_program::{Fence, Op, Point, ProcessId, Program, Vocabulary};
use wattle_source::{Sources, TextEdit};

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
    let program = FRONTEND.read("test.litmus", text).unwrap().program;
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

/// Whoever jumps to the label passes the fence.
#[test]
fn labels_go_with_a_fence() {
    let text = "PPC loop
{ 0:r2=x; }
 P0           ;
 L0: lwz r1,0(r2) ;
 cmpwi r1,0   ;
 beq L0       ;
 L1:          ;
exists (0:r1=0)
";
    let after = edited(text, 0, |_| Spot::Before(Point(0))).unwrap();
    assert!(after.contains(" L0: sync ;\n lwz r1,0(r2) ;"), "{after}");
    let program = super::checked(&after).unwrap();
    let cfg = &program.processes[0].cfg;
    let first = cfg.leaving(cfg.labelled("L0").unwrap()).next().unwrap();
    assert!(matches!(cfg.edge(first).ops[..], [Op::Fence(_)]));
}

const C: &str = "C test
{ }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
  if (r0 == 1) atomic_store_explicit(y, 2, memory_order_relaxed);
  while (atomic_load_explicit(x, memory_order_relaxed)) { r0 = 1; }
}
exists (0:r0=0)
";

#[test]
fn a_fence_is_a_statement_of_c() {
    let point = |begins: &'static str| {
        move |program: &Program| {
            let points = &program.processes[0].cfg.points;
            let starts = |origin: u32| C[origin as usize..].starts_with(begins);
            let found =
                points.iter().position(|info| !info.origin.0.is_nowhere() && starts(info.origin.0.start));
            Spot::Before(Point(found.unwrap() as u32))
        }
    };
    let fence = "atomic_thread_fence(memory_order_seq_cst);";
    for (begins, expected) in [
        ("int r0", format!("relaxed);\n  {fence}\n  int r0")),
        ("if", format!("relaxed);\n  {fence}\n  if (r0")),
        (
            "atomic_store_explicit(y",
            format!("if (r0 == 1) {{ {fence} atomic_store_explicit(y, 2, memory_order_relaxed); }}"),
        ),
        ("while", format!("relaxed);\n  {fence}\n  while")),
        ("r0 = 1", format!("{{ {fence} r0 = 1; }}")),
    ] {
        let after = edited(C, 0, point(begins)).unwrap();
        assert!(after.contains(&expected), "{after}");
        super::checked(&after).unwrap();
    }
    let store = |number: usize| {
        move |program: &Program| {
            let stores = program.processes[0].cfg.edges.iter().filter(|edge| takes_fence(edge));
            Spot::After(stores.map(|edge| edge.origin).nth(number).unwrap())
        }
    };
    let after = edited(C, 0, store(0)).unwrap();
    assert!(after.contains(&format!("(x, 1, memory_order_relaxed);\n  {fence}\n  int")), "{after}");
    let after = edited(C, 0, store(1)).unwrap();
    assert!(
        after.contains(&format!(
            "if (r0 == 1) {{ atomic_store_explicit(y, 2, memory_order_relaxed); {fence} }}"
        )),
        "{after}"
    );
}

#[test]
fn a_fence_leaves_an_empty_cell() {
    let text = SB.replace(" MOV EAX,[y] |", " MFENCE | ;\n MOV EAX,[y] |");
    let (sources, file) = Sources::single("test.litmus", &text);
    let program = FRONTEND.read("test.litmus", &text).unwrap().program;
    let fence = program.processes[0].cfg.edges[1].origin.0;
    let edits = (FRONTEND.remove)(&sources, file, &[fence]).unwrap();
    let program = super::checked(&TextEdit::apply(&text, &edits)).unwrap();
    assert_eq!(program.processes[0].cfg.edges.len(), 2);
}
