//! Cycles as litmus tests.
//!
//! One printer for all assembly languages: it walks the threads, asks the [`Assembly`] of the
//! architecture for the instructions of each access, and lays the columns out. An assembly only says
//! how one load, store, read-modify-write, branch or fence is written; C has a printer of its own, because there a test
//! is no table.

mod aarch64;
mod arm;
mod c;
mod ppc;
mod riscv;
mod x86;

use super::architecture::{Annotation, Architecture, Marks, Rmw};
use super::edge::{Direction, Kind, Means, Names};
use super::layout::{Access, Cycle, location_name};

/// The text of a cycle as a test with this name.
pub(super) fn text(cycle: &Cycle, name: &str) -> String {
    let names = Names(&cycle.edges, cycle.architecture);
    let header =
        format!("{} {name}\n\"{names}\"\nGenerator=wattle\nCycle={names}\n", cycle.architecture.header());
    let assembly: &dyn Assembly = match cycle.architecture {
        Architecture::X86 => &x86::X86,
        Architecture::Ppc => &ppc::Ppc,
        Architecture::Arm => &arm::Arm,
        Architecture::Aarch64 => &aarch64::Aarch64,
        Architecture::Riscv => &riscv::Riscv,
        Architecture::C => return header + &c::text(cycle),
    };
    let mut results = vec![Results::default(); cycle.accesses.len()];
    let columns: Vec<Column> =
        (0..cycle.threads).map(|thread| column(cycle, thread, assembly, &mut results)).collect();
    let mut init = String::from("{\n");
    for (thread, column) in columns.iter().enumerate() {
        let one = |(register, location): &(String, usize)| {
            format!("{thread}:{register}={};", location_name(*location))
        };
        let line: Vec<String> = column.addresses.iter().map(one).collect();
        if !line.is_empty() {
            init.push_str(&line.join(" "));
            init.push('\n');
        }
    }
    init.push_str("}\n");
    format!("{header}{init}{}{}\n", table(&columns), condition(cycle, &results))
}

/// What an access leaves in registers.
#[derive(Clone, Debug, Default)]
struct Results {
    /// What a dependency on it starts at.
    register: String,
    /// Registers and what they hold if the cycle happens.
    seen: Vec<(String, u32)>,
}

/// `exists`, and the values that only this cycle has.
fn condition(cycle: &Cycle, results: &[Results]) -> String {
    let mut atoms: Vec<String> = (cycle.final_locations())
        .map(|location| format!("[{}]={}", location_name(location), cycle.writes(location)))
        .collect();
    for thread in 0..cycle.threads {
        for (register, value) in cycle.thread(thread).flat_map(|at| &results[at].seen) {
            atoms.push(format!("{thread}:{register}={value}"));
        }
    }
    format!("exists ({})", atoms.join(" /\\ "))
}

/// One load or store, as an assembly sees it.
struct Request<'a> {
    location: usize,
    annotation: Annotation,
    /// What is stored.
    value: u32,
    /// The register that the address or the stored value depends on.
    address: Option<&'a str>,
    data: Option<&'a str>,
}

/// A read-modify-write; `value` of the request is what it writes.
struct Update<'a> {
    request: Request<'a>,
    rmw: Rmw,
    marks: Marks,
    /// What it reads if the cycle happens.
    read: u32,
}

/// Registers that a read-modify-write sets.
struct Updated {
    /// The old value.
    old: String,
    /// 0 if the store of a pair of exclusives succeeded.
    status: Option<String>,
}

