//! No option is silently without effect.
//!
//! clap knows which options a command has, and refuses some pairs of them (`conflicts_with` in `args.rs`). It
//! does not know what an option is for. Most configure an engine: [`CONFIGURES`] says which. Such an option
//! is refused where none of its engines can take part, because another was asked for, the model has no form that
//! it could work on, or nothing is checked at all. Options of output that a command has no use for are
//! harmless, so they only get a warning.

use clap::ArgMatches;
use clap::parser::ValueSource;
use wattle_driver::engines::{self, Constructor, ENGINES};
use wattle_driver::models;
use wattle_engine::Property;
use wattle_memory::{Machine, MemoryModel};

use crate::args::{Cli, Command, Dump, Emit, Format, Method, Question, View};

const EXPLORE: &str = "explore";
const EXTRAPOLATE: &str = "extrapolate";
const REFINE: &str = "refine";
const BACKWARD: &str = "backward";
const BMC: &str = "bmc";
const ENUMERATE: &str = "enumerate";
/// Every engine, also those to come.
const EVERY: &[&str] = &[];
/// Not an engine, but `--emit reduced` reads options of one.
const REDUCED: &str = "emit reduced";

/// Which engines an option configures, by the name of its field.
const CONFIGURES: [(&str, &str, &[&str]); 22] = [
    ("timeout", "--timeout", EVERY),
    ("memory", "--memory", EVERY),
    ("max_states", "--max-states", &[EXPLORE, EXTRAPOLATE, REFINE, BACKWARD, ENUMERATE]),
    ("threads", "--threads", &[EXPLORE, BACKWARD]),
    ("no_reduction", "--no-reduction", &[EXPLORE]),
    ("capacity", "--capacity", &[EXPLORE]),
    ("buffer", "--buffer", &[EXTRAPOLATE, REFINE, REDUCED]),
    ("rest", "--rest", &[REFINE, REDUCED]),
    ("keep", "--keep", &[REFINE, REDUCED]),
    ("unwind", "--unwind", &[BMC, ENUMERATE]),
    ("unwind_loop", "--unwind-loop", &[BMC]),
    ("formulation", "--formulation", &[BMC]),
    ("method", "--method", &[EXTRAPOLATE]),
    ("cubes_by", "--search", &[EXTRAPOLATE]),
    ("cube_size", "--cube-size", &[EXTRAPOLATE]),
    ("ignore_predicates", "--ignore-predicates", &[EXTRAPOLATE, REFINE]),
    ("no_refinement", "--no-refinement", &[EXTRAPOLATE]),
    ("rules", "--rules", &[EXTRAPOLATE]),
    ("smt_library", "--smt-library", &[EXTRAPOLATE, REFINE]),
    ("max_processes", "--max-processes", &[BACKWARD]),
    ("nodes", "--nodes", &[BACKWARD]),
    ("search_order", "--search-order", &[BACKWARD]),
];

/// What is done with store buffers; under sc there are none.
const OF_BUFFERS: [(&str, &str); 4] =
    [("rest", "--rest"), ("keep", "--keep"), ("method", "--method"), ("rules", "--rules")];

/// Options of output, the commands that have no use for them, and what they would have to do with.
const UNUSED: [(&str, &str, &[&str]); 4] = [
    ("format", "--format", &["explain", "schema", "completions", "man"]),
    ("color", "--color", &["test", "generate", "distinguish", "explain", "schema", "completions", "man"]),
    ("verbose", "--verbose", &["models", "engines", "explain", "doctor", "schema", "completions", "man"]),
    (
        "smt_library",
        "--smt-library",
        &[
            "models",
            "generate",
            "distinguish",
            "replay",
            "explain",
            "schema",
            "completions",
            "man",
            "outcomes",
        ],
    ),
];

