//! A step into a cube by given processes, undone: is every state before it in a cube?
//!
//! A read of the cube by the process that steps returns what the step stores; one by another process returns it, and then
//! the step comes before its instant, or returns something older, and then the instant comes before the step. Each is tried.
//!
//! What the step and the facts of the cube say of processes that are not at hand is kept beside (`Situation::outside`): there need not be
//! any, so that nothing may be concluded from it but what is true of them.

use std::collections::{BTreeMap, BTreeSet};

use wattle_engine::Reason;
use wattle_engine::certificate::cubes::Cube;
use wattle_logic::{Binary, Term, Unary};
use wattle_program::{Broadcast, Choice, Edge, Op, Orders};

use super::checker::Checker;
use super::cover::Situation;
use super::formula::{Key, Meaning, Scope, Table, constant, unsupported};
use super::saying::{self, ReadAt, Saying};

/// Cells that are stored to under conditions: every choice of those that hold is looked at.
const CONDITIONS: usize = 6;

/// A cell that a step stores to: a variable, and the places of its indices.
pub(super) type Stored = (u32, Vec<usize>);

/// A step into a cube by given processes.
pub(super) struct Undone<'c, 'p> {
    pub(super) checker: &'c mut Checker<'p>,
    pub(super) cube: &'c Cube,
    pub(super) edge: &'c Edge,
    pub(super) numbers: Vec<Option<u32>>,
    pub(super) me: usize,
    pub(super) locals: Vec<Option<Meaning>>,
    /// Who it is that the step's conditions say that there is.
    pub(super) witnesses: Vec<(u32, Option<usize>)>,
}

/// What becomes of an instant with reads that the step may satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The step writes none of the cells that it reads.
    Untouched,
    /// It returns what the step stores, and comes after it.
    Satisfied,
    /// It returns something older, and comes before the step.
    Older,
}

/// The step, and what the cube says of the state after it.
pub(super) struct Step<'c> {
    /// What it asks of the state before it.
    guards: Vec<Term>,
    pub(super) fence: bool,
    pub(super) stores: &'c [Broadcast],
    sayings: Vec<Saying<'c>>,
    /// With one process more than are at hand, with two, and so on.
    outside: Vec<Outside<'c>>,
    /// Of every cell that is spoken of: when it is written, and what.
    after: BTreeMap<Stored, (Term, Term)>,
    /// Instants that it may satisfy.
    pub(super) external: Vec<usize>,
}

struct Outside<'c> {
    guards: Vec<Term>,
    sayings: Vec<Saying<'c>>,
}

impl Step<'_> {
    fn at(&self, read: &ReadAt) -> &(Term, Term) {
        &self.after[&(read.variable, read.indices.clone())]
    }

    fn may_write(&self, read: &ReadAt) -> bool {
        constant(&self.at(read).0) != Some(false)
    }
}

