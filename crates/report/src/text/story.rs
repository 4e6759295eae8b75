//! The story of a counterexample: one lane a thread, one line a move, time runs downwards.
//!
//! ```text
//!   line  p[0]  p[1]
//!      7  ●     │     flag[me] = 1   flag[0] = 1 → buffer of p[0]
//!      7  │     ●     flag[me] = 1   flag[1] = 1 → buffer of p[1]
//!      7  ○     │     commit         flag[0] = 1 → memory
//! ```
//!
//! A full dot is the thread's own step, a ring is what its buffer or the network does later. The
//! lanes show at a glance who runs when; the right column says what memory saw of it.

use wattle_source::Position;

use super::{Options, Style};
use crate::names::location_list;
use crate::{Actor, Effect, Link, Move, Standing, Story, Via, ViolatedKind, Writer};

/// Lanes wider than this altogether are squeezed, and names go before the statements instead.
const WIDEST_LANES: usize = 36;
/// Statements longer than this go on below.
const LONGEST_STATEMENT: usize = 30;

pub fn story(story: &Story, options: &Options) -> String {
    let layout = Layout::new(story);
    let mut out = String::new();
    if !story.start.is_empty() {
        out.push_str(&format!("  starting with {}\n", location_list(&story.start)));
    }
    if !story.moves.is_empty() {
        out.push_str(&layout.header(story, options.style));
    }
    for one in &story.moves {
        out.push_str(&layout.line(story, one, options));
    }
    if story.timeless {
        let text = "one thread after another: an execution graph has no time, only who read from whom";
        out.push_str(&format!("  {}\n", options.style.faint(text)));
    }
    out.push_str(&ending(story, options));
    out
}

struct Layout {
    lane: Vec<usize>,
    /// Are the lanes too narrow for names?
    squeezed: bool,
    statement: usize,
    /// How wide the numbers of lines are.
    number: usize,
}

impl Layout {
    fn new(story: &Story) -> Layout {
        let named: Vec<usize> = story.threads.iter().map(|name| name.chars().count() + 2).collect();
        let squeezed = named.iter().sum::<usize>() > WIDEST_LANES;
        let lane = if squeezed { vec![2; named.len()] } else { named };
        let longest = story.moves.iter().map(|one| text_of(story, one, squeezed).chars().count()).max();
        let numbers = story.moves.iter().filter_map(|one| one.place);
        let number = numbers.map(|place| story.line(place).chars().count()).max().unwrap_or(0).max(4);
        Layout { lane, squeezed, statement: longest.unwrap_or(0).min(LONGEST_STATEMENT), number }
    }

    fn header(&self, story: &Story, style: Style) -> String {
        let mut out = String::from("  ");
        out.push_str(&style.faint(&format!("{:>width$}", "line", width = self.number)));
        out.push_str("  ");
        if !self.squeezed {
            for (thread, name) in story.threads.iter().enumerate() {
                out.push_str(&style.thread(thread, name));
                out.push_str(&" ".repeat(self.lane[thread] - name.chars().count()));
            }
        }
        out.trim_end().to_owned() + "\n"
    }

    fn lanes(&self, thread: Option<usize>, mark: &str, style: Style) -> String {
        let mut out = String::new();
        for (number, width) in self.lane.iter().enumerate() {
            out.push_str(&match thread == Some(number) {
                true => style.thread(number, mark),
                false => style.faint("│"),
            });
            out.push_str(&" ".repeat(width - 1));
        }
        out
    }

