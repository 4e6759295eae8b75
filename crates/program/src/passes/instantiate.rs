//! One process for each thread.
//!
//! A replicated process says what each of its copies does in terms of `me`. Here every copy becomes a
//! process of its own, so that a thread can be changed without changing the others: the reduction to
//! sequential consistency gives each thread buffers for the locations that *it* stores to, and which these
//! are depends on `me`. What is left has neither `me` nor numbers of copies nor quantifiers, and terms are
//! folded, so that `flag[me]` is the constant address `flag[0]`. A local that nobody sets and that starts
//! with a constant is that constant (`other`, in many a mutual exclusion algorithm).
//!
//! Threads, points, edges, operations, locals and memory locations keep their numbers, and so do the
//! choices of initial values: a schedule of one program is a schedule of the other. Thread number `n` of
//! the old program is process number `n` of the new one.
//!
//! Joint steps ([`joint_step`]) are refused: quantifiers inside a step stay as they are.
//!
//! A flush, spawn or join whose copy is computed has no process to name, so it becomes *unsupported*. Terms
//! are folded, which changes dependencies as written; models that order by them take the old program.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Quantifier, Sort, Symbol, Term, Value};

use super::{liveness, observed_locals};
use crate::validate::op_terms;
use crate::{Dimension, Init, Local, Name, Op, Place, Process, ProcessId, Program, Replicas, Shape};
use crate::{ThreadId, Unsupported, Variable, joint_step};

/// See the module.
pub fn instantiate(program: &Program) -> Result<Program, Unsupported> {
    if let Some(unsupported) = joint_step(program) {
        return Err(unsupported);
    }
    let shape = Shape::new(program).map_err(|why| Unsupported::new(why.to_string()))?;
    let variables = first_parts(program, &shape);
    let mut renaming = Renaming { program, shape: &shape, variables, constants: vec![] };
    renaming.constants = shape.thread_ids().map(|thread| renaming.constants(thread)).collect();
    let mut result = program.clone();
    result.variables =
        (0..program.variables.len() as u32).flat_map(|variable| renaming.variable(variable)).collect();
    result.processes = shape.thread_ids().map(|thread| renaming.process(thread)).collect();
    result.rewrite_formulas(&mut |term| renaming.formula(term));
    Ok(result)
}

/// The number of the first part of each variable: a variable of which every copy of a process owns a part
/// becomes one variable for each copy.
fn first_parts(program: &Program, shape: &Shape) -> Vec<u32> {
    let parts = |variable: &Variable| owners(variable).map_or(1, |process| shape.copies_of(process));
    let mut next = 0;
    (program.variables.iter())
        .map(|variable| {
            let first = next;
            next += parts(variable);
            first
        })
        .collect()
}

/// The process whose copies each own a part of the variable.
fn owners(variable: &Variable) -> Option<ProcessId> {
    variable.owner.filter(|process| variable.dimensions.first() == Some(&Dimension::Copies(*process)))
}

struct Renaming<'a> {
    program: &'a Program,
    shape: &'a Shape,
    variables: Vec<u32>,
    /// By thread and local.
    constants: Vec<Vec<Option<Term>>>,
}

