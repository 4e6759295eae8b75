//! The result of listing all final states of one file under one model.
//!
//! [`list`] turns what an engine counted into rows with names: registers before memory, both in the
//! order of their names with numbers read as numbers, and rows sorted by their values. That is the
//! order of herd's logs, so that two logs of one test can be compared line by line.

use std::cmp::Ordering;
use std::fmt;

use wattle_engine::{Bound, Census, Reason, Tally};
use wattle_logic::{Kind, Sort, Term, Value};
use wattle_program::{Program, Question, Shape};
use wattle_source::{FileId, Sources};

use crate::head::has_head;
use crate::names::value_name;
use crate::{Head, Rests};

#[derive(Clone, Debug)]
pub struct OutcomesReport {
    pub head: Head,
    /// The name that the text gives the test; empty if it could not be read.
    pub test: String,
    pub verdict: OutcomesVerdict,
    /// What a reader of the list must know: what it is about, and what it leaves out.
    pub cautions: Vec<String>,
}

has_head!(OutcomesReport);

#[derive(Clone, Debug)]
pub enum OutcomesVerdict {
    Listed(Listing),
    Unknown {
        reason: Reason,
    },
    /// The input is at fault; `diagnostics` say why.
    Error,
    /// An internal error of wattle.
    Internal {
        what: String,
    },
}

/// All final states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub question: Question,
    /// The condition as the text has it, on one line, with its quantifier.
    pub condition: String,
    /// What a state shows, such as `0:EAX` or `[x]`.
    pub names: Vec<String>,
    pub states: Vec<FinalState>,
    /// Are the numbers of executions known? A machine counts none.
    pub counted: bool,
    /// What executions raise, as herd names it: `*undef*` first where one makes the program meaningless.
    pub flags: Vec<String>,
    /// Some execution makes the program meaningless, as a data race does.
    pub undefined: bool,
    /// `Some`: longer executions were left out.
    pub bound: Option<Bound>,
    /// The identity that the text itself claims (`Hash=`).
    pub hash: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalState {
    /// One for each name.
    pub values: Vec<Shown>,
    /// How many executions end so; 1 where they are not counted.
    pub executions: u64,
    /// Does the condition hold?
    pub holds: bool,
}

/// A value in a final state. Most are numbers, and a suite has very many of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Number(i64),
    Name(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Number(number) => number.fmt(f),
            Shown::Name(name) => f.write_str(name),
        }
    }
}

impl Listing {
    /// Executions in which the condition holds, and in which it does not (states, if executions are
    /// not counted).
    pub fn witnesses(&self) -> (u64, u64) {
        let count = |holds| {
            self.states.iter().filter(|state| state.holds == holds).map(|state| state.executions).sum()
        };
        (count(true), count(false))
    }

    pub fn executions(&self) -> Option<u64> {
        self.counted.then(|| self.states.iter().map(|state| state.executions).sum())
    }

    /// How often the condition holds, whatever the question.
    pub fn observation(&self) -> &'static str {
        match self.witnesses() {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        }
    }

    /// Is the answer to the question yes?
    pub fn is_ok(&self) -> bool {
        let (positive, negative) = self.witnesses();
        match self.question {
            Question::Exists => positive > 0,
            Question::Never => positive == 0,
            Question::Forall => negative == 0,
        }
    }
}

impl OutcomesReport {
    /// What the observation rests on that was not written so.
    pub fn rests(&self) -> Option<Rests> {
        match self.verdict.listing()?.observation() {
            "Sometimes" => self.translated.behind_presence(),
            _ => self.translated.behind_absence(),
        }
    }
}

impl OutcomesVerdict {
    /// The word for it in JSON and tables.
    pub fn word(&self) -> &'static str {
        match self {
            OutcomesVerdict::Listed(listing) if listing.undefined => "Undef",
            OutcomesVerdict::Listed(listing) if listing.is_ok() => "Ok",
            OutcomesVerdict::Listed(_) => "No",
            OutcomesVerdict::Unknown { .. } => "unknown",
            OutcomesVerdict::Error | OutcomesVerdict::Internal { .. } => "error",
        }
    }

    pub fn listing(&self) -> Option<&Listing> {
        match self {
            OutcomesVerdict::Listed(listing) => Some(listing),
            _ => None,
        }
    }
}

