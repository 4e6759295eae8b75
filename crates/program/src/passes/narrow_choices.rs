//! Fewer values to choose from, where no others can matter.
//!
//! Programs choose integers freely that they then only hold against constants: which way a driver goes, how large an input
//! is. What counts of such a value is how each comparison comes out, and that is the same for all values between two
//! neighbouring constants. So it is enough to choose from the one below the least constant to the one above the greatest:
//! whatever lies beyond compares like these.
//!
//! Locals that values are copied between belong to one class, with all constants that one of them is compared with or given. A class of which
//! a value is used in any other way (computed with, stored, compared with what is no constant, named in a property) is
//! left alone; so is one that is copied to a local of another sort or with a range. Nothing else changes: an execution of the result is one of the program, and one of the program becomes one of
//! the result with the same steps when each value of the class is moved to the nearest end of the interval.

use std::collections::BTreeSet;

use wattle_logic::{Kind, Sort, Symbol, Term, Value};

use crate::{Choice, Op, Process, Program, Shape, op_terms};

/// A choice among more values than this is left alone: there is no point in trying each.
const MOST_VALUES: i64 = 256;

/// See the module. `None`: there is nothing to do.
pub fn narrow_choices(program: &Program) -> Option<Program> {
    // Systems of any number of processes leave such choices to an engine that has no values.
    if Shape::new(program).is_err() {
        return None;
    }
    let mut result: Option<Program> = None;
    for (number, process) in program.processes.iter().enumerate() {
        let any = |op: &Op| matches!(op, Op::Havoc { among: Choice::Any, .. });
        if !process.cfg.edges.iter().any(|edge| edge.ops.iter().any(any)) {
            continue;
        }
        let mut classes = Classes::of(process);
        for formula in program.state_formulas().chain(&program.predicates) {
            formula.walk(&mut |term| {
                if let Kind::LocalOf { process, local, .. } = term.kind()
                    && *process as usize == number
                {
                    classes.taint(*local);
                }
            });
        }
        for (edge, original) in process.cfg.edges.iter().enumerate() {
            for (position, op) in original.ops.iter().enumerate() {
                let Op::Havoc { local, among: Choice::Any } = op else { continue };
                let Some((low, high)) = classes.interval(process, *local) else { continue };
                let result = result.get_or_insert_with(|| program.clone());
                result.processes[number].cfg.edges[edge].ops[position] =
                    Op::Havoc { local: *local, among: Choice::Between(Term::int(low), Term::int(high)) };
            }
        }
    }
    result
}

#[derive(Clone, Debug, Default)]
struct Class {
    constants: BTreeSet<i64>,
    tainted: bool,
}

/// The locals of a process.
struct Classes {
    parents: Vec<u32>,
    facts: Vec<Class>,
}

impl Classes {
    fn of(process: &Process) -> Classes {
        let count = process.locals.len();
        let mut classes =
            Classes { parents: (0..count as u32).collect(), facts: vec![Class::default(); count] };
        for edge in &process.cfg.edges {
            classes.look(&edge.guard);
            for op in &edge.ops {
                match op {
                    Op::Assign { local, value } => classes.copied(process, value, *local),
                    op => op_terms(op).into_iter().for_each(|term| classes.look(term)),
                }
            }
        }
        classes
    }

    /// The values that are enough for a choice.
    fn interval(&self, process: &Process, local: u32) -> Option<(i64, i64)> {
        let info = &process.locals[local as usize];
        let (least, greatest) = match info.sort {
            Sort::Int => (i64::MIN, i64::MAX),
            Sort::Bits { width, signed: true } => (i64::MIN >> (64 - width), i64::MAX >> (64 - width)),
            Sort::Bits { width, signed: false } if width < 64 => (0, (1 << width) - 1),
            _ => return None,
        };
        let class = &self.facts[self.root(local) as usize];
        if class.tainted || info.range.is_some() {
            return None;
        }
        let low = class.constants.first().map_or(0, |first| first.saturating_sub(1)).max(least);
        let high = class.constants.last().map_or(0, |last| last.saturating_add(1)).min(greatest);
        (high.checked_sub(low)? < MOST_VALUES && low <= high).then_some((low, high))
    }

    /// A term whose value a local is given.
    fn copied(&mut self, process: &Process, value: &Term, to: u32) {
        let [target, source] =
            [Some(to), local(value)].map(|local| local.map(|local| &process.locals[local as usize]));
        match value.kind() {
            // What wraps around, or stops a step because it leaves a range, is more than a copy.
            Kind::Symbol(Symbol::Local(from))
                if target.map(|info| (info.sort, info.range)) != source.map(|info| (info.sort, None)) =>
            {
                self.taint(*from);
            }
            Kind::Symbol(Symbol::Local(from)) => self.join(*from, to),
            Kind::If(condition, then, otherwise) => {
                self.look(condition);
                self.copied(process, then, to);
                self.copied(process, otherwise, to);
            }
            Kind::Value(Value::Int(value)) => self.add(to, *value),
            // What is computed is no choice; how it compares is its own affair.
            _ => self.look(value),
        }
    }

