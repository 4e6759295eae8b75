//! One long-lived solver for linear integers and booleans.
//!
//! Predicate abstraction asks some thousand small questions about the same few terms. A new solver for
//! each costs milliseconds, and pushing and popping throws away what was learned. So every term is
//! asserted once, behind an *activation literal* `a` as `a => term`, and a question is a set of
//! literals to assume (Eén and Sörensson's way of incremental solving). What is not assumed costs
//! little: its literal is set to false and its term is not looked at.
//!
//! Little is not nothing: a check takes some 45 µs of processor time with 120 literals (30 predicates, one
//! step), 80 µs with 540 and 200 µs with 1800 (see `bench smt`), so that terms which never meet deserve
//! solvers of their own. A model costs four times as much as the check and is fetched when it is first
//! looked at. Z3 can minimise cores (`smt.core.minimize`); that took a tenth longer and left the cores of
//! such questions as they were, so it is off.
//!
//! Z3 is never believed beyond what it says: anything but *sat* and *unsat* is [`Decision::Stopped`],
//! and a call that failed for want of memory makes all later answers *stopped*, because a term may be
//! missing.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wattle_logic::{Sort, Term};

use crate::api::{self, Ast};
use crate::context::{Context, Limits, length, stop_of, text};
use crate::difference::{Decided, Differences};
use crate::translate::{Failure, Translation};
use crate::watch::Watch;
use crate::{Decide, Decision, Library, Lit, Models, Stop, Unsupported};

/// What was asked, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub stopped: u64,
    /// Implications that were answered before.
    pub cache_hits: u64,
    /// Checks that needed no Z3.
    pub differences: u64,
    /// In checks only.
    pub time: Duration,
}

/// Why an implication was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    Unsupported(Unsupported),
    Stopped(Stop),
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Unsupported(what) => what.fmt(f),
            Undecided::Stopped(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Undecided {}

impl From<Unsupported> for Undecided {
    fn from(what: Unsupported) -> Undecided {
        Undecided::Unsupported(what)
    }
}

/// Told of every check.
#[derive(Clone)]
struct Count(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Count")
    }
}

/// Who has decided a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Z3,
    Differences,
}

/// So many questions that Z3 does not see are work like one that it does.
const CHEAPER: u64 = 16;

#[derive(Debug)]
pub struct Solver {
    watch: Option<Arc<Watch>>,
    count: Option<Count>,
    translation: Translation,
    literals: HashMap<Term, Lit>,
    /// Decides what it can before Z3 is asked.
    differences: Option<Differences>,
    /// By number: the term, and its literal of Z3 as soon as Z3 needs it.
    terms: Vec<Term>,
    asts: Vec<Option<Ast>>,
    /// And back.
    numbers: HashMap<Ast, Lit>,
    implications: HashMap<(Vec<Lit>, Lit), bool>,
    /// Of the last *unsat*.
    core: Vec<Lit>,
    /// Made since the last check and not asserted yet: Z3 forgets its model when something is.
    pending: Vec<Ast>,
    /// Of the last *sat*, once somebody has asked for it: it costs as much as the check.
    model: Option<api::Model>,
    /// Who said *sat* last.
    last_sat: Option<By>,
    /// After a failure that may have lost a term.
    broken: Option<Stop>,
    counters: Counters,
    assumed: Vec<Ast>,
    raw: api::Solver,
    context: Context,
}

impl Solver {
    pub fn new(library: &Library, limits: Limits) -> Result<Solver, Stop> {
        limits.set(library);
        Solver::of(Context::new(library)?)
    }

    fn of(context: Context) -> Result<Solver, Stop> {
        let logic = context.symbol("QF_LIA")?;
        // SAFETY: a live context and a symbol of it.
        let raw = unsafe { (context.api().mk_solver_for_logic)(context.raw(), logic) };
        if raw.0.is_null() {
            return Err(context.failure());
        }
        // SAFETY: a solver of this context.
        unsafe { (context.api().solver_inc_ref)(context.raw(), raw) };
        let translation = Translation::new(&context)?;
        Ok(Solver {
            watch: None,
            count: None,
            translation,
            literals: HashMap::new(),
            differences: None,
            terms: Vec::new(),
            asts: Vec::new(),
            numbers: HashMap::new(),
            implications: HashMap::new(),
            core: Vec::new(),
            pending: Vec::new(),
            model: None,
            last_sat: None,
            broken: None,
            counters: Counters::default(),
            assumed: Vec::new(),
            raw,
            context,
        })
    }

