//! The codes of errors and warnings, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    AMBIGUOUS = "cat-ambiguous":
        "`*`, `+`, `?` after an operand, `~` before one and `*` between two bind alike. Where two of them meet, parentheses must say which is first: `(~r)*`, `S * (r+)`.";
    ARGUMENTS = "cat-arguments":
        "A function, procedure or pattern gets more or fewer values than it names.";
    CHARACTER = "cat-character":
        "A character that no word or sign of the .cat language has.";
    COMMENT = "cat-comment":
        "A comment that starts with `(*` and never ends. Comments nest.";
    INCLUDE = "cat-include":
        "The file that is included is neither beside the model nor one that wattle has itself (stdlib.cat, cos.cat, filters.cat, fences.cat and its parts).";
    INCLUDE_CYCLE = "cat-include-cycle":
        "A file includes itself, directly or through others.";
    NESTING = "cat-nesting":
        "Parentheses, files or operators stand deeper inside each other than wattle reads.";
    RECURSION = "cat-recursion":
        "Functions are written out where they are called. One that calls itself never ends, and one that doubles its text at each level is too large.";
    STRING = "cat-string":
        "A string that starts with `\"` and never ends.";
    SYNTAX = "cat-syntax":
        "The text is not a .cat model: the message says what was expected and what was found.";
    TYPE = "cat-type":
        "A set of events stands where a relation is wanted, or the other way round. `[S]` is the identity on a set, `S * T` all pairs, `domain(r)` and `range(r)` the ends of a relation.";
    UNKNOWN_NAME = "cat-unknown-name":
        "A name that is neither defined before nor one that every model may use.";
    UNSUPPORTED = "cat-unsupported":
        "Something that herd reads and wattle gives no meaning to: sets of sets, tags as values, `match`, `forall`, choices by `with … from` other than `co`, dependencies computed from register events. Only what is used counts: a function that nobody calls may contain it.";
}
