//! What the tests of this crate share: a list of clauses that propagates, small shapes and structures.

pub(crate) mod outcomes;
pub(crate) mod random;
pub(crate) mod sketch;

use wattle_logic::Sort;
use wattle_program::{Dimension, Init, Program, Shape, Variable, Vocabulary};
use wattle_sat::{Clauses, Lit};
use wattle_source::Span;

/// Clauses, remembered.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    variables: u32,
    pub clauses: Vec<Vec<Lit>>,
}

impl Default for Formula {
    fn default() -> Formula {
        Formula { variables: 1, clauses: vec![] }
    }
}

impl Clauses for Formula {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::new(self.variables as i32)
    }
    fn clause(&mut self, literals: &[Lit]) {
        self.clauses.push(literals.to_vec());
    }
}

/// What is true, by variable.
pub(crate) type Assignment = Vec<Option<bool>>;

pub(crate) fn holds(assignment: &Assignment, literal: Lit) -> Option<bool> {
    assignment[literal.variable() as usize].map(|value| value == literal.is_positive())
}

impl Formula {
    pub fn nothing(&self) -> Assignment {
        let mut assignment = vec![None; self.variables as usize + 1];
        assignment[1] = Some(true);
        assignment
    }

    /// Propagates units until nothing changes; `false` on a conflict.
    pub fn propagate(&self, assignment: &mut Assignment) -> bool {
        loop {
            let mut changed = false;
            for clause in &self.clauses {
                let mut open = None;
                let mut count = 0;
                let mut satisfied = false;
                for literal in clause {
                    match holds(assignment, *literal) {
                        Some(true) => satisfied = true,
                        Some(false) => {}
                        None => {
                            open = Some(*literal);
                            count += 1;
                        }
                    }
                }
                match (satisfied, count, open) {
                    (true, ..) => {}
                    (_, 0, _) => return false,
                    (_, 1, Some(literal)) => {
                        assignment[literal.variable() as usize] = Some(literal.is_positive());
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return true;
            }
        }
    }
}

/// `x`, and an array `a` of three.
pub(crate) fn shape() -> Shape {
    let variable = |name: &str, dimensions| Variable {
        name: name.into(),
        sort: Sort::Int,
        dimensions,
        range: None,
        init: Init::Values(vec![]),
        unbuffered: false,
        place: None,
        owner: None,
        span: Span::default(),
    };
    let mut program = Program::empty("test", Vocabulary::Generic);
    program.variables = vec![variable("x", vec![]), variable("a", vec![Dimension::Fixed(3)])];
    Shape::new(&program).unwrap()
}
