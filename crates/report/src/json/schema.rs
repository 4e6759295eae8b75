//! The JSON Schema of each command's lines.

use serde_json::{Map, Value, json};

/// The commands that print JSON lines.
pub const COMMANDS: [&str; 10] =
    ["check", "outcomes", "compare", "fix", "generate", "distinguish", "test", "models", "engines", "doctor"];

/// The schema of one command's lines; `None` for a command that prints none.
pub fn schema(command: &str) -> Option<Value> {
    let line = |fields| object(&fields, &["seconds"]);
    let (title, mut schema) = match command {
        "check" => ("One line for each file", line(check())),
        "outcomes" => ("One line for each file", line(outcomes())),
        "compare" => (
            "One line for each file and model: outcomes for a litmus test, a check for another program; \
             with --from and --to, one line for each file",
            json!({"anyOf": [line(check()), line(outcomes()), line(port())]}),
        ),
        "fix" => ("One line for each file", line(fix())),
        "distinguish" => ("One line for each difference, or one without a test", line(distinguish())),
        "generate" => ("One line for each test", line(generate())),
        "test" => ("One line for each row of expectations", line(test())),
        "models" => ("One line for each memory model", line(models())),
        "engines" => ("One line for each engine (and file)", line(engines())),
        "doctor" => ("One line", line(doctor())),
        _ => return None,
    };
    if let Some(map) = schema.as_object_mut() {
        map.shift_insert(0, "$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.shift_insert(1, "title".into(), json!(format!("wattle {command}: {title}")));
    }
    Some(schema)
}

type Fields = Vec<(&'static str, Value)>;

/// All fields are required but the `optional` ones, and more may come in later versions.
fn object(fields: &Fields, optional: &[&str]) -> Value {
    let required: Vec<&str> =
        fields.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "integer"})
}

fn truth() -> Value {
    json!({"type": "boolean"})
}

