//! The paper's figures, statement by statement, and what is refused. (That reduced programs do what the
//! machines do is tested on random programs and on the corpus, in the crate `testing`.)

use wattle_program::text::{parse, print};
use wattle_program::{Program, Shape, validate};
use wattle_source::Sources;

use super::{Buffers, Capacity, Contents, Keeps, Move, Pso, Reduced, Reduction, Rest, Room, Tso};
use crate::Machine;
use crate::operational::{MoveResult, initial_states, successors};

const BOTH: [&dyn Reduction; 2] = [&Tso, &Pso];

fn program(text: &str) -> Program {
    let (sources, file) = Sources::single("test.wir", &format!("wir 1\nprogram \"t\"\n{text}"));
    let program = parse(&sources, file).unwrap();
    validate(&program).unwrap();
    program
}

/// A thread of straight code that ends, on two variables.
fn straight(ops: &[&str]) -> Program {
    let mut text = String::from(
        "variable x : int init 0\nvariable y : int init 0\nprocess t\n  local r : int init 0\n  entry 0\n",
    );
    for point in 0..ops.len() {
        text += &format!("  point {point}\n");
    }
    text += &format!("  point {} end\n", ops.len());
    for (point, op) in ops.iter().enumerate() {
        text += &format!("  edge {point} -> {} {op}\n", point + 1);
    }
    program(&text)
}

fn reduced(program: &Program, reduction: &dyn Reduction, each: u32) -> Reduced {
    let reduced = reduction.reduce(program, &Capacity::all(each)).unwrap();
    validate(&reduced.program).unwrap();
    reduced
}

/// The edges between two points, without the points.
fn edges(reduced: &Reduced, from: u32, to: u32) -> Vec<String> {
    let start = format!("  edge {from} -> {to}");
    let text = print(&reduced.program);
    let of = |line: &str| line.strip_prefix(&start).map(|rest| rest.trim().to_owned());
    text.lines().filter_map(of).collect()
}

const ANY_NUMBER_OF_STORES: &str = "
variable x : int init 0
variable y : int init 0
process t
  local r : int init 0
  entry 0
  point 0
  point 1
  point 2
  point 3 end
  edge 0 -> 1 do store &x = r
  edge 1 -> 2 do load r from &x
  edge 2 -> 0
  edge 2 -> 3 do fence fence rr rw wr ww cumulative
";

#[test]
fn figure_5() {
    let reduced = reduced(&program(ANY_NUMBER_OF_STORES), &Pso, 2);
    let store = [
        "do assume x_cnt == 0; assign x_1 = r; assign x_cnt = 1",
        "do assume x_cnt == 1; assign x_2 = r; assign x_cnt = 2",
    ];
    assert_eq!(edges(&reduced, 0, 1), store);
    assert_eq!(edges(&reduced, 0, 4), ["do assume x_cnt == 2; store &overflow = 1"]);
    let load = [
        "do assume x_cnt == 0; load r from &x",
        "do assume x_cnt == 1; assign r = x_1",
        "do assume x_cnt == 2; assign r = x_2",
    ];
    assert_eq!(edges(&reduced, 1, 2), load);
    assert_eq!(edges(&reduced, 2, 3), ["do assume x_cnt == 0"]);
    let flush = [
        "do assume x_cnt == 1; store &x = x_1; forget x_1; assign x_cnt = 0",
        "do assume x_cnt == 2; store &x = x_1; assign x_1 = x_2; forget x_2; assign x_cnt = 1",
    ];
    for point in 0..3 {
        assert_eq!(edges(&reduced, point, point), flush);
    }
    // Behind the fence nothing is pending: the thread has ended.
    assert_eq!(edges(&reduced, 3, 3), [""; 0]);
    assert!(reduced.program.processes[0].cfg.points[3].end);
    assert_eq!(reduced.fenced, [false]);
}

