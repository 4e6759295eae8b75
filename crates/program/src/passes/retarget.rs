//! Translate a program from one vocabulary into another: what a compiler would do that keeps every
//! access.
//!
//! * A fence becomes the weakest sequence of the target's fences that promises as much ([`weakest`]).
//! * `isync` and `isb` order nothing by themselves and stand for each other.
//! * A locked step of a store-buffer machine is ordered with everything around it, so it gets a full
//!   fence of the target on both sides; the fences are steps of their own. A read-modify-write with an
//!   order of its own gets that order and no fences.
//! * Plain accesses stay plain. Release stores and acquire loads take the target's mark. Where there is
//!   none, a release store comes after a fence, and what follows an acquire load depends on it: a
//!   branch on its value, then an instruction barrier.
//! * C11 is compiled by the tables of `c11`, and a fence of some architecture in it (which C programs say in assembly) is
//!   what it promises. There is no way back: a program of an architecture under C11 gets the nearest marks.
//! * Other marks and pairs of exclusives have no translation here: these are refused. So is an atomic section of several
//!   steps, unless the target only says what is ordered: there it is a locked step, which is ordered with everything.
//!
//! Whatever becomes stronger or weaker than it was written is listed as a [`Change`].

use std::borrow::Cow;
use std::collections::BTreeMap;

use wattle_logic::Sort;

use super::c11::{Mapping, Order, by_tags};
use super::single::single_accesses;
use super::surround::{Around, surround};
use crate::promise::{Promise, weakest};
use crate::{
    Edge, EdgeId, Fence, Mode, Name, Op, Orders, Origin, Point, Program, Tags, Vocabulary, is_section,
};

/// The tag of a read-modify-write that has an order of its own instead of a locked step's.
pub const ORDERED: &str = "rlx";

/// What has no translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untranslatable(pub String);

/// A program in another vocabulary, and what is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation<'a> {
    pub program: Cow<'a, Program>,
    /// One for each kind of step that has no equal in the target, with the first place.
    pub changes: Vec<Change>,
}

/// A step that orders more or less than it was written to. It may do both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub written: String,
    pub became: String,
    pub stronger: bool,
    pub weaker: bool,
    pub origin: Origin,
}

/// What a model that speaks of what fences order, and not of their names, has of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The fences of its machines; `None`: one for every set of pairs.
    pub fences: Option<Vec<Fence>>,
    /// Are read-modify-writes always locked?
    pub locks_updates: bool,
    /// The pairs that program order keeps in order without any fence.
    pub keeps: Orders,
    /// Does a release store put a barrier between all stores before it and all after it?
    pub release_is_barrier: bool,
    /// Was the program compiled from C11? Its read-modify-writes and release stores are then what compilers make of them
    /// on such machines, and no change of what was written.
    pub compiled: bool,
}

/// The program in another vocabulary.
pub fn retarget(program: &Program, to: Vocabulary) -> Result<Translation<'_>, Untranslatable> {
    let from = program.vocabulary;
    if from == to {
        if from == Vocabulary::C11 {
            has_only_fences_of_c11(program)?;
        }
        return Ok(Translation { program: Cow::Borrowed(program), changes: vec![] });
    }
    let mapping = if from == Vocabulary::C11 { Mapping::to(to) } else { None };
    let like_it = match from {
        Vocabulary::C11 => mapping.is_some(),
        Vocabulary::Rma => false,
        _ => !matches!(to, Vocabulary::Generic | Vocabulary::Rma),
    };
    if !like_it {
        return refuse("the target has nothing like it");
    }
    let mut result = Program { vocabulary: to, ..program.clone() };
    let mut work = Work { from, to, fences: to.fences_for_translation(), changes: vec![] };
    for process in &mut result.processes {
        let inside: Vec<bool> = process.cfg.points.iter().map(|point| point.inside.is_some()).collect();
        if inside.contains(&true) && to != Vocabulary::Generic {
            return refuse("an atomic section of several steps");
        }
        if mapping.is_some() {
            single_accesses(&mut process.cfg);
        }
        let in_section = |edge: &Edge| {
            let within = |point: Point| inside.get(point.0 as usize).copied().unwrap_or(false);
            within(edge.from) || within(edge.to) || is_section(edge)
        };
        let mut around = BTreeMap::new();
        for (number, edge) in process.cfg.edges.iter_mut().enumerate() {
            let fences = match mapping {
                Some(_) if to == Vocabulary::Generic && in_section(edge) => work.in_section(edge),
                Some(mapping) => work.compile(edge, mapping)?,
                None => work.edge(edge)?,
            };
            if fences != Around::default() {
                around.insert(EdgeId(number as u32), fences);
            }
        }
        let sorts: Vec<Sort> = process.locals.iter().map(|local| local.sort).collect();
        surround(&mut process.cfg, &sorts, &around)?;
    }
    Ok(Translation { program: Cow::Owned(result), changes: work.changes })
}

