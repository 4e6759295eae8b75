//! Integer arithmetic: random expressions have the values and sizes that the machine's compiler computes.
//!
//! Each is tried three times: of numbers only, which the front end computes itself; of local variables, which an engine
//! computes; and assigned to a variable with an operator. What C leaves undefined is avoided, but for signed
//! overflow, which wraps.

use wattle_engine::{Engine, Property, Reason, Run, Task, Verdict};
use wattle_engine_explore::Explore;
use wattle_frontend_c::FRONTEND;
use wattle_program::passes::retarget;
use wattle_program::{Program, Vocabulary};

use super::{Folder, Random, run};

const TYPES: [&str; 9] = [
    "_Bool",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
];

/// Numbers at which something changes.
const EDGES: [i64; 14] = [
    0,
    1,
    -1,
    2,
    7,
    127,
    128,
    255,
    -32768,
    65535,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    i64::MIN,
];

/// A variable of each type, and its value.
struct Leaves {
    values: Vec<i64>,
    /// Write values, not names.
    constant: bool,
}

impl Leaves {
    fn declared(&self) -> String {
        let one =
            |(number, of): (usize, &&str)| format!("{of} v{number} = {};", literal(of, self.values[number]));
        TYPES.iter().enumerate().map(one).collect::<Vec<_>>().join(" ")
    }
}

fn literal(of: &str, value: i64) -> String {
    format!("(({of}){}ull)", value as u64)
}

fn expression(random: &mut Random, leaves: &Leaves, depth: usize) -> String {
    if depth == 0 {
        let number = random.below(TYPES.len());
        return match leaves.constant {
            true => literal(TYPES[number], leaves.values[number]),
            false => format!("v{number}"),
        };
    }
    let inner = |random: &mut Random| expression(random, leaves, depth - 1);
    let (a, b) = (inner(random), inner(random));
    match random.below(14) {
        0 => format!("({}{a})", random.choose(&["-", "~", "!", "+"])),
        1 => format!("(({}){a})", random.choose(&TYPES)),
        2 => format!("({a} {} ({b} & 7))", random.choose(&["<<", ">>"])),
        3 => format!("((int){a} {} ((int){b} & 15 | 1))", random.choose(&["/", "%"])),
        4 => format!("((unsigned int){a} {} ((unsigned int){b} | 1u))", random.choose(&["/", "%"])),
        5 => {
            let c = inner(random);
            format!("({a} ? {b} : {c})")
        }
        6 => format!("({a} {} {b})", random.choose(&["&&", "||"])),
        7 | 8 => format!("({a} {} {b})", random.choose(&["<", "<=", ">", ">=", "==", "!="])),
        9 => format!("({a} {} {b})", random.choose(&["&", "|", "^"])),
        _ => format!("({a} {} {b})", random.choose(&["+", "-", "*"])),
    }
}

/// What is to be looked at: a statement, then an expression.
struct Case {
    declared: String,
    statement: String,
    value: String,
}

fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let mut cases = Vec::new();
    for _ in 0..count {
        let mut value = || match random.below(3) {
            0 => random.next() as i64,
            _ => EDGES[random.below(EDGES.len())],
        };
        let values: Vec<i64> = TYPES.iter().map(|_| value()).collect();
        for form in 0..3 {
            let leaves = Leaves { values: values.clone(), constant: form == 0 };
            let depth = 1 + random.below(3);
            let made = expression(&mut random, &leaves, depth);
            let declared = leaves.declared();
            cases.push(match form {
                2 => {
                    let target = format!("v{}", random.below(TYPES.len()));
                    let operator = random.choose(&["=", "+=", "-=", "*=", "&=", "|=", "^="]);
                    Case { declared, statement: format!("{target} {operator} {made};"), value: target }
                }
                _ => Case { declared, statement: String::new(), value: made },
            });
        }
    }
    cases
}

/// Value and size of each case, as the compiler has them.
fn compiled(cases: &[Case]) -> Vec<(String, String)> {
    let folder = Folder::new("values");
    let mut text = String::from("int printf(const char *, ...);\n");
    for (number, Case { declared, statement, value }) in cases.iter().enumerate() {
        text.push_str(&format!(
            "static void f{number}(void) {{ {declared} {statement} printf(\"%llu %d\\n\", (unsigned long long){value}, \
             (int)sizeof({value})); }}\n"
        ));
    }
    let calls: String = (0..cases.len()).map(|number| format!("f{number}();")).collect();
    text.push_str(&format!("int main(void) {{ {calls} return 0; }}\n"));
    let printed = run(&folder.write("values.c", &text), &folder);
    let pair = |line: &str| line.split_once(' ').map(|(value, size)| (value.to_owned(), size.to_owned()));
    printed.lines().map(|line| pair(line).unwrap()).collect()
}

fn program(text: &str) -> Program {
    let parsed = FRONTEND.read("values.i", text).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    retarget(&parsed.program, Vocabulary::Generic).unwrap().program.into_owned()
}

/// Do all assertions of a text hold? `None`: it has something that is not supported.
fn holds(text: &str) -> Option<bool> {
    let program = program(text);
    let memory = wattle_memory::find("sc").unwrap();
    let task = Task { program: &program, memory, property: Property::Stated, hints: None };
    let answer = Explore::default().check(&task, &Run::default()).unwrap();
    match answer.verdict {
        Verdict::Safe { .. } => Some(true),
        Verdict::Unsafe { .. } => Some(false),
        Verdict::Unknown { reason: Reason::Unsupported(_) } => None,
        other => panic!("{other:?}\n{text}"),
    }
}

fn asserting(case: &Case, value: &str, size: &str) -> String {
    let Case { declared, statement, value: found } = case;
    format!(
        "void __wattle_assert(int); int main(void) {{ {declared} {statement} \
         __wattle_assert((unsigned long long){found} == {value}ull && sizeof({found}) == {size}); return 0; }}"
    )
}

#[test]
fn expressions_have_the_values_of_the_compiler() {
    let cases = cases(20_261_118, 250);
    let expected = compiled(&cases);
    assert_eq!(expected.len(), cases.len());
    let mut different = Vec::new();
    let mut unsupported = 0;
    for (case, (value, size)) in cases.iter().zip(&expected) {
        match holds(&asserting(case, value, size)) {
            Some(true) => {}
            Some(false) => different.push(format!(
                "{} {} {} is {value} of size {size}",
                case.declared, case.statement, case.value
            )),
            None => unsupported += 1,
        }
    }
    assert!(
        different.is_empty(),
        "{} differ:\n{}",
        different.len(),
        different[..different.len().min(8)].join("\n")
    );
    // Shifts and divisions of unsigned numbers of 64 bits are refused where both sides vary.
    assert!(unsupported * 10 < cases.len(), "{unsupported} of {}", cases.len());
    // Assertions that would hold of anything show nothing.
    let lies = cases.iter().zip(&expected).take(60).filter(|(case, (value, size))| {
        let wrong = value.parse::<u64>().unwrap().wrapping_add(1).to_string();
        holds(&asserting(case, &wrong, size)) == Some(false)
    });
    assert!(lies.count() > 50);
}
