//! Straight code in the style of litmus tests: stores of distinct values, loads into fresh locals,
//! a fence here and there. Such programs show most of what tells memory models apart, and cost
//! almost nothing to search. Some repeat their last accesses without end, if the profile wants that.

use wattle_logic::{Sort, Term};
use wattle_program::{Fence, Init, Mode, Op, Orders};

use crate::Flavour;
use crate::remote;
use crate::writer::{Class, Writer, class};

pub(crate) fn body(writer: &mut Writer<'_>, accesses: u32) {
    let accesses = accesses.clamp(2, 4);
    let (mut last, mut head) = (None, None);
    // Nothing is drawn where there are no loops, so that a seed keeps its program.
    let again = writer.profile.litmus_loops;
    let from = (again > 0 && writer.rng.chance(again)).then(|| writer.rng.below(accesses));
    for number in 0..accesses {
        if number > 0 {
            order(writer);
        }
        if from == Some(number) {
            head = Some(writer.graph.at);
            writer.loops += 1;
        }
        if writer.profile.is_rma() && writer.rng.chance(550) {
            remote::statement(writer);
            continue;
        }
        // Stores first and loads last is what buffers reorder.
        let store = writer.rng.chance(if number == 0 { 700 } else { 400 });
        let (mut variable, mut address) = writer.place();
        for _ in 0..3 {
            // Nothing reorders accesses to one location, so go on to another.
            if last == Some(variable) {
                (variable, address) = writer.place();
            }
        }
        last = Some(variable);
        let op = if store {
            let value = writer.value_for(variable);
            Op::Store { address, value, tags: writer.tags("rel", writer.release_chance()) }
        } else {
            let wanted = class(writer.world.variables[variable as usize].sort);
            let into = match wanted {
                Class::Integer if writer.rng.chance(900) => {
                    writer.add_local("r", Sort::Int, None, Init::Values(vec![Term::int(0)]))
                }
                _ => writer.new_local(wanted),
            };
            Op::Load { into, address, tags: writer.tags("acq", 60) }
        };
        writer.graph.step(if writer.rng.chance(50) { Mode::Locked } else { Mode::Plain }, vec![op]);
    }
    if let Some(head) = head {
        writer.loops -= 1;
        let exit = writer.graph.point();
        writer.graph.to(exit, Mode::Plain, Term::bool(true), vec![]);
        writer.graph.to(head, Mode::Plain, Term::bool(true), vec![]);
        writer.graph.at = exit;
    }
}

/// Perhaps something that keeps accesses in order.
fn order(writer: &mut Writer<'_>) {
    if !writer.rng.chance(150) {
        return;
    }
    let pso = writer.profile.flavour == Flavour::Pso;
    let fence = match writer.rng.below(10) {
        0..=3 if pso => Fence { tag: "ww".into(), orders: Orders::WW, cumulative: false, location: None },
        4 if pso => Fence { location: Some(writer.place().1), ..Fence::full() },
        5 => {
            // Control flow that decides nothing about the order of stores.
            let condition = writer.condition();
            let (start, meet) = (writer.graph.at, writer.graph.point());
            writer.graph.connect(start, Mode::Plain, condition.clone(), vec![], meet);
            writer.graph.connect(start, Mode::Plain, condition.negated(), vec![], meet);
            writer.graph.at = meet;
            return;
        }
        _ => Fence::full(),
    };
    writer.plain(Op::Fence(fence));
}
