//! The numbers of the paper's tables, and each rule on its own.

use std::fs;
use std::path::Path;

use wattle_logic::{Binary, Sort, Term};
use wattle_memory::reduction::{Capacity, Discipline, Reduced, named};
use wattle_program::passes::instantiate;
use wattle_program::{Program, text};

use super::{Rules, extrapolate, extrapolate_cubes};

fn parse(source: &str) -> Program {
    let program = wattle_frontend_wtl::FRONTEND.read("test.wtl", source).unwrap().program;
    instantiate(&program).unwrap()
}

fn corpus(path: &str) -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    parse(&fs::read_to_string(root.join(path)).unwrap())
}

fn reduced(program: &Program, discipline: Discipline, each: u32) -> Reduced {
    named(discipline).reduce(program, &Capacity::all(each)).unwrap()
}

fn printed(reduced: &Reduced, terms: &[Term]) -> Vec<String> {
    terms.iter().map(|term| text::print_term(&reduced.program, term)).collect()
}

fn content(program: &Program, name: &str, index: Option<i64>) -> Term {
    let variable = program.variables.iter().position(|variable| &*variable.name == name).unwrap();
    let indices = index.into_iter().map(Term::int).collect();
    Term::content(Term::address(variable as u32, indices), Sort::Int)
}

/// Section 2.3's list.
#[test]
fn the_fifteen_predicates_of_the_alternating_bit_protocol() {
    let program = corpus("abp/abp_unbounded.wtl");
    let reduced = reduced(&program, Discipline::Pso, 1);
    let found = extrapolate(&program.predicates, &reduced, &Rules::default());
    let expected = [
        "mem(&msg) == 0",
        "mem(&ack) == 0",
        "sender[0].ss == 0",
        "sender[0].a == 0",
        "receiver[0].m == 0",
        "receiver[0].rs == 0",
        "receiver[0].rcnt == sender[0].scnt",
        "receiver[0].rcnt + 1 == sender[0].scnt",
        "sender[0].msg_cnt == 0",
        "sender[0].msg_cnt == 1",
        "receiver[0].ack_cnt == 0",
        "receiver[0].ack_cnt == 1",
        "sender[0].msg_1 == 0",
        "receiver[0].ack_1 == 0",
        "mem(&overflow) == 0",
    ];
    assert_eq!(printed(&reduced, &found), expected);
}

/// Table 1 counts 17 for TSO.
#[test]
fn the_seventeen_predicates_under_tso() {
    let program = corpus("abp/abp_unbounded.wtl");
    let reduced = reduced(&program, Discipline::Tso, 1);
    let found = extrapolate(&program.predicates, &reduced, &Rules::default());
    let expected = [
        "sender[0].cnt == 0",
        "sender[0].cnt == 1",
        "receiver[0].cnt == 0",
        "receiver[0].cnt == 1",
        "sender[0].lhs_1 == 0",
        "receiver[0].lhs_1 == 1",
        "sender[0].rhs_1 == 0",
        "receiver[0].rhs_1 == 0",
        "mem(&overflow) == 0",
    ];
    assert_eq!(printed(&reduced, &found)[8..], expected);
}

/// Table 1: from 7 predicates, of which three over shared variables, 20 for PSO and 18 for TSO. So it is
/// for Dekker's and for Peterson's algorithm.
#[test]
fn the_numbers_of_peterson_and_dekker() {
    for path in ["peterson/peterson_fenced_pso.wtl", "dekker/dekker_fenced.wtl"] {
        let program = corpus(path);
        let zero = |term: Term| term.equals(Term::int(0));
        let shared = [("flag", Some(0)), ("flag", Some(1)), ("turn", None)];
        let shared = shared.map(|(name, index)| zero(content(&program, name, index)));
        let local = |thread: u32, local| zero(Term::local_of(thread, Term::int(0), local, Sort::Int));
        let predicates: Vec<Term> =
            shared.into_iter().chain([local(0, 1), local(0, 2), local(1, 1), local(1, 2)]).collect();
        let count =
            |discipline| extrapolate(&predicates, &reduced(&program, discipline, 1), &Rules::default()).len();
        assert_eq!((count(Discipline::Pso), count(Discipline::Tso)), (20, 18), "{path}");
    }
}

