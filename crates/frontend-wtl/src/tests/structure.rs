//! What the graph of each statement looks like.

use wattle_logic::{Sort, Term};
use wattle_program::{Choice, Dimension, Init, Mode, Op, Point, Range, Replicas, Role, Source, Vocabulary};
use wattle_source::Sources;

use super::{edges, program};

/// The edges of one thread's body, with shared `x`, `y`, `a[2]` and locals `r`, `b` declared.
fn body(text: &str) -> Vec<String> {
    let text = format!("shared x, y, a[2]; thread p {{ local r, b: bool; {text} }}");
    edges(&program(&text), 0)
}

#[test]
fn one_step_an_access_and_none_for_local_work() {
    assert_eq!(body("r = x;"), ["0>1 [load]"]);
    assert_eq!(body("r = x + 1;"), ["0>1 [load assign]"]);
    assert_eq!(body("r = x + y;"), ["0>1 [load]", "1>2 [load assign]"]);
    assert_eq!(body("x = r;"), ["0>1 [store]"]);
    assert_eq!(body("x = y;"), ["0>1 [load]", "1>2 [store]"]);
    assert_eq!(body("a[x] = a[y];"), ["0>1 [load]", "1>2 [load]", "2>3 [load]", "3>4 [store]"]);
    assert_eq!(body("r = r + 1;"), ["0>1 [assign]"]);
    assert_eq!(body("r = nondet(0, x);"), ["0>1 [load havoc]"]);
    assert_eq!(body("r = nondet(0, 3) + x;"), ["0>1 [havoc load assign]"]);
    assert_eq!(body("b = *;"), ["0>1 [havoc]"]);
    assert_eq!(body("fence; fence(x); fence ww;"), ["0>1 [fence]", "1>2 [fence]", "2>3 [fence]"]);
}

#[test]
fn conditions() {
    assert_eq!(body("if (x == 0) y = 1;"), ["0>1 [load assume]", "0>2 [load assume]", "1>2 [store]"]);
    assert_eq!(body("if (r == 0) y = 1; else skip;"), ["0>1 if []", "0>2 if []", "1>3 [store]", "2>3 []"]);
    assert_eq!(
        body("if (x == 0 && y) skip;"),
        ["0>1 [load]", "1>2 [load assume]", "1>3 [load assume]", "2>3 []"]
    );
    assert_eq!(body("while (x == 0) { }"), ["0>0 [load assume]", "0>1 [load assume]"]);
    assert_eq!(body("while (true) r = x;"), ["0>1 []", "1>0 [load]"]);
    assert_eq!(body("either { r = 1; } or { }"), ["0>1 []", "0>2 []", "1>2 [assign]"]);
}

#[test]
fn waiting_and_asserting() {
    assert_eq!(body("await x == 0;"), ["0>1 [load assume]"]);
    assert_eq!(body("await r == 0;"), ["0>1 if []"]);
    assert_eq!(body("await x == 0 || y == 0;"), ["0>1 [load]", "1>2 [load assume]", "1>0 [load assume]"]);
    assert_eq!(body("assume x == 0 || y == 0;"), ["0>1 [load]", "1>2 [load assume]"]);
    assert_eq!(body("assert x == y;"), ["0>1 [load]", "1>2 [load assert]"]);
    let text = "shared x, y; thread p { await x == 0 || y == 0; await x; }";
    let awaits = program(text).processes[0].cfg.awaits();
    let head = Some(Point(0));
    assert_eq!(awaits, [head, head, None, None], "one load waits where it is");
    // Whoever goes round an outer loop has left the await, also where that loop begins with it.
    let text = "shared x, y; thread p { l: await x == 0 || y == 0; goto l; }";
    let cfg = program(text).processes[0].cfg.clone();
    assert_eq!(cfg.edges.iter().filter(|edge| edge.to == cfg.entry).count(), 2);
    assert_eq!(cfg.edges.iter().filter(|edge| edge.role == Role::Retries).count(), 1);
}

