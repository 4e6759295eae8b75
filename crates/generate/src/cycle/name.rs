//! Names of tests, after the convention of the literature: the shape, then what stands between the
//! accesses of each thread.
//!
//! A shape is known by the directions of the first and the last access of each thread, because these
//! decide the communication between threads: `WW+RR` is `MP`. Threads in which nothing but program
//! order stands are `po`, and a test in which all are has no suffix; if all threads have the same, it
//! is said once with an `s`: `SB+mfences`, `MP+sync+addr`.

use super::architecture::Annotation;
use super::edge::{Communication, Direction, Kind, Means, Reach};
use super::layout::Cycle;

/// Shapes over several locations.
const SHAPES: [(&str, &str); 26] = [
    ("SB", "WR+WR"),
    ("MP", "WW+RR"),
    ("LB", "RW+RW"),
    ("S", "WW+RW"),
    ("R", "WW+WR"),
    ("2+2W", "WW+WW"),
    ("WRC", "W+RW+RR"),
    ("RWC", "W+RR+WR"),
    ("WWC", "W+RW+RW"),
    ("WRR+2W", "W+RR+WW"),
    ("WRW+WR", "W+RW+WR"),
    ("WRW+2W", "W+RW+WW"),
    ("ISA2", "WW+RW+RR"),
    ("Z6.0", "WW+RW+WR"),
    ("Z6.1", "WW+WW+RW"),
    ("Z6.2", "WW+RW+RW"),
    ("Z6.3", "WW+WW+RR"),
    ("Z6.4", "WW+WR+WR"),
    ("Z6.5", "WW+WW+WR"),
    ("W+RWC", "WW+RR+WR"),
    ("3.SB", "WR+WR+WR"),
    ("3.LB", "RW+RW+RW"),
    ("3.2W", "WW+WW+WW"),
    ("IRIW", "W+RR+W+RR"),
    ("IRRWIW", "W+RR+W+RW"),
    ("IRWIW", "W+RW+W+RW"),
];

/// Shapes at one location, where program order itself is the question.
const COHERENCE: [(&str, &str); 3] = [("CoRR", "W+RR"), ("CoRW2", "W+RW"), ("CoWR", "W+WR")];

pub(super) fn name(cycle: &Cycle) -> String {
    let (ends, threads) = walk(cycle);
    let alone = cycle.locations == 1 && cycle.threads == 2;
    let table: &[(&str, &str)] = if alone && threads.len() == 1 { &COHERENCE } else { &SHAPES };
    let shape = table.iter().find(|(_, one)| *one == ends).map_or(&*ends, |(name, _)| name);
    let usual = if shape.starts_with("Co") { "pos" } else { "po" };
    match &threads[..] {
        [first, rest @ ..] if rest.iter().all(|one| one == first) => match first.as_str() {
            same if same == usual => shape.to_owned(),
            same if rest.is_empty() => format!("{shape}+{same}"),
            same => format!("{shape}+{same}s"),
        },
        [] => shape.to_owned(),
        different => format!("{shape}+{}", different.join("+")),
    }
}

/// By this, the rotations of a cycle are ordered: `W` before `WW` before `WR` before `RW`, thread by
/// thread.
pub(super) fn order_of_threads(cycle: &Cycle) -> Vec<String> {
    // In the alphabet R comes before W, here it comes after.
    walk(cycle).0.split('+').map(|ends| ends.replace('R', "X")).collect()
}

/// The directions of threads (`W+RW+RR`), and the suffix of each that has one.
fn walk(cycle: &Cycle) -> (String, Vec<String>) {
    let (mut ends, mut suffixes) = (Vec::new(), Vec::new());
    let mut parts: Vec<String> = Vec::new();
    let mut first = 0;
    let mut detour = false;
    for (number, edge) in cycle.edges.iter().enumerate() {
        let (what, reach) = match edge.kind {
            Kind::Order { means, same } => {
                parts.push(format!("{}{}", order(means, same), annotations(cycle, number)));
                continue;
            }
            Kind::Update(rmw) => {
                parts.push(format!("{}{}", rmw.name().to_lowercase(), annotations(cycle, number)));
                continue;
            }
            Kind::Communication(what, reach) => (what, reach),
        };
        let what = match what {
            Communication::Rf => "rf",
            Communication::Fr => "fr",
            Communication::Co => "co",
        };
        match reach {
            Reach::Internal => parts.push(format!("{what}i{}", annotations(cycle, number))),
            Reach::Leave if !detour => {
                detour = true;
                parts.push(format!("[{what}{}", annotations(cycle, number)));
            }
            Reach::Back => {
                detour = false;
                parts.push(format!("{what}{}]", annotations(cycle, number)));
            }
            Reach::Leave => parts.push(format!("{what}{}", annotations(cycle, number))),
            Reach::External => {
                let (open, close) = (&cycle.accesses[first], &cycle.accesses[number]);
                let mut letters = open.direction.letter().to_string();
                if first != number {
                    letters.push(close.direction.letter());
                } else if open.annotation != Annotation::Plain {
                    parts.push(alone(cycle, number));
                }
                ends.push(letters);
                if !parts.is_empty() {
                    suffixes.push(std::mem::take(&mut parts).join("-"));
                }
                first = number + 1;
            }
        }
    }
    (ends.join("+"), suffixes)
}

