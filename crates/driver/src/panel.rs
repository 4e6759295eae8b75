//! Several engines as one: for commands that ask many questions about one program.
//!
//! The engines have their turn as in `solve`, each with an equal share of the time that is left, and
//! the first to know answers. Whoever did not know is not asked first again: programs that differ in
//! a few fences are equally hard. A bounded proof that reaches nothing of what the property speaks about
//! is no answer.

use std::sync::atomic::{AtomicUsize, Ordering};

use wattle_engine::{Answer, Contradiction, Engine, Reason, Run, Statistics, Task, Unsupported, Verdict};

use crate::reach::Reach;
use crate::refusals::{all_refuse, says_more};
use crate::turns::{Turn, turns};

pub(crate) struct Panel<'a> {
    turns: Vec<Turn<'a>>,
    /// Who is asked first.
    first: AtomicUsize,
}

impl<'a> Panel<'a> {
    /// Those that accept the task, or why none does.
    pub(crate) fn new(engines: &'a [Box<dyn Engine>], task: &Task<'_>) -> Result<Panel<'a>, Unsupported> {
        let (mut willing, mut refusals): (Vec<&dyn Engine>, Vec<_>) = (vec![], vec![]);
        for engine in engines {
            match engine.accepts(task) {
                Ok(()) => willing.push(&**engine),
                Err(why) => refusals.push((&**engine, why)),
            }
        }
        match willing.is_empty() {
            true => Err(all_refuse(task, &refusals)),
            false => Ok(Panel { turns: turns(&willing, task.program), first: AtomicUsize::new(0) }),
        }
    }
}

impl Engine for Panel<'_> {
    /// Whoever answers at present.
    fn name(&self) -> &'static str {
        self.turns.get(self.first.load(Ordering::Relaxed)).map_or("none", |turn| turn.engine.name())
    }

    fn accepts(&self, task: &Task<'_>) -> Result<(), Unsupported> {
        let mut refusal = Unsupported::new("no engine");
        for turn in &self.turns {
            match turn.engine.accepts(task) {
                Ok(()) => return Ok(()),
                Err(why) => refusal = why,
            }
        }
        Err(refusal)
    }

    fn check(&self, task: &Task<'_>, run: &Run) -> Result<Answer, Contradiction> {
        let nobody = Reason::Undecided("no engine".into());
        let mut unknown = Answer::new(Verdict::Unknown { reason: nobody }, Statistics::default());
        let first = self.first.load(Ordering::Relaxed);
        for number in first..self.turns.len() {
            let turn = self.turns[number];
            let share = turn.share(run, self.turns.len() - number);
            let mut answer = turn.engine.check(task, &share)?;
            if let Verdict::SafeUpTo { bound } = &answer.verdict {
                let coverage = answer.coverage.clone().unwrap_or_default();
                if Reach::new(task.program, &coverage).vacuous(task.property).is_some() {
                    answer.verdict = Verdict::Unknown { reason: Reason::Vacuous { bound: *bound } };
                }
            }
            match answer.verdict {
                Verdict::Unknown { reason: Reason::Interrupted } => return Ok(answer),
                Verdict::Unknown { ref reason } => {
                    let Verdict::Unknown { reason: known } = &unknown.verdict else { continue };
                    if number == first || says_more(reason, known) {
                        unknown = answer;
                    }
                }
                _ => {
                    self.first.store(number, Ordering::Relaxed);
                    return Ok(answer);
                }
            }
        }
        Ok(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fix::{Fix, fix};
    use crate::{Input, Watch, models};
    use wattle_report::{FixReport, FixVerdict, Proof};

    fn fixed(text: &str, model: &str, engine: Option<&str>) -> FixReport {
        let model = models::resolve(model, false).unwrap();
        let request = Fix { engine: engine.map(ToOwned::to_owned), ..Fix::new(model) };
        fix(&request, &Input::text("a.wtl", "wtl", text), &Watch::default()).unwrap()
    }

    /// The assertion comes after more rounds than are looked at.
    #[test]
    fn a_vacuous_bounded_program_is_unknown_to_fix_too() {
        let text = "shared x = 0, y = 0; thread p { local n = 0; while (n < 9) { x = 1; y = 1; n = n + 1; } assert n == 9; }";
        let report = fixed(text, "power", Some("enumerate"));
        let vacuous = matches!(&report.verdict, FixVerdict::Unknown { reason: Reason::Vacuous { .. } });
        assert!(vacuous, "{:?}", report.verdict);
    }

    /// Bounded, not vacuous: the text says what was chosen, and nothing is called minimal.
    #[test]
    fn a_repair_up_to_a_bound_says_so() {
        let text = "shared x = 0, y = 0;\nthread p {\n  while (true) {\n    x = 1;\n    y = 1;\n    await y == 0;\n  }\n}\n\
                    thread q {\n  local r = 0;\n  await y == 1;\n  r = x;\n  assert r == 1;\n}\n";
        let report = fixed(text, "power", Some("enumerate"));
        let FixVerdict::Repaired { proof, minimal, sets, edited, .. } = report.verdict else {
            panic!("{:?}", report.verdict)
        };
        assert_eq!((proof, minimal), (Proof::Bounded, false));
        let kinds: Vec<&str> = sets[0].iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, ["lwsync", "lwsync"]);
        let edited = edited.unwrap();
        assert!(edited.contains("    fence lwsync;\n    y = 1;"), "{edited}");
        assert!(edited.contains("  fence lwsync;\n  r = x;"), "{edited}");
    }
}
