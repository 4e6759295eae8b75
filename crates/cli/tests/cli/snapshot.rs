//! Whole outputs against files in `snapshots/`. With WATTLE_BLESS set they are rewritten.

use std::fs;

use super::{here, wattle};

const CASES: &[(&str, &[&str])] = &[
    ("check-translated", &["check", "barriers.wtl", "--model", "rc11", "--no-timing"]),
    ("check-translated-quiet", &["check", "barriers.wtl", "--model", "rc11", "--no-timing", "-q"]),
    (
        "compare-translated",
        &["compare", "barriers.wtl", "--models", "tso,alpha,arm,power,rc11", "--no-timing"],
    ),
    ("check-safe", &["check", "sb_fenced.wtl", "--model", "tso", "--no-timing", "--certify"]),
    ("check-safe-verbose", &["check", "sb_fenced.wtl", "--model", "tso", "--no-timing", "-v"]),
    ("check-unsafe", &["check", "sb.wtl", "--model", "tso", "--no-timing"]),
    ("check-reduced", &["check", "sb.wtl", "--model", "pso", "--emit", "reduced"]),
    ("check-reduced-sc", &["check", "sb.wtl", "--model", "sc", "--emit", "reduced"]),
    (
        "check-predicates",
        &["check", "sb.wtl", "--model", "tso", "--dump", "predicates", "--rules", "4,5,6,7"],
    ),
    ("check-after-pass", &["check", "counter.wtl", "--model", "tso", "--dump", "after:forget-dead"]),
    ("check-boolean", &["check", "sb.wtl", "--model", "pso", "--dump", "boolean", "--cube-size", "2"]),
    (
        "check-extrapolate",
        &["check", "counter.wtl", "--model", "pso", "--engine", "extrapolate", "--no-timing", "-q"],
    ),
    (
        "check-refine",
        &[
            "check",
            "forever.wtl",
            "--model",
            "tso",
            "--engine",
            "refine",
            "--keep",
            "newest",
            "--no-timing",
            "--certify",
        ],
    ),
    ("bad-rules", &["check", "sb.wtl", "--model", "tso", "--rules", "3"]),
    ("check-unsafe-quiet", &["check", "sb.wtl", "--model", "tso", "--no-timing", "-q"]),
    ("check-unsafe-sc", &["check", "race.wtl", "--model", "sc", "--no-timing"]),
    ("check-unsafe-colour", &["check", "sb.wtl", "--model", "tso", "--no-timing", "--color", "always"]),
    ("check-unsafe-json", &["check", "sb.wtl", "--model", "tso", "--no-timing", "--format", "json"]),
    ("check-rma", &["check", "rma.wtl", "--model", "rma", "--no-timing"]),
    ("check-many-threads", &["check", "crowd.wtl", "--model", "tso", "--no-timing"]),
    ("check-fault", &["check", "fault.wtl", "--model", "sc", "--no-timing"]),
    ("check-deadlock", &["check", "stuck.wtl", "--model", "sc", "--check", "deadlock", "--no-timing"]),
    (
        "check-bounded",
        &["check", "loop.wtl", "--model", "tso", "--engine", "explore", "--no-timing", "--capacity", "3"],
    ),
    (
        "check-unknown-states",
        &[
            "check",
            "sb_fenced.wtl",
            "--model",
            "tso",
            "--no-timing",
            "--max-states",
            "1",
            "--engine",
            "explore",
        ],
    ),
    ("check-unknown-copies", &["check", "any.wtl", "--model", "tso", "--no-timing", "-v"]),
    ("check-unsupported-model", &["check", "rma.wtl", "--model", "tso", "--no-timing"]),
    ("check-vacuous", &["check", "vacuous.wtl", "--model", "sc", "--no-timing"]),
    (
        "check-vacuous-bounded",
        &[
            "check",
            "loop_vacuous.wtl",
            "--model",
            "tso",
            "--engine",
            "explore",
            "--no-timing",
            "--capacity",
            "2",
        ],
    ),
    ("check-unreached", &["check", "dead.wtl", "--model", "sc", "--no-timing"]),
    ("check-copies", &["check", "naive.cub", "--model", "tso", "--copies", "3", "--no-timing"]),
    ("check-copies-safe", &["check", "naive.cub", "--model", "sc", "--copies", "proc=3", "--no-timing"]),
    ("check-copies-any", &["check", "naive.cub", "--model", "tso", "--no-timing"]),
    ("check-copies-pso", &["check", "naive.cub", "--model", "pso", "--copies", "2", "--no-timing"]),
    ("fix-joint", &["fix", "naive.cub", "--model", "tso", "--copies", "2", "--no-timing"]),
    (
        "bad-c",
        &[
            "check",
            "c/syntax.c",
            "c/header.c",
            "c/in_header.c",
            "c/in_macro.c",
            "c/type.c",
            "c/no_main.c",
            "c/nested.c",
            "--model",
            "sc",
            "--no-timing",
        ],
    ),
    (
        "check-unsupported-c",
        &[
            "check",
            "c/undefined.c",
            "c/float.c",
            "c/vla.c",
            "c/assembly.c",
            "c/bits.c",
            "c/atomic_struct.c",
            "--model",
            "sc",
            "--no-timing",
        ],
    ),
    ("bad-c-compiler", &["check", "c/no_main.c", "--model", "sc", "--cc", "nonesuch"]),
    ("bad-c-property", &["check", "c/no_main.c", "--model", "sc", "--property-file", "c/termination.prp"]),
    (
        "check-svcomp",
        &[
            "check",
            "c/calls_error.c",
            "c/float.c",
            "--model",
            "sc",
            "--property-file",
            "c/unreach-call.prp",
            "--format",
            "svcomp",
        ],
    ),
    ("check-c", &["check", "c/calls_error.c", "--model", "sc", "--no-timing"]),
    ("bad-svcomp", &["fix", "c/calls_error.c", "--model", "sc", "--format", "svcomp"]),
    ("bad-copies", &["check", "naive.cub", "sb.wtl", "--model", "tso", "--copies", "prc=2"]),
    ("bad-cub", &["check", "bad.cub", "--model", "tso"]),
    ("bad-syntax", &["check", "bad_syntax.wtl", "--model", "tso"]),
    ("bad-name", &["check", "bad_name.wtl", "--model", "tso"]),
    ("bad-files", &["check", "nowhere.wtl", "empty.wtl", "binary.wtl", "-", "--model", "tso"]),
    ("bad-model", &["check", "sb.wtl", "--model", "tos"]),
    ("bad-engine", &["check", "sb.wtl", "--model", "tso", "--engine", "explor"]),
    ("bad-option", &["check", "sb.wtl", "--modle", "tso"]),
    ("bad-json", &["check", "bad_name.wtl", "--model", "tso", "--format", "json", "--no-timing"]),
    ("outcomes", &["outcomes", "sb.wtl", "--model", "tso", "--no-timing"]),
    ("outcomes-quiet", &["outcomes", "sb.wtl", "--model", "tso", "--no-timing", "-q"]),
    ("outcomes-json", &["outcomes", "sb.wtl", "--model", "sc", "--no-timing", "--format", "json"]),
    ("outcomes-litmus", &["outcomes", "SB.litmus", "SB+mfences.litmus", "race.litmus", "--no-timing"]),
    ("outcomes-litmus-json", &["outcomes", "SB.litmus", "race.litmus", "--no-timing", "--format", "json"]),
    ("outcomes-litmus-loop", &["outcomes", "loop.litmus", "--no-timing", "-v"]),
    ("outcomes-own-model", &["outcomes", "SB.litmus", "--model", "models/half.cat", "--no-timing"]),
    ("outcomes-folder", &["outcomes", "litmus", "-q", "--no-timing"]),
    ("compare-litmus", &["compare", "litmus", "--models", "sc,tso,power", "--no-timing"]),
    (
        "compare-port",
        &["compare", "SB.litmus", "SB+mfences.litmus", "--from", "sc", "--to", "tso", "--no-timing"],
    ),
    ("check-litmus", &["check", "SB.litmus", "--model", "tso", "--no-timing"]),
    ("check-litmus-graph", &["check", "MP+power.litmus", "--model", "power", "--no-timing"]),
    ("bad-litmus", &["outcomes", "cut.litmus", "unknown_instruction.litmus", "missing_location.litmus"]),
    ("bad-cat-type", &["outcomes", "SB.litmus", "--model", "models/type.cat"]),
    ("bad-cat-cycle", &["outcomes", "SB.litmus", "--model", "models/circle.cat"]),
    ("bad-cat-missing", &["check", "SB.litmus", "--model", "models/nowhere.cat"]),
    ("outcomes-no-model", &["outcomes", "sb.wtl"]),
    ("outcomes-unknown", &["outcomes", "any.wtl", "--model", "tso"]),
    ("compare", &["compare", "sb.wtl", "--models", "sc,tso,pso", "--no-timing"]),
    ("fix", &["fix", "sb.wtl", "--model", "tso", "--no-timing"]),
    ("fix-json", &["fix", "sb.wtl", "--model", "tso", "--no-timing", "--format", "json"]),
    ("fix-hopeless", &["fix", "race.wtl", "--model", "tso", "--no-timing"]),
    ("fix-relax", &["fix", "sb_fenced.wtl", "--model", "sc", "--relax", "--no-timing"]),
    ("generate", &["generate", "--arch", "ppc", "LwSyncdWW Rfe DpAddrdR Fre"]),
    ("generate-c", &["generate", "--arch", "c", "Fence.reldWW Rfe PodRRAcqRlx Fre"]),
    ("generate-family", &["generate", "--arch", "x86", "--size", "4", "-v"]),
    ("generate-bad-edge", &["generate", "--arch", "ppc", "LwSyncWW Rfe DpAddrdR Fre"]),
    ("generate-bad-cycle", &["generate", "--arch", "ppc", "LwSyncdWW Rfe DpAddrdW Fre"]),
    ("distinguish", &["distinguish", "rmo", "alpha"]),
    ("distinguish-none", &["distinguish", "tso", "tso", "--size", "4"]),
    ("distinguish-nothing-common", &["distinguish", "power", "aarch64"]),
    ("generate-help", &["generate", "--help"]),
    ("models", &["models"]),
    ("engines-list", &["engines"]),
    ("engines", &["engines", "rma.wtl"]),
    ("explain", &["explain", "tso"]),
    ("explain-unknown", &["explain", "vacous"]),
    ("test-litmus", &["test", "litmus", "-v"]),
    ("fix-litmus", &["fix", "MP+power.litmus", "--model", "power", "--no-timing"]),
    ("test", &["test", "sb.wtl", "sb_fenced.wtl", "wrong.wtl", "race.wtl"]),
];

