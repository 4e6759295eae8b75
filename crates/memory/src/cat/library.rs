//! Files that models include and that users need not have: our own text for the helper files that come
//! with herd, with the same names defined in them.

/// Read before every model.
pub const PRELUDE: &str = include_str!("prelude.cat");

const FILES: [(&str, &str); 11] = [
    // The prelude says it all; to say it again does no harm.
    ("stdlib.cat", PRELUDE),
    ("cos.cat", include_str!("library/cos.cat")),
    ("cos-opt.cat", include_str!("library/cos.cat")),
    ("cos-no-opt.cat", include_str!("library/cos.cat")),
    ("cross.cat", "\"sets of orders: co is the execution's\"\n"),
    ("filters.cat", include_str!("library/filters.cat")),
    ("fences.cat", include_str!("library/fences.cat")),
    ("x86fences.cat", include_str!("library/x86fences.cat")),
    ("ppcfences.cat", include_str!("library/ppcfences.cat")),
    ("armfences.cat", include_str!("library/armfences.cat")),
    ("aarch64fences.cat", include_str!("library/aarch64fences.cat")),
];

pub fn find(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
