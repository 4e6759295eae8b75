//! Files that models include and that users need not have: our own text for the helper files that come
//! with herd, with the same names defined in them.

/// Read before every model.
pub(crate) const PRELUDE: &str = include_str!("prelude.cat");

const FILES: [(&str, &str); 14] = [
    // The prelude defines the same names; reading it a second time changes nothing.
    ("stdlib.cat", PRELUDE),
    ("cos.cat", include_str!("library/cos.cat")),
    ("cos-opt.cat", include_str!("library/cos.cat")),
    ("cos-no-opt.cat", include_str!("library/cos.cat")),
    ("cross.cat", "\"sets of orders: co is the execution's\"\n"),
    ("filters.cat", include_str!("library/filters.cat")),
    ("ppo.cat", include_str!("library/ppo.cat")),
    ("ppc-checks.cat", include_str!("library/ppc-checks.cat")),
    ("riscv-defs.cat", include_str!("library/riscv-defs.cat")),
    ("fences.cat", include_str!("library/fences.cat")),
    ("x86fences.cat", include_str!("library/x86fences.cat")),
    ("ppcfences.cat", include_str!("library/ppcfences.cat")),
    ("armfences.cat", include_str!("library/armfences.cat")),
    ("aarch64fences.cat", include_str!("library/aarch64fences.cat")),
];

pub(crate) fn find(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattle_source::{NoLoader, Sources};

    #[test]
    fn every_file_is_read_where_models_include_it() {
        let before =
            "let ii0 = addr let ic0 = 0 let ci0 = 0 let cc0 = ctrl let ppo = po let strong = 0 let light = 0";
        for (name, _) in FILES {
            let text = format!("{before} include \"{name}\"");
            let (mut sources, file) = Sources::single("test.cat", &text);
            let read = super::super::read(&mut sources, file, &NoLoader, &[]);
            assert!(read.is_ok(), "{name}: {read:?}");
        }
    }
}
