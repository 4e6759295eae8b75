//! What texts become, and what is said of texts that are wrong.

use wattle_frontend::Parsed;
use wattle_program::{Instance, ProcessId, Program, text, validate};

use crate::FRONTEND;

fn program(source: &str) -> Program {
    let Parsed { program, .. } =
        FRONTEND.read("a.cub", source).unwrap_or_else(|problems| panic!("{problems:#?}"));
    validate(&program).unwrap();
    program
}

/// The printed form without places.
fn printed(source: &str) -> String {
    let text = text::print(&program(source));
    let line = |line: &str| line.split(" @").next().unwrap_or("").to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn edges(source: &str) -> Vec<String> {
    printed(source)
        .lines()
        .filter_map(|line| line.trim().strip_prefix("edge 0 -> 0 "))
        .map(str::to_owned)
        .collect()
}

/// Codes of the errors, with line and column, and message with help.
fn errors(source: &str) -> Vec<String> {
    let (sources, _) = wattle_source::Sources::single("a.cub", source);
    let problems = FRONTEND.read("a.cub", source).expect_err("this should be wrong");
    let describe = |problem: &wattle_source::Diagnostic| {
        let at = sources.start(problem.span());
        let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}:{} {}: {}{help}", at.line, at.column, problem.code, problem.message)
    };
    problems.iter().map(describe).collect()
}

const MUTEX: &str = "
(* a (* nested *) comment *)
type loc = L1 | L2 | L3
array PC[proc] : loc
weak array R[proc] : bool
init (p) { PC[p] = L1 && R[p] = False }
unsafe (p1 p2) { PC[p1] = L3 && PC[p2] = L3 }
transition t1 ([p])
requires { PC[p] = L1 }
{ PC[p] := L2; R[p] := True }
transition t2 ([p])
requires { PC[p] = L2 && forall_other q. R[q] = False && fence() }
{ PC[p] := L3 }
transition t4 ([p])
requires { PC[p] = L3 }
{ PC[p] := L1; R[p] := False; }
";

#[test]
fn naive_mutual_exclusion() {
    assert_eq!(
        printed(MUTEX),
        "wir 1
program \"a.cub\"
vocabulary generic
enum loc { L1 L2 L3 }
variable PC[copies proc] : loc init loc.L1 unbuffered
variable R[copies proc] : bool init false
process proc copies any
  entry 0
  point 0
  edge 0 -> 0 do assume mem(&PC[me:process]) == loc.L1; \
together { &PC[me:process] = loc.L2, &R[me:process] = true }
  edge 0 -> 0 do fence fence rr rw wr ww cumulative; assume mem(&PC[me:process]) == loc.L2 && \
(forall ?0 in proc: ?0:process == me:process || seen(proc[me:process], &R[?0:process]) == false); \
together { &PC[me:process] = loc.L3 }
  edge 0 -> 0 do assume mem(&PC[me:process]) == loc.L3; \
together { &PC[me:process] = loc.L1, &R[me:process] = false }
forbid (exists ?0 in proc: (exists ?1 in proc: ?0:process != ?1:process && \
(mem(&PC[?0:process]) == loc.L3 && mem(&PC[?1:process]) == loc.L3)))"
    );
    let three = Instance([(ProcessId(0), 3)].into()).of(&program(MUTEX)).unwrap().into_owned();
    assert_eq!(three.processes[0].replicas.count(), Some(3));
}

/// Declarations and a transition around a guard and a body.
fn system(guard: &str, body: &str) -> String {
    format!(
        "type t = A | B
type key
weak var X : int  weak var Y : proc  weak array W[proc] : t
var N : int  array P[proc] : proc  array M[proc,proc] : bool  const K[proc] : t  const C : int
array Key[proc] : key
predicate busy(k) {{ W[k] = A || P[k] = k }}
init (p q) {{ N = 0 && P[p] = p && M[p,q] = False && (W[p] = A || X = 1) }}
unsafe (p) {{ N < 0 }}
transition go ([i] j k) requires {{ {guard} }} {{ {body} }}"
    )
}

