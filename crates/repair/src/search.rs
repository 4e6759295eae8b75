//! The search: hitting set, check, clause, and again.
//!
//! Keep a list of clauses, each saying "every repair has a fence at one of these places" (see
//! `clause`). Take the cheapest set of places that hits all of them; ask the engine about the
//! program with fences there. If it is safe, no cheaper set is: every cheaper set misses a clause.
//! If not, the counterexample gives new clauses, which this set misses. If a clause is empty, the
//! violation survives with fences at all places, and there is no repair.
//!
//! The engine is asked once for each hitting set, and each refusal yields as many clauses as replays
//! of that one counterexample can find, so the calls stay few: about one for each fence of the text,
//! one for SC and one for the proof.
//!
//! The same clauses serve both questions. `count` chooses among places of single copies, and
//! `source_count` among places of the text, each of which stands for all its copies; a clause over
//! places of copies becomes one over places of the text by naming these instead. So the second
//! search starts with all that the first one learned ([`Literals`]).
//!
//! An engine that refutes without saying how gives no clause directly. Then the placement is grown by
//! asking the engine itself, which takes more calls, and nothing is claimed to be minimal. If the
//! engine can neither prove nor refute, `descend` takes over.

use wattle_engine::{
    Answer, Contradiction, Counterexample, Engine, Halt, Hints, Progress, Reason, Run, Spent, Statistics,
    Task, Verdict, Work,
};
use wattle_judge::confirm::confirm;
use wattle_program::{EdgeId, Shape, ThreadId};

use crate::clause::{Clause, clauses, control_is_positive, fences_only_forbid, twins};
use crate::descend::descend;
use crate::family::Family;
use crate::hitting_set::{self, Objective, Problem};
use crate::set::Set;
use crate::{All, Lessons, Proof};

/// What choosing the next candidate costs, roughly.
const CANDIDATE: Work = Work::microseconds(100);

/// At most this many solutions are listed.
const LISTED: usize = 1000;

/// What may be chosen: each literal stands for some places.
#[derive(Clone, Debug)]
pub(crate) struct Literals {
    pub places: Vec<Set>,
    pub weights: Vec<u64>,
    pub strengths: Vec<u64>,
    pub threads: Vec<usize>,
    /// For each, those that ask for no more at the same place, itself among them.
    pub weaker: Vec<Set>,
    pub objective: Objective,
}

impl Literals {
    pub(crate) fn size(&self) -> usize {
        self.places.len()
    }

    /// All places of the chosen literals.
    pub(crate) fn expand(&self, chosen: &Set, size: usize) -> Set {
        chosen.iter().fold(Set::empty(size), |all, literal| all.union(&self.places[literal]))
    }

    /// The same places with the strongest fences that cost no more.
    fn strongest(&self, chosen: &Set) -> Set {
        let replaces = |other: &usize, literal: usize| {
            self.weaker[*other].contains(literal) && self.weights[*other] <= self.weights[literal]
        };
        let strongest = |literal: usize| {
            let others = (0..self.size()).filter(|other| replaces(other, literal));
            others.max_by_key(|other| self.strengths[*other]).unwrap_or(literal)
        };
        Set::of(self.size(), chosen.iter().map(strongest))
    }

    /// Of these sets, those that no other can take the place of with less: fewer fences, or weaker ones.
    fn weakest(&self, sets: Vec<Set>) -> Vec<Set> {
        let none = Set::empty(self.size());
        let with_weaker =
            |set: &Set| set.iter().fold(none.clone(), |all, literal| all.union(&self.weaker[literal]));
        let full: Vec<Set> = sets.iter().map(with_weaker).collect();
        let replaced = |set: &Set| full.iter().any(|other| other != set && other.is_subset(set));
        sets.into_iter().zip(&full).filter(|(_, full)| !replaced(full)).map(|(set, _)| set).collect()
    }

    pub(crate) fn problem(&self, clauses: &[Clause]) -> Problem {
        let literals = |clause: &Clause| {
            let named = (0..self.size()).filter(|literal| self.places[*literal].intersects(&clause.places));
            Set::of(self.size(), named)
        };
        Problem {
            weights: self.weights.clone(),
            strengths: self.strengths.clone(),
            threads: self.threads.clone(),
            clauses: clauses.iter().map(literals).collect(),
            objective: self.objective,
        }
    }
}

