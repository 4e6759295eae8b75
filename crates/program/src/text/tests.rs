//! What is printed parses to the same program.

use std::sync::Arc;

use wattle_logic::{Binary, Quantifier, Sort, Symbol, Term, Unary, Value};
use wattle_source::{Diagnostic, FileId, Sources, Span};

use super::{parse, print};
use crate::{
    Cfg, Choice, Dimension, Edge, Enumeration, Fence, Init, Local, Mode, Op, Orders, Origin, Place, Point,
    PointInfo, Process, ProcessId, Program, Property, PropertyKind, Range, Replicas, Role, Source, Update,
    Variable, Vocabulary,
};

fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let (sources, file) = Sources::single("test.wir", text);
    parse(&sources, file)
}

fn comes_back(program: &Program) {
    let text = print(program);
    let again = read(&text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    assert_eq!(again, *program, "{text}");
    assert_eq!(print(&again), text);
}

fn span(start: usize, end: usize) -> Span {
    Span::new(FileId(0), start, end)
}

const BYTE: Sort = Sort::Bits { width: 8, signed: false };

fn local(name: &str, sort: Sort, init: Init, hidden: bool) -> Local {
    Local { name: name.into(), sort, range: None, init, hidden }
}

/// Names that collide, names with odd letters, every sort, and nothing done yet.
fn frame() -> Program {
    let variable = |name: &str, sort, dimensions| Variable {
        name: name.into(),
        sort,
        dimensions,
        range: None,
        init: Init::Values(vec![Term::value(sort.zero(), sort)]),
        unbuffered: false,
        place: None,
        owner: None,
        span: Span::NOWHERE,
    };
    let enumeration = |name: &str, constructors: &[&str]| Enumeration {
        name: name.into(),
        constructors: constructors.iter().map(|name| (*name).into()).collect(),
    };
    let any = || Init::Any;
    let process = |name: &str, replicas, locals| {
        let mut cfg = Cfg::default();
        for number in 0..4 {
            let labels = if number == 1 { vec!["cs".into(), "in".into()] } else { vec![] };
            cfg.add_point(PointInfo { labels, ..PointInfo::default() });
        }
        Process { name: name.into(), replicas, locals, cfg, span: span(3, 4) }
    };
    Program {
        name: "a \"quoted\"\nname \\ é \u{7}".into(),
        vocabulary: Vocabulary::Rma,
        enumerations: vec![
            enumeration("colour", &["red", "green", "me"]),
            enumeration("u8", &["red"]),
            enumeration("twice", &["a"]),
            enumeration("twice", &["a", "b", "b"]),
            enumeration("none of these", &[]),
        ],
        variables: vec![
            variable("x", Sort::Int, vec![]),
            variable("flag", BYTE, vec![Dimension::Fixed(2), Dimension::Copies(ProcessId(1))]),
            variable("x", Sort::Bool, vec![]),
            variable("while", Sort::Enum(0), vec![]),
            variable("int", Sort::Enum(3), vec![]),
            variable("p[0]", Sort::Address, vec![]),
            variable("", Sort::Process, vec![]),
            variable("set", Sort::IntSet, vec![]),
            variable("e", Sort::Enum(1), vec![]),
            Variable {
                place: Some(Place { object: 1, offset: 8, strides: vec![16] }),
                ..variable("nodes[].next", Sort::WORD, vec![Dimension::Fixed(3)])
            },
        ],
        processes: vec![
            process(
                "p",
                Replicas::Once,
                vec![
                    local("r", Sort::Int, any(), false),
                    local("flag[other]", BYTE, Init::Values(vec![Term::me()]), true),
                    local("$s", Sort::Bool, Init::Values(vec![]), false),
                    local("r2", Sort::Enum(0), any(), false),
                    local("r2", Sort::Enum(3), any(), true),
                    local("a", Sort::Address, any(), false),
                    local("set", Sort::IntSet, any(), false),
                    local("who", Sort::Process, any(), false),
                    local("w", Sort::Bits { width: 33, signed: true }, any(), false),
                ],
            ),
            process("q", Replicas::Exactly(3), vec![local("r", Sort::Bool, any(), false)]),
            process("twin", Replicas::Any, vec![]),
            process("twin", Replicas::Exactly(0), vec![]),
        ],
        init: None,
        properties: vec![],
        observed: vec![],
        condition: None,
        filter: None,
        predicates: vec![],
    }
}

fn with_ops(ops: Vec<Op>) -> Program {
    let mut program = frame();
    let edge = Edge {
        from: Point(0),
        guard: Term::bool(true),
        ops,
        to: Point(1),
        mode: Mode::Plain,
        role: Role::Step,
        origin: Origin::default(),
    };
    program.processes[0].cfg.edges.push(edge);
    program
}

fn r() -> Term {
    Term::local(0, Sort::Int)
}

fn x() -> Term {
    Term::address(0, vec![])
}

#[test]
fn every_operation() {
    let tags = || ["acq".into(), "rel".into(), "tagged".into(), "a b".into()].into();
    let none = Default::default;
    let fence = |tag: &str, orders, cumulative, location| {
        Op::Fence(Fence { tag: tag.into(), orders, cumulative, location })
    };
    let ops = vec![
        Op::Load { into: 0, address: x(), tags: none() },
        Op::Load { into: 1, address: Term::address(1, vec![r(), Term::me()]), tags: tags() },
        Op::Load { into: 4, address: Term::local(5, Sort::Address), tags: none() },
        Op::Store { address: x(), value: Term::int(-1), tags: none() },
        Op::Store { address: x(), value: r(), tags: tags() },
        Op::Assign { local: 3, value: Term::value(Value::Symbol(2), Sort::Enum(0)) },
        Op::Havoc { local: 2, among: Choice::Any },
        Op::Havoc { local: 0, among: Choice::Between(Term::int(0), r()) },
        Op::Havoc { local: 0, among: Choice::Member(Term::local(6, Sort::IntSet)) },
        Op::Forget { local: 7 },
        Op::Assume { condition: r().equals(Term::int(0)) },
        Op::Assert { condition: Term::bool(false), span: span(7, 9) },
        Op::Assert { condition: Term::bool(false), span: Span::NOWHERE },
        Op::Fence(Fence::full()),
        fence("lwsync", Orders(11), false, None),
        fence("rr", Orders::RR, true, Some(x())),
        fence("odd one", Orders::NONE, false, None),
        fence("bits", Orders(255), false, None),
        Op::Put { remote: x(), source: Source::Location(Term::address(2, vec![])) },
        Op::Put { remote: x(), source: Source::Value(r()) },
        Op::Get { into: x(), remote: Term::address(5, vec![]) },
        Op::RemoteAtomic { into: None, remote: x(), update: Update::Add(r()) },
        Op::RemoteAtomic { into: Some(x()), remote: x(), update: Update::Replace(r()) },
        Op::RemoteAtomic {
            into: Some(x()),
            remote: x(),
            update: Update::CompareAndSwap { expected: r(), new: Term::int(1) },
        },
        Op::Flush { process: ProcessId(1), copy: r() },
        Op::LoadExclusive { into: 0, address: x(), tags: tags() },
        Op::StoreConditional { success: 2, address: x(), value: r(), tags: tags() },
        Op::StoreConditional { success: 2, address: x(), value: r(), tags: none() },
        Op::Spawn { process: ProcessId(2), copy: Term::int(0) },
        Op::Join { process: ProcessId(3), copy: Term::int(0) },
        Op::Cut { what: "heap cells of the `malloc`".into(), span: Span::NOWHERE },
        Op::Unsupported { what: "longjmp in \"signal\"".into(), span: Span::NOWHERE },
    ];
    for op in &ops {
        comes_back(&with_ops(vec![op.clone()]));
    }
    comes_back(&with_ops(ops));
}

#[test]
fn every_kind_of_term() {
    let set =
        |values: &[i64]| Term::value(Value::Set(Arc::new(values.iter().copied().collect())), Sort::IntSet);
    let enumerated = |value, of| Term::value(Value::Symbol(value), Sort::Enum(of));
    let mut terms = vec![
        Term::int(0),
        Term::int(i64::MIN),
        Term::int(i64::MAX),
        Term::value(Value::Int(255), BYTE),
        Term::value(Value::Int(-1), Sort::Bits { width: 64, signed: true }),
        Term::bool(true),
        Term::value(Value::Bool(true), Sort::Int),
        enumerated(0, 0),
        enumerated(2, 0),
        enumerated(9, 0),
        enumerated(0, 1),
        enumerated(0, 2),
        enumerated(0, 3),
        enumerated(1, 3),
        enumerated(0, 4),
        enumerated(0, 77),
        Term::value(Value::Address(7), Sort::Address),
        Term::value(Value::Process(2), Sort::Process),
        set(&[]),
        set(&[-3, 0, 5]),
        r(),
        Term::local(1, BYTE),
        Term::local(3, Sort::Enum(0)),
        Term::local(4, Sort::Enum(3)),
        Term::local(0, BYTE),
        Term::local(99, Sort::Int),
        Term::local(99, Sort::Bool),
        Term::me(),
        Term::symbol(Symbol::Me, Sort::Process),
        Term::copies(1),
        Term::copies(2),
        Term::bound(3),
        Term::if_then_else(Term::bool(true), r(), Term::int(2)),
        Term::binary(Binary::Add, Term::if_then_else(Term::bool(true), r(), Term::int(2)), r()),
        x(),
        Term::address(3, vec![]),
        Term::address(6, vec![]),
        Term::address(99, vec![]),
        Term::address(1, vec![Term::int(0), Term::binary(Binary::Subtract, Term::int(1), Term::me())]),
        Term::content(x(), Sort::Int),
        Term::content(x(), Sort::Bool),
        Term::content(Term::address(1, vec![r(), r()]), BYTE),
        Term::content(Term::binary(Binary::Offset, x(), r()), Sort::Int),
        Term::content(Term::binary(Binary::Offset, x(), r()), BYTE),
        Term::seen(1, Term::bound_process(3), x(), Sort::Int),
        Term::seen(1, r(), Term::address(1, vec![r(), Term::me_process()]), BYTE),
        Term::seen(2, r(), Term::binary(Binary::Offset, x(), r()), BYTE),
        Term::at(0, Term::int(0), 1),
        Term::at(1, r(), 0),
        Term::at(2, r(), 1),
        Term::at(9, r(), 9),
        Term::ended(1, Term::bound(0)),
        Term::local_of(0, Term::int(0), 1, BYTE),
        Term::local_of(0, Term::int(0), 3, Sort::Enum(0)),
        Term::local_of(0, Term::int(0), 4, Sort::Enum(3)),
        Term::local_of(1, Term::me(), 0, Sort::Int),
        Term::local_of(9, Term::me(), 9, Sort::Int),
        Term::quantified(Quantifier::Forall, 0, 1, Term::at(1, Term::bound(0), 1)),
        Term::quantified(Quantifier::Exists, 2, 3, Term::bool(true)).and(Term::bool(false)),
        Term::binary(Binary::Insert, set(&[1]), Term::int(2)),
        Term::binary(Binary::Member, Term::int(2), set(&[1])),
        Term::unary(Unary::Negate, Term::int(3)),
        Term::unary(Unary::Negate, Term::int(-3)),
        Term::unary(Unary::Negate, Term::unary(Unary::Negate, r())),
        Term::unary(Unary::Complement, Term::unary(Unary::Not, Term::local(2, Sort::Bool))),
    ];
    for operator in super::print::OPERATORS {
        terms.push(Term::binary(operator, r(), Term::int(-1)));
        terms.push(Term::binary(operator, r(), x()));
    }
    let many = terms.clone().into_iter().reduce(|a, b| Term::binary(Binary::Add, a, b)).unwrap();
    terms.push(many);
    for term in &terms {
        comes_back(&with_ops(vec![Op::Assign { local: 0, value: term.clone() }]));
        let mut program = frame();
        program.predicates.push(term.clone());
        comes_back(&program);
    }
}

#[test]
fn every_part_of_a_program() {
    for (_, vocabulary) in Vocabulary::ALL {
        comes_back(&Program { vocabulary, ..frame() });
    }
    let mut program = frame();
    program.variables[0].range = Some(Range { low: -5, high: 3 });
    program.variables[0].owner = Some(ProcessId(2));
    program.variables[0].unbuffered = true;
    program.variables[1].unbuffered = true;
    program.variables[0].span = Span::new(FileId(2), 5, 6);
    program.variables[1].init = Init::Values(vec![Term::int(1), Term::int(-2), Term::me()]);
    program.variables[2].init = Init::Any;
    program.variables[3].init = Init::Values(vec![]);
    program.processes[0].locals[0].range = Some(Range { low: 0, high: 1 });
    program.processes[0].locals[1].range = Some(Range { low: i64::MIN, high: i64::MAX });
    let cfg = &mut program.processes[0].cfg;
    cfg.entry = Point(2);
    for inside in [None, Some(Mode::Plain), Some(Mode::Locked), Some(Mode::Buffered)] {
        for flag in [false, true] {
            let labels = if flag { vec!["label".into(), "x y".into()] } else { vec![] };
            let origin = Origin(if flag { span(1, 2) } else { Span::new(FileId(3), 0, 0) });
            cfg.add_point(PointInfo { labels, end: flag, inside, origin });
        }
    }
    for mode in [Mode::Plain, Mode::Locked, Mode::Buffered] {
        for (guard, ops) in [
            (Term::bool(true), vec![]),
            (Term::bool(false), vec![Op::Forget { local: 0 }]),
            (
                Term::value(Value::Bool(true), Sort::Int),
                vec![Op::Forget { local: 0 }, Op::Forget { local: 1 }],
            ),
        ] {
            let origin = Origin(span(4, 5));
            let role = [Role::Step, Role::Retries, Role::Asserts][ops.len()];
            cfg.edges.push(Edge { from: Point(0), guard, ops, to: Point(7), mode, role, origin });
        }
    }
    let formula = Term::at(0, Term::int(0), 1).and(Term::ended(1, Term::int(2)));
    for kind in [PropertyKind::Forbid, PropertyKind::Always, PropertyKind::Finally] {
        for span in [Span::NOWHERE, span(8, 9)] {
            program.properties.push(Property { kind, formula: formula.clone(), span });
        }
    }
    program.init = Some(Term::content(x(), Sort::Int).equals(Term::int(3)));
    program.filter = Some(formula.clone());
    program.observed = vec![Term::local_of(0, Term::int(0), 0, Sort::Int), formula];
    comes_back(&program);
}

/// A copy that has become a process of its own reads as in the text, unless that could be another one's copy.
#[test]
fn copies_that_are_processes() {
    let mut program = frame();
    let named = |names: [&str; 3], program: &mut Program| {
        for (process, name) in program.processes.iter_mut().zip(names) {
            process.name = name.into();
        }
        print(program)
    };
    let formula = Term::at(1, Term::int(0), 1).and(Term::ended(1, Term::int(0)));
    program.predicates = vec![formula, Term::local_of(1, Term::int(0), 0, Sort::Int).equals(Term::int(2))];
    program.predicates.push(Term::ended(1, Term::int(1)));
    let text = named(["p[0]", "p[1]", "q"], &mut program);
    assert!(text.contains("predicate p[1]@cs && ended(p[1])\n"), "{text}");
    assert!(text.contains("predicate p[1].") && text.contains("predicate ended(\"p[1]\"[1])\n"), "{text}");
    comes_back(&program);
    for names in [
        ["p", "p[1]", "q"],
        ["p[1]", "p[1]", "q"],
        ["a", "p q[1]", "q"],
        ["a", "me[1]", "q"],
        ["a", "p[x]", "q"],
    ] {
        let text = named(names, &mut program);
        assert!(text.contains("[1]\"[0]") || text.contains("#1[0]") || text.contains("[x]\"[0]"), "{text}");
        comes_back(&program);
    }
}

/// A small generator (xorshift); the seed is fixed, so runs are equal.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn term(&mut self, depth: u32) -> Term {
        if depth == 0 || self.below(8) == 0 {
            return match self.below(9) {
                0 => Term::int(self.below(20) as i64 - 10),
                1 => Term::value(Value::Int(self.below(256) as i64), BYTE),
                2 => Term::bool(self.below(2) == 0),
                3 => r(),
                4 => Term::local(1, BYTE),
                5 => Term::me(),
                6 => x(),
                7 => Term::value(Value::Symbol(1), Sort::Enum(0)),
                _ => Term::content(x(), Sort::Int),
            };
        }
        match self.below(8) {
            0 => {
                let operators = [Unary::Not, Unary::Negate, Unary::Complement];
                Term::unary(operators[self.below(3) as usize], self.term(depth - 1))
            }
            1 => {
                let condition = self.term(depth - 1);
                let then = self.term(depth - 1);
                Term::if_then_else(condition, then, self.term(depth - 1))
            }
            2 => Term::address(1, vec![self.term(depth - 1), self.term(depth - 1)]),
            3 => Term::quantified(Quantifier::Exists, 1, 2, self.term(depth - 1)),
            4 => Term::at(1, self.term(depth - 1), self.below(4) as u32),
            _ => {
                let operators = super::print::OPERATORS;
                let operator = operators[self.below(operators.len() as u64) as usize];
                let left = self.term(depth - 1);
                Term::binary(operator, left, self.term(depth - 1))
            }
        }
    }
}

