//! Names, functions, files and recursion: texts that must mean the same, and orders that matter.

use super::super::{Axioms, Core, Node, NodeId, Role, Test, read};
use super::{Files, axioms, with_files};
use wattle_source::Sources;

/// A node as a tree.
fn show(core: &Core, id: NodeId) -> String {
    let node = core.node(id);
    let operands: Vec<String> = node.operands().into_iter().flatten().map(|id| show(core, id)).collect();
    let name = format!("{node:?}");
    match operands.is_empty() {
        true => name,
        false => format!("{}({})", name.split('(').next().unwrap_or(""), operands.join(", ")),
    }
}

/// The same axioms, and no node more in the one than in the other.
fn same(one: &str, other: &str) {
    let shown = |text: &str| {
        let core = axioms(text).core;
        let bodies: Vec<String> = core.axioms.iter().map(|axiom| show(&core, axiom.body)).collect();
        (bodies, core.nodes.len())
    };
    assert_eq!(shown(one), shown(other), "{one}\n{other}");
}

fn bodies(model: &Axioms) -> Vec<NodeId> {
    model.core.axioms.iter().map(|axiom| axiom.body).collect()
}

#[test]
fn a_name_means_its_last_definition() {
    same(
        "let lwsync = fencerel(LWSYNC) let lwsync = lwsync \\ (W * R) acyclic lwsync",
        "acyclic (po ; [LWSYNC] ; po) \\ (W * R)",
    );
    // Functions see the names of the place where they were defined.
    same("let r = po let f(x) = x ; r let r = rf acyclic f(co)", "acyclic co ; po");
    same("let f(r) = let po = rf in r ; po acyclic f(po) | po", "acyclic po ; rf | po");
    // `and` binds side by side.
    same("let a = po let a = rf and b = a acyclic a ; b", "acyclic rf ; po");
    same("let po = rf acyclic po", "acyclic rf");
    same("let (a, _) = (po, rf) acyclic a", "acyclic po");
    same("let x, y = po, rf acyclic x ; y", "acyclic po ; rf");
}

#[test]
fn equal_parts_are_one_and_empty_parts_vanish() {
    let model = axioms("let f(x) = x ; rf let a = f(po) let b = f(po) acyclic a | b as one acyclic a as two");
    assert_eq!(bodies(&model)[0], bodies(&model)[1]);
    same("acyclic po | 0 | {} | (rf & 0) | [emptyset] | 0 ; rf", "acyclic po");
    same("acyclic (rf^-1)^-1", "acyclic rf");
    same("acyclic po ; id", "acyclic po");
    same("acyclic [_] ; po", "acyclic po");
    same("acyclic po*", "acyclic po+ | id");
    same("let unused = po ; rf ; co acyclic po", "acyclic po");
}

#[test]
fn a_file_is_evaluated_each_time_it_is_included() {
    let files = [("step.cat", "let x = b ; co"), ("stdlib.cat", "let b = po")];
    let text = "include \"stdlib.cat\" include \"step.cat\" let first = x let b = rf include \"step.cat\" acyclic first | x";
    let (_, included) = with_files(text, &files);
    let plain = axioms("acyclic po ; co | rf ; co");
    assert_eq!(included.expect("reads").core.nodes, plain.core.nodes, "the user's stdlib.cat comes first");
}

#[test]
fn try_takes_the_second_where_a_name_is_unbound() {
    same("let x = try nothing with po acyclic x", "acyclic po");
    same("let x = try fencerel(NOTHING) with 0 acyclic x | po", "acyclic po");
    same("let x = try po with nothing acyclic x", "acyclic po");
    same("let AMO = try AMO with (R & W) empty AMO", "empty AMO");
    same("let f(x) = x | nothing let y = try f(po) with rf acyclic y", "acyclic rf");
    // A type error is no missing name.
    assert_eq!(super::errors("let x = try (po ; W) with po")[0].0, "cat-type");
}

#[test]
fn variants_choose_instructions_and_values() {
    let text = "if \"a\" let x = po else let x = rf end \
                let y = if \"a\" && not \"b\" then x else co \
                if \"b\" include \"nowhere.cat\" end acyclic y";
    let with = |variants: &[&str]| {
        let (mut sources, file) = Sources::single("test.cat", text);
        let variants: Vec<String> = variants.iter().map(ToString::to_string).collect();
        read(&mut sources, file, &Files(&[]), &variants)
    };
    let body = |model: Axioms| model.core.node(bodies(&model)[0]).clone();
    let base = |name: &str| Node::Base(name.into(), super::super::Type::Relation);
    assert_eq!(body(with(&[]).expect("reads")), base("co"));
    assert_eq!(body(with(&["a"]).expect("reads")), base("po"));
    assert_eq!(with(&["b"]).expect_err("the file is wanted now")[0].code, "cat-include");
}

#[test]
fn tests_keep_role_name_and_sign() {
    let model = axioms(
        "acyclic po as a flag ~empty rf as b undefined_unless empty co as c ~irreflexive po \
         assert empty co as d procedure p(x, y) = acyclic x ; y as inside end call p(po, rf)",
    );
    let found: Vec<_> = (model.core.axioms.iter())
        .map(|axiom| (&*axiom.name, axiom.role, axiom.test, axiom.negated))
        .collect();
    assert_eq!(
        found,
        [
            ("a", Role::Require, Test::Acyclic, false),
            ("b", Role::Flag, Test::Empty, true),
            ("c", Role::UndefinedUnless, Test::Empty, false),
            ("po", Role::Require, Test::Irreflexive, true),
            // A failed assertion is a flag.
            ("assert d", Role::Flag, Test::Empty, true),
            ("inside", Role::Require, Test::Acyclic, false),
        ]
    );
}

#[test]
fn groups_know_whether_they_are_monotone() {
    let monotone = |text: &str| {
        let groups = axioms(text).core.groups;
        assert_eq!(groups.len(), 1, "{text}");
        groups[0].monotone
    };
    assert!(monotone("let rec r = po | r ; r acyclic r"));
    assert!(monotone("let rec r = (po \\ rf) | r^-1 ; [domain(r)] acyclic r"));
    assert!(monotone("let rec r = r \\ po | rf acyclic r"));
    assert!(!monotone("let rec r = po \\ r acyclic r"));
    assert!(!monotone("let rec r = ~r & po acyclic r"));
    assert!(!monotone("let rec a = po \\ (rf ; b) and b = a | b acyclic b"));
    // Sets are found out by what they are built from.
    assert!(monotone("let rec s = R | t and t = s empty t"));
    assert_eq!(
        super::errors("let rec r = po | (let rec s = r | s ; s in s) acyclic r")[0].0,
        "cat-unsupported"
    );
    axioms("let rec r = po | (let rec s = rf | s ; s in s) ; r acyclic r");
}

#[test]
fn the_prelude_survives_what_public_files_do_to_it() {
    same("include \"cos.cat\" acyclic fr | coe", "acyclic fr | coe");
    same("include \"stdlib.cat\" include \"cos.cat\" acyclic fre", "acyclic fre");
    same("let fr = rf^-1 ; co acyclic fr", "acyclic rf^-1 ; co");
    same("let co = co & ext include \"cos.cat\" acyclic co", "acyclic co");
    same("with co from generate_cos(co0) let fr = (rf^-1 ; co) \\ id acyclic fr", "acyclic fr");
    same(
        "acyclic fencerel(SYNC) | ctrlcfence(ISYNC) | toid(W)",
        "acyclic po;[SYNC];po | ctrl;[ISYNC];po | [W]",
    );
}
