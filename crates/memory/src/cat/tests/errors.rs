//! What is wrong is said once, at its place, with a code that `explain` knows.

use super::super::CODES;
use super::{errors, errors_with, with_files};

fn one(text: &str) -> (&'static str, String) {
    let mut found = errors(text);
    assert_eq!(found.len(), 1, "{found:?} in {text}");
    found.remove(0)
}

#[test]
fn types_are_checked_with_places() {
    let table = [
        ("let x = po & W", "W"),
        ("let x = W | po", "W"),
        ("let x = R \\ (po | rf)", "R"),
        ("let x = W ; po", "W"),
        ("let x = rf ; (R & W)", "(R & W)"),
        ("let x = [po]", "po"),
        ("let x = po * W", "po"),
        ("let x = W*", "W"),
        ("let x = W^-1", "W"),
        ("acyclic W", "W"),
        ("irreflexive R & W", "R & W"),
        ("let x = po rf", "po"),
        ("let f(a) = a let x = f ; po", "f"),
        ("let x = domain W", "W"),
        ("let rec r = r ; W", "W"),
        ("let rec r = [r] and s = r ; s", "r"),
        ("let f(a) = a call f(po)", "f"),
    ];
    for (text, place) in table {
        let (code, found) = one(text);
        assert_eq!((code, &*found), ("cat-type", place), "{text}");
    }
    assert_eq!(one("let f(a, b) = a | b let x = f(po)").0, "cat-arguments");
    assert_eq!(one("let (a, b) = po").0, "cat-arguments");
}

#[test]
fn an_error_in_a_function_shows_the_call() {
    let (sources, result) = with_files("let f(r) = r ; W\nlet x = f(po)", &[]);
    let problems = result.expect_err("an error");
    let labels: Vec<&str> = problems[0].labels.iter().map(|label| sources.slice(label.span)).collect();
    assert_eq!(labels, ["W", "f(po)"]);
}

#[test]
fn unknown_names_are_said_once_with_what_was_meant() {
    let (_, result) =
        with_files("let hb = po | rff\nlet x = hb ; hb\nacyclic hb | x as a\nempty po-lok", &[]);
    let problems = result.expect_err("errors");
    let helps: Vec<_> =
        problems.iter().map(|problem| (problem.code.name(), problem.help.as_deref())).collect();
    assert_eq!(
        helps,
        [
            ("cat-unknown-name", Some("did you mean `rf`?")),
            ("cat-unknown-name", Some("did you mean `po-loc`?"))
        ]
    );
    assert_eq!(one("acyclic mfence"), ("cat-unknown-name", "mfence".into()));
    assert_eq!(one("let x = y let y = po"), ("cat-unknown-name", "y".into()), "defined later is not defined");
    assert_eq!(one("let f(x) = x | y let y = po acyclic f(po)"), ("cat-unknown-name", "y".into()));
}

#[test]
fn what_has_no_meaning_here_is_said_where_it_is_used() {
    let table = [
        ("let x = iico_data", None),
        ("let x = po | iico_data", Some("iico_data")),
        ("let x = partition W", Some("partition")),
        ("let f(x) = match x with || {} -> {} || e ++ xs -> e ++ xs end", None),
        ("let x = {po}", Some("{po}")),
        ("with mo from generate_orders(W, co0)", Some("with mo from generate_orders(W, co0)")),
        ("with co from generate_cos(co0) acyclic co", None),
        ("forall x in S do empty x end", Some("forall x in S do empty x end")),
        ("enum T = 'a || 'b", Some("enum")),
        ("instructions R[{'once}]", Some("instructions")),
        ("let x = 'tag", Some("'tag")),
        ("let x = if po = rf then po else rf", Some("if po = rf then po else rf")),
        ("procedure p(x) = forall y in x do empty y end end", None),
        ("AArch64 catdep let x = po", Some("catdep")),
        ("let x = EX", None),
        ("empty po & (EX * EX)", Some("EX")),
    ];
    for (text, place) in table {
        match place {
            None => drop(super::axioms(text)),
            Some(place) => assert_eq!(one(text), ("cat-unsupported", place.into()), "{text}"),
        }
    }
}

