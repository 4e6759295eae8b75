//! `fix` on litmus tests of each architecture: the fences of the literature, in a text that was read
//! and checked again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use wattle_driver::engines::Settings;
use wattle_driver::fix::{Fix, Method, fix};
use wattle_driver::{Input, Watch, models};
use wattle_engine_refine::Refine;
use wattle_memory::reduction::Keeps;
use wattle_report::{FixReport, FixVerdict, Proof};
use wattle_source::FileId;

/// The text of a program of one file.
fn only(edited: Option<BTreeMap<FileId, String>>) -> String {
    edited.unwrap().into_values().next().unwrap()
}

fn corpus(path: &str) -> Input {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(path);
    Input::file(root.display().to_string())
}

fn fixed(path: &str, model: &str, settings: Settings, engine: Option<&str>) -> FixReport {
    let model = models::resolve(model, false).unwrap();
    let request = Fix { engine: engine.map(ToOwned::to_owned), settings, ..Fix::new(model) };
    fix(&request, &corpus(path), &Watch::default()).unwrap()
}

/// Two threads hand a number to and fro that grows without bound: nothing is finite here, and the count and the proof
/// are still exact.
#[test]
fn unbounded_integers_get_their_fence_and_a_proof() {
    let text = "shared turn = 0, data = 0;
thread p {
  while (true) { await turn % 2 == 0; data = turn; turn = turn + 1; }
}
thread q {
  local r, d;
  while (true) { r = turn; if (r % 2 == 1) { d = data; assert(d == r - 1); turn = r + 1; } }
}
";
    for method in [Method::Fewest, Method::Extract] {
        let request = Fix {
            engine: Some("extrapolate".into()),
            method,
            settings: Settings { smt: super::smt(), ..Settings::default() },
            ..Fix::new(models::resolve("pso", false).unwrap())
        };
        let report = fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap();
        let FixVerdict::Repaired { count, proof, minimal, edited, .. } = report.verdict else {
            panic!("{:?} {:?}", report.verdict, report.notes)
        };
        assert_eq!((count, proof, minimal), (1, Proof::Safe, true));
        assert!(only(edited).contains("data = turn; fence ww; turn"));
    }
}

/// From all flushes down, by an engine that proves: the one that is needed stays. (Baumann and others have one of two for this protocol.)
#[test]
fn flushes_that_can_go_are_taken_away() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let text = std::fs::read_to_string(corpus.join("abp/abp_rma_sender_unbounded.wtl")).unwrap();
    let request = Fix {
        engine: Some("extrapolate".into()),
        method: Method::Descend,
        settings: Settings { smt: super::smt(), ..Settings::default() },
        ..Fix::new(models::resolve("rma", false).unwrap())
    };
    let report = fix(&request, &Input::text("a.wtl", "wtl", &text), &Watch::default()).unwrap();
    let FixVerdict::Repaired { count, proof, edited, .. } = report.verdict else {
        panic!("{:?} {:?}", report.verdict, report.notes)
    };
    assert_eq!((count, proof), (1, Proof::Safe));
    assert!(only(edited).contains("m = get(msg, sender);\n    flush(sender);"));
}

