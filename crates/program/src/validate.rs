//! Checks that a program is well formed. Front ends and passes produce only such programs; tests check that.

use std::fmt;

use wattle_logic::{Kind, Sort, Symbol, Term, Value};

use crate::{Dimension, Init, Mode, Op, Process, Program, Source, Update, Variable};

/// The first thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub String);

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Checks that numbers are in range, that sorts fit, and that only properties and the like speak of whole states.
pub fn validate(program: &Program) -> Result<(), Invalid> {
    for variable in &program.variables {
        variable_is_valid(program, variable)
            .map_err(|Invalid(what)| Invalid(format!("variable {}: {what}", variable.name)))?;
    }
    for process in &program.processes {
        process_is_valid(program, process)
            .map_err(|Invalid(what)| Invalid(format!("process {}: {what}", process.name)))?;
    }
    for formula in program.state_formulas() {
        term_is_valid(program, None, formula)?;
    }
    for property in &program.properties {
        sort_is(&property.formula, Sort::Bool)?;
    }
    Ok(())
}

fn variable_is_valid(program: &Program, variable: &Variable) -> Result<(), Invalid> {
    let processes = program.processes.len();
    require(variable.range.is_none_or(|range| range.low <= range.high), "an empty range")?;
    let copies = variable.dimensions.iter().filter_map(|dimension| match dimension {
        Dimension::Copies(process) => Some(*process),
        Dimension::Fixed(_) => None,
    });
    for process in copies.chain(variable.owner) {
        require((process.0 as usize) < processes, "an unknown process")?;
    }
    if let Some(place) = &variable.place {
        require((place.object as usize) < program.variables.len(), "a place in an unknown object")?;
        require(
            place.strides.len() == variable.dimensions.len(),
            "a place without a stride for each dimension",
        )?;
    }
    start_is_valid(program, variable.sort, &variable.init)
}

fn start_is_valid(program: &Program, sort: Sort, init: &Init) -> Result<(), Invalid> {
    if let Sort::Enum(number) = sort {
        require((number as usize) < program.enumerations.len(), "an unknown enumeration")?;
    }
    match init {
        Init::Any => Ok(()),
        Init::Values(values) => values.iter().try_for_each(|value| term_is_valid(program, None, value)),
    }
}

