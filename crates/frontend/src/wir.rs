//! The printed form of programs (`.wir`), as `--dump program` writes it; see [`wattle_program::text`].
//!
//! The spans in a dump are places of the text that was dumped, which need not be at hand. So what is
//! read here gets the lines of the dump as places. Edges that shared an origin still do: they get the
//! line of the first.

use std::collections::BTreeMap;

use wattle_program::passes::Insertion;
use wattle_program::{Op, Program, Vocabulary, text, validate};
use wattle_source::{Diagnostic, FileId, Sources, Span};

use crate::{Edits, Frontend, Options, Parsed, Reading};

wattle_source::codes! {
    INVALID = "wir-invalid":
        "The lines are well formed, but together they are no program: an edge leads to a point that its process does not have, say, or a term has the wrong sort. The message names what is wrong.";
}

pub const FRONTEND: Frontend = Frontend {
    name: "wir",
    extensions: &["wir"],
    summary: "wattle's own printed form of programs",
    links: false,
    codes: CODES,
    parse,
    fences: Vocabulary::fences,
    edit,
    remove,
};

fn parse(sources: &mut Sources, file: FileId, _: &Options<'_>) -> Reading {
    let mut program = text::parse(sources, file)?;
    validate(&program).map_err(|invalid| {
        let message = format!("the program makes no sense: {invalid}");
        vec![Diagnostic::error(INVALID, Span::new(file, 0, 0), message)]
    })?;
    place_in_dump(&mut program, sources.text(file), file);
    Ok(Parsed { program, warnings: vec![] })
}

fn edit(_: &Sources, _: FileId, _: &Program, _: &[Insertion]) -> Edits {
    Err("the printed form cannot be edited".into())
}

fn remove(_: &Sources, _: FileId, _: &[Span]) -> Edits {
    Err("the printed form cannot be edited".into())
}

fn place_in_dump(program: &mut Program, text: &str, file: FileId) {
    // A line is one thing and things keep their order, so the lines that begin with a word are the
    // places of the things of that kind.
    let mut places: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let mut start = 0;
    for line in text.split('\n') {
        let (inner, blanks) = (line.trim(), line.len() - line.trim_start().len());
        let word = inner.split_whitespace().next().unwrap_or("");
        let word = if matches!(word, "always" | "finally") { "forbid" } else { word };
        let begin = start + blanks;
        places.entry(word).or_default().push(Span::new(file, begin, begin + inner.len()));
        start += line.len() + 1;
    }
    let mut places_of = |word: &str| places.remove(word).unwrap_or_default().into_iter();
    for (variable, place) in program.variables.iter_mut().zip(places_of("variable")) {
        variable.span = place;
    }
    for (property, place) in program.properties.iter_mut().zip(places_of("forbid")) {
        property.span = place;
    }
    let (mut edges, mut points) = (places_of("edge"), places_of("point"));
    let mut moved: BTreeMap<Span, Span> = BTreeMap::new();
    for (process, place) in program.processes.iter_mut().zip(places_of("process")) {
        process.span = place;
        for (edge, place) in process.cfg.edges.iter_mut().zip(edges.by_ref()) {
            for op in &mut edge.ops {
                if let Op::Assert { span, .. } | Op::Cut { span, .. } | Op::Unsupported { span, .. } = op {
                    *span = place;
                }
            }
            edge.origin.0 = match edge.origin.0.is_nowhere() {
                true => place,
                false => *moved.entry(edge.origin.0).or_insert(place),
            };
        }
        for (info, place) in process.cfg.points.iter_mut().zip(points.by_ref()) {
            if !info.origin.0.is_nowhere() {
                info.origin.0 = *moved.entry(info.origin.0).or_insert(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "wir 1
variable x : int init 0 @90..95
process p // comment
  local r : int init 0
  entry 0
  point 0 label a @70..80
  point 1 end
  edge 0 -> 1 do store &x = 1 @70..80
  edge 0 -> 1 do load r from &x; assert r == 1 @60..65 @70..80
forbid p[0]@a @1..2
";

    #[test]
    fn places_are_lines_of_the_dump() {
        let (sources, _) = Sources::single("a.wir", TEXT);
        let program = FRONTEND.read("a.wir", TEXT).unwrap().program;
        let line = |span| sources.start(span).line;
        let cfg = &program.processes[0].cfg;
        assert_eq!(sources.slice(cfg.edges[0].origin.0), "edge 0 -> 1 do store &x = 1 @70..80");
        assert_eq!(cfg.edges[1].origin, cfg.edges[0].origin, "a shared origin stays shared");
        assert_eq!(cfg.points[0].origin, cfg.edges[0].origin);
        assert!(cfg.points[1].origin.0.is_nowhere());
        let Op::Assert { span, .. } = &cfg.edges[1].ops[1] else { panic!() };
        assert_eq!(line(*span), 9);
        assert_eq!(line(program.variables[0].span), 2);
        assert_eq!(line(program.processes[0].span), 3);
        assert_eq!(line(program.properties[0].span), 10);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let text = TEXT.replace("edge 0 -> 1", "edge 0 -> 5");
        assert_eq!(FRONTEND.read("a.wir", &text).unwrap_err()[0].code, "wir-invalid");
        let (sources, file) = Sources::single("a.wir", &text);
        assert!(edit(&sources, file, &text::parse(&sources, file).unwrap(), &[]).is_err());
        assert!(remove(&sources, file, &[]).is_err());
    }
}