#[test]
fn random_terms() {
    let mut random = Random(0x5eed_0017);
    for _ in 0..1000 {
        let value = random.term(5);
        comes_back(&with_ops(vec![Op::Assign { local: 0, value }]));
    }
}

#[test]
fn a_dump_can_be_read_by_people() {
    let mut program = frame();
    program.enumerations.clear();
    program.variables.truncate(2);
    program.processes.truncate(2);
    program.processes[0].locals.truncate(2);
    let condition = r().equals(Term::int(0)).and(Term::me().equals(Term::int(1)).negated());
    program.processes[0].cfg.edges.push(Edge {
        from: Point(0),
        guard: condition,
        ops: vec![
            Op::Load {
                into: 1,
                address: Term::address(1, vec![Term::int(0), r()]),
                tags: Default::default(),
            },
            Op::Store {
                address: x(),
                value: Term::binary(Binary::Add, r(), Term::int(1)),
                tags: ["rel".into()].into(),
            },
        ],
        to: Point(1),
        mode: Mode::Locked,
        role: Role::Step,
        origin: Origin(span(12, 34)),
    });
    let bad = Term::at(0, Term::int(0), 1).and(Term::at(1, Term::int(2), 3));
    program.properties.push(Property { kind: PropertyKind::Forbid, formula: bad, span: span(40, 50) });
    let text = print(&program);
    let line = "  edge 0 -> 1 locked when r == 0 && !(me == 1) do load \"flag[other]\" from &flag[0][r]; store &x = r + 1 tagged rel @12..34\n";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("\nforbid p[0]@cs && q[2]@#3 @40..50\n"), "{text}");
    assert!(text.contains("\nvariable flag[2][copies q] : u8 init 0:u8\n"), "{text}");
    assert!(text.contains("\n  local \"flag[other]\" : u8 init me hidden\n"), "{text}");
}

