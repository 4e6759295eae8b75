//! Remote operations in the order of issue, by the definition: an order of all halves is allowed if it respects the
//! few pairs that `docs/semantics.md` names. One process issues operations and does nothing else, so that the final memories are
//! those of all allowed orders; they must be what the machines reach.

use std::collections::BTreeSet;

use wattle_engine::{Budget, Engine, OutcomeSet, Property, Run, Task};
use wattle_engine_explore::Explore;
use wattle_generate::Rng;
use wattle_judge::certify::explore_all;
use wattle_memory::find;
use wattle_program::{Op, Program, Source, Update};
use wattle_testing::build::{Build, int, place};

/// Cells 0 and 1 belong to the first target, 2 and 3 to the second, 4 and 5 to the issuer.
const CELLS: usize = 6;
const ISSUER: usize = 2;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Put { to: usize, from: usize },
    PutValue { to: usize, value: i64 },
    Get { into: usize, from: usize },
    Add { into: Option<usize>, at: usize, value: i64 },
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Read(usize),
    Write(usize),
    Value(usize, i64),
    Add(usize, i64),
}

impl Operation {
    fn random(rng: &mut Rng, number: i64) -> Operation {
        let remote = rng.below(4) as usize;
        let own = 4 + rng.below(2) as usize;
        match rng.below(5) {
            0 => Operation::PutValue { to: remote, value: 10 + number },
            1 | 2 => Operation::Put { to: remote, from: own },
            3 => Operation::Get { into: own, from: remote },
            _ => Operation::Add { into: rng.chance(600).then_some(own), at: remote, value: 100 },
        }
    }

    fn op(self) -> Op {
        let cell = |cell: usize| place(cell as u32);
        match self {
            Operation::Put { to, from } => Op::Put { remote: cell(to), source: Source::Location(cell(from)) },
            Operation::PutValue { to, value } => {
                Op::Put { remote: cell(to), source: Source::Value(int(value)) }
            }
            Operation::Get { into, from } => Op::Get { into: cell(into), remote: cell(from) },
            Operation::Add { into, at, value } => {
                Op::RemoteAtomic { into: into.map(cell), remote: cell(at), update: Update::Add(int(value)) }
            }
        }
    }

    /// The halves in order, and the target.
    fn halves(self) -> (Vec<Act>, usize) {
        match self {
            Operation::Put { to, from } => (vec![Act::Read(from), Act::Write(to)], to / 2),
            Operation::PutValue { to, value } => (vec![Act::Value(to, value)], to / 2),
            Operation::Get { into, from } => (vec![Act::Read(from), Act::Write(into)], from / 2),
            Operation::Add { into, at, value } => {
                let deliver = into.map(Act::Write);
                (std::iter::once(Act::Add(at, value)).chain(deliver).collect(), at / 2)
            }
        }
    }
}

impl Act {
    /// The process at which it happens.
    fn process(self) -> usize {
        match self {
            Act::Read(cell) | Act::Write(cell) | Act::Value(cell, _) | Act::Add(cell, _) => cell / 2,
        }
    }
}

fn program(operations: &[Operation]) -> Program {
    let mut b = Build::new("in order");
    for cell in 0..CELLS {
        b.owned(&format!("c{cell}"), cell as i64 + 1, cell as u32 / 2);
    }
    b.thread("p0", |_| {});
    b.thread("p1", |_| {});
    b.thread("p", |t| operations.iter().for_each(|operation| t.op(operation.op())));
    for cell in 0..CELLS {
        b.observe(b.content(cell as u32));
    }
    b.done()
}

/// The halves of all operations: of which operation each is, what it does, and which come before it.
struct Orders {
    halves: Vec<(usize, Act)>,
    before: Vec<Vec<usize>>,
}

impl Orders {
    fn of(operations: &[Operation], in_order: bool) -> Orders {
        let mut halves = Vec::new();
        let mut targets = Vec::new();
        for (number, operation) in operations.iter().enumerate() {
            let (acts, target) = operation.halves();
            assert_ne!(target, ISSUER);
            targets.push(target);
            halves.extend(acts.into_iter().map(|act| (number, act)));
        }
        let comes_before = |(one, act): (usize, Act), (other, later): (usize, Act)| {
            one == other || in_order && targets[one] == targets[other] && act.process() == later.process()
        };
        let before = (0..halves.len())
            .map(|at| (0..at).filter(|earlier| comes_before(halves[*earlier], halves[at])).collect())
            .collect();
        Orders { halves, before }
    }

