//! Tests of C bodies. The edges are argued from C, not copied from what wattle prints.

use crate::tests::{edges, problem, survives_damage};

fn body(parameters: &str, statements: &str) -> String {
    format!("C test\n{{ x=1; }}\nP0({parameters}) {{\n{statements}\n}}\nexists (x=1)\n")
}

fn edges_of(statements: &str) -> Vec<String> {
    edges(&body("atomic_int* x, volatile int *y", statements))
}

#[test]
fn accesses_carry_their_orders() {
    assert_eq!(
        edges_of(
            "atomic_store(x, 2); *y = 3; atomic_store_explicit(x, 4, memory_order_release);
             int r1 = atomic_load_explicit(x, memory_order_consume); // plain below
             int r2 = *y; /* a fence */ atomic_thread_fence(memory_order_acq_rel);"
        ),
        [
            "0 -> 1 do store &x = 2 tagged A SC",
            "1 -> 2 do store &y = 3 tagged NA",
            "2 -> 3 do store &x = 4 tagged A REL",
            "3 -> 4 do load r1 from &x tagged A CON",
            "4 -> 5 do load r2 from &y tagged NA",
            "5 -> 6 do fence ACQ_REL rr rw ww cumulative",
        ]
    );
}

#[test]
fn operands_are_in_no_order_and_before_the_store() {
    assert_eq!(
        edges_of("*y = atomic_load_explicit(x, memory_order_relaxed) + *y * 2;"),
        [
            "0 -> 1 do load $0 from &x tagged A RLX; load $1 from &y tagged NA",
            "1 -> 2 do store &y = $0 + $1 * 2 tagged NA",
        ]
    );
}

#[test]
fn read_modify_writes_are_one_locked_edge() {
    assert_eq!(
        edges_of("int r = atomic_fetch_sub_explicit(x, 2, memory_order_acquire);"),
        [
            "0 -> 1 locked do load $0 from &x tagged A ACQ; store &x = $0 - 2 tagged A ACQ",
            "1 -> 2 do assign r = $0",
        ]
    );
    assert_eq!(
        edges_of("atomic_exchange(x, 7);"),
        ["0 -> 1 locked do load $0 from &x tagged A SC; store &x = 7 tagged A SC"]
    );
}

/// A compare-exchange reads what it expects first, and leaves there what it found if that differs. A
/// weak one may fail though nothing differs.
#[test]
fn compare_exchange_has_two_ways() {
    let explicit = "_explicit(x, y, 5, memory_order_acq_rel, memory_order_relaxed);";
    let ways = |found: &str| {
        [
            "0 -> 1 do load $0 from &y tagged NA".to_owned(),
            "1 -> 2 locked do load $1 from &x tagged A ACQ_REL; assume $1 == $0; \
             store &x = 5 tagged A ACQ_REL; assign $2 = 1"
                .to_owned(),
            format!("1 -> 3 locked do load $1 from &x tagged A RLX; {found}assign $2 = 0"),
            "3 -> 2 do store &y = $1 tagged NA".to_owned(),
            "2 -> 4 do assign r = $2".to_owned(),
        ]
    };
    let strong = edges_of(&format!("int r = atomic_compare_exchange_strong{explicit}"));
    assert_eq!(strong, ways("assume !($1 == $0); "));
    let weak = edges_of(&format!("int r = atomic_compare_exchange_weak{explicit}"));
    assert_eq!(weak, ways(""));
    assert_eq!(
        edges_of("int e = 1; if (atomic_compare_exchange_strong(x, &e, 5)) e = 9;")[1..3],
        [
            "1 -> 2 locked do load $0 from &x tagged A SC; assume $0 == e; \
             store &x = 5 tagged A SC; assign $1 = 1",
            "1 -> 2 locked do load $0 from &x tagged A SC; assume !($0 == e); assign $1 = 0; assign e = $0",
        ]
    );
}

#[test]
fn branches_and_loops() {
    assert_eq!(
        edges_of("int r = 0; if (r) *y = 1; else { *y = 2; }"),
        [
            "0 -> 1 do assign r = 0",
            "1 -> 2 when r != 0",
            "2 -> 3 do store &y = 1 tagged NA",
            "1 -> 4 when !(r != 0)",
            "4 -> 5 do store &y = 2 tagged NA",
            "3 -> 5",
        ]
    );
    assert_eq!(
        edges_of("while (*y == 0) {} do ; while (*y < 3);"),
        [
            "0 -> 1",
            "1 -> 2 do load $0 from &y tagged NA",
            "2 -> 3 when $0 == 0",
            "3 -> 1",
            "2 -> 4 when !($0 == 0)",
            "4 -> 5",
            "5 -> 6 do load $0 from &y tagged NA",
            "6 -> 5 when $0 < 3",
            "6 -> 7 when !($0 < 3)",
        ]
    );
}

