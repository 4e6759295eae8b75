//! On every litmus test, a machine and its axioms give the same final states, and a weaker model gives all
//! those of a stronger one.

use wattle_bench::twins::{Compared, compare_one};

use crate::Checked;

pub fn agree(name: &str, text: &str) -> Checked {
    let mut compared = Compared::default();
    compare_one(name, text, &mut compared);
    if compared.wrong.is_empty() { Ok(()) } else { Err(compared.wrong.join("\n").into()) }
}