    /// A condition, or a part of one.
    fn look(&mut self, term: &Term) {
        match term.kind() {
            Kind::Symbol(Symbol::Local(local)) => self.taint(*local),
            Kind::Binary(operation, left, right) if operation.is_comparison() => {
                match (local(left), constant(right), constant(left), local(right)) {
                    (Some(local), Some(value), ..) | (_, _, Some(value), Some(local)) => {
                        self.add(local, value);
                    }
                    _ => [left, right].into_iter().for_each(|side| self.look(side)),
                }
            }
            _ => term.children().into_iter().for_each(|child| self.look(child)),
        }
    }

    fn add(&mut self, local: u32, value: i64) {
        let root = self.root(local);
        self.facts[root as usize].constants.insert(value);
    }

    fn taint(&mut self, local: u32) {
        let root = self.root(local);
        self.facts[root as usize].tainted = true;
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            let Class { constants, tainted } = std::mem::take(&mut self.facts[b as usize]);
            self.parents[b as usize] = a;
            let facts = &mut self.facts[a as usize];
            facts.constants.extend(constants);
            facts.tainted |= tainted;
        }
    }

    fn root(&self, mut local: u32) -> u32 {
        while self.parents[local as usize] != local {
            local = self.parents[local as usize];
        }
        local
    }
}

fn local(term: &Term) -> Option<u32> {
    match term.kind() {
        Kind::Symbol(Symbol::Local(local)) => Some(*local),
        _ => None,
    }
}

fn constant(term: &Term) -> Option<i64> {
    match term.as_value() {
        Some(Value::Int(value)) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;
    use wattle_source::Sources;

    /// What the choice of `r` becomes in a process with these steps.
    fn choice(sort: &str, steps: &[&str]) -> String {
        choice_beside(sort, sort, steps)
    }

    /// The same where `s` is of another sort.
    fn choice_beside(sort: &str, other: &str, steps: &[&str]) -> String {
        let mut source = format!(
            "wir 1\nprogram \"t\"\nvocabulary generic\nvariable x : int init 0\nprocess p\n  local r : {sort}\n  \
             local s : {other}\n  entry 0\n  point 0\n"
        );
        (0..steps.len()).for_each(|point| source += &format!("  point {}\n", point + 1));
        source += &format!("  point {} end\n  edge 0 -> 1 do havoc r\n", steps.len() + 1);
        for (number, step) in steps.iter().enumerate() {
            source += &format!("  edge {} -> {} {step}\n", number + 1, number + 2);
        }
        let (sources, file) = Sources::single("t.wir", &source);
        let program = text::parse(&sources, file).unwrap();
        let narrowed = narrow_choices(&program).unwrap_or(program);
        let printed = text::print(&narrowed);
        let line = printed.lines().find(|line| line.contains("havoc")).unwrap();
        line.split("havoc ").nth(1).unwrap().to_owned()
    }

    #[test]
    fn values_that_are_only_compared() {
        assert_eq!(choice("int init 0", &["when r == 3", "when r < 7"]), "r from 2 to 8");
        assert_eq!(choice("int init 0", &["do assign s = r", "when s != -4"]), "r from -5 to -3");
        assert_eq!(choice("i32 init 0:i32", &["when r == 0:i32", "do assert r <= 9:i32"]), "r from -1 to 10");
        assert_eq!(choice("int init 0", &[]), "r from 0 to 0");
        // There is nothing beyond the ends of a machine integer.
        assert_eq!(choice("i8 init 0:i8", &["when r == 127:i8", "when r != 126:i8"]), "r from 125 to 127");
        assert_eq!(choice("u8 init 0:u8", &["when r == 0:u8"]), "r from 0 to 1");
    }

    #[test]
    fn values_that_matter_otherwise() {
        for step in [
            "when r + 1 == 3",
            "do store &x = r",
            "when r == s",
            "when r == 1000 || r == 0",
            "do assign s = r + 1",
        ] {
            assert_eq!(choice("int init 0", &[step]), "r", "{step}");
        }
        assert_eq!(choice("int init 0", &["do assign s = r", "do store &x = s"]), "r");
        let copied_to = |sort: &str| choice_beside("int init 0", sort, &["do assign s = r", "when r == 5"]);
        assert_eq!(copied_to("int range 0..2 init 0"), "r");
        assert_eq!(copied_to("i8 init 0:i8"), "r");
        assert_eq!(copied_to("int init 0"), "r from 4 to 6");
    }
}