#[test]
fn broken_texts_point_at_the_place() {
    let table = [
        ("let", "cat-syntax"),
        ("let x", "cat-syntax"),
        ("let x =", "cat-syntax"),
        ("let x = (po", "cat-syntax"),
        ("let x = po |", "cat-syntax"),
        ("acyclic", "cat-syntax"),
        ("acyclic po as", "cat-syntax"),
        ("include", "cat-syntax"),
        ("po", "cat-none"),
        ("let x = po po-loc |", "cat-syntax"),
        ("let x = a^", "cat-syntax"),
        ("let x = po $ rf", "cat-character"),
        ("let x = \"po", "cat-string"),
        ("(* let x = po", "cat-comment"),
        ("(* (* *)", "cat-comment"),
        ("procedure p(x) = empty x", "cat-syntax"),
        ("if \"v\" let x = po", "cat-syntax"),
        ("let x = try po", "cat-syntax"),
        ("include \"nowhere.cat\"", "cat-include"),
    ];
    for (text, code) in table {
        match code {
            "cat-none" => drop(super::axioms(text)),
            code => assert_eq!(one(text).0, code, "{text}"),
        }
    }
    // Cut anywhere, a model is read or refused, and never otherwise.
    let tso = crate::text("tso").expect("a text");
    for end in 0..tso.len() {
        if let (_, Err(problems)) = with_files(&tso[..end], &[]) {
            assert!(!problems.is_empty());
        }
    }
}

#[test]
fn includes_may_not_turn_in_circles() {
    let files = [("a.cat", "include \"b.cat\""), ("b.cat", "let x = po include \"a.cat\"")];
    assert_eq!(errors_with("include \"a.cat\"", &files), [("cat-include-cycle", "include \"a.cat\"".into())]);
    let own = [("me.cat", "include \"me.cat\"")];
    assert_eq!(errors_with("include \"me.cat\"", &own)[0].0, "cat-include-cycle");
    let doubling: Vec<(String, String)> = (0..30)
        .map(|n| (format!("{n}.cat"), format!("include \"{}.cat\" include \"{}.cat\"", n + 1, n + 1)))
        .collect();
    let doubling: Vec<(&str, &str)> = doubling.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert!(errors_with("include \"0.cat\"", &doubling).iter().any(|(code, _)| *code == "cat-nesting"));
    // The error of an included file shows who includes it.
    let (sources, result) = with_files("include \"a.cat\"", &[("a.cat", "let x = |")]);
    let problem = &result.expect_err("an error")[0];
    assert_eq!(sources.name(problem.span().file), "a.cat");
    assert_eq!(sources.slice(problem.labels[1].span), "include \"a.cat\"");
}

#[test]
fn depth_and_size_have_limits() {
    let deep = format!("let x = {}po{}", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(one(&deep).0, "cat-nesting");
    let long = format!("let x = po{}", "?".repeat(100_000));
    assert_eq!(one(&long).0, "cat-nesting");
    let tildes = format!("let x = {}po", "~".repeat(100_000));
    assert_eq!(one(&tildes).0, "cat-nesting");
    let nested = format!("let x = {}po", "let y = po in ".repeat(1_000));
    assert_eq!(one(&nested).0, "cat-nesting");
    assert_eq!(one("let rec f(x) = f(x) let y = f(po)").0, "cat-recursion");
    let mut doubling = "let f0(x) = x | rf".to_owned();
    for n in 0..40 {
        doubling.push_str(&format!(" let f{}(x) = f{n}(x ; x) | f{n}(x)", n + 1));
    }
    assert_eq!(one(&format!("{doubling} acyclic f40(po)")).0, "cat-recursion");
    let wide = format!("acyclic po{}", " | rf".repeat(50_000));
    super::axioms(&wide);
    let many = "let x = po ".repeat(100_000);
    assert_eq!(errors(&many)[0].0, "cat-recursion");
}

#[test]
fn every_code_is_raised_somewhere_here() {
    let text = include_str!("errors.rs").to_owned() + include_str!("grammar.rs");
    for code in CODES {
        assert!(text.contains(&format!("\"{code}\"")), "{code}");
    }
}
