//! How front ends get further files: only `driver` opens files, and hands over a [`Loader`].

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LoadError {}

pub trait Loader: fmt::Debug {
    /// The text of a file that another file includes by `name`.
    fn include(&self, name: &str) -> Result<String, LoadError>;

    /// The text that a C preprocessor makes of the file called `name` with this text.
    fn preprocess(&self, name: &str, _text: &str) -> Result<String, LoadError> {
        Err(LoadError(format!("cannot preprocess `{name}` here")))
    }

    /// The text of a file that a preprocessed text names as the origin of some of its lines, if it can be read.
    fn original(&self, _name: &str) -> Option<String> {
        None
    }
}

/// For languages and tests without includes.
#[derive(Clone, Copy, Debug)]
pub struct NoLoader;

impl Loader for NoLoader {
    fn include(&self, name: &str) -> Result<String, LoadError> {
        Err(LoadError(format!("cannot include `{name}` here")))
    }
}