impl<'c> Undone<'c, '_> {
    pub(super) fn leads_from_inside(mut self) -> Result<bool, Reason> {
        let mut table = Table::default();
        let Some(step) = self.step(&mut table)? else { return Ok(true) };
        let mut ways = vec![vec![]];
        for _ in &step.external {
            let fates = [Fate::Untouched, Fate::Satisfied, Fate::Older];
            ways = (ways.iter())
                .flat_map(|way: &Vec<Fate>| fates.map(|fate| [&way[..], &[fate]].concat()))
                .collect();
        }
        for way in ways {
            let fate = |instant: usize| {
                let at = step.external.iter().position(|other| *other == instant);
                at.map(|at| way[at])
            };
            if !self.is_way_covered(&step, &fate, &table)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `None`: it is not possible.
    fn step(&mut self, table: &mut Table) -> Result<Option<Step<'c>>, Reason> {
        let (cube, edge) = (self.cube, self.edge);
        let mut conditions = vec![&edge.guard];
        let mut fence = false;
        let mut stores: &[Broadcast] = &[];
        for op in &edge.ops {
            match op {
                Op::Havoc { local, among: Choice::Any } => {
                    if self.locals[*local as usize].is_none() {
                        // Any value: a variable that nothing else speaks of.
                        let any = table.variable(Key::Any(*local as usize));
                        self.locals[*local as usize] = Some(Meaning::Term(any));
                    }
                }
                Op::Assume { condition } => conditions.push(condition),
                Op::Fence(it) if it.location.is_none() => fence |= it.orders.contains(Orders::WR),
                Op::Together { stores: all } => stores = all,
                Op::Forget { .. } => {}
                _ => return unsupported("a step"),
            }
        }
        let said = |more: usize, table: &mut Table| -> Result<Vec<Term>, Reason> {
            let one = |condition: &&Term| self.said_with(more, table, |scope| scope.formula(condition, true));
            conditions.iter().map(one).collect()
        };
        let guards = said(0, table)?;
        if guards.iter().any(|guard| constant(guard) == Some(false)) {
            return Ok(None);
        }
        let places: Vec<usize> = (0..cube.numbers.len()).collect();
        let instants: Vec<usize> = (0..cube.instants.len()).collect();
        let known = self.numbers.len();
        let mut sayings = saying::literals(cube, &places, &instants);
        sayings.extend(saying::facts(cube, &places, &instants, known, 0));
        let mut outside = vec![];
        for more in self.checker.cover.outside(known) {
            let sayings = saying::facts(cube, &places, &instants, known, more);
            outside.push(Outside { guards: said(more, table)?, sayings });
        }
        let mut after = BTreeMap::new();
        for saying in sayings.iter().chain(outside.iter().flat_map(|outside| &outside.sayings)) {
            let read = saying.reads.iter().map(|read| (read.variable, read.indices.clone()));
            for (variable, indices) in saying.contents().into_iter().chain(read) {
                let effect = self.effect(table, stores, variable, &indices)?;
                after.insert((variable, indices), effect);
            }
        }
        let mut step = Step { guards, fence, stores, sayings, outside, after, external: vec![] };
        let reads = step.sayings.iter().flat_map(|saying| &saying.reads);
        let external: BTreeSet<usize> = reads
            .filter(|read| read.by != self.me && step.may_write(read))
            .map(|read| read.instant)
            .collect();
        step.external = external.into_iter().collect();
        Ok(Some(step))
    }

    fn is_way_covered(
        &mut self,
        step: &Step<'_>,
        fate: &dyn Fn(usize) -> Option<Fate>,
        table: &Table,
    ) -> Result<bool, Reason> {
        let mut table = Table { keys: table.keys.clone() };
        let mut formulas = step.guards.clone();
        let mut changed = false;
        // An instant that is satisfied, or could have been, reads something that is written.
        let mut some: BTreeMap<usize, Term> = BTreeMap::new();
        for read in step.sayings.iter().flat_map(|saying| &saying.reads) {
            if read.by == self.me || !step.may_write(read) {
                continue;
            }
            let (written, _) = step.at(read);
            match fate(read.instant) {
                Some(Fate::Untouched) => formulas.push(Term::unary(Unary::Not, written.clone())),
                Some(_) => {
                    let any = some.entry(read.instant).or_insert_with(|| Term::bool(false));
                    *any = Term::binary(Binary::Or, any.clone(), written.clone());
                }
                None => {}
            }
        }
        formulas.extend(some.into_values());
        for saying in &step.sayings {
            formulas.extend(self.before(step, saying, fate, false, &mut table, &mut changed)?);
        }
        let mut outside = vec![];
        for beyond in &step.outside {
            let mut formulas = beyond.guards.clone();
            for saying in &beyond.sayings {
                formulas.extend(self.before(step, saying, fate, true, &mut table, &mut changed)?);
            }
            outside.push(formulas);
        }
        // A step that changes nothing of what the cube says leads into it from inside.
        if !changed || formulas.iter().any(|formula| constant(formula) == Some(false)) {
            return Ok(true);
        }
        // What a store under a condition does to the order depends on whether it is made.
        let places = self.numbers.len();
        let open: Vec<(&Stored, &Term)> = (step.after.iter())
            .filter(|((variable, indices), (written, _))| {
                let at_hand = indices.iter().all(|place| *place < places);
                self.checker.weak(*variable) && at_hand && constant(written).is_none()
            })
            .map(|(cell, (written, _))| (cell, written))
            .collect();
        if open.len() > CONDITIONS {
            return unsupported("a step with many stores under conditions");
        }
        for choice in 0..1u32 << open.len() {
            let (mut formulas, mut made) = (formulas.clone(), BTreeSet::new());
            let mut table = Table { keys: table.keys.clone() };
            for (i, (cell, written)) in open.iter().enumerate() {
                if choice >> i & 1 == 1 {
                    made.insert((*cell).clone());
                    formulas.push((*written).clone());
                } else {
                    formulas.push(Term::unary(Unary::Not, (*written).clone()));
                }
            }
            let Some(instants) = self.instants(&mut table, step, fate, &formulas, &made)? else { continue };
            self.checker.steps += 1;
            let (numbers, outside) = (self.numbers.clone(), outside.clone());
            if !self.checker.is_covered(Situation { numbers, formulas, instants, table, outside })? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What holds before the step if the saying holds after it. Of processes that are not at hand it is not known which of their cells an instant finds
    /// written; then nothing is said (`None`).
    fn before(
        &self,
        step: &Step<'_>,
        saying: &Saying<'_>,
        fate: &dyn Fn(usize) -> Option<Fate>,
        outside: bool,
        table: &mut Table,
        changed: &mut bool,
    ) -> Result<Option<Term>, Reason> {
        let mut locals = vec![];
        for read in &saying.reads {
            let before = table.variable(read.key());
            if !step.may_write(read) {
                locals.push(Some(Meaning::Term(before)));
                continue;
            }
            let fate = if read.by == self.me { Some(Fate::Satisfied) } else { fate(read.instant) };
            if outside && fate.is_none_or(|fate| fate == Fate::Untouched) {
                *changed = true;
                return Ok(None);
            }
            let (written, value) = step.at(read);
            locals.push(Some(Meaning::Term(match fate {
                Some(Fate::Satisfied) => {
                    *changed = true;
                    Term::if_then_else(written.clone(), value.clone(), before)
                }
                _ => before,
            })));
        }
        let mut look = |variable: u32, indices: Vec<usize>, _: Option<usize>| {
            if variable == u32::MAX {
                return Ok(table.variable(Key::Process(indices[0])));
            }
            let before = table.variable(Key::Cell(variable, indices.clone()));
            let (written, value) = &step.after[&(variable, indices)];
            Ok(match constant(written) {
                Some(false) => before,
                _ => {
                    *changed = true;
                    Term::if_then_else(written.clone(), value.clone(), before)
                }
            })
        };
        let bound = saying.bound.clone();
        // Nothing that a cube says is about all processes.
        let (places, numbers) = (0, &self.numbers[..]);
        let mut scope = Scope { places, numbers, me: None, locals, bound, witnesses: &[], look: &mut look };
        scope.formula(saying.formula, true).map(Some)
    }
}