#[test]
fn figure_12() {
    let text = ANY_NUMBER_OF_STORES.replace("  edge 2 -> 0\n", "  edge 2 -> 0 do store &y = 1\n");
    let reduced = reduced(&program(&text), &Tso, 2);
    let store = [
        "do assume cnt == 0; assign lhs_1 = 0; assign rhs_1 = r; assign cnt = 1",
        "do assume cnt == 1; assign lhs_2 = 0; assign rhs_2 = r; assign cnt = 2",
    ];
    assert_eq!(edges(&reduced, 0, 1), store);
    assert_eq!(edges(&reduced, 0, 4), ["do assume cnt == 2; store &overflow = 1"]);
    // From the newest entry to the oldest.
    let load = [
        "do assume cnt == 0; load r from &x",
        "do assume cnt == 1; assume lhs_1 == 0; assign r = rhs_1",
        "do assume cnt == 1; assume lhs_1 != 0; load r from &x",
        "do assume cnt == 2; assume lhs_2 == 0; assign r = rhs_2",
        "do assume cnt == 2; assume lhs_2 != 0; assume lhs_1 == 0; assign r = rhs_1",
        "do assume cnt == 2; assume lhs_2 != 0; assume lhs_1 != 0; load r from &x",
    ];
    assert_eq!(edges(&reduced, 1, 2), load);
    assert_eq!(edges(&reduced, 2, 3), ["do assume cnt == 0"]);
    let shift = "assign lhs_1 = lhs_2; assign rhs_1 = rhs_2; forget lhs_2; forget rhs_2; assign cnt = 1";
    let flush = [
        "do assume cnt == 1; assume lhs_1 == 0; store &x = rhs_1; forget lhs_1; forget rhs_1; assign cnt = 0",
        "do assume cnt == 1; assume lhs_1 == 1; store &y = rhs_1; forget lhs_1; forget rhs_1; assign cnt = 0",
        &format!("do assume cnt == 2; assume lhs_1 == 0; store &x = rhs_1; {shift}"),
        &format!("do assume cnt == 2; assume lhs_1 == 1; store &y = rhs_1; {shift}"),
    ];
    assert_eq!(edges(&reduced, 1, 1), flush);
}

#[test]
fn only_what_can_be_pending_is_a_case() {
    let program = straight(&["do store &x = 1", "do load r from &x", "do fence fence wr", "do store &y = 1"]);
    let reduced = reduced(&program, &Pso, 3);
    assert_eq!(edges(&reduced, 0, 1), ["do assume x_cnt == 0; assign x_1 = 1; assign x_cnt = 1"]);
    assert_eq!(edges(&reduced, 1, 2).len(), 2);
    assert_eq!(edges(&reduced, 3, 4), ["do assume y_cnt == 0; assign y_1 = 1; assign y_cnt = 1"]);
    assert_eq!(edges(&reduced, 3, 3), [""; 0]);
    // It drains at its old end, and ends.
    assert_eq!(edges(&reduced, 4, 4).len(), 1);
    assert_eq!(edges(&reduced, 4, 5), ["when y_cnt == 0"]);
    assert_eq!(reduced.moves[0].last(), Some(&Move::End));
    assert_eq!(reduced.fenced, [true]);
}

#[test]
fn a_step_of_several_accesses_remembers_what_it_did() {
    let ops = ["buffered do store &x = 1; load r from &x; store &x = r + 1; fence fence wr at &y"];
    let reduced = reduced(&straight(&ops), &Pso, 2);
    let only = "buffered do assume x_cnt == 0; assign x_1 = 1; assign x_cnt = 1; assign r = x_1; \
                assign x_2 = r + 1; assign x_cnt = 2";
    assert_eq!(edges(&reduced, 0, 1), [only]);
    assert_eq!(reduced.fenced, [false]);
    // With room for one, the second store overflows.
    let small = self::reduced(&straight(&ops), &Pso, 1);
    assert_eq!(edges(&small, 0, 1), [""; 0]);
    assert_eq!(edges(&small, 0, 2).len(), 1);
}