impl Renaming<'_> {
    fn variable(&self, number: u32) -> Vec<Variable> {
        let variable = &self.program.variables[number as usize];
        let extents = self.shape.extents(number);
        let fixed = |extents: &[u32]| extents.iter().map(|length| Dimension::Fixed(*length)).collect();
        match owners(variable) {
            None => {
                let owner = variable.owner.filter(|process| self.shape.copies_of(*process) > 0);
                let owner = owner.map(|process| ProcessId(self.shape.thread(process, 0).0));
                let init = self.initial_contents(number, self.shape.locations_of(number));
                let place = variable.place.clone().map(|place| self.place(place));
                vec![Variable { dimensions: fixed(extents), init, owner, place, ..variable.clone() }]
            }
            Some(process) => {
                let all = self.shape.locations_of(number);
                let each: u32 = extents[1..].iter().product();
                (0..self.shape.copies_of(process))
                    .map(|copy| {
                        let start = all.start + copy * each;
                        let init = self.initial_contents(number, start..start + each);
                        let owner = Some(ProcessId(self.shape.thread(process, copy).0));
                        let place = variable.place.clone().map(|mut place| {
                            place.offset += copy * place.strides.remove(0);
                            self.place(place)
                        });
                        let dimensions = fixed(&extents[1..]);
                        Variable { dimensions, init, owner, place, ..variable.clone() }
                    })
                    .collect()
            }
        }
    }

    /// The same place, by the new number of its object.
    fn place(&self, place: Place) -> Place {
        Place { object: self.variables[place.object as usize], ..place }
    }

    /// The initial values of some elements of a variable, where `me` is the copy that owns the element, or
    /// its first index.
    fn initial_contents(&self, variable: u32, locations: std::ops::Range<u32>) -> Init {
        let first = self.shape.locations_of(variable).start;
        let Init::Values(values) = &self.program.variables[variable as usize].init else {
            return Init::Any;
        };
        let of = |location: u32| {
            let term = values.get((location - first) as usize).or(values.first())?;
            let info = &self.shape.locations[location as usize];
            let owner = info.owner.map(|owner| self.shape.info(owner).copy);
            let me = owner.or(info.indices.first().copied()).unwrap_or(0);
            Some(self.in_thread(term, me, &[]))
        };
        let mut values: Vec<Term> = locations.filter_map(of).collect();
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            values.truncate(1);
        }
        Init::Values(values)
    }

    fn process(&self, thread: ThreadId) -> Process {
        let info = self.shape.info(thread);
        let process = self.program.process(info.process);
        let locals = self.locals(thread);
        let constants = &self.constants[thread.0 as usize];
        let mut cfg = process.cfg.clone();
        for edge in &mut cfg.edges {
            edge.guard = self.in_thread(&edge.guard, info.copy, constants);
            for op in &mut edge.ops {
                *op = op.map_terms(&mut |term| self.in_thread(term, info.copy, constants));
                self.rename_target(op, edge.origin.0);
            }
        }
        let name = Name::from(self.shape.thread_name(self.program, thread));
        Process { name, replicas: Replicas::Once, locals, cfg, span: process.span }
    }

    /// The value of each local that has the same value whenever it is read: it starts with a constant, and
    /// is at most forgotten where nobody reads it any more.
    fn constants(&self, thread: ThreadId) -> Vec<Option<Term>> {
        let number = self.shape.info(thread).process;
        let process = self.program.process(number);
        let observed = observed_locals(self.program, number);
        let live = liveness(process, &observed, |_| true);
        let mut changes: BTreeSet<u32> = BTreeSet::new();
        for edge in &process.cfg.edges {
            for (position, op) in edge.ops.iter().enumerate() {
                let Some(local) = op.sets() else { continue };
                let read_later = edge.ops[position..]
                    .iter()
                    .any(|op| op_terms(op).into_iter().any(|term| term.locals().contains(&local)));
                let forgotten = matches!(op, Op::Forget { .. })
                    && !read_later
                    && !live[edge.to.0 as usize].contains(&local);
                if !forgotten {
                    changes.insert(local);
                }
            }
        }
        let constant = |(number, local): (usize, &Local)| match &local.init {
            Init::Values(values) if !changes.contains(&(number as u32)) => match values.first() {
                None => Some(Term::value(local.sort.zero(), local.sort)),
                Some(term) => match term.as_value() {
                    Some(Value::Int(value)) => {
                        Some(Term::value(Value::Int(local.sort.wrap(*value)), local.sort))
                    }
                    Some(value) => Some(Term::value(value.clone(), local.sort)),
                    None => None,
                },
            },
            _ => None,
        };
        self.locals(thread).iter().enumerate().map(constant).collect()
    }

    fn locals(&self, thread: ThreadId) -> Vec<Local> {
        let info = self.shape.info(thread);
        let mut locals = self.program.process(info.process).locals.clone();
        for local in &mut locals {
            if let Init::Values(values) = &mut local.init {
                values.iter_mut().for_each(|term| *term = self.in_thread(term, info.copy, &[]));
            }
        }
        locals
    }

    /// A term of copy `me` of a process.
    fn in_thread(&self, term: &Term, me: u32, constants: &[Option<Term>]) -> Term {
        let replaced = term.substitute(&|symbol| match symbol {
            Symbol::Me => Some(Term::int(i64::from(me))),
            Symbol::Copies(process) => Some(self.copies(process)),
            Symbol::Local(local) => constants.get(local as usize).cloned().flatten(),
            Symbol::Bound(_) => None,
        });
        self.renumber(&replaced)
    }

    /// A formula over whole states.
    fn formula(&self, term: &Term) -> Term {
        let without_quantifiers = term.map(&mut |term| match term.kind() {
            Kind::Quantified { quantifier, bound, process, body } => {
                self.all_copies(*quantifier, *bound, *process, body)
            }
            Kind::Symbol(Symbol::Copies(process)) => self.copies(*process),
            _ => term,
        });
        self.renumber(&without_quantifiers)
    }

    fn copies(&self, process: u32) -> Term {
        Term::int(i64::from(self.shape.copies_of(ProcessId(process))))
    }

    /// A conjunction or disjunction. Where an instance may have no value, later ones are only asked if the
    /// earlier ones leave it open, as in a quantified formula.
    fn all_copies(&self, quantifier: Quantifier, bound: u32, process: u32, body: &Term) -> Term {
        let exists = quantifier == Quantifier::Exists;
        let instance = |copy: u32| {
            let copy = Term::int(i64::from(copy));
            body.substitute(&|symbol| (symbol == Symbol::Bound(bound)).then(|| copy.clone())).simplify()
        };
        let instances: Vec<Term> =
            (0..self.shape.copies_of(ProcessId(process))).rev().map(instance).collect();
        let total = instances.iter().all(|instance| self.is_total(instance));
        let join = |later: Term, earlier: Term| match (exists, total) {
            (true, true) => earlier.or(later),
            (false, true) => earlier.and(later),
            (true, false) => Term::if_then_else(earlier, Term::bool(true), later),
            (false, false) => Term::if_then_else(earlier, later, Term::bool(false)),
        };
        instances.into_iter().reduce(join).unwrap_or_else(|| Term::bool(!exists))
    }

    /// New numbers for processes and variables.
    fn renumber(&self, term: &Term) -> Term {
        let renumbered = term.simplify().map(&mut |term| match term.kind() {
            Kind::At { process, copy, point } => {
                self.pick(*process, copy, term.sort(), &|thread, copy| Term::at(thread, copy, *point))
            }
            Kind::Ended { process, copy } => self.pick(*process, copy, term.sort(), &Term::ended),
            Kind::LocalOf { process, copy, local } => {
                let sort = term.sort();
                self.pick(*process, copy, sort, &|thread, copy| {
                    let constant = self.constants[thread as usize].get(*local as usize).cloned().flatten();
                    constant
                        .filter(|_| copy == Term::int(0))
                        .unwrap_or_else(|| Term::local_of(thread, copy, *local, sort))
                })
            }
            Kind::Address { variable, indices } => self.address(*variable, indices),
            _ => term,
        });
        renumbered.simplify()
    }

    /// What is said of copy `copy` of a process, said of the thread that it is.
    fn pick(&self, process: u32, copy: &Term, sort: Sort, say: &dyn Fn(u32, Term) -> Term) -> Term {
        let process = ProcessId(process);
        let copies = self.shape.copies_of(process);
        if copies == 0 {
            return Term::content(nowhere(), sort);
        }
        let first = self.shape.thread(process, 0).0;
        let of = |copy: u32| say(first + copy, Term::int(0));
        match copy.as_value() {
            Some(Value::Int(copy)) if (0..i64::from(copies)).contains(copy) => of(*copy as u32),
            // The only copy has number 0; all others are out of bounds, as before.
            _ => (0..copies).rev().fold(say(first, copy.clone()), |otherwise, number| {
                let this = copy.clone().equals(Term::int(i64::from(number)));
                Term::if_then_else(this, of(number), otherwise)
            }),
        }
    }

    fn address(&self, variable: u32, indices: &[Term]) -> Term {
        let first = self.variables[variable as usize];
        let Some(process) = owners(&self.program.variables[variable as usize]) else {
            return Term::address(first, indices.to_vec());
        };
        let copies = self.shape.copies_of(process);
        let Some((owner, rest)) = indices.split_first() else { return nowhere() };
        let part = |copy: u32| Term::address(first + copy, rest.to_vec());
        match owner.as_value() {
            Some(Value::Int(copy)) if (0..i64::from(copies)).contains(copy) => part(*copy as u32),
            _ => (0..copies).rev().fold(nowhere(), |otherwise, copy| {
                let this = owner.clone().equals(Term::int(i64::from(copy)));
                Term::if_then_else(this, part(copy), otherwise)
            }),
        }
    }

    /// An operation that names a copy names its thread.
    fn rename_target(&self, op: &mut Op, span: wattle_source::Span) {
        let (Op::Flush { process, copy } | Op::Spawn { process, copy } | Op::Join { process, copy }) = op
        else {
            return;
        };
        let copies = self.shape.copies_of(*process);
        match copy.as_value() {
            Some(Value::Int(number)) if (0..i64::from(copies)).contains(number) => {
                *process = ProcessId(self.shape.thread(*process, *number as u32).0);
                *copy = Term::int(0);
            }
            _ if copies == 1 => *process = ProcessId(self.shape.thread(*process, 0).0),
            _ => *op = Op::Unsupported { what: "the number of a copy that is computed".into(), span },
        }
    }

    /// Does a formula surely have a value? (That an integer leaves 64 bits is a limit of wattle and does
    /// not count.)
    fn is_total(&self, formula: &Term) -> bool {
        let mut total = true;
        let exists = |process: u32, copy: &Term| {
            let copies = i64::from(self.shape.copies_of(ProcessId(process)));
            matches!(copy.as_value(), Some(Value::Int(copy)) if (0..copies).contains(copy))
        };
        formula.walk(&mut |node| {
            total &= match node.kind() {
                Kind::Binary(operator, ..) => {
                    !matches!(operator, Binary::Divide | Binary::Remainder | Binary::Offset)
                }
                Kind::Address { .. } => self.shape.fixed_location(node, 0).is_some(),
                Kind::At { process, copy, .. }
                | Kind::Ended { process, copy }
                | Kind::LocalOf { process, copy, .. } => exists(*process, copy),
                Kind::Pointer(_) => false,
                _ => true,
            }
        });
        total
    }
}

/// An address that has no value.
fn nowhere() -> Term {
    Term::pointer(Term::int(0))
}
