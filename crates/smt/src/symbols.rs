//! Enumerations in the text form.
//!
//! Spacer gets each as a datatype of constants rather than as integers, because it would make
//! inequalities of integers, and those mean nothing of symbols. How many values an enumeration has is
//! not known here and need not be: only equality is spoken of, so that as many values as the line
//! names, and one more for each variable on the way, cannot be told from infinitely many. The further
//! ones have no names in the program; an interpolant that speaks of one is not readable.

use std::collections::{BTreeMap, BTreeSet};

use wattle_logic::{Sort, Term, Value};

use crate::translate::{Shape, refuse, shape};
use crate::{StraightLine, Unsupported};

/// More are not told to Spacer.
const MOST: usize = 256;

/// By number of the enumeration.
#[derive(Debug, Default)]
pub(crate) struct Symbols(BTreeMap<u32, Enumeration>);

#[derive(Debug, Default)]
struct Enumeration {
    named: BTreeSet<u32>,
    variables: usize,
}

impl Symbols {
    pub fn of(line: &StraightLine) -> Symbols {
        let mut symbols = Symbols::default();
        let cells: BTreeSet<&Term> = line.cells.iter().collect();
        for cell in &line.cells {
            symbols.variable(cell);
        }
        let steps = line.steps.iter().map(|step| {
            let values = step.updates.iter().map(|(_, value)| value);
            values.chain([&step.guard]).collect::<Vec<_>>()
        });
        for terms in steps.chain([vec![&line.init], vec![&line.bad]]) {
            let mut inputs = BTreeSet::new();
            for term in terms {
                term.walk(&mut |part| match (part.sort(), part.as_value()) {
                    (Sort::Enum(number), Some(Value::Symbol(symbol))) => {
                        symbols.0.entry(number).or_default().named.insert(*symbol);
                    }
                    (Sort::Enum(_), None) if !cells.contains(part) => {
                        if let Ok(Shape::Variable(_)) = shape(part) {
                            inputs.insert(part.clone());
                        }
                    }
                    _ => {}
                });
            }
            inputs.iter().for_each(|input| symbols.variable(input));
        }
        symbols
    }

    fn variable(&mut self, leaf: &Term) {
        if let Sort::Enum(number) = leaf.sort() {
            self.0.entry(number).or_default().variables += 1;
        }
    }

    pub fn declarations(&self) -> Result<String, Unsupported> {
        let mut text = String::new();
        for (number, Enumeration { named, variables }) in &self.0 {
            let spare = (0..).filter(|symbol| !named.contains(symbol)).take(variables + 1);
            let values: BTreeSet<u32> = named.iter().copied().chain(spare).collect();
            if values.len() > MOST {
                return refuse("an enumeration with very many values");
            }
            let values: Vec<String> =
                values.iter().map(|symbol| format!("({})", name(*number, *symbol))).collect();
            text.push_str(&format!("(declare-datatypes (({} 0)) (({})))\n", sort(*number), values.join(" ")));
        }
        Ok(text)
    }

    /// What a constant of the text stands for: `None` if it is none, or has no name in the program.
    pub fn read(&self, word: &str) -> Option<Term> {
        let (number, symbol) = word.strip_prefix('e')?.split_once('_')?;
        let (number, symbol) = (number.parse().ok()?, symbol.parse().ok()?);
        let known = self.0.get(&number)?.named.contains(&symbol);
        known.then(|| Term::value(Value::Symbol(symbol), Sort::Enum(number)))
    }
}

pub(crate) fn sort(number: u32) -> String {
    format!("E{number}")
}

pub(crate) fn name(number: u32, symbol: u32) -> String {
    format!("e{number}_{symbol}")
}