/// The program as a model with such a reading takes it. The vocabulary stays.
pub fn read_as<'a>(program: &'a Program, reading: &Reading) -> Translation<'a> {
    let from = program.vocabulary;
    let fences = reading.fences.clone().unwrap_or_default();
    let mut work = Work { from, to: Vocabulary::Generic, fences, changes: vec![] };
    let mut result = Cow::Borrowed(program);
    for (number, process) in program.processes.iter().enumerate() {
        for (id, edge) in process.cfg.edges.iter().enumerate() {
            if let Some(read) = work.read(edge, reading) {
                result.to_mut().processes[number].cfg.edges[id] = read;
            }
        }
    }
    Translation { program: result, changes: work.changes }
}

/// RC11 does not say what an instruction of some architecture means.
fn has_only_fences_of_c11(program: &Program) -> Result<(), Untranslatable> {
    let ops = program.processes.iter().flat_map(|process| &process.cfg.edges).flat_map(|edge| &edge.ops);
    for op in ops {
        if let Op::Fence(fence) = op
            && Order::named(&fence.tag).is_none()
        {
            return refuse(format!("the fence `{}`", fence.tag));
        }
    }
    Ok(())
}

fn refuse<T>(what: impl Into<String>) -> Result<T, Untranslatable> {
    Err(Untranslatable(what.into()))
}

/// What a fence becomes in another vocabulary, if there is anything like it.
pub fn retarget_fence(fence: &Fence, to: Vocabulary) -> Option<Vec<Fence>> {
    let sequence = match (is_instruction_barrier(fence), Order::named(&fence.tag), Mapping::to(to)) {
        (true, ..) => vec![instruction_barrier(to)?],
        (_, Some(order), Some(mapping)) => by_tags(mapping.fence(order), to),
        _ => weakest(Promise::of(fence), &to.fences_for_translation()),
    };
    (fence.location.is_none() && !sequence.is_empty()).then_some(sequence)
}

fn is_instruction_barrier(fence: &Fence) -> bool {
    ["isync", "isb"].iter().any(|name| fence.tag.eq_ignore_ascii_case(name))
}

fn instruction_barrier(of: Vocabulary) -> Option<Fence> {
    let tag = match of {
        Vocabulary::Ppc => "ISYNC",
        Vocabulary::Arm | Vocabulary::Aarch64 => "ISB",
        _ => return None,
    };
    Some(Fence { tag: tag.into(), orders: Orders::NONE, cumulative: false, location: None })
}

/// As the text of a program has it.
fn said(fence: &Fence, vocabulary: Vocabulary) -> String {
    match vocabulary {
        Vocabulary::Generic | Vocabulary::Rma if *fence == Fence::lwsync() => "fence lwsync".into(),
        Vocabulary::Generic | Vocabulary::Rma => fence.tag.replace('.', " "),
        Vocabulary::C11 => match &*fence.tag {
            "ACQ" => "acquire fence".into(),
            "REL" => "release fence".into(),
            "SC" => "seq_cst fence".into(),
            tag => format!("{} fence", tag.to_lowercase()),
        },
        _ => fence.tag.to_lowercase(),
    }
}

