//! What a conjunction of literals says: the decision procedure.
//!
//! Equalities of terms and processes are classes, constructors that are still possible are a mask a class, the order of
//! processes is a relation between classes, and bounds on differences of integers are a matrix with shortest paths.
//! Each part is complete for itself. What is not followed to the end is disequalities: `x != y != z != x` over two constructors, or
//! integers between which disequalities leave no value. So "no state" is always right, *implied* is always right, and a conjunction
//! that passes may still be empty; [`Knowledge::undecided`] names the literal to split by until nothing is left open,
//! which is what [`init`](crate::init) does before it says that a state exists.

use crate::literal::{Literal, Number, Operand, Process, Term};
use crate::sum::{self, Inequality, Relation, Sum};
use crate::system::{Sort, System};

/// No bound.
const INFINITE: i64 = i64::MAX / 4;

#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    processes: usize,
    /// Sorted; elements are the processes and then these.
    terms: Vec<Term>,
    /// The least element that each element is equal to.
    class: Vec<u16>,
    /// By element; of a class, that of its least element counts.
    mask: Vec<u64>,
    differ: Vec<(u16, u16)>,
    /// Transitive, between least elements.
    before: Vec<(u16, u16)>,
    /// Sorted; zero is before them in the matrix.
    numbers: Vec<Term>,
    /// The most that the row can be above the column.
    bounds: Vec<i64>,
    unequal: Vec<(u16, u16, i64)>,
    /// Sums that are no differences.
    sums: Vec<(Sum, Relation, i64)>,
}

