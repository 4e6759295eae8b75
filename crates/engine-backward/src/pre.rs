//! Pre-images: from which states does a transition lead into a cube?
//!
//! As in the paper, a transition makes a fresh event: the reads and the writes of one step are ghb-equal, so that here they
//! are one node. Its writes may satisfy reads of the cube (`rffr`):
//!
//! * a read by the same process of a cell that is written *must* take its value (internal; no order follows, because a
//!   process sees its own store before memory does);
//! * one by another process either takes it, and the event is before the read, or does not, and the read is before the
//!   event (external). Reads of one node happen at one instant, so that it is one choice for a node: with a mixed one the event
//!   would be before and after the node;
//! * a read of another cell is left alone.
//!
//! `extend_ghb` orders the event before those later ones that doors lead to ([`cube`](crate::cube)). The order must stay acyclic, which
//! is asked before any literal is looked at.
//!
//! **Why this finds every execution.** In an execution under tso, program order, coherence and reads-from
//! together have no cycle (a cycle would need a write that is followed by a read of its own process; that read can be left
//! only by program order, and then the write is ordered before what follows). Undo the steps in an order that respects the three:
//! then an undone write is coherence-before those undone earlier, an undone read takes its value from a
//! write that is still to come, and a read by the same process that is still unsatisfied when its process's write is
//! undone must read from it, or it would read what coherence has overwritten. That is what the rules assume. Private state that several processes
//! look at is another matter ([`overtaking`](crate::overtaking)).
//!
//! **A fence** waits until the buffer of its process is empty, whether or not its transition reads or writes weak memory. It is a node that
//! earlier writes of the process are before and that is before all that its process does later. The paper's text gives `fence` an
//! effect only on the transition's own reads; with a write only, or with neither, the fence would be lost. With a write only it is a node of its
//! own, before the write: the buffer is empty at the step, and the write enters it then.
//!
//! **Pruning.** A transition that gives no value to anything that the cube speaks of only adds constraints: its pre-image is
//! included in the cube, and is not made.
//!
//! **Universal guards** speak of all processes at the moment of the step. They are instantiated for every process of the cube. For those that enter it
//! later, the fact stays in the cube (`lasting`), because they were there: instantiated for them, whatever they did to what the fact speaks of
//! matters too. That is exact, and need not end: so facts stay only in cubes with few processes, and are forgotten where there are
//! more, which is an over-approximation (`approximate`). A broadcast to an array that such a fact speaks of makes it forgotten, too.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cube::{Cube, MOST};
use crate::knowledge::Knowledge;
use crate::literal::{BOUND, Cell, HERE, Literal, Operand, Outcome, Process, Renaming, Term, Value};
use crate::order::{Event, satisfiable};
use crate::system::{Case, Fixed, Sort, System, Transition, Universal, Update};

/// A pre-image and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct Pre {
    pub(crate) cube: Cube,
    /// For each process of the cube, its name in the cube it leads to; processes that are new there come after.
    pub(crate) names: Vec<Process>,
    pub(crate) arguments: Vec<Process>,
    pub(crate) approximate: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Images {
    pub(crate) list: Vec<Pre>,
    /// Some have more processes than are allowed, and were left out.
    pub(crate) too_many: bool,
    /// Conjunctions that were looked at.
    pub(crate) tried: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Processes of a cube.
    pub(crate) most: usize,
    /// Keep facts about all processes, for those that enter a cube later, in cubes with fewer processes than this.
    pub(crate) lasting: usize,
}

/// All pre-images of the cube, by transition.
pub(crate) fn pre_images(system: &System, cube: &Cube, limits: Limits, threads: usize) -> Vec<Images> {
    let of = |transition: &Transition| {
        let mut images = Images::default();
        pre_image(system, cube, transition, limits, &mut images);
        images
    };
    let threads = threads.min(system.transitions.len());
    if threads < 2 {
        return system.transitions.iter().map(of).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = || next.fetch_add(1, Ordering::Relaxed);
        let some = std::iter::from_fn(|| Some(taken()).filter(|i| *i < system.transitions.len()));
        some.map(|i| (i, of(&system.transitions[i]))).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, Images)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    all.sort_unstable_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, images)| images).collect()
}

/// All pre-images of the cube by one transition.
pub(crate) fn pre_image(
    system: &System,
    cube: &Cube,
    transition: &Transition,
    limits: Limits,
    images: &mut Images,
) {
    let Limits { most, lasting } = limits;
    for (pins, arguments) in placements(&cube.pins, transition.parameters, &transition.fixed) {
        if system.count.is_some_and(|count| pins.len() > usize::from(count)) {
            continue;
        }
        if pins.len() > most.min(MOST) || cube.nodes.len() + 1 >= MOST {
            images.too_many |= touches(cube, transition, &arguments);
            continue;
        }
        Step { system, cube, transition, pins, arguments, lasting }.images(images);
    }
}

