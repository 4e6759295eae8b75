//! The table of a program: a column a thread, a row an instruction of each.

use super::{Architecture, Body};
use crate::lex::{Cursor, Read, comment_end};
use crate::names::Names;
use crate::{codes, tail};

/// Where the cells of the table stand in the text, row by row.
pub(crate) struct Table {
    /// The number of each thread and the place of its name.
    pub threads: Vec<(u32, usize, usize)>,
    pub cells: Vec<(usize, usize)>,
}

/// Read the whole table and lower every column.
pub(crate) fn program<'a>(
    cursor: &mut Cursor<'a>,
    names: &mut Names<'a>,
    architecture: &'static Architecture,
) -> Read<()> {
    let table = find_cells(cursor, names)?;
    let columns = table.threads.len();
    for (number, start, end) in &table.threads {
        let span = cursor.within(*end, *end).span(*start);
        names.add_thread(*number, span);
    }
    for column in 0..columns {
        let cells = table.cells.iter().skip(column).step_by(columns);
        let mut body = Body::new(names, column, architecture, *cursor);
        for (start, end) in cells {
            body.cell(cursor.within(*start, *end));
        }
        body.finish();
    }
    Ok(())
}

/// Find the cells, and leave the cursor behind the table.
pub(crate) fn find_cells<'a>(cursor: &mut Cursor<'a>, names: &mut Names<'a>) -> Read<Table> {
    while cursor.eat(b';') {}
    let mut table = Table { threads: Vec::with_capacity(4), cells: Vec::with_capacity(32) };
    loop {
        cursor.blank();
        let start = cursor.at;
        let number =
            cursor.word().and_then(|word| word.strip_prefix('P')).and_then(|digits| digits.parse().ok());
        let Some(number) = number else {
            cursor.at = start;
            return Err(cursor.expected("a thread, such as `P0`"));
        };
        if table.threads.iter().any(|(other, _, _)| *other == number) {
            let problem = cursor.error(start, codes::DUPLICATE, format!("P{number} stands here twice"));
            return Err(problem);
        }
        table.threads.push((number, start, cursor.at));
        if cursor.eat(b'|') {
            continue;
        }
        cursor.expect(b';')?;
        break;
    }
    let columns = table.threads.len();
    while !tail::starts(cursor) {
        let (row, first) = (cursor.at, table.cells.len());
        loop {
            let (start, bar) = cell(cursor)?;
            table.cells.push((start, cursor.at));
            cursor.at += 1;
            if !bar {
                break;
            }
        }
        let found = table.cells.len() - first;
        if found != columns {
            // An empty row needs no bars.
            let empty = found == 1 && cursor.within(table.cells[first].0, table.cells[first].1).done();
            if !empty {
                let message = format!("a row of {found} columns, and there are {columns} threads");
                names.problem(cursor.error(row, codes::ROW, message));
            }
            table.cells.truncate(first);
        }
    }
    Ok(table)
}

/// Go to the end of a cell: where it starts, and whether another one follows in its row.
fn cell(cursor: &mut Cursor<'_>) -> Read<(usize, bool)> {
    let bytes = cursor.text.as_bytes();
    let start = cursor.at;
    while cursor.at < cursor.end {
        match bytes[cursor.at] {
            b'|' => return Ok((start, true)),
            b';' => return Ok((start, false)),
            b'(' if cursor.ahead(1) == b'*' => cursor.at = comment_end(bytes, cursor.at, cursor.end),
            _ => cursor.at += 1,
        }
    }
    Err(cursor.expected("`;`, the end of a row of the program"))
}
