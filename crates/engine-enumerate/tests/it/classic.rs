//! Classic shapes, with numbers of executions that can be counted by hand.

use wattle_engine::{Bound, Certificate, Coverage, Engine, Executions, Property, Run, Task, Verdict};
use wattle_engine_enumerate::Enumerate;
use wattle_generate::Graph;
use wattle_logic::{Sort, Term, Value};
use wattle_memory::find;
use wattle_program::{
    Init, Local, Mode, Op, Process, Program, PropertyKind, Replicas, Role, Tags, Variable, Vocabulary,
};
use wattle_source::Span;

/// `x = 1` is `W(0, 1)`; `r = x` is `R(0)`.
enum Do {
    W(u32, i64),
    R(u32),
}
use Do::{R, W};

fn shape(threads: &[&[Do]]) -> Program {
    let mut program = Program::empty("shape", Vocabulary::X86);
    let zero = || Init::Values(vec![Term::int(0)]);
    for name in ["x", "y", "z", "a", "b", "c", "d", "e"] {
        program.variables.push(Variable {
            name: name.into(),
            sort: Sort::WORD,
            dimensions: vec![],
            range: None,
            init: zero(),
            unbuffered: false,
            place: None,
            owner: None,
            span: Span::NOWHERE,
        });
    }
    for (thread, statements) in threads.iter().enumerate() {
        let mut graph = Graph::new(thread as u32 * 100);
        let mut locals = 0;
        for statement in *statements {
            let op = match statement {
                W(location, value) => {
                    let value = Term::value(Value::Int(*value), Sort::WORD);
                    Op::Store { address: Term::address(*location, vec![]), value, tags: Tags::new() }
                }
                R(location) => {
                    locals += 1;
                    let address = Term::address(*location, vec![]);
                    program.observed.push(Term::local_of(
                        thread as u32,
                        Term::int(0),
                        locals - 1,
                        Sort::WORD,
                    ));
                    Op::Load { into: locals - 1, address, tags: Tags::new() }
                }
            };
            graph.step(Mode::Plain, vec![op]);
        }
        let local = |number| Local {
            name: format!("r{number}").into(),
            sort: Sort::WORD,
            range: None,
            init: zero(),
            hidden: false,
        };
        program.processes.push(Process {
            name: format!("P{thread}").into(),
            replicas: Replicas::Once,
            locals: (0..locals).map(local).collect(),
            cfg: graph.finish(),
            span: Span::NOWHERE,
        });
    }
    for location in 0..8 {
        program.observed.push(Term::content(Term::address(location, vec![]), Sort::WORD));
    }
    program
}

fn count(program: &Program, model: &str) -> (usize, u64) {
    let task = Task { program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
    let census = Enumerate::default().executions(&task, &Run::default()).unwrap();
    (census.outcomes.len(), census.executions())
}

#[test]
fn two_threads() {
    let sb = shape(&[&[W(0, 1), R(1)], &[W(1, 1), R(0)]]);
    assert_eq!((count(&sb, "sc"), count(&sb, "tso"), count(&sb, "pso")), ((3, 3), (4, 4), (4, 4)));
    let mp = shape(&[&[W(0, 1), W(1, 1)], &[R(1), R(0)]]);
    assert_eq!((count(&mp, "sc"), count(&mp, "tso"), count(&mp, "pso")), ((3, 3), (3, 3), (4, 4)));
    let lb = shape(&[&[R(0), W(1, 1)], &[R(1), W(0, 1)]]);
    assert_eq!((count(&lb, "sc"), count(&lb, "pso"), count(&lb, "rmo")), ((3, 3), (3, 3), (4, 4)));
    let two = shape(&[&[W(0, 1), W(1, 2)], &[W(1, 1), W(0, 2)]]);
    assert_eq!((count(&two, "sc"), count(&two, "tso"), count(&two, "pso")), ((3, 3), (3, 3), (4, 4)));
    let corr = shape(&[&[W(0, 1)], &[R(0), R(0)]]);
    assert_eq!((count(&corr, "sc"), count(&corr, "rmo")), ((3, 3), (3, 3)));
}

#[test]
fn four_threads() {
    let iriw = shape(&[&[W(0, 1)], &[R(0), R(1)], &[W(1, 1)], &[R(1), R(0)]]);
    assert_eq!((count(&iriw, "sc"), count(&iriw, "tso")), ((15, 15), (15, 15)));
    // Each of n locations is written twice, last by either: all but the one cycle.
    let ring = |n: u32| {
        let threads: Vec<Vec<Do>> = (0..n).map(|i| vec![W(i, 1), W((i + 1) % n, 2)]).collect();
        let threads: Vec<&[Do]> = threads.iter().map(Vec::as_slice).collect();
        shape(&threads)
    };
    for n in 2..=6 {
        assert_eq!(count(&ring(n), "tso").1, (1 << n) - 1);
        assert_eq!(count(&ring(n), "pso").1, 1 << n);
    }
}

/// Store buffering that asks whether both threads may miss the other's store.
fn asking() -> Program {
    let mut program = shape(&[&[W(0, 1), R(1)], &[W(1, 1), R(0)]]);
    let zero = |term: &Term| term.clone().equals(Term::int(0));
    let formula = zero(&program.observed[0]).and(zero(&program.observed[1])).negated();
    program.properties.push(wattle_program::Property {
        kind: PropertyKind::Finally,
        formula,
        span: Span::NOWHERE,
    });
    program
}

#[test]
fn verdicts() {
    let program = asking();
    let check = |model: &str| {
        let task =
            Task { program: &program, memory: find(model).unwrap(), property: Property::Stated, hints: None };
        Enumerate::default().check(&task, &Run::default()).unwrap()
    };
    let answer = check("sc");
    let Verdict::Safe { certificate: Certificate::Executions { executions } } = answer.verdict else {
        panic!("not safe under sc")
    };
    let everything = Coverage { unreached: vec![], ends: true };
    assert_eq!((executions, answer.coverage), (3, Some(everything)));
    let Verdict::Unsafe { counterexample } = check("tso").verdict else { panic!("not unsafe under tso") };
    let execution = counterexample.execution.unwrap();
    assert_eq!((execution.events.len(), execution.reads_from), (12, vec![(1, 9), (0, 11)]));
    assert_eq!(counterexample.paths.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn loops_are_bounded() {
    let mut program = shape(&[&[W(0, 1)], &[R(0)]]);
    // Back to the start while nothing was read.
    let cfg = &mut program.processes[1].cfg;
    let (entry, end) = (cfg.entry, cfg.edges[0].to);
    let seen = Term::local(0, Sort::WORD).equals(Term::int(1));
    cfg.points[end.0 as usize].end = false;
    let last = cfg.add_point(wattle_program::PointInfo { end: true, ..Default::default() });
    let edge = |guard, to| wattle_program::Edge {
        from: end,
        guard,
        ops: vec![],
        to,
        mode: Mode::Plain,
        role: Role::Step,
        origin: Default::default(),
    };
    cfg.edges.push(edge(seen.negated(), entry));
    cfg.edges.push(edge(seen, last));
    let task =
        Task { program: &program, memory: find("sc").unwrap(), property: Property::Stated, hints: None };
    let census = Enumerate::default().executions(&task, &Run::default()).unwrap();
    // It reads 1 in the first, the second or the third round.
    assert_eq!((census.outcomes.len(), census.executions()), (1, 3));
    assert_eq!(census.bound, Some(Bound::Unwinding(2)));
}
