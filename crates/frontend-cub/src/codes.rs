//! The codes of errors and warnings, and what each means, for `wattle explain CODE`.

wattle_source::codes! {
    ACTOR = "cub-actor":
        "A transition that reads or writes a weak variable must say which of its processes does so: write that one in square brackets and first, as in `transition t ([p] q)`. All weak reads and writes of the transition are then by `p`.";
    ASSIGNED_TWICE = "cub-assigned-twice":
        "A transition assigns to one variable twice, and nothing shows that the two are different cells. All assignments of a transition happen at once, so it would not be clear which one counts; use one `case`.";
    COMMENT = "cub-comment":
        "A comment that begins with `(*` and never ends. Comments nest: every `(*` inside needs its own `*)`.";
    CONSTANT = "cub-constant":
        "A transition assigns to a constant. Constants keep the arbitrary value that they start with; declare a `var` or an `array` instead.";
    DUPLICATE = "cub-duplicate":
        "A name is declared twice, a transition has one parameter twice, or there are two `init`. The second label of the message shows the first of the two.";
    FENCE = "cub-fence":
        "`fence()` says that the store buffer of the acting process is empty. It can only be one of the conditions that a guard joins with `&&`; under `||`, `not` or `exists`, and outside of guards, it has no meaning.";
    INDICES = "cub-indices":
        "An array or a predicate is used with another number of indices or arguments than it has: one for `A[proc]`, two for `M[proc,proc]`, none for a variable.";
    INIT = "cub-init":
        "The text has no `init`, so nothing is known of the first state. `init (p) { … }` holds for every process `p`; what it does not mention may have any value.";
    LEXICAL = "cub-lexical":
        "A character that no token of the language has.";
    NESTING = "cub-nesting":
        "Formulas nest at most 150 levels deep and have at most 2000 operators, predicates included. Split the transition, or the predicate.";
    NOTHING = "cub-nothing":
        "The text has no `unsafe`, so there is nothing to check.";
    NUMBER = "cub-number":
        "A number does not fit into 64 bits, a process number is not one of `#1`, `#2`, …, or `number_procs` is not between 1 and 1000.";
    OBSERVER = "cub-observer":
        "What a weak variable holds depends on who looks. In `unsafe` and `invariant` write `p@X` or `p@A[q]`: what process `p` would read now. Inside transitions all reads are by the acting process, and in `init` all processes see the same, so there the variable stands alone.";
    REAL = "cub-real":
        "Wattle has no real numbers. If the values are only compared with each other, declare them as `int`.";
    SORT = "cub-sort":
        "A term has another type than its place asks for: the two sides of a comparison or an assignment have one type, `+` and `-` are for integers, `<` for integers and processes.";
    SYNTAX = "cub-syntax":
        "The text is not formed as the language of Cubicle is (docs/cub.md). The message says what was expected and what was found. Names of variables, constants and constructors begin with a capital letter; those of types, transitions and processes with a small one.";
    UNKNOWN_NAME = "cub-unknown-name":
        "A type, variable, constructor or predicate that is not declared.";
    UNKNOWN_PROCESS = "cub-unknown-process":
        "A process that is neither a parameter here nor bound by a quantifier.";
    UNSUPPORTED = "cub-unsupported":
        "Something that Cubicle reads and wattle does not. The message names it.";
}