/// Where the answers come from: `repair`'s own tests of these shapes say it. C: release before the
/// write that is read, acquire after the read of it (Lahav et al. 2017); what is not a matter of
/// happens-before needs fences that are sequentially consistent.
/// A loop of stores fills any buffer. Beside a rest, an engine orders stores by barriers if it keeps the oldest; where it keeps
/// the newest it refuses them, and the answer says that only full fences were tried.
#[test]
fn barriers_that_an_engine_refuses_are_not_tried() {
    for (keeps, fence, notes) in [(Keeps::Oldest, "fence ww;", 0), (Keeps::Newest, "fence;", 1)] {
        let refine = Refine { keeps, ..Refine::default() };
        let settings = Settings { smt: super::smt(), refine, ..Settings::default() };
        let report = fixed("unbounded_buffers/producer.wtl", "pso", settings, Some("refine"));
        let FixVerdict::Repaired { count, proof, minimal, edited, .. } = report.verdict else {
            panic!("{:?} {:?}", report.verdict, report.notes)
        };
        assert_eq!((count, proof, minimal), (1, Proof::Safe, true));
        assert!(only(edited).contains(&format!("data = 1; {fence} flag = 1;")), "{keeps:?}");
        assert_eq!(report.head.notes.iter().filter(|note| note.contains("only full fences")).count(), notes);
    }
}

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
        assert!(edited.is_some(), "{name}: {:?}", report.head.notes);
        let edited = only(edited);
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
    assert!(only(edited).contains("fence lwsync;\n      latch[other] = 1;"));
}

/// The same for a text without an architecture: the weakest fence that it can say, as each model has it.
#[test]
fn a_text_gets_the_weakest_fences_that_it_can_say() {
    let text = "shared x, y;\nthread p {\n  x = 1;\n  y = 1;\n}\nthread q {\n  local r, s;\n  r = y;\n  s = x;\n}\n\
                finally !(q.r == 1 && q.s == 0);\n";
    let rows = [
        ("rmo", "fence.ww fence.rr", ["fence ww;", "fence rr;"]),
        ("alpha", "fence.ww fence", ["fence ww;", "fence;"]),
        ("arm", "dmb.st dmb", ["fence ww;", "fence;"]),
        ("aarch64", "dmb.st dmb.ld", ["fence ww;", "fence rr rw;"]),
        ("riscv", "fence.w.w fence.r.r", ["fence ww;", "fence rr;"]),
        ("power", "lwsync lwsync", ["fence lwsync;", "fence lwsync;"]),
        ("rc11", "rel acq", ["fence rw ww;", "fence rr rw;"]),
    ];
    for (model, expected, said) in rows {
        let request = Fix::new(models::resolve(model, false).unwrap());
        let report = fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap();
        let FixVerdict::Repaired { proof, minimal, sets, edited, .. } = report.verdict else {
            panic!("{model}: {:?} {:?}", report.verdict, report.notes)
        };
        assert_eq!((proof, minimal), (Proof::Safe, true), "{model}");
        let kinds: Vec<&str> = sets[0].iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds.join(" "), expected, "{model}");
        let edited = only(edited);
        assert!(edited.contains(&format!("  {}\n  y = 1;", said[0])), "{model}:\n{edited}");
        assert!(edited.contains(&format!("  {}\n  s = x;", said[1])), "{model}:\n{edited}");
    }
}

/// Fences that a translation makes of marks, or two of one, do not stand in the text one by one.
#[test]
fn what_a_translation_adds_is_not_relaxed() {
    let text = "shared x, y;\nthread p {\n  x = 1;\n  fence lwsync;\n  release y = 1;\n}\n\
                thread q {\n  local r, s;\n  acquire r = y;\n  fence lwsync;\n  s = x;\n}\n\
                finally !(q.r == 1 && q.s == 0);\n";
    for model in ["power", "arm", "aarch64", "riscv", "rc11"] {
        let request = Fix { relax: true, ..Fix::new(models::resolve(model, false).unwrap()) };
        let report = fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap();
        let FixVerdict::Relaxed { keep, remove, edited, .. } = report.verdict else {
            panic!("{model}: {:?} {:?}", report.verdict, report.notes)
        };
        assert_eq!((keep.len(), remove.len()), (0, 2), "{model}");
        assert!(!only(edited).contains("fence"), "{model}");
    }
}

fn repaired(text: &str, model: &str, anywhere: bool) -> Option<(usize, String)> {
    let request = Fix { anywhere, ..Fix::new(models::resolve(model, false).unwrap()) };
    let report = fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap();
    match report.verdict {
        FixVerdict::Repaired { source_count, edited, .. } => Some((source_count.unwrap(), only(edited))),
        FixVerdict::AlreadySafe { .. } => None,
        other => panic!("{model}: {other:?} {:?}\n{text}", report.head.notes),
    }
}

