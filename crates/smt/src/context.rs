//! A context of Z3: the owner of terms, and the place where errors are kept.
//!
//! Z3's default is to end the process at an error. Here nobody is called: functions return null, and
//! whoever gets a null asks [`Context::failure`] for the reason. Terms are counted by reference;
//! what [`Context::keep`] holds lives as long as that value. Several values may share one context of Z3: to make
//! one, and to take it down, costs more than a hundred questions do.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_uint};
use std::rc::Rc;

use crate::api::{self, Api, Ast};
use crate::{Library, Stop};

/// What a solver may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes. Z3 counts what all its contexts hold, so that the limit is one of the process: the one
    /// that was set last counts. `None`: no limit, whatever an earlier solver had.
    pub memory: Option<u64>,
}

impl Limits {
    /// At the mark, Z3 winds up in good order, and can be asked again when memory has been given back.
    /// Should it allocate on regardless, allocations fail at twice as much; that is still an error and
    /// no crash, but Z3 fails ever after then. A small limit must leave room for what Z3 needs anyway.
    pub(crate) fn set(self, library: &Library) {
        const ROOM: u64 = 128;
        // To Z3, zero is no limit.
        let mark = self.memory.map_or(0, |bytes| (bytes >> 20).max(1));
        let most = if mark == 0 { 0 } else { mark.saturating_mul(2).saturating_add(ROOM) };
        library.set(c"memory_high_watermark_mb", &mark.to_string());
        library.set(c"memory_max_size", &most.to_string());
    }
}

#[derive(Debug)]
pub(crate) struct Context {
    owner: Rc<Owner>,
    kept: RefCell<Vec<Ast>>,
}

#[derive(Debug)]
struct Owner {
    library: Library,
    raw: api::Context,
}

impl Context {
    pub fn new(library: &Library) -> Result<Context, Stop> {
        let api = library.api();
        // SAFETY: the configuration is used for one context and deleted.
        let raw = unsafe {
            let config = (api.mk_config)();
            let raw = (api.mk_context_rc)(config);
            (api.del_config)(config);
            raw
        };
        if raw.0.is_null() {
            return Err(Stop::Memory);
        }
        // SAFETY: a live context.
        unsafe { (api.set_error_handler)(raw, None) };
        let owner = Rc::new(Owner { library: library.clone(), raw });
        Ok(Context { owner, kept: RefCell::default() })
    }

    /// The same context, with nothing kept.
    pub fn shared(&self) -> Context {
        Context { owner: Rc::clone(&self.owner), kept: RefCell::default() }
    }

    pub fn api(&self) -> &Api {
        self.owner.library.api()
    }

    pub fn raw(&self) -> api::Context {
        self.owner.raw
    }

    pub fn library(&self) -> &Library {
        &self.owner.library
    }

    /// Why the last call returned nothing.
    pub fn failure(&self) -> Stop {
        // SAFETY: a live context; the message is copied at once.
        let words = unsafe {
            let code = (self.api().get_error_code)(self.raw());
            text((self.api().get_error_msg)(self.raw(), code))
        };
        stop_of(&words)
    }

    pub fn failed(&self) -> bool {
        // SAFETY: a live context.
        unsafe { (self.api().get_error_code)(self.raw()) != 0 }
    }

    /// Take a term that was just made, for as long as this value lives.
    pub fn keep(&self, ast: Ast) -> Result<Ast, Stop> {
        if ast.0.is_null() {
            return Err(self.failure());
        }
        // SAFETY: a term of this context.
        unsafe { (self.api().inc_ref)(self.raw(), ast) };
        self.kept.borrow_mut().push(ast);
        Ok(ast)
    }

    pub fn symbol(&self, name: &str) -> Result<api::Symbol, Stop> {
        let name = CString::new(name).map_err(|_| Stop::GaveUp("a name with a zero".to_owned()))?;
        // SAFETY: the name is copied.
        Ok(unsafe { (self.api().mk_string_symbol)(self.raw(), name.as_ptr()) })
    }

    pub fn bool_sort(&self) -> Result<Ast, Stop> {
        // SAFETY: a live context, here and in the methods below, whose arguments are terms of it.
        self.keep(unsafe { (self.api().mk_bool_sort)(self.raw()) })
    }

    pub fn int_sort(&self) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_int_sort)(self.raw()) })
    }

    pub fn truth(&self, value: bool) -> Result<Ast, Stop> {
        let make = if value { self.api().mk_true } else { self.api().mk_false };
        self.keep(unsafe { make(self.raw()) })
    }

    pub fn variable(&self, name: &str, sort: Ast) -> Result<Ast, Stop> {
        let name = self.symbol(name)?;
        self.keep(unsafe { (self.api().mk_const)(self.raw(), name, sort) })
    }

    pub fn number(&self, value: i64, sort: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_int64)(self.raw(), value, sort) })
    }

    pub fn not(&self, a: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_not)(self.raw(), a) })
    }

    pub fn and(&self, parts: &[Ast]) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_and)(self.raw(), length(parts), parts.as_ptr()) })
    }

    pub fn or(&self, parts: &[Ast]) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_or)(self.raw(), length(parts), parts.as_ptr()) })
    }

    pub fn add(&self, parts: &[Ast]) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_add)(self.raw(), length(parts), parts.as_ptr()) })
    }

    pub fn multiply(&self, parts: &[Ast]) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_mul)(self.raw(), length(parts), parts.as_ptr()) })
    }

    /// Downwards, for a positive divisor.
    pub fn divide(&self, a: Ast, b: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_div)(self.raw(), a, b) })
    }

    pub fn select(&self, condition: Ast, then: Ast, otherwise: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_ite)(self.raw(), condition, then, otherwise) })
    }

    pub fn equal(&self, a: Ast, b: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_eq)(self.raw(), a, b) })
    }

    pub fn at_most(&self, a: Ast, b: Ast) -> Result<Ast, Stop> {
        self.keep(unsafe { (self.api().mk_le)(self.raw(), a, b) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // What is the last one's goes with the context.
        if Rc::strong_count(&self.owner) > 1 {
            for ast in self.kept.take() {
                // SAFETY: the reference that `keep` took.
                unsafe { (self.api().dec_ref)(self.raw(), ast) }
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: nobody else has it; what it owns goes with it.
        unsafe { (self.library.api().del_context)(self.raw) }
    }
}

pub(crate) fn length(parts: &[Ast]) -> c_uint {
    c_uint::try_from(parts.len()).unwrap_or(0)
}

/// Z3's own words, as a reason.
pub(crate) fn stop_of(words: &str) -> Stop {
    // Z3 also cancels itself when memory runs short; nobody else does without having been asked.
    if ["memory", "memout", "canceled"].iter().any(|word| words.contains(word)) {
        Stop::Memory
    } else {
        Stop::GaveUp(words.to_owned())
    }
}

/// A text of Z3, copied: it is overwritten by the next call.
///
/// # Safety
/// Null, or a text that ends in zero.
pub(crate) unsafe fn text(words: *const std::ffi::c_char) -> String {
    if words.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}
