//! The codes of errors and warnings, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    DUPLICATE = "litmus-duplicate":
        "A thread or a label stands in the test twice.";
    NESTING = "litmus-nesting":
        "The parentheses of a condition nest at most 100 levels deep, the statements and expressions of C at most 200.";
    ROW = "litmus-row":
        "Every row of the program has one column for each thread; a column may be empty.";
    SYNTAX = "litmus-syntax":
        "The text is not a litmus test as docs/litmus.md describes them.";
    ARCHITECTURE = "litmus-unknown-architecture":
        "The first word of a test names its architecture.";
    INSTRUCTION = "litmus-unknown-instruction":
        "The architecture has no such instruction, or wattle does not know it.";
    LABEL = "litmus-unknown-label":
        "A branch leads to a label that its thread does not have.";
    LOCATION = "litmus-unknown-location":
        "A condition speaks of a location that neither the initial state nor the program names, or of an element that an array does not have.";
    REGISTER = "litmus-unknown-register":
        "The architecture has no such register.";
    THREAD = "litmus-unknown-thread":
        "The program has no thread of that number.";
    UNSUPPORTED = "litmus-unsupported":
        "The herd tools know this construct and wattle does not. The message names it.";
}
