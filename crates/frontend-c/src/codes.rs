//! What can be wrong with a C program.

wattle_source::codes! {
    SYNTAX = "c-syntax":
        "The text is not C as wattle reads it (C11 with the usual extensions of gcc). The message says what was expected at that place.";
    PREPROCESS = "c-preprocess":
        "The C preprocessor found an error, such as a header that does not exist. Directories of headers are named with -I, macros with -D.";
    COMPILER = "c-compiler":
        "The compiler that preprocesses C texts could not be run. Name another with --cc, or give preprocessed text (.i).";
    NESTING = "c-nesting":
        "Brackets are nested too deeply, or an expression is too long. Such texts come from generators gone wrong; split the expression.";
    UNDECLARED = "c-undeclared":
        "A name is used that has no declaration in sight.";
    TYPE = "c-type":
        "An expression or declaration has a type that does not fit its place.";
    MAIN = "c-main":
        "A program begins with its function main, and there is none.";
    LINK = "c-link":
        "A function or variable is defined twice, or two files of a program (--link) declare it with different types.";
    EXTERNAL = "c-external":
        "A variable is declared and nowhere defined. Its initial value is taken to be any.";
}
