//! Repairs from execution graphs, under models that have no machine: known placements, and the search
//! against trying every subset.

use wattle_engine::{Engine, Outcomes, Property, Run, Task, Verdict};
use wattle_engine_enumerate::Enumerate;
use wattle_logic::{Sort, Term, Value};
use wattle_program::passes::{Insertion, forget_dead, insert};
use wattle_program::{Program, PropertyKind, Vocabulary};
use wattle_repair::law::{Law, a_repair_is_tight, adding_a_fence_never_hurts};
use wattle_repair::{All, Options, Proof, Relaxed, Repair, Repairability, kind, relax, repair};

use crate::build::{Builder, int};
use crate::fuzz::Random;
use crate::{chosen, places};

const MODELS: [(&str, Vocabulary); 8] = [
    ("power", Vocabulary::Ppc),
    ("aarch64", Vocabulary::Aarch64),
    ("riscv", Vocabulary::Riscv),
    ("arm", Vocabulary::Arm),
    ("alpha", Vocabulary::Generic),
    ("power-2012", Vocabulary::Ppc),
    ("pso", Vocabulary::Generic),
    ("tso", Vocabulary::X86),
];

fn run(program: &Program, model: &str, options: &Options) -> Repair {
    let memory = wattle_memory::find(model).unwrap();
    let task = Task { program, memory, property: Property::Stated, hints: None };
    repair(&task, &Enumerate::default(), options, &Run::default()).unwrap()
}

/// Accesses of one thread: to the variable `x`, `y` or `z`; a store of a value, or a load.
type Access = (char, Option<i64>);

/// Threads, and what is forbidden: values of loads in their order, and last values of variables.
fn litmus(vocabulary: Vocabulary, threads: &[&[Access]], loads: &[i64], last: &[(char, i64)]) -> Program {
    let mut builder = Builder::new(vocabulary);
    let variables = ["x", "y", "z"].map(|name| builder.shared(name, None));
    let variable = |name: char| Term::address(variables[name as usize - 'x' as usize], vec![]);
    let mut bad = Vec::new();
    let mut loads = loads.iter();
    for (process, accesses) in threads.iter().enumerate() {
        builder.process(["p", "q", "r", "s"][process], 1, 2, |thread| {
            let mut reads = 0;
            for (name, value) in *accesses {
                match value {
                    Some(value) => thread.store(variable(*name), int(*value)),
                    None => {
                        let read = Term::local_of(process as u32, int(0), reads, Sort::Int);
                        bad.push(read.equals(int(*loads.next().unwrap())));
                        reads += 1;
                        thread.load(reads - 1, variable(*name))
                    }
                };
            }
        });
    }
    let last = last.iter().map(|(name, value)| Term::content(variable(*name), Sort::Int).equals(int(*value)));
    bad.extend(last);
    builder.finish(PropertyKind::Finally, Term::conjunction(bad).negated())
}

const fn w(name: char, value: i64) -> Access {
    (name, Some(value))
}

const fn r(name: char) -> Access {
    (name, None)
}

/// A classic test by its name.
fn classic(name: &str, vocabulary: Vocabulary) -> Program {
    let of =
        |threads: &[&[Access]], loads: &[i64], last: &[(char, i64)]| litmus(vocabulary, threads, loads, last);
    match name {
        "SB" => of(&[&[w('x', 1), r('y')], &[w('y', 1), r('x')]], &[0, 0], &[]),
        "MP" => of(&[&[w('x', 1), w('y', 1)], &[r('y'), r('x')]], &[1, 0], &[]),
        "LB" => of(&[&[r('x'), w('y', 1)], &[r('y'), w('x', 1)]], &[1, 1], &[]),
        "2+2W" => of(&[&[w('x', 1), w('y', 2)], &[w('y', 1), w('x', 2)]], &[], &[('x', 1), ('y', 1)]),
        "R" => of(&[&[w('x', 1), w('y', 1)], &[w('y', 2), r('x')]], &[0], &[('y', 2)]),
        "S" => of(&[&[w('x', 2), w('y', 1)], &[r('y'), w('x', 1)]], &[1], &[('x', 2)]),
        "WRC" => of(&[&[w('x', 1)], &[r('x'), w('y', 1)], &[r('y'), r('x')]], &[1, 1, 0], &[]),
        "RWC" => of(&[&[w('x', 1)], &[r('x'), r('y')], &[w('y', 1), r('x')]], &[1, 0, 0], &[]),
        "ISA2" => {
            let threads: [&[Access]; 3] = [&[w('x', 1), w('y', 1)], &[r('y'), w('z', 1)], &[r('z'), r('x')]];
            of(&threads, &[1, 1, 0], &[])
        }
        "IRIW" => {
            let threads: [&[Access]; 4] = [&[w('x', 1)], &[r('x'), r('y')], &[w('y', 1)], &[r('y'), r('x')]];
            of(&threads, &[1, 0, 1, 0], &[])
        }
        _ => panic!("{name}"),
    }
}

