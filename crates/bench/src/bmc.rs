//! `bmc`: bounded model checking on the programs of Alglave, Kroening and Tautschnig 2013.
//!
//! * Fibonacci (Prog. 1): N = 5 to 12 with the exact bound (safe) and one less (unsafe); larger N with
//!   the fixed bound 144, under sc, tso and power. `clocks` is the paper's encoding, `order` ours.
//! * The worker synchronisation of PostgreSQL, n workers in a ring.
//! * All diy tests of x86 and Power, mean time a test.
//!
//! Each row is one `check` in a process of its own, so that memory is that row's: CPU seconds and peak
//! resident size come from the system.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

/// Prog. 1 with a bound.
fn fibonacci(rounds: u32, bound: u64) -> String {
    let mut text = String::from("shared x: i32 = 1, y: i32 = 1;\n");
    for (thread, to, with) in [("thr1", "x", "y"), ("thr2", "y", "x")] {
        let _ = writeln!(
            text,
            "thread {thread} {{ local k = 0; while (k < {rounds}) {{ {to} = {to} + {with}; k = k + 1; }} }}"
        );
    }
    let _ = writeln!(text, "thread main {{ assert x <= {bound} && y <= {bound}; }}");
    text
}

/// The largest number that `rounds` additions a thread can reach.
fn largest(rounds: u32) -> u64 {
    (0..2 * rounds).fold((1u64, 1u64), |(a, b), _| (b, a + b)).1
}

/// `n` workers, each waking the next.
fn workers(n: u32) -> String {
    let first = |value: &str| {
        let rest = (1..n).map(|_| ", 0").collect::<String>();
        format!("{{{value}{rest}}}")
    };
    format!(
        "shared latch[{n}]: 0..1 = {0}, flag[{n}]: 0..1 = {0};
thread worker[{n}] {{
  local next: 0..{1} = (me + 1) % {n};
  await latch[me] == 1;
  while (true) {{
    assert latch[me] == 0 || flag[me] == 1;
    latch[me] = 0;
    if (flag[me] == 1) {{ flag[me] = 0; flag[next] = 1; latch[next] = 1; }}
    await latch[me] == 1;
  }}
}}
",
        first("1"),
        n - 1
    )
}