fn said_all(fences: &[Fence], vocabulary: Vocabulary) -> String {
    let names: Vec<String> = fences.iter().map(|fence| said(fence, vocabulary)).collect();
    names.join("; ")
}

/// The order of a read-modify-write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Update {
    Locked,
    Ordered { acquire: bool, release: bool },
}

fn accesses(edge: &mut Edge) -> impl Iterator<Item = &mut Tags> {
    edge.ops.iter_mut().filter_map(|op| match op {
        Op::Load { tags, .. } | Op::Store { tags, .. } => Some(tags),
        _ => None,
    })
}

fn tags(edge: &Edge) -> impl Iterator<Item = &Tags> {
    edge.ops.iter().filter_map(|op| match op {
        Op::Load { tags, .. } | Op::Store { tags, .. } => Some(tags),
        _ => None,
    })
}

/// `None`: no read-modify-write, nor a failed one.
fn update(edge: &Edge, from: Vocabulary) -> Option<Update> {
    if edge.mode != Mode::Locked || tags(edge).next().is_none() {
        return None;
    }
    let has = |tag: &str| tags(edge).any(|tags| tags.contains(tag));
    Some(match from {
        Vocabulary::Aarch64 | Vocabulary::Riscv => {
            let plain = |tag: &Name| matches!(&**tag, "AMO" | "X" | "NoRet");
            match tags(edge).flatten().all(plain) {
                true => Update::Ordered { acquire: false, release: false },
                false => Update::Locked,
            }
        }
        _ if has(ORDERED) => Update::Ordered { acquire: has("acq"), release: has("rel") },
        _ => Update::Locked,
    })
}

/// How a vocabulary says acquire or release.
enum Mark {
    /// By a tag.
    Tag(&'static str),
    /// By fences around the access.
    Fences,
}

struct Work {
    from: Vocabulary,
    to: Vocabulary,
    fences: Vec<Fence>,
    changes: Vec<Change>,
}

impl Work {
    fn note(&mut self, written: String, became: String, (stronger, weaker): (bool, bool), origin: Origin) {
        let known = |change: &Change| change.written == written && change.became == became;
        if (stronger || weaker) && !self.changes.iter().any(known) {
            self.changes.push(Change { written, became, stronger, weaker, origin });
        }
    }

    fn written(&self, fence: &Fence) -> String {
        format!("`{}`", said(fence, self.from))
    }

    /// What a fence becomes, with a note if that is not its equal.
    fn sequence(&mut self, fence: &Fence, origin: Origin) -> Vec<Fence> {
        let promise = Promise::of(fence);
        let sequence = weakest(promise, &self.fences);
        let given = Promise::of_all(&sequence);
        let became = match sequence.is_empty() {
            true => "nothing".to_owned(),
            false => format!("`{}`", said_all(&sequence, self.to)),
        };
        self.note(
            self.written(fence),
            became,
            (given.exceeds(promise), given.falls_short_of(promise)),
            origin,
        );
        sequence
    }

