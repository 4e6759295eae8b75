//! `reduction`: random programs on the store-buffer machines and reduced to sequential consistency, side by
//! side; and once more with an abstract rest beside the slots.

use std::cell::Cell;

use wattle_generate::{Flavour, Profile};
use wattle_program::Program;
use wattle_testing::laws;
use wattle_testing::reduction::{Effort, has_barriers, reduction_is_exact};
use wattle_testing::rest::rest_loses_nothing;

use crate::closing::close;

/// Arguments: `[COUNT [SEED]]`.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let number = |at: usize, usual: u64| {
        arguments.get(at).map_or(Ok(usual), |text| text.parse().map_err(|_| format!("{text}: not a number")))
    };
    let (count, seed) = (number(0, 10_000)?, number(1, 1_000_000)?);
    let profile = |seed: u64| {
        // Barriers between stores come with the second flavour.
        let flavours = [Flavour::Tso, Flavour::Pso, Flavour::Pso, Flavour::Sc];
        let small = Profile::small(flavours[(seed / 4 % 4) as usize]);
        Profile { loops: 100, pointers: 100, array: 400, faults: 60, ..small }
    };
    let barriers = Cell::new(0);
    let law = |program: &Program, seed| {
        barriers.set(barriers.get() + u64::from(has_barriers(program)));
        reduction_is_exact(Effort { states: 2000 }, program, seed)
    };
    let tested = laws::test(&law, &profile, seed..seed + count);
    println!("{} programs with barriers between stores under pso", barriers.get());
    let exact = close(tested, count, seed);
    println!("with an abstract rest:");
    let law = |program: &Program, seed| rest_loses_nothing(1000, program, seed);
    let tested = laws::test(&law, &profile, seed..seed + count);
    Ok(close(tested, count, seed) && exact)
}
