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
use std::convert::Infallible;

use wattle_logic::{Binary, Kind, Symbol, Term};
use wattle_program::{Point, PropertyKind};

use crate::cube::Set;
use crate::fold::Fold;
use crate::predicates::Predicates;
use crate::system::{System, Transition};

/// `given` and some literals imply `target`?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub given: Term,
    pub target: Term,
    /// The predicates that can matter.
    pub cone: Set,
}

/// Which questions are asked, and which predicates may answer them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Ask too what a guard tells of predicates that its edge does not set.
    pub tells: bool,
    pub reach: Reach,
    /// The questions that reach further than the others.
    pub further: HashMap<Ask, Reach>,
    /// Does the checker drop what is said of dead locals? They may be all that links what is live.
    pub forgets: bool,
}

/// A question, or questions of a kind that reach equally far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// What contradicts a predicate?
    Contradictions,
    /// Is this transition blocked?
    Blocked(usize),
    /// What is the predicate after a transition?
    Update(Term),
    /// Does this check of the transition hold?
    Check(usize, usize),
    /// Does this property hold while the points that it names are as said?
    Property(usize, Vec<bool>),
}

/// Which predicates may answer a question, and how hard it is tried. The fewer there are, the more states one
/// answer serves, and most proofs need no chains of reasoning through cells that the question does not name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Those that speak of cells of the question only. What an update makes of a predicate is unknown where
    /// it depends on one that is.
    Inside,
    /// The same; a state is split for the sake of an update.
    Parts,
    /// Those that share a cell with it.
    Touching,
    /// The whole cone of influence.
    Whole,
}

/// The goals that a question comes to: places that ask, with their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Posed {
    /// By predicate or, for a check or a property, once.
    one: Vec<(usize, usize)>,
    /// By transition and predicate.
    both: Vec<(usize, usize, Pair)>,
}

/// It holds afterwards, it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub holds: usize,
    /// `None`: nobody needs to know (it speaks of elements of a set).
    pub fails: Option<usize>,
    /// Where that depends on an unknown predicate: look at both values?
    pub splits: bool,
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
    /// `None`: nobody can know (it speaks of a forgotten local).
    pub goals: Option<Pair>,
}

#[derive(Clone, Debug)]
pub struct Questions {
    scope: Scope,
    pub goals: Vec<Goal>,
    pub of: Vec<Asked>,
    /// By predicate: the literals that have to do with it contradict each other.
    pub contradictions: Vec<usize>,
    /// Every initial state satisfies the predicate; its negation.
    pub initial: Vec<(usize, Option<usize>)>,
    /// Where the first predicate holds, nobody asks about the others: the checker drops them.
    pub irrelevant: Vec<(usize, Set)>,
    /// By property, and by the truth of the points that it names.
    properties: HashMap<(usize, Vec<bool>), usize>,
    /// By property: the points that it names.
    places: Vec<Vec<Term>>,
}

impl Questions {
    pub fn forgets(&self) -> bool {
        self.scope.forgets
    }

    pub fn new(system: &System, predicates: &Predicates, scope: Scope) -> Questions {
        match Questions::within(system, predicates, scope, &mut || Ok::<(), Infallible>(())) {
            Ok(questions) => questions,
        }
    }

