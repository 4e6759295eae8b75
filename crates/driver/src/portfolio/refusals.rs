//! Several engines did not answer: the reason that matters.
//!
//! Every reason stands among the remarks of a verbose report. A verdict shows one. An engine that
//! would refuse any program under this model (it knows no such model, or its solver is missing) says
//! nothing about this one; of the other refusals the one that most engines give is shown. Of engines that
//! tried in vain, one that ran into something about the program or out of time says more than one that
//! found a construct which it does not handle.

use wattle_engine::{Engine, Reason, Task, Unsupported};
use wattle_program::{Cfg, PointInfo, Process, Program, Replicas};
use wattle_source::Span;

/// Why no engine takes the task; `refusals` are in the order of the engines.
pub(crate) fn all_refuse(task: &Task<'_>, refusals: &[(&dyn Engine, Unsupported)]) -> Unsupported {
    let nothing = empty(task.program);
    let trivial = Task { program: &nothing, ..*task };
    let telling = |(engine, _): &&(&dyn Engine, Unsupported)| engine.accepts(&trivial).is_ok();
    let mut about_this: Vec<&(&dyn Engine, Unsupported)> = refusals.iter().filter(telling).collect();
    if about_this.is_empty() {
        about_this = refusals.iter().collect();
    }
    let as_often = |why: &Unsupported| about_this.iter().filter(|(_, other)| other.what == why.what).count();
    // The first of those that are given most often.
    let most = about_this.iter().map(|(_, why)| why).rev().max_by_key(|why| as_often(why));
    most.cloned().unwrap_or_else(|| Unsupported::new("no engine"))
}

/// Does the other reason say more? Of two constructs that are not handled, the one that has a place in the text does.
pub(crate) fn says_more(other: &Reason, than: &Reason) -> bool {
    match (than, other) {
        (Reason::Unsupported(than), Reason::Unsupported(other)) => {
            than.span.is_none() && other.span.is_some()
        }
        (Reason::Unsupported(_), _) => true,
        _ => false,
    }
}

/// A program of the same vocabulary in which nothing happens.
fn empty(program: &Program) -> Program {
    let mut cfg = Cfg::default();
    cfg.add_point(PointInfo::default());
    let (name, span) = (program.name.clone(), Span::NOWHERE);
    let process = Process { name: name.clone(), replicas: Replicas::Once, locals: vec![], cfg, span };
    Program { processes: vec![process], ..Program::empty(name, program.vocabulary) }
}
