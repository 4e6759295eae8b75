//! S-expressions, as Z3 prints models.
//!
//! The text comes from a library that is trusted not to crash and not to be right, so the reader takes
//! nothing for granted: what is not balanced or too deep is an error. Without recursion, so that no
//! text can exhaust the stack.

/// Deeper text is not read. What reads the tree recurses.
const DEEPEST: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn word(&self) -> Option<&str> {
        match self {
            Sexp::Word(word) => Some(word),
            Sexp::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match self {
            Sexp::List(parts) => Some(parts),
            Sexp::Word(_) => None,
        }
    }
}

/// All expressions of a text.
pub(crate) fn parse(text: &str) -> Result<Vec<Sexp>, String> {
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { break };
        let mut put = |sexp| open.last_mut().map(|parts| parts.push(sexp));
        match first {
            ';' => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            '(' => {
                if open.len() > DEEPEST {
                    return Err("nested too deeply".to_owned());
                }
                open.push(Vec::new());
                rest = &rest[1..];
            }
            ')' => {
                let parts = open.pop().unwrap_or_default();
                let Some(outer) = open.last_mut() else { return Err("a `)` too many".to_owned()) };
                outer.push(Sexp::List(parts));
                rest = &rest[1..];
            }
            quote @ ('|' | '"') => {
                let (word, after) = rest[1..].split_once(quote).ok_or("a quotation that does not end")?;
                put(Sexp::Word(word.to_owned()));
                rest = after;
            }
            _ => {
                let end =
                    rest.find(|c: char| c.is_whitespace() || "()|\";".contains(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                put(Sexp::Word(word.to_owned()));
                rest = after;
            }
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(parts), true) => Ok(parts),
        _ => Err("a `)` is missing".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lists_and_quotations() {
        let read = parse("sat ; well\n(a |b c| (- 1))").unwrap();
        let word = |text: &str| Sexp::Word(text.to_owned());
        let inner = Sexp::List(vec![word("-"), word("1")]);
        assert_eq!(read, [word("sat"), Sexp::List(vec![word("a"), word("b c"), inner])]);
    }

    #[test]
    fn what_is_broken_is_an_error() {
        for text in [
            "(",
            ")",
            "(a))",
            "|a",
            &"(".repeat(100_000),
            &format!("{}{}", "(".repeat(1001), ")".repeat(1001)),
        ] {
            assert!(parse(text).is_err(), "{}", &text[..text.len().min(20)]);
        }
    }
}