const TWO: &str = "
shared x = 0, y = 0;
thread p { x = 1; FENCE y = 1; FENCE }
thread q { local r; r = x; y = 2; FENCE }
always x + y <= 5;
";

fn sum(program: &Program) -> Term {
    let (x, y) = (content(program, "x", None), content(program, "y", None));
    Term::binary(Binary::LessEqual, Term::binary(Binary::Add, x, y), Term::int(5))
}

fn lifted(source: &str, discipline: Discipline, each: u32, rules: &Rules) -> Vec<String> {
    let program = parse(source);
    let reduced = reduced(&program, discipline, each);
    let predicate = sum(&program);
    let all = printed(&reduced, &extrapolate(&[predicate], &reduced, rules));
    all.into_iter().filter(|text| text.contains('+')).collect()
}

#[test]
fn one_buffered_variable_where_fences_stand_between_stores() {
    let fenced = TWO.replace("FENCE", "fence;");
    let one = [
        "mem(&x) + mem(&y) <= 5",
        "mem(&x) + p[0].y_1 <= 5",
        "mem(&x) + q[0].y_1 <= 5",
        "p[0].x_1 + mem(&y) <= 5",
    ];
    assert_eq!(lifted(&fenced, Discipline::Pso, 1, &Rules::default()), one);
    let mut all = one.to_vec();
    all.extend(["p[0].x_1 + p[0].y_1 <= 5", "p[0].x_1 + q[0].y_1 <= 5"]);
    let off = Rules { one_buffered: false, ..Rules::default() };
    assert_eq!(lifted(&fenced, Discipline::Pso, 1, &off), all);
    // Without the fences the rule does not apply.
    let unfenced = TWO.replace("FENCE", "");
    assert_eq!(lifted(&unfenced, Discipline::Pso, 1, &Rules::default()), all);
    // Nor with the fences of one thread only, nor with one that is passed by on some path.
    let some = TWO.replacen("FENCE", "fence;", 1).replace("FENCE", "");
    let q_only = TWO.replacen("FENCE", "", 2).replace("FENCE", "fence;");
    assert_eq!(lifted(&q_only, Discipline::Pso, 1, &Rules::default()), all);
    assert_eq!(lifted(&some, Discipline::Pso, 1, &Rules::default()), one, "a last store needs no fence");
    let maybe = TWO.replacen("FENCE", "if (*) fence;", 1).replace("FENCE", "fence;");
    assert_eq!(lifted(&maybe, Discipline::Pso, 1, &Rules::default()), all);
}

#[test]
fn under_tso_a_slot_holds_one_location() {
    let unfenced = TWO.replace("FENCE", "");
    let expected = [
        "mem(&x) + mem(&y) <= 5",
        "mem(&x) + p[0].rhs_1 <= 5",
        "mem(&x) + q[0].rhs_1 <= 5",
        "p[0].rhs_1 + mem(&y) <= 5",
        "p[0].rhs_1 + q[0].rhs_1 <= 5",
    ];
    assert_eq!(lifted(&unfenced, Discipline::Tso, 1, &Rules::default()), expected);
    let two = lifted(&unfenced, Discipline::Tso, 2, &Rules::default());
    assert!(two.contains(&"p[0].rhs_1 + p[0].rhs_2 <= 5".to_owned()), "{two:?}");
    // q never stores to x.
    let off = Rules { read_only: false, ..Rules::default() };
    let more = lifted(&unfenced, Discipline::Tso, 1, &off);
    assert!(more.contains(&"q[0].rhs_1 + mem(&y) <= 5".to_owned()), "{more:?}");
    assert_eq!(more.len(), 7);
}

