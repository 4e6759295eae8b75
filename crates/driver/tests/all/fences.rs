//! `fix` on litmus tests of each architecture: the fences of the literature, in a text that was read
//! and checked again.

use std::path::PathBuf;

use wattle_driver::engines::Settings;
use wattle_driver::fix::{Fix, fix};
use wattle_driver::{Input, Watch, models};
use wattle_report::{FixReport, FixVerdict, Proof};

fn corpus(path: &str) -> Input {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path);
    Input::file(root.display().to_string())
}

fn fixed(path: &str, model: &str, settings: Settings, engine: Option<&str>) -> FixReport {
    let model = models::resolve(model, false).unwrap();
    let request = Fix { engine: engine.map(ToOwned::to_owned), settings, ..Fix::new(model) };
    fix(&request, &corpus(path), &Watch::default()).unwrap()
}

/// Where the answers come from: `repair`'s own tests of these shapes say it. C: release before the
/// write that is read, acquire after the read of it (Lahav et al. 2017); what is not a matter of
/// happens-before needs fences that are sequentially consistent.
#[test]
fn classic_litmus_tests_get_their_fences_as_instructions() {
    let rows = [
        ("ppc/MP", "power", "lwsync lwsync", "lwsync"),
        ("ppc/SB", "power", "sync sync", "sync"),
        ("ppc/IRIW", "power", "sync sync", "sync"),
        ("ppc/R", "power", "sync sync", "sync"),
        ("ppc/2+2W", "power", "lwsync lwsync", "lwsync"),
        ("ppc/WRC", "power", "lwsync lwsync", "lwsync"),
        ("ppc/LB", "power", "lwsync lwsync", "lwsync"),
        ("ppc/S", "power", "lwsync lwsync", "lwsync"),
        ("arm/MP", "arm", "dmb.st dmb", "DMB ST"),
        ("arm/SB", "arm", "dmb dmb", "DMB"),
        ("aarch64/MP", "aarch64", "dmb.st dmb.ld", "DMB LD"),
        ("aarch64/SB", "aarch64", "dmb.sy dmb.sy", "DMB SY"),
        ("aarch64/IRIW", "aarch64", "dmb.ld dmb.ld", "DMB LD"),
        ("riscv/MP", "riscv", "fence.w.w fence.r.r", "fence w,w"),
        ("riscv/SB", "riscv", "fence.w.r fence.w.r", "fence w,r"),
        ("riscv/LB", "riscv", "fence.r.w fence.r.w", "fence r,w"),
        ("x86/SB", "tso", "mfence mfence", "MFENCE"),
        ("x86/R", "tso", "mfence", "MFENCE"),
        ("c11/MP", "rc11", "rel acq", "atomic_thread_fence(memory_order_release);"),
        ("c11/S", "rc11", "rel acq", "atomic_thread_fence(memory_order_acquire);"),
        ("c11/SB", "rc11", "sc sc", "atomic_thread_fence(memory_order_seq_cst);"),
        ("c11/IRIW", "rc11", "sc sc", "atomic_thread_fence(memory_order_seq_cst);"),
    ];
    for (name, model, expected, said) in rows {
        let report = fixed(&format!("litmus/{name}.litmus"), model, Settings::default(), None);
        let FixVerdict::Repaired { proof, minimal, sets, edited, .. } = report.verdict else {
            panic!("{name}: {:?} {:?}", report.verdict, report.notes)
        };
        assert_eq!((proof, minimal), (Proof::Safe, true), "{name}");
        let kinds: Vec<&str> = sets[0].iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, expected.split_whitespace().collect::<Vec<_>>(), "{name}");
        let edited = edited.unwrap_or_else(|| panic!("{name}: {:?}", report.notes));
        assert!(edited.contains(said), "{name}:\n{edited}");
    }
}

/// PostgreSQL's workers on Power: the stores of the message in order, and the loads too.
#[test]
fn the_workers_of_pgsql_need_two_fences_each_on_power() {
    let mut settings = Settings::default();
    settings.enumerate.unwind = 1;
    let report = fixed("pgsql/pgsql.wtl", "power", settings, Some("enumerate"));
    let FixVerdict::Repaired { proof, minimal, count, source_count, sets, edited } = report.verdict else {
        panic!("{:?}", report.verdict)
    };
    assert_eq!((proof, minimal, count, source_count), (Proof::Bounded, false, 4, Some(2)));
    assert!(sets[0].iter().all(|one| one.kind == "lwsync"));
    assert!(edited.unwrap().contains("fence lwsync;\n      latch[other] = 1;"));
}
