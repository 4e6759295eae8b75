//! The last lines of a comparison on random programs.

use wattle_testing::Failure;
use wattle_testing::laws::Record;

/// Says what came of it; was there no failure?
pub(crate) fn close(tested: Result<Record, Box<Failure>>, count: u64, seed: u64) -> bool {
    match tested {
        Ok(Record { compared, telling, .. }) => {
            println!("{count} programs from seed {seed}: {compared} compared, {telling} telling");
            println!("{compared} passed, 0 failed");
            true
        }
        Err(failure) => {
            println!("{failure}");
            false
        }
    }
}