    fn line(&self, story: &Story, one: &Move, options: &Options) -> String {
        let style = options.style;
        let mark = match one.actor {
            Actor::Thread => "●",
            Actor::Buffer | Actor::Network => "○",
        };
        let left = 2 + self.number + 2 + self.lane.iter().sum::<usize>() + self.statement + 2;
        let room = options.width.saturating_sub(left).max(24);
        let mut cells: Vec<(bool, String)> = Vec::new();
        for effect in &one.effects {
            let bad = matches!(effect, Effect::Failed { .. } | Effect::Fault { .. });
            for sentence in sentences(story, one, effect) {
                cells.extend(wrap(&sentence, room).into_iter().map(|line| (bad, line)));
            }
        }
        let number = one.place.map(|place| story.line(place)).unwrap_or_default();
        let statement = wrap(&text_of(story, one, self.squeezed), self.statement);
        let mut out = String::new();
        for row in 0..cells.len().max(statement.len()) {
            let mut line = match row {
                0 => format!(
                    "  {}  {}",
                    style.faint(&format!("{number:>width$}", width = self.number)),
                    self.lanes(Some(one.thread), mark, style)
                ),
                _ => {
                    format!("{:width$}{}", "", self.lanes(None, "", style), width = self.number + 4)
                }
            };
            let text = shorten(statement.get(row).map_or("", String::as_str), self.statement);
            let padding = " ".repeat(self.statement - text.chars().count());
            line.push_str(&match one.actor {
                Actor::Thread => style.thread(one.thread, &text),
                Actor::Buffer | Actor::Network => style.faint(&text),
            });
            line.push_str(&padding);
            if let Some((bad, text)) = cells.get(row) {
                line.push_str("  ");
                line.push_str(&if *bad { style.bad(text) } else { text.clone() });
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

fn text_of(story: &Story, one: &Move, squeezed: bool) -> String {
    let name = story.threads.get(one.thread).map_or("", String::as_str);
    match squeezed {
        true => format!("{name}: {}", one.statement),
        false => one.statement.clone(),
    }
}

/// What one effect says, one line a fact.
fn sentences(story: &Story, one: &Move, effect: &Effect) -> Vec<String> {
    let me = story.threads.get(one.thread).map_or("", String::as_str);
    let at = |line: &Option<Position>| line.map(|line| format!(", line {}", story.line(line)));
    let at = |line: &Option<Position>| at(line).unwrap_or_default();
    let remote = story.moves.iter().any(|one| {
        one.actor == Actor::Network
            || one.effects.iter().any(|effect| matches!(effect, Effect::Started { .. }))
    });
    vec![match effect {
        Effect::Read { location, value, via, writer, unseen } => {
            let from = match (via, writer) {
                (Via::OwnBuffer, Writer::Thread { line: Some(line), .. }) => {
                    format!(" from its own buffer (line {})", story.line(*line))
                }
                (Via::OwnBuffer, _) => " from its own buffer".into(),
                (Via::Memory, Writer::Initial) => ", its initial value".into(),
                (Via::Memory, Writer::Thread { thread, line })
                    if *thread == one.thread && one.actor == Actor::Thread =>
                {
                    format!(" from itself{}", at(line))
                }
                (Via::Memory, Writer::Thread { thread, line }) => {
                    format!(" from {}{}", story.threads.get(*thread).map_or("", String::as_str), at(line))
                }
            };
            let mut result = vec![format!("reads {location} = {value}{from}")];
            for (thread, value) in unseen {
                result.push(match remote {
                    true => format!("  while {location} = {value} of {thread} is still on its way"),
                    false => format!("  while {thread} still buffers {location} = {value}"),
                });
            }
            return result;
        }
        Effect::Buffered { location, value } => format!("{location} = {value} → buffer of {me}"),
        Effect::Stored { location, value } => format!("{location} = {value} → memory"),
        Effect::Wrote { location, value } => format!("writes {location} = {value}"),
        Effect::Reached { location, value, .. } => format!("{location} = {value} → memory"),
        Effect::Local { name, value } => format!("{name} = {value}"),
        Effect::Chosen { name: Some(name), value } => format!("chooses {name} = {value}"),
        Effect::Chosen { name: None, value } => format!("chooses {value}"),
        Effect::Fence => "passes the fence".into(),
        Effect::Started { what } => format!("starts {what}"),
        Effect::Created { thread } => format!("starts {thread}"),
        Effect::Joined { thread } => format!("sees that {thread} has ended"),
        Effect::Flushed { target } if target == "*" => "all its remote operations are done".into(),
        Effect::Flushed { target } => format!("all its operations on {target} are done"),
        Effect::Failed { .. } => "✗ does not hold".into(),
        Effect::Fault { what } => format!("✗ {what}"),
    }]
}

fn ending(story: &Story, options: &Options) -> String {
    let style = options.style;
    let violated = &story.violated;
    let line = violated.place.map(|place| format!(", line {}", story.line(place))).unwrap_or_default();
    let text = if violated.text.is_empty() { violated.kind.word() } else { &violated.text };
    let what = match violated.kind {
        ViolatedKind::Assert => format!("violated: {text}{line}"),
        ViolatedKind::Forbid | ViolatedKind::Exists => format!("reached: {text}{line}"),
        ViolatedKind::Always | ViolatedKind::Finally => format!("violated: {text}{line}"),
        ViolatedKind::Fault => format!("fault: {text}{line}"),
        ViolatedKind::Deadlock => format!("deadlock: {text}"),
        ViolatedKind::Undefined => text.to_owned(),
    };
    let mut out = format!("  {}\n", style.bad(&format!("✗ {what}")));
    let finish = &story.finish;
    let mut row = |name: &str, text: String| {
        for (number, line) in wrap(&text, options.width.saturating_sub(14).max(24)).iter().enumerate() {
            let name = if number == 0 { name } else { "" };
            out.push_str(&format!("    {}  {line}\n", style.faint(&format!("{name:<8}"))));
        }
    };
    let threads: Vec<String> = finish.standing.iter().map(|one| standing(story, one)).collect();
    if !threads.is_empty() {
        row("threads", threads.join(", "));
    }
    if !finish.memory.is_empty() {
        row("memory", location_list(&finish.memory));
    }
    if !finish.locals.is_empty() {
        row("locals", location_list(&finish.locals));
    }
    for (number, (thread, stores)) in finish.buffers.iter().enumerate() {
        let name = if number == 0 { "pending" } else { "" };
        row(name, format!("{thread}: {}", location_list(stores)));
    }
    out.push_str(&cycle("the cycle that sc forbids", &story.cycle, options));
    match story.holds_under_sc {
        Some(true) => out.push_str(&format!(
            "\n  {}\n",
            style.strong("The property holds under sc: only weak memory breaks it.")
        )),
        Some(false) => out.push_str("\n  The property is violated under sc too: fences cannot repair it.\n"),
        None => {}
    }
    out
}

/// One event a line, with the relation that leads to the next; the last leads back to the first.
pub(super) fn cycle(title: &str, cycle: &[Link], options: &Options) -> String {
    if cycle.is_empty() {
        return String::new();
    }
    let style = options.style;
    let mut out = format!("  {}\n", style.strong(title));
    let width = |text: fn(&Link) -> &str| cycle.iter().map(|link| text(link).chars().count()).max();
    let (thread, event) = (width(|link| &link.thread), width(|link| &link.event));
    let lines: Vec<String> = cycle.iter().map(Link::line_name).collect();
    let number = lines.iter().map(String::len).max().unwrap_or(0).max(4);
    for (which, link) in cycle.iter().enumerate() {
        let line = &lines[which];
        let arrow = if which + 1 == cycle.len() { "→ the first" } else { "→" };
        out.push_str(&format!(
            "  {}  {:<thread$}  {:<event$}  {}\n",
            style.faint(&format!("{line:>number$}")),
            link.thread,
            link.event,
            style.faint(&format!("{} {arrow}", link.relation)),
            thread = thread.unwrap_or(0),
            event = event.unwrap_or(0),
        ));
    }
    out
}

fn standing(story: &Story, standing: &Standing) -> String {
    let line = standing.line.map(|line| format!(" (line {})", story.line(line))).unwrap_or_default();
    match (&standing.label, standing.ended) {
        (_, true) => format!("{} has ended", standing.thread),
        (Some(label), _) => format!("{} at {label}{line}", standing.thread),
        (None, _) => match standing.line {
            Some(line) => format!("{} at line {}", standing.thread, story.line(line)),
            None => standing.thread.clone(),
        },
    }
}

fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Break at spaces; continuation lines are indented by two.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let mut lines = Vec::new();
    let mut line = " ".repeat(indent);
    for word in text.split_whitespace() {
        let blank = line.trim().is_empty();
        if !blank && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent + 2)));
            line.push_str(word);
        } else {
            if !blank {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.push(line);
    lines
}
