//! A program as transitions over cells.
//!
//! Abstraction does not care about operations and their order: it wants to know when an edge can be
//! taken, and what every cell (a memory location, or a local of a thread) holds afterwards. So the
//! operations of each edge are run once on symbols: a local that was set is replaced by what it was set
//! to, and what is left is one *guard* and one simultaneous assignment. The weakest precondition of a
//! predicate is then a substitution.
//!
//! Programs must be flat (every process `Once`, see `passes::instantiate`), and memory is sequentially
//! consistent: buffers, where a model has them, were written into the program before
//! (`wattle_memory::reduction`). Integers are mathematical. What has no counterpart here (machine
//! integers, pointers, remote operations) is refused, with its place.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use wattle_logic::{Binary, Fault, Kind, Sort, Symbol, Term, Value};
use wattle_program::{
    Choice, Edge, EdgeId, Init, Op, Point, ProcessId, Program, PropertyKind, Range, Replicas, Shape,
    Unsupported,
};
use wattle_smt::Solver;
use wattle_source::Span;

use crate::fold::Fold;
use crate::sets;

/// What holds one value: a location (those come first), or a local of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The leaf that stands for it in formulas.
    pub leaf: Term,
    pub range: Option<Range>,
    /// The thread whose local it is.
    pub owner: Option<u32>,
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub thread: u32,
    pub edge: EdgeId,
    pub from: Point,
    pub to: Point,
    pub guard: Term,
    /// What cells hold afterwards, as terms over what they hold before. Cells not named keep their value.
    pub updates: Vec<(u32, Term)>,
    /// What was computed for locals that the edge forgets in the end.
    pub forgotten: Vec<Term>,
    /// The values that the edge chooses, in order: free symbols of guard and updates.
    pub choices: Vec<Term>,
    /// What must hold when it is taken.
    pub checks: Vec<Check>,
}

/// `guard` implies `holds`, or something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What holds when the operation is reached (of a fault), or when the edge is taken (of an assertion).
    pub guard: Term,
    pub holds: Term,
    pub wrong: Wrong,
    /// How many values the edge has chosen by then.
    pub chosen: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    Assertion { op: usize },
    Fault { op: Option<usize>, fault: Fault },
    Unsupported { what: String, span: Span },
}

#[derive(Clone, Debug)]
pub struct System {
    pub cells: Vec<Cell>,
    /// Of all cells but sets.
    pub init: Term,
    /// By cell: what it holds at first, if that is fixed.
    pub initial: Vec<Option<Term>>,
    /// The values that edges choose from sets, each with the leaf of the set.
    pub chosen: Vec<(Term, Term)>,
    /// What is true of all states because of the sorts and ranges of cells.
    pub domains: Vec<Term>,
    /// By cell: the range that its value, or every element of its set, never leaves.
    pub(crate) ranges: Vec<Option<Range>>,
    /// By thread.
    pub entries: Vec<Point>,
    /// By thread and point: may only this thread move?
    pub inside: Vec<Vec<bool>>,
    pub ends: Vec<Vec<bool>>,
    pub transitions: Vec<Transition>,
    /// By thread and point: the transitions that leave it, by number.
    pub leaving: Vec<Vec<Vec<usize>>>,
    /// By thread and point: if some, these steps alone are taken here, before anything else moves.
    pub first: Vec<Vec<Option<Vec<usize>>>>,
    /// Formulas over cells, `At` and `Ended`: each must hold (`finally`: when all threads have ended).
    pub properties: Vec<(PropertyKind, Term)>,
    pub(crate) numbers: HashMap<Term, u32>,
    /// Asked for in every round, and always the same.
    pub(crate) dead: OnceLock<Vec<Vec<Vec<u32>>>>,
}

