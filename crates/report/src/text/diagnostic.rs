//! Diagnostics with the place in the text: file, line, column, excerpt, what was expected, help.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use wattle_source::{Diagnostic, Severity, Sources};

use super::{Options, Style};

/// All diagnostics in order, each ending in a line break.
pub fn diagnostics(sources: &Sources, diagnostics: &[Diagnostic], options: &Options) -> String {
    diagnostics.iter().map(|diagnostic| one(sources, diagnostic, options)).collect()
}

pub(super) fn one(sources: &Sources, diagnostic: &Diagnostic, options: &Options) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.name());
    let mut group = annotate_snippets::Group::with_title(title);
    // One excerpt a file, the file of the first label first.
    let mut files: Vec<_> = diagnostic.labels.iter().map(|label| label.span.file).collect();
    let mut seen = Vec::new();
    files.retain(|file| {
        let new = !seen.contains(file);
        seen.push(*file);
        new
    });
    for file in files {
        let text = sources.text(file);
        if text.is_empty() {
            group = group.element(annotate_snippets::Origin::path(sources.name(file)));
            continue;
        }
        let mut snippet = Snippet::source(text).path(sources.name(file)).fold(true);
        for (number, label) in diagnostic.labels.iter().enumerate() {
            if label.span.file != file {
                continue;
            }
            let kind = if number == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = on_boundaries(text, label.span.start as usize, label.span.end as usize);
            let annotation = kind.span(range);
            snippet = snippet.annotation(match label.text.is_empty() {
                true => annotation,
                false => annotation.label(label.text.as_str()),
            });
        }
        group = group.element(snippet);
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match options.style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let rendered =
        renderer.term_width(options.width).decor_style(DecorStyle::Ascii).render(&[group]).to_string();
    rendered + "\n"
}

/// A range that lies in the text and cuts no character.
fn on_boundaries(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let mut start = start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = end.clamp(start, text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
