//! Random litmus tests in C: a few atomic accesses of every kind and order on two or three locations. Critical cycles
//! ([`cycle`](crate::cycle)) say which accesses matter to a model; these say something about the others, and about read-modify-writes.

use std::fmt::Write as _;

use crate::Rng;

/// A random test, which can be written in two languages. Every access is atomic, so that there is no data race; everything that
/// is read is observed.
#[derive(Clone, Debug)]
pub struct C11 {
    seed: u64,
    locations: &'static [&'static str],
    threads: Vec<Thread>,
}

/// The body of a thread's function, whose parameters are pointers to all locations, and what it reads.
#[derive(Clone, Debug, Default)]
struct Thread {
    body: String,
    reads: Vec<String>,
}

/// The text of one test.
pub fn c11(seed: u64) -> String {
    C11::new(seed).litmus()
}

impl C11 {
    pub fn new(seed: u64) -> C11 {
        let rng = &mut Rng::new(seed);
        let threads = rng.between(2, 3);
        let locations: &[&str] = if rng.chance(700) { &["x", "y"] } else { &["x", "y", "z"] };
        let thread = |rng: &mut Rng| {
            let mut thread = Thread::default();
            let steps = if threads == 2 { rng.between(2, 3) } else { rng.between(1, 2) };
            for step in 0..steps {
                let line = statement(rng, step, locations);
                if line.contains(&format!("r{step} =")) {
                    thread.reads.push(format!("r{step}"));
                }
                thread.body += &line;
            }
            thread
        };
        C11 { seed, locations, threads: (0..threads).map(|_| thread(rng)).collect() }
    }

    /// What a final state consists of: locations, then what each thread read, as the litmus test names them.
    pub fn observed(&self) -> Vec<String> {
        let locations = self.locations.iter().map(|name| format!("[{name}]"));
        let read = |(thread, one): (usize, &Thread)| {
            one.reads.iter().map(move |name| format!("{thread}:{name}")).collect::<Vec<_>>()
        };
        locations.chain(self.threads.iter().enumerate().flat_map(read)).collect()
    }

    fn parameters(&self) -> String {
        let parameters: Vec<String> =
            self.locations.iter().map(|name| format!("atomic_int* {name}")).collect();
        parameters.join(", ")
    }

    /// As a litmus test whose condition mentions everything.
    pub fn litmus(&self) -> String {
        let observed: Vec<String> = self.observed().iter().map(|name| format!("{name}=9")).collect();
        self.test(&format!("exists ({})", observed.join(" \\/ ")))
    }

    /// As a litmus test that must not end in this state.
    pub fn litmus_without(&self, state: &[(String, String)]) -> String {
        let equal: Vec<String> = state.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.test(&format!("~exists ({})", equal.join(" /\\ ")))
    }

    fn test(&self, condition: &str) -> String {
        let initial: String = self.locations.iter().map(|name| format!("[{name}] = 0; ")).collect();
        let mut text = format!("C random-{}\n{{ {initial}}}\n", self.seed);
        for (number, thread) in self.threads.iter().enumerate() {
            let _ = write!(text, "\nP{number} ({}) {{\n{}}}\n", self.parameters(), thread.body);
        }
        let _ = write!(text, "\n{condition}\n");
        text
    }

    /// As a program with threads, which asserts that it does not end in this state.
    pub fn program(&self, state: &[(String, String)]) -> String {
        let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\n");
        let locations: Vec<String> = self.locations.iter().map(|name| format!("at_{name}")).collect();
        let _ = writeln!(text, "atomic_int {};", locations.join(", "));
        let addresses: Vec<String> = locations.iter().map(|name| format!("&{name}")).collect();
        for (number, thread) in self.threads.iter().enumerate() {
            let seen: Vec<String> = thread.reads.iter().map(|name| format!("seen_{number}_{name}")).collect();
            seen.iter().for_each(|name| text += &format!("int {name};\n"));
            let kept: String =
                thread.reads.iter().zip(&seen).map(|(read, seen)| format!("  {seen} = {read};\n")).collect();
            let _ = write!(text, "\nvoid P{number}({}) {{\n{}{kept}}}\n", self.parameters(), thread.body);
            let call = format!("P{number}({})", addresses.join(", "));
            let _ = write!(text, "void *run{number}(void *unused) {{\n  {call};\n  return 0;\n}}\n");
        }
        let each = |line: &dyn Fn(usize) -> String| (0..self.threads.len()).map(line).collect::<String>();
        let created = each(&|number| format!("  pthread_create(&t[{number}], 0, run{number}, 0);\n"));
        let joined = each(&|number| format!("  pthread_join(t[{number}], 0);\n"));
        let equal: Vec<String> =
            state.iter().map(|(name, value)| format!("{} == {value}", spelled(name))).collect();
        let _ = write!(
            text,
            "\nint main(void) {{\n  pthread_t t[{}];\n{created}{joined}  assert(!({}));\n  return 0;\n}}\n",
            self.threads.len(),
            equal.join(" && ")
        );
        text
    }
}

/// A name of the litmus test in the program: `[x]` is what `at_x` holds, `1:r0` is `seen_1_r0`.
fn spelled(name: &str) -> String {
    match name.split_once(':') {
        Some((thread, register)) => format!("seen_{thread}_{register}"),
        None => format!("at_{}", name.trim_matches(['[', ']'])),
    }
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