    /// The edge as a model reads it, if that is another one.
    fn read(&mut self, edge: &Edge, reading: &Reading) -> Option<Edge> {
        let origin = edge.origin;
        let mut result = edge.clone();
        for op in &mut result.ops {
            let Op::Fence(fence) = op else { continue };
            if is_instruction_barrier(fence) && !reading.keeps.contains(Orders::READS) {
                let written = self.written(fence);
                self.note(written, "nothing".into(), (false, true), origin);
            }
            let wanted = fence.orders.without(reading.keeps);
            let has = |own: &Vec<Fence>| own.iter().any(|own| own.orders.without(reading.keeps) == wanted);
            let equal = reading.fences.as_ref().is_none_or(has);
            if !equal && fence.location.is_none() && wanted != Orders::NONE {
                // Models with such a list have a store barrier and a full fence, so that one fence is always enough.
                *fence = self.sequence(fence, origin).into_iter().next()?;
            }
        }
        let releases = |op: &Op| matches!(op, Op::Store { tags, .. } if tags.contains("rel"));
        let barred = reading.release_is_barrier && !reading.compiled;
        if barred && edge.mode == Mode::Plain && edge.ops.iter().any(releases) {
            let became = "a store barrier and a plain one".into();
            self.note("a release store".into(), became, (true, false), origin);
        }
        match update(edge, self.from) {
            Some(Update::Ordered { .. }) if reading.locks_updates && reading.compiled => {}
            Some(Update::Ordered { .. }) if reading.locks_updates => {
                let written = "a read-modify-write with an order of its own".into();
                self.note(written, "a locked step".into(), (true, false), origin);
            }
            // So that models tell it from a locked step, whatever its text was.
            Some(Update::Ordered { .. }) => {
                accesses(&mut result).for_each(|tags| _ = tags.insert(ORDERED.into()));
            }
            _ => {}
        }
        (result != *edge).then_some(result)
    }

    /// A step of an atomic section is ordered with everything anyway: no mark or fence in it matters.
    fn in_section(&self, edge: &mut Edge) -> Around {
        edge.ops.retain(|op| !matches!(op, Op::Fence(_)));
        accesses(edge).for_each(|tags| tags.retain(|tag| &**tag == "fenced"));
        Around::default()
    }

    /// The edge as a compiler maps it.
    fn compile(&mut self, edge: &mut Edge, mapping: &Mapping) -> Result<Around, Untranslatable> {
        let (origin, to) = (edge.origin, self.to);
        let locked = edge.mode == Mode::Locked;
        let mut around = Around::default();
        let mut ops = Vec::new();
        for mut op in std::mem::take(&mut edge.ops) {
            let row = match &mut op {
                Op::Fence(fence) => {
                    ops.extend(self.compiled_fence(fence, mapping, origin)?.into_iter().map(Op::Fence));
                    continue;
                }
                Op::LoadExclusive { .. } | Op::StoreConditional { .. } => {
                    return refuse("a pair of exclusives");
                }
                Op::Load { tags, into, .. } => {
                    let order = Order::of(tags);
                    let row = if locked { mapping.update(order) } else { mapping.load(order) };
                    *tags = row.read.iter().map(|tag| Name::from(*tag)).collect();
                    around.on.extend(row.branch.then_some(*into));
                    row
                }
                Op::Store { tags, .. } => {
                    let order = Order::of(tags);
                    let row = if locked { mapping.update(order) } else { mapping.store(order) };
                    let fenced = tags.take("fenced");
                    *tags = row.write.iter().map(|tag| Name::from(*tag)).chain(fenced).collect();
                    row
                }
                _ => {
                    ops.push(op);
                    continue;
                }
            };
            for (side, tags) in [(&mut around.before, row.before), (&mut around.after, row.after)] {
                let fences = by_tags(tags, to).into_iter();
                side.extend(fences.filter(|fence| !side.contains(fence)).collect::<Vec<_>>());
            }
            ops.push(op);
        }
        edge.ops = ops;
        Ok(around)
    }

    /// A fence of C11 by the table; an instruction of some architecture, which C programs say in assembly, by what it
    /// promises.
    fn compiled_fence(
        &mut self,
        fence: &Fence,
        mapping: &Mapping,
        origin: Origin,
    ) -> Result<Vec<Fence>, Untranslatable> {
        if fence.location.is_some() {
            return refuse("a fence for one location");
        }
        if let Some(order) = Order::named(&fence.tag) {
            return Ok(by_tags(mapping.fence(order), self.to));
        }
        if is_instruction_barrier(fence) {
            return match instruction_barrier(self.to) {
                Some(barrier) => Ok(vec![barrier]),
                None if self.to == Vocabulary::Generic => Ok(vec![fence.clone()]),
                None => refuse(format!("the fence {}", fence.tag)),
            };
        }
        Ok(self.sequence(fence, origin))
    }

