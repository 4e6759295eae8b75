//! Locks, conditions, semaphores, barriers and what runs once: of POSIX and of `threads.h`.
//!
//! Each is one location. No fence is part of any of them: what takes one acquires, what gives one back releases.
//!
//! * A mutex is 1 or 0; a reader-writer lock is its number of readers or -1; a semaphore is its number.
//! * Waiting for a condition gives the mutex away and takes it again. A condition variable may wake its waiters for no
//!   reason, so that nothing can be told from being woken, and signals need no state.
//! * What tries fails only where it could not have waited for nothing. So does what waits until a time: times are
//!   as late as one likes, but POSIX says that such a call does not fail if the lock can be had at once.
//! * A barrier holds how many it waits for, how many have come, whether one of them has been told that it is the chosen
//!   one, and a round. POSIX chooses any one of them: each that comes is chosen or not, and the last is if nobody was.
//!   Who comes releases and acquires, and who waits acquires when the round is over.

use lang_c::ast::*;
use lang_c::span::{Node, Span};
use wattle_logic::{Binary, Term};
use wattle_program::Op;

use super::Body;
use super::atomics::{ACQ_REL, ACQUIRE, RELAXED, RELEASE, tags};
use super::call::argument;
use super::place::{At, Lvalue};
use super::plain;
use super::threads::is_null;
use super::value::Value;
use crate::refusal::{Low, refuse};
use crate::types::Type;

/// What calls of POSIX return: the lock is taken already, the time is over.
const EBUSY: i64 = 16;
const ETIMEDOUT: i64 = 110;
/// What those of `threads.h` return (`threads.h` of ours has the numbers).
const THRD_BUSY: i64 = 1;
const THRD_TIMEDOUT: i64 = 4;

/// What may be taken, and when.
#[derive(Clone, Copy)]
enum Lock {
    Mutex,
    Reader,
    Writer,
    Semaphore,
}

impl Lock {
    fn is_free(self, old: &Counted) -> Term {
        match self {
            Lock::Mutex | Lock::Writer => old.is(0),
            Lock::Reader => old.at_least(0),
            Lock::Semaphore => old.at_least(1),
        }
    }

    fn taken(self, old: &Counted) -> Counted {
        match self {
            Lock::Mutex => Counted::number(1),
            Lock::Writer => Counted::number(-1),
            Lock::Reader => old.plus(1),
            Lock::Semaphore => old.plus(-1),
        }
    }
}

/// How a call takes a lock, and what it returns if it does not.
enum How {
    Waiting,
    Trying(i64),
    /// Until a time.
    Timed(i64),
}

fn taking(name: &str) -> Option<(Lock, How)> {
    use How::{Timed, Trying, Waiting};
    use Lock::{Mutex, Reader, Semaphore, Writer};
    Some(match name {
        "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => (Mutex, Waiting),
        "pthread_mutex_trylock" | "pthread_spin_trylock" => (Mutex, Trying(EBUSY)),
        "mtx_trylock" => (Mutex, Trying(THRD_BUSY)),
        "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => (Mutex, Timed(ETIMEDOUT)),
        "mtx_timedlock" => (Mutex, Timed(THRD_TIMEDOUT)),
        "pthread_rwlock_rdlock" => (Reader, Waiting),
        "pthread_rwlock_tryrdlock" => (Reader, Trying(EBUSY)),
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => (Reader, Timed(ETIMEDOUT)),
        "pthread_rwlock_wrlock" => (Writer, Waiting),
        "pthread_rwlock_trywrlock" => (Writer, Trying(EBUSY)),
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => (Writer, Timed(ETIMEDOUT)),
        "sem_wait" => (Semaphore, Waiting),
        "sem_trywait" => (Semaphore, Trying(-1)),
        "sem_timedwait" | "sem_clockwait" => (Semaphore, Timed(-1)),
        _ => return None,
    })
}

