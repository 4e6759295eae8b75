//! `explain`: a memory model or a diagnostic code in a few sentences.

use wattle_memory::{CATALOGUE, cat, text};

use crate::similar::did_you_mean;

/// Model or code of ours, and what there is to say about it; front ends explain their own codes.
const TEXTS: [(&str, &str); 25] = [
    (
        "sc",
        "Under sequential consistency the threads take turns, and every load sees the last store.\n\
         It is what most people have in mind when they read a program, and what no machine gives\n\
         without fences. Remote copies (put, get) are two steps, a read and then a write, done before\n\
         the thread goes on; --sc-copy atomic makes them one.",
    ),
    (
        "tso",
        "Every thread has one queue of stores (x86, SPARC TSO). A store enters the queue and reaches\n\
         memory later, in order; a load takes the newest store to its location from its own queue, or\n\
         else memory. So a load can overtake earlier stores to other locations:\n\
         \n\
             x = 1;       y = 1;\n\
             r = y;       s = x;       may end with r == 0 and s == 0.\n\
         \n\
         `fence` waits until the queue is empty. Atomic statements (cas, exchange, atomic { }) wait\n\
         for the same and act on memory directly.",
    ),
    (
        "pso",
        "Like tso, but with one queue a thread and location (SPARC PSO), so stores to different\n\
         locations overtake each other as well:\n\
         \n\
             data = 1;    await flag == 1;\n\
             flag = 1;    r = data;          may end with r == 0.\n\
         \n\
         `fence ww` keeps stores before it in front of stores after it; `fence` empties all queues.",
    ),
    (
        "rmo",
        "Relaxed memory order (SPARC V9, as Alglave et al. 2013 read it). Loads are out of order too, unless\n\
         one depends on the other: MP, SB and LB are allowed without fences or dependencies, and IRIW,\n\
         because nothing orders its loads. Writes are atomic: once one thread has seen another's store,\n\
         all have.",
    ),
    (
        "alpha",
        "The Alpha keeps only accesses of one location in order. Not even a load whose address depends on\n\
         another load comes after it, so MP with a fenced writer and a dependent reader is allowed. Writes\n\
         are atomic, and no value comes out of thin air.",
    ),
    (
        "aarch64",
        "64-bit ARM. Writes are atomic towards other threads. Within a thread, dependencies, barriers (dmb,\n\
         dsb, isb), load-acquire and store-release order; anything else may change places: SB, MP, LB and\n\
         2+2W are allowed without them.",
    ),
    (
        "riscv",
        "RISC-V weak memory order. Writes are atomic towards other threads; thirteen rules say which program\n\
         order is preserved: fences by their letters, dependencies, acquire and release marks, accesses of\n\
         one location. SB, MP, LB and 2+2W are allowed without these.",
    ),
    (
        "arm",
        "ARM before version 8. Writes reach other threads one by one, so IRIW with dependent loads is\n\
         allowed; dmb and dsb forbid it. Dependencies order what depends on a load.",
    ),
    (
        "power",
        "IBM Power. Writes reach other threads one by one: IRIW is allowed unless sync stands between the\n\
         loads, and WRC unless the middle thread has a fence. Loads and stores are out of order but for\n\
         dependencies and fences; lwsync orders all but a store before a load, eieio stores.",
    ),
    (
        "power-2012",
        "IBM Power as Alglave et al. 2013 check it: coherence at each location, no values out of thin air,\n\
         and one global order of what is not relaxed. Mostly weaker than power, because lwsync is less\n\
         cumulative; stronger in a few places.",
    ),
    (
        "rc11",
        "C and C++ atomics after Lahav et al. 2017. A release store synchronises with an acquire load that\n\
         takes its value; seq_cst accesses and fences agree on one order; relaxed accesses of one location\n\
         are coherent. LB is forbidden. A data race of non-atomic accesses makes the program undefined.",
    ),
    (
        "rma",
        "Remote memory access, as in networks with one-sided communication. Local accesses act on\n\
         memory at once. A put or get is two halves, a read and then a write, each of which happens at\n\
         any time after the statement, in any order with everything else, until `flush(p)` waits for\n\
         all operations of its thread whose remote side is p.",
    ),
    ("input-unreadable", "The file could not be read: it does not exist, is a folder or is not permitted."),
    ("input-not-text", "The file is not UTF-8 text; the message names the first byte that is not."),
    ("input-empty", "The file holds nothing but blanks, or the folder holds no file of a known language."),
    ("input-too-large", "Files of 4 GB or more are refused, because positions in a text have 32 bits."),
    ("input-language", "The language follows from the extension; --lang names it where there is none."),
    (
        "vacuous",
        "The property holds only because nothing that it speaks about is ever reached: no assertion\n\
         is executed, no point of a `forbid` is reached, or the program never ends (`finally`). Such a\n\
         proof is worth little: usually a condition never holds. A bounded answer that is vacuous is\n\
         `unknown`; a complete one exits with 3 under --deny vacuous.",
    ),
    ("unreached", "After a complete search, no execution gets to this statement in any copy of its thread."),
    (
        "nothing-stated",
        "The program has no assert, forbid, always or finally. Only faults (division by zero,\n\
         index out of bounds) were looked for.",
    ),
    (
        "unsupported",
        "The search reached a construct that wattle does not handle, so it cannot answer. The\n\
         excerpt shows the construct.",
    ),
    (
        "model-missing",
        "`outcomes` takes the memory model of a litmus test's architecture when none is named (x86:\n\
         tso, ppc: power, …). Other programs belong to no architecture: name a model with --model.",
    ),
    ("trace-unreadable", "The file is not a trace that `check --save-trace` wrote."),
    (
        "trace-rejected",
        "The trace does not run on the reference machine, or does not end in a violation. It was\n\
         edited, or comes from a version of wattle that numbers statements differently.",
    ),
    ("internal", "A bug in wattle: two of its parts contradict each other. Please report the input."),
];

/// A model's paragraph is followed by its text. `Err`: what to try instead.
pub fn explain(subject: &str) -> Result<String, String> {
    let codes = wattle_frontend::wtl::CODES.iter().chain(&wattle_frontend::litmus::CODES).chain(&cat::CODES);
    let texts = || TEXTS.iter().chain(codes.clone());
    if let Some((_, paragraph)) = texts().find(|(name, _)| *name == subject) {
        let head = CATALOGUE.iter().find(|model| &*model.name == subject);
        let head = head.map(|model| format!("{}: {}\n\n", model.name, model.summary)).unwrap_or_default();
        let axioms = text(subject).map(|text| format!("\nIts axioms:\n\n{text}")).unwrap_or_default();
        return Ok(format!("{head}{paragraph}\n{axioms}"));
    }
    Err(match did_you_mean(subject, texts().map(|(name, _)| *name)) {
        Some(near) => format!("nothing to explain about `{subject}`: did you mean `{near}`?"),
        None => format!("nothing to explain about `{subject}`; it is neither a memory model nor a code"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_explained() {
        for model in CATALOGUE.iter() {
            assert!(explain(&model.name).is_ok(), "{}", model.name);
        }
    }
}
