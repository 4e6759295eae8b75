//! What Dan, Meshman, Vechev and Yahav (SAS 2013) report: the rows of their Tables 1 and 2, with buffers of one.

/// One program.
pub(super) struct Algorithm {
    pub name: &'static str,
    /// The text, with predicates.
    pub text: &'static str,
    /// A finite program with the same stores, on which placements of fences are tried.
    pub finite: &'static str,
    /// The largest cube of the paper's boolean programs.
    pub cube_size: usize,
    pub rows: &'static [Row],
}

/// A row of the tables, in the order of their columns: input predicates, input cubes, thousand calls, seconds to
/// build, cubes used, thousand states, MB, seconds to check. `–`: none; `?`: not legible in the copy we have. A
/// method with a star does without rule 7 (14): our queue's cubes need both indices in slots.
pub(super) struct Row {
    pub model: &'static str,
    pub method: &'static str,
    pub cells: [&'static str; 8],
}

impl Row {
    /// Seconds to build and to check, as far as they are legible.
    pub(super) fn seconds(&self) -> Option<f64> {
        let building: f64 = self.cells[3].parse().ok()?;
        Some(building + self.cells[7].parse().unwrap_or(0.0))
    }
}

const fn row(model: &'static str, method: &'static str, cells: [&'static str; 8]) -> Row {
    Row { model, method, cells }
}

pub(super) const ALGORITHMS: [Algorithm; 7] = [
    Algorithm {
        name: "Dekker",
        text: "dekker/dekker_predicates",
        finite: "dekker/dekker_predicates",
        cube_size: 1,
        rows: &[
            row("sc", "trad", ["7", "–", "0.7", "0.1", "0", "14", "6", "1"]),
            row("pso", "pe", ["20", "–", "26", "6", "0", "80", "31", "5"]),
            row("tso", "pe", ["18", "–", "22", "5", "0", "45", "20", "3"]),
        ],
    },
    Algorithm {
        name: "Peterson",
        text: "peterson/peterson_predicates",
        finite: "peterson/peterson_predicates",
        cube_size: 2,
        rows: &[
            row("sc", "trad", ["7", "–", "0.6", "0.1", "2", "7", "3", "1"]),
            row("pso", "pe", ["20", "–", "15", "3", "2", "31", "13", "3"]),
            row("tso", "pe", ["18", "–", "13", "3", "2", "25", "11", "2"]),
        ],
    },
    Algorithm {
        name: "ABP",
        text: "abp/abp_unbounded",
        finite: "abp/abp",
        cube_size: 2,
        rows: &[
            row("sc", "trad", ["8", "–", "2", "0.5", "5", "0.6", "1", "0.6"]),
            row("pso", "pe", ["15", "–", "20", "4", "5", "2", "3", "1"]),
            row("tso", "pe", ["17", "–", "23", "5", "5", "2", "3", "1"]),
        ],
    },
    Algorithm {
        name: "Szymanski",
        text: "szymanski/szymanski_predicates",
        finite: "szymanski/szymanski_predicates",
        cube_size: 2,
        rows: &[
            row("sc", "trad", ["20", "–", "16", "3.3", "1", "12", "6", "2"]),
            row("pso", "pe", ["35", "–", "152", "33", "1", "61", "30", "4"]),
            row("tso", "pe", ["37", "–", "165", "35", "1", "61", "31", "5"]),
        ],
    },
    Algorithm {
        name: "Queue",
        text: "queue/queue_predicates",
        finite: "queue/queue_indices",
        cube_size: 4,
        rows: &[
            row("sc", "trad", ["7", "–", "20", "5", "50", "1", "2", "1"]),
            row("pso", "pe", ["15", "–", "5747", "1475", "412", "1", "4", "1"]),
            row("pso", "ce*", ["15", "99", "98", "17", "99", "11", "6", "2"]),
            row("tso", "pe", ["16", "–", "11133", "2778", "412", "12", "4", "1"]),
            row("tso", "ce*", ["16", "99", "163", "31", "99", "12", "7", "2"]),
        ],
    },
    Algorithm {
        name: "Bakery",
        text: "bakery/bakery_predicates",
        finite: "bakery/bakery",
        cube_size: 4,
        rows: &[
            row("sc", "trad", ["15", "–", "1552", "355", "161", "20", "?", "?"]),
            row("pso", "pe", ["38", "–", "–", "T/O", "–", "–", "–", "–"]),
            row("pso", "ce", ["38", "422", "9018", "1773", "381", "979", "375", "104"]),
            row("tso", "pe", ["36", "–", "–", "T/O", "–", "–", "–", "–"]),
            row("tso", "ce", ["36", "422", "7048", "1386", "383", "730", "285", "121"]),
        ],
    },
    Algorithm {
        name: "Ticket",
        text: "ticket/ticket_section_predicates",
        finite: "ticket/ticket_section",
        cube_size: 4,
        rows: &[
            row("sc", "trad", ["11", "–", "218", "51", "134", "2", "?", "?"]),
            row("pso", "pe", ["56", "–", "–", "T/O", "–", "–", "–", "–"]),
            row("pso", "ce", ["56", "622", "–", "hours", "–", "–", "–", "–"]),
            row("pso", "ce-drop", ["56", "622", "15644", "2163", "380", "193", "123", "40"]),
            row("tso", "pe", ["48", "–", "–", "T/O", "–", "–", "–", "–"]),
            row("tso", "ce", ["48", "622", "6941", "1518", "582", "71", "67", "545"]),
            row("tso", "ce-drop", ["48", "622", "–", "fails", "–", "–", "–", "–"]),
        ],
    },
];