fn order(means: Means, same: bool) -> String {
    let name = match means {
        Means::Po => "po".to_owned(),
        Means::Fence(fence) => fence.short.to_owned(),
        Means::Address => "addr".to_owned(),
        Means::Data => "data".to_owned(),
        Means::Control => "ctrl".to_owned(),
        Means::ControlFence(fence) => format!("ctrl{}", fence.short),
    };
    if same { format!("{name}s") } else { name }
}

/// The annotations of the two ends of an edge, unless both are plain.
fn annotations(cycle: &Cycle, number: usize) -> String {
    let next = (number + 1) % cycle.accesses.len();
    let both = [number, next].map(|at| cycle.accesses[at].annotation);
    if both == [Annotation::Plain; 2] {
        return String::new();
    }
    both.map(|one| cycle.architecture.annotation_name(one).to_lowercase()).concat()
}

/// An annotated access that is alone in its thread.
fn alone(cycle: &Cycle, number: usize) -> String {
    let access = &cycle.accesses[number];
    let letter = match access.direction {
        Direction::Write => 'w',
        Direction::Read => 'r',
    };
    format!("{letter}{}", cycle.architecture.annotation_name(access.annotation).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::{Architecture, Edge};
    use super::*;

    fn name_of(text: &str, architecture: Architecture) -> String {
        let edges: Vec<Edge> =
            text.split_whitespace().map(|one| Edge::parse(one, architecture).expect(one)).collect();
        name(&Cycle::new(architecture, &edges).expect(text))
    }

    #[test]
    fn names_are_those_of_the_literature() {
        for (cycle, expected) in [
            ("PodWR Fre PodWR Fre", "SB"),
            ("SyncdWR Fre SyncdWR Fre", "SB+syncs"),
            ("SyncdWW Rfe DpAddrdR Fre", "MP+sync+addr"),
            ("PodWW Rfe DpAddrdR Fre", "MP+po+addr"),
            ("Rfe PodRR Fre Rfe PodRR Fre", "IRIW"),
            ("Rfe LwSyncdRW Rfe DpCtrlIsyncdR Fre", "WRC+lwsync+ctrlisync"),
            ("LwSyncdWW Coe SyncdWR Fre", "R+lwsync+sync"),
            ("PodWW Rfe DpAddrdR Fri Rfi DpCtrldR Fre", "MP+po+addr-fri-rfi-ctrl"),
            ("Rfe PosRR Fre", "CoRR"),
            ("Rfe SyncsRR Fre", "CoRR+syncs"),
            ("Rfe PosRW Coe", "CoRW2"),
            ("PosWW Rfe PosRR Fre", "MP+poss"),
            ("SyncdWW Rfe DpAddrdR CoLeave RfBack DpCtrldR Fre", "MP+sync+addr-[co-rf]-ctrl"),
        ] {
            // A detour leaves from a write.
            let cycle = cycle.replace("DpAddrdR CoLeave", "DpAddrdW CoLeave");
            let expected = expected.to_owned();
            assert_eq!(name_of(&cycle, Architecture::Ppc), expected, "{cycle}");
        }
        let arm = Architecture::Aarch64;
        assert_eq!(name_of("PodWWPL RfeLA PodRRAP Fre", arm), "MP+popl+poap");
        assert_eq!(name_of("PodWWLL RfeLA PodRRAA FreAL", arm), "MP+poll+poaa");
        assert_eq!(name_of("RfeLA PodRRAP Fre Rfe PodRR Fre", arm), "IRIW+wl+poap+po");
    }
}
