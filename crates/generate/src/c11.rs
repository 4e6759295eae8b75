//! Random litmus tests in C: a few atomic accesses of every kind and order on two or three locations. Critical cycles
//! ([`cycle`](crate::cycle)) say which accesses matter to a model; these say something about the others, and about read-modify-writes.

use std::fmt::Write as _;

use crate::Rng;

/// The text of one test. Every access is atomic, so that there is no data race; everything that is read is observed.
pub fn c11(seed: u64) -> String {
    let rng = &mut Rng::new(seed);
    let threads = rng.between(2, 3);
    let locations: &[&str] = if rng.chance(700) { &["x", "y"] } else { &["x", "y", "z"] };
    let parameters: Vec<String> = locations.iter().map(|name| format!("atomic_int* {name}")).collect();
    let parameters = parameters.join(", ");
    let initial: String = locations.iter().map(|name| format!("[{name}] = 0; ")).collect();
    let mut text = format!("C random-{seed}\n{{ {initial}}}\n");
    let mut observed: Vec<String> = locations.iter().map(|name| format!("[{name}]=9")).collect();
    for thread in 0..threads {
        let _ = write!(text, "\nP{thread} ({parameters}) {{\n");
        let steps = if threads == 2 { rng.between(2, 3) } else { rng.between(1, 2) };
        for step in 0..steps {
            let line = statement(rng, step, locations);
            if line.contains(&format!("r{step} =")) {
                observed.push(format!("{thread}:r{step}=9"));
            }
            text += &line;
        }
        text += "}\n";
    }
    let _ = write!(text, "\nexists ({})\n", observed.join(" \\/ "));
    text
}

fn statement(rng: &mut Rng, step: u32, locations: &[&str]) -> String {
    let order = |rng: &mut Rng, orders: &[&str]| format!("memory_order_{}", rng.pick(orders));
    let at = *rng.pick(locations);
    let value = rng.between(1, 2);
    let all = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
    match rng.weighted(&[5, 5, 2, 1, 1]) {
        0 => {
            let order = order(rng, &["relaxed", "acquire", "seq_cst"]);
            format!("  int r{step} = atomic_load_explicit({at}, {order});\n")
        }
        1 => {
            let order = order(rng, &["relaxed", "release", "seq_cst"]);
            format!("  atomic_store_explicit({at}, {value}, {order});\n")
        }
        2 => format!("  atomic_thread_fence({});\n", order(rng, &all[1..])),
        3 => {
            let order = order(rng, &all);
            format!("  int r{step} = atomic_exchange_explicit({at}, {value}, {order});\n")
        }
        _ => {
            let success = *rng.pick(&all);
            let failures: &[&str] = match success {
                "seq_cst" => &["relaxed", "acquire", "seq_cst"],
                "acquire" | "acq_rel" => &["relaxed", "acquire"],
                _ => &["relaxed"],
            };
            let failure = order(rng, failures);
            format!(
                "  int e{step} = 0;\n  int r{step} = atomic_compare_exchange_strong_explicit({at}, &e{step}, {value}, \
                 memory_order_{success}, {failure});\n"
            )
        }
    }
}
