//! Fences and flushes as statements of the language.

use wattle_logic::{Binary, Kind, Symbol, Term, Unary};
use wattle_program::{Dimension, Fence, Op, Orders, Process, ProcessId, Program, Replicas};

pub(crate) fn statement(program: &Program, process: ProcessId, op: &Op) -> Result<String, String> {
    let own = program.process(process);
    let unspeakable =
        || format!("{} reads the place of this step from memory, and the text has no name for it", own.name);
    match op {
        Op::Fence(fence) => match &fence.location {
            Some(location) => {
                let place = place(program, own, process, location).ok_or_else(unspeakable)?;
                Ok(format!("fence({place});"))
            }
            None if *fence == Fence::lwsync() => Ok("fence lwsync;".into()),
            None if fence.orders == Orders::ALL => Ok("fence;".into()),
            None if fence.orders == Orders::NONE => Err("a fence that orders nothing".into()),
            None => Ok(format!("fence {};", fence.orders)),
        },
        Op::Flush { process: target, copy } => {
            let target = program.process(*target);
            match target.replicas {
                Replicas::Once => Ok(format!("flush({});", target.name)),
                _ => {
                    let copy = term(program, own, copy).ok_or_else(unspeakable)?;
                    Ok(format!("flush({}[{copy}]);", target.name))
                }
            }
        }
        _ => Err("only fences and flushes are put into a text".into()),
    }
}

/// The place under an address: a variable that this process sees, by the name it has there.
fn place(program: &Program, own: &Process, process: ProcessId, address: &Term) -> Option<String> {
    let Kind::Address { variable, indices } = address.kind() else { return None };
    let variable = program.variables.get(*variable as usize)?;
    let mut indices = indices.as_slice();
    if let Some(owner) = variable.owner {
        if owner != process {
            return None;
        }
        if variable.dimensions.first() == Some(&Dimension::Copies(owner)) {
            let (first, rest) = indices.split_first()?;
            if *first != Term::me() {
                return None;
            }
            indices = rest;
        }
    }
    let mut text = variable.name.to_string();
    for index in indices {
        text.push_str(&format!("[{}]", term(program, own, index)?));
    }
    Some(text)
}

/// An expression over what the text has names for; hidden locals have none.
fn term(program: &Program, own: &Process, what: &Term) -> Option<String> {
    Some(match what.kind() {
        Kind::Value(value) => value.as_int()?.to_string(),
        Kind::Symbol(Symbol::Me) => "me".into(),
        Kind::Symbol(Symbol::Copies(process)) => {
            format!("copies({})", program.processes.get(*process as usize)?.name)
        }
        Kind::Symbol(Symbol::Local(local)) => {
            let local = own.locals.get(*local as usize).filter(|local| !local.hidden)?;
            local.name.to_string()
        }
        Kind::Unary(Unary::Negate, operand) => format!("-{}", operand_text(program, own, operand)?),
        Kind::Binary(operator, left, right) => {
            let sign = match operator {
                Binary::Add => "+",
                Binary::Subtract => "-",
                Binary::Multiply => "*",
                Binary::Divide => "/",
                Binary::Remainder => "%",
                _ => return None,
            };
            format!("{} {sign} {}", operand_text(program, own, left)?, operand_text(program, own, right)?)
        }
        _ => return None,
    })
}

fn operand_text(program: &Program, own: &Process, what: &Term) -> Option<String> {
    let text = term(program, own, what)?;
    let simple = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    Some(if simple { text } else { format!("({text})") })
}