#[test]
fn errors_have_codes_and_places() {
    let begin = "wir 1\nvariable x : int init 0\nprocess p\n  local r : int init 0\n  entry 0\n  point 0\n";
    for (line, code, at) in [
        ("nonsense 3", "wir-syntax", "nonsense"),
        ("  edge 0 -> 0 do jump r", "wir-syntax", "jump"),
        ("  edge 0 > 0", "wir-syntax", ">"),
        ("  edge 0 -> 0 do load s from &x", "wir-unknown-name", "s"),
        ("  edge 0 -> 0 do load r from &y", "wir-unknown-name", "y"),
        ("  edge 0 -> 0 when r ==", "wir-syntax", ""),
        ("  edge 0 -> 0 when r == 1 2", "wir-syntax", "2"),
        ("  edge 99999999999999999999 -> 0", "wir-number", "99999999999999999999"),
        ("  point 7", "wir-syntax", "7"),
        ("  local do : int init 0", "wir-syntax", "do"),
        ("  local t : int range 3..1 init 0", "wir-range", "1"),
        ("forbid p[0]@nowhere", "wir-unknown-name", "nowhere"),
        ("forbid p[0]", "wir-syntax", ""),
        ("forbid z[0]@#1", "wir-unknown-name", "z"),
        ("variable y : integer init 0", "wir-unknown-name", "integer"),
        ("program p", "wir-syntax", "p"),
        ("vocabulary latin", "wir-unknown-name", "latin"),
        ("filter \"open", "wir-syntax", "\"open"),
        ("filter ;;", "wir-syntax", ";"),
        ("filter é", "wir-syntax", "é"),
    ] {
        let text = format!("{begin}{line}\n");
        let problems = read(&text).unwrap_err();
        assert_eq!(problems.len(), 1, "{line}: {problems:#?}");
        assert_eq!(problems[0].code, code, "{line}");
        let (sources, _) = Sources::single("test.wir", &text);
        assert_eq!(sources.slice(problems[0].span()), at, "{line}: {problems:#?}");
        assert_eq!(sources.start(problems[0].span()).line, 7, "{line}");
    }
}