    /// The same with a look at a budget at every transition.
    pub fn within<E>(
        system: &System,
        predicates: &Predicates,
        scope: Scope,
        look: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Questions, E> {
        let mut questions = Questions {
            scope,
            goals: vec![],
            of: vec![],
            contradictions: vec![],
            initial: vec![],
            irrelevant: vec![],
            properties: HashMap::new(),
            places: system.properties.iter().map(|(_, formula)| places(formula)).collect(),
        };
        for (number, predicate) in predicates.terms().iter().enumerate() {
            let reach = questions.scope.reach(&Ask::Contradictions);
            let goal = questions.contradiction(system, predicates, number, reach);
            questions.contradictions.push(goal);
            let cone = Set::default();
            let target = system.initially(predicate);
            let holds = Goal { given: system.init.clone(), target, cone };
            let fails = Goal { target: holds.target.negated().fold(), ..holds.clone() };
            let holds = questions.add(holds);
            let fails = (!predicates.of_sets().contains(number)).then(|| questions.add(fails));
            questions.initial.push((holds, fails));
        }
        for number in 0..system.transitions.len() {
            look()?;
            let asked = questions.ask(system, predicates, number);
            questions.of.push(asked);
        }
        Ok(questions)
    }

    fn add(&mut self, goal: Goal) -> usize {
        self.goals.push(goal);
        self.goals.len() - 1
    }

    fn ask(&mut self, system: &System, predicates: &Predicates, number: usize) -> Asked {
        let transition = &system.transitions[number];
        let blocked = self.blocked(system, predicates, number, self.scope.reach(&Ask::Blocked(number)));
        let changed: BTreeSet<u32> = transition.updates.iter().map(|(cell, _)| *cell).collect();
        let set = predicates.about(&changed);
        let guard = &transition.guard;
        let told = if self.scope.tells { predicates.about(&system.cells_of(guard)) } else { Set::default() };
        let told = told.without(&set).without(&predicates.of_sets());
        let mut update = |predicate: usize| {
            let ask = Ask::Update(predicates.terms()[predicate].clone());
            let goals = self.update(system, predicates, number, predicate, self.scope.reach(&ask));
            Update { predicate, goals }
        };
        let sets = set.iter().map(&mut update).collect();
        let tells = told.iter().map(&mut update).collect();
        let checks = (0..transition.checks.len())
            .map(|check| {
                let reach = self.scope.reach(&Ask::Check(number, check));
                self.check(system, predicates, number, check, reach)
            })
            .collect();
        Asked { blocked, sets, tells, checks }
    }

    fn contradiction(
        &mut self,
        system: &System,
        predicates: &Predicates,
        predicate: usize,
        reach: Reach,
    ) -> usize {
        let cone = reach.cone(predicates, &system.cells_of(&predicates.terms()[predicate]));
        self.add(Goal { given: Term::bool(true), target: Term::bool(false), cone })
    }

    fn blocked(&mut self, system: &System, predicates: &Predicates, number: usize, reach: Reach) -> usize {
        let target = system.transitions[number].guard.negated().fold();
        self.add(reach.goal(system, predicates, Term::bool(true), target))
    }

    fn update(
        &mut self,
        system: &System,
        predicates: &Predicates,
        number: usize,
        predicate: usize,
        reach: Reach,
    ) -> Option<Pair> {
        let transition = &system.transitions[number];
        let before = system.before(transition, &predicates.terms()[predicate]);
        if speaks_of_forgotten(transition, &before) {
            return None;
        }
        let given = reach.given(system, &transition.guard, &before);
        let fails = reach.goal(system, predicates, given.clone(), before.negated().fold());
        let holds = self.add(reach.goal(system, predicates, given, before));
        let fails = (!predicates.of_sets().contains(predicate)).then(|| self.add(fails));
        Some(Pair { holds, fails, splits: reach >= Reach::Parts })
    }

    fn check(
        &mut self,
        system: &System,
        predicates: &Predicates,
        number: usize,
        check: usize,
        reach: Reach,
    ) -> usize {
        let check = &system.transitions[number].checks[check];
        self.add(reach.goal(system, predicates, check.guard.clone(), check.holds.clone()))
    }

    fn holds(
        &mut self,
        system: &System,
        predicates: &Predicates,
        property: usize,
        truth: &[bool],
        reach: Reach,
    ) -> usize {
        let (places, formula) = (&self.places[property], &system.properties[property].1);
        let target = formula.map(&mut |term| match places.iter().position(|place| *place == term) {
            Some(place) => Term::bool(truth[place]),
            None => term,
        });
        self.add(reach.goal(system, predicates, Term::bool(true), target.fold()))
    }

    /// The questions that are asked while these transitions are taken, and of properties so far.
    pub fn about(&self, predicates: &Predicates, transitions: &BTreeSet<usize>) -> Vec<Ask> {
        let mut updated = BTreeSet::new();
        let mut found = vec![Ask::Contradictions];
        for &number in transitions {
            let asked = &self.of[number];
            found.push(Ask::Blocked(number));
            found.extend((0..asked.checks.len()).map(|check| Ask::Check(number, check)));
            updated.extend(asked.sets.iter().chain(&asked.tells).map(|update| update.predicate));
        }
        let update = |predicate: usize| Ask::Update(predicates.terms()[predicate].clone());
        found.extend(updated.into_iter().map(update));
        let properties = self.properties().into_iter();
        found.extend(properties.map(|(_, (property, truth))| Ask::Property(*property, truth.clone())));
        found
    }

    /// The goals of a question that reaches this far, as far as these transitions go.
    pub fn pose(
        &mut self,
        system: &System,
        predicates: &Predicates,
        ask: &Ask,
        reach: Reach,
        transitions: &BTreeSet<usize>,
    ) -> Posed {
        let mut posed = Posed::default();
        match ask {
            Ask::Contradictions => {
                for predicate in 0..predicates.len() {
                    posed.one.push((predicate, self.contradiction(system, predicates, predicate, reach)));
                }
            }
            Ask::Blocked(number) => {
                posed.one.push((0, self.blocked(system, predicates, *number, reach)));
            }
            Ask::Check(number, check) => {
                posed.one.push((0, self.check(system, predicates, *number, *check, reach)));
            }
            Ask::Property(property, truth) => {
                posed.one.push((0, self.holds(system, predicates, *property, truth, reach)));
            }
            Ask::Update(predicate) => {
                let Some((predicate, _)) = predicates.literal_of(predicate) else { return posed };
                for &number in transitions {
                    let asked = &self.of[number];
                    let mut updates = asked.sets.iter().chain(&asked.tells);
                    if updates.any(|update| update.predicate == predicate)
                        && let Some(pair) = self.update(system, predicates, number, predicate, reach)
                    {
                        posed.both.push((number, predicate, pair));
                    }
                }
            }
        }
        posed
    }

    /// Let a question come to these goals from now on, and return those it came to.
    pub fn put(&mut self, ask: &Ask, posed: &Posed) -> Posed {
        let mut before = posed.clone();
        for (at, goal) in &mut before.one {
            let place = match ask {
                Ask::Contradictions => &mut self.contradictions[*at],
                Ask::Blocked(number) => &mut self.of[*number].blocked,
                Ask::Check(number, check) => &mut self.of[*number].checks[*check],
                Ask::Property(property, truth) => {
                    self.properties.entry((*property, truth.clone())).or_insert(*goal)
                }
                Ask::Update(_) => continue,
            };
            std::mem::swap(place, goal);
        }
        for (number, predicate, pair) in &mut before.both {
            let asked = &mut self.of[*number];
            let updates = asked.sets.iter_mut().chain(&mut asked.tells);
            for update in updates.filter(|update| update.predicate == *predicate) {
                if let Some(own) = &mut update.goals {
                    std::mem::swap(own, pair);
                }
            }
        }
        before
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
        predicates: &Predicates,
        property: usize,
        points: &[Point],
    ) -> Option<usize> {
        let (kind, _) = &system.properties[property];
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
        let reach = self.scope.reach(&Ask::Property(property, truth.clone()));
        let goal = self.holds(system, predicates, property, &truth, reach);
        self.properties.insert((property, truth), goal);
        Some(goal)
    }
}

impl Scope {
    /// All questions reach this far.
    pub fn all(reach: Reach) -> Scope {
        Scope { tells: false, reach, further: HashMap::new(), forgets: false }
    }

    pub fn reach(&self, ask: &Ask) -> Reach {
        self.further.get(ask).map_or(self.reach, |further| self.reach.max(*further))
    }
}

impl Reach {
    fn goal(self, system: &System, predicates: &Predicates, given: Term, target: Term) -> Goal {
        let mut cells = system.cells_of(&given);
        cells.extend(system.cells_of(&target));
        Goal { given, target, cone: self.cone(predicates, &cells) }
    }

    fn cone(self, predicates: &Predicates, cells: &BTreeSet<u32>) -> Set {
        match self {
            Reach::Inside | Reach::Parts => predicates.inside(cells),
            Reach::Touching => predicates.about(cells),
            Reach::Whole => predicates.cone(cells),
        }
    }

    /// What a guard has to say about a formula: all of it, or the parts that share a cell (or a choice of
    /// the edge) with it. The fewer cells a goal speaks of, the more states its answers serve.
    fn given(self, system: &System, guard: &Term, formula: &Term) -> Term {
        if self == Reach::Whole {
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
