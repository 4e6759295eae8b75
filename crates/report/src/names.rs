//! Names of values for people.

use wattle_logic::{Sort, Value};
use wattle_program::{Program, Shape};

/// `3`, `true`, `Idle`, `&x[1]`.
pub fn value_name(program: &Program, shape: &Shape, sort: Sort, value: &Value) -> String {
    match (sort, value) {
        (Sort::Enum(number), Value::Symbol(constructor)) => (program.enumerations.get(number as usize))
            .and_then(|enumeration| enumeration.constructors.get(*constructor as usize))
            .map_or_else(|| value.to_string(), |name| name.to_string()),
        (_, Value::Address(location)) => format!("&{}", shape.location_name(program, *location)),
        (_, Value::Process(copy)) => match program.named_process() {
            Some(process) if *copy < shape.copies_of(process) => {
                shape.thread_name(program, shape.thread(process, *copy))
            }
            _ => value.to_string(),
        },
        // A pointer of C or of assembly. No number that a person writes is one.
        (Sort::Bits { .. }, Value::Int(number)) => match shape.pointer(*number) {
            Ok(location) => format!("&{}", shape.location_name(program, location)),
            Err(_) => value.to_string(),
        },
        _ => value.to_string(),
    }
}

/// `x = 1, y = 0`.
pub fn location_list(cells: &[(String, String)]) -> String {
    let cells: Vec<String> = cells.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    cells.join(", ")
}