    fn edge(&mut self, edge: &mut Edge) -> Result<Around, Untranslatable> {
        let origin = edge.origin;
        let mut ops = Vec::new();
        for op in std::mem::take(&mut edge.ops) {
            match op {
                Op::Fence(fence) if fence.location.is_some() => return refuse("a fence for one location"),
                Op::Fence(fence) if is_instruction_barrier(&fence) => match instruction_barrier(self.to) {
                    Some(fence) => ops.push(Op::Fence(fence)),
                    None => return refuse(format!("the fence {}", fence.tag)),
                },
                // Events of one step have no order among themselves, and fences need none.
                Op::Fence(fence) => ops.extend(self.sequence(&fence, origin).into_iter().map(Op::Fence)),
                Op::LoadExclusive { .. } | Op::StoreConditional { .. } => {
                    return refuse("a pair of exclusives");
                }
                op => ops.push(op),
            }
        }
        edge.ops = ops;
        match update(edge, self.from) {
            Some(Update::Locked) => Ok(self.locked(edge)),
            Some(Update::Ordered { acquire, release }) => Ok(self.ordered(edge, acquire, release)),
            None => self.plain(edge),
        }
    }

    /// A full fence on both sides. Where the source's own read-modify-writes order less than that, it is
    /// more than was written.
    fn locked(&mut self, edge: &mut Edge) -> Around {
        let relaxed = self.relaxed();
        accesses(edge).for_each(|tags| *tags = relaxed.map(Name::from).into_iter().collect());
        let full: Vec<Fence> = weakest(Promise::of(&Fence::full()), &self.fences);
        if matches!(self.from, Vocabulary::Aarch64 | Vocabulary::Riscv) {
            let became = format!("one between two `{}`", said_all(&full, self.to));
            let written = "a read-modify-write that acquires or releases".into();
            self.note(written, became, (true, false), edge.origin);
        }
        Around { before: full.clone(), after: full, on: vec![] }
    }

    fn ordered(&mut self, edge: &mut Edge, acquire: bool, release: bool) -> Around {
        let (origin, to) = (edge.origin, self.to);
        let stores = edge.ops.iter().any(|op| matches!(op, Op::Store { .. }));
        // A failed comparison writes nothing.
        let release = release && stores;
        let mut own: Tags = match to {
            Vocabulary::Riscv => ["AMO", "X"].into_iter().map(Name::from).collect(),
            _ => Tags::new(),
        };
        let both = acquire && release;
        let (on_read, on_write): (Option<&str>, Option<&str>) = match to {
            Vocabulary::C11 => {
                let tag = match (acquire, release) {
                    (true, true) => "ACQ_REL",
                    (true, false) => "ACQ",
                    (false, true) => "REL",
                    (false, false) => "RLX",
                };
                own.insert(tag.into());
                (None, None)
            }
            Vocabulary::Riscv if both => (Some("AcqRel"), Some("AcqRel")),
            Vocabulary::Riscv => (acquire.then_some("Acq"), release.then_some("Rel")),
            Vocabulary::Aarch64 => (acquire.then_some("A"), release.then_some("L")),
            _ => (None, None),
        };
        // Marks of read-modify-writes are sequentially consistent among themselves on RISC-V, and so is
        // an acquire towards releases on AArch64; in C11 a release orders for those who acquire.
        let inexact = match to {
            Vocabulary::Riscv => (acquire || release, false),
            Vocabulary::Aarch64 => (acquire, false),
            Vocabulary::C11 => (false, release),
            _ => (false, false),
        };
        let order = match (acquire, release) {
            (true, true) => "acq_rel",
            (true, false) => "acquire",
            _ => "release",
        };
        self.note(
            format!("a read-modify-write with {order}"),
            format!("one of {}", to.name()),
            inexact,
            origin,
        );
        let mut loaded = None;
        for op in &mut edge.ops {
            let (tags, mark) = match op {
                Op::Load { into, tags, .. } => {
                    loaded = Some(*into);
                    (tags, on_read)
                }
                Op::Store { tags, .. } => (tags, on_write),
                _ => continue,
            };
            *tags = own.iter().cloned().chain(mark.map(Name::from)).collect();
        }
        let written = "a read-modify-write that releases";
        self.by_fences(release.then_some(written), loaded.filter(|_| acquire), origin)
    }

