//! One process while it is being written.

use wattle_logic::{Sort, Term};
use wattle_program::{Cfg, Init, Local, Mode, Op, Range, Replicas, Tags};

use crate::declare::{self, World};
use crate::{Graph, Profile, Rng};

/// Sorts that may be mixed: integers of all kinds, or one of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Integer,
    Bool,
    Enum,
    Address,
}

pub(crate) fn class(sort: Sort) -> Class {
    match sort {
        Sort::Bool => Class::Bool,
        Sort::Enum(_) => Class::Enum,
        Sort::Address => Class::Address,
        _ => Class::Integer,
    }
}

pub(crate) struct Writer<'a> {
    pub rng: &'a mut Rng,
    pub profile: &'a Profile,
    pub world: &'a World,
    pub process: u32,
    pub locals: Vec<Local>,
    pub graph: Graph,
    /// How many loops are open.
    pub loops: u32,
    any_left: u32,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(rng: &'a mut Rng, profile: &'a Profile, world: &'a World, process: u32) -> Writer<'a> {
        let graph = Graph::new(process * 1000 + 1);
        Writer { rng, profile, world, process, locals: vec![], graph, loops: 0, any_left: 1 }
    }

    pub(crate) fn finish(self) -> (Vec<Local>, Cfg) {
        (self.locals, self.graph.finish())
    }

    pub(crate) fn copies(&self) -> u32 {
        self.world.copies[self.process as usize]
    }

    /// Does `me` say anything here?
    pub(crate) fn replicated(&self) -> bool {
        matches!(self.world.replicas[self.process as usize], Replicas::Exactly(_))
    }

    pub(crate) fn local(&self, local: u32) -> Term {
        Term::local(local, self.locals[local as usize].sort)
    }

    pub(crate) fn add_local(&mut self, name: &str, sort: Sort, range: Option<Range>, init: Init) -> u32 {
        let number = self.locals.len() as u32;
        let name = format!("{name}{number}").into();
        self.locals.push(Local { name, sort, range, init, hidden: false });
        number
    }

    /// The locals of a class, counters of loops left out: nothing but their loop sets them.
    pub(crate) fn locals_of(&self, wanted: Class) -> Vec<u32> {
        let usable = |local: &Local| class(local.sort) == wanted && !local.hidden;
        (0..self.locals.len() as u32).filter(|local| usable(&self.locals[*local as usize])).collect()
    }

    /// A local of a class to write into, a new one perhaps.
    pub(crate) fn target(&mut self, wanted: Class) -> u32 {
        let known = self.locals_of(wanted);
        if known.is_empty() || (known.len() < 3 && self.rng.chance(400)) {
            return self.new_local(wanted);
        }
        *self.rng.pick(&known)
    }

    pub(crate) fn new_local(&mut self, wanted: Class) -> u32 {
        let (sort, range) = match wanted {
            Class::Bool => (Sort::Bool, None),
            Class::Enum => (Sort::Enum(0), None),
            Class::Address => {
                let target = self.pointer_target();
                return self.add_local("a", Sort::Address, None, Init::Values(vec![target]));
            }
            Class::Integer => match self.rng.below(20) {
                0..=15 => (Sort::Int, None),
                16 => (Sort::Int, Some(Range { low: 0, high: i64::from(self.rng.between(1, 2)) })),
                17 => (Sort::Int, Some(Range { low: 1, high: 2 })),
                18 => (Sort::Int, Some(Range { low: -2, high: 1 })),
                _ if !self.profile.machine_integers => (Sort::Int, None),
                _ => (Sort::Bits { width: self.rng.between(1, 3) as u8, signed: self.rng.chance(500) }, None),
            },
        };
        let finite = range.is_some() || wanted == Class::Bool;
        let init = if finite && self.any_left > 0 && self.rng.chance(self.profile.any_init) {
            self.any_left -= 1;
            Init::Any
        } else if sort == Sort::Int && range.is_none() && self.replicated() && self.rng.chance(150) {
            Init::Values(vec![Term::me()])
        } else if range.is_none() && self.rng.chance(700) {
            Init::Values(vec![Term::value(sort.zero(), sort)])
        } else {
            Init::Values(vec![declare::literal(self.rng, sort, range)])
        };
        self.add_local("r", sort, range, init)
    }

    fn pointer_target(&mut self) -> Term {
        let count = self.world.variables.len() as u32;
        let targets: Vec<u32> = (0..count).filter(|number| declare::is_target(self.world, *number)).collect();
        Term::address(*self.rng.pick(&targets), vec![])
    }

    /// A load of some variable into some local that can hold it, and that local.
    pub(crate) fn load(&mut self) -> (u32, Op) {
        let (variable, address) = self.place();
        let class = class(self.world.variables[variable as usize].sort);
        let into = self.target(class);
        (into, Op::Load { into, address, tags: self.tags("acq", 60) })
    }

    pub(crate) fn load_from(&mut self, address: Term, class: Class) -> (u32, Op) {
        let into = self.target(class);
        (into, Op::Load { into, address, tags: Tags::new() })
    }

    pub(crate) fn store(&mut self) -> Op {
        let (variable, address) = self.place();
        let value = self.value_for(variable);
        Op::Store { address, value, tags: self.tags("rel", self.release_chance()) }
    }

    pub(crate) fn release_chance(&self) -> u32 {
        if self.profile.flavour == crate::Flavour::Pso { 120 } else { 20 }
    }

    pub(crate) fn tags(&mut self, tag: &str, per_mille: u32) -> Tags {
        if self.rng.chance(per_mille) { Tags::from([tag.into()]) } else { Tags::new() }
    }

    pub(crate) fn plain(&mut self, op: Op) {
        self.graph.step(Mode::Plain, vec![op]);
    }
}
