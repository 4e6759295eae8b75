//! Damaged texts: thousands of small changes to good programs, by a fixed seed. Nothing panics, and
//! every error stands within the text.

use crate::FRONTEND;

use super::behaviour::{DEKKER, PETERSON};
use super::remote::FIG2;

const ALL_OF_IT: &str = "const N = 2; enum C { red, green }
shared x: 0..3 = *, b = true, c: C, a[N] = {1, -1}, w: u8; init x > 1 && a[0] == 1;
thread p[N] { local r = me, s: 0..9;
  start: acquire r = x; release x = r; fence rr ww; fence(x);
  if (b && !(x > 1)) { s = nondet(0, 3); } else if (*) goto start;
  either { skip; } or { atomic { r = fetch_add(x, 1); while (r > 0) r = r - 1; } }
  atomic(buffered) { x = x + 1; fence; a[0] = 3; }
  assume cas(x, 0, exchange(a[me], 7)); assert x == 1 ? true : c == red;
  while (r < 3) { r = r + 1; if (r == 2) continue; break; } }
process q { shared Y[2] = 1; local t; Y[0] = get(Y[1], q); put(Y[0], q, Y[1]); remote_cas(Y[0], q, 1, 2); flush(q); }
forbid exists i, j in p: p[i]@start && p[j].s > q.t; always forall i in p: q.Y[0] < 5; finally q@end;
observe x, p[0].r; predicates { x == 1; b; }";

/// A small linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = vec![String::new()];
    for c in text.chars() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if word(c) && last.chars().all(word) => last.push(c),
            _ => pieces.push(c.to_string()),
        }
    }
    pieces
}

fn damage(text: &str, random: &mut Random) -> String {
    let mut parts: Vec<String> = match random.below(2) {
        0 => text.chars().map(String::from).collect(),
        _ => pieces(text),
    };
    for _ in 0..=random.below(3) {
        let (one, other) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(4) {
            0 => drop(parts.remove(one)),
            1 => parts.insert(one, parts[other].clone()),
            2 => parts.swap(one, other),
            _ => {
                parts[one] = ["*", "9223372036854775807", "{", "}", ";", "\0", "ß", "me", "(", "0"]
                    [random.below(10)]
                .into()
            }
        }
    }
    parts.concat()
}

#[test]
fn damaged_texts_never_panic() {
    let mut random = Random(20240229);
    let (mut good, mut bad) = (0, 0);
    super::program(ALL_OF_IT);
    for round in 0..6_000 {
        let text = damage([PETERSON, DEKKER, FIG2, ALL_OF_IT][round % 4], &mut random);
        match FRONTEND.read("test.wtl", &text) {
            Ok(_) => good += 1,
            Err(errors) => {
                bad += 1;
                assert!(!errors.is_empty() && errors.len() <= 20, "{text}");
                for label in errors.iter().flat_map(|error| &error.labels) {
                    let (start, end) = (label.span.start as usize, label.span.end as usize);
                    assert!(start <= end && text.get(start..end).is_some(), "{label:?} in\n{text}");
                }
                let ours = errors.iter().all(|error| FRONTEND.codes.contains(&error.code));
                assert!(ours, "{errors:?}\n{text}");
            }
        }
    }
    assert!(good > 300 && bad > 3_000, "{good} good, {bad} bad: the damage is too large or too small");
}
