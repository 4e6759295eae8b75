//! `--dump constraints`: who may read from whom and what has no cycle, as in the paper's Fig. 4.
//!
//! `s(w,r)` says that read `r` takes its value from write `w`, `c(a,b)` that `a` comes before `b`. For
//! each location: every read takes its value from some write (rf-some) and then has it (rf-val), writes
//! are in some order (ws), and a read comes before the writes that come after the one it read (fr). Then,
//! for each graph of the formulation, the pairs that are edges of it whatever happens.

use std::fmt::Write as _;

use wattle_engine::{Task, Unsupported};
use wattle_sat::{Definition, Lit, Pair, Solver};

use super::Writer;
use crate::Bmc;
use crate::encode::circuit::Circuit;
use crate::encode::encoding::{Encoding, encode};
use crate::encode::order;

impl Writer<'_, '_> {
    pub(super) fn constraints(&mut self, engine: &Bmc, task: &Task<'_>) -> Result<(), Unsupported> {
        let Some(axioms) = &task.memory.axioms else {
            return Err(Unsupported::new(format!("{} has no axioms", task.memory.name)));
        };
        let mut solver = Solver::new();
        let mut circuit = Circuit::new(&mut solver);
        let structure = self.structure;
        let options = order::thin_air::granted(axioms, structure, task.program.vocabulary);
        let encoding = encode(structure, &mut circuit, options)?;
        for location in 0..self.shape.locations.len() as u32 {
            self.communication(&encoding, location);
        }
        let constrained = engine.formulation().constrain(&encoding, &mut circuit, task.memory)?;
        let description = &constrained.description;
        for (number, graph) in description.graphs.iter().enumerate() {
            let edges = |pairs: &mut dyn Iterator<Item = Pair>| {
                pairs.fold(String::new(), |mut text, (a, b)| {
                    let _ = write!(text, " c({a},{b})");
                    text
                })
            };
            let conditional = graph.literal.iter().map(|(_, pair)| *pair);
            let others: Vec<&str> = graph
                .relations
                .iter()
                .map(|relation| match &description.relations[relation.0 as usize] {
                    Definition::FromRead { .. } => "fr",
                    Definition::Given { .. } => "given pairs",
                    _ => "derived pairs",
                })
                .collect();
            self.line(&format!("graph {number}, no cycle among"));
            self.line(&format!("  always      {}", edges(&mut graph.fixed.iter().copied())));
            if !graph.literal.is_empty() {
                self.line(&format!("  sometimes   {}", edges(&mut conditional.into_iter())));
            }
            self.line(&format!("  and          {}", others.join(", ")));
        }
        for (constraint, count) in circuit.counts() {
            self.line(&format!("{} {count}", constraint.figure()));
        }
        Ok(())
    }

    fn communication(&mut self, encoding: &Encoding<'_, '_>, location: u32) {
        let here = |event: u32| encoding.locations[event as usize].binary_search(&location).is_ok();
        let name = self.shape.location_name(self.program, location);
        let of_here = |pairs: &[(Lit, Pair)]| -> Vec<(Lit, Pair)> {
            let both = |(_, (a, b)): &&(Lit, Pair)| here(*a) && here(*b);
            pairs.iter().filter(both).copied().collect()
        };
        let reads_from = of_here(&encoding.reads_from);
        let coherence = of_here(&encoding.coherence);
        if reads_from.is_empty() && coherence.is_empty() {
            return;
        }
        self.line(&format!("{name}:"));
        let mut reads: Vec<u32> = reads_from.iter().map(|(_, (_, read))| *read).collect();
        reads.dedup();
        for read in reads {
            let some = reads_from.iter().filter(|(_, pair)| pair.1 == read);
            let some: Vec<String> = some.map(|(_, (write, read))| format!("s({write},{read})")).collect();
            self.line(&format!("  rf-some  {}", some.join(" || ")));
        }
        for (_, (write, read)) in &reads_from {
            let (read_name, written) = (&self.read[*read as usize], &self.written[*write as usize]);
            let line = format!("  rf-val   s({write},{read}) => {read_name} == {written}");
            self.line(&line);
        }
        for (literal, (first, second)) in &coherence {
            let decided = *literal == Lit::TRUE;
            // Both directions of an open pair are listed; one line says it.
            if decided {
                self.line(&format!("  ws       c({first},{second})"));
            } else if first < second {
                self.line(&format!("  ws       c({first},{second}) || c({second},{first})"));
            }
        }
        for (_, (write, read)) in &reads_from {
            for (literal, (first, second)) in &coherence {
                if first == write && second != read {
                    let order = match *literal {
                        Lit::TRUE => String::new(),
                        _ => format!(" && c({first},{second})"),
                    };
                    self.line(&format!("  fr       s({write},{read}){order} => c({read},{second})"));
                }
            }
        }
    }
}