    /// The memories after all orders.
    fn finals(&self, operations: usize) -> BTreeSet<Vec<i64>> {
        let start = (0u32, (1..=CELLS as i64).collect::<Vec<i64>>(), vec![0; operations]);
        let (mut known, mut open) = (BTreeSet::from([start.clone()]), vec![start]);
        let mut finals = BTreeSet::new();
        while let Some((done, memory, carried)) = open.pop() {
            if done.count_ones() as usize == self.halves.len() {
                finals.insert(memory.clone());
            }
            for (at, (operation, act)) in self.halves.iter().enumerate() {
                let ready = self.before[at].iter().all(|earlier| done & 1 << earlier != 0);
                if done & 1 << at != 0 || !ready {
                    continue;
                }
                let (mut memory, mut carried) = (memory.clone(), carried.clone());
                match *act {
                    Act::Read(cell) => carried[*operation] = memory[cell],
                    Act::Write(cell) => memory[cell] = carried[*operation],
                    Act::Value(cell, value) => memory[cell] = value,
                    Act::Add(cell, value) => {
                        carried[*operation] = memory[cell];
                        memory[cell] += value;
                    }
                }
                let next = (done | 1 << at, memory, carried);
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        finals
    }
}

fn listed(outcomes: &OutcomeSet) -> BTreeSet<Vec<i64>> {
    outcomes.iter().map(|outcome| outcome.iter().map(|value| value.as_int().unwrap()).collect()).collect()
}

#[test]
fn machines_do_what_the_definition_allows() {
    let explore = Explore { reduction: true, threads: 1, max_capacity: Some(8), ..Explore::default() };
    let mut rng = Rng::new(80_000);
    let (mut several, mut fewer) = (0, 0);
    for round in 0..250 {
        let count = 2 + rng.below(4) as i64;
        let operations: Vec<Operation> =
            (0..count).map(|number| Operation::random(&mut rng, number)).collect();
        let program = program(&operations);
        let mut sizes = Vec::new();
        for (model, in_order) in [("rma-in-order", true), ("rma", false)] {
            let expected = Orders::of(&operations, in_order).finals(operations.len());
            let memory = find(model).unwrap();
            let task = Task { program: &program, memory, property: Property::Stated, hints: None };
            let run = || Run::new(Budget::default());
            let plain = explore_all(&task, None, false, &run()).unwrap().outcomes;
            assert_eq!(listed(&plain), expected, "round {round}, {model}: {operations:?}");
            let packed = wattle_engine::Outcomes::outcomes(&explore, &task, &run()).unwrap();
            assert_eq!(listed(&packed), expected, "round {round}, {model}: {operations:?}");
            sizes.push(expected.len());
        }
        several += u32::from(sizes[0] > 1);
        fewer += u32::from(sizes[0] < sizes[1]);
    }
    assert!(
        several > 60 && fewer > 100,
        "{several} with several outcomes in order, {fewer} with more without"
    );
}

/// What is issued one way or the other; both ways end at one point.
fn either_way(one: Operation, other: Operation) -> Program {
    let mut program = program(&[one, other]);
    let cfg = &mut program.processes[ISSUER].cfg;
    let [first, second] = &cfg.edges[..] else { panic!("two steps") };
    let (mut second, mut first) = (second.clone(), first.clone());
    let between = wattle_program::Point(cfg.points.len() as u32);
    cfg.points.push(cfg.points[first.to.0 as usize].clone());
    let end = second.to;
    (second.from, second.to) = (first.from, between);
    (first.from, first.to) = (between, end);
    cfg.edges.extend([second, first]);
    program
}

/// States that differ only in what can never matter are equal.
#[test]
fn what_has_no_order_has_one_state() {
    let states = |one: Operation, other: Operation| {
        let program = either_way(one, other);
        wattle_program::validate(&program).unwrap();
        ["rma-in-order", "rma"].map(|model| {
            let memory = find(model).unwrap();
            let task = Task { program: &program, memory, property: Property::Stated, hints: None };
            let plain = explore_all(&task, None, false, &Run::new(Budget::default())).unwrap().states;
            let explore =
                Explore { reduction: false, threads: 1, max_capacity: Some(8), ..Explore::default() };
            let answer = explore.check(&task, &Run::new(Budget::default())).unwrap();
            assert_eq!(answer.statistics.counted("states"), Some(plain), "{model}");
            plain
        })
    };
    // Before; one of them, pending or done; both, each pending or done.
    let (here, there) = (Operation::PutValue { to: 0, value: 7 }, Operation::PutValue { to: 2, value: 8 });
    assert_eq!(states(here, there), [1 + 2 + 2 + 4; 2], "different targets");
    // Both pending in one order or the other; the second alone, the first alone, none.
    let beside = Operation::PutValue { to: 1, value: 9 };
    assert_eq!(states(here, beside), [1 + 2 + 2 + 2 + 3, 1 + 2 + 2 + 4], "one target, two places");
    // The get: pending, read, done. Put after get: not done before the get has read. Get after put: the put alone is pending only
    // before the get has read.
    let get = Operation::Get { into: 4, from: 0 };
    assert_eq!(states(get, beside), [1 + 3 + 2 + (3 + 2) + (1 + 1), 1 + 3 + 2 + 3 * 2], "two sides");
}
