//! The codes of errors and warnings, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    COMMENT = "rmm-comment":
        "A comment that starts with `/*` and never ends. Memorax reads such a file without the rest, so this is a warning; add `*/`.";
    COPIES = "rmm-copies":
        "The number of copies of a process, as in `process(2)`, is 1 to 1000.";
    DOMAIN = "rmm-domain":
        "The domain of a variable or register is empty: in `[low:high]`, the lower end comes first.";
    DUPLICATE = "rmm-duplicate":
        "A name is declared twice in one place, a label stands twice in one process, or a process has two sections of one kind. The second label of the message shows the first of the two.";
    FORBIDDEN = "rmm-forbidden":
        "A row of `forbidden` has one label for each process, in their order and counting copies, or `*` for a process that may be anywhere.";
    INITIAL = "rmm-initial":
        "The initial value of a variable or register is outside its domain.";
    INSIDE_LOCKED = "rmm-inside-locked":
        "A row of `forbidden` names a label inside a `locked` block. Such a block is one step, so no process is ever seen inside; put the label before or after the block.";
    LEXICAL = "rmm-lexical":
        "A character that no token of the language has. Comments are written `/* … */`, registers `$r`.";
    LOCKED_GOTO = "rmm-locked-goto":
        "A jump leads into a `locked` block or out of one. The block is one step, so it is entered at its beginning and left at its end.";
    MACRO = "rmm-macro":
        "A macro is not formed as `macro name(a, b) … endmacro`, is called with another number of arguments than it has parameters, calls itself, or expands to more text than wattle reads.";
    NESTING = "rmm-nesting":
        "Statements and parentheses nest at most 150 levels deep, and an expression has at most 1000 operators. Split it, with registers for the parts.";
    NUMBER = "rmm-number":
        "A number does not fit into 64 bits, or is larger than the number of processes that it should name.";
    PREDICATE = "rmm-predicate":
        "A predicate in the section `predicates` names registers or memory that no single process has. It is left out, which may make a proof harder to find and changes no verdict.";
    SYNTAX = "rmm-syntax":
        "The text is not formed as the language of Memorax is (docs/rmm.md). The message says what was expected and what was found. Statements have `;` between them and none after the last; memory is written with `write: x := e` and read with `read: $r := x`.";
    UNKNOWN_LABEL = "rmm-unknown-label":
        "A `goto` or a row of `forbidden` names a label that its process does not have.";
    UNKNOWN_NAME = "rmm-unknown-name":
        "A memory location that is not declared: in the section `data` for all processes, or in that of a process for `x[my]` and `x[0]`.";
    UNKNOWN_REGISTER = "rmm-unknown-register":
        "A register that the section `registers` of this process does not declare.";
    UNSUPPORTED = "rmm-unsupported":
        "Memorax reads this statement (`syncwr`, `syncrd`, `slocked`, `ssfence`, `llfence`) for a memory model that wattle does not have. A verdict that depends on it is *unknown*.";
}