#[test]
fn a_capacity_for_each_location() {
    let program = straight(&["do store &x = 1", "do store &x = 2", "do store &y = 3", "do store &y = 4"]);
    let capacity = Capacity { of: [(1, 2)].into(), ..Capacity::all(1) };
    let reduced = Pso.reduce(&program, &capacity).unwrap();
    let Buffers::Pso(buffers) = &reduced.buffers else { panic!() };
    let sizes: Vec<(u32, usize)> = buffers[0].iter().map(|one| (one.location, one.slots.len())).collect();
    assert_eq!(sizes, [(0, 1), (1, 2)]);
    let overflows = reduced.moves[0].iter().filter(|one| matches!(one, Move::Overflow(_))).count();
    assert_eq!(overflows, 1);
}

#[test]
fn room_by_name() {
    let text = "variable x : int init 0\nvariable f [2] : int init 0\nprocess t\n  entry 0\n  point 0 end\n";
    let program = program(text);
    let room = |of: &[(&str, u32)], reduction: &dyn Reduction| {
        let of = of.iter().map(|(name, number)| (name.to_string(), *number)).collect();
        reduction.capacity(&program, &Room { of, ..Room::all(1) }).map_err(|why| why.what)
    };
    let pso = |of: &[(&str, u32)]| room(of, &Pso);
    assert_eq!(pso(&[("x", 2)]).unwrap().of, [(0, 2)].into());
    // A variable is all its elements, and what is said of one element counts for that one.
    assert_eq!(pso(&[("f", 2), ("f[1]", 3)]).unwrap().of, [(1, 2), (2, 3)].into());
    assert_eq!(pso(&[("z", 2)]).unwrap_err(), "there is no shared variable `z` to give room to");
    let slip = "there is no shared variable `f[2]` to give room to; did you mean `f[0]`?";
    assert_eq!(pso(&[("f[2]", 2)]).unwrap_err(), slip);
    let tso = room(&[("x", 2)], &Tso).unwrap_err();
    assert_eq!(tso, "under tso a buffer belongs to a thread, not to `x`");
}

#[test]
fn a_locked_step_waits_and_stays() {
    let program =
        straight(&["do store &x = 1", "locked do load r from &x; store &x = r + 1", "do store &y = 1"]);
    let reduced = reduced(&program, &Pso, 1);
    let locked = "locked do assume x_cnt == 0; load r from &x; store &x = r + 1";
    assert_eq!(edges(&reduced, 1, 2), [locked]);
}

#[test]
fn a_value_out_of_range_is_not_stored_and_does_not_overflow() {
    let text = "
variable x : int range 0..1 init 0
process t
  local r : int init 0
  entry 0
  point 0
  edge 0 -> 0 do store &x = r + 2
";
    for reduction in BOTH {
        for each in 1..3 {
            let reduced = reduced(&program(text), reduction, each);
            let shape = Shape::new(&reduced.program).unwrap();
            let start = initial_states(&reduced.program, &shape).unwrap().all().unwrap().remove(0).1;
            let machine = Machine::Sc { atomic_copy: false };
            assert_eq!(successors(&reduced.program, &shape, machine, &start), []);
        }
    }
}

/// Where an address is computed, nothing lies behind the last variable, as before.
#[test]
fn nobody_reaches_the_flag() {
    for op in ["do store &x ++ 2 = 1", "do load r from &x ++ (r + 2)", "locked do load r from &y ++ (r + 1)"]
    {
        let reduced = reduced(&straight(&[op]), &Pso, 1);
        let shape = Shape::new(&reduced.program).unwrap();
        let start = initial_states(&reduced.program, &shape).unwrap().all().unwrap().remove(0).1;
        let moves = successors(&reduced.program, &shape, Machine::Sc { atomic_copy: false }, &start);
        assert!(
            !moves.is_empty() && moves.iter().all(|one| matches!(one.result, MoveResult::Fault { .. })),
            "{op}"
        );
    }
}

#[test]
fn refusals() {
    let refused = |ops: &[&str], reduction: &dyn Reduction| {
        reduction.reduce(&straight(ops), &Capacity::all(1)).err().map(|why| why.what)
    };
    for reduction in BOTH {
        assert!(refused(&["do load_exclusive r from &x"], reduction).is_some());
        assert!(refused(&["do spawn t[0]"], reduction).is_some());
        assert!(refused(&["do put &x = 1"], reduction).is_some());
    }
}

