//! What one answer leaves for the next task.
//!
//! A search for fences asks about programs that differ in a few fences, and a proof of one is nearly a proof of
//! the next; under sequential consistency, where fences do nothing, it is the same. So an answer carries the
//! predicates that its engine ended with, and a task may carry those of an earlier answer.
//!
//! They are state formulas over the instantiated program, without buffers: contents of locations and locals of
//! threads, by their numbers, which neither the insertion of fences nor any pass changes. Nothing rests on
//! them: a proof that began with them stands by itself, and an engine drops what makes no sense in its task.

use wattle_logic::Term;

/// Predicates to begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// These proved the program under sequential consistency, and none of them could be left out.
    pub lean: Vec<Term>,
    /// What else seemed to matter.
    pub more: Vec<Term>,
}

impl Hints {
    pub fn is_empty(&self) -> bool {
        self.lean.is_empty() && self.more.is_empty()
    }

    /// Take over what a later answer says. A lean proof replaces an older one, which stays among the rest.
    pub fn learn(&mut self, later: Hints) {
        if !later.lean.is_empty() {
            let older = std::mem::replace(&mut self.lean, later.lean);
            self.add(older);
        }
        self.add(later.more);
    }

    /// Each once, in order, up to a limit: old ones first, because these helped already.
    pub fn add(&mut self, more: impl IntoIterator<Item = Term>) {
        for term in more {
            if self.more.len() < MOST && !self.lean.contains(&term) && !self.more.contains(&term) {
                self.more.push(term);
            }
        }
        let lean = &self.lean;
        self.more.retain(|term| !lean.contains(term));
    }
}

/// Hints that are many are no help.
const MOST: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_logic::Sort;

    fn predicate(number: u32) -> Term {
        Term::local_of(0, Term::int(0), number, Sort::Int).equals(Term::int(0))
    }

    #[test]
    fn a_lean_proof_replaces_an_older_one_and_nothing_comes_twice() {
        let mut hints = Hints { lean: vec![predicate(0), predicate(1)], more: vec![predicate(2)] };
        hints.learn(Hints { lean: vec![predicate(1), predicate(2)], more: vec![predicate(3)] });
        assert_eq!(hints.lean, [predicate(1), predicate(2)]);
        assert_eq!(hints.more, [predicate(0), predicate(3)]);
        hints.learn(Hints { lean: vec![], more: vec![predicate(3), predicate(4)] });
        assert_eq!(hints.lean, [predicate(1), predicate(2)], "an answer without a proof takes none away");
        assert_eq!(hints.more, [predicate(0), predicate(3), predicate(4)]);
        hints.learn(Hints { lean: vec![], more: (0..1000).map(predicate).collect() });
        assert_eq!(hints.more.len(), MOST);
    }
}
