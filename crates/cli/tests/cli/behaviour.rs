//! Exit codes, order, pipes, interruption, traces.

use std::fs;
use std::io::{BufRead, Read};
use std::process::Stdio;

use super::{command, here, wattle};

#[test]
fn the_exit_code_is_the_worst_of_all_inputs() {
    let code = |files: &[&str], more: &[&str]| {
        // Others prove more: nothing would be bounded.
        let arguments = [&["check", "--model", "tso", "--engine", "explore"], files, more].concat();
        wattle(&arguments, "").code
    };
    assert_eq!(code(&["sb_fenced.wtl"], &[]), 0);
    assert_eq!(code(&["sb.wtl"], &[]), 1);
    assert_eq!(code(&["nowhere.wtl"], &[]), 2);
    assert_eq!(code(&["loop.wtl"], &[]), 3);
    assert_eq!(code(&["loop.wtl"], &["--accept-bounded"]), 0);
    assert_eq!(code(&["any.wtl"], &["--accept-bounded"]), 3);
    assert_eq!(code(&["sb_fenced.wtl", "loop.wtl"], &[]), 3);
    assert_eq!(code(&["loop.wtl", "sb.wtl", "sb_fenced.wtl"], &[]), 1);
    assert_eq!(code(&["sb.wtl", "nowhere.wtl", "loop.wtl"], &[]), 2);
    assert_eq!(wattle(&["chekc"], "").code, 2);
    assert_eq!(wattle(&["--help"], "").code, 0);
    assert_eq!(wattle(&["fix", "sb.wtl", "--model", "tso"], "").code, 0);
    assert_eq!(wattle(&["fix", "race.wtl", "--model", "tso"], "").code, 1);
}

