//! Counting executions by the final state that they end in.

use wattle_engine::{Outcome, Tally, Unsupported};
use wattle_logic::{Fault, Sort};
use wattle_memory::cat::Role;
use wattle_program::{Name, Program};

use crate::plan::Check;
use crate::search::{Found, Visitor};
use crate::state::Cells;
use crate::survey::Watcher;
use crate::witness::decode;
use wattle_program::symbolic::{Arena, Expr, Table};

/// See the module. Outcomes are vectors of codes until the end.
pub(crate) struct Counter<'c> {
    program: &'c Program,
    checks: &'c [Check],
    observed: Vec<Expr>,
    condition: Option<Expr>,
    filter: Option<Expr>,
    table: Table<Box<[i64]>, usize>,
    tallies: Vec<(Box<[i64]>, Tally)>,
    raised: Vec<bool>,
    pub undefined: bool,
    /// An observed term has no value.
    pub fault: Option<Fault>,
    outcome: Vec<i64>,
    last: usize,
}

impl<'c> Counter<'c> {
    pub(crate) fn new(program: &'c Program, checks: &'c [Check]) -> Counter<'c> {
        Counter {
            program,
            checks,
            observed: vec![],
            condition: None,
            filter: None,
            table: Table::default(),
            tallies: vec![],
            raised: vec![false; checks.len()],
            undefined: false,
            fault: None,
            outcome: vec![],
            last: usize::MAX,
        }
    }

    /// The flags that were raised.
    pub(crate) fn flags(&self) -> impl Iterator<Item = Name> + '_ {
        let raised = self.checks.iter().zip(&self.raised).filter(|(_, raised)| **raised);
        raised.map(|(check, _)| check.name.clone())
    }

    /// The outcomes, with how often each came.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (Outcome, Tally)> + '_ {
        let sorts: Vec<Sort> = self.program.observed.iter().map(wattle_logic::Term::sort).collect();
        self.tallies.iter().map(move |(codes, tally)| {
            let values = codes.iter().zip(&sorts).map(|(code, sort)| decode(*sort, *code));
            (values.collect(), *tally)
        })
    }

    fn count(&mut self, found: &Found<'_>) -> Result<(), Fault> {
        let value = |expr: Expr| found.arena.evaluate(expr, &[], found.cells);
        if let Some(filter) = self.filter
            && value(filter)? == 0
        {
            return Ok(());
        }
        for (number, check) in self.checks.iter().enumerate() {
            match check.role {
                Role::Require => {}
                Role::Flag => self.raised[number] |= (found.marks)(number),
                Role::UndefinedUnless => self.undefined |= !(found.marks)(number),
            }
        }
        self.outcome.clear();
        for expr in &self.observed {
            self.outcome.push(value(*expr)?);
        }
        // Executions of one outcome often follow each other.
        let known = match self.tallies.get(self.last) {
            Some((codes, _)) if **codes == *self.outcome => Some(self.last),
            _ => self.table.get(&*self.outcome).copied(),
        };
        let number = match known {
            Some(number) => number,
            None => {
                let holds = match self.condition {
                    Some(condition) => value(condition)? != 0,
                    None => true,
                };
                let codes: Box<[i64]> = self.outcome.as_slice().into();
                self.table.insert(codes.clone(), self.tallies.len());
                self.tallies.push((codes, Tally { executions: 0, holds }));
                self.tallies.len() - 1
            }
        };
        self.last = number;
        self.tallies[number].1.executions += 1;
        Ok(())
    }
}

impl Visitor for Counter<'_> {
    fn found(&mut self, found: &Found<'_>) -> bool {
        match self.count(found) {
            Ok(()) => true,
            Err(fault) => {
                self.fault = Some(fault);
                false
            }
        }
    }
}

impl Watcher for Counter<'_> {
    fn prepare(&mut self, cells: &Cells<'_>, arena: &mut Arena<'_>) -> Result<(), Unsupported> {
        for term in &self.program.observed {
            self.observed.push(cells.compile(arena, term)?);
        }
        let condition = self.program.condition.as_ref();
        self.condition = condition.map(|condition| cells.compile(arena, &condition.formula)).transpose()?;
        self.filter = self.program.filter.as_ref().map(|filter| cells.compile(arena, filter)).transpose()?;
        Ok(())
    }
}