#[test]
fn guards_and_assignments() {
    let edge = |guard: &str, body: &str| {
        let all = edges(&system(guard, body));
        let start = "havoc j; havoc k; assume me:process != j && me:process != k && j != k; ";
        all[0].replace(start, "… ").replace(":process", "")
    };
    assert_eq!(edge("true", ""), "do … assume true");
    // Only writes: a group. Reads and writes: locked. Only reads: plain.
    assert_eq!(edge("true", "X := 1; Y := j"), "do … assume true; together { &X = 1, &Y = j }");
    assert_eq!(
        edge("X > 0", "X := X - 1; N := N + 2*C"),
        "locked do … assume seen(proc[me], &X) > 0; together { &X = seen(proc[me], &X) - 1, &N = mem(&N) + 2 * mem(&C) }"
    );
    assert_eq!(
        edge("Y <> i", "P[i] := Y"),
        "do … assume seen(proc[me], &Y) != me; together { &P[me] = seen(proc[me], &Y) }"
    );
    assert_eq!(edge("fence()", "X := 1"), "do … fence fence rr rw wr ww cumulative; together { &X = 1 }");
    // Who acts may be said again.
    assert_eq!(
        edge("fence(i) && i@X = 0", "i@X := 1"),
        "locked do … fence fence rr rw wr ww cumulative; assume seen(proc[me], &X) == 0; together { &X = 1 }"
    );
    let late = system("true", "X := 1").replace("([i] j k)", "(j [i] k)");
    assert!(edges(&late)[0].contains("havoc j; havoc k;"));
    // A whole array at once.
    assert_eq!(
        edge("true", "W := K"),
        "do … assume true; together { each ?0 in proc: &W[?0] = mem(&K[?0]) }"
    );
    assert_eq!(
        edge("if N = 1 then true else N = 2 && N = 3", ""),
        "do … assume (if mem(&N) == 1 then true else mem(&N) == 2) && mem(&N) == 3"
    );
    // Quantifiers.
    assert_eq!(
        edge("exists_other n. M[i,n] = True", ""),
        "do … assume (exists ?0 in proc: ?0 != me && ?0 != j && ?0 != k && mem(&M[me][?0]) == true)"
    );
    assert_eq!(
        edge("forall a <> b. a < b => K[a] = K[b]", ""),
        "do … assume (forall ?0 in proc: (forall ?1 in proc: ?0 == ?1 || (?0 < ?1 => mem(&K[?0]) == mem(&K[?1]))))"
    );
    assert_eq!(
        edge("not busy(j) && (i < k <=> if M[j,k] = True then N = 1 else true) || j = #2", ""),
        "do … assume !(seen(proc[me], &W[j]) == wir || mem(&P[j]) == j)".replace("wir", "t.A")
            + " && me < k == (if mem(&M[j][k]) == true then mem(&N) == 1 else true) || j == thread(1)"
    );
    // A case; a branch that gives the cell back stores nothing and reads nothing.
    assert_eq!(
        edge("true", "W[n] := case | n = i : A | n < j : W[n] | _ : B"),
        "do … assume true; together { each ?0 in proc: &W[?0] = (if ?0 == me then t.A else t.B) when ?0 == me || !(?0 < j) }"
    );
    assert_eq!(
        edge("true", "W[n] := case | n = i : A | _ : W[n]"),
        "do … assume true; together { each ?0 in proc: &W[?0] = t.A when ?0 == me }"
    );
    assert_eq!(
        edge("true", "M[n,m] := case | n = m : False | _ : M[m,n]"),
        "do … assume true; together { each ?0 in proc: each ?1 in proc: &M[?0][?1] = (if ?0 == ?1 then false else mem(&M[?1][?0])) }"
    );
    assert_eq!(edge("true", "N := case | i < j : 1"), "do … assume true; together { &N = 1 when me < j }");
    // Arbitrary values, each chosen for itself.
    assert_eq!(
        edge("true", "N := .; X := ?; Y := ."),
        "do … assume true; havoc \"any int\"; havoc \"any int 2\"; havoc \"any proc\"; together { &N = \"any int\", &X = \"any int 2\", &Y = \"any proc\" }"
    );
    assert_eq!(
        edge("true", "let x = N in let y = x + 1 in N := y; P[j] := k; P[k] := j"),
        "do … assume true; together { &N = mem(&N) + 1, &P[j] = k, &P[k] = j }"
    );
}