impl System {
    pub fn new(program: &Program) -> Result<System, Unsupported> {
        let shape = Shape::new(program).map_err(|error| Unsupported::new(error.to_string()))?;
        if program.processes.iter().any(|process| process.replicas != Replicas::Once) {
            return refused("a process with several copies");
        }
        let mut builder = Builder { program, shape: &shape, cells: vec![] };
        builder.cells()?;
        let mut system = System {
            numbers: (0..).zip(&builder.cells).map(|(number, cell)| (cell.leaf.clone(), number)).collect(),
            init: builder.init()?,
            initial: builder.initial()?,
            chosen: vec![],
            domains: builder.domains()?,
            ranges: builder.lasting()?,
            entries: program.processes.iter().map(|process| process.cfg.entry).collect(),
            inside: marks(program, |info| info.inside.is_some()),
            ends: marks(program, |info| info.end),
            transitions: vec![],
            leaving: marks(program, |_| Vec::new()),
            first: marks(program, |_| None),
            properties: vec![],
            cells: vec![],
            dead: OnceLock::new(),
        };
        for process in program.process_ids() {
            let cfg = &program.process(process).cfg;
            for edge in cfg.edge_ids() {
                let transition = builder.transition(process, edge, cfg.edge(edge))?;
                if transition.guard.is_false() && transition.checks.is_empty() {
                    continue;
                }
                system.note_chosen(&transition);
                let number = system.transitions.len();
                system.leaving[process.0 as usize][transition.from.0 as usize].push(number);
                system.transitions.push(transition);
            }
        }
        for property in &program.properties {
            let formula = builder.state_formula(&property.formula)?;
            let holds = match (property.kind, &program.filter) {
                (PropertyKind::Forbid, _) => formula.negated(),
                // Final states that the filter takes out do not count.
                (PropertyKind::Finally, Some(filter)) => {
                    Term::binary(Binary::Implies, builder.state_formula(filter)?, formula)
                }
                (PropertyKind::Always | PropertyKind::Finally, _) => formula,
            };
            system.properties.push((property.kind, holds.fold()));
        }
        system.cells = builder.cells;
        crate::extent::add(&mut system);
        system.first = crate::ample::first(&system);
        Ok(system)
    }

    /// An empty solver beside another that knows of what sorts the cells are.
    pub fn solver(&self, beside: &Solver) -> Result<Solver, String> {
        let mut solver = beside.another().map_err(|stop| stop.to_string())?;
        for domain in &self.domains {
            solver.assert(domain).map_err(|why| why.to_string())?;
        }
        Ok(solver)
    }

    /// By thread and point: the dead locals of that thread.
    pub(crate) fn dead(&self) -> &[Vec<Vec<u32>>] {
        self.dead.get_or_init(|| crate::live::dead(self))
    }

    /// The cells that a formula speaks of.
    pub fn cells_of(&self, formula: &Term) -> BTreeSet<u32> {
        let mut cells = BTreeSet::new();
        formula.walk(&mut |term| cells.extend(self.numbers.get(term)));
        cells
    }

    /// A formula on the state after a transition, as one on the state before it.
    pub fn before(&self, transition: &Transition, formula: &Term) -> Term {
        let after = |term: Term| {
            let number = self.numbers.get(&term);
            let found = number.and_then(|number| transition.updates.iter().find(|(cell, _)| cell == number));
            found.map_or(term, |(_, value)| value.clone())
        };
        sets::before(formula, &after).fold()
    }

    /// A predicate as a formula over initial states.
    pub(crate) fn initially(&self, predicate: &Term) -> Term {
        let set = |leaf: &Term| (leaf.sort() == Sort::IntSet).then(|| self.starts_as(leaf)).flatten();
        sets::before(predicate, &|leaf| set(&leaf).unwrap_or(leaf)).fold()
    }

    /// What the cell with this leaf holds at first, if that is fixed.
    pub fn starts_as(&self, leaf: &Term) -> Option<Term> {
        self.initial[*self.numbers.get(leaf)? as usize].clone()
    }

    /// What a property says while threads stand at these points. `None`: it is not asked there.
    pub(crate) fn property_at(&self, property: usize, points: &[Point]) -> Option<Term> {
        let (kind, formula) = &self.properties[property];
        let ended = |thread: u32| self.ends[thread as usize][points[thread as usize].0 as usize];
        if *kind == PropertyKind::Finally && !(0..points.len() as u32).all(ended) {
            return None;
        }
        let said = formula.map(&mut |term| match term.kind() {
            Kind::At { process, point, .. } => Term::bool(points[*process as usize].0 == *point),
            Kind::Ended { process, .. } => Term::bool(ended(*process)),
            _ => term,
        });
        Some(said.fold())
    }