#[test]
fn updates_are_locked_and_know_their_result() {
    let success = "0>1 locked [load assume store assign]";
    assert_eq!(body("b = cas(x, 0, 1);"), [success, "0>1 locked [load assume assign]"]);
    assert_eq!(body("cas(x, 0, 1);"), ["0>1 locked [load assume store]", "0>1 locked [load assume]"]);
    assert_eq!(
        body("while (!cas(x, 0, 1)) { }"),
        ["0>1 locked [load assume store]", "0>0 locked [load assume]"],
        "no edge for a success that fails"
    );
    assert_eq!(body("await cas(x, 0, 1);"), ["0>1 locked [load assume store]"]);
    assert_eq!(body("r = fetch_add(x, 2);"), ["0>1 locked [load store assign]"]);
    assert_eq!(
        body("r = y + exchange(x, r) + y;"),
        ["0>1 [load]", "1>2 locked [load store]", "2>3 [load assign]"]
    );
}

#[test]
fn sections() {
    assert_eq!(body("atomic { r = x; x = r + y; }"), ["0>1 locked [load load store]"]);
    assert_eq!(
        body("atomic { if (x == 0) x = 1; else if (r == 1) y = 1; }"),
        [
            "0>1 locked [load assume store]",
            "0>1 locked [load assume assume store]",
            "0>1 locked [load assume assume]"
        ]
    );
    assert_eq!(body("atomic(buffered) { x = 1; y = 2; }"), ["0>1 buffered [store store]"]);
    let looping = program("shared x; thread p { local r; skip; atomic { while (x < 3) x = x + 1; } skip; }");
    let cfg = &looping.processes[0].cfg;
    assert!(cfg.edges.iter().filter(|edge| edge.mode == Mode::Locked).count() >= 4);
    assert_eq!(cfg.points.iter().filter(|info| info.inside == Some(Mode::Locked)).count(), 3);
    let many = "if (x == 0) r = 1; ".repeat(7);
    let marked = program(&format!("shared x; thread p {{ local r; atomic {{ {many} }} }}"));
    assert_eq!(marked.processes[0].cfg.edges.len(), 7 * 3, "128 paths are too many edges");
    let fused = program(&format!("shared x; thread p {{ local r; atomic {{ {} }} }}", &many[..6 * 19]));
    assert_eq!(fused.processes[0].cfg.edges.len(), 64);
}

#[test]
fn origins_labels_and_hidden_locals() {
    let text = "shared x, flag[2];\nthread p[2] {\n  local other = 1 - me, late;\n  a: b: x = 1;\n  \
                while (flag[other] == flag[other]) {\n    skip;\n  }\n  goto a;\n}\n";
    let (sources, _) = Sources::single("t", text);
    let parsed = program(text);
    let process = &parsed.processes[0];
    let slices: Vec<&str> = process
        .cfg
        .points
        .iter()
        .map(|info| sources.slice(info.origin.0))
        .filter(|s| !s.is_empty())
        .collect();
    assert_eq!(slices[0], "x = 1;");
    assert!(slices[1].starts_with("while (") && slices[1].ends_with('}'));
    assert_eq!(slices.len(), 3, "the rest is the middle of an expression, or the end");
    let stores: Vec<&str> = (process.cfg.edges.iter())
        .filter(|edge| matches!(edge.ops[..], [Op::Store { .. }]))
        .map(|edge| sources.slice(edge.origin.0))
        .collect();
    assert_eq!(stores, ["x = 1;"]);
    assert_eq!(process.cfg.points[0].labels.len(), 2, "both labels name one point");
    let names: Vec<(&str, bool)> = process.locals.iter().map(|local| (&*local.name, local.hidden)).collect();
    let expected = [("other", false), ("late", false), ("flag[other]", true), ("flag[other]#2", true)];
    assert_eq!(names, expected);
    assert!(matches!(&process.locals[0].init, Init::Values(terms) if terms[0].locals().is_empty()));
}

#[test]
fn hidden_locals_are_used_again() {
    let text = "shared x; thread p { local r; r = x + 1; r = x + 2; if (x == 3) skip; }";
    assert_eq!(program(text).processes[0].locals.len(), 2);
}