#[test]
fn what_is_known_of_the_first_state() {
    let source = system("true", "")
        + "
invariant (a b) { K[a] = A && K[b] = A }
invariant (a) { a@W[a] = A && P[a] <> a }
";
    let text = printed(&source).replace(":process", "");
    let has = |line: &str| assert!(text.lines().any(|other| other == line), "{line}\n{text}");
    has("variable N : int init 0 unbuffered");
    has("variable P[copies proc] : process init me unbuffered");
    has("variable M[copies proc][copies proc] : bool init false unbuffered");
    has("variable X : int init any");
    has("variable Key[copies proc] : int init any unbuffered");
    has("init (forall ?0 in proc: mem(&W[?0]) == t.A || mem(&X) == 1) && \
!(exists ?0 in proc: (exists ?1 in proc: ?0 != ?1 && (mem(&K[?0]) == t.A && mem(&K[?1]) == t.A)))");
    has("forbid (exists ?0 in proc: mem(&N) < 0)");
    has("forbid (exists ?0 in proc: seen(proc[?0], &W[?0]) == t.A && mem(&P[?0]) != ?0)");
    // A matrix that nobody assigns to is as good as a constant.
    let graph = "array Edge[proc,proc] : bool var N : int init { N = 0 } unsafe { N = 2 }
        invariant (x y) { Edge[x,y] <> Edge[y,x] } transition go (x y) requires { Edge[x,y] = True } { N := 1 }";
    let graph = program(graph);
    assert_eq!((graph.properties.len(), graph.init.is_some()), (1, true));
    let fixed = program(&format!("number_procs 4 {MUTEX}"));
    assert_eq!(fixed.processes[0].replicas.count(), Some(4));
}

