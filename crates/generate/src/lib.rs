//! Random small programs, the same for the same seed.
//!
//! Random programs are there to find disagreements between engines: one has to be small enough that the naive
//! search visits all of it in a millisecond, and rich enough that a wrong reduction, a forgotten
//! barrier or a badly packed range changes its outcomes. So programs follow patterns. A third are
//! litmus tests (few stores and loads, the property forbids one combination of what was read), the
//! others have branches, loops, awaits, locked steps and sections; values stay finite by ranges,
//! remainders and machine integers. What a program may hold is said by a [`Profile`]; every program
//! passes `wattle_program::validate`.
//!
//! [`cub`](fn@cub) makes parameterised systems as .cub text. [`cycle`] makes tests of another kind: not random, but one for each way in which a memory model may
//! relax the order of accesses, as litmus text.

#![warn(unreachable_pub)]

mod c11;
mod cub;
pub mod cycle;
mod declare;
mod graph;
mod litmus;
mod mutate;
mod profile;
mod property;
mod remote;
mod rng;
mod statement;
mod term;
mod writer;

use wattle_program::{Process, Program, Vocabulary};
use wattle_source::Span;

pub use c11::{C11, c11};
pub use cub::cub;
pub use graph::Graph;
pub use mutate::mutant;
pub use profile::{Flavour, Profile};
pub use rng::Rng;

/// The program of a seed.
pub fn program(seed: u64, profile: &Profile) -> Program {
    let mut rng = Rng::new(seed);
    let litmus = rng.chance(profile.litmus);
    let world = declare::world(&mut rng, profile, litmus);
    let mut program = Program {
        name: format!("seed{seed}").into(),
        vocabulary: if profile.is_rma() { Vocabulary::Rma } else { Vocabulary::Generic },
        enumerations: world.enumerations.clone(),
        variables: world.variables.clone(),
        processes: Vec::new(),
        init: None,
        properties: Vec::new(),
        observed: Vec::new(),
        condition: None,
        filter: None,
        predicates: Vec::new(),
    };
    let threads: u32 = world.copies.iter().sum();
    let budget = rng.between(profile.statements.0, profile.statements.1);
    for (number, replicas) in world.replicas.iter().enumerate() {
        // Every copy of a process costs as much as a process of its own.
        let share = (budget / threads.max(1)).max(1) + rng.below(2);
        let mut writer = writer::Writer::new(&mut rng, profile, &world, number as u32);
        match litmus {
            true => litmus::body(&mut writer, share),
            false => statement::body(&mut writer, share),
        }
        let (locals, cfg) = writer.finish();
        let name = format!("p{number}").into();
        program.processes.push(Process { name, replicas: *replicas, locals, cfg, span: Span::NOWHERE });
    }
    property::add(&mut rng, profile, &world, litmus, &mut program);
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_valid_and_the_same_again() {
        for seed in 0..3000 {
            let profile = Profile::varied(seed);
            let program = super::program(seed, &profile);
            if let Err(error) = wattle_program::validate(&program) {
                panic!("seed {seed}: {error}\n{program:#?}");
            }
            assert_eq!(program, super::program(seed, &profile), "seed {seed}");
        }
    }

    /// What programs are made of; a kind that never occurs is not tested, whatever else passes.
    #[test]
    fn everything_occurs() {
        let text: Vec<String> = (0..4000)
            .map(|seed| {
                format!("{:?}", super::program(seed, &Profile { growing: 50, ..Profile::varied(seed) }))
            })
            .collect();
        let kinds = [
            "Load {",
            "Store {",
            "Assign {",
            "Between(",
            "Any",
            "Assume {",
            "Assert {",
            "Fence(",
            "location: Some(",
            "Put {",
            "source: Value(",
            "source: Location(",
            "Get {",
            "RemoteAtomic {",
            "Add(",
            "Replace(",
            "CompareAndSwap {",
            "Flush {",
            "Unsupported {",
            "mode: Locked",
            "mode: Buffered",
            "inside: Some(Locked)",
            "inside: Some(Buffered)",
            "role: Retries",
            "{\"rel\"}",
            "{\"acq\"}",
            "Orders(8)",
            "Exactly(2)",
            "Exactly(3)",
            "Forbid",
            "Always",
            "Finally",
            "Quantified {",
            "Ended {",
            "At {",
            "LocalOf {",
            "Content(",
            "filter: Some(",
            "init: Some(",
            "Enum(0)",
            "Bits {",
            "sort: Address",
            "Copies(",
            "Divide",
            "Me",
            "range: Some(",
            "If(",
        ];
        for kind in kinds {
            assert!(text.iter().any(|program| program.contains(kind)), "no program has {kind}");
        }
    }
}
