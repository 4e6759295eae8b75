//! Algorithms whose answers are known by argument, for any number of processes.

use wattle_engine::{Property, Task, Verdict};
use wattle_judge::confirm::confirm;
use wattle_memory::find;

use super::{answer, program, word};

fn decided(text: &str, expected: [&str; 2]) {
    let program = program(text);
    for (model, expected) in ["sc", "tso"].into_iter().zip(expected) {
        let answer = answer(&program, model);
        assert_eq!(word(&answer), expected, "under {model}\n{text}");
        if let Verdict::Unsafe { counterexample } = &answer.verdict {
            let task = Task {
                program: &program,
                memory: find(model).unwrap(),
                property: Property::Stated,
                hints: None,
            };
            confirm(&task, counterexample).unwrap();
        }
    }
}

/// Dekker's way in for any number: announce, then look at all others at once. A write behind a fence is no fence before the look.
#[test]
fn a_fence_belongs_to_its_step() {
    let text = |fence_at_write: &str, fence_at_look: &str| {
        format!(
            "type loc = Idle | Want | Crit
             array PC[proc] : loc
             weak array Flag[proc] : bool
             init (p) {{ PC[p] = Idle && Flag[p] = False }}
             unsafe (p q) {{ PC[p] = Crit && PC[q] = Crit }}
             transition announce ([p]) requires {{ PC[p] = Idle{fence_at_write} }} {{ PC[p] := Want; Flag[p] := True }}
             transition enter ([p]) requires {{ PC[p] = Want && forall_other q. Flag[q] = False{fence_at_look} }} {{ PC[p] := Crit }}
             transition leave ([p]) requires {{ PC[p] = Crit }} {{ PC[p] := Idle; Flag[p] := False }}"
        )
    };
    decided(&text("", " && fence()"), ["safe", "safe"]);
    decided(&text("", ""), ["safe", "unsafe"]);
    decided(&text(" && fence()", ""), ["safe", "unsafe"]);
}

