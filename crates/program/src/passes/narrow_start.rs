//! Fewer first values, where they cannot matter.
//!
//! A parameterised system leaves integers open at the start that it only ever compares: results that a
//! transition has still to write, values of abstract types. There are too many integers to begin with each of them. But
//! if a program only copies such values and asks whether they are equal, then renaming them renames its runs: what counts is
//! which of the constants of the text a first value is, and otherwise which other first values it equals. So it is
//! enough to begin with the constants, and beside them one further value; or, where two values that are open at the
//! start may be compared with each other, one for each location that is open.
//!
//! Variables and locals that values are copied between, or that are compared, belong to one class. A class in which
//! something is computed, ordered, chosen at random or used as an index is left alone. Variables of the
//! others get the range from the least constant to the last of the further values; nothing else is ever stored in them, so
//! that the range stops no step.

use std::collections::BTreeSet;

use wattle_logic::{Binary, Kind, Sort, Symbol, Term, Value};

use crate::{Init, Op, Program, Range, Shape, joint_step, op_terms};

/// See the module. `None`: there is nothing to do, or the number of copies is open.
pub fn narrow_start(program: &Program) -> Option<Program> {
    joint_step(program)?;
    let shape = Shape::new(program).ok()?;
    let open = |number: &usize| {
        let variable = &program.variables[*number];
        variable.sort == Sort::Int && variable.range.is_none() && variable.init == Init::Any
    };
    let open: Vec<usize> = (0..program.variables.len()).filter(open).collect();
    if open.is_empty() {
        return None;
    }
    let mut classes = Classes::of(program);
    let mut result = program.clone();
    let mut changed = false;
    for number in &open {
        let class = classes.find(*number);
        let Class { constants, tainted, mixed } = &classes.facts[class];
        if *tainted {
            continue;
        }
        let mates: Vec<usize> = open.iter().copied().filter(|other| classes.peek(*other) == class).collect();
        let cells: u32 = mates.iter().map(|mate| shape.locations_of(*mate as u32).len() as u32).sum();
        let further = if *mixed { i64::from(cells) } else { 1 };
        let low = constants.first().copied().unwrap_or(0);
        let last = constants.last().copied().unwrap_or(-1);
        let Some(high) = last.checked_add(further) else { continue };
        result.variables[*number].range = Some(Range { low, high });
        changed = true;
    }
    changed.then_some(result)
}

/// What is known of a class of cells.
#[derive(Clone, Debug, Default)]
struct Class {
    constants: BTreeSet<i64>,
    /// Something else than copying and comparing is done with its values.
    tainted: bool,
    /// Are two cells of it compared with each other?
    mixed: bool,
}

/// Variables by their numbers, then the locals of each process.
struct Classes {
    parents: Vec<usize>,
    facts: Vec<Class>,
    first_local: Vec<usize>,
}

impl Classes {
    fn of(program: &Program) -> Classes {
        let mut first_local = Vec::new();
        let mut next = program.variables.len();
        for process in &program.processes {
            first_local.push(next);
            next += process.locals.len();
        }
        let mut classes =
            Classes { parents: (0..next).collect(), facts: vec![Class::default(); next], first_local };
        for (number, variable) in program.variables.iter().enumerate() {
            classes.start(number, &variable.init);
        }
        for (number, process) in program.processes.iter().enumerate() {
            for (local, info) in process.locals.iter().enumerate() {
                let cell = classes.first_local[number] + local;
                classes.start(cell, &info.init);
                // A local that is set to zero when it is forgotten holds 0.
                classes.add(cell, 0);
                if info.sort != Sort::Int {
                    classes.taint(cell);
                }
            }
            for edge in &process.cfg.edges {
                classes.look(number, &edge.guard);
                for op in &edge.ops {
                    classes.follow(number, op);
                }
            }
        }
        for formula in program.state_formulas().chain(&program.predicates) {
            classes.look(0, formula);
        }
        classes
    }