    /// Let a procedure for differences answer what it can, here and in solvers made from this one. For those who ask
    /// much; those who check answers of others do without.
    #[must_use]
    pub fn with_differences(mut self) -> Solver {
        self.differences = Some(Differences::new());
        self
    }

    /// Told of every check before it begins, here and in solvers made from this one; *true* ends it and all later ones.
    pub fn counted_by(&mut self, count: impl Fn() -> bool + Send + Sync + 'static) {
        self.count = Some(Count(Arc::new(count)));
    }

    /// Ask this while checks go on, some fifty times a second, and end them when it says *true*; all
    /// later checks are *stopped* then.
    pub fn stop_when(&mut self, stop: impl FnMut() -> bool + Send + 'static) {
        self.watch = Some(Arc::new(Watch::new(stop)));
    }

    /// Let a boolean term hold from now on, whatever is assumed: for what is true of all states.
    pub fn assert(&mut self, term: &Term) -> Result<(), Unsupported> {
        if let Some(ast) = self.boolean(term)? {
            // Answers from before may be too weak.
            self.implications.clear();
            self.pending.push(ast);
        }
        if let Some(differences) = &mut self.differences {
            differences.assert(term);
        }
        Ok(())
    }

    /// Does `right` follow from all of `left`? Asked once.
    pub fn implies(&mut self, left: &[Term], right: &Term) -> Result<bool, Undecided> {
        let mut assumed = Vec::with_capacity(left.len() + 1);
        for term in left {
            assumed.push(self.literal(term)?);
        }
        assumed.sort_unstable();
        assumed.dedup();
        let denied = self.literal(&right.negated())?;
        let key = (assumed, denied);
        if let Some(known) = self.implications.get(&key) {
            self.counters.cache_hits += 1;
            return Ok(*known);
        }
        let mut all = key.0.clone();
        all.push(denied);
        let answer = match self.check(&all) {
            Decision::Sat => false,
            Decision::Unsat => true,
            Decision::Stopped(why) => return Err(Undecided::Stopped(why)),
        };
        self.implications.insert(key, answer);
        Ok(answer)
    }

    pub fn counters(&self) -> Counters {
        self.counters
    }

    pub fn library(&self) -> &Library {
        self.context.library()
    }

    /// An empty solver that is stopped with this one. Much cheaper than a new one.
    pub fn another(&self) -> Result<Solver, Stop> {
        let mut other = Solver::of(self.context.shared())?;
        other.watch = self.watch.clone();
        other.count = self.count.clone();
        other.differences = self.differences.as_ref().map(|_| Differences::new());
        Ok(other)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.stopped())
    }

    pub(crate) fn watched<T>(&self, context: &Context, work: impl FnOnce() -> T) -> T {
        match &self.watch {
            Some(watch) => watch.during(context, work),
            None => work(),
        }
    }

    /// `None`: the solver is out of order, and says so when it is asked.
    fn translated(&mut self, term: &Term) -> Result<Option<Ast>, Unsupported> {
        let translated = self.translation.term(&self.context, term);
        self.pending.append(&mut self.translation.facts);
        match translated {
            Ok(ast) => Ok(Some(ast)),
            Err(Failure::Unsupported(what)) => Err(what),
            Err(Failure::Stop(why)) => {
                self.broken.get_or_insert(why);
                Ok(None)
            }
        }
    }

    fn boolean(&mut self, term: &Term) -> Result<Option<Ast>, Unsupported> {
        match term.sort() {
            Sort::Bool => self.translated(term),
            sort => Err(Unsupported(format!("a condition of sort `{sort}`"))),
        }
    }

    /// A new literal that activates a term.
    fn activate(&mut self, term: Ast) -> Result<Ast, Stop> {
        let literal = self.translation.fresh(&self.context)?;
        self.pending.push(self.context.or(&[self.context.not(literal)?, term])?);
        Ok(literal)
    }

    fn assert_pending(&mut self) {
        for ast in std::mem::take(&mut self.pending) {
            // SAFETY: a solver and a term of this context.
            unsafe { (self.context.api().solver_assert)(self.context.raw(), self.raw, ast) };
            if self.context.failed() {
                let why = self.context.failure();
                self.broken.get_or_insert(why);
            }
        }
    }

    fn forget_model(&mut self) {
        self.last_sat = None;
        if let Some(model) = self.model.take() {
            // SAFETY: a model of this context that we hold one reference to.
            unsafe { (self.context.api().model_dec_ref)(self.context.raw(), model) }
        }
    }

    /// The value of a term in the model; the caller gives the reference back.
    fn value(&mut self, term: Ast) -> Option<Ast> {
        let model = self.model()?;
        let (api, context) = (self.context.api(), self.context.raw());
        let mut value = Ast(std::ptr::null_mut());
        // SAFETY: model and term are of this context, and the value is taken before the next call.
        unsafe {
            if !(api.model_eval)(context, model, term, true, &mut value) || value.0.is_null() {
                return None;
            }
            (api.inc_ref)(context, value);
        }
        Some(value)
    }

    fn release(&self, ast: Ast) {
        // SAFETY: a reference that `value` took.
        unsafe { (self.context.api().dec_ref)(self.context.raw(), ast) }
    }

    fn model(&mut self) -> Option<api::Model> {
        if self.model.is_none() && self.last_sat == Some(By::Z3) {
            let (api, context) = (self.context.api(), self.context.raw());
            // SAFETY: the last check of this solver was *sat*, and nothing was asserted since.
            unsafe {
                let model = (api.solver_get_model)(context, self.raw);
                if !model.0.is_null() {
                    (api.model_inc_ref)(context, model);
                    self.model = Some(model);
                }
            }
        }
        self.model
    }

    /// All assumptions, should Z3 not tell: they are a core too.
    fn take_core(&mut self, assumptions: &[Lit]) {
        let (api, context) = (self.context.api(), self.context.raw());
        // SAFETY: the last check of this solver was *unsat*; the vector is held while it is read.
        unsafe {
            let vector = (api.solver_get_unsat_core)(context, self.raw);
            let told: Option<Vec<Lit>> = (!vector.0.is_null())
                .then(|| {
                    (api.ast_vector_inc_ref)(context, vector);
                    let positions = 0..(api.ast_vector_size)(context, vector);
                    let lit = |position| self.numbers.get(&(api.ast_vector_get)(context, vector, position));
                    let told = positions.map(|position| lit(position).copied()).collect();
                    (api.ast_vector_dec_ref)(context, vector);
                    told
                })
                .flatten();
            self.core = told.unwrap_or_else(|| assumptions.to_vec());
        }
        self.core.sort_unstable();
        self.core.dedup();
    }
}