impl<'a> Body<'_, 'a> {
    /// A call that has to do with locks, or `None`.
    pub(super) fn lock_call(
        &mut self,
        name: &str,
        arguments: &'a [Node<Expression>],
        span: Span,
    ) -> Low<Option<Value>> {
        let argument = |number: usize| argument(arguments, number, name, span);
        if let Some((lock, how)) = taking(name) {
            let place = self.target(argument(0)?)?;
            return self.take_by(&place, lock, &how, span).map(Some);
        }
        match name {
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                let place = self.target(argument(0)?)?;
                self.unlock(&place, span)?;
            }
            "mtx_init" => {
                let place = self.target(argument(0)?)?;
                // `mtx_recursive` is 1 (`threads.h` of ours).
                if self.rvalue(argument(1)?)?.known().is_none_or(|kind| kind & 1 != 0) {
                    return refuse("a recursive mutex", span);
                }
                self.reset(&place, span)?;
            }
            "pthread_mutex_init" | "pthread_spin_init" | "pthread_rwlock_init" => {
                let place = self.target(argument(0)?)?;
                self.reset(&place, span)?;
            }
            "pthread_cond_wait"
            | "cnd_wait"
            | "pthread_cond_timedwait"
            | "cnd_timedwait"
            | "pthread_cond_clockwait" => {
                let place = self.target(argument(1)?)?;
                return self.condition_wait(name, &place, span).map(Some);
            }
            "pthread_rwlock_unlock" => {
                let place = self.target(argument(0)?)?;
                self.read_modify_write(&place, tags(RELEASE), span, &mut |_, old| {
                    let writer = old.term.clone().equals(Value::int(-1).term);
                    let less = Term::binary(Binary::Subtract, old.term.clone(), Value::int(1).term);
                    Ok(Value { term: Term::if_then_else(writer, Value::int(0).term, less), of: Type::INT })
                })?;
            }
            "sem_init" => {
                let place = self.target(argument(0)?)?;
                let value = self.rvalue(argument(2)?)?.convert(&Type::INT, span)?;
                self.store_with(&place, value, plain(), span)?;
            }
            "sem_post" => {
                let place = self.target(argument(0)?)?;
                self.read_modify_write(&place, tags(RELEASE), span, &mut |_, old| {
                    Ok(Value { term: Counted(old.term).plus(1).0, of: Type::INT })
                })?;
            }
            "sem_getvalue" => {
                let place = self.target(argument(0)?)?;
                let into = self.target(argument(1)?)?;
                let value = self.load_with(&place, tags(RELAXED), span)?;
                let value = value.convert(&into.of, span)?;
                self.store(&into, value, span)?;
            }
            "pthread_barrier_init" => {
                let place = self.target(argument(0)?)?;
                let count = self.rvalue(argument(2)?)?.convert(&Type::INT, span)?;
                self.barrier_init(&place, count, span)?;
            }
            "pthread_barrier_wait" => {
                let place = self.target(argument(0)?)?;
                return self.barrier_wait(&place, span).map(Some);
            }
            "pthread_once" | "call_once" => self.once(argument(0)?, argument(1)?, span)?,
            "pthread_barrier_destroy" | "pthread_barrierattr_init" | "pthread_barrierattr_destroy" => {}
            _ => return Ok(None),
        }
        Ok(Some(Value::int(0)))
    }

    fn condition_wait(&mut self, name: &str, mutex: &Lvalue, span: Span) -> Low<Value> {
        self.unlock(mutex, span)?;
        self.take(mutex, span, Lock::Mutex)?;
        let code = match name {
            "cnd_timedwait" => THRD_TIMEDOUT,
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => ETIMEDOUT,
            _ => return Ok(Value::int(0)),
        };
        let late = self.any(&Type::BOOL);
        let term = Term::if_then_else(late.truth(), Value::int(code).term, Value::int(0).term);
        Ok(Value { term, of: Type::INT })
    }

    fn reset(&mut self, place: &Lvalue, span: Span) -> Low<()> {
        let zero = self.constant_for(place, 0);
        self.store_with(place, zero, plain(), span)
    }

    fn unlock(&mut self, place: &Lvalue, span: Span) -> Low<()> {
        let zero = self.constant_for(place, 0);
        self.store_with(place, zero, tags(RELEASE), span)
    }

    /// Take a lock in one of the ways; what the call returns.
    fn take_by(&mut self, place: &Lvalue, lock: Lock, how: &How, span: Span) -> Low<Value> {
        let (How::Trying(code) | How::Timed(code)) = *how else {
            self.take(place, span, lock)?;
            return Ok(Value::int(0));
        };
        let result = self.temporary(Value::int(0).term.sort());
        self.write_back();
        let end = self.graph.point();
        let (taken, busy) = self.graph.fork();
        for (way, value) in [(taken, 0), (busy, code)] {
            self.graph.continue_at(way);
            if way == taken {
                self.take(place, span, lock)?;
            } else {
                let old = self.load_with(place, tags(RELAXED), span)?;
                let free = lock.is_free(&Counted(old.term));
                self.graph.op(Op::Assume { condition: free.negated() });
            }
            self.graph.op(Op::Assign { local: result, value: Value::int(value).term });
            self.jump(end);
        }
        self.graph.continue_at(end);
        Ok(Value { term: self.local_term(result), of: Type::INT })
    }

    /// Wait until the lock may be taken, and take it.
    fn take(&mut self, place: &Lvalue, span: Span, lock: Lock) -> Low<()> {
        if !place.of.is_scalar() {
            return refuse("a lock of a type that wattle does not know", span);
        }
        if matches!(place.at, At::Registers { .. }) || self.graph.sections > 0 {
            let old = Counted(self.load_with(place, tags(ACQUIRE), span)?.term);
            self.graph.op(Op::Assume { condition: lock.is_free(&old) });
            let value = Value::new(lock.taken(&old).0, &place.of);
            return self.store_with(place, value, tags(ACQUIRE), span);
        }
        let address = self.address(place, span)?;
        let before = self.temporary(place.of.sort());
        let old = Counted(self.local_term(before));
        self.graph.locked(vec![
            Op::Load { into: before, address: address.clone(), tags: tags(ACQUIRE) },
            Op::Assume { condition: lock.is_free(&old) },
            Op::Store { address, value: lock.taken(&old).0, tags: tags(ACQUIRE) },
        ]);
        Ok(())
    }

    fn barrier_init(&mut self, place: &Lvalue, count: Value, span: Span) -> Low<()> {
        let count = Counted(self.kept(count.term));
        let fits = count.at_least(1).and(count.at_least(i64::from(Barrier::MOST) + 1).negated());
        self.refuse_if(fits.negated(), "a barrier for none, or for more than 255 threads", span);
        self.store_with(place, Value { term: count.0, of: Type::INT }, plain(), span)
    }

    fn barrier_wait(&mut self, place: &Lvalue, span: Span) -> Low<Value> {
        let wants = self.any(&Type::BOOL);
        let wants = self.kept(wants.truth());
        let (old, _) = self.read_modify_write(place, tags(ACQ_REL), span, &mut |_, old| {
            Ok(Value { term: Barrier(old.term).after(&wants), of: Type::INT })
        })?;
        let old = Barrier(self.kept(old.term));
        let (last, others) = self.branch(old.is_last());
        self.graph.continue_at(others);
        let now = Barrier(self.load_with(place, tags(ACQUIRE), span)?.term);
        self.graph.op(Op::Assume { condition: now.round().equals(old.round()).negated() });
        self.jump(last);
        self.graph.continue_at(last);
        let chosen = old.chooses(&wants);
        // PTHREAD_BARRIER_SERIAL_THREAD
        let term = Term::if_then_else(chosen, Value::int(-1).term, Value::int(0).term);
        Ok(Value { term: self.kept(term), of: Type::INT })
    }

    /// The first that comes calls the function (1), and then it is done (2), for which the others wait.
    fn once(&mut self, flag: &'a Node<Expression>, function: &'a Node<Expression>, span: Span) -> Low<()> {
        if is_null(function) {
            return refuse("a call of no function", span);
        }
        let callee = self.rvalue(function)?;
        let place = self.target(flag)?;
        let (zero, one) = (self.constant_for(&place, 0), self.constant_for(&place, 1));
        let (first, old) = self.compare_exchange(&place, zero, one, (ACQUIRE, ACQUIRE), false, span)?;
        let old = Counted(self.kept(old.term));
        let end = self.graph.point();
        let (call, wait) = self.branch(first.truth());
        self.graph.continue_at(call);
        self.through_pointer(callee, &[], span)?;
        let two = self.constant_for(&place, 2);
        self.store_with(&place, two, tags(RELEASE), span)?;
        self.jump(end);
        self.graph.continue_at(wait);
        let (running, done) = self.branch(old.is(1));
        self.graph.continue_at(running);
        let now = Counted(self.load_with(&place, tags(ACQUIRE), span)?.term);
        self.graph.op(Op::Assume { condition: now.is(2) });
        self.jump(end);
        self.graph.continue_at(done);
        self.jump(end);
        self.graph.continue_at(end);
        Ok(())
    }
}