/// Later stores do not overtake what is pending at a barrier; others do.
#[test]
fn a_barrier_between_stores() {
    let ops = ["do store &x = 1", "do fence fence ww", "do store &y = 1"];
    let fenced = reduced(&straight(&ops), &Pso, 1);
    assert_eq!(edges(&fenced, 1, 2), ["do assign x_old = x_cnt; assign y_old = y_cnt"]);
    let store = "do assume y_cnt == 0; assign y_1 = 1; assign y_1_waits_x = x_old; assign y_cnt = 1";
    assert_eq!(edges(&fenced, 2, 3), [store]);
    let commit = "do assume y_cnt == 1; assume y_1_waits_x == 0; store &y = y_1; forget y_1; \
                  assign y_1_waits_x = 0; assign y_old = 0; assign x_1_waits_y = 0; assign y_cnt = 0";
    assert_eq!(edges(&fenced, 3, 3)[1], commit);
    // A release store is a barrier and a store.
    let release = reduced(&straight(&["do store &x = 1", "do store &y = 1 tagged rel"]), &Pso, 1);
    let both = "do assign x_old = x_cnt; assign y_old = y_cnt; assume y_cnt == 0; assign y_1 = 1; \
                assign y_1_waits_x = x_old; assign y_cnt = 1";
    assert_eq!(edges(&release, 1, 2), [both]);
    // Stores to one location stay in order anyway, and so do all under tso.
    let same = reduced(&straight(&["do store &x = 1", "do fence fence ww", "do store &x = 2"]), &Pso, 2);
    assert_eq!(edges(&same, 1, 2), [""]);
    assert_eq!(edges(&reduced(&straight(&ops), &Tso, 2), 1, 2), [""]);
}

fn with_rest(program: &Program, reduction: &dyn Reduction, each: u32, rest: Rest) -> Reduced {
    let capacity = Capacity { rest: Some(rest), ..Capacity::all(each) };
    let reduced = reduction.reduce(program, &capacity).unwrap();
    validate(&reduced.program).unwrap();
    assert_eq!(reduced.bound, None);
    assert_eq!(reduced.program.variables.len(), program.variables.len());
    reduced
}

const OLDEST: Rest = Rest { contents: Contents::Set, keeps: Keeps::Oldest };
const NEWEST: Rest = Rest { contents: Contents::Set, keeps: Keeps::Newest };

/// The rules as printed, under pso.
#[test]
fn slots_of_the_oldest() {
    let reduced = with_rest(&program(ANY_NUMBER_OF_STORES), &Pso, 1, OLDEST);
    let enter = "assign x_last = r; assign x_values = x_values with x_last";
    let store = [
        &format!("do assume x_more == 1; {enter}"),
        "do assume x_more == 0; assume x_cnt == 0; assign x_1 = r; assign x_cnt = 1",
        &format!("do assume x_more == 0; assume x_cnt == 1; {enter}; assign x_more = 1"),
    ];
    assert_eq!(edges(&reduced, 0, 1), store);
    let load = [
        "do assume x_more == 1; assign r = x_last",
        "do assume x_more == 0; assume x_cnt == 0; load r from &x",
        "do assume x_more == 0; assume x_cnt == 1; assign r = x_1",
    ];
    assert_eq!(edges(&reduced, 1, 2), load);
    assert_eq!(edges(&reduced, 2, 3), ["do assume x_cnt == 0; assume x_more == 0"]);
    let commit = [
        "do assume x_cnt == 1; store &x = x_1; forget x_1; assign x_cnt = 0",
        "do assume x_cnt == 0; assume x_more == 1; havoc pick in x_values; store &x = pick; forget pick",
        "do assume x_cnt == 0; assume x_more == 1; store &x = x_last; forget x_last; assign x_values = {}; \
         assign x_more = 0",
    ];
    assert_eq!(edges(&reduced, 2, 2), commit);
    assert!(reduced.moves[0].iter().all(|one| !matches!(one, Move::Overflow(_))));
}