    /// The range that the value of a cell, or an element of the set in it, never leaves.
    pub fn range_of(&self, place: &Term) -> Option<Range> {
        let cell = match place.kind() {
            Kind::Element(set) => set,
            _ => place,
        };
        self.ranges[*self.numbers.get(cell)? as usize]
    }

    pub(crate) fn has_sets(&self) -> bool {
        self.cells.iter().any(|cell| cell.leaf.sort() == Sort::IntSet)
    }

    /// Remember what the transition chooses from sets.
    fn note_chosen(&mut self, transition: &Transition) {
        let guards = transition.checks.iter().map(|check| &check.guard).chain([&transition.guard]);
        guards.for_each(|guard| {
            guard.walk(&mut |term| {
                if let Kind::Binary(Binary::Member, value, set) = term.kind() {
                    let pair = (value.clone(), set.clone());
                    if transition.choices.contains(value) && !self.chosen.contains(&pair) {
                        self.chosen.push(pair);
                    }
                }
            })
        });
    }
}

/// Replace cells, not looking into what replaces them.
pub(crate) fn replace_leaves(formula: &Term, replace: &dyn Fn(Term) -> Term) -> Term {
    formula.map(&mut |term| match term.kind() {
        Kind::Content(_) | Kind::LocalOf { .. } => replace(term),
        _ => term,
    })
}

fn marks<T>(program: &Program, mark: impl Fn(&wattle_program::PointInfo) -> T) -> Vec<Vec<T>> {
    program.processes.iter().map(|process| process.cfg.points.iter().map(&mark).collect()).collect()
}

struct Builder<'a> {
    program: &'a Program,
    shape: &'a Shape,
    cells: Vec<Cell>,
}

/// Of what has codes in a range. (Where truth values are limited further, more is taken to be possible.)
fn range(sort: Sort, range: Option<Range>) -> Option<Range> {
    range.filter(|_| matches!(sort, Sort::Int | Sort::Enum(_)))
}

fn is_supported(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::IntSet)
}

fn refused<T>(what: impl Into<String>) -> Result<T, Unsupported> {
    Err(Unsupported::new(what))
}

/// The numbers of symbols that stand for elements of sets, each for those of one.
pub(crate) const ELEMENTS: std::ops::Range<u32> = 1 << 11..1 << 12;

/// Values are looked at one by one, in every state formula and every step.
const MOST_CELLS: usize = 4096;

/// An index that is computed is a case for each element.
const MOST_ELEMENTS: usize = 256;