/// What is printed is what is inserted, and all of it is needed: relaxing the repaired text takes nothing out.
#[test]
fn what_is_printed_inserted_and_needed_agree() {
    let dekker = std::fs::read_to_string(corpus("dekker/dekker.wtl").path().unwrap()).unwrap();
    let loops = [
        // Only the way into the loop needs a fence.
        "shared x, y;\nthread p { local r, n; x = 1; while (n < 2) { r = y; n = n + 1; } done: skip; }\n\
         thread q { local s; y = 1; s = x; done: skip; }\nforbid p@done && q@done && p.r == 0 && q.s == 0;\n",
        // A load comes before the loop, not a store.
        "shared x, y, z;\nthread p { local r, n, t; x = 1; t = z; while (n < 2) { r = y; n = n + 1; } done: skip; }\n\
         thread q { local s; y = 1; s = x; done: skip; }\nforbid p@done && q@done && p.r == 0 && q.s == 0;\n",
        // Message passing with a loop that reads the flag.
        "shared x, y;\nthread p { x = 1; y = 1; }\nthread q { local f, r, n; while (f == 0 && n < 2) { f = y; n = n + 1; }\n  \
         r = x; assert f == 0 || r == 1; }\n",
        // With `continue`.
        "shared x, y;\nthread p { local r, n; x = 1; while (n < 2) { n = n + 1; if (n == 1) { continue; } r = y; } done: skip; }\n\
         thread q { local s; y = 1; s = x; done: skip; }\nforbid p@done && q@done && p.r == 0 && q.s == 0;\n",
        &dekker,
    ];
    let fences = |text: &str| text.matches("fence").count();
    let mut repairs = 0;
    for text in loops {
        for model in ["tso", "pso", "power", "aarch64"] {
            for anywhere in [false, true] {
                let Some((count, edited)) = repaired(text, model, anywhere) else { continue };
                repairs += 1;
                // The comment at the top of Dekker's text speaks of fences too.
                assert_eq!(fences(&edited) - fences(text), count, "{model} {anywhere}:\n{edited}");
                let relax = Fix { relax: true, ..Fix::new(models::resolve(model, false).unwrap()) };
                let again = fix(&relax, &Input::text("a.wtl", "wtl", &edited), &Watch::default()).unwrap();
                let FixVerdict::Relaxed { keep, remove, .. } = again.verdict else {
                    panic!("{model}: {:?}\n{edited}", again.verdict)
                };
                assert_eq!((keep.len(), remove.len()), (count, 0), "{model} {anywhere}:\n{edited}");
            }
        }
    }
    assert!(repairs >= 24, "{repairs}");
}

/// Double-checked locking with a plain pointer: a fence repairs it on hardware; in C11 the race stays, and that is what is said.
#[test]
fn fences_do_not_mend_a_data_race() {
    let text = "#include <assert.h>\n#include <pthread.h>\n
int data, *instance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *user(void *unused) {
  int *seen = instance;
  if (!seen) {
    pthread_mutex_lock(&lock);
    seen = instance;
    if (!seen) { data = 3; seen = &data; instance = seen; }
    pthread_mutex_unlock(&lock);
  }
  assert(*seen == 3);
  return 0;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, user, 0);
  user(0);
  return 0;
}
";
    let fixed = |model: &str| {
        let request = Fix::new(models::resolve(model, false).unwrap());
        fix(&request, &Input::text("a.c", "c", text), &Watch::default()).unwrap().verdict
    };
    let FixVerdict::Repaired { proof: Proof::Safe, .. } = fixed("aarch64") else { panic!() };
    let FixVerdict::Unrepairable { why } = fixed("rc11") else { panic!() };
    assert!(why.starts_with("a data race is left"), "{why}");
}