#[test]
fn slots_of_the_newest() {
    let reduced = with_rest(&program(ANY_NUMBER_OF_STORES), &Pso, 2, NEWEST);
    let store = [
        "do assume x_cnt == 0; assign x_1 = r; assign x_cnt = 1",
        "do assume x_cnt == 1; assign x_2 = r; assign x_cnt = 2",
        "do assume x_cnt == 2; assign x_last = x_1; assign x_values = x_values with x_last; assign x_more = 1; \
         assign x_1 = x_2; assign x_2 = r",
    ];
    assert_eq!(edges(&reduced, 0, 1), store);
    let load = [
        "do assume x_cnt == 0; assume x_more == 1; assign r = x_last",
        "do assume x_cnt == 0; assume x_more == 0; load r from &x",
        "do assume x_cnt == 1; assign r = x_1",
        "do assume x_cnt == 2; assign r = x_2",
    ];
    assert_eq!(edges(&reduced, 1, 2), load);
    let commit = [
        "do assume x_cnt == 1; assume x_more == 0; store &x = x_1; forget x_1; assign x_cnt = 0",
        "do assume x_cnt == 2; assume x_more == 0; store &x = x_1; assign x_1 = x_2; forget x_2; assign x_cnt = 1",
        "do assume x_more == 1; havoc pick in x_values; store &x = pick; forget pick",
        "do assume x_more == 1; store &x = x_last; forget x_last; assign x_values = {}; assign x_more = 0",
    ];
    assert_eq!(edges(&reduced, 2, 2), commit);
}

/// Under tso the rest belongs to the thread: what is in it of any location keeps a store out of the slots.
#[test]
fn one_line_and_its_rest() {
    let text = ANY_NUMBER_OF_STORES.replace("  edge 2 -> 0\n", "  edge 2 -> 0 do store &y = 1\n");
    let oldest = with_rest(&program(&text), &Tso, 1, OLDEST);
    let enter = "assign x_last = r; assign x_values = x_values with x_last";
    let store = [
        &format!("do assume x_more == 1; {enter}"),
        &format!("do assume x_more == 0; assume y_more == 1; {enter}; assign x_more = 1"),
        "do assume x_more == 0; assume y_more == 0; assume cnt == 0; assign lhs_1 = 0; assign rhs_1 = r; \
         assign cnt = 1",
        &format!("do assume x_more == 0; assume y_more == 0; assume cnt == 1; {enter}; assign x_more = 1"),
    ];
    assert_eq!(edges(&oldest, 0, 1), store);
    assert_eq!(edges(&oldest, 2, 3), ["do assume cnt == 0; assume x_more == 0; assume y_more == 0"]);
    let newest = with_rest(&program(&text), &Tso, 1, NEWEST);
    let moved = |of: &str, number: u32| {
        format!(
            "do assume cnt == 1; assume lhs_1 == {number}; assign {of}_last = rhs_1; \
             assign {of}_values = {of}_values with {of}_last; assign {of}_more = 1; assign lhs_1 = 0; assign rhs_1 = r"
        )
    };
    let store = [
        "do assume cnt == 0; assign lhs_1 = 0; assign rhs_1 = r; assign cnt = 1",
        &moved("x", 0),
        &moved("y", 1),
    ];
    assert_eq!(edges(&newest, 0, 1), store);
    let slot = "do assume cnt == 1; assume x_more == 0; assume y_more == 0; assume lhs_1 == 0; store &x = rhs_1; \
                forget lhs_1; forget rhs_1; assign cnt = 0";
    assert_eq!(edges(&newest, 0, 0)[0], slot);
}

