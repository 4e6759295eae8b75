//! Work on several inputs at once, with results in the order of the inputs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Run `work` on every item with `jobs` workers. `emit` gets the results in order, each as soon as
/// all earlier ones are there, and says whether to go on.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    mut emit: impl FnMut(&T, R) -> bool,
) {
    let jobs = jobs.clamp(1, items.len().max(1));
    if jobs == 1 {
        for item in items {
            if !emit(item, work(item)) {
                return;
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next, stop, work) = (sender.clone(), &next, &stop, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    if sender.send((number, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut due = 0;
        for (number, result) in receiver {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&due) {
                if !stop.load(Ordering::Relaxed) && !emit(&items[due], result) {
                    stop.store(true, Ordering::Relaxed);
                }
                due += 1;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_inputs() {
        let items: Vec<u64> = (0..50).collect();
        for jobs in [1, 4] {
            let mut seen = Vec::new();
            let work = |item: &u64| {
                thread::sleep(std::time::Duration::from_micros((50 - item) * 20));
                item * 2
            };
            in_order(&items, jobs, work, |item, result| {
                seen.push((*item, result));
                true
            });
            assert_eq!(seen, items.iter().map(|item| (*item, item * 2)).collect::<Vec<_>>());
        }
    }
}
