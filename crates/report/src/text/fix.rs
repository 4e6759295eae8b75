//! A repair: what was found, how far it is proved, and the change as a unified diff.

use super::check::{asked, counted, figures};
use super::{Detail, Options, Shown};
use crate::{FixReport, FixVerdict, Placement, Proof};

pub fn fix(report: &FixReport, options: &Options) -> Shown {
    let result = result(report, options);
    match report.verdict {
        FixVerdict::Error => Shown::refused(&result, &report.sources, &report.diagnostics, options),
        _ => Shown::new(result, &report.sources, &report.diagnostics, options),
    }
}

fn result(report: &FixReport, options: &Options) -> String {
    let style = options.style;
    let mut worth: Vec<String> = Vec::new();
    let verdict = match &report.verdict {
        FixVerdict::AlreadySafe { proof } => {
            worth.extend(up_to(*proof));
            style.good("already safe")
        }
        FixVerdict::Repaired { count, source_count, minimal, proof, sets, .. } => {
            worth.push(amounts(sets.first().map_or(&[], Vec::as_slice), *count));
            let copied = sets.iter().flatten().any(|one| one.copy.is_some());
            if let Some(source) = source_count.filter(|source| source != count || copied) {
                worth.push(format!("{source} in the text"));
            }
            worth.push(if *minimal { "fewest possible" } else { "not proved to be the fewest" }.into());
            worth.push(up_to(*proof).unwrap_or_else(|| "proved safe".into()));
            style.good("repaired")
        }
        FixVerdict::Relaxed { keep, remove, minimal, proof, .. } => {
            worth.push(format!("{} of {} can go", remove.len(), keep.len() + remove.len()));
            worth.push(if *minimal { "most possible" } else { "not proved to be the most" }.into());
            worth.extend(up_to(*proof));
            style.good(if remove.is_empty() { "nothing to relax" } else { "relaxed" })
        }
        FixVerdict::Unrepairable { why } => {
            worth.push(why.clone());
            style.bad("cannot be repaired")
        }
        FixVerdict::Unknown { reason } => {
            worth.push(reason.to_string());
            style.doubtful("unknown")
        }
        FixVerdict::Error => style.bad("error"),
        FixVerdict::Internal { what } => {
            worth.push(what.clone());
            style.bad("INTERNAL ERROR")
        }
    };
    if report.verdict.is_proved() {
        worth.extend(crate::vacuous(&report.diagnostics).map(ToOwned::to_owned));
    }
    if options.timing && !matches!(report.verdict, FixVerdict::Error) {
        worth.push(format!("{:.2} s", report.seconds));
    }
    let worth = match worth.is_empty() {
        true => String::new(),
        false => style.faint(&format!(" ({})", worth.join(", "))),
    };
    let model = match report.verdict {
        FixVerdict::Error => String::new(),
        _ => {
            let rests = report.rests().map(|rests| format!(", translated {rests}")).unwrap_or_default();
            format!(" under {}{rests}{}", report.model, asked(report.property))
        }
    };
    let mut out = format!("{}: {verdict}{model}{worth}\n", style.strong(&report.file));
    if options.detail == Detail::Quiet {
        return out;
    }
    if let FixVerdict::Repaired { sets, .. } = &report.verdict {
        for (number, set) in sets.iter().enumerate() {
            if sets.len() > 1 {
                out.push_str(&format!("  set {} of {}:\n", number + 1, sets.len()));
            }
            for placement in set {
                out.push_str(&format!("  {}\n", sentence(placement)));
            }
        }
    }
    if let FixVerdict::Relaxed { remove, edited: Some(_), .. } = &report.verdict {
        for fence in remove {
            let line = fence.line_name().map(|line| format!("line {line}: ")).unwrap_or_default();
            out.push_str(&format!("  {line}`{}` can go\n", fence.after));
        }
    }
    if let Some(diff) = report.diff() {
        out.push_str(&coloured(&diff, options));
    }
    for note in &report.notes {
        out.push_str(&format!("  {} {note}\n", style.strong("note:")));
    }
    if options.detail == Detail::Verbose {
        for remark in &report.remarks {
            out.push_str(&format!("  {}\n", style.faint(remark)));
        }
        let figures = figures(&report.statistics, options.timing);
        if !figures.is_empty() {
            out.push_str(&format!("  {}\n", style.faint(&figures)));
        }
    }
    out
}

/// `2 fences`, `1 sync + 2 lwsync`.
fn amounts(set: &[Placement], count: usize) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for placement in set {
        match kinds.iter_mut().find(|(kind, _)| *kind == placement.kind) {
            Some((_, number)) => *number += 1,
            None => kinds.push((&placement.kind, 1)),
        }
    }
    if kinds.is_empty() {
        kinds.push(("fence", count));
    }
    let amount = |(kind, number): &(&str, usize)| match *kind {
        "fence" => counted(*number as u64, kind),
        "flush" => counted(*number as u64, kind).replace("flushs", "flushes"),
        // Instructions have no plural.
        kind => format!("{number} {kind}"),
    };
    kinds.iter().map(amount).collect::<Vec<_>>().join(" + ")
}

fn up_to(proof: Proof) -> Option<String> {
    (proof == Proof::Bounded).then(|| "checked up to a bound only".into())
}

/// How `after` of a placement begins that stands at a control point.
const BEFORE: &str = "the point before ";

/// `fence after store x (line 5) in p[1]`.
fn sentence(placement: &Placement) -> String {
    let target = placement.target.as_ref().map(|target| format!("({target})")).unwrap_or_default();
    let line = placement.line_name().map(|line| format!(" (line {line})")).unwrap_or_default();
    let copy = placement.copy.map(|copy| format!("[{copy}]")).unwrap_or_default();
    // A control point is named by the statement that starts there.
    let place = match placement.after.strip_prefix(BEFORE) {
        Some(statement) => format!("before {statement}"),
        None => format!("after {}", placement.after),
    };
    format!("{}{target} {place}{line} in {}{copy}", placement.kind, placement.thread)
}

fn coloured(diff: &str, options: &Options) -> String {
    let mut out = String::from("\n");
    for line in diff.lines() {
        out.push_str(&match line.as_bytes().first() {
            Some(b'+') if !line.starts_with("+++") => options.style.good(line),
            Some(b'-') if !line.starts_with("---") => options.style.bad(line),
            _ => line.to_owned(),
        });
        out.push('\n');
    }
    out
}
