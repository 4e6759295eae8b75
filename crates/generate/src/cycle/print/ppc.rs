//! PPC: 32-bit accesses through registers that hold addresses; `xor r,r` makes dependencies.

use super::{Assembly, Column, Request, Update, Updated};

pub(super) struct Ppc;

impl Assembly for Ppc {
    /// `r0` means the number 0 in an address.
    fn register(&self, number: usize) -> String {
        format!("r{}", number + 1)
    }

    fn load(&self, column: &mut Column, request: &Request<'_>) -> String {
        let offset = request.address.map(|source| zero(self, column, source));
        let (register, address) = (column.fresh(self), column.address(self, request.location));
        column.line(match offset {
            Some(offset) => format!("lwzx {register},{offset},{address}"),
            None => format!("lwz {register},0({address})"),
        });
        register
    }

    fn store(&self, column: &mut Column, request: &Request<'_>) {
        let offset = request.address.map(|source| zero(self, column, source));
        let value = match request.data {
            Some(source) => {
                let value = zero(self, column, source);
                column.line(format!("addi {value},{value},{}", request.value));
                value
            }
            None => {
                let value = column.fresh(self);
                column.line(format!("li {value},{}", request.value));
                value
            }
        };
        let address = column.address(self, request.location);
        column.line(match offset {
            Some(offset) => format!("stwx {value},{offset},{address}"),
            None => format!("stw {value},0({address})"),
        });
    }

    /// [`Architecture::updates`] has none: whether `stwcx.` succeeded is in no register that a condition
    /// could name.
    ///
    /// [`Architecture::updates`]: super::super::Architecture::updates
    fn update(&self, column: &mut Column, Update { request, .. }: &Update<'_>) -> Updated {
        self.store(column, request);
        Updated { old: String::new(), status: None }
    }

    fn branch(&self, column: &mut Column, register: &str) {
        let label = column.label();
        column.line(format!("cmpw {register},{register}"));
        column.line(format!("beq {label}"));
        column.line(format!("{label}:"));
    }
}

/// A register that is 0 and depends on another.
fn zero(assembly: &Ppc, column: &mut Column, source: &str) -> String {
    let register = column.fresh(assembly);
    column.line(format!("xor {register},{source},{source}"));
    register
}
