//! Small inputs of our own, each with the reason for its answer. They always run.

use super::Verdict::{self, Bounded, Safe, Unsafe};
use super::{parsed, verdict};

/// Verdicts under SC, TSO and PSO.
fn check(text: &str, expected: [Verdict; 3]) {
    let program = parsed(text);
    let found = ["sc", "tso", "pso"].map(|model| verdict(&program, model, 3));
    assert_eq!(found, expected, "{text}");
}

#[test]
fn store_buffering() {
    // Both reads may overtake the buffered writes. With the writes locked, the later of the two
    // writes is in memory before its process reads, so one read sees 1.
    let text = |write: &str| {
        format!(
            "forbidden E E data x = 0 : [0:1] y = 0 : [0:1] \
             process text {write}: x := 1; read: y = 0; E: nop \
             process text {write}: y := 1; read: x = 0; E: nop"
        )
    };
    check(&text("write"), [Safe, Unsafe, Unsafe]);
    check(&text("locked write"), [Safe, Safe, Safe]);
    check(&text("write").replace("; read", "; fence; read"), [Safe, Safe, Safe]);
    // One fence is not enough.
    check(&text("write").replacen("; read", "; fence; read", 1), [Safe, Unsafe, Unsafe]);
}

#[test]
fn message_passing() {
    // Stores of one process leave its buffer in order under TSO; PSO may swap them.
    let text = "forbidden * E data x = 0 : [0:1] y = 0 : [0:1] \
                process text WRITE: x := 1; write: y := 1 \
                process text read: y = 1; read: x = 0; E: nop";
    check(&text.replace("WRITE", "write"), [Safe, Safe, Unsafe]);
    check(&text.replace("WRITE", "locked write"), [Safe, Safe, Safe]);
}

#[test]
fn locked_blocks_drain_if_they_write() {
    // As store buffering, with the read in a locked block: without a write in it nothing drains.
    let text = |block: &str| {
        format!(
            "forbidden E E data x = 0 : [0:1] y = 0 : [0:1] z = 0 : [0:1] \
             process text write: x := 1; locked {{ read: y = 0{block} }}; E: nop \
             process text write: y := 1; locked {{ read: x = 0{block} }}; E: nop"
        )
    };
    check(&text(""), [Safe, Unsafe, Unsafe]);
    check(&text("; write: z := 1"), [Safe, Safe, Safe]);
    // The write in one alternative makes the whole block drain.
    check(&text(" or assume: false; write: z := 1"), [Safe, Safe, Safe]);
}

#[test]
fn a_locked_block_is_one_step() {
    // Each process keeps the value that it increments. If it is one step, the two see 0 and 1; if
    // not, both may see 0. The loop runs once; with it the block is written with inner points.
    let text = |open: &str| {
        format!(
            "forbidden E E data x = 0 : [0:2] \
             process(2) registers $r = 0 : [0:2] $n = 0 : [0:1] text {open} \
             while $n = 0 do {{ read: $r := x; $n := 1 }}; write: x := $r + 1 }}; assume: $r = 0; E: nop"
        )
    };
    check(&text("{"), [Unsafe, Unsafe, Unsafe]);
    check(&text("locked {"), [Safe, Safe, Safe]);
    let straight = text("locked {").replace("while $n = 0 do", "");
    check(&straight, [Safe, Safe, Safe]);
}

#[test]
fn compare_and_swap_is_a_lock() {
    let text = "forbidden CS CS data lock = 0 : [0:1] \
                process(2) text A: cas(lock, 0, 1); CS: nop; write: lock := 0; goto A";
    // Releasing late only keeps the lock longer, and cas waits for the buffer.
    check(text, [Safe, Safe, Safe]);
    let naive = text.replace("cas(lock, 0, 1)", "read: lock = 0; write: lock := 1");
    check(&naive, [Unsafe, Unsafe, Unsafe]);
}

#[test]
fn values_outside_their_domain_block() {
    for (body, reached) in [
        ("write: x := 2", false),
        ("write: x := 1", true),
        ("$r := 2 - 4", false),
        ("$r := 1; $r := $r + $r - 1", true),
        ("write: big := 7; read: $r := big", false),
        ("write: big := 7; read: big = 7", true),
        ("cas(x, 0, 3)", false),
        ("cas(x, 1, 0)", false),
        ("cas(x, 0, 1)", true),
        ("assume: $r > 0", false),
        ("write: [$r + 3] := 1", false),
        ("write: [$r - 1] := 1", false),
        ("write: [$r + 1] := 5; read: big = 5", true),
        ("write: [0] := 5; read: big = 5", false),
    ] {
        let text = format!(
            "forbidden E data x = 0 : [0:1] big = 0 process registers $r = 0 : [0:1] text {body}; E: nop"
        );
        let expected = if reached { Unsafe } else { Safe };
        check(&text, [expected; 3]);
    }
}

#[test]
fn any_initial_value() {
    check("forbidden E data x = * : [0:5] process text read: x = 4; E: nop", [Unsafe; 3]);
    check("forbidden E data x = * : [0:5] process text read: x = 6; E: nop", [Safe; 3]);
    check("forbidden E process registers $r = * : [2:3] text assume: $r > 2; E: nop", [Unsafe; 3]);
}

#[test]
fn everybody_reads_everybody() {
    // Each of three copies raises its flag and enters if no other flag is up.
    let text = |write: &str| {
        format!(
            "forbidden CS CS * ; CS * CS ; * CS CS \
             process(3) data f = 0 : [0:1] text {write}: f[my] := 1; read: f[0] = 0; read: f[1] = 0; CS: nop"
        )
    };
    check(&text("write"), [Safe, Unsafe, Unsafe]);
    check(&text("locked write"), [Safe, Safe, Safe]);
    // A flag that is its own would keep everybody out; one that nobody writes keeps nobody out.
    check(&text("locked write").replace("f[1]", "f[my]"), [Safe; 3]);
    check(&text("locked write").replace("read: f[1] = 0", "nop"), [Unsafe; 3]);
}

#[test]
fn labels_mean_points_before_their_statement() {
    // At E the write has not happened; F is reached with it in the buffer.
    let text = "forbidden F * data x = 0 : [0:1] process text E: write: x := 1; F: nop process text nop";
    check(text, [Unsafe; 3]);
    check("forbidden E process text nop; goto F; E: nop; F: nop", [Safe; 3]);
}

#[test]
fn a_store_in_a_loop_never_closes() {
    let text = "forbidden E data x = 0 : [0:1] process text L: write: x := 1; goto L; E: nop";
    check(text, [Safe, Bounded(3), Bounded(3)]);
}