/// Without slots, both ways are the same; without a set, any value comes out.
#[test]
fn no_slots() {
    let havoc = |keeps| Rest { contents: Contents::Havoc, keeps };
    for reduction in BOTH {
        let text = program(ANY_NUMBER_OF_STORES);
        let one = with_rest(&text, reduction, 0, havoc(Keeps::Oldest));
        let other = with_rest(&text, reduction, 0, havoc(Keeps::Newest));
        assert_eq!(one.program, other.program);
        assert_eq!(edges(&one, 0, 1), ["do assign x_last = r; assign x_more = 1"]);
        let commit = [
            "do assume x_more == 1; havoc pick; store &x = pick; forget pick",
            "do assume x_more == 1; store &x = x_last; forget x_last; assign x_more = 0",
        ];
        assert_eq!(edges(&one, 1, 1), commit);
        assert_eq!(edges(&one, 2, 3), ["do assume x_more == 0"]);
    }
}

/// Only where more than k stores may be pending, and only of locations that may be.
#[test]
fn a_rest_only_where_it_may_be_used() {
    let ops = [
        "do store &x = 1",
        "do load r from &x",
        "do store &x = 2",
        "do load r from &x",
        "do fence fence wr",
        "do store &y = 1",
    ];
    for reduction in BOTH {
        let reduced = with_rest(&straight(&ops), reduction, 1, OLDEST);
        assert!(!edges(&reduced, 1, 2).concat().contains("more"));
        assert!(edges(&reduced, 3, 4).concat().contains("x_more"));
        assert!(!edges(&reduced, 5, 6).concat().contains("more"));
        assert!(!print(&reduced.program).contains("y_more"));
        assert!(!edges(&reduced, 6, 7).concat().contains("more"));
        assert!(!print(&with_rest(&straight(&ops), reduction, 2, OLDEST).program).contains("more"));
    }
}

/// An address that is computed reaches every location, and no flag behind them.
#[test]
fn the_last_variable_has_a_rest_too() {
    let reduced = with_rest(&straight(&["do store &x ++ r = 1", "do store &y = 2"]), &Pso, 0, OLDEST);
    let text = print(&reduced.program);
    assert!(text.contains("x_more") && text.contains("y_more") && !text.contains("overflow"));
}

#[test]
fn barriers_beside_a_rest_order_the_oldest() {
    let ops = ["do store &x = 1", "do fence fence ww @3..9", "do store &y = 1"];
    let reduce = |ops: &[&str], reduction: &dyn Reduction, rest, each| {
        reduction.reduce(&straight(ops), &Capacity { rest: Some(rest), ..Capacity::all(each) })
    };
    let refused = reduce(&ops, &Pso, NEWEST, 0).unwrap_err();
    assert_eq!(refused.what, "a barrier between stores beside an abstract rest that keeps the newest");
    assert_eq!(refused.span.map(|span| (span.start, span.end)), Some((3, 9)));
    assert!(reduce(&["do store &x = 1", "do store &y = 1 tagged rel"], &Pso, NEWEST, 0).is_err());
    // Where no rest is needed, where there is one location, and where all stores stay in order.
    assert!(reduce(&ops, &Pso, NEWEST, 1).is_ok());
    assert!(reduce(&["do store &x = 1", "do fence fence ww", "do store &x = 1"], &Pso, NEWEST, 0).is_ok());
    assert!(reduce(&ops, &Tso, NEWEST, 0).is_ok());
    // Slots wait for slots; a rest waits for nothing.
    let two = ["do store &x = 1", "do store &x = 2", "do fence fence ww", "do store &y = 1"];
    let waits = |each| print(&reduce(&two, &Pso, OLDEST, each).unwrap().program).contains("y_1_waits_x");
    assert_eq!([0, 1, 2].map(waits), [false, true, true]);
}

#[test]
fn sorts_that_a_rest_cannot_hold_are_refused() {
    let text = "variable s : intset init {}\nprocess t\n  entry 0\n  point 0\n  point 1 end\n  edge 0 -> 1 do store &s = {}\n";
    let capacity = Capacity { rest: Some(OLDEST), ..Capacity::all(0) };
    for reduction in BOTH {
        let refused = reduction.reduce(&program(text), &capacity).unwrap_err();
        assert_eq!(refused.what, "an abstract rest of `s`, which holds values of sort intset");
    }
}
