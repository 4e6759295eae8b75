//! Ctrl-C: the first ends the search and prints what is known, the second ends wattle at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) fn on_interrupt() -> Arc<AtomicBool> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let flag = cancelled.clone();
    let handler = move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    };
    // Without a handler Ctrl-C still ends wattle, only without printing what is known.
    let _ = ctrlc::set_handler(handler);
    cancelled
}
