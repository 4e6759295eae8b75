//! The codes of errors and warnings about inputs and verdicts, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    INPUT_UNREADABLE = "input-unreadable":
        "The file could not be read: it does not exist, is a folder or is not permitted.";
    INPUT_NOT_TEXT = "input-not-text":
        "The file is not UTF-8 text; the message names the first byte that is not.";
    INPUT_EMPTY = "input-empty":
        "The file holds nothing but blanks, or the folder holds no file of a known language.";
    INPUT_TOO_LARGE = "input-too-large":
        "Files of 4 GB or more are refused, because positions in a text have 32 bits.";
    INPUT_LANGUAGE = "input-language":
        "The language follows from the extension; --lang names it where there is none.";
    COPIES = "input-copies":
        "--copies says how many copies there are of a process whose text leaves that open (`thread\n\
         p[*]`, or a .cub file without number_procs). It must name such a process, leave none out, and\n\
         be no less than the highest number by which the text names a copy (`#3`).";
    VACUOUS = "vacuous":
        "The property holds only because nothing that it speaks about is ever reached: no assertion\n\
         is executed, no point of a `forbid` is reached, or the program never ends (`finally`). Such a\n\
         proof is worth little: usually a condition never holds. A bounded answer that is vacuous is\n\
         `unknown`; a complete one exits with 3 under --deny vacuous.";
    UNREACHED = "unreached":
        "After a complete search, no execution gets to this statement in any copy of its thread.";
    NOTHING_STATED = "nothing-stated":
        "The program has no assert, forbid, always or finally. Only faults (division by zero,\n\
         index out of bounds) were looked for.";
    UNSUPPORTED = "unsupported":
        "The search reached a construct that wattle does not handle, so it cannot answer. The\n\
         excerpt shows the construct.";
    MODEL_MISSING = "model-missing":
        "`outcomes` takes the memory model of a litmus test's architecture when none is named (x86:\n\
         tso, ppc: power, …). Other programs belong to no architecture: name a model with --model.";
    TRACE_UNREADABLE = "trace-unreadable":
        "The file is not a trace that `check --save-trace` wrote.";
    TRACE_REJECTED = "trace-rejected":
        "The trace does not run on the reference machine, or does not end in a violation. It was\n\
         edited, or comes from a version of wattle that numbers statements differently.";
}
