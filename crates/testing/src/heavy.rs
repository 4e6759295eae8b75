//! Programs that are too much: each makes some loop of some engine run long, so that limits can be tried.
//!
//! Most of them stand for an input with which a limit was once not kept.

use std::fmt::Write;

/// A name and a text in `.wtl`.
pub type Heavy = (&'static str, String);

/// `scale` is the size of each; with 1 every one of them takes an engine a second or more, unless it refuses.
pub fn programs(scale: f64) -> Vec<Heavy> {
    let sized = |size: u32| (f64::from(size) * scale) as u32;
    vec![
        ("two wide choices", two_choices(sized(60_000))),
        ("many narrow choices", narrow_choices(sized(26))),
        ("many initial states", initial_states(sized(99))),
        ("stores in a row", stores(sized(3_000))),
        ("loads and branches in a row", branches(sized(3_000))),
        ("loads and stores in a row", copies(sized(1_500))),
        ("a loop around branches", loops(sized(12))),
        ("many threads", threads(sized(9))),
        ("a deque", DEQUE.into()),
        ("growing numbers", GROWING.into()),
    ]
}

fn two_choices(size: u32) -> String {
    format!(
        "shared x = 0;\nthread p {{ local r = nondet(0, {size}), s = nondet(0, {size}); assert r + s != 200000; }}\n"
    )
}

fn narrow_choices(count: u32) -> String {
    let body = "c = nondet(0, 1); n = n + n + c; ".repeat(count as usize);
    format!("shared x = 0;\nthread p {{ local n = 0, c = 0; {body} assert n != 100000000; x = n; }}\n")
}

fn initial_states(size: u32) -> String {
    format!(
        "shared x = 0;\nthread p {{ local r: 0..{size} = *, s: 0..{size} = *, t: 0..{size} = *; \
         assert r + s + t != 4000; x = r; x = s; x = t; }}\n"
    )
}

fn stores(count: u32) -> String {
    let mut text = "shared x = 0, y = 0;\nthread p {\n".to_owned();
    for number in 0..count / 2 {
        let _ = writeln!(text, "x = {}; y = {};", number % 7, number % 5);
    }
    text + "}\nthread q { local r = 0; r = x; assert r < 8; }\n"
}

fn branches(count: u32) -> String {
    let mut text = "shared x = 0, y = 0;\nthread p { local r = 0;\n".to_owned();
    for number in 0..count {
        let _ = writeln!(text, "r = x; if (r == {}) {{ y = r; }}", number % 7);
    }
    text + "}\nthread q { local r = 0; r = y; x = r; assert r < 8; }\n"
}

fn copies(count: u32) -> String {
    let mut text = "shared x = 0, y = 0;\nthread p { local r = 0;\n".to_owned();
    for number in 0..count {
        let _ = writeln!(text, "x = {}; r = y; y = r;", number % 7);
    }
    text += "}\nthread q { local r = 0;\n";
    for _ in 0..count / 2 {
        text += "r = x; y = r;\n";
    }
    text + "assert r < 8; }\n"
}

fn loops(count: u32) -> String {
    let body = "r = x; if (r > 1) { y = r - 1; } else { x = r + 1; z = y; } ".repeat(count as usize);
    format!(
        "shared x: 0..7 = 0, y: 0..7 = 0, z: 0..7 = 0;\n\
         thread p[2] {{ local r = 0; while (true) {{ {body} r = z; assert r < 9; }} }}\n"
    )
}

fn threads(count: u32) -> String {
    format!(
        "shared x[{count}], y = 0;\n\
         thread p[{count}] {{ local r = 0, s = 0; x[me] = 1; r = x[({count} - 1) - me]; y = r; s = y; assert s < 2; }}\n"
    )
}

/// A work-stealing deque whose thief and owner race for the last task.
const DEQUE: &str = "
shared top = 0, bottom = 0, task[4], taken[4];
thread owner {
  local t = 0, b = 0, won = false, i = 0;
  while (i < 3) { task[i] = 1; b = i + 1; bottom = b; i = i + 1; }
  while (i > 0) {
    b = bottom - 1; bottom = b; t = top;
    if (t <= b) {
      won = true;
      if (t == b) { won = cas(top, t, t + 1); bottom = b + 1; }
      if (won) { taken[b] = taken[b] + 1; }
    } else { bottom = b + 1; }
    i = i - 1;
  }
}
thread thief[2] {
  local t = 0, b = 0, won = false, i = 0;
  while (i < 2) {
    t = top; b = bottom;
    if (t < b) { won = cas(top, t, t + 1); if (won) { taken[t] = taken[t] + 1; } }
    i = i + 1;
  }
}
finally taken[0] < 2 && taken[1] < 2 && taken[2] < 2;
";

const GROWING: &str = "
shared x = 1, y = 1, z = 1;
thread p { local r = 0; while (true) { r = x; y = r + y % 3; } }
thread q { local r = 0; while (true) { r = y; x = r + z; } }
thread s { local r = 0, t = 0; while (true) { r = x; t = y; assert r + t >= 0; z = z + r; } }
";
