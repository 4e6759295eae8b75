//! The printed form of a program (`.wir`), and how it is read back.
//!
//! For people who want to see what a front end or pass made of their text, and for tests: what is
//! printed parses to an equal program, sorts of literals, hidden locals and spans included. One line
//! is one thing; lines of a process follow its `process` line.
//!
//! ```text
//! wir 1
//! program "peterson.wtl"
//! vocabulary generic
//! enum colour { red green }
//! variable flag[2] : int range 0..1 init 0 @7..21
//! process p copies 2 @30..36
//!   local r : int range 0..1 init any
//!   local "flag[other]" : int init 0 hidden
//!   entry 0
//!   point 0 label L0 @40..52
//!   point 1 label cs end inside locked awaits
//!   edge 0 -> 1 locked when r == 0 && me < 2 do load r from &flag[1 - me]; assume r == 0 @40..52
//! forbid p[0]@cs && p[1]@cs @60..80
//! ```
//!
//! * Names stand for themselves where they are unique; `"..."` around a name that is a word of this
//!   language or has odd letters; `#3` for number 3 where the name alone would not tell.
//! * `p[1]` is copy 1 of the process `p`, or, if there is no such process, copy 0 of the one that is called `"p[1]"`.
//! * `@12..34` is a span in file 0, `@2:12..34` in file 2; none means "nowhere".
//! * Terms have C's operators and precedence; beside them `=>` (implies), `++` (an address so many
//!   locations further on), `with` (a set with one more element) and `in` (is an element).
//!   `&x[1]` is an address and `mem(&x[1])` what memory holds there. `p[0]@cs`, `p[0].r`,
//!   `ended(p[0])`, `(forall ?0 in p: ...)`, `(if a then b else c)`. A literal of another sort than
//!   its own carries it: `255:u8`.
//! * `//` starts a comment.

mod codes;
mod lex;
mod parse;
mod print;
mod term;
#[cfg(test)]
mod tests;

pub use codes::CODES;
pub use parse::parse;
pub use print::{print, print_term};

/// Names that must be quoted.
const RESERVED: &str = "
    add address always any assert assign assume at awaits bits bool buffered cas copies cumulative
    do each edge else end ended entry enum exists false fence filter finally flush forall forbid forget
    from get havoc hidden if in init inside int into intset join label load load_exclusive local
    location locked me mem none number observe owner plain point pointer predicate process program put range
    remote replace seen spawn store store_conditional symbol tagged then thread to together true unbuffered
    unsupported when
    with
";

/// A name like `p[1]`, in two parts, if the first one is a plain name: what a copy is called once it is a process.
fn instance(name: &str) -> Option<(&str, &str)> {
    let (base, number) = name.strip_suffix(']')?.split_once('[')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && !needs_quotes(base)).then_some((base, number))
}

/// Must a name be quoted to be read as a name?
fn needs_quotes(name: &str) -> bool {
    let starts = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$';
    let goes_on = |letter: char| starts(letter) || letter.is_ascii_digit();
    let sort = name.strip_prefix(['u', 'i']).is_some_and(|width| width.parse::<u8>().is_ok());
    !name.starts_with(starts)
        || !name.chars().all(goes_on)
        || sort
        || RESERVED.split_whitespace().any(|word| word == name)
}