#[test]
fn initial_values_of_locals() {
    let text =
        "shared x; thread p[2] { local a = me + 1, b = a * 2, c: 1..3 = 2; local d = x; local e = a; }";
    let process = &program(text).processes[0];
    assert_eq!(process.cfg.edges.len(), 2, "a, b and c start with their values");
    let b = Term::binary(
        wattle_logic::Binary::Multiply,
        Term::binary(wattle_logic::Binary::Add, Term::me(), Term::int(1)),
        Term::int(2),
    );
    assert_eq!(process.locals[1].init, Init::Values(vec![b]));
    assert_eq!(process.locals[2].range, Some(Range { low: 1, high: 3 }));
}

#[test]
fn initial_values_that_depend_on_choices_or_wrap_are_steps() {
    let text = "thread p { local a: 0..2 = *, b = a + 1; local c: u8 = 255, d = c + 1, e = 7; }
                observe p.a, p.b, p.d, p.e;";
    let parsed = program(text);
    assert_eq!(parsed.processes[0].locals[0].init, Init::Any);
    assert_eq!(super::outcomes(&parsed, "sc"), [[0, 1, 0, 7], [1, 2, 0, 7], [2, 3, 0, 7]]);
    let wrapping = program("thread p { local c: u8 = 255, d = c + 1; c = 0; } observe p.d;");
    assert_eq!(super::outcomes(&wrapping, "sc"), [[0]]);
}

#[test]
fn types_are_declared_or_taken_from_the_value() {
    let text =
        "const N = 2; enum Colour { red, green }; shared a, b = true, c = green, d: u16, e: -N..N, f[N]: i8;
                thread p { local g = c, h = d; }";
    let parsed = program(text);
    let sorts: Vec<Sort> = parsed.variables.iter().map(|variable| variable.sort).collect();
    let bits = |width, signed| Sort::Bits { width, signed };
    assert_eq!(sorts, [Sort::Int, Sort::Bool, Sort::Enum(0), bits(16, false), Sort::Int, bits(8, true)]);
    assert_eq!(parsed.variables[4].range, Some(Range { low: -2, high: 2 }));
    assert_eq!(parsed.processes[0].locals[0].sort, Sort::Enum(0));
    assert_eq!(parsed.processes[0].locals[1].sort, bits(16, false));
}

#[test]
fn copies_and_their_arrays() {
    let text = "shared n[copies(p)]; thread p[*] { n[me] = 1; }
                forbid exists i, j in p: n[i] == 1 && p[j]@end;";
    let parsed = program(text);
    assert_eq!(parsed.processes[0].replicas, Replicas::Any);
    assert_eq!(parsed.variables[0].dimensions, [Dimension::Copies(wattle_program::ProcessId(0))]);
    assert_eq!(&*parsed.name, "test");
    assert_eq!(parsed.vocabulary, Vocabulary::Generic);
}

#[test]
fn tags_and_orders() {
    let text = "shared x; thread p { local r; acquire r = x; release x = 1; fence rr ww; fence(x); }";
    let ops: Vec<Op> = program(text).processes[0].cfg.edges.iter().map(|edge| edge.ops[0].clone()).collect();
    assert!(matches!(&ops[0], Op::Load { tags, .. } if tags.contains("acq")));
    assert!(matches!(&ops[1], Op::Store { tags, .. } if tags.contains("rel")));
    assert!(matches!(&ops[2], Op::Fence(fence) if &*fence.tag == "fence.rr.ww" && !fence.cumulative));
    assert!(matches!(&ops[3], Op::Fence(fence) if fence.location.is_some()));
}

#[test]
fn remote_operations() {
    let text = "shared g; process p[2] { shared X = me, A[2] = {7, 8}; local i, c;
        put(A[i], p[1 - me], X); put(X, p[0], i + 1); X = get(A[g], p[c]); remote_add(X, p[1], 1);
        X = remote_cas(X, p[1], 0, 1); A[0] = remote_swap(X, p[0], i); flush(p[i]); i = X; }";
    let parsed = program(text);
    assert_eq!(parsed.vocabulary, Vocabulary::Rma);
    assert_eq!(parsed.variables[2].dimensions.len(), 2);
    assert!(matches!(&parsed.variables[2].init, Init::Values(values) if values.len() == 4));
    let names = ["put", "put", "load", "get", "remote", "remote", "remote", "flush", "load"];
    let expected: Vec<String> =
        names.iter().enumerate().map(|(number, name)| format!("{number}>{} [{name}]", number + 1)).collect();
    assert_eq!(edges(&parsed, 0), expected);
    let sources: Vec<bool> = (parsed.processes[0].cfg.edges.iter())
        .filter_map(|edge| match &edge.ops[0] {
            Op::Put { source, .. } => Some(matches!(source, Source::Location(_))),
            _ => None,
        })
        .collect();
    assert_eq!(sources, [true, false]);
}