fn process_is_valid(program: &Program, process: &Process) -> Result<(), Invalid> {
    let cfg = &process.cfg;
    let points = cfg.points.len() as u32;
    process.locals.iter().try_for_each(|local| start_is_valid(program, local.sort, &local.init))?;
    require(cfg.entry.0 < points, "the entry is not a point")?;
    for edge in &cfg.edges {
        require(edge.from.0 < points && edge.to.0 < points, "an edge leaves the graph")?;
        require(!cfg.point(edge.from).end, "an edge leaves an end point")?;
        // Locked edges need empty buffers, so nothing is pending inside a locked section.
        let enters_locked = cfg.point(edge.to).inside == Some(Mode::Locked);
        require(
            !enters_locked || edge.mode == Mode::Locked,
            "an edge that is not locked in a locked section",
        )?;
        let term = |term: &Term| term_is_valid(program, Some(process), term);
        let local = |local: u32| require((local as usize) < process.locals.len(), "an unknown local");
        term(&edge.guard)?;
        let mut sees = false;
        edge.guard.walk(&mut |node| sees |= matches!(node.kind(), Kind::Content(_) | Kind::Seen { .. }));
        require(!sees, "a guard that looks into memory; that is for assumptions")?;
        sort_is(&edge.guard, Sort::Bool)?;
        for op in &edge.ops {
            for part in op_terms(op) {
                term(part)?;
            }
            match op {
                Op::Load { into, address, .. } | Op::LoadExclusive { into, address, .. } => {
                    local(*into)?;
                    sort_is(address, Sort::Address)?;
                }
                Op::Store { address, .. } => sort_is(address, Sort::Address)?,
                Op::Together { stores } => {
                    for store in stores {
                        sort_is(&store.when, Sort::Bool)?;
                        sort_is(&store.address, Sort::Address)?;
                        for (_, process) in &store.each {
                            require((process.0 as usize) < program.processes.len(), "an unknown process")?;
                        }
                    }
                }
                Op::StoreConditional { success, address, .. } => {
                    local(*success)?;
                    sort_is(address, Sort::Address)?;
                }
                Op::Assign { local: set, .. } | Op::Havoc { local: set, .. } | Op::Forget { local: set } => {
                    local(*set)?;
                }
                Op::Assume { condition } | Op::Assert { condition, .. } => sort_is(condition, Sort::Bool)?,
                Op::Flush { process, .. } | Op::Spawn { process, .. } | Op::Join { process, .. } => {
                    require((process.0 as usize) < program.processes.len(), "an unknown process")?;
                }
                Op::Cut { .. } => {
                    let goes_on = cfg.leaving(edge.to).next().is_some() || cfg.point(edge.to).end;
                    require(!goes_on, "a thread that goes on, or has ended, where it is cut")?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The terms that an operation evaluates.
pub fn op_terms(op: &Op) -> Vec<&Term> {
    use crate::Choice;
    match op {
        Op::Load { address, .. } | Op::LoadExclusive { address, .. } => vec![address],
        Op::Store { address, value, .. } | Op::StoreConditional { address, value, .. } => {
            vec![address, value]
        }
        Op::Assign { value, .. } => vec![value],
        Op::Together { stores } => {
            stores.iter().flat_map(|store| [&store.when, &store.address, &store.value]).collect()
        }
        Op::Havoc { among: Choice::Between(low, high), .. } => vec![low, high],
        Op::Havoc { among: Choice::Member(set), .. } => vec![set],
        Op::Havoc { among: Choice::Any, .. } | Op::Forget { .. } => vec![],
        Op::Cut { .. } | Op::Unsupported { .. } => vec![],
        Op::Assume { condition } | Op::Assert { condition, .. } => vec![condition],
        Op::Fence(fence) => fence.location.iter().collect(),
        Op::Put { remote, source: Source::Location(source) | Source::Value(source) } => vec![remote, source],
        Op::Get { into, remote } => vec![into, remote],
        Op::RemoteAtomic { into, remote, update } => {
            let mut terms = vec![remote];
            terms.extend(into);
            match update {
                Update::Add(value) | Update::Replace(value) => terms.push(value),
                Update::CompareAndSwap { expected, new } => terms.extend([expected, new]),
            }
            terms
        }
        Op::Flush { copy, .. } | Op::Spawn { copy, .. } | Op::Join { copy, .. } => vec![copy],
    }
}

fn term_is_valid(program: &Program, process: Option<&Process>, term: &Term) -> Result<(), Invalid> {
    let mut result = Ok(());
    term.walk(&mut |node| {
        if result.is_ok() {
            result = node_is_valid(program, process, node);
        }
    });
    result
}

fn node_is_valid(program: &Program, process: Option<&Process>, node: &Term) -> Result<(), Invalid> {
    let has_process =
        |number: u32| require((number as usize) < program.processes.len(), "an unknown process");
    match node.kind() {
        Kind::Symbol(Symbol::Local(local)) => {
            let Some(process) = process else { return invalid("a local in a state formula") };
            let Some(info) = process.locals.get(*local as usize) else { return invalid("an unknown local") };
            require(info.sort == node.sort(), "a local of another sort")
        }
        Kind::Symbol(Symbol::Copies(process)) => has_process(*process),
        Kind::Address { variable, indices } => match program.variables.get(*variable as usize) {
            Some(info) => require(info.dimensions.len() == indices.len(), "a wrong number of indices"),
            None => invalid("an unknown variable"),
        },
        Kind::Content(address) if process.is_some() => match address.kind() {
            Kind::Address { variable, .. } => {
                let unbuffered =
                    program.variables.get(*variable as usize).is_some_and(|info| info.unbuffered);
                require(unbuffered, "main memory behind the store buffers, inside a process")
            }
            _ => invalid("main memory at a computed address, inside a process"),
        },
        Kind::At { .. } | Kind::Ended { .. } | Kind::LocalOf { .. } | Kind::Element(_)
            if process.is_some() =>
        {
            invalid("a state formula inside a process")
        }
        Kind::Seen { process, copy, address } => {
            has_process(*process)?;
            copy_is_there(&program.processes[*process as usize], copy)?;
            sort_is(address, Sort::Address)
        }
        Kind::At { process, copy, point } => {
            has_process(*process)?;
            copy_is_there(&program.processes[*process as usize], copy)?;
            let points = program.processes[*process as usize].cfg.points.len();
            require((*point as usize) < points, "an unknown point")
        }
        Kind::LocalOf { process, copy, local } => {
            has_process(*process)?;
            copy_is_there(&program.processes[*process as usize], copy)?;
            let locals = program.processes[*process as usize].locals.len();
            require((*local as usize) < locals, "an unknown local")
        }
        Kind::Ended { process, copy } => {
            has_process(*process)?;
            copy_is_there(&program.processes[*process as usize], copy)
        }
        Kind::Quantified { process, .. } => has_process(*process),
        _ => Ok(()),
    }
}

/// A copy that is named by its number is one of those that there are, whatever is made of the program later.
fn copy_is_there(process: &Process, copy: &Term) -> Result<(), Invalid> {
    let there = match (copy.as_value(), process.replicas.count()) {
        (Some(Value::Int(copy)), Some(count)) => (0..i64::from(count)).contains(copy),
        (Some(Value::Process(copy)), Some(count)) => *copy < count,
        _ => true,
    };
    require(there, "a copy that is not there")
}

fn sort_is(term: &Term, sort: Sort) -> Result<(), Invalid> {
    require(term.sort() == sort, &format!("a term of sort {} where {sort} is needed", term.sort()))
}

fn require(holds: bool, what: &str) -> Result<(), Invalid> {
    if holds { Ok(()) } else { invalid(what) }
}

fn invalid(what: &str) -> Result<(), Invalid> {
    Err(Invalid(what.to_owned()))
}