impl Builder<'_> {
    fn cells(&mut self) -> Result<(), Unsupported> {
        let locals: usize = self.program.processes.iter().map(|process| process.locals.len()).sum();
        if self.shape.locations.len() + locals > MOST_CELLS {
            return refused(format!("more than {MOST_CELLS} locations and locals"));
        }
        for location in &self.shape.locations {
            let variable = &self.program.variables[location.variable as usize];
            if !is_supported(variable.sort) {
                let what = format!("variable {} of sort {}", variable.name, variable.sort);
                return Err(Unsupported { what, span: Some(variable.span) });
            }
            let indices = location.indices.iter().map(|index| Term::int(i64::from(*index))).collect();
            let leaf = Term::content(Term::address(location.variable, indices), variable.sort);
            self.cells.push(Cell { leaf, range: range(variable.sort, variable.range), owner: None });
        }
        for (number, process) in (0..).zip(&self.program.processes) {
            for (local, info) in (0..).zip(&process.locals) {
                if !is_supported(info.sort) {
                    let what = format!("local {} of sort {}", info.name, info.sort);
                    return Err(Unsupported { what, span: Some(process.span) });
                }
                let leaf = Term::local_of(number, Term::int(0), local, info.sort);
                let range = range(info.sort, info.range);
                self.cells.push(Cell { leaf, range, owner: Some(number) });
            }
        }
        Ok(())
    }

    /// The symbol for what an edge chooses from the set in a cell, and for nothing else: facts about elements are facts about it.
    fn element_of(&self, set: &Term) -> Option<Term> {
        let mut sets = self.cells.iter().filter(|cell| cell.leaf.sort() == Sort::IntSet);
        let number = sets.position(|cell| cell.leaf == *set)? as u32;
        let number = ELEMENTS.start + number;
        ELEMENTS.contains(&number).then(|| Term::symbol(Symbol::Bound(number), Sort::Int))
    }

    fn first_local(&self, process: ProcessId) -> u32 {
        let before = self.program.processes[..process.0 as usize].iter();
        self.shape.locations.len() as u32 + before.map(|process| process.locals.len() as u32).sum::<u32>()
    }

    fn initial(&self) -> Result<Vec<Option<Term>>, Unsupported> {
        let fault = |fault: Fault| Unsupported::new(fault.to_string());
        let mut values = self.shape.initial_memory(self.program).map_err(fault)?;
        for thread in self.shape.thread_ids() {
            values.extend(self.shape.initial_locals(self.program, thread).map_err(fault)?);
        }
        let of = |(cell, value): (&Cell, Option<Value>)| Some(Term::value(value?, cell.leaf.sort()));
        Ok(self.cells.iter().zip(values).map(of).collect())
    }

    /// The solver does not know where an enumeration ends. A location starts within its range, if it does, and a store
    /// beyond is never made. So does a local, which becomes zero when it is forgotten: its range counts if zero is in it.
    fn domains(&self) -> Result<Vec<Term>, Unsupported> {
        let domain = |(cell, range): (&Cell, Option<Range>)| self.among(&cell.leaf, range);
        Ok(self.cells.iter().zip(self.lasting()?).filter_map(domain).collect())
    }

    /// By cell: the range that it never leaves.
    fn lasting(&self) -> Result<Vec<Option<Range>>, Unsupported> {
        let lasting = |(cell, initial): (&Cell, Option<Term>)| {
            let starts_inside = |range: &Range| {
                let code = initial.as_ref().and_then(Term::as_value).map(|value| value.code());
                code.is_none_or(|code| code.is_some_and(|code| range.contains(code)))
            };
            cell.range.filter(|range| (cell.owner.is_none() || range.contains(0)) && starts_inside(range))
        };
        Ok(self.cells.iter().zip(self.initial()?).map(lasting).collect())
    }

    fn init(&self) -> Result<Term, Unsupported> {
        let mut all = Vec::new();
        let values = self.cells.iter().zip(self.initial()?);
        for (cell, value) in values.filter(|(cell, _)| cell.leaf.sort() != Sort::IntSet) {
            match value {
                Some(value) => all.push(cell.leaf.clone().equals(value)),
                None => all.extend(self.among(&cell.leaf, cell.range)),
            }
        }
        if let Some(init) = &self.program.init {
            all.push(self.state_formula(init)?);
        }
        Ok(Term::conjunction(all))
    }

    /// One of the values that can be chosen. The solver does not know where an enumeration ends.
    fn among(&self, value: &Term, range: Option<Range>) -> Option<Term> {
        let all = match value.sort() {
            Sort::Enum(number) => self
                .program
                .enumerations
                .get(number as usize)
                .map(|enumeration| Range { low: 0, high: enumeration.constructors.len() as i64 - 1 }),
            _ => None,
        };
        within(value, range.or(all))
    }

    /// A formula over whole states with constant addresses.
    fn state_formula(&self, formula: &Term) -> Result<Term, Unsupported> {
        let formula = formula.fold();
        let mut trouble = None;
        formula.walk(&mut |term| match term.kind() {
            _ if term.sort() == Sort::IntSet => trouble = Some("a property of a set"),
            Kind::Quantified { .. } => trouble = Some("a quantifier"),
            Kind::Content(address) if self.constant_location(address).is_none() => {
                trouble = Some("a property with an index that is not constant");
            }
            Kind::Binary(Binary::Divide | Binary::Remainder, _, divisor)
                if divisor.as_value().and_then(Value::as_int).is_none_or(|value| value == 0) =>
            {
                trouble = Some("a division by what is not a constant");
            }
            _ => {}
        });
        match trouble {
            Some(what) => refused(what),
            None => Ok(formula),
        }
    }

    fn constant_location(&self, address: &Term) -> Option<u32> {
        let Kind::Address { variable, indices } = address.kind() else { return None };
        let indices: Option<Vec<i64>> = indices.iter().map(|index| index.as_value()?.as_int()).collect();
        self.shape.locate(*variable, &indices?).ok()
    }

    fn transition(&self, process: ProcessId, id: EdgeId, edge: &Edge) -> Result<Transition, Unsupported> {
        let first = self.first_local(process);
        let values: Vec<Term> = self.cells.iter().map(|cell| cell.leaf.clone()).collect();
        let mut run = Run {
            builder: self,
            first,
            values,
            guard: vec![],
            checks: vec![],
            forgotten: vec![],
            choices: vec![],
            fresh: 0,
        };
        let located =
            |refused: Unsupported| Unsupported { span: refused.span.or(Some(edge.origin.0)), ..refused };
        let guard = run.term(&edge.guard).map_err(located)?;
        run.guard.push(guard);
        let mut asserts = Vec::new();
        for (op, operation) in edge.ops.iter().enumerate() {
            run.operation(op, operation, &mut asserts).map_err(located)?;
        }
        let guard = Term::conjunction(run.guard).fold();
        let mut checks = run.checks;
        let choices = run.choices;
        let chosen = choices.len();
        checks.extend(asserts.into_iter().map(|(op, holds)| Check {
            guard: guard.clone(),
            holds,
            wrong: Wrong::Assertion { op },
            chosen,
        }));
        checks.retain(|check| !check.holds.is_true() && !check.guard.is_false());
        let changed = |(number, value): (u32, Term)| {
            (value != self.cells[number as usize].leaf).then(|| (number, value.fold()))
        };
        let updates = (0..).zip(run.values).filter_map(changed).collect();
        let (from, to, forgotten) = (edge.from, edge.to, run.forgotten);
        Ok(Transition { thread: process.0, edge: id, from, to, guard, updates, forgotten, choices, checks })
    }
}

