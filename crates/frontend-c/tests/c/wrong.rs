//! Texts that are no C, or that wattle does not handle: the message has a name, and a place in what the user wrote.

use wattle_program::Op;
use wattle_source::Sources;

use super::Machine;

/// `CODE LINE:COLUMN MESSAGE` of the first error.
fn first_error(machine: &Machine, text: &str) -> String {
    let (sources, reading) = machine.read(text);
    let problems = reading.map(|_| ()).unwrap_err();
    let first = &problems[0];
    format!("{} {} {}", first.code, place(&sources, first.span()), first.message)
}

fn place(sources: &Sources, span: wattle_source::Span) -> String {
    let start = sources.start(span);
    format!("{}:{}", start.line, start.column)
}

#[test]
fn errors_have_a_code_and_a_place() {
    let machine = Machine::new("errors");
    let rows = [
        ("int main(void) {\n  int y = 1 +;\n}\n", "c-syntax 2:14 unexpected `;`"),
        ("int main(void) {\n  return z;\n}\n", "c-undeclared 2:10 `z` is not declared"),
        ("int mian(void) {\n  return 0;\n}\n", "c-main 1:1 there is no function `main`"),
        (
            "#define ADD(a) ((a) + z)\nint main(void) {\n  return ADD(1);\n}\n",
            "c-undeclared 3:10 `z` is not declared",
        ),
        (
            "int main(void) {\n  1 = 2;\n}\n",
            "c-type 2:3 this is a value and no place that could be assigned to",
        ),
        ("#include <no_such_header.h>\n", "c-preprocess 1:10 no_such_header.h: No such file or directory"),
    ];
    for (text, expected) in rows {
        assert_eq!(first_error(&machine, text), expected, "{text}");
    }
    let nested = format!("int x = {}1{};", "(".repeat(300), ")".repeat(300));
    assert!(first_error(&machine, &nested).starts_with("c-nesting 1:"));
}

/// An error in a header is shown in the header.
#[test]
fn places_lead_into_headers() {
    let machine = Machine::new("headers");
    let header = machine.folder.write("part.h", "static int twice(int n) {\n  return n + m;\n}\n");
    let text = format!("#include \"{}\"\nint main(void) {{ return twice(1); }}\n", header.display());
    let (sources, reading) = machine.read(&text);
    let problems = reading.map(|_| ()).unwrap_err();
    assert_eq!(sources.name(problems[0].span().file), header.display().to_string());
    assert_eq!(place(&sources, problems[0].span()), "2:14");
}

/// Functions stand where they are called; where they call each other, that has to end somewhere.
#[test]
fn calls_are_limited() {
    let machine = Machine::new("calls");
    let mut text = String::from("int __VERIFIER_nondet_int(void); int a(int n);\n");
    for (one, other) in ["ba", "cb", "dc", "ed", "ae"].map(|pair| pair.split_at(1)) {
        text += &format!("int {one}(int n) {{ return n < 1 ? 1 : {other}(n - 1) + {other}(n - 2); }}\n");
    }
    let (_, reading) = machine.read(&(text + "int main(void) { return a(__VERIFIER_nondet_int()); }\n"));
    let program = reading.unwrap_or_else(|problems| panic!("{problems:?}")).program;
    let mut ops = program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
    let limit = "more than 5000 calls, each with its function in its place";
    assert!(ops.any(|op| matches!(op, Op::Unsupported { what, .. } if &**what == limit)));
}

/// What is not supported is an operation at its place: a program that does not come there is not harmed.
#[test]
fn what_is_not_supported_is_named_at_its_place() {
    let machine = Machine::new("unsupported");
    let rows = [
        ("double d = 0.5; int main(void) {\n  int x = d < 1;\n}\n", "1:12 floating-point arithmetic"),
        (
            "int f(int n) {\n  int a[n][2];\n  return 0; } int main(void) { return f(1); }\n",
            "2:9 an array whose length is not constant",
        ),
        (
            "int x; int main(void) {\n  asm(\"incl %0\" : \"+m\"(x));\n}\n",
            "2:3 assembly with results: `incl %0`",
        ),
        ("int x; int main(void) {\n  asm(\"rdtsc\");\n}\n", "2:3 the assembly `rdtsc`"),
        (
            "int main(void) {\n  ((int (*)(void))(-9223372036854775807L - 1))();\n}\n",
            "2:3 a call through a pointer to no function",
        ),
        (
            "int g(void); int main(void) {\n  return g();\n}\n",
            "2:10 the function `g`, which has no definition",
        ),
        ("struct f { int a : 1; } s; int main(void) {\n  s.a = 1;\n}\n", "2:3 a struct with bit-fields"),
        (
            "struct p { int a, b; }; _Atomic struct p s; int main(void) {\n  struct p t = s;\n}\n",
            "2:16 an atomic struct",
        ),
        (
            "struct s { struct s s; } s; int main(void) {\n  s.s;\n}\n",
            "2:3 a field of a type that is not complete",
        ),
        ("int a[1000][1000]; int main(void) {\n  a[1][2] = 3;\n}\n", "2:3 a very large array"),
        (
            "struct s { int b[500], c[500]; } a[100]; int main(void) {\n  a[1].b[2] = 3;\n}\n",
            "2:3 a very large object",
        ),
        ("int main(void) {\n  __int128 x = 1;\n}\n", "2:3 integers of 128 bits"),
        ("int main(void) {\n  __auto_type x = 1L;\n}\n", "2:3 `__auto_type`"),
        ("int main(void) {\n  int x = 'ab';\n}\n", "2:11 a constant of several or of wide characters"),
    ];
    for (text, expected) in rows {
        let (sources, reading) = machine.read(text);
        let program = reading.unwrap_or_else(|problems| panic!("{problems:?}\n{text}")).program;
        let ops = program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
        let found: Vec<String> = ops
            .filter_map(|op| match op {
                Op::Unsupported { what, span } => Some(format!("{} {what}", place(&sources, *span))),
                _ => None,
            })
            .collect();
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
    }
    let (_, reading) = machine.read("int main(void) {\n  return 0;\n  float f = 1.5f * 2;\n}\n");
    let program = reading.unwrap().program;
    let mut ops = program.processes[0].cfg.edges.iter().flat_map(|edge| &edge.ops);
    assert!(!ops.any(|op| matches!(op, Op::Unsupported { .. })), "what nobody reaches is harmless");
}