/// The kinds, thread by thread, of the chosen repair.
fn fences(name: &str, model: &str, options: &Options) -> Vec<String> {
    let (_, vocabulary) = MODELS.into_iter().find(|(other, _)| *other == model).unwrap();
    let repair = run(&classic(name, vocabulary), model, options);
    match repair.result {
        Repairability::Repaired(found) => {
            assert!(found.minimal && found.complete, "{name} {model}");
            assert!(matches!(found.proof, Proof::Safe { .. }));
            found.solutions[0].iter().map(|one| kind(&one.op).to_string()).collect()
        }
        Repairability::AlreadySafe { .. } => vec![],
        other => panic!("{name} {model}: {other:?}"),
    }
}

/// The placements of the literature: Power by Sarkar et al. 2011 and Alglave, Maranget and Tautschnig
/// 2014 (lwsync where it is enough; SB, R, RWC and IRIW need sync in both threads); ARM by the latter,
/// where dmb.st is as strong as dmb between stores; AArch64 and RISC-V, where writes are atomic and so each fence only has
/// to order the pair around it; PSO and TSO by their relaxed pairs.
#[test]
fn classic_tests_get_their_classic_fences() {
    for (name, power, aarch64, riscv, arm, pso, tso) in [
        ("SB", "sync sync", "dmb.sy dmb.sy", "w.r w.r", "dmb dmb", "fence fence", "mfence mfence"),
        ("MP", "lwsync lwsync", "dmb.st dmb.ld", "w.w r.r", "dmb.st dmb", "fence.ww", ""),
        ("LB", "lwsync lwsync", "dmb.ld dmb.ld", "r.w r.w", "dmb dmb", "", ""),
        ("2+2W", "lwsync lwsync", "dmb.st dmb.st", "w.w w.w", "dmb.st dmb.st", "fence.ww fence.ww", ""),
        ("R", "sync sync", "dmb.st dmb.sy", "w.w w.r", "dmb.st dmb", "fence.ww fence", "mfence"),
        ("S", "lwsync lwsync", "dmb.st dmb.ld", "w.w r.w", "dmb.st dmb", "fence.ww", ""),
        ("WRC", "lwsync lwsync", "dmb.ld dmb.ld", "r.w r.r", "dmb dmb", "", ""),
        ("RWC", "sync sync", "dmb.ld dmb.sy", "r.r w.r", "dmb dmb", "fence", "mfence"),
        (
            "ISA2",
            "lwsync lwsync lwsync",
            "dmb.st dmb.ld dmb.ld",
            "w.w r.w r.r",
            "dmb.st dmb dmb",
            "fence.ww",
            "",
        ),
        ("IRIW", "sync sync", "dmb.ld dmb.ld", "r.r r.r", "dmb dmb", "", ""),
    ] {
        let riscv: Vec<String> = riscv.split_whitespace().map(|sides| format!("fence.{sides}")).collect();
        let riscv = riscv.join(" ");
        for (model, expected) in [
            ("power", power),
            ("aarch64", aarch64),
            ("riscv", &*riscv),
            ("arm", arm),
            ("pso", pso),
            ("tso", tso),
        ] {
            let expected: Vec<&str> = expected.split_whitespace().collect();
            assert_eq!(fences(name, model, &Options::default()), expected, "{name} under {model}");
        }
    }
}

/// A place takes the kind that is cheapest, not the weakest.
#[test]
fn costs_choose_the_kind() {
    let dear = Options { costs: [("lwsync".into(), 3), ("sync".into(), 2)].into(), ..Options::default() };
    assert_eq!(fences("MP", "power", &dear), ["sync", "sync"]);
    let split = [("dmb.sy".into(), 5), ("dmb.st".into(), 2), ("dmb.ld".into(), 2)].into();
    let split = Options { costs: split, ..Options::default() };
    assert_eq!(fences("R", "aarch64", &split), ["dmb.st", "dmb.sy"]);
}

/// SB between `p` and the first of three copies of `q`: the text has a fence for all, which only one needs.
#[test]
fn copies_that_can_spare_the_fence_of_the_text_do_not_get_it() {
    for (model, vocabulary) in [("power", Vocabulary::Ppc), ("tso", Vocabulary::X86)] {
        let mut builder = Builder::new(vocabulary);
        let (x, y) = (builder.shared("x", Some(3)), builder.shared("y", None));
        let y = Term::address(y, vec![]);
        builder.process("p", 1, 1, |thread| {
            thread.store(y.clone(), int(1)).load(0, Term::address(x, vec![int(0)]));
        });
        builder.process("q", 3, 1, |thread| {
            thread.store(Term::address(x, vec![Term::me()]), int(1)).load(0, y.clone());
        });
        let read = |process: u32| Term::local_of(process, int(0), 0, Sort::Int).equals(int(0));
        let program = builder.finish(PropertyKind::Finally, Term::conjunction([read(0), read(1)]).negated());
        let Repairability::Repaired(found) = run(&program, model, &Options::default()).result else {
            panic!()
        };
        let copies: Vec<_> = found.solutions[0].iter().map(|one| one.place.copy).collect();
        assert_eq!((copies, found.minimal), (vec![None, Some(0)], true), "{model}");
        let source = found.source.unwrap();
        assert_eq!((source.count, source.minimal), (2, true), "{model}");
    }
}

