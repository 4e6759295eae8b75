//! The codes of errors and warnings, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    ATOMIC = "wtl-atomic":
        "A jump crosses the border of an atomic section, or the section holds what cannot be part of one step: another section, a remote operation, or (if buffered) a read-modify-write.";
    CHARACTER = "wtl-character":
        "A character that no token of the language has. Names are made of a to z, A to Z, digits and `_`.";
    COMMENT = "wtl-comment":
        "A comment that starts with `/*` and never ends.";
    CONSTANT = "wtl-constant":
        "A value that must be known before the program runs (a size, a number of copies, an end of a range, an initial value) depends on something that is not, or does not exist.";
    COPIES = "wtl-copies":
        "A thread may have 1 to 64 copies. `[*]` leaves their number open, for `--copies` to say; proofs for any number are for texts of .cub.";
    COPY = "wtl-copy":
        "A thread with several copies is named without saying which, or one without copies with an index.";
    DUPLICATE = "wtl-duplicate":
        "One name is declared once. A local does not hide a shared variable, and labels of one thread differ.";
    FORMULA = "wtl-formula":
        "Formulas look at whole states and cannot read step by step, choose or change anything; threads see shared variables and their own locals and cannot look at whole states.";
    INDEX = "wtl-index":
        "An array is used without an index, or something else with one.";
    INITIAL = "wtl-initial":
        "Initial values that do not fit: a list of another length than the array, a list for a scalar, a value that does not exist.";
    INTERNAL = "wtl-internal":
        "A mistake of wattle, not of the text. Please report it.";
    LABEL = "wtl-label":
        "A label cannot be called `end`, because `p@end` means that p has ended.";
    LOOP = "wtl-loop":
        "`break` and `continue` stand in loops only.";
    NESTING = "wtl-nesting":
        "Statements and parentheses nest at most 200 levels deep, and an expression is at most 500 operators high.";
    NO_THREADS = "wtl-no-threads":
        "A program needs at least one `thread` or `process`.";
    NOT_A_VARIABLE = "wtl-not-a-variable":
        "The name is declared, but as a constant, an enumeration or a thread.";
    NOT_LOCAL = "wtl-not-local":
        "A local is needed here: `acquire` reads into one.";
    NOT_SHARED = "wtl-not-shared":
        "A shared variable is needed here: locals are nobody else's business, so nothing about them needs to be atomic or ordered.";
    NUMBER = "wtl-number":
        "Integers fit into 64 bits: from -9223372036854775808 to 9223372036854775807.";
    OUTSIDE = "wtl-outside":
        "A constant index is outside its array. Reaching it is a fault.";
    RANGE = "wtl-range":
        "A range is empty, or an initial value (0 where none is given) is outside.";
    REMOTE = "wtl-remote":
        "Results of remote operations are delivered to shared variables of the process itself, and `put` sends a shared variable as it is or an expression over locals.";
    SIZE = "wtl-size":
        "An array has 1 to 65,536 elements, all variables together at most as many, and locals are no arrays.";
    SYNTAX = "wtl-syntax":
        "The text is not formed as the grammar in docs/wtl.md says.";
    TYPE = "wtl-type":
        "Integers, booleans and enumerations do not mix, nor do different machine integers in one operation. `c ? 1 : 0` makes an integer of a condition; an integer where a condition is needed means \"not 0\".";
    UNKNOWN_NAME = "wtl-unknown-name":
        "Nothing of that name is declared, or not yet: a local is known from its declaration on.";
}
