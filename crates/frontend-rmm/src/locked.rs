//! `locked { ... }`: several instructions as one step.
//!
//! Memorax's rule: the block waits for an empty buffer if it contains a write, and only then; its
//! writes act on memory directly, its reads look into the buffer first. So a block with a write is a
//! locked step, and one that only reads is a buffered step (`mutex_3_us.rmm` tells them apart).
//!
//! Each way through the block is one edge. A block with a loop, a jump, a label or very many ways
//! cannot be written so; then its inner points are marked, and nothing else moves while a thread
//! stands at one. That differs in one respect: a thread that gets stuck inside stops everything,
//! where Memorax would not let it enter. No set of labels outside the block becomes reachable or
//! unreachable by that; a check for deadlocks may see more of them.

use wattle_logic::Term;
use wattle_program::{Mode, Op, Origin, Point};

use super::ast::{Statement, StatementKind};
use super::lower::{Flow, Target};

const MOST_WAYS: usize = 64;

/// One way through a block.
#[derive(Clone, Default)]
struct Way {
    guard: Option<Term>,
    ops: Vec<Op>,
}

impl Way {
    /// Conditions before the first operation are the guard, later ones assumptions.
    fn assume(&mut self, condition: Term) {
        if !self.ops.is_empty() {
            self.ops.push(Op::Assume { condition });
            return;
        }
        self.guard = Some(match self.guard.take() {
            Some(guard) => guard.and(condition),
            None => condition,
        });
    }
}

impl Flow<'_> {
    pub(super) fn locked(
        &mut self,
        statement: &Statement,
        lists: &[Vec<Statement>],
        from: Point,
        to: &Target,
    ) {
        let before = self.mode;
        self.mode = if lists.iter().flatten().any(drains) { Mode::Locked } else { Mode::Buffered };
        self.scopes += 1;
        self.scope = self.scopes;
        let origin = Origin(statement.head);
        match self.ways(lists) {
            Some(ways) => {
                for way in ways {
                    self.edge(from, way.guard.unwrap_or(Term::bool(true)), way.ops, to, origin);
                }
            }
            None => {
                self.inside = Some(self.mode);
                // A loop or label at the very start is inside as well, so the way in is a step.
                let first = self.fresh();
                self.edge(from, Term::bool(true), vec![], &Target::Point(first), origin);
                lists.iter().for_each(|list| self.list(list, first, to));
                self.inside = None;
            }
        }
        self.scope = 0;
        self.mode = before;
    }

    /// All ways through one of the lists, if they can be listed.
    fn ways(&mut self, lists: &[Vec<Statement>]) -> Option<Vec<Way>> {
        let straight = |statement: &Statement| is_straight(statement);
        if !lists.iter().flatten().all(straight) || count(lists) > MOST_WAYS {
            return None;
        }
        Some(self.alternatives(lists, &Way::default()))
    }

    fn alternatives(&mut self, lists: &[Vec<Statement>], start: &Way) -> Vec<Way> {
        lists.iter().flat_map(|list| self.sequence(list, start)).collect()
    }

    fn sequence(&mut self, list: &[Statement], start: &Way) -> Vec<Way> {
        let mut ways = vec![start.clone()];
        for statement in list {
            ways = ways.iter().flat_map(|way| self.extend(statement, way)).collect();
        }
        ways
    }

    fn extend(&mut self, statement: &Statement, way: &Way) -> Vec<Way> {
        match &statement.kind {
            StatementKind::Block(list) => self.sequence(list, way),
            StatementKind::Either(lists) | StatementKind::Locked(lists) => self.alternatives(lists, way),
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let (mut yes, mut no) = (way.clone(), way.clone());
                yes.assume(condition.clone());
                no.assume(condition.negated());
                let mut ways = self.extend(then, &yes);
                match otherwise {
                    Some(otherwise) => ways.extend(self.extend(otherwise, &no)),
                    None => ways.push(no),
                }
                ways
            }
            _ => {
                let (guard, ops) = self.instruction(statement);
                let mut way = way.clone();
                if let Some(guard) = guard {
                    way.assume(guard);
                }
                way.ops.extend(ops);
                vec![way]
            }
        }
    }
}

/// Whether the statement holds something that waits for an empty buffer: a write, a `cas` or a fence.
fn drains(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Write { .. }
        | StatementKind::LockedWrite { .. }
        | StatementKind::Cas { .. }
        | StatementKind::Fence => true,
        StatementKind::If { then, otherwise, .. } => {
            drains(then) || otherwise.as_ref().is_some_and(|otherwise| drains(otherwise))
        }
        StatementKind::While { body, .. } => drains(body),
        StatementKind::Either(lists) | StatementKind::Locked(lists) => lists.iter().flatten().any(drains),
        StatementKind::Block(list) => list.iter().any(drains),
        _ => false,
    }
}

/// No loop, jump or label.
fn is_straight(statement: &Statement) -> bool {
    statement.labels.is_empty()
        && match &statement.kind {
            StatementKind::While { .. } | StatementKind::Goto(..) => false,
            StatementKind::If { then, otherwise, .. } => {
                is_straight(then) && otherwise.as_ref().is_none_or(|otherwise| is_straight(otherwise))
            }
            StatementKind::Either(lists) | StatementKind::Locked(lists) => {
                lists.iter().flatten().all(is_straight)
            }
            StatementKind::Block(list) => list.iter().all(is_straight),
            _ => true,
        }
}

/// How many ways there are.
fn count(lists: &[Vec<Statement>]) -> usize {
    let list_ways = |list: &[Statement]| list.iter().map(ways_of).fold(1usize, usize::saturating_mul);
    lists.iter().map(|list| list_ways(list)).fold(0usize, usize::saturating_add)
}

fn ways_of(statement: &Statement) -> usize {
    match &statement.kind {
        StatementKind::If { then, otherwise, .. } => {
            let otherwise = otherwise.as_ref().map_or(1, |otherwise| ways_of(otherwise));
            ways_of(then).saturating_add(otherwise)
        }
        StatementKind::Either(lists) | StatementKind::Locked(lists) => count(lists),
        StatementKind::Block(list) => list.iter().map(ways_of).fold(1, usize::saturating_mul),
        _ => 1,
    }
}
