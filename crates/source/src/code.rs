//! Names for kinds of problems, each with what it means.
//!
//! A code cannot exist without its explanation: [`codes!`](crate::codes) is the only way to make one, and
//! it makes the table `CODES` for `wattle explain` at the same time. (A test of `driver` asks that all
//! tables are collected there, and that every code is raised somewhere.)

use std::fmt;

/// A stable name for a kind of problem, such as `wtl-unknown-name`, and what `wattle explain` says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    name: &'static str,
    explanation: &'static str,
}

impl Code {
    /// For [`codes!`](crate::codes) alone.
    #[doc(hidden)]
    pub const fn in_table(name: &'static str, explanation: &'static str) -> Code {
        Code { name, explanation }
    }

    pub fn name(self) -> &'static str {
        self.name
    }

    pub fn explanation(self) -> &'static str {
        self.explanation
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Tests compare codes with their names.
impl PartialEq<&str> for Code {
    fn eq(&self, name: &&str) -> bool {
        self.name == *name
    }
}

/// The codes of one part of wattle: a constant for each, and the table `CODES` of all.
///
/// ```
/// mod codes {
///     wattle_source::codes! {
///         EMPTY = "toy-empty": "The text says nothing. Write at least one word.";
///     }
/// }
/// assert_eq!(codes::CODES[0], codes::EMPTY);
/// ```
#[macro_export]
macro_rules! codes {
    ($($constant:ident = $name:literal: $explanation:literal;)*) => {
        $(pub(crate) const $constant: $crate::Code = $crate::Code::in_table($name, $explanation);)*

        /// Every code that is raised here, with what it means.
        pub const CODES: &[$crate::Code] = &[$($crate::Code::in_table($name, $explanation)),*];
    };
}
