//! Processes and shared variables of a program, before any code.

use wattle_logic::{Sort, Term, Value};
use wattle_program::{Dimension, Enumeration, Init, ProcessId, Range, Replicas, Variable};
use wattle_source::Span;

use crate::{Profile, Rng};

/// What all processes see.
#[derive(Debug)]
pub(crate) struct World {
    pub replicas: Vec<Replicas>,
    /// How many copies each process has.
    pub copies: Vec<u32>,
    pub variables: Vec<Variable>,
    pub enumerations: Vec<Enumeration>,
}

impl World {
    pub(crate) fn length(&self, dimension: Dimension) -> u32 {
        match dimension {
            Dimension::Fixed(length) => length,
            Dimension::Copies(process) => self.copies[process.0 as usize],
        }
    }
}

pub(crate) fn world(rng: &mut Rng, profile: &Profile, litmus: bool) -> World {
    // Two threads are the common case: one shows little, three are costly.
    let (least, most) = profile.threads;
    let threads = [2, 2, 2, 2, 2, 2, 3, 3, 3, 1][rng.below(10) as usize].clamp(least, most);
    let mut world = World { replicas: vec![], copies: vec![], variables: vec![], enumerations: vec![] };
    let mut left = threads;
    while left > 0 {
        if left > 1 && rng.chance(profile.replicated) {
            let copies = if left == 3 && rng.chance(700) { 2 } else { left };
            world.replicas.push(Replicas::Exactly(copies));
            world.copies.push(copies);
            left -= copies;
        } else {
            let one = if rng.chance(50) { Replicas::Exactly(1) } else { Replicas::Once };
            world.replicas.push(one);
            world.copies.push(1);
            left -= 1;
        }
    }
    if profile.is_rma() {
        owned(rng, profile, &mut world);
    } else {
        shared(rng, profile, litmus, &mut world);
    }
    world
}

/// Variables that each process owns, integers only: copies between memories keep their sorts.
fn owned(rng: &mut Rng, profile: &Profile, world: &mut World) {
    let processes = world.replicas.len() as u32;
    let extra = rng.between(0, profile.variables.1.saturating_sub(processes).max(1));
    let owners = (0..processes).chain((0..extra).map(|_| rng.below(processes))).collect::<Vec<_>>();
    for owner in owners {
        let number = world.variables.len();
        let dimensions = match world.replicas[owner as usize] {
            Replicas::Once => vec![],
            _ => vec![Dimension::Copies(ProcessId(owner))],
        };
        let (sort, range) = match rng.below(10) {
            0..=5 => (Sort::Int, None),
            6..=8 if profile.machine_integers => (Sort::Bits { width: 2, signed: rng.chance(500) }, None),
            _ => (Sort::Int, Some(Range { low: 0, high: 3 })),
        };
        let low = i64::from(rng.below(2));
        let init = match rng.chance(200) && !dimensions.is_empty() {
            true => Term::me(),
            false => Term::int(low),
        };
        world.variables.push(Variable {
            name: format!("v{number}").into(),
            sort,
            dimensions,
            range,
            init: Init::Values(vec![init]),
            unbuffered: false,
            place: None,
            owner: Some(ProcessId(owner)),
            span: Span::NOWHERE,
        });
    }
}

fn shared(rng: &mut Rng, profile: &Profile, litmus: bool, world: &mut World) {
    // Two variables show most: one alone has no order to break, and with more threads miss each other.
    let count = [2, 2, 2, 2, 2, 2, 2, 3, 3, 1][rng.below(10) as usize];
    let count = count.clamp(profile.variables.0, profile.variables.1);
    let mut any_left = 2;
    for number in 0..count {
        let plain = litmus && rng.chance(850);
        let (sort, range) = if plain { (Sort::Int, None) } else { sort(rng, profile, world) };
        let dimensions = match !plain && rng.chance(profile.array) {
            false => vec![],
            true => vec![match world.copies.iter().position(|copies| *copies > 1) {
                Some(process) if rng.chance(600) => Dimension::Copies(ProcessId(process as u32)),
                _ => Dimension::Fixed(2),
            }],
        };
        let cells: u32 = dimensions.iter().map(|dimension| world.length(*dimension)).product();
        let finite = range.is_some() || matches!(sort, Sort::Bool | Sort::Enum(_));
        let init = if finite && any_left > 0 && cells == 1 && rng.chance(profile.any_init) {
            any_left -= 1;
            Init::Any
        } else {
            let values = if rng.chance(800) { 1 } else { cells };
            let literal = |rng: &mut Rng| match rng.chance(600) && range.is_none() {
                true => Term::value(sort.zero(), sort),
                false => literal(rng, sort, range),
            };
            Init::Values((0..values).map(|_| literal(rng)).collect())
        };
        let name = format!("x{number}").into();
        world.variables.push(Variable {
            name,
            sort,
            dimensions,
            range,
            init,
            unbuffered: false,
            place: None,
            owner: None,
            span: Span::NOWHERE,
        });
    }
    if rng.chance(profile.pointers) {
        // Pointers go to whole integers without range, so that whatever is read fits.
        let targets: Vec<u32> = (0..count).filter(|number| is_target(world, *number)).collect();
        if let Some(target) = targets.first() {
            world.variables.push(Variable {
                name: "pointer".into(),
                sort: Sort::Address,
                dimensions: vec![],
                range: None,
                init: Init::Values(vec![Term::address(*target, vec![])]),
                unbuffered: false,
                place: None,
                owner: None,
                span: Span::NOWHERE,
            });
        }
    }
}

/// May a pointer go to this variable?
pub(crate) fn is_target(world: &World, number: u32) -> bool {
    let variable = &world.variables[number as usize];
    variable.sort == Sort::Int && variable.range.is_none() && variable.dimensions.is_empty()
}

/// A sort for a cell, with a range perhaps.
pub(crate) fn sort(rng: &mut Rng, profile: &Profile, world: &mut World) -> (Sort, Option<Range>) {
    match rng.below(100) {
        0..=59 => (Sort::Int, None),
        60..=64 => (Sort::Int, Some(Range { low: 0, high: i64::from(rng.between(1, 2)) })),
        // Zero is outside: what a packed state forgets must still be stored.
        65..=69 => (Sort::Int, Some(Range { low: 1, high: 3 })),
        70..=74 => (Sort::Int, Some(Range { low: -1, high: 1 })),
        75..=84 => (Sort::Bool, None),
        85..=94 if !profile.machine_integers => (Sort::Int, None),
        85..=94 => (Sort::Bits { width: rng.between(1, 3) as u8, signed: rng.chance(500) }, None),
        _ => {
            if world.enumerations.is_empty() {
                let constructors = vec!["a".into(), "b".into(), "c".into()];
                world.enumerations.push(Enumeration { name: "letter".into(), constructors });
            }
            (Sort::Enum(0), None)
        }
    }
}

/// A literal that a cell of this sort and range can hold.
pub(crate) fn literal(rng: &mut Rng, sort: Sort, range: Option<Range>) -> Term {
    let value = match (sort, range) {
        (_, Some(range)) => Value::Int(range.low + i64::from(rng.below((range.high - range.low + 1) as u32))),
        (Sort::Bool, _) => Value::Bool(rng.chance(500)),
        (Sort::Enum(_), _) => Value::Symbol(rng.below(3)),
        (Sort::Bits { .. }, _) => Value::Int(sort.wrap(i64::from(rng.below(2)))),
        _ => Value::Int([0, 0, 0, 1, 1, 2][rng.below(6) as usize]),
    };
    Term::value(value, sort)
}