/// Store buffering with the fence in a step of its own: with a write that nobody reads, and with nothing.
#[test]
fn a_fence_without_a_read_waits() {
    let text = |between: &str| {
        format!(
            "number_procs 2
             type loc = A | B | C | D
             array PC[proc] : loc
             array R[proc] : int
             weak var X : int
             weak var Y : int
             weak var Z : int
             init (p) {{ PC[p] = A && R[p] = 7 && X = 0 && Y = 0 && Z = 0 }}
             unsafe (p q) {{ PC[p] = D && PC[q] = D && R[p] = 0 && R[q] = 0 }}
             transition x ([p]) requires {{ p = #1 && PC[p] = A }} {{ PC[p] := B; X := 1 }}
             transition y ([p]) requires {{ p = #2 && PC[p] = A }} {{ PC[p] := B; Y := 1 }}
             transition wait ([p]) requires {{ PC[p] = B{between} }}
             transition ry ([p]) requires {{ p = #1 && PC[p] = C }} {{ PC[p] := D; R[p] := Y }}
             transition rx ([p]) requires {{ p = #2 && PC[p] = C }} {{ PC[p] := D; R[p] := X }}"
        )
    };
    let with = |guard: &str, update: &str| text(&format!("{guard} }} {{ PC[p] := C{update}"));
    // `text` closes the braces of `between` itself.
    decided(&with(" && fence()", ""), ["safe", "safe"]);
    decided(&with(" && fence()", "; Z := 1"), ["safe", "safe"]);
    decided(&with("", "; Z := 1"), ["safe", "unsafe"]);
}

/// A step that reads and writes is locked, and locks hand over by plain stores.
#[test]
fn spinlocks() {
    decided(
        "type loc = Try | Crit
         array PC[proc] : loc
         weak var Lock : bool
         init (p) { PC[p] = Try && Lock = False }
         unsafe (p q) { PC[p] = Crit && PC[q] = Crit }
         transition take ([p]) requires { PC[p] = Try && Lock = False } { PC[p] := Crit; Lock := True }
         transition give ([p]) requires { PC[p] = Crit } { PC[p] := Try; Lock := False }",
        ["safe", "safe"],
    );
    decided(
        "type loc = Try | Saw | Crit
         array PC[proc] : loc
         weak var Lock : bool
         init (p) { PC[p] = Try && Lock = False }
         unsafe (p q) { PC[p] = Crit && PC[q] = Crit }
         transition see ([p]) requires { PC[p] = Try && Lock = False } { PC[p] := Saw }
         transition take ([p]) requires { PC[p] = Saw } { PC[p] := Crit; Lock := True }",
        ["unsafe", "unsafe"],
    );
}

/// Message passing needs no fence under tso: stores leave in order, and reads stay in order.
#[test]
fn message_passing() {
    decided(
        "type loc = A | B | C
         array PC[proc] : loc
         weak var Data : bool
         weak var Ready : bool
         init (p) { PC[p] = A && Data = False && Ready = False }
         unsafe (p) { PC[p] = C && p@Data = False }
         transition data ([p]) requires { PC[p] = A } { PC[p] := B; Data := True }
         transition ready ([p]) requires { PC[p] = B } { Ready := True }
         transition see ([p]) requires { PC[p] = A && Ready = True } { PC[p] := C }",
        ["safe", "safe"],
    );
}

/// Bus protocols with broadcasts, and the order of processes.
#[test]
fn broadcasts_and_order() {
    decided(
        "type state = I | S | M
         array Cache[proc] : state
         init (p) { Cache[p] = I }
         unsafe (p q) { Cache[p] = M && Cache[q] <> I }
         transition read (p) requires { Cache[p] = I } { Cache[k] := case | k = p : S | Cache[k] = M : S | _ : Cache[k] }
         transition write (p) requires { Cache[p] <> M } { Cache[k] := case | k = p : M | _ : I }",
        ["safe", "safe"],
    );
    decided(
        "array Up[proc] : bool
         init (p) { Up[p] = False }
         unsafe (p q) { Up[p] = True && Up[q] = False && q < p }
         transition up (p) requires { forall_other q. (p < q || Up[q] = True) } { Up[p] := True }",
        ["safe", "safe"],
    );
}

/// `corpus/cub/overtaken.cub`: the late one has seen that the other has not begun, so it is first; its store is in memory last. No search that
/// undoes stores in their order finds that.
#[test]
fn stores_that_overtake_what_private_state_shows_are_not_taken_for_safe() {
    let text = |look: &str, late: &str| {
        format!(
            "number_procs 2
             type loc = Start | Late | Begun
             type value = Zero | One | Two
             array PC[proc] : loc
             weak var X : value
             init (p) {{ PC[p] = Start && X = Zero }}
             unsafe (p q) {{ PC[p] = Late && PC[q] = Begun && q@X = One }}
             transition late ([p] q) requires {{ PC[p] = Start && {look} }} {{ PC[p] := Late; X := One }}
             transition begin ([p]) requires {{ PC[p] = Start{late} }} {{ PC[p] := Begun; X := Two }}"
        )
    };
    decided(&text("PC[q] = Start", ""), ["safe", "unknown"]);
    // Where the stores drain, their order is that of the steps.
    decided(&text("PC[q] = Start && X <> Two", " && X <> Two"), ["safe", "safe"]);
    // Where nobody looks at the other, either may be first.
    decided(&text("PC[p] = Start", ""), ["unsafe", "unsafe"]);
}

/// Sums of integers are followed: a difference that a sum of two keeps, and one that a slip does not.
#[test]
fn sums_are_decided() {
    let text = |spend: &str, bad: &str| {
        format!(
            "type place = Idle | Spent
             const Limit : int
             array PC[proc] : place
             array Share[proc] : int
             weak var Used : int
             weak var Left : int
             init (p) {{ PC[p] = Idle && Used = 0 && Left = Limit }}
             unsafe (p) {{ {bad} }}
             transition spend ([p])
             requires {{ PC[p] = Idle && Used + 2 * Share[p] <= Limit }}
             {{ PC[p] := Spent; Used := Used + {spend}; Left := Left - 2 * Share[p] }}"
        )
    };
    decided(&text("2 * Share[p]", "p@Used + p@Left <> Limit"), ["safe", "safe"]);
    decided(&text("2 * Share[p]", "p@Used > 0 && p@Used > Limit"), ["safe", "safe"]);
    decided(&text("3 * Share[p]", "p@Used + p@Left <> Limit"), ["unsafe", "unsafe"]);
    decided(&text("3 * Share[p]", "3 * p@Left + 2 * p@Used > 3 * Limit"), ["safe", "safe"]);
    // Over the integers twice something is never odd.
    decided(&text("2 * Share[p]", "p@Used + p@Used = 1"), ["safe", "safe"]);
}

/// What is said of every three processes, once and for all.
#[test]
fn three_at_once() {
    let text = |most: &str| {
        format!(
            "const Runs[proc] : bool
             array Crit[proc] : bool
             weak var Free : proc
             init (p) {{ Crit[p] = False }}
             invariant (p q r) {{ Runs[p] = True && Runs[q] = True && Runs[r] = True }}
             unsafe ({most}) {{ {} }}
             transition enter ([p]) requires {{ Runs[p] = True }} {{ Crit[p] := True }}",
            most.split(' ').map(|p| format!("Crit[{p}] = True")).collect::<Vec<_>>().join(" && ")
        )
    };
    decided(&text("p q r"), ["safe", "safe"]);
    decided(&text("p q"), ["unsafe", "unsafe"]);
}

/// A number that grows for ever makes infinitely many simple nodes; a violation that is not among them is found all the same.
#[test]
fn every_node_has_its_turn() {
    decided(
        "type loc = A | B | C | D
         array PC[proc] : loc
         array Mine[proc] : int
         var Next : int
         init (p) { PC[p] = A && Mine[p] = 0 && Next = 1 }
         unsafe (p q) { PC[p] = D && PC[q] = D }
         transition next () { Next := Next + 1; Mine[j] := case | _ : Next }
         transition draw (p) requires { PC[p] = A && forall_other q. Mine[q] <= Next } { PC[p] := B; Mine[p] := Next }
         transition wait (p) requires { PC[p] = B } { PC[p] := C }
         transition enter (p)
         requires { PC[p] = C && forall_other q. (PC[q] = A || PC[q] = B || Mine[p] < Mine[q] || p < q) }
         { PC[p] := D }",
        ["unsafe", "unsafe"],
    );
}

/// Of a store under a condition to a cell that nothing speaks of yet, it is not known what it orders. A trace with it that no execution follows is no
/// contradiction, and nothing is said that is not so: explicit search of two and three copies finds this safe.
#[test]
fn rows_that_are_stored_under_conditions() {
    let text = "type loc = Out | Asks | In
        array PC[proc] : loc
        array Wants[proc, proc] : bool
        weak array Asked[proc, proc] : bool
        init (p q) { PC[p] = Out && Wants[p, q] = True && Asked[p, q] = False }
        unsafe (p q) { PC[p] = In && PC[q] = In }
        transition ask ([p]) requires { PC[p] = Out }
        { PC[p] := Asks; Asked[i, j] := case | i = p && Wants[i, j] = True : True | _ : Asked[i, j] }
        transition enter ([p]) requires { PC[p] = Asks && fence() && forall_other q. Asked[q, p] = False } { PC[p] := In }
        transition leave ([p]) requires { PC[p] = In }
        { PC[p] := Out; Asked[i, j] := case | i = p : False | _ : Asked[i, j] }";
    assert_ne!(word(&answer(&program(text), "tso")), "unsafe");
    assert_eq!(word(&answer(&program(&text.replace("fence() && ", "")), "tso")), "unsafe");
}
