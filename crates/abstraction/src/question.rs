//! What a boolean program must know about its program.
//!
//! Each entry of a transformer answers a question of one form: *do these literals, together with what is
//! known anyway (`given`: the guard of the edge), imply this formula?* An edge is blocked if they imply the
//! negation of its guard; a predicate becomes true if they imply its weakest precondition, false if they
//! imply that of its negation, and neither (`*`) otherwise; an assertion holds if they imply it. So the
//! search for cubes, the checker and the certificate all speak of [`Goal`]s.
//!
//! Two differences from Dan, Meshman, Vechev and Yahav (2013), both only more precise: an update knows
//! the guard of its own edge (an edge here is a guard and an assignment; theirs are apart), and a
//! predicate that the guard speaks of may become known by it although nothing is assigned to it.

use std::collections::{BTreeSet, HashMap};

use wattle_logic::{Binary, Kind, Symbol, Term};
use wattle_program::{Point, PropertyKind};

use crate::cube::Set;
use crate::fold::Fold;
use crate::system::{System, Transition};
use crate::vocabulary::Vocabulary;

/// `given` and some literals imply `target`?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub given: Term,
    pub target: Term,
    /// The predicates that can matter.
    pub cone: Set,
}

/// Which questions are asked, and which predicates may answer them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Ask too what a guard tells of predicates that its edge does not set.
    pub tells: bool,
    pub reach: Reach,
}

/// Which predicates may answer a question. The fewer there are, the more states one answer serves, and
/// most proofs need no chains of reasoning through cells that the question does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Those that speak of cells of the question only.
    Inside,
    /// Those that share a cell with it.
    Touching,
    /// The whole cone of influence.
    Whole,
}

impl Reach {
    pub fn wider(self) -> Option<Reach> {
        match self {
            Reach::Inside => Some(Reach::Touching),
            Reach::Touching => Some(Reach::Whole),
            Reach::Whole => None,
        }
    }
}

/// What is asked of one transition. Goals by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The guard does not hold.
    pub blocked: usize,
    /// What it sets.
    pub sets: Vec<Update>,
    /// What it does not set, but what its guard may tell.
    pub tells: Vec<Update>,
    /// Its checks hold, in their order.
    pub checks: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    pub predicate: usize,
    /// It holds afterwards, it does not. `None`: nobody can know (it speaks of a forgotten local).
    pub goals: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub struct Questions {
    scope: Scope,
    pub goals: Vec<Goal>,
    pub of: Vec<Asked>,
    /// By predicate: the literals that have to do with it contradict each other.
    pub contradictions: Vec<usize>,
    /// Every initial state satisfies the predicate; its negation.
    pub initial: Vec<(usize, usize)>,
    /// Where the first predicate holds, nobody asks about the others: the checker drops them.
    pub irrelevant: Vec<(usize, Set)>,
    /// Does the checker drop what is said of dead locals? They may be all that links what is live.
    pub forgets: bool,
    /// By property, and by the truth of the points that it names.
    properties: HashMap<(usize, Vec<bool>), usize>,
    /// By property: the points that it names.
    places: Vec<Vec<Term>>,
}

impl Questions {
    pub fn new(system: &System, vocabulary: &Vocabulary, scope: Scope) -> Questions {
        let mut questions = Questions {
            scope,
            goals: vec![],
            of: vec![],
            contradictions: vec![],
            initial: vec![],
            irrelevant: vec![],
            forgets: false,
            properties: HashMap::new(),
            places: system.properties.iter().map(|(_, formula)| places(formula)).collect(),
        };
        let truth = Term::bool(true);
        for predicate in vocabulary.predicates() {
            let cone = scope.cone(vocabulary, &system.cells_of(predicate));
            let goal = Goal { given: truth.clone(), target: Term::bool(false), cone };
            let goal = questions.add(goal);
            questions.contradictions.push(goal);
            let cone = Set::default();
            let holds = Goal { given: system.init.clone(), target: predicate.clone(), cone };
            let fails = Goal { target: predicate.negated().fold(), ..holds.clone() };
            let pair = (questions.add(holds), questions.add(fails));
            questions.initial.push(pair);
        }
        for transition in &system.transitions {
            let asked = questions.ask(system, vocabulary, transition);
            questions.of.push(asked);
        }
        questions
    }

    fn add(&mut self, goal: Goal) -> usize {
        self.goals.push(goal);
        self.goals.len() - 1
    }

