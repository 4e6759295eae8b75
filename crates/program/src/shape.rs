//! The threads and memory locations of a program whose processes have fixed numbers of copies.

use std::fmt;

use wattle_logic::{Environment, Fault, Sort, Term, Value};

use crate::{Dimension, Init, ProcessId, Program};

/// The number of a thread: copies of the first process, then of the second, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    pub process: ProcessId,
    pub copy: u32,
}

/// One memory cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub variable: u32,
    pub indices: Vec<u32>,
    /// The thread in whose memory the cell lives, if any.
    pub owner: Option<ThreadId>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub threads: Vec<Thread>,
    pub locations: Vec<Location>,
    /// The first thread of each process, and one past the last.
    first_thread: Vec<u32>,
    /// The first location of each variable, and one past the last.
    first_location: Vec<u32>,
    extents: Vec<Vec<u32>>,
    /// The machine integer that stands for each location, and the locations by these numbers.
    numbers: Vec<i64>,
    /// With how many bytes each has, where that is known.
    by_number: Vec<(i64, u32, i64)>,
}

/// The numbers of addresses: each object (a variable, or those that have a [`Place`](crate::Place) in one) has a region
/// of its own. Elements of a variable without a place lie side by side in it, as many bytes apart as they are wide.
/// Regions are far from any number that a person writes, so that no value of a test is an address by accident. Nothing has
/// the number 0.
const REGION: u32 = 28;
const FIRST_REGION: i64 = 0x5bad_0ddb << REGION;

/// The process whose number of copies is not fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFixed(pub ProcessId);

impl fmt::Display for NotFixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} has any number of copies", self.0.0)
    }
}

impl Shape {
    pub fn new(program: &Program) -> Result<Shape, NotFixed> {
        let mut threads = Vec::new();
        let mut first_thread = vec![0];
        for process in program.process_ids() {
            let count = program.process(process).replicas.count().ok_or(NotFixed(process))?;
            threads.extend((0..count).map(|copy| Thread { process, copy }));
            first_thread.push(threads.len() as u32);
        }
        let mut shape = Shape {
            threads,
            locations: Vec::new(),
            first_thread,
            first_location: vec![0],
            extents: Vec::new(),
            numbers: Vec::new(),
            by_number: Vec::new(),
        };
        for (number, variable) in program.variables.iter().enumerate() {
            let extents: Vec<u32> = (variable.dimensions.iter())
                .map(|dimension| match dimension {
                    Dimension::Fixed(length) => *length,
                    Dimension::Copies(process) => shape.copies_of(*process),
                })
                .collect();
            let size: u32 = extents.iter().product();
            for flat in 0..size {
                let mut rest = flat;
                let mut indices = vec![0; extents.len()];
                for (index, extent) in indices.iter_mut().zip(&extents).rev() {
                    *index = rest % extent;
                    rest /= extent;
                }
                let owner = variable.owner.map(|process| {
                    let per_copy = variable.dimensions.first() == Some(&Dimension::Copies(process));
                    shape.thread(process, if per_copy { indices[0] } else { 0 })
                });
                let (object, offset) = match &variable.place {
                    Some(place) => {
                        let inside = indices.iter().zip(&place.strides);
                        let inside: u64 =
                            inside.map(|(index, stride)| u64::from(*index) * u64::from(*stride)).sum();
                        (place.object, i64::from(place.offset) + inside as i64)
                    }
                    None => (number as u32, i64::from(flat) * bytes(variable.sort)),
                };
                let address = FIRST_REGION + (i64::from(object) << REGION) + offset;
                let size = if variable.place.is_some() { bytes(variable.sort) } else { 0 };
                shape.by_number.push((address, shape.locations.len() as u32, size));
                shape.numbers.push(address);
                shape.locations.push(Location { variable: number as u32, indices, owner });
            }
            shape.first_location.push(shape.locations.len() as u32);
            shape.extents.push(extents);
        }
        shape.by_number.sort_unstable();
        Ok(shape)
    }

    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    pub fn info(&self, thread: ThreadId) -> Thread {
        self.threads[thread.0 as usize]
    }

    pub fn copies_of(&self, process: ProcessId) -> u32 {
        self.first_thread[process.0 as usize + 1] - self.first_thread[process.0 as usize]
    }