/// `y` is read only if `r` does not decide.
#[test]
fn the_second_operand_is_lazy_where_it_reads() {
    assert_eq!(
        edges_of("int r; int s = r && *y;"),
        [
            "1 -> 2 do load $0 from &y tagged NA; assign $1 = (if $0 != 0 then 1 else 0)",
            "0 -> 1 when r != 0",
            "0 -> 2 when !(r != 0) do assign $1 = 0",
            "2 -> 3 do assign s = (if $1 != 0 then 1 else 0)",
        ]
    );
    assert_eq!(edges_of("int r; int s; if (r == 1 || !s) *y = 1;")[0], "0 -> 1 when r == 1 || !(s != 0)");
}

#[test]
fn precedence_is_that_of_c() {
    assert_eq!(
        edges_of("int r; int s = r + 2 * r & 3 | r << 1 == -r;"),
        ["0 -> 1 do assign s = r + 2 * r & 3 | (if r << 1 == -r then 1 else 0)"],
    );
    let grouped = edges_of("int r; int s = ((r + (2 * r)) & 3) | ((r << 1) == (-r));");
    assert_eq!(grouped, edges_of("int r; int s = r + 2 * r & 3 | r << 1 == -r;"));
}

#[test]
fn addresses_are_values() {
    assert_eq!(
        edges_of("int *p = (int *) x; *p = 1; int r = **y;"),
        [
            "0 -> 1 do assign p = number(&x)",
            "1 -> 2 do store pointer(p) = 1 tagged NA",
            "2 -> 3 do load $0 from &y tagged NA; load r from pointer($0) tagged NA",
        ]
    );
}

#[test]
fn what_is_wrong_has_a_place() {
    let problem = |statements: &str| problem(&body("atomic_int* x", statements));
    assert_eq!(problem("WRITE_ONCE(*x, 1);"), ("litmus-unsupported", 4, 1));
    assert_eq!(problem("smp_mb();"), ("litmus-unsupported", 4, 1));
    assert_eq!(problem("  for (;;) {}"), ("litmus-unsupported", 4, 3));
    assert_eq!(problem("int a[2];"), ("litmus-unsupported", 4, 5));
    assert_eq!(problem("frob(x);"), ("litmus-unknown-instruction", 4, 1));
    assert_eq!(problem("int r = 1 +;"), ("litmus-syntax", 4, 12));
    assert_eq!(problem("atomic_load_explicit(x, relaxed);"), ("litmus-syntax", 4, 25));
    assert_eq!(problem("int r = (1"), ("litmus-syntax", 5, 1));
    assert_eq!(problem(&format!("int r = {}1;", "(".repeat(300))).0, "litmus-nesting");
    assert_eq!(problem(&"{".repeat(300)).0, "litmus-nesting");
    let header = |text: &str| super::super::tests::problem(text);
    assert_eq!(header("C t\n{}\nP0(int x) { }\nexists (x=1)").0, "litmus-unsupported");
    assert_eq!(header("C t\n{}\nP1(int *x) { }\nexists (x=1)").0, "litmus-unknown-thread");
    assert_eq!(header("C t\n{}\nP0(int *x) { } P0(int *x) { }\nexists (x=1)").0, "litmus-duplicate");
    assert_eq!(header("C t\n{}\nexists (x=1)").0, "litmus-syntax");
    assert_eq!(header("C t\n{ y; }\nP0(int *x) { int r = y; }\nexists (x=1)").0, "litmus-unknown-location");
}

#[test]
fn damaged_texts_never_panic() {
    survives_damage(&body(
        "atomic_int* x, volatile int *y",
        "int r = atomic_load_explicit(x, memory_order_acquire) + *y; /* c */ (void) r;
         if (!atomic_compare_exchange_weak(x, y, r ^ 1) || r >= 2) { *y = -r; } else while (r != 0) r = r - 1;
         atomic_thread_fence(memory_order_seq_cst); // end",
    ));
}