/// What the engine said of one placement.
#[derive(Clone, Debug)]
pub(crate) enum Judged {
    Safe(Proof),
    /// The clauses have been added.
    Unsafe,
    Unknown(Reason),
}

#[derive(Clone, Debug)]
pub(crate) enum Ended {
    Found(Found),
    /// A run that survives with fences at all places, as a run of the member with all of them.
    Unrepairable(Box<Counterexample>),
    /// No repair is cheaper than `at_least`.
    Unknown {
        reason: Reason,
        at_least: u64,
        best: Option<Found>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Sets of literals; the first is the chosen one.
    pub solutions: Vec<Set>,
    /// Are these all that were asked for?
    pub complete: bool,
    /// The weakest proof of the solutions.
    pub proof: Proof,
    pub minimal: bool,
}

pub(crate) struct Search<'a> {
    pub family: &'a dyn Family,
    pub task: Task<'a>,
    pub engine: &'a dyn Engine,
    pub run: &'a Run,
    pub clauses: Vec<Clause>,
    /// The last counterexample that was confirmed.
    pub latest: Option<Counterexample>,
    answers: Vec<(Set, Judged)>,
    /// Was every clause learnt from a counterexample that refutes all placements which miss the clause? Only then
    /// is a minimum hitting set a lower bound.
    exact: bool,
    /// What the answers so far leave for the next question. Placements differ in a few fences, so that a proof
    /// of one is nearly a proof of the next.
    hints: Hints,
    /// Why a placement was left undecided, the first that was.
    undecided: Option<Reason>,
    checks: u64,
    pub replays: u64,
    states: u64,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        family: &'a dyn Family,
        task: Task<'a>,
        engine: &'a dyn Engine,
        run: &'a Run,
    ) -> Search<'a> {
        let exact = control_is_positive(family.base()) && fences_only_forbid(task.memory);
        Search {
            family,
            task,
            engine,
            run,
            clauses: vec![],
            latest: None,
            answers: vec![],
            exact,
            hints: task.hints.cloned().unwrap_or_default(),
            undecided: None,
            checks: 0,
            replays: 0,
            states: 0,
        }
    }

    /// Begin with what another search has learnt.
    pub(crate) fn recall(&mut self, lessons: Lessons) {
        self.clauses = lessons.clauses;
        self.exact &= !lessons.inexact;
    }

    pub(crate) fn lessons(&self) -> Lessons {
        Lessons { clauses: self.clauses.clone(), inexact: !self.exact }
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.count("places", self.family.size() as u64);
        statistics.count("checks", self.checks);
        statistics.count("clauses", self.clauses.len() as u64);
        statistics.count("replays", self.replays);
        statistics.count("states", self.states);
        statistics
    }

    /// What all answers leave: for the check of the text that the search ends with.
    pub(crate) fn hints(&self) -> Hints {
        self.hints.clone()
    }

    /// Why a placement was left undecided, if one was.
    pub(crate) fn undecided(&self) -> Option<Reason> {
        self.undecided.clone()
    }

    pub(crate) fn nothing(&self) -> Set {
        Set::empty(self.family.size())
    }

    /// The run that shows that nothing helps, if one is known.
    pub(crate) fn hopeless(&self) -> Option<&Counterexample> {
        let empty = self.clauses.iter().find(|clause| clause.places.is_empty());
        empty.map(|clause| &clause.counterexample)
    }

    /// Ask the engine about a placement; learn from a counterexample. `Err` if that does not replay.
    pub(crate) fn judge(&mut self, chosen: &Set) -> Result<Judged, Halt> {
        if let Some((_, judged)) = self.answers.iter().find(|(other, _)| other == chosen) {
            return Ok(judged.clone());
        }
        let program = self.family.program(chosen);
        let task = Task { program: &program, ..self.task };
        let answer = self.ask(&task)?;
        let judged = match answer.verdict {
            Verdict::Safe { certificate } => {
                Judged::Safe(Proof::Safe { certificate, coverage: answer.coverage })
            }
            Verdict::SafeUpTo { bound } => Judged::Safe(Proof::Bounded(bound)),
            Verdict::Unknown { reason } => Judged::Unknown(reason),
            Verdict::Unsafe { counterexample } => match self.learn(&task, chosen, *counterexample) {
                Ok(()) => Judged::Unsafe,
                Err(Halt::Unknown(reason)) => Judged::Unknown(reason),
                Err(contradiction) => return Err(contradiction),
            },
        };
        if let Judged::Unknown(reason) = &judged {
            self.undecided.get_or_insert_with(|| reason.clone());
        }
        self.answers.push((chosen.clone(), judged.clone()));
        Ok(judged)
    }

    /// One engine call.
    pub(crate) fn ask(&mut self, task: &Task<'_>) -> Result<Answer, Contradiction> {
        self.ask_within(task, self.run)
    }

    /// The same with a part of the budget.
    pub(crate) fn ask_within(&mut self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        if let Err(reason) = self.run.poll(CANDIDATE, Spent::default()) {
            return Ok(Answer::new(Verdict::Unknown { reason }, Statistics::default()));
        }
        let phase = format!("fences: {} clauses, check {}", self.clauses.len(), self.checks + 1);
        self.run.progress(&Progress { phase, states: self.states, depth: 0 });
        self.checks += 1;
        let hints = Some(&self.hints);
        let mut answer = self.engine.check(&Task { hints, ..*task }, run)?;
        self.hints.learn(std::mem::take(&mut answer.hints));
        self.states += answer.statistics.counted("states").unwrap_or(0);
        Ok(answer)
    }

    fn learn(&mut self, task: &Task<'_>, chosen: &Set, mut found: Counterexample) -> Result<(), Halt> {
        if found.schedule.is_none() && found.execution.is_none() {
            self.exact = false;
            self.latest = None;
            let clause = self.grow_by_checks(chosen, found)?;
            self.add(clause);
            return Ok(());
        }
        match confirm(task, &found) {
            Err(Halt::Contradiction(why)) => return Err(why.claimed_by(self.engine.name()).into()),
            Err(limit) => return Err(limit),
            // A machine is a better judge of fences than a graph: it can wait.
            Ok(replay) => found.schedule = found.schedule.or(replay.schedule),
        }
        let (new, replays) = clauses(self.family, task, chosen, &found);
        self.replays += replays;
        self.latest = Some(found);
        for clause in new {
            let (twins, replays) = twins(self.family, task, &clause);
            self.replays += replays;
            self.add(clause);
            twins.into_iter().for_each(|twin| self.add(twin));
        }
        Ok(())
    }

    /// May a minimum hitting set be called a lower bound?
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// The places that these steps of a member pass. Its fences, which the base does not have, are left out.
    pub(crate) fn beside(&self, steps: impl IntoIterator<Item = (ThreadId, EdgeId)>) -> Set {
        let Ok(shape) = Shape::new(self.family.base()) else { return self.nothing() };
        let mut places = self.nothing();
        for (thread, edge) in steps {
            let info = shape.info(thread);
            if (edge.0 as usize) < self.family.base().process(info.process).cfg.edges.len() {
                places = places.union(&self.family.beside(info.process, info.copy, edge));
            }
        }
        places
    }

    fn add(&mut self, clause: Clause) {
        if !self.clauses.iter().any(|known| known.places.is_subset(&clause.places)) {
            self.clauses.retain(|known| !clause.places.is_subset(&known.places));
            self.clauses.push(clause);
        }
    }

    /// A maximal placement that is still unsafe, found by asking; its complement is the clause.
    fn grow_by_checks(&mut self, chosen: &Set, found: Counterexample) -> Result<Clause, Contradiction> {
        let size = self.family.size();
        let (mut placement, mut counterexample) = (chosen.clone(), found);
        let outside: Vec<usize> = Set::full(size).difference(chosen).iter().collect();
        let mut chunks = vec![outside];
        while let Some(chunk) = chunks.pop() {
            if chunk.is_empty() {
                continue;
            }
            let wider = placement.union(&Set::of(size, chunk.iter().copied()));
            let program = self.family.program(&wider);
            match self.ask(&Task { program: &program, ..self.task })?.verdict {
                Verdict::Unsafe { counterexample: survivor } => {
                    (placement, counterexample) = (wider, *survivor);
                }
                _ if chunk.len() > 1 => {
                    let (left, right) = chunk.split_at(chunk.len() / 2);
                    chunks.extend([right.to_vec(), left.to_vec()]);
                }
                _ => {}
            }
        }
        Ok(Clause { places: Set::full(size).difference(&placement), counterexample })
    }

    /// The cheapest repairs.
    pub(crate) fn fewest(&mut self, literals: &Literals, all: All) -> Result<Ended, Halt> {
        let size = self.family.size();
        let (mut chosen, mut proof) = loop {
            let problem = literals.problem(&self.clauses);
            let Some(chosen) = hitting_set::minimum(&problem) else { return Ok(self.unrepairable()) };
            let at_least = problem.cost(&chosen).total;
            match self.judge(&literals.expand(&chosen, size))? {
                Judged::Safe(proof) => break (chosen, proof),
                Judged::Unsafe => {}
                Judged::Unknown(reason) if is_exhausted(&reason) => {
                    let best = None;
                    return Ok(Ended::Unknown { reason, at_least, best });
                }
                Judged::Unknown(reason) => return self.without_refutation(literals, reason, at_least),
            }
        };
        // A barrier keeps stores waiting where a full fence would not, and then a loop may fill the
        // buffers without bound. What costs the same and is proved is better than what is weaker.
        if let (Proof::Bounded(_), Some(_)) = (&proof, self.task.memory.machine)
            && let stronger = literals.strongest(&chosen)
            && stronger != chosen
            && let Judged::Safe(safe @ Proof::Safe { .. }) = self.judge(&literals.expand(&stronger, size))?
        {
            (chosen, proof) = (stronger, safe);
        }
        let (mut solutions, mut complete, mut weakest) = (vec![], true, proof);
        if all != All::One {
            (solutions, complete, weakest) = self.list(literals, all, weakest)?;
            if let Some(first) = solutions.first() {
                chosen = first.clone();
            }
        }
        if solutions.is_empty() {
            solutions.push(chosen);
        }
        let minimal = self.exact && matches!(weakest, Proof::Safe { .. });
        Ok(Ended::Found(Found { solutions, complete, proof: weakest, minimal }))
    }

    pub(crate) fn unrepairable(&self) -> Ended {
        match self.hopeless() {
            Some(counterexample) => Ended::Unrepairable(Box::new(counterexample.clone())),
            None => Ended::Unknown {
                reason: Reason::Undecided("no set of places is left".into()),
                at_least: 0,
                best: None,
            },
        }
    }

    /// All solutions of minimum cost, or all that are minimal by inclusion: list the hitting sets,
    /// check each, and list again while clauses are added. When all that are listed are safe, they
    /// are the answer, because every solution contains one of them.
    fn list(&mut self, literals: &Literals, all: All, first: Proof) -> Result<(Vec<Set>, bool, Proof), Halt> {
        let size = self.family.size();
        loop {
            let problem = literals.problem(&self.clauses);
            let listed = match all {
                All::Subset => hitting_set::all_minimal(&problem, LISTED),
                _ => hitting_set::all_minimum(&problem, LISTED),
            };
            let (mut solutions, mut complete, mut weakest) = (vec![], listed.complete, first.clone());
            let mut learned = false;
            for set in listed.sets {
                match self.judge(&literals.expand(&set, size))? {
                    Judged::Safe(proof) => {
                        if matches!(proof, Proof::Bounded(_)) {
                            weakest = proof;
                        }
                        solutions.push(set);
                    }
                    Judged::Unsafe => learned = true,
                    Judged::Unknown(_) => complete = false,
                }
            }
            if !learned {
                return Ok((literals.weakest(solutions), complete, weakest));
            }
        }
    }

    /// The engine could not decide a placement: look for the fewest that it can prove.
    fn without_refutation(
        &mut self,
        literals: &Literals,
        reason: Reason,
        at_least: u64,
    ) -> Result<Ended, Halt> {
        let descended = descend(self, literals)?;
        let best = descended.best.map(|(chosen, proof)| Found {
            solutions: vec![chosen],
            complete: false,
            proof,
            minimal: false,
        });
        if let Some(counterexample) = self.hopeless() {
            return Ok(Ended::Unrepairable(Box::new(counterexample.clone())));
        }
        Ok(match (best, descended.stopped) {
            (Some(found), None) => Ended::Found(found),
            (best, stopped) => Ended::Unknown { reason: stopped.unwrap_or(reason), at_least, best },
        })
    }
}

/// Is the budget of the whole run spent, so that further calls are pointless?
pub(crate) fn is_exhausted(reason: &Reason) -> bool {
    matches!(reason, Reason::Timeout | Reason::Work | Reason::Interrupted)
}