impl Decide for Solver {
    fn literal(&mut self, term: &Term) -> Result<Lit, Unsupported> {
        if let Some(known) = self.literals.get(term) {
            return Ok(*known);
        }
        if term.sort() != Sort::Bool {
            return Err(Unsupported(format!("a condition of sort `{}`", term.sort())));
        }
        let ast = match self.translated_for_z3(term)? {
            Translated::Now(ast) => Some(ast),
            Translated::Later => None,
        };
        let lit = Lit(u32::try_from(self.asts.len()).unwrap_or(u32::MAX));
        self.asts.push(ast);
        self.terms.push(term.clone());
        if let Some(ast) = ast {
            self.numbers.insert(ast, lit);
        }
        self.literals.insert(term.clone(), lit);
        Ok(lit)
    }

    fn check(&mut self, assumptions: &[Lit]) -> Decision {
        self.forget_model();
        self.core.clear();
        self.counters.checks += 1;
        let stopped = self.is_stopped().then_some(Stop::Asked);
        if let Some(why) = self.broken.clone().or(stopped) {
            self.counters.stopped += 1;
            return Decision::Stopped(why);
        }
        match self.by_differences(assumptions) {
            Some(decision) => decision,
            None => self.by_z3(assumptions),
        }
    }

    fn core(&self) -> Vec<Lit> {
        self.core.clone()
    }
}

/// When Z3 gets to know a term.
enum Translated {
    Now(Ast),
    /// When it is first asked about it. It understands it.
    Later,
}

impl Solver {
    /// A term that differences understand may never come to Z3, which is the faster the fewer terms it knows.
    fn translated_for_z3(&mut self, term: &Term) -> Result<Translated, Unsupported> {
        if self.differences.as_mut().is_some_and(|differences| differences.literal(term)) {
            return Ok(Translated::Later);
        }
        Ok(Translated::Now(self.known_to_z3(term)?))
    }

    fn known_to_z3(&mut self, term: &Term) -> Result<Ast, Unsupported> {
        let made = match self.boolean(term)? {
            Some(ast) => self.activate(ast),
            None => Err(Stop::Memory),
        };
        Ok(made.unwrap_or_else(|why| {
            self.broken.get_or_insert(why);
            self.translation.truth
        }))
    }

    /// Is the budget spent?
    fn is_spent(&mut self) -> bool {
        let spent = self.count.as_ref().is_some_and(|Count(count)| count());
        if spent {
            self.broken.get_or_insert(Stop::Asked);
        }
        spent
    }