/// `Err`: an option that would have no effect. The words beside are warnings.
pub(crate) fn check(cli: &Cli, matches: &ArgMatches) -> Result<Vec<String>, String> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(vec![]) };
    if cli.show.format == Format::Svcomp && name != "check" {
        return Err(format!("--format svcomp has no effect on `wattle {name}`: it is for `wattle check`"));
    }
    let given = |option: &str| {
        matches.try_contains_id(option).unwrap_or(false)
            && matches.value_source(option) == Some(ValueSource::CommandLine)
    };
    let warnings = (UNUSED.iter())
        .filter(|(option, _, commands)| commands.contains(&name) && given(option))
        .map(|(_, option, _)| format!("{option} has no effect on `wattle {name}`"))
        .collect();
    let Some(part) = taking_part(cli)? else { return Ok(warnings) };
    for (option, said, engines) in CONFIGURES {
        let engines = if engines.is_empty() { &names()[..] } else { engines };
        let unused = |engine: &&str| !part.engines.contains(engine);
        let warned = UNUSED.iter().any(|(other, _, commands)| *other == option && commands.contains(&name));
        // Several engines work side by side; one alone has workers only if it is `explore` or `backward`.
        let beside = option == "threads" && part.engines.len() > 1;
        if given(option) && !warned && !beside && engines.iter().all(unused) {
            return Err(format!("{said} has no effect here: it is for {}, and {}", list(engines), part.why));
        }
    }
    for (option, said) in part.unused.iter().copied().flatten() {
        if given(option) {
            return Err(format!("{said} has no effect here: {}", part.why));
        }
    }
    if given("buffer") && !part.buffers && !part.remote {
        return Err(
            "--buffer has no effect here: it is about what is pending, and under no model anything is".into(),
        );
    }
    for (option, said) in OF_BUFFERS {
        if given(option) && option != "method" && !part.buffers {
            return Err(format!(
                "{said} has no effect here: it is about store buffers, and no model has any"
            ));
        }
    }
    if given("method") {
        let (has_use, about) = match method(cli) {
            Some(Method::Ebp) => (part.remote, "pending remote operations"),
            Some(Method::Auto | Method::Pe) => (part.buffers || part.remote, "what is pending"),
            _ => (part.buffers, "store buffers"),
        };
        if !has_use {
            return Err(format!(
                "--method has no effect here: this one is about {about}, and no model has any"
            ));
        }
    }
    let reduced = part.engines.contains(&REDUCED);
    if given("keep") && reduced && !given("rest") {
        return Err("--keep has no effect here: without --rest, stores that find no room overflow".into());
    }
    let named = |(name, _): &(Option<String>, u32)| name.is_some();
    let takes_names = reduced || part.engines.contains(&EXTRAPOLATE);
    if given("buffer") && !takes_names && room(cli).iter().any(named) {
        return Err(format!(
            "--buffer NAME=N has no effect here: it is for engine {EXTRAPOLATE} and --emit reduced, and {}",
            part.why
        ));
    }
    if given("sc_copy") && !part.copies {
        return Err(
            "--sc-copy has no effect here: it says how sc reads a remote copy, and neither sc nor rma is \
                    among the models"
                .into(),
        );
    }
    Ok(warnings)
}

fn list(all: &[&str]) -> String {
    let engines: Vec<&str> = all.iter().copied().filter(|engine| *engine != REDUCED).collect();
    let engines = match engines[..] {
        [] => return "--emit reduced".into(),
        [engine] => format!("engine {engine}"),
        _ => format!("engines {}", engines.join(", ")),
    };
    if all.contains(&REDUCED) { format!("{engines} and --emit reduced") } else { engines }
}

/// What `--buffer` says.
fn room(cli: &Cli) -> &[(Option<String>, u32)] {
    match &cli.command {
        Command::Check(args) => &args.search.buffer,
        Command::Fix(args) => &args.search.buffer,
        Command::Compare(args) => &args.search.buffer,
        Command::Outcomes(args) => &args.search.buffer,
        Command::Test(args) => &args.search.buffer,
        _ => &[],
    }
}

fn method(cli: &Cli) -> Option<Method> {
    match &cli.command {
        Command::Check(args) => Some(args.predicates.method),
        Command::Fix(args) => Some(args.predicates.method),
        _ => None,
    }
}

/// The engines that work on a request.
struct Part {
    engines: Vec<&'static str>,
    /// Why no others do.
    why: String,
    /// Further options that do nothing then.
    unused: &'static [&'static [(&'static str, &'static str)]],
    /// Does it matter how sc reads a remote copy?
    copies: bool,
    /// Is there a model with store buffers?
    buffers: bool,
    /// Is there one with pending remote operations that are written into a program?
    remote: bool,
}

