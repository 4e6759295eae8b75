//! The initial state.

use wattle_frontend::lex::starts_word;
use wattle_logic::Sort;
use wattle_program::Init;
use wattle_source::Diagnostic;

use super::lex::{Cursor, Read};
use super::names::{Given, Names, Start, Type};
use super::{codes, unsupported};

/// The most elements of an array.
const LONGEST_ARRAY: i64 = 4096;

pub(crate) fn read<'a>(cursor: &mut Cursor<'a>, names: &mut Names<'a>) -> Read<()> {
    cursor.expect(b'{')?;
    loop {
        while cursor.eat(b';') {}
        if cursor.eat(b'}') {
            cursor.eat(b';');
            return Ok(());
        }
        if cursor.at >= cursor.end {
            return Err(cursor.expected("`}`, the end of the initial state"));
        }
        if let Err(problem) = item(cursor, names) {
            names.problem(problem);
            skip_item(cursor);
        }
        cursor.blank();
        if !matches!(cursor.peek(), b';' | b'}') {
            let problem = cursor.expected("`;` or `}`");
            names.problem(problem);
            skip_item(cursor);
        }
    }
}

/// To the end of a broken item.
fn skip_item(cursor: &mut Cursor<'_>) {
    let mut braces = 0u32;
    while cursor.at < cursor.end {
        cursor.blank();
        match cursor.peek() {
            b'{' => braces += 1,
            b'}' if braces > 0 => braces -= 1,
            b';' | b'}' => return,
            _ => {}
        }
        cursor.at += 1;
    }
    cursor.at = cursor.at.min(cursor.end);
}

fn item<'a>(cursor: &mut Cursor<'a>, names: &mut Names<'a>) -> Read<()> {
    let kind = read_type(cursor);
    cursor.blank();
    let start = cursor.at;
    if let Some(thread) = cursor.thread() {
        cursor.blank();
        let Some(name) = cursor.word() else { return Err(cursor.expected("a register")) };
        return register(cursor, names, Some(thread), name, kind, start);
    }
    let bracket = cursor.eat(b'[');
    let Some(name) = cursor.word() else { return Err(cursor.expected("a location or a register")) };
    if name.starts_with('%') {
        return register(cursor, names, None, name, kind, start);
    }
    let span = cursor.span(start);
    if bracket {
        cursor.expect(b']')?;
    }
    let variable = names.variable(name, span);
    let declares = !kind.word.is_empty() || kind.pointer;
    if declares {
        names.types[variable as usize] = kind;
        if matches!(kind.sort(), Sort::Bits { width: 8 | 16, .. }) {
            names.variables[variable as usize].sort = kind.sort();
        }
    }
    let mut element = 0;
    if cursor.eat(b'[') {
        let length = cursor.number();
        cursor.expect(b']')?;
        match (length, names.length(variable)) {
            (Some(length), None) if (1..=LONGEST_ARRAY).contains(&length) && declares => {
                names.make_array(variable, kind, length as u32);
            }
            (Some(index), Some(length)) if (0..i64::from(length)).contains(&index) && !declares => {
                element = index;
            }
            _ => {
                return Err(cursor.error(
                    start,
                    codes::SYNTAX,
                    "an array with a length or an index that makes no sense",
                ));
            }
        }
    }
    if cursor.eat(b':') {
        return Err(unsupported(span, "a tagged location"));
    }
    let mut values = Vec::new();
    if cursor.eat(b'=') {
        if cursor.eat(b'{') {
            while !cursor.eat(b'}') {
                let value = value(cursor, names)?;
                values.push(names.given(value));
                if !cursor.eat(b',') {
                    cursor.expect(b'}')?;
                    break;
                }
            }
        } else {
            let value = value(cursor, names)?;
            values.push(names.given(value));
        }
    }
    let length = names.length(variable).map_or(1, |length| length as usize);
    if values.len() > length {
        return Err(cursor.error(start, codes::SYNTAX, "more values than the array has elements"));
    }
    if !values.is_empty() || declares {
        let zero = names.zero.clone();
        if let Init::Values(all) = &mut names.variables[variable as usize].init {
            all.resize(length, zero);
            for (slot, value) in all[element as usize..].iter_mut().zip(values) {
                *slot = value;
            }
        }
    }
    Ok(())
}

