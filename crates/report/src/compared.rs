//! One program under several models, for the rows of a table (`wattle compare`).
//!
//! For programs each model's report is an object of its own, so only the text is made here.

use crate::text::{self, Detail, Options, Shown, Table};
use crate::{CheckReport, CheckVerdict, OutcomesReport, Report};

/// What is compared: one report a model.
#[derive(Clone, Copy, Debug)]
pub enum Compared<'a> {
    Outcomes(&'a [OutcomesReport]),
    Verdicts(&'a [&'a CheckReport]),
}

impl<'a> Compared<'a> {
    /// The reports one by one.
    pub fn reports(self) -> Vec<&'a dyn Report> {
        match self {
            Compared::Outcomes(reports) => reports.iter().map(|report| report as &dyn Report).collect(),
            Compared::Verdicts(reports) => reports.iter().map(|report| *report as &dyn Report).collect(),
        }
    }

    /// A row, under the header if it is the first; the names are those of all rows. With all details, whole reports
    /// follow each other instead, and a text that cannot be read says so once.
    pub fn text<'n>(
        self,
        table: &mut Option<Table>,
        names: impl Iterator<Item = &'n str>,
        options: &Options,
    ) -> Shown {
        match self {
            Compared::Outcomes(reports) if options.detail == Detail::Verbose => {
                joined(reports.iter().map(|report| {
                    let mut shown = text::outcomes(report, options);
                    shown.result.insert_str(0, &format!("{}:\n", options.style.strong(&report.model)));
                    shown
                }))
            }
            Compared::Outcomes(reports) => {
                let (table, mut result) = under_header(table, self.models(), names, options);
                result.push_str(&table.row(reports, options));
                Shown { result, ..Shown::default() }
            }
            Compared::Verdicts(reports) => {
                let bad = reports.iter().find(|report| matches!(report.verdict, CheckVerdict::Error));
                match bad {
                    Some(report) => report.text(options),
                    None if options.detail == Detail::Verbose => {
                        joined(reports.iter().map(|report| report.text(options)))
                    }
                    None => {
                        let (table, mut result) = under_header(table, self.models(), names, options);
                        result.push_str(&table.verdicts(reports, options));
                        // What is said of the text is said once.
                        let beside = reports.iter().map(|report| text::check(report, options).aside);
                        let aside = beside.into_iter().find(|aside| !aside.is_empty()).unwrap_or_default();
                        Shown { result, aside }
                    }
                }
            }
        }
    }

    fn models(self) -> Vec<&'a str> {
        match self {
            Compared::Outcomes(reports) => reports.iter().map(|report| &*report.model).collect(),
            Compared::Verdicts(reports) => reports.iter().map(|report| &*report.model).collect(),
        }
    }
}

fn joined(all: impl Iterator<Item = Shown>) -> Shown {
    all.fold(Shown::default(), |mut whole, one| {
        whole.result.push_str(&one.result);
        whole.aside.push_str(&one.aside);
        whole
    })
}

/// The table, with its header if there was none before.
fn under_header<'t, 'n>(
    table: &'t mut Option<Table>,
    models: Vec<&str>,
    names: impl Iterator<Item = &'n str>,
    options: &Options,
) -> (&'t Table, String) {
    let mut header = String::new();
    let table = table.get_or_insert_with(|| {
        let names: Vec<&str> = names.collect();
        let table = Table::new(models, names);
        header = table.header(options);
        table
    });
    (table, header)
}
