//! Random loop-free programs in the style of litmus tests: accesses with constant and computed
//! addresses and values, false dependencies, branches that matter and branches that do not, fences,
//! read-modify-writes, compare-and-swap, exclusives, selections.

use wattle_generate::{Graph, Rng};
use wattle_logic::{Binary, Sort, Term};
use wattle_program::{
    Cfg, Fence, Init, Local, Mode, Name, Op, Orders, Process, Program, Replicas, Tags, Variable, Vocabulary,
};
use wattle_source::Span;

const LOCALS: u32 = 4;

fn variable(name: &str) -> Variable {
    Variable {
        name: name.into(),
        sort: Sort::WORD,
        dimensions: vec![],
        range: None,
        init: Init::Values(vec![Term::int(0)]),
        unbuffered: false,
        place: None,
        owner: None,
        span: Span::NOWHERE,
    }
}

fn local(number: u32) -> Local {
    Local {
        name: format!("r{number}").into(),
        sort: Sort::WORD,
        range: None,
        init: Init::Values(vec![Term::int(0)]),
        hidden: false,
    }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    graph: Graph,
    locations: u32,
    /// Locals that hold something that was read.
    fresh: Vec<u32>,
    next: u32,
    vocabulary: Vocabulary,
}

fn word(value: i64) -> Term {
    Term::value(wattle_logic::Value::Int(value), Sort::WORD)
}

fn register(number: u32) -> Term {
    Term::local(number, Sort::WORD)
}

impl Writer<'_> {
    fn tags(&mut self) -> Tags {
        let names: &[&str] = match self.vocabulary {
            Vocabulary::C11 => &["RLX", "ACQ", "REL", "SC", "NA"],
            Vocabulary::Aarch64 => &["A", "L", "X"],
            Vocabulary::Riscv => &["Acq", "Rel", "X"],
            _ => &["X"],
        };
        match self.rng.chance(500) {
            true => Tags::from([Name::from(*self.rng.pick(names))]),
            false => Tags::new(),
        }
    }

    fn into(&mut self) -> u32 {
        let local = self.next % LOCALS;
        self.next += 1;
        if !self.fresh.contains(&local) {
            self.fresh.push(local);
        }
        local
    }

    /// A term that is always zero and depends on a read, or really is the value read.
    fn read_value(&mut self) -> Option<Term> {
        if self.fresh.is_empty() {
            return None;
        }
        let local = register(*self.rng.pick(&self.fresh.clone()));
        Some(match self.rng.below(5) {
            0 => Term::binary(Binary::BitXor, local.clone(), local),
            1 => Term::binary(Binary::BitAnd, local, word(0)),
            2 => Term::if_then_else(local.clone().equals(word(1)), word(2), local),
            _ => local,
        })
    }

    fn value(&mut self) -> Term {
        let constant = word(i64::from(self.rng.between(1, 2)));
        match self.rng.chance(350).then(|| self.read_value()).flatten() {
            Some(read) if self.rng.chance(500) => Term::binary(Binary::BitOr, read, constant),
            Some(read) => read,
            None => constant,
        }
    }

    fn address(&mut self) -> Term {
        let plain = Term::address(self.rng.below(self.locations), vec![]);
        match self.rng.chance(250).then(|| self.read_value()).flatten() {
            // Either always the same place, or one of two.
            Some(read) if self.rng.chance(700) => {
                let zero = Term::binary(Binary::BitXor, read.clone(), read);
                Term::pointer(Term::binary(Binary::Add, Term::number(plain), zero))
            }
            Some(read) => {
                let other = Term::address(self.rng.below(self.locations), vec![]);
                Term::if_then_else(read.equals(word(1)), plain, other)
            }
            None => plain,
        }
    }

    fn statement(&mut self) {
        match self.rng.below(20) {
            0..=6 => {
                let (address, value, tags) = (self.address(), self.value(), self.tags());
                self.graph.step(Mode::Plain, vec![Op::Store { address, value, tags }]);
            }
            7..=12 => {
                let (address, tags) = (self.address(), self.tags());
                let into = self.into();
                self.graph.step(Mode::Plain, vec![Op::Load { into, address, tags }]);
            }
            13 => {
                let orders = *self.rng.pick(&[Orders::ALL, Orders::WW, Orders::RR]);
                let tag = *self.rng.pick(&["SYNC", "LWSYNC", "MFENCE", "DMB.SY", "SC"]);
                let fence = Fence { tag: tag.into(), orders, cumulative: true, location: None };
                self.graph.step(Mode::Plain, vec![Op::Fence(fence)]);
            }
            14 => {
                // An exchange or an addition.
                let (address, tags) = (Term::address(self.rng.below(self.locations), vec![]), self.tags());
                let mut value = self.value();
                let into = self.into();
                if self.rng.chance(400) {
                    // Kept small, for the values to settle.
                    let sum = Term::binary(Binary::Add, register(into), word(1));
                    value = Term::binary(Binary::BitAnd, sum, word(3));
                }
                let load = Op::Load { into, address: address.clone(), tags: tags.clone() };
                self.graph.step(Mode::Locked, vec![load, Op::Store { address, value, tags }]);
            }
            15 => {
                // Compare and swap.
                let (address, tags) = (Term::address(self.rng.below(self.locations), vec![]), self.tags());
                let into = self.into();
                let same = register(into).equals(word(0));
                let load = Op::Load { into, address: address.clone(), tags: tags.clone() };
                let (start, end) = (self.graph.at, self.graph.point());
                let store = Op::Store { address, value: word(2), tags };
                let yes = vec![load.clone(), Op::Assume { condition: same.clone() }, store];
                let no = vec![load, Op::Assume { condition: same.negated() }];
                self.graph.connect(start, Mode::Locked, Term::bool(true), yes, end);
                self.graph.connect(start, Mode::Locked, Term::bool(true), no, end);
                self.graph.at = end;
            }
            16 => {
                let address = Term::address(self.rng.below(self.locations), vec![]);
                let tags = Tags::from([Name::from("X")]);
                let into = self.into();
                let load = Op::LoadExclusive { into, address: address.clone(), tags: tags.clone() };
                self.graph.step(Mode::Plain, vec![load]);
                let (value, success) = (self.value(), self.into());
                let store = Op::StoreConditional { success, address, value, tags };
                self.graph.step(Mode::Plain, vec![store]);
            }
            17 => {
                // A branch that only depends.
                let Some(read) = self.read_value() else { return };
                let condition = read.equals(word(1));
                let (start, end) = (self.graph.at, self.graph.point());
                self.graph.connect(start, Mode::Plain, condition.clone(), vec![], end);
                self.graph.connect(start, Mode::Plain, condition.negated(), vec![], end);
                self.graph.at = end;
            }
            _ => {
                // A branch around a store.
                let Some(read) = self.read_value() else { return };
                let condition = read.equals(word(1));
                let (start, then, end) = (self.graph.at, self.graph.point(), self.graph.point());
                self.graph.connect(start, Mode::Plain, condition.clone(), vec![], then);
                self.graph.connect(start, Mode::Plain, condition.negated(), vec![], end);
                let (address, value, tags) = (self.address(), self.value(), self.tags());
                let store = vec![Op::Store { address, value, tags }];
                self.graph.connect(then, Mode::Plain, Term::bool(true), store, end);
                self.graph.at = end;
            }
        }
    }
}

