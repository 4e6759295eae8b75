//! The verdict of a check, and what it rests on, in a few lines.

use wattle_engine::{Certificate, Figure, Property, Statistics};

use super::story::wrap;
use super::{Detail, Options, Shown, story};
use crate::{CheckReport, CheckVerdict};

pub fn check(report: &CheckReport, options: &Options) -> Shown {
    match report.verdict {
        CheckVerdict::Error => {
            let headline = headline(report, options) + "\n";
            Shown::refused(&headline, &report.sources, &report.diagnostics, options)
        }
        _ => Shown::new(result(report, options), &report.sources, &report.diagnostics, options),
    }
}

fn result(report: &CheckReport, options: &Options) -> String {
    let mut out = headline(report, options);
    out.push('\n');
    if options.detail == Detail::Quiet {
        return out;
    }
    if let CheckVerdict::Unsafe { story: told } = &report.verdict {
        out.push('\n');
        out.push_str(&story(told, options));
        if told.holds_under_sc == Some(true) && report.repairs {
            let question = match report.property {
                Property::Stated => "",
                Property::NoDeadlock => " --check deadlock",
            };
            // The files of a program that is linked are named together.
            let file = match report.file.contains(" + ") {
                true => format!("--link {}", report.file.replace(" + ", " ")),
                false => report.file.clone(),
            };
            let model = &report.model;
            out.push_str(&format!("  To repair it: wattle fix {file} --model {model}{question}\n"));
        }
    }
    for note in &report.notes {
        out.push_str(&format!("  {} {note}\n", options.style.strong("note:")));
    }
    if options.detail == Detail::Verbose {
        for remark in &report.remarks {
            out.push_str(&format!("  {}\n", options.style.faint(remark)));
        }
        let figures = figures(&report.statistics, options.timing);
        if !figures.is_empty() {
            out.push_str(&format!("  {}\n", options.style.faint(&figures)));
        }
    }
    out
}

/// What a proof rests on.
fn of_proof(certificate: &Certificate, report: &CheckReport) -> Vec<String> {
    match certificate {
        Certificate::StateSpace { capacity } => {
            let states = report.statistics.counted("states").unwrap_or_default();
            let visited = format!("{}, all visited", counted(states, "state"));
            let pending = (*capacity > 0)
                .then(|| format!("at most {} pending a thread", counted(*capacity as u64, "operation")));
            [visited].into_iter().chain(pending).collect()
        }
        Certificate::Executions { .. } => {
            let executions = report.statistics.counted("executions").unwrap_or_default();
            vec![format!("{}, all looked at", counted(executions, "execution"))]
        }
        Certificate::Abstraction(proof) => {
            let predicates = counted(proof.predicates.len() as u64, "predicate");
            let states = counted(proof.states.len() as u64, "abstract state");
            vec![format!("proved with {predicates}, {states}")]
        }
        Certificate::Cubes(proof) => {
            let any = proof.any.then(|| "for any number of processes".to_owned());
            let cubes = counted(proof.cubes.len() as u64, "cube");
            any.into_iter().chain([cubes]).collect()
        }
        Certificate::Refutation(_) => vec!["no execution of the unrolled program violates it".into()],
    }
}

/// ` with 2 copies of p and 3 of q`: what the verdict is about, where the text leaves it open.
fn copies(copies: &[(String, u32)]) -> String {
    let one = |(number, (process, count)): (usize, &(String, u32))| match number {
        0 if *count == 1 => format!(" with 1 copy of {process}"),
        0 => format!(" with {count} copies of {process}"),
        _ => format!("{count} of {process}"),
    };
    copies.iter().enumerate().map(one).collect::<Vec<_>>().join(" and ")
}

/// What was asked, where it is not what the text states.
pub(super) fn asked(property: Property) -> &'static str {
    match property {
        Property::Stated => "",
        Property::NoDeadlock => ", asked about deadlock",
    }
}

/// `peterson.wtl: safe under tso (1,234 states, all visited, 0.02 s)`.
fn headline(report: &CheckReport, options: &Options) -> String {
    let style = options.style;
    let what = asked(report.property);
    let mut worth: Vec<String> = Vec::new();
    let verdict = match &report.verdict {
        CheckVerdict::Safe { certificate } => {
            worth.extend(crate::vacuous(&report.diagnostics).map(ToOwned::to_owned));
            worth.extend(of_proof(certificate, report));
            if report.certified {
                worth.push("certified".into());
            }
            style.good("safe")
        }
        CheckVerdict::Bounded { bound } => {
            worth.push(format!("no violation with {bound}; beyond that, not known"));
            style.doubtful("safe up to a bound")
        }
        CheckVerdict::Unsafe { .. } => {
            if report.confirmed {
                worth.push("replayed".into());
            }
            style.bad("unsafe")
        }
        CheckVerdict::Unknown { reason } => {
            worth.push(reason.to_string());
            style.doubtful("unknown")
        }
        CheckVerdict::Error => {
            return format!("{}: {}", style.strong(&report.file), style.bad("error"));
        }
        CheckVerdict::Internal { what } => {
            return format!(
                "{}: {} {what}\n  This is a bug in wattle and not an answer about your program. Please report it.",
                style.strong(&report.file),
                style.bad("INTERNAL ERROR:")
            );
        }
    };
    if let (CheckVerdict::Unknown { .. } | CheckVerdict::Unsafe { .. }, Some(Figure::Count(states))) =
        (&report.verdict, report.statistics.get("states"))
    {
        worth.push(format!("{} visited", counted(states, "state")));
    }
    if options.timing {
        worth.push(format!("{:.2} s", report.seconds));
    }
    let rests = report.rests().map(|rests| format!(", translated {rests}")).unwrap_or_default();
    let copies = copies(&report.copies);
    let (file, model) = (style.strong(&report.file), &report.model);
    let head = format!("{file}: {verdict} under {model}{copies}{rests}{what}");
    let plain = |worth: &[String]| match worth.is_empty() {
        true => String::new(),
        false => format!(" ({})", worth.join(", ")),
    };
    // A long reason gets lines of its own; only one line a result was asked for with `-q`.
    if let (CheckVerdict::Unknown { .. }, true) = (&report.verdict, options.detail != Detail::Quiet) {
        let [reason, rest @ ..] = &worth[..] else { return head };
        let length = head.chars().count() + plain(&worth).chars().count();
        if length > options.width {
            let lines = wrap(reason, options.width.saturating_sub(2));
            let rest = style.faint(&plain(rest));
            return format!("{head}{rest}\n  {}", style.faint(&lines.join("\n  ")));
        }
    }
    format!("{head}{}", style.faint(&plain(&worth)))
}

/// `1 state`, `1,234 states`.
pub(super) fn counted(number: u64, thing: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {thing}{}", if number == 1 { "" } else { "s" })
}

pub(super) fn figures(statistics: &Statistics, timing: bool) -> String {
    let figures: Vec<String> = (statistics.0.iter())
        .filter_map(|(name, figure)| match figure {
            Figure::Count(count) => Some(format!("{name} {count}")),
            Figure::Bytes(bytes) if timing => Some(format!("{name} {:.1} MB", *bytes as f64 / 1e6)),
            Figure::Seconds(seconds) if timing => Some(format!("{name} {seconds:.2} s")),
            Figure::Bytes(_) | Figure::Seconds(_) => None,
        })
        .collect();
    figures.join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_read_well() {
        assert_eq!(super::counted(1, "state"), "1 state");
        assert_eq!(super::counted(1_234_567, "state"), "1,234,567 states");
        assert_eq!(super::counted(100, "state"), "100 states");
    }
}