#[test]
fn users_see_what_they_saw_before() {
    let bless = std::env::var_os("WATTLE_BLESS").is_some();
    let mut differences = Vec::new();
    for (name, arguments) in CASES {
        let ran = wattle(arguments, "shared x;\n");
        let mut seen = format!("$ wattle {}\n{}", arguments.join(" "), ran.stdout);
        if !ran.stderr.is_empty() {
            seen.push_str(&format!("--- standard error\n{}", ran.stderr));
        }
        seen.push_str(&format!("--- exit code {}\n", ran.code));
        let path = here().join("snapshots").join(format!("{name}.txt"));
        let known = fs::read_to_string(&path).unwrap_or_default();
        if bless && known != seen {
            fs::write(&path, &seen).expect("the snapshot can be written");
        } else if known != seen {
            differences.push(format!("=== {name}: expected\n{known}=== {name}: found\n{seen}"));
        }
    }
    assert!(differences.is_empty(), "{}\nIf this is meant: cargo xtask bless", differences.join("\n"));
}

#[test]
fn equal_runs_print_equal_bytes() {
    for (name, arguments) in CASES.iter().filter(|(_, arguments)| arguments.contains(&"--no-timing")) {
        let (one, two) = (wattle(arguments, ""), wattle(arguments, ""));
        assert_eq!(one.stdout, two.stdout, "{name}");
    }
}

#[test]
fn every_snapshot_has_its_case() {
    for entry in fs::read_dir(here().join("snapshots")).expect("the folder is there") {
        let name = entry.expect("an entry").file_name().to_string_lossy().replace(".txt", "");
        assert!(CASES.iter().any(|(case, _)| *case == name), "snapshot `{name}` belongs to no case");
    }
}
