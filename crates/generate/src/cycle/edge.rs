//! Relaxation edges: the steps of a cycle.
//!
//! An edge goes from one access to the next. Either the two communicate through a location (`Rfe`,
//! `Fre`, `Coe`, and `Rfi`, `Fri`, `Coi` within one thread), or they stand in one thread and something
//! keeps them in order, or nothing does (`PodWR`, `SyncdWW`, `DpAddrdR`). The names are diy's: `d` for
//! different locations, `s` for the same, then the directions; annotations of the two accesses may
//! follow (`PodRRPA`: a plain read, then an acquire).
//!
//! A third kind goes from the read to the write of a read-modify-write (`LxSx`, `Amo.Swp`). Its result (the
//! old value, or whether an exclusive store succeeded) may be what a dependency starts at; as the edge
//! then begins with a write, its name has both directions: `DpDatadWW`, where diy knows no such edge.

use std::fmt;

use super::architecture::{Annotation, Architecture, Fence, Rmw};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    Write,
    Read,
}

impl Direction {
    pub fn letter(self) -> char {
        match self {
            Direction::Write => 'W',
            Direction::Read => 'R',
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Communication {
    Rf,
    Fr,
    Co,
}

impl Communication {
    pub fn ends(self) -> (Direction, Direction) {
        match self {
            Communication::Rf => (Direction::Write, Direction::Read),
            Communication::Fr => (Direction::Read, Direction::Write),
            Communication::Co => (Direction::Write, Direction::Write),
        }
    }

    /// Two communications in a row that are one already: `rf;fr` and `co;co` are in `co`, `fr;co` is
    /// in `fr`. A critical cycle has the shorter form.
    pub fn composes_with(self, next: Communication) -> bool {
        use Communication::{Co, Fr, Rf};
        matches!((self, next), (Rf, Fr) | (Co, Co) | (Fr, Co))
    }

    fn name(self) -> &'static str {
        match self {
            Communication::Rf => "Rf",
            Communication::Fr => "Fr",
            Communication::Co => "Co",
        }
    }
}

/// Whether a communication changes threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    External,
    Internal,
    /// To another thread, from which a later `Back` returns to this one.
    Leave,
    Back,
}

/// What stands between two accesses of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Means {
    Po,
    Fence(&'static Fence),
    Address,
    Data,
    Control,
    /// A control dependency with a fence after the branch.
    ControlFence(&'static Fence),
}

impl Means {
    /// Dependencies begin with a read, and data goes to a write.
    pub fn allows(self, (from, to): (Direction, Direction)) -> bool {
        match self {
            Means::Po | Means::Fence(_) => true,
            Means::Data => (from, to) == (Direction::Read, Direction::Write),
            Means::Address | Means::Control | Means::ControlFence(_) => from == Direction::Read,
        }
    }

    fn is_dependency(self) -> bool {
        !matches!(self, Means::Po | Means::Fence(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Communication(Communication, Reach),
    Order {
        means: Means,
        same: bool,
    },
    /// From the read of a read-modify-write to its write.
    Update(Rmw),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    pub kind: Kind,
    pub ends: (Direction, Direction),
    /// `None`: whatever the neighbour says, and plain if it says nothing either.
    pub annotations: (Option<Annotation>, Option<Annotation>),
}

impl Edge {
    pub fn new(kind: Kind, ends: (Direction, Direction)) -> Edge {
        Edge { kind, ends, annotations: (None, None) }
    }

    /// Does the edge leave its thread for good?
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::Communication(_, Reach::External))
    }

    pub fn is_order(&self) -> bool {
        matches!(self.kind, Kind::Order { .. })
    }

    /// Is it a dependency that starts at the result of a read-modify-write?
    pub fn is_from_result(&self) -> bool {
        let depends = matches!(self.kind, Kind::Order { means, .. } if means.is_dependency());
        depends && self.ends.0 == Direction::Write
    }

    pub fn changes_location(&self) -> bool {
        matches!(self.kind, Kind::Order { same: false, .. })
    }

    /// Can `next` follow: is its first access this one's second?
    pub fn meets(&self, next: &Edge) -> bool {
        let agree = match (self.annotations.1, next.annotations.0) {
            (Some(left), Some(right)) => left == right,
            (Some(_), None) | (None, _) => true,
        };
        self.ends.1 == next.ends.0 && agree
    }

    /// The edge of a name.
    pub fn parse(text: &str, architecture: Architecture) -> Option<Edge> {
        let text = canonical(text);
        for edge in architecture.edges() {
            let Some(rest) = text.strip_prefix(&*edge.name(architecture)) else { continue };
            if rest.is_empty() {
                return Some(edge);
            }
            for (left, first, from) in architecture.annotations() {
                let Some(rest) = rest.strip_prefix(left) else { continue };
                for (right, second, to) in architecture.annotations() {
                    if rest == *right && from.contains(&edge.ends.0) && to.contains(&edge.ends.1) {
                        return Some(Edge { annotations: (Some(*first), Some(*second)), ..edge });
                    }
                }
            }
        }
        None
    }

    /// The edges that a pattern stands for: each `*` is a direction.
    pub fn parse_pattern(text: &str, architecture: Architecture) -> Vec<Edge> {
        let Some(star) = text.find('*') else {
            return Edge::parse(text, architecture).into_iter().collect();
        };
        let with = |letter: &str| format!("{}{letter}{}", &text[..star], &text[star + 1..]);
        let mut edges = Edge::parse_pattern(&with("W"), architecture);
        edges.extend(Edge::parse_pattern(&with("R"), architecture));
        edges
    }

    pub fn name(&self, architecture: Architecture) -> String {
        let (from, to) = (self.ends.0.letter(), self.ends.1.letter());
        let mut name = match self.kind {
            Kind::Communication(what, reach) => {
                let reach = match reach {
                    Reach::External => "e",
                    Reach::Internal => "i",
                    Reach::Leave => "Leave",
                    Reach::Back => "Back",
                };
                format!("{}{reach}", what.name())
            }
            Kind::Update(rmw) => rmw.name().to_owned(),
            Kind::Order { means, same } => {
                let place = if same { 's' } else { 'd' };
                let means_name = match means {
                    Means::Po => "Po".to_owned(),
                    Means::Fence(fence) => fence.edge.to_owned(),
                    Means::Address => "DpAddr".to_owned(),
                    Means::Data => "DpData".to_owned(),
                    Means::Control => "DpCtrl".to_owned(),
                    Means::ControlFence(fence) => format!("DpCtrl{}", fence.edge),
                };
                match means.is_dependency() && !self.is_from_result() {
                    true => format!("{means_name}{place}{to}"),
                    false => format!("{means_name}{place}{from}{to}"),
                }
            }
        };
        if self.annotations != (None, None) {
            let of = |end: Option<Annotation>| architecture.annotation_name(end.unwrap_or_default());
            name.push_str(of(self.annotations.0));
            name.push_str(of(self.annotations.1));
        }
        name
    }
}

/// `Ws` is the older name of `Co`, and `Rmw` of `LxSx`.
fn canonical(text: &str) -> String {
    for (old, new) in [("Ws", "Co"), ("Rmw", "LxSx")] {
        if let Some(rest) = text.strip_prefix(old) {
            return format!("{new}{rest}");
        }
    }
    text.to_owned()
}

/// A list of edges, as users write it.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a>(pub &'a [Edge], pub Architecture);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, edge) in self.0.iter().enumerate() {
            let gap = if number == 0 { "" } else { " " };
            write!(f, "{gap}{}", edge.name(self.1))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for architecture in Architecture::ALL {
            for edge in architecture.edges() {
                let name = edge.name(architecture);
                assert_eq!(Edge::parse(&name, architecture), Some(edge), "{name}");
            }
        }
        let edge = Edge::parse("PodRRPA", Architecture::Aarch64).unwrap();
        assert_eq!(edge.annotations, (Some(Annotation::Plain), Some(Annotation::Acquire)));
        assert_eq!(edge.name(Architecture::Aarch64), "PodRRPA");
        assert_eq!(Edge::parse("PodWWAL", Architecture::Aarch64), None, "a write is never an acquire");
        assert_eq!(Edge::parse("Wse", Architecture::Ppc), Edge::parse("Coe", Architecture::Ppc));
        assert_eq!(Edge::parse("DpAddrdR", Architecture::X86), None);
        assert_eq!(Edge::parse("Rmw", Architecture::Arm), Edge::parse("LxSx", Architecture::Arm));
        let swap = Edge::parse("Amo.SwpAL", Architecture::Aarch64).unwrap();
        assert_eq!(swap.annotations, (Some(Annotation::Acquire), Some(Annotation::Release)));
        let edge = Edge::parse("DpDatadWWXP", Architecture::Riscv).unwrap();
        assert!(edge.is_from_result());
        assert_eq!(edge.name(Architecture::Riscv), "DpDatadWWXP");
    }

    #[test]
    fn stars_are_directions() {
        assert_eq!(Edge::parse_pattern("Pod**", Architecture::X86).len(), 4);
        assert_eq!(Edge::parse_pattern("DpAddrd*", Architecture::Arm).len(), 2);
        assert!(Edge::parse_pattern("Nod**", Architecture::X86).is_empty());
    }
}