/// Only what the text can say.
#[test]
fn a_language_with_one_fence_gets_that_one() {
    let sync: Vec<_> = Vocabulary::Ppc.fences().into_iter().filter(|fence| &*fence.tag == "SYNC").collect();
    let options = Options { kinds: Some(sync), ..Options::default() };
    assert_eq!(fences("MP", "power", &options), ["sync", "sync"]);
}

#[test]
fn coherence_alone_cannot_be_broken_and_sc_cannot_be_mended() {
    let corr: [&[Access]; 2] = [&[w('x', 1)], &[r('x'), r('x')]];
    for (model, vocabulary) in MODELS {
        let repair = run(&litmus(vocabulary, &corr, &[1, 0], &[]), model, &Options::default());
        assert!(matches!(repair.result, Repairability::AlreadySafe { proof: Proof::Safe { .. } }), "{model}");
        let repair = run(&litmus(vocabulary, &corr, &[0, 1], &[]), model, &Options::default());
        assert!(matches!(repair.result, Repairability::BrokenUnderSc { .. }), "{model}");
    }
}

/// With nothing but lwsync, SB on Power stays broken: the run that shows it has all of them in it.
#[test]
fn what_the_strongest_fence_does_not_repair_is_said_to_be_so() {
    let options = Options { kinds: Some(vec![wattle_program::Fence::lwsync()]), ..Options::default() };
    let program = classic("SB", Vocabulary::Ppc);
    let repair = run(&program, "power", &options);
    let Repairability::Unrepairable { counterexample } = repair.result else { panic!("{:?}", repair.result) };
    let memory = wattle_memory::find("power").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    wattle_judge::confirm::confirm(&task, &counterexample).unwrap();
}

#[test]
fn superfluous_fences_can_go_under_axioms_too() {
    let program = classic("MP", Vocabulary::Ppc);
    let memory = wattle_memory::find("power").unwrap();
    // lwsync and sync at both places: one of the two is enough at each.
    let fenced = insert(&program, &places(&program, memory, false));
    let task = Task { program: &fenced, memory, property: Property::Stated, hints: None };
    let relaxing = relax(&task, &Enumerate::default(), &Options::default(), &Run::default()).unwrap();
    let Relaxed::Fewest { keep, remove, minimal, .. } = relaxing.result else { panic!() };
    assert_eq!((keep.len(), remove.len(), minimal), (2, 2, true));
}

/// Two threads of two or three accesses, one of which is rarely replicated.
fn random_program(random: &mut Random, vocabulary: Vocabulary) -> Program {
    let mut builder = Builder::new(vocabulary);
    let variables: Vec<u32> = ["x", "y"].iter().map(|name| builder.shared(name, None)).collect();
    let mut observed = vec![];
    for process in 0..2 {
        let mut reads = 0;
        let length = 2 + random.below(2);
        let copies = 1 + u32::from(process == 1 && length == 2 && random.below(3) == 0);
        builder.process(["p", "q"][process], copies, 3, |thread| {
            for _ in 0..length {
                let address = Term::address(variables[random.below(2) as usize], vec![]);
                if random.below(2) == 0 {
                    thread.store(address, int(1 + random.below(2) as i64));
                } else {
                    thread.load(reads, address);
                    reads += 1;
                }
            }
        });
        for copy in 0..copies {
            let read = |local| Term::local_of(process as u32, int(i64::from(copy)), local, Sort::Int);
            observed.extend((0..reads).map(read));
        }
    }
    observed.extend(variables.iter().map(|one| Term::content(Term::address(*one, vec![]), Sort::Int)));
    let mut program = builder.finish(PropertyKind::Finally, Term::bool(true));
    program.observed = observed;
    program
}

/// Forbid one of the outcomes that only weak memory has, if there are any.
fn forbid_weak_outcome(program: &mut Program, model: &str, random: &mut Random) -> bool {
    let outcomes = |model: &str| {
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program, memory, property: Property::Stated, hints: None };
        Enumerate::default().outcomes(&task, &Run::default()).unwrap()
    };
    let (weak, strong) = (outcomes(model), outcomes("sc"));
    let weak: Vec<&Vec<Value>> = weak.difference(&strong).collect();
    if weak.is_empty() {
        return false;
    }
    let chosen = weak[random.below(weak.len() as u64) as usize];
    let equal = |(term, value): (&Term, &Value)| term.clone().equals(Term::value(value.clone(), Sort::Int));
    let bad = Term::conjunction(program.observed.iter().zip(chosen).map(equal));
    program.properties[0].formula = bad.negated();
    true
}