fn words(words: &[&str]) -> Value {
    json!({"enum": words})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

/// Any names, all with values of one form.
fn map(of: Value) -> Value {
    json!({"type": "object", "additionalProperties": of})
}

fn or_null(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

fn seconds() -> Value {
    json!({"type": "number", "description": "left out with --no-timing"})
}

fn version() -> Value {
    json!({"const": super::SCHEMA})
}

fn diagnostics() -> Value {
    list(object(
        &vec![
            ("code", text()),
            ("severity", words(&["error", "warning"])),
            ("message", text()),
            ("line", number()),
            ("column", number()),
            ("help", or_null(text())),
            ("file", text()),
        ],
        &["file"],
    ))
}

fn bound() -> Value {
    object(
        &vec![
            ("kind", words(&["capacity", "unwinding", "covered"])),
            ("capacity", number()),
            ("unwind", number()),
        ],
        &["capacity", "unwind"],
    )
}

/// The states of a litmus test, or of any program that ends.
fn outcomes() -> Fields {
    let outcome =
        object(&vec![("state", map(text())), ("executions", or_null(number())), ("holds", truth())], &[]);
    vec![
        ("schema", version()),
        ("file", text()),
        ("test", text()),
        ("model", text()),
        ("engine", or_null(text())),
        ("observation", or_null(words(&["Never", "Sometimes", "Always"]))),
        ("verdict", words(&["Ok", "No", "Undef", "unknown", "error"])),
        ("condition", or_null(text())),
        ("states", or_null(number())),
        ("executions", or_null(number())),
        ("positive", or_null(number())),
        ("negative", or_null(number())),
        ("outcomes", list(outcome)),
        ("flags", list(text())),
        ("bound", or_null(bound())),
        ("reason", or_null(text())),
        ("diagnostics", diagnostics()),
        ("translated", translated()),
        ("rests_on", or_null(words(&["stronger", "weaker"]))),
        ("notes", list(text())),
        ("seconds", seconds()),
    ]
}

/// What became stronger or weaker than it was written.
fn translated() -> Value {
    let fields = vec![
        ("written", text()),
        ("line", or_null(number())),
        ("became", text()),
        ("stronger", truth()),
        ("weaker", truth()),
    ];
    list(object(&fields, &[]))
}

fn port() -> Fields {
    let fresh = object(
        &vec![("state", map(text())), ("holds", truth()), ("axiom", or_null(text())), ("cycle", cycle())],
        &[],
    );
    vec![
        ("schema", version()),
        ("file", text()),
        ("test", text()),
        ("from", text()),
        ("to", text()),
        ("verdict", words(&["same", "new", "unknown", "error"])),
        ("new", list(fresh)),
        ("gone", or_null(number())),
        ("reason", or_null(text())),
        ("diagnostics", diagnostics()),
        ("translated", translated()),
        ("rests_on", or_null(words(&["stronger", "weaker"]))),
        ("seconds", seconds()),
    ]
}

fn check() -> Fields {
    let certificate = object(
        &vec![
            ("kind", words(&["state_space", "executions", "abstraction", "cubes", "refutation"])),
            ("predicates", number()),
            ("triples", number()),
            ("states", number()),
            ("capacity", number()),
            ("executions", number()),
            ("steps", or_null(number())),
            ("cubes", number()),
        ],
        &["predicates", "triples", "states", "capacity", "executions", "steps", "cubes"],
    );
    vec![
        ("schema", version()),
        ("file", text()),
        ("model", text()),
        ("property", words(&["stated", "no_deadlock"])),
        ("engine", or_null(text())),
        ("verdict", words(&["safe", "bounded", "unsafe", "unknown", "error"])),
        ("bound", or_null(bound())),
        ("reason", or_null(text())),
        ("confirmed", truth()),
        ("certified", truth()),
        ("certificate", or_null(certificate)),
        ("statistics", map(json!({"type": "number"}))),
        ("counterexample", or_null(counterexample())),
        ("litmus", or_null(text())),
        ("diagnostics", diagnostics()),
        ("translated", translated()),
        ("rests_on", or_null(words(&["stronger", "weaker"]))),
        ("copies", map(json!({"type": "integer"}))),
        ("notes", list(text())),
        ("seconds", seconds()),
    ]
}

fn cycle() -> Value {
    let link = vec![
        ("thread", text()),
        ("line", or_null(number())),
        ("file", text()),
        ("event", text()),
        ("relation", text()),
    ];
    list(object(&link, &["file"]))
}

fn counterexample() -> Value {
    let violated = object(
        &vec![
            (
                "kind",
                words(&["assert", "forbid", "always", "finally", "exists", "fault", "deadlock", "undefined"]),
            ),
            ("text", text()),
            ("line", or_null(number())),
            ("column", or_null(number())),
            ("file", text()),
        ],
        &["file"],
    );
    let kinds = [
        "read", "buffered", "stored", "wrote", "reached", "local", "chosen", "fence", "started", "created",
        "joined", "flushed", "failed", "fault",
    ];
    let effect = object(&vec![("kind", words(&kinds))], &[]);
    let one_move = object(
        &vec![
            ("thread", text()),
            ("actor", words(&["thread", "buffer", "network"])),
            ("line", or_null(number())),
            ("column", or_null(number())),
            ("file", text()),
            ("statement", text()),
            ("effects", list(effect)),
        ],
        &["file"],
    );
    let standing = object(
        &vec![
            ("thread", text()),
            ("label", or_null(text())),
            ("line", or_null(number())),
            ("file", text()),
            ("ended", truth()),
        ],
        &["file"],
    );
    let pending = object(&vec![("location", text()), ("value", text())], &[]);
    let end = object(
        &vec![
            ("threads", list(standing)),
            ("memory", map(text())),
            ("locals", map(text())),
            ("pending", map(list(pending))),
        ],
        &[],
    );
    object(
        &vec![
            ("violated", violated),
            ("holds_under_sc", or_null(truth())),
            ("threads", list(text())),
            ("start", map(text())),
            ("timeless", truth()),
            ("cycle", cycle()),
            ("moves", list(one_move)),
            ("final", end),
        ],
        &[],
    )
}

fn fix() -> Fields {
    let placement = object(
        &vec![
            ("thread", text()),
            ("copy", or_null(number())),
            ("line", or_null(number())),
            ("file", text()),
            ("after", text()),
            ("kind", text()),
            ("target", or_null(text())),
        ],
        &["file"],
    );
    vec![
        ("schema", version()),
        ("file", text()),
        ("model", text()),
        ("property", words(&["stated", "no_deadlock"])),
        ("engine", or_null(text())),
        ("verdict", words(&["already_safe", "repaired", "relaxed", "unrepairable", "unknown", "error"])),
        ("count", or_null(number())),
        ("minimal", truth()),
        ("source_count", or_null(number())),
        ("placements", list(placement.clone())),
        ("sets", or_null(list(list(placement.clone())))),
        ("removed", list(placement)),
        ("diff", or_null(text())),
        ("proof", or_null(words(&["safe", "bounded"]))),
        ("reason", or_null(text())),
        ("statistics", map(json!({"type": "number"}))),
        ("diagnostics", diagnostics()),
        ("translated", translated()),
        ("rests_on", or_null(words(&["stronger", "weaker"]))),
        ("notes", list(text())),
        ("seconds", seconds()),
    ]
}

fn distinguish() -> Fields {
    let side = vec![
        ("model", text()),
        ("allows", truth()),
        ("states", number()),
        ("executions", number()),
        ("only_here", number()),
    ];
    let why = vec![
        ("allowing", text()),
        ("forbidding", text()),
        ("axiom", text()),
        ("witness", list(text())),
        ("cycle", list(object(&vec![("event", text()), ("relation", text())], &[]))),
    ];
    vec![
        ("schema", version()),
        ("models", list(text())),
        ("tests", number()),
        ("size", number()),
        ("undecided", number()),
        ("test", or_null(text())),
        ("architecture", or_null(text())),
        ("cycle", or_null(text())),
        ("text", or_null(text())),
        ("sides", list(object(&side, &[]))),
        ("why", or_null(object(&why, &[]))),
    ]
}

fn generate() -> Fields {
    vec![
        ("schema", version()),
        ("test", text()),
        ("architecture", text()),
        ("cycle", text()),
        ("edges", number()),
        ("threads", number()),
        ("file", or_null(text())),
        ("text", text()),
    ]
}

fn test() -> Fields {
    vec![
        ("schema", version()),
        ("file", text()),
        ("line", number()),
        ("model", or_null(text())),
        ("what", text()),
        ("status", words(&["passed", "failed", "internal", "ignored"])),
        ("message", or_null(text())),
    ]
}

fn models() -> Fields {
    vec![("schema", version()), ("model", text()), ("summary", text())]
}

fn engines() -> Fields {
    vec![
        ("schema", version()),
        ("file", or_null(text())),
        ("model", or_null(text())),
        ("engine", text()),
        ("summary", text()),
        ("accepts", or_null(truth())),
        ("reason", or_null(text())),
    ]
}

fn doctor() -> Fields {
    vec![
        ("schema", version()),
        ("version", text()),
        ("engines", list(text())),
        ("languages", list(text())),
        ("models", list(text())),
        ("smt", object(&smt(), &[])),
    ]
}

fn smt() -> Fields {
    vec![
        ("version", or_null(text())),
        ("path", or_null(text())),
        ("advice", or_null(text())),
        ("refused", list(object(&vec![("path", text()), ("reason", text())], &[]))),
    ]
}
