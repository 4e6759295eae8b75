//! The lines that wattle prints are what `wattle schema` says.

use serde_json::Value;

use super::wattle;

const LINES: &[(&str, &[&str])] = &[
    ("check", &["check", "sb.wtl", "sb_fenced.wtl", "loop.wtl", "any.wtl", "bad_name.wtl", "--model", "tso"]),
    ("check", &["check", "loop.wtl", "--model", "tso", "--engine", "explore"]),
    ("check", &["check", "rma.wtl", "--model", "rma", "--no-timing"]),
    ("check", &["check", "stuck.wtl", "--check", "deadlock", "--model", "sc"]),
    ("outcomes", &["outcomes", "sb.wtl", "bad_name.wtl", "any.wtl", "--model", "tso"]),
    ("outcomes", &["outcomes", "sb.wtl", "--no-timing"]),
    ("outcomes", &["outcomes", "SB.litmus", "cut.litmus", "MP+power.litmus", "loop.litmus", "race.litmus"]),
    ("compare", &["compare", "SB.litmus", "MP+power.litmus", "sb.wtl", "--models", "sc,tso,power"]),
    ("compare", &["compare", "SB.litmus", "cut.litmus", "--from", "sc", "--to", "tso"]),
    ("check", &["check", "MP+power.litmus", "--model", "power"]),
    ("compare", &["compare", "sb.wtl", "--models", "sc,tso,rma"]),
    ("fix", &["fix", "sb.wtl", "sb_fenced.wtl", "race.wtl", "any.wtl", "bad_name.wtl", "--model", "tso"]),
    ("fix", &["fix", "sb_fenced.wtl", "--model", "sc", "--relax"]),
    ("test", &["test", "sb.wtl", "wrong.wtl"]),
    ("distinguish", &["distinguish", "sc", "pso", "--count", "2"]),
    ("distinguish", &["distinguish", "tso", "tso", "--size", "4"]),
    ("generate", &["generate", "--arch", "ppc", "--size", "4", "--threads", "2"]),
    ("models", &["models"]),
    ("engines", &["engines"]),
    ("engines", &["engines", "sb.wtl"]),
    ("doctor", &["doctor"]),
];

#[test]
fn lines_are_what_the_schema_says() {
    for (command, arguments) in LINES {
        let schema: Value = serde_json::from_str(&wattle(&["schema", command], "").stdout).expect("JSON");
        let arguments = [arguments, &["--format", "json"][..]].concat();
        let ran = wattle(&arguments, "");
        assert!(!ran.stdout.is_empty(), "{arguments:?}: {}", ran.stderr);
        for line in ran.stdout.lines() {
            let value: Value = serde_json::from_str(line).expect("a line of JSON");
            if let Err(why) = fits(&schema, &value, "$") {
                panic!("{arguments:?}: {why}\n{line}");
            }
            known_fields(&schema, &value, "$");
        }
    }
}

#[test]
fn the_validator_is_not_blind() {
    let schema: Value = serde_json::from_str(&wattle(&["schema", "check"], "").stdout).expect("JSON");
    let line = wattle(&["check", "sb.wtl", "--model", "tso", "--format", "json"], "").stdout;
    let good: Value = serde_json::from_str(&line).expect("JSON");
    for (field, bad) in [("verdict", "perhaps".into()), ("confirmed", 3.into()), ("diagnostics", Value::Null)]
    {
        let mut value = good.clone();
        value[field] = bad;
        assert!(fits(&schema, &value, "$").is_err(), "{field}");
        let mut value = good.clone();
        value.as_object_mut().expect("an object").remove(field);
        assert!(fits(&schema, &value, "$").is_err(), "{field} is missing");
    }
}

/// The part of JSON Schema that wattle's schemas use.
fn fits(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    if let Some(options) = schema["anyOf"].as_array() {
        let errors: Vec<String> =
            options.iter().filter_map(|option| fits(option, value, path).err()).collect();
        return if errors.len() < options.len() { Ok(()) } else { Err(errors.join("; or ")) };
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{path}: {value} is not one of {words:?}"));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Err(format!("{path}: {value} is not {}", schema["const"]));
    }
    let right = match schema["type"].as_str() {
        None => true,
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(other) => return Err(format!("{path}: the schema has an unknown type {other}")),
    };
    if !right {
        return Err(format!("{path}: {value} is not of type {}", schema["type"]));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap_or_default()).is_none() {
            return Err(format!("{path}: {name} is missing"));
        }
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(found) = value.get(name) {
            fits(inner, found, &format!("{path}.{name}"))?;
        }
    }
    if let (Some(inner), Some(fields)) = (schema.get("additionalProperties"), value.as_object()) {
        for (name, found) in fields {
            fits(inner, found, &format!("{path}.{name}"))?;
        }
    }
    if let (Some(inner), Some(items)) = (schema.get("items"), value.as_array()) {
        for (number, item) in items.iter().enumerate() {
            fits(inner, item, &format!("{path}[{number}]"))?;
        }
    }
    Ok(())
}

/// No field of a line is left out of the schema.
fn known_fields(schema: &Value, value: &Value, path: &str) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for name in value.as_object().into_iter().flat_map(|fields| fields.keys()) {
        assert!(properties.contains_key(name), "{path}.{name} is not in the schema");
    }
}