#[test]
fn occurrences_on_their_own() {
    let program = parse(&TWO.replace("FENCE", ""));
    let reduced = reduced(&program, Discipline::Pso, 1);
    let x = || content(&program, "x", None);
    let twice = Term::binary(Binary::LessEqual, x(), Term::binary(Binary::Multiply, x(), Term::int(2)));
    let texts = |rules: &Rules| -> Vec<String> {
        let all = printed(&reduced, &extrapolate(std::slice::from_ref(&twice), &reduced, rules));
        all.into_iter().filter(|text| text.contains("<=")).collect()
    };
    let same = ["mem(&x) <= mem(&x) * 2", "p[0].x_1 <= p[0].x_1 * 2"];
    assert_eq!(texts(&Rules::default()), same);
    let all = texts(&Rules { same_place: false, ..Rules::default() });
    let expected = [
        "mem(&x) <= mem(&x) * 2",
        "mem(&x) <= p[0].x_1 * 2",
        "p[0].x_1 <= mem(&x) * 2",
        "p[0].x_1 <= p[0].x_1 * 2",
    ];
    assert_eq!(all, expected);
}

#[test]
fn equalities_between_slots_and_memory() {
    let program = parse(&TWO.replace("FENCE", ""));
    let equalities = |discipline| -> Vec<String> {
        let reduced = reduced(&program, discipline, 2);
        let without = extrapolate(&[], &reduced, &Rules::default());
        let mut all = extrapolate(&[], &reduced, &Rules { equalities: true, ..Rules::default() });
        all.retain(|term| !without.contains(term));
        printed(&reduced, &all)
    };
    let pso = [
        "p[0].x_1 == p[0].x_2",
        "p[0].x_1 == mem(&x)",
        "p[0].x_2 == mem(&x)",
        "p[0].y_1 == p[0].y_2",
        "p[0].y_1 == mem(&y)",
        "p[0].y_2 == mem(&y)",
        "q[0].y_1 == q[0].y_2",
        "q[0].y_1 == mem(&y)",
        "q[0].y_2 == mem(&y)",
    ];
    assert_eq!(equalities(Discipline::Pso), pso);
    let tso = [
        "p[0].rhs_1 == p[0].rhs_2",
        "p[0].rhs_1 == mem(&x)",
        "p[0].rhs_1 == mem(&y)",
        "p[0].rhs_2 == mem(&x)",
        "p[0].rhs_2 == mem(&y)",
        "q[0].rhs_1 == q[0].rhs_2",
        "q[0].rhs_1 == mem(&y)",
        "q[0].rhs_2 == mem(&y)",
    ];
    assert_eq!(equalities(Discipline::Tso), tso);
}

#[test]
fn cubes_are_lifted_as_a_whole() {
    let program = parse(&TWO.replace("FENCE", ""));
    let is = |name, value| content(&program, name, None).equals(Term::int(value));
    let r = Term::local_of(1, Term::int(0), 0, Sort::Int).equals(Term::int(0));
    let cubes = [
        vec![(is("x", 0), true), (is("x", 1), false), (r.clone(), true)],
        vec![(is("x", 1), true), (is("y", 1), false)],
    ];
    let pso = reduced(&program, Discipline::Pso, 1);
    let texts = |reduced: &Reduced| -> Vec<String> {
        let all = extrapolate_cubes(&cubes, reduced, &Rules::default());
        let literal = |(term, value): &(Term, bool)| {
            let text = text::print_term(&reduced.program, term);
            if *value { text } else { format!("!({text})") }
        };
        all.iter().map(|cube| cube.iter().map(literal).collect::<Vec<_>>().join(", ")).collect()
    };
    let expected = [
        "mem(&x) == 0, !(mem(&x) == 1), q[0].r == 0",
        "mem(&x) == 1, !(mem(&y) == 1)",
        "p[0].x_1 == 0, !(p[0].x_1 == 1), q[0].r == 0",
        "mem(&x) == 1, !(p[0].y_1 == 1)",
        "mem(&x) == 1, !(q[0].y_1 == 1)",
        "p[0].x_1 == 1, !(mem(&y) == 1)",
        "p[0].x_1 == 1, !(p[0].y_1 == 1)",
        "p[0].x_1 == 1, !(q[0].y_1 == 1)",
    ];
    assert_eq!(texts(&pso), expected);
    // x and y are not in the same slot.
    let tso = texts(&reduced(&program, Discipline::Tso, 1));
    assert_eq!(tso.len(), 7, "{tso:?}");
}