    /// `None`: Z3 has to say.
    fn by_differences(&mut self, assumptions: &[Lit]) -> Option<Decision> {
        let differences = self.differences.as_mut()?;
        let decided = differences.decide(assumptions.iter().map(|lit| lit.0 as usize))?;
        self.counters.differences += 1;
        if self.counters.differences.is_multiple_of(CHEAPER) && self.is_spent() {
            self.counters.stopped += 1;
            return Some(Decision::Stopped(Stop::Asked));
        }
        Some(match decided {
            Decided::Sat => {
                self.counters.sat += 1;
                self.last_sat = Some(By::Differences);
                Decision::Sat
            }
            Decided::Unsat(core) => {
                self.counters.unsat += 1;
                self.core = core.into_iter().map(|position| assumptions[position]).collect();
                self.core.sort_unstable();
                self.core.dedup();
                Decision::Unsat
            }
        })
    }

    fn by_z3(&mut self, assumptions: &[Lit]) -> Decision {
        self.is_spent();
        self.assumed.clear();
        for lit in assumptions {
            let Some(known) = self.asts.get(lit.0 as usize).copied() else {
                self.counters.stopped += 1;
                return Decision::Stopped(Stop::GaveUp("a literal of another solver".to_owned()));
            };
            let ast = match known {
                Some(ast) => ast,
                None => {
                    let made = self.known_to_z3(&self.terms[lit.0 as usize].clone());
                    // What differences understand, Z3 does too.
                    let ast = made.unwrap_or_else(|why| {
                        self.broken.get_or_insert(Stop::GaveUp(why.to_string()));
                        self.translation.truth
                    });
                    self.asts[lit.0 as usize] = Some(ast);
                    self.numbers.insert(ast, *lit);
                    ast
                }
            };
            self.assumed.push(ast);
        }
        self.assert_pending();
        if let Some(why) = self.broken.clone() {
            self.counters.stopped += 1;
            return Decision::Stopped(why);
        }
        let started = Instant::now();
        // SAFETY: a solver and terms of this context.
        let answer = self.watched(&self.context, || unsafe {
            (self.context.api().solver_check_assumptions)(
                self.context.raw(),
                self.raw,
                length(&self.assumed),
                self.assumed.as_ptr(),
            )
        });
        self.counters.time += started.elapsed();
        match answer {
            1 => {
                self.counters.sat += 1;
                self.last_sat = Some(By::Z3);
                Decision::Sat
            }
            -1 => {
                self.counters.unsat += 1;
                self.take_core(assumptions);
                Decision::Unsat
            }
            _ => {
                self.counters.stopped += 1;
                Decision::Stopped(self.why_unknown())
            }
        }
    }

    /// In the model that differences have, if they have one.
    fn by_difference(&self, term: &Term) -> Option<i64> {
        match (self.last_sat, &self.differences) {
            (Some(By::Differences), Some(differences)) => differences.value(term),
            _ => None,
        }
    }

    fn why_unknown(&mut self) -> Stop {
        if self.is_stopped() {
            return Stop::Asked;
        }
        if self.context.failed() {
            let why = self.context.failure();
            self.broken.get_or_insert(why.clone());
            return why;
        }
        // SAFETY: a live solver; the words are copied at once.
        stop_of(&unsafe {
            text((self.context.api().solver_get_reason_unknown)(self.context.raw(), self.raw))
        })
    }
}

impl Models for Solver {
    fn holds(&mut self, term: &Term) -> Option<bool> {
        if self.last_sat == Some(By::Differences) {
            return (term.sort() == Sort::Bool)
                .then(|| self.by_difference(term))
                .flatten()
                .map(|value| value == 1);
        }
        let ast = self.boolean(term).ok()??;
        let value = self.value(ast)?;
        // Terms are shared: equal ones are one.
        let holds = match value {
            _ if value == self.translation.truth => Some(true),
            _ if value == self.translation.falsity => Some(false),
            _ => None,
        };
        self.release(value);
        holds
    }

    fn integer(&mut self, term: &Term) -> Option<i64> {
        if term.sort() == Sort::Bool {
            return None;
        }
        if self.last_sat == Some(By::Differences) {
            return self.by_difference(term);
        }
        let ast = self.translated(term).ok()??;
        let value = self.value(ast)?;
        let mut number = 0;
        // SAFETY: a term of this context.
        let fits = unsafe { (self.context.api().get_numeral_int64)(self.context.raw(), value, &mut number) };
        self.release(value);
        fits.then_some(number)
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        self.forget_model();
        // SAFETY: our reference to a solver of a context that is still there.
        unsafe { (self.context.api().solver_dec_ref)(self.context.raw(), self.raw) }
    }
}
