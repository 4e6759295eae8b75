//! Remote memory access.

use super::{outcomes, program, verdicts};

/// Seed 003, Fig. 2.
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
