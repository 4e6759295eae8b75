//! New final states, each with the cycle that the old model forbids.

use super::story::cycle;
use super::{Detail, Options, Shown};
use crate::{PortReport, PortVerdict};

pub fn port(report: &PortReport, options: &Options) -> Shown {
    let style = options.style;
    let name = style.strong(if report.test.is_empty() { &report.file } else { &report.test });
    let PortReport { from, to, .. } = report;
    let mut out = match &report.verdict {
        PortVerdict::Compared { names, fresh, gone } => {
            let mut out = match fresh.len() {
                0 => format!("{name}: {} under {to} than under {from}", style.good("no other outcomes")),
                1 => format!("{name}: {} under {to}", style.bad("1 outcome is new")),
                number => format!("{name}: {} under {to}", style.bad(&format!("{number} outcomes are new"))),
            };
            if *gone > 0 {
                out.push_str(&format!(" ({gone} of {from} cannot happen)"));
            }
            if let Some(rests) = report.rests() {
                out.push_str(&format!(", translated {rests}"));
            }
            out.push('\n');
            for state in fresh {
                let cells = names.iter().zip(&state.values).map(|(name, value)| format!("{name}={value};"));
                let cells: Vec<String> = cells.collect();
                let holds = if state.holds { "  (the condition holds)" } else { "" };
                out.push_str(&format!("  {}{holds}\n", cells.join(" ")));
                let title = match &state.axiom {
                    Some(axiom) => format!("  forbidden by `{axiom}` of {from}:"),
                    None => "  the cycle that sc forbids:".to_owned(),
                };
                if options.detail != Detail::Quiet {
                    out.push_str(&cycle(&title, &state.cycle, options));
                }
            }
            out
        }
        PortVerdict::Unknown { model, reason } => {
            format!("{name}: {} under {model} ({reason})\n", style.doubtful("unknown"))
        }
        PortVerdict::Error => format!("{}: {}\n", style.strong(&report.file), style.bad("error")),
        PortVerdict::Internal { what } => {
            format!("{}: {} {what}\n", style.strong(&report.file), style.bad("INTERNAL ERROR:"))
        }
    };
    if options.detail != Detail::Quiet {
        for (model, translated) in [from, to].into_iter().zip(&report.translated) {
            for change in &translated.changes {
                out.push_str(&format!("  {} under {model}, {change}\n", style.strong("note:")));
            }
        }
    }
    match report.verdict {
        PortVerdict::Error => Shown::refused(&out, &report.sources, &report.diagnostics, options),
        _ => Shown::new(out, &report.sources, &report.diagnostics, options),
    }
}
