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
    /// How many bytes one element of each variable takes.
    sizes: Vec<i64>,
}

/// The numbers of addresses: each variable has a region of its own, and elements of an array lie
/// side by side in it, as many bytes apart as they are wide. Regions are far from any number that a
/// person writes, so that no value of a test is an address by accident.
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
            sizes: program.variables.iter().map(|variable| bytes(variable.sort)).collect(),
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
                shape.locations.push(Location { variable: number as u32, indices, owner });
            }
            shape.first_location.push(shape.locations.len() as u32);
            shape.extents.push(extents);
        }
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
        let variable = self.locations.get(location as usize).ok_or(Fault::OutOfBounds)?.variable;
        let element = location - self.first_location[variable as usize];
        Ok(FIRST_REGION
            + (i64::from(variable) << REGION)
            + i64::from(element) * self.sizes[variable as usize])
    }

    /// The location that a machine integer stands for.
    pub fn pointer(&self, number: i64) -> Result<u32, Fault> {
        let variable = number.checked_sub(FIRST_REGION).ok_or(Fault::OutOfBounds)? >> REGION;
        let size = usize::try_from(variable).ok().and_then(|variable| self.sizes.get(variable));
        let offset = number & ((1 << REGION) - 1);
        match size {
            Some(size) if offset % size == 0 => {
                let range = self.locations_of(variable as u32);
                let location = i64::from(range.start) + offset / size;
                let inside = location < i64::from(range.end);
                if inside { Ok(location as u32) } else { Err(Fault::OutOfBounds) }
            }
            _ => Err(Fault::OutOfBounds),
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

    /// A name for people: `x`, `flag[1]`, and `p[1].x` for what copy 1 of p owns.
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
        name.push_str(&variable.name);
        for index in indices {
            name.push_str(&format!("[{index}]"));
        }
        name
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
