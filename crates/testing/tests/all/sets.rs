//! Sets of integers in the explicit search: against the plain search on random programs, and at the limit of
//! what is known exactly.

use std::fmt::Write;

use wattle_engine::{Budget, Engine, Halt, Outcomes, Property, Reason, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_judge::certify::{certify, explore_all};
use wattle_judge::confirm;
use wattle_logic::Value;
use wattle_memory::find;
use wattle_program::{Program, validate};
use wattle_testing::{Limits, Subject, compare};

fn parse(text: &str) -> Program {
    let mut sources = wattle_source::Sources::default();
    let file = sources.add("sets.wir", text);
    let program =
        wattle_program::text::parse(&sources, file).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    validate(&program).unwrap();
    program
}

/// One thread with a set `s` and an integer `r` (its range as given) that takes these edges in turn.
fn straight(start: &str, range: &str, edges: &[&str], rest: &str) -> Program {
    let mut text = format!(
        "wir 1\nprogram \"sets\"\nvocabulary generic\nvariable x : int init 0\nprocess p\n  \
         local s : intset init {start}\n  local r : int{range} init 0\n  entry 0\n"
    );
    (0..edges.len()).for_each(|point| writeln!(text, "  point {point}").unwrap());
    writeln!(text, "  point {} end", edges.len()).unwrap();
    for (number, edge) in edges.iter().enumerate() {
        writeln!(text, "  edge {number} -> {} {edge} @1..2", number + 1).unwrap();
    }
    parse(&(text + rest))
}

/// `{100, 101, ...}` with so many elements.
fn large(count: i64) -> String {
    let elements: Vec<String> = (100..100 + count).map(|element| element.to_string()).collect();
    format!("{{{}}}", elements.join(", "))
}

fn ask(program: &Program, property: Property) -> Verdict {
    let task = Task { program, memory: find("sc").unwrap(), property, hints: None };
    let run = Run::new(Budget { states: Some(10_000), ..Budget::default() });
    let answer = Explore::default().check(&task, &run).unwrap();
    match &answer.verdict {
        Verdict::Unsafe { counterexample } => {
            confirm::confirm(&task, counterexample).unwrap();
        }
        Verdict::Safe { certificate } => {
            certify(&task, certificate, answer.coverage.as_ref(), || Err(String::new()), &Run::default())
                .unwrap();
        }
        _ => {}
    }
    answer.verdict
}

fn is_safe(program: &Program) -> bool {
    matches!(ask(program, Property::Stated), Verdict::Safe { .. })
}

fn is_unsafe(program: &Program) -> bool {
    matches!(ask(program, Property::Stated), Verdict::Unsafe { .. })
}

fn why(verdict: Verdict) -> String {
    match verdict {
        Verdict::Unknown { reason } => reason.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn small_sets_are_exact() {
    let twice = ["do assign s = s with 3", "do assign s = s with 3", "do assert s == {3} @0..0"];
    assert!(is_safe(&straight("{}", "", &twice, "")));
    let chosen = ["do assign s = s with 3 with -2", "do havoc r in s", "do assert r == 3 || r == -2 @0..0"];
    assert!(is_safe(&straight("{}", "", &chosen, "")));
    let both = ["do assign s = s with 3 with -2", "do havoc r in s", "do assert r == 3 @0..0"];
    assert!(is_unsafe(&straight("{}", "", &both, "")));
    let forgotten = ["do assign s = s with 3", "do forget s", "do assert s == {} && !(3 in s) @0..0"];
    assert!(is_safe(&straight("{7}", "", &forgotten, "")));
    // Nothing to choose: the edge cannot be taken, and what comes after is not reached.
    let nothing = ["do havoc r in s", "do assert false @0..0"];
    assert!(is_safe(&straight("{}", "", &nothing, "")));
    assert!(matches!(ask(&straight("{}", "", &nothing, ""), Property::NoDeadlock), Verdict::Unsafe { .. }));
    assert!(is_unsafe(&straight("{1}", "", &nothing, "")));
}

#[test]
fn the_64th_value_is_exact_and_the_65th_is_not() {
    let full = [
        "do assign s = s with 1",
        "do assert 1 in s && !(2 in s) @0..0",
        "do havoc r in s",
        "do assert r != 2 @0..0",
    ];
    assert!(is_safe(&straight(&large(63), "", &full, "")));
    // One that is there already changes nothing.
    let there = ["do assign s = s with 100", "do assert !(2 in s) @0..0"];
    assert!(is_safe(&straight(&large(64), "", &there, "")));
    // Beyond: what holds of every set that large is still known,
    let size = ["do assign s = s with 1", "do assert s != {} && s != {4} @0..0"];
    assert!(is_safe(&straight(&large(64), "", &size, "")));
    // and all else is neither a proof nor a violation, whichever way it is asked.
    for question in ["1 in s", "!(1 in s)", "2 in s", "s == s"] {
        let edge = format!("do assert {question} @0..0");
        let verdict =
            ask(&straight(&large(64), "", &["do assign s = s with 1", &edge], ""), Property::Stated);
        let why = why(verdict);
        assert!(why.contains("grew beyond 64 values"), "{question}: {why}");
    }
    // Emptied, it is exact again.
    let emptied = ["do assign s = s with 1", "do assign s = {}", "do assert !(1 in s) @0..0"];
    assert!(is_safe(&straight(&large(64), "", &emptied, "")));
    // What is bad whatever such a set holds is a violation.
    let anyway = ["do assign s = s with 1", "do assert s == {1} @0..0"];
    assert!(is_unsafe(&straight(&large(64), "", &anyway, "")));
}

#[test]
fn a_choice_from_a_large_set_is_any_value_of_the_range() {
    let edges = ["do assign s = s with 1", "do havoc r in s", "do assert r <= 7 @0..0"];
    assert!(is_safe(&straight(&large(64), " range 0..7", &edges, "")));
    let unknown = why(ask(&straight(&large(64), "", &edges, ""), Property::Stated));
    assert!(unknown.contains("without a small range"), "{unknown}");
    let edges = ["do assign s = s with 1", "do havoc r in s", "do assert r == 1 @0..0"];
    let unknown = why(ask(&straight(&large(64), " range 0..7", &edges, ""), Property::Stated));
    assert!(unknown.contains("an assertion may fail"), "{unknown}");
    // A real violation is found though another one before it is not.
    let edges = [
        "do assign s = s with 1",
        "do havoc r from 0 to 1",
        "do assert (if r == 0 then 5 in s else false) @0..0",
    ];
    assert!(is_unsafe(&straight(&large(64), " range 0..7", &edges, "")));
}

#[test]
fn deadlocks_and_outcomes_need_exact_sets() {
    let waits = ["do assign s = s with 1", "when 2 in s"];
    let unknown = why(ask(&straight(&large(64), "", &waits, ""), Property::NoDeadlock));
    assert!(unknown.contains("waits for ever"), "{unknown}");
    assert!(matches!(
        ask(&straight(&large(62), "", &waits, ""), Property::NoDeadlock),
        Verdict::Unsafe { .. }
    ));
    let outcomes = |count: i64, observed: &str| {
        let edges = ["do assign s = s with 1", "do havoc r in s"];
        let program = straight(&large(count), " range 0..7", &edges, &format!("observe {observed}\n"));
        let task =
            Task { program: &program, memory: find("sc").unwrap(), property: Property::Stated, hints: None };
        Explore::default().outcomes(&task, &Run::default())
    };
    assert_eq!(outcomes(3, "p[0].r").unwrap(), [vec![Value::Int(1)]].into());
    let set = Value::Set(std::sync::Arc::new([1, 100].into()));
    assert_eq!(outcomes(1, "p[0].s").unwrap(), [vec![set]].into());
    for observed in ["p[0].r", "p[0].s"] {
        assert!(matches!(outcomes(64, observed), Err(Halt::Unknown(Reason::TooLarge(_)))));
    }
}

#[test]
fn sets_and_numbers_are_kept_apart() {
    for edge in [
        "do assign r = s",
        "do assign s = r",
        "do store &x = s",
        "do assert s == r @0..0",
        "do havoc s from 0 to 3",
    ] {
        let program = straight("{}", "", &[edge], "");
        let unknown = why(ask(&program, Property::Stated));
        assert!(unknown.contains("a set where another value is needed"), "{edge}: {unknown}");
    }
    let unknown = why(ask(&straight("{}", "", &["do havoc s"], ""), Property::Stated));
    assert!(unknown.contains("infinitely many"), "{unknown}");
}

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len() as u64) as usize]
    }
}