/// What `--dump` and `--emit reduced` have no use for.
const NOTHING_CHECKED: &[(&str, &str)] = &[
    ("engine", "--engine"),
    ("check", "--check"),
    ("certify", "--certify"),
    ("accept_bounded", "--accept-bounded"),
    ("deny", "--deny"),
    ("save_trace", "--save-trace"),
    ("jobs", "--jobs"),
];

/// What unrolling alone has no use for.
const UNLIMITED: &[(&str, &str)] = &[("timeout", "--timeout"), ("memory", "--memory")];

/// `None`: a command without engines.
fn taking_part(cli: &Cli) -> Result<Option<Part>, String> {
    let resolve = |name: &str| models::resolve(name, false);
    Ok(Some(match &cli.command {
        Command::Check(args) => {
            let model = [resolve(&args.model)?];
            match (args.dump, args.emit) {
                (Some(Dump::View(View::Program) | Dump::After(_)), _) => shown(vec![], &model),
                (Some(Dump::View(View::Ssa | View::Events | View::Constraints)), _) => {
                    Part { unused: &[NOTHING_CHECKED, UNLIMITED], ..shown(vec![BMC], &model) }
                }
                (Some(Dump::View(View::Predicates | View::Boolean)), _) => shown(vec![EXTRAPOLATE], &model),
                (None, Some(Emit::Reduced)) => shown(vec![REDUCED], &model),
                (None, Some(Emit::Litmus) | None) => asked(args.search.engine.as_deref(), args.check, &model),
            }
        }
        Command::Fix(args) => asked(args.search.engine.as_deref(), args.check, &[resolve(&args.model)?]),
        Command::Compare(args) => {
            let names = args.models.iter().chain(&args.from).chain(&args.to);
            let models: Vec<MemoryModel> = names.map(|name| resolve(name)).collect::<Result<_, _>>()?;
            let part = asked(args.search.engine.as_deref(), args.check, &models);
            if args.from.is_some() { listing(part) } else { part }
        }
        Command::Outcomes(args) => {
            let engine = args.search.engine.as_deref();
            engines::lists(engine.filter(|name| is_engine(name)))?;
            let model = args.model.as_deref().map(resolve).transpose()?;
            listing(match model {
                Some(model) => asked(engine, Question::Stated, &[model]),
                None => asked(engine, Question::Stated, &[]),
            })
        }
        Command::Test(args) => asked(args.search.engine.as_deref(), Question::Stated, &[]),
        _ => return Ok(None),
    }))
}

/// Something is shown, and nothing is checked.
fn shown(engines: Vec<&'static str>, models: &[MemoryModel]) -> Part {
    let (copies, buffers, remote) = (reads_copies(models), has_buffers(models), has_remote(models));
    Part { engines, why: "nothing is checked".into(), unused: &[NOTHING_CHECKED], copies, buffers, remote }
}

/// The engines that can answer a question under one of these models (none: whichever the texts name).
fn asked(only: Option<&str>, question: Question, named: &[MemoryModel]) -> Part {
    let property = match question {
        Question::Stated => Property::Stated,
        Question::Deadlock => Property::NoDeadlock,
    };
    // Where the texts name their models, each may be the one that an engine is for.
    let possible = if named.is_empty() { models::models() } else { named };
    let works = |engine: &Constructor| possible.iter().any(|model| (engine.answers)(model, property));
    // Unknown names are refused later, with a better message.
    let wanted = |engine: &&Constructor| only.is_none_or(|name| name == engine.name || !is_engine(name));
    let engines = ENGINES.iter().filter(wanted).filter(|engine| works(engine) || only.is_some());
    let engines: Vec<&'static str> = engines.map(|engine| engine.name).collect();
    let why = match (only, &engines[..]) {
        (Some(name), _) => format!("--engine {name} was asked for"),
        (None, []) => "no engine takes part".into(),
        (None, engines) => format!("only {} can take part", list(engines)),
    };
    let any = named.is_empty();
    let (copies, buffers) = (any || reads_copies(named), any || has_buffers(named));
    Part { engines, why, unused: &[], copies, buffers, remote: any || has_remote(named) }
}

/// Of these, those that list final states.
fn listing(part: Part) -> Part {
    let engines: Vec<&'static str> =
        part.engines.iter().copied().filter(|engine| engines::listing().contains(engine)).collect();
    let why = match engines == part.engines {
        true => part.why,
        false => format!("only {} can take part", list(&engines)),
    };
    Part { engines, why, ..part }
}

