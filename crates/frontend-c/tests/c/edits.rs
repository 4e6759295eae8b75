//! Fences that are put into a text in C: a statement of the same kind as the program uses, on a line of its own; never in a
//! header, nor between what a macro made.

use wattle_frontend_c::FRONTEND;
use wattle_logic::Kind;
use wattle_program::passes::{Insertion, Place, Spot};
use wattle_program::{Fence, Op, Orders, ProcessId};
use wattle_source::{FileId, TextEdit};

use super::Machine;

/// The text with a fence after the first store of `main` to a variable, or why there is none.
fn fenced(machine: &Machine, text: &str, variable: &str) -> Result<String, String> {
    let (sources, reading) = machine.read(text);
    let program = reading.unwrap().program;
    let number = program.variables.iter().position(|known| &*known.name == variable).unwrap();
    let stores = |op: &Op| match op {
        Op::Store { address, .. } => {
            matches!(address.kind(), Kind::Address { variable, .. } if *variable as usize == number)
        }
        _ => false,
    };
    let edge = program.processes[0].cfg.edges.iter().find(|edge| edge.ops.iter().any(stores)).unwrap();
    let place = Place { process: ProcessId(0), copy: None, spot: Spot::After(edge.origin) };
    let fence = Fence { tag: "SC".into(), orders: Orders::ALL, cumulative: true, location: None };
    let insertion = Insertion { place, op: Op::Fence(fence) };
    let edits = (FRONTEND.edit)(&sources, FileId(0), &program, &[insertion])?;
    Ok(TextEdit::apply(text, &edits))
}

#[test]
fn a_fence_is_a_statement_of_its_own() {
    let machine = Machine::new("edits");
    let text = "int x, y;\nint main(void) {\n  if (!y) {\n    x = 1;\n  }\n  return y;\n}\n";
    let expected = text.replace("x = 1;\n", "x = 1;\n    atomic_thread_fence(memory_order_seq_cst);\n");
    assert_eq!(fenced(&machine, text, "x"), Ok(expected));
}

#[test]
fn a_program_with_assembly_gets_assembly() {
    let machine = Machine::new("assembly");
    for (known, said) in
        [("lwsync", "sync"), ("mfence", "mfence"), ("dmb ish", "dmb ish"), ("fence w,w", "fence rw,rw")]
    {
        let text = format!("int x, y;\nint main(void) {{\n  asm(\"{known}\");\n  x = 1;\n  return y;\n}}\n");
        let fence = format!("x = 1;\n  __asm__ volatile(\"{said}\" ::: \"memory\");\n");
        assert_eq!(fenced(&machine, &text, "x"), Ok(text.replace("x = 1;\n", &fence)));
    }
}

#[test]
fn macros_and_headers_are_not_edited() {
    let machine = Machine::new("macros");
    let refused = |text: &str, variable: &str| fenced(&machine, text, variable).unwrap_err();
    let block = "#define BOTH x = 1; y = 1\nint x, y;\nint main(void) {\n  BOTH;\n  return 0;\n}\n";
    assert_eq!(refused(block, "x"), "the place is made by the macro `BOTH`; wattle edits no macro");
    let twice = "int x, y;\nint main(void) {\n  x = y = 1;\n  return 0;\n}\n";
    assert_eq!(
        refused(twice, "y"),
        "the statement stores several times, and no fence can stand inside of it"
    );
    let header = machine.folder.write("set.h", "int x;\nstatic inline void set(void) {\n  x = 1;\n}\n");
    let text = format!("#include \"{}\"\nint main(void) {{\n  set();\n  return x;\n}}\n", header.display());
    assert_eq!(refused(&text, "x"), "the place is in a header or made by a macro; wattle edits neither");
    // A macro that is one expression is a call like any other.
    let one = "#define SET(place) ((place) = 1)\nint x, y;\nint main(void) {\n  SET(x);\n  return y;\n}\n";
    let expected = one.replace("SET(x);\n", "SET(x);\n  atomic_thread_fence(memory_order_seq_cst);\n");
    assert_eq!(fenced(&machine, one, "x"), Ok(expected));
}

/// A statement that is all of a branch gets braces, and stays in the branch with its fence.
#[test]
fn a_branch_without_braces_gets_them() {
    let machine = Machine::new("braces");
    let fence = "atomic_thread_fence(memory_order_seq_cst);";
    for head in
        ["if (y)", "while (y)", "if (y) y = 2; else", "if (y) // a comment; with ends;\n ", "if (y) /* ; */"]
    {
        let text = format!(
            "int x, y;\nvoid other(void) {{ y = 1; }}\nint main(void) {{\n  {head}\n    x = 1;\n  return y;\n}}\n"
        );
        let expected = text.replace("x = 1;\n", &format!("{{ x = 1;\n    {fence} }}\n"));
        assert_eq!(fenced(&machine, &text, "x"), Ok(expected), "{head}");
    }
    for before in ["y = 2;", "{ }", "label:", "y = ')';", "#define SOME (1)\n"] {
        let text = format!(
            "int x, y;\nvoid other(void) {{ y = 1; }}\nint main(void) {{\n  {before}\n  x = 1;\n  return y;\n}}\n"
        );
        let expected = text.replace("  x = 1;\n", &format!("  x = 1;\n  {fence}\n"));
        assert_eq!(fenced(&machine, &text, "x"), Ok(expected), "{before}");
    }
    let line = "int x, y; int main(void) { x = 1; return y; }\n";
    assert_eq!(fenced(&machine, line, "x"), Ok(line.replace("x = 1;", &format!("x = 1; {fence}"))));
}
