//! The flat program, with a step for each copy where a flush computes whom it waits for.

use wattle_logic::{Binary, Term};
use wattle_program::passes::instantiate;
use wattle_program::{Edge, EdgeId, Op, ProcessId, Program, Shape, Unsupported};

/// A flat program.
pub(super) struct Split {
    pub program: Program,
    /// By process and edge: the edge of the source that it is a case of. `None`: it only waits.
    pub of: Vec<Vec<Option<EdgeId>>>,
}

pub(super) fn flat(program: &Program) -> Result<Split, Unsupported> {
    let shape = Shape::new(program).map_err(|why| Unsupported::new(why.to_string()))?;
    let plain = instantiate(program)?;
    let computed = |process: ProcessId, edge: EdgeId| {
        let threads = shape.thread_ids().filter(|thread| shape.info(*thread).process == process);
        let mut flat = threads.map(|thread| plain.processes[thread.0 as usize].cfg.edge(edge));
        let source = program.process(process).cfg.edge(edge);
        flat.any(|flat| {
            let mut pairs = source.ops.iter().zip(&flat.ops);
            pairs.any(|(op, flat)| matches!((op, flat), (Op::Flush { .. }, Op::Unsupported { .. })))
        })
    };
    let mut split = program.clone();
    let mut of = Vec::new();
    for process in program.process_ids() {
        let cfg = &program.process(process).cfg;
        let (mut edges, mut origins) = (Vec::new(), Vec::new());
        for id in cfg.edge_ids() {
            let cases =
                if computed(process, id) { cases(cfg.edge(id), &shape) } else { vec![cfg.edge(id).clone()] };
            origins.extend(cases.iter().map(|_| id));
            edges.extend(cases);
        }
        split.processes[process.0 as usize].cfg.edges = edges;
        of.push(origins);
    }
    let of_thread = |thread| of[shape.info(thread).process.0 as usize].iter().copied().map(Some).collect();
    let of = shape.thread_ids().map(of_thread).collect();
    Ok(Split { program: instantiate(&split)?, of })
}

/// The edge for each copy that its flushes may name, and for none of them.
fn cases(edge: &Edge, shape: &Shape) -> Vec<Edge> {
    let mut cases = vec![Edge { ops: vec![], ..edge.clone() }];
    for op in &edge.ops {
        let Op::Flush { process, copy } = op else {
            cases.iter_mut().for_each(|case| case.ops.push(op.clone()));
            continue;
        };
        let copies = i64::from(shape.copies_of(*process));
        let mut next = Vec::new();
        for case in cases {
            let with = |condition: Term, op: Op| {
                let mut case = case.clone();
                case.ops.extend([Op::Assume { condition }, op]);
                case
            };
            for number in (0..copies).map(Term::int) {
                let flush = Op::Flush { process: *process, copy: number.clone() };
                next.push(with(copy.clone().equals(number), flush));
            }
            let below = Term::binary(Binary::Less, copy.clone(), Term::int(0));
            let beyond = Term::binary(Binary::GreaterEqual, copy.clone(), Term::int(copies));
            next.push(with(below.or(beyond), op.clone()));
        }
        cases = next;
    }
    cases
}
