//! Programs under the reference machines: verdicts and outcome sets.

use super::{outcomes, program, verdicts};

const MODELS: [&str; 3] = ["sc", "tso", "pso"];

#[test]
fn store_buffering() {
    let text = "shared x, y; thread p { local r; x = 1; r = y; } thread q { local r; y = 1; r = x; }
                observe p.r, q.r;";
    let sb = program(text);
    assert_eq!(outcomes(&sb, "sc"), [[0, 1], [1, 0], [1, 1]]);
    assert_eq!(outcomes(&sb, "tso"), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    let fenced = program(&text.replace("= 1;", "= 1; fence;"));
    assert_eq!(outcomes(&fenced, "pso"), [[0, 1], [1, 0], [1, 1]]);
    let weak = program(&text.replace("= 1;", "= 1; fence ww rr rw;"));
    assert_eq!(outcomes(&weak, "tso").len(), 4, "only wr keeps a load behind a store");
    let one = program(&text.replacen("= 1;", "= 1; fence(x);", 1));
    assert_eq!(outcomes(&one, "pso").len(), 4, "one fence is not enough");
}

#[test]
fn message_passing() {
    let text = "shared d, f; thread p { d = 1; f = 1; }
                thread q { local a, b; a = f; b = d; } observe q.a, q.b;";
    let expected = vec![vec![0, 0], vec![0, 1], vec![1, 1]];
    assert_eq!(outcomes(&program(text), "sc"), expected);
    assert_eq!(outcomes(&program(text), "tso"), expected);
    assert!(outcomes(&program(text), "pso").contains(&vec![1, 0]));
    let fenced = text.replace("d = 1;", "d = 1; fence ww;");
    assert_eq!(outcomes(&program(&fenced), "pso"), expected);
    let released = text.replace("f = 1;", "release f = 1;").replace("a = f;", "acquire a = f;");
    assert_eq!(outcomes(&program(&released), "pso"), expected);
}

#[test]
fn load_buffering_needs_weaker_models_than_these() {
    let text = "shared x, y; thread p { local r = x; y = 1; } thread q { local r = y; x = 1; }
                forbid p@end && q@end && p.r == 1 && q.r == 1;";
    assert_eq!(verdicts(&program(text), &MODELS), [true, true, true]);
}

pub const PETERSON: &str = "shared flag[2] = {0, 0}, turn = 0;
thread p[2] {
  local other = 1 - me;
  while (true) {
    flag[me] = 1;
    turn = other;
    await flag[other] == 0 || turn == me;
    cs: skip;
    flag[me] = 0;
  }
}
forbid p[0]@cs && p[1]@cs;
";

pub const DEKKER: &str = "shared flag[2], turn;
thread p[2] {
  local other = 1 - me;
  while (true) {
    flag[me] = 1;
    while (flag[other] == 1)
      if (turn != me) {
        flag[me] = 0;
        await turn == me;
        flag[me] = 1;
      }
    cs: skip;
    turn = other;
    flag[me] = 0;
  }
}
forbid exists i, j in p: p[i]@cs && p[j]@cs;
";

#[test]
fn peterson() {
    assert_eq!(verdicts(&program(PETERSON), &MODELS), [true, false, false]);
    let tso = PETERSON.replace("turn = other;", "turn = other; fence;");
    assert_eq!(verdicts(&program(&tso), &MODELS), [true, true, false]);
    let pso = tso.replace("flag[me] = 1;", "flag[me] = 1; fence;");
    assert_eq!(verdicts(&program(&pso), &MODELS), [true, true, true]);
}

#[test]
fn dekker() {
    assert_eq!(verdicts(&program(DEKKER), &MODELS), [true, false, false]);
    let fenced = DEKKER.replace("flag[me] = 1;", "flag[me] = 1; fence;");
    assert_eq!(verdicts(&program(&fenced), &MODELS), [true, true, true]);
}

#[test]
fn a_lock_by_cas() {
    let text = "shared lock, n; thread p[2] {
                  while (!cas(lock, 0, 1)) { }
                  cs: n = n + 1; fence; lock = 0; }
                forbid p[0]@cs && p[1]@cs; finally n == 2;";
    assert_eq!(verdicts(&program(text), &MODELS), [true, true, true]);
    let other = text.replace("while (!cas(lock, 0, 1)) { }", "await exchange(lock, 1) == 0;");
    assert_eq!(verdicts(&program(&other), &MODELS), [true, true, true]);
    let naive = text.replace("!cas(lock, 0, 1)", "lock == 1");
    assert_eq!(verdicts(&program(&naive), &["sc"]), [false]);
}

