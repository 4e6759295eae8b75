//! The functions of Z3's C interface that wattle calls, and nothing else of it.
//!
//! The table is ours so that nothing of Z3 is needed to build wattle. It keeps to what does not move
//! between versions: opaque pointers, integers and text. There is no number of any of Z3's
//! enumerations in it (those did move, and a wrong one is a crash or a wrong answer); the one constant
//! that wattle relies on is that a satisfiability check returns −1, 0 or 1. An error code is only ever
//! compared with 0.

use std::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub(crate) struct $name(pub *mut c_void);
    )*};
}

opaque! { Config Context Symbol Ast Solver Model Vector }

macro_rules! table {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Where each function is in the loaded library. (`Z3_get_full_version` is asked before there is a
        /// table.)
        pub(crate) struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// `Err`: the name of a function that the library does not have.
            ///
            /// # Safety
            /// The library must be Z3, of a version in which the functions have these types, and it
            /// must stay loaded as long as the table is used.
            pub unsafe fn of(library: &libloading::Library) -> Result<Api, &'static str> {
                Ok(Api {
                    $($name: *unsafe { library.get(concat!("Z3_", stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| concat!("Z3_", stringify!($name)))?,)*
                })
            }

            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        }
    };
}

table! {
    // The process and the context. A sort is an `Ast` to the counting of references, and to us.
    fn global_param_set(*const c_char, *const c_char);
    fn mk_config() -> Config;
    fn del_config(Config);
    fn mk_context_rc(Config) -> Context;
    fn del_context(Context);
    fn set_error_handler(Context, Option<unsafe extern "C" fn(Context, c_int)>);
    fn get_error_code(Context) -> c_uint;
    fn get_error_msg(Context, c_uint) -> *const c_char;
    fn interrupt(Context);
    fn inc_ref(Context, Ast);
    fn dec_ref(Context, Ast);

    // Terms.
    fn mk_string_symbol(Context, *const c_char) -> Symbol;
    fn mk_bool_sort(Context) -> Ast;
    fn mk_int_sort(Context) -> Ast;
    fn mk_const(Context, Symbol, Ast) -> Ast;
    fn mk_true(Context) -> Ast;
    fn mk_false(Context) -> Ast;
    fn mk_int64(Context, i64, Ast) -> Ast;
    fn mk_not(Context, Ast) -> Ast;
    fn mk_and(Context, c_uint, *const Ast) -> Ast;
    fn mk_or(Context, c_uint, *const Ast) -> Ast;
    fn mk_ite(Context, Ast, Ast, Ast) -> Ast;
    fn mk_eq(Context, Ast, Ast) -> Ast;
    fn mk_le(Context, Ast, Ast) -> Ast;
    fn mk_add(Context, c_uint, *const Ast) -> Ast;
    fn mk_mul(Context, c_uint, *const Ast) -> Ast;
    fn mk_div(Context, Ast, Ast) -> Ast;

    // The solver.
    fn mk_solver_for_logic(Context, Symbol) -> Solver;
    fn solver_inc_ref(Context, Solver);
    fn solver_dec_ref(Context, Solver);
    fn solver_assert(Context, Solver, Ast);
    fn solver_check_assumptions(Context, Solver, c_uint, *const Ast) -> c_int;
    fn solver_get_reason_unknown(Context, Solver) -> *const c_char;
    fn solver_get_unsat_core(Context, Solver) -> Vector;
    fn ast_vector_inc_ref(Context, Vector);
    fn ast_vector_dec_ref(Context, Vector);
    fn ast_vector_size(Context, Vector) -> c_uint;
    fn ast_vector_get(Context, Vector, c_uint) -> Ast;
    fn solver_get_model(Context, Solver) -> Model;
    fn model_inc_ref(Context, Model);
    fn model_dec_ref(Context, Model);
    fn model_eval(Context, Model, Ast, bool, *mut Ast) -> bool;
    fn get_numeral_int64(Context, Ast, *mut i64) -> bool;

    // Spacer, by text.
    fn eval_smtlib2_string(Context, *const c_char) -> *const c_char;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stays_small() {
        assert!(Api::NAMES.len() < 45, "{}", Api::NAMES.len());
    }
}
