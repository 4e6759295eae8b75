//! Table 2 of the paper, statement by statement. (That reduced programs do what the machine does is tested on random programs,
//! by the engine that proves them.)

use wattle_program::text::{parse, print};
use wattle_program::{Program, validate};
use wattle_source::Sources;

use super::Rma;
use crate::reduction::{Buffers, Capacity, Reduced, Reduction, Rest};

fn program(text: &str) -> Program {
    let (sources, file) = Sources::single("test.wir", &format!("wir 1\nprogram \"t\"\n{text}"));
    let program = parse(&sources, file).unwrap();
    validate(&program).unwrap();
    program
}

fn reduced(text: &str, each: u32) -> Reduced {
    let capacity = Capacity { rest: Some(Rest::default()), ..Capacity::all(each) };
    let reduced = Rma.reduce(&program(text), &capacity).unwrap();
    validate(&reduced.program).unwrap();
    reduced
}

/// The edges of the last process between two points, without what is forgotten.
fn edges(reduced: &Reduced, from: u32, to: u32) -> Vec<String> {
    let start = format!("  edge {from} -> {to} ");
    let text = print(&reduced.program);
    let last = text.rfind("\nprocess").unwrap();
    let of = |line: &str| {
        let ops = line.strip_prefix(&start)?.trim_start_matches("do ").split("; ");
        let kept: Vec<&str> = ops.filter(|op| !op.starts_with("forget")).collect();
        Some(kept.join("; "))
    };
    text[last..].lines().filter_map(of).collect()
}

const HEAD: &str = "vocabulary rma
variable Y : int init 1 owner q
variable R : int init 0 owner p
variable X : int init 2 owner p
process q
  entry 0
  point 0 end
process p
  local r : int init 0
  entry 0
";

/// Fig. 2. As printed in Fig. 3, the put happens before the store of X; here it happens where something of it is seen, at the
/// load of R and at the end.
#[test]
fn the_running_example() {
    let text = format!(
        "{HEAD}  point 0\n  point 1\n  point 2\n  point 3\n  point 4 end
  edge 0 -> 1 do put &Y from &X
  edge 1 -> 2 do store &X = 3
  edge 2 -> 3 do get &R from &Y
  edge 3 -> 4 do load r from &R
"
    );
    let reduced = reduced(&text, 0);
    let put = "load value from &X; store &X1Set = {} with value; store &Put1Active = 1";
    assert_eq!(edges(&reduced, 0, 1), [put]);
    let fed = |of: &str, set: &str, flag: &str| {
        format!(
            "load other from &{of}; load flag from &{flag}; load elements from &{set}; \
             store &{set} = (if flag == 1 then elements with other else elements)"
        )
    };
    assert_eq!(edges(&reduced, 1, 2), [format!("store &X = 3; {}", fed("X", "X1Set", "Put1Active"))]);
    let deliver = |set: &str, flag: &str, to: &str, fed: &str| {
        format!(
            "load flag from &{flag}; assume flag == 1; load elements from &{set}; havoc value in elements; \
             store &{to} = value; {fed}store &{set} = {{}}; store &{flag} = 0"
        )
    };
    let both = [
        deliver("X1Set", "Put1Active", "Y", &format!("{}; ", fed("Y", "Y2Set", "Get2Active"))),
        deliver("Y2Set", "Get2Active", "R", ""),
    ];
    assert_eq!(edges(&reduced, 3, 3), both);
    assert_eq!(edges(&reduced, 4, 4), both);
    // Nothing at the store of X, which no remote statement writes, nor where the get is started.
    assert_eq!((edges(&reduced, 1, 1), edges(&reduced, 2, 2)), (vec![], vec![]));
    let ended = "load flag from &Put1Active; assume flag == 0; load flag from &Get2Active; assume flag == 0";
    assert_eq!(edges(&reduced, 4, 5), [ended]);
    assert_eq!(reduced.bound, None);
}

/// In a loop: as printed in the table without slots; with one, the first instance is kept apart.
#[test]
fn a_statement_that_may_be_pending_twice() {
    let text = format!("{HEAD}  point 0\n  edge 0 -> 0 do put &Y from &X\n");
    let table = reduced(&text, 0);
    let add = "load value from &X; load elements from &X1Set; store &X1Set = elements with value; \
               store &Put1Active = 1";
    assert_eq!(edges(&table, 0, 0), [add]);
    let Buffers::Rma(statements) = &table.buffers else { panic!() };
    assert!(statements[0].slots.is_empty() && statements[0].rest.is_some());
    let apart = reduced(&text, 1);
    let Buffers::Rma(statements) = &apart.buffers else { panic!() };
    assert!(statements[0].slots.len() == 1 && statements[0].rest.is_some());
    assert_eq!(edges(&apart, 0, 0).len(), 2);
}

/// A flush leaves nothing pending, so each put is the only one.
#[test]
fn a_flush_in_the_loop() {
    let text =
        format!("{HEAD}  point 0\n  point 1\n  edge 0 -> 1 do put &Y = 1\n  edge 1 -> 0 do flush q[0]\n");
    let reduced = reduced(&text, 0);
    assert_eq!(edges(&reduced, 0, 1), ["store &Y1Value = 1; store &Put1Active = 1"]);
    assert_eq!(edges(&reduced, 1, 0), ["load flag from &Put1Active; assume flag == 0"]);
    let deliver = "load flag from &Put1Active; assume flag == 1; load value from &Y1Value; store &Y = value; \
                   store &Y1Value = 0; store &Put1Active = 0";
    assert_eq!(edges(&reduced, 1, 1), [deliver]);
}

/// An atomic happens once: what finds no slot overflows.
#[test]
fn atomics_have_slots_only() {
    let text = format!("{HEAD}  point 0\n  edge 0 -> 0 do remote &Y add 1 into &R\n");
    let reduced = reduced(&text, 0);
    let Buffers::Rma(statements) = &reduced.buffers else { panic!() };
    assert!(statements[0].slots.len() == 1 && statements[0].rest.is_none());
    assert!(reduced.bound.is_some());
}