    pub fn thread(&self, process: ProcessId, copy: u32) -> ThreadId {
        ThreadId(self.first_thread[process.0 as usize] + copy)
    }

    /// The thread that a property names, if there is one.
    pub fn checked_thread(&self, process: u32, copy: i64) -> Result<ThreadId, Fault> {
        let copies = self.copies_of(ProcessId(process));
        match u32::try_from(copy) {
            Ok(copy) if copy < copies => Ok(self.thread(ProcessId(process), copy)),
            _ => Err(Fault::OutOfBounds),
        }
    }

    /// The locations of a variable, in row-major order.
    pub fn locations_of(&self, variable: u32) -> std::ops::Range<u32> {
        self.first_location[variable as usize]..self.first_location[variable as usize + 1]
    }

    pub fn extents(&self, variable: u32) -> &[u32] {
        &self.extents[variable as usize]
    }

    pub fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        let extents = &self.extents[variable as usize];
        if extents.len() != indices.len() {
            return Err(Fault::Meaningless);
        }
        let mut flat = 0;
        for (&index, &extent) in indices.iter().zip(extents) {
            match u32::try_from(index) {
                Ok(index) if index < extent => flat = flat * extent + index,
                _ => return Err(Fault::OutOfBounds),
            }
        }
        Ok(self.first_location[variable as usize] + flat)
    }

    /// The machine integer that stands for a location.
    pub fn number(&self, location: u32) -> Result<i64, Fault> {
        self.numbers.get(location as usize).copied().ok_or(Fault::OutOfBounds)
    }

    /// The location that a machine integer stands for.
    pub fn pointer(&self, number: i64) -> Result<u32, Fault> {
        match self.by_number.binary_search_by_key(&number, |(number, ..)| *number) {
            Ok(at) => Ok(self.by_number[at].1),
            Err(next) => {
                let before = next.checked_sub(1).map(|at| self.by_number[at]);
                Err(match before {
                    Some((start, _, size)) if number - start < size => Fault::Inside,
                    _ => Fault::OutOfBounds,
                })
            }
        }
    }

    /// The location that an address term names in copy `copy` of its process, where that does not
    /// depend on locals.
    pub fn fixed_location(&self, address: &Term, copy: u32) -> Option<u32> {
        match address.evaluate(&Start { shape: self, me: copy }) {
            Ok(Value::Address(location)) if (location as usize) < self.locations.len() => Some(location),
            _ => None,
        }
    }

    /// A name for people: `x`, `flag[1]`, and `p[1].x` for what copy 1 of p owns. Indices go into the gaps `[]` of the
    /// variable's name (`slots[].next` is a field of the elements of an array), or behind it.
    pub fn location_name(&self, program: &Program, location: u32) -> String {
        let Some(info) = self.locations.get(location as usize) else {
            return format!("&{location}");
        };
        let variable = &program.variables[info.variable as usize];
        let mut indices = info.indices.as_slice();
        let mut name = String::new();
        if let Some(owner) = info.owner {
            name = format!("{}.", self.thread_name(program, owner));
            if matches!(variable.dimensions.first(), Some(Dimension::Copies(_))) {
                indices = &indices[1..];
            }
        }
        let mut rest: &str = &variable.name;
        for index in indices {
            let gap = rest.find("[]").unwrap_or(rest.len());
            name.push_str(&rest[..gap]);
            name.push_str(&format!("[{index}]"));
            rest = rest[gap..].strip_prefix("[]").unwrap_or_default();
        }
        name + rest
    }

    /// A name for people: `p` or `p[1]`.
    pub fn thread_name(&self, program: &Program, thread: ThreadId) -> String {
        let info = self.info(thread);
        let process = program.process(info.process);
        match process.replicas {
            crate::Replicas::Once => process.name.to_string(),
            _ => format!("{}[{}]", process.name, info.copy),
        }
    }

    /// The contents of memory at the start. `None` stands for any value of the variable's range.
    pub fn initial_memory(&self, program: &Program) -> Result<Vec<Option<Value>>, Fault> {
        let mut memory = Vec::with_capacity(self.locations.len());
        for (number, variable) in program.variables.iter().enumerate() {
            let range = self.locations_of(number as u32);
            for (element, location) in range.enumerate() {
                let indices = &self.locations[location as usize].indices;
                memory.push(match &variable.init {
                    Init::Any => None,
                    Init::Values(values) => {
                        let term = values.get(element).or(values.first());
                        // An owned variable's initial value may speak of its owner's `me`.
                        let me = self.locations[location as usize].owner.map(|owner| self.info(owner).copy);
                        let copy = me.or(indices.first().copied()).unwrap_or(0);
                        Some(match term {
                            Some(term) => {
                                wrapped(term.evaluate(&Start { shape: self, me: copy })?, variable.sort)
                            }
                            None => variable.sort.zero(),
                        })
                    }
                });
            }
        }
        Ok(memory)
    }

    /// The locals of a thread at the start. `None` stands for any value of the local's range.
    pub fn initial_locals(&self, program: &Program, thread: ThreadId) -> Result<Vec<Option<Value>>, Fault> {
        let info = self.info(thread);
        let evaluate = |term: &Term| term.evaluate(&Start { shape: self, me: info.copy });
        (program.process(info.process).locals.iter())
            .map(|local| match &local.init {
                Init::Any => Ok(None),
                Init::Values(values) => {
                    let value = values.first().map_or(Ok(local.sort.zero()), evaluate)?;
                    Ok(Some(wrapped(value, local.sort)))
                }
            })
            .collect()
    }
}