    fn start(&mut self, cell: usize, init: &Init) {
        let Init::Values(values) = init else { return };
        for value in values {
            match value.as_value() {
                Some(Value::Int(value)) => self.add(cell, *value),
                Some(_) => {}
                None => self.taint(cell),
            }
        }
        if values.is_empty() {
            self.add(cell, 0);
        }
    }

    fn follow(&mut self, process: usize, op: &Op) {
        match op {
            Op::Store { address, value, .. } => self.flow(process, address, value),
            Op::Together { stores } => {
                for store in stores {
                    self.look(process, &store.when);
                    self.flow(process, &store.address, &store.value);
                }
            }
            Op::Load { into, address, .. } => match cell_of(address) {
                Some(variable) => {
                    self.join(variable, self.first_local[process] + *into as usize);
                }
                None => self.taint(self.first_local[process] + *into as usize),
            },
            Op::Assign { local, value } if value.sort() == Sort::Int => {
                let cell = self.first_local[process] + *local as usize;
                self.copied(process, value, cell);
            }
            op => {
                // What is chosen at random may be new again and again.
                if let (Some(local), false) = (op.sets(), matches!(op, Op::Forget { .. })) {
                    self.taint(self.first_local[process] + local as usize);
                }
                op_terms(op).into_iter().for_each(|term| self.look(process, term));
            }
        }
    }

    /// A value is stored at an address.
    fn flow(&mut self, process: usize, address: &Term, value: &Term) {
        if let Kind::Address { indices, .. } = address.kind() {
            indices.iter().for_each(|index| self.look(process, index));
        }
        match cell_of(address) {
            Some(variable) if value.sort() == Sort::Int => self.copied(process, value, variable),
            Some(_) => self.look(process, value),
            None => {
                self.look(process, value);
                (0..self.parents.len()).for_each(|cell| self.taint(cell));
            }
        }
    }

    /// A term whose value is copied to a cell.
    fn copied(&mut self, process: usize, value: &Term, to: usize) {
        match value.kind() {
            Kind::If(condition, then, otherwise) => {
                self.look(process, condition);
                self.copied(process, then, to);
                self.copied(process, otherwise, to);
            }
            Kind::Value(Value::Int(value)) => self.add(to, *value),
            _ => match self.leaf(process, value) {
                Some(cell) => {
                    self.indices(process, value);
                    self.join(cell, to);
                }
                None => {
                    self.look(process, value);
                    self.taint(to);
                }
            },
        }
    }

    /// A formula, or a part of one.
    fn look(&mut self, process: usize, term: &Term) {
        match term.kind() {
            Kind::Binary(Binary::Equal | Binary::NotEqual, left, right) if left.sort() == Sort::Int => {
                match (self.leaf(process, left), self.leaf(process, right)) {
                    (Some(a), Some(b)) => {
                        self.join(a, b);
                        let class = self.find(a);
                        self.facts[class].mixed = true;
                    }
                    (Some(cell), None) => self.against(process, cell, right),
                    (None, Some(cell)) => self.against(process, cell, left),
                    (None, None) => [left, right].into_iter().for_each(|side| self.look(process, side)),
                }
                self.indices(process, left);
                self.indices(process, right);
            }
            // Wherever else the value of a cell is used, it is used for more than comparing.
            _ => {
                if term.sort() == Sort::Int
                    && let Some(cell) = self.leaf(process, term)
                {
                    self.taint(cell);
                }
                term.children().into_iter().for_each(|child| self.look(process, child));
            }
        }
    }

    /// A cell is compared with something that is no cell.
    fn against(&mut self, process: usize, cell: usize, other: &Term) {
        match other.as_value() {
            Some(Value::Int(value)) => self.add(cell, *value),
            _ => {
                self.taint(cell);
                self.look(process, other);
            }
        }
    }

    /// The indices of a leaf are terms of their own.
    fn indices(&mut self, process: usize, leaf: &Term) {
        if let Kind::Content(address) | Kind::Seen { address, .. } = leaf.kind()
            && let Kind::Address { indices, .. } = address.kind()
        {
            indices.iter().for_each(|index| self.look(process, index));
        }
    }