/// Names for what an engine counted of `program`. `counted`: are its numbers numbers of executions?
pub fn list(sources: &Sources, program: &Program, shape: &Shape, census: Census, counted: bool) -> Listing {
    let mut columns: Vec<(Column, usize)> = (program.observed.iter().enumerate())
        .map(|(number, term)| (Column::new(program, shape, term), number))
        .collect();
    columns.sort();
    let in_order = columns.iter().enumerate().all(|(position, (_, number))| position == *number);
    let mut rows: Vec<(Vec<Value>, Tally)> = census.outcomes.into_iter().collect();
    if !in_order {
        for (values, _) in &mut rows {
            *values = columns.iter().map(|(_, number)| values[*number].clone()).collect();
        }
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    let sorts: Vec<Sort> = columns.iter().map(|(_, number)| program.observed[*number].sort()).collect();
    let states = (rows.into_iter())
        .map(|(values, Tally { executions, holds })| {
            let named =
                (values.iter().zip(&sorts)).map(|(value, sort)| observed_name(program, shape, *sort, value));
            FinalState { values: named.collect(), executions, holds }
        })
        .collect();
    let (question, condition) = match &program.condition {
        // As herd reads a test that asks nothing.
        None => (Question::Forall, "forall (true)".to_owned()),
        Some(condition) => (condition.question, on_one_line(sources.slice(condition.span))),
    };
    Listing {
        question,
        condition,
        names: columns.into_iter().map(|(column, _)| column.name).collect(),
        states,
        counted,
        flags: (census.undefined.then(|| "*undef*".to_owned()).into_iter())
            .chain(census.flags.iter().map(ToString::to_string))
            .collect(),
        undefined: census.undefined,
        bound: census.bound,
        hash: claimed_hash(sources.text(FileId(0))),
    }
}

/// What is shown of a final state, ordered as herd orders it: registers thread by thread, then memory.
#[derive(PartialEq, Eq)]
struct Column {
    thread: Option<u32>,
    name: String,
}

impl Column {
    fn new(program: &Program, shape: &Shape, term: &Term) -> Column {
        let litmus = program.is_litmus();
        match term.kind() {
            Kind::LocalOf { process, copy, local } => {
                let copy = copy.as_value().and_then(Value::as_int).unwrap_or(0);
                let thread = shape.checked_thread(*process, copy).unwrap_or_default();
                let register = &program.processes[*process as usize].locals[*local as usize].name;
                let name = match litmus {
                    true => format!("{}:{register}", thread.0),
                    false => format!("{}.{register}", shape.thread_name(program, thread)),
                };
                Column { thread: Some(thread.0), name }
            }
            Kind::Content(address) => {
                let name = match shape.fixed_location(address, 0) {
                    Some(location) => shape.location_name(program, location),
                    None => wattle_program::text::print_term(program, address),
                };
                // Elements of arrays have brackets of their own.
                let bare = litmus && !name.ends_with(']');
                Column { thread: None, name: if bare { format!("[{name}]") } else { name } }
            }
            _ => Column { thread: None, name: wattle_program::text::print_term(program, term) },
        }
    }
}

impl Ord for Column {
    fn cmp(&self, other: &Column) -> Ordering {
        let thread = |column: &Column| column.thread.unwrap_or(u32::MAX);
        thread(self).cmp(&thread(other)).then_with(|| natural(&self.name, &other.name))
    }
}

impl PartialOrd for Column {
    fn partial_cmp(&self, other: &Column) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By characters, but runs of digits by their number: `X2` before `X10`.
fn natural(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (left, right) = (digits(one), digits(other));
        if left > 0 && right > 0 {
            let significant = |text: &[u8], end: usize| {
                let zeros = text[..end].iter().take_while(|byte| **byte == b'0').count();
                text[zeros..end].to_vec()
            };
            let (a, b) = (significant(one, left), significant(other, right));
            match a.len().cmp(&b.len()).then_with(|| a.cmp(&b)) {
                Ordering::Equal => (one, other) = (&one[left..], &other[right..]),
                unequal => return unequal,
            }
        } else {
            match (one.split_first(), other.split_first()) {
                (Some((a, rest)), Some((b, behind))) if a == b => (one, other) = (rest, behind),
                (a, b) => return a.map(|(byte, _)| byte).cmp(&b.map(|(byte, _)| byte)),
            }
        }
    }
}

/// A value as a log shows it: an address, also one kept as a number, by the name of its location.
fn observed_name(program: &Program, shape: &Shape, sort: Sort, value: &Value) -> Shown {
    match value {
        Value::Int(number) => match shape.pointer(*number) {
            Ok(location) => Shown::Name(shape.location_name(program, location)),
            Err(_) => Shown::Number(*number),
        },
        Value::Address(location) => Shown::Name(shape.location_name(program, *location)),
        _ => Shown::Name(value_name(program, shape, sort, value)),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line `Hash=…` among those before the initial state.
fn claimed_hash(text: &str) -> Option<String> {
    let head = text.split('{').next()?;
    head.lines().find_map(|line| line.trim().strip_prefix("Hash=")).map(|hash| hash.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["X10", "X2", "r1", "EAX", "X02", "[y]", "[x]", "x[10]", "x[9]"];
        names.sort_by(|one, other| natural(one, other));
        assert_eq!(names, ["EAX", "X2", "X02", "X10", "[x]", "[y]", "r1", "x[9]", "x[10]"]);
    }

    #[test]
    fn only_the_head_of_a_test_claims_a_hash() {
        assert_eq!(claimed_hash("X86 SB\nHash=12ab\n{ }\n"), Some("12ab".into()));
        assert_eq!(claimed_hash("X86 SB\n{ }\nHash=12ab\n"), None);
    }
}