/// Machine integers wrap round at the start too: `me` may not fit.
fn wrapped(value: Value, sort: Sort) -> Value {
    match value {
        Value::Int(value) => Value::Int(sort.wrap(value)),
        other => other,
    }
}

fn bytes(sort: Sort) -> i64 {
    match sort {
        Sort::Bits { width, .. } => i64::from(width.div_ceil(8).max(1)),
        _ => 8,
    }
}

/// What initial values may speak of: constants, addresses and `me`.
struct Start<'a> {
    shape: &'a Shape,
    me: u32,
}

impl Environment for Start<'_> {
    fn locate(&self, variable: u32, indices: &[i64]) -> Result<u32, Fault> {
        self.shape.locate(variable, indices)
    }
    fn number(&self, location: u32) -> Result<i64, Fault> {
        self.shape.number(location)
    }
    fn pointer(&self, number: i64) -> Result<u32, Fault> {
        self.shape.pointer(number)
    }
    fn me(&self) -> Result<i64, Fault> {
        Ok(i64::from(self.me))
    }
    fn copies(&self, process: u32) -> Result<i64, Fault> {
        Ok(i64::from(self.shape.copies_of(ProcessId(process))))
    }
}

#[cfg(test)]
mod tests {
    use wattle_source::Span;

    use super::*;
    use crate::{Place, Variable, Vocabulary};

    /// `struct { int value; long next; } nodes[3];`
    #[test]
    fn parts_of_one_object_lie_where_their_places_say() {
        let part = |name: &str, width, offset| Variable {
            name: name.into(),
            sort: Sort::Bits { width, signed: true },
            dimensions: vec![Dimension::Fixed(3)],
            range: None,
            init: Init::Any,
            unbuffered: false,
            place: Some(Place { object: 0, offset, strides: vec![16] }),
            owner: None,
            span: Span::NOWHERE,
        };
        let mut program = Program::empty("nodes", Vocabulary::C11);
        program.variables = vec![part("nodes[].value", 32, 0), part("nodes[].next", 64, 8)];
        let shape = Shape::new(&program).unwrap();
        let start = shape.number(0).unwrap();
        let (second, next) = (shape.pointer(start + 16).unwrap(), shape.pointer(start + 24).unwrap());
        assert_eq!(shape.location_name(&program, second), "nodes[1].value");
        assert_eq!(shape.location_name(&program, next), "nodes[1].next");
        for inside in [start + 1, start + 3, start + 9, start + 31] {
            assert_eq!(shape.pointer(inside), Err(Fault::Inside), "{inside}");
        }
        for nowhere in [0, start + 4, start - 1, start + 48] {
            assert_eq!(shape.pointer(nowhere), Err(Fault::OutOfBounds), "{nowhere}");
        }
    }
}