impl Knowledge {
    /// `None`: no state satisfies all of them. `pins`: one for each process, its number if that is fixed.
    pub(crate) fn new<'a>(
        system: &System,
        pins: &[Option<u8>],
        literals: impl Iterator<Item = &'a Literal> + Clone,
    ) -> Option<Knowledge> {
        let integer = |term: &Term| system.variable(term.cell).sort == Sort::Integer;
        let mut terms: Vec<Term> = vec![];
        let mut numbers: Vec<Term> = vec![];
        for term in literals.clone().flat_map(Literal::terms) {
            if integer(&term) { numbers.push(term) } else { terms.push(term) }
        }
        for list in [&mut terms, &mut numbers] {
            list.sort_unstable();
            list.dedup();
        }
        let processes = pins.len();
        let elements = processes + terms.len();
        let mut mask = vec![u64::MAX; elements];
        for (term, mask) in terms.iter().zip(&mut mask[processes..]) {
            *mask = system.all(term.cell);
        }
        let size = numbers.len() + 1;
        let mut bounds = vec![INFINITE; size * size];
        for i in 0..size {
            bounds[i * size + i] = 0;
        }
        let mut knowledge = Knowledge {
            processes,
            terms,
            class: (0..elements as u16).collect(),
            mask,
            differ: vec![],
            before: vec![],
            numbers,
            bounds,
            unequal: vec![],
            sums: vec![],
        };
        for literal in literals {
            knowledge.add(literal);
        }
        if !knowledge.before.is_empty() {
            for (i, a) in pins.iter().enumerate() {
                for (j, b) in pins.iter().enumerate() {
                    if a.is_some() && b.is_some() && a < b {
                        knowledge.before.push((i as u16, j as u16));
                    }
                }
            }
        }
        knowledge.close().then_some(knowledge)
    }

    fn add(&mut self, literal: &Literal) {
        match *literal {
            Literal::In(term, mask) => {
                let element = self.element(Operand::Term(term));
                let class = self.class[element] as usize;
                self.mask[class] &= mask;
            }
            Literal::Equal(a, b) => {
                let (a, b) = (self.class[self.element(a)], self.class[self.element(b)]);
                let (low, high) = (a.min(b), a.max(b));
                self.mask[low as usize] &= self.mask[high as usize];
                self.class.iter_mut().filter(|class| **class == high).for_each(|class| *class = low);
            }
            Literal::Differ(a, b) => {
                let pair = (self.element(a) as u16, self.element(b) as u16);
                self.differ.push(pair);
            }
            Literal::Before(a, b) => {
                let pair = (self.element(a) as u16, self.element(b) as u16);
                self.before.push(pair);
            }
            Literal::AtMost(x, y, c) => {
                let at = self.at(self.number(x), self.number(y));
                self.bounds[at] = self.bounds[at].min(c);
            }
            Literal::Unequal(x, y, c) => {
                let triple = (self.number(x) as u16, self.number(y) as u16, c);
                self.unequal.push(triple);
            }
            Literal::Sum(sum, relation, c) => self.sums.push((sum, relation, c)),
        }
    }

    /// Terms that were given to `new` are there.
    fn element(&self, operand: Operand) -> usize {
        self.find(operand).unwrap_or_default()
    }

    fn find(&self, operand: Operand) -> Option<usize> {
        match operand {
            Operand::Process(process) => Some(usize::from(process)).filter(|i| *i < self.processes),
            Operand::Term(term) => self.terms.binary_search(&term).ok().map(|i| self.processes + i),
        }
    }

    fn number(&self, number: Number) -> usize {
        self.find_number(number).unwrap_or_default()
    }

    fn find_number(&self, number: Number) -> Option<usize> {
        match number {
            None => Some(0),
            Some(term) => self.numbers.binary_search(&term).ok().map(|i| i + 1),
        }
    }

    fn at(&self, x: usize, y: usize) -> usize {
        x * (self.numbers.len() + 1) + y
    }

    fn bound(&self, x: usize, y: usize) -> i64 {
        self.bounds[self.at(x, y)]
    }

    fn close(&mut self) -> bool {
        self.close_classes() && self.close_order() && self.close_bounds() && self.close_sums()
    }

    fn close_classes(&mut self) -> bool {
        // Two processes are never equal, and nothing equals two processes.
        if (0..self.processes).any(|process| usize::from(self.class[process]) != process) {
            return false;
        }
        let class = &self.class;
        for pair in self.differ.iter_mut().chain(&mut self.before) {
            *pair = (class[pair.0 as usize], class[pair.1 as usize]);
        }
        self.differ.iter_mut().filter(|pair| pair.1 < pair.0).for_each(|pair| *pair = (pair.1, pair.0));
        let processes = self.processes;
        if self.differ.iter().any(|(a, b)| a == b) {
            return false;
        }
        self.differ.retain(|(_, b)| usize::from(*b) >= processes);
        self.differ.sort_unstable();
        self.differ.dedup();
        loop {
            let mut changed = false;
            for &(a, b) in &self.differ {
                for (a, b) in [(a as usize, b as usize), (b as usize, a as usize)] {
                    if self.mask[a].is_power_of_two() && self.mask[b] & self.mask[a] != 0 {
                        self.mask[b] &= !self.mask[a];
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let class = &self.class;
        if (self.processes..class.len()).any(|i| usize::from(class[i]) == i && self.mask[i] == 0) {
            return false;
        }
        let mask = &self.mask;
        self.differ.retain(|(a, b)| mask[*a as usize] & mask[*b as usize] != 0);
        true
    }

    fn close_order(&mut self) -> bool {
        if self.before.is_empty() {
            return true;
        }
        loop {
            self.before.sort_unstable();
            self.before.dedup();
            let known = self.before.len();
            for i in 0..known {
                for j in 0..known {
                    let ((a, b), (c, d)) = (self.before[i], self.before[j]);
                    if b == c && self.before[..known].binary_search(&(a, d)).is_err() {
                        self.before.push((a, d));
                    }
                }
            }
            if self.before.len() == known {
                break;
            }
        }
        let before = &self.before;
        self.differ.retain(|(a, b)| !before.contains(&(*a, *b)) && !before.contains(&(*b, *a)));
        self.before.iter().all(|(a, b)| a != b)
    }

    fn close_bounds(&mut self) -> bool {
        let size = self.numbers.len() + 1;
        loop {
            for via in 0..size {
                for x in 0..size {
                    let first = self.bound(x, via);
                    if first >= INFINITE {
                        continue;
                    }
                    for y in 0..size {
                        let second = self.bound(via, y);
                        let at = self.at(x, y);
                        if second < INFINITE && first + second < self.bounds[at] {
                            self.bounds[at] = first + second;
                        }
                    }
                }
            }
            if (0..size).any(|x| self.bound(x, x) < 0) {
                return false;
            }
            let mut tightened = false;
            for i in 0..self.unequal.len() {
                let (x, y, c) = self.unequal[i];
                let (x, y) = (x as usize, y as usize);
                for (x, y, c) in [(x, y, c), (y, x, -c)] {
                    if self.bound(x, y) == c {
                        let at = self.at(x, y);
                        self.bounds[at] = c - 1;
                        tightened = true;
                    }
                }
            }
            if !tightened {
                break;
            }
        }
        let unequal = std::mem::take(&mut self.unequal);
        let open = |(x, y, c): &(u16, u16, i64)| {
            self.bound(*x as usize, *y as usize) >= *c && self.bound(*y as usize, *x as usize) >= -*c
        };
        self.unequal = unequal.into_iter().filter(open).collect();
        self.unequal.sort_unstable();
        self.unequal.dedup();
        true
    }

    /// Those that follow from the bounds are dropped.
    fn close_sums(&mut self) -> bool {
        if self.sums.is_empty() {
            return true;
        }
        let sums = std::mem::take(&mut self.sums);
        self.sums =
            sums.into_iter().filter(|(sum, relation, c)| !self.implies_sum(sum, *relation, *c)).collect();
        self.sums.sort_unstable();
        self.sums.dedup();
        let differ = self.sums.iter().filter(|(_, relation, _)| *relation == Relation::Differs);
        let differ: Vec<(Sum, Relation, i64)> = differ.copied().collect();
        if !sum::may_hold(self.inequalities(&[])) {
            return false;
        }
        // What the sums say of single numbers, so that it is there even where a sum is left out.
        let all = self.inequalities(&[]);
        for number in 0..self.numbers.len() {
            for (factor, at) in [(1, self.at(number + 1, 0)), (-1, self.at(0, number + 1))] {
                if let Some(most) = sum::most(all.clone(), number, factor) {
                    self.bounds[at] = self.bounds[at].min(most);
                }
            }
        }
        self.close_bounds()
            && differ.into_iter().all(|(sum, _, c)| {
                let (low, high) = (c.saturating_sub(1), c.saturating_add(1));
                [(sum, 1, low), (sum, -1, high.saturating_neg())]
                    .iter()
                    .any(|one| sum::may_hold(self.inequalities(std::slice::from_ref(one))))
            })
    }

    /// Bounds and sums, and further sums (times a factor), over the numbers.
    fn inequalities(&self, also: &[(Sum, i64, i64)]) -> Vec<Inequality> {
        let size = self.numbers.len() + 1;
        let row = |parts: &mut dyn Iterator<Item = (usize, i64)>| {
            let mut row = vec![0; size - 1];
            parts.filter(|(number, _)| *number > 0).for_each(|(number, factor)| row[number - 1] += factor);
            row
        };
        let mut all: Vec<Inequality> = vec![];
        for (x, y) in (0..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
            if x != y && self.bound(x, y) < INFINITE {
                all.push((row(&mut [(x, 1), (y, -1)].into_iter()), self.bound(x, y)));
            }
        }
        let known = self.sums.iter().filter(|(_, relation, _)| *relation == Relation::AtMost);
        let known = known.map(|(sum, _, c)| (*sum, 1, *c));
        for (sum, factor, c) in known.chain(also.iter().copied()) {
            let mut parts = sum.parts().map(|(part, term)| (self.number(Some(term)), part * factor));
            all.push((row(&mut parts), c));
        }
        all
    }

    /// `false` may mean: not known.
    fn implies_sum(&self, sum: &Sum, relation: Relation, c: i64) -> bool {
        if !sum.terms().all(|term| self.find_number(Some(term)).is_some()) {
            return false;
        }
        let fails = |also: &[(Sum, i64, i64)]| !sum::may_hold(self.inequalities(also));
        match relation {
            Relation::AtMost => fails(&[(*sum, -1, c.saturating_neg().saturating_sub(1))]),
            Relation::Differs => {
                self.sums.contains(&(*sum, relation, c))
                    || fails(&[(*sum, 1, c), (*sum, -1, c.saturating_neg())])
            }
        }
    }

    fn class_of(&self, operand: Operand) -> Option<u16> {
        self.find(operand).map(|element| self.class[element])
    }

    /// Does the literal hold in all states? `false` may also mean: not known.
    pub(crate) fn implies(&self, literal: &Literal) -> bool {
        match *literal {
            Literal::In(term, mask) => match self.class_of(Operand::Term(term)) {
                Some(class) => self.mask[class as usize] & !mask == 0,
                None => false,
            },
            Literal::Equal(a, b) => match (self.class_of(a), self.class_of(b)) {
                (Some(a), Some(b)) => {
                    let (p, q) = (self.mask[a as usize], self.mask[b as usize]);
                    a == b || (p.is_power_of_two() && p == q)
                }
                _ => a == b,
            },
            Literal::Differ(a, b) => match (self.class_of(a), self.class_of(b)) {
                (Some(a), Some(b)) if a != b => {
                    let both_processes = usize::from(a.max(b)) < self.processes;
                    both_processes
                        || self.mask[a as usize] & self.mask[b as usize] == 0
                        || self.differ.binary_search(&(a.min(b), a.max(b))).is_ok()
                        || self.before.contains(&(a, b))
                        || self.before.contains(&(b, a))
                }
                _ => false,
            },
            Literal::Before(a, b) => match (self.class_of(a), self.class_of(b)) {
                (Some(a), Some(b)) => self.before.binary_search(&(a, b)).is_ok(),
                _ => false,
            },
            Literal::AtMost(x, y, c) => match (self.find_number(x), self.find_number(y)) {
                (Some(a), Some(b)) => {
                    let sum = || Sum::of(x).minus(&Sum::of(y));
                    self.bound(a, b) <= c
                        || (!self.sums.is_empty()
                            && sum().is_some_and(|sum| self.implies_sum(&sum, Relation::AtMost, c)))
                }
                _ => false,
            },
            Literal::Unequal(x, y, c) => match (self.find_number(x), self.find_number(y)) {
                (Some(x), Some(y)) => {
                    self.bound(x, y) < c
                        || self.bound(y, x) < -c
                        || self.unequal.contains(&(x as u16, y as u16, c))
                        || self.unequal.contains(&(y as u16, x as u16, -c))
                }
                _ => false,
            },
            Literal::Sum(sum, relation, c) => self.implies_sum(&sum, relation, c),
        }
    }

    /// Does the literal hold in no state? `false` may also mean: not known.
    pub(crate) fn excludes(&self, literal: &Literal) -> bool {
        match *literal {
            Literal::In(term, mask) => self.implies(&Literal::In(term, !mask)),
            Literal::Equal(a, b) => self.implies(&Literal::Differ(a, b)),
            Literal::Differ(a, b) => self.implies(&Literal::Equal(a, b)),
            Literal::Before(a, b) => {
                self.implies(&Literal::Before(b, a)) || self.implies(&Literal::Equal(a, b))
            }
            Literal::AtMost(x, y, c) => {
                c.checked_neg().is_some_and(|c| self.implies(&Literal::AtMost(y, x, c.saturating_sub(1))))
            }
            Literal::Unequal(x, y, c) => {
                self.implies(&Literal::AtMost(x, y, c))
                    && c.checked_neg().is_some_and(|c| self.implies(&Literal::AtMost(y, x, c)))
            }
            Literal::Sum(..) => false,
        }
    }

    /// The same in as few literals as possible, sorted, without the terms that are not kept. `false`: something
    /// that was known of kept terms by way of others may be lost.
    pub(crate) fn literals(&self, system: &System, keep: &dyn Fn(Term) -> bool) -> (Vec<Literal>, bool) {
        let mut result = vec![];
        let mut exact = true;
        let kept = |element: usize| element < self.processes || keep(self.terms[element - self.processes]);
        let operand = |element: usize| match element < self.processes {
            true => Operand::Process(element as Process),
            false => Operand::Term(self.terms[element - self.processes]),
        };
        // Who stands for a class.
        let mut stands: Vec<Option<u16>> = vec![None; self.class.len()];
        for element in (0..self.class.len()).rev().filter(|element| kept(*element)) {
            stands[self.class[element] as usize] = Some(element as u16);
        }
        for element in (self.processes..self.class.len()).filter(|element| kept(*element)) {
            let class = self.class[element] as usize;
            let term = self.terms[element - self.processes];
            let known = self.mask[class];
            let first = stands[class] == Some(element as u16);
            if known.is_power_of_two() || first {
                if known != system.all(term.cell) && known != u64::MAX {
                    result.push(Literal::In(term, known));
                }
            } else if let Some(least) = stands[class] {
                result.push(Literal::Equal(operand(least as usize), Operand::Term(term)));
            }
        }
        for (a, b) in &self.differ {
            match (stands[*a as usize], stands[*b as usize]) {
                (Some(a), Some(b)) => result.push(Literal::Differ(operand(a as usize), operand(b as usize))),
                _ => exact = false,
            }
        }
        let order: Vec<(u16, u16)> = (self.before.iter())
            .filter_map(|(a, b)| Some((stands[*a as usize]?, stands[*b as usize]?)))
            .collect();
        for (a, b) in &order {
            if !order.iter().any(|(c, d)| c == a && order.contains(&(*d, *b))) {
                result.push(Literal::Before(operand(*a as usize), operand(*b as usize)));
            }
        }
        self.differences(keep, &mut result, &mut exact);
        for (sum, relation, c) in &self.sums {
            if sum.terms().all(keep) {
                result.push(Literal::Sum(*sum, *relation, *c));
            } else {
                exact = false;
            }
        }
        result.iter_mut().for_each(|literal| *literal = literal.sorted());
        result.sort_unstable();
        (result, exact)
    }

    fn differences(&self, keep: &dyn Fn(Term) -> bool, result: &mut Vec<Literal>, exact: &mut bool) {
        let kept: Vec<usize> =
            (0..=self.numbers.len()).filter(|i| *i == 0 || keep(self.numbers[*i - 1])).collect();
        let number = |i: usize| (i > 0).then(|| self.numbers[i - 1]);
        // Of numbers whose difference is fixed, the least stands for the others, which hang on it by two bounds.
        let tied = |x: usize, y: usize| self.bound(x, y) < INFINITE && self.bound(x, y) == -self.bound(y, x);
        let stands: Vec<usize> =
            kept.iter().map(|x| *kept.iter().find(|y| tied(*x, **y)).unwrap_or(x)).collect();
        let free: Vec<usize> = kept.iter().zip(&stands).filter(|(x, s)| x == s).map(|(x, _)| *x).collect();
        for (&x, &s) in kept.iter().zip(&stands).filter(|(x, s)| x != s) {
            result.push(Literal::AtMost(number(x), number(s), self.bound(x, s)));
            result.push(Literal::AtMost(number(s), number(x), self.bound(s, x)));
        }
        for &x in &free {
            for &y in free.iter().filter(|y| **y != x) {
                let bound = self.bound(x, y);
                let by_others = || {
                    free.iter().any(|z| {
                        let (first, second) = (self.bound(x, *z), self.bound(*z, y));
                        *z != x && *z != y && first < INFINITE && second < INFINITE && first + second <= bound
                    })
                };
                if bound < INFINITE && !by_others() {
                    result.push(Literal::AtMost(number(x), number(y), bound));
                }
            }
        }
        for (x, y, c) in &self.unequal {
            let (x, y) = (*x as usize, *y as usize);
            if kept.contains(&x) && kept.contains(&y) {
                result.push(Literal::Unequal(number(x), number(y), *c));
            } else {
                *exact = false;
            }
        }
    }

    /// Two literals, one of which holds in every state, if there is anything that the parts leave open between them.
    pub(crate) fn undecided(&self) -> Option<[Literal; 2]> {
        if let Some((x, y, c)) = self.unequal.first() {
            let number = |i: u16| (i > 0).then(|| self.numbers[i as usize - 1]);
            let (x, y) = (number(*x), number(*y));
            return Some([Literal::AtMost(x, y, c - 1), Literal::AtMost(y, x, -c - 1)]);
        }
        for (a, b) in &self.differ {
            for i in [*a as usize, *b as usize] {
                let mask = self.mask[i];
                if i >= self.processes && mask != u64::MAX && !mask.is_power_of_two() {
                    let lowest = mask & mask.wrapping_neg();
                    let term = self.terms[i - self.processes];
                    return Some([Literal::In(term, lowest), Literal::In(term, mask & !lowest)]);
                }
            }
        }
        None
    }

    /// Is this process before that in all states?
    pub(crate) fn is_before(&self, a: Process, b: Process) -> bool {
        self.before.binary_search(&(u16::from(a), u16::from(b))).is_ok()
    }

    /// The bounds of an integer, between the ends of what may be calculated with.
    pub(crate) fn range(&self, term: Term) -> (Option<i64>, Option<i64>) {
        let Some(x) = self.find_number(Some(term)) else { return (None, None) };
        let finite = |bound: i64| (bound < INFINITE).then_some(bound);
        let (low, high) = (finite(self.bound(0, x)).map(|bound| -bound), finite(self.bound(x, 0)));
        if self.sums.is_empty() {
            return (low, high);
        }
        let most = |factor: i64| sum::most(self.inequalities(&[]), x - 1, factor);
        (most(-1).map(|bound| -bound).max(low), most(1).or(high))
    }
}
