//! Several files of C as one program (`--link`): what is one object in all of them, what is apart, and what is an error.
//!
//! Expected answers follow from C11: an identifier with external linkage is one object or function (6.2.2), one of internal
//! linkage is its file's own, tags with the same members are compatible (6.2.7), and there is one external definition (6.9).

use wattle_driver::check::{Check, check};
use wattle_driver::fix::{Fix, fix};
use wattle_driver::replay::{replay, save};
use wattle_driver::{Input, Watch, load, models};
use wattle_report::text::{self, Options};
use wattle_report::{CheckReport, CheckVerdict, FixVerdict};

use super::request;

const MAIN: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct box { int content; atomic_int full; struct box *next; };
typedef struct { int first, second; } pair;
extern int table[];
void put(struct box *box, int value);
int get(struct box *box);
pair swap(pair both);
struct box mailbox;
static int count = 3;
static int step(void) { return count--; }
void *sender(void *unused) { put(&mailbox, 32); return NULL; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sender, NULL);
  int got = get(&mailbox);
  assert(got == -1 || got == 42);
  assert(step() == 3 && count == 2);
  pair both = swap((pair){1, 2});
  assert(both.first == 2 && both.second == 1);
  assert(table[1] == 7);
  pthread_join(thread, NULL);
  return 0;
}
";

const BOX: &str = "#include <stdatomic.h>
struct box { int content; atomic_int full; struct box *next; };
typedef struct { int first, second; } pair;
static int count = 10;
int table[2] = {5, 7};
static int step(void) { return count++; }
void put(struct box *box, int value) {
  box->content = value + step();
  atomic_store_explicit(&box->full, 1, memory_order_release);
}
int get(struct box *box) {
  if (atomic_load_explicit(&box->full, memory_order_acquire))
    return box->content;
  return -1;
}
pair swap(pair both) { pair other = {both.second, both.first}; return other; }
";

fn linked(texts: &[(&str, &str)]) -> Input {
    let files = texts.iter().map(|(name, text)| Input::text(name, "c", text));
    Input::link(files.collect()).unwrap()
}

fn checked(model: &str, input: &Input) -> CheckReport {
    check(&request(model), input, &Watch::default()).unwrap().report
}

fn shown(report: &CheckReport) -> String {
    text::check(report, &Options::default()).result
}

/// The errors of a program that is none, with their codes.
fn errors(texts: &[(&str, &str)]) -> String {
    let refused = load(&linked(texts)).unwrap_err();
    text::diagnostics(&refused.sources, &refused.diagnostics, &Options::default())
}

#[test]
fn external_names_are_one_object_and_static_ones_are_apart() {
    for model in ["sc", "tso", "rc11", "aarch64", "power"] {
        let report = checked(model, &linked(&[("main.c", MAIN), ("box.c", BOX)]));
        assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{model}: {}", shown(&report));
        assert_eq!(report.file, "main.c + box.c");
    }
    // The order of the files changes nothing.
    let report = checked("rc11", &linked(&[("box.c", BOX), ("main.c", MAIN)]));
    assert!(matches!(report.verdict, CheckVerdict::Safe { .. }));
}