/// Every way of giving processes to parameters: distinct ones to the proper parameters, those of a cube or new ones; the fixed ones
/// may be among them. With the pins that follow.
pub(crate) fn placements(
    pins: &[Option<u8>],
    parameters: u8,
    fixed: &[Fixed],
) -> Vec<(Vec<Option<u8>>, Vec<Process>)> {
    let mut found = vec![(pins.to_vec(), vec![])];
    for _ in 0..parameters {
        found = (found.iter())
            .flat_map(|(pins, chosen): &(Vec<Option<u8>>, Vec<Process>)| {
                (0..=pins.len() as Process).filter(|p| !chosen.contains(p)).map(move |process| {
                    let mut pins = pins.clone();
                    if usize::from(process) == pins.len() {
                        pins.push(None);
                    }
                    (pins, [&chosen[..], &[process]].concat())
                })
            })
            .collect();
    }
    for fixed in fixed {
        found = (found.iter())
            .flat_map(|(pins, chosen)| {
                let known = pins.iter().position(|pin| *pin == Some(fixed.number));
                let free = (0..=pins.len()).filter(move |process| match known {
                    Some(known) => *process == known,
                    None => pins.get(*process).is_none_or(|pin| pin.is_none()),
                });
                free.map(move |process| {
                    let mut pins = pins.clone();
                    pins.resize(pins.len().max(process + 1), None);
                    pins[process] = Some(fixed.number);
                    (pins, [&chosen[..], &[process as Process]].concat())
                })
            })
            .collect();
    }
    found
}

/// Does the transition write a cell that the cube speaks of?
fn touches(cube: &Cube, transition: &Transition, arguments: &[Process]) -> bool {
    let terms = || cube.all_literals().flat_map(Literal::terms);
    transition.updates.iter().any(|update| {
        let pattern = update.cell.rename(&mut |parameter| place(arguments, parameter));
        terms().any(|term| matches(pattern, term.cell).is_some())
    })
}

fn place(arguments: &[Process], parameter: Process) -> Process {
    if parameter < BOUND { arguments[usize::from(parameter)] } else { parameter }
}

/// What the bound variables of a pattern are for a cell.
fn matches(pattern: Cell, cell: Cell) -> Option<[Process; 2]> {
    if pattern.variable != cell.variable {
        return None;
    }
    let mut bound = [Process::MAX; 2];
    for (pattern, index) in pattern.index.into_iter().zip(cell.index) {
        if pattern == index {
            continue;
        }
        let slot = bound.get_mut(usize::from(pattern.checked_sub(BOUND)?))?;
        if *slot != Process::MAX && *slot != index {
            return None;
        }
        *slot = index;
    }
    Some(bound)
}

struct Step<'a> {
    system: &'a System,
    cube: &'a Cube,
    transition: &'a Transition,
    pins: Vec<Option<u8>>,
    arguments: Vec<Process>,
    lasting: usize,
}

/// What a step does to the cells that the cube speaks of: the conditions of its cases, and values.
#[derive(Clone, Default)]
struct Effect {
    conditions: Vec<Literal>,
    values: Vec<(Cell, Option<Value>)>,
}

impl Effect {
    fn value(&self, cell: Cell) -> Option<Value> {
        self.values.iter().find(|(other, _)| *other == cell).and_then(|(_, value)| *value)
    }
}

