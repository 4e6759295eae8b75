//! Macros: `macro m(a,b) ... endmacro`, called as `m(x,y)`.
//!
//! Purely on tokens. A macro is known from its definition on; a call of a macro within its own
//! expansion is an error. Expansion can multiply tokens, so there is a limit on the result.

use std::collections::BTreeMap;

use wattle_source::Diagnostic;

use super::lexer::{Kind, Token};
use crate::codes;

const MOST_TOKENS: usize = 400_000;
const DEEPEST: usize = 50;

struct Macro<'a> {
    parameters: Vec<&'a str>,
    body: Vec<Token<'a>>,
}

/// The tokens with all definitions taken out and all calls replaced.
pub(crate) fn expand<'a>(tokens: &[Token<'a>], problems: &mut Vec<Diagnostic>) -> Vec<Token<'a>> {
    let mut expander =
        Expander { macros: BTreeMap::new(), stack: Vec::new(), out: Vec::new(), seen: 0, problems };
    expander.list(tokens);
    if expander.out.last().is_none_or(|token| token.kind != Kind::End) {
        expander.out.extend(tokens.last());
    }
    expander.out
}

struct Expander<'a, 'p> {
    macros: BTreeMap<&'a str, Macro<'a>>,
    /// The macros that are being expanded.
    stack: Vec<&'a str>,
    out: Vec<Token<'a>>,
    /// Tokens looked at, those of empty expansions too.
    seen: usize,
    problems: &'p mut Vec<Diagnostic>,
}

impl<'a> Expander<'a, '_> {
    fn problem(&mut self, token: &Token<'_>, message: impl Into<String>) -> &mut Diagnostic {
        self.problems.push(Diagnostic::error(codes::MACRO, token.blame, message));
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    fn list(&mut self, tokens: &[Token<'a>]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            self.seen += 1;
            if self.seen > MOST_TOKENS {
                if self.seen == MOST_TOKENS + 1 {
                    self.problem(token, format!("macros expand to more than {MOST_TOKENS} tokens"));
                }
                return;
            }
            at += match token.kind {
                Kind::Name if token.text == "macro" => self.define(&tokens[at..]),
                Kind::Name if self.macros.contains_key(token.text) => self.call(&tokens[at..]),
                _ => {
                    self.out.push(*token);
                    1
                }
            };
        }
    }

    /// Read a definition; how many tokens it has.
    fn define(&mut self, tokens: &[Token<'a>]) -> usize {
        let end = tokens.iter().position(|token| token.kind == Kind::Name && token.text == "endmacro");
        let Some(end) = end else {
            self.problem(&tokens[0], "this macro does not end").help = Some("add `endmacro`".into());
            return tokens.len() - usize::from(tokens.last().is_some_and(|last| last.kind == Kind::End));
        };
        let inner = &tokens[1..end];
        if let Some(again) = inner.iter().find(|token| token.kind == Kind::Name && token.text == "macro") {
            self.problem(again, "a macro inside a macro");
            return end + 1;
        }
        match inner {
            [name, open, rest @ ..] if name.kind == Kind::Name && open.is("(") => {
                let Some(close) = rest.iter().position(|token| token.is(")")) else {
                    self.problem(open, "expected `)` after the parameters of this macro");
                    return end + 1;
                };
                let mut parameters: Vec<&'a str> = Vec::new();
                for (number, token) in rest[..close].iter().enumerate() {
                    let fits = if number % 2 == 0 {
                        token.kind == Kind::Name
                    } else {
                        token.is(",") && number + 1 < close
                    };
                    if !fits {
                        let message = format!("expected a parameter, found {}", token.describe());
                        self.problem(token, message);
                        return end + 1;
                    }
                    if number % 2 == 0 {
                        if parameters.contains(&token.text) {
                            self.problem(token, format!("parameter `{}` stands here twice", token.text));
                        }
                        parameters.push(token.text);
                    }
                }
                let made = Macro { parameters, body: rest[close + 1..].to_vec() };
                if self.macros.insert(name.text, made).is_some() {
                    self.problem(name, format!("macro `{}` is defined twice", name.text));
                }
            }
            [name, ..] if name.kind == Kind::Name => {
                self.problem(name, "expected `(` after the name of this macro");
            }
            _ => {
                self.problem(&tokens[0], "expected the name of a macro");
            }
        }
        end + 1
    }

    /// Expand a call; how many tokens it has.
    fn call(&mut self, tokens: &[Token<'a>]) -> usize {
        let name = tokens[0];
        if self.stack.contains(&name.text) || self.stack.len() >= DEEPEST {
            self.problem(&name, format!("macro `{}` calls itself", name.text));
            return 1;
        }
        if !tokens.get(1).is_some_and(|token| token.is("(")) {
            self.problem(&name, format!("expected `(` after the macro `{}`", name.text));
            return 1;
        }
        let mut arguments: Vec<Vec<Token<'a>>> = vec![Vec::new()];
        let mut depth = 1;
        let mut at = 2;
        loop {
            let Some(token) = tokens.get(at).filter(|token| token.kind != Kind::End) else {
                self.problem(&name, format!("the call of macro `{}` does not end", name.text));
                return at;
            };
            at += 1;
            match token.text {
                "(" => depth += 1,
                ")" if depth == 1 => break,
                ")" => depth -= 1,
                "," if depth == 1 => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(*token);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        let Some(made) = self.macros.get(name.text) else { return at };
        let expected = made.parameters.len();
        if expected != arguments.len() {
            let message =
                format!("macro `{}` has {expected} parameters, and {} are given", name.text, arguments.len());
            self.problem(&name, message);
            return at;
        }
        if arguments.iter().any(Vec::is_empty) {
            self.problem(&name, "an empty argument");
            return at;
        }
        let mut body = Vec::new();
        for token in &made.body {
            let parameter = made.parameters.iter().position(|parameter| *parameter == token.text);
            match parameter.filter(|_| token.kind == Kind::Name) {
                Some(number) => {
                    body.extend(arguments[number].iter().map(|given| Token { span: token.span, ..*given }));
                }
                None => body.push(*token),
            }
        }
        self.stack.push(name.text);
        self.list(&body);
        self.stack.pop();
        at
    }
}
