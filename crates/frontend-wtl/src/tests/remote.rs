//! Remote memory access.

use super::{outcomes, program, verdicts};

/// Baumann et al. (2018), Fig. 2.
pub const FIG2: &str = "process p1 { shared Y = 1; }
process p2 {
  shared R = 0, X = 2;
  local r;
  put(Y, p1, X);
  X = 3;
  R = get(Y, p1);
  r = R;
}
finally p2.r != 3;
";

#[test]
fn figure_2_of_the_paper() {
    let observed = format!("{FIG2} observe p2.r;");
    assert_eq!(outcomes(&program(&observed), "rma"), [[0], [1], [2], [3]]);
    assert_eq!(verdicts(&program(FIG2), &["sc", "rma"]), [true, false]);
    let flushed = observed.replace("put(Y, p1, X);", "put(Y, p1, X); flush(p1);");
    assert_eq!(outcomes(&program(&flushed), "rma"), [[0], [2]]);
    assert_eq!(verdicts(&program(&flushed), &["rma"]), [true]);
}

#[test]
fn copies_have_memory_of_their_own() {
    let text = "process p[2] { shared X = me + 1, A[2] = {5, 6}; local other = 1 - me, r;
                  put(A[other], p[other], X); flush(p[other]); r = A[me]; }
                observe p[0].A[0], p[0].A[1], p[1].A[0], p[1].A[1], p[0].r, p[1].X;";
    let found = outcomes(&program(text), "rma");
    assert_eq!(found, [[2, 6, 5, 1, 2, 2], [2, 6, 5, 1, 5, 2]], "copy 1 may come late for copy 0");
}

#[test]
fn a_value_is_taken_now_and_a_location_later() {
    let text = "process q { shared Y; } process p { shared X = 1; local r = 1; put(Y, q, X); X = 2; }
                observe q.Y;";
    assert_eq!(outcomes(&program(text), "rma"), [[1], [2]]);
    let now = text.replace("put(Y, q, X)", "put(Y, q, r)").replace("X = 2;", "r = 2;");
    assert_eq!(outcomes(&program(&now), "rma"), [[1]]);
}

#[test]
fn remote_updates_happen_in_one_step_and_deliver_later() {
    let text = "process c { shared n = 10; } process p[2] { shared old; local r;
                  old = remote_add(n, c, 1); flush(c); r = old; }
                observe c.n, p[0].r, p[1].r;";
    assert_eq!(outcomes(&program(text), "rma"), [[12, 10, 11], [12, 11, 10]]);
    let lazy = text.replace("flush(c); ", "");
    assert!(outcomes(&program(&lazy), "rma").contains(&vec![12, 0, 0]), "read before delivery");
    let swap = "process c { shared n = 1; } process p { shared a, b; local x = 7;
                  a = remote_cas(n, c, 1, x); flush(c); b = remote_swap(n, c, a + 1); flush(c); remote_cas(n, c, 5, 6); }
                observe c.n, p.a, p.b;";
    assert_eq!(outcomes(&program(swap), "rma"), [[2, 1, 7]]);
}

/// Two puts to different processes, then a flag; whoever waits for the flag gets both.
const BOTH: &str = "process l { shared X; } process r { shared Y; }
process q { shared flag, A, B; await flag == 1; A = get(X, l); B = get(Y, r); flush(*); assert A + B == 2; }
process p { put(X, l, 1); put(Y, r, 1); flush(*); put(flag, q, 1); }
";

#[test]
fn a_flush_of_all_waits_for_every_target() {
    assert_eq!(verdicts(&program(BOTH), &["sc", "rma", "rma-in-order"]), [true; 3]);
    for one in ["l", "r", "q"] {
        let part = BOTH.replace("flush(*); put", &format!("flush({one}); put"));
        assert_eq!(verdicts(&program(&part), &["sc", "rma", "rma-in-order"]), [true, false, false], "{one}");
        let part = BOTH.replace("flush(*); assert", &format!("flush({one}); assert"));
        assert_eq!(verdicts(&program(&part), &["sc", "rma", "rma-in-order"]), [true, false, false], "{one}");
    }
    let two = BOTH.replace("flush(*)", "flush(r); flush(l)");
    assert_eq!(verdicts(&program(&two), &["rma", "rma-in-order"]), [true; 2]);
}

#[test]
fn a_flush_of_all_waits_for_every_copy() {
    let text =
        "process c[3] { shared X; local r; if (me == 0) { put(X, c[1], 1); put(X, c[2], 1); flush(*); }
                  r = X; } finally c[1].X == 1;
                observe c[1].X, c[2].X;";
    assert_eq!(outcomes(&program(text), "rma"), [[1, 1]]);
    let always = text.replace("finally c[1].X == 1", "always !c[0]@end || c[1].X + c[2].X == 2");
    assert_eq!(verdicts(&program(&always), &["rma", "rma-in-order"]), [true; 2]);
    let one = always.replace("flush(*)", "flush(c[1])");
    assert_eq!(verdicts(&program(&one), &["rma", "rma-in-order"]), [false; 2]);
}

#[test]
fn messages_in_the_order_of_issue() {
    let text = "process q { shared data, flag; local r; await flag == 1; r = data; }
                process p { put(data, q, 1); put(flag, q, 1); } observe q.r;";
    assert_eq!(outcomes(&program(text), "rma-in-order"), [[1]]);
    assert_eq!(outcomes(&program(text), "rma"), [[0], [1]]);
    // Fig. 2: the put may still read X late, and then everything else is in order.
    let observed = format!("{FIG2} observe p2.r;");
    assert_eq!(outcomes(&program(&observed), "rma-in-order"), [[0], [2], [3]]);
}