    fn ask(&mut self, system: &System, vocabulary: &Vocabulary, transition: &Transition) -> Asked {
        let (truth, scope) = (Term::bool(true), self.scope);
        let goal = |given: &Term, target: Term| {
            let mut cells = system.cells_of(given);
            cells.extend(system.cells_of(&target));
            Goal { given: given.clone(), target, cone: scope.cone(vocabulary, &cells) }
        };
        let guard = &transition.guard;
        let blocked = self.add(goal(&truth, guard.negated().fold()));
        let changed: BTreeSet<u32> = transition.updates.iter().map(|(cell, _)| *cell).collect();
        let set = vocabulary.about(&changed);
        let told = if self.scope.tells { vocabulary.about(&system.cells_of(guard)) } else { Set::default() };
        let told = told.without(&set);
        let mut update = |predicate: usize| {
            let term = &vocabulary.predicates()[predicate];
            let before = system.before(transition, term);
            let goals = (!speaks_of_forgotten(transition, &before)).then(|| {
                let given = scope.given(system, guard, &before);
                let fails = goal(&given, before.negated().fold());
                (self.add(goal(&given, before)), self.add(fails))
            });
            Update { predicate, goals }
        };
        let sets = set.iter().map(&mut update).collect();
        let tells = told.iter().map(&mut update).collect();
        let checks = (transition.checks.iter())
            .map(|check| self.add(goal(&check.guard, check.holds.clone())))
            .collect();
        Asked { blocked, sets, tells, checks }
    }

    /// The goals of properties, so far: each with its property and the truth of the places that it names.
    pub fn properties(&self) -> Vec<(usize, &(usize, Vec<bool>))> {
        let mut goals: Vec<_> = self.properties.iter().map(|(about, goal)| (*goal, about)).collect();
        goals.sort_unstable();
        goals
    }

    /// The goal that says that a property holds while the threads stand at these points. `None`: it is not asked there.
    pub fn property(
        &mut self,
        system: &System,
        vocabulary: &Vocabulary,
        property: usize,
        points: &[Point],
    ) -> Option<usize> {
        let (kind, formula) = &system.properties[property];
        let ended = |thread: usize| system.ends[thread][points[thread].0 as usize];
        if *kind == PropertyKind::Finally && !(0..points.len()).all(ended) {
            return None;
        }
        let truth: Vec<bool> = (self.places[property].iter())
            .map(|place| match place.kind() {
                Kind::At { process, point, .. } => points[*process as usize] == Point(*point),
                Kind::Ended { process, .. } => ended(*process as usize),
                _ => false,
            })
            .collect();
        if let Some(goal) = self.properties.get(&(property, truth.clone())) {
            return Some(*goal);
        }
        let places = &self.places[property];
        let target = formula.map(&mut |term| match places.iter().position(|place| *place == term) {
            Some(place) => Term::bool(truth[place]),
            None => term,
        });
        let target = target.fold();
        let cone = self.scope.cone(vocabulary, &system.cells_of(&target));
        let goal = self.add(Goal { given: Term::bool(true), target, cone });
        self.properties.insert((property, truth), goal);
        Some(goal)
    }
}

impl Scope {
    fn cone(self, vocabulary: &Vocabulary, cells: &BTreeSet<u32>) -> Set {
        match self.reach {
            Reach::Inside => vocabulary.inside(cells),
            Reach::Touching => vocabulary.about(cells),
            Reach::Whole => vocabulary.cone(cells),
        }
    }

    /// What a guard has to say about a formula: all of it, or the parts that share a cell (or a choice of
    /// the edge) with it. The fewer cells a goal speaks of, the more states its answers serve.
    fn given(self, system: &System, guard: &Term, formula: &Term) -> Term {
        if self.reach == Reach::Whole {
            return guard.clone();
        }
        let leaves = |term: &Term| {
            let mut symbols = BTreeSet::new();
            term.walk(&mut |part| {
                if let Kind::Symbol(symbol) = part.kind() {
                    symbols.insert(*symbol);
                }
            });
            (system.cells_of(term), symbols)
        };
        let (cells, symbols) = leaves(formula);
        let related = |part: &&Term| {
            let (own_cells, own_symbols) = leaves(part);
            !own_cells.is_disjoint(&cells) || !own_symbols.is_disjoint(&symbols)
        };
        Term::conjunction(conjuncts(guard).into_iter().filter(related).cloned())
    }
}

fn conjuncts(formula: &Term) -> Vec<&Term> {
    match formula.kind() {
        Kind::Binary(Binary::And, left, right) => {
            let mut parts = conjuncts(left);
            parts.extend(conjuncts(right));
            parts
        }
        _ => vec![formula],
    }
}

fn places(formula: &Term) -> Vec<Term> {
    let mut places: Vec<Term> = Vec::new();
    formula.walk(&mut |term| {
        if matches!(term.kind(), Kind::At { .. } | Kind::Ended { .. }) && !places.contains(term) {
            places.push(term.clone());
        }
    });
    places
}

/// A symbol that is not a choice of the edge stands for a local that was forgotten.
fn speaks_of_forgotten(transition: &Transition, formula: &Term) -> bool {
    let mut found = false;
    formula.walk(&mut |term| {
        found |= matches!(term.kind(), Kind::Symbol(Symbol::Bound(_))) && !transition.choices.contains(term);
    });
    found
}