fn is_engine(name: &str) -> bool {
    names().contains(&name)
}

fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|engine| engine.name).collect()
}

/// A violation under rma is held against sc.
fn reads_copies(models: &[MemoryModel]) -> bool {
    models.iter().any(|model| matches!(model.machine, Some(Machine::Sc { .. } | Machine::Rma { .. })))
}

fn has_buffers(models: &[MemoryModel]) -> bool {
    models.iter().any(|model| matches!(model.machine, Some(Machine::Tso | Machine::Pso)))
}

fn has_remote(models: &[MemoryModel]) -> bool {
    models.iter().any(|model| matches!(model.machine, Some(Machine::Rma { in_order: false })))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, FromArgMatches};

    use super::*;

    /// Every option that any command has is in a table, or is known to have an effect wherever it can be given.
    #[test]
    fn no_option_is_forgotten() {
        let effective = [
            // What is asked, and of what.
            "files",
            "lang",
            "copies",
            "cc",
            "include_folders",
            "define",
            "undefine",
            "include",
            "std",
            "data_model",
            "property_file",
            "instances",
            "link",
            "assume_pure",
            "jobs",
            "model",
            "models",
            "from",
            "to",
            "check",
            "engine",
            "sc_copy",
            "one",
            "other",
            // What comes of the answer.
            "certify",
            "accept_bounded",
            "deny",
            "save_trace",
            "dump",
            "emit",
            "allow_missing",
            // Repairs.
            "all",
            "anywhere",
            "per_thread",
            "extract",
            "descend",
            "relax",
            "cost",
            "write",
            // Generated tests.
            "cycle",
            "arch",
            "name",
            "count",
            "seed",
            "atomics",
            "out",
            "list_edges",
            "atomics",
            "edges",
            "size",
            "free",
            // Output that every command has.
            "quiet",
            "no_timing",
            "help",
            "version",
            "trace",
            "subject",
            "command",
            "shell",
        ];
        let known = |id: &str| {
            effective.contains(&id)
                || CONFIGURES.iter().any(|(option, ..)| *option == id)
                || UNUSED.iter().any(|(option, ..)| *option == id)
        };
        for command in Cli::command().get_subcommands() {
            for argument in command.get_arguments() {
                assert!(known(argument.get_id().as_str()), "{} {}", command.get_name(), argument.get_id());
            }
        }
    }

    fn usage(arguments: &[&str]) -> Result<Vec<String>, String> {
        let matches = Cli::command().try_get_matches_from([&["wattle"], arguments].concat()).unwrap();
        check(&Cli::from_arg_matches(&matches).unwrap(), &matches)
    }

    fn is_refused(arguments: &[&str]) -> bool {
        usage(arguments).is_err()
    }

    #[test]
    fn options_of_engines_that_cannot_take_part_are_refused() {
        let check = |more: &[&str]| is_refused(&[&["check", "a.wtl", "--model", "tso"], more].concat());
        assert!(check(&["--engine", "explore", "--method", "ce"]));
        assert!(check(&["--engine", "explore", "--unwind", "3"]));
        assert!(check(&["--engine", "extrapolate", "--unwind", "3"]));
        assert!(check(&["--engine", "bmc", "--buffer", "2"]));
        assert!(check(&["--engine", "bmc", "--threads", "2"]));
        assert!(check(&["--engine", "bmc", "--max-states", "2"]));
        assert!(check(&["--engine", "enumerate", "--unwind-loop", "1=2"]));
        assert!(check(&["--engine", "explore", "--smt-library", "z3"]));
        assert!(!check(&["--check", "deadlock", "--unwind", "3"]));
        assert!(check(&["--check", "deadlock", "--method", "ce"]));
        assert!(check(&["--dump", "program", "--unwind", "3"]));
        assert!(check(&["--dump", "ssa", "--method", "ce"]));
        assert!(check(&["--dump", "ssa", "--timeout", "3s"]));
        assert!(check(&["--dump", "boolean", "--certify"]));
        assert!(check(&["--emit", "reduced", "--engine", "explore"]));
        assert!(check(&["--engine", "extrapolate", "--rest", "set"]));
        assert!(check(&["--engine", "explore", "--keep", "newest"]));
        assert!(check(&["--check", "deadlock", "--rest", "set"]));
        assert!(check(&["--emit", "reduced", "--keep", "newest"]));
        assert!(check(&["--engine", "refine", "--method", "ce"]));
        assert!(check(&["--engine", "refine", "--no-refinement"]));
        assert!(check(&["--engine", "refine", "--capacity", "2"]));
        assert!(check(&["--engine", "refine", "--threads", "2"]));
        assert!(check(&["--engine", "refine", "--buffer", "x=2"]));
        assert!(check(&["--engine", "refine", "--buffer", "1", "--buffer", "x=2"]));
        assert!(check(&["--dump", "predicates", "--rest", "set", "--keep", "newest"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "sc", "--rest", "set"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "sc", "--engine", "refine", "--keep", "oldest"]));
        assert!(is_refused(&["fix", "a.wtl", "--model", "power", "--rest", "havoc"]));
        assert!(is_refused(&["fix", "a.wtl", "--model", "pso", "--engine", "explore", "--rest", "havoc"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "sc", "--emit", "reduced", "--rest", "set"]));
        assert!(check(&["--sc-copy", "atomic"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "sc", "--buffer", "2"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "sc", "--dump", "predicates", "--rules", "4"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "power", "--buffer", "2"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "power", "--capacity", "2"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "rma", "--unwind", "2"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "rma", "--method", "ce"]));
        assert!(is_refused(&["check", "a.wtl", "--model", "tso", "--method", "ebp"]));
        assert!(!is_refused(&["fix", "a.wtl", "--model", "rma", "--method", "ebp"]));
        assert!(is_refused(&["fix", "a.wtl", "--model", "tso", "--engine", "bmc", "--rules", "5"]));
        assert!(is_refused(&["outcomes", "a.wtl", "--engine", "bmc"]));
        assert!(is_refused(&["outcomes", "a.wtl", "--formulation", "clocks"]));
        assert!(is_refused(&[
            "compare",
            "a.wtl",
            "--models",
            "power,arm",
            "--engine",
            "bmc",
            "--threads",
            "2"
        ]));
        assert!(is_refused(&["test", "a.wtl", "--engine", "bmc", "--no-reduction"]));
    }

    #[test]
    fn options_of_engines_that_may_take_part_are_not() {
        let check = |more: &[&str]| usage(&[&["check", "a.wtl", "--model", "tso"], more].concat());
        assert_eq!(check(&["--method", "ce", "--unwind", "3", "--threads", "2"]), Ok(vec![]));
        assert_eq!(check(&["--engine", "bmc", "--unwind", "3", "--formulation", "clocks"]), Ok(vec![]));
        assert_eq!(check(&["--emit", "reduced", "--buffer", "2"]), Ok(vec![]));
        assert_eq!(check(&["--emit", "reduced", "--rest", "havoc", "--keep", "newest"]), Ok(vec![]));
        let refine = |more: &[&str]| check(&[&["--engine", "refine"], more].concat());
        assert_eq!(refine(&["--rest", "havoc", "--buffer", "2", "--max-states", "9"]), Ok(vec![]));
        assert_eq!(refine(&["--keep", "newest", "--ignore-predicates", "--smt-library", "z3"]), Ok(vec![]));
        assert_eq!(check(&["--rest", "set", "--buffer", "x=2"]), Ok(vec![]));
        assert_eq!(check(&["--keep", "newest"]), Ok(vec![]));
        assert_eq!(usage(&["fix", "a.wtl", "--model", "tso", "--rest", "havoc"]), Ok(vec![]));
        assert_eq!(usage(&["test", "a.wtl", "--engine", "refine", "--buffer", "2"]), Ok(vec![]));
        assert_eq!(check(&["--dump", "boolean", "--cube-size", "2", "--timeout", "3s"]), Ok(vec![]));
        assert_eq!(check(&["--dump", "events", "--unwind", "2"]), Ok(vec![]));
        assert_eq!(usage(&["check", "a.wtl", "--model", "rma", "--sc-copy", "atomic"]), Ok(vec![]));
        assert_eq!(usage(&["outcomes", "a.wtl", "--unwind", "2", "--threads", "2"]), Ok(vec![]));
        assert_eq!(usage(&["compare", "a.wtl", "--models", "tso,power", "--unwind", "2"]), Ok(vec![]));
        assert_eq!(usage(&["models", "--verbose"]).map(|warnings| warnings.len()), Ok(1));
    }
}
