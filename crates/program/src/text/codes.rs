//! The codes of errors in the printed form, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    HEADER = "wir-header":
        "A printed program (`--dump program`) begins with the line `wir 1`. A text without it is something else, or comes from another version of wattle.";
    NESTING = "wir-nesting":
        "Terms nest at most 300 levels deep, and a line has at most 5000 operators.";
    NUMBER = "wir-number":
        "A number does not fit into the 64 bits of a value, or the 32 bits of a position or an index.";
    RANGE = "wir-range":
        "In `range low..high`, the lower end comes first; a range that is empty has no values.";
    SYNTAX = "wir-syntax":
        "A line of a printed program is not formed as `--dump program` prints it. The message says what was expected and what was found.";
    UNKNOWN_NAME = "wir-unknown-name":
        "A line names a variable, local, process, label, constructor or vocabulary that no line before it declares. Where a name alone does not tell, `#3` stands for number 3.";
}
