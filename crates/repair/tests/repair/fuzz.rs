//! Random straight-line programs: the search against trying every subset.

use wattle_engine::{Outcome, Outcomes, Property, Run, Task};
use wattle_engine_explore::Explore;
use wattle_logic::{Sort, Term, Value};
use wattle_program::passes::{Insertion, insert};
use wattle_program::{Program, PropertyKind, Vocabulary};
use wattle_repair::Repairability::Repaired;
use wattle_repair::{All, Options, Relaxed, in_all_copies, relax};

use crate::build::{Builder, int};
use crate::{exhaustive, places, run_with, sorted};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Two processes of up to four accesses to two variables, the first sometimes in two copies.
fn random_program(random: &mut Random) -> Program {
    let mut builder = Builder::new(Vocabulary::Generic);
    let variables: Vec<u32> = ["x", "y"].iter().map(|name| builder.shared(name, None)).collect();
    let copies = [if random.below(4) == 0 { 2 } else { 1 }, 1];
    let mut observed = vec![];
    for process in 0..2 {
        let mut reads = 0;
        let length = 2 + random.below(4 - u64::from(copies[process]));
        builder.process(["p", "q"][process], copies[process], 4, |thread| {
            for number in 0..length {
                let address = Term::address(variables[random.below(2) as usize], vec![]);
                if random.below(length + 1) > number {
                    thread.store(address, int(1 + random.below(2) as i64));
                } else {
                    thread.load(reads, address);
                    reads += 1;
                }
            }
        });
        for copy in 0..copies[process] {
            let read = |local| Term::local_of(process as u32, int(i64::from(copy)), local, Sort::Int);
            observed.extend((0..reads).map(read));
        }
    }
    let mut program = builder.finish(PropertyKind::Finally, Term::bool(true));
    program.observed = observed;
    program
}

/// Two processes with two cells of memory each, and up to four accesses, most of them remote.
fn random_remote_program(random: &mut Random) -> Program {
    let mut builder = Builder::new(Vocabulary::Rma);
    let cells: Vec<Vec<u32>> = (0..2)
        .map(|owner| ["a", "b"].iter().map(|name| builder.owned(name, owner, i64::from(owner))).collect())
        .collect();
    let mut observed = vec![];
    for process in 0..2 {
        let mut reads = 0;
        builder.process(["p", "q"][process], 1, 4, |thread| {
            for _ in 0..2 + random.below(3) {
                let cell = |owner: usize, random: &mut Random| {
                    Term::address(cells[owner][random.below(2) as usize], vec![])
                };
                let (mine, theirs) = (cell(process, random), cell(1 - process, random));
                match random.below(4) {
                    0 => thread.put(theirs, mine),
                    1 => thread.get(mine, theirs),
                    2 => thread.store(mine, int(2 + random.below(2) as i64)),
                    _ => {
                        reads += 1;
                        thread.load(reads - 1, mine)
                    }
                };
            }
        });
        let read = |local| Term::local_of(process as u32, int(0), local, Sort::Int);
        observed.extend((0..reads).map(read));
        let content = |cell: &u32| Term::content(Term::address(*cell, vec![]), Sort::Int);
        observed.extend(cells[process].iter().map(content));
    }
    let mut program = builder.finish(PropertyKind::Finally, Term::bool(true));
    program.observed = observed;
    program
}

/// Forbid one of the outcomes that only weak memory has, if there are any.
fn forbid_weak_outcome(program: &mut Program, model: &str, random: &mut Random) -> bool {
    let outcomes = |model: &str| {
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program, memory, property: Property::Stated, hints: None };
        Explore::default().outcomes(&task, &Run::default()).unwrap()
    };
    let weak: Vec<Outcome> = outcomes(model).difference(&outcomes("sc")).cloned().collect();
    if weak.is_empty() {
        return false;
    }
    let chosen = &weak[random.below(weak.len() as u64) as usize];
    let equal = |(term, value): (&Term, &Value)| term.clone().equals(Term::value(value.clone(), Sort::Int));
    let bad = Term::conjunction(program.observed.iter().zip(chosen).map(equal));
    program.properties[0].formula = bad.negated();
    true
}

