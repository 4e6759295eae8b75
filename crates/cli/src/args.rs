//! The one declaration of the command line: help, man page and completions all come from it.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use wattle_driver::{Compiler, Copies, Input, PASSES};
use wattle_engine_extrapolate::Rules;

use crate::units;

/// Verify concurrent programs on weak memory.
///
/// A program, a memory model and a property go in. Out comes one of four honest answers: safe, safe
/// up to a stated bound, unsafe with an execution that wattle has replayed itself, or unknown with
/// the reason.
#[derive(Debug, Parser)]
#[command(name = "wattle", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 safe, 1 violated, 2 bad usage or input, 3 undecided or only bounded, \
101 internal error, 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub show: Show,
    /// Try this Z3 before any other, for engines that use an SMT solver [env: WATTLE_Z3]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Search")]
    pub smt_library: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Does the property hold under a memory model?
    Check(Check),
    /// Find the fewest fences or flushes that make the property hold, and show them as a diff
    Fix(Fix),
    /// List all final states and how often the condition holds, as herd does
    Outcomes(Outcomes),
    /// Outcomes (of litmus tests) or verdicts (of other programs) under several memory models
    Compare(Compare),
    /// Find the smallest litmus test on which two memory models differ
    Distinguish(Distinguish),
    /// Make litmus tests from cycles of relaxation edges, one or a whole family
    Generate(Generate),
    /// List the memory models
    Models,
    /// List the engines; with files, who accepts them and who refuses and why
    Engines(Engines),
    /// Run a saved counterexample again, on the reference machine
    Replay(Replay),
    /// Compare verdicts with the expectations in the files (`// wattle: tso unsafe`)
    Test(Test),
    /// Explain a memory model or a diagnostic code
    Explain {
        /// A memory model or a code, such as `tso` or `vacuous`
        subject: String,
    },
    /// Say what this wattle consists of
    Doctor,
    /// Print the JSON Schema of a command's lines
    Schema {
        /// The command; without it, all of them by name
        command: Option<String>,
    },
    /// Print completions for a shell
    Completions { shell: Shell },
    /// Print the man page of wattle or of a command
    Man { command: Option<String> },
}

/// How results are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Show {
    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// When to use colours (NO_COLOR is respected)
    #[arg(long, global = true, value_enum, default_value_t = When::Auto)]
    pub color: When,
    /// Verdicts only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also the choice of engine, and all figures
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Leave out times and memory, so that equal runs print equal bytes
    #[arg(long, global = true)]
    pub no_timing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    /// One JSON object a line
    Json,
    /// `true`, `false(unreach-call)` or `unknown`, a line a file (`check` only)
    Svcomp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct Inputs {
    /// Files, folders, `@list` files (one path a line), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct Reading {
    /// The language, where the extension does not tell
    #[arg(long, value_name = "NAME")]
    pub lang: Option<String>,
    /// How many copies there are of a process whose text leaves that open, or of every such process
    #[arg(long, value_name = "N|PROCESS=N", value_parser = units::copies)]
    pub copies: Vec<Copies>,
    /// How many files to work on at once
    #[arg(short, long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    #[command(flatten)]
    pub c: OfC,
}