/// Two threads that share a set and an integer. `start` is what all sets begin with.
fn random(seed: u64, start: &str) -> Program {
    let mut dice = Dice(seed);
    (0..8).for_each(|_| _ = dice.roll(2));
    let mut text = format!(
        "wir 1\nprogram \"random sets\"\nvocabulary generic\nvariable x : int range 0..3 init 0\nvariable v : intset init {start}\n"
    );
    for process in 0..2 {
        write!(
            text,
            "process p{process}\n  local s : intset init {start}\n  local r : int range 0..3 init 0\n  local b : bool init false\n  entry 0\n"
        )
        .unwrap();
        let points = 3 + dice.roll(3);
        (0..points).for_each(|point| writeln!(text, "  point {point}").unwrap());
        writeln!(text, "  point {points} end").unwrap();
        for from in 0..points {
            for _ in 0..1 + dice.roll(2) {
                let to = if dice.roll(5) == 0 { dice.roll(points) } else { from + 1 };
                let guard = dice.pick(&[
                    "",
                    "",
                    "",
                    " when r in s",
                    " when !(2 in s)",
                    " when s != {}",
                    " when r < 2",
                ]);
                let ops: Vec<String> = (0..1 + dice.roll(2)).map(|_| op(&mut dice)).collect();
                let span = 2 * from + 40 * process + 1;
                writeln!(text, "  edge {from} -> {to}{guard} do {} @{span}..{}", ops.join("; "), span + 1)
                    .unwrap();
            }
        }
    }
    let property = dice.pick(&[
        "forbid 3 in mem(&v)\n",
        "always mem(&x) in mem(&v) || mem(&x) < 1\n",
        "finally p0[0].s == p1[0].s\n",
        "",
    ]);
    parse(&(text + property + "observe p0[0].r\nobserve mem(&v)\nobserve p1[0].b\n"))
}

