//! Running the machine's C preprocessor.
//!
//! The text goes to the compiler on its standard input, so that an edited text that is not on disk is read like one that
//! is; a line marker gives it its name. Headers of ours are written to a folder of this process, which comes before
//! those of the system and goes with the guard that made it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use wattle_source::LoadError;

/// How C texts are preprocessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    pub command: String,
    /// `-I`, `-D`, `-U`, `-include`, `-std`, as given.
    pub flags: Vec<String>,
}

impl Default for Compiler {
    fn default() -> Compiler {
        Compiler { command: "cc".into(), flags: vec![] }
    }
}

impl Compiler {
    /// What the preprocessor makes of a text. `folder` is where its own includes are looked for first.
    pub(crate) fn preprocess(
        &self,
        name: &str,
        text: &str,
        folder: Option<&Path>,
    ) -> Result<String, LoadError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| LoadError(format!("{what}: {error}"));
        let headers =
            Headers::write().map_err(|error| failed("cannot write the headers of wattle", &error))?;
        let mut command = Command::new(&self.command);
        command.args(["-E", "-D__WATTLE__=1", "-D__STDC_NO_COMPLEX__=1", "-I"]).arg(&headers.folder);
        if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
            command.arg("-iquote").arg(folder);
        }
        command.args(&self.flags).args(["-x", "c", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let cannot = format!("cannot run the C compiler `{}`", self.command);
        let mut child = command.spawn().map_err(|error| failed(&cannot, &error))?;
        let input = child.stdin.take();
        let text = format!("# 1 \"{}\"\n{text}", name.replace('\\', "\\\\").replace('"', "\\\""));
        let writer = std::thread::spawn(move || input.map(|mut input| input.write_all(text.as_bytes())));
        let output = child.wait_with_output().map_err(|error| failed(&cannot, &error))?;
        drop(writer.join());
        if !output.status.success() {
            return Err(LoadError(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        String::from_utf8(output.stdout).map_err(|error| failed("the preprocessed text is no UTF-8", &error))
    }
}

struct Headers {
    folder: PathBuf,
}

impl Headers {
    fn write() -> std::io::Result<Headers> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("wattle-headers-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let headers = Headers { folder };
        for (name, text) in wattle_frontend_c::HEADERS {
            std::fs::write(headers.folder.join(name), text)?;
        }
        Ok(headers)
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_not_there_is_named() {
        let compiler = Compiler { command: "no-such-compiler".into(), flags: vec![] };
        let error = compiler.preprocess("a.c", "int x;", None).unwrap_err();
        assert!(error.0.starts_with("cannot run the C compiler `no-such-compiler`"), "{error}");
    }
}
