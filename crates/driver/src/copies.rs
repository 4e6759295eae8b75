//! `--copies`: a program with any number of copies, with so many.
//!
//! A text may leave open how many copies a process has. Engines for fixed numbers get an instance of it, and so do
//! `outcomes`, `compare` and the rest: the choice is made where the text is read, and everything after it sees
//! a program like any other. What was chosen stays in [`Loaded`](crate::Loaded), because every result must say it: *safe* is then a
//! statement about that number.

use std::collections::BTreeMap;

use wattle_program::{Instance, ProcessId, Program, Replicas};
use wattle_source::{Diagnostic, Span, did_you_mean};

use crate::codes;

/// How many copies of a process, or (without a name) of every process that may have any number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    pub process: Option<String>,
    pub count: u32,
}

/// More threads than this are refused.
const MOST: u32 = 1000;

/// The numbers that a user's choice gives, or what is wrong with it.
pub(crate) fn choose(program: &Program, copies: &[Copies]) -> Result<Instance, Diagnostic> {
    let wrong = |message: String| Diagnostic::error(codes::COPIES, Span::NOWHERE, message);
    let any = |process: &ProcessId| program.process(*process).replicas == Replicas::Any;
    let open = || program.process_ids().filter(any);
    let names = || program.processes.iter().map(|process| &*process.name);
    let mut chosen = BTreeMap::new();
    for Copies { process, count } in copies {
        if !(1..=MOST).contains(count) {
            return Err(wrong(format!("a number of copies is 1 to {MOST}, not {count}")));
        }
        match process {
            None if open().next().is_none() => {
                return Err(wrong("no process of this text has any number of copies".into()));
            }
            // A number for one process counts more than one for all.
            None => {
                for process in open() {
                    chosen.entry(process).or_insert(*count);
                }
            }
            Some(name) => match program.process_named(name) {
                None => {
                    let problem = wrong(format!("there is no process `{name}`"));
                    let known = || format!("processes: {}", names().collect::<Vec<_>>().join(", "));
                    return Err(problem.help(did_you_mean(name, names()).unwrap_or_else(known)));
                }
                Some(process) if !any(&process) => {
                    return Err(wrong(format!("the text says how many copies `{name}` has")));
                }
                Some(process) => {
                    chosen.insert(process, *count);
                }
            },
        }
    }
    // Those that are left open stay so only if nothing was chosen at all.
    if let (Some(process), false) = (open().find(|process| !chosen.contains_key(process)), chosen.is_empty())
    {
        let name = &program.process(process).name;
        let problem = wrong(format!("how many copies of `{name}` are there?"));
        return Err(problem.help(format!("say it with --copies {name}=N too")));
    }
    let least = program.least_copies();
    if let Some((process, count)) =
        chosen.iter().find(|(process, count)| program.named_process() == Some(**process) && **count < least)
    {
        let name = &program.process(*process).name;
        return Err(wrong(format!("the text names copy {least} of `{name}`, and there are {count}")));
    }
    Ok(Instance(chosen))
}

/// For reports: the names of processes with the numbers of their copies.
pub(crate) fn said(program: &Program, instance: &Instance) -> Vec<(String, u32)> {
    instance.0.iter().map(|(process, count)| (program.process(*process).name.to_string(), *count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, load};

    fn of(text: &str, copies: &[(Option<&str>, u32)]) -> Result<Vec<(String, u32)>, String> {
        let copies =
            copies.iter().map(|(name, count)| Copies { process: name.map(str::to_owned), count: *count });
        let input = Input::text("a.wtl", "wtl", text).with_copies(copies.collect());
        match load(&input) {
            Ok(loaded) => Ok(said(&loaded.parsed.program, &loaded.instance)),
            Err(refused) => {
                let problem = &refused.diagnostics[0];
                assert_eq!(problem.code, "input-copies");
                Err(format!("{} {}", problem.message, problem.help.clone().unwrap_or_default())
                    .trim()
                    .to_owned())
            }
        }
    }

    #[test]
    fn a_choice_is_for_processes_that_leave_it_open() {
        let text = "shared x; thread p[*] { x = 1; } thread q[*] { x = 2; } thread r[2] { x = 3; }";
        let said = |names: &[(&str, u32)]| {
            Ok(names.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect())
        };
        assert_eq!(of(text, &[]), said(&[]));
        assert_eq!(of(text, &[(None, 3)]), said(&[("p", 3), ("q", 3)]));
        assert_eq!(of(text, &[(None, 3), (Some("q"), 1)]), said(&[("p", 3), ("q", 1)]));
        assert_eq!(of(text, &[(Some("q"), 1), (None, 3)]), said(&[("p", 3), ("q", 1)]));
        let wrong = |copies: &[(Option<&str>, u32)], message: &str| {
            assert_eq!(of(text, copies), Err(message.to_owned()))
        };
        wrong(&[(Some("p"), 2)], "how many copies of `q` are there? say it with --copies q=N too");
        wrong(&[(Some("r"), 2)], "the text says how many copies `r` has");
        wrong(&[(Some("pp"), 2)], "there is no process `pp` did you mean `p`?");
        wrong(&[(None, 0)], "a number of copies is 1 to 1000, not 0");
        let fixed = of("thread r[2] { skip; }", &[(None, 2)]);
        assert_eq!(fixed, Err("no process of this text has any number of copies".into()));
    }
}