    /// A load or store that may be marked.
    fn plain(&mut self, edge: &mut Edge) -> Result<Around, Untranslatable> {
        let origin = edge.origin;
        let relaxed = self.relaxed();
        let (mut releases, mut loaded) = (false, None);
        for op in &mut edge.ops {
            let (tags, local) = match op {
                Op::Load { into, tags, .. } => (tags, Some(*into)),
                Op::Store { tags, .. } => (tags, None),
                _ => continue,
            };
            let (release, acquire) = (tags.remove("rel"), tags.remove("acq"));
            // A note of the front end: a fence of the same statement follows.
            if let Some(tag) = tags.iter().find(|tag| &***tag != "fenced") {
                return refuse(format!("an access marked {tag}"));
            }
            let mark = match (release, acquire) {
                (true, _) => self.release(),
                (_, true) => self.acquire(),
                _ => Mark::Fences,
            };
            match mark {
                Mark::Tag(tag) => _ = tags.insert(tag.into()),
                Mark::Fences => {
                    // No model of such a vocabulary looks at the mark, but it tells why there are fences.
                    let written = release.then_some("rel").or(acquire.then_some("acq"));
                    tags.extend(relaxed.or(written).map(Name::from));
                    releases |= release;
                    if acquire {
                        loaded = local;
                    }
                }
            }
            if release && self.to == Vocabulary::C11 {
                self.note("a release store".into(), "one of C11".into(), (false, true), origin);
            }
        }
        Ok(self.by_fences(releases.then_some("a release store"), loaded, origin))
    }

    /// The mark of an access that orders nothing.
    fn relaxed(&self) -> Option<&'static str> {
        (self.to == Vocabulary::C11).then_some("RLX")
    }

    fn acquire(&self) -> Mark {
        match self.to {
            Vocabulary::C11 => Mark::Tag("ACQ"),
            Vocabulary::Aarch64 => Mark::Tag("Q"),
            Vocabulary::Riscv => Mark::Tag("Acq"),
            _ => Mark::Fences,
        }
    }

    fn release(&self) -> Mark {
        match self.to {
            Vocabulary::C11 => Mark::Tag("REL"),
            Vocabulary::Aarch64 => Mark::Tag("L"),
            Vocabulary::Riscv => Mark::Tag("Rel"),
            _ => Mark::Fences,
        }
    }

    /// Where marks do not say it: a fence before what releases, which orders more than that one
    /// store; and after what acquires a branch with an instruction barrier.
    fn by_fences(&mut self, releases: Option<&str>, loaded: Option<u32>, origin: Origin) -> Around {
        let mut around = Around::default();
        if matches!(self.release(), Mark::Tag(_)) {
            return around;
        }
        if let Some(written) = releases {
            let promise = Promise { keeps: Orders::WRITES, partly: Orders::NONE };
            around.before = weakest(promise, &self.fences);
            let became = format!("`{}` and a plain one", said_all(&around.before, self.to));
            self.note(written.into(), became, (true, false), origin);
        }
        if let (Some(_), Some(barrier)) = (loaded, instruction_barrier(self.to)) {
            around.after = vec![barrier];
            around.on = loaded.into_iter().collect();
        }
        around
    }
}