fn register<'a>(
    cursor: &mut Cursor<'a>,
    names: &mut Names<'a>,
    thread: Option<u32>,
    name: &'a str,
    kind: Type<'a>,
    start: usize,
) -> Read<()> {
    let span = cursor.span(start);
    let canonical = if name.starts_with('%') { Some(name) } else { (names.canonical)(name) };
    let Some(name) = canonical else {
        let message = format!("`{name}` is not a register");
        return Err(Box::new(Diagnostic::error(codes::REGISTER, span, message)));
    };
    let value = if cursor.eat(b'=') { Some(value(cursor, names)?) } else { None };
    // A line that only gives the type of a register keeps the value of another.
    let old = names.starts.iter_mut().find(|old| old.name == name && old.thread == thread);
    match old {
        Some(old) => {
            old.value = value.or(old.value);
            if !kind.word.is_empty() {
                old.kind = kind;
            }
        }
        None => names.starts.push(Start { thread, name, kind, value, span }),
    }
    Ok(())
}

/// Words and stars before a name: `int`, `volatile int *`, `_Atomic(int)`.
pub(crate) fn read_type<'a>(cursor: &mut Cursor<'a>) -> Type<'a> {
    let mut kind = Type::default();
    loop {
        if cursor.eat(b'*') {
            kind.pointer = true;
            continue;
        }
        let before = *cursor;
        if cursor.thread().is_some() {
            *cursor = before;
            return kind;
        }
        let Some(word) = cursor.word() else { return kind };
        cursor.blank();
        if word == "_Atomic" && cursor.eat(b'(') {
            kind = Type { atomic: true, ..read_type(cursor) };
            if let Some(word) = cursor.word() {
                kind.word = word;
            }
            cursor.eat(b')');
            continue;
        }
        let more = starts_word(cursor.peek())
            || cursor.peek().is_ascii_digit()
            || matches!(cursor.peek(), b'*' | b'%');
        if !more {
            *cursor = before;
            return kind;
        }
        match word {
            "_Atomic" => kind.atomic = true,
            "const" | "volatile" | "struct" | "signed" => {}
            _ => {
                kind.word = word;
                kind.atomic |= word.starts_with("atomic_");
            }
        }
    }
}

/// A number, the address of a location, or a place in the code.
pub(crate) fn value<'a>(cursor: &mut Cursor<'a>, names: &mut Names<'a>) -> Read<Given<'a>> {
    cursor.blank();
    let start = cursor.at;
    if let Some(thread) = cursor.thread() {
        return match cursor.word() {
            Some(label) => Ok(Given::Code(thread, label)),
            None => Err(cursor.expected("a label")),
        };
    }
    if let Some(number) = cursor.number() {
        names.see(number);
        return if cursor.eat(b':') {
            Err(unsupported(cursor.span(start), "a tagged value"))
        } else {
            Ok(Given::Number(number))
        };
    }
    if cursor.eat(b'(') {
        return Err(unsupported(cursor.span(start), "a page table entry"));
    }
    let reference = cursor.eat(b'&');
    let Some(name) = cursor.word() else { return Err(cursor.expected("a number or a location")) };
    let span = cursor.span(start);
    if !reference && cursor.eat(b'(') {
        if name != "ATOMIC_INIT" {
            return Err(unsupported(span, &format!("`{name}(…)` in the initial state")));
        }
        let value = value(cursor, names)?;
        cursor.expect(b')')?;
        return Ok(value);
    }
    if cursor.eat(b':') {
        return Err(unsupported(span, "a tagged location"));
    }
    let variable = names.variable(name, span);
    let mut element = 0;
    if cursor.eat(b'[') {
        element = match (cursor.number(), names.length(variable)) {
            (Some(index), Some(length)) if (0..i64::from(length)).contains(&index) => index,
            _ => return Err(cursor.error(start, codes::LOCATION, "an index outside its array")),
        };
        cursor.expect(b']')?;
    }
    Ok(Given::Address(variable, element))
}