fn op(dice: &mut Dice) -> String {
    let small = dice.roll(4);
    match dice.roll(14) {
        0 => "assign s = s with r".into(),
        1 => format!("assign s = s with {small}"),
        2 => "assign s = {}".into(),
        3 => "forget s".into(),
        4 | 5 => "havoc r in s".into(),
        6 => format!("assign b = {small} in s"),
        7 => "assign b = s == {1} with r".into(),
        8 => "store &v = s with r".into(),
        9 | 10 => "load s from &v".into(),
        11 => ["store &x = r", "load r from &x", "havoc r from 0 to 2", "assign r = (if b then 1 else 2)"]
            [small as usize]
            .into(),
        _ => [
            "assert !b @0..0",
            "assert !(r in s) @0..0",
            "assert s == {} || r in s @0..0",
            "assert 1 in s @0..0",
        ][small as usize]
            .into(),
    }
}

#[test]
fn random_programs_with_sets_agree_with_the_plain_search() {
    let limits = Limits::default();
    let engines = [true, false].map(|reduction| Explore {
        reduction,
        threads: 2,
        max_capacity: Some(limits.capacity),
        ..Explore::default()
    });
    let subjects =
        [("reduced", &engines[0], false), ("unreduced", &engines[1], true)].map(|(name, engine, exact)| {
            Subject { name, engine, outcomes: Some(engine), exact, lists_unreached: true }
        });
    let models = [find("sc").unwrap(), find("tso").unwrap(), find("pso").unwrap()];
    let (mut compared, mut incomparable, mut violated) = (0, 0, 0);
    for seed in 0..300 {
        let program = random(seed, if seed % 2 == 0 { "{}" } else { "{1, 9}" });
        let found = compare(&program, &models, &subjects, &limits).unwrap_or_else(|error| {
            panic!("seed {seed}: {error:?}\n{}", wattle_program::text::print(&program))
        });
        compared += found.compared;
        incomparable += found.incomparable;
        violated += found.naive.iter().flatten().filter(|closure| closure.violation.is_some()).count();
    }
    assert!(
        compared > 2500 && incomparable * 4 < compared && violated > 100,
        "{compared} {incomparable} {violated}"
    );
}

/// The same programs with sets that cross the limit: *safe* and *unsafe* are right, and *unknown* says why.
#[test]
fn random_programs_with_large_sets_are_never_judged_wrongly() {
    let (mut safe, mut bad, mut unknown) = (0, 0, 0);
    for seed in 0..400 {
        let program = random(seed, &large(62 + seed as i64 % 3));
        let task =
            Task { program: &program, memory: find("sc").unwrap(), property: Property::Stated, hints: None };
        let run = || Run::new(Budget { states: Some(1500), ..Budget::default() });
        let Ok(plain) = explore_all(&task, None, true, &run()) else { continue };
        let reduction = seed % 2 == 0;
        let verdict =
            Explore { reduction, ..Explore::default() }.check(&task, &Run::default()).unwrap().verdict;
        let text = || format!("seed {seed}: {verdict:?}\n{}", wattle_program::text::print(&program));
        match &verdict {
            Verdict::Safe { .. } => {
                safe += 1;
                assert!(plain.violation.is_none(), "{}", text());
            }
            Verdict::Unsafe { counterexample } => {
                bad += 1;
                assert!(plain.violation.is_some(), "{}", text());
                confirm::confirm(&task, counterexample).unwrap_or_else(|_| panic!("{}", text()));
            }
            Verdict::Unknown { reason } => {
                unknown += 1;
                assert!(reason.to_string().contains("64"), "{}", text());
            }
            Verdict::SafeUpTo { .. } => panic!("{}", text()),
        }
    }
    assert!(safe > 60 && bad > 40 && unknown > 20, "{safe} {bad} {unknown}");
}
