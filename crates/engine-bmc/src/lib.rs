//! `bmc`: partial-order bounded model checking (Alglave, Kroening and Tautschnig 2013).
//!
//! A program is unrolled into a symbolic event structure ([`unroll`]); values, communication and what
//! the memory model allows become clauses ([`encode`]); the solver finds an execution that violates the
//! property, or there is none within the bound ([`solve`]); what it finds becomes an execution of the
//! program again ([`read_back`]).
//!
//! The paper encodes orders as clocks, for six models fixed in code; that is `clocks`. Here the
//! default is `order`: any .cat model, its relations derived inside the solver's loop, no clocks and
//! no cubic clauses. Both rest on the same structure, so they can be compared.
//!
//! **Verdicts.** Four questions are put to one solver, each under an assumption: is there an execution
//! that violates the property; one that faults or reaches what is not supported; one without which
//! the program has no meaning; one in which a thread is cut by the bound on loops? The first decides
//! *unsafe*. If all answers are no, the unrolling is complete and the program *safe*; if only the last
//! is yes, it is safe up to the bound, and the bound grows until the budget is spent.
//!
//! **Limits.** Unbounded integers only where an analysis of intervals shows that 62 bits hold them.
//! Atomic sections over several locations, remote operations, spawn and join are refused. A model
//! without an axiom against values out of thin air is never more than bounded. Assertions are judged
//! on executions whose threads go on as far as they can, which presumes that a model allows an
//! execution to go on; where a model was written by someone else, threads may stop anywhere.

mod dump;
mod encode;
mod pulse;
mod read_back;
mod solve;
#[cfg(test)]
mod testing;
mod unroll;

use std::collections::{BTreeMap, BTreeSet};

use wattle_engine::{
    Answer, Bound, Contradiction, Engine, Property, Run, Statistics, Task, Unsupported, axioms,
};
use wattle_memory::cat::Node;
use wattle_program::{Cfg, Point};
use wattle_source::Span;

use crate::encode::formulation::Formulation;
use crate::encode::{clocks, order, property};
use crate::solve::deepen;
use crate::unroll::{Wanted, waiting, wto};

pub use dump::{Dump, dump};

/// The engine `bmc`, with its options.
#[derive(Clone, Debug, Default)]
pub struct Bmc {
    /// How often a thread may go round a loop; `None`: more and more often, until that is enough or
    /// the budget is spent.
    pub unwind: Option<u32>,
    /// The first bound, where there is none that all rests on; 0 is as good as 1.
    pub first: u32,
    /// Loops with a bound of their own: those whose first line lies in this place.
    pub loops: Vec<(Span, u32)>,
    pub formulated: Formulated,
    /// Keep what `--certify` needs.
    pub proof: bool,
    /// A new solver for each bound, to compare with.
    pub fresh: bool,
}

/// The heads of the loops of a process, the outer ones first.
pub fn loop_heads(cfg: &Cfg) -> Vec<Point> {
    let mut heads = Vec::new();
    let order = wto::weak_topological_order(cfg);
    let mut open: Vec<&wto::Element> = order.iter().collect();
    while let Some(element) = open.pop() {
        if let wto::Element::Component(component) = element {
            heads.push(component.head);
            open.extend(&component.body);
        }
    }
    heads
}

/// How orders are told to the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulated {
    /// A theory inside the solver's loop.
    #[default]
    Order,
    /// Bit-vector clocks, as in the paper.
    Clocks,
}

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        axioms(task)?;
        if task.property == Property::NoDeadlock {
            if !task.memory.is_of_the_catalogue() {
                return Err(Unsupported::new("deadlock under a model that someone else wrote"));
            }
            waiting::points(task.program)?;
        }
        self.formulation().accepts(task.memory)
    }

    fn beyond(&self, bound: &Bound) -> Option<Box<dyn Engine>> {
        match bound {
            Bound::Unwinding(rounds) if self.unwind.is_none() && self.loops.is_empty() => {
                Some(Box::new(Bmc { first: deepen::next(*rounds), ..self.clone() }))
            }
            _ => None,
        }
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let mut statistics = Statistics::default();
        Answer::of(deepen::deepen(self, task, run, &mut statistics), statistics)
    }
}

impl Bmc {
    fn formulation(&self) -> &'static dyn Formulation {
        match self.formulated {
            Formulated::Order => &order::Order,
            Formulated::Clocks => &clocks::Clocks::PAPER,
        }
    }

    /// How the program of a task is unrolled, so that all of these bounds (sorted) can be asked about.
    fn unrolling(&self, task: &Task<'_>, bounds: &[u32]) -> unroll::Options {
        let (unwind, smaller) = match bounds {
            [smaller @ .., largest] => (*largest, smaller.to_vec()),
            [] => (0, vec![]),
        };
        let core = task.memory.axioms.as_ref().map(|axioms| &axioms.core);
        let bases = core.iter().flat_map(|core| &core.nodes).filter_map(|node| match node {
            Node::Base(name, _) => Some(&**name),
            _ => None,
        });
        let mut per_loop = BTreeMap::new();
        for process in task.program.process_ids() {
            for (number, point) in task.program.process(process).cfg.points.iter().enumerate() {
                let here = point.origin.0;
                let inside =
                    |span: &Span| span.file == here.file && (span.start..=span.end).contains(&here.start);
                if let Some((_, rounds)) = self.loops.iter().find(|(span, _)| inside(span)) {
                    per_loop.insert((process, Point(number as u32)), *rounds);
                }
            }
        }
        unroll::Options {
            unwind,
            per_loop,
            smaller,
            sections: core.is_some_and(|core| core.names("section")),
            wanted: Wanted::named(bases),
            // Of a model that someone else wrote it is not known that an execution can go on, nor that a
            // read more changes nothing.
            awaits: task.memory.is_of_the_catalogue(),
            standing: match (task.property, task.memory.is_of_the_catalogue()) {
                (Property::NoDeadlock, _) => BTreeSet::new(),
                (Property::Stated, true) => property::standing(task.program),
                (Property::Stated, false) => unroll::everywhere(task.program),
            },
            waiting: match task.property {
                Property::NoDeadlock => waiting::points(task.program).unwrap_or_default(),
                Property::Stated => BTreeSet::new(),
            },
            ..Default::default()
        }
    }
}
