//! Ways of searching, and their turns.
//!
//! The plain search of the paper comes first: it needs nothing but the system. It fails in two ways. It may not end, or not soon; then candidates
//! for invariants help ([`oracle`](crate::oracle)). Or it forgets a universal guard too early and finds a trace that no execution follows; then candidates help
//! too, because they name processes before the guard is met, or guards that stay in cubes ([`pre`](crate::pre)), which is exact but often endless.
//!
//! The ways take turns by what they did, not by the clock, each going on where it stopped; so what is found does not depend on the machine.

use std::cell::OnceCell;
use std::sync::Arc;

use wattle_engine::{Certificate, Contradiction, Engine as _, Halt, Reason, Run, Task, Verdict, Work};

use crate::cube::Cube;
use crate::init::initial_state;
use crate::options::Backward;
use crate::oracle::Oracle;
use crate::overtaking::{is_private_shared, may_overtake};
use crate::proof;
use crate::search::{End, Figures, Search};
use crate::system::System;
use crate::trace::Trace;

struct Way {
    /// In cubes with fewer processes than this, facts about all processes stay.
    lasting: usize,
    guesses: bool,
}

const WAYS: [Way; 4] = [
    Way { lasting: 0, guesses: false },
    Way { lasting: 0, guesses: true },
    Way { lasting: 4, guesses: true },
    Way { lasting: usize::MAX, guesses: false },
];

/// The work of each way in the first round; four times as much in the next.
const TURN: Work = Work::milliseconds(600);

const OVERTAKING: &str = "nothing bad was found, but stores to one variable may overtake each other against what processes see of each other's \
     private state, and such executions are not looked for";

/// The first way that decides wins.
pub(crate) fn decide(
    options: &Backward,
    task: &Task<'_>,
    system: &System,
    run: &Run,
    figures: &mut Figures,
) -> Result<Verdict, Halt> {
    let anybody = Cube { pins: vec![None], ..Cube::default() };
    if initial_state(system, &anybody).is_none() {
        return Err(Reason::NoInitialState.into());
    }
    let oracle = OnceCell::new();
    let mut searches: [Option<Search<'_>>; WAYS.len()] = [const { None }; WAYS.len()];
    let mut over = [false; WAYS.len()];
    // A trace that no execution follows was found.
    let mut misled = false;
    let mut why = Reason::States;
    let mut until = TURN;
    loop {
        let mut open = false;
        for (number, way) in WAYS.iter().enumerate() {
            if over[number] || (way.lasting > 0 && !misled) {
                continue;
            }
            if way.guesses && oracle.get().is_none() {
                let _ = oracle.set(Oracle::new(task, system, run)?);
            }
            let oracle = oracle.get().filter(|_| way.guesses);
            let search = searches[number]
                .get_or_insert_with(|| Search::new(system, options, way.lasting, oracle, run));
            let end = search.backward(until);
            *figures = search.statistics;
            match end {
                Ok(None) => open = true,
                Ok(Some(End::Safe)) if may_overtake(system) => {
                    return Err(Reason::Undecided(OVERTAKING.into()).into());
                }
                Ok(Some(End::Safe)) => {
                    let proof = proof::proof(task.program, &search.proof());
                    return Ok(Verdict::Safe { certificate: Certificate::Cubes(Arc::new(proof)) });
                }
                Ok(Some(End::Unsafe { node, start })) => {
                    let trace = Trace::new(search, system, node, &start);
                    if let Some(counterexample) = trace.execution(search, system, task, run)? {
                        return Ok(Verdict::Unsafe { counterexample: Box::new(counterexample) });
                    }
                    if !trace.approximate && !is_private_shared(system) {
                        return Err(Contradiction::within(
                            options.name(),
                            "a trace leads to a violation",
                            "no execution follows it",
                        )
                        .into());
                    }
                    (over[number], misled, open) = (true, true, true);
                    let of = match trace.approximate {
                        true => "a trace that uses a condition on all processes",
                        false => "a trace of processes that see each other's private state",
                    };
                    why =
                        Reason::Undecided(format!("{of} leads to a violation, and no execution follows it"));
                }
                Err(reason @ (Reason::States | Reason::TooLarge(_))) => {
                    over[number] = true;
                    if !misled {
                        why = reason;
                    }
                }
                Err(reason) => return Err(reason.into()),
            }
        }
        if !open {
            return Err(why.into());
        }
        until = until * 4;
    }
}