/// Options that would do nothing, and names that mean nothing, are errors of usage.
#[test]
fn nothing_is_silently_ignored() {
    let refused = |arguments: &[&str], why: &str| {
        let ran = wattle(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.contains(why), "{arguments:?}: {}", ran.stderr);
    };
    refused(&["outcomes", "sb.wtl", "--model", "sc", "--engine", "bmc"], "does not list final states");
    refused(&["compare", "SB.litmus", "--models", "sc,tso", "--engine", "bmc"], "does not list final states");
    let check = |more: &[&'static str]| [&["check", "sb.wtl", "--model", "pso"], more].concat();
    refused(&check(&["--engine", "explore", "--method", "ce"]), "engine extrapolate");
    refused(&check(&["--engine", "explore", "--unwind", "2"]), "engines bmc, enumerate");
    refused(&check(&["--buffer", "nosuch=2"]), "no shared variable `nosuch`");
    refused(&check(&["--emit", "reduced", "--buffer", "nosuch=2"]), "no shared variable `nosuch`");
    refused(&check(&["--engine", "bmc", "--rest", "set"]), "engine refine and --emit reduced");
    refused(&check(&["--engine", "refine", "--buffer", "x=2"]), "--buffer NAME=N has no effect");
    refused(&check(&["--emit", "reduced", "--keep", "newest"]), "--rest");
    refused(&["check", "sb.wtl", "--model", "tso", "--buffer", "x=2"], "belongs to a thread");
    refused(&["fix", "sb.wtl", "--model", "pso", "--buffer", "nosuch=2"], "no shared variable `nosuch`");
    refused(&["fix", "sb.wtl", "--model", "pso", "--buffer", "xx=2"], "did you mean `x`?");
    refused(&["compare", "sb.wtl", "--models", "sc,pso", "--buffer", "xx=2"], "did you mean `x`?");
    refused(&["test", "sb.wtl", "--buffer", "xx=2"], "did you mean `x`?");
    refused(&["check", "sb.wtl", "--model", "tso", "--buffer", "xx=2"], "did you mean `x`?");
    refused(&["check", "sb.wtl", "--model", "pso", "--engine", "explore", "--buffer", "xx=2"], "no effect");
    refused(&["outcomes", "sb.wtl", "--model", "pso", "--buffer", "xx=2"], "no effect");
    refused(&["fix", "sb.wtl", "--model", "tso", "--relax", "--anywhere"], "cannot be used with");
    refused(&["generate", "--arch", "x86", "--size", "4", "PodWR Fre PodWR Fre"], "cannot be used with");
    let ran = wattle(&["models", "-v"], "");
    assert!(ran.code == 0 && ran.stderr.contains("--verbose has no effect"), "{}", ran.stderr);
}

/// What is printed of a program with buffers can be read again.
#[test]
fn reduced_programs_are_read_again() {
    for rest in [&[][..], &["--rest", "set"], &["--rest", "havoc", "--keep", "newest", "--buffer", "0"]] {
        for model in ["tso", "pso"] {
            let reduced = [&["check", "sb.wtl", "--model", model, "--emit", "reduced"], rest].concat();
            let printed = wattle(&reduced, "");
            assert_eq!(printed.code, 0, "{rest:?}: {}", printed.stderr);
            let again = ["check", "-", "--lang", "wir", "--model", "sc", "--dump", "program"];
            // Spans are those of the new text.
            let without_spans = |text: &str| {
                let line = |line: &str| line.split(" @").next().unwrap_or_default().to_owned();
                text.lines().map(line).collect::<Vec<_>>()
            };
            let again = wattle(&again, &printed.stdout).stdout;
            assert_eq!(without_spans(&again), without_spans(&printed.stdout), "{rest:?}");
        }
    }
}

/// A proof about nothing says so whatever was asked for.
#[test]
fn vacuity_is_never_hidden() {
    for more in [&["-q"][..], &[], &["-v"]] {
        let check = [&["check", "vacuous.wtl", "--model", "sc"], more].concat();
        let ran = wattle(&check, "");
        assert!(ran.code == 0 && ran.stdout.contains("VACUOUS"), "{more:?}: {}", ran.stdout);
        assert!(ran.stderr.contains("warning[vacuous]"), "{more:?}: {}", ran.stderr);
        assert_eq!(wattle(&[&check[..], &["--deny", "vacuous"]].concat(), "").code, 3, "{more:?}");
    }
    let compared = wattle(&["compare", "vacuous.wtl", "--models", "sc,tso"], "");
    assert_eq!(compared.stdout.matches("VACUOUS").count(), 2, "{}", compared.stdout);
    for command in
        [&["fix", "vacuous.wtl", "--model", "tso", "-q"][..], &["compare", "vacuous.wtl", "--models", "sc"]]
    {
        assert_eq!(wattle(&[command, &["--deny", "vacuous"]].concat(), "").code, 3, "{command:?}");
    }
    let ran = wattle(&["fix", "vacuous.wtl", "--model", "tso", "-q"], "");
    assert!(ran.code == 0 && ran.stdout.contains("VACUOUS"), "{}", ran.stdout);
    assert_eq!(wattle(&["check", "sb_fenced.wtl", "--model", "tso", "--deny", "vacuous"], "").code, 0);
}

#[test]
fn results_keep_the_order_of_files() {
    let files = ["sb.wtl", "nowhere.wtl", "sb_fenced.wtl", "loop.wtl", "any.wtl", "race.wtl", "rma.wtl"];
    let arguments = [&["check", "--model", "tso", "-q", "--no-timing"], &files[..]].concat();
    let one = wattle(&arguments, "");
    let four = wattle(&[&arguments[..], &["-j", "4"]].concat(), "");
    assert_eq!((&one.stdout, &one.stderr), (&four.stdout, &four.stderr));
    // Errors are told even to those who asked for quiet, but not among the results.
    assert!(one.stderr.starts_with("nowhere.wtl: error\n"), "{}", one.stderr);
    let verdicts: Vec<&str> = one.stdout.lines().collect();
    let results = files.iter().filter(|file| **file != "nowhere.wtl");
    assert_eq!(verdicts.len(), files.len() - 1);
    for (line, file) in verdicts.iter().zip(results) {
        assert!(line.starts_with(file), "{line}");
    }
}

#[test]
fn folders_lists_and_standard_input() {
    let json = |arguments: &[&str], stdin: &str| {
        let ran = wattle(&[&["check", "--model", "sc", "--format", "json"], arguments].concat(), stdin);
        ran.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect::<Vec<serde_json::Value>>()
    };
    let folder = json(&["folder"], "");
    let names: Vec<&str> = folder.iter().filter_map(|line| line["file"].as_str()).collect();
    assert_eq!(names, ["folder/a.wtl", "folder/deeper/c.wtl", "folder/z.wtl"]);
    let list = json(&["@list"], "");
    let names: Vec<&str> = list.iter().filter_map(|line| line["file"].as_str()).collect();
    assert_eq!(names, ["sb.wtl", "folder/a.wtl", "folder/deeper/c.wtl", "folder/z.wtl"]);
    let text = fs::read_to_string(super::here().join("inputs/sb.wtl")).expect("the input is there");
    let stdin = json(&["-", "--lang", "wtl"], &text);
    assert_eq!((stdin[0]["file"].as_str(), stdin[0]["verdict"].as_str()), (Some("<stdin>"), Some("safe")));
}

/// A story without what is said about it.
fn story(text: &str) -> Vec<&str> {
    let story = text.lines().skip(1).filter(|line| !line.contains("note:"));
    let story: Vec<&str> = story.take_while(|line| !line.contains("under sc")).collect();
    story.iter().rev().skip_while(|line| line.is_empty()).copied().collect()
}

#[test]
fn a_saved_trace_replays() {
    let path = std::env::temp_dir().join(format!("wattle-test-{}.wattle-trace", std::process::id()));
    let path = path.to_str().expect("a plain path");
    let checked = wattle(&["check", "rma.wtl", "--model", "rma", "--save-trace", path, "--no-timing"], "");
    assert_eq!(checked.code, 1, "{}", checked.stderr);
    let replayed = wattle(&["replay", path, "--no-timing"], "");
    assert_eq!(replayed.code, 1);
    assert_eq!(story(&checked.stdout), story(&replayed.stdout));
    // A trace that does not end in a violation is refused.
    let text =
        fs::read_to_string(path).expect("the trace is there").replace("put(Y, p1, X)", "put(X, p2, X)");
    fs::write(path, text).expect("the trace can be written");
    assert_eq!(wattle(&["replay", path], "").code, 2);
    fs::remove_file(path).expect("the trace can be removed");
}

/// Also under models without a machine, where a counterexample is a graph: what a trace says of it must be so.
#[test]
fn a_saved_graph_replays() {
    let path = std::env::temp_dir().join(format!("wattle-graph-{}.wattle-trace", std::process::id()));
    let path = path.to_str().expect("a plain path");
    for (input, model) in [("sb.wtl", "power"), ("fault.wtl", "aarch64"), ("SB.litmus", "rc11")] {
        let checked = wattle(&["check", input, "--model", model, "--save-trace", path, "--no-timing"], "");
        assert_eq!(checked.code, 1, "{}{}", checked.stdout, checked.stderr);
        let replayed = wattle(&["replay", path, "--no-timing"], "");
        assert_eq!(replayed.code, 1, "{}{}", replayed.stdout, replayed.stderr);
        assert_eq!(story(&checked.stdout), story(&replayed.stdout), "{input}");
    }
    let trace = fs::read_to_string(path).expect("the trace is there");
    let whole: serde_json::Value = serde_json::from_str(&trace).expect("a trace is JSON");
    type Lie = (&'static str, fn(&mut serde_json::Value));
    let lies: [Lie; 5] = [
        ("another value", |trace| trace["execution"]["events"][3]["kind"]["write"] = 7.into()),
        ("no such event", |trace| trace["execution"]["reads_from"][0][0] = 99.into()),
        ("another write", |trace| trace["execution"]["reads_from"][0][0] = 2.into()),
        ("no such location", |trace| trace["execution"]["events"][2]["kind"]["location"] = 9.into()),
        ("a shorter path", |trace| _ = trace["paths"][0].as_array_mut().map(Vec::pop)),
    ];
    for (what, lie) in lies {
        let mut trace = whole.clone();
        lie(&mut trace);
        assert_ne!(trace, whole, "{what}");
        fs::write(path, trace.to_string()).expect("the trace can be written");
        let replayed = wattle(&["replay", path], "");
        assert_eq!(replayed.code, 2, "{what}: {}{}", replayed.stdout, replayed.stderr);
    }
    fs::remove_file(path).expect("the trace can be removed");
}

#[test]
fn the_printed_program_reads_back() {
    let printed = wattle(&["check", "sb.wtl", "--model", "tso", "--dump", "program"], "");
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    let again = wattle(&["check", "-", "--lang", "wir", "--model", "tso", "-q"], &printed.stdout);
    assert_eq!(again.code, 1, "{}{}", again.stdout, again.stderr);
}

#[test]
fn the_program_after_each_pass_reads_back_and_has_the_same_verdict() {
    let text = "shared x, y; thread p { local r, t; t = x; x = t + 1; r = y; }
                thread q { local s; y = 1; s = x; } finally p.r == 1 || q.s == 1;";
    let show = |model, view: &str| {
        let printed = wattle(&["check", "-", "--lang", "wtl", "--model", model, "--dump", view], text);
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        printed.stdout
    };
    for (model, code) in [("sc", 0), ("tso", 1), ("aarch64", 1)] {
        for pass in ["load", "observe", "retarget", "forget-dead"] {
            let printed = show(model, &format!("after:{pass}"));
            assert_eq!(printed.contains("forget t"), pass == "forget-dead", "{printed}");
            let translated = model == "aarch64" && ["retarget", "forget-dead"].contains(&pass);
            assert_eq!(printed.contains("vocabulary aarch64"), translated, "{printed}");
            let again = wattle(&["check", "-", "--lang", "wir", "--model", model, "-q"], &printed);
            assert_eq!(again.code, code, "{model} {pass}: {}{}", again.stdout, again.stderr);
        }
    }
    assert_eq!(show("tso", "program"), show("tso", "after:load"));
}

#[test]
fn an_unknown_pass_is_bad_usage_with_the_nearest_name_and_the_list() {
    let refused = wattle(&["check", "sb.wtl", "--model", "tso", "--dump", "after:forget-ded"], "");
    assert_eq!(refused.code, 2);
    for part in ["'after:forget-dead'", "similar", "after:load, ", "after:retarget, "] {
        assert!(refused.stderr.contains(part), "{part} in {}", refused.stderr);
    }
}

#[test]
fn there_is_nothing_after_a_translation_that_does_not_exist() {
    let view = |pass| wattle(&["check", "rma.wtl", "--model", "power", "--dump", pass], "");
    assert_eq!(view("after:load").code, 0);
    let nothing = view("after:retarget");
    assert_eq!(nothing.code, 3, "{}", nothing.stdout);
    assert!(nothing.stderr.contains("nothing to show: no translation from"), "{}", nothing.stderr);
}

#[test]
fn fix_writes_only_when_asked() {
    let path = std::env::temp_dir().join(format!("wattle-test-{}.wtl", std::process::id()));
    let original = fs::read_to_string(super::here().join("inputs/sb.wtl")).expect("the input is there");
    fs::write(&path, &original).expect("a copy can be written");
    let file = path.to_str().expect("a plain path");
    assert_eq!(wattle(&["fix", file, "--model", "tso"], "").code, 0);
    assert_eq!(fs::read_to_string(&path).expect("still there"), original);
    assert_eq!(wattle(&["fix", file, "--model", "tso", "--write"], "").code, 0);
    let repaired = fs::read_to_string(&path).expect("still there");
    assert_eq!(repaired.matches("fence").count(), original.matches("fence").count() + 2, "{repaired}");
    assert_eq!(wattle(&["check", file, "--model", "tso"], "").code, 0);
    fs::remove_file(&path).expect("the copy can be removed");
}

#[test]
fn a_reader_that_goes_away_ends_wattle_quietly() {
    let files = vec!["sb.wtl"; 300];
    let arguments = [&["check", "--model", "tso", "-v"], &files[..]].concat();
    let mut child = command(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("wattle starts");
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().expect("a pipe");
    stdout.read_exact(&mut first).expect("something is printed");
    drop(stdout);
    let output = child.wait_with_output().expect("wattle ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_readme_shows_what_wattle_prints() {
    let root = super::here().join("../../../..");
    let readme = fs::read_to_string(root.join("README.md")).expect("the README is there");
    for arguments in [["check", "examples/peterson.wtl"], ["fix", "examples/peterson.wtl"]] {
        let arguments = [&arguments[..], &["--model", "tso", "--no-timing"]].concat();
        let output = command(&arguments).current_dir(&root).output().expect("wattle runs");
        let printed = String::from_utf8(output.stdout).expect("text");
        assert!(readme.contains(printed.trim_end()), "README.md does not show this:\n{printed}");
    }
}

/// The first file is small and its result shows that the second, which is far too large, is next.
#[test]
fn an_interrupted_search_says_so() {
    let mut child =
        command(&["check", "sb_fenced.wtl", "huge.wtl", "--model", "tso", "-q", "--timeout", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("wattle starts");
    let mut stdout = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("the first result");
    assert!(line.starts_with("sb_fenced.wtl: safe"), "{line}");
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill exists").success());
    line.clear();
    stdout.read_line(&mut line).expect("the second result");
    assert!(line.starts_with("huge.wtl: unknown under tso (interrupted"), "{line}");
    assert_eq!(child.wait().expect("wattle ends").code(), Some(130));
}

#[test]
fn completions_and_man_pages_come_out() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(wattle(&["completions", shell], "").stdout.contains("compare"), "{shell}");
    }
    assert!(wattle(&["man"], "").stdout.contains(".TH"));
    assert!(wattle(&["man", "check"], "").stdout.contains("certify"));
    assert_eq!(wattle(&["man", "chek"], "").code, 2);
}

#[test]
fn a_very_long_thread_is_no_reason_to_fall_over() {
    let text = format!("shared x; thread p {{ {} }} finally x == 1;", "x = 1; ".repeat(40_000));
    for model in ["sc", "tso"] {
        assert_eq!(wattle(&["check", "-", "--lang", "wtl", "--model", model], &text).code, 0, "{model}");
    }
}

#[test]
fn the_doctor_says_which_solver_was_refused_and_why() {
    let ran = wattle(&["doctor", "--smt-library", "no/such/libz3.so"], "");
    assert_eq!(ran.code, 0);
    // The width of the column is that of the longest name above.
    let is_refused = |line: &str| {
        let rest = line.trim_start().strip_prefix("refused ");
        rest.is_some_and(|rest| rest.trim_start().starts_with("no/such/libz3.so: No such file"))
    };
    assert!(ran.stdout.lines().any(is_refused), "{}", ran.stdout);
    assert!(ran.stdout.contains("  Z3 "), "{}", ran.stdout);
}

/// The checker looks at proofs by predicates again, and at what they say is never reached.
#[test]
fn proofs_by_predicates_are_certified() {
    let protocol = here().join("../../../../corpus/abp/abp_unbounded.wtl").display().to_string();
    for (file, warns) in [(protocol.as_str(), false), ("dead.wtl", true)] {
        let arguments =
            ["check", file, "--model", "tso", "--engine", "extrapolate", "--certify", "--no-timing"];
        let ran = wattle(&arguments, "");
        let headline = ran.stdout.lines().next().unwrap_or_default();
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(headline.contains("abstract states, certified)"), "{headline}");
        assert_eq!(
            (ran.stdout + &ran.stderr).contains("no execution reaches this statement"),
            warns,
            "{file}"
        );
    }
    // Without `--engine`, it has its turn when the states do not end.
    let ran = wattle(&["check", &protocol, "--model", "tso", "--certify", "-q"], "");
    assert!(ran.code == 0 && ran.stdout.contains("certified"), "{}{}", ran.stdout, ran.stderr);
}