#[test]
fn read_modify_writes_return_what_they_should() {
    let text = "shared x = 5; thread p { local a, b, c = false, d = true;
                  a = fetch_add(x, 2); b = exchange(x, 1); c = cas(x, 1, 9); d = cas(x, 1, 3);
                  fetch_add(x, a); cas(x, 14, 15); }
                observe p.a, p.b, p.c, p.d, x;";
    assert_eq!(outcomes(&program(text), "tso"), [[5, 7, 1, 0, 15]]);
}

#[test]
fn atomic_sections_are_one_step() {
    let text = "shared x, y; thread p[2] { atomic { local t = x; if (t == 0) y = y + 1; x = t + 1; } }
                finally x == 2 && y == 1; forbid x == 1 && y == 0;";
    assert_eq!(verdicts(&program(text), &MODELS), [true, true, true]);
    let looping =
        "shared x; thread p[2] { local i; atomic { i = 0; while (i < 3) { x = x + 1; i = i + 1; } } }
                   finally x == 6;";
    assert_eq!(verdicts(&program(looping), &MODELS), [true, true, true]);
    let split = looping.replace("atomic {", "{");
    assert_eq!(verdicts(&program(&split), &["sc"]), [false]);
}

/// Dan et al. (2013), Fig. 3: safe under SC, but the buffered sections' stores may wait for each other's loads.
#[test]
fn buffered_sections_leave_their_stores_pending() {
    let text = "shared X, Y;
        thread p { atomic(buffered) { X = Y + 1; } fence(X); }
        thread q { atomic(buffered) { Y = X + 1; } fence(Y); }
        finally X != Y;";
    assert_eq!(verdicts(&program(text), &["sc", "pso"]), [true, false]);
    let asserted = text.replace("fence(Y); }", "fence(Y); assert X != Y; }").replace("finally X != Y;", "");
    assert_eq!(verdicts(&program(&asserted), &["sc", "pso"]), [true, false]);
    let inside = "shared X, Y;
        thread p { atomic(buffered) { X = Y + 1; fence(X); } }
        thread q { atomic(buffered) { Y = X + 1; fence(Y); } }
        finally X != Y;";
    assert_eq!(verdicts(&program(inside), &["sc", "pso"]), [true, true], "a fence inside drains inside");
    let ended = program(inside);
    assert_eq!(super::explore(&ended, "pso").outcomes.len(), 1, "the sections do end");
}

#[test]
fn choices() {
    let text = "enum Colour { red, green, blue }
        shared c: Colour = blue, x: 1..3 = *;
        thread p { local a = nondet(4, 5), b: bool, d: Colour;
          b = *; if (*) a = 9; d = *; c = *;
          either { skip; } or { a = 10; } or { await false; } }
        observe p.a, p.b, p.d, c, x;";
    let found = outcomes(&program(text), "sc");
    assert_eq!(found.len(), 4 * 2 * 3 * 3 * 3);
}

#[test]
fn expressions_compute_as_in_c() {
    let text = "const N = 3; shared x: u8 = 255;
        thread p[2] { local a = 7 / 2 + -7 % 4, b = 1 << 3 | 2 ^ 3 & 1, c = me == 1 ? N : -N, d: u8, e, f: i8 = -128;
          d = x + 1; e = (!x) ? 1 : 0; f = f - 1; assert 1 + 2 * 3 == 7 && 5; assert copies(p) == 2; }
        observe p[0].a, p[0].b, p[0].c, p[1].c, p[0].d, p[0].e, p[0].f;";
    assert_eq!(outcomes(&program(text), "sc"), [[0, 11, -3, 3, 0, 0, 127]]);
}

#[test]
fn all_reads_happen_whatever_the_operators_say() {
    // No short circuit: the second load is made, and faults, although the first decides.
    let text = "shared x = 1, a[2], i = 7; thread p { if (x == 1 || a[i] == 0) skip; }";
    assert_eq!(verdicts(&program(text), &["sc"]), [false]);
}

#[test]
fn init_constrains_memory_and_ranges_block() {
    let text = "shared a: 0..3 = *, b: 0..3 = *; init a + b == 3; init a > b;
        thread p { local r: 0..2; r = a; } observe a, b, p.r;";
    assert_eq!(outcomes(&program(text), "sc"), [[2, 1, 2]], "r = 3 is not enabled, so that run has no end");
}

#[test]
fn jumps_go_where_they_should() {
    let text = "shared x; thread p { local i, s;
        again: i = i + 1; if (i < 3) goto again;
        while (true) { s = s + 1; if (s == 2) continue; if (s > 3) break; x = x + s; }
        goto out; x = 100; out: skip; }
        observe p.i, p.s, x;";
    assert_eq!(outcomes(&program(text), "sc"), [[3, 4, 4]]);
}
