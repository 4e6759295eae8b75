//! Answers from outside: the tables under `../shared/data`, one case a row.
//!
//! The rows are known only when the tests run, so this target has a harness of its own (`libtest-mimic`),
//! which takes the arguments that the usual one takes. Where a folder is present, each of its rows is a
//! case, so that none can be passed over. Where it is absent, one case stands for it and is counted as
//! ignored in the closing line: a test that does not run is never a silent pass.

#![allow(clippy::unwrap_used)]

mod c;
mod compiled;
mod cubicle;
mod cycles;
mod herd;
mod memorax;
mod read;
mod twins;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use wattle_bench::tables::{data, root};

/// The folders of litmus tests.
const LITMUS: [&str; 9] = ["aarch64", "arm", "c11", "lkmm", "ppc", "ppc-diy", "riscv", "x86", "x86-diy"];

/// What a case comes to.
type Checked = Result<(), Failed>;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // A dot a case, because there are thousands.
    arguments.quiet |= arguments.format.is_none();
    let mut trials = of("lists", &data(), |_| Ok(herd::lists()));
    for name in LITMUS {
        let folder = data().join(name);
        trials.extend(of(&format!("herd {name}"), &folder, |_| herd::rows_of(name)));
        // The constructs of the Linux kernel are not read at all, as the rows of `herd` show.
        if name != "lkmm" {
            trials.extend(of(&format!("read {name}"), &folder, |folder| {
                each(name, folder, "read", read::is_read)
            }));
            trials.extend(of(&format!("twins {name}"), &folder, |folder| {
                each(name, folder, "twins", twins::agree)
            }));
        }
    }
    let c11 = |folder: &Path| each("c11", folder, "compiled", compiled::is_allowed);
    trials.extend(of("compiled c11", &data().join("c11"), c11));
    for folder in cycles::FOLDERS {
        trials
            .extend(of(&format!("cycles {}", folder.0), &data().join(folder.0), |_| cycles::rows_of(folder)));
    }
    trials.extend(of("cubicle", &root().join("../shared/data/cub"), cubicle::rows_of));
    trials.extend(of("memorax", &root().join("../shared/data/rmm"), memorax::rows_of));
    for folder in wattle_bench::c::FOLDERS {
        trials.extend(of(&format!("c {folder}"), &wattle_bench::c::data().join(folder), |_| {
            c::rows_of(folder)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The cases of a folder: one that is ignored if it is absent, one that fails if its table cannot be read.
fn of(what: &str, folder: &Path, cases: impl FnOnce(&Path) -> Result<Vec<Trial>, String>) -> Vec<Trial> {
    if !folder.is_dir() {
        let absent = format!("{} is absent", folder.display());
        return vec![case(what.into(), || Err(absent.into())).with_ignored_flag(true)];
    }
    cases(folder).unwrap_or_else(|error| vec![case(what.into(), || Err(error.into()))])
}

fn case(name: String, check: impl FnOnce() -> Checked + Send + 'static) -> Trial {
    Trial::test(name, check)
}

/// One case for each litmus test of a folder; `check` is given its name (`folder/file`) and its text.
fn each(
    folder: &str,
    path: &Path,
    what: &str,
    check: fn(&str, &str) -> Checked,
) -> Result<Vec<Trial>, String> {
    let entries = std::fs::read_dir(path).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "litmus"));
    files.sort();
    let one = |file: PathBuf| {
        let name = format!("{folder}/{}", file.file_name().unwrap_or_default().display());
        case(format!("{what} {name}"), move || check(&name, &std::fs::read_to_string(&file)?))
    };
    Ok(files.into_iter().map(one).collect())
}