/// How C is read.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "C")]
pub(crate) struct OfC {
    /// The compiler that preprocesses C
    #[arg(long, default_value = "cc", value_name = "COMMAND")]
    pub cc: String,
    /// Where headers are looked for
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include_folders: Vec<String>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// A header that is read first
    #[arg(long, value_name = "FILE")]
    pub include: Vec<String>,
    /// The standard that the compiler is told of
    #[arg(long, value_name = "NAME")]
    pub std: Option<String>,
    /// How large integers and pointers are
    #[arg(long, value_enum, default_value_t = DataModel::Lp64, ignore_case = true)]
    pub data_model: DataModel,
    /// How many threads a place in a loop creates, calls of a recursive function nest, and heap cells a place in a loop
    /// takes, where the text does not tell: 3, and `check` goes on with more while nothing else bounds the answer
    #[arg(long, value_name = "N", value_parser = units::at_least_one)]
    pub instances: Option<usize>,
    /// All files are one program
    #[arg(long)]
    pub link: bool,
    /// A function without a definition that does nothing but return any value
    #[arg(long, value_name = "FUNCTION")]
    pub assume_pure: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataModel {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl OfC {
    /// These files are read so, as one program each or all of them as one.
    pub(crate) fn inputs(&self, files: Vec<Input>) -> Vec<Input> {
        match self.link {
            true => Input::link(files).into_iter().map(|input| self.reading(input)).collect(),
            false => files.into_iter().map(|input| self.reading(input)).collect(),
        }
    }

    fn reading(&self, input: Input) -> Input {
        let flag = |flag: &'static str| move |value: &String| format!("{flag}{value}");
        let mut flags: Vec<String> = (self.include_folders.iter().map(flag("-I")))
            .chain(self.define.iter().map(flag("-D")))
            .chain(self.undefine.iter().map(flag("-U")))
            .chain(self.std.iter().map(flag("-std=")))
            .collect();
        flags.extend(self.include.iter().flat_map(|file| ["-include".to_owned(), file.clone()]));
        let model = match self.data_model {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        };
        let mut settings = vec![("data-model".to_owned(), model.to_owned())];
        settings.extend(self.instances.map(|number| ("instances".to_owned(), number.to_string())));
        settings.extend(self.assume_pure.iter().map(|name| ("assume-pure".to_owned(), name.clone())));
        input.read_with(Compiler { command: self.cc.clone(), flags }, settings)
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct Search {
    /// Give up after this time, such as 30s, 500ms, 2m (0: never)
    #[arg(long, default_value = "60s", value_parser = units::duration, value_name = "TIME")]
    pub timeout: Duration,
    /// Give up beyond this much memory, such as 4G, 500M
    #[arg(long, value_parser = units::bytes, value_name = "SIZE")]
    pub memory: Option<u64>,
    /// Give up beyond this many states
    #[arg(long, value_name = "N")]
    pub max_states: Option<u64>,
    /// Use only this engine
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// Engines that may work at the same time; with --engine explore or backward, its workers
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = units::at_least_one)]
    pub threads: usize,
    /// Visit every interleaving; counterexamples are shortest then (engine explore)
    #[arg(long)]
    pub no_reduction: bool,
    /// Where the program itself does not bound its buffers, search up to this many pending operations
    /// a thread, and no further (engine explore: more and more, as long as the budget lasts)
    #[arg(long, value_name = "N", value_parser = units::at_least_one)]
    pub capacity: Option<usize>,
    /// How many stores a buffer holds in a reduced program: a location's under pso, a thread's under tso
    /// (engine extrapolate: as many as it takes, up to 4; engine refine: how many of them are exact, as many as it takes;
    /// --emit reduced: 1). Under pso also for one variable, or one element, but not in engine refine: x=2, flag[0]=3; the
    /// others hold one then, unless a number says more. Under rma: how many pending instances of a remote statement are kept apart
    /// (engine extrapolate: as many as it takes, up to 3)
    #[arg(long, value_name = "N|NAME=N", value_parser = units::buffer)]
    pub buffer: Vec<(Option<String>, u32)>,
    /// How often a thread may go round a loop (engine enumerate: 2; engine bmc: more and more often)
    #[arg(long, value_name = "N", value_parser = units::at_least_one)]
    pub unwind: Option<usize>,
    /// The loop on this line, N times (engine bmc)
    #[arg(long, value_name = "LINE=N", value_parser = units::loop_bound)]
    pub unwind_loop: Vec<(u32, u32)>,
    /// How orders are told to the solver (engine bmc)
    #[arg(long, value_enum, default_value_t = Formulation::Order)]
    pub formulation: Formulation,
    /// Sets of states with more processes are left out, and then nothing is proved (engine backward)
    #[arg(long, value_name = "N", value_parser = units::at_least_one)]
    pub max_processes: Option<usize>,
    /// Give up beyond this many nodes (engine backward)
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Which node is looked at next (engine backward)
    #[arg(long, value_enum, default_value_t = SearchOrder::Best, value_name = "ORDER")]
    pub search_order: SearchOrder,
    /// How sc reads a remote copy
    #[arg(long, value_enum, default_value_t = ScCopy::TwoStep)]
    pub sc_copy: ScCopy,
}

/// What engines that prove with predicates may use.
#[derive(Debug, Args)]
#[command(next_help_heading = "Predicates (engine extrapolate)")]
pub(crate) struct Predicates {
    /// Which cubes may imply something with store buffers
    #[arg(long, value_enum, default_value_t = Method::Auto)]
    pub method: Method,
    /// How cubes are found
    #[arg(long = "search", value_enum, default_value_t = CubesBy::Implicants, value_name = "HOW")]
    pub cubes_by: CubesBy,
    /// At most so many predicates in a cube (default: as many as it takes; --search cubes: 4)
    #[arg(long, value_name = "N", value_parser = units::at_least_one)]
    pub cube_size: Option<usize>,
    /// Find all predicates, also where the text gives some (engine refine as well)
    #[arg(long)]
    pub ignore_predicates: bool,
    /// Use the predicates of the text, or those of its guards and properties, and no others
    #[arg(long)]
    pub no_refinement: bool,
    /// The optional rules by which predicates are carried over to buffers, by their numbers for pso or for tso:
    /// 4 or 11, 5 or 12, 6 or 13, 7 or 14; or `none`
    #[arg(long, default_value = "5,6,7", value_parser = units::rules, value_name = "N,N")]
    pub rules: Rules,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Cubes over extrapolated predicates, as they turn out to be needed
    Auto,
    /// Cubes over the predicates of the proof under sc, and no others
    Trad,
    /// Predicate extrapolation
    Pe,
    /// Cube extrapolation
    Ce,
    /// Cube extrapolation, with what is said of buffers dropped from the cubes
    CeDrop,
    /// Boolean program extrapolation (rma): the transformers of the proof under sc, and no question to the solver
    Ebp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CubesBy {
    /// Prime implicants from models and cores of the solver; without --cube-size, only where a state asks
    Implicants,
    /// All cubes by growing size, as in the paper
    Cubes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Formulation {
    /// Relations between events, inside the solver
    Order,
    /// Bit-vector clocks, as in the paper (sc, tso, pso, rmo, alpha, power-2012)
    Clocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchOrder {
    /// The one with the fewest processes, reads and literals
    Best,
    /// The oldest
    Bfs,
    /// The newest
    Dfs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScCopy {
    /// Read and write are one step
    Atomic,
    /// A read, then a write
    TwoStep,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub inputs: Inputs,
    /// The memory model: a name (see `wattle models`), or a file that ends in .cat
    #[arg(short, long, value_name = "NAME")]
    pub model: String,
    /// What to check instead of what the text states
    #[arg(long, value_enum, default_value_t = Question::Stated)]
    pub check: Question,
    /// A property as SV-COMP writes it; wattle knows `CHECK( init(main()), LTL(G ! call(reach_error())) )`
    #[arg(long, value_name = "FILE")]
    pub property_file: Option<PathBuf>,
    /// Re-check proofs with other code, which takes longer than finding them
    #[arg(long)]
    pub certify: bool,
    /// Exit with 0 where no violation was found up to a bound
    #[arg(long)]
    pub accept_bounded: bool,
    #[command(flatten)]
    pub strict: Strict,
    /// Write the first counterexample to this file, for `wattle replay`
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
    /// Print what wattle made of the text, and check nothing
    #[arg(long, value_enum, value_name = "VIEW")]
    pub dump: Option<Dump>,
    /// Print something else beside the answer, or instead of it
    #[arg(long, value_enum)]
    pub emit: Option<Emit>,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub abstract_buffers: AbstractBuffers,
    #[command(flatten)]
    pub predicates: Predicates,
}

/// What becomes of stores that find no room in a reduced program.
#[derive(Debug, Args)]
#[command(next_help_heading = "Abstract buffers (engine refine, check --emit reduced)")]
pub(crate) struct AbstractBuffers {
    /// Stores that find no room go into an abstract rest, of which this is kept (engine refine: set; --emit reduced: without
    /// this option they overflow, which is an error). The program then does what the machine does, and more
    #[arg(long, value_enum, value_name = "WHAT")]
    pub rest: Option<Contents>,
    /// Which stores have room beside the rest
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = Keep::Oldest)]
    pub keep: Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Contents {
    /// A set that contains the values
    Set,
    /// Nothing but the last value, as in the paper: any value of the type may come out
    Havoc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Keep {
    /// Those that reach memory first
    Oldest,
    /// Those that were made last
    Newest,
}

/// What is not good enough.
#[derive(Debug, Args)]
pub(crate) struct Strict {
    /// Exit with 3 where a verdict comes with this warning
    #[arg(long, value_enum, value_name = "WARNING")]
    pub deny: Vec<Deny>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    /// Safe, but no execution reaches anything that the property speaks about
    Vacuous,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Question {
    /// Assertions and properties of the text, and no faults
    Stated,
    /// No state in which nothing can move although a thread has not ended
    Deadlock,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// After a counterexample, the smallest litmus test that shows its cycle
    Litmus,
    /// The program with the store buffers of tso or pso, or the pending remote operations of rma, written into it, to be
    /// run under sc; nothing is checked
    Reduced,
}

/// `--dump`: a view of the program, or the program after one of the passes that prepare it for engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dump {
    View(View),
    /// The name of a pass of [`PASSES`].
    After(&'static str),
}

/// Written by hand, because the list of passes is the driver's: help, completions and the list that an unknown
/// name is answered with come from there.
impl ValueEnum for Dump {
    fn value_variants<'a>() -> &'a [Dump] {
        static ALL: LazyLock<Vec<Dump>> = LazyLock::new(|| {
            let views = View::value_variants().iter().map(|view| Dump::View(*view));
            views.chain(PASSES.iter().map(|pass| Dump::After(pass.name))).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Dump::View(view) => view.to_possible_value(),
            Dump::After(name) => {
                let pass = PASSES.iter().find(|pass| pass.name == *name)?;
                Some(PossibleValue::new(format!("after:{name}")).help(pass.reason))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// The program representation: what was read, the same as after:load
    Program,
    /// The guarded equations that engine bmc makes of it
    Ssa,
    /// The symbolic events of each thread (engine bmc)
    Events,
    /// Who may read from whom, and what has no cycle under the model (engine bmc)
    Constraints,
    /// The predicates to begin with, by the rule that adds them (engine extrapolate)
    Predicates,
    /// The boolean program over these predicates (engine extrapolate)
    Boolean,
}

#[derive(Debug, Args)]
pub(crate) struct Fix {
    #[command(flatten)]
    pub inputs: Inputs,
    /// The memory model: a name (see `wattle models`), or a file that ends in .cat
    #[arg(short, long, value_name = "NAME")]
    pub model: String,
    /// What the repair is to achieve instead of what the text states
    #[arg(long, value_enum, default_value_t = Question::Stated)]
    pub check: Question,
    /// List all sets of minimum size, or all from which nothing can be taken away
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "minimum")]
    pub all: Option<All>,
    /// Allow fences at every control point, not only after stores (where loads are out of order too, any point between two accesses is allowed anyway)
    #[arg(long)]
    pub anywhere: bool,
    /// Fewest fences in the thread that gets most, and only then in total
    #[arg(long)]
    pub per_thread: bool,
    /// Forbid one counterexample after another, each with as few fences as it takes; faster, and not always the fewest
    #[arg(long, conflicts_with_all = ["all", "relax"])]
    pub extract: bool,
    /// Begin with a fence (or flush) at every place and take away what can go; for engines that prove rather than refute
    #[arg(long, conflicts_with_all = ["all", "relax", "extract"])]
    pub descend: bool,
    /// Of a safe program: take out as many of its fences as possible
    #[arg(long, conflicts_with_all = ["all", "anywhere"])]
    pub relax: bool,
    /// What a kind of fence costs, such as `flush=N` or `sync=N` (default: 1); of sets of one cost, the weaker wins
    #[arg(long, value_parser = units::cost, value_name = "KIND=N")]
    pub cost: Vec<(String, u64)>,
    /// Write the repaired text back to its file
    #[arg(long)]
    pub write: bool,
    /// Exit with 0 where the repair is proved up to a bound only
    #[arg(long)]
    pub accept_bounded: bool,
    #[command(flatten)]
    pub strict: Strict,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub abstract_buffers: AbstractBuffers,
    #[command(flatten)]
    pub predicates: Predicates,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum All {
    Minimum,
    Subset,
}

#[derive(Debug, Args)]
pub(crate) struct Outcomes {
    #[command(flatten)]
    pub inputs: Inputs,
    /// The memory model: a name (see `wattle models`), or a file that ends in .cat; without it, the one that the test's architecture has
    #[arg(short, long, value_name = "NAME")]
    pub model: Option<String>,
    /// Exit with 0 where longer executions were left out
    #[arg(long)]
    pub accept_bounded: bool,
    #[command(flatten)]
    pub search: Search,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    pub inputs: Inputs,
    /// The memory models: names, or files that end in .cat
    #[arg(short, long, required_unless_present_all = ["from", "to"], value_delimiter = ',')]
    #[arg(value_name = "NAME,NAME")]
    pub models: Vec<String>,
    /// Show only the outcomes that are new under the model --to, each with the cycle that this one forbids
    #[arg(long, requires = "to", conflicts_with = "models", value_name = "NAME")]
    pub from: Option<String>,
    /// See --from
    #[arg(long, requires = "from", value_name = "NAME")]
    pub to: Option<String>,
    /// What to check instead of what the text states
    #[arg(long, value_enum, default_value_t = Question::Stated, conflicts_with = "from")]
    pub check: Question,
    /// Exit with 0 where no violation was found up to a bound
    #[arg(long, conflicts_with = "from")]
    pub accept_bounded: bool,
    #[command(flatten)]
    pub strict: Strict,
    #[command(flatten)]
    pub search: Search,
}

#[derive(Debug, Args)]
pub(crate) struct Engines {
    /// Files, folders, `@list` files, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<String>,
    /// The memory model; without it, all of them
    #[arg(short, long, value_name = "NAME", requires = "files")]
    pub model: Option<String>,
    /// The language, where the extension does not tell
    #[arg(long, value_name = "NAME", requires = "files")]
    pub lang: Option<String>,
    /// How many copies there are of a process whose text leaves that open, or of every such process
    #[arg(long, value_name = "N|PROCESS=N", value_parser = units::copies, requires = "files")]
    pub copies: Vec<Copies>,
    #[command(flatten)]
    pub c: OfC,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// What `wattle check --save-trace` wrote
    #[arg(required = true)]
    pub trace: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    #[command(flatten)]
    pub inputs: Inputs,
    /// Accept files without expectations
    #[arg(long)]
    pub allow_missing: bool,
    #[command(flatten)]
    pub strict: Strict,
    #[command(flatten)]
    pub search: Search,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  wattle generate --arch x86 \"PodWR Fre PodWR Fre\"\n  \
wattle generate --arch ppc --size 6 --threads 2-3 --out tests\n  \
wattle generate --arch riscv \"PodWW Rfe Amo.SwpAqRl PodWR Fre\"\n  \
wattle generate --arch riscv --atomics --seed 1 --count 2000 --size 3-7 --threads 3 --out tests\n  \
wattle generate --arch aarch64 --edges \"Pod** Rfe Fre Coe PodRRAP PodWWPL\" -v")]
pub(crate) struct Generate {
    /// The edges of one cycle, such as `PodWR Fre PodWR Fre`; without them, a family of tests
    #[arg(value_name = "EDGE", conflicts_with_all = ["edges", "size", "threads", "free", "seed"])]
    pub cycle: Vec<String>,
    /// The architecture: x86, ppc, arm, aarch64, riscv or c
    #[arg(long, value_name = "NAME", value_parser = units::architecture)]
    pub arch: units::Arch,
    /// What to call the test of one cycle
    #[arg(long, requires = "cycle")]
    pub name: Option<String>,
    #[command(flatten)]
    pub family: Family,
    /// At most so many tests
    #[arg(long, value_name = "N")]
    pub count: Option<usize>,
    /// Choose tests at random (with --count; otherwise 100), the same for the same seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Random tests with exclusives and atomic instructions, among acquires and releases: each has an
    /// edge LxSx or Amo.…, or an annotation X… or Amo… (with --seed)
    #[arg(long, requires = "seed")]
    pub atomics: bool,
    /// Write one file a test into this folder, and their list to `@all`
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// List the edges of the architecture; those with a star are used unless --edges says otherwise
    #[arg(long, conflicts_with_all = ["cycle", "name", "edges", "size", "threads", "free", "seed", "count", "out"])]
    pub list_edges: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 a difference was found, 3 none among the tests that were tried, 2 bad \
usage or input, 101 internal error, 130 interrupted."
)]
pub(crate) struct Distinguish {
    /// A memory model (see `wattle models`)
    #[arg(value_name = "MODEL")]
    pub one: String,
    /// Another one
    #[arg(value_name = "MODEL")]
    pub other: String,
    /// Make tests for this architecture; without it, for the one that the models are about
    #[arg(long, value_name = "NAME", value_parser = units::architecture)]
    pub arch: Option<units::Arch>,
    /// How many differences to find
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::at_least_one)]
    pub count: usize,
    #[command(flatten)]
    pub family: Family,
    /// Give up on a test after this time, such as 30s, 500ms (0: never)
    #[arg(long, default_value = "10s", value_parser = units::duration, value_name = "TIME")]
    pub timeout: Duration,
}

/// A family of cycles.
#[derive(Debug, Args)]
#[command(next_help_heading = "Family")]
pub(crate) struct Family {
    /// The edges to use; `*` stands for either direction, as in `Pod**`
    #[arg(long, value_name = "EDGES")]
    pub edges: Option<String>,
    /// Number of edges, such as 6 (up to six) or 4-8
    #[arg(long, default_value = "6", value_parser = units::range, value_name = "N")]
    pub size: (usize, usize),
    /// Number of threads, such as 3 (up to three) or 2-4
    #[arg(long, default_value = "4", value_parser = units::range, value_name = "N")]
    pub threads: (usize, usize),
    /// Also cycles that are not critical: program order twice in a row, communication that composes
    #[arg(long)]
    pub free: bool,
}