#[test]
fn no_acting_process_is_needed_without_weak_variables() {
    let source = "var X : bool array A[proc] : bool init (p) { X = False && A[p] = False }
unsafe (p q) { A[p] = True && A[q] = True }
transition take (p q) requires { X = False && A[q] = False } { X := True; A[p] := True }
transition Reset () { X := False }";
    assert_eq!(edges(source).len(), 2);
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    let wrong = |guard: &str, body: &str| {
        let errors = errors(&system(guard, body));
        let line = errors[0].split_once(':').unwrap().1.split_once(' ').unwrap().1.to_owned();
        assert_eq!(errors.len(), 1, "{errors:#?}");
        line
    };
    assert_eq!(wrong("Q = 1", ""), "cub-unknown-name: there is no variable or constructor `Q`");
    assert_eq!(
        wrong("Kez[i] = Key[j]", ""),
        "cub-unknown-name: there is no variable or constructor `Kez` (did you mean `Key`?)"
    );
    assert_eq!(
        wrong("W[jj] = A", ""),
        "cub-unknown-process: there is no process `jj` here (did you mean `j`?)"
    );
    assert_eq!(wrong("W = A", ""), "cub-indices: `W` has one index, and 0 are given");
    assert_eq!(wrong("X = A", ""), "cub-sort: expected a term of type `int`, found one of type `t`");
    assert_eq!(wrong("K[i] < A", ""), "cub-sort: values of type `t` have no order");
    assert_eq!(wrong("Key[i] = 1", ""), "cub-sort: expected a term of type `key`, found one of type `int`");
    assert_eq!(wrong("X = 1.5", ""), "cub-real: real numbers are not supported");
    assert_eq!(
        wrong("X = 1 || fence()", ""),
        "cub-fence: `fence()` can only be a condition of a guard that is joined to the others with `&&`"
    );
    assert_eq!(
        wrong("j@X = 1", ""),
        "cub-observer: in a transition the acting process reads: leave out the observer"
    );
    assert_eq!(wrong("busi(j)", ""), "cub-unknown-name: there is no predicate `busi` (did you mean `busy`?)");
    assert_eq!(wrong("busy(j, k)", ""), "cub-indices: `busy` has 1 parameters, and 2 are given");
    assert_eq!(wrong("true", "K[i] := A"), "cub-constant: `K` is a constant");
    assert_eq!(wrong("true", "X := 1; X := 2"), "cub-assigned-twice: `X` is assigned twice");
    assert_eq!(wrong("true", "P[i] := j; P[n] := i"), "cub-assigned-twice: `P` is assigned twice");
    assert_eq!(
        wrong("true", "P[n] := ."),
        "cub-unsupported: an arbitrary value for every process at once is not supported"
    );
    assert!(wrong("fence(j)", "").starts_with("cub-actor: `j` is not the acting process"));
    assert!(wrong("true", "j@X := 1").starts_with("cub-actor: `j` is not the acting process"));
    assert_eq!(wrong("true", "W := A"), "cub-indices: `W` has one index, and 0 are given");
    assert_eq!(wrong("true", "X = 1"), "cub-syntax: expected `:=`, found `=`");
    assert_eq!(
        wrong("X := 1", ""),
        "cub-syntax: expected a comparison, found `:=` (conditions compare with `=`)"
    );
    assert_eq!(
        wrong("X = 1 X = 2", ""),
        "cub-syntax: expected `}`, or `&&` and another condition, found `X`"
    );
    let deep = format!("{}true{}", "(".repeat(200), ")".repeat(200));
    assert!(wrong(&deep, "").starts_with("cub-nesting"));
    assert!(wrong(&"not ".repeat(100_000), "").starts_with("cub-nesting"));
    assert!(wrong(&"X = 1 && ".repeat(3000), "").starts_with("cub-nesting"));

    let shows = |source: &str, expected: &[&str]| assert_eq!(errors(source), expected, "{source}");
    shows(
        "transiton t () {}",
        &[
            "1:1 cub-syntax: expected a declaration such as `array` or `transition`, found `transiton` (did you mean `transition`?)",
        ],
    );
    shows("(* oh", &["1:1 cub-comment: this comment never ends"]);
    shows(
        "type t = A |\nvar X : t\ninit { §X = A }",
        &[
            "2:1 cub-syntax: expected a constructor, with a capital first letter, found `var`",
            "3:8 cub-lexical: `§` means nothing here",
        ],
    );
    shows(
        "var X : tt var X : int init { X = 1 } init { X = 2 } unsafe { X = 3 }",
        &[
            "1:9 cub-unknown-name: there is no type `tt`",
            "1:16 cub-duplicate: `X` is declared twice",
            "1:31 cub-unknown-name: there is no variable or constructor `X`",
            "1:39 cub-duplicate: there is one `init` already",
            "1:63 cub-unknown-name: there is no variable or constructor `X`",
        ],
    );
    let weak = "weak var X : int init { X = 0 } ";
    shows(
        &format!("{weak}unsafe (p) {{ X = 1 }}"),
        &["1:46 cub-observer: who sees `X`? (write `p@X` for what process `p` sees)"],
    );
    shows(
        &format!("{weak}unsafe (p) {{ p@X = 1 }} transition t (p) {{ X := 1 }}"),
        &[
            "1:75 cub-actor: which process writes `X`? (write the acting process first and in square brackets: `transition t ([p])`)",
        ],
    );
    shows(
        &format!("{weak}unsafe (p p) {{ p@X = #0 }}"),
        &["1:54 cub-number: processes are numbered `#1`, `#2`, …"],
    );
    shows(
        "var X : int unsafe { X = 99999999999999999999 }",
        &["1:26 cub-number: this number does not fit into 64 bits"],
    );
    shows(
        "number_procs 2 var X : proc init { X = #1 } unsafe { X = #3 }",
        &["1:1 cub-number: the text names `#3`, and there are 2 processes"],
    );
    shows(
        "var X : int unsafe { X = 1 }",
        &["1:1 cub-init: there is no `init`: how does the system begin? (write `init (p) { … }`)"],
    );
    shows(
        "predicate f(x) { f(x) } init { true } unsafe (p) { f(p) }",
        &["1:18 cub-nesting: predicates use each other more than 30 times over"],
    );
}

/// Whatever is cut off or left out, something is said and nothing panics.
#[test]
fn no_text_is_too_wrong() {
    let source =
        system("busy(j) && forall_other n. M[i,n] = True", "W[n] := case | n = i : A | _ : B; N := N - 1");
    for cut in (0..source.len()).filter(|at| source.is_char_boundary(*at)) {
        let _ = FRONTEND.read("a.cub", &source[..cut]);
        let _ = FRONTEND.read("a.cub", &source[cut..]);
        let without = format!("{}{}", &source[..cut], source[cut..].chars().skip(1).collect::<String>());
        let _ = FRONTEND.read("a.cub", &without);
    }
}

/// As in Cubicle, where nothing refers to a transition by its name.
#[test]
fn transitions_may_share_a_name() {
    let text = "var X : int init () { X = 0 } unsafe () { X = 5 }
                transition t () { X := 1 } transition t () requires { X = 1 } { X := 2 }";
    assert_eq!(edges(text).len(), 2);
}
