//! Why an execution is not sequentially consistent.
//!
//! Under sc, program order and communication (`rf`, `co`, `fr`) have no cycle, and nothing comes between
//! the read and the write of one atomic step. So an execution that sc forbids has a cycle, and a
//! shortest one names the accesses that matter.

use super::base::relation;
use super::value::{Relation, inverse, sequence, shortest_cycle};
use crate::Execution;

/// Two events and how the first leads to the second.
pub type Step = (u32, &'static str, u32);

/// A shortest cycle in `po | rf | co | fr`, each step with the relation it takes; or, where only the
/// atomicity of a step is broken, the way through the write that came between. `None` if the execution
/// is sequentially consistent.
pub fn explain_cycle(execution: &Execution) -> Option<Vec<Step>> {
    let get = |name| relation(execution, name).unwrap_or_default();
    let co = get("co");
    let fr: Relation = sequence(&inverse(&get("rf")), &co).iter().filter(|(from, to)| from != to).collect();
    let rmw = get("rmw");
    let named = [("po", get("po")), ("rmw", rmw.clone()), ("rf", get("rf")), ("co", co), ("fr", fr)];
    let all: Relation = named.iter().flat_map(|(_, pairs)| pairs.iter()).collect();
    if let Some(cycle) = shortest_cycle(&all) {
        let nexts = cycle.iter().cycle().skip(1);
        let step = |(&from, &to): (&u32, &u32)| {
            let (name, _) = named.iter().find(|(_, pairs)| pairs.contains(from, to))?;
            Some((from, *name, to))
        };
        return cycle.iter().zip(nexts).map(step).collect();
    }
    let [.., (_, co), (_, fr)] = &named;
    for (read, write) in rmw.iter() {
        for between in fr.after(read).iter() {
            if co.contains(between, write) {
                return Some(vec![(read, "fr", between), (between, "co", write), (write, "rmw^-1", read)]);
            }
        }
    }
    None
}