#[test]
fn places_name_their_files() {
    let weak = BOX.replace("memory_order_release", "memory_order_relaxed");
    let input = linked(&[("src/main.c", MAIN), ("src/box.c", &weak)]);
    let asked = Check { blame_weak_memory: true, ..request("aarch64") };
    let checked = check(&asked, &input, &Watch::default()).unwrap();
    let text = shown(&checked.report);
    assert!(matches!(checked.report.verdict, CheckVerdict::Unsafe { .. }), "{text}");
    for part in ["box.c:9  ", "from sender, line", "violated: assert, line 18", "box.c:count = 11"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(text.contains("wattle fix --link src/main.c src/box.c --model aarch64"), "{text}");
    let json = wattle_report::json::check(&checked.report, false).to_string();
    assert!(json.contains(r#""line":9,"column":3,"#) && json.contains(r#""file":"src/box.c""#), "{json}");
    // The trace holds both texts.
    let path = std::env::temp_dir().join(format!("wattle-linked-{}.json", std::process::id()));
    save(&path, &checked.trace.unwrap()).unwrap();
    let again = replay(&Input::file(&path));
    std::fs::remove_file(&path).unwrap();
    assert!(again.confirmed, "{:?}", again.diagnostics);
}

#[test]
fn a_repair_changes_the_file_that_needs_it() {
    let weak = BOX.replace("memory_order_release", "memory_order_relaxed");
    let input = linked(&[("main.c", MAIN), ("box.c", &weak)]);
    let report =
        fix(&Fix::new(models::resolve("aarch64", false).unwrap()), &input, &Watch::default()).unwrap();
    let FixVerdict::Repaired { edited: Some(edited), sets, .. } = &report.verdict else {
        panic!("{:?} {:?}", report.verdict, report.notes)
    };
    assert_eq!(edited.len(), 1);
    assert_eq!(sets[0][0].file.as_deref(), Some("box.c"));
    let diff = report.diff().unwrap();
    assert!(diff.contains("--- box.c") && !diff.contains("main.c"), "{diff}");
    assert!(diff.contains("+  atomic_thread_fence"), "{diff}");
}

#[test]
fn one_file_defines_a_name() {
    let text =
        errors(&[("main.c", MAIN), ("box.c", BOX), ("more.c", "int table[2];\nint get(void *box);\n")]);
    for part in ["`table` is defined twice", "more.c:1:5", "box.c:5:5", "the first definition"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let text = errors(&[
        ("a.c", "int f(void) { return 1; }\nint main(void) { return f(); }\n"),
        ("b.c", "int f(void) { return 2; }\n"),
    ]);
    assert!(text.contains("`f` is defined twice") && text.contains("a.c:1:5"), "{text}");
    // Inline functions and what is `static` may be in all files.
    let header = "static int g(void) { return 4; }\ninline int h(void) { return 5; }\nextern int shared;\n";
    let first = format!(
        "#include <assert.h>\n{header}int shared = 1;\nint k(void);\nint main(void) {{ assert(g() + h() + k() == 19); }}\n"
    );
    let second = format!("{header}int k(void) {{ return g() + h() + shared; }}\n");
    let report = checked("sc", &linked(&[("a.c", &first), ("b.c", &second)]));
    assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{}", shown(&report));
}

#[test]
fn functions_of_one_name_have_facts_of_their_own() {
    // `set` of the first file keeps the address that it gets, that of the second only follows it. So `local` needs memory.
    let main = "#include <assert.h>
int *kept;
static void set(int *to) { kept = to; *to = 1; }
void other(int *to);
int main(void) { int local; set(&local); *kept = 5; assert(local == 5); other(&local); assert(local == 7); }
";
    let other = "static void set(int *to) { *to = 7; }\nvoid other(int *to) { set(to); }\n";
    for texts in [[("main.c", main), ("other.c", other)], [("other.c", other), ("main.c", main)]] {
        let report = checked("sc", &linked(&texts));
        assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{}", shown(&report));
    }
    let other = "void set(int *to) { *to = 7; }\nvoid other(int *to) { set(to); }\n";
    let report = checked("sc", &linked(&[("main.c", main), ("other.c", other)]));
    assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{}", shown(&report));
}

#[test]
fn types_must_be_the_same_in_all_files() {
    let main =
        "struct s { int x; };\nextern struct s one;\nint f(int a);\nint main(void) { return f(one.x); }\n";
    for other in ["struct s { long x; };\nstruct s one;\n", "int one;\n", "int one(void) { return 1; }\n"] {
        let text = errors(&[("main.c", main), ("other.c", other)]);
        assert!(text.contains("`one` has another type in another file"), "{text}");
    }
    let text = errors(&[("main.c", main), ("other.c", "int f(int a, int b) { return a + b; }\n")]);
    assert!(text.contains("`f` has another type in another file"), "{text}");
    // A tag that means something else is another type, which harms nobody who does not share it.
    let other = "struct s { long y; };\nstatic struct s own = {4};\nint f(int a) { return a + own.y; }\n";
    let main = "#include <assert.h>\nstruct s { int x; };\nstruct s one = {3};\nint f(int a);\nint main(void) { assert(f(one.x) == 7); }\n";
    let report = checked("sc", &linked(&[("main.c", main), ("other.c", other)]));
    assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{}", shown(&report));
}

#[test]
fn types_that_speak_of_each_other_agree() {
    let types =
        "struct a { struct b *left; int x; };\nstruct b { struct a *right; struct { int y; } in; };\n";
    let main = format!(
        "#include <assert.h>\n{types}void turn(struct a *a);\nstruct a a;\nstruct b b;\nint main(void) {{ a.left = &b; b.right = &a; turn(&a); assert(b.in.y == 2 && a.x == 9); }}\n"
    );
    let other = format!("{types}void turn(struct a *a) {{ a->left->in.y = 2; a->left->right->x = 9; }}\n");
    let report = checked("sc", &linked(&[("main.c", &main), ("other.c", &other)]));
    assert!(matches!(report.verdict, CheckVerdict::Safe { .. }), "{}", shown(&report));
}

#[test]
fn what_nobody_defines_is_unknown_by_its_name() {
    let report = checked("sc", &linked(&[("main.c", MAIN), ("empty.c", "int unused;\n")]));
    let CheckVerdict::Unknown { reason } = &report.verdict else { panic!("{}", shown(&report)) };
    assert!(reason.to_string().contains("the function `get`, which has no definition"), "{reason}");
}

#[test]
fn errors_of_all_files_are_shown() {
    let text = errors(&[("a.c", "int f( { }\n"), ("b.c", "int main(void) { return ; } }\n")]);
    assert!(text.contains("a.c:1:8") && text.contains("b.c:1:29"), "{text}");
}

#[test]
fn files_of_another_language_are_no_part_of_a_program() {
    let text = "shared x; thread p { x = 1; }";
    let files = vec![Input::text("a.wtl", "wtl", text), Input::text("b.wtl", "wtl", text)];
    let refused = load(&Input::link(files).unwrap()).unwrap_err();
    assert_eq!(refused.diagnostics[0].message, "several files of language wtl are not one program");
    let files =
        vec![Input::text("a.c", "c", "int main(void) { return 0; }"), Input::text("b.wtl", "wtl", text)];
    let refused = load(&Input::link(files).unwrap()).unwrap_err();
    assert_eq!(refused.diagnostics[0].message, "a.c is c and b.wtl is wtl");
}
