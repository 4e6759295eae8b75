//! Exit codes: what a script learns without reading anything.

use wattle_engine::Reason;
use wattle_source::Diagnostic;

use crate::{
    CheckReport, CheckVerdict, FixReport, FixVerdict, OutcomesReport, OutcomesVerdict, PortReport,
    PortVerdict, Proof, vacuous,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything asked for holds.
    Good,
    Undecided,
    Violated,
    BadInput,
    Internal,
    Interrupted,
}

/// Which proofs count as success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accept {
    /// Proofs up to a bound do.
    pub bounded: bool,
    /// Vacuous proofs do not.
    pub deny_vacuous: bool,
}

impl Accept {
    fn is_worthless(self, diagnostics: &[Diagnostic]) -> bool {
        self.deny_vacuous && vacuous(diagnostics).is_some()
    }
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Violated => 1,
            Exit::BadInput => 2,
            Exit::Undecided => 3,
            Exit::Internal => 101,
            Exit::Interrupted => 130,
        }
    }

    /// Of several inputs the worst counts: 101, 130, 2, 1, 3, 0.
    pub fn worst(self, other: Exit) -> Exit {
        if self.rank() >= other.rank() { self } else { other }
    }

    fn rank(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Undecided => 1,
            Exit::Violated => 2,
            Exit::BadInput => 3,
            Exit::Interrupted => 4,
            Exit::Internal => 5,
        }
    }

    pub fn of_check(report: &CheckReport, accept: Accept) -> Exit {
        match &report.verdict {
            CheckVerdict::Safe { .. } if accept.is_worthless(&report.diagnostics) => Exit::Undecided,
            CheckVerdict::Safe { .. } => Exit::Good,
            CheckVerdict::Bounded { .. } if accept.bounded => Exit::Good,
            CheckVerdict::Bounded { .. } => Exit::Undecided,
            CheckVerdict::Unsafe { .. } => Exit::Violated,
            CheckVerdict::Unknown { reason: Reason::Interrupted } => Exit::Interrupted,
            CheckVerdict::Unknown { .. } => Exit::Undecided,
            CheckVerdict::Error => Exit::BadInput,
            CheckVerdict::Internal { .. } => Exit::Internal,
        }
    }

    /// The answer to a test's question is a result and no failure, whatever it is.
    pub fn of_outcomes(report: &OutcomesReport, accept: Accept) -> Exit {
        match &report.verdict {
            OutcomesVerdict::Listed(listing) if listing.bound.is_none() || accept.bounded => Exit::Good,
            OutcomesVerdict::Listed(_) => Exit::Undecided,
            OutcomesVerdict::Unknown { reason: Reason::Interrupted } => Exit::Interrupted,
            OutcomesVerdict::Unknown { .. } => Exit::Undecided,
            OutcomesVerdict::Error => Exit::BadInput,
            OutcomesVerdict::Internal { .. } => Exit::Internal,
        }
    }

    /// New outcomes are what was asked for, and no failure.
    pub fn of_port(report: &PortReport) -> Exit {
        match &report.verdict {
            PortVerdict::Compared { .. } => Exit::Good,
            PortVerdict::Unknown { reason: Reason::Interrupted, .. } => Exit::Interrupted,
            PortVerdict::Unknown { .. } => Exit::Undecided,
            PortVerdict::Error => Exit::BadInput,
            PortVerdict::Internal { .. } => Exit::Internal,
        }
    }

    pub fn of_fix(report: &FixReport, accept: Accept) -> Exit {
        match &report.verdict {
            FixVerdict::AlreadySafe { proof }
            | FixVerdict::Repaired { proof, .. }
            | FixVerdict::Relaxed { proof, .. } => {
                let proved = *proof == Proof::Safe || accept.bounded;
                match proved && !accept.is_worthless(&report.diagnostics) {
                    true => Exit::Good,
                    false => Exit::Undecided,
                }
            }
            FixVerdict::Unrepairable { .. } => Exit::Violated,
            FixVerdict::Unknown { reason: Reason::Interrupted } => Exit::Interrupted,
            FixVerdict::Unknown { .. } => Exit::Undecided,
            FixVerdict::Error => Exit::BadInput,
            FixVerdict::Internal { .. } => Exit::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit::*;

    #[test]
    fn the_worst_of_several_inputs_counts() {
        let order = [Internal, Interrupted, BadInput, Violated, Undecided, Good];
        for (worse, exit) in order.iter().enumerate() {
            for other in &order[worse..] {
                assert_eq!(exit.worst(*other), *exit);
                assert_eq!(other.worst(*exit), *exit);
            }
        }
    }
}