/// `low <= value <= high`; values of an enumeration have no order, so each is named.
pub(crate) fn within(value: &Term, range: Option<Range>) -> Option<Term> {
    let range = range?;
    if let sort @ Sort::Enum(_) = value.sort() {
        let values = (range.low..=range.high).filter_map(|code| sort.decode(code));
        let equal = values.map(|code| value.clone().equals(Term::value(code, sort)));
        return Some(equal.reduce(Term::or).unwrap_or_else(|| Term::bool(false)));
    }
    let low = Term::binary(Binary::LessEqual, Term::int(range.low), value.clone());
    let high = Term::binary(Binary::LessEqual, value.clone(), Term::int(range.high));
    Some(low.and(high))
}

/// The operations of one edge, run on symbols.
struct Run<'a> {
    builder: &'a Builder<'a>,
    /// The cell of the thread's first local.
    first: u32,
    /// By cell.
    values: Vec<Term>,
    guard: Vec<Term>,
    checks: Vec<Check>,
    forgotten: Vec<Term>,
    choices: Vec<Term>,
    fresh: u32,
}

impl Run<'_> {
    fn symbol(&mut self, sort: Sort) -> Term {
        self.fresh += 1;
        Term::symbol(Symbol::Bound(self.fresh - 1), sort)
    }

    /// A term of the thread as one over cells.
    fn term(&self, term: &Term) -> Result<Term, Unsupported> {
        let mut trouble = None;
        term.walk(&mut |part| match part.kind() {
            Kind::Binary(Binary::Divide | Binary::Remainder, _, divisor)
                if divisor.as_value().and_then(Value::as_int).is_none_or(|value| value == 0) =>
            {
                trouble = Some("a division by what is not a constant".to_string());
            }
            Kind::Binary(Binary::Equal | Binary::NotEqual, left, _) if left.sort() == Sort::IntSet => {
                trouble = Some("a comparison of sets".into());
            }
            Kind::Symbol(Symbol::Me | Symbol::Copies(_)) => trouble = Some("a term over copies".into()),
            Kind::Number(_) | Kind::Pointer(_) | Kind::Address { .. } => {
                trouble = Some("an address as a value".into());
            }
            _ => {}
        });
        if let Some(what) = trouble {
            return refused(what);
        }
        let local = |symbol: Symbol| match symbol {
            Symbol::Local(local) => Some(self.values[(self.first + local) as usize].clone()),
            _ => None,
        };
        let written = term.substitute(&local).map(&mut |part| match part.kind() {
            Kind::Binary(Binary::Member, element, set) => sets::membership(element, set),
            _ => part,
        });
        Ok(written.fold())
    }

    /// The locations that an address may name, each with its condition. Being outside is a fault.
    fn locations(&mut self, address: &Term, op: usize) -> Result<Vec<(Term, u32)>, Unsupported> {
        let found = self.named(address, &Term::bool(true))?;
        let somewhere = found.iter().map(|(here, _)| here.clone()).reduce(Term::or);
        let holds = somewhere.unwrap_or_else(|| Term::bool(false)).fold();
        if !holds.is_true() {
            self.check(holds, Wrong::Fault { op: Some(op), fault: Fault::OutOfBounds });
        }
        Ok(found)
    }

    /// The same, on a condition.
    fn named(&self, address: &Term, condition: &Term) -> Result<Vec<(Term, u32)>, Unsupported> {
        let (variable, indices) = match address.kind() {
            Kind::Address { variable, indices } => (variable, indices),
            Kind::If(chooses, then, otherwise) => {
                let chooses = self.term(chooses)?;
                let first = self.named(then, &condition.clone().and(chooses.clone()))?;
                let second = self.named(otherwise, &condition.clone().and(chooses.negated()))?;
                return Ok([first, second].concat());
            }
            // The address that has no value.
            Kind::Pointer(number) if *number == Term::int(0) => return Ok(vec![]),
            _ => return refused("an address that is computed"),
        };
        let mut terms = Vec::new();
        for index in indices {
            terms.push(self.term(index)?);
        }
        let all = self.builder.shape.locations_of(*variable);
        if all.len() > MOST_ELEMENTS && !terms.iter().all(|term| term.fold().as_value().is_some()) {
            let name = &self.builder.program.variables[*variable as usize].name;
            return refused(format!(
                "a computed index of {name}, which has more than {MOST_ELEMENTS} elements"
            ));
        }
        let mut found = Vec::new();
        for location in all {
            let place = &self.builder.shape.locations[location as usize];
            let equal = terms.iter().zip(&place.indices);
            let here = Term::conjunction(
                equal.map(|(term, index)| term.clone().equals(Term::int(i64::from(*index)))),
            );
            let here = condition.clone().and(here).fold();
            if !here.is_false() {
                found.push((here, location));
            }
        }
        Ok(found)
    }

    /// Something must hold when this operation is reached.
    fn check(&mut self, holds: Term, wrong: Wrong) {
        let guard = Term::conjunction(self.guard.iter().cloned()).fold();
        // Where the step has no result, it chooses nothing more.
        let chosen = self.choices.len();
        self.checks.push(Check { guard, holds: holds.clone(), wrong, chosen });
        // Nor does anything else follow.
        self.guard.push(holds);
    }

    fn set(&mut self, cell: u32, value: Term) {
        if let Some(inside) = within(&value, self.builder.cells[cell as usize].range) {
            let inside = inside.fold();
            if !inside.is_true() {
                self.guard.push(inside);
            }
        }
        self.values[cell as usize] = value;
    }

    fn operation(
        &mut self,
        number: usize,
        op: &Op,
        asserts: &mut Vec<(usize, Term)>,
    ) -> Result<(), Unsupported> {
        match op {
            Op::Load { into, address, .. } => self.load(number, *into, address)?,
            Op::Store { address, value, .. } => self.store(number, address, value)?,
            Op::Assign { local, value } => {
                let value = self.term(value)?;
                self.set(self.first + local, value);
            }
            Op::Havoc { local, among } => self.choose(*local, among)?,
            Op::Forget { local } => self.forget(*local),
            Op::Assume { condition } => {
                let condition = self.term(condition)?;
                self.guard.push(condition);
            }
            Op::Assert { condition, .. } => {
                let condition = self.term(condition)?;
                asserts.push((number, condition));
            }
            // Nothing is pending here, but an index may be out of bounds.
            Op::Fence(fence) => {
                if let Some(address) = &fence.location {
                    self.locations(address, number)?;
                }
            }
            // What is proved is proved of all executions.
            Op::Cut { what, span } => {
                let wrong = Wrong::Unsupported { what: format!("a bound: {what}"), span: *span };
                self.check(Term::bool(false), wrong);
            }
            Op::Unsupported { what, span } => {
                let wrong = Wrong::Unsupported { what: what.to_string(), span: *span };
                self.check(Term::bool(false), wrong);
            }
            Op::Put { .. } | Op::Get { .. } | Op::RemoteAtomic { .. } | Op::Flush { .. } => {
                return refused("a remote operation");
            }
            Op::LoadExclusive { .. } | Op::StoreConditional { .. } => {
                return refused("an exclusive access");
            }
            Op::Spawn { .. } | Op::Join { .. } => return refused("spawn and join"),
            Op::Together { .. } => return refused("stores that become visible together"),
        }
        Ok(())
    }

    fn load(&mut self, number: usize, into: u32, address: &Term) -> Result<(), Unsupported> {
        let mut cases = self.locations(address, number)?.into_iter().rev();
        let Some((_, last)) = cases.next() else { return Ok(()) };
        let read = |location: u32| self.values[location as usize].clone();
        let value =
            cases.fold(read(last), |value, (here, location)| Term::if_then_else(here, read(location), value));
        self.set(self.first + into, value.fold());
        Ok(())
    }

    fn store(&mut self, number: usize, address: &Term, value: &Term) -> Result<(), Unsupported> {
        let found = self.locations(address, number)?;
        let value = self.term(value)?;
        for (here, location) in found {
            if let Some(inside) = within(&value, self.builder.cells[location as usize].range) {
                let inside = Term::binary(Binary::Implies, here.clone(), inside).fold();
                if !inside.is_true() {
                    self.guard.push(inside);
                }
            }
            let old = self.values[location as usize].clone();
            self.values[location as usize] = Term::if_then_else(here, value.clone(), old).fold();
        }
        Ok(())
    }

    fn choose(&mut self, local: u32, among: &Choice) -> Result<(), Unsupported> {
        let cell = self.first + local;
        let sort = self.builder.cells[cell as usize].leaf.sort();
        let mut symbol = self.symbol(sort);
        match among {
            Choice::Member(set) => {
                let set = self.term(set)?;
                let own = self.builder.element_of(&set).filter(|own| !self.choices.contains(own));
                symbol = own.unwrap_or(symbol);
                self.guard.push(sets::membership(&symbol, &set));
            }
            Choice::Between(low, high) => {
                let low = self.term(low)?;
                let high = self.term(high)?;
                self.guard.push(Term::binary(Binary::LessEqual, low, symbol.clone()));
                self.guard.push(Term::binary(Binary::LessEqual, symbol.clone(), high));
            }
            // (A range is asked for when the local is set.)
            Choice::Any if self.builder.cells[cell as usize].range.is_none() => {
                self.guard.extend(self.builder.among(&symbol, None));
            }
            Choice::Any => {}
        }
        self.choices.push(symbol.clone());
        self.set(cell, symbol);
        Ok(())
    }

    /// A dead local holds anything: zero, as the machines have it, is one of the values.
    fn forget(&mut self, local: u32) {
        let cell = self.first + local;
        let leaf = &self.builder.cells[cell as usize].leaf;
        let symbol = self.symbol(leaf.sort());
        let old = std::mem::replace(&mut self.values[cell as usize], symbol);
        if old != *leaf {
            self.forgotten.push(old);
        }
    }
}

/// Is the initial content of every cell fixed?
pub fn starts_fixed(program: &Program) -> bool {
    let fixed = |init: &Init| matches!(init, Init::Values(_));
    program.variables.iter().all(|variable| fixed(&variable.init))
        && program.processes.iter().flat_map(|process| &process.locals).all(|local| fixed(&local.init))
}
