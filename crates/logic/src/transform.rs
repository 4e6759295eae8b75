//! Walking and rebuilding terms.

use std::collections::BTreeSet;

use crate::{Kind, Symbol, Term};

impl Term {
    pub fn children(&self) -> Vec<&Term> {
        match self.kind() {
            Kind::Value(_) | Kind::Symbol(_) => vec![],
            Kind::Unary(_, a) | Kind::Number(a) | Kind::Pointer(a) => vec![a],
            Kind::Content(a) | Kind::Element(a) => vec![a],
            Kind::Seen { copy, address, .. } => vec![copy, address],
            Kind::At { copy, .. } | Kind::Ended { copy, .. } | Kind::LocalOf { copy, .. } => vec![copy],
            Kind::Binary(_, a, b) => vec![a, b],
            Kind::If(a, b, c) => vec![a, b, c],
            Kind::Address { indices, .. } => indices.iter().collect(),
            Kind::Quantified { body, .. } => vec![body],
        }
    }

    /// Visit every node, parents first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    /// Rebuild from the leaves up; `rewrite` gets every node with its children already rewritten.
    pub fn map(&self, rewrite: &mut dyn FnMut(Term) -> Term) -> Term {
        let rebuilt = match self.kind() {
            Kind::Value(_) | Kind::Symbol(_) => self.clone(),
            Kind::Unary(operator, a) => Term::unary(*operator, a.map(rewrite)),
            Kind::Binary(operator, a, b) => {
                let a = a.map(rewrite);
                Term::binary(*operator, a, b.map(rewrite))
            }
            Kind::If(a, b, c) => {
                let a = a.map(rewrite);
                let b = b.map(rewrite);
                Term::if_then_else(a, b, c.map(rewrite))
            }
            Kind::Address { variable, indices } => {
                Term::address(*variable, indices.iter().map(|index| index.map(rewrite)).collect())
            }
            Kind::Number(address) => Term::number(address.map(rewrite)),
            Kind::Pointer(number) => Term::pointer(number.map(rewrite)),
            Kind::Content(address) => Term::content(address.map(rewrite), self.sort()),
            Kind::Seen { process, copy, address } => {
                let copy = copy.map(rewrite);
                Term::seen(*process, copy, address.map(rewrite), self.sort())
            }
            Kind::Element(set) => Term::element(set.map(rewrite)),
            Kind::At { process, copy, point } => Term::at(*process, copy.map(rewrite), *point),
            Kind::Ended { process, copy } => Term::ended(*process, copy.map(rewrite)),
            Kind::LocalOf { process, copy, local } => {
                Term::local_of(*process, copy.map(rewrite), *local, self.sort())
            }
            Kind::Quantified { quantifier, bound, process, body } => {
                Term::quantified(*quantifier, *bound, *process, body.map(rewrite))
            }
        };
        rewrite(rebuilt)
    }

    /// The locals that occur in the term as written: what its value depends on.
    pub fn locals(&self) -> BTreeSet<u32> {
        let mut locals = BTreeSet::new();
        self.walk(&mut |term| {
            if let Kind::Symbol(Symbol::Local(local)) = term.kind() {
                locals.insert(*local);
            }
        });
        locals
    }

    /// Replace leaves.
    pub fn substitute(&self, replace: &dyn Fn(Symbol) -> Option<Term>) -> Term {
        self.map(&mut |term| match term.kind() {
            Kind::Symbol(symbol) => replace(*symbol).unwrap_or(term),
            _ => term,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Binary, Sort};

    #[test]
    fn a_term_keeps_what_is_written() {
        let r = Term::local(3, Sort::Int);
        let zero = Term::binary(Binary::BitXor, r.clone(), r);
        assert_eq!(zero.locals(), BTreeSet::from([3]), "r ^ r depends on r");
        let replaced = zero.substitute(&|symbol| (symbol == Symbol::Local(3)).then(|| Term::int(7)));
        assert!(replaced.locals().is_empty());
    }
}
