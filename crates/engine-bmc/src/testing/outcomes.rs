//! All outcomes of a program, by asking the solver for one after the other.

use std::collections::BTreeSet;

use wattle_engine::Unsupported;
use wattle_logic::{Kind, Term};
use wattle_memory::MemoryModel;
use wattle_memory::cat::analysis::{Coherence, coherence};
use wattle_program::symbolic::Expr;
use wattle_program::{Program, Shape};
use wattle_sat::{Clauses, Lit, Satisfiability, Solver};

use crate::encode::circuit::{Circuit, Word};
use crate::encode::encoding::{Options, encode};
use crate::encode::formulation::Formulation;
use crate::unroll::structure::Structure;
use crate::unroll::{self, Wanted, unroll};

pub(crate) fn parse(name: &str, text: &str) -> Option<Program> {
    Some(wattle_frontend_litmus::FRONTEND.read(name, text).ok()?.program)
}

/// What the encoder may make use of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sure {
    pub coherence: bool,
    pub thin_air_free: bool,
}

impl Default for Sure {
    fn default() -> Sure {
        Sure { coherence: true, thin_air_free: true }
    }
}

/// The codes of the observed terms, for each final state in which all threads have ended.
pub(crate) fn outcomes(
    program: &Program,
    memory: &MemoryModel,
    formulation: &dyn Formulation,
    sure: Sure,
) -> Result<BTreeSet<Vec<i64>>, Unsupported> {
    let shape = Shape::new(program).map_err(|error| Unsupported::new(error.to_string()))?;
    let options = unroll::Options { wanted: Wanted::ALL, ..unroll::Options::default() };
    let mut structure = unroll(program, &shape, &options)?;
    let observed: Result<Vec<Expr>, Unsupported> =
        program.observed.iter().map(|term| observe(&shape, &mut structure, term)).collect();
    let observed = observed?;
    let mut conditions: Vec<Expr> = Vec::new();
    for thread in &structure.threads {
        conditions.extend(thread.ended);
    }
    if conditions.len() < structure.threads.len() {
        return Ok(BTreeSet::new());
    }
    if let Some(filter) = &program.filter {
        return Err(Unsupported::new(format!("filter {filter:?}")));
    }
    let axioms = memory.axioms.as_ref().unwrap();
    let core = axioms.core.without("section");
    let coherence = if sure.coherence { coherence(&core) } else { Coherence::Unknown };
    let options = Options { coherence, thin_air_free: sure.thin_air_free };
    let mut solver = Solver::new();
    let (words, ended, description) = {
        let mut circuit = Circuit::new(&mut solver);
        let encoding = encode(&structure, &mut circuit, options)?;
        let description = formulation.constrain(&encoding, &mut circuit, memory)?.description;
        let words: Vec<Word> = observed.iter().map(|expr| circuit.word(&structure, *expr)).collect();
        let ended: Vec<Lit> = conditions.iter().map(|expr| circuit.literal(&structure, *expr)).collect();
        circuit.accepted()?;
        (words, ended, description)
    };
    solver.connect(description);
    let mut found = BTreeSet::new();
    while solver.solve(&ended) == Satisfiability::Sat {
        let values: Vec<i64> =
            words.iter().map(|word| word.value_by(|literal| Some(solver.value(literal))).unwrap()).collect();
        let other: Vec<Lit> = (words.iter().flat_map(|word| word.bits()))
            .map(|literal| if solver.value(*literal) { !*literal } else { *literal })
            .collect();
        solver.clause(&other);
        assert!(found.insert(values), "the same outcome twice");
        if other.iter().all(|literal| literal.constant().is_some()) {
            break;
        }
    }
    Ok(found)
}

/// A local of a thread that has ended, or what memory holds in the end.
fn observe(shape: &Shape, structure: &mut Structure<'_>, term: &Term) -> Result<Expr, Unsupported> {
    match term.kind() {
        Kind::LocalOf { process, copy, local } => {
            let copy = copy.as_value().and_then(|copy| copy.as_int()).unwrap();
            let thread = shape.checked_thread(*process, copy).unwrap();
            let stands = structure.threads[thread.0 as usize].stands.clone();
            let mut value = structure.arena.constant(0);
            for stand in stands {
                value = structure.arena.choice(stand.when, stand.locals[*local as usize], value);
            }
            Ok(value)
        }
        Kind::Content(address) => match shape.fixed_location(address, 0) {
            Some(location) => {
                let known = structure.finals.iter().find(|(other, _)| *other == location);
                let input = match known {
                    Some((_, input)) => *input,
                    None => {
                        let input = structure.input(0, 0);
                        structure.finals.push((location, input));
                        input
                    }
                };
                Ok(structure.arena.cell(input))
            }
            None => Err(Unsupported::new("an address that is not fixed")),
        },
        _ => Err(Unsupported::new(format!("an observed {term:?}"))),
    }
}