/// The number that a lock or semaphore holds.
struct Counted(Term);

impl Counted {
    fn number(value: i64) -> Counted {
        Counted(Value::int(value).term)
    }
    fn is(&self, value: i64) -> Term {
        self.0.clone().equals(Value::int(value).term)
    }
    fn at_least(&self, value: i64) -> Term {
        Term::binary(Binary::GreaterEqual, self.0.clone(), Value::int(value).term)
    }
    fn plus(&self, value: i64) -> Counted {
        Counted(Term::binary(Binary::Add, self.0.clone(), Value::int(value).term))
    }
}

/// What a barrier holds: 8 bits for how many it waits for, 8 for how many have come, one for whether somebody is chosen, and
/// 14 for the round.
struct Barrier(Term);

impl Barrier {
    const MOST: u8 = 255;

    fn part(&self, shift: i64, mask: i64) -> Term {
        let shifted = Term::binary(Binary::ShiftRight, self.0.clone(), Value::int(shift).term);
        Term::binary(Binary::BitAnd, shifted, Value::int(mask).term)
    }

    fn round(&self) -> Term {
        self.part(17, 0x3fff)
    }

    fn come(&self) -> Term {
        Term::binary(Binary::Add, self.part(8, 255), Value::int(1).term)
    }

    fn is_last(&self) -> Term {
        self.come().equals(self.part(0, 255))
    }

    /// Is the thread that comes now the chosen one?
    fn chooses(&self, wants: &Term) -> Term {
        let nobody = self.part(16, 1).equals(Value::int(0).term);
        nobody.and(self.is_last().or(wants.clone()))
    }

    fn after(&self, wants: &Term) -> Term {
        let shifted = |term: Term, by: i64| Term::binary(Binary::ShiftLeft, term, Value::int(by).term);
        let sum = |left: Term, right: Term| Term::binary(Binary::BitOr, left, right);
        let next = Term::binary(Binary::Add, self.round(), Value::int(1).term);
        let next = Term::binary(Binary::BitAnd, next, Value::int(0x3fff).term);
        let count = self.part(0, 255);
        let chosen = Term::if_then_else(self.chooses(wants), Value::int(1).term, self.part(16, 1));
        let open = sum(shifted(self.come(), 8), sum(shifted(chosen, 16), shifted(self.round(), 17)));
        sum(count, Term::if_then_else(self.is_last(), shifted(next, 17), open))
    }
}
