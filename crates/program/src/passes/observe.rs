//! Observe everything that has a name.
//!
//! A program that says nothing about what it observes keeps `observed` empty, so that dead locals can
//! be forgotten and the state space stays small. Commands that list the outcomes of such a program
//! call this pass first.

use wattle_logic::Term;

use crate::{Dimension, Program};

/// Set `observed` to the locals of all threads (but for hidden ones), then the contents of all
/// memory. What belongs to a process with any number of copies is left out.
pub fn observe_everything(program: &mut Program) {
    let mut observed = Vec::new();
    for (number, process) in program.processes.iter().enumerate() {
        for copy in 0..process.replicas.count().unwrap_or(0) {
            for (local, info) in process.locals.iter().enumerate().filter(|(_, info)| !info.hidden) {
                let copy = Term::int(i64::from(copy));
                observed.push(Term::local_of(number as u32, copy, local as u32, info.sort));
            }
        }
    }
    for (number, variable) in program.variables.iter().enumerate() {
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Fixed(length) => *length,
            Dimension::Copies(process) => program.process(*process).replicas.count().unwrap_or(0),
        };
        let mut elements: Vec<Vec<Term>> = vec![vec![]];
        for length in variable.dimensions.iter().map(extent) {
            elements = (elements.iter())
                .flat_map(|indices| {
                    (0..length).map(move |index| {
                        let mut indices = indices.clone();
                        indices.push(Term::int(i64::from(index)));
                        indices
                    })
                })
                .collect();
        }
        let content = |indices| Term::content(Term::address(number as u32, indices), variable.sort);
        observed.extend(elements.into_iter().map(content));
    }
    program.observed = observed;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cfg, Init, Local, Name, Process, Variable, Vocabulary};
    use crate::{PointInfo, ProcessId, Replicas};
    use wattle_logic::Sort;
    use wattle_source::Span;

    #[test]
    fn named_locals_of_each_copy_then_all_memory() {
        let local = |name: &str, hidden| Local {
            name: Name::from(name),
            sort: Sort::Int,
            range: None,
            init: Init::Values(vec![]),
            hidden,
        };
        let mut cfg = Cfg::default();
        cfg.add_point(PointInfo { end: true, ..PointInfo::default() });
        let mut program = Program {
            name: "t".into(),
            vocabulary: Vocabulary::Generic,
            enumerations: vec![],
            variables: vec![Variable {
                name: "a".into(),
                sort: Sort::Bool,
                dimensions: vec![Dimension::Copies(ProcessId(0)), Dimension::Fixed(3)],
                range: None,
                init: Init::Values(vec![]),
                unbuffered: false,
                place: None,
                owner: None,
                span: Span::NOWHERE,
            }],
            processes: vec![Process {
                name: "p".into(),
                replicas: Replicas::Exactly(2),
                locals: vec![local("r", false), local("t", true)],
                cfg,
                span: Span::NOWHERE,
            }],
            init: None,
            properties: vec![],
            observed: vec![],
            condition: None,
            filter: None,
            predicates: vec![],
        };
        observe_everything(&mut program);
        assert_eq!(program.observed.len(), 2 + 6);
        assert_eq!(crate::validate(&program), Ok(()));
        assert_eq!(program.observed[1], Term::local_of(0, Term::int(1), 0, Sort::Int));
        let last = Term::address(0, vec![Term::int(1), Term::int(2)]);
        assert_eq!(program.observed[7], Term::content(last, Sort::Bool));
    }
}
