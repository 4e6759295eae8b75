//! What Baumann, Dan, Meshman, Hoefler and Vechev (VMCAI 2018) report: the rows of their Table 3.

/// The figures of a row.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    /// `|V|`, the predicates of the proof under sequential consistency.
    pub predicates: u32,
    /// Seconds to build the boolean program, and its lines.
    pub building: u32,
    pub lines: u32,
    /// `|V̄|`, the extrapolated predicates, and the lines of the extrapolated program.
    pub extrapolated: u32,
    pub extrapolated_lines: u32,
    /// Seconds to check it.
    pub checking: u32,
    /// The fewest flushes with which it was proved, and those it began with.
    pub flushes: (u32, u32),
}

/// One program.
pub(super) struct Algorithm {
    pub name: &'static str,
    /// Our text, without flushes.
    pub text: &'static str,
    /// `None`: another version, of which the paper gives no row.
    pub paper: Option<Figures>,
    /// How our program differs from the paper's, which prints none but that of Fig. 2.
    pub remark: &'static str,
}

const fn row(
    name: &'static str,
    text: &'static str,
    (predicates, building, lines): (u32, u32, u32),
    (extrapolated, extrapolated_lines, checking): (u32, u32, u32),
    flushes: (u32, u32),
    remark: &'static str,
) -> Algorithm {
    let figures =
        Figures { predicates, building, lines, extrapolated, extrapolated_lines, checking, flushes };
    Algorithm { name, text, paper: Some(figures), remark }
}

const fn other(name: &'static str, text: &'static str, remark: &'static str) -> Algorithm {
    Algorithm { name, text, paper: None, remark }
}

pub(super) const ALGORITHMS: [Algorithm; 20] = [
    row("Dekker", "dekker/dekker_rma", (11, 1, 498), (29, 2068, 876), (4, 12), "turn at a third process"),
    row(
        "Peterson",
        "peterson/peterson_rma",
        (10, 1, 356),
        (21, 1045, 4),
        (4, 7),
        "turn at the first process",
    ),
    row(
        "Abp",
        "abp/abp_rma_sender_unbounded",
        (16, 1, 485),
        (20, 662, 1),
        (1, 2),
        "both variables at the sender",
    ),
    row(
        "Pc1",
        "barrier/barrier_counter_rma_unbounded",
        (18, 2, 658),
        (35, 3797, 126),
        (2, 7),
        "stand-in of our own: a barrier that counts",
    ),
    row(
        "Pgsql",
        "pgsql/pgsql_rma",
        (12, 1, 418),
        (18, 1549, 1),
        (2, 4),
        "the assertion, not the lost wake-up",
    ),
    row(
        "Qw",
        "bluetooth/bluetooth_rma",
        (13, 2, 487),
        (29, 1544, 1345),
        (4, 5),
        "the Bluetooth driver, repaired order; counters are remote atomics",
    ),
    row(
        "Sober",
        "sober/sober_rma",
        (23, 8, 831),
        (48, 8466, 10),
        (0, 9),
        "a loop waits for what its get returns",
    ),
    row(
        "Kessel",
        "kessels/kessels_rma",
        (18, 3, 534),
        (36, 1621, 16),
        (5, 10),
        "every variable at its writer",
    ),
    row(
        "Loop2_TLM",
        "counters/two_loops_rma",
        (29, 165, 1068),
        (43, 1986, 3960),
        (4, 4),
        "stand-in of our own: two loops that count",
    ),
    row(
        "Szymanski",
        "szymanski/szymanski_rma",
        (34, 228, 1182),
        (64, 7081, 316),
        (7, 14),
        "every variable at its writer",
    ),
    row(
        "Queue",
        "queue/queue_rma_mixed_unbounded",
        (13, 24, 572),
        (22, 1104, 13),
        (1, 2),
        "indices without slots",
    ),
    row(
        "Ticket",
        "ticket/ticket_rma_unbounded",
        (17, 114, 640),
        (43, 3615, 4320),
        (5, 6),
        "words at a third process",
    ),
    row(
        "Bakery",
        "bakery/bakery_rma_unbounded",
        (19, 330, 828),
        (41, 2947, 288),
        (6, 10),
        "every variable at its only writer",
    ),
    row(
        "RMA Lock",
        "rma_lock/rma_lock",
        (24, 50, 763),
        (60, 5932, 65679),
        (9, 18),
        "D-MCS, from memory of its paper",
    ),
    other("Ticket, bounded", "ticket/ticket_rma", "each process enters twice"),
    other("Bakery, bounded", "bakery/bakery_rma", "tickets up to 3"),
    other("Bakery, 3", "bakery/bakery_rma_3", "three processes"),
    other("Ticket, 3", "ticket/ticket_rma_3", "three processes"),
    other("RMA Lock, 3", "rma_lock/rma_lock_3", "three processes"),
    other("Peterson, home", "peterson/peterson_rma_home", "turn at a third process"),
];