#[test]
fn all_errors_are_found_in_one_run() {
    let problems = read("wir 1\nvariable x\nprocess p\n  edge 0\n  point x\nforbid\n").unwrap_err();
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert_eq!(read("").unwrap_err()[0].code, "wir-header");
    assert_eq!(read("wir 2\n").unwrap_err()[0].code, "wir-header");
    assert_eq!(read("wir 1\n  edge 0 -> 0").unwrap_err()[0].code, "wir-syntax");
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("(", ")"), ("-", ""), ("mem(", ")"), ("(if ", "")] {
        let text = format!("wir 1\npredicate {}1{}\n", open.repeat(100_000), close.repeat(100_000));
        let problems = read(&text).unwrap_err();
        assert_eq!(problems[0].code, "wir-nesting", "{open}");
    }
    let text = format!("wir 1\npredicate 1{}\n", " + 1".repeat(100_000));
    assert_eq!(read(&text).unwrap_err()[0].code, "wir-nesting");
}

#[test]
fn damaged_text_never_panics() {
    let mut program = frame();
    let mut random = Random(0x5eed_0018);
    for _ in 0..10 {
        let value = random.term(4);
        program.processes[0]
            .cfg
            .edges
            .extend(with_ops(vec![Op::Assign { local: 0, value }]).processes[0].cfg.edges.clone());
    }
    let text = print(&program);
    for _ in 0..3000 {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(letters.len() as u64) as usize;
            match random.below(3) {
                0 if letters.len() > 20 => drop(letters.remove(at)),
                1 => letters[at] = ['(', '"', '@', '#', '\n', 'é', '-', '9'][random.below(8) as usize],
                _ => letters.truncate(at.max(20)),
            }
        }
        let _ = read(&letters.into_iter().collect::<String>());
    }
}