trait Assembly {
    /// The register of that number, from 0.
    fn register(&self, number: usize) -> String;
    /// Into a fresh register, which is returned as the condition names it.
    fn load(&self, column: &mut Column, request: &Request<'_>) -> String;
    fn store(&self, column: &mut Column, request: &Request<'_>);
    /// One of [`Architecture::updates`].
    fn update(&self, column: &mut Column, update: &Update<'_>) -> Updated;
    /// A branch that depends on a register and goes to the next instruction either way.
    fn branch(&self, column: &mut Column, register: &str);
}

/// One thread while it is written.
#[derive(Default)]
struct Column {
    lines: Vec<String>,
    /// Registers that hold addresses from the beginning.
    addresses: Vec<(String, usize)>,
    registers: usize,
    labels: usize,
}

impl Column {
    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    fn fresh(&mut self, assembly: &dyn Assembly) -> String {
        self.registers += 1;
        assembly.register(self.registers - 1)
    }

    /// The register that holds the address of a location.
    fn address(&mut self, assembly: &dyn Assembly, location: usize) -> String {
        if let Some((register, _)) = self.addresses.iter().find(|(_, one)| *one == location) {
            return register.clone();
        }
        let register = self.fresh(assembly);
        self.addresses.push((register.clone(), location));
        register
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("LC{:02}", self.labels - 1)
    }
}

/// How an access belongs to a read-modify-write: which one, its marks, what it reads and writes.
fn update_at(cycle: &Cycle, at: usize) -> Option<(Rmw, Marks, u32, u32)> {
    let Access { direction, annotation, value, other, .. } = cycle.accesses[at];
    if let Some(rmw) = cycle.update(at) {
        let next = &cycle.accesses[at + 1];
        let (read, write) = (annotation.marks(), next.annotation.marks());
        let marks = Marks { acquire: read.acquire, release: write.release };
        return Some((rmw, marks, value, next.value));
    }
    match (annotation, direction, other) {
        (Annotation::Half(rmw, marks), Direction::Read, Some(written)) => Some((rmw, marks, value, written)),
        (Annotation::Half(rmw, marks), Direction::Write, Some(read)) => Some((rmw, marks, read, value)),
        _ => None,
    }
}

fn column(cycle: &Cycle, thread: usize, assembly: &dyn Assembly, results: &mut [Results]) -> Column {
    let mut column = Column::default();
    for at in cycle.thread(thread) {
        let access = &cycle.accesses[at];
        if at > 0 && cycle.update(at - 1).is_some() {
            // Written together with its read.
            continue;
        }
        // What leads here, if it comes from within the thread.
        let (means, source) = match at.checked_sub(1).map(|before| (cycle.edges[before].kind, before)) {
            Some((Kind::Order { means, .. }, before)) => (means, results[before].register.clone()),
            _ => (Means::Po, String::new()),
        };
        match means {
            Means::Po | Means::Address | Means::Data => {}
            Means::Fence(fence) => column.line(fence.text.to_owned()),
            Means::Control => assembly.branch(&mut column, &source),
            Means::ControlFence(fence) => {
                assembly.branch(&mut column, &source);
                column.line(fence.text.to_owned());
            }
        }
        let mut request = Request {
            location: access.location,
            annotation: access.annotation,
            value: access.value,
            address: (means == Means::Address).then_some(&*source),
            data: (means == Means::Data).then_some(&*source),
        };
        if let Some((rmw, marks, read, written)) = update_at(cycle, at) {
            (request.value, request.annotation) = (written, Annotation::Half(rmw, marks));
            let Updated { old, status } = assembly.update(&mut column, &Update { request, rmw, marks, read });
            results[at].seen = vec![(old.clone(), read)];
            results[at].seen.extend(status.clone().map(|status| (status, 0)));
            let of_write = status.unwrap_or_else(|| old.clone());
            if cycle.update(at).is_some() {
                results[at + 1].register = of_write;
                results[at].register = old;
            } else {
                results[at].register = if access.direction == Direction::Read { old } else { of_write };
            }
            continue;
        }
        match access.direction {
            Direction::Read => {
                let register = assembly.load(&mut column, &request);
                if cycle.is_observed(access) {
                    results[at].seen.push((register.clone(), access.value));
                }
                results[at].register = register;
            }
            Direction::Write => assembly.store(&mut column, &request),
        }
    }
    column
}

/// The columns side by side.
fn table(columns: &[Column]) -> String {
    let height = columns.iter().map(|column| column.lines.len()).max().unwrap_or(0);
    let cell = |thread: usize, row: usize| match row {
        0 => format!("P{thread}"),
        row => columns[thread].lines.get(row - 1).cloned().unwrap_or_default(),
    };
    let widths: Vec<usize> = (0..columns.len())
        .map(|thread| (0..=height).map(|row| cell(thread, row).len()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in 0..=height {
        let cells: Vec<String> = (0..columns.len())
            .map(|thread| format!("{:<width$}", cell(thread, row), width = widths[thread]))
            .collect();
        text.push_str(&format!(" {} ;\n", cells.join(" | ")));
    }
    text
}