#[test]
fn random_programs_get_exactly_the_minimal_placements() {
    let mut random = Random(0x5eed_0fa1_1fe4_ce5d);
    let (mut repaired, mut several, mut copied) = (0, 0, 0);
    let options = Options { all: All::Subset, ..Options::default() };
    for round in 0..600 {
        let mut program = random_program(&mut random);
        let model = ["tso", "pso"][round % 2];
        if !forbid_weak_outcome(&mut program, model, &mut random) {
            continue;
        }
        let repair = run_with(&program, model, &options);
        let Repaired(found) = repair.result else { panic!("round {round}: {:?}", repair.result) };
        repaired += 1;
        several += usize::from(found.solutions.len() > 1);
        assert!(found.minimal && found.complete, "round {round}");
        let expected = exhaustive(&program, model, false);
        let fewest = expected.iter().map(Vec::len).min();
        assert_eq!(Some(found.count), fewest, "round {round}: {program:?}");
        assert_eq!(sorted(found.solutions), expected, "round {round}: {program:?}");
        let source = found.source.unwrap();
        copied += usize::from(source.count < found.count);
        let all_copies = |one: &Vec<Insertion>| in_text(one).len();
        // The text of every solution is a solution, and each solution of the text is one for copies.
        assert!(
            source.minimal && expected.iter().map(all_copies).min() == Some(source.count),
            "round {round}"
        );
    }
    assert!(repaired > 50 && several > 10 && copied > 1, "{repaired} {several} {copied}");
}

#[test]
fn random_remote_programs_get_exactly_the_minimal_flushes() {
    let (repaired, several) = remote_programs_get_the_minimal_flushes("rma", 120);
    assert!(repaired > 40 && several > 3, "{repaired} {several}");
    let (repaired, several) = remote_programs_get_the_minimal_flushes("rma-in-order", 120);
    assert!(repaired > 15 && several > 1, "in order: {repaired} {several}");
}

/// How many programs were repaired, and how many in several ways.
fn remote_programs_get_the_minimal_flushes(model: &str, rounds: usize) -> (usize, usize) {
    let mut random = Random(0x0f1a_5eed_ca11_ab1e);
    let (mut repaired, mut several) = (0, 0);
    let options = Options { all: All::Subset, ..Options::default() };
    for round in 0..rounds {
        let mut program = random_remote_program(&mut random);
        if !forbid_weak_outcome(&mut program, model, &mut random) {
            continue;
        }
        let repair = run_with(&program, model, &options);
        let Repaired(found) = repair.result else { panic!("round {round}: {:?}", repair.result) };
        repaired += 1;
        several += usize::from(found.solutions.len() > 1);
        assert!(found.minimal && found.complete, "round {round}");
        let expected = exhaustive(&program, model, false);
        assert_eq!(sorted(found.solutions), expected, "{model}, round {round}: {program:?}");
    }
    (repaired, several)
}

/// The same for all copies, each once.
fn in_text(insertions: &[Insertion]) -> Vec<Insertion> {
    let mut text: Vec<Insertion> = Vec::new();
    for insertion in insertions.iter().map(in_all_copies) {
        if !text.contains(&insertion) {
            text.push(insertion);
        }
    }
    text
}

/// A fence at every place, and then the fewest to keep: the same number as the fewest to add.
#[test]
fn relaxing_what_is_fenced_everywhere_leaves_as_many_as_repairing_adds() {
    let mut random = Random(0x7e57_5eed_0dd5_0f42);
    let mut relaxed = 0;
    for round in 0..200 {
        let model = ["tso", "pso"][round % 2];
        let mut program = random_program(&mut random);
        if !forbid_weak_outcome(&mut program, model, &mut random) {
            continue;
        }
        let Repaired(found) = run_with(&program, model, &Options::default()).result else { panic!() };
        let memory = wattle_memory::find(model).unwrap();
        let all = in_text(&places(&program, memory, false));
        let fenced = insert(&program, &all);
        let task = Task { program: &fenced, memory, property: Property::Stated, hints: None };
        let relaxing = relax(&task, &Explore::default(), &Options::default(), &Run::default()).unwrap();
        let Relaxed::Fewest { keep, remove, minimal, .. } = relaxing.result else { panic!("round {round}") };
        assert!(minimal);
        assert_eq!((keep.len(), keep.len() + remove.len()), (found.source.unwrap().count, all.len()));
        relaxed += 1;
    }
    assert!(relaxed > 10, "{relaxed}");
}
