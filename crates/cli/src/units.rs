//! Times and sizes as people write them.

use std::time::Duration;

use wattle_driver::Copies;
use wattle_driver::fix::fence_kinds;
use wattle_engine_extrapolate::Rules;
use wattle_generate::cycle::Architecture;
use wattle_source::did_you_mean;

/// `30s`, `500ms`, `2m`, `1h`, `1.5s`; a bare number means seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 30s, 500ms or 2m".into()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time such as 30s, 500ms or 2m".to_owned())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

/// `4G`, `500M`, `64k`; powers of 1024. A bare number means bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let shift = match unit.to_ascii_lowercase().trim_end_matches('b').trim_end_matches('i') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err("expected a size such as 4G or 500M".into()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a size such as 4G or 500M".to_owned())?;
    let bytes = number * f64::from(shift).exp2();
    if bytes < 1.0 { Err("the size must be positive".into()) } else { Ok(bytes as u64) }
}

/// `fence=2`, `lwsync=1`.
pub(crate) fn cost(text: &str) -> Result<(String, u64), String> {
    let parts = text.split_once('=').and_then(|(kind, cost)| Some((kind, cost.parse::<u64>().ok()?)));
    let (kind, cost) =
        parts.filter(|(_, cost)| *cost > 0).ok_or("expected KIND=N with N > 0, such as sync=3")?;
    let kinds = fence_kinds();
    match kinds.iter().any(|known| known.eq_ignore_ascii_case(kind)) {
        true => Ok((kind.to_ascii_lowercase(), cost)),
        false => Err(match did_you_mean(kind, kinds.iter().map(String::as_str)) {
            Some(hint) => format!("no fence is called `{kind}`: {hint}"),
            None => format!("no fence is called `{kind}` (known: {})", kinds.join(", ")),
        }),
    }
}

/// `5,6,7`: which of the optional rules of extrapolation apply.
pub(crate) fn rules(text: &str) -> Result<Rules, String> {
    let mut rules = Rules { equalities: false, read_only: false, same_place: false, one_buffered: false };
    if text == "none" {
        return Ok(rules);
    }
    for number in text.split(',') {
        match number.trim() {
            "4" | "11" => rules.equalities = true,
            "5" | "12" => rules.read_only = true,
            "6" | "13" => rules.same_place = true,
            "7" | "14" => rules.one_buffered = true,
            _ => return Err("expected numbers from 4 to 7 (pso) or 11 to 14 (tso), or `none`".into()),
        }
    }
    Ok(rules)
}

/// `12=5`: a line, and how often its loop may go round.
pub(crate) fn loop_bound(text: &str) -> Result<(u32, u32), String> {
    let parts =
        text.split_once('=').and_then(|(line, rounds)| Some((line.parse().ok()?, rounds.parse().ok()?)));
    let good = parts.filter(|(line, rounds): &(u32, u32)| *line > 0 && *rounds > 0);
    good.ok_or("expected LINE=N with numbers from 1 on, such as 12=5".into())
}

/// `2`: so much room for each buffer; `x=3`: for those of one variable.
pub(crate) fn buffer(text: &str) -> Result<(Option<String>, u32), String> {
    let (name, number) = match text.split_once('=') {
        Some((name, number)) => (Some(name.trim()), number.trim()),
        None => (None, text),
    };
    let good = number.parse().ok().filter(|_| name != Some(""));
    good.map(|number| (name.map(String::from), number)).ok_or("expected N or NAME=N, such as 2 or x=3".into())
}

/// `3`: so many copies of every process that may have any number; `p=3`: of one.
pub(crate) fn copies(text: &str) -> Result<Copies, String> {
    let (process, count) =
        buffer(text).map_err(|_| "expected N or PROCESS=N, such as 3 or p=3".to_owned())?;
    Ok(Copies { process, count })
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or("expected a number from 1 on".into())
}

/// An architecture by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arch(pub Architecture);

pub(crate) fn architecture(text: &str) -> Result<Arch, String> {
    let names = || Architecture::ALL.iter().map(|one| one.name());
    let known = || format!("known: {}", names().collect::<Vec<_>>().join(", "));
    Architecture::find(text).map(Arch).ok_or_else(|| did_you_mean(text, names()).unwrap_or_else(known))
}

/// `6`: from 2 to 6; `4-8`: from 4 to 8.
pub(crate) fn range(text: &str) -> Result<(usize, usize), String> {
    let (low, high) = text.split_once('-').unwrap_or(("2", text));
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) if 2 <= low && low <= high => Ok((low, high)),
        _ => Err("expected a number from 2 on, or a range such as 4-8".into()),
    }
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert!(duration("soon").is_err() && duration("3 days").is_err() && duration("").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("1.5KiB"), Ok(1536));
        assert!(bytes("-1").is_err() && bytes("0").is_err());
        assert_eq!(cost("fence=2"), Ok(("fence".into(), 2)));
        assert_eq!((range("6"), range("4-8")), (Ok((2, 6)), Ok((4, 8))));
        assert!(range("1").is_err() && range("8-4").is_err() && range("").is_err());
        assert!(cost("fence").is_err() && cost("=2").is_err() && cost("fnece=2").is_err());
    }
}
