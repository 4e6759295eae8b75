//! `explain`: a memory model or a diagnostic code in a few sentences.

use wattle_memory::CATALOGUE;

use crate::similar::did_you_mean;

/// Model or code of ours, and what there is to say about it; front ends explain their own codes.
const TEXTS: [(&str, &str); 17] = [
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
         `unknown`.",
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

/// `Err`: what to try instead.
pub fn explain(subject: &str) -> Result<String, String> {
    let codes = wattle_frontend::wtl::CODES.iter().chain(&wattle_frontend::litmus::CODES);
    let texts = || TEXTS.iter().chain(codes.clone());
    if let Some((_, text)) = texts().find(|(name, _)| *name == subject) {
        let head = CATALOGUE.iter().find(|model| &*model.name == subject);
        let head = head.map(|model| format!("{}: {}\n\n", model.name, model.summary)).unwrap_or_default();
        return Ok(format!("{head}{text}\n"));
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