/// The least cost and strength of a repair, by trying every set of places and kinds.
fn exhaustive(task: &Task<'_>, engine: &Enumerate) -> Option<(usize, u32)> {
    let places = places(task.program, task.memory, false);
    let price = |set: &[Insertion]| {
        let strength = |one: &Insertion| match &one.op {
            wattle_program::Op::Fence(fence) => fence.orders.0.count_ones(),
            _ => 0,
        };
        (set.len(), set.iter().map(strength).sum::<u32>())
    };
    let mut sets: Vec<Vec<Insertion>> =
        (0..1usize << places.len()).map(|bits| chosen(&places, bits)).collect();
    sets.sort_by_key(|set| price(set));
    let safe = |set: &&Vec<Insertion>| {
        let program = forget_dead(&insert(task.program, set));
        let task = Task { program: &program, ..*task };
        matches!(engine.check(&task, &Run::default()).unwrap().verdict, Verdict::Safe { .. })
    };
    sets.iter().find(safe).map(|set| price(set))
}

/// What is found is safe and tight, and where that can be tried, nothing cheaper is safe.
#[test]
fn random_programs_get_the_fewest_and_weakest_fences() {
    let mut random = Random(0x9a9b_5eed_0dd1_f00d);
    let engine = Enumerate::default();
    let (mut repaired, mut tried, mut checked) = (0, 0, 0);
    for round in 0..1000 {
        let (model, vocabulary) = MODELS[round % MODELS.len()];
        let mut program = random_program(&mut random, vocabulary);
        if !forbid_weak_outcome(&mut program, model, &mut random) {
            continue;
        }
        let Repairability::Repaired(found) = run(&program, model, &Options::default()).result else {
            panic!("round {round} {model}")
        };
        repaired += 1;
        assert!(found.minimal, "round {round} {model}");
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        match a_repair_is_tight(&task, &engine, &found.solutions[0], &Run::default()) {
            Law::Holds(count) => checked += count,
            other => panic!("round {round} {model}: {other:?} {program:?}"),
        }
        let source = found.source.as_ref().unwrap();
        assert!(source.minimal && source.count <= found.count, "round {round}");
        if places(&program, memory, false).len() <= 9 {
            tried += 1;
            let strength = |one: &Insertion| match &one.op {
                wattle_program::Op::Fence(fence) => fence.orders.0.count_ones(),
                _ => 0,
            };
            let price = (found.count, found.solutions[0].iter().map(strength).sum());
            assert_eq!(exhaustive(&task, &engine), Some(price), "round {round} {model}: {program:?}");
        }
    }
    assert!(repaired > 80 && tried > 60 && checked > 200, "{repaired} {tried} {checked}");
}

/// All sets from which nothing can be taken away and in which nothing can be weakened.
#[test]
fn all_solutions_have_nothing_to_weaken() {
    let options = Options { all: All::Subset, ..Options::default() };
    let program = classic("MP", Vocabulary::Ppc);
    let Repairability::Repaired(found) = run(&program, "power", &options).result else { panic!() };
    assert_eq!(found.solutions.len(), 1);
    let program = classic("R", Vocabulary::Riscv);
    let Repairability::Repaired(found) = run(&program, "riscv", &options).result else { panic!() };
    assert_eq!(found.solutions.len(), 1, "{:?}", found.solutions);
}

#[test]
fn adding_a_fence_never_hurts_under_axioms() {
    let mut random = Random(0x1a4b_5eed_fe9c_e5ed);
    let mut held = 0;
    for round in 0..160 {
        let (model, vocabulary) = MODELS[round % MODELS.len()];
        let mut program = random_program(&mut random, vocabulary);
        if !forbid_weak_outcome(&mut program, "sc", &mut random) {
            // Forbid what sc allows in one execution of few, so that some programs are safe.
            let value = int(1 + random.below(3) as i64);
            let bad =
                Term::conjunction(program.observed.iter().map(|term| term.clone().equals(value.clone())));
            program.properties[0].formula = bad.negated();
        }
        let memory = wattle_memory::find(model).unwrap();
        let task = Task { program: &program, memory, property: Property::Stated, hints: None };
        match adding_a_fence_never_hurts(&task, &Enumerate::default(), &Run::default()) {
            Law::Holds(count) => held += count,
            other => panic!("round {round} {model}: {other:?}"),
        }
    }
    assert!(held > 200, "{held}");
}
