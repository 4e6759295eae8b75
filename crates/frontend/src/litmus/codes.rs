//! The codes of this front end's diagnostics, and what they mean, for `wattle explain CODE`.

use wattle_source::Code;

pub const SYNTAX: Code = "litmus-syntax";
pub const ARCHITECTURE: Code = "litmus-unknown-architecture";
pub const UNSUPPORTED: Code = "litmus-unsupported";
pub const INSTRUCTION: Code = "litmus-unknown-instruction";
pub const REGISTER: Code = "litmus-unknown-register";
pub const LOCATION: Code = "litmus-unknown-location";
pub const LABEL: Code = "litmus-unknown-label";
pub const THREAD: Code = "litmus-unknown-thread";
pub const DUPLICATE: Code = "litmus-duplicate";
pub const NESTING: Code = "litmus-nesting";
pub const ROW: Code = "litmus-row";

pub const CODES: [(&str, &str); 11] = [
    (DUPLICATE, "A thread or a label stands in the test twice."),
    (NESTING, "The parentheses of a condition nest at most 100 levels deep."),
    (ROW, "Every row of the program has one column for each thread; a column may be empty."),
    (SYNTAX, "The text is not a litmus test as docs/litmus.md describes them."),
    (ARCHITECTURE, "The first word of a test names its architecture."),
    (INSTRUCTION, "The architecture has no such instruction, or wattle does not know it."),
    (LABEL, "A branch leads to a label that its thread does not have."),
    (
        LOCATION,
        "A condition speaks of a location that neither the initial state nor the program names, or of an element that an array does not have.",
    ),
    (REGISTER, "The architecture has no such register."),
    (THREAD, "The program has no thread of that number."),
    (UNSUPPORTED, "The herd tools know this construct and wattle does not. The message names it."),
];
