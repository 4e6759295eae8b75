//! X86, in Intel's order. Addresses are absolute and there are no dependencies to speak of.

use super::super::layout::location_name;
use super::{Assembly, Column, Request, Update, Updated};

pub(super) struct X86;

const REGISTERS: [&str; 6] = ["EAX", "EBX", "ECX", "EDX", "ESI", "EDI"];

impl Assembly for X86 {
    /// Beyond the six that a test may use, names that no reader accepts; the cycles that need so many
    /// reads in one thread are refused before.
    fn register(&self, number: usize) -> String {
        REGISTERS.get(number).map_or_else(|| format!("R{number}"), ToString::to_string)
    }

    fn load(&self, column: &mut Column, request: &Request<'_>) -> String {
        let register = column.fresh(self);
        column.line(format!("MOV {register},[{}]", location_name(request.location)));
        register
    }

    fn store(&self, column: &mut Column, request: &Request<'_>) {
        column.line(format!("MOV [{}],${}", location_name(request.location), request.value));
    }

    /// `XCHG`, whose register gets the old value.
    fn update(&self, column: &mut Column, Update { request, .. }: &Update<'_>) -> Updated {
        let old = column.fresh(self);
        column.line(format!("MOV {old},${}", request.value));
        column.line(format!("XCHG [{}],{old}", location_name(request.location)));
        Updated { old, status: None }
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("CMP {register},$0"));
        column.line(format!("JNE {label}"));
        column.line(format!("{label}:"));
    }
}
