//! The languages that wattle reads.

use wattle_frontend::{Frontend, wir};

/// One line a language. The first is the one that messages take as an example.
pub(crate) const FRONTENDS: &[Frontend] = &[
    wattle_frontend_wtl::FRONTEND,
    wattle_frontend_rmm::FRONTEND,
    wattle_frontend_litmus::FRONTEND,
    wattle_frontend_cub::FRONTEND,
    wattle_frontend_c::FRONTEND,
    wir::FRONTEND,
];

/// The language called `name` (`--lang`).
pub(crate) fn named(name: &str) -> Option<&'static Frontend> {
    FRONTENDS.iter().find(|frontend| frontend.name == name)
}

/// The language of files with this extension.
pub(crate) fn for_extension(extension: &str) -> Option<&'static Frontend> {
    FRONTENDS.iter().find(|frontend| frontend.extensions.contains(&extension))
}

/// The extensions of all languages.
pub(crate) fn extensions() -> impl Iterator<Item = &'static str> {
    FRONTENDS.iter().flat_map(|frontend| frontend.extensions).copied()
}
