//! Tests that grow: the same shape with more and more threads.

use std::ops::RangeInclusive;

pub(super) struct Family {
    pub name: &'static str,
    pub model: &'static str,
    pub sizes: RangeInclusive<usize>,
    pub text: fn(usize) -> String,
}

pub(super) const FAMILIES: [Family; 4] = [
    Family { name: "IRIW, n writers and n readers", model: "tso", sizes: 2..=8, text: iriw_x86 },
    Family { name: "IRIW, n writers and n readers", model: "power", sizes: 2..=8, text: iriw_ppc },
    Family { name: "2+2W, a ring of n threads", model: "tso", sizes: 2..=6, text: ring_x86 },
    Family { name: "2+2W, a ring of n threads", model: "power", sizes: 2..=6, text: ring_ppc },
];

/// Reader i sees location i before location i + 1.
fn iriw_x86(size: usize) -> String {
    let mut columns: Vec<Vec<String>> = (0..size).map(|i| vec![format!("MOV [x{i}],$1")]).collect();
    columns
        .extend((0..size).map(|i| vec![format!("MOV EAX,[x{i}]"), format!("MOV EBX,[x{}]", (i + 1) % size)]));
    let condition = (size..2 * size).map(|i| format!("{i}:EAX=1 /\\ {i}:EBX=0")).collect();
    table("X86", "", columns, condition)
}

fn iriw_ppc(size: usize) -> String {
    let mut init = String::new();
    let mut columns = Vec::new();
    for i in 0..size {
        init.push_str(&format!("{i}:r2=x{i}; "));
        columns.push(vec!["li r1,1".to_owned(), "stw r1,0(r2)".to_owned()]);
    }
    for i in 0..size {
        init.push_str(&format!("{0}:r2=x{i}; {0}:r4=x{1}; ", size + i, (i + 1) % size));
        columns.push(vec!["lwz r1,0(r2)".to_owned(), "lwz r3,0(r4)".to_owned()]);
    }
    let condition = (size..2 * size).map(|i| format!("{i}:r1=1 /\\ {i}:r3=0")).collect();
    table("PPC", &init, columns, condition)
}

/// Thread i writes location i, then location i + 1.
fn ring_x86(size: usize) -> String {
    let column = |i| vec![format!("MOV [x{i}],$2"), format!("MOV [x{}],$1", (i + 1) % size)];
    let condition = (0..size).map(|i| format!("x{i}=2")).collect();
    table("X86", "", (0..size).map(column).collect(), condition)
}

fn ring_ppc(size: usize) -> String {
    let mut init = String::new();
    let mut columns = Vec::new();
    for i in 0..size {
        init.push_str(&format!("{i}:r2=x{i}; {i}:r4=x{}; ", (i + 1) % size));
        columns.push(["li r1,2", "stw r1,0(r2)", "li r3,1", "stw r3,0(r4)"].map(str::to_owned).to_vec());
    }
    let condition = (0..size).map(|i| format!("x{i}=2")).collect();
    table("PPC", &init, columns, condition)
}

fn table(architecture: &str, init: &str, columns: Vec<Vec<String>>, condition: Vec<String>) -> String {
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = format!("{architecture} family\n{{ {init}}}\n");
    let heads: Vec<String> = (0..columns.len()).map(|thread| format!("P{thread}")).collect();
    text.push_str(&format!("{} ;\n", heads.join(" | ")));
    for row in 0..rows {
        let cells: Vec<&str> =
            columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
        text.push_str(&format!("{} ;\n", cells.join(" | ")));
    }
    text.push_str(&format!("exists ({})\n", condition.join(" /\\ ")));
    text
}