/// A program of about `size` statements.
pub fn program(seed: u64, size: u32) -> Program {
    let mut rng = Rng::new(seed);
    let vocabulary = *rng.pick(&[
        Vocabulary::X86,
        Vocabulary::Ppc,
        Vocabulary::Aarch64,
        Vocabulary::Aarch64,
        Vocabulary::Riscv,
        Vocabulary::C11,
        Vocabulary::C11,
    ]);
    let mut program = Program::empty("random", vocabulary);
    let locations = rng.between(1, 2);
    for number in 0..locations {
        program.variables.push(variable(["x", "y"][number as usize]));
        program.observed.push(Term::content(Term::address(number, vec![]), Sort::WORD));
    }
    let threads = rng.between(2, 3);
    let mut left = size;
    for thread in 0..threads {
        let statements = if thread + 1 == threads { left } else { rng.between(1, left.max(1)).min(left) };
        left -= statements;
        let mut writer = Writer {
            graph: Graph::new(thread * 100),
            locations,
            fresh: vec![],
            next: 0,
            vocabulary,
            rng: &mut rng,
        };
        (0..statements).for_each(|_| writer.statement());
        let cfg: Cfg = writer.graph.finish();
        program.processes.push(Process {
            name: format!("P{thread}").into(),
            replicas: Replicas::Once,
            locals: (0..LOCALS).map(local).collect(),
            cfg,
            span: Span::NOWHERE,
        });
        for number in 0..LOCALS {
            program.observed.push(Term::local_of(thread, Term::int(0), number, Sort::WORD));
        }
    }
    program
}
