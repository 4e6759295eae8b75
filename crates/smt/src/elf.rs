//! Is a shared library all there?
//!
//! The dynamic linker maps the segments that a file announces without asking whether the file is long
//! enough; the first touch of a missing page then kills the process. A download that broke off must be
//! a refusal with a reason, so what is announced is held against the length first. Files of
//! other formats and other word sizes are left to the linker, which refuses them itself.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// `Err`: the file cannot be read, or ends too early.
pub(crate) fn whole(path: &Path) -> Result<(), String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    match needed(&mut file) {
        Some(needed) if needed > length => {
            Err(format!("the file is cut off: {length} bytes of at least {needed}"))
        }
        _ => Ok(()),
    }
}

/// Where the last part of a 64-bit little-endian ELF file ends; `None` for other files.
fn needed(file: &mut File) -> Option<u64> {
    let mut header = [0; 64];
    file.read_exact(&mut header).ok()?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let segments = number(&header, 32, 8)?;
    let (size, count) = (number(&header, 54, 2)?, number(&header, 56, 2)?);
    // The table of sections, which nobody loads, is usually the end of the file.
    let sections = number(&header, 40, 8)?;
    let (section, sections_count) = (number(&header, 58, 2)?, number(&header, 60, 2)?);
    let mut end = segments.checked_add(size * count)?.max(sections.checked_add(section * sections_count)?);
    let mut entry = [0; 56];
    for row in 0..count {
        file.seek(SeekFrom::Start(segments.checked_add(row * size)?)).ok()?;
        if file.read_exact(&mut entry).is_err() {
            return Some(end);
        }
        const LOAD: u64 = 1;
        if number(&entry, 0, 4)? == LOAD {
            end = end.max(number(&entry, 8, 8)?.checked_add(number(&entry, 32, 8)?)?);
        }
    }
    Some(end)
}

/// The little-endian number of some bytes.
fn number(bytes: &[u8], from: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(from..from + length)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}
