//! Where exactly new statements go, so that the difference reads well.
//!
//! On a line of its own with the same indentation where the old statement ends its line; otherwise
//! on the same line. A statement that is the whole body of an `if`, `else` or `while` gets braces.
//! Edits at one place apply in the order of the walk: what encloses opens first and closes last.

use wattle_frontend::lines::{indentation, line_alone, line_end, line_start, newline};
use wattle_source::{Span, TextEdit};

use super::super::ast::{File, Stmt, StmtKind};
use super::{Request, Requests, bodies};

pub(crate) fn edits(text: &str, tree: &File, requests: &Requests) -> Vec<TextEdit> {
    let mut walk = Walk { text, requests, edits: Vec::new() };
    for statement in bodies(tree) {
        walk.statement(statement, true);
    }
    walk.edits
}

struct Walk<'a> {
    text: &'a str,
    requests: &'a Requests,
    edits: Vec<TextEdit>,
}

impl Walk<'_> {
    /// `listed`: the statement stands in a list between braces, where another may follow.
    fn statement(&mut self, outer: &Stmt, listed: bool) {
        let mut statement = outer;
        while let StmtKind::Label(_, inner) = &statement.kind {
            statement = inner;
        }
        let empty = Request::default();
        let request = self.requests.get(&statement.span).unwrap_or(&empty);
        let untouched = request.before.is_empty() && request.after.is_empty();
        let wrap = !listed && !untouched;
        if wrap {
            self.insert(outer.span, outer.span.start, "{ ".into());
        }
        for said in &request.before {
            self.before(statement, said, listed);
        }
        let in_braces =
            matches!(statement.kind, StmtKind::Block(_) | StmtKind::Atomic { .. } | StmtKind::Either(_));
        for child in statement.children() {
            self.statement(child, in_braces);
        }
        if !request.at_end.is_empty() {
            self.at_end(statement, &request.at_end.join(" "));
        }
        for said in &request.after {
            self.after(outer, said, listed);
        }
        if wrap {
            self.insert(outer.span, outer.span.end, " }".into());
        }
    }

    fn insert(&mut self, file: Span, at: u32, text: String) {
        self.edits.push(TextEdit { span: Span { start: at, end: at, ..file }, text });
    }

    fn before(&mut self, statement: &Stmt, said: &str, listed: bool) {
        let start = statement.span.start as usize;
        let indent = &self.text[line_start(self.text, start)..start];
        let new = match listed && indent.trim().is_empty() {
            true => format!("{said}{}{indent}", newline(self.text)),
            false => format!("{said} "),
        };
        self.insert(statement.span, statement.span.start, new);
    }

    fn after(&mut self, outer: &Stmt, said: &str, listed: bool) {
        let end = outer.span.end as usize;
        let rest = &self.text[end..line_end(self.text, end)];
        let rest_is_empty = rest.trim().is_empty() || rest.trim_start().starts_with("//");
        if listed && rest_is_empty {
            let indent = indentation(self.text, outer.span.start as usize);
            let new = format!("{}{indent}{said}", newline(self.text));
            self.insert(outer.span, line_end(self.text, end) as u32, new);
        } else {
            self.insert(outer.span, outer.span.end, format!(" {said}"));
        }
    }

    /// Before the closing brace of a block.
    fn at_end(&mut self, block: &Stmt, said: &str) {
        let brace = block.span.end as usize - 1;
        let own = &self.text[line_start(self.text, brace)..brace];
        let new = if own.trim().is_empty() {
            let inner = match block.children().last() {
                Some(last) => indentation(self.text, last.span.start as usize).to_owned(),
                None => format!("{own}  "),
            };
            let more = inner.strip_prefix(own).unwrap_or("  ");
            format!("{more}{said}{}{own}", newline(self.text))
        } else if own.ends_with(char::is_whitespace) {
            format!("{said} ")
        } else {
            format!(" {said} ")
        };
        self.insert(block.span, brace as u32, new);
    }
}

/// Delete a statement, with its line if it stands alone there; in a place that needs a statement,
/// leave one.
pub(crate) fn removal(text: &str, tree: &File, span: Span) -> TextEdit {
    if !bodies(tree).any(|statement| is_listed(statement, span, true)) {
        return TextEdit { span, text: "skip;".into() };
    }
    let (start, end) = (span.start as usize, span.end as usize);
    let (first, last) = (line_start(text, start), line_end(text, end));
    let before = &text[first..start];
    let after = &text[end..last];
    let (from, to) = if let Some(line) = line_alone(text, start, end) {
        line
    } else if after.trim().is_empty() {
        (first + before.trim_end().len(), end)
    } else {
        (start, end + after.len() - after.trim_start().len())
    };
    TextEdit { span: Span { start: from as u32, end: to as u32, ..span }, text: String::new() }
}

/// Does the statement with this span stand, without a label, in a list?
fn is_listed(statement: &Stmt, span: Span, listed: bool) -> bool {
    if statement.span == span {
        return listed && !matches!(statement.kind, StmtKind::Label(..));
    }
    let in_braces =
        matches!(statement.kind, StmtKind::Block(_) | StmtKind::Atomic { .. } | StmtKind::Either(_));
    statement.children().into_iter().any(|child| is_listed(child, span, in_braces))
}
