//! From the tree to a [`Program`].
//!
//! Names and types are checked on the way; whatever is wrong is reported and left out, and the
//! program counts only if nothing was. The order is the order of dependence: declarations, then the
//! bodies of the threads, then formulas, which speak of the threads' locals and labels.

mod atomic;
mod body;
mod declare;
mod emit;
mod expression;
mod formula;
mod initial;
mod remote;
mod statement;
mod symbols;
mod tidy;
mod typed;
mod witness;

use wattle_program::{Op, Process, Program, Property, Vocabulary};
use wattle_source::{Diagnostic, Span};

use super::ast::{File, Item};
use super::problems::Problems;
use crate::codes;
use body::Body;
use formula::{Formula, Scope};

pub(crate) fn lower(name: &str, text: &str, file: &File, problems: &mut Problems) -> Program {
    let symbols = declare::declare(file, problems);
    let mut processes = Vec::new();
    for (process, thread) in symbols.process_ids().zip(declare::threads(file)) {
        let (locals, cfg) = Body::new(&symbols, problems, text, process).lower(thread);
        let (name, replicas) = (thread.name.name.clone(), symbols.process(process).replicas);
        processes.push(Process { name, replicas, locals, cfg, span: thread.span });
    }
    if processes.is_empty() && !problems.any() {
        let span = Span::new(problems.file, 0, text.chars().next().map_or(0, char::len_utf8));
        problems.push(
            Diagnostic::error(codes::NO_THREADS, span, "there is no thread in this text")
                .help("write `thread p { … }`"),
        );
    }
    let mut properties = Vec::new();
    let (mut observed, mut predicates, mut init) = (Vec::new(), Vec::new(), None);
    for item in &file.items {
        let scope = if matches!(item, Item::Init(_)) { Scope::Start } else { Scope::Anywhere };
        let mut formula = Formula::new(&symbols, &processes, problems, scope);
        match item {
            Item::Init(expr) => {
                let also = formula.condition(expr);
                init = match (init, also) {
                    (Some(one), Some(other)) => Some(wattle_logic::Term::and(one, other)),
                    (one, other) => one.or(other),
                };
            }
            Item::Property { kind, formula: expr, span } => {
                properties.extend(formula.condition(expr).map(|formula| Property {
                    kind: *kind,
                    formula,
                    span: *span,
                }));
            }
            Item::Observe(terms) => observed.extend(terms.iter().filter_map(|expr| formula.term(expr))),
            Item::Predicates(list) => {
                predicates.extend(list.iter().filter_map(|expr| formula.condition(expr)))
            }
            _ => {}
        }
    }
    let mut program = Program {
        name: name.into(),
        vocabulary: Vocabulary::Generic,
        enumerations: symbols.enumerations,
        variables: symbols.variables,
        processes,
        init,
        properties,
        observed,
        condition: None,
        filter: None,
        predicates,
    };
    if is_remote(&program) || symbols.processes.iter().any(|process| process.is_process) {
        program.vocabulary = Vocabulary::Rma;
    }
    program
}

fn is_remote(program: &Program) -> bool {
    let remote =
        |op: &Op| matches!(op, Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. });
    let edges = program.processes.iter().flat_map(|process| &process.cfg.edges);
    edges.flat_map(|edge| &edge.ops).any(remote)
}