    fn leaf(&self, process: usize, term: &Term) -> Option<usize> {
        match term.kind() {
            Kind::Content(address) | Kind::Seen { address, .. } => cell_of(address),
            Kind::Symbol(Symbol::Local(local)) => Some(self.first_local.get(process)? + *local as usize),
            Kind::LocalOf { process, local, .. } => {
                Some(self.first_local.get(*process as usize)? + *local as usize)
            }
            _ => None,
        }
    }

    fn add(&mut self, cell: usize, constant: i64) {
        let class = self.find(cell);
        self.facts[class].constants.insert(constant);
    }

    fn taint(&mut self, cell: usize) {
        let class = self.find(cell);
        self.facts[class].tainted = true;
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let Class { constants, tainted, mixed } = std::mem::take(&mut self.facts[b]);
        self.parents[b] = a;
        let facts = &mut self.facts[a];
        facts.constants.extend(constants);
        facts.tainted |= tainted;
        facts.mixed |= mixed;
    }

    fn find(&mut self, cell: usize) -> usize {
        let root = self.peek(cell);
        self.parents[cell] = root;
        root
    }

    fn peek(&self, mut cell: usize) -> usize {
        while self.parents[cell] != cell {
            cell = self.parents[cell];
        }
        cell
    }
}

/// The variable that an address lies in.
fn cell_of(address: &Term) -> Option<usize> {
    match address.kind() {
        Kind::Address { variable, .. } => Some(*variable as usize),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;
    use wattle_source::Sources;

    /// `R` is open; the edge, and a formula over states, do something with it.
    fn range(edge: &str, forbid: &str) -> Option<Range> {
        let source = format!(
            "wir 1\nvariable R[copies proc] : int init any unbuffered\nvariable S[copies proc] : int init any unbuffered\n\
             variable X : int init 5\nprocess proc copies 2\n  local r : int init 0\n  entry 0\n  point 0\n  edge 0 -> 0 do {edge}\n\
             forbid {forbid}\n"
        );
        let (sources, file) = Sources::single("a", &source);
        let program = text::parse(&sources, file).unwrap();
        crate::validate(&program).unwrap();
        narrow_start(&program).and_then(|program| program.variables[0].range)
    }

    #[test]
    fn values_that_are_only_compared_need_not_all_be_tried() {
        let of = |low, high| Some(Range { low, high });
        assert_eq!(range("together { &R[me] = 7 }", "mem(&R[0]) == 2"), of(2, 8));
        assert_eq!(range("together { &R[me] = seen(proc[me], &X) }", "mem(&R[0]) == 7"), of(5, 8));
        // Two that may be open are compared: as many values as there are cells.
        assert_eq!(range("assume true", "mem(&R[0]) == mem(&R[1])"), of(0, 1));
        assert_eq!(
            range("together { &S[me] = mem(&R[me]) }", "mem(&R[0]) != mem(&S[1]) && mem(&R[0]) == 4"),
            of(4, 8)
        );
    }

    #[test]
    fn values_that_are_computed_with_stay_open() {
        for (edge, forbid) in [
            ("together { &R[me] = mem(&R[me]) + 1 }", "mem(&R[0]) == 2"),
            ("assume mem(&R[me]) < 3", "mem(&R[0]) == 2"),
            ("havoc r; together { &R[me] = r }", "mem(&R[0]) == 2"),
            ("together { &X = seen(proc[me], &X) + mem(&R[me]) }", "mem(&R[0]) == 2"),
            ("together { &S[me] = mem(&R[me]) }", "mem(&S[0]) > 2"),
            ("assume true", "mem(&S[mem(&R[0])]) == 2"),
            ("assume (if true then mem(&R[me]) else 1) == 1", "mem(&R[0]) == 2"),
        ] {
            assert_eq!(range(edge, forbid), None, "{edge}; {forbid}");
        }
    }
}
