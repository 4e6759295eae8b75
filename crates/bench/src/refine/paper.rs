//! What Abdulla, Atig, Chen, Leonardsson and Rezine (SAS 2012) report: the rows of their Table 1.

/// One program.
pub(super) struct Algorithm {
    pub name: &'static str,
    /// The text, without fences.
    pub text: &'static str,
    /// The paper's number of instructions.
    pub instructions: u32,
    /// The paper's seconds to infer fences.
    pub seconds: f64,
    /// The paper's fences in each of the two processes.
    pub fences: u64,
    /// The greatest number of parameterised predicates in a refinement step of the paper.
    pub predicates: u32,
    /// The fewest fences in all under pso, which the paper does not have.
    pub under_pso: u64,
}

impl Algorithm {
    /// The fewest fences in all.
    pub(super) fn total(&self, model: &str) -> u64 {
        if model == "pso" { self.under_pso } else { 2 * self.fences }
    }
}

const fn algorithm(
    name: &'static str,
    text: &'static str,
    (instructions, seconds, fences, predicates): (u32, f64, u64, u32),
    under_pso: u64,
) -> Algorithm {
    Algorithm { name, text, instructions, seconds, fences, predicates, under_pso }
}

pub(super) const ALGORITHMS: [Algorithm; 8] = [
    algorithm("Burns", "burns/burns", (9, 0.02, 1, 1), 2),
    algorithm("Simple Dekker", "dekker_simple/dekker_simple", (10, 0.04, 1, 1), 2),
    algorithm("Full Dekker", "dekker/dekker_goto", (22, 0.06, 1, 1), 2),
    algorithm("Dijkstra", "dijkstra/dijkstra", (22, 0.35, 1, 4), 2),
    algorithm("Lamport Bakery", "bakery/bakery_unbounded", (20, 154.0, 2, 17), 4),
    algorithm("Lamport Fast", "lamport_fast/lamport_fast", (32, 2.0, 2, 4), 6),
    algorithm("Peterson", "peterson/peterson", (12, 2.0, 1, 6), 4),
    algorithm("Linux Ticket Lock", "linux_ticket/linux_ticket_unbounded", (16, 2.0, 0, 2), 0),
];