#[test]
fn a_flush_of_all_is_one_step() {
    let text = "shared g; thread t { skip; } process o { shared O; } process n { skip; }
        process p[2] { shared X; put(O, o, 1); flush(*); }";
    let parsed = program(text);
    assert_eq!(parsed.vocabulary, Vocabulary::Rma);
    assert_eq!(edges(&parsed, 3), ["0>1 [put]", "1>2 [flush flush flush]"]);
    let flushes: Vec<String> = (parsed.processes[3].cfg.edges[1].ops.iter())
        .map(|op| match op {
            Op::Flush { process, copy } => format!("{}[{copy:?}]", parsed.process(*process).name),
            _ => panic!(),
        })
        .collect();
    let flush = |process: u32, copy: i64| {
        format!("{}[{:?}]", parsed.processes[process as usize].name, wattle_logic::Term::int(copy))
    };
    // Whose memory nobody can have an operation on is not waited for.
    assert_eq!(flushes, [flush(1, 0), flush(3, 0), flush(3, 1)]);
    let nobody = program("thread t { flush(*); } thread u { skip; }");
    assert_eq!(nobody.vocabulary, Vocabulary::Rma, "a remote statement where nobody owns memory");
    assert_eq!(edges(&nobody, 0), ["0>1 [flush flush]"]);
}

#[test]
fn a_choice_among_all_values_of_a_type() {
    let text = "shared x: 2..4 = 3; thread p { x = *; }";
    let parsed = program(text);
    assert!(matches!(&parsed.processes[0].cfg.edges[0].ops[0], Op::Havoc { among: Choice::Any, .. }));
    assert_eq!(parsed.processes[0].locals[0].range, Some(Range { low: 2, high: 4 }));
}

/// Unmarked ones are locked and have no marks; a failed comparison has nothing to release.
#[test]
fn read_modify_writes_with_an_order() {
    let marks = |text: &str| -> Vec<String> {
        let text = format!("shared x; thread p {{ {text} }}");
        let program = program(&text);
        let edges = program.processes[0].cfg.edges.iter().filter(|edge| edge.mode == Mode::Locked);
        let ops = edges.flat_map(|edge| &edge.ops).filter_map(|op| match op {
            Op::Load { tags, .. } => {
                Some(format!("load {}", Vec::from_iter(tags.iter().map(|tag| &**tag)).join(" ")))
            }
            Op::Store { tags, .. } => {
                Some(format!("store {}", Vec::from_iter(tags.iter().map(|tag| &**tag)).join(" ")))
            }
            _ => None,
        });
        ops.collect()
    };
    assert_eq!(marks("exchange(x, 1);"), ["load ", "store "]);
    assert_eq!(marks("exchange(x, 1, relaxed);"), ["load rlx", "store rlx"]);
    assert_eq!(marks("fetch_add(x, 1, acquire);"), ["load acq rlx", "store rlx"]);
    assert_eq!(marks("fetch_add(x, 1, release);"), ["load rlx", "store rel rlx"]);
    assert_eq!(marks("cas(x, 0, 1, acq_rel);"), ["load acq rlx", "store rel rlx", "load acq rlx"]);
}

#[test]
fn fences_by_name() {
    let orders = |text: &str| {
        let program = program(&format!("thread p {{ {text} }}"));
        let ops = program.processes[0].cfg.edges.iter().flat_map(|edge| &edge.ops);
        let fences = ops.filter_map(|op| match op {
            Op::Fence(fence) => Some(fence.orders.to_string()),
            _ => None,
        });
        fences.collect::<Vec<_>>()
    };
    assert_eq!(orders("fence acquire; fence release; fence lwsync;"), ["rr rw", "rw ww", "rr rw ww"]);
}