impl Step<'_> {
    /// The node that the step makes.
    fn event(&self) -> u8 {
        self.cube.nodes.len() as u8
    }

    fn actor(&self) -> Process {
        self.arguments[0]
    }

    fn renaming<T>(&self, bound: [Process; 2], then: impl FnOnce(&mut Renaming<'_>) -> T) -> T {
        let mut process = |process: Process| match process.checked_sub(BOUND) {
            Some(i) => match bound.get(usize::from(i)) {
                Some(chosen) if *chosen != Process::MAX => *chosen,
                _ => process,
            },
            None => self.arguments[usize::from(process)],
        };
        let mut node = |node: u8| if node == HERE { self.event() } else { node };
        then(&mut Renaming { process: &mut process, node: &mut node })
    }

    fn images(&self, images: &mut Images) {
        let patterns: Vec<(Cell, &Update)> = (self.transition.updates.iter())
            .map(|update| (update.cell.rename(&mut |p| place(&self.arguments, p)), update))
            .collect();
        let spoken = |literal: &Literal| {
            literal
                .terms()
                .any(|term| patterns.iter().any(|(pattern, _)| matches(*pattern, term.cell).is_some()))
        };
        let fresh = self.pins.len() > self.cube.pins.len() && !self.cube.universals.is_empty();
        if !fresh && !self.cube.all_literals().any(spoken) {
            return;
        }
        for literals in self.entered() {
            for effect in self.effects(&literals, &patterns) {
                self.orders(&literals, &effect, &patterns, images);
            }
        }
    }

    /// The cube's literals, with what is known of the processes that enter it.
    fn entered(&self) -> Vec<Vec<Literal>> {
        let old = self.cube.pins.len();
        let mut variants = vec![self.cube.literals.clone()];
        if self.pins.len() > old {
            for universal in &self.cube.universals {
                let new = |process: Process| usize::from(process) >= old;
                for choice in universal.choices(self.pins.len(), &new) {
                    variants = product(&variants, &universal.instance(&choice));
                }
            }
        }
        variants
    }

    /// One for each choice of cases.
    fn effects(&self, literals: &[Literal], patterns: &[(Cell, &Update)]) -> Vec<Effect> {
        let universal = self.cube.universals.iter().flat_map(|u| u.body.iter().flatten());
        let mut cells: Vec<Cell> =
            literals.iter().chain(universal).flat_map(Literal::terms).map(|term| term.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut effects = vec![Effect::default()];
        for cell in cells {
            // A fact about all processes that a broadcast writes to is forgotten as a whole.
            if cell.indices().any(|index| index >= BOUND) {
                continue;
            }
            let Some((bound, update)) =
                patterns.iter().find_map(|(pattern, update)| Some((matches(*pattern, cell)?, update)))
            else {
                continue;
            };
            effects = (effects.iter())
                .flat_map(|effect| {
                    update.cases.iter().filter_map(move |case| self.case(effect, cell, bound, case))
                })
                .collect();
        }
        effects
    }

    fn case(&self, effect: &Effect, cell: Cell, bound: [Process; 2], case: &Case) -> Option<Effect> {
        let mut effect = effect.clone();
        for literal in &case.condition {
            let literal = self.renaming(bound, |renaming| renaming.literal(literal));
            match literal.substitute(&|_| None) {
                Outcome::True => {}
                Outcome::False => return None,
                Outcome::Literal(literal) => effect.conditions.push(literal),
            }
        }
        let value = case.value.map(|value| self.renaming(bound, |renaming| renaming.value(&value)));
        effect.values.push((cell, value));
        Some(effect)
    }

    /// One for each choice of the nodes that the step's writes satisfy.
    fn orders(
        &self,
        literals: &[Literal],
        effect: &Effect,
        patterns: &[(Cell, &Update)],
        images: &mut Images,
    ) {
        let mut touched = false;
        let mut external = 0u32;
        let everywhere = |cell: Cell| {
            cell.indices().any(|i| i >= BOUND) && patterns.iter().any(|(p, _)| matches(*p, cell).is_some())
        };
        let universal = self.cube.universals.iter().flat_map(|u| u.body.iter().flatten());
        for term in literals.iter().chain(universal).flat_map(Literal::terms) {
            if effect.value(term.cell).is_none() && !everywhere(term.cell) {
                continue;
            }
            if !term.is_read() || term.by == self.actor() {
                touched = true;
            } else {
                external |= 1 << term.node;
            }
        }
        let certain = effect.values.iter().filter(|(_, value)| value.is_some()).map(|(cell, _)| *cell);
        let by = (self.event(), self.actor());
        let event = Event::new(self.system, self.transition, patterns, certain, by);
        let suits = |node: u8| {
            let fails = |literal: &Literal| match *literal {
                Literal::In(term, mask) if term.node == node => {
                    matches!(effect.value(term.cell), Some(Value::Constructor(c)) if mask >> c & 1 == 0)
                }
                _ => false,
            };
            !literals.iter().any(fails)
        };
        for satisfied in satisfiable(event.as_ref(), &self.cube.nodes, external, &suits) {
            if touched || satisfied != 0 {
                self.image(literals, effect, patterns, event.as_ref(), (external, satisfied), images);
            }
        }
    }

    fn image(
        &self,
        literals: &[Literal],
        effect: &Effect,
        patterns: &[(Cell, &Update)],
        event: Option<&Event>,
        (external, satisfied): (u32, u32),
        images: &mut Images,
    ) {
        images.tried += 1;
        let replaced =
            |term: Term| !term.is_read() || term.by == self.actor() || satisfied >> term.node & 1 == 1;
        let value = |term: Term| if replaced(term) { effect.value(term.cell) } else { None };
        let any = |term: Term| value(term) == Some(Value::Any);
        let mut approximate = self.system.sums;

        let known;
        let mut literals = literals;
        let mut arbitrary: Vec<Term> =
            literals.iter().flat_map(Literal::terms).filter(|term| any(*term)).collect();
        if !arbitrary.is_empty() {
            // Whoever reads what was written reads the same, whatever it is.
            arbitrary.sort_unstable_by_key(|term| (term.cell, *term));
            arbitrary.dedup();
            let same = arbitrary.windows(2).filter(|pair| pair[0].cell == pair[1].cell);
            let same: Vec<Literal> = same.flat_map(|pair| self.equal(pair[0], pair[1])).collect();
            let Some(knowledge) = Knowledge::new(self.system, &self.pins, literals.iter().chain(&same))
            else {
                return;
            };
            let exact;
            (known, exact) = knowledge.literals(self.system, &|term| !any(term));
            approximate |= !exact;
            literals = &known;
        }
        let mut before = effect.conditions.clone();
        for literal in literals {
            match literal.substitute(&value) {
                Outcome::True => {}
                Outcome::False => return,
                Outcome::Literal(literal) => before.push(literal),
            }
        }
        let guard = &self.transition.guard;
        let no_bound = [Process::MAX; 2];
        self.renaming(no_bound, |renaming| {
            before.extend(guard.literals.iter().map(|literal| renaming.literal(literal)));
        });
        let mut universals = vec![];
        let lasts = self.pins.len() < self.lasting;
        approximate |= !lasts && !self.cube.universals.is_empty();
        for universal in self.cube.universals.iter().filter(|_| lasts) {
            match self.earlier(universal, &value, patterns, &replaced) {
                Some(universal) => universals.push(universal),
                None => approximate = true,
            }
        }
        let mut variants = vec![before];
        for universal in &guard.universal {
            let universal = self.renaming(no_bound, |renaming| universal.renamed(renaming));
            for choice in universal.choices(self.pins.len(), &|_| true) {
                variants = product(&variants, &universal.instance(&choice));
            }
            let all = self.system.count.is_some_and(|count| usize::from(count) == self.pins.len());
            match all {
                true => {}
                false if lasts => universals.push(universal),
                false => approximate = true,
            }
        }
        for variant in variants {
            let facts = universals.iter().flat_map(|universal| universal.body.iter().flatten());
            let nodes = match event {
                Some(event) => {
                    event.ordered(&self.cube.nodes, variant.iter().chain(facts), external, satisfied)
                }
                None => Some(self.cube.nodes.clone()),
            };
            let Some(nodes) = nodes else { continue };
            let Some(knowledge) = Knowledge::new(self.system, &self.pins, variant.iter()) else { continue };
            let (literals, _) = knowledge.literals(self.system, &|_| true);
            let cube = Cube { pins: self.pins.clone(), literals, nodes, universals: universals.clone() };
            let (cube, names) = cube.tidy(self.lasting == usize::MAX || !universals.is_empty());
            images.list.push(Pre { cube, names, arguments: self.arguments.clone(), approximate });
        }
    }

    fn equal(&self, a: Term, b: Term) -> Vec<Literal> {
        match self.system.variable(a.cell).sort {
            Sort::Integer => vec![Literal::AtMost(Some(a), Some(b), 0), Literal::AtMost(Some(b), Some(a), 0)],
            _ => vec![Literal::Equal(Operand::Term(a), Operand::Term(b)).sorted()],
        }
    }

    /// A fact about all other processes, said of the state before the step; `None` if a broadcast changed it.
    fn earlier(
        &self,
        universal: &Universal,
        value: &dyn Fn(Term) -> Option<Value>,
        patterns: &[(Cell, &Update)],
        replaced: &dyn Fn(Term) -> bool,
    ) -> Option<Universal> {
        let mut body = vec![];
        for conjunction in &universal.body {
            let mut kept = Some(vec![]);
            for literal in conjunction {
                for term in literal.terms() {
                    let for_all = term.cell.indices().any(|index| index >= BOUND);
                    let written = patterns.iter().any(|(pattern, _)| matches(*pattern, term.cell).is_some());
                    if (for_all && written && replaced(term)) || value(term) == Some(Value::Any) {
                        return None;
                    }
                }
                match literal.substitute(value) {
                    Outcome::True => {}
                    Outcome::False => kept = None,
                    Outcome::Literal(literal) => {
                        kept.iter_mut().for_each(|kept: &mut Vec<Literal>| kept.push(literal))
                    }
                }
            }
            body.extend(kept);
        }
        Some(Universal { body, ..universal.clone() })
    }
}

/// Every conjunction with every alternative.
pub(crate) fn product(variants: &[Vec<Literal>], alternatives: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
    let with = |variant: &Vec<Literal>| {
        alternatives.iter().map(|alternative| [&variant[..], &alternative[..]].concat()).collect::<Vec<_>>()
    };
    variants.iter().flat_map(with).collect()
}