/// A transition of a parameterised system: parameters are chosen, guards see memory, stores happen together.
#[test]
fn joint_steps() {
    let text = "wir 1
program \"mutex_N.cub\"
vocabulary generic
enum loc { L1 L2 L3 }
variable PC[copies proc] : loc init loc.L1 unbuffered
variable R[copies proc] : bool init false
process proc copies any
  local q : process init thread(0) hidden
  entry 0
  point 0
  edge 0 -> 0 do assume mem(&PC[me:process]) == loc.L1; together { &PC[me:process] = loc.L2, &R[me:process] = true }
  edge 0 -> 0 do fence fence rr rw wr ww cumulative; assume mem(&PC[me:process]) == loc.L2 && \
(forall ?0 in proc: ?0:process == me:process || seen(proc[me:process], &R[?0:process]) == false); \
together { &PC[me:process] = loc.L3 }
  edge 0 -> 0 locked do havoc q; assume q != me:process; assume seen(proc[me:process], &R[q]) == true; \
together { &R[me:process] = seen(proc[me:process], &R[q]), each ?0 in proc: &R[?0:process] = false when ?0:process < q }
forbid (exists ?0 in proc: (exists ?1 in proc: ?0:process != ?1:process && \
mem(&PC[?0:process]) == loc.L3 && seen(proc[?1:process], &R[?0:process]) == true))
"
    .replace("\\\n", "");
    let program = read(&text).unwrap();
    assert_eq!(print(&program), text);
    assert_eq!(crate::validate(&program), Ok(()));
    assert_eq!(program.named_process(), Some(ProcessId(0)));
    let named = crate::joint_step(&program).map(|unsupported| unsupported.what);
    assert_eq!(named.as_deref(), Some("a variable outside the store buffers"));
    assert!(
        crate::joint_step(&Program { variables: vec![], processes: vec![], ..program.clone() }).is_some()
    );

    let wrong = |from: &str, to: &str| crate::validate(&read(&text.replace(from, to)).unwrap());
    assert!(wrong("L1 unbuffered", "L1").is_err(), "main memory behind the buffers");
    assert!(
        wrong("do havoc q", "when mem(&PC[q]) == loc.L1 do havoc q").is_err(),
        "a guard looks into memory"
    );
}
