//! Stub.
use wattle_program::Program;
pub fn shrink(program: &Program, _fails: &dyn Fn(&Program) -> bool) -> Program {
    program.clone()
}
